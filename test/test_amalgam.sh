#!/bin/sh
# SPDX-License-Identifier: MIT
# make amalgam LAWS=...: one file with what a step by these laws needs is about a third of the whole one, compiles alone, and
# steps a baked scene to the same bits as the library does.
. test/test.sh
cc=${CC:-cc}
TACT=${TACT:-build/tact}
library=${BUILD:-build}
f=
[ "${REAL:-double}" = double ] || f=f
real=${f:+-DTACT_FLOAT}
sanitizers=${SAN:+-fsanitize=address -fsanitize=undefined}
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wvla -Wmissing-prototypes -Werror"
numbers="-ffp-contract=off -fno-math-errno"
hosted="scene batch trace worlds view"
bytes() { cat "$work/$1"/tact.[ch] | wc -c; }

check "the whole core" sh src/amalgam.sh "$work/whole" "$hosted"
whole=$(bytes whole)

# law of a file, scene, most parts of the whole text in percent
one() {
    laws=$1 scene=$2 most=$3
    folder=$work/$(echo "$laws" | tr ' ,' '--')
    check "$laws: text" sh src/amalgam.sh "$folder" "$hosted" "$library/obj" "$laws"
    part=$(cat "$folder"/tact.[ch] | wc -c)
    echo "$laws: $part of $whole bytes, $((100 * part / whole)) %"
    check "$laws: at most $most %" [ $((100 * part)) -le $((most * whole)) ]
    check "$laws: nothing but the standard's headers" sh -c "! grep -h '#include' '$folder'/tact.[ch] |
        grep -vE '<(assert|float|limits|math|stdbool|stddef|stdint|string)\.h>|\"tact\.h\"'"
    check "$laws: bake $scene" "$TACT" bake "data/scenes/$scene.json" --name baked --include tact.h -o "$folder/baked.c"
    # shellcheck disable=SC2086
    check "$laws: compiles" $cc $strict $numbers $real -O1 -I"$folder" -c "$folder/tact.c" -o "$folder/tact.o"
    # shellcheck disable=SC2086
    check "$laws: a program with it" $cc -std=c11 $numbers $real -DMODEL=baked -DHEADER='"tact.h"' -I"$folder" test/bake/law.c \
        "$folder/baked.c" "$folder/tact.o" -lm -o "$folder/alone"
    # what no optimiser takes out, and the other precision
    for level in "-O0" "-O0 -DNDEBUG -DTACT_FLOAT"; do
        # shellcheck disable=SC2086
        check "$laws: a program at $level" $cc -std=c11 $numbers $level -DMODEL=baked -DHEADER='"tact.h"' -I"$folder" \
            test/bake/law.c "$folder/baked.c" "$folder/tact.c" -lm -o "$folder/plain"
    done
    "$TACT" bake "data/scenes/$scene.json" --name baked -o "$folder/baked.c"
    # shellcheck disable=SC2086
    check "$laws: the same with the library" $cc -std=c11 $numbers $real $sanitizers -DMODEL=baked -DHEADER='<tact/tact.h>' -Iinclude \
        test/bake/law.c "$folder/baked.c" "$library/libtact$f.so" -lm -o "$folder/with"
    check "$laws: run" sh -c "'$folder/alone' >'$folder/alone.txt'"
    check "$laws: run with the library" sh -c "LD_LIBRARY_PATH='$library' '$folder/with' >'$folder/with.txt'"
    check "$laws: contacts" grep -q 'converged [1-9]' "$folder/alone.txt"
    check "$laws: the same bits" cmp "$folder/alone.txt" "$folder/with.txt"
}
one barrier lesson 34
one rigid block_on_slope 40
one virtual lift_circle 34
one "barrier,rigid" lesson 52
# of another law the file holds nothing
check "barrier: nothing of the rigid law" sh -c "! grep -q 'tact_law tact_law_rigid = \|tact_lcp_solve(' '$work/barrier/tact.c'"

refuse "no such law" 'LAWS: error: no law "rigit"' sh src/amalgam.sh "$work/none" "$hosted" "$library/obj" "barrier rigit"
check "nothing is left of it" [ ! -e "$work/none" ]
if command -v arm-none-eabi-gcc >/dev/null; then
    # shellcheck disable=SC2086
    check "barrier: for a board" arm-none-eabi-gcc -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16 -std=c11 -Os -Wall -Wextra -Werror \
        $numbers -DTACT_FLOAT -DNDEBUG -I"$work/barrier" -c "$work/barrier/tact.c" -o "$work/barrier/board.o"
fi

test_end amalgam
