"""The games by their rules alone: optimal play and the worth of given policies, in Fractions, without any solver.

This is meant to be read as the definition of what the package computes. It is plain, slow, and for small games.

**A turn** begins with a roll in the first mode and a total of 0. A roll busts, resets, or lets the player take one of
some choices: points for the total, and the mode in which the turn goes on. A roll whose only choice is to stay, without
a point, is made again. In a mode without outcomes the player must hold. If the finish is exact, a choice beyond the
target ends the turn like a bust. In a mode with a hold, and with points, the player may hold; with enough of them for
the target that has won. In a mode without a hold the turn goes on even at the target. A bust costs the points of the
turn, a reset the banked points too; either way it is the opponent's move.

**Two players** play a zero-sum game of perfect information, in which endless play is worth a draw. The value is what
either player can enforce. Payoffs are centred here: 1/2 for a win, -1/2 for a loss (or plus and minus the margin), 0
for endless play. To find good decisions, every turn is discounted by a factor so near to 1 that nothing else matters:
then there is one solution, and a player who can win does not wait for ever. What these decisions are worth follows
without a discount, from linear equations in Fractions. That it is the value is then proved (:func:`is_value`), so that
nothing depends on the discount.

**One player** wants few turns and must reach the target with probability 1 ("turns").
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from graphlib import TopologicalSorter
from itertools import product
from typing import NamedTuple

from dicelab.games.model import BUST, RESET

NEVER = -math.inf
ROUNDS = 60
DIGITS = (40, 160, 640)  # of the discount, tried in turn


class Worth(NamedTuple):
    """What the ends of a turn are worth to the player: numbers, and `hold` by turn total."""

    finish: object
    bust: object
    reset: object
    hold: list


class Turn(NamedTuple):
    """All decisions of a turn: whether to roll and which choices to take, by total, mode, outcome; and the way beyond.

    `way` is the index of one of :attr:`Rules.ways`: the choices in modes without a hold at the target or beyond it.
    """

    rolls: list
    takes: list
    way: int


class Rules:
    """The rules of a game as numbers.

    Attributes
    ----------
    modes : list of list of tuple
        For each mode and outcome the probability, given that the roll changes something (so it may be 0), and "bust",
        "reset" or a list of (points, index of the next mode).
    order : list of int
        The modes, each after those to which it leads without a point.
    ways : list of list of tuple
        For each way to choose at the target or beyond it, and each mode, the probabilities to finish and to reset.
    """

    def __init__(self, game):
        self.game, self.target, self.exact = game, game.target, game.finish == "exact"
        index = {mode.name: number for number, mode in enumerate(game.modes)}
        self.may_hold = [mode.may_hold for mode in game.modes]
        self.modes = [
            [(o.probability, o.result if o.result in (BUST, RESET) else [(c.points, index[c.mode]) for c in o.choices])
             for o in mode.outcomes]
            for mode in game.modes
        ]  # fmt: skip
        for m, outcomes in enumerate(self.modes):
            stays = sum(p for p, result in outcomes if result == [(0, m)])
            self.modes[m] = [
                (0 if result == [(0, m)] else p / (1 - stays), result) for p, result in outcomes
            ]
        free = {
            m: [to for to, points in self.onward(m) if not points and to != m]
            for m in range(len(self.modes))
        }
        self.order = list(TopologicalSorter(free).static_order())
        self.ways = [self.at_target()] if self.exact else list(self.beyond_target())

    def onward(self, m):
        """Pairs (next mode, points) of all choices in a mode, a list."""
        return [
            (to, points)
            for _, res in self.modes[m]
            if res not in (BUST, RESET)
            for points, to in res
        ]

    def at_target(self):
        """How a turn ends that is at the target exactly, and may not pass it; choices of 0 points are for the finish.

        With resets too the best of them is not always the same; see :func:`is_not_ranked`.
        """
        ends = [(Fraction(hold), Fraction(0)) for hold in self.may_hold]
        for m in self.order:
            for p, result in self.modes[m] if not self.may_hold[m] else ():
                better = (
                    [ends[to] for points, to in result if not points]
                    if result not in (BUST, RESET)
                    else []
                )
                finish, reset = max(better, default=(0, result == RESET))
                ends[m] = ends[m][0] + p * finish, ends[m][1] + p * reset
        return ends

    def beyond_target(self):
        """Each way to choose the modes to go on in, where a turn has passed the target and may not stop yet."""
        forced = [m for m in self.reached_with_points() if not self.may_hold[m]]
        places = [
            (m, o)
            for m in forced
            for o, (_, result) in enumerate(self.modes[m])
            if result not in (BUST, RESET)
        ]
        options = [sorted({mode for _, mode in self.modes[m][o][1]}) for m, o in places]
        for taken in product(*options):
            moves = {m: {} for m in forced}
            out = dict.fromkeys(forced, Fraction(0))
            for (m, o), mode in zip(places, taken, strict=True):
                p = self.modes[m][o][0]
                if self.may_hold[mode]:
                    out[m] += p
                else:
                    moves[m][mode] = moves[m].get(mode, 0) + p
            lost = {
                m: sum((p for p, result in self.modes[m] if result == RESET), Fraction(0))
                for m in forced
            }
            finish, reset = solve_linear(out, moves), solve_linear(lost, moves)
            finish |= {m: Fraction(1) for m, stops in enumerate(self.may_hold) if stops}
            yield [(finish.get(m, 0), reset.get(m, 0)) for m in range(len(self.modes))]

    def reached(self):
        """The modes that a turn can be in."""
        return self.closure({0})

    def reached_with_points(self):
        """Those that it can be in with points."""
        return self.closure({to for m in self.reached() for to, points in self.onward(m) if points})

    def closure(self, more):
        """Some modes, and those to which they lead."""
        reached = set()
        while more:
            reached |= more
            more = {to for m in reached for to, _ in self.onward(m)} - reached
        return sorted(reached)

    def rounded(self):
        """The same in Decimals, to the digits of the context."""
        other = object.__new__(Rules)
        other.__dict__.update(self.__dict__)
        other.modes = [[(decimal(p), result) for p, result in outcomes] for outcomes in self.modes]
        other.ways = [[tuple(decimal(x) for x in ends) for ends in way] for way in self.ways]
        return other

    @property
    def ranked(self):
        """Whether there are several ways beyond the target."""
        return len(self.ways) > 1


@lru_cache(maxsize=8)
def rules_of(game):
    """The :class:`Rules` of a game."""
    return Rules(game)


def decimal(fraction):
    """A Fraction as a Decimal."""
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def turns_may_be_endless(game):
    """Whether a player could choose so that a turn past the target never ends; such games are not for this oracle."""
    rules = Rules.__new__(Rules)
    index = {mode.name: number for number, mode in enumerate(game.modes)}
    rules.modes = [[(o.probability, o.result if isinstance(o.result, str) else [(c.points, index[c.mode]) for c in
                    o.choices]) for o in mode.outcomes] for mode in game.modes]  # fmt: skip
    return game.finish == "reach" and bool(
        circle(rules, [m for m, mode in enumerate(game.modes) if not mode.may_hold])
    )


def is_not_ranked(game):
    """Whether choices of 0 points at the target exactly, without a hold, may lead to resets; not for this oracle."""
    modes = [mode for mode in game.modes if not mode.may_hold]
    several = any(
        len(o.choices) > 1 and not all(c.points for c in o.choices)
        for mode in modes
        for o in mode.outcomes
    )
    return game.finish == "exact" and several and any(mode.chance(RESET) for mode in game.modes)


def circle(rules, modes):
    """Those of some modes among which a player can choose to go on rolling for ever, losing nothing; a set."""
    stay = set(modes)
    while True:
        left = {
            m
            for m in stay
            if rules.modes[m]
            and all(
                res not in (BUST, RESET) and any(mode in stay for _, mode in res)
                for _, res in rules.modes[m]
            )
        }
        if left == stay:
            return stay
        stay = left


def solve_linear(constants, moves):
    """Solve x(s) = constant(s) + Σ moves(s)(t)·x(t), by elimination in the order of the constants; a dict."""
    rows = {}
    for s, constant in constants.items():
        row = dict(moves[s])
        for t, (value, others) in rows.items():
            weight = row.pop(t, 0)
            if weight:
                constant += weight * value
                for u, q in others.items():
                    row[u] = row.get(u, 0) + weight * q
        stays = 1 - row.pop(s, 0)
        rows[s] = constant / stays, {t: q / stays for t, q in row.items()}
    found = {}
    for s in reversed(rows):
        value, others = rows[s]
        found[s] = value + sum(q * found[t] for t, q in others.items())
    return found


# One turn


def weigh(ends, worth):
    """What it is worth to be in a mode whose turns end so."""
    finish, reset = ends
    parts = (finish, worth.finish), (reset, worth.reset), (1 - finish - reset, worth.bust)
    return sum(chance * each for chance, each in parts if chance)


def best_turn(rules, need, worth, old=None, slack=0):
    """The best turn of a player who needs some points, if its ends are worth so much.

    Parameters
    ----------
    rules : Rules
    need : int
    worth : Worth
    old : Turn, optional
        Decisions that are kept unless others are better by more than `slack`.
    slack : number

    Returns
    -------
    value : number
    turn : Turn
        If nothing else is said, it holds and takes the first choice where options are worth the same.
    rolled, arrived : list of list, callable
        What a roll is worth, by total and mode; and what it is worth to arrive at a total in a mode.
    """
    modes = rules.modes
    may_hold = rules.may_hold
    bust = worth.bust
    ways = [tuple(weigh(ends, worth) for ends in way) for way in rules.ways]
    way = max(range(len(ways)), key=ways.__getitem__)  # one way is best from every mode
    if old and all(
        kept >= best - slack for kept, best in zip(ways[old.way], ways[way], strict=True)
    ):
        way = old.way
    value, rolled = [None] * need, [None] * need
    rolls, takes = [None] * need, [None] * need

    def arrived(total, mode):
        if total < need:
            return value[total][mode]
        if total > need and rules.exact:
            return bust
        return ways[way][mode]

    for total in range(need - 1, -1, -1):
        value[total], rolled[total], rolls[total], takes[total] = (
            [None] * len(modes) for _ in range(4)
        )
        for m in rules.order:
            outcomes = modes[m]
            roll = 0
            taken = []
            for o, (p, result) in enumerate(outcomes):
                pick = 0
                if not p:  # this is no outcome but a roll that is made again
                    pass
                elif result == BUST:
                    roll += p * bust
                elif result == RESET:
                    roll += p * worth.reset
                else:
                    options = [arrived(total + points, mode) for points, mode in result]
                    best = max(options)
                    pick = options.index(best)
                    if old and options[old.takes[total][m][o]] >= best - slack:
                        pick = old.takes[total][m][o]
                    roll += p * options[pick]
                taken.append(pick)
            rolls_on = True
            if may_hold[m] and total:
                hold = worth.hold[total]
                rolls_on = roll > hold
                if old and old.rolls[total][m] != rolls_on and abs(roll - hold) <= slack:
                    rolls_on = not rolls_on
                rolls_on = rolls_on and bool(outcomes)
            value[total][m] = roll if rolls_on else worth.hold[total]
            rolled[total][m], rolls[total][m], takes[total][m] = roll, rolls_on, taken
    return rolled[0][0], Turn(rolls, takes, way), rolled, arrived


def turn_outcomes(rules, need, turn):
    """How a turn ends: probabilities by "finish", "bust", "reset" and totals held, a dict."""
    ends = {"finish": 0, "bust": 0, "reset": 0}
    going = [[0] * len(rules.modes) for _ in range(need)]
    going[0][0] = 1
    for total in range(need):
        for m in reversed(rules.order):
            mass = going[total][m]
            if not mass:
                continue
            for (p, result), pick in zip(rules.modes[m], turn.takes[total][m], strict=True):
                q = mass * p
                if result in (BUST, RESET):
                    ends[result] += q
                    continue
                points, mode = result[pick]
                after = total + points
                if after < need and turn.rolls[after][mode]:
                    going[after][mode] += q
                elif after < need:
                    ends[after] = ends.get(after, 0) + q
                elif after > need and rules.exact:
                    ends[BUST] += q
                else:
                    finish, reset = rules.ways[turn.way][mode]
                    ends["finish"] += q * finish
                    ends[RESET] += q * reset
                    ends[BUST] += q * (1 - finish - reset)
    return ends


# Chains of turns: a player's state is (score, memory), a match is at (state of the player to move, state of the other)


def moves_of(ends, mine, other, memory=1):
    """Where a turn leads that does not finish: a dict of probabilities by (state of the next to move, of the other)."""
    score, remembered = mine
    moves = {}
    for end, q in ends.items():
        if q and end != "finish":
            after = {BUST: mine, RESET: (0, 0)}.get(end)
            after = after or (score + end, min(remembered + 1, memory - 1))
            moves[other, after] = moves.get((other, after), 0) + q
    return moves


def order(state):
    """A sorting key by which states that a hold leads to come before those it leads from; resets lead to the last."""
    (i, a), (j, b) = state[-2:]
    return min(i, j) == 0, -i - j, max(i, j), -a - b, *state


def ending(finishes, moves):
    """The states from which the end can be reached; a set."""
    came = {}
    for s, after in moves.items():
        for t in after:
            came.setdefault(t, []).append(s)
    found = set()
    more = [s for s, chance in finishes.items() if chance]
    while more:
        s = more.pop()
        if s not in found:
            found.add(s)
            more.extend(came.get(s, ()))
    return found


def expected(payoffs, finishes, moves, factor):
    """Expected sum of the payoffs, those of a turn later counting `factor`; 0 where no end can be reached."""
    alive = ending(finishes, moves)
    ordered = sorted(alive, key=order)
    equations = {s: {t: factor * q for t, q in moves[s].items() if t in alive} for s in ordered}
    return dict.fromkeys(moves, 0) | solve_linear({s: payoffs[s] for s in ordered}, equations)


def stakes_of(game, objective):
    """What a win brings in "win" or "margin", centred, by the opponent's score."""
    if objective == "win":
        return [Fraction(1, 2)] * game.target
    return [Fraction(game.target - j) for j in range(game.target)]


