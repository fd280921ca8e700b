"""The turn operator: one backward pass over a turn, compiled.

A turn starts with `missing` points to go and walks down: with r points still missing after banking the turn total,
the player in mode m holds, for the value ``hold[r]``, or rolls. With the bust value B and the reset value Z,

    W(m, r) = max(hold[r], R(m, r))                                      where the mode allows a hold,
    W(m, r) = R(m, r)                                                    where it does not,
    R(m, r) = bust(m)·B + reset(m)·Z + Σ over outcomes  p · max over its choices  W(next mode, r - points).

The value of the turn is R(first mode, missing), since it begins with a roll. Indexed by what is missing, neither
``hold`` nor the recursion knows the player's own score: one row of hold values serves every score.

W is convex, piecewise linear and increasing in B, being made of sums and maxima of such functions. Its slope in B is
the probability that the turn ends in a bust, for the decisions that are best at B. Points are at least 1, so the pass
needs no iteration and stops after `missing` steps.

**Above the bust value.** The pass computes W - B and the probability L to *leave* the bust value, that is, to end the
turn in any other way:

    R(m, r) - B = reset(m)·(Z - B) + Σ p·(W - B),        L(m, r) = reset(m) + Σ p·L,      L = 1 where a hold is made.

A bust adds nothing to either. So both are found to full relative accuracy even for dice that bust nearly always, where
1 less the slope would lose all digits, and whatever divides by L (a Newton step, a number of turns) is accurate, too.

**Most of a turn need not be walked** (Proposition). Let passing the target finish, and let every mode allow a hold. P
is the most points of a roll, and H(m, r) what a roll in mode m is worth with r points missing *if every hold that it
leads to is made*. If at P successive r every mode holds, then it holds at the next r, too, unless some mode is tempted,

    H(m, r) = bust(m)·B + reset(m)·Z + Σ p · max over choices  hold[r - points]  >  hold[r].

*Proof:* a roll leads to the last P totals, of which each is worth a hold; so H is what it is worth. □ All r ≤ 0 count
as such totals, for they finish. Where some modes must roll on, and no roll leaves a choice, the same is true if *all*
smaller r hold where they may: then H, that counts in such a mode H itself for ``hold``, is what a roll is worth.

H is linear in B, so that r tempts if B exceeds a *temptation*, which depends on what the opponent needs, but not on the
turn. So a walk may begin at the first r that tempts, or behind any P totals at which all hold. What tempts at one B
tempts at all larger ones, and the excess of W over a hold falls with B, too. So when the own need grows, and with it
the opponent's chances, where to begin only moves up, and is found in amortized constant time; some 30 totals remain of
a turn of Pig, however far the target. Instead of O(N³ log N), the cost is O(N²), measured from 50 to 10,000.

Where a roll gains less than SLACK times its probability to bust, which float64 can't tell from nothing, it is not made.

At the target and beyond (r ≤ 0) a player who may hold has finished, and one who must roll finishes with a probability
that the mode graph alone determines (:mod:`dicelab.finish`). With ``finish="exact"`` only r = 0 finishes, and r < 0 is
a bust. To finish is worth ``finish``, and ``over`` more for every point beyond the target: 0, unless the objective
counts points.
"""

import re
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

try:
    from numba import config, njit
except ImportError as error:
    raise ImportError("dicelab solves games with numba, which is not installed: pip install numba") from error

from .finish import beyond_target, hopeless, may_wait
from .games import BUST, RESET

__all__ = ["SIX", "SLACK", "Rules", "bare", "compiled", "inlined", "inner", "past_target", "rules_of", "walk"]

SIX = 6  # successive points, weighed together
SLACK = 4e-15  # a roll that gains less than this times the probability to bust is not made


def _sources():
    """A digest of all files with kernels. numba itself looks only at the file of the kernel that is called."""
    files = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return sha256(b"".join(text for text in files if re.search(b"@(compiled|bare|inner|inlined)", text))).hexdigest()[
        :16
    ]


CACHE = Path(config.CACHE_DIR or Path(__file__).parent / "__pycache__") / f"kernels-{_sources()}"


def compiled(function, **options):
    """Compile with numba, cached on disk where a cache can be written and in memory where not."""
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    given, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
    try:
        return _kept_if_possible(njit(cache=True, **options)(function))
    except RuntimeError:  # numba's "no locator available": neither the package's folder nor a home is writable
        return njit(**options)(function)
    finally:
        config.CACHE_DIR = given


def _kept_if_possible(kernel):
    """`kernel`, which may be used although it can't be written to disk, for the disk is full, say."""
    if not config.DISABLE_JIT:
        save = kernel._cache.save_overload

        def save_if_possible(signature, data):
            with suppress(OSError):
                save(signature, data)

        kernel._cache.save_overload = save_if_possible
    return kernel


