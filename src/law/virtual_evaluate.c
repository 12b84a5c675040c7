// SPDX-License-Identifier: MIT
// Generalised forces and their derivatives at given coordinates and velocities.
//
//   Q = load - K_a x - D_a w + off-axis weights + joint limits + sum over contacts J1' V1' f - J2' V2' f ,
//       and for groups that bend the terms of law/virtual_chain.h
//   V' f = (f, f'E r) ,   d(V' f) = (df, df'E r + f'E (dx - dp))
#include "contact/virtual_touch.h"
#include "law/virtual_chain.h"
#include "math/elementary.h"

tact_virtual_options tact_virtual_contact_options(const tact_options *options) {
    tact_virtual_options contact = tact_virtual_options_default();
    contact.manifold = options->manifold;
    contact.temperature = options->spread;
    return contact;
}

tact_real tact_virtual_forward_temperature(const tact_options *options) {
    return options->gradient == TACT_GRADIENT_STRAIGHT ? 0 : options->temperature;
}

static int virtual_group_size(const tact_virtual_work *soft, int group) {
    return soft->group_start[group + 1] - soft->group_start[group];
}

void tact_virtual_apply_mass(const tact_virtual_work *soft, const tact_real *x, tact_real *y) {
    for (int g = 0; g < soft->ngroup; g++) {
        int begin = soft->group_start[g], size = virtual_group_size(soft, g);
        const tact_real *M = soft->M + soft->M_start[g];
        for (int i = 0; i < size; i++) y[begin + i] = tact_dot(M + i * size, x + begin, size);
    }
}

// y (3) = J x.
static inline void virtual_rate_any(const tact_real *J, const tact_real *x, int width, tact_real *y) {
    for (int i = 0; i < 3; i++) y[i] = tact_dot(J + i * width, x, width);
}

void tact_virtual_rate(const tact_virtual_work *soft, int mover, const tact_real *x, tact_real *y) {
    for (int i = 0; i < 3 && mover == TACT_WORLD; i++) y[i] = 0;
    if (mover == TACT_WORLD) return;
    int width = virtual_group_size(soft, soft->group[mover]);
    // J x, with J = 1 and two unknowns as special cases
    const tact_real *own = x + soft->group_start[soft->group[mover]], *J = soft->J + soft->J_start[mover];
    if (soft->plain[mover])
        for (int i = 0; i < 3; i++) y[i] = own[i];
    else if (width == 2)
        virtual_rate_any(J, own, 2, y);
    else
        virtual_rate_any(J, own, width, y);
}

void tact_virtual_push_mover(const tact_virtual_work *soft, int mover, const tact_real F[3], tact_real *y) {
    tact_real *own = y + soft->group_start[soft->group[mover]];
    const tact_real *J = soft->J + soft->J_start[mover];
    if (soft->plain[mover]) {
        for (int i = 0; i < 3; i++) own[i] += F[i];
        return;
    }
    int width = virtual_group_size(soft, soft->group[mover]);
    for (int k = 0; k < width; k++) own[k] += J[k] * F[0] + J[width + k] * F[1] + J[2 * width + k] * F[2];
}

void tact_virtual_move(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes) {
    tact_virtual_work *soft = job->soft;
    for (int b = 0; b < job->model->nbody; b++) {
        int mover = soft->mover[b];
        tact_planar_pose *pose = &soft->planar.pose[b];
        // a body without a moving joint of its own is rigidly attached to its mover
        if (mover == TACT_WORLD) continue;
        if (mover != b) {
            pose->turn = soft->planar.pose[mover].turn;
            pose->p = tact_vec2_add(soft->origin[mover], tact_planar_rotate(*pose, soft->rest[b]));
            continue;
        }
        // a group that bends: forward kinematics along the chain of joints
        if (soft->bending && soft->bends[soft->group[b]]) {
            tact_chain_move(job, b, x, w, slopes);
            continue;
        }
        // (p, th) = rest + J x, and their rates J w
        tact_real q[3];
        tact_virtual_rate(soft, b, x, q);
        tact_virtual_rate(soft, b, w, soft->velocity + 3 * b);
        soft->origin[b] = pose->p = tact_vec2_add(soft->rest[b], tact_vec2_make(q[0], q[1]));
        pose->turn = tact_vec2_make(1, 0);
        if (soft->turns[b]) tact_sincos(q[2], &pose->turn.y, &pose->turn.x);
    }
}

