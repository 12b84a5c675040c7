#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/names.sh CORE.a [LIB.a]: every external symbol of both starts with tact_; the core archive needs nothing but
# itself, a few functions of libc and the compiler's own runtime, and holds no data that can be written.
set -u
core=$1
for archive in "$@"; do [ -s "$archive" ] || { echo "names: no $archive" >&2; exit 1; }; done

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
bad=0

# lines `symbol member` of $list, each as `member: text: symbol`
report() {
    [ -s "$list" ] || return 0
    sed "s|^\([^ ]*\) \(.*\)|\2: $1: \1|" "$list" >&2
    bad=1
}

# nm -A -P prints `archive[member]: symbol type value size`
symbols() {
    nm -A -P "$@" | awk '{ sub(/:$/, "", $1); print $2, $1, $3 }'
}

for archive in "$@"; do
    [ "$(symbols -g --defined-only "$archive" | wc -l)" -gt 0 ] || { echo "names: no symbols in $archive" >&2; exit 1; }
    symbols -g --defined-only "$archive" | awk '$1 !~ /^tact_/ { print $1, $2 }' >"$list"
    report "external name without tact_"
done

libc="sqrt sqrtf floor floorf fabs fabsf memcpy memset memmove memcmp __assert_fail"
{ symbols -g --defined-only "$core"; symbols -u "$core"; } | awk -v libc="$libc" '
    BEGIN { n = split(libc, word, " "); for (i = 1; i <= n; i++) allowed[word[i]] = 1 }
    $3 != "U" { defined[$1] = 1; next }
    { needed[$1 " " $2] = $1 }
    END {
        for (use in needed) {
            name = needed[use]
            runtime = name ~ /^__(u?div|u?mod|mul|neg|ashl|ashr|lshr|clz|ctz|popcount|float|fix|extend|trunc|cmp|ucmp)[a-z]*[0-9]$/
            if (!(name in defined) && !(name in allowed) && !runtime && name != "_GLOBAL_OFFSET_TABLE_") print use
        }
    }' | sort >"$list"
report "the core must not need"

# tables of pointers stand in .data.rel.ro, which is read-only once loaded
objdump -t "$core" | awk '
    /^[^ ]+: +file format/ { member = substr($1, 1, length($1) - 1) }
    $0 ~ /[ \t](\.data|\.bss|\.tdata|\.tbss|\*COM\*)[^ \t]*[ \t]/ && $0 !~ /[ \t]\.data\.rel\.ro/ && $NF !~ /^\./ { print $NF, member }' >"$list"
report "writable data in the core"

[ $bad -eq 0 ] || exit 1
echo "names: $(symbols -g --defined-only "$@" | wc -l) external symbols in $*"
