"""The house in order: notebooks without outputs, one source of versions, imports that only go down."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from dicelab.published import PAPERS
from dicelab.reproduce import parameters_of

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/**/*.ipynb"))
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = (ROOT / "requirements.txt").read_text().splitlines()
PACKAGE = sorted((ROOT / "dicelab").rglob("*.py"))
ROOMS = """
    doors memory identity games catalogue finish turn policies rules_of_thumb players table radius lanes gains pairs
    race ends solitaire exact_turn exact enclosure certificate match rolls stretches montecarlo textbook solver
    worth play terminal studies published recipes comparison style tables plots widgets execution reproduce lectures
    page site cli
""".split()  # noqa: SIM905


def run(*command):
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)


def test_ruff_is_content_with_code_and_notebooks():
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        result = run(*command)
        assert result.returncode == 0, result.stdout + result.stderr


def test_notebooks_are_committed_without_outputs():
    result = run("nbstripout", "--verify", *map(str, NOTEBOOKS))
    assert result.returncode == 0, result.stdout + "run make format"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_thin(path):
    cells = nbformat.read(path, as_version=4).cells
    nbformat.validate(nbformat.read(path, as_version=4))
    kept_out = (ast.FunctionDef, ast.ClassDef)
    if "lectures" not in path.parts:  # where an algorithm may be written out
        kept_out += (ast.For, ast.While)
    for cell in (cell for cell in cells if cell.cell_type == "code"):
        assert not any(isinstance(node, kept_out) for node in ast.walk(ast.parse(cell.source)))
        assert len(cell.source.splitlines()) <= (18 if path.parent.name == "solutions" else 14)


def test_every_paper_has_a_notebook_and_every_notebook_a_paper():
    papers = {path.stem for path in NOTEBOOKS if path.parent.name == "papers"}
    assert papers == {paper.slug for paper in PAPERS}
    readme = (ROOT / "README.md").read_text()
    for paper in PAPERS:
        assert parameters_of(paper.notebook)
        assert paper.doi in paper.notebook.read_text()
        assert f"notebooks/papers/{paper.slug}.ipynb" in readme
        assert paper.doi in (ROOT / "CITATION.cff").read_text()


def test_imports_only_go_down():
    files = {path.stem for path in (ROOT / "dicelab").glob("*.py")} - {"__init__", "__main__"}
    assert files | {"textbook"} == set(ROOMS)
    for path in PACKAGE:
        room = path.stem if path.parent.name == "dicelab" else path.parent.name
        if room in ("__init__", "__main__"):
            continue
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.ImportFrom) and path.parent.name == room and node.level == 1:
                continue  # within a room of several files
            if isinstance(node, ast.ImportFrom) and node.level:
                names = [node.module] if node.module else [alias.name for alias in node.names]
            elif isinstance(node, ast.Import | ast.ImportFrom):
                absolute = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                assert not any(name.split(".")[0] == "dicelab" for name in absolute)
            for name in names:
                assert ROOMS.index(name) < ROOMS.index(room), f"{room} imports {name}"


def test_the_rooms_are_in_contributing():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    places = [text.index(f"`{room}{'/' if room == 'textbook' else '.py'}`") for room in reversed(ROOMS)]
    assert places == sorted(places)


def test_pins_are_plain_and_complete():
    assert PINS[-1] == "-e ."
    pins = {}
    for line in PINS[:-1]:
        match = re.fullmatch(r"([a-z0-9-]+)==([0-9][^ ;]*)( ; .*)?", line)
        assert match, line
        pins.setdefault(match[1], []).append(match[2])
    extras = PROJECT["project"]["optional-dependencies"].items()  # what is only measured against is not installed
    wants = [entry for extra, entries in extras if extra != "bench" for entry in entries]
    for wanted in [*PROJECT["project"]["dependencies"], *wants]:
        name, least = re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)", wanted).groups()
        for version in pins[name]:
            assert [*map(int, version.split(".")[:2])] >= [*map(int, least.split(".")[:2])], (wanted, version)


def test_environment_yml_says_what_the_pins_say():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["name"] == PROJECT["project"]["name"]
    python, pip, by_pip = environment["dependencies"]
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert python == f"python={least}"  # Binder understands "=" only
    assert pip == "pip"
    assert by_pip == {"pip": ["-r requirements.txt"]}


def test_versions_agree():
    version = PROJECT["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version


def test_links_of_the_pages_lead_somewhere():
    for page in ROOT.glob("*.md"):
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
            assert link.startswith("https://") or (ROOT / link).exists(), f"{page.name}: {link}"


def test_figures_come_with_their_data():
    for paper in PAPERS:
        figures = ROOT / "figures" / paper.slug
        for drawing in figures.glob("*.svg"):
            assert drawing.with_suffix(".csv").exists(), drawing
        assert (figures / "comparison.csv").exists()


def test_nothing_built_is_committed():
    assert not [name for name in TRACKED if name.startswith(("build/", ".venv/")) or "__pycache__" in name]


def test_the_package_imports_without_numba_and_says_what_is_missing():
    code = """
import sys
sys.modules["numba"] = None
import dicelab as dl
dl.published("generalized-pig", "table-1")
try:
    dl.solve(dl.pig())
except ImportError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "pip install numba" in result.stdout, result.stderr


def test_kernels_run_where_no_cache_can_be_written():
    code = """
from numba.core import caching
def refuse(*arguments):
    raise RuntimeError("no locator available")
caching.CacheImpl.__init__ = refuse
import dicelab as dl
print(dl.solve(dl.piglet(3)).value)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.stdout.startswith("0.5454545"), result.stderr


def test_the_examples_in_the_docstrings():
    result = run("pytest", "--doctest-modules", "dicelab", "-q", "-p", "no:cacheprovider")
    assert result.returncode == 0, result.stdout
