"""Random games for the tests, notebooks executed once for all, and a browser."""

import re
import shutil
import time
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numba import njit

import dicelab as dl
from dicelab.papers import notebooks as execution
from dicelab.papers.published import PAPERS, QUESTIONS, ROOT
from dicelab.papers.runner import reproduce
from dicelab.solvers import _kernels
from dicelab.views.page import SOURCE, assemble, order_modules


@pytest.hookimpl(optionalhook=True)  # tests run without xdist, too
def pytest_xdist_make_scheduler(config, log):
    """On several cores: what needs the executed notebooks stays together, all else goes where there is time."""
    from xdist.scheduler import LoadScopeScheduling

    class NotebooksTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "notebooks" if re.search("test_slides|test_site|notebooks", nodeid) else nodeid

    return NotebooksTogether(config, log)


def pytest_collection_modifyitems(items):
    """Mark tests by their fixtures: `browser` needs Chromium, `executed` and `small_papers` run notebooks."""
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.browser)
        if {"executed", "small_papers"} & set(item.fixturenames):
            item.add_marker(pytest.mark.notebooks)


# "ci" tries the same examples every time. "explore" tries new ones: pytest --hypothesis-profile=explore
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
settings.register_profile(
    "explore", settings.get_profile("ci"), derandomize=False, max_examples=1000, print_blob=True
)
settings.load_profile("ci")


def until(true, seconds=60):
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def from_python(kernel):
    """A kernel that only other kernels call, called from here."""
    return njit(error_model="numpy")(lambda *arguments: kernel(*arguments))


store_pair = from_python(_kernels.store_pair)


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


def hold_table(rules, payoffs, hold):
    """A table of the kernels, filled: ``hold[b, r]`` against an opponent who needs b, with r points missing."""
    table = _kernels.new_table(rules, payoffs, _kernels.before_turn(payoffs, hold[1:, -1]))
    for a, b in sorted(combinations_with_replacement(range(1, len(hold)), 2), key=sum):
        store_pair(
            rules, table, a, b, *_kernels.before_turn(payoffs, np.array([hold[a, b], hold[b, a]]))
        )
    return table


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


BESIDES = (
    "*.ipynb",
    "lectures/*.ipynb",
    "lectures/solutions/*.ipynb",
    "explore/*.ipynb",
    "beyond/*.ipynb",
)
SMALL = {  # parameters with which a paper's notebook runs in seconds
    "generalized-pig": {
        "largest_target": 30,
        "exact_target": 12,
        "stopped_target": 20,
        "piglet_target": 2,
        "pair": [2, 4],
        "sizes": [5, 10],
        "polygon_sizes": [5, 10],
    },
    "two-dice-pig": {
        "target": 30,
        "goals": [10, 80],
        "lowest_n": 9,
        "highest_n": 12,
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
}


FEW = {  # parameters with which a notebook to explore runs in seconds
    "all-dice": {"target": 15, "points": 3, "faces": 3, "parts": 4},
    "train-an-agent": {"target": 40, "games": 20_000},
}


@pytest.fixture(scope="session")
def executed(tmp_path_factory):
    """All notebooks but those of `small_papers`, executed into a folder like ``notebooks/``; why some failed."""
    folder = tmp_path_factory.mktemp("executed")
    notebooks = ROOT / "notebooks"
    kept_out = {*FEW, *(question.slug for question in QUESTIONS)}
    found = [
        path
        for pattern in BESIDES
        for path in sorted(notebooks.glob(pattern))
        if path.stem not in kept_out
    ]
    said = execution.execute_all(
        {path: folder / path.relative_to(notebooks) for path in found}, 300
    )
    for name, few in FEW.items():
        path = notebooks / "explore" / f"{name}.ipynb"
        said[path] = execution.execute(path, folder / "explore" / path.name, few, 300)
    return folder, {
        path.relative_to(notebooks).as_posix(): why for path, why in said.items() if why
    }


@pytest.fixture(scope="session")
def small_papers(tmp_path_factory):
    """A folder that the papers' notebooks have written to, with the parameters in `SMALL`; by paper, the result."""
    folder = tmp_path_factory.mktemp("papers")
    papers = (*PAPERS, *QUESTIONS)
    runs = [
        reproduce([paper.slug], SMALL[paper.slug], progress=False, into=folder) for paper in papers
    ]
    return folder, {result.paper: result for run in runs for result in run}


SHOWS_NOTHING = """<!DOCTYPE html>
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<script id="solving">{{ solving }}</script>
<script type="text/plain" id="worker">{{ worker }}</script>
<script id="page">{{ page }}</script>
"""


@pytest.fixture(scope="session")
def machinery(tmp_path_factory):
    """The address of a page with those modules of the page that solves that show nothing, as `modules`."""
    folder = tmp_path_factory.mktemp("machinery")
    used = ["race.js", "address.js", "client.js"]
    for name in {name for first in (*used, "worker.js") for name in order_modules(SOURCE, first)}:
        shutil.copy(SOURCE / name, folder / name)
    names = ["Race", "readAddress", "newClient"]
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


@pytest.fixture(scope="session")
def screenshots():
    """The folder of screenshots, for a person to look at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def watched(browser):
    """A function that opens a page; at the end, nothing may have failed or been asked of another machine."""
    pages = []
    asked = []
    wrong = []

    def open_page(url, **options):
        page = browser.new_page(**options)
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
