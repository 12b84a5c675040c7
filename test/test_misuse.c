// SPDX-License-Identifier: MIT
// The caller's mistakes stop in an assert of the library: null pointers, memory of another model or law, wrong sizes and indices,
// things in the wrong order. Each is made in a child process, which must end by SIGABRT with an assert that names a file of the
// library; one that goes on, crashes or is stopped by a sanitizer is a failure. What is data, and what is the library's to
// refuse, is answered by a status and stands in other tests.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tact/deriv.h"
#include "tact/friction.h"
#include "tact/geom.h"
#include "tact/lanes.h"
#include "tact/lcp.h"
#include "tact/plan.h"
#include "tact/qcqp.h"
#include "tact/rollout.h"
#include "tact/scene.h"
#include "tact/trace.h"
#include "tact/trajectory.h"
#include "tact/virtual.h"
#include "test.h"

#ifdef NDEBUG
enum { ASSERTS = 0 };
#else
enum { ASSERTS = 1 };
#endif

static char message[1280];
static tact_world *small, *large, *rigid, *soft, *disc;  // barrier, barrier; a law each; virtual, another shape

static tact_world *open_world(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    tact_world *world = tact_world_open(path, message, sizeof message);
    CHECK(world != NULL);
    return world;
}

static const tact_model *model_of(const tact_world *world) {
    return &world->scene->model;
}

static const tact_options *options_of(const tact_world *world) {
    return &world->scene->options;
}

static void step(tact_world *of, const tact_model *model, tact_state *state, tact_work *work) {
    tact_input input = {.u = of->u};
    tact_step(model, options_of(of), &input, state, work);
}

// null where something is needed
static void step_null_model(void) {
    tact_input input = {.u = small->u};
    tact_step(NULL, options_of(small), &input, &small->state, &small->work);
}
static void step_null_options(void) {
    tact_input input = {.u = small->u};
    tact_step(model_of(small), NULL, &input, &small->state, &small->work);
}
static void step_null_input(void) {
    tact_step(model_of(small), options_of(small), NULL, &small->state, &small->work);
}
static void step_null_command(void) {
    tact_input input = {0};
    tact_step(model_of(large), options_of(large), &input, &large->state, &large->work);
}
static void step_null_state(void) {
    step(small, model_of(small), NULL, &small->work);
}
static void step_null_work(void) {
    step(small, model_of(small), &small->state, NULL);
}
static void check_null_state(void) {
    tact_input input = {.u = small->u};
    tact_step_check(model_of(small), options_of(small), &input, NULL);
}
static void options_null(void) {
    tact_options_check(NULL);
}
static void margin_null(void) {
    tact_margin(model_of(small), NULL);
}
static void hold_null(void) {
    tact_hold(model_of(large), &large->state, NULL);
}
static void model_check_null(void) {
    tact_model_check(NULL);
}
static void model_without_bodies(void) {
    tact_model model = *model_of(large);
    model.body = NULL;
    tact_model_check(&model);
}
static void prepare_null(void) {
    tact_model model = *model_of(small);
    tact_model_prepare(&model, NULL);
}
static void kinematics_null(void) {
    tact_kinematics_update(&large->work.kinematics, model_of(large), NULL);
}
static void arena_null(void) {
    tact_arena_take(NULL, 1, 1);
}

