#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# How many small faults in the solvers the tests notice. From the repository root, by `make mutation`:
#   python3 test/mutation/mutate.py --build FOLDER --library LIBTACT.a --flags FLAGS --libs LIBS [--count N] [--seed S]
# A mutant is one changed place of one file: an arithmetic operator, a comparison, a logical operator, a constant, a condition
# turned around or a statement left out; the kind is drawn first, then the place. A mutant that compiles to the same machine code
# is not counted. Each is linked with the tests of its module, one after the other, quickest first, until one of them fails, ends
# by a signal or takes more than ten times its time. Those that no test noticed are listed in FOLDER/survivors.
import argparse
import os
import random
import re
import resource
import subprocess
import sys
import time

FOLDERS = ["solve", "law", "sim", "deriv"]

# the tests of a file: of the first pattern that fits its path
TESTS = [
    (r"solve/(lcp|lu)", "lu lcp lcp_ends rigid_scenes rigid_deriv friction_deriv friction_rows honest honest_steps "
     "spoilt bits_problems bits_steps"),
    (r"solve/friction", "friction friction_rows friction_deriv rigid rigid_edges rigid_scenes rigid_deriv honest honest_steps "
     "spoilt bits_problems bits_steps"),
    (r"solve/(qcqp|convex)", "qcqp qcqp_empty certificate honest honest_qcqp spoilt bits_problems"),
    (r"solve/", "barrier blocks arrange ordering certificate anytime sim kappa dense oracle honest deriv deriv_golden lanes scenes "
     "spoilt bits_problems bits_steps"),
    (r"law/rigid", "rigid rigid_edges rigid_scenes rigid_deriv honest honest_steps sim bits_steps"),
    (r"law/virtual", "virtual virtual_pairs virtual_closed virtual_physics virtual_chain virtual_chain_deriv virtual_deriv "
     "virtual_rollout check honest_steps sim bits_steps"),
    (r"law/", "barrier sim anytime dense oracle deriv deriv_golden rollout scenes bits_steps"),
    (r"sim/", "sim check options faults anytime rollout rigid virtual_physics bits_steps"),
    (r"deriv/rigid", "rigid_deriv rigid_scenes bits_steps"),
    (r"deriv/virtual", "virtual virtual_deriv virtual_chain_deriv virtual_physics virtual_rollout bits_steps"),
    (r"deriv/", "deriv deriv_golden sweep rollout rigid_deriv virtual_deriv virtual_chain_deriv virtual_rollout fit goal "
     "bundle spoilt bits_steps"),
]

SWAPS = {
    "arithmetic": [(" + ", " - "), (" - ", " + "), (" * ", " / "), (" / ", " * "), (" += ", " -= "), (" -= ", " += ")],
    "comparison": [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
                   (" < ", " > "), (" > ", " < ")],
    "logic": [(" && ", " || "), (" || ", " && ")],
}


def code_of(line):
    """The line without its comment; nothing of lines that hold no code to change."""
    if re.match(r"\s*(#|//|TACT_ASSERT)", line) or '"' in line:
        return ""
    return line.split("//")[0]


def places(text):
    """All mutants of a file, by kind: (line, its new text)."""
    found = {kind: [] for kind in ("arithmetic", "comparison", "logic", "constant", "condition", "statement")}
    inside = False
    for number, line in enumerate(text.split("\n")):
        # types, tables and declarations outside of functions stay
        if line[:1] not in ("", " ", "}", "#", "/"):
            inside = line.rstrip().endswith("{") and "(" in line or line.startswith("static") and line.rstrip().endswith(",")
            if not inside:
                continue
        if line.startswith("}"):
            inside = False
        if line.startswith(" ") and line.rstrip().endswith(") {") and not inside:
            inside = True
            continue
        code = code_of(line)
        if not inside or not code.startswith(" "):
            continue
        for kind, swaps in SWAPS.items():
            for before, after in swaps:
                for hit in re.finditer(re.escape(before), code):
                    found[kind].append((number, code[:hit.start()] + after + code[hit.end():]))
        for hit in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
            for other in {int(hit[1]) + 1, max(int(hit[1]) - 1, 0)} - {int(hit[1])}:
                found["constant"].append((number, code[:hit.start()] + str(other) + code[hit.end():]))
        hit = re.match(r"(\s*(?:\} else )?if )\((.*)\)( \{| [^()]*;| return .*;)$", code.rstrip())
        if hit and hit[2].count("(") == hit[2].count(")"):
            found["condition"].append((number, f"{hit[1]}(!({hit[2]})){hit[3]}"))
        if re.match(r"\s+[\w>\[\]\-.*+() ]+ (=|\+=|-=|\*=|/=|&=|\|=) .*;$", code.rstrip()) and not re.match(
                r"\s+(const |static |int |bool |unsigned |size_t |tact_\w+ \**\w+ =|\w+ \*?\w+ =|for |return )", code):
            found["statement"].append((number, re.match(r"\s*", code)[0] + ";"))
        if re.match(r"\s+tact_\w+\(.*\);$", code.rstrip()) or re.match(r"\s+\w+(\+\+|--);$", code.rstrip()):
            found["statement"].append((number, re.match(r"\s*", code)[0] + ";"))
    return found


