#!/bin/sh
# DeepSeek-V3 (arXiv 2412.19437): tensor cores that add 14 bits lose precision over long sums, and adding their partial
# sums in fp32 every 128 products restores it.
. "$(dirname "$0")/lib.sh"
begin accumulators

# Least squares with 1024 inputs: nothing but a long sum, in fp32 operands, so that only the accumulator differs.
squares="--model linear --optimizer sgd --width 1024 --batch 32 --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate long 3e-3,1e-2,2e-2 $squares) || exit 1
# shellcheck disable=SC2086
runs long $squares --lr "$rate" --recipe fp32 --recipe acc=trunc14 --recipe acc=trunc14/promote128 --recipe acc=bf16 \
    --recipe acc=fp16
expect "14 bits are degraded" not verdict long acc=trunc14 match
expect "promotion every 128 ends below them" worse long acc=trunc14 acc=trunc14/promote128
expect "an accumulator in bf16 ends above both" worse long acc=bf16 acc=trunc14
table long "Least squares with sums of 1024 products (SGD at $rate, the best of fp32's sweep):"
figure long
finish
