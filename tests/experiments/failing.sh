#!/bin/sh
# Lee et al. 2024, "To FP8 and Back Again" (arXiv 2405.18710): over seeds and learning rates, a larger share of runs
# fails the fewer bits there are; Wortsman et al. 2023 (arXiv 2309.14322): what a wrong learning rate costs.
. "$(dirname "$0")/lib.sh"
begin failing
model="--model transformer --width 32 --depth 2 --batch 8 --source chain --steps $(steps 150)"
grid="--recipe fp32,bf16-amp,fp8-current,mxfp8,fp8-unscaled,fp8-e4m3-unscaled,mxfp4 --lr 1e-3..1e-1:5 --seeds $seeds"
# shellcheck disable=SC2086  # options are words
"$binade" sweep $model $grid --statistics none --out "$here/grid" --csv >"$here/grid.csv" &&
    "$binade" sweep $model $grid --statistics none --out "$here/grid" >"$here/grid.txt" || exit 1
failing() { awk -F, -v recipe="$1" '$1 == recipe { n += $6 } END { print n + 0 }' "$here/grid.csv"; }
sensitivity() {
    awk -v recipe="$1" '/lr sensitivity/ { on = 1 } on && $1 == recipe { print $NF; exit }' "$here/grid.txt"
}
claim "fewer bits, more runs that fail: MXFP4 against fp32" above "$(failing mxfp4)" "$(failing fp32)"
claim "FP8 without scales is more sensitive to the learning rate than with" above "$(sensitivity fp8-unscaled)" "$(sensitivity fp8-current)"
expect "MXFP4 fails more often than fp32" above "$(failing mxfp4)" "$(failing fp32)"
expect "E4M3 without scales fails at least as often as with" \
    not above "$(failing fp8-current)" "$(failing fp8-e4m3-unscaled)"
expect "what has enough bits never fails: neither bf16 nor scaled FP8 nor MXFP8" \
    [ "$(failing bf16-amp)$(failing fp8-current)$(failing mxfp8)" = 000 ]
expect "scaled FP8 is more sensitive to the rate than fp32" above "$(sensitivity fp8-current)" "$(sensitivity fp32)"
expect "and FP8 without scales more than with" above "$(sensitivity fp8-unscaled)" "$(sensitivity fp8-current)"
expect "sensitivity says nothing of what learns at no rate: E4M3 without scales has less of it than fp32" \
    above "$(sensitivity fp32)" "$(sensitivity fp8-e4m3-unscaled)"
expect "bf16 is as sensitive to the rate as fp32, within a tenth" \
    above "$(awk -v x="$(sensitivity fp32)" 'BEGIN { print 1.1 * x }')" "$(sensitivity bf16-amp)"
write "Five rates from 1e-3 to 1e-1, $seeds seeds: 15 runs a recipe; the means of each, and what a wrong rate costs:"
{
    printf '\n```text\n'
    sed '/^loss  /,$d' "$here/grid.txt"
    printf '```\n'
} >>"$here/body"
finish
