#!/bin/sh
# Su et al. 2025, "Characterization and Mitigation of Training Instabilities in Microscaling Formats" (arXiv 2506.20752): a
# residual perceptron behind layer norms diverges in MXFP8, because the gains of a norm lie close together below a power of
# two, are clamped to one number, and the gradient is wrong from there on; another recipe in the middle of the run cures it.
. "$(dirname "$0")/lib.sh"
begin student
student="--model student --width 64 --depth 2 --batch 32"

# clamped PART RECIPE: of the first 100 steps of the first pair of seeds, those in which every gain is clamped.
clamped() {
    awk '{ if (NR <= 100 && match($0, /"norm\.w\/overflows%": [0-9.]+/) &&
               substr($0, RSTART + 21, RLENGTH - 21) + 0 >= 99.9) n++ }
        END { print n + 0 }' "$here/$1/$2-0/metrics.jsonl"
}

# same_loss PART A B; nearer PART X FROM TO: X's loss lies between the two, or beyond TO.
same_loss() { [ "$(loss_of "$1" "$2")" = "$(loss_of "$1" "$3")" ]; }
nearer() {
    awk -v x="$(loss_of "$1" "$2")" -v from="$(loss_of "$1" "$3")" -v to="$(loss_of "$1" "$4")" \
        'BEGIN { exit !((x - from) * (to - from) > 0) }'
}

# At a low rate: gains stay close to the 1 that they begin with, and all of a block fall below it.
# shellcheck disable=SC2086  # options are words
runs low $student --lr 1e-3 --steps "$(steps 200)" --recipe fp32,mxfp8-floor,mxfp8-norms \
    --switch "mxfp8-floor@$(steps 100)"
paper 2506.20752 "norm weights clamped in MXFP8 make training diverge; another recipe in mid-run cures it" clamped-norm-weights
claim "norm weights are clamped in MXFP8" above "$(clamped low mxfp8-norms)" 80
claim "training diverges for it" verdict low mxfp8-norms failed
expect "nearly all gains of norms are clamped to one number, as they were in the paper" \
    above "$(clamped low mxfp8-norms)" 80
expect "it does not diverge for that, at this size" not verdict low mxfp8-norms failed
expect "clamping moves the loss" not same_loss low mxfp8-norms mxfp8-floor
expect "after the switch to a recipe that does not cast gains the loss goes towards that recipe's" \
    nearer low "mxfp8-norms>mxfp8-floor@$(steps 100)" mxfp8-norms mxfp8-floor
table low "AdamW at 1e-3; \`mxfp8-norms\` is \`mxfp8-floor\` with the gains of norms in MXFP8:"
figure low

# At the best rate, and ten times that.
# shellcheck disable=SC2086
rate=$(best_rate student 1e-3,3.16e-3,1e-2,3.16e-2 $student --steps "$(steps 500)") || exit 1
# shellcheck disable=SC2086
runs best $student --lr "$rate" --steps "$(steps 500)" --recipe fp32,mxfp8-floor,mxfp8-norms \
    --switch "bf16-amp@$(steps 350)"
expect "at the best rate it does not diverge, either" not verdict best mxfp8-norms failed
table best "AdamW at $rate, the best of fp32's sweep:"

# Gains alone, in numbers of which clamping takes more: what the autopsy calls "norm.w clamped".
# shellcheck disable=SC2086
runs gains --model student --width 32 --depth 2 --batch 32 --lr 1e-2 --steps "$(steps 400)" --recipe fp32 \
    --recipe norm.w=e4m3/mx:floor --recipe norm.w=e2m1/mx:floor --switch "fp32@$(steps 250)"
claim "another recipe in mid-run cures a run that is worse for clamped norm weights" worse gains norm.w=e2m1/mx:floor "norm.w=e2m1/mx:floor>fp32@$(steps 250)"
measured "every norm weight is clamped in $(clamped low mxfp8-norms) of 100 steps, $(gap_of low mxfp8-norms); norms in MXFP4 $(gap_of gains norm.w=e2m1/mx:floor), switched $(gap_of gains "norm.w=e2m1/mx:floor>fp32@$(steps 250)")"
expect "clamped to MXFP4, gains alone are enough for a worse run" verdict gains norm.w=e2m1/mx:floor worse
expect "the same run is better where they are not cast from the middle on" \
    worse gains norm.w=e2m1/mx:floor "norm.w=e2m1/mx:floor>fp32@$(steps 250)"
table gains "Gains of norms alone, width 32, AdamW at 1e-2:"
finish
