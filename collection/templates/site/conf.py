"""Sphinx configuration of the site; `collection.site` collects its pages."""

from html import escape
from textwrap import shorten

from docutils import nodes
from markupsafe import Markup
from sphinx.transforms.post_transforms import SphinxPostTransform

project = "dicelab"
author = "The dicelab developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["README.md", "data/README.md", "figures/*/README.md"]

html_theme = "furo"
pygments_dark_style = "github-dark"  # the default one underlines names of modules
html_title = "dicelab"
html_favicon = "favicon.svg"
CARD = "_static/card.png"  # what others show beside a link; `collection.site` draws it
html_static_path = ["style.css", "verdicts.js", "access.js"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
# A page that is opened as a file may not read other files. Its search then shows titles only.
QUIET = 'if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false'
html_js_files = [(None, {"body": QUIET}), "access.js"]
templates_path = ["."]
FURO = ("brand", "search", "scroll-start", "navigation", "scroll-end", "variant-selector")
html_sidebars = {"**": [f"sidebar/{name}.html" for name in FURO]}
html_sidebars["**"].insert(2, "play-link.html")
mathjax_path = "../slides/mathjax/tex-svg-full.js"

nb_execution_mode = "off"  # the notebooks have been executed
nb_ipywidgets_js = {}
nb_render_markdown_format = "myst"  # formulas in what a cell says
myst_enable_extensions = ["amsmath", "attrs_inline", "dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # attributes of two classes may have the same name
napoleon_preprocess_types = True


class AsWritten(SphinxPostTransform):
    """Pass formulas to MathJax unchanged. Sphinx would wrap those of several lines, and \\tag fails inside."""

    default_priority = 900

    def run(self):
        """Mark every displayed formula."""
        for block in self.document.findall(nodes.math_block):
            if not block["nowrap"]:
                text = f"\\[{block.astext()}\\]"
                block.children = [nodes.Text(text)]
                block["nowrap"] = True


def keep_colons(app, what, name, obj, options, lines):
    """Begin the docstring of a property with an empty comment: Napoleon reads a first line "A: b" as the type A."""
    if what in ("property", "attribute", "data"):
        lines[:0] = ["..", ""]


def describe_page(app, pagename, templatename, context, doctree):
    """Say what a page is, for search engines and for links to it: the beginning of its first long paragraph."""
    words = (
        (paragraph.astext() for paragraph in doctree.findall(nodes.paragraph)) if doctree else ()
    )
    text = next((text for text in words if len(text) > 40), "Jeopardy dice games solved exactly.")
    description = shorten(text, 160, placeholder=" …")
    root = app.config.html_baseurl or context["pathto"]("", 1)
    properties = {
        "og:title": Markup(context.get("title", project)).striptags(),
        "og:description": description,
        "og:type": "website",
        "og:site_name": project,
        "og:image": f"{root}{CARD}",
        "og:image:alt": "The optimal policy of Pig as a map of colours",
    }
    if context.get("pageurl"):
        properties["og:url"] = context["pageurl"]
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<meta {kind}="{name}" content="{escape(said)}">'
        for kind, pairs in (
            ("name", {"description": description, "twitter:card": "summary_large_image"}),
            ("property", properties),
        )
        for name, said in pairs.items()
    )


def setup(app):
    """Called by Sphinx."""
    app.add_post_transform(AsWritten)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)  # Napoleon's is 500
    app.connect("html-page-context", describe_page)
