"""The pages of the games on the site: rules, values, a picture and a few lines of code, all made from the game."""

import re
from code import InteractiveConsole
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from io import StringIO

import numpy as np
import pandas as pd

from dicelab._extras import extra
from dicelab.evaluation.solving import solve
from dicelab.games.catalogue import (
    GAMES,
    big_pig,
    double_trouble,
    generalized_pig,
    hog,
    pass_the_pigs,
    pig,
    piglet,
    toss_up,
    two_dice_pig,
)
from dicelab.games.model import BUST, RESET, Game
from dicelab.games.set_aside import facebook_farkle, farkle, kingdom_come, ten_thousand, zilch
from dicelab.solution import Solution
from dicelab.views import plots
from dicelab.views.style import save

with extra("plots"):
    import matplotlib.pyplot as plt

__all__ = ["EXHIBITS", "Exhibit", "console"]

OPENS = 12  # outcomes of a roll, up to which their table is shown unfolded
NAMED = 4  # rolls of an outcome that are named


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A game that has a page."""

    make: Callable  # of the catalogue
    arguments: dict = field(default_factory=dict)  # for `make`
    unit: str = "points"
    roll: tuple = ()  # to ask about, in games in which dice are set aside
    mode: str | None = None  # to show, by default the first

    @property
    def slug(self):
        """The name of the page, and of the game on the command line."""
        return self.make.__name__.replace("_", "-")

    @property
    def call(self):
        """The code that makes the game."""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        rare = self.make in (big_pig, facebook_farkle, kingdom_come, pass_the_pigs, toss_up, zilch)
        return f"{'dl.games' if rare else 'dl'}.{self.make.__name__}({arguments})"

    @cached_property
    def game(self) -> Game:
        """The game."""
        return self.make(**self.arguments)

    @cached_property
    def solution(self) -> Solution:
        """Optimal play for two."""
        return solve(self.game)

    @cached_property
    def turn(self) -> Solution:
        """The turn with the most points."""
        return solve(self.game, "score")

    @cached_property
    def thresholds(self):
        """The lowest turn totals at which the optimal player holds, in the mode to show; both in the first register."""
        places = [self.game.index(score) for score in range(self.game.target)]
        return self.solution.policy.hold_thresholds(self.mode)[np.ix_(places, places)]

    @property
    def words(self):
        """The rules in words: the docstring of the function, up to its first section."""
        text = re.split(r"\n\w+\n-{4,}\n", getdoc(self.make))[0]
        return re.sub(r"\s*Arguments as in :func:`\w+`\.", "", text).strip()

    @property
    def goal(self):
        """How the race is won, and how a turn goes."""
        end = "exactly" if self.game.finish == "exact" else "at least"
        turn = "A player who rolls collects a turn total, and may hold: then it is added to the player's score."
        return f"Two players take turns. {turn} The first with {end} {self.game.target} {self.unit} wins."

    @property
    def facts(self):
        """Pairs of a question and its answer."""
        return [
            (
                "The first player wins, if both play optimally, with probability",
                f"{self.solution.value:.6f}",
            ),
            self.first_decision,
            (
                "The fewest expected turns to the target, for one player alone",
                f"{solve(self.game, 'turns').value:.4f}",
            ),
            ("The most expected points of one turn", f"{float(self.turn.value):.4f} {self.unit}"),
        ]

    @property
    def first_decision(self):
        """What the optimal player decides first, as a question and its answer."""
        return (
            f"At 0 against 0, the optimal player holds{self._with_mode} at a turn total of",
            f"{self.thresholds[0, 0]} {self.unit}",
        )

    @property
    def shortened(self):
        """The target of the usual game, if the page shows it to a smaller one; else None."""
        return self.make().target if self.arguments and self.make in GAMES.values() else None

    @property
    def code(self):
        """A console session: solve the game, and ask for a value and for a decision."""
        own, opponent, total = (self.game.target * share // 100 for share in (30, 45, 22))
        return console(
            "import dicelab as dl",
            f"game = {self.call}",
            "solution = dl.solve(game)",
            "round(solution.value, 6)  # the first player wins",
            self.question(own, opponent, total),
        )

    def question(self, own, opponent, total):
        """A line of code that asks for a decision."""
        mode = f", mode={self.mode!r}" if self.mode else ""
        question = f"rolls(own={own}, opponent={opponent}, turn_total={total}{mode})"
        if self.roll:
            question = f"keep(own={own}, opponent={opponent}, turn_total=0, roll={list(self.roll)})"
        return f"solution.policy.{question}"

    @property
    def tables(self):
        """For each mode a dict: its `name`, whether it `holds`, if the table `opens`, and its `rows`."""
        return [
            {
                "name": mode.name,
                "holds": mode.may_hold,
                "opens": len(mode.outcomes) <= OPENS,
                "bust": float(mode.chance(BUST)),
                "rows": [
                    (rolls_in_words(o), o.probability, self._result(o)) for o in mode.outcomes
                ],
            }
            for mode in self.game.modes
        ]

    def _result(self, outcome):
        """What an outcome does, in words."""
        if not outcome.choices:
            return {BUST: "the turn is lost", RESET: "the turn and all banked points are lost"}[
                outcome.result
            ]
        named = len(self.game.modes) > 1
        return ", or ".join(
            (f"set aside {' '.join(map(str, c.aside))}: " if c.aside else "")
            + ", ".join(
                [f"+{c.points}"] * (c.points > 0 or not named) + [f"go on in “{c.mode}”"] * named
            )
            for c in outcome.choices
        )

    @property
    def caption(self):
        """What the picture shows."""
        said = f"The lowest turn total at which the optimal player of {self.game.name} holds{self._with_mode}"
        both = f", both players with {self.game.registers[0].name}" if self.game.registers else ""
        return f"{said}, by both scores{both}. In the gray region the player rolls until the turn wins or is lost."

    @property
    def _with_mode(self):
        """The dice in hand in the mode to show."""
        return (
            f" with {self.mode or self.game.modes[0].name} in hand"
            if self.roll or self.mode
            else ""
        )

    @property
    def alternative(self):
        """What one sees in the picture."""
        least, target = self.thresholds, self.game.target
        wins = least >= target - np.arange(target)[:, None]
        held = least[~wins]
        seen = "A map of colours: own score to the right, opponent's upwards, both from 0 to "
        seen += f"{target - 1} {self.unit}. "
        if held.size:
            seen += f"At 0 against 0 the colour stands for {least[0, 0]}; it goes from {held.min()} to {held.max()}. "
        return (
            seen
            + f"In {wins.mean():.0%} of the pairs of scores, hatched in gray, the player rolls until the win."
        )

    def draw(self, folder):
        """Draw the picture, as ``<slug>.svg`` in a folder, with its data."""
        table, ax = self.picture()
        save(
            folder,
            self.slug,
            table,
            ax,
            caption=self.caption,
            alternative=self.alternative,
        )
        plt.close(ax.figure)

    def picture(self):
        """The picture, and its numbers as a DataFrame."""
        return pd.DataFrame(self.thresholds), self._map()

    def _map(self, ax=None):
        """The map of the thresholds; white is the hold in a turn for points alone."""
        return plots.hold_thresholds(
            self.thresholds,
            middle=self.turn.policy.hold_threshold(0, 0, self.mode),
            unit=self.unit,
            ax=ax,
        )

    def draw_card(self, file):
        """Draw the picture with the project's name beside it, as a PNG of 1200 to 630 pixels."""
        figure = plt.figure(figsize=(12, 6.3))
        figure.text(0.04, 0.56, "dicelab", fontsize=48, weight="bold")
        figure.text(
            0.04, 0.36, "Jeopardy dice games,\nsolved exactly", fontsize=24, linespacing=1.4
        )
        ax = figure.add_axes((0.42, 0.12, 0.56, 0.78))
        self._map(ax)
        figure.savefig(file, dpi=100, metadata={"Software": None})
        plt.close(figure)


