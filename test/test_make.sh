#!/bin/sh
# SPDX-License-Identifier: MIT
# The Makefile in a small house of its own: variants, what is compiled again and when, outside packages missing or set up.
. test/test.sh
unset WERROR MAKEFLAGS MFLAGS MAKELEVEL JOBS CFLAGS CPPFLAGS LDFLAGS
cc=${CC:-cc}
home=$(pwd)
unset CC
cp -R Makefile third_party "$work"
cp test/run.sh "$work/run.sh"
mkdir -p "$work/test/gates"
cp test/gates/*.sh "$work/test/gates"
cd "$work" || exit 1
mkdir -p src/base src/math src/scene src/app include/tact data/scenes test
mv run.sh test
printf '#ifndef BASE\n#define BASE\n#define TACT_VERSION "0.1.0"\nint tact_base_same(void);\nint tact_math_same(void);\nint tact_width(void);\nint tact_scene(void);\n#endif\n' >include/tact/base.h
printf '#include "tact/base.h"\nint tact_base_same(void) { return 1; }\n' >src/base/same.c
printf '#include "tact/base.h"\nint tact_math_same(void) { return 2; }\n' >src/math/same.c
printf '#include "tact/base.h"\n#ifdef TACT_FLOAT\nint tact_width(void) { return 4; }\n#else\nint tact_width(void) { return 8; }\n#endif\n' >src/math/width.c
printf '#include "tact/base.h"\n#include <cJSON.h>\nint tact_scene(void) { return cJSON_Version() ? 3 : 0; }\n' >src/scene/scene.c
cat >src/app/main.c <<'END'
#include "tact/base.h"
#include <stdio.h>
int main(void) { return printf("width %d same %d\n", tact_width(), tact_base_same() + tact_math_same() + tact_scene()) < 0; }
END
cat >test/test_a.c <<'END'
#include "tact/base.h"
#include <stdio.h>
int main(void) { return printf("a: %d passed, 0 failed\n", tact_width()) < 0; }
END
echo 'echo "sh: 1 passed, 0 failed"' >test/test_b.sh

build() {
    make CC="$cc" "$@"
}
says() { # TEXT COMMAND...: the command succeeds and prints the line TEXT
    text=$1
    shift
    "$@" >said 2>&1 && grep -qxF "$text" said || { cat said; return 1; }
}
unsaid() { # TEXT COMMAND...: the command succeeds and prints no such line
    text=$1
    shift
    "$@" >said 2>&1 && ! grep -nxF "$text" said
}

check "all" build -j2
check "files of one name in two folders" says "width 8 same 6" build/tact
for file in libtact.a libtact-core.a libtact.so.0.1.0; do check "build/$file" test -s build/$file; done
check "the core library is the core only" sh -c "! nm build/libtact-core.a | grep tact_scene"
build >again 2>&1
check "nothing to do the second time" test ! -s again
check "REAL=float" build REAL=float
check "REAL=float is single precision" says "width 4 same 6" build/float/tact
check "SAN=1" build SAN=1
check "SAN=1 has the sanitizers" sh -c "nm build/san/tact | grep -q __asan_init"
check "both" build REAL=float SAN=1 build/float-san/tact
check "ONLY=b runs test_b.sh" says "1 passed, 0 failed" sh -c "make -s CC='$cc' test ONLY=b | tail -n 1"
check "ONLY=a runs test_a.c" says "8 passed, 0 failed" sh -c "make -s CC='$cc' test ONLY=a | tail -n 1"
check "WITHOUT=b leaves test_b.sh out" says "8 passed, 0 failed" sh -c "make -s CC='$cc' test WITHOUT=b | tail -n 1"
refuse "ONLY of no test" "no test to run" sh -c "make -s CC='$cc' test ONLY=none 2>&1"
refuse "REAL of another kind" "REAL is double or float" build REAL=half

check "other flags compile again" says "cc src/base/same.c" build CFLAGS=-O0
check "the same flags do not" unsaid "cc src/base/same.c" build CFLAGS=-O0
echo >>include/tact/base.h
check "a changed header compiles again" says "cc src/scene/scene.c" build CFLAGS=-O0
printf '#include "tact/base.h"\nint tact_new(void);\nint tact_new(void) { return 9; }\n' >src/base/new.c
check "a new file" build
check "a new file is in the library" sh -c "nm build/libtact.a | grep -q tact_new"
rm src/base/new.c
check "a removed file" build
check "a removed file leaves the library" sh -c "! nm build/libtact.a | grep tact_new"
printf 'static int unused;\n' >src/base/warn.c
check "a warning is told" sh -c "make CC='$cc' 2>&1 | grep -q unused"
echo >>src/base/warn.c
refuse "WERROR=1: a warning is an error" "unused" build WERROR=1
rm src/base/warn.c

check "test" says "9 passed, 0 failed" build test
check "test, REAL=float" says "5 passed, 0 failed" build REAL=float test
echo 'echo "sh: 1 passed, 2 failed"; exit 1' >test/test_b.sh
refuse "a failed test" "9 passed, 2 failed" build test
check "help lists the targets" says "make setup         install what is missing with the system's package manager" build help

# without the outside packages: one line says what to do, and what needs only the core works
rm -rf build
refuse "no cJSON" 'cJSON not found: run `make setup` (Debian: apt-get install pkg-config libcjson-dev)' build PKG_CONFIG=false
for target in help layers names no-fma; do check "$target without packages" build PKG_CONFIG=false $target; done

# from nothing: the compiler and pkg-config answer only after setup, in one call of make and with two jobs
cat >answer <<'END'
#!/bin/sh
[ -e ready ] || { echo "used before setup" >&2; exit 1; }
exec "$@"
END
chmod +x answer
echo 'sleep 1; touch ready' >third_party/setup.sh
echo 'echo "sh: 1 passed, 0 failed"' >test/test_b.sh
fresh() {
    rm -rf build ready
    make CC="./answer $cc" PKG_CONFIG="./answer pkg-config" "$@"
}
refuse "without setup" "not found: run" fresh all
check "make setup test" says "9 passed, 0 failed" fresh setup test
check "make JOBS=2 setup test" says "9 passed, 0 failed" fresh JOBS=2 setup test
check "make -j2 setup demo" says "width 8 same 6" fresh -j2 setup demo

# two recipes that wait for each other
cat >beside.mk <<'END'
include Makefile
beside: one two
one two: | $(setup)
	@echo >$@; for i in 1 2 3 4 5 6 7 8 9 10; do [ -e one ] && [ -e two ] && exit; sleep 0.1; done; exit 1
END
beside() {
    rm -f one two
    build -f beside.mk "$@"
}
check "two jobs" beside JOBS=2 beside
check "of a setup, too" beside JOBS=2 setup beside
check "by -j" beside JOBS=1 -j2 beside
refuse "one job" "Error 1" beside JOBS=1 beside
refuse "not by -j1" "Error 1" beside JOBS=2 -j1 beside
refuse "several goals" "Error 1" beside JOBS=2 one two

# two of the page's library at once, by a compiler and a linker that take their time
mkdir -p src/view/page/wasm root/lib/wasm32-wasi
cp "$home/src/view/page/wasm/build.sh" src/view/page/wasm/build.sh
printf 'tact_status tact_page_open(void);\n' >src/view/page/wasm/page.h
touch src/view/page/wasm/page.c root/lib/wasm32-wasi/libc.a
cat >slow <<'END'
#!/bin/sh
# the last word names the output
sleep 0.3
for last in "$@"; do :; done
case $* in *print-libgcc*) echo none ;; *.wasm) cat $(for word in "$@"; do case $word in *.o) echo "$word" ;; esac; done) >"$last" ;; *) echo "$last" >"$last" ;; esac
END
chmod +x slow
wasm() {
    WASM_CC=./slow WASM_LD=./slow WASI_SYSROOT=root sh src/view/page/wasm/build.sh "$1" build/wasm
}
both() {
    wasm build/one.wasm &
    first=$!
    sleep 0.4
    wasm build/two.wasm || { wait $first; return 1; }
    wait $first && [ "$(wc -l <build/one.wasm)" -eq "$(wc -l <build/two.wasm)" ] && [ -s build/one.wasm ]
}
check "two make wasm at once" both
check "nothing is left beside the library" sh -c "! ls -d build/wasm*"

test_end make
