#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the figures by which the code is kept readable, and fails where one is worse than its limit in house.txt.

    house.py [--write] [--limits FILE] [LIBRARY.so]      from the repository's root; --write sets limits to what is reached

Figures of functions come from universal-ctags, exported names from nm; without these they are skipped with a word.
"""
import collections, os, re, shutil, subprocess, sys

arguments = sys.argv[1:]
write = "--write" in arguments
limits_file = os.path.join("test", "gates", "house.txt")
if "--limits" in arguments:
    limits_file = arguments[arguments.index("--limits") + 1]
libraries = [a for a in arguments if a.endswith(".so") and os.path.exists(a)]


def tree(*folders):
    return sorted(os.path.join(d, f) for s in folders for d, _, fs in os.walk(s) for f in fs if f.endswith((".c", ".h")))


def kinds(text):
    """Of each line: b blank, c comment, a assert, x code."""
    out, block = [], False
    for line in text.splitlines():
        s = line.strip()
        if block:
            out.append("c")
            block = "*/" not in s
        elif not s:
            out.append("b")
        elif s.startswith(("//", "/*")):
            out.append("c")
            block = s.startswith("/*") and "*/" not in s
        else:
            out.append("a" if s.startswith("TACT_ASSERT(") else "x")
    return out


def quantile(x, p):
    x = sorted(x)
    return x[min(len(x) - 1, int(p * len(x)))] if x else 0


files = tree("src", "include")
if not files:
    sys.exit("house: no C files in src and include")
text = {f: open(f, encoding="utf-8").read() for f in files}
bare = {f: re.sub(r"//[^\n]*|/\*.*?\*/", "", t, flags=re.S) for f, t in text.items()}
kind = {f: kinds(t) for f, t in text.items()}
lines = sum(map(len, kind.values()))
code = sum(k.count("x") for k in kind.values())
found = {}
found["lines of code"] = code
found["lines of the longest file"] = max(map(len, kind.values()))
found["comments, share of lines [%]"] = 100 * sum(k.count("c") for k in kind.values()) / lines
asserts = sum(len(re.findall(r"\b(?:TACT_ASSERT|assert|static_assert|_Static_assert)\s*\(", t)) for t in bare.values())
found["asserts per 1000 lines of code"] = 1000 * asserts / code
found["tests for a law outside src/law"] = sum(
    len(re.findall(r"law\s*[!=]=\s*&", t)) for f, t in bare.items() if not f.startswith(os.path.join("src", "law")))
found["includes of non-public headers in src/app"] = sum(
    not name.startswith(("tact/", "app/")) for f in files if f.startswith(os.path.join("src", "app"))
    for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text[f], flags=re.M))
if os.path.exists("README.md"):
    found["lines of README.md"] = len(open("README.md", encoding="utf-8").read().splitlines())

ctags = shutil.which("ctags")
if ctags and "Universal" not in subprocess.run([ctags, "--version"], capture_output=True, text=True).stdout:
    ctags = None
if ctags:
    tags = subprocess.run([ctags, "--languages=C", "--langmap=C:.c.h", "--kinds-C=f", "--fields=+neS", "-f", "-"] + files,
                          capture_output=True, text=True).stdout
    functions = []
    for line in tags.splitlines():
        part = line.split("\t")
        first, last = re.search(r"\tline:(\d+)", line), re.search(r"\tend:(\d+)", line)
        if not line.startswith("!") and first and last and part[1].endswith(".c"):
            signature = re.search(r"\tsignature:\((.*)\)", line)
            functions.append((part[0], part[1], int(first[1]), int(last[1]), "file:" in line, signature[1] if signature else ""))
    length = [b - a + 1 for _, _, a, b, _, _ in functions]
    inside = [kind[f][i] for _, f, a, b, _, _ in functions for i in range(a, b - 1)]
    words = {f: collections.Counter(re.findall(r"[A-Za-z_]\w*", t)) for f, t in bare.items()}
    static = [x for x in functions if x[4]]
    once = [x for x in static if words[x[1]][x[0]] == 2]
    found["function length, median"] = quantile(length, 0.5)
    found["function length, 95 %"] = quantile(length, 0.95)
    found["function length, most"] = max(length, default=0)
    found["parameters, most"] = max((re.sub(r"\([^()]*\)", "", x[5]).count(",") + 1 for x in functions), default=0)
    found["comments inside functions [%]"] = 100 * inside.count("c") / max(1, len(inside))
    found["static functions called once [%]"] = 100 * len(once) / max(1, len(static))
else:
    print("skipped: figures of functions (no universal-ctags)")

if libraries and shutil.which("nm"):
    names = subprocess.run(["nm", "-D", "--defined-only", libraries[0]], capture_output=True, text=True).stdout
    public = set(re.findall(r"\btact_\w+", "".join(bare[f] for f in files if f.startswith("include"))))
    # a sanitizer adds names of its own
    exported = [n.split()[-1] for n in names.splitlines() if n.split() and "__odr_asan" not in n]
    found["exported names that are not public"] = sum(re.sub("_float$", "", n) not in public for n in exported)
else:
    print("skipped: exported names (no shared library, or no nm)")

# NAME | at most or at least | LIMIT | AIM
rules = []
for number, line in enumerate(open(limits_file, encoding="utf-8"), 1):
    part = [p.strip() for p in line.split("|")]
    if line.strip() and not line.startswith("#"):
        if len(part) != 4 or part[1] not in ("at most", "at least"):
            sys.exit("%s:%d: wanted NAME | at most or at least | LIMIT | AIM" % (limits_file, number))
        rules.append((part[0], part[1], float(part[2]), part[3]))
unknown = set(found) - {r[0] for r in rules}
if unknown:
    sys.exit("%s: no limit for: %s" % (limits_file, ", ".join(sorted(unknown))))

worse, new = [], []
print("%-44s %10s   %-16s %s" % ("", "now", "limit", "aim"))
for name, sense, limit, aim in rules:
    value = round(found[name], 1) if name in found else None
    bad = value is not None and (value > limit if sense == "at most" else value < limit)
    worse += [name] if bad else []
    if value is not None:
        print("%-44s %10g   %-16s %-6s%s" % (name, value, "%s %g" % (sense, limit), aim, "  WORSE" if bad else ""))
        limit = min(limit, value) if sense == "at most" else max(limit, value)
    new.append("%-44s | %-8s | %7g | %s\n" % (name, sense, limit, aim))
if write:
    head = [l for l in open(limits_file, encoding="utf-8") if l.startswith("#")]
    open(limits_file, "w", encoding="utf-8").writelines(head + new)
sys.exit("house: worse than its limit: " + ", ".join(worse) if worse else 0)
