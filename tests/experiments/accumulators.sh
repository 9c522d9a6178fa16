#!/bin/sh
# DeepSeek-V3 (arXiv 2412.19437): tensor cores that add 14 bits lose precision over long sums, and adding their partial
# sums in fp32 every 128 products restores it.
. "$(dirname "$0")/lib.sh"
begin accumulators

# Least squares with 512 inputs: nothing but long sums, operands in fp32, so that only the accumulator differs.
squares="--model linear --optimizer sgd --width 512 --batch 64 --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate long 0.03,0.05,0.1,0.15 $squares) || exit 1
# shellcheck disable=SC2086
runs long $squares --lr "$rate" --plot log --recipe fp32 --recipe acc=trunc14/promote128 --recipe acc=trunc14 \
    --recipe acc=fp16 --recipe acc=bf16
ten_times() { awk -v x="$(loss_of long "$1")" 'BEGIN { print 10 * x }'; } # ten_times RECIPE
paper 2412.19437 "14-bit accumulators lose; promotion every 128 products restores fp32's result" 14-bit-accumulators
claim "accumulators of 14 bits lose precision over long sums" above "$(loss_of long acc=trunc14)" "$(ten_times fp32)"
claim "promotion every 128 products improves on that" worse long acc=trunc14 acc=trunc14/promote128
claim "and restores what fp32 reaches" verdict long acc=trunc14/promote128 "no difference"
measured "final loss: fp32 $(short "$(loss_of long fp32)"), promoted $(short "$(loss_of long acc=trunc14/promote128)"), 14 bits $(short "$(loss_of long acc=trunc14)")"
expect "14 bits end more than ten times above fp32" above "$(loss_of long acc=trunc14)" "$(ten_times fp32)"
expect "promotion every 128 ends below 14 bits alone" worse long acc=trunc14 acc=trunc14/promote128
expect "an accumulator in bf16 is worse, and ends above 14 bits" worse long acc=bf16 acc=trunc14
expect "promotion every 128 does not reach fp32: groups of 128 still have 14 bits" \
    worse long acc=trunc14/promote128 fp32
table long "Least squares with sums of 512 products (SGD at $rate, the best of fp32's sweep):"
figure long
finish
