// SPDX-License-Identifier: MIT
// Runs a command again and again, each time with another of its calls failing, and judges what came of it.
//
//     sweep LIBRARY CALL HOW[,HOW...] [once|ever] [stride=N] [old] [resume] [in=FILE] [loose] -- COMMAND...
//
// LIBRARY is fault.c; CALL and HOW are its FAULT_CALL and FAULT_HOW. The command writes to standard output and into the folder
// "out" below the present one, which is emptied for each run. old: the files that it will make are there already, with other
// contents (not with resume). resume: what is broken off is gone on with by the same command. loose: standard output may be any.
// stride: every N-th call only. A run is right when
//
//     it has the undisturbed exit code and results to the byte, or
//     it has exit code 5 (memory) or 3 and a message with the reason, its standard output is a beginning of the undisturbed,
//         and each file is absent, or what it was before, or whole; with resume, the next run has the undisturbed results,
//
// and it leaves no temporary and no more memory than the undisturbed run. Killed ones may leave temporaries.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 64, SECONDS = 60, SHOWN = 12 };
static const char old_text[] = "what was here before\n";

typedef struct {
    char *bytes;
    size_t size;
} content;

typedef struct {
    char name[FILES][256];
    content file[FILES];
    int count;
} tree;

typedef struct {
    int code;  // exit code, 128 + signal
    long calls, blocks;
    content out, said;
    tree results;
} outcome;

typedef struct {
    const char *library, *call, *how, *input;
    bool ever, old, resume, loose;
    long stride;
    char **command;
} sweep;

static void die(const char *what) {
    printf("sweep: %s: %s\n", what, strerror(errno));
    exit(2);
}

static content read_file(const char *path) {
    content all = {.bytes = NULL};
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) die(path);
    all.size = (size_t)status.st_size;
    all.bytes = malloc(all.size + 1);
    if (!all.bytes || read(file, all.bytes, all.size) != (ssize_t)all.size) die(path);
    all.bytes[all.size] = '\0';
    close(file);
    return all;
}

static bool same(content a, content b) {
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// every file below a folder that is two levels deep at most, or, for remove, all of them deleted
static void walk(tree *all, const char *folder, bool erase) {
    DIR *handle = opendir(folder);
    struct dirent *entry;
    if (!handle) return;
    while ((entry = readdir(handle))) {
        char path[600];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(path, sizeof path, "%.200s/%.255s", folder, entry->d_name);
        if (lstat(path, &status) != 0) die(path);
        if (S_ISDIR(status.st_mode)) {
            walk(all, path, erase);
            if (erase) rmdir(path);
        } else if (erase) {
            unlink(path);
        } else if (all->count < FILES) {
            snprintf(all->name[all->count], 256, "%.255s", path);
            all->file[all->count++] = read_file(path);
        }
    }
    closedir(handle);
}

static const content *find(const tree *all, const char *name) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->name[i], name) == 0) return &all->file[i];
    return NULL;
}

static void forget(outcome *o) {
    free(o->out.bytes);
    free(o->said.bytes);
    for (int i = 0; i < o->results.count; i++) free(o->results.file[i].bytes);
    *o = (outcome){.code = 0};
}

static void redirect(const char *path, int flags, int to) {
    int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, to) < 0) _exit(99);
    close(file);
}

static void start(const sweep *s, long at, const char *how) {
    char number[32];
    redirect(s->input ? s->input : "/dev/null", O_RDONLY, 0);
    redirect("stdout", O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect("stderr", O_WRONLY | O_CREAT | O_TRUNC, 2);
    snprintf(number, sizeof number, "%ld", at);
    setenv("LD_PRELOAD", s->library, 1);
    setenv("FAULT_CALL", s->call, 1);
    setenv("FAULT_HOW", how, 1);
    setenv("FAULT_AT", number, 1);
    setenv("FAULT_EVER", s->ever ? "1" : "0", 1);
    setenv("FAULT_REPORT", "report", 1);
    alarm(SECONDS);
    execvp(s->command[0], s->command);
    _exit(99);
}

static outcome run(const sweep *s, long at, const char *how) {
    outcome o = {.code = 0};
    int status = 0;
    unlink("report");
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) start(s, at, how);
    if (waitpid(child, &status, 0) != child) die("wait");
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    o.out = read_file("stdout");
    o.said = read_file("stderr");
    FILE *report = fopen("report", "r");
    bool told = report && fscanf(report, "%ld %ld", &o.calls, &o.blocks) == 2;
    if (report) fclose(report);
    if (!told && WIFEXITED(status)) die("no report: is LIBRARY loaded?");
    walk(&o.results, "out", false);
    return o;
}

