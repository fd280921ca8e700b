"""How turns end at the target and beyond, and where players cannot, or need not, finish, or risk nothing."""

from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
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
    "moves_of",
    "risk_above",
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
        If choices must be ranked in a game with more than 6 modes without a hold.

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
        raise NotImplementedError(
            f"{game.name}: choices in {len(forced)} modes without a hold; at most {MOST_RANKED} can be ranked"
        )
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
        raise NotImplementedError(
            f'{game.name}: choices of 0 points in modes without a hold, with a reset and finish="exact", are not'
            " ranked at the target"
        )
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

    # A hold is best, then the modes as ranked; of choices that lead there, the most points.
    def taken(choices):
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
    solved = solve_linear(
        stay,
        [
            [sum((p for p, c in roll if c.mode not in rank), zero), mode.chance(RESET)]
            for roll, mode in zip(moves, ranking, strict=True)
        ],
    )
    if solved is None:
        return None
    finishes = {name: q for name, (q, _) in zip(rank, solved, strict=True)}
    more = solve_linear(
        stay,
        [[sum((p * c.points * finishes.get(c.mode, 1) for p, c in roll), zero)] for roll in moves],
    )
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
    shortest = sorted((len(row), i) for i, row in enumerate(rows))  # a heap
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


def moves_of(game):
    """Of every mode the outcomes: the choices, pairs (index of the next mode, points), or the result."""
    return [
        [[(game.mode(c.mode), c.points) for c in o.choices] or o.result for o in mode.outcomes]
        for mode in game.modes
    ]


def turn_levels(game, moves, need, ends, held, surely=True, done=0):
    """The level of a turn by the points missing at its start, 0, …, `need`, and the mode in which it begins, lists.

    Every end of a turn has a level, 0 for the worst. A choice has the level of what it leads to, an outcome that of its
    best choice, and a roll the highest level of its outcomes; but 0 if any of these has 0, unless `surely` is False. So
    with the levels 0 and 1 this is whether a turn surely ends in one of some ends, if the player chooses well.

    Parameters
    ----------
    game : Game
        Every roll of it changes something (``Game.until_change``).
    moves : list
        See :func:`moves_of`.
    need : int
    ends : dict
        The levels of a bust and of a reset.
    held : callable
        ``held(r, turn)`` is the level of a hold with r points missing, where a turn by mode has the levels `turn`; None
        if it is not allowed, and busts where one must hold. At the target it is asked if that must be hit exactly.
    surely : bool
    done : int
        The level of a turn beyond the target, at best.
    """
    exactly, past = game.finish == "exact", surely_past(game, moves, ends)
    # By points missing and mode, at first for 0 or fewer.
    levels = [[done or m in past for m in range(len(moves))]]
    turns = [None]  # at the target there is none

    def level(r, to):
        if isinstance(to, str):
            return ends[to]
        return max(
            ends[BUST] if exactly and points > r else levels[max(r - points, 0)][m]
            for m, points in to
        )

    def enter(r, hold):
        for m in game.order:
            mode = game.modes[m]
            if mode.must_hold or (mode.may_hold and r == 0):
                levels[r][m] = ends[BUST] if hold is None else hold
                continue
            best = 0
            for to in moves[m]:
                reached = level(r, to)
                if surely and not reached:
                    best = 0
                    break
                best = max(best, reached)
            levels[r][m] = max(best, hold or 0) if mode.may_hold else best

    if exactly:
        enter(0, held(0, None))
    for r in range(1, need + 1):
        levels.append([0] * len(moves))
        enter(r, 0)  # without points one may not hold
        turns.append(levels[r].copy())
        hold = held(r, turns[r])
        if hold != 0:
            enter(r, hold)
    return turns


def levels_of_turns(game, ends, done, surely=True):
    """The level of a whole turn by points missing, an array; see :func:`turn_levels`.

    A hold has the level of a turn that begins there, but 0 if that at best busts, which only repeats it. The finish,
    which must be hit exactly, has the level `done`.
    """
    game = game.until_change

    def held(r, turn):
        return done if r == 0 else turn[0] if turn[0] > ends[BUST] else 0

    turns = turn_levels(game, moves_of(game), game.target, ends, held, surely)
    return np.array([done, *(turn[0] for turn in turns[1:])])


def cannot_finish(game):
    """The points missing from which a player can never finish, whatever is rolled and chosen.

    Without registers there are such scores only with ``finish="exact"``: for example one point missing in Pig, where no
    face counts 1.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    if game.finish != "exact":
        return np.zeros(game.target + 1, dtype=bool)
    again, done = 1, 2
    turns = levels_of_turns(game, {BUST: 0, RESET: again}, done, surely=False)
    # A reset may lead back to where the target can be hit.
    return turns == 0 if turns[-1] == done else turns < done


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
    a return to the start, 3 for the finish (:func:`levels_of_turns`). A turn that only busts is stuck, too. If the
    start is of level 3, a player who returns to it again and again finishes in the end. Otherwise a return to
    it is of level 0.
    """
    if game.finish != "exact":
        return cannot_finish(game)
    bust, again, done = 1, 2, 3
    turns = levels_of_turns(game, {BUST: bust, RESET: again}, done)
    if turns[-1] == done:
        return turns < again
    return levels_of_turns(game, {BUST: bust, RESET: 0}, done) < done


