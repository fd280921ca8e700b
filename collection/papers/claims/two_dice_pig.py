"""How the claims of two-dice-pig (Zhu and Ma 2022) are checked: `CHECKS`, a function for every claim.

The paper's algorithm is repeated in plain NumPy, apart from our solvers: `_sweep` is one step of Algorithm 1, in
two-dice Pig by equations (2) and in Double Trouble by those of section 4. It runs with small goals.
"""

from collections import Counter
from functools import cache, partial
from itertools import combinations, product
from math import comb, erf

import numpy as np
import pandas as pd

from dicelab.engine.positions import BUST, RESET, ROW
from dicelab.engine.race import seated
from dicelab.evaluation.action_values import turn_action_values
from dicelab.evaluation.best_response import best_response
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import double_trouble, pig, two_dice_pig
from dicelab.games.model import Game, Mode, Outcome
from dicelab.rules_of_thumb import hold_at

from ..comparison import compare
from ..published import published
from ..recipes import (
    BEST_TOTALS,
    GOALS,
    TOTALS,
    numbers_of_turns,
    optimal_against_hold_at_n,
    pairs_seen,
    played,
    reachable,
    rolls_again,
)
from .findings import VERDICTS, Finding, exceptions, misprint, solved, taste, verdict_of

__all__ = ["CHECKS"]

GAMES = 10_000_000  # of each number that the paper simulated
# Rolls of two dice without a one, and those of them that are doubles, by sum.
SUMS = np.bincount(np.add.outer(range(2, 7), range(2, 7)).ravel(), minlength=13)
DOUBLES = np.bincount(range(4, 13, 2), minlength=13)
TRIAL = 40  # the goal of the checks that iterate


def _rates(game, totals=TOTALS):
    return optimal_against_hold_at_n(game, totals)


def _matches():
    return played(two_dice_pig(), TOTALS, TOTALS)


@cache
def _turns(quantity):
    """The exact "mean" or "sd" of the number of turns, as in Table 1: a DataFrame, games by pairs of players."""
    numbers = {name: {} for name, _ in _games()}
    for (name, *players, what), (number, _) in numbers_of_turns(BEST_TOTALS).items():
        if what == quantity:
            numbers[name][tuple(players)] = number
    return pd.DataFrame(numbers)


@cache
def _match(game, first, second):
    """The race in which the turns of both are counted, too."""
    return seated(game, [first, second], match=True)


@cache
def _rolls():
    """Where the optimal player of two-dice Pig rolls, [own, opponent, turn total], and where a hold is possible."""
    rolls = solved(two_dice_pig()).policy.roll_mask()
    own, _, total = np.indices(rolls.shape, sparse=True)
    return rolls, (own + total < len(rolls)) & (total > 0)


def _games():
    return [(game.name, n) for game, n in BEST_TOTALS]


def _thresholds():
    return solved(two_dice_pig()).policy.hold_thresholds()


def _best_n(game):
    """The n that loses least to the optimal player, the next one, and its distance."""
    first, second = _rates(game)["optimal average"].nsmallest(2).items()
    return first[0], second[0], second[1] - first[1]


# Abstract and introduction


def _resolution(game, n, wins):
    """Whether n is the best and wins as often as printed, and what ten million games can tell."""
    best, runner_up, lead = _best_n(game)
    rates = _rates(game).loc[[best, runner_up], ["optimal first", "optimal second"]]
    error = ((rates * (1 - rates)).to_numpy().sum() / 4 / GAMES) ** 0.5
    found = (
        f"{best} wins {1 - _rates(game)['optimal average'][best]:.4f} and leads {runner_up} by {lead:.5f}"
        f"; the standard error of this lead in the paper's games is {error:.5f}"
    )
    return verdict_of(
        best == n and abs(1 - _rates(game)["optimal average"][n] - wins) < 4 * error, found
    )


def _abstract_turns():
    """Abstract: games take 19, 23 and 24 turns on average, optimal against optimal or against the best n."""
    means = _turns("mean")
    right = means.round() == [19, 23, 24]
    off = [
        f"{at[2]}, {at[0]} first: {mean:.2f}" for at, mean in means[~right].stack().dropna().items()
    ]
    return exceptions(right, "averages", "; ".join(off))


def _rolls_lead(game, double, other, more=""):
    """Whether the 36 rolls of all modes lead where the rules in words say; `double` and `other` are the modes after."""
    words = Counter(
        ("reset" if a == b else "bust", 0) if 1 in (a, b) else (double if a == b else other, a + b)
        for a, b in product(range(1, 7), repeat=2)
    )
    data = [
        {
            (o.choices[0].mode, o.choices[0].points) if o.choices else (o.result, 0): 36
            * o.probability
            for o in mode.outcomes
        }
        for mode in game.modes
    ]
    counts = Counter(after for after, _ in words.elements())
    found = ", ".join(f"{rolls} {after}" for after, rolls in counts.items())
    right = all(rolls == words for rolls in data)
    holds = [mode.may_hold == (mode.name == other) for mode in game.modes]
    return verdict_of(right and all(holds), f"36 rolls: {found}{more}")


