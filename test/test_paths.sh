#!/bin/sh
# SPDX-License-Identifier: MIT
# What is no file, cannot be read or cannot be written, under every command that takes a path; full disks, other locales.
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
inputs=$PWD/test/faults/inputs.sh
stop=$PWD/data/scenes/cart_stop.json
export TACT TACT_VIEWER=page.html
cd "$work" || exit 1
# shellcheck source=test/faults/inputs.sh
. "$inputs"
cp "$stop" stop.json

# each line of standard input is a command with PATH for @: CODE TEXT PATH; nothing on standard output, and no waiting. Where few are
# asked for: every command with a folder, and of each other path every fourth command, other ones from path to path.
turn=0
tries() {
    wanted=$1 text=$2 path=$3 leaks='' number=0
    turn=$((turn + 1))
    # looking for leaks takes as long as such a call itself: of each command once
    [ "$path" = folder ] || leaks=:detect_leaks=0
    while read -r words; do
        [ -n "$words" ] || continue
        number=$((number + 1))
        [ "$path" = folder ] || [ -z "$few" ] || [ $(((number + turn) % 4)) -eq 0 ] || continue
        # shellcheck disable=SC2046 # words
        ASAN_OPTIONS="$ASAN_OPTIONS$leaks" timeout 20 "$TACT" $(echo "$words" | sed "s|@|$path|g") >answer 2>said </dev/null
        got=$?
        [ $got -eq "$wanted" ] || { echo "tact $words: exit $got, wanted $wanted"; cat said; return 1; }
        grep -qF -- "$text" said || { echo "tact $words: no \"$text\" in"; cat said; return 1; }
        [ ! -s answer ] || { echo "tact $words: printed"; cat answer; return 1; }
    done
}

# every PATH as input of every command
reads() {
    tries "$@" <<END
run @
check @
fk @
ik @
grad @
solve @
lcp @
qcqp @
qcqp --scene @
friction @
optimise @
identify @ trace.jsonl --mass ball
identify scene.json @ --mass ball
import @
bake @
bench @ --samples 3
bench scene.json --steps @ --samples 3
batch @ --output batch.out
plot @
plot @ --body ball
render @
view @ --no-open -o -
END
}
sparse() { truncate -s 2147483648 "$1" 2>/dev/null || dd if=/dev/null of="$1" bs=1 seek=2147483648 2>/dev/null; }
mkdir folder
mkfifo pipe
ln -s loop loop
ln -s nowhere dangling
check "a folder" reads 3 "folder: error: is a directory" folder
check "a pipe" reads 3 "pipe: error: not a regular file" pipe
check "a device" reads 3 "/dev/zero: error: not a regular file" /dev/zero
if command -v python3 >/dev/null; then
    check "a socket is made" python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    check "a socket" reads 3 "socket: error: not a regular file" socket
fi
check "nothing there" reads 3 "No such file or directory" nothing
check "a link to nothing" reads 3 "No such file or directory" dangling
check "a link to itself" reads 3 "Too many levels of symbolic links" loop
check "a file taken for a folder" reads 3 "Not a directory" scene.json/below
check "a name too long" reads 3 "File name too long" "$(printf '%0300d' 0)"
[ ! -r /proc/self/mem ] || check "what fails to be read" reads 3 "/proc/self/mem: error: Input/output error" /proc/self/mem
sparse big
check "two gigabytes" reads 2 "larger than the limit of 16777216" big
rm -f big

# named inside a file
for what in folder pipe loop nothing; do
    sed "s|robots/arm.json|$what|" scene.json >with_$what.json
    check "a robot: $what" says 3 "$what: " timeout 20 "$TACT" check with_$what.json
    sed "s|scene.json|$what|" batch.json >spec_$what.json
    check "a scene of a batch: $what" says 3 "$what: " timeout 20 "$TACT" batch spec_$what.json --output none
    printf '{"tact_batch":1,"scene":"scene.json","envs":2,"steps":2,"command":"%s.npy"}\n' $what >commands_$what.json
    [ -e $what.npy ] || [ $what = nothing ] || ln -s $what $what.npy
    check "commands of a batch: $what" says 3 "$what.npy: " timeout 20 "$TACT" batch commands_$what.json --output none
    check "a shard: $what" says 3 "$what/manifest.json: " timeout 20 "$TACT" merge none shard0 $what
