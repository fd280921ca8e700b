"""Decision processes: the answers to the exercises, and wrong answers to expect."""

from fractions import Fraction
from functools import cache
from math import ceil, floor, log

from collection import textbook
from collection.course.exercises import PIG, exercise

VARIES = {
    "good_earns": range(6, 16),  # a good machine, in a day
    "machine_wear": [0.2, 0.25, 0.3, 0.4, 0.6, 0.65, 0.7, 0.75],  # the chance that a day wears a machine
    "shop_order": range(2, 6),  # the fixed cost of an order
    "shop_lost": [6, 7, 8, 10, 11, 12],  # the cost of a lost customer; at 9 two numbers are best on the last day
    "overhaul": range(2, 17),  # the cost of the repair of a machine with ten levels
    "old_day": range(1, 6),  # the cost of a day with an old machine
    "new_price": range(1, 6),  # of a new machine
    "umbrella": range(2, 7),  # the cost of taking one
    "rain": [9, 11, 13],  # the cost of rain without an umbrella
    "lower_face": range(3, 9),
    "face_gap": [1, 3, 5],
}


@exercise(
    "2.1",
    "the cost of the repair",
    wrong={
        "That uses the V(good) of repairing at a cost of 3. Where both policies are equally good, V(good) is that of "
        "never repairing.": lambda good_earns: (
            Fraction(9, 10) * (good_earns - Fraction(6, 10)) / Fraction(12, 100) - 10
        ),
        "That is V(good) − V(worn) of never repairing. But a repair does not always lead to a good machine.": (
            lambda good_earns: (good_earns + 2) / Fraction(3, 10) - 10
        ),
    },
)
def equally_good(*, good_earns=5):
    """With a good machine that earns your good_earns a day."""
    good, worn = (good_earns + 2) / Fraction(3, 10), 10  # never repaired, as in (3)
    return Fraction(9, 10) * good - worn  # so that a repair is worth V(worn), too


def sweeps(n, good_earns):
    """The values of a good and of a worn machine if at most n actions are left."""
    good = {"run": (-good_earns, {"good": 0.7, "worn": 0.2})}
    worn = {"run": (-4, {"worn": 0.6}), "repair": (3, {"good": 0.9})}
    _, history = textbook.mdp_value_iteration(textbook.DecisionProcess({"good": good, "worn": worn}))
    return [*-history[n]]


def least_sweeps(good_earns, factor=10, rounded=ceil):
    """The smallest n with factor · 0.9ⁿ · ‖V₁ − V₀‖ ≤ 0.01."""
    return rounded(log(factor * good_earns / 0.01) / log(1 / 0.9))


@exercise(
    "2.2",
    "V₃ of the good machine",
    "V₃ of the worn machine",
    "the smallest n",
    decimals=4,
    wrong={
        "The last number is rounded down. After so many sweeps the bound is still above 0.01.": (
            lambda good_earns: [None, None, least_sweeps(good_earns, rounded=floor)]
        ),
        "The last number leaves out the factor 1/(1 − γ) of the bound.": (
            lambda good_earns: [None, None, least_sweeps(good_earns, factor=1)]
        ),
        "The values are V₂. V₁ is the first after V₀ = 0.": lambda good_earns: [*sweeps(2, good_earns), None],
    },
)
def three_sweeps(*, good_earns=5):
    """With a good machine that earns your good_earns a day."""
    return [*sweeps(3, good_earns), least_sweeps(good_earns)]


@exercise(
    "2.3",
    calls=[[0, 20], [1, 20], [5, 20], [12, 100], [30, 100]],
    wrong={
        "That is the value after one sweep less.": lambda n, c, die: iterate(n - 1, c, die=die) if n > 1 else None,
        "That begins with V₀(k) = k, without the constant.": lambda n, c, die: iterate(n, 0, die=die),
        "That divides by the faces that score. The bust is a result, too, and brings 0.": (
            lambda n, c, die: iterate(n, c, die=[0, *(p / (1 - die[0]) for p in die[1:])])
        ),
    },
)
def iterate(n, c, *, die=PIG):
    """With your die."""

    @cache
    def V(n, k):
        return max(k, sum(float(p) * V(n - 1, k + face) for face, p in enumerate(die) if face)) if n else k + c

    return V(n, 0)


def hold_at(n, die):
    """The value of a turn that holds from n points on."""

    @cache
    def V(k):
        return Fraction(k) if k >= n else sum(p * V(k + face) for face, p in enumerate(die) if face and p)

    return V(0)


@exercise(
    "2.4",
    calls=[[10], [18], [20], [25], [40]],
    wrong={
        "That is the sum of the advantages. A loss is minus that sum.": lambda n, die: -loss(n, die=die),
        "That is the value of hold at n. How much less is it than V*(0)?": hold_at,
    },
)
def loss(n, *, die=PIG):
    """With your die."""
    mean = sum(p * face for face, p in enumerate(die))
    return hold_at(ceil(mean / die[0]), die) - hold_at(n, die)  # the optimal policy of chapter 1, and hold at n


