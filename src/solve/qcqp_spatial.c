// SPDX-License-Identifier: MIT
// Spatial branch and bound: a box of the unknowns is pruned when the linear relaxation over it (qcqp_box.c) proves that it
// contains no feasible point, or none better than the best known by more than the gap; otherwise its bounds are tightened, and
// it is split where the relaxation of the products is least accurate. Each box costs one linear program or a few; its lower
// bound is computed from the multipliers with all rounding included (Neumaier and Shcherbina, Mathematical Programming 99,
// 2004), so that a wrong pivot costs boxes but not correctness. Bounds are tightened by the rows (feasibility-based), by linear
// programs at the root (optimality-based), and by the multipliers (reduced costs: Ryoo and Sahinidis, 1995).
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

// Gap at which a box is pruned, relative to the best value, to its terms, and to its terms over the whole box.
#ifdef TACT_FLOAT
#define GAP 1e-3f
#define GAP_TERMS 1e-4f
#define GAP_BOX 1e-5f
#else
#define GAP 5e-7
#define GAP_TERMS 1e-8
#define GAP_BOX 1e-10
#endif

enum { BOX_ROUNDS = 3, ROOT_ROUNDS = 6, LINEAR_STEPS = 60, WIDER = 8, POLISHES = 4 };

// Limit on the multiplications of all linear programs.
#define MOST_WORK TACT_REAL(2e10)

typedef enum { BOX_CLOSED, BOX_OPEN, BOX_LOST } box_end;

typedef struct {
    tact_qcqp_work *work;
    tact_box *box;
    tact_spatial_work *own;
    const tact_qcqp_options *options;
    tact_real *width;  // (n) widths of the root box
    tact_real extent;  // the objective's terms over the root box
    tact_real cutoff;  // better points have a value below this
    tact_real bound;   // lower bound of the present box
    tact_real least;   // least lower bound of the boxes given up
    int nodes;
    bool better;  // a point better than the initial one was found
} spatial;

// Memory of the branch and bound: the relaxation, and a stack of boxes; an arena that only measures returns none.
void tact_spatial_place(tact_spatial_work *work, const tact_qcqp *problem, tact_arena *arena) {
    TACT_ASSERT(work && problem);
    int nproduct = 0;
    // too many products for the relaxation: not placed
    *work = (tact_spatial_work){.fits = tact_box_count(problem, &nproduct)};
    if (!work->fits) return;
    size_t n = (size_t)problem->n;
    // depth of the stack: each unknown may be split several times on a path
    work->depth = 4 * problem->n + 60;
    tact_box_place(&work->box, problem, nproduct, arena);
    TACT_VECTORS(arena, n, &work->width, &work->root_low, &work->root_high);
    work->reached = tact_arena_take(arena, 2 * n, sizeof(bool));
    work->size = tact_arena_take(arena, (size_t)problem->ncon + 1, sizeof(tact_real));
    TACT_VECTORS(arena, n * (size_t)(work->depth + 1), &work->low, &work->high);
    work->bound = tact_arena_take(arena, (size_t)work->depth + 1, sizeof(tact_real));
}

static void set_cutoff(spatial *s) {
    if (!s->work->found) return;
    // least improvement of a better value
    TACT_ASSERT(s->work);
    const tact_qcqp_work *work = s->work;
    tact_real terms = tact_quadratic_size(&work->problem->objective, work->best);
    s->cutoff =
        s->work->best_value - (tact_max(GAP * tact_fabs(work->best_value), tact_max(GAP_TERMS * terms, GAP_BOX * s->extent)));
    s->box->row[0].constant = s->cutoff - s->work->problem->objective.constant;
}

static void cost_objective(tact_box *box) {
    // minimise the objective, whose row has the opposite sign
    const tact_box_row *row = &box->row[0];
    for (int j = 0; j < box->ncolumn; j++) box->cost[j] = 0;
    for (int k = row->first; k < row->first + row->count; k++) box->cost[box->column[k]] = -box->value[k];
}

