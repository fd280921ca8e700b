"""No message offers what is refused: the texts that messages and help offer are fed back to what said them."""

import re

import pytest

import dicelab as dl
from collection.papers.published import as_number
from dicelab.cli import read_rules
from dicelab.games.die import read_die
from dicelab.games.model import FINISHES
from dicelab.games.named import parse_game
from dicelab_extras.play.commands import read_faces
from dicelab_extras.play.situation import parse_situation

QUOTED = r"'((?:[^']|(?<=\w)'(?=\w))+)'"  # "Henry's Beta", too


def refusal(read, text):
    """What is said of a text that is refused."""
    with pytest.raises(Exception) as caught:
        read(text)
    return getattr(caught.value, "message", None) or str(caught.value)


def offers(said, pattern=QUOTED):
    """The texts that a message offers; the refused text comes before "give"."""
    _, give, offered = said.partition("give ")
    assert give, said
    found = re.findall(pattern, offered)
    assert found, said
    return found


CASES = {  # who reads, a text that is refused, where an offered text is put, and how offers look
    "situation": (parse_situation, "pig", "{}", QUOTED),
    "situation, a character": (parse_situation, "pig…", "{}", r"'(pig[^']+|farkle[^']+)'"),
    "game": (parse_game, "", "{} 30", QUOTED),
    "a game's text": (parse_game, "…", "{}", r"'(pig [^']+|ten[^']+)'"),
    "game of a situation": (parse_situation, "chess 30: 3-4", "{} 30: 3-4", QUOTED),
    "chips": (parse_game, "ten-thousand 10000", "ten-thousand {}", r"^\d+"),
    "finish": (parse_game, "pig 9 finish=soon", "pig 9 finish={}", QUOTED),
    "option": (parse_game, "ten-thousand 20 x=1", "ten-thousand 20 {}=", QUOTED),
    "register": (
        parse_situation,
        "facebook-farkle 20: 3 (x)-4",
        "facebook-farkle 20: 3 ({})-4",
        QUOTED,
    ),
    "dice in hand": (parse_situation, "farkle 20: 3-4 +2", "farkle 20: 3-4 +2 @{}", QUOTED),
    "finish in Python": (lambda text: dl.pig(9, text), "soon", "{}", QUOTED),
    "objective in Python": (
        lambda text: dl.solve(dl.piglet(3), text, turns=TURNS.get(text)),
        "soon",
        "{}",
        QUOTED,
    ),
    "rule": (lambda text: read_rules(None, None, [text]), "hold", "{}", QUOTED),
    "faces": (lambda text: read_faces(None, None, text), "x", "{}", r"\d+(?:,\d+)+"),
    "die": (read_die, "", "{}", QUOTED),
    "faces of a die": (read_die, "x, ones bust", "{}, ones bust", r"such as ([\d ]+);"),
    "a chance": (read_die, "x, ones bust", "1 {} 2, ones bust", r"\b6:[\d/]+"),
    "chances": (read_die, "1 6:2, ones bust", "1 6:{}, ones bust", r"1/4|0\.25|25%"),
    "what busts": (read_die, "1 2 3, x bust", "1 2 3, {}", QUOTED),
    "printed": (as_number, "x", "{}", QUOTED),
    "probability": (lambda text: dl.Outcome(text, "bust"), "x", "{}", QUOTED),
}
TURNS = {"deadline": 2, "total": 2, "rounds": 2}


@pytest.mark.parametrize("name", CASES)
def test_what_a_message_offers_is_read(name):
    read, refused, place, pattern = CASES[name]
    for offered in offers(refusal(read, refused), pattern):
        text = place.format(offered).replace(" n", " 20").replace("n s", "4 s")
        if name == "option":
            text += "exact" if offered == "finish" else "50"
        read(text)


@pytest.mark.parametrize("finish", FINISHES)
@pytest.mark.parametrize("write", [str, repr, str.title, lambda finish: finish.replace(" ", "_")])
def test_a_finish_is_read_as_python_and_as_text_write_it(finish, write):
    assert parse_game(f"pig 9 finish={write(finish)}, ") == dl.pig(9, finish)
    assert parse_game(f"pig 9 finish={write(finish).replace(' ', '-')}") == dl.pig(9, finish)
