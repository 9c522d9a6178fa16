# shellcheck shell=sh disable=SC2034,SC2154  # variables are shared with the files that source this one
# What experiments share: where results lie, the baseline's best learning rate, runs, what is expected of them, the
# block that goes into doc/dev/experiment-log.md, and rows of the table of claims in doc/explanation/experiments.md.
# Everything is done by the command; nothing here knows a number format.
#
# BND_BUILD               where the command is built
# BND_EXPERIMENT_SCALE    multiplies the steps of every run (1; 10 takes hours)
# BND_EXPERIMENT_THREADS  cores per run (all; 1 is faster where other programs use the machine)
# BND_EXPERIMENTS         where runs are kept (a folder of the build, one for each scale)
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
binade=$build/binade
scale=${BND_EXPERIMENT_SCALE:-1}
results=${BND_EXPERIMENTS:-$build/tests/experiments/scale-$scale}
threads=${BND_EXPERIMENT_THREADS:+-j $BND_EXPERIMENT_THREADS}
seeds=3
# All of them, in the order of the table of claims.
experiments="attention zamirai micikevicius fp8 fp8large mx mx8 fp8lm accumulators nvfp4 quantizers threshold flash
    optimizers failing student verdicts"
held=0
broken=0
claims=0
shown=0

# The language model of most experiments: small enough that a step takes milliseconds on one core; its text needs
# attention (--source copy).
language_model="--model transformer --width 32 --depth 2 --batch 16 --context 16"
# Experiments that have not been moved to it yet: a Markov chain, which needs no attention.
chain_model="--model transformer --width 32 --depth 2 --batch 8 --source chain"
steps() { echo $(($1 * scale)); }

# begin NAME: an experiment of this name. finish ends it.
begin() {
    name=$1
    here=$results/$name
    mkdir -p "$here" || exit 1
    : >"$here/expected"
    : >"$here/claimed"
    : >"$here/rows.new"
    : >"$here/body"
}

# best_rate NAME RATES OPTIONS...: the rate at which fp32 has the lowest mean loss, by a sweep that is kept as NAME.
best_rate() {
    sweep=$1
    rates=$2
    shift 2
    "$binade" sweep --recipe fp32 --lr "$rates" --seeds $seeds --statistics none "$@" --csv \
        --out "$results/rates-$sweep" >"$here/rates.csv" && cp "$here/rates.csv" "$results/rates-$sweep.csv" || exit 1
    awk -F, '$NF == "true" { print $2 }' "$results/rates-$sweep.csv"
}

# runs PART OPTIONS...: trains, kept in PART; runs that are complete are not made again.
runs() {
    part=$1
    shift
    echo "$name/$part" >&2
    # shellcheck disable=SC2086  # an option and its number
    "$binade" train --seeds $seeds $threads "$@" --out "$here/$part" --resume --csv >"$here/$part.csv" &&
        "$binade" train --seeds $seeds $threads "$@" --out "$here/$part" --resume >"$here/$part.txt" || exit 1
}

# Rows of comma-separated values as fields with '|' between them; a first field in quotes is a recipe with settings.
rows() {
    awk '{ end = substr($0, 1, 1) == "\"" ? index(substr($0, 2), "\"") : 0
           name = end > 0 ? substr($0, 2, end - 1) : ""
           rest = end > 0 ? substr($0, end + 2) : $0
           gsub(/,/, "|", rest)
           print name rest }' "$1"
}

# value PART RECIPE COLUMN: what the table of PART has there.
value() {
    rows "$here/$1.csv" | awk -F'|' -v recipe="$2" -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        $1 == recipe { print $at; found = 1 }
        END { exit !found || !at }' || {
        echo "$name: $1 has no $3 of $2" >&2
        exit 1
    }
}
verdict() { [ "$(value "$1" "$2" verdict)" = "$3" ]; }             # verdict PART RECIPE WORD
above() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'; }     # above A B
loss_of() { value "$1" "$2" final_loss; }                          # loss_of PART RECIPE
gap_of() { awk -v g="$(value "$1" "$2" gap)" -v i="$(value "$1" "$2" interval)" 'BEGIN { printf "%+.2g ± %.2g", g, i }'; }
short() { awk -v x="$1" 'BEGIN { printf "%.3g", x }'; }            # short NUMBER: three digits
worse() { above "$(loss_of "$1" "$2")" "$(loss_of "$1" "$3")"; }   # worse PART RECIPE THAN

