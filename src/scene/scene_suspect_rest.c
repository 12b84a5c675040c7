// SPDX-License-Identifier: MIT
// Objects that will not rest where they were meant to: they fall past a plane below them, slide along the plane that should bear
// them, or float far above what bears them.
#include "scene/suspect.h"

#define UPRIGHT 0.5  // cosine between the normal of a plane that bears and the vertical
#define FIERCE 10    // times a body's weight, the force at the margin that throws it back
#define TENTH 0.1    // of the size of a body, its resting gap as it should be at most
enum { DIGITS = 3, PASSES = 20 };

// An object on which nothing but contacts acts.
static bool is_loose(const tact_scene_build *build, int i) {
    const tact_draft_body *body = &build->draft.bodies[i];
    bool object = body->type == TACT_JOINT_FREE || body->type == TACT_JOINT_TRANSLATION;
    return object && build->links[i].parent == TACT_WORLD && build->links[i].leader == i && !build->links[i].driven;
}

// What is known of each body of the draft with all that it carries.
typedef struct {
    double mass;    // [kg]
    double radius;  // of the ball around its origin that holds its shapes [m]
    bool touches;   // something
    bool borne;     // it touches what is fixed or what may be borne in turn: another object
} carried;

// What a shape of the other side of a pair means for a body.
static void add_pair(const tact_scene_build *build, carried *of, int body, int other) {
    if (body == TACT_WORLD) return;
    of[body].touches = true;
    of[body].borne = of[body].borne || other == TACT_WORLD || !build->links[build->links[other].leader].driven;
}

// NULL without memory.
static carried *list_carried(tact_scene_build *build) {
    int nbody = build->draft.nbody;
    carried *of = tact_draft_take(&build->draft, (size_t)nbody * sizeof of[0]);
    if (!of) return NULL;
    for (int i = 0; i < nbody; i++) of[i] = (carried){.mass = (double)build->draft.bodies[i].mass};
    for (int i = 0; i < build->draft.nshape; i++) {
        int body = build->shape_body[i];
        if (body == TACT_WORLD) continue;
        // spheres may stand at the corners of what they are the contacts of
        double away = tact_scene_norm(build->draft.shapes[i].frame.xyz);
        of[body].radius = fmax(of[body].radius, away + tact_scene_shape_size(&build->draft.shapes[i]));
    }
    for (int k = 0; k < build->npair; k++) {
        int a = build->shape_body[build->pairs[k].a], b = build->shape_body[build->pairs[k].b];
        add_pair(build, of, a, b);
        add_pair(build, of, b, a);
    }
    // from the leaves to the roots
    for (int k = nbody - 1; k >= 0; k--) {
        int i = build->order[k], up = build->links[i].parent;
        if (up == TACT_WORLD) continue;
        of[up].mass += of[i].mass;
        of[up].radius = fmax(of[up].radius, of[i].radius);
        of[up].touches = of[up].touches || of[i].touches;
        of[up].borne = of[up].borne || of[i].borne;
    }
    return of;
}

// Whether a shape is a plane of the world's own: its normal, and how high above it a body starts.
static bool find_surface(const tact_scene_build *build, int i, int body, tact_vec3 *normal, double *height) {
    const tact_draft_shape *shape = &build->draft.shapes[i];
    const tact_real *q = &build->q0[build->links[body].q];
    if (shape->type != TACT_SHAPE_PLANE || build->shape_body[i] != TACT_WORLD || shape->robot >= 0) return false;
    tact_pose surface = tact_pose_multiply(tact_scene_pose(&shape->frame), tact_scene_surface(shape)),
              joint = tact_scene_pose(&build->draft.bodies[body].frame);
    *normal = tact_mat3_column(surface.R, 2);
    tact_vec3 start = tact_pose_apply(joint, tact_vec3_make(q[0], q[1], q[2]));
    *height = (double)tact_vec3_dot(*normal, tact_vec3_sub(start, surface.p));
    return true;
}

