"""Random games for the tests."""

from fractions import Fraction

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import dicelab as dl

settings.register_profile("dicelab", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.load_profile("dicelab")


@st.composite
def chances(draw, size):
    """Positive Fractions, `size` of them, that sum to 1."""
    weights = draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def dice(draw, most_target=9, finishes=("reach",)):
    """Generalized Pig with a random die; sometimes one that never busts, or with faces of probability 0."""
    weights = draw(st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(lambda w: sum(w[1:]) > 0))
    probabilities = [Fraction(weight, sum(weights)) for weight in weights]
    return dl.generalized_pig(probabilities, draw(st.integers(1, most_target)), finish=draw(st.sampled_from(finishes)))


@st.composite
def mode_games(draw, most_target=7, resets=False, finishes=("reach",)):
    """Games with two or three modes, choices, and modes in which one must roll; with `resets`, some roll resets."""
    names = draw(st.sampled_from([("a", "b"), ("a", "b", "c")]))
    choice = st.builds(dl.Choice, st.integers(1, 4), st.sampled_from(names))
    modes = []
    for index, name in enumerate(names):
        results = draw(st.lists(st.lists(choice, min_size=1, max_size=3), min_size=1, max_size=3))
        parts = draw(chances(len(results) + 1))
        outcomes = [dl.Outcome(parts[0], "reset" if resets and (index == 0 or draw(st.booleans())) else "bust")]
        outcomes += [dl.Outcome(part, result) for part, result in zip(parts[1:], results, strict=True)]
        modes.append(dl.Mode(name, tuple(outcomes), may_hold=index == 0 or draw(st.booleans())))
    target = draw(st.integers(1, most_target))
    # the first mode allows a hold: give it a way back to itself, so that there is a way to score
    extra = dl.Outcome(Fraction(1, 2), dl.Choice(1, names[0]))
    halved = tuple(dl.Outcome(o.probability / 2, o.result) for o in modes[0].outcomes)
    modes[0] = dl.Mode(names[0], (*halved, extra))
    return dl.Game("random", target, tuple(modes), draw(st.sampled_from(finishes)))
