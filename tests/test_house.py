"""The repository in order: tiers, layers of imports, outputs of notebooks, links, clean code."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
import yaml

import collection
import dicelab
from collection.committed import SHOWN
from collection.course.pages import built
from collection.course.references import markdown_of
from collection.course.terms import slug_of
from collection.papers.published import PAPERS
from collection.runner import parameters_of

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/**/*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OURS = "dicelab", "dicelab_extras", "collection"  # no tier knows those behind it
PACKAGE = sorted(path for name in OURS for path in (ROOT / name).rglob("*.py"))
LAYERS = (  # from the bottom up; other modules with an underscore belong to the lowest
    {"games"},
    {
        "policies",
        "rules_of_thumb",
        "solution",
        "_recorded",
        "strategies",
    },
    {"engine"},
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


def test_other_notebooks_are_committed_without_outputs():
    result = run("nbstripout", "--verify", *map(str, {*NOTEBOOKS} - {*SHOWN}))
    assert result.returncode == 0, result.stdout + "run make format"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_written_with_the_public_names(path):
    """What a notebook takes of dicelab, and of its public modules, is what `dir` shows there."""
    modules, names = {"dl": dicelab, "dicelab": dicelab, "collection": collection}, []
    cells = nbformat.read(path, as_version=4).cells
    code = [ast.parse(cell.source) for cell in cells if cell.cell_type == "code"]
    for node in (node for tree in code for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            assert not [name.name for name in node.names if name.name.startswith("dicelab.")]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.append((node.value.id, node.attr))
        if isinstance(node, ast.ImportFrom):
            taken, (package, *inner) = [name.name for name in node.names], node.module.split(".")
            if package == "dicelab":
                assert not inner, f"{path.stem}: from {node.module} import …"
                names += [("dl", name) for name in taken]
                modules |= {n: getattr(dicelab, n) for n in taken if n in dicelab.MODULES}
            if package == "dicelab_extras":
                modules |= {name: import_module(f"{node.module}.{name}") for name in taken}
    for owner, name in names:
        known = modules.get(owner)
        public = dir(dicelab) if known is dicelab else getattr(known, "__all__", [name])
        assert name in public, f"{path.stem}: {owner}.{name}"


def test_every_paper_has_a_notebook_and_every_notebook_a_paper():
    papers = {path.stem for path in NOTEBOOKS if path.parent.name == "papers"}
    assert papers == {paper.slug for paper in PAPERS}
    readme, citation = ((ROOT / name).read_text() for name in ("README.md", "CITATION.cff"))
    assert yaml.safe_load(citation)["version"] == PROJECT["project"]["version"]
    for paper in PAPERS:
        assert parameters_of(paper.notebook)
        assert paper.doi in paper.notebook.read_text() and paper.doi in citation
        assert f"notebooks/papers/{paper.slug}.ipynb" in readme


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def dotted_name(path):
    """The name of a module: "dicelab.engine.race", "dicelab.engine" for its ``__init__.py``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_of(path):
    """Pairs of a module of ours that a file imports, and the name that it takes from it; None for all of it."""
    inside, found = path.relative_to(ROOT).parts[:-1], []
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
            found.append((f"{dotted}.{alias.name}", None) if whole else (dotted, alias.name))
    return found


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
        second_opinion = importer.startswith("collection.course.textbook")
        for module, _ in imports_of(path):
            if importer.startswith("dicelab."):
                assert layer_of(module) <= layer_of(importer), f"{importer} imports {module}"
            assert not (second_opinion and module.startswith("dicelab.engine")), importer


@pytest.mark.parametrize("path", PACKAGE, ids=dotted_name)
def test_no_tier_knows_those_above_it(path):
    """Neither by an import nor by a name in code or text."""
    tier = OURS.index(path.relative_to(ROOT).parts[0])
    above = "|".join(OURS[tier + 1 :])
    assert not above or not re.findall(rf"\b(?:{above})\b[.\"`]", path.read_text()), path


