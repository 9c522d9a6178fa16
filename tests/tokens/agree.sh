#!/bin/sh
# Tokens of texts, compared with the published algorithm in plain Python, and what is refused. Skipped (77) without
# Python 3.
. "$(dirname "$0")/../support/python.sh"
find_python 'import json, unicodedata; unicodedata.ucd_3_2_0' "Python 3"
made=$(mktemp -d) || exit 99
trap 'rm -rf "$made"' EXIT
cd "$made" || exit 99
PYTHONPATH=$top/tests/support "$python" "$top/tests/tokens/reference.py" "$build/tests/tokens/encode"
