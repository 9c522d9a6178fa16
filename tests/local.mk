# What `make check` runs: a CUnit program a folder, the golden runs of the command, and the rules of the house.
# BND_TEST_SCALE multiplies the number of random cases.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	BND_BUILD='$(abs_top_builddir)'; export BND_BUILD; \
	CC='$(CC)'; export CC; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; export LSAN_OPTIONS; \
	NM='$(NM)'; export NM;

TEST_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS) -I$(top_srcdir) $(CUNIT_CFLAGS)
TEST_LDADD = libbinade-internal.la $(CUNIT_LIBS)

# Begun in this order: those that take longest first, so that none is left alone at the end.
UNIT_TESTS = \
	tests/bulk/test_bulk \
	tests/arith/test_arith \
	tests/tensor/test_tensor \
	tests/train/test_train \
	tests/train/test_recipes \
	tests/study/test_study \
	tests/block/test_block \
	tests/matmul/test_matmul \
	tests/text/test_text \
	tests/codec/test_codec \
	tests/base/test_base \
	tests/format/test_format \
	tests/oracle/test_oracle \
	tests/calc/test_calc \
	tests/store/test_store \
	tests/policy/test_policy \
	tests/lecture/lecture \
	tests/train/test_checkpoint \
	tests/cost/test_cost \
	tests/prove/test_prove \
	tests/prove/test_vectors

# Allocations fail in tests where the linker leads them elsewhere.
if HAVE_WRAP
WRAP_DEFINES = -DBND_WITH_WRAP
WRAP_OPTIONS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup,--wrap=realpath,--wrap=free
endif

TESTS += tests/cli/run.sh
if HAVE_CUNIT
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif

tests_base_test_base_CPPFLAGS = $(TEST_CPPFLAGS)
tests_base_test_base_LDADD = $(TEST_LDADD)
tests_base_test_base_SOURCES = \
	tests/base/test_base.c \
	tests/base/test_messages.c \
	tests/base/test_nearest.c \
	tests/base/test_random.c \
	tests/base/tests.h \
	tests/suites.h

tests_format_test_format_CPPFLAGS = $(TEST_CPPFLAGS)
tests_format_test_format_LDADD = $(TEST_LDADD)
tests_format_test_format_SOURCES = \
	tests/format/limits.def \
	tests/format/test_custom.c \
	tests/format/test_dialects.c \
	tests/format/test_format.c \
	tests/format/test_limits.c \
	tests/format/test_names.c \
	tests/format/test_p3109.c \
	tests/format/test_rules.c \
	tests/format/test_value_sets.c \
	tests/format/tests.h \
	tests/suites.h

tests_codec_test_codec_CPPFLAGS = $(TEST_CPPFLAGS)
tests_codec_test_codec_LDADD = $(TEST_LDADD)
tests_codec_test_codec_SOURCES = \
	tests/codec/driver.c \
	tests/codec/driver.h \
	tests/codec/test_codec.c \
	tests/codec/test_codes.c \
	tests/codec/test_dialects.c \
	tests/codec/test_midpoints.c \
	tests/codec/test_order.c \
	tests/codec/test_sources.c \
	tests/codec/test_stochastic.c \
	tests/codec/test_wide.c \
	tests/codec/test_witnesses.c \
	tests/codec/tests.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h

tests_oracle_test_oracle_CPPFLAGS = $(TEST_CPPFLAGS)
tests_oracle_test_oracle_LDADD = $(TEST_LDADD) $(LIBM)
tests_oracle_test_oracle_SOURCES = \
	tests/arith/machine.c \
	tests/arith/machine.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/oracle/test_engines.c \
	tests/oracle/test_hardware.c \
	tests/oracle/test_known.c \
	tests/oracle/test_limits.c \
	tests/oracle/test_operations.c \
	tests/oracle/test_oracle.c \
	tests/oracle/tests.h \
	tests/suites.h

