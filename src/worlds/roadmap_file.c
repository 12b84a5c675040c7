// SPDX-License-Identifier: MIT
// The file is its own journal: lines are only added, and an incomplete last one is cut off.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "scene/kind.h"
#include "tact/bake.h"
#include "tact/batch.h"
#include "tact/memory.h"
#include "worlds/roadmap.h"

#define FILE_MOST (256 * (size_t)1048576)

tact_roadmap_options tact_roadmap_options_default(void) {
    return (tact_roadmap_options){.nodes = 120, .neighbours = 8, .seed = 1, .rate = 20, .time = 2};
}

int tact_roadmap_edges(const tact_roadmap *map) {
    int others = map->options.nodes - 1;
    return map->options.nodes * (others < map->options.neighbours ? others : map->options.neighbours);
}

bool tact_roadmap_refuse(const tact_roadmap *map, tact_error_kind kind, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, kind, (tact_place){.file = map->path}, "%s", reason);
    return false;
}

static bool refuse_memory(const tact_roadmap *map, tact_errors *errors) {
    return tact_roadmap_refuse(map, TACT_ERROR_NO_MEMORY, "out of memory", errors);
}

static void place_map(void *context, tact_arena *arena) {
    tact_roadmap *map = context;
    const tact_model *model = &map->scene->model;
    size_t nodes = (size_t)map->options.nodes;
    map->q = tact_arena_take(arena, nodes * (size_t)model->nq, sizeof(tact_real));
    map->u = tact_arena_take(arena, nodes * (size_t)model->nu, sizeof(tact_real));
    map->orientation = tact_arena_take(arena, nodes, sizeof(tact_quat));
    map->position = tact_arena_take(arena, nodes, sizeof(tact_vec3));
    map->edge = tact_arena_take(arena, (size_t)tact_roadmap_edges(map) + 1, sizeof(tact_roadmap_edge));
}

// Refuses a scene that lacks what a roadmap needs.
static bool check_scene(const tact_roadmap *map, tact_errors *errors) {
    const tact_model *model = &map->scene->model;
    int body = map->scene->goal.body;
    const char *fault = model->law->velocities ? "its law is not barrier"
                        : model->nu == 0       ? "it has no driven joint"
                        : body < 0 || model->body[body].joint != TACT_JOINT_FREE
                            ? "its \"goal\" names no body with a free joint, which is to be brought somewhere"
                            : NULL;
    if (fault) tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){0}, "no roadmap of this scene: %s", fault);
    return !fault;
}

// SHA-256 of the controller's model and options, and of what samples and extensions take from goal and mpc: of which scene a
// roadmap is. False without memory.
static bool find_digest(const tact_scene *scene, tact_digest_text *digest) {
    tact_text text = {0};
    tact_digest sum;
    tact_bake bake = {.model = &scene->model, .options = &scene->options, .u = scene->model.q0, .name = "map", .include = ""};
    tact_bake_source(&bake, &text);
    // the numbers of goal and controller on which samples and extensions depend
    const tact_goal *goal = &scene->goal;
    const tact_mpc_settings *mpc = &scene->mpc;
    const tact_real of[] = {(tact_real)goal->body, goal->position.x,  goal->position.y,
                            goal->position.z,      mpc->dt,           mpc->kappa,
                            mpc->epsilon,          mpc->margin,       (tact_real)mpc->horizon,
                            mpc->position_weight,  mpc->angle_weight, mpc->control.spread};
    tact_text_add_vector(&text, of, sizeof of / sizeof of[0]);
    tact_digest_begin(&sum);
    if (!text.failed) tact_digest_add(&sum, text.bytes, text.size);
    *digest = tact_digest_end(&sum);
    bool good = !text.failed;
    tact_text_free(&text);
    return good;
}

