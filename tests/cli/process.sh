#!/bin/sh
# How the command begins and ends: closed pipes and streams, signals, two commands that write to one directory, and
# little memory.
. "$(dirname "$0")/checks.sh"

# shellcheck disable=SC2086  # BND_RUNNER may have arguments
binade() { ${BND_RUNNER-} "$program" "$@"; }
pause() { sleep 0.1 2>/dev/null || sleep 1; }
# Steps of a run that signals stop: a fifth under the sanitizers, where a step takes longer.
long=$(awk "BEGIN { n = 2000 * ${BND_TEST_SCALE:-1}; print n < 400 ? 400 : int(n) }")
small="--model mlp --width 16 --batch 4 -j 1 --plot none"
kept="$small --checkpoint 20" # with --out

# ---- the reader of a pipe has gone: as if SIGPIPE had ended the command, and not a word ----

# closed COMMAND...: its status where the first byte is all that is read
closed() {
    { binade "$@" 2>errors; echo "$?" >status; } | head -c 1 >/dev/null
    equal "$(cat status) $(cat errors)" '141 '
}
head -c 4000000 /dev/zero >in
if ! sh -c 'kill -PIPE $$; exit 0' 2>/dev/null; then
    check "table | head" closed table fp16
    check "vectors gen | head" closed vectors gen --op add --in fp16 -n 100000
    check "cast | head" closed cast --from fp32 --to fp32 in -
    check "show | head" closed show $(seq 1 500)
    check "a caller that ignores SIGPIPE is told" equal "$(
        trap '' PIPE
        { binade table fp16 2>errors; echo "$?" >status; } | head -c 1 >/dev/null
        cat status errors
    )" "3
binade: standard output cannot be written: Broken pipe"
else
    skip "SIGPIPE, which the caller ignores"
fi
check "a full disk is told" equal "$(binade table fp16 2>&1 >/dev/full; echo $?)" \
    "binade: standard output cannot be written: No space left on device
3"

# ---- threads that wait ----

# shellcheck disable=SC2086  # arguments are words
policy() {
    OMP_DISPLAY_ENV=true binade train $small --recipe fp32 --steps 1 2>&1 >/dev/null |
        sed -n "s/.*OMP_WAIT_POLICY *= *'\(.*\)'.*/\1/p" | tail -n 1
}
if [ -n "$(policy)" ]; then
    check "threads that wait sleep" equal "$(policy)" PASSIVE
    check "unless the caller says otherwise" equal "$(OMP_WAIT_POLICY=active policy)" ACTIVE
else
    skip "waiting threads: this OpenMP library does not report them"
fi

# ---- closed standard streams ----

check "no output" equal "$(binade show 1 2>&1 >&-; echo $?)" "binade: standard output cannot be written: Bad file descriptor
3"
for command in formats help 'range 1' 'table e2m1' 'calc fp16 1+1' 'cost time --params 1e9 --tokens 1e9 --gpus 8 --gpu h100' \
    'vectors gen --op add --in e2m1' 'verify -f e2m1 --check decode' "train $small --recipe fp32 --steps 3" \
    "sweep --model linear --steps 3 --lr 0.1 --recipe fp32 -j 1" 'cast --from fp32 --to fp16 in -'; do
    # shellcheck disable=SC2086  # words
    check "no output: $command" equal "$(binade $command >&- 2>errors; echo "$? $(grep -c 'cannot be written' errors)")" "3 1"
    # shellcheck disable=SC2086
    binade $command >/dev/null 2>&- <&-
    check "no input and no errors: $command" equal "$?" 0
done
for command in 'compare -' 'show -' 'cast --from fp32 --to fp16 - -' 'vectors check -'; do
    # shellcheck disable=SC2086
    check "no input: $command" equal "$(binade $command <&- 2>errors >/dev/null; echo "$? $(grep -c 'standard input' errors)")" "3 1"
done
binade cast --from fp32 --to fp16 --stats in out >&- 2>&- <&-
check "a data file is never a standard stream" equal "$(wc -c <out | tr -d ' ')" 2000000
rm -f out

# ---- signals ----

if command -v timeout >/dev/null && timeout --preserve-status 9 true 2>/dev/null; then
    # after SIGNAL SECONDS COMMAND...: the status where a signal comes (timeout sends SIGKILL 20 seconds later)
    after() {
        signal=$1 seconds=$2
        shift 2
        # In the foreground timeout sends one signal. Else it sends another to the group, and a second signal ends the
        # program at once, in the middle of a file.
        # shellcheck disable=SC2086  # BND_RUNNER may have arguments
        timeout --foreground --preserve-status -k 20 -s "$signal" "$seconds" ${BND_RUNNER-} "$program" "$@" >output 2>errors
        echo $?
    }
    mkfifo fifo
    check "a FIFO that has no reader" equal "$(after TERM 1 cast --from fp32 --to fp16 in fifo)" 143
    sleep 3 >fifo &
    check "cast: no partial file" equal "$(after INT 1 cast --from fp32 --to fp16 fifo out; ls out out.* 2>/dev/null)" 130
    check "vectors gen" equal "$(after INT 1 vectors gen --op add --in fp16 -n 100000000)" 130
    check "verify" equal "$(after INT 1 verify --exhaustive)" 130
    check "bench" equal "$(after TERM 1 bench)" 143
    rm -f fifo output

    # Training: every stop leaves files that can be read, and the end is that of a run that was not stopped.
    # shellcheck disable=SC2086  # words
    binade train $kept --recipe fp32 --steps "$long" --out whole >/dev/null
    later() { awk "BEGIN { print 0.02 * 1.3 ^ $stops }"; } # in seconds: each time a third more
    stops=0 status=130
    while [ "$status" -ge 128 ] && [ "$stops" -lt 30 ]; do
        signal=INT
        [ $((stops % 2)) = 1 ] && signal=TERM
        # shellcheck disable=SC2086
        status=$(after $signal "$(later)" train $kept --recipe fp32 --steps "$long" \
            --out stopped --resume)
        stops=$((stops + 1))
        [ ! -s stopped/metrics.jsonl ] ||
            check "what a signal leaves can be read" binade compare --plot none stopped >/dev/null
        check "no unfinished file" [ -z "$(find stopped -name '*.part' 2>/dev/null)" ]
    done
    check "it was stopped, by signals" [ "$stops" -gt 1 ]
    check "it finished" equal "$status" 0
    steps() { sed 's/"time[^,}]*//g' "$1/metrics.jsonl"; }
    check "every step is the same" equal "$(steps whole | cksum)" "$(steps stopped | cksum)"
    stops=0 status=130
    while [ "$status" -ge 128 ] && [ "$stops" -lt 30 ]; do
        status=$(after INT "$(later)" sweep --model linear --steps "$long" --lr 0.01,0.02,0.04 --recipe fp32 -j 1 --out sweep)
        stops=$((stops + 1))
    done
    check "a sweep is stopped" [ "$stops" -gt 1 ]
    check "a sweep finishes" equal "$status" 0
