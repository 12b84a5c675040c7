// SPDX-License-Identifier: MIT
// Prints the joints of a scene, then its mass matrix at each configuration of standard input, nq numbers a line. For import.mjs.
#include <stdio.h>
#include <stdlib.h>

#include "tact/tact.h"

int main(int count, char **words) {
    char message[1280] = "no scene";
    tact_world *world = count == 2 ? tact_world_open(words[1], message, sizeof message) : NULL;
    if (!world) return fprintf(stderr, "%s\n", message), 1;
    const tact_model *model = &world->scene->model;
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
    tact_real *q = calloc(nq + 1, sizeof *q), *M = calloc(nv * nv + 1, sizeof *M);
    if (!q || !M) return 1;
    printf("{\"nv\":%zu,\"q0\":[", nv);
    for (size_t i = 0; i < nq; i++) printf("%s%.17g", i ? "," : "", (double)model->q0[i]);
    printf("],\"joints\":[");
    for (int v = 0; v < model->nv; v += tact_joint_dofs(model->body[model->dof[v].body].joint)) {
        const tact_body *body = &model->body[model->dof[v].body];
        printf("%s{\"name\":\"%s\",\"body\":\"%s\",\"q\":%d,\"v\":%d,\"dofs\":%d}", v ? "," : "",
               model->names->joint[model->dof[v].body], model->names->body[model->dof[v].body], body->q, v,
               tact_joint_dofs(body->joint));
    }
    printf("]}\n");
    for (;;) {
        for (size_t i = 0; i < nq; i++) {
            double x = 0;
            if (scanf("%lf", &x) != 1) return tact_world_close(world), free(q), free(M), 0;
            q[i] = (tact_real)x;
        }
        tact_kinematics_update(&world->work.kinematics, model, q);
        tact_mass_matrix(model, &world->work.kinematics, &world->work.dynamics, M);
        for (size_t i = 0; i < nv * nv; i++) printf("%s%.17g", i ? "," : "[", (double)M[i]);
        printf("%s]\n", nv ? "" : "[");
        if (nq == 0) return 0;
    }
}
