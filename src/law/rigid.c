// SPDX-License-Identifier: MIT
// The rigid step: semi-implicit Euler with complementarity. With v* the velocity without contact (law/rigid_system.c), W = J A^-1
// J' and the impulses r of contacts (normal, tangent, tangent) and of limits,
//
//     v+ = v* + A^-1 J'r ,   u = gap/h + J v+                       the gap counts for the normal row only
//     r in K_mu ,  u + mu |u_t| n in K_mu* ,  r'(u + mu |u_t| n) = 0
//
// so that no gap is negative where the step ends, to first order in h (exact where gaps are linear). Velocity level: a pair that
// approaches at J_n v < 0 and would meet in this step has u_n = J_n v+ + e J_n v instead; should impulses add energy so, as
// bouncing with friction can, e is lessened until they do not. A gap that is negative at the beginning counts 0 in v+, and is
// closed by a displacement without velocity; at position level only where that is faster than 1 mm/s, so that the step is
// smooth about gaps of 0.
//
// Sources: Stewart and Trinkle, An implicit time-stepping scheme, 1996; Anitescu and Potra, 1997 (position level); De Saxce and
// Feng, The bipotential method, 1998 (the cone's complementarity).
#include "law/rigid.h"
#include "math/elementary.h"

enum {
    RIGID_TURNS = 100,     // iterations on c(v+)
    RIGID_ROUNDS = 40,     // searches for further pairs
    RIGID_LESSENED = 4,    // restitutions: e, e/2, e/4, 0
    RIGID_OVERLAP = 256,   // roundings of a metre by which an overlap is none
    RIGID_ROUNDINGS = 32,  // of what a sum was made of: then it is 0
};

#define RIGID_PUSH 1                   // speed at which overlaps are closed at most [m/s]
#define RIGID_GENTLE TACT_REAL(0.001)  // speed at which they may be without a displacement [m/s]

typedef struct {
    const tact_model *model;
    const tact_options *options;
    const tact_state *state;
    tact_work *work;
    tact_rigid_work *rigid;
    tact_status status;  // so far; not negative
} rigid_step;

static tact_real rigid_norm(const tact_real *x, int n) {
    tact_real most = 0;
    for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(x[i]));
    return most;
}

// v* for the turning in use
static void rigid_release(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < s->model->nv; i++) rigid->free[i] = rigid->load[i] + rigid->turned[i];
    if (s->model->nv > 0) tact_rigid_solve(&rigid->A, rigid->pivot, 0, s->model->nv - 1, rigid->free);
}

// Whether c at the velocity is the one in use; takes it into use.
static bool rigid_is_turned(rigid_step *s, const tact_real *velocity) {
    tact_rigid_work *rigid = s->rigid;
    int n = s->model->nv;
    tact_real change = 0, size = tact_max(rigid_norm(rigid->load, n), rigid_norm(rigid->turned, n));
    if (rigid->steady) return true;
    tact_rigid_turning(s->model, s->options->dt, velocity, s->work, rigid->turning, NULL);
    for (int i = 0; i < n; i++) {
        change = tact_max(change, tact_fabs(rigid->turning[i] - rigid->turned[i]));
        rigid->turned[i] = rigid->turning[i];
    }
    return change <= 2 * TACT_EPS * size;
}

static void rigid_fly(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < s->model->nv; i++) rigid->turned[i] = 0;
    rigid_is_turned(s, s->state->v);
    rigid_release(s);
    int k = 0;
    while (k < RIGID_TURNS && !rigid_is_turned(s, rigid->free)) {
        rigid_release(s);
        k++;
    }
    if (k == RIGID_TURNS) s->status = TACT_ITERATION_LIMIT;
    for (int i = 0; i < s->model->nv; i++) rigid->next[i] = rigid->free[i];
}

// (J v)_row
static tact_real rigid_rate(const tact_rigid_work *rigid, const tact_rigid_block *block, int row, const tact_real *v) {
    tact_real sum = 0;
    for (int side = 0; side < 2 && block->side[side].component >= 0; side++) {
        int first = rigid->begin[block->side[side].component], n = rigid->begin[block->side[side].component + 1] - first;
        const tact_real *J = block->side[side].J + row * n;
        for (int k = 0; k < n; k++) sum += J[k] * v[first + k];
    }
    return sum;
}

