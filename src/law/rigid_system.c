// SPDX-License-Identifier: MIT
// Equations of motion of the rigid law without contacts, in discrete Lagrangian form (left rule, which is symplectic):
//     p          = M(q) v                                                    momentum at the beginning of the step
//     A v+       = p + h (tau + K (u - q)) + h c(v+) + J'r,  A = M + h^2 K + h D
//     q+         = q (+) h v+
//     p+         = M(q) v+ ; for free rotations T(h w+) L                     M(q+) v(state) = p+
//
// c = dT/dq at (q, v+) is the gyroscopic term (law/rigid_turning.c). T is the transposed inverse of the exponential map's
// derivative; with it p+ of a free body is its angular momentum to rounding. Drives are implicit, and so stable however stiff.
//
// Source: Marsden and West, Discrete mechanics and variational integrators, 2001; Bou-Rabee and Marsden, Hamilton-Pontryagin
// integrators on Lie groups, 2009.
#include "law/rigid.h"
#include "law/tie.h"
#include "math/elementary.h"
#include "solve/friction.h"
#include "solve/skyline.h"

enum {
    RIGID_PER_BODY = 16,   // contacts that there is room for: per body, where there are more pairs than that
    RIGID_SPARE = 64,      // ... and in addition
    RIGID_COUPLED = 64,    // blocks of W per constraint, likewise
    RIGID_DENSE = 48,      // constraints of an island with dense equations at most
    RIGID_EDGES = 40,      // off-diagonal blocks of a large island's equations, per component
    RIGID_FOUND = 16,      // blocks of W per pair at most, where the pairs are found by a broad phase ...
    RIGID_FILL = 4,        // ... and off-diagonal blocks, fill-in included: a pile of 1000 spheres needs 33 per sphere
    RIGID_POLYGONS = 32,   // constraints of an island with polyhedral cones at most
    RIGID_SINGULAR = 256,  // [TACT_EPS of its diagonal entry]: a smaller pivot is singular
};

// The last dof of the component that begins at v.
static int rigid_component_end(const tact_model *model, int v) {
    int end = model->reach[v];
    for (int i = v; i <= end; i++)
        if (model->reach[i] > end) end = model->reach[i];
    return end;
}

// Counts components, constraints and blocks of W that there is to be room for.
static void rigid_count(const tact_model *model, tact_rigid_work *rigid) {
    rigid->ncomponent = rigid->widest = rigid->most = 0;
    for (int v = 0; v < model->nv; v++) {
        // a component: a range of dofs that inertia couples, one tree or several
        int end = rigid_component_end(model, v);
        rigid->ncomponent++;
        if (end - v + 1 > rigid->widest) rigid->widest = end - v + 1;
        v = end;
    }
    for (int v = 0; v < model->nv; v++) rigid->most += model->dof[v].lower > -TACT_MAX || model->dof[v].upper < TACT_MAX;
    // room for no more constraints than bodies can have neighbours
    int room = RIGID_PER_BODY * model->nbody + RIGID_SPARE;
    rigid->most += tact_model_pairs(model) < room ? tact_model_pairs(model) : room;
    rigid->stored = rigid->most < RIGID_COUPLED ? rigid->most * rigid->most : rigid->most * RIGID_COUPLED;
    // where a broad phase finds the pairs, "max_contacts" bounds what can be coupled
    int found = RIGID_FOUND * tact_model_pairs(model) + RIGID_SPARE * RIGID_SPARE;
    if (model->search && rigid->stored > found) rigid->stored = found;
}

// Memory of the integer lists (components, islands, constraints) and of the Delassus matrix.
static void rigid_place_lists(tact_rigid_work *rigid, const tact_model *model, tact_arena *arena) {
    size_t nv = (size_t)model->nv, n = (size_t)rigid->ncomponent, most = (size_t)rigid->most, blocks = (size_t)rigid->stored;
    // components: their dofs, and the envelope of A and M
    rigid->begin = tact_arena_take(arena, n + 1, sizeof(int));
    TACT_INDICES(arena, nv, &rigid->component, &rigid->first);
    rigid->start = tact_arena_take(arena, nv + 1, sizeof(int));
    // constraints, and the islands of components that they join
    rigid->block = tact_arena_take(arena, most, sizeof(tact_rigid_block));
    rigid->listed = tact_arena_take(arena, most, sizeof(tact_rigid_block));
    rigid->island = tact_arena_take(arena, most + 1, sizeof(int));
    rigid->number = tact_arena_take(arena, n, sizeof(int));
    // constraints of each component
    rigid->touching = tact_arena_take(arena, n + 2, sizeof(int));
    rigid->touched = tact_arena_take(arena, 2 * most, sizeof(int));
    // the Delassus matrix W = J A^-1 J' in blocks of 3 x 3, by rows
    rigid->row_start = tact_arena_take(arena, 2 * most + 1, sizeof(int));
    rigid->first_stored = tact_arena_take(arena, most, sizeof(int));
    rigid->place = tact_arena_take(arena, (size_t)tact_model_pairs(model), sizeof(int));
    rigid->column = tact_arena_take(arena, blocks, sizeof(int));
    rigid->W = tact_arena_take(arena, 9 * blocks, sizeof(tact_real));
}

