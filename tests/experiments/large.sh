#!/bin/sh
# A transformer of 10.9 million parameters on real text: the 40 million bytes of the dictionary GCIDE, which Debian's
# package dict-gcide has. Six recipes with AdamW and with Muon, up to 10^7 tokens (2442 steps of 4096): days on two
# cores. So the runs advance together, some steps each, and what has been measured is kept in doc/dev/large-model.tsv:
# the page is made of that file, whatever runs this machine has. Stop it at any time; it goes on where it was. It is not
# among the experiments that run without a name:
#
#     make experiments NAMES=large
#
# BND_LARGE_STEPS    the steps to stop at (2442)
# BND_LARGE_RUNS     the runs that are made: recipes, or optimizers and recipes ('adamw:fp32 muon:fp32 nvfp4'; all)
# BND_LARGE_TEXT     another file than the dictionary's: nothing is kept then
. "$(dirname "$0")/lib.sh"
begin large
# shellcheck disable=SC2034  # lib.sh reads it
seeds=1
dictionary=/usr/share/dictd/gcide.dict.dz
text=${BND_LARGE_TEXT:-$here/gcide.txt}
last=${BND_LARGE_STEPS:-2442}
rate=1e-3
# shellcheck disable=SC2086  # a list of numbers
rounds=$(printf '%s\n' 20 61 122 183 244 366 488 732 976 1464 1952 2442 $last | sort -nu)
recipes="fp32 bf16-amp bf16-sr fp8-current mxfp8 nvfp4"
chosen=${BND_LARGE_RUNS:-$recipes}
model="--model transformer --width 384 --depth 6 --heads 6 --context 256 --batch 16
--lr $rate --schedule warmup:100 --clip 1"
kept=$top/doc/dev/large-model.tsv
[ -z "${BND_LARGE_TEXT:-}" ] || kept=$here/kept.tsv
tab=$(printf '\t')

if [ -z "${BND_LARGE_TEXT:-}" ] && [ ! -f "$text" ]; then
    { gunzip -c <"$dictionary" >"$text.new" && mv "$text.new" "$text"; } || {
        echo "$name: needs $dictionary, of Debian's package dict-gcide" >&2
        exit 1
    }
fi
[ -f "$kept" ] || printf 'optimizer\trecipe\tsteps\ttrain_loss\tval_loss\tlost_percent\tcommit\n' >"$kept"

# is_chosen OPTIMIZER RECIPE
is_chosen() {
    case " $chosen " in *" $2 "* | *" $1:$2 "*) return 0 ;; esac
    return 1
}

# made OPTIMIZER RECIPE: the steps that the run here is to make, or has made; 0: there is none.
made() {
    steps_there=$(sed -n 's/.*"steps": *\([0-9]*\),.*/\1/p' "$here/$1/$2-0/config.json" 2>/dev/null)
    echo "${steps_there:-0}"
}

# advance OPTIMIZER RECIPE STEPS: one core; a run is not made shorter again.
advance() {
    [ "$(made "$1" "$2")" -le "$3" ] || return 0
    mkdir -p "$here/$1" || return 1
    alone=
    [ "$2" = fp32 ] || alone=--no-reference
    echo "$name/$1/$2: $3 steps" >&2
    # shellcheck disable=SC2086  # options are words
    "$binade" train --optimizer "$1" $model $alone --recipe "$2" --data "$text" --statistics none --seeds 1 -j 1 \
        --checkpoint 20 --steps "$3" --out "$here/$1/$2-0" --resume --csv >"$here/$1-$2.csv"
}

# mean_loss OPTIMIZER RECIPE FROM TO: the training loss, averaged over these steps; nothing if not all are there.
mean_loss() {
    awk -v from="$3" -v to="$4" 'NR > from && NR <= to && match($0, /"train\/loss": ?[^,}]*/) {
            value = substr($0, RSTART, RLENGTH); sub(/.*: ?/, "", value); sum += value; n++ }
        END { if (n == to - from) printf "%.3f", sum / n }' "$here/$1/$2-0/metrics.jsonl"
}

