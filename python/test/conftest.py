# SPDX-License-Identifier: MIT
import os
import pathlib

import pytest

ROOT = pathlib.Path(os.environ.get("TACT_ROOT", pathlib.Path(__file__).parents[2]))
SCENES = ROOT / "data" / "scenes"


@pytest.fixture
def scenes(monkeypatch):
    """The folder of the scenes, which is where the test runs."""
    monkeypatch.chdir(SCENES)
    return SCENES


@pytest.fixture
def root(monkeypatch):
    monkeypatch.chdir(ROOT)
    return ROOT
