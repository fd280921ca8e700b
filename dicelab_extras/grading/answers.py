"""Functions as people write them: what their True and False mean, turn totals to hold at, and choices of dice."""

from numbers import Real

import numpy as np

from dicelab._parameters import bind_parameters
from dicelab._validation import invalid
from dicelab.strategies import ALLOWED, TOLD, Question, is_number

THRESHOLD = "the turn total to hold at, a whole number; a function that decides to roll or to hold asks for turn_total"
TAKES_TOTAL = (
    "; a function that answers the turn total to hold at has no parameter for the turn total"
)


class Answers(Question):
    """A function that is asked for decisions, and its `keep`, if it has one.

    It answers "roll" or "hold"; True or False, where it is known what that means; or, if it asks for no turn total, the
    turn total to hold at. Its `keep` answers the dice to set aside, or the name of a choice, or a number of dice; in a
    game in which nothing else is decided the function itself does.

    Parameters
    ----------
    meaning : bool or None
        Whether True means to roll; None if that is not known.
    said : str
        How that is known, for the sentence.
    """

    def __init__(self, game, function, field, meaning=None, said=""):
        super().__init__(game, function, field)
        self.meaning, self.said, self.answers = meaning, said, set()
        # To roll or to hold; in Hog one chooses dice, and that is all.
        decides = any(mode.may_hold and not mode.must_hold for mode in game.modes)
        self.thresholds = decides and "turn_total" not in self.parameters.told.values()
        if self.thresholds:
            self.read_as.append("it answers the turn total to hold at")
        self.keep = getattr(function, "keep", None if decides else function)
        if self.keep is not None:
            name, kind = f"{field}.keep", "a function of own, opponent, turn_total and roll"
            if not callable(self.keep):
                raise invalid(name, self.keep, kind)
            told = [*TOLD, *["register"] * bool(game.registers), "roll"]
            self.keep_parameters = bind_parameters(self.keep, name, told)

    def understand(self, answer, state):
        """See :meth:`dicelab.strategies.Question.understand`."""
        allowed = ALLOWED
        if self.thresholds:
            if is_number(answer) and float(answer).is_integer():
                self.answers.add(int(answer))
                return state[2] < answer
            allowed = THRESHOLD
        elif isinstance(answer, bool | np.bool_ | int | np.integer) and answer in (0, 1):
            if self.meaning is None:
                raise ValueError(
                    f"{self.answered(answer, state)}, and it is not said whether that means roll or hold; "
                    "answer 'roll' or 'hold', or give dicelab.Rule(name, function), where True means hold"
                )
            said = f"True means {'roll' if self.meaning else 'hold'}{self.said}"
            self.read_as += [said] if said not in self.read_as else []
            return bool(answer) == self.meaning
        elif isinstance(answer, Real):
            allowed += TAKES_TOTAL
        raise self.wrong(answer, state, allowed)

    def how_read(self):
        """See :meth:`dicelab.strategies.Question.how_read`.

        ValueError if the turn totals to hold at are nothing but 0 and 1: then they are meant as no and yes.
        """
        if self.answers == {0, 1} or (
            self.answers and self.answers <= {0, 1} and self.meaning is not None
        ):
            raise ValueError(
                f"{self.field}: {self.name} answers {' and '.join(map(str, sorted(self.answers)))} only, "
                "and asks for no turn total, so that they would be the turn totals to hold at; "
                "answer 'roll' or 'hold', or the turn total to hold at"
            )
        return super().how_read()

    def choice(self, own, opponent, total, mode, outcome):
        """The number of the choice that the strategy takes after a roll."""
        choices = outcome.choices
        dice = any(choice.aside for choice in choices)
        allowed = [choice.aside if dice else choice.name for choice in choices]
        named = [choice.name for choice in choices]
        roll = [*outcome.rolls[0]] if dice and outcome.rolls else named
        state = own, opponent, total, mode, roll
        told = self.told(own, opponent, total, mode) | {"roll": list(roll)}
        answer = self.call(self.keep, self.keep_parameters, told, state)
        if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], tuple | list):
            answer = answer[0]  # as Policy.keep answers: the dice, and whether to roll again
        if is_number(answer):  # of dice
            answer = next((name for name in named if name.split()[0] == str(answer)), answer)
        kind = tuple | list if dice else str
        for number, meant in enumerate(allowed if isinstance(answer, kind) else ()):
            if sorted(answer) == sorted(meant) if dice else answer == meant:
                return number
        raise self.wrong(answer, state, f"one of {', '.join(map(repr, allowed))}")
