#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples against the command, and the headers as data against the library. What needs NumPy or PyTorch: make test-python.
. test/test.sh
LC_ALL=C
export LC_ALL

# the C programs, and the line that each must print (floats print other last digits: a pattern holds what both have)
names= # what there is
c_example() { # NAME PATTERN [LIBRARY [ITS LIBRARIES]]: compiles with warnings as errors, runs and prints a line of that pattern
    name=$1 pattern=$2
    names="$names examples/$name.c"
    # shellcheck disable=SC2086,SC2046
    check "$name.c compiles" ${CC:-cc} -std=c11 -O1 -Wall -Wextra -Wpedantic -Werror $([ "$REAL" = float ] && echo -DTACT_FLOAT) \
        $([ -n "${SAN:-}" ] && echo -fsanitize=address,undefined) "examples/$name.c" -Iinclude ${3:-"$BUILD/libtact.a" \
        $(pkg-config --libs libcjson expat) -pthread} -lm -o "$work/$name"
    check "$name.c runs" "$work/$name"
    cp "$work/output" "$work/$name.said"
    check "$name.c prints $pattern" grep -E -- "$pattern" "$work/$name.said"
    check "$name.c has 30 to 80 lines" sh -c "n=\$(wc -l <examples/$name.c) && [ \$n -ge 30 ] && [ \$n -le 80 ]"
}
c_example own_command '^squeeze 0\.(500|499)[0-9] N'
c_example no_heap '^converged: pusher 0\.00049[0-9] m, block 0\.20099[0-9] m, force 0\.0995' "$BUILD/libtact-core.a"
c_example rollout_gradient 'ratio (1\.00|0\.99)'
c_example batch_memory '^256 worlds of barrier, 0 failed; .* -0\.10[0-9]+ and -0\.09'
c_example lcp '^converged: z = 1\.33333[0-9] 2\.33333[0-9]'
check "lcp.c: derivative" grep -E '^dz/dq_0 = -0\.66666[67] 0\.33333[34]$' "$work/lcp.said"
check "lcp.c: proof" grep -E '^infeasible: y = 1\.0+ 0\.0+$' "$work/lcp.said"
c_example friction '^sticking: r = 1\.0000 -0\.4000, u = -?0\.0000'
check "friction.c: sliding" grep -E '^sliding: r = 1\.0000 -0\.5000, u = -?0\.0000 1\.5000, dr_t/dmu = -1\.0000$' "$work/friction.said"
check "friction.c: separating" grep -E '^separating: r = 0\.0000' "$work/friction.said"
c_example fit_mass '^found 0\.010000 kg|^found 0\.0(0999|1000)'
c_example plan_trajectory 'global: cost 7\.0175.*, ratio (1\.0000|0\.9999)'
check "every C example is tested" test "$(ls examples/*.c | wc -l)" -eq "$(echo $names | wc -w)"

python=
for each in python3 /usr/bin/python3; do
    "$each" -c 'import sys; assert sys.version_info >= (3, 8)' 2>/dev/null && python=$each && break
done
if [ -z "$python" ]; then
    echo "skipped: examples and headers as data (no python3)"
    test_end examples
    exit
fi

check "the headers' functions are in the archive" "$python" python/api.py --check "$BUILD/libtact.a"
check "and in the shared library" "$python" python/api.py --check "$BUILD/libtact$([ "${REAL:-double}" = double ] || echo f).so"
api_names() {
    "$python" python/api.py >"$work/api.json" && "$python" -c '
import json, sys
headers = json.load(open(sys.argv[1]))["headers"]
step = [f for f in headers["sim.h"]["functions"] if f["name"] == "tact_step"][0]
assert "const tact_model *model" in step["parameters"] and "negative: the state is untouched" in step["comment"], step
state = [s for s in headers["law.h"]["structs"] if s["name"] == "tact_state"][0]
assert [m["comment"] for m in state["members"] if m["declaration"] == "tact_real *q"] == ["(nq) coordinates"], state
status = [e for e in headers["base.h"]["enums"] if e["name"] == "tact_status"][0]
assert "TACT_RAY = -7" in [m["declaration"] for m in status["members"]], status
' "$work/api.json"
}
check "functions, structs and enums as data" api_names

# in double precision, and where nothing has to be loaded before
if [ "${REAL:-double}" = double ] && [ -z "${SAN-}" ]; then
    scene=data/scenes/hand_lift.json
    "$TACT" run $scene --steps 30 --quiet --trace - | tail -n 1 >"$work/last"
    by_ctypes() {
        "$python" examples/ctypes_worlds.py "$BUILD/libtact.so" $scene 30 >"$work/ctypes" && "$python" -c '
import json, sys
got = [float(x) for x in open(sys.argv[1]).read().split()]
assert got == json.load(open(sys.argv[2]))["q"], got' "$work/ctypes" "$work/last"
    }
    check "ctypes, the same bits as the command" by_ctypes

    by_julia() {
        julia --startup-file=no examples/worlds.jl "$BUILD/libtact.so" $scene 30 >"$work/ctypes" && "$python" -c '
import json, sys
got = [float(x) for x in open(sys.argv[1]).read().split()]
assert got == json.load(open(sys.argv[2]))["q"], got' "$work/ctypes" "$work/last"
    }
    if command -v julia >/dev/null; then
        check "Julia, the same bits as the command" by_julia
    else
        echo "skipped: the example in Julia (no julia)"
    fi
fi

test_end examples
