#!/usr/bin/env python3
"""scripts/links sees files, pictures and anchors that are not there, and pages outside the navigation; and nothing else."""

import os
import subprocess
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "links")
PAGES = {
    "mkdocs.yml": "nav:\n  - A: a.md\n  - Gone: gone.md\n",
    "docs/a.md": "# A `page` with [a link](b.md)\n\n## Twice\n## Twice\n\n"
                 "[fine](b.md) [here](#twice) [again](#twice_1) [code](b.md#the-second-one) [out](https://example.org/x.md)\n"
                 "`[not a link](nothing.md)`\n\n```sh\n[not a link](nothing.md)\n# Not a heading\n```\n"
                 "[no file](c.md) ![no picture](c.svg) [no anchor](b.md#third) [none here](#not-a-heading)\n",
    "docs/b.md": "# B\n\n## The *second*, one?\n",
}
FAULTS = [
    "docs/a.md:13: b.md has no heading for #third",
    "docs/a.md:13: there is no c.md",
    "docs/a.md:13: there is no c.svg",
    "docs/a.md:13: this page has no heading for #not-a-heading",
    "docs/b.md:1: is not in the navigation of mkdocs.yml",
    "mkdocs.yml:3: there is no docs/gone.md",
    "2 pages, 6 faults",
]

with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "docs"))
    for name, text in PAGES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    run = subprocess.run([SCRIPT, folder], stdout=subprocess.PIPE, encoding="utf-8")
    assert run.returncode == 1, run.stdout
    assert run.stdout.splitlines() == FAULTS, run.stdout
    with open(os.path.join(folder, "mkdocs.yml"), "w") as file:
        file.write("nav:\n  - A: a.md\n  - B: b.md\n")
    with open(os.path.join(folder, "docs/a.md"), "w") as file:
        file.write("[fine](b.md#the-second-one)\n")
    run = subprocess.run([SCRIPT, folder], stdout=subprocess.PIPE, encoding="utf-8")
    assert (run.returncode, run.stdout) == (0, "2 pages, 0 faults\n"), run.stdout

with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "api"))
    for name, text in {
        "index.html": '<h1 id="top">A</h1>\n<a href="api/b.html#c">fine</a> <a href="#top">fine</a> <a href="https://example.org/x">out</a>\n'
                      '<script>x = \'<a href="made.html">\';</script>\n<img src="gone.png"/> <a href="api/b.html#d">no anchor</a>\n',
        "api/b.html": '<a name="c"></a><a href="../index.html?x=1">fine</a>\n<a href="../c.html">no page</a>\n',
    }.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    run = subprocess.run([SCRIPT, "--site", folder], stdout=subprocess.PIPE, encoding="utf-8")
    assert run.returncode == 1 and run.stdout.splitlines() == [
        "api/b.html:2: there is no ../c.html",
        "index.html:4: api/b.html has no #d",
        "index.html:4: there is no gone.png",
        "3 faults in links of the site",
    ], run.stdout
