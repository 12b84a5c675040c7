// SPDX-License-Identifier: MIT
// Contacts in closed form (contact/virtual_touch.h), summed over a pair before they enter H. With r = x - p_1, v_r = (v_n,
// v_t), w_1 and w_2 the angular velocities and s = w_1 - w_2, a displacement (u_n, u_t, o) of the first body relative to the
// second changes
//
//   ddot    by  (v_t turn_0 - s slide_0 + w_1) u_t + (v_t turn_1 - s slide_1 - w_1 r_n) o
//   v_t     by  (s/2 - w_1) u_n - v_n turn_0 u_t - (v_n turn_1 + w_1 r_t) o
//   f       by  (F dn_t - dfn) n - (fn dn_t + dF) t ,   its moment f'E r  by  df'E r + f'E (dx - dp_1)
//
// so that K = d(f, f'E r)/dq_1; velocities add sigma D. A common translation of both bodies changes nothing; a common rotation
// about p_1 rotates f, but not the velocities of their origins: with e = E (p_2 - p_1), c = v(p_1) - v(p_2) and columns k of K
//
//   d/dx_2 = -k_x ,  d/dy_2 = -k_y ,  d/dth_2 = E f - C E c - k_th + K e
//
// and the force on the second body is -f at x - p_2.
#include "contact/virtual_touch.h"
#include "law/virtual_chain.h"
#include "math/elementary.h"

// contacts with less than exp(-40) = 4e-18 of the strongest force are left out
#define RANKS 40

// Sums over the contacts of a pair: force and moment on the first body about p_1 (the other body's p if the first is the
// world).
typedef struct {
    int pair;
    tact_virtual_couple *couple;
    tact_virtual_ends ends;
    tact_real F[3];  // force and moment
    tact_real K[9];  // derivative of F by the first body's coordinates
} virtual_tally;

// One contact in its axes n and t = E n.
typedef struct {
    const tact_virtual_touch *touch;
    tact_virtual_response response;
    tact_vec2 n, r;            // normal, and point relative to p_1
    tact_real rn, rt, vn, vt;  // components of the point and the relative velocity
} virtual_local;

// Contact point, relative velocity there, and the force.
static inline void virtual_find_local(const tact_virtual_material *material, const tact_virtual_ends *ends,
                                      const tact_virtual_touch *touch, virtual_local *at) {
    const tact_vec2 n = touch->n, r = tact_vec2_sub(touch->x, ends->p[0]), v = tact_virtual_meeting(touch->x, ends);
    at->touch = touch;
    at->n = n;
    at->r = r;
    // point and relative velocity in the axes n and t = E n
    at->rn = tact_vec2_dot(n, r);
    at->rt = n.x * r.y - n.y * r.x;
    at->vn = tact_vec2_dot(n, v);
    at->vt = n.x * v.y - n.y * v.x;
    at->response = tact_virtual_respond(material, touch->d, touch->weight, at->vn, at->vt);
}

// Derivatives of the force components along n and t by u_n, u_t and o, at fixed velocities of the origins.
static inline void virtual_local_slopes(const virtual_local *at, const tact_virtual_ends *ends, tact_real along[3],
                                        tact_real across[3]) {
    const tact_virtual_response *r = &at->response;
    const tact_real *turn = at->touch->turn, *slide = at->touch->slide;
    tact_real w = ends->v[0][2], s = w - ends->v[1][2];
    // fn through d and ddot; F through the sliding speed and its limit mu fn
    const tact_real fn[3] = {r->fn_d, r->fn_ddot * (at->vt * turn[0] - s * slide[0] + w),
                             r->fn_ddot * (at->vt * turn[1] - s * slide[1] - w * at->rn)};
    const tact_real slip[3] = {s / 2 - w, -at->vn * turn[0], -at->vn * turn[1] - w * at->rt};
    for (int k = 0; k < 3; k++) {
        along[k] = -fn[k];
        across[k] = -r->F_t * slip[k] - r->F_fn * fn[k];
    }
    // dn = (turn[0] u_t + turn[1] o) t
    for (int k = 0; k < 2; k++) {
        along[k + 1] += r->F * turn[k];
        across[k + 1] -= r->fn * turn[k];
    }
}

// Adds a row of derivatives by u_n, u_t, o and by the weight to a row (x, y, angle) of K.
static inline void virtual_spread(const virtual_local *at, tact_real un, tact_real ut, tact_real o, tact_real weight,
                                  const tact_real by[3], tact_real row[3]) {
    row[0] += at->n.x * un - at->n.y * ut + weight * by[0];
    row[1] += at->n.y * un + at->n.x * ut + weight * by[1];
    row[2] += at->rn * ut - at->rt * un + o + weight * by[2];
}