# Section 2, and Algorithm 1


def _states(goal, start, reached=1.0):
    """P(i, j, k): `start` before the goal, `reached` with i + k at the goal or beyond."""
    own, _, total = np.ogrid[:goal, :goal, : goal + len(SUMS)]
    return np.where(own + total >= goal, reached, start) * np.ones((goal, goal, goal + len(SUMS)))


def _sweep(p, forced, rolls=None, passing=True, banks=True):
    """One sweep of Algorithm 1, in place, from the largest turn totals down; returns the values of roll and hold.

    `forced` is P after a double: another array in Double Trouble, else `p` itself. With `rolls`, [own, opponent, turn
    total], it evaluates this policy. A player may hold at 0 if `passing`; points that are held count if `banks`.
    """
    goal, before = len(p), p[:, :, 0].copy()
    lost = 10 * (1 - before.T) + 1 - before[:, 0]
    if forced is not p:  # beyond the goal
        np.copyto(forced, ((20 + lost) / 31)[..., None], where=_states(goal, 0.0) == 1.0)
    values = np.full((2, goal, goal, goal), np.nan)
    for total in range(goal - 1, -1, -1):
        rows = slice(goal - total)
        roll = lost.copy()
        for points in np.flatnonzero(SUMS):
            roll += (SUMS - DOUBLES)[points] * p[:, :, total + points]
            roll += DOUBLES[points] * forced[:, :, total + points]
        values[0, rows, :, total] = forced[rows, :, total] = roll[rows] / 36
        if total or passing:
            values[1, rows, :, total] = 1 - before.T[total * banks :][rows]
        best = np.fmax if rolls is None else partial(np.where, rolls[rows, :, total])
        p[rows, :, total] = best(*values[:, rows, :, total])
    return values


def _iterate(p, forced=None, **how):
    """Run Algorithm 1 from P, in place: the number of sweeps; the arguments are those of `_sweep`."""
    sweeps, change = 0, 1.0
    while change >= 1e-10 and sweeps < 1000:
        before, sweeps = p.copy(), sweeps + 1
        _sweep(p, p if forced is None else forced, **how)
        change = np.abs(p - before).max()
    return sweeps


def _turn(values):
    """The values of roll and hold in one turn by (2), from those at the start of turns; a turn begins with a roll."""
    p = _states(len(values), 0.0)
    p[:, :, 0] = values
    return _sweep(p, p, passing=False)


def _as_printed():
    """Algorithm 1: it converges from any start. As printed it is never told that reaching the goal wins."""
    exact, right, ends = solved(two_dice_pig(10)).value, [], []
    for start in (0.0, 0.5, 1.0):
        p = _states(10, start, start)
        sweeps = _iterate(p)
        right.append(abs(p[0, 0, 0] - exact) < 1e-8)
        ends.append(
            f"from {start:g} {'at' if sweeps < 1000 else 'not in'} {sweeps} sweeps: {p[0, 0, 0]:.4f}"
        )
    found = (
        f"goal 10, exact {exact:.4f}; stops {'; '.join(ends)}; with the winning states of "
        "section 2.2 at 1 it converges to the optimum from any start"
    )
    repaired = _with_reward().verdict == VERDICTS[0]
    return Finding(verdict=VERDICTS[0 if all(right) else 1 if repaired else 2], found=found)


@cache
def _converged():
    """Algorithm 1 with the value 1 where the goal is reached, from three starts: P and sweeps of each run."""
    starts = [_states(goal, start) for goal in (10, TRIAL) for start in (0.0, 0.5, 1.0)]
    return [(p, _iterate(p)) for p in starts]


def _with_reward():
    """Section 3: with the winning states of section 2.2, value iteration finds the optimal values."""
    off = [np.abs(p[:, :, 0] - solved(two_dice_pig(len(p))).values).max() for p, _ in _converged()]
    return verdict_of(max(off) < 1e-8, f"from 0, 1/2 and 1, goals 10 and {TRIAL}: within 1e-8")


def _no_discount():
    """Section 2.2: no discount factor is needed for convergence."""
    sweeps = [sweeps for _, sweeps in _converged()]
    return verdict_of(
        max(sweeps) < 1000, f"{min(sweeps)} to {max(sweeps)} sweeps without a discount"
    )


def _one_update():
    """Section 2.2: with one update an evaluation, the iteration still ends at the optimal policy."""
    roll, hold = _turn(_converged()[-1][0][:, :, 0])
    rolls = solved(two_dice_pig(TRIAL)).policy.roll_mask()
    decided = ~np.isnan(hold)
    return exceptions((roll > hold)[decided] == rolls[decided], "decisions", f"goal {TRIAL}")


@cache
def _policy_iteration():
    """Policy iteration from hold at 20, both players changing at once: values, rolls and sweeps of every policy."""
    p, rolls, policies = _states(TRIAL, 0.5), np.indices((TRIAL,) * 3)[2] < 20, []
    while not policies or (rolls != policies[-1][1]).any():
        sweeps = _iterate(p, rolls=rolls, passing=False)
        policies.append((p[:, :, 0].copy(), rolls, sweeps))
        roll, hold = _turn(p[:, :, 0])
        rolls = roll > np.nan_to_num(hold, nan=-1.0) + 1e-12
    return policies


