#!/usr/bin/env python3
"""scripts/fill writes tables and pictures from rows, sees a page that was edited by hand, and refuses names that are not there."""

import json
import os
import shutil
import subprocess
import tempfile

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
TABLE = {"table": "speed", "title": "Speed", "text": "In ms.", "columns": ["who", "rtol", "ms"],
         "cells": [["a", "1e-03", "1.5"], ["a", "1e-06", "12"], ["b|c", "1e-03", "0.5"], ["b|c", "1e-06", "-"]]}
TEMPLATE = """# Page

{{measured speed}}
{{expectations speed}}

{{text speed}}

{{table speed where=rtol=1e-03 columns=who|ms}}

{{bars speed.svg speed label=who value=ms where=rtol=1e-03 line=1}}

{{lines work.svg speed x=rtol y=ms by=who title="Work"}}

Only {{count speed above=ms=1}} of {{count speed}} take more than 1 ms, the longest {{cell speed ms where=who=a where=rtol=1e-06}} ms:

{{table speed above=ms=1 below=ms=2}}
"""
PAGE = """# Page

*Measured today.*
2 of 3 expectations hold.
- too slow

In ms.

| who | ms |
|---|---|
| a | 1.5 |
| b\\|c | 0.5 |

![Speed](speed.svg)

![Work](work.svg)

Only 2 of 4 take more than 1 ms, the longest 12 ms:

| who | rtol | ms |
|---|---|---|
| a | 1e-03 | 1.5 |
"""

with tempfile.TemporaryDirectory() as root:
    for folder in ("scripts", "bench/pages", "bench/rows", "docs"):
        os.makedirs(os.path.join(root, folder))
    script = shutil.copy(os.path.join(SCRIPTS, "fill"), os.path.join(root, "scripts"))
    template, page = os.path.join(root, "bench/pages/page.md"), os.path.join(root, "docs/page.md")
    with open(os.path.join(root, "bench/rows/suite.json"), "w") as file:
        json.dump({"measured": "today", "tables": [{"note": "a note"}, TABLE], "expectations": 3, "faults": ["too slow"]}, file)

    def fill(text, *words):
        with open(template, "w") as file:
            file.write(text)
        run = subprocess.run([script, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
        return run.returncode, run.stdout

    assert fill(TEMPLATE) == (0, "1 pages written\n")
    assert open(page).read() == PAGE, open(page).read()
    bars, lines = (open(os.path.join(root, "docs", name)).read() for name in ("speed.svg", "work.svg"))
    assert bars.count('fill="#0072b2"') == 2 and "stroke-dasharray" in bars, bars
    assert lines.count("<circle") == 3 and lines.count("<polyline") == 2, lines  # "-" is no number
    assert fill(TEMPLATE, "--check") == (0, "1 pages, 0 files differ\n")
    with open(page, "a") as file:
        file.write("by hand\n")
    code, text = fill(TEMPLATE, "--check")
    assert code == 1 and text.startswith("docs/page.md: is not what"), text
    for wrong, sentence in (("{{table slow}}", "no rows have a table slow"),
                            ("{{table speed columns=ns}}", "has no column ns: there are who, rtol, ms"),
                            ("{{table speed where=rtol=1}}", "nothing where rtol=1"),
                            ("a {{table speed}}", "on a line of its own"),
                            ("a {{cell speed ms}}", "is 4 cells, not one"),
                            ("a {{cell speed ns where=rtol=1e-03}}", "has no column ns"),
                            ("{{pie x.svg speed}}", "unknown word pie")):
        code, text = fill(wrong + "\n")
        assert code == 1 and sentence in text, text

    # A page without a template has places, which are comments that stay.
    place = "Only <!--{{count speed above=ms=1}}-->9<!--/--> of 4 take <!--{{cell speed ms where=who=a where=rtol=1e-03}}--><!--/--> ms.\n\n<!--{{table speed below=ms=1}}-->old<!--/-->\n"
    told = ("Only <!--{{count speed above=ms=1}}-->2<!--/--> of 4 take <!--{{cell speed ms where=who=a where=rtol=1e-03}}-->1.5<!--/--> ms.\n\n"
            "<!--{{table speed below=ms=1}}-->\n\n| who | rtol | ms |\n|---|---|---|\n| b\\|c | 1e-03 | 0.5 |\n\n<!--/-->\n")
    text_page = os.path.join(root, "docs/text.md")
    with open(text_page, "w") as file:
        file.write(place)
    code, text = fill(TEMPLATE, "--check")
    assert code == 1 and "docs/text.md: is not what" in text, text
    assert fill(TEMPLATE) == (0, "2 pages written\n")
    assert open(text_page).read() == told, open(text_page).read()
    assert fill(TEMPLATE, "--check") == (0, "2 pages, 0 files differ\n")