tests_arith_test_arith_CPPFLAGS = $(TEST_CPPFLAGS)
tests_arith_test_arith_LDADD = $(TEST_LDADD) $(LIBM)
tests_arith_test_arith_SOURCES = \
	tests/arith/driver.c \
	tests/arith/driver.h \
	tests/arith/machine.c \
	tests/arith/machine.h \
	tests/arith/test_arith.c \
	tests/arith/test_comparison.c \
	tests/arith/test_elementary.c \
	tests/arith/test_formats.c \
	tests/arith/test_halves.c \
	tests/arith/test_hardware.c \
	tests/arith/test_known.c \
	tests/arith/test_narrow.c \
	tests/arith/test_quick.c \
	tests/arith/test_wide.c \
	tests/arith/tests.h \
	tests/codec/driver.c \
	tests/codec/driver.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h

tests_text_test_text_CPPFLAGS = $(TEST_CPPFLAGS)
tests_text_test_text_LDADD = $(TEST_LDADD)
tests_text_test_text_SOURCES = \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/text/support.c \
	tests/text/test_differences.c \
	tests/text/test_grammar.c \
	tests/text/test_midpoints.c \
	tests/text/test_mutations.c \
	tests/text/test_reading.c \
	tests/text/test_shortest.c \
	tests/text/test_text.c \
	tests/text/test_writing.c \
	tests/text/tests.h \
	tests/suites.h

tests_calc_test_calc_CPPFLAGS = $(TEST_CPPFLAGS)
tests_calc_test_calc_LDADD = $(TEST_LDADD)
tests_calc_test_calc_SOURCES = \
	tests/calc/test_calc.c \
	tests/calc/test_values.c \
	tests/calc/tests.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h

tests_bulk_test_bulk_CPPFLAGS = $(TEST_CPPFLAGS)
tests_bulk_test_bulk_LDADD = $(TEST_LDADD) $(LIBM)
tests_bulk_test_bulk_SOURCES = \
	tests/bulk/compare.c \
	tests/bulk/compare.h \
	tests/bulk/expected.c \
	tests/bulk/expected.h \
	tests/bulk/operands.c \
	tests/bulk/operations.c \
	tests/bulk/operations.h \
	tests/bulk/pages.c \
	tests/bulk/pages.h \
	tests/bulk/sums.c \
	tests/bulk/sums.h \
	tests/bulk/test_bits.c \
	tests/bulk/test_bulk.c \
	tests/bulk/test_context.c \
	tests/bulk/test_environment.c \
	tests/bulk/test_memory.c \
	tests/bulk/test_operate.c \
	tests/bulk/test_places.c \
	tests/bulk/test_ready.c \
	tests/bulk/test_refusals.c \
	tests/bulk/test_stats.c \
	tests/bulk/test_stochastic.c \
	tests/bulk/test_stream.c \
	tests/bulk/test_sum.c \
	tests/bulk/test_threads.c \
	tests/bulk/tests.h \
	tests/codec/driver.c \
	tests/codec/driver.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h

tests_policy_test_policy_CPPFLAGS = $(TEST_CPPFLAGS)
tests_policy_test_policy_LDADD = $(TEST_LDADD)
tests_policy_test_policy_SOURCES = \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/policy/test_policy.c \
	tests/suites.h

tests_train_test_checkpoint_CPPFLAGS = $(TEST_CPPFLAGS)
tests_train_test_checkpoint_LDADD = $(TEST_LDADD) $(LIBM)
tests_train_test_checkpoint_SOURCES = \
	tests/folder.c \
	tests/folder.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/outcome.c \
	tests/outcome.h \
	tests/suites.h \
	tests/train/test_checkpoint.c \
	tests/train/test_configuration.c

tests_train_test_recipes_CPPFLAGS = $(TEST_CPPFLAGS)
tests_train_test_recipes_LDADD = $(TEST_LDADD) $(LIBM)
tests_train_test_recipes_SOURCES = \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/outcome.c \
	tests/outcome.h \
	tests/suites.h \
	tests/train/test_recipes.c

