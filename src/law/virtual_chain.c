// SPDX-License-Identifier: MIT
#include "law/virtual_chain.h"

#include "math/elementary.h"

// Components of a vector in the plane.
static tact_vec2 chain_flat(const tact_plane *plane, tact_vec3 x) {
    return tact_vec2_make(tact_vec3_dot(plane->x, x), tact_vec3_dot(plane->y, x));
}

// Whether a body belongs to a group that bends.
static bool chain_has(const tact_virtual_work *soft, int body) {
    return soft->mover[body] != TACT_WORLD && soft->bends[soft->group[body]];
}

// First unknown and size of a group.
static int chain_begin(const tact_virtual_work *soft, int group, int *size) {
    *size = soft->group_start[group + 1] - soft->group_start[group];
    return soft->group_start[group];
}

void tact_chain_prepare(const tact_model *model, const tact_kinematics *kinematics, tact_virtual_work *soft) {
    const tact_plane *plane = &soft->planar.plane;
    for (int g = 0; g < soft->ngroup; g++) soft->bends[g] = false;
    // moment of inertia about the plane's normal: n'I n in body axes
    for (int b = 0; b < model->nbody; b++) {
        const tact_real *I = model->body[b].inertia;
        tact_vec3 n = tact_mat3_apply_transposed(kinematics->pose[b].R, plane->z);
        soft->inertia[b] =
            n.x * (I[0] * n.x + 2 * (I[3] * n.y + I[4] * n.z)) + n.y * (I[1] * n.y + 2 * I[5] * n.z) + I[2] * n.z * n.z;
        if (tact_virtual_body_bends(model, b)) soft->bends[soft->group[b]] = true;
    }
    // screws at q = 0: of a rotation a point of its axis, of a slide its direction
    for (int m = 0; m < model->nmotion; m++) {
        tact_virtual_screw *screw = &soft->rest_screw[m];
        screw->turn = tact_vec3_dot(kinematics->angular[m], plane->z);
        screw->at = chain_flat(plane, screw->turn != 0 ? kinematics->origin[m] : kinematics->linear[m]);
    }
}

void tact_chain_clear(const tact_model *model, tact_virtual_work *soft) {
    for (int g = 0; g < soft->ngroup; g++)
        for (int i = soft->M_start[g]; soft->bends[g] && i < soft->M_start[g + 1]; i++) soft->M[i] = soft->gyration[i] = 0;
    for (int b = 0; b < model->nbody; b++) soft->pull[b] = tact_vec2_make(0, 0);
}

// Lists in soft->link the motions on the path to a body, from the root, with their Jacobian columns for the point x; their
// number.
static int chain_list(const tact_virtual_work *soft, int body, tact_vec2 x) {
    const tact_model *model = soft->planar.model;
    int count = 0, begin = soft->group_start[soft->group[body]];
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        // column of the Jacobian: the direction of a slide, or o E (x - a) of a rotation o about a
        const tact_virtual_screw *screw = &soft->screw[model->path[k]];
        tact_virtual_link *link = &soft->link[count++];
        link->unknown = soft->unknown[model->motion[model->path[k]].dof] - begin;
        link->turn = screw->turn;
        link->column = screw->at;
        if (screw->turn != 0) link->column = tact_vec2_scale(screw->turn, tact_vec2_turn(tact_vec2_sub(x, screw->at)));
    }
    return count;
}

// Rates w and displacements x - from of the listed motions, and the cumulated rotation up to each; w and x begin at the group.
static void chain_rate(tact_virtual_link *link, int count, const tact_real *w, const tact_real *x, const tact_real *from) {
    tact_real spin = 0, spin_way = 0;
    for (int i = 0; i < count; i++) {
        int k = link[i].unknown;
        link[i].rate = w[k];
        // rates and displacements, with their rotations summed from the root
        link[i].way = x ? x[k] - from[k] : 0;
        link[i].spin = spin += link[i].turn * link[i].rate;
        link[i].spin_way = spin_way += link[i].turn * link[i].way;
    }
}