// Whether the multipliers of an infeasible relaxation prove it beyond rounding.
static bool is_proven_empty(tact_box *box) {
    for (int j = 0; j < box->ncolumn; j++) box->cost[j] = 0;
    return tact_box_bound(box, 0) > 0;
}

// Merit function: the objective over its extent, plus the penalty times the largest violation, relative to its row's terms.
static tact_real merit_at(const spatial *s, const tact_real *x, tact_real penalty, tact_real *violation) {
    // largest violation, relative to its row's terms over the root box
    const tact_qcqp *problem = s->work->problem;
    *violation = 0;
    for (int i = 0; i < problem->ncon; i++) {
        tact_real value = tact_quadratic_value(&problem->constraint[i], x);
        tact_real wrong = problem->equality[i] ? tact_fabs(value) : -value;
        if (s->own->size[i + 1] > 0) *violation = tact_max(*violation, wrong / s->own->size[i + 1]);
    }
    return tact_quadratic_value(&problem->objective, x) / s->own->size[0] + penalty * *violation;
}

// Solves the program with the products linearised at x, within a trust region of radius times the root widths.
static tact_box_end solve_linearised(spatial *s, const tact_real *x, tact_real radius) {
    tact_box *box = s->box;
    // trust region around x, within the root box
    for (int i = 0; i < box->n; i++) {
        box->low[i] = tact_max(s->own->root_low[i], x[i] - radius * s->width[i]);
        box->high[i] = tact_min(s->own->root_high[i], x[i] + radius * s->width[i]);
    }
    if (!tact_box_linearise(box, x)) return TACT_BOX_GAVE_UP;
    cost_objective(box);
    return tact_box_solve(box, false);
}

// Sequential linear programming with a trust region (Fletcher and Sainz de la Maza 1989) from x, towards a vertex.
static void descend_linearly(spatial *s, tact_real radius, tact_real *x) {
    tact_box *box = s->box;
    tact_real penalty = 1, violation = 0, other = 0;
    int wider = 0;  // number of enlargements of an infeasible region
    bool restore = false;
    for (int k = 0; k < LINEAR_STEPS && radius > TACT_REAL(1e-7); k++) {
        // infeasible in the region: enlarge it, at most WIDER times
        if (solve_linearised(s, x, radius) != TACT_BOX_SOLVED) {
            if (radius >= 1 || ++wider > WIDER) return;
            radius = tact_min(4 * radius, 1);
            restore = true;
            continue;
        }
        // exact penalty: above the sum of the multipliers
        tact_real sum = 0;
        for (int i = 1; i < box->fixed; i++) sum += tact_fabs(box->multiplier[i]) * s->own->size[i];
        penalty = tact_max(penalty, 2 * sum / s->own->size[0]);
        // ratio of actual to predicted decrease
        tact_real before = merit_at(s, x, penalty, &violation), after = merit_at(s, box->point, penalty, &other);
        tact_real predicted = before;
        for (int j = 0; j < box->ncolumn; j++) predicted -= box->cost[j] * box->point[j] / s->own->size[0];
        predicted -= s->work->problem->objective.constant / s->own->size[0];
        if (!(predicted > TACT_REAL(1e-12))) return;
        tact_real ratio = (before - after) / predicted;
        // accepted; the radius follows the ratio
        if (ratio > TACT_REAL(0.1) || restore)
            for (int i = 0; i < box->n; i++) x[i] = box->point[i];
        restore = false;
        radius = ratio > TACT_REAL(0.7) ? tact_min(2 * radius, 1) : ratio > TACT_REAL(0.1) ? radius : radius / 4;
    }
}

// Local search from x; keeps the minimum if it is feasible and below `most`.
static bool seek_point(spatial *s, const tact_real *x, tact_real radius, tact_real most) {
    TACT_ASSERT(x);
    tact_qcqp_work *work = s->work;
    int n = work->problem->n;
    // linear programs find a vertex, sequential quadratic programming a minimum near it
    for (int i = 0; i < n; i++) work->x[i] = x[i];
    descend_linearly(s, radius, work->x);
    tact_qcqp_take_nearer_sides(work);
    work->most_nodes = work->nodes + 200;
    // judged below by the definition
    tact_qcqp_descend(work, s->options->tolerance);
    tact_qcqp_snap(work, work->x);
    // kept only if it is feasible by the definition and better than required
    if (!tact_all_finite(work->x, n)) return false;
    if (work->found && tact_quadratic_value(&work->problem->objective, work->x) >= most) return false;
    if (tact_qcqp_violation(work->problem, work->x) > TACT_QCQP_FEASIBLE * s->options->tolerance) return false;
    tact_qcqp_keep_better(work);
    s->better = true;
    set_cutoff(s);
    return true;
}