class Bench:
    def __init__(self, given):
        self.given = given
        self.flags, self.libs = given.flags.split(), given.libs.split()
        self.tests, self.plain = {}, {}
        os.makedirs(given.build, exist_ok=True)

    def compile(self, source, target):
        return subprocess.run(["gcc", *self.flags, "-w", "-c", source, "-o", target], stdin=subprocess.DEVNULL,
                              capture_output=True, check=False).returncode == 0

    def link(self, objects, target):
        return subprocess.run(["gcc", *self.flags, *objects, self.given.library, *self.libs, "-o", target],
                              capture_output=True, check=False).returncode == 0

    def run(self, program, seconds):
        """Its exit code (None when it took too long) and its processor time."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            code = subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=limit, timeout=60 * seconds + 60, check=False).returncode
        except subprocess.TimeoutExpired:
            code = None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def prepare(self, name):
        """The test's object and its time; it must pass without a fault."""
        if name not in self.tests:
            target = f"{self.given.build}/test_{name}"
            if not (self.compile(f"test/test_{name}.c", target + ".o") and self.link([target + ".o"], target)):
                sys.exit(f"mutation: test_{name} does not compile")
            code, spent = self.run(target, 600)
            if code != 0:
                sys.exit(f"mutation: test_{name} fails without a fault")
            self.tests[name] = (target + ".o", spent)
        return self.tests[name]

    def machine_code(self, text):
        """What the text compiles to, which lies in mutant.o then; None when it does not compile."""
        stem = f"{self.given.build}/mutant"
        with open(stem + ".c", "w", encoding="utf-8") as file:
            file.write(text)
        if not self.compile(stem + ".c", stem + ".o"):
            return None
        with open(stem + ".o", "rb") as file:
            return file.read()

    def judge(self, path, text):
        """The name of the test that noticed, "" for none, None for no mutant."""
        if path not in self.plain:
            with open(path, encoding="utf-8") as file:
                self.plain[path] = self.machine_code(file.read())
        if self.machine_code(text) in (None, self.plain[path]):
            return None
        stem = f"{self.given.build}/mutant"
        names = next(tests for pattern, tests in TESTS if re.search(pattern, path)).split()
        for name in sorted(names, key=lambda n: self.prepare(n)[1]):
            test, spent = self.prepare(name)
            if not self.link([test, stem + ".o"], stem):
                return None
            if self.run(stem, 10 * spent + 2)[0] != 0:
                return name
        return ""


def main():
    parser = argparse.ArgumentParser()
    for name in ("--build", "--library", "--flags", "--libs"):
        parser.add_argument(name, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="files whose path holds this")
    given = parser.parse_args()
    bench, chance = Bench(given), random.Random(given.seed)
    files = sorted(f"src/{folder}/{name}" for folder in FOLDERS for name in os.listdir(f"src/{folder}")
                   if name.endswith(".c") and not name.endswith("_lapack.c") and given.only in f"src/{folder}/{name}")
    mutants = {}
    for path in files:
        with open(path, encoding="utf-8") as file:
            for kind, list_of in places(file.read()).items():
                mutants.setdefault(kind, []).extend((path, line, new) for line, new in list_of)
    kinds = sorted(kind for kind in mutants if mutants[kind])
    print(f"mutation: seed {given.seed}, {sum(map(len, mutants.values()))} places in {len(files)} files", flush=True)
    made = noticed = 0
    survivors = []
    while made < given.count:
        path, line, new = chance.choice(mutants[chance.choice(kinds)])
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        old, lines[line] = lines[line], new
        name = bench.judge(path, "\n".join(lines))
        if name is None:
            continue
        made += 1
        noticed += name != ""
        what = f"{path}:{line + 1}: {old.strip()}  ->  {new.strip() or 'nothing'}"
        if not name:
            survivors.append(what)
        print(f"{made}: {'noticed by test_' + name if name else 'NOT NOTICED'}: {what}", flush=True)
    with open(f"{given.build}/survivors", "w", encoding="utf-8") as file:
        file.write("".join(s + "\n" for s in survivors))
    print(f"mutation: seed {given.seed}: {noticed} of {made} mutants noticed: {100 * noticed / made:.1f} %")
    return 0 if 5 * noticed >= 4 * made else 1


sys.exit(main())
