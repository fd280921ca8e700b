"""The page to play on: its policy and its odds are those of `solve`, and a race can be played on it to its end."""

import base64
import json
import re

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.action_values import turn_action_values
from dicelab.views.page import pack_solution, write_page

GAMES = [dl.pig(), dl.two_dice_pig(), dl.double_trouble()]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "play.html"
    write_page(file)
    return file


def test_the_page_stands_alone(file):
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=["'](?!data:)|@import|url\(|fetch\(|https?://(?!www\.w3\.org)""", text)
    assert file.stat().st_size < 250_000
    before = file.read_bytes()
    write_page(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("number", range(3), ids=[game.name for game in GAMES])
def test_the_pages_policy_is_the_solutions(file, watched, number):
    """In every state; and its values of rolling and holding are right to 1e-4."""
    solution = dl.solve(GAMES[number])
    game, modes = solution.game, range(len(solution.game.modes))
    page = watched(file.as_uri())
    found = page.evaluate(POLICY, [number, len(modes)])
    for mode in modes:
        rolls = np.frombuffer(base64.b64decode(found[mode]), dtype=np.uint8).reshape((100,) * 3)
        expected = solution.policy.roll_mask(game.modes[mode].name)
        reached = np.add.outer(np.arange(100), np.add.outer(np.zeros(100, int), np.arange(100))) < 100
        assert (rolls[reached] == expected[reached]).all()
    worst = 0.0
    for own in range(0, 100, 3):
        shown = page.evaluate(ODDS, [number, own])
        for opponent in range(100):
            odds = turn_action_values(solution, own, opponent)
            here = [
                odds.roll[:, : 100 - own],
                odds.best[:, : 100 - own],
                np.tile(odds.hold[: 100 - own], (len(modes), 1)),
            ]
            off = np.abs(np.array(shown[opponent], dtype=float) - np.array(here))
            assert np.isnan(off[2, :, 0]).all()
            worst = max(worst, np.nanmax(off))
    assert worst < 1e-4


POLICY = """([number, modes]) => {
    const game = games[number], all = []
    for (let mode = 0; mode < modes; mode++) {
        let text = ""
        for (let own = 0; own < 100; own++)
            for (let opponent = 0; opponent < 100; opponent++)
                for (let total = 0; total < 100; total++)
                    text += String.fromCharCode(game.rolls(own, opponent, total, mode) ? 1 : 0)
        all.push(btoa(text))
    }
    return all
}"""
ODDS = """([number, own]) => {
    const game = games[number], totals = [...Array(100 - own).keys()]
    return [...Array(100).keys()].map((opponent) => {
        const odds = game.odds(own, opponent)
        return [odds.roll, odds.best, (total) => (total ? odds.hold(total) : null)].map((worth) =>
            game.modes.map((_, mode) => totals.map((total) => worth(total, mode))))
    })
}"""


def test_dice_fall_by_the_rules(file, watched):
    """60,000 rolls of two dice of a seeded game, both orders of each."""
    page = watched(file.as_uri())
    counts = page.evaluate("""() => {
        const random = seeded(1), counts = {}
        for (let k = 0; k < 60000; k++) {
            const race = new Race(games[1], random)
            race.take("roll")
            counts[race.dice] = (counts[race.dice] ?? 0) + 1
        }
        return counts
    }""")
    expected = 60000 / 36
    assert len(counts) == 36
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 75  # 35 ± 8.4, if they do


@pytest.mark.parametrize("number", range(3), ids=[game.name for game in GAMES])
def test_a_race_by_taking_the_advice(file, watched, screenshots, number):
    """With the keyboard, as the page advises: the loss is zero."""
    page = watched(f"{file.as_uri()}?seed={number + 3}", viewport={"width": 900, "height": 900})
    page.select_option("#game", str(number))
    page.select_option("#pace", "0")
    page.check("#advise")
    page.click("h1")
    for _ in range(400):
        if page.evaluate("race.winner") is not None:
            break
        advised = page.eval_on_selector("button.best", "button => button.id")
        assert page.inner_text("#advice").startswith(("Best is to " + advised, "There is only one thing to do: roll"))
        page.keyboard.press(advised[0])
    assert page.is_visible("#review") and " were the best." in page.inner_text("#verdict")
    assert not page.is_visible("#mistakes")
    assert page.is_disabled("#roll") and page.is_disabled("#hold") and page.is_enabled("#new")
    page.screenshot(path=screenshots / f"play-page-{number}.png", full_page=True)


@pytest.mark.parametrize("device", ["phone", "desk"])
def test_a_race_by_holding_at_ten(file, watched, screenshots, device):
    """With the mouse, against advice: the review adds up the losses, and nothing is wider than the screen."""
    width = {"phone": 360, "desk": 1100}[device]
    page = watched(f"{file.as_uri()}?seed=5", viewport={"width": width, "height": 800})
    page.select_option("#pace", "0")
    for _ in range(400):
        if page.evaluate("race.winner") is not None:
            break
        page.click("#hold" if page.evaluate("race.mayHold && race.total >= 10") else "#roll")
    cost = page.evaluate("race.decisions.filter(d => d.player === 0).reduce((sum, d) => sum + d.loss, 0)")
    assert cost > 0.01 and f"Together they cost {100 * cost:.2f} % of a win." in page.inner_text("#verdict")
    assert page.is_visible("#mistakes tbody tr")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=screenshots / f"play-page-{device}.png", full_page=True)
    story = page.locator("#story li").all_inner_texts()
    page.click("#new")
    assert page.inner_text("#score0") == "0" and page.locator("#story li").count() == 0 and len(story) > 10


