"""The runner judges, not the notebook; bad requests are refused, and nothing that was good is lost when one fails."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import joblib
import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner
from conftest import SMALL, notebook_of, until

import collection
import collection.runner as runner
from collection import notebooks, report
from collection.manifest import files_of
from collection.papers.published import Paper
from collection.parameters import parameter_table
from dicelab.cli import main

published = sys.modules["collection.papers.published"]  # collection.published is the function
KNOWN = published.PAPERS

PARAMETERS = 'figures = ""\ncount = 2  # how many\nrate = 0.5\nname = "a"\ntargets = [1, 2]\n'
WRITES = "from pathlib import Path\nif figures:\n    Path(figures, 'x.csv').write_text(f'{count} "
WRITES += "{rate} {name} {targets}')\n"


@pytest.fixture
def house(tmp_path, monkeypatch):
    """An empty collection; returns a function that adds a paper's notebook with these cells."""
    (tmp_path / "notebooks" / "papers").mkdir(parents=True)
    papers = []
    for module in (published, notebooks):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    for module in (published, runner):
        monkeypatch.setattr(module, "QUESTIONS", ())

    def add(slug, *cells):
        papers.append(Paper(slug=slug, title=slug, citation="nobody, nowhere", doi="10.0/0"))
        notebook = tmp_path / "notebooks" / "papers" / f"{slug}.ipynb"
        nbformat.write(notebook_of(*cells), notebook)
        for module in (published, runner):
            monkeypatch.setattr(module, "PAPERS", tuple(papers))
        return tmp_path

    return add


def invoke(*arguments):
    return CliRunner().invoke(main, ["reproduce", *arguments])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", "cuont", "3"], "one has no parameter 'cuont'; it has count, rate, name, targets"),
        (["-p", "figures", "/tmp"], "one has no parameter 'figures'"),
        (["-p", "count", "2.5"], "one: count = '2.5' is not allowed; give a whole number like 2"),
        (["-p", "rate", "1,234"], "one: rate = '1,234' is not allowed; give a number like 0.5"),
        (["-p", "targets", "3"], "one: targets = '3' is not allowed; give a list like [1, 2]"),
        (["--jobs", "-3"], "n_jobs: -3 is not allowed"),
        (["--into", "no/folder"], "no/folder' is not allowed; give a path in an existing folder"),
    ],
)
def test_bad_requests_exit_with_2_and_write_nothing(house, arguments, said):
    root = house("one", PARAMETERS, WRITES)
    before = sorted(root.rglob("*"))
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.output.split())
    assert sorted(root.rglob("*")) == before


@pytest.mark.notebooks
def test_a_run_and_a_variant_of_it(house):
    """All that is written is in the folder that is named; the leftovers of a killed run are removed."""
    root = house("one", PARAMETERS, WRITES)
    (root / "build" / ".running" / "one").mkdir(parents=True)
    first = invoke("one")
    assert first.exit_code == 0
    assert [path.name for path in (root / "figures" / "one").iterdir()] == ["x.csv"]
    assert (root / "figures" / "one" / "x.csv").read_text() == "2 0.5 a [1, 2]"
    made = sorted(path.name for path in (root / "build").iterdir())
    assert made == [".lock", "papers", "report.md", "times.md"]
    for path in ("figures", "build/papers", "build/report.md"):
        assert str(root / path) in first.output, "a run says where its results are"

    before, new = sorted(root.rglob("*")), root.parent / f"{root.name}-new"
    given = {"count": "1,007", "Rate": "−0,25", "name": "“b c”", "targets": "[5;\xa06]"}
    words = (word for name, text in given.items() for word in ("-p", name, text))
    changed = invoke("One", "--into", str(new), *words)
    assert changed.exit_code == 0, changed.output
    variant = new / "build" / "variants" / "count=1007,name=b_c,rate=-0.25,targets=5-6"
    assert (variant / "figures" / "one" / "x.csv").read_text() == "1007 -0.25 b c [5, 6]"
    assert str(variant / "figures") in changed.output
    assert sorted(root.rglob("*")) == before, "the paper's own figures stay"


