# Layer 8: what weights become in other formats.
labinclude_HEADERS += include/binade-lab/scan.h
libbinade_laboratory_la_SOURCES += \
	src/files/scan/count_words.h \
	src/files/scan/scan.h \
	src/files/scan/exact_sum.c \
	src/files/scan/tensor.c \
	src/files/scan/input.c \
	src/files/scan/candidate.c \
	src/files/scan/round.c \
	src/files/scan/code_counts.c \
	src/files/scan/by_codes.c \
	src/files/scan/pieces.c \
	src/files/scan/scale_counts.c \
	src/files/scan/by_pieces.c \
	src/files/scan/results.h \
	src/files/scan/meet.c \
	src/files/scan/scan.c \
	src/files/scan/answer.c
