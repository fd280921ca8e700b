"""Cards: what Jupyter shows for a game, a policy and a result, as HTML: a few facts, and a small picture.

:func:`card` has a function for each kind. Text inherits its colour, and pictures have a white background, so that cards
can be read in dark mode, too. A picture that would take long is left out.
"""

import base64
import io
import math
from functools import singledispatch
from html import escape
from inspect import getdoc, isfunction
from itertools import product

import numpy as np
import pandas as pd

from dicelab._extras import extra
from dicelab._shown import in_words, name_of, title_of, with_interval
from dicelab.evaluation.match import Match
from dicelab.evaluation.simulation import Estimate
from dicelab.games.model import BUST, LAST_TURN, LOSE, RESET, Game, Mode
from dicelab.games.registers import Score
from dicelab.policies import OneGamePolicy
from dicelab.rules_of_thumb import Rule
from dicelab.solution import OBJECTIVES, VERDICTS, OptimalPolicy, Solution, turns_in_words
from dicelab.views import plots
from dicelab.views.policy_maps import TO_THE_WIN, colours_of, middle_of
from dicelab.views.style import COLOURS, style, whole_ticks

from .rules import finish_in_words

with extra("plots"):
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

__all__ = ["card"]

LOOK = """<style>
div.dicelab-card {display: flex; flex-wrap: wrap; gap: 0.5em 2em; align-items: flex-start; margin: 0.3em 0;
  padding: 0.2em 0 0.2em 1em; border-left: 3px solid #0072b2; line-height: 1.4}
div.dicelab-card table {margin: 0.3em 0; border-collapse: collapse}
div.dicelab-card th, div.dicelab-card td {padding: 0.15em 1em 0.15em 0.3em; text-align: left !important;
  vertical-align: top}
div.dicelab-card th {font-weight: normal; opacity: 0.75}
div.dicelab-card p {margin: 0.3em 0; max-width: 34em}
div.dicelab-card summary {cursor: pointer}
div.dicelab-card img {background: white; border-radius: 4px}
</style>"""
FOLDED = 12  # rows of a table of rules from which on it is folded
MOST_ROWS, MOST_CHOICES, MOST_ROLLS = 60, 4, 3  # of a table of rules; of one of its rows
MOST_MAPS = 6
MOST_SCORES = 100  # in one direction of a map
MOST_STEPS = 10**8  # of the turn operator for a map, about a second
FEWEST_SCORES = 10  # in one direction of a map that is worth drawing
MOST_STATES = 300**2  # of a match whose turns are counted for its card
RARE = 1e-3  # probability of the longest games, which the picture of a match leaves out
DOTS = 160  # an inch of a picture


def card(thing):
    """The card of a game, a mode, a policy, a solution, a match or an estimate, as HTML.

    None if there is none, as for a policy of your own class: its ``repr`` is shown then.
    """
    parts = _parts(thing)
    return (
        parts
        and f'{LOOK}<div class="dicelab-card tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'
    )


@singledispatch
def _parts(thing):
    """The parts of a card, which stand side by side: of what says itself what its card shows, as a grade does."""
    if not hasattr(type(thing), "card"):
        return None
    told = thing.card()
    said = "".join(f"<p>{escape(line)}</p>" for line in told["sentences"])
    for title, frame in told["tables"].items():
        rows = [[f"{x:.3g}" if isinstance(x, float) else x for x in row] for row in frame.values]
        table = _table([*frame], rows)
        summary = f"<details><summary>{escape(title)}</summary>{table}</details>"
        said += summary if title else table
    parts = [f"<div>{_title(told['kind'], told['name'])}{said}</div>"]
    if "map" in told:
        parts.append(drawn(told["map"], told["described"], (4.2, 3.4)))
    return parts


@_parts.register
def _(game: Game):
    target = game.with_unit(game.target)
    said = f"Whoever first reaches {target} wins."
    if game.finish == "exact":
        said = f"Whoever first has exactly {target} wins; beyond {game.target:,} a turn busts."
    elif game.finish in LAST_TURN:
        said = finish_in_words(game)
    tables = [_rules(mode, len(game.modes) > 1) for mode in game.modes]
    registers = {register.name: str(register) for register in game.registers}
    lowest = f"<p>No score falls below {game.with_unit(game.lowest)}.</p>" if game.lowest else ""
    tables += (
        [f"<p>Players remember between turns:</p>{_facts(registers)}{lowest}"] if registers else []
    )
    return [f"<div>{_title('Game of', title_of(game))}<p>{said}</p>{''.join(tables)}</div>"]


