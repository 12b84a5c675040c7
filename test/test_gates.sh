#!/bin/sh
# SPDX-License-Identifier: MIT
# The gates accept this repository's rules kept, and refuse each rule broken on purpose.
. test/test.sh
gates=$(pwd)/test/gates
runner=$(pwd)/test/run.sh
cc=${CC:-cc}

check "layers of the repository" sh "$gates/layers.sh"

# a small house of its own, with one violation at a time
cd "$work" || exit 1
mkdir -p src/base src/math src/solve src/tree src/scene src/app include/tact
echo '#include <stddef.h>' >include/tact/base.h
echo '#include "tact/base.h"' >include/tact/model.h
printf '#include "tact/base.h"\n#include "tact/model.h"\n' >include/tact/tact.h
printf '#include "tact/base.h"\n#include <math.h>\n' >src/math/a.c
printf '#include "tact/model.h"\n#include "math/a.h"\n#include "b.h"\n' >src/tree/b.c
printf '#include "tree/b.h"\n#include <stdio.h>\n' >src/scene/c.c
echo '#include <tact/tact.h>' >src/app/main.c
check "layers: a sound house" sh "$gates/layers.sh"
mkdir -p bare/src/base bare/include/tact
refuse "layers: nothing to read" "no #include" sh -c "cd bare && sh '$gates/layers.sh'"

plant() { # NAME WANTED FILE LINE
    cp "$3" kept 2>/dev/null || : >kept
    printf '%s\n' "$4" >>"$3"
    refuse "layers: $1" "$2" sh "$gates/layers.sh"
    mv kept "$3"
}
plant "a higher folder" 'src/math/a.c:3: "tree/b.h": math must not look up to tree' src/math/a.c '#include "tree/b.h"'
plant "a higher public header" 'src/math/a.c:3: "tact/model.h": math must not look up to tree' src/math/a.c '#include "tact/model.h"'
plant "a public header that looks up" 'include/tact/base.h:2: "tact/model.h"' include/tact/base.h ' #  include "tact/model.h"'
plant "a hosted folder" 'src/tree/b.c:4: "scene/c.h": tree must not look up to scene' src/tree/b.c '#include "scene/c.h"'
plant "the umbrella" 'src/scene/c.c:3: "tact/tact.h" is for app' src/scene/c.c '#include "tact/tact.h"'
plant "a system header in the core" 'src/tree/b.c:4: <stdio.h>: not for the core' src/tree/b.c '#include <stdio.h>'
plant "math.h outside src/math" 'src/tree/b.c:4: <math.h>: not for the core outside src/math' src/tree/b.c '#include <math.h>'
plant "a way around by .." 'src/math/a.c:3: "../tree/b.h": write the path from src' src/math/a.c '#include "../tree/b.h"'
plant "a .c file" 'src/math/a.c:3: "b.c": only src/all.c includes .c files' src/math/a.c '#include "b.c"'
plant "a name by macro" 'src/math/a.c:3: the included name must be written out' src/math/a.c '#include OTHER'
plant "an unknown folder" '"misc/x.h": misc is no layer' src/math/a.c '#include "misc/x.h"'
echo >include/tact/extra.h
refuse "layers: a public header without a layer" "include/tact/extra.h:0: public header without a layer" sh "$gates/layers.sh"
rm include/tact/extra.h

# archive NAME SOURCE...: one member for each source text
archive() {
    out=$1
    shift
    rm -f "$out"
    part=0
    for text in "$@"; do
        part=$((part + 1))
        printf '%s\n' "$text" >part$part.c
        $cc -O2 -fPIC ${FLAGS:-} -c part$part.c && ar qcs "$out" part$part.o || return 1
    done
}
sound='double tact_one(double x) { return x + 1; } static const char *const word[] = {"a", "b"}; const char *tact_word(int i); const char *tact_word(int i) { return word[i]; }'
user='double tact_one(double); double sqrt(double); double tact_two(double x) { return sqrt(tact_one(x)); }'
check "names: a sound core" archive core.a "$sound" "$user"
check "names: a sound core is accepted" sh "$gates/names.sh" core.a
refuse "names: no archive" "no absent.a" sh "$gates/names.sh" absent.a
ar qcs none.a
echo "not an archive" >text.a
refuse "names: an archive of nothing" "no symbols in none.a" sh "$gates/names.sh" none.a
refuse "names: no archive at all" "no symbols in text.a" sh "$gates/names.sh" core.a text.a

