"""Random games, and what the package says of them compared with the oracle."""

import math
import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import oracle

import dicelab as dl
from dicelab.games.model import BUST, RESET
from dicelab.games.registers import Register
from dicelab.policies import Policy, branching_outcomes

RAREST = Fraction(1, 10**8)  # of an outcome, where what float64 takes for a tie adds up
CLOSE = 1e-12  # of a probability, of a margin in targets, of turns and points relatively
NEAR = 1e-10  # what a decision may cost, in the same units
FLAT = Fraction(999, 1000)  # chance to lose a turn in a roll, from which on float64 may be refused
MOST_WAYS = 64
GAMES = 2000  # simulated
SURPRISE = 25.0  # n·KL(observed, expected) that is seen once in some 10^10 simulations
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


class Tables(Policy):
    """Decisions from tables, at random."""

    def __init__(self, game, rng):
        draw = np.random.default_rng(rng.getrandbits(64))
        size, modes = game.target, len(game.modes)
        total = np.arange(size)
        own = np.arange(size)[:, None, None, None]
        self.rolls = draw.random((size, size, modes, size)) < rng.choice([0.2, 0.5, 0.8])
        self.rolls &= ~np.array([mode.must_hold for mode in game.modes])[:, None]
        self.rolls |= (total == 0) | ~np.array([mode.may_hold for mode in game.modes])[:, None]
        self.rolls &= own + total < size
        most = np.array([len(outcome.choices) for outcome in branching_outcomes(game)], dtype=int)
        self.taken = draw.integers(0, most[:, None], (size, size, len(most), size)).astype(np.uint8)

    def decisions_at(self, game, own, memory=0):
        return self.rolls[own]

    def choices(self, game, own, memory=0):
        return self.taken[own]

    def decisions(self, game, own, opponent, memory=0):
        return self.rolls[own, opponent, :, : game.target - own]


def named(policy):
    """A policy in a few words."""
    return getattr(
        policy,
        "name",
        {"OptimalPolicy": "solve's policy"}.get(type(policy).__name__, "random tables"),
    )


def code(game):
    """A game as Python that makes it; dicelab's Choice, Outcome, Mode and Game are C, O, M and G."""

    def listed(items):
        return f"({', '.join(items)}{',' * (len(items) == 1)})"

    def result(outcome):
        if not outcome.choices:
            return f'"{outcome.result}"'
        choices = [f'C({c.points}, "{c.mode}")' for c in outcome.choices]
        return choices[0] if len(choices) == 1 else listed(choices)

    modes = []
    for mode in game.modes:
        outcomes = listed([f'O("{o.probability}", {result(o)})' for o in mode.outcomes])
        modes.append(f'M("{mode.name}", {outcomes}{"" if mode.may_hold else ", may_hold=False"})')
    more = f', "{game.finish}"' if game.finish != "reach" else ""
    return f'G("{game.name}", {game.target}, {listed(modes)}{more})'


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


def check_game(game, rng, report, simulated=GAMES, hanging=False):
    """Compare everything that can be asked of a game.

    Parameters
    ----------
    game : Game
    rng : random.Random
        For policies and seeds.
    report : Report
    simulated : int
        Games of a simulation; 0 for none.
    hanging : bool
        Whether to simulate matches, too, that resets may keep from ever ending.
    """
    policies = [dl.hold_at(rng.randint(1, game.target + 1)), Tables(game, rng), dl.scoring_turns(2)]
    for objective, overshoot in (("win", False), ("margin", False), ("margin", True)):
        found = check_race(game, objective, overshoot, report)
        if objective == "win" and found:
            policies.append(found.policy)
    check_turns(game, report)
    check_score(game, report)
    for opponent in policies[:2]:
        check_response(game, opponent, report)
    for first, second in rng.sample(list(product(policies, repeat=2)), 3):
        check_match(game, first, second, report, rng, simulated, hanging)


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


