# The npm package: the number wing as WebAssembly inside an ES module. `make npm` writes tools/npm/binade-VERSION.tgz in the
# build folder, in the layout of `npm pack`. It needs clang with a wasm32 target, wasm-ld and node, and no other package.
NPM_CORE = \
	tools/npm/core/answer.c \
	tools/npm/core/array.c \
	tools/npm/core/array.h \
	tools/npm/core/block.c \
	tools/npm/core/core.h \
	tools/npm/core/describe.c \
	tools/npm/core/memory.c \
	tools/npm/core/names.c \
	tools/npm/core/number.c \
	tools/npm/core/product.c
NPM_FILES = \
	tools/npm/README.md \
	tools/npm/element.d.ts \
	tools/npm/element.js \
	tools/npm/index.d.ts \
	tools/npm/index.js \
	tools/npm/lib/arrays.js \
	tools/npm/lib/blocks.js \
	tools/npm/lib/choices.js \
	tools/npm/lib/core.js \
	tools/npm/lib/element_style.js \
	tools/npm/lib/inflate.js \
	tools/npm/lib/numbers.js \
	tools/npm/lib/operations.js \
	tools/npm/lib/tables.js
EXTRA_DIST += $(NPM_CORE) $(NPM_FILES) tools/npm/build-wasm tools/npm/make-package tools/npm/pack.mjs \
	tools/npm/package.json.in

.PHONY: npm
npm: tools/npm/binade-$(PACKAGE_VERSION).tgz
CLEANFILES += tools/npm/*.o tools/npm/take.h tools/npm/binade.wasm tools/npm/*.tgz

tools/npm/wing.o: amalgamation/binade.c tools/npm/build-wasm
	$(AM_V_GEN)$(MKDIR_P) tools/npm && WASM_CC='$(WASM_CC)' $(SHELL) $(top_srcdir)/tools/npm/build-wasm wing amalgamation tools/npm
tools/npm/binade.wasm: tools/npm/wing.o $(NPM_CORE)
	$(AM_V_GEN)WASM_CC='$(WASM_CC)' $(SHELL) $(top_srcdir)/tools/npm/build-wasm core amalgamation tools/npm
tools/npm/binade-$(PACKAGE_VERSION).tgz: tools/npm/binade.wasm $(NPM_FILES) LICENSE tools/npm/make-package tools/npm/pack.mjs \
		tools/npm/package.json.in
	$(AM_V_GEN)NODE='$(NODE)' $(SHELL) $(top_srcdir)/tools/npm/make-package tools/npm '$(PACKAGE_VERSION)' '$(NPM_FILES)'
