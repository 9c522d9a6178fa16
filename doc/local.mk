# Documents that are installed: man pages, completions, pages about the numerics. tools/dev/make-generated writes those
# that the command prints itself.
dist_man_MANS += \
	doc/man/binade-bench.1 \
	doc/man/binade-block.1 \
	doc/man/binade-calc.1 \
	doc/man/binade-cast.1 \
	doc/man/binade-compare.1 \
	doc/man/binade-cost.1 \
	doc/man/binade-diff.1 \
	doc/man/binade-evaluate.1 \
	doc/man/binade-formats.1 \
	doc/man/binade-help.1 \
	doc/man/binade-lint.1 \
	doc/man/binade-page.1 \
	doc/man/binade-prove.1 \
	doc/man/binade-quantize.1 \
	doc/man/binade-range.1 \
	doc/man/binade-relayout.1 \
	doc/man/binade-report.1 \
	doc/man/binade-scan.1 \
	doc/man/binade-show.1 \
	doc/man/binade-sweep.1 \
	doc/man/binade-table.1 \
	doc/man/binade-train.1 \
	doc/man/binade-vectors.1 \
	doc/man/binade-verify.1 \
	doc/man/binade.1 \
	doc/man/bnd_arith.3 \
	doc/man/bnd_base.3 \
	doc/man/bnd_block.3 \
	doc/man/bnd_bulk.3 \
	doc/man/bnd_codec.3 \
	doc/man/bnd_format.3 \
	doc/man/bnd_matmul.3 \
	doc/man/bnd_text.3

# What the command's man pages and its --full help say beside its options; tools/binade/local.mk makes C of it.
MANUAL_TEXT = \
	doc/man/bench.text \
	doc/man/binade.text \
	doc/man/block.text \
	doc/man/calc.text \
	doc/man/cast.text \
	doc/man/compare.text \
	doc/man/cost.text \
	doc/man/diff.text \
	doc/man/evaluate.text \
	doc/man/formats.text \
	doc/man/lint.text \
	doc/man/page.text \
	doc/man/quantize.text \
	doc/man/range.text \
	doc/man/relayout.text \
	doc/man/report.text \
	doc/man/scan.text \
	doc/man/show.text \
	doc/man/sweep.text \
	doc/man/train.text \
	doc/man/vectors.text \
	doc/man/verify.text
EXTRA_DIST += $(MANUAL_TEXT)

# The pages by what they are for. They are installed with the folders that they have here, so that the same links lead to
# them; tools/dev/link-pages takes out the links to what is not installed.
TUTORIAL_PAGES = \
	doc/tutorials/first-steps.md \
	doc/tutorials/library-c.md \
	doc/tutorials/library-python.md \
	doc/tutorials/numerics-research.md \
	doc/tutorials/resource-accounting-2.md \
	doc/tutorials/resource-accounting.md \
	doc/tutorials/test-your-unit.md \
	doc/tutorials/why-did-fp16-fail.md
HOW_TO_PAGES = \
	doc/how-to/choose-a-format.md \
	doc/how-to/compare-external-logs.md \
	doc/how-to/evaluate-gpt2-or-llama.md \
	doc/how-to/convert-files.md \
	doc/how-to/check-a-checkpoint.md \
	doc/how-to/quantize-a-checkpoint.md \
	doc/how-to/install.md \
	doc/how-to/match-pytorch-jax-onnx-cuda.md \
	doc/how-to/read-metrics.md \
	doc/how-to/share-a-report.md \
	doc/how-to/sweep-on-many-machines.md \
	doc/how-to/test-your-kernels.md \
	doc/how-to/train-and-scan-in-python.md \
	doc/how-to/train-your-pytorch-model-in-fp8.md \
	doc/how-to/use-from-cmake.md \
	doc/how-to/use-from-javascript.md \
	doc/how-to/use-the-page.md \
	doc/how-to/write-a-recipe.md
NOTEBOOKS = \
	doc/notebooks/arrays.ipynb \
	doc/notebooks/my-model-in-fp8.ipynb \
	doc/notebooks/numbers.ipynb \
	doc/notebooks/test-my-kernel.ipynb
REFERENCE_PAGES = \
	doc/README.md \
	doc/reference/autopsy.md \
	doc/reference/commands.md \
	doc/reference/dialects.md \
	doc/reference/format-names.md \
	doc/reference/formats.md \
	doc/reference/glossary.md \
	doc/reference/javascript.md \
	doc/reference/json-show.md \
	doc/reference/json.md \
	doc/reference/layouts.md \
	doc/reference/links.md \
	doc/reference/optimizers.md \
	doc/reference/random-bits.md \
	doc/reference/recipes.md \
	doc/reference/report.md \
	doc/reference/rounding.md \
	doc/reference/run-directory.md \
	doc/reference/tensor-semantics.md \
	doc/reference/tokenizers.md \
	doc/reference/training-semantics.md \
	doc/reference/verdicts.md
