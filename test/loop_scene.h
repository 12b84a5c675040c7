// SPDX-License-Identifier: MIT
// Loops and springs on joints of all kinds, in three dimensions: two free bodies, one of which hangs on the world, a chain with a
// joint that mimics another, a slide, and translations. The loops are soft and open at the start.
#ifndef TACT_TEST_LOOP_SCENE_H
#define TACT_TEST_LOOP_SCENE_H

// clang-format off
#define LOOP_BODY(name, parent) \
    "{\"name\":\"" name "\",\"parent\":\"" parent "\"," \
    "\"mass\":0.3,\"com\":[0.01,0.02,-0.01],\"inertia\":[3e-4,4e-4,5e-4,1e-5,2e-5,0]"

#define LOOP_SCENE \
    "\"options\":{\"kappa\":1e4,\"epsilon\":0.3},\"bodies\":[" \
    LOOP_BODY("a", "world") ",\"joint\":{\"name\":\"a\",\"type\":\"free\"}}," \
    LOOP_BODY("b", "world") ",\"joint\":{\"name\":\"b\",\"type\":\"free\",\"xyz\":[0.2,0,0]}}," \
    LOOP_BODY("c", "world") ",\"joint\":{\"name\":\"c\",\"type\":\"continuous\"," \
        "\"axis\":[0.6,0,0.8],\"xyz\":[0,0.2,0],\"rpy\":[0.3,0.1,0]}}," \
    LOOP_BODY("d", "c") ",\"joint\":{\"name\":\"d\",\"type\":\"prismatic\",\"axis\":[0,1,0],\"xyz\":[0.1,0,0]}}," \
    LOOP_BODY("e", "d") ",\"joint\":{\"name\":\"e\",\"type\":\"continuous\",\"axis\":[0,0.8,0.6],\"xyz\":[0,0.1,0.05]," \
        "\"mimic\":{\"joint\":\"c\",\"ratio\":-1.5,\"offset\":0.1}}}," \
    LOOP_BODY("f", "world") ",\"joint\":{\"name\":\"f\",\"type\":\"translation\",\"xyz\":[0,0,0.3]}}," \
    LOOP_BODY("g", "f") ",\"joint\":{\"name\":\"g\",\"type\":\"continuous\",\"axis\":[0,1,0]}}" \
    "],\"loops\":[" \
    "{\"a\":\"world\",\"b\":\"a\",\"at_a\":[0,0.01,0.05],\"at_b\":[0.01,0,0.04],\"stiffness\":300}," \
    "{\"a\":\"a\",\"b\":\"b\",\"at_a\":[0.1,0.02,0],\"at_b\":[-0.1,0,0.01],\"stiffness\":200}," \
    "{\"a\":\"b\",\"b\":\"e\",\"at_a\":[0.05,0.05,0],\"at_b\":[0.03,0,0.02],\"stiffness\":150}," \
    "{\"a\":\"c\",\"b\":\"e\",\"at_a\":[0.1,0.1,0.1],\"stiffness\":100}," \
    "{\"a\":\"e\",\"b\":\"g\",\"at_a\":[0,0,0.1],\"at_b\":[0.02,0.1,0],\"stiffness\":80}" \
    "],\"springs\":[" \
    "{\"joints\":{\"c\":1,\"g\":-2},\"stiffness\":3,\"damping\":0.1,\"rest\":0.2}," \
    "{\"joints\":{\"d\":2,\"e\":0.3,\"g\":0.1},\"stiffness\":40,\"damping\":0.3,\"command\":true}" \
    "]," \
    "\"state\":{\"q\":{\"a\":[0.01,0.02,0,0.9803431801801082,0.10003501838572533,0.150052527578588,-0.08002801470858027]," \
    "\"b\":[0,0,0.03,1,0,0,0],\"c\":0.3,\"d\":0.02,\"g\":0.4}}" \
    ",\"command\":{\"mode\":\"fixed\",\"q\":{\"d\":0.1}}}"
// clang-format on

static const char loop_scene[] = "{\"tact\":1," LOOP_SCENE;

#endif