@_parts.register
def _(mode: Mode):
    return [f"<div>{_rules(mode, True)}</div>"]


@_parts.register
def _(solution: Solution):
    if solution.players > 2:
        return _equilibrium(solution)
    facts = {"value": f"{_number(solution.value)} {OBJECTIVES[solution.objective]}"}
    if solution.turns is not None:
        both = " of both" * (solution.objective == "rounds")
        facts["within"] = turns_in_words(solution.turns) + both
    facts["accuracy"] = _accuracy(solution)
    if solution.exact and solution.ties is not None:
        facts["ties"] = f"{len(solution.ties):,} decisions"
    if solution.against is not None:
        facts["against"] = name_of(solution.against)
    if solution.objective == "score":
        facts |= _holds_at(solution)
    head = _title("Solution of", f'{solution.title}, "{solution.objective}"')
    told = f"<div>{head}{_facts(facts)}</div>"
    if solution.objective in ("score", "total", "rounds"):
        return [told]
    if solution.objective == "deadline":
        return [told, _chances(solution)]
    return [told, _landscape(solution.policy, solution.game, solution.objective == "turns")]


@_parts.register
def _(policy: OneGamePolicy):
    facts = {"name": name_of(policy)}
    if policy.memory > 1:
        facts["memory"] = f"{policy.memory} internal states"
    elif policy.players > 2:
        mixed = sum(0 < share < 1 for share in policy.bold_shares.values())
        facts |= {"players": str(policy.players), "mixes": mixed and f"at {mixed:,} positions"}
    seen = _landscape(policy, policy.game) if len(facts) == 1 else ""
    return [f"<div>{_title('Policy for', title_of(policy.game))}{_facts(facts)}</div>", seen]


def _accuracy(solution):
    return "exact, in fractions" if solution.exact else f"error {solution.error:.0e}, estimated"


def _equilibrium(solution):
    """The card of a solution for more than two players."""
    facts = {"players": str(solution.players), "accuracy": _accuracy(solution)}
    if solution.against is not None:
        facts["against"] = " and ".join(map(name_of, solution.against))
    else:
        counts = solution.verdicts["verdict"].value_counts()
        one, several, none = (f"{counts[verdict]:,}" for verdict in VERDICTS)
        facts["equilibria"] = (
            f"one at {one} tuples of needs, several at {several}, none in pure strategies at {none}"
        )
        facts["of several"] = f"the {solution.prefer} one" if counts["several"] else None
    facts |= {f"seat {k + 1} wins": _number(chance) for k, chance in enumerate(solution.value)}
    head = _title("Solution of", title_of(solution.game))
    return [f"<div>{head}{_facts(facts)}</div>"]


@_parts.register
def _(rule: Rule):
    said = (isfunction(rule.holds) and getdoc(rule.holds)) or ""
    words = getattr(rule.holds, "words", said.partition("\n\n")[0])
    memory = {"memory": f"{rule.memory} internal states"} if rule.memory > 1 else {}
    return [f"<div>{_title('Rule', name_of(rule))}<p>{escape(words)}</p>{_facts(memory)}</div>"]


@_parts.register
def _(match: Match):
    facts = _players(match, [f"{chance:.6f}" for chance in match.wins])
    facts["error"] = f"{match.error:.0e}, estimated"
    states = match.game.target**2 * match.first.memory * match.second.memory
    if len(match.policies) > 2 or states > MOST_STATES:
        return [f"<div>{_title('Match of', title_of(match.game))}{_facts(facts)}</div>"]
    facts |= {
        "turns, mean": f"{match.turns_mean:.6g}",
        "turns, standard deviation": f"{match.turns_sd:.6g}",
    }
    return [f"<div>{_title('Match of', title_of(match.game))}{_facts(facts)}</div>", _turns(match)]


