// SPDX-License-Identifier: MIT
// Every beginning of a good file, every byte changed, every number replaced: robots, traces, specs of batches, and the lines that
// commands answer, are accepted or refused with a place and a reason, never more. (Scenes: test_scene_hostile.c, URDF:
// test_urdf_refused.c.)
#define _POSIX_C_SOURCE 200809L

#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "tact/batch.h"
#include "tact/scene.h"
#include "tact/trace.h"
#include "test.h"

static char folder[100];
static char path[200], other[200];
static int accepted, refused;

typedef struct {
    const char *text;
    size_t size;
    void (*take)(const char *text, size_t size);
} spoiling;

static const char *place_of(const char *name) {
    static char place[200];
    snprintf(place, sizeof place, "%s/%s", folder, name);
    return place;
}

// Words in the place of a number.
static const char *const words[] = {"0",  "-0",    "-1", "1e308", "1e-308", "1e999", "9007199254740993", "\"\"", "null", "[]",
                                    "{}", "1e400", "01", "+1",    "1,5",    "NaN"};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void replace_numbers(const spoiling *s, char *copy) {
    for (size_t at = 0; at < s->size; at++) {
        bool begins = is_digit(s->text[at]) || s->text[at] == '-';
        bool inside = at > 0 && (is_digit(s->text[at - 1]) || strchr("-+.eE_", s->text[at - 1]) || s->text[at - 1] == '"');
        if (!begins || inside) continue;
        size_t length = strspn(s->text + at, "0123456789.eE+-");
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            size_t size = strlen(words[k]);
            memcpy(copy, s->text, at);
            memcpy(copy + at, words[k], size);
            memcpy(copy + at + size, s->text + at + length, s->size - at - length);
            s->take(copy, s->size - length + size);
        }
    }
}

static void spoil(const char *text, void (*take)(const char *text, size_t size)) {
    spoiling s = {.text = text, .size = strlen(text), .take = take};
    static const char bits[] = {1, 2, 4, 8, 16, 32, 64, (char)0x80};
    // each bit of each byte, or, where that takes too long, one
    size_t each = getenv("TACT_SPOIL") ? 8 : 1;
    char *copy = malloc(s.size + 64);
    if (!copy) exit(1);
    take(text, s.size);
    for (size_t size = 0; size < s.size; size++) take(text, size);
    for (size_t at = 0; at < each * s.size; at++) {
        size_t byte = at / each;
        memcpy(copy, text, s.size);
        copy[byte] = (char)(copy[byte] ^ bits[each > 1 ? at % 8 : 5 * byte % 8]);
        take(copy, s.size);
    }
    replace_numbers(&s, copy);
    free(copy);
}

// What was not accepted has a reason that begins with the file's name.
static void judge(bool good, const char *message, const char *name) {
    accepted += good;
    refused += !good;
    bool told = good || (strncmp(message, name, strlen(name)) == 0 && strlen(message) > strlen(name) + 2);
    CHECK(told);
    if (!told) printf("    refused with \"%s\"\n", message);
}

static const char scene_text[] =
    "{\"tact\":1,\"robots\":[{\"file\":\"robot.json\"}],\"mu\":0.5,\n\"bodies\":[{\"name\":\"ball\",\"parent\":\"world\","
    "\"mass\":1,"
    "\"inertia\":[1,1,1,0,0,0],\"joint\":{\"name\":\"ball\",\"type\":\"translation\"}}],\n"
    "\"shapes\":[{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.1},{\"name\":\"floor\",\"body\":\"world\","
    "\"type\":\"plane\"}],\n\"pairs\":[{\"a\":\"floor\",\"b\":\"ball\"}],\"state\":{\"q\":{\"ball\":[0,0,0.12]}}}";
static const char robot_text[] =
    "{\"bodies\":[{\"name\":\"a\",\"parent\":\"world\",\"mass\":0.5,\"com\":[0,0.1,0],\"inertia\":[1,1,1,0,0,0],\n\"joint\":{"
    "\"name\":\"a\",\"type\":\"revolute\",\"axis\":[0,0,1],\"limits\":[-1,1],\"rpy\":[0,0,0.5]}}],\n\"shapes\":[{\"name\":\"a\","
    "\"body\":\"a\",\"type\":\"capsule\",\"radius\":0.1,\"length\":0.2}],\"drives\":[{\"joint\":\"a\",\"stiffness\":10}]}";
