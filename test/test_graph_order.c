// SPDX-License-Identifier: MIT
// Unknowns of large barrier problems are ordered by the graph of the contacts, and factored by supernodes: a pile whose bodies
// are listed in a random order has a small factor, and the same answer as the same pile listed layer by layer.
#include "law/barrier.h"
#include "solve/sparse.h"
#include "scene_test.h"

enum { SIDE = 4, BODIES = SIDE * SIDE * SIDE, STEPS = 4 };

typedef struct {
    double x[BODIES][3], force;
    int unknowns, entries, lost;
} outcome;

// A loose lattice of spheres, settled enough to touch the neighbours' margin; order[k] is the lattice place of body k.
static void write_pile(const int *order, const double (*jitter)[3], char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size,
                                   "{\"tact\":1,\"options\":{\"kappa\":10000,\"dt\":0.005,\"margin\":0.012},\"pairs\":\"auto\","
                                   "\"mu\":0.5,\"bodies\":[");
    for (int k = 0; k < BODIES; k++)
        used +=
            (size_t)snprintf(text + used, size - used,
                             "%s{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":0.0335,\"inertia\":[5.4e-6,5.4e-6,5.4e-6,0,0,0],"
                             "\"joint\":{\"name\":\"b%d\",\"type\":\"free\"}}",
                             k > 0 ? "," : "", order[k], order[k]);
    used += (size_t)snprintf(text + used, size - used,
                             "],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],"
                             "\"offset\":0}");
    for (int k = 0; k < BODIES; k++)
        used += (size_t)snprintf(text + used, size - used,
                                 ",{\"name\":\"b%d\",\"body\":\"b%d\",\"type\":\"sphere\",\"radius\":0.02}", order[k], order[k]);
    used += (size_t)snprintf(text + used, size - used, "],\"state\":{\"q\":{");
    for (int k = 0; k < BODIES; k++) {
        int i = order[k];
        used += (size_t)snprintf(text + used, size - used, "%s\"b%d\":[%.6f,%.6f,%.6f,1,0,0,0]", k > 0 ? "," : "", i,
                                 0.045 * (i % SIDE) + jitter[i][0], 0.045 * (i / SIDE % SIDE) + jitter[i][1],
                                 0.024 + 0.045 * (i / (SIDE * SIDE)) + jitter[i][2]);
    }
    used += (size_t)snprintf(text + used, size - used, "}}}");
    CHECK(used < size);
}

static outcome run_pile(const int *order, const double (*jitter)[3]) {
    static char text[200000];
    outcome result = {0};
    write_pile(order, jitter, text, sizeof text);
    const tact_model *model = open_scene(text);
    if (!scene) return result;
    size_t state_size = tact_state_size(model), work_size = tact_work_size(model);
    void *state_memory = malloc(state_size), *work_memory = malloc(work_size);
    tact_state state;
    tact_work work;
    CHECK_INT(tact_state_init(&state, model, state_memory, state_size), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, work_memory, work_size), TACT_CONVERGED);
    const tact_input input = {0};
    for (int i = 0; i < STEPS; i++) result.lost += tact_step(model, &scene->options, &input, &state, &work) != TACT_CONVERGED;
    result.unknowns = work.barrier.H.n;
    // numbers of the factor, with those of its rectangles that are not used
    const tact_sparse *sparse = work.barrier.sparse;
    for (int i = 0; tact_sparse_holds(&work.barrier) && i < sparse->npanel; i++)
        result.entries += sparse->panel[i].width * sparse->panel[i].height;
    for (int i = 0; i < work.contacts.count; i++) result.force += (double)work.contacts.contact[i].lambda[0];
    for (int k = 0; k < BODIES; k++)
        for (int axis = 0; axis < 3; axis++) result.x[order[k]][axis] = (double)state.q[7 * k + axis];
    free(state_memory);
    free(work_memory);
    close_scene();
    return result;
}

int main(void) {
    uint64_t seed = test_seed(20261124);
    double jitter[BODIES][3], tolerance = sizeof(tact_real) == 4 ? 2e-4 : 1e-9;
    int layers[BODIES], shuffled[BODIES];
    for (int i = 0; i < BODIES; i++) {
        layers[i] = shuffled[i] = i;
        for (int axis = 0; axis < 3; axis++) jitter[i][axis] = test_random(&seed, -0.002, 0.002);
    }
    for (int i = BODIES - 1; i > 0; i--) {
        int other = (int)(test_random(&seed, 0, 1) * (i + 1)), kept = shuffled[i];
        shuffled[i] = shuffled[other];
        shuffled[other] = kept;
    }
    outcome a = run_pile(layers, (const double(*)[3])jitter), b = run_pile(shuffled, (const double(*)[3])jitter);
    int full = b.unknowns * (b.unknowns + 1) / 2;
    printf("%d unknowns, %d entries by layers, %d shuffled, %d in a full triangle\n", b.unknowns, a.entries, b.entries, full);
    CHECK_INT(a.lost + b.lost, 0);
    CHECK_INT(b.unknowns, 6 * BODIES);
    CHECK(a.entries > 0 && b.entries > 0 && b.entries < full / 2);
    CHECK(b.entries < 1.2 * a.entries);
    for (int i = 0; i < BODIES; i++)
        for (int axis = 0; axis < 3; axis++) CHECK_CLOSE(b.x[i][axis], a.x[i][axis], tolerance);
    CHECK_CLOSE(b.force, a.force, 1e4 * tolerance * a.force);
    return test_end("graph_order");
}