// Memory of the vectors by dof and by constraint row, of A and M, and of J and Y = A^-1 J'.
static void rigid_place_vectors(tact_rigid_work *rigid, const tact_model *model, tact_arena *arena) {
    size_t nv = (size_t)model->nv, most = (size_t)rigid->most, wide = 6 * most * (size_t)rigid->widest, envelope = 0;
    for (int v = 0; v < model->nv; v++) envelope += (size_t)(model->reach[v] - v + 1);
    tact_real **by_dof[] = {&rigid->pivot,   &rigid->M_pivot, &rigid->diagonal,  &rigid->load,   &rigid->momentum,
                            &rigid->turning, &rigid->turned,  &rigid->free,      &rigid->next,   &rigid->scale,
                            &rigid->shift,   &rigid->way,     &rigid->expansion, &rigid->unrest, &rigid->along,
                            &rigid->dense,   &rigid->bent_p,  &rigid->bent_c};
    for (size_t k = 0; k < sizeof by_dof / sizeof by_dof[0]; k++) *by_dof[k] = tact_arena_take(arena, nv, sizeof(tact_real));
    tact_real **by_row[] = {&rigid->size, &rigid->hold, &rigid->gap, &rigid->q, &rigid->r, &rigid->u, &rigid->low, &rigid->high};
    for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; k++)
        *by_row[k] = tact_arena_take(arena, 3 * most, sizeof(tact_real));
    rigid->trial = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
    rigid->mu = tact_arena_take(arena, most, sizeof(tact_real));
    // envelopes of A and M
    TACT_VECTORS(arena, envelope, &rigid->A.value, &rigid->M.value);
    rigid->slope = tact_arena_take(arena, nv * (size_t)rigid->widest, sizeof(tact_real));
    rigid->slope_order = tact_arena_take(arena, nv, sizeof(int));
    TACT_VECTORS(arena, wide, &rigid->J, &rigid->Y);
    rigid->kept = tact_arena_take(arena, 3 * (size_t)tact_model_pairs(model), sizeof(tact_real));
    rigid->limit_kept = tact_arena_take(arena, 2 * nv, sizeof(tact_real));
}

// Memory of the equations by components: RIGID_EDGES off-diagonal blocks per component, each as wide as a free body (6 dofs) or
// narrower, and one block with the widest component.
static void rigid_place_nodes(tact_rigid_work *rigid, const tact_model *model, tact_arena *arena) {
    enum { FREE_DOFS = 6 };
    int n = rigid->ncomponent, widest = rigid->widest;
    tact_blocks_room room = {.nodes = n, .widest = widest, .edges = RIGID_EDGES * n, .unknowns = model->nv};
    if (n - 1 < 2 * RIGID_EDGES) room.edges = n * (n - 1) / 2;
    int found = RIGID_FILL * tact_model_pairs(model) + RIGID_EDGES, narrow = widest < FREE_DOFS ? widest : FREE_DOFS;
    if (model->search && room.edges > found) room.edges = found;
    // room for blocks between free bodies, and for those with wider components
    int64_t values = 2 * (int64_t)room.edges * narrow * narrow;
    for (int v = 0; v < model->nv;) {
        int end = rigid_component_end(model, v), size = end - v + 1;
        room.squares += size * size;
        room.values += 2 * size * (RIGID_EDGES * narrow + (widest > FREE_DOFS ? widest : 0));
        values += 2 * (int64_t)size * ((size > FREE_DOFS ? RIGID_EDGES * narrow : 0) + (widest > FREE_DOFS ? widest : 0));
        v = end + 1;
    }
    if (model->search && room.values > values) room.values = (int)values;
    // the equations of motion as a block matrix, a node for each component
    tact_blocks_place(&rigid->motion, room, arena);
    rigid->node = tact_arena_take(arena, (size_t)n, sizeof(int));
    rigid->node_start = tact_arena_take(arena, (size_t)n + 1, sizeof(int));
    rigid->moved = tact_arena_take(arena, 2 * (size_t)rigid->most, sizeof(int));
    rigid->inertia = tact_arena_take(arena, (size_t)room.squares, sizeof(tact_real));
    rigid->linear = tact_arena_take(arena, TACT_FRICTION_SCRATCH * (size_t)rigid->most, sizeof(tact_real));
    rigid->motion.start = rigid->node_start;
}

