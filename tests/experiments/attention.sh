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

# English, by bytes: licenses that Debian has on every machine.
licenses=/usr/share/common-licenses
(cd $licenses && cat GPL-2 GPL-3 LGPL-2.1 GFDL-1.3 Apache-2.0 MPL-2.0) >"$here/licenses.txt" || {
    echo "$name: needs the licenses in $licenses, as Debian has them" >&2
    exit 1
}
runs english --model transformer --width 64 --depth 2 --context 32 --batch 16 --statistics none --lr 0.003 \
    --steps "$(steps 1000)" --data "$here/licenses.txt" --recipe fp32,bf16-amp,fp8-current,mxfp4 --recipe matmul=e2m1
expect "English: attention in E2M1 is worse" verdict english matmul=e2m1 worse
expect "English: bf16 mixed precision is not worse" not verdict english bf16-amp worse

table copy "Text that copies, products of attention in narrow formats (AdamW at $rate, the best of fp32's sweep):"
figure copy
table chain "The same on a Markov chain, \`--source chain\`:"
table english "English: $(wc -c <"$here/licenses.txt" | tr -d ' ') bytes of licenses (GPL-2, GPL-3, LGPL-2.1, GFDL-1.3, Apache-2.0, MPL-2.0; cksum $(cksum <"$here/licenses.txt" | cut -d' ' -f1)), width 64, context 32, $(steps 1000) steps, AdamW at 0.003; the margin is relative to a fifth of the loss, since the irreducible loss is unknown:"
finish
