# Layer 5: an expression, every operation rounded, and its exact value, on MPFR and GMP.
binadeinclude_HEADERS += include/binade/calc.h
libbinade_internal_la_SOURCES += \
	src/calc/calc.h \
	src/calc/calls.c \
	src/calc/constant.c \
	src/calc/exact.c \
	src/calc/expression.c \
	src/calc/power.c \
	src/calc/reader.c \
	src/calc/reader.h \
	src/calc/real.c \
	src/calc/steps.c \
	src/calc/value.c
