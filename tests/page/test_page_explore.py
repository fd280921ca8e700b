"""The page as a reader uses it: its numbers are those of the package, and everything can be moved, sent and saved."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from itertools import chain

import numpy as np
import pytest

import dicelab as dl
from collection.page import write_page
from dicelab.evaluation.action_values import turn_action_values
from dicelab.evaluation.studies import turn_points
from dicelab_extras import grading

PIG = dl.solve(dl.pig())
EIGHT = dl.solve(dl.generalized_pig(["1/8", 0, *["1/8"] * 7], 60))
PICTURES = (
    ("survival", "means", "distribution", "surface"),
    ("strip", "costs", "die-surface", "first-player"),
    ("drawn", "rule-map", "course"),
)  # in groups, because a browser stops a page that saves many files one after the other


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "play.html"
    write_page(file)
    return file


@pytest.fixture
def opened(file, watched):
    """A function that opens the page and waits until it is solved; at the end, nothing may be in the console."""
    said = []

    def open_page(address="", **options):
        page = watched("about:blank", **options)
        page.on("console", lambda message: said.append(message.text))
        page.goto(file.as_uri() + address)
        page.locator("#grade-first", has_text="%").wait_for(state="attached")
        return page

    yield open_page
    assert said == []


def shown(page, selector):
    return page.locator(selector).text_content().replace("\u00a0", " ")


def wait_for(page, selector, text):
    """Until this text, or a match of this pattern, is there, if it may be out of sight."""
    page.locator(selector, has_text=text).wait_for(state="attached")


def percent(share, digits=1):
    return f"{100 * share:.{digits}f} %"


def saved(page, figure, kind):
    with page.expect_download() as download:
        page.click(f"#{figure} .save summary")
        page.click(f"#{figure} [data-save={kind}]")
    assert download.value.suggested_filename == f"{figure}.{kind}"
    return download.value.path().read_text(encoding="utf-8")


def saved_table(page, figure):
    return list(csv.reader(io.StringIO(saved(page, figure, "csv"))))


NOT_DRAWN = ".frame .picture:not(:has(svg))"


def test_the_first_question(opened):
    """The answer has the exact chances."""
    page = opened()
    own, opponent, total = (
        int(text) for text in page.locator("#hook .question b").all_text_contents()
    )
    odds = turn_action_values(PIG, own, opponent)
    chances = {"roll": float(odds.roll[0, total]), "hold": float(odds.hold[total])}
    assert chances["roll"] - chances["hold"] > 0.2
    assert "%" not in page.inner_text("#hook") and not page.is_visible("#hook-point")
    page.click("#hook [data-answer=hold]")
    assert shown(page, "#hook-verdict").startswith("No: roll. Holding costs you 22.9 wins in 100")
    page.click("#hook [data-answer=roll]")
    assert shown(page, "#hook-verdict").startswith("Yes, roll!")
    wins = [text.replace("\u00a0", " ") for text in page.locator("#hook .win b").all_inner_texts()]
    assert wins == [percent(chances["roll"]), percent(chances["hold"])]
    lowest, missing = PIG.policy.hold_thresholds(), 100 - np.arange(100)[:, None]
    wrong = (lowest != np.minimum(20, missing)).mean()
    threat = 1 - turn_points(dl.pig(), dl.hold_at(10))[0]
    why = page.inner_text("#hook-why").replace("\u00a0", " ")
    assert f"{100 * threat:.0f} % next turn. At {100 * wrong:.0f} % of all scores" in why
    page.click("#hook-explore")
    assert "You have 60, the opponent has 90. Never hold" in shown(page, "#map-said")
    assert page.input_value("#total") == "20"


def test_a_turn_for_points(opened):
    """The best hold, its mean points and the chance of a bust; and the distribution that is saved."""
    page = opened()
    top = dl.solve(dl.pig(), "score")
    assert "A higher number gives more." in shown(page, "#means-note")
    page.fill("#hold-at", "20")
    assert f"Hold at 20: {float(top.value):.2f} points per turn. This is the top!" in shown(
        page, "#means-note"
    )
    page.fill("#hold-at", "21")  # at a turn total of 20 a roll gains as much as it risks
    assert "That is as much as at the top, 20." in shown(page, "#means-note")
    page.fill("#hold-at", "25")
    points = turn_points(dl.pig(200), dl.hold_at(25))
    assert f"Hold at 25: {percent(points[0])} of all turns" in shown(page, "#distribution-note")
    table = saved_table(page, "distribution")[1:]
    assert [(int(k), pytest.approx(float(p), abs=1e-12)) for k, p in table if float(p)] == list(
        points.items()
    )
    for hold, mean in saved_table(page, "means")[1:]:
        chances = turn_points(dl.pig(200), dl.hold_at(int(hold)))
        assert float(mean) == pytest.approx((chances.index * chances).sum(), abs=1e-12)
    page.fill("#rolls", "7")
    assert f"All 7 rolls go well with a chance of {percent((5 / 6) ** 7)}" in shown(
        page, "#survival-note"
    )


@pytest.mark.parametrize(
    ("own", "opponent", "total"), [(40, 90, 20), (60, 10, 19), (0, 0, 21), (95, 99, 3)]
)
def test_the_chances_of_a_turn(opened, own, opponent, total):
    page = opened(f"#i={own}&j={opponent}")
    odds = turn_action_values(PIG, own, opponent)
    page.fill("#total", str(total))
    hold = PIG.policy.hold_thresholds()[own, opponent]
    said = "Never hold" if hold >= 100 - own else f"your turn total is {hold} or more"
    assert said in shown(page, "#map-said")
    roll, held = float(odds.roll[0, total]), float(odds.hold[total])
    chances = (
        f"if you roll, your chance of winning is {percent(roll)}; if you hold, {percent(held)}"
    )
    text = shown(page, "#strip-said")
    assert chances in text and f"So {'roll' if roll > held else 'hold'}." in text
    wins = f"{100 * abs(roll - held):.1f}"
    assert f"would cost {wins} win" in text or wins == "0.0"
    table = saved_table(page, "strip")[1:]
    assert np.abs([float(row[1]) - odds.roll[0, int(row[0])] for row in table]).max() < 1e-9


def test_another_die(opened):
    """Chosen by keys, the pictures are those of the new game; the link shows it again."""
    page = opened()
    page.select_option("#preset", label="Eight sides")
    page.fill("#target", "60")
    wait_for(page, "#first-player-note", re.compile("to 60,"))
    page.locator("#die-surface .picture[aria-label*='to 59']").wait_for(state="attached")
    rows = [row[2].replace("never", "-1") for row in saved_table(page, "die-surface")[1:]]
    thresholds = EIGHT.policy.hold_thresholds()
    never = thresholds >= 60 - np.arange(60)[:, None]
    assert [int(hold) for hold in rows] == np.where(never, -1, thresholds).ravel().tolist()
    page.wait_for_url(re.compile("#.*target=60"))
    address = "#" + page.url.split("#")[1]
    assert "die=1,0,1,1,1,1,1,1,1" in address
    again = opened(address)
    for each in (page, again):
        assert each.is_visible("#banner")
        assert f"wins {percent(float(EIGHT.value))} of all games" in shown(
            each, "#first-player-note"
        )
    again.click("#pig-again")
    wait_for(again, "#first-player-note", re.compile("to 100, .*"))
    assert not again.is_visible("#banner") and again.input_value("#target") == "100"


def pace_and_race(own, opponent, total, target):
    return (np.maximum(own, opponent) < 71) & (total >= 21 + (opponent - own) / 8)


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("hold at 20", dl.hold_at(20)),
        ("hold at 21 + (j - i)/8, race from 71", dl.Rule("pace and race", pace_and_race)),
    ],
)
def test_a_typed_rule_is_graded(opened, text, policy):
    page = opened()
    page.fill("#rule", "hold at 19")
    page.fill("#rule", text)
    first = dl.evaluate(dl.pig(), policy, PIG.policy).first_wins
    second = 1 - dl.evaluate(dl.pig(), PIG.policy, policy).first_wins
    wait_for(page, "#grade-first", f"{100 * first:.2f}")
    assert shown(page, "#grade-second") == percent(second, 2)
    assert f"costs {100 * (1 - first - second) / 2:.1f} win" in shown(page, "#grade-said")
    page.fill("#rule", "hold at at")
    assert "at letter 9" in shown(page, "#rule-wrong") and f"those of “{text}”" in shown(
        page, "#rule-wrong"
    )
    assert shown(page, "#grade-second") == percent(second, 2)
    page.fill("#rule", "hold at 25 if 10/i > 2 else 20")
    assert "With 0 points against 0 the rule divides by 0." in shown(page, "#rule-wrong")


def test_without_javascript(file, browser):
    """The question, its answer, the map and the rules; nothing that does not work."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(file.as_uri())
    text = page.inner_text("body").replace("\u00a0", " ")
    assert "You have 60, your opponent 90." in text and "The best is to roll." in text
    assert "You win 43.5 % of all games if you roll now, and 20.7 % if you hold" in text
    assert "The first player with 100 points wins." in text and "needs JavaScript" in text
    assert page.is_visible("#hook svg") and page.is_visible("#hook-point")
    assert page.locator("button:visible, input:visible, select:visible").count() == 0
    page.close()


