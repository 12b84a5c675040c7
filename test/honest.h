// SPDX-License-Identifier: MIT
// Judges of what solvers answer: how far off an answer is by the definition of its problem, in plain loops of double precision
// that share nothing with the library. 0 is exact, HUGE_VAL no answer at all.
#ifndef TACT_TEST_HONEST_H
#define TACT_TEST_HONEST_H

#include <math.h>

#include "tact/friction.h"
#include "tact/lcp.h"
#include "tact/qcqp.h"
#include "tact/solve.h"

// A barrier's gaps hold to the tolerance, relative to their terms, and its products to what that makes of them; near the rim of
// its cone a product may be off by the root of the tolerance, where rounding keeps it from its target. The other solvers state
// their residual in other units by a factor of at most two.
#define BARRIER_SLACK (1.5 * sqrt((double)TACT_TOLERANCE))
#define LCP_SLACK (3 * (double)TACT_LCP_TOLERANCE)
#define FRICTION_SLACK (3 * (double)TACT_FRICTION_TOLERANCE)
#define PROOF_SLACK (sqrt((double)TACT_EPS))

enum { HONEST_MOST = 64 };

// NaN, where there is one
static inline double honest_max(double a, double b) {
    return a != a || a > b ? a : b;
}

// barrier problems, P by the full or any other lower envelope

// the balance g and the sum of its magnitudes, of P d + p
static inline void honest_balance(const tact_barrier_problem *p, const tact_real *d, double *g, double *size) {
    for (int i = 0; i < p->n; i++) size[i] = fabs(g[i] = (double)p->p[i]);
    for (int i = 0; i < p->n; i++)
        for (int j = p->P.first[i]; j <= i; j++) {
            double entry = (double)p->P.value[p->P.start[i] + j - p->P.first[i]];
            g[i] += entry * (double)d[j];
            size[i] += fabs(entry * (double)d[j]);
            if (j < i) g[j] += entry * (double)d[i];
            if (j < i) size[j] += fabs(entry * (double)d[i]);
        }
}

// nu of a cone, and how large its terms are; takes J'l from the balance
static inline double honest_cone(const tact_cone *cone, const tact_real *d, const tact_real *l, double *nu, double *g,
                                 double *size) {
    double reach = 0;
    for (int r = 0; r < 3; r++) {
        nu[r] = (double)cone->c[r];
        for (int k = 0; k < cone->width; k++) {
            int at = cone->column[k];
            double entry = (double)cone->J[r * cone->width + k], pull = entry * (double)l[r];
            if (d) reach = honest_max(reach, fabs(entry * (double)d[at]));
            if (d) nu[r] += entry * (double)d[at];
            g[at] -= pull;
            size[at] += fabs(pull);
        }
    }
    return reach;
}

