// SPDX-License-Identifier: MIT
// Takes the power away from a command while it writes, again and again, and looks what the same command makes of what is left.
//
//     power DISK FAULT COUNT SEED -- COMMAND...
//
// DISK and FAULT are the libraries of disk.c and fault.c. The command fills the folder out/all below the present one. Its diary
// tells what it did to the disk. At a crash after any of these operations, what a sync has covered is there; of all else each
// operation is there, or not, or a write in part - a beginning, or some of its sectors -, in any order. Entries of a folder are
// covered by a sync of the folder, the folder's own by one of the folder above. From such a state the command goes on:
// undisturbed, or it crashes once more, or one of its calls for memory or of files fails; then it runs a last time, and must have
// the undisturbed exit code and files.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 32, OPS = 4096, INODES = 256, SECONDS = 60, SHOWN = 12, SECTOR = 512, NAME = 64 };

typedef struct {
    unsigned char *bytes;
    size_t size, room;
} content;

// a folder's files
typedef struct {
    bool there;
    char name[FILES][NAME];
    content file[FILES];
    int count;
} tree;

typedef struct {
    enum { CREATE, OPEN, WRITE, SIZE, SYNC, RENAME, REMOVE, MAKE, UNMAKE, SYNC_FOLDER, SYNC_PARENT } kind;
    unsigned long inode;
    char name[NAME], to[NAME];
    size_t at, size;
    const unsigned char *bytes;  // of a write
} operation;

typedef struct {
    unsigned char *text;
    operation op[OPS];
    int count;
} diary;

typedef struct {
    unsigned long number;
    content durable;
    int pending[OPS], count;  // operations since the last sync
} inode;

// names of inodes; pending: operations since the folder's last sync, and the inode that a creation made
typedef struct {
    inode node[INODES];
    int nodes;
    struct {
        char name[NAME];
        int node;
    } durable[FILES], live[FILES];
    int ndurable, nlive;
    int pending[OPS], made[OPS], count;
    bool there, sure;  // the folder; and surely so
} disk;

static uint64_t state;
static char root[4096], **command;
static const char *disk_library, *fault_library;
static disk now;

static void die(const char *what) {
    printf("power: %s: %s\n", what, strerror(errno));
    exit(2);
}

static unsigned below(unsigned limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % limit);
}

static void put(content *c, size_t at, const unsigned char *bytes, size_t size) {
    size_t end = at + size;
    if (end > c->room) {
        c->bytes = realloc(c->bytes, 2 * end);
        if (!c->bytes) die("memory");
        memset(c->bytes + c->room, 0, 2 * end - c->room);
        c->room = 2 * end;
    }
    if (size > 0) memcpy(c->bytes + at, bytes, size);
    if (end > c->size) c->size = end;
}

static void resize(content *c, size_t size) {
    if (size < c->size) memset(c->bytes + size, 0, c->size - size);
    put(c, size, NULL, 0);
    c->size = size;
}

static content copy(const content *c) {
    content to = {.bytes = NULL};
    put(&to, 0, c->bytes, c->size);
    return to;
}

static content read_file(const char *path) {
    content c = {.bytes = NULL};
    unsigned char piece[4096];
    ssize_t got;
    int file = open(path, O_RDONLY);
    if (file < 0) die(path);
    while ((got = read(file, piece, sizeof piece)) > 0) put(&c, c.size, piece, (size_t)got);
    close(file);
    return c;
}

static void free_tree(tree *t) {
    for (int i = 0; i < t->count; i++) free(t->file[i].bytes);
    memset(t, 0, sizeof *t);
}

// Hidden files are temporaries, which a crash may leave; all: those, too.
static void read_tree(tree *t, bool all) {
    struct dirent *entry;
    DIR *handle = opendir(root);
    memset(t, 0, sizeof *t);
    t->there = handle != NULL;
    while (handle && (entry = readdir(handle))) {
        char path[5000];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (entry->d_name[0] == '.' && !all) continue;
        if (t->count == FILES) die("too many files");
        snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        snprintf(t->name[t->count], NAME, "%.60s", entry->d_name);
        t->file[t->count++] = read_file(path);
    }
    if (handle) closedir(handle);
}

