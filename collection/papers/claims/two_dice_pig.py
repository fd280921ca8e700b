"""How the claims of two-dice-pig (Zhu and Ma 2022) are checked: `CHECKS`, a function for every claim.

The paper's algorithm is repeated in plain NumPy, apart from our solvers: `_iterate` is Algorithm 1, `_turn` one
backward pass of equations (2), and `_trouble_value` iterates the equations of section 4. They use small goals.
"""

from functools import cache, partial
from itertools import combinations, product
from math import comb, erf

import numpy as np

from dicelab.engine.positions import BUST, RESET, ROW
from dicelab.engine.race import seated
from dicelab.evaluation.action_values import turn_action_values
from dicelab.evaluation.best_response import best_response
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import double_trouble, pig, two_dice_pig
from dicelab.games.model import Game, Mode, Outcome
from dicelab.rules_of_thumb import Rule, hold_at

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
)
from .findings import VERDICTS, Finding, exceptions, solved, taste, verdict_of

__all__ = ["CHECKS"]

GAMES = 10_000_000  # of each number that the paper simulated
# Rolls of two dice without a one.
SUMS = np.bincount(np.add.outer(range(2, 7), range(2, 7)).ravel(), minlength=13)
TRIAL = 40  # the goal of the checks that iterate


def _rates(game, totals=TOTALS):
    return optimal_against_hold_at_n(game, totals)


def _matches():
    return played(two_dice_pig(), TOTALS, TOTALS)


@cache
def _turns():
    """Means and standard deviations of Table 1: a dict by (game, first, second, "mean" | "sd")."""
    return {key: number for key, (number, _) in numbers_of_turns(BEST_TOTALS).items()}


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
    found = f"{best} wins {1 - _rates(game)['optimal average'][best]:.4f} and leads {runner_up} by {lead:.5f}"
    found += f"; the standard error of this lead in the paper's games is {error:.5f}"
    return verdict_of(
        best == n and abs(1 - _rates(game)["optimal average"][n] - wins) < 4 * error, found
    )


def _best_23():
    """Abstract: hold at 23 is the best n in two-dice Pig, with 0.4747."""
    return _resolution(two_dice_pig(), 23, 0.4747)


def _best_18():
    """Abstract and section 4: hold at 18 is the best n in Double Trouble, with 0.4733."""
    return _resolution(double_trouble(), 18, 0.4733)


def _abstract_turns():
    """Abstract: games take 19, 23 and 24 turns on average, optimal against optimal or against the best n."""
    said = {"Pig": 19, "Two-dice Pig": 23, "Double Trouble": 24}
    means = {key: mean for key, mean in _turns().items() if key[3] == "mean"}
    off = [
        f"{key[0]}, {key[1]} first: {mean:.2f}"
        for key, mean in means.items()
        if round(mean) != said[key[0]]
    ]
    return exceptions(
        [round(mean) == said[key[0]] for key, mean in means.items()], "averages", "; ".join(off)
    )


# Section 2, and Algorithm 1


def _states(goal, start, reached):
    """P(i, j, k): `start` before the goal, `reached` with i + k at the goal or beyond."""
    own, _, total = np.ogrid[:goal, :goal, : goal + len(SUMS)]
    return np.where(own + total >= goal, reached, start) * np.ones((goal, goal, goal + len(SUMS)))


def _backwards(p, passing=True, rolls=None):
    """One sweep of Algorithm 1, in place, from the largest turn totals down; returns the values of roll and hold.

    With `rolls`, [own, opponent, turn total], a sweep of the evaluation of this policy.
    """
    goal, before = len(p), p[:, :, 0].copy()
    bust = 1 - before.T
    reset = np.broadcast_to(1 - before[:, 0], before.shape)
    rolling, holding = np.full((2, goal, goal, goal), np.nan)
    for total in range(goal - 1, -1, -1):
        roll = sum(ways * p[:, :, total + points] for points, ways in enumerate(SUMS) if ways)
        rows = np.arange(goal - total)
        rolling[rows, :, total] = ((roll + 10 * bust + reset) / 36)[rows]
        if total or passing:
            holding[rows, :, total] = (1 - before)[:, rows + total].T
        best = np.fmax if rolls is None else partial(np.where, rolls[rows, :, total])
        p[rows, :, total] = best(rolling[rows, :, total], holding[rows, :, total])
    return rolling, holding


