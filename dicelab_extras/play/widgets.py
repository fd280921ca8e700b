"""Widgets for JupyterLab: turns and a game to play, values with sliders, a turning landscape, a die to design.

Each function lays out the widgets and updates them; the results come from the solvers, `GameSession` and `plots`.
"""

from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import groupby
from random import Random

import numpy as np

from dicelab import solve
from dicelab._extras import extra
from dicelab._shown import shorten, title_of
from dicelab._text import misfit, plain, whole_number
from dicelab._validation import check_int, check_option, invalid
from dicelab.evaluation.action_values import action_values
from dicelab.evaluation.match import evaluate
from dicelab.evaluation.studies import hold_at_n
from dicelab.games.catalogue import PLAYED, generalized_pig, pig
from dicelab.games.die import bust_probabilities, read_die
from dicelab.games.model import Game, check_game
from dicelab.games.registers import Score
from dicelab.policies import Policy
from dicelab.solution import Solution
from dicelab.views import plots
from dicelab.views.style import COLOURS, style, whole_ticks

from .cards import drawn, picture
from .rules import rules_in_words
from .session import DRAW, GameSession, say_loss

with extra("papers"):
    import ipywidgets
    from matplotlib.figure import Figure

__all__ = ["design_a_die", "landscape", "one_turn", "play_table", "turning_surface"]

THREE = {
    "Pig": 50,
    "Two-dice Pig": 30,
    "Double Trouble": 30,
}  # targets that are solved in seconds; 20 of others
BEGINS = {
    2: ["you", "the optimal player"],
    3: ["you", "the player before you", "the player after you"],
}
DICE = {  # what the buttons of `design_a_die` fill in: the die, the number of dice, bust, reset
    "Fair die": ("1 2 3 4 5 6, ones bust", 1, 1, 0),
    "Loaded die": ("1 2 3 4 5 6:1/2, ones bust", 1, 1, 0),
    "Eight-sided die": ("1 2 3 4 5 6 7 8, ones bust", 1, 1, 0),
    "Coin": ("0 1, zeros bust", 1, 1, 0),
    "Two dice": ("1 2 3 4 5 6, ones bust", 2, 1, 2),
}
MOST_DICE, FARTHEST = 10, 200  # of a die to design: what is computed in seconds
EXPECTED = (
    ValueError,
    ArithmeticError,
    NotImplementedError,
    MemoryError,
)  # errors that are shown as a sentence
LONGEST_GAME = 400  # mean number of turns up to which the distribution is drawn
WIDE = {"style": {"description_width": "initial"}}
FITTING = WIDE | {"layout": {"width": "max-content"}}
WRAP = {"flex_flow": "row wrap", "align_items": "center", "grid_gap": "2px 14px"}
TOUCH = {"height": "44px", "width": "auto", "min_width": "88px"}  # for fingers
BLUE = COLOURS[0]
BEST = "#00664b"  # a dark green, on which white is readable, as it is on the blue
PICTURE = 4.2, 3.6  # inches
PANEL = "border: 1px solid; border-radius: 6px; padding: 0 1em 0.6em"


def alert(said):
    """An error as HTML; a screen reader reads it out."""
    return f"<b role='alert'>⚠ {escape(str(said))}</b>"


@lru_cache(maxsize=8)
def solve_named(game, target=None, players=2):
    """The solution of a game, or of one in `PLAYED`, by default to its own target, or a smaller one for three."""
    if isinstance(game, Game):
        return solve(game if target is None else replace(game, target=target), players=players)
    if target is None and players > 2:
        target = THREE.get(game, 20)
    return solve(PLAYED[game]() if target is None else PLAYED[game](target), players=players)


def read_seed(text):
    """Read a text as a seed; None if it is blank."""
    number = whole_number(text)
    if plain(text) and (number is None or number < 0):
        raise invalid(
            "seed", text, "a whole number of at least 0, or nothing for new dice" + misfit(text)
        )
    return number


