// SPDX-License-Identifier: MIT
#include "app/summary.h"

#include <math.h>
#include <stdio.h>

#include "app/table.h"

enum { ROWS = 20, TIME_DIGITS = 7, POSE_DIGITS = 4 };

#define NOTHING 1e-12

void tact_tally_add(tact_tally *tally, const tact_work *work) {
    tally->done++;
    tally->iterations += work->iterations;
    if (work->iterations > tally->most) tally->most = work->iterations;
    if (work->status == TACT_CONVERGED)
        tally->converged++;
    else if (work->status > 0)
        tally->limited++;
    else
        tally->failure = work->status;
    tally->ambiguous += work->status == TACT_AMBIGUOUS;
}

void tact_tally_add_loops(tact_tally *tally, tact_world *world) {
    const tact_model *model = &world->scene->model;
    if (model->nloop == 0 || world->work.status < 0) return;
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    for (int i = 0; i < model->nloop; i++) {
        tact_vec3 e = tact_loop_error(model, &world->work.kinematics, i);
        double open = sqrt((double)tact_vec3_dot(e, e));
        if (!(open > tally->open)) continue;
        tally->open = open;
        tally->loop = i;
        tally->open_step = tally->done;
    }
}

// [m], [N]: what is rounding prints as 0, unless all digits are wanted
static void add_rounded(tact_table *table, tact_real value) {
    bool nothing = table->digits < TACT_TABLE_ALL_DIGITS && fabs((double)value) < NOTHING;
    tact_table_add_number(table, nothing ? 0 : value);
}

static void add_more(tact_text *out, int more) {
    if (more <= 0) return;
    tact_text_print(out, "  and %d more\n", more);
}

// digits: 0 for those of tables
static tact_number_text shown(double value, int digits) {
    if (digits == 0) digits = TACT_TABLE_DIGITS;
    return tact_number_print(digits < TACT_TABLE_ALL_DIGITS ? tact_key_round(value, digits) : value);
}

static bool is_unactuated(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    for (int k = 0; k < tact_joint_dofs(body->joint); k++)
        if (model->dof[body->v + k].u < 0 && model->dof[body->v + k].body == b) return true;
    return false;
}

// Whether a body is one that moves freely, which has a pose of its own.
static bool is_loose(const tact_body *body) {
    return body->joint == TACT_JOINT_FREE || body->joint == TACT_JOINT_TRANSLATION;
}

// position, how far that is from the start, and the coordinates where these say more: of a free joint the quaternion
static void add_body(tact_table *table, const tact_world *world, int b, tact_vec3 start) {
    const tact_body *body = &world->scene->model.body[b];
    tact_vec3 p = world->work.kinematics.pose[b].p;
    tact_table_add(table, tact_body_name(&world->scene->model, b).text);
    add_rounded(table, p.x);
    add_rounded(table, p.y);
    add_rounded(table, p.z);
    tact_vec3 way = tact_vec3_sub(p, start);
    add_rounded(table, (tact_real)sqrt((double)tact_vec3_dot(way, way)));
    int first = body->joint == TACT_JOINT_FREE ? 3 : 0;
    for (int k = first; body->joint != TACT_JOINT_TRANSLATION && k < tact_joint_coordinates(body->joint); k++)
        add_rounded(table, world->state.q[body->q + k]);
    tact_table_end_row(table);
}

// Prints where the unactuated bodies are at the end, and how far they moved: those that are loose with their quaternions, or
// those at joints with the joints' coordinates.
static void print_bodies(tact_world *world, bool loose, int digits, tact_text *out) {
    static const char *const head[] = {"body", "x", "y", "z", "moved", NULL}, *const quaternion[] = {"qw", "qx", "qy", "qz",
                                                                                                     NULL};
    const tact_model *model = &world->scene->model;
    tact_table table = {.digits = digits};
    tact_vec3 start[ROWS];
    int rows[ROWS], count = 0;
    bool turning = false;
    tact_kinematics_update(&world->work.kinematics, model, model->q0);
    // where the bodies were at the start
    for (int b = 0; b < model->nbody; b++) {
        if (!is_unactuated(model, b) || is_loose(&model->body[b]) != loose) continue;
        turning = turning || model->body[b].joint == TACT_JOINT_FREE;
        if (count < ROWS) {
            rows[count] = b;
            start[count] = world->work.kinematics.pose[b].p;
        }
        count++;
    }
    if (count == 0) return;
    // poses fit into a line with fewer digits than other tables have
    if (digits == 0 && turning) table.digits = POSE_DIGITS;
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    tact_table_add_all(&table, head);
    if (turning) tact_table_add_all(&table, quaternion);
    if (!loose) tact_table_add(&table, "coordinates");
    tact_table_end_row(&table);
    for (int k = 0; k < count && k < ROWS; k++) add_body(&table, world, rows[k], start[k]);
    tact_text_add(out, loose ? "\nunactuated bodies at the end [m]\n" : "\nunactuated joints at the end [m, rad]\n");
    tact_table_print(&table, out);
    add_more(out, count - ROWS);
}

