// SPDX-License-Identifier: MIT
// Pictures: text that is safe in SVG, exact decimals, round steps, thinned curves, bodies where the model has them.
#include "test.h"

#include "tact/scene.h"
#include "tact/text.h"
#include "tact/trace.h"
#include "tact/view.h"

static void check_text(const char *given, const char *wanted) {
    tact_text out = {0};
    tact_svg_add_escaped(&out, given);
    CHECK(strcmp(out.bytes ? out.bytes : "", wanted) == 0);
    tact_text_free(&out);
}

static void test_escapes(void) {
    tact_text out = {0};
    check_text("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
    check_text("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    check_text("\xc3\xa4\xe2\x86\x92", "\xc3\xa4\xe2\x86\x92");
    // what XML forbids, what turns the direction of writing, what is no UTF-8, and U+FFFE
    check_text("a\x01"
               "b",
               "a\xef\xbf\xbd"
               "b");
    check_text("\xe2\x80\xae", "\xef\xbf\xbd");
    check_text("\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd");
    check_text("\xef\xbf\xbe", "\xef\xbf\xbd");
    tact_svg_add_short(&out,
                       "\xc3\xa4"
                       "bcdef",
                       3);
    CHECK(strcmp(out.bytes, "\xc3\xa4"
                            "bc\xe2\x80\xa6") == 0);
    tact_text_free(&out);
}

static void test_decimals(void) {
    CHECK(strcmp(tact_decimal_print(25, -3).text, "0.025") == 0);
    CHECK(strcmp(tact_decimal_print(-25, 1).text, "-250") == 0);
    CHECK(strcmp(tact_decimal_print(1230, -2).text, "12.3") == 0);
    CHECK(strcmp(tact_decimal_print(0, 12).text, "0") == 0);
    CHECK(strcmp(tact_decimal_print(3, -9).text, "3e-9") == 0);
    for (int exponent = -6; exponent <= 4; exponent++) {
        for (int digits = -1200; digits <= 1200; digits += 7) {
            double read = strtod(tact_decimal_print(digits, exponent).text, NULL);
            CHECK(fabs(read - digits * pow(10, exponent)) <= 1e-12 * fabs(read));
        }
    }
}

static void test_steps(void) {
    for (int k = -2000; k <= 2000; k++) {
        double least = pow(10, k * 0.01);
        tact_round_step step = tact_round_step_above(least);
        CHECK(step.value >= least * (1 - 1e-8) && step.value <= 2.5 * least * (1 + 1e-8));
        CHECK(step.digits == 1 || step.digits == 2 || step.digits == 5 || step.digits == 10);
        CHECK(fabs(step.value - step.digits * pow(10, step.exponent)) <= 1e-12 * step.value);
    }
}

// The height of a polyline "Mx,y x,y .." at x; NaN where it has none.
static double read_path(const char *path, double x) {
    double x0 = (double)NAN, y0 = x0;
    while (*path && *path != '"') {
        char *end;
        bool jump = *path == 'M';
        double x1 = strtod(path + jump, &end), y1 = strtod(end + 1, &end);
        if (!jump && x >= x0 && x <= x1) return x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1;
        x0 = x1;
        y0 = y1;
        for (path = end; *path == ' ';) path++;
    }
    return (double)NAN;
}

// A thinned curve passes within a pixel of every value, is interrupted where there is none, and is much shorter.
static void test_curves(void) {
    enum { N = 1000 };
    double t[N], y[N];
    for (int i = 0; i < N; i++) {
        t[i] = 0.01 * i;
        y[i] = i > 400 && i < 420 ? (double)NAN : sin(t[i]) + (i == 700 ? 3 : 0);
    }
    tact_curve curve = {.name = "a<b", .t = t, .y = y, .count = N, .stride = 1};
    tact_chart chart = {.width = 1000, .height = 500, .title = "", .curve = &curve, .ncurve = 1};
    tact_text out = {0};
    tact_chart_draw(&chart, &out);
    const char *path = strstr(out.bytes, " d=\"M") + 4, *end = strchr(path, '"');
    CHECK(end - path < 3000);
    double low = 1e9, high = -1e9, off = 0;
    for (int i = 0; i < N; i++) {
        if (y[i] < low) low = y[i];
        if (y[i] > high) high = y[i];
    }
    double air = 0.06 * (high - low);
    for (int i = 0; i < N; i++) {
        double at = read_path(path, 1000 * t[i] / t[N - 1]);
        double wanted = 500 * (high + air - y[i]) / (high - low + 2 * air);
        if (i > 400 && i < 420) CHECK(isnan(at));
        if (i > 700 - 2 && i < 700 + 2) continue;
        if (y[i] == y[i] && at == at && fabs(at - wanted) > off) off = fabs(at - wanted);
        if (i < 400 || i > 420) CHECK(at == at);
    }
    CHECK(off < 0.5);
    CHECK(fabs(read_path(path, 1000 * t[700] / t[N - 1]) - 500 * (high + air - y[700]) / (high - low + 2 * air)) < 0.6);
    CHECK(strstr(out.bytes, "a<b") == NULL && strstr(out.bytes, "a&lt;b") != NULL);
    tact_text_free(&out);
}

static void test_series(void) {
    tact_series series = {.columns = 2};
    for (int i = 0; i < 100000; i++) {
        double *row = tact_series_add(&series, i);
        if (row) row[1] = 2.0 * i;
    }
    CHECK(series.count > TACT_SERIES_ROWS / 2 && series.count <= TACT_SERIES_ROWS);
    double apart = series.t[1] - series.t[0];
    for (int i = 0; i < series.count; i++) {
        CHECK(series.t[i] == apart * i && series.cell[2 * i + 1] == 2 * series.t[i]);
        CHECK(isnan(series.cell[2 * i]));
    }
    tact_series_free(&series);
}

// The picture of a scene has all bodies, and its energy, where the model itself has them. limbs: how many, -1: not asked.
static void test_picture(const char *path, bool planar, int limbs) {
    char message[1280];
    tact_errors errors = {0};
    tact_text text = {0};
    tact_json json;
    tact_picture picture;
    tact_world *world = tact_world_open(path, message, sizeof message);
    CHECK(world != NULL);
    if (!world) return;
    for (int i = 0; i < 20; i++) tact_world_step(world);
    tact_trace_add_header(world->scene, &text);
    bool read = tact_json_read(&json, tact_text_source(&text, "trace"), &errors) && tact_picture_read(&picture, &json);
    CHECK(read && errors.errors == 0);
    if (read) {
        const tact_model *model = &world->scene->model;
        double kinetic = 0, potential = 0, height = 0;
        CHECK(picture.planar == planar);
        CHECK(limbs < 0 || picture.nlimb == limbs);
        tact_picture_move(&picture, world->state.q);
        tact_kinematics_update(&world->work.kinematics, model, world->state.q);
        for (int b = 0; b < model->nbody; b++) {
            tact_pose a = picture.kinematics.pose[b], c = world->work.kinematics.pose[b];
            CHECK(memcmp(&a, &c, sizeof a) == 0);
            tact_vec3 com = tact_pose_apply(c, model->body[b].com);
            height -= (double)(model->body[b].mass * tact_vec3_dot(world->scene->options.gravity, com));
        }
        tact_picture_energy(&picture, world->state.v, &kinetic, &potential);
        CHECK(fabs(potential - height) <= 1e-5 * fabs(height) && kinetic >= 0);
        tact_picture_free(&picture);
        tact_json_free(&json);
    }
    tact_text_free(&text);
    tact_world_close(world);
}

// A first line that does not fit together is refused, not drawn.
static void test_refused(void) {
    static const char *const lines[] = {
        "{}",
        "{\"joints\":1,\"shapes\":[],\"dofs\":[],\"coordinates\":[],\"bodies\":[]}",
        "{\"joints\":[],\"shapes\":[],\"dofs\":[],\"coordinates\":[],\"bodies\":[\"a\"]}",
        "{\"joints\":[{\"type\":\"prismatic\",\"parent\":\"world\",\"p\":[0,0,0],\"R\":[1,0,0,0,1,0,0,0,1],\"q\":7,\"v\":0}],"
        "\"shapes\":[],\"dofs\":[\"x\"],\"coordinates\":[\"x\"],\"bodies\":[\"a\"]}",
        "{\"joints\":[{\"type\":\"fixed\",\"parent\":\"b\",\"p\":[0,0,0],\"R\":[1,0,0,0,1,0,0,0,1]}],"
        "\"shapes\":[],\"dofs\":[],\"coordinates\":[],\"bodies\":[\"a\"]}",
        "{\"joints\":[{\"type\":\"fixed\",\"parent\":\"world\",\"p\":[0,0,0],\"R\":[1,0,0,0,1,0,0,0,1]}],"
        "\"shapes\":[{\"type\":\"cone\",\"body\":\"a\",\"size\":[],\"p\":[0,0,0],\"R\":[1,0,0,0,1,0,0,0,1]}],"
        "\"dofs\":[],\"coordinates\":[],\"bodies\":[\"a\"]}",
        "{\"joints\":[{\"type\":\"fixed\",\"parent\":\"world\",\"p\":[0,0,0],\"R\":[1,0,0,0,1,0,0,0,1]}],"
        "\"shapes\":[],\"dofs\":[\"x\"],\"coordinates\":[\"x\"],\"bodies\":[\"a\"]}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        tact_errors errors = {0};
        tact_json json;
        tact_picture picture;
        tact_source source = {.name = "trace", .bytes = lines[i], .size = strlen(lines[i]), .line = 1};
        bool parsed = tact_json_read(&json, source, &errors);
        CHECK(parsed);
        if (!parsed) continue;
        bool read = tact_picture_read(&picture, &json);
        CHECK(!read && errors.errors > 0);
        if (read) tact_picture_free(&picture);
        tact_json_free(&json);
    }
}

int main(void) {
    test_escapes();
    test_decimals();
    test_steps();
    test_curves();
    test_series();
    test_picture("data/scenes/hand_lift.json", false, -1);
    test_picture("data/scenes/two_fingers_disc.json", true, -1);
    test_picture("data/scenes/egg_cup.json", false, -1);
    test_picture("data/scenes/incline.json", false, -1);
    // crank, coupler, knuckle, distal, and the rocker, which bears nothing
    test_picture("data/scenes/four_bar.json", false, 5);
    test_refused();
    return test_end("view");
}
