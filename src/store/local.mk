# Layer 6: arrays in files.
binadeinclude_HEADERS += include/binade/store.h
libbinade_internal_la_SOURCES += \
	src/store/json.c \
	src/store/json.h \
	src/store/mapped.c \
	src/store/npy.c \
	src/store/npy_header.c \
	src/store/output.c \
	src/store/safetensors.c \
	src/store/safetensors.h \
	src/store/safetensors_header.c \
	src/store/safetensors_write.c \
	src/store/shape.c \
	src/store/store.h \
	src/store/system.c
