// SPDX-License-Identifier: MIT
// Traces: what is written is read back to the bit, a run resumed from any line goes on as if it had never ended, bad lines
// are refused with their place, and a file appears only when it is whole.
#include "tact/trace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "tact/files.h"
#include "tact/scene.h"
#include "test.h"

static char folder[256], path[300];
static char message[1280];

static const char scene_text[] =
    "{\"tact\":1,\"name\":\"box \\u20ac \\\"x\\\"\",\"options\":{\"anchor\":true,\"kappa\":1e4,\"margin\":0.2},\n"
    "\"bodies\":[{\"name\":\"pusher\",\"parent\":\"world\",\"joint\":{\"name\":\"push\",\"type\":\"prismatic\",\"axis\":[1,0,0],"
    "\"limits\":[-1,1],\"xyz\":[-0.1,0,0.04]}},\n"
    "{\"name\":\"box\",\"parent\":\"world\",\"mass\":0.2,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
    "\"joint\":{\"name\":\"box\",\"type\":\"free\"}}],\n"
    "\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0},\n"
    "{\"name\":\"tip\",\"body\":\"pusher\",\"type\":\"sphere\",\"radius\":0.01},\n"
    "{\"name\":\"core\",\"body\":\"box\",\"type\":\"box\",\"size\":[0.08,0.08,0.08]},\n"
    "{\"name\":\"c1\",\"body\":\"box\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[0.04,0.04,-0.04]},\n"
    "{\"name\":\"c2\",\"body\":\"box\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[0.04,-0.04,-0.04]},\n"
    "{\"name\":\"c3\",\"body\":\"box\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[-0.04,0.04,-0.04]},\n"
    "{\"name\":\"c4\",\"body\":\"box\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[-0.04,-0.04,-0.04]}],\n"
    "\"pairs\":[{\"a\":\"floor\",\"b\":\"c1\",\"mu\":0.4},{\"a\":\"floor\",\"b\":\"c2\",\"mu\":0.4},{\"a\":\"floor\",\"b\":"
    "\"c3\",\"mu\":0.4},\n"
    "{\"a\":\"floor\",\"b\":\"c4\",\"mu\":0.4},{\"a\":\"tip\",\"b\":\"core\",\"mu\":0.3}],\n"
    "\"drives\":[{\"joint\":\"push\",\"stiffness\":500}],\n"
    "\"state\":{\"q\":{\"box\":[0,0.002,0.045,1,0,0,0]}},\n"
    "\"command\":{\"mode\":\"trajectory\",\"times\":[0,0.4],\"q\":{\"push\":[0,0.12]}}}";

typedef struct {
    tact_scene *scene;
    tact_state state;
    tact_work work;
    tact_real u[8];
    void *memory[2];
} player;

static bool player_open(player *p) {
    static tact_errors errors;
    tact_source source = {.name = "scene", .bytes = scene_text, .size = sizeof scene_text - 1, .line = 1};
    errors = (tact_errors){0};
    p->scene = tact_scene_parse(source, "", NULL, &errors);
    CHECK(p->scene != NULL);
    if (!p->scene) printf("%s\n", errors.items[0].text);
    if (!p->scene) return false;
    const tact_model *model = &p->scene->model;
    p->memory[0] = malloc(tact_state_size(model));
    p->memory[1] = malloc(tact_work_size(model));
    if (!p->memory[0] || !p->memory[1]) return false;
    CHECK_INT(tact_state_init(&p->state, model, p->memory[0], tact_state_size(model)), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&p->work, model, p->memory[1], tact_work_size(model)), TACT_CONVERGED);
    return true;
}

static void player_close(player *p) {
    tact_scene_free(p->scene);
    free(p->memory[0]);
    free(p->memory[1]);
}

static void player_step(player *p) {
    tact_scene_command(p->scene, &p->state, p->u);
    tact_input input = {.u = p->u};
    CHECK(tact_step(&p->scene->model, &p->scene->options, &input, &p->state, &p->work) >= 0);
}

static bool same(const void *a, const void *b, size_t count) {
    return memcmp(a, b, count) == 0;
}

static bool same_state(const tact_state *a, const tact_state *b, const tact_model *model) {
    bool good =
        same(a->q, b->q, (size_t)model->nq * sizeof(tact_real)) && same(a->v, b->v, (size_t)model->nv * sizeof(tact_real));
    return good && same(a->lambda, b->lambda, 3 * (size_t)model->npair * sizeof(tact_real)) &&
           same(a->anchor, b->anchor, (size_t)model->npair * sizeof(tact_vec3)) && a->time == b->time;
}

static bool exists(const char *name) {
    struct stat status;
    return lstat(name, &status) == 0;
}

