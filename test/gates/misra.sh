#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/misra.sh FOLDER: cppcheck's MISRA C:2012 addon over the core as one file; prints how often each rule is broken, and
# fails where a mandatory rule is.
set -eu
folder=$1
command -v cppcheck >/dev/null || { echo "skipped: misra (no cppcheck)"; exit 0; }
mkdir -p "$folder/misra"
# the layers of the core, in double precision; what another compiler flag chooses is left out
files=$(find src/base src/math src/solve src/tree src/geom src/contact src/law src/sim src/deriv src/plan -name '*.c' | grep -vE '_(float|lapack)\.c$' | sort)
# shellcheck disable=SC2086
cppcheck --addon=misra --quiet -j 2 --std=c11 -Iinclude -Isrc $files 2>"$folder/misra/found" ||
    { echo "misra: cppcheck failed" >&2; cat "$folder/misra/found" >&2; exit 1; }
grep -o 'misra-c2012-[0-9.]*' "$folder/misra/found" | sed 's/misra-c2012-//' | sort -V | uniq -c | sort -k1,1nr >"$folder/misra/rules"
[ -s "$folder/misra/rules" ] || { echo "misra: the addon said nothing" >&2; cat "$folder/misra/found" >&2; exit 1; }
awk '{ printf "  %-6s %5d\n", $2, $1; sum += $1 } END { printf "misra: %d places, %d rules\n", sum, NR }' "$folder/misra/rules"
# MISRA C:2012 with amendments: mandatory
if grep -E ' (9\.1|12\.5|13\.6|17\.3|17\.4|17\.6|17\.9|19\.1|21\.13|21\.17|21\.18|21\.19|21\.20|22\.2|22\.4|22\.5|22\.6)$' "$folder/misra/rules"; then
    echo "misra: a mandatory rule is broken" >&2
    exit 1
fi
