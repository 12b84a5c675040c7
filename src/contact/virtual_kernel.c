// SPDX-License-Identifier: MIT
// A virtual contact in closed form, with its derivatives. A corner c of a core moves with V = [I, E (c - p)] of its body; with
// radii r_1, r_2 about the cores
//   corner, corner  D = |c_2 - c_1|, n = (c_2 - c_1)/D:    d = r_1 + r_2 - D,  x = (c_1 + c_2)/2 + n (r_1 - r_2)/2
//   corner, edge    s = N'(c - c_e), n = N or -N:          d = r_c + r_e - s,  x = c - N (s + r_c - r_e)/2
//   corner, psi     s = psi(c), N = grad psi/|grad psi|:   the same with r_e = 0
#include "contact/virtual_pair.h"

// Column k of d(c)/dq for a point of a body at arm from its origin.
static tact_vec2 kernel_velocity(tact_vec2 arm, int k) {
    return k == 2 ? tact_vec2_turn(arm) : tact_vec2_make(k == 0 ? 1 : 0, k == 1 ? 1 : 0);
}

// Frozen gradient: x is fixed, and n rotates as the gradients do at a fixed point, g_1 = n about a corner at distance rho[0],
// g_2 = -n at distance rho[1]; 0: flat.
static void kernel_freeze(const tact_virtual_pair *pair, const tact_real rho[2], tact_virtual *out) {
    // dn = (curvature t t'V + rotation)/2: the mean rotation of the two gradients
    tact_vec2 t = tact_vec2_turn(out->n);
    for (int s = 0; s < 2; s++) {
        const tact_virtual_side *side = &pair->side[s];
        tact_vec2 arm = tact_vec2_sub(out->x, side->pose.p);
        tact_real curvature = rho[s] > TACT_EPS ? 1 / rho[s] : 0;
        for (int k = 0; k < 3; k++) {
            tact_real along = tact_vec2_dot(t, kernel_velocity(arm, k)) * (s == 0 ? -curvature : curvature);
            out->dx[side->q + k] = tact_vec2_make(0, 0);
            out->dn[side->q + k] = tact_vec2_scale((along + (k == 2 ? 1 : 0)) / 2, t);
        }
    }
}

// phi = -d, to which the caller may add.
static void kernel_cost(const tact_virtual_pair *pair, tact_virtual *out) {
    out->weight = -out->d;
    for (int k = 0; k < tact_virtual_columns(pair->options); k++) out->dweight[k] = -out->dd[k];
}

void tact_virtual_corners(const tact_virtual_pair *pair, int i, int j, tact_virtual *out) {
    TACT_ASSERT(pair && out);
    // D = |c_2 - c_1|; the normal of coincident corners is +x
    tact_vec2 c[2] = {tact_virtual_corner(&pair->side[0], i), tact_virtual_corner(&pair->side[1], j)};
    tact_vec2 e = tact_vec2_sub(c[1], c[0]);
    tact_real D = tact_sqrt(tact_vec2_dot(e, e));
    const tact_real r[2] = {pair->side[0].shape->radius, pair->side[1].shape->radius};
    out->n = D > 0 ? tact_vec2_make(e.x / D, e.y / D) : tact_vec2_make(1, 0);
    out->d = r[0] + r[1] - D;
    out->x = tact_vec2_add_scaled(tact_vec2_scale(TACT_REAL(0.5), tact_vec2_add(c[0], c[1])), (r[0] - r[1]) / 2, out->n);
    out->feature = i * 2 * TACT_POLYGON_MAX + j;
    // derivatives of n, d and x by coordinates and sizes of side s, whose corner is c[s]
    for (int s = 0; s < 2; s++) {
        int corner = s == 0 ? i : j;
        const tact_virtual_side *side = &pair->side[s];
        tact_vec2 t = tact_vec2_turn(out->n), arm = tact_vec2_sub(c[s], side->pose.p);
        // dn/dc = +-t t'/D; r_1 - r_2 shifts x along n
        tact_real sign = s == 0 ? -1 : 1, turn = D > TACT_EPS ? sign / D : 0;
        tact_real lean = (pair->side[0].shape->radius - pair->side[1].shape->radius) / 2;
        int nsize = pair->options->sizes ? TACT_PLANAR_SIZES : 0;
        // three coordinates of the body, then its sizes
        for (int k = 0; k < 3 + nsize; k++) {
            bool size = k >= 3, real = !size || k - 3 < side->shape->nsize;
            int column = size ? side->size + k - 3 : side->q + k;
            // derivative of the corner by this column
            tact_vec2 dc = {0, 0};
            tact_real dr = size && real ? side->shape->radius_rate[k - 3] : 0;
            if (real)
                dc = size ? tact_planar_rotate(side->pose, side->shape->corner[corner].rate[k - 3]) : kernel_velocity(arm, k);
            // dn = +-t (t'dc)/D, dd = dr -+ n'dc, dx = dc/2 + dn (r_1 - r_2)/2 -+ n dr/2
            out->dn[column] = tact_vec2_scale(turn * tact_vec2_dot(t, dc), t);
            out->dd[column] = dr - sign * tact_vec2_dot(out->n, dc);
            out->dx[column] = tact_vec2_add_scaled(tact_vec2_scale(TACT_REAL(0.5), dc), lean, out->dn[column]);
            out->dx[column] = tact_vec2_add_scaled(out->dx[column], -sign * dr / 2, out->n);
        }
    }
    const tact_real rho[2] = {(r[0] - r[1] + D) / 2, (r[1] - r[0] + D) / 2};
    if (pair->options->freeze) kernel_freeze(pair, rho, out);
    kernel_cost(pair, out);
}

