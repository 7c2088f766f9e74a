#!/usr/bin/env python3
"""Every integration method, formulation and stabilization that the command knows has its place in docs/methods.md or docs/constraints.md: methods.py COMMAND"""

import os
import re
import subprocess
import sys

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
lists = subprocess.run([sys.argv[1], "methods"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
head, _, constraints = lists.partition("--formulation:")
methods = re.findall(r"^([a-z][a-z0-9-]+) +\d", head, re.M)
others = re.findall(r"^  ([a-z][a-z0-9-]*)", constraints, re.M)
assert len(methods) >= 32 and len(others) >= 18, (methods, others)
missing = []
for page, names in (("methods.md", methods), ("constraints.md", others)):
    with open(os.path.join(DOCS, page), encoding="utf-8") as file:
        text = file.read()
    missing += [f"docs/{page} does not name {name}" for name in names if not re.search(rf"`{re.escape(name)}[`(]", text)]
print("\n".join(missing) or f"{len(methods)} methods, {len(others)} formulations and stabilizations")
sys.exit(1 if missing else 0)