// The contact with the largest normal force below the last one's; of equal ones in the order of the list. -1: none.
static int next_loaded(const tact_contacts *contacts, int last) {
    tact_real most = last < 0 ? TACT_MAX : contacts->contact[last].lambda[0];
    int best = -1;
    for (int i = 0; i < contacts->count; i++) {
        tact_real force = contacts->contact[i].lambda[0];
        bool below = force < most || (force == most && i > last);
        if (below && (best < 0 || force > contacts->contact[best].lambda[0])) best = i;
    }
    return best;
}

// Contacts that bear less than a thousandth of the largest force are counted only.
static void print_contacts(const tact_world *world, int digits, tact_text *out) {
    static const char *const head[] = {"a", "b", "gap [m]", "normal force [N]", "friction [N]", NULL};
    const tact_contacts *contacts = &world->work.contacts;
    tact_text_add(out, "\ncontacts of the last step\n");
    if (contacts->count == 0) {
        tact_text_add(out, "  none\n");
        return;
    }
    tact_table table = tact_table_begin(digits, head);
    int i = next_loaded(contacts, -1), rows = 0, loaded = 0;
    // the strongest comes first
    tact_real least = contacts->contact[i].lambda[0] / 1000;
    for (int k = 0; k < contacts->count; k++) loaded += contacts->contact[k].lambda[0] > least;
    for (; i >= 0 && rows < ROWS && contacts->contact[i].lambda[0] > least; i = next_loaded(contacts, i), rows++) {
        // Names, gap and force of a contact
        const tact_model *model = tact_step_model(&world->scene->model, &world->work);
        const tact_contact *contact = &contacts->contact[i];
        const tact_real *l = contact->lambda;
        tact_table_add(&table, tact_shape_name(model, model->pair[contact->pair].a).text);
        tact_table_add(&table, tact_shape_name(model, model->pair[contact->pair].b).text);
        add_rounded(&table, contact->gap);
        add_rounded(&table, l[0]);
        add_rounded(&table, (tact_real)sqrt((double)(l[1] * l[1] + l[2] * l[2])));
        tact_table_end_row(&table);
    }
    if (loaded > 0)
        tact_table_print(&table, out);
    else
        tact_text_free(&table.cells);
    add_more(out, loaded - rows);
    if (contacts->count == loaded) return;
    tact_text_add(out, loaded > 0 ? "  and " : "  ");
    tact_text_print(out, "%d without load\n", contacts->count - loaded);
}

void tact_summary_print(const tact_tally *tally, tact_world *world, int digits, tact_text *out) {
    // Tally: steps, time, status, energy, loops, iterations
    tact_table table = {0};
    char text[160];
    const tact_scene *scene = world->scene;
    const char *name = scene->model.names ? scene->model.names->scene : NULL;
    double mean = tally->done > 0 ? (double)tally->iterations / (double)tally->done : 0;
    tact_table_add_fact(&table, "scene", name ? name : "");
    tact_table_add_fact(&table, "law", scene->model.law->name);
    snprintf(text, sizeof text, "%lld of %lld", tally->done, tally->wanted);
    tact_table_add_fact(&table, "steps", text);
    // the state's own time is a sum, with a rounding a step
    double time = (double)(tally->converged + tally->limited) * (double)scene->options.dt;
    tact_table_add_fact(&table, "simulated time [s]", tact_rounded(time, TIME_DIGITS).text);
    int used = snprintf(text, sizeof text, "%lld converged", tally->converged);
    long long limited = tally->limited - tally->ambiguous;
    if (limited > 0) used += snprintf(text + used, 48, ", %lld at the iteration limit", limited);
    if (tally->ambiguous > 0) used += snprintf(text + used, 48, ", %lld ambiguous", tally->ambiguous);
    if (tally->failure < 0) snprintf(text + used, 64, ", then %s", tact_status_name(tally->failure));
    tact_table_add_fact(&table, "status", text);
    if (scene->model.law->energies && tally->done > 0 && tally->failure == TACT_CONVERGED) {
        snprintf(text, sizeof text, "%s kinetic, %s potential", shown((double)world->work.kinetic, digits).text,
                 shown((double)world->work.potential, digits).text);
        tact_table_add_fact(&table, "energy [J]", text);
    }
    if (scene->model.nloop > 0 && tally->done > 0) {
        snprintf(text, sizeof text, "%s at most, after step %lld", shown(tally->open, digits).text, tally->open_step);
        tact_table_add_fact(&table, "loops open by [m]", text);
    }
    snprintf(text, sizeof text, "%.2f mean, %d most", floor(100 * mean + 0.5) / 100, tally->most);
    tact_table_add_fact(&table, "iterations a step", text);
    tact_table_print(&table, out);
    print_bodies(world, true, digits, out);
    print_bodies(world, false, digits, out);
    if (tally->done > 0) print_contacts(world, digits, out);
}

