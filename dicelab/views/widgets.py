"""Widgets for JupyterLab: a game to play, one turn's values with sliders, a turning landscape, a die to design.

Each function lays out the widgets and updates them; the results come from the solvers, `GameSession` and `plots`.
"""

from html import escape
from io import BytesIO

import pandas as pd

from .._extras import extra
from .._validation import check_int, check_name, check_option, invalid
from ..evaluation.action_values import odds
from ..evaluation.match import evaluate
from ..evaluation.studies import hold_at_win_rates
from ..games.catalogue import double_trouble, generalized_pig, pig, ten_thousand, two_dice_pig
from ..solvers import solve
from . import plots
from .session import GameSession
from .style import style

with extra("papers"):
    import ipywidgets
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

__all__ = ["design_a_die", "landscape", "play_table", "turning_surface"]

GAMES = {"Pig": pig, "Two-dice Pig": two_dice_pig, "Double Trouble": double_trouble, "Ten Thousand": ten_thousand}
EXPECTED = ValueError, ArithmeticError, NotImplementedError, MemoryError  # errors that are shown as a sentence
LONGEST_GAME = 400  # mean number of turns up to which the distribution is drawn
WIDE = {"style": {"description_width": "initial"}}


def png(figure):
    """A figure as PNG."""
    data = BytesIO()
    FigureCanvasAgg(figure).print_png(data)
    return data.getvalue()


def side_by_side(width, number, layout, **margins):
    """A figure that no backend displays, and its axes, side by side."""
    with style():
        figure = Figure(figsize=(width, 4), dpi=100, layout=layout)
        return figure, figure.subplots(1, number, gridspec_kw=margins)


def read_seed(text):
    """Read a text as a seed; None if it is blank."""
    digits = text.strip()
    if digits and not digits.isdecimal():
        raise invalid("seed", text, "a whole number, or nothing")
    return int(digits) if digits else None


def play_table(game="Two-dice Pig", target=None, seed=None):
    """A game to play against the optimal player.

    Parameters
    ----------
    game : {"Pig", "Two-dice Pig", "Double Trouble", "Ten Thousand"}
        The game at first.
    target : int, optional
        Points, or chips, that win; by default the game's own target.
    seed : int, optional
        Of the dice.

    Returns
    -------
    ipywidgets.VBox
        Its attribute `session` is the game in progress.

    Raises
    ------
    ValueError
        If an argument is invalid. Errors in later input are shown as a sentence.
    """
    check_option(game, "game", list(GAMES))
    targets = {} if target is None else {"target": check_int(target, "target", 1)}
    seed = "" if seed is None else str(check_int(seed, "seed", 0))
    games = ipywidgets.Dropdown(options=list(GAMES), value=game, description="Game")
    seeds = ipywidgets.Text(seed, placeholder="any", description="Seed of the dice", **WIDE)
    first = ipywidgets.Dropdown(options=["you", "the optimal player"], description="First")
    new_game = ipywidgets.Button(description="New game")
    advise = ipywidgets.Checkbox(description="Show odds and advice", indent=False)
    buttons = [ipywidgets.Button(layout={"width": "auto"}) for _ in range(12)]
    chance = ipywidgets.FloatProgress(min=0, max=1, layout={"width": "20em"})
    sheet, message, log, review = (ipywidgets.HTML() for _ in range(4))
    table = ipywidgets.VBox()
    table.children = [
        ipywidgets.HBox([games, first]),
        ipywidgets.HBox([seeds, new_game, advise]),
        sheet,
        ipywidgets.HBox(buttons, layout={"flex_flow": "row wrap"}),
        ipywidgets.HBox([chance, message]),
        review,
        log,
    ]

    def start(_=None):
        names = ("You", "The optimal player")
        try:
            solution = solve(GAMES[games.value](**targets))
            table.session = GameSession(solution, read_seed(seeds.value), names[:: -1 if first.index else 1])
        except EXPECTED as error:
            sheet.value = f"<b>{escape(str(error))}</b>"
            return
        show()

    def show(_=None):
        session, you = table.session, first.index
        session.reply(1 - you)
        options, best = session.options(), session.best().name if session.winner is None else None
        for button in buttons:
            button.layout.display = "none"
        for button, option in zip(buttons, options, strict=False):
            button.layout.display = None
            button.description = option.name + (f" ({option.value:.1%})" if advise.value else "")
            button.button_style = "success" if advise.value and option.name == best else "info"
        sheet.value = score_sheet(session, you)
        chance.value = session.chance(you)
        cost = f"Your decisions so far have cost {session.loss(you):.2%} of a win."
        message.value = f"You win with {session.chance(you):.1%}. {cost}"
        review.value = review_html(session, you) if session.winner is not None else ""
        log.value = f"<ol reversed>{''.join(f'<li>{line}</li>' for line in reversed(session.log))}</ol>"

    def act(button):
        table.session.take(table.session.options()[buttons.index(button)].name)
        show()

    for button in buttons:
        button.on_click(act)
    new_game.on_click(start)
    for widget in (games, first):
        widget.observe(start, "value")
    advise.observe(show, "value")
    start()
    return table


