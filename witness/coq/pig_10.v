(** * Pig to 10: the value is 7776/10961

    Written by generate.py from the exact solution of dicelab. Coq trusts neither table: [checked], of theory.v, asks
    for a computation that compares them with the Bellman equation, and Coq makes it. game.v says what is proved. *)

From Coq Require Import QArith List Arith.
From Witness Require Import theory game.
Import ListNotations.
Open Scope Q_scope.

(** The rules: the target, and the faces of the die with their probabilities. *)
Definition pig_10 : game := Game 10 [
  (1 # 6, Bust);
  (1 # 6, Points 2);
  (1 # 6, Points 3);
  (1 # 6, Points 4);
  (1 # 6, Points 5);
  (1 # 6, Points 6)
].

(** The probability of winning for a player about to begin a turn: a row for each of the own scores 0, 1, 2, ..., in it
    a column for each score of the other player. *)
Definition values : list (list Q) := [
  [7776 # 10961; 35699616 # 50984431; 1487484 # 2153149; 5949936 # 8698591; 110184 # 164329; 991656 # 1504441; 41319 # 63614; 165276 # 257641; 27546 # 43471; 27546 # 43471];
  [37317024 # 50984431; 7776 # 10753; 1554876 # 2177069; 6219504 # 8788655; 115176 # 165785; 1036584 # 1515881; 43191 # 64030; 172764 # 259097; 28794 # 43679; 28794 # 43679];
  [1625184 # 2153149; 1625184 # 2177069; 324 # 439; 270864 # 370109; 5016 # 6971; 45144 # 63659; 1881 # 2686; 7524 # 10859; 1254 # 1829; 1254 # 1829];
  [6710688 # 8698591; 6710688 # 8788655; 279612 # 370109; 1296 # 1729; 20712 # 28073; 186408 # 256121; 7767 # 10798; 31068 # 43625; 5178 # 7343; 5178 # 7343];
  [132192 # 164329; 132192 # 165785; 5508 # 6971; 22032 # 28073; 24 # 31; 3672 # 4799; 153 # 202; 612 # 815; 102 # 137; 102 # 137];
  [1251936 # 1504441; 1251936 # 1515881; 52164 # 63659; 208656 # 256121; 3864 # 4799; 216 # 271; 207 # 262; 5796 # 7391; 966 # 1241; 966 # 1241];
  [27216 # 31807; 27216 # 32015; 1134 # 1343; 4536 # 5399; 84 # 101; 108 # 131; 9 # 11; 126 # 155; 21 # 26; 21 # 26];
  [225504 # 257641; 225504 # 259097; 9396 # 10859; 37584 # 43625; 696 # 815; 6264 # 7391; 261 # 310; 36 # 43; 174 # 209; 174 # 209];
  [38880 # 43471; 38880 # 43679; 1620 # 1829; 6480 # 7343; 120 # 137; 1080 # 1241; 45 # 52; 180 # 209; 6 # 7; 6 # 7];
  [38880 # 43471; 38880 # 43679; 1620 # 1829; 6480 # 7343; 120 # 137; 1080 # 1241; 45 # 52; 180 # 209; 6 # 7; 6 # 7]
].

(** The turn total from which an optimal player holds, in the same order; the target less the own score stands for a
    player who never holds before the target is reached. *)
Definition holds : list (list nat) := [
  [10; 10; 10; 10; 10; 10; 10; 10; 10; 10];
  [9; 9; 9; 9; 9; 9; 9; 9; 9; 9];
  [8; 8; 8; 8; 8; 8; 8; 8; 8; 8];
  [7; 7; 7; 7; 7; 7; 7; 7; 7; 7];
  [6; 6; 6; 6; 6; 6; 6; 6; 6; 6];
  [5; 5; 5; 5; 5; 5; 5; 5; 5; 5];
  [4; 4; 4; 4; 4; 4; 4; 4; 4; 4];
  [3; 3; 3; 3; 3; 3; 3; 3; 3; 3];
  [2; 2; 2; 2; 2; 2; 2; 2; 2; 2];
  [1; 1; 1; 1; 1; 1; 1; 1; 1; 1]
]%nat.

Theorem pig_10_solved : solved pig_10 values holds.
Proof. apply checked. vm_compute. reflexivity. Qed.

(** The player who begins wins with this probability, if both play optimally. *)
Theorem pig_10_value : is_value pig_10 start (7776 # 10961).
Proof. eexists. apply (policy_is_optimal _ _ _ pig_10_solved 0%nat 0%nat). split; apply Nat.lt_0_succ. Qed.

(** No other number is the value. *)
Theorem pig_10_only_value : forall v, is_value pig_10 start v -> v == 7776 # 10961.
Proof. intros v is_v. exact (value_is_unique _ _ _ pig_10_solved _ _ _ is_v pig_10_value). Qed.

Print Assumptions pig_10_solved.
Print Assumptions pig_10_value.
Print Assumptions pig_10_only_value.
