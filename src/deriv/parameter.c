// SPDX-License-Identifier: MIT
// Derivatives of the solution of a step by its parameters. With g(d, t) = P d + p - sum J'lambda(J d + c) = 0 and H = dg/dd
//
//     H dd/dt = r ,  r = -(dP d + dp) + sum (dJ'lambda + J'l) ,  l = dlambda(nu)/dt - W (dJ d + dc)
//     dq+/dt = G dd/dt ,  dlambda/dt = l - W J dd/dt
//     dL/dt  = z'r + sum l'dL/dlambda ,  z = H^-1 (G'dL/dq+ - sum J'W dL/dlambda)
//
// all right-hand sides at fixed d. The force of one contact is lambda = a D nu with a = kappa (lambda_n^2 - |lambda_t|^2/mu^2)
// / 2:
//
//     by kappa  -lambda/kappa
//     by mu     k (lambda_n, lambda_t) + (0, 2 lambda_t/mu) ,  k = kappa |lambda_t|^2 / (a mu^3)
//
// A radius changes the gap by -1 and moves the contact point of that sphere or capsule along the normal. A mass m gives its
// body the force m (e v - g), e = epsilon/h^2, with v its displacement by the unactuated dofs.
#include "deriv/tie.h"
#include "math/elementary.h"
#include "sim/step.h"
#include "solve/skyline.h"

// Adds the generalised force of a force at a body's centre of mass and a moment; weights: for undriven and driven dofs.
static void parameter_add_wrench(const tact_model *model, const tact_work *work, int body, const tact_wrench *wrench,
                                 const tact_real weight[2], tact_real *x) {
    TACT_ASSERT(0 <= body && body < model->nbody);
    // V(c)'f + a't for each motion of the path
    tact_vec3 centre = tact_pose_apply(work->kinematics.pose[body], model->body[body].com);
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], dof = model->motion[motion].dof;
        tact_vec3 velocity = tact_motion_velocity(&work->kinematics, motion, centre);
        tact_real power =
            tact_vec3_dot(velocity, wrench->force) + tact_vec3_dot(work->kinematics.angular[motion], wrench->torque);
        x[model->place[dof]] += weight[model->dof[dof].u >= 0] * power;
    }
}

// Momentum of a body for the displacement of the unactuated dofs; *velocity: displacement of its centre of mass.
static tact_wrench parameter_momentum(const tact_model *model, const tact_work *work, int body, tact_vec3 *velocity) {
    TACT_ASSERT(0 <= body && body < model->nbody);
    const tact_body *given = &model->body[body];
    const tact_real *I = given->inertia;
    tact_mat3 R = work->kinematics.pose[body].R;
    // v of the centre of mass and w, by undriven dofs only
    tact_vec3 centre = tact_pose_apply(work->kinematics.pose[body], given->com), v = {0, 0, 0}, w = {0, 0, 0};
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], dof = model->motion[motion].dof;
        if (model->dof[dof].u >= 0) continue;
        v = tact_vec3_add_scaled(v, work->displacement[dof], tact_motion_velocity(&work->kinematics, motion, centre));
        w = tact_vec3_add_scaled(w, work->displacement[dof], work->kinematics.angular[motion]);
    }
    tact_mat3 own = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    *velocity = v;
    tact_wrench momentum = {tact_vec3_scale(given->mass, v),
                            tact_mat3_apply(R, tact_mat3_apply(own, tact_mat3_apply_transposed(R, w)))};
    return momentum;
}

// x -= rate M_o d, with M_o the mass matrix of the undriven dofs: dP d for P = rate M_o.
static void parameter_inertia(const tact_model *model, const tact_work *work, tact_real rate, tact_real *x) {
    const tact_real weight[2] = {-rate, 0};
    for (int b = 0; b < model->nbody; b++) {
        tact_vec3 velocity;
        if (!model->loose[b]) continue;
        // momentum of each body for the displacement d, as a wrench on its undriven dofs
        tact_wrench momentum = parameter_momentum(model, work, b, &velocity);
        parameter_add_wrench(model, work, b, &momentum, weight, x);
    }
    for (int m = 0; m < model->nmotion; m++) {
        int dof = model->motion[m].dof, i = model->place[dof];
        // armature: on the diagonal only
        if (model->dof[dof].u < 0) x[i] -= rate * tact_motion_armature(model, m) * work->d[i];
    }
}