// next = v* + A^-1 J'r
static void rigid_push(rigid_step *s, const tact_real *base, const tact_real *r, tact_real *velocity) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < s->model->nv; i++) {
        velocity[i] = base ? base[i] : 0;
        rigid->scale[i] = tact_fabs(velocity[i]);
    }
    for (int i = 0; i < rigid->count; i++) {
        for (int k = 0; k < 2 && rigid->block[i].side[k].component >= 0; k++) {
            const tact_rigid_side *side = &rigid->block[i].side[k];
            int first = rigid->begin[side->component], n = rigid->begin[side->component + 1] - first;
            for (int row = 0; row < 3; row++) {
                if (r[3 * i + row] == 0) continue;
                for (int j = 0; j < n; j++) {
                    tact_real way = side->Y[row * n + j] * r[3 * i + row];
                    velocity[first + j] += way;
                    rigid->scale[first + j] += tact_fabs(way);
                }
            }
        }
    }
}

// the gap of a row at the beginning [m]
static tact_real rigid_gap(const rigid_step *s, const tact_rigid_block *block, int row) {
    if (block->contact >= 0) return row == 0 ? s->work->contacts.contact[block->contact].gap : 0;
    const tact_dof *dof = &s->model->dof[block->dof];
    tact_real q = s->state->q[dof->q];
    return row == 0 && dof->lower > -TACT_MAX ? q - dof->lower : row == 1 && dof->upper < TACT_MAX ? dof->upper - q : 0;
}

// what is added to J v+, with restitutions times share
static void rigid_open(rigid_step *s, tact_real share) {
    tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt;
    for (int i = 0; i < rigid->count; i++) {
        tact_rigid_block *block = &rigid->block[i];
        for (int row = 0; row < 3; row++) {
            tact_real gap = rigid_gap(s, block, row);
            rigid->gap[3 * i + row] = gap < -rigid->overlap ? 0 : gap / h;
        }
        block->impact = false;
        if (block->apart) rigid->gap[3 * i] = TACT_MAX / 16;
        if (block->apart || block->contact < 0 || s->options->level != TACT_LEVEL_VELOCITY) continue;
        const tact_contact *contact = &s->work->contacts.contact[block->contact];
        tact_real e = s->model->pair[contact->pair].restitution * share, approach = rigid_rate(rigid, block, 0, s->state->v);
        if (!(e > 0 && approach < 0 && contact->gap + h * rigid_rate(rigid, block, 0, rigid->free) <= 0)) continue;
        block->impact = true;
        rigid->gap[3 * i] = e * approach;
    }
}

static tact_real *rigid_kept(const rigid_step *s, int i, int *count) {
    const tact_rigid_block *block = &s->rigid->block[i];
    *count = block->contact >= 0 ? 3 : 2;
    return block->contact >= 0 ? s->rigid->kept + 3 * s->work->contacts.contact[block->contact].pair
                               : s->rigid->limit_kept + 2 * block->dof;
}

static void rigid_exchange(rigid_step *s, bool load) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < rigid->count; i++) {
        int count = 0;
        tact_real *kept = rigid_kept(s, i, &count);
        for (int k = 0; k < 3; k++) {
            if (load) rigid->r[3 * i + k] = k < count ? kept[k] : 0;
            if (!load && k < count) kept[k] = rigid->r[3 * i + k];
        }
    }
}

// v+ and r for the constraints of now
static tact_status rigid_meet(rigid_step *s, tact_real share) {
    tact_rigid_work *rigid = s->rigid;
    rigid_open(s, share);
    for (int turn = 0; turn < RIGID_TURNS; turn++) {
        rigid_release(s);
        for (int i = 0; i < rigid->count; i++)
            for (int row = 0; row < 3; row++)
                rigid->q[3 * i + row] = rigid->gap[3 * i + row] + rigid_rate(rigid, &rigid->block[i], row, rigid->free);
        tact_status status = tact_rigid_answer(s->options, s->work, rigid->r, s->options->warm_start || turn > 0);
        if (status < 0) return status;
        rigid_push(s, rigid->free, rigid->r, rigid->next);
        if (rigid_is_turned(s, rigid->next)) return status;
    }
    return TACT_ITERATION_LIMIT;
}

// what the impulses add to the kinetic energy: r'J (v* + v+) / 2
static tact_real rigid_added_energy(const tact_rigid_work *rigid, tact_real *size) {
    tact_real sum = 0;
    *size = 0;
    for (int k = 0; k < 3 * rigid->count; k++) {
        tact_real before = rigid->r[k] * (rigid->q[k] - rigid->gap[k]) / 2,
                  after = rigid->r[k] * (rigid->u[k] - rigid->gap[k]) / 2;
        sum += before + after;
        *size += tact_fabs(before) + tact_fabs(after);
    }
    return sum;
}

static bool rigid_bounces(const tact_rigid_work *rigid) {
    for (int i = 0; i < rigid->count; i++)
        if (rigid->block[i].impact) return true;
    return false;
}

