"""How turns end at the target and beyond, and the scores where players cannot, or need not, finish."""

from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import permutations

import numpy as np

from .._limits import check_memory
from .model import BUST, RESET, check_game
from .registers import scores_of

__all__ = [
    "beyond_target",
    "cannot_finish",
    "choices_are_ranked",
    "closed_within",
    "forced_above",
    "may_be_endless",
    "may_be_stuck",
    "may_wait",
    "solve_linear",
]

FRACTIONS = 600  # bytes of three Fractions
MOST_RANKED = 6  # modes without a hold


def beyond_target(game):
    """How a turn ends from each mode once the target is reached or passed.

    Returns
    -------
    list of list of list of tuple
        For each of one or more ways to choose, for each mode, for r = 1 - P, …, 0 points missing (P being
        ``game.most_points``), Fractions: the probabilities to finish and to reset, and the expected points beyond the
        target, where turns that do not finish count nothing. With the remaining probability the turn busts.

    Raises
    ------
    NotImplementedError
        If choices must be ranked in a game with more than 6 modes without a hold; and for a finish with a last turn,
        in which a turn that reaches the target goes on.

    Notes
    -----
    With ``finish="reach"`` a player who may hold finishes. A player who may not is led from mode to mode, and of
    several choices takes the one whose mode has the highest value. So a way to choose is a ranking of the forced modes
    (modes with a hold come first), and each ranking gives one system of linear equations, solved exactly. Without
    resets the best way has the largest probabilities to finish. With resets that depends on the reset value, and all
    ways are returned.
    """
    game = check_game(game).until_change
    width, nothing = game.most_points, (Fraction(0),) * 3
    check_memory(
        FRACTIONS * width * len(game.modes), f"one roll of {game.name}, of up to {width:,} points,"
    )
    if game.finish == "exact":
        return [[[nothing] * (width - 1) + [ends] for ends in _at_target(game)]]
    forced = forced_above(game)
    ranked = choices_are_ranked(game)
    if ranked and len(forced) > MOST_RANKED:
        said = f"choices in {len(forced)} modes without a hold; at most {MOST_RANKED} can be ranked"
        raise NotImplementedError(f"{game.name}: {said}")
    rankings = permutations(forced) if ranked else [forced]
    ways = {tuple(ends) for ranking in rankings if (ends := _absorption(game, ranking))}
    if not game.resets:
        ways = [[max(ends) for ends in zip(*ways, strict=True)]]
    return [
        [[(f, z, more - r * f) for r in range(1 - width, 1)] for f, z, more in way] for way in ways
    ]


def forced_above(game):
    """The modes without a hold that a turn can be in at the target or beyond it, a list."""
    return [
        mode for mode in game.modes if not mode.may_hold and mode.name in game.reached_with_points
    ]


def choices_are_ranked(game):
    """Whether a player who may not hold has a choice of modes, so that the best way past the target must be found."""
    outcomes = [outcome for mode in forced_above(game) for outcome in mode.outcomes]
    if game.finish == "exact":
        return any(
            len(o.choices) > 1 and not all(choice.points for choice in o.choices) for o in outcomes
        )
    return any(len({choice.mode for choice in outcome.choices}) > 1 for outcome in outcomes)


def _at_target(game):
    """How a turn ends from each mode at the target exactly, which no choice may pass; see :func:`beyond_target`."""
    if choices_are_ranked(game) and game.resets:
        said = 'choices of 0 points in modes without a hold, with a reset and finish="exact"'
        raise NotImplementedError(f"{game.name}: {said}, are not ranked at the target")
    ends = [(Fraction(mode.may_hold), Fraction(0), Fraction(0)) for mode in game.modes]
    for m, mode in ((m, game.modes[m]) for m in game.order if not game.modes[m].may_hold):
        rolls = [
            (o.probability, [ends[game.mode(c.mode)] for c in o.choices if not c.points])
            for o in mode.outcomes
        ]
        finish, reset = (
            sum((p * max(after)[k] for p, after in rolls if after), Fraction(0)) for k in (0, 1)
        )
        ends[m] = finish, mode.chance(RESET) + reset, Fraction(0)
    return ends