static int count_files(void) {
    char command[320];
    int count = -1;
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    FILE *list = popen(command, "r");
    if (list && fscanf(list, "%d", &count) != 1) count = -1;
    if (list) pclose(list);
    return count;
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, size, file) == size);
    if (file) fclose(file);
}

enum { STEPS = 60 };

// writes a run; the states after each step go to states
static void record(player *p, tact_state *states, void **memories) {
    const tact_model *model = &p->scene->model;
    tact_trace_writer *writer = tact_trace_create(path, p->scene, message, sizeof message);
    CHECK(writer != NULL);
    if (!writer) return;
    CHECK(!exists(path));
    for (int i = 0; i <= STEPS; i++) {
        if (i > 0) player_step(p);
        if (i == 0) tact_scene_command(p->scene, &p->state, p->u);
        CHECK(tact_trace_add(writer, &p->state, i > 0 ? &p->work : NULL, p->u));
        memories[i] = malloc(tact_state_size(model));
        tact_state_init(&states[i], model, memories[i], tact_state_size(model));
        tact_state_copy(&states[i], &p->state, model);
    }
    CHECK(tact_trace_finish(writer, message, sizeof message));
    CHECK_INT(count_files(), 1);
}

static void check_header(const tact_trace_header *header, const tact_scene *scene) {
    const tact_model *model = &scene->model;
    CHECK_TEXT(header->scene, "box \xe2\x82\xac \"x\"");
    CHECK_TEXT(header->law, "barrier");
    CHECK(header->dt == scene->options.dt);
    CHECK_INT(header->nq, model->nq);
    CHECK_INT(header->nv, model->nv);
    CHECK_INT(header->nu, model->nu);
    CHECK_INT(header->npair, 5);
    CHECK_TEXT(header->coordinate[4], "box.qw");
    CHECK_TEXT(header->dof[0], "push");
    CHECK_TEXT(header->dof[1], "box.wx");
    CHECK_TEXT(header->dof[6], "box.vz");
    CHECK_TEXT(header->command[0], "push");
    CHECK_TEXT(header->body[1], "box");
    CHECK_TEXT(header->shape[header->pair[4].a], "tip");
    CHECK_TEXT(header->shape[header->pair[4].b], "core");
    CHECK(header->pair[4].mu == TACT_REAL(0.3));
}

// a step without an answer, or of another model
static void check_foreign(const tact_trace_step *step, const tact_model *model, tact_state *state) {
    tact_trace_step other[4] = {*step, *step, *step, *step};
    other[0].status = TACT_SINGULAR;
    other[1].nq++;
    other[2].nv--;
    other[3].npair++;
    for (int k = 0; k < 4; k++) CHECK_INT(tact_trace_restore(&other[k], model, state), TACT_BAD_INPUT);
}

// every line, and what follows from it
static void check_steps(player *p, tact_trace_reader *reader, const tact_state *states) {
    const tact_model *model = &p->scene->model;
    int forces = 0, anchors = 0, iterations = 0;
    for (int i = 0; i <= STEPS; i++) {
        CHECK_INT(tact_trace_next(reader, message, sizeof message), 1);
        const tact_trace_step *step = &reader->step;
        CHECK_INT(step->step, i);
        CHECK_INT(step->status, TACT_CONVERGED);
        CHECK(i > 0 || (step->iterations == 0 && step->ncontact == 0));
        iterations += step->iterations;
        CHECK(i == 0 || step->u[0] > 0 || i < 3);
        CHECK_INT(tact_trace_restore(step, model, &p->state), TACT_CONVERGED);
        check_foreign(step, model, &p->state);
        CHECK(same_state(&p->state, &states[i], model));
        for (int k = 0; k < step->ncontact; k++) {
            const tact_trace_contact *contact = &step->contact[k];
            forces += contact->lambda[0] > 0;
            CHECK_CLOSE(contact->frame.m[0][2], contact->normal.z, 0);
            CHECK_CLOSE(tact_vec3_dot(contact->normal, contact->force), contact->lambda[0], 100 * TACT_EPS);
        }
        for (int k = 0; k < model->npair; k++) anchors += tact_vec3_dot(step->anchor[k], step->anchor[k]) > 0;
        if (i < STEPS) {
            player_step(p);
            CHECK(same_state(&p->state, &states[i + 1], model));
        }
    }
    CHECK_INT(tact_trace_next(reader, message, sizeof message), 0);
    CHECK_INT(tact_trace_next(reader, message, sizeof message), 0);
    CHECK(forces > STEPS);
    CHECK(anchors > STEPS);
    CHECK(iterations > STEPS);
}

static void test_round_trip(void) {
    static tact_state states[STEPS + 1];
    static void *memories[STEPS + 1];
    player p;
    if (!player_open(&p)) return;
    record(&p, states, memories);
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    CHECK(reader != NULL);
    if (reader) {
        check_header(&reader->header, p.scene);
        check_steps(&p, reader, states);
    }
    tact_trace_close(reader);
    for (int i = 0; i <= STEPS; i++) free(memories[i]);
    player_close(&p);
    unlink(path);
}

