"""Write pig_10.v and piglet_10.v: the exact solutions of dicelab as tables, for Coq to check.

    python witness/coq/generate.py [FOLDER]

Only the tables come from dicelab. Coq believes none of them: a wrong number makes `coqc` fail.
"""

import sys
from fractions import Fraction
from pathlib import Path

import dicelab
from dicelab._files import atomic_write

FOLDER = Path(__file__).resolve().parent
GAMES = {"pig_10": dicelab.pig(10), "piglet_10": dicelab.piglet(10)}

TEMPLATE = """\
(** * {title}: the value is {value}

    Written by generate.py from the exact solution of dicelab. Coq trusts neither table: [checked], of theory.v, asks
    for a computation that compares them with the Bellman equation, and Coq makes it. game.v says what is proved. *)

From Coq Require Import QArith List Arith.
From Witness Require Import theory game.
Import ListNotations.
Open Scope Q_scope.

(** The rules: the target, and the faces of the die with their probabilities. *)
Definition {name} : game := Game {target} [
{die}
].

(** The probability of winning for a player about to begin a turn: a row for each of the own scores 0, 1, 2, ..., in it
    a column for each score of the other player. *)
Definition values : list (list Q) := [
{values}
].

(** The turn total from which an optimal player holds, in the same order; the target less the own score stands for a
    player who never holds before the target is reached. *)
Definition holds : list (list nat) := [
{holds}
]%nat.

Theorem {name}_solved : solved {name} values holds.
Proof. apply checked. vm_compute. reflexivity. Qed.

(** The player who begins wins with this probability, if both play optimally. *)
Theorem {name}_value : is_value {name} start ({value_in_coq}).
Proof. eexists. apply (policy_is_optimal _ _ _ {name}_solved 0%nat 0%nat). split; apply Nat.lt_0_succ. Qed.

(** No other number is the value. *)
Theorem {name}_only_value : forall v, is_value {name} start v -> v == {value_in_coq}.
Proof. intros v is_v. exact (value_is_unique _ _ _ {name}_solved _ _ _ is_v {name}_value). Qed.

Print Assumptions {name}_solved.
Print Assumptions {name}_value.
Print Assumptions {name}_only_value.
"""


def in_coq(fraction):
    """A fraction as a literal of Coq."""
    fraction = Fraction(fraction)
    return f"{fraction.numerator} # {fraction.denominator}"


def rows_of(table):
    """A table as the rows of a list of lists, a line each."""
    return ";\n".join(f"  [{'; '.join(map(str, row))}]" for row in table)


def die_of(game):
    """The die of a game with one mode, each outcome a bust or points."""
    mode = game.modes[0]
    one_die = len(game.modes) == 1 and mode.may_hold and all(len(outcome.choices) <= 1 for outcome in mode.outcomes)
    if not one_die or game.resets or game.registers or game.finish != "reach":
        raise ValueError(f"game: {game.name} is not a race with one die, without resets, and with finish='reach'")
    for outcome in mode.outcomes:
        result = f"Points {outcome.choices[0].points}" if outcome.choices else "Bust"
        yield f"  ({in_coq(outcome.probability)}, {result})"


def hold_at(policy, own, opponent):
    """The turn total from which a policy holds. ValueError if it rolls again at a greater one."""
    most = policy.game.target - own
    decisions = [policy.rolls(own, opponent, turn_total) for turn_total in range(1, most)]
    at = 1 + decisions.index(False) if False in decisions else most
    if any(decisions[at:]):
        raise ValueError(f"policy: at {own}-{opponent} it does not hold at every turn total from {at} on")
    return at


def theorem(name, game):
    """The text of the file that proves the value of a game."""
    solution = dicelab.solve(game, exact=True)
    scores = range(game.target)
    return TEMPLATE.format(
        name=name,
        title=f"{game.name} to {game.target}",
        target=game.target,
        die=";\n".join(die_of(game)),
        values=rows_of([[in_coq(value) for value in row] for row in solution.values]),
        holds=rows_of([[hold_at(solution.policy, own, opponent) for opponent in scores] for own in scores]),
        value=Fraction(solution.value),
        value_in_coq=in_coq(solution.value),
    )


def main(folder=FOLDER):
    """Write the files to a folder."""
    for name, game in GAMES.items():
        with atomic_write(Path(folder) / f"{name}.v") as part:
            part.write_text(theorem(name, game))


if __name__ == "__main__":
    main(*sys.argv[1:2])
