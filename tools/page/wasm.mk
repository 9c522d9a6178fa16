# Compiles the command and the number, files and sim wings to OUT/binade.wasm (GNU make):
#     make -f wasm.mk TOP=<source folder> OUT=<folder> WASM_CC=clang VERSION=0.1.0
# Each object knows the headers it was made of, so that a change compiles what it touches.
SHELL = /bin/sh
FLAGS = --target=wasm32-wasi -O2 -msimd128 -std=c17 -ffp-contract=off -D_GNU_SOURCE -D_WASI_EMULATED_MMAN \
	-D_WASI_EMULATED_GETPID -DBNDI_WITH_WASM128 -DPACKAGE_VERSION='"$(VERSION)"' -include $(TOP)/tools/page/core/posix.h \
	-I$(TOP)/tools/page/core -I$(TOP)/include -I$(TOP)/src/number -I$(TOP)/src/files -I$(TOP)/src/sim -I$(TOP)/src/check \
	-I$(TOP)/tools/binade -I$(TOP)/tools
# Rooms and files without loops over elements are compiled for size: the page has a limit, and they are most of its code.
SMALL = $(foreach name,tools/binade src/files/store src/files/checkpoint src/files/lint src/files/convert src/sim/policy \
	src/files/diff src/sim/cost src/sim/study src/sim/train src/number/format src/number/text src/number/arith src/check,$(name)/%) \
	$(foreach name,quotient expression real jansson jansson_read jansson_words process main dot sum array_file array_image,\
	tools/page/core/$(name)) \
	$(foreach name,engine named_axes safetensors view tape scaling_parse handle pattern matmul reader shape buffer \
	operand transformer numbers npy apply view_make mask unbiased scaled rows formula amax_scaling embedding recompute \
	rules shape statistics pull product_roles operations saved_tensors gradient reshape rotary cross_entropy norm softmax \
	elementwise files casts scaled_read reduce copy pieces maths,src/sim/tensor/$(name)) \
	$(foreach name,input scan answer candidate by_pieces by_codes meet pieces round tensor code_counts,src/files/scan/$(name)) \
	$(foreach name,block_names quantize block_scale gguf block_job block_layout partial_array quantize_calls dequantize,\
	src/number/block/$(name)) \
	$(foreach name,gemm_plan accumulator_names by_tiles by_sums by_chains by_strips gemm gemm_job symmetric,src/number/matmul/$(name)) \
	$(foreach name,operate operate_plan conversion_plan context convert_array array_layout arithmetic operation_table converter \
	check_codes,src/number/bulk/$(name)) \
	$(foreach name,nearest_name error utf8 text_buffer refuse_character,src/number/base/$(name)) \
	src/sim/tensor/random tools/page/core/sum_ways tools/page/core/array_examine tools/page/core/answer \
	$(foreach name,sum_series exact_total,tools/page/core/$(name)) src/files/scan/scale_counts src/number/block/run_scales
# The stack is before the data, so that too deep a recursion ends the program and changes no number. Addresses in the
# code have no more bytes than they need: 1.5 % of the page.
LINK = --target=wasm32-wasi -mexec-model=reactor \
	-Wl,--strip-all,--gc-sections,--compress-relocations,--stack-first,-z,stack-size=1048576
LIBRARIES = -lwasi-emulated-mman -lwasi-emulated-getpid

# Not in the page: back ends of other machines, what needs threads, child processes, GMP or MPFR, and tokenizers, which
# core/tokens.c replaces.
LEFT_OUT = src/files/tokens/% $(foreach name,cast calc vectors verify bench page,tools/binade/$(name)/%) tools/binade/common/process.c
folders = src/number/* src/files/* src/sim/* tools/binade/common tools/binade/* tools/page/core
parser = $(patsubst %,src/check/calc/%.c,reader calls expression cut)
found = $(patsubst $(TOP)/%,%,$(sort $(wildcard $(folders:%=$(TOP)/%/*.c)))) $(parser)
sources = $(filter-out $(LEFT_OUT),$(foreach file,$(found),$(if $(findstring avx,$(file))$(findstring neon,$(file)),,$(file))))
objects = $(sources:%.c=$(OUT)/o/%.o)

$(OUT)/binade.wasm: $(objects)
	@$(WASM_CC) $(LINK) $(objects) -o $@.new $(LIBRARIES) && mv $@.new $@

# With the program of tests/page/bits.c, for tests/page/wasm.mjs.
$(OUT)/bits.wasm: $(objects) $(OUT)/o/tests/page/bits.o
	@$(WASM_CC) $(LINK) $^ -o $@.new $(LIBRARIES) && mv $@.new $@

# Another compiler, version or flag compiles all again.
$(OUT)/o/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(WASM_CC) $(FLAGS) $(SMALL)' >$@.new && if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
FORCE:

$(OUT)/o/%.o: $(TOP)/%.c $(OUT)/o/flags
	@mkdir -p $(@D)
	@$(WASM_CC) $(FLAGS) $(if $(filter $(SMALL),$*),-Oz) -MMD -MP -c $< -o $@

-include $(objects:.o=.d) $(OUT)/o/tests/page/bits.d
