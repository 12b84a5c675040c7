// SPDX-License-Identifier: MIT
// peer: pkg-config fcl ccd (libfcl-dev, libccd-dev)
// judge_distance [PAIRS [SEED [SHAPE...]]]: gaps of random pairs of every two shapes beside FCL's and libccd's, and, where they
// differ, who is wrong. The third opinion shares no code with any of them. For a unit normal n let s(n) be the gap between the
// two planes across n that touch the shapes, computed in long double from the shapes' support functions. No gap is less than
// s(n); apart, none is more than the distance of two points of the shapes. So a gap is proven where it agrees with both; of an
// overlap the gap is the largest s(n), which is also sought by ascent from the peers' normals and from random ones.
#include <ccd/ccd.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

extern "C" {
#include "scene/hull.h"
#include "tact/geom.h"
}

using real = long double;
using Vector = Eigen::Matrix<real, 3, 1>;
using Matrix = Eigen::Matrix<real, 3, 3>;

static const tact_shape_type types[] = {TACT_SHAPE_SPHERE,    TACT_SHAPE_CAPSULE, TACT_SHAPE_BOX,  TACT_SHAPE_CYLINDER,
                                        TACT_SHAPE_ELLIPSOID, TACT_SHAPE_HULL,    TACT_SHAPE_PLANE};
static const char *const names[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid", "hull", "plane"};
static const int TYPES = 7, VERTICES = 12, STARTS = 30, ROUNDS = 60;

// What Tact promises [m], of shapes of half a metre: of most pairs; of overlaps of cylinders and ellipsoids; of those with
// parallel axes; of features that are parallel but for a turn of 1e-7, where what a gap changes over a face is more than it is
// exact to.
static const double EXACT = 1e-9, ROUND = 1e-6, ALIGNED = 3e-4, NEARLY = 1e-7;

// How two shapes lie: at random, with the same orientation, with the same but for 1e-7, or one along the axis of the other.
enum Kind { RANDOM, PARALLEL, TURNED, COAXIAL };

static std::mt19937_64 generator;

static double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
}

static Vector draw_direction() {
    std::normal_distribution<double> normal;
    return Vector(normal(generator), normal(generator), normal(generator)).normalized();
}

struct Body {
    tact_shape shape{};
    tact_hull hull{};
    tact_hull_parts parts;
    tact_pose pose{};
    Matrix R;
    Vector p;
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
};

static Vector vector_of(tact_vec3 v) {
    return Vector(v.x, v.y, v.z);
}

static void draw_shape(Body &body, tact_shape_type type) {
    body.shape.type = type;
    tact_real *size = body.shape.size;
    for (int k = 0; k < 3; k++) size[k] = uniform(0.05, 0.5);
    switch (type) {
    case TACT_SHAPE_SPHERE: body.geometry = std::make_shared<fcl::Sphered>(size[0]); break;
    case TACT_SHAPE_CAPSULE: body.geometry = std::make_shared<fcl::Capsuled>(size[0], 2 * size[1]); break;
    case TACT_SHAPE_BOX:
        size[3] = 0;
        body.geometry = std::make_shared<fcl::Boxd>(2 * size[0], 2 * size[1], 2 * size[2]);
        break;
    case TACT_SHAPE_CYLINDER: body.geometry = std::make_shared<fcl::Cylinderd>(size[0], 2 * size[1]); break;
    case TACT_SHAPE_ELLIPSOID: body.geometry = std::make_shared<fcl::Ellipsoidd>(size[0], size[1], size[2]); break;
    case TACT_SHAPE_PLANE: body.geometry = std::make_shared<fcl::Halfspaced>(fcl::Vector3d::UnitZ(), 0); break;
    default: {
        tact_vec3 point[VERTICES];
        do
            for (tact_vec3 &x : point) x = {uniform(-0.5, 0.5), uniform(-0.5, 0.5), uniform(-0.5, 0.5)};
        while (tact_hull_build(point, VERTICES, &body.parts));
        tact_hull_parts &parts = body.parts;
        body.hull = {parts.nvertex, parts.nface, parts.nedge, parts.vertex, parts.face, parts.corner, parts.edge};
        body.shape.hull = &body.hull;
        size[0] = 0;
        auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
        auto faces = std::make_shared<std::vector<int>>();
        for (int i = 0; i < parts.nvertex; i++) vertices->emplace_back(parts.vertex[i].x, parts.vertex[i].y, parts.vertex[i].z);
        for (int i = 0; i < parts.nface; i++) {
            faces->push_back(parts.face[i].count);
            for (int k = 0; k < parts.face[i].count; k++) faces->push_back(parts.corner[parts.face[i].first + k]);
        }
        body.geometry = std::make_shared<fcl::Convexd>(vertices, parts.nface, faces);
    }
    }
}

