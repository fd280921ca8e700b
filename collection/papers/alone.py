"""Players who ignore the opponent: the strategy of kcddice, its turns to the target; the most points in the long run.

kcddice is P. Hayes, "Kingdom Come: Deliverance - Optimal Dice Strategy", 2022, https://github.com/phlip9/kcddice,
commit 2b2a319. It plays each turn for the largest expected value of the smaller of two numbers: the points of the turn,
and the points to go.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dicelab._shown import name_of, title_of
from dicelab._validation import check_type
from dicelab.engine.race import seated
from dicelab.games.model import LAST_TURN, Game, check_game
from dicelab.policies import OneGamePolicy, branching_outcomes

__all__ = ["FinishesAtOnce", "PointsToGo", "most_points_in_the_long_run", "within_turns"]


@dataclass(frozen=True)
class FinishesAtOnce(OneGamePolicy):
    """A policy that takes every win: after a roll, the choice that reaches the target, and otherwise as another policy.

    A policy that does not look at the target, as that of the most points of a turn, may give up points that would win.

    Parameters
    ----------
    policy : OneGamePolicy
        Of which all other decisions are taken.
    """

    policy: OneGamePolicy

    def __repr__(self):
        return f"<FinishesAtOnce of {title_of(self.game)}: {self.name}>"

    def __post_init__(self):
        check_type(
            self.policy, "policy", OneGamePolicy, "a policy of one game, as that of a solution"
        )
        same = ("game", "memory", "above", "clock", "turns_left")
        vars(self).update({name: getattr(self.policy, name) for name in same})

    @property
    def name(self):
        """The name of the policy, and what is added."""
        return f"{name_of(self.policy)}, taking every win"

    def actions_at(self, game: Game, own: int, memory: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """See :meth:`Policy.actions_at`."""
        rolls, choices = self.policy.actions_at(game, own, memory)
        return rolls, self._taking_wins(game, choices, own)

    def when(self, *, role: int | None = None, turns_left: int | None = None) -> "FinishesAtOnce":
        """See :meth:`Policy.when`."""
        now = self.policy.when(role=role, turns_left=turns_left)
        return self if now is self.policy else FinishesAtOnce(now)  # type: ignore[arg-type]

    def last_turn_at(
        self, game: Game, own: int, beaten: int, memory: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """See :meth:`Policy.last_turn_at`; it decides as the other policy, which knows that points win."""
        return self.policy.last_turn_at(game, own, beaten, memory)

    def _taking_wins(self, game, choices, own):
        """Choices that reach the target where that wins: it may be answered by a last turn, or be too few to hold."""
        missing = game.missing(own)
        if game.finish in LAST_TURN or missing < game.register(own).least_hold:
            return choices
        choices, totals = choices.copy(), np.arange(choices.shape[-1])
        for branch, outcome in enumerate(branching_outcomes(game)):
            for number, choice in sorted(
                enumerate(outcome.choices), key=lambda pair: pair[1].points
            ):
                after = totals + choice.points
                wins = after == missing if game.finish == "exact" else after >= missing
                if game.modes[game.mode(choice.mode)].may_hold:
                    choices[:, branch, wins] = number
        return choices


@dataclass(frozen=True)
class PointsToGo(OneGamePolicy):
    """The policy with the most expected points of a turn, of which no more count than are to go.

    Where two actions are equal, the player holds, or takes the first choice.

    Parameters
    ----------
    game : Game
        Without registers, outcomes of 0 points, and modes in which the player must hold or roll.

    Raises
    ------
    NotImplementedError
        If the game has one of these.
    """

    game: Game
    name: str = field(init=False, default="most points of a turn, up to the target")

    def __repr__(self):
        return f"<PointsToGo of {title_of(self.game)}>"

    def __post_init__(self):
        for mode in check_game(self.game).modes:
            if (
                mode.must_hold
                or not mode.may_hold
                or not all(choice.points for choice in mode.choices)
            ):
                raise NotImplementedError(
                    f"game: {self.game.name} has turns that this policy does not play"
                )

    @cached_property
    def _tables(self):
        """Whether to roll, (own, modes, target), and the choices, (own, B, target), by own score and turn total.

        Backwards over turn totals k, V(m, k) = max(min(k, t), R(m, k)), where t points are to go and R(m, k) is the
        value of a roll in mode m: the average over outcomes of the largest V(m', k + points) of its choices. Beyond t
        points, V is t. All t are computed together.
        """
        game = self.game
        target, most = game.target, game.most_points
        to_go = target - np.arange(target)
        # V by turn total, mode, own score.
        value = np.empty((target + most + 1, len(game.modes), target))
        value[target:] = to_go
        rolls = np.zeros((target, len(game.modes), target), dtype=bool)
        choices = np.zeros((target, len(branching_outcomes(game)), target), dtype=np.uint8)
        roll_of = [_table_of(game, mode) for mode in game.modes]
        for total in range(target - 1, -1, -1):
            branch = 0
            for m, (chances, points, modes, branching) in enumerate(roll_of):
                after = value[total + points, modes]  # by outcome, choice, own score
                best = after.argmax(axis=1)
                rolled = chances @ np.take_along_axis(after, best[:, None], axis=1)[:, 0]
                held = np.minimum(total, to_go)
                rolls[:, m, total] = (rolled > held) & (total < to_go)
                value[total, m] = np.where(total < to_go, np.maximum(rolled, held), to_go)
                choices[:, branch : branch + branching.sum(), total] = best[branching].T
                branch += branching.sum()
        rolls[:, :, 0] = True
        return rolls, choices

    def actions_at(self, game: Game, own: int, memory: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """See :meth:`dicelab.Policy.actions_at`; the opponent's score does not matter."""
        self.check_is_for(game)
        rolls, choices = (table[own] for table in self._tables)
        return tuple(
            np.broadcast_to(table, (game.target, *table.shape)) for table in (rolls, choices)
        )


def _table_of(game, mode):
    """The outcomes with choices: their probabilities, the points and the modes of their choices, and if several.

    An outcome with fewer choices than others repeats its first.
    """
    found = [outcome for outcome in mode.outcomes if outcome.choices]
    width = max(len(outcome.choices) for outcome in found)
    rows = [[*o.choices, *[o.choices[0]] * (width - len(o.choices))] for o in found]
    points = np.array([[choice.points for choice in row] for row in rows])
    modes = np.array([[game.mode(choice.mode) for choice in row] for row in rows])
    chances = np.array([float(outcome.probability) for outcome in found])
    return chances, points, modes, np.array([len(outcome.choices) > 1 for outcome in found])


def within_turns(game, policy, turns):
    """The probability that a policy which ignores the opponent reaches the target within n turns.

    Returns
    -------
    ndarray of float64, (turns + 1,)
        By n = 0, …, turns, from the score 0.
    """
    race = seated(game, [policy], "turns")
    steps, start, within = race.steps, race.positions.start, [0.0]
    reached = finish = np.arange(race.positions.size) == 1
    for _ in range(turns):
        reached = steps @ reached + finish
        within.append(reached[start])
    return np.array(within)


def most_points_in_the_long_run(game, most=400):
    """The most points a turn, on average over endlessly many turns without a target, in a game with registers.

    Relative value iteration. If h(f) is the value of register f relative to the first, a turn from f is played for its
    points, banked or lost, and the h of the register after it. This gives the next h, up to the average.

    Parameters
    ----------
    game : Game
        With registers that all begin in the first mode, with modes in which the player may roll or hold, without
        outcomes of 0 points and without resets.
    most : int
        The turn total at and above which the player holds; a larger one changes the result only where this is reached.

    Returns
    -------
    float
    """
    names = [register.name for register in game.registers]
    held = [names.index(register.after_hold) for register in game.registers]
    bust = [names.index(register.after_bust) for register in game.registers]
    least, penalty = (
        np.array([getattr(r, name) for r in game.registers]) for name in ("least_hold", "penalty")
    )
    roll_of = [(*_table_of(game, mode)[:3], float(mode.chance("bust"))) for mode in game.modes]
    bias, gains = np.zeros(len(names)), np.array([0.0, np.inf])
    # By turn total, mode, register.
    value = np.empty((most + game.most_points, len(roll_of), len(names)))
    while np.ptp(gains) > 1e-11:  # the average is between the least and the largest gain
        lost = bias[bust] - penalty
        value[most:] = np.arange(most, len(value))[:, None, None] + bias[held]
        for total in range(most - 1, -1, -1):
            hold = np.where(total >= least, total + bias[held], -np.inf)
            for m, (chances, points, modes, busts) in enumerate(roll_of):
                value[total, m] = np.maximum(
                    hold, chances @ value[total + points, modes].max(axis=1) + busts * lost
                )
        gains = value[0, 0] - bias
        bias = value[0, 0] - value[0, 0, 0]
    return float(gains.mean())
