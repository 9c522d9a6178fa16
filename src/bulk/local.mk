# Layer 5: arrays.
binadeinclude_HEADERS += include/binade/bulk.h
libbinade_internal_la_SOURCES += \
	src/bulk/arithmetic.c \
	src/bulk/array.c \
	src/bulk/bulk.h \
	src/bulk/check.c \
	src/bulk/context.c \
	src/bulk/memory.c \
	src/bulk/open.c \
	src/bulk/operate.c \
	src/bulk/operate.h \
	src/bulk/plan.c \
	src/bulk/portable.c \
	src/bulk/ready.c \
	src/bulk/sides.c \
	src/bulk/sides.h \
	src/bulk/stats.c \
	src/bulk/sum.c \
	src/bulk/table.c \
	src/bulk/threads.c \
	src/bulk/threads.h \
	src/bulk/environment.h \
	src/bulk/inline.h \
	src/bulk/words.h \
	src/bulk/lanes.h \
	src/bulk/operations.h \
	src/bulk/fused.h

# Back ends, each compiled for its instruction set.
AVX2_SOURCES = src/bulk/avx2.c src/bulk/avx2.h src/bulk/avx2_memory.c src/bulk/avx2_operate.c \
	src/bulk/avx2_random.c src/bulk/avx2_tally.c
AVX512_SOURCES = src/bulk/avx512.c src/bulk/avx512.h src/bulk/avx512_codes.h src/bulk/avx512_histogram.h \
	src/bulk/avx512_mode.h \
	src/bulk/avx512_operate.c src/bulk/avx512_random.c src/bulk/avx512_rounding.h src/bulk/avx512_tally.c \
	src/bulk/avx512_tally_64.c
EXTRA_DIST += $(AVX2_SOURCES) $(AVX512_SOURCES) src/bulk/neon.c src/bulk/wasm128.c
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-avx2.la
libbinade_internal_la_LIBADD += libbinade-avx2.la
libbinade_avx2_la_SOURCES = $(AVX2_SOURCES)
libbinade_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-avx512.la
libbinade_internal_la_LIBADD += libbinade-avx512.la
libbinade_avx512_la_SOURCES = $(AVX512_SOURCES)
libbinade_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
if HAVE_NEON
noinst_LTLIBRARIES += libbinade-neon.la
libbinade_internal_la_LIBADD += libbinade-neon.la
libbinade_neon_la_SOURCES = src/bulk/neon.c
libbinade_neon_la_CFLAGS = $(AM_CFLAGS) $(NEON_FLAGS)
endif
if HAVE_WASM128
noinst_LTLIBRARIES += libbinade-wasm128.la
libbinade_internal_la_LIBADD += libbinade-wasm128.la
libbinade_wasm128_la_SOURCES = src/bulk/wasm128.c
libbinade_wasm128_la_CFLAGS = $(AM_CFLAGS) $(WASM128_FLAGS)
endif
