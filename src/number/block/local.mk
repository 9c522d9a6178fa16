# Layer 6: formats that share a scale.
binadeinclude_HEADERS += include/binade/block.h
EXTRA_DIST += src/number/block/powers_avx512.c src/number/block/quotients_avx512.c
libbinade_number_la_SOURCES += \
	src/number/block/partial_array.h \
	src/number/block/block.h \
	src/number/block/block_layout.c \
	src/number/block/block_scale.c \
	src/number/block/butterflies.h \
	src/number/block/butterflies.c \
	src/number/block/hadamard.c \
	src/number/block/block_elements_template.h \
	src/number/block/block_kernels.c \
	src/number/block/differences.h \
	src/number/block/differences.c \
	src/number/block/blocks.def \
	src/number/block/block_names.c \
	src/number/block/block_job.c \
	src/number/block/block_statistics.c \
	src/number/block/elements.c \
	src/number/block/gguf.c \
	src/number/block/dequantize.c \
	src/number/block/dynamic_codes.c \
	src/number/block/run_scales.c \
	src/number/block/quantize.c \
	src/number/block/quantize_calls.c \
	src/number/block/partial_array.c

# The loops over elements, once more for each back end that has wider vectors.
AVX2_SOURCES += src/number/block/block_kernels.c src/number/block/butterflies.c src/number/block/differences.c
AVX512_SOURCES += src/number/block/block_kernels.c src/number/block/butterflies.c src/number/block/differences.c src/number/block/powers_avx512.c src/number/block/quotients_avx512.c
