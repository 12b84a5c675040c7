// SPDX-License-Identifier: MIT
// Masses and inertias in other units: of a body far denser than metal or lighter than air, far too heavy for a small scene, or
// with a radius of gyration far from its size. And forces of drives that go with no such mass.
#include "scene/suspect.h"
#include "tact/mesh.h"

#define HEAVY 100.0    // [kg] of a body in a scene
#define HEAVIER 50.0   // times as heavy as all that is not
#define SMALL 1.0      // [m] that is smaller than this
#define LIGHT 10.0     // [kg] of a body
#define BIG 10.0       // [m] with a shape of this radius
#define DENSE 30000.0  // [kg/m^3] above all metals
#define THIN 1.0       // [kg/m^3] below air
#define ROOM 1.0       // [m^3]: larger bodies are not of this world's masses anyway
#define COMPACT 100.0  // a radius of gyration so many times below the size
#define STAND_IN 25.0  // a radius of gyration so many times beyond all lengths, of a robot's link: another unit
#define CRANE 1e4      // [N, N m] of a drive
#define MOVED 20.0     // [kg] of a robot that none of its drives has such a force for
enum { DIGITS = 4 };

typedef struct {
    double radius;    // of its largest shape, 0 without one
    double volume;    // of its shapes together, NAN when one of them has none that is known
    double reach;     // of the ball around its origin that holds them: spheres at the corners of a box are not all of it
    double gyration;  // radius of it, k^2 = trace / (2 m)
} measure;

bool tact_scene_is_object(const tact_scene_build *build, int i) {
    const tact_draft_body *body = &build->draft.bodies[i];
    bool free = body->type == TACT_JOINT_FREE || body->type == TACT_JOINT_TRANSLATION || body->type == TACT_JOINT_PLANAR;
    return free && body->robot < 0 && !build->links[i].driven && build->links[i].leader == i;
}

// The mass of an object over the volume of its shapes [kg/m^3]; 0: not known.
static double find_density(const tact_scene_build *build, const measure *of, int i) {
    return tact_scene_is_object(build, i) && of[i].volume > 0 ? (double)build->draft.bodies[i].mass / of[i].volume : 0;
}

// An inertia that goes with mass and size was meant.
static bool fills(const tact_scene_build *build, const measure *of, int i) {
    return build->draft.bodies[i].inertial && of[i].gyration * 10 > of[i].radius;
}

// A mass that no material of that volume has.
static bool suspect_density(const tact_scene_build *build, const measure *of) {
    bool usual = false;
    for (int i = 0; i < build->draft.nbody; i++) {
        double density = find_density(build, of, i);
        usual = usual || (density >= THIN && density <= DENSE);
    }
    for (int i = 0; i < build->draft.nbody && !build->planar; i++) {
        const tact_draft_body *body = &build->draft.bodies[i];
        double density = find_density(build, of, i);
        bool dense = density > DENSE && (double)body->mass > DENSE * 8 * pow(of[i].reach, 3),
             thin = density < THIN && density > 0 && of[i].volume < ROOM;
        // one among objects of usual masses that has the inertia of its own is far heavier, or lighter, by intention
        if ((!dense && !thin) || (usual && fills(build, of, i))) continue;
        tact_draft_doubt(&build->draft, &body->mark, "mass", "%s kg in %s m^3, %s: the unit is the kilogram (a gram is 0.001)",
                         tact_key_print(body->mass).text, tact_rounded(of[i].volume, DIGITS).text,
                         dense ? "denser than any metal" : "lighter than air");
        return true;
    }
    return false;
}

