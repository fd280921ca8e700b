"""RecordedPolicy: all decisions of a policy in one game, asked once and checked against the rules.

Every evaluation records the policies that it is given, so that a policy that changes later does not change a result.
What follows from a policy can then be cached by its decisions instead of its name.
"""

import zlib
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from ._limits import BoundedCache, check_memory
from ._shown import shorten, title_of
from ._validation import DecisionError, check_decisions, short_repr
from .games.model import LAST_TURN, Game
from .policies import OneGamePolicy, Policy, asked_at, branching_outcomes
from .solution import OptimalPolicy

CACHE = BoundedCache(64 * 2**20)  # records of policies, and their turn outcomes


@dataclass(frozen=True)
class RecordedPolicy(OneGamePolicy):
    """All decisions of a policy in one game, as they were when it was recorded.

    Attributes
    ----------
    game : Game
    rows : tuple of bytes
        Decisions to roll and choices by own score and internal state; see :func:`pack`.
    name : str
        The policy's own name, or its repr.
    memory : int
    read_as : str
        How the strategy was read that somebody brought; "" if there was nothing to read.
    """

    game: Game = field(repr=False)
    rows: tuple = field(repr=False)
    name: str = field(compare=False)
    memory: int
    read_as: str = field(default="", compare=False)
    never_changes = True

    def actions_at(self, game, own, memory=0):
        """See :meth:`Policy.actions_at`."""
        self.check_is_for(game)
        row, known = self.rows[game.index(own) * self.memory + memory], game.missing(own)
        actions = unpack(row, len(game.scores), known)
        actions = np.pad(actions, [(0, 0), (0, 0), (0, game.longest - known)])
        rolls, choices = np.split(actions, [len(game.modes)], axis=1)
        return rolls.astype(bool), choices

    def __repr__(self):
        return f'<RecordedPolicy of {title_of(self.game)}: "{shorten(self.name)}">'

    def __hash__(self):
        return hash(self.rows)


def decisions_change(rolls, choices):
    """By opponent's score, whether the decisions at one own score differ from those against one point less."""
    return np.append(
        True,
        np.any([(part[1:] != part[:-1]).any(axis=(1, 2)) for part in (rolls, choices)], axis=0),
    )


def pack(rolls, choices):
    """Compress the decisions at one own score. Equal decisions against neighbouring opponent's scores are kept once."""
    actions = np.concatenate([rolls.astype(np.uint8), choices], axis=1)
    new = decisions_change(rolls, choices)
    return zlib.compress(np.packbits(new).tobytes() + actions[new].tobytes(), 1)


def unpack(row, target, totals):
    """Decisions to roll and choices as :func:`pack` was given them, (target, modes + choices, totals) of uint8."""
    data = np.frombuffer(zlib.decompress(row), dtype=np.uint8)
    bits = -(-target // 8)
    new = np.unpackbits(data[:bits], count=target).astype(bool)
    return data[bits:].reshape(new.sum(), -1, totals)[new.cumsum() - 1]


def record_policies(game, **policies):
    """A list of the policies in a form that cannot change: records, or the policies themselves if they are immutable.

    The keywords are the names of the caller's arguments. A policy that breaks the rules, or returns anything but
    decisions, raises a ValueError with this name.
    """
    recorded = []
    for name, policy in policies.items():
        try:
            now = record(game, policy)
        except DecisionError as error:
            raise ValueError(f"{name}: {error}") from None
        recorded.append(policy if _is_immutable(policy) else now)
    return recorded


def record(game, policy):
    """The decisions of a policy in a game, a :class:`RecordedPolicy`. Immutable policies are asked once only.

    A policy that decides last turns by a method of its own, as that of a solution, is returned as it is.

    ValueError for a policy of another game; DecisionError, a ValueError, for one that breaks the rules or returns
    anything but decisions.
    """
    if isinstance(policy, OneGamePolicy):
        policy.check_is_for(game)
    # A policy with a last turn of its own may roll above the target, where no record looks.
    chases = game.finish in LAST_TURN and type(policy).last_turn_at is not Policy.last_turn_at
    if isinstance(policy, RecordedPolicy) or policy.above or chases:
        return policy
    if type(policy) is OptimalPolicy:  # the record may be large: it lives as long as the policy
        if "_record" not in vars(policy):
            vars(policy)["_record"] = ask_all(game, policy)
        return vars(policy)["_record"]
    if _is_immutable(policy):
        return CACHE.get(
            (game, policy),
            lambda: ask_all(game, policy),
            lambda made: sum(40 + len(row) for row in made.rows),
        )
    return ask_all(game, policy)


def _is_immutable(policy):
    """Whether a policy is of a kind of ours that always decides the same, and not of a class derived from it."""
    return "never_changes" in vars(type(policy)) and policy.never_changes


def ask_all(game, policy):
    """All decisions of a policy, checked against the rules, a RecordedPolicy."""
    size = len(game.scores) * (len(game.modes) + len(branching_outcomes(game))) * game.longest
    # So many bytes for each decision at one own score, while a policy is asked for them.
    check_memory(10 * size, f"recording a policy of {title_of(game)}", "take a smaller target")
    rows = tuple(
        pack(*held_to_rules(game, policy, *state))
        for state in product(game.scores, range(policy.memory))
    )
    name = getattr(policy, "name", None) or short_repr(policy)
    return RecordedPolicy(game, rows, name, policy.memory, policy.read_as)


def held_to_rules(game, policy, own, memory):
    """The checked decisions and choices of a policy at one own score, for the turn totals below the target."""
    rolls, choices = policy.actions_at(game, own, memory)
    missing = game.missing(own)
    size = len(game.scores)
    most = [[len(outcome.choices)] for outcome in branching_outcomes(game)]
    check_decisions(rolls, "decisions_at", policy, bool, (size, len(game.modes), game.longest))
    check_decisions(choices, "choices", policy, np.uint8, (size, len(most), game.longest))
    if most and (choices >= np.array(most)).any():
        raise DecisionError(
            f"what choices of {short_repr(policy)} returns must be numbers of choices"
        )
    free, forced = asked_at(game, own)[..., :missing]
    free[:, 0], forced[:, 0] = False, True  # a turn begins with a roll
    wrong = np.argwhere(~free & (rolls[:, :, :missing] != forced))
    if len(wrong):
        opponent, mode, total = wrong[0].tolist()
        does, must = ("holds", "roll") if forced[mode, total] else ("rolls", "hold")
        where = f"mode {game.modes[mode].name!r} at own score {own}, opponent's {opponent} and turn total {total}"
        raise DecisionError(f"{short_repr(policy)} {does} in {where}; one must {must} there")
    return rolls[:, :, :missing], choices[:, :, :missing]
