#!/usr/bin/env python3
"""scripts/by_room goes on after a room that does not build or fails, names it, and ends with 1."""

import os
import subprocess
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "by_room")

with tempfile.TemporaryDirectory() as folder:
    for name, text in {"cmake": 'case "$*" in *test_broken*) exit 1 ;; esac\n', "ctest": 'case "$*" in *wrong/*) exit 8 ;; esac\n'}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(os.path.join(folder, name), 0o755)

    def by_room(*rooms):
        run = subprocess.run([SCRIPT, "sanitize", *rooms], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        table = [line.split(maxsplit=3) for line in run.stdout.split("build, s")[-1].splitlines()[1:]]
        return run.returncode, [(row[0], row[-1]) for row in table], run.stderr

    assert by_room("good", "fine") == (0, [("good", "clean"), ("fine", "clean")], "")
    assert by_room("broken", "wrong", "good") == (
        1, [("broken", "does not build"), ("wrong", "failed"), ("good", "clean")], "scripts/by_room sanitize: broken wrong\n")