def _iterate(goal, start, reached, most=1000, epsilon=1e-10):
    """Run Algorithm 1 from `start` everywhere and `reached` beyond the goal: P, and the number of sweeps."""
    p = _states(goal, start, reached)
    sweeps, change = 0, np.inf
    while sweeps < most and change >= epsilon:
        before, sweeps = p.copy(), sweeps + 1
        _backwards(p)
        change = np.abs(p - before).max()
    return p, sweeps


def _turn(values):
    """The values of roll and hold in one turn by (2), from those at the start of turns; a turn begins with a roll."""
    p = _states(len(values), 0.0, 1.0)
    p[:, :, 0] = values
    return _backwards(p, passing=False)


def _as_printed():
    """Algorithm 1: it converges from any start. As printed it is never told that reaching the goal wins."""
    goal = 10
    ends = []
    right = []
    for start in (0.0, 0.5, 1.0):
        p, sweeps = _iterate(goal, start, start)
        right.append(abs(p[0, 0, 0] - solved(two_dice_pig(goal)).value) < 1e-8)
        ends.append(
            f"from {start:g} {'at' if sweeps < 1000 else 'not in'} {sweeps} sweeps: {p[0, 0, 0]:.4f}"
        )
    found = f"goal {goal}, exact {solved(two_dice_pig(goal)).value:.4f}; stops {'; '.join(ends)}"
    found += (
        "; with the winning states of section 2.2 at 1 it converges to the optimum from any start"
    )
    repaired = _with_reward().verdict == VERDICTS[0]
    return Finding(verdict=VERDICTS[0 if all(right) else 1 if repaired else 2], found=found)


@cache
def _converged():
    """Algorithm 1 with the value 1 where the goal is reached, from three starts: P, sweeps and goal of each run."""
    return [
        (*_iterate(goal, start, 1.0), goal) for goal in (10, TRIAL) for start in (0.0, 0.5, 1.0)
    ]


def _with_reward():
    """Section 3: with the winning states of section 2.2, value iteration finds the optimal values."""
    off = [
        np.abs(p[:, :, 0] - solved(two_dice_pig(goal)).values).max() for p, _, goal in _converged()
    ]
    return verdict_of(max(off) < 1e-8, f"from 0, 1/2 and 1, goals 10 and {TRIAL}: within 1e-8")


@cache
def _policy_iteration():
    """Policy iteration from hold at 20, both players changing at once: the values and the rolls of every policy."""
    game, values = two_dice_pig(TRIAL), []
    policy = hold_at(20)
    rolls = [np.broadcast_to(np.arange(TRIAL) < 20, (TRIAL,) * 3)]
    for _ in range(50):
        values.append(_match(game, policy, policy).starts()[..., 0])
        roll, hold = _turn(values[-1])
        new = roll > np.nan_to_num(hold, nan=-1.0) + 1e-12
        if (new == rolls[-1]).all():
            break
        rolls.append(new)
        policy = Rule(
            "improved",
            lambda own, opponent, totals, target, rolls=new: ~rolls[own, opponent, totals],
        )
    return values, rolls


def _finite():
    """Section 2.2: policy iteration reaches the optimum after finitely many policies."""
    values, _ = _policy_iteration()
    off = np.abs(values[-1] - solved(two_dice_pig(TRIAL)).values).max()
    return verdict_of(off < 1e-10, f"goal {TRIAL}, from hold at 20: {len(values) - 1} improvements")


# Section 3


def _dominates():
    """Section 3: P of the optimal policy is nowhere less than P of another policy.

    By the printed equations both players use the policy; if the opponent is the optimal player for both, it holds.
    """
    own = {n: _matches().loc[n, n] for n in TOTALS}
    best = max(own, key=own.get)
    value = solved(two_dice_pig()).value
    wrong = sum(other > value for other in own.values())
    found = f"two players who hold at {best}: {own[best]:.4f} moving first, above {value:.4f}"
    found += f"; so at {wrong} of {len(own)} n; against the optimal player no policy has more"
    repaired = _nash().verdict == VERDICTS[0]
    return Finding(verdict=VERDICTS[0 if not wrong else 1 if repaired else 2], found=found)


def _nash():
    """Section 3: the optimal policy against itself is a Nash equilibrium."""
    best = solved(two_dice_pig())
    gain = np.abs(best_response(best.game, best.policy).values - best.values).max()
    found = "nothing" if gain < 1e-12 else f"{gain:.0e}"
    return verdict_of(
        gain < 1e-12,
        f"the best response gains {found} at any of 10,000 pairs of scores, to 12 decimals",
    )


