// SPDX-License-Identifier: MIT
#include "app/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// the temporary that an interrupt removes
static _Atomic(const char *) guarded;

static void interrupt(int number) {
    const char *temporary = atomic_load(&guarded);
    if (temporary) unlink(temporary);
    _exit(128 + number);
}

static sigset_t interrupts(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static void set_action(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_mask = interrupts()};
    sigaction(number, &action, NULL);
}

// A descriptor of the wrong direction makes every use of it fail as if it were closed.
static void occupy(int file, int direction) {
    if (fcntl(file, F_GETFD) >= 0 || errno != EBADF) return;
    int opened = open("/dev/null", direction);
    // the lowest free descriptor is this one, those below being taken
    if (opened >= 0 && opened != file) close(opened);
}

void tact_console_begin(void) {
    occupy(STDIN_FILENO, O_WRONLY);
    occupy(STDOUT_FILENO, O_RDONLY);
    occupy(STDERR_FILENO, O_WRONLY);
    set_action(SIGPIPE, SIG_IGN);
    set_action(SIGXFSZ, SIG_IGN);
    set_action(SIGINT, interrupt);
    set_action(SIGTERM, interrupt);
    struct sigaction hangup;
    // nohup
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) set_action(SIGHUP, interrupt);
}

static atomic_int caught;

static void note(int number) {
    if (atomic_exchange(&caught, number) != 0) interrupt(number);
}

void tact_console_catch(bool wanted) {
    set_action(SIGINT, wanted ? note : interrupt);
    set_action(SIGTERM, wanted ? note : interrupt);
}

int tact_console_signal(void) {
    return atomic_load(&caught);
}

void tact_say(const char *format, ...) {
    char plain[1024], text[1536];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(plain, sizeof plain, format, arguments) < 0) plain[0] = '\0';
    va_end(arguments);
    tact_quote_escape(text, sizeof text, plain, strlen(plain));
    fprintf(stderr, "tact: %s\n", text);
}

