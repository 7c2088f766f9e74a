#!/usr/bin/env python3
"""scripts/page sees a text and a picture that differ from what a program prints and draws, and overlooks a pixel."""

import os
import subprocess
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "page")
PICTURE = '<svg>\n<polyline points="1.00,2.50 3.00,{}"/>\n<text x="{}">tick</text>\n</svg>\n'

with tempfile.TemporaryDirectory() as folder:
    program, page = os.path.join(folder, "program"), os.path.join(folder, "page.md")

    def says(text, y, shows="![x](x.svg)", tick="4.00"):
        with open(page, "w") as file:
            file.write(f"# Page\n\n```text\n{text}\n```\n{shows}\n")
        with open(os.path.join(folder, "x.svg"), "w") as file:
            file.write(PICTURE.format(y, tick))
        run = subprocess.run([SCRIPT, program, page], stdout=subprocess.PIPE, encoding="utf-8")
        return run.returncode, run.stdout

    with open(program, "w") as file:
        file.write("#!/bin/sh\necho one 1.5\ncat > x.svg <<'END'\n" + PICTURE.format("4.00", "4.00") + "END\n")
    os.chmod(program, 0o755)
    assert says("one 1.5", "4.00")[0] == 0
    assert says("one 1.5", "4.90")[0] == 0
    code, text = says("one 1.6", "4.00")
    assert code == 1 and "-one 1.6\n+one 1.5" in text, text
    assert says("one 1.5", "4.00 2.00,3.25 1.00,2.50")[0] == 0  # other points of the same curve
    code, text = says("one 1.5", "6.60")
    assert code == 1 and "line 2: the curves are apart" in text, text
    code, text = says("one 1.5", "4.00 5.00,9.00")
    assert code == 1 and "line 2: the curves are apart" in text, text
    code, text = says("one 1.5", "4.00", tick="5.10")
    assert code == 1 and "line 3: 4.00 instead of 5.10" in text, text
    code, text = says("one 1.5", "4.00", tick='4.00" y="1')
    assert code == 1 and "line 3 differs" in text, text
    code, text = says("one 1.5", "4.00", "no picture")
    assert code == 1 and "does not show x.svg" in text, text
    says("one 1.6", "9.00")
    subprocess.run([SCRIPT, program, page, "--update"], check=True, stdout=subprocess.DEVNULL)
    run = subprocess.run([SCRIPT, program, page], stdout=subprocess.PIPE, encoding="utf-8")
    assert run.returncode == 0 and "```text\none 1.5\n```" in open(page).read(), run.stdout