def check_race(game, objective, overshoot, report):
    """Values, decisions, and what the policy is worth against everybody; returns the float solution."""
    rules = oracle.rules_of(game)
    floats = None
    plans = []
    worths = []
    label = objective + " with overshoot" * overshoot
    ranked = ("NotImplementedError",) if rules.ranked or choices_differ(game) else ()
    true = None if overshoot and rules.ranked else oracle.optimum(game, objective, overshoot)
    shift, unit = (HALF, 1) if objective == "win" else (0, game.target)
    for exact in (False, True):
        kind = f"solve {label}{', exact' * exact}"
        refusals = (ranked if overshoot else ()) + (
            () if exact else may_add_up(game, RAREST if game.resets else 0)
        )
        solution = report.ask(
            kind, refusals, dl.solve, game, objective, overshoot=overshoot, exact=exact
        )
        if not solution:
            continue
        if true is None:
            report.check(
                False, f"{kind}: points beyond the target are not ranked, but there is an answer"
            )
            continue
        wrong = {s: off(solution.values[s], value + shift) for s, value in true.values.items()}
        worst = max(wrong, key=wrong.get)
        said = worst, solution.values[worst], true.values[worst] + shift
        report.check(wrong[worst] <= (0 if exact else CLOSE * unit), f"{kind}: value", said)
        if not exact:
            floats = solution
            check_error(solution, wrong[worst], unit, kind, report)
        policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy, true.plan)
        if not policy:
            continue
        plan = oracle.without_memory(policy)
        allowed = 0 if exact else NEAR * unit
        loss, where = worst_decision(rules, true, plan)
        report.check(loss <= allowed, f"{kind}: decision", (where, loss))
        if not overshoot:
            if plan not in plans:
                plans.append(plan)
                worths.append(oracle.response(game, plan, objective)[0])
            values = worths[plans.index(plan)]
            loses = {
                (i, j): float(value + values[1, i, j]) for (i, j), value in true.values.items()
            }
            worst = max(loses, key=loses.get)
            report.check(loses[worst] <= allowed, f"{kind}: policy's worth", (worst, loses[worst]))
            match = report.ask(
                f"{kind}: evaluate the policy",
                match_refusals(game),
                dl.evaluate,
                game,
                *[solution.policy] * 2,
            )
            if match:
                worth = report.ask(
                    f"{kind}: margin",
                    match_refusals(game),
                    lambda m=match: m.first_wins if objective == "win" else m.margin,
                )
                wrong = 0.0 if worth is None else off(worth, true.values[0, 0] + shift)
                report.check(wrong <= NEAR * unit, f"{kind}: policy against itself", (worth, wrong))
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


def worst_decision(rules, true, plan):
    """What the worst decision of a plan loses, at a pair of scores, and where."""
    worst = 0.0, None
    for (i, j), turn in plan.items():
        after = lambda j, k: -true.values[j, k]  # noqa: E731
        worth = oracle.worth_at(rules, true.stakes, after, i, j)
        for loss, where in losses(rules, rules.target - i, turn, worth):
            if loss > worst[0]:
                worst = float(loss), (i, j, *where)
    return worst


def losses(rules, need, turn, worth):
    """What each decision of a turn loses, and its mode, total and outcome, if all ends are worth so much."""
    _, _, rolled, arrived = oracle.best_turn(rules, need, worth)
    for m, total in product(rules.reached(), range(need)):
        if rules.may_hold[m] and rules.modes[m] and total and rolled[total][m] != worth.hold[total]:
            gain = rolled[total][m] - worth.hold[total]
            yield (
                (-gain if turn.rolls[total][m] else gain),
                (m, total, "roll" if turn.rolls[total][m] else "hold"),
            )
        for o, (_, result) in enumerate(rules.modes[m]):
            if result not in (BUST, RESET) and len(result) > 1 and (total or m == 0):
                options = [arrived(total + points, mode) for points, mode in result]
                taken = options[turn.takes[total][m][o]]
                if taken != max(options):
                    yield (
                        max(options) - taken,
                        (m, total, f"outcome {o}, choice {turn.takes[total][m][o]}"),
                    )


