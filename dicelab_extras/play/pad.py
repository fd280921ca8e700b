"""A score pad for people at a table, who throw their own dice: who stands where, and what is best."""

import click

from dicelab._shown import title_of
from dicelab._text import plain
from dicelab._validation import check_int, short_repr

from .session import GameSession

__all__ = ["ScorePad", "keep_score"]


class ScorePad(GameSession):
    """A game whose dice are thrown elsewhere; the parameters are those of :class:`GameSession`.

    Examples
    --------
    >>> import dicelab as dl
    >>> pad = ScorePad(dl.solve(dl.pig(30)), names=["Ann", "Ben"])
    >>> pad.throw([5])
    >>> pad.total, pad.best().name
    (5, 'roll')
    """

    def throw(self, dice):
        """Roll, with these faces; ValueError if they are none of a roll now, and then nothing has changed."""
        faces = tuple(sorted(check_int(face, "dice") for face in dice))
        if self.mode.dice:
            _, outcome = self.game.classify_roll(dice, self.mode.name)
        else:
            outcome = next((o for o in self.mode.outcomes if faces in o.rolls), None)
        if outcome is None:
            known = next((o.rolls[0] for o in self.mode.outcomes if o.rolls), None)
            example = (
                f"such as {' '.join(map(str, known))}" if known else "which the rules do not name"
            )
            raise ValueError(
                f"dice: {short_repr(dice)} is not allowed; give the dice of a roll, {example}"
            )
        if self.mode.repeats(outcome):
            return self._note(f"rolled {' '.join(map(str, dice))}: nothing changes", tuple(dice))
        self.thrown = outcome, tuple(dice)
        self.take("roll")

    def draw(self):
        """See :class:`GameSession`."""
        return self.thrown


def keep_score(pad):
    """Ask in the terminal for throws and decisions, and say who stands where, until the game is over or left."""
    click.echo(
        f"{title_of(pad.game)}. Type the dice of a throw, as 4 or 1 5 5, or hold; q to leave."
    )
    shown = 0
    while True:
        for sentence in pad.log[shown:]:
            click.echo(f"  {sentence}")
        shown = len(pad.log)
        scores = map(pad.game.with_unit, pad.scores)
        click.echo("; ".join(map("{}: {}".format, pad.names, scores)))
        if pad.winner is not None:
            break
        turn = f"{pad.names[pad.player]}, {pad.game.with_unit(pad.total)} in this turn"
        worth = [f"{option.name} {option.value:.1%}" for option in pad.options()]
        click.echo(f"{turn}. Best: {pad.best().name} (to win: {', '.join(worth)})")
        answer = plain(click.prompt("  >", prompt_suffix=" ")).lower()
        if answer in ("q", "quit"):
            break
        try:
            if answer.replace(" ", "").isdecimal() and not pad.pending:
                pad.throw([int(face) for face in answer.split()])
            else:
                names = [option.name for option in pad.options() if option.name != "roll"]
                chosen = [name for name in names if name.startswith(answer)]
                pad.take(answer if answer in names or len(chosen) != 1 else chosen[0])
        except ValueError as error:
            click.echo(f"  {error}")