@_parts.register
def _(estimate: Estimate):
    facts = _players(estimate, map(with_interval, estimate.wins, estimate.wins_se))
    games = f"{estimate.games:,} game{'s' * (estimate.games > 1)}"
    facts |= {
        "turns, mean": with_interval(estimate.turns_mean, estimate.turns_mean_se),
        "turns, standard deviation": with_interval(estimate.turns_sd, estimate.turns_sd_se),
        "seed": str(estimate.seed),
    }
    return [
        f"<div>{_title(f'Estimate from {games} of', title_of(estimate.game))}{_facts(facts)}</div>"
    ]


def _title(kind, name):
    return f"<div>{kind} <b>{escape(name)}</b></div>"


def _facts(facts):
    """A table of two columns; facts that are None are left out."""
    rows = (
        f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>"
        for name, fact in facts.items()
        if fact
    )
    return f"<table><tbody>{''.join(rows)}</tbody></table>"


def _table(names, rows):
    """A table with a head."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _number(value):
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _players(result, chances):
    """Who wins how often, by the policies in order of play."""
    seats = [f"player {k + 1}" for k in range(len(result.policies))]
    seats = ["first", "second"] if len(seats) == 2 else seats
    players = zip(map(name_of, result.policies), seats, chances, strict=True)
    return {f"{name}, {seat}": f"wins {chance}" for name, seat, chance in players}


def _rules(mode, named):
    """The outcomes of a roll in a mode as a table, folded if it is long, under the mode's name."""
    if mode.must_hold:
        return f"<p><b>{escape(mode.name)}</b>: the player must hold</p>"
    listed = any(outcome.rolls for outcome in mode.outcomes)
    rows = [_row(outcome, listed, named) for outcome in mode.outcomes[:MOST_ROWS]]
    names = [*(["roll"] if listed else []), "probability", "result"]
    left = len(mode.outcomes) - MOST_ROWS
    more = (
        f"<p>and {left:,} more outcomes; <code>print(game)</code> shows all</p>" if left > 0 else ""
    )
    table = _table(names, rows) + more
    hold = "" if mode.may_hold else "; no hold is allowed"
    chance = f"a roll busts with probability {in_words(mode.chance(BUST))}{hold}"
    chance = "a choice before the roll" if mode.asks else chance
    if len(mode.outcomes) <= FOLDED:
        return (f"<p><b>{escape(mode.name)}</b>: {chance}</p>" if named else "") + table
    said = f"<b>{escape(mode.name)}</b>: {chance}; {len(mode.outcomes)} outcomes"
    return f"<details><summary>{said}</summary>{table}</details>"


def _row(outcome, listed, named):
    """The cells of one outcome in a table of rules."""
    ends = {
        BUST: "bust: the turn total is lost",
        RESET: "reset: the banked score is lost, too",
        LOSE: "lose: the game is lost",
    }
    rolls = [" ".join(map(str, roll)) for roll in outcome.rolls]
    choices = [_choice_in_words(choice, named) for choice in outcome.choices]
    result = ends.get(outcome.result) or _listing(choices, MOST_CHOICES, " or ")
    roll = [_listing(rolls, MOST_ROLLS)] if listed else []
    return [*roll, in_words(outcome.probability), result]


def _choice_in_words(choice, named):
    parts = [f"+{choice.points}" if choice.points else "", f"→ {choice.mode}" if named else ""]
    parts.append(f"({choice.name})" if choice.aside else "")
    return " ".join(filter(None, parts))


def _listing(items, most, between=", "):
    """Some items in one line, the first ones if there are more than `most`."""
    return between.join([*items[:most], *(["…"] if len(items) > most else [])])


def _holds_at(solution):
    """The facts on the best turn whatever the target: where to hold in each mode."""
    rolls = solution.policy.decisions(solution.game, 0, 0)
    first = np.where(rolls.all(axis=1), -1, rolls.argmin(axis=1))
    named = len(solution.game.modes) > 1
    return {
        f"hold at{f', {mode.name}' * named}": f"{at} or more"
        if at > 0
        else "never below the target"
        for mode, at in zip(solution.game.modes, first.tolist(), strict=True)
        if mode.may_hold and mode.name in solution.game.reached()
    }


