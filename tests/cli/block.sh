#!/bin/sh
# `binade block` against the arrays of the library: the same fp32 numbers, once as operands of the command, which computes
# element by element from exact quotients, and once through `binade cast --via`, which uses the library's loops. Every
# dequantized value must have the same bits. NVFP4's tensor scale is that of the block here and there.
# shellcheck disable=SC1091,SC2154  # build is of checks.sh
. "$(dirname "$0")/checks.sh"

# shellcheck disable=SC2086  # BND_RUNNER may have arguments
binade() { ${BND_RUNNER-} "$program" "$@"; }

# numbers KIND COUNT SEED: fp32 codes, eight hexadecimal digits each. all: any bits; near: exponents 120 to 134; tiny:
# the lowest 24 exponents, subnormal ones too; huge: the highest ones; zeros: nothing but both zeros.
numbers() {
    awk -v kind="$1" -v count="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < count; i++) {
            sign = int(rand() * 2); fraction = int(rand() * 8388608)
            if (rand() < 0.2) fraction = int(rand() * 16) * 524288
            if (kind == "all") exponent = int(rand() * 256)
            if (kind == "near") exponent = 120 + int(rand() * 15)
            if (kind == "tiny") exponent = int(rand() * 24)
            if (kind == "huge") exponent = 240 + int(rand() * 15)
            if (kind == "zeros") exponent = fraction = 0
            printf "%08x\n", sign * 2147483648 + exponent * 8388608 + fraction
        }
    }'
}

# Little-endian bytes of codes.
bytes_of() {
    sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/' "$1" | awk '
        BEGIN { d = "0123456789abcdef" }
        { for (i = 1; i < 8; i += 2) printf "\\%03o", (index(d, substr($0, i, 1)) - 1) * 16 + index(d, substr($0, i + 1, 1)) - 1 }'
}

# A NaN is a NaN: its bits are not in the text.
without_nans() { sed 's/0x7fc00000/nan/; s/0xffc00000/nan/; s/0x[7f]f[89a-f]...../nan/'; }

compare() { # FORMAT COUNT KIND SEED [OPTION...]
    format=$1 kind=$3 seed=$4
    numbers "$kind" "$2" "$seed" >codes
    shift 4
    # shellcheck disable=SC2059  # the format is the data
    printf "$(bytes_of codes)" >x.f32
    binade cast --from fp32 --via "$format" "$@" x.f32 y.f32
    od -An -v -tx4 -w4 y.f32 | sed 's/^ */0x/' | without_nans >want
    sed 's/^/fp32:0x/' codes | binade block "$format" - "$@" --csv | tail -n +2 | cut -d, -f9 |
        binade show - -f fp32 --csv | tail -n +2 | cut -d, -f3 | without_nans >got
    check "binade block $format $* gives what cast --via gives (numbers: $kind, seed $seed)" cmp want got
}

seed=1
for format in mxfp8:floor mxfp8:ceil mxfp8:even mxfp8:rceil mxfp8:ct mxfp8-e5m2:floor mxfp8-e5m2:rceil mxfp6-e2m3:ct \
    mxfp6-e3m2:even mxfp4:floor mxfp4:ceil mxfp4:even mxfp4:rceil mxfp4:ct mxint8:rceil mxint8:ct nvfp4:nearest \
    nvfp4-subnormal:nearest e4m3/row:nearest e4m3/row:ct e3m4/mx:floor e2m1/tensor:nearest \
    nvfp4:4/6 nvfp4:mse mxfp4:mse e4m3/row:mse int8/row:nearest int4/row:mse e4m3/row:bf16:nearest; do
    for kind in near all tiny huge zeros; do
        compare $format 16 $kind $seed
        seed=$((seed + 1))
    done
done
for mode in rna rtz rup rdn rto sr:4 sr-equal; do # elements only: scales are found alike
    compare mxfp8:floor 32 near $seed -r $mode --seed 7
    compare nvfp4:nearest 16 near $seed -r $mode --seed 7
    seed=$((seed + 1))
done
conclude
