#!/bin/sh
# Chmiel et al. 2025, "FP4 All the Way" (arXiv 2505.19115): where the gradient is shorter than the square root of 3 times
# the quantization noise, training in FP4 is less effective, and the rest of the training is better done in a wider
# format. threshold.py measures both lengths, and what a step with such noise is worth.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/support/python.sh
. "$top/tests/support/python.sh"
find_python 'import numpy' "numpy (Debian, Ubuntu: python3-numpy)"
begin threshold
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
fp4=fp4-all-the-way+fp32
last=$(steps 300)
[ -s "$here/noise.csv" ] || {
    echo "$name/noise" >&2
    BND_BINADE=$binade "$python" "$top/tests/experiments/threshold.py" "$rate" "$(steps 30),$(steps 100),$last" \
        $fp4,quartet2+fp32,mxfp8+fp32 >"$here/noise.new" && mv "$here/noise.new" "$here/noise.csv" || exit 1
}
# shellcheck disable=SC2086
runs switched $language_model --steps "$(steps 400)" --lr "$rate" --statistics none --recipe fp32,$fp4 --switch "fp32@$last"
# shellcheck disable=SC2086
runs early $language_model --steps "$(steps 100)" --lr "$rate" --statistics none --recipe fp32,$fp4

ratio() { awk -F'|' -v recipe="$1" -v step="$2" '$1 == "ratio" && $2 == recipe && $3 == step { print $7 }' "$here/noise.csv"; }
shares() { awk -F'|' -v r="$1" '$1 == "share" && $3 == r { s += $4; n++ } END { printf "%.2f", s / n }' "$here/noise.csv"; }
between() { awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x > a && x < b) }'; } # between X A B
paper 2505.19115 "FP4 training is less effective where the gradient is below sqrt(3) times the quantization noise" experiments-blocks.md#fp4-and-the-square-root-of-3
claim "in FP4 the gradient begins above the threshold" above "$(ratio $fp4 "$(steps 30)")" 1.732
claim "above it FP4 matches fp32 (after $(steps 100) steps)" verdict early $fp4 "no difference"
claim "the gradient falls below it while the model is trained" above 1.732 "$(ratio $fp4 "$last")"
claim "at the threshold the best step is worth 3/4 of the one without noise (0.6 to 0.9)" between "$(shares 1.73)" 0.6 0.9
claim "below the threshold fp32 for the rest ends lower than FP4" worse switched $fp4 "$fp4>fp32@$last"
measured "gradient / noise: $(ratio $fp4 "$(steps 30)"), $(ratio $fp4 "$(steps 100)"), $(ratio $fp4 "$last") after $(steps 30), $(steps 100), $last steps (MXFP8: $(ratio mxfp8+fp32 "$last")); \
a step at sqrt(3) is worth $(shares 1.73), at 1 $(shares 1), at 4 $(shares 4); gap in FP4 $(gap_of early $fp4) after $(steps 100) steps, $(gap_of switched $fp4) after $(steps 400), fp32 from step $last on $(gap_of switched "$fp4>fp32@$last")"
{
    printf '\nAdamW at %s. The gradient of the loss (fp32, 512 sequences), and the noise of the recipe in the gradient of 16 sequences:\n\n' "$rate"
    echo "| recipe | steps | loss | length of the gradient | length of the noise | ratio | noise that all seeds share |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    awk -F'|' '$1 == "ratio" { printf "| `%s` | %s | %s | %s | %s | %s | %s |\n", $2, $3, $4, $5, $6, $7, $8 }' "$here/noise.csv"
    printf '\nThe best step along the gradient plus noise, scaled to a ratio: how far the loss falls, as a share of the fall without\nnoise (measured), and r^2 / (1 + r^2), which holds where the curvature is the same in all directions:\n\n'
    echo "| steps | ratio r | measured | predicted |"
    echo "| --- | --- | --- | --- |"
    awk -F'|' '$1 == "share" { printf "| %s | %s | %s | %s |\n", $2, $3, $4, $5 }' "$here/noise.csv"
} >>"$here/body"
table early "$(steps 100) steps, above the threshold:"
table switched "$(steps 400) steps, and with fp32 from step $last on:"
figure switched
finish
