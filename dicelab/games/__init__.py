"""The rules of games as data: the games of the catalogue, the parts of a game, and dice in words.

The modules: `model` (Game and its parts), `catalogue` and `set_aside` (known games), `registers` (what is remembered
between turns), `die` and `named` (dice and games as text), `absorption` (past the target).
"""

from .catalogue import (
    GAMES,
    big_pig,
    double_trouble,
    generalized_pig,
    hog,
    pass_the_pigs,
    pig,
    piglet,
    sus_fuss,
    toss_up,
    two_dice_pig,
)
from .set_aside import (
    facebook_farkle,
    farkle,
    kingdom_come,
    restrict_discards,
    set_aside_game,
    ten_thousand,
    zilch,
)

__all__ = [
    "GAMES",
    "big_pig",
    "double_trouble",
    "facebook_farkle",
    "farkle",
    "generalized_pig",
    "hog",
    "kingdom_come",
    "pass_the_pigs",
    "pig",
    "piglet",
    "restrict_discards",
    "set_aside_game",
    "sus_fuss",
    "ten_thousand",
    "toss_up",
    "two_dice_pig",
    "zilch",
]
