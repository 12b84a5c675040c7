// SPDX-License-Identifier: MIT
// Pairs that are found: the pairs of a search through all, the bits of models that list all pairs, for any history.
#include "contact/search.h"
#include "sim/step.h"
#include "tact/errors.h"
#include "tact/rollout.h"
#include "tact/scene.h"
#include "tact/text.h"
#include "test.h"

enum { STEPS = 40, MOST = 6000, BODIES = 40, ROWS = 3 * 1200 };

static uint64_t seed;

static const char *const FIXED =
    "{\"name\":\"floor\",\"type\":\"plane\",\"body\":\"world\",\"normal\":[0,0,1],\"offset\":0},"
    "{\"name\":\"slope\",\"type\":\"plane\",\"body\":\"world\",\"normal\":[0.6,0,0.8],\"offset\":-0.15}";

// Balls, capsules, boxes and hulls above a floor and a slope, a box and a capsule that lie there, a driven finger.
static void write_scene(tact_text *out, const char *law, int most, bool anchor) {
    uint64_t random = seed;
    tact_text_print(out, "{\"tact\":1,\"law\":%s,\"options\":{\"dt\":0.005", law);
    if (strcmp(law, "barrier") == 0) tact_text_add(out, ",\"kappa\":10000,\"margin\":0.01");
    if (anchor) tact_text_add(out, ",\"anchor\":true");
    tact_text_add(out, "},\"pairs\":\"auto\",\"mu\":0.4,\"exclude\":[[\"arm\",\"b1\"]],");
    if (most > 0) tact_text_print(out, "\"max_contacts\":%d,", most);
    tact_text_add(out, "\"drives\":[{\"joint\":\"swing\",\"stiffness\":20}],"
                       "\"bodies\":[{\"name\":\"arm\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
                       "\"joint\":{\"name\":\"swing\",\"type\":\"continuous\",\"axis\":[0,0,1]}}");
    for (int i = 0; i < BODIES; i++)
        tact_text_print(out,
                        ",{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":%g,\"inertia\":[%g,%g,%g,0,0,0],"
                        "\"joint\":{\"name\":\"j%d\",\"type\":\"free\"}}",
                        i, 0.05, 2e-5, 2e-5, 2e-5, i);
    tact_text_add(out, "],\"shapes\":[");
    tact_text_add(out, FIXED);
    tact_text_add(out,
                  ",{\"name\":\"step\",\"type\":\"box\",\"body\":\"world\",\"size\":[0.1,0.1,0.04],\"xyz\":[0.1,0.1,0.02]}"
                  ",{\"name\":\"post\",\"type\":\"capsule\",\"body\":\"world\",\"radius\":0.03,\"length\":0.14,"
                  "\"xyz\":[-0.05,0.15,0.1]}"
                  ",{\"name\":\"tip\",\"type\":\"capsule\",\"body\":\"arm\",\"radius\":0.01,\"length\":0.1,\"rpy\":[0,1.5707,0],"
                  "\"xyz\":[0.15,0,0.03]}");
    for (int i = 0; i < BODIES; i++) {
        double radius = test_random(&random, 0.008, 0.02);
        tact_text_print(out, ",{\"name\":\"b%d\",\"body\":\"b%d\"", i, i);
        if (i % 5 == 1)
            tact_text_print(out, ",\"type\":\"capsule\",\"radius\":%g,\"length\":%g,\"mu\":0.5}", radius, 0.04);
        else if (i % 5 == 2)
            tact_text_print(out, ",\"type\":\"box\",\"size\":[0.03,0.025,0.02],\"mu\":0.3,\"priority\":1,\"rpy\":[%g,0.3,0]}",
                            20 * radius);
        else if (i % 5 == 3)
            tact_text_add(out, ",\"type\":\"hull\",\"points\":[[0.02,0,-0.01],[-0.01,0.017,-0.01],[-0.01,-0.017,-0.01],"
                               "[0,0,0.02]]}");
        else
            tact_text_print(out, ",\"type\":\"sphere\",\"radius\":%g}", radius);
    }
    tact_text_add(out, "],\"state\":{\"q\":{\"swing\":0");
    for (int i = 0; i < BODIES; i++)
        tact_text_print(out, ",\"j%d\":[%g,%g,%g,1,0,0,0]", i, 0.045 * (i % 4) + test_random(&random, 0, 0.004),
                        0.045 * (i / 4 % 4) + test_random(&random, 0, 0.004), 0.085 + 0.084 * (i / 16));
    tact_text_add(out, "}}}");
}