def _absorption(game, ranking):
    """By mode, the probabilities to finish and to reset, and the expected points gained on the way to the finish.

    Forced modes are preferred as ranked; None if play by the ranking never ends. The probabilities solve
    q(m) = Σ p·q(next mode), the points e(m) = Σ p·(points·q(next mode) + e(next mode)).
    """
    rank = {mode.name: k for k, mode in enumerate(ranking)}
    zero = Fraction(0)

    def taken(
        choices,
    ):  # a hold is best, then the modes as ranked; of choices that lead there, the most points
        return min(choices, key=lambda choice: (rank.get(choice.mode, -1), -choice.points))

    moves = [
        [(o.probability, taken(o.choices)) for o in mode.outcomes if o.choices] for mode in ranking
    ]
    stay = []
    for k, roll in enumerate(moves):
        row = {k: Fraction(1)}
        for p, c in roll:
            if c.mode in rank:
                row[rank[c.mode]] = row.get(rank[c.mode], 0) - p
        stay.append(row)
    held = [sum((p for p, c in roll if c.mode not in rank), zero) for roll in moves]
    solved = solve_linear(
        stay, [[q, mode.chance(RESET)] for q, mode in zip(held, ranking, strict=True)]
    )
    if solved is None:
        return None
    finishes = {name: q for name, (q, _) in zip(rank, solved, strict=True)}
    gained = [
        [sum((p * c.points * finishes.get(c.mode, 1) for p, c in roll), zero)] for roll in moves
    ]
    more = solve_linear(stay, gained)
    ends = {name: (*row, *points) for name, row, points in zip(rank, solved, more, strict=True)}
    return [
        (zero + 1, zero, zero) if mode.may_hold else ends.get(mode.name, (zero,) * 3)
        for mode in game.modes
    ]


def solve_linear(rows, right):
    """The rows X of a linear system in Fractions; None if it is singular.

    Of the equations that are left the shortest is solved for one of its unknowns. So a system without a circle, in
    which unknowns depend on later ones only, takes as many steps as it has numbers.

    Parameters
    ----------
    rows : sequence of dict
        By equation, the coefficients by unknown: 0, …, n - 1.
    right : sequence of list
        By equation, the right sides.
    """
    rows = [{k: number for k, number in row.items() if number} for row in rows]
    right = [list(given) for given in right]
    having = [set() for _ in rows]  # by unknown, the equations left that have it
    for i, row in enumerate(rows):
        for k in row:
            having[k].add(i)
    shortest = [(len(row), i) for i, row in enumerate(rows)]
    heapify(shortest)
    pivots, done = {}, set()
    while shortest:
        length, i = heappop(shortest)
        if i in done or length != len(rows[i]):
            continue  # an entry from before the equation changed
        if not rows[i]:
            return None
        k = min(rows[i], key=lambda k: len(having[k]))
        pivots[k] = i
        done.add(i)
        for unknown in rows[i]:
            having[unknown].discard(i)
        scale = rows[i].pop(k)
        rows[i] = {unknown: number / scale for unknown, number in rows[i].items()}
        right[i] = [number / scale for number in right[i]]
        for other in having[k]:
            weight = rows[other].pop(k)
            for unknown, number in rows[i].items():
                rest = rows[other].get(unknown, 0) - weight * number
                if rest:
                    rows[other][unknown] = rest
                    having[unknown].add(other)
                else:
                    del rows[other][unknown]
                    having[unknown].discard(other)
            right[other] = [x - weight * y for x, y in zip(right[other], right[i], strict=True)]
            heappush(shortest, (len(rows[other]), other))
    found = {}
    for k, i in reversed(pivots.items()):
        for unknown, number in rows[i].items():
            right[i] = [x - number * y for x, y in zip(right[i], found[unknown], strict=True)]
        found[k] = right[i]
    return [found[k] for k in range(len(rows))]


