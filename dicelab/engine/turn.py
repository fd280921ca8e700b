"""The turn operator, the cycle and the sweep: the same lines compiled for float64, and as they stand for fractions.

**A turn.** With its decisions given, a turn is worth A + (1 - L)·B: B is what a bust is worth, L the probability to end
otherwise, and A is what the other ends contribute. A and B are vectors: the share of each seat, or a number of turns
and its square. One pass over the points that are missing, from the last to the first, has A and L of every state of the
turn. Where the player to move chooses, that of the actions is taken with the larger A - L·B, the excess over a bust, by
the first component. So A and L lose no digits, however rare it is not to bust.

**Passing on.** A value w of the next position is worth shift + turned·w to the player who moves now: shares rotate, a
turn more is counted, (1 + t)² = 1 + 2·t + t².

**A cycle.** Busts lead round, and once round the turns compose to V = K + (1 - E)·(I + N)·V, with N strictly lower
triangular, which is solved from the first component to the last. E is composed as L + E - L·E, without a difference, so
that K / E loses no digits. K is what the n turns contribute, and E the chance that one of them ends otherwise than by a
bust. With the best decisions this is policy iteration, first of all positions at once, and where that goes round, of
one after another. For one player it ends; for more no theorem says so, and a cycle that stays open after `MOST` steps
counts as unsettled.

**The sweep** solves one group of positions after another. Where all follow policies, `chain` does.
"""

from typing import NamedTuple

import numpy as np

from .._compile import called, inlined, whole
from .positions import (
    ABOVE,
    BELOW,
    BEYOND,
    BUST,
    CLIMB,
    ENDS,
    EXACTLY,
    LEAST,
    LEVEL,
    LOW,
    MODE,
    NEED,
    ONWARD,
    PHASE,
    POINTS,
    ROW,
    SLOPE,
    SPLIT,
    TABLE,
)

FIRST, MAY_HOLD, STOPS = range(3)  # columns of modes; of outcomes FIRST and
BRANCH = 1
NOISE = 1e-15  # an advantage that does not count while values are sought; of decisions, TIE
CLEAR = 1e-9  # an advantage that is no rounding
ROUNDS = 100  # of choices in forced modes at the target
TOGETHER, MOST = 20, 300  # rounds of policy iteration: of all positions at once, and in all
ROUNDINGS = 50  # that a change may be after these, where players leave a cycle seldom


class Rules(NamedTuple):
    """The rules of a turn: mode m has outcomes from ``modes[m, 0]`` on, o has choices from ``outcomes[o, 0]`` on.

    For float64 these numbers are unsigned: to see that an index is not negative would take a third of the time.
    """

    modes: np.ndarray  # (M + 1, 3) the first outcome, whether one may hold, whether one must
    # (O + 1, 2) the first choice; the branch, their number where there is only one
    outcomes: np.ndarray
    choices: np.ndarray  # (C, 2) the next mode, points
    chance: np.ndarray  # (O,) of the outcomes that score; what is missing to 1 ends the turn early
    early: np.ndarray  # (M, ENDS) the probabilities of a bust, a reset and a loss
    order: np.ndarray  # (M,) the modes, each after those to which it leads with 0 points
    past: np.ndarray  # the modes in which one must roll on at the target
    most: int  # points of one roll
    told: int  # whether tables say what is taken at the target, as others may answer
    unit: float  # ties are measured by this, where action values are less


class Work(NamedTuple):
    """What a walk writes to: decisions by turn total, and values by points missing, from the last on."""

    rolls: np.ndarray  # (M, totals) bool
    # (branches + 1, totals) the number of the choice; last, where there is only one, 0
    picks: np.ndarray
    state: np.ndarray  # (M, totals + 1, size + 1) A and L; last a total that is a bust, always 0
    # (ENDS + totals, size + 1) what a bust, a reset, a loss and the holds lead to; last 1
    hands: np.ndarray
    room: np.ndarray  # (past, past + ENDS + 1) equations
    # (past, ENDS + 1) chances of a hold at the target, a reset and a loss, points beyond it
    ends: np.ndarray
    # (1,) where, counted from the edge, somebody who might hold rolled first: for points, or being ahead.
    nearest: np.ndarray


class Given(NamedTuple):
    """Values, who decides, and where turns end whose decisions are given: a sparse matrix, but for busts."""

    values: np.ndarray  # (rows, size)
    onward: np.ndarray  # (components, 1 + components) [shift | turned]
    after: (
        np.ndarray
    )  # the rows of holds, if they are in a table; see `dicelab.engine.positions.Positions.after`
    follows: np.ndarray  # by phase, whether a given policy is followed; the others choose
    # (T + 1,) the ends of the turn at a place in the order are first[t], …, first[t + 1] - 1
    first: np.ndarray
    rows: np.ndarray  # (ends,) to which they lead
    chances: np.ndarray  # (ends,)


