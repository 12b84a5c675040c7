#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/no-fma.sh ARCHIVE: fails when the machine code holds fused multiply-adds (x86 or ARM): they round once where
# the source rounds twice, and the results would depend on the machine.
set -u
code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
objdump -d "$1" >"$code" || { echo "no-fma: cannot read $1" >&2; exit 1; }
grep -qE '^ +[0-9a-f]+:' "$code" || { echo "no-fma: no machine code in $1" >&2; exit 1; }

fused='vfn?m(add|sub)|[[:space:]](fn?madd|fn?msub|fmla|fmls|vfn?ma|vfn?ms)[[:space:].]'
found=$(grep -cE "$fused" "$code")
if [ "$found" -ne 0 ]; then
    awk -v fused="$fused" '/^[0-9a-f]+ </ { name = $2 } $0 ~ fused && !seen[name]++ { print "no-fma: in " name }' "$code" >&2
    echo "no-fma: $found fused multiply-adds in $1" >&2
    exit 1
fi
echo "no-fma: none in $1"
