# Layer 5: an expression, every operation rounded, and its exact value, on MPFR and GMP.
labinclude_HEADERS += include/binade-lab/calc.h
libbinade_laboratory_la_SOURCES += \
	src/check/calc/big_numbers.c \
	src/check/calc/big_numbers.h \
	src/check/calc/calc.h \
	src/check/calc/cut.h \
	src/check/calc/cut.c \
	src/check/calc/constant.c \
	src/check/calc/real.h \
	src/check/calc/real.c \
	src/check/calc/real_operations.c \
	src/check/calc/power.c \
	src/check/calc/reader.h \
	src/check/calc/reader.c \
	src/check/calc/calls.c \
	src/check/calc/exact.c \
	src/check/calc/steps.c \
	src/check/calc/expression.c \
	src/check/calc/value.c