def may_wait(game, reset=False):
    """The points missing from which a player can make sure that a whole turn comes to nothing.

    Such a turn surely ends in a bust, whatever is rolled, or, if `reset`, in a bust or a reset: every roll offers a
    choice that overshoots, or that leads on to such rolls. Where both players can do this, play may be endless.

    Returns
    -------
    ndarray of bool, (target + 1,)
        By points missing; False at 0.
    """
    game, ends, target = game.until_change, {BUST: True, RESET: reset}, game.target
    moves = moves_of(game)
    if game.finish != "exact" and always_moves_on(game, moves, ends):
        return np.zeros(target + 1, dtype=bool)
    turns = turn_levels(game, moves, target, ends, lambda r, turn: 0)
    return np.array([False, *(turn[0] > 0 for turn in turns[1:])])


def always_moves_on(game, moves, ends):
    """Whether some rolls in succession finish, or end the turn otherwise than in `ends`, however the player chooses."""
    scoring = all(
        any(not isinstance(to, str) or not ends[to] for to in roll) for roll in moves if roll
    )
    return scoring and not surely_past(game, moves, ends)


def surely_past(game, moves, ends):
    """The modes without a hold in which a turn beyond the target surely never ends, or in one of `ends`, a set."""
    rolls = [
        [[] if isinstance(to, str) else to for to in roll if not (isinstance(to, str) and ends[to])]
        for roll in moves
    ]
    return closed_within((m for m, mode in enumerate(game.modes) if not mode.may_hold), rolls)


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
    game, scores = game.until_change, scores_of(game)
    moves = moves_of(game)
    early = any(mode.must_hold for mode in game.modes) and scores.least_hold.max() > 1
    anyhow = {BUST: True, RESET: True}
    if game.finish != "exact" and not early and always_moves_on(game, moves, anyhow):
        return False

    def may_stay(place, stays):
        return stays[place] and level_from(game, moves, place, stays, False) > 0

    return any(settled([True] * len(scores.missing), may_stay))


def settled(levels, find):
    """The levels of all places, each replaced by ``find(place, levels)`` until nothing changes."""
    before = None
    while levels != before:
        before = levels.copy()
        for place in reversed(range(len(levels))):
            levels[place] = find(place, levels)
    return levels


def level_from(game, moves, place, levels, done):
    """The level of a turn from a place, if the places have these levels and the target `done`; see `turn_levels`."""
    scores = scores_of(game)
    need, busted = scores.missing[place], scores.after_bust[place]
    ends = {BUST: levels[busted] if busted < len(levels) else done, RESET: levels[scores.begin]}

    def held(r, turn):
        if need - r < scores.least_hold[place]:
            return None
        return levels[scores.after_hold[place] + (need - r) * scores.step] if r > 0 else done

    return turn_levels(game, moves, need, ends, held, done=done)[need][scores.mode[place]]


# Above the target, where the others have a last turn


@lru_cache(maxsize=64)
def risk_above(game, exact=False):
    """The least risk of a roll above the target, :func:`least_risk`, and the modes there in which a player must roll.

    Raises
    ------
    ValueError
        If rolls above the target can follow each other without end and without a risk, so that a turn may have no best
        end; in fractions, if there is a roll without a risk, or a mode in which a player must roll.
    """
    said = f"{game.name} with finish={game.finish!r}"
    risk, forced = least_risk(game), forced_above(game.until_change)
    if never_risks(game):
        raise ValueError(
            f"{said}: rolls above the target can gain points for ever and risk nothing, so that a turn may have no best"
            " end"
        )
    if exact and (forced or not risk):
        rolls = f"in mode {forced[0].name!r} a player must roll on" if forced else "a roll is best"
        raise ValueError(
            f"{said}: {rolls} however far above the target; what that is worth is a sum without end, which has no"
            " fraction here; solve without exact=True"
        )
    return risk, forced


def least_risk(game):
    """The least chance of a loss among gains and losses, of all ways to roll on above the target, a Fraction.

    F and G are the chances of a loss and of a gain. Of the ratio F / (F + G) the minimum is the q with which
    F - q·(F + G) has the minimum 0 (Dinkelbach 1967). From 1 on q falls to the ratio of the ways that are best with the
    last q, of which there are finitely many; so it ends.
    """
    game = game.until_change
    reached = [
        (m, game.modes[m]) for m in game.order if game.modes[m].name in game.reached_with_points
    ]
    q = Fraction(1)
    while True:
        # By mode F and G of the way to roll on with the least F - q·(F + G), and the least F / (F + G).
        ends, least = {}, Fraction(1)
        for m, mode in reached:
            lost, gained = mode.chance(BUST) + mode.chance(RESET), 0
            for outcome in mode.outcomes:
                ways = []
                for choice in outcome.choices:
                    to = game.mode(choice.mode)
                    ways += [(0, 1)] if choice.points else [ends[to]]
                    ways += [(0, 0)] if not choice.points and game.modes[to].may_hold else []
                if ways:
                    more = min(ways, key=lambda way: way[0] - q * sum(way))
                    lost += outcome.probability * more[0]
                    gained += outcome.probability * more[1]
            ends[m] = lost, gained
            if mode.may_hold and lost + gained:
                least = min(least, lost / Fraction(lost + gained))
        if least >= q:
            return q
        q = least


def never_risks(game):
    """Whether a turn above the target can be played on for ever without a risk, in modes without a hold as well."""
    game = game.until_change
    rolls = [[[] if isinstance(to, str) else to for to in roll] for roll in moves_of(game)]
    reached = [
        m
        for m, mode in enumerate(game.modes)
        if mode.name in game.reached_with_points and not mode.must_hold
    ]
    return bool(closed_within(reached, rolls))