static tact_status rigid_meet_all(rigid_step *s) {
    tact_status status = TACT_CONVERGED;
    tact_real share = 1;
    for (int k = 0; k < RIGID_LESSENED; k++) {
        tact_real size = 0;
        rigid_exchange(s, true);
        status = rigid_meet(s, k == RIGID_LESSENED - 1 ? 0 : share);
        if (status < 0) return status;
        s->rigid->energy = rigid_added_energy(s->rigid, &size);
        if (!(s->rigid->energy > RIGID_ROUNDINGS * TACT_EPS * size) || !rigid_bounces(s->rigid)) break;
        share /= 2;
    }
    rigid_exchange(s, false);
    return status;
}

// widens the ways to those of the velocity; whether any grew
static bool rigid_widen(rigid_step *s, const tact_real *velocity) {
    bool grew = false;
    for (int v = 0; v < s->model->nv; v++) {
        tact_real *way = &s->rigid->way[s->model->place[v]], now = 2 * s->options->dt * tact_fabs(velocity[v]);
        if (!(now > 2 * *way)) continue;
        *way = now;
        grew = true;
    }
    return grew;
}

// Constraints that matter: those that v* may reach, then those that v+ may, until there are no more.
static tact_status rigid_find(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    const tact_options *options = s->options;
    tact_real h = options->dt, margin = options->margin;
    if (s->work->sweeping)
        margin = h * h * tact_sqrt(tact_vec3_dot(options->gravity, options->gravity)) + RIGID_OVERLAP * TACT_EPS;
    for (int v = 0; v < s->model->nv; v++) rigid->way[v] = 0;
    rigid_widen(s, rigid->free);
    for (int round = 0, before = -1; round < RIGID_ROUNDS; round++) {
        const tact_real *way = s->work->sweeping ? rigid->way : NULL;
        tact_contacts_detect(&s->work->contacts, s->model, &s->work->kinematics, margin, way);
        tact_contacts_join(&s->work->contacts, s->model, &s->work->kinematics);
        tact_status status = tact_rigid_constrain(s->model, options, s->state, s->work);
        if (status < 0) return status;
        if (rigid->count == before) return TACT_CONVERGED;
        before = rigid->count;
        status = rigid_meet_all(s);
        if (status < 0) return status;
        if (status > 0) s->status = status;
        if (!rigid_widen(s, rigid->next)) return TACT_CONVERGED;
    }
    s->status = TACT_ITERATION_LIMIT;
    return TACT_CONVERGED;
}

// second derivative of a contact's gap along the present velocity, by a difference
static tact_real rigid_bend(rigid_step *s, int pair) {
    const tact_model *model = s->model;
    tact_rigid_work *rigid = s->rigid;
    tact_real gap[3], step = tact_sqrt(tact_sqrt(TACT_EPS));
    for (int k = -1; k <= 1; k++) {
        for (int i = 0; i < model->nv; i++) rigid->scale[i] = (tact_real)k * step * s->state->v[i];
        for (int i = 0; i < model->nq; i++) rigid->trial[i] = s->state->q[i];
        tact_model_integrate(model, &s->work->kinematics, rigid->scale, rigid->trial);
        tact_kinematics_update(&rigid->after, model, rigid->trial);
        gap[k + 1] = tact_contact_gap(model, &rigid->after, pair);
    }
    return ((gap[2] - gap[1]) - (gap[1] - gap[0])) / (step * step);
}

// The direction (tangent, tangent) in which a contact that bears slides, and goes on sliding; false: it does not.
static bool rigid_slides(rigid_step *s, int i, tact_real slide[2]) {
    tact_rigid_work *rigid = s->rigid;
    const tact_rigid_block *block = &rigid->block[i];
    const tact_real slow = TACT_REAL(1e-6);
    if (block->contact < 0 || rigid->mu[i] < 0 || !(rigid->r[3 * i] > 0) || block->impact || block->apart) return false;
    if (s->work->contacts.contact[block->contact].gap > RIGID_OVERLAP * TACT_EPS) return false;
    for (int k = 0; k < 2; k++) slide[k] = rigid_rate(rigid, block, k + 1, s->state->v);
    tact_real speed = tact_sqrt(slide[0] * slide[0] + slide[1] * slide[1]);
    if (!(speed > slow && tact_fabs(rigid_rate(rigid, block, 0, s->state->v)) <= slow * (1 + speed))) return false;
    slide[0] /= speed;
    slide[1] /= speed;
    return true;
}

