"""What a function of other people is to be called with: its parameters, read by their names.

Everybody names the own score, the opponent's and the turn total in another way and another order. So a function is
called by the names of its parameters, and the order counts for nothing. A name that says nothing is refused: a wrong
guess would be another strategy.
"""

import inspect
import re
from dataclasses import dataclass

from ._validation import invalid

__all__ = [
    "MEANINGS",
    "Parameters",
    "bind_parameters",
    "role_of",
    "shown_name",
]

OWN = "own"
OPPONENT = "opponent"
TURN = "turn_total"
TARGET = "target"
MEANINGS = {
    OWN: "own score",
    OPPONENT: "opponent's score",
    TURN: "turn total",
    TARGET: "target",
    "mode": "mode of the dice",
    "register": "own register",
    "scored": "turns that have scored",
    "roll": "roll on the table",
}
WORDS = {  # of the name of a parameter or a column
    OWN: "own me my mine myself player you your",
    OPPONENT: "opponent opponents opp opps other others them their theirs they op enemy rival adversary foe",
    TURN: "turn pending round pot unbanked accumulated running k",
    TARGET: "target goal winning",
    "mode": "mode dice",
    "register": "register registers",
    "scored": "scored memory",
    "roll": "roll rolled",
}
ROLES = {word: role for role, words in WORDS.items() for word in words.split()}
AMOUNTS = {
    "score",
    "scores",
    "total",
    "totals",
    "points",
    "point",
    "pts",
    "banked",
    "at",
}  # what a word is about
ALONE = {"total": TURN, "totals": TURN, "score": OWN, "i": OWN, "j": OPPONENT}
TAUGHT = "own, opponent and turn_total, in any order"


def words_of(name):
    """The words of a name, in lower case: "opScore" and "op_score" are op and score."""
    joined = re.sub("n['’]t\\b", "nt", str(name))
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+", joined)
    return [part.lower() for part in parts if part != "s"]  # the opponent's score


def _roles_in(word):
    """The role that a word stands for, also one written together with an amount: "turntotal", "oppscore"."""
    if word in ROLES:
        return ROLES[word]
    for amount in AMOUNTS:
        if word.endswith(amount) and word.removesuffix(amount) in ROLES:
            return ROLES[word.removesuffix(amount)]
    return None


def role_of(name):
    """What a parameter or a column stands for, by its name: "own", "opponent", "turn_total", …; None if unknown.

    >>> role_of("player_score"), role_of("opTurnTotal"), role_of("myTurnScore"), role_of("x")
    ('own', None, 'turn_total', None)
    """
    words = words_of(name)
    roles = [_roles_in(word) for word in words if word not in AMOUNTS]
    if roles in ([], [None]):
        return ALONE.get(words[0]) if len(words) == 1 else None
    found = set(roles)
    if found == {OWN, TURN}:  # my turn total
        return TURN
    return found.pop() if len(found) == 1 else None


def shown_name(function):
    """The name of a function, of the function behind a partial one, or of the class of an object that is called."""
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", None) or type(inner).__name__
    return "a function" if name == "<lambda>" else name


@dataclass(frozen=True)
class Parameters:
    """How a function is called.

    Attributes
    ----------
    places : tuple of str
        What the positional parameters stand for, keys of `MEANINGS`.
    keywords : tuple of tuple of str
        Pairs: the name of a keyword, and what it stands for.
    names : tuple of str
        The names of all these parameters, as the function has them.
    """

    places: tuple
    keywords: tuple = ()
    names: tuple = ()

    @property
    def roles(self):
        """All that the function is told, a list."""
        return [*self.places, *(role for _, role in self.keywords)]

    def call(self, function, values):
        """Call the function with `values`, a dict by role."""
        return function(
            *(values[role] for role in self.places),
            **{name: values[role] for name, role in self.keywords},
        )

    def __str__(self):
        """What the function is told: "player_score is the own score; opponent and turn_total by name"."""
        pairs = [*zip(self.names, self.roles, strict=True)]
        said = ", ".join(f"{name} is the {MEANINGS[role]}" for name, role in pairs if name != role)
        named = [name for name, role in pairs if name == role]
        listed = " and ".join(filter(None, (", ".join(named[:-1]), *named[-1:])))
        return "; ".join(filter(None, (said, listed and f"{listed} by name")))


