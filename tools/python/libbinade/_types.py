"""The types, constants and calls of binade's headers. tools/dev/make-python-types writes this file: do not edit it."""
# A pointer of an argument is an address (None, a number, byref, a pointer); a text is bytes. A type without fields is a
# handle that only the library reads.
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int8, c_int16,
                    c_int32, c_int64, c_long, c_size_t, c_ssize_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p)

VERSION = "0.1.0"
BND_ACCUMULATE_ALIGNED = 2
BND_ACCUMULATE_CBLAS = 3
BND_ACCUMULATE_COUNT = 5
BND_ACCUMULATE_EACH = 1
BND_ACCUMULATE_FUSED = 0
BND_ACCUMULATE_TENSOR = 4
BND_ACCUMULATOR_NAME_SIZE = 96
BND_ALIGNED_BITS_MAX = 24
BND_ARCHITECTURE_NAME_SIZE = 32
BND_ARCHITECTURE_WEIGHTS_MAX = 24
BND_BACKEND_AVX2 = 2
BND_BACKEND_AVX512 = 3
BND_BACKEND_BEST = 0
BND_BACKEND_COUNT = 6
BND_BACKEND_NEON = 4
BND_BACKEND_PORTABLE = 1
BND_BACKEND_WASM128 = 5
BND_BAD_ARGUMENT = 3
BND_BAD_FILE = 5
BND_BAD_NAME = 1
BND_BAD_STREAM = 6
BND_BAD_SYNTAX = 2
BND_BIASES_ALL = 2
BND_BIASES_NONE = 0
BND_BIASES_QKV = 1
BND_BLOCK_NAME_SIZE = 96
BND_BREAKS = 3
BND_BREAKS_BELOW = 10
BND_CAST = 2
BND_CHECKPOINT_GGUF = 1
BND_CHECKPOINT_NPY = 2
BND_CHECKPOINT_SAFETENSORS = 0
BND_CLASS_INFINITY = 3
BND_CLASS_NAN = 4
BND_CLASS_NORMAL = 2
BND_CLASS_SIGNALING_NAN = 5
BND_CLASS_SUBNORMAL = 1
BND_CLASS_ZERO = 0
BND_COMPARISON_APART = 10
BND_CONVERSIONS = 4
BND_COST_NAME_SIZE = 24
BND_COST_NOTES_MAX = 12
BND_COST_NOTE_SIZE = 320
BND_COST_STEPS_MAX = 40
BND_COST_TEXT_SIZE = 112
BND_DECODED = 1
BND_DIFFERENCE_BINS = 35
BND_DIFFERENCE_NONE = 0
BND_DIFFERENCE_ONLY_A = 2
BND_DIFFERENCE_ONLY_B = 3
BND_DIFFERENCE_SHAPE = 4
BND_DIFFERENCE_UNKNOWN = 5
BND_DIFFERENCE_VALUES = 1
BND_ECOSYSTEM_COUNT = 5
BND_ECOSYSTEM_ML_DTYPES = 0
BND_ECOSYSTEM_ONNX = 1
BND_ECOSYSTEM_OTHERS = 4
BND_ECOSYSTEM_SAFETENSORS = 2
BND_ECOSYSTEM_STABLEHLO = 3
BND_EFFECT_NONE = 0
BND_EFFECT_REFUSED = 1
BND_EFFECT_WRONG = 2
BND_EXPONENT_MAX = 1073741824
BND_EXPONENT_UNLIMITED = 536870912
BND_EXPRESSION_ADDITIONS_MAX = 10000000
BND_EXPRESSION_DEPTH_MAX = 256
BND_EXPRESSION_POWER_MAX = 1000000000
BND_FIELD_COUNT = 3
BND_FIELD_EXPONENT = 1
BND_FIELD_FRACTION = 2
BND_FIELD_SIGN = 0
BND_FINDINGS_MAX = 360
BND_FLAG_ALL = 127
BND_FLAG_DIVBYZERO = 8
BND_FLAG_INEXACT = 1
BND_FLAG_INVALID = 16
BND_FLAG_OVERFLOW = 4
BND_FLAG_SATURATED = 32
BND_FLAG_TO_ZERO = 64
BND_FLAG_UNDERFLOW = 2
BND_FLOOR_MARGIN = 3
BND_FLUSH_NONE = 0
BND_FLUSH_SUBNORMAL = 1
BND_FLUSH_TINY = 2
BND_FORMAT_BF16 = 4
BND_FORMAT_DLFLOAT16 = 18
BND_FORMAT_E2M1 = 17
BND_FORMAT_E2M3 = 15
BND_FORMAT_E3M2 = 16
BND_FORMAT_E3M4 = 10
BND_FORMAT_E4M3 = 5
BND_FORMAT_E4M3B11FNUZ = 11
BND_FORMAT_E4M3FNUZ = 7
BND_FORMAT_E4M3IEEE = 9
BND_FORMAT_E5M2 = 6
BND_FORMAT_E5M2FNUZ = 8
BND_FORMAT_E8M0 = 12
BND_FORMAT_FP16 = 3
BND_FORMAT_FP32 = 1
BND_FORMAT_FP64 = 0
BND_FORMAT_NAME_SIZE = 40
BND_FORMAT_TF32 = 2
BND_FORMAT_UE4M3 = 14
BND_FORMAT_UE5M3 = 13
BND_GGUF_MXFP4 = 39
BND_GGUF_NVFP4 = 40
BND_GGUF_Q4_0 = 2
BND_GGUF_Q8_0 = 8
BND_GROUP_DEFAULT = 32
BND_GROUP_MAX = 64
BND_HADAMARD_SIZE = 16
BND_HISTOGRAM_LOWEST = -40
BND_KIND_FINITE = 1
BND_KIND_INFINITE = 2
BND_KIND_QUIET_NAN = 3
BND_KIND_SIGNALING_NAN = 4
BND_KIND_ZERO = 0
BND_KNOWN_BOUNDS = 5
BND_KNOWN_DIGITS = 1
BND_KNOWN_EXACTLY = 0
BND_KNOWN_INFINITE = 2
BND_KNOWN_NAN = 3
BND_KNOWN_NOT = 4
BND_LAYOUT_COMFYUI = 6
BND_LAYOUT_COMPRESSED_TENSORS = 0
BND_LAYOUT_DEEPSEEK = 2
BND_LAYOUT_FAMILIES = 9
BND_LAYOUT_FP8 = 1
BND_LAYOUT_GGUF = 7
BND_LAYOUT_GPT_OSS = 3
BND_LAYOUT_MLX = 8
BND_LAYOUT_MODELOPT = 4
BND_LAYOUT_SGLANG = 5
BND_LOADERS = 6
BND_LOADER_COMFYUI = 4
BND_LOADER_LLAMA_CPP = 5
BND_LOADER_SGLANG = 1
BND_LOADER_TENSORRT_LLM = 3
BND_LOADER_TRANSFORMERS = 2
BND_LOADER_VLLM = 0
BND_LOADS_NO = 3
BND_LOADS_PARTLY = 2
BND_LOADS_UNKNOWN = 0
BND_LOADS_YES = 1
BND_MACHINE_NAME_SIZE = 32
BND_MACHINE_PEAKS_MAX = 8
BND_MACHINE_SOURCE_SIZE = 160
BND_MACHINE_TITLE_SIZE = 64
BND_MADE_COUNT = 5
BND_MADE_NONE = 255
BND_MADE_QUOTIENT = 2
BND_MADE_ROUNDING = 3
BND_MADE_SCALE = 1
BND_MADE_TENSOR = 0
BND_MADE_ZERO = 4
BND_MECHANISM_CLAMPED = 2
BND_MECHANISM_COUNT = 9
BND_MECHANISM_LOST_MOMENTS = 5
BND_MECHANISM_LOST_UPDATES = 3
BND_MECHANISM_OVERFLOWED = 1
BND_MECHANISM_ROUNDED = 8
BND_MECHANISM_ROUNDED_SUMS = 7
BND_MECHANISM_SKIPPED_STEPS = 6
BND_MECHANISM_STALLED_MOMENTS = 4
BND_MECHANISM_UNDERFLOWED = 0
BND_MESSAGE_SIZE = 320
BND_NAN_CANONICAL = 1
BND_NAN_COUNT = 7
BND_NAN_DEFAULT = 0
BND_NAN_ONES = 3
BND_NAN_PROPAGATE = 5
BND_NAN_SIGNED = 2
BND_NAN_SIGNED_ONES = 4
BND_NAN_X86 = 6
BND_NEGATIVE_MAGNITUDE = 1
BND_NEGATIVE_NAN = 0
BND_NOTATION_AUTO = 0
BND_NOTATION_EXPONENT = 2
BND_NOTATION_PLAIN = 1
BND_NO_MEMORY = 4
BND_NO_NAN_MAX = 0
BND_NO_NAN_ZERO = 1
BND_NPY_DESCR_SIZE = 24
BND_NPY_FLOAT = 0
BND_NPY_HEADER_MAX = 1048576
BND_NPY_INTEGER = 1
BND_NPY_OPAQUE = 2
BND_NPY_RANK_MAX = 64
BND_NPY_START = 12
BND_OK = 0
BND_OPERANDS_MAX = 3
BND_OP_ABS = 20
BND_OP_ADD = 1
BND_OP_CONVERT = 0
BND_OP_COUNT = 30
BND_OP_DIV = 4
BND_OP_ERF = 25
BND_OP_EXP = 21
BND_OP_FMA = 6
BND_OP_GELU = 26
BND_OP_GELU_TANH = 27
BND_OP_LOG = 22
BND_OP_LOGB = 15
BND_OP_MAX = 11
BND_OP_MAX_NUMBER = 13
BND_OP_MIN = 10
BND_OP_MIN_NUMBER = 12
BND_OP_MUL = 3
BND_OP_NEARBY = 9
BND_OP_NEG = 19
BND_OP_NEXT_DOWN = 17
BND_OP_NEXT_UP = 16
BND_OP_RECIPROCAL = 29
BND_OP_REM = 5
BND_OP_RINT = 8
BND_OP_RSQRT = 28
BND_OP_SCALB = 14
BND_OP_SIGMOID = 24
BND_OP_SQRT = 7
BND_OP_SUB = 2
BND_OP_TANH = 23
BND_OP_ULP = 18
BND_ORACLE_FINITE = 0
BND_ORACLE_INFINITE = 1
BND_ORACLE_NAN = 2
BND_ORACLE_SIGNALING_NAN = 3
BND_OVERFLOW_COUNT = 5
BND_OVERFLOW_FORMAT = 0
BND_OVERFLOW_FORMAT_MAX = 3
BND_OVERFLOW_PROPAGATE = 2
BND_OVERFLOW_PROPAGATE_MAX = 4
BND_OVERFLOW_SATURATE = 1
BND_PACKING_PACKED = 0
BND_PACKING_UNPACKED = 1
BND_PART_CODES = 0
BND_PART_COUNT = 9
BND_PART_INPUT = 3
BND_PART_INPUT_SECOND = 4
BND_PART_NOTE = 8
BND_PART_ORDER = 7
BND_PART_SCALES = 1
BND_PART_SECOND = 2
BND_PART_SHAPE = 6
BND_PART_ZERO_POINTS = 5
BND_PHASE_BACKWARD = 1
BND_PHASE_COUNT = 4
BND_PHASE_FORWARD = 0
BND_PHASE_RECOMPUTE = 2
BND_PHASE_UPDATE = 3
BND_PLACES_MAX = 4096
BND_PLACE_NAME_SIZE = 64
BND_POLICY_LAYERS_SIZE = 512
BND_POLICY_NAME_SIZE = 64
BND_POLICY_TEXT_SIZE = 8192
BND_PRECISION_MAX = 64
BND_QUANTITY_BYTES = 2
BND_QUANTITY_NUMBER = 0
BND_QUANTITY_SHARE = 3
BND_QUANTITY_WHOLE = 1
BND_QUANTIZED = 3
BND_RANDOM_BITS_DEFAULT = 32
BND_RANDOM_BITS_MAX = 62
BND_RECOMPUTE_FULL = 2
BND_RECOMPUTE_NONE = 0
BND_RECOMPUTE_SELECTIVE = 1
BND_RECORD_NAME_SIZE = 256
BND_REDUCTION_COUNT = 3
BND_REDUCTION_RING = 2
BND_REDUCTION_SEQUENTIAL = 0
BND_REDUCTION_TREE = 1
BND_RELAID_CAST = 2
BND_RELAID_CHANGES = 6
BND_RELAID_INVERTED = 5
BND_RELAID_RENAMED = 0
BND_RELAID_REORDERED = 4
BND_RELAID_RESHAPED = 1
BND_RELAID_RETYPED = 3
BND_RELATION_EQUAL = 2
BND_RELATION_GREATER = 4
BND_RELATION_LESS = 1
BND_RELATION_SIGNALING = 16
BND_RELATION_UNORDERED = 8
BND_ROLE_ACCUMULATE = 37
BND_ROLE_ACT = 2
BND_ROLE_ATTN_DK = 30
BND_ROLE_ATTN_DO = 21
BND_ROLE_ATTN_DP = 31
BND_ROLE_ATTN_DQ = 29
BND_ROLE_ATTN_DS = 22
BND_ROLE_ATTN_DV = 32
BND_ROLE_ATTN_K = 18
BND_ROLE_ATTN_O = 28
BND_ROLE_ATTN_P = 19
BND_ROLE_ATTN_Q = 17
BND_ROLE_ATTN_S = 27
BND_ROLE_ATTN_V = 20
BND_ROLE_CAREFUL = 34
BND_ROLE_COUNT = 40
BND_ROLE_DACT = 3
BND_ROLE_DATA = 36
BND_ROLE_DGRAD_DX = 25
BND_ROLE_DGRAD_DY = 10
BND_ROLE_DGRAD_W = 11
BND_ROLE_EXTRA = 7
BND_ROLE_FWD_W = 9
BND_ROLE_FWD_X = 8
BND_ROLE_FWD_Y = 24
BND_ROLE_GRAD = 4
BND_ROLE_HIGH = 16
BND_ROLE_M = 5
BND_ROLE_MASTER = 1
BND_ROLE_MATMUL = 14
BND_ROLE_NORM_W = 15
BND_ROLE_NS = 23
BND_ROLE_PARAM = 0
BND_ROLE_REDUCE = 38
BND_ROLE_SAVED = 33
BND_ROLE_SCALAR = 35
BND_ROLE_SCRATCH = 39
BND_ROLE_V = 6
BND_ROLE_WGRAD_DW = 26
BND_ROLE_WGRAD_DY = 13
BND_ROLE_WGRAD_X = 12
BND_ROUND_COUNT = 10
BND_ROUND_DETERMINISTIC_COUNT = 6
BND_ROUND_RDN = 4
BND_ROUND_RNA = 1
BND_ROUND_RNE = 0
BND_ROUND_RTO = 5
BND_ROUND_RTZ = 2
BND_ROUND_RUP = 3
BND_ROUND_SR = 6
BND_ROUND_SRA = 7
BND_ROUND_SRB = 8
BND_ROUND_SR_EQUAL = 9
BND_SAFETENSORS_BOOL = 3
BND_SAFETENSORS_COMPLEX = 4
BND_SAFETENSORS_FLOAT = 0
BND_SAFETENSORS_HEADER_MAX = 100000000
BND_SAFETENSORS_RANK_MAX = 64
BND_SAFETENSORS_SIGNED = 2
BND_SAFETENSORS_UNSIGNED = 1
BND_SCALE_CEIL = 2
BND_SCALE_COUNT = 8
BND_SCALE_CT = 5
BND_SCALE_EVEN = 3
BND_SCALE_FLOOR = 1
BND_SCALE_FOUR_SIX = 7
BND_SCALE_MSE = 6
BND_SCALE_NEAREST = 4
BND_SCALE_RCEIL = 0
BND_SCALING_SIZE = 32
BND_SCAN_PIECE = 4194304
BND_SEVERITY_DAMAGE = 2
BND_SEVERITY_NOTE = 0
BND_SEVERITY_SUSPECT = 1
BND_SHARES_MAX = 32
BND_SHARE_BLOCK = 0
BND_SHARE_TENSOR = 2
BND_SHARE_TILE = 1
BND_STAYS = 0
BND_STORED_BLOCKS = 2
BND_STORED_FLOAT = 0
BND_STORED_INTEGER = 1
BND_STORED_OTHER = 3
BND_SUMMARY_ACCUMULATE_BYTES = 32
BND_SUMMARY_ACTIVATION_BYTES = 13
BND_SUMMARY_BYTES_PER_PARAMETER = 12
BND_SUMMARY_EMULATION_PEAK_BYTES = 18
BND_SUMMARY_ENDED_AT = 7
BND_SUMMARY_EXTRA_BYTES = 31
BND_SUMMARY_FAILED = 1
BND_SUMMARY_FINAL_LOSS = 2
BND_SUMMARY_FLOPS_PER_SECOND = 20
BND_SUMMARY_GAP = 3
BND_SUMMARY_GRADIENTS = 34
BND_SUMMARY_GRAD_BYTES = 27
BND_SUMMARY_INTERVAL = 4
BND_SUMMARY_LOST_UPDATES_PERCENT = 8
BND_SUMMARY_MASTER_BYTES = 28
BND_SUMMARY_MEMORY_BYTES = 14
BND_SUMMARY_MEMORY_SAVED_BYTES = 17
BND_SUMMARY_MEMORY_SAVED_TIMES = 16
BND_SUMMARY_M_BYTES = 29
BND_SUMMARY_NAME_SIZE = 384
BND_SUMMARY_NAN_FROM = 22
BND_SUMMARY_NAN_RUNS = 35
BND_SUMMARY_NUMBERS = 36
BND_SUMMARY_OUTSIDE_FROM = 6
BND_SUMMARY_OVERFLOWS = 10
BND_SUMMARY_PAIRS = 0
BND_SUMMARY_PARAM_BYTES = 26
BND_SUMMARY_PEAK_BYTES = 15
BND_SUMMARY_RATIO = 23
BND_SUMMARY_RATIO_HIGH = 25
BND_SUMMARY_RATIO_LOW = 24
BND_SUMMARY_RECIPE_LOSS = 21
BND_SUMMARY_SKIPPED = 11
BND_SUMMARY_STEP_SECONDS = 19
BND_SUMMARY_TOLERANCE = 5
BND_SUMMARY_UNDERFLOWED_PERCENT = 9
BND_SUMMARY_UPDATES = 33
BND_SUMMARY_V_BYTES = 30
BND_SUM_COUNT = 3
BND_SUM_KAHAN = 2
BND_SUM_NAIVE = 0
BND_SUM_PAIRWISE = 1
BND_SURVIVALS = 4
BND_SURVIVES_EXACT = 0
BND_SURVIVES_FLOOR = 1
BND_SURVIVES_LOSSY = 2
BND_TENSOR_FRACTION_MAX = 40
BND_TENSOR_OP_ABS = 11
BND_TENSOR_OP_ADD = 1
BND_TENSOR_OP_CAST = 28
BND_TENSOR_OP_CHECKPOINT = 44
BND_TENSOR_OP_COPY = 27
BND_TENSOR_OP_COUNT = 45
BND_TENSOR_OP_CROSS_ENTROPY = 39
BND_TENSOR_OP_DIV = 4
BND_TENSOR_OP_DROPOUT = 26
BND_TENSOR_OP_EMBEDDING = 38
BND_TENSOR_OP_ERF = 17
BND_TENSOR_OP_EXP = 12
BND_TENSOR_OP_GELU = 20
BND_TENSOR_OP_GELU_TANH = 21
BND_TENSOR_OP_LAYER_NORM = 36
BND_TENSOR_OP_LINEAR = 41
BND_TENSOR_OP_LOG = 13
BND_TENSOR_OP_LOGSUMEXP = 33
BND_TENSOR_OP_LOG_SOFTMAX = 35
BND_TENSOR_OP_MASKED = 25
BND_TENSOR_OP_MATMUL = 40
BND_TENSOR_OP_MAX = 31
BND_TENSOR_OP_MAXIMUM = 8
BND_TENSOR_OP_MEAN = 30
BND_TENSOR_OP_MIN = 32
BND_TENSOR_OP_MINIMUM = 9
BND_TENSOR_OP_MUL = 3
BND_TENSOR_OP_NEG = 10
BND_TENSOR_OP_NONE = 0
BND_TENSOR_OP_POW = 5
BND_TENSOR_OP_RELU = 19
BND_TENSOR_OP_RMS_NORM = 37
BND_TENSOR_OP_ROPE = 42
BND_TENSOR_OP_RSQRT = 15
BND_TENSOR_OP_SCALE = 6
BND_TENSOR_OP_SHIFT = 7
BND_TENSOR_OP_SIGMOID = 18
BND_TENSOR_OP_SILU = 22
BND_TENSOR_OP_SOFTMAX = 34
BND_TENSOR_OP_SQRT = 14
BND_TENSOR_OP_SUB = 2
BND_TENSOR_OP_SUM = 29
BND_TENSOR_OP_TANH = 16
BND_TENSOR_OP_TRIL = 24
BND_TENSOR_OP_TRIU = 23
BND_TENSOR_OP_VIEW = 43
BND_TENSOR_RANK_MAX = 8
BND_TERM_CODE = 1
BND_TERM_NUMBER = 0
BND_TERM_OPERATION = 2
BND_TERM_POWER = 3
BND_TERM_SUM = 4
BND_TIES_CODE = 1
BND_TIES_SIGNIFICAND = 0
BND_TIE_RULE_CODE = 2
BND_TIE_RULE_FORMAT = 0
BND_TIE_RULE_SIGNIFICAND = 1
BND_TRAINING_DATA_SIZE = 1024
BND_TRAINING_NAME_SIZE = 32
BND_TRANSFORMER_TEXT_SIZE = 1024
BND_TRANSFORMER_WORD_SIZE = 16
BND_UPDATE_COUNT = 3
BND_UPDATE_ECO = 2
BND_UPDATE_KAHAN = 1
BND_UPDATE_ROUNDED = 0
BND_VECTOR_ANSWER_ANY = 1
BND_VECTOR_ANSWER_WHOLE = 0
BND_VECTOR_BOUNDARIES_MAX = 65536
BND_VECTOR_CASE_ABOVE_HALF = 3
BND_VECTOR_CASE_BELOW_HALF = 1
BND_VECTOR_CASE_COUNT = 7
BND_VECTOR_CASE_EXACT = 0
BND_VECTOR_CASE_INFINITE = 5
BND_VECTOR_CASE_NAN = 6
BND_VECTOR_CASE_OVERFLOW = 4
BND_VECTOR_CASE_TIE = 2
BND_VECTOR_CLASS_COUNT = 6
BND_VECTOR_DOT_PAIRS_MAX = 512
BND_VECTOR_FORM_LINE = 0
BND_VECTOR_FORM_MEMH = 1
BND_VECTOR_FORM_QUESTION = 2
BND_VECTOR_KIND_DOT = 1
BND_VECTOR_KIND_MXDOT = 2
BND_VECTOR_KIND_OPERATION = 0
BND_VECTOR_LEVEL_1 = 1
BND_VECTOR_LEVEL_2 = 2
BND_VECTOR_LEVEL_ALL = 3
BND_VECTOR_LEVEL_SAMPLE = 0
BND_VECTOR_LINE_MAX = 17459
BND_VECTOR_MXDOT_PAIRS = 32
BND_VECTOR_OPERANDS_MAX = 1024
BND_VERDICT_BETTER = 3
BND_VERDICT_COUNT = 6
BND_VERDICT_FAILED = 4
BND_VERDICT_INCONCLUSIVE = 1
BND_VERDICT_NO_DIFFERENCE = 0
BND_VERDICT_UNJUDGED = 5
BND_VERDICT_WORSE = 2
BND_VERIFY_COUNTEREXAMPLES_MAX = 3
BND_VERSION_MAJOR = 0
BND_VERSION_MINOR = 1
BND_VERSION_PATCH = 0
BND_WEIGHT_STEP = 256
BND_ZERO_LEAST = 0
BND_ZERO_NAN = 1


