"""What one plays with in JupyterLab: a table to play at, the landscape of a policy, a die of one's own.

Each function lays out buttons, sliders and pictures, and says what happens when they are touched. What it shows is
worked out elsewhere.
"""

from html import escape
from io import BytesIO

import ipywidgets
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from . import plots
from .catalogue import GAMES, generalized_pig
from .doors import MOST_DIGITS, as_name, as_one_of, as_whole, refusal
from .match import evaluate
from .play import Play
from .solver import solve
from .studies import against_the_optimum
from .style import style
from .worth import odds

__all__ = ["design_a_die", "landscape", "play_table", "turning_surface"]

NAMES = {
    "Pig": "pig",
    "Two-dice Pig": "two-dice-pig",
    "Double Trouble": "double-trouble",
    "Ten Thousand": "ten-thousand",
}
REFUSALS = ValueError, ArithmeticError, NotImplementedError, MemoryError  # said in a sentence
LONG = 400  # turns of a game; its distribution is not drawn beyond
WIDE = {"style": {"description_width": "initial"}}


def picture(figure):
    """A figure as PNG."""
    data = BytesIO()
    FigureCanvasAgg(figure).print_png(data)
    return data.getvalue()


def panels(width, number, layout, **margins):
    """A figure that no backend shows by itself, and its axes, side by side."""
    with style():
        figure = Figure(figsize=(width, 4), dpi=100, layout=layout)
        return figure, figure.subplots(1, number, gridspec_kw=margins)


def as_seed(text):
    """Read a text as a seed; None if it is blank."""
    digits = text.strip()
    if digits and not (digits.isdecimal() and len(digits) <= MOST_DIGITS):
        raise refusal("seed", text, f"a whole number of at most {MOST_DIGITS} digits, or nothing")
    return int(digits) if digits else None


def play_table(game="Two-dice Pig", target=None, seed=None):
    """A table to play at against the optimal player.

    Parameters
    ----------
    game : {"Pig", "Two-dice Pig", "Double Trouble", "Ten Thousand"}
        To begin with.
    target : int, optional
        Points, or chips, that win; by default the game's own.
    seed : int, optional
        Of the dice.

    Returns
    -------
    ipywidgets.VBox
        Its attribute `play` is the game in progress.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed. What is typed in later is answered by a sentence.
    """
    as_one_of(game, "game", list(NAMES))
    target = None if target is None else as_whole(target, "target", 1)
    seed = None if seed is None else as_whole(seed, "seed", 0)
    choose = ipywidgets.Dropdown(options=list(NAMES), value=game, description="Game")
    seeds = ipywidgets.Text(
        "" if seed is None else str(seed), placeholder="any", description="Seed of the dice", **WIDE
    )
    first = ipywidgets.Dropdown(options=["you", "the optimal player"], description="First")
    again = ipywidgets.Button(description="New game")
    advise = ipywidgets.Checkbox(description="Show odds and advice", indent=False)
    buttons = [ipywidgets.Button(layout={"width": "auto"}) for _ in range(12)]
    chance = ipywidgets.FloatProgress(min=0, max=1, layout={"width": "20em"})
    sheet, said, story, review = (ipywidgets.HTML() for _ in range(4))
    whole = ipywidgets.VBox()
    whole.children = [
        ipywidgets.HBox([choose, first]),
        ipywidgets.HBox([seeds, again, advise]),
        sheet,
        ipywidgets.HBox(buttons, layout={"flex_flow": "row wrap"}),
        ipywidgets.HBox([chance, said]),
        review,
        story,
    ]

    def begin(_=None):
        try:
            number = as_seed(seeds.value)
            solution = solve(GAMES[NAMES[choose.value]](**({} if target is None else {"target": target})))
            whole.play = Play(
                solution, number, **({} if first.index == 0 else {"names": ("The optimal player", "You")})
            )
        except REFUSALS as error:
            sheet.value = f"<b>{escape(str(error))}</b>"
            return
        show()

    def show():
        play, you = whole.play, first.index
        play.reply(1 - you)
        options, best = play.options(), play.best().name if play.winner is None else None
        for number, button in enumerate(buttons):
            button.layout.display = None if number < len(options) else "none"
            if number < len(options):
                option = options[number]
                button.description = option.name + (f" ({option.worth:.1%})" if advise.value else "")
                button.button_style = "success" if advise.value and option.name == best else "info"
        sheet.value = score_sheet(play, you)
        chance.value = play.chance(you)
        said.value = (
            f"You win with {play.chance(you):.1%}. Your decisions so far have cost {play.loss(you):.2%} of a win."
        )
        review.value = reviewed(play, you) if play.winner is not None else ""
        story.value = f"<ol reversed>{''.join(f'<li>{line}</li>' for line in reversed(play.story))}</ol>"

    def act(button):
        whole.play.take(whole.play.options()[buttons.index(button)].name)
        show()

    for button in buttons:
        button.on_click(act)
    again.on_click(begin)
    for widget in (choose, first):
        widget.observe(begin, "value")
    advise.observe(lambda _: show(), "value")
    begin()
    return whole


