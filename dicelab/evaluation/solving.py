"""`solve`: checks what is asked, and asks the engine."""

from .._accuracy import check_error, check_told_apart
from .._validation import check_bool, check_int, check_option, check_players, invalid
from ..engine.questions import solved
from ..games.model import LAST_TURN, Game, plain_finish
from ..games.named import read_game
from ..solution import ALONE, OBJECTIVES, PREFERENCES, Solution

__all__ = ["solve"]


def solve(
    game: Game | str,
    objective: str = "win",
    *,
    overshoot: bool = False,
    exact: bool = False,
    players: int = 2,
    prefer: str = "cautious",
    turns: int | None = None,
) -> Solution:
    """Solve a game: the value and an optimal policy.

    Parameters
    ----------
    game : Game or str
        Or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    objective : {"win", "margin", "turns", "score", "deadline"}
        "win": two players; the probability that the player about to move wins the race. Endless play, which there is
        if the target must be hit exactly, counts half.
        "margin": two players; the points that the player about to move can expect to win, if the loser pays the winner
        what the loser still needs (Crocce and Mordecki 2009, section 4.2).
        "turns": one player; the fewest expected turns to the target (Haigh and Roters 2000).
        "score": one player; the most expected points of one turn, whatever the target (Roters 1998).
        "deadline": one player; the best probability to reach the target within `turns` turns (the exercise "Pig
        Solitaire" of Neller, Russell and Markov 2005). The policy depends on the turns left.
        One player is answered by no last turn: for the last three, the finishes "equal turns" and "last licks" are
        "reach", also in the `game` of the solution.
    overshoot : bool
        For "margin": the loser pays the difference of the scores, points beyond the target included.
    exact : bool
        Rational arithmetic: values are Fractions, and ties are found rather than guessed. Slower: Pig to 50 takes
        seconds with gmpy2 (``pip install dicelab[exact]``), and to 100 minutes; games with resets or penalties
        are for small targets.
    players : int
        How many race, at least 2. For more than two, objective "win" only: an equilibrium, with a verdict on every
        tuple of scores, whether there is one in pure strategies, or several, or none.
    prefer : {"cautious", "bold"}
        With more than two players, which of several equilibria is taken at a tuple: the one with the fewest busts, or
        the most; see :mod:`dicelab.engine.equilibria`.
    turns : int, optional
        For "deadline", where it must be given: the number of turns, at least 1.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If an argument is none of what is allowed. For "margin" with a last turn; for rules in which rolls above the
        target can follow each other without end and risk nothing, so that a turn may have no best end; and for matches
        that need not end, where a penalty or a reset leads back.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes, and points there count. In fractions with
        more than two players, with resets or penalties, or if an equilibrium may be irrational.
    ConvergenceError
        If the solver cannot vouch for its answer; it never returns quietly.
    MemoryError
        Beforehand, if it would take more than half of the memory that there is.

    Examples
    --------
    >>> from dicelab import pig
    >>> round(solve(pig()).value, 6)
    0.530593
    >>> round(solve("pig 10").value, 6)
    0.709424
    >>> round(solve(pig(), "turns").value, 3)
    12.545
    >>> solve(pig(), "score", exact=True).value
    Fraction(492303203, 60466176)
    >>> [round(chance, 4) for chance in solve(pig(30), players=3).value]
    [0.4274, 0.3252, 0.2474]
    >>> round(solve(pig(), "deadline", turns=10).value, 4)
    0.4654
    """
    rules = read_game(game)
    check_option(objective, "objective", OBJECTIVES)
    if objective in ALONE:
        rules = plain_finish(rules)
    last_turn = rules.finish in LAST_TURN
    check_bool(overshoot, "overshoot")
    check_bool(exact, "exact")
    if overshoot and objective != "margin":
        raise ValueError(
            f"overshoot: True is not allowed with objective {objective!r}; points count in 'margin' alone"
        )
    check_option(prefer, "prefer", PREFERENCES)
    if objective == "deadline":
        turns = check_int(turns, "turns", 1)
    elif turns is not None:
        raise invalid(
            "turns",
            turns,
            f"None with objective {objective!r}; turns are limited in 'deadline' alone",
        )
    if last_turn and objective == "margin":
        raise ValueError(
            f"{rules.name} with finish={rules.finish!r} has no margin: after a last turn a loser may need nothing"
        )
    if check_players(players) > 2:
        if objective != "win":
            raise ValueError(
                f"objective: {objective!r} is for fewer players; more than two play for 'win' alone"
            )
    elif prefer != PREFERENCES[0]:
        raise ValueError(
            f"prefer: {prefer!r} is for more than two players, who may have several equilibria"
        )
    repeats = rules.resets or rules.registers or last_turn
    if repeats and objective in ("win", "margin") and not exact:
        check_told_apart(rules, "; solve with exact=True" * (players == 2))
    prefer = prefer if players > 2 else None
    solution = solved(rules, objective, exact, turns, overshoot, players, prefer)
    unit = 1 if objective == "win" else max(1, abs(solution.value))
    check_error(rules, solution.error, unit, "; solve with exact=True")
    return solution
