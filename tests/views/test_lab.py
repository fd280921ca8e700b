"""JupyterLab in a browser, from a clean profile, as ``make lab`` opens it: start.ipynb runs."""

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
        yield f"http://127.0.0.1:{port}/lab/tree/notebooks/start.ipynb?token={token}&reset"
    finally:
        server.terminate()
        server.wait(60)


def test_the_first_notebook_runs(lab, watched):
    """And nobody reads it without the token."""
    with pytest.raises(HTTPError, match="403"):
        urlopen(f"http://{urlsplit(lab).netloc}/api/contents")
    page = watched(lab, viewport={"width": 1300, "height": 1500})
    # Without a kernel it is idle, too, and "Run All Cells" would ask which one to select.
    page.locator(".jp-KernelName", has_text="Python 3").wait_for()
    page.wait_for_selector(IDLE, state="attached")
    page.wait_for_timeout(2000)
    begun = page.locator(".jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]")).first
    # On a busy machine JupyterLab may lose a click that comes before it is ready.
    for _ in range(5):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.locator(".lm-Menu-itemLabel:visible", has_text=re.compile("^Run All Cells$")).click()
        page.wait_for_timeout(3000)
        if begun.count():
            break
    page.locator(".jp-OutputArea", has_text="0.530592725274").first.wait_for()
    page.locator(".jp-OutputArea img").first.wait_for()
    page.wait_for_selector(IDLE, state="attached")
    assert page.locator("[data-mime-type*=stderr], [data-mime-type*=error]").count() == 0