// Coefficient of E J_j in z: w_j (sum_{i < j} + sum_{i <= j}) o_i w_i.
static tact_real chain_swirl(const tact_virtual_link *link) {
    return link->rate * (2 * link->spin - link->turn * link->rate);
}

// sum_j dJ_j/dq_i y_j = E ((rotation up to i, of y) J_i + o_i times the velocity of the motions beyond i).
static tact_vec2 chain_curve(const tact_virtual_link *link, tact_real spin, tact_vec2 beyond) {
    return tact_vec2_turn(tact_vec2_add_scaled(tact_vec2_scale(spin, link->column), link->turn, beyond));
}

// Derivatives by each unknown of the velocity at rates w (curve), of the displacement (curve_way), and of z (third).
static void chain_differentiate(tact_virtual_link *link, int count) {
    tact_vec2 rate = {0, 0}, way = {0, 0}, swirl = {0, 0};
    // from tip to root, so that rate, way and swirl are sums over the motions beyond i
    for (int i = count - 1; i >= 0; i--) {
        tact_virtual_link *own = &link[i];
        own->curve = chain_curve(own, own->spin, rate);
        own->curve_way = chain_curve(own, own->spin_way, way);
        own->third = tact_vec2_scale(-own->spin * own->spin, own->column);
        own->third = tact_vec2_add_scaled(own->third, -own->turn, swirl);
        rate = tact_vec2_add_scaled(rate, own->rate, own->column);
        way = tact_vec2_add_scaled(way, own->way, own->column);
        swirl = tact_vec2_add_scaled(swirl, chain_swirl(own), own->column);
    }
}

// f.dJ_i/dq_j.
static tact_real chain_turned(const tact_virtual_link *link, int i, int j, tact_vec2 f) {
    int first = i < j ? i : j, last = i < j ? j : i;
    return link[first].turn * tact_vec2_dot(f, tact_vec2_turn(link[last].column));
}

void tact_chain_move(const tact_virtual_job *job, int mover, const tact_real *x, const tact_real *w, bool slopes) {
    tact_virtual_work *soft = job->soft;
    int width = 0, begin = chain_begin(soft, soft->group[mover], &width);
    tact_real *J = soft->J + soft->J_start[mover], *N = soft->drift + soft->J_start[mover], *v = soft->velocity + 3 * mover;
    // pose of the mover from that of its carrier, by its own motions one by one
    const tact_model *model = soft->planar.model;
    int parent = model->body[mover].parent, carrier = parent == TACT_WORLD ? TACT_WORLD : soft->mover[parent];
    tact_planar_pose pose = {soft->rest[mover], {1, 0}};
    // rest pose relative to the carrier
    if (carrier != TACT_WORLD) {
        pose.turn = soft->planar.pose[carrier].turn;
        tact_vec2 arm = tact_planar_rotate(pose, tact_vec2_sub(soft->rest[mover], soft->rest[carrier]));
        pose.p = tact_vec2_add(soft->origin[carrier], arm);
    }
    for (int m = model->body_motion[mover]; m < model->body_motion[mover + 1]; m++) {
        const tact_virtual_screw *rest = &soft->rest_screw[m];
        tact_real way = x[soft->unknown[model->motion[m].dof]];
        tact_virtual_screw *screw = &soft->screw[m];
        screw->turn = rest->turn;
        if (rest->turn == 0) {
            // a slide moves the origin along its rotated direction
            screw->at = tact_planar_rotate(pose, rest->at);
            pose.p = tact_vec2_add_scaled(pose.p, way, screw->at);
            continue;
        }
        // a rotation moves the origin about its axis
        tact_planar_pose turn = {{0, 0}, {1, 0}};
        tact_sincos(rest->turn * way, &turn.turn.y, &turn.turn.x);
        screw->at = tact_vec2_add(pose.p, tact_planar_rotate(pose, tact_vec2_sub(rest->at, soft->rest[mover])));
        pose.p = tact_vec2_add(screw->at, tact_planar_rotate(turn, tact_vec2_sub(pose.p, screw->at)));
        pose.turn = tact_planar_rotate(turn, pose.turn);
    }
    soft->origin[mover] = pose.p;
    soft->planar.pose[mover] = pose;
    int count = chain_list(soft, mover, soft->origin[mover]);
    chain_rate(soft->link, count, w + begin, NULL, NULL);
    if (slopes) chain_differentiate(soft->link, count);
    for (int i = 0; i < 3 * width; i++) J[i] = N[i] = 0;
    v[0] = v[1] = v[2] = 0;
    // J and v = J w; the drift is d(J w)/dq at fixed w
    for (int i = 0; i < count; i++) {
        const tact_virtual_link *link = &soft->link[i];
        const tact_real column[3] = {link->column.x, link->column.y, link->turn};
        for (int k = 0; k < 3; k++) {
            J[k * width + link->unknown] += column[k];
            v[k] += column[k] * link->rate;
        }
        N[link->unknown] += slopes ? link->curve.x : 0;
        N[width + link->unknown] += slopes ? link->curve.y : 0;
    }
}

