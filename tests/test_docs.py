"""The code of the pages in docs/ runs and answers as printed."""

import doctest
import re

from collection.papers.published import ROOT


def run_code(page):
    """Run the code of a page; how many examples there are, and how many of them fail."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, page, None, 0)
    return doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


def test_the_code_of_the_environments_runs():
    result = run_code("environments")
    assert result.failed == 0 and result.attempted > 12


def test_the_commands_that_readers_are_told_exist():
    """In README and in the first notebook, with their options."""
    from dicelab.cli import main

    text = (ROOT / "README.md").read_text(encoding="utf-8") + (
        ROOT / "notebooks" / "start.ipynb"
    ).read_text("utf-8")
    commands = re.findall(
        r"dicelab (reproduce|compare|play|solve|grade|verify|hold-at-n|first-player)\b(?: [\w-]+)*((?: --?[\w-]+)*)",
        text,
    )
    assert len(commands) >= 3
    for command, options in commands:
        parameters = main.get_command(None, command).params
        known = {option for parameter in parameters for option in parameter.opts}
        assert {*options.split()} <= known, command