def play_table(
    game: Game | str = "Pig", target: int | None = None, seed: int | None = None, players: int = 2
) -> ipywidgets.VBox:
    """A game to play against one or two optimal players.

    Parameters
    ----------
    game : str or Game
        The game at first: "Pig", "Two-dice Pig", "Double Trouble", "Ten Thousand", "Farkle", "Big Pig", "Hog", "Toss
        Up", "Pass the Pigs", "Kingdom Come" or "Piglet"; or another game, which joins the menu.
    target : int, optional
        Points, or chips, that win; by default the game's own target, or with three players a smaller one, which
        is solved in seconds.
    seed : int, optional
        Of the dice, to repeat a game. By default every new game has new dice.
    players : {2, 3}
        How many play at first.

    Returns
    -------
    ipywidgets.VBox
        Its attribute `session` is the game in progress.

    Raises
    ------
    ValueError
        If an argument is invalid. Errors in later input are shown as a sentence.

    Examples
    --------
    >>> table = play_table("Pig")  # the last line of a cell shows it
    """
    menu = {name: name for name in PLAYED}
    if isinstance(game, Game):
        menu[title_of(check_game(game))] = game
    else:
        check_option(game, "game", list(PLAYED))
    target = None if target is None else check_int(target, "target", 1)
    seed = "" if seed is None else str(check_int(seed, "seed", 0))
    check_int(players, "players", 2, 3)
    games = ipywidgets.Dropdown(options=menu, value=game, description="Game", **FITTING)
    number = ipywidgets.Dropdown(options=[2, 3], value=players, description="Players", **FITTING)
    first = ipywidgets.Dropdown(options=BEGINS[players], description="Who begins", **FITTING)
    seeds = ipywidgets.Text(
        seed, placeholder="new dice", description="Seed, to repeat a game", **FITTING
    )
    new_game = ipywidgets.Button(description="New game", layout=TOUCH)
    advise = ipywidgets.Checkbox(description="Show odds and advice", indent=False)
    look = {"button_color": BLUE, "text_color": "white"}
    buttons = []
    chance = ipywidgets.FloatProgress(
        min=0, max=1, layout={"width": "30em", "max_width": "100%"}, **WIDE
    )
    rules, problem, state, review, log = (ipywidgets.HTML() for _ in range(5))
    panels = [ipywidgets.HTML(layout={"flex": "1 1 18em"}) for _ in range(3)]
    table = ipywidgets.VBox()
    table.children = [
        rules,
        ipywidgets.HBox([games, number, first, seeds], layout=WRAP),
        problem,
        ipywidgets.HBox([new_game, advise], layout=WRAP),
        state,
        ipywidgets.HBox(buttons, layout=WRAP),
        chance,
        ipywidgets.HBox(layout=WRAP | {"align_items": "flex-start"}),
        review,
        log,
    ]

    def start(_=None):
        you, many = first.index, number.value
        names = [
            f"Player {player}" if many > 2 else "The optimal player"
            for player in range(1, many + 1)
        ]
        names[you] = "You"
        problem.value = f"Solving {games.label} …"
        try:
            solution = solve_named(games.value, target, many)
            table.session = GameSession(solution, read_seed(seeds.value), names)
        except EXPECTED as error:
            problem.value = alert(error)
            return
        problem.value, rules.value = "", rules_html(solution.game)
        outcomes = [outcome for mode in solution.game.modes for outcome in mode.outcomes]
        while len(buttons) < max(2, *(len(outcome.choices) for outcome in outcomes)):
            buttons.append(ipywidgets.Button(layout=TOUCH, style=look))
            buttons[-1].on_click(act)
        table.children[5].children = buttons
        show()

    def show(_=None):
        session, you = table.session, first.index
        order = [(you + k) % session.players for k in range(session.players)]
        session.reply(*order[1:])
        show_options(session, buttons, advise.value)
        state.value = state_html(session, you)
        chance.value, chance.layout.display = (
            session.chance(you),
            "none" if session.winner is not None else None,
        )
        chance.description = f"You win with {session.chance(you):.1%}"
        for panel, player in zip(panels, order, strict=False):
            panel.value = panel_html(session, player)
        table.children[7].children = panels[: session.players]
        review.value = review_html(session, you) if session.winner is not None else ""
        log.value = log_html(session)

    def act(button):
        number = buttons.index(button)
        options = table.session.options()
        if number < len(options):  # else it was pressed twice, too fast
            table.session.take(options[number].name)
            show()
        if button.layout.display == "none":
            (new_game if table.session.winner is not None else buttons[0]).focus()

    new_game.on_click(start)

    def seat(_):
        first.unobserve(start, "value")
        first.options = BEGINS[number.value]
        first.observe(start, "value")
        start()

    for widget in (games, first):
        widget.observe(start, "value")
    number.observe(seat, "value")
    advise.observe(show, "value")
    start()
    return table


