#!/bin/sh
# Python's json and numpy as the judge of our .safetensors files, as tests/store/numpy.sh asks it.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
BND_THROUGH="${BND_RUNNER:+$BND_RUNNER }$build/tests/store/safetensors_through"
export BND_THROUGH
exec "${SHELL:-sh}" "$top/tests/store/numpy.sh" "$top/tests/store/safetensors_judge.py"
