#!/bin/sh
# Reads reports as JSON. Skipped (77) without Python (PYTHON names one).
. "$(dirname "$0")/../support/python.sh"
find_python 'import json' "Python 3"
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
LC_ALL=C.UTF-8
export LC_ALL
PYTHONPATH=$top/tests/support
export PYTHONPATH
cd "$scratch" && BND_COMMAND="${BND_RUNNER:+$BND_RUNNER }$program" "$python" "$top/tests/report/report_judge.py"
