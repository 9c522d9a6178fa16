# Layer 1: status and messages, random bits by index, a JSON writer.
binadeinclude_HEADERS += include/binade/base.h
libbinade_internal_la_SOURCES += \
	src/base/base.h \
	src/base/characters.c \
	src/base/error.c \
	src/base/json.c \
	src/base/nearest.c \
	src/base/philox.c \
	src/base/text.c
