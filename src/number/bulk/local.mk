# Layer 5: arrays.
binadeinclude_HEADERS += include/binade/bulk.h
libbinade_number_la_SOURCES += \
	src/number/bulk/bulk.h \
	src/number/bulk/environment.h \
	src/number/bulk/lanes_rounding_template.h \
	src/number/bulk/lanes_decode_template.h \
	src/number/bulk/vectors_template.h \
	src/number/bulk/lanes_template.h \
	src/number/bulk/tally_lanes_template.h \
	src/number/bulk/tally_bins_template.h \
	src/number/bulk/tally_groups_template.h \
	src/number/bulk/tally_template.h \
	src/number/bulk/codes_in_memory.c \
	src/number/bulk/conversion_plan.c \
	src/number/bulk/stats.c \
	src/number/bulk/threads.h \
	src/number/bulk/threads.c \
	src/number/bulk/arithmetic.c \
	src/number/bulk/array_layout.h \
	src/number/bulk/array_layout.c \
	src/number/bulk/inline.h \
	src/number/bulk/portable_template.h \
	src/number/bulk/portable.c

# Back ends, each compiled for its instruction set: these files, and those that block/ and matmul/ add.
AVX2_SOURCES = src/number/bulk/avx2.h src/number/bulk/avx2_codes_template.h \
	src/number/bulk/avx2_operate.c src/number/bulk/avx2_random.c \
	src/number/bulk/avx2_memory.c src/number/bulk/avx2_tally.c src/number/bulk/avx2.c
AVX512_SOURCES = src/number/bulk/avx512.h src/number/bulk/avx512_codes_template.h \
	src/number/bulk/avx512_bytes_template.h \
	src/number/bulk/avx512_histogram.h src/number/bulk/avx512_mode_template.h src/number/bulk/avx512_rounding.h \
	src/number/bulk/avx512_runs.h src/number/bulk/avx512_operate.c src/number/bulk/avx512_tally.c \
	src/number/bulk/avx512_random.c src/number/bulk/avx512.c
NEON_SOURCES = src/number/bulk/neon.c
WASM128_SOURCES = src/number/bulk/wasm128.c
EXTRA_DIST += $(AVX2_SOURCES) $(AVX512_SOURCES) $(NEON_SOURCES) $(WASM128_SOURCES)
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-avx2.la
libbinade_number_la_LIBADD += libbinade-avx2.la
libbinade_avx2_la_SOURCES = $(AVX2_SOURCES)
libbinade_avx2_la_CPPFLAGS = $(NUMBER_CPPFLAGS) -DBNDI_FOR_AVX2
libbinade_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-avx512.la
libbinade_number_la_LIBADD += libbinade-avx512.la
libbinade_avx512_la_SOURCES = $(AVX512_SOURCES)
libbinade_avx512_la_CPPFLAGS = $(NUMBER_CPPFLAGS) -DBNDI_FOR_AVX512
libbinade_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
if HAVE_NEON
noinst_LTLIBRARIES += libbinade-neon.la
libbinade_number_la_LIBADD += libbinade-neon.la
libbinade_neon_la_SOURCES = $(NEON_SOURCES)
libbinade_neon_la_CPPFLAGS = $(NUMBER_CPPFLAGS)
libbinade_neon_la_CFLAGS = $(AM_CFLAGS) $(NEON_FLAGS)
endif
if HAVE_WASM128
noinst_LTLIBRARIES += libbinade-wasm128.la
libbinade_number_la_LIBADD += libbinade-wasm128.la
libbinade_wasm128_la_SOURCES = $(WASM128_SOURCES)
libbinade_wasm128_la_CPPFLAGS = $(NUMBER_CPPFLAGS)
libbinade_wasm128_la_CFLAGS = $(AM_CFLAGS) $(WASM128_FLAGS)
endif

# What stands on the back ends.
libbinade_number_la_SOURCES += \
	src/number/bulk/fused_template.h \
	src/number/bulk/operations_template.h \
	src/number/bulk/context.c \
	src/number/bulk/check_codes.c \
	src/number/bulk/convert_array.c \
	src/number/bulk/converter.c \
	src/number/bulk/operate_plan.c \
	src/number/bulk/operate.h \
	src/number/bulk/operate.c \
	src/number/bulk/sum_array.c \
	src/number/bulk/operation_table.c
