"""Policies as they are played: asked once for all that they decide, held to the rules, and not to change any more.

Whoever follows a policy asks for its decisions here. They are kept in short: what is decided alike against several
opponents once, compressed. So what follows from a policy can be kept, too, by what it decides and not by its name.
"""

import zlib
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from .doors import NoDecision, as_decisions, as_whole, shown
from .games import Game, as_game
from .memory import Kept
from .policies import OptimalPolicy, Policy, as_policy, branching
from .rules_of_thumb import OURS, Rule

__all__ = ["KEPT", "Known", "as_player", "followed", "known"]

KEPT = Kept(64 * 2**20)  # what is known of policies, and how turns end with them


@dataclass(frozen=True)
class Known(Policy):
    """All decisions of a policy in one game, as they were when it was asked.

    Attributes
    ----------
    game : Game
    rows : tuple of bytes
        By own score and memory, decisions to roll and choices taken, compressed; see :func:`packed`.
    name : str
        What the policy calls itself.
    memory : int
    """

    game: Game = field(repr=False)
    rows: tuple = field(repr=False)
    name: str = field(compare=False)
    memory: int

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`; ValueError for another game."""
        return self.row(game, own, memory)[opponent, :, : game.target - own]

    def row(self, game, own, memory=0):
        """See :meth:`Policy.row`; ValueError for another game."""
        return self.both(game, own, memory)[0]

    def takes(self, game, own, memory=0):
        """See :meth:`Policy.takes`; ValueError for another game."""
        return self.both(game, own, memory)[1]

    def both(self, game, own, memory=0):
        """See :meth:`Policy.both`; ValueError for another game."""
        if as_game(game) != self.game:
            mine, other = (f"{g.name} to {g.target}" for g in (self.game, game))
            raise ValueError(f"game: this policy is for {mine}, not {other}")
        target = game.target
        rolls, takes = unpacked(self.rows[own * self.memory + memory], target, len(game.modes), target - own)
        wide = [(0, 0), (0, 0), (0, own)]
        return np.pad(rolls, wide).astype(bool), np.pad(takes, wide)

    def __hash__(self):
        return hash(self.rows)

    @property
    def size(self):
        """How many bytes it takes, about."""
        return sum(map(len, self.rows)) + 40 * len(self.rows)


def packed(rolls, takes):
    """Decisions at one own score in short: against how many opponents in a row they are the same, and what they are."""
    both = np.concatenate([rolls.astype(np.uint8), takes], axis=1)
    new = np.append(True, (both[1:] != both[:-1]).any(axis=(1, 2)))
    return zlib.compress(np.packbits(new).tobytes() + both[new].tobytes(), 1)


def unpacked(row, target, modes, width):
    """What :func:`packed` was given, for `target` opponents, so many modes, and `width` turn totals; as uint8."""
    data = np.frombuffer(zlib.decompress(row), dtype=np.uint8)
    place = -(-target // 8)
    new = np.unpackbits(data[:place], count=target).astype(bool)
    both = data[place:].reshape(new.sum(), -1, width)[new.cumsum() - 1]
    return both[:, :modes], both[:, modes:]


def as_player(value, field):
    """Read `value` as a :class:`Policy` with a memory of at least one state."""
    as_whole(as_policy(value, field).memory, f"{field}.memory", 1)
    return value


def followed(game, **policies):
    """Policies, by the names of the arguments, as they can be followed: those that may change as they are now, Known.

    Returns
    -------
    list of Policy

    Raises
    ------
    ValueError
        Naming the argument, if what a policy decides is no decision, or against the rules.
    """
    found = []
    for field_, policy in policies.items():
        try:
            now = known(game, policy)
        except NoDecision as error:
            raise ValueError(f"{field_}: {error.said}") from None
        found.append(policy if _is_fixed(policy) else now)
    return found


def known(game, policy):
    """What a policy decides in a game; it is asked again, unless it is one that cannot change.

    Raises
    ------
    NoDecision
        A ValueError: if it holds where one may not, or answers with anything but decisions.
    """
    if isinstance(policy, Known):
        return policy
    if type(policy) is OptimalPolicy:
        kept = vars(policy)  # which does not change, is for one game, and may be large
        if "_known" not in kept or kept["_known"].game != game:
            kept["_known"] = _asked(game, policy)
        return kept["_known"]
    if _is_fixed(policy):
        return KEPT.get((game, policy), lambda: _asked(game, policy), lambda found: found.size)
    return _asked(game, policy)


def _is_fixed(policy):
    """Whether a policy decides the same for ever: it is a kind of ours and made of nothing that can be changed."""
    ours = type(policy) is Rule and type(policy.holds) in OURS
    return ours or type(policy) in (OptimalPolicy, Known)


def _asked(game, policy):
    memory = as_whole(policy.memory, "policy.memory", 1)
    rows = tuple(packed(*_decided(game, policy, *state)) for state in product(range(game.target), range(memory)))
    return Known(game, rows, getattr(policy, "name", None) or shown(policy), memory)


def _decided(game, policy, own, memory):
    """What a policy says at one own score, for the totals below the target: decisions to roll and choices."""
    if type(policy) is OptimalPolicy:
        rolls, takes = policy.both(game, own)
    else:
        rolls, takes = policy.row(game, own, memory), policy.takes(game, own, memory)
    size, missing, branches = game.target, game.target - own, branching(game)
    as_decisions(rolls, "row", policy, bool, (size, len(game.modes), size))
    as_decisions(takes, "takes", policy, np.uint8, (size, len(branches), size))
    if (takes >= np.array([len(outcome.choices) for outcome in branches], dtype=int)[:, None]).any():
        raise NoDecision(f"what takes of {shown(policy)} returns are no numbers of choices")
    rolls = rolls[:, :, :missing]
    if not rolls[:, :, 0].all():
        raise NoDecision(f"{shown(policy)} holds at own score {own} and turn total 0; a turn begins with a roll")
    for mode, rolled in zip(game.modes, rolls.transpose(1, 0, 2), strict=True):
        if not mode.may_hold and not rolled.all():
            opponent, total = np.argwhere(~rolled)[0].tolist()
            at = f"at own score {own}, opponent's {opponent} and turn total {total}"
            raise NoDecision(f"{shown(policy)} holds in mode {mode.name!r} {at}; one may not hold there")
    return rolls, takes[:, :, :missing]