tests_train_test_train_CPPFLAGS = $(TEST_CPPFLAGS) -DBND_TEST_SOURCES='"$(abs_top_srcdir)"'
tests_train_test_train_LDADD = $(TEST_LDADD) $(LIBM)
tests_train_test_train_SOURCES = \
	tests/folder.c \
	tests/folder.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h \
	tests/outcome.c \
	tests/outcome.h \
	tests/tensor/support.c \
	tests/tensor/tests.h \
	tests/train/golden.h \
	tests/train/support.c \
	tests/train/test_data.c \
	tests/train/test_golden.c \
	tests/train/test_inputs.c \
	tests/train/test_losses.c \
	tests/train/test_models.c \
	tests/train/test_sources.c \
	tests/train/test_train.c \
	tests/train/test_own.c \
	tests/train/test_traps.c \
	tests/train/tests.h
check_PROGRAMS += tests/train/export_run
tests_train_export_run_CPPFLAGS = $(TEST_CPPFLAGS)
tests_train_export_run_LDADD = libbinade-internal.la
tests_train_export_run_SOURCES = \
	tests/train/export_run.c \
	tests/train/golden.h
EXTRA_DIST += \
	tests/train/golden/optimizers.txt \
	tests/train/golden/scaler.txt \
	tests/train/golden/transformer.txt

tests_study_test_study_CPPFLAGS = $(TEST_CPPFLAGS) $(WRAP_DEFINES)
tests_study_test_study_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
tests_study_test_study_LDADD = $(TEST_LDADD) $(LIBM)
tests_study_test_study_SOURCES = \
	tests/folder.c \
	tests/folder.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/study/causes.c \
	tests/study/causes.h \
	tests/study/test_autopsy.c \
	tests/study/test_compare.c \
	tests/study/test_damage.c \
	tests/study/test_ended.c \
	tests/study/test_failures.c \
	tests/study/test_fork.c \
	tests/study/test_killed.c \
	tests/study/test_records.c \
	tests/study/test_resume.c \
	tests/study/test_runs.c \
	tests/study/test_statistics.c \
	tests/outcome.c \
	tests/outcome.h \
	tests/study/test_study.c \
	tests/study/test_sweep.c \
	tests/study/tests.h \
	tests/suites.h \
	tests/tensor/allocations.c \
	tests/tensor/allocations.h

tests_tensor_test_tensor_CPPFLAGS = $(TEST_CPPFLAGS) $(WRAP_DEFINES) -DBND_TEST_SOURCES='"$(abs_top_srcdir)"'
tests_tensor_test_tensor_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
tests_tensor_test_tensor_LDADD = $(TEST_LDADD) $(LIBM)
tests_tensor_test_tensor_SOURCES = \
	tests/folder.c \
	tests/folder.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h \
	tests/tensor/allocations.c \
	tests/tensor/allocations.h \
	tests/tensor/battery.c \
	tests/tensor/battery.h \
	tests/outcome.c \
	tests/outcome.h \
	tests/tensor/casts.c \
	tests/tensor/casts.h \
	tests/tensor/gradients.c \
	tests/tensor/gradients.h \
	tests/tensor/graphs.c \
	tests/tensor/graphs.h \
	tests/tensor/support.c \
	tests/tensor/test_accuracy.c \
	tests/tensor/test_environment.c \
	tests/tensor/test_failures.c \
	tests/tensor/test_files.c \
	tests/tensor/test_gains.c \
	tests/tensor/test_golden.c \
	tests/tensor/test_gradients.c \
	tests/tensor/test_graphs.c \
	tests/tensor/test_maths.c \
	tests/tensor/test_memory.c \
	tests/tensor/test_named.c \
	tests/tensor/test_policies.c \
	tests/tensor/test_products.c \
	tests/tensor/test_safetensors.c \
	tests/tensor/test_same.c \
	tests/tensor/test_scaling.c \
	tests/tensor/test_segments.c \
	tests/tensor/test_statistics.c \
	tests/tensor/test_tape.c \
	tests/tensor/test_tensor.c \
	tests/tensor/test_views.c \
	tests/tensor/tests.h

# What tests/tensor/numpy.sh runs.
check_PROGRAMS += tests/tensor/npy_through
tests_tensor_npy_through_CPPFLAGS = $(PUBLIC_CPPFLAGS)
tests_tensor_npy_through_LDADD = libbinade-internal.la
tests_tensor_npy_through_SOURCES = tests/tensor/npy_through.c