// Painleve: where a sliding contact's own force pulls it closer, f >= 0, a = M f + b >= 0, a f = 0 with M < 0 has no solution
// for b < 0 and two for b > 0. An impulse that stops the slide at once is what the cone's complementarity gives: it is not
// taken for an answer.
static tact_status rigid_doubt(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    bool twofold = false;
    for (int i = 0; i < rigid->count; i++) {
        tact_real slide[2], *r = rigid->r + 3 * i;
        if (!rigid_slides(s, i, slide)) continue;
        const tact_rigid_block *block = &rigid->block[i];
        int k = block->island, at = rigid->row_start[i + k];
        while (rigid->column[rigid->first_stored[k] + at] != i - rigid->island[k]) at++;
        const tact_real *W = rigid->W + 9 * (size_t)(rigid->first_stored[k] + at);
        if (!(W[0] - rigid->mu[i] * (W[1] * slide[0] + W[2] * slide[1]) < 0)) continue;
        int pair = s->work->contacts.contact[block->contact].pair;
        tact_real alone = rigid->u[3 * i] - rigid->gap[3 * i] - (W[0] * r[0] + W[1] * r[1] + W[2] * r[2]);
        tact_real b = (alone - rigid_rate(rigid, block, 0, s->state->v)) / s->options->dt + rigid_bend(s, pair);
        s->work->worst_pair = pair;
        if (!(b > 0)) return TACT_UNSOLVABLE;
        rigid->block[i].apart = twofold = true;
    }
    if (!twofold) return TACT_CONVERGED;
    tact_status status = rigid_meet_all(s);
    s->status = TACT_AMBIGUOUS;
    return status < 0 ? status : TACT_CONVERGED;
}

// What cancelled to the solver's error is at rest.
static void rigid_settle(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    tact_real least = tact_max(RIGID_ROUNDINGS * TACT_EPS, 8 * s->work->decrement);
    for (int c = 0; c < rigid->ncomponent; c++) {
        int from = rigid->begin[c], n = rigid->begin[c + 1] - from;
        bool touches = rigid->count > 0 && rigid->touching[c + 2] > rigid->touching[c + 1];
        tact_real most = rigid_norm(rigid->scale + from, n);
        for (int i = from; i < from + n && touches; i++)
            if (tact_fabs(rigid->next[i]) <= least * most) rigid->next[i] = 0;
    }
}

// The displacement per time that closes overlaps, without friction.
static void rigid_correct(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt;
    rigid->correction = 0;
    for (int i = 0; i < s->model->nv; i++) rigid->shift[i] = 0;
    for (int i = 0; i < rigid->count; i++)
        for (int row = 0; row < 3; row++) {
            tact_real gap = rigid_gap(s, &rigid->block[i], row);
            rigid->q[3 * i + row] = tact_max(gap / h, -RIGID_PUSH) + rigid_rate(rigid, &rigid->block[i], row, rigid->next);
            rigid->correction = tact_max(rigid->correction, -gap);
        }
    if (!(rigid->correction > rigid->overlap)) {
        rigid->correction = 0;
        return;
    }
    tact_real *r = rigid->gap;
    if (tact_rigid_answer_smooth(s->options, s->work, r) < 0)
        s->status = TACT_STATIONARY;
    else
        rigid_push(s, NULL, r, rigid->shift);
}

static void rigid_keep_forces(rigid_step *s, tact_state *state) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < 3 * s->model->npair; i++) state->lambda[i] = 0;
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->block[i].contact < 0) continue;
        tact_contact *contact = &s->work->contacts.contact[rigid->block[i].contact];
        tact_real *l = contact->lambda;
        for (int k = 0; k < 3; k++) l[k] = state->lambda[3 * contact->pair + k] = rigid->r[3 * i + k] / s->options->dt;
        contact->force = tact_mat3_apply_transposed(contact->frame, tact_vec3_make(l[0], l[1], l[2]));
    }
}

static void rigid_finish(rigid_step *s, tact_state *state) {
    tact_rigid_work *rigid = s->rigid;
    tact_work *work = s->work;
    tact_rigid_turning(s->model, s->options->dt, rigid->next, work, rigid->turning, rigid->momentum);
    for (int i = 0; i < s->model->nv; i++) work->displacement[i] = s->options->dt * (rigid->next[i] + rigid->shift[i]);
    tact_model_integrate(s->model, &work->kinematics, work->displacement, state->q);
    tact_kinematics_update(&rigid->after, s->model, state->q);
    tact_rigid_conclude(s->model, rigid->momentum, work, state->v);
    rigid_keep_forces(s, state);
    work->kinetic = 0;
    for (int i = 0; i < s->model->nv; i++) work->kinetic += rigid->momentum[i] * state->v[i] / 2;
    work->potential = tact_weight_energy(s->model, &rigid->after, s->options->gravity);
}

