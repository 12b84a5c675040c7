#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed of this machine: tact bench and tact batch into test/bench/results/CPU.csv, and two plots beside it. From the
# repository root: sh test/bench/bench.sh TACT
set -u
tact=$1 folder=test/bench/results
LC_ALL=C
export LC_ALL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
[ -n "$cpu" ] || cpu=$(uname -m)
name=$(echo "$cpu" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\n' '-' | sed 's/^-*//; s/-*$//')
cores=$(getconf _NPROCESSORS_ONLN)
csv=$work/csv
grasp="data/scenes/lesson.json --set options.margin=0.2"

stop() {
    echo "bench: $*" >&2
    exit 1
}

echo "series,x,value,unit" >"$csv"
# shellcheck disable=SC2086 # a list of words
"$tact" bench $grasp --steps data/golden/six_contacts.jsonl >"$work/steps" || stop "tact bench"
awk '/^  [a-z].*[0-9]$/ { for (i = NF; i > 2 && $(i - 1) ~ /^[0-9.e+-]+$/; i--);
    name = $1; for (k = 2; k < i; k++) name = name " " $k
    gsub(/,/, "", name); print "one core," name "," $i ",us" }' "$work/steps" >>"$csv"

"$tact" bench --scaling --samples 21 >"$work/scaling" || stop "tact bench --scaling"
awk '/fingers +contacts/ { series++ } /^  [0-9]/ { print (series == 1 ? "fingers" : "contacts") "," (series == 1 ? $1 : $2) "," $NF ",us" }
    /~ size/ { sub(/.*\^/, ""); print "exponent," (series == 1 ? "fingers" : "contacts") "," $1 "," }' "$work/scaling" >>"$csv"

# tact batch as users run it, the best of nine, since whatever else runs takes its share: steps per second, and per second of
# processor, which says what threads cost each other
rate() { # THREADS LANES
    for i in 1 2 3 4 5 6 7 8 9; do
        rm -rf "$work/out"
        # shellcheck disable=SC2086
        "$tact" batch $grasp --envs 4000 --steps 100 --threads "$1" --lanes "$2" --output "$work/out" 2>&1 >/dev/null |
            sed -n 's/.* s, \([0-9.e+]*\) steps\/s.*, \([0-9.e+-]*\) s of processor.*/\1 \2/p'
    done | awk '$1 > best { best = $1 } !least || $2 < least { least = $2 } END { if (NR) print best, 400000 / least }'
}
widths=$("$tact" batch data/scenes/lesson.json --lanes 3 2>&1 | sed -n 's/.*machine has \([0-9, ]*\) (.*/\1/p' | tr -d ,)
[ -n "$widths" ] || stop "tact batch does not say which widths it has"
for lanes in $widths; do
    threads=1
    while [ "$threads" -le "$cores" ]; do
        value=$(rate "$threads" "$lanes")
        [ -n "$value" ] || stop "tact batch --threads $threads --lanes $lanes"
        echo "$value" | awk -v l="$lanes" -v t="$threads" '{ printf "%d lanes,%d,%.0f,steps/s\n", l, t, $1
            printf "%d lanes a core,%d,%.0f,steps/s of processor\n", l, t, $2 }' >>"$csv"
        threads=$((threads < cores && 2 * threads > cores ? cores : 2 * threads))
    done
done

mkdir -p "$folder"
cp "$csv" "$folder/$name.csv"
awk -v title="tact batch, hand with six contacts, $cpu" -v across="threads" -v up="steps/s" -v series="lanes," -f test/bench/plot.awk \
    "$csv" >"$folder/$name-threads.svg" || stop "plot"
awk -v title="a cold step, $cpu" -v across="fingers or contacts" -v up="us" -v series='^(fingers|contacts),' -v logarithmic=1 \
    -f test/bench/plot.awk "$csv" >"$folder/$name-scaling.svg" || stop "plot"
cat "$csv"
echo "bench: $folder/$name.csv, $name-threads.svg, $name-scaling.svg" >&2