static void write_tree(const tree *t) {
    tree old;
    char path[5000];
    read_tree(&old, true);
    for (int i = 0; i < old.count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, old.name[i]);
        unlink(path);
    }
    free_tree(&old);
    rmdir(root);
    if (!t->there) return;
    if (mkdir(root, 0777) != 0) die(root);
    for (int i = 0; i < t->count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, t->name[i]);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file < 0 || write(file, t->file[i].bytes, t->file[i].size) != (ssize_t)t->file[i].size) die(path);
        close(file);
    }
}

static bool same(const tree *a, const tree *b) {
    bool equal = a->count == b->count;
    for (int i = 0; i < a->count && equal; i++) {
        int k = 0;
        while (k < b->count && strcmp(a->name[i], b->name[k]) != 0) k++;
        equal = k < b->count && a->file[i].size == b->file[k].size &&
                memcmp(a->file[i].bytes, b->file[k].bytes, a->file[i].size) == 0;
    }
    return equal;
}

// library: to preload, NULL for none; the rest of the environment is set by the caller.
static int run(const char *library) {
    int status = 0;
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
        int said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (said < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0) _exit(99);
        if (library) setenv("LD_PRELOAD", library, 1);
        alarm(SECONDS);
        execvp(command[0], command);
        _exit(99);
    }
    if (waitpid(child, &status, 0) != child) die("wait");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void add(diary *d, char *line, unsigned char **after) {
    static const char *const words[] = {"create", "open", "write", "size", "sync", "rename", "remove", "make", "unmake"};
    operation *op = &d->op[d->count++];
    char word[20] = "", rest[2 * NAME] = "";
    if (d->count == OPS) die("a long diary");
    memset(op, 0, sizeof *op);
    sscanf(line, "%19s %127[^\n]", word, rest);
    int kind = 0;
    while (kind < 9 && strcmp(word, words[kind]) != 0) kind++;
    op->kind = (unsigned)kind;
    if (kind == CREATE || kind == OPEN) sscanf(rest, "%lu %63s", &op->inode, op->name);
    if (kind == WRITE) {
        sscanf(rest, "%lu %zu %zu", &op->inode, &op->at, &op->size);
        op->bytes = *after;
        *after += op->size;
    }
    if (kind == SIZE) sscanf(rest, "%lu %zu", &op->inode, &op->size);
    if (kind == RENAME || kind == REMOVE) sscanf(rest, "%63s %63s", op->name, op->to);
    if (kind == SYNC && strcmp(rest, "folder") == 0)
        op->kind = SYNC_FOLDER;
    else if (kind == SYNC && strcmp(rest, "parent") == 0)
        op->kind = SYNC_PARENT;
    else if (kind == SYNC)
        sscanf(rest, "%lu", &op->inode);
}

// What the command does to the disk, from the files that are there on.
static int record(diary *d) {
    setenv("DISK_ROOT", root, 1);
    setenv("DISK_DIARY", "diary", 1);
    int code = run(disk_library);
    unsetenv("DISK_DIARY");
    content c = read_file("diary");
    put(&c, c.size, (const unsigned char *)"", 1);
    *d = (diary){.text = c.bytes};
    for (unsigned char *at = c.bytes, *end = c.bytes + c.size - 1; at < end;) {
        unsigned char *line = at;
        while (at < end && *at != '\n') at++;
        *at++ = '\0';
        add(d, (char *)line, &at);
    }
    return code;
}

static int find_node(unsigned long number) {
    // the last one: numbers are given again after a file is gone
    for (int i = now.nodes - 1; i >= 0; i--)
        if (now.node[i].number == number) return i;
    die("an unknown inode");
    return -1;
}

static int new_node(const content *c) {
    inode *node = &now.node[now.nodes];
    if (now.nodes == INODES) die("too many inodes");
    *node = (inode){.durable = c ? copy(c) : (content){.bytes = NULL}};
    return now.nodes++;
}

// One operation on a table of names.
#define CHANGE(table, count, op, made)                                                                           \
    do {                                                                                                         \
        int k_ = 0;                                                                                              \
        while (k_ < (count) && strcmp((table)[k_].name, (op)->name) != 0) k_++;                                  \
        if ((op)->kind == CREATE) {                                                                              \
            if (k_ == (count)) (count)++;                                                                        \
            snprintf((table)[k_].name, NAME, "%s", (op)->name);                                                  \
            (table)[k_].node = (made);                                                                           \
        } else if (k_ < (count)) {                                                                               \
            int node_ = (table)[k_].node;                                                                        \
            (table)[k_] = (table)[--(count)];                                                                    \
            for (k_ = 0; (op)->kind == RENAME && k_ < (count) && strcmp((table)[k_].name, (op)->to) != 0;) k_++; \
            if ((op)->kind == RENAME) {                                                                          \
                if (k_ == (count)) (count)++;                                                                    \
                snprintf((table)[k_].name, NAME, "%s", (op)->to);                                                \
                (table)[k_].node = node_;                                                                        \
            }                                                                                                    \
        }                                                                                                        \
    } while (0)