const tact_virtual_hold *tact_virtual_hold_of(tact_virtual_work *soft, int pair) {
    if (!soft->holding) return NULL;
    const tact_model *model = soft->planar.model;
    const tact_planar_shape *a = &soft->planar.shape[model->pair[pair].a], *b = &soft->planar.shape[model->pair[pair].b];
    tact_virtual_hold *hold = &soft->hold[pair];
    bool group = tact_virtual_parts(a) > 1 || tact_virtual_parts(b) > 1;
    if (group && !tact_virtual_holds(soft->contact.manifold)) return NULL;
    if (hold->found) return hold;
    // particles come from a common pool; if that is exhausted, the whole step is refused later
    if (tact_manifold_scatters(soft->contact.manifold)) {
        hold->count = 0;
        soft->crowded = soft->crowded || soft->contact.particles > soft->most_force - soft->nparticle;
        if (soft->crowded) return hold;
        hold->x = soft->particle + soft->nparticle;
        hold->near = soft->near + 2 * soft->nparticle;
        soft->nparticle += soft->contact.particles;
    }
    // found at the poses of the beginning of the step, and then frozen
    const tact_planar_pose pose[2] = {a->body == TACT_WORLD ? tact_planar_pose_identity() : soft->begin[a->body],
                                      b->body == TACT_WORLD ? tact_planar_pose_identity() : soft->begin[b->body]};
    tact_virtual_choose(a, b, pose, &soft->contact, hold, soft->found);
    return hold;
}

int tact_virtual_gather(tact_virtual_work *soft, int pair, tact_virtual_ends *ends) {
    const tact_model *model = soft->planar.model;
    const int shape[2] = {model->pair[pair].a, model->pair[pair].b};
    const tact_planar_shape *a = &soft->planar.shape[shape[0]], *b = &soft->planar.shape[shape[1]];
    const tact_planar_pose pose[2] = {tact_planar_pose_of(&soft->planar, a->body), tact_planar_pose_of(&soft->planar, b->body)};
    const tact_virtual_hold *hold = tact_virtual_hold_of(soft, pair);
    int count = tact_virtual_find_held(a, b, pose, &soft->contact, hold, soft->found);
    // ends: velocities, and derivatives by the coordinates of the movers instead of the bodies
    for (int i = 0; i < 2; i++) {
        int body = model->shape[shape[i]].body, mover = body == TACT_WORLD ? TACT_WORLD : soft->mover[body];
        ends->p[i] = tact_vec2_make(0, 0);
        for (int k = 0; k < 3; k++) ends->v[i][k] = mover == TACT_WORLD ? 0 : soft->velocity[3 * mover + k];
        if (mover == TACT_WORLD) continue;
        ends->p[i] = soft->origin[mover];
        for (int k = 0; k < count && mover != body; k++) {
            // derivatives by the angle about the body's own origin become those about its mover's origin
            tact_virtual *contact = &soft->found[k];
            int first = 3 * i;
            tact_vec2 r = tact_vec2_sub(soft->planar.pose[body].p, ends->p[i]);
            tact_vec2 e = tact_vec2_turn(r);
            int x = first, y = first + 1, th = first + 2;
            contact->dx[th] =
                tact_vec2_add_scaled(tact_vec2_add_scaled(contact->dx[th], e.x, contact->dx[x]), e.y, contact->dx[y]);
            contact->dn[th] =
                tact_vec2_add_scaled(tact_vec2_add_scaled(contact->dn[th], e.x, contact->dn[x]), e.y, contact->dn[y]);
            contact->dd[th] += e.x * contact->dd[x] + e.y * contact->dd[y];
            contact->dweight[th] += e.x * contact->dweight[x] + e.y * contact->dweight[y];
        }
    }
    return count;
}

