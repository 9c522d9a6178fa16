#!/bin/sh
# Lee et al. 2024, "To FP8 and Back Again" (arXiv 2405.18710): over seeds and learning rates FP8 is less robust than bf16,
# and the fewer bits, the less stable is training; Wortsman et al. 2023 (arXiv 2309.14322): what a wrong learning rate
# costs.
. "$(dirname "$0")/lib.sh"
begin failing
model="--model transformer --width 32 --depth 2 --batch 8 --source chain --steps $(steps 150)"
grid="--recipe fp32,bf16-amp,fp8-current,mxfp8,fp8-unscaled,fp8-e4m3-unscaled,mxfp4 --lr 1e-3..1e-1:5 --seeds $seeds"
# shellcheck disable=SC2086  # options are words
"$binade" sweep $model $grid --statistics none --out "$here/grid" --csv >"$here/grid.csv" &&
    "$binade" sweep $model $grid --statistics none --out "$here/grid" >"$here/grid.txt" || exit 1
failing() {
    awk -F, -v recipe="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "failed") at = i }
        $1 == recipe { n += $at } END { print n + 0; exit !at }' "$here/grid.csv" || exit 1
}
# sensitivity RECIPE: the mean over the rates of the loss (chance level, where a run failed), minus that of the best rate.
sensitivity() {
    awk -F, -v recipe="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "capped_loss") at = i }
        $1 == recipe { sum += $at; if (n++ == 0 || $at < best) best = $at }
        END { printf "%.4f\n", sum / n - best; exit !at }' "$here/grid.csv" || exit 1
}
paper 2405.18710 "FP8 is less robust than bf16 over seeds and learning rates; fewer bits, more failing runs" failing-runs
claim "FP8 with scales fails more often than bf16" above "$(failing fp8-current)" "$(failing bf16-amp)"
claim "and is more sensitive to the learning rate" above "$(sensitivity fp8-current)" "$(sensitivity bf16-amp)"
claim "MXFP8 fails more often than bf16" above "$(failing mxfp8)" "$(failing bf16-amp)"
claim "MXFP4 fails more often than MXFP8" above "$(failing mxfp4)" "$(failing mxfp8)"
measured "failed of 15: bf16 $(failing bf16-amp), FP8 with scales $(failing fp8-current), MXFP8 $(failing mxfp8), MXFP4 $(failing mxfp4); \
sensitivity: bf16 $(sensitivity bf16-amp), FP8 $(sensitivity fp8-current)"
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
{
    printf '\nWhat a wrong rate costs (arXiv 2309.14322): the mean loss over the rates, minus that at the best:\n\n'
    echo "| recipe | sensitivity |"
    echo "| --- | --- |"
    for recipe in fp32 bf16-amp fp8-current mxfp8 fp8-unscaled fp8-e4m3-unscaled mxfp4; do
        echo "| \`$recipe\` | $(sensitivity $recipe) |"
    done
} >>"$here/body"
write "Five rates from 1e-3 to 1e-1, $seeds seeds: 15 runs a recipe; the means of each:"
{
    printf '\n```text\n'
    sed '/^loss  /,$d' "$here/grid.txt"
    printf '```\n'
} >>"$here/body"
finish
