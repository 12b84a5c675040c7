# SPDX-License-Identifier: MIT
"""The command that the wheel brings: of the module's version, with its scenes, with its exit codes."""
import os
import subprocess
import sys

import pytest
import tact

INSTALLED = os.path.join(os.path.dirname(sys.executable), "tact")


@pytest.mark.parametrize("command", [[INSTALLED], [sys.executable, "-m", "tact"]])
def test_command(command, tmp_path):
    def run(*words):
        return subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert tact.__version__ in run("--version").stdout
    shipped = run("run", "hand_lift", "--steps", "1")
    assert shipped.returncode == 0, shipped.stderr
    missing = run("run", "no_such_scene.json")
    assert missing.returncode == 3 and "no_such_scene.json" in missing.stderr
