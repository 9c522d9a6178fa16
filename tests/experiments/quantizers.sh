#!/bin/sh
# What casts of operands lose, without training: Panferov et al. 2026, "Quartet II" (arXiv 2601.22813), its table 1 and
# MS-EDEN's expectation; Cook et al. 2025, "Four Over Six" (2512.02010); Chen et al. 2025, "INT v.s. FP" (2510.25602);
# Mishra et al. 2025 (2506.08027). quantizers.py asks the library, and computes expectations. About ten seconds.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/support/python.sh
. "$top/tests/support/python.sh"
find_python 'import numpy' "numpy (Debian, Ubuntu: python3-numpy)"
begin quantizers
seeds=no
BND_THROUGH=$build/tests/tensor/cast_through "$python" "$top/tests/experiments/quantizers.py" errors >"$here/errors.csv" &&
    BND_THROUGH=$build/tests/tensor/cast_through "$python" "$top/tests/experiments/quantizers.py" crest >"$here/crest.csv" &&
    "$python" "$top/tests/experiments/quantizers.py" expectation >"$here/expectation.csv" || exit 1
error_of() { awk -F'|' -v data="$1" -v cast="$2" '$1 == data && $2 == cast { print $3 }' "$here/errors.csv"; }
of() { awk -F'|' -v x="$1" -v d="$2" -v c="$3" -v k="$4" '$1 == x && $2 == d && $3 == c { print $k }' "$here/expectation.csv"; }
below() { awk -v a="$1" -v factor="$2" -v b="$3" 'BEGIN { exit !(a < factor * b) }'; } # below A FACTOR B: A < FACTOR B
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.985 * b && a < 1.015 * b) }'; }  # near A B: within 1.5 %
near_table() { # the paper's table 1
    near "$(error_of normal NVFP4)" 9.0 && near "$(error_of normal 'NVFP4, 4/6')" 7.6 &&
        near "$(error_of normal 'NVFP4 by 16x16')" 12.4 && near "$(error_of normal 'NVFP4 by 16x16, 4/6')" 12.4 &&
        near "$(error_of normal 'NVFP4, SR')" 23.5 && near "$(error_of normal 'NVFP4, SR, 4/6')" 17.5 &&
        near "$(error_of normal MS-EDEN)" 9.4
}
outside() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 3 * b) }'; } # outside BIAS ERROR: more than three standard errors
paper 2601.22813 "MS-EDEN: less than half of stochastic rounding's error, no bias" experiments-blocks.md#what-casts-lose
claim "MS-EDEN's error is less than half of stochastic rounding's" below "$(error_of normal MS-EDEN)" 0.5 "$(error_of normal 'NVFP4, SR')"
claim "the seven errors of table 1, within 1.5 %" near_table
claim "MS-EDEN has no bias (of 16 numbers, over all signs)" [ "$(of outlier 16 with 4)" = 0 ]
claim "MS-EDEN has no bias (of 128 numbers, one of them 20 times larger)" not outside "$(of outlier 128 with 4)" "$(of outlier 128 with 6)"
measured "error $(error_of normal MS-EDEN) against $(error_of normal 'NVFP4, SR') (published 9.4, 23.5); bias $(of outlier 16 with 4) of a transform of 16, \
$(of outlier 128 with 4) of 128 (standard error $(of outlier 128 with 6))"

paper 2512.02010 "casts: Four Over Six lowers NVFP4's error in blocks of 1x16" experiments-blocks.md#what-casts-lose
claim "4/6 lowers NVFP4's error in blocks of 1x16" below "$(error_of normal 'NVFP4, 4/6')" 0.9 "$(error_of normal NVFP4)"
claim "and not in blocks of 16x16" not below "$(error_of normal 'NVFP4 by 16x16, 4/6')" 0.99 "$(error_of normal 'NVFP4 by 16x16')"
measured "1x16: $(error_of normal NVFP4) becomes $(error_of normal 'NVFP4, 4/6') (9.0, 7.6 in 2601.22813); 16x16: $(error_of normal 'NVFP4 by 16x16') stays $(error_of normal 'NVFP4 by 16x16, 4/6')"

paper 2510.25602 "casts: MXINT8 loses less than MXFP8, NVINT4 less than NVFP4 after a Hadamard transform" experiments-blocks.md#what-casts-lose
claim "MXINT8's error is below MXFP8's" below "$(error_of normal MXINT8)" 1 "$(error_of normal MXFP8)"
claim "also of heavy-tailed numbers" below "$(error_of heavy MXINT8)" 1 "$(error_of heavy MXFP8)"
claim "NVINT4's error of heavy-tailed numbers is above NVFP4's" below "$(error_of heavy NVFP4)" 1 "$(error_of heavy NVINT4)"
claim "and below it after a Hadamard transform" below "$(error_of heavy 'NVINT4, Hadamard')" 1 "$(error_of heavy NVFP4)"
measured "MXINT8 $(error_of normal MXINT8), MXFP8 $(error_of normal MXFP8); heavy tails: NVFP4 $(error_of heavy NVFP4), NVINT4 $(error_of heavy NVINT4), \
transformed $(error_of heavy 'NVINT4, Hadamard')"

