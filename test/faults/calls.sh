#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls of memory and of files fail one by one under every command, see sweep.c. Only every STRIDE-th call that asks for memory and
# every FILE_STRIDE-th one of files is tried (default: all), KINDS are those of calls, ONLY is a text that the command holds.
# many small files: in memory where that is possible
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
getconf GNU_LIBC_VERSION >/dev/null 2>&1 || {
    test_end "faulty calls (needs glibc)"
    exit
}
# shellcheck disable=SC2086 # CC is a list of words
check "fault.c" ${CC:-cc} -O1 -std=c11 -shared -fPIC -o "$work/fault.so" test/faults/fault.c -ldl
# shellcheck disable=SC2086
check "sweep.c" ${CC:-cc} -O1 -std=c11 -o "$work/sweep" test/faults/sweep.c
inputs=$PWD/test/faults/inputs.sh
carts=$PWD/data/scenes/cart_stop.json
cd "$work" || exit 1
TACT_VIEWER=page.html
export TACT TACT_VIEWER
# shellcheck source=test/faults/inputs.sh
. "$inputs"

# CALL HOW OPTIONS: of every command; the options are those of sweep
every_command() {
    call=$1 how=$2 tried=0
    shift 2
    while IFS='|' read -r options words; do
        case $words in '' | *'#'*) continue ;; esac
        [ -z "${ONLY:-}" ] || case $words in *"$ONLY"*) ;; *) continue ;; esac
        # shellcheck disable=SC2086 # lists of words
        check "$call $how $* under tact $words" ./sweep ./fault.so "$call" "$how" stride="$stride" "$@" $options -- "$TACT" $words
        runs=$(sed -n 's/^\([0-9]*\) runs, .*/\1/p' output)
        tried=$((tried + ${runs:-0}))
        [ -z "${VERBOSE:-}" ] || echo "$call $how $* $words: $(tail -n 1 output)"
    done <<END
|run scene.json --steps 3 --trace out/run.jsonl
|run urdf.json --steps 3 --set options.kappa=1000
in=scene.json|run - --steps 2 --quiet --trace -
|check cart.json
in=fk.jsonl|fk scene.json
in=ik.jsonl|ik scene.json
|grad scene.json --steps 2
|grad cart.json --steps 2
|grad scene.json --steps 2 --rollout
|solve solve.jsonl
in=solve.jsonl|solve
|lcp lcp.jsonl
|qcqp qcqp.jsonl
|qcqp --scene $carts --steps 2 --trace out/plan.jsonl
|friction friction.jsonl
|optimise scene.json --iterations 1 --quiet --output out/found.json --trace out/found.jsonl
|identify scene.json trace.jsonl --mass ball --iterations 2
|import arm.urdf
|bake scene.json
loose|bench cart.json --samples 3
resume|batch batch.json --threads 1 --quiet --output out/all --npz
resume|batch loaded.json --threads 2 --quiet --output out/all
resume|batch array.json --threads 1 --quiet --output out/all
resume|batch given.json --threads 1 --quiet --output out/all
|batch batch.json --env 3 --write-scene out/three.json
resume|merge out/all shard1 shard0
|plot trace.jsonl -o out/plot.svg
|plot scene.json --steps 2 --body ball --vary options.kappa=100,1e3 -o out/body.svg
|render trace.jsonl --step 3 -o out/picture.svg
|render scene.json --step 2 -o out/scene.svg
|render trace.jsonl --animate --frames 3 -o out/moving.svg
|view urdf.json --no-open -o out/scene.html
|view trace.jsonl --no-open -o out/trace.html
END
    [ "${ONLY:-}" ] || check "$call $how $*: calls were made to fail" [ $tried -gt 0 ]
}

for kind in ${KINDS:-memory open read write rest}; do
    case $kind in
    memory)
        stride=${STRIDE:-1}
        every_command memory ENOMEM
        every_command memory ENOMEM ever
        ;;
    open)
        stride=${FILE_STRIDE:-1}
        every_command open EACCES,EINTR
        every_command open EMFILE ever old
        ;;
    read)
        stride=${FILE_STRIDE:-1}
        every_command read EIO,EINTR,SHORT
        every_command read EIO ever
        ;;
    write)
        stride=${FILE_STRIDE:-1}
        every_command write EIO,EINTR,SHORT
        every_command write ENOSPC ever old
        ;;
    rest)
        stride=${FILE_STRIDE:-1}
        every_command sync,rename,make,look,size,lock EIO,ENOSPC old
        every_command close,remove,poll EIO old
        every_command file KILL,TORN old
        ;;
    esac
done
test_end "faulty calls"