tests_cost_test_cost_CPPFLAGS = $(TEST_CPPFLAGS)
tests_cost_test_cost_LDADD = $(TEST_LDADD) $(LIBM)
tests_cost_test_cost_SOURCES = \
	tests/outcome.c \
	tests/outcome.h \
	tests/cost/test_cost.c \
	tests/cost/test_by_hand.c \
	tests/cost/test_measured.c \
	tests/cost/test_numbers.c \
	tests/cost/test_rows.c \
	tests/cost/tests.h \
	tests/suites.h

tests_lecture_lecture_CPPFLAGS = $(TEST_CPPFLAGS)
tests_lecture_lecture_LDADD = $(TEST_LDADD) $(LIBM)
tests_lecture_lecture_SOURCES = \
	tests/lecture/flops.c \
	tests/lecture/lecture.c \
	tests/lecture/lecture.h \
	tests/lecture/memory.c \
	tests/lecture/models.c \
	tests/lecture/pointers.c \
	tests/lecture/precision.c \
	tests/lecture/questions.c \
	tests/lecture/support.c \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h \
	tests/outcome.c \
	tests/outcome.h \
	tests/tensor/support.c \
	tests/tensor/tests.h
EXTRA_DIST += \
	tests/tensor/golden/casts.txt \
	tests/tensor/golden/graphs.txt \
	tests/tensor/golden/operations.txt

tests_store_test_store_CPPFLAGS = $(TEST_CPPFLAGS) $(WRAP_DEFINES)
tests_store_test_store_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
tests_store_test_store_LDADD = $(TEST_LDADD)
tests_store_test_store_SOURCES = \
	tests/store/folder.c \
	tests/store/test_files.c \
	tests/store/test_json_writer.c \
	tests/store/test_read.c \
	tests/store/test_refused.c \
	tests/store/test_safetensors.c \
	tests/store/test_safetensors_write.c \
	tests/store/test_store.c \
	tests/store/test_write.c \
	tests/store/tests.h \
	tests/suites.h \
	tests/tensor/allocations.c \
	tests/tensor/allocations.h

# What tests/store/safetensors.sh runs.
check_PROGRAMS += tests/store/safetensors_through
tests_store_safetensors_through_CPPFLAGS = $(PUBLIC_CPPFLAGS)
tests_store_safetensors_through_LDADD = libbinade-internal.la
tests_store_safetensors_through_SOURCES = tests/store/safetensors_through.c

tests_prove_test_prove_CPPFLAGS = $(TEST_CPPFLAGS)
tests_prove_test_prove_LDADD = $(TEST_LDADD)
tests_prove_test_prove_SOURCES = \
	tests/prove/test_proofs.c \
	tests/prove/test_prove.c \
	tests/prove/tests.h \
	tests/suites.h

tests_prove_test_vectors_CPPFLAGS = $(TEST_CPPFLAGS)
tests_prove_test_vectors_LDADD = $(TEST_LDADD) $(LIBM)
tests_prove_test_vectors_SOURCES = \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/prove/test_answers.c \
	tests/prove/test_coverage.c \
	tests/prove/test_dialects.c \
	tests/prove/test_lines.c \
	tests/prove/test_rules.c \
	tests/prove/test_vectors.c \
	tests/prove/vectors_support.c \
	tests/prove/vectors_support.h \
	tests/suites.h

tests_block_test_block_CPPFLAGS = $(TEST_CPPFLAGS)
tests_block_test_block_LDADD = $(TEST_LDADD) $(LIBM)
tests_block_test_block_SOURCES = \
	tests/block/model.c \
	tests/block/model.h \
	tests/block/test_block.c \
	tests/block/test_dynamic.c \
	tests/block/test_gguf.c \
	tests/block/test_hadamard.c \
	tests/block/test_names.c \
	tests/block/test_normal.c \
	tests/block/test_quantize.c \
	tests/block/test_refusals.c \
	tests/block/test_same.c \
	tests/block/test_special.c \
	tests/block/tests.h \
	tests/codec/driver.c \
	tests/codec/driver.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h