class ChosenFirst(Exhibit):
    """A game in which the number of dice is chosen, and rolled once: the picture shows this number."""

    @property
    def goal(self):
        """How the race is won."""
        return (
            "Two players take turns. A turn is one roll, and its points are added to the score. "
            f"The first with at least {self.game.target} {self.unit} wins."
        )

    @cached_property
    def chosen(self):
        """The numbers of dice that the optimal player rolls, [own, opponent]."""
        policy, scores = self.solution.policy, range(self.game.target)
        return np.array([1 + policy.choices(self.game, own)[:, 0, 0].astype(int) for own in scores])

    @property
    def first_decision(self):
        """What the optimal player decides first, as a question and its answer."""
        return "At 0 against 0, the optimal player rolls", f"{self.chosen[0, 0]} dice"

    def question(self, own, opponent, total):
        """A line of code that asks for a decision."""
        return f"1 + int(solution.policy.choices(game, {own})[{opponent}, 0, 0])  # dice to roll"

    @property
    def tables(self):
        """Those of the modes in which dice are rolled."""
        return [table for table in super().tables if any(rolls for rolls, *_ in table["rows"])]

    @property
    def caption(self):
        """What the picture shows."""
        return (
            f"The number of dice that the optimal player of {self.game.name} rolls, by both scores."
        )

    @property
    def alternative(self):
        """What one sees in the picture."""
        seen = f"A map of colours: own score to the right, opponent's upwards, both from 0 to {self.game.target - 1}"
        least, most = self.chosen.min(), self.chosen.max()
        return f"{seen} {self.unit}. At 0 against 0 it is {self.chosen[0, 0]} dice; it goes from {least} to {most}."

    def picture(self):
        """The picture, and its numbers as a DataFrame."""
        table = pd.DataFrame(self.chosen)
        return table, plots.matrix(
            table.T,
            f"own score ({self.unit})",
            f"opponent's score ({self.unit})",
            "number of dice to roll",
        )


