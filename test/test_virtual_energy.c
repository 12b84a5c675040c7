// SPDX-License-Identifier: MIT
// The energy of a hexagon that bounces without damping and friction, by the manifold of its contacts. The weights of "features"
// have no potential: a bounce changes the energy by kn times the integral of sum_i G(d_i) dw_i, G' = g, which is found here from
// the poses alone. With "sum" the energy is kept, with "closest", which changes corners from step to step, to first order.
#include "virtual_scene.h"

enum { CORNERS_MOST = 16 };

static const bool is_double = sizeof(tact_real) == 8;

typedef struct {
    virtual_scene *s;
    tact_planar_shape shape[2];
    tact_planar_corner corner[2][8];
    double weight[64], depth[64];  // by corner
} bounce;

static void make_bounce(virtual_scene *s, tact_manifold manifold, double kn, double angle, double spin) {
    virtual_begin(s);
    int body = virtual_add_body(s, TACT_JOINT_PLANAR, 1, 0.02);
    int shape = virtual_add_polygon(s, body, 6, 0.2, 0);
    virtual_add_pair(s, shape, virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), 0);
    s->q0[1] = TACT_REAL(0.25);
    s->q0[2] = (tact_real)angle;
    s->v0[1] = -1;
    s->v0[2] = (tact_real)spin;
    s->options.integrator = TACT_INTEGRATOR_MIDPOINT;
    s->options.friction = TACT_FRICTION_NONE;
    s->options.manifold = manifold;
    s->options.kn = (tact_real)kn;
    s->options.dt = (tact_real)(2e-4 * sqrt(2000 / kn));
    virtual_end(s);
}

static double energy(const virtual_scene *s) {
    const tact_real *v = s->state.v;
    return ((double)(v[0] * v[0] + v[1] * v[1]) + 0.02 * (double)(v[2] * v[2])) / 2;
}

// The work of the weights from the last pose to this one: kn sum_i G(d_i) dw_i. G at the mean depth, exact to second order.
static double find_work(bounce *b) {
    const virtual_scene *s = b->s;
    tact_virtual found[CORNERS_MOST];
    tact_virtual_options options = tact_virtual_options_default();
    double weight[sizeof b->weight / sizeof b->weight[0]] = {0}, depth[sizeof b->depth / sizeof b->depth[0]] = {0}, work = 0;
    tact_planar_pose pose[2] = {tact_planar_pose_identity(), tact_planar_pose_identity()};
    pose[0].p = tact_vec2_make(s->state.q[0], s->state.q[1]);
    pose[0].turn = tact_vec2_make((tact_real)cos((double)s->state.q[2]), (tact_real)sin((double)s->state.q[2]));
    int count = tact_virtual_find(&b->shape[0], &b->shape[1], pose, &options, found);
    for (int i = 0; i < count; i++) {
        int at = found[i].feature / (2 * TACT_POLYGON_MAX) % 64;
        weight[at] = (double)found[i].weight;
        depth[at] = (double)found[i].d;
    }
    for (size_t i = 0; i < sizeof weight / sizeof weight[0]; i++) {
        double d = fmax(b->depth[i], 0), e = fmax(depth[i], 0);
        work += (double)s->options.kn * (d * d + e * e) / 4 * (weight[i] - b->weight[i]);
        b->weight[i] = weight[i];
        b->depth[i] = depth[i];
    }
    return work;
}

// How much of its energy a bounce gains; *work: what the weights say.
static double find_gain(virtual_scene *s, double *work) {
    static bounce b;
    memset(&b, 0, sizeof b);
    b.s = s;
    tact_plane plane = tact_plane_find(&s->model);
    for (int i = 0; i < 2; i++) tact_planar_shape_make(&b.shape[i], &s->shape[i], &plane, tact_pose_identity(), b.corner[i]);
    double start = energy(s);
    *work = 0;
    find_work(&b);
    for (int k = 0; k < 0.5 / (double)s->options.dt; k++) {
        CHECK_INT(virtual_go(s, NULL, NULL), TACT_CONVERGED);
        *work += find_work(&b);
    }
    *work /= start;
    CHECK(s->work.contacts.count == 0 && s->state.v[1] > 0);
    return energy(s) / start - 1;
}

// Backwards the same bounce gains what it lost: the midpoint rule has no direction.
static double find_return(virtual_scene *s) {
    double start = energy(s);
    for (int i = 0; i < 3; i++) s->state.v[i] = -s->state.v[i];
    for (int k = 0; k < 0.5 / (double)s->options.dt; k++) virtual_go(s, NULL, NULL);
    return energy(s) / start - 1;
}

static void test_manifold(tact_manifold manifold, double kn, double most) {
    static virtual_scene s;
    double worst = 0, off = 0, most_back = 0;
    for (int k = 0; k < 9; k++) {
        double work, gain;
        make_bounce(&s, manifold, kn, 0.03 + 0.07 * (k % 3), 2 * (k / 3 - 1));
        gain = find_gain(&s, &work);
        worst = fmax(worst, fabs(gain));
        if (manifold == TACT_MANIFOLD_FEATURES) off = fmax(off, fabs(gain - work));
        most_back = fmax(most_back, fabs((1 + gain) * (1 + find_return(&s)) - 1));
    }
    static const char *const name[] = {"features", "closest", "sum"};
    printf("    %s, kn %g: energy off by at most %.1e, by %.1e from what the weights say, by %.1e there and back\n",
           name[manifold], kn, worst, off, most_back);
    CHECK(worst <= most);
    CHECK(off <= 1e-3 + 0.02 * worst);
    CHECK(manifold == TACT_MANIFOLD_CLOSEST || most_back <= 1e-6);
}

int main(void) {
    if (!is_double) return test_end("virtual_energy (of double only)");
    // depths of 2.3, 0.7 and 0.2 cm at a spread of 1 cm
    test_manifold(TACT_MANIFOLD_FEATURES, 2e3, 0.15);
    test_manifold(TACT_MANIFOLD_FEATURES, 2e4, 0.12);
    test_manifold(TACT_MANIFOLD_FEATURES, 2e5, 0.07);
    for (double kn = 2e3; kn < 3e5; kn *= 10) test_manifold(TACT_MANIFOLD_CLOSEST, kn, 0.012);
    for (double kn = 2e3; kn < 3e5; kn *= 10) test_manifold(TACT_MANIFOLD_SUM, kn, 2e-4);
    return test_end("virtual_energy");
}