static void parameter_mass(const tact_model *model, const tact_options *options, const tact_work *work, int body, tact_real *x) {
    TACT_ASSERT(0 <= body && body < model->nbody);
    const tact_real undriven[2] = {1, 0}, all[2] = {1, 1};
    tact_wrench inertia = {{0, 0, 0}, {0, 0, 0}}, weight = {options->gravity, {0, 0, 0}};
    // -e m v is -e v per unit of mass; weight g per unit of mass
    tact_vec3 v;
    parameter_momentum(model, work, body, &v);
    inertia.force = tact_vec3_scale(-options->epsilon / (options->dt * options->dt), v);
    parameter_add_wrench(model, work, body, &inertia, undriven, x);
    parameter_add_wrench(model, work, body, &weight, options->gravity_on_driven ? all : undriven, x);
}

static void parameter_force(const tact_model *model, const tact_work *work, const tact_parameter *parameter, tact_real *x) {
    TACT_ASSERT(0 <= parameter->index && parameter->index < model->nbody);
    const tact_real all[2] = {1, 1};
    tact_real unit[6] = {0};
    unit[parameter->component] = 1;
    tact_wrench wrench = {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    parameter_add_wrench(model, work, parameter->index, &wrench, all, x);
}

// x -= dP d + dp - the change of the limits' forces.
static void parameter_motion(const tact_model *model, const tact_options *options, const tact_work *work,
                             const tact_deriv_work *deriv, const tact_parameter *parameter, tact_real *x) {
    // derivative of P d + p by the parameter, at fixed d
    tact_real h = options->dt;
    switch (parameter->kind) {
    case TACT_PARAMETER_LIMIT_KAPPA:
        // lambda = tau/nu, tau ~ 1/kappa: dlambda/dkappa = -lambda/kappa at fixed d
        for (int j = 0; j < work->problem.nbound; j++)
            x[work->bound[j].column] -= work->bound[j].sign * work->bound_lambda[j] / work->bound[j].kappa;
        break;
    // the inertia of undriven dofs, eps M/h^2, and the damping b/h of driven ones depend on eps and h
    case TACT_PARAMETER_EPSILON: parameter_inertia(model, work, 1 / (h * h), x); break;
    case TACT_PARAMETER_DT:
        // d(eps M/h^2)/dh = -2 eps M/h^3, d(b/h)/dh = -b/h^2
        parameter_inertia(model, work, -2 * options->epsilon / (h * h * h), x);
        for (int i = 0; i < model->nv; i++) x[i] += model->dof[model->order[i]].damping / (h * h) * work->d[i];
        for (int s = 0; tact_ties(model) > 0 && s < model->nspring; s++) {
            tact_real rate = tact_tie_part(work, s) * model->spring[s].damping / (h * h);
            tact_tie_push(model, s, model->place, rate * tact_tie_sum(model, s, model->place, work->d), x);
        }
        break;
    case TACT_PARAMETER_MASS: parameter_mass(model, options, work, parameter->index, x); break;
    // k (d - pull) of one dof
    case TACT_PARAMETER_STIFFNESS: {
        int place = model->place[parameter->index], spring = tact_tie_leader(model, parameter->index);
        if (spring >= 0)
            tact_tie_push(
                model, spring, model->place,
                tact_tie_part(work, spring) * (-tact_tie_sum(model, spring, model->place, work->d) - deriv->pull[place]), x);
        else
            x[place] -= work->d[place] + deriv->pull[place];
        break;
    }
    case TACT_PARAMETER_FORCE: parameter_force(model, work, parameter, x); break;
    default: break;
    }
}

// The step that is differentiated.
typedef struct {
    const tact_model *model;
    const tact_work *work;
    const tact_deriv_work *deriv;
} parameter_step;

// At its cap the stored displacement is proportional to gap/mu: f -= W (0, s) rate.
static void parameter_cap(const tact_cone *cone, const tact_contact_slope *slope, tact_real rate, tact_real *f) {
    tact_real nu[3] = {0, rate * cone->c[1], rate * cone->c[2]}, change[3];
    if (!slope->capped) return;
    tact_slope_apply(slope->W, nu, change);
    for (int row = 0; row < 3; row++) f[row] -= change[row];
}

// The contact point of the sphere's or capsule's body moves along the normal: away from a's centre, or from b's. Adds dJ'lambda
// to x.
static void parameter_radius(const parameter_step *step, int index, bool of_b, tact_real *x, tact_real *f) {
    const tact_model *model = step->model;
    const tact_work *work = step->work;
    const tact_deriv_work *deriv = step->deriv;
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_pair *pair = &model->pair[contact->pair];
    const tact_contact_slope *slope = &deriv->contact[index];
    tact_real(*F)[3] = (tact_real(*)[3])contact->frame.m;
    // the gap by -1, and the point by the normal: away from a's centre or towards b's
    tact_real sign = of_b ? 1 : -1, nu[3] = {-1, 0, 0};
    tact_vec3 moved = tact_vec3_scale(-sign, tact_vec3_make(F[0][0], F[0][1], F[0][2])), spin = {0, 0, 0};
    int body = model->shape[of_b ? pair->b : pair->a].body;
    bool carried = body != TACT_WORLD && !deriv->frozen_geometry;
    // J's columns change with the point, a x dx, and nu with the body's rotation in the step
    for (int k = carried ? model->path_start[body] : 0; carried && k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], dof = model->motion[motion].dof;
        tact_vec3 axis = work->kinematics.angular[motion];
        spin = tact_vec3_add_scaled(spin, work->displacement[dof], axis);
        x[model->place[dof]] += sign * tact_vec3_dot(contact->force, tact_vec3_cross(axis, moved));
    }
    tact_vec3 slid = tact_vec3_scale(sign, tact_vec3_cross(spin, moved));
    for (int row = 1; row < 3; row++) nu[row] = F[row][0] * slid.x + F[row][1] * slid.y + F[row][2] * slid.z;
    tact_slope_apply(slope->W, nu, f);
    for (int row = 0; row < 3; row++) f[row] = -f[row];
    parameter_cap(&work->cone[index], slope, -1 / contact->gap, f);
}

