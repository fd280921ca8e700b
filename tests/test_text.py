"""Text from keyboards and files: what is read as what, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicelab._text import choose, misfit, plain, whole_number, with_point
from dicelab_extras.grading.tables import decode

NAMES = ["pig", "two-dice-pig", "not opened"]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("30–45", "30-45"),
        ("−5", "-5"),
        ("a\xa0b\u2009c\u202fd\te", "a b c d e"),
        ("\ufeffpig\r\n\r\n", "pig"),
        ("“pig”", "pig"),
        ("„pig“", "pig"),
        (" ' \"pig\" ' ", "pig"),
        ("‘pig’ ‘pig’", "'pig' 'pig'"),
        ("Henry’s Beta", "Henry's Beta"),
        ("“", '"'),
        ("１００；＠", "100;@"),
        ("pi\u200bg\u200e", "pig"),
        ("", ""),
        ("''", ""),
        ("…é٣", "…é٣"),
    ],
)
def test_a_line_as_a_plain_keyboard_types_it(text, read):
    assert plain(text) == read == plain(read)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pig", ""),
        ("“pig–pig”", ""),
        ("", ""),
        ("“pig…”", "; the character '…' (U+2026) is not read"),
        ("\U0001f3b2", "; the character '🎲' (U+1F3B2) is not read"),
        ("\ud800", r"; the character '\ud800' (U+D800) is not read"),
    ],
)
def test_the_character_that_does_not_fit(text, said):
    assert misfit(text) == said


@pytest.mark.parametrize(
    ("text", "names", "name"),
    [
        ("PIG", NAMES, "pig"),
        ("two dice_pig", NAMES, "two-dice-pig"),
        ("“Not–opened”", NAMES, "not opened"),
        ("pug", NAMES, "pug"),
        ("A-b", ["a b", "a_b"], "A-b"),  # it may be either
        ("A b", ["a b", "A b"], "A b"),
        (None, NAMES, None),
    ],
)
def test_a_name_is_chosen_if_it_is_sure(text, names, name):
    assert choose(text, names) == name


@settings(max_examples=50)
@given(st.text())
def test_plain_text_is_kept(text):
    assert plain(plain(text)) == plain(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[
            ("150", 150),
            (" −3\r\n", -3),
            ("+7", 7),
            ("10,000", 10_000),
            ("1_000_000", 10**6),
            ("1’000", 1000),
        ],
        *[("12 000", 12_000), ("1\u202f000", 1000), ("'150'", 150)],
        *[
            (text, None)
            for text in (
                "1,00",
                "1,000,00",
                "1,000_000",
                "1.000",
                "1e3",
                "",
                "x",
                "--3",
                "- 3",
                "٣",
                "½",
                "1 5",
            )
        ],
    ],
)
def test_whole_numbers(text, number):
    assert whole_number(text) == number


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *[
            ("0,25", "0.25"),
            ("−0,5", "-0.5"),
            ("12,5 %", "12.5 %"),
            ("0,125", "0.125"),
            ("1.234,5", "1234.5"),
        ],
        *[
            ("1\u202f234,567", "1234.567"),
            ("1234,567", "1234.567"),
            ("0.25", "0.25"),
            ("3", "3"),
            ("x", "x"),
        ],
        *[
            (text, text)
            for text in ("1,234", "12,345", "1,234.5", "1,2,3", "1,2.3", ",5", "1,", "0,x")
        ],
    ],
)
def test_a_decimal_comma_is_read_if_it_is_sure(text, read):
    assert with_point(text) == read


FILE = "own;hold at\n0;20\n\n–;é\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_files_of_all_systems(encoding, end):
    assert decode(FILE.replace("\n", end).encode(encoding), "x.csv") == FILE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            "hold é".encode("latin-1"),
            "x.csv: byte 0xe9 at place 6 is not UTF-8; save the file as UTF-8",
        ),
        (
            "own, 20".encode("utf-16-le"),
            "x.csv: it has the character U+0000, as UTF-16 without a byte-order mark has; ",
        ),
        (b"\xff\xfea", "x.csv: byte 0x61 at place 3 is not UTF-16; save"),
        (b"\xef\xbb\xbfab\xff", "x.csv: byte 0xff at place 6 is not UTF-8"),
    ],
)
def test_other_encodings_are_not_guessed(data, said):
    with pytest.raises(ValueError) as error:
        decode(data, "x.csv")
    assert str(error.value).startswith(said)
