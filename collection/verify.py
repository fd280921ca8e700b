"""Everything computed again, and compared with files: ``dicelab verify``.

``data/golden`` has the results that must stay as they are. `checks` makes a :class:`Check` for each of them; called, it
computes the result anew and returns a :class:`Line` that says what was compared with what, and whether it is the same.

``SHA256SUMS``
    The SHA-256 sums of the other files, in the format of ``sha256sum -c``. ``data/exact`` has its own, and so has
    ``data``, for what is printed: ``published``, the ledger of errata, and ``datapackage.json``.
``counts.csv``
    How many comparisons each part has, by default and with ``--full``: what is missing is a difference.
``values.csv``
    The value of a game, to 17 digits, with more than two players by seat; and as a fraction if that is short. Values
    are the same if they differ by at most 1e-12, or relatively by that if they are more than 1; fractions are equal.
``policies.csv``
    A hash of all decisions of an optimal policy; see :func:`policy_hash`. Hashes are equal.
``situations.csv``
    What to do in a situation, and what each option is worth, to 12 decimals. The advice is equal, and the values differ
    by at most 1e-12.

Rows whose column `run` is "full" take long, and are checked only if that is asked for. Besides, every printed number is
compared anew: it agrees, or it is in the ledger of errata. The sentences of the papers are checked anew against
``data/published``, a fraction of 20,855 digits against ``data/exact``, and certificates by checkers that share no code
with this package. ``tests/by_hand/golden.py`` makes the golden files.
"""

import hashlib
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from dicelab import pig
from dicelab._accuracy import ACCURACY
from dicelab._validation import check_bool, check_option, invalid
from dicelab.games.named import parse_game
from dicelab.policies import branch_index, branching_outcomes
from dicelab_extras.play.session import GameSession
from dicelab_extras.play.situation import format_game, parse_situation

from .papers.claims.findings import check_claims, solved
from .papers.comparison import compare
from .papers.published import (
    DATA,
    PAPERS,
    PRINTED,
    QUESTIONS,
    ROOT,
    SUMS,
    damages,
    exact_value,
    printed_claims,
    read_table,
)

__all__ = [
    "COLUMNS",
    "PARTS",
    "Check",
    "Line",
    "checks",
    "judge",
    "policy_hash",
    "solution_of",
    "summary",
]