def show_options(session, buttons, advise):
    """Name the first buttons after the options, with their values if wanted, and hide the others.

    A hold that is not allowed yet has a button that is disabled.
    """
    options = session.options()
    best = session.best().name if session.winner is None else None
    for button in buttons[len(options) :]:
        button.layout.display = "none"
    if session.cannot_hold:
        refused = buttons[len(options)]
        refused.description, refused.disabled, refused.layout.display = "Hold", True, None
        refused.tooltip, refused.style.button_color = session.cannot_hold.capitalize(), None
    for button, option in zip(buttons, options, strict=False):
        button.layout.display, button.disabled, button.tooltip = None, False, ""
        marked = advise and option.name == best
        theirs = [f"{option.chances[player]:.1%}" for player in session.next_players]
        others = f" (the others {' and '.join(theirs)})" if len(theirs) > 1 else ""
        odds = f": {option.value:.1%}{others}{', the best' if marked else ''}" if advise else ""
        button.description = f"{option.name.capitalize()}{odds}"
        button.style.button_color = BEST if marked else BLUE


def rules_html(game):
    """The rules of a game, a line each, as HTML."""
    lines = "".join(f"<li>{escape(shorten(line, 300))}</li>" for line in rules_in_words(game))
    return f"<b>{escape(game.name)}</b><ul style='margin: 0; line-height: 1.4'>{lines}</ul>"


def dice_html(faces):
    """Dice to look at, as HTML; the number is said beside them."""
    if not all(1 <= face <= 6 for face in faces):
        return ""
    dice = " ".join(chr(0x267F + face) for face in faces)
    return f"<span aria-hidden='true' style='font-size: 2.6em; line-height: 1; vertical-align: middle'>{dice}</span> "


def state_html(session, you):
    """Whose turn it is, or who won, as HTML."""
    said = f"Your turn: {session.game.with_unit(session.total)} so far."
    for more in filter(None, (session.about_last_turn, session.cannot_hold)):
        said += f" {more.capitalize()}."
    if session.winner == DRAW:
        said = "A draw."
    elif session.winner is not None:
        said = "You won." if session.winner == you else f"{session.names[session.winner]} won."
    return f"<b role='status' style='font-size: 1.2em'>{said}</b>"


def panel_html(session, player):
    """A player's score and latest turn, roll by roll, as HTML."""
    turn = session.last_turn(player)
    events = "".join(
        f"<li>{dice_html(event.dice) if event.dice else ''}{event.said}</li>" for event in turn
    )
    score = session.scores[player]
    points = session.game.with_unit(int(score))
    kept = f", {escape(score.register)}" if isinstance(score, Score) else ""
    title = f"{session.names[player]}: <span style='font-size: 1.6em'>{points}</span>{kept}"
    played = (
        f"Turn {turn[0].turn}<ul style='list-style: none; padding: 0; margin: 0'>{events}</ul>"
        if turn
        else ""
    )
    return f"<div style='{PANEL}'><b>{title}</b><br>{played}</div>"


