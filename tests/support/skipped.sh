#!/bin/sh
# Missing references are reported: tools/dev/count-skipped finds them in logs of tests, each once.
top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tests/bulk" "$scratch/tests/cli"
failed=0
expect() { # expect LINE
    if [ "$("$top/tools/dev/count-skipped" "$scratch")" != "$1" ]; then
        echo "not counted as expected: $1"
        failed=1
    fi
}
echo "0 skipped: nothing" >"$scratch/tests/bulk/test_bulk.log"
expect ""
printf '  1 passed\n\n2 skipped: back end neon; OpenBLAS (Debian: x)\n' >"$scratch/tests/bulk/test_bulk.log"
echo "3 passed, 0 failed, 1 skipped: zsh" >"$scratch/tests/cli/completion.log"
echo "1 skipped: back end neon" >"$scratch/tests/house.log"
expect "3 skipped: OpenBLAS (Debian: x); back end neon; zsh"
[ "$failed" = 0 ] && echo "2 passed, 0 failed"
exit "$failed"
