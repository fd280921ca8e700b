"""Komi: its definition, spelled out, for optimal players and for policies, with resets, registers and a last turn."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import dicelab as dl
from dicelab.games.catalogue import GAMES


@pytest.mark.parametrize("finish", ["reach", "equal turns", "last licks"])
@pytest.mark.parametrize(
    "make",
    [make for make in GAMES.values() if not make().registers],
    ids=lambda make: make.__name__,
)
def test_no_other_number_is_more_even(make, finish):
    game = replace(make(), target=14, finish=finish)
    found, values = dl.komi(game), dl.solve(game).values
    values = values[0] if finish == "equal turns" else values
    by_points = {k: values[max(-k, 0), max(k, 0)] for k in range(-13, 14)}
    assert found.first_wins == by_points[found.points]
    assert abs(found.first_wins - 0.5) == min(abs(chance - 0.5) for chance in by_points.values())
    assert found.fewer == by_points.get(found.points - 1) and found.more == by_points.get(
        found.points + 1
    )
    assert found.chances.tolist() == list(by_points.values())
    assert found.first is found.second is None and found.error < 1e-13


def test_the_first_player_may_need_the_points():
    found = dl.komi(dl.pig(100, "equal turns"))
    assert found.points == -6 and found.fewer > 0.5 > found.first_wins > found.more
    assert "6 points for the first player" in repr(found)
    assert f"(one point fewer or more: {found.more:.6g} and {found.fewer:.6g})" in repr(found), (
        "for the first player"
    )
    last = dl.komi(dl.pig(8, "equal turns"))
    assert last.points == -7 and repr(last).endswith(f"(one point fewer: {last.more:.6g})>")


def test_small_targets():
    alone = dl.komi(dl.piglet(1))
    assert (alone.points, alone.fewer, alone.more) == (
        0,
        None,
        None,
    ) and alone.first_wins == pytest.approx(2 / 3)
    assert (
        repr(alone)
        == "<Komi of Piglet to 1: 0 points for the second player; the first wins 0.666667>"
    )
    two = dl.komi(dl.pig(2))
    assert two.points == 0 and two.first_wins == two.more == pytest.approx(6 / 7), (
        "one point does not help"
    )


def turn(game, policy, own, opponent, role=None):
    """How a turn ends, in a game with one mode: probabilities by points, and those of a bust and a reset."""
    rolling, ends = {0: 1.0}, {"bust": 0.0, "reset": 0.0}
    while rolling:
        total = min(rolling)
        chance = rolling.pop(total)
        if total and not policy.rolls(own, opponent, total, game=game, role=role):
            ends[total] = ends.get(total, 0.0) + chance
            continue
        for outcome in game.modes[0].outcomes:
            p = chance * float(outcome.probability)
            if outcome.choices:
                after = total + outcome.choices[0].points
                rolling[after] = rolling.get(after, 0.0) + p
            else:
                ends[outcome.result] += p
    return ends


def iterate(game, *policies):
    """The first player's chance from all scores, by their places, by plain iteration of the chain."""
    scores, equal, known = game.scores, game.finish == "equal turns", {}

    def last(p, own, beaten):
        """The chance of player p to win a last turn."""
        if (p, own, beaten) not in known:
            ends = turn(game, policies[p], scores[own], beaten).items()
            ends = [(scores[own] + k, chance) for k, chance in ends if not isinstance(k, str)]
            draws = sum(chance for score, chance in ends if score == beaten) / 2
            wins = sum(chance for score, chance in ends if score > beaten)
            known[p, own, beaten] = wins + (draws if equal else 0)
        return known[p, own, beaten]

    def after(p, i, j, end):
        """The chance of the first player after a turn of player p."""
        score = scores[i]
        if end == "bust":
            return u[1 - p, j, game.index(game.after_bust(score))]
        if end == "reset":
            return u[1 - p, j, game.index(game.after_reset)]
        if score + end < game.target:
            return u[1 - p, j, game.index(game.after_hold(score, end))]
        wins = 1 - last(1 - p, j, int(score) + end) if game.finish in answered[p] else 1
        return wins if p == 0 else 1 - wins

    answered = ("equal turns", "last licks"), ("last licks",)  # by player
    size = range(len(scores))
    turns = {
        (p, i, j): turn(game, policies[p], scores[i], scores[j], p if equal else None)
        for p in (0, 1)
        for i in size
        for j in size
    }
    u = dict.fromkeys(turns, 0.5)
    for _ in range(400):
        for (p, i, j), ends in turns.items():
            u[p, i, j] = sum(chance * after(p, i, j, end) for end, chance in ends.items())
    return np.array([[u[0, i, j] for j in size] for i in size])


BUSTS = [dl.Register(f"{n} busts", "0 busts", f"{1 - n} busts", 2 * n, 2) for n in range(2)]
OPENING = dl.Register("not opened", "opened", least_hold=4), dl.Register("opened")
PLAYED = [dl.pig(12), dl.two_dice_pig(12), dl.pig(10, "equal turns"), dl.pig(10, "last licks")]
PLAYED += [dl.two_dice_pig(9, "equal turns"), dl.two_dice_pig(9, "last licks")]
PLAYED += [
    replace(dl.pig(5), name="busts that cost", registers=BUSTS, lowest=-2),
    replace(dl.pig(6, "equal turns"), name="opening", registers=OPENING),
    replace(dl.pig(5, "last licks"), name="busts that cost", registers=BUSTS, lowest=-1),
]