static void apply(content *c, const operation *op) {
    if (op->kind == SIZE)
        resize(c, op->size);
    else
        put(c, op->at, op->bytes, op->size);
}

static void do_operation(const diary *d, int k) {
    const operation *op = &d->op[k];
    inode *node = op->kind == WRITE || op->kind == SIZE || op->kind == SYNC ? &now.node[find_node(op->inode)] : NULL;
    int made = -1;
    switch (op->kind) {
    case OPEN:
        for (int i = 0; i < now.nlive; i++)
            if (strcmp(now.live[i].name, op->name) == 0) now.node[now.live[i].node].number = op->inode;
        break;
    case WRITE:
    case SIZE: node->pending[node->count++] = k; break;
    case SYNC:
        for (int i = 0; i < node->count; i++) apply(&node->durable, &d->op[node->pending[i]]);
        node->count = 0;
        break;
    case CREATE:
        made = new_node(NULL);
        now.node[made].number = op->inode;
        // fall through
    case RENAME:
    case REMOVE:
        CHANGE(now.live, now.nlive, op, made);
        now.pending[now.count] = k;
        now.made[now.count++] = made;
        break;
    case SYNC_FOLDER:
        for (int i = 0; i < now.count; i++) CHANGE(now.durable, now.ndurable, &d->op[now.pending[i]], now.made[i]);
        now.count = 0;
        break;
    case MAKE: now.there = true; break;
    case UNMAKE: now.there = now.sure = false; break;
    case SYNC_PARENT: now.sure = now.there; break;
    }
}

// The disk after so many operations, from a tree that is there for sure.
static void replay(const diary *d, const tree *from, int count) {
    for (int i = 0; i < now.nodes; i++) free(now.node[i].durable.bytes);
    now.nodes = now.ndurable = now.nlive = now.count = 0;
    now.there = now.sure = from->there;
    for (int i = 0; i < from->count; i++) {
        operation op = {.kind = CREATE};
        snprintf(op.name, NAME, "%s", from->name[i]);
        int made = new_node(&from->file[i]);
        CHANGE(now.durable, now.ndurable, &op, made);
        CHANGE(now.live, now.nlive, &op, made);
    }
    for (int k = 0; k < count; k++) do_operation(d, k);
}

// A write in part.
static void tear(content *c, const operation *op) {
    if (below(2)) {
        put(c, op->at, op->bytes, below((unsigned)op->size + 1));
        return;
    }
    for (size_t at = op->at; at < op->at + op->size;) {
        size_t end = at / SECTOR * SECTOR + SECTOR, most = op->at + op->size;
        if (end > most) end = most;
        if (below(2)) put(c, at, op->bytes + (at - op->at), end - at);
        at = end;
    }
}

// What a crash leaves. way 0: nothing that was not synced; 1: everything; else by chance.
static void crash(const diary *d, int way, tree *left) {
    memset(left, 0, sizeof *left);
    left->there = now.sure || (now.there && (way == 1 || (way > 1 && below(4) > 0)));
    if (!left->there) return;
    disk *names = malloc(sizeof *names);
    if (!names) die("memory");
    memcpy(names, &now, sizeof now);
    for (int i = 0; i < now.count; i++)
        if (way == 1 || (way > 1 && below(2))) CHANGE(names->durable, names->ndurable, &d->op[now.pending[i]], now.made[i]);
    for (int i = 0; i < names->ndurable; i++) {
        inode *node = &now.node[names->durable[i].node];
        content c = copy(&node->durable);
        int order[OPS];
        for (int k = 0; k < node->count; k++) order[k] = node->pending[k];
        for (int k = node->count - 1; way > 2 && k > 0; k--) {
            int other = (int)below((unsigned)k + 1), kept = order[k];
            order[k] = order[other];
            order[other] = kept;
        }
        for (int k = 0; k < node->count && way > 0; k++) {
            const operation *op = &d->op[order[k]];
            unsigned choice = way == 1 ? 2 : below(5);
            if (choice >= 2)
                apply(&c, op);
            else if (choice == 1 && op->kind == WRITE)
                tear(&c, op);
        }
        snprintf(left->name[left->count], NAME, "%s", names->durable[i].name);
        left->file[left->count++] = c;
    }
    free(names);
}

