// SPDX-License-Identifier: MIT
// Penalty force of a virtual contact. Source: ADD (Geilinger et al. 2020) for damping and friction; the temperature follows the
// planar contact package that this law completes.
#include "law/virtual_force.h"

#include "math/elementary.h"

// Limit of zero temperature: max(d, 0).
static tact_soft_depth soften_hard(tact_penalty penalty, tact_real d) {
    tact_soft_depth g = {0, 0, 0, 0, 0};
    if (!(d > 0)) return g;
    g.value = d;
    g.slope = 1;
    if (penalty == TACT_PENALTY_EXP) g.by_a = 1;
    if (penalty == TACT_PENALTY_QUADRATIC) g.by_a = TACT_REAL(-0.5);
    return g;
}

// a exp(d/a) for d < 0, d + a beyond.
static tact_soft_depth soften_exp(tact_real d, tact_real a) {
    tact_soft_depth g = {d + a, 1, 0, 1, 0};
    if (d >= 0) return g;
    tact_real z = d / a, e = tact_exp(z);
    return (tact_soft_depth){a * e, e, e / a, e * (1 - z), -z / a * e};
}

// a ln(1 + exp(d/a)).
static tact_soft_depth soften_softplus(tact_real d, tact_real a) {
    tact_real z = d / a, e = tact_exp(-tact_fabs(z)), small = tact_log1p(e);
    tact_real most = 1 / (1 + e), least = e * most, both = least * most;
    // ln(1 + exp z) - z share, without cancellation
    tact_real entropy = small + tact_fabs(z) * least;
    return (tact_soft_depth){(z > 0 ? d : 0) + a * small, z > 0 ? most : least, both / a, entropy, -z * both / a};
}

// (d + sqrt(d^2 + 4 a^2))/2.
static tact_soft_depth soften_algebraic(tact_real d, tact_real a) {
    tact_real s = tact_sqrt(d * d + 4 * a * a), value = d > 0 ? (d + s) / 2 : 2 * a * a / (s - d);
    tact_real tail = 2 * a / s, cube = tail / s;
    return (tact_soft_depth){value, value / s, tail * a / (s * s), tail, -cube * d / s};
}

// d^2/(2 a) for 0 < d < a, d - a/2 beyond.
static tact_soft_depth soften_quadratic(tact_real d, tact_real a) {
    tact_soft_depth g = {0, 0, 0, 0, 0};
    if (d <= 0) return g;
    tact_real z = d / a;
    if (z >= 1) return (tact_soft_depth){d - a / 2, 1, 0, TACT_REAL(-0.5), 0};
    return (tact_soft_depth){d * z / 2, z, 1 / a, -z * z / 2, -z / a};
}

// Smoothed depth s(d) of a penalty with smoothing length a, and its derivatives; without smoothing max(d, 0).
tact_soft_depth tact_soften(tact_penalty penalty, tact_real d, tact_real a) {
    if (!(a > 0)) return soften_hard(penalty, d);
    switch (penalty) {
    case TACT_PENALTY_EXP: return soften_exp(d, a);
    case TACT_PENALTY_SOFTPLUS: return soften_softplus(d, a);
    case TACT_PENALTY_ALGEBRAIC: return soften_algebraic(d, a);
    case TACT_PENALTY_QUADRATIC: return soften_quadratic(d, a);
    }
    return soften_hard(penalty, d);
}

// Normal force and its derivatives by d, ddot and the weight.
static void respond_normal(const tact_options *o, const tact_soft_depth *g, tact_real w, tact_real ddot,
                           tact_virtual_response *r) {
    if (o->damping == TACT_DAMPING_SUM) {
        // fn = w (kn g + kd g' ddot): damping only where the penalty has a slope
        r->fn_w = o->kn * g->value + o->kd * g->slope * ddot;
        r->fn_d = w * (o->kn * g->slope + o->kd * g->curve * ddot);
        r->fn_ddot = w * o->kd * g->slope;
    } else {
        // fn = w g (kn + kd ddot), never adhesive
        tact_real rate = o->kn + o->kd * ddot;
        if (!(rate > 0)) return;
        r->fn_w = g->value * rate;
        r->fn_d = w * g->slope * rate;
        r->fn_ddot = w * g->value * o->kd;
    }
    r->fn = w * r->fn_w;
}

