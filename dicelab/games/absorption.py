"""What the graph of modes tells of turns: whether a player can roll on for ever, or surely moves on."""

__all__ = ["always_moves_on", "choices_are_ranked", "closed_within", "moves_of", "never_risks"]


def choices_are_ranked(game):
    """Whether a player who may not hold has a choice of modes, so that the best way past the target must be found."""
    outcomes = [
        outcome
        for mode in game.modes
        if not mode.may_hold and mode.name in game.reached_with_points
        for outcome in mode.outcomes
    ]
    if game.finish == "exact":
        return any(
            len(o.choices) > 1 and not all(choice.points for choice in o.choices) for o in outcomes
        )
    return any(len({choice.mode for choice in outcome.choices}) > 1 for outcome in outcomes)


def always_moves_on(game):
    """Whether some rolls in succession score or finish, however the player chooses: nobody can wait for ever."""
    game = game.until_change
    rolls = [[to for to in roll if not isinstance(to, str)] for roll in moves_of(game)]
    scoring = all(own for own, mode in zip(rolls, game.modes, strict=True) if mode.outcomes)
    return scoring and not closed_within(
        (m for m, mode in enumerate(game.modes) if not mode.may_hold), rolls
    )


def never_risks(game):
    """Whether a turn above the target can be played on for ever without a risk, in modes without a hold as well."""
    game = game.until_change
    rolls = [[[] if isinstance(to, str) else to for to in roll] for roll in moves_of(game)]
    reached = map(game.mode, game.reached_with_points)
    return bool(closed_within((m for m in reached if rolls[m]), rolls))


def closed_within(modes, rolls):
    """The largest subset of some modes in which every roll offers a choice that stays there, a set.

    Parameters
    ----------
    modes : iterable of int
    rolls : sequence or dict of list of list
        By mode and outcome the choices, tuples that begin with the next mode; an outcome without choices stays nowhere.
    """
    found = set(modes)
    while leaving := {m for m in found if not all(any(c[0] in found for c in o) for o in rolls[m])}:
        found -= leaving
    return found


def moves_of(game):
    """Of every mode the outcomes: the choices, pairs (index of the next mode, points), or the result."""
    return [
        [[(game.mode(c.mode), c.points) for c in o.choices] or o.result for o in mode.outcomes]
        for mode in game.modes
    ]