// Change l of one contact's force; adds dJ'lambda and J'l to x.
static void parameter_contact(const parameter_step *step, int index, const tact_parameter *parameter, tact_real *x,
                              tact_real *f) {
    TACT_ASSERT(0 <= index && index < step->work->contacts.count);
    const tact_model *model = step->model;
    const tact_work *work = step->work;
    const tact_cone *cone = &work->cone[index];
    const tact_real *l = work->contacts.contact[index].lambda;
    int pair = work->contacts.contact[index].pair;
    // force at fixed nu by the parameter
    f[0] = f[1] = f[2] = 0;
    if (parameter->kind == TACT_PARAMETER_KAPPA) {
        for (int row = 0; row < 3; row++) f[row] = -l[row] / cone->kappa;
    } else if (parameter->kind == TACT_PARAMETER_MU && pair == parameter->index) {
        // Derivative by the friction coefficient mu
        const tact_contact_slope *slope = &step->deriv->contact[index];
        tact_real mu = cone->mu, slip = mu > 0 ? tact_sqrt(l[1] * l[1] + l[2] * l[2]) / mu : 0;
        if (mu > 0) {
            // k = kappa |lambda_t|^2/(a mu^3) with a of the head of this file
            tact_real k = 2 * slip * slip / (mu * (l[0] - slip) * (l[0] + slip));
            f[0] = k * l[0];
            f[1] = (k + 2 / mu) * l[1];
            f[2] = (k + 2 / mu) * l[2];
            parameter_cap(cone, slope, -1 / mu, f);
        }
    } else if (parameter->kind == TACT_PARAMETER_RADIUS && model->pair[pair].a == parameter->index) {
        parameter_radius(step, index, false, x, f);
    } else if (parameter->kind == TACT_PARAMETER_RADIUS && model->pair[pair].b == parameter->index) {
        parameter_radius(step, index, true, x, f);
    } else {
        return;
    }
    // J'l
    for (int k = 0; k < cone->width; k++)
        x[cone->column[k]] += cone->J[k] * f[0] + cone->J[cone->width + k] * f[1] + cone->J[2 * cone->width + k] * f[2];
}