// A motion or an impulse beyond what the library's numbers hold is no answer; NaN is none, either.
static bool rigid_stays_in_reach(const rigid_step *s) {
    const tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt;
    bool within = true;
    for (int i = 0; i < s->model->nv; i++)
        within = within && tact_fabs(h * (rigid->next[i] + rigid->shift[i])) <= TACT_REAL(TACT_MOST_LENGTH);
    for (int i = 0; i < 3 * rigid->count; i++) within = within && tact_fabs(rigid->r[i]) <= h * TACT_REAL(TACT_MOST_CONTACT);
    return within;
}

static tact_status step_rigid(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                              tact_work *work) {
    rigid_step s = {model, options, state, work, work->rigid, TACT_CONVERGED};
    work->fault = work->rigid->fault;
    if (work->fault.field) return work->status = TACT_BAD_INPUT;
    work->rigid->overlap = RIGID_OVERLAP * TACT_EPS;
    if (options->level == TACT_LEVEL_POSITION) work->rigid->overlap = tact_max(work->rigid->overlap, RIGID_GENTLE * options->dt);
    work->status = tact_rigid_assemble(model, options, input, state, work);
    if (work->status < 0) return work->status;
    for (int i = 0; i < 3 * model->npair; i++) work->rigid->kept[i] = options->dt * state->lambda[i];
    for (int i = 0; i < 2 * model->nv; i++) work->rigid->limit_kept[i] = 0;
    rigid_fly(&s);
    work->status = rigid_find(&s);
    if (work->status >= 0) work->status = rigid_doubt(&s);
    // the input was checked: what is left are numbers that overflow on the way
    if (work->status == TACT_BAD_INPUT) work->status = TACT_SINGULAR;
    if (work->status < 0) return work->status;
    rigid_settle(&s);
    rigid_correct(&s);
    if (!rigid_stays_in_reach(&s)) return work->status = TACT_SINGULAR;
    rigid_finish(&s, state);
    return work->status = s.status;
}

static bool rigid_carries(const tact_model *model, int carrier, int body) {
    while (body > carrier) body = model->body[body].parent;
    return body == carrier;
}

// Whether something that the body carries resists its joint.
static bool rigid_resists(const tact_model *model, int b) {
    tact_joint_type joint = model->body[b].joint;
    bool turns = joint != TACT_JOINT_PRISMATIC && joint != TACT_JOINT_TRANSLATION;
    for (int c = b; c < model->nbody; c++) {
        const tact_body *body = &model->body[c];
        if (!rigid_carries(model, b, c)) continue;
        bool arm = c != b || body->com.x != 0 || body->com.y != 0 || body->com.z != 0;
        bool spins = body->inertia[0] > 0 || body->inertia[1] > 0 || body->inertia[2] > 0;
        if (turns ? spins || (arm && body->mass > 0) : body->mass > 0) return true;
    }
    return false;
}

static bool rigid_is_undriven(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    for (int k = 0; k < tact_joint_dofs(body->joint); k++)
        if (model->dof[body->v + k].u < 0 && model->dof[body->v + k].body == b) return true;
    return false;
}

// A free joint's motions keep their direction in the world, which the momentum of what carries it would feel.
static bool rigid_is_carried_free(const tact_model *model, int b) {
    int parent = model->body[b].parent;
    return model->body[b].joint == TACT_JOINT_FREE && parent != TACT_WORLD &&
           model->path_start[parent + 1] > model->path_start[parent];
}

static const char *refuse_rigid(const tact_model *model, int *body) {
    for (int b = 0; b < model->nbody; b++) {
        *body = b;
        if (rigid_is_carried_free(model, b)) return "free on a body that moves: the rigid law has no such joint";
        if (rigid_is_undriven(model, b) && !rigid_resists(model, b))
            return "neither driven nor held by inertia: the rigid law needs a mass, an inertia or a drive";
    }
    return NULL;
}

static void prepare_rigid(tact_work *work, const tact_model *model) {
    tact_rigid_prepare(work, model);
    work->rigid->fault = (tact_fault){NULL, 0};
    for (int b = model->nbody - 1; b >= 0; b--)
        if (rigid_is_carried_free(model, b)) work->rigid->fault = (tact_fault){"body.joint", b};
}

const tact_law tact_law_rigid = {
    .name = "rigid", .refuse = refuse_rigid, .place = tact_rigid_place, .prepare = prepare_rigid, .step = step_rigid};
