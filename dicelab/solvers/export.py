"""Export: a race for model checkers, which compute its value by themselves.

Two kinds of files describe the same states. `State` says what they are. Its fields are the variables in both, places as
scores and registers, where a game has more than one value of them.

**One player, a file .umb.** One seat decides, the other one plays a fixed policy. This is a Markov decision process, in
the binary format UMB (Unified Markov Binary), with exact probabilities. Storm reads it. Let v be the value of the race
to the player who moves first. Against any policy of seat 2, seat 1 wins with at least probability v by its best
response, and against an optimal one with exactly v. With the seats exchanged, seat 2 wins against any policy of seat 1
with at least 1 - v. So two files prove the value, whoever made their policies: if the best response of seat 1 to one
policy wins with p, and that of seat 2 to another policy with 1 - p, then v = p.

**Two players, a file .prism.** Both decide. This is a turn-based stochastic game, a text in the language of
PRISM-games.

A state is labelled "won" if the deciding player, in a text player 1, has reached the target, and "lost" if the other
one has. The best response is ``Pmax=? [ F "won" ]``; the value of the two-player game is ``<<p1>> Pmax=? [ F "won" ]``.
Play that never ends is not won. :func:`dicelab.solve` counts it as half a win. So the two differ where play may be
endless, as it may only be if the target must be hit exactly, or if one can always choose not to score.

Nothing of the solvers is in these files but the decisions of the fixed policy: no values, no turn outcomes, and every
roll is a state of its own. The text is written from the rules once more, command by command, without these states.
Tests expand it and compare the two.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from fractions import Fraction
from functools import cache, cached_property
from importlib.metadata import version
from typing import NamedTuple

from .._extras import extra
from .._files import atomic_write
from .._limits import check_memory, progress
from .._recorded import record_policies
from .._shown import name_of, shorten, title_of
from .._validation import check_int, check_path
from ..games.absorption import choices_are_ranked
from ..games.model import BUST, LAST_TURN, RESET, Game, check_game
from ..games.named import read_game
from ..games.positions import classes_of
from ..games.registers import scores_of
from ..policies import branch_index, branching_outcomes
from ..strategies import Strategy, read_strategy
from . import solve

__all__ = ["PROPERTIES", "Process", "Race", "State", "decision_process", "export", "prism_text"]

PROPERTIES = {
    ".umb": 'Pmax=? [ F "won" ]',
    ".prism": '<<p1>> Pmax=? [ F "won" ]',
}  # to check, by ending
SCORE = 200  # bytes of a score with all that follows from it, for the text of PRISM
STATE = 3500  # bytes of a state with its actions, with all that is made of it for UMB
TEXT = """\
// {title}, a race of two players, as a turn-based stochastic game.
// The value, the probability that player 1 wins if both play optimally:
//     {value}
{legend}

smg

const int target = {target};

player p1 {names[0]}, [end] endplayer
player p2 {names[1]} endplayer

formula playing = score1<target & score2<target;
formula missing1 = {missing[0]};  // points that a turn must bank to win
formula missing2 = {missing[1]};  // points that a turn must bank to win

module race
{variables}

  // Player 1
{commands[0]}

  // Player 2
{commands[1]}

  [end] !playing -> true;
endmodule