def _finite():
    """Section 2.2: policy iteration reaches the optimum after finitely many policies."""
    off = np.abs(_policy_iteration()[-1][0] - solved(two_dice_pig(TRIAL)).values).max()
    found = f"goal {TRIAL}, from hold at 20: {len(_policy_iteration()) - 1} improvements"
    return verdict_of(off < 1e-8, found)


def _monotone():
    """Section 2.2: policies and value functions of policy iteration improve monotonically."""
    values = np.array([values for values, _, _ in _policy_iteration()])
    rises = np.diff(values, axis=0) > -1e-8
    found = f"goal {TRIAL}, {(~rises[0]).sum()} of them in the first step, as both players improve at once"
    return exceptions(rises, "pairs of scores in all steps", found)


def _evaluation_cost():
    """Section 2.2: to wait for the exact convergence of every evaluation costs too much."""
    sweeps, needed = [sweeps for *_, sweeps in _policy_iteration()], _converged()[-1][1]
    found = f"goal {TRIAL}: {sum(sweeps)} sweeps for {len(sweeps)} policies, {needed} of value iteration"
    return taste(f"{found}; by linear equations the evaluations take no sweeps")


# Section 3


@cache
def _both_actions():
    """The values of roll and hold in every state of two-dice Pig, by (2) from our solver's values."""
    return _turn(solved(two_dice_pig()).values)


def _policy_value():
    """Section 3: the value of a given policy is the larger of its roll and hold values."""
    given, *_, best = [values for values, _, _ in _policy_iteration()]
    larger, left = ((_turn(v)[0][:, :, 0] > v + 1e-8).sum() for v in (given, best))
    found = f"of hold at 20, goal {TRIAL}, the maximum exceeds the value at {larger:,} of {given.size:,} pairs of"
    return misprint(not larger, not left, f"{found} scores; meant is the optimal policy")


def _roll_equation():
    """Equations (2): the weights of the outcomes of a roll sum to 1, and the optimal values satisfy them."""
    values = solved(two_dice_pig()).values
    off = np.abs(_both_actions()[0][:, :, 0] - values).max()
    found = f"{SUMS.sum()} + 10 + 1 = {SUMS.sum() + 11}; within 1e-12 at 10,000 pairs of scores"
    return verdict_of(off < 1e-12 and SUMS.sum() + 11 == 36, found)


def _exact_strategy():
    """Section 5: dynamic programming gives the exact optimal strategy. We look for the closest decision."""
    closest = np.nanmin(np.abs(np.subtract(*_both_actions())))
    found = f"roll and hold differ by at least {closest:.0e} wherever there is a choice"
    return verdict_of(closest > solved(two_dice_pig()).error, found)


def _dominates():
    """Section 3: P of the optimal policy is nowhere less than P of another policy.

    By the printed equations both players use the policy; if the opponent is the optimal player for both, it holds.
    """
    own, value = np.diag(_matches()), solved(two_dice_pig()).value
    wrong = (own > value).sum()
    found = (
        f"two players who hold at {TOTALS[own.argmax()]}: {own.max():.4f} moving first, above {value:.4f}"
        f"; so at {wrong} of {len(own)} n; against the optimal player no policy has more"
    )
    repaired = _nash().verdict == VERDICTS[0]
    return Finding(verdict=VERDICTS[0 if not wrong else 1 if repaired else 2], found=found)


@cache
def _response(policy):
    """The best response to a policy in two-dice Pig."""
    return best_response(two_dice_pig(), policy)


def _nash():
    """Section 3: the optimal policy against itself is a Nash equilibrium."""
    best = solved(two_dice_pig())
    gain = np.abs(_response(best.policy).values - best.values).max()
    found = "nothing" if gain < 1e-12 else f"{gain:.0e}"
    return verdict_of(
        gain < 1e-12,
        f"the best response gains {found} at any of 10,000 pairs of scores, to 12 decimals",
    )


def _weaker():
    """Section 3: against any policy of the opponent, the optimal one wins at least as often as against the optimum."""
    best = solved(two_dice_pig())
    matches = [_match(best.game, best.policy, hold_at(n)).starts()[..., 0] for n in TOTALS]
    more = np.min(matches - best.values, axis=(1, 2))
    return exceptions(more > -1e-12, "n", "compared at all 10,000 pairs of scores")


def _one_boundary():
    """Figure 2: a player rolls below the boundary and holds above it."""
    rolls, inside = _rolls()
    policy = solved(two_dice_pig()).policy
    again = rolls_again(policy)
    reached = (again & reachable(two_dice_pig(), policy)[:, :, 0]).any(axis=2)
    played = pairs_seen(two_dice_pig(), policy, policy)[0]
    holds = np.flatnonzero((~rolls & inside)[5, 80])
    edges = np.split(holds, np.flatnonzero(np.diff(holds) > 1) + 1)
    at = " and ".join(f"{edge[0]}–{edge[-1]}" for edge in edges)
    found = (
        f"{reached.sum()} of them where the policy's own turns roll again, {(reached & played).sum()} in optimal "
        f"play; at (5, 80) it holds at {at} and rolls between"
    )
    return exceptions(~again.any(axis=2), "pairs of scores", found)