static void place(Body &body, const Eigen::Quaterniond &turn, const Vector &p) {
    Eigen::Matrix3d R = turn.toRotationMatrix();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) body.pose.R.m[i][j] = R(i, j);
    body.pose.p = {(double)p[0], (double)p[1], (double)p[2]};
    body.R = R.cast<real>();
    body.p = vector_of(body.pose.p);
}

// the point of the shape that lies furthest along n, in its own frame; a half-space has one only along its normal
static Vector support_local(const Body &body, const Vector &n) {
    const tact_real *size = body.shape.size;
    real across = std::hypot(n[0], n[1]);
    Vector ball = n / n.norm(), disc = across > 0 ? Vector(n[0] / across, n[1] / across, 0) : Vector(0, 0, 0);
    Vector up(0, 0, n[2] < 0 ? -1 : 1);
    switch (body.shape.type) {
    case TACT_SHAPE_SPHERE: return size[0] * ball;
    case TACT_SHAPE_CAPSULE: return size[0] * ball + size[1] * up;
    case TACT_SHAPE_BOX:
        return Vector(std::copysign((real)size[0], n[0]), std::copysign((real)size[1], n[1]), std::copysign((real)size[2], n[2]));
    case TACT_SHAPE_CYLINDER: return size[0] * disc + size[1] * up;
    case TACT_SHAPE_ELLIPSOID: {
        Vector scaled(size[0] * n[0], size[1] * n[1], size[2] * n[2]);
        scaled.normalize();
        return Vector(size[0] * scaled[0], size[1] * scaled[1], size[2] * scaled[2]);
    }
    case TACT_SHAPE_HULL: {
        int best = 0;
        for (int i = 1; i < body.parts.nvertex; i++)
            if (vector_of(body.parts.vertex[i]).dot(n) > vector_of(body.parts.vertex[best]).dot(n)) best = i;
        return vector_of(body.parts.vertex[best]);
    }
    default: return Vector(0, 0, 0);
    }
}

static Vector support(const Body &body, const Vector &n) {
    return body.R * support_local(body, body.R.transpose() * n) + body.p;
}

// s(n), from a to b; beside a half-space only its normal has one
static real separation(const Body &a, const Body &b, Vector n) {
    if (a.shape.type == TACT_SHAPE_PLANE) n = a.R.col(2).normalized();
    if (b.shape.type == TACT_SHAPE_PLANE) n = -b.R.col(2).normalized();
    return n.dot(support(b, -n)) - n.dot(support(a, n));
}

// how far a point lies outside, at most: a bound on the shape's distance function that is exact on the surface to first order
static real outside(const Body &body, const Vector &x) {
    Vector y = body.R.transpose() * (x - body.p);
    const tact_real *size = body.shape.size;
    real across = std::hypot(y[0], y[1]), most = -HUGE_VALL;
    switch (body.shape.type) {
    case TACT_SHAPE_SPHERE: return y.norm() - size[0];
    case TACT_SHAPE_CAPSULE: return std::hypot(across, std::fmax(std::fabs(y[2]) - size[1], 0.0L)) - size[0];
    case TACT_SHAPE_BOX:
        for (int k = 0; k < 3; k++) most = std::fmax(most, std::fabs(y[k]) - size[k]);
        return most;
    case TACT_SHAPE_CYLINDER: return std::fmax(across - size[0], std::fabs(y[2]) - size[1]);
    case TACT_SHAPE_ELLIPSOID: {
        Vector in(y[0] / size[0], y[1] / size[1], y[2] / size[2]), slope(in[0] / size[0], in[1] / size[1], in[2] / size[2]);
        return (in.norm() - 1) * in.norm() / slope.norm();
    }
    case TACT_SHAPE_HULL:
        for (int i = 0; i < body.parts.nface; i++)
            most = std::fmax(most, vector_of(body.parts.face[i].normal).dot(y) - body.parts.face[i].offset);
        return most;
    default: return y[2];
    }
}

