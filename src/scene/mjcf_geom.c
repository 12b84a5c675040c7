// SPDX-License-Identifier: MIT
// Geoms: sizes, masses, and the shapes or meshes that they become.
#include <math.h>
#include <string.h>

#include "scene/mjcf_parts.h"

#define PI 3.14159265358979323846
#define MOST_FRICTION 10.0  // as of pairs

static const char *const type_names[] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                         "cylinder", "box",    "mesh",   "sdf",     NULL};

void tact_mjcf_apply_form(tact_mjcf *m, int node, tact_mjcf_geom *geom) {
    int type = (int)geom->type;
    double size[3];
    if (tact_mjcf_word(m, node, "type", type_names, &type)) geom->type = (tact_mjcf_geom_type)type;
    int count = tact_mjcf_numbers(m, node, "size", size, 1, 3);
    if (count > 0 && tact_mjcf_within(m, node, "size", size, count, TACT_MOST_LENGTH)) {
        memcpy(geom->size, size, (size_t)count * sizeof size[0]);
        if (count > geom->nsize) geom->nsize = count;
    }
    // fromto replaces the pose and the length; tact_mjcf_place_between resolves it when the type is known
    if (tact_mjcf_bounded(m, node, "fromto", geom->ends, 6, TACT_MOST_LENGTH)) geom->from_to = true;
    tact_mjcf_place(m, node, &geom->pose);
}

void tact_mjcf_apply_geom(tact_mjcf *m, int node, tact_mjcf_geom *geom) {
    tact_mjcf_apply_form(m, node, geom);
    if (tact_mjcf_from_zero(m, node, "mass", &geom->mass))
        geom->weighed = tact_mjcf_within(m, node, "mass", &geom->mass, 1, TACT_MOST_MASS);
    if (tact_mjcf_from_zero(m, node, "density", &geom->density))
        tact_mjcf_within(m, node, "density", &geom->density, 1, TACT_MOST_MASS);
    tact_mjcf_bounded(m, node, "fitscale", &geom->fit_scale, 1, TACT_MOST_LENGTH);
    tact_mjcf_whole(m, node, "contype", &geom->contype);
    tact_mjcf_whole(m, node, "conaffinity", &geom->conaffinity);
    tact_mjcf_whole(m, node, "group", &geom->group);
    tact_mjcf_whole(m, node, "priority", &geom->priority);
    tact_mjcf_condim(m, node, &geom->condim);
    double friction[3] = {0, 0.005, 0.0001};  // of sliding, turning and rolling; the last two unless they are given
    if (tact_mjcf_numbers(m, node, "friction", friction, 1, 3)) {
        geom->mu = friction[0] > MOST_FRICTION ? MOST_FRICTION : friction[0];
        if (friction[0] < 0)
            tact_xml_refuse(TACT_MJCF_AT(m, node), "friction", "must not be negative (found %s)",
                            tact_number_print(friction[0]).text);
        if (friction[0] > MOST_FRICTION) tact_mjcf_leave(m, "geom@friction (more than 10)");
        if (friction[1] != 0.005 || friction[2] != 0.0001) tact_mjcf_leave(m, "geom@friction (of turning and rolling)");
    }
    const char *mesh = tact_mjcf_text(m, node, "mesh");
    if (mesh) geom->mesh = mesh;
}

bool tact_mjcf_place_between(tact_mjcf *m, int node, tact_mjcf_geom *geom) {
    double z[3], length = 0;
    bool round = geom->type == TACT_MJCF_CAPSULE || geom->type == TACT_MJCF_CYLINDER;
    if (!round && geom->type != TACT_MJCF_BOX && geom->type != TACT_MJCF_ELLIPSOID) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "fromto", "a %s has no ends", type_names[geom->type]);
        return false;
    }
    if (geom->pose.p[0] != 0 || geom->pose.p[1] != 0 || geom->pose.p[2] != 0) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "pos and fromto cannot both be given, also by a class");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        z[i] = geom->ends[i] - geom->ends[3 + i];
        length += z[i] * z[i];
        geom->pose.p[i] = (geom->ends[i] + geom->ends[3 + i]) / 2;
    }
    if (!tact_mjcf_normalise(z, 3)) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "fromto", "both ends are at one place");
        return false;
    }
    // z of the shape points from the second end to the first, as MuJoCo has it
    tact_mjcf_z_to(z, geom->pose.q);
    if (!round) geom->size[1] = geom->size[0];
    geom->size[round ? 1 : 2] = sqrt(length) / 2;
    if (geom->nsize > 0) geom->nsize = 3;
    return true;
}