static void prepare(const sweep *s, const outcome *good) {
    walk(NULL, "out", true);
    mkdir("out", 0777);
    for (int i = 0; s->old && i < good->results.count; i++) {
        int file = open(good->results.name[i], O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file < 0 || write(file, old_text, sizeof old_text - 1) < 0) die("old");
        close(file);
    }
}

static bool is_hidden(const char *name) {
    const char *slash = strrchr(name, '/');
    return (slash ? slash[1] : name[0]) == '.';
}

// Each file is whole or what it was; why not, or NULL.
static const char *judge_files(const sweep *s, const outcome *good, const outcome *o, bool killed) {
    const content old = {(char *)(size_t)old_text, sizeof old_text - 1};
    for (int i = 0; i < o->results.count; i++) {
        const char *name = o->results.name[i];
        const content *whole = find(&good->results, name);
        bool spare = is_hidden(name);
        if (spare && !killed && !strstr(s->call, "remove") && !strstr(s->call, "file")) return "leaves a temporary";
        if (spare || (whole && same(o->results.file[i], *whole)) || (s->old && same(o->results.file[i], old))) continue;
        // arrays under way belong to the batch that goes on
        if (s->resume && !strstr(name, "manifest.json")) continue;
        return whole ? "leaves a broken file" : "leaves a file that is none of its results";
    }
    return s->old && o->results.count < good->results.count ? "loses the old file" : NULL;
}

// A journal that could not be removed is no harm beside a manifest.
static bool is_equal(const sweep *s, const outcome *good, const outcome *o) {
    int count = o->results.count;
    if (strstr(s->call, "remove") && s->resume)
        for (int i = 0; i < o->results.count; i++) count -= strstr(o->results.name[i], "/journal") != NULL;
    if (count != good->results.count) return false;
    for (int i = 0; i < good->results.count; i++) {
        const content *file = find(&o->results, good->results.name[i]);
        if (!file || !same(*file, good->results.file[i])) return false;
    }
    return true;
}

static bool says_why(const outcome *o, const char *how, bool memory) {
    static const char *const names[][2] = {
        {"EIO", "Input/output error"},     {"ENOSPC", "No space left"}, {"EACCES", "Permission denied"}, {"EINTR", "Interrupted"},
        {"EMFILE", "Too many open files"}, {"EDQUOT", "quota"},         {"EROFS", "Read-only"},          {"ENOLCK", "No locks"}};
    if (memory) return strstr(o->said.bytes, "out of memory") || strstr(o->said.bytes, "Cannot allocate memory");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(how, names[i][0]) == 0) return strstr(o->said.bytes, names[i][1]) != NULL;
    return o->said.size > 0;
}

static const char *judge(const sweep *s, const outcome *good, const outcome *o, const char *how) {
    bool memory = strstr(s->call, "memory") != NULL, kill = strcmp(how, "KILL") == 0 || strcmp(how, "TORN") == 0;
    bool equal = is_equal(s, good, o), killed = kill && o->code == 128 + SIGKILL;
    if (o->code == 128 + SIGALRM) return "hangs";
    if (o->code >= 128 && !killed) return "is ended by a signal";
    if (!killed && o->blocks > good->blocks) return "leaks memory";
    if (o->code == good->code) {
        if (!s->loose && !same(o->out, good->out)) return "ends well with another standard output";
        return equal ? NULL : judge_files(s, good, o, false) ? judge_files(s, good, o, false) : "ends well without its results";
    }
    if (strcmp(how, "EINTR") == 0 && !s->ever && strcmp(s->call, "read") == 0) return "does not go on after a signal";
    if (strcmp(how, "EINTR") == 0 && !s->ever && strcmp(s->call, "write") == 0) return "does not go on after a signal";
    if (strcmp(how, "SHORT") == 0 && !s->ever) return "does not go on after a short count";
    if (!killed && o->code != (memory ? 5 : 3)) return "has another exit code";
    if (!killed && !says_why(o, how, memory)) return "does not say why";
    if (s->loose) return judge_files(s, good, o, killed);
    if (o->out.size > good->out.size || memcmp(o->out.bytes, good->out.bytes, o->out.size) != 0)
        return "prints what the undisturbed run does not";
    return judge_files(s, good, o, killed);
}