EXPLANATION_PAGES = \
	doc/explanation/experiments-blocks.md \
	doc/explanation/experiments-optimizers.md \
	doc/explanation/experiments.md \
	doc/explanation/how-it-is-tested.md \
	doc/explanation/limitations.md \
	doc/explanation/one-rounding.md \
	doc/explanation/performance.md \
	doc/explanation/related-work.md \
	doc/explanation/why-libraries-disagree.md
# Pictures, which the command makes itself (tools/dev/make-generated).
PICTURES = \
	doc/img/memory.svg \
	doc/img/one-rounding.svg \
	doc/img/page-number.png \
	doc/img/page-report.png \
	doc/img/range.svg \
	doc/img/roofline.svg \
	doc/img/rounding.svg
nobase_dist_doc_DATA = $(PICTURES) $(TUTORIAL_PAGES) $(HOW_TO_PAGES) $(NOTEBOOKS) $(REFERENCE_PAGES) $(EXPLANATION_PAGES)
# Dated notes for developers, which are not installed.
EXTRA_DIST += \
	doc/dev/README.md \
	doc/dev/experiment-log.md \
	doc/dev/large-model.tsv \
	doc/dev/performance-notes.md \
	doc/dev/test-coverage.md \
	doc/dev/test-log.md

# bash looks for a file with the name of the command.
EXTRA_DIST += doc/completion/binade.bash
bashcompletiondir = $(datadir)/bash-completion/completions
install-data-hook:
	$(MKDIR_P) '$(DESTDIR)$(bashcompletiondir)'
	$(INSTALL_DATA) $(srcdir)/doc/completion/binade.bash '$(DESTDIR)$(bashcompletiondir)/binade'
	$(SHELL) $(top_srcdir)/tools/dev/link-pages '$(DESTDIR)$(docdir)'
uninstall-hook:
	rm -f '$(DESTDIR)$(bashcompletiondir)/binade'

zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = doc/completion/_binade

fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = doc/completion/binade.fish

# What programs with the library look like; installcheck builds these, too.
examplesdir = $(docdir)/examples
dist_examples_DATA = \
	doc/examples/array.c \
	doc/examples/counting.c \
	doc/examples/e4m3.c \
	doc/examples/first.c \
	doc/examples/own_model.c \
	doc/examples/precision.c \
	doc/examples/strides.c \
	doc/examples/tensor.c \
	doc/examples/unit.c \
	doc/examples/unit.sv \
	doc/examples/unit_tb.sv

# The programs in doc/tutorials/library-c.md, which `make check` builds and runs.
check_PROGRAMS += doc/examples/first
doc_examples_first_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_first_LDADD = libbinade.la
doc_examples_first_SOURCES = doc/examples/first.c
check_PROGRAMS += doc/examples/array
doc_examples_array_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_array_LDADD = libbinade.la
doc_examples_array_SOURCES = doc/examples/array.c
check_PROGRAMS += doc/examples/e4m3
doc_examples_e4m3_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_e4m3_LDADD = libbinade.la
doc_examples_e4m3_SOURCES = doc/examples/e4m3.c
check_PROGRAMS += doc/examples/tensor
doc_examples_tensor_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_tensor_LDADD = libbinade-lab.la libbinade.la
doc_examples_tensor_SOURCES = doc/examples/tensor.c
# Those of doc/tutorials/resource-accounting.md.
check_PROGRAMS += doc/examples/strides
doc_examples_strides_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_strides_LDADD = libbinade-lab.la libbinade.la
doc_examples_strides_SOURCES = doc/examples/strides.c
check_PROGRAMS += doc/examples/counting
doc_examples_counting_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_counting_LDADD = libbinade-lab.la libbinade.la
doc_examples_counting_SOURCES = doc/examples/counting.c
check_PROGRAMS += doc/examples/precision
doc_examples_precision_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_precision_LDADD = libbinade-lab.la libbinade.la
doc_examples_precision_SOURCES = doc/examples/precision.c
# A model of one's own; tests/cli/examples.txt has what it prints.
check_PROGRAMS += doc/examples/own_model
doc_examples_own_model_CPPFLAGS = $(PUBLIC_CPPFLAGS)
doc_examples_own_model_LDADD = libbinade-lab.la libbinade.la
doc_examples_own_model_SOURCES = doc/examples/own_model.c
# The unit with two errors that it has tested: plain C, without the library.
check_PROGRAMS += doc/examples/unit
doc_examples_unit_LDADD =
doc_examples_unit_SOURCES = doc/examples/unit.c