def scores_of(game):
    """All pairs of scores."""
    return [(i, j) for i in range(game.target) for j in range(game.target)]


# Two players


def self_play(rules, plan, stakes, factor):
    """What it is worth to be to move at (i, j), both players playing by one plan."""
    payoffs = {}
    finishes = {}
    moves = {}
    for (i, j), turn in plan.items():
        ends = turn_outcomes(rules, rules.target - i, turn)
        s = ((i, 0), (j, 0))
        payoffs[s] = ends["finish"] * stakes[j]
        finishes[s], moves[s] = ends["finish"], moves_of(ends, *s)
    values = expected(payoffs, finishes, moves, -factor)
    return {(i, j): values[(i, 0), (j, 0)] for i, j in plan}


def against(rules, plans, stakes, factor):
    """What a match is worth to player 0, by the player to move, the score of that player, and that of the other."""
    payoffs = {}
    finishes = {}
    moves = {}
    for p in (0, 1):
        for (i, j), turn in plans[p].items():
            ends = turn_outcomes(rules, rules.target - i, turn)
            s = (p, (i, 0), (j, 0))
            payoffs[s] = (1 - 2 * p) * ends["finish"] * stakes[j]
            finishes[s], moves[s] = (
                ends["finish"],
                {(1 - p, *t): q for t, q in moves_of(ends, *s[1:]).items()},
            )
    values = expected(payoffs, finishes, moves, factor)
    return {(p, i, j): value for (p, (i, _), (j, _)), value in values.items()}