class bnd_error(Structure):
    pass


class bnd_format_internal(Structure):
    pass


class bnd_format(Structure):
    pass


class bnd_rule(Structure):
    pass


class bnd_result(Structure):
    pass


class bnd_exact(Structure):
    pass


class bnd_rounded(Structure):
    pass


class bnd_context(Structure):
    pass


class bnd_array(Structure):
    pass


class bnd_stats(Structure):
    pass


class bnd_operand(Structure):
    pass


class bnd_table(Structure):
    pass


class bnd_block(Structure):
    pass


class bnd_shape(Structure):
    pass


class bnd_given_scales(Structure):
    pass


class bnd_dynamic(Structure):
    pass


class bnd_accumulator(Structure):
    pass


class bnd_strides(Structure):
    pass


class bnd_gemm(Structure):
    pass


class bnd_number(Structure):
    pass


class bnd_npy(Structure):
    pass


class bnd_safetensor(Structure):
    pass


class bnd_safetensors_pair(Structure):
    pass


class bnd_safetensors(Structure):
    pass


class bnd_stored_tensor(Structure):
    pass


class bnd_checkpoint(Structure):
    pass


class bnd_layout(Structure):
    pass


class bnd_stored_weight(Structure):
    pass


class bnd_planned(Structure):
    pass


class bnd_side_file(Structure):
    pass


class bnd_checkpoint_plan(Structure):
    pass


class bnd_checkpoint_writer(Structure):
    pass


class bnd_watch(Structure):
    pass


class bnd_cast(Structure):
    pass


class bnd_reset(Structure):
    pass


class bnd_loss_scale(Structure):
    pass


class bnd_policy(Structure):
    pass


class bnd_layer(Structure):
    pass


class bnd_engine(Structure):
    pass


class bnd_tensor(Structure):
    pass


class bnd_attributes(Structure):
    pass


class bnd_account(Structure):
    pass


class bnd_named_tensor(Structure):
    pass


class bnd_transformer(Structure):
    pass


class bnd_training(Structure):
    pass


class bnd_run(Structure):
    pass


class bnd_step(Structure):
    pass


class bnd_ranks(Structure):
    pass


class bnd_updates(Structure):
    pass


class bnd_step_rates(Structure):
    pass


class bnd_point(Structure):
    pass


class bnd_histogram(Structure):
    pass


class bnd_record(Structure):
    pass


class bnd_log_columns(Structure):
    pass


class bnd_task(Structure):
    pass


class bnd_comparison(Structure):
    pass


class bnd_curve(Structure):
    pass


class bnd_trained_weights(Structure):
    pass


class bnd_loss_change(Structure):
    pass


class bnd_evaluated(Structure):
    pass


class bnd_summary_row(Structure):
    pass


class bnd_finding(Structure):
    pass


class bnd_share(Structure):
    pass


class bnd_culprit(Structure):
    pass


class bnd_autopsy(Structure):
    pass


class bnd_term(Structure):
    pass


class bnd_real(Structure):
    pass


class bnd_quantize(Structure):
    pass


class bnd_planned_weight(Structure):
    pass


class bnd_planned_kind(Structure):
    pass


