"""Grades: against dl.evaluate and dl.loss, a dense Markov chain over all states, a simulation, and what is refused."""

import functools
import pickle
import random

import numpy as np
import pytest
from conftest import beginning
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import dicelab as dl
from dicelab.evaluation.grade import Grade
from dicelab.strategies import read_strategy

RNG = np.random.default_rng(7)
PIG = dl.pig(20)
FACES = {"bust": 1 / 6, **dict.fromkeys(range(2, 7), 1 / 6)}  # of Pig, written out again
COIN = {"bust": 1 / 2, 1: 1 / 2}  # of Piglet
OPENING = dl.Game(
    "opening",
    12,
    dl.pig(12).modes,
    registers=[dl.Register("closed", after_hold="open", least_hold=5), dl.Register("open")],
)
GAMES = {
    "one mode": PIG,
    "resets": dl.two_dice_pig(20),
    "forced rolls": dl.double_trouble(18),
    "exact": dl.pig(12, "exact"),
    "a choice before the roll": dl.hog(12),
    "choices": dl.ten_thousand(7),
    "registers": OPENING,
    "registers and choices": dl.ten_thousand(12, opening=500),
    "two ends": dl.toss_up(10),
}


def shape_of(game):
    return len(game.scores), len(game.scores), game.longest


def twenty(own, opponent, turn_total):
    return "roll" if turn_total < 20 else "hold"


@pytest.mark.parametrize("name", GAMES)
def test_what_the_decisions_give_away_sums_to_the_loss(name):
    game = GAMES[name]
    always_rolls = np.ones((len(game.scores),) * 2 + (game.longest,), dtype=bool)
    tables = (
        []
        if name == "a choice before the roll"
        else [beginning(RNG.random(shape_of(game)) < 0.5), always_rolls]
    )
    for strategy in (dl.hold_at(4), dl.scoring_turns(3), *tables):
        for opponent in (None, dl.hold_at(3)):
            mine = dl.grade(game, strategy, opponent)
            explained = mine.decisions["given away"].sum() + mine.endless
            assert explained == pytest.approx(mine.loss, abs=1e-12)
            assert (mine.turn_costs * mine.turns_met).sum() + mine.endless == pytest.approx(
                mine.loss, abs=1e-12
            )
            assert (mine.decisions["cost"] > 0).all() and (mine.decisions["met"] > 0).all()
            assert mine.decisions["given away"].is_monotonic_decreasing
            assert (mine.decisions["does"] != mine.decisions["best"]).all()


@pytest.mark.parametrize("name", GAMES)
def test_policies_are_graded_as_they_are_evaluated(name):
    game = GAMES[name]
    best = dl.solve(game).policy
    for policy in (dl.hold_at(4), dl.scoring_turns(3), best):
        mine = dl.grade(game, policy)
        assert mine.first_wins == pytest.approx(
            dl.evaluate(game, policy, best).first_wins, abs=1e-13
        )
        assert mine.second_wins == pytest.approx(
            1 - dl.evaluate(game, best, policy).first_wins, abs=1e-13
        )
        assert mine.loss == pytest.approx(dl.loss(game, policy), abs=1e-13)
        assert mine.best_first == pytest.approx(dl.solve(game).value, abs=1e-13)
        other = dl.grade(game, policy, dl.hold_at(3))
        assert other.best_first == pytest.approx(
            dl.best_response(game, dl.hold_at(3)).value, abs=1e-12
        )
        assert other.first_wins == pytest.approx(
            dl.evaluate(game, policy, dl.hold_at(3)).first_wins, abs=1e-13
        )
        unit = 20 if game.chip == 1 else game.with_unit(20)
        for rivals, rival in (
            (f"hold at {unit}", dl.hold_at(20)),
            ("itself", policy),
            ("optimal policy", best),
        ):
            first = dl.evaluate(game, policy, rival).first_wins
            second = 1 - dl.evaluate(game, rival, policy).first_wins
            assert mine.matches.loc[rivals].tolist() == pytest.approx(
                [first, second, (first + second) / 2], abs=1e-13
            )
        assert other.matches.loc["hold at 3", "first"] == other.first_wins
    assert mine.loss < 1e-12 and not len(mine.decisions) and not len(mine.worst)


