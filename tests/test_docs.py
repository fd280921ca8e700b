"""The code of the pages runs and answers as printed, and the files that pages name exist."""

import doctest
import re

import pytest

from collection.papers.published import ROOT


def run_code(page):
    """Run the code of a page; how many examples there are, and how many of them fail."""
    text = (ROOT / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(code, {}, page, None, 0)
    return doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


def test_the_code_of_the_environments_runs():
    result = run_code("docs/environments.md")
    assert result.failed == 0 and result.attempted > 12


def test_the_code_of_the_readme_runs():
    result = run_code("README.md")
    assert result.failed == 0 and result.attempted == 4


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_files_that_a_page_names_exist(page):
    """From the root, or below a folder that the text has named before; not what is built."""
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(
        re.findall(r"`([\w./-]+(?:/|\.(?:py|csv|json|md|txt|bib|toml|j2|cff|ipynb)))`", text)
    )
    assert len(named) > 1
    for name in named - {"docs/combinations.md", "collection/course/lectures/NN-name.ipynb"}:
        found = name.startswith("build/") or (ROOT / name).exists()
        assert found or any(ROOT.glob(f"[!.b]*/**/{name}")), name
