# Layer 8: the optimizer loop.
labinclude_HEADERS += include/binade-lab/train.h
libbinade_laboratory_la_SOURCES += \
	src/sim/train/batches.c \
	src/sim/train/checkpoint.c \
	src/sim/train/configuration.c \
	src/sim/train/gradients.c \
	src/sim/train/graph.c \
	src/sim/train/initial.c \
	src/sim/train/kept.c \
	src/sim/train/losses.c \
	src/sim/train/model_mlp.c \
	src/sim/train/model_small.c \
	src/sim/train/model_student.c \
	src/sim/train/model_transformer.c \
	src/sim/train/number.c \
	src/sim/train/optimizer.c \
	src/sim/train/optimizer_adafactor.c \
	src/sim/train/own.c \
	src/sim/train/parameters.c \
	src/sim/train/recipe.c \
	src/sim/train/run.c \
	src/sim/train/source_chain.c \
	src/sim/train/source_copy.c \
	src/sim/train/source_planted.c \
	src/sim/train/source_text.c \
	src/sim/train/stalled.c \
	src/sim/train/states.c \
	src/sim/train/train.h \
	src/sim/train/training.c \
	src/sim/train/update.c
