// SPDX-License-Identifier: MIT
#include "app/plant.h"

#include <math.h>

int tact_plant_open(tact_plant *plant, const tact_call *call, const tact_plant_settings *settings) {
    int code = tact_stage_open_as(call, settings->scene, settings->law, settings->set, settings->nset, &plant->world);
    if (code != TACT_EXIT_DONE) return code;
    if (settings->dt > 0) plant->world.scene->options.dt = settings->dt;
    // the plant may be heavier, larger or smoother than the controller thinks
    if (tact_disturbance_any(&settings->disturbance)) {
        plant->changed = tact_disturb(plant->world.scene, &settings->disturbance);
        if (!plant->changed) {
            tact_say("error: out of memory");
            tact_plant_close(plant);
            return TACT_EXIT_NO_MEMORY;
        }
    }
    if (!settings->mujoco) return code;
    plant->mujoco = tact_mujoco_open(plant->world.scene);
    if (plant->mujoco) return code;
    tact_plant_close(plant);
    return TACT_EXIT_UNREADABLE;
}

void tact_plant_close(tact_plant *plant) {
    tact_mujoco_close(plant->mujoco);
    tact_stage_close(&plant->world);
    tact_memory_release(plant->changed);
    *plant = (tact_plant){0};
}

bool tact_plant_reset(tact_plant *plant, const tact_real *q) {
    const tact_model *model = &plant->world.scene->model;
    tact_state_reset(&plant->world.state, model);
    for (int i = 0; i < model->nq; i++) plant->world.state.q[i] = plant->world.state.q_past[i] = q[i];
    plant->steps = plant->limited = 0;
    plant->failure = TACT_CONVERGED;
    plant->owed = 0;
    return !plant->mujoco || tact_mujoco_reset(plant->mujoco, q);
}

bool tact_plant_step(tact_plant *plant, const tact_real *u, tact_real seconds) {
    tact_world *world = &plant->world;
    const tact_scene *scene = world->scene;
    tact_real dt = scene->options.dt;
    // whole steps; what is left is owed to the next call
    plant->owed += seconds;
    long steps = lround((double)(plant->owed / dt));
    plant->owed -= (tact_real)steps * dt;
    if (plant->mujoco) {
        if (steps == 0) return true;
        plant->steps++;
        world->state.time += (tact_real)steps * dt;
        return tact_mujoco_step(plant->mujoco, u, (double)((tact_real)steps * dt), world->state.q);
    }
    for (long i = 0; i < steps; i++) {
        // the scene's forces, and the push
        bool pushed = tact_scene_wrench(scene, &world->state, world->wrench);
        if (tact_vec3_dot(plant->push, plant->push) > 0) {
            for (int b = 0; !pushed && b < scene->model.nbody; b++) world->wrench[b] = (tact_wrench){0};
            world->wrench[plant->pushed].force = tact_vec3_add(world->wrench[plant->pushed].force, plant->push);
            pushed = true;
        }
        tact_input input = {.u = u, .wrench = pushed ? world->wrench : NULL};
        tact_status status = tact_step(&scene->model, &scene->options, &input, &world->state, &world->work);
        plant->steps++;
        plant->limited += status > 0;
        if (status < 0) {
            plant->failure = status;
            return false;
        }
    }
    return true;
}
