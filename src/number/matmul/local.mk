# Layer 6: products of matrices.
binadeinclude_HEADERS += include/binade/matmul.h
libbinade_number_la_SOURCES += \
	src/number/matmul/matmul.h \
	src/number/matmul/tile_lanes.h \
	src/number/matmul/tile_lanes_avx2.h \
	src/number/matmul/tile_lanes_avx512.h \
	src/number/matmul/tile_lanes_portable.h \
	src/number/matmul/accumulator_names.c \
	src/number/matmul/pack_operands.c \
	src/number/matmul/strip_sums.c \
	src/number/matmul/tile_aligned_template.h \
	src/number/matmul/tile_aligned_avx512.h \
	src/number/matmul/tile_aligned_avx2.h \
	src/number/matmul/tile_aligned_words.h \
	src/number/matmul/tile_chain_template.h \
	src/number/matmul/tile_tensor_template.h \
	src/number/matmul/tile_tensor_avx512.h \
	src/number/matmul/tile_tensor_avx2.h \
	src/number/matmul/tile_tensor_words.h \
	src/number/matmul/tensor_cores.def \
	src/number/matmul/tile_packing_template.h \
	src/number/matmul/tile_rounded_template.h \
	src/number/matmul/tile_kept_avx512.h \
	src/number/matmul/tile_kept_avx2.h \
	src/number/matmul/tile_kept_step_avx512_template.h \
	src/number/matmul/tile_kept_step_avx2_template.h \
	src/number/matmul/tile_kept_template.h \
	src/number/matmul/tile_wide_avx512.h \
	src/number/matmul/tile_wide_avx2.h \
	src/number/matmul/tile_wide.h \
	src/number/matmul/tile_away.h \
	src/number/matmul/tile_kept_ways.h \
	src/number/matmul/tile_kernels.c \
	src/number/matmul/by_chains.c \
	src/number/matmul/by_strips.c \
	src/number/matmul/by_sums.c \
	src/number/matmul/by_tiles.c \
	src/number/matmul/gemm_plan.c \
	src/number/matmul/gemm_job.h \
	src/number/matmul/symmetric.c \
	src/number/matmul/gemm_job.c \
	src/number/matmul/cblas.c \
	src/number/matmul/gemm.c

# The tiles, once more for each back end that has wider vectors.
AVX2_SOURCES += src/number/matmul/tile_kernels.c
AVX512_SOURCES += src/number/matmul/tile_kernels.c
