#!/bin/sh
# Micikevicius et al. 2018, "Mixed Precision Training" (arXiv 1710.03740): gradients of activations underflow in fp16,
# and multiplying the loss rescues them; weights need an fp32 master, because small updates vanish beside fp16 weights.
. "$(dirname "$0")/lib.sh"
begin micikevicius
model="$chain_model --steps $(steps 200)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm200 1e-3,3.16e-3,1e-2 $model) || exit 1

scales() { # scales PART SETTINGS EXPONENT...: runs with the loss multiplied by 2^EXPONENT
    part=$1
    settings=$2
    shift 2
    recipes=
    for exponent; do
        recipes="$recipes --recipe $settings,loss_scale=$(scale_of "$exponent")"
    done
    # shellcheck disable=SC2086
    runs "$part" $model --lr "$rate" $recipes --recipe fp16-amp-noscale,fp16-amp
}
scale_of() { awk -v e="$1" 'BEGIN { printf "%d", 2 ^ e }'; }
flushed() { value "$1" "$2,loss_scale=$(scale_of "$3")" underflowed_percent; }
scales fp16 base=fp16-amp-noscale 0 4 8 12 16 24
paper 1710.03740 "fp16 needs a loss scale and a master copy" fp16-loss-scale-and-master-weights
claim "gradients underflow in fp16, and the loss suffers" not verdict fp16 fp16-amp-noscale "no difference"
claim "a loss scale reduces what underflows" above "$(flushed fp16 base=fp16-amp-noscale 0)" "$(flushed fp16 base=fp16-amp-noscale 8)"
claim "with a dynamic loss scale fp16 matches fp32" verdict fp16 fp16-amp "no difference"
expect "fp16: less underflows with a scale of 2^8 than without" \
    above "$(flushed fp16 base=fp16-amp-noscale 0)" "$(flushed fp16 base=fp16-amp-noscale 8)"
expect "fp16: a dynamic scale matches" verdict fp16 fp16-amp "no difference"
expect "at this size too little underflows to matter: fp16 matches without a scale, too (the paper's nets do not)" \
    verdict fp16 fp16-amp-noscale "no difference"
table fp16 "Loss scales 2^0 to 2^24 in fp16 (AdamW at $rate, the best of fp32's sweep):"

# Gradients of a small model are not small enough for fp16. In e4m3, whose range ends at 2^-9, they are.
small=gemm_dgrad.dy=e4m3,gemm_wgrad.dy=e4m3
scales e4m3 $small 0 4 8 12
expect "gradients in E4M3: without a scale they do not match" not verdict e4m3 $small,loss_scale=1 "no difference"
expect "E4M3: a scale of 2^8 makes what underflows less" above "$(flushed e4m3 $small 0)" "$(flushed e4m3 $small 8)"
expect "E4M3: and the loss lower" worse e4m3 $small,loss_scale=1 $small,loss_scale=256
table e4m3 "The same in a narrower range: everything in fp32 but the gradients that GEMMs take, in E4M3:"

# A low rate: updates of 1e-4 beside weights of 0.02 to 1.
low=$(awk -v rate="$rate" 'BEGIN { printf "%.3g", rate / 100 }')
# shellcheck disable=SC2086
runs master $model --lr "$low" --recipe fp32,fp16-amp --recipe base=fp16-amp,param=fp16
claim "fp16 weights without a master lose updates" above "$(value master base=fp16-amp,param=fp16 lost_updates_percent)" 10
claim "and the loss suffers" not verdict master base=fp16-amp,param=fp16 "no difference"
measured "underflow $(short "$(flushed fp16 base=fp16-amp-noscale 0)") % without a scale, $(short "$(flushed fp16 base=fp16-amp-noscale 8)") % with 256; fp16 weights lose \
$(short "$(value master base=fp16-amp,param=fp16 lost_updates_percent)") % of updates; gap without a scale $(gap_of fp16 fp16-amp-noscale)"
expect "fp16 weights without a master: updates are lost" \
    above "$(value master base=fp16-amp,param=fp16 lost_updates_percent)" 10
expect "the loss of so short a run does not show it: it matches (the paper's does not)" \
    verdict master base=fp16-amp,param=fp16 "no difference"
expect "with fp32 weights none to speak of is" above 1 "$(value master fp16-amp lost_updates_percent)"
table master "Weights in fp16 (AdamW at $low, a hundredth of the best rate):"
figure master
finish