tests_matmul_test_matmul_CPPFLAGS = $(TEST_CPPFLAGS)
tests_matmul_test_matmul_LDADD = $(TEST_LDADD) $(LIBM)
tests_matmul_test_matmul_SOURCES = \
	tests/matmul/model.c \
	tests/matmul/model.h \
	tests/matmul/test_known.c \
	tests/matmul/test_matmul.c \
	tests/matmul/test_names.c \
	tests/matmul/test_products.c \
	tests/matmul/test_refusals.c \
	tests/matmul/test_same.c \
	tests/matmul/tests.h \
	tests/oracle/operands.c \
	tests/oracle/operands.h \
	tests/suites.h

# Runs what stands in tests/cli/*.txt and in the console blocks of the Markdown pages.
check_PROGRAMS += tests/cli/transcript
TESTS += tests/cli/clock.sh
TESTS += tests/cli/cast_streams.sh tests/cli/completion.sh tests/cli/process.sh tests/cli/sweep_killed.sh tests/store/numpy.sh tests/store/safetensors.sh tests/tensor/numpy.sh tests/train/lost_updates.sh \
	tests/house.sh
tests_cli_transcript_CPPFLAGS = $(POSIX_CPPFLAGS) -I$(top_srcdir)
tests_cli_transcript_SOURCES = \
	tests/cli/compare.c \
	tests/cli/shell.c \
	tests/cli/text.c \
	tests/cli/transcript.c \
	tests/cli/transcript.h
# `binade verify` of something that is wrong.
check_PROGRAMS += tests/cli/verify_wrong
tests_cli_verify_wrong_CPPFLAGS = $(COMMAND_CPPFLAGS)
tests_cli_verify_wrong_LDADD = libbinade-lab.la libbinade.la $(LIBM)
tests_cli_verify_wrong_SOURCES = \
	tests/cli/verify_wrong.c \
	tools/binade/common/arguments.c \
	tools/binade/common/characters.c \
	tools/binade/verify/cmd_verify.c \
	tools/binade/common/command.h \
	tools/binade/common/help.c \
	tools/binade/common/messages.c \
	tools/binade/common/options.c \
	tools/binade/common/print.c \
	tools/binade/common/table.c \
	tools/binade/common/print.h \
	tools/binade/common/rules.c \
	tools/binade/common/progress.c \
	tools/binade/common/progress.h \
	tools/binade/verify/candidate.h
EXTRA_DIST += \
	tests/check-exhaustive.sh \
	tests/lsan.supp \
	tests/cli/calc.txt \
	tests/cli/evaluate.txt \
	tests/cli/examples.txt \
	tests/cli/cast.txt \
	tests/cli/cast_streams.sh \
	tests/cli/clock.sh \
	tests/cli/checks.sh \
	tests/cli/bench.txt \
	tests/cli/compare.txt \
	tests/cli/completion.sh \
	tests/cli/cost.txt \
	tests/cli/formats.txt \
	tests/cli/help.txt \
	tests/cli/inputs.txt \
	tests/cli/verify.txt \
	tests/cli/range.txt \
	tests/cli/run.sh \
	tests/cli/show.txt \
	tests/cli/sweep.txt \
	tests/cli/process.sh \
	tests/cli/sweep_killed.sh \
	tests/cli/train.txt \
	tests/cli/vectors.txt \
	tests/store/numpy.sh \
	tests/store/numpy_judge.py \
	tests/store/safetensors.sh \
	tests/store/safetensors_judge.py \
	tests/tensor/numpy.sh \
	tests/tensor/numpy_judge.py \
	tests/train/lost_updates.py \
	tests/train/lost_updates.sh \
	tests/house.sh

# binade.py, where there is a Python with numpy: `sizes` prints the library's types for its mirror of them.
check_PROGRAMS += tests/python/sizes
TESTS += tests/python/run.sh tests/python/random.sh
EXTRA_DIST += \
	tests/python/random.sh \
	tests/python/run.sh \
	tests/python/test_random.py \
	tests/python/test_binade.py
tests_python_sizes_CPPFLAGS = $(PUBLIC_CPPFLAGS)
tests_python_sizes_LDADD =
tests_python_sizes_SOURCES = tests/python/sizes.c

