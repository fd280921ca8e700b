"""Export: a race of two players for model checkers, as a text in the language of PRISM-games.

Both players decide. This is a turn-based stochastic game. Its variables are whose turn it is, the scores, the turn
total, and as far as a game has more than one of them registers, modes and outcomes to choose from; the head of a text
says what their numbers mean. Points beyond the target do not count.

A state is labelled "won" if player 1 has reached the target, and "lost" if player 2 has. The value is
``<<p1>> Pmax=? [ F "won" ]``. Play that never ends is not won. :func:`dicelab.solve` counts it as half a win. So the
two differ where play may be endless, as it may only be if the target must be hit exactly, or if one can always choose
not to score.

The text is written from the rules alone, command by command, and every roll is a command of its own. Tests expand it,
and solve the states as a stochastic game of the textbook.
"""

from __future__ import annotations

import os

from dicelab._files import atomic_write
from dicelab._limits import check_memory
from dicelab._shown import shorten, title_of
from dicelab._validation import check_path
from dicelab.games.model import BUST, LAST_TURN, RESET, Game, check_game
from dicelab.games.named import read_game
from dicelab.games.registers import PLAIN
from dicelab.policies import branch_index, branching_outcomes

__all__ = ["PROPERTY", "export", "prism_text"]

PROPERTY = '<<p1>> Pmax=? [ F "won" ]'  # to check
SCORE = 200  # bytes of a score with all that follows from it
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


def export(game: Game | str, file: str | os.PathLike[str]) -> None:
    """Write a race of two players for model checkers, as a text for PRISM-games.

    Parameters
    ----------
    game : Game or str
    file : str or path
        A name that ends in .prism. The file is written whole or not at all, and is the same every time.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.
    NotImplementedError
        For a finish with a last turn: turns above the target have no natural end, so that the states are infinitely
        many.
    MemoryError
        Beforehand, if it would take more than half of the memory.

    Notes
    -----
    The property to check is ``<<p1>> Pmax=? [ F "won" ]``, the value of the race. The page of this
    module has the states and the labels.

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
    rules = read_game(game)
    if rules.finish in LAST_TURN:
        raise NotImplementedError(
            f"{rules.name} with finish={rules.finish!r}: before a last turn the first player may roll on without end,"
            " and a file lists finitely many states"
        )
    check_game(rules, last_turn=False)
    path = check_path(file, "file", [".prism"])
    check_memory(
        SCORE * len(rules.scores), f"the text of {title_of(rules)}", "take a smaller target"
    )
    with atomic_write(path) as part:
        part.write_text(prism_text(rules), encoding="utf-8")


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
    return _Text(game).text()


class _Text:
    """A race in the language of PRISM-games; what a turn leads to is a dict of variables and values."""

    def __init__(self, game):
        registers = game.registers or (PLAIN,)
        index = {register.name: k for k, register in enumerate(registers)}
        self.game = game
        self.begins = [game.mode(register.mode) for register in registers]
        self.least_hold = [register.least_hold for register in registers]
        self.bust_changes = [-register.penalty for register in registers]
        self.after_bust = [index[register.after_bust] for register in registers]
        self.after_hold = [index[register.after_hold] for register in registers]
        self.branches, self.branch_index = branching_outcomes(game), branch_index(game)
        # The modes in which one must hold, if a player may have too few points for that.
        stops = [m for m, mode in enumerate(game.modes) if mode.must_hold]
        self.ends_early = stops if max(self.least_hold) > 1 else []
        more = ["choose"] * bool(self.branches) + ["bust"] * bool(self.ends_early)
        self.actions = ["roll", "hold", *more]
        score, register = (game.lowest, "target", 0), (0, len(self.begins) - 1, 0)
        known = {  # the least, the greatest and the first value
            "turn": (1, 2, 1),
            "score1": score,
            "score2": score,
            "register1": register,
            "register2": register,
            "total": (0, game.longest, 0),
            "mode": (0, len(game.modes) - 1, self.begins[0]),
            "rolled": (0, len(self.branches), 0),
        }
        self.variables = {name: ends for name, ends in known.items() if ends[0] != ends[1]}

    def text(self):
        """The whole text."""
        names = [", ".join(f"[{name}{player}]" for name in self.actions) for player in (1, 2)]
        variables = (
            f"  {name} : [{least}..{most}] init {first};"
            for name, (least, most, first) in self.variables.items()
        )
        return TEXT.format(
            title=on_one_line(title_of(self.game)),
            value=PROPERTY,
            legend="\n".join(f"// {line}" for line in self.legend()),
            target=self.game.target,
            names=names,
            missing=[self.missing(player) for player in (1, 2)],
            variables="\n".join(variables),
            commands=["\n".join(self.commands(player)) for player in (1, 2)],
        )

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
        return self.by_register(player, self.least_hold)

    def update(self, values):
        """Assignments of those variables that there are; None for one that keeps its value."""
        given = ((name, values[name]) for name in values if name in self.variables)
        return " & ".join(f"({name}'={value})" for name, value in given if value is not None)

    def passed(self, player, score, after):
        """The turn ends; the player then has this score and, by the own register, one of the registers `after`."""
        stays = list(after) == [*range(len(after))]
        register = None if stays else self.by_register(player, after)
        start = self.by_register(3 - player, self.begins)
        kept = {f"score{player}": score, f"register{player}": register}
        return kept | {"turn": 3 - player, "total": 0, "mode": start}

    def lost(self, player, result=BUST):
        """The turn ends with a bust or a reset."""
        changes = self.bust_changes
        if result == RESET:
            return self.passed(player, 0, [0] * len(changes))
        score = f"score{player}+{self.by_register(player, changes)}".replace("+-", "-")
        score = f"max({self.game.lowest}, {score})" if min(changes) < 0 else score
        score = f"min(target, {score})" if max(changes) > 0 else score
        return self.passed(player, score if any(changes) else None, self.after_bust)

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
        game, turn = self.game, f"playing & turn={player}"
        moves = turn + (" & rolled=0" if self.branches else "")
        for m, mode in enumerate(game.modes):
            if mode.must_hold:
                continue
            where = f"{moves} & mode={m}" if "mode" in self.variables else moves
            yield f"  [roll{player}] {where}{f' & total<missing{player}' if mode.may_hold else ''} ->"
            for k, outcome in enumerate(mode.outcomes):
                if (m, k) in self.branch_index:
                    after = {"rolled": self.branch_index[m, k] + 1}
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
        after = self.update(self.passed(player, score, self.after_hold))
        yield f"  [hold{player}] {moves}{where} & total>={least} -> {after};"
        for m in self.ends_early:
            after = self.update(self.lost(player))
            yield f"  [bust{player}] {moves} & mode={m} & total<{least} -> {after};"
        for number, outcome in enumerate(self.branches, 1):
            for choice in outcome.choices:
                after = self.update(self.chosen(player, choice) | {"rolled": 0})
                said = on_one_line(shorten(choice.name, 80))
                yield f"  [choose{player}] {turn} & rolled={number} -> {after};  // {said}"
