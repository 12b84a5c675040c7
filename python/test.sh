#!/bin/sh
# SPDX-License-Identifier: MIT
# sh python/test.sh FOLDER TACT: the wheel of FOLDER/dist in a fresh virtual environment that sees the system's numpy, torch and
# pytest. The tests run from another folder, so that only what the wheel holds is imported.
set -eu
folder=$(realpath "$1") tact=$(realpath "$2") root=$PWD
python=$(sh python/find.sh venv numpy torch pytest) || exit 1
rm -rf "$folder/venv"
"$python" -m venv --system-site-packages "$folder/venv"
"$folder/venv/bin/python" -m pip -q install --no-index --no-deps "$folder"/dist/*.whl
cd "$folder"
tests=$root/python/test
if [ -n "${SAN-}" ]; then
    # PyTorch is not made for sanitizers; Python's own allocator checks what it gives out
    LD_PRELOAD=$(${CC:-cc} -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=debug PYTHONDEVMODE=1
    export LD_PRELOAD ASAN_OPTIONS PYTHONMALLOC PYTHONDEVMODE SAN
    # the command has the sanitizers in it: it must not get them twice
    printf '#!/bin/sh\nunset LD_PRELOAD\nexec "%s" "$@"\n' "$tact" >"$folder/tact"
    chmod +x "$folder/tact"
    tact=$folder/tact
    # --capture=sys: what a sanitizer writes as the process ends is shown
    tests="--capture=sys $tests/test_worlds.py $tests/test_plans.py $tests/test_jax.py"
fi
TACT="$tact" TACT_ROOT="$root" "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider $tests
