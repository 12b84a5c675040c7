# SPDX-License-Identifier: MIT
"""Builds the module with the library inside, and the command beside it. `make python` gives the library that it has built by
TACT_LIBRARY, the command by TACT_COMMAND and the headers by TACT_INCLUDE; without them the sources that came along are built by
make, which needs cJSON and Expat."""
import os
import re
import shlex
import shutil
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = os.path.dirname(os.path.abspath(__file__))
library = os.path.join(here, "library")
include = os.environ.get("TACT_INCLUDE", os.path.join(library, "include"))


def pkg_config(what):
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), what, "libcjson", "expat"]
    return shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def version():
    with open(os.path.join(include, "tact", "base.h"), encoding="utf-8") as file:
        return re.search(r'TACT_VERSION "(.*)"', file.read()).group(1)


class Build(build_ext):
    def build_extension(self, extension):
        archive = os.environ.get("TACT_LIBRARY")
        command = os.environ.get("TACT_COMMAND")
        if not archive:
            subprocess.run(["make", "-C", library, "build/libtact.a", "build/tact"], check=True)
            archive, command = (os.path.join(library, "build", name) for name in ("libtact.a", "tact"))
        extension.extra_objects = [archive]
        extension.extra_link_args += pkg_config("--libs") + ["-pthread", "-lm", "-Wl,--exclude-libs,ALL"]
        super().build_extension(extension)
        folder = os.path.join(os.path.dirname(self.get_ext_fullpath(extension.name)), "bin")
        os.makedirs(folder, exist_ok=True)
        shutil.copy2(command, folder)


module = Extension(
    "tact._tact",
    sources=["tact/_tact.c", "tact/arguments.c", "tact/plan.c", "tact/xla.c"],
    depends=["tact/arguments.h", "tact/plan.h", "tact/xla.h"],
    include_dirs=[include],
    define_macros=[("Py_LIMITED_API", "0x030b0000")],
    extra_compile_args=["-std=c11", "-O2", "-fvisibility=hidden"],
    py_limited_api=True,
)

setup(
    version=version(),
    ext_modules=[module],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
