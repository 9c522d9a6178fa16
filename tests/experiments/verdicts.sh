#!/bin/sh
# How often a verdict is wrong. fp32 against fp32 whose products add up in another order (a new accumulator every 8
# products), and against bf16-amp: 210 pairs a model, drawn into groups of 3, 5 and 10 seeds; and the same with a planted
# loss. No paper is behind it.
. "$(dirname "$0")/lib.sh"
begin verdicts
pairs=210
order=acc=fp32/promote8
study() { # study MODEL RATE OPTIONS...
    model=$1
    rate=$2
    shift 2
    echo "$name/$model" >&2
    "$binade" sweep --model "$model" --lr "$rate" --recipe fp32 --recipe "$order" --recipe bf16-amp --seeds $pairs \
        --statistics none "$@" --out "$here/$model" --csv >/dev/null &&
        "$build/tests/experiments/resample" "$here/$model" "$model" "$order" bf16-amp >>"$here/shares.new" || exit 1
}
: >"$here/shares.new"
study transformer 0.01 --width 16 --depth 1 --heads 2 --context 16 --batch 4 --steps $((scale * 100))
study mlp 0.01 --width 32 --depth 1 --batch 32 --steps $((scale * 150))
study linear 0.05 --optimizer sgd --steps $((scale * 60))
study logistic 0.1 --batch 32 --steps $((scale * 100))
mv "$here/shares.new" "$here/shares"

# most WHAT RECIPE MARGIN PLANTED: the largest share in such rows, of any number of seeds; WHAT is 0: worse, 1: better,
# 2: no difference.
most() {
    awk -F'|' -v what="$1" -v recipe="\`$2\`" -v margin="$3 %" -v planted="$4 %" '
        function bare(x) { gsub(/^ +| +$/, "", x); return x }
        bare($3) == recipe && bare($4) == margin && bare($5) == planted {
            for (i = 6 + what; i <= 14; i += 3) if ($i + 0 > most) most = $i + 0 }
        END { print most + 0 }' "$here/shares"
}
expect "another order, no margin: at most 5 % of the groups are worse (2.5 % by t, 2.5 % by signs)" \
    not above "$(most 0 $order 0 0)" 5
expect "and at most 5 % are better" not above "$(most 1 $order 0 0)" 5
expect "another order, the usual margin: none is worse" [ "$(most 0 $order 5 0)" = 0 ]
expect "and none is better" [ "$(most 1 $order 5 0)" = 0 ]
expect "bf16-amp with 3 % of the loss more, a margin of 1 %: never without a difference" [ "$(most 2 bf16-amp 1 3)" = 0 ]
{
    echo "The run: $held of $((held + broken)) expectations hold ($pairs pairs a model, 1000 draws a number, scale $scale)."
    echo
    cat "$here/expected"
    echo
    echo "Per cent of the groups of 3, 5 and 10 seeds that are worse (w), better (b), without a difference (n); the others"
    echo "are inconclusive. Planted: the validation losses of the runs are raised by this share of the loss of fp32, on top"
    echo "of the gap and the noise of the recipe itself. The margin is a share of the loss above the irreducible loss. Of"
    echo "the two orders of fp32 a coin says which is the reference:"
    echo
    echo "| model | recipe | margin | planted | 3: w | b | n | 5: w | b | n | 10: w | b | n |"
    echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    cat "$here/shares"
} >"$here/block.new" && mv "$here/block.new" "$here/block.md"
mv "$here/rows.new" "$here/claims"
echo "$name: of this page's expectations $held hold, $broken do not"
[ $broken = 0 ]
