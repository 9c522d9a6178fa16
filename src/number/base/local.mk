# Layer 1: status and messages, random bits by index.
binadeinclude_HEADERS += include/binade/base.h
libbinade_number_la_SOURCES += \
	src/number/base/base.h \
	src/number/base/bits.h \
	src/number/base/memory.h \
	src/number/base/philox.c \
	src/number/base/text_buffer.c \
	src/number/base/utf8.c \
	src/number/base/error.c \
	src/number/base/refuse_character.c \
	src/number/base/nearest_name.c \
	src/number/base/verify.h

# These have no public call, and the laboratory uses them too: they are in both libraries.
SHARED_SOURCES = src/number/base/utf8.c src/number/base/refuse_character.c src/number/base/nearest_name.c \
	src/number/base/text_buffer.c