def bind_parameters(function, field, has, needs=(), order=()):
    """Read the parameters of a function by their names.

    Parameters
    ----------
    function : callable
    field : str
        The argument of the caller, for messages.
    has : sequence of str
        What the function can be told, keys of `MEANINGS`.
    needs : sequence of str
        What it must ask for.
    order : sequence of str
        The documented order, if there is one for functions that are called by place. Names that say nothing are then
        taken by their places, unless others contradict it.

    Returns
    -------
    Parameters

    Raises
    ------
    ValueError
        If it cannot be told what a parameter stands for, or two are the same. The message says how to name them.
    """
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise invalid(
            field, function, "a function that returns its answer, neither async nor with yield", ()
        )
    taught = (
        " and ".join(filter(None, (", ".join([*needs][:-1]), [*needs][-1])))
        if "roll" in needs
        else TAUGHT
    )
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # some functions written in C
        parameters = None
    name = shown_name(function)
    any_number, any_name = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    kinds = [p.kind for p in parameters or ()]
    if order and kinds == [any_number]:
        return Parameters(tuple(order))
    if parameters is None or any_number in kinds or kinds == [any_name]:
        said = f"it cannot be told what {name} is to be called with"
        raise ValueError(f"{field}: {said}; give a function with the parameters {taught}")
    signature = f"{name}{inspect.signature(function)}"
    if [p.name for p in parameters[:1]] == ["self"]:
        said = "call the class first, or give the method of an object"
        raise ValueError(f"{field}: {signature} has a parameter self; {said}")
    parameters = [p for p in parameters if p.kind is not any_name]  # which is told nothing
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty]
    roles = {p.name: role_of(p.name) for p in parameters}
    # i, j and k are those of the literature; i alone may be a loop.
    if roles.keys() >= {"i", "j"} and "k" not in roles:
        roles |= {"i": None, "j": None}
    unknown = [p.name for p in needed if roles[p.name] is None]
    if unknown and order and len(needed) <= len(order):
        by_place = dict(zip([p.name for p in places], order, strict=False))
        if all(roles[p] in (None, role) for p, role in by_place.items()):
            roles |= {p.name: by_place.get(p.name) for p in needed}
            unknown = [p.name for p in needed if roles[p.name] is None]
    if unknown:
        said = (
            f"it cannot be told what {' and '.join(unknown)} {'are' if len(unknown) > 1 else 'is'}"
        )
        if any({"rolls", "count", "counter", "turns"} & set(words_of(name)) for name in unknown):
            said += " (what is counted must be part of the game: modes count rolls, registers count turns)"
        raise ValueError(
            f"{field}: {signature} is not allowed; {said}: name the parameters {taught}"
        )
    for p in needed:
        if roles[p.name] not in has:
            said = f"asks for {p.name}, the {MEANINGS[roles[p.name]]}, which there is not"
            raise ValueError(f"{field}: {signature} {said}; it can be told {', '.join(has)}")
    told = [p for p in parameters if p in needed or roles[p.name] in has]
    for role in has:
        same = [p.name for p in told if roles[p.name] == role]
        if len(same) > 1:
            said = f"{' and '.join(same)} would both be the {MEANINGS[role]}"
            raise ValueError(f"{field}: {signature}: {said}; name the parameters {taught}")
    missing = [role for role in needs if role not in {roles[p.name] for p in told}]
    if missing:
        said = f"does not ask for {missing[0]}, the {MEANINGS[missing[0]]}"
        raise ValueError(f"{field}: {signature} {said}; name the parameters {taught}")
    # Behind one that keeps its own.
    by_keyword = next((k for k, p in enumerate(places) if p not in told), len(places))
    positional = [p for k, p in enumerate(places) if k < by_keyword]
    keywords = [p for p in told if p not in positional]
    return Parameters(
        tuple(roles[p.name] for p in positional),
        tuple((p.name, roles[p.name]) for p in keywords),
        tuple(p.name for p in (*positional, *keywords)),
    )