def log_html(session):
    """All turns, the latest first, a line each, as HTML."""
    turns = [list(events) for _, events in groupby(session.events, lambda event: event.turn)]
    names = session.names
    lines = [
        f"<b>{names[turn[0].player]}</b> {'; '.join(event.said for event in turn)}."
        for turn in reversed(turns)
    ]
    items = "".join(f"<li>{line}</li>" for line in lines)
    return (
        f"<b>All turns</b><ol reversed style='margin: 0; line-height: 1.5'>{items}</ol>"
        if turns
        else ""
    )


def review_html(session, you):
    """A player's three worst mistakes after the game, as HTML."""
    said = f"<b>{session.verdict(you)}</b> To play with the same dice again: seed {session.seed}."
    wrong = session.mistakes(you).head(3)
    if wrong.empty:
        return said
    opponents = "Opponent" if session.players == 2 else "The others"
    columns = {
        "turn": "Turn",
        "own": "You",
        "opponent": opponents,
        "total": "Turn total",
        "rolled": "Dice",
        "action": "You chose",
        "best": "Better",
        "loss": "Win probability lost",
    }
    wrong = wrong.drop(columns=[] if wrong["rolled"].any() else ["rolled"]).rename(columns=columns)
    table = (
        wrong.style.format({"Win probability lost": say_loss})
        .hide(axis="index")
        .set_properties(padding="0 0.8em")
    )
    return f"{said}<br>{'The worst' if len(wrong) < 3 else 'The three worst'}:{table.to_html()}"


def one_turn(game: Game | None = None, turns: int = 3, seed: int | None = None) -> ipywidgets.VBox:
    """Turns to play for points, without an opponent: roll or hold, until all turns are played.

    Parameters
    ----------
    game : Game, optional
        A game with one mode in which no roll offers a choice of dice; by default Pig.
    turns : int
        The number of turns, in 1, …, 10.
    seed : int, optional
        Of the dice. By default they are new every time.

    Returns
    -------
    ipywidgets.VBox
        Its attribute `turns` has the turn totals of every turn so far, in order; 0 comes last after a bust.

    Raises
    ------
    ValueError
        If an argument is invalid.

    Examples
    --------
    >>> table = one_turn(pig())  # the last line of a cell shows it
    """
    (mode, *others), number = (
        check_game(pig() if game is None else game, last_turn=False, registers=False).modes,
        check_int(turns, "turns", 1, 10),
    )
    if others or not mode.may_hold or any(len(outcome.choices) > 1 for outcome in mode.outcomes):
        raise invalid(
            "game",
            game,
            "a game with one mode and without choices after a roll, for example dicelab.pig()",
        )
    dice = Random(None if seed is None else check_int(seed, "seed", 0))
    chances = [float(outcome.probability) for outcome in mode.changes]
    look = {"button_color": BLUE, "text_color": "white"}
    roll, hold, again = (
        ipywidgets.Button(description=name, layout=TOUCH, style=look)
        for name in ("Roll", "Hold", "Play again")
    )
    state, curves, said = (ipywidgets.HTML() for _ in range(3))
    table = ipywidgets.VBox(
        [state, ipywidgets.HBox([roll, hold, again], layout=WRAP), said, curves]
    )
    done = []  # the points of all turns that are finished

    def act(button):
        totals = table.turns[-1]
        if len(done) == number or (button is hold and not totals[-1]):
            return  # it was pressed twice, too fast; and a turn begins with a roll
        if button is hold:
            points, event = 0, f"You keep {totals[-1]} points."
        else:
            (outcome,) = dice.choices(mode.changes, chances)
            points = outcome.choices[0].points if outcome.choices else 0
            faces = dice.choice(outcome.rolls) if outcome.rolls else (points,)
            event = f"{dice_html(faces)}{f'+{points}' if points else 'Bust: the points are lost.'}"
            totals.append(totals[-1] + points if points else 0)
        if not points:
            done.append(totals[-1])
            table.turns += [[0]] if len(done) < number else []
        show(event)

    def start(_=None):
        table.turns = [[0]]
        done.clear()
        show("")

    def show(event):
        total = table.turns[-1][-1]
        over = len(done) == number
        title = (
            f"All {number} turns are played."
            if over
            else f"Turn {len(done) + 1} of {number}. Turn total:"
        )
        big = sum(done) if over else total
        state.value = (
            f"<div role='status'><b>{title}</b> {'Points together:' if over else ''} "
            f"<span style='font-size: 4em; line-height: 1.1'>{big}</span> {event}</div>"
        )
        points = ", ".join(map(str, done)) or "none yet"
        mean = f" On average {sum(done) / number:.1f} points a turn." if over else ""
        said.value = f"Points of your finished turns: <b>{points}</b>.{mean}"
        for button, shown in ((roll, not over), (hold, not over), (again, over)):
            button.layout.display = None if shown else "none"
        hold.disabled = not total
        words = [
            f"turn {n}: {', '.join(map(str, totals))}" for n, totals in enumerate(table.turns, 1)
        ]
        seen = f"Your turn totals by roll. {'; '.join(words)}."
        curves.value = drawn(lambda ax: draw_turns(table.turns, ax), seen, PICTURE)

    for button in (roll, hold):
        button.on_click(act)
    again.on_click(start)
    start()
    return table


