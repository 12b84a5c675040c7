#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/coverage.sh FOLDER LAYER...: runs the tests compiled with --coverage in FOLDER and prints, of the LAYERS of src,
# the branches that no test took, per file with their lines, and the share of those taken. Below 96.5 % fails.
# A branch of a header is taken when one of the files that include it took it. The assertions are not compiled in.
set -u
folder=$1
shift
least=96.5
find "$folder/obj" -name '*.gcda' -exec rm {} +
programs=$(for source in test/test_*.c; do echo "$folder/test/$(basename "$source" .c)"; done)
# shellcheck disable=SC2086
TACT=$folder/tact BUILD=$folder CC=gcc REAL=double SAN='' sh test/run.sh $programs test/test_friction.sh test/test_grad.sh \
    test/test_lcp.sh test/test_qcqp.sh test/test_rigid.sh test/test_scenes.sh test/test_virtual.sh >"$folder/tests" || { tail -n 40 "$folder/tests"; exit 1; }
for layer in "$@"; do
    [ -d "$folder/obj/$layer" ] || { echo "coverage: no $folder/obj/$layer" >&2; exit 1; }
done
# what no test was linked with counts, too
for layer in "$@"; do
    find "$folder/obj/$layer" -name '*.gcno' -exec gcov -b -c -t {} + 2>/dev/null
done | awk -v layers="$*" -v least=$least '
    BEGIN { gsub(/ /, "|", layers); own = "^(src/(" layers ")|include/tact)/" }
    / 0:Source:/ { sub(/.*Source:/, ""); file = $0; next }
    /^branch/ {
        key = file SUBSEP line SUBSEP $2
        seen[key]
        if ($3 == "taken" && $4 > 0) taken[key]
        next
    }
    /^ *[^ ]+: *[0-9]+:/ { split($0, part, ":"); line = part[2] + 0 }
    END {
        for (key in seen) {
            split(key, of, SUBSEP)
            if (of[1] !~ own) continue
            all++
            count[of[1]]++
            if (key in taken) { hit++; continue }
            missing[of[1]]++
            if (!((of[1], of[2]) in listed)) lines[of[1]] = lines[of[1]] " " of[2]
            listed[of[1], of[2]]
        }
        for (file in missing) {
            printf "%4d of %4d not taken, %s:", missing[file], count[file], file | "sort -rn"
            number = split(lines[file], each, " ")
            for (i = 1; i <= number; i++) for (j = i; j > 1 && each[j] + 0 < each[j - 1] + 0; j--) {
                other = each[j]; each[j] = each[j - 1]; each[j - 1] = other
            }
            for (i = 1; i <= number; i++) printf " %d", each[i] | "sort -rn"
            printf "\n" | "sort -rn"
        }
        close("sort -rn")
        printf "coverage: %d of %d branches of the core taken: %.1f %%\n", hit, all, all ? 100 * hit / all : 0
        exit !(all && 100 * hit >= least * all)
    }'
