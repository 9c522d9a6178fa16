#!/bin/sh
# The same runs in PyTorch, from the same weights and batches: fp32 within 1e-5 over 100 steps, and the first ten steps of
# bf16-amp within 1e-3. Skipped (77) without PyTorch (Debian, Ubuntu: python3-torch).
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BND_BUILD:-$top/build}
python=
for candidate in ${PYTHON:+"$PYTHON"} /usr/bin/python3 python3; do
    if "$candidate" -c 'import torch' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no PyTorch (Debian, Ubuntu: python3-torch)"
    exit 77
fi
if [ -n "${BND_RUNNER-}" ]; then
    echo "skipped: this build is for another machine"
    exit 77
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
status=0
rerun() {
    mkdir "$folder/$1" && "$python" "$top/tests/torch/rerun.py" "$build/binade" "$folder/$1" "$@" || status=1
}
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
rerun fp32 100 1e-5 100
rerun bf16-amp 100 1e-3 10
exit $status
