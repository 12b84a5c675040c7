#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""python3 test/firmware/cycles.py ELF: cycles per instruction of a program for a Cortex-M7 by LLVM's model of that processor.

QEMU counts how often each block of instructions is run; llvm-mca says how long each takes, once when it is repeated, so that
blocks overlap (the least), and once alone, so that the pipeline runs empty after each (the most). Branches are taken as foreseen,
memory as without wait states. The program is one of test/firmware/run.sh with KEEP=FOLDER. Needs qemu-system-arm and LLVM.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

INVERSE = {"eq": "ne", "cs": "cc", "hs": "lo", "mi": "pl", "vs": "vc", "hi": "ls", "ge": "lt", "gt": "le"}
INVERSE.update({b: a for a, b in list(INVERSE.items())})
BRANCH = re.compile(r"^(b|bl|bx|blx|cbz|cbnz|tbb|tbh|b(%s))(\.n|\.w)?\b" % "|".join(INVERSE))


def find(tool):
    """The tool, or its newest version with a number."""
    names = [tool] + [f"{tool}-{n}" for n in range(30, 12, -1)]
    return next((name for name in names if shutil.which(name)), None) or sys.exit(f"cycles: error: no {tool}")


def count_blocks(elf):
    """Start of each block of instructions that was run, and how often."""
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "trace")
        os.mkfifo(pipe)
        qemu = subprocess.Popen(
            [find("qemu-system-arm"), "-M", "mps2-an500", "-icount", "shift=5,align=off,sleep=off", "-nographic", "-monitor", "none",
             "-serial", "none", "-chardev", "null,id=s", "-semihosting-config", "enable=on,target=native,chardev=s",
             "-kernel", elf, "-d", "exec,nochain", "-D", pipe], stdin=subprocess.DEVNULL)
        with open(pipe, encoding="ascii", errors="replace") as trace:
            for line in trace:
                if line.startswith("Trace"):
                    at = line.split("/", 2)[1]
                    counts[at] = counts.get(at, 0) + 1
        qemu.wait()
    return {int(at, 16): n for at, n in counts.items()}


def disassemble(elf):
    text = subprocess.run([find("llvm-objdump"), "-d", "--no-show-raw-insn", "--triple=thumbv7em-none-eabihf", "--mcpu=cortex-m7", elf],
                          capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"^\s*([0-9a-f]+):\s+(.*)$", line)
        if match:
            word = re.sub(r" @ imm.*|[;@].*|<[^>]*>", "", match.group(2).replace("\t", " "))
            found[int(match.group(1), 16)] = word.strip()
    return found


def is_branch(text):
    return bool(BRANCH.match(text)) or bool(re.match(r"^(pop|ldm).*pc|^(ldr|mov|add)(\.w)? pc|^bkpt", text))


def plain(text):
    """What the model knows in the place of what it does not: comparisons of reals, returns and calls, system registers."""
    real = re.match(r"^vcmpe?\w*\.f(32|64) (\w+), (.*)$", text)
    if real:
        scratch = "s31" if real.group(1) == "32" else "d15"
        kind, others = ("vabs", real.group(2)) if "#" in real.group(3) else ("vadd", f"{real.group(2)}, {real.group(3)}")
        return f"{kind}.f{real.group(1)} {scratch}, {others}"
    if re.match(r"^(vmrs|mrs|msr|dsb|isb|dmb|bkpt|svc|cpsi|udf)", text):
        return "nop"
    if "pc" in text and re.match(r"^(pop|ldm)", text):
        return re.sub(r", ?pc", "", text) + "\nb #4"
    if re.match(r"^(bl |blx|bx|tbb|tbh)", text):
        return "b #4"
    text = re.sub(r"^(b|b(?:%s))(\.n|\.w)? .*" % "|".join(INVERSE), r"\1 #4", text)
    return re.sub(r"^(cbn?z) (r\d+), .*", r"\1 \2, #4", text)


def unconditional(block):
    """Conditional instructions of an IT block as if they were always run."""
    left, conditions = 0, ()
    for text in block:
        match = re.match(r"^it[te]* (\w\w)$", text)
        if match:
            left, conditions = len(text.split()[0]) - 1, (match.group(1), INVERSE[match.group(1)])
            yield "nop"
            continue
        if left > 0:
            left -= 1
            word, _, rest = text.partition(" ")
            base, dot, suffix = word.partition(".")
            text = (base[:-2] if base.endswith(conditions) else base) + dot + suffix + " " + rest
        yield text


def main():
    elf = sys.argv[1]
    counts, code = count_blocks(elf), disassemble(elf)
    order = sorted(code)
    place = {at: i for i, at in enumerate(order)}
    lines, starts = [".syntax unified", ".thumb"], [at for at in counts if at in place]
    for at in starts:
        block = []
        for next_at in order[place[at]:]:
            block.append(code[next_at])
            if is_branch(block[-1]) or next_at >> 10 != at >> 10:
                break
        lines += [f"@ LLVM-MCA-BEGIN B{at:x}"] + [plain(text) for text in unconditional(block)] + ["@ LLVM-MCA-END"]
    for times, name in ((50, "least, blocks overlap"), (1, "most, each alone")):
        report = subprocess.run([find("llvm-mca"), "-mtriple=thumbv7em-none-eabihf", "-mcpu=cortex-m7", f"-iterations={times}"],
                                input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
        cycles = instructions = 0.0
        for part in report.split("Code Region - B")[1:]:
            often = counts[int(part.split()[0], 16)] / times
            cycles += often * int(re.search(r"Total Cycles:\s+(\d+)", part).group(1))
            instructions += often * int(re.search(r"Instructions:\s+(\d+)", part).group(1))
        print(f"{name}: {cycles / instructions:.3f} cycles an instruction")
    branches = sum(counts[at] for at in starts)
    print(f"{instructions / branches:.2f} instructions from branch to branch")


main()
