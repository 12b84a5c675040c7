#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/firmware/run.sh TACT [TARGETS [SCENES]]: bakes test/firmware/hand.json, or the scenes, and makes the run of 1,000 steps on every target for which there
# are a compiler and an emulator. All must end with the host's fingerprint, in double and in float. For the microcontrollers it
# prints flash, RAM, stack and instructions of a step, and of a solve of the hand's controller, and fails above the limits. TARGETS: some of "user wasm cortex", or of
# the machines that "user" stands for; all without. REALS: double, float or both. Missing tools are named; REQUIRE=1 fails then.
set -u
tact=$1 targets=${2:-user wasm cortex} scenes=${3:-}
here=test/firmware
# KEEP: a folder in which sources and answers stay
work=${KEEP:-$(mktemp -d)} || exit 1
[ "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
bad=0 rows=0
. $here/rows.sh
reals=${REALS:-double float}
numbers="-std=c11 -ffp-contract=off -fno-math-errno"

fail() {
    echo "firmware: $*"
    bad=1
}

asked() { # TARGET
    case " $targets " in *" $1 "*) ;; *) return 1 ;; esac
}

lack() { # TOOL
    if [ "${REQUIRE:-}" ]; then fail "no $1"; else echo "firmware: skipped where $1 is needed: not installed"; fi
    return 1
}

have() { # TOOLS...
    for tool in "$@"; do
        command -v "$tool" >/dev/null || lack "$tool" || return
    done
}

sh src/amalgam.sh "$work" "scene batch trace worlds view" || exit 1
# the models: the hand, or a scene for each law
[ "$scenes" ] || scenes=$here/hand.json
# the hand's controller, too
mpc="" planned=""
[ "$scenes" != $here/hand.json ] || mpc=--mpc planned=-DPLANNED
: >"$work/model.c"
printf '#include "tact.h"\n' >"$work/model.h"
list=
for scene in $scenes; do
    name=$(basename "$scene" .json)
    list="$list X($name)"
    # shellcheck disable=SC2086
    "$tact" bake "$scene" --name "$name" $mpc --include tact.h --header >>"$work/model.h" || exit 1
    # shellcheck disable=SC2086
    "$tact" bake "$scene" --name "$name" $mpc --include tact.h >>"$work/model.c" || exit 1
done
{
    echo "#define MODELS $list"
    echo "#ifndef MODEL_WORK_SIZE"
    for part in state work; do
        most=$(sed -n "s/.*_${part}_size = \([0-9]*\),/\1/p" "$work/model.h" | sort -n | tail -n 1)
        echo "#define MODEL_${part}_SIZE $most" | tr a-z A-Z | sed 's/#DEFINE/#define/'
    done
    echo "#endif"
} >"$work/sizes"
cat "$work/sizes" >>"$work/model.h"
sources="$work/tact.c $work/model.c $here/hand.c"
[ ! "$mpc" ] || sources="$planned $sources $here/plan.c"

# the host's answer, which the others must give
for real in $reals; do
    # shellcheck disable=SC2086
    ${CC:-cc} $numbers -O2 $([ $real = float ] && echo -DTACT_FLOAT) -I"$work" -o "$work/host" $sources $here/host.c || exit 1
    "$work/host" >"$work/$real" || exit 1
    echo "host $real"
    sed 's/^/    /' "$work/$real"
done
header "$work/$real"

same() { # NAME REAL COMMAND...: its lines are the host's
    name=$1 real=$2
    shift 2
    "$@" >"$work/got" 2>&1 </dev/null || fail "$name $real: exit $?: $(tail -n 3 "$work/got")"
    row "$name $real" "$work/$real" "$work/got"
}

user() { # NAME COMPILER EMULATOR FLAGS...
    name=$1 compiler=$2 emulator=$3
    shift 3
    asked user || asked "$name" || return
    have "$compiler" "$emulator" || return
    for real in $reals; do
        # shellcheck disable=SC2086
        "$compiler" $numbers -O2 "$@" $([ $real = float ] && echo -DTACT_FLOAT) -I"$work" -static -o "$work/user" \
            $sources $here/host.c -lm || { fail "$name $real does not compile"; continue; }
        same "$name" $real timeout 600 "$emulator" "$work/user"
    done
}
user aarch64 aarch64-linux-gnu-gcc qemu-aarch64
user armhf arm-linux-gnueabihf-gcc qemu-arm
user riscv64 riscv64-linux-gnu-gcc qemu-riscv64
user s390x s390x-linux-gnu-gcc qemu-s390x -fexcess-precision=fast
user mips mips-linux-gnu-gcc qemu-mips
user i686 i686-linux-gnu-gcc qemu-i386 -msse2 -mfpmath=sse