class Room(NamedTuple):
    """What is known of a group: its turns, the values before, and workspace."""

    turns: np.ndarray  # (longest, size + 1)
    before: np.ndarray  # (longest, size + 1)
    constant: np.ndarray  # (2, size)


class Ending(NamedTuple):
    """What closes a cycle, and when it is solved."""

    powers: np.ndarray  # (longest + 1, components, components) of turned
    endless: np.ndarray  # (components,) what play is worth that never ends
    tie: float  # an advantage that does not count
    enough: float  # a change that does not


# The turn


@inlined
def better(x, leave, y, other, bust, tie, unit):
    """Whether an action with A = x is better than one with y: by more than a tie, or else as it ends far more often."""
    a, b, c, d, z = float(x), float(y), float(leave), float(other), float(bust)
    gain, unit = (a - c * z) - (b - d * z), max(abs(a), abs(b), max(c, d) * max(unit, abs(z)))
    if abs(gain) <= CLEAR * unit:  # fractions are asked where floats do not tell
        gain = (x - leave * bust) - (y - other * bust)
    return gain > tie * unit or (gain >= -tie * unit and leave > 100 * other)


@called
def best_choice(rules, o, c, exactly, tie, work):
    """The number of the best choice after outcome o in column c, by the states in ``work.state``.

    Only where A - L·B is close, `better` is asked, as it takes longer.
    """
    first, bust = rules.outcomes[o, FIRST], work.hands[0, 0]
    taken, best, leave, most, near = first, 0 * bust, 0 * bust, -np.inf, 0.0
    for option in range(first, rules.outcomes[o + 1, FIRST]):
        at = c - rules.choices[option, 1]  # beyond a target that must be hit exactly, a bust
        after = work.state[rules.choices[option, 0], np.uint64(at if at >= 0 else exactly)]
        x, ends = after[0], after[len(after) - 1]
        ahead = float(x) - float(ends) * float(bust)
        if ahead > most + near or (
            ahead >= most - near and better(x, ends, best, leave, bust, tie, rules.unit)
        ):
            taken, best, leave, most = option, x, ends, ahead
            near = 2 * CLEAR * (abs(ahead) + abs(float(bust)) + rules.unit)
    return taken - first


@inlined
def add_roll(rules, place, exactly, choose, tie, work, into):
    """A and L of a roll at `place`, a mode, a column and a turn total; `exactly` is the column beyond the target."""
    m, c, k = place
    into[:] = 0
    for e in range(1, ENDS):
        for i in range(len(into)):
            into[i] = into[i] + rules.early[m, e] * work.hands[e, i]
    for o in range(rules.modes[m, FIRST], rules.modes[m + 1, FIRST]):
        taken, branch = rules.outcomes[o, FIRST], rules.outcomes[o, BRANCH]
        if branch < len(work.picks) - 1:
            if choose:
                work.picks[branch, k] = best_choice(rules, o, c, exactly, tie, work)
            taken += work.picks[branch, k]
        at = c - rules.choices[taken, 1]
        after = work.state[rules.choices[taken, 0], np.uint64(at if at >= 0 else exactly)]
        for i in range(len(into)):
            into[i] = into[i] + rules.chance[o] * after[i]


