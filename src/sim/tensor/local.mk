# Layer 7: tensors, the tape, and what they cost.
labinclude_HEADERS += include/binade-lab/tensor.h
libbinade_laboratory_la_SOURCES += \
	src/sim/tensor/shape.h \
	src/sim/tensor/shape.c \
	src/sim/tensor/maths.h \
	src/sim/tensor/maths_lanes.h \
	src/sim/tensor/formulas.def \
	src/sim/tensor/maths_template.h \
	src/sim/tensor/maths_functions_template.h \
	src/sim/tensor/maths_update_template.h \
	src/sim/tensor/maths.c \
	src/sim/tensor/maths_of.c \
	src/sim/tensor/scaling.h \
	src/sim/tensor/scaling_parse.c \
	src/sim/tensor/buffer.h \
	src/sim/tensor/engine.h \
	src/sim/tensor/buffer.c \
	src/sim/tensor/rules.c \
	src/sim/tensor/statistics.c \
	src/sim/tensor/product_roles.h \
	src/sim/tensor/product_roles.c \
	src/sim/tensor/casts.h \
	src/sim/tensor/casts.c \
	src/sim/tensor/handle.h \
	src/sim/tensor/handle.c \
	src/sim/tensor/amax_scaling.h \
	src/sim/tensor/scaled.h \
	src/sim/tensor/scaled_read.c \
	src/sim/tensor/walk.h \
	src/sim/tensor/walk.c \
	src/sim/tensor/reader.h \
	src/sim/tensor/pieces.c \
	src/sim/tensor/reader.c \
	src/sim/tensor/amax_scaling.c \
	src/sim/tensor/formula.h \
	src/sim/tensor/formula.c \
	src/sim/tensor/scaled.c \
	src/sim/tensor/numbers.c \
	src/sim/tensor/view_make.h \
	src/sim/tensor/view_make.c \
	src/sim/tensor/random.c \
	src/sim/tensor/files.h \
	src/sim/tensor/npy.c \
	src/sim/tensor/safetensors.c \
	src/sim/tensor/operation.h \
	src/sim/tensor/gradient.h \
	src/sim/tensor/gradient.c \
	src/sim/tensor/sums.h \
	src/sim/tensor/sums.c \
	src/sim/tensor/rows.h \
	src/sim/tensor/rows.c \
	src/sim/tensor/unbiased.h \
	src/sim/tensor/unbiased.c \
	src/sim/tensor/operand.h \
	src/sim/tensor/operand.c \
	src/sim/tensor/copy.c \
	src/sim/tensor/elementwise.c \
	src/sim/tensor/reduce.c \
	src/sim/tensor/softmax.c \
	src/sim/tensor/embedding.c \
	src/sim/tensor/cross_entropy.c \
	src/sim/tensor/mask.c \
	src/sim/tensor/norm.c \
	src/sim/tensor/matmul.c \
	src/sim/tensor/rotary.c \
	src/sim/tensor/tape.h \
	src/sim/tensor/saved_tensors.c \
	src/sim/tensor/tape.c \
	src/sim/tensor/pull.c \
	src/sim/tensor/engine.c \
	src/sim/tensor/recompute.c \
	src/sim/tensor/view.c \
	src/sim/tensor/operations.c \
	src/sim/tensor/apply.c \
	src/sim/tensor/reshape.c \
	src/sim/tensor/pattern.h \
	src/sim/tensor/pattern.c \
	src/sim/tensor/named_axes.c \
	src/sim/tensor/transformer.h \
	src/sim/tensor/transformer.c

# The loops over numbers, once more for each back end that has wider vectors.
if HAVE_AVX2
noinst_LTLIBRARIES += libbinade-maths-avx2.la
libbinade_laboratory_la_LIBADD += libbinade-maths-avx2.la
libbinade_maths_avx2_la_SOURCES = src/sim/tensor/maths.c
libbinade_maths_avx2_la_CPPFLAGS = $(LAB_CPPFLAGS) -DBNDI_MATHS=bndi_maths_avx2
libbinade_maths_avx2_la_CFLAGS = $(AM_CFLAGS) $(AVX2_FLAGS)
endif
if HAVE_AVX512
noinst_LTLIBRARIES += libbinade-maths-avx512.la
libbinade_laboratory_la_LIBADD += libbinade-maths-avx512.la
libbinade_maths_avx512_la_SOURCES = src/sim/tensor/maths.c
libbinade_maths_avx512_la_CPPFLAGS = $(LAB_CPPFLAGS) -DBNDI_MATHS=bndi_maths_avx512
libbinade_maths_avx512_la_CFLAGS = $(AM_CFLAGS) $(AVX512_FLAGS)
endif