// memory of another model or law
static void step_work_of_smaller(void) {
    step(large, model_of(large), &large->state, &small->work);
}
static void step_work_of_larger(void) {
    step(small, model_of(small), &small->state, &large->work);
}
static void step_state_of_smaller(void) {
    step(large, model_of(large), &small->state, &large->work);
}
static void step_state_of_larger(void) {
    step(small, model_of(small), &large->state, &small->work);
}
static void check_state_of_smaller(void) {
    tact_input input = {.u = large->u};
    tact_step_check(model_of(large), options_of(large), &input, &small->state);
}
static void step_work_of_other_law(void) {
    tact_model model = *model_of(small);
    model.law = &tact_law_rigid;
    step(small, &model, &small->state, &small->work);
}
static void step_work_of_virtual_law(void) {
    tact_model model = *model_of(rigid);
    model.law = &tact_law_virtual;
    step(rigid, &model, &rigid->state, &rigid->work);
}
static void step_work_of_other_shapes(void) {
    // the virtual law keeps shapes and masses in the work
    step(soft, model_of(soft), &soft->state, &disc->work);
}
static void step_without_law(void) {
    tact_model model = *model_of(small);
    model.law = NULL;
    step(small, &model, &small->state, &small->work);
}
static void step_work_of_zeros(void) {
    tact_work work;
    memset(&work, 0, sizeof work);
    step(small, model_of(small), &small->state, &work);
}
static void step_state_of_zeros(void) {
    tact_state state = {0};
    step(small, model_of(small), &state, &small->work);
}
static void work_of_unprepared(void) {
    tact_model model = *model_of(small);
    model.column_start = NULL;
    tact_work_size(&model);
}
static void work_init_null(void) {
    unsigned char memory[64];
    tact_work_init(NULL, model_of(small), memory, sizeof memory);
}
static void state_init_null(void) {
    unsigned char memory[64];
    tact_state_init(NULL, model_of(small), memory, sizeof memory);
}
static void reset_of_smaller(void) {
    tact_state_reset(&small->state, model_of(large));
}
static void copy_of_smaller(void) {
    tact_state_copy(&large->state, &small->state, model_of(large));
}
static void hold_of_smaller(void) {
    tact_hold(model_of(large), &small->state, large->u);
}
static void command_of_other_scene(void) {
    // the scene holds its joints
    large->scene->command.mode = TACT_COMMAND_HOLD;
    tact_scene_command(large->scene, &small->state, large->u);
}
static void coupled_otherwise(void) {
    tact_model model = *model_of(small);
    int first[64];
    for (int i = 0; i < model.nv; i++) first[i] = i;
    model.mass_first = first;
    step(small, &model, &small->state, &small->work);
}
static void coupled_otherwise_rigid(void) {
    tact_model model = *model_of(rigid);
    int reach[64];
    for (int i = 0; i < model.nv; i++) reach[i] = model.reach[i] + 1;
    model.reach = reach;
    step(rigid, &model, &rigid->state, &rigid->work);
}

// lanes; the compiler would warn of counts and pointers that it can see
static volatile int single = 1, negative = -1;
static const tact_options *volatile no_options;

static tact_lanes lanes_for(const tact_model *model) {
    tact_lanes lanes;
    size_t size = tact_lanes_size(model, 0);
    if (tact_lanes_init(&lanes, model, 0, malloc(size), size) != TACT_CONVERGED) exit(3);
    return lanes;
}
static void lanes_mixed(const tact_world *first, tact_world *second) {
    tact_lanes lanes = lanes_for(model_of(first));
    const tact_model *model[2] = {model_of(first), model_of(second)};
    tact_options options[2] = {*options_of(first), *options_of(second)};
    tact_input input[2] = {{.u = first->u}, {.u = second->u}};
    tact_state state[2] = {first->state, second->state};
    tact_status status[2];
    tact_lanes_step(&lanes, 2, model, options, input, state, status, NULL);
}
static void lanes_width(void) {
    tact_lanes_size(model_of(small), 3);
}
static void lanes_null_model(void) {
    tact_lanes_size(NULL, 0);
}
static void lanes_larger(void) {
    lanes_mixed(small, large);
}
static void lanes_smaller(void) {
    lanes_mixed(large, small);
}
static void lanes_other_law(void) {
    lanes_mixed(small, rigid);
}
static void lanes_null_options(void) {
    tact_lanes lanes = lanes_for(model_of(small));
    const tact_model *model = model_of(small);
    tact_input input = {.u = small->u};
    tact_status status;
    tact_lanes_step(&lanes, single, &model, no_options, &input, &small->state, &status, NULL);
}
static void lanes_negative(void) {
    tact_lanes lanes = lanes_for(model_of(small));
    tact_lanes_step(&lanes, negative, NULL, NULL, NULL, NULL, NULL, NULL);
}

