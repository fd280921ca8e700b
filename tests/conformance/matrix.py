"""Kinds of games × verbs: what combines with what.

``python tests/conformance/matrix.py`` writes the refusals anew, those of all verbs or of some that are named.

A kind is a turn, a finish and what is remembered. The kinds have every pair of a turn and a finish, of a turn and a
register, of a finish and a register. A verb asks for something and holds the answer against another verb. What is
refused today is in ``refused.csv``, with the reason; `page` makes ``docs/combinations.md`` of it, for readers.
"""

import csv
import random
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np

import dicelab as dl
from dicelab_extras import grading, proofs

FILE = Path(__file__).with_name("refused.csv")
CHECKER = Path(__file__).resolve().parents[2] / "witness" / "check.py"
BY_RULE = {2: dl.hold_at(2), 3: dl.hold_at(3)}
REFUSALS = NotImplementedError, ValueError, AttributeError, dl.ConvergenceError
CLOSE = 1e-11


def mode(name, *outcomes, may_hold=True):
    return dl.Mode(name, [dl.Outcome(*outcome) for outcome in outcomes], may_hold=may_hold)


def to(points, name="roll"):
    return dl.Choice(points, name)


TURNS = {  # modes of a turn, each kind with one thing that is special
    "plain": [mode("roll", ("1/4", "bust"), ("1/2", to(1)), ("1/4", to(2)))],
    "resets": [mode("roll", ("1/4", "bust"), ("1/8", "reset"), ("3/8", to(1)), ("1/4", to(2)))],
    "forced rolls": [
        mode("roll", ("1/4", "bust"), ("1/2", to(1)), ("1/4", to(2, "again"))),
        mode("again", ("1/3", "bust"), ("2/3", to(1)), may_hold=False),
    ],
    "dice set aside": [
        mode("two", ("1/3", "bust"), ("1/3", to(1, "one")), ("1/3", [to(3, "two"), to(1, "one")])),
        mode("one", ("1/2", "bust"), ("1/2", to(1, "two"))),
    ],
    "hot dice": [  # all have scored, and must be rolled again, with choices
        mode("two", ("1/3", "bust"), ("1/3", to(1, "one")), ("1/3", to(2, "hot"))),
        mode("one", ("1/2", "bust"), ("1/2", to(1, "hot"))),
        mode("hot", ("1/3", "bust"), ("2/3", [to(2, "hot"), to(1, "one")]), may_hold=False),
    ],
    "a choice before": [
        dl.Mode("choose", dl.Outcome(1, [to(0, "safe"), to(0, "bold")])),
        mode("safe", ("1/5", "bust"), ("4/5", to(1, "choose"))),
        mode("bold", ("1/2", "bust"), ("1/2", to(3, "choose"))),
    ],
    "rolls of 0": [
        mode("roll", ("1/4", "bust"), ("1/4", to(0)), ("1/4", to(1)), ("1/4", to(0, "later"))),
        mode("later", ("1/3", "bust"), ("1/3", to(0, "later")), ("1/3", to(2))),
    ],
}
FINISHES = "reach", "exact", "equal turns", "last licks"
REGISTERS = {
    "none": {},
    "an opening minimum": {
        "registers": [dl.Register("shut", after_hold="open", least_hold=2), dl.Register("open")]
    },
    "a circle of busts": {
        "registers": [
            dl.Register("0", after_hold="0", after_bust="1"),
            dl.Register("1", after_hold="0", after_bust="2", least_hold=2),
            dl.Register("2", after_hold="0", after_bust="0"),
        ]
    },
    "penalties": {
        "registers": [
            dl.Register("0", after_hold="0", after_bust="1"),
            dl.Register("1", after_hold="0", after_bust="0", penalty=1),
        ],
        "lowest": -1,
    },
    "a bust that scores": {
        "registers": [
            dl.Register("0", after_bust="1", penalty=-1),
            dl.Register("1", after_hold="0", least_hold=2, penalty=-2),
        ],
    },
}


def game_of(turn, finish="reach", registers="none", target=4):
    """The game of a kind."""
    rules = REGISTERS[registers]
    return dl.Game(f"{turn}, {finish}, {registers}", target, tuple(TURNS[turn]), finish, **rules)


