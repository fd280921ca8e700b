"""Last turns of three and more: against a solver as one would write it down, against two players, in fractions."""

import sys
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dicelab as dl
from dicelab.solvers.more_players import solve_players

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
from matrix import KINDS, game_of

sys.path.pop(0)
ENOUGH = 60  # points above the target, where nobody rolls
FINISHES = "last licks", "equal turns"
LAST_TURNS = [
    kind for kind in KINDS if kind[1] in FINISHES and kind[0] != "hot dice"
]  # or play is endless


def game_with(faces, target, least, finish, pays=0):
    """The game of :func:`by_hand`; a bust scores so many points."""
    shares = [f"{faces.count(k)}/{len(faces)}" for k in range(max(faces) + 1)]
    game = dl.generalized_pig(shares, target, finish=finish)
    if least == 1 and not pays:
        return game
    return replace(game, registers=(dl.Register("only", least_hold=least, penalty=-pays),))


def last_turns(faces, least, finish, pays=0, enough=ENOUGH):
    """A function with the chances in a last turn, where face 0 busts and a bust scores so many points."""
    chance, equal = 1 / len(faces), finish == "equal turns"

    def onward(best, others, holders):
        """The chances of those who have a last turn yet, and of each who has the score to beat."""
        return chase(others[0], 0, best, others[1:], holders) if others else (1 / holders,)

    def after(score, best, others, holders):
        """The chances of the player whose turn ends with a score, of those to come, and of each who had the best."""
        if score > best:
            *later, mine = onward(score, others, 1)
            return mine, *later, 0.0
        if equal and score == best:
            *later, mine = onward(best, others, holders + 1)
            return mine, *later, mine
        return 0.0, *onward(best, others, holders)

    @cache
    def chase(own, total, best, others, holders):
        """The chances of a player in a last turn, of those to come, and of each who has the score to beat."""
        score, options = own + total, []
        if total >= least and score >= best + (not equal):
            options.append(after(score, best, others, holders))
        if score < best + enough or not options:
            rolls = [
                after(own + pays, best, others, holders)
                if k == 0
                else chase(own, total + k, best, others, holders)
                for k in faces
            ]
            options.append(tuple(chance * sum(seat) for seat in zip(*rolls, strict=True)))
        return max(options, key=lambda option: option[0])

    return chase


def by_hand(faces, target, least, finish, rounds=400):
    """Everybody's chances at all scores of three, (role, own, next, last), if face 0 busts; and those of last turns."""
    chance, equal, chase = 1 / len(faces), finish == "equal turns", last_turns(faces, least, finish)

    def onward(best, others, holders):
        """The chances of those who have a last turn yet, and of each who has the score to beat."""
        return chase(others[0], 0, best, others[1:], holders) if others else (1 / holders,)

    scores, roles = range(target), 3 if equal else 1
    values = dict.fromkeys(product(range(roles), scores, scores, scores), (1 / 3,) * 3)

    def turn(role, own, one, other, bust):
        """The chances of the player to move, the next and the last, of a turn."""
        found, left = {}, (one, other)[: 2 - role]
        for total in reversed(range(target - own + ENOUGH + max(faces))):
            score, options = own + total, []
            if total >= least and score >= target:
                after = onward(score, left, 1)
                options.append((after[-1], *after[:-1], *(0.0,) * (2 - len(left))))
            elif total >= least:
                after = values[(role + 1) % roles, one, other, score]
                options.append((after[2], after[0], after[1]))
            if score < target + ENOUGH:
                rolls = [bust if k == 0 else found[total + k] for k in faces]
                options.append(tuple(chance * sum(seat) for seat in zip(*rolls, strict=True)))
            found[total] = max(options, key=lambda option: option[0])
        return found[0]

    for _ in range(rounds):
        off = 0.0
        for role, own, one, other in sorted(values, key=lambda state: -sum(state[1:])):
            after = values[(role + 1) % roles, one, other, own]
            new = turn(role, own, one, other, (after[2], after[0], after[1]))
            before = values[role, own, one, other]
            off = max(off, *(abs(a - b) for a, b in zip(new, before, strict=True)))
            values[role, own, one, other] = new
        if off < 1e-14:
            return values, chase
    raise AssertionError("it does not settle")


