#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/firmware/determinism.sh TACT: 1,000 steps of each law give one fingerprint, in double and in float, from gcc and clang
# at -O0 to -O3, on machines of 32 and 64 bits and of both byte orders, on Cortex-M7 and in wasm; and a batch the same bytes with
# 1 to 8 threads. Lanes of each width are compared with the scalar step by test/test_lanes.c.
set -u
tact=$1
here=test/firmware
scenes="$here/hand.json data/scenes/flip_box.json data/scenes/newton_cradle.json"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0

# the other machines, each against this host's compiler
REQUIRE=${REQUIRE:-} KEEP="$work" sh $here/run.sh "$tact" "user wasm cortex" "$scenes" || bad=1

for real in double float; do
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        for level in 0 1 2 3; do
            # shellcheck disable=SC2046
            $compiler -std=c11 -O$level -ffp-contract=off -fno-math-errno $([ $real = float ] && echo -DTACT_FLOAT) -I"$work" \
                -o "$work/host" "$work/tact.c" "$work/model.c" $here/hand.c $here/host.c -lm || exit 1
            "$work/host" >"$work/got"
            if cmp -s "$work/got" "$work/$real"; then
                printf '%-22s as the host\n' "$compiler -O$level $real"
            else
                echo "determinism: $compiler -O$level $real differs:"
                cat "$work/got"
                bad=1
            fi
        done
    done
done

for threads in 1 2 3 4 5 6 7 8; do
    "$tact" batch data/batch/grasp.json --envs 64 --steps 20 --threads $threads --quiet --output "$work/batch$threads" >/dev/null 2>&1
    cat "$work/batch$threads"/*.npy | cksum >"$work/sum$threads"
    [ -s "$work/batch$threads/q.npy" ] && cmp -s "$work/sum1" "$work/sum$threads" || { echo "determinism: $threads threads differ"; bad=1; }
done
[ $bad -ne 0 ] || echo "a batch                the same with 1 to 8 threads"
exit $bad