def score_sheet(session, you):
    """The scores, the turn and the dice, as HTML."""
    faces = (chr(0x267F + face) for face in session.rolled)
    dice = "".join(f"<span style='font-size:3em; line-height:1.2'>{face}</span> " for face in faces)
    over = session.winner is not None
    state = f"{session.names[session.winner]} won." if over else f"This turn so far: {session.total}."
    scores = "".join(
        f"<td style='padding-right:2em'>{session.names[player]}<br>"
        f"<b style='font-size:1.8em'>{session.scores[player]}</b></td>"
        for player in (you, 1 - you)
    )
    return f"<table><tr>{scores}</tr></table>{dice}<br><b>{state}</b>"


def review_html(session, you):
    """A player's decisions after the game, the largest loss first, as HTML."""
    decisions = session.review(you).sort_values("loss", ascending=False)
    table = decisions.style.format({"loss": "{:.2%}"}).hide(axis="index")
    return f"<b>{session.verdict(you)}</b>" + table.set_properties(padding="0 0.8em").to_html()


def landscape(game="Pig"):
    """The optimal decisions and the values of rolling and of holding, with sliders for both scores.

    Parameters
    ----------
    game : {"Pig", "Two-dice Pig", "Double Trouble", "Ten Thousand"}
        The game at first.

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If there is no such game.
    """
    check_option(game, "game", list(GAMES))
    games = ipywidgets.Dropdown(options=list(GAMES), value=game, description="Game")
    mode = ipywidgets.Dropdown(options=["roll"], description="Mode")
    own, opponent = (ipywidgets.IntSlider(description=name, **WIDE) for name in ("Own score", "Opponent's score"))
    image, message, solution, masks = ipywidgets.Image(format="png"), ipywidgets.HTML(), None, {}

    def load(_=None):
        nonlocal solution
        solution = solve(GAMES[games.value]())
        own.max = opponent.max = solution.game.target - 1
        mode.options = [m.name for m in solution.game.modes if m.may_hold]
        draw()

    def draw(_=None):
        if mode.value not in [m.name for m in solution.game.modes]:
            return  # in the middle of a change to another game
        if (games.value, mode.value) not in masks:
            masks[games.value, mode.value] = solution.policy.roll_mask(mode.value)
        figure, (left, right) = side_by_side(8.6, 2, "none", left=0.08, right=0.98, bottom=0.13, top=0.92, wspace=0.28)
        plots.decisions(masks[games.value, mode.value], opponent.value, ax=left)
        left.axvline(own.value, color="tab:red", linewidth=1.2)
        values = odds(solution, own.value, opponent.value)[["hold", mode.value]].set_axis(["hold", "roll"], axis=1)
        plots.lines(100 * values, "turn total (points)", "probability to win (%)", ax=right)
        image.value = png(figure)
        value = solution.values[own.value, opponent.value]
        message.value = f"At the start of the turn you win with <b>{value:.2%}</b>. Gray: roll; white: hold."

    games.observe(load, "value")
    for widget in (mode, own, opponent):
        widget.observe(draw, "value")
    load()
    return ipywidgets.VBox([ipywidgets.HBox([games, mode]), ipywidgets.HBox([own, opponent]), message, image])


