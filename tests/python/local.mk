# The package libbinade, where there is a Python with numpy.
TESTS += tests/python/run.sh tests/python/random.sh tests/python/wheel.sh
EXTRA_DIST += \
	tests/python/bench_torch.py \
	tests/python/lab.py \
	tests/python/notebooks.py \
	tests/python/random.sh \
	tests/python/random_bits.py \
	tests/python/run.sh \
	tests/python/support.py \
	tests/python/test_arrays.py \
	tests/python/test_blocks.py \
	tests/python/test_checkpoints.py \
	tests/python/test_cost.py \
	tests/python/test_documents.py \
	tests/python/test_evaluate.py \
	tests/python/test_hostile.py \
	tests/python/test_kinds.py \
	tests/python/test_messages.py \
	tests/python/test_notebooks.py \
	tests/python/test_numbers.py \
	tests/python/test_package.py \
	tests/python/test_products.py \
	tests/python/test_runs.py \
	tests/python/test_testing.py \
	tests/python/test_shims.py \
	tests/python/test_torch.py \
	tests/python/test_torch_functions.py \
	tests/python/test_torch_gradients.py \
	tests/python/test_torch_models.py \
	tests/python/test_torch_muon.py \
	tests/python/test_torch_parts.py \
	tests/python/test_types.py \
	tests/python/torch_models.py \
	tests/python/wheel.sh
