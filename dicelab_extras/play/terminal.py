"""Play in the terminal: asks for decisions, prints the dice, and reviews the decisions at the end."""

from contextlib import suppress

import click

from dicelab._shown import title_of
from dicelab._text import plain

from .rules import rules_in_words
from .session import say_loss

__all__ = ["play_in_terminal"]


def play_in_terminal(session, hints=False):
    """Play a game to its end; the first player is asked, the others play by their policies.

    Parameters
    ----------
    session : GameSession
    hints : bool
        Whether to show the win probability of every option.
    """
    click.echo(f"{title_of(session.game)}. Type the first letters of an option, or q to leave.")
    click.echo("\n".join(f"  {line}" for line in rules_in_words(session.game)))
    shown = 0
    while True:
        session.reply()
        for sentence in session.log[shown:]:
            click.echo(f"  {sentence}")
        shown = len(session.log)
        action = ask(session, hints) if session.winner is None else None
        if action is None:
            break
        session.take(action)
    if session.winner is None:
        with suppress(ValueError):  # a game of one's own has no text
            click.echo(f'Go on from here with: dicelab play "{session.situation}"')
    click.echo(review(session))


def ask(session, hints):
    """Ask for one of the options. Returns its name, or None to leave."""
    options = session.options()
    own, *others, total = map(session.game.with_unit, (session.own, *session.others, session.total))
    opponents = f"opponent {others[0]}" if len(others) == 1 else f"the others {in_order(others)}"
    chances = [f"{session.chance(player):.1%}" for player in range(session.players)]
    theirs = f", they with {in_order(chances[1:])}" if len(others) > 1 else ""
    # The words of a score have a comma of their own.
    between = "; " if session.game.registers else ", "
    click.echo(
        f"You {own}{between}{opponents}{between}this turn {total}; you win with {chances[0]}{theirs}"
    )
    for said in filter(None, (session.about_last_turn, session.cannot_hold)):
        click.echo(f"  {said}")
    names = enumerate((option.name for option in options), start=1)
    texts = [
        name if name.startswith(f"{number} ") else f"{number} {name}" for number, name in names
    ]  # "1 die"
    if hints and len(options) > 1:
        texts = [
            f"{text} ({odds(session, option)})" for text, option in zip(texts, options, strict=True)
        ]
    while True:
        try:
            answer = click.prompt(
                "  " + ", ".join(texts), default=options[0].name, show_default=False
            )
        except click.Abort:
            return None
        answer = plain(answer).lower().rstrip(".)")
        if answer in ("q", "quit"):
            return None
        matches = [option.name for k, option in enumerate(options, start=1) if answer == str(k)]
        matches = matches or [option.name for option in options if option.name.startswith(answer)]
        if answer in matches:
            return answer
        if len(matches) == 1:
            return matches[0]
        refused = (
            f"; {session.cannot_hold}" if session.cannot_hold and "hold".startswith(answer) else ""
        )
        click.echo(f"  {answer!r} is not one of these{refused}")


def odds(session, option):
    """The probability to win with an option; with more than two players, those of the others, too."""
    theirs = [f"{option.chances[player]:.1%}" for player in range(1, session.players)]
    return f"{option.value:.1%}" + (f", they {in_order(theirs)}" if len(theirs) > 1 else "")


def in_order(texts):
    """Texts as "a, b and c"."""
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def review(session):
    """The first player's three worst mistakes and their cost, as text."""
    wrong = session.mistakes().head(3)
    if wrong.empty:
        return session.verdict()
    table = wrong.assign(loss=wrong["loss"].map(say_loss))
    columns = [] if wrong["rolled"].any() else ["rolled"]
    table = table if session.players == 2 else table.rename(columns={"opponent": "others"})
    which = "The three worst. " if len(session.mistakes()) > len(wrong) else ""
    said = f"{session.verdict()} {which}Scores and turn totals in {session.game.unit}:"
    return f"{said}\n{table.drop(columns=columns).to_string(index=False)}"
