(** * Jeopardy dice games: the rules, and what is proved about them

    This file has definitions only; a reader who agrees with them need not read a proof. The general proofs are in
    theory.v. The tables and the theorems for one game each are in pig_10.v and piglet_10.v.

    Two players race to a target. In a turn the player to move rolls a die, once or more often. A face is a bust,
    which ends the turn without points, or adds its points to the turn total. After a roll without a bust the player
    rolls again or holds; a hold adds the turn total to the player's score and ends the turn. The first player whose
    score plus turn total reaches the target wins. All numbers are exact fractions (Q). *)

From Coq Require Import QArith Qminmax List Arith.
Import ListNotations.
Open Scope Q_scope.

(** ** The rules *)

Inductive face := Bust | Points (points : nat).

Record game := Game { target : nat; die : list (Q * face) }.  (* every face with its probability *)

(** The scores of the player to move and of the other player, and the turn total. *)
Record position := At { own : nat; other : nat; turn : nat }.

Definition start := At 0 0 0.

(** Nobody has reached the target. *)
Definition running (g : game) (p : position) : Prop := (own p + turn p < target g /\ other p < target g)%nat.

(** The mean of [f] over the faces of a die. *)
Definition mean (f : face -> Q) (die : list (Q * face)) : Q :=
  fold_right (fun side sum => fst side * f (snd side) + sum) 0 die.

(** A die has probabilities that sum to 1, faces of at least one point, and not only busts. *)
Definition proper (g : game) : Prop :=
  Forall (fun side => 0 <= fst side /\ snd side <> Points 0) (die g)
  /\ mean (fun _ => 1) (die g) == 1
  /\ 0 < mean (fun x => match x with Bust => 0 | Points _ => 1 end) (die g).

(** What a roll and a hold lead to. [won] counts if the roll wins; [again] is what counts where the same player decides
    next, [passed] where the turn passes to the other player. Both are functions of the position then, as the player to
    move there sees it. *)
Definition roll (g : game) (p : position) (won : Q) (again passed : position -> Q) : Q :=
  mean (fun x => match x with
    | Bust => passed (At (other p) (own p) 0)
    | Points k =>
        if (target g <=? own p + turn p + k)%nat then won else again (At (own p) (other p) (turn p + k))
    end) (die g).

Definition hold (p : position) (passed : position -> Q) : Q := passed (At (other p) (own p + turn p) 0).

(** A decision: roll with probability [q], otherwise hold. Every turn begins with a roll. *)
Definition step (g : game) (p : position) (q won : Q) (again passed : position -> Q) : Q :=
  if (turn p =? 0)%nat then roll g p won again passed
  else q * roll g p won again passed + (1 - q) * hold p passed.

(** ** The Bellman equation

    [V p] is to be the winning probability of the player to move. The other player's is 1 minus it. *)

Definition bellman (g : game) (V : position -> Q) : Prop :=
  forall p, running g p ->
  V p == let rolled := roll g p 1 V (fun p' => 1 - V p') in
         if (turn p =? 0)%nat then rolled else Qmax rolled (hold p (fun p' => 1 - V p')).

Definition probabilities (g : game) (V : position -> Q) : Prop := forall p, running g p -> 0 <= V p <= 1.

(** ** Strategies, and what they achieve

    A strategy knows all positions of the game so far, the latest first, and the position now. It answers with the
    probability with which it rolls. *)

Definition strategy := list position -> position -> Q.

Definition valid (s : strategy) : Prop := forall past p, 0 <= s past p <= 1.

(** A policy looks at the position only, and does not randomise: [true] is a roll. *)
Definition play (policy : position -> bool) : strategy := fun _ p => if policy p then 1 else 0.

(** How a game that began in the position [p] stands after [n] decisions: the probability that one of the two players,
    called "us", has won it, has lost it, or still plays. [ours] says whether we are the player to move; we follow the
    strategy [us], the other player follows [them]. *)
Inductive ending := Won | Lost | Open.

Fixpoint chance (e : ending) (g : game) (n : nat) (ours : bool) (us them : strategy) (past : list position)
    (p : position) : Q :=
  match n with
  | O => match e with Open => 1 | _ => 0 end
  | S n =>
      let rolls := (if ours then us else them) past p in
      let won := match e, ours with Won, true | Lost, false => 1 | _, _ => 0 end in
      step g p rolls won (chance e g n ours us them (p :: past)) (chance e g n (negb ours) us them (p :: past))
  end.

(** ** The value

    Of a value [v], the player to move has the share [v] and the other player the share 1 - [v]. A strategy [best] is
    optimal from the position [p] on if it does two things for either player, here called "us". Whoever follows it wins
    with a probability that comes as near to the own share as we like, or above it, if play is long enough, whatever
    the other player does. And against it nobody ever wins with more than the own share. *)

Definition share (v : Q) (ours : bool) : Q := if ours then v else 1 - v.

Definition optimal (g : game) (p : position) (v : Q) (best : strategy) : Prop :=
  valid best
  /\ (forall e, 0 < e -> exists N, forall n ours them,
      (N <= n)%nat -> valid them -> share v ours - e <= chance Won g n ours best them [] p)
  /\ (forall n ours us, valid us -> chance Won g n ours us best [] p <= share v ours).

Definition is_value (g : game) (p : position) (v : Q) : Prop := exists best, optimal g p v best.

(** Whatever both players do, play ends: the chance that it has not ended falls below every [e]. *)
Definition play_ends (g : game) : Prop :=
  forall e, 0 < e -> exists N, forall n ours us them p,
  (N <= n)%nat -> valid us -> valid them -> running g p -> chance Open g n ours us them [] p <= e.

(** ** What is proved, for a table of values and a policy

    The table has the value of every pair of scores, at the start of a turn: [values i j] where the player to move has i
    points and the other player j. The policy says at which turn total to hold: [holds i j]. *)

Definition lookup {A} (default : A) (table : list (list A)) (i j : nat) : A := nth j (nth i table []) default.

Definition rolls_below (holds : list (list nat)) (p : position) : bool :=
  (turn p <? lookup 0%nat holds (own p) (other p))%nat.

Record solved (g : game) (values : list (list Q)) (holds : list (list nat)) : Prop := {
  (* The probabilities of the die are at least 0 and sum to 1, and it can score. *)
  die_is_proper : proper g;
  (* There is a solution of the Bellman equation that agrees with the table, and there is no other in [0, 1]. *)
  solution_exists : exists V, bellman g V /\ probabilities g V
    /\ forall i j, running g (At i j 0) -> V (At i j 0) == lookup 0 values i j;
  solution_is_unique : forall V W,
    bellman g V -> probabilities g V -> bellman g W -> probabilities g W -> forall p, running g p -> V p == W p;
  (* The table has the values of the race, and to hold as the second table says is optimal for both players. *)
  policy_is_optimal : forall i j, running g (At i j 0) ->
    optimal g (At i j 0) (lookup 0 values i j) (play (rolls_below holds));
  (* A position has only one value, so that these are the values. *)
  value_is_unique : forall p v w, is_value g p v -> is_value g p w -> v == w;
  (* The chance that play never ends is 0, whatever the players do. *)
  race_ends : play_ends g
}.
