#!/bin/sh
# SPDX-License-Identifier: MIT
# Help in 100 columns with an example scene that runs, scenes that come with the command, and -o as --output.
. test/test.sh

narrow() { # WORDS...: help of no more than 100 columns, but for what is quoted for a shell and names without a blank
    "$TACT" "$@" >"$work/help" || return 1
    [ -s "$work/help" ] || { echo "no help"; return 1; }
    awk 'length($0) > 100 && $0 !~ /^ *\x27\{/ && $0 !~ /^ *[^ ]*$/ { print; bad = 1 } END { exit bad }' "$work/help"
}
for command in $("$TACT" help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p') scene; do
    check "help $command is narrow" narrow help "$command"
done
check "the commands were found" [ "$("$TACT" help | sed -nE 's/^  ([a-z]+) +[A-Z].*/\1/p' | wc -l)" -gt 20 ]

# words stay what they are where lines are broken
"$TACT" help run | tr -s ' \n' ' ' >"$work/words"
check "words are kept" grep -q 'The trace is JSON Lines: a first line with the names of all things and the options in force, then a line for each step' "$work/words"

"$TACT" help scene | sed -n '/^  {"tact"/,$p' >"$work/example.json"
check "help scene has an example" [ -s "$work/example.json" ]
check "which is meant as it stands" answers 0 "$TACT" check --strict "$work/example.json"
check "and runs" answers 0 "$TACT" run "$work/example.json" --steps 60 --quiet

# the fields as JSON Schema: it takes all scenes that come with the command, and refuses what is misspelt or out of range
"$TACT" help scene --schema >"$work/schema.json"
check "help scene --schema" [ -s "$work/schema.json" ]
check "--schema is of the scene only" says 4 "schema is of: tact help scene" "$TACT" help run --schema
check "--schema alone" says 4 "schema is of: tact help scene" "$TACT" help --schema
if python3 -c "import jsonschema; jsonschema.Draft202012Validator" 2>/dev/null; then
    cat >"$work/schema.py" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
schema = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    for error in schema.iter_errors(json.load(open(name))):
        sys.exit("%s: %s: %s" % (name, error.json_path, error.message))
ball = {"name": "a", "body": "world", "type": "sphere", "radius": 1}
if not schema.is_valid({"tact": 1, "shapes": [ball]}):
    sys.exit("a sphere is refused")
for wrong in ({"optons": {}}, {"options": {"dt": 0}}, {"options": {"limits": "on"}}, {"options": {"max_iterations": 1.5}},
              {"gravity": [0, 0]}, {"shapes": [{**ball, "length": 1}]}, {"shapes": [{**ball, "radius": -1}]},
              {"shapes": [{"name": "a", "body": "world", "type": "sphere"}]}, {"bodies": [{"name": "a", "parent": "world"}]}):
    if schema.is_valid({"tact": 1, **wrong}):
        sys.exit("not refused: %s" % wrong)
END
    check "the schema takes scenes and refuses mistakes" python3 "$work/schema.py" "$work/schema.json" data/scenes/*.json
else
    echo "skipped: the schema (no python3-jsonschema)"
fi

tact=$(realpath "$TACT")
elsewhere() {
    cd "$work" && "$tact" run "$1" --steps 3 --json >"$work/named" 2>"$work/said"
}
for name in hand_lift hand_lift.json; do
    (elsewhere $name)
    check "$name is found from anywhere" grep -q '"scene":"hand_lift"' "$work/named"
    check "$name: where is told" grep -q "^tact: $name is .*/scenes/hand_lift.json$" "$work/said"
done
"$TACT" run data/scenes/hand_lift.json --steps 3 --json >"$work/file" 2>/dev/null
check "it is the same scene" cmp "$work/named" "$work/file"
cp data/scenes/ball_drop.json "$work/hand_lift"
(elsewhere hand_lift)
check "a file of that name comes first" grep -q '"scene":"ball_drop"' "$work/named"
check "what is nowhere is refused" says 3 "no_such: error: No such file" "$TACT" run no_such

for option in -o --output; do
    check "bake $option" answers 0 "$TACT" bake lesson $option "$work/bake$option.c"
    check "render $option" answers 0 "$TACT" render lesson $option "$work/render$option.svg"
done
check "-o and --output are one option" cmp "$work/bake-o.c" "$work/bake--output.c"
check "also of pictures" cmp "$work/render-o.svg" "$work/render--output.svg"
"$TACT" bake data/scenes/lesson.json >"$work/out.c" 2>/dev/null
check "the file is what standard output is" cmp "$work/bake-o.c" "$work/out.c"
check "a folder that is not there" says 3 "No such file" "$TACT" bake lesson -o "$work/nowhere/x.c"
# commands that print write what they print
for option in -o --output; do
    check "check $option" answers 0 "$TACT" check lesson $option "$work/check$option"
    check "what check prints is there" sh -c "'$TACT' check lesson 2>/dev/null | cmp - '$work/check$option'"
done
check "nothing of it is printed" sh -c "[ -z \"\$('$TACT' check lesson -o '$work/c' 2>/dev/null)\" ]"
check "what is refused leaves no file" says 2 "unknown key" sh -c "echo '{\"tact\":1,\"bodis\":[]}' | '$TACT' check - -o '$work/refused'"
check "no file" [ ! -e "$work/refused" ]
check "it is named in the help" sh -c "'$TACT' help lcp | grep -q -- '-o, --output FILE'"
# words at the end of a run
check "what holds the ball" sh -c "'$TACT' run hand_lift --steps 500 2>/dev/null | grep -q '^ball lifted 0.13 m, slip 0.0[0-9]* mm, held by thumb_1 8.0'"
check "nothing is said of what lies" sh -c "! '$TACT' run hand_lift --steps 100 2>/dev/null | grep -q lifted"
for scene in pile_1000 ten_boxes allegro_capsule; do
    check "$scene: at most 100 columns" sh -c "'$TACT' run $scene --steps 2 2>/dev/null | awk 'length > 100 { bad = 1 } END { exit bad }'"
done
check "steps behind a scene" says 4 'steps are given as --steps "500"' "$TACT" run lesson 500
check "letters that changed places" says 4 'did you mean "run"' "$TACT" rnu lesson
check "many steps before a picture are told" says 4 "99999999 steps are made before there is a picture" sh -c "timeout 2 '$TACT' render lesson --step 99999999 -o '$work/x.svg'; exit 4"

# what is too long for its column ends the line: the last column begins at the same place
for key in penalty manifold position_tolerance angle_tolerance; do
    check "columns of $key" sh -c "'$TACT' help scene | grep -A3 '^  $key ' | grep -q '^.\{56\}[^ ]' || '$TACT' help scene | grep -A3 '^  $key\$' | grep -q '^.\{56\}[^ ]'"
done
check "no row begins in the wrong column" sh -c "! '$TACT' help scene | grep -qE '^  (penalty|manifold|angle_tolerance|position_tolerance) .{60,}14 degrees angle'"
check "the comment of a batch is whole" sh -c "! '$TACT' help batch | grep -q '^ *choice\$'"

test_end help