// Whether a shape is a box of the world's own that is not below a body: the ray from its start along gravity misses it.
static bool lies_beside(const tact_scene_build *build, int i, int body) {
    const tact_draft_shape *shape = &build->draft.shapes[i];
    const tact_real *q = &build->q0[build->links[body].q];
    if (shape->type != TACT_SHAPE_BOX || build->shape_body[i] != TACT_WORLD || shape->robot >= 0) return false;
    const tact_pose joint = tact_scene_pose(&build->draft.bodies[body].frame), box = tact_scene_pose(&shape->frame);
    tact_vec3 start = tact_pose_apply(joint, tact_vec3_make(q[0], q[1], q[2]));
    start = tact_mat3_apply_transposed(box.R, tact_vec3_sub(start, box.p));
    const tact_vec3 way = tact_mat3_apply_transposed(box.R, build->options.gravity);
    const double x[3] = {(double)start.x, (double)start.y, (double)start.z}, g[3] = {(double)way.x, (double)way.y, (double)way.z};
    double in = 0, out = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const double half = (double)shape->size[k], at = g[k] < 0 ? -x[k] : x[k], pace = fmax(fabs(g[k]), 1e-9);
        in = fmax(in, (-half - at) / pace), out = fmin(out, (half - at) / pace);
    }
    return in > out;
}

// A plane of the world with the body's start above it, which would bear it; -1: none.
static int find_plane(const tact_scene_build *build, int body) {
    const tact_vec3 g = build->options.gravity;
    tact_vec3 normal;
    double weight = sqrt((double)tact_vec3_dot(g, g)), height = 0;
    for (int i = 0; i < build->draft.nshape; i++)
        if (find_surface(build, i, body, &normal, &height) && height > 0 && -(double)tact_vec3_dot(normal, g) > UPRIGHT * weight)
            return i;
    return -1;
}

// The first object that moves in all directions and that no pair holds. A single shape has nothing to touch, and what a step
// finds may touch everything.
static void suspect_untouched(const tact_scene_build *build, const carried *of) {
    for (int i = 0; i < build->draft.nbody && build->draft.nshape > 1 && !build->search.finder; i++) {
        if (!tact_scene_is_object(build, i) || of[i].touches) continue;
        tact_draft_doubt(
            &build->draft, &build->draft.bodies[i].mark, NULL,
            "moves freely, and none of its shapes is in a pair: nothing can touch it (see: pairs in tact help scene)");
        return;
    }
}

// The first object that is in pairs, but in none with a plane below it or anything that is fixed.
static void suspect_falls(const tact_scene_build *build, const carried *of) {
    const tact_json *json = build->json;
    int pairs = tact_json_find(json, 0, "pairs");
    // what is found in every step, or left out by name, was meant
    if (pairs < 0 || tact_json_type(json, pairs) != TACT_JSON_ARRAY || build->search.finder) return;
    for (int i = 0; i < build->draft.nbody; i++) {
        int plane = is_loose(build, i) && of[i].touches && !of[i].borne ? find_plane(build, i) : -1;
        if (plane < 0) continue;
        tact_draft_doubt(&build->draft, &build->draft.bodies[i].mark, NULL,
                         "is in no pair with %.300s below it, and would fall through (see: pairs in tact help scene)",
                         tact_quote(build->draft.shapes[plane].name ? build->draft.shapes[plane].name : "").text);
        return;
    }
}

