// SPDX-License-Identifier: MIT
// What each scene of data/scenes shows: golden numbers, closed forms of the barrier law, and that what is held stays.
#include "tact/scene.h"
#include "test.h"

#ifdef TACT_FLOAT
enum { DOUBLE = 0 };
#else
enum { DOUBLE = 1 };
#endif

// in single precision the second figure holds
static double within(double in_double, double in_float) {
    return DOUBLE ? in_double : in_float;
}

// A scene while it runs, and what was seen on the way.
typedef struct {
    const char *name;
    tact_world world;
    void *memory[4];
    long steps, iterations;
    int most;      // iterations of one step
    int lost;      // steps that did not converge
    double push;   // largest normal force
    double share;  // largest |friction| / (mu normal force)
} play;

// Opens data/scenes/NAME.json with up to four settings, ended by NULL. Scenes come without warnings and without overlaps.
static bool play_open(play *p, const char *name, const char *const *set) {
    char path[100];
    tact_errors errors = {0};
    tact_scene_settings settings = {.set = set};
    while (set && set[settings.nset]) settings.nset++;
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    *p = (play){.name = name};
    tact_world *w = &p->world;
    w->scene = tact_scene_read(path, &settings, &errors);
    CHECK_INT(errors.kept, 0);
    if (errors.kept > 0) printf("    %s\n", errors.items[0].text);
    if (!w->scene) return false;
    const tact_model *model = &w->scene->model;
    size_t size[4] = {tact_state_size(model), tact_work_size(model), (size_t)model->nu * sizeof(tact_real),
                      (size_t)model->nbody * sizeof(tact_wrench)};
    for (int i = 0; i < 4; i++) p->memory[i] = malloc(size[i] + 1);
    CHECK_INT(tact_state_init(&w->state, model, p->memory[0], size[0]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&w->work, model, p->memory[1], size[1]), TACT_CONVERGED);
    w->u = p->memory[2];
    w->wrench = p->memory[3];
    tact_kinematics_update(&w->work.kinematics, model, w->state.q);
    tact_contacts_detect(&w->work.contacts, model, &w->work.kinematics, 0, NULL);
    CHECK_INT(w->work.contacts.count, 0);
    return true;
}

static void play_step(play *p) {
    tact_world *w = &p->world;
    if (tact_world_step(w) != TACT_CONVERGED) p->lost++;
    p->steps++;
    p->iterations += w->work.iterations;
    if (w->work.iterations > p->most) p->most = w->work.iterations;
    for (int i = 0; i < w->work.contacts.count; i++) {
        const tact_contact *contact = &w->work.contacts.contact[i];
        double n = (double)contact->lambda[0], t = hypot((double)contact->lambda[1], (double)contact->lambda[2]);
        double mu = (double)w->scene->model.pair[contact->pair].mu;
        p->push = fmax(p->push, n);
        if (mu > 0) p->share = fmax(p->share, n > 0 ? t / (mu * n) : HUGE_VAL);
    }
    tact_kinematics_update(&w->work.kinematics, &w->scene->model, w->state.q);
}

// up to a time [s]
static void play_until(play *p, double time) {
    while ((double)p->steps < time / (double)p->world.scene->options.dt - 0.5) play_step(p);
}

static void play_close(play *p) {
    printf("%-18s %5ld steps, %.2f iterations a step, %d most, at most %.3g N\n", p->name, p->steps,
           p->steps ? (double)p->iterations / (double)p->steps : 0, p->most, p->push);
    CHECK_INT(p->lost, 0);
    CHECK(p->share <= 1 + within(1e-9, 1e-3));
    if (p->world.scene) tact_scene_free(p->world.scene);
    for (int i = 0; i < 4; i++) free(p->memory[i]);
}

static int body_of(const play *p, const char *name) {
    const tact_model *model = &p->world.scene->model;
    for (int b = 0; b < model->nbody; b++)
        if (strcmp(model->names->body[b], name) == 0) return b;
    printf("no body %s\n", name);
    exit(1);
}

static tact_pose pose_of(const play *p, const char *name) {
    return p->world.work.kinematics.pose[body_of(p, name)];
}