# crossing PAIR REST: the crest factor from which on integers lose more; nothing if that is not reached.
crossing() { awk -F'|' -v pair="$1" -v rest="$2" '$1 == "cross" && $2 == pair && $3 == rest { print $4 }' "$here/crest.csv"; }
within() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.9 * b && a < 1.1 * b) }'; } # within A B: within 10 %
paper 2510.25602 "integers win below a crest factor: 7.55 (8 bits), 2.39 (NV, 4 bits), 2.04 (MX, 4 bits)" experiments-blocks.md#crest-factors
claim "MXINT8 loses less than MXFP8 at every crest factor that a block of 32 can have" [ -z "$(crossing 'MXINT8, MXFP8' normal)" ]
claim "blocks of 256 in 8 bits cross within 10 % of 7.55" within "$(crossing 'INT8, E4M3 by 256' normal)" 7.55
claim "NVINT4 and NVFP4 cross within 10 % of 2.39" within "$(crossing 'NVINT4, NVFP4' normal)" 2.39
claim "MXINT4 and MXFP4 cross within 10 % of 2.04" within "$(crossing 'MXINT4, MXFP4' normal)" 2.04
measured "crossings: $(crossing 'INT8, E4M3 by 256' normal) (blocks of 256; none in blocks of 32), $(crossing 'NVINT4, NVFP4' normal), $(crossing 'MXINT4, MXFP4' normal)"

paper 2506.08027 "casts: MXFP8 with scales rounded down loses more" experiments-blocks.md#what-casts-lose
claim "MXFP8 with scales rounded down has a larger error than rounded up" below "$(error_of normal MXFP8)" 1 "$(error_of normal 'MXFP8, floor')"
measured "up $(error_of normal MXFP8), down $(error_of normal 'MXFP8, floor'); heavy tails $(error_of heavy MXFP8), $(error_of heavy 'MXFP8, floor')"
expect "along x the expectation of MS-EDEN is x, exactly, for all of these numbers" \
    awk -F'|' '$3 == "with" && ($5 > 1e-9 || $5 < -1e-9) { bad = 1 } END { exit bad }' "$here/expectation.csv"
expect "without the correction it is shorter by 0.4 % to 1.2 %" \
    awk -F'|' '$3 == "without" && ($5 > -0.004 || $5 < -0.012) { bad = 1 } END { exit bad }' "$here/expectation.csv"
expect "UE5M3 scales without a scale of the tensor lose what NVFP4 loses" near "$(error_of normal 'NVFP4, scales in UE5M3')" "$(error_of normal NVFP4)"
{
    printf '\n2^20 numbers, drawn from N(0, 1) and from t with 3 degrees of freedom: 1000 times the mean squared error, relative to\nthe mean square.\n\n'
    echo "| cast | N(0, 1) | heavy tails |"
    echo "| --- | --- | --- |"
    awk -F'|' '$1 == "normal" { order[n++] = $2; a[$2] = $3 } $1 == "heavy" { b[$2] = $3 }
        END { for (i = 0; i < n; i++) printf "| %s | %s | %s |\n", order[i], a[order[i]], b[order[i]] }' "$here/errors.csv"
    printf '\nBlocks of one crest factor (the largest element / the root mean square): mean square / mean squared error in dB.\n\n'
    echo "| elements | rest of a block | crest factor | integers | floating point |"
    echo "| --- | --- | --- | --- | --- |"
    awk -F'|' '$1 != "cross" { printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$here/crest.csv"
    printf '\nThe two of NV, 4 bits, drawn (normal rest; i: NVINT4, f: NVFP4; one column is 0.1 dB from 17.5 on):\n\n```text\n'
    awk -F'|' '$1 == "NVINT4, NVFP4" && $2 == "normal" {
        a = int(($4 - 17.5) * 10 + 0.5); b = int(($5 - 17.5) * 10 + 0.5); line = ""
        for (i = 0; i <= a || i <= b; i++) line = line (i == a ? "i" : i == b ? "f" : " ")
        printf "%5s │%s\n", $3, line }' "$here/crest.csv"
    printf '```\n'
    printf '\nThe expectation of MS-EDEN over the signs of its transform and the random bits of its scales: of 16 numbers over all\n65,536 signs, of 64 and 128 over 65,536 drawn ones.\n\n'
    echo "| numbers | dimension | correction | bias / length | along x | standard error |"
    echo "| --- | --- | --- | --- | --- | --- |"
    awk -F'|' '{ printf "| %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 }' "$here/expectation.csv"
} >>"$here/body"
finish