def worth_at(rules, stakes, after, i, j):
    """What ends of a turn at (i, j) are worth, ``after(j, k)`` being that of the opponent's move if the mover has k."""
    hold = [after(j, i + total) for total in range(rules.target - i)]
    return Worth(stakes[j], hold[0], after(j, 0), hold)


def improve(rules, plan, stakes, after, slack):
    """The best turns, the decisions of `plan` being kept where they are as good."""
    return {
        (i, j): best_turn(
            rules, rules.target - i, worth_at(rules, stakes, after, i, j), old, slack
        )[1]
        for (i, j), old in plan.items()
    }


def respond_with_discount(rules, stakes, factor, slack, mine, other):
    """The best plan against another, by policy iteration from `mine`; and what a match is worth then."""
    for _ in range(ROUNDS):
        values = against(rules, (mine, other), stakes, factor)
        better = improve(rules, mine, stakes, lambda j, k: factor * values[1, j, k], slack)  # noqa: B023
        if better == mine:
            break
        mine = better
    return mine, values


def rounds_of_both(rules, stakes, factor, slack, plan):
    """Both players answer themselves: in general this is quick to find the best plan, but need not end."""
    for _ in range(12):
        values = self_play(rules, plan, stakes, factor)
        better = improve(rules, plan, stakes, lambda j, k: -factor * values[j, k], slack)  # noqa: B023
        if better == plan:
            break
        plan = better
    return plan


