// SPDX-License-Identifier: MIT
// Every beginning of a good scene, every byte changed, every number and string replaced by something else: accepted or
// refused with a place, and what is accepted can be stepped. Then scenes made to be slow.
#include "scene_test.h"

// one of everything
static const char good[] =
    "{\"tact\":1,\"name\":\"n\",\"law\":\"barrier\",\"gravity\":[0,0,-9.81],\"mu\":0.5,\"restitution\":0.1,\n"
    "\"options\":{\"dt\":0.01,\"kappa\":1000,\"margin\":0.5,\"limits\":\"barrier\",\"anchor\":true,\"max_iterations\":50,\"kn\":"
    "1},\n"
    "\"bodies\":[{\"name\":\"tip\",\"parent\":\"arm\",\"mass\":0.1,\"com\":[0,0,0.1],\"inertia\":[0.01,0.01,0.01,0.001,0,0],\n"
    "\"joint\":{\"name\":\"j\",\"type\":\"revolute\",\"xyz\":[0,0,0.5],\"rpy\":[0,0.5,0],\"axis\":[0,2,0],\"limits\":[-1,1]}},\n"
    "{\"name\":\"arm\",\"parent\":\"world\",\"joint\":{\"type\":\"prismatic\"}},\n"
    "{\"name\":\"finger\",\"parent\":\"arm\",\"joint\":{\"type\":\"continuous\",\"mimic\":{\"joint\":\"j\",\"ratio\":2,"
    "\"offset\":0.1}}},\n"
    "{\"name\":\"cube\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"free\"}},\n"
    "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}],\n"
    "\"shapes\":[{\"name\":\"s\",\"body\":\"tip\",\"type\":\"sphere\",\"radius\":0.1,\"xyz\":[0,0,0.25],\"rpy\":[0,0,0]},\n"
    "{\"name\":\"box\",\"body\":\"cube\",\"type\":\"box\",\"size\":[0.25,0.25,0.5],\"round\":0.125},\n"
    "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.25},\n"
    "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":-1},\n"
    "{\"name\":\"c\",\"body\":\"world\",\"type\":\"capsule\",\"radius\":0.1,\"length\":0.2}],\n"
    "\"pairs\":[{\"a\":\"s\",\"b\":\"ball\"},{\"a\":\"floor\",\"b\":\"ball\",\"mu\":1,\"restitution\":0},{\"a\":\"box\",\"b\":"
    "\"ball\"}],\n"
    "\"drives\":[{\"joint\":\"arm\",\"stiffness\":100,\"damping\":1},{\"joint\":\"j*\",\"stiffness\":1}],\n"
    "\"state\":{\"q\":{\"cube\":[2,0,3,1,0,0,0],\"j\":0.5,\"ball\":[1,2,3]},\"v\":{\"ball\":[0,0,1]}},\n"
    "\"command\":{\"mode\":\"trajectory\",\"times\":[0,1],\"q\":{\"j\":[0,0.5]}},\n"
    "\"forces\":[{\"body\":\"ball\",\"times\":[0,2],\"force\":[[0,0,0],[1,0,0]]}]}";

static char text[2 * sizeof good];
static long accepted, refused;
static unsigned char state_memory[1 << 16], work_memory[1 << 18];

// steps what was accepted once: finite coordinates, whatever the status
static void step(tact_scene *s) {
    const tact_model *model = &s->model;
    tact_state state;
    tact_work work;
    tact_real u[64];
    tact_wrench wrench[64];
    if (tact_state_init(&state, model, state_memory, sizeof state_memory) < 0) return;
    if (tact_work_init(&work, model, work_memory, sizeof work_memory) < 0) return;
    tact_input input = {.u = u, .wrench = wrench};
    tact_scene_command(s, &state, u);
    tact_scene_wrench(s, &state, wrench);
    tact_step(model, &s->options, &input, &state, &work);
    for (int i = 0; i < model->nq; i++) test_count(isfinite((double)state.q[i]), __FILE__, __LINE__, text);
}

static void try_text(size_t size) {
    tact_source source = {.name = "s", .bytes = text, .size = size, .line = 1};
    errors = (tact_errors){0};
    tact_scene *result = tact_scene_parse(source, "", NULL, &errors);
    if (result) {
        accepted++;
        CHECK_INT(errors.errors, 0);
        step(result);
    } else {
        refused++;
        CHECK(errors.errors > 0 && errors.kind == TACT_ERROR_REFUSED);
        CHECK(strncmp(errors.items[0].text, "s:", 2) == 0 && strstr(errors.items[0].text, ": /") != NULL);
    }
    tact_scene_free(result);
}

