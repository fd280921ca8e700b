"""The runner: bad requests are refused, and nothing is lost when a notebook fails."""

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
from collection.papers.published import Paper
from collection.parameters import parameter_table
from dicelab.cli import main

published = sys.modules["collection.papers.published"]  # collection.published is the function

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
    words = (word for name, text in given.items() for word in ("–p", name, text))
    changed = invoke("One", "--into", f" “{new}” ", *words)
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


def test_a_page_of_results_shows_figures_first(tmp_path):
    """Findings, the two figures that matter, tables as printed, other figures, what does not agree, parameters."""
    paper = published.paper_of("generalized-pig")
    comparison = collection.compare(paper.slug, "table-1", {10: 0.70942388, 50: 0.5})
    names = "curve", paper.second, paper.figure
    rows = "".join(f"{name},Figure of {name},It falls.\n" for name in names)
    (tmp_path / "figures.csv").write_text(f"name,caption,alternative\n{rows}")
    page = report.results_page(paper, comparison, tmp_path)
    marks = [
        f"# {paper.title}"[:20],
        "## What we find",
        "**Verdicts.** We compare 2 printed numbers: 1 is a mismatch, 1 agrees.",
        f"![It falls.]({paper.figure}.svg)\n\nFigure of {paper.figure}. [Data]({paper.figure}.csv).",
        f"({paper.second}.svg)",
        "<details><summary>table-1: 1 agree, 1 mismatch</summary>",
        "| 10 | 0.70942388<br>0.70942388000 (+0.00) |",
        "| 50 | **0.54615051**<br>0.50000000000 (-4,615,051) |",
        "## More figures",
        "(curve.svg)",
        "## What does not agree",
        "| table-1 | target 50 | 0.54615051 | 0.5 | mismatch |",
        "## Every item of the paper",
        "| Table 1 | the value of Pig at six targets | html |",
        "## Parameters",
        "| largest\\_target | 10\\_000 | the game is solved once",
        "dicelab reproduce generalized-pig -p largest_target 5000",
    ]
    assert [mark for mark in marks if mark not in page] == []
    assert sorted(marks, key=page.find) == marks


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
    "generalized-pig": ["target 10", "a 2, b 1", "a 1, b 1", "a 2, b 2", "a 1, b 2"],
    "two-dice-pig": ["goal 80"],
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