@pytest.mark.parametrize(("faces", "target"), [((0, 1), 3), ((0, 1, 2), 4), ((0, 1, 1, 4), 3)])
@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("finish", FINISHES)
def test_it_is_what_one_would_write_down(faces, target, least, finish):
    game = game_with(faces, target, least, finish)
    solution = dl.solve(game, players=3)
    values, chase = by_hand(faces, target, least, finish)
    equal = finish == "equal turns"
    for (role, *scores), chances in values.items():
        found = solution.at(*scores, role=role if equal else None)
        assert found == pytest.approx(chances, abs=1e-12), (role, scores)
    middle = {"role": 1} if equal else {}
    for own, other, total in product(range(target), range(target), range(1, 2 * target)):
        # with one more to come: in "last licks" the leader sits behind this one, and else moved before
        others = (other, target)
        table = dl.action_values(solution, own, others, **middle)
        if total in table.index:  # of a roll and, where it may win, of a hold; the best of them
            (hold, roll), seats = table.loc[total, ["hold", "roll"]], range(3)
            rolls = [
                chase(own, total + k, target, (other,), 1)
                if k
                else (0.0, *chase(other, 0, target, (), 1))
                for k in faces
            ]
            assert roll == pytest.approx(sum(rolled[0] for rolled in rolls) / len(faces), abs=1e-12)
            best = chase(own, total, target, (other,), 1)
            columns = [
                [f"{name}, seat {s + 1}" if s else name for s in seats] for name in ("hold", "roll")
            ]
            taken = columns[0] if hold >= roll else columns[1]
            assert table.loc[total, taken].tolist() == pytest.approx(best, abs=1e-12)
    for own, other, beaten in product(range(target), range(target), range(4)):
        best, columns = target + beaten, ["roll", "roll, seat 2", "roll, seat 3"]
        one = dl.action_values(solution, own, (other, best), **middle)[columns].iloc[0]
        assert one.tolist() == pytest.approx(chase(own, 0, best, (other,), 1), abs=1e-12)
        for behind in (other, best):  # who has had a last turn, with no more than that
            last = dl.action_values(solution, own, (best, behind))[columns].iloc[0]
            shared = equal and behind == best
            found = chase(own, 0, best, (), 1 + shared)
            expected = [*found, found[-1] if shared else 0.0]
            assert last.tolist() == pytest.approx(expected, abs=1e-12)
    exact = dl.solve(game, players=3, exact=True)
    assert exact.values.astype(float) == pytest.approx(solution.values, abs=1e-13)
    assert (exact.values.sum(axis=-1) == 1).all()


@pytest.mark.parametrize(("players", "target"), [(3, 3), (4, 2)])
@pytest.mark.parametrize(("least", "pays"), [(1, 0), (2, 0), (1, 2)])
@pytest.mark.parametrize("finish", FINISHES)
def test_any_score_may_be_asked(finish, least, pays, players, target):
    """Far above the target, too, where the chances of others are as important as right above it."""
    faces = 0, 0, 1, 2
    solution = dl.solve(game_with(faces, target, least, finish, pays), players=players)
    chase, equal = last_turns(faces, least, finish, pays, 25), finish == "equal turns"
    for own, beaten, left in product(range(target), (0, 9, 26), range(1, players - 1)):
        best, others = target + beaten, tuple((own + 1 + k) % target for k in range(left))
        holders = players - 1 - left if equal else 1
        scores = *others, *[best] * (players - 1 - left)  # in "last licks" one of these has it
        role = {"role": players - 1 - left} if equal else {}
        table = dl.action_values(solution, own, scores, **role)
        columns = ["best", *(f"roll, seat {s + 2}" for s in range(left + holders))]
        expected = chase(own, 0, best, others, holders)
        found = table[columns].iloc[0].tolist()
        assert found == pytest.approx([*expected, *expected[-1:] * (holders - 1)], rel=1e-10)
        for total in range(1, len(table)):
            best_here = chase(own, total, best, others, holders)[0]
            assert table.loc[total, "best"] == pytest.approx(best_here, rel=1e-10)


def test_the_best_answer_to_an_equilibrium_decides_alike_in_last_turns():
    game = game_of("dice set aside", "equal turns", "an opening minimum", target=3)
    policy = dl.solve(game, players=3).policy
    answer, size = dl.best_response(game, policy, policy).policy, len(game.scores)
    asked = np.array([*product(range(size), range(size), range(size, size + 50))])
    (rolls, choices), found = (p.when(role=1).decide_all(asked, 1) for p in (policy, answer))
    width = min(rolls.shape[-1], found[0].shape[-1])
    assert (rolls[..., :width] == found[0][..., :width]).all()
    assert (choices[..., :width] == found[1][..., :width]).all()


