# Layer 6: products of matrices.
binadeinclude_HEADERS += include/binade/matmul.h
libbinade_number_la_SOURCES += \
	src/number/matmul/by_chains.c \
	src/number/matmul/by_strips.c \
	src/number/matmul/by_tiles.c \
	src/number/matmul/cblas.c \
	src/number/matmul/gemm.c \
	src/number/matmul/job.c \
	src/number/matmul/job.h \
	src/number/matmul/matmul.h \
	src/number/matmul/names.c \
	src/number/matmul/pack.c \
	src/number/matmul/plan.c \
	src/number/matmul/strip.c \
	src/number/matmul/tile.c \
	src/number/matmul/tile_aligned.h \
	src/number/matmul/tile_chain.h \
	src/number/matmul/tile_lanes.h \
	src/number/matmul/tile_lanes_avx2.h \
	src/number/matmul/tile_lanes_avx512.h \
	src/number/matmul/tile_lanes_portable.h \
	src/number/matmul/tile_packing.h \
	src/number/matmul/tile_rounded.h

# The tiles, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-tile-avx2.la
libbinade_number_la_LIBADD += libbinade-tile-avx2.la
libbinade_tile_avx2_la_SOURCES = src/number/matmul/tile.c
libbinade_tile_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_WAYS=bndi_ways_avx2
libbinade_tile_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-tile-avx512.la
libbinade_number_la_LIBADD += libbinade-tile-avx512.la
libbinade_tile_avx512_la_SOURCES = src/number/matmul/tile.c
libbinade_tile_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_WAYS=bndi_ways_avx512
libbinade_tile_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
