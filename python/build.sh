#!/bin/sh
# SPDX-License-Identifier: MIT
# sh python/build.sh LIBRARY.a COMMAND FOLDER: wheel and sdist of the module into FOLDER/dist, without network. The wheel links the
# library and holds the command that are given; the sdist holds their sources. Needs Debian's python3-build, python3-setuptools, python3-wheel and Python's headers.
set -eu
library=$(realpath "$1") command=$(realpath "$2") folder=$3
python=$(sh python/find.sh build setuptools wheel) || exit 1

rm -rf "$folder/stage" "$folder/dist"
mkdir -p "$folder/stage/library"
cp -R python/pyproject.toml python/setup.py python/MANIFEST.in python/tact LICENSE "$folder/stage"
cp -R data/scenes data/robots "$folder/stage/tact"
cp -R Makefile src include third_party "$folder/stage/library"
rm -rf "$folder/stage/tact/__pycache__" "$folder/stage/library/src/view/page/node_modules"
if [ -f "${VIEWER-}" ]; then
    cp "$VIEWER" "$folder/stage/tact"
else
    echo "python: without the page of tact.view, which \`make viewer\` builds (needs node, npm, clang, lld and wasi-libc)" >&2
fi
log=$folder/log
(
    cd "$folder/stage"
    CFLAGS="${CFLAGS-} -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Werror" \
        TACT_LIBRARY="$library" TACT_COMMAND="$command" TACT_INCLUDE="$PWD/library/include" \
        "$python" -m build --no-isolation --sdist --wheel --outdir ../dist .
) >"$log" 2>&1 || { tail -n 40 "$log" >&2; exit 1; }
ls "$folder"/dist/*