// the numbers that a type needs, and that they are positive
static bool check_size(tact_mjcf *m, int node, const tact_mjcf_geom *geom) {
    static const int needed[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    int count = needed[geom->type];
    if (geom->nsize < count) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "size", "type %s: expected %d number%s, found %d",
                        tact_quote(type_names[geom->type]).text, count, count > 1 ? "s" : "", geom->nsize);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (geom->size[i] > 0 && (tact_real)geom->size[i] / 2 > 0) continue;
        tact_xml_refuse(TACT_MJCF_AT(m, node), "size", "must be > 0 (found %s)", tact_number_print(geom->size[i]).text);
        return false;
    }
    return true;
}

// Volume, and inertia about the centre for a mass of 1, both of a solid of constant density.
static double find_solid(const tact_mjcf_geom *geom, double I[6]) {
    double a = geom->size[0], b = geom->size[1], c = geom->size[2];
    double volume = 0;
    memset(I, 0, 6 * sizeof I[0]);
    switch (geom->type) {
    case TACT_MJCF_SPHERE:
        volume = 4 * PI / 3 * a * a * a;
        I[0] = I[1] = I[2] = a * a * 2 / 5;
        break;
    case TACT_MJCF_CAPSULE: {
        // a cylinder of the length h, and two half spheres
        double h = 2 * b, ball = 4 * a / (4 * a + 3 * h), rod = 1 - ball;
        volume = PI * a * a * (h + a * 4 / 3);
        I[0] = I[1] = rod * (3 * a * a + h * h) / 12 + ball * (a * a * 2 / 5 + h * (3 * a + 2 * h) / 8);
        I[2] = rod * a * a / 2 + ball * a * a * 2 / 5;
        break;
    }
    case TACT_MJCF_CYLINDER:
        volume = PI * a * a * 2 * b;
        I[0] = I[1] = (3 * a * a + 4 * b * b) / 12;
        I[2] = a * a / 2;
        break;
    case TACT_MJCF_ELLIPSOID:
    case TACT_MJCF_BOX: {
        bool box = geom->type == TACT_MJCF_BOX;
        volume = (box ? 8 : 4 * PI / 3) * a * b * c;
        I[0] = (b * b + c * c) / (box ? 3 : 5);
        I[1] = (a * a + c * c) / (box ? 3 : 5);
        I[2] = (a * a + b * b) / (box ? 3 : 5);
        break;
    }
    default: break;
    }
    return volume;
}

// adds the mass of a geom, its centre at a pose in the body, to those of the body
static void add_mass(tact_mjcf_sums *sums, double mass, const tact_mjcf_pose *pose, const double unit[6]) {
    double I[6];
    for (int i = 0; i < 6; i++) I[i] = mass * unit[i];
    tact_mjcf_turn_inertia(pose->q, I);
    tact_mjcf_shift_inertia(mass, pose->p, I);
    sums->mass += mass;
    for (int i = 0; i < 3; i++) sums->moment[i] += mass * pose->p[i];
    for (int i = 0; i < 6; i++) sums->inertia[i] += I[i];
}

