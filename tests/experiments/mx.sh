#!/bin/sh
# Mishra et al. 2025, "Recipes for Pre-training LLMs with MXFP8" (arXiv 2506.08027), and the OCP's MX formats: scales
# rounded down saturate and hurt, scales rounded up match; MXFP4 is degraded.
. "$(dirname "$0")/lib.sh"
begin mx
model="$language_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs mx $model --lr "$rate" --recipe fp32,mxfp8,mxfp8-floor,mxfp6,mxfp4
claim "MXFP8 with scales rounded up matches" verdict mx mxfp8 "no difference"
claim "MXFP8 with scales rounded down is worse than fp32" above "$(value mx mxfp8-floor gap)" "$(value mx mxfp8-floor band)"
claim "and by more than 1 % of the loss" verdict mx mxfp8-floor worse
claim "MXFP4 does not match" not verdict mx mxfp4 "no difference"
expect "MXFP8, scales rounded up, matches" verdict mx mxfp8 "no difference"
expect "scales rounded down cost: the gap is above its band" \
    above "$(value mx mxfp8-floor gap)" "$(value mx mxfp8-floor band)"
expect "and rounded up not: it is within" above "$(value mx mxfp8 band)" "$(value mx mxfp8 gap)"
expect "what rounding down costs stays below the margin (1 %) in so short a run" \
    verdict mx mxfp8-floor "no difference"
expect "MXFP4 does not match" not verdict mx mxfp4 "no difference"
table mx "AdamW at $rate, the best of fp32's sweep:"
figure mx

# Why MXFP4 knows nothing here, and not only a little less.
# shellcheck disable=SC2086
runs mxfp4 $model --lr "$rate" --recipe mxfp4 --recipe gemm_fwd=mxfp4 --recipe gemm_dgrad.dy=mxfp4 \
    --recipe gemm_wgrad.dy=mxfp4 --recipe gemm_dgrad.dy=mxfp4,gemm_wgrad.dy=mxfp4 --recipe base=mxfp4,high_last=1 \
    --recipe base=mxfp4,gemm_dgrad.dy=mxfp4:sr:16,gemm_wgrad.dy=mxfp4:sr:16
expect "gradients of outputs in MXFP4, in both products, are enough: the loss ends above 3.4 (3.4657 knows nothing)" \
    above "$(loss_of mxfp4 gemm_dgrad.dy=mxfp4,gemm_wgrad.dy=mxfp4)" 3.4
expect "the way forward in MXFP4 alone matches" verdict mxfp4 gemm_fwd=mxfp4 "no difference"
expect "with the head alone in fp32 it learns" not verdict mxfp4 base=mxfp4,high_last=1 failed
expect "with those gradients rounded stochastically it learns" \
    not verdict mxfp4 base=mxfp4,gemm_dgrad.dy=mxfp4:sr:16,gemm_wgrad.dy=mxfp4:sr:16 failed
table mxfp4 "MXFP4 by parts (AdamW at $rate):"
finish
