// SPDX-License-Identifier: MIT
// The core in one file: the table of contents, lowest layer first, and the build for those who take one file:
//   cc -std=c11 -O2 -ffp-contract=off -fno-math-errno -Iinclude -Isrc -c src/all.c
// `make unity` checks that nothing is missing and that no two helpers share a name.

// base: the arena and the names of the status
#include "base/arena.c"
#include "base/status.c"

// math: own elementary functions, vectors, rotations, factorisations, the friction cone
#ifdef TACT_FLOAT
#include "math/elementary_float.c"
#else
#include "math/elementary_double.c"
#endif
#include "math/rotation.c"

// solve: problems that know matrices only
#include "solve/barrier.c"
#include "solve/blocks.c"
#include "solve/budget.c"
#include "solve/certificate.c"
#include "solve/check.c"
#include "solve/refuse.c"
#include "solve/clearance.c"
#include "solve/convex.c"
#include "solve/factor_own.c"
#include "solve/friction.c"
#include "solve/friction_contact.c"
#include "solve/friction_derivative.c"
#include "solve/friction_newton.c"
#include "solve/friction_polygon.c"
#include "solve/friction_system.c"
#include "solve/lcp.c"
#include "solve/lcp_block.c"
#include "solve/lcp_bounds.c"
#include "solve/lcp_judge.c"
#include "solve/lcp_derivative.c"
#include "solve/lcp_dictionary.c"
#include "solve/lcp_enumerate.c"
#include "solve/lcp_factor.c"
#include "solve/lcp_interior.c"
#include "solve/lcp_lemke.c"
#include "solve/lcp_principal.c"
#include "solve/lcp_small.c"
#include "solve/lcp_sparse.c"
#include "solve/lcp_sweep.c"
#include "solve/lu.c"
#include "solve/arrange.c"
#include "solve/newton.c"
#include "solve/ordering.c"
#include "solve/path.c"
#include "solve/qcqp.c"
#include "solve/qcqp_choices.c"
#include "solve/qcqp_empty.c"
#include "solve/qcqp_local.c"
#include "solve/qcqp_search.c"
#include "solve/skyline.c"

// tree: joints, forward kinematics, Jacobians, mass matrix and bias
#include "tree/check.c"
#include "tree/dynamics.c"
#include "tree/joint.c"
#include "tree/kinematics.c"
#include "tree/tangent.c"
#include "tree/momentum.c"
#include "tree/order.c"
#include "tree/prepare.c"

// geom: signed distances with gradient and Hessian
#include "geom/distance.c"
#include "geom/ellipsoid.c"
#include "geom/frame.c"
#include "geom/hessian.c"
#include "geom/planar_distance.c"
#include "geom/planar_shape.c"
#include "geom/plane.c"
#include "geom/polygon.c"

// contact: from pairs of shapes to contacts
#include "contact/detect.c"
#include "contact/planar.c"
#include "contact/stein.c"
#include "contact/virtual_features.c"
#include "contact/virtual_find.c"
#include "contact/virtual_kernel.c"
#include "contact/virtual_newton.c"
#include "contact/virtual_touch.c"

// law: the contact laws
#include "law/anchor.c"
#include "law/barrier.c"
#include "law/rigid.c"
#include "law/rigid_answer.c"
#include "law/rigid_constrain.c"
#include "law/rigid_system.c"
#include "law/virtual.c"
#include "law/virtual_chain.c"
#include "law/virtual_check.c"
#include "law/virtual_evaluate.c"
#include "law/virtual_force.c"
#include "law/virtual_limit.c"
#include "law/virtual_parameter.c"
#include "law/virtual_prepare.c"
#include "law/virtual_pull.c"
#include "law/virtual_sum.c"

// sim: options, work layout, one step, rollout
#include "sim/check.c"
#include "sim/sim.c"

// deriv: derivatives of a step, of its parameters, and of a rollout
#include "deriv/adjoint.c"
#include "deriv/bundle.c"
#include "deriv/chain.c"
#include "deriv/contact.c"
#include "deriv/inertia.c"
#include "deriv/linearise.c"
#include "deriv/parameter.c"
#include "deriv/rigid.c"
#include "deriv/rollout.c"
#include "deriv/sweep.c"
#include "deriv/virtual.c"

// plan: inverse kinematics, trajectories, control
#include "plan/ik.c"
#include "plan/lbfgs.c"
#include "plan/trajectory.c"
