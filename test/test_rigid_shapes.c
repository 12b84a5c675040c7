// SPDX-License-Identifier: MIT
// Derivatives of rigid steps of boxes, hulls, capsules and cylinders on beams: flat, on an edge that lies flush on a face and
// juts out over its rim, on a corner, in every mode, against central differences over two distances. Where these disagree there
// is a kink nearby, which is counted and not judged.
#include "rigid_world.h"
#include "scene_text.h"
#include "tact/deriv.h"
#include "law/rigid.h"

enum { ROWS = 2000, KINDS = 5 };
static const char *const kind_name[KINDS] = {"box", "rounded box", "hull", "capsule", "cylinder"};

static struct {
    int steps, kinks, unanswered, redundant, columns, rough, wrong, force_columns, others, off;
    double worst, worst_force, worst_other;
} tally;

static tact_state start, end, moved;
static tact_work other;
static tact_input input;
static const tact_model *model;
static int nc, pair[400];

static int pick(uint64_t *seed, int n) {
    int k = (int)test_random(seed, 0, n);
    return k < n ? k : n - 1;
}

// What a step from a disturbed start comes to: q+ (-) q+ of the undisturbed one, v+ and the forces; which: q, then v, then mu of
// a pair, then the mass of the body.
static bool disturbed(int which, double by, double *out) {
    static tact_real d[100];
    tact_real *mass = (tact_real *)&model->body[model->nbody - 1].mass, mass_kept = *mass, mu_kept = model->pair[0].mu;
    tact_state_copy(&moved, &start, model);
    for (int i = 0; i < model->nv; i++) d[i] = 0;
    if (which < model->nv) {
        d[which] = (tact_real)by;
        tact_kinematics_update(&other.kinematics, model, start.q);
        tact_model_integrate(model, &other.kinematics, d, moved.q);
    } else if (which < 2 * model->nv) {
        moved.v[which - model->nv] += (tact_real)by;
    } else if (which == 2 * model->nv) {
        for (int i = 0; i < model->npair; i++) ((tact_pair *)model->pair)[i].mu += (tact_real)by;
    } else {
        *mass += (tact_real)by;
    }
    tact_status status = tact_step(model, &world.scene->options, &input, &moved, &other);
    *mass = mass_kept;
    for (int i = 0; i < model->npair; i++) ((tact_pair *)model->pair)[i].mu = mu_kept;
    // where redundant contacts slide a step ends at a residual of up to 1e-8, which differences would take for slopes
    if (status != TACT_CONVERGED || (double)other.decrement > 1e-11) return false;
    tact_kinematics_update(&other.kinematics, model, end.q);
    tact_model_difference(model, &other.kinematics, end.q, moved.q, d);
    for (int i = 0; i < model->nv; i++) {
        out[i] = (double)d[i];
        out[model->nv + i] = (double)moved.v[i];
    }
    for (int c = 0; c < nc; c++)
        for (int k = 0; k < 3; k++) out[2 * model->nv + 3 * c + k] = (double)moved.lambda[3 * pair[c] + k];
    return true;
}

// Judges rows from .. to of a column. Returns whether it is wrong.
static bool judge(double at[5][ROWS], const tact_real *exact, int from, int to, double h, double least, double allowed,
                  double *worst, int *judged) {
    double most = least, off = 0, apart = 0;
    for (int row = from; row < to; row++) {
        double far = (at[0][row] - at[1][row]) / (2 * h), near = (at[2][row] - at[3][row]) / h, slope = (4 * near - far) / 3;
        most = fmax(most, fabs(slope));
        off = fmax(off, fabs((double)exact[row] - slope));
        double bend = (at[0][row] + at[1][row] - 2 * at[4][row]) / h;
        apart = fmax(apart, fmax(fabs(near - far), fabs(bend)));
    }
    if (apart > 1e-4 * most) {
        tally.rough++;
        return false;
    }
    ++*judged;
    *worst = fmax(*worst, off / most);
    return off > allowed * most;
}