// P d + p - sum J'lambda - sum sign lambda = 0, nu inside, lambda the law's force at nu
static inline double honest_barrier(const tact_barrier_problem *p, const tact_barrier_solution *s) {
    // forces that have lost digits to underflow count as zero
    double g[HONEST_MOST], size[HONEST_MOST], worst = 0, most = 4 / (double)TACT_MAX / (double)TACT_EPS;
    honest_balance(p, s->d, g, size);
    for (int i = 0; i < p->ncone; i++) {
        const tact_cone *cone = &p->cone[i];
        const tact_real *l = s->lambda + 3 * i;
        double nu[3], mu = (double)cone->mu, scale = (double)cone->kappa / 2, product = 0, force = 0;
        double reach = honest_cone(cone, s->d, l, nu, g, size);
        // a gap may be less than what the displacement's own rounding makes of it
        if (!(nu[0] - mu * hypot(nu[1], nu[2]) > -8 * (double)TACT_EPS * reach)) return HUGE_VAL;
        // nu'lambda = 2 / kappa, and lambda's direction is that of (nu_n, -mu^2 nu_t)
        for (int r = 0; r < 3; r++) {
            product += nu[r] * (double)l[r];
            force += fabs((double)l[r]);
        }
        double rounding = (double)TACT_TOLERANCE * reach * scale;
        worst = honest_max(worst, fabs(product * scale - 1) - rounding * force);
        for (int r = 1; r < 3 && mu == 0; r++) worst = honest_max(worst, fabs((double)l[r]) / (double)l[0]);
        for (int r = 1; r < 3 && mu > 0; r++) {
            double slide = (double)l[r] / mu, press = mu * (double)l[0];
            worst = honest_max(worst, fabs(nu[0] * slide + nu[r] * press) * scale - rounding * (fabs(slide) + press));
        }
    }
    for (int j = 0; j < p->nbound; j++) {
        const tact_bound *bound = &p->bound[j];
        double at = (double)s->d[bound->column], l = (double)s->bound_lambda[j], scale = (double)bound->kappa / 2;
        double nu = (double)bound->sign * at + (double)bound->c;
        if (!(nu > -8 * (double)TACT_EPS * fabs(at))) return HUGE_VAL;
        worst = honest_max(worst, fabs(nu * l * scale - 1) - (double)TACT_TOLERANCE * fabs(at) * l * scale);
        g[bound->column] -= (double)bound->sign * l;
        size[bound->column] += fabs(l);
    }
    for (int i = 0; i < p->n; i++) most = honest_max(most, size[i]);
    for (int i = 0; i < p->n; i++) worst = honest_max(worst, fabs(g[i]) / most);
    return worst;
}

// infeasible: lambda in the dual cones, J'lambda = 0, c'lambda <= 0, not all zero
static inline double honest_barrier_proof(const tact_barrier_problem *p, const tact_barrier_solution *s) {
    double g[HONEST_MOST] = {0}, size[HONEST_MOST] = {0}, product = 0, total = 0, off = 0, weight = 0;
    for (int i = 0; i < p->ncone; i++) {
        const tact_real *l = s->lambda + 3 * i;
        double nu[3], mu = (double)p->cone[i].mu;
        honest_cone(&p->cone[i], NULL, l, nu, g, size);
        off = honest_max(off, hypot((double)l[1], (double)l[2]) - mu * (double)l[0]);
        total = honest_max(total, (double)l[0]);
        for (int r = 0; r < 3; r++) {
            product += nu[r] * (double)l[r];
            weight += fabs(nu[r] * (double)l[r]);
        }
    }
    for (int j = 0; j < p->nbound; j++) {
        double l = (double)s->bound_lambda[j];
        off = honest_max(off, -l);
        total = honest_max(total, l);
        product += (double)p->bound[j].c * l;
        weight += fabs((double)p->bound[j].c * l);
        g[p->bound[j].column] -= (double)p->bound[j].sign * l;
        size[p->bound[j].column] += l;
    }
    if (!(total > 0)) return HUGE_VAL;
    double worst = honest_max(off / total, product / honest_max(weight, total));
    for (int k = 0; k < p->n; k++) worst = honest_max(worst, fabs(g[k]) / honest_max(size[k], total));
    return worst;
}

// complementarity, plain or with bounds

static inline double honest_lcp(const tact_lcp_problem *p, const tact_real *z) {
    double most = 1e-300, worst = 0;
    int n = p->n;
    for (int i = 0; i < n; i++) most = honest_max(most, fabs((double)z[i]));
    if (!(most <= (double)TACT_MAX)) return HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double w = (double)p->q[i], size = fabs(w), lo = p->lo ? (double)p->lo[i] : 0, hi = p->hi ? (double)p->hi[i] : HUGE_VAL;
        if (lo <= -(double)TACT_MAX) lo = -HUGE_VAL;
        if (hi >= (double)TACT_MAX) hi = HUGE_VAL;
        for (int j = 0; j < n; j++) {
            w += (double)p->M[i * n + j] * (double)z[j];
            size += fabs((double)p->M[i * n + j] * (double)z[j]);
        }
        double below = ((double)z[i] - lo) / most, above = (hi - (double)z[i]) / most, b = size > 0 ? w / size : 0;
        // the median of the way down, w and the way up
        worst = honest_max(worst, fabs(fmax(fmin(below, b), -above)));
    }
    return worst;
}