wasi() {
    echo 'int main(void) { return 0; }' >"$work/try.c" && clang --target=wasm32-wasi -o "$work/try.wasm" "$work/try.c" 2>/dev/null ||
        lack "wasi-libc"
}
if asked wasm && have clang wasm-ld node && wasi; then
    for real in $reals; do
        # shellcheck disable=SC2086
        clang --target=wasm32-wasi $numbers -O1 $([ $real = float ] && echo -DTACT_FLOAT) -I"$work" -o "$work/hand.wasm" \
            $sources $here/host.c || { fail "wasm32 $real does not compile"; continue; }
        same wasm32 $real timeout 600 node --no-warnings $here/wasi.mjs "$work/hand.wasm"
    done
fi

core() { # FLAGS...: object files of the core
    rm -rf "$work/o"
    mkdir "$work/o"
    for file in $(sed -n 's/^#include "\(.*\)\.c"$/\1/p' src/all.c); do
        optimise=-Os
        case " $fast " in *" $file "*) optimise=-O2 ;; esac
        # shellcheck disable=SC2086
        arm-none-eabi-gcc "$@" -flto $optimise -Iinclude -Isrc -c "src/$file.c" \
            -o "$work/o/$(echo "$file" | tr / _).o" || return 1
    done
}

emulate() { # BOARD PROGRAM
    timeout 600 qemu-system-arm -M "$1" -icount shift=5,align=off,sleep=off -nographic -monitor none -serial none \
        -chardev stdio,id=s -semihosting-config enable=on,target=native,chardev=s -kernel "$2" </dev/null
}

# Optimised once more as a whole, without a C library: what the compiler calls is in cortex.c and libgcc. The call graphs are left
# beside the program.
link() { # SOURCES FLAGS...
    parts=$1
    shift
    rm -f "$work"/*.ci
    # shellcheck disable=SC2086
    arm-none-eabi-gcc "$@" -Os -fno-tree-loop-distribute-patterns -fcallgraph-info=su -c $here/cortex.c -o "$work/cortex.o" &&
        arm-none-eabi-gcc "$@" -Os -flto=1 -flto-partition=one -fcallgraph-info=su -I"$work" -nostdlib -T $here/mps2.ld -Wl,--gc-sections \
            -o "$work/target.elf" "$work"/o/*.o "$work/cortex.o" "$work/model.c" $here/hand.c $parts -lgcc
}

field() { # PATTERN: the number after it in what the target printed
    sed -n "s/.*$1 \([0-9]*\).*/\1/p" "$work/got" | head -n 1
}

above() { # NAME FIGURE VALUE LIMIT
    [ "$4" -eq 0 ] || [ "$3" -le "$4" ] || fail "$1: $2 $3, above $4"
}