// the largest s(n) that a search from n by smaller and smaller turns finds
static real ascend(const Body &a, const Body &b, Vector n, real step) {
    real best = separation(a, b, n);
    for (int round = 0; round < ROUNDS && step > 1e-9L; round++) {
        Vector u = n.unitOrthogonal(), w = n.cross(u), from = n;
        real before = best;
        for (int k = 0; k < 6; k++) {
            Vector to =
                (from + step * (std::cos(k * 1.0471976L + round * 0.7L) * u + std::sin(k * 1.0471976L + round * 0.7L) * w))
                    .normalized();
            real value = separation(a, b, to);
            if (value > best) best = value, n = to;
        }
        step *= best > before + 1e-3L * step ? 1.5L : 0.5L;
    }
    return best;
}

// of an overlap, the largest s(n) that is found from a normal, from those that peers name, and from random ones
static real find_best(const Body &a, const Body &b, const Vector &normal, const std::vector<Vector> &named) {
    Vector first = normal, second = normal;
    real at_first = -HUGE_VALL, at_second = -HUGE_VALL;
    for (const Vector &n : named) {
        real value = separation(a, b, n);
        if (value > at_first) at_first = value, first = n;
    }
    for (int k = 0; k < STARTS; k++) {
        Vector n = draw_direction();
        real value = separation(a, b, n);
        if (value > at_second) at_second = value, second = n;
    }
    return std::fmax(ascend(a, b, normal, 1e-3L), std::fmax(ascend(a, b, first, 0.05L), ascend(a, b, second, 0.3L)));
}

// What a peer says of a pair: its gap, and the direction that it names, if any.
struct Said {
    double gap = NAN;
    Vector normal = Vector(0, 0, 0);
};

static fcl::Transform3d transform_of(const Body &body) {
    fcl::Transform3d to = fcl::Transform3d::Identity();
    to.linear() = body.R.cast<double>();
    to.translation() = body.p.cast<double>();
    return to;
}

// Apart by its distance, which knows no half-spaces; an overlap by its contact, because its signed distance aborts at times.
static Said ask_fcl(const Body &a, const Body &b, bool overlap) {
    Said said;
    fcl::CollisionObjectd first(a.geometry, transform_of(a)), second(b.geometry, transform_of(b));
    bool plane = a.shape.type == TACT_SHAPE_PLANE || b.shape.type == TACT_SHAPE_PLANE;
    try {
        if (overlap) {
            fcl::CollisionRequestd request(1, true);
            fcl::CollisionResultd result;
            fcl::collide(&first, &second, request, result);
            if (!result.isCollision()) return said;
            said.gap = -result.getContact(0).penetration_depth;
            said.normal = result.getContact(0).normal.cast<real>();
            return said;
        }
        if (plane) return said;
        fcl::DistanceRequestd request(true, false, 0, 0, 1e-12, fcl::GST_LIBCCD);
        fcl::DistanceResultd result;
        fcl::distance(&first, &second, request, result);
        said.gap = result.min_distance;
        said.normal = (result.nearest_points[1] - result.nearest_points[0]).cast<real>();
    } catch (const std::exception &) {
        said.gap = NAN;
    }
    return said;
}

static void support_ccd(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out) {
    Vector x = support(*(const Body *)object, Vector(direction->v[0], direction->v[1], direction->v[2]));
    ccdVec3Set(out, (double)x[0], (double)x[1], (double)x[2]);
}