@inlined
def absorb(rules, edge, k, choose, tie, work):
    """The first `edge` columns: holds, and rolls where one must roll on; choices are those at the turn total k.

    Such modes lead to each other until one may hold. So the chances of a hold, a reset and a loss, and the points
    beyond the target, solve linear equations; where one may `choose`, policy iteration finds the choices.
    """
    past, room, ends, hands = rules.past, work.room, work.ends, work.hands
    n, asked = len(past), max(edge - 1, 0)  # the column where k points are made
    for m in rules.order:
        for c in range(edge):
            work.rolls[m, k + edge - 1 - c] = 1 - rules.modes[m, MAY_HOLD]
            for j in range(hands.shape[1]):
                work.state[m, c, j] = rules.modes[m, MAY_HOLD] * hands[ENDS + c, j]
    ends[:] = 0
    for _ in range(ROUNDS):
        for i in range(n):
            for c in range(edge):
                for j in range(hands.shape[1]):
                    sure = ends[i, 0] * hands[ENDS + c, j]
                    for e in range(1, ENDS):
                        sure = sure + ends[i, e] * hands[e, j]
                    work.state[past[i], c, j] = sure + ends[i, ENDS] * (edge > 1 and j == 0)
        for i in range(n):
            m = past[i]
            room[i] = 0 * rules.chance[0]  # of the kind of all numbers
            room[i, i] = room[i, i] + 1
            for e in range(1, ENDS):
                room[i, n + e] = rules.early[m, e]
            for o in range(rules.modes[m, FIRST], rules.modes[m + 1, FIRST]):
                branch, p = rules.outcomes[o, BRANCH], rules.chance[o]
                if choose and branch < len(work.picks) - 1:
                    work.picks[branch, k] = best_choice(rules, o, asked, 0 * asked, tie, work)
                taken = rules.outcomes[o, FIRST] + work.picks[branch, k]
                to, holds = n, 1 + 0 * p
                for j in range(n):
                    if past[j] == rules.choices[taken, 0]:
                        to, holds = j, ends[j, 0]
                room[i, to] = room[i, to] + (p if to == n else -p)
                room[i, n + ENDS] = room[i, n + ENDS] + p * rules.choices[taken, 1] * holds
        same = True
        for i in range(n):  # Gauss and Jordan's elimination
            for j in range(n):
                if j != i:
                    by = room[j, i] / room[i, i]
                    for h in range(i, n + ENDS + 1):
                        room[j, h] = room[j, h] - by * room[i, h]
        for i in range(n):
            for h in range(ENDS + 1):
                x = room[i, n + h] / room[i, i]
                same, ends[i, h] = same and ends[i, h] == x, x
        if same:
            break


@inlined
def edge_of(rules, turn):
    """The number of columns at which nobody who may hold rolls on: at the target, and where points beyond it count."""
    return 0 if turn[BEYOND] == EXACTLY else rules.most + 1 if turn[BEYOND] == POINTS else 1


@inlined
def walk(rules, turn, tie, work):
    """A and L of every state of a turn, and the best decisions."""
    hands, beyond, last = work.hands, turn[BEYOND], work.state.shape[1] - 1
    columns, edge = turn[NEED] - turn[LOW] + 1, edge_of(rules, turn)
    if edge:
        absorb(rules, edge, columns - edge, columns > 0, tie, work)
    for c in range(edge, columns):
        k = columns - 1 - c
        for m in rules.order:
            here, may = work.state[m, c], rules.modes[m, MAY_HOLD] == 1 and k >= turn[LEAST]
            stops = rules.modes[m, STOPS] == 1 or (c == 0 and rules.modes[m, MAY_HOLD] == 1)
            hold, more = (
                may and stops,
                c < 0,
            )  # not yet: a comparison, as numba gives False another type
            if stops and not hold:
                here[:] = 0
            elif not hold:
                add_roll(rules, (m, c, k), last * (beyond == EXACTLY), c >= 0, tie, work, here)
                if may:
                    y, bust, leave = hands[ENDS + c, 0], hands[0, 0], here[len(here) - 1]
                    hold = not better(here[0], leave, y, 1, bust, tie, rules.unit)
                    # A roll that is better by less than a tie is worth more all the same.
                    more = hold and better(here[0], leave, y, 1, bust, min(tie, NOISE), rules.unit)
                ahead = beyond == ONWARD and turn[LOW] + c < turn[SPLIT]
                if may and not hold and (ahead or beyond == POINTS):
                    work.nearest[0] = min(work.nearest[0], c - edge + 1)
            work.rolls[m, k] = not hold and not stops
            if hold and not more:
                for i in range(hands.shape[1]):
                    here[i] = hands[ENDS + c, i]


@inlined
def hold_row(turn, r, after):
    """The row of a hold with r points missing, by (1) of :mod:`dicelab.engine.positions`, or by a table."""
    if len(after) > 0:
        return after[turn[BELOW] + r]
    more = r - turn[SPLIT]
    below, above = turn[BELOW] + turn[SLOPE] * r, turn[ABOVE] - turn[CLIMB] * more
    return (more > 0) * below + (more == 0) * turn[LEVEL] + (more < 0) * above


@inlined
def hand_over(onward, w, much, out):
    """What w is worth a turn earlier, the shift `much` times; if a component is a row of numbers, that of the first."""
    wide = len(w) // len(onward)
    for i in range(len(onward)):
        for u in range(wide):
            x = 0 * w[u] + (u == 0) * much * onward[i, 0]
            for j in range(len(onward)):
                if onward[i, j + 1] != 0:
                    x = x + onward[i, j + 1] * w[j * wide + u]
            out[i * wide + u] = x


