# Layer 8: this build against the oracle.
labinclude_HEADERS += include/binade-lab/verify.h
libbinade_laboratory_la_SOURCES += \
	src/check/verify/verify.h \
	src/check/verify/answers.h \
	src/check/verify/answers.c \
	src/check/verify/operands.h \
	src/check/verify/operands.c \
	src/check/verify/narrow_operations.h \
	src/check/verify/narrow_operations.c \
	src/check/verify/comparison.c \
	src/check/verify/arrays.c \
	src/check/verify/bits.c \
	src/check/verify/codes.c \
	src/check/verify/functions.c \
	src/check/verify/midpoints.c \
	src/check/verify/numbers.c \
	src/check/verify/operations.c \
	src/check/verify/verifier.c
