"""The answer to every exercise, by a second way: at the lecture's own rules, and at twenty that are dealt."""

from importlib import import_module

import pytest

from collection.course.exercises import all_exercises, judge, rules_of

EXERCISES, _ = all_exercises()
DEALT = [{}, *(rules_of(str(number), b"a key of these tests") for number in range(20))]


@pytest.mark.parametrize("number", EXERCISES)
def test_an_answer_is_found_by_a_second_way(number):
    asked = EXERCISES[number]
    ways = import_module(f".chapter_{number.partition('.')[0].zfill(2)}", __package__)
    way, hints = ways.WAYS[number], set()
    for dealt in DEALT if asked.own_rules else [{}]:
        rules = asked.own_rules | {name: dealt[name] for name in asked.own_rules if name in dealt}
        mine = (lambda *call: way(*call, **rules)) if asked.calls else way(**rules)  # noqa: B023
        checked = judge(asked, mine, rules)
        assert checked, (rules, checked.wrong)
        for key in asked.answer_keys(**rules):
            for values, hint in key.slips():
                assert values.keys() == key.right.keys(), hint
                hints |= {hint} - ({hint} if key.right_in(values) else set())
    elective = int(number.partition(".")[0]) > 12
    assert hints == {*asked.wrong} and (hints or asked.rubric or elective), "each slip shows"
