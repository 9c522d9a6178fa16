#!/bin/sh
# What a scan says of a candidate is what quantize and diff find, to the last bit of the sums: a trained model is
# quantized, decoded and compared with itself. Skipped (77) without Python 3.
. "$(dirname "$0")/../support/python.sh"
find_python 'import json' "Python 3"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
cd "$made" || exit 99
PATH=${program%/*}:$PATH
export PATH
binade train --recipe fp32 --steps 4 --out model >train.out || exit 1
bad=0
try() { # try CANDIDATE OPTIONS...
    candidate=$1
    shift
    rm -f quantized.safetensors
    binade quantize model/checkpoint.safetensors quantized.safetensors --no-fuse "$@" >quantize.out &&
        binade diff quantized.safetensors model/checkpoint.safetensors --no-explain --all --json >diff.json
    binade scan model/checkpoint.safetensors --to "$candidate" --json >scan.json || bad=1
    "$python" "$top/tests/scan/agree_judge.py" "$candidate" scan.json diff.json || bad=1
}
try e4m3/row --to e4m3 --scale row --scale-dtype fp32
try e4m3/tensor --to e4m3 --scale tensor --scale-dtype fp32
try e4m3/tile:128x128 --to e4m3 --layout fp8-block
try nvfp4 --to nvfp4 --layout modelopt
try nvfp4:4/6 --to nvfp4 --layout modelopt --rule 4/6
try mxfp8 --to mxfp8 --rule rceil
try mxfp4:floor --to mxfp4 --rule floor
try int8/row --to int8 --scale row --scale-dtype fp32
exit "$bad"
