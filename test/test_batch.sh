#!/bin/sh
# SPDX-License-Identifier: MIT
# tact batch and tact merge: the same bytes from any threads, shards and interruptions; what is refused, and what stays.
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
LC_ALL=C
export LC_ALL
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
scenes=$PWD/data/scenes
kills=${TACT_KILLS:-$([ "$few" ] && echo 4 || echo 8)}

same() { # A B: folders with the same files, byte by byte
    diff -r "$1" "$2"
}
# the numbers of an array, a line each
numbers() { # FILE BYTES: of int32 (4) or float64 (8)
    header=$(od -An -tu2 -j8 -N2 "$1" | tr -d ' ')
    case $2 in 4) kind=d4 ;; 8) kind=f8 ;; esac
    od -An -v -t$kind -w"$2" -j$((10 + header)) "$1" | tr -d ' '
}
# an environment alone, through its scene: its last q
alone() { # SPEC ENVIRONMENT STEPS
    "$TACT" batch "$1" --env "$2" --write-scene "$work/one.json" &&
        "$TACT" run "$work/one.json" --steps "$3" --quiet --trace - | tail -n 1 | sed 's/.*"q":\[\([^]]*\)\].*/\1/' | tr ',' '\n'
}
# that of the batch
together() { # FOLDER ENVIRONMENT
    numbers "$1/q.npy" 8 | awk -v from=$((24 * $2)) 'NR > from && NR <= from + 24'
}
equal() { # SPEC FOLDER STEPS ENVIRONMENTS...: as numbers, since both print what reads back to the same
    equal_spec=$1 equal_folder=$2 equal_steps=$3
    shift 3
    for environment; do
        alone "$equal_spec" "$environment" "$equal_steps" >"$work/alone"
        together "$equal_folder" "$environment" >"$work/together"
        paste "$work/alone" "$work/together" | awk 'NF != 2 || $1 + 0 != $2 + 0 { print "environment '"$environment"': " $0; bad = 1 }
            END { exit bad || NR != 24 }' || return 1
    done
}

cd "$work" || exit 1
spec() { # NAME ENVS STEPS PARAMETERS RECORD
    printf '{"tact_batch":1,"scene":"%s/lesson.json","envs":%d,"steps":%d,"seed":3,\n"parameters":[%s],\n"record":{%s}}\n' \
        "$scenes" "$2" "$3" "$4" "$5" >"$1"
}
quick='{"path":"bodies.0.mass","uniform":[0.3,0.7]},{"path":"pairs.0.mu","choice":[0.3,0.5]},
{"path":"state.q.ball.0","normal":[0.15,0.002]},{"path":"options.kappa","log_uniform":[50,5000]}'
spec quick.json 300 20 "$quick" '"every":5,"forces":true'
# the direction of a plane goes through its frame: such a scene is loaded for each environment
spec slow.json 20 20 '{"path":"shapes.1.normal.0","uniform":[-0.1,0.1]},{"path":"command.mode","choice":["hold","fixed"]}' ''

check "a batch" answers 0 "$TACT" batch quick.json --threads 1 --output one
check "its summary" grep -q "converged  *300" answer
for threads in 2 7; do
    check "$threads threads" answers 0 "$TACT" batch quick.json --threads $threads --output t$threads
    check "$threads threads, the same bytes" same one t$threads
done
# the virtual law prepares its scratch from the masses: each environment needs its own
printf '{"tact_batch":1,"scene":"%s/lift_hex.json","envs":3,"steps":150,"parameters":[{"path":"bodies.0.mass","uniform":[0.05,0.16]}]}\n' \
    "$scenes" >masses.json
check "masses under the virtual law" answers 0 "$TACT" batch masses.json --output masses
masses_equal() {
    alone masses.json 1 150 >hex_alone && numbers masses/q.npy 8 | sed -n 4,6p >hex_together &&
        paste hex_alone hex_together | awk '$1 + 0 != $2 + 0 { bad = 1 } END { exit bad || NR != 3 }'
}
check "masses under the virtual law, each as alone" masses_equal
widths=$("$TACT" batch quick.json --lanes 3 2>&1 | sed -n 's/.*machine has \([0-9, ]*\) (.*/\1/p' | tr -d ,)
check "it has lanes" test -n "$widths"
for lanes in $widths; do
    check "$lanes lanes" answers 0 "$TACT" batch quick.json --lanes "$lanes" --threads 2 --output l"$lanes"
    check "$lanes lanes, the same bytes" same one l"$lanes"
