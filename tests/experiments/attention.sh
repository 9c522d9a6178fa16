#!/bin/sh
# The task itself: does it see what the products of attention are damaged by? The default text (copy) and real text do,
# a Markov chain does not.
. "$(dirname "$0")/lib.sh"
begin attention
model="$language_model --steps $(steps 250)"
# shellcheck disable=SC2086  # options are words
rate=$(best_rate lm250 1e-3,3.16e-3,1e-2 $model) || exit 1
# shellcheck disable=SC2086
runs copy $model --lr "$rate" --recipe fp32 --recipe matmul=e4m3 --recipe matmul=e3m0 --recipe matmul=e2m1
# shellcheck disable=SC2086
runs chain $model --lr "$rate" --source chain --recipe fp32 --recipe matmul=e4m3 --recipe matmul=e3m0 --recipe matmul=e2m1
expect "copies: attention in E2M1 is worse" verdict copy matmul=e2m1 worse
expect "copies: attention in E3M0 is worse" verdict copy matmul=e3m0 worse
expect "a chain: attention in E2M1 is not worse" not verdict chain matmul=e2m1 worse
table copy "Text that copies, products of attention in narrow formats (AdamW at $rate, the best of fp32's sweep):"
figure copy
table chain "The same on a Markov chain, \`--source chain\`:"
finish
