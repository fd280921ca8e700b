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