// Adds the mass and inertia of a geom to the sums of its body.
static void weigh_geom(tact_mjcf *m, int node, const tact_mjcf_geom *geom, const tact_mjcf_pose *pose, tact_mjcf_sums *sums) {
    double unit[6];
    // a mass outweighs a density; groups may be left out of the inertia
    bool none = geom->weighed ? geom->mass == 0 : geom->density == 0;
    if (none || geom->group < m->groups[0] || geom->group > m->groups[1]) return;
    // a mesh is a solid of uniform density within its surface
    if (geom->type == TACT_MJCF_MESH_GEOM) {
        int index = tact_mjcf_find_mesh(m, node, geom->mesh);
        if (!tact_mjcf_weigh_mesh(m, node, index)) return;
        const tact_mjcf_mesh *mesh = &m->meshes[index];
        tact_mjcf_pose local = TACT_MJCF_IDENTITY;
        memcpy(local.p, mesh->centre, sizeof local.p);
        local = tact_mjcf_compose(pose, &local);
        for (int i = 0; i < 6; i++) unit[i] = mesh->inertia[i] / mesh->volume;
        add_mass(sums, geom->weighed ? geom->mass : geom->density * mesh->volume, &local, unit);
        return;
    }
    double volume = find_solid(geom, unit);
    if (volume > 0) add_mass(sums, geom->weighed ? geom->mass : geom->density * volume, pose, unit);
}

// The geom's name, or one made of its body's.
static const char *name_shape(tact_mjcf *m, int node, int body) {
    const char *name = tact_mjcf_name(m, node, "name"), *base = body < 0 ? TACT_SCENE_WORLD : m->bodies[body].name;
    if (name || !base) return name;
    if (tact_name_table_add(&m->names, TACT_MJCF_GEOM, base, strlen(base), 0) < 0) return base;
    return tact_mjcf_make_name(m, TACT_MJCF_GEOM, base, "", body < 0 ? &m->unnamed : &m->bodies[body].geoms);
}

tact_draft_shape *tact_mjcf_add_shape(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, const tact_mjcf_pose *pose,
                                      tact_shape_type type) {
    tact_draft_shape *shape = tact_draft_add_shape(m->draft);
    if (!shape) return NULL;
    shape->type = type;
    shape->body = body < 0 ? NULL : m->bodies[body].name;
    shape->frame = tact_mjcf_frame(pose);
    shape->mark = tact_mjcf_mark(m, node);
    shape->name = name_shape(m, node, body);
    shape->contype = geom->contype;
    shape->conaffinity = geom->conaffinity;
    // A contact slides without friction where both geoms ask for the normal direction only.
    shape->mu = geom->condim == 1 ? 0 : (tact_real)geom->mu;
    shape->priority = geom->priority;
    m->nodes[node].shape = true;
    return shape;
}

static void add_shape(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, const tact_mjcf_pose *pose) {
    static const tact_shape_type types[] = {TACT_SHAPE_PLANE,     TACT_SHAPE_PLANE,    TACT_SHAPE_SPHERE, TACT_SHAPE_CAPSULE,
                                            TACT_SHAPE_ELLIPSOID, TACT_SHAPE_CYLINDER, TACT_SHAPE_BOX};
    tact_draft_shape *shape = tact_mjcf_add_shape(m, node, body, geom, pose, types[geom->type]);
    if (!shape) return;
    if (geom->type == TACT_MJCF_PLANE)
        shape->normal = tact_vec3_make(0, 0, 1);
    else
        for (int i = 0; i < 3; i++) shape->size[i] = (tact_real)geom->size[i];
    // what a round shape does not have
    if (geom->type == TACT_MJCF_SPHERE) shape->size[1] = 0;
    if (geom->type == TACT_MJCF_SPHERE || geom->type == TACT_MJCF_CAPSULE || geom->type == TACT_MJCF_CYLINDER) shape->size[2] = 0;
}

static void add_mesh(tact_mjcf *m, int node, int body, int index, const tact_mjcf_pose *pose) {
    const tact_mjcf_mesh *mesh = &m->meshes[index];
    const tact_mjcf_mesh_values *v = &mesh->values;
    tact_mjcf_pose file = tact_mjcf_mesh_frame(v, pose);
    tact_draft_mesh *drawn = tact_draft_add_mesh(m->draft);
    if (!drawn) return;
    drawn->file = mesh->path;
    drawn->from = m->file;
    drawn->body = m->bodies[body].name;
    drawn->frame = tact_mjcf_frame(&file);
    for (int i = 0; i < 3; i++) drawn->scale[i] = (tact_real)v->scale[i];
    drawn->mark = tact_mjcf_mark(m, node);
}