class bnd_plan_totals(Structure):
    pass


class bnd_quantize_plan(Structure):
    pass


class bnd_relayout(Structure):
    pass


class bnd_relayout_result(Structure):
    pass


class bnd_relayout_compared(Structure):
    pass


class bnd_relaid_tensor(Structure):
    pass


class bnd_relayout_changes(Structure):
    pass


class bnd_cost_step(Structure):
    pass


class bnd_cost(Structure):
    pass


class bnd_peak(Structure):
    pass


class bnd_machine(Structure):
    pass


class bnd_architecture(Structure):
    pass


class bnd_weight(Structure):
    pass


class bnd_plan(Structure):
    pass


class bnd_stored(Structure):
    pass


class bnd_cost_of_time(Structure):
    pass


class bnd_cost_of_flops(Structure):
    pass


class bnd_trained(Structure):
    pass


class bnd_cost_of_memory(Structure):
    pass


class bnd_made_row(Structure):
    pass


class bnd_explanation(Structure):
    pass


class bnd_difference_sums(Structure):
    pass


class bnd_weight_difference(Structure):
    pass


class bnd_diff_options(Structure):
    pass


class bnd_diff(Structure):
    pass


class bnd_explained_group(Structure):
    pass


class bnd_lint_check(Structure):
    pass


class bnd_loader_cell(Structure):
    pass


class bnd_lint_options(Structure):
    pass


class bnd_lint_finding(Structure):
    pass


class bnd_lint_layout(Structure):
    pass


class bnd_lint_summary(Structure):
    pass


class bnd_lint(Structure):
    pass


class bnd_candidate(Structure):
    pass


class bnd_loss(Structure):
    pass


class bnd_scanned(Structure):
    pass


class bnd_scan_total(Structure):
    pass


class bnd_scan_options(Structure):
    pass


class bnd_scan(Structure):
    pass


class bnd_scan_model(Structure):
    pass


class bnd_verify_candidate(Structure):
    pass


class bnd_verify_counterexample(Structure):
    pass


class bnd_verify_result(Structure):
    pass


class bnd_verify_options(Structure):
    pass


class bnd_verifier(Structure):
    pass


class bnd_vectors(Structure):
    pass


class bnd_vector_plan(Structure):
    pass


class bnd_vector_line(Structure):
    pass


class bnd_vector_coverage(Structure):
    pass


class bnd_vector_covered(Structure):
    pass


class bnd_vector_options(Structure):
    pass


class bnd_vector_check(Structure):
    pass


class bnd_vector_suspect(Structure):
    pass


class bnd_vector_fault(Structure):
    pass


class bnd_grid(Structure):
    pass


class bnd_rate(Structure):
    pass


class bnd_sweep_row(Structure):
    pass


bnd_checkpoint_damage = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p)
bnd_name_matches = CFUNCTYPE(c_bool, c_char_p, c_char_p)
bnd_segment = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)
bnd_study_watch = CFUNCTYPE(c_bool, c_void_p, c_size_t, c_void_p)
bnd_keeps = CFUNCTYPE(c_size_t, c_size_t, c_int, c_void_p, c_size_t, c_bool, c_size_t)
bnd_error._fields_ = [("status", c_int), ("where", c_size_t), ("message", (c_char * 320))]
bnd_format_internal._fields_ = [("sign_code", c_uint64), ("exponent_mask", c_uint64), ("normals", c_uint64),
    ("unbias", c_uint64), ("unbias_twice", c_uint64), ("quick_modes", c_uint8)]
bnd_format._fields_ = [("name", (c_char * 40)), ("row", c_int16), ("width", c_uint8), ("exponent_bits", c_uint8),
    ("fraction_bits", c_uint8), ("precision", c_uint8), ("is_signed", c_bool), ("has_zero", c_bool),
    ("has_negative_zero", c_bool), ("has_subnormals", c_bool), ("has_infinity", c_bool), ("has_nan", c_bool),
    ("zero_nan", c_bool), ("ieee_nans", c_bool), ("ties", c_uint8), ("bias", c_int32), ("emin", c_int32),
    ("emax", c_int32), ("internal", bnd_format_internal), ("high_nans", c_uint64), ("max_code", c_uint64),
    ("infinity_code", c_uint64), ("nan_code", c_uint64), ("max_significand", c_uint64),
    ("normal_significand", c_uint64), ("least_significand", c_uint64), ("max_quantum", c_int32),
    ("normal_quantum", c_int32), ("least_quantum", c_int32)]
bnd_rule._fields_ = [("rounding", c_uint8), ("overflow", c_uint8), ("nan", c_uint8), ("no_nan", c_uint8),
    ("negative", c_uint8), ("zero", c_uint8), ("tie_rule", c_uint8), ("random_bits", c_uint8), ("flush_in", c_bool),
    ("flush_out", c_uint8), ("tiny_before", c_bool), ("reserved", (c_uint8 * 5))]
bnd_result._fields_ = [("code", c_uint64), ("flags", c_uint32), ("ternary", c_int32)]
bnd_exact._fields_ = [("high", c_uint64), ("low", c_uint64), ("exponent", c_int32), ("kind", c_uint8),
    ("negative", c_bool), ("sticky", c_bool)]
bnd_rounded._fields_ = [("value", bnd_exact), ("flags", c_uint32), ("ternary", c_int32)]
bnd_context._fields_ = [("backend", c_uint8), ("reserved", (c_uint8 * 3)), ("threads", c_uint32)]
bnd_array._fields_ = [("context", POINTER(bnd_context)), ("rule", bnd_rule), ("seed", c_uint64),
    ("purpose", c_uint64), ("first", c_uint64), ("stride_in", c_ssize_t), ("stride_out", c_ssize_t),
    ("packing_in", c_uint8), ("packing_out", c_uint8), ("reserved", (c_uint64 * 4))]
bnd_stats._fields_ = [("elements", c_uint64), ("exact", c_uint64), ("inexact", c_uint64), ("underflows", c_uint64),
    ("to_zero", c_uint64), ("overflows", c_uint64), ("saturated", c_uint64), ("infinities_in", c_uint64),
    ("nans_in", c_uint64), ("nans_out", c_uint64), ("compared", c_uint64), ("largest", c_double),
    ("smallest", c_double), ("squared_error", c_double), ("squared_input", c_double), ("clamped_error", c_double),
    ("scale_smallest", c_double), ("scale_largest", c_double), ("exponents", (c_uint64 * 64)),
    ("reserved", (c_uint64 * 4))]
bnd_operand._fields_ = [("data", c_void_p), ("format", POINTER(bnd_format)), ("stride", c_ssize_t),
    ("broadcast", c_bool), ("packing", c_uint8), ("reserved", (c_uint8 * 6))]
bnd_block._fields_ = [("name", (c_char * 96)), ("element", bnd_format), ("scale", bnd_format), ("rule", c_uint8),
    ("sharing", c_uint8), ("tensor", c_bool), ("integer", c_bool), ("least", c_int16), ("along", c_size_t),
    ("across", c_size_t), ("reserved", (c_uint64 * 2))]
bnd_shape._fields_ = [("outer", c_size_t), ("length", c_size_t), ("inner", c_size_t)]
bnd_given_scales._fields_ = [("scales", c_void_p), ("tensor_scale", c_void_p)]
bnd_dynamic._fields_ = [("block", c_size_t), ("is_signed", c_bool), ("is_linear", c_bool),
    ("reserved", (c_uint8 * 6))]
bnd_accumulator._fields_ = [("format", bnd_format), ("rule", bnd_rule), ("promote", c_uint32), ("group", c_uint16),
    ("kind", c_uint8), ("fraction", c_uint8)]
bnd_strides._fields_ = [("row", c_ssize_t), ("column", c_ssize_t)]
bnd_gemm._fields_ = [("context", POINTER(bnd_context)), ("accumulator", bnd_accumulator), ("a", bnd_strides),
    ("b", bnd_strides), ("c", bnd_strides), ("round_a", POINTER(bnd_format)), ("round_b", POINTER(bnd_format)),
    ("add", c_bool), ("seed", c_uint64), ("purpose", c_uint64), ("reserved", (c_uint64 * 4))]
bnd_number._fields_ = [("value", bnd_exact), ("integer", c_char_p), ("fraction", c_char_p),
    ("integer_length", c_size_t), ("fraction_length", c_size_t), ("first", c_size_t), ("count", c_size_t),
    ("exponent", c_int64), ("hexadecimal", c_bool)]
bnd_npy._fields_ = [("descr", (c_char * 24)), ("kind", c_int), ("element_size", c_uint8), ("version", c_uint8),
    ("big_endian", c_bool), ("fortran_order", c_bool), ("rank", c_size_t), ("shape", (c_uint64 * 64)),
    ("count", c_uint64), ("data_size", c_uint64), ("header_size", c_size_t)]
bnd_safetensor._fields_ = [("name", c_char_p), ("dtype", c_char_p), ("kind", c_int), ("bits", c_uint8),
    ("rank", c_size_t), ("shape", c_void_p), ("count", c_uint64), ("size", c_uint64), ("data", c_void_p)]
bnd_safetensors_pair._fields_ = [("key", c_char_p), ("value", c_char_p)]
bnd_stored_tensor._fields_ = [("name", c_char_p), ("dtype", c_char_p), ("kind", c_int), ("is_signed", c_bool),
    ("bits", c_uint8), ("gguf_type", c_uint32), ("format", POINTER(bnd_format)), ("rank", c_size_t),
    ("shape", c_void_p), ("count", c_uint64), ("size", c_uint64), ("data", c_void_p), ("file", c_size_t)]
bnd_layout._fields_ = [("name", c_char_p), ("title", c_char_p), ("family", c_int), ("block", c_char_p),
    ("methods", c_char_p), ("formats", c_char_p), ("suffix", (c_char_p * 9)), ("dtypes", (c_char_p * 9)),
    ("second_divides", c_bool), ("high_first", c_bool), ("swizzled", c_bool), ("source", c_char_p)]
bnd_stored_weight._fields_ = [("name", c_char_p), ("layout", POINTER(bnd_layout)),
    ("parts", (POINTER(bnd_stored_tensor) * 9)), ("rank", c_size_t), ("shape", c_void_p), ("count", c_uint64),
    ("is_float", c_bool), ("why_not", c_char_p), ("block", bnd_block), ("blocks", bnd_shape),
    ("tensor_scale", c_float), ("bits_per_element", c_double)]
bnd_planned._fields_ = [("name", c_char_p), ("dtype", c_char_p), ("rank", c_size_t), ("shape", c_void_p)]
bnd_side_file._fields_ = [("name", c_char_p), ("text", c_char_p), ("length", c_size_t), ("from", c_char_p)]
bnd_checkpoint_plan._fields_ = [("tensors", POINTER(bnd_planned)), ("count", c_size_t),
    ("metadata", POINTER(bnd_safetensors_pair)), ("pairs", c_size_t), ("side", POINTER(bnd_side_file)),
    ("side_count", c_size_t), ("shard_size", c_uint64)]
bnd_watch._fields_ = [("at", CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)), ("state", c_void_p),
    ("output", CFUNCTYPE(None, c_void_p, c_void_p))]
bnd_cast._fields_ = [("given", c_bool), ("transient", c_bool), ("hadamard", c_bool), ("requantized", c_bool),
    ("hadamard_size", c_uint16), ("format", bnd_format), ("rule", bnd_rule), ("scaling", (c_char * 32))]
bnd_reset._fields_ = [("m", c_uint32), ("v", c_uint32)]
bnd_loss_scale._fields_ = [("given", c_bool), ("dynamic", c_bool), ("initial", c_double), ("growth", c_uint32)]
bnd_policy._fields_ = [("name", (c_char * 64)), ("cast", (bnd_cast * 40)), ("accumulator", (c_char * 64)),
    ("update", c_int), ("reduction", c_int), ("reset", bnd_reset), ("fused", c_bool), ("high_last", c_uint8),
    ("loss_scale", bnd_loss_scale), ("layers", (c_char * 512)), ("written", (c_char * 512))]
bnd_layer._fields_ = [("name", c_char_p), ("weights", c_uint)]
bnd_attributes._fields_ = [("number", (c_double * 4)), ("axis", (c_int * 8)), ("axes", c_uint), ("keep", c_bool),
    ("flag", c_bool), ("seed", c_uint64), ("purpose", c_uint64), ("format", POINTER(bnd_format)), ("rule", bnd_rule),
    ("role", c_int)]
bnd_account._fields_ = [("bytes", (c_uint64 * 40)), ("peak_by_role", (c_uint64 * 40)), ("bytes_now", c_uint64),
    ("bytes_peak", c_uint64), ("by_role_at_peak", (c_uint64 * 40)), ("recipe_now", c_uint64),
    ("recipe_peak", c_uint64), ("by_role_at_recipe_peak", (c_uint64 * 40)), ("saved", c_uint64),
    ("saved_row_statistics", c_uint64), ("allocations", c_uint64), ("flops", ((c_uint64 * 45) * 4)),
    ("bytes_read", c_uint64), ("bytes_written", c_uint64)]
bnd_named_tensor._fields_ = [("name", c_char_p), ("tensor", c_void_p)]
bnd_transformer._fields_ = [("norm", (c_char * 16)), ("position", (c_char * 16)), ("mlp", (c_char * 16)),
    ("kv_heads", c_size_t), ("head_width", c_size_t), ("mlp_width", c_size_t), ("positions", c_size_t),
    ("norm_epsilon", c_double), ("rope_theta", c_double), ("z_loss", c_double), ("deviation", c_double),
    ("no_bias", c_bool), ("qk_norm", c_bool), ("unit", c_bool), ("tau", c_double), ("sqrt_softmax", c_bool),
    ("rope_scaling", (c_char * 16)), ("rope_factor", c_double), ("rope_low", c_double), ("rope_high", c_double),
    ("rope_original", c_size_t)]
