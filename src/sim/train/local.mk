# Layer 8: the optimizer loop.
labinclude_HEADERS += include/binade-lab/train.h
libbinade_laboratory_la_SOURCES += \
	src/sim/train/train.h \
	src/sim/train/optimizer.h \
	src/sim/train/json_number.c \
	src/sim/train/blocks_text.c \
	src/sim/train/recipe_json.c \
	src/sim/train/graph.c \
	src/sim/train/model_own.c \
	src/sim/train/weight_files.c \
	src/sim/train/batches.c \
	src/sim/train/source_text.c \
	src/sim/train/source_chain.c \
	src/sim/train/source_copy.c \
	src/sim/train/source_planted.c \
	src/sim/train/update_numbers.c \
	src/sim/train/optimizer_steps.h \
	src/sim/train/optimizer_steps.c \
	src/sim/train/optimizer_adafactor.c \
	src/sim/train/optimizer_muon.c \
	src/sim/train/optimizer_adam_mini.c \
	src/sim/train/optimizer.c \
	src/sim/train/parameters.c \
	src/sim/train/model_small.c \
	src/sim/train/model_mlp.c \
	src/sim/train/model_transformer.c \
	src/sim/train/model_student.c \
	src/sim/train/training.c \
	src/sim/train/training_json.c \
	src/sim/train/error_feedback.c \
	src/sim/train/hugging_face.c \
	src/sim/train/scaled_states.c \
	src/sim/train/stalled_moments.c \
	src/sim/train/reset_states.c \
	src/sim/train/loss_scale.c \
	src/sim/train/clip.c \
	src/sim/train/reduction.c \
	src/sim/train/forward.c \
	src/sim/train/parts.c \
	src/sim/train/training_check.c \
	src/sim/train/update.c \
	src/sim/train/run.c \
	src/sim/train/unused.c \
	src/sim/train/run_state.c \
	src/sim/train/checkpoint.c \
	src/sim/train/own_run.c \
	src/sim/train/loss_under_policy.c