def rounds_in_turn(rules, stakes, factor, slack, plan):
    """The second player improves against a first who always responds best (Hoffman and Karp 1966): this ends."""
    first = plan
    for _ in range(ROUNDS):
        first, values = respond_with_discount(rules, stakes, factor, slack, first, plan)
        better = improve(rules, plan, stakes, lambda j, k: -factor * values[0, j, k], slack)  # noqa: B023
        if better == plan:
            break
        plan = better
    return plan


def with_discount(rules, stakes, digits, find, *plans):
    """The plan that `find` finds with a discount of 1 - 10^-digits, in Decimals."""
    with localcontext() as context:
        context.prec = 5 * digits
        in_decimals = [decimal(x) for x in stakes]
        factor = 1 - Decimal(10) ** -digits
        slack = Decimal(10) ** (-3 * digits)
        return find(rules.rounded(), in_decimals, factor, slack, *plans)


def hold_early(rules):
    """A plan to begin with: hold at once."""
    nothing = [[[0] * len(outcomes) for outcomes in rules.modes]]
    rolls = [[True] * len(rules.modes)] + [[not hold for hold in rules.may_hold]] * (
        rules.target - 1
    )
    return {
        (i, j): Turn(rolls[: rules.target - i], nothing * (rules.target - i), 0)
        for i, j in scores_of(rules.game)
    }


