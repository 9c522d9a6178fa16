#!/bin/sh
# NVIDIA 2025, "Pretraining Large Language Models with NVFP4" (arXiv 2509.25149): stochastic rounding of gradients
# helps, of the way forward hurts; a Hadamard transform of wgrad's operands helps; the last layers stay in high
# precision.
. "$(dirname "$0")/lib.sh"
begin nvfp4
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
nearest=base=nvfp4,gemm_dgrad.dy=nvfp4,gemm_wgrad.dy=nvfp4/hadamard
forward=base=nvfp4,gemm_fwd.x=nvfp4:sr:16
plain=base=nvfp4,gemm_wgrad.x=nvfp4,gemm_wgrad.dy=nvfp4:sr:16
# shellcheck disable=SC2086
runs ablation $model --lr "$rate" --recipe nvfp4 --recipe $nearest --recipe $forward --recipe $plain \
    --recipe base=nvfp4,high_last=0
paper 2509.25149 "the parts of NVFP4's recipe" nvfp4
claim "NVFP4's recipe matches" verdict ablation nvfp4 "no difference"
claim "with the last layers in NVFP4, too, it is worse" verdict ablation base=nvfp4,high_last=0 worse
claim "gradients rounded to nearest are worse" verdict ablation $nearest worse
claim "stochastic rounding of the forward pass is worse" verdict ablation $forward worse
claim "without the Hadamard transform it is worse" verdict ablation $plain worse
measured "recipe $(gap_of ablation nvfp4); nearest $(gap_of ablation $nearest); forward stochastic $(gap_of ablation $forward); no Hadamard $(gap_of ablation $plain); last layers too $(gap_of ablation base=nvfp4,high_last=0)"
expect "the last layers in NVFP4 raise the loss" worse ablation base=nvfp4,high_last=0 nvfp4
for changed in nvfp4 $nearest $forward $plain; do
    expect "three seeds do not tell $changed from fp32" verdict ablation $changed inconclusive
done
table ablation "AdamW at $rate, the best of fp32's sweep. Rows: the recipe; gradients to nearest; forward stochastic; no
Hadamard; the last layers, too:"
figure ablation

finish