@pytest.mark.parametrize("game", PLAYED, ids=lambda game: f"{game.name}, {game.finish}")
def test_a_match_of_policies(game):
    """Also with the optimum in one of the seats, which plays by its role and on above the target."""
    for first, second in (
        (dl.hold_at(7), dl.hold_at(2)),
        (dl.hold_at(3), None),
        (None, dl.hold_at(7)),
    ):
        found = dl.komi(game, first, second)
        best = dl.solve(game).policy
        u = iterate(game, first or best, second or best)
        for k, chance in zip(range(1 - game.target, game.target), found.chances, strict=True):
            own, opponent = game.index(max(-k, 0)), game.index(max(k, 0))
            assert chance == pytest.approx(u[own, opponent], abs=1e-12)
        assert (
            found.chances[game.target - 1]
            == dl.evaluate(game, first or best, second or best).first_wins
        )
    if game.finish == "reach" and not game.registers:
        found = dl.komi(game, dl.hold_at(7), dl.hold_at(2))
        assert found.points > 0 and found.fewer >= found.first_wins >= found.more


def test_a_match_of_a_policy_with_memory():
    game, rule = dl.pig(20), dl.scoring_turns(2)
    found = dl.komi(game, rule, dl.hold_at(5))
    assert (
        found.chances[19] == dl.evaluate(game, rule, dl.hold_at(5)).first_wins
        and len(found.chances) == 39
    )
    back = dl.komi(game, dl.hold_at(5), rule)
    assert back.chances[19] == dl.evaluate(game, dl.hold_at(5), rule).first_wins


def test_the_optimum_in_the_place_of_a_policy():
    game = dl.pig(30)
    policy, weak = dl.solve(game).policy, dl.hold_at(4)
    assert np.array_equal(dl.komi(game, second=weak).chances, dl.komi(game, policy, weak).chances)
    assert np.array_equal(dl.komi(game, weak).chances, dl.komi(game, weak, policy).chances)
    assert dl.komi(game, policy, policy).chances == pytest.approx(dl.komi(game).chances, abs=1e-13)


def test_a_coin_decides_who_moves_first():
    game, weak = dl.pig(30), dl.hold_at(4)
    found = dl.komi(game, second=weak, toss=True)
    ahead = dl.komi(game, second=weak)
    behind = dl.komi(game, weak)
    assert found.chances == pytest.approx((ahead.chances + 1 - behind.chances[::-1]) / 2)
    assert found.points > 0 and dl.komi(game, weak, toss=True).points == -found.points
    assert found.chances[29] - 0.5 == pytest.approx(dl.loss(game, weak), abs=1e-13)
    even = dl.komi(game, toss=True)
    assert even.points == 0 and even.first_wins == pytest.approx(0.5, abs=1e-15)


def test_the_record():
    found = dl.komi(dl.ten_thousand(30), dl.hold_at(6), dl.hold_at(2))
    assert "chips (" in repr(found) and "hold at 6 against hold at 2" in repr(found)
    assert pickle.loads(pickle.dumps(found)).points == found.points
    with pytest.raises(ValueError):
        found.chances[0] = 1


@pytest.mark.parametrize("finish", ["equal turns", "last licks"])
def test_policies_play_a_last_turn(finish):
    game, weak = dl.pig(30, finish), dl.hold_at(4)
    policy, best = dl.solve(game).policy, dl.komi(game)
    assert dl.komi(game, policy, policy).chances == pytest.approx(best.chances, abs=1e-13)
    found, back = dl.komi(game, second=weak, toss=True), dl.komi(game, weak, toss=True)
    ahead, behind = dl.komi(game, second=weak), dl.komi(game, weak)
    assert (ahead.chances >= best.chances - 1e-13).all()
    assert (behind.chances <= best.chances + 1e-13).all()
    assert found.chances == pytest.approx((ahead.chances + 1 - behind.chances[::-1]) / 2)
    assert found.points > 0 and back.points == -found.points
    assert found.chances[29] - 0.5 == pytest.approx(dl.loss(game, weak), abs=1e-13)


def test_what_is_refused():
    policy = dl.solve(dl.pig(9, "last licks")).policy
    with pytest.raises(ValueError, match="this policy is for Pig to 9"):
        dl.komi(dl.pig(9), second=policy)


@pytest.mark.parametrize("players", [(3, "table"), ("table", 3), ("table", None)])
def test_a_table_of_decisions_is_a_player(players):
    """As a rule with the same decisions; an array does not answer whether it is None."""
    game, tables = dl.pig(5), {"table": np.full((5, 5), 2)}
    rules = [2 if player == "table" else player for player in players]
    found = dl.komi(game, *(tables.get(player, player) for player in players))
    assert found.chances.tolist() == dl.komi(game, *rules).chances.tolist()