@cache
def _rolls_again():
    """Where the optimal player rolls although there is a lower turn total at which to hold."""
    rolls, inside = _rolls()
    return rolls & inside & np.maximum.accumulate(inside & ~rolls, axis=2)


def _one_boundary():
    """Figure 2: a player rolls below the boundary and holds above it."""
    again, (rolls, inside) = _rolls_again(), _rolls()
    policy = solved(two_dice_pig()).policy
    reached = (again & reachable(two_dice_pig(), policy)[:, :, 0]).any(axis=2)
    played = pairs_seen(two_dice_pig(), policy, policy)[0]
    holds = np.flatnonzero((~rolls & inside)[5, 80])
    edges = np.split(holds, np.flatnonzero(np.diff(holds) > 1) + 1)
    at = " and ".join(f"{edge[0]}–{edge[-1]}" for edge in edges)
    found = f"{reached.sum()} of them where the policy's own turns roll again, "
    found += f"{(reached & played).sum()} in optimal play; "
    return exceptions(
        ~again.any(axis=2),
        "pairs of scores",
        f"{found}at (5, 80) it holds at {at} and rolls between",
    )


def _aggressive():
    """Section 3: as the opponent nears the goal, the player rolls longer."""
    thresholds = _thresholds()
    rises = np.diff(thresholds, axis=1)
    falls = np.maximum.accumulate(thresholds, axis=1) - thresholds
    own = int(falls.max(axis=1).argmax())
    found = f"a step falls by up to {-rises.min()} points, several steps by up to {falls.max()}, at own score {own}"
    return exceptions(rises >= 0, "steps of the opponent's score", found)


def _aggressive_low():
    """Section 3: especially when the own score is low. We compare the rise of the boundary in points and as a share."""
    thresholds = _thresholds()
    rise = (thresholds[:, 90] - thresholds[:, 0]).astype(float)
    low, high = rise[:50].mean(), rise[50:].mean()
    found = f"from opponent's score 0 to 90 the boundary rises by {low:.1f} points below own score 50, {high:.1f} above"
    return verdict_of(low > high, found)


def _conservative():
    """Section 3: with the opponent's score near 0 the player is most careful."""
    above = _thresholds()[:, 0] - _thresholds().min(axis=1)
    found = "at opponent's score 0 the boundary is the lowest, but for "
    found += f"{above.max()} point at {(above > 0).sum()} own scores"
    return verdict_of(above.max() <= 1, found)


def _opponent_90():
    """Section 3: at the opponent's score 90 the player rolls for the goal in one turn."""
    always = (_thresholds() == np.arange(100, 0, -1)[:, None]).all(axis=0)
    least = 100 - int(np.argmin(always[::-1]))
    return verdict_of(always[90], f"at every own score; so from opponent's score {least} on")


def _high_probability():
    """Section 3: an opponent at 90 has a very high probability to win in the next turn."""
    policy = solved(two_dice_pig()).policy
    race = _match(two_dice_pig(), policy, policy)
    steps, start = race.steps, race.positions.offset[0, 0] + 90 * race.positions.scores
    # A win leads to the terminal of the player who moves last from the next one on.
    finish = steps[[*range(start, start + race.positions.scores)]].toarray()[:, 2]
    return taste(f"the probability to win in the turn is at most {finish.max():.3f}")


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


@cache
def _response(n):
    """The best response to hold at n."""
    return best_response(two_dice_pig(), hold_at(n))


@cache
def _gains():
    """What the best response to hold at n wins more than the optimal policy, moving first, by n."""
    first = _rates(two_dice_pig())["optimal first"]
    return {n: _response(n).value - first[n] for n in (10, 23)}


def _always_optimal():
    """Section 3: against an unknown opponent, the optimal strategy: the wins that policies guarantee, moving first."""
    game, best = two_dice_pig(), solved(two_dice_pig())
    answers = {"the optimal policy": (best.policy, best_response(game, best.policy).policy)}
    answers |= {f"hold at {n}": (hold_at(n), _response(n).policy) for n in (23, 10)}
    least = {name: evaluate(game, *players).first_wins for name, players in answers.items()}
    found = ", ".join(f"{name} {wins:.4f}" for name, wins in least.items())
    return verdict_of(
        max(least, key=least.get) == "the optimal policy", f"guaranteed moving first: {found}"
    )


def _better_exists():
    """Section 3: against a known policy there may be a better strategy than the optimal one."""
    gains = _gains()
    most = max(gains, key=gains.get)
    return exceptions(
        [g > 1e-6 for g in gains.values()],
        "n tried",
        f"hold at {most} loses {gains[most]:.4f} more to it",
    )