// linear complementarity
static tact_real lcp_memory[4000];
static const tact_real M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, q[4] = {-1, -1, -1, -1};
static const tact_real low[2] = {-1, -1}, high[2] = {1, 1};

static void solve_lcp(const tact_lcp_problem *problem, int doubled) {
    tact_arena arena = {.memory = (unsigned char *)lcp_memory, .size = sizeof lcp_memory};
    tact_lcp_options options = tact_lcp_options_default();
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_lcp_place(&work, 2, doubled, &arena);
    tact_lcp_solution_place(&solution, 2, &arena);
    tact_lcp_solve(problem, &options, &work, &solution);
}
static void lcp_null(void) {
    solve_lcp(NULL, -1);
}
static void lcp_larger(void) {
    solve_lcp(&(tact_lcp_problem){4, M, q, NULL, NULL}, -1);
}
static void lcp_negative(void) {
    solve_lcp(&(tact_lcp_problem){-3, M, q, NULL, NULL}, -1);
}
static void lcp_bounds_plain(void) {
    solve_lcp(&(tact_lcp_problem){2, M, q, low, high}, -1);
}
static void lcp_bounds_few(void) {
    solve_lcp(&(tact_lcp_problem){2, M, q, low, high}, 1);
}
static void lcp_without_matrix(void) {
    solve_lcp(&(tact_lcp_problem){2, NULL, q, NULL, NULL}, -1);
}
static void lcp_place_negative(void) {
    tact_arena arena = {0};
    tact_lcp_work work;
    tact_lcp_place(&work, -1, -1, &arena);
}
static void lcp_enumerate_large(void) {
    tact_lcp_work work = {.n = 100};
    tact_lcp_list list = {0};
    tact_lcp_problem problem = {TACT_LCP_ENUMERATE_MAX + 1, M, q, NULL, NULL};
    tact_lcp_enumerate(&problem, &work, &list);
}
static void lcp_sparse_null(void) {
    tact_lcp_options options = tact_lcp_options_default();
    tact_lcp_sparse_solve(NULL, &options, NULL, NULL);
}

// friction, barrier problems, quadratic programs
static void friction_null(void) {
    tact_friction_options options = tact_friction_options_default();
    tact_friction_solve(NULL, &options, NULL, NULL);
}
static void friction_negative(void) {
    tact_friction_options options = tact_friction_options_default();
    tact_friction_problem problem = {.nc = -1};
    tact_friction_check(&problem, &options, NULL);
}
static void friction_facets(void) {
    tact_friction_problem problem = {.nc = 0};
    tact_friction_polygon_count(&problem, 2);
}
static void barrier_null(void) {
    tact_barrier_options options = tact_barrier_options_default();
    tact_barrier_solve(NULL, &options, NULL, NULL);
}
static void barrier_larger(void) {
    tact_barrier_options options = tact_barrier_options_default();
    int first[1] = {0}, start[2] = {0, 1};
    tact_real one[1] = {1}, d[1];
    tact_barrier_problem problem = {.n = 1, .P = {1, first, start, one}, .p = one};
    tact_barrier_work work = {0};
    tact_barrier_solution solution = {.d = d};
    tact_barrier_solve(&problem, &options, &work, &solution);
}
static void barrier_place_negative(void) {
    tact_arena arena = {0};
    tact_barrier_work work;
    tact_barrier_place(&work, (tact_barrier_size){.n = -1}, &arena);
}
static void qcqp_null(void) {
    tact_qcqp_options options = tact_qcqp_options_default();
    tact_qcqp_check(NULL, &options);
}
static void qcqp_without_x(void) {
    tact_qcqp_options options = tact_qcqp_options_default();
    tact_qcqp problem = {.n = 1};
    tact_qcqp_solution solution = {0};
    tact_qcqp_solve(&problem, &options, lcp_memory, sizeof lcp_memory, &solution);
}
static void qcqp_without_constraints(void) {
    tact_qcqp_options options = tact_qcqp_options_default();
    tact_qcqp problem = {.n = 1, .ncon = 2};
    tact_qcqp_check(&problem, &options);
}

