# Layer 1: status and messages, random bits by index, a JSON writer.
binadeinclude_HEADERS += include/binade/base.h
libbinade_number_la_SOURCES += \
	src/number/base/base.h \
	src/number/base/bits.h \
	src/number/base/characters.c \
	src/number/base/error.c \
	src/number/base/json.c \
	src/number/base/nearest.c \
	src/number/base/philox.c \
	src/number/base/text.c

# These three have no public call, and the laboratory uses them too: they are in both libraries.
SHARED_SOURCES = src/number/base/characters.c src/number/base/nearest.c src/number/base/text.c
