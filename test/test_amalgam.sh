#!/bin/sh
# SPDX-License-Identifier: MIT
# make amalgam LAWS=...: one file with what a step by these laws needs is about a third of the whole one, compiles alone, and
# steps a baked scene to the same bits as the library does. make amalgam: the whole core in one file compiles alone, in double and
# in float, as C and for C++.
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
    # not optimised: what an optimiser warns of, it finds in the whole core below, and it takes out nothing that would be missed here
    # shellcheck disable=SC2086
    check "$laws: compiles" $cc $strict $numbers $real -O0 -I"$folder" -c "$folder/tact.c" -o "$folder/tact.o"
    # shellcheck disable=SC2086
    check "$laws: a program with it" $cc -std=c11 $numbers $real -DMODEL=baked -DHEADER='"tact.h"' -I"$folder" test/bake/law.c \
        "$folder/baked.c" "$folder/tact.o" -lm -o "$folder/alone"
    # without assertions, and the other precision
    # shellcheck disable=SC2086
    check "$laws: a program in float" $cc -std=c11 $numbers -O0 -DNDEBUG -DTACT_FLOAT -DMODEL=baked -DHEADER='"tact.h"' -I"$folder" \
        test/bake/law.c "$folder/baked.c" "$folder/tact.c" -lm -o "$folder/plain"
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

# the whole core in one file, in double and in float
check "nothing but the standard's headers" sh -c "! grep -h '#include' '$work'/whole/tact.[ch] |
    grep -vE '<(assert|float|limits|math|stdbool|stddef|stdint|string)\.h>|\"tact\.h\"'"
check "constants for it" sh -c "'$TACT' bake data/scenes/lesson.json --include tact.h --name hand >'$work/whole/hand.c'"
defined() { # every function that the header declares is in the object FILE, in the precision REAL
    grep -oE '^[a-z][a-z_0-9 *]*[ *](tact_[a-z_0-9]+)\(' "$work/whole/tact.h" | grep -v '^static\|^typedef' | grep -oE 'tact_[a-z_0-9]+\($' |
        tr -d '(' >"$work/named"
    # in single precision some functions have other names, which base.h gives them
    : >"$work/names.sed"
    [ ! "$2" ] || sed -nE 's/^#define (tact_[a-z_]+) (tact_[a-z_]+_float)$/s:^\1$:\2:/p' include/tact/base.h >"$work/names.sed"
    sed -f "$work/names.sed" "$work/named" | sort -u >"$work/declared"
    nm "$1" | sed -n 's/.* T \(tact_.*\)/\1/p' | sort -u >"$work/there"
    [ "$(wc -l <"$work/declared")" -gt 100 ] || { echo "declared: $(wc -l <"$work/declared")"; return 1; }
    [ -z "$(comm -23 "$work/declared" "$work/there" | tee /dev/stderr)" ]
}
for one in "" -DTACT_FLOAT; do
    # optimised once: more warnings
    level=-O1
    [ ! "$one" ] || level=-O0
    object=$work/whole/tact$one.o
    # shellcheck disable=SC2086
    check "one file compiles $one" $cc $strict -Wstrict-prototypes $numbers $one $level -I"$work/whole" -c "$work/whole/tact.c" -o "$object"
    check "what it declares is there $one" defined "$object" "$one"
    # shellcheck disable=SC2086
    check "its constants compile $one" $cc $strict -Wstrict-prototypes $one -I"$work/whole" -fsyntax-only "$work/whole/hand.c"
    if command -v g++ >/dev/null; then
        # shellcheck disable=SC2086
        check "used from C++ $one" g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror $one -I"$work/whole" \
            -o "$work/ball" test/bake/ball.cpp "$object"
        check "the ball rests $one" "$work/ball"
    fi
    # as a project for a board would, with enumerations of one byte
    if command -v arm-none-eabi-gcc >/dev/null; then
        # shellcheck disable=SC2086
        check "one file compiles for a board $one" arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c11 -O0 \
            -Wall -Wextra -Werror $numbers $one -I"$work/whole" -c "$work/whole/tact.c" -o "$work/whole/board.o"
    fi
done
page() { # the programs of docs/firmware.md, with the commands that it prints
    mkdir -p "$work/page/build" "$work/page/bin" && cp -r data test "$work/page" && ln -s "$work/whole" "$work/page/build/amalgam" || return
    awk -v out="$work/page/" '
        /^<!-- file: / { name = $3 }
        inside && /^```$/ { inside = 0; name = ""; next }
        inside { print >(out name) }
        name && /^```/ { inside = 1 }' docs/firmware.md
    # the library's file, which takes a minute, is compiled already
    cat >"$work/page/bin/cc" <<END
#!/bin/sh
for word; do
    shift
    case \$word in */tact.c) word=$work/whole/tact.o ;; esac
    set -- "\$@" "\$word"
done
# the path without this folder: the compiler may be called cc
PATH='$PATH' exec $cc "\$@" -O0
END
    chmod +x "$work/page/bin/cc"
    ln -s "$(realpath "$TACT")" "$work/page/bin/tact"
    sed -n 's/^    \(tact bake .*\)/\1/p; s/^    \(cc .*\)/\1/p' docs/firmware.md >"$work/page/commands"
    (cd "$work/page" && PATH=$work/page/bin:$PATH sh -eux commands && ./hand && ./control)
}
# its sizes are those of this precision, and the commands' that of double
[ "$f" ] || check "programs of docs/firmware.md, as printed" page

test_end amalgam