// Sum over the variables of the extent of the box, relative to the first one; 2 where it is unbounded.
static tact_real total_width(const spatial *s) {
    tact_real sum = 0;
    for (int i = 0; i < s->box->n; i++)
        if (s->width[i] > 0) sum += tact_box_is_bounded(s->box, i) ? (s->box->high[i] - s->box->low[i]) / s->width[i] : 2;
    return sum;
}

// Notes the bounds that a point of the relaxation attains to one hundredth: a program cannot improve them (Gleixner 2017).
static void note_reached(spatial *s) {
    const tact_box *box = s->box;
    for (int i = 0; i < box->n; i++) {
        tact_real width = box->high[i] - box->low[i];
        if (box->point[i] <= box->low[i] + width / 100) s->own->reached[2 * i] = true;
        if (box->point[i] >= box->high[i] - width / 100) s->own->reached[2 * i + 1] = true;
    }
}

// Whether variable i occurs in a product.
static bool is_in_product(const tact_box *box, int i) {
    for (int j = 0; j < box->n; j++)
        if (box->product[i * box->n + j] >= 0) return true;
    return false;
}

// Optimality-based bound tightening; below the root only for unknowns in products. CLOSED: infeasible.
static box_end tighten_by_programs(spatial *s, bool solved) {
    tact_box *box = s->box;
    // min and max of x_i over the relaxation
    for (int k = 0; k < 2 * box->n; k++) s->own->reached[k] = false;
    if (solved) note_reached(s);
    for (int k = 0; k < 2 * box->n; k++) {
        int i = k / 2;
        tact_real sign = k % 2 ? -1 : 1, width = box->high[i] - box->low[i];
        // bounds that a point attains cannot be improved
        if (s->own->reached[k] || (solved && !is_in_product(box, i))) continue;
        if (!tact_box_is_bounded(box, i) || !(width > TACT_REAL(1e-9) * s->width[i])) continue;
        for (int j = 0; j < box->ncolumn; j++) box->cost[j] = 0;
        box->cost[i] = sign;
        if (tact_box_solve(box, s->work->found) == TACT_BOX_EMPTY) {
            if (is_proven_empty(box)) return BOX_CLOSED;
            continue;
        }
        note_reached(s);
        // the bound by the multipliers is safe; the program's own value need not be
        tact_real least = tact_box_bound(box, 0);
        if (sign > 0 && least > box->high[i]) return BOX_CLOSED;
        if (sign < 0 && -least < box->low[i]) return BOX_CLOSED;
        if (sign > 0) box->low[i] = tact_max(box->low[i], least);
        if (sign < 0) box->high[i] = tact_min(box->high[i], -least);
        if (!tact_box_tighten(box, s->work->found, 0)) return BOX_CLOSED;
        if (!tact_box_close(box)) return BOX_LOST;
    }
    return BOX_OPEN;
}