else
    skip "signals, which need GNU timeout"
fi

# A signal that is ignored stays so: in a script that has trapped it, as INT is of what a shell puts in the background.
(
    trap '' TERM INT
    # shellcheck disable=SC2086
    exec ${BND_RUNNER-} "$program" train $kept --recipe fp32 --steps "$long" --out ignoring >/dev/null 2>&1
) &
job=$!
while [ ! -s ignoring/metrics.jsonl ] && kill -0 "$job" 2>/dev/null; do :; done # without a pause: the run is short
kill -TERM "$job" 2>/dev/null
kill -INT "$job" 2>/dev/null
wait "$job"
check "ignored signals do not stop it" equal "$?" 0
check "it is complete" test -s ignoring/summary.json

# ---- two at once ----

# shellcheck disable=SC2086
(exec ${BND_RUNNER-} "$program" train $kept --recipe fp32,bf16-pure --steps 100000000 --out both >/dev/null 2>&1) &
job=$!
while [ ! -s both/fp32-0/metrics.jsonl ] && kill -0 "$job" 2>/dev/null; do pause; done
config=$(cat both/bf16-pure-0/config.json both/fp32-0/config.json)
# shellcheck disable=SC2086
refused() { binade train $kept --steps 100000000 --out both --resume "$@" 2>&1 >/dev/null; echo "$?"; }
check "the second of two is refused" equal "$(refused --recipe fp32,bf16-pure)" \
    "binade train: both is in use by another train or sweep; wait for it, or choose another directory
3"
check "also with other runs" equal "$(refused --recipe fp16-pure,tf32)" \
    "binade train: both is in use by another train or sweep; wait for it, or choose another directory
3"
check "no configuration was changed" equal "$(cat both/bf16-pure-0/config.json both/fp32-0/config.json)" "$config"
kill -TERM "$job"
wait "$job"
check "the first was not disturbed" equal "$?" 143

# shellcheck disable=SC2086
sweep() { exec ${BND_RUNNER-} "$program" sweep --model linear --recipe fp32 -j 1 --lr 0.01,0.02 --steps 100000000 \
    --out grid; }
(sweep) >/dev/null 2>&1 &
job=$!
while [ -z "$(find grid -name metrics.jsonl -size +0 2>/dev/null)" ] && kill -0 "$job" 2>/dev/null; do pause; done
check "the second of two sweeps is refused" equal "$( (sweep) 2>&1 >/dev/null; echo "$?")" \
    "binade sweep: grid is in use by another train or sweep; wait for it, or choose another directory
3"
kill -TERM "$job"
wait "$job"
check "the first sweep was not disturbed" equal "$?" 143

# ---- little memory ----

if (ulimit -v 400000 && binade --version) >/dev/null 2>&1; then
    product=0.1234567890123456789
    for i in 1 2 3 4 5 6 7 8 9 10 11; do product=$product*$product; done
    for limit in 14000 16000 18000 20000 24000 32000; do
        status=$(
            ulimit -v $limit
            binade calc fp64 "$product" >/dev/null 2>errors
            echo $?
        )
        case $status in
        0 | 3) check "calc in $limit KiB" true ;;
        127) ;; # not even its libraries find room
        *) check "calc in $limit KiB" equal "$status $(cat errors)" "0 or 3" ;;
        esac
    done
else
    skip "limited memory: the program does not start in 400 MB"
fi

# A terminal has bars, and a table below if there are values. A pipe has the table alone.
on_terminal() {
    COLUMNS=60 NO_COLOR=1 LC_ALL=C script -qec "$program range $1 -f e4m3" /dev/null </dev/null | tr -d '\r' | cut -d' ' -f1 | tr -s '\n' ' '
}
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    check "range on a terminal" equal "$(on_terminal "")" "e4m3 = "
    check "range of a value on a terminal" equal "$(on_terminal 448)" "e4m3 = | value 448 "
    check "--table on a terminal" equal "$(on_terminal "448 --table")" "value 448 "
else
    skip "a terminal (script)"
fi
check "range on a pipe" equal "$(binade range 448 -f e4m3 | head -n 1)" "value   e4m3"

conclude