static void test_prefixes(void) {
    memcpy(text, good, sizeof good);
    try_text(sizeof good - 1);
    CHECK_INT(accepted, 1);
    for (size_t size = 0; size + 1 < sizeof good; size++) try_text(size);
    CHECK_INT(refused, sizeof good - 1);
}

static void test_bytes(void) {
    static const char others[] = "09-.e\"{}[],: x\\\n";
    uint64_t seed = test_seed(7);
    for (size_t at = 0; at + 1 < sizeof good; at++) {
        memcpy(text, good, sizeof good);
        text[at] = (char)(text[at] ^ 1 << test_random_bits(&seed) % 8);
        try_text(sizeof good - 1);
        text[at] = others[test_random_bits(&seed) % (sizeof others - 1)];
        try_text(sizeof good - 1);
    }
}

static size_t word_end(size_t at) {
    if (good[at] != '"') return at + strspn(good + at, "+-.0123456789eE");
    at++;
    while (good[at] != '"') at++;
    return at + 1;
}

// values only, not keys
static void test_values(void) {
    static const char *const others[] = {"0",         "-0",    "-1", "1e308", "1e-308", "1e999", "9007199254740993",
                                         "\"\"",      "null",  "[]", "{}",    "true",   "1e6",   "1e-30",
                                         "\"world\"", "\"j\"", "0.5"};
    long before = refused;
    for (size_t at = 1; at + 1 < sizeof good; at++) {
        bool begins = good[at] == '"' || good[at] == '-' || (good[at] >= '0' && good[at] <= '9');
        if (!begins) continue;
        size_t end = word_end(at);
        for (size_t i = 0; good[end] != ':' && i < sizeof others / sizeof others[0]; i++) {
            int size = snprintf(text, sizeof text, "%.*s%s%s", (int)at, good, others[i], good + end);
            try_text((size_t)size);
        }
        at = end;
    }
    CHECK(refused > before + 1000);
    CHECK(accepted > 100);
}

static char *large, *end;

static void add(const char *piece, int number) {
    end += sprintf(end, piece, number, number);
}

static void check_large(const char *first) {
    tact_source source = {.name = "s", .bytes = large, .size = (size_t)(end - large), .line = 1};
    errors = (tact_errors){0};
    scene = tact_scene_parse(source, "", NULL, &errors);
    CHECK_INT(scene == NULL, first[0] != '\0');
    CHECK_TEXT(message(0), first);
    close_scene();
}

// lists of 20000: each would take minutes if anything were quadratic in text or names
static void test_large(void) {
    enum { N = 20000 };
    large = malloc(N * 200);
    if (!large) exit(1);
    end = large;
    add("{\"tact\":1,\"bodies\":[", 0);
    for (int i = 0; i < N; i++) {
        add("{\"name\":\"b%d\",\"parent\":", i);
        add(i % 1000 == 999 ? "\"world\"" : "\"b%d\"", i + 1);
        add(",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},", 0);
    }
    end--;
    add("],\"drives\":[", 0);
    for (int i = 0; i < N; i++) add("{\"joint\":\"b%d*\",\"stiffness\":1},", i);
    end--;
    add("]}", 0);
    check_large("");
    end = large;
    add("{\"tact\":1,\"bodies\":[", 0);
    for (int i = 0; i < N; i++) {
        add("{\"name\":\"b%d\",\"parent\":", i);
        add("\"b%d\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},", (i + 1) % N);
    }
    end--;
    add("]}", 0);
    check_large("/bodies/0/parent: a cycle of parents: \"b0\" > \"b1\" > \"b2\" > \"b3\" > \"b4\" > ... > \"b0\"");
    end = large;
    add("{\"tact\":1,\"bodies\":[", 0);
    for (int i = 0; i < N; i++) {
        add("{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"", i);
        if (i + 1 < N) add(",\"mimic\":{\"joint\":\"b%d\"}", i + 1);
        add("}},", 0);
    }
    end--;
    add("]}", 0);
    check_large("");
    end = large;
    add("{\"tact\":1,\"mu\":1,\"pairs\":\"auto\",\"shapes\":[", 0);
    for (int i = 0; i < N; i++) add("{\"name\":\"s%d\",\"body\":\"world\",\"type\":\"sphere\",\"radius\":0},", i);
    end--;
    add("]}", 0);
    check_large("/pairs: more than 1000000 pairs: list those that matter");
    free(large);
}

int main(void) {
    test_prefixes();
    test_bytes();
    test_values();
    printf("%ld accepted, %ld refused\n", accepted, refused);
    test_large();
    return test_end("scene_hostile");
}
