#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages of the page, exactly those of package-lock.json, unless they are there.
set -eu
cd "$(dirname "$0")"
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0
command -v npm >/dev/null || { echo "viewer: needs node and npm (Debian: apt-get install nodejs npm)" >&2; exit 1; }
npm ci --ignore-scripts --no-audit --no-fund --silent
