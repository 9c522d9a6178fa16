# Layer 5: arrays.
binadeinclude_HEADERS += include/binade/bulk.h
libbinade_internal_la_SOURCES += \
	src/bulk/array.c \
	src/bulk/bulk.h \
	src/bulk/context.c \
	src/bulk/memory.c \
	src/bulk/plan.c \
	src/bulk/portable.c \
	src/bulk/stats.c \
	src/bulk/environment.h \
	src/bulk/words.h \
	src/bulk/lanes.h

# Back ends, each compiled for its instruction set.
EXTRA_DIST += src/bulk/avx2.c src/bulk/avx512.c
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-avx2.la
libbinade_internal_la_LIBADD += libbinade-avx2.la
libbinade_avx2_la_SOURCES = src/bulk/avx2.c
libbinade_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-avx512.la
libbinade_internal_la_LIBADD += libbinade-avx512.la
libbinade_avx512_la_SOURCES = src/bulk/avx512.c
libbinade_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