static tact_scene *open_scene(const char *law, int most, bool anchor) {
    tact_text text = {0};
    tact_errors errors = {0};
    const tact_scene_settings settings = {.finds = true};
    write_scene(&text, law, most, anchor);
    tact_scene *scene = tact_scene_parse(tact_text_source(&text, "(test)"), "", &settings, &errors);
    for (int i = 0; i < errors.kept && !scene; i++) printf("%s\n", errors.items[i].text);
    CHECK(scene != NULL);
    tact_text_free(&text);
    return scene;
}

typedef struct {
    tact_scene *scene;
    tact_state state;
    tact_work work;
    void *memory[2];
    tact_real u[1];
} stand;

static void set_up(stand *s, const char *law, int most, bool anchor) {
    s->scene = open_scene(law, most, anchor);
    const tact_model *model = &s->scene->model;
    size_t size[2] = {tact_state_size(model), tact_work_size(model)};
    for (int k = 0; k < 2; k++) s->memory[k] = malloc(size[k]);
    tact_state_init(&s->state, model, s->memory[0], size[0]);
    tact_work_init(&s->work, model, s->memory[1], size[1]);
    s->u[0] = (tact_real)0.4;
}

static void tear_down(stand *s) {
    for (int k = 0; k < 2; k++) free(s->memory[k]);
    tact_scene_free(s->scene);
}

static tact_status make_step(stand *s) {
    const tact_input input = {.u = s->u};
    return tact_step(&s->scene->model, &s->scene->options, &input, &s->state, &s->work);
}

static bool same_motion(const stand *a, const stand *b) {
    const tact_model *model = &a->scene->model;
    return memcmp(a->state.q, b->state.q, (size_t)model->nq * sizeof(tact_real)) == 0 &&
           memcmp(a->state.v, b->state.v, (size_t)model->nv * sizeof(tact_real)) == 0;
}

// Steps of a model that lists all pairs and of one that finds them: the same bits, the same contacts.
static void test_listed(const char *law, bool anchor) {
    stand listed, found;
    set_up(&listed, law, 0, anchor);
    set_up(&found, law, MOST, anchor);
    int contacts = 0;
    // The bits are the same where both eliminate in the same order, as they do when all bodies but a few may touch.
    const tact_model *one = &listed.scene->model, *other = &found.scene->model;
    CHECK(one->nv == other->nv && memcmp(one->order, other->order, (size_t)one->nv * sizeof(int)) == 0);
    for (int i = 0; i < STEPS; i++) {
        CHECK(make_step(&listed) == make_step(&found));
        CHECK(same_motion(&listed, &found));
        CHECK(listed.work.contacts.count == found.work.contacts.count);
        contacts += found.work.contacts.count;
        const tact_model *model = tact_step_model(&found.scene->model, &found.work);
        for (int c = 0; c < found.work.contacts.count && c < listed.work.contacts.count; c++) {
            const tact_contact *x = &listed.work.contacts.contact[c], *y = &found.work.contacts.contact[c];
            const tact_pair *p = &listed.scene->model.pair[x->pair], *q = &model->pair[y->pair];
            CHECK(p->a == q->a && p->b == q->b && p->vertex == q->vertex && x->gap == y->gap && p->mu == q->mu);
            CHECK(memcmp(&x->force, &y->force, sizeof x->force) == 0);
        }
    }
    CHECK(contacts > 100);
    // Room for fewer pairs than come near: a status that says so, and an untouched state.
    stand small;
    set_up(&small, law, 3, anchor);
    tact_status status = TACT_CONVERGED;
    tact_real before = 0;
    for (int i = 0; i < STEPS && status >= 0; i++) {
        before = small.state.q[5];
        status = make_step(&small);
    }
    CHECK(status == TACT_NO_MEMORY && small.work.fault.field && strcmp(small.work.fault.field, "search.most") == 0);
    CHECK(small.work.fault.index > 3 && small.state.q[5] == before);
    tear_down(&listed);
    tear_down(&found);
    tear_down(&small);
}