// Y (3, columns) = S B.
static inline void virtual_from_right(const tact_real S[9], const tact_real *B, int columns, tact_real *Y) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++)
            Y[i * columns + j] = S[3 * i] * B[j] + S[3 * i + 1] * B[columns + j] + S[3 * i + 2] * B[2 * columns + j];
}

// H (rows, columns) += A'Y.
static inline void virtual_from_left(const tact_real *A, const tact_real *Y, int rows, int columns, tact_real *H) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            H[i * columns + j] += A[i] * Y[j] + A[rows + i] * Y[columns + j] + A[2 * rows + i] * Y[2 * columns + j];
}

void tact_virtual_add_block(tact_virtual_work *soft, int a, int b, const tact_real S[9], const tact_real *right) {
    int row = soft->group[a], column = soft->group[b];
    tact_real *H = row == column ? tact_blocks_diagonal(&soft->H, row) : tact_blocks_find(&soft->H, row, column);
    tact_real *half = soft->column;
    int rows = virtual_group_size(soft, row), columns = virtual_group_size(soft, column);
    const tact_real *A = soft->J + soft->J_start[a], *B = right + soft->J_start[b], *Y = half;
    // Y = S right_b; a plain mover's Jacobian is the identity
    if (soft->plain[b] && right == soft->J)
        Y = S;
    else if (columns == 2)
        virtual_from_right(S, B, 2, half);
    else
        virtual_from_right(S, B, columns, half);
    // H += J_a' Y; sizes 2 and 3 are constants so that the compiler unrolls the loops
    if (soft->plain[a])
        for (int i = 0; i < 3 * columns; i++) H[i] += Y[i];
    else if (rows == 2 && columns == 2)
        virtual_from_left(A, Y, 2, 2, H);
    else if (rows == 2 && columns == 3)
        virtual_from_left(A, Y, 2, 3, H);
    else
        virtual_from_left(A, Y, rows, columns, H);
}

// Subtracts beta (dQ/dq + sigma dQ/dv) of one end of a contact from H, for the columns of both ends.
static void virtual_add_end(const tact_virtual_job *job, const tact_virtual *contact, const tact_virtual_force *force, int end,
                            const tact_vec2 df[6]) {
    tact_virtual_work *soft = job->soft;
    tact_vec2 lever = tact_vec2_turn(force->arm[end]), f = force->f;
    tact_real scale = end == 0 ? -job->stage->beta : job->stage->beta;
    // force, and moment f'E (x - p), whose lever arm changes with x and with the end's own origin
    for (int other = 0; other < 2; other++) {
        tact_real S[9];
        if (force->mover[other] == TACT_WORLD) continue;
        for (int k = 0; k < 3; k++) {
            tact_vec2 dx = contact->dx[3 * other + k], d = df[3 * other + k];
            if (other == end && k == 0) dx.x -= 1;
            if (other == end && k == 1) dx.y -= 1;
            S[k] = scale * d.x;
            S[3 + k] = scale * d.y;
            S[6 + k] = scale * (tact_vec2_dot(lever, d) + tact_vec2_dot(f, tact_vec2_turn(dx)));
        }
        tact_virtual_add_block(soft, force->mover[end], force->mover[other], S, soft->J);
    }
}

