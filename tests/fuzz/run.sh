#!/bin/sh
# The fuzzing program on random strings: 20,000 of them times BND_TEST_SCALE, at least 500.
build=${BND_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
count=$(awk "BEGIN { n = 20000 * ${BND_TEST_SCALE:-1}; print n < 500 ? 500 : int(n) }")
# shellcheck disable=SC2086  # BND_RUNNER, an emulator for this build's programs, may have arguments
if ${BND_RUNNER-} "$build/tests/fuzz/fuzz_random" -n "$count"; then
    echo "$count random strings: 1 passed, 0 failed"
else
    echo "$count random strings: 0 passed, 1 failed"
    exit 1
fi
