# Layer 8: other formats and layouts for checkpoints.
labinclude_HEADERS += include/binade-lab/convert.h
libbinade_laboratory_la_SOURCES += \
	src/files/convert/names.h \
	src/files/convert/glob.c \
	src/files/convert/roles.def \
	src/files/convert/roles.c \
	src/files/convert/fused.def \
	src/files/convert/fused.c \
	src/files/convert/experts.def \
	src/files/convert/experts.h \
	src/files/convert/experts.c \
	src/files/convert/text.h \
	src/files/convert/text.c \
	src/files/convert/how.h \
	src/files/convert/model_config.c \
	src/files/convert/writes.def \
	src/files/convert/how.c \
	src/files/convert/quantization_config.h \
	src/files/convert/ignored.c \
	src/files/convert/quantization_config.c \
	src/files/convert/quantize.h \
	src/files/convert/tensor_shapes.h \
	src/files/convert/choose.c \
	src/files/convert/units.c \
	src/files/convert/inputs.c \
	src/files/convert/tensors.c \
	src/files/convert/texts.c \
	src/files/convert/plan_kinds.c \
	src/files/convert/quantize_plan.c \
	src/files/convert/quantize_answer.c \
	src/files/convert/side_files.c \
	src/files/convert/tensor_scales.c \
	src/files/convert/turn.c \
	src/files/convert/pieces.c \
	src/files/convert/output_path.h \
	src/files/convert/output_path.c \
	src/files/convert/quantize_run.c \
	src/files/convert/relayout.h \
	src/files/convert/relayout_choose.c \
	src/files/convert/relayout_plan.c \
	src/files/convert/relayout_around.c \
	src/files/convert/relayout_inputs.c \
	src/files/convert/relayout_changes.c \
	src/files/convert/relayout.c \
	src/files/convert/relayout_answer.c
