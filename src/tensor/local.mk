# Layer 7: tensors, the tape, and what they cost.
binadeinclude_HEADERS += include/binade/tensor.h
libbinade_internal_la_SOURCES += \
	src/tensor/apply.c \
	src/tensor/copy.c \
	src/tensor/elementwise.c \
	src/tensor/engine.c \
	src/tensor/file.c \
	src/tensor/formulas.def \
	src/tensor/gradient.c \
	src/tensor/handle.c \
	src/tensor/loss.c \
	src/tensor/mask.c \
	src/tensor/maths.c \
	src/tensor/maths.h \
	src/tensor/maths_body.h \
	src/tensor/maths_functions.h \
	src/tensor/matmul.c \
	src/tensor/named.c \
	src/tensor/norm.c \
	src/tensor/operand.c \
	src/tensor/operand.h \
	src/tensor/operations.c \
	src/tensor/pattern.c \
	src/tensor/pattern.h \
	src/tensor/random.c \
	src/tensor/reader.c \
	src/tensor/reduce.c \
	src/tensor/rows.c \
	src/tensor/rows.h \
	src/tensor/safetensors.c \
	src/tensor/scaled.c \
	src/tensor/scaling.c \
	src/tensor/saved.c \
	src/tensor/segment.c \
	src/tensor/shape.c \
	src/tensor/softmax.c \
	src/tensor/statistics.c \
	src/tensor/tape.c \
	src/tensor/tape.h \
	src/tensor/tensor.h \
	src/tensor/view.c

# The loops over numbers, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-maths-avx2.la
libbinade_internal_la_LIBADD += libbinade-maths-avx2.la
libbinade_maths_avx2_la_SOURCES = src/tensor/maths.c
libbinade_maths_avx2_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_MATHS=bndi_maths_avx2
libbinade_maths_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-maths-avx512.la
libbinade_internal_la_LIBADD += libbinade-maths-avx512.la
libbinade_maths_avx512_la_SOURCES = src/tensor/maths.c
libbinade_maths_avx512_la_CPPFLAGS = $(AM_CPPFLAGS) -DBNDI_MATHS=bndi_maths_avx512
libbinade_maths_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