def _lowest_holds(policy, own, opponents):
    """The lowest turn total to hold at, (opponents, modes) of int; the target where the policy rolls until it wins.

    Scores are given by their places in ``game.scores``.
    """
    if isinstance(policy, OptimalPolicy):
        rolls = policy.decide_all([[own, opponent] for opponent in opponents])[0]
    else:
        rolls = policy.decisions_at(policy.game, policy.game.scores[own])[opponents]
    return np.where(rolls.all(axis=2), policy.game.target, rolls.argmin(axis=2))


def _landscape(policy, game, alone=False):
    """The map of hold thresholds of each mode, as a picture; "" if it would take too long.

    Large games are sampled at evenly spaced scores. Where the opponent's score does not matter, the map is a line.
    With registers there is a map for each that both players are in.
    """
    registers = [register.name for register in game.registers] or [""]
    choices = sum(len(mode.choices) for mode in game.modes) * len(registers)
    most = int((MOST_STEPS / (choices * game.target)) ** (1 if alone else 0.5))
    step = max(1, math.ceil(game.target / min(most, MOST_SCORES))) if most else game.target
    scores = list(range(0, game.target, step))
    if len(scores) < min(FEWEST_SCORES, game.target):
        return ""
    modes = [
        m for m, mode in enumerate(game.modes) if mode.may_hold and mode.name in game.reached()
    ]
    shown = [*product(range(len(registers)), modes)][:MOST_MAPS]
    places = [
        [game.index(Score(own, name)) if name else own for own in scores] for name in registers
    ]
    totals = np.concatenate(
        [[_lowest_holds(policy, own, row[:1] if alone else row) for own in row] for row in places],
        axis=2,
    )
    role = "first in the round" if game.finish == "equal turns" else ""
    named = [(registers[f], game.modes[m].name * (len(game.modes) > 1), role) for f, m in shown]
    names = [", ".join(filter(None, parts)) for parts in named]
    # In a last turn the target does not win yet.
    far = "to the target or beyond" if game.finish in LAST_TURN else "until it wins"
    missing = game.target - np.array(scores)[:, None]
    maps = [
        np.ma.array(np.minimum(holds, missing), mask=holds >= missing)
        for holds in (totals[..., f * len(game.modes) + m] for f, m in shown)
    ]
    found = np.ma.concatenate([part.ravel() for part in maps]).compressed()
    if not len(found):
        return f"<p>It always rolls {far}.</p>"
    span = f"from {found.min()} to {found.max()}; elsewhere it rolls {far}"
    if (totals == totals[:, :1]).all():
        return _lines([part.data[:, 0] for part in maps], names, scores, game.target, span)
    return _maps(maps, names, scores, step, game, span)