// y >= 0, M'y <= 0, q'y < 0
static inline double honest_lcp_proof(const tact_lcp_problem *p, const tact_real *y) {
    double most = 0, worst = 0, product = 0;
    int n = p->n;
    for (int i = 0; i < n; i++) {
        most = honest_max(most, (double)y[i]);
        product += (double)p->q[i] * (double)y[i];
    }
    if (!(most > 0 && product < 0)) return HUGE_VAL;
    for (int j = 0; j < n; j++) {
        double sum = 0, size = 1e-300;
        for (int i = 0; i < n; i++) {
            sum += (double)p->M[i * n + j] * (double)y[i];
            size += fabs((double)p->M[i * n + j] * (double)y[i]);
        }
        worst = honest_max(worst, honest_max(sum / size, -(double)y[j] / most));
    }
    return worst;
}

// friction, W dense

// the nearest point of a cone |t| <= m n, or of the limits of three scalar rows
static inline void honest_project(const tact_friction_problem *p, int i, double *y) {
    double m = (double)p->mu[i], t = hypot(y[1], y[2]);
    for (int k = 0; k < 3 && m < 0; k++) {
        double low = p->low ? (double)p->low[3 * i + k] : 0, high = p->high ? (double)p->high[3 * i + k] : HUGE_VAL;
        if (low > -(double)TACT_MAX) y[k] = fmax(y[k], low);
        if (high < (double)TACT_MAX) y[k] = fmin(y[k], high);
    }
    if (m < 0 || (y[0] >= 0 && t <= m * y[0])) return;
    double along = (y[0] + m * t) / (1 + m * m);
    y[0] = honest_max(along, 0);
    for (int k = 1; k < 3; k++) y[k] *= t > 0 ? m * y[0] / t : 0;
}

// The size of a row of W: of a cone its block's norm, of a scalar row its diagonal entry, and where that is 0 the largest of the
// others.
static inline double honest_friction_size(const tact_friction_problem *p, int row) {
    int rows = 3 * p->nc;
    double largest = 0;
    for (int at = 0; at < rows; at++) {
        double norm = 0;
        if (p->mu[at / 3] < 0) norm = fabs((double)p->W[at * rows + at]);
        for (int k = 0; k < 9 && p->mu[at / 3] >= 0; k++)
            norm = hypot(norm, (double)p->W[(at / 3 * 3 + k / 3) * rows + at / 3 * 3 + k % 3]);
        if (at == row && norm > 0) return norm;
        largest = honest_max(largest, norm);
    }
    return largest > 0 ? largest : 1;
}

// |r - P_K(r - (u + mu |u_t| n) / W_ii)| over the largest |r|
static inline double honest_friction(const tact_friction_problem *p, const tact_real *r) {
    double worst = 0, most = 0, pull = 0;
    int rows = 3 * p->nc;
    for (int i = 0; i < p->nc; i++) {
        double y[3];
        for (int k = 0; k < 3; k++) {
            int row = 3 * i + k;
            y[k] = (double)p->q[row];
            for (int j = 0; j < rows; j++) y[k] += (double)p->W[row * rows + j] * (double)r[j];
            most = honest_max(most, fabs((double)r[row]));
            pull = honest_max(pull, fabs((double)p->q[row]) / honest_friction_size(p, row));
        }
        if (p->mu[i] >= 0) y[0] += (double)p->mu[i] * hypot(y[1], y[2]);
        for (int k = 0; k < 3; k++) y[k] = (double)r[3 * i + k] - y[k] / honest_friction_size(p, 3 * i + k);
        honest_project(p, i, y);
        for (int k = 0; k < 3; k++) worst = honest_max(worst, fabs(y[k] - (double)r[3 * i + k]));
    }
    // impulses that drown in the rounding of q / W, and so in that of this judge, count as zero
    double drowned = pull * (double)TACT_EPS / (double)TACT_FRICTION_TOLERANCE;
    return worst / honest_max(most, honest_max(1e-300, drowned));
}

