"""Textbook solvers: plain, slow and readable. The lectures use them, and tests compare the fast solvers with them.

They share only two things with the fast solvers: the rules of the games, and the exact probabilities beyond the target
(:mod:`dicelab_extras.proofs.rules`). V is the value to the player about to move, at the start of a turn.

two_player
    `value_iteration` solves a race as Neller and Presser (2004) did. `policy_evaluation` evaluates a match between two
    policies, a Markov chain, as one linear system.
piecewise_linear
    `backward_induction` solves a race pair by pair (Crocce and Mordecki 2018), as the intersection of two piecewise
    linear curves, by one of three methods: `by_intersection`, `by_fixed_point`, `by_linear_program`.
one_player
    `turns_process` and `score_process` make Markov decision processes: a race for the fewest turns, and one turn for
    the most points. `mdp_value_iteration`, `policy_iteration` and `linear_program` solve them. `deadline_chances`
    is the best chance to reach the target within n turns, by recursion.
problems
    Six standard problems as data: `machine_replacement`, `inventory`, `admission` to a queue, a robot on a `grid`, the
    `secretary` problem and a `two_armed_bandit`.
stochastic
    `solve_stochastic` solves any finite transient stochastic game by Shapley's operator (Crocce and Mordecki 2009).
    `as_stochastic_game` makes one from a race, and `simultaneous_hog` one in which both players decide at once.
ten_thousand
    The two algorithms of Crocce and Mordecki (2014) for one turn of Ten Thousand.
"""

from .one_player import (
    DecisionProcess,
    deadline_chances,
    linear_program,
    mdp_value_iteration,
    policy_iteration,
    score_process,
    turns_process,
)
from .piecewise_linear import (
    PiecewiseLinear,
    backward_induction,
    by_fixed_point,
    by_intersection,
    by_linear_program,
    curves,
)
from .problems import (
    admission,
    grid,
    inventory,
    machine_replacement,
    secretary,
    two_armed_bandit,
)
from .stochastic import (
    StochasticGame,
    as_stochastic_game,
    matrix_game,
    shapley,
    simultaneous_hog,
    solve_stochastic,
)
from .ten_thousand import algorithm_4_2, appendix_algorithm
from .two_player import policy_evaluation, value_iteration

__all__ = [
    "DecisionProcess",
    "PiecewiseLinear",
    "StochasticGame",
    "admission",
    "algorithm_4_2",
    "appendix_algorithm",
    "as_stochastic_game",
    "backward_induction",
    "by_fixed_point",
    "by_intersection",
    "by_linear_program",
    "curves",
    "deadline_chances",
    "grid",
    "inventory",
    "linear_program",
    "machine_replacement",
    "matrix_game",
    "mdp_value_iteration",
    "policy_evaluation",
    "policy_iteration",
    "score_process",
    "secretary",
    "shapley",
    "simultaneous_hog",
    "solve_stochastic",
    "turns_process",
    "two_armed_bandit",
    "value_iteration",
]