// Subtracts beta (dQ/dq + sigma dQ/dv) of a contact from H.
static void virtual_add_slopes(const tact_virtual_job *job, const tact_virtual *contact, const tact_virtual_ends *ends,
                               const tact_virtual_response *response, const tact_virtual_force *force) {
    tact_vec2 df[6];
    tact_real sigma = job->stage->sigma;
    // df by each coordinate: through gap, normal and point, and through the velocity by sigma
    for (int end = 0; end < 2; end++) {
        tact_vec2 lever = tact_vec2_turn(force->arm[end]);
        tact_real sign = end == 0 ? sigma : -sigma;
        if (force->mover[end] == TACT_WORLD) continue;
        for (int k = 0; k < 3; k++) {
            // velocity of the body's point at unit rate of the coordinate
            tact_vec2 u = k == 2 ? lever : tact_vec2_make(k == 0, k == 1);
            tact_vec2 d = tact_virtual_force_slope(contact, ends, response, 3 * end + k);
            d.x += sign * (force->by_v[0][0] * u.x + force->by_v[0][1] * u.y);
            d.y += sign * (force->by_v[1][0] * u.x + force->by_v[1][1] * u.y);
            df[3 * end + k] = d;
        }
    }
    for (int end = 0; end < 2; end++)
        if (force->mover[end] != TACT_WORLD) virtual_add_end(job, contact, force, end, df);
}

// y += J'f for a force f on the first body and -f on the second, with their moments about the arms.
void tact_virtual_add_force(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 f, tact_real *y) {
    for (int end = 0; end < 2; end++) {
        tact_real sign = end == 0 ? 1 : -1;
        if (force->mover[end] == TACT_WORLD) continue;
        const tact_real F[3] = {sign * f.x, sign * f.y, sign * tact_vec2_dot(f, tact_vec2_turn(force->arm[end]))};
        tact_virtual_push_mover(soft, force->mover[end], F, y);
    }
}

void tact_virtual_add_lever(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 way, tact_real *y) {
    for (int end = 0; end < 2; end++) {
        tact_real sign = end == 0 ? 1 : -1;
        if (force->mover[end] == TACT_WORLD) continue;
        const tact_real F[3] = {0, 0, sign * tact_vec2_dot(force->f, tact_vec2_turn(way))};
        tact_virtual_push_mover(soft, force->mover[end], F, y);
    }
}

tact_vec2 tact_virtual_slip(const tact_virtual_work *soft, const tact_virtual_force *force, const tact_real *x) {
    tact_vec2 slip = {0, 0};
    for (int end = 0; end < 2; end++) {
        tact_real v[3], sign = end == 0 ? 1 : -1;
        if (force->mover[end] == TACT_WORLD) continue;
        tact_virtual_rate(soft, force->mover[end], x, v);
        tact_vec2 lever = tact_vec2_turn(force->arm[end]);
        // v + w E r of this end
        slip.x += sign * (v[0] + v[2] * lever.x);
        slip.y += sign * (v[1] + v[2] * lever.y);
    }
    return slip;
}

tact_virtual_couple *tact_virtual_begin_couple(tact_virtual_work *soft, const int mover[2]) {
    tact_virtual_couple *couple = &soft->couple[soft->ncouple];
    *couple = (tact_virtual_couple){.mover = {mover[0], mover[1]}, .first = soft->nforce};
    for (int i = 0; i < 2; i++) couple->p[i] = soft->origin[mover[i] == TACT_WORLD ? mover[1 - i] : mover[i]];
    return couple;
}

void tact_virtual_couple_rate(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x,
                              tact_real rate[3]) {
    tact_real a[3], b[3];
    // both velocities at p[0]
    tact_vec2 e = tact_vec2_turn(tact_vec2_sub(couple->p[0], couple->p[1]));
    tact_virtual_rate(soft, couple->mover[0], x, a);
    tact_virtual_rate(soft, couple->mover[1], x, b);
    rate[0] = a[0] - b[0] - b[2] * e.x;
    rate[1] = a[1] - b[1] - b[2] * e.y;
    rate[2] = a[2] - b[2];
}

