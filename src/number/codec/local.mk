# Layer 3: one number: decode, round, encode.
binadeinclude_HEADERS += include/binade/codec.h
libbinade_number_la_SOURCES += \
	src/number/codec/codec.h \
	src/number/codec/round.c \
	src/number/codec/exact.c \
	src/number/codec/unpack.c \
	src/number/codec/encode.c \
	src/number/codec/convert_float.c
