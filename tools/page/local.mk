# The page: the command as WebAssembly, in one file of HTML. `make page` writes tools/page/binade.html in the build folder.
PAGE_FILES = \
	tools/page/README.md \
	tools/page/build-wasm \
	tools/page/build.mjs \
	tools/page/package.json \
	tools/page/page.css \
	tools/page/page.html \
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
	tools/page/js/core/client.js \
	tools/page/js/core/wasi.js \
	tools/page/js/rooms/index.js \
	tools/page/js/rooms/number.js
EXTRA_DIST += $(PAGE_FILES)

.PHONY: page
page:
	$(AM_V_GEN)$(MKDIR_P) tools/page && $(SHELL) $(top_srcdir)/tools/page/build-wasm tools/page && \
		node $(top_srcdir)/tools/page/build.mjs esbuild tools/page/binade.wasm '$(PACKAGE_VERSION)' tools/page/binade.html