void tact_virtual_push_couple(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real F[3],
                              tact_real *y) {
    // opposite force, with its moment about p[1]
    tact_vec2 e = tact_vec2_turn(tact_vec2_sub(couple->p[0], couple->p[1]));
    const tact_real back[3] = {-F[0], -F[1], -(F[2] + F[0] * e.x + F[1] * e.y)};
    if (couple->mover[0] != TACT_WORLD) tact_virtual_push_mover(soft, couple->mover[0], F, y);
    if (couple->mover[1] != TACT_WORLD) tact_virtual_push_mover(soft, couple->mover[1], back, y);
}

void tact_virtual_damp(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x, bool transposed,
                       tact_real *y) {
    tact_real v[3], F[3];
    int across = transposed ? 3 : 1, down = transposed ? 1 : 3;
    // V'D V x, or with D'
    tact_virtual_couple_rate(soft, couple, x, v);
    for (int i = 0; i < 3; i++) {
        const tact_real *D = couple->D + i * down;
        F[i] = D[0] * v[0] + D[across] * v[1] + D[2 * across] * v[2];
    }
    tact_virtual_push_couple(soft, couple, F, y);
}

void tact_virtual_add_damping(const tact_virtual_work *soft, const tact_real *x, bool transposed, tact_real *y) {
    for (int i = 0; i < soft->group_start[soft->ngroup]; i++) y[i] -= (soft->damping[i] + soft->limit_drag[i]) * x[i];
    for (int i = 0; i < soft->ncouple; i++) tact_virtual_damp(soft, &soft->couple[i], x, transposed, y);
    for (int g = 0; soft->bending && g < soft->ngroup; g++)
        if (soft->bends[g]) tact_chain_damp(soft, g, x, transposed, y);
}

// Weights and external forces at centres of mass off the axis of rotation, whose moments depend on the angle.
static void virtual_add_off_axis(const tact_virtual_job *job, bool slopes) {
    tact_virtual_work *soft = job->soft;
    for (int i = 0; i < soft->noff; i++) {
        int body = soft->inside[i], mover = soft->mover[body];
        // moment c x f of a force at c, and its derivative by the angle
        tact_vec2 c = tact_planar_rotate(soft->planar.pose[mover], soft->com[body]);
        const tact_real F[3] = {0, 0, tact_vec2_dot(tact_vec2_turn(c), soft->push[body])};
        const tact_real S[9] = {0, 0, 0, 0, 0, 0, 0, 0, job->stage->beta * tact_vec2_dot(c, soft->push[body])};
        tact_virtual_push_mover(soft, mover, F, soft->Q);
        if (slopes) tact_virtual_add_block(soft, mover, mover, S, soft->J);
    }
}

// Clears H and adds beta (K_a + sigma D_a) of the drives.
static void virtual_begin_matrix(const tact_virtual_job *job) {
    tact_virtual_work *soft = job->soft;
    tact_blocks_zero(&soft->H);
    for (int g = 0; g < soft->ngroup; g++) {
        int begin = soft->group_start[g], size = virtual_group_size(soft, g);
        tact_real *H = tact_blocks_diagonal(&soft->H, g);
        // beta (K_a + sigma D_a) on the diagonal
        for (int i = 0; i < size; i++)
            H[i * (size + 1)] += job->stage->beta * (soft->stiffness[begin + i] + job->stage->sigma * soft->damping[begin + i]);
    }
}

bool tact_virtual_factor(tact_virtual_work *soft) {
    tact_blocks_keep(&soft->H);
    for (int g = 0; g < soft->ngroup; g++) {
        tact_real *H = tact_blocks_diagonal(&soft->H, g);
        for (int i = soft->M_start[g]; i < soft->M_start[g + 1]; i++) H[i - soft->M_start[g]] += soft->M[i];
    }
    return tact_blocks_factor(&soft->H);
}

