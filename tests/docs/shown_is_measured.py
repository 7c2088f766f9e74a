#!/usr/bin/env python3
"""`make bench` and `make papers` measure what pages show, and nothing else: every file of bench/rows is made by scripts/benchmarks or `make papers`, and a page shows a table of it."""

import glob
import importlib.machinery
import importlib.util
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BASELINES = {"catalogue-0.5"}  # counts of an earlier version that pawl-bench compares with (bench/README.md)


def loaded(path):
    loader = importlib.machinery.SourceFileLoader("fill", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fill", loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
fill = loaded(os.path.join(ROOT, "scripts", "fill"))
rows = fill.Rows()
names = [os.path.relpath(path, fill.TEMPLATES)[:-3] for path in glob.glob(os.path.join(fill.TEMPLATES, "**", "*.md"), recursive=True)]
used = set()
for name in names + [name for name in fill.pages_with_places() if name not in names]:
    used |= fill.Page(rows, name).used

with open(os.path.join(ROOT, "scripts", "benchmarks"), encoding="utf-8") as file:
    text = file.read()
measured = set(re.findall(r"^rows (\S+)", text, re.M)) | set(re.findall(r'" \$wanted " == \*" (\S+) "\*', text)) | {"papers"}

faults = []
for path in sorted(glob.glob(os.path.join(ROOT, "bench", "rows", "*.json"))):
    name = os.path.basename(path)[:-5]
    if name in BASELINES:
        continue
    if name not in measured:
        faults.append(f"bench/rows/{name}.json is made by nothing")
    if name not in {file for file, _ in used}:
        faults.append(f"bench/rows/{name}.json: no page shows any of it")
    measured.discard(name)
faults += [f"scripts/benchmarks: there is no bench/rows/{name}.json" for name in sorted(measured)]
print("\n".join(faults + [f"{len(used)} tables on pages, {len(faults)} faults"]))
sys.exit(1 if faults else 0)