// the pose of a body seen from another
static tact_pose seen_from(const play *p, const char *from, const char *name) {
    tact_pose a = pose_of(p, from), b = pose_of(p, name), r;
    r.p = tact_mat3_apply_transposed(a.R, tact_vec3_sub(b.p, a.p));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.R.m[i][j] = 0;
            for (int k = 0; k < 3; k++) r.R.m[i][j] += a.R.m[k][i] * b.R.m[k][j];
        }
    return r;
}

static double angle_between(tact_pose a, tact_pose b) {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += pow((double)(a.R.m[i / 3][i % 3] - b.R.m[i / 3][i % 3]), 2);
    return 2 * asin(fmin(1, sqrt(sum / 8)));
}

static double distance_between(tact_pose a, tact_pose b) {
    tact_vec3 d = tact_vec3_sub(a.p, b.p);
    return sqrt((double)tact_vec3_dot(d, d));
}

// how far the points of a ball of the given radius have moved at most
static double moved(tact_pose a, tact_pose b, double radius) {
    return distance_between(a, b) + radius * angle_between(a, b);
}

// Largest part of the contact forces and torques on a body, with its weight, that is not in balance [N, N m].
static double unbalanced(const play *p, const char *name) {
    const tact_world *w = &p->world;
    const tact_model *model = &w->scene->model;
    int body = body_of(p, name);
    tact_vec3 centre = tact_pose_apply(w->work.kinematics.pose[body], model->body[body].com), torque = {0, 0, 0};
    tact_vec3 force = tact_vec3_scale(model->body[body].mass, w->scene->options.gravity);
    for (int i = 0; i < w->work.contacts.count; i++) {
        const tact_contact *contact = &w->work.contacts.contact[i];
        bool is_b = model->shape[model->pair[contact->pair].b].body == body,
             is_a = model->shape[model->pair[contact->pair].a].body == body;
        if (!is_a && !is_b) continue;
        tact_vec3 on = tact_vec3_scale(is_b ? 1 : -1, contact->force);
        force = tact_vec3_add(force, on);
        torque = tact_vec3_add(torque, tact_vec3_cross(tact_vec3_sub(is_b ? contact->point_b : contact->point_a, centre), on));
    }
    return sqrt((double)(tact_vec3_dot(force, force) + tact_vec3_dot(torque, torque)));
}

// The normal force on a pair of shapes, 0 when they are apart.
static double force_between(const play *p, const char *a, const char *b) {
    const tact_model *model = &p->world.scene->model;
    for (int i = 0; i < p->world.work.contacts.count; i++) {
        const tact_contact *contact = &p->world.work.contacts.contact[i];
        const tact_pair *pair = &model->pair[contact->pair];
        if (strcmp(model->names->shape[pair->a], a) == 0 && strcmp(model->names->shape[pair->b], b) == 0)
            return (double)contact->lambda[0];
    }
    return 0;
}

// Case G1 of the published linear pusher (arXiv 2505.02291): a step in closed form, and with it the solver's last digit.
static void test_pusher(void) {
    static const struct {
        const char *command;
        double pusher, block, force;
    } golden[] = {
        {"command.q.pusher=0.1", 0.000496280979001, 0.20099503719021, 0.099503719020999},
        {"command.q.pusher=0.15", 0.022711311003921, 0.201272886889961, 0.127288688996079},
        {"command.q.pusher=0.2", 0.0393567112839423, 0.201606432887161, 0.160643288716058},
    };
    for (int i = 0; i < 3; i++) {
        play p;
        if (!play_open(&p, "pusher", (const char *const[]){golden[i].command, NULL})) return;
        play_step(&p);
        CHECK_CLOSE(p.world.state.q[0], golden[i].pusher, within(1e-12, 1e-5));
        CHECK_CLOSE(p.world.state.q[1], golden[i].block, within(1e-12, 1e-5));
        CHECK_CLOSE(force_between(&p, "tip", "block"), golden[i].force, within(1e-12, 1e-5));
        play_close(&p);
    }
}