// a step that failed: its line has the status and no NaN
static void test_failed_step(void) {
    player p;
    if (!player_open(&p)) return;
    tact_trace_writer *writer = tact_trace_create(path, p.scene, message, sizeof message);
    player_step(&p);
    p.work.status = TACT_INFEASIBLE;
    p.work.decrement = (tact_real)NAN;
    CHECK(tact_trace_add(writer, &p.state, &p.work, p.u));
    p.work.status = TACT_BAD_INPUT;
    CHECK(tact_trace_add(writer, &p.state, &p.work, p.u));
    CHECK(tact_trace_finish(writer, message, sizeof message));
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    CHECK_INT(tact_trace_next(reader, message, sizeof message), 1);
    CHECK_INT(reader->step.status, TACT_INFEASIBLE);
    CHECK_INT(reader->step.ncontact, p.work.contacts.count);
    CHECK_INT(tact_trace_next(reader, message, sizeof message), 1);
    CHECK_INT(reader->step.status, TACT_BAD_INPUT);
    CHECK_INT(reader->step.ncontact, 0);
    tact_trace_close(reader);
    player_close(&p);
    unlink(path);
}

static const char first_line[] = "{\"tact_trace\":1,\"scene\":\"s\",\"law\":\"barrier\",\"dt\":0.01,\"nq\":1,\"nv\":1,\"nu\":0,"
                                 "\"dofs\":[\"a\"],\"coordinates\":[\"a\"],"
                                 "\"commands\":[],\"bodies\":[\"b\"],\"shapes\":[{\"name\":\"x\"},{\"name\":\"y\"}],\"pairs\":[{"
                                 "\"a\":\"y\",\"b\":\"x\",\"mu\":1}]}";

static void check_refused(const char *first, const char *second, const char *reason) {
    char text[2048];
    int size = snprintf(text, sizeof text, "%s\n%s", first, second);
    write_file(text, (size_t)size);
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    int got = reader ? tact_trace_next(reader, message, sizeof message) : -1;
    CHECK_INT(got, reason ? -1 : 1);
    if (reason && !strstr(message, reason)) CHECK_TEXT(message, reason);
    if (reason) CHECK(strstr(message, reason) != NULL);
    tact_trace_close(reader);
}

static void test_refusals(void) {
    const char *good = "{\"step\":0,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"converged\",\"contacts\":[],\"later\":{}}";
    check_refused(first_line, good, NULL);
    check_refused("", "", "is empty");
    check_refused("{}", good, "\"tact_trace\" is missing");
    check_refused("{\"tact_trace\":2}", good, "must be");
    check_refused("[]", good, "expected an object");
    check_refused(
        "{\"tact_trace\":1,\"scene\":\"s\",\"law\":\"barrier\",\"dt\":0.01,\"dofs\":[],\"coordinates\":[],\"commands\":[],"
        "\"bodies\":[],\"shapes\":[],\"pairs\":[{\"a\":\"x\",\"b\":\"y\",\"mu\":1}]}",
        good, ":1:134: /pairs/0/a: no shape \"x\"");
    check_refused(first_line, "{\"step\":0,\"t\":0,\"q\":[1,2],\"v\":[2],\"u\":[],\"status\":\"converged\",\"contacts\":[]}",
                  ":2:21: /q: expected 1 number, found 2");
    check_refused(first_line, "{\"step\":0,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"fine\",\"contacts\":[]}",
                  "unknown status \"fine\"");
    check_refused(first_line, "{\"step\":-1,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"converged\",\"contacts\":[]}",
                  "/step");
    check_refused(first_line, "{\"step\":0,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"converged\",\"contacts\":[{},{}]}",
                  "2 contacts, but the first line names 1 pairs");
    check_refused(
        first_line,
        "{\"step\":0,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"converged\",\"contacts\":[{\"pair\":1,\"gap\":0}]}",
        "/contacts/0/pair");
    check_refused(first_line, "{\"step\":0,\"t\":0,\"q\":[1],\"v\":[2],\"u\":[],\"status\":\"conv", ":2:");
    check_refused(first_line, "{\"step\":0}", "\"t\" is missing");
    // a number of its own is not a line of the trace
    check_refused(first_line, "7", "expected an object");
    unlink(path);
}

