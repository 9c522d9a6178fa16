# Benchmarks, a part of the command: `make bench` runs `binade bench`; BENCH= gives options, for example
# BENCH='--size L2 --case e4m3'.
binade_CPPFLAGS += -I$(top_srcdir)/tools
binade_SOURCES += \
	tools/bench/bench.c \
	tools/bench/bench.h \
	tools/bench/block.c \
	tools/bench/cases.c \
	tools/bench/copy.c \
	tools/bench/data.c \
	tools/bench/gemm.c \
	tools/bench/machine.c \
	tools/bench/measure.c \
	tools/bench/operate.c \
	tools/bench/report.c \
	tools/bench/run.c

# `binade cast` beside cat, and its memory.
EXTRA_DIST += tools/bench/cast.sh

BENCH =
bench: binade
	./binade bench $(BENCH)
.PHONY: bench
