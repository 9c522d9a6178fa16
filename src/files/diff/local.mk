# Layer 9: how two checkpoints differ.
labinclude_HEADERS += include/binade-lab/diff.h
libbinade_laboratory_la_SOURCES += \
	src/files/diff/explain.def \
	src/files/diff/explain.h \
	src/files/diff/explain_rows.c \
	src/files/diff/explain_text.c \
	src/files/diff/explain_scales.c \
	src/files/diff/explain_codes.c \
	src/files/diff/explain_tally.c \
	src/files/diff/distance.h \
	src/files/diff/distance.c \
	src/files/diff/groups.h \
	src/files/diff/groups.c \
	src/files/diff/weight_pair.h \
	src/files/diff/weight_pair.c \
	src/files/diff/search.h \
	src/files/diff/search_room.h \
	src/files/diff/search_room.c \
	src/files/diff/search_codes.c \
	src/files/diff/search.c \
	src/files/diff/diff.c \
	src/files/diff/answer.c