def _worse_opponent():
    """Section 3: the worse the opponent plays, the more often the optimal player wins."""
    wins = _matches()
    # Against all rules, moving first and second.
    strength = (wins + 1 - wins.T).mean(axis=1)
    lost = _rates(two_dice_pig())["optimal average"]
    pairs = [
        (strength[n] - strength[m]) * (lost[n] - lost[m]) < 0 for n, m in combinations(TOTALS, 2)
    ]
    counted = exceptions(pairs, "pairs of rules", "worse: fewer wins against the 26 rules").found
    return taste(f"what worse means is open; {counted}")


def _beats_all():
    """Section 3: the optimal strategy wins over every hold at n."""
    return exceptions(
        _rates(two_dice_pig(), range(1, 101))["optimal average"] > 0.5, "n from 1 to 100"
    )


def _second_above_half():
    """Section 3: even second, the optimal player wins more than half of the games, for all n."""
    second = _rates(two_dice_pig(), range(1, 101))["optimal second"]
    other = _rates(two_dice_pig(60))["optimal second"]
    found = f"least {second.min():.4f}, against hold at {second.idxmin()}"
    found += f"; not so at goal 60: {other.min():.4f}, against hold at {other.idxmin()}"
    return exceptions(second > 0.5, "n from 1 to 100", found)


# Section 4: Double Trouble


@cache
def _forced_beyond():
    """The values with a roll forced where the goal is reached, by pair of scores, and how far they differ by total."""
    best = solved(double_trouble())
    values = np.empty((100, 100))
    spread = 0.0
    for own, opponent in product(range(100), range(100)):
        beyond = turn_action_values(best, own, opponent).roll[1, 100 - own :]
        values[own, opponent], spread = beyond[0], max(spread, np.ptp(beyond))
    return values, spread


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


def _trouble_value(goal, *, total_counts, reached, passed):
    """Section 4 by value iteration: the value at the start.

    `total_counts` says whether a hold banks the turn total (as printed it does not), `reached` is the value of
    P(i, j, k, 0) with i + k ≥ goal, and `passed` that with j ≥ goal.
    """
    doubles = np.zeros(13, dtype=int)
    doubles[4:13:2] = 1
    free = _states(goal, 0.5, float(reached))
    beyond = _states(goal, 0.0, 1.0) == 1.0
    forced, start = free.copy(), free[:, :, 0].copy()
    banked = np.full((goal, 2 * goal), float(passed))  # P(j, i', 0, 0), by j and i'
    for _ in range(1000):
        bust = 1 - start.T
        reset = np.broadcast_to(1 - start[:, 0], (goal, goal))
        forced = np.where(beyond, ((20 + 10 * bust + reset) / 31)[:, :, None], forced)
        banked[:, :goal] = start
        for k in range(goal - 1, -1, -1):
            different = sum(
                ways * free[:, :, k + s] for s, ways in enumerate(SUMS - doubles) if ways
            )
            equal = sum(forced[:, :, k + s] for s in range(4, 13, 2))
            rows = np.arange(goal - k)
            forced[rows, :, k] = free[rows, :, k] = ((different + equal + 10 * bust + reset) / 36)[
                rows
            ]
            if k:
                hold = 1 - banked[:, rows + k].T if total_counts else bust[rows]
                free[rows, :, k] = np.maximum(free[rows, :, k], hold)
        start, before = free[:, :, 0].copy(), start
        if np.abs(start - before).max() < 1e-10:
            break
    return start[0, 0]


def _trouble_trial(**printed):
    right = {"total_counts": True, "reached": 1, "passed": 0}
    value = _trouble_value(TRIAL + 10, **right | printed)
    exact = solved(double_trouble(TRIAL + 10)).value
    return verdict_of(
        abs(value - exact) < 1e-8,
        f"goal {TRIAL + 10}: value iteration gives {value:.4f}, exact {exact:.4f}",
    )


def _trouble_iteration():
    """Section 4: value iteration with the new updates finds the optimum. We correct both misprints."""
    return _trouble_trial()


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


@cache
def _points_of_18():
    """The distribution of the points of a turn of hold at 18 in Double Trouble, far from the goal."""
    return turn_points(double_trouble(200), hold_at(18))