static void test_long_lines(void) {
    size_t size = TACT_TEXT_LIMIT + 10;
    char *text = malloc(size + 100);
    if (!text) return;
    memset(text, ' ', size);
    text[0] = 'x';
    size += (size_t)sprintf(text + size, "\r\n\r\n  \nend\r\nlast");
    write_file(text, size);
    free(text);
    tact_errors errors = {0};
    tact_lines lines;
    tact_source line;
    CHECK(tact_lines_open(&lines, path, &errors));
    CHECK_INT(tact_lines_next(&lines, &line, &errors), TACT_LINES_BAD);
    CHECK(strstr(errors.items[0].text, ":1:1: line larger than the limit of 16777216 bytes") != NULL);
    CHECK_INT(tact_lines_next(&lines, &line, &errors), TACT_LINES_LINE);
    CHECK(line.size == 4 && memcmp(line.bytes, "end\r", 4) == 0);
    CHECK_INT(line.line, 4);
    CHECK_INT(tact_lines_next(&lines, &line, &errors), TACT_LINES_LINE);
    CHECK(line.size == 4 && memcmp(line.bytes, "last", 4) == 0);
    CHECK_INT(tact_lines_next(&lines, &line, &errors), TACT_LINES_END);
    CHECK_INT(tact_lines_next(&lines, &line, &errors), TACT_LINES_END);
    CHECK_INT(errors.errors, 1);
    tact_lines_close(&lines);
    errors = (tact_errors){0};
    CHECK(!tact_lines_open(&lines, folder, &errors));
    CHECK(!tact_lines_open(&lines, "/nowhere/at/all", &errors));
    CHECK(strstr(errors.items[0].text, "is a directory") && strstr(errors.items[1].text, "No such file"));
    unlink(path);
}

static void check_not_written(const char *name, const char *reason) {
    tact_errors errors = {0};
    tact_output output;
    CHECK(!tact_output_open(&output, name, &errors));
    CHECK_INT(tact_errors_exit(&errors), 3);
    if (!strstr(errors.items[0].text, reason)) CHECK_TEXT(errors.items[0].text, reason);
}

// a full device is told at the end
static void test_full(void) {
    tact_errors errors = {0};
    tact_output output;
    if (access("/dev/full", W_OK) != 0) return;
    CHECK(tact_output_open(&output, "/dev/full", &errors));
    tact_text_add(&output.text, "full");
    CHECK(tact_output_spill(&output));
    CHECK(!tact_output_finish(&output, &errors));
    CHECK_TEXT(errors.items[0].text, "/dev/full: No space left on device");
}

// a pipe that takes what it has room for, and a reader who is slow
static void test_short_writes(void) {
    enum { SIZE = 1 << 20 };
    int ends[2];
    tact_errors errors = {0};
    CHECK(pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        static unsigned char bytes[5000];
        size_t at = 0;
        bool good = true;
        for (ssize_t got = read(ends[0], bytes, sizeof bytes); got > 0; got = read(ends[0], bytes, sizeof bytes))
            for (ssize_t i = 0; i < got; i++, at++) good = good && bytes[i] == 'a' + at % 26;
        _exit(good && at == SIZE ? 0 : 1);
    }
    close(ends[0]);
    tact_output output = {.name = "pipe", .file = ends[1]};
    char piece[2] = "a";
    for (int i = 0; i < SIZE; i++, piece[0] = (char)('a' + i % 26)) tact_text_add(&output.text, piece);
    CHECK(tact_output_finish(&output, &errors));
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void test_outputs(void) {
    char link[320], target[320];
    struct stat status;
    tact_errors errors = {0};
    tact_output output;
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(target, sizeof target, "%s/target", folder);
    check_not_written(folder, "Is a directory: name the file in it");
    check_not_written("/nowhere/at/all", "No such file");
    check_not_written("", "No such file");
    // through a link nothing is written, wherever it leads
    CHECK(symlink(target, link) == 0);
    check_not_written(link, "symbolic link");
    CHECK(!exists(target));
    unlink(link);
    // the old file stays until the new one is whole
    write_file("old", 3);
    CHECK(tact_output_open(&output, path, &errors));
    tact_text_add(&output.text, "new text");
    CHECK(tact_output_flush(&output));
    CHECK_INT(count_files(), 2);
    CHECK(stat(path, &status) == 0 && status.st_size == 3);
    tact_output_abandon(&output);
    CHECK_INT(count_files(), 1);
    CHECK(tact_output_open(&output, path, &errors));
    tact_text_add(&output.text, "new text");
    CHECK(tact_output_finish(&output, &errors));
    CHECK(stat(path, &status) == 0 && status.st_size == 8);
    CHECK_INT(count_files(), 1);
    CHECK_INT(errors.errors, 0);
    unlink(path);
}

int main(void) {
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(path, sizeof path, "%s/run.jsonl", folder);
    test_round_trip();
    test_failed_step();
    test_refusals();
    test_long_lines();
    test_outputs();
    test_full();
    test_short_writes();
    rmdir(folder);
    return test_end("trace");
}