// Asserts that the parameter exists and belongs to the barrier law.
static void parameter_require(const tact_model *model, const tact_parameter *parameter) {
    int index = parameter->index;
    tact_shape_type type =
        parameter->kind == TACT_PARAMETER_RADIUS && index < model->nshape ? model->shape[index].type : TACT_SHAPE_SPHERE;
    // a radius that moves the place of contact along the edge: see geom/segment.c
    bool between = false;
    for (int i = 0; i < model->npair && parameter->kind == TACT_PARAMETER_RADIUS; i++) {
        const tact_pair *pair = &model->pair[i];
        between = between || (pair->vertex > 2 && pair->b == index) || (pair->vertex < -2 && pair->a == index);
    }
    (void)between;
    (void)type;
    // the index is that of a pair, shape, body or dof, depending on the kind
    TACT_ASSERT(parameter->kind <= TACT_PARAMETER_FORCE && index >= 0);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_MU || index < model->npair);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_RADIUS || index < model->nshape);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_RADIUS || tact_shape_is_ball(type) || type == TACT_SHAPE_CAPSULE);
    TACT_ASSERT(!between);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_MASS || index < model->nbody);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_STIFFNESS || index < model->nv);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_STIFFNESS || model->dof[index].u >= 0);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_FORCE || index < model->nbody);
    TACT_ASSERT(parameter->kind != TACT_PARAMETER_FORCE || (0 <= parameter->component && parameter->component < 6));
}

void tact_deriv_parameter(const tact_model *model, const tact_options *options, const tact_work *work, tact_deriv_work *deriv,
                          tact_parameter parameter, tact_deriv_column column) {
    TACT_ASSERT(model && options && deriv && tact_model_has_sizes(model, &deriv->of));
    TACT_ASSERT(tact_work_fits(work, model) && work->P);
    tact_real *x = deriv->rhs, *dlambda = column.lambda, f[3];
    parameter_step step = {model, work, deriv};
    parameter_require(model, &parameter);
    // minus the derivative of the force balance by the parameter, at constant q+
    for (int i = 0; i < model->nv; i++) x[i] = 0;
    parameter_motion(model, options, work, deriv, &parameter, x);
    for (int c = 0; c < work->contacts.count; c++) {
        parameter_contact(&step, c, &parameter, x, f);
        for (int row = 0; dlambda && row < 3; row++) dlambda[3 * c + row] = f[row];
    }
    // H dq = x; dlambda = f - W J dq
    tact_skyline_solve(&deriv->H, deriv->pivot, x);
    for (int c = 0; dlambda && c < work->contacts.count; c++) {
        const tact_cone *cone = &work->cone[c];
        tact_real nu[3] = {0, 0, 0};
        for (int k = 0; k < cone->width; k++)
            for (int row = 0; row < 3; row++) nu[row] += cone->J[row * cone->width + k] * x[cone->column[k]];
        tact_slope_apply(deriv->contact[c].W, nu, f);
        for (int row = 0; row < 3; row++) dlambda[3 * c + row] -= f[row];
    }
    if (!column.q) return;
    for (int i = 0; i < model->nv; i++) column.q[model->order[i]] = x[i];
    tact_deriv_turn(model, deriv, column.q, false);
}

tact_real tact_deriv_parameter_pullback(const tact_model *model, const tact_options *options, const tact_work *work,
                                        tact_deriv_work *deriv, const tact_real *lambda, tact_parameter parameter) {
    TACT_ASSERT(model && options && deriv && tact_model_has_sizes(model, &deriv->of));
    TACT_ASSERT(tact_work_fits(work, model) && work->P);
    tact_real *x = deriv->rhs, bar = 0, f[3];
    parameter_step step = {model, work, deriv};
    parameter_require(model, &parameter);
    // dL/dp = z'(minus the derivative of the balance) + lambda_bar'(derivative of the forces)
    for (int k = 0; k < model->nv; k++) x[k] = 0;
    parameter_motion(model, options, work, deriv, &parameter, x);
    for (int c = 0; c < work->contacts.count; c++) {
        parameter_contact(&step, c, &parameter, x, f);
        for (int row = 0; lambda && row < 3; row++) bar += f[row] * lambda[3 * c + row];
    }
    for (int k = 0; k < model->nv; k++) bar += x[k] * deriv->z[k];
    return bar;
}