static void add_member(tact_text *out, const char *key, long long value) {
    tact_text_print(out, ",%s:%lld", key, value);
}

static void add_contacts_json(const tact_world *world, tact_text *out) {
    const tact_model *model = tact_step_model(&world->scene->model, &world->work);
    const tact_contacts *contacts = &world->work.contacts;
    tact_text_add(out, ",\"contacts\":[");
    for (int i = 0; i < contacts->count; i++) {
        const tact_contact *contact = &contacts->contact[i];
        const tact_real *l = contact->lambda;
        tact_text_add(out, i > 0 ? ",{\"a\":" : "{\"a\":");
        tact_text_print(out, "%s,\"b\":%s,\"gap\":%g,\"normal_force\":%g,\"friction\":%g}",
                        tact_shape_name(model, model->pair[contact->pair].a).text,
                        tact_shape_name(model, model->pair[contact->pair].b).text, (double)contact->gap, (double)l[0],
                        (double)(tact_real)sqrt((double)(l[1] * l[1] + l[2] * l[2])));
    }
    tact_text_add(out, "]");
}

void tact_summary_print_json(const tact_tally *tally, tact_world *world, tact_text *out) {
    const tact_scene *scene = world->scene;
    const char *name = scene->model.names ? scene->model.names->scene : NULL;
    tact_text_print(out, "{\"scene\":%s,\"law\":%s", name ? name : "", scene->model.law->name);
    add_member(out, "wanted", tally->wanted);
    add_member(out, "steps", tally->done);
    add_member(out, "converged", tally->converged);
    add_member(out, "iteration_limit", tally->limited - tally->ambiguous);
    add_member(out, "ambiguous", tally->ambiguous);
    tact_text_add(out, ",\"failure\":");
    if (tally->failure < 0)
        tact_text_add_json(out, tact_status_name(tally->failure));
    else
        tact_text_add(out, "null");
    tact_text_add(out, ",\"time\":");
    // steps without an answer take no time
    double time = (double)(tally->converged + tally->limited) * (double)scene->options.dt;
    tact_text_add_number(out, tact_key_round(time, TIME_DIGITS));
    add_member(out, "iterations", tally->iterations);
    add_member(out, "most_iterations", tally->most);
    if (scene->model.law->energies && tally->done > 0 && tally->failure == TACT_CONVERGED) {
        const tact_real energy[2] = {world->work.kinetic, world->work.potential};
        tact_text_add(out, ",\"energy\":");
        tact_text_add_vector(out, energy, 2);
    }
    if (scene->model.nloop > 0) {
        tact_text_print(out, ",\"loops_open\":%g", tally->open);
    }
    add_contacts_json(world, out);
    // Where the unactuated bodies are, and how far from their places at the start.
    const tact_model *model = &world->scene->model;
    tact_work *work = &world->work;
    bool any = false;
    tact_text_add(out, ",\"bodies\":{");
    for (int b = 0; b < model->nbody; b++) {
        if (!is_unactuated(model, b)) continue;
        tact_kinematics_update(&work->kinematics, model, model->q0);
        tact_vec3 start = work->kinematics.pose[b].p;
        tact_kinematics_update(&work->kinematics, model, world->state.q);
        tact_text_add(out, any ? "," : "");
        // Position, and displacement since the start
        const tact_body *body = &world->scene->model.body[b];
        tact_vec3 p = world->work.kinematics.pose[b].p, way = tact_vec3_sub(p, start);
        const tact_real position[3] = {p.x, p.y, p.z};
        tact_text_print(out, "%s:{\"p\":", tact_body_name(&world->scene->model, b).text);
        tact_text_add_vector(out, position, 3);
        tact_text_print(out, ",\"moved\":%g,\"q\":", (double)(tact_real)sqrt((double)tact_vec3_dot(way, way)));
        tact_text_add_vector(out, world->state.q + body->q, (size_t)tact_joint_coordinates(body->joint));
        tact_text_add(out, "}");
        any = true;
    }
    tact_text_add(out, "}}\n");
}
