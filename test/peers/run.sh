#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/peers/run.sh [FILE [ARGUMENTS]]: builds and runs the comparisons of this folder whose peer is installed, or that one; what
# begins with judge_ only when it is named. A program says in its second line what it needs:
#   // peer: pkg-config NAME...   or   // peer: library NAME     (what stands behind in brackets is for the reader)
# FLAGS, LIBS, CC and OUT come from the Makefile; C++ programs are compiled with CXX.
set -u
# times are of one thread, or of as many as a program starts itself
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS
mkdir -p "$OUT"
${CC:-cc} $FLAGS -c -o "$OUT/peer.o" test/peers/peer.c || exit 1

found() { # KIND NAME...: the linker's words, or nothing
    kind=$1
    shift
    case $kind in
    pkg-config) pkg-config --exists "$@" 2>/dev/null && pkg-config --cflags --libs "$@" ;;
    library) echo 'int main(void) { return 0; }' | ${CC:-cc} -x c -o /dev/null - "-l$1" 2>/dev/null && echo "-l$1" ;;
    esac
}

failed=0
one=${1:-}
[ ! "$one" ] || shift
for source in ${one:-test/peers/*.c test/peers/*.cpp}; do
    [ -e "$source" ] || continue
    case ${one:+named:}$source in test/peers/judge_*) continue ;; esac
    needs=$(sed -n '2s|^// peer: \([^(]*\).*|\1|p' "$source")
    [ -n "$needs" ] || continue
    # shellcheck disable=SC2086
    words=$(found $needs)
    if [ -z "$words" ]; then
        echo "skipped $source: no $needs here ($(sed -n '2s|.*(\(.*\)).*|\1|p' "$source"))"
        continue
    fi
    name=$OUT/$(basename "${source%.*}")
    case $source in
    *.cpp) compile="${CXX:-c++} $CXXFLAGS" ;;
    *) compile="${CC:-cc} $FLAGS" ;;
    esac
    # shellcheck disable=SC2086
    $compile -o "$name" "$source" "$OUT/peer.o" $LIBS $words -lm && "$name" "$@" || failed=1
done
exit $failed
