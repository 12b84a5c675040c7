// SPDX-License-Identifier: MIT
// One bit after another is turned over in the folders of batches: in a finished one, in the shards of a merge, and in one that
// was broken off, journal included. The next call refuses it and says so, or its results have the undisturbed bytes. TACT_COUNT:
// how many.
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "files.h"
#include "test.h"
#include "trace/store_parts.h"

enum { FILES = 12, NAME = 60, CHUNK = 8, CHUNKS = 3, ENVS = 20, MOST = 65536 };

typedef struct {
    char name[NAME];
    unsigned char *bytes;
    size_t size;
} content;

// all files of a folder
typedef struct {
    char path[300];
    content file[FILES];
    int count;
    size_t size;  // of all
} tree;

static char folder[200];
static const char *command;

static const char *path_of(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void read_tree(tree *t, const char *name) {
    struct dirent *entry;
    memset(t, 0, sizeof *t);
    snprintf(t->path, sizeof t->path, "%.290s", path_of(name));
    DIR *handle = opendir(t->path);
    while (handle && (entry = readdir(handle))) {
        char path[600];
        if (entry->d_name[0] == '.' || t->count == FILES) continue;
        content *c = &t->file[t->count++];
        snprintf(c->name, sizeof c->name, "%.59s", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", t->path, c->name);
        c->bytes = calloc(1, MOST);
        FILE *file = fopen(path, "rb");
        if (file && c->bytes) c->size = fread(c->bytes, 1, MOST - 1, file);
        if (file) fclose(file);
        t->size += c->size;
    }
    if (handle) closedir(handle);
}

static void free_tree(tree *t) {
    for (int i = 0; i < t->count; i++) free(t->file[i].bytes);
    t->count = 0;
}

static content *find(tree *t, const char *name) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->file[i].name, name) == 0) return &t->file[i];
    return NULL;
}

static void write_file(const tree *t, const content *c) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", t->path, c->name);
    test_write_bytes(path, c->bytes, c->size);
}

static void remove_folder(const char *name) {
    tree t;
    read_tree(&t, name);
    for (int i = 0; i < t.count; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", t.path, t.file[i].name);
        unlink(path);
    }
    rmdir(t.path);
    free_tree(&t);
}

static bool same(tree *a, tree *b) {
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; i++) {
        const content *x = &a->file[i], *y = find(b, x->name);
        equal = y && x->size == y->size && memcmp(x->bytes, y->bytes, x->size) == 0;
    }
    return equal;
}

