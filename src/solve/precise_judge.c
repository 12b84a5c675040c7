// SPDX-License-Identifier: MIT
// The definitions of a solution and of a certificate, evaluated in doubled precision (32 digits) for the numbers reported:
//
//     nu = J d + c inside the cones,  g = P d + p - J'lambda,  kappa nu'lambda / 2 = 1
//     lambda in the cones,  c'lambda + |J'lambda|'|d| < 0 for all d in a box: then no d there has 0 < lambda'(J d + c)
//
// The distance of a solution from the minimum is bounded by Newton's decrement r, and that by the residuals, since H = P + J'W
// J is bounded below by P and by J'W J, and lambda'W^-1 lambda = 2/kappa: with o_i the error of cone i's products relative to
// 2/kappa_i,
//
//     r^2 <= 2 kappa (sum g_j^2 / P_jj + 4 sum (2/kappa_i) o_i^2),   |d_j - d*_j| <= r / (1 - r) / root(kappa P_jj)
//
// for the largest kappa and diagonal P; the relative error of forces is at most 2 r. Source: Nesterov, Nemirovskii,
// Interior-point polynomial algorithms in convex programming, 1994, theorem 2.2.2 (r of self-concordant functions).
#include "solve/precise_parts.h"
#include "solve/skyline.h"

// The box, in multiples of the largest length |c| / |J| of a contact that moves with the unknown.
#ifdef TACT_FLOAT
#define PRECISE_BOX 0x1p6
#else
#define PRECISE_BOX 0x1p20
#endif

// A sum, and the sum of the magnitudes of its terms.
typedef struct {
    tact_twin value;
    double size;
} precise_sum;

static void precise_add(precise_sum *sum, tact_twin x) {
    sum->value = tact_twin_add(sum->value, x);
    sum->size += tact_twin_magnitude(x);
}

// Upper bounds of a sum, and of its magnitude.
static double precise_above(precise_sum sum, int terms) {
    return sum.value.high + (terms + 4) * TACT_TWIN_EPS * sum.size + 0x1p-50 * fabs(sum.value.high);
}
static double precise_most(precise_sum sum, int terms) {
    return tact_twin_max(precise_above(sum, terms), precise_above((precise_sum){tact_twin_negative(sum.value), sum.size}, terms));
}

// Row k of nu = J d + c, in the problem's own numbers.
static precise_sum precise_gap(const tact_precise_member *member, const tact_real *d, int k) {
    TACT_ASSERT(k >= 0 && k < tact_precise_rows(member));
    precise_sum sum = {tact_twin_of((double)member->c[k]), fabs((double)member->c[k])};
    for (int a = 0; a < member->width; a++)
        precise_add(&sum, tact_twin_product((double)member->J[k * member->width + a], (double)d[member->column[a]]));
    return sum;
}

// Whether nu_n > mu |nu_t| in spite of rounding.
static bool precise_is_open(const tact_precise_member *member, const precise_sum nu[3]) {
    // rounding of the three components, with mu for the tangents
    double lost = 0;
    for (int k = 0; k < tact_precise_rows(member); k++)
        lost += (k ? member->mu : 1) * (member->width + 8) * TACT_TWIN_EPS * nu[k].size;
    tact_twin t = tact_twin_of(0);
    if (tact_precise_rows(member) == 3)
        t = tact_twin_root(tact_twin_add(tact_twin_square(nu[1].value), tact_twin_square(nu[2].value)));
    // nu_n - mu |nu_t|
    tact_twin room = tact_twin_take(nu[0].value, tact_twin_scale(t, member->mu));
    return nu[0].value.high > 0 && room.high > 2 * lost;
}

// Deviation of kappa nu'lambda / 2 from 1, and of lambda's direction from that of (nu_n, -mu^2 nu_t).
static double precise_product(const tact_precise_member *member, const precise_sum nu[3], const tact_twin force[3]) {
    tact_twin product = tact_twin_times(nu[0].value, force[0]), half = tact_twin_of(member->kappa / 2),
              mu = tact_twin_of(member->mu);
    double off = 0;
    // |nu_n lambda_t/mu + lambda_n mu nu_t| kappa/2, and nu'lambda kappa/2 - 1: equation (9) of docs/laws/barrier.md
    for (int k = 1; k < tact_precise_rows(member); k++) {
        tact_twin slide = tact_twin_over(force[k], mu), press = tact_twin_times(mu, force[0]);
        tact_twin across = tact_twin_add(tact_twin_times(nu[0].value, slide), tact_twin_times(nu[k].value, press));
        off = tact_twin_max(off, fabs(tact_twin_times(across, half).high));
        product = tact_twin_add(product, tact_twin_times(nu[k].value, force[k]));
    }
    return tact_twin_max(off, fabs(tact_twin_take(tact_twin_times(product, half), tact_twin_of(1)).high));
}