// Goes on with what was broken off.
static const char *judge_resume(const sweep *s, const outcome *good, const outcome *o) {
    sweep again = *s;
    again.call = "none";
    outcome rest = run(&again, 0, "EIO");
    const char *reason = NULL;
    if (rest.code != good->code) reason = "does not go on";
    // temporaries of a killed run may stay
    for (int i = 0; !reason && i < rest.results.count; i++) {
        const content *whole = find(&good->results, rest.results.name[i]);
        if (whole ? !same(*whole, rest.results.file[i]) : !is_hidden(rest.results.name[i])) reason = "goes on to other results";
    }
    for (int i = 0; !reason && i < good->results.count; i++)
        if (!find(&rest.results, good->results.name[i])) reason = "goes on without a result";
    if (reason) printf("    going on: exit %d: %.300s", rest.code, rest.said.bytes);
    (void)o;
    forget(&rest);
    return reason;
}

static int sweep_how(const sweep *s, const char *how, const outcome *good, long *runs) {
    int bad = 0;
    for (long at = 1; at <= good->calls; at += s->stride) {
        prepare(s, good);
        outcome o = run(s, at, how);
        const char *reason = judge(s, good, &o, how);
        if (!reason && s->resume && o.code != good->code) reason = judge_resume(s, good, &o);
        ++*runs;
        if (reason && ++bad <= SHOWN)
            printf("    %s %s%s at %ld of %ld: %s (exit %d, %ld blocks of %ld): %.300s\n", s->call, how,
                   s->ever ? " for ever" : "", at, good->calls, reason, o.code, o.blocks, good->blocks, o.said.bytes);
        forget(&o);
    }
    return bad;
}

int main(int argc, char **argv) {
    sweep s = {.stride = 1};
    int i = 4, bad = 0;
    long runs = 0;
    if (argc < 6) return 2;
    s.library = argv[1];
    s.call = argv[2];
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "ever") == 0) s.ever = true;
        if (strcmp(argv[i], "old") == 0) s.old = true;
        if (strcmp(argv[i], "resume") == 0) s.resume = true;
        if (strcmp(argv[i], "loose") == 0) s.loose = true;
        if (strncmp(argv[i], "in=", 3) == 0) s.input = argv[i] + 3;
        if (strncmp(argv[i], "stride=", 7) == 0) s.stride = strtol(argv[i] + 7, NULL, 10);
    }
    s.command = argv + i + 1;
    if (s.stride < 1) s.stride = 1;
    if (s.resume) s.old = false;
    outcome empty = {.code = 0}, good, plain;
    prepare(&s, &empty);
    plain = run(&s, 0, "EIO");
    prepare(&s, &plain);
    good = run(&s, 0, "EIO");
    if (good.code > 1 || !is_equal(&s, &good, &plain) || (!s.loose && !same(good.out, plain.out))) {
        printf("undisturbed: exit %d, %ld calls, %d files: %s\n", good.code, good.calls, good.results.count, good.said.bytes);
        return 1;
    }
    for (char *how = strtok(argv[3], ","); how; how = strtok(NULL, ",")) bad += sweep_how(&s, how, &good, &runs);
    printf("%ld runs, %d wrong\n", runs, bad);
    forget(&good);
    forget(&plain);
    return bad > 0;
}
