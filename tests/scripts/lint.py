#!/usr/bin/env python3
"""scripts/lint finds what differs from main, looks at a header through a source that includes it, and names what it left out."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
if shutil.which("clang-tidy") is None or shutil.which("clang-format") is None:
    sys.exit(77)

FILES = {
    ".clang-format": "BasedOnStyle: Google\n",
    ".clang-tidy": "Checks: '-*,modernize-use-nullptr'\nHeaderFilterRegex: '/src/'\n",
    ".gitignore": "/build/\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n"
                      "add_custom_command(OUTPUT made.inc COMMAND ${CMAKE_COMMAND} -E touch made.inc)\n"
                      "add_custom_target(pawl_generated DEPENDS made.inc)\n"
                      "add_library(p src/a.cpp src/b.cpp src/c.cpp)\ntarget_include_directories(p PRIVATE ${CMAKE_BINARY_DIR})\n",
    "src/a.hpp": "inline int* a() { return nullptr; }\n",
    "src/a.cpp": '#include "a.hpp"\nstatic int clash() { return 1; }\nint a1() { return clash(); }\n',
    "src/b.cpp": '#include "a.hpp"\n#include "made.inc"\nint b() { return *a(); }\n',
    "src/c.cpp": "static int clash() { return 2; }\nint c() { return clash(); }\n",
    "src/unbuilt.cpp": "int d() { return 4; }\n",
}

with tempfile.TemporaryDirectory() as folder:

    def write(name, text):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def commit():
        git("add", ".")
        git("commit", "-m", "x")

    def lint(*words, **environment):
        run = subprocess.run(["scripts/lint", *words], cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
        said = [re.sub(r", \d+ s$", "", line) for line in run.stdout.splitlines() if re.match(r"lint:|src/\S*:\d+:\d+: warning", line)]
        return run.returncode, said

    os.environ.pop("PAWL_LINT_BASE", None)
    for name, text in FILES.items():
        write(name, text)
    os.mkdir(os.path.join(folder, "scripts"))
    shutil.copy(os.path.join(ROOT, "scripts", "lint"), os.path.join(folder, "scripts", "lint"))
    write("scripts/bootstrap", "#!/bin/sh\nexit 1\n")
    os.chmod(os.path.join(folder, "scripts", "bootstrap"), 0o755)
    git("init", "-b", "main")
    commit()

    formatted = "lint: 5 files formatted"
    # A history of one commit: nothing to compare it with.
    assert lint("--changed") == (0, [formatted, "lint: no source differs, nothing to be tidy"])
    # Everything; a and c clash where they are compiled together, so they are looked at one by one.
    assert lint() == (0, [formatted, "lint: not built, so not looked at: src/unbuilt.cpp", "lint: 0 findings in 3 of 3 sources"])

    # On main itself: what its newest commits changed, the newest first.
    write("src/c.cpp", "int* c() { return 0; }\n")
    commit()
    fault = "src/c.cpp:1:19: warning: use nullptr [modernize-use-nullptr]"
    assert lint("--changed") == (1, [formatted, fault, "lint: 1 findings in 1 of 1 sources"])
    write("src/b.cpp", FILES["src/b.cpp"] + "int b1() { return 1; }\n")
    commit()
    assert lint("--changed") == (1, [formatted, fault, "lint: 1 findings in 2 of 2 sources"])
    # No time for any: they are named, and it is no fault.
    assert lint("--changed", PAWL_LINT_SECONDS="0") == (
        0, [formatted, "lint: 0 findings in 0 of 2 sources", "lint: no time was left for src/b.cpp src/c.cpp"])

    # On a branch: what differs from main alone, committed or not. A header is seen through its own source, once.
    git("checkout", "-b", "branch")
    write("src/a.hpp", "inline int* a() { return 0; }\n")
    commit()
    fault = "src/a.hpp:1:26: warning: use nullptr [modernize-use-nullptr]"
    assert lint("--changed") == (1, [formatted, fault, "lint: 1 findings in 1 of 1 sources"])
    write("src/b.cpp", FILES["src/b.cpp"])
    assert lint("--changed") == (1, [formatted, fault, "lint: 1 findings in 2 of 2 sources"])
    assert lint("src/b.cpp", "src/a.cpp") == (1, [formatted, fault, "lint: 1 findings in 2 of 2 sources"])

    # What does not compile is a fault; so is a format.
    write("src/b.cpp", "int b() { return x; }\n")
    code, said = lint("src/b.cpp")
    assert code == 1 and said[-1] == "lint: 1 findings in 1 of 1 sources", said
    write("src/b.cpp", "int  b() { return 1; }\n")
    assert lint("--format") == (1, [])
    assert lint("--fix") == (0, []) and lint("--format") == (0, [formatted])

    # Without clang-tidy, and without a way to get it: said, and no fault of what is tested; `make lint` fails.
    os.mkdir(os.path.join(folder, "bin"))
    for tool in ("git", "clang-format", "python3", "sh", "env"):
        os.symlink(shutil.which(tool), os.path.join(folder, "bin", tool))
    missing = "lint: clang-tidy is not there and cannot be installed: NOT CHECKED"
    path = os.path.join(folder, "bin")
    assert lint("--changed", PATH=path) == (0, [missing])
    assert lint(PATH=path) == (1, [missing])
    assert lint("--format", PATH=path) == (0, [formatted])