done
check "each alone" equal quick.json one 20 0 1 137 299
check "slow" answers 0 "$TACT" batch slow.json --threads 2 --output slow
check "slow, each alone" equal slow.json slow 20 0 7 19
check "complete already" says 0 "was complete" "$TACT" batch quick.json --output one
check "its arrays differ between environments" sh -c '[ "$(sort -u distinct | wc -l)" -eq 300 ]' "$(numbers one/parameters.npy 8 | awk 'NR % 4 == 1' >distinct)"

# several scenes, of other sizes and laws
list=
for name in lesson pusher two_balls flip_box cart lift_circle; do list=$list${list:+,}'"'$scenes/$name.json'"'; done
printf '{"tact_batch":1,"scenes":[%s],"envs":40,"steps":5,"parameters":[{"path":"options.dt","uniform":[0.001,0.002]}],
"record":{"every":2,"forces":true}}\n' "$list" >several.json
check "several scenes" answers 0 "$TACT" batch several.json --threads 1 --output several
check "several scenes, shards" sh -c "for i in 0 1 2; do '$TACT' batch several.json --threads 2 --shard \$i/3 --output v\$i --quiet || exit 1; done"
check "several scenes, merged" answers 0 "$TACT" merge severals v0 v1 v2
check "several scenes, the same bytes" same several severals