done
check "nothing was written" test ! -e none
check "a folder as standard input" says 3 "<stdin>: error: is a directory" sh -c "'$TACT' check - <folder"

# every PATH as output of every command that writes a file, and of those of a fourth argument
writes() {
    tries "$1" "$2" "$3" <<END
run scene.json --steps 2 --quiet --trace @
qcqp --scene stop.json --steps 2 --trace @
optimise scene.json --iterations 0 --quiet --output @
optimise scene.json --iterations 0 --quiet --trace @
batch batch.json --env 1 --write-scene @
plot trace.jsonl -o @
render trace.jsonl -o @
view scene.json --no-open -o @
${4:-}
END
}
folders='batch batch.json --quiet --output @
merge @ shard0 shard1'
: >file
echo here >target
ln -s target link
check "into a folder" writes 3 "folder: error: Is a directory" folder
check "into a pipe that nobody reads" says 3 "pipe: error: nothing reads from this pipe" timeout 20 "$TACT" plot trace.jsonl -o pipe
[ ! -e socket ] || check "into a socket" writes 3 "socket: error: not a regular file" socket
check "through a link" writes 3 "link: error: is a symbolic link, which output does not follow" link "$folders"
check "through a link to nothing" writes 3 "dangling: error: is a symbolic link, which output does not follow" dangling "$folders"
check "through a link to itself" writes 3 "loop: error: is a symbolic link, which output does not follow" loop "$folders"
check "into a folder that is not there" writes 3 "No such file or directory" nowhere/file "$folders"
check "below a file" writes 3 "Not a directory" file/below "$folders"
check "a name too long to write" writes 3 "File name too long" "$(printf '%0300d' 0)" "$folders"
[ ! -w /dev/full ] || check "into a full device" writes 3 "/dev/full: error: No space left on device" /dev/full
check "what links lead to is as it was" grep -qx here target
check "nothing was made" test ! -e nowhere

# what is read does not give way to what is written
for words in "run scene.json --trace scene.json" "run scene.json --trace ./scene.json" "qcqp --scene stop.json --trace stop.json" \
    "optimise scene.json --output scene.json" "batch batch.json --env 1 --write-scene batch.json" \
    "batch batch.json --env 1 --write-scene scene.json" "plot trace.jsonl -o trace.jsonl" "plot scene.json trace.jsonl -o trace.jsonl" \
    "render trace.jsonl -o trace.jsonl" "view scene.json --no-open -o scene.json"; do
    # shellcheck disable=SC2086 # words
    check "$words" says 4 "itself" "$TACT" $words
done
check "one file for two" says 4 "are the same file" "$TACT" optimise scene.json --output two --trace two
check "the inputs are as they were" sh -c 'mkdir again && cd again && . "$1" && cd .. &&
    for f in scene.json trace.jsonl batch.json; do cmp $f again/$f || exit 1; done' sh "$inputs"
cp lcp.jsonl loop.jsonl
check "answers to the problems themselves" says 3 "<stdout>: error: is the input itself" sh -c "timeout 20 '$TACT' lcp <loop.jsonl >>loop.jsonl"