// Adds the derivatives of one contact's force and moment to K.
static inline void virtual_sum_slopes(const virtual_local *at, tact_vec2 shift, virtual_tally *sum) {
    const tact_virtual_response *r = &at->response;
    const tact_real *slide = at->touch->slide, *w = at->touch->dweight, nx = at->n.x, ny = at->n.y;
    const tact_real by[3] = {w[0], w[1], w[2] + shift.x * w[0] + shift.y * w[1]};
    const tact_real fn = -r->fn_w, F = -r->F_w - r->F_fn * r->fn_w;
    // f'E (dx - dp_1)
    const tact_real lever[3] = {r->F / 2, r->fn * (slide[0] - 1), r->fn * (slide[1] + at->rn) + r->F * at->rt};
    tact_real a[3], c[3], moment[3];
    virtual_local_slopes(at, &sum->ends, a, c);
    // third row: moment about p_1, whose lever arm changes, too
    for (int k = 0; k < 3; k++) moment[k] = at->rn * c[k] - at->rt * a[k] + lever[k];
    virtual_spread(at, nx * a[0] - ny * c[0], nx * a[1] - ny * c[1], nx * a[2] - ny * c[2], nx * fn - ny * F, by, sum->K);
    virtual_spread(at, ny * a[0] + nx * c[0], ny * a[1] + nx * c[1], ny * a[2] + nx * c[2], ny * fn + nx * F, by, sum->K + 3);
    virtual_spread(at, moment[0], moment[1], moment[2], at->rn * F - at->rt * fn, by, sum->K + 6);
}

// D += V'C V with V = [1, E r] and the damping matrix C, in n and t: -fn_ddot v_n and -F_t v_t - F_fn fn_ddot v_n.
static inline void virtual_sum_drag(const virtual_local *at, tact_real D[9]) {
    const tact_virtual_response *r = &at->response;
    tact_real nx = at->n.x, ny = at->n.y, ex = -at->r.y, ey = at->r.x, across = -r->F_fn * r->fn_ddot;
    // rows of C V, rotated from n and t to x and y
    tact_vec2 along = tact_vec2_make(-r->fn_ddot * nx, -r->fn_ddot * ny);
    tact_vec2 side = tact_vec2_make(across * nx + r->F_t * ny, across * ny - r->F_t * nx);
    tact_real xx = nx * along.x - ny * side.x, xy = nx * along.y - ny * side.y;
    tact_real yx = ny * along.x + nx * side.x, yy = ny * along.y + nx * side.y;
    tact_real ox = ex * xx + ey * yx, oy = ex * xy + ey * yy;
    // V' on the left adds the row of the moment, V on the right the column of the angular velocity
    D[0] += xx;
    D[1] += xy;
    D[2] += xx * ex + xy * ey;
    D[3] += yx;
    D[4] += yy;
    D[5] += yx * ex + yy * ey;
    D[6] += ox;
    D[7] += oy;
    D[8] += ox * ex + oy * ey;
}

// Derivative of F by the second body's coordinates from that by the first's, by invariance under common motions.
static void virtual_second_column(const virtual_tally *sum, const tact_real K[9], tact_real S[9]) {
    const tact_virtual_ends *ends = &sum->ends;
    const tact_real *D = sum->couple->D, turned[3] = {-sum->F[1], sum->F[0], 0};
    tact_vec2 e = tact_vec2_turn(tact_vec2_sub(ends->p[1], ends->p[0]));
    // E c of the head of this file
    tact_vec2 c = tact_vec2_turn(tact_vec2_make(ends->v[0][0] - ends->v[1][0], ends->v[0][1] - ends->v[1][1]));
    for (int i = 0; i < 3; i++) {
        S[3 * i] = -K[3 * i];
        S[3 * i + 1] = -K[3 * i + 1];
        S[3 * i + 2] = turned[i] - D[3 * i] * c.x - D[3 * i + 1] * c.y - K[3 * i + 2] + K[3 * i] * e.x + K[3 * i + 1] * e.y;
    }
}

// Derivative of the force on the second body and its moment about p_2, from that of F by the coordinates of one body (of).
static void virtual_second_row(const virtual_tally *sum, int of, const tact_real K[9], tact_real S[9]) {
    tact_vec2 e = tact_vec2_turn(tact_vec2_sub(sum->ends.p[0], sum->ends.p[1]));
    tact_real sign = of == 0 ? 1 : -1;
    const tact_real moved[3] = {sign * sum->F[1], -sign * sum->F[0], 0};
    // opposite force; its moment about p_2, whose lever arm p_1 - p_2 changes with either body
    for (int k = 0; k < 3; k++) {
        S[k] = -K[k];
        S[3 + k] = -K[3 + k];
        S[6 + k] = -(K[6 + k] + e.x * K[k] + e.y * K[3 + k] + moved[k]);
    }
}

// Adds -beta K to the block of two movers in H; nothing for the world.
static void virtual_enter_block(const tact_virtual_job *job, int row, int column, const tact_real K[9]) {
    tact_real S[9];
    if (row == TACT_WORLD || column == TACT_WORLD) return;
    for (int i = 0; i < 9; i++) S[i] = -job->stage->beta * K[i];
    tact_virtual_add_block(job->soft, row, column, S, job->soft->J);
}

