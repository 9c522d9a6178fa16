#!/bin/sh
# The fuzzing programs on random inputs: 10,000 each times BND_TEST_SCALE, at least 500.
build=${BND_BUILD:-$(cd "$(dirname "$0")/../.." && pwd)/build}
count=$(awk "BEGIN { n = 10000 * ${BND_TEST_SCALE:-1}; print n < 500 ? 500 : int(n) }")
failed=0
for program in fuzz_parse_random fuzz_npy_random fuzz_safetensors_random fuzz_checkpoint_random fuzz_gguf_random fuzz_index_random fuzz_records_random fuzz_calc_random fuzz_tokenizer_random fuzz_vectors_random fuzz_weights_random; do
    # shellcheck disable=SC2086  # BND_RUNNER, an emulator for this build's programs, may have arguments
    if ${BND_RUNNER-} "$build/tests/fuzz/$program" -n "$count"; then
        echo "$program, $count random inputs: 1 passed, 0 failed"
    else
        echo "$program, $count random inputs: 0 passed, 1 failed"
        failed=1
    fi
done
exit "$failed"
