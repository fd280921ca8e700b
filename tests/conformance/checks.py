"""Random games, and what the package says of them compared with the oracle."""

import math
import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import oracle

import dicelab as dl
from dicelab.games.model import BUST, RESET
from dicelab.games.registers import Register

RAREST = Fraction(1, 10**8)  # of an outcome, where what float64 takes for a tie adds up
CLOSE = 1e-12  # of a probability, of a margin in targets, of turns and points relatively
NEAR = 1e-10  # what a decision may cost, in the same units
FLAT = Fraction(999, 1000)  # chance to lose a turn in a roll, from which on float64 may be refused
MOST_WAYS = 64
HALF = Fraction(1, 2)


# Random games


def random_game(rng):
    """A game at random, of the kinds that are known to be hard among others."""
    while True:
        try:
            game = random_die(rng) if rng.random() < 0.3 else random_modes(rng)
        except ValueError:  # no game: no way to score, or a turn without an end
            continue
        strange = oracle.turns_may_be_endless(game) or oracle.is_not_ranked(game)
        if not strange and ways(game) <= MOST_WAYS:
            return game


def ways(game):
    """How many ways to choose there are beyond the target."""
    forced = [mode for mode in game.modes if not mode.may_hold]
    return math.prod(
        max(1, len({c.mode for c in o.choices})) for mode in forced for o in mode.outcomes
    )


def random_target(rng):
    return rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6])


