#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/firmware/sizes.sh TACT SCENE [NAME]: bakes the scene, compiles it with the core for a Cortex-M7, and prints to the byte
# what its state and work need there, in single and in double precision, as constants for a header. The sizes are those of all
# machines whose int and pointers have four bytes and whose double is aligned to eight: Cortex-M, rv32, wasm32.
set -eu
tact=$1 scene=$2
here=test/firmware
name=${3:-$(basename "$scene" .json | tr -c 'A-Za-z0-9\n' _)}
for tool in arm-none-eabi-gcc qemu-system-arm; do
    command -v $tool >/dev/null || { echo "sizes: error: no $tool: install gcc-arm-none-eabi and qemu-system-arm" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh src/amalgam.sh "$work" "scene batch trace worlds view"
"$tact" bake "$scene" --name "$name" --include tact.h --header -o "$work/model.h"
"$tact" bake "$scene" --name "$name" --include tact.h -o "$work/model.c"
for real in -DTACT_FLOAT ""; do
    # nothing is stepped: what is not called is left out
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -mcpu=cortex-m7 -mfpu=fpv5-d16 -mthumb -mfloat-abi=hard -std=c11 -ffp-contract=off -fno-math-errno -O1 $real \
        -fno-tree-loop-distribute-patterns -ffunction-sections -fdata-sections -Wl,--gc-sections -nostdlib -T $here/mps2.ld \
        -DNDEBUG -DMODEL="$name" -I"$work" -I$here \
        "$work/tact.c" "$work/model.c" $here/cortex.c $here/sizes.c -lgcc -o "$work/sizes.elf"
    timeout 60 qemu-system-arm -M mps2-an500 -nographic -monitor none -serial none -chardev stdio,id=s \
        -semihosting-config enable=on,target=native,chardev=s -kernel "$work/sizes.elf" </dev/null || { echo "sizes: error: the target ends with $?" >&2; exit 1; }
done