def _aggressive():
    """Section 3: as the opponent nears the goal, the player rolls longer."""
    rises = np.diff(_thresholds(), axis=1)
    falls = (np.maximum.accumulate(_thresholds(), axis=1) - _thresholds()).max(axis=1)
    found = f"a step falls by up to {-rises.min()} points, several steps by up to {falls.max()}, at own score"
    return exceptions(rises >= 0, "steps of the opponent's score", f"{found} {falls.argmax()}")


def _aggressive_low():
    """Section 3: especially when the own score is low. We compare the rise of the boundary in points."""
    rise = _thresholds()[:, 90] - _thresholds()[:, 0]
    low, high = rise[:50].mean(), rise[50:].mean()
    found = f"from opponent's score 0 to 90 the boundary rises by {low:.1f} points below own score 50, {high:.1f} above"
    return verdict_of(low > high, found)


def _conservative():
    """Section 3: with the opponent's score near 0 the player is most careful."""
    above = _thresholds()[:, 0] - _thresholds().min(axis=1)
    found = (
        "at opponent's score 0 the boundary is the lowest, but for "
        f"{above.max()} point at {(above > 0).sum()} own scores"
    )
    return verdict_of(above.max() <= 1, found)


def _opponent_90():
    """Section 3: at the opponent's score 90 the player rolls for the goal in one turn."""
    always = (_thresholds() == np.arange(100, 0, -1)[:, None]).all(axis=0)
    least = 100 - int(np.argmin(always[::-1]))
    return verdict_of(always[90], f"at every own score; so from opponent's score {least} on")


def _high_probability():
    """Section 3: an opponent at 90 has a very high probability to win in the next turn; at most by rolling on."""
    finish = turn_points(two_dice_pig(), hold_at(100), 90)[10]
    return taste(f"the probability to win in the turn is at most {finish:.3f}")


def _first_above_half():
    """Section 3: the player who goes first has an advantage."""
    value = solved(two_dice_pig()).value
    return verdict_of(value > 0.5, f"moving first wins with probability {value:.4f}")


def _vanishes():
    """Figure 5: the advantage of moving first shrinks as the goal grows."""
    values = [solved(two_dice_pig(goal)).value for goal in GOALS]
    small = np.diff([solved(two_dice_pig(goal)).value for goal in range(2, 61)])
    found = f"from {values[0]:.4f} at {GOALS[0]} to {values[-1]:.4f} at {GOALS[-1]}"
    return verdict_of(
        (np.diff(values) < 0).all(), f"{found}; up to goal 60 it rises at {(small > 0).sum()} goals"
    )


def _percent():
    """Section 3, beside Figure 5: 52.18 % at the goal 100, where Table A1 has 0.5196."""
    value, other = (solved(two_dice_pig(goal)).value for goal in (100, 90))
    found = f"{value:.2%}, as Table A1 has it; at the goal 90 it is {other:.2%}"
    return misprint(f"{value:.2%}" == "52.18%", f"{other:.2%}" == "52.18%", found)


def _always_optimal():
    """Section 3: against an unknown opponent, the optimal strategy: the wins that policies guarantee, moving first."""
    players = {"the optimal policy": solved(two_dice_pig()).policy}
    players |= {f"hold at {n}": hold_at(n) for n in (23, 10)}
    least = {
        name: evaluate(two_dice_pig(), player, _response(player).policy).first_wins
        for name, player in players.items()
    }
    found = ", ".join(f"{name} {wins:.4f}" for name, wins in least.items())
    return verdict_of(
        max(least, key=least.get) == "the optimal policy", f"guaranteed moving first: {found}"
    )


def _better_exists():
    """Section 3: against a known policy there may be a better strategy than the optimal one."""
    first = _rates(two_dice_pig())["optimal first"].loc[[10, 23]]
    gains = {n: _response(hold_at(n)).value - wins for n, wins in first.items()}
    most = max(gains, key=gains.get)
    found = f"hold at {most} loses {gains[most]:.4f} more to it"
    return exceptions([gain > 1e-6 for gain in gains.values()], "n tried", found)


def _worse_opponent():
    """Section 3: the worse the opponent plays, the more often the optimal player wins."""
    # Against all rules, moving first and second.
    strength = (_matches() + 1 - _matches().T).mean(axis=1)
    lost = _rates(two_dice_pig())["optimal average"]
    pairs = [(strength[n] > strength[m]) == (lost[n] < lost[m]) for n, m in combinations(TOTALS, 2)]
    counted = exceptions(pairs, "pairs of rules", "worse: fewer wins against the 26 rules").found
    return taste(f"what worse means is open; {counted}")


def _beats_all():
    """Section 3: the optimal strategy wins over every hold at n."""
    return exceptions(
        _rates(two_dice_pig(), range(1, 101))["optimal average"] > 0.5, "n from 1 to 100"
    )


