# Layer 8: resource accounting on paper.
binadeinclude_HEADERS += include/binade/cost.h
libbinade_internal_la_SOURCES += \
	src/cost/activations.c \
	src/cost/answer.c \
	src/cost/architecture.c \
	src/cost/cost.h \
	src/cost/flops.c \
	src/cost/format.c \
	src/cost/hardware.def \
	src/cost/machine.c \
	src/cost/machine.h \
	src/cost/measure.c \
	src/cost/memory.c \
	src/cost/models.def \
	src/cost/paper.c \
	src/cost/paper.h \
	src/cost/plan.h \
	src/cost/quantity.c \
	src/cost/roofline.c \
	src/cost/stored.c \
	src/cost/tensor.c \
	src/cost/time.c \
	src/cost/trained.c