def score_sheet(play, you):
    """The scores, the turn and the dice, as HTML."""
    dice = "".join(f"<span style='font-size:3em; line-height:1.2'>{chr(0x267F + face)}</span> " for face in play.rolled)
    state = f"{play.names[play.winner]} won." if play.winner is not None else f"This turn so far: {play.total}."
    who = {play.names[player]: play.scores[player] for player in (you, 1 - you)}
    scores = "".join(
        f"<td style='padding-right:2em'>{name}<br><b style='font-size:1.8em'>{n}</b></td>" for name, n in who.items()
    )
    return f"<table><tr>{scores}</tr></table>{dice}<br><b>{state}</b>"


def reviewed(play, you):
    """A player's decisions once the game is over, the costliest first, as HTML."""
    decisions = play.review(you)
    wrong = decisions[decisions["loss"] > 0].sort_values("loss", ascending=False)
    said = f"<b>{len(decisions)} decisions, {len(wrong)} not the best: they cost {play.loss(you):.2%} of a win.</b>"
    shown = decisions.sort_values("loss", ascending=False).style.format({"loss": "{:.2%}"}).hide(axis="index")
    return said + shown.set_properties(padding="0 0.8em").to_html()


def landscape(game="Pig"):
    """Where the optimal player rolls, and what rolling and holding are worth, with sliders for both scores.

    Parameters
    ----------
    game : {"Pig", "Two-dice Pig", "Double Trouble", "Ten Thousand"}
        To begin with.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If there is no such game.
    """
    as_one_of(game, "game", list(NAMES))
    choose = ipywidgets.Dropdown(options=list(NAMES), value=game, description="Game")
    mode = ipywidgets.Dropdown(options=["roll"], description="Mode")
    own, opponent = (ipywidgets.IntSlider(description=name, **WIDE) for name in ("Own score", "Opponent's score"))
    image, said, known = ipywidgets.Image(format="png"), ipywidgets.HTML(), {}

    def load(_=None):
        known["solution"] = solution = solve(GAMES[NAMES[choose.value]]())
        own.max = opponent.max = solution.game.target - 1
        mode.options = [m.name for m in solution.game.modes if m.may_hold]
        draw()

    def draw(_=None):
        solution = known["solution"]
        if mode.value not in [m.name for m in solution.game.modes]:
            return  # in the middle of a change to another game
        if (choose.value, mode.value) not in known:
            known[choose.value, mode.value] = solution.policy.roll_mask(mode.value)
        worths = odds(solution, own.value, opponent.value)
        figure, (left, right) = panels(8.6, 2, "none", left=0.08, right=0.98, bottom=0.13, top=0.92, wspace=0.28)
        plots.decisions(known[choose.value, mode.value], opponent.value, ax=left)
        left.axvline(own.value, color="tab:red", linewidth=1.2)
        shown = worths[["hold", mode.value]].rename(columns={"hold": "hold", mode.value: "roll"})
        plots.lines(100 * shown, "turn total (points)", "probability to win (%)", ax=right)
        image.value = picture(figure)
        value = solution.values[own.value, opponent.value]
        said.value = f"At the start of the turn you win with <b>{value:.2%}</b>. Gray: roll; white: hold."

    choose.observe(load, "value")
    for widget in (mode, own, opponent):
        widget.observe(draw, "value")
    load()
    return ipywidgets.VBox([ipywidgets.HBox([choose, mode]), ipywidgets.HBox([own, opponent]), said, image])


