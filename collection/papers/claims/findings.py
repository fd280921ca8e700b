"""Claims: what a paper says in words, how each sentence is checked, and the verdict.

``data/published/<paper>/claims.csv`` has a row for each sentence, caption, equation and number that can be checked. A
function of the module of the paper checks it. It returns a :class:`Finding`: the verdict, and in a few words what was
found. The file keeps both, so that they can be read without running anything, and the tests compare. A row whose
numbers a table has names the table, "compared: table-a1", and needs no function; nor does a row that was checked
"by reading", as a date or a reference.

The functions know the paper's own game and no other: a claim is about what the paper printed.
"""

from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module

import numpy as np

from dicelab.evaluation.solving import solve

from ..comparison import compare
from ..published import paper_of, printed_claims

__all__ = [
    "COMPARED",
    "READ",
    "VERDICTS",
    "Finding",
    "check_claims",
    "checks_of",
    "exceptions",
    "gap",
    "misprint",
    "solved",
    "taste",
    "verdict_of",
]

VERDICTS = (
    "holds",
    "holds with exceptions",
    "does not hold",
    "a matter of taste",
    "a gap in the proof",
    "a misprint",
    "cannot be checked",
)
COMPARED = "compared: "  # begins the check of a row whose numbers a table has
READ = "by reading"  # and this of a row for which nothing can be computed

solved = cache(solve)  # several claims are about one solution


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The verdict on a claim, one of `VERDICTS`, and what was found, in a few words."""

    verdict: str
    found: str


def verdict_of(holds, found):
    """A Finding of "holds" or "does not hold"."""
    return Finding(verdict=VERDICTS[0] if holds else VERDICTS[2], found=found)


def taste(found):
    """A Finding about words such as "few" or "very high": the numbers are given, and nothing is judged."""
    return Finding(verdict=VERDICTS[3], found=found)


def gap(holds, found):
    """A Finding about an asymptotic bound: what is counted up to some size can hold, or show that a proof has a gap."""
    return Finding(verdict=VERDICTS[0] if holds else VERDICTS[4], found=found)


def misprint(printed, meant, found):
    """A Finding about a slip: "a misprint" if not what is printed holds, but what is meant."""
    return Finding(verdict=VERDICTS[0 if printed else 5 if meant else 2], found=found)


def exceptions(holds, things, found=""):
    """A Finding from many cases: "holds with exceptions" if most of them hold, but not all.

    Parameters
    ----------
    holds : array of bool
        Whether the claim holds, case by case.
    things : str
        What a case is, in the plural.
    found : str, optional
        What else is to be said, for example the first exception.
    """
    holds = np.asarray(holds)
    wrong, cases = int((~holds).sum()), holds.size
    verdict = VERDICTS[0] if not wrong else VERDICTS[1] if 2 * wrong < cases else VERDICTS[2]
    counted = f"not at {wrong:,} of {cases:,} {things}" if wrong else f"at all {cases:,} {things}"
    return Finding(verdict=verdict, found=f"{counted}; {found}" if found else counted)


def checks_of(paper):
    """The functions that check a paper's claims, a dict by claim."""
    return import_module(f".{paper_of(paper).slug.replace('-', '_')}", __package__).CHECKS


def check_claims(paper):
    """Check what a paper says in words.

    Parameters
    ----------
    paper : str

    Returns
    -------
    pandas.DataFrame
        A row for each claim: claim (its name), place (in the paper), said (in a few words), check (how), verdict and
        found, as computed now; as it was read, for the claims that are checked by reading.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    claims = printed_claims(paper)
    tables = claims[claims["check"].str.startswith(COMPARED)].set_index("claim")["check"]
    checks = {
        name: partial(compared, paper, check.removeprefix(COMPARED))
        for name, check in tables.items()
    }
    for name, check in (checks | checks_of(paper)).items():
        finding = check()
        claims.loc[claims["claim"] == name, ["verdict", "found"]] = finding.verdict, finding.found
    return claims


def compared(paper, table):
    """The Finding on the numbers of a table: whether all agree, by the same comparison as the table's own."""
    verdicts = compare(paper, table)["verdict"]
    return exceptions(verdicts == "agree", f"numbers of {table}")