@inlined
def copy(part, into):
    """Copy a table into a larger one."""
    for i in range(part.shape[0]):
        for k in range(part.shape[1]):
            into[i, k] = part[i, k]


@inlined
def look_up(turn, after, values, onward, hands):
    """What the ends of a turn lead to."""
    for e in range(ENDS):
        hand_over(onward, values[turn[BUST + e]], 1, hands[e])
    for r in range(turn[LOW], turn[NEED] + 1):
        hand_over(onward, values[hold_row(turn, r, after)], 1, hands[ENDS + r - turn[LOW]])


@inlined
def given_turn(turn, given, held, found):
    """A and L of a turn whose decisions are given, by where it ends."""
    size, leave = given.values.shape[1], 0 * given.values[0, 0]
    held[:] = 0
    for e in range(given.first[turn[TABLE]], given.first[turn[TABLE] + 1]):
        leave = leave + given.chances[e]
        for i in range(size):
            held[i] = held[i] + given.chances[e] * given.values[given.rows[e], i]
    hand_over(given.onward, held, leave, found)
    found[size] = leave


@whole
def force(rules, turns, picks, tie, work, forced):
    """`Work.ends` by turn, (T, past, ENDS + 1): what is ahead where one must roll on at the target.

    The way is taken that most often ends with a hold, but where others may answer one chooses by the table.
    """
    for t in range(len(turns)):
        turn, edge = turns[t], edge_of(rules, turns[t])
        columns = turn[NEED] - turn[LOW] + 1
        copy(picks[turn[TABLE], :, :columns], work.picks)
        if edge:
            work.hands[:] = 1
            work.hands[:ENDS, 0] = 0
            absorb(rules, edge, columns - edge, rules.told == 0, tie, work)
            copy(work.ends, forced[t])


@whole
def follow(rules, turns, rolls, picks, forced, state, out):
    """The chances of all ends, as in `Work.hands`, and the points beyond the target, (T, ENDS + totals + 1), of turns.

    The decisions of a turn are a row of the tables `rolls`, (rows, M, totals), and `picks`. Chances are followed from
    the first roll on: ``state[m, c, 0]`` is that of a state; `forced` has those where one must roll on at the target.
    Far above it such a roll is a bust, and its chance stands in place of the points.
    """
    size = out.shape[1] - 1
    for t in range(len(turns)):
        turn, ends, picked = turns[t], out[t], picks[turns[t, TABLE]]
        columns, edge = turn[NEED] - turn[LOW] + 1, edge_of(rules, turn)
        state[:] = 0
        state[turn[MODE], columns - 1, 0] = 1
        for c in range(columns - 1, -1, -1):
            k = columns - 1 - c
            for j in range(len(rules.order) - 1, -1, -1):
                m = rules.order[j]
                p, may = state[m, c, 0], rules.modes[m, MAY_HOLD] == 1
                enough = may and (k >= turn[LEAST] or c < edge)
                if enough and (
                    rules.modes[m, STOPS] == 1 or c <= 0 or c < edge or not rolls[turn[TABLE], m, k]
                ):
                    ends[ENDS + c] = ends[ENDS + c] + p
                elif turn[BEYOND] == ONWARD and c < edge:  # it goes on and on
                    ends[size] = ends[size] + p
                elif c < edge:
                    for i in range(len(rules.past)):
                        if rules.past[i] == m:
                            ends[ENDS + c] = ends[ENDS + c] + p * forced[t, i, 0]
                            for e in range(1, ENDS):
                                ends[e] = ends[e] + p * forced[t, i, e]
                            ends[size] = ends[size] + p * forced[t, i, ENDS] * (edge > 1)
                elif p != 0 and not (rules.modes[m, STOPS] == 1 or (may and c == 0)):
                    for e in range(1, ENDS):
                        ends[e] = ends[e] + p * rules.early[m, e]
                    for o in range(rules.modes[m, FIRST], rules.modes[m + 1, FIRST]):
                        taken, branch = rules.outcomes[o, FIRST], rules.outcomes[o, BRANCH]
                        taken += picked[branch, k] if branch < len(picked) else 0
                        to, at = rules.choices[taken, 0], c - rules.choices[taken, 1]
                        at = at if at >= 0 else (state.shape[1] - 1) * (turn[BEYOND] == EXACTLY)
                        state[to, at, 0] = state[to, at, 0] + p * rules.chance[o]
        ends[0] = 1
        for c in range(1, size):
            ends[0] = ends[0] - ends[c]


# Cycles