// Position of a body's centre of mass.
static tact_vec2 chain_centre(const tact_virtual_work *soft, int body) {
    int mover = soft->mover[body];
    return tact_vec2_add(soft->origin[mover], tact_planar_rotate(soft->planar.pose[mover], soft->com[body]));
}

// Whether an unknown feels weight: all do, or only undriven ones.
static bool chain_weighs(const tact_virtual_job *job, int unknown) {
    return job->options->gravity_on_driven || !(job->model->dof[job->soft->dof[unknown]].stiffness > 0);
}

// m (J a + beta z) of the listed path, with a = x - qhat.
static tact_vec2 chain_momentum(const tact_virtual_job *job, int count, tact_real mass) {
    const tact_virtual_link *link = job->soft->link;
    tact_vec2 sum = {0, 0};
    for (int i = 0; i < count; i++) {
        sum = tact_vec2_add_scaled(sum, link[i].way, link[i].column);
        sum = tact_vec2_add_scaled(sum, job->stage->beta * chain_swirl(&link[i]), tact_vec2_turn(link[i].column));
    }
    return tact_vec2_scale(mass, sum);
}

// Adds one body's part of M, and of weight, external and inertial forces to Q.
static void chain_add_body(const tact_virtual_job *job, int body, int count, tact_vec2 weight) {
    tact_virtual_work *soft = job->soft;
    const tact_virtual_link *link = soft->link;
    int size = 0, begin = chain_begin(soft, soft->group[body], &size);
    tact_real *M = soft->M + soft->M_start[soft->group[body]], mass = job->model->body[body].mass;
    // z = dJ/dt w: centripetal and Coriolis acceleration of the centre of mass
    tact_vec2 z = {0, 0};
    for (int i = 0; i < count; i++) z = tact_vec2_add_scaled(z, chain_swirl(&link[i]), tact_vec2_turn(link[i].column));
    // Q += J'(push + weight - m z); M += m J'J + I o o'
    for (int i = 0; i < count; i++) {
        tact_vec2 f = tact_vec2_add_scaled(soft->push[body], -mass, z);
        if (chain_weighs(job, begin + link[i].unknown)) f = tact_vec2_add(f, weight);
        soft->Q[begin + link[i].unknown] += tact_vec2_dot(link[i].column, f);
        for (int j = 0; j < count; j++)
            M[link[i].unknown * size + link[j].unknown] +=
                mass * tact_vec2_dot(link[i].column, link[j].column) + soft->inertia[body] * link[i].turn * link[j].turn;
    }
}

