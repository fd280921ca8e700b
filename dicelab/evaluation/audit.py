"""A second opinion: every result evaluated again, from the rules alone, by a Markov chain of positions.

The auditor shares the rules with the rest of the package, and asks policies what they do. All else
is written anew: a loop over the places of a turn (:mod:`dicelab.evaluation.audit_turns`), and a sparse
linear system over all positions, (1) of :mod:`dicelab.evaluation.audit_chain`.

Why this is a proof
-------------------
A *deviation* is one other decision of one player, all others staying as they are. Suppose that

1. the policies attain the value u, by (1);
2. no deviation of the player gains anything, at any place of any position;
3. the player cannot make sure to stay for ever in positions where u is less than endless play.

Then no policy of this player gets more than u against the others. *Proof.* Let the player follow any
other policy. By 2 the value of the place does not rise on average from decision to decision, so it is
a bounded supermartingale, and has a limit. If play ends, the limit is what is paid. In endless play
the value is again and again at least what endless play is worth, by 3 and since there are finitely many
positions; so the limit is, too. Hence the expected payoff is at most u at the start. □

In a race of two players in which both have the same policy, u is therefore what each can enforce: the
value of the game. With more players it is an equilibrium. In the objective "turns", 2 says that the
mean T is at most n plus the expected T after n turns, for every policy; the second part vanishes if the
policy ends in a finite mean time. In "score" a turn ends with probability 1; a deadline ends play.

What is assumed is float64. Values may be off by 1e-12; more, where a class has over 500 positions,
if 1e-15 times the expected number of turns is more. A deviation may gain 1e-11: the package counts
decisions within 1e-12 of each other as ties. All this is relative where numbers exceed 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .._accuracy import TIE
from .._results import Result
from .._shown import name_of, title_of
from .._validation import check_type
from ..games.model import LAST_TURN, roles_of
from ..games.registers import Score
from ..rules_of_thumb import hold_at
from ..solution import ALONE, Solution, turns_in_words
from .audit_chain import ALLOWED, LEAST_TOLD, ROUNDED, Race
from .audit_turns import Turns, read_rules
from .grade import Grade
from .match import Match
from .simulation import Estimate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit", "audit"]

GAIN = 1e-11  # of a deviation: ten times what counts as a tie
STANDARD_ERRORS = 5
FAR = 1e30  # turns that count as infinitely many


class Findings(list):
    """The checks that have been made, each a row of :attr:`Audit.checks`."""

    def add(self, what, claimed, found, allowed, name=None, off=None):
        """Note a check of a number; or of many by the one that is off most: ``name(k)`` says which number k is.

        The difference is that of both numbers, unless it is given.
        """
        claimed, found = (np.asarray(part, dtype=float).ravel() for part in (claimed, found))
        off = distance(claimed, found) if off is None else np.ravel(off)
        worst = int(np.argmax(off))
        verdict = AGREES if off[worst] <= allowed else DIFFERS
        if name is not None:
            where = f", off most at {name(worst)}" if verdict == DIFFERS else ""
            what = f"{what} ({len(claimed):,}){where}"
        self.append((what, claimed[worst], found[worst], off[worst], float(allowed), verdict))

    def at_least(self, what, claimed, found, allowed=0.0):
        """Note a check that the claimed number is at least the one that is found."""
        off = max(0.0, found - claimed) if found == found else np.inf
        self.add(what, claimed, found, allowed, off=off)


def distance(claimed, found):
    """How far numbers are apart, relatively if they exceed 1; infinite if one is no number, or infinite alone."""
    with np.errstate(invalid="ignore"):
        off = abs(claimed - found) / np.maximum(1.0, abs(found))
    same = (claimed == found) | (np.isnan(claimed) & np.isnan(found))
    return np.where(same, 0.0, np.where(np.isfinite(off), off, np.inf))


AGREES, DIFFERS = "agrees", "differs"


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(Result):
    """What was checked of a result, and what was found.

    Attributes
    ----------
    of : str
        The result in words.
    checks : pandas.DataFrame
        A row for each check, with the columns "what", "claimed", "found", "difference", "allowed" and "verdict", which
        is "agrees" or "differs". A check of many numbers shows the one that is off most. Differences are relative where
        the number found exceeds 1. The gain of a decision is claimed to be 0.
    unit : str
        "", or "standard errors" if differences are counted in these.

    Examples
    --------
    >>> from dicelab import audit, piglet, solve
    >>> audit(solve(piglet(4))).checks["verdict"].unique().tolist()
    ['agrees']
    """

    KEYS = ("of", "sound", "unit", "checks")

    of: str
    checks: pd.DataFrame = field(repr=False)
    unit: str = ""

    def to_frame(self) -> pd.DataFrame:
        """The checks, a DataFrame."""
        return self.checks.copy()

    @property
    def sound(self) -> bool:
        """Whether all checks agree."""
        return bool((self.checks["verdict"] == AGREES).all())

    def __repr__(self):
        count = len(self.checks)
        checks = f"{count} check{'s' * (count > 1)}"
        if self.sound:
            most = self.checks["difference"].max()
            within = f"{most:.1f} {self.unit}" if self.unit else f"{most:.0e}" if most else "0"
            return f"<Audit of {self.of}: {checks}, all agree within {within}>"
        wrong = self.checks[self.checks["verdict"] == DIFFERS]
        worst = wrong.loc[(wrong["difference"] / wrong["allowed"]).idxmax()]
        said = f"{worst['what']}: {worst['claimed']:.12g} claimed, {worst['found']:.12g} found"
        return f"<Audit of {self.of}: {len(wrong)} of {checks} differ{'s' * (len(wrong) == 1)}; {said}>"


def audit(result: Any) -> Audit:
    """Check a result by a second evaluation from the rules alone.

    Parameters
    ----------
    result : Solution, Match, Grade, Estimate

    Returns
    -------
    Audit
        Its `checks` are a table, and `sound` says whether all of them agree.

    Raises
    ------
    TypeError
        If `result` is anything else; it is a ValueError, too.
    NotImplementedError
        If a player beyond the target has a choice between a finish and a reset, or too many choices.
    ConvergenceError
        If turns nearly always bust, and over 500 positions lead to each other.
    MemoryError
        Beforehand, if the audit would take more than half of the memory.

    Notes
    -----
    Of a solution we check that its policy attains the value at every position, that no other decision gains anything at
    any turn total, and that nobody would rather play for ever. Together they prove the value, see
    :mod:`dicelab.evaluation.audit`. Of a match all numbers are computed again; of a grade also the best response, and
    the sum of what the decisions give away. The numbers of a simulation must be within five standard errors. Fractions
    are compared as floats.

    Examples
    --------
    >>> from dicelab import audit, evaluate, hold_at, pig, piglet, solve
    >>> audit(solve(piglet(4))).sound
    True
    >>> audit(evaluate(pig(20), hold_at(8), hold_at(5))).checks[["what", "verdict"]].head(2).to_numpy().tolist()
    [['probability out of every position (800)', 'agrees'], ['first_wins', 'agrees']]
    """
    import pandas as pd

    *names, last = (kind.__name__ for kind in AUDITORS)
    check_type(result, "result", tuple(AUDITORS), f"one of {', '.join(names)} or {last}")
    check = next(check for kind, check in AUDITORS.items() if isinstance(result, kind))
    findings = Findings()
    said, unit = check(result, findings)
    columns = ["what", "claimed", "found", "difference", "allowed", "verdict"]
    return Audit(of=said, checks=pd.DataFrame(findings, columns=columns), unit=unit)


def _in_roles(game, policies, above=0):
    """The races in which the first policy has each role, and the others follow in order of play."""
    n, roles = len(policies), range(roles_of(game, len(policies)))
    if all(policy is policies[0] for policy in policies):
        return [Race(game, policies, above=above)] * len(roles)
    seats = ([policies[(seat - role) % n] for seat in range(n)] for role in roles)
    return [Race(game, seated, above=above) for seated in seats]


def _wins_of_first(races):
    """The chances of the first of two policies to win, moving first and second, where it has these roles."""
    race, role = races[0], len(races) - 1
    other_begins = race.start + (0 if role else race.size)
    return [race.chances[0, race.start], races[role].chances[role, other_begins]]


def _add_chain(findings, race):
    """Note that turns lead out of every position with probability 1."""
    findings.add(
        "probability out of every position",
        np.ones(race.count),
        race.chain[3],
        ALLOWED,
        race.position,
    )


def _add_gain(findings, race, movers, values, where="", **stakes):
    """Note the most that other decisions of some movers gain."""
    gains, counts = zip(
        *(race.deviations(mover, values, **stakes) for mover in movers), strict=True
    )
    gains, numbers = np.concatenate(gains), np.concatenate([mover.positions for mover in movers])
    unit = 1.0 if "relative" in stakes else max(1.0, float(abs(values).max()))
    allowed = max(GAIN, 10 * race.allowed * race.is_met_again(movers[0])) * unit
    most = int(gains.argmax())
    at = f", most at {race.position(numbers[most])}" if gains[most] > allowed else ""
    what = f"gain by another decision{where} ({sum(counts):,}){at}"
    findings.at_least(what, 0.0, gains[most], allowed)


def _add_optimal(findings, race, player, values, endless, **stakes):
    """Note that no other policy of a player would be better against the others."""
    mine = [mover for mover in race.movers if mover.player == player]
    _add_gain(findings, race, [mover for mover in mine if not mover.holders], values, **stakes)
    stay = race.can_stay(player, values, endless)
    findings.at_least("positions with a gain by playing for ever", 0.0, stay)
    if last := [mover for mover in mine if mover.holders]:
        _add_gain(findings, race, last, values, " in a last turn")


def _add_bounds(findings, game, opponent, wins, allowed):
    """A best response wins at least half of the games, moving first and second, and no less than the opponent would."""
    alike = _wins_of_first(_in_roles(game, [opponent, opponent]))[0]
    findings.at_least(
        "mean of both seats, of which the maximin is 1/2", sum(wins) / 2, 0.5, allowed
    )
    findings.at_least("what the opponent wins against itself", wins[0], alike, allowed)


def _check_solution(solution, findings):
    game, n, others = solution.game, solution.players, solution.against or ()
    others = others if isinstance(others, tuple) else (others,)
    words = f"{n} players" if n > 2 else f'"{solution.objective}"'
    words = turns_in_words(solution.turns) if solution.turns else words
    if solution.objective == "score":
        _check_score(solution, findings)
    elif solution.objective in ALONE:
        _check_alone(solution, findings)
    else:
        _check_race(solution, others, findings)
    against = f" against {' and '.join(map(name_of, others))}" if others else ""
    return f"{title_of(game)}, {words}{against}", ""


def _check_race(solution, others, findings):
    """Two players, to win or for the margin; an equilibrium of n; or a best response to others. In each role."""
    game, n, margin = solution.game, solution.players, solution.objective == "margin"
    races = _in_roles(game, [solution.policy, *(others or (solution.policy,) * (n - 1))])
    race, claimed, seats = races[0], solution.values.astype(float), n if n > 2 else 1
    found, stakes = [], {"stakes": race.needs, "over": solution.overshoot} if margin else {}
    for role, each in enumerate(races):
        order = [(role + k) % n for k in range(n)]  # of play
        seen = race.margins(solution.overshoot)[None] if margin else each.chances[order]
        mine = seen[:seats, each.movers[role].positions].reshape(seats, *race.shape)
        found.append(mine.transpose(*(1 + p for p in order), 0))
    for each in dict.fromkeys(races):
        _add_chain(findings, each)
    if not margin:
        whole = race.chances.sum(axis=0) if n == 2 else claimed.sum(axis=-1).ravel()
        what = f"{'both' if n == 2 else 'all'} chances together"
        findings.add(what, np.ones(whole.size), whole, race.allowed, race.position)

    findings.add(
        "chances by seat" if n > 2 else "value attained by the policy",
        claimed,
        np.array(found),
        race.allowed * (game.target if margin else 1),
        lambda k: race.position(k // seats % race.size) + f", seat {k % n + 1}" * (n > 2),
    )
    for role, each in enumerate(races):
        values, endless = (seen[0], 0.0) if margin else (each.chances[role], 1.0 / n)
        _add_optimal(findings, each, role, values, endless, **stakes)
    if others and n == 2:
        wins = claimed.ravel()[race.start], _wins_of_first(races)[1]
        _add_bounds(findings, game, *others, wins, race.allowed)


def _check_score(solution, findings):
    """One turn for points; beyond the table of values, modes hold unless they roll in its last row."""
    game, table = solution.game, solution.values.astype(float)
    need, start = len(table), game.after_reset
    known, register = min(game.missing(start), need), game.register(start)
    may_hold = np.array([mode.may_hold for mode in game.modes])
    free = may_hold & (table[-1] > (need - 1) * (1 + 1e-12))
    rules = read_rules(replace(game, finish="reach"), frozenset(np.flatnonzero(free).tolist()))
    finish, bust, _, over = rules.beyond.T
    totals = np.arange(need, need + game.most_points)[:, None]
    values = np.concatenate([table, finish * totals + over + bust * register.pays])
    rolls, takes = (
        np.pad(part[0, :, :known], [(0, 0), (0, need - known)])
        for part in solution.policy.actions_at(game, start)
    )
    totals = np.arange(known, need)  # what the policy of a short race does not say
    rolls[:, known:] = ~may_hold[:, None] | (totals * (1 + 1e-12) < values[totals].T)
    for roll in (roll for outcomes in rules.rolls for roll in outcomes if roll.branch is not None):
        options = [values[totals + points, mode] for points, mode in roll.choices]
        takes[roll.branch, known:] = np.argmax(options, axis=0)
    first = game.mode(register.mode)
    given = (np.array([number]) for number in (need, register.least_hold, first))
    turns = Turns(rules, *given, rolls[..., None], takes[..., None])
    pays = np.append(np.arange(need), [need, register.pays, 0.0, 1.0])[:, None]
    value, gain, compared, _ = turns.judge(pays, repeated=False)
    findings.add("probability out of the turn", 1.0, abs(turns.walked[0][:-1]).sum(), ALLOWED)
    findings.add("points of a turn of the policy", table[0, first], value[0], ALLOWED)
    what = f"gain by another decision ({compared:,})"
    findings.at_least(what, 0.0, gain[0], GAIN * max(1.0, float(need)))


def _check_alone(solution, findings):
    """One player: the chance before a deadline, or the fewest turns."""
    turns, claimed = solution.turns or 0, solution.values.astype(float)
    race, stakes = Race(solution.game, [solution.policy], turns), {}
    _add_chain(findings, race)
    if turns:
        values = race.chances[0]
        findings.add("without a turn", np.zeros(race.size), claimed[0], 0.0, str)
        findings.add(
            "chance attained by the policy",
            claimed[:0:-1],
            values,
            race.allowed + turns * TIE,  # within which a decision counts as equal, once a turn
            lambda k: f"{race.position(k)}, {turns_in_words(turns - k // race.size)} left",
        )
    else:
        values = -np.where(np.isfinite(race.turns), race.turns, FAR)
        stakes = {"stakes": 0.0, "step": -1.0, "relative": True}
        findings.add("fewest turns", claimed, race.turns, race.allowed, race.position)
    _add_gain(findings, race, race.movers, values, **stakes)


def _played(result):
    """The race of a match or a simulation, and what is claimed and found: everybody's chance, and the turns."""
    race, names = Race(result.game, result.policies), map(name_of, result.policies)
    seats = [f"wins of {name}, seat {p}" for p, name in enumerate(names, 1)]
    return race, [
        *zip(seats, result.wins, race.chances[:, race.start], strict=True),
        ("turns_mean", result.turns_mean, race.turns[race.start]),
        ("turns_sd", result.turns_sd, race.deviation()),
    ]


