#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/package.sh FOLDER: Debian packages of what is committed, in FOLDER; lintian has nothing to say; unpacked, the command
# runs and a program compiles and runs against the library. Needs dpkg-buildpackage, debhelper and lintian.
set -eu
folder=$1
version=$(sed -n 's/.*TACT_VERSION "\(.*\)"/\1/p' include/tact/base.h)
head -n 1 debian/changelog | grep -qF "($version-" || { echo "debian/changelog does not begin with version $version" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
git archive --prefix="tact-$version/" HEAD | tar x -C "$folder"
# the tests ran before this, many times; what is looked at here does not depend on how well it is optimised
(cd "$folder/tact-$version" && LEVEL=-O1 DEB_BUILD_OPTIONS="nocheck parallel=2" dpkg-buildpackage -us -uc -b >../log 2>&1) ||
    { tail -n 40 "$folder/log"; exit 1; }
# it is uploaded nowhere, so no report of the distribution asks for it
lintian --fail-on error,warning,info --allow-root --suppress-tags initial-upload-closes-no-bugs "$folder"/*.changes
for package in "$folder"/*.deb; do
    case $package in *-dbgsym_*) continue ;; esac
    dpkg -x "$package" "$folder/root"
done
lib=$(dirname "$(find "$folder/root/usr/lib" -name 'libtact.so')")
export LD_LIBRARY_PATH="$lib"
"$folder/root/usr/bin/tact" --version | grep -F "$version"
cat >"$folder/use.c" <<'END'
#include <stdio.h>
#include <tact/tact.h>

int main(void) {
    return puts(tact_version()) < 0;
}
END
cc "$folder/use.c" -o "$folder/use" $(PKG_CONFIG_PATH="$lib/pkgconfig" pkg-config --define-variable=prefix="$folder/root/usr" \
    --define-variable=libdir="$lib" --cflags --libs tact)
"$folder/use" | grep -qxF "$version"
echo "packages: $(cd "$folder" && ls ./*.deb | grep -vc dbgsym), lintian has nothing to say"