def dense(faces, target, mine, theirs):
    """One game as a Markov chain over all states, solved densely.

    A state is (whether the strategy is about to move, its score, the opponent's score, the turn total). `mine` and
    `theirs` are 1 for roll and 0 for hold, [own, opponent, total]; returns the chances and the visits by state, the
    latter in the mean of moving first and second.
    """
    states = [
        (mover, a, b, total)
        for mover in (True, False)
        for a in range(target)
        for b in range(target)
        for total in range(target - (a if mover else b))
    ]
    place = {state: k for k, state in enumerate(states)}
    moves = np.zeros((len(states), len(states)))
    wins = np.zeros(len(states))
    for k, (mover, a, b, total) in enumerate(states):
        own, other = (a, b) if mover else (b, a)
        share = 1.0 if total == 0 else (mine if mover else theirs)[own, other, total]
        held = (a + total, b) if mover else (a, b + total)
        moves[k, place[not mover, *held, 0]] += 1 - share
        for points, chance in faces.items():
            if points == "bust":
                moves[k, place[not mover, a, b, 0]] += share * chance
            elif own + total + points >= target:
                wins[k] += share * chance * mover
            else:
                moves[k, place[mover, a, b, total + points]] += share * chance
    inverse = np.linalg.inv(np.eye(len(states)) - moves)
    chances = inverse @ wins
    visits = (inverse[place[True, 0, 0, 0]] + inverse[place[False, 0, 0, 0]]) / 2
    return (dict(zip(states, column.tolist(), strict=True)) for column in (chances, visits))


@pytest.mark.parametrize(
    ("game", "faces"), [(dl.pig(8), FACES), (dl.piglet(5), COIN)], ids=["pig", "piglet"]
)
@pytest.mark.parametrize("rival", [None, dl.hold_at(2)], ids=["optimum", "hold at 2"])
def test_against_a_dense_markov_chain(game, faces, rival):
    target = game.target
    shares = beginning((RNG.random((target,) * 3) < 0.5).astype(float))
    opponent = rival or dl.solve(game).policy
    best = dl.best_response(game, rival).policy if rival else opponent
    theirs = opponent.roll_mask(game=game).astype(float)
    chances, visits = dense(faces, target, shares, theirs)
    most, _ = dense(faces, target, best.roll_mask().astype(float), theirs)
    mine = dl.grade(game, shares, rival)
    assert mine.first_wins == pytest.approx(chances[True, 0, 0, 0], abs=1e-13)
    assert mine.second_wins == pytest.approx(chances[False, 0, 0, 0], abs=1e-13)
    assert mine.best_second == pytest.approx(most[False, 0, 0, 0], abs=1e-13)
    met = {(a, b): visits[True, a, b, 0] for a in range(target) for b in range(target)}
    for (a, b), often in met.items():
        assert mine.turns_met[a, b] == pytest.approx(often, abs=1e-13)
    rows = {
        (row["own"], row["opponent"], row["turn total"]): row
        for row in mine.decisions.to_dict("records")
    }
    for (mover, a, b, total), often in visits.items():
        if not mover or total == 0:
            continue
        hold = most[False, a + total, b, 0]
        roll = sum(
            chance
            * (
                most[False, a, b, 0]
                if points == "bust"
                else 1.0
                if a + total + points >= target
                else most[True, a, b, total + points]
            )
            for points, chance in faces.items()
        )
        share = shares[a, b, total]
        cost = max(hold, roll) - share * roll - (1 - share) * hold
        if often * cost > 1e-12:
            row = rows.pop((a, b, total))
            assert (row["cost"], row["met"]) == pytest.approx((cost, often), abs=1e-12)
            assert row["best"] == ("roll" if roll > hold else "hold")
            assert row["does"] == ("roll" if share else "hold")
    assert all(row["given away"] < 1e-11 for row in rows.values())