// libccd has no distances of shapes that are apart, and no half-spaces
static Said ask_ccd(const Body &a, const Body &b) {
    Said said;
    if (a.shape.type == TACT_SHAPE_PLANE || b.shape.type == TACT_SHAPE_PLANE) return said;
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support_ccd;
    ccd.max_iterations = 200;
    // of curved shapes it makes polytopes, whose faces it searches one by one
    bool polytopes = (a.shape.type == TACT_SHAPE_BOX || a.shape.type == TACT_SHAPE_HULL) &&
                     (b.shape.type == TACT_SHAPE_BOX || b.shape.type == TACT_SHAPE_HULL);
    ccd.epa_tolerance = polytopes ? 1e-10 : 1e-6;
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    if (ccdGJKPenetration(&a, &b, &ccd, &depth, &direction, &position) != 0) return said;
    said.gap = -depth;
    said.normal = Vector(direction.v[0], direction.v[1], direction.v[2]);
    return said;
}

// Differences from one peer, in pairs that are apart or overlap.
struct Tally {
    long asked = 0, silent = 0, beyond = 0;
    double worst = 0;
    const char *wrong = "";

    void add(const Said &said, double gap, double proven, bool tact_wrong) {
        asked++;
        if (!std::isfinite(said.gap)) {
            silent++;
            return;
        }
        double off = std::fabs(said.gap - gap);
        beyond += off > EXACT;
        if (off <= worst) return;
        worst = off;
        double peer = std::fabs(said.gap - proven);
        bool nearer = tact_wrong && peer < std::fabs(gap - proven);
        wrong = off <= EXACT ? "" : nearer ? "Tact" : peer > EXACT ? "peer" : "open";
    }
    void print() const {
        if (asked == silent)
            printf(" |       -      -      -");
        else
            printf(" | %7.0e %5.1f%% %6s", worst, 100.0 * (double)beyond / (double)(asked - silent), wrong);
    }
};

struct Row {
    Tally apart, overlap, ccd;
    long napart = 0, noverlap = 0, wrong = 0;
    double normal = 0, unproven = 0, deep = 0,
           deep_aligned = 0;  // gap less s(normal); apart: between the bounds; overlap: by which a better normal was found
};

static bool is_round(const Body &body) {
    return body.shape.type == TACT_SHAPE_CYLINDER || body.shape.type == TACT_SHAPE_ELLIPSOID;
}

static void print_pair(const Body &a, const Body &b, double gap, double wanted) {
    printf("Tact is wrong: gap %.17g, at least %.17g\n", gap, wanted);
    for (const Body *body : {&a, &b}) {
        printf("  type %d size %.17g %.17g %.17g at %.17g %.17g %.17g, rows", (int)body->shape.type, body->shape.size[0],
               body->shape.size[1], body->shape.size[2], body->pose.p.x, body->pose.p.y, body->pose.p.z);
        for (int i = 0; i < 9; i++) printf(" %.17g", body->pose.R.m[i / 3][i % 3]);
        printf("\n");
        for (int i = 0; body->shape.hull && i < body->parts.nvertex; i++)
            printf("    vertex %.17g %.17g %.17g\n", body->parts.vertex[i].x, body->parts.vertex[i].y, body->parts.vertex[i].z);
    }
}

// Places b beside a: apart along a random direction, or into a by up to all of what both extend along it. One in ten is nearly
// degenerate.
static Kind draw_poses(Body &a, Body &b) {
    Eigen::Quaterniond turn = Eigen::Quaterniond::UnitRandom(), other = Eigen::Quaterniond::UnitRandom();
    Kind kind = uniform(0, 1) < 0.1 ? (Kind)(int)uniform(1, 4) : RANDOM;
    if (kind != RANDOM) other = turn;
    if (kind == TURNED) other = turn * Eigen::Quaterniond(Eigen::AngleAxisd(1e-7, draw_direction().cast<double>()));
    place(a, turn, Vector(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)));
    place(b, other, a.p);
    // of a half-space along its normal
    Vector along = b.shape.type == TACT_SHAPE_PLANE ? Vector(-b.R.col(2))
                   : kind == COAXIAL                ? Vector(a.R.col(2))
                                                    : draw_direction();
    real extent = -separation(a, b, along);
    place(b, other, a.p + (uniform(0, 1) < 0.5 ? extent + uniform(0, 0.5) : extent * uniform(0.05, 1)) * along);
    return kind;
}