def can_stay(rules, stay, other):
    """Whether player 0 can keep a match within some states (p, i, j) for ever, player 1 playing by a plan."""
    stay = set(stay)
    while stay:
        left = set()
        for p, i, j in stay:
            if p == 1:
                ends = turn_outcomes(rules, rules.target - i, other[i, j])
                stays = not ends["finish"] and all(
                    (0, t[0], s[0]) in stay for t, s in moves_of(ends, (i, 0), (j, 0))
                )
            else:
                allowed = [NEVER] * rules.target
                after = lambda j, k: 0 if (1, j, k) in stay else NEVER  # noqa: B023, E731
                stays = (
                    best_turn(rules, rules.target - i, worth_at(rules, allowed, after, i, j))[0]
                    == 0
                )
            if stays:
                left.add((p, i, j))
        if left == stay:
            return True
        stay = left
    return False


def is_value(rules, stakes, values, other):
    """Whether no plan of player 0 gets more than `values` against player 1's, which is given.

    No turn gains anything, so that what a match is worth cannot rise as it goes on; and where it is worth less than
    endless play, which is 0, player 0 cannot stay for ever. Both together are sufficient, and necessary.
    """
    for i, j in scores_of(rules.game):
        worth = worth_at(rules, stakes, lambda j, k: values[1, j, k], i, j)
        if best_turn(rules, rules.target - i, worth)[0] != values[0, i, j]:
            return False
    return not can_stay(rules, {s for s, value in values.items() if value < 0}, other)