def closed_within(modes, rolls, fine=frozenset().__contains__):
    """The largest subset of some modes in which every roll offers a choice that stays there or is `fine`, a set.

    A mode is looked at again only when one to which it leads has left the set.

    Parameters
    ----------
    modes : iterable of int
    rolls : sequence or dict of list of list
        By mode and outcome the choices, tuples that begin with the next mode; an outcome without choices stays nowhere.
    fine : callable
        Whether a choice, given as such a tuple, is as good as one that stays.
    """
    found = set(modes)
    before = {m: [] for m in found}
    for m in found:
        for to in {choice[0] for option in rolls[m] for choice in option} & found:
            before[to].append(m)
    left = list(found)
    while left:
        m = left.pop()
        if m in found and not all(any(fine(c) or c[0] in found for c in o) for o in rolls[m]):
            found.remove(m)
            left += before[m]
    return found


def turn_levels(game, ends, done=0, past=None, surely=True):
    """The level of a whole turn by points missing, 0, …, target, an array; at 0 it is `done`.

    Every end of a turn has a level, 0 for the worst. A choice has the level of what it leads to, an outcome that of its
    best choice, and a roll the highest level of its outcomes; but 0 if any of these has 0, unless `surely` is False. A
    hold has the level of a turn that begins there, but 0 if that at best busts, which only repeats it.

    Parameters
    ----------
    game : Game
        Every roll of it changes something (``Game.until_change``).
    ends : dict
        The levels of a bust and of a reset.
    done : int
        The level of the finish.
    past : list of int, optional
        The levels at the target and beyond it, by mode. By default the target must be hit exactly.
    surely : bool
    """
    moves = [
        [[(c.points, game.mode(c.mode)) for c in o.choices] or ends[o.result] for o in m.outcomes]
        for m in game.modes
    ]
    onward = [past or [0] * len(moves)]  # by points missing and mode

    def level(to, r):
        if isinstance(to, int):
            return to
        if past:
            return max(onward[max(r - points, 0)][m] for points, m in to)
        return max(ends[BUST] if points > r else onward[r - points][m] for points, m in to)

    def enter(r, held):
        for m in game.order:
            rolled = [level(to, r) for to in moves[m]]
            best = 0 if surely and 0 in rolled else max(rolled, default=0)
            if game.modes[m].may_hold:
                best = max(best, held) if r > 0 else done
            onward[r][m] = best

    if not past:
        enter(0, done)
    turns = [done]
    for r in range(1, game.target + 1):
        onward.append([0] * len(moves))
        enter(r, 0)  # without points one may not hold
        turns.append(onward[r][0])
        if turns[r] > ends[BUST]:
            enter(r, turns[r])
    return np.array(turns)


def cannot_finish(game):
    """The points missing from which a player can never finish, whatever is rolled and chosen.

    There are such scores only with ``finish="exact"``: for example one point missing in Pig, where no face counts 1.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    if game.finish != "exact":
        return np.zeros(game.target + 1, dtype=bool)
    turns = turn_levels(game.until_change, {BUST: 0, RESET: 0}, 1, surely=False)
    if turns[-1]:  # a reset leads back to where the target can be hit
        turns = turn_levels(game.until_change, {BUST: 0, RESET: 1}, 1, surely=False)
    return turns == 0


def may_be_stuck(game):
    """The points missing from which one player cannot make sure to reach the target in the end.

    There are more such scores than in :func:`cannot_finish` where a reset may lead to a score from which the target
    cannot be hit, or where a player may have to hold at one.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.

    Notes
    -----
    Every end of a turn has a level: 0 if the player may be stuck then, 1 for a bust, which only repeats the turn, 2 for
    a return to the start, 3 for the finish (:func:`turn_levels`). A turn that only busts is stuck, too. If the start is
    of level 3, a player who returns to it again and again finishes in the end. Otherwise a return to it is of level 0.
    """
    if game.finish != "exact":
        return cannot_finish(game)
    bust, again, done = 1, 2, 3
    turns = turn_levels(game.until_change, {BUST: bust, RESET: again}, done)
    if turns[-1] == done:
        return turns < again
    return turn_levels(game.until_change, {BUST: bust, RESET: 0}, done) < done


def may_wait(game, reset=False):
    """The points missing from which a player can make sure that a whole turn comes to nothing.

    Such a turn surely ends in a bust, whatever is rolled, or, if `reset`, in a bust or a reset: every roll offers a
    choice that overshoots, or that leads on to such rolls. Where both players can do this, play may be endless.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    game = game.until_change
    ends, past = {BUST: 1, RESET: int(reset)}, None
    if game.finish != "exact":
        # Beyond the target: modes that allow no hold, and whose rolls all offer a choice that leads on to such modes.
        rolls = [
            [
                [(game.mode(c.mode),) for c in o.choices]
                for o in mode.outcomes
                if o.choices or not ends[o.result]
            ]
            for mode in game.modes
        ]
        forced = [m for m, mode in enumerate(game.modes) if not mode.may_hold]
        beyond = closed_within(forced, rolls)
        scores = all(roll or m.must_hold for roll, m in zip(rolls, game.modes, strict=True))
        if scores and not beyond:  # every roll may score, so that some rolls in succession finish
            return np.zeros(game.target + 1, dtype=bool)
        past = [int(m in beyond) for m in range(len(rolls))]
    return turn_levels(game, ends, past=past) > 0


