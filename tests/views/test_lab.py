"""JupyterLab in a browser, from a clean profile: notebooks run, sliders move, a game is played to its end."""

import os
import re
import socket
import subprocess
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from conftest import until

from collection.lab import command, copy_notebooks
from collection.papers.published import ROOT

pytest.importorskip("jupyterlab")


IDLE = ".jp-Notebook-ExecutionIndicator[data-status='idle']"  # the kernel


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab with a clean profile, on a copy of the notebooks, as ``make lab`` opens it."""
    folder = tmp_path_factory.mktemp("lab")
    copy_notebooks(folder)
    places = (
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command(folder, options),
            cwd=folder,
            env=os.environ | {place: str(folder / place) for place in places},
            stdout=log,
            stderr=log,
        )

    def address():
        """Its port, another one if somebody took it meanwhile, and its token."""
        return re.search(
            r"http://127\.0\.0\.1:(\d+)/lab\?token=(\w+)", (folder / "log").read_text()
        )

    def listens():
        with socket.socket() as client:
            return not client.connect_ex(("127.0.0.1", int(address()[1])))

    try:
        until(address, 240)
        until(listens)  # which it tells a moment before
        port, token = address().groups()
        yield f"http://127.0.0.1:{port}/lab/tree/notebooks/explore/{{}}?token={token}&reset"
    finally:
        server.terminate()
        server.wait(60)


@pytest.fixture
def page_of(lab, watched):
    """A function that opens a notebook of notebooks/explore; the kernel is ready."""

    def open_notebook(name, **options):
        page = watched(
            lab.format(f"{name}.ipynb"), viewport={"width": 1300, "height": 1500}, **options
        )
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_selector(IDLE, state="attached")
        page.wait_for_timeout(2000)
        return page

    return open_notebook


def choose(page, menu, *items):
    """Choose an item from a menu of JupyterLab, or from its submenu."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    for item in items:
        page.locator(".lm-Menu-itemLabel:visible", has_text=re.compile(f"^{item}$")).click()


@pytest.fixture
def opened(page_of):
    """A function that opens a notebook and runs all its cells."""

    def open_and_run(name):
        page = page_of(name)
        begun = page.locator(".jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]")).first
        # On a busy machine JupyterLab may lose a click that comes before it is ready.
        for _ in range(5):
            choose(page, "Run", "Run All Cells")
            page.wait_for_timeout(3000)
            if begun.count():
                break
        return page

    return open_and_run


def in_both_themes(page, path):
    """Screenshots in the light and in the dark theme."""
    page.screenshot(path=path.with_suffix(".png"))
    choose(page, "Settings", "Theme", "JupyterLab Dark")
    page.wait_for_selector("body[data-jp-theme-light='false']", state="attached")
    page.wait_for_timeout(1500)
    page.screenshot(path=path.with_name(f"{path.name}-dark.png"))
    choose(page, "Settings", "Theme", "JupyterLab Light")
    page.wait_for_selector("body[data-jp-theme-light='true']", state="attached")


@pytest.mark.slow
def test_it_listens_to_this_machine_alone_and_wants_a_token(lab):
    """With the options of ``make lab``: there are no extra ones."""
    makefile = (ROOT / "Makefile").read_text()
    assert "\n\t@$(BIN)/python -m collection.lab $(LAB)\n" in makefile and "\nLAB ?=  #" in makefile
    address = urlsplit(lab)
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"http://{address.netloc}/api/contents")
    with urlopen(f"http://{address.netloc}/api/contents?{address.query}") as answer:
        assert answer.status == 200
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as somewhere:
        # Sends nothing; tells the address that others see.
        if somewhere.connect_ex(("192.0.2.1", 9)):
            pytest.skip("without a network there are no others")
        own = somewhere.getsockname()[0]
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect((own, address.port))


def test_the_first_cell_of_a_new_notebook(page_of, screenshots):
    page = page_of("play")
    choose(page, "File", "New", "Notebook")
    page.get_by_role("button", name="Select Kernel").click()
    new = page.locator(".jp-NotebookPanel:visible")
    new.locator(IDLE).wait_for(state="attached")
    page.wait_for_timeout(2000)
    new.locator(".jp-Cell .cm-content").click()
    page.keyboard.insert_text("import dicelab as dl; dl.solve(dl.pig())")
    page.keyboard.press("Shift+Enter")
    result = new.locator(".jp-OutputArea-executeResult")
    result.wait_for(timeout=120_000)
    assert "Pig" in result.inner_text()
    page.keyboard.insert_text("dl.")
    page.keyboard.press("Tab")
    page.locator(".jp-Completer-item").first.wait_for(timeout=120_000)
    page.wait_for_timeout(1000)
    shown = {
        item.strip()
        for item in page.locator(".jp-Completer-item .jp-Completer-match").all_inner_texts()
    }
    assert {"solve", "pig", "Game"} <= shown
    page.screenshot(path=screenshots / "lab-first-cell.png")
    page.keyboard.press("Escape")


