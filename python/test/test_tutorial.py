# SPDX-License-Identifier: MIT
"""The tutorial in three columns of docs/python.md: the commands run, the C compiles, and all find the same bits as Python. And a
batch of the command against worlds that are given its parameters."""
import json
import os
import shlex
import subprocess

import numpy as np
import tact

SCENE, SPEC = "data/scenes/hand_lift.json", "data/batch/grasp.json"
TACT = os.environ.get("TACT", "build/tact")
BEFORE = """
#include "tact/worlds.h"
#include <stdio.h>
#include <stdlib.h>

static double A[27 * 27], B[27 * 21], path[21 * 28], u[20 * 21], q_bar[21 * 28], u_bar[20 * 21];
static char message[1300], bytes[4000];

static void put(const char *name, const double *x, int count) {
    printf("%s", name);
    for (int i = 0; i < count; i++) printf(" %.17g", x[i]);
    printf("\\n");
}

int main(void) {
    const char *scene = "data/scenes/hand_lift.json";
    ptrdiff_t stride;
    tact_worlds_run run = {sizeof run, 20, u, NULL, NULL};
    tact_worlds_bars bars = {.size = sizeof bars, .q_bar = q_bar, .u = u_bar};
    for (int i = 0; i < 20 * 21; i++) u[i] = 0.01 * (i % 21);
    for (int i = 0; i < 21 * 28; i++) q_bar[i] = 1;
"""
AFTER = """
    put("q", q, 28);
    put("force", force, 33);
    put("A", A, 27 * 27);
    put("B", B, 27 * 21);
    put("path", path, 21 * 28);
    put("u_bar", u_bar, 20 * 21);
    printf("many %d\\n", tact_worlds_count(many));
    tact_worlds_close(many);
    tact_worlds_close(w);
    return 0;
}
"""


def columns(root):
    """Cells of the table, without their marks: command, C, Python."""
    text = (root / "docs" / "python.md").read_text()
    table = text.split("|---|---|---|---|\n")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in table.splitlines()]
    assert len(rows) > 10 and all(len(row) == 4 for row in rows), rows
    return [[cell.strip("`") if cell.startswith("`") and cell.endswith("`") else "" for cell in column] for column in list(zip(*rows))[1:]]


def test_columns(root, tmp_path, monkeypatch):
    commands, c, python = columns(root)
    page = tmp_path / "viewer.html"
    page.write_text('<html><script type="application/json" id="tact-data">null</script></html>')
    monkeypatch.setenv("TACT_VIEWER", str(page))
    # Python
    u = 0.01 * (np.arange(20 * 21) % 21).reshape(20, 21)
    space = {"tact": tact, "scene": SCENE, "u": u, "q_bar": np.ones((21, 28))}
    for line in filter(None, python):
        exec(line, space)
    # C
    program = tmp_path / "tutorial.c"
    program.write_text(BEFORE + "\n".join("    " + line for line in c if line) + AFTER)
    folder = os.path.dirname(TACT)
    libraries = subprocess.run(["pkg-config", "--libs", "libcjson", "expat"], capture_output=True, text=True, check=True).stdout.split()
    compiler = shlex.split(os.environ.get("CC", "cc"))
    call = compiler + ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Iinclude", str(program), os.path.join(folder, "libtact.a")]
    subprocess.run(call + libraries + ["-pthread", "-lm", "-o", str(tmp_path / "tutorial")], check=True)
    said = subprocess.run([str(tmp_path / "tutorial")], capture_output=True, text=True, check=True).stdout
    found = {line.split()[0]: [float(x) for x in line.split()[1:]] for line in said.splitlines()}
    names = {"q": "q", "force": "force", "A": "A", "B": "B", "path": "path"}
    for name, there in names.items():
        assert space[there].ravel().tolist() == found[name], name
    assert space["bars"].u.ravel().tolist() == found["u_bar"] and np.abs(space["bars"].u).max() > 0
    assert found["many"] == [space["many"].n]
    # the command
    lines = {}
    for line in filter(None, commands):
        words = [{"SCENE": SCENE, "SPEC": SPEC, "tact": TACT}.get(word, word) for word in line.split()]
        if words[1] == "view":
            continue  # its page is not built here; test/viewer has its tests
        words += {"batch": ["--output", str(tmp_path / "batch"), "--quiet"], "run": ["--quiet"]}.get(words[1], [])
        result = subprocess.run(words, capture_output=True, text=True)
        assert result.returncode == 0, (line, result.stderr)
        lines[line] = result.stdout
    trace = [json.loads(x.splitlines()[-1]) for line, x in lines.items() if "--trace" in line]
    [slopes] = [json.loads(x) for line, x in lines.items() if " grad " in line]
    assert trace[0]["q"] == found["q"]
    assert slopes["A"] == found["A"] and slopes["B"] == found["B"]


def test_bits_of_a_batch(root, tmp_path):
    subprocess.run([TACT, "batch", SPEC, "--envs", "40", "--output", str(tmp_path / "batch"), "--quiet"], check=True)
    spec = json.loads((root / SPEC).read_text())
    array = {name: np.load(tmp_path / "batch" / f"{name}.npy") for name in ("parameters", "q", "v", "lambda", "status", "path_q")}
    w = tact.Worlds(SCENE, 40)
    for parameter, values in zip(spec["parameters"], array["parameters"].T):
        w[parameter["path"]] = values
    w.reset()
    status = w.step(steps=spec["steps"])
    assert np.array_equal(w.q, array["q"]) and np.array_equal(w.v, array["v"])
    assert np.array_equal(w.reaction, array["lambda"].reshape(w.reaction.shape))
    assert np.array_equal(status, array["status"])