def may_be_endless(game):
    """Whether a player can make sure never to finish. Of a finish with a last turn the same as of "reach".

    If not, every way to play finishes within some number of turns with some positive probability. Then play ends with
    probability 1 whatever the players do, and the values are the only solution of the Bellman equation.

    Notes
    -----
    We look for the largest set of scores from which some turn surely ends in the set again, by a hold, a bust or a
    reset. The opponent has no influence on a player's score. If every roll can score, the set is empty: some turns in
    succession score.
    """
    game = game.until_change
    moves = [
        [[(game.mode(c.mode), c.points) for c in o.choices] or o.result for o in m.outcomes]
        for m in game.modes
    ]
    scores = scores_of(game)
    exactly = game.finish == "exact"
    forced = {m for m, mode in enumerate(game.modes) if not mode.may_hold}

    def surely(m, ends, onward):
        """Whether a roll in mode m surely leads to ends or modes of the set, if the player chooses well."""
        return all(
            ends[to] if isinstance(to, str) else any(onward(*choice) for choice in to)
            for to in moves[m]
        )

    def beyond(ends):
        """The modes without a hold in which a turn at the target or beyond surely ends in the set, a set."""
        rolls = {
            m: [
                [] if isinstance(to, str) else to
                for to in moves[m]
                if not (isinstance(to, str) and ends[to])
            ]
            for m in forced
        }
        return closed_within(forced, rolls)

    early = any(mode.must_hold for mode in game.modes) and scores.least_hold.max() > 1
    scoring = all(any(not isinstance(to, str) for to in rolls) for rolls in moves if rolls)
    if scoring and not exactly and not early and not beyond({BUST: True, RESET: True}):
        return False
    stays, before = [True] * len(scores.missing), None

    def may_stay(place):
        """Whether some turn from a score surely ends in the set."""
        need, busted = scores.missing[place], scores.after_bust[place]
        ends = {BUST: busted < len(stays) and stays[busted], RESET: stays[scores.begin]}
        past = beyond(ends)
        within = [
            set() for _ in range(need + exactly)
        ]  # by turn total the modes from which the turn surely ends in the set

        def enter(total, m):
            """Whether a turn that has this total in mode m surely ends in the set."""
            enough = total >= scores.least_hold[place]
            if total == need and m not in forced:  # the target is hit, perhaps with too few points
                return not enough and ends[BUST]
            hold = enough and total < need and stays[scores.after_hold[place] + total * scores.step]
            if game.modes[m].must_hold:
                return hold if enough else ends[BUST]

            def onward(to, points):
                if total + points < need + exactly:
                    return to in within[total + points]
                return ends[BUST] if exactly else to in past

            return (hold and m not in forced) or surely(m, ends, onward)

        for total in range(need - 1 + exactly, -1, -1):
            for m in game.order:
                if enter(total, m):
                    within[total].add(m)
        return scores.mode[place] in within[0]

    while stays != before:
        before = stays.copy()
        for place in reversed(range(len(stays))):
            stays[place] = stays[place] and may_stay(place)
    return any(stays)