static const char spec_text[] =
    "{\"tact_batch\":1,\"scene\":\"scene.json\",\"envs\":3,\"steps\":2,\"seed\":7,\n\"parameters\":[{\"path\":\"mu\",\"uniform\":"
    "[0.2,0.7]},{\"path\":\"options.kappa\",\"log_uniform\":[50,500]},\n{\"path\":\"bodies.0.mass\",\"normal\":[1,0.01]},{"
    "\"path\":"
    "\"state.q.ball.2\",\"choice\":[0.12,0.13]}],\n\"record\":{\"final\":true,\"every\":1,\"forces\":true}}";

static void take_robot(const char *text, size_t size) {
    char message[600] = "";
    test_write_bytes(path, text, size);
    tact_world *world = tact_world_open(other, message, sizeof message);
    // a robot that is right may not fit the scene, which then is at fault
    judge(world != NULL, message, strncmp(message, other, strlen(other)) == 0 ? other : path);
    if (!world) return;
    tact_status status = tact_world_step(world);
    for (int i = 0; i < world->scene->model.nq; i++) CHECK(status < 0 || isfinite((double)world->state.q[i]));
    tact_world_close(world);
}

static void take_spec(const char *text, size_t size) {
    tact_errors errors = {0};
    tact_batch_spec spec;
    tact_batch batch = {0};
    tact_scene_settings settings = {0};
    test_write_bytes(path, text, size);
    bool read = tact_batch_spec_read(&spec, path, &errors), good = read;
    if (read) good = tact_batch_open(&batch, &spec, &settings, &errors);
    const char *message = errors.kept > 0 ? errors.items[0].text : "";
    bool of_scene = strncmp(message, other, strlen(other)) == 0;
    judge(good, message, of_scene ? other : strncmp(message, folder, strlen(folder)) == 0 ? folder : path);
    CHECK(good == (errors.errors == 0));
    if (read) tact_batch_free(&batch);
    tact_batch_spec_free(&spec);
}

static void take_trace(const char *text, size_t size) {
    char message[600] = "";
    test_write_bytes(path, text, size);
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    int got = reader ? 1 : -1;
    while (got > 0) got = tact_trace_next(reader, message, sizeof message);
    judge(got == 0, message, path);
    if (reader) tact_trace_close(reader);
}

// the text of a file
static char *load(const char *name) {
    FILE *file = fopen(name, "r");
    char *text = calloc(1, 1 << 16);
    if (!file || !text || fread(text, 1, (1 << 16) - 1, file) == 0) exit(1);
    fclose(file);
    return text;
}

static FILE *lines;
static long line_count;

// a line of its own: one that has a line break, or nothing else, would be none
static void take_line(const char *text, size_t size) {
    size_t blank = 0;
    while (blank < size && strchr(" \t\r", text[blank]) && text[blank]) blank++;
    if (blank == size || memchr(text, '\n', size)) return;
    fwrite(text, 1, size, lines);
    fputc('\n', lines);
    line_count++;
}

// The command answers every line in its turn: with an object, which says why when it is refused.
static void check_answers(const char *command, const char *answers) {
    static char line[1 << 16];
    FILE *file = fopen(answers, "r");
    long count = 0, bad = 0;
    while (file && fgets(line, sizeof line, file)) {
        size_t size = strlen(line);
        bool whole = size > 3 && line[0] == '{' && line[size - 2] == '}' && line[size - 1] == '\n';
        bool no = strstr(line, "\"status\":\"bad_input\"") || strstr(line, "\"error\":");
        char place[40];
        snprintf(place, sizeof place, "\"<stdin>:%ld:", ++count);
        whole = whole && (!no || strstr(line, place)) && !strstr(line, "nan") && !strstr(line, "inf,");
        bad += no;
        CHECK(whole);
        if (!whole) printf("    tact %s, line %ld: %.300s", command, count, line);
    }
    if (file) fclose(file);
    CHECK_INT(count, line_count);
    CHECK(bad > 0 && bad < count);
    printf("tact %s: %ld lines, %ld refused\n", command, count, bad);
}

