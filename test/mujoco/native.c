// SPDX-License-Identifier: MIT
// Reads a model with the system's MuJoCo (libmujoco-dev) and prints a line for each body at its keyframe: name, position [m],
// mass [kg]. For test_convert_mjcf.sh.
#include <mujoco/mujoco.h>
#include <stdio.h>

int main(int count, char **words) {
    char error[1000] = "";
    mjModel *model = count == 2 ? mj_loadXML(words[1], NULL, error, sizeof error) : NULL;
    if (!model) return fprintf(stderr, "%s\n", error), 1;
    mjData *data = mj_makeData(model);
    if (model->nkey > 0) mj_resetDataKeyframe(model, data, 0);
    mj_forward(model, data);
    for (int i = 1; i < model->nbody; i++) {
        const mjtNum *x = data->xpos + 3 * i;
        printf("%s %.12f %.12f %.12f %.12f\n", mj_id2name(model, mjOBJ_BODY, i), x[0], x[1], x[2], model->body_mass[i]);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