// Whether a warning of this text was reported before: what one file has wrong is reported once, also where it is read again.
static bool was_told(const tact_error *warning) {
    enum { TOLD = 64 };
    static unsigned long long told[TOLD];
    static int count;
    unsigned long long hash = 14695981039346656037ULL;  // of Fowler, Noll and Vo
    for (const char *c = warning->text; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211ULL;
    for (int i = 0; i < count; i++)
        if (told[i] == hash) return true;
    if (count < TOLD) told[count++] = hash;
    return false;
}

// How many warnings of a robot description follow its first one; -1 for one that is not its first.
static int count_noise(const tact_errors *errors, int i) {
    int more = errors->items[i].more;
    for (int k = 0; k < errors->kept; k++) {
        if (k == i) continue;
        const tact_error *a = &errors->items[i];
        const tact_error *b = &errors->items[k];
        if (!a->noise || !b->noise || a->file != b->file || memcmp(a->text, b->text, (size_t)a->file) != 0) continue;

        if (k < i) return -1;
        more += 1 + errors->items[k].more;
    }
    return more;
}

void tact_say_message(const tact_error *message) {
    const char *word = message->kind == TACT_ERROR_WARNING ? "" : "error: ";
    fprintf(stderr, "%.*s%s%s", message->reason, message->text, word, message->text + message->reason);
}

static tact_telling descriptions = TACT_TELL_GIVEN;

void tact_console_descriptions(tact_telling telling) {
    descriptions = telling;
}

// Prints the messages that were kept and how many more there were, leaving out warnings that were told before or are many of a
// kind. The exit code.
int tact_say_errors(const tact_errors *errors) {
    int more = errors->errors + errors->warnings - errors->kept;
    for (int i = 0; i < errors->kept; i++) {
        int others = errors->items[i].noise && !errors->verbose ? count_noise(errors, i) : 0;
        const tact_error *item = &errors->items[i];
        bool known = !errors->verbose && (((item->noise || item->left) && descriptions < TACT_TELL_READ) ||
                                          (item->given && descriptions < TACT_TELL_GIVEN));
        if (known) more -= errors->items[i].more;
        if (known || others < 0 || (errors->items[i].kind == TACT_ERROR_WARNING && was_told(&errors->items[i]))) continue;
        tact_say_message(&errors->items[i]);
        if (others > 0) fprintf(stderr, " (and %d more warning%s: --verbose tells all)", others, others > 1 ? "s" : "");
        fputc('\n', stderr);
        if (!errors->verbose) more -= errors->items[i].more;
    }
    if (more > 0) fprintf(stderr, "tact: and %d more\n", more);
    return tact_errors_exit(errors);
}

int tact_print_finish(tact_output *output, int code) {
    tact_errors errors = {0};
    return tact_output_finish(output, &errors) ? code : tact_say_errors(&errors);
}

int tact_print_text(tact_text *text, int code) {
    tact_errors errors = {0};
    tact_output output;
    tact_output_open(&output, "-", &errors);
    output.text = *text;
    *text = (tact_text){0};
    return tact_print_finish(&output, code);
}

int tact_print_summary(tact_text *text, bool to_stderr, int code) {
    if (!to_stderr) return tact_print_text(text, code);
    if (!text->failed) fputs(text->bytes, stderr);
    tact_text_free(text);
    return code;
}

bool tact_guard_open(tact_output *output, const char *path, tact_errors *errors) {
    sigset_t set = interrupts(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    bool opened = tact_output_open(output, path, errors);
    if (opened) atomic_store(&guarded, output->temporary);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return opened;
}

bool tact_guard_show(tact_output *output) {
    sigset_t set = interrupts(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    bool shown = tact_output_show(output);
    if (shown) atomic_store(&guarded, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return shown;
}

bool tact_guard_finish(tact_output *output, tact_errors *errors) {
    sigset_t set = interrupts(), before;
    // the reader may be slow: an interrupt ends the program until everything is written
    tact_output_flush(output);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    bool finished = tact_output_finish(output, errors);
    atomic_store(&guarded, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return finished;
}

void tact_guard_abandon(tact_output *output) {
    sigset_t set = interrupts(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    tact_output_abandon(output);
    atomic_store(&guarded, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int tact_write_text(tact_text *text, const char *path) {
    tact_errors errors = {0};
    tact_output output;
    if (text->failed) {
        tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
    } else if (tact_guard_open(&output, path ? path : "-", &errors)) {
        tact_text_add_bytes(&output.text, text->bytes ? text->bytes : "", text->size);
        tact_guard_finish(&output, &errors);
    }
    tact_text_free(text);
    return tact_say_errors(&errors);
}

double tact_clock(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tact_clock_processor(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define SECONDS 5.0  // between lines of progress without a bar

void tact_progress_begin(tact_progress *progress, long long total, bool wanted) {
    double now = tact_clock();
    *progress = (tact_progress){.shown = wanted && isatty(STDERR_FILENO) == 1, .begin = now, .last = now, .total = total};
}

void tact_progress_show(tact_progress *progress, long long done) {
    if (!progress->shown && !progress->what) return;
    double now = tact_clock(), spent = now - progress->begin;
    if (now - progress->last < (progress->shown ? 0.1 : SECONDS) || done <= 0 || progress->total <= 0) return;
    progress->last = now;
    if (!progress->shown) {
        tact_say("%s %lld of %lld", progress->what, done, progress->total);
        return;
    }
    double rate = (double)done / spent, rest = (double)(progress->total - done) / rate;
    int filled = (int)(30 * done / progress->total);
    // erases to the end of the line
    fprintf(stderr, "\r[%.*s%.*s] %lld/%lld  %.0f/s  %.0f s left\033[K", filled, "==============================", 30 - filled,
            "                              ", done, progress->total, rate, rest);
}

void tact_progress_end(tact_progress *progress) {
    if (progress->shown && progress->last > progress->begin) fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
