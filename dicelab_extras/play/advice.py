"""What to do in a position, in words."""

from dicelab._results import plain_of
from dicelab._shown import title_of

from .session import GameSession

__all__ = ["advice_at", "advice_to_dict"]


def advice_to_dict(solution, situation):
    """What :func:`advice_at` says, as a dict that the module json can write; docs/package.md lists the keys."""
    session = GameSession(solution)
    session.go_to(situation)
    options = session.options()
    most = max((option.value for option in options), default=None)
    return {
        "result": "Advice",
        "game": plain_of(session.game),
        "scores": [int(score) for score in session.scores],
        "turn_total": session.total,
        "mode": session.mode.name,
        "roll": plain_of(session.rolled),
        "best": session.best().name if options else None,
        "options": [
            {"action": each.name, "chances": list(each.chances), "cost": most - each.value}
            for each in options
        ],
        "words": advice_at(solution, situation),
    }


def advice_at(solution, situation):
    """What to do in a situation, and the win probability of every option, as text.

    Parameters
    ----------
    solution : Solution
        Of the game, objective "win".
    situation : Situation

    Returns
    -------
    str
        The position, the advice, and a line for each option.

    Examples
    --------
    >>> import dicelab as dl
    >>> from dicelab_extras.play.situation import parse_situation
    >>> print(advice_at(dl.solve(dl.pig()), parse_situation("pig 100: 30-45 +22")))
    Pig to 100. You have 30 points, your opponent 45 points, this turn 22 points.
    Roll.
      roll  you win with 52.644%
      hold  you win with 52.551%; it costs 0.093%
    >>> print(advice_at(dl.solve(dl.pig(50), players=3), parse_situation("pig 50: 20-35-10 +12")))
    Pig to 50. You have 20 points, the others 35 points and 10 points, this turn 12 points.
    Roll.
      roll  you win with 50.674%, they with 42.104% and 7.222%
      hold  you win with 25.062%, they with 63.966% and 10.972%; it costs 25.612%
    """
    session = GameSession(solution)
    session.go_to(situation)
    lines = [describe(session)]
    if session.mode.may_hold and not session.rolled and session.total >= session.enough:
        won = "that reaches the target, and you have won"
        won = "you have the higher score, and have won" if session.to_beat is not None else won
        won = "there every hold is right" if session.answered or session.still else won
        return "\n".join([*lines, f"Hold: {won}."])
    if session.rolled and not session.pending:
        return "\n".join([*lines, "No dice score: the points of this turn are lost."])
    options = session.options()
    if not options:
        return "\n".join(
            [*lines, f"Hold: that loses the points of the turn, as {session.cannot_hold}."]
        )
    best, asks = session.best(), session.mode.asks
    after = [f" {then(session, choice)}" for choice in session.pending if not asks] or [""] * len(
        options
    )
    lines.append(f"{best.name.capitalize()}{after[options.index(best)]}.")
    names = [option.name + more for option, more in zip(options, after, strict=True)]
    ranked = sorted(zip(options, names, strict=True), key=lambda pair: -pair[0].value)
    for option, name in ranked:
        theirs = ", they with " + " and ".join(f"{chance:.3%}" for chance in option.chances[1:])
        more = theirs if session.players > 2 else ""
        lost = ranked[0][0].value - option.value
        more += f"; it costs {lost:.3%}" if lost > 0 else ""
        lines.append(f"  {name:<{max(map(len, names))}}  you win with {option.value:.3%}{more}")
    return "\n".join(
        [*lines, *([f"  no hold: {session.cannot_hold}"] if session.cannot_hold else [])]
    )


def describe(session):
    """The position of the player to move as a sentence."""
    say = session.game.with_unit
    mode = (
        f"{session.mode.name} in hand"
        if session.mode.dice
        else f"in the mode {session.mode.name!r}"
    )
    dice = f", {mode}" if len(session.game.modes) > 1 else ""
    dice = f", rolled {' '.join(map(str, session.rolled))}" if session.rolled else dice
    who = "your opponent" if session.players == 2 else "the others"
    # The words of a score have a comma of their own.
    between = "; " if session.game.registers else ", "
    others = " and ".join(map(say, session.others))
    scores = between.join(
        [f"You have {say(session.own)}", f"{who} {others}", f"this turn {say(session.total)}"]
    )
    more = f" {session.about_last_turn.capitalize()}." if session.about_last_turn else ""
    return f"{title_of(session.game)}. {scores}{dice}.{more}"


def then(session, choice):
    """What a choice of dice brings, and what to do next: "for 2 chips (100 points), then roll the 4 dice"."""
    game, total = session.game, session.total + choice.points
    brings = f"for {game.with_unit(choice.points)}"
    may_hold = game.modes[game.mode(choice.mode)].may_hold
    if total > session.enough and game.finish == "exact":
        return f"{brings}, and overshoot the target"
    if total >= session.enough and may_hold and not (session.answered or session.still):
        enough = total >= session.least
        return f"{brings}, and {'win' if enough else 'hit the target with too few to hold'}"
    policy, opponent = session.asked(session.solution.policy)
    rolls = policy.rolls(session.own, opponent, total, choice.mode, role=session.role)
    return f"{brings}, then {f'roll {choice.mode}' if rolls else 'hold'}"