// Friction force F and its derivatives by s = w kt v_t and by its limit mu fn.
typedef struct {
    tact_real F, by_s, by_limit;
} friction_slope;

// Friction force for s = w kt v_t and the limit mu fn.
static friction_slope respond_tangent(const tact_virtual_material *material, tact_real s, tact_real limit) {
    if (!(limit > 0) || material->options->friction == TACT_FRICTION_NONE) return (friction_slope){0, 0, 0};
    if (!material->stick && material->options->friction == TACT_FRICTION_TANH) {
        // F = limit tanh(s/limit)
        tact_real z = s / limit, T = tact_tanh(z), by_s = 1 - T * T;
        // for a limit so small that z is infinite, the derivative by s is 0
        return (friction_slope){limit * T, by_s, by_s > 0 ? T - z * by_s : T};
    }
    // F = s within the limit, otherwise the limit: Coulomb's law, regularised by kt
    if (material->stick || tact_fabs(s) <= limit) return (friction_slope){s, 1, 0};
    return (friction_slope){s > 0 ? limit : -limit, 0, s > 0 ? 1 : -1};
}

tact_virtual_response tact_virtual_respond(const tact_virtual_material *material, tact_real d, tact_real weight, tact_real ddot,
                                           tact_real vt) {
    tact_virtual_response r = {0};
    tact_soft_depth g = tact_soften(material->options->penalty, d, material->a);
    tact_real kt = material->options->kt;
    // normal force first: it sets the friction limit mu fn
    respond_normal(material->options, &g, weight, ddot, &r);
    friction_slope slope = respond_tangent(material, weight * kt * vt, material->mu * r.fn);
    r.F = slope.F;
    r.F_t = slope.by_s * weight * kt;
    r.F_w = slope.by_s * kt * vt;
    r.F_fn = slope.by_limit * material->mu;
    return r;
}

tact_virtual_sensitivity tact_virtual_respond_by(const tact_virtual_material *material, tact_real d, tact_real weight,
                                                 tact_real ddot, tact_real vt) {
    const tact_options *o = material->options;
    tact_virtual_sensitivity by = {{0}, {0}};
    tact_virtual_response r = {0};
    tact_soft_depth g = tact_soften(o->penalty, d, material->a);
    bool sum = o->damping == TACT_DAMPING_SUM;
    tact_real rate = o->kn + o->kd * ddot, w = sum || rate > 0 ? weight : 0;
    // fn by kn, kd and a; F by these through its limit, and by kt and mu directly
    by.fn[TACT_VIRTUAL_BY_KN] = w * g.value;
    by.fn[TACT_VIRTUAL_BY_KD] = w * ddot * (sum ? g.slope : g.value);
    by.fn[TACT_VIRTUAL_BY_A] = w * (sum ? o->kn * g.by_a + o->kd * g.slope_by_a * ddot : g.by_a * rate);
    respond_normal(o, &g, weight, ddot, &r);
    friction_slope slope = respond_tangent(material, weight * o->kt * vt, material->mu * r.fn);
    for (int i = 0; i < TACT_VIRTUAL_PARAMETERS; i++) by.F[i] = slope.by_limit * material->mu * by.fn[i];
    by.F[TACT_VIRTUAL_BY_KT] += slope.by_s * weight * vt;
    by.F[TACT_VIRTUAL_BY_MU] += slope.by_limit * r.fn;
    return by;
}

tact_vec2 tact_virtual_meeting(tact_vec2 x, const tact_virtual_ends *ends) {
    tact_vec2 u = tact_vec2_turn(tact_vec2_sub(x, ends->p[0])), v = tact_vec2_turn(tact_vec2_sub(x, ends->p[1]));
    return tact_vec2_make(ends->v[0][0] + ends->v[0][2] * u.x - ends->v[1][0] - ends->v[1][2] * v.x,
                          ends->v[0][1] + ends->v[0][2] * u.y - ends->v[1][1] - ends->v[1][2] * v.y);
}