@exercise(
    "2.5",
    decimals=0,
    calls=[[1], [4], [8], [10], [16]],
    wrong={
        "That is the wear at which a day costs as much as a new machine. But the new machine is still good tomorrow.": (
            lambda price, machine_wear: price if price <= 5 else None
        ),
        "At this wear one replaces, but already at a lower wear, too. Look for the lowest.": (
            lambda price, machine_wear: replace_from(price, machine_wear=machine_wear) + 1
        ),
        "That is the highest wear at which the machine is kept.": (
            lambda price, machine_wear: replace_from(price, machine_wear=machine_wear) - 1
        ),
    },
)
def replace_from(price, *, machine_wear=0.5):
    """With a machine that a day wears by 1 with your machine_wear as the probability, in place of 1/2."""
    process = textbook.machine_replacement(price=price, wear=machine_wear)
    _, policy, _ = textbook.policy_iteration(process)
    return min(s for s in policy if policy[s] == "replace")


def last_day(ordered, shop_order, shop_lost, keep=1):
    """The expected cost of a day that begins without stock, and of nothing after it."""
    return textbook.inventory(order=shop_order, lost=shop_lost, keep=keep).actions[0][ordered][0]


@exercise(
    "2.6",
    "the best number of items",
    "the expected cost",
    decimals=4,
    wrong={
        "The number is best if many days follow. On the last day what is left is worth nothing.": (
            lambda shop_order, shop_lost: [
                textbook.policy_iteration(textbook.inventory(order=shop_order, lost=shop_lost))[1][0],
                None,
            ]
        ),
        "The cost is without the items that are left: each costs 1.": (
            lambda **shop: [None, last_day(last_order(**shop)[0], keep=0, **shop)]
        ),
        "With 3 items no customer is lost, but the third item costs more than it saves.": lambda **shop: [3, None],
        "Two items are the mean demand, rounded up. Compare the costs: a lost customer is dear.": (
            lambda **shop: [2, None]
        ),
    },
)
def last_order(*, shop_order=4, shop_lost=8):
    """With your shop_order as the fixed cost of an order, and your shop_lost as the cost of a lost customer."""
    best = min(range(4), key=lambda ordered: last_day(ordered, shop_order, shop_lost))
    return [best, last_day(best, shop_order, shop_lost)]


def value_and_level(overhaul, breaks=0.05):
    """The value at level 0 of the machine with ten levels, and the lowest level at which it is optimal to repair."""
    actions = {
        i: {"run": (i - 10, {i: 0.5, i + 1: 0.4} if i < 9 else {i: 0.9}), "repair": (overhaul, {0: 1 - breaks})}
        for i in range(10)
    }
    values, policy, _ = textbook.policy_iteration(textbook.DecisionProcess(actions))
    return [-values[0], min((i for i in policy if policy[i] == "repair"), default=10)]


@exercise(
    "2.h1",
    "the value at level 0",
    "the lowest level to repair",
    decimals=4,
    wrong={
        "That is for a machine that never breaks in the repair.": lambda overhaul: value_and_level(overhaul, 0),
        "The value is that of a machine that is never repaired.": lambda overhaul: [value_and_level(1000)[0], None],
        "That is the level at which a day earns as much as a repair costs. But a repaired machine earns more on all "
        "later days.": lambda overhaul: [None, 10 - overhaul] if overhaul <= 10 else None,
    },
)
def repair_from(*, overhaul=6):
    """With your overhaul as the cost of a repair."""
    return value_and_level(overhaul)


def shop_values(order_at, shop_order, shop_lost):
    """The expected costs to the end by stock, for a shop that orders `order_at(stock)` items."""
    actions = textbook.inventory(order=shop_order, lost=shop_lost, room=12).actions
    followed = {stock: {"": actions[stock][order_at(stock)]} for stock in actions}
    return textbook.policy_iteration(textbook.DecisionProcess(followed))[0]


@exercise(
    "2.h2",
    calls=[[0, 3], [1, 4], [2, 4], [0, 6], [3, 6]],
    wrong={
        "That orders S items, whatever the stock is. Order up to S.": (
            lambda low, level, **shop: shop_values(lambda stock: level if stock <= low else 0, **shop)[0]
        ),
        "That orders only if the stock is less than s. Order at s, too.": (
            lambda low, level, **shop: shop_cost(low - 1, level, **shop)
        ),
        "That is the cost from a stock of S.": (
            lambda low, level, **shop: shop_values(lambda stock: level - stock if stock <= low else 0, **shop)[level]
        ),
    },
)
def shop_cost(low, level, *, shop_order=4, shop_lost=8):
    """With your shop_order as the fixed cost of an order, and your shop_lost as the cost of a lost customer."""
    return shop_values(lambda stock: level - stock if stock <= low else 0, shop_order, shop_lost)[0]


