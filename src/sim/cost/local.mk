# Layer 8: resource accounting on paper.
labinclude_HEADERS += include/binade-lab/cost.h
libbinade_laboratory_la_SOURCES += \
	src/sim/cost/cost.h \
	src/sim/cost/format_bits.c \
	src/sim/cost/measure.c \
	src/sim/cost/stored_parameters.c \
	src/sim/cost/units.c \
	src/sim/cost/hardware.def \
	src/sim/cost/machine.h \
	src/sim/cost/machine.c \
	src/sim/cost/paper.h \
	src/sim/cost/paper.c \
	src/sim/cost/answer_text.c \
	src/sim/cost/models.def \
	src/sim/cost/architecture.c \
	src/sim/cost/roofline.c \
	src/sim/cost/tensor_bytes.c \
	src/sim/cost/activations.c \
	src/sim/cost/flops.c \
	src/sim/cost/trained_transformer.c \
	src/sim/cost/trained_models.c \
	src/sim/cost/zero_sharing.h \
	src/sim/cost/memory.c \
	src/sim/cost/training_time.c
