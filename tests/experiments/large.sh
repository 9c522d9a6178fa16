#!/bin/sh
# A transformer of 10.9 million parameters on real text: the 40 million bytes of the dictionary GCIDE, which Debian's
# package dict-gcide has. Six recipes with AdamW and with Muon, up to 10^7 tokens (2442 steps of 4096): days on two
# cores. So the runs advance together, some steps each, and the page has curves of the same length after every round.
# Stop it at any time; it goes on where it was. It is not among the experiments that run without a name:
#
#     make experiments NAMES=large
#
# BND_LARGE_STEPS    the steps to stop at (2442)
# BND_LARGE_TEXT     another file than the dictionary's
. "$(dirname "$0")/lib.sh"
begin large
seeds=1 # shellcheck disable=SC2034  # lib.sh reads it
dictionary=/usr/share/dictd/gcide.dict.dz
text=${BND_LARGE_TEXT:-$here/gcide.txt}
last=${BND_LARGE_STEPS:-2442}
rate=1e-3
recipes=fp32,bf16-amp,bf16-sr,fp8-current,mxfp8,nvfp4
model="--model transformer --width 384 --depth 6 --heads 6 --context 256 --batch 16
--lr $rate --schedule warmup:100 --clip 1"

if [ -z "${BND_LARGE_TEXT:-}" ] && [ ! -f "$text" ]; then
    { gunzip -c <"$dictionary" >"$text.new" && mv "$text.new" "$text"; } || {
        echo "$name: needs $dictionary, of Debian's package dict-gcide" >&2
        exit 1
    }
fi

# The training loss, averaged over the steps from FROM to TO, of the run in DIRECTORY.
mean_loss() {
    awk -v from="$2" -v to="$3" 'NR > from && NR <= to && match($0, /"train\/loss": ?[^,}]*/) {
            value = substr($0, RSTART, RLENGTH); sub(/.*: ?/, "", value); sum += value; n++ }
        END { if (n) printf "%.3f", sum / n }' "$1/metrics.jsonl"
}

# curves STEPS: a row for each recipe and optimizer, a column for each tenth of the steps.
curves() {
    printf '\nTraining loss, the mean of each tenth of the steps (the last step of the tenth is named):\n\n| optimizer | recipe |'
    for tenth in 1 2 3 4 5 6 7 8 9 10; do printf ' %d |' $(($1 * tenth / 10)); done
    printf '\n| --- | --- |'
    for tenth in 1 2 3 4 5 6 7 8 9 10; do printf ' --- |'; done
    echo
    for optimizer in adamw muon; do
        for recipe in $(echo $recipes | tr , ' '); do
            # shellcheck disable=SC2016  # the backquotes are Markdown's
            printf '| %s | `%s` |' $optimizer "$recipe"
            for tenth in 1 2 3 4 5 6 7 8 9 10; do
                printf ' %s |' "$(mean_loss "$here/$optimizer/$recipe-0" $(($1 * (tenth - 1) / 10)) $(($1 * tenth / 10)))"
            done
            echo
        done
    done
}

# report STEPS: what is known after so many steps.
report() {
    : >"$here/expected"
    : >"$here/claimed"
    : >"$here/body"
    claims=0 shown=0 held=0 broken=0
    claim "after as many tokens Muon's loss is below AdamW's, in fp32" \
        above "$(loss_of adamw fp32)" "$(loss_of muon fp32)"
    for recipe in bf16-amp bf16-sr fp8-current mxfp8 nvfp4; do
        for optimizer in adamw muon; do
            expect "$optimizer: $recipe does not fail" not verdict $optimizer $recipe failed
        done
    done
    write "$1 of 2442 steps: $(($1 * 4096)) tokens of $(wc -c <"$text" | tr -d ' ') bytes (cksum $(cksum <"$text" | cut -d' ' -f1)), rate $rate after 100 steps of warm-up, one seed."
    table adamw "AdamW:"
    figure adamw
    table muon "Muon, AdamW for norms, embeddings and the head:"
    figure muon
    curves "$1" >>"$here/body"
    finish
}

# beyond OPTIMIZER STEPS: has a round of more steps begun? Its runs are not made shorter again.
beyond() {
    for configuration in "$here/$1"/*/config.json; do
        made=$(sed -n 's/.*"steps": *\([0-9]*\),.*/\1/p' "$configuration" 2>/dev/null)
        [ "${made:-0}" -le "$2" ] || return 0
    done
    return 1
}

for n in 20 61 122 183 244 366 488 732 976 1464 1952 2442; do
    [ "$n" -le "$last" ] || break
    ! beyond adamw "$n" && ! beyond muon "$n" || continue
    # shellcheck disable=SC2086  # options are words
    for optimizer in adamw muon; do
        runs $optimizer --optimizer $optimizer $model --recipe $recipes --data "$text" --statistics none \
            --checkpoint 20 --steps "$n"
    done
    report "$n" || exit 1
    sh "$top/tests/experiments/page.sh" || exit 1
done