def _range_of_n():
    """Section 3: n below 10 and above 35 are not worth a look."""
    average = _rates(two_dice_pig(), range(1, 101))["optimal average"]
    outside = average.drop(TOTALS)
    found = (
        f"of 1 to 100 the best is {average.idxmin()}, the optimal player winning {average.min():.4f}"
        f"; the best of the others is {outside.idxmin()}, {outside.min():.4f}"
    )
    return verdict_of(average.idxmin() in TOTALS, found)


def _second_above_half():
    """Section 3: even second, the optimal player wins more than half of the games, for all n."""
    second = _rates(two_dice_pig(), range(1, 101))["optimal second"]
    other = _rates(two_dice_pig(60))["optimal second"]
    found = (
        f"least {second.min():.4f}, against hold at {second.idxmin()}"
        f"; not so at goal 60: {other.min():.4f}, against hold at {other.idxmin()}"
    )
    return exceptions(second > 0.5, "n from 1 to 100", found)


# Section 4: Double Trouble


def _held_at_28():
    """Section 4: with 30 and 10 points, the optimal player of two-dice Pig holds at the turn total 28."""
    holds = not solved(two_dice_pig()).policy.rolls(30, 10, 28)
    return verdict_of(holds, f"it holds from {_thresholds()[30, 10]} on")


def _after_a_double(own, opponent, total):
    """Section 4: a state's value depends on whether the last roll was a double, so that there is no choice."""
    free, forced = turn_action_values(solved(double_trouble()), own, opponent).best[:, total]
    found = f"at ({own}, {opponent}, {total}) the value is {free:.4f}, after a double {forced:.4f}"
    return verdict_of(free > forced, found)


def _doubles(number, what):
    """Section 4: so many doubles in a row."""
    chance = (DOUBLES.sum() / 36) ** number
    return verdict_of(
        0 < chance < 1e-8, f"{what} have probability ({DOUBLES.sum()}/36)^{number}, {chance:.0e}"
    )


@cache
def _forced_beyond():
    """The values with a roll forced where the goal is reached, by pair of scores, and how far they differ by total."""
    best = solved(double_trouble())
    pairs = product(range(100), repeat=2)
    beyond = [turn_action_values(best, *pair).roll[1, 100 - pair[0] :] for pair in pairs]
    return np.reshape([row[0] for row in beyond], (100, 100)), max(map(np.ptp, beyond))


def _total_irrelevant():
    """Section 4: with the goal reached, the turn total does not matter."""
    _, spread = _forced_beyond()
    pairs = "at 10,000 pairs of scores" if spread < 1e-12 else f"but for {spread:.0e}"
    return verdict_of(
        spread < 1e-12, f"all turn totals beyond the goal have the same value {pairs}"
    )


def _thirty_one():
    """Equations (5) and (6): the value with the goal reached and a roll forced."""
    values, (forced, _) = solved(double_trouble()).values, _forced_beyond()
    off = np.abs(forced - (20 + 10 * (1 - values.T) + (1 - values[:, 0])) / 31).max()
    return verdict_of(
        off < 1e-12, f"{'within' if off < 1e-12 else 'not within'} 1e-12 at 10,000 pairs of scores"
    )


def _trouble_trial(reached=1.0, banks=True):
    """Section 4: value iteration with the new updates finds the optimum.

    As printed P(i, j, k, 0) is 0, `reached`, where i + k is at the goal, and a hold does not bank the turn total. The
    value 1 that is printed where j is at the goal is not met: the game is over.
    """
    p, exact = _states(TRIAL + 10, 0.5, reached), solved(double_trouble(TRIAL + 10)).value
    _iterate(p, p.copy(), passing=False, banks=banks)
    found = f"goal {TRIAL + 10}: value iteration gives {p[0, 0, 0]:.4f}, exact {exact:.4f}"
    right = abs(p[0, 0, 0] - exact) < 1e-8
    return misprint(
        right, not (reached and banks) and _trouble_trial().verdict == VERDICTS[0], found
    )


def _trouble_second():
    """Section 4: even second, the optimal player outperforms every hold at n."""
    second = _rates(double_trouble())["optimal second"]
    return exceptions(
        second > 0.5, "n", f"least {second.min():.4f}, against hold at {second.idxmin()}"
    )


def _close():
    """Section 4: from hold at 18 to hold at 23 the winning probabilities are very close."""
    average = _rates(double_trouble())["optimal average"]
    near = average.loc[18:23]
    outside = average.drop(range(18, 24))
    worse = outside.min() - near.max()
    found = f"within {np.ptp(near):.4f}; the next best, hold at {outside.idxmin()}, is {worse:.4f} worse"
    return verdict_of(np.ptp(near) < 0.0016 and outside.min() > near.max(), found)


def _best_decreases():
    """Section 4: the best n decreases from 23 to 18, as forced rolls make it smaller. We look at other goals, too."""
    best = {
        goal: [_best_n(make(goal))[0] for make in (two_dice_pig, double_trouble)]
        for goal in (100, 80)
    }
    others = ", ".join(
        f"{plain} and {forced} at goal {goal}"
        for goal, (plain, forced) in best.items()
        if goal < 100
    )
    return verdict_of(
        best[100][1] < best[100][0], f"{best[100][0]} and {best[100][1]}; not a law: {others}"
    )