static bool check_step(tact_rigid_deriv *deriv) {
    static double at[5][ROWS];
    static tact_real column[ROWS], unit[100];
    const int nv = model->nv, all = 2 * nv + 2;
    bool bad = false, unique = !deriv->redundant;
    tally.redundant += deriv->redundant;
    for (int which = 0; which < all; which++) {
        double h = 1e-5;
        bool answered = true;
        for (int k = 0; k < 5; k++)
            answered = answered && disturbed(which, k == 4 ? 0 : (k < 2 ? h : h / 2) * (k % 2 ? -1 : 1), at[k]);
        if (!answered) {
            tally.unanswered++;
            continue;
        }
        // by mu of all slots at once: those of contacts that repeat others are without effect
        bool there = true;
        for (int i = 0; i < nv; i++) unit[i] = i == which % nv;
        for (int i = 0; i < 2 * nv + 3 * nc; i++) column[i] = 0;
        for (int p = 0; p < (which == 2 * nv ? model->npair : 1); p++) {
            static tact_real part[ROWS];
            tact_parameter parameter = {which == 2 * nv ? TACT_PARAMETER_MU : TACT_PARAMETER_MASS,
                                        which == 2 * nv ? p : model->nbody - 1, 0};
            tact_step_change change = {.q = which < nv ? unit : NULL,
                                       .v = which >= nv && which < 2 * nv ? unit : NULL,
                                       .parameter = which >= 2 * nv ? &parameter : NULL};
            there =
                there && tact_rigid_push(deriv, &change, &(tact_step_effect){part, part + nv, part + 2 * nv}) == TACT_CONVERGED;
            for (int i = 0; i < 2 * nv + 3 * nc; i++) column[i] += part[i];
        }
        if (!there) {
            tally.unanswered++;
            continue;
        }
        // Where redundant contacts slide, friction goes by how they share the load, and so does the motion: there differences are
        // those of one choice of many, and the slope may be of another one.
        if (!unique) {
            tally.off += judge(at, column, 0, 2 * nv, h, 1e-3, 1e-4, &tally.worst_other, &tally.others);
            continue;
        }
        if (judge(at, column, 0, 2 * nv, h, 1e-3, 1e-4, &tally.worst, &tally.columns)) {
            bad = true;
            tally.wrong++;
            printf("    column %d is wrong\n", which);
        }
        if (judge(at, column, 2 * nv, 2 * nv + 3 * nc, h, 1, 1e-3, &tally.worst_force, &tally.force_columns)) {
            bad = true;
            tally.wrong++;
            printf("    forces of column %d are wrong\n", which);
        }
    }
    return bad;
}

static void run(const char *made_of, int steps) {
    if (!world_text(made_of)) {
        printf("%s\n", made_of);
        return;
    }
    model = &world.scene->model;
    size_t size = tact_state_size(model);
    void *memory[5] = {malloc(size + 1), malloc(size + 1), malloc(tact_rigid_deriv_size(model) + 1), malloc(size + 1),
                       malloc(tact_work_size(model) + 1)};
    tact_rigid_deriv deriv;
    tact_state_init(&start, model, memory[0], size);
    tact_state_init(&end, model, memory[1], size);
    tact_state_init(&moved, model, memory[3], size);
    tact_work_init(&other, model, memory[4], tact_work_size(model));
    CHECK_INT(tact_rigid_deriv_init(&deriv, model, memory[2], tact_rigid_deriv_size(model)), TACT_CONVERGED);
    bool good = true;
    for (int k = 0; k < steps && good; k++) good = tact_world_step(&world) >= 0;
    tact_state_copy(&start, &world.state, model);
    input = (tact_input){.u = world.u};
    tact_status status = good ? tact_step(model, &world.scene->options, &input, &world.state, &world.work) : TACT_INFEASIBLE;
    if (status == TACT_CONVERGED) {
        tact_state_copy(&end, &world.state, model);
        nc = world.work.contacts.count;
        for (int c = 0; c < nc; c++) pair[c] = world.work.contacts.contact[c].pair;
        tact_rigid_record made = {model, &world.scene->options, &input, &start, &end, &world.work};
        status = tact_rigid_linearise(&deriv, &made);
        tally.steps++;
        if (status != TACT_CONVERGED || deriv.kink)
            tally.kinks++;
        else {
            bool bad = check_step(&deriv);
            if (bad) printf("%d %s\n", steps, made_of);
        }
    } else
        tally.unanswered++;
    for (int k = 0; k < 5; k++) free(memory[k]);
    world_end();
}

static void put_kind(int kind, const double half[3], double round) {
    switch (kind) {
    case 0:
    case 1:
        put("\"type\":\"box\",\"size\":[%.17g,%.17g,%.17g],\"round\":%.17g", 2 * half[0], 2 * half[1], 2 * half[2],
            kind == 1 ? round : 0.0);
        break;
    case 2:
        put("\"type\":\"hull\",\"points\":[");
        for (int k = 0; k < 8; k++)
            put("%s[%.17g,%.17g,%.17g]", k ? "," : "", (k & 1 ? 1 : -1) * half[0], (k & 2 ? 1 : -1) * half[1],
                (k & 4 ? 1 : -1) * half[2]);
        put("]");
        break;
    case 3:
        put("\"type\":\"capsule\",\"radius\":%.17g,\"length\":%.17g,\"rpy\":[0,1.5707963267948966,0]", half[2], 2 * half[0]);
        break;
    default:
        put("\"type\":\"cylinder\",\"radius\":%.17g,\"length\":%.17g,\"rpy\":[0,1.5707963267948966,0]", half[2], 2 * half[0]);
    }
}