KINDS = {
    (turn, finish, [*REGISTERS][(t + f) % 4])
    for (t, turn), (f, finish) in product(enumerate(TURNS), enumerate(FINISHES))
}
KINDS |= {(turn, FINISHES[t % 4], "a bust that scores") for t, turn in enumerate(TURNS)}
KINDS |= {(turn, "reach", "none") for turn in TURNS}  # one thing at a time
KINDS |= {("plain", finish, "none") for finish in FINISHES}
KINDS |= {("plain", "reach", registers) for registers in REGISTERS}
KINDS |= {("plain", "last licks", "an opening minimum")}  # as on the box of Farkle
PARTS = [*TURNS], [*FINISHES], [*REGISTERS]
KINDS = sorted(KINDS, key=lambda kind: [part.index(x) for part, x in zip(PARTS, kind, strict=True)])


def starting(solution):
    """The value at the start of the game, a float, whatever it is for."""
    return float(np.max(solution.value))


def solved(objective, **options):
    """A verb: solve for an objective; in fractions it agrees with float64 as well."""

    def verb(game, folder):
        game = replace(game, target=3) if options.get("players", 2) > 2 else game
        try:
            solution = dl.solve(game, objective, **options)
        except MemoryError:  # too many equations depend on each other
            game = replace(game, target=2)
            solution = dl.solve(game, objective, **options)
        if options.get("exact"):
            assert isinstance(np.ravel(np.asarray(solution.value, dtype=object))[0], Fraction)
            plain = dl.solve(game, objective, **{k: v for k, v in options.items() if k != "exact"})
            assert abs(starting(plain) - starting(solution)) < CLOSE * max(1, abs(starting(plain)))
            return
        if solution.players > 2:
            match = dl.evaluate(game, *[solution.policy] * solution.players)
            assert np.abs(np.array(match.wins) - solution.value).max() < CLOSE
            answer = dl.best_response(game, *[solution.policy] * (solution.players - 1))
            assert np.abs(answer.values[..., 0] - solution.values[..., 0]).max() < CLOSE

    return verb


def played(*policies):
    """A verb: a match and its simulation, which agree."""

    def verb(game, folder):
        match = dl.evaluate(game, *policies)
        estimate = dl.simulate(game, *policies, games=20_000, seed=1)
        assert np.allclose(match.wins, estimate.wins, 0, 5 * np.array(estimate.wins_se) + CLOSE)

    return verb


def optimum_against_itself(game, folder):
    solution = dl.solve(game)
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert abs(match.first_wins - solution.value) < CLOSE


def best_response(game, folder):
    answer = dl.best_response(game, BY_RULE[2])
    assert abs(dl.evaluate(game, answer.policy, BY_RULE[2]).first_wins - answer.value) < CLOSE
    for rule in BY_RULE.values():
        assert dl.evaluate(game, rule, BY_RULE[2]).first_wins <= answer.value + CLOSE


def best_response_to_two(game, folder):
    game = replace(game, target=3)
    answer = dl.best_response(game, *BY_RULE.values())
    match = dl.evaluate(game, answer.policy, *BY_RULE.values())
    assert abs(match.wins[0] - answer.value[0]) < CLOSE
    for rule in BY_RULE.values():
        assert dl.evaluate(game, rule, *BY_RULE.values()).wins[0] <= answer.value[0] + CLOSE


def action_values_of(objective, **options):
    """A verb: the best action at the start is worth what the solution says."""

    def verb(game, folder):
        solution = dl.solve(game, objective, **options)
        start = 0 if not game.registers else dl.Score(0, game.registers[0].name)
        table = dl.action_values(solution, start, *[start] * (objective in ("win", "margin")))
        assert np.nanmin(np.abs(table.iloc[0].to_numpy(float) - solution.value)) < CLOSE

    return verb


