"""The runner judges, not the notebook: what is altered or damaged fails alone, and nothing that was good is lost."""

import json
import os
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner

import collection
import collection.runner as runner
from collection import folders as _files
from collection import notebooks
from collection.manifest import files_of
from collection.papers.published import Paper
from collection.report import outcome
from dicelab.cli import main

published = sys.modules["collection.papers.published"]  # collection.published is the function
SLUG, DRAWN = "minimax-pig", "figure-3"
KEYS = [row.number for row in collection.published(SLUG, "text").itertuples()]
RIGHT = dict(zip(KEYS, (187, 194), strict=True))
COMPARES = f"compare({SLUG!r}, 'text', {RIGHT}, leave=figures)"
MAKES = f"""
from pathlib import Path
from collection import compare
import dicelab as dl
for name in {[f"{name}.csv" for name in files_of(SLUG)] + [f"{DRAWN}.svg"]} if figures else ():
    Path(figures, name).write_text("made")
"""
CELLS = ['figures = ""', MAKES, COMPARES, "last = True"]


def tree(folder):
    """All below a folder: what is in the files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A collection of two papers with results of an earlier run; returns a function that sets the first's cells."""
    other = Paper(slug="other", title="other", citation="nobody, nowhere", doi="10.0/0")
    papers = *published.PAPERS, other
    for module in (published, notebooks):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    for module in (published, runner):
        monkeypatch.setattr(module, "QUESTIONS", ())
        monkeypatch.setattr(module, "PAPERS", papers)

    def write(*cells, slug=SLUG):
        notebook = nbformat.v4.new_notebook()
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook.cells[0].metadata["tags"] = ["parameters"]
        nbformat.write(notebook, tmp_path / "notebooks" / "papers" / f"{slug}.ipynb")
        return tmp_path

    (tmp_path / "notebooks" / "papers").mkdir(parents=True)
    write('figures = ""', "last = True", slug="other")
    good = tmp_path / "figures" / SLUG
    good.mkdir(parents=True)
    (good / "figures.csv").write_text(f"name,caption,alternative\n{DRAWN},c,a\n")
    for name in (f"{DRAWN}.csv", f"{DRAWN}.svg", "README.md", "mine.txt"):
        (good / name).write_text("good")
    (tmp_path / "build" / "papers").mkdir(parents=True)
    (tmp_path / "build" / "papers" / f"{SLUG}.ipynb").write_text("good")
    (tmp_path / "build" / "report.md").write_text("good")
    return write


def rerun(root, *papers):
    result = CliRunner().invoke(main, ["reproduce", "--into", str(root), SLUG, *papers])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def without(cells, word):
    return [cell for cell in cells if word not in cell]


ALTERED = {  # the cells, and what is said
    "a number is off": (
        [*CELLS[:2], COMPARES.replace("187", "188"), CELLS[3]],
        "number smallest opponent's score from which on every decision is to roll: printed 187, computed 188",
    ),
    "a number is left out": (
        [*CELLS[:2], COMPARES.replace(f"{KEYS[0]!r}: 187, ", ""), CELLS[3]],
        "only 1 of its 2 printed numbers were compared",
    ),
    "what is compared is not left": (
        [*CELLS[:2], COMPARES.replace("leave=figures", "leave=''")],
        "only 0 of its 2 printed numbers were compared",
    ),
    "verdicts of its own": (
        [
            *without(CELLS, "compare"),
            "from pathlib import Path\nPath(figures, 'comparison.csv').write_text("
            "'table,item,printed,computed,difference,tolerance,verdict\\n"
            "text,a,187,187,0,0,agree\\ntext,b,194,194,0,0,agree\\n')",
        ],
        "only 0 of its 2 printed numbers were compared",
    ),
    "it ends itself": (
        [*CELLS[:3], "raise SystemExit", CELLS[3]],
        "cell 4 ended the notebook before",
    ),
    "it ends its process": ([*CELLS[:3], "import os\nos._exit(0)"], "cell 4 ended the kernel"),
    "it raises": ([*CELLS[:3], "1 / 0"], "cell 4 raised ZeroDivisionError"),
    "a figure is not made": (
        [CELLS[0], MAKES.replace(f"'{DRAWN}.csv', ", ""), *CELLS[2:]],
        f"not made: {DRAWN}.csv",
    ),
    "it removes its folder": (
        [*CELLS, "import shutil\nshutil.rmtree(figures or 'x')"],
        "give the path of an existing folder",
    ),
}


