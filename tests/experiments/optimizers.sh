#!/bin/sh
# Optimizers of 2024 to 2026 in narrow formats: Muon's Newton-Schulz steps in bf16 (Jordan et al. 2024); its states in 8
# bits (Gupta et al. 2025, arXiv 2509.23106); ECO and the learning rate (Nikdan et al. 2026, 2601.22101); averages that
# stall, and resets (Topollai and Choromanska 2026, 2603.16731); Adam-mini (Zhang et al. 2024, 2406.16793). optimizers.py
# makes single steps by the library, and computes singular values and formulas. About two minutes.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/support/python.sh
. "$top/tests/support/python.sh"
find_python 'import numpy' "numpy (Debian, Ubuntu: python3-numpy)"
begin optimizers
judge() {
    PYTHONPATH=$top/tools/python BINADE_LIBRARY=$build/.libs "$python" "$top/tests/experiments/optimizers.py" "$@"
}
field() { awk -F'|' -v a="$2" -v b="$3" -v k="$4" '$1 == a && $2 == b { print $k }' "$here/$1"; } # field FILE A B NUMBER
within() { awk -v a="$1" -v b="$2" -v far="$3" 'BEGIN { exit !(a - b <= far && b - a <= far) }'; } # within A B FAR
rows_of() { # rows_of FILE HEAD...: a file of fields as a table
    file=$1
    shift
    { printf '\n%s\n\n' "$1"; echo "$2"; echo "$2" | sed 's/[^|]\{1,\}/ --- /g'; sed 's/|/ | /g; s/^/| /; s/$/ |/' "$here/$file"; } >>"$here/body"
}

# ---- singular values ----
"$binade" train --model transformer --optimizer muon --recipe fp32 --steps 100 --seeds 1 --checkpoint 100 --plot none \
    --out "$here/momenta" --resume >/dev/null && judge singular "$here/momenta" >"$here/singular.txt" || exit 1
compared() { field singular.txt momenta bf16 7; }
all_near() { [ "$(field singular.txt "$1" "$2" 5)" = 1.0000 ]; }
range() { echo "$(field singular.txt "$1" "$2" 3) to $(field singular.txt "$1" "$2" 4)"; } # range MATRICES FORMAT
paper "Jordan et al. 2024 https://kellerjordan.github.io/posts/muon/" "Muon's Newton-Schulz steps run in bf16" \
    experiments-optimizers.md#newton-schulz-in-narrow-formats
claim "Muon: in bf16 five Newton-Schulz steps bring the singular values of normal matrices to 0.65 .. 1.25" all_near normal bf16
claim "and those of momenta of real gradients" all_near momenta bf16
measured "singular values of momenta ($(compared), those that fp64 brings to 0.65): $(range momenta bf16); in fp64 $(range momenta fp64)"
expect "fp16 does, too" all_near normal fp16
expect "E4M3 with a scale per tensor does not" not all_near normal e4m3/current
expect "E5M2 with a scale per tensor does not, and its values grow above 10" above "$(field singular.txt normal e5m2/current 4)" 10
rows_of singular.txt "Singular values after five Newton-Schulz steps, operands in the format (8 normal 64 x 192 matrices; the momenta of a
transformer's hidden matrices after 100 steps):" "| matrices | ns | least | most | within 0.65 .. 1.25 | error of the direction | values compared |"

