# Layer 7: checkpoints: their files, layouts and weights.
labinclude_HEADERS += include/binade-lab/checkpoint.h
libbinade_laboratory_la_SOURCES += \
	src/files/checkpoint/layouts.def \
	src/files/checkpoint/layouts.h \
	src/files/checkpoint/layouts.c
