#!/bin/sh
# SPDX-License-Identifier: MIT
# sh python/find.sh MODULE...: the first Python from 3.11 on that has these modules: $PYTHON, python3 or the system's own.
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    imports=$(printf 'import %s\n' "$@")
    "$python" -c "import sys
assert sys.version_info >= (3, 11)
$imports" 2>/dev/null && { command -v "$python"; exit 0; }
done
echo "python: no Python 3.11 with $* here (Debian: apt-get install python3-dev python3-build python3-setuptools python3-wheel" \
    "python3-venv python3-numpy python3-torch python3-pytest)" >&2
exit 1