// Relaxation of the present box, with bounds tightened while that helps; the objective's program is the last.
static box_end relax(spatial *s) {
    TACT_ASSERT(s->box);
    tact_box *box = s->box;
    tact_real before = total_width(s);
    for (int round = 0;; round++) {
        // tighten, relax, solve; again while the box shrinks by a tenth
        if (!tact_box_tighten(box, s->work->found, 3)) return BOX_CLOSED;
        if (!tact_box_close(box)) return BOX_LOST;
        tact_box_envelope(box);
        cost_objective(box);
        tact_box_end end = tact_box_solve(box, s->work->found);
        if (end == TACT_BOX_EMPTY) return is_proven_empty(box) ? BOX_CLOSED : BOX_OPEN;
        tact_real bound = tact_box_bound(box, s->work->problem->objective.constant);
        s->bound = tact_max(s->bound, bound);
        // no better point in this box
        if (s->work->found && s->bound >= s->cutoff) return BOX_CLOSED;
        if (s->work->found) {
            // reduced costs: if the Lagrangian rises with an unknown at the rate d, the unknown is within (cutoff - bound)/d of
            // its bound
            for (int j = 0; j < box->n; j++) {
                // reduced cost, minus its own rounding
                tact_real d = tact_fabs(box->slope[j]) - 2 * TACT_EPS * (tact_real)box->added[j] * box->terms[j];
                if (!(d > 0)) continue;
                // distance at which the bound reaches the cutoff, widened by rounding
                tact_real room = (s->cutoff - bound) / d;
                room += 16 * TACT_EPS * (room + (tact_fabs(s->cutoff) + tact_fabs(bound)) / d);
                if (!(room < box->high[j] - box->low[j])) continue;
                if (box->slope[j] > 0)
                    box->high[j] = tact_min(box->high[j], box->low[j] + room + 4 * TACT_EPS * tact_fabs(box->low[j]));
                if (box->slope[j] < 0)
                    box->low[j] = tact_max(box->low[j], box->high[j] - room - 4 * TACT_EPS * tact_fabs(box->high[j]));
            }
        }
        tact_real after = total_width(s);
        if (round == BOX_ROUNDS || (round > 0 && !(after < TACT_REAL(0.9) * before))) return BOX_OPEN;
        before = after;
        box_end tightened = round == 0 ? tighten_by_programs(s, true) : BOX_OPEN;
        if (tightened != BOX_OPEN) return tightened;
    }
}

// Unknown to branch on; -1: none, the box is a point in all relevant unknowns.
static int choose_unknown(spatial *s) {
    tact_box *box = s->box;
    tact_real *score = s->work->s, most = 0;
    int chosen = -1;
    // weight of a product: its cost and the multipliers of its rows
    for (int j = 0; j < box->ncolumn; j++) box->terms[j] = tact_fabs(box->cost[j]);
    for (int i = 1; i < box->fixed; i++)
        for (int k = box->row[i].first; k < box->row[i].first + box->row[i].count; k++)
            box->terms[box->column[k]] += tact_fabs(box->multiplier[i] * box->value[k]);
    for (int i = 0; i < box->n; i++) score[i] = 0;
    // the error |w_ij - x_i x_j| with that weight, for both unknowns
    for (int k = 0; k < box->nproduct; k++) {
        int i = box->left[k], j = box->right[k];
        tact_real miss = tact_fabs(box->point[box->n + k] - box->point[i] * box->point[j]) * box->terms[box->n + k];
        score[i] += miss;
        if (i != j) score[j] += miss;
    }
    // first pass: by the errors; second: by the width alone
    for (int pass = 0; pass < 2 && chosen < 0; pass++)
        for (int k = 0; k < 2 * box->nproduct; k++) {
            int i = k % 2 ? box->right[k / 2] : box->left[k / 2];
            tact_real width = box->high[i] - box->low[i], extent = tact_max(tact_fabs(box->low[i]), tact_fabs(box->high[i]));
            if (!(width > 64 * TACT_EPS * extent) || !(s->width[i] > 0)) continue;
            // without an error the widest
            tact_real share = tact_box_is_bounded(box, i) ? width / s->width[i] : 1;
            tact_real value = (pass == 0 ? score[i] : 1) * share;
            if (value <= most) continue;
            most = value;
            chosen = i;
        }
    return chosen;
}