// Free fall is g h^2/epsilon a step; a weight rests at the gap 2/(kappa m g), and never gets nearer than the plane.
static void test_ball_drop(void) {
    static const char *const kappas[] = {"options.kappa=1e2", "options.kappa=1e4", "options.kappa=1e6"};
    for (int i = 0; i < 3; i++) {
        play p;
        if (!play_open(&p, "ball_drop", (const char *const[]){kappas[i], "options.margin=0.06", NULL})) return;
        const tact_options *o = &p.world.scene->options;
        double fall = 9.81 * (double)(o->dt * o->dt / o->epsilon), weight = 0.52 * 9.81, lowest = 1;
        for (int k = 0; k < 300; k++) {
            double z = (double)p.world.state.q[2];
            play_step(&p);
            if (z - 0.04 > 0.06) CHECK_CLOSE(z - (double)p.world.state.q[2], fall, within(1e-13, 1e-7));
            lowest = fmin(lowest, (double)p.world.state.q[2]);
        }
        CHECK(lowest > 0.04);
        CHECK_CLOSE(((double)p.world.state.q[2] - 0.04) * (double)o->kappa * weight / 2, 1, within(1e-6, 0.02));
        CHECK_CLOSE((double)p.world.work.contacts.contact[0].lambda[0] / weight, 1, within(1e-9, 1e-3));
        CHECK(fabs((double)p.world.state.q[0]) + fabs((double)p.world.state.q[1]) < 1e-7);
        play_close(&p);
    }
}

// The block of "incline" on its slope of another angle; anchor is a setting.
static bool open_incline(play *p, double angle, const char *anchor) {
    char slope[80], block[200];
    double height = 0.02 + 5e-5;
    snprintf(slope, sizeof slope, "shapes.0.rpy=[0,%.17g,0]", angle);
    snprintf(block, sizeof block, "state.q.block=[%.17g,0,%.17g,%.17g,0,%.17g,0]", height * sin(angle), height * cos(angle),
             cos(angle / 2), sin(angle / 2));
    return play_open(p, "incline", (const char *const[]){slope, block, anchor, NULL});
}

// What friction a corner bears that slides a step's way c under the normal force n: from c = 2 t/(kappa (mu^2 n^2 - t^2)).
static double friction_at(double c, double n, double mu, double kappa) {
    double k = kappa * c;
    return (sqrt(1 + k * k * mu * mu * n * n) - 1) / k;
}

// A block of half length a and half height b: what a step moves it when it creeps or slides, by statics alone.
static double predict_way(const play *p, double angle, double a, double b) {
    const tact_options *o = &p->world.scene->options;
    double m = 0.5, g = 9.81, mu = 0.5, kappa = (double)o->kappa, drag = m * (double)o->epsilon / (double)(o->dt * o->dt);
    double low = 1e-12, high = 0.1;
    for (int i = 0; i < 200; i++) {
        double c = sqrt(low * high), pull = m * g * sin(angle) - drag * c, tilt = pull * b / a;
        double front = (m * g * cos(angle) + tilt) / 4, back = (m * g * cos(angle) - tilt) / 4;
        *(2 * (friction_at(c, front, mu, kappa) + friction_at(c, back, mu, kappa)) < pull ? &low : &high) = c;
    }
    return low;
}

// Without the anchor a block creeps below the angle of friction, exactly as the formula says; with it it stays. Above the
// angle it slides at the speed that the law's drag epsilon m/h^2 allows.
static void test_incline(void) {
    play p;
    if (!open_incline(&p, 0.3, "options.anchor=false")) return;
    play_until(&p, 2);
    tact_pose before = pose_of(&p, "block");
    play_until(&p, 3);
    double creep = predict_way(&p, 0.3, 0.05, 0.02);
    CHECK(creep > 2e-6 && creep < 1e-5);
    CHECK_CLOSE(distance_between(before, pose_of(&p, "block")) / (100 * creep), 1, within(1e-3, 0.05));
    CHECK(unbalanced(&p, "block") < 0.01);
    play_close(&p);

    // 0.455 is as near to the angle of friction, atan(0.5), as the anchor carries
    for (int i = 0; i < 2; i++) {
        if (!open_incline(&p, i ? 0.455 : 0.3, "options.anchor=true")) return;
        tact_pose start = pose_of(&p, "block");
        play_until(&p, 2);
        before = pose_of(&p, "block");
        play_until(&p, 10);
        CHECK(distance_between(before, pose_of(&p, "block")) < within(1e-10, 1e-6));
        CHECK(distance_between(start, pose_of(&p, "block")) < (i ? 2e-4 : 6e-5));
        // four corners of more than 1 N each, in float to the solver's tolerance of 3e-5
        CHECK(unbalanced(&p, "block") < within(1e-9, 3e-4));
        play_close(&p);
    }

    if (!open_incline(&p, 0.6, "options.anchor=false")) return;
    play_until(&p, 1);
    before = pose_of(&p, "block");
    play_until(&p, 2);
    const tact_options *o = &p.world.scene->options;
    double way = distance_between(before, pose_of(&p, "block")) / 100;
    double ideal = (double)(o->dt * o->dt / o->epsilon) * 9.81 * (sin(0.6) - 0.5 * cos(0.6));
    CHECK_CLOSE(way / ideal, 1, 0.005);
    CHECK_CLOSE(way / predict_way(&p, 0.6, 0.05, 0.02), 1, within(1e-3, 0.01));
    play_close(&p);
}