// Reads the first line, with the options, and places the roadmap's memory. False after errors were added.
static bool read_head(tact_roadmap *map, const tact_json *json) {
    static const char *const keys[] = {"tact_roadmap", "scene", "model", "nodes", "neighbours", "seed", "rate", "time", NULL};
    tact_roadmap_options *options = &map->options;
    tact_digest_text digest;
    int version = 0;
    if (!tact_json_check_object(json, 0, keys)) return false;
    tact_json_get_integer(json, tact_json_need(json, 0, "tact_roadmap"), 1, 1, &version);
    tact_json_get_name(json, tact_json_need(json, 0, "scene"));
    int model = tact_json_need(json, 0, "model");
    const char *wanted = tact_json_get_string(json, model, 64);
    // the options with which it was begun
    tact_json_get_integer(json, tact_json_need(json, 0, "nodes"), 1, TACT_ROADMAP_NODES_MAX, &options->nodes);
    tact_json_get_integer(json, tact_json_need(json, 0, "neighbours"), 1, TACT_ROADMAP_NEIGHBOURS_MAX, &options->neighbours);
    tact_json_get_integer(json, tact_json_need(json, 0, "seed"), 0, 1000000000, &options->seed);
    tact_json_get_number(json, tact_json_need(json, 0, "rate"), tact_range_within(1, 1000), &options->rate);
    tact_json_get_number(json, tact_json_need(json, 0, "time"), tact_range_within(0.1, 60), &options->time);
    // the digest tells whether the scene is still the one of the roadmap
    if (!find_digest(map->scene, &digest)) return refuse_memory(map, json->errors);
    if (wanted && strcmp(wanted, digest.text) != 0)
        tact_json_refuse(json, model, "this is the roadmap of another scene, or of one with other numbers");
    if (json->errors->errors > 0) return false;
    map->memory = tact_memory_place(place_map, map);
    return map->memory || refuse_memory(map, json->errors);
}

void tact_roadmap_mark(tact_roadmap *map, int node) {
    TACT_ASSERT(map && 0 <= node && node < map->options.nodes);
    const tact_body *body = &map->scene->model.body[map->scene->goal.body];
    const tact_real *q = map->q + (size_t)node * (size_t)map->scene->model.nq + body->q;
    tact_quat turn = {q[3], q[4], q[5], q[6]};
    map->orientation[node] = tact_quat_multiply(tact_quat_from_matrix(body->place.R), turn);
    map->position[node] = tact_vec3_add(body->place.p, tact_mat3_apply(body->place.R, tact_vec3_make(q[0], q[1], q[2])));
}

// Reads the line of the next node. False after errors were added.
static bool read_node(tact_roadmap *map, const tact_json *json) {
    static const char *const keys[] = {"node", "sample", "q", "u", NULL};
    const tact_model *model = &map->scene->model;
    int number = 0, sample = 0;
    if (!tact_json_check_object(json, 0, keys)) return false;
    int node = tact_json_find(json, 0, "node"), q = tact_json_need(json, 0, "q"), at = model->body[map->scene->goal.body].q;
    // all nodes come before the edges, no more than the head says
    if (map->nnode == map->options.nodes || map->nedge > 0) {
        tact_json_refuse(json, node, "there is no node after number %d", map->nnode - 1);
        return false;
    }
    tact_real *to = map->q + (size_t)map->nnode * (size_t)model->nq;
    tact_json_get_integer(json, node, map->nnode, map->nnode, &number);
    tact_json_get_integer(json, tact_json_need(json, 0, "sample"), (int)map->samples, 1000000000, &sample);
    tact_range range = tact_range_within(-TACT_MOST_LENGTH, TACT_MOST_LENGTH);
    // a free joint's quaternion has the length 1, to the digits of the file
    if (tact_json_get_vector(json, q, model->nq, range, to)) {
        tact_real square = 0;
        for (int i = 3; i < 7; i++) square += to[at + i] * to[at + i];
        if (!(square > TACT_REAL(0.999) && square < TACT_REAL(1.001)))
            tact_json_refuse(json, q, "the body's quaternion has not the length 1");
    }
    tact_json_get_vector(json, tact_json_need(json, 0, "u"), model->nu, range, map->u + (size_t)map->nnode * (size_t)model->nu);
    if (json->errors->errors > 0) return false;
    tact_roadmap_mark(map, map->nnode++);
    map->samples = (long long)sample + 1;
    return true;
}

// A time, or null.
static void read_time(const tact_json *json, const char *key, tact_real *time) {
    int node = tact_json_need(json, 0, key);
    *time = -1;
    if (node >= 0 && tact_json_type(json, node) != TACT_JSON_NULL)
        tact_json_get_number(json, node, tact_range_within(0, 1000), time);
}