def check_turns(game, report):
    """The fewest turns, decisions, and how many turns the policy takes."""
    needed, _ = oracle.fewest_turns(game)
    rules = oracle.rules_of(game)
    for exact in (False, True):
        kind = f"solve turns{', exact' * exact}"
        solution = report.ask(kind, (), dl.solve, game, "turns", exact=exact)
        if not solution:
            continue
        wrong = [off(found, true) for found, true in zip(solution.values, needed, strict=True)]
        ratios = [
            w and w / float(t) if math.isfinite(t) else w
            for w, t in zip(wrong, needed, strict=True)
        ]
        report.check(
            max(ratios) <= (0 if exact else CLOSE),
            f"{kind}: value",
            (solution.values, list(map(float, needed))),
        )
        if not exact and math.isfinite(needed[0]):
            check_error(solution, wrong[0], float(needed[0]), kind, report)
        policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy)
        if not policy:
            continue
        plan = {i: turn for ((i, _), j), turn in policy.items() if j == 0}
        allowed, worst = 0 if exact else NEAR, (0.0, None)
        for i, turn in plan.items():
            if math.isfinite(needed[i]):
                for loss, where in losses(
                    rules, game.target - i, turn, oracle.turns_worth(rules, needed, i)
                ):
                    worst = max(
                        worst,
                        (float(loss) / float(needed[i]), (i, *where)),
                        key=lambda pair: pair[0],
                    )
        report.check(worst[0] <= allowed, f"{kind}: decision", worst)
        if rules.ranked:
            continue
        takes = oracle.expected_turns(game, plan)
        more = [
            m / n - 1 if math.isfinite(m) else math.inf
            for m, n in zip(takes, needed, strict=True)
            if n < math.inf
        ]
        report.check(
            max(more, default=0) <= allowed,
            f"{kind}: policy's worth",
            (list(map(float, takes)), needed),
        )
        if not exact:
            check_turns_needed(game, solution.policy, takes, kind, report)


def check_turns_needed(game, policy, takes, kind, report):
    from dicelab.evaluation.studies import turns_needed

    found = report.ask(f"{kind}: turns_needed", match_refusals(game), turns_needed, game, policy)
    if found is not None:
        wrong = [
            off(f, t) / (float(t) if t < math.inf else 1) for f, t in zip(found, takes, strict=True)
        ]
        report.check(max(wrong) <= CLOSE, f"{kind}: turns_needed", (found, list(map(float, takes))))


def check_score(game, report):
    """The most points of a turn, and decisions."""
    try:
        true = oracle.most_points(game)
    except OverflowError:
        return
    index = {mode.name: m for m, mode in enumerate(game.modes)}
    for exact in (False, True):
        kind = f"solve score{', exact' * exact}"
        unlimited = ("ValueError", "NotImplementedError") * (true is None)
        solution = report.ask(kind, unlimited, dl.solve, game, "score", exact=exact)
        if not solution:
            continue
        if true is None:
            report.check(False, f"{kind}: there is no limit, but an answer", solution.value)
            continue
        most, wrong = max(1.0, float(true.values[0][0])), {}
        for k, m in product(range(min(len(true.values), len(solution.values))), true.modes):
            if k or m == 0:
                wrong[k, m] = off(solution.values[k, m], true.values[k][m]) / max(most, k)
        worst = max(wrong, key=wrong.get)
        said = worst, solution.values[worst], float(true.values[worst[0]][worst[1]])
        report.check(wrong[worst] <= (0 if exact else CLOSE), f"{kind}: value", said)
        if not exact:
            check_error(solution, wrong[worst] * most, most, kind, report)
        row = report.ask(f"{kind}: policy", (), solution.policy.decisions_at, game, 0)
        if row is None:
            continue
        takes, worst = solution.policy.choices(game, 0), (0.0, None)
        totals = range(min(game.target, len(true.values) - game.most_points))
        for k, m in product(totals, true.modes):
            if k and game.modes[m].may_hold and not game.modes[m].must_hold:
                gain = true.rolled[k][m] - k
                worst = max(
                    worst,
                    (float(-gain if row[0, m, k] else gain), (k, m)),
                    key=lambda pair: pair[0],
                )
        for b, outcome in enumerate(branching_outcomes(game)):
            for k, (m, mode) in product(totals, enumerate(game.modes)):
                if m in true.modes and any(o is outcome for o in mode.outcomes) and (k or m == 0):
                    options = [true.values[k + c.points][index[c.mode]] for c in outcome.choices]
                    loss = float(max(options) - options[takes[0, b, k]])
                    worst = max(worst, (loss, (k, m, b)), key=lambda pair: pair[0])
        report.check(worst[0] <= (0 if exact else NEAR * most), f"{kind}: decision", worst)


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
    said = named(opponent), worst, solution.values[worst], float(true[0, *worst] + HALF)
    report.check(wrong[worst] <= CLOSE, f"{kind}: value", said)
    check_error(solution, wrong[worst], 1, kind, report)
    policy = report.ask(f"{kind}: policy", (), oracle.plan_of, game, solution.policy)
    if policy:
        plans = oracle.without_memory(policy), other
        values = oracle.against(rules, plans, oracle.stakes_of(game, "win"), 1)
        loses = {(i, j): float(true[0, i, j] - values[0, i, j]) for i, j in scores}
        worst = max(loses, key=loses.get)
        report.check(
            loses[worst] <= NEAR, f"{kind}: policy's worth", (named(opponent), worst, loses[worst])
        )