def rolls_in_words(outcome):
    """The rolls that lead to an outcome; long lists are cut."""
    rolls = [" ".join(map(str, roll)) for roll in outcome.rolls]
    more = f" and {len(rolls) - NAMED} more" if len(rolls) > NAMED else ""
    return ", ".join(rolls[:NAMED]) + more


class Session(InteractiveConsole):
    """A Python console in which an error is not shown but raised."""

    def showtraceback(self):
        """Raise the error again."""
        raise


def console(*lines):
    """Run lines of code one after the other.

    Returns
    -------
    str
        What a Python console would show.
    """
    session, shown = Session(), []
    for line in lines:
        with redirect_stdout(StringIO()) as answer:
            session.push(line)
        shown += [f">>> {line}", *answer.getvalue().splitlines()]
    return "\n".join(shown)


EXHIBITS = (
    Exhibit(make=pig),
    Exhibit(make=two_dice_pig),
    Exhibit(make=double_trouble),
    Exhibit(make=ten_thousand, unit="chips", roll=(5, 5, 2, 3, 6)),
    Exhibit(make=farkle, unit="chips", roll=(1, 5, 5, 2, 3, 6)),
    *(
        Exhibit(
            make=make,
            arguments={"target": 20, "lowest": 0},
            unit="chips",
            roll=(1, 5, 5, 2, 3, 6),
            mode="3 dice",
        )
        for make in (facebook_farkle, zilch)
    ),
    Exhibit(make=big_pig),
    Exhibit(make=pass_the_pigs),
    Exhibit(make=toss_up, mode="4 dice"),
    Exhibit(make=kingdom_come, unit="chips", roll=(1, 5, 5, 2, 3, 6), mode="3 dice"),
    ChosenFirst(make=hog),
    Exhibit(make=piglet),
    Exhibit(
        make=generalized_pig,
        arguments={
            "probabilities": ["1/4", 0, "1/4", "1/4", "1/4"],
            "target": 60,
            "name": "Pig with four faces",
        },
    ),
)
