(** * The general proofs: a solution of the Bellman equation is the value of the race

    The statements are those of game.v. The proofs hold for every proper die and every target. *)

From Coq Require Import QArith Qminmax Qround List Arith Lia Lqa Bool RelationClasses.
From Witness Require Import game.
Import ListNotations.
Open Scope Q_scope.

Local Instance Qle_transitive : Transitive Qle := Qle_trans.

Section Race.

Variable g : game.
Hypothesis proper_g : proper g.

(** ** A step is monotone and linear in what follows it *)

Lemma mean_le : forall f f', (forall x, x <> Points 0 -> f x <= f' x) -> mean f (die g) <= mean f' (die g).
Proof.
  intros f f' le. destruct proper_g as [sides _]. unfold mean.
  induction sides as [|[q x] sides [nonneg scores] _ IH]; simpl in *; [lra|].
  specialize (le x scores). nra.
Qed.

Lemma mean_linear : forall a b f f',
  mean (fun x => a * f x + b * f' x) (die g) == a * mean f (die g) + b * mean f' (die g).
Proof. intros. unfold mean. induction (die g) as [|[q x] sides IH]; simpl; [|rewrite IH]; ring. Qed.

Lemma roll_le : forall p won won' again again' passed passed',
  running g p -> won <= won' ->
  (forall p', running g p' -> again p' <= again' p') -> (forall p', running g p' -> passed p' <= passed' p') ->
  roll g p won again passed <= roll g p won' again' passed'.
Proof.
  intros p * [own_runs other_runs] won_le again_le passed_le. apply mean_le. intros [|k] _.
  - apply passed_le. split; simpl; lia.
  - destruct (Nat.leb_spec (target g) (own p + turn p + k)); auto.
    apply again_le. split; simpl; lia.
Qed.

Lemma step_le : forall p q won won' again again' passed passed',
  running g p -> 0 <= q <= 1 -> won <= won' ->
  (forall p', running g p' -> again p' <= again' p') -> (forall p', running g p' -> passed p' <= passed' p') ->
  step g p q won again passed <= step g p q won' again' passed'.
Proof.
  intros p q * run q01 won_le again_le passed_le. unfold step, hold.
  pose proof (roll_le p _ _ _ _ _ _ run won_le again_le passed_le).
  assert (running g (At (other p) (own p + turn p) 0)) as run' by (destruct run; split; simpl; lia).
  specialize (passed_le _ run'). destruct (turn p =? 0)%nat; nra.
Qed.

Lemma step_linear : forall p q a b won won' again again' passed passed',
  step g p q (a * won + b * won') (fun p' => a * again p' + b * again' p') (fun p' => a * passed p' + b * passed' p')
  == a * step g p q won again passed + b * step g p q won' again' passed'.
Proof.
  intros.
  assert (roll g p (a * won + b * won') (fun p' => a * again p' + b * again' p')
            (fun p' => a * passed p' + b * passed' p')
          == a * roll g p won again passed + b * roll g p won' again' passed') as eq.
  { unfold roll. rewrite <- mean_linear. apply Qle_antisym; apply mean_le; intros [|k] _; try apply Qle_refl;
      destruct (_ <=? _)%nat; apply Qle_refl. }
  unfold step, hold. destruct (turn p =? 0)%nat; rewrite eq; ring.
Qed.

Lemma step_constant : forall p q c, step g p q c (fun _ => c) (fun _ => c) == c.
Proof.
  intros. destruct proper_g as (_ & sum & _).
  assert (roll g p c (fun _ => c) (fun _ => c) == c) as eq.
  { transitivity (c * mean (fun _ => 1) (die g) + 0 * mean (fun _ => 0) (die g)).
    - rewrite <- mean_linear. unfold roll. apply Qle_antisym; apply mean_le; intros [|k] _;
        try destruct (_ <=? _)%nat; lra.
    - rewrite sum. ring. }
  unfold step, hold. destruct (turn p =? 0)%nat; rewrite eq; ring.
Qed.

(** ** The three endings are all there are *)

Lemma ours_valid : forall (ours : bool) us them past p,
  valid us -> valid them -> 0 <= (if ours then us else them) past p <= 1.
Proof. intros [] *; auto. Qed.

Lemma chance_nonneg : forall e n ours us them past p,
  valid us -> valid them -> running g p -> 0 <= chance e g n ours us them past p.
Proof.
  intros e n ours us them past p valid_us valid_them. revert ours past p.
  induction n as [|n IH]; intros ours past p run; [destruct e; simpl; lra|].
  rewrite <- (step_constant p ((if ours then us else them) past p) 0). apply step_le; auto using ours_valid.
  destruct e, ours; lra.
Qed.

Lemma chance_le_1 : forall e n ours us them past p,
  valid us -> valid them -> running g p -> chance e g n ours us them past p <= 1.
Proof.
  intros e n ours us them past p valid_us valid_them. revert ours past p.
  induction n as [|n IH]; intros ours past p run; [destruct e; simpl; lra|].
  rewrite <- (step_constant p ((if ours then us else them) past p) 1). apply step_le; auto using ours_valid.
  destruct e, ours; lra.
Qed.

(** ** Play ends

    Without a bust, a roll brings somebody closer to the target, and a hold is followed by a roll. So there is a number
    of decisions within which play ends with positive probability, wherever it stands. *)

Definition missing (p : position) : nat :=
  2 * (2 * target g - own p - other p - turn p) + (if turn p =? 0 then 0 else 1).

Lemma may_end : forall m, exists d, 0 < d <= 1 /\ forall ours us them past p,
  valid us -> valid them -> running g p -> (missing p <= m)%nat -> chance Open g m ours us them past p <= 1 - d.
Proof.
  destruct proper_g as (_ & sum & scores). set (score x := match x with Bust => 0 | Points _ => 1 end) in scores.
  assert (mean score (die g) <= 1) as scores_le by (rewrite <- sum; apply mean_le; intros []; simpl; lra).
  induction m as [|m (d & d01 & IH)].
  - exists 1. split; [lra|]. unfold missing, running. intros. lia.
  - exists (mean score (die g) * d). split; [nra|].
    intros ours us them past p valid_us valid_them run close.
    pose proof (ours_valid ours us them past p valid_us valid_them) as q01.
    assert (running g (At (other p) (own p + turn p) 0)) as run' by (destruct run; split; simpl; lia).
    cbn [chance]. set (q := (if ours then us else them) past p) in *.
    set (again := chance Open g m ours us them (p :: past)).
    set (passed := chance Open g m (negb ours) us them (p :: past)).
    assert (roll g p 0 again passed <= 1 - mean score (die g) * d) as rolled.
    { transitivity (mean (fun x => 1 * 1 + - d * score x) (die g)).
      - apply mean_le. intros [|k] positive; simpl score.
        + transitivity 1; [|lra]. apply chance_le_1; auto. destruct run; split; simpl; lia.
        + destruct (Nat.leb_spec (target g) (own p + turn p + k)); [lra|].
          assert (k <> 0)%nat by congruence.
          transitivity (1 - d); [|lra]. apply IH; auto; [destruct run; split; simpl; lia|].
          revert close. unfold missing. destruct run. simpl own; simpl other; simpl turn.
          destruct (turn p =? 0)%nat eqn:E, (turn p + k =? 0)%nat; [| apply Nat.eqb_eq in E | |]; lia.
      - rewrite (mean_linear 1 (- d) (fun _ => 1) score), sum. lra. }
    unfold step.
    destruct (turn p =? 0)%nat eqn:E; [exact rolled|].
    assert (hold p passed <= 1 - d) as held.
    { apply IH; auto. revert close. unfold missing. destruct run. rewrite E. simpl. lia. }
    assert (mean score (die g) * d <= d) by nra.
    assert (hold p passed <= 1 - mean score (die g) * d) as held' by lra.
    clear - rolled held' q01. nra.
Qed.

Lemma open_multiplies : forall d m n, 0 <= d ->
  (forall ours us them past p, valid us -> valid them -> running g p -> chance Open g n ours us them past p <= d) ->
  forall ours us them past p, valid us -> valid them -> running g p ->
  chance Open g (m + n) ours us them past p <= d * chance Open g m ours us them past p.
Proof.
  intros d m n nonneg bound ours us them past p valid_us valid_them. revert ours past p.
  induction m as [|m IH]; intros ours past p run.
  - simpl chance at 2. specialize (bound ours us them past p valid_us valid_them run). simpl Nat.add. lra.
  - pose proof (ours_valid ours us them past p valid_us valid_them) as q01.
    cbn [chance Nat.add]. set (q := (if ours then us else them) past p) in *.
    pose proof (step_linear p q d 0 0 0 (chance Open g m ours us them (p :: past)) (fun _ => 0)
      (chance Open g m (negb ours) us them (p :: past)) (fun _ => 0)) as linear.
    transitivity (d * step g p q 0 (chance Open g m ours us them (p :: past))
      (chance Open g m (negb ours) us them (p :: past)) + 0 * step g p q 0 (fun _ => 0) (fun _ => 0)); [|lra].
    rewrite <- linear. apply step_le; auto; [lra | |]; intros p' run'; rewrite Qmult_0_l, Qplus_0_r; auto.
Qed.

Lemma open_decays : exists d m, 0 < d /\ forall k ours us them past p,
  valid us -> valid them -> running g p ->
  chance Open g (k * m) ours us them past p <= / (1 + inject_Z (Z.of_nat k) * d).
Proof.
  set (m := (4 * target g + 1)%nat). destruct (may_end m) as (d & d01 & once).
  exists d, m. split; [lra|]. induction k as [|k IH]; intros ours us them past p valid_us valid_them run.
  - setoid_replace (1 + inject_Z (Z.of_nat 0) * d) with 1 by (change (inject_Z (Z.of_nat 0)) with 0; ring).
    apply Qle_refl.
  - rewrite Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1. cbn [Nat.mul].
    set (x := inject_Z (Z.of_nat k)) in *.
    assert (0 <= x) by (unfold x; rewrite <- (Zle_Qle 0); lia).
    assert (0 < 1 + x * d) as positive by nra.
    assert (0 < 1 + (x + 1) * d) as positive' by nra.
    pose proof (Qinv_lt_0_compat _ positive).
    assert (/ (1 + x * d) * (1 + x * d) == 1) as inverse by (rewrite Qmult_comm; apply Qmult_inv_r; lra).
    set (b := / (1 + x * d)) in *.
    assert (chance Open g (m + k * m) ours us them past p <= b * chance Open g m ours us them past p)
      by (apply open_multiplies; auto; lra).
    assert (chance Open g m ours us them past p <= 1 - d).
    { apply once; auto. unfold missing, m. destruct (turn p =? 0)%nat; lia. }
    transitivity (b * (1 - d)); [nra|].
    assert (b * (1 - d) * (1 + (x + 1) * d) == (b * (1 + x * d)) * (1 - d) + b * (d * (1 - d))) as expand by ring.
    rewrite <- (Qmult_1_l (/ _)). apply Qle_shift_div_l; [assumption|]. rewrite expand, inverse.
    assert (b * (1 - d) <= 1) by nra. nra.
Qed.

Theorem ends : play_ends g.
Proof.
  intros e positive. destruct open_decays as (d & m & d_positive & decays).
  assert (0 < e * d) as ed by nra.
  pose proof (Qle_ceiling (/ (e * d))) as large. pose proof (Qinv_lt_0_compat _ ed).
  set (z := Qceiling (/ (e * d))) in *.
  assert (0 <= z)%Z by (rewrite Zle_Qle; change (inject_Z 0) with 0; lra).
  exists (Z.to_nat z * m)%nat. intros n ours us them p far valid_us valid_them run.
  replace n with (n - Z.to_nat z * m + Z.to_nat z * m)%nat by lia.
  specialize (decays (Z.to_nat z)). rewrite Z2Nat.id in decays by assumption.
  assert (e * d * / (e * d) == 1) by (apply Qmult_inv_r; lra).
  assert (/ (1 + inject_Z z * d) <= e) as small.
  { rewrite <- (Qmult_1_l (/ _)). apply Qle_shift_div_r; nra. }
  assert (0 <= / (1 + inject_Z z * d)) by (apply Qinv_le_0_compat; nra).
  transitivity (/ (1 + inject_Z z * d) * chance Open g (n - Z.to_nat z * m) ours us them [] p).
  - apply open_multiplies; auto.
  - pose proof (chance_le_1 Open (n - Z.to_nat z * m) ours us them [] p valid_us valid_them run).
    pose proof (chance_nonneg Open (n - Z.to_nat z * m) ours us them [] p valid_us valid_them run). nra.
Qed.

(** ** A solution of the Bellman equation is the value *)

Section Solution.

Variable V : position -> Q.
Hypothesis solves : bellman g V.
Hypothesis bounds : probabilities g V.

(** The policy takes a decision of the greater value. *)
Variable policy : position -> bool.
Hypothesis greedy : forall p, running g p -> turn p <> 0%nat ->
  V p == if policy p then roll g p 1 V (fun p' => 1 - V p') else hold p (fun p' => 1 - V p').

Lemma policy_valid : valid (play policy).
Proof. intros past p. unfold play. destruct (policy p); lra. Qed.

Lemma any_step : forall p q, running g p -> 0 <= q <= 1 -> step g p q 1 V (fun p' => 1 - V p') <= V p.
Proof.
  intros p q run q01. specialize (solves p run). cbv zeta in solves. unfold step.
  destruct (turn p =? 0)%nat; [lra|]. rewrite solves.
  pose proof (Q.le_max_l (roll g p 1 V (fun p' => 1 - V p')) (hold p (fun p' => 1 - V p'))).
  pose proof (Q.le_max_r (roll g p 1 V (fun p' => 1 - V p')) (hold p (fun p' => 1 - V p'))). nra.
Qed.

Lemma best_step : forall past p, running g p -> step g p (play policy past p) 1 V (fun p' => 1 - V p') == V p.
Proof.
  intros past p run. specialize (solves p run). specialize (greedy p run). unfold step, play in *.
  destruct (turn p =? 0)%nat eqn:E; [lra|].
  apply Nat.eqb_neq in E. specialize (greedy E). destruct (policy p); lra.
Qed.

(** The same step as the other player sees it. *)
Lemma theirs : forall p q, running g p -> 0 <= q <= 1 ->
  step g p q 0 (fun p' => 1 - V p') V == 1 - step g p q 1 V (fun p' => 1 - V p').
Proof.
  intros p q run q01.
  pose proof (step_linear p q 1 (- (1)) 1 1 (fun _ => 1) V (fun _ => 1) (fun p' => 1 - V p')) as linear.
  rewrite step_constant in linear. transitivity (1 * 1 + - (1) * step g p q 1 V (fun p' => 1 - V p')); [|ring].
  rewrite <- linear. apply Qle_antisym; apply step_le; auto; intros; lra.
Qed.

Lemma wins_at_most : forall n ours us past p, valid us -> running g p ->
  chance Won g n ours us (play policy) past p <= share (V p) ours.
Proof.
  intros n ours us past p valid_us. revert ours past p.
  induction n as [|n IH]; intros ours past p run.
  - specialize (bounds p run). destruct ours; simpl; lra.
  - pose proof (ours_valid ours us _ past p valid_us policy_valid) as q01. cbn [chance].
    destruct ours; cbn [negb share] in *.
    + transitivity (step g p (us past p) 1 V (fun p' => 1 - V p')); [|apply any_step; auto].
      apply step_le; auto; [lra | |]; intros; [apply (IH true) | apply (IH false)]; auto.
    + rewrite <- (best_step past p run), <- theirs by auto.
      apply step_le; auto; [lra | |]; intros; [apply (IH false) | apply (IH true)]; auto.
Qed.

Lemma wins_at_least : forall n ours them past p, valid them -> running g p ->
  share (V p) ours - chance Open g n ours (play policy) them past p <= chance Won g n ours (play policy) them past p.
Proof.
  intros n ours them past p valid_them. revert ours past p.
  induction n as [|n IH]; intros ours past p run.
  - specialize (bounds p run). destruct ours; simpl; lra.
  - pose proof (ours_valid ours _ them past p policy_valid valid_them) as q01. cbn [chance].
    set (h := p :: past). destruct ours; cbn [negb share] in *.
    + pose proof (step_linear p (play policy past p) 1 (- (1)) 1 0 V (chance Open g n true (play policy) them h)
        (fun p' => 1 - V p') (chance Open g n false (play policy) them h)) as linear.
      rewrite (best_step past p run) in linear.
      transitivity (1 * V p + - (1) * step g p (play policy past p) 0 (chance Open g n true (play policy) them h)
        (chance Open g n false (play policy) them h)); [lra|]. rewrite <- linear.
      apply step_le; auto; [lra | |]; intros p' run';
        [specialize (IH true h p' run') | specialize (IH false h p' run')]; simpl in IH; lra.
    + pose proof (step_linear p (them past p) 1 (- (1)) 0 0 (fun p' => 1 - V p')
        (chance Open g n false (play policy) them h) V (chance Open g n true (play policy) them h)) as linear.
      rewrite (theirs p _ run q01) in linear. pose proof (any_step p _ run q01).
      transitivity (1 * (1 - step g p (them past p) 1 V (fun p' => 1 - V p'))
        + - (1) * step g p (them past p) 0 (chance Open g n false (play policy) them h)
        (chance Open g n true (play policy) them h)); [lra|]. rewrite <- linear.
      apply step_le; auto; [lra | |]; intros p' run';
        [specialize (IH false h p' run') | specialize (IH true h p' run')]; simpl in IH; lra.
Qed.

Theorem solution_optimal : forall p, running g p -> optimal g p (V p) (play policy).
Proof.
  intros p run. split; [apply policy_valid|]. split.
  - intros e positive. destruct (ends e positive) as [N small]. exists N. intros n ours them far valid_them.
    pose proof (wins_at_least n ours them [] p valid_them run).
    specialize (small n ours (play policy) them p far policy_valid valid_them run). lra.
  - intros n ours us valid_us. apply wins_at_most; auto.
Qed.

End Solution.

Lemma optimal_eq : forall p v w best, v == w -> optimal g p v best -> optimal g p w best.
Proof.
  intros p v w best eq (ok & least & most). split; [assumption|]. split.
  - intros e positive. destruct (least e positive) as [N reached]. exists N. intros n ours them far valid_them.
    specialize (reached n ours them far valid_them). destruct ours; simpl share in *; lra.
  - intros n ours us valid_us. specialize (most n ours us valid_us). destruct ours; simpl share in *; lra.
Qed.

Theorem value_unique : forall p v w, is_value g p v -> is_value g p w -> v == w.
Proof.
  assert (forall p v w, is_value g p v -> is_value g p w -> v <= w) as le.
  { intros p v w (best & valid_best & least & _) (best' & valid_best' & _ & most).
    apply Qnot_lt_le. intros less. destruct (least ((v - w) * (1 # 2))) as [N reached]; [lra|].
    specialize (reached N true best' (le_n N) valid_best'). specialize (most N true best valid_best).
    simpl share in *. lra. }
  intros. apply Qle_antisym; eauto.
Qed.

Theorem solution_value : forall V p, bellman g V -> probabilities g V -> running g p -> is_value g p (V p).
Proof.
  intros V p solves bounds run.
  set (rolled p := roll g p 1 V (fun p' => 1 - V p')). set (held p := hold p (fun p' => 1 - V p')).
  exists (play (fun p => Qle_bool (held p) (rolled p))). apply solution_optimal; auto.
  intros p' run' begun. specialize (solves p' run'). apply Nat.eqb_neq in begun. rewrite begun in solves.
  rewrite solves. fold (rolled p') (held p'). destruct (Qle_bool (held p') (rolled p')) eqn:E.
  - apply Q.max_l. apply Qle_bool_iff. assumption.
  - apply Q.max_r. apply Qlt_le_weak, Qnot_le_lt. intros le. apply Qle_bool_iff in le. congruence.
Qed.

Theorem bellman_unique : forall V W,
  bellman g V -> probabilities g V -> bellman g W -> probabilities g W -> forall p, running g p -> V p == W p.
Proof. intros. eapply value_unique; apply solution_value; eassumption. Qed.

End Race.

(** ** Checking a table by computation *)

(** The values within a turn from i points against j, by the turn total: what the table of [values] says of the later
    pairs of scores. Nothing is taken on trust here: [check] compares these values with the Bellman equation. *)
Definition walk (g : game) (values : list (list Q)) (i j : nat) : list Q :=
  fold_right (fun k later =>
    let rolled := mean (fun x => match x with
      | Bust => 1 - lookup 0 values j i
      | Points n => nth (n - 1) later 1
      end) (die g) in
    Qred (if (k =? 0)%nat then rolled else Qmax rolled (1 - lookup 0 values j (i + k))) :: later)
  [] (seq 0 (target g - i)).

Definition walks (g : game) (values : list (list Q)) : list (list (list Q)) :=
  let scores := seq 0 (target g) in map (fun i => map (walk g values i) scores) scores.

Definition value_in (table : list (list (list Q))) (p : position) : Q :=
  nth (turn p) (lookup [] table (own p) (other p)) 0.

Definition positions (g : game) : list position :=
  let scores := seq 0 (target g) in
  flat_map (fun i => flat_map (fun j => map (At i j) (seq 0 (target g - i))) scores) scores.

Definition check_die (g : game) : bool :=
  forallb (fun side => Qle_bool 0 (fst side) && match snd side with Points 0 => false | _ => true end) (die g)
  && Qeq_bool (mean (fun _ => 1) (die g)) 1
  && negb (Qle_bool (mean (fun x => match x with Bust => 0 | Points _ => 1 end) (die g)) 0).

Definition check (g : game) (values : list (list Q)) (holds : list (list nat)) : bool :=
  let table := walks g values in
  let V := value_in table in
  check_die g && forallb (fun p =>
    let rolled := roll g p 1 V (fun p' => 1 - V p') in
    let held := hold p (fun p' => 1 - V p') in
    Qle_bool 0 (V p) && Qle_bool (V p) 1
    && if (turn p =? 0)%nat then Qeq_bool (V p) rolled && Qeq_bool (V p) (lookup 0 values (own p) (other p))
       else Qeq_bool (V p) (Qmax rolled held) && Qeq_bool (V p) (if rolls_below holds p then rolled else held))
  (positions g).

Lemma check_die_proper : forall g, check_die g = true -> proper g.
Proof.
  intros g yes. unfold check_die in yes. rewrite !andb_true_iff, negb_true_iff, forallb_forall in yes.
  destruct yes as [[sides sum] scores]. split; [|split].
  - apply Forall_forall. intros side inside. specialize (sides side inside). apply andb_true_iff in sides.
    destruct sides as [nonneg points]. split; [apply Qle_bool_iff; assumption | intros zero; rewrite zero in points].
    discriminate.
  - apply Qeq_bool_iff. assumption.
  - apply Qnot_le_lt. intros le. apply Qle_bool_iff in le. congruence.
Qed.

Lemma in_positions : forall g p, running g p -> In p (positions g).
Proof.
  intros g [i j k] [own_runs other_runs]. simpl in *. unfold positions.
  apply in_flat_map. exists i. split; [apply in_seq; lia|].
  apply in_flat_map. exists j. split; [apply in_seq; lia|].
  apply in_map, in_seq. lia.
Qed.

Theorem checked : forall g values holds, check g values holds = true -> solved g values holds.
Proof.
  intros g values holds yes. unfold check in yes. apply andb_true_iff in yes. destruct yes as [die_ok yes].
  apply check_die_proper in die_ok. rewrite forallb_forall in yes.
  set (V := value_in (walks g values)) in yes.
  assert (bellman g V /\ probabilities g V) as [solves bounds].
  { split; intros p run; specialize (yes p (in_positions g p run)); cbv zeta in *;
      rewrite !andb_true_iff in yes; destruct yes as [[low high] rest].
    - destruct (turn p =? 0)%nat; apply andb_true_iff in rest; destruct rest as [eq _]; apply Qeq_bool_iff, eq.
    - split; apply Qle_bool_iff; assumption. }
  assert (forall i j, running g (At i j 0) -> V (At i j 0) == lookup 0 values i j) as agrees.
  { intros i j run. specialize (yes _ (in_positions g _ run)). cbv zeta in yes. cbn [turn own other Nat.eqb] in yes.
    rewrite !andb_true_iff in yes. destruct yes as [_ [_ eq]]. apply Qeq_bool_iff, eq. }
  split.
  - exact die_ok.
  - exists V. auto.
  - apply bellman_unique, die_ok.
  - intros i j run.
    apply (optimal_eq g _ _ _ _ (agrees i j run)), solution_optimal; auto. intros p run' begun.
    specialize (yes p (in_positions g p run')). cbv zeta in yes.
    apply Nat.eqb_neq in begun. rewrite begun, !andb_true_iff in yes. destruct yes as [_ [_ eq]].
    apply Qeq_bool_iff, eq.
  - intros p v w. apply value_unique.
  - apply ends, die_ok.
Qed.
