#!/bin/sh
# SPDX-License-Identifier: MIT
# The power goes COUNT times (default 10000) while a batch, and COUNT / 4 times while a merge, is written: see power.c. What goes on
# with the remains has the undisturbed bytes.
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
getconf GNU_LIBC_VERSION >/dev/null 2>&1 || {
    test_end "loss of power (needs glibc)"
    exit
}
for library in fault disk; do
    # shellcheck disable=SC2086 # CC is a list of words
    check "$library.c" ${CC:-cc} -O1 -std=c11 -shared -fPIC -o "$work/$library.so" test/faults/$library.c -ldl
done
# shellcheck disable=SC2086
check "power.c" ${CC:-cc} -O1 -std=c11 -o "$work/power" test/faults/power.c
cart=$PWD/data/scenes/cart_stop.json
cd "$work" || exit 1
printf '{"tact_batch":1,"scene":"%s","envs":30,"steps":2,"seed":3,"parameters":[{"path":"bodies.0.mass","uniform":[1,3]}],
"record":{"every":1}}\n' "$cart" >batch.json
for i in 0 1; do check "shard $i" "$TACT" batch batch.json --shard $i/2 --output shard$i --quiet; done

# COUNT WORDS: of tact
power() {
    times=$1
    shift
    check "power goes during tact $*" ./power ./disk.so ./fault.so "$times" "${SEED:-1}" -- "$TACT" "$@"
    tail -n 1 output
}
power "${COUNT:-10000}" batch batch.json --threads 1 --quiet --output out/all
power $((${COUNT:-10000} / 4)) merge out/all shard1 shard0
test_end "loss of power"
