"""The page that solves, in headless Chromium: how long its solver takes, and a frame of dragging."""

import shutil
import tempfile
from pathlib import Path
from statistics import median

import dicelab as dl
from collection.page import PLAYED, write_page
from dicelab.games.catalogue import GAMES

from .others import timed

TIMES = 7  # calls of which the median counts; one on the page, if it takes more than a second
STEPS = 40  # of the slider

SOLVE = """async ([name, target, most]) => {
    const { withTarget } = modules["game.js"], { solve } = modules["solver.js"]
    const games = JSON.parse(document.getElementById("games").textContent)
    const game = withTarget(games.find(({ slug }) => slug === name), target), times = []
    do {
        const begun = performance.now()
        solve(game)
        times.push(performance.now() - begun)
    } while (times.length < most && times[0] < 1000)
    return times
}"""
DRAG = """async (steps) => {
    const slider = document.getElementById("face-6"), solved = document.getElementById("solved"), long = [], frames = []
    new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)))
        .observe({ type: "longtask" })
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    document.getElementById("die-surface").scrollIntoView({ block: "center" })
    for (let k = 0; k < 30; k++) await frame()
    long.length = 0
    for (let k = 0; k < steps; k++) {
        const begun = performance.now(), heard = new Promise((resolve) => {
            const observer = new MutationObserver(() => {
                if (!solved.textContent.startsWith("Solved")) return
                observer.disconnect()
                resolve()
            })
            observer.observe(solved, { childList: true, characterData: true, subtree: true })
        })
        solved.textContent = ""
        slider.value = 0.1 * k
        slider.dispatchEvent(new Event("input", { bubbles: true }))
        await heard
        await frame() // the picture is drawn before this frame, and shown by the next one
        await frame()
        frames.push(performance.now() - begun)
    }
    await frame()
    return { frames, long }
}"""


def page_rows():
    """Rows of two tables: games solved on the page and by `solve`, and frames of dragging; None without a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    chromium = shutil.which("chromium")
    if not chromium:
        return None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        write_page(file)
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(0)
        page.goto(file.as_uri())
        page.locator("#solved", has_text="Solved in").wait_for()
        solved = [_solve(page, name) for name in PLAYED]
        dragged = [_drag(page, target) for target in (50, 100, 200)]
        browser.close()
    return solved, dragged


def _solve(page, name):
    game = GAMES[name]()
    on_page = median(page.evaluate(SOLVE, [name, game.target, TIMES]))
    dl.solve(game)
    in_python = 1e3 * median(timed(dl.solve, game)[1] for _ in range(TIMES))
    title = f"{game.name} to {game.target * game.chip:,}"
    return {
        "game": title,
        "page, ms": on_page,
        "dicelab, ms": in_python,
        "times slower": on_page / in_python,
    }


def _drag(page, target):
    page.fill("#target", str(target))
    page.press("#target", "Enter")
    page.locator(f"#die-surface .picture[aria-label*='0 to {target - 1} ']").wait_for(
        state="attached"
    )
    measured = page.evaluate(DRAG, STEPS)
    frames = sorted(measured["frames"])
    return {
        "target": target,
        "a frame, median, ms": median(frames),
        f"the slowest of {STEPS}, ms": frames[-1],
        "tasks over 50 ms that block the page": len(measured["long"]),
    }