static void test_lines(const char *tact, const char *command, const char *text) {
    char call[1200], answers[200];
    const char *name = place_of("lines");
    line_count = 0;
    lines = fopen(name, "w");
    if (!lines) exit(1);
    spoil(text, take_line);
    fclose(lines);
    snprintf(answers, sizeof answers, "%s/answers", folder);
    snprintf(call, sizeof call, "'%s' %s <'%s/lines' >'%s' 2>'%s/said'", tact, command, folder, answers, folder);
    int code = system(call);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 1);
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 1) printf("    tact %s: %d\n", command, code);
    check_answers(command, answers);
    snprintf(call, sizeof call, "%s/said", folder);
    unlink(call);
    unlink(answers);
    unlink(place_of("lines"));
}

static void test_commands(const char *tact) {
    char fk[300], ik[300];
    snprintf(fk, sizeof fk, "fk '%s'", other);
    snprintf(ik, sizeof ik, "ik '%s'", other);
    test_lines(tact, "solve",
               "{\"id\":1,\"n\":1,\"nc\":1,\"P\":[1],\"b\":[-1],\"J\":[1,0,0],\"c\":[0,0,0],\"mu\":[1],\"kappa\":100,"
               "\"x0\":[0.5]}");
    test_lines(tact, "lcp", "{\"id\":\"a\",\"n\":2,\"M\":[1,-1,-1,1],\"q\":[1,-1]}");
    test_lines(tact, "lcp --method lemke", "{\"id\":4,\"n\":2,\"M\":[2,0,0,4],\"q\":[-8,-8]}");
    test_lines(tact, "qcqp",
               "{\"id\":5,\"n\":2,\"objective\":{\"Q\":[[0,0,2],[1,1,2]],\"r\":[[1,2]],\"c\":1},\"constraints\":[{\"Q\":"
               "[-2,0,0,-2],\"c\":1},{\"r\":[0,1],\"type\":\">=\"}],\"x0\":[0.5,1]}");
    test_lines(tact, "friction",
               "{\"id\":3,\"nc\":1,\"W_csr\":{\"indptr\":[0,1,2,3],\"indices\":[0,1,2],\"data\":[1,1,1]},\"q\":[-1,2,0],"
               "\"mu\":[0.5]}");
    test_lines(tact, "friction --max-iterations 50",
               "{\"id\":3,\"nc\":1,\"W\":[2,0,0,0,2,0,0,0,2],\"q\":[-1,0.25,0],\"mu\":[0.5]}");
    test_lines(tact, fk, "{\"id\":1,\"q\":{\"a\":0.5,\"ball\":[1,2,3]}}");
    test_lines(tact, fk, "{\"q\":[0.5,1,2,3]}");
    test_lines(tact, ik, "{\"id\":1,\"targets\":[{\"body\":\"a\",\"point\":[0,0.1,0],\"position\":[-0.05,0.1,0]}]}");
}

static void report(const char *what) {
    printf("%s: %d accepted, %d refused\n", what, accepted, refused);
    CHECK(accepted > 0 && refused > accepted / 10);
    accepted = refused = 0;
}

int main(void) {
    char message[600] = "", trace[200];
    const char *tact = getenv("TACT");
    // thousands of small files: in memory where that is possible
    test_make_folder(folder, sizeof folder, "/dev/shm");
    snprintf(trace, sizeof trace, "%s/run.jsonl", folder);
    snprintf(path, sizeof path, "%s/robot.json", folder);
    snprintf(other, sizeof other, "%s/scene.json", folder);
    test_write_bytes(other, scene_text, strlen(scene_text));
    spoil(robot_text, take_robot);
    report("robots");
    test_write_bytes(path, robot_text, strlen(robot_text));
    if (tact) test_commands(tact);
    tact_world *world = tact_world_open(other, message, sizeof message);
    CHECK(world != NULL);
    char call[900];
    snprintf(call, sizeof call, "'%s' run '%s' --steps 2 --quiet --trace '%s'", tact ? tact : "", other, trace);
    bool traced = tact && system(call) == 0;
    if (world) tact_world_close(world);
    snprintf(path, sizeof path, "%s/spec.json", folder);
    spoil(spec_text, take_spec);
    report("specs");
    unlink(path);
    if (traced) {
        char *text = load(trace);
        snprintf(path, sizeof path, "%s", trace);
        spoil(text, take_trace);
        report("traces");
        free(text);
    }
    unlink(trace);
    unlink(other);
    unlink(place_of("robot.json"));
    CHECK(rmdir(folder) == 0);
    return test_end("spoil");
}