# The same runs in PyTorch, where there is one.
TESTS += tests/torch/run.sh
EXTRA_DIST += \
	tests/torch/rerun.py \
	tests/torch/run.sh

# Units in SystemVerilog, right and with one fault each, where there is Verilator: `binade vectors check` tells them apart.
TESTS += tests/hardware/run.sh
EXTRA_DIST += \
	tests/hardware/cvt.sv \
	tests/hardware/fadd.sv \
	tests/hardware/fmul.sv \
	tests/hardware/run.sh \
	tests/hardware/units.cpp

# The long-running checks: every float, every midpoint, other implementations. `make check-exhaustive` runs them all, hours in
# all; make check-exhaustive ROWS=fp16,e4m3 MODES=rne,rtz JOBS=2 a part. Stopped, they go on where they were.
EXHAUSTIVE = \
	tests/exhaustive/arith \
	tests/exhaustive/bulk \
	tests/exhaustive/causes \
	tests/exhaustive/elementary \
	tests/exhaustive/float32 \
	tests/exhaustive/large \
	tests/exhaustive/midpoints
EXTRA_PROGRAMS += $(EXHAUSTIVE)
CLEANFILES += $(EXHAUSTIVE)
EXHAUSTIVE_SHARED = \
	tests/exhaustive/common.h \
	tests/exhaustive/options.c \
	tests/exhaustive/pool.c \
	tests/exhaustive/state.c
tests_exhaustive_bulk_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_bulk_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_bulk_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/bulk.c
tests_exhaustive_arrays_CPPFLAGS = $(TEST_CPPFLAGS)
tests_exhaustive_arrays_LDADD = $(TEST_LDADD) $(LIBM)
tests_exhaustive_arrays_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/bulk/compare.c \
	tests/bulk/compare.h \
	tests/bulk/draws.c \
	tests/bulk/draws.h \
	tests/bulk/expected.c \
	tests/bulk/expected.h \
	tests/bulk/operands.c \
	tests/bulk/operations.c \
	tests/bulk/operations.h \
	tests/bulk/pages.h \
	tests/bulk/sums.c \
	tests/bulk/sums.h \
	tests/codec/driver.c \
	tests/codec/driver.h \
	tests/exhaustive/arrays.c \
	tests/oracle/operands.c \
	tests/oracle/operands.h
tests_exhaustive_arith_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_arith_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_arith_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/arith/machine.c \
	tests/arith/machine.h \
	tests/exhaustive/arith.c
tests_exhaustive_causes_CPPFLAGS = $(LAB_CPPFLAGS) -I$(top_srcdir)
tests_exhaustive_causes_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_causes_SOURCES = tests/exhaustive/causes.c \
	tests/study/causes.c \
	tests/study/causes.h
tests_exhaustive_cuda_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS) $(CUDA_DEFINES)
tests_exhaustive_cuda_LDADD = libbinade-internal.la $(LIBM) $(CUDA_OBJECTS)
tests_exhaustive_cuda_DEPENDENCIES = libbinade-internal.la $(CUDA_OBJECTS)
tests_exhaustive_cuda_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/cuda.c \
	tests/exhaustive/cuda_judge.h \
	tests/exhaustive/sample.c \
	tests/exhaustive/sample.h
tests_exhaustive_elementary_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_elementary_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_elementary_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/elementary.c
tests_exhaustive_cuda_dialects_CPPFLAGS = $(tests_exhaustive_cuda_CPPFLAGS)
tests_exhaustive_cuda_dialects_LDADD = $(tests_exhaustive_cuda_LDADD)
tests_exhaustive_cuda_dialects_DEPENDENCIES = $(tests_exhaustive_cuda_DEPENDENCIES)
tests_exhaustive_cuda_dialects_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/cuda_dialects.c \
	tests/exhaustive/cuda_judge.h \
	tests/exhaustive/sample.c \
	tests/exhaustive/sample.h
tests_exhaustive_float32_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_float32_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_float32_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/float32.c
tests_exhaustive_hardware_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_hardware_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_hardware_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/hardware.c \
	tests/exhaustive/sample.c \
	tests/exhaustive/sample.h