@pytest.mark.parametrize("kind", LAST_TURNS, ids=", ".join)
def test_of_two_it_is_the_ordinary_solution(kind):
    game = game_of(*kind)
    one, other = dl.solve(game), solve_players(game, 2)
    assert np.abs(one.values - other.values).max() < 1e-13
    for own, opponent in product(game.scores, repeat=2):
        for k in range(3):
            answers = [
                solution.policy.turn_at(game, own, against, choices=True)[0]
                for solution in (one, other)
                for against in (opponent, game.target + k)
            ]
            totals = min(part.shape[1] for part in answers)
            assert (answers[0][:, :totals] == answers[2][:, :totals]).all()
            assert (answers[1][:, :totals] == answers[3][:, :totals]).all()


@pytest.mark.parametrize("kind", LAST_TURNS, ids=", ".join)
def test_the_equilibrium_achieves_its_values(kind):
    game = game_of(*kind)
    solution = dl.solve(game, players=3)
    match = dl.evaluate(game, *[solution.policy] * 3)
    assert match.wins == pytest.approx(solution.value, abs=1e-13)


@pytest.mark.parametrize("finish", FINISHES)
@pytest.mark.parametrize("players", [3, 4])
def test_matches_are_what_a_simulation_says(players, finish):
    game = dl.pig(12, finish=finish)
    best = dl.solve(game, players=3).policy if players == 3 else dl.hold_at(7)
    rules = [best, dl.hold_at(4), dl.hold_at(9), dl.hold_at(20)][:players]
    match = dl.evaluate(game, *rules)
    estimate = dl.simulate(game, *rules, games=40_000, seed=1)
    for true, share, error in zip(match.wins, estimate.wins, estimate.wins_se, strict=True):
        assert abs(share - true) < 4 * error
    assert abs(estimate.turns_mean - match.turns_mean) < 4 * estimate.turns_mean_se
    assert abs(estimate.turns_sd - match.turns_sd) < 4 * estimate.turns_sd_se
    often = match.turns_distribution()
    assert (often * often.index).sum() == pytest.approx(match.turns_mean, abs=1e-11)
    assert sum(match.wins) == pytest.approx(1, abs=1e-13)


def test_rules_by_hand():
    """Two who hold at once against one who never does, to 1: whoever scores first is beaten by two or more."""
    game = dl.generalized_pig(["1/2", "1/4", "1/4"], 1, finish="last licks")
    match = dl.evaluate(game, 1, 1, dl.hold_at(1))
    # in a last turn: to beat 1, P(2 first) + P(1, then any) = 1/4 + 1/4·1/2; to beat 2 after 1 or 2 …
    beat_1 = 1 / 4 + 1 / 4 / 2
    ones = {1: 1 / 2, 2: 1 / 2}  # the score of the first who scores

    def beats(score):
        """The chance to beat a score from 0, by the score it ends with: rolls of 1 and 2 until it is above."""
        ends, at = {}, {0: 1.0}
        while at:
            here = min(at)
            chance = at.pop(here)
            for points in (1, 2):
                to = ends if here + points > score else at
                to[here + points] = to.get(here + points, 0.0) + chance / 4
        return ends

    assert sum(beats(1).values()) == pytest.approx(beat_1)
    first = second = third = 0.0
    for score, chance in ones.items():  # given that player 1 is the first who scores
        fails = 1 - sum(beats(score).values())
        third_fails = 1 - sum(beats(score).values())
        first += chance * fails * third_fails
        third += chance * fails * (1 - third_fails)
        for higher, often in beats(score).items():
            last = sum(beats(higher).values())
            second += chance * often * (1 - last)
            third += chance * often * last
    begins = 1 / 2 / (1 - 1 / 8), 1 / 4 / (1 - 1 / 8), 1 / 8 / (1 - 1 / 8)
    roles = first, second, third
    wins = [sum(begins[k] * roles[(p - k) % 3] for k in range(3)) for p in range(3)]
    assert match.wins == pytest.approx(wins, abs=1e-13)


def test_a_loss_that_leaves_nothing_to_the_next_player():
    """Who has lost a turn has one roll in the next: too few points, while the third player may gain any number."""
    free = dl.pig(5).modes[0]
    once = [
        replace(
            o, result=o.result if o.result == "bust" else dl.Choice(o.choices[0].points, "stop")
        )
        for o in free.outcomes
    ]
    modes = [free, dl.Mode("once", once), dl.Mode("stop", ())]
    registers = dl.Register("free", after_bust="short"), dl.Register("short", mode="once")
    game = dl.Game("short turns", 5, modes, "last licks", registers=registers)
    found = dl.solve(game, players=3)
    assert found.residual < 1e-13
    achieved = dl.evaluate(game, *[found.policy] * 3).wins
    assert achieved == pytest.approx(found.value, abs=1e-13)
    with pytest.raises(ValueError, match="a loss may leave nothing to the next player"):
        dl.solve(replace(game, target=6), players=3, exact=True)
