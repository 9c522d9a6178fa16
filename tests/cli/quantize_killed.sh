#!/bin/sh
# What a golden run cannot show of `binade quantize`: killed while it writes, it leaves nothing under the output's name,
# and the same command again makes the same bytes. Asked to stop by a signal, it leaves nothing at all; nor does it where
# its input becomes shorter. A mount point is refused before the work.
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
others() { find . -mindepth 1 -maxdepth 1 ! -name model ! -name whole ! -name kept ! -name '*.txt'; }
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

# The end of the input goes while it is read: pages that are mapped have no bytes any more.
cp -r model kept
shortened=0
for turn in 1 2 3 4 5; do
    cp kept/model.safetensors model/model.safetensors
    (quantize out nvfp4) >out.txt 2>errors.txt &
    job=$!
    while [ -z "$(others)" ] && kill -0 "$job" 2>/dev/null; do :; done
    truncate -s 4096 model/model.safetensors
    wait "$job" 2>/dev/null
    status=$?
    if [ -e out ]; then
        rm -rf out # all was read before
    else
        shortened=$((shortened + 1))
        check "turn $turn: a message" equal "$status $(cat errors.txt)" \
            "3 binade: an input file became shorter while it was read, or cannot be read"
    fi
    check "turn $turn: nothing stays" [ -z "$(others)" ]
done
check "shortened while it was read, at least once" [ "$shortened" -gt 0 ]

# The same where the system reads the pages: tensors that stay are written as they are mapped.
{
    printf '\310\0\0\0\0\0\0\0%-200s' '{"a.weight":{"dtype":"BF16","shape":[64,64],"data_offsets":[0,8192]},"norm.weight":{"dtype":"BF16","shape":[33554432],"data_offsets":[8192,67117056]}}'
    yes '<=>?' | head -c 67117056
} >kept/stays.safetensors
rm -f model/*.safetensors
shortened=0
for turn in 1 2 3 4 5; do
    cp kept/stays.safetensors model/model.safetensors
    (quantize out mxfp8) >out.txt 2>errors.txt &
    job=$!
    while [ -z "$(others)" ] && kill -0 "$job" 2>/dev/null; do :; done
    truncate -s 4096 model/model.safetensors
    wait "$job" 2>/dev/null
    status=$?
    if [ -e out ]; then
        rm -rf out
    else
        shortened=$((shortened + 1))
        check "turn $turn: the status" equal "$status" 3
        check "turn $turn: a message" grep -q 'an input file became shorter' errors.txt
    fi
    check "turn $turn: nothing stays" [ -z "$(others)" ]
done
check "shortened while it was written, at least once" [ "$shortened" -gt 0 ]
rm -f kept/stays.safetensors
rm -rf model && mv kept model

# A mount of another file system, and of the same one; a file, whose name cannot be given to another one either.
if command -v unshare >/dev/null && unshare -rm sh -c 'mkdir out && mount -t tmpfs none out' 2>/dev/null; then
    mkdir inner
    : >out.safetensors && : >empty
    refused() { # refused OUT MOUNT-ARGUMENT...
        out=$1
        shift
        # shellcheck disable=SC2016  # for the inner shell
        unshare -rm sh -c 'program=$1 out=$2; shift 2; mount "$@" && exec $program quantize model "$out" --to nvfp4' \
            sh "${BND_RUNNER:+$BND_RUNNER }$program" "$out" "$@" 2>&1
        echo $?
    }
    check "another file system" equal "$(refused out -t tmpfs none out)" \
        "binade quantize: out: is a mount point, which cannot be replaced; name a folder within it
3"
    check "within it" equal "$(refused out/x -t tmpfs none out | tail -n 1)" 0
    if unshare -rm sh -c 'mount --bind inner out && stat -c %m out' 2>/dev/null | grep -q '/out$'; then
        check "the same file system" equal "$(refused out --bind inner out)" \
            "binade quantize: out: is a mount point, which cannot be replaced; name a folder within it
3"
        check "a file" equal "$(refused out.safetensors --bind empty out.safetensors)" \
            "binade quantize: out.safetensors: is a mount point, which cannot be replaced; mount the folder that it is in
3"
    fi
    rmdir out inner
    rm out.safetensors empty
else
    skip "mount points: they need unshare, and a user who may mount"
fi
conclude