bnd_training._fields_ = [("policy", bnd_policy), ("model", (c_char * 32)), ("optimizer", (c_char * 32)),
    ("schedule", (c_char * 32)), ("data", (c_char * 1024)), ("data_type", (c_char * 32)),
    ("tokenizer", (c_char * 1024)), ("source", (c_char * 32)), ("init", (c_char * 1024)), ("order", (c_char * 1024)),
    ("seed_init", c_uint64), ("seed_data", c_uint64), ("seed_rounding", c_uint64), ("steps", c_uint64),
    ("lr", c_double), ("beta1", c_double), ("beta2", c_double), ("epsilon", c_double), ("weight_decay", c_double),
    ("clip", c_double), ("micro_batches", c_size_t), ("ranks", c_size_t), ("batch", c_size_t), ("inputs", c_size_t),
    ("width", c_size_t), ("depth", c_size_t), ("heads", c_size_t), ("context", c_size_t), ("vocabulary", c_size_t),
    ("tied", c_bool), ("recompute", c_bool), ("blocks", bnd_transformer)]
bnd_step._fields_ = [("step", c_uint64), ("loss", c_double), ("gradient_norm", c_double), ("lr", c_double),
    ("loss_scale", c_double), ("clip_factor", c_double), ("skipped", c_bool), ("weights", c_uint64),
    ("updates", c_uint64), ("lost", c_uint64), ("update_ratio", c_double)]
bnd_ranks._fields_ = [("rank", c_size_t), ("count", c_size_t),
    ("gather", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)), ("data", c_void_p)]
bnd_updates._fields_ = [("updates", c_uint64), ("lost", c_uint64), ("lost_moments", c_uint64),
    ("moments", (c_uint64 * 2)), ("stalled", (c_uint64 * 2))]
bnd_step_rates._fields_ = [("lr", c_double), ("beta1", c_double), ("beta2", c_double), ("epsilon", c_double),
    ("weight_decay", c_double)]
bnd_point._fields_ = [("step", c_uint64), ("loss", c_double), ("gradient_norm", c_double), ("lr", c_double),
    ("loss_scale", c_double), ("update_ratio", c_double), ("seconds", c_double), ("validation", c_double),
    ("validation_fp32", c_double), ("updates", c_uint64), ("lost", c_uint64), ("gradients", c_uint64),
    ("underflowed", c_uint64), ("overflows", c_uint64), ("clip_factor", c_double), ("skipped", c_bool),
    ("validated", c_bool), ("validated_fp32", c_bool), ("clips", c_bool), ("ended", c_bool)]
bnd_histogram._fields_ = [("step", c_uint64), ("role", c_int), ("exponents", (c_uint64 * 64))]
bnd_record._fields_ = [("recipe", (c_char * 256)), ("model", (c_char * 32)), ("optimizer", (c_char * 32)),
    ("seed_init", c_uint64), ("seed_data", c_uint64), ("init_hash", c_uint64), ("order_hash", c_uint64),
    ("data_hash", c_uint64), ("tokenizer_hash", c_uint64), ("lr", c_double), ("points", POINTER(bnd_point)),
    ("count", c_size_t), ("steps", c_uint64), ("complete", c_bool), ("ended", c_bool), ("validated", c_bool),
    ("loss", c_double), ("validated_fp32", c_bool), ("validation", c_double), ("validation_fp32", c_double),
    ("floor", c_double), ("chance_loss", c_double), ("parameters", c_uint64), ("updates", c_uint64),
    ("lost", c_uint64), ("skipped", c_uint64), ("gradients", c_uint64), ("underflowed", c_uint64),
    ("overflows", c_uint64), ("overflow_from", (c_uint64 * 40)), ("underflow_from", (c_uint64 * 40)),
    ("bytes", (c_uint64 * 40)), ("peak_by_role", (c_uint64 * 40)), ("bytes_peak", c_uint64),
    ("bytes_at_peak", (c_uint64 * 40)), ("recipe_peak", c_uint64), ("recipe_at_peak", (c_uint64 * 40)),
    ("saved", c_uint64), ("saved_row_statistics", c_uint64), ("flops", c_uint64), ("seconds", c_double),
    ("source", c_char_p), ("step_column", c_char_p), ("loss_column", c_char_p), ("config", c_char_p),
    ("autopsy", c_char_p), ("histograms", POINTER(bnd_histogram)), ("histogram_count", c_size_t)]
bnd_log_columns._fields_ = [("step", c_char_p), ("loss", c_char_p)]
bnd_task._fields_ = [("training", bnd_training), ("recipe", c_char_p), ("directory", c_char_p), ("resume", c_bool),
    ("checkpoint_every", c_uint64), ("drops_checkpoint", c_bool), ("validate_every", c_uint64),
    ("validation_batches", c_uint64), ("statistics", c_bool), ("places", c_bool), ("switches", c_bool),
    ("switch_at", c_uint64), ("switch_to", bnd_policy), ("ranks", POINTER(bnd_ranks))]
bnd_comparison._fields_ = [("verdict", c_int), ("others", c_int), ("pairs", c_size_t), ("judged", c_size_t),
    ("failed", c_size_t), ("failed_nan", c_size_t), ("nan_from", c_uint64), ("nan_at_end", c_bool),
    ("reference_failed", c_size_t), ("margin", c_double), ("result", c_double), ("reference", c_double),
    ("gap", c_double), ("interval", c_double), ("tolerance", c_double), ("logarithmic", c_bool), ("ratio", c_double),
    ("ratio_low", c_double), ("ratio_high", c_double), ("ratio_tolerance", c_double), ("solved", c_bool),
    ("covered", c_double), ("outside", c_bool), ("outside_from", c_uint64), ("cut", c_bool), ("cut_at", c_uint64)]
bnd_curve._fields_ = [("step", c_void_p), ("mean", c_void_p), ("interval", c_void_p), ("count", c_size_t),
    ("window", c_size_t)]
bnd_trained_weights._fields_ = [("training", bnd_training), ("step", c_uint64), ("recipe", (c_char * 256)),
    ("is_run", c_bool), ("data_hash", c_uint64), ("tokenizer_hash", c_uint64)]
bnd_loss_change._fields_ = [("place", c_size_t), ("change", c_double), ("interval", c_double)]
bnd_evaluated._fields_ = [("batches", c_size_t), ("losses", c_void_p), ("loss", c_double), ("change", c_double),
    ("interval", c_double), ("has_perplexity", c_bool), ("perplexity", c_double), ("weight_bytes", c_uint64),
    ("places", POINTER(bnd_loss_change)), ("place_count", c_size_t)]
bnd_summary_row._fields_ = [("name", (c_char * 384)), ("records", POINTER(bnd_record)), ("count", c_size_t),
    ("reference", c_size_t), ("compared", c_bool), ("is", bnd_comparison), ("repeats", c_size_t)]
bnd_finding._fields_ = [("mechanism", c_int), ("role", c_int), ("share", c_double), ("worst_share", c_double),
    ("worst", (c_char * 64)), ("step", c_uint64)]
bnd_share._fields_ = [("part", c_size_t), ("lifts", c_bool), ("lowers", c_bool), ("heals", c_bool),
    ("hurts", c_bool), ("lifted", c_double), ("lifted_interval", c_double), ("lowered", c_double),
    ("lowered_interval", c_double)]
bnd_culprit._fields_ = [("part", c_size_t), ("has_cause", c_bool), ("cause", bnd_finding)]
bnd_autopsy._fields_ = [("comparison", bnd_comparison), ("shares", (bnd_share * 32)), ("share_count", c_size_t),
    ("interaction", c_double), ("interaction_interval", c_double), ("heals", c_bool), ("healed", c_double),
    ("healed_interval", c_double), ("culprits", (bnd_culprit * 32)), ("culprit_count", c_size_t),
    ("epsilon_vanishes", c_bool), ("findings", (bnd_finding * 360)), ("finding_count", c_size_t), ("runs", c_size_t)]
bnd_term._fields_ = [("kind", c_int), ("operands", c_uint8), ("negative", c_bool), ("operation", c_int),
    ("operand", (c_size_t * 3)), ("integer", c_int64), ("code", c_uint64), ("from", c_size_t), ("length", c_size_t),
    ("format_at", c_size_t), ("format_length", c_size_t)]
bnd_quantize._fields_ = [("to", c_char_p), ("layout", c_char_p), ("scale", c_char_p), ("rule", c_char_p),
    ("scale_format", c_char_p), ("activations", c_char_p), ("keep", c_void_p), ("keeps", c_size_t),
    ("also", c_void_p), ("alsos", c_size_t), ("unfused", c_bool), ("allow_nonfinite", c_bool),
    ("rounding", bnd_rule), ("seed", c_uint64), ("shard_size", c_uint64), ("context", POINTER(bnd_context))]
bnd_planned_weight._fields_ = [("weight", POINTER(bnd_stored_weight)), ("name", c_char_p), ("rank", c_size_t),
    ("shape", c_void_p), ("count", c_uint64), ("conversion", c_int), ("reason", c_char_p), ("because", c_char_p),
    ("dtype", c_char_p), ("block", bnd_block), ("group", c_size_t), ("bytes_in", c_uint64), ("bytes_out", c_uint64)]
bnd_planned_kind._fields_ = [("first", POINTER(bnd_planned_weight)), ("weights", c_uint64), ("elements", c_uint64),
    ("bytes_in", c_uint64), ("bytes_out", c_uint64)]
bnd_plan_totals._fields_ = [("parameters", c_uint64), ("quantized", c_uint64), ("bytes_in", c_uint64),
    ("bytes_out", c_uint64), ("memory", c_uint64), ("work", c_uint64), ("weights", (c_size_t * 4)),
    ("groups", c_size_t), ("inputs", c_size_t), ("inputs_kept", c_size_t)]
bnd_relayout._fields_ = [("layout", c_char_p), ("shard_size", c_uint64), ("context", POINTER(bnd_context)),
    ("watch", bnd_watch)]
bnd_relayout_result._fields_ = [("from", POINTER(bnd_layout)), ("to", POINTER(bnd_layout)), ("weights", c_size_t),
    ("scales_cast", c_size_t), ("seconds", c_size_t), ("seconds_moved", c_size_t), ("inputs", c_size_t),
    ("inputs_inverted", c_size_t), ("inputs_moved", c_size_t), ("restored", c_bool)]
bnd_relayout_compared._fields_ = [("weights", c_size_t), ("weights_same", c_size_t), ("inputs", c_size_t),
    ("inputs_same", c_size_t)]
bnd_relaid_tensor._fields_ = [("weight", POINTER(bnd_stored_weight)), ("part", c_int),
    ("from", POINTER(bnd_stored_tensor)), ("to", POINTER(bnd_stored_tensor)), ("changes", c_uint),
    ("is_reciprocal", c_bool), ("number_from", c_float), ("number_to", c_float), ("number_back", c_float),
    ("ulps", c_uint64)]
bnd_cost_step._fields_ = [("name", (c_char * 24)), ("formula", (c_char * 112)), ("substitution", (c_char * 112)),
    ("unit", (c_char * 24)), ("value", c_double)]
bnd_cost._fields_ = [("step", (bnd_cost_step * 40)), ("steps", c_size_t), ("note", ((c_char * 320) * 12)),
    ("notes", c_size_t), ("answer", (c_char * 24)), ("about", (c_char * 112))]
bnd_peak._fields_ = [("bits", c_uint), ("formats", (c_char * 64)), ("dense", c_double), ("sparse", c_double)]
bnd_machine._fields_ = [("name", (c_char * 32)), ("title", (c_char * 64)), ("source", (c_char * 160)),
    ("memory", c_double), ("bandwidth", c_double), ("peak", (bnd_peak * 8)), ("peaks", c_size_t)]
bnd_architecture._fields_ = [("name", (c_char * 32)), ("layers", c_uint64), ("hidden", c_uint64),
    ("heads", c_uint64), ("kv_heads", c_uint64), ("head_width", c_uint64), ("feed_forward", c_uint64),
    ("vocabulary", c_uint64), ("positions", c_uint64), ("context", c_uint64), ("gated", c_bool), ("tied", c_bool),
    ("centred", c_bool), ("biases", c_int), ("dropout", c_bool)]
bnd_weight._fields_ = [("name", c_char_p), ("rows", c_uint64), ("columns", c_uint64), ("copies", c_uint64),
    ("split", c_bool), ("hidden", c_bool), ("blocks", c_uint64)]
bnd_plan._fields_ = [("policy", bnd_policy), ("keeps", bnd_keeps), ("optimizer", c_size_t), ("zero", c_uint),
    ("ranks", c_double), ("tensor", c_double), ("micro_batches", c_double)]
bnd_stored._fields_ = [("bytes", c_double), ("scales", c_double), ("transient", c_bool)]
bnd_cost_of_time._fields_ = [("parameters", c_double), ("model", POINTER(bnd_architecture)), ("tokens", c_double),
    ("machines", c_double), ("mfu", c_double), ("sequence", c_double), ("recompute", c_int),
    ("machine", POINTER(bnd_machine)), ("format", c_char_p), ("sparse", c_bool)]
bnd_cost_of_flops._fields_ = [("parameters", c_double), ("model", POINTER(bnd_architecture)), ("sequence", c_double),
    ("tokens", c_double), ("recompute", c_int)]
bnd_trained._fields_ = [("model", c_char_p), ("width", c_uint64), ("depth", c_uint64), ("heads", c_uint64),
    ("context", c_uint64), ("vocabulary", c_uint64), ("inputs", c_uint64), ("tied", c_bool),
    ("blocks", bnd_transformer)]
