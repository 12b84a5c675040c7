// SPDX-License-Identifier: MIT
// A soak: ten scenes of the three laws are stepped for ever over the same stretch, from the initial state on, each in one world
// that is never opened anew. Every stretch must have the bits of the first, to the last state, and memory must not grow. `make
// soak` makes TACT_COUNT = 1e9 steps, keeps in the file TACT_SOAK how far it came, and goes on from there; the tests make a few.
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tact/scene.h"
#include "files.h"
#include "test.h"

enum { SCENES = 10, STRETCH = 500, SECONDS = 20 };

static const char *const NAMES[SCENES] = {"lesson",        "hand_lift",      "two_fingers_disc", "incline",  "cart_stop",
                                          "newton_cradle", "block_on_slope", "flip_box",         "lift_hex", "lift_roll_hex"};

typedef struct {
    tact_world *world[SCENES];
    uint64_t first[SCENES], last[SCENES];  // digests of stretches
    long long stretches;                   // of each scene, those of earlier calls included
    double seconds;                        // likewise
} soak;

static volatile sig_atomic_t asked_to_end;
static bool quiet;

static void ask_to_end(int number) {
    asked_to_end = number;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t mix(uint64_t digest, const tact_real *x, int count) {
    for (int i = 0; i < count; i++) {
        double wide = (double)x[i];
        uint64_t word;
        memcpy(&word, &wide, sizeof word);
        digest = (digest ^ word) * 0x9e3779b97f4a7c15ull;
        digest ^= digest >> 29;
    }
    return digest;
}

// Digest of every state and status of a stretch.
static uint64_t run_stretch(tact_world *world) {
    const tact_model *model = &world->scene->model;
    uint64_t digest = 0;
    tact_state_reset(&world->state, model);
    for (int k = 0; k < STRETCH; k++) {
        digest ^= (uint64_t)(tact_world_step(world) + 200);
        digest = mix(digest, world->state.q, model->nq);
        digest = mix(digest, world->state.v, model->nv);
        digest = mix(digest, world->state.lambda, 3 * model->npair);
    }
    return digest;
}

// Memory of this process [pages]: that it has asked for, and that is resident. Zeros where there is no /proc.
static void read_pages(long pages[2]) {
    FILE *file = fopen("/proc/self/statm", "r");
    pages[0] = pages[1] = 0;
    if (!file) return;
    if (fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2) pages[0] = pages[1] = 0;
    fclose(file);
}

static bool open_soak(soak *s) {
    bool good = true;
    *s = (soak){.stretches = 0};
    for (int i = 0; i < SCENES; i++) {
        char path[80], message[300];
        snprintf(path, sizeof path, "data/scenes/%s.json", NAMES[i]);
        s->world[i] = tact_world_open(path, message, sizeof message);
        CHECK(s->world[i] != NULL);
        if (!s->world[i]) printf("    %s\n", message);
        good = good && s->world[i];
    }
    return good;
}

static void close_soak(soak *s) {
    for (int i = 0; i < SCENES; i++) tact_world_close(s->world[i]);
}

// How far an earlier call came; without a file: nowhere.
static bool read_progress(soak *s, const char *path) {
    unsigned long long digest = 0;
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) return true;
    bool good = fscanf(file, "%lld stretches %lf s", &s->stretches, &s->seconds) == 2 && s->stretches > 0;
    for (int i = 0; i < SCENES && good; i++) {
        good = fscanf(file, " %*s %llx", &digest) == 1;
        s->first[i] = digest;
    }
    fclose(file);
    return good;
}

// The new file takes the old one's place when it is whole.
static bool write_progress(const soak *s, const char *path) {
    char part[400];
    if (!path) return true;
    snprintf(part, sizeof part, "%.390s.part", path);
    FILE *file = fopen(part, "w");
    if (!file) return false;
    fprintf(file, "%lld stretches %.1f s\n", s->stretches, s->seconds);
    for (int i = 0; i < SCENES; i++) fprintf(file, "%s %016llx\n", NAMES[i], (unsigned long long)s->first[i]);
    bool good = fflush(file) == 0 && fsync(fileno(file)) == 0;
    good = fclose(file) == 0 && good;
    return good && rename(part, path) == 0;
}