def bare(function, **options):
    """Compile what makes no array: no references are counted, atomically, which would take half of the time."""
    return compiled(function, _nrt=False, **options)


def inner(function, **options):
    """Compile what only other kernels call: a way in from Python would take a third of the compiling."""
    return bare(function, no_cpython_wrapper=True, **options)


def inlined(function):
    """Compile as a part of its callers: a call would copy all arrays of its arguments' shapes and strides."""
    return inner(function, forceinline=True)


class Rules(NamedTuple):
    """A game's mode graph as arrays: M modes, O scoring outcomes, C choices, those of one mode side by side."""

    may_hold: np.ndarray  # (M,) bool
    bust: np.ndarray  # (M,) probability that a roll busts
    reset: np.ndarray  # (M,) probability that a roll resets
    beyond: np.ndarray  # (K, M, P, 3) how a turn ends beyond the target: see beyond_target
    outcomes: np.ndarray  # (M + 1,) outcomes of mode m: outcomes[m]:outcomes[m + 1],
    several: np.ndarray  # (M,) those with more than one choice from several[m] on
    probability: np.ndarray  # (O,)
    choices: np.ndarray  # (O + 1,) choices of outcome o: choices[o]:choices[o + 1]
    branch: np.ndarray  # (O,) outcomes with more than one choice are numbered; -1 for the others
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,) index of the next mode
    sixes: np.ndarray  # (M + 1,) outcomes with one choice again, in groups, those of mode m sixes[m]:sixes[m + 1], with
    onward: np.ndarray  # (G, 2) the next mode and the least points, and
    weight: np.ndarray  # (G, SIX) probabilities of these and the next points; every mode has a group, perhaps of zeros
    same: np.ndarray  # (M,) bool, whether the next mode's rolls are the same
    all_hold: bool  # whether every mode allows a hold
    one_die: bool  # whether that is all: one mode, no choice, SIX faces at most, and passing the target finishes
    skips: bool  # whether the Proposition applies; if it does,
    falls: np.ndarray  # (M, P + N) the slope of H in B; column P - 1 + r is for r points missing
    hopeless: np.ndarray  # (N + 1,) bool, by points missing: whether nothing can lead to the finish
    may_wait: np.ndarray  # (N + 1,) bool, by points missing: whether some turn surely ends in a bust
    may_stall: bool  # whether a player who could finish may wait for ever
    dyadic: np.ndarray  # (M,) bool, whether all probabilities are powers of two, so that products with them are exact


def dyadic(probability):
    """Whether products of float64 with a probability are exact: it is a power of two, or 0."""
    return probability.numerator <= 1 and probability.denominator.bit_count() == 1


def grouped(game, outcomes):
    """Outcomes with one choice by next mode and six successive points: a list of mode, least points and chances."""
    groups = {}
    for outcome in outcomes:
        (choice,) = outcome.choices
        least = (choice.points - 1) // SIX * SIX + 1
        groups.setdefault((game.mode(choice.mode), least), [0.0] * SIX)[choice.points - least] += outcome.probability
    return [(*onward, chances) for onward, chances in sorted(groups.items())] or [(0, 1, [0.0] * SIX)]


@lru_cache(maxsize=256)
def rules_of(game):
    """The arrays of `game`, probabilities as float64."""
    scoring = [sorted((o for o in mode.outcomes if o.choices), key=lambda o: len(o.choices) > 1) for mode in game.modes]
    flat = [outcome for outcomes in scoring for outcome in outcomes]
    choices = [choice for outcome in flat for choice in outcome.choices]
    several = np.array([len(outcome.choices) > 1 for outcome in flat])
    single = [[o for o in outcomes if len(o.choices) == 1] for outcomes in scoring]
    groups = [grouped(game, outcomes) for outcomes in single]
    all_hold = all(mode.may_hold for mode in game.modes)
    skips = game.finish == "reach" and (all_hold or not several.any())
    stuck = hopeless(game)
    faces = len({choice.points for choice in choices}) == len(choices) == len(flat)  # each once, and no choice
    return Rules(
        may_hold=np.array([mode.may_hold for mode in game.modes]),
        bust=np.array([float(mode.chance(BUST)) for mode in game.modes]),
        reset=np.array([float(mode.chance(RESET)) for mode in game.modes]),
        beyond=np.array(beyond_target(game), dtype=float),
        outcomes=np.cumsum([0, *map(len, scoring)]),
        several=np.array([*map(len, single)]) + np.cumsum([0, *map(len, scoring)])[:-1],
        probability=np.array([float(outcome.probability) for outcome in flat]),
        choices=np.cumsum([0, *(len(outcome.choices) for outcome in flat)]),
        branch=np.where(several, several.cumsum() - 1, -1),
        points=np.array([choice.points for choice in choices]),
        mode=np.array([game.mode(choice.mode) for choice in choices]),
        sixes=np.cumsum([0, *map(len, groups)]),
        onward=np.array([(mode, points) for group in groups for mode, points, _ in group]),
        weight=np.array([chances for group in groups for _, _, chances in group]),
        same=np.array([one.outcomes == other.outcomes for one, other in pairwise(game.modes)] + [False]),
        all_hold=all_hold,
        one_die=skips and all_hold and faces and [g[:2] for group in groups for g in group] == [(0, 1)],
        skips=skips,
        falls=falls(game) if skips else np.empty((1, 1)),
        hopeless=stuck,
        may_wait=may_wait(game),
        may_stall=bool((may_wait(game, reset=True) & ~stuck).any()),
        dyadic=np.array(
            [
                all(dyadic(p) for p in (mode.chance(BUST), mode.chance(RESET), *(o.probability for o in mode.outcomes)))
                for mode in game.modes
            ]
        ),
    )


