"""The repository in order: layers of imports, thin notebooks without outputs, one source of versions, clean code."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import collection
import dicelab
from collection.course.references import markdown_of
from collection.course.terms import slug_of
from collection.papers.published import PAPERS
from collection.runner import parameters_of

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/**/*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PINS = (ROOT / "requirements.txt").read_text().splitlines()
OURS = "dicelab", "dicelab_extras", "collection"  # no tier knows those behind it
PACKAGE = sorted(path for name in OURS for path in (ROOT / name).rglob("*.py"))
LAYERS = (  # from the bottom up; other modules with an underscore belong to the lowest
    {"games"},
    {
        "policies",
        "rules_of_thumb",
        "solution",
        "last_turn",
        "_recorded",
        "strategies",
        "strategy_tables",
        "sandbox",
    },
    {"solvers"},
    {"evaluation"},
    {"views"},
    {"cli"},
)


def run(*command):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True
    )


def test_ruff_is_content_with_code_and_notebooks():
    for command in (["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        result = run(*command)
        assert result.returncode == 0, result.stdout + result.stderr


def test_notebooks_are_committed_without_outputs():
    result = run("nbstripout", "--verify", *map(str, NOTEBOOKS))
    assert result.returncode == 0, result.stdout + "run make format"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_thin(path):
    """No classes: a notebook is not a place for a library. What a cell computes or says is for people to judge."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(cell.source)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_written_with_the_public_names(path):
    """What a notebook takes of dicelab, and of its public modules, is what `dir` shows there."""
    modules, names = {"dl": dicelab, "dicelab": dicelab, "collection": collection}, []
    for cell in nbformat.read(path, as_version=4).cells:
        tree = ast.parse(cell.source if cell.cell_type == "code" else "")
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert not [name.name for name in node.names if name.name.startswith("dicelab.")]
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "dicelab":
                assert node.module == "dicelab", f"{path.stem}: from {node.module} import …"
                names += [("dl", name.name) for name in node.names]
                taken = {name.name for name in node.names} & {*dicelab.MODULES}
                modules |= {name: getattr(dicelab, name) for name in taken}
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "dicelab_extras"
            ):
                modules |= {
                    name.name: import_module(f"{node.module}.{name.name}") for name in node.names
                }
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names.append((node.value.id, node.attr))
    for owner, name in names:
        if owner in modules:
            known = (
                {*dir(dicelab), *dicelab.UNLISTED}
                if modules[owner] is dicelab
                else {*modules[owner].__all__}
            )
            assert name in known, f"{path.stem}: {owner}.{name}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_import_display(path):
    """IPython has it without, but a program that is made of the cells does not; ruff lets it pass."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell.source))]
    used = "display" in {node.id for node in nodes if isinstance(node, ast.Name)}
    assert not used or "display" in {node.name for node in nodes if isinstance(node, ast.alias)}


def test_every_paper_has_a_notebook_and_every_notebook_a_paper():
    papers = {path.stem for path in NOTEBOOKS if path.parent.name == "papers"}
    assert papers == {paper.slug for paper in PAPERS}
    readme = (ROOT / "README.md").read_text()
    for paper in PAPERS:
        assert parameters_of(paper.notebook)
        assert paper.doi in paper.notebook.read_text()
        assert f"notebooks/papers/{paper.slug}.ipynb" in readme
        assert paper.doi in (ROOT / "CITATION.cff").read_text()


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def dotted_name(path):
    """The name of a module: "dicelab.solvers.two_player", "dicelab.solvers" for its ``__init__.py``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path):
    """Pairs of a module of ours that a file imports, and the name that it takes from it; None for all of it."""
    inside = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] in OURS for alias in node.names), path.name
        if not isinstance(node, ast.ImportFrom):
            continue
        if not node.level and node.module.split(".")[0] in OURS:
            assert node.module.split(".")[0] != inside[0], f"{path.name}: import relatively"
        elif not node.level:
            continue
        base = inside[: len(inside) + 1 - node.level] if node.level else ()
        dotted = ".".join(filter(None, [*base, node.module]))
        for alias in node.names:
            module = ROOT.joinpath(*dotted.split("."), alias.name)
            whole = module.with_suffix(".py").exists() or module.is_dir()
            yield (f"{dotted}.{alias.name}", None) if whole else (dotted, alias.name)


