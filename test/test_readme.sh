#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's C example compiles and runs as printed, against the library of this build, and its commands exist.
. "$(dirname "$0")/test.sh"

awk '/^<!-- example/ { armed = 1 } armed && /^```$/ { exit } inside { print } armed && /^```c$/ { inside = 1 }' README.md >"$work/example.c"
check "the example is there" test -s "$work/example.c"
check "at most 25 lines" test "$(wc -l <"$work/example.c")" -le 25
# shellcheck disable=SC2046
check "it compiles" ${CC:-cc} -Wall -Wextra -Werror $([ "$REAL" = float ] && echo -DTACT_FLOAT) \
    $([ -n "$SAN" ] && echo -fsanitize=address,undefined) "$work/example.c" -Iinclude "$BUILD/libtact.a" \
    $(pkg-config --libs libcjson expat) -lm -o "$work/example"
check "it runs" sh -c "\"$work/example\" >\"$work/said\""
check "it finds the ball" grep -q "force on b" "$work/said"
for name in $(grep -oE 'data/[a-z_/]+\.jsonl?' README.md | sort -u); do check "$name exists" test -f "$name"; done
for name in $(sed -n 's/^| \([a-z_]*\.json\) |.*/\1/p' README.md); do check "scene $name exists" test -f "data/scenes/$name"; done
for word in check run import fk ik solve lcp friction bench grad optimise identify plot render view; do check "tact $word" "$TACT" help "$word"; done
test_end readme
