#!/bin/sh
# FP8 without scales, with 4096 tokens per step (Micikevicius et al. 2022, arXiv 2209.05433): see fp8.sh.
. "$(dirname "$0")/lib.sh"
begin fp8large

# The gradient of a mean falls with the tokens that it is taken over: what E5M2 keeps of 256
# tokens it loses of 4096.
large="--model transformer --source chain --width 32 --depth 1 --batch 128 --steps $(steps 80)"
# shellcheck disable=SC2086
rate=$(best_rate large 1e-3,3.16e-3,1e-2 $large) || exit 1
# shellcheck disable=SC2086
runs tokens $large --lr "$rate" --recipe fp32,fp8-unscaled,fp8-current
paper 2209.05433 "HYBRID FP8 needs scales (4096 tokens per step)" fp8-scales
claim "HYBRID without scales learns badly at 4096 tokens per step" not verdict tokens fp8-unscaled "no difference"
claim "with scales it matches" verdict tokens fp8-current "no difference"
measured "unscaled $(gap_of tokens fp8-unscaled), scaled $(gap_of tokens fp8-current); $(short "$(value tokens fp8-unscaled underflowed_percent)") % underflow"
expect "4096 tokens per step: HYBRID without scales is worse or fails" not verdict tokens fp8-unscaled "no difference"
expect "4096 tokens per step: HYBRID without scales ends above HYBRID with scales" worse tokens fp8-unscaled fp8-current
expect "4096 tokens per step: with scales it is not worse" not verdict tokens fp8-current worse
table tokens "4096 tokens per step, one block (AdamW at $rate, the best of fp32's sweep):"
figure tokens
finish
