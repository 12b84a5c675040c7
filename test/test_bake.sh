#!/bin/sh
# SPDX-License-Identifier: MIT
# tact bake and make amalgam: baked scenes step as loaded ones, to the bit; the core in one file compiles alone, in double and
# in float, as C and for C++.
. test/test.sh
cc=${CC:-cc}
TACT=${TACT:-build/tact}
library=${BUILD:-build}
sanitizers=${SAN:+-fsanitize=address -fsanitize=undefined}
float=
[ "${REAL:-double}" = double ] || float=-DTACT_FLOAT
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wvla -Wstrict-prototypes -Werror"
numbers="-ffp-contract=off -fno-math-errno"

# every scene of the repository
list=
for scene in data/scenes/*.json; do
    name=$(basename "$scene" .json)
    # constants list their pairs
    if grep -q '"max_contacts"' "$scene"; then
        refuse "bake $name" "find pairs: leave it out here" "$TACT" bake "$scene"
        continue
    fi
    list="$list X($name)"
    check "bake $name" sh -c "'$TACT' bake '$scene' >'$work/$name.c'"
done
# shellcheck disable=SC2086
for real in "" -DTACT_FLOAT; do
    check "constants compile $real" $cc $strict $real -Iinclude -fsyntax-only "$work"/*.c
done
if echo 'struct pair { int a, b; } one = {.a = 1, .b = 2};' | g++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
    # shellcheck disable=SC2086
    check "and as C++20" g++ -x c++ -std=c++20 -Wall $float -Iinclude -fsyntax-only "$work"/*.c
else
    echo "skipped: constants as C++20 (no g++ that knows it)"
fi
# shellcheck disable=SC2086
check "compare" $cc -std=c11 -O1 $float $sanitizers -Iinclude "-DBAKED=$list" -o "$work/compare" test/bake/compare.c \
    "$work"/*.c "$library/libtact$([ "${REAL:-double}" = double ] || echo f).so"
check "baked scenes step as loaded ones" env LD_LIBRARY_PATH="$library" "$work/compare" data/scenes

# what is refused, and names
refuse "no scene" "too few arguments" "$TACT" bake
refuse "no such scene" "absent.json" "$TACT" bake absent.json
refuse "a keyword as name" 'must be a free C identifier (found "int")' "$TACT" bake data/scenes/lesson.json --name int
refuse "a digit in front" "must be a free C identifier" "$TACT" bake data/scenes/lesson.json --name 3d
refuse "a name of the library's" "must be a free C identifier" "$TACT" bake data/scenes/lesson.json --name tact_step
sed 's/"name": "lesson"/"name": "2 hands, \\u00e4"/' data/scenes/lesson.json |
    sed "s|\.\./robots|$(pwd)/data/robots|" >"$work/odd.json"
check "a scene's name that C cannot hold" sh -c "'$TACT' bake '$work/odd.json' | grep -q 'const tact_model __hands____;\|const tact_model model;'"

# a controller
check "goal and options of the controller" sh -c "'$TACT' bake data/scenes/allegro_cube.json --mpc --name cube >'$work/cube.c' &&
    grep -q '^const tact_pose_goal cube_goal = {.body = [0-9]*, .position = {TACT_REAL(-0.01), 0, TACT_REAL(0.04)}, .orientation = {TACT_REAL(0.707' '$work/cube.c'"
# shellcheck disable=SC2086
for real in "" -DTACT_FLOAT; do check "compile $real" $cc $strict $real -Iinclude -fsyntax-only "$work/cube.c"; done
check "its sizes" sh -c "'$TACT' bake data/scenes/allegro_cube.json --mpc --name cube --header | grep -A 4 '^enum' | grep -q 'cube_horizon = 8,'"
check "without --mpc none" sh -c "! '$TACT' bake data/scenes/allegro_cube.json | grep -q tact_pose_goal"
refuse "no goal to go to" "--mpc: the scene has no goal" "$TACT" bake data/scenes/lesson.json --mpc
refuse "a law by which none plans" "a controller plans by the barrier law: add --law barrier" "$TACT" bake data/scenes/flip_box.json --mpc \
    --set 'goal={"body":"box","position":[0,0,0.1]}'
check "header" sh -c "'$TACT' bake data/scenes/lesson.json --header --name hand >'$work/hand.h' && grep -q hand_work_size '$work/hand.h'"

# the core in one file
check "amalgam" sh src/amalgam.sh "$work/one" "scene batch trace worlds view"
check "nothing but the standard's headers" sh -c "! grep -h '#include' '$work'/one/tact.[ch] |
    grep -vE '<(assert|float|limits|math|stdbool|stddef|stdint|string)\.h>|\"tact\.h\"'"
check "constants for it" sh -c "'$TACT' bake data/scenes/lesson.json --include tact.h --name hand >'$work/one/hand.c'"
# the other compiler and precision are checked where the tests run with them
# shellcheck disable=SC2086
check "one file compiles" $cc $strict -Wmissing-prototypes $numbers $float -O1 -I"$work/one" -c "$work/one/tact.c" -o "$work/one/tact.o"
defined() { # every function that the header declares
    grep -oE '^[a-z][a-z_0-9 *]*[ *](tact_[a-z_0-9]+)\(' "$work/one/tact.h" | grep -v '^static\|^typedef' | grep -oE 'tact_[a-z_0-9]+\($' |
        tr -d '(' >"$work/named"
    # in single precision some functions have other names, which base.h gives them
    if [ "${REAL:-double}" = float ]; then
        sed -nE 's/^#define (tact_[a-z_]+) (tact_[a-z_]+_float)$/s:^\1$:\2:/p' include/tact/base.h >"$work/names.sed"
    else
        : >"$work/names.sed"
    fi
    sed -f "$work/names.sed" "$work/named" | sort -u >"$work/declared"
    nm "$work/one/tact.o" | sed -n 's/.* T \(tact_.*\)/\1/p' | sort -u >"$work/there"
    [ "$(wc -l <"$work/declared")" -gt 100 ] || { echo "declared: $(wc -l <"$work/declared")"; return 1; }
    [ -z "$(comm -23 "$work/declared" "$work/there" | tee /dev/stderr)" ]
}
check "what it declares is there" defined
page() { # the programs of docs/firmware.md, with the commands that it prints
    mkdir -p "$work/page/build" "$work/page/bin" && cp -r data test "$work/page" && ln -s "$work/one" "$work/page/build/amalgam" || return
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
    case \$word in */tact.c) word=$work/one/tact.o ;; esac
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
[ "$float" ] || check "programs of docs/firmware.md, as printed" page
if command -v arm-none-eabi-gcc >/dev/null; then
    # as a project for a board would, with enumerations of one byte
    for precision in "" -DTACT_FLOAT; do
        # shellcheck disable=SC2086
        check "one file compiles for a board $precision" arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c11 -Os \
            -Wall -Wextra -Werror $numbers $precision -I"$work/one" -c "$work/one/tact.c" -o "$work/one/board.o"
    done
fi
# shellcheck disable=SC2086
check "its constants compile" $cc $strict $float -I"$work/one" -fsyntax-only "$work/one/hand.c"
if command -v g++ >/dev/null; then
    # shellcheck disable=SC2086
    check "used from C++" g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror $float -I"$work/one" \
        -o "$work/ball" test/bake/ball.cpp "$work/one/tact.o"
    check "the ball rests" "$work/ball"
fi

test_end bake
