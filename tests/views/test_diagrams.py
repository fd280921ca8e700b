"""The diagrams of the lectures say what is asked of them."""

from fractions import Fraction

from dicelab.views import diagrams


def test_the_coin_race_names_its_probabilities():
    texts = [text.get_text() for text in diagrams.coin_race(Fraction(1, 3)).texts]
    assert "heads 2/3" in texts and "tails 1/3" in texts and "hold" in texts
