#!/bin/sh
# GPT-2's and Llama's checkpoints against models of them in numpy, and in PyTorch where that is installed; asked as
# tests/store/numpy.sh asks it.
top=$(cd "$(dirname "$0")/../.." && pwd)
exec "${SHELL:-sh}" "$top/tests/store/numpy.sh" "$top/tests/train/hugging_face.py"
