"""Random games for the tests, notebooks executed once for all, and a browser."""

import os
import pickle
import re
import shutil
import time
from collections import Counter
from fractions import Fraction
from functools import partial
from hashlib import sha256
from pathlib import Path

import nbformat
import numpy as np
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

import dicelab as dl

HERE = Path(__file__).resolve().parent
LONG = pytest.mark.long
collect_ignore = ["by_hand", "typed"]
# Tests that run one by one wherever there is time, first of all; all others share what their file has made.
APART = "test_(slides|widgets|runner|claims|first_move|warm_up).py"
SLOW = (
    "site",
    "matrix",
    "certify",
    "verify",
    "more_players",
    "equal_turns",
    "two_player",
    "check",
    "environments",
)


@pytest.hookimpl(optionalhook=True)  # tests run without xdist, too
def pytest_xdist_make_scheduler(config, log):
    """On several cores: the tests of a file stay together, but for those in `APART`; in the order of `turn_of`."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return nodeid if re.search(APART, nodeid) else nodeid.partition("::")[0]

    config.option.loadscopereorder = False
    return ByFile(config, log)


def turn_of(item):
    """Where a test comes, so that no worker is left alone with a slow one: notebooks, slow files, all others."""
    name = Path(item.nodeid.partition("::")[0]).stem.removeprefix("test_")
    notebooks = {"executed", "small_paper"} & {*getattr(item, "fixturenames", ())}
    place = SLOW.index(name) if name in SLOW else len(SLOW)
    return not notebooks or name == "site", not re.search(APART, item.nodeid), place


def long_names():
    """The beginnings of names in long.txt."""
    lines = (HERE / "long.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def pytest_ignore_collect(collection_path, config):
    """What is long as a whole, a file or a folder, is not even read in a run without it."""
    whole = {HERE / name.rstrip(":/") for name in long_names()}
    return (config.option.markexpr == "not long" and collection_path in whole) or None


def pytest_collection_modifyitems(config, items):
    """Mark tests: `browser` needs Chromium, `notebooks` runs notebooks, `long` is named in long.txt.

    A line of long.txt that names no test is an error, where all tests of its file are collected.
    """
    names = long_names()
    found = set()
    for item in items:
        fixtures = {*getattr(item, "fixturenames", ())}
        if "browser" in fixtures:
            item.add_marker(pytest.mark.browser)
        if {"executed", "small_paper"} & fixtures:
            item.add_marker(pytest.mark.notebooks)
        if mine := {name for name in names if item.nodeid.startswith(f"tests/{name}")}:
            item.add_marker(LONG)
            found |= mine
    items.sort(key=turn_of)
    if not config.option.keyword and not any("::" in argument for argument in config.args):
        files = {item.nodeid.partition("::")[0] for item in items}
        lost = {name for name in names - found if f"tests/{name.partition('::')[0]}" in files}
        if lost:
            raise pytest.UsageError(f"tests/long.txt names no test: {', '.join(sorted(lost))}")


def not_tested(reporter):
    """How many tests were skipped, by the reason, most first."""
    reports = reporter.stats.get("skipped", ())
    reasons = [r.longrepr[2] if isinstance(r.longrepr, tuple) else str(r.longrepr) for r in reports]
    return Counter(reason.removeprefix("Skipped: ") for reason in reasons).most_common()


def pytest_terminal_summary(terminalreporter, config):
    """Name what was not tested, and why."""
    for reason, times in not_tested(terminalreporter):
        terminalreporter.write_line(f"NOT TESTED: {times} tests. {reason}")
    if "not long" in config.option.markexpr:
        terminalreporter.write_line("NOT TESTED: what tests/long.txt names; make test-all has it")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Where CI is set, a tool that is missing is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or os.environ.get("CI") != "true" or session.exitstatus:
        return
    if any(reason.startswith("needs ") for reason, _ in not_tested(reporter)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# "ci" tries the same examples every time. "explore" tries new ones: pytest --hypothesis-profile=explore
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
settings.register_profile(
    "explore", settings.get_profile("ci"), derandomize=False, max_examples=1000, print_blob=True
)
settings.load_profile("ci")
# Hypothesis tries constants of imported modules, too; which these are depends on the tests that a worker had before.
is_ours = providers.is_local_module_file
providers.is_local_module_file = lambda file: not settings.default.derandomize and is_ours(file)


def until(true, seconds=300):
    """Wait until something is true; a new process may have to compile, beside others."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def notebook_of(*cells, tag="parameters"):
    """A notebook of cells of code, the first of them with a tag."""
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)])
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["kernelspec"] = kernel
    notebook.cells[0].metadata["tags"] = [tag]
    return notebook


def mode_of(name, *outcomes, may_hold=True):
    """A mode; an outcome is a chance and a result, or pairs (points, mode)."""
    read = [
        (p, r if isinstance(r, str) else [dl.Choice(*choice) for choice in r]) for p, r in outcomes
    ]
    return dl.Mode(name, [dl.Outcome(*outcome) for outcome in read], may_hold)


def beginning(table):
    """A table of decisions that begins every turn with a roll."""
    table[..., 0] = 1
    return table


