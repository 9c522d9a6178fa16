# Layer 6: arrays in files.
labinclude_HEADERS += include/binade-lab/store.h
libbinade_laboratory_la_SOURCES += \
	src/files/store/store.h \
	src/files/store/system_error.c \
	src/files/store/shown.c \
	src/files/store/answer_line.c \
	src/files/store/mapped_file.h \
	src/files/store/mapped_file.c \
	src/files/store/output_space.c \
	src/files/store/checksum.h \
	src/files/store/checksum.c \
	src/files/store/output_file.h \
	src/files/store/output_file.c \
	src/files/store/output_folder.h \
	src/files/store/output_folder.c \
	src/files/store/element_count.c \
	src/files/store/json.h \
	src/files/store/json.c \
	src/files/store/json_writer.h \
	src/files/store/json_writer.c \
	src/files/store/npy_dtype.c \
	src/files/store/npy_header.c \
	src/files/store/gguf.h \
	src/files/store/gguf_types.def \
	src/files/store/gguf.c \
	src/files/store/safetensors_dtype.c \
	src/files/store/safetensors_header.c \
	src/files/store/safetensors.h \
	src/files/store/safetensors.c \
	src/files/store/safetensors_sum.c \
	src/files/store/safetensors_write.c