// Where to split: the unknown's value in the relaxation, moved towards the middle of its range.
static tact_real choose_cut(const spatial *s, int i) {
    TACT_ASSERT(0 <= i && i < s->box->n);
    const tact_box *box = s->box;
    tact_real low = box->low[i], high = box->high[i], width = high - low, best = s->work->found ? s->work->best[i] : low;
    // without a bound at the estimated range of the unknown, then at twice the last distance
    if (low == -TACT_MAX && high == TACT_MAX) return 0;
    if (high == TACT_MAX) return low + tact_max(s->width[i], tact_fabs(low));
    if (low == -TACT_MAX) return high - tact_max(s->width[i], tact_fabs(high));
    // at the best known point, where the relaxations of both halves are then exact
    if (best > low + width / 10 && best < high - width / 10) return best;
    tact_real cut = TACT_REAL(0.7) * box->point[i] + TACT_REAL(0.3) * (low + width / 2);
    return tact_clamp(cut, low + TACT_REAL(0.2) * width, high - TACT_REAL(0.2) * width);
}

// Makes box number `at` of the list the box at hand.
static void load_box(spatial *s, const tact_spatial_work *own, int at) {
    TACT_ASSERT(at >= 0 && at <= own->depth);
    size_t n = (size_t)s->box->n, from = n * (size_t)at;
    for (size_t i = 0; i < n; i++) {
        s->box->low[i] = own->low[from + i];
        s->box->high[i] = own->high[from + i];
    }
    s->bound = own->bound[at];
    tact_box_open(s->box);
}

// Keeps the box at hand as number `at` of the list.
static void store_box(const spatial *s, tact_spatial_work *own, int at) {
    TACT_ASSERT(at >= 0 && at <= own->depth);
    size_t n = (size_t)s->box->n, from = n * (size_t)at;
    for (size_t i = 0; i < n; i++) {
        own->low[from + i] = s->box->low[i];
        own->high[from + i] = s->box->high[i];
    }
    own->bound[at] = s->bound;
}

// Estimated range of an unknown without bounds: its products over their other factors.
static tact_real guess_width(const spatial *s, int i) {
    const tact_box *box = s->box;
    tact_real width = 0;
    for (int k = 0; k < box->nproduct; k++) {
        int j = box->left[k] == i ? box->right[k] : box->left[k], w = box->n + k;
        if ((box->left[k] != i && box->right[k] != i) || !tact_box_is_bounded(box, j)) continue;
        tact_real most = tact_max(tact_fabs(box->low[j]), tact_fabs(box->high[j]));
        if (most > 0) width = tact_max(width, tact_max(tact_fabs(box->low[w]), tact_fabs(box->high[w])) / most);
    }
    return width > 0 ? width : 1;
}

// Tightens the root's bounds by the rows, then by linear programs while they help.
static box_end tighten_root(spatial *s) {
    tact_box *box = s->box;
    // bounds by the rows alone, then with the cutoff
    if (!tact_box_tighten(box, false, 30)) return BOX_CLOSED;
    if (s->work->found && !tact_box_tighten(box, true, 30)) return BOX_CLOSED;
    if (!tact_box_close(box)) return BOX_LOST;
    // terms of objective and constraints over the root box: the scale of violations and gaps
    for (int i = 0; i < box->fixed; i++) {
        s->own->size[i] = tact_fabs(i == 0 ? s->work->problem->objective.constant : box->row[i].constant);
        for (int k = box->row[i].first; k < box->row[i].first + box->row[i].count; k++) {
            int j = box->column[k];
            s->own->size[i] += box->size[k] * tact_max(tact_fabs(box->low[j]), tact_fabs(box->high[j]));
        }
    }
    s->extent = s->own->size[0];
    if (s->own->size[0] == 0) s->own->size[0] = 1;
    for (int i = 0; i < box->n; i++) s->width[i] = tact_box_is_bounded(box, i) ? box->high[i] - box->low[i] : guess_width(s, i);
    set_cutoff(s);
    // rounds of linear programs while the box shrinks by a twentieth
    for (int round = 0; round < ROOT_ROUNDS; round++) {
        tact_real before = total_width(s);
        tact_box_envelope(box);
        box_end end = tighten_by_programs(s, false);
        if (end != BOX_OPEN) return end;
        if (!tact_box_tighten(box, s->work->found, 10)) return BOX_CLOSED;
        if (!tact_box_close(box)) return BOX_LOST;
        if (!(total_width(s) < TACT_REAL(0.95) * before)) break;
    }
    // the root box and its widths are kept for the search
    for (int i = 0; i < box->n; i++) {
        s->own->root_low[i] = box->low[i];
        s->own->root_high[i] = box->high[i];
    }
    return BOX_OPEN;
}