void tact_mjcf_draw_collisions(tact_mjcf *m, int body, const tact_mjcf_sums *sums) {
    if (sums->nmesh > 0 || body < 0) return;
    for (const tact_mjcf_drawn *mesh = sums->collision; mesh; mesh = mesh->before)
        add_mesh(m, mesh->node, body, mesh->mesh, &mesh->pose);
}

// in itself, or in a pair
static bool can_collide(tact_mjcf *m, int node, const tact_mjcf_geom *geom) {
    const char *name = tact_mjcf_text(m, node, "name");
    return geom->contype != 0 || geom->conaffinity != 0 || (name && tact_name_table_find(&m->names, TACT_MJCF_PAIRED, name) >= 0);
}

// A mesh is drawn; one that collides is fitted where the rules say so, and otherwise told.
static void read_mesh_geom(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, const tact_mjcf_pose *pose,
                           tact_mjcf_sums *sums) {
    int index = tact_mjcf_find_mesh(m, node, geom->mesh);
    bool collides = can_collide(m, node, geom);
    if (collides) tact_mjcf_fit_collision(m, node, body, geom, index, pose);
    bool sheared = tact_mjcf_is_sheared(&m->meshes[index].values);
    if (!m->meshes[index].path || body < 0 || sheared) {
        const char *kind = sheared ? "geom (drawn mesh turned before an unequal scale)" : "geom (drawn mesh without a file)";
        if (!collides) tact_mjcf_leave(m, body < 0 ? "geom (drawn mesh of the world)" : kind);
        return;
    }
    if (!collides) {
        add_mesh(m, node, body, index, pose);
        sums->nmesh++;
        return;
    }
    // a colliding mesh is drawn only where no other mesh of the body is
    tact_mjcf_drawn *drawn = tact_draft_take(m->draft, sizeof *drawn);
    if (!drawn) return;
    *drawn = (tact_mjcf_drawn){.node = node, .mesh = index, .pose = *pose, .before = sums->collision};
    sums->collision = drawn;
}

void tact_mjcf_read_geom(tact_mjcf *m, int node, int body, const tact_mjcf_pose *frame, const tact_mjcf_class *fallback,
                         tact_mjcf_sums *sums) {
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", fallback);
    int before = m->draft->errors->errors;
    if (!class) return;
    tact_mjcf_geom geom = class->geom;
    tact_mjcf_apply_geom(m, node, &geom);
    // read also of geoms that are not kept
    tact_mjcf_text(m, node, "name");
    if (m->draft->errors->errors > before || (geom.from_to && !tact_mjcf_place_between(m, node, &geom))) return;
    bool solid = geom.type >= TACT_MJCF_SPHERE && geom.type <= TACT_MJCF_BOX;
    if (solid && geom.mesh && !tact_mjcf_fit_geom(m, node, &geom)) return;
    if (!check_size(m, node, &geom) || (geom.type == TACT_MJCF_MESH_GEOM && tact_mjcf_find_mesh(m, node, geom.mesh) < 0)) return;
    tact_mjcf_pose pose = tact_mjcf_compose(frame, &geom.pose);
    bool collides = can_collide(m, node, &geom);
    m->draft->left.solids += collides;
    if (geom.type == TACT_MJCF_MESH_GEOM)
        read_mesh_geom(m, node, body, &geom, &pose, sums);
    else if (geom.type == TACT_MJCF_HFIELD || geom.type == TACT_MJCF_SDF)
        tact_mjcf_leave(m, geom.type == TACT_MJCF_SDF ? "geom (sdf)" : "geom (hfield)");
    else if (collides)
        add_shape(m, node, body, &geom, &pose);
    else
        tact_mjcf_leave(m, "geom (drawn only)");
    // one whose mesh is missing is refused once
    if (m->draft->errors->errors == before && body >= 0 && m->bodies[body].from_geoms) weigh_geom(m, node, &geom, &pose, sums);
}
