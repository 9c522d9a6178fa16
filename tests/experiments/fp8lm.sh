#!/bin/sh
# Peng et al. 2023, "FP8-LM" (arXiv 2310.18313): Adam's first moment survives fp8, its second does not and stays in
# fp16.
. "$(dirname "$0")/lib.sh"
begin fp8lm
model="$chain_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs moments $model --lr "$rate" --recipe fp32 --recipe m=e4m3/tensor --recipe v=fp16/tensor --recipe v=e4m3/tensor \
    --recipe m=e4m3 --recipe v=e4m3 --recipe fp8-lm
paper 2310.18313 "Adam's m survives FP8, v does not" fp8-lm-moments
claim "the first moment survives E4M3 with a scale" verdict moments m=e4m3/tensor "no difference"
claim "the second does not" not verdict moments v=e4m3/tensor "no difference"
claim "the second survives fp16 with a scale" verdict moments v=fp16/tensor "no difference"
claim "FP8-LM matches" verdict moments fp8-lm "no difference"
measured "with scales: m $(gap_of moments m=e4m3/tensor), v $(gap_of moments v=e4m3/tensor), v in fp16 $(gap_of moments v=fp16/tensor)"
expect "the first moment in E4M3 with a scale matches" verdict moments m=e4m3/tensor "no difference"
expect "the second in fp16 with a scale matches" verdict moments v=fp16/tensor "no difference"
expect "all of FP8-LM matches" verdict moments fp8-lm "no difference"
expect "without scales, the first in E4M3 still learns" not verdict moments m=e4m3 failed
expect "without scales, the second in E4M3 diverges" verdict moments v=e4m3 failed
expect "with a scale the second matches in E4M3, too: the claim does not show at this size" \
    verdict moments v=e4m3/tensor "no difference"
table moments "One moment at a time (AdamW at $rate, the best of fp32's sweep):"
figure moments
# shellcheck disable=SC2086
runs longer $chain_model --steps "$(steps 600)" --lr "$rate" --recipe fp32 --recipe m=e4m3/tensor \
    --recipe v=e4m3/tensor
table longer "Tried: three times the steps, since a second moment in E4M3 cannot follow its mean:"
finish
