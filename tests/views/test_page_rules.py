"""Rules that people type on the page: how they are read, and that their grades are those of `evaluate` and `loss`."""

import pytest

import dicelab as dl
from dicelab.views.page import game_data

RULES = {
    "hold at 20": dl.hold_at(20),
    "21 + (j − i)/8, race from 71": dl.Rule(
        "keep pace", lambda i, j, k, n: ((i < 71) & (j < 71)) & (k >= 21 + (j - i) / 8)
    ),
    "Hold at 21 + round((their score - my score) / 8); race from n - 29": dl.end_race_or_keep_pace(),
    "end race or keep pace": dl.end_race_or_keep_pace(),
    "hold at max(15, min(30, 20 + (them-me) ÷ 5)) and race within 25": dl.Rule(
        "bolder behind",
        lambda i, j, k, n: (n - i > 25) & (n - j > 25) & (k >= (20 + (j - i) / 5).clip(15, 30)),
    ),
    "hold at 25 if j > i else 18 if j = i else 20": dl.Rule(
        "by sign", lambda i, j, k, n: k >= 25 * (j > i) + 18 * (j == i) + 20 * (j < i)
    ),
    "hold at -(-(2 + 3) * 4) + k/10 - ceil(0.5) + floor(1.7)": dl.Rule(
        "tenth", lambda i, j, k, n: k >= 20 + k / 10
    ),
    "roll to win": dl.hold_at(1000),
    "hold at 2": dl.hold_at(2),
}
WRONG = {  # a rule, the place of the error, a part of what is said
    "": (0, 'Write a rule, for example "hold at 20"'),
    "   ": (0, "Write a rule"),
    "hold at": (7, "ends too early: a number should come"),
    "hold at 20)": (10, '")" without a "("'),
    "hold at (20": (11, 'a ")" should come'),
    "hold at 2 0": (10, 'Put a sign before "0"'),
    "hold at 3 i": (10, 'Put a sign before "i"'),
    "hold at foo": (8, 'I do not know the word "foo"'),
    "hold at 20 please": (11, 'I do not know the word "please"'),
    "hold at constructor": (8, 'I do not know the word "constructor"'),
    "hold at 20 & 3": (11, 'The sign "&" has no meaning here'),
    "race from 71": (12, "Say when to hold, too"),
    "hold at 20, hold at 21": (12, "a second time when to hold"),
    "hold at 20, race from 71, race from 80": (26, "a second time when to race"),
    "hold at 20,": (11, "a number should come"),
    "hold at round(i, j)": (8, '"round" takes one number'),
    "hold at max 3": (12, 'a "(" after "max" should come'),
    "hold at 20 if i": (15, "one of < <= > >= = should come"),
    "hold at 20 if i < 3": (19, 'the word "else" should come'),
    "hold at " + "1" * 300: (200, "too long"),
}


GRADE = """([game, texts]) => {
    const { solve } = modules["solver.js"], { grade } = modules["evaluate.js"], { rulePolicy } = modules["policies.js"]
    const { parseRule } = modules["rule.js"], values = solve(game)
    return texts.map((text) => grade(game, rulePolicy(game, parseRule(text).holds), values))
}"""


def check_grades(page, game, data, rules):
    solution = dl.solve(game)
    for found, rule in zip(page.evaluate(GRADE, [data, list(rules)]), rules.values(), strict=True):
        first = dl.evaluate(game, rule, solution.policy).first_wins
        second = 1 - dl.evaluate(game, solution.policy, rule).first_wins
        assert found["first"] == pytest.approx(first, abs=1e-10)
        assert found["second"] == pytest.approx(second, abs=1e-10)
        assert found["loss"] == pytest.approx(dl.loss(solution, rule), abs=1e-10)


def test_rules_are_graded_as_dicelab_does(machinery, watched):
    check_grades(watched(machinery), dl.pig(), game_data("pig"), RULES)


@pytest.mark.parametrize(
    ("slug", "make"), [("two-dice-pig", dl.two_dice_pig), ("double-trouble", dl.double_trouble)]
)
def test_rules_in_games_with_resets(machinery, watched, slug, make):
    rules = {text: RULES[text] for text in ("hold at 20", "roll to win")}
    check_grades(watched(machinery), make(50), game_data(slug) | {"target": 50}, rules)


@pytest.mark.parametrize(("slug", "make"), [("ten-thousand", dl.ten_thousand), ("hog", dl.hog)])
def test_rules_in_games_with_choices(machinery, watched, slug, make):
    """The rule takes the choice with the most points; the optimum, which answers, chooses."""
    check_grades(
        watched(machinery), make(30), game_data(slug) | {"target": 30}, {"hold at 9": dl.hold_at(9)}
    )


def test_what_is_wrong_with_a_rule(machinery, watched):
    found = watched(machinery).evaluate(
        """(texts) => texts.map((text) => {
            try {
                modules["rule.js"].parseRule(text)
                return null
            } catch (error) {
                return [error.place, error.message]
            }
        })""",
        list(WRONG),
    )
    for said, (text, (place, part)) in zip(found, WRONG.items(), strict=True):
        assert said is not None, text
        assert said[0] == place and part in said[1], (text, said)


def test_the_total_at_which_a_rule_holds(machinery, watched):
    found = watched(machinery).evaluate(
        """() => {
            const { parseRule, flawOf } = modules["rule.js"], rule = parseRule("hold at 21 + (j - i)/8, race from 71")
            return [[0, 0], [8, 0], [0, 70], [0, 71], [71, 3], [95, 0]].map(([i, j]) => rule.holdAt(i, j, 100))
                .concat([flawOf(rule, 100), ...["hold at (j - i) / (j - i)", "hold at 20, race from 0/0",
                    "hold at 5 / (k - 5) + 0 / (k - 5)"].map((text) => flawOf(parseRule(text), 100))])
        }"""
    )
    assert found[:7] == [21, 20, 30, 100, 29, 5, ""]
    assert (
        found[7:]
        == ["With 0 points against 0 the rule has no value: 0/0, for example, is not a number."] * 3
    )