// What a corner is against: an edge or a smooth surface, with separation and normal.
typedef struct {
    tact_vec2 c, N;                            // corner, and outward normal of the other side
    tact_real s;                               // separation
    tact_real slope;                           // length of the gradient of s
    tact_vec2 turn;                            // N rotates by turn'dc: dN = E N (turn'dc)
    tact_real radius;                          // of the other side, about its core
    tact_real ds[TACT_PLANAR_SIZES];           // derivatives by the other side's sizes
    tact_vec2 dN[TACT_PLANAR_SIZES];           // derivative of N
    tact_real radius_rate[TACT_PLANAR_SIZES];  // derivative of radius
} facet;

static tact_vec2 facet_turn(const facet *f, tact_vec2 dc) {
    return tact_vec2_scale(tact_vec2_dot(f->turn, dc), tact_vec2_turn(f->N));
}

static void facet_column(const facet *f, tact_real half, tact_vec2 dc, tact_real ds, tact_vec2 dN, tact_real sign,
                         tact_virtual *out, int column) {
    // one column of d = r_c + r_e - s, n = +-N and x = c - N half
    out->dd[column] = -ds;
    out->dn[column] = tact_vec2_scale(sign, dN);
    out->dx[column] = tact_vec2_add_scaled(tact_vec2_add_scaled(dc, -ds / 2, f->N), -half, dN);
}

