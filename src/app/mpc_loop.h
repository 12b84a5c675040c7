// SPDX-License-Identifier: MIT
// A controller in closed loop with a plant: goals one after another, disturbances, and what came of each.
#ifndef TACT_APP_MPC_LOOP_H
#define TACT_APP_MPC_LOOP_H

#include "app/plant.h"

// What is not as the controller believes, as options of a command.
#define TACT_LOOP_OPTIONS                                                                                       \
    {"--rate", "HZ", "solves a second (default: the scene's, or 50)"},                                          \
        {"--delay", "S", "commands reach the plant so much later (default 0)"},                                 \
        {"--noise-joint", "RAD", "standard deviation of measured joints (default 0)"},                          \
        {"--noise-position", "M", "of the measured position of the goal's body (default 0)"},                   \
        {"--noise-angle", "RAD", "of its measured orientation (default 0)"},                                    \
        {"--plant-mass", "PERCENT", "the plant's body is so much heavier than the scene's, or lighter: -30"},   \
        {"--plant-size", "PERCENT", "so much larger"},                                                          \
        {"--plant-friction", "PERCENT", "and all friction of the plant so much higher"}, {                      \
        "--push", "N", "a horizontal force on the body, 0.1 s in each second, in random directions (default 0)" \
    }

typedef struct {
    tact_real rate;                         // [1/s]; 0: the scene's
    tact_real delay;                        // [s]
    tact_real noise_joint;                  // standard deviations of what is measured [rad or m] ...
    tact_real noise_position, noise_angle;  // ... and of the goal's body [m], [rad]
    tact_real push;                         // [N]
    tact_real time;                         // most for a goal [s]
    tact_disturbance off;                   // of the plant; its body is that of the scene's goal
    long long seed;                         //
    bool endless;                           // goals follow each other without a new start
    const char *plant;                      // barrier, rigid or mujoco; NULL: rigid, or the law of the plant's scene
    const char *plant_scene;                // NULL: the scene itself
    const char *roadmap;                    // file; NULL: none
} tact_mpc_loop_settings;

// Options of the call that are in TACT_LOOP_OPTIONS, with --plant and --seed. False after saying what is wrong.
bool tact_mpc_loop_read(const tact_call *call, tact_mpc_loop_settings *settings);

typedef struct {
    tact_world world;  // of the planning model
    tact_plant plant;
    tact_mpc mpc;
    tact_region region;
    tact_roadmap map;          // of --roadmap ...
    tact_roadmap_guide guide;  // ... and the way on it; map is NULL: none
    tact_options step;
    tact_mpc_options control;
    tact_mpc_loop_settings settings;
    int ndelay;             // ticks by which commands come late
    tact_real *q;           // (nq) start
    tact_real *measured;    // (nq)
    tact_real *turn;        // (nv) noise as a displacement
    tact_real *queue;       // (ndelay + 1, nu) commands under way, a ring ...
    int arrives;            // ... and its oldest, which is in force
    double *spent;          // (room) [ms] of each solve
    long long room;         //
    void *memory;           //
    double (*clock)(void);  // that times the solves [s]
    bool (*go_on)(void);    // NULL, or asked in each tick; false ends the goal
    tact_progress *bar;     // NULL, or of the ticks of a goal
    tact_output trace;      //
    bool tracing;           //
    long long line;         // of the trace
    tact_quat wanted;       // orientation of the last goal
    tact_real begun;        // height above it at which the body began, times the weight
    // of all goals
    int goals, reached, dropped, failed;
    int restless;  // starts that did not stand by themselves
    // the first planning step without an answer: why, when the plant was [s], and which step of the plan
    tact_sentence why;
    tact_real when;
    int ended;
    long long solves, late, unanswered;
    double worst;
} tact_mpc_loop;

// What came of one goal.
typedef struct {
    bool success, dropped;
    bool failed;          // the plant had no answer, or did not begin: neither success nor dropped; the errors are those before
    tact_status failure;  // then, of the plant's step; TACT_CONVERGED: of MuJoCo, which has said why
    long long step;       // then, of the plant since its start, from 1; 0: it did not begin
    bool stopped;         // go_on ended it
    bool inside;          // it began within the tolerances
    bool jin;             // reached by the rule of Jin 2024: 1 - (q.q*)^2 < 0.04 and 20 mm for 2 s
    tact_real angle, position, time;
    int legs;                   // grasps of the roadmap on the way
    double median, p99, worst;  // solves [ms]
    long long solves, late, unanswered;
} tact_mpc_loop_outcome;

// A random goal: turns from where the body is. quarters: by 90 degrees about an axis of the body.
typedef struct {
    tact_real within;  // largest turn [rad]
    bool any;          // about any axis, not only the vertical
    bool quarter;
} tact_mpc_loop_draw;

// Opens the scene under the barrier law with the call's --set, and its plant with --plant-set. The exit code; the loop, which
// starts as {0}, is to be closed in any case.
int tact_mpc_loop_open(tact_mpc_loop *loop, const tact_call *call, const char *path, const tact_mpc_loop_settings *settings);
void tact_mpc_loop_close(tact_mpc_loop *loop);

// Goals by draw number: turns the start of the goal's body by a random yaw, and asks for a random turn from there; the body is
// free, or turns on a continuous joint about its axis. Yaws are drawn until the plant, which holds the start for half a second,
// leaves the body there; where none of 32 does, the first is taken, and the loop counts it.
void tact_mpc_loop_draw_goal(tact_mpc_loop *loop, const tact_mpc_loop_draw *how, int number, tact_goal *goal);

// Runs one goal: measure, solve, step the plant for a tick. loop->q is where the plant begins.
tact_mpc_loop_outcome tact_mpc_loop_run(tact_mpc_loop *loop, const tact_goal *goal);

#endif