def _points_of_18(least, most, found):
    """Section 4: the points that hold at 18 banks in a turn of Double Trouble, far from the goal."""
    points = turn_points(double_trouble(200), hold_at(18))
    share = points.loc[least:most].sum() / points.loc[1:].sum()
    return verdict_of(0 < share < 1, f"{share:.1%} of the turns that score {found}")


# Table 1, and what the text says of it


def _best_25():
    """Table 1: n = 25 is the best n in Pig with one die."""
    best, runner_up, lead = _best_n(pig())
    return verdict_of(best == 25, f"{best} leads {runner_up} by {lead:.5f}")


def _trouble_slower():
    """Section 4: forcing a roll after doubles does not make games shorter."""
    more = _turns("mean")["Double Trouble"] - _turns("mean")["Two-dice Pig"]
    return verdict_of(more.min() > 0, f"{more.min():.2f} to {more.max():.2f} turns more")


def _in_the_text():
    """Section 4: two optimal players of Double Trouble take 24.49 turns, where Table 1 prints 24.48."""
    exact = _turns("mean")["Double Trouble"].iloc[2]
    found = f"Table 1 prints 24.48 for the same games; exact is {exact:.3f}"
    return misprint(f"{exact:.2f}" == "24.49", f"{exact:.2f}" == "24.48", found)


def _exact_means():
    """Section 4: Table 1 has the exact means and standard deviations; its caption says that they are simulated."""
    off = abs(compare("two-dice-pig", "table-1")["difference"]) > 0.005
    return exceptions(~off, "numbers, by half a unit", "the caption says simulated")


def _averages():
    """Tables A2 and A3: the average is the mean of the two other numbers, up to their rounding."""
    tables = [published("two-dice-pig", table) for table in ("table-a2", "table-a3")]
    tables = pd.concat(
        [table.pivot(index="n", columns="optimal")["printed"] for table in tables]
    ).astype(float)
    off = abs(2 * tables["average"] - tables["first"] - tables["second"])
    return exceptions(off < 1.5e-4, "averages")


def _increases():
    """How many turns two optimal players take more than one of them against the rule: by order and game."""
    return _turns("mean").iloc[2] - _turns("mean").iloc[:2]


def _not_fewer():
    """Section 4: two optimal players do not take fewer turns, in all three games."""
    least = _increases().min()
    return exceptions(least >= 0, "games", ", ".join(f"+{more:.2f}" for more in least))


def _especially():
    """Section 4: especially in both versions of two-dice Pig."""
    one, *two = _increases().mean()
    return verdict_of(
        min(two) > one, f"+{one:.2f} turns in Pig, +{two[0]:.2f} and +{two[1]:.2f} with two dice"
    )


@cache
def _order():
    """By game and n: the turns of the optimal player against hold at n when moving first, less those moving second."""
    races = {
        (game.name, n): _match(game, solved(game).policy, hold_at(n))
        for (game, _), n in product(BEST_TOTALS, TOTALS)
    }
    return {at: race.starts()[0, 0, 2] - race.starts(1)[0, 0, 2] for at, race in races.items()}


def _order_slight():
    """Section 4: who of the two goes first has no significant effect on the number of turns."""
    gaps = np.array([_order()[at] for at in _games()])
    share = abs(gaps / _turns("mean").iloc[0]).max()
    in_errors = gaps / (_turns("sd").iloc[0] * (2 / GAMES) ** 0.5)
    found = f"by at most {share:.1%}, so not much; but {in_errors.min():.0f} to {in_errors.max():.0f} standard errors"
    return taste(f"{found} in the paper's games")


def _order_always():
    """Section 4, the same sentence: the optimal player going second always means fewer turns."""
    fewer = [gap > 0 for gap in _order().values()]
    found = f"not a law: not at {len(fewer) - sum(fewer)} of {len(fewer)} games and n from 10 to 35"
    return exceptions([_order()[at] > 0 for at in _games()], "games with the paper's n", found)


def _about(games, said, near=0.1, more=""):
    """Whether the three standard deviations of each game are about a number; if not all are near, a matter of taste."""
    sds = _turns("sd")[games].to_numpy().T.ravel()
    finding = exceptions(
        abs(sds - said) <= near, "deviations", ", ".join(map("{:.2f}".format, sds))
    )
    return finding if finding.verdict == VERDICTS[0] else taste(finding.found + more)


def _much_wider():
    """Section 4: both games with two dice have much larger standard deviations than Pig."""
    ratios = _turns("sd").div(_turns("sd")["Pig"], axis=0).to_numpy()[:, 1:]
    return taste(f"{ratios.min():.2f} to {ratios.max():.2f} times those of Pig")


@cache
def _without_reset():
    """Two-dice Pig in which two ones cost the turn only: a Game."""
    scoring = [outcome for outcome in two_dice_pig().modes[0].outcomes if outcome.choices]
    return Game(
        "Two-dice Pig without resets", 100, Mode("roll", (*scoring, Outcome("11/36", "bust")))
    )