def check_match(game, first, second, report, rng, simulated, hanging):
    """One policy against another, computed and simulated."""
    kind = "evaluate"
    match = report.ask(kind, match_refusals(game), dl.evaluate, game, first, second)
    if not match:
        return
    true = oracle.match(game, oracle.plan_of(game, first), oracle.plan_of(game, second))
    who = f"{named(first)} against {named(second)}"
    report.check(off(match.first_wins, true.first_wins) <= CLOSE, f"{kind}: first_wins",
                 (who, match.first_wins, float(true.first_wins)))  # fmt: skip
    margin = report.ask(f"{kind}: margin", match_refusals(game), lambda: match.margin)
    if margin is not None:
        wrong = off(margin, true.margin)
        report.check(
            wrong <= CLOSE * game.target, f"{kind}: margin", (who, margin, float(true.margin))
        )
    moments = report.ask(
        f"{kind}: turns", match_refusals(game), lambda: (match.turns_mean, match.turns_sd)
    )
    if moments is not None:
        check_moments(moments, true, who, kind, report)
    refusals = ("ValueError",) if true.left > 5e-16 else ()  # the list ends at 1e-15
    turns = report.ask(
        f"{kind}: turns_distribution", match_refusals(game) + refusals, match.turns_distribution
    )
    if turns is not None:
        given = [*turns.to_list(), *[0.0] * len(true.distribution)]
        wrong = [abs(a - b) for a, b in zip(given, true.distribution, strict=False)]
        said = who, given[: len(wrong)], true.distribution
        report.check(max(wrong) <= CLOSE, f"{kind}: turns_distribution", said)
        endless = turns.attrs["endless"]
        report.check(
            off(endless, true.endless) <= CLOSE,
            f"{kind}: endless",
            (who, endless, float(true.endless)),
        )
    if simulated and (
        true.busy < 1000 or (hanging and true.busy == math.inf and not is_flat(game))
    ):
        check_simulation(game, first, second, true, simulated, rng.getrandbits(32), report)


def check_moments(moments, true, who, kind, report):
    """Mean and standard deviation of the number of turns."""
    mean, deviation = moments
    if true.mean == math.inf:
        report.check(mean == math.inf, f"{kind}: turns_mean", (who, mean, math.inf))
        report.check(math.isnan(deviation), f"{kind}: turns_sd", (who, deviation, math.nan))
        return
    sd = root(true.variance)
    report.check(
        off(mean, true.mean) <= CLOSE * true.mean,
        f"{kind}: turns_mean",
        (who, mean, float(true.mean)),
    )
    unit = max(sd, float(true.mean))
    report.check(off(deviation, sd) <= 1e-9 * unit, f"{kind}: turns_sd", (who, deviation, sd))


def root(variance):
    """The square root of a Fraction, as a float."""
    return math.sqrt(variance)


def check_simulation(game, first, second, true, games, seed, report):
    """A simulation is within its standard errors; how far it may be off is what chance does once in 10^10 times."""
    kind = "simulate"
    found = report.ask(
        kind,
        match_refusals(game),
        dl.simulate,
        game,
        first,
        second,
        games=games,
        seed=seed,
        n_jobs=1,
    )
    if not found:
        return
    who = f"{named(first)} against {named(second)}, seed {seed}"
    p = float(true.first_wins)
    surprise = games * divergence(found.first_wins, p)
    report.check(surprise <= SURPRISE, f"{kind}: first_wins", (who, found.first_wins, p))
    if not true.endless:
        sure = math.isfinite(found.turns_mean)
        report.check(sure, f"{kind}: a draw", (who, found.turns_mean))
        sd, mean = root(true.variance), float(true.mean)
        if sure and sd < 3 * mean:
            allowed = 8 * sd / games**0.5 + 1e-9 * mean
            report.check(
                abs(found.turns_mean - mean) <= allowed,
                f"{kind}: turns_mean",
                (who, found.turns_mean, mean),
            )
        spread = (p * (1 - p) / games) ** 0.5
        if games * p * (1 - p) > 100:
            report.check(
                0.5 < found.first_wins_se / spread < 2,
                f"{kind}: first_wins_se",
                (who, found.first_wins_se),
            )


def divergence(share, p):
    """Kullback-Leibler divergence of a share from a probability."""

    def part(a, b):
        return 0.0 if a == 0 else math.inf if b == 0 else a * math.log(a / b)

    return part(share, p) + part(1 - share, 1 - p)