# keep OPTIMIZER RECIPE STEPS COMMIT: the rows of a run that has just come so far, one for each round since the last one
# that is kept. The training loss is the mean of the steps since the row before.
keep() {
    [ "$(made "$1" "$2")" = "$3" ] || return 0
    loss=$(value "$1-$2" "$2" final_loss) && lost=$(value "$1-$2" "$2" lost_updates_percent) || return 1
    from=$(awk -F'\t' -v o="$1" -v r="$2" -v n="$3" '$1 == o && $2 == r && $3 < n && $3 > m { m = $3 } END { print m + 0 }' "$kept")
    awk -F'\t' -v o="$1" -v r="$2" -v n="$3" '!($1 == o && $2 == r && $3 == n)' "$kept" >"$here/kept.new" || return 1
    for round in $rounds; do
        [ "$round" -gt "$from" ] || continue
        [ "$round" -le "$3" ] || break
        mean=$(mean_loss "$1" "$2" "$from" "$round")
        [ -n "$mean" ] || {
            echo "$name: $1, $2: metrics.jsonl lacks steps up to $round" >&2
            return 1
        }
        end=$tab
        [ "$round" != "$3" ] || end=$(printf '%.6f\t%.3g' "${loss:-nan}" "${lost:-nan}")
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$round" "$mean" "$end" "$4" >>"$here/kept.new"
        from=$round
    done
    { head -n 1 "$here/kept.new"; tail -n +2 "$here/kept.new" | sort -t "$tab" -k1,1 -k2,2 -k3,3n; } >"$kept"
}

# known OPTIMIZER RECIPE STEPS COLUMN: from what is kept; nothing where it is not known.
known() {
    awk -F'\t' -v o="$1" -v r="$2" -v n="$3" -v column="$4" '$1 == o && $2 == r && $3 == n { print $column }' "$kept"
}

# validated: the numbers of steps at which there is a validation loss, the largest first.
validated() { awk -F'\t' 'NR > 1 && $5 != "" { print $3 }' "$kept" | sort -rnu; }

# losses STEPS: a row for each run that has a validation loss there.
losses() {
    write "Validation loss of the weights in fp32 after $1 of 2442 steps ($(($1 * 4096)) tokens):"
    {
        printf '\n| optimizer | recipe | loss | gap to fp32 | lost updates | commit |\n| --- | --- | --- | --- | --- | --- |\n'
        for optimizer in adamw muon; do
            baseline=$(known $optimizer fp32 "$1" 5)
            for recipe in $recipes; do
                loss=$(known $optimizer "$recipe" "$1" 5)
                [ -n "$loss" ] || continue
                gap=
                [ "$recipe" = fp32 ] || [ -z "$baseline" ] ||
                    gap=$(awk -v a="$loss" -v b="$baseline" 'BEGIN { printf "%+.4f", a - b }')
                # shellcheck disable=SC2016  # the backquotes are Markdown's
                printf '| %s | `%s` | %.4f | %s | %s %% | %s |\n' $optimizer "$recipe" "$loss" "$gap" \
                    "$(known $optimizer "$recipe" "$1" 6)" "$(known $optimizer "$recipe" "$1" 7)"
            done
        done
    } >>"$here/body"
}

