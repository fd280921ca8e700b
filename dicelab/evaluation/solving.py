"""`solve`: checks what is asked, and asks the engine."""

from .._accuracy import check_told_apart
from .._validation import check_bool, check_int, check_option, check_players, invalid
from ..engine.questions import check_error, solved
from ..games.absorption import choices_are_ranked
from ..games.model import LAST_TURN, Game, plain_finish
from ..games.named import read_game
from ..solution import ALONE, CLOCK, OBJECTIVES, PREFERENCES, Solution

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
        A game, or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    objective : {"win", "margin", "turns", "score", "deadline", "total", "rounds"}
        "win": two players; the probability that the player about to move wins. If the target must be hit exactly, play
        may never end; that counts half.
        "margin": two players; the points that the player about to move can expect to win, if the loser pays the winner
        what the loser still needs (Crocce and Mordecki 2009, section 4.2).
        "turns": one player; the fewest expected turns to the target (Haigh and Roters 2000).
        "score": one player; the most expected points of one turn, whatever the target (Roters 1998).
        "deadline": one player; the best probability to reach the target within `turns` turns (the exercise "Pig
        Solitaire" of Neller, Russell and Markov 2005). The policy depends on the turns left.
        "total": one player; the most expected points after `turns` turns, whatever the target: that of the solution's
        `game` is beyond all that they bring. A roll that loses the game leaves 0.
        "rounds": two players; the probability to have the higher score after `turns` turns each, whatever the target.
        Equal scores share the win.
        "rounds" and the objectives of one player ignore the last turns of "equal turns" and "last licks": the `game` of
        the solution has the finish "reach".
    overshoot : bool
        For "margin": the loser pays the difference of the scores, points beyond the target included.
    exact : bool
        Compute in fractions: values are Fractions, and ties are found, not guessed. This is slower. Pig to 50 takes
        seconds with gmpy2 (``pip install dicelab[exact]``), Pig to 100 takes minutes; with resets or penalties take a
        small target.
    players : int
        The number of players, at least 2. More than two play for "win" only. You get an equilibrium, and for every
        tuple of scores a verdict: one equilibrium in pure strategies, several, or none.
    prefer : {"cautious", "bold"}
        For more than two players: of several equilibria at a tuple, take the one with the fewest busts, or with the
        most; see :mod:`dicelab.engine.equilibria`.
    turns : int, optional
        For "deadline", "total" and "rounds" only, and required there: a player's number of turns, at least 1.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If an argument is not allowed. If "margin" is asked of a game with a last turn. If rolls above the target can
        go on without end and risk nothing: a turn may have no best end then. If a match need not end, because a
        penalty or a reset leads back.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes, and points there count. In fractions with
        more than two players, with resets or penalties, or if an equilibrium may be irrational.
    ConvergenceError
        If the solver can't vouch for its answer.
    MemoryError
        Before solving, if it would take more than half of the memory.

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
    >>> round(solve(pig(), "deadline", turns=10).value, 4), round(solve("two-dice-pig", "total", turns=5).value, 4)
    (0.4654, 36.2915)
    """
    rules = read_game(game)
    check_option(objective, "objective", OBJECTIVES)
    if objective in (*ALONE, *CLOCK):
        rules = plain_finish(rules)
    last_turn = rules.finish in LAST_TURN
    check_bool(overshoot, "overshoot")
    check_bool(exact, "exact")
    if overshoot and objective != "margin":
        raise ValueError(
            f"overshoot: True is not allowed with objective {objective!r}; points count in 'margin' alone"
        )
    check_option(prefer, "prefer", PREFERENCES)
    if objective in CLOCK:
        turns = check_int(turns, "turns", 1) * (1 if objective in ALONE else 2)
    elif turns is not None:
        raise invalid(
            "turns",
            turns,
            f"None with objective {objective!r}; turns are limited in {', '.join(map(repr, CLOCK))} alone",
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
    if overshoot and choices_are_ranked(rules):
        raise NotImplementedError(
            f"{rules.name}: beyond the target a player must roll and choose, and the best choice depends on the points"
        )
    repeats = rules.resets or rules.registers or last_turn
    if repeats and objective in ("win", "margin") and not exact:
        check_told_apart(rules, "; solve with exact=True" * (players == 2))
    solution = solved(
        rules, objective, exact, turns, overshoot, players, prefer if players > 2 else None
    )
    check_error(
        rules,
        solution.error,
        1 if objective == "win" else max(1, abs(solution.value)),
        "; solve with exact=True" * (players == 2),
    )
    return solution
