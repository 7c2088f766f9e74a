"""What is written is true: docstrings, docs/python.md, the README, the ten models, notebooks and type stubs are run or compared."""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import tempfile
import unittest
import warnings

import pawl

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Docstrings(unittest.TestCase):
    def test_examples(self):
        ran = 0
        for info in pkgutil.iter_modules(pawl.__path__):
            if info.name.startswith("_"):
                continue
            module = importlib.import_module(f"pawl.{info.name}")
            found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
            self.assertEqual(found.failed, 0, info.name)
            ran += found.attempted
        ran += doctest.testmod(pawl).attempted
        self.assertGreater(ran, 40)

    def test_everything_public_is_documented(self):
        for name in pawl.__all__:
            thing = getattr(pawl, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertTrue(inspect.getdoc(thing), name)


def python_blocks(text):
    return re.findall(r"```python\n(.*?)```", text, re.S)


class Documents(unittest.TestCase):
    def run_blocks(self, name):
        with open(os.path.join(ROOT, name)) as file:
            blocks = python_blocks(file.read())
        self.assertTrue(blocks, name)
        names = {}
        for block in blocks:
            said = [line.split("#: ", 1)[1].rstrip() for line in block.splitlines() if "#: " in line]
            out = io.StringIO()
            with contextlib.redirect_stdout(out), warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                warnings.simplefilter("ignore")
                exec(compile(block, name, "exec"), names)
            if said:
                self.assertEqual([line.rstrip() for line in out.getvalue().splitlines()], said, block)

    def test_the_page_about_python(self):
        self.run_blocks("docs/python.md")

    def test_the_readme(self):
        self.run_blocks("README.md")

    def test_start_here(self):
        self.run_blocks("docs/index.md")

    def test_the_guide_for_python(self):
        self.run_blocks("docs/how-to/call-from-python.md")

    def test_the_ten_models(self):
        folder = os.path.join(ROOT, "docs", "models")
        ran = 0
        for page in sorted(file for file in os.listdir(folder) if file.endswith(".md")):
            with open(os.path.join(folder, page)) as file:
                has_python = "```python" in file.read()
            if has_python:
                with self.subTest(page):
                    self.run_blocks(os.path.join("docs", "models", page))
                ran += 1
        self.assertGreaterEqual(ran, 9)


class Notebooks(unittest.TestCase):
    """Cells are executed in order, as a kernel would, and their last expression is displayed."""

    def test_they_run(self):
        folder = os.path.join(ROOT, "python", "notebooks")
        notebooks = sorted(file for file in os.listdir(folder) if file.endswith(".ipynb"))
        self.assertGreaterEqual(len(notebooks), 2)
        for file in notebooks:
            with self.subTest(file), open(os.path.join(folder, file)) as text:
                notebook = json.load(text)
                self.assertEqual(notebook["nbformat"], 4)
                names, shown = {"__name__": "__main__"}, 0
                for cell in notebook["cells"]:
                    if cell["cell_type"] == "code":
                        self.assertEqual(cell["outputs"], [], "notebooks are stored without outputs")
                        shown += self.execute("".join(cell["source"]), names, file)
                self.assertGreater(shown, 0)

    def execute(self, source, names, file):
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(tree, file, "exec"), names)
            if last is None:
                return 0
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)
            if hasattr(value, "_repr_html_"):
                self.assertLess(len((value._repr_html_() or "").encode()), 100_000)
            repr(value)
        return 1


class Stubs(unittest.TestCase):
    """The stub names what the package has, with the same parameters."""

    def setUp(self):
        with open(os.path.join(os.path.dirname(pawl.__file__), "__init__.pyi")) as file:
            self.tree = ast.parse(file.read())

    def test_names(self):
        stubbed = {node.name for node in self.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        stubbed |= {node.target.id for node in self.tree.body if isinstance(node, ast.AnnAssign)}
        for name in pawl.__all__:
            self.assertIn(name, stubbed)

    def test_parameters(self):
        compared = 0
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and hasattr(pawl, node.name):
                cls = getattr(pawl, node.name)
                methods = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("__")}
                for name, stub in methods.items():
                    real = inspect.getattr_static(cls, name, None)
                    self.assertIsNotNone(real, f"{node.name}.{name} is stubbed and does not exist")
                    if isinstance(real, property) or any(getattr(d, "id", "") == "overload" for d in stub.decorator_list):
                        continue
                    real = real.__func__ if isinstance(real, (classmethod, staticmethod)) else real
                    self.compare(f"{node.name}.{name}", stub, real)
                    compared += 1
                if issubclass(cls, pawl.Model):
                    own = {n for n, v in vars(cls).items() if not n.startswith("_") and callable(v)}
                    self.assertLessEqual(own, set(methods), f"{node.name} has methods without a stub")
            elif isinstance(node, ast.FunctionDef):
                self.compare(node.name, node, getattr(pawl, node.name))
                compared += 1
        self.assertGreater(compared, 60)

    def compare(self, name, stub, real):
        wanted = [p.name for p in inspect.signature(real).parameters.values()]
        a = stub.args
        found = [x.arg for x in a.args] + ([a.vararg.arg] if a.vararg else []) + [x.arg for x in a.kwonlyargs] + ([a.kwarg.arg] if a.kwarg else [])
        if wanted == ["x"] or wanted == ["x", "y"]:  # functions of numbers
            self.assertEqual(len(found), len(wanted), name)
        else:
            self.assertEqual(found, wanted, name)


if __name__ == "__main__":
    unittest.main()