def _more_dice():
    """Section 4: more dice make the number of turns more random. We take the reset away and keep both dice."""
    game = _without_reset()
    match = evaluate(game, solved(game).policy, solved(game).policy)
    one, two, _ = _turns("sd").iloc[2]
    found = f"two dice without the reset {match.turns_sd:.2f}, one die {one:.2f}, with the reset {two:.2f}"
    verdict = VERDICTS[
        2 if match.turns_sd <= one else 0 if match.turns_sd - one > (two - one) / 2 else 1
    ]
    return Finding(verdict=verdict, found=f"a little; nearly all is the reset: {found}")


def _sd_trouble():
    """Section 4: Double Trouble has a larger deviation, about 11.3, than two-dice Pig."""
    _, two, trouble = _turns("sd").to_numpy().T
    return exceptions(trouble > two, "pairs of players", ", ".join(map("{:.2f}".format, trouble)))


def _snake_eyes():
    """Section 4: that optimal play lengthens games is due to the ones, especially to the reset."""
    best, more = solved(_without_reset()).policy, _increases()["Two-dice Pig"].iloc[0]
    both, rule = (evaluate(best.game, best, other).turns_mean for other in (best, hold_at(23)))
    return verdict_of(
        more > both - rule, f"+{more:.2f} turns with the reset, +{both - rule:.2f} without it"
    )


@cache
def _lost_turns(game, policy):
    """The share of turns that end with a one, both players using `policy`."""
    race = _match(game, policy, policy)
    steps, start, first = race.steps, race.positions.start, race.positions.terminals
    now, visits, back = np.eye(1, race.positions.size, start)[0], 0, steps.T.tocsr()
    while now.sum() > 1e-15:
        now, visits = back @ now, visits + now
    turns = race.positions.turns[race.positions.where[first:]]
    lost = steps[turns[:, ROW], turns[:, BUST]]
    lost += steps[turns[:, ROW], turns[:, RESET]] * (turns[:, BUST] != turns[:, RESET])
    return visits[first:] @ lost / visits[first:].sum()


def _more_ones():
    """Section 4: optimal play may roll more ones, which adds turns."""
    rates = [
        (_lost_turns(game, solved(game).policy), _lost_turns(game, hold_at(n)))
        for game, n in BEST_TOTALS
    ]
    shown = "; ".join(f"{best:.3f} and {rule:.3f}" for best, rule in rates)
    more = [
        game.name for (game, _), (best, rule) in zip(BEST_TOTALS, rates, strict=True) if best > rule
    ]
    return taste(
        f"it does in {' and '.join(more) or 'no game'}; turns lost to ones, optimal and best n: {shown}"
    )


def _forced_ones():
    """Section 4: forced rolls lose more turns to ones."""
    plain, forced = (
        _lost_turns(game, solved(game).policy) for game in (two_dice_pig(), double_trouble())
    )
    return verdict_of(
        forced > plain, f"{plain:.3f} of the turns in two-dice Pig, {forced:.3f} in Double Trouble"
    )


# Remarks of our own, in the notebook


def _no_rule_dominates():
    """Our own: no hold at n is best against every hold at m."""
    best = _matches().idxmax()
    shown = [
        f"{n} for m from {best.index[best == n].min()} to {best.index[best == n].max()}"
        for n in best.unique()
    ]
    return verdict_of(best.nunique() > 1, f"best replies: {'; '.join(shown)}")


