UNIT_TESTS += tests/checkpoint/test_opening
tests_checkpoint_test_opening_SOURCES = \
	tests/checkpoint/files.c tests/checkpoint/files.h tests/checkpoint/gguf_bytes.c tests/checkpoint/gguf_bytes.h \
	tests/checkpoint/test_broken.c tests/checkpoint/test_damage.c tests/checkpoint/test_kinds.c tests/checkpoint/test_opening.c tests/checkpoint/test_writer.c
tests_checkpoint_test_opening_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

UNIT_TESTS += tests/checkpoint/test_weights
tests_checkpoint_test_weights_SOURCES = \
	tests/checkpoint/files.c tests/checkpoint/files.h tests/checkpoint/gguf_bytes.c tests/checkpoint/gguf_bytes.h \
	tests/checkpoint/test_recognition.c \
	tests/checkpoint/test_weights.c tests/checkpoint/weight_cases.c tests/checkpoint/weights.h
tests_checkpoint_test_weights_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

# Checkpoints of all layouts, made by a model in Python: right ones and damaged ones.
TESTS += tests/checkpoint/model.sh tests/checkpoint/config.sh tests/checkpoint/weights.sh tests/checkpoint/lint.sh \
	tests/checkpoint/quantize.sh tests/checkpoint/relayout.sh tests/checkpoint/scan.sh
EXTRA_DIST += \
	tests/checkpoint/check_config_judge.py tests/checkpoint/check_small_formats.py tests/checkpoint/checkpoint_files.py \
	tests/checkpoint/config.sh tests/checkpoint/config_judge.py tests/checkpoint/damages.py tests/checkpoint/layouts.py \
	tests/checkpoint/lint.sh tests/checkpoint/lint_judge.py tests/checkpoint/model.sh tests/checkpoint/provenance.py \
	tests/checkpoint/quantize.sh tests/checkpoint/quantize_judge.py tests/checkpoint/rare_layouts.py \
	tests/checkpoint/relayout.sh tests/checkpoint/relayout_judge.py \
	tests/checkpoint/scan.sh tests/checkpoint/scan_judge.py tests/checkpoint/small_formats.py tests/checkpoint/weights.sh tests/checkpoint/weights_judge.py

# tests/checkpoint/weights.sh runs this program.
check_PROGRAMS += tests/checkpoint/decoded
tests_checkpoint_decoded_SOURCES = tests/checkpoint/decoded.c
