#!/bin/sh
# SPDX-License-Identifier: MIT
# sh src/amalgam.sh FOLDER "HOSTED LAYERS": writes FOLDER/tact.h, the public headers of the core, and FOLDER/tact.c, the core,
# each whole in one file; with -DTACT_FLOAT in single precision. From the repository's root.
set -eu
folder=$1
export hosted="$2"
mkdir -p "$folder"

cat >"$folder/join.awk" <<'END'
# Prints files with what they include in its place, once each. Headers of tact/ go to the header, which the source includes.
BEGIN {
    count = split(ENVIRON["hosted"], word, " ")
    for (i = 1; i <= count; i++) hosted[word[i]] = 1
    # what batch/, scene/ and worlds/ show under other names
    hosted["lanes"] = hosted["jacobian"] = hosted["fit"] = hosted["memory"] = hosted["errors"] = hosted["text"] = 1
    hosted["json"] = hosted["keys"] = hosted["files"] = 1
    hosted["mesh"] = hosted["draft"] = hosted["robot"] = hosted["npy"] = hosted["bake"] = hosted["place"] = hosted["problem"] = hosted["store"] = hosted["passage"] = 1
    if (part == "header") {
        print "// SPDX-License-Identifier: MIT"
        print "// Tact's core in one header and one source file: write `#include \"tact.h\"` and compile tact.c with"
        print "//   cc -std=c11 -O2 -ffp-contract=off -fno-math-errno -c tact.c"
        print "// in double precision; with -DTACT_FLOAT everywhere in single. Written by `make amalgam`."
        read("include/tact/tact.h")
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

# the headers inside, before all sources: those stand between #if and #endif at times
function headers(file,    line, name) {
    if (walked[file]++) return
    while ((getline line < file) > 0)
        if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
            name = path(line)
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
        } else if (name ~ /\.c$/ || !done[name]) {
            read(name)
        }
    }
    close(file)
}
END
awk -v part=header -f "$folder/join.awk" >"$folder/tact.h"
awk -v part=source -f "$folder/join.awk" >"$folder/tact.c"
rm "$folder/join.awk"
