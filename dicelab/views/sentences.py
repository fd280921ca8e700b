"""The value of a solution as a sentence."""

from .._exact import ExactValue
from .._shown import title_of
from ..solution import OBJECTIVES, POINTS_COUNT, VERDICTS, check_solution, turns_in_words

__all__ = ["decimals", "is_short", "value_in_words", "verdicts_in_words"]

SHORT = 80  # digits of a numerator or a denominator that are printed
MEANINGS = {
    "win": "the player to move wins with probability {value}",
    "margin": "the player to move wins by {value} on average, if the loser pays what is missing",
    "turns": "the fewest turns to the target, without an opponent, are {value} on average",
    "score": "the best turn brings {value} on average, whatever the target",
    "deadline": "the target is reached within {turns} with probability {value}",
    "total": "the best play brings {value} on average in {turns}, whatever the target",
}


def value_in_words(solution):
    """The value at the start of the game, with its unit and its accuracy, as a sentence.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    str
        A fraction of many digits is shortened to some decimals and the numbers of its digits. With more than two
        players there is a line for each seat.

    Examples
    --------
    >>> import dicelab as dl
    >>> value_in_words(dl.solve(dl.piglet(3)))
    'Piglet to 3: the player to move wins with probability 0.545454545455 (estimated error 1e-15)'
    >>> value_in_words(dl.solve(dl.piglet(3), exact=True))
    'Piglet to 3: the player to move wins with probability 0.54545454545454545454…, exactly 6/11'
    """
    if getattr(solution, "players", 2) > 2:
        return shares_in_words(solution)
    check_solution(solution, OBJECTIVES)
    game = solution.game
    exact = solution.exact
    counted = solution.objective in ("margin", *POINTS_COUNT)
    show = decimals if exact else "{:.12f}".format
    value = game.with_unit(solution.value, show) if counted else show(solution.value)
    unit = game.unit.split()[0] if counted else ""
    accuracy = (
        f", {fraction_in_words(solution.value, unit)}"
        if exact
        else f" (estimated error {solution.error:.0e})"
    )
    turns = turns_in_words(solution.turns) if solution.turns else ""
    return f"{solution.title}: {MEANINGS[solution.objective].format(value=value, turns=turns)}{accuracy}"


def shares_in_words(solution):
    """The chances by seat at the start of the game, a line each."""
    show = decimals if solution.exact else "{:.12f}".format
    accuracy = "" if solution.exact else f" (estimated error {solution.error:.0e})"
    lines = [
        f"{title_of(solution.game)}, {solution.players} players: the probability to win, by seat{accuracy}"
    ]
    for seat, chance in enumerate(solution.value, start=1):
        exactly = f", {fraction_in_words(chance)}" if solution.exact else ""
        lines.append(f"  {seat}  {show(chance)}{exactly}")
    return "\n".join(lines)


def verdicts_in_words(solution):
    """How many tuples of needs have one equilibrium in pure strategies, several or none, as a sentence.

    Examples
    --------
    >>> import dicelab as dl
    >>> verdicts_in_words(dl.solve(dl.piglet(3), players=3))
    'Equilibria in pure strategies: one at 11 tuples of needs, several at 0, none at 0.'
    """
    counts = solution.verdicts["verdict"].value_counts()
    one, several, none = (f"{counts[verdict]:,}" for verdict in VERDICTS)
    taken = f" Of several, the {solution.prefer} one is taken." if counts["several"] else ""
    mixed = " Where there is none, players mix." if counts["none"] else ""
    counted = f"one at {one} tuples of needs, several at {several}, none at {none}"
    return f"Equilibria in pure strategies: {counted}.{taken}{mixed}"


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