@inlined
def solve_group(group, given, ending, room):
    """The values of a group, in place, whose turns are in ``room.turns``; whether it is a cycle.

    A cycle gives the value of its first position. The others follow from the last one up, each from the one before.
    """
    values, turns, n, parts = given.values, room.turns, len(group), len(given.onward)
    size, constant, held = values.shape[1], room.constant[0], room.constant[1]
    ring = group[n - 1, BUST] == group[0, ROW]
    if ring:
        constant[:] = 0
        leave = 0 * turns[0, 0]
        for k in range(n - 1, -1, -1):
            away = turns[k, size]
            hand_over(given.onward, constant, 1, held)
            for i in range(size):
                constant[i] = turns[k, i] + (1 - away) * held[i]
            leave = away + leave - away * leave
        start, turned, wide = values[group[0, ROW]], ending.powers[n], size // parts
        for i in range(size):
            part = i // wide
            x = constant[i]
            for j in range(part):
                x = x + (1 - leave) * turned[part, j] * start[j * wide + i % wide]
            start[i] = x / leave if leave > 0 else ending.endless[part] * (i % wide == 0)
    for k in range(n - 1, 1 * ring - 1, -1):
        hand_over(given.onward, values[group[k, BUST]], 1, held)
        for i in range(size):
            values[group[k, ROW], i] = turns[k, i] + (1 - turns[k, size]) * held[i]
    return ring


@whole
def sweep(rules, turns, groups, given, ending, rooms):
    """Solve all groups in their order, in place, by policy iteration.

    Returns the largest last change of a value, and how many groups did not settle.
    """
    (work, room), values, size = rooms, given.values, given.values.shape[1]
    worst, unsettled = 0.0, 0
    for g in range(len(groups) - 1):
        group = turns[groups[g] : groups[g + 1]]
        n, change, calm, step, need, near = len(group), 1.0, 0, 0, 1, ending.enough
        while calm < need and step < MOST:
            step += 1
            same, change = step > 1, 0.0
            if step > TOGETHER:
                need, near = n, ending.enough * ROUNDINGS
            for k in range(n):
                if step > TOGETHER and (k - step) % n:
                    continue  # decisions that go round: one position after the other
                turn = group[k]
                found = work.state[turn[MODE], turn[NEED] - turn[LOW]]
                if given.follows[turn[PHASE]]:
                    given_turn(turn, given, work.hands[0, :-1], found)
                else:
                    look_up(turn, given.after, values, given.onward, work.hands)
                    walk(rules, turn, ending.tie, work)
                for i in range(size + 1):
                    same = same and room.turns[k, i] == found[i]
                    room.turns[k, i] = found[i]
            for k in range(n):
                for i in range(size):
                    room.before[k, i] = values[group[k, ROW], i]
            ring = solve_group(group, given, ending, room)
            for k in range(n):
                for i in range(size):
                    change = max(change, float(abs(values[group[k, ROW], i] - room.before[k, i])))
            # Calm: the same A and L, so that the decisions are those of which the values are; or values that stay.
            calm = calm + 1 if same or not ring or change <= near else 0
        worst = max(worst, change * (n > 1 or ring))
        unsettled += calm < need
    return worst, unsettled


@whole
def chain(turns, groups, given, ending, room):
    """The sweep where all follow policies: once over all groups."""
    for g in range(len(groups) - 1):
        group = turns[groups[g] : groups[g + 1]]
        for k in range(len(group)):
            given_turn(group[k], given, room.constant[1], room.turns[k])
        solve_group(group, given, ending, room)


@whole
def decide(rules, turns, given, tie, work, rolls, picks):
    """The decisions at some positions, (T, M, totals) and (T, branches, totals), by whoever moves there."""
    for t in range(len(turns)):
        look_up(turns[t], given.after, given.values, given.onward, work.hands)
        walk(rules, turns[t], tie, work)
        totals = turns[t, NEED] - turns[t, LOW] + 1
        copy(work.rolls[:, :totals], rolls[t])
        copy(work.picks[:, :totals], picks[t])


@whole
def rolled(rules, turn, given, tie, work, out):
    """A and L of a roll in every state of a turn, where one rolls or not, (M, totals, size + 1), by points missing."""
    look_up(turn, given.after, given.values, given.onward, work.hands)
    walk(rules, turn, tie, work)
    columns, last = turn[NEED] - turn[LOW] + 1, work.state.shape[1] - 1
    for c in range(columns):
        for m in rules.order:
            place, exactly = (m, c, columns - 1 - c), last * (turn[BEYOND] == EXACTLY)
            add_roll(rules, place, exactly, columns < 0, tie, work, out[m, c])
