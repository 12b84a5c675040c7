#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what Tact needs from outside with the system's package manager. Where nothing is missing it uses no network.
set -u

stop() {
    echo "setup: $*" >&2
    exit 1
}

missing() {
    echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1 || printf ' C-compiler'
    for tool in make pkg-config; do command -v $tool >/dev/null || printf ' %s' $tool; done
    for name in libcjson expat lapacke openblas; do pkg-config --exists $name 2>/dev/null || printf ' %s' $name; done
}

for manager in apt-get dnf pacman apk zypper brew none; do
    command -v $manager >/dev/null && break
done
case $manager in
apt-get)
    install="env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends"
    refresh="apt-get -q update"
    packages="gcc libc6-dev make pkg-config libcjson-dev libexpat1-dev liblapacke-dev libopenblas-pthread-dev" ;;
dnf)
    install="dnf -q -y install"
    refresh="dnf -q makecache"
    packages="gcc make pkgconf-pkg-config libasan libubsan cjson-devel expat-devel lapack-devel openblas-devel" ;;
pacman)
    install="pacman -S --noconfirm --needed"
    refresh="pacman -Sy --noconfirm"
    packages="gcc make pkgconf cjson expat lapacke openblas" ;;
apk)
    install="apk add -q"
    refresh="apk update -q"
    packages="gcc musl-dev make pkgconf cjson-dev expat-dev lapack-dev openblas-dev" ;;
zypper)
    install="zypper -q -n install"
    refresh="zypper -q -n refresh"
    packages="gcc make pkg-config cJSON-devel libexpat-devel lapacke-devel openblas-devel" ;;
brew)
    install="brew install -q"
    refresh="brew update -q"
    packages="pkgconf cjson expat lapack openblas" ;;
esac

lacking=$(missing)
[ -n "$lacking" ] || exit 0
[ "$manager" != none ] || stop "missing:$lacking; no known package manager here, see third_party/VERSIONS"

root=
if [ "$(id -u)" != 0 ] && [ "$manager" != brew ]; then
    command -v sudo >/dev/null || stop "missing:$lacking; run as root: $manager install $packages"
    root=sudo
fi

# the lists of packages may be absent or too old: when the first try fails they are fetched, and it is tried once more
echo "setup: installing$lacking ($manager)" >&2
log=$(mktemp) || stop "no temporary file"
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # the commands are lists of words
$root $install $packages >"$log" 2>&1 </dev/null || { $root $refresh && $root $install $packages; } >>"$log" 2>&1 </dev/null ||
    { tail -n 15 "$log" >&2; stop "$manager could not install: $packages"; }

lacking=$(missing)
[ -z "$lacking" ] || stop "installed, but pkg-config does not find:$lacking (set PKG_CONFIG_PATH, see third_party/VERSIONS)"