// Corner i of side s against the facet f of the other side.
static void facet_contact(const tact_virtual_pair *pair, int s, int i, const facet *f, tact_virtual *out) {
    const tact_virtual_side *side = &pair->side[s], *other = &pair->side[1 - s];
    // half = (s + r_c - r_e)/2: distance of x behind the corner
    tact_real sign = s == 0 ? -1 : 1, half = (f->s + side->shape->radius - f->radius) / 2;
    tact_vec2 arm = tact_vec2_sub(f->c, side->pose.p), reach = tact_vec2_sub(f->c, other->pose.p);
    out->n = tact_vec2_scale(sign, f->N);
    out->d = side->shape->radius + f->radius - f->s;
    out->x = tact_vec2_add_scaled(f->c, -half, f->N);
    // by the corner's body, then by the other body, whose motion is the opposite one of the corner
    for (int k = 0; k < 3; k++) {
        tact_vec2 dc = kernel_velocity(arm, k), back = kernel_velocity(reach, k), zero = {0, 0};
        tact_vec2 turned = tact_vec2_scale(-1, facet_turn(f, back));
        if (k == 2) turned = tact_vec2_add(turned, tact_vec2_turn(f->N));
        facet_column(f, half, dc, f->slope * tact_vec2_dot(f->N, dc), facet_turn(f, dc), sign, out, side->q + k);
        facet_column(f, half, zero, -f->slope * tact_vec2_dot(f->N, back), turned, sign, out, other->q + k);
    }
    if (pair->options->sizes) {
        // sizes of the corner's shape move the corner, those of the other its edge; both change the radii
        for (int k = 0; k < TACT_PLANAR_SIZES; k++) {
            bool own = k < side->shape->nsize, theirs = k < other->shape->nsize;
            tact_vec2 zero = {0, 0}, rate = own ? tact_planar_rotate(side->pose, side->shape->corner[i].rate[k]) : zero;
            tact_real dr = own ? side->shape->radius_rate[k] : 0, de = theirs ? f->radius_rate[k] : 0;
            tact_real ds = f->slope * tact_vec2_dot(f->N, rate);
            facet_column(f, half, rate, ds, facet_turn(f, rate), sign, out, side->size + k);
            facet_column(f, half, zero, theirs ? f->ds[k] : 0, theirs ? f->dN[k] : zero, sign, out, other->size + k);
            out->dd[side->size + k] += dr;
            out->dd[other->size + k] += de;
            out->dx[side->size + k] = tact_vec2_add_scaled(out->dx[side->size + k], -dr / 2, f->N);
            out->dx[other->size + k] = tact_vec2_add_scaled(out->dx[other->size + k], de / 2, f->N);
        }
    }
    // rho: distances of x from the two cores, for the frozen gradient
    const tact_real rho[2] = {s == 0 ? half : 0, s == 0 ? 0 : half};
    if (pair->options->freeze) kernel_freeze(pair, rho, out);
    kernel_cost(pair, out);
}

void tact_virtual_edge(const tact_virtual_pair *pair, int s, int i, int j, tact_virtual *out) {
    TACT_ASSERT(pair && out);
    const tact_virtual_side *other = &pair->side[1 - s];
    const tact_planar_shape *shape = other->shape;
    facet f = {.c = tact_virtual_corner(&pair->side[s], i), .N = tact_virtual_normal(other, j), .slope = 1};
    // distance of the corner from the line of the edge, along its normal
    f.s = tact_vec2_dot(f.N, tact_vec2_sub(f.c, tact_virtual_corner(other, j)));
    f.radius = shape->radius;
    for (int k = 0; pair->options->sizes && k < shape->nsize; k++) {
        f.ds[k] = -tact_vec2_dot(shape->corner[j].normal, shape->corner[j].rate[k]);
        f.radius_rate[k] = shape->radius_rate[k];
    }
    facet_contact(pair, s, i, &f, out);
    out->feature = ((s + 1) * TACT_POLYGON_MAX + i) * 2 * TACT_POLYGON_MAX + j;
}

void tact_virtual_project(const tact_virtual_pair *pair, int s, int i, tact_virtual *out) {
    TACT_ASSERT(pair && out);
    const tact_virtual_side *other = &pair->side[1 - s];
    facet f = {.c = tact_virtual_corner(&pair->side[s], i)};
    // distance and gradient in the other frame; the normal is the direction of the gradient
    tact_planar_distance d = tact_planar_distance_at(other->shape, tact_virtual_inner(other, f.c));
    tact_vec2 g = tact_planar_rotate(other->pose, d.gradient);
    f.s = d.value;
    f.slope = tact_sqrt(tact_vec2_dot(g, g));
    f.N = f.slope > 0 ? tact_vec2_scale(1 / f.slope, g) : tact_vec2_make(1, 0);
    // dN = t t' H dx / |g| for a displacement of the corner
    tact_vec2 t = tact_planar_unrotate(other->pose, tact_vec2_turn(f.N));
    tact_real per = f.slope > TACT_EPS ? 1 / f.slope : 0;
    f.turn = tact_vec2_scale(per, tact_planar_rotate(other->pose, tact_sym2_apply(d.hessian, t)));
    for (int k = 0; pair->options->sizes && k < other->shape->nsize; k++) {
        f.ds[k] = d.by_size[k];
        f.dN[k] = tact_vec2_scale(per * tact_vec2_dot(t, d.gradient_by[k]), tact_vec2_turn(f.N));
    }
    facet_contact(pair, s, i, &f, out);
    out->feature = (3 * TACT_POLYGON_MAX + i) * 2 * TACT_POLYGON_MAX + s;
}
