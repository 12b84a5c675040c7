#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/abi.sh LIBRARY.so [--write]: the shared library's interface (functions, structs, enums that the headers show) is that
# of its version, which test/gates/abi holds: within a version nothing that compiled programs rely on may change. A version that has
# no file yet is in the making: --write ends that. Needs abidw and abidiff (Debian: abigail-tools).
set -eu
library=$1
version=$(sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
kept=test/gates/abi/$version.abi.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

abidw --headers-dir include/tact --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs --exported-interfaces-only \
    --out-file "$work/now.abi" "$library"
[ "$(grep -c '<elf-symbol ' "$work/now.abi")" -gt 100 ] || { echo "abi: no symbols read from $library" >&2; exit 1; }
if [ "${2-}" = --write ]; then
    mkdir -p test/gates/abi
    xz -9 <"$work/now.abi" >"$kept"
    echo "abi: wrote $kept"
elif [ ! -f "$kept" ]; then
    echo "abi: version $version is in the making: nothing to compare with (make abi WRITE=1 when it is published)"
else
    xz -d <"$kept" >"$work/kept.abi"
    abidiff --no-show-locs --no-added-syms "$work/kept.abi" "$work/now.abi" >"$work/said" || {
        cat "$work/said"
        echo "abi: programs compiled with $version would break: take a new TACT_VERSION (or, before it is published, make abi WRITE=1)"
        exit 1
    }
    echo "abi: as version $version has it"
fi