// Listed pairs that are passed over by balls about their shapes are those whose gap is not below the margin.
static void test_passed_over(void) {
    stand s;
    set_up(&s, "barrier", 0, false);
    int near = 0;
    for (int i = 0; i < STEPS; i++) {
        make_step(&s);
        const tact_model *model = &s.scene->model;
        tact_contacts *contacts = &s.work.contacts;
        tact_kinematics_update(&s.work.kinematics, model, s.state.q);
        for (int k = 1; k <= 3; k++) {
            const tact_real margin = (tact_real)(0.02 * k);
            int found = 0;
            tact_contacts_detect(contacts, model, &s.work.kinematics, margin, NULL);
            for (int p = 0; p < model->npair; p++) {
                bool below = tact_contact_gap(model, &s.work.kinematics, p) < margin;
                bool listed = found < contacts->count && contacts->contact[found].pair == p;
                CHECK(below == listed);
                found += listed;
            }
            near += found;
            CHECK(found == contacts->count && found < model->npair);
        }
    }
    CHECK(near > 1000);
    tear_down(&s);
}

// The same state, reached by steps, and set with forces under the same keys in other places and after other steps of the work.
static void test_history(const char *law, bool anchor) {
    stand a, b;
    set_up(&a, law, MOST, anchor);
    set_up(&b, law, MOST, anchor);
    for (int i = 0; i < STEPS; i++) make_step(&a);
    // b has gone another way before.
    b.u[0] = (tact_real)-1.5;
    for (int i = 0; i < STEPS / 2; i++) make_step(&b);
    b.u[0] = a.u[0];
    tact_state_copy(&b.state, &a.state, &a.scene->model);
    // Pairs without force or anchor are as good as none.
    int to = 0, most = a.scene->model.search->most;
    for (int i = 0; i < most; i++) {
        const tact_real *l = a.state.lambda + 3 * i;
        const tact_vec3 s = a.state.anchor[i];
        bool idle = l[0] == 0 && l[1] == 0 && l[2] == 0 && s.x == 0 && s.y == 0 && s.z == 0;
        if (idle) continue;
        for (int k = 0; k < 3; k++) b.state.lambda[3 * to + k] = l[k];
        b.state.anchor[to] = s;
        b.state.normal[to] = a.state.normal[i];
        b.state.key[to++] = a.state.key[i];
    }
    CHECK(to > 10);
    for (; to < most; to++) {
        for (int k = 0; k < 3; k++) b.state.lambda[3 * to + k] = 0;
        b.state.anchor[to] = b.state.normal[to] = tact_vec3_make(0, 0, 0);
        b.state.key[to] = UINT64_MAX;
    }
    for (int i = 0; i < 4; i++) {
        CHECK(make_step(&a) == make_step(&b));
        CHECK(same_motion(&a, &b));
        CHECK(a.work.iterations == b.work.iterations);
    }
    tear_down(&a);
    tear_down(&b);
}

