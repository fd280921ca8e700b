"""The answer to every exercise, by a second way: at the lecture's own rules, and at twenty that are dealt."""

from importlib import import_module

import pytest

from collection.course.dealing import rules_of
from collection.course.exercises import exercises_in, judge, question_files

FILES = {file.stem: file for file in question_files()}
DEALT = [{}, *(rules_of(str(number), b"a key of these tests") for number in range(20))]
EXERCISES = [(stem, number) for stem, file in FILES.items() for number in exercises_in(file)[0]]


@pytest.mark.parametrize(("stem", "number"), EXERCISES, ids=[number for _, number in EXERCISES])
def test_an_answer_is_found_by_a_second_way(stem, number):
    asked = exercises_in(FILES[stem])[0][number]
    way = import_module(f".{stem}", __package__).WAYS[number]
    hints = set()
    for dealt in DEALT if asked.own_rules else [{}]:
        rules = asked.own_rules | {name: dealt[name] for name in asked.own_rules if name in dealt}
        mine = (lambda *call: way(*call, **rules)) if asked.calls else way(**rules)  # noqa: B023
        checked = judge(asked, mine, rules)
        assert checked, (rules, checked.wrong)
        for key in asked.answer_keys(**rules):
            for values, hint in key.slips():
                assert values.keys() == key.right.keys(), hint
                hints |= {hint} - ({hint} if key.right_in(values) else set())
    assert hints == {*asked.wrong} and (hints or asked.rubric), "each slip shows somewhere"