bnd_cost_of_memory._fields_ = [("plan", bnd_plan), ("parameters", c_double), ("model", POINTER(bnd_architecture)),
    ("trained", POINTER(bnd_trained)), ("sequence", c_double), ("batch", c_double), ("recompute", c_int),
    ("machine", POINTER(bnd_machine))]
bnd_made_row._fields_ = [("name", c_char_p), ("text", c_char_p)]
bnd_explanation._fields_ = [("why_not", c_char_p), ("element", bnd_format), ("other_element", c_bool),
    ("inverted", c_bool), ("row", (c_uint8 * 5)), ("fits", (c_uint64 * 5)), ("tensors", c_uint64),
    ("tensors_made", c_uint64), ("scales", c_uint64), ("scales_made", c_uint64), ("codes", c_uint64),
    ("codes_made", c_uint64), ("nearest_made", c_uint64), ("fused", c_size_t), ("least", c_float)]
bnd_difference_sums._fields_ = [("elements", c_uint64), ("equal", c_uint64), ("below_fp32", c_uint64),
    ("zero_signs", c_uint64), ("nonfinite", c_uint64), ("bins", (c_uint64 * 35)), ("largest_ulps", c_double),
    ("largest_error", c_double), ("largest_at", c_uint64), ("error_sum", c_double), ("squared_error", c_double),
    ("squared_b", c_double)]
bnd_weight_difference._fields_ = [("name", c_char_p), ("a", POINTER(bnd_stored_weight)),
    ("b", POINTER(bnd_stored_weight)), ("base", POINTER(bnd_stored_weight)), ("kind", c_int),
    ("why", (c_char * 320)), ("unit", POINTER(bnd_format)), ("sums", bnd_difference_sums), ("same_bytes", c_bool),
    ("explained", bnd_explanation)]
bnd_diff_options._fields_ = [("base", c_void_p), ("explain", c_bool), ("context", POINTER(bnd_context)),
    ("watch", bnd_watch)]
bnd_explained_group._fields_ = [("first", c_size_t), ("weights", c_size_t), ("sum", bnd_explanation)]
bnd_lint_check._fields_ = [("code", c_char_p), ("severity", c_int), ("effect", c_int), ("title", c_char_p),
    ("source", c_char_p)]
bnd_loader_cell._fields_ = [("loads", c_int), ("note", c_char_p), ("source", c_char_p)]
bnd_lint_options._fields_ = [("every_scale", c_bool), ("no_codes", c_bool)]
bnd_lint_finding._fields_ = [("check", POINTER(bnd_lint_check)), ("severity", c_int), ("where", c_char_p),
    ("message", c_char_p)]
bnd_lint_layout._fields_ = [("layout", POINTER(bnd_layout)), ("name", c_char_p), ("weights", c_uint64),
    ("elements", c_uint64), ("bytes", c_uint64)]
bnd_lint_summary._fields_ = [("files", c_size_t), ("tensors", c_size_t), ("bytes", c_uint64),
    ("scale_bytes", c_uint64), ("scales_read", c_uint64), ("codes_read", c_uint64), ("damage", c_uint64),
    ("suspect", c_uint64), ("note", c_uint64), ("refused", c_uint64), ("wrong", c_uint64)]
bnd_candidate._fields_ = [("name", (c_char * 96)), ("shared", c_bool), ("format", bnd_format), ("block", bnd_block),
    ("floor", c_double)]
bnd_loss._fields_ = [("elements", c_uint64), ("broken", c_uint64), ("overflows", c_uint64), ("to_zero", c_uint64),
    ("exact", c_uint64), ("squared_error", c_double), ("squared_input", c_double), ("sqnr", c_double),
    ("bytes", c_uint64), ("verdict", c_int)]
bnd_scanned._fields_ = [("name", c_char_p), ("stored", c_char_p), ("rank", c_size_t), ("shape", c_void_p),
    ("count", c_uint64), ("bytes", c_uint64), ("stays", c_bool), ("why", c_char_p), ("input", bnd_stats),
    ("zeros", c_uint64), ("subnormals", c_uint64), ("lacking", c_uint64), ("beyond", c_uint64),
    ("losses", POINTER(bnd_loss)), ("smallest", c_size_t)]
bnd_scan_total._fields_ = [("loss", bnd_loss), ("verdicts", (c_uint64 * 4)), ("meeting", c_uint64),
    ("worst", c_size_t)]
bnd_scan_options._fields_ = [("context", POINTER(bnd_context)), ("watch", POINTER(bnd_watch)), ("asks_sqnr", c_bool),
    ("asks_underflow", c_bool), ("sqnr", c_double), ("underflow", c_double), ("vectors", c_bool),
    ("wanted", CFUNCTYPE(c_bool, c_void_p, c_char_p)), ("state", c_void_p)]
bnd_scan_model._fields_ = [("tensors", c_uint64), ("elements", c_uint64), ("bytes", c_uint64), ("staying", c_uint64),
    ("staying_elements", c_uint64), ("staying_bytes", c_uint64), ("damaged", c_uint64), ("smallest", c_size_t),
    ("mixed_bytes", c_uint64), ("mixed_staying", c_uint64)]
bnd_verify_candidate._fields_ = [("decode", CFUNCTYPE(c_double, c_void_p, c_uint64)),
    ("encode", CFUNCTYPE(bnd_result, c_void_p, c_double, bnd_rule, c_uint64)),
    ("encode_float", CFUNCTYPE(bnd_result, c_void_p, c_float, bnd_rule, c_uint64)),
    ("encode_exact", CFUNCTYPE(bnd_result, c_void_p, bnd_exact, bnd_rule, c_uint64)),
    ("convert", CFUNCTYPE(bnd_result, c_void_p, c_void_p, c_uint64, bnd_rule, c_uint64)),
    ("operate", CFUNCTYPE(bnd_result, c_void_p, c_int, c_void_p, bnd_rule, c_uint64)),
    ("operate_exact", CFUNCTYPE(bnd_exact, c_int, c_void_p, c_void_p, bnd_rule, c_uint64, c_void_p)),
    ("parse", CFUNCTYPE(c_int, c_void_p, c_void_p, c_char_p, c_size_t, bnd_rule, c_uint64, c_void_p)),
    ("print_shortest", CFUNCTYPE(c_size_t, c_void_p, c_size_t, c_void_p, bnd_exact)),
    ("encode_array", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("decode_array", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p)),
    ("round_array", CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p))]
bnd_verify_counterexample._fields_ = [("what", (c_char * 32)), ("operands", c_uint), ("from", (bnd_format * 3)),
    ("codes", (c_uint64 * 3)), ("to", bnd_format), ("rule", bnd_rule), ("random", c_uint64), ("code_only", c_bool),
    ("got", bnd_result), ("want", bnd_result), ("exact", c_bool), ("exact_got", bnd_exact), ("exact_want", bnd_exact)]
bnd_verify_result._fields_ = [("cases", c_uint64), ("mismatches", c_uint64), ("shown", c_uint),
    ("first", (bnd_verify_counterexample * 3))]
bnd_verify_options._fields_ = [("exhaustive", c_bool), ("threads", c_uint),
    ("candidate", POINTER(bnd_verify_candidate)), ("progress", CFUNCTYPE(None, c_void_p, c_uint64)),
    ("progress_state", c_void_p), ("checkpoint", CFUNCTYPE(None, c_void_p, c_uint64))]
bnd_vectors._fields_ = [("kind", c_int), ("lab_flags", c_bool), ("one_format", c_bool), ("operation", c_int),
    ("pairs", c_uint), ("operands", c_uint), ("in", (bnd_format * 3)), ("out", bnd_format), ("rule", bnd_rule)]
bnd_vector_plan._fields_ = [("vectors", POINTER(bnd_vectors)), ("level", c_int), ("seed", c_uint64),
    ("count", c_uint64), ("combinations", c_uint64), ("sets", c_uint), ("sizes", (c_size_t * 3)),
    ("boundaries", (c_void_p * 3)), ("complete", (c_bool * 3))]
bnd_vector_line._fields_ = [("operands", c_void_p), ("random", c_uint64), ("code", c_uint64), ("flags", c_uint32),
    ("has_flags", c_bool), ("has_operands", c_bool)]
bnd_vector_coverage._fields_ = [("lines", c_uint64), ("disagreements", c_uint64), ("without_flags", c_uint64),
    ("wrong_codes", c_uint64), ("operands", (c_uint64 * 6)), ("results", ((c_uint64 * 7) * 6)),
    ("significands", ((c_uint64 * 7) * 2))]
bnd_vector_covered._fields_ = [("what", c_char_p), ("first", c_int32), ("count", c_uint32), ("met", c_uint32),
    ("hit", c_void_p)]
bnd_vector_options._fields_ = [("any_nan", c_bool), ("flags_mask", c_uint32)]
bnd_vector_suspect._fields_ = [("rule", bnd_rule), ("left_over", c_uint64), ("changes", c_uint)]
bnd_vector_fault._fields_ = [("what", (c_char * 96)), ("left_over", c_uint64)]
bnd_grid._fields_ = [("tasks", POINTER(bnd_task)), ("recipes", c_size_t), ("lr", c_void_p), ("lrs", c_size_t),
    ("seeds", c_size_t)]
bnd_rate._fields_ = [("lr", c_double), ("runs", c_size_t), ("failed", c_size_t), ("result", c_double),
    ("interval", c_double), ("loss", c_double)]
bnd_sweep_row._fields_ = [("recipe", c_char_p), ("records", POINTER(bnd_record)), ("count", c_size_t),
    ("rates", POINTER(bnd_rate)), ("rate_count", c_size_t), ("best", c_size_t), ("failed", c_size_t),
    ("compared", c_bool), ("is", bnd_comparison)]