def action_values_of_best_response(game, folder):
    """A verb: the best action at the start of each turn is worth the value, which the policy keeps."""
    roles = (0, 1) if game.finish == "equal turns" else (None,)
    for opponent in (BY_RULE[2], dl.solve(game).policy):
        response = dl.best_response(game, opponent)
        for role, own, other in product(roles, game.scores[::2], game.scores):
            table = dl.action_values(response, own, other, role=role)
            best = [name for name in table if name.startswith("best")]
            found = table[best[game.mode(game.register(own).mode)]].iloc[0]
            assert abs(found - response.at(own, other, role=role)) < CLOSE
        held = dl.evaluate(game, response.policy, opponent).first_wins
        assert abs(response.value - held) < CLOSE


def loss_of(objective="win", **options):
    """A verb: the optimum loses nothing, and a rule no less."""

    def verb(game, folder):
        solution = dl.solve(game, objective, **options)
        assert abs(dl.loss(solution, solution.policy)) < CLOSE
        assert dl.loss(solution, BY_RULE[2]) > -CLOSE

    return verb


def loss_of_score(game, folder):
    """A verb: the same far from the target, where the best turn does not come."""
    assert dl.loss(dl.solve(game, "score"), BY_RULE[2]) > -CLOSE
    loss_of("score")(replace(game, target=60), folder)


def grade(game, folder):
    assert abs(grading.grade(game, BY_RULE[2]).loss - dl.loss(game, BY_RULE[2])) < CLOSE


def turn_points(game, folder):
    assert abs(float(dl.turn_points(game, BY_RULE[2]).sum()) - 1) < CLOSE


def to_frame(game, folder):
    assert len(dl.solve(game).to_frame()) >= game.target**2


def certified(objective):
    """A verb: certify; the bounds contain the solution and the values in fractions."""

    def verb(game, folder):
        solution = dl.solve(game, objective)
        certificate = proofs.certify(solution)
        exact = dl.solve(game, objective, exact=True)
        assert certificate.optimal
        for lower, upper in (proofs.bounds(solution), (certificate.lower, certificate.upper)):
            for values in (solution.values, exact.values):
                assert ((lower - CLOSE <= values) & (values <= upper + CLOSE)).all()

    return verb


def write_certificate(game, folder):
    proofs.write_certificate(proofs.certify(dl.solve(game)), folder / "game.cert")
    checked = [sys.executable, "-I", "-S", str(CHECKER), str(folder / "game.cert")]
    assert subprocess.run(checked, capture_output=True).returncode == 0


def export(game, folder):
    proofs.export(game, folder / "game.prism")
    assert (folder / "game.prism").stat().st_size


def play(game, folder):
    from dicelab_extras.play.session import GameSession

    session, drawn = GameSession(dl.solve(game), seed=1), random.Random(1)
    while session.winner is None:
        session.take(drawn.choice(session.options()).name)
    assert session.winner in (-1, 0, 1) and len(session.log)


def advise(game, folder):
    from dicelab_extras.play.advice import advice_at
    from dicelab_extras.play.situation import Situation

    start = 0 if not game.registers else dl.Score(0, game.registers[0].name)
    assert "%" in advice_at(dl.solve(game), Situation(game, (start, start)))


def environment(game, folder):
    from dicelab_extras.learning import environments

    race, drawn = environments.Race(game=game, opponent=BY_RULE[2]), random.Random(1)
    _, info = race.reset(seed=1)
    over = False
    for _ in range(2000):  # in some games one need not finish
        action = drawn.choice(np.flatnonzero(info["action_mask"]).tolist())
        _, reward, over, _, info = race.step(action)
        if over:
            break
    assert over and reward in (0, 0.5, 1)