def _exactly_18():
    """Section 4: hold at 18 cannot hold at exactly 18 in every turn; single turns may."""
    points = _points_of_18()
    scored = points[points.index > 0].sum()
    return verdict_of(
        0 < points[18] < scored,
        f"{points[18] / scored:.1%} of the turns that score hold at exactly 18",
    )


# Table 1, and what the text says of it


def _games():
    return [(game.name, n) for game, n in BEST_TOTALS]


def _best_25():
    """Table 1: n = 25 is the best n in Pig with one die."""
    best, runner_up, lead = _best_n(pig())
    return verdict_of(best == 25, f"{best} leads {runner_up} by {lead:.5f}")


def _trouble_slower():
    """Section 4: forcing a roll after doubles does not make games shorter."""
    turns = _turns()
    orders = [key[1:3] for key in turns if key[0] == "Pig" and key[3] == "mean"]
    differences = [
        turns["Double Trouble", *o, "mean"] - turns["Two-dice Pig", *o, "mean"] for o in orders
    ]
    return verdict_of(
        min(differences) > 0, f"{min(differences):.2f} to {max(differences):.2f} turns more"
    )


def _increases(game):
    """How many turns two optimal players take more than one of them against the rule, by order."""
    turns = _turns()
    both = turns[game, "optimal", "optimal", "mean"]
    return [
        both - turns[game, *order, "mean"] for order in (("optimal", "rule"), ("rule", "optimal"))
    ]


def _not_fewer():
    """Section 4: two optimal players do not take fewer turns, in all three games."""
    least = {game: min(_increases(game)) for game, _ in _games()}
    return exceptions(
        [more >= 0 for more in least.values()],
        "games",
        ", ".join(f"+{x:.2f}" for x in least.values()),
    )


def _especially():
    """Section 4: especially in both versions of two-dice Pig."""
    one, *two = (sum(_increases(game)) / 2 for game, _ in _games())
    return verdict_of(
        min(two) > one, f"+{one:.2f} turns in Pig, +{two[0]:.2f} and +{two[1]:.2f} with two dice"
    )


@cache
def _order():
    """By game and n: the turns of the optimal player against hold at n when moving first, less those moving second."""
    differences = {}
    for (game, _), n in product(BEST_TOTALS, TOTALS):
        race = _match(game, solved(game).policy, hold_at(n))
        first, second = (race.starts(phase)[0, 0, 2] for phase in range(2))
        differences.setdefault(game.name, {})[n] = first - second
    return differences


def _order_slight():
    """Section 4: who of the two goes first has no significant effect on the number of turns."""
    gaps = {game: _order()[game][n] for game, n in _games()}
    sds, means = (
        {game: _turns()[game, "optimal", "rule", what] for game in gaps} for what in ("sd", "mean")
    )
    in_errors = [gaps[game] / (sds[game] * (2 / GAMES) ** 0.5) for game in gaps]
    share = max(abs(gaps[game]) / means[game] for game in gaps)
    found = f"by at most {share:.1%}, so not much; but {min(in_errors):.0f} to {max(in_errors):.0f} standard errors"
    return taste(f"{found} in the paper's games")


def _order_always():
    """Section 4, the same sentence: the optimal player going second always means fewer turns."""
    said = [_order()[game][n] > 0 for game, n in _games()]
    fewer = [gap > 0 for gaps in _order().values() for gap in gaps.values()]
    found = f"not a law: not at {len(fewer) - sum(fewer)} of {len(fewer)} games and n from 10 to 35"
    return exceptions(said, "games with the paper's n", found)


def _about(game, said, near=0.1):
    """Whether the three standard deviations of a game are about a number."""
    sds = [sd for key, sd in _turns().items() if key[0] in game and key[3] == "sd"]
    return exceptions(
        [abs(sd - said) <= near for sd in sds], "deviations", ", ".join(f"{sd:.2f}" for sd in sds)
    )


def _sd_110():
    """Section 4: about 11.0 in both games with two dice."""
    return taste(_about(("Two-dice Pig", "Double Trouble"), 11.0, 0.25).found)


def _sd_108():
    """Section 4: about 10.8 in two-dice Pig."""
    return taste(f"{_about(('Two-dice Pig',), 10.8).found}; printed 10.81, 11.17, 10.78")


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
    one, two = (_turns()[name, "optimal", "optimal", "sd"] for name in ("Pig", "Two-dice Pig"))
    found = f"two dice without the reset {match.turns_sd:.2f}, one die {one:.2f}, with the reset {two:.2f}"
    verdict = VERDICTS[
        2 if match.turns_sd <= one else 0 if match.turns_sd - one > (two - one) / 2 else 1
    ]
    return Finding(verdict=verdict, found=f"a little; nearly all is the reset: {found}")