def test_a_rule_is_saved_and_graded(opened, tmp_path):
    """What the page says of a rule is what `dicelab grade` says of the file."""
    page = opened("#target=50")
    page.fill("#rule", "hold at 25 if j > i else 18, race from 40")
    with page.expect_download() as download:
        page.click("#save-rule")
    assert download.value.suggested_filename == "my-rule.py"
    text = download.value.path().read_text(encoding="utf-8")
    assert "dicelab grade my-rule.py --target 50" in text
    assert '    if max(own, opponent) >= 40:\n        return "roll"\n' in text
    assert 'return "hold" if turn_total >= (25 if opponent > own else 18) else "roll"' in text
    (tmp_path / "my-rule.py").write_text(text, encoding="utf-8")
    graded = grading.grade(dl.pig(50), str(tmp_path / "my-rule.py")).matches.loc["optimal policy"]
    page.locator("#grade-first", has_text=f"{100 * graded['first']:.2f}").wait_for(state="attached")
    assert shown(page, "#grade-second") == percent(graded["second"], 2)


def paste(page, text):
    page.locator("#rule").evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer()
            clipboardData.setData("text/plain", text)
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true, bubbles: true }))
        }""",
        text,
    )


def test_a_table_is_pasted(opened, tmp_path):
    """Rows and columns as dicelab's hold thresholds; read back, graded and saved."""
    page = opened()
    lowest = dl.hold_at(25).hold_thresholds(game=dl.pig())
    lowest[10, 90] = 7
    lines = ["\t".join(map(str, row)) for row in lowest]
    paste(page, "\n".join(lines))
    assert page.input_value("#rule") == "100 × 100 hold values, 1 to 25"
    assert "Rows are your score, columns the opponent’s." in shown(page, "#rule-read")
    policy = dl.Rule("table", lambda i, j, k: k >= lowest[i, j])
    first = dl.evaluate(dl.pig(), policy, PIG.policy).first_wins
    page.locator("#grade-first", has_text=f"{100 * first:.2f}").wait_for(state="attached")
    table = {(own, other): mine for own, other, mine, _ in saved_table(page, "rule-map")[1:]}
    assert table["10", "90"] == "7" and table["90", "10"] == "never" and table["0", "5"] == "25"
    with page.expect_download() as download:
        page.click("#save-rule")
    (tmp_path / "my-rule.py").write_bytes(download.value.path().read_bytes())
    read = grading.read(PIG.game, str(tmp_path / "my-rule.py"))
    found = dl.evaluate(PIG.game, read, PIG.policy).first_wins
    assert found == pytest.approx(first, abs=1e-12)
    page.fill("#target", "50")
    page.locator("#rule-wrong", has_text="This table is for a game to 100, not to 50.").wait_for()