def layer_of(dotted):
    package, first = [*dotted.split("."), ""][:2]
    if package != "dicelab":
        return len(LAYERS)
    return next(
        (number for number, names in enumerate(LAYERS) if first in names),
        0 if first.startswith("_") else None,
    )


def test_imports_only_go_down():
    for path in PACKAGE:
        importer = dotted_name(path)
        if importer in ("dicelab", "dicelab.__main__"):
            continue
        assert layer_of(importer) is not None, f"{importer} is in no layer"
        for module, _ in imports_of(path):
            if importer.startswith("dicelab."):
                assert layer_of(module) <= layer_of(importer), f"{importer} imports {module}"
            second_opinion = importer.startswith("collection.course.textbook")
            assert not (second_opinion and module.startswith("dicelab.solvers")), importer


@pytest.mark.parametrize("path", PACKAGE, ids=dotted_name)
def test_no_tier_knows_those_above_it(path):
    """Neither by an import nor by a name in code or text; `MOVED` alone says where things are now."""
    tier = OURS.index(path.relative_to(ROOT).parts[0])
    above = "|".join(OURS[tier + 1 :])
    text = re.sub(r"^MOVED = \{.*?^\}", "", path.read_text(), flags=re.M | re.S)
    assert not above or not re.findall(rf"\b(?:{above})\b[.\"`]", text), path


def test_imports_have_no_circle_and_no_long_chain():
    graph = {dotted_name(path): {module for module, _ in imports_of(path)} for path in PACKAGE}
    chains = {}  # the longest from each module down
    for module in TopologicalSorter(graph).static_order():  # raises CycleError
        chains[module] = [
            module,
            *max((chains[below] for below in graph.get(module, ())), key=len, default=[]),
        ]
    longest = max((chain for name, chain in chains.items() if name.startswith("dicelab")), key=len)
    assert len(longest) <= 13, " > ".join(longest)


LIMITS = {  # of statements, docstrings apart: now, and those that a change may not pass while it is more
    "dicelab": (
        5200,
        17_082,
    ),  # since 29 November 2026; the issues "apart" and "engine" bring it down
    "dicelab_extras": (4400, 0),
    "collection": (6800, 6800),
    "tests": (
        10_000,
        20_400,
    ),  # since 29 November 2026; the issues "apart" and "pages" bring it down
}


def statements(path):
    """The number of statements of a file, docstrings apart."""
    nodes = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.stmt)]
    texts = [
        node
        for node in nodes
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return len(nodes) - len(texts)


@pytest.mark.parametrize("tier", LIMITS)
def test_tiers_keep_to_their_limits(tier):
    found = sum(map(statements, (ROOT / tier).rglob("*.py")))
    limit, allowed = LIMITS[tier]
    assert found <= max(limit, allowed), f"{tier}: {found:,} statements"
    assert allowed <= limit or found > 0.97 * allowed, f"{found:,} are enough: lower {allowed:,}"


def test_nothing_is_imported_by_its_name():
    """What a package's own `__init__` imports later stands on top; elsewhere it would be a circle that nobody sees."""
    for path in PACKAGE:
        if path.name != "__init__.py" and path.relative_to(ROOT).parts[0] == "dicelab":
            names = {node.id for node in ast.walk(tree_of(path)) if isinstance(node, ast.Name)}
            assert names.isdisjoint({"import_module", "__import__"}), path


def test_names_are_imported_from_where_they_are_declared():
    for path in PACKAGE:
        for module, name in imports_of(path):
            if name is None or module == "dicelab":
                continue
            file = ROOT.joinpath(*module.split("."))
            file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
            declared = {
                target.id if isinstance(target, ast.Name) else target.name
                for node in tree_of(file).body
                for target in ast.walk(node)
                if isinstance(target, ast.FunctionDef | ast.ClassDef)
                or (isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store))
            }
            assert name in declared, (
                f"{path.name} imports {name} from {module}, which does not declare it"
            )