def draw_turns(turns, ax):
    """Draw the turn totals of some turns, from roll to roll."""
    for number, totals in enumerate(turns):
        look = {"color": COLOURS[number % len(COLOURS)], "marker": "os^Dv"[number % 5]}
        ax.plot(range(len(totals)), totals, label=f"turn {number + 1}", **look)
    ax.set(
        xlabel="rolls of the turn",
        ylabel="turn total (points)",
        xlim=(-0.3, max(8, *map(len, turns))),
        ylim=(-1, max(30, *(max(totals) + 3 for totals in turns))),
    )
    ax.xaxis.set_major_locator(whole_ticks())
    ax.legend(loc="upper left")


def landscape(game: str = "Pig") -> ipywidgets.VBox:
    """The optimal decisions and the values of rolling and of holding, with sliders for both scores.

    Parameters
    ----------
    game : str
        The name of the game at first, one of those of :func:`play_table` but "Hog".

    Returns
    -------
    ipywidgets.VBox

    Raises
    ------
    ValueError
        If there is no such game.

    Examples
    --------
    >>> sliders = landscape("Pig")
    """
    names = [name for name in PLAYED if name != "Hog"]  # in which one decides before the roll
    check_option(game, "game", names)
    games = ipywidgets.Dropdown(options=names, value=game, description="Game")
    mode = ipywidgets.Dropdown(options=["roll"], description="Mode")
    long = WIDE | {"layout": {"width": "28em", "max_width": "100%"}}
    own, opponent = (
        ipywidgets.IntSlider(description=name, **long) for name in ("Own score", "Opponent's score")
    )
    seen = "Left, where the optimal policy rolls and holds; right, the win probability by rolling and by holding."
    image = ipywidgets.HTML()
    message = ipywidgets.HTML()
    solution = None
    masks = {}

    def load(_=None):
        nonlocal solution
        solution = solve_named(games.value)
        own.max = opponent.max = solution.game.target - 1
        mode.options = [m.name for m in solution.game.modes if m.may_hold]
        draw()

    def draw(_=None):
        if mode.value not in [m.name for m in solution.game.modes]:
            return  # in the middle of a change to another game
        if (games.value, mode.value) not in masks:
            masks[games.value, mode.value] = solution.policy.roll_mask(mode.value)
        margins = {"left": 0.08, "right": 0.98, "bottom": 0.13, "top": 0.92, "wspace": 0.28}
        with style():
            figure = Figure(figsize=(8.6, 4), layout="none")
            left, right = figure.subplots(1, 2, gridspec_kw=margins)
        unit = solution.game.unit
        plots.decisions(masks[games.value, mode.value], opponent.value, unit=unit, ax=left)
        left.axvline(own.value, color="tab:red", linewidth=1.2)
        roll = "roll" if len(solution.game.modes) == 1 else mode.value
        values = action_values(solution, own.value, opponent.value)[["hold", roll]].set_axis(
            ["hold", "roll"], axis=1
        )
        plots.lines(100 * values, f"turn total ({unit})", "probability to win (%)", ax=right)
        above = {"loc": "lower center", "bbox_to_anchor": (0.5, 1)}  # the curves
        right.legend(ncols=2, frameon=False, fontsize=8.5, **above)
        image.value = picture(figure, seen, crop=None)
        value = solution.values[own.value, opponent.value]
        scores = f"{solution.game.with_unit(own.value)} against {solution.game.with_unit(opponent.value)}"
        message.value = f"{scores}: at the start of the turn you win with <b>{value:.2%}</b>. Gray: roll; white: hold."

    games.observe(load, "value")
    for widget in (mode, own, opponent):
        widget.observe(draw, "value")
    load()
    return ipywidgets.VBox(
        [
            *(ipywidgets.HBox(row, layout=WRAP) for row in ([games, mode], [own, opponent])),
            message,
            image,
        ]
    )


