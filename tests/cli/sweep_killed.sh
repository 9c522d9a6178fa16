#!/bin/sh
# What a golden run cannot show of `binade sweep`: killed at any moment, it loses only what was in flight, and the same
# command again makes only the rest, to the same bits; and so under mpirun, where the build has MPI.
. "$(dirname "$0")/checks.sh"

# shellcheck disable=SC2086  # BND_RUNNER may have arguments; exec, so that a signal reaches the program
sweep() { # sweep DIR: eight points, one after the other
    exec ${BND_RUNNER-} "$program" sweep --model mlp --width 32 --steps 60 --recipe fp32,bf16-pure --seeds 2 \
        --lr 1e-3,1e-2 -j 1 --out "$1"
}
finished() { find "$1" -name summary.json 2>/dev/null | wc -l; }
# A finished point is never written again: a file that were would be another one.
identities() { for dir in $1; do ls -i "$dir/summary.json"; done; }
# Losses and counts, without what depends on the machine's speed.
contents() { # contents DIR
    for file in "$1"/*/metrics.jsonl; do
        echo "${file#*/}"
        sed 's/"time[^,}]*//g' "$file"
    done
}

(sweep whole) >whole.txt || { echo "the sweep fails"; exit 1; }
for kills in 1 3 6; do
    (sweep killed) >killed.txt 2>&1 &
    job=$!
    while [ "$(finished killed)" -lt "$kills" ] && kill -0 "$job" 2>/dev/null; do :; done
    kill -KILL "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    done_then=$(find killed -name summary.json -exec dirname {} \;)
    were=$(identities "$done_then")
    check "killed behind $kills points, before the last" [ "$(finished killed)" -lt 8 ]
done
(sweep killed) >killed.txt
check "what comes out is the same" cmp -s whole.txt killed.txt
check "points that were finished are not made again" [ "$were" = "$(identities "$done_then")" ]
check "no checkpoint of a finished point stays" [ -z "$(find whole killed -name 'checkpoint*')" ]
contents whole >whole.lines
contents killed >killed.lines
check "every step of every run is the same" cmp -s whole.lines killed.lines

if has_mpi; then
    flags=
    mpirun --version 2>&1 | grep -q 'Open MPI' && flags=--oversubscribe
    [ -n "$flags" ] && [ "$(id -u)" = 0 ] && flags="$flags --allow-run-as-root"
    # shellcheck disable=SC2086  # words
    spread() { mpirun $flags -n 3 "$program" sweep --model mlp --width 32 --steps 60 --recipe fp32,bf16-pure \
        --seeds 2 --lr 1e-3,1e-2 "$@"; }
    spread --out spread >spread.txt
    check "ranks give the same" cmp -s whole.txt spread.txt
    contents spread >spread.lines
    check "the same, step by step" cmp -s whole.lines spread.lines
    rm -rf spread/fp32-lr0.001-0 spread/bf16-pure-lr0.01-1
    were=$(identities spread/fp32-lr0.01-0)
    spread --out spread >spread.txt
    check "ranks make what is missing" cmp -s whole.txt spread.txt
    check "and nothing else" [ "$were" = "$(identities spread/fp32-lr0.01-0)" ]
    check "without --out they refuse" [ "$(spread 2>&1 | grep -c 'binade sweep:')" -gt 0 ]

    rm -rf spread/bf16-pure-lr0.01-1
    spread --out spread --batch 4 >out.txt 2>errors.txt
    check "points of another training are refused" [ "$?:$(wc -c <out.txt)" = 3:0 ]
    check "with what differs" grep -q 'config.json: this is another run: "batch" is 128 there, not 4' errors.txt
    check "before another is made" [ ! -e spread/bf16-pure-lr0.01-1 ]
    write_one_rank
    for rank in 0 1; do
        # shellcheck disable=SC2086  # words
        timeout 60 mpirun $flags -n 3 sh one_rank.sh $rank "$program" sweep --model linear --steps 2 --out none \
            >out.txt 2>errors.txt
        check "all end where rank $rank cannot begin" [ "$?" != 124 ]
        check "with a message" grep -q 'binade sweep: .*\(none\|rank 1 cannot begin\)' errors.txt
        check "and without points" [ ! -e none ]
    done
    mkdir -p full/fp32-lr0.001-0
    ln -s /dev/full full/fp32-lr0.001-0/metrics.jsonl
    spread --out full >out.txt 2>errors.txt
    check "a point that fails ends the sweep" [ "$?" = 3 ]
    check "with its message" grep -q 'fp32-lr0.001-0: metrics.jsonl: cannot be' errors.txt
else
    skip "MPI"
fi

conclude
