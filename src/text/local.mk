# Layer 4: numbers as people write them, on MPFR and GMP.
binadeinclude_HEADERS += include/binade/text.h
libbinade_internal_la_SOURCES += \
	src/text/big.c \
	src/text/big.h \
	src/text/bits.c \
	src/text/decimal.c \
	src/text/decimal.h \
	src/text/difference.c \
	src/text/difference.h \
	src/text/number.h \
	src/text/parse.c \
	src/text/print.c \
	src/text/quotient.c \
	src/text/scan.c
