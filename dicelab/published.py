"""The papers' printed numbers, held against computed ones.

A printed number is kept as the string that is printed. How far a computed one may be off follows from what the
number is: computed by the authors, half a unit of its last digit (a fraction like 2/9: nothing); simulated by
the authors, 4 standard errors. A number further off is a *mismatch*, unless the ledger ``data/errata.csv`` has it,
with a corrected value that the computed one agrees with and two independent proofs: then it is an *erratum*.
"""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from .games import double_trouble, pig, piglet, two_dice_pig
from .policies import end_race_or_keep_pace, hold_at, scoring_turns
from .solver import solve

# pandas, and what needs numba, is imported where it is used: it takes longer than all of dicelab.

__all__ = ["PAPERS", "Paper", "compare", "paper_of", "published"]

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"


@dataclass(frozen=True)
class Paper:
    """A paper that the collection reruns: its slug, its title, and where it appeared."""

    slug: str
    title: str
    citation: str
    doi: str

    @property
    def notebook(self):
        """The paper's notebook, a Path."""
        return ROOT / "notebooks" / "papers" / f"{self.slug}.ipynb"

    @property
    def tables(self):
        """The names of the tables with printed numbers, a list."""
        return [
            resource["name"].split("/")[1] for resource in resources() if resource["name"].startswith(self.slug + "/")
        ]


PAPERS = (
    Paper(
        "generalized-pig",
        "A non-iterative algorithm for generalized Pig games",
        "F. Crocce and E. Mordecki, Journal of Dynamics and Games 5(4), 2018, 331-341",
        "10.3934/jdg.2018020",
    ),
    Paper(
        "two-dice-pig",
        "Deriving the Optimal Strategy for the Two Dice Pig Game via Reinforcement Learning",
        "T. Zhu and M. H. Ma, Stats 5(3), 2022, 805-818",
        "10.3390/stats5030047",
    ),
    Paper(
        "minimax-pig",
        "Optimal minimax strategy in a dice game",
        "F. Crocce and E. Mordecki, arXiv:0912.5518, 2009",
        "10.48550/arXiv.0912.5518",
    ),
)


def paper_of(slug):
    """The :class:`Paper` called `slug`; ValueError, naming those there are, if there is none."""
    for paper in PAPERS:
        if paper.slug == slug:
            return paper
    raise ValueError(f"paper: {slug!r} is not one of {', '.join(paper.slug for paper in PAPERS)}")


@cache
def resources():
    """The tables that ``data/datapackage.json`` describes, a list of dicts."""
    return json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))["resources"]


def _resource(paper, table):
    tables = paper_of(paper).tables
    if table not in tables:
        raise ValueError(f"table: {table!r} is not one of {', '.join(tables)}, the tables of {paper}")
    return next(resource for resource in resources() if resource["name"] == f"{paper}/{table}")


def published(paper, table):
    """A table of printed numbers.

    Parameters
    ----------
    paper, table : str
        For example "generalized-pig", "table-1".

    Returns
    -------
    pandas.DataFrame
        The columns that say which number it is, and `printed`, a string. ``data/datapackage.json`` describes them.

    Raises
    ------
    ValueError
        If there is no such paper or table.
    """
    import pandas as pd

    resource = _resource(paper, table)
    return pd.read_csv(DATA / resource["path"], dtype={"printed": str})


def errata():
    """The ledger of printed numbers that are wrong, a DataFrame; see ``data/README.md`` for its columns."""
    import pandas as pd

    return pd.read_csv(DATA / "errata.csv", dtype=str)


def as_number(printed):
    """A printed number as a Fraction; ``"8%"`` is 2/25."""
    return Fraction(printed.rstrip("%")) / (100 if printed.endswith("%") else 1)


def half_unit(printed):
    """Half a unit of the last printed digit, a Fraction; 0 for a fraction or a whole number that is no percentage.

    >>> half_unit("0.25"), half_unit("2/9"), half_unit("8%")
    (Fraction(1, 200), Fraction(0, 1), Fraction(1, 200))
    """
    _, point, digits = printed.rstrip("%").partition(".")
    unit = Fraction(1, 10 ** len(digits)) if point or printed.endswith("%") else Fraction(0)
    return unit / (200 if printed.endswith("%") else 2)