def two_coins(target, finish="reach"):
    """Before every roll choose a coin: choices before and after a roll, a reset, modes in which one must (not) hold."""
    safe = [
        dl.Outcome("1/4", "bust"),
        dl.Outcome("1/2", dl.Choice(1, "choose")),
        dl.Outcome("1/4", dl.Choice(0, "on")),
    ]
    bold = [
        dl.Outcome("1/2", "bust"),
        dl.Outcome("1/2", [dl.Choice(3, "choose"), dl.Choice(2, "stop")]),
    ]
    on = [
        dl.Outcome("1/3", "reset"),
        dl.Outcome("1/3", dl.Choice(0, "on")),
        dl.Outcome("1/3", dl.Choice(2, "choose")),
    ]
    choose = dl.Outcome(1, [dl.Choice(0, "safe"), dl.Choice(0, "bold")])
    modes = (
        dl.Mode("choose", choose),
        dl.Mode("safe", safe),
        dl.Mode("bold", bold),
        dl.Mode("on", on, may_hold=False),
    )
    return dl.Game("Two coins", target, (*modes, dl.Mode("stop", ())), finish)


def decision_mask(solution):
    """All decisions of a race, [own, opponent, mode, turn total]."""
    return np.stack([solution.policy.roll_mask(mode.name) for mode in solution.game.modes], axis=2)


@st.composite
def chances(draw, size):
    """Positive Fractions, `size` of them, that sum to 1."""
    weights = draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def dice(draw, most_target=9, finishes=("reach",)):
    """Generalized Pig with a random die; sometimes one that never busts, or with faces of probability 0."""
    weights = draw(
        st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(lambda w: sum(w[1:]) > 0)
    )
    probabilities = [Fraction(weight, sum(weights)) for weight in weights]
    return dl.generalized_pig(
        probabilities, draw(st.integers(1, most_target)), finish=draw(st.sampled_from(finishes))
    )


@st.composite
def mode_games(draw, most_target=7, resets=False, finishes=("reach",)):
    """Games with two or three modes, choices, and modes in which one must roll; with `resets`, some roll resets.

    Some outcomes add no point, and lead to a later mode or back to the same; in some games a mode must hold.
    """
    names = draw(st.sampled_from([("a", "b"), ("a", "b", "c")]))
    stop = draw(st.sampled_from([(), (), ("stop",)]))
    choice = st.builds(dl.Choice, st.integers(1, 4), st.sampled_from(names + stop))
    modes = [dl.Mode(name, ()) for name in stop]
    for index, name in reversed(list(enumerate(names))):
        results = draw(st.lists(st.lists(choice, min_size=1, max_size=3), min_size=1, max_size=3))
        if draw(st.integers(0, 3)) == 0:
            results.append([dl.Choice(0, draw(st.sampled_from(names[index:])))])
        parts = draw(chances(len(results) + 1))
        outcomes = [
            dl.Outcome(
                parts[0], "reset" if resets and (index == 0 or draw(st.booleans())) else "bust"
            )
        ]
        outcomes += [
            dl.Outcome(part, result) for part, result in zip(parts[1:], results, strict=True)
        ]
        modes.insert(0, dl.Mode(name, tuple(outcomes), may_hold=index == 0 or draw(st.booleans())))
    target = draw(st.integers(1, most_target))
    # the first mode allows a hold: give it a way back to itself, so that there is a way to score
    extra = dl.Outcome(Fraction(1, 2), dl.Choice(1, names[0]))
    halved = tuple(dl.Outcome(o.probability / 2, o.result) for o in modes[0].outcomes)
    modes[0] = dl.Mode(names[0], (*halved, extra))
    return dl.Game("random", target, tuple(modes), draw(st.sampled_from(finishes)))


SMALL = {  # parameters with which a paper's notebook runs in seconds
    "generalized-pig": {
        "largest_target": 50,
        "exact_target": 12,
        "stopped_target": 20,
        "piglet_target": 2,
        "a": 2,
        "b": 4,
        "polygon_sizes": [5, 10],
    },
    "two-dice-pig": {
        "target": 30,
        "goals": [10, 80],
        "lowest_n": 9,
        "highest_n": 12,
        "three_goals": [5, 8],
        "games": 2000,
    },
    "minimax-pig": {"target": 60, "games": 2000},
    "ten-thousand": {"target": 60, "farkle_target": 20, "games": 2000},
    "literature": {"target": 40, "hold": 12, "goal": 5},
    "more-players": {"target": 40, "four_target": 8, "piglet_target": 4},
    "real-rules": {
        "opening_target": 25,
        "farkle_target": 12,
        "farkle_lowest": -4,
        "hog_target": 20,
        "kingdom_target": 15,
        "clock": 12,
    },
    "first-move": {
        "target": 400,
        "structure_target": 100,
        "certified_target": 20,
        "others_target": 100,
        "parts": 3,
    },
}