void tact_virtual_evaluate(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes) {
    tact_virtual_work *soft = job->soft;
    // poses; then Q of drives, weights, limits and chains
    tact_virtual_move(job, x, w, slopes);
    if (soft->bending) tact_chain_clear(job->model, soft);
    if (slopes) virtual_begin_matrix(job);
    for (int i = 0; i < job->model->nv; i++) soft->Q[i] = soft->load[i] - soft->stiffness[i] * x[i] - soft->damping[i] * w[i];
    virtual_add_off_axis(job, slopes);
    tact_virtual_add_limits(job, x, w, slopes);
    if (soft->bending) tact_chain_add_bodies(job, x, w, slopes);
    // contacts of the pairs that the broad phase found
    soft->nforce = soft->ncouple = 0;
    for (int i = 0; i < soft->planar.nnear; i++) {
        // force and stiffness of each pair
        int pair = soft->planar.near[i];
        const tact_model *model = job->model;
        tact_virtual_material material = {job->options, job->a, model->pair[pair].mu, false};
        tact_virtual_ends ends;
        const int shape[2] = {model->pair[pair].a, model->pair[pair].b};
        int mover[2];
        for (int j = 0; j < 2; j++) {
            int body = model->shape[shape[j]].body;
            mover[j] = body == TACT_WORLD ? TACT_WORLD : soft->mover[body];
        }
        const tact_planar_shape *a = &soft->planar.shape[shape[0]], *b = &soft->planar.shape[shape[1]];
        // bodies on the same mover exert no contact force on each other
        if (mover[0] == mover[1]) continue;
        // for a point and a half-plane the exact test costs no more than bounds
        bool flat = a->kind == TACT_PLANAR_HALFPLANE || b->kind == TACT_PLANAR_HALFPLANE,
             quick = flat && a->count + b->count == 2;
        if (!quick && tact_planar_apart(&soft->planar, pair, soft->reach)) continue;
        // contacts in closed form are summed over the pair before they enter H
        if (tact_virtual_touches(a, b, &soft->contact)) {
            tact_virtual_add_touches(job, pair, mover, slopes);
            continue;
        }
        // other contacts one by one: force, its part of Q, and its derivatives
        int count = tact_virtual_gather(soft, pair, &ends);
        tact_virtual_couple *couple = tact_virtual_begin_couple(soft, mover);
        for (int j = 0; j < count && soft->nforce < soft->most_force; j++) {
            const tact_virtual *contact = &soft->found[j];
            // farther apart than the law reaches: no force
            if (contact->d < -soft->reach) continue;
            material.stick = job->sticks && job->sticks[soft->nforce];
            tact_virtual_response response = tact_virtual_react(&material, contact, &ends);
            if (response.fn == 0 && response.fn_d == 0) continue;
            tact_virtual_force *force = &soft->force[soft->nforce++];
            *force = (tact_virtual_force){
                .pair = pair, .mover = {mover[0], mover[1]}, .x = contact->x, .n = contact->n, .d = contact->d};
            tact_virtual_load(&ends, &response, force);
            tact_virtual_add_force(soft, force, force->f, soft->Q);
            if (slopes) virtual_add_slopes(job, contact, &ends, &response, force);
            if (soft->bending) tact_chain_note_force(soft, force);
            tact_virtual_couple_force(force, couple);
        }
        if (soft->bending && slopes && couple->count > 0) tact_chain_add_drift(job, couple);
        if (couple->count > 0) soft->ncouple++;
    }
    if (soft->bending && slopes) tact_chain_add_pull(job);
}

// M multiplies a difference, so that no digits are lost to large coordinates.
void tact_virtual_residual(const tact_virtual_job *job, const tact_real *x, tact_real *r) {
    const tact_virtual_work *soft = job->soft;
    tact_real *way = soft->trial_w;
    for (int i = 0; i < job->model->nv; i++) way[i] = x[i] - job->stage->qhat[i];
    tact_virtual_apply_mass(soft, way, r);
    for (int i = 0; i < job->model->nv; i++) r[i] -= job->stage->beta * soft->Q[i];
}
