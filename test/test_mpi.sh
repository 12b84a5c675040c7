#!/bin/sh
# SPDX-License-Identifier: MIT
# tact batch under mpirun, of Open MPI and of MPICH, those that are there: the same bytes from any number of ranks. The command is
# linked anew with the ranks of MPI.
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export LC_ALL OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe

# with several installed, each has a launcher with its name
packages=
[ -n "${SAN:-}${LAPACK:-}" ] || for name in ompi-c mpich; do
    launcher=mpirun.mpich
    [ $name = mpich ] || launcher=mpirun.openmpi
    command -v $launcher >/dev/null || launcher=mpirun
    if pkg-config --exists $name 2>/dev/null && command -v $launcher >/dev/null; then packages="$packages $name:$launcher"; fi
done
if [ -z "$packages" ]; then
    test_end "mpi (no MPI, or another variant)"
    exit
fi

flags="-D_POSIX_C_SOURCE=200809L -std=c11 -O1 -pthread -Iinclude -Isrc"
[ "$REAL" = float ] && flags="$flags -DTACT_FLOAT"
objects=
for object in "$BUILD"/obj/app/*.o; do
    case $object in */ranks_one.o | */ranks_mpi.o) ;; *) objects="$objects $object" ;; esac
done

spec=$work/spec.json
sed 's|"../scenes|"'"$PWD"'/data/scenes|; s/"envs": 1000/"envs": 150/; s/"steps": 100/"steps": 20/' data/batch/grasp.json >"$spec"
check "without mpirun" answers 0 timeout 60 "$TACT" batch "$spec" --output "$work/plain"
# so long that results are kept when it is killed
long="$spec --steps 300 --envs $(lasting 12 "$spec" --steps 300)"
# shellcheck disable=SC2086
check "undisturbed" answers 0 timeout 60 "$TACT" batch $long --output "$work/whole"

ranks_of() { # PROGRAM: the processes that run it
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" != "$1" ] || echo "${process#/proc/}"
    done
}

for pair in $packages; do
    package=${pair%:*} launcher=${pair#*:}
    mkdir "$work/$package"
    # shellcheck disable=SC2046,SC2086 # lists of words
    check "$package: linked with MPI" ${CC:-cc} $flags $(pkg-config --cflags $package libcjson) -o "$work/$package/tact" src/app/ranks_mpi.c $objects \
        "$BUILD/libtact.a" $(pkg-config --libs $package libcjson expat) -lm
    check "$package: one rank, no mpirun" answers 0 timeout 60 "$work/$package/tact" batch "$spec" --output "$work/$package/alone"
    check "$package: one rank, no mpirun: the same bytes" diff -r "$work/plain" "$work/$package/alone"
    for ranks in 1 2 3 5; do
        check "$package: $ranks ranks" answers 0 timeout 60 "$launcher" -n $ranks "$work/$package/tact" batch "$spec" --output "$work/$package/ranks$ranks"
        check "$package: $ranks ranks, the same bytes" diff -r "$work/plain" "$work/$package/ranks$ranks"
    done
    check "$package: 2 ranks of 3 threads" answers 0 timeout 60 "$launcher" -n 2 "$work/$package/tact" batch "$spec" --threads 3 --output "$work/$package/threads"
    check "$package: 2 ranks of 3 threads, the same bytes" diff -r "$work/plain" "$work/$package/threads"
    check "$package: a spec that is not there" answers 3 timeout 60 "$launcher" -n 3 "$work/$package/tact" batch "$work/none.json" --output "$work/$package/none"
    check "$package: is told once" sh -c '[ "$(grep -c "none.json: error: No such file" "$1")" -eq 1 ]' sh "$work/said"

    # all killed when they have got on, and gone on with by other ranks; a run that was faster than the kill does not count and
    # begins anew
    under_way=0
    for i in 1 2 3 4 5 6; do
        [ $under_way -lt 2 ] || break
        [ ! -e "$work/$package/killed/manifest.json" ] || rm -r "$work/$package/killed"
        before=$(chunks_kept "$work/$package/killed")
        # shellcheck disable=SC2086
        "$launcher" -n 3 "$work/$package/tact" batch $long --output "$work/$package/killed" >"$work/said" 2>&1 &
        tries=0
        until [ "$(chunks_kept "$work/$package/killed")" -gt "$before" ] || [ $tries -gt 300 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        # the launcher and the ranks, which may outlive it
        kill -KILL $! $(ranks_of "$work/$package/tact") 2>/dev/null
        wait $! 2>/dev/null
        if [ $? -eq 137 ] && [ ! -e "$work/$package/killed/manifest.json" ]; then
            under_way=$((under_way + 1))
        else
            under_way=0
        fi
    done
    check "$package: both were under way: $under_way" [ $under_way -eq 2 ]
    tries=0
    # shellcheck disable=SC2086
    until timeout 60 "$launcher" -n 2 "$work/$package/tact" batch $long --output "$work/$package/killed" >"$work/said" 2>&1 || [ $tries -gt 20 ]; do
        # ranks that outlive their killed mpirun for a moment hold the lock
        sleep 0.5
        tries=$((tries + 1))
    done
    check "$package: killed and gone on with, the same bytes" diff -r "$work/whole" "$work/$package/killed"
done
test_end mpi