@pytest.mark.parametrize("command", ["reproduce", "slides", "site"])
def test_a_place_that_is_read_only_names_into(house, command, monkeypatch):
    """As in a container or on a shared disk; the administrator may write everywhere but there."""
    root, may = house("one", PARAMETERS, WRITES), os.access
    (root / "build").mkdir()
    monkeypatch.setattr(
        os, "access", lambda path, how: Path(path) != root / "build" and may(path, how)
    )
    before = sorted(root.rglob("*"))
    result = CliRunner().invoke(main, [command])
    assert result.exit_code == 2
    said = f"{root / 'build'}: nothing can be written there; give a folder of your own with --into FOLDER"
    assert said in " ".join(result.output.split())
    assert sorted(root.rglob("*")) == before


@pytest.mark.notebooks
def test_files_of_others_stay_and_those_of_an_earlier_run_go(house):
    names = "from pathlib import Path\nfor name in open('../../names').read().split() if figures else ():\n"
    root = house("one", PARAMETERS, names + "    Path(figures, name).write_text(name)\n")
    figures = root / "figures" / "one"
    figures.mkdir(parents=True)
    for name in ("a.csv", "mine.csv"):
        (figures / name).write_text("mine")
    (root / "names").write_text("a.csv b.csv changed.csv")
    assert f"{figures / 'mine.csv'} is of no run; it was left as it is" in invoke("one").output
    assert (figures / "a.csv").read_text() == "a.csv"
    (figures / "changed.csv").write_text("by hand")
    (root / "names").write_text("a.csv")
    assert f"{figures / 'changed.csv'} is of no run" in invoke("one").output
    assert {path.name for path in figures.iterdir()} == {"a.csv", "changed.csv", "mine.csv"}


@pytest.mark.notebooks
def test_failures_are_kept_marked_and_the_others_go_on(house):
    house("raises", PARAMETERS, "1 + 1", "int('x')", "never = 1")
    house("dawdles", PARAMETERS, "import time\ntime.sleep(60)")
    root = house("works", PARAMETERS, WRITES)
    with joblib.parallel_config(backend="threading"):
        result = invoke("--jobs", "2", "--timeout", "15")
    assert result.exit_code == 1 and (root / "figures" / "works" / "x.csv").exists()
    failed = root / "build" / "failed"
    for slug, reason in (
        ("raises", "cell 3 raised ValueError: invalid literal for int()"),
        ("dawdles", "cell 2 took more than 15 s"),
    ):
        assert f"{slug} failed: {reason}" in result.output
        cells = nbformat.read(failed / "papers" / f"{slug}.ipynb", as_version=4).cells
        (marked,) = [k for k, cell in enumerate(cells) if "failed" in cell.metadata.get("tags", [])]
        assert reason.partition(" ")[2][2:] in cells[marked].source
        assert cells[marked + 1].source.startswith(("int('x')", "import time"))
        assert f"{slug} failed" in (failed / "report.md").read_text()


def test_one_run_at_a_time(house):
    root = house("one", PARAMETERS, WRITES)
    with notebooks.exclusive_run(root / "build"):
        result = invoke("one")
    assert result.exit_code == 1
    assert "build: another run is writing there; wait for its end" in result.output
    assert not (root / "figures").exists()


RUN = """
import re
import signal
import sys
from pathlib import Path

import collection.runner as runner
from dicelab.cli import main

published = sys.modules["collection.papers.published"]
published.ROOT = Path(sys.argv[1])
runner.QUESTIONS = published.QUESTIONS = ()
runner.PAPERS = published.PAPERS = (published.Paper(slug="one", title="one", citation="nobody", doi="10.0/0"),)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is begun in the background of a shell ignores it
main(["reproduce", "--into", sys.argv[1]])
"""