// Largest entry of P d + p - J'lambda, relative to the largest sum of the magnitudes of an entry's terms.
static double precise_balance(const tact_barrier_problem *problem, tact_precise_work *work,
                              const tact_barrier_solution *solution) {
    const tact_skyline *P = &problem->P;
    tact_twin *g = work->g;
    double *size = work->size, worst = 0, most = 0;
    // g = p, then P by rows of its lower triangle, then -J'lambda; size sums the magnitudes.
    for (int i = 0; i < problem->n; i++) {
        g[i] = tact_twin_of((double)problem->p[i]);
        size[i] = fabs((double)problem->p[i]);
    }
    for (int i = 0; i < problem->n; i++)
        // Row and column of each entry; the diagonal once.
        for (int j = P->first[i]; j <= i; j++) {
            double entry = (double)tact_skyline_row(P, i)[j];
            tact_twin a = tact_twin_product(entry, (double)solution->d[j]), b = tact_twin_product(entry, (double)solution->d[i]);
            g[i] = tact_twin_add(g[i], a);
            size[i] += tact_twin_magnitude(a);
            if (j == i) continue;
            g[j] = tact_twin_add(g[j], b);
            size[j] += tact_twin_magnitude(b);
        }
    // Less J'lambda, the forces as they are given out.
    for (int i = 0; i < problem->ncone + problem->nbound; i++) {
        tact_precise_member member = tact_precise_member_of(problem, i);
        tact_twin force[3];
        tact_precise_forces(problem, solution, i, force);
        for (int k = 0; k < tact_precise_rows(&member); k++)
            for (int a = 0; a < member.width; a++) {
                tact_twin pull = tact_twin_product((double)member.J[k * member.width + a], force[k].high);
                g[member.column[a]] = tact_twin_take(g[member.column[a]], pull);
                size[member.column[a]] += tact_twin_magnitude(pull);
            }
    }
    // Relative to the largest sum of magnitudes.
    for (int i = 0; i < problem->n; i++) {
        worst = tact_twin_max(worst, tact_twin_magnitude(g[i]));
        most = tact_twin_max(most, size[i]);
    }
    return most > 0 ? worst / most : 0;
}

// Gaps of a member, and lambda.
static void precise_look(const tact_barrier_problem *problem, const tact_barrier_solution *solution, int i,
                         tact_precise_member *member, precise_sum nu[3], tact_twin force[3]) {
    TACT_ASSERT(i >= 0 && i < problem->ncone + problem->nbound);
    *member = tact_precise_member_of(problem, i);
    for (int k = 0; k < 3; k++)
        nu[k] = k < tact_precise_rows(member) ? precise_gap(member, solution->d, k) : (precise_sum){{0, 0}, 0};
    tact_precise_forces(problem, solution, i, force);
}

bool tact_precise_is_right(const tact_barrier_problem *problem, tact_precise_work *work, const tact_barrier_solution *solution) {
    TACT_ASSERT(problem && work && solution);
    // The bound at the head of this file: only for diagonal P.
    double energy = 0, kappa = 0, most = 0, least = DBL_MAX;
    precise_balance(problem, work, solution);
    for (int i = 0; i < problem->n; i++) {
        double P = (double)*tact_skyline_diagonal(&problem->P, i), g = work->g[i].high;
        if (!(P > 0) || problem->P.first[i] < i) return false;
        // sum g_j^2/P_jj.
        energy += g * g / P;
        least = tact_twin_min(least, P);
        most = tact_twin_max(most, fabs((double)solution->d[i]));
    }
    for (int i = 0; i < problem->ncone + problem->nbound; i++) {
        tact_precise_member member;
        precise_sum nu[3];
        tact_twin force[3];
        precise_look(problem, solution, i, &member, nu, force);
        double off = precise_product(&member, nu, force);
        if (!precise_is_open(&member, nu)) return false;
        // 4 (2/kappa) o^2.
        energy += 8 / member.kappa * off * off;
        kappa = tact_twin_max(kappa, member.kappa);
    }
    // r, twice of which bounds the error of forces; r/root(kappa P_jj) that of the displacement.
    double r = sqrt(2 * kappa * energy);
    return 2 * r <= TACT_PRECISE_NEAR && 2 * r <= TACT_PRECISE_NEAR * most * sqrt(kappa * least);
}

