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
expect "NVFP4's recipe does not diverge" not verdict ablation nvfp4 diverged
expect "stochastic rounding of the way forward hurts" worse ablation $forward nvfp4
expect "gradients rounded to nearest hurt" worse ablation $nearest nvfp4
expect "the last layers in NVFP4 hurt" worse ablation base=nvfp4,high_last=0 nvfp4
table ablation "AdamW at $rate, the best of fp32's sweep. Rows: the recipe; gradients to nearest; forward stochastic; no
Hadamard; the last layers, too:"
figure ablation
finish
