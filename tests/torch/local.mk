# The same runs in PyTorch, where there is one.
TESTS += tests/torch/run.sh
EXTRA_DIST += tests/torch/rerun.py tests/torch/run.sh
