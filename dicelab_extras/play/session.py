"""A game in progress: the dice, the scores, the options of the player to move, and the loss of every decision.

The terminal and the notebooks show a `GameSession` and ask for decisions; nothing here prints. Usually one side is a
person and the others are optimal players. The rules and the review are the same for all.
"""

import math
import secrets
from collections import Counter
from itertools import islice, takewhile
from typing import NamedTuple

import numpy as np
import pandas as pd

from dicelab._accuracy import TIE
from dicelab._recorded import record_policies
from dicelab._shown import name_of, title_of
from dicelab._validation import (
    check_int,
    check_name,
    check_sequence,
    check_type,
    invalid,
    short_repr,
)
from dicelab.evaluation.action_values import check_solved, turn_action_values, turn_chances
from dicelab.games.model import LAST_TURN, RESET, check_game, roles_of
from dicelab.policies import branch_of
from dicelab.strategies import read_strategy

from .situation import Situation

__all__ = ["DRAW", "Decision", "Event", "GameSession", "Option", "say_loss"]

DRAW = -1  # in place of the winner
NEW_SEEDS = 1_000_000  # six digits are easy to note down


class Option(NamedTuple):
    """An action that the player to move may take."""

    name: str  # "roll", "hold", or a choice: the dice that are kept, "keep 1 5", or those that are taken, "5 dice"
    value: (
        float  # the probability to win the race with this action and optimal play of all afterwards
    )
    chances: tuple  # that of every player, by number: what the action does to the others
    safe: (
        float | None
    )  # with more than two players, the probability that the turn does not bust any more


class Decision(NamedTuple):
    """A decision that was made between several options."""

    turn: int  # of the game, 1, 2, …
    player: int  # 0, 1, …
    own: int
    opponent: int | tuple  # the scores of all others in order of play, if there are more than one
    total: int  # the turn total before the decision
    rolled: str  # the dice on the table, if some were to be kept
    action: str
    best: str
    loss: float  # of win probability, 0 for the best option and for its equals


class Event(NamedTuple):
    """A roll, a choice of dice or a hold."""

    turn: int
    player: int
    dice: tuple  # the faces that were rolled; () for a choice or a hold
    said: str  # "rolled 4: turn total 12"


def _orders(roll):
    """The number of orders in which a roll can fall."""
    return math.factorial(len(roll)) / math.prod(map(math.factorial, Counter(roll).values()))