wrong() { # NAME WANTED SOURCE
    check "names: plant $1" archive bad.a "$sound" "$3"
    refuse "names: $1" "$2" sh "$gates/names.sh" bad.a
}
wrong "a foreign name" "external name without tact_: helper" 'int helper(void) { return 1; }'
wrong "malloc" "the core must not need: malloc" 'void *malloc(unsigned long); void *tact_get(void) { return malloc(8); }'
wrong "libm's sine" "the core must not need: sin" 'double sin(double); double tact_sin(double x) { return sin(x); }'
wrong "a hosted function" "the core must not need: tact_scene_load" 'int tact_scene_load(void); int tact_use(void) { return tact_scene_load(); }'
wrong "a counter" "writable data in the core: counter" 'static int counter; int tact_count(void) { return ++counter; }'
wrong "an initialised variable" "writable data in the core: tact_level" 'int tact_level = 3;'
wrong "a variable of a thread" "writable data in the core: seed" 'static _Thread_local int seed = 1; int tact_seed(void) { return seed++; }'
check "names: a hosted library" archive lib.a 'int strange(void) { return 1; }'
refuse "names: the second archive" "external name without tact_: strange" sh "$gates/names.sh" core.a lib.a

check "no-fma: plain code" sh "$gates/no-fma.sh" core.a
refuse "no-fma: no archive" "cannot read" sh "$gates/no-fma.sh" absent.a
refuse "no-fma: an archive of nothing" "no machine code in none.a" sh "$gates/no-fma.sh" none.a
case $(uname -m) in x86_64) fused=-mfma ;; *) fused= ;; esac
FLAGS="$fused -ffp-contract=fast"
check "no-fma: plant one" archive fma.a 'double tact_fused(double a, double b, double c) { return a * b + c; }'
FLAGS=
refuse "no-fma: a fused multiply-add" "1 fused multiply-adds in fma.a" sh "$gates/no-fma.sh" fma.a

# unity: all.c of two files against archives with the same, more and fewer symbols
export FLAGS="-O2 -std=c11"
echo 'int tact_a(void) { return 1; }' >src/base/a.c
echo 'int tact_b(void) { return 2; }' >src/base/b.c
printf '#include "base/a.c"\n#include "base/b.c"\n' >src/all.c
check "unity: plant" archive one.a "$(cat src/base/a.c)" "$(cat src/base/b.c)"
check "unity: the same symbols" sh "$gates/unity.sh" one.a
echo '#include "base/a.c"' >src/all.c
refuse "unity: a missing file" "< tact_b" sh "$gates/unity.sh" one.a
printf '#include "base/a.c"\n#include "base/b.c"\nint tact_c;\n' >src/all.c
refuse "unity: one symbol more" "> tact_c" sh "$gates/unity.sh" one.a
printf '#include "base/a.c"\n#include "base/b.c"\n#include "base/a.c"\n' >src/all.c
refuse "unity: a clash" "cannot compile src/all.c" sh "$gates/unity.sh" one.a

# analyse: the tools that are here find what they are for
repository=${gates%/test/gates}
mkdir -p test/gates house/base
cp "$repository/.clang-tidy" .
cp "$gates/cppcheck.txt" test/gates
analyse() { # TOOL
    mv src kept_src && mv house src
    make -s -f "$gates/analyse.mk" OUT=analysed JSON= "$1"
    found=$?
    mv src house && mv kept_src src
    return $found
}
finds() { # NAME TOOL WANTED LINE
    echo 'int tact_a(int x); int tact_a(int x) { return x + 1; }' >house/base/a.c
    check "$2: plain code" analyse "$2"
    rm -rf analysed
    printf '#include <stdlib.h>\n%s\n' "$4" >house/base/a.c
    refuse "$2: $1" "$3" analyse "$2"
    rm -rf analysed
}
leak='int tact_a(int x); int tact_a(int x) { int *p = malloc(sizeof *p); if (!p) return 0; *p = x; return *p; }'
guess='int tact_a(const char *text); int tact_a(const char *text) { return atoi(text); }'
beyond='int tact_a(void); int tact_a(void) { int list[3] = {1, 2, 3}; return list[3]; }'
case $(gcc -dumpversion 2>/dev/null) in 1[234] | 1[234].*) finds "a leak" gcc "leak of" "$leak" ;; esac
command -v clang-tidy >/dev/null && finds "an unchecked number" tidy cert-err34-c "$guess"
command -v cppcheck >/dev/null && finds "a place beyond an array" cppcheck arrayIndexOutOfBounds "$beyond"