// Adds the sums of a pair to Q, and with slopes to H.
static void virtual_enter(const tact_virtual_job *job, const virtual_tally *sum, bool slopes) {
    tact_virtual_work *soft = job->soft;
    const int *mover = sum->couple->mover;
    // forces into Q, derivatives into H; chains also need the force for their geometric stiffness
    tact_virtual_push_couple(soft, sum->couple, sum->F, soft->Q);
    soft->ncouple++;
    if (slopes) {
        tact_real by[2][9], second[9];
        // by[0] = dF/dq_1 + sigma dF/dv; the other three blocks follow from it
        for (int k = 0; k < 9; k++) by[0][k] = sum->K[k] + job->stage->sigma * sum->couple->D[k];
        if (mover[1] != TACT_WORLD) virtual_second_column(sum, by[0], by[1]);
        for (int of = 0; of < 2; of++) {
            if (mover[of] == TACT_WORLD) continue;
            virtual_enter_block(job, mover[0], mover[of], by[of]);
            if (mover[1] == TACT_WORLD) continue;
            virtual_second_row(sum, of, by[of], second);
            virtual_enter_block(job, mover[1], mover[of], second);
        }
    }
    if (!soft->bending) return;
    const tact_virtual_force whole = {.mover = {mover[0], mover[1]}, .f = {sum->F[0], sum->F[1]}};
    tact_chain_note_force(soft, &whole);
    if (slopes) tact_chain_add_drift(job, sum->couple);
}

// Logarithm of a contact's share of the forces, where g_a decays as exp(d/a); up to a factor between ln 2 and 1 for contacts
// whose share is less than that of a touching one.
static tact_real virtual_rank(const tact_virtual_touch *touch, tact_real per) {
    return touch->rank + per * tact_min(touch->d, 0);
}

void tact_virtual_add_touches(const tact_virtual_job *job, int pair, const int mover[2], bool slopes) {
    tact_virtual_work *soft = job->soft;
    const tact_model *model = job->model;
    const tact_planar_shape *a = &soft->planar.shape[model->pair[pair].a], *b = &soft->planar.shape[model->pair[pair].b];
    const tact_planar_pose pose[2] = {tact_planar_pose_of(&soft->planar, a->body), tact_planar_pose_of(&soft->planar, b->body)};
    tact_virtual_material material = {job->options, job->a, model->pair[pair].mu, false};
    virtual_tally sum;
    // sums of the pair start at zero
    sum.pair = pair;
    sum.couple = tact_virtual_begin_couple(soft, mover);
    // velocities of both ends; zero for the world
    for (int i = 0; i < 2; i++) {
        sum.ends.p[i] = sum.couple->p[i];
        for (int k = 0; k < 3; k++) sum.ends.v[i][k] = mover[i] == TACT_WORLD ? 0 : soft->velocity[3 * mover[i] + k];
    }
    for (int k = 0; k < 3; k++) sum.F[k] = 0;
    for (int k = 0; k < 9; k++) sum.K[k] = 0;
    // derivatives of the weights refer to the pose of the shape's body, sums to that of its mover
    tact_vec2 shift = tact_vec2_turn(tact_vec2_sub(pose[0].p, sum.ends.p[0]));
    int count = tact_virtual_find_touches(a, b, pose, &soft->contact, tact_virtual_hold_of(soft, pair), soft->touch);
    // exponentially decaying forces: contacts that are rounding beside the strongest are left out
    bool falls = job->options->penalty == TACT_PENALTY_EXP || job->options->penalty == TACT_PENALTY_SOFTPLUS;
    tact_real per = falls && job->a > 0 ? 1 / job->a : 0;
    // smallest rank of a contact that counts
    const tact_virtual_touch *list = soft->touch;
    tact_real most = -TACT_MAX;
    for (int i = 0; i < count; i++) most = tact_max(most, virtual_rank(&list[i], per));
    tact_real least = most - RANKS;
    for (int i = 0; i < count && soft->nforce < soft->most_force; i++) {
        // force of each contact, and with slopes D = df/dv and K = df/dq
        virtual_local at;
        if (soft->touch[i].d < -soft->reach || virtual_rank(&soft->touch[i], per) < least) continue;
        material.stick = job->sticks && job->sticks[soft->nforce];
        virtual_find_local(&material, &sum.ends, &soft->touch[i], &at);
        if (at.response.fn == 0 && at.response.fn_d == 0) continue;
        tact_virtual_force *force = &soft->force[soft->nforce++];
        tact_vec2 n = at.n;
        force->pair = sum.pair;
        force->mover[0] = sum.couple->mover[0];
        force->mover[1] = sum.couple->mover[1];
        force->x = at.touch->x;
        force->n = n;
        force->d = at.touch->d;
        force->fn = at.response.fn;
        force->F = at.response.F;
        // f = -fn n - F t on the first body, and its moment about p_1
        force->f = tact_vec2_make(n.y * force->F - n.x * force->fn, -n.y * force->fn - n.x * force->F);
        sum.F[0] += force->f.x;
        sum.F[1] += force->f.y;
        sum.F[2] += at.rt * force->fn - at.rn * force->F;
        sum.couple->count++;
        if (!slopes) continue;
        virtual_sum_drag(&at, sum.couple->D);
        virtual_sum_slopes(&at, shift, &sum);
    }
    if (sum.couple->count > 0) virtual_enter(job, &sum, slopes);
}
