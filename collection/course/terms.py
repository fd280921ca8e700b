"""The index of terms: where the course introduces a word, and where its theorems stand.

The words are those of ``terms.txt`` beside the lectures, a line each, with other forms after a stroke. A word is
introduced where a text sets it in bold, or a heading begins with it. Repetitions at the end of a chapter, and
exercises, do not count.
"""

import re

from .references import LECTURES, link_to, markdown_of

__all__ = [
    "LEFT_OUT",
    "TERMS",
    "places_of",
    "read_terms",
    "slug_of",
    "terms_page",
]

TERMS = LECTURES / "terms.txt"
LEFT_OUT = ("What to remember", "Try it", "Exercises", "Homework", "References")
BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
ARTICLE = re.compile(r"^(?:the|an?) ")
CITATION = re.compile(r"\s*\(\[[^\]]*\]\([^)]*\)\)")
STATED = re.compile(r'<a id="([\w-]+)"></a>\*\*(.+?)\*\*')
INTRODUCTION = """# Terms and theorems

Where the course introduces its words, in the order of the alphabet, and then its theorems and propositions in the order
of the chapters. Both lists are made from the text.

"""


def read_terms():
    """The forms of each term, a dict of lists by its first form."""
    lines = TERMS.read_text(encoding="utf-8").splitlines()
    return {forms[0]: forms for forms in (line.split(" | ") for line in lines)}


def slug_of(heading):
    """The name of a heading as the target of a link, as GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections_of(text):
    """Pairs of a heading and the text below it, up to the next heading; code blocks have no headings here."""
    parts = re.split(r"^#+ (.+)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def course():
    """The pages that introduce words: the definitions and the chapters."""
    return [LECTURES / "definitions.md", *sorted(LECTURES.glob("*.ipynb"))]


def places_of(terms):
    """Where terms are introduced: by term, a dict of headings by page, one for a page, in the order of the course."""
    known = {form.casefold(): term for term, forms in terms.items() for form in forms}
    places = {term: {} for term in terms}
    for path in course():
        for heading, text in sections_of(markdown_of(path)):
            if heading in LEFT_OUT:
                continue
            parts = [ARTICLE.sub("", part) for part in heading.casefold().split(": ")]
            words = [form for form in known for part in parts if heads(form, part)]
            bold = (CITATION.sub("", each).strip(" .:").casefold() for each in BOLD.findall(text))
            for word in (*words, *(ARTICLE.sub("", each) for each in bold)):
                if word in known:
                    places[known[word]].setdefault(path, heading)
    return places


def heads(form, part):
    """Whether a part of a heading is this form of a term, or, if it has several words, begins with it."""
    return part == form or (" " in form and part.startswith(f"{form} "))


def terms_page():
    """The page of all terms and theorems, a str."""
    lines = []
    for term, places in sorted(
        places_of(read_terms()).items(), key=lambda item: item[0].casefold()
    ):
        links = (link_to(path, slug_of(heading)) for path, heading in places.items())
        lines.append(f"- {term}: {', '.join(links)}")
    lines += ["", "## Theorems and propositions", ""]
    for path in course():
        for anchor, words in STATED.findall(markdown_of(path)):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words).strip(".")
            lines.append(f"- {words}: {link_to(path, anchor)}")
    return INTRODUCTION + "\n".join(lines) + "\n"