VERBS = {
    "solve": solved("win"),
    "solve in fractions": solved("win", exact=True),
    "margin": solved("margin"),
    "margin in fractions": solved("margin", exact=True),
    "turns": solved("turns"),
    "turns in fractions": solved("turns", exact=True),
    "score": solved("score"),
    "score in fractions": solved("score", exact=True),
    "deadline": solved("deadline", turns=4),
    "deadline in fractions": solved("deadline", turns=4, exact=True),
    "three players": solved("win", players=3),
    "three players in fractions": solved("win", players=3, exact=True),
    "evaluate and simulate": played(*BY_RULE.values()),
    "evaluate and simulate three": played(*BY_RULE.values(), dl.hold_at(1)),
    "optimum against itself": optimum_against_itself,
    "best_response": best_response,
    "best_response to two": best_response_to_two,
    "action_values": action_values_of("win"),
    "action_values of margin": action_values_of("margin"),
    "action_values of turns": action_values_of("turns"),
    "action_values of score": action_values_of("score"),
    "action_values of deadline": action_values_of("deadline", turns=4),
    "action_values of best_response": action_values_of_best_response,
    "loss": loss_of(),
    "loss of margin": loss_of("margin"),
    "loss of turns": loss_of("turns"),
    "loss of deadline": loss_of("deadline", turns=4),
    "loss of score": loss_of_score,
    "grade": grade,
    "turn_points": turn_points,
    "to_frame": to_frame,
    "certify": certified("win"),
    "certify turns": certified("turns"),
    "write_certificate": write_certificate,
    "export": export,
    "play": play,
    "advise": advise,
    "environment": environment,
}


def refused():
    """What is refused: the message by turn, finish, register and verb."""
    with FILE.open(newline="", encoding="utf-8") as lines:
        return {tuple(row[:4]): row[4] for row in csv.reader(lines)}


def reason(error, game_name):
    """A message on one line, without the name of the game."""
    said = " ".join(str(error).split()).replace(game_name, "the game")
    return said[:200]


def ask(kind, verb, folder):
    """Ask a game of a kind for something; the reason if it is refused, or ""."""
    name = ", ".join(kind)
    try:
        VERBS[verb](game_of(*kind), folder)
    except REFUSALS as error:
        return reason(error, name)
    return ""


def one_special(kind):
    """Whether at most one thing is special about a kind."""
    return sum(a != b for a, b in zip(kind, ("plain", "reach", "none"), strict=True)) <= 1


def page():
    """The page for readers, Markdown: kinds with one special thing, by verb, and why cells are refused."""
    said = refused()
    kinds = [kind for kind in KINDS if one_special(kind)]
    reasons = {}
    rows = []
    for verb in VERBS:
        cells = []
        for kind in kinds:
            why = said.get((*kind, verb), "")
            cells.append(str(reasons.setdefault(why, len(reasons) + 1)) if why else "✓")
        rows.append(f"| {verb} | {' | '.join(cells)} |")
    titles = []
    for kind in kinds:
        special = [part for part in kind if part not in ("plain", "reach", "none")]
        titles.append(special[0] if special else "plain")
    shown = len(kinds) * len(VERBS)
    refused_there = sum((*kind, verb) in said for kind in kinds for verb in VERBS)
    lines = [
        "# What combines with what",
        "",
        "Each row is something to ask for, each column a small race in which one thing is special. A check mark: it is "
        "answered, and a second opinion agrees. A number: it is refused, for the reason below.",
        "",
        f"| to ask for | {' | '.join(titles)} |",
        "|---|" + ":-:|" * len(kinds),
        *rows,
        "",
        "Why:",
        "",
        *(f"{number}. {why}" for why, number in reasons.items()),
        "",
        f"{refused_there} of {shown} cells are refused. With two special things in one game, {len(said)} of "
        f"{len(KINDS) * len(VERBS)} are, most of them with a last turn or with three players.",
        "`tests/conformance/matrix.py` asks for all of it; `make references` writes this page.",
    ]
    return "\n".join(lines) + "\n"


def main(verbs):
    """Ask for everything, or only for some verbs; write what is refused."""
    import tempfile

    said, broken = refused(), []
    with tempfile.TemporaryDirectory() as folder:
        for kind, verb in product(KINDS, verbs):
            try:
                said[*kind, verb] = ask(kind, verb, Path(folder))
            except Exception as error:
                broken.append((*kind, verb, f"{type(error).__name__}: {error}"))
    cells = ((*kind, verb) for kind, verb in product(KINDS, VERBS))
    rows = [(*cell, said[cell]) for cell in cells if said.get(cell)]
    with FILE.open("w", newline="", encoding="utf-8") as lines:
        csv.writer(lines, lineterminator="\n").writerows(rows)
    print(f"{len(KINDS) * len(VERBS)} cells, {len(rows)} refused")
    for row in broken:
        print("BROKEN", row)


if __name__ == "__main__":
    main(sys.argv[1:] or [*VERBS])