@pytest.mark.parametrize("group", PICTURES)
def test_every_picture_is_saved_and_described(opened, group):
    page = opened()
    assert page.locator(".frame").evaluate_all("all => all.map(frame => frame.id)") == [
        *chain(*PICTURES)
    ]
    page.locator("#play").scroll_into_view_if_needed()
    page.locator("#board").wait_for()
    page.wait_for_selector(NOT_DRAWN, state="detached")
    for figure in group:
        svg = ET.fromstring(saved(page, figure, "svg"))
        title = svg.find("{http://www.w3.org/2000/svg}title").text
        assert len(list(svg.iter())) > 15 and title == page.get_attribute(
            f"#{figure} .picture", "aria-label"
        )
        assert len(title) > 40, figure
        rows = saved_table(page, figure)
        assert len({len(row) for row in rows}) == 1 and len(rows) > 1, figure


@pytest.mark.parametrize("slug", ["pig", "piglet", "two-dice-pig", "hog"])
def test_a_game_by_taking_the_advice(opened, slug):
    """Nothing is lost by it."""
    page = opened(f"?game={slug}&seed=3")
    page.locator("#board").wait_for()
    page.select_option("#pace", "0")
    page.check("#advise")
    for _ in range(400):
        if page.is_visible("#review"):
            break
        page.locator("#board button.best").click()
    assert re.search(r"You made \d+ decisions. All were the best!", shown(page, "#verdict"))
    assert page.locator("#verdict table").count() == 0
    assert shown(page, "#chance") in ("You won!", "Best player won!")


def test_on_a_telephone(opened):
    """Nothing is wider than the screen."""
    page = opened("#die=1,0,1,1,1,1,1,1,1", viewport={"width": 390, "height": 844})
    for section in page.locator("section").all():
        section.scroll_into_view_if_needed()
    page.locator("#board").wait_for()
    page.wait_for_selector(NOT_DRAWN, state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened, violations, scheme):
    """axe-core's rules for accessibility, with all that can be unfolded open."""
    page = opened(color_scheme=scheme)
    page.click("#hook [data-answer=hold]")
    assert violations(page) == []