def requirements(extra):
    """What an extra installs, with the extras in it; what is always installed if it is None."""
    project = PROJECT["project"]
    for entry in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        inner = re.fullmatch(r"dicelab\[(\w+)\]", entry)
        yield from requirements(inner[1]) if inner else [entry]


def modules_of(extra):
    """The modules that an extra installs, which have the names of their distributions, but for two."""
    names = [entry.partition(">=")[0].replace("-", "_") for entry in requirements(extra)]
    return {{"pyyaml": "yaml", "pillow": "PIL"}.get(name, name) for name in names}


def imports_by_extra(node, extra=None):
    """Pairs of an extra, or None, and the top module that is imported from outside the package."""
    match node:
        case ast.With(items=[ast.withitem(ast.Call(ast.Name("extra"), [ast.Constant(name)]))]):
            extra = name
        case ast.Import(names=names):
            yield from ((extra, alias.name.partition(".")[0]) for alias in names)
        case ast.ImportFrom(module=module, level=0):
            yield extra, module.partition(".")[0]
    for child in ast.iter_child_nodes(node):
        yield from imports_by_extra(child, extra)


def test_what_is_imported_is_installed_always_or_by_its_extra():
    paths = [path for path in PACKAGE if "templates" not in path.parts]
    pairs = {pair for path in paths for pair in imports_by_extra(tree_of(path))}
    there = {*sys.stdlib_module_names, *OURS}
    found = {(extra, module) for extra, module in pairs if module not in there}
    apart = {
        "gmpy2",
        "typing_extensions",
    }  # tried for; type checkers bring it, and nothing else imports it
    assert {module for extra, module in found if not extra} - apart == modules_of(None)
    for extra, module in found:
        assert not extra or module in modules_of(extra) - modules_of(None), (
            f"{module} is not installed by {extra}"
        )


def test_pins_are_plain_and_complete():
    assert PINS[-1] == "-e ."
    pins = {}
    for line in PINS[:-1]:
        match = re.fullmatch(r"([a-z0-9-]+)==([0-9][^ ;]*)( ; .*)?", line)
        assert match, line
        pins.setdefault(match[1], []).append(match[2])
    unpinned = {"bench"}  # what is only measured against
    extras = set(PROJECT["project"]["optional-dependencies"]) - unpinned
    for wanted in {entry for extra in (None, *extras) for entry in requirements(extra)}:
        name, least = re.fullmatch(r"([a-z0-9-]+)>=([0-9.]+)", wanted).groups()
        for version in pins[name]:
            assert [*map(int, version.split(".")[:2])] >= [*map(int, least.split(".")[:2])], (
                wanted,
                version,
            )


IN_CONDA = {"matplotlib": "matplotlib-base", "nbconvert": "nbconvert-core"}  # without Qt and pandoc


def test_environment_yml_names_what_readers_need():
    """The package's own requirements and those of the notebooks, with the same lower bounds, and the project itself."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["name"] == PROJECT["project"]["name"]
    python, *named, pip, by_pip = environment["dependencies"]
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert python == f"python={least}"  # Binder understands "=" only
    assert (pip, by_pip) == ("pip", {"pip": ["-e ."]})
    extras = PROJECT["project"]["optional-dependencies"]
    needed = [*PROJECT["project"]["dependencies"], *extras["plots"], *extras["papers"]]
    pairs = (entry.split(">=") for entry in needed if not entry.startswith("dicelab["))
    assert sorted(named) == sorted(
        f"{IN_CONDA.get(name, name)}>={version}" for name, version in pairs
    )


def test_versions_agree():
    version = PROJECT["project"]["version"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version


def test_workflows_call_make_targets_that_there_are():
    """What runs elsewhere can be run here; only what a machine needs first may stand beside it."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    called = set()
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            assert job["timeout-minutes"] <= 90
            for command in (step["run"] for step in job["steps"] if "run" in step):
                if not command.startswith("sudo apt-get"):
                    assert re.fullmatch("make [a-z-]+", command), command
                    called.add(command.removeprefix("make "))
    assert called == {"check", "test-all", "papers", "site", "wheel"} and called <= targets


