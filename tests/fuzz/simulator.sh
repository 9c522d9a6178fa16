#!/bin/sh
# Damaged configs, folders of weights, tokenizers, recipes and runs, handed to train, evaluate, compare and cost: 100
# cases times BND_TEST_SCALE, at least 20, or as many as the argument says (simulator.py). Skipped (77) without
# Python 3.
. "$(dirname "$0")/../support/python.sh"
find_python 'import sys; sys.exit(sys.version_info < (3, 7))' "Python 3.7 or newer"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
BND_COMMAND="${BND_RUNNER-} $program"
export BND_COMMAND
cd "$work" || exit 1
count=${1:-$(awk "BEGIN { n = 100 * ${BND_TEST_SCALE:-1}; print n < 20 ? 20 : int(n) }")}
"$python" "$top/tests/fuzz/simulator.py" "$count" "${2:-1}"
