// SPDX-License-Identifier: MIT
// Everything. A controller on a microcontroller includes only what it needs: sim.h and below use no heap and no files.
#ifndef TACT_H
#define TACT_H

#include "tact/base.h"
#include "tact/contact.h"
#include "tact/deriv.h"
#include "tact/fit.h"
#include "tact/friction.h"
#include "tact/geom.h"
#include "tact/lanes.h"
#include "tact/jacobian.h"
#include "tact/law.h"
#include "tact/lcp.h"
#include "tact/manifold.h"
#include "tact/math.h"
#include "tact/model.h"
#include "tact/mpc.h"
#include "tact/optimise.h"
#include "tact/region.h"
#include "tact/residual.h"
#include "tact/plan.h"
#include "tact/planar.h"
#include "tact/qcqp.h"
#include "tact/record.h"
#include "tact/rollout.h"
#include "tact/scene.h"
#include "tact/sim.h"
#include "tact/solve.h"
#include "tact/trace.h"
#include "tact/trajectory.h"
#include "tact/virtual.h"
#include "tact/worlds.h"

#endif