# what every command prints, sent somewhere by REDIRECTION: exit code 3 and TEXT
sends() {
    text=$1 to=$2
    while read -r words; do
        sh -c "'$TACT' $words 2>said $to" <fk.jsonl
        got=$?
        [ $got -eq 3 ] || { echo "tact $words $to: exit $got"; cat said; return 1; }
        grep -qF -- "<stdout>: error: $text" said || { echo "tact $words $to: no \"$text\" in"; cat said; return 1; }
    done <<END
run scene.json --steps 2
run scene.json --steps 2 --quiet --trace -
check scene.json
fk scene.json
grad scene.json
solve solve.jsonl
lcp lcp.jsonl
qcqp qcqp.jsonl
qcqp --scene stop.json
friction friction.jsonl
optimise scene.json --iterations 1
identify scene.json trace.jsonl --mass ball
import arm.urdf
bake scene.json
bench cart.json --samples 3
batch batch.json --output sent
plot trace.jsonl
render trace.jsonl
view scene.json --no-open -o -
help
help run
--version
END
}
check "a closed standard output" sends "Bad file descriptor" ">&-"
[ ! -w /dev/full ] || check "a full standard output" sends "No space left on device" ">/dev/full"
for words in "run -" "fk scene.json" "ik scene.json" solve lcp qcqp friction "render -"; do
    check "closed standard input: $words" says 3 "<stdin>: error: Bad file descriptor" sh -c "'$TACT' $words <&-"
done

# no permission, as nobody
nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
chmod 755 "$work"
if [ "$(id -u)" -eq 0 ] && $nobody "$TACT" --version >/dev/null 2>&1; then
    cp scene.json secret && chmod 600 secret
    mkdir -m 755 locked && : >locked/file
    saved=$TACT
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$nobody" "$TACT" >as_nobody
    chmod 755 as_nobody
    TACT=./as_nobody
    check "no permission to read" reads 3 "secret: error: Permission denied" secret
    check "no permission to write" writes 3 "Permission denied" locked/new "$folders"
    check "no permission to replace" writes 3 "Permission denied" locked/file
    TACT=$saved
    check "nothing was made without permission" test "$(ls -A locked)" = file
else
    echo "skipped: no permission (needs root and setpriv)"
fi

# a disk that fills up, of 64 pages
if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=262144 tmpfs disk 2>/dev/null; then
    trap 'umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
    long="run scene.json --steps 3000 --quiet --trace disk/run.jsonl"
    # shellcheck disable=SC2086 # words
    check "a full disk" says 3 "disk/run.jsonl: error: No space left on device" "$TACT" $long
    check "no file is left" test -z "$(ls -A disk)"
    check "too little room for a batch" says 3 "would write" "$TACT" batch batch.json --envs 1000 --output disk/batch
    check "no folder is left" test -z "$(ls -A disk)"
    # what is reserved is counted in bytes, what it takes in pages
    check "a batch fills it" says 3 "No space left on device" sh -c "head -c 237568 /dev/zero >disk/most; '$TACT' batch batch.json --quiet --output disk/batch"
    rm -f disk/most
    check "goes on when there is room" "$TACT" batch batch.json --quiet --output disk/batch
    check "elsewhere" "$TACT" batch batch.json --quiet --output whole
    check "the same bytes" diff -r whole disk/batch
    umount disk
else
    echo "skipped: a disk that fills up (not allowed to mount one)"
fi
check "files of 4 kB" says 3 "File too large" sh -c "ulimit -f 8; '$TACT' run scene.json --steps 1000 --quiet --trace large"
check "none is left" test -z "$(ls -A | grep -e large -e tact-)"

# locales with a comma, and with two kinds of i
for locale in de_DE tr_TR; do
    if localedef -i $locale -f UTF-8 "./$locale.UTF-8" 2>/dev/null; then
        for words in "run urdf.json --steps 3 --trace -" "check scene.json --set options.kappa=1e2" "grad scene.json" "plot trace.jsonl" \
            "render trace.jsonl" "bake scene.json" "import arm.urdf" "qcqp qcqp.jsonl"; do
            # shellcheck disable=SC2086 # words
            "$TACT" $words >plain 2>/dev/null
            # shellcheck disable=SC2086 # words
            check "$locale: $words" sh -c 'LOCPATH=$PWD LC_ALL=$1.UTF-8 "$TACT" $2 2>/dev/null | cmp - plain' sh $locale "$words"
        done
    else
        echo "skipped: $locale (localedef cannot make it)"
    fi
done
test_end paths