// Adds the derivatives of one body's part of the residual to H (without M), and to the gyration.
static void chain_add_slopes(const tact_virtual_job *job, int body, int count, tact_vec2 weight) {
    tact_virtual_work *soft = job->soft;
    tact_virtual_link *link = soft->link;
    int size = 0, group = soft->group[body], begin = chain_begin(soft, group, &size);
    tact_real *H = tact_blocks_diagonal(&soft->H, group), *G = soft->gyration + soft->M_start[group];
    tact_real mass = job->model->body[body].mass, beta = job->stage->beta, sigma = job->stage->sigma;
    // r_i = J_i'(m (J a + beta z) - beta f): its derivative by q_j rotates J_i and changes a and z
    tact_vec2 left = tact_vec2_add_scaled(chain_momentum(job, count, mass), -beta, soft->push[body]);
    chain_differentiate(link, count);
    for (int i = 0; i < count; i++) {
        bool weighs = chain_weighs(job, begin + link[i].unknown);
        tact_vec2 f = tact_vec2_add_scaled(left, weighs ? -beta : 0, weight);
        for (int j = 0; j < count; j++) {
            int at = link[i].unknown * size + link[j].unknown;
            tact_vec2 by_q = tact_vec2_add_scaled(link[j].curve_way, beta, link[j].third);
            tact_real by_w = 2 * mass * tact_vec2_dot(link[i].column, link[j].curve);
            H[at] += chain_turned(link, i, j, f) + mass * tact_vec2_dot(link[i].column, by_q) + beta * sigma * by_w;
            G[at] += by_w;
        }
    }
}

void tact_chain_add_bodies(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes) {
    tact_virtual_work *soft = job->soft;
    tact_vec2 gravity = chain_flat(&soft->planar.plane, job->options->gravity);
    for (int b = 0; b < job->model->nbody; b++) {
        if (!chain_has(soft, b)) continue;
        int begin = soft->group_start[soft->group[b]], count = chain_list(soft, b, chain_centre(soft, b));
        tact_vec2 weight = tact_vec2_scale(job->model->body[b].mass, gravity);
        // motions on the path to the centre of mass, with rates w and displacements x - qhat
        chain_rate(soft->link, count, w + begin, x + begin, job->stage->qhat + begin);
        chain_add_body(job, b, count, weight);
        if (slopes) chain_add_slopes(job, b, count, weight);
    }
}

void tact_chain_note_force(tact_virtual_work *soft, const tact_virtual_force *force) {
    for (int end = 0; end < 2; end++) {
        int mover = force->mover[end];
        if (mover != TACT_WORLD) soft->pull[mover] = tact_vec2_add_scaled(soft->pull[mover], end == 0 ? 1 : -1, force->f);
    }
}

void tact_chain_add_pull(const tact_virtual_job *job) {
    tact_virtual_work *soft = job->soft;
    for (int b = 0; b < job->model->nbody; b++) {
        if (soft->mover[b] != b || !chain_has(soft, b) || (soft->pull[b].x == 0 && soft->pull[b].y == 0)) continue;
        int group = soft->group[b], size = soft->group_start[group + 1] - soft->group_start[group];
        int count = chain_list(soft, b, soft->origin[b]);
        tact_real *H = tact_blocks_diagonal(&soft->H, group);
        // -beta f'dJ_i/dq_j of the contact forces f on the mover
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                H[soft->link[i].unknown * size + soft->link[j].unknown] -=
                    job->stage->beta * chain_turned(soft->link, i, j, soft->pull[b]);
    }
}

void tact_chain_add_drift(const tact_virtual_job *job, const tact_virtual_couple *couple) {
    tact_virtual_work *soft = job->soft;
    const int *mover = couple->mover;
    const tact_real *D = couple->D;
    tact_vec2 e = tact_vec2_turn(tact_vec2_sub(couple->p[0], couple->p[1]));
    // damping forces depend on q also through d(J w)/dq
    for (int end = 0; end < 2; end++) {
        // moment about each end's own origin
        tact_real x = D[6] + (end == 0 ? 0 : e.x * D[0] + e.y * D[3]), y = D[7] + (end == 0 ? 0 : e.x * D[1] + e.y * D[4]);
        for (int other = 0; other < 2 && mover[end] != TACT_WORLD; other++) {
            tact_real scale = (end == other ? -1 : 1) * job->stage->beta;
            if (mover[other] == TACT_WORLD || !chain_has(soft, mover[other])) continue;
            const tact_real S[9] = {scale * D[0], scale * D[1], 0, scale * D[3], scale * D[4], 0, scale * x, scale * y, 0};
            tact_virtual_add_block(soft, mover[end], mover[other], S, soft->drift);
        }
    }
}