def turning_surface(thresholds):
    """The landscape of a policy as a surface that the mouse can turn.

    Parameters
    ----------
    thresholds : ndarray of int, (target, target)
        As from ``policy.hold_thresholds()``.

    Returns
    -------
    ipywidgets.DOMWidget
    """
    with extra("papers"):
        from ipympl.backend_nbagg import Canvas, FigureManager

    with style():
        figure = Figure(figsize=(7, 5.5), dpi=100)
        canvas = Canvas(figure)
        FigureManager(canvas, 0)
        plots.surface(thresholds, ax=figure.add_subplot(projection="3d"))
    canvas.header_visible = canvas.footer_visible = False
    return canvas


def design_a_die(probabilities="1/6 0 1/6 1/6 1/6 1/6 1/6", dice=1, target=100):
    """A die to design: the optimal policy, the first player's advantage, the best hold at n, the length of the game.

    Parameters
    ----------
    probabilities : str
        The probabilities of the faces 0, 1, 2, …, separated by spaces; face 0 is the bust.
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
        If an argument is invalid. Errors in later input are shown as a sentence.
    """
    check_name(probabilities, "probabilities", "the probabilities of the faces, as a text with spaces between")
    dice, target = check_int(dice, "dice", 1, 10), check_int(target, "target", 1, 200)

    def number(value, least, most, description):
        return ipywidgets.BoundedIntText(value, min=least, max=most, description=description, **WIDE)

    label = "Probabilities of faces 0, 1, 2, …"
    faces = ipywidgets.Text(probabilities, description=label, layout={"width": "44em"}, **WIDE)
    count, points = number(dice, 1, 10, "Dice"), number(target, 1, 200, "Target")
    bust = number(1, 1, 10, "so many 0s bust")
    reset = number(0, 0, 10, "so many 0s cost all points (0: never)")
    finish = ipywidgets.Dropdown(options=["reach", "exact"], description="Finish")
    message, image = ipywidgets.HTML(), ipywidgets.Image(format="png")

    def draw(_=None):
        rules = {"dice": count.value, "bust": bust.value, "reset": reset.value or None, "finish": finish.value}
        try:
            game = generalized_pig(faces.value.replace(",", " ").split(), points.value, **rules)
            message.value, image.value = describe_game(game)
            image.layout.display = None
        except EXPECTED as error:
            message.value, image.layout.display = f"<b>{escape(str(error))}</b>", "none"

    rows = [[faces], [count, bust, reset], [points, finish]]
    for widget in (widget for row in rows for widget in row):
        widget.continuous_update = False
        widget.observe(draw, "value")
    draw()
    return ipywidgets.VBox([*map(ipywidgets.HBox, rows), message, image])


def describe_game(game):
    """A game in three sentences, as HTML, and in a picture, as PNG."""
    solution = solve(game)
    wins = 1 - hold_at_win_rates(game)["optimal average"]
    match = evaluate(game, solution.policy, solution.policy)
    best, short = wins.idxmax(), match.turns_mean <= LONGEST_GAME
    if short:
        duration = f"<b>{match.turns_mean:.1f}</b> turns on average, with a standard deviation of {match.turns_sd:.1f}"
    else:
        duration = f"<b>more than {LONGEST_GAME:,}</b> turns on average"
    text = (
        f"The first player wins with <b>{solution.value:.2%}</b>. The best rule of the form hold at n is to hold at "
        f"<b>{best}</b>: it wins {wins[best]:.2%} of its games against the optimal player. "
        f"A game between two optimal players lasts {duration}."
    )
    figure, axes = side_by_side(12.5, 3, "constrained")
    plots.hold_thresholds(solution.policy.hold_thresholds(), ax=axes[0])
    wins = 100 * wins.to_frame("against the optimal player")
    plots.lines(wins, "hold at (points)", "games won by holding at n (%)", ax=axes[1])
    axes[2].set_visible(short)
    if short:
        turns = match.turns_distribution()
        shares = 100 * pd.DataFrame({"two optimal players": turns[turns.cumsum() < 0.999]})
        plots.lines(shares, "turns of a game", "probability (%)", ax=axes[2])
    return text, png(figure)
