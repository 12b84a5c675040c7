#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that load scenes, with robots as JSON and as URDF, and step them, under valgrind's helgrind: it also sees what cJSON and
# Expat share.
. test/test.sh
command -v valgrind >/dev/null || { test_end "races (skipped: no valgrind)"; exit; }
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
export TACT
inputs=$PWD/test/faults/inputs.sh
cd "$work" || exit 1
# shellcheck source=test/faults/inputs.sh
. "$inputs"
printf '{"tact_batch":1,"scenes":["scene.json","urdf.json"],"envs":40,"steps":3,"seed":3,
"parameters":[{"path":"shapes.0.normal.1","uniform":[-0.1,0.1]}]}\n' >mixed.json
for spec in mixed batch array given; do
    check "$spec" valgrind -q --error-exitcode=9 --tool=helgrind "$TACT" batch $spec.json --threads 3 --quiet --output $spec.out
done
test_end races
