"""What a function of other people is to be called with: its parameters, read by their names.

Everybody names the own score, the opponent's and the turn total in another way and another order. So a function is
called by the names of its parameters, and the order counts for nothing. A name that says nothing is refused: a wrong
guess would be another strategy.
"""

import inspect
import re
from dataclasses import dataclass

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
    "roll": "roll on the table",
}
WORDS = {  # of the name of a parameter or a column
    OWN: "own me my mine myself player you your",
    OPPONENT: "opponent opponents opp opps other others them their theirs they op enemy rival adversary foe",
    TURN: "turn pending round pot unbanked accumulated running k",
    TARGET: "target goal winning",
    "mode": "mode dice",
    "register": "register registers",
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
    """How a function is called: by the names of its parameters.

    Attributes
    ----------
    told : dict
        By the name of each parameter what it stands for, a key of `MEANINGS`.
    """

    told: dict

    def call(self, function, values):
        """Call the function with `values`, a dict by what they are."""
        return function(**{name: values[role] for name, role in self.told.items()})

    def __str__(self):
        """What the function is told: "player_score is the own score; opponent and turn_total by name"."""
        said = [
            f"{name} is the {MEANINGS[role]}" for name, role in self.told.items() if name != role
        ]
        *most, last = [name for name, role in self.told.items() if name == role] or [""]
        named = f"{', '.join(most)} and {last}" if most else last
        return "; ".join(filter(None, (", ".join(said), named and f"{named} by name")))


def bind_parameters(function, field, has):
    """Read the parameters of a function by their names.

    Parameters
    ----------
    function : callable
    field : str
        The argument of the caller, for messages.
    has : sequence of str
        What the function can be told, keys of `MEANINGS`.

    Returns
    -------
    Parameters

    Raises
    ------
    ValueError
        If it cannot be told what a parameter stands for, or two are the same. The message says how to name them.
    """
    name = shown_name(function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C
        signature = None
    parameters = signature.parameters.values() if signature else ()
    if not signature or any(p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL) for p in parameters):
        said = f"it cannot be told what {name} is to be called with"
        raise ValueError(f"{field}: {said}; give a function with the parameters {TAUGHT}")
    roles = {p.name: role_of(p.name) for p in parameters}
    # i, j and k are those of the literature; i alone may be a loop.
    if roles.keys() >= {"i", "j"} and "k" not in roles:
        roles |= {"i": None, "j": None}
    told = {
        p.name: roles[p.name]
        for p in parameters
        if roles[p.name] in has or (p.default is p.empty and p.kind is not p.VAR_KEYWORD)
    }
    said, taught = f"{field}: {name}{signature}", f"name the parameters {TAUGHT}"
    unknown = [each for each, role in told.items() if role is None]
    if unknown:
        are = "are" if len(unknown) > 1 else "is"
        raise ValueError(
            f"{said} is not allowed; it cannot be told what {' and '.join(unknown)} {are}: {taught}"
            " (what is counted must be part of the game: modes count rolls, registers count turns)"
        )
    for each, role in told.items():
        if role not in has:
            asked = f"asks for {each}, the {MEANINGS[role]}, which there is not"
            raise ValueError(f"{said} {asked}; it can be told {', '.join(has)}")
        same = [other for other in told if told[other] == role]
        if len(same) > 1:
            raise ValueError(
                f"{said}: {' and '.join(same)} would both be the {MEANINGS[role]}; {taught}"
            )
    return Parameters(told)
