#!/bin/sh
# SPDX-License-Identifier: MIT
# The README and docs/ hold: C examples behind the mark `<!-- example` compile and run against the library of this build; commands of
# the README and of pages with the mark `<!-- commands` run in a copy of data/, with the robot, problems, scene, spec and run that
# they name; links and anchors lead to what exists. A page may bring files of its own: `<!-- file: NAME -->` before a fenced block.
. "$(dirname "$0")/test.sh"
pages="README.md $(find docs -name '*.md' | LC_ALL=C sort)"
others="CHANGELOG.md CONTRIBUTING.md SECURITY.md"

# C examples: each into a file of its own
mkdir "$work/c"
for page in $pages; do
    awk -v out="$work/c/$(echo "$page" | tr '/.' '__')" '
        /^<!-- example/ { armed = 1 }
        inside && /^```$/ { inside = 0; armed = 0; next }
        inside { print >(out "_" n ".c") }
        armed && /^```c$/ { inside = 1; n++ }' "$page"
done
check "the README's example is there" test -s "$work/c/README_md_1.c"
check "at most 25 lines" test "$(wc -l <"$work/c/README_md_1.c")" -le 25
check "the README has at most 150 lines" test "$(wc -l <README.md)" -le 150
for source in "$work"/c/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046
    check "$name compiles" ${CC:-cc} -Wall -Wextra -Werror $([ "$REAL" = float ] && echo -DTACT_FLOAT) \
        $([ -n "${SAN:-}" ] && echo -fsanitize=address,undefined) "$source" -Iinclude "$BUILD/libtact.a" \
        $(pkg-config --libs libcjson expat) -lm -o "$work/c/$name"
    check "$name runs" sh -c "\"$work/c/$name\" >\"$work/c/$name.said\""
done
check "the README's example finds the ball" grep -q "force on b" "$work/c/README_md_1.said"

# files that are named
# shellcheck disable=SC2086
for name in $(cat $pages | grep -oE '(^|[^a-z_/])data/[a-z_0-9/]+\.jsonl?' | sed 's/^[^d]//' | sort -u); do check "$name exists" test -f "$name"; done
for name in $(sed -n 's/^| \([a-z_0-9]*\.json\)[ ,].*/\1/p' docs/scenes.md); do check "scene $name exists" test -f "data/scenes/$name"; done
for scene in data/scenes/*.json; do
    grep -q "$(basename "$scene")" docs/scenes.md || echo "skipped: $scene, which docs/scenes.md does not tell of"
done

# links: a relative target exists from the page's folder, and its #anchor is a heading there
slugs() { # PAGE: anchors as GitHub makes them
    awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed 's/^#* //' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links() { # PAGE
    awk '/^```/ { code = !code } !code && !/^    /' "$1" | grep -oE '\]\([^) ]+\)|(src|href)="[^"]+"' | sed -E 's/^\]\((.*)\)$/\1/; s/^(src|href)="(.*)"$/\2/'
}
resolve() { # PAGE TARGET
    file=${2%%#*} anchor=
    case $2 in *"#"*) anchor=${2#*#} ;; esac
    if [ "$file" ]; then file=$(dirname "$1")/$file; else file=$1; fi
    [ -e "$file" ] || { echo "$1: $2: no such file"; return 1; }
    [ -z "$anchor" ] || slugs "$file" | grep -qxF -- "$anchor" || { echo "$1: $2: no such heading"; return 1; }
}
count=0
for page in $pages $others; do
    for target in $(links "$page"); do
        case $target in [a-z]*:*) continue ;; esac
        count=$((count + 1))
        check "$page: $target" resolve "$page" "$target"
    done
done
check "there are links" test "$count" -gt 80
for page in $pages; do
    # shellcheck disable=SC2086
    [ "$page" = README.md ] || cat $pages | grep -qF "$(basename "$page"))" || echo "skipped: $page, to which no page leads"
done

# commands
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
mkdir -p "$work/copy/test/firmware" "$work/bin"
cp -r data "$work/copy" && cp test/firmware/hand.json "$work/copy/test/firmware"
ln -s "$TACT" "$work/bin/tact"
for page in $pages; do
    [ "$page" = README.md ] || grep -q '^<!-- commands' "$page" || continue
    awk -v out="$work/copy/" '
        /^<!-- file: / { name = $3 }
        inside && /^```$/ { inside = 0; name = ""; next }
        inside { print >(out name) }
        name && /^```/ { inside = 1 }' "$page"
    sed -n 's/^    \(tact .*\)/\1/p; s/^    \(echo .*tact .*\)/\1/p; s/^    \(python3 .*\)/\1/p' "$page" | grep -v '^tact help COMMAND'
done | awk '!seen[$0]++' >"$work/lines"
check "there are commands" test "$(wc -l <"$work/lines")" -gt 60
cd "$work/copy" || exit 1
PATH=$work/bin:/usr/bin:$PATH
unset DISPLAY WAYLAND_DISPLAY
cat >hand.urdf <<'END'
<robot name="hand"><link name="palm"/><link name="tip"/><joint name="j" type="revolute"><parent link="palm"/><child link="tip"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
END
sed 's|"../robots|"data/robots|' data/scenes/hand_lift.json >scene.json
sed 's|"../scenes|"data/scenes|' data/batch/grasp.json >spec.json
tact run scene.json --steps 60 --quiet --trace run.jsonl
while IFS= read -r command; do
    case $command in
    *"tact view"*) [ -f "$(dirname "$TACT")/viewer.html" ] || continue ;;
    *numpy*) python3 -c 'import numpy' 2>/dev/null || continue ;;
    "tact lcp"*) echo '{"id":1,"n":2,"M":[2,1,1,2],"q":[-5,-6]}' >problems.jsonl ;;
    "tact friction"*) echo '{"id":1,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[0.5]}' >problems.jsonl ;;
    # six thousand steps with sanitizers
    *6500*) [ -z "${SAN:-}" ] || continue ;;
    esac
    check "$command" sh -c "$command" </dev/null
done <"$work/lines"
for word in check run import fk ik solve lcp friction bench grad optimise mpc identify plot render view; do check "tact $word" "$TACT" help "$word"; done
test_end readme
