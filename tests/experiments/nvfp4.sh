#!/bin/sh
# NVIDIA 2025, "Pretraining Large Language Models with NVFP4" (arXiv 2509.25149): stochastic rounding of gradients
# helps, of the way forward hurts; a Hadamard transform of wgrad's operands helps; the last layers stay in high
# precision.
. "$(dirname "$0")/lib.sh"
begin nvfp4
model="$language_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1
nearest=base=nvfp4,gemm_dgrad.dy=nvfp4,gemm_wgrad.dy=nvfp4/hadamard
forward=base=nvfp4,gemm_fwd.x=nvfp4:sr:16
plain=base=nvfp4,gemm_wgrad.x=nvfp4,gemm_wgrad.dy=nvfp4:sr:16
# shellcheck disable=SC2086
runs ablation $model --lr "$rate" --recipe nvfp4 --recipe $nearest --recipe $forward --recipe $plain \
    --recipe base=nvfp4,high_last=0
claim "NVFP4's recipe matches" verdict ablation nvfp4 "no difference"
claim "with the last layers in NVFP4, too, the loss is higher" worse ablation base=nvfp4,high_last=0 nvfp4
claim "gradients rounded to nearest are worse" not verdict ablation $nearest "no difference"
claim "stochastic rounding of the forward pass is worse" not verdict ablation $forward "no difference"
claim "without the Hadamard transform it is worse" not verdict ablation $plain "no difference"
expect "NVFP4's recipe matches" verdict ablation nvfp4 "no difference"
expect "the last layers in NVFP4 hurt" worse ablation base=nvfp4,high_last=0 nvfp4
expect "with the last layers high, gradients to nearest match, too: the claim does not show at this size" \
    verdict ablation $nearest "no difference"
expect "nor does that of the way forward: stochastic rounding there matches" verdict ablation $forward "no difference"
expect "nor that of the Hadamard transform: without it, it matches" verdict ablation $plain "no difference"
table ablation "AdamW at $rate, the best of fp32's sweep. Rows: the recipe; gradients to nearest; forward stochastic; no
Hadamard; the last layers, too:"
figure ablation

# The gradient of the logits is the hardest tensor of so small a model: with the last layers low, rounding shows.
nearest=base=nvfp4,high_last=0,gemm_dgrad.dy=nvfp4,gemm_wgrad.dy=nvfp4/hadamard
forward=base=nvfp4,high_last=0,gemm_fwd.x=nvfp4:sr:16
# shellcheck disable=SC2086
runs head $model --lr "$rate" --recipe base=nvfp4,high_last=0 --recipe $nearest --recipe $forward
expect "with the last layers low, the order is that of the claim: gradients to nearest end above stochastic ones" \
    worse head $nearest base=nvfp4,high_last=0
expect "and stochastic rounding of the way forward above that to nearest" worse head $forward base=nvfp4,high_last=0
table head "Tried: the same with the last layers in NVFP4. Rows: stochastic gradients; to nearest; forward stochastic, too:"
finish