// Memory of the linear complementarity problem of islands with polyhedral cones.
static void rigid_place_polygons(tact_rigid_work *rigid, tact_arena *arena) {
    rigid->widest_polygon =
        rigid->most < RIGID_POLYGONS ? (TACT_RIGID_FACETS + 2) * rigid->most : (TACT_RIGID_FACETS + 2) * RIGID_POLYGONS;
    size_t n = (size_t)rigid->widest_polygon;
    tact_lcp_place(&rigid->pivots, rigid->widest_polygon, -1, arena);
    tact_lcp_solution_place(&rigid->polygon, rigid->widest_polygon, arena);
    rigid->polygon_M = tact_arena_take(arena, n * n, sizeof(tact_real));
    rigid->polygon_q = tact_arena_take(arena, n, sizeof(tact_real));
}

void tact_rigid_place(tact_work *work, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(work && model && arena);
    tact_rigid_work measured = {0}, *rigid = tact_arena_take(arena, 1, sizeof *rigid);
    work->rigid = rigid;
    // an arena that only measures returns no memory: the sizes are then counted in a local copy
    if (!rigid) rigid = &measured;
    tact_contacts_place(&work->contacts, model, arena);
    rigid_count(model, rigid);
    rigid_place_lists(rigid, model, arena);
    rigid_place_vectors(rigid, model, arena);
    tact_kinematics_place(&rigid->after, model, arena);
    if (tact_ties(model) > 0) tact_ties_place(work, model, 0, arena);
    // dense equations in islands of up to RIGID_DENSE constraints, block equations by components in larger ones
    rigid->widest_island = rigid->most < RIGID_DENSE ? rigid->most : RIGID_DENSE;
    tact_friction_place_nodes(&rigid->cones, rigid->most, rigid->widest_island, 1, arena);
    if (rigid->most > RIGID_DENSE) rigid_place_nodes(rigid, model, arena);
    // a step has either polyhedral or exact cones: the LCP shares the memory of the block equations if it fits there
    tact_arena measure = {0}, shared = {.memory = (void *)rigid->motion.value};
    shared.size = (size_t)rigid->motion.most_values * sizeof(tact_real);
    rigid_place_polygons(rigid, &measure);
    bool fits = rigid->most > RIGID_DENSE && measure.used <= shared.size;
    rigid_place_polygons(rigid, fits ? &shared : arena);
    TACT_VECTORS(arena, (size_t)model->nv, &work->d, &work->displacement);
}

void tact_rigid_prepare(tact_work *work, const tact_model *model) {
    TACT_ASSERT(work && work->rigid && model);
    tact_rigid_work *rigid = work->rigid;
    int nv = model->nv, n = 0;
    for (int v = 0; v < nv; n++) {
        int end = rigid_component_end(model, v);
        rigid->begin[n] = v;
        for (; v <= end; v++) rigid->component[v] = n;
    }
    rigid->begin[n] = nv;
    // rows of A are the dofs in reverse order, so that a row begins at the farthest dof that it is coupled to
    for (int v = 0; v < nv; v++) rigid->first[nv - 1 - v] = nv - 1 - model->reach[v];
    rigid->A.n = rigid->M.n = nv;
    rigid->A.first = rigid->M.first = rigid->first;
    rigid->A.start = rigid->M.start = rigid->start;
    tact_skyline_layout(&rigid->A);
    rigid->bent = false;
    // only prismatic joints: c(v) = 0
    rigid->steady = true;
    for (int b = 0; b < model->nbody; b++) {
        tact_joint_type joint = model->body[b].joint;
        bool slides = joint == TACT_JOINT_FIXED || joint == TACT_JOINT_PRISMATIC || joint == TACT_JOINT_TRANSLATION;
        rigid->steady = rigid->steady && slides;
    }
    rigid->count = 0;
}