static void multiply(const double a[4], const double b[4], double c[4]) {
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// A body of a kind on a fixed one: flat (0), on an edge (1), any way (2).
static const char *make_scene(uint64_t *seed, int under, int on, int way, int mode) {
    double beam[3] = {0.15, test_random(seed, 0.02, 0.05), 0.02}, half[3], v[6];
    for (int i = 0; i < 3; i++) half[i] = test_random(seed, 0.015, 0.07);
    double roll = way == 0   ? 0
                  : way == 1 ? test_random(seed, 0.1, 1.4)
                             : test_random(seed, -1.5, 1.5),
           pitch = way == 2 ? test_random(seed, -1, 1) : 0;
    double yaw = pick(seed, 4) == 0 ? 0 : test_random(seed, -3, 3), q[4], p[4];
    const double a[4] = {cos(yaw / 2), 0, 0, sin(yaw / 2)}, b[4] = {cos(pitch / 2), 0, sin(pitch / 2), 0},
                 c[4] = {cos(roll / 2), sin(roll / 2), 0, 0};
    multiply(a, b, p);
    multiply(p, c, q);
    // z of the third row of R = Ry Rx
    double row[3] = {-sin(pitch), cos(pitch) * sin(roll), cos(pitch) * cos(roll)};
    double high = on >= 3 ? half[2] : fabs(row[0]) * half[0] + fabs(row[1]) * half[1] + fabs(row[2]) * half[2];
    if (on >= 3) high += fabs(row[0]) * half[0];
    bool gap = pick(seed, 3) == 0;
    for (int i = 0; i < 6; i++) v[i] = i < 3 ? test_random(seed, -2, 2) : test_random(seed, -0.3, 0.3);
    if (pick(seed, 2))
        for (int i = 0; i < 6; i++) v[i] = 0;
    used = 0;
    put("{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":%.3g,\"level\":\"%s\",\"cone\":\"%s\",\"warm_start\":%s},"
        "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
        "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
        "\"shapes\":[{\"name\":\"low\",\"body\":\"world\",\"xyz\":[0,0,%.17g],",
        pick(seed, 2) ? 0.005 : 0.002, mode & 1 ? "velocity" : "position", mode & 2 ? "polyhedral" : "exact",
        mode & 4 ? "false" : "true", under == 3 || under == 4 ? -beam[2] : -beam[2]);
    put_kind(under, beam, 0.004);
    put("},{\"name\":\"high\",\"body\":\"b\",");
    put_kind(on, half, 0.004);
    put("}],\"pairs\":[{\"a\":\"%s\",\"b\":\"%s\",\"mu\":%.3f%s}],", mode & 8 ? "high" : "low", mode & 8 ? "low" : "high",
        test_random(seed, 0.05, 1), pick(seed, 3) ? "" : ",\"restitution\":0.3");
    put("\"state\":{\"q\":{\"b\":[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]},\"v\":{\"b\":[%.3f,%.3f,%.3f,%.3f,%.3f,%.3f]}}}",
        test_random(seed, -0.05, 0.05), test_random(seed, -0.04, 0.04), high + (gap ? test_random(seed, 0, 1e-3) : 0), q[0], q[1],
        q[2], q[3], v[0], v[1], v[2], v[3], v[4], v[5]);
    return text;
}

int main(void) {
    if (sizeof(tact_real) != sizeof(double)) return test_end("rigid_shapes (derivatives against differences: of double only)");
    uint64_t seed = test_seed(51);
    const int rounds = test_rounds(40);
    int all_others = 0, all_off = 0;
    for (int under = 0; under < KINDS; under++)
        for (int on = 0; on < KINDS; on++) {
            memset(&tally, 0, sizeof tally);
            for (int k = 0; k < rounds; k++) {
                const char *made_of = make_scene(&seed, under, on, k % 3, pick(&seed, 16));
                run(made_of, pick(&seed, 12));
            }
            printf("%s on %s: %d steps, %d with a kink, %d redundant; %d columns, worst %.2g, forces %d, worst %.2g, wrong %d; "
                   "of redundant steps %d, worst %.2g, off %d; rough %d, unanswered %d\n",
                   kind_name[on], kind_name[under], tally.steps, tally.kinks, tally.redundant, tally.columns, tally.worst,
                   tally.force_columns, tally.worst_force, tally.wrong, tally.others, tally.worst_other, tally.off, tally.rough,
                   tally.unanswered);
            CHECK_INT(tally.wrong, 0);
            all_others += tally.others;
            all_off += tally.off;
        }
    printf("of redundant steps %d columns, %d off\n", all_others, all_off);
    CHECK(all_off <= 2 + all_others / 50);
    return test_end("rigid_shapes");
}