// normal impulses y >= 0 (of scalar rows such as may grow without end) with W'y = 0 and q'y < 0: no impulses open all gaps
static inline double honest_friction_proof(const tact_friction_problem *p, const tact_real *y) {
    double worst = 0, product = 0, most = 0, size = 0;
    int rows = 3 * p->nc;
    for (int row = 0; row < rows; row++) {
        double at = (double)y[row];
        bool cone = p->mu[row / 3] >= 0;
        bool down = !cone && p->low && p->low[row] <= -TACT_MAX, up = cone ? row % 3 == 0 : !p->high || p->high[row] >= TACT_MAX;
        if ((at < 0 && !down) || (at > 0 && !up)) return HUGE_VAL;
        product += at * (double)p->q[row];
        most = honest_max(most, fabs(at));
    }
    if (!(product < 0 && most > 0)) return HUGE_VAL;
    for (int column = 0; column < rows; column++) {
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            sum += (double)p->W[row * rows + column] * (double)y[row];
            size = honest_max(size, fabs((double)p->W[row * rows + column]) * most);
        }
        worst = honest_max(worst, fabs(sum));
    }
    return size > 0 ? worst / size : 0;
}

// quadratic constraints

static inline double honest_quadratic(const tact_quadratic *f, const tact_real *x, double *size) {
    double sum = (double)f->constant;
    *size = fabs(sum);
    for (int k = 0; k < f->nquadratic + f->nlinear; k++) {
        bool square = k < f->nquadratic;
        const tact_triplet *e = square ? &f->quadratic[k] : &f->linear[k - f->nquadratic];
        double term = (double)e->value * (double)x[e->column] * (square ? (double)x[e->row] / 2 : 1);
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

// how far x is outside, relative to the terms that add up in each constraint where they exceed 1
static inline double honest_qcqp(const tact_qcqp *p, const tact_real *x) {
    double worst = 0;
    for (int i = 0; i < p->ncon; i++) {
        double size, g = honest_quadratic(&p->constraint[i], x, &size);
        worst = honest_max(worst, (p->equality[i] ? fabs(g) : -g) / honest_max(size, 1));
    }
    return worst;
}

// g += s f'(x)
static inline void honest_gradient(const tact_quadratic *f, const tact_real *x, double s, double *g) {
    for (int k = 0; k < f->nlinear; k++) g[f->linear[k].column] += s * (double)f->linear[k].value;
    for (int k = 0; k < f->nquadratic; k++) {
        const tact_triplet *e = &f->quadratic[k];
        g[e->row] += s * (double)e->value * (double)x[e->column] / 2;
        g[e->column] += s * (double)e->value * (double)x[e->row] / 2;
    }
}

// f' = sum y g' with y >= 0 of inequalities that are met with equality
static inline double honest_stationary(const tact_qcqp *p, const tact_real *x, const tact_real *y) {
    double g[HONEST_MOST] = {0}, size = 1, worst = 0;
    honest_gradient(&p->objective, x, 1, g);
    for (int i = 0; i < p->n; i++) size = honest_max(size, fabs(g[i]));
    for (int i = 0; i < p->ncon; i++) {
        honest_gradient(&p->constraint[i], x, -(double)y[i], g);
        if (p->equality[i]) continue;
        double terms, gap = honest_quadratic(&p->constraint[i], x, &terms);
        worst = honest_max(worst, honest_max(-(double)y[i], fabs((double)y[i] * gap) / honest_max(terms, 1)) / size);
    }
    for (int i = 0; i < p->n; i++) worst = honest_max(worst, fabs(g[i]) / size);
    return worst;
}

#endif