label "won" = score1=target;
label "lost" = score2=target;
"""
WORD = 64  # bits of a numerator, and of a denominator, as UMB has them by default


class State(NamedTuple):
    """Where a race is.

    Attributes
    ----------
    turn : int
        Whose turn it is: 1, the player who moves first in the game, or 2.
    places : tuple of int
        The scores of player 1 and player 2, by their places in ``game.scores``. A player who has won has a place beyond
        these, that of exactly `target` points.
    total : int
        The turn total; at most what is missing, as points beyond the target do not count.
    mode : int
        The number of the mode, from 0.
    rolled : int
        0 before a roll. After a roll with several choices, the number of its outcome among all such outcomes, from 1.
    """

    turn: int
    places: tuple[int, int]
    total: int
    mode: int
    rolled: int


class Race:
    """The rules of a race as moves between states.

    Parameters
    ----------
    game : Game
    """

    def __init__(self, game):
        self.game, self.scores = game, scores_of(game)
        self.begins = classes_of(game).mode.tolist()
        self.branches, self.branch_index = branching_outcomes(game), branch_index(game)

    @property
    def start(self):
        """The state at the start of the game."""
        return State(1, (self.scores.begin,) * 2, 0, self.begins[0], 0)

    def own(self, state):
        """The place of the player to move, and the points that a turn must bank to reach the target."""
        place = state.places[state.turn - 1]
        return place, int(self.scores.missing[place])

    def winner(self, state):
        """The player who has won, 1 or 2; 0 while the race goes on."""
        most = len(self.game.scores)
        return next((k for k, place in enumerate(state.places, 1) if place >= most), 0)

    def ended(self, state, end):
        """The state after a hold, a bust or a reset; points beyond the target do not count."""
        scores, other, (own, _) = self.scores, 3 - state.turn, self.own(state)
        held = scores.after_hold[own] + state.total * scores.step
        place = int({"hold": held, BUST: scores.after_bust[own], RESET: scores.begin}[end])
        place = min(place, len(self.game.scores) + place % scores.step)
        places = (place, state.places[1]) if state.turn == 1 else (state.places[0], place)
        return State(other, places, 0, self.begins[places[other - 1] % scores.step], 0)

    def chosen(self, state, choice):
        """The state after a choice."""
        own, missing = self.own(state)
        total, mode = state.total + choice.points, self.game.mode(choice.mode)
        too_few = total == missing < self.scores.least_hold[own] and self.game.modes[mode].may_hold
        if self.game.finish == "exact" and (total > missing or too_few):
            return self.ended(state, BUST)
        return state._replace(total=min(total, missing), mode=mode, rolled=0)

    def rolled(self, state):
        """The states after a roll, a Counter of Fractions."""
        after = Counter()
        for k, outcome in enumerate(self.game.modes[state.mode].outcomes):
            if (state.mode, k) in self.branch_index:
                to = state._replace(rolled=self.branch_index[state.mode, k] + 1)
            elif outcome.choices:
                to = self.chosen(state, outcome.choices[0])
            else:
                to = self.ended(state, outcome.result)
            after[to] += outcome.probability
        return after

    def actions(self, state):
        """What the player to move can do: pairs of a name and a dict of the next states' probabilities, Fractions.

        In a state with a winner, "end", which changes nothing.
        """
        if self.winner(state):
            return [("end", {state: Fraction(1)})]
        if state.rolled:
            choices = self.branches[state.rolled - 1].choices
            return [(choice.name, {self.chosen(state, choice): Fraction(1)}) for choice in choices]
        (own, missing), mode = self.own(state), self.game.modes[state.mode]
        enough = state.total >= self.scores.least_hold[own]
        if mode.must_hold and not enough:
            return [("bust", {self.ended(state, BUST): Fraction(1)})]
        actions = []
        if not mode.must_hold and not (mode.may_hold and state.total >= missing):
            actions.append(("roll", self.rolled(state)))
        if mode.may_hold and enough:
            actions.append(("hold", {self.ended(state, "hold"): Fraction(1)}))
        return actions

    @cached_property
    def ranges(self):
        """The least and the greatest value of each variable; both players' are the same."""
        game = self.game
        return {
            "turn": (1, 2),
            "score": (game.lowest, "target"),
            "register": (0, self.scores.step - 1),
            "total": (0, game.longest),
            "mode": (0, len(game.modes) - 1),
            "rolled": (0, len(self.branches)),
        }

    @cached_property
    def variables(self):
        """The names of the variables, with functions that give their values in a state: those that vary."""
        step, lowest = self.scores.step, self.game.lowest
        all_variables = {
            "turn": lambda s: s.turn,
            "score1": lambda s: s.places[0] // step + lowest,
            "score2": lambda s: s.places[1] // step + lowest,
            "register1": lambda s: s.places[0] % step,
            "register2": lambda s: s.places[1] % step,
            "total": lambda s: s.total,
            "mode": lambda s: s.mode,
            "rolled": lambda s: s.rolled,
        }
        vary = {name for name, (least, most) in self.ranges.items() if least != most}
        return {name: f for name, f in all_variables.items() if name.rstrip("12") in vary}

    def legend(self):
        """What the variables mean, lines of text."""
        game = self.game
        yield f"turn: whose turn it is. score1, score2: banked {game.unit}; {game.target} win. total: the turn total."
        registers = [f"{on_one_line(each.name)}: {on_one_line(each)}" for each in game.registers]
        modes = [mode.name for mode in game.modes]
        rolled = "rolled: 0, or after a roll with several choices the number of its outcome:"
        for name, said, meanings, first in (
            ("register1", "register1, register2: what each player remembers:", registers, 0),
            ("mode", "mode: the state of the dice:", modes, 0),
            ("rolled", rolled, self.branches, 1),
        ):
            if name in self.variables:
                yield said
                yield from (
                    f"  {k} = {on_one_line(each)}" for k, each in enumerate(meanings, first)
                )
        if game.finish == "exact":
            yield "The target must be hit exactly: points beyond it are a bust. Endless play is neither won nor lost."


