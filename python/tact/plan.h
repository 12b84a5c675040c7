// SPDX-License-Identifier: MIT
// Plans and model predictive control as types of the module.
#ifndef TACT_PYTHON_PLAN_H
#define TACT_PYTHON_PLAN_H

#include "arguments.h"

// Adds _plan and Mpc to the module; scene_error is raised where a scene is refused. False after an exception.
int tact_python_add_plans(PyObject *module, PyObject *scene_error);

#endif