tests_exhaustive_large_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_large_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_large_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/large.c
tests_exhaustive_midpoints_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS)
tests_exhaustive_midpoints_LDADD = libbinade-internal.la $(LIBM)
tests_exhaustive_midpoints_SOURCES = $(EXHAUSTIVE_SHARED) \
	tests/exhaustive/midpoints.c

# CUDA's headers are C++, and need nothing of its library.
EXTRA_DIST += \
	tests/exhaustive/cuda_conversions.def \
	tests/exhaustive/cuda_judge.cc
if HAVE_CUDA
CUDA_DEFINES = -DBND_HAVE_CUDA
CUDA_OBJECTS = tests/exhaustive/cuda_judge.$(OBJEXT)
CLEANFILES += $(CUDA_OBJECTS)
endif
tests/exhaustive/cuda_judge.$(OBJEXT): tests/exhaustive/cuda_judge.cc tests/exhaustive/cuda_conversions.def \
		tests/exhaustive/cuda_judge.h include/binade/format.h
	$(AM_V_GEN)$(MKDIR_P) tests/exhaustive && $(CXX) -std=c++17 -fno-exceptions -fno-rtti $(CUDA_CPPFLAGS) $(PUBLIC_CPPFLAGS) \
		-O2 -g -c -o $@ $(top_srcdir)/tests/exhaustive/cuda_judge.cc

# Of these, make check runs a stratified part. Random calls on arrays share files with tests that need CUnit.
if HAVE_CUNIT
check_PROGRAMS += tests/exhaustive/arrays
TESTS += tests/exhaustive/arrays
RANDOM_ARRAYS = tests/exhaustive/arrays$(EXEEXT)
RANDOM_ARRAYS_NAME = arrays
endif
check_PROGRAMS += \
	tests/exhaustive/cuda \
	tests/exhaustive/cuda_dialects \
	tests/exhaustive/hardware
TESTS += \
	tests/exhaustive/cuda \
	tests/exhaustive/cuda_dialects \
	tests/exhaustive/hardware

check-exhaustive: $(EXHAUSTIVE) $(RANDOM_ARRAYS) tests/exhaustive/cuda$(EXEEXT) tests/exhaustive/hardware$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/hardware/run.sh --long || test $$? = 77
	@$(AM_TESTS_ENVIRONMENT) ROWS='$(ROWS)' MODES='$(MODES)' JOBS='$(JOBS)' \
	$(SHELL) $(top_srcdir)/tests/check-exhaustive.sh causes float32 midpoints arith $(RANDOM_ARRAYS_NAME) elementary bulk large cuda hardware
.PHONY: check-exhaustive

# Published results at small scale, and doc/experiments.md with what came out: make experiments NAMES='fp8 mx' some of them;
# BND_EXPERIMENT_SCALE=10 ten times the steps. Runs that are complete are not made again.
EXTRA_DIST += \
	tests/experiments/accumulators.sh \
	tests/experiments/attention.sh \
	tests/experiments/failing.sh \
	tests/experiments/fp8.sh \
	tests/experiments/fp8large.sh \
	tests/experiments/fp8lm.sh \
	tests/experiments/lib.sh \
	tests/experiments/micikevicius.sh \
	tests/experiments/mx.sh \
	tests/experiments/nvfp4.sh \
	tests/experiments/page.sh \
	tests/experiments/run.sh \
	tests/experiments/student.sh \
	tests/experiments/verdicts.sh \
	tests/experiments/zamirai.sh
check_PROGRAMS += tests/experiments/resample
tests_experiments_resample_CPPFLAGS = $(PUBLIC_CPPFLAGS)
tests_experiments_resample_LDADD = libbinade-lab.la libbinade.la $(LIBM)
tests_experiments_resample_SOURCES = tests/experiments/resample.c
experiments: binade$(EXEEXT) tests/experiments/resample$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) $(top_srcdir)/tests/experiments/run.sh $(NAMES)
.PHONY: experiments

# `make fuzz`: libFuzzer's programs, with its instruments in the library too, whatever else the build has.
FUZZ_SHARED = \
	tests/fuzz/fuzz.c \
	tests/fuzz/fuzz.h