# ---- states in 8 bits ----
model="--model transformer --steps $(steps 300) --statistics none"
dynamic=m=fp32/dynamic:256,v=fp32/udynamic:256
linear=m=fp32/linear:256,v=fp32/ulinear:256
# shellcheck disable=SC2086  # options are words
runs muon8 $model --optimizer muon --recipe 'fp32;m=fp32/dynamic:256;m=fp32/linear:256'
# shellcheck disable=SC2086
runs adamw8 $model --optimizer adamw --recipe "fp32;$dynamic;m=fp32/linear:256;$linear;v=e5m2/tensor;v=e5m2/tensor,reset=v:50"
paper 2509.23106 "linear 8-bit states suffice for Muon, and do not for AdamW" experiments-optimizers.md#states-in-8-bits
claim "Muon with m in 8 linear bits matches" verdict muon8 m=fp32/linear:256 "no difference"
claim "so does Muon with m in 8 dynamic bits" verdict muon8 m=fp32/dynamic:256 "no difference"
claim "so does AdamW with both moments in 8 dynamic bits" verdict adamw8 "$dynamic" "no difference"
claim "AdamW with both in 8 linear bits ends worse" verdict adamw8 "$linear" worse
expect "its mean gap is above 0.1" above "$(value adamw8 "$linear" gap)" 0.1
measured "linear states: Muon $(gap_of muon8 m=fp32/linear:256), AdamW $(gap_of adamw8 "$linear"); dynamic: $(gap_of muon8 m=fp32/dynamic:256), $(gap_of adamw8 "$dynamic")"
table muon8 "Muon, the default transformer, states of large matrices in 8 bits:"
table adamw8 "AdamW, the same transformer; and v in E5M2, with and without resets:"

# ---- ECO ----
for lr in 0.002 0.006 0.02 0.06 0.2; do # the distance from the start bounds the first
    runs "eco-$lr" --model quadratic --width 16 --optimizer momentum --lr $lr --steps $(steps 4000) --statistics none \
        --recipe 'fp32;param=bf16;param=bf16:sr;param=bf16,update=eco;param=bf16:sr,update=eco'
    for recipe in param=bf16 param=bf16:sr param=bf16,update=eco param=bf16:sr,update=eco; do
        echo "$recipe|$lr|$(value "eco-$lr" "$recipe" final_loss)"
    done
done >"$here/eco.txt"
slope() { # of the logarithm of the distance, the root of the loss, by that of the rate, from 0.006 on
    awk -F'|' -v r="$1" '$1 == r && $2 > 0.003 { x = log($2); y = log($3) / 2; n++; sx += x; sy += y; sxx += x * x; sxy += x * y }
        END { printf "%.2f", (n * sxy - sx * sy) / (n * sxx - sx * sx) }' "$here/eco.txt"
}
paper 2601.22101 "without master weights the error goes as 1/lr; ECO's does not" experiments-optimizers.md#eco-and-the-learning-rate
claim "without a master, the distance to the optimum goes as 1/lr: weights rounded to nearest" within "$(slope param=bf16)" -1 0.1
claim "also of weights that are rounded stochastically" within "$(slope param=bf16:sr)" -1 0.1
claim "ECO's does not depend on the rate, to nearest" within "$(slope param=bf16,update=eco)" 0 0.2
claim "nor stochastically" within "$(slope param=bf16:sr,update=eco)" 0 0.2
measured "slopes of log distance by log rate: $(slope param=bf16) (to nearest), $(slope param=bf16:sr) (stochastic); ECO $(slope param=bf16,update=eco), $(slope param=bf16:sr,update=eco)"
write "A quadratic in 16 bf16 weights, gradient descent with momentum; the slope of log distance by log rate:"
{
    printf '\n| recipe | loss at 0.002 | 0.006 | 0.02 | 0.06 | 0.2 | slope from 0.006 on |\n| --- | --- | --- | --- | --- | --- | --- |\n'
    for recipe in param=bf16 param=bf16:sr param=bf16,update=eco param=bf16:sr,update=eco; do
        awk -F'|' -v r="$recipe" '$1 == r { row = row sprintf(" | %.3g", $3) } END { printf "| `%s`%s", r, row }' "$here/eco.txt"
        echo " | $(slope "$recipe") |"
    done
} >>"$here/body"