// Processes boxes of the stack until none is left or a limit is reached; false: boxes are left, or were given up.
static bool search_boxes(spatial *s, tact_spatial_work *own) {
    int count = 1;
    tact_box *box = s->box;
    bool complete = true;
    store_box(s, own, 0);
    // depth-first: the last box stored is next, which keeps the stack short
    while (count > 0) {
        tact_real work = (tact_real)box->pivots * (tact_real)(box->ncolumn * box->ncolumn + box->nentry);
        if (s->nodes >= s->options->max_nodes || work > MOST_WORK) break;
        load_box(s, own, --count);
        s->nodes++;
        if (s->work->found && s->bound >= s->cutoff) continue;
        box_end end = relax(s);
        if (end == BOX_CLOSED) continue;
        // local search from the relaxation's point, at powers of 2 and every 64th box: a better value prunes more boxes
        if (end == BOX_OPEN && ((s->nodes & (s->nodes - 1)) == 0 || s->nodes % 64 == 0)) {
            store_box(s, own, count);
            seek_point(s, box->point, TACT_REAL(0.5), s->cutoff);
            load_box(s, own, count);
            end = relax(s);
        }
        if (end == BOX_CLOSED || (s->work->found && s->bound >= s->cutoff)) continue;
        // nothing to split, or no room: given up, with its lower bound in the proven one
        int i = end == BOX_OPEN ? choose_unknown(s) : -1;
        if (i < 0 || count + 2 > own->depth) {
            complete = false;
            s->least = tact_min(s->least, s->bound);
            continue;
        }
        // the half with the relaxation's point comes first
        tact_real low = box->low[i], high = box->high[i], cut = choose_cut(s, i);
        bool right = box->point[i] > cut;
        for (int half = 0; half < 2; half++) {
            bool upper = (half == 0) != right;
            box->low[i] = upper ? cut : low;
            box->high[i] = upper ? high : cut;
            store_box(s, own, count++);
        }
    }
    for (int k = 0; k < count; k++) s->least = tact_min(s->least, own->bound[k]);
    return complete && count == 0;
}

tact_spatial_end tact_qcqp_spatial(tact_qcqp_work *work, tact_spatial_work *own, const tact_qcqp_options *options,
                                   tact_real *bound) {
    TACT_ASSERT(work && own && options && bound);
    spatial s = {.work = work,
                 .box = &own->box,
                 .own = own,
                 .options = options,
                 .width = own->width,
                 .cutoff = TACT_MAX,
                 .bound = -TACT_MAX};
    *bound = -TACT_MAX;
    s.least = TACT_MAX;
    if (!own->fits) return TACT_SPATIAL_NONE;
    tact_box_load(s.box, work->problem);
    bool known = work->found;
    // a point that violates the constraints gives no upper bound
    if (known && tact_qcqp_violation(work->problem, work->best) > TACT_QCQP_FEASIBLE * options->tolerance) work->found = false;
    set_cutoff(&s);
    box_end root = tighten_root(&s);
    bool complete = root == BOX_CLOSED || (root == BOX_OPEN && search_boxes(&s, own));
    work->nodes += s.nodes;
    // complete without a point: infeasible; otherwise the least bound of the boxes given up is proven
    bool none = complete && !work->found;
    tact_real proven = tact_min(s.least, s.cutoff);
    if (root == BOX_OPEN) {
        // polish the best point found here by local search
        for (int k = 0; k < POLISHES && s.better && s.work->found; k++)
            if (!seek_point(&s, s.work->best, TACT_REAL(1e-3), s.work->best_value)) break;
    }
    if (work->found) *bound = proven;
    if (root == BOX_LOST) *bound = -TACT_MAX;
    if (!work->found) work->found = known && !none;
    return none               ? TACT_SPATIAL_EMPTY
           : complete         ? TACT_SPATIAL_COMPLETE
           : root == BOX_LOST ? TACT_SPATIAL_NONE
                              : TACT_SPATIAL_OPEN;
}
