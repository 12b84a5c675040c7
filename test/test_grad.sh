#!/bin/sh
# SPDX-License-Identifier: MIT
# tact grad: its form, its exit codes, and whole runs against central differences of `tact run`.
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
LC_ALL=C
export LC_ALL

# the numbers of an array of the answer, one a line
array() { # FILE KEY
    sed 's/.*"'"$2"'":\[\([^]]*\)\].*/\1/' "$1" | tr ',' '\n'
}
# entry AT of an array is a number within OFF
entry() { # KEY AT NUMBER OFF
    array "$work/answer" "$1" | awk -v at="$2" -v wanted="$3" -v off="$4" 'NR == at + 1 {
        d = $1 - wanted
        if (d < 0) d = -d
        found = d <= off
        if (!found) print "got " $1 ", wanted " wanted
    } END { exit !found }'
}
holds() { # TEXT: in the last answer
    grep -qF -- "$1" "$work/answer" || { echo "no $1 in"; head -c 2000 "$work/answer"; return 1; }
}
lacks() {
    ! holds "$1" >/dev/null
}
# coordinates (q) after a run, or the forces (lambda) of its last contact
final() { # KEY SCENE STEPS ARGUMENTS...
    final_key=$1 final_scene=$2 final_steps=$3
    shift 3
    "$TACT" run "$final_scene" --steps "$final_steps" --quiet --trace - "$@" 2>/dev/null | tail -n 1 >"$work/final"
    array "$work/final" "$final_key"
}
# A column of A or B (or C or D, with one contact) of a run against the difference of two runs, where a value of the scene is
# FORMAT with VALUE + H and - H.
# DOFS: from which coordinate each row is read, "-" for none.
column() { # KEY COLUMN SCENE STEPS FORMAT VALUE H DOFS OFF ARGUMENTS...
    key=$1 at=$2 file=$3 steps=$4 format=$5 value=$6 h=$7 dofs=$8 off=$9
    shift 9
    "$TACT" grad "$file" --steps "$steps" --rollout "$@" >"$work/answer" || return 1
    array "$work/answer" "$key" >"$work/matrix"
    # shellcheck disable=SC2059 # the format is the caller's
    more=$(printf "$format" "$(awk -v x="$value" -v h="$h" 'BEGIN { printf "%.17g", x + h }')")
    # shellcheck disable=SC2059
    less=$(printf "$format" "$(awk -v x="$value" -v h="$h" 'BEGIN { printf "%.17g", x - h }')")
    case $key in A | B) of=q ;; *) of=lambda ;; esac
    final $of "$file" "$steps" "$@" --set "$more" >"$work/more"
    final $of "$file" "$steps" "$@" --set "$less" >"$work/less"
    awk -v at="$at" -v h="$h" -v dofs="$dofs" -v off="$off" '
        FILENAME ~ /matrix$/ { m[nm++] = $1 }
        FILENAME ~ /more$/ { a[na++] = $1 }
        FILENAME ~ /less$/ { b[nb++] = $1 }
        END {
            rows = split(dofs, of, " ")
            width = nm / rows
            for (i = 0; i < rows; i++) {
                if (of[i + 1] == "-") continue
                wanted = (a[of[i + 1]] - b[of[i + 1]]) / (2 * h)
                d = m[i * width + at] - wanted
                if (d > off || d < -off) { print "row " i ": got " m[i * width + at] ", wanted " wanted; bad = 1 }
                checked++
            }
            exit bad || !checked || na == 0 || na != nb || width != int(width)
        }' "$work/matrix" "$work/more" "$work/less"
}

scenes=data/scenes
near=1e-12
[ "$REAL" = float ] && near=1e-5

# the linear pusher, whose matrices are known
check "pusher" answers 0 "$TACT" grad $scenes/pusher.json
check "A" entry A 3 0.995049504950495 $near
check "A, other" entry A 1 0.495049504950495 $near
check "B" entry B 0 0.504950495049505 $near
check "C" entry C 1 -0.495049504950495 $near
check "D" entry D 0 0.495049504950495 $near
check "names" holds '"dofs":["pusher","block"],"driven":["pusher"],"kink":false,"contacts":[{"a":"tip","b":"block"}]'
check "parameters" holds '"parameters":{"kappa":{"dq":['
for list in mu radius mass stiffness force; do check "list of $list" holds "\"$list\":[{"; done
check "one line" sh -c "[ \"\$(wc -l <'$work/answer')\" -eq 1 ]"
check "one step of a run" answers 0 "$TACT" grad $scenes/pusher.json --rollout
check "A of that" entry A 3 0.995049504950495 $near
check "no parameters of a run" lacks parameters
check "the last of several steps" answers 0 "$TACT" grad $scenes/hand_lift.json --steps 250
check "its number" holds '{"step":250,"status":"converged"'
array "$work/answer" A >"$work/whole"
check "frozen" answers 0 "$TACT" grad $scenes/hand_lift.json --steps 250 --frozen
array "$work/answer" A >"$work/frozen"
check "frozen is another A" sh -c "! cmp -s '$work/whole' '$work/frozen'"