def test_issue_forms_ask_for_something():
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(path.read_text())
        assert form["name"] and form["description"]
        assert any(field.get("validations", {}).get("required") for field in form["body"])
        names = [field["id"] for field in form["body"]]
        assert len(names) == len({*names})


def anchors_of(text):
    """Where links into a text may lead: its anchors, and its headings as GitHub and the site name them."""
    headings = {slug_of(heading) for heading in re.findall(r"^#+ (.+)", text, re.M)}
    return headings | {*re.findall(r'<a id="([\w-]+)"></a>', text)}


def test_links_of_the_pages_lead_somewhere():
    """Of all pages and all cells of text, so that they work in JupyterLab, whose root is the checkout."""
    patterns = "*.md", "docs/*.md", "benchmarks/*.md", "data/*.md", "notebooks/**/*.md"
    pages = [page for pattern in patterns for page in ROOT.glob(pattern)]
    texts = {page: markdown_of(page) for page in (*pages, *NOTEBOOKS)}
    for page, text in texts.items():
        for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
            link, _, anchor = "".join(link).partition("#")
            if link.startswith(("https://", "http://", "mailto:")):
                continue
            target = (page.parent / link).resolve() if link else page
            said = f"{page.relative_to(ROOT)}: {link}#{anchor}"
            assert target.exists(), said
            assert not anchor or anchor in anchors_of(texts[target]), said


def test_an_anchor_stands_once():
    """On all pages together: Sphinx knows an anchor by its name alone."""
    pages = (*ROOT.glob("notebooks/**/*.md"), *NOTEBOOKS)
    anchors = [re.findall(r'<a id="([\w-]+)"></a>', markdown_of(page)) for page in pages]
    counts = Counter(anchor for of_page in anchors for anchor in of_page)
    assert {anchor for anchor in counts if counts[anchor] > 1} == set()


def test_the_index_has_every_notebook():
    index = (ROOT / "notebooks" / "README.md").read_text()
    for path in NOTEBOOKS:
        link = path.relative_to(ROOT / "notebooks").as_posix()
        assert "solutions" in link or f"]({link})" in index, link
        assert (
            "solutions" in link or path.stem == "start" or f"](pictures/{path.stem}.png)" in index
        ), link


def test_figures_come_with_their_data():
    for paper in PAPERS:
        figures = ROOT / "figures" / paper.slug
        for drawing in figures.glob("*.svg"):
            assert drawing.with_suffix(".csv").exists(), drawing
        assert (figures / "comparison.csv").exists()


def test_nothing_built_is_committed():
    if not (shutil.which("git") and (ROOT / ".git").exists()):
        pytest.skip("needs git and a checkout")
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "pyproject.toml" in tracked
    assert not [
        name for name in tracked if name.startswith(("build/", ".venv/")) or "__pycache__" in name
    ]


def test_the_package_imports_without_numba_and_says_what_is_missing():
    code = """
import sys
sys.modules["numba"] = None
import dicelab as dl
dl.pig()
try:
    dl.solve(dl.pig())
except ImportError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "pip install numba" in result.stdout, result.stderr


@pytest.mark.slow
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


def test_examples_do_not_depend_on_what_is_imported(tmp_path, monkeypatch):
    """A worker has had other tests before, and with them other modules: the examples are the same."""
    tried = []

    @given(st.integers(0, 1000), st.integers(0, 1000))
    def draw(one, other):
        tried[-1].append((one, other))

    for name in ("before", "after"):
        tried.append([])
        draw()
        (tmp_path / f"{name}.py").write_text(f"numbers = {[*range(3, 1000, 7)]}")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(sys.modules, name, import_module(name))
    assert tried[0] == tried[1] and len(tried[0]) > 90
