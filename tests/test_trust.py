"""What comes from others, notebooks, tables and rules, is data: nothing is evaluated, unpickled or fetched."""

import ast
import json
import socket
from pathlib import Path

import pytest

import dicelab as dl
from dicelab import reproduce, studies
from dicelab.published import PAPERS, exact_value

PACKAGE = sorted(Path(dl.__file__).parent.rglob("*.py"))
NEVER = {"eval", "exec", "compile", "__import__", "urlopen", "urlretrieve", "read_pickle", "to_pickle"}
NEVER_IMPORTED = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "urllib", "requests", "http", "ftplib", "runpy"}
RUNS_PROGRAMS = {"lectures.py", "site.py"}  # npm and Sphinx
EVIL = [
    "__import__('os').system('touch made')",
    "open('made', 'w')",
    "(lambda: open('made', 'w'))()",
    "[open('made', 'w') for _ in '1']",
    "{}.__class__",
    "os.getcwd()",
    'f\'{open("made", "w")}\'',
    "3 if open('made', 'w') else 4",
    "9**9**9**9",
    "'a' * 10**10",
]


@pytest.mark.parametrize("text", EVIL)
def test_parameters_are_literals(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert reproduce.read_value(text) == text, "the text itself"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text", ["(" * 100_000, "[" * 5000 + "]" * 5000, "-" * 100_000 + "1", "9" * 10_000, "\0", "1e", "'"]
)
def test_parameters_that_python_cannot_read_are_texts(text):
    assert reproduce.read_value(text) == text


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("[1, 2]", [1, 2]), ("'3'", "3"), ("None", None), ("x", "x")])
def test_literals_are_read(text, value):
    assert reproduce.read_value(text) == value


@pytest.mark.parametrize("text", EVIL)
def test_the_parameters_cell_is_read_and_not_run(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cell = {
        "cell_type": "code",
        "id": "a",
        "outputs": [],
        "execution_count": None,
        "source": f'n = {text}\nfigures = ""',
    }
    cell["metadata"] = {"tags": ["parameters"]}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    Path("x.ipynb").write_text(json.dumps(notebook))
    with pytest.raises(reproduce.UsageError, match="only lines like name = literal"):
        reproduce.parameters_of(Path("x.ipynb"))
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]


def test_a_text_stays_a_text_on_its_way_into_a_notebook():
    from papermill.translators import PythonTranslator

    for text in [*EVIL, '"\nopen("made", "w")\n"', "'''", '"""', "\\", "\\'", "{x}", "\u2028", "a\r\nb"]:
        line = f"name = {PythonTranslator.translate(text)}"
        (statement,) = ast.parse(line).body
        assert ast.literal_eval(statement.value) == text


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: path.stem)
def test_the_package_neither_evaluates_nor_unpickles_nor_fetches(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert name not in NEVER - ({"compile"} if isinstance(node.func, ast.Attribute) else set()), name
            assert not any(word.arg in ("shell", "allow_pickle") for word in node.keywords)
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for module in modules if getattr(node, "level", 0) == 0 else []:
                assert module.split(".")[0] not in NEVER_IMPORTED
                assert module != "subprocess" or path.name in RUNS_PROGRAMS


def test_nothing_is_asked_of_the_network(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    for paper in PAPERS:
        for table in paper.tables:
            dl.published(paper.slug, table)
    assert exact_value("pig-100") > 0
    for name in ("http://localhost/x", "file:///etc/passwd", "\\\\host\\x"):
        with pytest.raises(ValueError, match="is not allowed"):
            dl.published("generalized-pig", name)


@pytest.mark.parametrize("name", ["../errata", "../../README", "/etc/hostname", "pig-100.txt", "./pig-100", "..", ""])
def test_files_outside_are_not_read(name):
    with pytest.raises(ValueError, match=r"name: .* is not allowed; give one of 'pig-100'"):
        exact_value(name)


def test_an_earlier_sweep_is_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    studies.sweep(str, {"object": [1]}, n_jobs=1, file="x.jsonl")
    key, point, _ = json.loads(Path("x.jsonl").read_text())
    Path("x.jsonl").write_text(json.dumps([key, point, {"value": EVIL[0]}]) + "\n")
    assert studies.sweep(str, {"object": [1]}, n_jobs=1, file="x.jsonl")["value"].tolist() == [EVIL[0]]
    assert [path.name for path in tmp_path.iterdir()] == ["x.jsonl"]


def test_rules_are_data():
    """Names, faces and titles from others are shown, never run."""
    roll = dl.Mode(EVIL[0], [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, EVIL[0]))])
    game = dl.Game(EVIL[1], 3, roll)
    assert dl.solve(game).value == dl.solve(dl.piglet(3)).value and EVIL[1] in str(game)
    assert not Path("made").exists()