def compare(paper, table=None, computed=None):
    """Hold printed numbers against computed ones.

    Parameters
    ----------
    paper : str
    table : str, optional
        By default all tables of the paper.
    computed : mapping or pandas.Series, optional
        Computed numbers by what identifies a row of the table: the value of its first column, or the tuple of all
        columns but `printed`. Rows that it does not have are left out. By default the package computes all. For a
        table that was simulated, pairs: the number, and the standard error that it has after one game.

    Returns
    -------
    pandas.DataFrame
        One row a number: table, item, printed (str), computed (float), difference (computed - printed), tolerance,
        and verdict, one of "agree", "erratum", "mismatch".

    Raises
    ------
    ValueError
        If there is no such paper or table, or `computed` is given without a table.
    """
    import pandas as pd

    if table is None and computed is not None:
        raise ValueError("table: None is not allowed together with computed numbers; name the table they are for")
    tables = paper_of(paper).tables if table is None else [table]
    rows = []
    for name in tables:
        printed = published(paper, name)
        keys = [column for column in printed.columns if column != "printed"]
        numbers = RECIPES[paper, name]() if computed is None else dict(computed)
        games = _resource(paper, name).get("games")
        for *key, text in printed[[*keys, "printed"]].itertuples(index=False):
            number = numbers.get(key[0] if len(key) == 1 else tuple(key))
            if number is not None:
                number, error = number if games else (number, 0.0)
                tolerance = Fraction(4 * error / games**0.5) if games else half_unit(text)
                item = ", ".join(f"{column} {value}" for column, value in zip(keys, key, strict=True))
                rows.append((name, item, text, *_judge(paper, name, item, text, Fraction(number), tolerance)))
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def _judge(paper, table, item, printed, number, tolerance):
    """Computed number, difference, tolerance and verdict for one printed number."""
    difference = number - as_number(printed)
    verdict = "agree" if abs(difference) <= tolerance else "mismatch"
    if verdict == "mismatch":
        for entry in errata().itertuples():
            same = (entry.paper, entry.table, entry.item, entry.printed) == (paper, table, item, printed)
            if same and abs(number - Fraction(entry.correct)) <= half_unit(entry.correct):
                verdict = "erratum"
    return float(number), float(difference), float(tolerance), verdict


def _first_player_advantage():
    """Table 1 of generalized-pig: the value of Pig by target, all from one solve."""
    return solve(pig(1000)).by_target().to_dict()


def _piglet_by_needs():
    """Table 2 of generalized-pig: v(a, b) for Piglet to 3, in Fractions."""
    values = solve(piglet(3), exact=True).values
    return {(a, b): values[3 - a, 3 - b] for a in (1, 2, 3) for b in (1, 2, 3)}


def _best_turns():
    """Numbers that the text of generalized-pig quotes: the best single turn."""
    found = {}
    for game in (pig(), piglet()):
        best = solve(game, "score", exact=True)
        found[f"{game.name}: turn total to hold at for the most points of a turn"] = len(best.values) - 1
        found[f"{game.name}: most points of a turn"] = best.value
    return found


BEST_TOTALS = ((pig(), 25), (two_dice_pig(), 23), (double_trouble(), 18))


def _by_goal():
    """Table A1 of two-dice-pig: the value of two-dice Pig by goal."""
    return {int(goal): solve(two_dice_pig(int(goal))).value for goal in published("two-dice-pig", "table-a1")["goal"]}


def against_hold_at(game, totals, play=None):
    """How often the optimal player wins against hold at n, moving first, second, and on average.

    Parameters
    ----------
    game : Game
    totals : iterable of int
        The n.
    play : callable, optional
        By default :func:`dicelab.evaluate`; or one that simulates, for example.

    Returns
    -------
    dict
        By (n, "first" | "second" | "average"): the probability, and the standard error that it has after one game,
        or one of each kind, is simulated.
    """
    from .match import evaluate

    play, optimal, found = play or evaluate, solve(game).policy, {}
    for n in totals:
        first = play(game, optimal, hold_at(n)).first_wins
        second = 1 - play(game, hold_at(n), optimal).first_wins
        spreads = first * (1 - first), second * (1 - second)
        found[n, "first"], found[n, "second"] = (first, spreads[0] ** 0.5), (second, spreads[1] ** 0.5)
        found[n, "average"] = (first + second) / 2, sum(spreads) ** 0.5 / 2
    return found