// derivatives, rollouts, inverse kinematics, trajectories
static tact_deriv_work deriv_for(const tact_model *model) {
    tact_deriv_work deriv;
    size_t size = tact_deriv_size(model);
    if (tact_deriv_init(&deriv, model, malloc(size), size) != TACT_CONVERGED) exit(3);
    return deriv;
}
static void deriv_of_smaller(void) {
    tact_deriv_work deriv = deriv_for(model_of(small));
    tact_input input = {.u = large->u};
    tact_deriv_linearise(model_of(large), options_of(large), &input, &large->state, &large->work, &deriv);
}
static void deriv_work_of_smaller(void) {
    tact_deriv_work deriv = deriv_for(model_of(large));
    tact_input input = {.u = large->u};
    tact_deriv_linearise(model_of(large), options_of(large), &input, &large->state, &small->work, &deriv);
}
static void deriv_matrices_null(void) {
    tact_deriv_work deriv = deriv_for(model_of(small));
    tact_deriv_matrices(model_of(small), &small->work, &deriv, NULL);
}
static void deriv_matrices_rigid(void) {
    tact_deriv_work deriv = deriv_for(model_of(rigid));
    tact_real A[400];
    tact_jacobians jacobians = {.A = A};
    tact_deriv_matrices(model_of(rigid), &rigid->work, &deriv, &jacobians);
}
static void deriv_parameter_index(void) {
    tact_deriv_work deriv = deriv_for(model_of(small));
    tact_parameter parameter = {TACT_PARAMETER_MU, model_of(small)->npair, 0};
    tact_deriv_column column = {NULL, NULL};
    tact_deriv_parameter(model_of(small), options_of(small), &small->work, &deriv, parameter, column);
}
static void rigid_matrices_first(void) {
    tact_rigid_deriv deriv;
    size_t size = tact_rigid_deriv_size(model_of(rigid));
    if (tact_rigid_deriv_init(&deriv, model_of(rigid), malloc(size), size) != TACT_CONVERGED) exit(3);
    tact_jacobians jacobians = {0};
    tact_rigid_matrices(&deriv, &jacobians);
}
static void rigid_record_null(void) {
    tact_rigid_deriv deriv;
    tact_rigid_linearise(&deriv, NULL);
}
static void virtual_of_barrier(void) {
    tact_virtual_change change = {0};
    tact_virtual_effect effect = {0};
    tact_input input = {.u = small->u};
    tact_virtual_differentiate(model_of(small), options_of(small), &input, &small->state, &small->work, &change, &effect);
}
static tact_real no_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                         tact_real *lambda_bar) {
    (void)context, (void)k, (void)state, (void)contacts, (void)q_bar, (void)lambda_bar;
    return 0;
}
static void rollout(const tact_world *placed, const tact_world *world, tact_rollout rollout) {
    tact_rollout_work work;
    size_t size = tact_rollout_size(model_of(placed), 4, 0);
    if (tact_rollout_init(&work, model_of(placed), 4, malloc(size), size) != TACT_CONVERGED) exit(3);
    tact_rollout_gradient(model_of(world), options_of(world), &rollout, &world->state, &work, NULL);
}
static void rollout_of_smaller(void) {
    tact_real u[400] = {0};
    rollout(small, large, (tact_rollout){.steps = 1, .u = u, .loss = no_loss});
}
static void rollout_without_loss(void) {
    tact_real u[400] = {0};
    rollout(large, large, (tact_rollout){.steps = 1, .u = u});
}
static void rollout_without_commands(void) {
    rollout(large, large, (tact_rollout){.steps = 1, .loss = no_loss});
}
static void ik_of_smaller(void) {
    tact_arena arena = {.memory = malloc(1 << 20), .size = 1 << 20};
    tact_ik ik;
    tact_ik_place(&ik, model_of(small), 1, &arena);
    tact_ik_target target = {0};
    tact_ik_solve(&ik, model_of(large), &target, 1, tact_ik_options_default(), large->state.q);
}
static void ik_many_targets(void) {
    tact_arena arena = {.memory = malloc(1 << 20), .size = 1 << 20};
    tact_ik ik;
    tact_ik_place(&ik, model_of(large), 1, &arena);
    tact_ik_target target[2] = {{0}, {0}};
    tact_ik_solve(&ik, model_of(large), target, 2, tact_ik_options_default(), large->state.q);
}
static void jacobian_index(void) {
    tact_real J[600];
    tact_body_jacobian(model_of(large), &large->work.kinematics, model_of(large)->nbody, J);
}
static void gap_index(void) {
    tact_contact_gap(model_of(large), &large->work.kinematics, model_of(large)->npair);
}
static void mass_null(void) {
    tact_mass_matrix(model_of(large), &large->work.kinematics, &large->work.dynamics, NULL);
}
static void trajectory_null(void) {
    tact_arena arena = {0};
    tact_fault fault;
    tact_trajectory trajectory;
    tact_trajectory_build(NULL, &trajectory, &fault, &arena);
}
static void distance_of_union(void) {
    tact_shape shape = {.type = TACT_SHAPE_UNION};
    tact_shape_distance(&shape, tact_vec3_make(0, 0, 0));
}
static void distance_of_no_hull(void) {
    tact_shape shape = {.type = TACT_SHAPE_HULL};
    tact_shape_distance(&shape, tact_vec3_make(0, 0, 0));
}
static void hessian_of_no_hull(void) {
    tact_shape shape = {.type = TACT_SHAPE_HULL};
    tact_shape_hessian(&shape, tact_vec3_make(0, 0, 0));
}

