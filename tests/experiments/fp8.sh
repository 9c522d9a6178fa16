#!/bin/sh
# Micikevicius et al. 2022, "FP8 Formats for Deep Learning" (arXiv 2209.05433), and Transformer Engine: E4M3 for everything
# without scales does not learn, E4M3 forward and E5M2 backward (HYBRID) without scales learns badly, with scales it matches.
. "$(dirname "$0")/lib.sh"
begin fp8
model="$language_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs formats $model --lr "$rate" --recipe fp32,fp8-e4m3-unscaled,fp8-unscaled,fp8-delayed,fp8-current
expect "E4M3 everywhere without scales does not match" not verdict formats fp8-e4m3-unscaled match
expect "HYBRID without scales ends below E4M3 everywhere" worse formats fp8-e4m3-unscaled fp8-unscaled
expect "HYBRID without scales ends above scaled" worse formats fp8-unscaled fp8-current
expect "scaled by the tensor's own largest matches" verdict formats fp8-current match
expect "scaled by the largest of the steps before matches" verdict formats fp8-delayed match
table formats "AdamW at $rate, the best of fp32's sweep:"
figure formats
finish