def numbers_of_turns(games):
    """Mean and standard deviation of the number of turns, the optimal player and hold at n against each other.

    Parameters
    ----------
    games : iterable of (Game, int)
        Games, and the n of each.

    Returns
    -------
    dict
        By (name of the game, first, second, "mean" | "sd"), the players being "optimal" or "rule": the number, and the
        standard error that it has after one game is simulated.
    """
    from .match import evaluate

    found = {}
    for game, n in games:
        players = {"optimal": solve(game).policy, "rule": hold_at(n)}
        for first, second in (("optimal", "rule"), ("rule", "optimal"), ("optimal", "optimal")):
            match = evaluate(game, players[first], players[second])
            turns, sd = match.turns_distribution(), match.turns_sd
            fourth = float((turns * (turns.index - match.turns_mean) ** 4).sum())
            found[game.name, first, second, "mean"] = match.turns_mean, sd
            found[game.name, first, second, "sd"] = sd, (fourth - sd**4) ** 0.5 / (2 * sd)
    return found


def _text():
    """Numbers in the text of two-dice-pig."""
    wins = {goal: 100 * solve(two_dice_pig(goal)).value for goal in (100, 200)}
    found = {f"first player's win probability at goal {goal}, percent": value for goal, value in wins.items()}
    for game in (two_dice_pig(), double_trouble()):
        average = {n: p for (n, who), (p, _) in against_hold_at(game, range(10, 36)).items() if who == "average"}
        name = "two-dice Pig" if game.name == "Two-dice Pig" else game.name
        found[f"best n in {name}"] = min(average, key=average.get)
    return found


def _text_simulated():
    """Numbers in the text of two-dice-pig that were simulated."""
    found = {}
    for game, n, name in ((two_dice_pig(), 23, "two-dice Pig"), (double_trouble(), 18, "Double Trouble")):
        optimal, error = against_hold_at(game, [n])[n, "average"]
        found[f"average win probability of hold at {n} against the optimum in {name}"] = 1 - optimal, error
    turns = numbers_of_turns(BEST_TOTALS[2:])
    return found | {"turns in Double Trouble, both optimal": turns["Double Trouble", "optimal", "optimal", "mean"]}


def _minimax_text():
    """Numbers in the text of minimax-pig."""
    game = pig(200)
    lowest = solve(game).policy.lowest_holds()
    always = [(column == range(200, 0, -1)).all() for column in lowest.T]
    return {
        "smallest opponent's score from which on every decision is to roll": 200 - always[::-1].index(False),
        "exact finish: largest score at which no roll overshoots and one wins": 200 - game.most_points,
    }


def _literature():
    """What others have published about Pig."""
    from .ends import turn_ends
    from .solitaire import turns_needed

    game, rule, best = pig(), hold_at(20), _best_turns()
    ends = turn_ends(game, rule)
    first, last = ends.window[0, 0]
    chances = {0: ends.bust[0, 0]} | dict(zip(range(first, last), ends.hold[ends.start[0, 0] :], strict=False))
    return {
        "Neller and Presser 2004: win probability of the first player, target 100": solve(game).value,
        "Roters 1998: most points of a turn": best["Pig: most points of a turn"],
        "Roters 1998: turn total to hold at for the most points": best[
            "Pig: turn total to hold at for the most points of a turn"
        ],
        "Haigh and Roters 2000: fewest turns to 100": solve(game, "turns").value,
        "Haigh and Roters 2000: turns to 100 of hold at 20": turns_needed(game, rule)[0],
    } | {f"Neller and Presser 2004: hold at 20, chance of {k}": chance for k, chance in chances.items()}


def _practical_rules():
    """What rules that a person can play by lose to the optimal player, both moving first (Neller and Presser 2010)."""
    from .match import evaluate

    game = pig()
    optimal = solve(game).policy
    rules = hold_at(20), hold_at(25), scoring_turns(4), end_race_or_keep_pace()
    return {
        rule.name: evaluate(game, optimal, rule).first_wins - evaluate(game, rule, optimal).first_wins for rule in rules
    }


RECIPES = {
    ("generalized-pig", "table-1"): _first_player_advantage,
    ("generalized-pig", "table-2"): _piglet_by_needs,
    ("generalized-pig", "text"): _best_turns,
    ("minimax-pig", "text"): _minimax_text,
    ("minimax-pig", "literature"): _literature,
    ("minimax-pig", "neller-presser"): _practical_rules,
    ("two-dice-pig", "table-a1"): _by_goal,
    ("two-dice-pig", "table-a2"): lambda: against_hold_at(two_dice_pig(), range(10, 36)),
    ("two-dice-pig", "table-a3"): lambda: against_hold_at(double_trouble(), range(10, 36)),
    ("two-dice-pig", "table-1"): lambda: numbers_of_turns(BEST_TOTALS),
    ("two-dice-pig", "text"): _text,
    ("two-dice-pig", "text-simulated"): _text_simulated,
}
