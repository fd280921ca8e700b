"""Six standard problems as data, each a :class:`~.one_player.DecisionProcess` of costs that are to be least.

A discount is the probability that the process goes on after a step: all probabilities of moves have it as a factor. A
reward is a negative cost. The defaults are small enough to print every value.
"""

from itertools import product

from dicelab._validation import check_int
from dicelab_extras.learning.checks import check_real

from .one_player import DecisionProcess

__all__ = [
    "admission",
    "grid",
    "inventory",
    "machine_replacement",
    "secretary",
    "two_armed_bandit",
]

DEMAND = {0: 0.2, 1: 0.3, 2: 0.3, 3: 0.2}  # items a day
STEPS = {"up": (0, 1), "left": (-1, 0), "right": (1, 0), "down": (0, -1)}
WALL, EXITS = (2, 2), {(4, 3): -1, (4, 2): 1}  # the costs at the exits


def machine_replacement(discount=0.9, worst=5, price=4, wear=0.5):
    """A machine that wears out: keep it, or pay `price` for a new one.

    States are the wear 0, …, `worst`; a day costs as much as the machine is worn, and wears it by 1 with probability
    `wear`. Howard (1960) replaces a car.

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> policy_iteration(machine_replacement())[1]
    {0: 'keep', 1: 'keep', 2: 'replace', 3: 'replace', 4: 'replace', 5: 'replace'}
    """
    discount, worst = check_real(discount, "discount", 0, 1), check_int(worst, "worst", 1)

    def day(s):
        """The cost and the moves of a day that begins with wear s."""
        return s, {s: discount * (1 - wear), s + 1: discount * wear} if s < worst else {s: discount}

    cost, moves = day(0)
    replaced = price + cost, moves
    return DecisionProcess({s: {"keep": day(s), "replace": replaced} for s in range(worst + 1)})


def inventory(discount=0.95, room=6, order=4, item=1, keep=1, lost=8, demand=None):
    """A shop that orders each morning: a fixed cost, and an uncertain demand.

    States are the items in stock, 0, …, `room`; the action is the number ordered. An order costs `order` and `item`
    for each; at night an item left costs `keep`, and each item asked for and not there costs `lost`. `demand` has the
    probabilities by number of items, {0: 0.2, 1: 0.3, 2: 0.3, 3: 0.2} by default. Scarf (1960): order up to S once the
    stock is at most s; Puterman (1994), section 3.2.

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> policy_iteration(inventory())[1]
    {0: 4, 1: 3, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}
    """
    discount, room = check_real(discount, "discount", 0, 1), check_int(room, "room", 1)
    demand = DEMAND if demand is None else demand

    def day(stock, ordered):
        """The expected cost and the moves of a day with so many items in the morning and ordered."""
        cost, moves = order * (ordered > 0) + item * ordered, {}
        for wanted, p in demand.items():
            left = stock + ordered - wanted
            cost += p * (keep * max(left, 0) + lost * max(-left, 0))
            moves[max(left, 0)] = moves.get(max(left, 0), 0) + discount * p
        return cost, moves

    return DecisionProcess(
        {s: {n: day(s, n) for n in range(room - s + 1)} for s in range(room + 1)}
    )


def admission(discount=0.95, room=8, arrival=0.5, price=5, wait=1):
    """Admission to a queue: each customer pays, and each one who waits costs.

    States are (n, at_door): n customers in the queue, 0, …, `room`, and whether one has just arrived. An event is an
    arrival with probability `arrival`, else the end of a service. A step costs `wait` for each one in the queue, and a
    customer admitted pays `price`. Naor (1969).

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> [policy_iteration(admission())[1][n, True] for n in range(4)]
    ['admit', 'admit', 'reject', 'reject']
    """
    discount, room = check_real(discount, "discount", 0, 1), check_int(room, "room", 1)

    def step(n):
        """What follows with n customers in the queue."""
        return {(n, True): discount * arrival, (max(n - 1, 0), False): discount * (1 - arrival)}

    actions = {}
    for n in range(room + 1):
        actions[n, False] = {"wait": (wait * n, step(n))}
        actions[n, True] = {"reject": (wait * n, step(n))}
        if n < room:
            actions[n, True]["admit"] = wait * (n + 1) - price, step(n + 1)
    return DecisionProcess(actions)


def grid(step=0.04, slip=0.1):
    """A robot on a grid of four columns and three rows, with a wall, a prize and a pit.

    States are (column, row) from 1. A step costs `step` and goes aside with probability `slip` to each side; who runs
    into a wall stays. The exits (4, 3) and (4, 2) pay 1 and cost 1. Russell and Norvig (2010), section 17.1.

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> values, policy, _ = policy_iteration(grid())
    >>> policy[3, 1], round(-values[3, 1], 3)  # beside the pit one goes around
    ('left', 0.611)
    """
    slip = check_real(slip, "slip", 0, 0.5)
    squares = [each for each in product(range(1, 5), range(1, 4)) if each != WALL]

    def moves(square, direction):
        """Where a step leads: ahead, or aside."""
        (x, y), (dx, dy), after = square, direction, {}
        for p, (u, v) in ((1 - 2 * slip, (dx, dy)), (slip, (dy, dx)), (slip, (-dy, -dx))):
            there = (x + u, y + v) if (x + u, y + v) in squares else square
            after[there] = after.get(there, 0) + p
        return after

    return DecisionProcess(
        {
            square: {"exit": (EXITS[square], {})}
            if square in EXITS
            else {name: (step, moves(square, direction)) for name, direction in STEPS.items()}
            for square in squares
        }
    )


def secretary(candidates=10):
    """The secretary problem: candidates come in random order, and you want the best; whom do you take?

    State k: the k-th candidate is the best so far. Taking it pays 1 if it is the best of all. Chow, Robbins and
    Siegmund (1971), chapter 3; Ferguson (1989).

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> values, policy, _ = policy_iteration(secretary())
    >>> round(-values[1], 4), min(k for k in policy if policy[k] == "take")
    (0.3987, 4)
    """
    n = check_int(candidates, "candidates", 2)
    return DecisionProcess(
        {
            k: {
                "take": (-k / n, {}),
                "pass": (0, {j: k / (j * (j - 1)) for j in range(k + 1, n + 1)}),
            }
            for k in range(1, n + 1)
        }
    )


def two_armed_bandit(tosses=10):
    """Two coins with unknown probabilities of heads, uniform a priori: as many heads as you can in some tosses.

    States are (heads, tails, heads, tails) of the two coins; heads pays 1. Bellman (1956); Berry and Fristedt (1985).

    Examples
    --------
    >>> from collection.course.textbook import policy_iteration
    >>> round(-policy_iteration(two_armed_bandit())[0][0, 0, 0, 0], 4)
    6.0218
    """
    tosses = check_int(tosses, "tosses", 2, 30)
    actions = {}
    for state in product(range(tosses), repeat=4):
        if sum(state) < tosses:
            actions[state] = {}
            for coin in (0, 1):
                heads, tails = state[2 * coin : 2 * coin + 2]
                p, after = (heads + 1) / (heads + tails + 2), {}
                for face, q in enumerate((p, 1 - p)):
                    place = 2 * coin + face
                    after[*state[:place], state[place] + 1, *state[place + 1 :]] = q
                last = sum(state) == tosses - 1
                actions[state][f"coin {coin + 1}"] = -p, {} if last else after
    return DecisionProcess(actions)