@njit
def play(random, faces, tables, games, first):
    """How many games of Pig the strategy wins; both players' tables of decisions to roll, the strategy's first."""
    target, won = len(tables[0]), 0
    for _ in range(games):
        scores = np.zeros(2, np.int64)
        mover = 0 if first else 1
        total = 0
        while True:
            if total and not tables[mover][scores[mover], scores[1 - mover], total]:
                scores[mover] += total
                mover, total = 1 - mover, 0
                continue
            face = random.integers(1, faces + 1)
            if face == 1:
                mover, total = 1 - mover, 0
                continue
            total += face
            if scores[mover] + total >= target:
                won += mover == 0
                break
    return won


def test_a_table_wins_as_a_simulation_says():
    """A million games of Pig to 100, first and second, within four standard errors."""
    games, rng = 1_000_000, np.random.default_rng(3)
    table = beginning(rng.random((100,) * 3) < 0.5)
    theirs = dl.solve(dl.pig()).policy.roll_mask()
    mine = dl.grade(dl.pig(), table)
    for first, wins in ((True, mine.first_wins), (False, mine.second_wins)):
        share = play(rng, 6, (table, theirs), games, first) / games
        assert abs(share - wins) < 4 * (wins * (1 - wins) / games) ** 0.5


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 9),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.lists(st.integers(1, 9), min_size=3, max_size=5),
)
def test_any_strategy_in_any_game_of_a_die(target, seed, against, weights):
    total, rng = sum(weights), np.random.default_rng(seed)
    game = dl.generalized_pig([f"{weight}/{total}" for weight in weights], target)
    rolls = beginning(rng.random((target,) * 3) < 0.6)
    opponent = read_strategy(game, beginning(rng.random((target,) * 3) < 0.6)) if against else None
    mine = dl.grade(game, rolls, opponent)
    assert mine.decisions["given away"].sum() + mine.endless == pytest.approx(mine.loss, abs=1e-12)
    assert (
        0 <= mine.first_wins <= mine.best_first + 1e-12
        and mine.second_wins <= mine.best_second + 1e-12
    )
    assert dl.grade(game, rolls).loss == pytest.approx(dl.loss(game, rolls), abs=1e-13)


def should_roll(turn_total, opponent, own, until=6):
    return np.bool_(turn_total < until)


def holds(pending):
    return int(pending >= 6)


def test_all_ways_to_give_the_same_strategy():
    said = [
        lambda own, opponent, turn_total: "roll" if turn_total < 6 else "HOLD",
        lambda own, opponent, turn_total, dice: {True: "roll", False: "hold"}[turn_total < 6],
        should_roll,
        holds,
        lambda own, opponent, turn_total, until=6: "roll" if turn_total < until else "hold",
        functools.partial(should_roll, until=6),
        lambda target: 6,
        6,
        6.0,
        "hold at 6",
        np.full((20, 20), 6).tolist(),
        {(own, opponent): 6 for own in range(20) for opponent in range(20)},
        dl.hold_at(6).roll_mask(game=PIG),
        dl.hold_at(6).roll_mask(game=PIG).astype(int),
        dl.hold_at(6).roll_mask(game=PIG).astype(float),
        dl.hold_at(6).hold_thresholds(game=PIG),
        np.full((20, 20), 6),
    ]
    expected = dl.grade(PIG, dl.hold_at(6))
    for strategy in said:
        mine = dl.grade(PIG, strategy)
        assert mine.first_wins == expected.first_wins and mine.loss == expected.loss
        assert mine.decisions.equals(expected.decisions)
        assert np.array_equal(mine.strategy.roll_mask(game=PIG), dl.hold_at(6).roll_mask(game=PIG))