tact_status tact_precise_judge(const tact_barrier_problem *problem, tact_precise_work *work, tact_status status,
                               tact_barrier_solution *solution) {
    TACT_ASSERT(problem && solution);
    // Decrement and balance as the definitions have them, for any P.
    double off = 0, balance = precise_balance(problem, work, solution);
    bool open = true;
    for (int i = 0; i < problem->ncone + problem->nbound; i++) {
        tact_precise_member member;
        precise_sum nu[3];
        tact_twin force[3];
        precise_look(problem, solution, i, &member, nu, force);
        open = open && precise_is_open(&member, nu);
        off = tact_twin_max(off, precise_product(&member, nu, force));
    }
    // A number beyond the caller's type is none.
    bool finite = balance - balance == 0 && off <= (double)TACT_MAX;
    solution->balance = finite ? (tact_real)balance : 0;
    solution->decrement = finite ? (tact_real)off : 0;
    if (!open || !finite) return TACT_UNDECIDED;
    bool right = balance <= TACT_PRECISE_ERROR && off <= TACT_PRECISE_PRODUCT;
    return right ? status : TACT_ITERATION_LIMIT;
}

// Lower bound of the violation of mu lambda_n >= |lambda_t|; at least 0.
static double precise_lack(const tact_precise_member *member, const tact_twin force[3]) {
    // A joint limit's force must not be negative.
    if (tact_precise_rows(member) < 3) return force[0].high >= 0 ? 0 : -force[0].high;
    tact_twin t = tact_twin_root(tact_twin_add(tact_twin_square(force[1]), tact_twin_square(force[2])));
    // |lambda_t|/mu - lambda_n, with its rounding.
    double lack = tact_twin_take(tact_twin_over(t, tact_twin_of(member->mu)), force[0]).high,
           rounding = 0x1p-90 * t.high / member->mu;
    return lack > -rounding ? lack + rounding : 0;
}

// The largest magnitude in x, `width` numbers for each axis of the member, normal first; those of the tangents count mu times.
static double precise_largest(const tact_precise_member *member, const tact_real *x, int width) {
    TACT_ASSERT(member && x);
    double most = 0;
    for (int a = 0; a < tact_precise_rows(member) * width; a++)
        most = tact_twin_max(most, (a < width ? 1 : member->mu) * fabs((double)x[a]));
    return most;
}

bool tact_precise_proves(const tact_barrier_problem *problem, tact_precise_work *work, const tact_barrier_solution *solution) {
    TACT_ASSERT(problem && work);
    int members = problem->ncone + problem->nbound, terms = 3 * members;
    double *length = work->size, rest = 0;
    bool any = false;
    precise_sum value = {{0, 0}, 0};
    for (int v = 0; v < problem->n; v++) length[v] = 0;
    // c'lambda, and for each unknown the largest length |c| / |J| of a contact that moves with it
    for (int i = 0; i < members; i++) {
        tact_precise_member member = tact_precise_member_of(problem, i);
        tact_twin force[3];
        tact_precise_forces(problem, solution, i, force);
        double lack = precise_lack(&member, force), J = precise_largest(&member, member.J, member.width);
        double extent = J > 0 ? precise_largest(&member, member.c, 1) / J : 0;
        any = any || force[0].high > 0 || lack > 0;
        rest += lack * fabs((double)member.c[0]);
        for (int k = 0; k < tact_precise_rows(&member); k++)
            precise_add(&value, tact_twin_product((double)member.c[k], force[k].high));
        for (int a = 0; a < member.width; a++) {
            bool moves = member.J[a] != 0;
            for (int k = 1; k < tact_precise_rows(&member); k++) moves = moves || member.J[k * member.width + a] != 0;
            if (moves) length[member.column[a]] = tact_twin_max(length[member.column[a]], extent);
        }
    }
    // |J'lambda| times the box, a column at a time
    for (int v = 0; v < problem->n; v++) {
        precise_sum pull = {{0, 0}, 0};
        for (int i = 0; i < members; i++) {
            tact_precise_member member = tact_precise_member_of(problem, i);
            tact_twin force[3];
            tact_precise_forces(problem, solution, i, force);
            int a = 0;
            while (a < member.width && member.column[a] != v) a++;
            if (a == member.width) continue;
            pull.size += precise_lack(&member, force) * fabs((double)member.J[a]) / TACT_TWIN_EPS;
            for (int k = 0; k < tact_precise_rows(&member); k++)
                precise_add(&pull, tact_twin_product((double)member.J[k * member.width + a], force[k].high));
        }
        rest += PRECISE_BOX * length[v] * precise_most(pull, terms);
    }
    return any && precise_above(value, terms) + rest < 0;
}
