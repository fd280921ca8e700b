"""Claims: what a paper says in words, how each sentence is checked, and the verdict.

``data/published/<paper>/claims.csv`` has a row for each remark, caption, proposition or algorithm that we check: what
a paper says about games and algorithms, but not every sentence. A function of the module of the paper checks it. It
returns a :class:`Finding`: the verdict, and in a few words what was found. The file keeps both, so that they can be
read without running anything, and the tests compare.
Misprints of the text, references and names are not claims: each notebook lists them in one paragraph.

The functions know the paper's own game and no other: a claim is about what the paper printed.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module

import numpy as np

from dicelab.evaluation.solving import solve

from ..published import paper_of, printed_claims

__all__ = [
    "VERDICTS",
    "Finding",
    "check_claims",
    "checks_of",
    "exceptions",
    "gap",
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
)

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
        A row for each claim: claim (its name), place (in the paper), quote, check (how), verdict and found, as computed
        now.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    claims = printed_claims(paper)
    for name, check in checks_of(paper).items():
        finding = check()
        claims.loc[claims["claim"] == name, ["verdict", "found"]] = finding.verdict, finding.found
    return claims
