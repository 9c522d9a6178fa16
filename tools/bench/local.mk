# Benchmarks, a part of the command: `make bench` runs `binade bench`; BENCH= gives options, for example
# BENCH='--size L2 --case e4m3'.
binade_CPPFLAGS += -I$(top_srcdir)/tools
binade_SOURCES += \
	tools/bench/bench.c \
	tools/bench/bench.h \
	tools/bench/block.c \
	tools/bench/call.c \
	tools/bench/cases.c \
	tools/bench/copy.c \
	tools/bench/data.c \
	tools/bench/families.c \
	tools/bench/gemm.c \
	tools/bench/list.c \
	tools/bench/machine.c \
	tools/bench/measure.c \
	tools/bench/operate.c \
	tools/bench/model.c \
	tools/bench/model.h \
	tools/bench/peer.c \
	tools/bench/peer.h \
	tools/bench/report.c \
	tools/bench/run.c \
	tools/bench/sum.c \
	tools/bench/tensor.c \
	tools/bench/train.c \
	tools/bench/words.c

# `binade cast` beside cat, and its memory.
EXTRA_DIST += tools/bench/cast.sh

# The models of the size tensor in PyTorch.
EXTRA_DIST += tools/bench/torch_model.py tools/bench/train_beside_torch.py tools/bench/recipe_steps.py
EXTRA_DIST += tools/bench/openblas_core.py

BENCH =
bench: binade
	BINADE_TORCH="$(top_srcdir)/tools/bench/torch_model.py" ./binade bench $(BENCH)
.PHONY: bench
