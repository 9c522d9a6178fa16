#!/bin/sh
# Micikevicius et al. 2022, "FP8 Formats for Deep Learning" (arXiv 2209.05433), and Transformer Engine: E4M3 for
# everything without scales does not learn, E4M3 forward and E5M2 backward (HYBRID) without scales learns badly, with
# scales it matches.
. "$(dirname "$0")/lib.sh"
begin fp8
model="$language_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs formats $model --lr "$rate" --recipe fp32,fp8-e4m3-unscaled,fp8-unscaled,fp8-delayed,fp8-current
claim "E4M3 for everything without scales does not learn" verdict formats fp8-e4m3-unscaled failed
claim "with scales FP8 matches" verdict formats fp8-current "no difference"
claim "HYBRID without scales learns badly at 256 tokens per step" not verdict formats fp8-unscaled "no difference"
expect "E4M3 everywhere without scales learns nothing" verdict formats fp8-e4m3-unscaled failed
expect "scaled by the tensor's own largest matches" verdict formats fp8-current "no difference"
expect "scaled by the largest of the steps before matches" verdict formats fp8-delayed "no difference"
expect "256 tokens a step: HYBRID without scales matches (not the claim: the gradient of a mean is large still)" \
    verdict formats fp8-unscaled "no difference"
table formats "256 tokens a step (AdamW at $rate, the best of fp32's sweep):"
figure formats

# The gradient of a mean falls with the tokens that it is taken over: what E5M2 keeps of 256 tokens it loses of 4096.
large="--model transformer --width 32 --depth 1 --batch 128 --steps $(steps 80)"
# shellcheck disable=SC2086
rate=$(best_rate large 1e-3,3.16e-3,1e-2 $large) || exit 1
# shellcheck disable=SC2086
runs tokens $large --lr "$rate" --recipe fp32,fp8-unscaled,fp8-current
claim "HYBRID without scales learns badly at 4096 tokens per step" not verdict tokens fp8-unscaled "no difference"
expect "4096 tokens a step: HYBRID without scales is worse or fails" not verdict tokens fp8-unscaled "no difference"
expect "4096 tokens a step: HYBRID without scales ends above HYBRID with scales" worse tokens fp8-unscaled fp8-current
expect "4096 tokens a step: with scales it matches" verdict tokens fp8-current "no difference"
table tokens "4096 tokens a step, one block (AdamW at $rate, the best of fp32's sweep):"
figure tokens
finish
