"""Notebooks, tables and rules from others are data: nothing of them is evaluated, unpickled or fetched."""

import ast

import pytest

from collection.papers.published import ROOT
from collection.parameters import read_value

OURS = "dicelab", "dicelab_extras", "collection"
PACKAGE = [path for tier in OURS for path in sorted((ROOT / tier).rglob("*.py"))]
NEVER_CALLED = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "urlopen",
    "urlretrieve",
    "read_pickle",
    "to_pickle",
}
NEVER_IMPORTED = {
    "subprocess",
    "pickle",
    "dill",
    "cloudpickle",
    "marshal",
    "shelve",
    "urllib",
    "requests",
    "http",
    "ftplib",
    "runpy",
}
ALLOWED = {
    ("slides.py", "subprocess"),  # npm
    ("site.py", "subprocess"),  # Sphinx
    ("verify.py", "subprocess"),  # the checker
    ("sandbox.py", "subprocess"),
    ("sandbox.py", "pickle"),  # from us to a child, never back
    ("gallery.py", "runpy.run_path"),  # programs of this repository
    ("exercises.py", "runpy.run_path"),  # and a teacher's own questions
    ("pages.py", "runpy"),
    ("site.py", "urllib.parse.quote"),  # of an address; nothing is asked for
}
CODE = [
    "__import__('os').system('touch made')",
    "[open('made', 'w') for _ in '1']",
    "{}.__class__",
    'f\'{open("made", "w")}\'',
    "3 if open('made', 'w') else 4",
    "9**9**9**9",
    "'a' * 10**10",
]
UNREADABLE = [
    "(" * 100_000,
    "[" * 5000 + "]" * 5000,
    "-" * 100_000 + "1",
    "9" * 10_000,
    "\0",
    "1e",
    "'",
]


@pytest.mark.parametrize("text", CODE + UNREADABLE, ids=lambda text: text[:20])
def test_a_parameter_is_read_and_not_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert all(read_value(text, kind) is text for kind in (int, float, bool, [int], [float]))
    assert isinstance(read_value(text, str), str)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: path.stem)
def test_the_package_neither_evaluates_nor_unpickles_nor_fetches(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            compiled = name == "compile" and isinstance(node.func, ast.Attribute)  # re.compile
            assert name not in NEVER_CALLED or compiled, name
            assert not any(word.arg in ("shell", "allow_pickle") for word in node.keywords)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        taken = {(path.name, name) for name in names if name.split(".")[0] in NEVER_IMPORTED}
        assert taken <= ALLOWED