TURNS = "document.querySelector('.jp-OutputArea ol')?.innerText ?? ''"  # the list of all turns on the table
MOVED = f"before => ({TURNS}) !== before"


def turns_of(page):
    return page.evaluate(TURNS)


def test_a_game_is_played(opened, screenshots):
    page = opened("play")
    page.get_by_role("checkbox", name="Show odds and advice").check(timeout=120_000)
    ended = page.get_by_text("No mistake: every decision was optimal.")
    for press in range(400):
        if ended.count():
            break
        options = page.locator(".jp-OutputArea").get_by_role(
            "button", name=re.compile(r"^(Roll|Hold): ")
        )
        options.first.wait_for()
        names = options.all_inner_texts()
        best = next(name for name in names if len(names) == 1 or name.endswith("the best"))
        if press == 0:
            options.first.focus()  # from here on the keyboard is enough
        if press == 3:
            in_both_themes(page, screenshots / "lab-turn")
            options.first.focus()
        focused = page.evaluate("document.activeElement.textContent")
        assert focused in names, f"the focus is on {focused!r}"
        if focused != best:
            page.keyboard.press("Tab" if names.index(best) else "Shift+Tab")
        before = turns_of(page)
        page.keyboard.press("Space")
        page.wait_for_function(MOVED, arg=before)
        page.wait_for_selector(IDLE, state="attached")  # all that changes has been told
        page.wait_for_timeout(100)
    assert ended.count() == 1 and page.get_by_text(re.compile("won with")).count() >= 1
    assert page.evaluate("document.activeElement.textContent") == "New game"
    in_both_themes(page, screenshots / "lab-play")


def test_mistakes_are_reviewed(opened, screenshots):
    page = opened("play")
    new_game = page.get_by_role("button", name="New game")
    new_game.wait_for(timeout=120_000)
    for _ in range(400):
        if page.get_by_text("The three worst:").count():
            break
        hold = page.get_by_role("button", name="Hold")
        before = turns_of(page)
        (hold if hold.count() else page.get_by_role("button", name="Roll", exact=True)).click()
        page.wait_for_function(MOVED, arg=before)
        page.wait_for_selector(IDLE, state="attached")  # all that changes has been told
    assert (
        page.get_by_text(
            re.compile(r"\d+ mistakes in \d+ decisions, at a cost of \d+\.\d\d% of a win")
        ).count()
        == 1
    )
    assert page.locator(".jp-OutputArea .widget-html table tbody tr").count() == 3
    in_both_themes(page, screenshots / "lab-review")
    new_game.click()
    page.get_by_text("The three worst:").wait_for(state="detached")


def test_the_landscape_moves(opened, screenshots):
    page = opened("landscape")
    picture = page.locator(".jp-OutputArea .widget-html img").first
    picture.wait_for(timeout=120_000)
    before = picture.get_attribute("src")
    page.locator(".widget-slider .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "old => document.querySelector('.jp-OutputArea .widget-html img').src !== old", arg=before
    )
    canvas = page.locator(".jupyter-matplotlib-canvas-div canvas").first
    canvas.scroll_into_view_if_needed(timeout=120_000)
    page.wait_for_timeout(1500)
    drawn, box = canvas.screenshot(), canvas.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 250)
    page.mouse.down()
    page.mouse.move(box["x"] + 420, box["y"] + 300, steps=8)
    page.mouse.up()
    page.wait_for_timeout(1500)
    assert canvas.screenshot() != drawn
    in_both_themes(page, screenshots / "lab-landscape")


def test_a_die_is_designed(opened, screenshots):
    page = opened("design-a-die")
    page.get_by_text("The first player wins with").first.wait_for(timeout=120_000)
    field = page.get_by_label("Die", exact=True)
    pictures = page.locator(".jp-OutputArea .widget-html img")
    before = pictures.first.get_attribute("src")
    field.fill("1 2 3 4 5 sux, ones bust")
    field.press("Enter")
    problem = page.locator(".jp-OutputArea").get_by_role("alert")
    problem.get_by_text("die: 'sux' is not allowed; give faces").wait_for()
    assert (
        field.input_value() == "1 2 3 4 5 sux, ones bust"
        and pictures.first.get_attribute("src") == before
    )
    assert 0 < problem.bounding_box()["y"] - field.bounding_box()["y"] < 60  # next to the input
    in_both_themes(page, screenshots / "lab-bad-die")
    field.fill("1 2 3 4 5 6:1/2, ones bust")
    field.press("Enter")
    problem.wait_for(state="detached")
    page.wait_for_function(
        "old => document.querySelector('.widget-html img').src !== old", arg=before
    )
    assert pictures.count() == 3
    page.get_by_role("button", name="Coin").click()
    page.get_by_text("scores 6").wait_for(state="detached")
    assert field.input_value() == "0 1, zeros bust"
    in_both_themes(page, screenshots / "lab-design-a-die")