// A mass beyond all others of a small scene, of whatever shape.
static bool suspect_mass(const tact_scene_build *build, const measure *of, double extent) {
    double rest = 0;
    for (int i = 0; i < build->draft.nbody; i++)
        if ((double)build->draft.bodies[i].mass <= HEAVY) rest = fmax(rest, (double)build->draft.bodies[i].mass);
    for (int i = 0; i < build->draft.nbody; i++) {
        const tact_draft_body *body = &build->draft.bodies[i];
        double mass = (double)body->mass;
        bool heavy = mass > fmax(HEAVY, HEAVIER * rest) && !fills(build, of, i) && extent > 0 && extent < SMALL;
        bool light = mass > 0 && mass < LIGHT && of[i].radius > BIG;
        if (!heavy && !light) continue;
        tact_draft_doubt(&build->draft, &body->mark, "mass",
                         heavy ? "%s kg, where no length reaches %s m: the unit is the kilogram"
                               : "%s kg, with a shape of %s m: the units are kilogram and metre",
                         tact_key_print(body->mass).text,
                         tact_number_print(heavy ? SMALL : tact_key_round(of[i].radius, DIGITS)).text);
        return true;
    }
    return false;
}

// The first drive that is stronger than a light robot needs.
static void suspect_forces(const tact_scene_build *build) {
    double mass = 0;
    for (int i = 0; i < build->draft.nbody; i++)
        if (!tact_scene_is_object(build, i)) mass += (double)build->draft.bodies[i].mass;
    for (int i = 0; i < build->draft.nbody && mass > 0 && mass < MOVED; i++) {
        const int led = build->links[i].led - 1;
        if (led < 0 || !((double)build->springs[led].force_limit > CRANE)) continue;
        const bool slides = build->draft.bodies[i].type == TACT_JOINT_PRISMATIC;
        tact_draft_doubt(&build->draft, &build->spring_mark[led], "force_limit", "%s %s, of a robot of %s kg: forces are in %s",
                         tact_key_print(build->springs[led].force_limit).text, slides ? "N" : "N m",
                         tact_rounded(mass, DIGITS).text, slides ? "newtons" : "newton metres");
        return;
    }
}

bool tact_scene_suspect_masses(tact_scene_build *build, double extent) {
    TACT_ASSERT(build->q0 && build->shape_body);
    // Radius of gyration, radius, volume and room of each body of the draft.
    const tact_draft *draft = &build->draft;
    measure *of = tact_draft_take(&build->draft, (size_t)draft->nbody * sizeof of[0]);
    for (int i = 0; of && i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        double trace = (double)body->inertia[0] + (double)body->inertia[1] + (double)body->inertia[2];
        of[i] = (measure){.gyration = body->mass > 0 ? sqrt(trace / (2 * (double)body->mass)) : 0};
    }
    for (int i = 0; of && i < draft->nshape; i++) {
        int body = build->shape_body[i];
        if (body == TACT_WORLD || (build->slot_of && build->slot_of[i] >= 0)) continue;
        of[body].radius = fmax(of[body].radius, tact_scene_shape_size(&draft->shapes[i]));
        double volume = (double)NAN, moment[3];
        tact_shape_volume(draft->shapes[i].type, draft->shapes[i].size, &volume, moment);
        of[body].volume += volume;
        double away = tact_scene_norm(draft->shapes[i].frame.xyz);
        of[body].reach = fmax(of[body].reach, away + tact_scene_shape_size(&draft->shapes[i]));
    }
    if (!of) return false;
    suspect_forces(build);
    // where the mass is wrong the inertia does not go with it
    if (!suspect_density(build, of) && !suspect_mass(build, of, extent)) {
        // Radii of gyration larger than anything else, or far smaller than the body's shapes.
        for (int i = 0; i < build->draft.nbody && extent > 0 && !build->planar; i++) {
            const tact_draft_body *body = &build->draft.bodies[i];
            double radius = of[i].gyration;
            // robots' files often have placeholders: only other units are told of them
            bool large = radius > (body->robot >= 0 ? STAND_IN : 1) * extent,
                 small = tact_scene_is_object(build, i) && radius > 0 && radius * COMPACT < of[i].radius;
            if (!body->inertial || (!large && !small)) continue;
            tact_draft_doubt(&build->draft, &body->mark, "inertia",
                             "with its mass a radius of gyration of %s m, %s (%s m): the unit is kg m^2",
                             tact_rounded(radius, DIGITS).text,
                             large ? "beyond all lengths of the scene" : "far within its shapes",
                             tact_rounded(large ? extent : of[i].radius, DIGITS).text);
            break;
        }
    }
    return true;
}