# The calls of libbinade: the result, and the arguments.
NUMBER = {
    "bnd_version": (c_char_p, []),
    "bnd_status_name": (c_char_p, [c_int]),
    "bnd_fail": (c_int, [c_void_p, c_int, c_size_t, c_char_p]),
    "bnd_philox4x32": (None, [c_void_p, c_void_p, c_void_p, c_int]),
    "bnd_random": (c_uint64, [c_uint64, c_uint64, c_uint64]),
    "bnd_random_bits": (c_uint64, [c_uint64, c_uint64, c_uint64, c_uint]),
    "bnd_random_fill": (None, [c_void_p, c_size_t, c_uint64, c_uint64, c_uint64, c_uint]),
    "bnd_format_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_format_parse_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_format_count": (c_size_t, []),
    "bnd_format_at": (POINTER(bnd_format), [c_size_t]),
    "bnd_format_title": (c_char_p, [c_size_t]),
    "bnd_format_hardware": (c_char_p, [c_size_t]),
    "bnd_format_names": (c_char_p, [c_size_t, c_int]),
    "bnd_ecosystem_name": (c_char_p, [c_int]),
    "bnd_group_size": (c_size_t, [c_char_p]),
    "bnd_group_at": (c_bool, [c_void_p, c_char_p, c_size_t]),
    "bnd_format_same": (c_bool, [c_void_p, c_void_p]),
    "bnd_rounding_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_overflow_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_nan_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_rule_check": (c_int, [bnd_rule, c_void_p]),
    "bnd_rounding_name": (c_char_p, [c_int]),
    "bnd_rounding_title": (c_char_p, [c_int]),
    "bnd_overflow_name": (c_char_p, [c_int]),
    "bnd_nan_name": (c_char_p, [c_int]),
    "bnd_flag_name": (c_char_p, [c_uint32]),
    "bnd_dialect_count": (c_size_t, []),
    "bnd_dialect_name": (c_char_p, [c_size_t]),
    "bnd_dialect_title": (c_char_p, [c_size_t]),
    "bnd_dialect_rule": (c_bool, [c_void_p, c_size_t, c_void_p]),
    "bnd_dialect_source": (c_char_p, [c_size_t, c_void_p]),
    "bnd_dialect_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_round_exact": (bnd_rounded, [c_void_p, bnd_exact, bnd_rule, c_uint64]),
    "bnd_pack": (c_uint64, [c_void_p, bnd_exact]),
    "bnd_unpack": (bnd_exact, [c_void_p, c_uint64]),
    "bnd_round_code": (bnd_rounded, [c_void_p, c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_encode": (bnd_result, [c_void_p, c_double, bnd_rule, c_uint64]),
    "bnd_encode_float": (bnd_result, [c_void_p, c_float, bnd_rule, c_uint64]),
    "bnd_encode_int64": (bnd_result, [c_void_p, c_int64, bnd_rule, c_uint64]),
    "bnd_encode_uint64": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_encode_exact": (bnd_result, [c_void_p, bnd_exact, bnd_rule, c_uint64]),
    "bnd_convert": (bnd_result, [c_void_p, c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_decode": (c_double, [c_void_p, c_uint64]),
    "bnd_decode_flags": (c_double, [c_void_p, c_uint64, c_void_p]),
    "bnd_fp16_from_float": (c_uint16, [c_float]),
    "bnd_fp16_from_float_saturated": (c_uint16, [c_float]),
    "bnd_fp16_to_float": (c_float, [c_uint16]),
    "bnd_bf16_from_float": (c_uint16, [c_float]),
    "bnd_bf16_from_float_saturated": (c_uint16, [c_float]),
    "bnd_bf16_to_float": (c_float, [c_uint16]),
    "bnd_tf32_from_float": (c_uint32, [c_float]),
    "bnd_tf32_from_float_saturated": (c_uint32, [c_float]),
    "bnd_tf32_to_float": (c_float, [c_uint32]),
    "bnd_e4m3_from_float": (c_uint8, [c_float]),
    "bnd_e4m3_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e4m3_to_float": (c_float, [c_uint8]),
    "bnd_e5m2_from_float": (c_uint8, [c_float]),
    "bnd_e5m2_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e5m2_to_float": (c_float, [c_uint8]),
    "bnd_e4m3fnuz_from_float": (c_uint8, [c_float]),
    "bnd_e4m3fnuz_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e4m3fnuz_to_float": (c_float, [c_uint8]),
    "bnd_e5m2fnuz_from_float": (c_uint8, [c_float]),
    "bnd_e5m2fnuz_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e5m2fnuz_to_float": (c_float, [c_uint8]),
    "bnd_e2m1_from_float": (c_uint8, [c_float]),
    "bnd_e2m1_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e2m1_to_float": (c_float, [c_uint8]),
    "bnd_e2m3_from_float": (c_uint8, [c_float]),
    "bnd_e2m3_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e2m3_to_float": (c_float, [c_uint8]),
    "bnd_e3m2_from_float": (c_uint8, [c_float]),
    "bnd_e3m2_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e3m2_to_float": (c_float, [c_uint8]),
    "bnd_e8m0_from_float": (c_uint8, [c_float]),
    "bnd_e8m0_from_float_saturated": (c_uint8, [c_float]),
    "bnd_e8m0_to_float": (c_float, [c_uint8]),
    "bnd_exact_double": (bnd_exact, [c_double]),
    "bnd_exact_float": (bnd_exact, [c_float]),
    "bnd_exact_int64": (bnd_exact, [c_int64]),
    "bnd_exact_uint64": (bnd_exact, [c_uint64]),
    "bnd_exact_compare": (c_int, [bnd_exact, bnd_exact]),
    "bnd_neighbour": (c_bool, [c_void_p, c_void_p, bnd_exact, c_int]),
    "bnd_classify": (c_int, [c_void_p, bnd_exact]),
    "bnd_class_name": (c_char_p, [c_int]),
    "bnd_add": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_sub": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_mul": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_div": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_fma": (bnd_result, [c_void_p, c_uint64, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_sqrt": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_rem": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_rint": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_nearby": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_min": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_max": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_min_number": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_max_number": (bnd_result, [c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64]),
    "bnd_scalb": (bnd_result, [c_void_p, c_uint64, c_int64, bnd_rule, c_uint64]),
    "bnd_logb": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_next_up": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_next_down": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_ulp": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_neg": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_abs": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_reciprocal": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_rsqrt": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_exp": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_log": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_tanh": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_sigmoid": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_erf": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_gelu": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_gelu_tanh": (bnd_result, [c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_compare": (bnd_result, [c_void_p, c_uint64, c_uint64, c_uint, bnd_rule]),
    "bnd_compare_mixed": (bnd_result, [c_void_p, c_uint64, c_void_p, c_uint64, c_uint, bnd_rule]),
    "bnd_operation_name": (c_char_p, [c_int]),
    "bnd_operation_operands": (c_uint, [c_int]),
    "bnd_operation_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_operation_serves": (c_int, [c_int, c_void_p, c_void_p]),
    "bnd_operate": (bnd_result, [c_void_p, c_int, c_void_p, c_void_p, bnd_rule, c_uint64]),
    "bnd_operate_exact": (bnd_exact, [c_int, c_void_p, c_void_p, bnd_rule, c_uint64, c_void_p]),
    "bnd_context_init": (c_int, [c_void_p, c_char_p, c_uint, c_void_p]),
    "bnd_backend_name": (c_char_p, [c_int]),
    "bnd_backend_here": (c_bool, [c_int]),
    "bnd_backend_best": (c_int, []),
    "bnd_has_threads": (c_bool, []),
    "bnd_stats_mean_squared_error": (c_double, [c_void_p]),
    "bnd_stats_signal_to_noise_ratio": (c_double, [c_void_p]),
    "bnd_stats_add": (None, [c_void_p, c_void_p]),
    "bnd_codes_size": (c_size_t, [c_void_p, c_size_t, c_int]),
    "bnd_codes_check": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_encode_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_encode_f64": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_decode_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_decode_f64": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_round_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_round_f64": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_convert_codes": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_operate_codes": (c_int, [c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_operate_f32": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_operate_f64": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_table_new": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_table_free": (None, [c_void_p]),
    "bnd_operate_by_table": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_sum_codes": (c_int, [c_void_p, c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_sum_f32": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_sum_f64": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "bnd_block_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_block_scaled": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "bnd_scale_rule_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_scale_rule_name": (c_char_p, [c_int]),
    "bnd_scale_rule_who": (c_char_p, [c_int]),
    "bnd_block_print": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_block_note": (c_char_p, [c_void_p]),
    "bnd_block_count": (c_size_t, []),
    "bnd_block_at": (c_bool, [c_void_p, c_size_t]),
    "bnd_block_title": (c_char_p, [c_size_t]),
    "bnd_block_shape": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_size_t, c_void_p]),
    "bnd_block_scales": (c_size_t, [c_void_p, bnd_shape]),
    "bnd_block_scales_size": (c_size_t, [c_void_p, bnd_shape]),
    "bnd_block_codes_size": (c_size_t, [c_void_p, bnd_shape, c_int]),
    "bnd_quantize_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, bnd_shape, c_void_p, c_void_p, c_void_p,
        c_void_p]),
    "bnd_dequantize_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_float, bnd_shape, c_void_p, c_void_p, c_void_p]),
    "bnd_fake_quantize_f32": (c_int, [c_void_p, c_void_p, bnd_shape, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_quantize_given_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, bnd_shape, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p]),
    "bnd_fake_quantize_given_f32": (c_int, [c_void_p, c_void_p, bnd_shape, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p]),
    "bnd_largest_magnitude_f32": (c_float, [c_void_p, c_size_t, c_void_p]),
    "bnd_hadamard_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_size_t, c_uint64, c_void_p]),
    "bnd_hadamard_inverse_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_size_t, c_uint64, c_void_p]),
    "bnd_hadamard_along_f32": (c_int, [c_void_p, c_void_p, bnd_shape, c_uint64, c_void_p]),
    "bnd_dynamic_number": (c_float, [c_uint8, c_bool]),
    "bnd_linear_number": (c_float, [c_uint8, c_bool]),
    "bnd_dynamic_scales": (c_size_t, [c_size_t, c_void_p]),
    "bnd_dynamic_quantize_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_dynamic_dequantize_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_gguf_name": (c_char_p, [c_int]),
    "bnd_gguf_note": (c_char_p, [c_int]),
    "bnd_gguf_block": (c_size_t, [c_int]),
    "bnd_gguf_size": (c_size_t, [c_int, c_size_t]),
    "bnd_gguf_encode_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_gguf_decode_f32": (c_int, [c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_accumulator_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_accumulator_name": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_gemm_f32": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_gemm_codes": (c_int, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
        c_void_p, c_void_p]),
    "bnd_dot_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_cblas_here": (c_bool, []),
    "bnd_cblas_core": (c_char_p, []),
    "bnd_parse": (c_int, [c_void_p, c_void_p, c_char_p, bnd_rule, c_uint64, c_void_p]),
    "bnd_parse_n": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t, bnd_rule, c_uint64, c_void_p]),
    "bnd_parse_exact": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_parse_exact_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_number_parse_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_number_of_exact": (bnd_number, [bnd_exact]),
    "bnd_print_exact": (c_size_t, [c_void_p, c_size_t, bnd_exact, c_int]),
    "bnd_print_shortest": (c_size_t, [c_void_p, c_size_t, c_void_p, bnd_exact]),
    "bnd_print_hex": (c_size_t, [c_void_p, c_size_t, bnd_exact]),
    "bnd_print_digits": (c_size_t, [c_void_p, c_size_t, bnd_exact, c_int]),
    "bnd_print_bits": (c_size_t, [c_void_p, c_size_t, c_void_p, c_uint64]),
    "bnd_print_field": (c_size_t, [c_void_p, c_size_t, c_void_p, c_uint64, c_int]),
    "bnd_print_code": (c_size_t, [c_void_p, c_size_t, c_void_p, c_uint64]),
    "bnd_print_error": (c_int, [c_void_p, c_void_p, c_size_t, bnd_exact, c_void_p, c_int, c_void_p]),
    "bnd_relative_error": (c_int, [c_void_p, bnd_exact, c_void_p, c_void_p]),
    "bnd_error_in_units": (c_int, [c_void_p, bnd_exact, c_void_p, bnd_exact, c_void_p]),
}

# The calls of libbinade-lab: the result, and the arguments.
LAB = {
    "bnd_npy_begins": (c_bool, [c_void_p, c_size_t]),
    "bnd_npy_measure": (c_int, [c_void_p, c_void_p, c_size_t, c_uint64, c_void_p]),
    "bnd_npy_parse": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_npy_check_size": (c_int, [c_void_p, c_uint64, c_void_p]),
    "bnd_npy_format": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_npy_packing": (c_int, [c_void_p]),
    "bnd_npy_describe": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_npy_print": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_safetensors_new": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_safetensors_new_of_bytes": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_safetensors_free": (None, [c_void_p]),
    "bnd_safetensors_count": (c_size_t, [c_void_p]),
    "bnd_safetensors_at": (POINTER(bnd_safetensor), [c_void_p, c_size_t]),
    "bnd_safetensors_find": (POINTER(bnd_safetensor), [c_void_p, c_char_p]),
    "bnd_safetensors_metadata_count": (c_size_t, [c_void_p]),
    "bnd_safetensors_metadata_at": (POINTER(bnd_safetensors_pair), [c_void_p, c_size_t]),
    "bnd_safetensors_metadata": (c_char_p, [c_void_p, c_char_p]),
    "bnd_safetensors_format": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_safetensors_dtype": (c_char_p, [c_void_p]),
    "bnd_safetensors_write": (c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "bnd_bytes_print": (c_size_t, [c_void_p, c_size_t, c_double]),
    "bnd_jansson_version": (c_char_p, []),
    "bnd_checkpoint_new": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p]),
    "bnd_checkpoint_free": (None, [c_void_p]),
    "bnd_checkpoint_expect_all": (None, [c_void_p]),
    "bnd_checkpoint_kind_of": (c_int, [c_void_p]),
    "bnd_checkpoint_folder": (c_char_p, [c_void_p]),
    "bnd_checkpoint_index": (c_char_p, [c_void_p]),
    "bnd_checkpoint_others": (c_size_t, [c_void_p]),
    "bnd_checkpoint_other_name": (c_char_p, [c_void_p, c_size_t]),
    "bnd_checkpoint_files": (c_size_t, [c_void_p]),
    "bnd_checkpoint_file_name": (c_char_p, [c_void_p, c_size_t]),
    "bnd_checkpoint_file_size": (c_uint64, [c_void_p, c_size_t]),
    "bnd_checkpoint_file_tensors": (c_size_t, [c_void_p, c_void_p, c_size_t]),
    "bnd_checkpoint_count": (c_size_t, [c_void_p]),
    "bnd_checkpoint_at": (POINTER(bnd_stored_tensor), [c_void_p, c_size_t]),
    "bnd_checkpoint_find": (POINTER(bnd_stored_tensor), [c_void_p, c_char_p]),
    "bnd_checkpoint_text": (c_char_p, [c_void_p, c_char_p, c_void_p]),
    "bnd_checkpoint_metadata": (c_char_p, [c_void_p, c_char_p]),
    "bnd_checkpoint_metadata_count": (c_size_t, [c_void_p]),
    "bnd_checkpoint_metadata_at": (POINTER(bnd_safetensors_pair), [c_void_p, c_size_t]),
    "bnd_layout_count": (c_size_t, []),
    "bnd_layout_at": (POINTER(bnd_layout), [c_size_t]),
    "bnd_layout_find": (POINTER(bnd_layout), [c_char_p]),
    "bnd_layout_family_of": (c_int, [c_char_p]),
    "bnd_layout_family_name": (c_char_p, [c_int]),
    "bnd_layout_part_name": (c_char_p, [c_int]),
    "bnd_layout_part_shape": (c_char_p, [c_void_p, c_int]),
    "bnd_layout_part_is_optional": (c_bool, [c_void_p, c_int]),
    "bnd_checkpoint_weights": (c_size_t, [c_void_p]),
    "bnd_checkpoint_weight_at": (POINTER(bnd_stored_weight), [c_void_p, c_size_t]),
    "bnd_checkpoint_find_weight": (POINTER(bnd_stored_weight), [c_void_p, c_char_p]),
    "bnd_checkpoint_check_patterns": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_stored_as": (c_char_p, [c_void_p]),
    "bnd_decode_weight_f32": (c_int, [c_void_p, c_void_p, c_uint64, c_size_t, c_void_p, c_void_p]),
    "bnd_checkpoint_writer_new": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "bnd_checkpoint_writer_put": (c_int, [c_void_p, c_size_t, c_uint64, c_void_p, c_size_t, c_void_p]),
    "bnd_checkpoint_writer_finish": (c_int, [c_void_p, c_bool, c_void_p]),
    "bnd_checkpoint_writer_free": (None, [c_void_p]),
    "bnd_checkpoint_writer_remove": (None, [c_void_p]),
    "bnd_role_name": (c_char_p, [c_int]),
    "bnd_role_is_of_recipe": (c_bool, [c_int]),
    "bnd_role_followed": (c_int, [c_int]),
    "bnd_role_parse_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_reduction_name": (c_char_p, [c_int]),
    "bnd_policy_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_policy_same": (c_bool, [c_void_p, c_void_p]),
    "bnd_policy_text": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_policy_of_layer": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_size_t, c_void_p]),
    "bnd_policy_check_layers": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_policy_exception": (c_bool, [c_void_p, c_void_p, c_size_t]),
    "bnd_layers_last": (c_size_t, [c_void_p, c_size_t, c_uint]),
    "bnd_part_count": (c_size_t, []),
    "bnd_part_name": (c_char_p, [c_size_t]),
    "bnd_part_roles": (c_uint64, [c_size_t]),
    "bnd_policy_lift": (POINTER(bnd_policy), [c_void_p, c_void_p, c_size_t]),
    "bnd_policy_lower": (POINTER(bnd_policy), [c_void_p, c_void_p, c_size_t]),
    "bnd_recipe_count": (c_size_t, []),
    "bnd_recipe_name": (c_char_p, [c_size_t]),
    "bnd_recipe_title": (c_char_p, [c_size_t]),
    "bnd_recipe_settings": (c_char_p, [c_size_t]),
    "bnd_engine_new": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_engine_free": (None, [c_void_p]),
    "bnd_engine_set_policy": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_engine_policy": (POINTER(bnd_policy), [c_void_p]),
    "bnd_engine_set_seed": (None, [c_void_p, c_uint64, c_uint64]),
    "bnd_engine_end_step": (None, [c_void_p]),
    "bnd_engine_state_count": (c_size_t, [c_void_p]),
    "bnd_engine_state_get": (None, [c_void_p, c_void_p]),
    "bnd_engine_state_set": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_new": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_tensor_new_for": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_tensor_from_f32": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_tensor_from_f64": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_void_p]),
    "bnd_tensor_keep": (c_void_p, [c_void_p]),
    "bnd_tensor_release": (None, [c_void_p]),
    "bnd_engine_mark": (c_uint64, [c_void_p]),
    "bnd_engine_release_since": (None, [c_void_p, c_uint64, c_void_p, c_size_t]),
    "bnd_tensor_engine": (c_void_p, [c_void_p]),
    "bnd_tensor_format": (POINTER(bnd_format), [c_void_p]),
    "bnd_tensor_rank": (c_size_t, [c_void_p]),
    "bnd_tensor_shape": (c_void_p, [c_void_p]),
    "bnd_tensor_strides": (c_void_p, [c_void_p]),
    "bnd_tensor_offset": (c_size_t, [c_void_p]),
    "bnd_tensor_count": (c_size_t, [c_void_p]),
    "bnd_tensor_bytes": (c_size_t, [c_void_p]),
    "bnd_tensor_is_contiguous": (c_bool, [c_void_p]),
    "bnd_tensor_shares": (c_bool, [c_void_p, c_void_p]),
    "bnd_tensor_read_f32": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_tensor_read_f64": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_tensor_write_f32": (c_int, [c_void_p, c_void_p, c_size_t, bnd_rule, c_void_p]),
    "bnd_tensor_write_f64": (c_int, [c_void_p, c_void_p, c_size_t, bnd_rule, c_void_p]),
    "bnd_tensor_get": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_set": (c_int, [c_void_p, c_void_p, c_size_t, c_double, c_void_p]),
    "bnd_tensor_fill": (c_int, [c_void_p, c_double, c_void_p]),
    "bnd_tensor_codes": (c_void_p, [c_void_p]),
    "bnd_tensor_scales": (c_void_p, [c_void_p, c_void_p]),
    "bnd_tensor_uniform": (c_int, [c_void_p, c_double, c_double, c_uint64, c_uint64, c_void_p]),
    "bnd_tensor_normal": (c_int, [c_void_p, c_double, c_double, c_uint64, c_uint64, c_void_p]),
    "bnd_tensor_slice": (c_int, [c_void_p, c_void_p, c_int, c_size_t, c_size_t, c_ssize_t, c_void_p]),
    "bnd_tensor_select": (c_int, [c_void_p, c_void_p, c_int, c_size_t, c_void_p]),
    "bnd_tensor_transpose": (c_int, [c_void_p, c_void_p, c_int, c_int, c_void_p]),
    "bnd_tensor_permute": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_broadcast": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_squeeze": (c_int, [c_void_p, c_void_p, c_int, c_void_p]),
    "bnd_tensor_unsqueeze": (c_int, [c_void_p, c_void_p, c_int, c_void_p]),
    "bnd_tensor_view": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_view_as": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_tensor_reshape": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_contiguous": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_tensor_apply": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_tensor_operation_name": (c_char_p, [c_int]),
    "bnd_tensor_map": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "bnd_tensor_pair": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "bnd_tensor_matmul": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_tensor_cast": (c_int, [c_void_p, c_void_p, c_void_p, bnd_rule, c_void_p]),
    "bnd_tensor_einsum": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_rearrange": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_void_p]),
    "bnd_tensor_reduce": (c_int, [c_void_p, c_void_p, c_char_p, c_char_p, c_int, c_void_p]),
    "bnd_tensor_want_gradient": (None, [c_void_p, c_bool]),
    "bnd_tensor_wants_gradient": (c_bool, [c_void_p]),
    "bnd_tensor_keep_gradient": (None, [c_void_p]),
    "bnd_tensor_gradient": (c_void_p, [c_void_p]),
    "bnd_tensor_drop_gradient": (None, [c_void_p]),
    "bnd_tensor_backward": (c_int, [c_void_p, c_double, c_void_p]),
    "bnd_tensor_pull": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_uint, c_bool, c_void_p]),
    "bnd_tensor_set_gradient": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_engine_set_tape": (None, [c_void_p, c_bool]),
    "bnd_engine_tape": (c_bool, [c_void_p]),
    "bnd_engine_forget": (None, [c_void_p]),
    "bnd_tensor_checkpoint": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_engine_account": (None, [c_void_p, c_void_p]),
    "bnd_engine_reset_peak": (None, [c_void_p]),
    "bnd_engine_reset_flops": (None, [c_void_p]),
    "bnd_account_flops": (c_uint64, [c_void_p]),
    "bnd_engine_take_statistics": (c_int, [c_void_p, c_uint, c_void_p]),
    "bnd_engine_set_place": (None, [c_void_p, c_uint]),
    "bnd_engine_statistics": (POINTER(bnd_stats), [c_void_p, c_void_p, c_int, c_uint]),
    "bnd_engine_reset_statistics": (None, [c_void_p]),
    "bnd_tensor_load": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_int, c_void_p]),
    "bnd_tensor_save": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_tensor_save_all": (c_int, [c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "bnd_tensor_load_into": (c_int, [c_void_p, c_void_p, c_char_p, bnd_rule, c_void_p]),
    "bnd_training_default": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_void_p]),
    "bnd_training_reads_text": (c_bool, [c_void_p]),
    "bnd_transformer_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_transformer_print": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_training_of_config": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p, c_void_p]),
    "bnd_training_vocabulary": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_model_count": (c_size_t, []),
    "bnd_model_name": (c_char_p, [c_size_t]),
    "bnd_model_title": (c_char_p, [c_size_t]),
    "bnd_source_count": (c_size_t, []),
    "bnd_source_name": (c_char_p, [c_size_t]),
    "bnd_source_title": (c_char_p, [c_size_t]),
    "bnd_optimizer_count": (c_size_t, []),
    "bnd_optimizer_name": (c_char_p, [c_size_t]),
    "bnd_optimizer_title": (c_char_p, [c_size_t]),
    "bnd_optimizer_find": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_optimizer_keeps": (c_size_t, [c_size_t, c_int, c_void_p, c_size_t, c_bool, c_size_t]),
    "bnd_training_uses": (c_bool, [c_void_p, c_int]),
    "bnd_schedule_factor": (c_int, [c_void_p, c_char_p, c_uint64, c_uint64, c_void_p]),
    "bnd_run_new": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_run_share": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_run_free": (None, [c_void_p]),
    "bnd_run_step": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_run_validate": (c_int, [c_void_p, c_void_p, c_uint64, c_void_p]),
    "bnd_run_losses": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, c_uint, c_void_p]),
    "bnd_run_weight_bytes": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_run_save_weights": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_run_batch": (c_int, [c_void_p, c_void_p, c_void_p, c_uint64, c_void_p]),
    "bnd_run_save_batches": (c_int, [c_void_p, c_uint64, c_char_p, c_void_p]),
    "bnd_run_init_hash": (c_uint64, [c_void_p]),
    "bnd_run_data_hash": (c_uint64, [c_void_p]),
    "bnd_run_tokenizer_hash": (c_uint64, [c_void_p]),
    "bnd_run_order_hash": (c_uint64, [c_void_p]),
    "bnd_run_loss_scale": (c_double, [c_void_p]),
    "bnd_run_floor": (c_double, [c_void_p]),
    "bnd_run_chance_loss": (c_double, [c_void_p]),
    "bnd_run_unigram_entropy": (c_double, [c_void_p]),
    "bnd_run_training": (POINTER(bnd_training), [c_void_p]),
    "bnd_run_engine": (c_void_p, [c_void_p]),
    "bnd_run_parameters": (c_size_t, [c_void_p]),
    "bnd_run_elements": (c_uint64, [c_void_p]),
    "bnd_run_parameter_name": (c_char_p, [c_void_p, c_size_t]),
    "bnd_run_parameter": (c_void_p, [c_void_p, c_size_t, c_int]),
    "bnd_run_is_hidden": (c_bool, [c_void_p, c_size_t]),
    "bnd_run_blocks": (c_size_t, [c_void_p, c_size_t]),
    "bnd_run_updates": (bnd_updates, [c_void_p, c_size_t]),
    "bnd_run_places": (c_size_t, [c_void_p]),
    "bnd_run_place_name": (c_char_p, [c_void_p, c_size_t]),
    "bnd_run_parameter_place": (c_size_t, [c_void_p, c_size_t]),
    "bnd_run_new_own": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_run_add_parameter": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p, c_size_t, c_bool, c_void_p]),
    "bnd_run_set_hidden": (c_int, [c_void_p, c_size_t, c_bool, c_void_p]),
    "bnd_run_begin_step": (c_int, [c_void_p, c_void_p]),
    "bnd_run_end_step": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_run_update": (c_int, [c_void_p, c_void_p, c_double, c_void_p, c_void_p]),
    "bnd_run_use_parameter": (c_void_p, [c_void_p, c_size_t]),
    "bnd_run_begin_evaluation": (c_int, [c_void_p, c_void_p]),
    "bnd_run_end_evaluation": (c_int, [c_void_p, c_void_p]),
    "bnd_run_save": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_run_load": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_checkpoint_read": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "bnd_run_switch": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_training_print": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_training_read_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_recipe_read_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_record_close": (None, [c_void_p]),
    "bnd_record_read": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_records_read": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
    "bnd_records_read_log": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "bnd_records_print_left_out": (c_size_t, [c_void_p, c_size_t, c_char_p]),
    "bnd_records_free": (None, [c_void_p, c_size_t]),
    "bnd_record_write_csv": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_metrics_write_csv": (c_int, [c_char_p, c_void_p, c_void_p, c_void_p]),
    "bnd_record_bytes_per_parameter": (c_double, [c_void_p]),
    "bnd_record_memory": (c_double, [c_void_p]),
    "bnd_record_memory_of": (c_uint64, [c_void_p, c_int]),
    "bnd_recipe_choose_n": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_recipe_list_first": (c_size_t, [c_char_p]),
    "bnd_task_default": (None, [c_void_p, c_void_p]),
    "bnd_task_read": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_task_name": (c_size_t, [c_void_p, c_size_t, c_char_p, c_uint64]),
    "bnd_study_run": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_verdict_name": (c_char_p, [c_int]),
    "bnd_record_result": (c_double, [c_void_p]),
    "bnd_comparison_word": (c_char_p, [c_void_p]),
    "bnd_comparison_text": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_comparison_has_cause": (c_bool, [c_void_p]),
    "bnd_records_compare": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_double, c_void_p]),
    "bnd_curve_close": (None, [c_void_p]),
    "bnd_records_curve": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_records_gap_curve": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "bnd_interval": (c_double, [c_void_p, c_size_t]),
    "bnd_trained_weights_find": (c_int, [c_void_p, c_char_p, c_char_p, c_void_p]),
    "bnd_trained_weights_open": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p]),
    "bnd_evaluate": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_size_t, c_void_p, c_void_p]),
    "bnd_evaluated_close": (None, [c_void_p]),
    "bnd_evaluate_defaults": (c_char_p, []),
    "bnd_summary_make": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_double, c_void_p]),
    "bnd_summary_free": (None, [c_void_p]),
    "bnd_summary_number_name": (c_char_p, [c_int]),
    "bnd_summary_value": (c_double, [c_void_p, c_size_t, c_int]),
    "bnd_summary_verdict": (c_char_p, [c_void_p, c_size_t]),
    "bnd_summary_others": (c_char_p, [c_void_p, c_size_t]),
    "bnd_loss_print": (c_size_t, [c_void_p, c_size_t, c_double]),
    "bnd_summary_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t]),
    "bnd_summary_recommended": (c_size_t, [c_void_p, c_size_t]),
    "bnd_summary_print_note": (c_size_t, [c_void_p, c_size_t, c_void_p, c_size_t, c_bool, c_size_t]),
    "bnd_summary_print_failure": (c_size_t, [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t]),
    "bnd_summary_is_known": (c_bool, [c_void_p, c_size_t]),
    "bnd_mechanism_name": (c_char_p, [c_int]),
    "bnd_mechanism_threshold": (c_double, [c_int]),
    "bnd_findings": (c_int, [c_void_p, c_void_p, c_void_p, c_uint64, c_void_p, c_void_p]),
    "bnd_autopsy_runs": (c_size_t, [c_void_p]),
    "bnd_autopsy_make": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_double, c_void_p,
        c_void_p, c_void_p, c_void_p]),
    "bnd_term_name": (c_char_p, [c_void_p]),
    "bnd_term_format": (bnd_format, [c_void_p, c_char_p, c_void_p]),
    "bnd_expression_parse_n": (c_int, [c_void_p, c_size_t, c_void_p, c_char_p, c_size_t, c_void_p, c_void_p]),
    "bnd_expression_round": (None, [c_void_p, c_void_p, c_size_t, c_char_p, c_void_p, bnd_rule, c_uint64]),
    "bnd_add_repeatedly": (bnd_result, [c_void_p, c_void_p, c_uint64, c_uint64, bnd_rule, c_uint64, c_uint64,
        c_void_p]),
    "bnd_real_new_of_expression": (c_int, [c_void_p, c_void_p, c_size_t, c_char_p, c_void_p, c_void_p]),
    "bnd_real_new_of_text_n": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_real_new_of_error": (c_int, [c_void_p, bnd_exact, c_void_p, c_void_p]),
    "bnd_real_free": (None, [c_void_p]),
    "bnd_real_known": (c_int, [c_void_p]),
    "bnd_real_sign": (c_int, [c_void_p]),
    "bnd_real_in_units": (c_double, [c_void_p, bnd_exact]),
    "bnd_real_quotient": (c_double, [c_void_p, c_void_p]),
    "bnd_print_real": (c_size_t, [c_void_p, c_size_t, c_void_p, c_int]),
    "bnd_print_fraction": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_gmp_version": (c_char_p, []),
    "bnd_mpfr_version": (c_char_p, []),
    "bnd_conversion_name": (c_char_p, [c_int]),
    "bnd_planned_to": (c_char_p, [c_void_p]),
    "bnd_quantize_plan_new": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_quantize_plan_free": (None, [c_void_p]),
    "bnd_quantize_plan_count": (c_size_t, [c_void_p]),
    "bnd_quantize_plan_at": (POINTER(bnd_planned_weight), [c_void_p, c_size_t]),
    "bnd_quantize_plan_kinds": (c_size_t, [c_void_p]),
    "bnd_quantize_plan_kind_at": (POINTER(bnd_planned_kind), [c_void_p, c_size_t]),
    "bnd_quantize_plan_totals": (bnd_plan_totals, [c_void_p]),
    "bnd_quantize_plan_layout": (POINTER(bnd_layout), [c_void_p]),
    "bnd_quantize_plan_rule": (c_char_p, [c_void_p]),
    "bnd_quantize_plan_scale_format": (c_char_p, [c_void_p]),
    "bnd_quantize_plan_text": (c_char_p, [c_void_p, c_char_p, c_void_p]),
    "bnd_checkpoint_quantize": (c_int, [c_void_p, c_char_p, c_bool, c_void_p, c_void_p]),
    "bnd_quantize_plan_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_void_p, c_char_p, c_size_t]),
    "bnd_checkpoint_relayout": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_bool, c_void_p]),
    "bnd_relayout_compare_inputs": (c_size_t, [c_void_p, c_void_p, c_void_p]),
    "bnd_relayout_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_char_p, c_void_p, c_size_t]),
    "bnd_relaid_change_name": (c_char_p, [c_int]),
    "bnd_relayout_changes_new": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_relayout_changes_free": (None, [c_void_p]),
    "bnd_relayout_changes_count": (c_size_t, [c_void_p]),
    "bnd_relayout_changes_at": (POINTER(bnd_relaid_tensor), [c_void_p, c_size_t]),
    "bnd_relayout_changes_with": (c_size_t, [c_void_p, c_int]),
    "bnd_relayout_kept_at": (POINTER(bnd_safetensors_pair), [c_void_p, c_size_t]),
    "bnd_cost_value": (c_double, [c_void_p, c_char_p]),
    "bnd_cost_number": (c_size_t, [c_void_p, c_size_t, c_double]),
    "bnd_quantity_parse": (c_int, [c_void_p, c_char_p, c_int, c_void_p]),
    "bnd_machine_count": (c_size_t, []),
    "bnd_machine_at": (c_bool, [c_void_p, c_size_t]),
    "bnd_machine_find": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_machine_given": (c_int, [c_void_p, c_char_p, c_double, c_double, c_double, c_void_p]),
    "bnd_machine_peak": (c_int, [c_void_p, c_void_p, c_char_p, c_bool, c_void_p]),
    "bnd_architecture_count": (c_size_t, []),
    "bnd_architecture_at": (POINTER(bnd_architecture), [c_size_t]),
    "bnd_architecture_title": (c_char_p, [c_size_t]),
    "bnd_architecture_find": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_architecture_usual": (c_int, [c_void_p, c_uint64, c_uint64, c_uint64, c_uint64, c_uint64, c_void_p]),
    "bnd_architecture_check": (c_int, [c_void_p, c_void_p]),
    "bnd_architecture_weights": (c_size_t, [c_void_p, c_void_p]),
    "bnd_architecture_parameters": (c_double, [c_void_p]),
    "bnd_recompute_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_plan_stored": (c_int, [c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "bnd_plan_bytes_each": (c_int, [c_void_p, c_void_p, c_int, c_void_p]),
    "bnd_cost_time": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_cost_utilization": (c_int, [c_void_p, c_void_p, c_double, c_void_p]),
    "bnd_cost_flops": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_cost_product": (c_int, [c_void_p, c_double, c_double, c_double, c_void_p]),
    "bnd_cost_budget": (c_int, [c_void_p, c_double, c_double, c_double, c_void_p, c_char_p, c_bool, c_void_p]),
    "bnd_cost_memory": (c_int, [c_void_p, c_void_p, c_void_p]),
    "bnd_cost_fit": (c_int, [c_void_p, c_void_p, c_double, c_double, c_void_p]),
    "bnd_cost_tensor": (c_int, [c_void_p, c_void_p, c_size_t, c_char_p, c_void_p]),
    "bnd_cost_roofline": (c_int, [c_void_p, c_double, c_double, c_double, c_void_p, c_char_p, c_char_p, c_bool,
        c_void_p]),
    "bnd_made_count": (c_size_t, [c_int]),
    "bnd_made_at": (POINTER(bnd_made_row), [c_int, c_size_t]),
    "bnd_difference_name": (c_char_p, [c_int]),
    "bnd_difference_mean": (c_double, [c_void_p]),
    "bnd_difference_sqnr": (c_double, [c_void_p]),
    "bnd_diff_new": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_diff_free": (None, [c_void_p]),
    "bnd_diff_count": (c_size_t, [c_void_p]),
    "bnd_diff_at": (POINTER(bnd_weight_difference), [c_void_p, c_size_t]),
    "bnd_diff_sums": (POINTER(bnd_difference_sums), [c_void_p]),
    "bnd_diff_kinds": (c_size_t, [c_void_p, c_int]),
    "bnd_difference_print": (c_size_t, [c_void_p, c_size_t, c_double]),
    "bnd_diff_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "bnd_diff_groups": (c_size_t, [c_void_p]),
    "bnd_diff_group_at": (POINTER(bnd_explained_group), [c_void_p, c_size_t]),
    "bnd_explanation_print": (c_size_t, [c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_lint_check_count": (c_size_t, []),
    "bnd_lint_check_at": (POINTER(bnd_lint_check), [c_size_t]),
    "bnd_severity_name": (c_char_p, [c_int]),
    "bnd_effect_name": (c_char_p, [c_int]),
    "bnd_loader_name": (c_char_p, [c_int]),
    "bnd_loads_name": (c_char_p, [c_int]),
    "bnd_loader_cell_of": (bnd_loader_cell, [c_char_p, c_int]),
    "bnd_lint_new": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "bnd_lint_free": (None, [c_void_p]),
    "bnd_lint_summary_of": (POINTER(bnd_lint_summary), [c_void_p]),
    "bnd_lint_print_answer": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_lint_findings": (c_size_t, [c_void_p]),
    "bnd_lint_finding_at": (POINTER(bnd_lint_finding), [c_void_p, c_size_t]),
    "bnd_lint_layouts": (c_size_t, [c_void_p]),
    "bnd_lint_layout_at": (POINTER(bnd_lint_layout), [c_void_p, c_size_t]),
    "bnd_oracle_encode": (bnd_result, [c_void_p, c_double, bnd_rule, c_uint64]),
    "bnd_oracle_convert": (bnd_result, [c_void_p, c_void_p, c_uint64, bnd_rule, c_uint64]),
    "bnd_oracle_encode_text": (c_int, [c_void_p, c_void_p, c_char_p, bnd_rule, c_uint64, c_void_p]),
    "bnd_oracle_operate": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p, c_void_p, bnd_rule, c_uint64, c_void_p]),
    "bnd_oracle_compare": (c_bool, [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64]),
    "bnd_oracle_decode": (c_int, [c_void_p, c_void_p, c_uint64]),
    "bnd_candidate_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_candidate_defaults": (c_char_p, []),
    "bnd_candidate_bytes": (c_uint64, [c_void_p, c_void_p, c_size_t]),
    "bnd_survival_text": (c_char_p, [c_int]),
    "bnd_survival_key": (c_char_p, [c_int]),
    "bnd_loss_verdict": (c_int, [c_void_p, c_void_p, c_uint64]),
    "bnd_scan_new": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p]),
    "bnd_scan_new_of_array": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p,
        c_size_t, c_void_p, c_void_p]),
    "bnd_scan_free": (None, [c_void_p]),
    "bnd_scan_tensors": (c_size_t, [c_void_p]),
    "bnd_scan_at": (POINTER(bnd_scanned), [c_void_p, c_size_t]),
    "bnd_scan_worst": (POINTER(bnd_scanned), [c_void_p, c_size_t]),
    "bnd_scan_totals": (POINTER(bnd_scan_total), [c_void_p]),
    "bnd_scan_model_of": (POINTER(bnd_scan_model), [c_void_p]),
    "bnd_scan_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "bnd_scan_limits": (c_char_p, []),
    "bnd_scan_print_sqnr": (c_size_t, [c_void_p, c_size_t, c_double]),
    "bnd_scan_saved": (c_double, [c_void_p, c_uint64]),
    "bnd_verify_check_count": (c_size_t, []),
    "bnd_verify_check_name": (c_char_p, [c_size_t]),
    "bnd_verify_check_title": (c_char_p, [c_size_t]),
    "bnd_verify_check_rounds": (c_bool, [c_size_t]),
    "bnd_verify_check_parse": (c_int, [c_void_p, c_char_p, c_void_p]),
    "bnd_verify_check_effort": (c_uint64, [c_size_t, c_void_p, bnd_rule, c_bool]),
    "bnd_verifier_new": (c_int, [c_void_p, bnd_verify_options, c_void_p]),
    "bnd_verifier_free": (None, [c_void_p]),
    "bnd_verifier_run": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, bnd_rule, c_void_p]),
    "bnd_verifier_resume": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, bnd_rule, c_uint64, c_void_p]),
    "bnd_vectors_describe": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, bnd_rule, c_void_p]),
    "bnd_vectors_format": (POINTER(bnd_format), [c_void_p, c_uint]),
    "bnd_vectors_rule": (bnd_rule, [c_void_p, bnd_rule]),
    "bnd_vectors_print_header": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_vectors_parse_header_n": (c_int, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "bnd_vector_plan_open": (c_int, [c_void_p, c_void_p, c_int, c_uint64, c_void_p]),
    "bnd_vector_plan_close": (None, [c_void_p]),
    "bnd_vector_case": (None, [c_void_p, c_void_p, c_void_p, c_uint64]),
    "bnd_vector_answer": (bnd_result, [c_void_p, c_void_p, bnd_rule, c_uint64]),
    "bnd_vector_write": (c_size_t, [c_void_p, c_size_t, c_void_p, c_void_p, c_uint64, c_uint64, c_int]),
    "bnd_vector_parse_n": (c_int, [c_void_p, c_void_p, c_int, c_char_p, c_size_t, c_void_p]),
    "bnd_vector_case_name": (c_char_p, [c_int]),
    "bnd_vector_check_new": (c_int, [c_void_p, c_void_p, bnd_vector_options, c_void_p]),
    "bnd_vector_check_free": (None, [c_void_p]),
    "bnd_vector_check_line": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "bnd_vector_check_coverage": (POINTER(bnd_vector_coverage), [c_void_p]),
    "bnd_vector_check_covered": (c_bool, [c_void_p, c_void_p, c_size_t]),
    "bnd_vector_explain": (c_size_t, [c_void_p, c_size_t, c_void_p, c_void_p, c_uint64]),
    "bnd_vector_check_suspects": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_vector_check_dialect": (c_bool, [c_void_p, c_void_p, c_size_t]),
    "bnd_vector_check_faults": (c_size_t, [c_void_p, c_size_t, c_void_p]),
    "bnd_vector_print_changes": (c_size_t, [c_void_p, c_size_t, c_void_p, bnd_rule]),
    "bnd_grid_count": (c_size_t, [c_void_p]),
    "bnd_grid_task": (c_size_t, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t]),
    "bnd_grid_rates": (c_int, [c_void_p, c_size_t, c_double, c_double, c_void_p]),
    "bnd_rates_make": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]),
    "bnd_rates_best": (c_size_t, [c_void_p, c_size_t]),
    "bnd_rates_sensitivity": (c_double, [c_void_p, c_size_t]),
    "bnd_sweep_sum_up": (c_int, [c_void_p, c_size_t, c_double, c_void_p]),
    "bnd_sweep_verdict": (c_char_p, [c_void_p]),
    "bnd_sweep_others": (c_char_p, [c_void_p]),
    "bnd_sweep_print_line": (c_size_t, [c_void_p, c_size_t, c_void_p, c_size_t, c_size_t]),
    "bnd_sweep_close": (None, [c_void_p, c_size_t]),
}