@exercise(
    "2.x1",
    "V(0), always kept",
    "V(1), always kept",
    "V(0), an old one replaced",
    "V(1), an old one replaced",
    "the second policy is optimal",
    rubric={
        "(a) $V(1) = {{ old_day }} + 0.9\\,V(1)$ = {{ answer[1] }}, and $V(0) = 0.45\\,V(0) + 0.45\\,V(1)$ = "
        "{{ answer[0] }}.": 3,
        "(b) $V(0) = 0.45\\,V(0) + 0.45\\,V(1)$ and $V(1) = {{ new_price }} + V(0)$, because a new machine costs "
        "nothing today. So $V(0)$ = {{ answer[2] }} and $V(1)$ = {{ answer[3] }}.": 3,
        "(c) To keep an old machine for a day costs ${{ old_day }} + 0.9\\,V(1)$ with the values of (b). This is "
        "{% if answer[4] %}more than $V(1)$, and to replace a new one costs more than $V(0)$. So the values solve the "
        "Bellman equation, which has one solution here (Theorem 2), and the policy is optimal."
        "{% else %}less than $V(1)$, so the policy is not optimal.{% endif %}": 2,
    },
)
def two_policies(*, old_day=1, new_price=1):
    """A machine is new (wear 0) or old (wear 1). A day costs 0 with a new machine and {{ old_day }} with an old one. A
    new machine is old the next day with probability 1/2. Each morning the machine may be replaced by a new one for
    {{ new_price }}. With probability 0.1 the process ends in the evening.

    (a) Write down the linear equations of the policy that always keeps the machine, and solve them.

    (b) The same for the policy that replaces an old machine.

    (c) Is the policy of (b) optimal?
    """
    each = Fraction(9, 20)  # the probabilities of new and of old after a day with a new machine
    old_kept = old_day / Fraction(1, 10)
    new = each * new_price / (1 - 2 * each)  # V(0) = 0.45 V(0) + 0.45 (price + V(0))
    old = new_price + new
    return [each * old_kept / (1 - each), old_kept, new, old, old < old_day + Fraction(9, 10) * old]


@exercise(
    "2.x2",
    "the number of states with an umbrella",
    "the cost of two days",
    rubric={
        "(a) No: after rain yesterday the probability is 0.7 or 0.5. Three states are enough: rain on the last two "
        "days, rain yesterday only, no rain yesterday.": 3,
        "(b) The decision does not change the weather, so only today's cost counts: {{ umbrella }} with the umbrella, "
        "and $0.7 \\cdot {{ rain }}$, $0.5 \\cdot {{ rain }}$ or $0.2 \\cdot {{ rain }}$ without it. Take it in the "
        "first {{ answer[0] }} of the three states.": 3,
        "(c) {{ answer[1] }}: the cost in the first state, plus 0.7 times the same, plus 0.3 times the cost in the "
        "third.": 2,
    },
)
def weather(*, umbrella=1, rain=3):
    """It rains with probability 0.7 if it rained on both days before, with 0.5 if it rained on the day before only, and
    with 0.2 if it did not rain on the day before. Each morning you decide whether to take an umbrella, before you know
    the weather of the day. To take it costs {{ umbrella }}, and to be in the rain without one costs {{ rain }}.

    (a) Is "rain yesterday" a state? Name states with the Markov property, as few as possible.

    (b) In which of them do you take the umbrella?

    (c) It rained yesterday and on the day before. What do today and tomorrow cost together, on average, if you decide
    as well as you can?
    """
    without = [Fraction(n, 10) * rain for n in (7, 5, 2)]
    wet, _, dry = (min(umbrella, cost) for cost in without)
    return [sum(umbrella < cost for cost in without), wet + Fraction(7, 10) * wet + Fraction(3, 10) * dry]


@exercise(
    "2.x3",
    "V₂(0)",
    "V₃(0)",
    "the advantage of the hold",
    rubric={
        "(a) States 0, 1, 2, …; hold has the reward $k$ and ends the turn; roll has no reward, and leads to "
        "$k + {{ lower_face }}$ and to $k + {{ lower_face + face_gap }}$ with probability 1/4 each. The 1/2 that is "
        "missing is the bust.": 2,
        "(b) $V_1(k) = k$; $V_2(0)$ = {{ answer[0] }}, by one roll and then a hold; and $V_3(0)$ = {{ answer[1] }}: at "
        "{{ lower_face }} points a second roll is better than a hold.": 4,
        "(c) {{ answer[2] }}: at {{ lower_face }} points a hold brings {{ lower_face }}, and a roll "
        "{{ lower_face - answer[2] }}. At {{ lower_face + face_gap }} points, and at all larger totals that are "
        "reached, a roll brings less than a hold.": 2,
    },
)
def two_busts(*, lower_face=3, face_gap=1):
    """A die has four faces: bust, bust, {{ lower_face }} and {{ lower_face + face_gap }}. As in Pig, you may roll as
    often as you like, and a bust ends the turn without points.

    (a) Write a turn as a decision process $(S, A, p, r)$.

    (b) Begin with $V_0 = 0$, and compute $V_1(k)$ for all $k$, then $V_2(0)$ and $V_3(0)$.

    (c) $V_3(0)$ is the value of the turn. What is the advantage of a hold at {{ lower_face }} points?
    """
    low, high = lower_face, lower_face + face_gap
    again = Fraction(low + low + low + high, 4)  # a roll at `low` points, and then a hold
    return [Fraction(low + high, 4), (again + high) / 4, low - again]