def _no_cycle():
    """Our own: averaged over who moves first, no three rules beat each other in a circle."""
    edge = ((_matches() - _matches().T) / 2).to_numpy() > 0
    cycles = int(np.trace(np.linalg.matrix_power(edge.astype(int), 3)) // 3)
    champions = [
        str(n) for n, row in zip(TOTALS, edge, strict=True) if row.sum() == len(TOTALS) - 1
    ]
    return verdict_of(
        cycles == 0,
        f"{cycles} of {comb(len(TOTALS), 3):,} triples; {', '.join(champions) or 'none'} beats all",
    )


def _a1_computed():
    """Our own: Table A1 was computed, not simulated."""
    right = abs(compare("two-dice-pig", "table-a1")["difference"]) <= 0.5e-4
    # That a simulated number is within half a unit.
    chance = erf(0.5e-4 / (0.5 / GAMES**0.5) / 2**0.5)
    found = f"{right.sum()} of {len(right)} within half a unit; with ten million games each that has probability"
    return verdict_of(right.all(), f"{found} {chance ** len(right):.0e}")


def _ten_million():
    """Our own: Tables A2 and A3 were simulated with about ten million games a number. The paper does not say."""
    both = pd.concat(compare("two-dice-pig", name) for name in ("table-a2", "table-a3"))
    simulated = both[~both["item"].str.contains("average")]
    exact = simulated["computed"].astype(float)
    spread = (simulated["difference"].astype(float) ** 2 / (exact * (1 - exact))).mean()
    told, error = 1 / spread, (2 / len(exact)) ** 0.5 / spread
    found = f"inferred from {len(exact)} differences: {told / 1e6:.1f} ± {error / 1e6:.1f} million"
    return verdict_of(abs(told - GAMES) < 2 * error, found)


SKUNK = 0.5195594  # of the state (0, 0), on Marlin's page "Analysis of the game of Skunk", Christmas 1998


def _priority():
    """The game of that page has the same rules: a pair of dice, a one loses the turn, two ones all points, 100 wins."""
    value = solved(two_dice_pig()).value
    off = abs(SKUNK - value)
    found = (
        "we know of a page of 1998 on the same game, Skunk, with a chart of the whole strategy, whose value at the"
        f" start is {SKUNK}; exact is {value:.10f}, {off:.1e} less; and of Neller and Presser's addendum of 2005, by"
        " which they have solved a number of variants of Pig since 2004"
    )
    return verdict_of(off > 1e-5, found)


CHECKS = {
    "priority": _priority,
    "best-n-two-dice": partial(_resolution, two_dice_pig(), 23, 0.4747),
    "best-n-double-trouble": partial(_resolution, double_trouble(), 18, 0.4733),
    "abstract-turns": _abstract_turns,
    "rules-figure-1": partial(_rolls_lead, two_dice_pig(), "roll", "roll"),
    "no-discount": _no_discount,
    "policy-iteration-finite": _finite,
    "policy-iteration-monotone": _monotone,
    "evaluation-cost": _evaluation_cost,
    "one-update": _one_update,
    "policy-value": _policy_value,
    "roll-equation": _roll_equation,
    "nash-equilibrium": _nash,
    "value-iteration": _with_reward,
    "algorithm-1": _as_printed,
    "figure-2-caption": _one_boundary,
    "aggressive-near-goal": _aggressive,
    "aggressive-at-low-score": _aggressive_low,
    "conservative-near-zero": _conservative,
    "opponent-at-90": _opponent_90,
    "opponent-nearly-wins": _high_probability,
    "moving-first": _first_above_half,
    "advantage-vanishes": _vanishes,
    "text-52-18": _percent,
    "optimal-dominates": _dominates,
    "weaker-opponent": _weaker,
    "always-optimal": _always_optimal,
    "better-exists": _better_exists,
    "worse-opponent": _worse_opponent,
    "range-of-n": _range_of_n,
    "optimal-beats-all": _beats_all,
    "second-above-half": _second_above_half,
    "state-30-10-20": _held_at_28,
    "not-enough-information": partial(_after_a_double, 30, 10, 28),
    "turn-total-1000": partial(
        _doubles, 83, "possible by 99 double fives; 83 doubles, the fewest,"
    ),
    "state-90-20-10": partial(_after_a_double, 90, 20, 10),
    "hold-equation": partial(_trouble_trial, banks=False),
    "trouble-roll-equation": partial(_rolls_lead, double_trouble(), "forced", "free"),
    "rules-figure-7": partial(
        _rolls_lead, double_trouble(), "forced", "free", more="; no hold after a double"
    ),
    "situation-iv": partial(
        _rolls_lead,
        double_trouble(),
        "forced",
        "free",
        more="; of the 36, beyond the goal, 20 win, 5 are repeated, 11 lose",
    ),
    "doubles-end": partial(_doubles, 10, "10 more doubles"),
    "turn-total-irrelevant": _total_irrelevant,
    "forced-boundary": _thirty_one,
    "boundary-conditions": partial(_trouble_trial, reached=0.0),
    "trouble-value-iteration": _trouble_trial,
    "trouble-second": _trouble_second,
    "close-18-to-23": _close,
    "best-n-decreases": _best_decreases,
    "not-exactly-18": partial(_points_of_18, 18, 18, "hold at exactly 18"),
    "much-larger-than-18": partial(_points_of_18, 36, 200, "bank 36 points or more"),
    "best-n-one-die": _best_25,
    "turns-24-49": _in_the_text,
    "order-not-significant": _order_slight,
    "second-always-fewer": _order_always,
    "sd-one-die": partial(_about, ["Pig"], 6.5, 0.25),
    "sd-two-dice": partial(_about, ["Two-dice Pig", "Double Trouble"], 11.0, 0.25),
    "more-dice-more-random": _more_dice,
    "sd-much-larger": _much_wider,
    "sd-double-trouble": partial(_about, ["Double Trouble"], 11.3),
    "sd-standard": partial(_about, ["Two-dice Pig"], 10.8, more="; printed 10.81, 11.17, 10.78"),
    "sd-trouble": _sd_trouble,
    "exact-means": _exact_means,
    "optimal-not-shorter": _not_fewer,
    "optimal-longer-with-two-dice": _especially,
    "snake-eyes": _snake_eyes,
    "optimal-rolls-ones": _more_ones,
    "trouble-more-turns": _trouble_slower,
    "forced-rolls-lose-turns": _forced_ones,
    "exact-strategy": _exact_strategy,
    "printed-averages": _averages,
    "own-a1-computed": _a1_computed,
    "own-ten-million": _ten_million,
    "own-no-dominant-rule": _no_rule_dominates,
    "own-no-cycle": _no_cycle,
}