// One stretch of each scene. The number of those with other bits than the first.
static int run_round(soak *s) {
    int bad = 0;
    for (int i = 0; i < SCENES; i++) {
        s->last[i] = run_stretch(s->world[i]);
        if (s->stretches == 0) s->first[i] = s->last[i];
        if (s->last[i] == s->first[i]) continue;
        bad++;
        if (quiet) continue;
        printf("%s: stretch %lld: %016llx, the first had %016llx\n", NAMES[i], s->stretches + 1, (unsigned long long)s->last[i],
               (unsigned long long)s->first[i]);
    }
    s->stretches++;
    return bad;
}

static void tell(const soak *s, const long pages[2]) {
    if (quiet) return;
    double steps = (double)s->stretches * SCENES * STRETCH;
    printf("%.4g steps, %.4g steps/s, %.1f MiB, %.1f of them resident\n", steps, steps / (s->seconds > 0 ? s->seconds : 1),
           (double)pages[0] * (double)sysconf(_SC_PAGESIZE) / 1048576,
           (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / 1048576);
    fflush(stdout);
}

// Goes on until count steps are made. The number of stretches with wrong bits; -1: what an earlier call left cannot be read.
static int run_soak(double count, const char *path) {
    soak s;
    long before[2] = {0, 0}, after[2] = {0, 0};
    int bad = 0;
    bool here = false;
    if (!open_soak(&s) || !read_progress(&s, path)) {
        close_soak(&s);
        return -1;
    }
    double begin = now() - s.seconds, told = now();
    while ((double)s.stretches * SCENES * STRETCH < count && bad == 0 && !asked_to_end) {
        bad += run_round(&s);
        s.seconds = now() - begin;
        read_pages(after);
        if (!here) memcpy(before, after, sizeof before);
        here = true;
        if (!path || now() - told < SECONDS) continue;
        told = now();
        CHECK(write_progress(&s, path));
        tell(&s, after);
    }
    // the kernel counts resident pages in batches of 64
    CHECK_INT(after[0], before[0]);
    CHECK(after[1] <= before[1] + 128);
    if (bad == 0) CHECK(write_progress(&s, path));
    if (path) {
        tell(&s, after);
        for (int i = 0; i < SCENES && here && !quiet; i++)
            printf("%-18s first %016llx last %016llx\n", NAMES[i], (unsigned long long)s.first[i], (unsigned long long)s.last[i]);
    }
    close_soak(&s);
    return bad;
}

// Broken off and gone on with; a file of other bits is noticed, and one that is none.
static void test_going_on(void) {
    char folder[200], path[220];
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(path, sizeof path, "%s/soak.txt", folder);
    quiet = true;
    int first = run_soak(1, path), more = run_soak(2 * SCENES * STRETCH, path);
    FILE *file = fopen(path, "r+");
    bool there = file && fseek(file, -2, SEEK_END) == 0;
    int digit = there ? fgetc(file) : 0;
    there = there && fseek(file, -2, SEEK_END) == 0 && fputc(digit == '0' ? '1' : '0', file) > 0;
    if (file) fclose(file);
    int other = run_soak(3 * SCENES * STRETCH, path);
    file = fopen(path, "w");
    if (file) fclose(file);
    int none = run_soak(1, path);
    unlink(path);
    rmdir(folder);
    quiet = false;
    CHECK_INT(first, 0);
    CHECK_INT(more, 0);
    CHECK(there);
    CHECK_INT(other, 1);
    CHECK_INT(none, -1);
}

int main(void) {
    const char *path = getenv("TACT_SOAK"), *text = getenv("TACT_COUNT");
    double count = text ? strtod(text, NULL) : 4 * SCENES * STRETCH;
    if (path && path[0]) {
        struct sigaction action = {.sa_handler = ask_to_end};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    } else {
        test_going_on();
        path = NULL;
    }
    CHECK_INT(run_soak(count, path), 0);
    int code = test_end("soak");
    return asked_to_end ? 128 + asked_to_end : code;
}