def turning_surface(
    thresholds: Solution | Policy | np.ndarray, *, label: str | None = None
) -> ipywidgets.DOMWidget:
    """The landscape of a policy as a surface that the mouse can turn.

    Parameters
    ----------
    thresholds : Solution, Policy, or ndarray, (target, target)
    label : str, optional
        Both as in :func:`dicelab.plots.surface`: an array needs a label.

    Returns
    -------
    ipywidgets.DOMWidget

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> surface = turning_surface(solve(pig(20)))
    """
    with extra("papers"):
        from ipympl.backend_nbagg import Canvas, FigureManager

    with style():
        figure = Figure(figsize=(7, 5.5), dpi=100)
        canvas = Canvas(figure)
        FigureManager(canvas, 0)
        plots.surface(thresholds, label=label, ax=figure.add_subplot(projection="3d"))
    canvas.header_visible = canvas.footer_visible = False
    return canvas


def design_a_die(
    die: str = "1 2 3 4 5 6, ones bust", dice: int = 1, target: int = 100
) -> ipywidgets.VBox:
    """A die to design: the optimal policy, the first player's advantage, the best hold at n, the length of the game.

    Parameters
    ----------
    die : str
        The faces and what busts; see :func:`dicelab.games.die.read_die`.
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
        If an argument is invalid. Errors in later input are shown as a sentence, and the last results stay.

    Examples
    --------
    >>> die = design_a_die("1 2 3 4 5 6, ones bust", target=20)
    """
    read_die(die), check_int(dice, "dice", 1, MOST_DICE), check_int(target, "target", 1, FARTHEST)
    presets = [ipywidgets.Button(description=name, layout=TOUCH) for name in DICE]
    faces = ipywidgets.Text(
        die, description="Die", layout={"width": "40em", "max_width": "100%"}, **WIDE
    )
    count = ipywidgets.IntText(dice, description=f"Dice (1 to {MOST_DICE})", **FITTING)
    bust = ipywidgets.IntText(
        1, description="Bust: number of bad faces that end the turn", **FITTING
    )
    reset = ipywidgets.IntText(
        0, description="Reset: number that also lose all banked points (0: never)", **FITTING
    )
    points = ipywidgets.IntText(target, description=f"Target (1 to {FARTHEST} points)", **FITTING)
    finishes = {"reach it, or more": "reach", "hit it exactly": "exact"}
    finish = ipywidgets.Dropdown(options=finishes, description="To win", **FITTING)
    problem, results = ipywidgets.HTML(), ipywidgets.HTML()
    inputs = [faces, count, bust, reset, points, finish]

    def draw(_=None):
        problem.value = "Solving …"
        try:
            shown = read_die(faces.value)
            number = check_int(count.value, "dice", 1, MOST_DICE)
            game = generalized_pig(
                bust_probabilities(shown),
                check_int(points.value, "target", 1, FARTHEST),
                dice=number,
                bust=bust.value,
                reset=reset.value or None,
                finish=finish.value,
            )
            results.value = die_html(shown) + describe_game(game)
            problem.value = ""
        except EXPECTED as error:
            last = "<br>Below is still the last die without an error." if results.value else ""
            problem.value = alert(error) + last

    def fill_in(button):
        for widget in inputs:
            widget.unobserve(draw, "value")
        faces.value, count.value, bust.value, reset.value = DICE[button.description]
        watch()
        draw()

    def watch():
        for widget in inputs:
            widget.observe(draw, "value")

    for button in presets:
        button.on_click(fill_in)
    for widget in inputs:
        widget.continuous_update = False
    watch()
    draw()
    rows = [presets, [faces], [problem], [count, points, finish], [bust, reset]]
    return ipywidgets.VBox([*(ipywidgets.HBox(row, layout=WRAP) for row in rows), results])


