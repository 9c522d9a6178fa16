#!/bin/sh
# Mishra et al. 2025, "Recipes for Pre-training LLMs with MXFP8" (arXiv 2506.08027), and the OCP's MX formats: scales
# rounded down saturate and hurt, scales rounded up match. MXFP4, which the paper does not train, is run beside them.
. "$(dirname "$0")/lib.sh"
begin mx
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs mx $model --lr "$rate" --recipe fp32,mxfp8,mxfp8-floor,mxfp4,mxfp4-rceil
gap_is_clear() { above "$(value mx "$1" gap)" "$(value mx "$1" interval)"; } # gap_is_clear RECIPE
paper 2506.08027 "training: MXFP8 matches with scales rounded up, not with scales rounded down (three seeds)" mx-scale-rules
claim "MXFP8 with scales rounded up matches" verdict mx mxfp8 "no difference"
claim "MXFP8 with scales rounded down is worse than fp32" gap_is_clear mxfp8-floor
measured "up $(gap_of mx mxfp8), down $(gap_of mx mxfp8-floor)"
expect "three seeds do not tell MXFP8 from fp32, however its scales are rounded" \
    [ "$(value mx mxfp8 verdict) $(value mx mxfp8-floor verdict)" = "inconclusive inconclusive" ]
expect "MXFP4 with OCP's rule (scales rounded down) fails in one run of three" [ "$(value mx mxfp4 failed)" = 1 ]
expect "and with scales rounded up in all three" [ "$(value mx mxfp4-rceil failed)" = 3 ]
table mx "AdamW at $rate, the best of fp32's sweep:"
figure mx

# shellcheck disable=SC2086
runs low $model --lr 3.16e-3 --recipe fp32,mxfp4,mxfp4-rceil
expect "at a third of the rate MXFP4 with OCP's rule learns in all three" [ "$(value low mxfp4 failed)" = 0 ]
expect "and ends lower than with scales rounded up" worse low mxfp4-rceil mxfp4
expect "which is worse than fp32" verdict low mxfp4-rceil worse
table low "AdamW at 3.16e-3:"
finish
