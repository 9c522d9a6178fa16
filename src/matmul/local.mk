# Layer 6: products of matrices.
binadeinclude_HEADERS += include/binade/matmul.h
libbinade_internal_la_SOURCES += \
	src/matmul/by_chains.c \
	src/matmul/by_strips.c \
	src/matmul/by_tiles.c \
	src/matmul/cblas.c \
	src/matmul/gemm.c \
	src/matmul/job.c \
	src/matmul/job.h \
	src/matmul/matmul.h \
	src/matmul/names.c \
	src/matmul/pack.c \
	src/matmul/plan.c \
	src/matmul/strip.c \
	src/matmul/tile.c \
	src/matmul/tile_aligned.h \
	src/matmul/tile_chain.h \
	src/matmul/tile_lanes.h \
	src/matmul/tile_lanes_avx2.h \
	src/matmul/tile_lanes_avx512.h \
	src/matmul/tile_lanes_portable.h \
	src/matmul/tile_packing.h \
	src/matmul/tile_rounded.h

# The tiles, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-tile-avx2.la
libbinade_internal_la_LIBADD += libbinade-tile-avx2.la
libbinade_tile_avx2_la_SOURCES = src/matmul/tile.c
libbinade_tile_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_WAYS=bndi_ways_avx2
libbinade_tile_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-tile-avx512.la
libbinade_internal_la_LIBADD += libbinade-tile-avx512.la
libbinade_tile_avx512_la_SOURCES = src/matmul/tile.c
libbinade_tile_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_WAYS=bndi_ways_avx512
libbinade_tile_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
