#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/unity.sh ARCHIVE: compiles src/all.c, the core in one file, with gcc and clang (whichever is there) and the
# flags in FLAGS, and fails when its external symbols are not those of the core archive.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

external() {
    nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort
}

external "$1" >"$work/archive"
[ -s "$work/archive" ] || { echo "unity: no symbols in $1" >&2; exit 1; }
done=
for cc in gcc clang; do
    command -v $cc >/dev/null || continue
    # shellcheck disable=SC2086  # FLAGS is a list of words
    $cc $FLAGS -c src/all.c -o "$work/all.o" || { echo "unity: $cc cannot compile src/all.c" >&2; exit 1; }
    external "$work/all.o" >"$work/all"
    if ! cmp -s "$work/archive" "$work/all"; then
        echo "unity: src/all.c and $1 differ ($cc; < archive, > all.c):" >&2
        diff "$work/archive" "$work/all" | grep '^[<>]' >&2
        exit 1
    fi
    done="$done $cc"
done
[ -n "$done" ] || { echo "unity: neither gcc nor clang found" >&2; exit 1; }
echo "unity: $(wc -l <"$work/archive") symbols as in $1 with$done"
