# Layer 7: checkpoints: their files, layouts and weights.
labinclude_HEADERS += include/binade-lab/checkpoint.h
libbinade_laboratory_la_SOURCES += \
	src/files/checkpoint/layouts.def \
	src/files/checkpoint/layouts.h \
	src/files/checkpoint/layouts.c \
	src/files/checkpoint/checkpoint.h \
	src/files/checkpoint/damage.c \
	src/files/checkpoint/index.c \
	src/files/checkpoint/index_print.c \
	src/files/checkpoint/folder.c \
	src/files/checkpoint/tensors.c \
	src/files/checkpoint/shards.c \
	src/files/checkpoint/gguf_file.c \
	src/files/checkpoint/npy_file.c \
	src/files/checkpoint/arena.h \
	src/files/checkpoint/arena.c \
	src/files/checkpoint/quantization.h \
	src/files/checkpoint/presets.def \
	src/files/checkpoint/presets.c \
	src/files/checkpoint/quantized_layers.c \
	src/files/checkpoint/mlx.c \
	src/files/checkpoint/quantization.c \
	src/files/checkpoint/fit.h \
	src/files/checkpoint/fit.c \
	src/files/checkpoint/weights.h \
	src/files/checkpoint/fit_cost.c \
	src/files/checkpoint/weight_scales.c \
	src/files/checkpoint/stored_codes.h \
	src/files/checkpoint/stored_codes.c \
	src/files/checkpoint/weight_block.c \
	src/files/checkpoint/decode_weight.c \
	src/files/checkpoint/wide_numbers.h \
	src/files/checkpoint/wide_numbers.c \
	src/files/checkpoint/weights.c \
	src/files/checkpoint/open.c \
	src/files/checkpoint/patterns.c \
	src/files/checkpoint/writer.c