GOLDEN = DATA / "golden"
COUNTS = ["part", "default", "full"]
COLUMNS = {  # of the golden files
    "values": ["game", "objective", "value", "exact", "run", "confirmed"],
    "policies": ["game", "objective", "sha256", "run", "confirmed"],
    "situations": ["situation", "advice", "values", "run"],
}
NONE = "-"  # in the column `exact` of a value whose fraction is long, or not known
FULL = "full"
EXPECTED = ValueError, ArithmeticError, OSError, LookupError, NotImplementedError
WORDS = {True: "same", False: "differs", None: "skipped"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """What came of a check: `same` is True, False, or None if it could not be made; `said` is the reason."""

    what: str
    same: bool | None
    said: str = ""

    def __str__(self):
        return f"{WORDS[self.same]:<8} {self.what}{self.said and ': '}{self.said}"


@dataclass(frozen=True)
class Check:
    """A comparison that can be made: `compared` returns the difference as text, "" if there is none."""

    what: str
    compared: Callable[[], str]

    def __call__(self):
        """Make it, and return a :class:`Line`. An error is a difference; too little memory, or no tool, is none."""
        try:
            said = self.compared()
        except (Skipped, MemoryError, ModuleNotFoundError) as reason:
            return Line(what=self.what, same=None, said=str(reason))
        except EXPECTED as error:
            said = f"{type(error).__name__}: {error}"
        return Line(what=self.what, same=not said, said=" ".join(said.split()))


class Skipped(Exception):
    """A check cannot be made here. The message says what is missing."""


def checks(parts=(), full=False):
    """All checks, or those of some parts.

    Parameters
    ----------
    parts : sequence of str
        Some of `PARTS`; all of them if empty.
    full : bool
        Whether to make the checks that take hours, too.

    Returns
    -------
    list of Check
        Those of the sums first.

    Raises
    ------
    ValueError
        If there is no such part, or there is nothing to compare in these parts.

    Examples
    --------
    >>> print(checks(["situations"])[0]())
    same     advice in pig 100: 30-45 +22, with golden/situations.csv
    """
    check_bool(full, "full")
    chosen = [check_option(part, "part", [*PARTS]) for part in parts] or [*PARTS]
    made = [check for part in PARTS if part in chosen for check in _counted(part, full)]
    if not made:
        raise invalid("parts", chosen, "--full as well, without which these compare nothing")
    return made


def _counted(part, full):
    """The checks of a part, and if they are not as many as in ``counts.csv``, one that fails."""
    made = PARTS[part](full)
    try:
        table = read_table(GOLDEN / "counts.csv", COUNTS).set_index("part")
        there = table["full" if full else "default"].get(part, "none")
        said = "" if there == str(len(made)) else f"{there} there, {len(made)} now"
    except ValueError as error:
        said = str(error)
    what = f"the number of comparisons of {part}, with golden/counts.csv"
    return [*made, *([Check(what, partial(str, said))] if said else [])]


def summary(lines):
    """The last line: how many checks were made, and what came of them; and whether nothing differs."""
    counts = Counter(line.same for line in lines)
    said = [f"{counts[same]} {word}" for same, word in WORDS.items() if counts[same] or same]
    return f"{len(lines)} comparisons: {', '.join(said)}", not counts[False]


def _rows(name, full):
    """The rows of a golden file that are to be checked, a list of named tuples."""
    table = read_table(GOLDEN / f"{name}.csv", COLUMNS[name])
    return [row for row in table.itertuples(index=False) if full or getattr(row, "run", "") != FULL]


def _each(name, say, compared):
    """A function that makes a check of each row of a golden file; one that fails, if the file cannot be read."""

    def make(full):
        try:
            return [
                Check(f"{say(row)}, with golden/{name}.csv", partial(compared, row))
                for row in _rows(name, full)
            ]
        except ValueError as error:
            return [Check(f"golden/{name}.csv", partial(str, error))]

    return make


def _sums(full):
    """The checks of all SHA-256 sums, and that no file is without one."""
    found = []
    for folder, patterns in ((GOLDEN, ["*"]), (DATA / "exact", ["*"]), (DATA, PRINTED)):
        sums = f"{folder.name}/{SUMS}"
        try:
            found += [
                Check(f"the bytes of {folder.name}/{name}, with {sums}", partial(str, said))
                for name, said in damages(folder, patterns).items()
            ]
        except OSError as error:
            found.append(Check(sums, partial(str, str(error))))
    return found


def solution_of(game, objective, exact=False):
    """The solution of a row of a golden file.

    Parameters
    ----------
    game : str
        As :func:`~dicelab.games.named.parse_game` reads it.
    objective : str
        "win", "margin", "turns", "score", "win 3 players" or "deadline 10 turns".
    exact : bool
    """
    name, *more = objective.split()
    options = {more[1]: int(more[0])} if more else {}
    return solved(parse_game(game), name, exact=exact, **options)


def _compare_value(row):
    now = np.atleast_1d(np.array(solution_of(row.game, row.objective).value, dtype=float))
    kept = np.array(row.value.split(), dtype=float)
    said = _difference(now, kept, row.value)
    if not said and row.exact != NONE:
        fraction = solution_of(row.game, row.objective, exact=True).value
        if fraction != Fraction(row.exact):
            return f"{row.exact} there, the fraction {fraction} now"
        said = _difference(np.array([float(fraction)]), kept, row.value)
    return said


def _difference(now, kept, printed):
    """In words, how numbers differ from those that are kept; "" if they are the same to 1e-12."""
    if (
        now.shape == kept.shape
        and (np.abs(now - kept) <= ACCURACY * np.maximum(1, np.abs(kept))).all()
    ):
        return ""
    return f"{printed} there, {' '.join(map(repr, now.tolist()))} now"


def policy_hash(game, policy):
    """A hash of all decisions of a policy, which depends on nothing but the decisions.

    Decisions where values tie are those of the policy: that of a solution holds, and takes the first of equal choices.

    Parameters
    ----------
    game : Game
        Of the catalogue.
    policy : Policy

    Returns
    -------
    str
        SHA-256, 64 hexadecimal digits, of these bytes: the text of the game, as UTF-8, and a newline. Then for every
        own score in ascending order, with registers in the order of the rules, (1) a bit for each opponent's score,
        mode and turn total, in this order, the last the fastest, 1 if the policy rolls: for modes in which one may roll
        and may hold, and turn totals that a turn can have in this mode, that may be held and do not reach the target.
        Eight bits are a byte, the first the highest; the last byte is filled with zeros. (2) A byte for each opponent's
        score, outcome with several choices, in the order of the rules, and turn total before the roll that a turn can
        have there: the number of the choice taken, from 0.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> policy_hash(piglet(3), hold_at(2))[:16] == policy_hash(piglet(3), hold_at(2))[:16]
    True
    >>> policy_hash(piglet(3), hold_at(2)) == policy_hash(piglet(3), hold_at(1))
    False
    """
    taken = hashlib.sha256(f"{format_game(game)}\n".encode())
    reached = _turn_totals(game)
    free = np.array([mode.may_hold and not mode.must_hold for mode in game.modes])
    branching = branching_outcomes(game)
    of_branch = np.array([mode for mode, _ in sorted(branch_index(game))], dtype=int)
    for own in game.scores:
        rolls, choices = policy.actions_at(game, own)
        totals = np.arange(game.longest)
        within = totals < game.missing(own)
        asked = reached & free[:, None] & within & (totals >= game.register(own).least_hold)
        taken.update(np.packbits(rolls[:, asked]).tobytes())
        if branching:
            taken.update(choices[:, (reached & within)[of_branch]].astype(np.uint8).tobytes())
    return taken.hexdigest()


def _turn_totals(game):
    """Whether a turn can have a total in a mode before the target is reached, (modes, totals) of bool."""
    starts = {game.mode(register.mode) for register in game.registers} or {0}
    reached = np.zeros((len(game.modes), game.longest), dtype=bool)
    more = [(mode, 0) for mode in starts]
    while more:
        mode, total = more.pop()
        if total < game.longest and not reached[mode, total]:
            reached[mode, total] = True
            more += [
                (game.mode(choice.mode), total + choice.points)
                for choice in game.modes[mode].choices
            ]
    return reached


def _compare_policy(row):
    now = policy_hash(parse_game(row.game), solution_of(row.game, row.objective).policy)
    return "" if now == row.sha256 else f"{row.sha256} there, {now} now"


def judge(situation):
    """The best option in a situation, given as text, and the values of all options, a dict by name."""
    situation = parse_situation(situation)
    players = len(situation.scores)
    solution = solved(
        situation.game, "win", exact=False, **({"players": players} if players > 2 else {})
    )
    session = GameSession(solution, start=situation)
    return session.best().name, {option.name: option.value for option in session.options()}


def _compare_situation(row):
    best, values = judge(row.situation)
    kept = dict(entry.rsplit(" ", 1) for entry in row.values.split("; "))
    if [*values] != [*kept]:
        return f"the options {', '.join(kept)} there, {', '.join(values)} now"
    said = _difference(
        np.array([*values.values()]), np.array([*kept.values()], dtype=float), row.values
    )
    return said or ("" if best == row.advice else f"{row.advice!r} there, {best!r} now")


def _numbers(full):
    """The checks of the printed numbers, one for each table."""
    tables = [(paper.slug, table) for paper in PAPERS for table in paper.tables]
    said = "{} of {}, with data/published and the ledger of errata"
    return [
        Check(said.format(table, paper), partial(_mismatches, paper, table))
        for paper, table in tables
    ]


def _mismatches(paper, table):
    wrong = compare(paper, table).query("verdict == 'mismatch'")
    return "; ".join(
        f"{row.item}: {row.printed} printed, {row.computed} computed" for row in wrong.itertuples()
    )


def _claims(full):
    """The checks of what the papers say in words, one for each paper."""
    found = []
    for paper in PAPERS:
        count = len(printed_claims(paper.slug))
        what = f"verdicts on {count} claims of {paper.slug}, with published/{paper.slug}/claims.csv"
        found.append(Check(what, partial(_compare_claims, paper.slug)))
    return found


def _compare_claims(paper):
    now, kept = check_claims(paper), printed_claims(paper)
    changed = now[(now != kept).any(axis=1)]
    return "; ".join(
        f"{row.claim}: {row.verdict}, {row.found}, now" for row in changed.itertuples()
    )


def _witnesses(full):
    """The checks by others: each is a command that shares no code with the package, and ends with 0 for a yes.

    A new kind of witness is one more command here.
    """
    checker = ROOT / "witness" / "check.py"
    found = [
        Check(f"certificate {file.name}, by witness/check.py", partial(_run, checker, file))
        for file in sorted((ROOT / "witness").glob("*.cert"))
    ]
    return [Check("pig-100 in fractions, with exact/pig-100.txt", _compare_exact), *found]


def _run(script, *arguments):
    if not script.exists():
        raise Skipped(f"{script.name} is not here; it is in the repository of dicelab")
    done = subprocess.run(
        [sys.executable, script, *arguments], capture_output=True, text=True, cwd=script.parent
    )
    return (
        ""
        if done.returncode == 0
        else f"exit status {done.returncode}; {(done.stderr or done.stdout)[-300:]}"
    )


def _compare_exact():
    return (
        ""
        if solved(pig(100), "win", exact=True).value == exact_value("pig-100")
        else "another fraction now"
    )


def _reruns(full):
    """The checks of the papers' figures, rerun end to end into build/verify."""
    slugs = [paper.slug for paper in (*PAPERS, *QUESTIONS)] if full else []
    return [
        Check(
            f"the data of all figures of {slug}, rerun, with figures/{slug}", partial(_rerun, slug)
        )
        for slug in slugs
    ]


def _rerun(slug):
    if not (ROOT / "notebooks" / "papers").is_dir():
        raise Skipped("the notebooks are not here; they are in the repository of dicelab")
    from .report import problems
    from .runner import reproduce

    into = ROOT / "build" / "verify"
    shutil.rmtree(into / "figures" / slug, ignore_errors=True)
    into.mkdir(parents=True, exist_ok=True)
    (result,) = reproduce([slug], into=into, progress=False)
    if not result.ok:
        return "; ".join(problems(result))
    made, kept = (_bytes_of(folder / "figures" / slug) for folder in (into, ROOT))
    return ", ".join(sorted(name for name in {*made, *kept} if made.get(name) != kept.get(name)))


def _bytes_of(folder):
    return {file.name: file.read_bytes() for file in Path(folder).glob("*.csv")}


PARTS = {
    "sums": _sums,
    "values": _each("values", lambda row: f"value of {row.game}, {row.objective}", _compare_value),
    "policies": _each(
        "policies", lambda row: f"policy of {row.game}, {row.objective}", _compare_policy
    ),
    "situations": _each("situations", lambda row: f"advice in {row.situation}", _compare_situation),
    "numbers": _numbers,
    "claims": _claims,
    "witnesses": _witnesses,
    "reruns": _reruns,
}