@pytest.mark.notebooks
@pytest.mark.parametrize("sign", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_run_is_ended(house, sign):
    """The run and its kernel end before the cell does, and the old figures stay."""
    root = house(
        "one",
        PARAMETERS,
        "import os\nprint(os.getpid(), file=open('../../pid', 'w'))",
        "from time import sleep\nsleep(90)",
    )
    (root / "figures" / "one").mkdir(parents=True)
    (root / "figures" / "one" / "x.csv").write_text("old")
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(root)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    until(lambda: (root / "pid").exists() and (root / "pid").read_text())
    process.send_signal(getattr(signal, sign))
    assert process.wait(120) != 0
    kernel = int((root / "pid").read_text())
    until(lambda: not Path(f"/proc/{kernel}").exists())
    assert (root / "figures" / "one" / "x.csv").read_text() == "old"
    assert sign == "SIGKILL" or [path.name for path in (root / "build").glob(".*")] == [".lock"]


def test_the_parameters_are_listed():
    """By the names that may be given, and with what their comments say."""
    result = invoke("Two dice pig", "--parameters")
    assert result.exit_code == 0
    assert result.output.startswith("two-dice-pig\ntarget = 100\n    points that win, at least 2;")
    for paper in (*published.PAPERS, *published.QUESTIONS):
        listed = parameter_table(paper.notebook)
        assert listed["name"].tolist() == [*runner.parameters_of(paper.notebook)]
        assert listed["meaning"].str.len().min() > 5, (
            f"{paper.slug}: each parameter needs a comment"
        )


@pytest.mark.notebooks
def test_the_committed_figures_are_those_of_a_run(tmp_path):
    """The same files, the same names, and the same numbers up to the last of 12 decimals."""
    committed = published.ROOT / "figures" / "minimax-pig"
    (result,) = runner.reproduce(["minimax-pig"], progress=False, into=tmp_path)
    assert result.ok, result.error
    made = tmp_path / "figures" / "minimax-pig"
    assert sorted(path.name for path in made.iterdir()) == sorted(
        path.name for path in committed.iterdir()
    )
    for path in made.glob("*.csv"):
        pd.testing.assert_frame_equal(
            pd.read_csv(path), pd.read_csv(committed / path.name), rtol=0, atol=2e-12
        )


FEW_ROWS = {  # what is compared of the matching numbers
    "generalized-pig": ["target 10", "target 50", "a 2, b 1", "a 1, b 1", "a 2, b 2", "a 1, b 2"],
}
DRAWN = {
    "generalized-pig": "figure-1",
    "two-dice-pig": "figure-2",
    "minimax-pig": "figure-3",
    "ten-thousand": "three-dice",
}


@pytest.mark.parametrize("slug", SMALL)
def test_a_papers_notebook_with_other_parameters(slug, small_paper):
    """With smaller targets it runs, compares the matching numbers, and leaves the papers' figures."""
    folder, result = small_paper(slug)
    assert result.ok, result.error
    assert not (folder / "figures").exists()
    if slug in FEW_ROWS:
        compared = result.comparison
        assert compared.query("table != 'text'")["item"].tolist() == FEW_ROWS[slug]
        assert {*compared["verdict"]} <= {"agree", "erratum"}
    drawn = {path.stem for path in folder.glob(f"build/variants/*/figures/{slug}/*.svg")}
    assert DRAWN.get(slug, "") in {"", *drawn}


ELSEWHERE = """
import json
import os
import sys

import collection.runner as runner

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
paper, into, parameters = sys.argv[1:]
runner.reproduce([paper], json.loads(parameters), progress=False, into=into)
"""


@pytest.mark.parametrize("slug", ["generalized-pig", "two-dice-pig"])
def test_a_notebook_gives_the_same_bytes_elsewhere(slug, small_paper, tmp_path):
    """In another place, time zone and language, with other hashes, on one core: figures, their data, and the report."""
    folder, result = small_paper(slug)
    others = {
        "PYTHONHASHSEED": "77",
        "TZ": "Pacific/Chatham",
        "LC_ALL": "C",
        "LANG": "tr_TR",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-c", ELSEWHERE, slug, str(tmp_path), json.dumps(SMALL[slug])]
    subprocess.run(command, env=os.environ | others, check=True, capture_output=True)
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("figures/*/*")}
    assert set(made) == {path.relative_to(folder) for path in folder.rglob("figures/*/*")} != set()
    for name, path in made.items():
        assert path.read_bytes() == (folder / name).read_bytes(), name
    (said,) = (tmp_path / "build" / "variants").glob("*/report.md")
    assert said.read_text() == report.report([result])


SLUG, FIGURE = "minimax-pig", "figure-3"
KEYS = [row.number for row in collection.published(SLUG, "text").itertuples()]
RIGHT = dict(zip(KEYS, (187, 194), strict=True))
COMPARES = f"compare({SLUG!r}, 'text', {RIGHT}, leave=figures)"
MAKES = f"""
from pathlib import Path
from collection import compare
import dicelab as dl
for name in {[f"{name}.csv" for name in files_of(SLUG)] + [f"{FIGURE}.svg"]} if figures else ():
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
def two_papers(house, monkeypatch):
    """Two papers with results of an earlier run; returns a function that sets the first's cells."""
    good = {
        "README.md": "good",
        "mine.txt": "good",
        f"{FIGURE}.csv": "good",
        f"{FIGURE}.svg": "good",
    }
    good["figures.csv"] = f"name,caption,alternative\n{FIGURE},c,a\n"
    files = {f"figures/{SLUG}/{name}": text for name, text in good.items()}
    files |= {f"build/papers/{SLUG}.ipynb": "good", "build/report.md": "good"}

    def write(*cells):
        house("other", 'figures = ""', "last = 1")
        papers = *KNOWN, *runner.PAPERS  # the ledger of errata names all of them
        root = house(SLUG, *cells)
        for module in (published, runner):
            monkeypatch.setattr(module, "PAPERS", papers)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root

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
        [CELLS[0], MAKES.replace(f"'{FIGURE}.csv', ", ""), *CELLS[2:]],
        f"not made: {FIGURE}.csv",
    ),
    "it removes its folder": (
        [*CELLS, "import shutil\nshutil.rmtree(figures or 'x')"],
        "give the path of an existing folder",
    ),
}