def _maps(maps, names, scores, step, game, span):
    """Maps of hold thresholds by both scores, with the colours of :mod:`.policy_maps`."""
    columns = min(3, len(maps))
    rows = -(-len(maps) // columns)
    edges = [scores[0] - step / 2, scores[-1] + step / 2] * 2
    wide = edges[1] - edges[0]
    with style():
        figure = Figure(figsize=(2.4 * columns + 0.9, 2.4 * rows + 0.4))
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        for ax, part, name in zip(grid.flat, maps, names, strict=False):
            back = Rectangle((edges[0], edges[0]), wide, wide, zorder=-1, **TO_THE_WIN)
            ax.add_patch(back)
            if np.ma.count(part):
                white = middle_of(part, game)
                colours, ticks = colours_of(part, white)
                image = ax.imshow(
                    part.T, origin="lower", extent=edges, interpolation="nearest", **colours
                )
                figure.colorbar(image, ax=ax, label=f"hold at (white: {white})", ticks=ticks)
            ax.set_title(name, parse_math=False)
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_locator(whole_ticks())
            ax.set(xlim=edges[:2], ylim=edges[:2], aspect="equal")
            ax.set(xlabel="own score", ylabel="opponent's score")
            ax.label_outer()
        for column in range(len(maps) - columns * (rows - 1), columns):
            grid[-1, column].set_visible(False)
            grid[-2, column].tick_params(labelbottom=True)  # nothing is below it
            grid[-2, column].set_xlabel("own score")
        gray = "to the target" if game.finish in LAST_TURN else "until you win"
        figure.suptitle(f"Gray: roll {gray}", fontsize=9)
        said = "Map of the turn totals to hold at, by own score (to the right) and opponent's score (upwards)"
        return picture(figure, f"{said}: {span}.")


def _lines(lines, names, scores, target, span):
    """Hold thresholds by own score, where the opponent's does not matter."""
    columns = [name or "hold at" for name in names]
    table = pd.DataFrame(np.transpose(lines), scores, columns)

    def draw(ax):
        plots.steps(table, "own score", "hold at", ax=ax)
        ax.set(xlim=(0, target), ylim=(0, 1.1 * np.max(lines)))
        ax.set_title("The slope at the right: roll until you win")
        _legend_beside(ax).set_visible(any(names))

    size = 3.6 + 0.9 * any(names), 2.4
    return drawn(draw, f"The turn totals to hold at, by own score: {span}.", size)


def _legend_beside(ax):
    """The legend, to the right of the axes; names of modes are no formulas."""
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def _chances(solution):
    """The chance to reach the target by own score, as a picture with a line for each of some numbers of turns left.

    With registers the player is in the first.
    """
    game = solution.game
    scores = game.scores[:: len(game.registers) or 1]
    places = [game.index(score) for score in scores]
    spread = np.geomspace(1, solution.turns, min(solution.turns, len(COLOURS)))
    shown = np.unique(spread.round().astype(int))[::-1].tolist()
    chances = {turns_in_words(n): solution.values[n, places].astype(float) for n in shown}
    table = pd.DataFrame(chances, [*map(int, scores)])
    own = ", ".join(["own score", *(register.name for register in game.registers[:1])])

    def draw(ax):
        plots.lines(table, own, "probability", ax=ax)
        ax.set(xlim=(game.lowest, game.target), ylim=(0, 1.02))
        _legend_beside(ax)

    said = f"{', '.join(map(str, shown[:0:-1]))} and {shown[0]}" if len(shown) > 1 else "1"
    said = f"The probability to reach the target within {said} turns, by {own}."
    return drawn(draw, said, (4.5, 2.4))


def _turns(match):
    """The distribution of the number of turns, as a picture; "" if it is too long for one."""
    try:
        distribution = match.turns_distribution()
    except ValueError:
        return ""
    tail = distribution[::-1].cumsum()[::-1]
    shown = distribution[tail > RARE] if (tail > RARE).any() else distribution

    def draw(ax):
        if match.game.finish in LAST_TURN:  # whose turn was the last does not tell who wins
            ax.bar(shown.index, shown, width=1, color=COLOURS[0])
        else:
            for start, name in enumerate(("the first player wins", "the second player wins")):
                part = shown[shown.index % 2 != start]
                ax.bar(part.index, part, width=1, color=COLOURS[start], label=name)
            ax.figure.legend(loc="outside upper center", ncols=2)
        ax.xaxis.set_major_locator(whole_ticks())
        ax.set(xlabel="number of turns", ylabel="probability")

    said = (
        f"Bars: the probability of each number of turns, from {shown.index[0]} to {shown.index[-1]}"
    )
    said += f"; the most likely number is {distribution.idxmax()}."
    return drawn(draw, said, (3.8, 2.4))


def drawn(draw, alternative, size):
    """What a function draws on the axes of a figure of a size in inches, as an element of HTML."""
    with style():
        figure = Figure(figsize=size)
        draw(figure.subplots())
        return picture(figure, alternative)


def picture(figure, alternative, crop="tight"):
    """A figure as an element of HTML that contains it, with a text for those who do not see it."""
    file, look = io.BytesIO(), {"bbox_inches": crop, "metadata": {"Software": None}}
    figure.savefig(file, format="png", dpi=DOTS, **look)
    png = file.getvalue()
    # Of 96 pixels an inch; a PNG begins with its size.
    width = 96 * int.from_bytes(png[16:20], "big") // DOTS
    look = f'width="{width}" style="max-width: 100%"'
    data = base64.b64encode(png).decode()
    return f'<img alt="{escape(alternative)}" {look} src="data:image/png;base64,{data}">'