@pytest.mark.notebooks
@pytest.mark.parametrize(("cells", "said"), ALTERED.values(), ids=ALTERED)
def test_an_altered_notebook_fails_and_what_was_good_stays(cells, said, house):
    root = house(*cells)
    before = tree(root)
    result = rerun(root)
    assert result.exit_code == 1
    assert f"{SLUG}" in result.output and said in result.output
    after = tree(root)
    failed = {name for name in after if name.startswith(("build/failed", "build/.lock"))}
    assert {name: after[name] for name in after if name not in failed} == before
    assert said.partition(":")[0] in (root / "build/failed/report.md").read_text()


def test_a_line_for_each_notebook():
    verdicts = ["agree"] * 1200 + ["quoted"] * 2 + ["erratum"]
    compared = pd.DataFrame({"verdict": verdicts})
    result = runner.Result(paper="x", seconds=31.2, comparison=compared, executed=Path("x"))
    assert outcome(result) == "x: 1,203 numbers, 1,200 agree, 1 erratum, 2 quoted, 31 s"


@pytest.mark.notebooks
def test_a_notebook_in_order_replaces_what_was_there(house):
    root = house(*CELLS)
    result = rerun(root)
    assert result.exit_code == 0, result.output
    assert f"{SLUG}: 2 numbers, 2 agree, " in result.output
    figures = root / "figures" / SLUG
    assert (figures / f"{DRAWN}.svg").read_text() == "made"
    assert (figures / "mine.txt").read_text() == "good", "files of others stay"
    assert not (figures / "numbers").exists()
    assert len((figures / "comparison.csv").read_text().splitlines()) == 3
    assert "2 agree" in (figures / "README.md").read_text()
    assert sorted(path.name for path in (root / "build").iterdir()) == [
        ".lock",
        "papers",
        "report.md",
        "times.md",
    ]


@pytest.fixture
def left(house, monkeypatch):
    """The same without a kernel: a function that sets what the notebook of the first paper leaves in its folder."""

    def leave(change):
        def execute(notebook, copy, parameters, *_):
            nbformat.write(nbformat.read(notebook, 4), copy)
            if notebook.stem == SLUG:
                figures = parameters["figures"]
                exec("\n".join(CELLS[1:3]), {"figures": figures})
                change(Path(figures))
            return ""

        monkeypatch.setattr(runner, "execute", execute)
        return house(*CELLS)

    return leave


def numbers(text):
    """A change: what is in the file of numbers."""

    def change(figures):
        file = figures / "numbers" / "text.json"
        file.write_bytes(text) if isinstance(text, bytes) else file.write_text(text)

    return change


def rows(*parts):
    return numbers(json.dumps([*parts]))


def instead(make, name="numbers/text.json"):
    """A change: something else in place of a file."""

    def change(figures):
        (figures / name).unlink()
        make(figures / name)

    return change


FIRST, SECOND = [KEYS[0], 187, None], [KEYS[1], 194, None]
DAMAGED = {  # what is left, and what is said
    "no file": (lambda figures: (figures / "numbers/text.json").unlink(), "only 0 of its 2"),
    "no rows": (rows(), "only 0 of its 2 printed numbers were compared"),
    "bytes": (numbers(b"\xff\xfe\x00"), "numbers/text.json: 'utf-8' codec can't decode"),
    "half a file": (numbers('[["a", 1'), "numbers/text.json: "),
    "a row twice": (rows(FIRST, FIRST, SECOND), "numbers/text.json: two numbers for the key"),
    "a key in two ways": (rows(FIRST, [f" {KEYS[0]}", 187, None], SECOND), "name the same row"),
    "a row of another paper": (rows(FIRST, SECOND, ["a", 1, None]), "('a',) is not allowed"),
    "a short row": (rows([187, None], SECOND), "numbers/text.json: "),
    "nan": (numbers(json.dumps([[KEYS[0], float("nan"), None]])), "nan is not allowed"),
    "yes": (rows([KEYS[0], True, None], SECOND), ": True is not allowed"),
    "a wrong number": (rows([KEYS[0], 187.5, None], SECOND), "printed 187, computed 187.5"),
    "numbers of no table": (
        lambda figures: (figures / "numbers" / "table-9.json").write_text("[[1, 2, null]]"),
        "numbers/table-9.json: table: 'table-9' is not allowed",
    ),
    "a folder": (instead(Path.mkdir), "numbers/text.json: "),
    "a link": (instead(lambda path: path.symlink_to("/etc/hostname")), "is a link or a device"),
    "a figure that is a link": (
        instead(lambda path: path.symlink_to("/etc/hostname"), f"{DRAWN}.svg"),
        "is a link or a device; only files and folders may be left there",
    ),
    "a folder for a page": (lambda figures: (figures / "README.md").mkdir(), "Is a directory"),
    "a page of its own": (
        lambda figures: (figures / "comparison.csv").write_text("agree"),
        f"{SLUG}: 2 numbers, 2 agree",
    ),
}