class Process(NamedTuple):
    """A race in which one seat decides and the other one plays a fixed policy: a Markov decision process.

    Attributes
    ----------
    race : Race
    seat : int
        The player who decides, 1 or 2.
    states : list of State
        All that can be reached. The first is the start of the game.
    actions : list of list of tuple
        For each state pairs of a name and the next ones, a dict of Fractions by their places in `states`.
    """

    race: Race
    seat: int
    states: list
    actions: list


def decision_process(game, against=None, seat=1):
    """All states that can be reached, and what can be done in them.

    Parameters
    ----------
    game : Game
    against : Policy or None
        Of the other seat; None for a player who decides as well: then the process is the two-player game.
    seat : {1, 2}

    Returns
    -------
    Process

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> process = decision_process(piglet(2), hold_at(1))
    >>> process.states[1]
    State(turn=2, places=(0, 0), total=0, mode=0, rolled=0)
    >>> process.actions[0]
    [('roll', {1: Fraction(1, 2), 2: Fraction(1, 2)})]
    """
    race = Race(game)
    fixed = _decider(race, against) if against is not None else None
    places = {race.start: 0}
    states = [race.start]
    actions = []
    for state in progress(iter(states), f"states of {title_of(game)}", "state"):
        possible = race.actions(state)
        if fixed is not None and state.turn != seat and len(possible) > 1:
            possible = [fixed(state, possible)]
        for to in (to for _, after in possible for to in after):
            if places.setdefault(to, len(states)) == len(states):
                states.append(to)
        actions.append(
            [(name, {places[to]: p for to, p in after.items()}) for name, after in possible]
        )
    return Process(race, seat, states, actions)


def _decider(race, policy):
    """A function that takes one of several actions as a policy does."""
    decisions = cache(lambda own: policy.actions_at(race.game, race.game.scores[own]))

    def decide(state, actions):
        own, missing = race.own(state)
        (rolls, choices), other = decisions(own), state.places[2 - state.turn]
        if state.rolled:
            return actions[choices[other, state.rolled - 1, min(state.total, missing - 1)]]
        return actions[0 if rolls[other, state.mode, state.total] else 1]

    return decide


