#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the library for the page: sh src/view/page/wasm/build.sh OUTPUT.wasm FOLDER. Needs clang, wasm-ld and wasi-libc. The
# linker is called directly: the compiler would run wasm-opt where that is installed, and the bytes would differ.
set -eu
output=$1 folder=$2
here=src/view/page/wasm
find_tool() { for tool in "$@"; do command -v "$tool" && return; done; }
cc=$(find_tool "${WASM_CC:-clang-14}" clang-14 clang || true)
ld=$(find_tool "${WASM_LD:-wasm-ld-14}" wasm-ld-14 wasm-ld || true)
sysroot=${WASI_SYSROOT:-/usr}
[ -n "$cc" ] && [ -n "$ld" ] && [ -f "$sysroot/lib/wasm32-wasi/libc.a" ] || {
    echo "wasm: needs clang, wasm-ld and wasi-libc (Debian: apt-get install clang lld wasi-libc libclang-rt-14-dev-wasm32)" >&2
    exit 1
}
# a folder of its own, and the library appears when it is whole: two may build at once
mkdir -p "$(dirname "$folder")"
folder=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# the whole core, and of the hosted layers what needs no system
sources=$(for layer in base math solve tree geom contact law sim deriv plan; do ls src/$layer/*.c; done | grep -v '_lapack\.c$')
hosted=$(ls src/scene/*.c src/trace/names.c src/trace/header.c src/trace/write.c src/trace/explain.c src/view/picture.c src/view/mesh*.c src/view/base64.c \
    $here/*.c | grep -v '/text_read\.c$\|/file\.c$\|/json_parse\.c$\|/mesh_file\|/robot_read')
export_names=$(sed -n 's/^[a-z].*\(tact_page_[a-z_]*\)(.*;.*$/--export=\1/p' $here/page.h)
for source in $sources $hosted; do
    # small; steps are as fast as with -O2, since the browser compiles once more
    case $source in src/scene/* | src/trace/* | src/view/*) level=-Oz ;; *) level=-Os ;; esac
    object=$folder/$(echo "$source" | tr / _).o
    "$cc" --target=wasm32-wasi -std=c11 $level -ffp-contract=off -fno-fast-math -ffunction-sections -fdata-sections -DNDEBUG \
        -Wall -Wextra -Werror -I$here -Iinclude -Isrc -c "$source" -o "$object" &
    # two at a time
    [ $((count = ${count:-0} + 1)) -lt 2 ] || { wait; count=0; }
done
wait
for source in $sources $hosted; do
    [ -f "$folder/$(echo "$source" | tr / _).o" ] || { echo "wasm: $source does not compile" >&2; exit 1; }
done
# shellcheck disable=SC2086 # lists of words
"$ld" --no-entry --strip-all --gc-sections -z stack-size=1048576 --initial-memory=4194304 $export_names \
    "$folder"/*.o -L"$sysroot/lib/wasm32-wasi" -lc "$("$cc" --target=wasm32-wasi -print-libgcc-file-name)" -o "$folder/tact.wasm"
mv "$folder/tact.wasm" "$output"