if HAVE_LIBFUZZER
FUZZERS = \
	tests/fuzz/fuzz_calc \
	tests/fuzz/fuzz_npy \
	tests/fuzz/fuzz_parse \
	tests/fuzz/fuzz_checkpoint \
	tests/fuzz/fuzz_records \
	tests/fuzz/fuzz_safetensors \
	tests/fuzz/fuzz_vectors
EXTRA_PROGRAMS += $(FUZZERS)
CLEANFILES += $(FUZZERS)
FUZZ_CPPFLAGS = $(LAB_CPPFLAGS) $(POSIX_CPPFLAGS) -I$(top_srcdir)
FUZZ_CFLAGS = $(AM_CFLAGS) $(BND_FUZZ_FLAGS)
tests_fuzz_fuzz_calc_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_calc_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_calc_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_calc_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_calc.c
tests_fuzz_fuzz_npy_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_npy_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_npy_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_npy_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_npy.c
tests_fuzz_fuzz_parse_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_parse_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_parse_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_parse_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_parse.c
tests_fuzz_fuzz_checkpoint_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_checkpoint_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_checkpoint_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_checkpoint_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_checkpoint.c
tests_fuzz_fuzz_records_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_records_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_records_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_records_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_records.c
tests_fuzz_fuzz_safetensors_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_safetensors_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_safetensors_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_safetensors_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_safetensors.c
tests_fuzz_fuzz_vectors_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_vectors_CFLAGS = $(FUZZ_CFLAGS)
tests_fuzz_fuzz_vectors_LDADD = $(libbinade_laboratory_la_LIBADD) $(libbinade_number_la_LIBADD)
tests_fuzz_fuzz_vectors_SOURCES = $(libbinade_number_la_SOURCES) $(libbinade_laboratory_la_SOURCES) $(FUZZ_SHARED) \
	tests/fuzz/fuzz_vectors.c
fuzz: $(FUZZERS)
	@echo 'Run tests/fuzz/fuzz_parse, fuzz_npy, fuzz_safetensors, fuzz_checkpoint, fuzz_records, fuzz_calc or fuzz_vectors (-help=1 for their options).'
else
fuzz:
	@echo 'make fuzz needs clang and its libFuzzer (Debian, Ubuntu: libclang-rt-VERSION-dev): configure with CC=clang.'
	@exit 1
endif
.PHONY: fuzz

# The same programs without libFuzzer, on inputs of their own: what every compiler can run.
RANDOM_CPPFLAGS = $(PUBLIC_CPPFLAGS) $(POSIX_CPPFLAGS) -I$(top_srcdir) -DBND_FUZZ_STANDALONE
check_PROGRAMS += \
	tests/fuzz/fuzz_calc_random \
	tests/fuzz/fuzz_npy_random \
	tests/fuzz/fuzz_random \
	tests/fuzz/fuzz_checkpoint_random \
	tests/fuzz/fuzz_records_random \
	tests/fuzz/fuzz_safetensors_random \
	tests/fuzz/fuzz_vectors_random
tests_fuzz_fuzz_calc_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_calc_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_calc_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_calc.c
tests_fuzz_fuzz_npy_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_npy_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_npy_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_npy.c
tests_fuzz_fuzz_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_parse.c
tests_fuzz_fuzz_checkpoint_random_CPPFLAGS = $(RANDOM_CPPFLAGS) -I$(top_srcdir)/src/number -I$(top_srcdir)/src/files -I$(top_srcdir)/src/sim -I$(top_srcdir)/src/check
tests_fuzz_fuzz_checkpoint_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_checkpoint_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_checkpoint.c
tests_fuzz_fuzz_records_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_records_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_records_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_records.c
tests_fuzz_fuzz_safetensors_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_safetensors_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_safetensors_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_safetensors.c
tests_fuzz_fuzz_vectors_random_CPPFLAGS = $(RANDOM_CPPFLAGS)
tests_fuzz_fuzz_vectors_random_LDADD = libbinade-internal.la
tests_fuzz_fuzz_vectors_random_SOURCES = $(FUZZ_SHARED) tests/fuzz/fuzz_vectors.c
TESTS += tests/fuzz/run.sh
EXTRA_DIST += tests/fuzz/run.sh