// Matrices of steps of a model that lists all pairs and of one that finds them: the same bits.
static void test_matrices(const char *law, bool anchor) {
    enum { LISTED, FOUND, BOTH };
    stand s[BOTH];
    tact_linear linear[BOTH];
    tact_state before[BOTH];
    tact_jacobians m[BOTH];
    void *memory[BOTH][2];
    tact_real *numbers[BOTH];
    size_t size = 0;
    for (int k = 0; k < BOTH; k++) {
        set_up(&s[k], law, k == FOUND ? MOST : 0, anchor);
        const tact_model *model = &s[k].scene->model;
        CHECK(tact_linear_refuse(model) == NULL);
        size_t nx = (size_t)tact_linear_order(model), nu = (size_t)model->nu, rows = nx + ROWS;
        size_t bytes[2] = {tact_linear_size(model), tact_state_size(model)};
        for (int i = 0; i < 2; i++) memory[k][i] = malloc(bytes[i]);
        CHECK(tact_linear_init(&linear[k], model, memory[k][0], bytes[0]) == TACT_CONVERGED);
        tact_state_init(&before[k], model, memory[k][1], bytes[1]);
        size = rows * (nx + nu);
        numbers[k] = calloc(size, sizeof(tact_real));
        m[k] = (tact_jacobians){numbers[k], numbers[k] + nx * nx, numbers[k] + nx * (nx + nu),
                                numbers[k] + nx * (nx + nu) + ROWS * nx};
    }
    int contacts = 0, answers = 0;
    tact_status status[BOTH] = {TACT_SINGULAR, TACT_SINGULAR};
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < BOTH; k++) {
            tact_state_copy(&before[k], &s[k].state, &s[k].scene->model);
            CHECK(make_step(&s[k]) >= 0);
            const tact_input input = {.u = s[k].u};
            const tact_record step = {&s[k].scene->model, &s[k].scene->options, &input, &before[k], &s[k].state, &s[k].work};
            if (i % 4 != 1) continue;
            CHECK(tact_linearise(&linear[k], &step) >= 0);
            status[k] = tact_linear_matrices(&linear[k], &m[k]);
        }
        contacts += s[FOUND].work.contacts.count;
        answers += status[FOUND] >= 0;
        CHECK(status[LISTED] == status[FOUND]);
        CHECK(status[FOUND] < 0 || memcmp(numbers[LISTED], numbers[FOUND], size * sizeof(tact_real)) == 0);
    }
    // in single precision the rigid law's contacts are redundant in all of these steps
    bool single = sizeof(tact_real) == sizeof(float) && strcmp(law, "rigid") == 0;
    CHECK(contacts > 100 && (single || (answers > 0 && m[FOUND].A[0] != 0)));
    for (int k = 0; k < BOTH; k++) {
        for (int i = 0; i < 2; i++) free(memory[k][i]);
        free(numbers[k]);
        tear_down(&s[k]);
    }
}

// A loss of where all is, and of the forces on the way.
static tact_real find_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {
    const tact_model *model = context;
    tact_real loss = 0;
    for (int i = 0; i < model->nbody; i++) {
        const tact_body *body = &model->body[i];
        if (body->joint != TACT_JOINT_FREE) continue;
        loss += (tact_real)(k + i) * state->q[body->q + 2];
        if (q_bar) q_bar[body->v + 5] += (tact_real)(k + i);
    }
    for (int c = 0; contacts && c < contacts->count; c++) {
        loss += (tact_real)0.01 * contacts->contact[c].lambda[0];
        if (lambda_bar) lambda_bar[3 * c] += (tact_real)0.01;
    }
    return loss;
}

// The gradient of a rollout, with stored displacements that go from step to step by the keys of their pairs.
static void test_gradient(const char *law, bool anchor, int steps) {
    stand s[2];
    tact_real *slope[2];
    tact_rollout_result result[2];
    const tact_real u[STEPS] = {0};
    for (int k = 0; k < 2; k++) {
        set_up(&s[k], law, k * MOST, anchor);
        const tact_model *model = &s[k].scene->model;
        size_t size = tact_rollout_size(model, steps, 0);
        tact_rollout_work work;
        void *memory = malloc(size);
        CHECK(tact_rollout_init(&work, model, steps, memory, size) == TACT_CONVERGED);
        slope[k] = calloc((size_t)(model->nv + STEPS), sizeof(tact_real));
        const tact_rollout rollout = {.steps = steps, .u = u, .context = (void *)(uintptr_t)model, .loss = find_loss};
        const tact_rollout_slope to = {.q = slope[k], .u = slope[k] + model->nv};
        result[k] = tact_rollout_gradient(model, &s[k].scene->options, &rollout, &s[k].state, &work, &to);
        free(memory);
    }
    size_t size = (size_t)(s[0].scene->model.nv + STEPS) * sizeof(tact_real);
    CHECK(result[0].status >= 0 && result[0].status == result[1].status && result[0].loss == result[1].loss);
    CHECK(memcmp(slope[0], slope[1], size) == 0 && slope[0][6] != 0);
    for (int k = 0; k < 2; k++) {
        free(slope[k]);
        tear_down(&s[k]);
    }
}

int main(void) {
    seed = test_seed(7);
    test_passed_over();
    test_listed("barrier", false);
    test_listed("barrier", true);
    test_listed("rigid", false);
    test_history("barrier", false);
    test_history("barrier", true);
    test_history("rigid", false);
    test_matrices("barrier", true);
    test_matrices("rigid", false);
    test_gradient("barrier", false, STEPS);
    test_gradient("barrier", true, STEPS);
    test_gradient("rigid", false, 12);
    return test_end("search");
}
