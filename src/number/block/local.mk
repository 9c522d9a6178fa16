# Layer 6: formats that share a scale.
binadeinclude_HEADERS += include/binade/block.h
EXTRA_DIST += src/number/block/powers_avx512.c src/number/block/quotients_avx512.c
libbinade_number_la_SOURCES += \
	src/number/block/block.h \
	src/number/block/block_layout.c \
	src/number/block/block_scale.c \
	src/number/block/hadamard.c \
	src/number/block/block_kernels.c \
	src/number/block/blocks.def \
	src/number/block/block_names.c \
	src/number/block/block_statistics.c \
	src/number/block/block_job.c \
	src/number/block/elements.c \
	src/number/block/gguf.c \
	src/number/block/dequantize.c \
	src/number/block/dynamic_codes.c \
	src/number/block/quantize.c \
	src/number/block/partial_array.h \
	src/number/block/partial_array.c

# The loops over elements, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-block-avx2.la
libbinade_number_la_LIBADD += libbinade-block-avx2.la
libbinade_block_avx2_la_SOURCES = src/number/block/block_kernels.c
libbinade_block_avx2_la_CPPFLAGS = $(NUMBER_CPPFLAGS) -DBNDI_BLOCK_KERNELS=bndi_block_kernels_avx2
libbinade_block_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-block-avx512.la
libbinade_number_la_LIBADD += libbinade-block-avx512.la
libbinade_block_avx512_la_SOURCES = src/number/block/block_kernels.c src/number/block/powers_avx512.c \
	src/number/block/quotients_avx512.c
libbinade_block_avx512_la_CPPFLAGS = $(NUMBER_CPPFLAGS) -DBNDI_BLOCK_KERNELS=bndi_block_kernels_avx512
libbinade_block_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
