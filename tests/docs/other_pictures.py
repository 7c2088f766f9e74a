#!/usr/bin/env python3
"""scripts/pictures sees a picture that differs from what the command draws, one that is missing, and pages without any: other_pictures.py COMMAND"""

import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "pictures")

with tempfile.TemporaryDirectory() as folder:
    page, picture = os.path.join(folder, "page.md"), os.path.join(folder, "orbit.svg")

    def says(*options, text="<!-- pawl run kepler --set e=0.3 --plot x,y -->\n![An orbit](orbit.svg)\n"):
        with open(page, "w") as file:
            file.write("# Page\n\n" + text)
        run = subprocess.run([SCRIPT, sys.argv[1], page, *options], stdout=subprocess.PIPE, encoding="utf-8")
        return run.returncode, run.stdout

    code, text = says()
    assert code == 1 and "orbit.svg is not there" in text, text
    assert says("--update")[0] == 0
    assert says() == (0, "1 pictures are as the command draws them\n")
    with open(picture) as file:
        svg = file.read()
    with open(picture, "w") as file:
        file.write(svg.replace("kepler: y over x", "kepler: x over y"))
    code, text = says()
    assert code == 1 and "draws another orbit.svg: line 1" in text, text
    assert says(text="nothing is drawn\n")[0] == 1
