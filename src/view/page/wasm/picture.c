// SPDX-License-Identifier: MIT
// Bodies, shapes and limbs as lists of numbers for the page.
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "tact/view.h"

struct tact_page_picture {
    tact_picture picture;
    tact_json json;
    char *text;
    bool open;
    double *q, *v, *list;
};

static tact_page_picture *refuse(tact_page_picture *picture) {
    tact_page_picture_close(picture);
    return NULL;
}

// Room for the longest of the lists.
static size_t count_numbers(const tact_picture *picture) {
    size_t most = 64 + 14 * (size_t)picture->model.nbody + 8 * (size_t)picture->nlimb + 20 * (size_t)picture->nshape;
    for (int s = 0; s < picture->nshape; s++) {
        most += 2 * (size_t)picture->shape[s].npoint;
        for (int f = 0; f < picture->shape[s].nface; f++) most += 9 * (size_t)(picture->shape[s].face[f] - 2);
    }
    return most;
}

// Of the first line of a trace, which names shapes and coordinates; NULL after a message.
tact_page_picture *tact_page_picture_open(const char *first) {
    static tact_errors errors;
    memset(&errors, 0, sizeof errors);
    tact_page_picture *picture = calloc(1, sizeof *picture);
    if (!picture) return NULL;
    picture->text = malloc(strlen(first) + 1);
    if (!picture->text) return refuse(picture);
    strcpy(picture->text, first);
    tact_source source = {.name = "trace", .bytes = picture->text, .size = strlen(first), .line = 1};
    picture->open = tact_json_read(&picture->json, source, &errors);
    bool read = picture->open && tact_picture_read(&picture->picture, &picture->json);
    tact_page_tell(&errors);
    if (!read) return refuse(picture);
    const tact_model *model = &picture->picture.model;
    picture->q = calloc((size_t)(model->nq + model->nv) + 1, sizeof(double));
    picture->list = malloc(count_numbers(&picture->picture) * sizeof(double));
    if (!picture->q || !picture->list) return refuse(picture);
    picture->v = picture->q + model->nq;
    memcpy(picture->q, model->q0, (size_t)model->nq * sizeof(double));
    return picture;
}

void tact_page_picture_close(tact_page_picture *picture) {
    if (!picture) return;
    tact_picture_free(&picture->picture);
    if (picture->open) tact_json_free(&picture->json);
    free(picture->text);
    free(picture->q);
    free(picture->list);
    free(picture);
}

static double *put(double *to, tact_vec3 x) {
    *to++ = x.x;
    *to++ = x.y;
    *to++ = x.z;
    return to;
}

static double *put_pose(double *to, const tact_pose *pose) {
    to = put(to, pose->p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) *to++ = pose->R.m[i][j];
    return to;
}

double *tact_page_picture_facts(tact_page_picture *picture) {
    const tact_picture *of = &picture->picture;
    const double facts[] = {of->model.nbody, of->model.nq, of->model.nv, of->nshape, of->nlimb, of->planar};
    double *to = picture->list;
    for (int i = 0; i < 6; i++) *to++ = facts[i];
    to = put(to, of->normal);
    to = put(to, of->gravity);
    *to++ = of->margin;
    for (int b = 0; b < of->model.nbody; b++) *to++ = of->robot[b];
    return picture->list;
}

// The faces of a hull as triangles, and their count of numbers first.
static double *put_hull(double *to, const tact_picture_shape *shape) {
    const tact_vec3 *corner = shape->corner;
    double *count = to++;
    for (int f = 0; f < shape->nface; corner += shape->face[f++])
        for (int k = 2; k < shape->face[f]; k++) {
            to = put(to, corner[0]);
            to = put(to, corner[k - 1]);
            to = put(to, corner[k]);
        }
    *count = (double)(to - count - 1);
    return to;
}

// Of each shape its body, kind, pose and four sizes, then its outline: the count of the numbers that follow, and these.
double *tact_page_picture_shapes(tact_page_picture *picture) {
    const tact_picture *of = &picture->picture;
    double *to = picture->list;
    for (int s = 0; s < of->nshape; s++) {
        const tact_picture_shape *shape = &of->shape[s];
        *to++ = shape->body;
        *to++ = shape->figure;
        to = put_pose(to, &shape->place);
        for (int k = 0; k < 4; k++) *to++ = shape->size[k];
        if (shape->figure == TACT_FIGURE_HULL) {
            to = put_hull(to, shape);
            continue;
        }
        *to++ = 2 * shape->npoint;
        for (int k = 0; k < shape->npoint; k++) {
            *to++ = shape->point[k].x;
            *to++ = shape->point[k].y;
        }
    }
    return picture->list;
}

double *tact_page_picture_limbs(tact_page_picture *picture) {
    const tact_picture *of = &picture->picture;
    double *to = picture->list;
    for (int i = 0; i < of->nlimb; i++) {
        *to++ = of->limb[i].body;
        to = put(to, of->limb[i].a);
        to = put(to, of->limb[i].b);
        *to++ = of->limb[i].radius;
    }
    return picture->list;
}

double *tact_page_picture_q(tact_page_picture *picture) {
    return picture->q;
}

double *tact_page_picture_v(tact_page_picture *picture) {
    return picture->v;
}

double *tact_page_picture_move(tact_page_picture *picture) {
    tact_picture *of = &picture->picture;
    double *to = picture->list;
    tact_picture_move(of, picture->q);
    for (int b = 0; b < of->model.nbody; b++) to = put_pose(to, &of->kinematics.pose[b]);
    tact_picture_energy(of, picture->v, &to[0], &to[1]);
    return picture->list;
}
