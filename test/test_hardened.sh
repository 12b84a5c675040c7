#!/bin/sh
# SPDX-License-Identifier: MIT
# The command and the shared library are hardened, as their ELF files say: position independent, addresses bound at the start and
# then read-only, no stack that can be run, canaries, and checked copies where the build is optimised; the core without canaries.
. test/test.sh
skip() {
    echo "skipped: $1"
    echo "hardened ($1): 0 passed, 0 failed"
    exit 0
}
command -v readelf >/dev/null || skip "no readelf"
case $(head -c 4 "$TACT" | tr -d '\177') in ELF) ;; *) skip "no ELF files here" ;; esac
grep -q -e -fstack-protector-strong "$BUILD/flags" || skip "built with sanitizers, or the compiler has no canaries"
grep -q -e -static "$BUILD/flags" && skip "linked statically"

for file in "$TACT" "$BUILD"/libtact*.so; do
    name=${file##*/}
    readelf -W -h -l -d --dyn-syms "$file" >"$work/elf" 2>/dev/null
    check "$name is position independent" grep -q 'Type: *DYN' "$work/elf"
    check "$name binds all addresses at its start" grep -qE '\(FLAGS(_1)?\).*(BIND_)?NOW' "$work/elf"
    check "$name has tables that become read-only" grep -q GNU_RELRO "$work/elf"
    check "$name runs nothing on the stack" sh -c "grep GNU_STACK '$work/elf' | grep -q 'RW ' && ! grep GNU_STACK '$work/elf' | grep -q RWE"
    check "$name has canaries" grep -q __stack_chk_fail "$work/elf"
    grep -q FORTIFY_SOURCE "$BUILD/flags" && check "$name has checked copies" grep -qE '__[a-z]+_chk' "$work/elf"
done
check "the command is one of PIE's" sh -c "readelf -W -d '$TACT' | grep -q 'FLAGS_1.*PIE'"
# a hot path pays for none of it, unless the caller's own flags say so
if ! grep -o '.*-std=c11' "$BUILD/flags" | grep -q -e -fstack-protector; then
    nm "$BUILD/libtact-core.a" >"$work/core" 2>/dev/null
    check "the core has symbols" grep -q tact_step "$work/core"
    check "the core has no canaries" sh -c "! grep -q __stack_chk_fail '$work/core'"
fi
test_end hardened