FEW = {  # parameters with which a notebook runs in seconds
    "explore/all-dice": {"target": 15, "points": 3, "faces": 3, "parts": 4},
    "explore/train-an-agent": {"target": 40, "games": 20_000},
    "beyond/simultaneous": {"target": 20, "rules": [8, 12]},
    "beyond/readable": {
        "target": 20,
        "long_target": 30,
        "chips": 90,
        "pig_rules": [8, 12],
        "two_dice_rules": [8, 12],
        "trouble_rules": [8, 12],
    },
}


class Kept:
    """A folder that all workers share: what one of them has made there, the others take."""

    def __init__(self, folder):
        self.folder = folder
        self.folder.mkdir(exist_ok=True)

    def make(self, name, make):
        """What ``make(folder)`` returned, called once for this name, in the folder of this name."""
        folder = self.folder / name
        with FileLock(self.folder / f"{name}.lock"):
            if not (folder / "made.pickle").exists():
                folder.mkdir()
                made = make(folder)
                (folder / "made.pickle").write_bytes(pickle.dumps(made))
        return pickle.loads((folder / "made.pickle").read_bytes())


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """The folder of this run that all workers share, a :class:`Kept`."""
    folder = tmp_path_factory.getbasetemp()
    return Kept((folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "kept")


@pytest.fixture(scope="session")
def executed(kept):
    """A function that executes a notebook, once for all tests: the executed copy, and why it failed, or ""."""

    from collection.course.editions import source_of
    from collection.notebooks import execute

    def execute_once(path, parameters=None):
        path = source_of(path)
        few = FEW.get(f"{path.parent.name}/{path.stem}", {})
        parameters = few if parameters is None else parameters
        what = path.read_bytes() + repr(parameters).encode()

        def run(folder):
            copy = folder / path.name
            return copy, execute(path, copy, parameters, 300)

        return kept.make(f"{path.stem}-{sha256(what).hexdigest()[:12]}", run)

    return execute_once


@pytest.fixture(scope="session")
def small_paper(kept):
    """A function that reruns a paper with the parameters in `SMALL`, once for all tests: the folder, the result."""

    from collection.runner import reproduce

    def run(slug):
        def make(folder):
            (result,) = reproduce([slug], SMALL[slug], progress=False, into=folder)
            return folder, result

        return kept.make(f"small-{slug}", make)

    return run


@pytest.fixture(scope="session")
def javascript(kept):
    """A folder with the JavaScript of the slides."""

    from collection.slides import copy_javascript

    kept.make("slides", copy_javascript)
    return kept.folder / "slides"


@pytest.fixture(scope="session")
def from_npm(kept):
    """The folder ``node_modules`` with what ``tests/javascript`` names, installed once for all tests."""
    if not shutil.which("npm"):
        pytest.skip("needs npm: apt install npm")

    from collection.slides import install_javascript

    kept.make("node", partial(install_javascript, HERE / "javascript"))
    return kept.folder / "node" / "node_modules"


@pytest.fixture(scope="session")
def violations(from_npm):
    """A function: what a page in the browser breaks of axe-core's rules for accessibility, with all unfolded."""
    script = (from_npm / "axe-core" / "axe.min.js").read_text("utf-8")

    def broken(page):
        page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        page.evaluate(script)
        run = "axe.run({ preload: false })"  # which would read style sheets, as a file may not
        found = page.evaluate(f"{run}.then(({{ violations }}) => violations)")
        return [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]

    return broken


SHOWS_NOTHING = """<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<script id="solving">{{ solving }}</script>
<script type="text/plain" id="worker">{{ worker }}</script>
<script id="page">{{ page }}</script>
"""


@pytest.fixture(scope="session")
def machinery(tmp_path_factory):
    """The address of a page with those modules of the page that solves that show nothing, as `modules`."""
    from collection.page import SOURCE, assemble, order_modules

    folder = tmp_path_factory.mktemp("machinery")
    used = ["race.js", "address.js", "client.js", "carried.js"]
    for name in {name for first in (*used, "worker.js") for name in order_modules(SOURCE, first)}:
        shutil.copy(SOURCE / name, folder / name)
    names = ["Race", "readAddress", "newClient", "unpack"]
    imports = [
        f'import {{ {name} }} from "./{file}";\n' for name, file in zip(names, used, strict=True)
    ]
    (folder / "main.js").write_text("".join(imports))
    (folder / "page.html.j2").write_text(SHOWS_NOTHING)
    (folder / "page.html").write_text(assemble(folder), encoding="utf-8")
    return (folder / "page.html").as_uri()


CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    sync_api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("needs Chromium: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def watched(browser):
    """A function that opens a page; at the end, nothing may have failed or been asked of another machine."""
    pages = []
    asked = []
    wrong = []

    def open_page(url, **options):
        page = browser.new_page(**options)
        page.set_default_timeout(120_000)  # milliseconds: other workers may need the cores
        pages.append(page)
        page.on("request", lambda request: asked.append(request.url))
        # a worker's script is asked for no more when its page is left
        page.on(
            "requestfailed",
            lambda request: request.url.startswith("blob:") or wrong.append(request.url),
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert wrong == []
    assert [
        url
        for url in asked
        if not re.match(r"file:|data:|blob:|https?://(localhost|127\.0\.0\.1)[:/]", url)
    ] == []