def _check_match(match, findings):
    game, two = match.game, len(match.policies) == 2
    race, (*wins, mean, deviation) = _played(match)
    _add_chain(findings, race)
    if two:
        wins = [("first_wins", *wins[0][1:])]
    else:
        findings.add("all chances together", 1.0, sum(match.wins), race.allowed)
    for row in (*wins, mean):
        findings.add(*row, race.allowed)
    many, spread = ROUNDED * mean[-1], deviation[-1]
    if np.isnan(spread) or many <= LEAST_TOLD:  # otherwise rounding alone remains
        lost = max(1.0, mean[-1] / spread) ** 2 if spread > 0 else 1.0  # digits
        findings.add(*deviation, 10 * race.allowed * lost + many)
    if two and game.finish not in LAST_TURN:
        margin = race.margins()[race.start]
        findings.add("margin", match.margin, margin, race.allowed * game.target)
    return f"{title_of(game)}, {' against '.join(map(name_of, match.policies))}", ""


def _check_estimate(estimate, findings):
    """In standard errors, which are those of the exact values, and for the deviation the one that is claimed."""
    games, (_, rows) = estimate.games, _played(estimate)
    errors = [(max(chance * (1 - chance), 0.0) / games) ** 0.5 for *_, chance in rows[:-2]]
    errors += [rows[-1][-1] / games**0.5, estimate.turns_sd_se]
    for (what, claimed, found), error in zip(rows, errors, strict=True):
        if np.isfinite(found):  # turns need not be
            off, near = abs(claimed - found), ALLOWED * max(1.0, abs(found))
            off = 0.0 if off <= near else off / error if error > 0 and off < np.inf else np.inf
            findings.add(what, claimed, found, STANDARD_ERRORS, off=off)
    names = " against ".join(map(name_of, estimate.policies))
    return f"{title_of(estimate.game)}, {games:,} games of {names}", "standard errors"