def die_html(faces):
    """A die as a table: every face, its chance, and what it does."""
    rows = {
        "Face": [face.number for face in faces],
        "Chance": [face.chance for face in faces],
        "What it does": ["busts" if face.busts else f"scores {face.number}" for face in faces],
    }
    lines = "".join(
        f"<tr><th scope='row' style='text-align: left; padding-right: 1em'>{name}</th>"
        + "".join(f"<td style='padding: 0 0.8em; text-align: center'>{cell}</td>" for cell in cells)
        + "</tr>"
        for name, cells in rows.items()
    )
    return f"<div style='overflow-x: auto'><table>{lines}</table></div>"


def describe_game(game):
    """A game in three sentences and in pictures, as HTML."""
    solution = solve(game)
    wins = hold_at_n(game)["average"]
    match = evaluate(game, solution.policy, solution.policy)
    best = wins.idxmax()
    short = match.turns_mean <= LONGEST_GAME
    if short:
        duration = f"<b>{match.turns_mean:.1f}</b> turns on average, with a standard deviation of {match.turns_sd:.1f}"
    else:
        duration = f"<b>more than {LONGEST_GAME:,}</b> turns on average, too many to draw"
    text = (
        f"The first player wins with <b>{solution.value:.2%}</b>. The best rule of the form hold at n is to hold at "
        f"<b>{best}</b>: it wins {wins[best]:.2%} of its games against the optimal player. "
        f"A game between two optimal players lasts {duration}."
    )
    pictures = [
        drawn(
            lambda ax: plots.hold_thresholds(solution, ax=ax),
            "Map of the optimal policy: the lowest turn total to hold at, by own and opponent's score.",
            PICTURE,
        ),
        curve(100 * wins, "hold at (points)", "games won against the optimal player (%)"),
    ]
    if short:
        turns = match.turns_distribution()
        pictures.append(
            curve(
                100 * turns[turns.cumsum().shift(fill_value=0) < 0.999],
                "turns of a game of two optimal players",
                "probability (%)",
            )
        )
    row = f"<div style='display: flex; flex-wrap: wrap; gap: 1em'>{''.join(pictures)}</div>"
    return f"<p style='line-height: 1.4'>{text}</p>{row}"


def curve(numbers, xlabel, ylabel):
    """A Series as a picture with one line, whose axes say what it is."""

    def draw(ax):
        plots.lines(numbers.to_frame("optimal"), xlabel, ylabel, ax=ax)
        ax.get_legend().remove()

    highest = f"The largest value is {numbers.max():.3g}, at {numbers.idxmax()}."
    return drawn(draw, f"Curve of the {ylabel} by {xlabel}. {highest}", PICTURE)


def __dir__():
    """The public names."""
    return sorted(__all__)
