#!/bin/sh
# SPDX-License-Identifier: MIT
# sh src/amalgam.sh FOLDER "HOSTED LAYERS": writes FOLDER/tact.h, the public headers of the core, and FOLDER/tact.c, the core,
# each whole in one file; with -DTACT_FLOAT in single precision. From the repository's root.
# sh src/amalgam.sh FOLDER "HOSTED LAYERS" OBJECTS "LAWS": only what a step by these laws needs. It is found in the symbols of
# the compiled core, whose files are OBJECTS/LAYER/FILE.o.
set -eu
folder=$1
export hosted="$2" laws="${4:-}" wanted=

# Prints the files of the core that a step by $laws is made of: those that define what it calls, and what these call.
choose() {
    for source in $(sed -n 's/^#include "\(.*\)\.c"$/\1/p' src/all.c); do
        [ ! -f "$1/$source.o" ] || echo "$1/$source.o"
    done | xargs nm -A | awk -v folder="$1/" '
        # FILE.o:ADDRESS KIND SYMBOL, the address where there is one
        { file = substr($0, length(folder) + 1); sub(/\.o:.*/, "", file) }
        $(NF - 1) == "U" { uses[file] = uses[file] " " $NF }
        $(NF - 1) ~ /^[TDRB]$/ { owner[$NF] = file }
        function take(file) { if (!taken[file]++) open[++last] = file }
        END {
            count = split(ENVIRON["laws"], law, /[ ,]+/)
            # what every program calls: status names, a step, motions and energies of a model
            take("base/status"); take("sim/sim"); take("tree/dynamics"); take("tree/momentum"); take("tree/tangent")
            for (i = 1; i <= count; i++) take("law/" law[i])
            while (last > done) {
                split(uses[open[++done]], symbol, " ")
                for (i in symbol) if (symbol[i] in owner) take(owner[symbol[i]])
            }
            for (i = 1; i <= last; i++) printf "%s.c ", open[i]
        }'
}
if [ "$laws" ]; then
    for law in $(echo "$laws" | tr , ' '); do
        case $law in
        barrier | rigid | virtual) ;;
        *) echo "LAWS: error: no law \"$law\" (allowed: barrier, rigid, virtual; several as LAWS=\"barrier rigid\")" >&2 && exit 2 ;;
        esac
    done
    wanted=$(choose "$3")
    export wanted
fi

mkdir -p "$folder"
cat >"$folder/join.awk" <<'END'
# Prints files with what they include in its place, once each. Headers of tact/ go to the header, which the source includes.
BEGIN {
    count = split(ENVIRON["hosted"], word, " ")
    for (i = 1; i <= count; i++) hosted[word[i]] = 1
    # what batch/, scene/ and worlds/ show under other names
    hosted["lanes"] = hosted["jacobian"] = hosted["fit"] = hosted["memory"] = hosted["errors"] = hosted["text"] = 1
    hosted["json"] = hosted["keys"] = hosted["files"] = 1
    hosted["mesh"] = hosted["draft"] = hosted["robot"] = hosted["npy"] = hosted["bake"] = hosted["place"] = hosted["problem"] = hosted["store"] = hosted["passage"] = hosted["edit"] = hosted["control"] = hosted["roadmap"] = 1
    count = split(ENVIRON["wanted"], word, " ")
    for (i = 1; i <= count; i++) chosen["src/" word[i]] = 1
    some = count > 0
    if (part == "header") {
        print "// SPDX-License-Identifier: MIT"
        print "// Tact's core in one header and one source file: write `#include \"tact.h\"` and compile tact.c with"
        print "//   cc -std=c11 -O2 -ffp-contract=off -fno-math-errno -c tact.c"
        print "// in double precision; with -DTACT_FLOAT everywhere in single. Written by `make amalgam`."
        if (some) print "// Of it what a step by these laws needs: " ENVIRON["laws"] "."
        if (some) public("src/all.c")
        else read("include/tact/tact.h")
    } else {
        print "// SPDX-License-Identifier: MIT"
        print "// Tact's core: see tact.h."
        print "#include \"tact.h\"\n"
        print "// clang does not take the inline helpers below for those of headers"
        print "#ifdef __clang__\n#pragma clang diagnostic ignored \"-Wunused-function\"\n#endif\n"
        headers("src/all.c")
        read("src/all.c")
    }
}

function path(line) {
    sub(/^[ \t]*#[ \t]*include[ \t]*"/, "", line)
    sub(/".*/, "", line)
    return line ~ /^tact\// ? "include/" line : "src/" line
}

function layer_of(name,    word) {
    split(name, word, "/")
    sub(/\.h$/, "", word[3])
    return word[3]
}

# the public headers that the chosen sources include
function public(file,    line, name) {
    if (seen[file]++) return
    while ((getline line < file) > 0)
        if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
            name = path(line)
            if (name ~ /^include\//) read(name)
            else if (name !~ /\.c$/ || chosen[name]) public(name)
        }
    close(file)
}

# the headers inside, before all sources: those stand between #if and #endif at times
function headers(file,    line, name) {
    if (walked[file]++) return
    while ((getline line < file) > 0)
        if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
            name = path(line)
            if (some && name ~ /\.c$/ && !chosen[name]) continue
            headers(name)
            if (name ~ /^src\/.*\.h$/) read(name)
        }
    close(file)
}

function read(file,    line, name) {
    if (file ~ /\.h$/ && done[file]++) return
    if (file != "src/all.c" && file !~ /tact\/tact\.h$/) print "// " file
    while ((getline line < file) > 0) {
        if (line ~ /SPDX-License-Identifier/) continue
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) { print line; continue }
        name = path(line)
        if (name ~ /^include\//) {
            if (part == "header" && !(layer_of(name) in hosted)) read(name)
        } else if (name ~ /\.c$/ ? !some || chosen[name] : !done[name]) {
            read(name)
        }
    }
    close(file)
}
END
awk -v part=header -f "$folder/join.awk" >"$folder/tact.h"
awk -v part=source -f "$folder/join.awk" >"$folder/tact.c"
rm "$folder/join.awk"