def falls(game):
    """The probability that a roll busts if every hold that it leads to is made, by mode and points missing."""
    width, chances, rolled = game.most_points, {}, [[float(mode.chance(BUST))] for mode in game.modes]
    forced = [not mode.may_hold for mode in game.modes]
    if not any(forced):
        return np.repeat(rolled, width + game.target, axis=1)
    found = np.zeros((len(game.modes), width + game.target))
    for m, ends in enumerate(beyond_target(game)[0]):
        found[m, :width] = [forced[m] * (1 - finishes - resets) for finishes, resets, _ in ends]
        chances[m] = [(o.probability, game.mode(c.mode), c.points) for o in game.modes[m].outcomes for c in o.choices]
    for at in range(width, width + game.target):
        for m, onward in chances.items():
            found[m, at] = rolled[m][0] + sum(float(p) * found[to, at - k] for p, to, k in onward if forced[to])
    return found


@inner
def past_target(rules, m, r, bust, reset, finish, over):
    """The value of a turn in mode `m` that has reached the target, r ≤ 0, above a bust's; and the chance to leave.

    Of ways that are worth the same the one that leaves more often is taken.
    """
    best, leave = -np.inf, 0.0
    for way in range(len(rules.beyond)):
        finishes, resets, points = rules.beyond[way, m, r - 1]
        worth = finishes * (finish - bust) + points * over + resets * (reset - bust)
        if worth > best or (worth == best and finishes + resets > leave):
            best, leave = worth, finishes + resets
    return best, leave


@bare
def walk(rules, hold, bust, reset, finish, over, missing, first, value, leave, roll):
    """Evaluate a turn that starts with `missing` points to go; see the module's page.

    Parameters
    ----------
    rules : Rules
    hold : ndarray (≥ missing,)
        ``hold[r]`` is the value of a hold with r points missing, 1 ≤ r < missing; ``hold[0]`` is not used.
    bust, reset, finish, over : float
        The values of a bust, a reset, the finish and a point beyond the target; the finish is worth most, and
        `over` ≥ 0.
    missing : int
        Points needed at the start of the turn, at least 1.
    first : int
        With fewer points missing than this, and more than 0, every mode is known to hold; 1 if nothing is known.
    value, leave, roll : ndarray (M, ≥ P + missing)
        Filled with W - B, the probability L to leave (in [0, 1]), and R - B, for a roll. Column P - 1 + r is for r
        points missing, P being the most points of a roll; those below `first` - P are not filled.

    Returns
    -------
    above, leave : float
        The value of the turn above the bust value, and the probability that it does not end in a bust.
    """
    modes, width = rules.beyond.shape[1:3]
    for r in range(first - width, first):
        for m in range(modes):
            at = width - 1 + r
            if r > 0:
                value[m, at], leave[m, at] = hold[r] - bust, 1.0
            else:
                value[m, at], leave[m, at] = past_target(rules, m, r, bust, reset, finish, over)
            roll[m, at] = value[m, at]
    above, leaves = 0.0, 0.0
    for r in range(first, missing + 1):
        at = width - 1 + r
        for m in range(modes - 1, -1, -1):  # the first mode last: its roll is the turn's
            above, leaves = rules.reset[m] * (reset - bust), rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                first_choice, last = rules.choices[o], rules.choices[o + 1]
                mode, left = rules.mode[first_choice], at - rules.points[first_choice]
                for c in range(first_choice + 1, last):
                    if value[rules.mode[c], at - rules.points[c]] > value[mode, left]:
                        mode, left = rules.mode[c], at - rules.points[c]
                above += rules.probability[o] * value[mode, left]
                leaves += rules.probability[o] * leave[mode, left]
            value[m, at], leave[m, at], roll[m, at] = above, leaves, above
            if rules.may_hold[m] and r < missing and hold[r] - bust >= above:
                value[m, at], leave[m, at] = hold[r] - bust, 1.0
    return above, leaves
