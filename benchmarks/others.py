"""What people use today, where it is installed (``pip install -e '.[bench]'``): other solvers of the same problems.

Each function returns the value of a game and the seconds that solving took, building the model apart.
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.sparse import csr_array

import dicelab as dl
from collection import textbook


def timed(function, *arguments, **options):
    """What a function returns, and the seconds that it took."""
    start = perf_counter()
    result = function(*arguments, **options)
    return result, perf_counter() - start


def hand_written_c():
    """The function of ``pig.c``, compiled for this machine; None if there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "pig.so"
        source = Path(__file__).with_name("pig.c")
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source, "-lm"], check=True)
        pig = ctypes.CDLL(str(library)).pig
    pig.restype, pig.argtypes = ctypes.c_double, [ctypes.c_long]
    return pig


def python_value_iteration(target):
    """Value iteration in plain Python, pair by pair: :func:`collection.course.textbook.value_iteration`."""
    (values, _), taken = timed(textbook.value_iteration, dl.pig(target))
    return values[0, 0], taken


def open_spiel(target):
    """OpenSpiel's value iteration."""
    import pyspiel
    from open_spiel.python.algorithms.value_iteration import value_iteration

    game = pyspiel.load_game(f"pig(players=2,winscore={target},horizon=1000)")
    values, taken = timed(value_iteration, game, -1, 1e-9, cyclic_game=True)
    return (values[str(game.new_initial_state())] + 1) / 2, taken


def quantecon(target):
    """QuantEcon's Bellman operator, bent to two players: passing the die has a reward of 1 and the probability -1."""
    from quantecon.markov import DiscreteDP

    own, other, total = (axis.ravel() for axis in np.indices((target, target, target)))
    there = own + total < target
    own, other, total = own[there], other[there], total[there]
    index = np.full((target, target, target), -1)
    index[own, other, total] = np.arange(own.size)
    moves, reward = [], np.full(own.size, 1 / 6)
    moves.append((np.arange(own.size), index[other, own, 0], np.full(own.size, -1 / 6)))
    for face in range(2, 7):
        on = own + total + face < target
        moves.append(
            (
                np.flatnonzero(on),
                index[own[on], other[on], total[on] + face],
                np.full(on.sum(), 1 / 6),
            )
        )
        reward[~on] += 1 / 6
    may = np.flatnonzero(total > 0)
    passed = index[other[may], own[may] + total[may], 0]
    moves.append((own.size + np.arange(may.size), passed, np.full(may.size, -1.0)))
    rows, columns, chances = (np.concatenate(parts) for parts in zip(*moves, strict=True))
    matrix = csr_array((chances, (rows, columns)), shape=(own.size + may.size, own.size))
    states = np.append(np.arange(own.size), may)
    actions = np.repeat([0, 1], [own.size, may.size])
    order = np.lexsort((actions, states))
    rewards = np.append(reward, np.ones(may.size))[order]
    process = DiscreteDP(rewards, matrix[order].tocsr(), 1.0, states[order], actions[order])

    def iterate():
        value, change = np.full(own.size, 0.5), 1.0
        while change > 1e-12:
            better = process.bellman_operator(value)
            value, change = better, np.abs(better - value).max()
        return value

    value, taken = timed(iterate)
    return value[index[0, 0, 0]], taken


def mdpsolver(target):
    """MDPSolver's modified policy iteration, for the fewest turns alone; it must discount, here by 0.9999."""
    import mdpsolver

    of, _, costs, moves = textbook.turns_process(dl.pig(target)).arrays()
    end = int(of[-1]) + 1
    rewards, chances, columns = ([[] for _ in range(end + 1)] for _ in range(3))
    for row, state in enumerate(of):
        rewards[state].append(-float(costs[row]))
        moved = moves[[row]]
        chances[state].append([*moved.data.tolist(), max(0.0, 1 - float(moved.sum()))])
        columns[state].append([*moved.indices.tolist(), end])
    rewards[end], chances[end], columns[end] = [0.0], [[1.0]], [[end]]
    model = mdpsolver.model()
    model.mdp(discount=0.9999, rewards=rewards, tranMatProbs=chances, tranMatColumns=columns)
    _, taken = timed(model.solve, tolerance=1e-9, verbose=False)
    return -model.getValue(0), taken