# shards
spec long.json 600 30 "$quick" '"every":3,"forces":true'
for i in 0 1 2; do check "shard $i" answers 0 "$TACT" batch quick.json --shard $i/3 --output s$i; done
check "merge" answers 0 "$TACT" merge all s1 s0 s2
check "merge, the same bytes" same one all
check "a shard is missing" says 2 "merge: environments 96 to 199 are in no shard that is named: name the folders of all" "$TACT" merge none s0 s2
check "a shard twice" says 2 "are in two shards" "$TACT" merge none s0 s1 s1 s2
check "the output itself" says 4 '"s1" is a shard, and the output, which is named first' "$TACT" merge ./s1 s0 s1 s2
check "nothing was written" test ! -e none
"$TACT" batch quick.json --seed 4 --shard 2/3 --output other --quiet
check "a shard of another batch" says 2 "is of another batch" "$TACT" merge none s0 s1 other
"$TACT" batch long.json --envs 4000 --shard 0/2 --steps 3000 --output torn --quiet 2>/dev/null &
tries=0
until [ -e torn/journal ] || [ $tries -gt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -KILL $!
wait $! 2>/dev/null
mkdir bare
check "a folder without a manifest" says 3 "bare/manifest.json: error: No such file or directory: a shard is the folder that tact batch --shard I/N writes" \
    "$TACT" merge none s0 bare
check "no such folder" says 3 "nowhere/manifest.json: error: No such file or directory" "$TACT" merge none s0 nowhere
check "a shard that is not finished" says 2 "is not finished" "$TACT" merge none torn
# what the shards say of their bytes and of the build, by another program's SHA-256; and damage
seal() { # FOLDER: with the last line that its manifest should have
    sed '$d' "$1/manifest.json" | head -c -2 >sealed
    printf ',\n"manifest_sha256": "%s"}\n' "$(sha256sum <sealed | cut -d ' ' -f 1)" >>sealed
}
hashes() { # FOLDER: those of its arrays and of the manifest are true
    for file in "$1"/*.npy; do grep -qF "\"${file##*/}\": \"$(sha256sum <"$file" | cut -d ' ' -f 1)\"" "$1/manifest.json" || { echo "$file"; return 1; }; done
    seal "$1" && cmp sealed "$1/manifest.json"
}
flip() { # FILE OFFSET: the lowest bit there
    byte=$(od -An -tu1 -j"$2" -N1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059 # an octal escape
    printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>dd.said
}
damaged() { # FOLDER/FILE OFFSET WANTED COMMAND...: refused so, and the bit is turned back
    flip "$1" "$2"
    spoilt=$1 place=$2 wanted=$3
    shift 3
    says 2 "$wanted" "$@"
    spoilt_code=$?
    flip "$spoilt" "$place"
    return $spoilt_code
}
check "hashes" hashes one
check "hashes of a shard" hashes s1
check "a shard's array is damaged" damaged s1/q.npy 700 's1/q.npy: error: is damaged: its SHA-256' "$TACT" merge none s0 s1 s2
check "the first shard's array" damaged s0/status.npy 90 's0/status.npy: error: is damaged: its SHA-256' "$TACT" merge none s0 s1 s2
check "a shard's manifest is damaged" damaged s2/manifest.json 700 's2/manifest.json: error: is damaged: its SHA-256' "$TACT" merge none s0 s1 s2
check "an array is damaged" damaged one/v.npy 3000 'v.npy: error: is damaged: its SHA-256' "$TACT" batch quick.json --output one
check "the manifest is damaged" damaged one/manifest.json 400 'manifest.json: error: is damaged: its SHA-256' "$TACT" batch quick.json --output one
cp s1/manifest.json kept
bits=$(sed -n 's/.*"bits": "\([0-9a-f]*\)".*/\1/p' s1/manifest.json)
sed "s/$bits/0123456789abcdef/" kept >s1/manifest.json && seal s1 && mv sealed s1/manifest.json
check "a shard by another build" says 2 "computes other bits (0123456789abcdef) than that of the first shard ($bits)" "$TACT" merge none s0 s1 s2
check "results by another build" says 2 "computes other bits (0123456789abcdef) than this one ($bits)" "$TACT" batch quick.json --shard 1/3 --output s1
mv kept s1/manifest.json
check "mended" answers 0 "$TACT" batch quick.json --shard 1/3 --output s1
mv s1/v.npy kept && check "a shard without one of its arrays" says 3 "s1/v.npy" "$TACT" merge none s0 s1 s2 && mv kept s1/v.npy
check "nothing was written of these, either" test ! -e none
check "--shard 3/3" says 4 "must be I/N" "$TACT" batch quick.json --shard 3/3 --output none
check "more shards than chunks" answers 0 "$TACT" batch slow.json --shard 1/100 --output empty

# killed at any moment, half of the time after the first second, when results are kept; and gone on with
spec kill.json 1 300 "$quick" '"every":100,"forces":true'
seconds=$([ "$few" ] && echo 2 || echo 4)
envs=$(lasting $seconds kill.json)
check "undisturbed, $envs environments" answers 0 "$TACT" batch kill.json --envs "$envs" --threads 2 --output whole
i=0 under_way=0 got_on=0
# a run that ended before it was killed, on a machine that is faster now than when it was measured, does not count: others follow
while [ $i -lt "$kills" ] || { [ $((2 * under_way)) -le "$kills" ] && [ $i -lt $((5 * kills)) ]; }; do
    i=$((i + 1)) before=$(chunks_kept killed)
    "$TACT" batch kill.json --envs "$envs" --threads 2 --output killed --quiet 2>killed.said &
    pid=$!
    # every other one when it has kept something, however long that takes, or has ended
    sleep "$(awk -v seed="$i$$" -v most=$seconds 'BEGIN { srand(seed); printf "%.3f", most / 2 * rand() }')"
    tries=0
    until [ $((i % 2)) -eq 0 ] || [ "$(chunks_kept killed)" -gt "$before" ] || [ -e killed/manifest.json ] || [ $tries -gt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -ne 137 ] || under_way=$((under_way + 1))
    [ "$(chunks_kept killed)" -le "$before" ] || got_on=$((got_on + 1))
    if [ -e killed/manifest.json ]; then
        # killed between the manifest and the end of the journal it still has both
        "$TACT" batch kill.json --envs "$envs" --output killed --quiet 2>killed.said
        same whole killed >differences || check "killed $i, the same bytes" cat differences x
        rm -rf killed
    fi
done
check "of $i runs at least $((kills / 2 + 1)) were killed under way: $under_way" [ $((2 * under_way)) -gt "$kills" ]
check "of which some had got on: $got_on" [ $got_on -gt 0 ]
check "after $kills kills" answers 0 "$TACT" batch kill.json --envs "$envs" --output killed
check "after $kills kills, the same bytes" same whole killed

# ended in order
"$TACT" batch long.json --envs 4000 --steps 3000 --threads 2 --output ended >/dev/null 2>ended.said &
pid=$!
tries=0
until grep -q '#' ended/journal 2>/dev/null || [ $tries -gt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
check "in use" says 3 "in use by pid $pid" "$TACT" batch long.json --envs 4000 --steps 3000 --output ended
kill -TERM $pid
wait $pid
check "143 when terminated" test $? -eq 143
check "says so" grep -q "rerun to continue" ended.said
check "no manifest" test ! -e ended/manifest.json
check "what was not run says so" sh -c '[ "$1" = -100 ]' sh "$(numbers ended/status.npy 4 | tail -n 1)"
check "another spec" says 2 "was begun for another batch" "$TACT" batch quick.json --output ended
check "another scene" says 2 "holds the results of another batch" "$TACT" batch quick.json --set options.epsilon=0.2 --output one
check "the results are still there" same one t2

# damage of what is under way: computed again; the head of the journal: refused
cp -r ended spoilt
flip spoilt/q.npy $(($(stat -c %s spoilt/q.npy) / 1000 * 5))
flip spoilt/journal 258
check "other bits under way" damaged ended/journal 90 "is damaged" "$TACT" batch long.json --envs 4000 --steps 3000 --output ended
"$TACT" batch long.json --envs 4000 --steps 3000 --threads 2 --output spoilt >/dev/null 2>spoilt.said &
pid=$!
tries=0
until grep -q 'computed again' spoilt.said || [ $tries -gt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -TERM $pid
wait $pid
check "damaged chunks are told" grep -q "[12] chunks are damaged and computed again" spoilt.said

# a call that was killed while it wrote the head of its journal
mkdir half
printf 'tact journal 2 12' >half/journal
check "half a head" answers 0 "$TACT" batch quick.json --output half
check "half a head, the same bytes" same one half
mkdir strange
printf 'tact diary' >strange/journal
check "no journal" says 2 "is not the journal of a batch" "$TACT" batch quick.json --output strange
check "it stays" grep -q "tact diary" strange/journal

# what does not converge is marked, and stops nobody
spec bad.json 40 5 '{"path":"bodies.0.mass","normal":[0.3,0.2]}' ''
check "bad environments" answers 1 "$TACT" batch bad.json --output bad
check "they are marked" sh -c '[ "$1" -gt 0 ] && [ "$1" -lt 40 ]' sh "$(numbers bad/status.npy 4 | grep -c '^-3$')"
check "they drew no mass" sh -c 'paste status mass | awk "(\$1 < 0) != (\$2 <= 0) { exit 1 }"' \
    "$(numbers bad/status.npy 4 >status; numbers bad/parameters.npy 8 >mass)"
check "no NaN" sh -c '! cat q v | grep -i nan' "$(numbers bad/q.npy 8 >q; numbers bad/v.npy 8 >v)"

# refused before anything is written
check "range" says 2 "/parameters/0/uniform: error: low 2 > high 1" "$TACT" batch "$(spec r.json 1 1 '{"path":"mu","uniform":[2,1]}' ''; echo r.json)"
check "a value that the scene refuses" says 2 "bodies/0/mass" "$TACT" batch \
    "$(spec r.json 1 1 '{"path":"bodies.0.mass","uniform":[-1,1]}' ''; echo r.json)"
check "unknown path" says 2 'r.json:2:23: /parameters/0/path: error: there is no "masss"' "$TACT" batch "$(spec r.json 1 1 '{"path":"bodies.0.masss","uniform":[0,1]}' ''; echo r.json)"
check "a path twice" says 2 "is given twice: before, as \"" "$TACT" batch \
    "$(spec r.json 1 1 '{"path":"mu","uniform":[0,1]},{"path":"/mu","uniform":[0,1]}' ''; echo r.json)"
check "unknown key" says 2 'unknown key "every_"' "$TACT" batch "$(spec r.json 1 1 '' '"every_":1'; echo r.json)"
check "the number of drives" says 2 "changes the number" "$TACT" batch \
    "$(spec r.json 1 1 '{"path":"drives.0.joint","choice":["slider_z","finger_r_joint_1_thumb1"]}' ''; echo r.json)"
check "too large for any disk" says 2 "would write" "$TACT" batch "$(spec r.json 1 1 '' '"every":1'; echo r.json)" --envs 1e12 \
    --steps 1e9 --output none
check "nothing was made" test ! -e none
check "too large for this disk" says 3 "would write" "$TACT" batch $scenes/lesson.json --envs 1e12 --output none
check "larger files than allowed" says 3 "would write" sh -c "ulimit -f 8; '$TACT' batch $scenes/lesson.json --envs 1000 --output none"
check "a folder that holds something else" says 3 "q.npy: error: File exists" sh -c "mkdir -p mine && : >mine/q.npy && '$TACT' batch quick.json --output mine"
check "which stays" test -e mine/q.npy
check "and nothing is left beside it" sh -c '[ "$(ls -A mine)" = q.npy ]'
check "a link" says 3 "symbolic link" sh -c "ln -s one link && '$TACT' batch quick.json --output link"
check "a file" says 3 "Not a directory" sh -c ": >file && '$TACT' batch quick.json --output file"
mkdir own && sed 's|../robots/||' $scenes/lesson.json >own/lesson.json && cp $scenes/../robots/robotis_5f_hand.json own
check "a robot of a scene" says 4 "is a robot of the input" "$TACT" batch own/lesson.json --env 1 --write-scene own/robotis_5f_hand.json
echo '{"tact_batch": 1, "scene": "own/lesson.json"}' >own.json
check "of a spec's scene" says 4 "or a robot of it" "$TACT" batch own.json --env 0 --write-scene own/robotis_5f_hand.json
check "which stays" cmp $scenes/../robots/robotis_5f_hand.json own/robotis_5f_hand.json
check "the spec itself" says 4 "is the input itself" "$TACT" batch quick.json --output quick.json
echo '{"tact_batch": 1, "scene": "'$scenes'/lesson.json", "command": "away.npy"}' >away_command.json
echo '{"tact_batch": 1, "scenes": ["'$scenes'/lesson.json", "away.json"]}' >away_scene.json
check "a scene that cannot be read" says 3 '/scenes/1: error: away.json: No such file' "$TACT" batch away_scene.json --output none
check "commands that cannot be read" says 3 'away_command.json:1:' "$TACT" batch away_command.json --output none
check "no folder above" says 3 "No such file" "$TACT" batch quick.json --output none/here
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir -m 755 locked
    chmod 755 "$work"
    check "no permission" says 3 "Permission denied" setpriv --reuid=65534 --regid=65534 --clear-groups "$TACT" batch \
        $scenes/lesson.json --output "$work/locked/here"
fi
check "--env alone" says 4 "go together" "$TACT" batch quick.json --env 1
check "standard input" says 2 "is read from a file" sh -c "'$TACT' batch - <quick.json"
check "full standard output" says 3 "No space left" sh -c "'$TACT' batch quick.json --output one >/dev/full"

# commands from a file, and what NumPy makes of the results
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 - <<'END'
import numpy as np
rng = np.random.default_rng(1)
np.save('shared.npy', 0.1 * rng.standard_normal((20, 21)))
np.save('each.npy', (0.1 * rng.standard_normal((6, 20, 21))).astype(np.float32))
np.save('short.npy', np.zeros((3, 21)))
np.save('fortran.npy', np.asfortranarray(np.zeros((20, 21))))
END
    for name in shared each short fortran; do
        spec $name.json 6 20 '' '"every":20,"derivatives":true'
        sed 's/"seed"/"command":"'$name'.npy","seed"/' $name.json >with && mv with $name.json
    done
    check "commands of all" answers 0 "$TACT" batch shared.json --output shared --npz
    check "commands of each" answers 0 "$TACT" batch each.json --output each --threads 1
    check "commands of all, each alone" equal shared.json shared 20 0 5
    check "commands of each, each alone" equal each.json each 20 0 3 5
    check "commands of other shape" says 2 "shape (3, 21)" "$TACT" batch short.json
    check "commands in another order" says 2 "Fortran order" "$TACT" batch fortran.json
    check "no commands" says 2 "is not a .npy file" sh -c "cp quick.json short.npy && '$TACT' batch short.json"
    "$TACT" batch each.json --env 5 --write-scene five.json
    "$TACT" grad five.json --steps 20 >grad 2>/dev/null
    for name in cart flip_box; do
        printf '{"tact_batch":1,"scene":"%s.json","envs":3,"steps":50,"record":{"derivatives":true}}\n' $scenes/$name >$name.json
        check "derivatives of $name" answers 0 "$TACT" batch $name.json --output $name
        "$TACT" grad $scenes/$name.json --steps 50 >grad.$name 2>/dev/null
    done
    check "derivatives of polyhedral cones" answers 0 "$TACT" batch cart.json --set 'options.cone="polyhedral"' --output polyhedral
    cat >carried_scene.json <<'END'
{"tact":1,"bodies":[
{"name":"carrier","parent":"world","mass":1,"joint":{"name":"slide","type":"prismatic","axis":[1,0,0],"limits":[-1,1]}},
{"name":"rider","parent":"carrier","mass":1,"inertia":[1,1,1,0,0,0],"joint":{"name":"rider","type":"free"}}]}
END
    echo '{"tact_batch":1,"scene":"carried_scene.json","envs":1,"steps":1,"record":{"derivatives":true}}' >carried.json
    check "refused derivatives" says 2 "a free joint on a body that moves" "$TACT" batch carried.json --output none
    check "NumPy" /usr/bin/python3 - <<'END'
import json
import numpy as np
with open('one/manifest.json') as f:
    manifest = json.load(f)
assert manifest['summary'] == {'converged': 300} and manifest['seed'] == 3
for array in manifest['arrays']:
    a = np.load('one/' + array['file'])
    assert list(a.shape) == array['shape'] and str(a.dtype) == array['dtype'], array
p = np.load('one/parameters.npy')
assert p[:, 0].min() >= 0.3 and p[:, 0].max() <= 0.7 and abs(p[:, 0].mean() - 0.5) < 0.03
assert set(np.float32(p[:, 1])) == {np.float32(0.3), np.float32(0.5)}
assert abs(p[:, 2].mean() - 0.15) < 0.0006 and 0.0016 < p[:, 2].std() < 0.0024
assert abs(np.log(p[:, 3]).mean() - np.log(500)) < 0.25 and p[:, 3].min() > 50 and p[:, 3].max() < 5000
path, q = np.load('one/path_q.npy'), np.load('one/q.npy')
assert path.shape == (300, 5, 24) and np.array_equal(path[:, -1], q)
assert np.array_equal(path[:, 0, 21], p[:, 2])
npz = np.load('shared/arrays.npz')
for name in npz.files:
    assert np.array_equal(npz[name], np.load('shared/%s.npy' % name)), name
assert len(npz.files) == 12 and not npz['kink'].any()
grad = json.loads(open('grad').readlines()[-1])
for name, shape in (('A', (24, 24)), ('B', (24, 21))):
    assert np.array_equal(np.load('each/%s.npy' % name)[5], np.array(grad[name]).reshape(shape)), name
# the other laws: by q and v
for folder in ('cart', 'flip_box'):
    with open(folder + '/manifest.json') as f:
        scene = json.load(f)['scenes'][0]
    grad = json.loads(open('grad.' + folder).readlines()[-1])
    A, B, C, D = [np.load('%s/%s.npy' % (folder, name)) for name in 'ABCD']
    nv, nu = scene['nv'], scene['nu']
    rows = [3 * scene['pairs'].index([c['a'], c['b']]) + k for c in grad['contacts'] for k in range(3)]
    get = lambda name, columns: np.array(grad[name]).reshape(-1, columns)
    assert A.shape == (3, 2 * nv, 2 * nv) and len(rows) > 0 and np.abs(C).max() > 0
    if folder == 'cart':
        wanted = {'A': get('A', 2 * nv), 'C': get('C', 2 * nv)}
    else:
        wanted = {'A': np.block([[get('A', nv), get('A_qv', nv)], [get('A_vq', nv), get('A_vv', nv)]]), 'C': get('C', nv)}
        assert np.array_equal(B[1], np.vstack([get('B', nu), get('B_v', nu)])) and np.array_equal(D[2][rows], get('D', nu))
    assert np.array_equal(A[2], wanted['A']) and np.array_equal(C[2][rows][:, :wanted['C'].shape[1]], wanted['C'])
    assert not np.load(folder + '/kink.npy').any()
END
else
    echo "skipped: no NumPy here"
fi

test_end batch
