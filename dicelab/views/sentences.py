"""Results as sentences: the value of a solution, and what to do in a given position."""

from .._exact import ExactValue
from .._shown import title_of
from .._validation import check_int, invalid
from ..evaluation.action_values import turn_action_values
from ..solution import check_solution
from .session import GameSession

__all__ = ["advice", "decimals", "is_short", "value_in_words"]

SHORT = 80  # digits of a numerator or a denominator that are printed
MEANINGS = {
    "win": "the player to move wins with probability {value}",
    "margin": "the player to move wins by {value} on average, if the loser pays what is missing",
    "turns": "the fewest turns to the target, without an opponent, are {value} on average",
    "score": "the best turn brings {value} on average, whatever the target",
}


def value_in_words(solution):
    """The value at the start of the game, with its unit and its accuracy, as a sentence.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    str
        A fraction of many digits is shortened to some decimals and the numbers of its digits.

    Examples
    --------
    >>> import dicelab as dl
    >>> value_in_words(dl.solve(dl.piglet(3)))
    'Piglet to 3: the player to move wins with probability 0.545454545455 (estimated error 1e-15)'
    >>> value_in_words(dl.solve(dl.piglet(3), exact=True))
    'Piglet to 3: the player to move wins with probability 0.54545454545454545454…, exactly 6/11'
    """
    check_solution(solution)
    game, exact, counted = solution.game, solution.exact, solution.objective in ("margin", "score")
    show = decimals if exact else "{:.12f}".format
    value = game.with_unit(solution.value, show) if counted else show(solution.value)
    unit = game.unit.split()[0] if counted else ""
    accuracy = f", {fraction_in_words(solution.value, unit)}" if exact else f" (estimated error {solution.error:.0e})"
    return f"{title_of(game)}: {MEANINGS[solution.objective].format(value=value)}{accuracy}"


def fraction_in_words(value, unit=""):
    """A fraction, or the numbers of its digits if there are many."""
    above, below = ExactValue(value).in_full().split("/")
    if is_short(value):
        return f"exactly {above}/{below} {unit}".strip()
    digits = f"{len(above):,} digits above the line and {len(below):,} below"
    return f"exactly a fraction with {digits}{unit and f', in {unit}'}"


def is_short(value):
    """Whether a fraction is printed whole."""
    return max(map(len, ExactValue(value).in_full().split("/"))) <= SHORT


def decimals(value, number=20):
    """The first decimals of a fraction; "…" says that there are more.

    >>> from fractions import Fraction
    >>> decimals(Fraction(1, 4)), decimals(Fraction(-2, 3), 5)
    ('0.25', '-0.66666…')
    """
    shifted, rest = divmod(abs(value.numerator) * 10**number, value.denominator)
    whole, part = divmod(shifted, 10**number)
    digits = f"{part:0{number}d}"
    return f"{'-' * (value < 0)}{whole}.{f'{digits}…' if rest else digits.rstrip('0') or '0'}"


def advice(solution, own, opponent, turn_total, mode=None, roll=None):
    """What to do in a position, and the win probability of every option, as text.

    Parameters
    ----------
    solution : Solution
        Of the game, objective "win".
    own, opponent, turn_total : int
        In points or, where the game counts chips, in chips; the turn total before a given roll.
    mode : str, optional
        The name of the turn's mode; by default the first. It must be given if it is the number of dice in hand, unless
        the turn begins or a roll is given.
    roll : sequence of int, optional
        The dice on the table, in a game in which dice are set aside.

    Returns
    -------
    str
        The position, the advice, and a line for each option.

    Raises
    ------
    ValueError
        If there is no such position.

    Examples
    --------
    >>> import dicelab as dl
    >>> print(advice(dl.solve(dl.pig()), 30, 45, 22))
    Pig to 100. You have 30 points, your opponent 45 points, this turn 22 points.
    Roll.
      roll  you win with 52.644%
      hold  you win with 52.551%
    """
    session = position(solution, own, opponent, turn_total, mode, roll)
    ended = session.mode.may_hold and not roll and own + turn_total >= session.game.target
    lines = [describe(session)]
    if ended:
        return "\n".join([*lines, "Hold: that reaches the target, and you have won."])
    if roll and not session.pending:
        return "\n".join([*lines, "No dice score: the points of this turn are lost."])
    options, best = session.options(), session.best()
    after = [f" {then(session, choice)}" for choice in session.pending] or [""] * len(options)
    lines.append(f"{best.name.capitalize()}{after[options.index(best)]}.")
    names = [option.name + more for option, more in zip(options, after, strict=True)]
    ranked = sorted(zip(options, names, strict=True), key=lambda pair: -pair[0].value)
    lines += [f"  {name:<{max(map(len, names))}}  you win with {option.value:.3%}" for option, name in ranked]
    return "\n".join(lines)


def position(solution, own, opponent, turn_total, mode=None, roll=None):
    """A game in progress at a given position, player 0 to move; see :func:`advice`."""
    session = GameSession(solution)
    game = session.game
    for name, score in (("own", own), ("opponent", opponent)):
        if check_int(score, name, 0) >= game.target:
            raise invalid(name, score, f"a score below the target, {game.with_unit(game.target)}")
    check_int(turn_total, "turn_total", 0)
    by_dice = any(mode.dice for mode in game.modes)
    if own + turn_total > game.target and game.finish == "exact":
        raise invalid("turn_total", turn_total, f"at most {game.with_unit(game.target - own)}; more is a bust")
    if roll and own + turn_total >= game.target:
        raise invalid(
            "turn_total", turn_total, f"less than {game.with_unit(game.target - own)}, which reach the target"
        )
    if roll and not by_dice:
        raise ValueError(f"roll: {list(roll)} is not allowed; {game.name} leaves no choice after a roll")
    if roll and mode:
        raise ValueError(f"mode: {mode!r} is not allowed with a roll, which has as many dice as are in hand")
    if by_dice and turn_total and not (mode or roll):
        names = ", ".join(repr(mode.name) for mode in game.modes)
        raise ValueError(f"mode: give the dice in hand, one of {names}, or the roll on the table")
    session.scores, session.total = [own, opponent], turn_total
    session.action_values = turn_action_values(solution, own, opponent)
    session.mode = game.modes[game.mode(mode)]
    if roll:
        session.mode, outcome = game.classify_roll(roll)
        session.rolled, session.pending = tuple(roll), outcome.choices
    return session


def describe(session):
    """The position of the player to move as a sentence."""
    say = session.game.with_unit
    own, opponent = session.own, session.scores[1 - session.player]
    mode = f"{session.mode.name} in hand" if session.mode.dice else f"in the mode {session.mode.name!r}"
    dice = f", {mode}" if len(session.game.modes) > 1 else ""
    dice = f", rolled {' '.join(map(str, session.rolled))}" if session.rolled else dice
    scores = f"You have {say(own)}, your opponent {say(opponent)}, this turn {say(session.total)}"
    return f"{title_of(session.game)}. {scores}{dice}."


def then(session, choice):
    """What a choice of dice brings, and what to do next: "for 2 chips (100 points), then roll the 4 dice"."""
    game, total = session.game, session.total + choice.points
    brings = f"for {game.with_unit(choice.points)}"
    if session.own + total >= game.target:
        return f"{brings}, and win"
    rolls = session.solution.policy.rolls(session.own, session.scores[1 - session.player], total, choice.mode)
    return f"{brings}, then {f'roll {choice.mode}' if rolls else 'hold'}"
