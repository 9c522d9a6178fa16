# Layer 8: what is wrong with a checkpoint.
labinclude_HEADERS += include/binade-lab/lint.h
libbinade_laboratory_la_SOURCES += \
	src/files/lint/lint.h \
	src/files/lint/checks.def \
	src/files/lint/findings.c \
	src/files/lint/loaders.def \
	src/files/lint/loaders.c \
	src/files/lint/numbers.c \
	src/files/lint/pattern.c \
	src/files/lint/expected.c \
	src/files/lint/codes.c \
	src/files/lint/scales.c \
	src/files/lint/fused.c \
	src/files/lint/config.c \
	src/files/lint/parts.c \
	src/files/lint/applied.c \
	src/files/lint/lint.c \
	src/files/lint/answer.c