def test_it_is_asked_only_where_there_is_a_decision_that_it_meets():
    asked, game = [], dl.double_trouble(12)

    def strategy(own, opponent, turn_total, dice):
        asked.append((own, opponent, turn_total, dice))
        return "roll" if turn_total < 8 else "hold"

    dl.grade(game, strategy)
    assert {dice for *_, dice in asked} == {"free"} and all(
        0 <= total < 12 - own for own, _, total, _ in asked
    )
    assert len(asked) == 2 * len(set(asked)) and {(own, other) for own, other, *_ in asked} >= {
        (0, 11),
        (3, 3),
    }
    assert max(total for *_, total, _ in asked) > 8 and all(total != 1 for *_, total, _ in asked)
    scores = []

    def rolls(own, opponent, turn_total):
        scores.append((own.register, turn_total))
        return turn_total < 7

    dl.grade(OPENING, rolls)
    asked = {name: sorted({total for each, total in scores if each == name}) for name, _ in scores}
    assert asked["closed"][:2] == [0, 5] and asked["open"][:2] == [0, 2]


def test_a_strategy_may_choose_its_dice():
    game = dl.ten_thousand(6)
    best = dl.solve(game).policy

    class Copy:
        def __call__(self, own, opponent, turn_total, dice):
            return "roll" if best.rolls(own, opponent, turn_total, dice) else "hold"

        def keep(self, own, opponent, turn_total, roll):
            return best.keep(own, opponent, turn_total, roll)

    def few(own, opponent, turn_total):
        return "roll" if turn_total < 3 else "hold"

    without = dl.grade(game, few)
    assert without.loss == pytest.approx(dl.loss(game, dl.hold_at(3)), abs=1e-15)
    assert dl.grade(game, Copy()).loss < 1e-12
    few.keep = lambda own, opponent, turn_total, roll: list(
        best.keep(own, opponent, turn_total, roll)[0]
    )
    assert dl.grade(game, few).loss < without.loss
    few.keep = lambda own, opponent, turn_total, roll: [6, 6, 6]
    with pytest.raises(
        ValueError, match=r"few\.keep answers \[6, 6, 6\] at own=0.*roll=\[.*give one of \("
    ):
        dl.grade(game, few)
    few.keep = lambda own, opponent: [1]
    with pytest.raises(ValueError, match="does not ask for roll, the roll on the table"):
        dl.grade(game, few)
    hog, names = dl.hog(8), []

    def one_die(own, opponent, turn_total):
        return "hold"

    one_die.keep = lambda own, opponent, turn_total, roll: names.append(roll) or roll[0]
    assert dl.grade(hog, one_die).loss > 0.1 and set(map(tuple, names)) == {
        tuple(c.name for c in hog.modes[0].choices)
    }


def test_play_that_never_ends_counts_half():
    slow = dl.Game(
        "safe",
        3,
        [
            dl.Mode(
                "roll",
                [
                    dl.Outcome("1/2", "bust"),
                    dl.Outcome("1/2", [dl.Choice(1, "roll"), dl.Choice(0, "lost")]),
                ],
            ),
            dl.Mode("lost", [dl.Outcome(1, "bust")], may_hold=False),
        ],
    )

    def never(own, opponent, turn_total):
        return "hold" if turn_total else "roll"

    never.keep = lambda own, opponent, turn_total, roll: "lost"
    wasteful = read_strategy(slow, never)
    mine = dl.grade(slow, wasteful, wasteful)
    assert mine.first_wins == mine.second_wins == 0.5
    assert mine.decisions["given away"].sum() + mine.endless == pytest.approx(mine.loss, abs=1e-12)
    assert mine.loss == pytest.approx(0.5)


