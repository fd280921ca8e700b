"""Games with registers: matches, losses, responses, action values and simulations, beside a chain of plain dicts."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import spsolve

import dicelab as dl
from dicelab.evaluation.match import pairs_seen
from dicelab.games.model import Choice, Game, Mode, Outcome, Register, Score
from dicelab.policies import branch_index

OPENING = Register("not opened", "opened", least_hold=4), Register("opened")
BUSTS = [Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", 2 * (n == 2)) for n in range(3)]
BOTH = [
    Register(f"{n}, {opened}", "0, yes", f"{(n + 1) % 3}, {opened}", 3 * (n == 2), 1 if opened == "yes" else 5)
    for opened, n in product(("no", "yes"), range(3))
]
LEAST = [Register("few", "many", least_hold=2), Register("many", "few", least_hold=5)]


def coin(target=8, **more):
    """A coin that may stop the turn, or go on with two coins; whoever busts begins with these."""
    one = Mode("one", [Outcome("1/4", "bust"), Outcome("1/2", Choice(2, "one")), Outcome("1/4", Choice(1, "stop"))])
    two = Mode("two", [Outcome("1/2", "bust"), Outcome("1/4", Choice(0, "one")), Outcome("1/4", Choice(3, "two"))])
    return Game("coins", target, [one, two, Mode("stop", ())], **more)


STARTS = [Register("well", after_bust="hurt", least_hold=2), Register("hurt", "well", mode="two", penalty=1)]

GAMES = {
    "opening": replace(dl.pig(12), registers=OPENING),
    "busts": replace(dl.pig(8), registers=BUSTS, lowest=-3),
    "least": replace(dl.pig(9), registers=LEAST),
    "starts": coin(registers=STARTS, lowest=-2),
    "resets": replace(dl.two_dice_pig(14), registers=OPENING),
    "resets and penalties": replace(dl.two_dice_pig(10), registers=BUSTS[1:] + BUSTS[:1], lowest=-4),
    "choices": replace(dl.ten_thousand(10), registers=OPENING),
    "must roll": replace(dl.double_trouble(10), registers=LEAST),
    "product": replace(dl.pig(8), registers=BOTH, lowest=-4),
}
RULES = {"hold at 3": dl.hold_at(3), "hold at 6": dl.hold_at(6), "4 scoring turns": dl.scoring_turns(4)}
games = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def ends_of(game, policy, own, opponent, memory):
    """How a turn ends: probabilities by (points, register, memory), None for the finish; straight from the rules."""
    registers, modes = {r.name: r for r in game.registers}, {mode.name: mode for mode in game.modes}
    register, branches = registers[own.register], branch_index(game)
    rolls = policy.decisions(game, own, opponent, memory)
    takes = policy.choices_against(game, own, opponent, memory)
    missing, ends = max(game.target - own, register.least_hold), Counter()
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
                taken = takes[branches[m, k], total] if len(outcome.choices) > 1 and total < missing else 0
                after, onward = min(total + outcome.choices[taken].points, missing), outcome.choices[taken].mode
                if not modes[onward].may_hold or (after < missing and rolls[game.mode(onward), after]):
                    later[after, onward] += p
                elif after == missing:
                    ends[None] += p
                elif after < register.least_hold:
                    assert not modes[onward].outcomes, "only a hold that is forced can have too few points"
                    ends[bust] += p
                else:
                    ends[own + after, register.after_hold, min(memory + 1, policy.memory - 1)] += p
        now = later
    return ends


def by_dicts(game, first, second):
    """The first player's chance to win and the mean number of turns, by a linear system of all states reached."""
    start = (0, game.registers[0].name, 0)
    number, more, entries = {(start, start, 0): 0}, [(start, start, 0)], []
    while more:
        own, other, player = state = more.pop()
        policy, scores = (first, second)[player], (Score(*own[:2]), Score(*other[:2]))
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
    system = eye_array(size, format="csr") - csr_array((chances, (rows, columns)), shape=(size, size))
    return spsolve(system.tocsc(), wins)[0], spsolve(system.tocsc(), np.ones(size))[0], number


@games
@pytest.mark.parametrize("pair", [("hold at 3", "hold at 6"), ("4 scoring turns", "hold at 3"), ("hold at 6",) * 2])
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