tact_virtual_response tact_virtual_react(const tact_virtual_material *material, const tact_virtual *contact,
                                         const tact_virtual_ends *ends) {
    tact_vec2 v = tact_virtual_meeting(contact->x, ends);
    return tact_virtual_respond(material, contact->d, contact->weight, tact_vec2_dot(contact->n, v),
                                tact_vec2_dot(tact_vec2_turn(contact->n), v));
}

void tact_virtual_load(const tact_virtual_ends *ends, const tact_virtual_response *response, tact_virtual_force *force) {
    tact_vec2 n = force->n, t = tact_vec2_turn(n);
    force->fn = response->fn;
    force->F = response->F;
    force->f = tact_vec2_add_scaled(tact_vec2_scale(-response->fn, n), -response->F, t);
    for (int i = 0; i < 2; i++) force->arm[i] = tact_vec2_sub(force->x, ends->p[i]);
    // by_v = df/dv at the contact point, -n fn_ddot n' - t (F_t t' + F_fn fn_ddot n')
    tact_vec2 along = tact_vec2_scale(-response->fn_ddot, n);
    tact_vec2 across = tact_vec2_add_scaled(tact_vec2_scale(-response->F_t, t), response->F_fn, along);
    force->by_v[0][0] = n.x * along.x + t.x * across.x;
    force->by_v[0][1] = n.x * along.y + t.x * across.y;
    force->by_v[1][0] = n.y * along.x + t.y * across.x;
    force->by_v[1][1] = n.y * along.y + t.y * across.y;
}

// D += V'C V with V = [1, E r].
void tact_virtual_couple_force(const tact_virtual_force *force, tact_virtual_couple *couple) {
    const tact_real(*C)[2] = force->by_v;
    tact_vec2 lever = tact_vec2_turn(tact_vec2_sub(force->x, couple->p[0]));
    tact_real *D = couple->D;
    for (int i = 0; i < 2; i++) {
        D[3 * i] += C[i][0];
        D[3 * i + 1] += C[i][1];
        D[3 * i + 2] += C[i][0] * lever.x + C[i][1] * lever.y;
    }
    tact_real x = lever.x * C[0][0] + lever.y * C[1][0], y = lever.x * C[0][1] + lever.y * C[1][1];
    // third row: moment of the first two rows about p[0]
    D[6] += x;
    D[7] += y;
    D[8] += x * lever.x + y * lever.y;
    couple->count++;
}

tact_vec2 tact_virtual_force_slope(const tact_virtual *contact, const tact_virtual_ends *ends,
                                   const tact_virtual_response *response, int column) {
    tact_vec2 n = contact->n, t = tact_vec2_turn(n), dn = contact->dn[column], dt = tact_vec2_turn(dn);
    tact_vec2 v = tact_virtual_meeting(contact->x, ends), e = {column % 3 == 0, column % 3 == 1};
    // dv: the contact point moves relative to both bodies, whose origins move, too
    tact_vec2 dv = tact_vec2_scale(ends->v[0][2] - ends->v[1][2], tact_vec2_turn(contact->dx[column]));
    if (column < TACT_VIRTUAL_Q2)
        dv = tact_vec2_add_scaled(dv, -ends->v[0][2], tact_vec2_turn(e));
    else if (column < TACT_VIRTUAL_SIZE1)
        dv = tact_vec2_add_scaled(dv, ends->v[1][2], tact_vec2_turn(e));
    // changes of approach and sliding speed, then of fn and F, then of f = -fn n - F t
    tact_real ddot = tact_vec2_dot(dn, v) + tact_vec2_dot(n, dv), vt = tact_vec2_dot(dt, v) + tact_vec2_dot(t, dv);
    tact_real w = contact->dweight[column];
    tact_real fn = response->fn_d * contact->dd[column] + response->fn_ddot * ddot + response->fn_w * w;
    tact_real F = response->F_t * vt + response->F_fn * fn + response->F_w * w;
    tact_vec2 df = tact_vec2_add_scaled(tact_vec2_scale(-fn, n), -response->fn, dn);
    return tact_vec2_add_scaled(tact_vec2_add_scaled(df, -F, t), -response->F, dt);
}
