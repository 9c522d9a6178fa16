#!/bin/sh
# Zamirai et al. 2020, "Revisiting BFloat16 Training" (arXiv 2010.06192): where weights are bf16, updates rounded to
# nearest are lost and training stalls; stochastic rounding or Kahan's compensation restores what fp32 reaches.
. "$(dirname "$0")/lib.sh"
begin zamirai

# Least squares has no noise at the end, so that a stall cannot hide.
squares="--model linear --optimizer sgd --steps $(steps 300)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate linear 1e-3..1e-1:7 $squares) || exit 1
# shellcheck disable=SC2086
runs squares $squares --lr "$rate" --plot log --recipe fp32,bf16-pure,bf16-sr,bf16-kahan
paper 2010.06192 "bf16 weights stall; stochastic rounding and Kahan summation restore fp32's result" bf16-weights
claim "nearest rounding of bf16 weights stalls least squares" verdict squares bf16-pure worse
claim "stochastic rounding restores what fp32 reaches on least squares" verdict squares bf16-sr "no difference"
claim "so does Kahan summation" verdict squares bf16-kahan "no difference"
expect "least squares: rounding to nearest is worse" verdict squares bf16-pure worse
expect "least squares: nearest ends above stochastic rounding" worse squares bf16-pure bf16-sr
expect "least squares: stochastic rounding ends above Kahan" worse squares bf16-sr bf16-kahan
expect "least squares: Kahan, too, ends orders of magnitude above fp32" verdict squares bf16-kahan worse
table squares "Least squares (64 numbers, batch 32), SGD at $rate, the best of fp32's sweep:"
figure squares

# A low rate for the language model: what a schedule ends with. At the best rate for so few steps updates are large.
model="$language_model --steps $(steps 300)"
# shellcheck disable=SC2086
rate=$(best_rate lm 1e-4..1e-1:7 $model) || exit 1
low=$(awk -v rate="$rate" 'BEGIN { printf "%.3g", rate / 100 }')
# shellcheck disable=SC2086
runs low $model --lr "$low" --recipe fp32,bf16-pure,bf16-sr,bf16-kahan
claim "nearest rounding stalls a language model at a low rate" verdict low bf16-pure worse
claim "stochastic rounding restores it" verdict low bf16-sr "no difference"
claim "so does Kahan summation" verdict low bf16-kahan "no difference"
measured "language model: nearest $(gap_of low bf16-pure), stochastic $(gap_of low bf16-sr), Kahan $(gap_of low bf16-kahan); least squares: \
$(short "$(loss_of squares bf16-pure)"), $(short "$(loss_of squares bf16-sr)"), $(short "$(loss_of squares bf16-kahan)"), fp32 $(short "$(loss_of squares fp32)")"
expect "language model, low rate: rounding to nearest is worse" verdict low bf16-pure worse
expect "and most of its updates are lost" above "$(value low bf16-pure lost_updates_percent)" 50
expect "stochastic rounding matches" verdict low bf16-sr "no difference"
expect "Kahan matches" verdict low bf16-kahan "no difference"
table low "Language model, AdamW at $low, a hundredth of the best rate of fp32's sweep ($rate):"
figure low
# shellcheck disable=SC2086
runs best $model --lr "$rate" --recipe fp32,bf16-pure,bf16-sr,bf16-kahan
table best "The same at the best rate ($rate), where updates are large beside the weights' last bits:"
finish