class GameSession:
    """A race between two or more players, one decision at a time.

    Options are judged by the solution: by the probability to win if everybody goes on optimally. Where the solution
    mixes two turns, the session draws one of them at the start of the turn, and takes it for optimal. A turn that
    reaches the target is banked. If the other player has a last turn then, one may hold or roll on up to where every
    hold is right; in a last turn up to where the player is ahead. A draw counts as half a win.

    Parameters
    ----------
    solution : Solution
        Of the game, objective "win".
    seed : int, optional
        Of the dice: the same seed and the same decisions give the same game. By default a new one.
    names : sequence of str, optional
        The names of the players in order of play. By default the first one is "You".
    policies : dict, optional
        Strategies by player, 0, 1, …, for :meth:`reply`: policies, or whatever else plays, see
        :mod:`dicelab.strategies`. A policy for two plays against the leader of the others. A
        player without one plays optimally.
    start : Situation, optional
        Where the game begins, player 0 to move; by default with all scores at 0. If it is within a turn, and the
        solution mixes two turns, it is that which is played more often.

    Raises
    ------
    ValueError
        If an argument is invalid, or a turn is over at the `start`.

    Attributes
    ----------
    scores : list of int
        The banked points of all players; in a game with registers each is a :class:`dicelab.Score`. In a last turn that
        of the other player is the score to beat, at least the target.
    player : int
        The player to move, 0, 1, ….
    turn : int
        The number of the turn, from 1.
    total : int
        The turn total.
    rolled : tuple of int
        The dice of the last roll; () if the rules do not name the dice.
    winner : int or None
        -1 after a draw; None while the game goes on.
    decisions : list of Decision
        All decisions so far between several options.
    events : list of Event
        Every roll, choice of dice and hold so far.
    seed : int
        Of the dice.

    Examples
    --------
    >>> import dicelab as dl
    >>> session = GameSession(dl.solve(dl.pig(target=30)), seed=2)
    >>> while session.winner is None:
    ...     session.take(session.best().name)
    >>> session.loss(0)
    0.0
    """

    def __init__(self, solution, seed=None, names=None, policies=None, start=None):
        if check_solved(solution, ("win",)).against is not None:
            raise invalid(
                "solution",
                solution,
                "what dicelab.solve(game) returns; a best response says what one player does, not what all do",
            )
        self.solution, self.game = solution, solution.game
        check_game(self.game, "solution", last_turn=not (self.game.loses or self.game.points))
        self.players = getattr(solution, "players", 2)
        self.policies = check_policies(policies, solution, self.players)
        self.names = check_names(names, self.players, self.policies)
        self.seed = secrets.randbelow(NEW_SEEDS) if seed is None else check_int(seed, "seed", 0)
        self.random = np.random.default_rng(self.seed)
        self.scores, self.scored = [self.game.after_reset] * self.players, [0] * self.players
        self.turn, self.rolled, self.winner, self.opener = 0, (), None, 0
        self.decisions, self.events, self.sharing = [], [], ()
        self._start_turn(0)
        if start is not None:
            self.go_to(start)
            reaches = self.total >= self.enough and self.mode.may_hold and not self.rolled
            if reaches or (self.rolled and not self.pending) or not self.options():
                raise ValueError(
                    f"start: {start!r} is not allowed; give one in which the turn is not over"
                )

    def go_to(self, situation):
        """Go to a situation, with the player to move as player 0; ValueError if it is not one of this game."""
        check_type(
            situation,
            "start",
            Situation,
            "a Situation, for example parse_situation('pig 100: 30-45 +22')",
        )
        if situation.game != self.game or len(situation.scores) != self.players:
            allowed = f"a situation of {title_of(self.game)} with {self.players} players"
            raise invalid("start", situation, allowed)
        self.player, self.scores, self.total = 0, [*situation.scores], situation.turn_total
        self.opener = -(situation.role or 0) % self.players
        self.bold = bool(self._bold_share() > 0.5)
        self.action_values = self._values()
        self.mode, outcome = situation.place
        self.rolled, self.pending = situation.roll, ()
        if outcome is None:
            self._ask()
        else:
            self._let_choose(outcome)

    @property
    def situation(self):
        """The game as the player to move sees it, a :class:`~dicelab_extras.play.situation.Situation`; None at its end.

        ValueError where the player has a choice after a roll whose dice the rules do not name.
        """
        if self.winner is not None:
            return None
        if self.pending and not (self.rolled or self.mode.asks):
            said = "the rules do not name the dice of this roll, so that no situation says what was rolled"
            raise ValueError(f"{self.game.name}: {said}")
        begins = (
            not self.total
            and self.mode.name == self.game.modes[self.game.mode(self.register.mode)].name
        )
        roll = self.rolled if self.pending else ()
        several_kinds = any(len(mode.kinds) > 1 for mode in self.game.modes)
        untold = len(self.game.modes) == 1 or (not several_kinds if roll else begins)
        mode = None if untold else self.mode.name
        return Situation(self.game, (self.own, *self.others), self.total, mode, roll, self.role)

    def _start_turn(self, player):
        self.player, self.turn, self.total = player, self.turn + 1, 0
        self.mode, self.pending = self.game.modes[self.game.mode(self.register.mode)], ()
        share = self._bold_share(self.policies.get(player))
        self.bold = bool(share > 0 and (share >= 1 or self.random.random() < share))
        self.action_values = self._values()
        self._ask()

    def _bold_share(self, policy=None):
        """How often the bold turn is played; with more than two players by a policy, or by the solution's."""
        if self.players == 2:
            return 0
        mixed = policy if policy is not None and policy.players > 2 else self.solution.policy
        return mixed.when(role=self.role).bold_share(self.own, self.others)

    def _values(self):
        """The action values of the turn."""
        if self.players == 2:
            return turn_action_values(self.solution, self.own, *self.others, role=self.role)
        return turn_chances(self.solution, self.own, self.others, self.bold, self.role)

    @property
    def role(self):
        """In "equal turns": 0 if the player to move is the first in the round, 1 if the next, … Otherwise None."""
        roles = roles_of(self.game, self.players)
        return (self.player - self.opener) % roles if roles > 1 else None

    @property
    def to_beat(self):
        """In a last turn the score to beat; otherwise None."""
        best = max(map(int, self.others))
        return best if best >= self.game.target else None

    @property
    def still(self):
        """In a last turn the players who have one after this, in order of play, a tuple."""
        if self.to_beat is None:
            return ()
        if self.role is not None:
            return self.next_players[: self.players - 1 - self.role]
        return (*takewhile(lambda p: self.scores[p] < self.game.target, self.next_players),)

    @property
    def answered(self):
        """Whether others have a last turn if this player reaches the target."""
        last = self.role == self.players - 1
        return self.game.finish in LAST_TURN and self.to_beat is None and not last

    @property
    def enough(self):
        """The turn total with which a player who may hold does so: the target, unless there is a last turn."""
        if self.game.finish in LAST_TURN:
            return len(self.action_values.hold) - self.game.most_points
        return self.game.missing(self.own)

    @property
    def least(self):
        """The fewest points that a hold may bank; in a last turn, so that it does not lose."""
        least = self.register.least_hold
        if self.to_beat is None:
            return least
        return max(least, self.to_beat - int(self.own) + (self.game.finish == "last licks"))

    @property
    def about_last_turn(self):
        """What a last turn asks for, or what a hold leaves to the other player, as a part of a sentence; else ""."""
        draw = " to beat, and an equal score draws" if self.role is not None else " to beat"
        if self.winner is None and self.to_beat is not None:
            return f"last turn: {self.game.with_unit(self.to_beat)}{draw}"
        points = int(self.own) + self.total
        if self.winner is None and self.answered and points >= self.game.target:
            whom = "the opponent" if self.players == 2 else "each of the others"
            return (
                f"a hold leaves the last turn to {whom}, with {self.game.with_unit(points)}{draw}"
            )
        return ""

    @property
    def own(self):
        """The banked score of the player to move."""
        return self.scores[self.player]

    @property
    def register(self):
        """What the player to move remembers of earlier turns, a :class:`dicelab.Register`."""
        return self.game.register(self.own)

    @property
    def cannot_hold(self):
        """Why the points of the turn are too few to hold, as a part of a sentence; "" if they are enough."""
        least = self.least
        if (
            self.winner is not None
            or self.pending
            or not self.mode.may_hold
            or self.total >= least
            or least == 1
        ):
            return ""
        needed = self.game.with_unit(least)
        if self.to_beat is not None:
            return f"a hold with less than {needed} in this turn loses"
        return f"at least {needed} are needed to hold"

    @property
    def others(self):
        """The banked scores of the other players in order of play, a tuple."""
        return tuple(self.scores[player] for player in self.next_players)

    @property
    def next_players(self):
        """The other players in order of play, a tuple."""
        return (*range(self.player + 1, self.players), *range(self.player))

    def options(self):
        """The options of the player to move, a list of Option; empty once the game is over."""
        if self.winner is not None:
            return []
        hold, roll, best = self.action_values
        if self.pending:
            after = [(c.mode, self.total + c.points) for c in self.pending]
            names = names_apart(self.pending)
            return [
                self._option(name, self._value(best, *at))
                for name, at in zip(names, after, strict=True)
            ]
        options = []
        if not self.mode.must_hold:
            options.append(self._option("roll", self._value(roll, self.mode.name, self.total)))
        if self.mode.may_hold and self.total >= self.least:
            options.append(self._option("hold", hold[min(self.total, len(hold) - 1)]))
        return options

    def _option(self, name, value):
        """An option, from an entry of the action values: the own chance or, with more players, everybody's by seat."""
        *by_seat, safe = (value, 1 - value, None) if self.players == 2 else value
        return Option(name, float(by_seat[0]), self._by_player(by_seat), safe)

    def _by_player(self, by_seat):
        """Chances by player, a tuple, from those by seat."""
        return tuple(np.roll(np.array(by_seat, dtype=float), self.player).tolist())

    def best(self):
        """The option that the optimal player takes. With equal values it holds, or keeps the first option's dice.

        With more than two players, of equal options it takes the one with the smallest risk of a bust; in a bold turn,
        which the optimal player of a mixed equilibrium draws, the one with the largest.
        """
        options = self.options()
        highest = max(option.value for option in options)
        equal = [option for option in options if option.value >= highest - TIE]
        if self.players == 2:
            return equal[0 if self.pending else -1]
        if self.bold:
            return min(equal, key=lambda option: (option.safe, option.name != "hold"))
        return max(equal, key=lambda option: (option.safe, option.name == "hold"))

    def played(self):
        """The option that the policy of the player to move takes; without one, the :meth:`best`."""
        policy = self.policies.get(self.player)
        options = self.options()
        decided = self.total >= self.enough and self.game.finish not in LAST_TURN
        if policy is None or len(options) < 2 or decided:
            return self.best()
        now, opponent = self.asked(policy)
        memory, role = min(self.scored[self.player], policy.memory - 1), self.role
        if role is not None and policy.players == 2:  # the second role has last turns, or the last
            role = int(self.to_beat is not None or role == self.players - 1)
        if self.pending:
            asked = self.game, self.own, opponent, memory, role, None
            _, taken = now.turn_at(*asked, choices=True)
            return options[int(taken[self.branch, min(self.total, taken.shape[1] - 1)])]
        where = self.own, opponent, self.total, self.mode.name
        rolls = now.rolls(*where, game=self.game, memory=memory, role=role)
        return options[0 if rolls else 1]

    def asked(self, policy):
        """A policy as it plays this turn, and the scores it looks at: those of all others, or that of their leader."""
        if policy.players > 2:
            return policy.when(bold=self.bold), self.others
        return policy, max(self.others)

    def chance(self, player=0):
        """The probability that a player wins if all play optimally from here on."""
        if self.winner is not None:
            having = self.sharing or (self.winner,)
            return (player in having) / len(having)
        # A mixture, before the turn is drawn.
        if self.players > 2 and self.to_beat is None and not (self.total or self.pending):
            chances = self.solution.at(self.own, self.others, role=self.role)
            return self._by_player(chances)[player]
        return self.best().chances[player]

    def take(self, name):
        """Take one of the options, and roll the dice if it says so.

        Parameters
        ----------
        name : str
            The name of one of the :meth:`options`.

        Raises
        ------
        ValueError
            If there is no such option now. Nothing has changed then.
        """
        options = {option.name: option for option in self.options()}
        if not isinstance(name, str) or name not in options:
            allowed = ", ".join(options) or "no option: the game is over"
            allowed += f"; {self.cannot_hold}" if name == "hold" and self.cannot_hold else ""
            raise ValueError(f"option: {short_repr(name)} is not allowed; now there is {allowed}")
        if len(options) > 1:
            best = self.best()
            loss = best.value - options[name].value
            loss = loss if loss > TIE else 0.0
            dice = _join(self.rolled) if self.pending else ""
            others = self.others if self.players > 2 else self.others[0]
            made = self.own, others, self.total, dice, name, best.name, loss
            self.decisions.append(Decision(self.turn, self.player, *made))
        if self.pending:  # also of modes that are called "roll" or "hold"
            self._keep(self.pending[names_apart(self.pending).index(name)])
        elif name == "roll":
            self._roll()
        else:
            self._bank()

    def reply(self, *players):
        """Let the policies of some players play while it is their turn; by default of all but the first one."""
        players = players or range(1, self.players)
        while self.winner is None and self.player in players:
            self.take(self.played().name)

    def loss(self, player=0):
        """The total loss of a player's decisions so far, in win probability."""
        return float(sum(decision.loss for decision in self.decisions if decision.player == player))

    def review(self, player=0):
        """A player's decisions, a DataFrame with the fields of :class:`Decision` except the player.

        In a game with registers its scores are texts: "30 (opened)".
        """
        decisions = [decision for decision in self.decisions if decision.player == player]
        if self.game.registers:
            decisions = [
                made._replace(own=str(made.own), opponent=str(made.opponent)) for made in decisions
            ]
        return pd.DataFrame(decisions, columns=Decision._fields).drop(columns="player")

    def mistakes(self, player=0):
        """Those rows of the :meth:`review` that cost something, the worst first."""
        decisions = self.review(player)
        return decisions[decisions["loss"] > 0].sort_values("loss", ascending=False, kind="stable")

    def verdict(self, player=0):
        """The number of a player's mistakes, and what they cost, as a sentence."""
        decisions, wrong = len(self.review(player)), len(self.mistakes(player))
        if not wrong:
            return f"No mistake: {'every decision was optimal' if decisions else 'there was nothing to decide'}."
        mistakes = "1 mistake" if wrong == 1 else f"{wrong} mistakes"
        return f"{mistakes} in {decisions} decisions, at a cost of {say_loss(self.loss(player))} of a win."

    @property
    def log(self):
        """A sentence for each event."""
        return [f"{self.names[event.player]} {event.said}." for event in self.events]

    def last_turn(self, player=0):
        """The events of the latest turn in which a player has rolled, a list of Event."""
        events = [event for event in self.events if event.player == player]
        return [event for event in events if event.turn == events[-1].turn]

    def _value(self, values, mode, total):
        """An entry of the action values. Their last column stands for all larger totals, all beyond the target."""
        return values[self.game.mode(mode), min(total, values.shape[1] - 1)]

    def _ask(self):
        """In a mode with a choice before the roll, let the player take it before any dice are rolled."""
        if self.mode.asks:
            self.rolled = ()
            self._let_choose(self.mode.outcomes[0])
            if len(self.pending) == 1:
                self._keep(*self.pending)

    def _roll(self):
        while True:
            outcome, self.rolled = self.draw()
            faces = _join(self.rolled)
            if not self.mode.repeats(outcome):
                break
            said = f"rolled {faces or 'no points'}: nothing changes, the dice are rolled again"
            self._note(said, self.rolled)
        self._let_choose(outcome)
        if len(self.pending) == 1:
            self._keep(*self.pending)
        elif self.pending:
            ways = " or ".join(choice.name for choice in self.pending)
            self._note(f"rolled {faces or f'a choice: {ways}'}", self.rolled)
        elif outcome.result == RESET:
            self.scored[self.player] = 0
            event = f"rolled {faces or 'a reset'}: all banked points are lost"
            self._end(event, self.game.after_reset, "so is the game", self.rolled)
        else:
            self._bust(f"rolled {faces or 'a bust'}", self.rolled)

    def draw(self):
        """The outcome of a roll, at random, and the dice."""
        outcomes = self.mode.outcomes
        chances = [float(outcome.probability) for outcome in outcomes]
        outcome = outcomes[int(self.random.choice(len(outcomes), p=chances))]
        return outcome, self._dice_of(outcome)

    def _let_choose(self, outcome):
        """Let the player take one of the choices of an outcome."""
        self.pending = outcome.choices
        if len(outcome.choices) > 1:
            self.branch = branch_of(self.game, self.mode, outcome)

    def _dice_of(self, outcome):
        """One of the rolls that lead to an outcome, with the dice in random order; () if the rules do not name them."""
        if not outcome.rolls:
            return ()
        kinds = self.mode.kinds if len(self.mode.kinds) > 1 else (len(outcome.rolls[0]),)
        hands = [[[*islice(dice, number)] for number in kinds] for dice in map(iter, outcome.rolls)]
        ways = [math.prod(map(_orders, hand)) for hand in hands]
        hand = hands[self.random.choice(len(ways), p=np.array(ways) / sum(ways))]
        return tuple(int(face) for dice in hand for face in self.random.permutation(dice))

    def _keep(self, choice):
        """Add a choice's points and continue in its mode; bank at the target, if the player may hold in this mode."""
        total, target = self.total + choice.points, self.game.target
        asked = self.mode.asks
        event, dice = f"rolled {_join(self.rolled) or choice.points or 'no points'}", self.rolled
        if asked or len(self.pending) > 1:
            event, dice = f"chose {choice.name}", ()
            event = f"kept {_join(choice.aside)}" if choice.aside and not asked else event
        self.pending = ()
        if self.own + total > target and self.game.finish == "exact":
            return self._bust(f"{event} and overshot the target", dice)
        self.total, self.mode = total, self.game.modes[self.game.mode(choice.mode)]
        again = "" if self.mode.may_hold or self.mode.asks else ", and must roll again"
        banked = f": turn total {self.game.with_unit(total)}{again}"
        self._note(event if asked else f"{event}{banked}", dice)
        hits = total >= self.enough and self.mode.may_hold
        if (self.mode.must_hold or hits) and total < self.register.least_hold:
            must = "hit the target" if hits else "must hold"
            self._bust(f"{must}, but {self.cannot_hold}")
        elif self.mode.must_hold or hits:
            self._bank()
        else:
            self._ask()

    def _bust(self, event, dice=()):
        """End the turn without its points, perhaps with a penalty, or with the points that a bust scores."""
        before, after = self.own, self.game.after_bust(self.own)
        points = self.game.with_unit(abs(int(after - before)))
        cost = f", and {points} as a penalty" if before > after else ""
        cost = f", and {points} scored instead" if before < after else cost
        self._end(f"{event}: the points of the turn are lost{cost}", after, "so is the game", dice)

    def _bank(self):
        points = int(self.own + self.total)
        after = self.game.after_hold(self.own, self.total) if points < self.game.target else points
        self.scored[self.player] += 1
        held, banked = self.game.with_unit(self.total), self.game.with_unit(points)
        self._end(f"held at {held}: {banked} banked", after, "the game is lost")

    def _end(self, event, after, loses, dice=()):
        """End the turn, and perhaps the game, at the score `after`; `loses` says that it is lost."""
        before, points, to_beat, still = self.own, int(after), self.to_beat, self.still
        self.scores[self.player] = after if points < self.game.target else points
        if to_beat is None and points < self.game.target:
            self._note(f"{event}{self._changed(before)}", dice)
        elif (to_beat is None and self.answered) or (still and points > to_beat):
            self._note(f"{event}, to be beaten in a last turn", dice)
        elif still:
            self._note(event, dice)
        else:
            best, others = max(points, to_beat or 0), self.next_players
            having = [p for p in (self.player, *others) if int(self.scores[p]) == best]
            if self.role is None and best == to_beat:  # who had it first
                having = [p for p in others if p in having][:1]
            shared, mine = len(having) > 1, self.player in having
            lost = "" if mine else f", and {loses}"
            self._note(f"{event}, a draw" if shared and mine else f"{event}{lost}", dice)
            if mine and not shared:
                self._note(f"won with {self.game.with_unit(points)}")
            self.sharing = tuple(having) if shared else ()
            self.winner = DRAW if shared else having[0]
        if self.winner is None:
            self._start_turn((self.player + 1) % self.players)

    def _changed(self, before):
        """What a turn that began with a score has changed besides points, as the end of a sentence."""
        if not self.game.registers:
            return ""
        points = f"{self.game.with_unit(int(self.own))}, " if self.own < before else ""
        same = self.own.register == before.register and not points
        return "" if same else f"; now {points}{self.own.register}"

    def _note(self, event, dice=()):
        self.events.append(Event(self.turn, self.player, dice, event))


