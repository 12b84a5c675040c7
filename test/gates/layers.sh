#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads every #include of src and include/tact and fails, with file, line and reason, where a file looks at a higher layer
# or a core file at a system header outside the short list below. From the repository root: sh test/gates/layers.sh
set -u
files=$(find src/*/ include/tact -name '*.[ch]' | sort)
export files

awk '
BEGIN {
    split("base math solve tree geom contact law sim deriv plan scene batch trace worlds view app", order, " ")
    for (i in order) rank[order[i]] = i + 0
    core_top = rank["plan"]

    # public headers and their layers; the umbrella tact.h is for app, tests and examples
    split("base math solve tree geom contact law sim deriv plan scene batch trace worlds", own, " ")
    for (i in own) header[own[i]] = own[i]
    header["friction"] = "solve"
    header["lcp"] = "solve"
    header["model"] = "tree"
    header["planar"] = "geom"
    header["manifold"] = "contact"
    header["rollout"] = "deriv"
    header["record"] = "deriv"
    header["jacobian"] = "scene"
    header["fit"] = header["grasp"] = header["roadmap"] = "worlds"
    header["qcqp"] = "solve"
    header["trajectory"] = "plan"
    header["mpc"] = "plan"
    header["residual"] = "plan"
    header["region"] = "plan"
    header["optimise"] = "plan"
    header["lanes"] = "batch"
    header["virtual"] = "deriv"
    header["memory"] = header["errors"] = header["text"] = header["json"] = header["keys"] = "scene"
    header["mesh"] = header["draft"] = header["robot"] = header["npy"] = header["bake"] = header["place"] = header["problem"] = header["passage"] = header["control"] = "scene"
    header["view"] = "view"
    header["store"] = "trace"
    header["files"] = header["edit"] = "trace"
    header["tact"] = "app"

    split("stddef.h stdint.h stdbool.h float.h limits.h assert.h string.h", list, " ")
    for (i in list) plain[list[i]] = 1

    count = split(ENVIRON["files"], path, "\n")
    for (f = 1; f <= count; f++) read_file(path[f])
    if (!includes) { print "layers: no #include in src and include/tact"; exit 1 }
    if (bad) exit 1
    printf "layers: %d includes of %d files look down or sideways\n", includes, count
}

function fail(reason) {
    printf "%s:%d: %s\n", file, line, reason
    bad = 1
}

function read_file(name,    text, part) {
    file = name; line = 0
    split(name, part, "/")
    layer = part[2]
    if (part[1] == "include") {
        sub(/\.h$/, "", part[3])
        layer = header[part[3]]
        if (!layer) { fail("public header without a layer: add it to the table in test/gates/layers.sh"); return }
    }
    if (!(layer in rank)) { fail("folder " layer " is no layer"); return }
    while ((getline text < name) > 0) {
        line++
        if (text !~ /^[ \t]*#[ \t]*include/) continue
        includes++
        sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
        if (text ~ /^"[^"]+"/ || text ~ /^<tact\//) own_header(substr(text, 2))
        else if (text ~ /^</) system_header(substr(text, 2))
        else fail("the included name must be written out")
    }
    close(name)
}

function own_header(name,    part, other) {
    sub(/[">].*/, "", name)
    if (name ~ /\.\./) { fail("\"" name "\": write the path from src"); return }
    if (name ~ /\.c$/) fail("\"" name "\": only src/all.c includes .c files")
    if (split(name, part, "/") == 1) return
    other = part[1]
    if (other == "tact") {
        sub(/\.h$/, "", part[2])
        other = header[part[2]]
        if (file == "include/tact/tact.h") return
        if (part[2] == "tact" && layer != "app") { fail("\"tact/tact.h\" is for app, tests and examples; include the parts"); return }
        if (!other) { fail("\"" name "\": public header without a layer: add it to the table in test/gates/layers.sh"); return }
    }
    if (!(other in rank)) fail("\"" name "\": " other " is no layer")
    else if (rank[other] > rank[layer]) fail("\"" name "\": " layer " must not look up to " other)
}

function system_header(name) {
    sub(/>.*/, "", name)
    if (name == "lapacke.h" && file ~ /_lapack\.c$/) return # the opt-in
    if (rank[layer] > core_top || name in plain || (name == "math.h" && layer == "math")) return
    fail("<" name ">: not for the core" (name == "math.h" ? " outside src/math" : ""))
}
'
