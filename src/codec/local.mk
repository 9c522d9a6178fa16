# Layer 3: one number: decode, round, encode.
binadeinclude_HEADERS += include/binade/codec.h
libbinade_internal_la_SOURCES += \
	src/codec/codec.h \
	src/codec/encode.c \
	src/codec/exact.c \
	src/codec/round.c \
	src/codec/unpack.c