def names_apart(choices):
    """The names of choices; of dice of several kinds "keep 1" may leave one hand or another, which is said then."""
    names = [choice.name for choice in choices]
    return [
        name if names.count(name) == 1 else f"{name} (then {choice.mode})"
        for name, choice in zip(names, choices, strict=True)
    ]


def check_policies(policies, solution, players):
    """Read `policies` as a dict of policies for the game of a solution, by player."""
    policies = check_type(
        {} if policies is None else policies,
        "policies",
        dict,
        "a dict: policies by player, 0, 1, …",
    )
    read = dict(policies)
    for player, policy in policies.items():
        check_int(player, "policies", 0, players - 1)
        if getattr(policy, "players", 2) > 2:
            policy.check_is_for(solution.game, players)
        else:
            field = f"policies[{player}]"
            (read[player],) = record_policies(
                solution.game, **{field: read_strategy(solution.game, policy, field)}
            )
    return read


def check_names(names, players, policies):
    """Read `names` as the names of all players; by default from their policies."""
    if names is None:
        if players == 2 and not policies:
            return "You", "The optimal player"
        rules = [
            name_of(policies[player]) if player in policies else "optimal"
            for player in range(players)
        ]
        known = [f"Player {number} ({rule})" for number, rule in enumerate(rules, start=1)]
        return tuple(known if 0 in policies else ["You", *known[1:]])
    allowed = "two names" if players == 2 else f"{players} names"
    names = [check_name(name, "names", allowed) for name in check_sequence(names, "names", allowed)]
    if len(names) != players:
        raise invalid("names", names, allowed)
    return tuple(names)


def say_loss(loss):
    """A loss of win probability as a percentage; a small one is not rounded to nothing."""
    return f"{loss:.2%}" if loss >= 0.0001 else "less than 0.01%"


def _join(faces):
    return " ".join(map(str, faces))
