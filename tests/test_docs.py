"""The code of the pages in docs/ runs and answers as printed."""

import doctest
import re

from dicelab.papers.published import ROOT


def run_code(page):
    """Run the code of a page; how many examples there are, and how many of them fail."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, page, None, 0)
    return doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


def test_the_code_of_getting_started_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run_code("getting-started")
    assert result.failed == 0 and result.attempted > 12
    assert (tmp_path / "pig.svg").exists()


def test_the_code_of_the_environments_runs():
    result = run_code("environments")
    assert result.failed == 0 and result.attempted > 12


def test_the_commands_of_getting_started_exist():
    from dicelab.cli import main

    text = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ {4}dicelab (\w+)", text, re.MULTILINE)
    assert len(commands) >= 2 and {*commands} <= {*main.commands}