def _check_grade(grade, findings):
    """What a strategy achieves, what the best response achieves, and what each decision gives away."""
    game, parts, allowed, sums = grade.game, [], 0.0, 0.0
    best = _in_roles(game, [grade.best, grade.opponent])
    races = _in_roles(game, [grade.strategy, grade.opponent], best[0].above)
    for role, (race, other) in enumerate(zip(races, best, strict=True)):
        _add_chain(findings, race)
        _add_optimal(findings, other, role, other.chances[role], 0.5)
        allowed = max(allowed, race.allowed, other.allowed)
        *part, visits = _judge_role(race, other, role, 2 // len(races))
        parts.append(part)
        sums = max(sums, 10 * allowed + ROUNDED * visits)  # a part for each turn
    endless, given, met, last = map(np.array, zip(*parts, strict=True))
    chances, bests = map(_wins_of_first, (races, best))
    names = "first_wins", "second_wins", "best_first", "best_second"
    for name, chance in zip(names, chances + bests, strict=True):
        findings.add(name, getattr(grade, name), chance, allowed)
    _add_bounds(findings, game, grade.opponent, (grade.best_first, grade.best_second), allowed)
    findings.add("loss", grade.loss, (sum(bests) - sum(chances)) / 2, allowed)
    by_scores, of_last = _by_scores(grade)
    whole = given.sum() + last.sum() + endless.sum()

    def name(k):
        return best[0].position(k % best[0].size)

    for what, claimed, counted, *of_many in (
        ("endless", grade.endless, endless.sum()),
        ("given away in last turns", grade.last_turns, last.sum()),
        ("what decisions give away, and endless play: the loss", grade.loss, whole),
        ("given away by decisions in last turns", of_last, last.sum()),
        ("given away by decisions, by pairs of scores", by_scores, given, name),
        ("turn_costs times turns_met", grade.turn_costs * grade.turns_met, given, name),
        ("turns_met", grade.turns_met, met, name),
    ):
        findings.add(what, claimed, counted, sums, *of_many)
    opponents = {name_of(grade.opponent): grade.opponent, "itself": grade.strategy}
    for n in (20, 25):
        opponents[f"hold at {n if game.chip == 1 else game.with_unit(n)}"] = hold_at(n)
    for rival, opponent in opponents.items():
        races = _in_roles(game, [grade.strategy, opponent])
        claimed = grade.matches.loc[rival, ["first", "second"]]
        what = f"match against {rival}, moving first and second"
        findings.add(what, claimed, _wins_of_first(races), races[0].allowed, str)
    return f"{grade.name} in {title_of(game)} against {name_of(grade.opponent)}", ""


def _judge_role(race, best, seat, begin):
    """What is given away in a race in one seat, against the `best` play: where play begins with one of some movers.

    Returns
    -------
    endless : float
    given, met : ndarray
        What decisions give away, and how many turns there are, by the own score and the opponent's.
    last : float
        What decisions in last turns give away.
    visits : float
        All turns but these.
    """
    begins = np.zeros(race.count)
    begins[np.arange(begin) * race.size + race.start] = 0.5
    visits, memory = race.solve(begins, transposed=True), race.memories[seat]
    worth = race.chances[seat].copy()  # as it is in the last turns of the opponent
    most = best.chances[seat, : best.main].reshape(2, *best.shape)
    worth[: race.main] = np.repeat(most, memory, axis=1 + seat).ravel()
    stuck = np.where(race.ending, 0.0, begins + visits @ race.chain[0])
    given = np.zeros(race.count)
    for mover, at, turns, _ in race.blocks(m for m in race.movers if m.player == seat):
        given[at] = visits[at] * race.judge(mover, at, turns, worth, best=True)[-1]
    by_scores = (
        np.moveaxis(part[race.movers[seat].positions].reshape(race.shape), seat, 0)
        .reshape(-1, memory, race.shape[1 - seat])
        .sum(axis=1)
        for part in (given, visits)
    )
    endless = (stuck * (worth - 0.5)).sum()
    return endless, *by_scores, given[race.main :].sum(), visits[: race.main].sum()


def _by_scores(grade):
    """What a grade's decisions give away, by role and the places of own and opponent's score; and in last turns."""
    game, rows = grade.game, grade.decisions
    last = rows["opponent"] >= game.target
    of_last, rows = rows.loc[last, "given away"].sum(), rows[~last]
    columns = [rows["own"], rows["opponent"]]
    if game.registers:
        columns = [map(Score, rows[name], rows[f"{name} register"]) for name in ("own", "opponent")]
    at = np.asarray(rows.get("role", 0)), *([game.index(score) for score in c] for c in columns)
    given = np.zeros((roles_of(game), len(game.scores), len(game.scores)))
    np.add.at(given, at, rows["given away"].to_numpy())
    return given, float(of_last)


AUDITORS: dict[type, Callable] = {
    Solution: _check_solution,
    Match: _check_match,
    Grade: _check_grade,
    Estimate: _check_estimate,
}