# whole runs: fixed commands, holding ones, anchors
if [ "$REAL" != float ]; then
    hand="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"
    lift="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 - - - 21 22 23"
    q=0.9887710779,0,0.1494381325,0
    check "pusher by block" column A 1 $scenes/pusher.json 10 state.q.block=%s 0.2 1e-6 "0 1" 1e-8
    check "pusher by command" column B 0 $scenes/pusher.json 10 command.q.pusher=%s 0.1 1e-6 "0 1" 1e-8
    check "force by block" column C 1 $scenes/pusher.json 10 state.q.block=%s 0.2 1e-6 "0 1 2" 1e-8
    check "force by command" column D 0 $scenes/pusher.json 10 command.q.pusher=%s 0.1 1e-6 "0 1 2" 1e-8
    check "hand that holds, by its height" column A 0 $scenes/lesson.json 30 state.q.slider_z=%s 0.1 1e-6 "$hand" 1e-7 --set options.margin=0.3
    check "hand that holds, by the ball" column A 21 $scenes/lesson.json 30 "state.q.ball=[%s,0,-0.1]" 0.15 1e-6 "$hand" 1e-7 --set options.margin=0.3
    check "anchored block that sticks" column A 3 $scenes/incline.json 30 "state.q.block=[%s,0,0.0191544966,$q]" 0.0059251801 1e-6 "- - - 0 1 2" 1e-7
    check "anchored block that slides" column A 5 $scenes/incline.json 30 "state.q.block=[0.0059251801,0,%s,$q]" 0.0191544966 1e-6 "- - - 0 1 2" 1e-6 --set "gravity=[8,0,-9]"
    check "anchored grasp" column A 24 $scenes/hand_lift.json 120 "state.q.ball=[%s,0,-0.16,1,0,0,0]" 0.1057 1e-6 "$lift" 1e-7
    # a drive on a sum of two joints, of which both count
    sum="0 1 2 3 4 - - - 5 6 7"
    for law in barrier rigid; do
        [ $law = barrier ] || sum="$sum - - - - - - - - - - -"
        for joint in 3:knuckle 4:distal; do
            check "$law: held sum by ${joint#*:}" column A "${joint%:*}" $scenes/four_bar.json 3 "state.q.${joint#*:}=%s" 0 1e-6 "$sum" 1e-7 \
                --law $law --set 'command={"mode":"hold"}' --set 'state.q.ball=[0,0.5,0.031,1,0,0,0]'
        done
    done
    # the rigid law carries q and v: rows of velocities are not of the trace
    rows="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 - - - - - - - - - - - - - - -"
    check "rigid: a ball that has hit, by where it began" column A 0 $scenes/newton_cradle.json 70 "state.q.ball_1=[%s,0,0]" -0.03 1e-6 "$rows" 1e-7 --set options.dt=0.00103
    check "rigid: by how fast it was" column A 15 $scenes/newton_cradle.json 70 "state.v.ball_1=[%s,0,0]" 0.5 1e-6 "$rows" 1e-7 --set options.dt=0.00103
    check "rigid: no kinks" holds '"kinks":0,"redundant":false,"contacts":['
    check "rigid: pushed block, by the command" column B 0 $scenes/pusher.json 10 command.q.pusher=%s 0.1 1e-6 "0 1 - -" 1e-8 --law rigid
fi

# what goes wrong
squeeze 0.035 >"$work/squeeze.json"
cat >"$work/carried.json" <<'END'
{ "tact": 1, "name": "carried", "bodies": [
    { "name": "cart", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": { "name": "cart", "type": "prismatic", "axis": [1, 0, 0] } },
    { "name": "load", "parent": "cart", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": { "name": "load", "type": "free" } } ] }
END
for run in "" --rollout; do
    # shellcheck disable=SC2086 # no word where it is empty
    check "no step $run" answers 1 "$TACT" grad "$work/squeeze.json" --steps 5 $run
    check "says which $run" holds '{"step":1,"status":"infeasible"'
    check "has no matrices $run" lacks '"A"'
    # shellcheck disable=SC2086
    refuse "carried free joint $run" "free joint" "$TACT" grad "$work/carried.json" $run
    # shellcheck disable=SC2086
    check "carried free joint is refused $run" answers 2 "$TACT" grad "$work/carried.json" $run
done
check "no steps" answers 4 "$TACT" grad $scenes/pusher.json --steps 0
check "no scene" answers 3 "$TACT" grad "$work/none.json"
# a sanitizer's shadow needs more than that
[ -n "${SAN:-}" ] || check "more than there is memory for" answers 5 sh -c "ulimit -v 4000000 2>/dev/null; exec '$TACT' grad $scenes/hand_lift.json --rollout --steps 10000000"
# which derivatives of forces are those of one choice of many
check "four corners of a block share its weight in many ways" answers 0 "$TACT" grad data/scenes/block_on_slope.json --steps 60
check "which is told" holds '"redundant":true'
check "one ball on a table" answers 0 "$TACT" grad data/scenes/ball_drop.json --law rigid --steps 60
check "has one answer" holds '"redundant":false'
test_end grad
