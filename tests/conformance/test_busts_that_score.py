"""A bust that scores, held against a recursion in fractions that shares no code with the library.

Where every bust scores, a turn leads to more points of both players together, so that nothing goes round: a value
follows from others that are known. Above the target alone a turn has no natural end; there the recursion holds from
`FAR` points above it on, where a leader would hold long before.
"""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab.evaluation.best_response import respond_to_players

FAR = 40
HALF = Fraction(1, 2)


class Rules:
    """A die, what a bust scores, the fewest points of a hold, the target and the finish; and what follows from them."""

    def __init__(self, seed):
        drawn = random.Random(seed)
        faces = drawn.randint(2, 6)
        self.die = [drawn.randint(1, 4) for _ in range(faces)]
        self.die[: drawn.randint(1, faces - 1)] = [None] * drawn.randint(1, faces - 1)  # busts
        self.die += [drawn.randint(1, 3)] if all(face is None for face in self.die) else []
        self.die += [None] if None not in self.die else []
        self.paid, self.least = drawn.randint(1, 3), drawn.choice([1, 1, 2, 3])
        self.target = drawn.randint(3, 7)
        self.finish = drawn.choice(["reach", "exact", "equal turns", "last licks"])
        self.value, self.chase = cache(self._value), cache(self._chase)
        self.response, self.fewest = cache(self._response), cache(self._fewest)
        self.within, self.played = cache(self._within), cache(self._played)

    @property
    def game(self):
        chance = Fraction(1, len(self.die))
        outcomes = [
            dl.Outcome(chance, "bust" if face is None else dl.Choice(face, "roll"))
            for face in self.die
        ]
        register = dl.Register("any", penalty=-self.paid, least_hold=self.least)
        mode = dl.Mode("roll", outcomes)
        return dl.Game("A bust that scores", self.target, [mode], self.finish, registers=[register])

    def turn(self, need, bust, hold, finish, rolls=None):
        """What a turn is worth from its first roll; `finish` by points over; by given decisions, or the best."""
        exactly, answered = self.finish == "exact", callable(hold) and hold(None)
        need_at_least = need if exactly else max(need, self.least)

        @cache
        def arrived(total):
            if exactly and (total > need or (total == need and total < self.least)):
                return bust
            if total >= need_at_least and not answered:
                return finish(total - need)
            if total >= need_at_least + FAR:
                return finish(total - need)
            held = None
            if total >= self.least:
                held = hold(total) if total < need else finish(total - need)
            rolled = roll(total)
            if held is None or (rolls and rolls(total)):
                return rolled
            return held if rolls else max(held, rolled)

        def roll(total):
            after = [bust if face is None else arrived(total + face) for face in self.die]
            return sum(after) / Fraction(len(after))

        return roll(0)

    def after_bust(self, own):
        return min(own + self.paid, self.target) if self.finish == "exact" else own + self.paid

    def _chase(self, own, best):
        """The best chance of a last turn to beat a score, a draw counting half in "equal turns"."""

        def won(score):
            return 1 if score > best else HALF if score == best and self.equal else 0

        @cache
        def arrived(total):
            if own + total > best and total >= self.least:
                return Fraction(1)
            held = won(own + total) if total >= self.least else -1
            return max(Fraction(held), roll(total))

        def roll(total):
            return sum(
                won(own + self.paid) if face is None else arrived(total + face) for face in self.die
            ) / Fraction(len(self.die))

        return roll(0)

    @property
    def equal(self):
        return self.finish == "equal turns"

    def answered(self, role):
        return self.finish == "last licks" or (self.equal and role == 0)

    def _value(self, own, other, role=0, objective="win", overshoot=False):
        """The value of the mover."""
        answered = self.answered(role)

        def finish(over):
            if answered:
                return 1 - self.chase(other, self.target + over)
            return Fraction(1) if objective == "win" else self.target - other + over * overshoot

        def passed(score):
            if score >= self.target:
                return finish(score - self.target)
            then = self.value(other, score, (1 - role) * self.equal, objective, overshoot)
            return (objective == "win") - then

        def hold(total):
            return answered if total is None else passed(own + total)

        return self.turn(self.target - own, passed(self.after_bust(own)), hold, finish)

    def _played(self, own, other, stops):
        """The chance of the mover who holds at ``stops[0]``, against one who holds at ``stops[1]``; finish "reach"."""

        def passed(score):
            return 1 if score >= self.target else 1 - self.played(other, score, stops[::-1])

        return self.turn(
            self.target - own,
            passed(own + self.paid),
            lambda total: False if total is None else passed(own + total),
            lambda over: 1,
            lambda total: total < stops[0],
        )

    def _response(self, own, other, stop, moves=True):
        """The best chance against one who holds at `stop`; finish "reach"."""

        def passed(score):
            if score >= self.target:
                return Fraction(moves)
            return self.response(*((score, other) if moves else (own, score)), stop, not moves)

        mine = own if moves else other
        return self.turn(
            self.target - mine,
            passed(mine + self.paid),
            lambda total: False if total is None else passed(mine + total),
            lambda over: Fraction(moves),
            None if moves else lambda total: total < stop,
        )

    def _fewest(self, own):
        """The fewest turns; finish "reach" or "exact"."""

        def passed(score):
            return -1 if score >= self.target else -1 - self.fewest(score)

        return -self.turn(
            self.target - own,
            passed(self.after_bust(own)),
            lambda total: False if total is None else passed(own + total),
            lambda over: -1,
        )

    def _within(self, own, turns):
        """The best chance to finish within some turns; finish "reach" or "exact"."""

        def passed(score):
            return 1 if score >= self.target else self.within(score, turns - 1)

        return Fraction(0) if not turns else self.turn(
            self.target - own,
            passed(self.after_bust(own)),
            lambda total: False if total is None else passed(own + total),
            lambda over: 1,
        )  # fmt: skip


