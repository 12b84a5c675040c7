# SPDX-License-Identifier: MIT
"""The public headers as data: python3 python/api.py [FOLDER] prints JSON with functions, structs, enums and constants, their members
and comments, for those who write bindings. python3 python/api.py --check LIBRARY compares it with a library that was built: every
function of the headers is in it, and every exported function of the hosted flat interface is in the headers."""
import json
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"//[^\n]*")


def paragraph(lines, end):
    """The comment that stands directly over a line."""
    first = end
    while first > 0 and lines[first - 1].lstrip().startswith("//"):
        first -= 1
    return " ".join(line.strip()[2:].strip() for line in lines[first:end])


def declarations(text):
    """Pieces that end with ; or } at the outermost level, with the line that each begins at."""
    start, depth, begun, result = 0, 0, None, []
    line = 0
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*$", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M)
    text = text.replace('extern "C" {', " " * 12)
    plain = COMMENT.sub(lambda m: " " * len(m.group(0)), text)
    for i, c in enumerate(plain):
        if begun is None and not c.isspace() and c not in "};":
            begun, start = line, i
        if c == "{":
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and begun is not None and "static inline" in plain[start:i]:
                begun = None
        elif c == ";" and depth == 0 and begun is not None:
            result.append((begun, text[start : i + 1]))
            begun = None
        if c == "\n":
            line += 1
        depth = max(depth, 0)
    return result


def members(body):
    """Members of a struct or an enum: declaration, and the comment behind it or the one before."""
    result, before = [], []
    for line in body.split("\n"):
        code, _, comment = line.partition("//")
        if not code.strip():
            before.append(comment.strip())
            continue
        result.append({"declaration": code.strip().rstrip(";,"), "comment": comment.strip() or " ".join(filter(None, before))})
        before = []
    return result


def read_header(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    api = {"functions": [], "structs": [], "enums": [], "opaque": [], "constants": []}
    for match in re.finditer(r"^#define (TACT_[A-Z0-9_]+) (\S[^\n/]*)", text, re.M):
        if not match.group(1).endswith("_H"):
            api["constants"].append({"name": match.group(1), "value": match.group(2).strip()})
    for begun, piece in declarations(text):
        flat = " ".join(COMMENT.sub("", piece).split())
        comment = paragraph(lines, begun)
        entry = re.match(r"typedef (struct|enum)(?: \w+)? \{(.*)\} (\w+);", flat)
        tagged = re.match(r"(struct|enum) (\w+) \{(.*)\};", flat)
        if entry or tagged:
            kind, name = (entry.group(1), entry.group(3)) if entry else (tagged.group(1), tagged.group(2))
            body = piece[piece.index("{") + 1 : piece.rindex("}")]
            api["structs" if kind == "struct" else "enums"].append({"name": name, "members": members(body), "comment": comment})
        elif re.match(r"typedef struct (\w+) (\w+);", flat):
            api["opaque"].append({"name": flat.split()[-1].rstrip(";"), "comment": comment})
        elif not flat.startswith(("typedef", "static", "extern")) and "(" in flat:
            found = re.match(r"(.*?)\b(tact_\w+)\((.*)\)(?: TACT_PRINTF\(.*\))?;$", flat)
            if found:
                api["functions"].append(
                    {"name": found.group(2), "returns": found.group(1).strip(), "parameters": found.group(3), "comment": comment}
                )
    return api


def read_all(folder):
    headers = {}
    for path in sorted(pathlib.Path(folder).glob("*.h")):
        headers[path.name] = read_header(path)
    version = re.search(r'TACT_VERSION "(.*)"', pathlib.Path(folder, "base.h").read_text(encoding="utf-8")).group(1)
    return {"version": version, "headers": headers}


def check(library, api):
    command = ["nm", "-D", "--defined-only", library] if ".so" in library else ["nm", "-g", "--defined-only", library]
    # in single precision some functions have other names: see base.h
    symbols = set(re.findall(r"^\w+ T (tact_\w+?)(?:_float)?$", subprocess.run(command, capture_output=True, text=True, check=True).stdout, re.M))
    declared = {f["name"] for header in api["headers"].values() for f in header["functions"]}
    missing = sorted(declared - symbols)
    # a shared library shows what the headers declare and nothing else; of an archive the flat interface is compared
    flat = symbols if ".so" in library else {name for name in symbols if name.startswith("tact_worlds_")}
    inner = "" if ".so" in library else pathlib.Path("src/worlds/worlds.h").read_text(encoding="utf-8")
    unknown = sorted(name for name in flat - declared if not re.search(rf"\b{name}\(", inner))
    for name in missing:
        print(f"api: {name} is in the headers and not in {library}")
    for name in unknown:
        print(f"api: {name} is in {library} and not in the headers")
    texts = sum(f["comment"] != "" for header in api["headers"].values() for f in header["functions"])
    print(f"api: {len(declared)} functions, {texts} with comments of their own, {len(symbols)} symbols in {library}")
    return 1 if missing or unknown or len(declared) < 100 else 0


def main():
    if sys.argv[1:2] == ["--check"]:
        return check(sys.argv[2], read_all("include/tact"))
    json.dump(read_all(sys.argv[1] if len(sys.argv) > 1 else "include/tact"), sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
