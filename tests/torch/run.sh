#!/bin/sh
# The same runs in PyTorch, from the same weights and batches: fp32 within 1e-5 over 100 steps, and the first ten steps of
# bf16-amp within 1e-3. Skipped (77) without PyTorch (PYTHON names a Python).
. "$(dirname "$0")/../support/python.sh"
find_python 'import torch' "PyTorch (Debian, Ubuntu: python3-torch)"
[ -z "${BND_RUNNER-}" ] || skip "PyTorch: this build is for another machine"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
status=0
rerun() {
    mkdir "$folder/$1" && "$python" "$top/tests/torch/rerun.py" "$program" "$folder/$1" "$@" || status=1
}
rerun fp32 100 1e-5 100
rerun bf16-amp 100 1e-3 10
exit $status
