"""The reference of the site: all public names, sorted by task. Each task has a page."""

from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc, isclass

__all__ = ["TASKS", "Task", "reference_tasks", "unsorted_names"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What somebody wants to do, and the names that do it."""

    slug: str
    title: str
    words: str
    package: str = "dicelab"
    names: tuple[str, ...] = ()  # of the package
    module: str = ""  # of which all names are added: "plots" for `dicelab.plots`


TASKS = (
    Task(
        slug="games",
        title="Take a game",
        words="The games of the catalogue. [The games](../games.md) shows their rules and how to play them best.",
        names=(
            "pig",
            "piglet",
            "two_dice_pig",
            "double_trouble",
            "hog",
            "ten_thousand",
            "farkle",
            "generalized_pig",
        ),
    ),
    Task(
        slug="more-games",
        title="Take another game",
        words="Games of the catalogue that are rarely played, in `dicelab.games`.",
        package="dicelab.games",
        names=(
            "big_pig",
            "facebook_farkle",
            "kingdom_come",
            "pass_the_pigs",
            "sus_fuss",
            "toss_up",
            "zilch",
        ),
    ),
    Task(
        slug="rules",
        title="Write rules",
        words="A game is data: modes of a turn, the outcomes of a roll with their exact probabilities, and choices. "
        "Registers are what a player remembers between turns.",
        names=("Game", "Mode", "Outcome", "Choice", "Register", "Score"),
    ),
    Task(
        slug="solve",
        title="Solve",
        words="Optimal play for two players or for one, in floating point or in fractions.",
        names=(
            "solve",
            "Solution",
            "ConvergenceError",
            "action_values",
        ),
    ),
    Task(
        slug="evaluate",
        title="Evaluate",
        words="What given policies achieve, computed and not simulated.",
        names=(
            "evaluate",
            "Match",
            "best_response",
            "loss",
            "to_mdp",
            "turn_points",
        ),
    ),
    Task(
        slug="study",
        title="Study",
        words="Many policies or games side by side: hold at n, the first player's advantage at every target, "
        "a function at every point of a grid.",
        names=("hold_at_n", "first_player", "sweep"),
    ),
    Task(
        slug="simulate",
        title="Simulate",
        words="Millions of games, with standard errors: an independent check of every exact result.",
        names=("simulate", "Estimate"),
    ),
    Task(
        slug="policies",
        title="Write a policy",
        words="Rules of thumb, and the classes for rules of your own.",
        names=(
            "hold_at",
            "scoring_turns",
            "end_race_or_keep_pace",
            "Rule",
            "Policy",
        ),
    ),
    Task(
        slug="grade",
        title="Grade",
        words="Strategies that people bring, from whatever they have, and what they give away.",
        package="dicelab_extras.grading",
        names=("grade", "Grade", "read", "mistakes", "standings"),
    ),
    Task(
        slug="certify",
        title="Certify",
        words="Proven bounds on every value, and a verdict on every decision; a file that others can check.",
        package="dicelab_extras.proofs",
        names=("certify", "Certificate", "bounds", "write_certificate", "WrittenCertificate"),
    ),
    Task(
        slug="export",
        title="Export to model checkers",
        words="A race as a text that PRISM-games reads, to have its value from there.",
        package="dicelab_extras.proofs",
        names=("export",),
    ),
    Task(
        slug="compare",
        title="Compare with print",
        words="The printed numbers of the papers, and computed numbers beside them.",
        package="collection",
        names=("published", "compare"),
    ),
    Task(
        slug="exercises",
        title="Check an exercise",
        words="The exercises of the course say whether an answer is right, and where it is not.",
        package="collection",
        names=("check",),
    ),
    Task(
        slug="environments",
        title="Train an agent",
        words="Environments for Gymnasium and PettingZoo, with exact regrets: "
        "`from dicelab_extras.learning import environments`.",
        package="dicelab_extras.learning",
        module="environments",
    ),
    Task(
        slug="learning",
        title="Watch learners",
        words="Learners that play without the rules, with a table or with features: "
        "`from dicelab_extras import learning`. The chapters use them.",
        package="dicelab_extras",
        module="learning",
    ),
    Task(
        slug="draw",
        title="Draw",
        words="Figures and styled tables: `from dicelab import plots`. A figure takes results and returns Matplotlib's "
        "Axes; it never solves.",
        module="plots",
    ),
    Task(
        slug="widgets",
        title="Play in JupyterLab",
        words="Widgets for a notebook that runs: `from dicelab_extras.play import widgets`.",
        package="dicelab_extras.play",
        module="widgets",
    ),
    Task(
        slug="first-move",
        title="What the first move is worth",
        words="The law of the first move, from one turn of the die alone, and all dice side by side: "
        "`from collection import first_move`.",
        package="collection",
        module="first_move",
    ),
    Task(
        slug="textbook",
        title="Read the textbook's algorithms",
        words="Plain, slow and readable solvers, which share nothing with the fast ones but the rules: "
        "`from collection import textbook`. The chapters use them, and tests compare the fast solvers with them.",
        package="collection",
        module="textbook",
    ),
)


def unsorted_names():
    """The public names that no task has, a list."""
    sorted_names = {name for task in TASKS for name in (*task.names, task.module)}
    return [name for name in import_module("dicelab").__all__ if name not in sorted_names]


def reference_tasks():
    """The tasks with their names: pairs of a :class:`Task` and a list of entries.

    Names without a task make a last task, "Other names".

    Returns
    -------
    list of tuple
        An entry is a dict: `name` with its module, the Sphinx `directive` that documents it, and its `summary`.
    """
    other = Task(
        slug="other", title="Other names", words="Names of no task.", names=tuple(unsorted_names())
    )
    return [(task, _entries(task)) for task in (*TASKS, other) if task is not other or other.names]


def _entries(task):
    package = import_module(task.package)
    names = [(package, f"{task.package}.", name) for name in task.names]
    if task.module:
        module = getattr(package, task.module, None) or import_module(
            f"{task.package}.{task.module}"
        )
        names += [
            (module, f"{task.package}.{task.module}.", name)
            for name in module.__all__
            if name not in task.names and callable(getattr(module, name))
        ]
    return [_entry(getattr(owner, name), f"{prefix}{name}") for owner, prefix, name in names]


def _entry(thing, name):
    directive = "function"
    if isclass(thing):
        directive = "exception" if issubclass(thing, BaseException) else "class"
    return {
        "name": name,
        "directive": f"auto{directive}",
        "summary": (getdoc(thing) or "").partition("\n")[0],
    }