// Weight that draws the first object along the planes that it touches, or off them, where nothing else of the world can bear
// it. What the planes of a groove leave of the weight together counts. Beside upright walls hands may hold it; a weight that is
// not along -z was written for the plane.
static void suspect_slope(const tact_scene_build *build) {
    const tact_vec3 g = build->options.gravity;
    tact_draft_mark mark = {.json = build->json, .node = tact_json_find(build->json, 0, "gravity")};
    const double weight = sqrt((double)tact_vec3_dot(g, g));
    const bool upright = g.x == 0 && g.y == 0, down = upright && g.z < 0;
    // that upwards is told already
    for (int i = 0; i < build->draft.nbody && (down || !upright) && mark.node >= 0 && !build->search.finder; i++) {
        int steep = -1;
        bool borne = !is_loose(build, i);
        tact_vec3 normal = {0, 0, 0}, rest = g;
        for (int k = 0; k < PASSES * build->npair && !borne; k++) {
            const tact_pair *pair = &build->pairs[k % build->npair];
            const int a = pair->a, b = pair->b;
            if ((build->shape_body[a] == i) == (build->shape_body[b] == i)) continue;
            int other = build->shape_body[a] == i ? b : a;
            tact_vec3 n;
            double height = 0;
            bool plane = find_surface(build, other, i, &n, &height);
            const bool beside = !down && lies_beside(build, other, i);
            borne = !plane && !beside && (down || build->shape_body[other] == TACT_WORLD);
            if (beside) steep = other, normal = tact_vec3_make(0, 0, 0);
            if (plane) rest = tact_vec3_sub(rest, tact_vec3_scale((tact_real)fmin((double)tact_vec3_dot(n, rest), 0), n));
            // what starts below a plane overlaps it, which is told as such
            if (plane && (!down || height > 0)) steep = other, normal = n;
        }
        if (borne || steep < 0 || (double)tact_vec3_dot(rest, g) < (1 - UPRIGHT * UPRIGHT) * weight * weight) continue;
        const bool plane = tact_vec3_dot(normal, normal) > 0;
        tact_draft_doubt(
            &build->draft, &mark, NULL,
            plane ? "draws %.150s %s %.150s, whose normal is %s, %s, %s: a plane bears what is drawn against its normal"
                  : "draws %.150s %s %.150s, which is not below it: z is up, and the earth's gravity is 0, 0, -9.81",
            tact_quote(build->draft.bodies[i].name).text, (double)tact_vec3_dot(normal, g) > weight * UPRIGHT ? "off" : "along",
            tact_quote(build->draft.shapes[steep].name ? build->draft.shapes[steep].name : "").text,
            tact_rounded((double)normal.x, DIGITS).text, tact_rounded((double)normal.y, DIGITS).text,
            tact_rounded((double)normal.z, DIGITS).text);
        return;
    }
}

// A margin far below the gap at which a body rests: where its contact enters the step it bears many times the weight, and the
// body goes to and fro. True: it was reported.
static bool suspect_margin(const tact_scene_build *build, int body, double gap) {
    const double margin = (double)build->options.margin;
    int node = tact_json_find(build->json, tact_json_find(build->json, 0, "options"), "margin");
    if (node < 0 || margin < 0 || !(FIERCE * margin < gap)) return false;
    tact_draft_doubt(
        &build->draft, TACT_SCENE_NODE(build, node), NULL,
        "%.300s rests at a gap of %s m, and pairs enter the step only below %s m: a margin of ten such gaps, or none given",
        tact_quote(build->draft.bodies[body].name).text, tact_rounded(gap, DIGITS).text, tact_number_print(margin).text);
    return true;
}

bool tact_scene_suspect_rest(tact_scene_build *build) {
    TACT_ASSERT(build->order && build->law);
    const carried *of = list_carried(build);
    if (!of) return false;
    suspect_untouched(build, of);
    suspect_falls(build, of);
    suspect_slope(build);
    // Under the barrier law a weight F rests at the gap 2/(kappa F).
    const tact_vec3 g = build->options.gravity;
    double weight = sqrt((double)tact_vec3_dot(g, g)), kappa = (double)build->options.kappa;
    int options = tact_json_find(build->json, 0, "options"), node = tact_json_find(build->json, options, "kappa");
    tact_draft_mark mark = {.json = build->json, .node = node >= 0 ? node : 0};
    for (int i = 0; i < build->draft.nbody && !build->law->velocities && weight > 0; i++) {
        double load = kappa * of[i].mass * weight, size = 2 * of[i].radius, gap = load > 0 ? 2 / load : 0;
        // where pairs are found in each step all bodies are in them
        if (!is_loose(build, i) || !(of[i].touches || build->search.finder)) continue;
        if (suspect_margin(build, i, gap)) break;
        if (!(2 * gap > size)) continue;
        tact_draft_doubt(
            &build->draft, &mark, NULL,
            "with kappa %s %.300s rests %s m above what bears it, more than half its size of %s m: options.kappa=%s makes "
            "that a tenth",
            tact_key_print(build->options.kappa).text, tact_quote(build->draft.bodies[i].name).text,
            tact_rounded(gap, DIGITS).text, tact_rounded(size, DIGITS).text,
            tact_number_print(fmin(tact_key_round(kappa * gap / (TENTH * size), DIGITS), 1e8)).text);
        break;
    }
    return true;
}