// Five fingertips close round a ball of 0.52 kg, lift it off the table and hold it for a minute.
static void test_hand_lift(void) {
    play p;
    if (!play_open(&p, "hand_lift", NULL)) return;
    play_until(&p, 4.7);
    CHECK(pose_of(&p, "ball").p.z > TACT_REAL(-0.2 + 0.04 + 0.12));
    tact_pose first = seen_from(&p, "palm", "ball"), last = first;
    double creep = 0;
    for (int second = 1; second <= 60; second++) {
        play_until(&p, 4.7 + second);
        tact_pose now = seen_from(&p, "palm", "ball");
        if (second > 1) creep = fmax(creep, moved(last, now, 0.04));
        last = now;
    }
    printf("hand_lift: %.2g m in a minute, at most %.2g m in a second after the first\n", moved(first, last, 0.04), creep);
    CHECK(moved(first, last, 0.04) < 1e-3);
    CHECK(creep < within(1e-7, 1e-5));
    CHECK_CLOSE(p.world.state.time, 64.7, within(1e-9, 0.1));
    CHECK_INT(p.world.work.contacts.count, 5);
    for (int i = 0; i < 5; i++) CHECK(p.world.work.contacts.contact[i].lambda[0] > 1);
    CHECK(unbalanced(&p, "ball") < within(1e-8, 1e-3));
    CHECK(p.push < 20);
    play_close(&p);

    // the same without the anchor: in ten seconds more than allowed in a minute
    if (!play_open(&p, "hand_lift", (const char *const[]){"options.anchor=false", NULL})) return;
    play_until(&p, 5.7);
    first = seen_from(&p, "palm", "ball");
    play_until(&p, 15.7);
    CHECK(moved(first, seen_from(&p, "palm", "ball"), 0.04) > 1e-3);
    play_close(&p);
}

// Two planar fingers squeeze a disc, carry it, turn it, carry it aside and bring it back.
static void test_two_fingers_disc(void) {
    play p;
    if (!play_open(&p, "two_fingers_disc", NULL)) return;
    play_until(&p, 1);
    tact_pose home = pose_of(&p, "disc"), at;
    CHECK_CLOSE(force_between(&p, "left_tip", "disc"), 3, 0.1);
    play_until(&p, 2.5);
    at = pose_of(&p, "disc");
    CHECK_CLOSE(at.p.y - home.p.y, 0.025, 0.003);
    CHECK(angle_between(home, at) < within(1e-9, 1e-3));
    play_until(&p, 4.5);
    at = pose_of(&p, "disc");
    // the tips roll, so that it turns further than the line between them
    double turn = atan2((double)at.R.m[1][0], (double)at.R.m[0][0]);
    CHECK(turn > 0.5 && turn < 0.8);
    CHECK(unbalanced(&p, "disc") < within(1e-3, 1e-2));
    play_until(&p, 5.5);
    CHECK_CLOSE(pose_of(&p, "disc").p.x - at.p.x, -0.02, 0.002);
    play_until(&p, 20);
    at = pose_of(&p, "disc");
    CHECK(distance_between(home, at) < 5e-4);
    CHECK(angle_between(home, at) < 5e-3);
    CHECK(unbalanced(&p, "disc") < within(1e-9, 1e-4));
    CHECK(p.push < 4);
    play_close(&p);
}