// Reads the line of the next edge. False after errors were added.
static bool read_edge(tact_roadmap *map, const tact_json *json) {
    static const char *const keys[] = {"edge", "from", "to", "arrived", "time", NULL};
    int number = 0, nodes = map->options.nodes, edges = tact_roadmap_edges(map);
    tact_roadmap_edge *edge = &map->edge[map->nedge];
    if (!tact_json_check_object(json, 0, keys)) return false;
    int node = tact_json_find(json, 0, "edge"), to = tact_json_need(json, 0, "to");
    // edges begin when all nodes are there
    if (map->nnode < nodes || map->nedge == edges) {
        tact_json_refuse(json, node,
                         map->nnode < nodes ? "there are %d nodes only of %d" : "there are %d edges already, all of %d",
                         map->nnode < nodes ? map->nnode : map->nedge, map->nnode < nodes ? nodes : edges);
        return false;
    }
    // as many edges from each node, in the order of the nodes
    int from = map->nedge / (edges / nodes);
    tact_json_get_integer(json, node, map->nedge, map->nedge, &number);
    tact_json_get_integer(json, tact_json_need(json, 0, "from"), from, from, &edge->from);
    if (tact_json_get_integer(json, to, 0, nodes - 1, &edge->to) && edge->to == from)
        tact_json_refuse(json, to, "an edge does not end where it begins");
    read_time(json, "arrived", &edge->arrived);
    read_time(json, "time", &edge->time);
    if (json->errors->errors > 0) return false;
    map->nedge++;
    return true;
}

// Reads the lines of a text; *whole: bytes of whole lines.
static bool read_lines(tact_roadmap *map, const tact_text *text, size_t *whole, tact_errors *errors) {
    int line = 1;
    tact_source all = {.name = map->path, .bytes = text->bytes, .size = text->size, .line = 1};
    *whole = 0;
    if (text->size > 0 && tact_kind_refuse_lines(all, "a roadmap", "\"tact_roadmap\"", errors)) return false;
    for (; *whole < text->size && errors->errors == 0; line++) {
        const char *begin = text->bytes + *whole, *end = memchr(begin, '\n', text->size - *whole);
        tact_json json;
        // the last line is incomplete where a build was interrupted: it is left out
        if (!end) break;
        tact_source source = {.name = map->path, .bytes = begin, .size = (size_t)(end - begin), .line = line};
        if (!tact_json_read(&json, source, errors)) return false;
        bool object = tact_json_expect(&json, 0, TACT_JSON_OBJECT);
        // a head, then nodes, then edges
        if (object && line == 1)
            read_head(map, &json);
        else if (object)
            tact_json_find(&json, 0, "node") >= 0 ? read_node(map, &json) : read_edge(map, &json);
        tact_json_free(&json);
        *whole += (size_t)(end - begin) + 1;
    }
    return errors->errors == 0;
}

bool tact_roadmap_read(tact_roadmap *map, const tact_scene *scene, const char *path, tact_errors *errors) {
    TACT_ASSERT(map && scene && path && errors);
    tact_text text = {0};
    size_t whole = 0;
    *map = (tact_roadmap){.scene = scene, .path = path, .file = -1};
    bool good = check_scene(map, errors) && tact_text_read(&text, path, FILE_MOST, errors);
    good = good && read_lines(map, &text, &whole, errors);
    tact_text_free(&text);
    if (good && map->nnode == 0) good = tact_roadmap_refuse(map, TACT_ERROR_REFUSED, "the roadmap has no node", errors);
    return good;
}

static bool write_text(tact_roadmap *map, tact_text *text, tact_errors *errors) {
    int reason = 0;
    for (size_t at = 0; !text->failed && at < text->size && reason == 0;) {
        // a signal may interrupt the write, or a part be written: on from there
        ssize_t count = write(map->file, text->bytes + at, text->size - at);
        if (count > 0) at += (size_t)count;
        if (count < 0 && errno != EINTR) reason = errno;
    }
    bool failed = text->failed;
    tact_text_free(text);
    return failed ? refuse_memory(map, errors) : reason == 0 || tact_file_refuse(map->path, reason, errors);
}

