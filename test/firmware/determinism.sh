#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/firmware/determinism.sh TACT [quick]: the fingerprint of all states of 1,000 steps under each law, in double and in
# float, from gcc and clang at -O0 to -O3, a C library without its fast paths, machines of 32 and 64 bits and of both byte orders,
# Cortex-M7 and wasm; and the bytes of a batch of different scenes with each width of the vector registers and 1 to 8 threads.
# quick: some of each, for every change. FLOAT_TACT: the command in single precision, for batches. TARGETS: as in run.sh.
set -u
tact=$1 quick=${2:-}
here=test/firmware
# one for each law
scenes="$here/hand.json data/scenes/flip_box.json $here/tumble.json"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0 rows=0
. $here/rows.sh
targets=${TARGETS:-user wasm cortex} levels="0 1 2 3" reals="double float" threads="1 2 3 4 5 6 7 8" steps=1000
# the runs of one scene have their 1,000 steps here, too; the batches are past their first contacts after 400
[ -z "$quick" ] || { targets="s390x cortex" levels="0 3" reals=double threads="1 3 8" steps=400; }

# this host's lines, and the other machines'
KEEP="$work" REALS="$reals" sh $here/run.sh "$tact" "$targets" "$scenes" >"$work/table" 2>&1 || bad=1
cat "$work/table"
rows=$(grep -c ' same\| DIFFERS' "$work/table")

for real in $reals; do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || { echo "no $compiler here"; continue; }
        for level in $levels; do
            # shellcheck disable=SC2046
            "$compiler" -std=c11 -O"$level" -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno $([ $real = float ] && echo -DTACT_FLOAT) -I"$work" \
                -o "$work/host" "$work/tact.c" "$work/model.c" $here/hand.c $here/host.c -lm || exit 1
            "$work/host" >"$work/got" 2>&1
            row "$compiler -O$level $real" "$work/$real" "$work/got"
        done
    done
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 "$work/host" >"$work/got" 2>&1
    row "glibc without FMA $real" "$work/$real" "$work/got"
done

# Batches of scenes whose first bodies have different masses, enough to keep every thread and lane busy: a line for each scene.
batches() { # TACT OPTIONS...
    command=$1
    shift
    for scene in $scenes; do
        mass=$(tr -d '\n' <"$scene" | sed 's/"mass"/\n&/; s/^[^\n]*\n"mass": *\([0-9.]*\).*/\1/')
        printf '{"tact_batch":1,"scene":"%s","envs":250,"steps":%d,"seed":5,"record":{"every":100,"forces":true},
            "parameters":[{"path":"bodies.0.mass","uniform":[%s,%s]}]}' "$(pwd)/$scene" $steps "$mass" "${mass}1" >"$work/spec.json"
        rm -rf "$work/batch"
        "$command" batch "$work/spec.json" "$@" --quiet --output "$work/batch" >"$work/said" 2>&1
        [ -s "$work/batch/manifest.json" ] && [ -s "$work/batch/q.npy" ] || { cat "$work/said" >&2; return 1; }
        echo "$(basename "$scene" .json): $(cat "$work"/batch/*.npy | sha256sum)"
    done
}

for real in $reals; do
    command=$tact
    [ $real = double ] || command=${FLOAT_TACT:-}
    [ "$command" ] || { echo "no batches in float: FLOAT_TACT names no command"; continue; }
    widths=$("$command" batch data/batch/grasp.json --lanes 1000 2>&1 | sed -n 's/.*this machine has \([0-9, ]*\).*/\1/p' | tr -d ,)
    [ "$widths" ] || { echo "$command batch names no widths"; bad=1; }
    batches "$command" --lanes 1 --threads 1 >"$work/batch_$real" || exit 1
    for width in $widths; do
        batches "$command" --lanes "$width" --threads 1 >"$work/got" || bad=1
        row "batch, lanes $width $real" "$work/batch_$real" "$work/got"
    done
    for count in $threads; do
        batches "$command" --threads "$count" >"$work/got" || bad=1
        row "batch, threads $count $real" "$work/batch_$real" "$work/got"
    done
done

if [ $bad -eq 0 ]; then
    echo "determinism: $rows builds and ways, the same bits under all laws"
else
    echo "determinism: not everywhere the same"
fi
exit $bad