def random_chances(rng, size):
    """Probabilities that sum to 1; sometimes all but one are tiny."""
    if size > 1 and rng.random() < 0.12:
        tiny = Fraction(1, rng.choice([10**3, 10**6, 10**9, 10**12]))
        return [1 - (size - 1) * tiny, *[tiny] * (size - 1)]
    weights = [rng.randint(1, rng.choice([1, 3, 9])) for _ in range(size)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def random_die(rng):
    """One mode: a die with a bust, often a reset, faces that are there twice, and faces beyond the target."""
    target, size = random_target(rng), rng.randint(1, 4)
    faces = [rng.randint(1, rng.choice([1, 3, target + 2])) for _ in range(size)]
    results = ["bust"] * (rng.random() < 0.9) + ["reset"] * (rng.random() < 0.35)
    results += [dl.Choice(face, "roll") for face in faces] + [dl.Choice(0, "roll")] * (
        rng.random() < 0.2
    )
    return dl.Game("die", target, (random_mode(rng, "roll", results, True),), random_finish(rng))


def random_finish(rng):
    return rng.choice(["reach", "exact"])


def random_mode(rng, name, results, may_hold):
    chances = random_chances(rng, len(results))
    return dl.Mode(
        name, tuple(dl.Outcome(p, r) for p, r in zip(chances, results, strict=True)), may_hold
    )


def random_modes(rng):
    """One to four modes with choices, modes without a hold, resets, outcomes of 0 points, and modes in which to hold.

    Some begin with a choice before the roll.
    """
    target = random_target(rng)
    names = "abc"[: rng.choice([1, 2, 2, 2, 3, 3])]
    resets = rng.random() < 0.5
    modes = []
    stop = rng.random() < 0.25
    # The share of choices of 0 points, most of them to later modes.
    free = rng.choice([0, 0, 0.15, 0.4])
    for place, name in enumerate(names):
        if rng.random() < 0.1:  # a trap
            modes.append(
                random_mode(rng, name, [rng.choice(["bust", "reset" if resets else "bust"])], False)
            )
            continue
        results = ["bust"] * (rng.random() < 0.8) + ["reset"] * (resets and rng.random() < 0.6)
        most = rng.choice([1, 2, 3, target + 1])
        for _ in range(rng.randint(1, 3)):
            several = rng.choice([1, 1, 2, 2, 3])
            choices = [
                dl.Choice(rng.randint(1, most), rng.choice(names + "s" * stop))
                for _ in range(several)
            ]
            if rng.random() < free:
                later = names[place + (several > 1 and place + 1 < len(names)) :]
                choices[0] = dl.Choice(0, rng.choice(later))
            results.append(tuple(choices))
        modes.append(random_mode(rng, name, results, rng.random() < 0.65))
    modes += [dl.Mode("s", ())] * stop
    if rng.random() < 0.15:
        some = rng.sample(names, rng.randint(1, len(names)))
        choices = tuple(dl.Choice(0, name) for name in some)
        modes.insert(0, dl.Mode("start", dl.Outcome(1, choices), may_hold=False))
    return dl.Game("modes", target, tuple(modes), random_finish(rng))


def random_registers(rng, scoring=False):
    """A game at random with one to three registers; with busts that score, if `scoring`.

    Some are extreme: a penalty that costs everything, no score below 0, a least hold of the target, one score.
    """
    while True:
        game = random_game(rng)
        names = "xyz"[: rng.choice([1, 2, 2, 3, 3])]
        game = replace(game, target=1) if rng.random() < 0.1 else game
        registers = [
            Register(
                name,
                after_hold=rng.choice(names),
                after_bust=rng.choice(names),
                penalty=rng.choice([0, 0, 0, 1, 3, game.target + 3]),
                least_hold=rng.choice([1, 1, rng.randint(1, game.target), game.target]),
                mode=rng.choice([None, None, game.modes[-1].name]),
            )
            for name in names
        ]
        if scoring:
            paid = [-1, -1, -2, -game.target]
            registers = [
                replace(each, penalty=rng.choice([each.penalty, *paid])) for each in registers
            ]
        lowest = -rng.choice([0, 0, 1, 2, 3]) if any(each.penalty > 0 for each in registers) else 0
        try:
            return replace(game, finish="reach", registers=registers, lowest=lowest)
        except ValueError:  # a turn that would begin where one must hold
            continue


# Comparisons


class Report:
    """What came of comparisons: how many there were, refusals by what was asked and by exception, and failures."""

    def __init__(self):
        self.comparisons, self.refusals, self.failures = Counter(), Counter(), []

    def check(self, right, kind, detail=""):
        """Count a comparison; note a failure if it is not `right`."""
        self.comparisons[kind] += 1
        if not right:
            self.failures.append((kind, str(detail)))
        return right

    def ask(self, kind, allowed, function, *arguments, **options):
        """What a function of the package returns; None if it refuses, which is a failure unless `allowed` says so."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # of what was left open elsewhere
            try:
                answer = function(*arguments, **options)
            except Exception as error:
                name = type(error).__name__
                self.refusals[kind, name] += 1
                self.check(name in allowed, f"{kind}: {name}", error)
                return None
        self.check(not warned, f"{kind}: a warning", warned[0].message if warned else "")
        return answer


def off(found, true):
    """How far a float is from the true number; infinite if one of them is nan, or not both are infinite."""
    if found == true:
        return 0.0
    if not math.isfinite(found) or not math.isfinite(true):
        return math.inf
    return abs(float(Fraction(found) - Fraction(true)))


def is_flat(game):
    """Whether some roll nearly always loses the turn: then float64 has an excuse."""
    reached = game.reached()
    return any(
        mode.chance(BUST) + mode.chance(RESET) >= FLAT
        for mode in game.modes
        if mode.name in reached
    )


def check_game(game, rng, report):
    """Compare everything that can be asked of a game, with some policies at random."""
    policies = [dl.hold_at(rng.randint(1, game.target + 1)), dl.scoring_turns(2)]
    if found := check_race(game, "win", report):
        policies.append(found.policy)
    check_race(game, "margin", report)
    check_turns(game, report)
    check_response(game, policies[0], report)
    for first, second in rng.sample(list(product(policies, repeat=2)), 3):
        check_match(game, first, second, report)


def check_error(solution, true_error, unit, kind, report):
    """The error of a solution is a number, and about as large as the true one."""
    sound = math.isfinite(solution.error) and solution.error >= 0
    report.check(sound, f"{kind}: error is no error", solution.error)
    if sound and true_error > 1e-13 * unit:
        report.check(
            solution.error >= true_error / 10,
            f"{kind}: error is too small",
            (true_error, solution.error),
        )


def check_race(game, objective, report):
    """Values, and what the policy is worth against everybody; returns the float solution."""
    floats, true = None, oracle.optimum(game, objective)
    shift, unit = (HALF, 1) if objective == "win" else (0, game.target)
    for exact in (False, True):
        kind = f"solve {objective}{', exact' * exact}"
        refusals = () if exact else may_add_up(game, RAREST if game.resets else 0)
        solution = report.ask(kind, refusals, dl.solve, game, objective, exact=exact)
        if not solution:
            continue
        wrong = {s: off(solution.values[s], value + shift) for s, value in true.values.items()}
        worst = max(wrong, key=wrong.get)
        said = worst, solution.values[worst], true.values[worst] + shift
        report.check(wrong[worst] <= (0 if exact else CLOSE * unit), f"{kind}: value", said)
        if not exact:
            floats = solution
            check_error(solution, wrong[worst], unit, kind, report)
        policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy, true.plan)
        if policy:
            values = oracle.response(game, oracle.without_memory(policy), objective)[0]
            loses = {
                (i, j): float(value + values[1, i, j]) for (i, j), value in true.values.items()
            }
            worst = max(loses, key=loses.get)
            allowed = 0 if exact else NEAR * unit
            report.check(loses[worst] <= allowed, f"{kind}: policy's worth", (worst, loses[worst]))
    return floats


def may_add_up(game, rarest=0):
    """The exceptions by which a game may be refused because what float64 takes for a tie adds up."""
    chances = [outcome.probability for mode in game.modes for outcome in mode.outcomes]
    stays = 1 - min(mode.chance("reset") for mode in game.modes if mode.outcomes)
    rolls = -(-game.target // game.most_points)
    rare = min(chances) < rarest or (game.resets and stays**rolls < Fraction(1, 10**4))
    return ("ConvergenceError",) * rare


def choices_differ(game):
    """Whether a mode without a hold has choices of several modes, so that the package may refuse the game."""
    modes = [
        mode for mode in game.modes if not mode.may_hold and mode.name in game.reached_with_points
    ]
    several = [o.choices for mode in modes for o in mode.outcomes if len(o.choices) > 1]
    if game.finish == "exact":
        return any(not all(c.points for c in choices) for choices in several)
    return any(len({c.mode for c in choices}) > 1 for choices in several)


def match_refusals(game):
    """The exceptions by which the package may refuse a match."""
    flat = ("ConvergenceError",) if is_flat(game) else ()
    return flat + (("NotImplementedError",) if choices_differ(game) else ())


def check_turns(game, report):
    """The fewest turns, and how many turns the policy takes."""
    needed, _ = oracle.fewest_turns(game)
    for exact in (False, True):
        kind = f"solve turns{', exact' * exact}"
        solution = report.ask(kind, (), dl.solve, game, "turns", exact=exact)
        if not solution:
            continue
        wrong = [off(found, true) for found, true in zip(solution.values, needed, strict=True)]
        ratios = [w if t == math.inf else w / float(t) for w, t in zip(wrong, needed, strict=True)]
        said = solution.values, list(map(float, needed))
        report.check(max(ratios) <= (0 if exact else CLOSE), f"{kind}: value", said)
        if not exact and math.isfinite(needed[0]):
            check_error(solution, wrong[0], float(needed[0]), kind, report)
        policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy)
        if policy and not oracle.rules_of(game).ranked:
            plan = {i: turn for ((i, _), j), turn in policy.items() if j == 0}
            takes = oracle.expected_turns(game, plan)
            more = [t / n - 1 for t, n in zip(takes, needed, strict=True) if n < math.inf]
            allowed = 0 if exact else NEAR
            report.check(max(more, default=0) <= allowed, f"{kind}: policy's worth", takes)


def check_response(game, opponent, report):
    """The best response's values, and what its policy is worth."""
    kind, rules = "best_response", oracle.rules_of(game)
    refusals = match_refusals(game) + may_add_up(game, RAREST)
    solution = report.ask(kind, refusals, dl.best_response, game, opponent)
    if not solution:
        return
    other = oracle.without_memory(oracle.plan_of(game, opponent))
    true, _ = oracle.response(game, other)
    scores = list(product(range(game.target), repeat=2))
    wrong = {(i, j): off(solution.values[i, j], true[0, i, j] + HALF) for i, j in scores}
    worst = max(wrong, key=wrong.get)
    said = str(opponent), worst, solution.values[worst], float(true[0, *worst] + HALF)
    report.check(wrong[worst] <= CLOSE, f"{kind}: value", said)
    check_error(solution, wrong[worst], 1, kind, report)
    policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy)
    if policy:
        plans = oracle.without_memory(policy), other
        values = oracle.against(rules, plans, oracle.stakes_of(game, "win"), 1)
        loses = {(i, j): float(true[0, i, j] - values[0, i, j]) for i, j in scores}
        worst = max(loses, key=loses.get)
        said = str(opponent), worst, loses[worst]
        report.check(loses[worst] <= NEAR, f"{kind}: policy's worth", said)


def check_match(game, first, second, report):
    """One policy against another."""
    kind, may = "evaluate", match_refusals(game)
    match = report.ask(kind, may, dl.evaluate, game, first, second)
    figures = match and report.ask(
        f"{kind}: figures", may, lambda: (match.margin, match.turns_mean, match.turns_sd)
    )
    if not figures:
        return
    true = oracle.match(game, oracle.plan_of(game, first), oracle.plan_of(game, second))
    sd, unit = math.sqrt(true.variance), float(true.mean)
    found_sd = math.inf if math.isnan(figures[2]) else figures[2]  # nan where play may be endless
    for name, found, right, allowed in (
        ("first_wins", match.first_wins, true.first_wins, CLOSE),
        ("margin", figures[0], true.margin, CLOSE * game.target),
        ("turns_mean", figures[1], true.mean, CLOSE * unit),
        ("turns_sd", found_sd, sd, 1e-9 * max(sd, unit)),
    ):
        said = f"{first} against {second}", found, float(right)
        report.check(off(found, right) <= allowed, f"{kind}: {name}", said)