# paper ARXIV|'TITLE URL' CLAIM SECTION: the claims that follow are statements of this paper's claim, which is a row of the
# table; SECTION is where experiments.md, or PAGE#SECTION, speaks of it. measured NUMBERS [VERDICT] ends the row.
paper() {
    case $1 in
    *://*) source="[${1% *}](${1##* })" ;;
    *) source="[$1](https://arxiv.org/abs/$1)" ;;
    esac
    row_claim=$2
    case $3 in
    *\#*) section=$3 ;;
    *) section="#$3" ;;
    esac
    row_claims=0
    row_shown=0
}
measured() {
    [ -n "${2-}" ] || set -- "$1" "$(outcome $row_shown $row_claims)"
    echo "| $source | [$row_claim]($section) | $1 | *$2* | FIGURE | \`make -C build experiments NAMES=$name\` |" \
        >>"$here/rows.new"
}

# claim SENTENCE CONDITION...: a statement of the paper. Whether it shows at this scale is written into the page; a run
# does not fail for it.
claim() {
    sentence=$1
    shift
    claims=$((claims + 1))
    row_claims=$((row_claims + 1))
    if "$@"; then
        shown=$((shown + 1))
        row_shown=$((row_shown + 1))
        echo "- shown: $sentence" >>"$here/claimed"
    else
        echo "- **not shown**: $sentence" >>"$here/claimed"
    fi
}
outcome() { # outcome SHOWN CLAIMS
    if [ "$2" = 0 ]; then
        echo "no claim of a paper"
    elif [ "$1" = "$2" ]; then
        echo "holds"
    elif [ "$1" = 0 ]; then
        echo "not at this scale"
    else
        echo "holds in part"
    fi
}

# expect SENTENCE CONDITION...: what this page says of the run, whatever the paper says. Counted, and written into the page.
expect() {
    sentence=$1
    shift
    if "$@"; then
        held=$((held + 1))
        echo "- holds: $sentence" >>"$here/expected"
    else
        broken=$((broken + 1))
        echo "- **does not hold**: $sentence" >>"$here/expected"
        echo "$name: does not hold: $sentence" >&2
    fi
}
not() { if "$@"; then return 1; fi; }

# A table of PART's runs; the figure that the command draws of them; text between the two.
table() {
    {
        echo
        echo "$2"
        echo
        rows "$here/$1.csv" | awk -F'|' '
            function number(x) { return x == "" ? "NaN" : sprintf("%.4g", x) }
            function percent(x) { return x == "" ? "" : sprintf("%.3g %%", x) }
            NR == 1 {
                for (i = 1; i <= NF; i++) at[$i] = i
                print "| recipe | verdict | loss | gap to fp32 | outside from | lost updates | underflowed | overflows |"
                print "| --- | --- | --- | --- | --- | --- | --- | --- |"
                next }
            { gap = $at["gap"] == "" ? "" : sprintf("%+.2g ± %.2g", $at["gap"], $at["interval"])
              printf "| `%s` | %s | %s | %s | %s ", $1, $at["verdict"], number($at["final_loss"]), gap, $at["outside_from"]
              printf "| %s | %s | %s |\n", percent($at["lost_updates_percent"]), percent($at["underflowed_percent"]),
                     $at["overflows"] }'
    } >>"$here/body"
}
figure() {
    {
        printf '\n```text\n'
        sed -n '/^loss\($\|,\| (\)/,/^$/p' "$here/$1.txt"
        printf '```\n'
    } | awk 'NR == 1 || $0 != ""' >>"$here/body"
}
write() { printf '\n%s\n' "$1" >>"$here/body"; }

# finish: the block for the page; the exit status says whether all that this page expects holds.
finish() {
    {
        if [ $claims -gt 0 ]; then
            echo "Claims of papers: **$(outcome $shown $claims)** ($shown of $claims statements)."
            echo
            cat "$here/claimed"
            echo
        fi
        echo "The run: $held of $((held + broken)) expectations of this page hold ($seeds seed pairs, scale $scale)."
        echo
        cat "$here/expected" "$here/body"
    } >"$here/block.new" && mv "$here/block.new" "$here/block.md"
    mv "$here/rows.new" "$here/claims"
    echo "$name: claims: $(outcome $shown $claims) ($shown of $claims statements); of this page's expectations $held hold, $broken do not"
    [ $broken = 0 ]
}