@pytest.mark.parametrize(("change", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_costs_no_other_paper(change, said, left):
    root = left(change)
    before = tree(root / "figures" / SLUG)
    result = rerun(root, "other")
    assert said in result.output and "Traceback" not in result.output
    assert "other: no printed numbers, " in result.output
    assert (root / "build/papers/other.ipynb").exists()
    if "2 agree" in said:  # in order
        assert result.exit_code == 0
        return
    assert result.exit_code == 1
    assert tree(root / "figures" / SLUG) == before
    assert (root / "build/papers" / f"{SLUG}.ipynb").read_text() == "good"
    assert (root / "build/report.md").read_text() == "good"
    assert "the report of the last run without a failure" in result.output


@pytest.mark.parametrize("stopped", range(3))
def test_a_kill_between_two_renames_is_made_good(stopped, left, monkeypatch):
    """As SIGKILL would, with nothing tidied up; the next run finds either folder whole."""
    root = left(lambda figures: None)
    before, renames, rename = tree(root / "figures" / SLUG), [], os.rename

    def dies(*paths):
        renames.append(paths)
        if len(renames) == stopped + 1:
            monkeypatch.setattr(_files, "_make_good", lambda *_: None)
            monkeypatch.setattr(_files.shutil, "rmtree", lambda *_, **__: None)
            raise KeyboardInterrupt
        rename(*paths)

    monkeypatch.setattr(_files.os, "rename", dies)
    rerun(root)
    monkeypatch.undo()
    figures = root / "figures"
    whole = [folder for folder in figures.iterdir() if tree(folder).items() >= before.items()]
    assert whole or stopped == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files.shutil, "copytree", lambda *_: 1 / 0)
        record = root / "build" / "papers" / "record.json"
        with pytest.raises(ZeroDivisionError):
            _files.replace_files(root / "notebooks", root, Path("figures", SLUG), record)
    assert [path.name for path in figures.iterdir()] == [SLUG]
    assert stopped == 2 or tree(figures / SLUG) == before


def test_results_may_be_on_another_file_system(left, monkeypatch):
    """A rename from there fails; the results are copied beside their place first."""
    root, rename = left(lambda figures: None), os.rename

    def elsewhere(source, target):
        if ".running" in str(source):
            raise OSError(18, "Invalid cross-device link", str(source))
        rename(source, target)

    monkeypatch.setattr(_files.os, "rename", elsewhere)
    assert rerun(root).exit_code == 0
    assert (root / "figures" / SLUG / f"{DRAWN}.csv").read_text() == "made"


def test_errors_of_the_machine_say_where_and_what_to_do(left, monkeypatch):
    root = left(lambda figures: None)

    def full(*_, **__):
        raise OSError(28, "No space left on device", str(root / "figures" / ".new"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_files.shutil, "copytree", full)
        result = rerun(root)
    said = "No space left on device; make room there, or write to another folder with --into FOLDER"
    assert result.exit_code == 1 and f"{SLUG} failed: {root}/figures/.new: {said}" in result.output

    def no_locks(*_):
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(notebooks.FileLock, "acquire", no_locks)
    result = rerun(root)
    assert result.exit_code == 1 and "support flock" in result.output


def test_a_link_in_place_of_build_is_refused(left):
    root = left(lambda figures: None)
    (root / "build").rename(root / "elsewhere")
    (root / "build").symlink_to(root / "elsewhere")
    before = tree(root / "elsewhere")
    result = rerun(root)
    assert result.exit_code == 1 and f"{root / 'build'} is a link" in result.output
    assert tree(root / "elsewhere") == before
