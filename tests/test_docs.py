"""The code of the pages in docs/ runs and answers as printed."""

import doctest
import re

from dicelab.papers.published import ROOT


def test_the_code_of_getting_started_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, "getting-started", None, 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0 and result.attempted > 12
    assert (tmp_path / "pig.svg").exists()


def test_the_commands_of_getting_started_exist():
    from dicelab.cli import main

    text = (ROOT / "docs" / "getting-started.md").read_text(encoding="utf-8")
    commands = re.findall(r"^ {4}dicelab (\w+)", text, re.MULTILINE)
    assert len(commands) >= 2 and {*commands} <= {*main.commands}