SEEDS = range(40)
RACES = {seed: Rules(seed) for seed in SEEDS}
PLAIN = [seed for seed, rules in RACES.items() if rules.finish in ("reach", "exact")]
REACH = [seed for seed, rules in RACES.items() if rules.finish == "reach"]


def test_to_40_the_first_player_wins_as_a_program_of_others_says():
    die = dl.pig(40)
    game = replace(die, registers=[dl.Register("any", penalty=-1)])
    assert dl.solve(game).value == pytest.approx(0.548574527109101, abs=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_chance_to_win(seed):
    rules = RACES[seed]
    roles = (0, 1) if rules.equal else (0,)
    found = dl.solve(rules.game, exact=True).values.reshape(len(roles), rules.target, -1)
    close = dl.solve(rules.game).values.reshape(found.shape)
    for role in roles:
        for own in range(rules.target):
            for other in range(rules.target):
                value = rules.value(own, other, role)
                assert found[role, own, other] == value
                assert close[role, own, other] == pytest.approx(float(value), abs=1e-13)


@pytest.mark.parametrize("seed", PLAIN)
@pytest.mark.parametrize("overshoot", [False, True])
def test_the_best_margin(seed, overshoot):
    rules = RACES[seed]
    value = rules.value(0, 0, 0, "margin", overshoot)
    assert dl.solve(rules.game, "margin", exact=True, overshoot=overshoot).value == value
    solution = dl.solve(rules.game, "margin", overshoot=overshoot)
    assert solution.value == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("seed", PLAIN)
def test_one_player(seed):
    rules = RACES[seed]
    assert dl.solve(rules.game, "turns", exact=True).value == rules.fewest(0)
    assert dl.solve(rules.game, "turns").value == pytest.approx(float(rules.fewest(0)), abs=1e-11)
    exact = dl.solve(rules.game, "deadline", turns=3, exact=True)
    close = dl.solve(rules.game, "deadline", turns=3)
    chances = textbook.deadline_chances(rules.game, 3)
    for own in range(rules.target):
        value = rules.within(own, 3)
        assert exact.values[3, own] == chances[3, own] == value
        assert close.values[3, own] == pytest.approx(float(value), abs=1e-13)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_most_points_of_a_turn(seed):
    rules = RACES[seed]

    @cache
    def arrived(total):
        if total >= 60:
            return Fraction(total)
        return max(Fraction(total) if total >= rules.least else Fraction(0), roll(total))

    def roll(total):
        return sum(
            rules.paid if face is None else arrived(total + face) for face in rules.die
        ) / Fraction(len(rules.die))

    solution = dl.solve(rules.game, "score", exact=True)
    assert solution.value == roll(0)
    assert dl.solve(rules.game, "score").value == pytest.approx(float(roll(0)), abs=1e-12)


@pytest.mark.parametrize("seed", REACH)
def test_given_policies(seed):
    rules = RACES[seed]
    game, stops = rules.game, (2, 4)
    policies = [dl.hold_at(stop) for stop in stops]
    match = dl.evaluate(game, *policies)
    assert match.first_wins == pytest.approx(float(rules.played(0, 0, stops)), abs=1e-13)
    best = dl.best_response(game, policies[1])
    assert best.value == pytest.approx(float(rules.response(0, 0, stops[1])), abs=1e-12)
    values, _ = textbook.value_iteration(game, "win")
    assert np.abs(values - dl.solve(game).values).max() < 1e-12
    wins, turns = textbook.policy_evaluation(game, *policies)
    assert (wins, turns) == pytest.approx((match.first_wins, match.turns_mean), abs=1e-11)


@pytest.mark.parametrize("seed", REACH)
def test_a_best_response_to_several(seed):
    """To one other it is that of two players; to two it wins what it says, and more than other rules."""
    rules = RACES[seed]
    game, others = rules.game, [dl.hold_at(4), dl.hold_at(2)]
    one = respond_to_players(game, {"opponent": others[0]})
    assert one.value == pytest.approx(float(rules.response(0, 0, 4)), abs=1e-12)
    two = dl.best_response(game, *others)
    achieved = dl.evaluate(game, two.policy, *others).wins[0]
    assert achieved == pytest.approx(two.value[0], abs=1e-12)
    for stop in range(1, rules.target + 1):
        assert dl.evaluate(game, dl.hold_at(stop), *others).wins[0] < achieved + 1e-12


def test_the_points_of_a_turn():
    game = replace(dl.pig(40), registers=[dl.Register("any", penalty=-1)])
    points = dl.turn_points(game, dl.hold_at(20))
    plain = dl.turn_points(dl.pig(40), dl.hold_at(20))
    assert points[1] == plain[0] and points[0] == 0
    assert points[20] == plain[20]


def test_what_is_wrong_says_so():
    with pytest.raises(ValueError, match=r"penalty: 0\.5 is not allowed; give a whole number$"):
        dl.Register("any", penalty=0.5)
    with pytest.raises(ValueError, match="lowest: -1 is not allowed"):
        replace(dl.pig(10), registers=[dl.Register("any", penalty=-1)], lowest=-1)
