#!/bin/sh
# `binade train --ranks` under mpirun, where the build has MPI: the bits of one process that has all ranks, in three
# formats and orders; and after a rank was killed a checkpoint, from which the run goes on to the same bits.
. "$(dirname "$0")/checks.sh"

if ! has_mpi; then
    if ! ldd "$program" 2>/dev/null | grep -q libmpi; then
        OMPI_COMM_WORLD_SIZE=2 "$program" train --model linear --recipe fp32 --steps 2 >out.txt 2>errors.txt
        check "without MPI, processes of mpirun do not train side by side" [ "$?:$(wc -c <out.txt)" = 2:0 ]
        check "but say what is missing" grep -q 'mpirun needs a build with MPI' errors.txt
    fi
    skip "MPI"
    conclude
    exit
fi
flags=
mpirun --version 2>&1 | grep -q 'Open MPI' && flags=--oversubscribe
[ -n "$flags" ] && [ "$(id -u)" = 0 ] && flags="$flags --allow-run-as-root"
# shellcheck disable=SC2086  # words
spread() { mpirun $flags -n 3 "$program" train --model mlp --width 16 --batch 48 --ranks 3 --plot none "$@"; }
alone() { "$program" train --model mlp --width 16 --batch 48 --ranks 3 --plot none "$@"; }
# Losses, norms and counts of updates; not times, memory of this process, and casts, which are those of rank 0.
contents() { # contents DIR
    for file in "$1"/*/metrics.jsonl; do
        grep -o '"\(step\|loss\|val/loss\|val/loss_fp32\|train/[a-z_]*\|update/[a-z_]*\)": [^,}]*' "$file"
    done
}
same_checkpoints() { # same_checkpoints DIR DIR
    for file in "$1"/*/checkpoint.safetensors; do
        cmp -s "$file" "$2/${file#*/}" || return 1
    done
}

recipes=reduce=bf16/ring,fp8-delayed,reduce=e5m2:sr/tree,bf16-sr,reduce=fp16/sequential
alone --recipe $recipes --steps 6 --micro-batches 2 --clip 0.5 --out alone >alone.txt
spread --recipe $recipes --steps 6 --micro-batches 2 --clip 0.5 --out spread >spread.txt 2>errors.txt
check "ranks end well" [ ! -s errors.txt ]
check "four recipes each" [ "$(find alone spread -name checkpoint.safetensors | wc -l)" = 8 ]
contents alone >alone.lines
contents spread >spread.lines
check "each step has losses, norms and updates" [ "$(wc -l <alone.lines)" -gt 200 ]
check "ranks have the bits of one process, step by step" cmp -s alone.lines spread.lines
check "and its checkpoints" same_checkpoints alone spread

check "another number of ranks is refused" \
    [ "$(spread --ranks 2 --steps 2 2>&1 | grep -c '\-\-ranks must be 3, not 2')" = 1 ]

check "and so is none" [ "$(spread --ranks 1 --steps 2 2>&1 | grep -c '\-\-ranks must be 3, not 1')" = 1 ]

# Ranks that cannot begin, and a run that fails on rank 0 alone: no rank waits for another without end.
spread_in_time() { # spread_in_time COMMAND...: with a status of its own where it takes too long
    # shellcheck disable=SC2086  # words
    timeout 60 mpirun $flags -n 3 "$@" >out.txt 2>errors.txt
    status=$?
    [ "$status" != 0 ] && [ "$status" != 124 ]
}
small="train --model linear --batch 48 --ranks 3 --plot none --recipe fp32,bf16-pure --steps 5"
# shellcheck disable=SC2086  # words
check "all end where rank 0 cannot begin" spread_in_time "$program" $small --dump-init nowhere/x.safetensors
check "with its message" grep -q 'nowhere' errors.txt
write_one_rank
# shellcheck disable=SC2086  # words
check "all end where rank 1 cannot begin" spread_in_time sh one_rank.sh 1 "$program" $small
check "and rank 0 says which" grep -q 'binade train: rank 1 cannot begin' errors.txt
mkdir -p full/fp32-0
ln -s /dev/full full/fp32-0/metrics.jsonl
# shellcheck disable=SC2086  # words
check "all end where rank 0 fails in a run" spread_in_time "$program" $small --out full
check "with its message" grep -q 'full/fp32-0: metrics.jsonl: cannot be' errors.txt
check "and the next run, whose numbers would be those of two, is not made" [ ! -s full/bf16-pure-0/metrics.jsonl ]

# Rank 1 dies: rank 0 saves the last complete step before mpirun ends it.
many=2000
spread --recipe fp32 --steps $many --out killed >killed.txt 2>&1 &
job=$!
rank_one() { for pid in $(pgrep -P "$(pgrep -P $job -x mpirun || echo $job)" -x binade); do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -q '^OMPI_COMM_WORLD_RANK=1$' && echo "$pid"; done; }
lines() { cat killed/metrics.jsonl 2>/dev/null | wc -l; }
while [ "$(lines)" -lt 5 ] && kill -0 $job 2>/dev/null; do :; done
victim=$(rank_one)
[ -n "$victim" ] && kill -KILL "$victim"
wait $job
check "a rank that dies ends the run" [ "$?" != 0 ]
check "before its end" [ "$(lines)" -lt $many ]
check "with a checkpoint" [ -s killed/checkpoint.safetensors ]
made=$(lines)
alone --recipe fp32 --steps $((made + 5)) --out straight >straight.txt
sed -i "s/\"steps\": $many/\"steps\": $((made + 5))/" killed/config.json
alone --recipe fp32 --steps $((made + 5)) --out killed --resume >resumed.txt
check "from which it goes on to the same weights" cmp -s straight/checkpoint.safetensors killed/checkpoint.safetensors
check "and the same answer" equal "$(grep -v '^The runs' straight.txt)" "$(grep -v '^The runs' resumed.txt)"

conclude