# ---- averages that stall ----
judge stalls >"$here/stalls.txt" && judge bias >"$here/bias.txt" || exit 1
follow() { # every share within four standard errors of the formula
    awk -F'|' -v f="$1" '$1 == f && ($3 - $4 > 4 * $5 + 5e-5 || $4 - $3 > 4 * $5 + 5e-5) { bad = 1 } END { exit bad }' "$here/stalls.txt"
}
paper 2603.16731 "low-precision averages stall as a model predicts; resets help" experiments-optimizers.md#averages-that-stall
claim "the share of second moments in bf16 that stall in a step is the formula's" follow bf16
claim "also in E5M2" follow e5m2
claim "stalling builds up after the start (bf16: from step 10 to 2000)" above "$(field stalls.txt bf16 2000 3)" "$(field stalls.txt bf16 10 3)"
claim "a reset makes fewer of them stall (bf16, step 2000)" above "$(field stalls.txt bf16 2000 3)" "$(field stalls.txt bf16 2000 6)"
rows_of stalls.txt "Second moments (beta2 = 0.999) that an update leaves where they are, of 32,768 with normal gradients:" \
    "| v | step | measured | by the formula | standard error | with \`reset=v:500\` |"
rows_of bias.txt "The median of v over what it should be, after 4000 steps:" "| v | no reset | \`reset=v:500\` |"
expect "v in bf16 ends more than 30 % too large, with resets within 5 %" awk -F'|' \
    '$1 == "bf16" && $2 > 1.3 && $3 > 0.95 && $3 < 1.05 { good = 1 } END { exit !good }' "$here/bias.txt"
claim "resets lower the loss of a transformer with v in E5M2 (a scale per tensor)" worse adamw8 v=e5m2/tensor v=e5m2/tensor,reset=v:50
share() { awk -v x="$1" 'BEGIN { printf "%.1f %%", 100 * x }'; }
measured "stalled in bf16 at step 2000: $(share "$(field stalls.txt bf16 2000 3)"), predicted $(share "$(field stalls.txt bf16 2000 4)"), with resets $(share "$(field stalls.txt bf16 2000 6)"); \
loss with v in E5M2 $(gap_of adamw8 v=e5m2/tensor), with resets $(gap_of adamw8 v=e5m2/tensor,reset=v:50)"

# ---- Adam-mini ----
# shellcheck disable=SC2086
runs mini $model --optimizer adam-mini --recipe fp32
four() { printf '%.4f' "$(loss_of "$1" fp32)"; }
# Two optimizers are two settings, which compare does not subtract: the pairs of seeds are subtracted here.
loss_of_run() { "$binade" compare "$1" --csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "final_loss") at = i } END { print $at }'; }
for seed in 0 1 2; do
    echo "$(loss_of_run "$here/mini/fp32-$seed") $(loss_of_run "$here/adamw8/fp32-$seed")"
done | awk 'NF == 2 { d = $1 - $2; sum += d; squares += d * d; n++ }
    END { t = 4.3027 # of Student, two degrees of freedom, 95 %
          printf "%.6g|%.6g\n", sum / n, t * sqrt((squares - sum * sum / n) / (n - 1) / n); exit n != 3 }' >"$here/mini-adamw.txt" || exit 1
mini_matches() { # the verdict "no difference", by the tolerance of AdamW's table
    awk -F'|' -v t="$(value adamw8 "$dynamic" tolerance)" '{ exit !($1 + $2 < t && $1 - $2 > -t) }' "$here/mini-adamw.txt"
}
paper 2406.16793 "Adam-mini matches AdamW with hardly a second moment" experiments-optimizers.md#adam-mini
claim "Adam-mini matches AdamW" mini_matches
measured "loss $(four mini), AdamW's $(four adamw8); Adam-mini minus AdamW $(awk -F'|' '{ printf "%+.2g ± %.2g", $1, $2 }' "$here/mini-adamw.txt")"
write "Adam-mini, the same transformer in fp32: $(four mini); AdamW: $(four adamw8); Muon: $(four muon8)."
finish
