"""The runner judges, not the notebook: what is altered or damaged fails alone, and nothing that was good is lost."""

import json
import os
import sys
from pathlib import Path
from unittest.mock import Mock

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner
from conftest import notebook_of

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
    good = {"README.md": "good", "mine.txt": "good", f"{DRAWN}.csv": "good", f"{DRAWN}.svg": "good"}
    good["figures.csv"] = f"name,caption,alternative\n{DRAWN},c,a\n"
    files = {f"figures/{SLUG}/{name}": text for name, text in good.items()}
    files |= {f"build/papers/{SLUG}.ipynb": "good", "build/report.md": "good"}
    files["notebooks/papers/other.ipynb"] = nbformat.writes(notebook_of('figures = ""', "last = 1"))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def write(*cells):
        nbformat.write(notebook_of(*cells), tmp_path / "notebooks" / "papers" / f"{SLUG}.ipynb")
        return tmp_path

    return write


def rerun(root, *papers):
    result = CliRunner().invoke(main, ["reproduce", "--into", str(root), SLUG, *papers])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


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
            *CELLS[:2],
            CELLS[3],
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
    assert result.exit_code == 1 and f"{SLUG}" in result.output and said in result.output
    after = tree(root)
    stays = {n: after[n] for n in after if not n.startswith(("build/failed", "build/.lock"))}
    assert stays == before
    assert said.partition(":")[0] in (root / "build/failed/report.md").read_text()


def test_a_line_for_each_notebook():
    verdicts = ["agree"] * 1200 + ["quoted"] * 2 + ["erratum"]
    compared = pd.DataFrame({"verdict": verdicts})
    result = runner.Result(paper="x", seconds=31.2, comparison=compared, executed=Path("x"))
    assert outcome(result) == "x: 1,203 numbers, 1,200 agree, 1 erratum, 2 quoted, 31 s"


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
    data = text if isinstance(text, bytes) else text.encode()
    return lambda figures: (figures / "numbers" / "text.json").write_bytes(data)


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
}


@pytest.mark.parametrize(("change", "said"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_costs_no_other_paper(change, said, left):
    root = left(change)
    before = tree(root / "figures" / SLUG)
    result = rerun(root, "other")
    assert result.exit_code == 1 and said in result.output and "Traceback" not in result.output
    assert "other: no printed numbers, " in result.output
    assert (root / "build/papers/other.ipynb").exists()
    assert tree(root / "figures" / SLUG) == before
    for file in (root / "build/papers" / f"{SLUG}.ipynb", root / "build/report.md"):
        assert file.read_text() == "good"
    assert "the report of the last run without a failure" in result.output


def test_a_notebook_in_order_replaces_what_was_there(left):
    """A comparison that it has written itself counts for nothing; files of others stay."""
    root = left(lambda figures: (figures / "comparison.csv").write_text("agree"))
    result = rerun(root)
    assert result.exit_code == 0 and f"{SLUG}: 2 numbers, 2 agree, " in result.output
    files = tree(root / "figures" / SLUG)
    assert files[f"{DRAWN}.svg"] == b"made" and files["mine.txt"] == b"good"
    assert "numbers" not in files and files["comparison.csv"].count(b"\n") == 3
    assert b"2 agree" in files["README.md"]
    made = {path.name for path in (root / "build").iterdir()}
    assert made == {".lock", "papers", "report.md", "times.md"}


@pytest.mark.parametrize("stopped", range(3))
def test_a_kill_between_two_renames_is_made_good(stopped, left, monkeypatch):
    """As SIGKILL would, with nothing tidied up; the next run finds either folder whole."""
    root, renames, rename = left(lambda figures: None), [], os.rename
    figures = root / "figures"
    before = tree(figures / SLUG)

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
    monkeypatch.setattr(_files.shutil, "copytree", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        _files.replace_files(root / "notebooks", root, Path("figures", SLUG), root / "record.json")
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
    full = OSError(28, "No space left on device", str(root / "figures" / ".new"))
    monkeypatch.setattr(_files.shutil, "copytree", Mock(side_effect=full))
    result = rerun(root)
    said = "No space left on device; make room there, or write to another folder with --into FOLDER"
    assert result.exit_code == 1 and f"{SLUG} failed: {root}/figures/.new: {said}" in result.output