static void judge(Row &row, const Body &a, const Body &b, Kind kind) {
    tact_pair_distance tact;
    if (!tact_shape_pair_distance(&a.shape, &a.pose, &b.shape, &b.pose, &tact)) abort();
    Vector normal = vector_of(tact.normal).normalized();
    real least = separation(a, b, normal);
    row.normal = std::fmax(row.normal, (double)(tact.gap - least));
    // a normal that is off by 1e-7 proves a gap to 1e-8 only
    if (tact.gap - least > EXACT / 10) least = ascend(a, b, normal, 1e-6L);
    Said fcl = ask_fcl(a, b, !(tact.gap > 0));
    if (tact.gap > 0) {
        row.napart++;
        Vector pa = vector_of(tact.point_a), pb = vector_of(tact.point_b);
        real spread = std::fmax(std::fmax(outside(a, pa), outside(b, pb)), 0.0L);
        double off = (double)std::fmax(tact.gap - least, (pb - pa).norm() + spread - tact.gap);
        row.unproven = std::fmax(row.unproven, off);
        bool wrong = !(off <= (kind == TURNED ? NEARLY : EXACT));
        if (wrong && row.wrong++ == 0) print_pair(a, b, tact.gap, (double)least);
        row.apart.add(fcl, tact.gap, tact.gap, off > EXACT);
        return;
    }
    row.noverlap++;
    Said ccd = ask_ccd(a, b);
    std::vector<Vector> named;
    for (const Said *said : {&fcl, &ccd})
        if (std::isfinite(said->gap) && said->normal.norm() > 0)
            for (int sign : {1, -1}) named.push_back(sign * said->normal.normalized());
    real best = std::fmax(least, find_best(a, b, normal, named));
    double deep = (double)(best - tact.gap);
    double bound = kind == TURNED ? NEARLY : EXACT;
    if (is_round(a) || is_round(b)) bound = kind == RANDOM ? ROUND : ALIGNED;
    double &most = kind == RANDOM ? row.deep : row.deep_aligned;
    most = std::fmax(most, deep);
    // no normal must give a larger gap, and some normal that gap
    bool wrong = !(deep <= bound) || !(-deep <= (kind == TURNED ? NEARLY : EXACT));
    if (wrong && row.wrong++ == 0) print_pair(a, b, tact.gap, (double)best);
    row.overlap.add(fcl, tact.gap, (double)best, deep > EXACT);
    row.ccd.add(ccd, tact.gap, (double)best, deep > EXACT);
}

int main(int count, char **arguments) {
    long pairs = count > 1 ? atol(arguments[1]) : 2000, wrong = 0;
    unsigned long long seed = count > 2 ? strtoull(arguments[2], nullptr, 10) : (unsigned long long)time(nullptr);
    printf("distances of %ld pairs each, seed %llu [m]; differences from FCL and libccd: largest, share beyond 1e-9, who is "
           "wrong in the worst\n",
           pairs, seed);
    printf("%-20s | FCL, apart             | FCL, overlapping       | libccd, overlapping    |  normal  proven | deeper (nearly "
           "degenerate)\n",
           "");
    for (int i = 0; i < TYPES; i++)
        for (int j = i; j < TYPES; j++) {
            bool asked = count < 4;
            for (int k = 3; k < count; k++) asked = asked || strcmp(arguments[k], names[i]) == 0;
            if (!asked || (types[i] == TACT_SHAPE_PLANE && types[j] == TACT_SHAPE_PLANE)) continue;
            Row row;
            // a row is the same whichever others are asked for; Eigen draws from rand
            generator.seed(seed + (unsigned long long)(100 * i + j));
            srand((unsigned)seed + (unsigned)(100 * i + j));
            for (long k = 0; k < pairs; k++) {
                Body a, b;
                draw_shape(a, types[i]);
                draw_shape(b, types[j]);
                Kind kind = draw_poses(a, b);
                judge(row, a, b, kind);
            }
            printf("%-9s %-10s", names[i], names[j]);
            row.apart.print();
            row.overlap.print();
            row.ccd.print();
            printf(" | %7.0e %7.0e | %7.0e (%7.0e)%s\n", row.normal, row.unproven, row.deep, row.deep_aligned,
                   row.wrong ? " WRONG" : "");
            fflush(stdout);
            wrong += row.wrong;
        }
    printf("judge: Tact is wrong in %ld pairs\n", wrong);
    return wrong > 0;
}
