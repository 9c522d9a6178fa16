# Layer 7: tensors, the tape, and what they cost.
binadeinclude_HEADERS += include/binade/tensor.h
libbinade_internal_la_SOURCES += \
	src/tensor/apply.c \
	src/tensor/copy.c \
	src/tensor/engine.c \
	src/tensor/handle.c \
	src/tensor/operations.c \
	src/tensor/reader.c \
	src/tensor/reduce.c \
	src/tensor/shape.c \
	src/tensor/tape.c \
	src/tensor/tensor.h \
	src/tensor/view.c