def _sd_trouble():
    """Section 4: Double Trouble has a larger deviation, about 11.3, than two-dice Pig."""
    pairs = {
        key[1:3]: sd
        for key, sd in _turns().items()
        if key[0] == "Double Trouble" and key[3] == "sd"
    }
    larger = [sd > _turns()["Two-dice Pig", *pair, "sd"] for pair, sd in pairs.items()]
    return exceptions(larger, "pairs of players", ", ".join(f"{sd:.2f}" for sd in pairs.values()))


def _snake_eyes():
    """Section 4: that optimal play lengthens games is due to the ones, especially to the reset."""
    game = _without_reset()
    best = solved(_without_reset()).policy
    both = evaluate(game, best, best).turns_mean
    rule = evaluate(game, best, hold_at(23)).turns_mean
    more = _increases("Two-dice Pig")[0]
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
    errors = [
        abs(solved(two_dice_pig(g)).value - float(p))
        for g, p in published("two-dice-pig", "table-a1").to_numpy()
    ]
    # That a simulated number is within half a unit.
    chance = erf(0.5e-4 / (0.5 / GAMES**0.5) / 2**0.5)
    within = sum(error <= 0.5e-4 for error in errors)
    found = f"{within} of {len(errors)} within half a unit; with ten million games each that has probability"
    return verdict_of(within == len(errors), f"{found} {chance ** len(errors):.0e}")


def _ten_million():
    """Our own: Tables A2 and A3 were simulated with about ten million games a number. The paper does not say."""
    scaled = []
    for game, name in ((two_dice_pig(), "table-a2"), (double_trouble(), "table-a3")):
        for n, order, text in (
            published("two-dice-pig", name).query("optimal != 'average'").to_numpy()
        ):
            exact = _rates(game)[f"optimal {order}"][n]
            scaled.append((float(text) - exact) ** 2 / (exact * (1 - exact)))
    told = 1 / np.mean(scaled)
    error = (2 / len(scaled)) ** 0.5 / np.mean(scaled)
    found = f"inferred from {len(scaled)} differences: {told / 1e6:.1f} ± {error / 1e6:.1f} million"
    return verdict_of(abs(told - GAMES) < 2 * error, found)


SKUNK = 0.5195594  # of the state (0, 0), on Marlin's page "Analysis of the game of Skunk", Christmas 1998


def _priority():
    """The game of that page has the same rules: a pair of dice, a one loses the turn, two ones all points, 100 wins."""
    value = solved(two_dice_pig()).value
    off = abs(SKUNK - value)
    found = f"a page of 1998 on the same game, Skunk, has the value {SKUNK} at the start; exact is {value:.10f}"
    return verdict_of(off > 1e-5, f"{found}, {off:.1e} less")


CHECKS = {
    "priority": _priority,
    "best-n-two-dice": _best_23,
    "best-n-double-trouble": _best_18,
    "abstract-turns": _abstract_turns,
    "policy-iteration-finite": _finite,
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
    "optimal-dominates": _dominates,
    "always-optimal": _always_optimal,
    "better-exists": _better_exists,
    "worse-opponent": _worse_opponent,
    "optimal-beats-all": _beats_all,
    "second-above-half": _second_above_half,
    "turn-total-irrelevant": _total_irrelevant,
    "forced-boundary": _thirty_one,
    "trouble-value-iteration": _trouble_iteration,
    "trouble-second": _trouble_second,
    "close-18-to-23": _close,
    "best-n-decreases": _best_decreases,
    "not-exactly-18": _exactly_18,
    "best-n-one-die": _best_25,
    "order-not-significant": _order_slight,
    "second-always-fewer": _order_always,
    "sd-two-dice": _sd_110,
    "more-dice-more-random": _more_dice,
    "sd-standard": _sd_108,
    "sd-trouble": _sd_trouble,
    "optimal-not-shorter": _not_fewer,
    "optimal-longer-with-two-dice": _especially,
    "snake-eyes": _snake_eyes,
    "optimal-rolls-ones": _more_ones,
    "trouble-more-turns": _trouble_slower,
    "forced-rolls-lose-turns": _forced_ones,
    "own-a1-computed": _a1_computed,
    "own-ten-million": _ten_million,
    "own-no-dominant-rule": _no_rule_dominates,
    "own-no-cycle": _no_cycle,
}
