"""Textbook solvers: plain, slow, readable. For lectures, and as the second opinion in tests.

They share with the fast solvers the rules of the game and the exact chances beyond the target
(:mod:`dicelab.finish`), nothing else: no skipping, no Newton step, and no compiled code, but for the learners' loop. V
is the value to the player about to move, at the start of a turn.

`value_iteration`
    Neller and Presser (2004): improve every state by the Bellman equation until nothing changes much.
`policy_evaluation`
    Both policies fixed, the match is a Markov chain: one large sparse system of linear equations.
`backwards`
    Crocce and Mordecki (2018), Algorithms 1 and 2: pairs of scores from the target backwards; for each, two polygonal
    curves x = f(y), y = g(x), and where they meet, found in one of three ways:
    `by_intersection` (the paper's own, exact), `by_fixed_point` (Remark 1), `by_linear_program` (Remark 2).
`turns_process`, `score_process`
    One player: the states, actions and costs of a race for the fewest turns, and of one turn for the most points. There
    are three ways to solve them: `iterate_values`, `iterate_policies`, `linear_program`.
`solve_stochastic`
    Crocce and Mordecki (2009), Theorem 2.1: any finite transient stochastic game, a matrix game at every state, by
    iterating Shapley's operator. `as_stochastic_game` makes one of a race, `simultaneous_hog` one in which both players
    decide at once.
`learn`
    Q-learning, Sarsa and TD(0), Monte Carlo control and prediction: players who do not know the rules learn a
    generalized Pig by playing against themselves. `Learned` is what they knew and when, `GreedyPolicy` what they play;
    `action_values` is what there is to be learned.
"""

from .learning import GreedyPolicy, Learned, action_values, learn
from .polygons import Polygon, backwards, by_fixed_point, by_intersection, by_linear_program, curve, curves
from .races import policy_evaluation, value_iteration
from .solitaire import DecisionProcess, iterate_policies, iterate_values, linear_program, score_process, turns_process
from .stochastic import StochasticGame, as_stochastic_game, matrix_game, shapley, simultaneous_hog, solve_stochastic

__all__ = [
    "DecisionProcess",
    "GreedyPolicy",
    "Learned",
    "Polygon",
    "StochasticGame",
    "action_values",
    "as_stochastic_game",
    "backwards",
    "by_fixed_point",
    "by_intersection",
    "by_linear_program",
    "curve",
    "curves",
    "iterate_policies",
    "iterate_values",
    "learn",
    "linear_program",
    "matrix_game",
    "policy_evaluation",
    "score_process",
    "shapley",
    "simultaneous_hog",
    "solve_stochastic",
    "turns_process",
    "value_iteration",
]