tact_vec2 tact_chain_slip(const tact_virtual_work *soft, const int mover[2], const tact_real *x) {
    tact_vec2 slip = {0, 0};
    for (int end = 0; soft->bending && end < 2; end++) {
        int own_mover = mover[end], width = 0;
        if (own_mover == TACT_WORLD || !chain_has(soft, own_mover)) continue;
        const tact_real *N = soft->drift + soft->J_start[own_mover];
        const tact_real *own = x + chain_begin(soft, soft->group[own_mover], &width);
        for (int i = 0; i < width; i++)
            // d(J w)/dq x of this end
            slip = tact_vec2_add_scaled(slip, end == 0 ? own[i] : -own[i], tact_vec2_make(N[i], N[width + i]));
    }
    return slip;
}

void tact_chain_damp(const tact_virtual_work *soft, int group, const tact_real *x, bool transposed, tact_real *y) {
    int size = 0, begin = chain_begin(soft, group, &size);
    const tact_real *G = soft->gyration + soft->M_start[group];
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) y[begin + i] -= (transposed ? G[j * size + i] : G[i * size + j]) * x[begin + j];
}

// The motions are changed one at a time, starting at the tip: each then rotates only motions that are already at x.
tact_real tact_chain_way(const tact_virtual_work *soft, int mover, const tact_real *x, const tact_real *from) {
    int begin = soft->group_start[soft->group[mover]], count = chain_list(soft, mover, soft->origin[mover]);
    tact_real way = 0, turn = 0;
    for (int i = 0; i < count; i++) {
        const tact_virtual_link *link = &soft->link[i];
        tact_real d = x[begin + link->unknown] - from[begin + link->unknown];
        // displacement of the origin by this motion, and rotation of the mover
        way += tact_fabs(d) * tact_sqrt(tact_vec2_dot(link->column, link->column));
        turn += d * link->turn;
    }
    return way + tact_fabs(turn) * soft->extent[mover];
}

void tact_chain_push(const tact_virtual_job *job, int body, tact_vec2 force, tact_real torque, bool undriven, tact_real *y) {
    const tact_virtual_work *soft = job->soft;
    int begin = soft->group_start[soft->group[body]], count = chain_list(soft, body, chain_centre(soft, body));
    for (int i = 0; i < count; i++) {
        const tact_virtual_link *link = &soft->link[i];
        if (undriven && !chain_weighs(job, begin + link->unknown)) continue;
        // generalised force: power at unit rate of the motion
        tact_real power = tact_vec2_dot(link->column, force) + link->turn * torque;
        y[begin + link->unknown] += job->stage->beta * power;
    }
}

void tact_chain_load(const tact_virtual_job *job, int body, bool turning, tact_real *y) {
    const tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = job->stage;
    int begin = soft->group_start[soft->group[body]], count = chain_list(soft, body, chain_centre(soft, body));
    if (count == 0) return;
    chain_rate(soft->link, count, stage->w + begin, stage->x + begin, stage->qhat + begin);
    // J a + beta z of the centre of mass, for a unit of mass
    tact_vec2 momentum = chain_momentum(job, count, 1);
    for (int i = 0; i < count; i++) {
        const tact_virtual_link *link = &soft->link[i];
        y[begin + link->unknown] -= turning ? link->turn * soft->link[count - 1].spin_way : tact_vec2_dot(link->column, momentum);
    }
}
