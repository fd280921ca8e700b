"""The limits of accuracy: what is estimated, guarded and refused.

Three words describe the accuracy of a result. The *residual* is how far the solver's equations are from holding in the
returned values, as float64 evaluates them. The *error* estimates how far the values are off. *Bounds* are proven, by
interval arithmetic, and not here.

**What is estimated.** N is the target, ε = 4e-16 the rounding of one value (`ROUNDING`).

- ``solve``, "win" and "margin". Residual: the largest |x - f(y)| and |y - g(x)| of a pair of scores, or the largest
  change in the last sweep; with resets, also how far one more sweep would change the values after resets. Error:
  G·(residual + ε·√(2N)), in targets for "margin". A value is an average of later values, so that roundings add up like
  a random walk through the 2N sums of scores. G says how errors grow from sweep to sweep: it is measured where there
  are penalties, or resets with registers or a last turn (:func:`dicelab.engine.fixed_points.growth_of`), and else 1.
- ``solve(players=n)``. Residual: the most that one player gains by another action; with resets, also the last change of
  the values after resets. Error: as for two.
- ``solve``, "turns". Residual: of the Bellman equation, relative to the number of turns. Error: as for two, in turns.
- ``solve``, "score". Residual: 0. Error: 10·ε·K, where K is the threshold at and beyond which every mode holds.
- ``solve``, "deadline" and "total". Nothing is iterated, and there is no residual. Error: ε·√(2N), of the value.
- ``solve(exact=True)``. Both are 0; the arithmetic is rational.
- ``evaluate``, ``best_response`` and what they ask. As ``solve``: a residual of the last sweep and of the values after
  resets and penalties, 0 where nothing is iterated, and an error G·(residual + ε·√(2N)), in units of what is asked.
- ``simulate``. Standard errors; nothing is solved.

**What is guarded.** Where turns nearly always bust, 1 minus the probability to bust would lose its digits. So every
solver accumulates the probability to leave the bust value, a sum of positive terms, and divides by that. Decisions with
an advantage below TIE count as ties: the player holds, or takes the first choice. Endless play is found on the graph of
the scores, not from numbers.

**What is refused**, by a :class:`ConvergenceError`:

- games in which what float64 takes for a tie adds up (:func:`check_told_apart`): with resets that undo all but one race
  in 10,000, or an outcome rarer than 1e-8 ("win" and "margin" for two with resets; ``best_response``);
- an error above 1e-12 (`ACCURACY`); the residual is a part of it. In ``solve`` it is relative to the value at the
  start, if that is more than 1. In ``evaluate`` and ``best_response`` it is that of a probability, of a margin in
  targets, or of the number of turns and its square, relative to these;
- "turns" that reach the target less than once in 1e290 turns;
- strategy iteration in fractions that does not settle, and bounds that cannot be found.

A nan is refused, too. So are contradictions: a best response that wins less than the policy that it answers, a policy
that wins more than the best possible, turns whose probabilities do not sum to one, seats whose chances do not.
"""

ACCURACY = 1e-12  # what a float64 result promises: some thousand times its rounding
ROUNDING = 4e-16  # of the values of one pair: four units of the last place at 1/2
CLOSE = 4e-16  # agreement of x and h(x) at which a pair is solved: no float64 does much better
SETTLED = 4e-15  # change of the values after resets at which iterations stop: ten roundings
TIE = 1e-12  # float64 does not tell a smaller advantage of rolling from a tie; fractions do
UNLIKELY = 1e-20  # a chance at which turns above the target end that no risk ends
FOREVER = 1e300  # the expected turns of endless play: finite, so that 0 times it is 0
ENDLESS = 1e290  # a larger number of expected turns has endless play in it


class ConvergenceError(ArithmeticError):
    """A solver cannot vouch for its answer."""


def check_told_apart(game, said=""):
    """Raise ConvergenceError if an advantage below TIE may be repeated so often that it matters.

    Two kinds of games are refused: where nearly every race is undone by a reset (to score N takes N / m rolls or more
    without one, m the most points of a roll), and where an outcome is rarer than 1e-8. To wait for an event of
    probability 1e-12 and to give it up look alike in float64, and yet all may depend on it.
    """
    rare = min((outcome.probability for mode in game.modes for outcome in mode.outcomes), default=1)
    stays = 1 - min((mode.chance("reset") for mode in game.modes if mode.outcomes), default=0)
    # Each decision is repeated as often as a race is undone.
    undone = game.resets and float(stays) ** -(-game.target // game.most_points) < 1e-4
    if rare < 1e-8 or undone:
        raise ConvergenceError(
            f"{game.name}: an outcome is rarer than 1e-08, or fewer than 1e-04 of the races are not undone by a reset,"
            f" and float64 does not tell apart decisions that depend on it{said}"
        )


def check_not_beaten(game, more, unit=1.0):
    """Raise ConvergenceError if something gains `more` than the best possible: two results contradict each other."""
    if not more <= ACCURACY * unit:
        raise ConvergenceError(
            f"{game.name}: a policy gains {more:.1e} more than the best possible; a contradiction"
        )
