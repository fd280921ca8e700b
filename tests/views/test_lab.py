"""JupyterLab in a browser, from a clean profile: notebooks run, sliders move, a game is played to its end."""

import os
import re
import socket
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from dicelab.papers.published import ROOT

pytest.importorskip("jupyterlab")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab with a clean profile."""
    folder = tmp_path_factory.mktemp("lab")
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "notebooks", *options],
            cwd=ROOT,
            env=os.environ | {place: str(folder / place) for place in places},
            stdout=log,
            stderr=log,
        )
    for _ in range(240):
        if said := re.search(rf"http://127\.0\.0\.1:{port}/lab\?token=(\w+)", (folder / "log").read_text()):
            break
        time.sleep(0.5)
    yield f"http://127.0.0.1:{port}/lab/tree/explore/{{}}?token={said[1]}&reset"
    server.terminate()
    server.wait(30)


@pytest.fixture
def opened(lab, watched):
    """A function that opens a notebook of notebooks/explore and runs all its cells."""

    def open_and_run(name):
        page = watched(lab.format(f"{name}.ipynb"), viewport={"width": 1300, "height": 1500})
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached")
        page.wait_for_timeout(2000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        return page

    return open_and_run


@pytest.mark.slow
def test_it_listens_to_this_machine_alone_and_wants_a_token(lab):
    """With the options of ``make lab``: there are no extra ones."""
    makefile = (ROOT / "Makefile").read_text()
    assert "\n\t$(BIN)/jupyter lab notebooks $(LAB)\n" in makefile and "\nLAB ?=  #" in makefile
    address = urlsplit(lab)
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"http://{address.netloc}/api/contents")
    with urlopen(f"http://{address.netloc}/api/contents?{address.query}") as answer:
        assert answer.status == 200
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as somewhere:
        if somewhere.connect_ex(("192.0.2.1", 9)):  # sends nothing; tells the address that others see
            pytest.skip("without a network there are no others")
        own = somewhere.getsockname()[0]
    with socket.socket() as other, pytest.raises(ConnectionRefusedError):
        other.connect((own, address.port))


def test_a_game_is_played(opened, screenshots):
    page = opened("play")
    page.get_by_role("checkbox", name="Show odds and advice").check(timeout=60_000)
    for _ in range(300):
        best = page.locator(".jp-OutputArea button.mod-success:visible")
        if page.get_by_text(re.compile(r"\d+ decisions, 0 not the best")).count():
            break
        before = page.locator(".jp-OutputArea ol li").count()
        best.focus()
        page.keyboard.press("Space")
        page.wait_for_function("n => document.querySelectorAll('.jp-OutputArea ol li').length > n", arg=before)
    assert page.get_by_text(re.compile(r"\d+ decisions, 0 not the best: they cost 0.00% of a win")).count() == 1
    assert page.get_by_text(re.compile("won with")).count() >= 1
    page.screenshot(path=screenshots / "lab-play.png")


def test_the_landscape_moves(opened, screenshots):
    page = opened("landscape")
    picture = page.locator(".jp-OutputArea img.widget-image").first
    picture.wait_for(timeout=60_000)
    before = picture.get_attribute("src")
    page.locator(".widget-slider .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("old => document.querySelector('.jp-OutputArea img.widget-image').src !== old", arg=before)
    canvas = page.locator(".jupyter-matplotlib-canvas-div canvas").first
    canvas.scroll_into_view_if_needed(timeout=60_000)
    page.wait_for_timeout(1500)
    drawn, box = canvas.screenshot(), canvas.bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 250)
    page.mouse.down()
    page.mouse.move(box["x"] + 420, box["y"] + 300, steps=8)
    page.mouse.up()
    page.wait_for_timeout(1500)
    assert canvas.screenshot() != drawn
    page.screenshot(path=screenshots / "lab-landscape.png")


def test_a_die_is_designed(opened, screenshots):
    page = opened("design-a-die")
    page.get_by_text("The first player wins with").first.wait_for(timeout=60_000)
    field = page.get_by_label("Probabilities of faces")
    field.fill("1/2 1/3")
    field.press("Enter")
    page.get_by_text("they sum to 5/6, not to 1").wait_for()
    field.fill("1/3 1/3 1/3")
    field.press("Enter")
    page.get_by_text("they sum to 5/6, not to 1").wait_for(state="detached")
    page.locator(".jp-OutputArea img.widget-image").wait_for()
    page.screenshot(path=screenshots / "lab-design-a-die.png")
