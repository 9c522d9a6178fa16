# The page: the command as WebAssembly, in one file of HTML. `make page` writes tools/page/binade.html in the build folder.
PAGE_FILES = \
	tools/page/README.md \
	tools/page/build-wasm \
	tools/page/build.mjs \
	tools/page/package.json \
	tools/page/page.css \
	tools/page/page.html \
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
	tools/page/core/jansson.c \
	tools/page/core/jansson.h \
	tools/page/core/jansson_read.c \
	tools/page/core/jansson_words.c \
	tools/page/core/json_tree.h \
	tools/page/core/json_words.h \
	tools/page/core/main.c \
	tools/page/core/posix.h \
	tools/page/core/process.c \
	tools/page/core/real.c \
	tools/page/core/sum.c \
	tools/page/core/sum.h \
	tools/page/core/sum_series.c \
	tools/page/core/sum_ways.c \
	tools/page/js/dom.js \
	tools/page/js/link.js \
	tools/page/js/show_words.js \
	tools/page/js/main.js \
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
	tools/page/js/core/binade.js \
	tools/page/js/core/call.js \
	tools/page/js/core/client.js \
	tools/page/js/core/wasi.js \
	tools/page/js/rooms/index.js \
	tools/page/js/rooms/number.js \
	tools/page/js/rooms/sum.js \
	tools/page/js/sum/controls.js \
	tools/page/js/sum/dot.js \
	tools/page/js/sum/presets.js \
	tools/page/js/sum/running.js \
	tools/page/js/sum/state.js \
	tools/page/js/sum/sum.css
EXTRA_DIST += $(PAGE_FILES)

.PHONY: page
page:
	$(AM_V_GEN)$(MKDIR_P) tools/page && $(SHELL) $(top_srcdir)/tools/page/build-wasm tools/page && \
		node $(top_srcdir)/tools/page/build.mjs esbuild tools/page/binade.wasm '$(PACKAGE_VERSION)' tools/page/binade.html