# the runner: what it must count as failed
program() { # FILE BODY
    printf '%s\n' "$2" >"$1"
    chmod +x "$1"
}
program good.sh 'echo "good: 3 passed, 0 failed"'
program bad.sh 'echo "bad: 2 passed, 1 failed"; exit 1'
program silent.sh 'exit 0'
program crash.sh 'echo "half done"; kill -SEGV $$'
program code.sh 'echo "code: 5 passed, 0 failed"; exit 3'
program empty.sh 'echo "empty: 0 passed, 0 failed"'
program reason.sh 'echo "reason (not on this system): 0 passed, 0 failed"'
program part.sh 'echo "skipped: no such tool here"; echo "part: 1 passed, 0 failed"'
program hang.sh 'sleep 20; echo "hang: 1 passed, 0 failed"'
program slow.sh 'sleep 0.5; echo "slow: 1 passed, 0 failed"'
program first.sh ': >first; until [ -e second ]; do sleep 0.1; done; echo "first: 1 passed, 0 failed"'
program second.sh ': >second; until [ -e first ]; do sleep 0.1; done; echo "second: 1 passed, 0 failed"'
closing() { # WANTED PROGRAMS...
    wanted=$1
    shift
    TEST_TIMEOUT=1 JOBS=$jobs sh "$runner" "$@" >run.log 2>&1
    echo "$?: $(tail -n 1 run.log)" | grep -xF "$wanted" || { cat run.log; return 1; }
}
for jobs in 1 3; do
    check "runner: sums, $jobs at a time" closing "0: 6 passed, 0 failed" good.sh ./good.sh
    check "runner: a failed check" closing "1: 5 passed, 1 failed" bad.sh good.sh
    check "runner: no count" closing "1: 3 passed, 1 failed" silent.sh good.sh
    check "runner: a crash" closing "1: 3 passed, 1 failed" crash.sh good.sh
    check "runner: no such program" closing "1: 3 passed, 1 failed" ./absent good.sh
    check "runner: an exit code" closing "1: 5 passed, 1 failed" code.sh
    check "runner: no check made" closing "1: 0 passed, 1 failed" empty.sh
    check "runner: no check made, and why" closing "0: 3 passed, 0 failed" reason.sh good.sh
    check "runner: and that is told, too" grep -qxF '    skipped: reason (not on this system): 0 passed, 0 failed' run.log
    check "runner: a part is left out" closing "0: 1 passed, 0 failed" part.sh
    check "runner: and that is told" grep -qxF '    skipped: no such tool here' run.log
    check "runner: nothing but reasons" closing "1: 0 passed, 0 failed" reason.sh
    check "runner: no test at all" closing "1: 0 passed, 0 failed"
    check "runner: the same twice" closing "0: 9 passed, 0 failed" good.sh good.sh good.sh
    command -v timeout >/dev/null && check "runner: a hang" closing "1: 3 passed, 1 failed" hang.sh good.sh
    check "runner: the first ends last" closing "1: 6 passed, 1 failed" slow.sh good.sh bad.sh
    grep '^\[' run.log >run.lines
    printf '[1/3] slow: 1 passed, 0 failed\n[2/3] good: 3 passed, 0 failed\n[3/3] bad: 2 passed, 1 failed (exit 1)\n' >wanted.lines
    check "runner: and is told first" diff wanted.lines run.lines
done
check "runner: beside each other" closing "0: 2 passed, 0 failed" first.sh second.sh
# whoever runs the programs is gone: what was running and what was to come has no count
program killer.sh 'kill -KILL "$(sed "s/.*) [A-Z] //; s/ .*//" /proc/$PPID/stat)"'
jobs=1
if [ -r /proc/$$/stat ] && command -v timeout >/dev/null; then
    check "runner: killed" closing "1: 3 passed, 2 failed" good.sh killer.sh good.sh
fi

# rows of a table of builds
row_of() { # WANTED GOT: lines of a build and what was wanted
    bad=0 rows=0
    . "$repository/test/firmware/rows.sh"
    printf "$1" >wanted.lines
    printf "$2" >got.lines
    row build wanted.lines got.lines
    return $bad
}
check "rows: the same" row_of 'hand: 1\nbox: 2\n' 'box: 2\nhand: 1\n'
refuse "rows: another" DIFFERS row_of 'hand: 1\nbox: 2\n' 'hand: 1\nbox: 3\n'
refuse "rows: one less" DIFFERS row_of 'hand: 1\nbox: 2\n' 'hand: 1\n'
refuse "rows: nothing to compare with" DIFFERS row_of '' 'hand: 1\n'

test_end gates
