UNIT_TESTS += tests/train/test_checkpoint tests/train/test_recipes tests/train/test_train
tests_train_test_checkpoint_SOURCES = tests/train/test_checkpoint.c tests/train/test_configuration.c
tests_train_test_recipes_SOURCES = \
	tests/train/recipes.h tests/train/support.c tests/train/test_layers.c tests/train/test_recipe_bits.c tests/train/test_recipe_memory.c \
	tests/train/test_recipe_places.c tests/train/test_recipe_scales.c tests/train/test_recipes.c tests/train/tests.h
tests_train_test_recipes_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)
tests_train_test_train_SOURCES = \
	tests/train/golden.h tests/train/support.c tests/train/test_adam_mini.c tests/train/test_data.c tests/train/test_eco.c tests/train/test_golden.c \
	tests/train/test_inputs.c tests/train/test_kept.c tests/train/test_losses.c tests/train/test_models.c tests/train/test_muon.c \
	tests/train/test_own.c tests/train/test_parts.c tests/train/test_resets.c \
	tests/train/test_sources.c tests/train/test_train.c tests/train/test_traps.c tests/train/tests.h
tests_train_test_train_LDFLAGS = $(AM_LDFLAGS) $(WRAP_OPTIONS)

check_PROGRAMS += tests/train/export_run
tests_train_export_run_SOURCES = tests/train/export_run.c tests/train/golden.h
TESTS += tests/train/hugging_face.sh tests/train/lost_updates.sh
EXTRA_DIST += \
	tests/train/golden/optimizers.txt tests/train/golden/scaler.txt tests/train/golden/transformer.txt \
	tests/train/hugging_face.py tests/train/hugging_face.sh tests/train/lost_updates.py tests/train/lost_updates.sh
