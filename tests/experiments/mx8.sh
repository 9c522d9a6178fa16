#!/bin/sh
# Blocks of 8 bits in training, ten seed pairs: MXFP8 with scales rounded down (OCP) and up (Mishra et al. 2025, "Recipes
# for Pre-training LLMs with MXFP8", arXiv 2506.08027), and MXINT8 (Chen et al. 2025, "INT v.s. FP", arXiv 2510.25602).
. "$(dirname "$0")/lib.sh"
begin mx8
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
seeds=10
# shellcheck disable=SC2086
runs mx8 $model --lr "$rate" --statistics none --recipe fp32,bf16-master,mxfp8,mxfp8-floor,mxint8

# against RECIPE OTHER: OTHER compared with RECIPE, pair by pair, as PART RECIPE-OTHER.
against() {
    "$binade" compare "$here/mx8/$1"-[0-9]* "$here/mx8/$2"-[0-9]* --csv >"$here/$1-$2.csv" || exit 1
}
against mxfp8 mxfp8-floor
against mxfp8 mxint8
clear() { awk -v g="$(value "$1" "$2" gap)" -v i="$(value "$1" "$2" interval)" -v s="$3" 'BEGIN { exit !(s * g > i) }'; } # clear PART RECIPE SIGN
# loses_little RECIPE: the upper end of its gap's interval lies below 5 % of what fp32 is above the irreducible loss.
loses_little() {
    tolerance=$(sed -n 's/^tolerance  *\([0-9.]*\):.*/\1/p' "$here/mx8.txt")
    awk -v g="$(value mx8 "$1" gap)" -v i="$(value mx8 "$1" interval)" -v t="$tolerance" 'BEGIN { exit !(t > 0 && g + i < t) }'
}

paper 2506.08027 "training: MXFP8 with scales rounded down (OCP) is worse than with scales rounded up" mx-scale-rules
claim "MXFP8 with scales rounded up matches" verdict mx8 mxfp8 "no difference"
claim "MXFP8 with scales rounded down ends above MXFP8 with scales rounded up, clear of the interval" \
    clear mxfp8-mxfp8-floor mxfp8-floor 1
measured "ten seeds, down minus up: $(gap_of mxfp8-mxfp8-floor mxfp8-floor); up minus fp32: $(gap_of mx8 mxfp8)"

paper 2510.25602 "training: MXINT8 is nearly lossless, and better than MXFP8" experiments-blocks.md#mxint8-against-mxfp8
claim "MXINT8 matches" verdict mx8 mxint8 "no difference"
claim "MXINT8 ends below MXFP8, clear of the interval" clear mxfp8-mxint8 mxint8 -1
measured "ten seeds, MXINT8 minus MXFP8: $(gap_of mxfp8-mxint8 mxint8); MXINT8 minus fp32: $(gap_of mx8 mxint8)"
expect "MXINT8 loses less than the tolerance, with 95 % confidence" loses_little mxint8

table mx8 "AdamW at $rate, the best of fp32's sweep, ten seed pairs:"
figure mx8
table mxfp8-mxfp8-floor "The gap of scales rounded down to scales rounded up, pair by pair:"
table mxfp8-mxint8 "The gap of MXINT8 to MXFP8, pair by pair:"
finish
