# Layer 7: text as tokens.
libbinade_laboratory_la_SOURCES += \
	src/files/tokens/tokenizer.h \
	src/files/tokens/tokens.h \
	src/files/tokens/nfc.def \
	src/files/tokens/unicode.def \
	src/files/tokens/unicode.c \
	src/files/tokens/split.c \
	src/files/tokens/merges.c \
	src/files/tokens/merge.c \
	src/files/tokens/vocabulary.c \
	src/files/tokens/added.c \
	src/files/tokens/read.c \
	src/files/tokens/encode.c
