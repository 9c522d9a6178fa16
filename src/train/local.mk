# Layer 8: the optimizer loop.
binadeinclude_HEADERS += include/binade/train.h
libbinade_internal_la_SOURCES += \
	src/train/batches.c \
	src/train/checkpoint.c \
	src/train/configuration.c \
	src/train/gradients.c \
	src/train/graph.c \
	src/train/initial.c \
	src/train/kept.c \
	src/train/losses.c \
	src/train/model_mlp.c \
	src/train/model_small.c \
	src/train/model_student.c \
	src/train/model_transformer.c \
	src/train/number.c \
	src/train/optimizer.c \
	src/train/optimizer_adafactor.c \
	src/train/own.c \
	src/train/parameters.c \
	src/train/recipe.c \
	src/train/run.c \
	src/train/source_chain.c \
	src/train/source_copy.c \
	src/train/source_planted.c \
	src/train/source_text.c \
	src/train/stalled.c \
	src/train/states.c \
	src/train/train.h \
	src/train/training.c \
	src/train/update.c
