# Layer 6: arrays in files.
binadeinclude_HEADERS += include/binade/store.h
libbinade_internal_la_SOURCES += \
	src/store/mapped.c \
	src/store/npy.c \
	src/store/npy_header.c \
	src/store/output.c \
	src/store/store.h \
	src/store/system.c
