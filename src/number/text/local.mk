# Layer 4: numbers as people write them, on MPFR and GMP.
binadeinclude_HEADERS += include/binade/text.h
libbinade_number_la_SOURCES += \
	src/number/text/big.c \
	src/number/text/big.h \
	src/number/text/bits.c \
	src/number/text/decimal.c \
	src/number/text/decimal.h \
	src/number/text/difference.c \
	src/number/text/difference.h \
	src/number/text/number.h \
	src/number/text/parse.c \
	src/number/text/print.c \
	src/number/text/quotient.c \
	src/number/text/scan.c