def test_no_wing_imports_another():
    for path in (ROOT / "dicelab_extras").glob("*/*.py"):
        wings = [m.split(".")[1] for m, _ in imports_of(path) if m.startswith("dicelab_extras.")]
        assert {*wings} <= {path.parent.name}, path


@cache
def kernels_of(path):
    """The functions of a file that a decorator compiles, by name."""
    kinds = {"called", "compiled", "inlined", "njit", "shared", "whole"}
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]
    return {
        f.name: f
        for f in functions
        if kinds & {n.id for d in f.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
    }


def test_no_kernel_calls_one_of_another_folder():
    """numba's cache looks only at the file of the kernel that is called, ours also at its folder."""
    assert "sweep" in kernels_of(ROOT / "dicelab" / "engine" / "turn.py")
    for path in PACKAGE:
        others = set()
        for module, name in imports_of(path):
            file = ROOT.joinpath(*module.split(".")).with_suffix(".py")
            elsewhere = file.exists() and file.parent != path.parent
            others |= {name} & {*kernels_of(file)} if elsewhere else set()
        for name, function in kernels_of(path).items():
            used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            assert not used & others, f"{path.name}: {name} uses {used & others}"


def test_imports_have_no_circle():
    graph = {dotted_name(path): {module for module, _ in imports_of(path)} for path in PACKAGE}
    assert [*TopologicalSorter(graph).static_order()], "or it raises CycleError"


LIMITS = {  # of statements, docstrings apart; and what a tier may have while it is over its limit
    "dicelab": (5200, 0),
    "dicelab_extras": (4400, 0),
    "collection": (6800, 0),
    "tests": (10_000, 0),
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


def requirements(extra):
    """What an extra installs, with the extras in it; what is always installed if it is None."""
    project = PROJECT["project"]
    for entry in project["optional-dependencies"][extra] if extra else project["dependencies"]:
        inner = re.fullmatch(r"dicelab\[(\w+)\]", entry)
        yield from requirements(inner[1]) if inner else [entry]


def modules_of(extra):
    """The modules that an extra installs, which have the names of their distributions, but for three."""
    names = [entry.partition(">=")[0].replace("-", "_") for entry in requirements(extra)]
    return {
        {"pyyaml": "yaml", "pillow": "PIL", "ipython": "IPython"}.get(name, name) for name in names
    }


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


def anchors_of(text):
    """Where links into a text may lead: its anchors, and its headings as GitHub and the site name them."""
    headings = {slug_of(heading) for heading in re.findall(r"^#+ (.+)", text, re.M)}
    return headings | {*re.findall(r'<a id="([\w-]+)"></a>', text)}


def test_links_of_the_pages_lead_somewhere():
    """Of all pages and all cells of text, so that they work in JupyterLab, whose root is the checkout.

    What is committed leads to no page that is built.
    """
    unlisted = built()
    patterns = "*.md", "docs/*.md", "benchmarks/*.md", "data/*.md", "notebooks/**/*.md"
    pages = {page for pattern in patterns for page in ROOT.glob(pattern)} - unlisted.keys()
    texts = {page: markdown_of(page) for page in (*pages, *NOTEBOOKS)}
    for page, text in (texts | unlisted).items():
        for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
            link, _, anchor = "".join(link).partition("#")
            if link.startswith(("https://", "http://", "mailto:")):
                continue
            target = (page.parent / link).resolve() if link else page
            said = f"{page.relative_to(ROOT)}: {link}#{anchor}"
            assert target.exists() and target not in unlisted, said
            assert not anchor or anchor in anchors_of(texts[target]), said


def test_the_index_has_every_notebook():
    index = (ROOT / "notebooks" / "README.md").read_text()
    for path in NOTEBOOKS:
        link = path.relative_to(ROOT / "notebooks").as_posix()
        assert "solutions" in link or f"]({link})" in index, link
