#!/bin/sh
# SPDX-License-Identifier: MIT
# make install, a program built against what it copied (shared and static), make uninstall.
. test/test.sh
cc=${CC:-cc}
sanitizers=${SAN:+-fsanitize=address -fsanitize=undefined}
TACT=${TACT:-build/tact}
dest=$work/dest
prefix=/opt/tact
lib=$dest$prefix/lib

# the outer make's variables stay, its job server is not ours
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//; s/ *-j[0-9]*//')
export MAKEFLAGS
check "install" make -s install DESTDIR="$dest" PREFIX=$prefix

found() {
    PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --define-variable=prefix="$dest$prefix" "$@" tact
}
version=$(sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
check "tact.pc: version" test "$(found --modversion)" = "$version"
check "tact.pc: the prefix asked for" grep -qx "prefix=$prefix" "$lib/pkgconfig/tact.pc"
check "tact.pc: nothing left to fill in" sh -c "! grep -n @ '$lib/pkgconfig/tact.pc'"
check "soname" sh -c "objdump -p '$lib/libtact.so' | grep -q 'SONAME *libtact.so.${version%%.*}\$'"
check "links" test "$(readlink "$lib/libtact.so.${version%%.*}")" = "libtact.so.$version"
check "the core library" test -s "$lib/libtact-core.a"
check "the manual page" grep -q '^\.TH TACT 1' "$dest$prefix/share/man/man1/tact.1"
check "the manual page has no faults" sh -c "! command -v groff >/dev/null || ! LC_ALL=C groff -man -ww -z '$dest$prefix/share/man/man1/tact.1' 2>&1 | grep ."
# every command and all of its options, which its entry begins with
for command in $("$TACT" help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do
    sed -n "/^\.B tact $command /p" src/app/tact.1 | tr -d '\\' >"$work/entry"
    check "the manual's entry of $command" test -s "$work/entry"
    for option in $("$TACT" help "$command" | sed -n '/^options:/,/^$/s/^  \(-[-a-z]*\).*/\1/p'); do
        case $option in
        --law | --set) continue ;;
        esac
        check "the manual's $command $option" grep -qF -e "$option" "$work/entry"
    done
done
check "the command" sh -c "'$dest$prefix/bin/tact' --version | grep -F '$version'"

# every header stands alone
for header in include/tact/*.h; do
    header=${header#include/}
    echo "#include <$header>" >"$work/alone.c"
    # shellcheck disable=SC2046
    check "$header alone" $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(found --cflags) "$work/alone.c"
done

cat >"$work/use.c" <<END
#include <stdio.h>
#include <tact/tact.h>

int main(void) {
    size_t bytes = sizeof(tact_real);
    printf("%s %s %d\n", TACT_VERSION, tact_status_name(TACT_CONVERGED), (int)bytes);
    return 0;
}
END
bytes=8
[ "${REAL:-double}" = double ] || bytes=4
cat >"$work/wanted" <<END
$version converged $bytes
END
runs() {
    LD_LIBRARY_PATH=$lib "$1" >"$work/got" && diff "$work/wanted" "$work/got"
}
# shellcheck disable=SC2046,SC2086
check "compile, shared" $cc $sanitizers "$work/use.c" -o "$work/shared" $(found --cflags --libs)
check "run, shared" runs "$work/shared"
check "the shared library is used" sh -c "objdump -p '$work/shared' | grep -q 'NEEDED *libtact.so.${version%%.*}\$'"
# shellcheck disable=SC2046,SC2086
check "compile, static" $cc $sanitizers "$work/use.c" -o "$work/static" $(found --cflags) "$lib/libtact.a" $(found --libs --static | sed 's/-ltact//')
rm -f "$lib"/libtact.so*
check "run, static" runs "$work/static"

check "install again" make -s install DESTDIR="$dest" PREFIX=$prefix
touch "$lib/libtactile.so" "$dest$prefix/include/other.h"
check "uninstall" make -s uninstall DESTDIR="$dest" PREFIX=$prefix
(cd "$dest$prefix" && find . ! -type d && ls include) | sort >"$work/left"
printf './include/other.h\n./lib/libtactile.so\nother.h\n' >"$work/wanted"
check "nothing of ours is left, nothing of others is gone" diff "$work/wanted" "$work/left"

test_end install
