#!/bin/sh
# Exact rationals as the judge of how recipes cast operands, as tests/store/numpy.sh asks it.
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
BND_THROUGH="${BND_RUNNER:+$BND_RUNNER }$build/tests/tensor/cast_through"
export BND_THROUGH
exec "${SHELL:-sh}" "$top/tests/store/numpy.sh" "$top/tests/tensor/rationals_judge.py"