static int bad;

static void show(const char *what, int code) {
    content said = read_file("said");
    if (++bad <= SHOWN)
        printf("    %s: exit %d: %.*s\n", what, code, (int)(said.size < 300 ? said.size : 300), (char *)said.bytes);
    free(said.bytes);
}

// The last run: all as undisturbed.
static void judge(const tree *good, int wanted, const char *what) {
    tree got;
    int code = run(NULL);
    read_tree(&got, false);
    if (code != wanted)
        show(what, code);
    else if (!same(good, &got))
        show(what, -1);
    free_tree(&got);
}

static void fail_once(const tree *good, int wanted) {
    static const struct {
        const char *call, *how;
        unsigned most;
    } faults[] = {{"memory", "ENOMEM", 400}, {"write", "EIO", 30},  {"write", "ENOSPC", 30}, {"write", "SHORT", 30},
                  {"read", "EIO", 60},       {"sync", "EIO", 12},   {"open", "EMFILE", 20},  {"rename", "EIO", 2},
                  {"remove", "EIO", 8},      {"size", "ENOSPC", 8}, {"look", "EIO", 40},     {"lock", "ENOLCK", 2},
                  {"file", "KILL", 150},     {"file", "TORN", 150}};
    unsigned k = below(sizeof faults / sizeof faults[0]);
    char number[20];
    snprintf(number, sizeof number, "%u", 1 + below(faults[k].most));
    setenv("FAULT_CALL", faults[k].call, 1);
    setenv("FAULT_HOW", faults[k].how, 1);
    setenv("FAULT_AT", number, 1);
    int code = run(fault_library);
    if (code == wanted) {
        tree got;
        read_tree(&got, false);
        // a journal that could not be removed is no harm beside a manifest
        if (!same(good, &got) && strcmp(faults[k].call, "remove") != 0) show("a fault that did no harm, with other files", code);
        free_tree(&got);
    } else if (code != 3 && code != 5 && code != 128 + SIGKILL) {
        show("a fault with another exit code", code);
    }
}

// One crash, and what may come after it.
static void take_power(const diary *d, const tree *from, const tree *good, int wanted, long number) {
    static diary again;
    int at = (int)below((unsigned)d->count + 1), way = (int)(number % 8);
    char what[100];
    tree left, more;
    replay(d, from, at);
    crash(d, way, &left);
    write_tree(&left);
    unsigned next = below(4);
    if (next == 0) {
        int code = record(&again), then = (int)below((unsigned)again.count + 1);
        snprintf(what, sizeof what, "crashes after %d of %d and %d of %d operations, number %ld", at, d->count, then, again.count,
                 number);
        if (code != wanted) show(what, code);
        replay(&again, &left, then);
        crash(&again, (int)below(8), &more);
        write_tree(&more);
        free_tree(&more);
        free(again.text);
    } else {
        if (next == 1) fail_once(good, wanted);
        snprintf(what, sizeof what, "%s after %d of %d operations, number %ld", next == 1 ? "a crash and a fault" : "a crash", at,
                 d->count, number);
    }
    judge(good, wanted, what);
    free_tree(&left);
}

int main(int argc, char **argv) {
    static diary first;
    tree good, none = {.there = false};
    if (argc < 7 || !getcwd(root, sizeof root - 20)) return 2;
    strcat(root, "/out/all");
    disk_library = argv[1];
    fault_library = argv[2];
    long count = strtol(argv[3], NULL, 10);
    state = 0x9e3779b97f4a7c15u * (strtoull(argv[4], NULL, 10) + 1);
    command = argv + 6;
    mkdir("out", 0777);
    write_tree(&none);
    int wanted = record(&first);
    read_tree(&good, false);
    if (wanted > 1 || good.count < 2 || first.count < 10) {
        printf("undisturbed: exit %d, %d files, %d operations\n", wanted, good.count, first.count);
        return 1;
    }
    for (long k = 0; k < count; k++) take_power(&first, &none, &good, wanted, k);
    printf("%ld crashes in %d operations, seed %s: %d wrong\n", count, first.count, argv[4], bad);
    write_tree(&none);
    return bad > 0;
}
