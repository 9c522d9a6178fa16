#!/bin/sh
# Micikevicius et al. 2022, "FP8 Formats for Deep Learning" (arXiv 2209.05433), and Transformer Engine: E4M3 for
# everything without scales does not learn, E4M3 forward and E5M2 backward (HYBRID) without scales learns badly, with
# scales it matches.
. "$(dirname "$0")/lib.sh"
begin fp8
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs formats $model --lr "$rate" --recipe fp32,fp8-e4m3-unscaled,fp8-unscaled,fp8-delayed,fp8-current
paper 2209.05433 "FP8 needs scales (256 tokens per step)" fp8-scales
claim "E4M3 for everything without scales does not learn" verdict formats fp8-e4m3-unscaled failed
claim "with scales FP8 matches" verdict formats fp8-current "no difference"
claim "HYBRID without scales learns badly at 256 tokens per step" verdict formats fp8-unscaled worse
measured "E4M3 unscaled $(gap_of formats fp8-e4m3-unscaled), HYBRID unscaled $(gap_of formats fp8-unscaled), scaled $(gap_of formats fp8-current)"
expect "E4M3 everywhere without scales learns nothing" verdict formats fp8-e4m3-unscaled failed
for scaled in fp8-current fp8-delayed fp8-unscaled; do
    expect "three seeds do not tell $scaled from fp32" verdict formats $scaled inconclusive
done
table formats "256 tokens per step (AdamW at $rate, the best of fp32's sweep):"
figure formats

finish
