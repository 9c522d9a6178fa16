#!/bin/sh
# What a golden run cannot show of `binade quantize`: killed while it writes, it leaves nothing under the output's name,
# and the same command again makes the same bytes. Asked to stop by a signal, it leaves nothing at all.
. "$(dirname "$0")/checks.sh"

# One matrix of 64 MiB, so that the work takes a while.
mkdir model
{
    printf '\144\0\0\0\0\0\0\0%-100s' \
        '{"mlp.up_proj.weight":{"dtype":"BF16","shape":[8192,4096],"data_offsets":[0,67108864]}}'
    yes '<=>?' | head -c 67108864
} >model/model.safetensors
echo '{"model_type": "llama"}' >model/config.json

# shellcheck disable=SC2086  # BND_RUNNER may have arguments; exec, so that a signal reaches the program
quantize() { exec ${BND_RUNNER-} "$program" quantize model "$1" --to "$2" -j 2; }
others() { find . -mindepth 1 -maxdepth 1 ! -name model ! -name whole ! -name '*.txt'; }
# Waits until there is something new in the folder, and sends a signal.
meet() { # meet SIGNAL
    (quantize out nvfp4) >out.txt 2>&1 &
    job=$!
    while [ -z "$(others)" ] && kill -0 "$job" 2>/dev/null; do :; done
    kill "-$1" "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    status=$?
}

(quantize whole nvfp4) >whole.txt || { echo "it fails"; exit 1; }
met=0
for turn in 1 2 3 4 5; do
    meet KILL
    if [ ! -e out ]; then
        met=$((met + 1))
    else
        check "turn $turn: what has the name is complete" diff -r whole out
    fi
    others | while IFS= read -r name; do rm -rf "$name"; done
done
check "killed while it writes, at least once" [ "$met" -gt 0 ]
(quantize out nvfp4) >out.txt
check "what comes out is the same" diff -r whole out
rm -rf out

stopped=0
for turn in 1 2 3 4 5; do
    meet TERM
    [ "$status" = 143 ] && stopped=$((stopped + 1))
    if [ -e out ]; then
        check "turn $turn: complete, or stopped" diff -r whole out
        rm -rf out
    fi
    check "turn $turn: nothing stays" [ -z "$(others)" ]
done
check "stopped by SIGTERM, at least once" [ "$stopped" -gt 0 ]
conclude