def turning_surface(lowest):
    """The roll/hold boundary as a surface that turns with the mouse.

    Parameters
    ----------
    lowest : ndarray of int, (target, target)
        As from ``policy.lowest_holds()``.

    Returns
    -------
    ipywidgets.DOMWidget
    """
    from ipympl.backend_nbagg import Canvas, FigureManager

    with style():
        figure = Figure(figsize=(7, 5.5), dpi=100)
        canvas = Canvas(figure)
        FigureManager(canvas, 0)
        plots.surface(lowest, ax=figure.add_subplot(projection="3d"))
    canvas.header_visible = canvas.footer_visible = False
    return canvas


def design_a_die(probabilities="1/6 0 1/6 1/6 1/6 1/6 1/6", dice=1, target=100):
    """A die of one's own: the optimal policy, the first player's advantage, the best hold at n, the game's length.

    Parameters
    ----------
    probabilities : str
        Of the faces 0, 1, 2, …, with spaces between; face 0 is the one that busts.
    dice : int
        In 1, …, 10.
    target : int
        In 1, …, 200.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If an argument is none of what is allowed. What is typed in is answered by a sentence.
    """
    as_name(probabilities, "probabilities", "the probabilities of the faces, as a text with spaces between")
    dice, target = as_whole(dice, "dice", 1, 10), as_whole(target, "target", 1, 200)
    faces = ipywidgets.Text(
        probabilities, description="Probabilities of faces 0, 1, 2, …", layout={"width": "44em"}, **WIDE
    )
    number = ipywidgets.BoundedIntText(dice, min=1, max=10, description="Dice", **WIDE)
    bust = ipywidgets.BoundedIntText(1, min=1, max=10, description="so many 0s bust", **WIDE)
    reset = ipywidgets.BoundedIntText(0, min=0, max=10, description="so many 0s cost all points (0: never)", **WIDE)
    goal = ipywidgets.BoundedIntText(target, min=1, max=200, description="Target", **WIDE)
    finish = ipywidgets.Dropdown(options=["reach", "exact"], description="Finish")
    said, image = ipywidgets.HTML(), ipywidgets.Image(format="png")

    def draw(_=None):
        rules = {"dice": number.value, "bust": bust.value, "reset": reset.value or None, "finish": finish.value}
        try:
            found = designed(generalized_pig(faces.value.replace(",", " ").split(), goal.value, **rules))
        except REFUSALS as error:
            said.value, image.layout.display = f"<b>{escape(str(error))}</b>", "none"
            return
        said.value, image.value = found
        image.layout.display = None

    inputs = [faces, number, bust, reset, goal, finish]
    for widget in inputs:
        widget.continuous_update = False
        widget.observe(draw, "value")
    draw()
    rows = [[faces], [number, bust, reset], [goal, finish]]
    return ipywidgets.VBox([*map(ipywidgets.HBox, rows), said, image])


def designed(game):
    """A game in a sentence, as HTML, and in a picture, as PNG."""
    solution = solve(game)
    wins, match = against_the_optimum(game), evaluate(game, solution.policy, solution.policy)
    n = wins.idxmax()
    sentence = (
        f"The first player wins with <b>{solution.value:.2%}</b>. Of all rules to hold at n the best is to hold at "
        f"<b>{n}</b>: it wins {wins[n]:.2%} of its games against the optimal player. "
    )
    if match.turns_mean > LONG:
        sentence += f"A game between two optimal players lasts <b>more than {LONG:,}</b> turns on average."
    else:
        lasts = f"<b>{match.turns_mean:.1f}</b> turns, give or take {match.turns_sd:.1f}"
        sentence += f"A game between two optimal players lasts {lasts}."
    figure, axes = panels(12.5, 3, "constrained")
    plots.first_hold(solution.policy.lowest_holds(), ax=axes[0])
    shown = 100 * pd.DataFrame({"against the optimal player": wins})
    plots.lines(shown, "hold at (points)", "games won by holding at n (%)", ax=axes[1])
    axes[2].set_visible(match.turns_mean <= LONG)
    if match.turns_mean <= LONG:
        turns = match.turns_distribution()
        shown = 100 * pd.DataFrame({"two optimal players": turns[turns.cumsum() < 0.999]})
        plots.lines(shown, "turns of a game", "probability (%)", ax=axes[2])
    return sentence, picture(figure)