// Thumb and three fingers lift a cube by two faces and turn it in the hand, their tips rolling on it.
static void test_cube_in_hand(void) {
    play p;
    if (!play_open(&p, "cube_in_hand", NULL)) return;
    play_until(&p, 0.8);
    CHECK(unbalanced(&p, "cube") < 0.05);
    play_until(&p, 4);
    tact_pose lifted = pose_of(&p, "cube"), seen = seen_from(&p, "palm", "cube"), last, now;
    CHECK(lifted.p.z > TACT_REAL(-0.2 + 0.03 + 0.1));
    CHECK(fabs((double)lifted.R.m[2][2]) > 0.999);
    play_until(&p, 7);
    now = seen_from(&p, "palm", "cube");
    CHECK_CLOSE(angle_between(seen, now), 0.4, 0.05);
    CHECK(distance_between(seen, now) < 0.005);
    double creep = 0;
    for (int second = 8; second <= 30; second++) {
        last = now;
        play_until(&p, second);
        now = seen_from(&p, "palm", "cube");
        creep = fmax(creep, moved(last, now, 0.05));
    }
    printf("cube_in_hand: at most %.2g m in a second\n", creep);
    CHECK(creep < within(1e-7, 1e-5));
    CHECK_INT(p.world.work.contacts.count, 4);
    CHECK(unbalanced(&p, "cube") < within(1e-8, 1e-3));
    CHECK(p.push < 20);
    play_close(&p);

    if (!play_open(&p, "cube_in_hand", (const char *const[]){"options.anchor=false", NULL})) return;
    play_until(&p, 7);
    seen = seen_from(&p, "palm", "cube");
    play_until(&p, 17);
    CHECK(moved(seen, seen_from(&p, "palm", "cube"), 0.05) > 1e-4);
    play_close(&p);
}

// cosine of the angle between the egg's long axis and the vertical
static double upright(const play *p) {
    return fabs((double)pose_of(p, "egg").R.m[2][2]);
}

// A gantry's gripper, with jaws of which one mimics the other, takes an egg that lies in a nest of four balls, turns it on
// end, stands it in a ring of six and lets go. Balanced above its centre of curvature, it stands by friction alone: with the
// anchor for good, without it the egg creeps over.
static void test_egg_cup(void) {
    play p;
    if (!play_open(&p, "egg_cup", NULL)) return;
    play_until(&p, 0.4);
    CHECK(upright(&p) < 0.01);
    CHECK(unbalanced(&p, "egg") < within(1e-3, 1e-3));
    play_until(&p, 2.2);
    CHECK(upright(&p) < 0.05);
    CHECK(pose_of(&p, "egg").p.z > TACT_REAL(0.085));
    tact_pose left = seen_from(&p, "wrist", "jaw_left"), right = seen_from(&p, "wrist", "jaw_right");
    CHECK_CLOSE(left.p.y, p.world.state.q[3], 1e-7);
    CHECK_CLOSE(right.p.y, -left.p.y, 1e-7);
    play_until(&p, 4);
    CHECK(upright(&p) > 0.995);
    play_until(&p, 6.6);
    tact_pose stood = pose_of(&p, "egg");
    CHECK(upright(&p) > 0.999);
    CHECK_CLOSE(stood.p.x, -0.15, 1e-3);
    CHECK_INT(p.world.work.contacts.count, 6);
    CHECK(unbalanced(&p, "egg") < within(1e-8, 1e-4));
    play_until(&p, 40);
    CHECK(moved(stood, pose_of(&p, "egg"), 0.03) < within(1e-9, 1e-5));
    CHECK(p.push < 20);
    play_close(&p);

    if (!play_open(&p, "egg_cup", (const char *const[]){"options.anchor=false", NULL})) return;
    play_until(&p, 40);
    CHECK(upright(&p) < 0.95);
    play_close(&p);
}

int main(void) {
    test_pusher();
    test_ball_drop();
    test_incline();
    test_hand_lift();
    test_two_fingers_disc();
    test_cube_in_hand();
    test_egg_cup();
    return test_end("scenes");
}
