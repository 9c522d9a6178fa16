# The page: the command as WebAssembly, in one file of HTML. `make page` writes tools/page/binade.html in the build folder.
PAGE_FILES = \
	tools/page/README.md \
	tools/page/build.mjs \
	tools/page/package.json \
	tools/page/page.css \
	tools/page/page.html \
	tools/page/wasm.mk \
	tools/page/core/answer.c \
	tools/page/core/answer.h \
	tools/page/core/array.c \
	tools/page/core/array.h \
	tools/page/core/array_examine.c \
	tools/page/core/array_file.c \
	tools/page/core/array_image.c \
	tools/page/core/dot.c \
	tools/page/core/exact_total.c \
	tools/page/core/exact_total.h \
	tools/page/core/expression.c \
	tools/page/core/jansson.c \
	tools/page/core/jansson.h \
	tools/page/core/jansson_read.c \
	tools/page/core/jansson_words.c \
	tools/page/core/json_tree.h \
	tools/page/core/json_words.h \
	tools/page/core/main.c \
	tools/page/core/posix.h \
	tools/page/core/process.c \
	tools/page/core/quotient.c \
	tools/page/core/quotient.h \
	tools/page/core/real.c \
	tools/page/core/real.h \
	tools/page/core/sum.c \
	tools/page/core/sum.h \
	tools/page/core/sum_series.c \
	tools/page/core/sum_ways.c \
	tools/page/core/tokens.c \
	tools/page/js/dom.js \
	tools/page/js/link.js \
	tools/page/js/show_words.js \
	tools/page/js/main.js \
	tools/page/js/array/array.css \
	tools/page/js/array/controls.js \
	tools/page/js/array/files.js \
	tools/page/js/array/histogram.js \
	tools/page/js/array/image.js \
	tools/page/js/array/results.js \
	tools/page/js/array/state.js \
	tools/page/js/array/work.js \
	tools/page/js/chart/axes.js \
	tools/page/js/chart/chart.css \
	tools/page/js/chart/chart.js \
	tools/page/js/chart/frame.js \
	tools/page/js/chart/heat.js \
	tools/page/js/chart/look.js \
	tools/page/js/chart/paths.js \
	tools/page/js/chart/plane.js \
	tools/page/js/chart/reading.js \
	tools/page/js/chart/save.js \
	tools/page/js/chart/scale.js \
	tools/page/js/chart/stack.js \
	tools/page/js/chart/text.js \
	tools/page/js/chart/xy.js \
	tools/page/js/checkpoint/checkpoint.css \
	tools/page/js/checkpoint/diff.js \
	tools/page/js/checkpoint/files.js \
	tools/page/js/checkpoint/lint.js \
	tools/page/js/checkpoint/quantize.js \
	tools/page/js/checkpoint/relayout.js \
	tools/page/js/checkpoint/scan.js \
	tools/page/js/checkpoint/table.js \
	tools/page/js/core/binade.js \
	tools/page/js/core/call.js \
	tools/page/js/core/client.js \
	tools/page/js/core/packed.js \
	tools/page/js/core/wasi.js \
	tools/page/js/number/answer.js \
	tools/page/js/number/answers.js \
	tools/page/js/number/bits.js \
	tools/page/js/number/card.js \
	tools/page/js/number/choices.js \
	tools/page/js/number/controls.js \
	tools/page/js/number/gap.js \
	tools/page/js/number/literals.js \
	tools/page/js/number/number.css \
	tools/page/js/number/random.js \
	tools/page/js/rooms/array.js \
	tools/page/js/block/bits.js \
	tools/page/js/block/block.css \
	tools/page/js/block/drawing.js \
	tools/page/js/block/elements.js \
	tools/page/js/block/hex.js \
	tools/page/js/block/literals.js \
	tools/page/js/block/numbers.js \
	tools/page/js/block/presets.js \
	tools/page/js/block/rules.js \
	tools/page/js/block/state.js \
	tools/page/js/formats/codes.js \
	tools/page/js/formats/design.js \
	tools/page/js/formats/facts.js \
	tools/page/js/formats/formats.css \
	tools/page/js/formats/line.js \
	tools/page/js/formats/names.js \
	tools/page/js/formats/precision.js \
	tools/page/js/formats/ranges.js \
	tools/page/js/formats/sheet.js \
	tools/page/js/formats/state.js \
	tools/page/js/rooms/block.js \
	tools/page/js/rooms/checkpoint.js \
	tools/page/js/rooms/formats.js \
	tools/page/js/report/autopsy.js \
	tools/page/js/report/curves.js \
	tools/page/js/report/exponents.js \
	tools/page/js/report/files.js \
	tools/page/js/report/live.js \
	tools/page/js/report/memory.js \
	tools/page/js/report/report.css \
	tools/page/js/report/save.js \
	tools/page/js/report/setup.js \
	tools/page/js/report/sweep.js \
	tools/page/js/report/top.js \
	tools/page/js/report/view.js \
	tools/page/js/rooms/index.js \
	tools/page/js/rooms/libraries.js \
	tools/page/js/rooms/number.js \
	tools/page/js/rooms/run.js \
	tools/page/js/rooms/train.js \
	tools/page/js/rooms/sum.js \
	tools/page/js/sum/controls.js \
	tools/page/js/sum/dot.js \
	tools/page/js/sum/presets.js \
	tools/page/js/sum/running.js \
	tools/page/js/sum/state.js \
	tools/page/js/sum/sum.css
EXTRA_DIST += $(PAGE_FILES)

# Built where the tools for it are (configure names those that lack). A release holds the page, older than none of its
# sources, so that a build of a release takes that one. The rule stands where the page can be built.
PAGE_PARTS = $(PAGE_FILES) $(binade_SOURCES) $(libbinade_number_la_SOURCES) $(WASM128_SOURCES) \
	$(libbinade_laboratory_la_SOURCES) $(binadeinclude_HEADERS) $(labinclude_HEADERS)
if HAVE_PAGE_TOOLS
tools/page/binade.html: $(PAGE_PARTS)
	$(AM_V_GEN)$(MKDIR_P) tools/page && \
	$(MAKE) -s -f $(top_srcdir)/tools/page/wasm.mk TOP='$(top_srcdir)' OUT=tools/page WASM_CC='$(WASM_CC)' \
		VERSION='$(PACKAGE_VERSION)' tools/page/binade.wasm && \
	$(NODE) $(top_srcdir)/tools/page/build.mjs '$(ESBUILD)' tools/page/binade.wasm '$(PACKAGE_VERSION)' $@
endif
if HAVE_PAGE
EXTRA_DIST += tools/page/binade.html
pkgdata_DATA = tools/page/binade.html

# The command and the tests look for the page in the build folder.
all-local: tools/page/binade.html
	@test -f tools/page/binade.html || { $(MKDIR_P) tools/page && cp '$(srcdir)/tools/page/binade.html' tools/page; }
endif

.PHONY: page
if HAVE_PAGE
page: tools/page/binade.html
else
page:
	@echo 'The page cannot be built: $(PAGE_LACKS).' >&2; exit 1
endif