// scenes and traces
static void open_null(void) {
    tact_world_open(NULL, message, sizeof message);
}
static void load_null(void) {
    tact_scene_load(NULL, message, sizeof message);
}
static void load_without_message(void) {
    tact_scene_load("data/scenes/lesson.json", NULL, 100);
}
static void world_step_null(void) {
    tact_world_step(NULL);
}
static void command_null(void) {
    tact_scene_command(large->scene, &large->state, NULL);
}
static void wrench_null(void) {
    tact_scene_wrench(large->scene, &large->state, NULL);
}
static void trace_null(void) {
    tact_trace_create(NULL, small->scene, message, sizeof message);
}
static void trace_other_state(void) {
    tact_trace_writer *writer = tact_trace_create("/dev/null", small->scene, message, sizeof message);
    tact_trace_add(writer, &large->state, NULL, small->u);
}
static void trace_open_null(void) {
    tact_trace_open(NULL, message, sizeof message);
}
static void trace_next_null(void) {
    tact_trace_next(NULL, message, sizeof message);
}
static void restore_other(void) {
    tact_trace_step step = {.nq = model_of(large)->nq, .nv = model_of(large)->nv, .npair = model_of(large)->npair};
    tact_trace_restore(&step, model_of(large), &small->state);
}

#define MISUSE(name) \
    { #name, name }
static const struct {
    const char *name;
    void (*make)(void);
} misuses[] = {
    MISUSE(step_null_model),
    MISUSE(step_null_options),
    MISUSE(step_null_input),
    MISUSE(step_null_command),
    MISUSE(step_null_state),
    MISUSE(step_null_work),
    MISUSE(check_null_state),
    MISUSE(options_null),
    MISUSE(margin_null),
    MISUSE(hold_null),
    MISUSE(model_check_null),
    MISUSE(model_without_bodies),
    MISUSE(prepare_null),
    MISUSE(kinematics_null),
    MISUSE(arena_null),
    MISUSE(step_work_of_smaller),
    MISUSE(step_work_of_larger),
    MISUSE(step_state_of_smaller),
    MISUSE(step_state_of_larger),
    MISUSE(check_state_of_smaller),
    MISUSE(step_work_of_other_law),
    MISUSE(step_work_of_virtual_law),
    MISUSE(step_work_of_other_shapes),
    MISUSE(step_without_law),
    MISUSE(step_work_of_zeros),
    MISUSE(step_state_of_zeros),
    MISUSE(work_of_unprepared),
    MISUSE(work_init_null),
    MISUSE(state_init_null),
    MISUSE(reset_of_smaller),
    MISUSE(copy_of_smaller),
    MISUSE(hold_of_smaller),
    MISUSE(command_of_other_scene),
    MISUSE(coupled_otherwise),
    MISUSE(coupled_otherwise_rigid),
    MISUSE(lanes_width),
    MISUSE(lanes_null_model),
    MISUSE(lanes_larger),
    MISUSE(lanes_smaller),
    MISUSE(lanes_other_law),
    MISUSE(lanes_null_options),
    MISUSE(lanes_negative),
    MISUSE(lcp_null),
    MISUSE(lcp_larger),
    MISUSE(lcp_negative),
    MISUSE(lcp_bounds_plain),
    MISUSE(lcp_bounds_few),
    MISUSE(lcp_without_matrix),
    MISUSE(lcp_place_negative),
    MISUSE(lcp_enumerate_large),
    MISUSE(lcp_sparse_null),
    MISUSE(friction_null),
    MISUSE(friction_negative),
    MISUSE(friction_facets),
    MISUSE(barrier_null),
    MISUSE(barrier_larger),
    MISUSE(barrier_place_negative),
    MISUSE(qcqp_null),
    MISUSE(qcqp_without_x),
    MISUSE(qcqp_without_constraints),
    MISUSE(deriv_of_smaller),
    MISUSE(deriv_work_of_smaller),
    MISUSE(deriv_matrices_null),
    MISUSE(deriv_matrices_rigid),
    MISUSE(deriv_parameter_index),
    MISUSE(rigid_matrices_first),
    MISUSE(rigid_record_null),
    MISUSE(virtual_of_barrier),
    MISUSE(rollout_of_smaller),
    MISUSE(rollout_without_loss),
    MISUSE(rollout_without_commands),
    MISUSE(ik_of_smaller),
    MISUSE(ik_many_targets),
    MISUSE(jacobian_index),
    MISUSE(gap_index),
    MISUSE(mass_null),
    MISUSE(trajectory_null),
    MISUSE(distance_of_union),
    MISUSE(distance_of_no_hull),
    MISUSE(hessian_of_no_hull),
    MISUSE(open_null),
    MISUSE(load_null),
    MISUSE(load_without_message),
    MISUSE(world_step_null),
    MISUSE(command_null),
    MISUSE(wrench_null),
    MISUSE(trace_null),
    MISUSE(trace_other_state),
    MISUSE(trace_open_null),
    MISUSE(trace_next_null),
    MISUSE(restore_other),
};
enum { MISUSES = sizeof misuses / sizeof misuses[0] };

// what the child wrote to standard error, at most size - 1 characters
static int run_child(void (*make)(void), char *said, size_t size) {
    int ends[2], status = 0;
    size_t used = 0;
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        alarm(60);
        make();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0; used += got > 0 ? (size_t)got : 0)
        got = used + 1 < size ? read(ends[0], said + used, size - 1 - used) : 0;
    said[used] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}

static void check_misuse(int i) {
    char said[2000];
    int status = run_child(misuses[i].make, said, sizeof said);
    bool stopped = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    bool asserted = strstr(said, "src/") && strstr(said, "ssert") && !strstr(said, "runtime error") && !strstr(said, "Sanitizer");
    CHECK(stopped && asserted);
    if (!stopped || !asserted) printf("    %s: status %d, said \"%s\"\n", misuses[i].name, status, said);
}

int main(void) {
    if (!ASSERTS) return test_end("misuse (asserts are compiled out)");
    small = open_world("incline");
    large = open_world("hand_lift");
    rigid = open_world("cart");
    soft = open_world("lift_hex");
    disc = open_world("lift_circle");
    if (!small || !large || !rigid || !soft || !disc) return test_end("misuse");
    // so that the works hold contacts
    for (int i = 0; i < 3; i++) CHECK(tact_world_step(small) >= 0 && tact_world_step(large) >= 0 && tact_world_step(rigid) >= 0);
    for (int i = 0; i < MISUSES; i++) check_misuse(i);
    tact_world *all[] = {small, large, rigid, soft, disc};
    for (int i = 0; i < 5; i++) tact_world_close(all[i]);
    return test_end("misuse");
}