async def awaited(own, opponent, turn_total):
    return True


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (
            True,
            "strategy: True is not allowed; give a policy, a whole number to hold at, a function",
        ),
        (0, "strategy: 0 is not allowed; give a whole number of at least 1"),
        ("hold at", "strategy: 'hold at' is not allowed; give a rule, 'hold at n'"),
        (dl.solve(PIG), r"did you mean its \.policy\?"),
        (dl.solve(dl.pig(19)).policy, "this policy is for Pig to 19, not Pig to 20"),
        (dl.solve(dl.pig(5), players=3).policy, "policy for two players"),
        (type("Mine", (), {}), r"did you mean Mine\(\)\?"),
        (
            np.zeros((20, 19)),
            r"strategy: an array of shape \(20, 19\) is not allowed; give one of shape \(20, 20\) of whole numbers.*"
            r"\(20, 20, 20\) of True or 1 for roll.*columns own, opponent and hold at",
        ),
        (
            np.zeros((20, 20), bool),
            r"an array of bools is not allowed; give one of shape \(20, 20\) of whole",
        ),
        (np.full((20,) * 3, "rool"), r"'rool' at \[0, 0, 0\], a word, is not a decision"),
        (~dl.hold_at(6).roll_mask(game=PIG), "if its True means hold, give ~table"),
        (
            np.full((20,) * 3, 1.5),
            "1.5 is not allowed at own=0, opponent=0, turn_total=0; give 0 or False for hold",
        ),
        (np.full((20,) * 3, np.nan), "nan is not allowed at own=0, opponent=0, turn_total=0"),
        (
            np.full((20,) * 3, 2),
            "2 is not allowed at own=0, opponent=0, turn_total=0; give 0 or False for hold",
        ),
        (np.full((20,) * 3, 1 + 1e-9), "1.000000001 is not allowed at own=0"),
        (awaited, "give a function that returns its answer, neither async nor with yield"),
        (lambda own, opponent, turn_total: (yield True), "neither async nor with yield"),
        (
            lambda own, opponent: True,
            "a function that decides to roll or to hold asks for turn_total",
        ),
        (
            lambda own, opponent, turn_total, rng: "roll",
            "it cannot be told what rng is: name the parameters",
        ),
        (lambda *state: "roll", "it cannot be told what a function is to be called with"),
        (lambda a, b, c: "roll", "it cannot be told what a and b and c are"),
        (lambda own, me, k: "roll", "own and me would both be the own score"),
        (
            lambda own, opponent, turn_total, register: "roll",
            "asks for register, the own register, which there is not",
        ),
        (
            lambda own, opponent, turn_total: turn_total < 6,
            "it is not said whether that means roll or hold",
        ),
        (
            lambda own, opponent, turn_total: "rol",
            "a function answers 'rol' at own=0, opponent=0, turn_total=0; give 'r",
        ),
        (lambda own, opponent, turn_total: None, "does every path of it return an answer"),
        (lambda own, opponent, turn_total: 0.5, "answers 0.5 at"),
        (lambda own, opponent, turn_total: 2, "answers 2 at"),
        (
            lambda own, opponent, turn_total: "roll" if 1 // (own - 3) else "hold",
            "raises ZeroDivisionError: .* in line .* of test_grade.py.*own=3",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_refused(strategy, said):
    with pytest.raises(ValueError, match=said):
        dl.grade(PIG, strategy)


def test_what_is_refused_of_other_arguments():
    with pytest.raises(NotImplementedError, match=r"opponent: .* remembers its turns"):
        dl.grade(PIG, twenty, dl.scoring_turns(3))
    with pytest.raises(ValueError, match="opponent: -3 is not allowed"):
        dl.grade(PIG, twenty, -3)
    with pytest.raises(ValueError, match=r"did you mean dicelab.pig\(\)"):
        dl.grade(dl.pig, twenty)


def test_a_strategy_that_is_not_the_same_twice_is_named():
    dice = random.Random(1)
    with pytest.raises(
        ValueError,
        match=r"answers (roll|hold) at own=.*, and (roll|hold) when it is asked again; it may n",
    ):
        dl.grade(PIG, lambda own, opponent, turn_total: "roll" if dice.random() < 0.5 else "hold")
    with pytest.raises(ValueError, match="RecursionError"):

        def deep(own, opponent, turn_total):
            return deep(own, opponent, turn_total)

        dl.grade(PIG, deep)


def test_a_grade_is_a_record():
    mine = dl.grade(dl.pig(40), twenty)
    assert (
        isinstance(mine, Grade)
        and mine.name == "twenty"
        and len(mine.worst) == 10 < len(mine.decisions)
    )
    assert repr(mine).startswith(
        "<Grade of twenty in Pig to 40: against optimal policy moving first it wins 0."
    )
    assert (
        "\n" not in repr(mine)
        and str(mine).splitlines()[0] == "twenty in Pig to 40, against the optimal policy"
    )
    again = pickle.loads(pickle.dumps(mine))
    assert (
        again.loss == mine.loss
        and again.decisions.equals(mine.decisions)
        and not again.turn_costs.flags.writeable
    )
    assert "nothing away" in str(dl.grade(PIG, dl.solve(PIG).policy))
    both = dl.grade(PIG, dl.scoring_turns(4)).decisions["does"]
    assert both.str.fullmatch(r"(hold \d+%, roll|roll \d+%, hold) \d+%").any()
    figure = mine.figure()
    assert len(figure.axes) == 3


def test_methods_are_taken_of_objects():
    class Cautious:
        def decide(self, own, opponent, turn_total):
            return "roll" if turn_total < 2 else "hold"

    with pytest.raises(ValueError, match="has a parameter self; call the class first"):
        dl.grade(dl.piglet(5), Cautious.decide)
    right = dl.grade(dl.piglet(5), Cautious().decide)
    assert right.loss == dl.grade(dl.piglet(5), dl.hold_at(2)).loss


def test_a_strategy_that_counts_its_questions_is_found_out():
    asked = []

    def alternates(own, opponent, turn_total):
        asked.append(own)
        return ("roll", "hold")[len(asked) % 2]

    with pytest.raises(ValueError, match=r"alternates answers .* when it is asked again"):
        dl.grade(dl.piglet(5), alternates)
    game = dl.ten_thousand(6)
    best, kept = dl.solve(game).policy, []

    def rolls(own, opponent, turn_total):
        return turn_total < 3

    def keep(own, opponent, turn_total, roll):
        if not {1, 5} <= set(roll):
            return best.keep(own, opponent, turn_total, roll)
        kept.append(roll)
        return [1] if len(kept) % 2 else [5]

    rolls.keep = keep
    with pytest.raises(
        ValueError, match=r"rolls answers 'keep .' .*, and 'keep .' when it is asked again"
    ):
        dl.grade(game, rolls)


def test_a_strategy_that_is_never_asked_is_refused():
    tables = np.zeros((10,) * 3, bool), np.full((10, 10), 5)
    for strategy in (lambda own, opponent, turn_total: "roll", *tables):
        with pytest.raises(ValueError, match=r"attribute keep(.|\n)*in Hog nobody holds"):
            dl.grade(dl.hog(10), strategy)


def test_a_graded_strategy_is_graded_again():
    game, table = dl.piglet(5), np.ones((5, 5, 5))
    again = dl.grade(game, dl.grade(game, table).strategy, dl.hold_at(2))
    assert again.first_wins == dl.grade(game, table, dl.hold_at(2)).first_wins
    with pytest.raises(ValueError, match="this policy is for Piglet to 5, not Piglet to 6"):
        dl.grade(dl.piglet(6), again.strategy)
    with pytest.raises(ValueError, match="give an array without a mask"):
        dl.grade(game, np.ma.masked_less(table, 0.6))
    with pytest.raises(
        ValueError, match=r"0.5 at \[0, 0\] is not a whole number, a turn total to hold at"
    ):
        dl.grade(game, table[..., 1] / 2)


def test_what_is_said_is_about_different_scores():
    mine = dl.grade(dl.pig(), dl.hold_at(20))
    said = [line for line in mine.sentences() if line.startswith("At ")]
    pairs = [tuple(int(word) for word in line.split() if word.isdigit())[:2] for line in said]
    assert len(pairs) == 3 and "It gives away 3.99% of games." in mine.sentences()
    apart = [abs(a - c) + abs(b - d) for n, (a, b) in enumerate(pairs) for c, d in pairs[:n]]
    assert min(apart) >= 10