@pytest.mark.notebooks
@pytest.mark.parametrize(("cells", "said"), ALTERED.values(), ids=ALTERED)
def test_an_altered_notebook_fails_and_what_was_good_stays(cells, said, two_papers):
    root = two_papers(*cells)
    before = tree(root)
    result = rerun(root)
    assert result.exit_code == 1 and f"{SLUG}" in result.output and said in result.output
    after = tree(root)
    stays = {n: after[n] for n in after if not n.startswith(("build/failed", "build/.lock"))}
    assert stays == before
    assert said.partition(":")[0] in (root / "build/failed/report.md").read_text()


@pytest.fixture
def left(two_papers, monkeypatch):
    """The same without a kernel: a function that sets what the notebook of the first paper leaves in its folder."""

    def leave(change):
        def execute(notebook, copy, parameters, *_, **__):
            nbformat.write(nbformat.read(notebook, 4), copy)
            if notebook.stem == SLUG:
                figures = parameters["figures"]
                exec("\n".join(CELLS[1:3]), {"figures": figures})
                change(Path(figures))
            return ""

        monkeypatch.setattr(runner, "execute", execute)
        return two_papers(*CELLS)

    return leave


def numbers(content):
    """A change: what is in the file of numbers, or the rows of it."""
    text = json.dumps(content) if isinstance(content, list) else content
    data = text if isinstance(text, bytes) else text.encode()
    return lambda figures: (figures / "numbers" / "text.json").write_bytes(data)


FIRST, SECOND = [KEYS[0], 187, None], [KEYS[1], 194, None]
DAMAGED = {  # what is left, and what is said
    "no file": (lambda figures: (figures / "numbers/text.json").unlink(), "only 0 of its 2"),
    "no rows": (numbers([]), "only 0 of its 2 printed numbers were compared"),
    "bytes": (numbers(b"\xff\xfe\x00"), "numbers/text.json: 'utf-8' codec can't decode"),
    "half a file": (numbers('[["a", 1'), "numbers/text.json: "),
    "a row twice": (numbers([FIRST, FIRST, SECOND]), "numbers/text.json: two numbers for the key"),
    "a key in two ways": (
        numbers([FIRST, [f" {KEYS[0]}", 187, None], SECOND]),
        "name the same row",
    ),
    "a row of another paper": (numbers([FIRST, SECOND, ["a", 1, None]]), "('a',) is not allowed"),
    "a short row": (numbers([[187, None], SECOND]), "numbers/text.json: "),
    "nan": (numbers([[KEYS[0], float("nan"), None]]), "nan is not allowed"),
    "yes": (numbers([[KEYS[0], True, None], SECOND]), ": True is not allowed"),
    "a wrong number": (numbers([[KEYS[0], 187.5, None], SECOND]), "printed 187, computed 187.5"),
    "numbers of no table": (
        lambda figures: (figures / "numbers" / "table-9.json").write_text("[[1, 2, null]]"),
        "numbers/table-9.json: table: 'table-9' is not allowed",
    ),
    "a link": (
        lambda figures: (figures / "more.csv").symlink_to("/etc/hostname"),
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
    assert files[f"{FIGURE}.svg"] == b"made" and files["mine.txt"] == b"good"
    assert "numbers" not in files and files["comparison.csv"].count(b"\n") == 3
    assert b"2 agree" in files["README.md"]
    made = {path.name for path in (root / "build").iterdir()}
    assert made == {".lock", "papers", "report.md", "times.md"}
