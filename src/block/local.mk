# Layer 6: formats that share a scale.
binadeinclude_HEADERS += include/binade/block.h
libbinade_internal_la_SOURCES += \
	src/block/block.h \
	src/block/blocks.def \
	src/block/count.c \
	src/block/dequantize.c \
	src/block/dynamic.c \
	src/block/elements.c \
	src/block/gguf.c \
	src/block/hadamard.c \
	src/block/job.c \
	src/block/layout.c \
	src/block/names.c \
	src/block/part.c \
	src/block/part.h \
	src/block/quantize.c \
	src/block/scale.c \
	src/block/scan.c

EXTRA_DIST += src/block/powers_avx512.c src/block/quotients_avx512.c

# The loops over elements, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-scan-avx2.la
libbinade_internal_la_LIBADD += libbinade-scan-avx2.la
libbinade_scan_avx2_la_SOURCES = src/block/scan.c
libbinade_scan_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_SCAN=bndi_scan_avx2
libbinade_scan_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-scan-avx512.la
libbinade_internal_la_LIBADD += libbinade-scan-avx512.la
libbinade_scan_avx512_la_SOURCES = src/block/scan.c src/block/powers_avx512.c src/block/quotients_avx512.c
libbinade_scan_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_SCAN=bndi_scan_avx512
libbinade_scan_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