// Resumes the open file, if it was begun with these options: reads its whole lines and cuts off an incomplete last one.
static bool take_up(tact_roadmap *map, const tact_roadmap_options *options, tact_text *head, tact_errors *errors) {
    tact_text text = {0};
    size_t whole = 0;
    bool good = tact_text_read(&text, map->path, FILE_MOST, errors);
    const char *end = good ? memchr(text.bytes, '\n', text.size) : NULL;
    good = good && (!end || read_lines(map, &text, &whole, errors));
    // the file's head must be, byte for byte, that of these options
    bool same = end && (size_t)(end - text.bytes) + 1 == head->size && memcmp(text.bytes, head->bytes, head->size) == 0;
    if (good && end && !same)
        good = tact_roadmap_refuse(map, TACT_ERROR_REFUSED, "was begun with other options: use those, or another file", errors);
    // an incomplete first line must be the beginning of that head
    if (good && !end && text.size > 0 && (text.size > head->size || memcmp(text.bytes, head->bytes, text.size) != 0))
        good = tact_roadmap_refuse(map, TACT_ERROR_REFUSED, "is not a roadmap", errors);
    tact_text_free(&text);
    map->options = *options;
    if (!good) return false;
    // whole lines stay; an empty file gets the head
    if (ftruncate(map->file, (off_t)whole) != 0) return tact_file_refuse(map->path, errno, errors);
    if (whole > 0) return true;
    map->memory = tact_memory_place(place_map, map);
    return map->memory ? write_text(map, head, errors) : refuse_memory(map, errors);
}

bool tact_roadmap_open(tact_roadmap *map, const tact_scene *scene, const tact_roadmap_options *options, const char *path,
                       tact_errors *errors) {
    TACT_ASSERT(map && scene && options && path && errors);
    tact_digest_text digest;
    tact_text head = {0};
    *map = (tact_roadmap){.scene = scene, .path = path, .file = -1, .options = *options};
    if (!check_scene(map, errors)) return false;
    if (!find_digest(scene, &digest)) return refuse_memory(map, errors);
    map->file = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (map->file < 0) return tact_file_refuse(path, errno, errors);
    // one process at a time
    if (flock(map->file, LOCK_EX | LOCK_NB) != 0)
        return tact_roadmap_refuse(map, TACT_ERROR_UNREADABLE, "is in use by another process", errors);
    // the first line: the scene, its digest, and the options
    tact_text_print(&head, "{\"tact_roadmap\":1,\"scene\":%s,\"model\":%s,\"nodes\":%d,\"neighbours\":%d,\"seed\":%d",
                    scene->model.names->scene, digest.text, options->nodes, options->neighbours, options->seed);
    tact_text_print(&head, ",\"rate\":%g,\"time\":%g}\n", (double)options->rate, (double)options->time);
    bool good = !head.failed ? take_up(map, options, &head, errors) : refuse_memory(map, errors);
    tact_text_free(&head);
    return good;
}

void tact_roadmap_free(tact_roadmap *map) {
    if (map->memory || map->file > 0) tact_file_close(map->file);
    tact_memory_release(map->memory);
    *map = (tact_roadmap){.file = -1};
}

// Adds a node to the roadmap in memory and a line for it to the file. False after an error in writing.
bool tact_roadmap_add_node(tact_roadmap *map, long long sample, const tact_real *q, const tact_real *u, tact_errors *errors) {
    TACT_ASSERT(map && map->memory && map->nnode < map->options.nodes && q && u && errors);
    const tact_model *model = &map->scene->model;
    tact_text text = {0};
    int node = map->nnode++;
    for (int i = 0; i < model->nq; i++) map->q[node * model->nq + i] = q[i];
    for (int i = 0; i < model->nu; i++) map->u[node * model->nu + i] = u[i];
    tact_roadmap_mark(map, node);
    map->samples = sample + 1;
    tact_text_print(&text, "{\"node\":%d,\"sample\":%lld,\"q\":", node, sample);
    tact_text_add_vector(&text, q, (size_t)model->nq);
    tact_text_add(&text, ",\"u\":");
    tact_text_add_vector(&text, u, (size_t)model->nu);
    tact_text_add(&text, "}\n");
    return write_text(map, &text, errors);
}

bool tact_roadmap_add_edge(tact_roadmap *map, tact_roadmap_edge edge, tact_errors *errors) {
    TACT_ASSERT(map && map->memory && map->nedge < tact_roadmap_edges(map) && errors);
    tact_text text = {0};
    tact_text_print(&text, "{\"edge\":%d,\"from\":%d,\"to\":%d,\"arrived\":%-s,\"time\":%-s}\n", map->nedge, edge.from, edge.to,
                    edge.arrived < 0 ? "null" : tact_number_print((double)edge.arrived).text,
                    edge.time < 0 ? "null" : tact_number_print((double)edge.time).text);
    map->edge[map->nedge++] = edge;
    return write_text(map, &text, errors);
}
