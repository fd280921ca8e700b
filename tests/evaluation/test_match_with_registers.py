"""Games with registers: matches, losses, responses, action values and simulations, beside a chain of plain dicts."""

import pickle
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import spsolve

import dicelab as dl
from dicelab._accuracy import ConvergenceError
from dicelab.evaluation.loss import loss
from dicelab.evaluation.match import pairs_seen
from dicelab.evaluation.studies import reachable, turns_needed
from dicelab.games.model import Choice, Game, Mode, Outcome
from dicelab.games.registers import Register, Score
from dicelab.policies import branch_index

OPENING = Register("not opened", "opened", least_hold=4), Register("opened")
BUSTS = [Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", 2 * (n == 2)) for n in range(3)]
BOTH = [
    Register(
        f"{n}, {opened}",
        "0, yes",
        f"{(n + 1) % 3}, {opened}",
        3 * (n == 2),
        1 if opened == "yes" else 5,
    )
    for opened, n in product(("no", "yes"), range(3))
]
LEAST = [Register("few", "many", least_hold=2), Register("many", "few", least_hold=5)]


def coin(target=8, **more):
    """A coin that may stop the turn, or go on with two coins; whoever busts begins with these."""
    one = Mode(
        "one",
        [
            Outcome("1/4", "bust"),
            Outcome("1/2", Choice(2, "one")),
            Outcome("1/4", Choice(1, "stop")),
        ],
    )
    two = Mode(
        "two",
        [
            Outcome("1/2", "bust"),
            Outcome("1/4", Choice(0, "one")),
            Outcome("1/4", Choice(3, "two")),
        ],
    )
    return Game("coins", target, [one, two, Mode("stop", ())], **more)


STARTS = [
    Register("well", after_bust="hurt", least_hold=2),
    Register("hurt", "well", mode="two", penalty=1),
]

GAMES = {
    "opening": replace(dl.pig(12), registers=OPENING),
    "busts": replace(dl.pig(8), registers=BUSTS, lowest=-3),
    "least": replace(dl.pig(9), registers=LEAST),
    "starts": coin(registers=STARTS, lowest=-2),
    "resets": replace(dl.two_dice_pig(14), registers=OPENING),
    "resets and penalties": replace(
        dl.two_dice_pig(10), registers=BUSTS[1:] + BUSTS[:1], lowest=-4
    ),
    "choices": replace(dl.ten_thousand(10), registers=OPENING),
    "must roll": replace(dl.double_trouble(10), registers=LEAST),
    "product": replace(dl.pig(8), registers=BOTH, lowest=-4),
    "back to the start": replace(dl.pig(9), registers=Register("any", penalty=9)),
    "some to the start": replace(
        dl.pig(14), registers=[Register("x", "y", "y", 14), Register("y", "x", "x", least_hold=4)]
    ),
}
RULES = {
    "hold at 3": dl.hold_at(3),
    "hold at 6": dl.hold_at(6),
    "4 scoring turns": dl.scoring_turns(4),
}
games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def ends_of(game, policy, own, opponent, memory=0, reached=None):
    """How a turn ends: probabilities by (points, register, memory), None for the finish; straight from the rules.

    The turn totals in their modes are added to `reached`, a set.
    """
    registers = {r.name: r for r in game.registers}
    modes = {mode.name: mode for mode in game.modes}
    register = registers[own.register]
    branches = branch_index(game)
    rolls = policy.decisions(game, own, opponent, memory)
    takes = policy.choices_against(game, own, opponent, memory)
    missing = max(game.target - own, register.least_hold)
    ends = Counter()
    bust = max(own - register.penalty, game.lowest), register.after_bust, memory
    now = {(0, register.mode or game.modes[0].name): 1.0}
    while sum(now.values()) > 1e-18:
        later = Counter()
        for (total, name), chance in now.items():
            for k, outcome in enumerate(modes[name].outcomes):
                p = chance * float(outcome.probability)
                if outcome.result == "bust":
                    ends[bust] += p
                    continue
                if outcome.result == "reset":
                    ends[0, game.registers[0].name, 0] += p
                    continue
                m = game.mode(name)
                taken = (
                    takes[branches[m, k], total]
                    if len(outcome.choices) > 1 and total < missing
                    else 0
                )
                after = min(total + outcome.choices[taken].points, missing)
                onward = outcome.choices[taken].mode
                if reached is not None:
                    reached |= {(onward, after)}
                if not modes[onward].may_hold or (
                    after < missing and rolls[game.mode(onward), after]
                ):
                    later[after, onward] += p
                elif after == missing:
                    ends[None] += p
                elif after < register.least_hold:
                    assert not modes[onward].outcomes, (
                        "only a hold that is forced can have too few points"
                    )
                    ends[bust] += p
                else:
                    ends[own + after, register.after_hold, min(memory + 1, policy.memory - 1)] += p
        now = later
    return ends


def by_dicts(game, first, second):
    """The first player's chance to win and the mean number of turns, by a linear system of all states reached."""
    start = (0, game.registers[0].name, 0)
    number = {(start, start, 0): 0}
    more = [(start, start, 0)]
    entries = []
    while more:
        own, other, player = state = more.pop()
        policy = (first, second)[player]
        scores = (Score(*own[:2]), Score(*other[:2]))
        for end, p in ends_of(game, policy, *scores, own[2]).items():
            after = None if end is None else (other, end, 1 - player)
            if after and after not in number:
                number[after] = len(number)
                more.append(after)
            entries.append((number[state], number.get(after), player, p))
    moves = [(p, row, column) for row, column, _, p in entries if column is not None]
    chances, rows, columns = zip(*moves, strict=True)
    size, wins = len(number), np.zeros(len(number))
    for row, column, player, p in entries:
        wins[row] += p if column is None and player == 0 else 0.0
    system = eye_array(size, format="csr") - csr_array(
        (chances, (rows, columns)), shape=(size, size)
    )
    return spsolve(system.tocsc(), wins)[0], spsolve(system.tocsc(), np.ones(size))[0], number


@games
@pytest.mark.parametrize(
    "pair", [("hold at 3", "hold at 6"), ("4 scoring turns", "hold at 3"), ("hold at 6",) * 2]
)
def test_a_match_is_the_chain_of_dicts(game, pair):
    first, second = (RULES[name] for name in pair)
    match = dl.evaluate(game, first, second)
    wins, turns, number = by_dicts(game, first, second)
    assert match.first_wins == pytest.approx(wins, abs=1e-12)
    assert match.turns_mean == pytest.approx(turns, rel=1e-12)
    assert match.residual <= 1e-14
    seen = np.zeros((2, len(game.scores), len(game.scores)), dtype=bool)
    for own, other, player in number:
        seen[player, game.index(Score(*own[:2])), game.index(Score(*other[:2]))] = True
    assert np.array_equal(pairs_seen(game, first, second), seen)


@games
def test_the_optimum_against_itself_is_the_value(game):
    solution = dl.solve(game)
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.first_wins == pytest.approx(solution.at(), abs=1e-12)
    assert loss(game, solution.policy) == pytest.approx(0, abs=1e-12)
    assert loss(solution, dl.hold_at(3)) > 1e-4
    response = dl.best_response(game, solution.policy)
    assert np.abs(response.values - solution.values).max() <= 1e-12, (
        "nothing is gained against the optimum"
    )


@games
def test_a_best_response_achieves_its_value_and_no_rule_more(game):
    opponent = dl.hold_at(8)
    response = dl.best_response(game, opponent)
    achieved = dl.evaluate(game, response.policy, opponent).first_wins
    assert achieved == pytest.approx(response.at(), abs=1e-12)
    assert response.residual <= 1e-13
    others = [dl.solve(game).policy, opponent, dl.scoring_turns(4), *map(dl.hold_at, range(1, 12))]
    assert (
        max(dl.evaluate(game, policy, opponent).first_wins for policy in others)
        <= response.at() + 1e-12
    )
    assert response.at() > dl.evaluate(game, opponent, opponent).first_wins + 1e-4
    assert pickle.loads(pickle.dumps(response)).policy.rolls(0, 0, 0)


def test_penalties_that_lead_to_the_start_by_hand():
    """A coin to 2 whose bust costs all points; both hold at 1.

    With a, b, c, d the values to the player to move at 0-0, 1-0, 0-1, 1-1: a = (1 - c)/2 + (1 - a)/2,
    b = 1/2 + (1 - a)/2, c = (1 - d)/2 + (1 - b)/2, d = 1/2 + (1 - b)/2. So a = 14/25.
    """
    game = replace(dl.piglet(2), registers=Register("r", penalty=1))
    hold = dl.hold_at(1)
    match = dl.evaluate(game, hold, hold)
    response = dl.best_response(game, hold)
    assert match.first_wins == pytest.approx(14 / 25, abs=1e-15)
    assert match.turns_mean == pytest.approx(6.8, rel=1e-15)
    assert response.value == pytest.approx(22 / 31, abs=1e-15)
    assert dl.solve(game).value == pytest.approx(4 / 7, abs=1e-15)
    assert dl.grade(game, hold).first_wins == pytest.approx(12 / 31, abs=1e-15)


@games
@pytest.mark.parametrize("rule", RULES)
def test_simulated(game, rule):
    games, second = 200_000, dl.hold_at(6)
    match = dl.evaluate(game, RULES[rule], second)
    found = dl.simulate(game, RULES[rule], second, games=games)
    assert abs(found.first_wins - match.first_wins) <= 4 * found.first_wins_se
    assert abs(found.turns_mean - match.turns_mean) <= 4 * found.turns_mean_se
    assert abs(found.turns_sd - match.turns_sd) <= 4 * found.turns_sd_se


@games
def test_action_values_are_those_of_the_solution(game):
    solution = dl.solve(game)
    modes = [mode.name for mode in game.modes]
    best = ["best"] if len(modes) == 1 else [f"best, {name}" for name in modes]
    rolls = ["roll"] if len(modes) == 1 else modes
    for own, opponent in [
        (game.scores[0], game.scores[-1]),
        (game.scores[-1], game.scores[1]),
        (game.scores[-2],) * 2,
    ]:
        odds = dl.odds(solution, own, opponent)
        register = game.register(own)
        assert len(odds) == game.missing(own)
        assert odds["hold"].isna().tolist() == [total < register.least_hold for total in odds.index]
        begin = best[game.mode(register.mode)]
        assert odds[begin][0] == pytest.approx(solution.at(own, opponent), abs=1e-12)
        for total in odds.index[register.least_hold :]:
            after = Score(own + total, register.after_hold)
            assert odds["hold"][total] == pytest.approx(1 - solution.at(opponent, after), abs=1e-12)
        for mode, roll in zip(game.modes, rolls, strict=True):
            for total in odds.index[1:] if mode.may_hold and not mode.must_hold else ():
                better = odds[roll][total] > np.nan_to_num(odds["hold"][total], nan=-1) + 1e-9
                close = abs(odds[roll][total] - odds["hold"][total]) < 1e-9
                assert close or solution.policy.rolls(own, opponent, total, mode.name) == better


@games
def test_the_points_of_a_turn_and_the_totals_reached(game):
    rule = dl.hold_at(3)
    start = Score(0, game.registers[0].name)
    ends = ends_of(game, rule, start, start)
    points = dl.turn_points(game, rule)
    assert points.sum() == pytest.approx(1)
    assert points.get(game.target, 0) == pytest.approx(ends[None], abs=1e-15)
    held = {end[0]: p for end, p in ends.items() if end and end[0] > 0}
    assert {n: p for n, p in points.items() if 0 < n < game.target and p} == pytest.approx(held)
    reached = reachable(game, rule)
    assert reached.shape == (len(game.scores), len(game.scores), len(game.modes), game.longest)
    for own in game.scores:
        expected = {(game.register(own).mode or game.modes[0].name, 0)}
        found = reached[game.index(own), 0]
        ends_of(game, rule, own, game.scores[0], reached=expected)
        marked = {(game.modes[m].name, int(total)) for m, total in np.argwhere(found)}
        assert marked == {(mode, total) for mode, total in expected if total < game.missing(own)}


@games
def test_turns_needed(game):
    """By the chain of one player, straight from the rules."""
    rule = dl.scoring_turns(4)
    start = Score(0, game.registers[0].name)
    states = [(int(own), own.register, memory) for own in game.scores for memory in range(4)]
    number = {state: k for k, state in enumerate(states)}
    moves = np.zeros((len(states), len(states)))
    for points, register, memory in states:
        for end, p in ends_of(game, rule, Score(points, register), start, memory).items():
            if end:
                moves[number[points, register, memory], number[end]] += p
    turns = np.linalg.solve(np.eye(len(states)) - moves, np.ones(len(states)))
    assert turns_needed(game, rule) == pytest.approx(turns[::4], rel=1e-12)


SAME = [
    Register("a", "b", "c"),
    Register("b", "a", "b"),
    Register("c", "c", "b"),
]  # they make no difference


@pytest.mark.parametrize("chance", ["1/2", "1/1000000000000", "1/1000000000000000000000000000000"])
def test_chains_of_busts_lose_no_digits(chance):
    """Even if turns nearly always bust: registers that make no difference change nothing."""
    busts = Outcome(1 - Fraction(chance), "bust")
    game = Game("coin", 3, Mode("roll", [busts, Outcome(Fraction(chance), Choice(1, "roll"))]))
    plain, same = (
        dl.evaluate(g, dl.hold_at(1), dl.hold_at(2)) for g in (game, replace(game, registers=SAME))
    )
    assert same.first_wins == pytest.approx(plain.first_wins, rel=1e-14)
    assert same.turns_mean == pytest.approx(plain.turns_mean, rel=1e-13)
    assert same.turns_sd == pytest.approx(plain.turns_sd, rel=1e-13)
    assert same.margin == pytest.approx(plain.margin, rel=1e-13)


def test_penalties_lose_no_digits():
    """A die that scores enough from any score once in 10^12 turns: then the penalties make no difference."""
    p = Fraction(1, 10**12)
    roll = Mode("roll", [Outcome(1 - p, "bust"), Outcome(p, Choice(5, "roll"))])
    game = Game("die", 1, roll, registers=Register("any", penalty=1), lowest=-3)
    match = dl.evaluate(game, dl.hold_at(1), dl.hold_at(2))
    assert match.first_wins == pytest.approx(float(1 / (2 - p)), rel=1e-14)
    assert match.turns_mean == pytest.approx(1e12, rel=1e-12)


def test_a_player_who_is_stuck():
    """A register in which nothing but a bust happens: both get there sooner or later, if neither wins before."""
    half = Fraction(1, 2)
    roll = Mode("roll", [Outcome(half, "bust"), Outcome(half, Choice(1, "roll"))])
    lost = Mode("lost", [Outcome(1, "bust")])
    game = Game(
        "stuck",
        1,
        [roll, lost],
        registers=[Register("in", after_bust="out"), Register("out", mode="lost")],
    )
    match = dl.evaluate(game, *[dl.hold_at(1)] * 2)
    found = dl.simulate(game, *[dl.hold_at(1)] * 2, games=100_000)
    assert match.first_wins == pytest.approx(1 / 2 + 1 / 4 / 2), "wins, or both bust: a draw"
    assert match.turns_mean == found.turns_mean == np.inf
    assert abs(found.first_wins - match.first_wins) <= 4 * found.first_wins_se
    assert np.isinf(turns_needed(game, dl.hold_at(1))).all()


def test_turns_without_digits_are_refused():
    """1,300 places after penalties are too many to be eliminated, and their equations have no digits left."""
    game = replace(dl.pig(1300), registers=[Register("costs", penalty=10)])
    with pytest.raises(ConvergenceError, match="as busts or resets undo nearly all turns"):
        turns_needed(game, dl.hold_at(50))


def test_refusals():
    game, rule = GAMES["opening"], dl.hold_at(3)
    response = dl.best_response(game, rule)
    with pytest.raises(NotImplementedError, match=r"opponent: .* remembers its turns"):
        dl.best_response(game, dl.scoring_turns(4))
    with pytest.raises(ValueError, match="this policy is for Pig to 12, not Pig to 9"):
        dl.evaluate(GAMES["least"], rule, response.policy)
    won = dl.evaluate(game, rule, rule).first_wins
    assert dl.loss(response, rule) == pytest.approx(response.value - won, abs=1e-14)
    with pytest.raises(
        ValueError, match="own: 12 is not allowed; give a whole number of at least 0 and at most 11"
    ):
        dl.odds(dl.solve(game), 12, 0)
    with pytest.raises(
        ValueError,
        match=r"opponent: Score\(3, 'ajar'\) is not allowed; give a score whose register",
    ):
        dl.odds(dl.solve(game), 0, Score(3, "ajar"))


def test_best_responses_where_a_player_may_wait_for_ever():
    """They win what they say, and no array is read past its end."""

    def wins_what_it_says(game, *others):
        answer = dl.best_response(game, *others)
        match = dl.evaluate(game, answer.policy, *others)
        assert match.wins[0] == pytest.approx(np.ravel(answer.value)[0], abs=1e-12)

    sure = Outcome(1, [Choice(1, "risky"), Choice(1, "wait")])
    modes = [
        Mode("ask", sure, False),
        Mode("risky", [Outcome("1/2", "bust"), Outcome("1/2", Choice(1, "risky"))]),
        Mode("wait", Outcome(1, "bust"), False),
    ]
    out, back = (
        Register("out", "in", "back", mode="ask"),
        Register("back", "in", "out", mode="wait"),
    )
    circle = out, back, Register("in", mode="risky", least_hold=2)
    for registers, finish in product((OPENING, circle), ("reach", "exact")):
        game = Game("waits", 4, modes, finish, registers=registers)
        for others in ((dl.hold_at(3),), (dl.hold_at(3), dl.hold_at(1))):
            wins_what_it_says(game, *others)
    costly = [Register(f"{k}", "0", f"{(k + 1) % 3}", penalty=2 * (k == 2)) for k in range(3)]
    with pytest.raises(ValueError, match="a player can make sure never to finish, and a bust"):
        dl.best_response(Game("back", 4, modes, "exact", registers=costly, lowest=-2), 3)
    wins_what_it_says(replace(dl.pig(9, "exact"), registers=costly, lowest=-2), dl.hold_at(3))