// A <- M(q) by the composite rigid body algorithm; the composites are up to date.
static void rigid_add_mass(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                           tact_skyline *A) {
    int nv = model->nv;
    for (int k = 0; k < A->start[nv]; k++) A->value[k] = 0;
    for (int m = 0; m < model->nmotion; m++) {
        int b = model->motion[m].body, i = model->motion[m].dof;
        // M_ij = S_i' I_m S_j for each carrier j of motion m
        for (int k = model->path_start[b]; model->path[k] <= m; k++) {
            int carrier = model->path[k], j = model->motion[carrier].dof;
            tact_real entry = tact_composite_coupling(model, kinematics, dynamics, m, carrier);
            int row = nv - 1 - (i < j ? i : j), column = nv - 1 - (i < j ? j : i);
            tact_skyline_row(A, row)[column] += i == j && carrier != m ? 2 * entry : entry;
            if (carrier == m) break;
        }
    }
}

// diagonal <- the diagonal of A before its factorisation.
static void rigid_keep_diagonal(const tact_skyline *A, tact_real *diagonal) {
    for (int i = 0; i < A->n; i++) diagonal[i] = tact_skyline_row(A, i)[i];
}

// The dof whose pivot has cancelled to rounding; -1: none. The skyline holds inverse pivots.
static int rigid_singular_dof(const tact_skyline *A, const tact_real *pivot, const tact_real *diagonal) {
    for (int i = 0; i < A->n; i++)
        if (!(pivot[i] * diagonal[i] * (RIGID_SINGULAR * TACT_EPS) < 1)) return A->n - 1 - i;
    return -1;
}

// Loops and springs, implicit: A += h (h k + D) J'J, load -= h k J'e. The rows of A are the dofs in reverse order.
static void rigid_load_ties(const tact_model *model, const tact_options *options, const tact_input *input,
                            const tact_state *state, tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    tact_tie_setting setting = {model, &work->kinematics, state->q, input->u, NULL, work->rate, work->held};
    tact_real h = options->dt;
    for (int t = 0; t < tact_ties(model); t++) {
        tact_tie tie = tact_tie_find(&setting, t);
        tact_real K = h * (h * tie.stiffness + tie.damping);
        // only the dofs tie.first .. tie.last have rates
        for (int i = tie.first; i <= tie.last; i++) {
            int end = tie.last < model->reach[i] ? tie.last : model->reach[i], row = model->nv - 1 - i;
            rigid->load[i] -= h * (tie.stiffness * tact_vec3_dot(work->rate[i], tie.error) + tie.push * work->rate[i].x);
            for (int j = i; j <= end; j++)
                tact_skyline_row(&rigid->A, row)[model->nv - 1 - j] += K * tact_vec3_dot(work->rate[i], work->rate[j]);
        }
    }
}

// Adds gravity, drives, external wrenches, loops and springs to load, and the implicit terms to A.
static void rigid_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                       tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    tact_real h = options->dt;
    for (int m = 0; m < model->nmotion; m++) {
        // gravity
        int i = model->motion[m].dof;
        if (model->dof[i].u >= 0 && !options->gravity_on_driven) continue;
        rigid->load[i] += h * tact_composite_weight(model, &work->kinematics, &work->dynamics, m, options->gravity);
    }
    for (int v = 0; v < model->nv; v++) {
        // drives, implicit in q+ = q + h v+: A gets h (h K + D), the load h K (u - q)
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0) continue;
        int i = model->nv - 1 - v;
        tact_skyline_row(&rigid->A, i)[i] += h * (h * dof->stiffness + dof->damping);
        rigid->load[v] += h * dof->stiffness * (input->u[dof->u] - state->q[dof->q]);
    }
    for (int b = 0; input->wrench && b < model->nbody; b++) {
        // external wrenches at the centres of mass
        tact_vec3 force = tact_vec3_scale(h, input->wrench[b].force), torque = tact_vec3_scale(h, input->wrench[b].torque);
        tact_vec3 com = tact_pose_apply(work->kinematics.pose[b], model->body[b].com);
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int m = model->path[k];
            rigid->load[model->motion[m].dof] += tact_vec3_dot(tact_motion_velocity(&work->kinematics, m, com), force) +
                                                 tact_vec3_dot(work->kinematics.angular[m], torque);
        }
    }
    if (tact_ties(model) > 0) rigid_load_ties(model, options, input, state, work);
}