def export(
    game: Game | str,
    file: str | os.PathLike[str],
    against: Strategy | None = None,
    *,
    seat: int = 1,
) -> None:
    """Write a race for model checkers: .umb with one deciding player, for Storm; .prism with two, for PRISM-games.

    Parameters
    ----------
    game : Game or str
    file : str or path
        A name that ends in .umb or .prism. The file is written whole or not at all, and is the same every time.
    against : strategy, optional
        For .umb: of the other player, a policy or whatever else plays, see :func:`dicelab.grade`; by default the
        optimal one, which is solved in fractions for this. For a large target give ``dicelab.solve(game).policy``.
    seat : {1, 2}
        For .umb: the player who decides. 1 moves first in the game. In a .prism text both decide, and "won" is about
        player 1.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or the policy is for another game.
    NotImplementedError
        For a policy that remembers its turns. For a finish with a last turn: turns above the target have no natural
        end, so that the states are infinitely many. For rules in which a player who must roll beyond the target has a
        choice of modes: no policy says which one is taken.
    ModuleNotFoundError
        For .umb, if umbi is missing: ``pip install 'dicelab[export]'``.
    MemoryError
        Beforehand, if it would take more than half of the memory.

    Notes
    -----
    The property of a .umb file is ``Pmax=? [ F "won" ]``: the value of the best response of the deciding player, which
    against an optimal policy is the value of the race. That of a .prism file is ``<<p1>> Pmax=? [ F "won" ]``. See
    :mod:`dicelab.solvers.export` for the states, the labels and what is proven.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dicelab import pig
    >>> file = Path(tempfile.mkdtemp()) / "pig-10.prism"
    >>> export(pig(10), file)
    >>> print(file.read_text().splitlines()[0])
    // Pig to 10, a race of two players, as a turn-based stochastic game.
    """
    rules = check_game(read_game(game))
    if rules.finish in LAST_TURN:
        raise NotImplementedError(
            f"{rules.name} with finish={rules.finish!r}: before a last turn the first player may roll on without end,"
            " and a file lists finitely many states"
        )
    path, seat = check_path(file, "file", [*PROPERTIES]), check_int(seat, "seat", 1, 2)
    size = SCORE * len(rules.scores)
    if path.suffix == ".umb":
        decided = len(rules.modes) + len(branching_outcomes(rules))
        size = STATE * len(rules.scores) ** 2 * (rules.longest // 2 + 1) * decided
    check_memory(size, f"the process of {title_of(rules)}", "take a smaller target")
    if against is not None:
        (against,) = record_policies(rules, against=read_strategy(rules, against, "against"))
    if path.suffix == ".prism":
        if against is not None or seat != 1:
            name, value = ("against", name_of(against)) if against is not None else ("seat", seat)
            raise ValueError(
                f"{name}: {value} is not allowed; in a file .prism both players decide; give a file .umb"
            )
        with atomic_write(path) as part:
            part.write_text(prism_text(rules), encoding="utf-8")
        return
    if against is not None and against.memory > 1:
        raise NotImplementedError(f"against: {against} remembers its turns, and a state does not")
    if choices_are_ranked(rules):
        raise NotImplementedError(
            f"{rules.name}: a player who must roll beyond the target has a choice of modes, and a policy does not say"
            " which; a file .prism leaves it to both players"
        )
    with extra("export"):
        import umbi
    if against is None:
        against = solve(rules, exact=True).policy
    model = umbi.ats.explicit_ats_to_explicit_umb(
        _as_ats(umbi.ats, decision_process(rules, against, seat), against)
    )
    fractions = model.index.transition_system.branch_probability_type
    bits = 1 + max(
        probability.denominator.bit_length() for probability in model.branch_to_probability
    )
    if bits > WORD:  # a numerator with its sign and a denominator, of equal size in whole words
        wide = umbi.binary.SizedType(fractions.type, 2 * WORD * -(-bits // WORD))
        model.index.transition_system.branch_probability_type = wide
    model.index.file_data = umbi.umb.index.FileData(tool="dicelab", tool_version=version("dicelab"))
    with atomic_write(path) as part:
        umbi.umb.write(model, part, insert_umbi_metadata=False)
        # Without name and time.
        part.write_bytes(gzip.compress(gzip.decompress(part.read_bytes()), mtime=0))


def _as_ats(ats, process, against):
    """The process as an annotated transition system of umbi; `ats` is the module ``umbi.ats``."""
    race, seat, states, actions = process
    system = ats.ExplicitAts(num_players=1, state_to_player=[0] * len(states))
    names = {
        name: k
        for k, name in enumerate(dict.fromkeys(name for found in actions for name, _ in found))
    }
    system.num_choice_actions, system.choice_action_to_name = len(names), [*names]
    for found in actions:
        added = system.add_state()
        for name, after in found:
            choice = system.add_state_choice(added)
            choice.action = names[name]
            for to, probability in after.items():
                choice.add_branch(to, probability)
    system.set_initial_states([0])
    for label, winner in (("won", seat), ("lost", 3 - seat)):
        reached = [race.winner(state) == winner for state in states]
        system.add_ap_annotation(name=label).set_state_values(reached)
    valuations = ats.EntityValuations()
    for name in race.variables:
        valuations.add_variable(name)
    for place, state in enumerate(states):
        values = {
            variable: race.variables[variable.name](state) for variable in valuations.variables
        }
        valuations.set_entity_valuation(place, values)
    system.variable_valuations = ats.EntityClassValuations()
    system.variable_valuations.set_state_valuations(valuations)
    said = [f"Player {seat} decides, player {3 - seat} plays: {name_of(against)}.", *race.legend()]
    system.model_info = ats.ModelInfo(name=title_of(race.game), description="\n".join(said))
    return system


def on_one_line(text):
    """A text for a comment: names of games and modes may have line breaks, which would end it."""
    return " ".join(str(text).split())


def prism_text(game):
    """A race of two players in the language of PRISM-games, a str; see the head of this module.

    Examples
    --------
    >>> from dicelab import piglet
    >>> print(prism_text(piglet(2)).partition("// Player 1")[2].partition("// Player 2")[0])
    <BLANKLINE>
      [roll1] playing & turn=1 & total<missing1 ->
            1/2 : (turn'=2) & (total'=0)  // bust
          + 1/2 : (total'=min(missing1, total+1));  // +1 to roll
      [hold1] playing & turn=1 & total>=1 -> (score1'=min(target, score1+total)) & (turn'=2) & (total'=0);
    <BLANKLINE>
    <BLANKLINE>
    """
    return _Text(Race(game)).text()


class _Text:
    """A race in the language of PRISM-games; what a turn leads to is a dict of variables and values."""

    def __init__(self, race):
        self.race, self.game, self.classes = race, race.game, classes_of(race.game)
        # The modes in which one must hold, if a player may have too few points for that.
        stops = [m for m, mode in enumerate(self.game.modes) if mode.must_hold]
        self.ends_early = stops if max(self.classes.least_hold) > 1 else []
        more = ["choose"] * bool(race.branches) + ["bust"] * bool(self.ends_early)
        self.actions = ["roll", "hold", *more]

    def text(self):
        """The whole text."""
        game, race = self.game, self.race
        names = [", ".join(f"[{name}{player}]" for name in self.actions) for player in (1, 2)]
        variables = (
            "  {} : [{}..{}] init {};".format(
                name, *race.ranges[name.rstrip("12")], value(race.start)
            )
            for name, value in race.variables.items()
        )
        return TEXT.format(
            title=on_one_line(title_of(game)),
            value=PROPERTIES[".prism"],
            legend="\n".join(f"// {line}" for line in race.legend()),
            target=game.target,
            names=names,
            missing=[self.missing(player) for player in (1, 2)],
            variables="\n".join(variables),
            commands=["\n".join(self.commands(player)) for player in (1, 2)],
        )

    def missing(self, player):
        """The points that a turn must bank to win."""
        need, least = f"target-score{player}", self.least(player)
        return need if self.game.finish == "exact" or least == "1" else f"max({need}, {least})"

    def by_register(self, player, values):
        """An expression that has one of some values by the player's register."""
        *others, last = values
        if len(set(values)) == 1:
            return str(last)
        cases = (f"register{player}={k} ? {value} : " for k, value in enumerate(others))
        return "".join(f"({case}" for case in cases) + str(last) + ")" * len(others)

    def least(self, player):
        """The fewest points of a hold."""
        return self.by_register(player, self.classes.least_hold)

    def update(self, values):
        """Assignments of those variables that there are; None for one that keeps its value."""
        given = ((name, values[name]) for name in values if name in self.race.variables)
        return " & ".join(f"({name}'={value})" for name, value in given if value is not None)

    def passed(self, player, score, after):
        """The turn ends; the player then has this score and, by the own register, one of the registers `after`."""
        stays = list(after) == [*range(len(after))]
        register = None if stays else self.by_register(player, after)
        start = self.by_register(3 - player, self.race.begins)
        kept = {f"score{player}": score, f"register{player}": register}
        return kept | {"turn": 3 - player, "total": 0, "mode": start}

    def lost(self, player, result=BUST):
        """The turn ends with a bust or a reset."""
        changes, after = -self.classes.penalty, self.classes.after_bust
        if result == RESET:
            return self.passed(player, 0, 0 * after)
        score = f"score{player}+{self.by_register(player, changes)}".replace("+-", "-")
        score = f"max({self.game.lowest}, {score})" if min(changes) < 0 else score
        score = f"min(target, {score})" if max(changes) > 0 else score
        return self.passed(player, score if any(changes) else None, after)

    def chosen(self, player, choice):
        """The turn goes on with a choice."""
        total = f"total+{choice.points}" if choice.points else "total"
        to = self.game.mode(choice.mode)
        if self.game.finish != "exact" or not choice.points:
            total = f"min(missing{player}, {total})" if choice.points else "total"
            return {"total": total, "mode": to}
        over, least = f"{total}>missing{player}", self.least(player)
        if least != "1" and self.game.modes[to].may_hold:  # too few points to hold
            over = f"({over} | ({total}=missing{player} & {total}<{least}))"
        goes_on = {"turn": player, "total": total, "mode": to}
        ends = {name: (value, goes_on.get(name, name)) for name, value in self.lost(player).items()}
        return {
            name: busts if busts is None or str(busts) == str(on) else f"({over} ? {busts} : {on})"
            for name, (busts, on) in ends.items()
        }

    def commands(self, player):
        """What a player can do."""
        game, race, turn = self.game, self.race, f"playing & turn={player}"
        moves = turn + (" & rolled=0" if race.branches else "")
        for m, mode in enumerate(game.modes):
            if mode.must_hold:
                continue
            where = f"{moves} & mode={m}" if "mode" in race.variables else moves
            yield f"  [roll{player}] {where}{f' & total<missing{player}' if mode.may_hold else ''} ->"
            for k, outcome in enumerate(mode.outcomes):
                if (m, k) in race.branch_index:
                    after = {"rolled": race.branch_index[m, k] + 1}
                elif outcome.choices:
                    after = self.chosen(player, outcome.choices[0])
                else:
                    after = self.lost(player, outcome.result)
                sign, end = "+" if k else " ", ";" if k == len(mode.outcomes) - 1 else ""
                said = f"{outcome.probability} : {self.update(after)}{end}"
                yield f"      {sign} {said}  // {on_one_line(outcome)}"
        may_hold = [f"mode={m}" for m, mode in enumerate(game.modes) if mode.may_hold]
        where = f" & ({' | '.join(may_hold)})" if len(may_hold) < len(game.modes) else ""
        least, score = self.least(player), f"min(target, score{player}+total)"
        after = self.update(self.passed(player, score, self.classes.after_hold))
        yield f"  [hold{player}] {moves}{where} & total>={least} -> {after};"
        for m in self.ends_early:
            after = self.update(self.lost(player))
            yield f"  [bust{player}] {moves} & mode={m} & total<{least} -> {after};"
        for number, outcome in enumerate(race.branches, 1):
            for choice in outcome.choices:
                after = self.update(self.chosen(player, choice) | {"rolled": 0})
                said = on_one_line(shorten(choice.name, 80))
                yield f"  [choose{player}] {turn} & rolled={number} -> {after};  // {said}"