# curves FROM TO: training losses of the rows that are kept, a column for each number of steps above FROM.
curves() {
    awk -F'\t' -v first="$1" -v end="$2" -v recipes="$recipes" '
        NR > 1 && $3 > first && $3 <= end { loss[$1, $2, $3] = $4; run[$1, $2] = 1; if (!seen[$3]++) at[++n] = $3 }
        END {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && at[j - 1] + 0 > at[j] + 0; j--) { x = at[j]; at[j] = at[j - 1]; at[j - 1] = x }
            if (!n) exit
            printf "\n| optimizer | recipe |"
            for (i = 1; i <= n; i++) printf " %s |", at[i]
            printf "\n| --- | --- |"
            for (i = 1; i <= n; i++) printf " --- |"
            print ""
            split("adamw muon", optimizer, " ")
            count = split(recipes, recipe, " ")
            for (o = 1; o <= 2; o++)
                for (r = 1; r <= count; r++) {
                    if (!((optimizer[o], recipe[r]) in run)) continue
                    printf "| %s | `%s` |", optimizer[o], recipe[r]
                    for (i = 1; i <= n; i++) printf " %s |", loss[optimizer[o], recipe[r], at[i]]
                    print ""
                }
        }' "$kept" >>"$here/body"
}

# fewer_steps: AdamW's and Muon's numbers of steps, of which the page expects that Muon's loss is lower after fewer: AdamW's
# last validation, and Muon's last before it; nothing where AdamW's is not the later one. Both in fp32.
fewer_steps() {
    awk -F'\t' '$2 == "fp32" && $5 != "" { if ($1 == "adamw" && $3 > a) a = $3; at[$1, $3] = 1; n[$3] }
        END { for (i in n) if (("muon", i) in at && i + 0 < a + 0 && i + 0 > m + 0) m = i; if (m && !(("muon", a) in at)) print a, m }' "$kept"
}

# report: what is known, of all runs that are kept.
report() {
    : >"$here/expected"
    : >"$here/claimed"
    : >"$here/body"
    : >"$here/rows.new"
    claims=0 shown=0 held=0 broken=0
    for steps in $(validated); do
        [ -n "$(known adamw fp32 "$steps" 5)" ] || continue
        [ -n "$(known muon fp32 "$steps" 5)" ] || continue
        expect "after $steps steps, $((steps * 4096)) tokens, Muon's loss is below AdamW's, in fp32 (one seed, no verdict)" \
            above "$(known adamw fp32 "$steps" 5)" "$(known muon fp32 "$steps" 5)"
    done
    # shellcheck disable=SC2046  # two numbers
    set -- $(fewer_steps)
    [ $# -lt 2 ] ||
        expect "after $2 steps, $(($2 * 4096)) tokens, Muon's loss is below AdamW's after $1, $(($1 * 4096)) tokens, in fp32" \
            above "$(known adamw fp32 "$1" 5)" "$(known muon fp32 "$2" 5)"
    expect "no validation loss that is kept is a NaN" test -z "$(awk -F'\t' 'tolower($5) ~ /nan|inf/' "$kept")"
    write "The text: $(wc -c <"$text" | tr -d ' ') bytes (cksum $(cksum <"$text" | cut -d' ' -f1)). Rate $rate after 100 steps of warm-up, one seed."
    for steps in $(validated); do losses "$steps"; done
    write "Training loss, the mean of the steps from the column before (the last step is named):"
    curves 0 244
    curves 244 2442
    finish
}

# The commit that is built; with a + where the sources differ from it.
commit=$(git -C "$top" rev-parse --short=8 HEAD 2>/dev/null || echo release)
[ -z "$(git -C "$top" status --porcelain -- src tools/binade 2>/dev/null)" ] || commit=$commit+

for n in $rounds; do
    [ "$n" -le "$last" ] || break
    for recipe in $recipes; do # the two optimizers beside each other
        waiting=
        for optimizer in adamw muon; do
            is_chosen $optimizer "$recipe" || continue
            advance $optimizer "$recipe" "$n" &
            waiting="$waiting $!"
        done
        for process in $waiting; do wait "$process" || exit 1; done
        for optimizer in adamw muon; do
            ! is_chosen $optimizer "$recipe" || keep $optimizer "$recipe" "$n" "$commit" || exit 1
        done
    done
    report || exit 1
    sh "$top/tests/experiments/page.sh" || exit 1
done