tact_status tact_rigid_assemble(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work) {
    TACT_ASSERT(model && options && input && state && work && work->rigid);
    tact_rigid_work *rigid = work->rigid;
    // A = M + h^2 K + h D by composite inertias; load: momentum and impulses that do not depend on v+
    tact_composite_update(model, &work->kinematics, &work->dynamics, false);
    rigid_add_mass(model, &work->kinematics, &work->dynamics, &rigid->A);
    tact_momentum_update(model, &work->kinematics, &work->dynamics, state->v, rigid->load, NULL);
    rigid_load(model, options, input, state, work);
    rigid_keep_diagonal(&rigid->A, rigid->diagonal);
    // a dof without inertia or implicit drive has no equation of motion
    for (int i = 0; i < model->nv; i++) {
        if (rigid->diagonal[i] > 0) continue;
        work->worst_dof = model->nv - 1 - i;
        return TACT_SINGULAR;
    }
    // a pivot that is only rounding: linearly dependent inertias
    bool good = tact_skyline_factor(&rigid->A, rigid->pivot);
    work->worst_dof = good ? rigid_singular_dof(&rigid->A, rigid->pivot, rigid->diagonal) : 0;
    return work->worst_dof < 0 ? TACT_CONVERGED : TACT_SINGULAR;
}

void tact_rigid_inertia(const tact_rigid_work *rigid, int component, tact_real *A) {
    int from = rigid->begin[component], n = rigid->begin[component + 1] - from, last = rigid->A.n - 1 - from;
    if (rigid->bent) {
        tact_rigid_newton_inertia(rigid, component, A);
        return;
    }
    // A = L D L'; the rows of L are the dofs in reverse order
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            int i = last - a, j = last - b, k = rigid->A.first[i] > rigid->A.first[j] ? rigid->A.first[i] : rigid->A.first[j];
            const tact_real *x = tact_skyline_row(&rigid->A, i), *y = tact_skyline_row(&rigid->A, j);
            tact_real sum = 0;
            for (; k < j; k++) sum += x[k] * y[k] / rigid->pivot[k];
            if (rigid->A.first[i] <= j) sum += (i == j ? 1 : x[j]) / rigid->pivot[j];
            A[a * n + b] = A[b * n + a] = sum;
        }
}

void tact_rigid_solve(const tact_skyline *L, const tact_real *pivot, int from, int to, tact_real *x) {
    // the rows are the dofs in reverse order
    int last = L->n - 1, begin = last - to, end = last - from;
    tact_real *y = x + (last - from);
    // L y = x
    for (int i = begin; i <= end; i++) {
        const tact_real *row = tact_skyline_row(L, i);
        tact_real sum = y[-i];
        for (int j = L->first[i]; j < i; j++) sum -= row[j] * y[-j];
        y[-i] = sum;
    }
    // y <- D^-1 y
    for (int i = begin; i <= end; i++) y[-i] *= pivot[i];
    // L'x = y
    for (int i = end; i > begin; i--) {
        const tact_real *row = tact_skyline_row(L, i);
        for (int j = L->first[i]; j < i; j++) y[-j] -= row[j] * y[-i];
    }
}

void tact_rigid_conclude(const tact_model *model, const tact_real *momentum, tact_work *work, tact_real *v) {
    tact_rigid_work *rigid = work->rigid;
    for (int i = 0; i < model->nv; i++) v[i] = rigid->next[i];
    if (rigid->steady) return;
    tact_real *more = rigid->scale;
    // M(q+) dv = p - M(q+) v, so that the momentum at the end of the step is p
    tact_composite_update(model, &rigid->after, &work->dynamics, false);
    rigid_add_mass(model, &rigid->after, &work->dynamics, &rigid->M);
    tact_momentum_update(model, &rigid->after, &work->dynamics, v, more, NULL);
    for (int i = 0; i < model->nv; i++) more[i] = momentum[i] - more[i];
    rigid_keep_diagonal(&rigid->M, rigid->diagonal);
    // a driven dof without inertia keeps its velocity
    for (int i = 0; i < model->nv; i++)
        if (!(rigid->diagonal[i] > 0)) tact_skyline_row(&rigid->M, i)[i] = 1;
    if (!tact_skyline_factor(&rigid->M, rigid->M_pivot)) return;
    // a pivot that is only rounding: no correction of this dof
    for (int i = 0; i < model->nv; i++)
        if (!(rigid->M_pivot[i] * rigid->diagonal[i] * (RIGID_SINGULAR * TACT_EPS) < 1) || !(rigid->diagonal[i] > 0))
            rigid->M_pivot[i] = 0;
    tact_rigid_solve(&rigid->M, rigid->M_pivot, 0, model->nv - 1, more);
    for (int i = 0; i < model->nv; i++) v[i] += more[i];
}