class Optimum(NamedTuple):
    """The values to the player about to move, centred, by scores (own, opponent), a plan, and the stakes."""

    values: dict
    plan: dict
    stakes: list


@lru_cache(maxsize=8)
def optimum(game, objective="win"):
    """The value of "win" or "margin", and optimal decisions."""
    rules = rules_of(game)
    stakes = stakes_of(game, objective)
    plan = hold_early(rules)
    for digits, find in product(DIGITS, (rounds_of_both, rounds_in_turn)):
        plan = with_discount(rules, stakes, digits, find, plan)
        values = self_play(rules, plan, stakes, 1)
        seats = {(0, *s): value for s, value in values.items()} | {
            (1, *s): -value for s, value in values.items()
        }
        if is_value(rules, stakes, seats, plan):
            return Optimum(values, plan, stakes)
    raise AssertionError("the oracle does not know")


def response(game, other, objective="win"):
    """The best that can be done against a plan.

    Returns
    -------
    values : dict
        What a match is worth to the one who responds, centred, by (0, own, opponent) if to move, and by
        (1, the other's score, own) if the other is.
    plan : dict
    """
    rules, stakes = rules_of(game), stakes_of(game, objective)
    plan = hold_early(rules)
    for digits in DIGITS:
        plan, _ = with_discount(rules, stakes, digits, respond_with_discount, plan, other)
        values = against(rules, (plan, other), stakes, 1)
        if is_value(rules, stakes, values, other):
            return values, plan
    raise AssertionError("the oracle does not know")


# Policies from outside


def plan_of(game, policy, beyond=None):
    """The turns of a policy, by its public answers.

    Parameters
    ----------
    game : Game
    policy : Policy
    beyond : dict, optional
        A plan whose ways beyond the target are taken, as policies do not say any; by default the way that finishes most
        often.

    Returns
    -------
    dict
        Of :class:`Turn`, by (own score, memory) and opponent's score.
    """
    rules, plan = rules_of(game), {}
    branches = {}
    for m, outcomes in enumerate(rules.modes):
        for o, (_, result) in enumerate(outcomes):
            if result not in (BUST, RESET) and len(result) > 1:
                branches[m, o] = len(branches)
    usual = max(range(len(rules.ways)), key=lambda k: sum(end[0] for end in rules.ways[k]))
    for own, memory in product(range(game.target), range(policy.memory)):
        row = policy.decisions_at(game, own, memory)
        taken = policy.choices(game, own, memory)
        for opponent in range(game.target):
            totals = range(game.target - own)
            rolls = [[bool(row[opponent, m, t]) for m in range(len(rules.modes))] for t in totals]
            takes = [
                [[int(taken[opponent, branches[m, o], t]) if (m, o) in branches else 0 for o in range(len(outcomes))]
                 for m, outcomes in enumerate(rules.modes)]
                for t in totals
            ]  # fmt: skip
            way = beyond[own, opponent].way if beyond else usual
            plan[(own, memory), opponent] = Turn(rolls, takes, way)
    return plan


def without_memory(plan):
    """A plan as those of the oracle are: by (own score, opponent's score)."""
    return {(own, opponent): turn for ((own, _), opponent), turn in plan.items()}


class Match(NamedTuple):
    """What comes of one plan against another: chances that the first wins and that play is endless, turns, margin.

    `mean` and `variance` of the number of turns are infinite if play may be endless, as seen from the start.
    """

    first_wins: Fraction
    endless: Fraction
    mean: object
    variance: object
    margin: Fraction