// The command's exit code; what it says goes to the file "said". Words are relative to the folder.
static int run(const char *const *words) {
    const char *all[12] = {command};
    int status = 0, k = 1;
    for (; words[k - 1]; k++) all[k] = words[k - 1];
    all[k] = NULL;
    pid_t child = fork();
    if (child == 0) {
        int said = open(path_of("said"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (chdir(folder) != 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0) _exit(98);
        execv(command, (char *const *)(size_t)all);
        _exit(99);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool said(const char *text) {
    char all[4096] = "";
    FILE *file = fopen(path_of("said"), "r");
    size_t size = file ? fread(all, 1, sizeof all - 1, file) : 0;
    if (file) fclose(file);
    all[size] = '\0';
    return strstr(all, text) != NULL;
}

static const char *const batch_words[] = {"batch", "spec.json", "--threads", "1", "--output", "whole", NULL},
                         *const resume_words[] = {"batch", "spec.json", "--threads", "1", "--output", "torn", NULL},
                         *const merge_words[] = {"merge", "all", "part0", "part1", NULL};

// A bit of the file number pick of all bytes: which file it is.
static content *turn(tree *t, size_t bit) {
    size_t at = bit / 8;
    for (int i = 0; i < t->count; i++) {
        if (at < t->file[i].size) {
            t->file[i].bytes[at] ^= (unsigned char)(1u << (bit % 8));
            write_file(t, &t->file[i]);
            return &t->file[i];
        }
        at -= t->file[i].size;
    }
    return NULL;
}

static int bad;

static void tell(const char *what, const tree *t, const content *c, size_t bit, int code) {
    if (++bad <= 10) printf("    %s: %s/%s, bit %zu of the folder: exit %d\n", what, t->path, c ? c->name : "", bit, code);
}

// In a finished folder: refused, by the name of the file.
static void flip_whole(tree *whole, size_t bit) {
    content *c = turn(whole, bit);
    int code = run(batch_words);
    if (code != 2 || !c || !said(c->name)) tell("finished", whole, c, bit, code);
    turn(whole, bit);
}

// In a shard: refused, and nothing is made of it.
static void flip_shard(tree *shard, size_t bit) {
    content *c = turn(shard, bit);
    int code = run(merge_words);
    if (code != 2 || !c || !said(c->name) || access(path_of("all"), F_OK) == 0) tell("shard", shard, c, bit, code);
    if (access(path_of("all"), F_OK) == 0) remove_folder("all");
    turn(shard, bit);
}

// In one that was broken off: refused, or the undisturbed results.
static void flip_torn(tree *torn, tree *whole, size_t bit) {
    tree now;
    for (int i = 0; i < torn->count; i++) write_file(torn, &torn->file[i]);
    content *c = turn(torn, bit);
    int code = run(resume_words);
    read_tree(&now, "torn");
    if (code == 0 ? !same(whole, &now) : code != 2) tell("broken off", torn, c, bit, code);
    free_tree(&now);
    unlink(path_of("torn/manifest.json"));
    // only the copy in memory: the files are written anew
    turn(torn, bit);
}

// A string of a manifest.
static void get(const content *manifest, const char *key, char *value, size_t size) {
    char wanted[40];
    snprintf(wanted, sizeof wanted, "\"%s\": \"", key);
    const char *at = strstr((const char *)manifest->bytes, wanted);
    CHECK(at != NULL);
    snprintf(value, size, "%.*s", at ? (int)strcspn(at + strlen(wanted), "\"") : 0, at ? at + strlen(wanted) : "");
}

// A folder that was broken off after the first and the last of three chunks.
static void make_torn(tree *whole) {
    static const tact_batch_array arrays[] = {{.name = "parameters", .ndim = 1, .shape = {1}, .bytes = 8},
                                              {.name = "q", .ndim = 1, .shape = {1}, .bytes = 8},
                                              {.name = "v", .ndim = 1, .shape = {1}, .bytes = 8},
                                              {.name = "status", .whole = true, .bytes = 4},
                                              {.name = "steps", .whole = true, .bytes = 4},
                                              {.name = "iterations", .whole = true, .bytes = 4}};
    char path[600];
    tact_store store;
    tact_errors errors = {0};
    const content *manifest = find(whole, "manifest.json");
    tact_store_plan plan = {.path = path, .narray = 6, .array = arrays, .rows = ENVS, .chunk = CHUNK};
    snprintf(path, sizeof path, "%s", path_of("torn"));
    CHECK(manifest != NULL);
    if (!manifest) return;
    get(manifest, "digest", plan.digest.text, sizeof plan.digest.text);
    get(manifest, "bits", plan.bits.text, sizeof plan.bits.text);
    CHECK(tact_store_open(&store, &plan, &errors));
    for (int chunk = 0; chunk < CHUNKS; chunk += 2) {
        unsigned char rows[CHUNK * 36], *to = rows;
        for (int i = 0; i < plan.narray; i++) {
            const content *c = find(whole, tact_store_file_name(&arrays[i]).text);
            size_t count = chunk == 2 ? ENVS - 2 * CHUNK : CHUNK, all = ENVS * arrays[i].bytes;
            CHECK(c && c->size > all);
            if (c && c->size > all)
                memcpy(to, c->bytes + c->size - all + (size_t)chunk * CHUNK * arrays[i].bytes, count * arrays[i].bytes);
            to += count * arrays[i].bytes;
        }
        CHECK(tact_store_put(&store, chunk, rows));
    }
    CHECK(tact_store_keep(&store));
    tact_store_close(&store);
    CHECK_INT(errors.errors, 0);
}

static const char scene[] = "{\"tact\":1,\"name\":\"cart\",\"law\":\"rigid\",\"options\":{\"dt\":0.1},\"bodies\":[{\"name\":"
                            "\"cart\",\"parent\":\"world\","
                            "\"mass\":2,\"joint\":{\"name\":\"cart\",\"type\":\"prismatic\",\"axis\":[1,0,0]}}],\"shapes\":["
                            "{\"name\":\"wall\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[1,0,0],\"offset\":0},"
                            "{\"name\":\"cart\",\"body\":\"cart\",\"type\":\"sphere\",\"radius\":0.1}],\"pairs\":[{\"a\":"
                            "\"wall\",\"b\":\"cart\",\"mu\":0}],"
                            "\"state\":{\"q\":{\"cart\":1},\"v\":{\"cart\":-1}}}";
static const char spec[] =
    "{\"tact_batch\":1,\"scene\":\"scene.json\",\"envs\":20,\"steps\":3,\"parameters\":[{\"path\":\"bodies.0.mass\","
    "\"uniform\":[1,3]}]}";

int main(void) {
    static const char *const shard0[] = {"batch", "spec.json", "--shard", "0/2", "--output", "part0", NULL},
                             *const shard1[] = {"batch", "spec.json", "--shard", "1/2", "--output", "part1", NULL};
    const char *given = getenv("TACT");
    int count = test_rounds(200);
    uint64_t seed = test_seed(1);
    char absolute[4096];
    tree whole, torn, part[2], merged;
    command = realpath(given ? given : "build/tact", absolute);
    CHECK(command != NULL);
    if (!command) return test_end("flips");
    test_make_folder(folder, sizeof folder, "/dev/shm");
    test_write_text(path_of("scene.json"), scene);
    test_write_text(path_of("spec.json"), spec);
    CHECK_INT(run(batch_words), 0);
    CHECK_INT(run(shard0), 0);
    CHECK_INT(run(shard1), 0);
    CHECK_INT(run(merge_words), 0);
    read_tree(&whole, "whole");
    read_tree(&merged, "all");
    CHECK(same(&whole, &merged));
    remove_folder("all");
    read_tree(&part[0], "part0");
    read_tree(&part[1], "part1");
    make_torn(&whole);
    read_tree(&torn, "torn");
    CHECK_INT(torn.count, whole.count);
    // without a flip it goes on to the same bytes
    flip_torn(&torn, &whole, SIZE_MAX);
    CHECK_INT(bad, 0);
    for (int k = 0; k < count; k++) {
        uint64_t pick = test_random_bits(&seed);
        if (k % 4 == 0) flip_whole(&whole, pick % (8 * whole.size));
        if (k % 4 == 1) flip_shard(&part[pick % 2], (pick >> 1) % (8 * part[pick % 2].size));
        if (k % 4 > 1) flip_torn(&torn, &whole, pick % (8 * torn.size));
    }
    CHECK_INT(bad, 0);
    printf("%d bits of %zu, %zu and %zu bytes\n", count, whole.size, part[0].size + part[1].size, torn.size);
    static const char *const folders[] = {"whole", "torn", "part0", "part1"};
    for (int i = 0; i < 4; i++) remove_folder(folders[i]);
    static const char *const files[] = {"scene.json", "spec.json", "said"};
    for (int i = 0; i < 3; i++) unlink(path_of(files[i]));
    CHECK(rmdir(folder) == 0);
    free_tree(&whole);
    free_tree(&torn);
    free_tree(&merged);
    for (int i = 0; i < 2; i++) free_tree(&part[i]);
    return test_end("flips");
}
