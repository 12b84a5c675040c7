#!/bin/sh
# SPDX-License-Identifier: MIT
# The speed of this machine: tact bench and tact batch into test/bench/results/CPU.csv, and two plots beside it. All that is
# measured is measured in turn, round after round (ROUNDS=12 of them, or as many as begin within MOST=110 seconds), and the best of the
# rounds is taken: whatever else runs on the machine only makes figures worse. From the repository root: sh test/bench/bench.sh TACT
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
envs=4000 steps=200

stop() {
    echo "bench: $*" >&2
    exit 1
}

# series,x,value,unit: times of one core
measure_steps() {
    # shellcheck disable=SC2086 # a list of words
    "$tact" bench $grasp --steps data/golden/six_contacts.jsonl --samples 50 >"$work/said" || stop "tact bench"
    awk '/^  [a-z].*[0-9]$/ { for (i = NF; i > 2 && $(i - 1) ~ /^[0-9.e+-]+$/; i--);
        name = $1; for (k = 2; k < i; k++) name = name " " $k
        gsub(/,/, "", name); print "one core," name "," $i ",us" }' "$work/said"
}

measure_scaling() {
    "$tact" bench --scaling --samples 21 >"$work/said" || stop "tact bench --scaling"
    awk '/fingers +contacts/ { series++ } /^  [0-9]/ { name = series == 1 ? "fingers" : "contacts"; size = series == 1 ? $1 : $2
        print name "," size "," $NF ",us"; print name " iterations," size "," $4 ",1" }' "$work/said"
}

# tact batch as users run it: steps per second, and per second of processor, which says what threads cost each other
measure_batch() { # THREADS LANES
    rm -rf "$work/out"
    # shellcheck disable=SC2086
    "$tact" batch $grasp --envs $envs --steps $steps --threads "$1" --lanes "$2" --output "$work/out" 2>"$work/said" >/dev/null ||
        stop "tact batch --threads $1 --lanes $2"
    sed -n 's/.* s, \([0-9.e+]*\) steps\/s.*, \([0-9.e+-]*\) s of processor.*/\1 \2/p' "$work/said" |
        awk -v l="$2" -v t="$1" -v n=$((envs * steps)) '{ lanes = l (l == 1 ? " lane" : " lanes")
            printf "%s,%d,%.0f,steps/s\n%s a core,%d,%.0f,steps/s of processor\n", lanes, t, $1, lanes, t, n / $2 }'
}

widths=$("$tact" batch data/scenes/lesson.json --lanes 3 2>&1 | sed -n 's/.*machine has \([0-9, ]*\) (.*/\1/p' | tr -d ,)
[ -n "$widths" ] || stop "tact batch does not say which widths it has"
round=0 begin=$(date +%s)
while [ $round -lt "${ROUNDS:-12}" ] && [ $(($(date +%s) - begin)) -lt "${MOST:-110}" ]; do
    round=$((round + 1))
    measure_steps >>"$work/all" && measure_scaling >>"$work/all" || exit 1
    for lanes in $widths; do
        threads=1
        while [ "$threads" -le "$cores" ]; do
            measure_batch "$threads" "$lanes" >>"$work/all" || exit 1
            threads=$((threads < cores && 2 * threads > cores ? cores : 2 * threads))
        done
    done
done

# the best of each, in the order in which they came; how the time of an iteration grows above a size of 8; and what threads gain:
# on the clock, which is theirs only on a machine that does nothing else, and by the processor they take for the same work
awk -F, 'BEGIN { print "series,x,value,unit" }
    { key = $1 "," $2; if (!(key in best)) { order[++n] = key; unit[key] = $4; best[key] = $3 }
      better = unit[key] == "us" ? $3 + 0 < best[key] + 0 : $3 + 0 > best[key] + 0
      if (better) best[key] = $3 }
    function slope(name, low, count, x, y, i, part, sx, sy, sxx, sxy) {
        for (i = 1; i <= n; i++) {
            split(order[i], part, ",")
            if (part[1] != name || part[2] < low) continue
            x = log(part[2]); y = log(best[order[i]] / best[name " iterations," part[2]])
            count++; sx += x; sy += y; sxx += x * x; sxy += x * y
        }
        printf "exponent,%s,%.2f,1\n", name, (count * sxy - sx * sy) / (count * sxx - sx * sx)
    }
    END { for (i = 1; i <= n; i++) if (order[i] !~ / iterations,/) print order[i] "," best[order[i]] "," unit[order[i]]
        slope("fingers", 8); slope("contacts", 16)
        for (i = 1; i <= n; i++) {
            split(order[i], part, ",")
            if (part[1] !~ / lanes?$/ || part[2] == 1) continue
            alone = part[1] " a core,"
            printf "gain of %s,%d,%.2f,times one thread\n", part[1], part[2], best[order[i]] / best[part[1] ",1"]
            printf "gain of %s a core,%d,%.2f,times one thread by seconds of processor\n", part[1], part[2],
                part[2] * best[alone part[2]] / best[alone "1"]
        } }' "$work/all" >"$csv"

mkdir -p "$folder"
cp "$csv" "$folder/$name.csv"
awk -v title="tact batch, hand with six contacts, $cpu" -v across="threads" -v up="million steps/s" -v scale=1e-6 \
    -v series='^[0-9]+ lanes?,' -v full=" a core" -v note="dashed: steps a second of processor, times threads" \
    -f test/bench/plot.awk "$csv" "$csv" >"$folder/$name-threads.svg" || stop "plot"
awk -v title="a cold step, $cpu" -v across="fingers or contacts" -v up="us" -v series='^(fingers|contacts),' -v logarithmic=1 \
    -f test/bench/plot.awk "$csv" "$csv" >"$folder/$name-scaling.svg" || stop "plot"
cat "$csv"
echo "bench: the best of $round rounds: $folder/$name.csv, $name-threads.svg, $name-scaling.svg" >&2