def test_the_opponent_begins_and_takes_its_time(file, watched):
    page = watched(f"{file.as_uri()}?seed=2")
    page.select_option("#starts", "1")
    assert page.is_disabled("#roll")
    page.wait_for_function("race.player === 0 && !document.getElementById('roll').disabled")
    told = page.locator("#story li.other").count()
    assert told >= 1 and page.locator("#story li.you").count() == 0


def test_everything_has_a_name(file, watched):
    """For screen readers: every control and the dice have a name."""
    page = watched(f"{file.as_uri()}?seed=5&game=two-dice-pig")
    page.select_option("#pace", "0")
    page.click("#roll")
    for role, name in [
        ("button", "Roll"),
        ("button", "Hold"),
        ("button", "New game"),
        ("checkbox", "Show odds and advice"),
    ]:
        assert page.get_by_role(role, name=name, exact=True).count() == 1, name
    for name in ("Game", "First", "Opponent's pace"):
        assert page.get_by_role("combobox", name=name, exact=True).count() == 1, name
    assert page.get_by_role("img", name=re.compile("[1-6]")).count() == 2
    assert page.get_attribute("#story", "aria-live") == "polite" and page.get_attribute("html", "lang") == "en"


def test_unsupported_games_are_refused():
    for game in (dl.ten_thousand(20), dl.pig(256)):
        with pytest.raises(ValueError, match="supports no choices of dice and no targets above 255"):
            pack_solution(dl.solve(game))
    assert json.loads(json.dumps(pack_solution(dl.solve(dl.piglet(5)))))["modes"][0]["weights"] == 2


def test_an_address_names_the_game(file, watched):
    """Pig first; another by its name; an unknown name is no error."""
    for query, shown in (("", "Pig"), ("?game=two-dice-pig", "Two-dice Pig"), ("?game=chess", "Pig")):
        page = watched(f"{file.as_uri()}{query}")
        assert page.evaluate("race.game.name") == shown
        assert page.locator("#game option:checked").inner_text() == f"{shown} to 100"


def test_the_page_leads_home_only_where_there_is_one(file, tmp_path):
    write_page(tmp_path / "play.html", home="index.html")
    assert '<a href="index.html">' in (tmp_path / "play.html").read_text(encoding="utf-8")
    assert "<nav>" not in file.read_text(encoding="utf-8")
