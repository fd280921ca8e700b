"""A game in the terminal: asks, tells, and reviews at the end."""

import click

__all__ = ["play_on"]


def play_on(play, hints=False):
    """Play a game to its end; the first player is asked, the other plays optimally.

    Parameters
    ----------
    play : Play
    hints : bool
        Whether to say before every decision what each option is worth.
    """
    click.echo(f"{play.game.name} to {play.game.target}. Type the first letters of what you do, or q to leave.")
    told = 0
    while play.winner is None:
        play.reply()
        for sentence in play.story[told:]:
            click.echo(f"  {sentence}")
        told = len(play.story)
        if play.winner is None:
            asked = ask(play, hints)
            if asked is None:
                break
            play.take(asked)
    for sentence in play.story[told:]:
        click.echo(f"  {sentence}")
    click.echo(review(play))


def ask(play, hints):
    """The name of the option that was chosen; None to leave."""
    options = play.options()
    own, opponent = play.scores[play.player], play.scores[1 - play.player]
    click.echo(f"You {own}, opponent {opponent}, this turn {play.total}; you win with {play.chance():.1%}")
    said = [f"{number} {option.name}" for number, option in enumerate(options, start=1)]
    if hints and len(options) > 1:
        said = [f"{text} ({option.worth:.1%})" for text, option in zip(said, options, strict=True)]
    while True:
        try:
            answer = click.prompt("  " + ", ".join(said), default=options[0].name, show_default=False).strip().lower()
        except click.Abort:
            return None
        if answer in ("q", "quit"):
            return None
        found = [o.name for k, o in enumerate(options, start=1) if answer == str(k) or o.name.startswith(answer)]
        if len(found) == 1 or answer in found:
            return answer if answer in found else found[0]
        click.echo(f"  {answer!r} is none of these")


def review(play):
    """What the first player's decisions have cost, as text."""
    decisions = play.review()
    wrong = decisions[decisions["loss"] > 0].sort_values("loss", ascending=False)
    lines = [f"{len(decisions)} decisions, {len(wrong)} not the best; they cost {play.loss():.2%} of a win in all."]
    if len(wrong):
        shown = wrong.assign(loss=wrong["loss"].map("{:.2%}".format)).head(10)
        lines.append(shown.drop(columns="rolled" if not wrong["rolled"].any() else []).to_string(index=False))
    return "\n".join(lines)
