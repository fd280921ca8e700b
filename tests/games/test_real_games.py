"""Games as people play them: every roll by the words of the rules, registers, dice of several kinds, refusals."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest

import dicelab as dl
from dicelab.games.set_aside import KINDS

TRIPLE = {1: 1000, 2: 200, 3: 300, 4: 400, 5: 500, 6: 600}


def points(game, dice):
    """What dice score together, by the words of the rules; 0 if one of them does not score."""
    counts, total = Counter(dice), 0
    if len(dice) == 6 and game == "Facebook Farkle" and sorted(counts.values()) == [2, 2, 2]:
        total = 750
    if len(dice) == 6 and game == "Zilch" and sorted(counts.values()) in ([2, 2, 2], [2, 4]):
        total = 1500
    if sorted(dice) == [1, 2, 3, 4, 5, 6]:
        return 1500
    if game == "Kingdom Come":
        for straight, bonus in (([1, 2, 3, 4, 5], 500), ([2, 3, 4, 5, 6], 750)):
            if sorted(counts) == straight:
                (*_, more) = [0, *(counts - Counter(straight))]
                return bonus + {0: 0, 1: 100, 5: 50}[more] if more in (0, 1, 5) else 0
    by_face = 0
    for face, number in counts.items():
        if number >= 3:
            by_face += TRIPLE[face] * (
                number - 2 if game == "Facebook Farkle" else 2 ** (number - 3)
            )
        elif face in (1, 5):
            by_face += number * (100 if face == 1 else 50)
        else:
            break
    else:
        total = max(total, by_face)
    return total


@pytest.mark.parametrize(
    "game",
    [dl.games.facebook_farkle(), dl.games.zilch(), dl.games.kingdom_come()],
    ids=lambda game: game.name,
)
@pytest.mark.parametrize("dice", [1, 2, 3, 4, 6])
def test_every_roll_leaves_the_choices_of_the_rules(game, dice):
    """For every number of dice that may be left the best score; and each outcome has the chance of its rolls."""
    mode = game.modes[6 - dice]
    seen = {}
    chances = Counter()
    for roll in product(range(1, 7), repeat=dice):
        where, outcome = game.classify_roll(roll)
        assert where is mode
        chances[id(outcome)] += Fraction(1, 6**dice)
        if (alike := tuple(sorted(roll))) in seen:
            assert outcome is seen[alike]
            continue
        seen[alike], best = outcome, {}
        for size in range(1, dice + 1):
            for aside in combinations(roll, size):
                if scored := points(game.name, aside):
                    best[dice - size or 6] = max(best.get(dice - size or 6, 0), scored)
        if game.name == "Zilch" and dice == 6 and not best:
            best = {6: 500}
        assert {game.modes[game.mode(c.mode)].dice: 50 * c.points for c in outcome.choices} == best
        for choice in outcome.choices:
            assert Counter(choice.aside) <= Counter(roll)
            assert points(game.name, choice.aside) in (
                50 * choice.points,
                0 if choice.points == 10 else None,
            )
    assert {id(outcome): outcome.probability for outcome in mode.outcomes} == chances


def test_dice_of_several_kinds_are_their_rolls():
    """Every ordered roll of two odd dice and a lucky one: its chance, the dice that are left, and what they score."""
    game = dl.games.kingdom_come(20, ["Odd", "Lucky Playing", "Odd"])
    names = [
        "2 Odd, 1 Lucky Playing",
        "2 Odd",
        "1 Odd, 1 Lucky Playing",
        "1 Odd",
        "1 Lucky Playing",
    ]
    assert [mode.name for mode in game.modes] == names
    assert [mode.dice for mode in game.modes] == [(2, 1), (2, 0), (1, 1), (1, 0), (0, 1)]
    assert (
        sum(KINDS["Odd"].values()) == sum(KINDS["Lucky Playing"].values()) == 1
        and 2 not in KINDS["Lucky Playing"]
    )
    chances = Counter()
    for first, second, lucky in product(range(1, 7), repeat=3):
        chance = KINDS["Odd"][first] * KINDS["Odd"][second] * KINDS["Lucky Playing"].get(lucky, 0)
        if not chance:
            with pytest.raises(ValueError, match="roll: "):
                game.classify_roll([first, second, lucky])
            continue
        mode, outcome = game.classify_roll([first, second, lucky])
        assert mode is game.modes[0]
        chances[id(outcome)] += chance
        best = {}
        for given in product([0, 1], repeat=3):
            aside = [face for face, keep in zip((first, second, lucky), given, strict=True) if keep]
            left = 2 - given[0] - given[1], 1 - given[2]
            left = (2, 1) if left == (0, 0) else left
            if aside and (scored := points("Kingdom Come", aside)):
                best[left] = max(best.get(left, 0), scored)
        assert {game.modes[game.mode(c.mode)].dice: 50 * c.points for c in outcome.choices} == best
    assert {id(outcome): outcome.probability for outcome in game.modes[0].outcomes} == chances


def chances_of(mode):
    """The chances of what a roll scores, or of how it ends the turn."""
    found = Counter()
    for outcome in mode.outcomes:
        scored = outcome.choices[0].points if outcome.choices else outcome.result
        found[scored] += outcome.probability
    return found


def test_big_pig_is_its_rolls():
    chances = Counter()
    for a, b in product(range(1, 7), repeat=2):
        scored = 25 if a == b == 1 else "bust" if 1 in (a, b) else (a + b) * (1 + (a == b))
        chances[scored] += Fraction(1, 36)
    assert chances_of(*dl.games.big_pig().modes) == chances


def test_hog_is_one_roll():
    game, mean = dl.hog(), {}
    assert game.modes[0].asks and game.modes[-1].must_hold
    for k, mode in enumerate(game.modes[1:-1], start=1):
        assert mode.chance("bust") == 1 - Fraction(5, 6) ** k
        mean[k] = sum(o.probability * c.points for o in mode.outcomes for c in o.choices)
        assert mean[k] == 4 * k * Fraction(5, 6) ** k, (
            "every die that is not a one scores 4 on average"
        )
    assert (
        max(mean, key=mean.get) == 5 and mean[5] == mean[6] and round(float(mean[5]), 4) == 8.0376
    )


def test_toss_up_is_its_rolls():
    for n, mode in enumerate(reversed(dl.games.toss_up().modes[-4:]), start=1):
        chances = Counter()
        for roll in product("gggyyr", repeat=n):
            greens = roll.count("g")
            chances["bust" if "r" in roll and not greens else (greens, n - greens or 10)] += (
                Fraction(1, 6**n)
            )
        found = {
            (o.choices[0].points, int(o.choices[0].mode.split()[0]))
            if o.choices
            else "bust": o.probability
            for o in mode.outcomes
        }
        assert found == chances


def test_pigs():
    (mode,) = dl.games.pass_the_pigs().modes
    assert mode.chance("reset") == Fraction(23, 6000)
    (alone,) = dl.games.pass_the_pigs(frequencies=[1, 1, 1, 1, 1, 1], touching=0).modes
    score = {0: 0, 1: 0, 2: 5, 3: 5, 4: 10, 5: 15}
    chances = Counter()
    for a, b in product(range(6), repeat=2):
        side = 1 if a == b else "bust"
        chances[side if max(a, b) < 2 else (score[a] + score[b]) * (1 + (a == b))] += Fraction(
            1, 36
        )
    assert chances_of(alone) == chances and chances[60] == Fraction(1, 36)
    never = dl.games.pass_the_pigs(frequencies=[1, 0, 1, 0, 0, 0], touching=0)
    assert [mode.chance("bust") for mode in never.modes] == [0]


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (dl.games.facebook_farkle(), ["0 farkles", "1 farkle", "2 farkles"]),
        (dl.games.zilch(), ["0 zilches", "1 zilch", "2 zilches"]),
    ],
)
def test_registers_of_three_in_a_row(game, names):
    after = [*names[1:], names[0]]
    expected = [
        dl.Register(name, names[0], bust, penalty=cost, least_hold=6)
        for name, bust, cost in zip(names, after, (0, 0, 10), strict=True)
    ]
    assert list(game.registers) == expected
    assert (game.lowest, game.target, game.finish) == (-50, 200, "reach")


def test_the_states_of_facebook_farkle_are_as_many_as_printed():
    """Busche 2016: "With a lower bound of -2500 points for banked scores, there are 423,765,000 distinct states"."""
    game = dl.games.facebook_farkle()
    assert len(game.modes) * len(game.scores) * sum(map(game.missing, game.scores)) == 423_765_000


@pytest.mark.parametrize(
    "game",
    [
        dl.games.facebook_farkle(6, lowest=0),
        dl.games.facebook_farkle(8, lowest=0, minimum=400),
        dl.games.zilch(7, lowest=0, minimum=350),
        dl.ten_thousand(5, opening=250),
        dl.farkle(4, opening=200),
    ],
    ids=lambda game: game.name,
)
def test_a_minimum_as_large_as_the_target_is_a_race_of_single_turns(game):
    """Every turn wins or changes no score, so that the first wins with p / (1 - (1 - p)²), with p that of one turn."""
    turn = dl.solve(replace(game, registers=(), lowest=0), "deadline", turns=1)
    p = float(turn.value)
    assert 0 < p < 1 and dl.solve(game).value == pytest.approx(1 / (2 - p), abs=1e-14)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: dl.ten_thousand(opening=520),
            "opening: 520 is not allowed; give a multiple of 50",
        ),
        (
            lambda: dl.farkle(8, opening=500),
            "of 'not opened' the least_hold: 10 is not allowed; .* at most 8",
        ),
        (
            lambda: dl.games.facebook_farkle(5),
            "of '0 farkles' the least_hold: 6 is not allowed; .* at most 5",
        ),
        (
            lambda: dl.games.facebook_farkle(10_000),
            "target: 10000 chips are 500,000 points; for 10,000 points give 200",
        ),
        (lambda: dl.games.facebook_farkle(lowest=1), "lowest: 1 is not allowed"),
        (
            lambda: dl.games.zilch(penalty=0),
            "penalty: 0 is not allowed; give a whole number of at least 1",
        ),
        (
            lambda: dl.games.zilch(minimum=0),
            "minimum: 0 is not allowed; give a whole number of at least 1",
        ),
        (
            lambda: dl.games.kingdom_come(dice=["Standard", "odd"]),
            r"dice\[1\]: 'odd' is not allowed",
        ),
        (
            lambda: dl.games.kingdom_come(dice=["Odd"] * 7),
            "dice: .* give a sequence of one to six kinds of dice",
        ),
        (
            lambda: dl.games.kingdom_come(4000),
            "target: 4000 chips are 200,000 points; for 4,000 points give 80",
        ),
        (lambda: dl.hog(most_dice=21), "most_dice: 21 is not allowed"),
        (lambda: dl.games.pass_the_pigs(frequencies=[1, 2]), "frequencies: .* give six numbers"),
        (lambda: dl.games.pass_the_pigs(touching=1), "probability: "),
        (
            lambda: dl.Mode("roll", dl.pig().modes[0].outcomes, dice=(1, -1)),
            r"dice\[1\]: -1 is not allowed",
        ),
    ],
)
def test_bad_rules_are_refused_by_name(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()