def match(game, first, second):
    """One plan against another, as :func:`plan_of` returns them."""
    rules, start = rules_of(game), (0, (0, 0), (0, 0))
    plans = (first, second)
    memories = [1 + max(memory for (_, memory), _ in plan) for plan in (first, second)]
    finishes = {}
    moves = {}
    more = [start]
    known = {}
    while more:
        s = p, mine, other = more.pop()
        if s in moves:
            continue
        key = p, mine, other[0]
        if key not in known:
            known[key] = turn_outcomes(rules, game.target - mine[0], plans[p][mine, other[0]])
        finishes[s] = known[key]["finish"]
        moves[s] = {
            (1 - p, *t): q for t, q in moves_of(known[key], mine, other, memories[p]).items()
        }
        more.extend(moves[s])
    won = {s: finish if s[0] == 0 else Fraction(0) for s, finish in finishes.items()}
    lost = {s: finish if s[0] == 1 else Fraction(0) for s, finish in finishes.items()}
    needs = {s: (1 - 2 * s[0]) * finish * (game.target - s[2][0]) for s, finish in finishes.items()}
    wins, loses, margin = (
        expected(payoffs, finishes, moves, 1)[start] for payoffs in (won, lost, needs)
    )
    mean = variance = math.inf
    if len(ending(finishes, moves)) == len(moves):
        means = expected(dict.fromkeys(moves, Fraction(1)), finishes, moves, 1)
        squares = expected({s: 2 * value - 1 for s, value in means.items()}, finishes, moves, 1)
        mean = means[start]
        variance = squares[start] - means[start] ** 2
    return Match(Fraction(1 + wins - loses) / 2, 1 - wins - loses, mean, variance, margin)


# One player


def turns_worth(rules, needed, i):
    """What the ends of a turn are worth to one who wants few: no more turns but those needed afterwards."""
    return Worth(0, -needed[i], -needed[0], [-needed[i + t] for t in range(rules.target - i)])


def expected_turns(game, plan):
    """The turns that one player needs to the target by a plan, a list by score; infinite if it may never be reached."""
    rules = rules_of(game)
    finishes = {}
    moves = {}
    for i, turn in plan.items():
        ends = turn_outcomes(rules, game.target - i, turn)
        s = ((i, 0), (0, 0))
        finishes[s], moves[s] = (
            ends["finish"],
            {(t[1], (0, 0)): q for t, q in moves_of(ends, *s).items()},
        )
    alive = ending(finishes, moves)
    sure = set(alive)
    while any(not set(moves[s]) <= sure for s in sure):
        sure = {s for s in sure if set(moves[s]) <= sure}
    ordered = sorted(sure, key=order)
    found = solve_linear(dict.fromkeys(ordered, Fraction(1)), {s: moves[s] for s in ordered})
    return [found.get(((i, 0), (0, 0)), math.inf) for i in range(game.target)]


@lru_cache(maxsize=8)
def fewest_turns(game):
    """The fewest expected turns to the target, a list by score, and a plan where they are finite.

    First, where the target can be reached with probability 1: a score is out if all turns there may lead to a score
    that is, or if none leads nearer to the target. Ends that are out count minus infinity there, those nearer 1, and
    others 0. Then policy iteration: from turns that arrive surely it leads to others that do.
    """
    rules, sure = rules_of(game), set(range(game.target))
    while True:
        plan, more = {}, True
        while more:
            more = False
            for i in sorted(sure - set(plan), reverse=True):
                rank = [1 if k in plan else 0 if k in sure else NEVER for k in range(game.target)]
                value, turn, _, _ = best_turn(
                    rules,
                    game.target - i,
                    Worth(1, rank[i], rank[0], [rank[k] for k in range(i, game.target)]),
                )
                if value > 0:
                    plan[i], more = turn, True
        if set(plan) == sure:
            break
        sure = set(plan)
    while True:
        needed = expected_turns(game, plan)
        better = {
            i: best_turn(rules, game.target - i, turns_worth(rules, needed, i), old)[1]
            for i, old in plan.items()
        }
        if better == plan:
            return needed, plan
        plan = better
