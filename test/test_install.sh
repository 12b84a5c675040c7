#!/bin/sh
# SPDX-License-Identifier: MIT
# make install, a program built against what it copied (shared and static), make uninstall.
. test/test.sh
cc=${CC:-cc}
sanitizers=${SAN:+-fsanitize=address -fsanitize=undefined}
TACT=${TACT:-build/tact}
dest=$work/dest
real=${REAL:-double}
name=tact
[ "$real" = double ] || name=tactf
prefix=/opt/tact
lib=$dest$prefix/lib

# the outer make's variables stay, its job server is not ours
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/ *--jobserver-[a-z]*=[^ ]*//; s/ *-j[0-9]*//')
export MAKEFLAGS
check "install" make -s install DESTDIR="$dest" PREFIX=$prefix

found() {
    PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --define-variable=prefix="$dest$prefix" --define-variable=libdir="$lib" "$@" $name
}
version=$(sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
check "tact.pc: version" test "$(found --modversion)" = "$version"
check "tact.pc: the prefix asked for" grep -qx "prefix=$prefix" "$lib/pkgconfig/$name.pc"
check "tact.pc: nothing left to fill in" sh -c "! grep -n @ '$lib/pkgconfig/$name.pc'"
check "soname" sh -c "objdump -p '$lib/lib$name.so' | grep -q 'SONAME *lib$name.so.${version%%.*}\$'"
check "links" test "$(readlink "$lib/lib$name.so.${version%%.*}")" = "lib$name.so.$version"
check "the core library" test -s "$lib/lib$name-core.a"
check "the manual page" grep -q '^\.TH TACT 1' "$dest$prefix/share/man/man1/tact.1"
check "the manual page has no faults" sh -c "! command -v groff >/dev/null || ! LC_ALL=C groff -man -ww -z '$dest$prefix/share/man/man1/tact.1' 2>&1 | grep ."
page=$dest$prefix/share/man/man5/tact-scene.5
check "the page of scenes has every section" sh -c "test \$(grep -c '^\.SS ' '$page') -gt 20 && grep -q '^  *kappa ' '$page'"
check "the page of scenes has no faults" sh -c "! command -v groff >/dev/null || ! LC_ALL=C groff -man -ww -z '$page' 2>&1 | grep ."
# every command and all of its options, which its entry begins with
for command in $("$TACT" help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do
    sed -n "/^\.B tact $command /p" src/app/tact.1 | tr -d '\\' >"$work/entry"
    check "the manual's entry of $command" test -s "$work/entry"
    for option in $("$TACT" help "$command" | sed -n '/^options:/,/^$/s/^  \(-[-a-z]*\).*/\1/p'); do
        case $option in
        --law | --set | --strict | --verbose | -o) continue ;;
        esac
        check "the manual's $command $option" grep -qF -e "$option" "$work/entry"
    done
done
# scenes that came along are found by name from any folder, with the distance grids that they read
for scene in hand_lift allegro_mug spot_lift; do
    check "the installed $scene" sh -c "cd '$work' && '$dest$prefix/bin/tact' run $scene --steps 1 --quiet"
done
check "the installed batch" sh -c "cd '$work' && '$dest$prefix/bin/tact' batch '$dest$prefix/share/tact/batch/grasp.json' --envs 2 --steps 2 --output many"
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
    printf("%s %s %d\n", tact_version(), tact_status_name(TACT_CONVERGED), (int)bytes);
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
check "the shared library is used" sh -c "objdump -p '$work/shared' | grep -q 'NEEDED *lib$name.so.${version%%.*}\$'"
public() { # what it exports is what the headers name
    nm -D --defined-only "$lib/lib$name.so" | sed -n 's/.* [A-Z] //p' | sed 's/_float$//' | sort -u >"$work/exported"
    grep -oh 'tact_[a-z0-9_]*' include/tact/*.h | sort -u >"$work/public"
    [ "$(wc -l <"$work/exported")" -gt 100 ] && [ -z "$(comm -23 "$work/exported" "$work/public")" ]
}
[ -n "$sanitizers" ] || check "only public names are exported" public
if [ -z "$sanitizers" ]; then
    cat >"$work/other.c" <<END
#include <tact/tact.h>
int main(void) { return tact_options_default().dt > 0 ? 0 : 1; }
END
    define=-DTACT_FLOAT
    [ "$real" = double ] || define=-UTACT_FLOAT
    # shellcheck disable=SC2046
    refuse "the other number type does not link" tact_options_default $cc "$work/other.c" -o "$work/other" $(found --cflags) $define $(found --libs)
fi
if command -v cmake >/dev/null; then
    mkdir "$work/cmake"
    cat >"$work/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(use C)
find_package($name ${version%.*} CONFIG REQUIRED)
add_executable(use ../use.c)
target_link_libraries(use $name::$name)
add_executable(small ../use.c)
target_link_libraries(small $name::core)
END
    from_cmake() {
        cmake -S "$work/cmake" -B "$work/cmake/out" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$sanitizers" -DCMAKE_PREFIX_PATH="$dest$prefix" &&
            cmake --build "$work/cmake/out" && runs "$work/cmake/out/use" && runs "$work/cmake/out/small"
    }
    check "CMake's find_package: shared and core" from_cmake
    sed -i.old "s/$name ${version%.*} /$name 0.7 /" "$work/cmake/CMakeLists.txt"
    refuse "CMake: a version that is not there" "find_package" cmake -S "$work/cmake" -B "$work/cmake/none" -DCMAKE_PREFIX_PATH="$dest$prefix"
else
    echo "skipped: find_package (no cmake)"
fi
# shellcheck disable=SC2046,SC2086
check "compile, static" $cc $sanitizers "$work/use.c" -o "$work/static" $(found --cflags) "$lib/lib$name.a" $(found --libs --static | sed "s/-l$name//")
rm -f "$lib"/lib$name.so*
check "run, static" runs "$work/static"

check "install again" make -s install DESTDIR="$dest" PREFIX=$prefix
touch "$lib/libtactile.so" "$dest$prefix/include/other.h"
check "uninstall" make -s uninstall DESTDIR="$dest" PREFIX=$prefix
(cd "$dest$prefix" && find . ! -type d && ls include) | sort >"$work/left"
printf './include/other.h\n./lib/libtactile.so\nother.h\n' >"$work/wanted"
check "nothing of ours is left, nothing of others is gone" diff "$work/wanted" "$work/left"

test_end install
