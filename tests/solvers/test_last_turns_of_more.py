"""Last turns of three and more: against a solver as one would write it down, and in fractions."""

from dataclasses import replace
from functools import cache
from itertools import product

import pytest

import dicelab as dl

ENOUGH = 60  # points above the target, where nobody rolls
FINISHES = "last licks", "equal turns"


def game_with(faces, target, least, finish, pays=0):
    """The game of :func:`by_hand`; a bust scores so many points."""
    shares = [f"{faces.count(k)}/{len(faces)}" for k in range(max(faces) + 1)]
    game = dl.generalized_pig(shares, target, finish=finish)
    if least == 1 and not pays:
        return game
    return replace(game, registers=(dl.Register("only", least_hold=least, penalty=-pays),))


def last_turns(faces, least, finish, pays=0, enough=ENOUGH):
    """Two functions of the chances in last turns, where face 0 busts and a bust scores so many points."""
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

    return onward, chase


def by_hand(faces, target, least, finish, rounds=400):
    """Everybody's chances at all scores of three, (role, own, next, last), if face 0 busts."""
    chance, equal = 1 / len(faces), finish == "equal turns"
    onward, _ = last_turns(faces, least, finish)
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
            return values
    raise AssertionError("it does not settle")


@pytest.mark.parametrize(
    ("faces", "target", "least"), [((0, 1), 2, 1), ((0, 1, 2), 2, 2), ((0, 1, 1, 4), 3, 1)]
)
@pytest.mark.parametrize("finish", FINISHES)
def test_it_is_what_one_would_write_down(faces, target, least, finish):
    game = game_with(faces, target, least, finish)
    solution = dl.solve(game, players=3)
    values = by_hand(faces, target, least, finish)
    for (role, *scores), chances in values.items():
        found = solution.at(scores[0], scores[1:], role=role if finish == "equal turns" else None)
        assert found == pytest.approx(chances, abs=1e-12), (role, scores)
    exact = dl.solve(game, players=3, exact=True)
    assert exact.values.astype(float) == pytest.approx(solution.values, abs=1e-13)
    assert (exact.values.sum(axis=-1) == 1).all()


@pytest.mark.parametrize(("players", "target"), [(3, 3), (4, 2)])
@pytest.mark.parametrize(("least", "pays"), [(2, 0), (1, 2)])
@pytest.mark.parametrize("finish", FINISHES)
def test_any_score_may_be_asked(finish, least, pays, players, target):
    """Well above the target, too, where the chances of others are as important as right above it; not farther."""
    faces = 0, 0, 1, 2
    solution = dl.solve(game_with(faces, target, least, finish, pays), players=players)
    equal, (_, chase) = finish == "equal turns", last_turns(faces, least, finish, pays, 25)
    for own, beaten, left in product(range(target), (0, 4), range(1, players - 1)):
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
    with pytest.raises(ValueError, match="with more than two players no score above"):
        dl.action_values(solution, 0, [target + 26] * (players - 1))
