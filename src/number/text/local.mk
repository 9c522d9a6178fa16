# Layer 4: numbers as people write them.
binadeinclude_HEADERS += include/binade/text.h
libbinade_number_la_SOURCES += \
	src/number/text/scanned.h \
	src/number/text/naturals.h \
	src/number/text/naturals.c \
	src/number/text/decimal.h \
	src/number/text/decimal.c \
	src/number/text/grammar.c \
	src/number/text/leading_bits.h \
	src/number/text/leading_bits.c \
	src/number/text/powers_of_ten.h \
	src/number/text/powers_of_ten.c \
	src/number/text/bit_fields.c \
	src/number/text/common_scale.h \
	src/number/text/common_scale.c \
	src/number/text/parse.h \
	src/number/text/parse.c \
	src/number/text/difference.c \
	src/number/text/exact_decimal.c \
	src/number/text/relative_error.c \
	src/number/text/shortest.c