# Of the image that was linked last: flash, ram and stack [bytes], a bound by the call graph.
weigh() {
    # text and initial data; data and zeros less the board's room for the stack
    arm-none-eabi-size "$work/target.elf" | tail -n 1 >"$work/size"
    read -r text data zeros rest <"$work/size"
    stack=$(cat "$work"/*.ci | awk -v roots=cortex_reset -v indirect="$indirect" -f $here/stack.awk) || { fail "$name $real: $stack"; return 1; }
    flash=$((text + data)) ram=$((data + zeros - 32768 + stack))
}

# Once to ask how much memory this target needs, then with what it says: flags for the second time are the words of $needs.
run_twice() { # NEEDS SOURCES FLAGS...
    needs=$1 parts=$2
    shift 2
    link "$parts" "$@" || { fail "$name $real does not link"; return 1; }
    emulate "$board" "$work/target.elf" >"$work/got" || { fail "$name $real: $(cat "$work/got")"; return 1; }
    eval "set -- \"\$@\" $needs"
    link "$parts" "$@" && emulate "$board" "$work/target.elf" >"$work/got" || { fail "$name $real: $(cat "$work/got")"; return 1; }
}

# A step of the hand; then a solve of its controller, whose plant takes memory, too.
weigh_hand() { # FLAGS...
    run_twice '"-DMODEL_STATE_SIZE=$(field state)" "-DMODEL_WORK_SIZE=$(field " work")"' $here/target.c "$@" && weigh || return
    cp "$work/got" "$work/all"
    [ ! "${KEEP:-}" ] || cp "$work/target.elf" "$work/$name-$real.elf"
    mean=$(field 'a step') used=$(field stack)
    figures=$(printf '    flash %d, RAM %d with a stack of %d (used %d), instructions a step %d mean, %d most; state %d, work %d' $flash $ram \
        "$stack" "$used" "$mean" "$(field mean,)" "$(field state)" "$(field ' work')")
    # shellcheck disable=SC2086
    set -- $bounds
    above "$name $real" flash $flash "$1"
    above "$name $real" RAM $ram "$2"
    above "$name $real" stack "$stack" "$3"
    # what the call graph says is no less than what was written to
    above "$name $real" "stack used" "$used" "$stack"
    above "$name $real" "instructions a step" "$mean" "$4"
}

weigh_plan() { # FLAGS...
    run_twice '"-DPLAN_SIZE=$(field plan)"' "$here/plan_target.c $here/plan.c" "$@" && weigh || return
    cat "$work/got" >>"$work/all"
    [ ! "${KEEP:-}" ] || cp "$work/target.elf" "$work/plan-$name-$real.elf"
    mean=$(field 'a solve') used=$(field written)
    figures="$figures
$(printf '    controller: flash %d, RAM %d with a stack of %d (used %d), instructions a solve %d warm, %d most; plan %d and %d' $flash $ram \
        "$stack" "$used" "$mean" "$(field warm,)" "$(field plan)" "$(field 'bytes and')")"
    above "$name $real" "stack used by a solve" "$used" "$stack"
    [ "$real" = double ] || above "$name $real" "instructions a solve" "$mean" "$solve"
}

cortex() { # NAME REAL BOARD CPU FPU LIMITS of flash, RAM, stack [bytes] and instructions; 0: none FAST: files made for speed
    name=$1 real=$2 board=$3 bounds=$6 fast=$7
    # shellcheck disable=SC2086
    set -- -mcpu="$4" -mfpu="$5" -mthumb -mfloat-abi=hard $numbers -DNDEBUG -ffunction-sections \
        -fdata-sections -Wall -Wextra -Werror
    [ "$real" = double ] || set -- "$@" -DTACT_FLOAT
    # the hand's model has 24 dofs, and spheres against spheres and a plane
    [ ! "$indirect" ] || set -- "$@" -DTACT_MOST_UNKNOWNS=64 -DTACT_HULLS=0 -DTACT_GRIDS=0 -DTACT_POLYGONS=0 -DTACT_BALLS_ONLY=1 -DTACT_TIES=0
    [ ! "$indirect" ] || set -- "$@" -DTACT_GUESS=0
    core "$@" || { fail "$name $real does not compile"; return; }
    if [ ! "$indirect" ]; then
        # in the host's sizes
        link $here/target.c "$@" || { fail "$name $real does not link"; return; }
        same "$name" "$real" emulate "$board" "$work/target.elf"
        return
    fi
    weigh_hand "$@" || return
    # the controller's steps have a guess
    set -- "$@" -UTACT_GUESS
    core "$@" || { fail "$name $real does not compile"; return; }
    weigh_plan "-DMODEL_STATE_SIZE=$(field state)" "-DMODEL_WORK_SIZE=$(field ' work')" "$@" || return
    row "$name $real" "$work/$real" "$work/all"
    echo "$figures"
}

# Where a step gains most for its size, the code is made for speed, the rest for size; in double, which has no such room to find,
# more of it.
# Of a solve, which the hand's image does not hold, the backward pass, its steps within bounds, the residuals and the derivatives.
plan="plan/mpc plan/residual plan/boxqp deriv/linearise"
quick="tree/kinematics solve/newton $plan" small="tree/kinematics $plan" solve=4200000
# what the law's table points to; of several laws only the bits are looked at
limits="49152 24576 4096 60000" indirect="place_barrier prepare_barrier step_barrier"
[ "$scenes" = $here/hand.json ] || limits="0 0 0 0" indirect=
if asked cortex && have arm-none-eabi-gcc qemu-system-arm; then
    case " $reals " in *" double "*) cortex "Cortex-M7" double mps2-an500 cortex-m7 fpv5-d16 "0 0 0 0" "$quick" ;; esac
fi
case " $reals " in *" float "*) single=1 ;; *) single= ;; esac
if [ "$single" ] && asked cortex && have arm-none-eabi-gcc qemu-system-arm; then
    cortex "Cortex-M7" float mps2-an500 cortex-m7 fpv5-d16 "$limits" "$small"
    # the fixed rate of the hand, on the target as it is linked last
    if [ "$indirect" ]; then
        rm -f "$work/got"
        link $here/loop.c -mcpu=cortex-m7 -mfpu=fpv5-d16 -mthumb -mfloat-abi=hard -DNDEBUG -DTACT_FLOAT -Wall -Wextra -Werror \
            $numbers && emulate mps2-an500 "$work/target.elf" >"$work/got" || fail "the loop"
        [ ! -f "$work/got" ] || sed 's/^/    /' "$work/got"
    fi
    cortex "Cortex-M4F" float mps2-an386 cortex-m4 fpv4-sp-d16 "$limits" "$small"
fi
[ $rows -gt 0 ] || fail "nothing was run"
exit $bad
