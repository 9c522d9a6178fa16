"""The types, constants and calls of binade's headers. tools/dev/make-python-types writes this file: do not edit it."""
# A pointer of an argument is an address (None, a number, byref, a pointer); a text is bytes. A type without fields is a
# handle that only the library reads.
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int8, c_int16,
                    c_int32, c_int64, c_long, c_size_t, c_ssize_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64,
                    c_void_p)

VERSION = "0.1.0"
BND_ACCUMULATE_ALIGNED = 2
BND_ACCUMULATE_CBLAS = 3
BND_ACCUMULATE_COUNT = 4
BND_ACCUMULATE_EACH = 1
BND_ACCUMULATE_FUSED = 0
BND_ACCUMULATOR_NAME_SIZE = 96
BND_ALIGNED_BITS_MAX = 24
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
BND_BLOCK_NAME_SIZE = 96
BND_CLASS_INFINITY = 3
BND_CLASS_NAN = 4
BND_CLASS_NORMAL = 2
BND_CLASS_SIGNALING_NAN = 5
BND_CLASS_SUBNORMAL = 1
BND_CLASS_ZERO = 0
BND_COMPARISON_APART = 10
BND_ECOSYSTEM_COUNT = 5
BND_ECOSYSTEM_ML_DTYPES = 0
BND_ECOSYSTEM_ONNX = 1
BND_ECOSYSTEM_OTHERS = 4
BND_ECOSYSTEM_SAFETENSORS = 2
BND_ECOSYSTEM_STABLEHLO = 3
BND_EXPONENT_MAX = 1073741824
BND_EXPONENT_UNLIMITED = 536870912
BND_FIELD_COUNT = 3
BND_FIELD_EXPONENT = 1
BND_FIELD_FRACTION = 2
BND_FIELD_SIGN = 0
BND_FLAG_ALL = 127
BND_FLAG_DIVBYZERO = 8
BND_FLAG_INEXACT = 1
BND_FLAG_INVALID = 16
BND_FLAG_OVERFLOW = 4
BND_FLAG_SATURATED = 32
BND_FLAG_TO_ZERO = 64
BND_FLAG_UNDERFLOW = 2
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
BND_OVERFLOW_COUNT = 5
BND_OVERFLOW_FORMAT = 0
BND_OVERFLOW_FORMAT_MAX = 3
BND_OVERFLOW_PROPAGATE = 2
BND_OVERFLOW_PROPAGATE_MAX = 4
BND_OVERFLOW_SATURATE = 1
BND_PACKING_PACKED = 0
BND_PACKING_UNPACKED = 1
BND_PRECISION_MAX = 64
BND_RANDOM_BITS_DEFAULT = 32
BND_RANDOM_BITS_MAX = 62
BND_RELATION_EQUAL = 2
BND_RELATION_GREATER = 4
BND_RELATION_LESS = 1
BND_RELATION_SIGNALING = 16
BND_RELATION_UNORDERED = 8
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
BND_SCALE_CEIL = 2
BND_SCALE_COUNT = 8
BND_SCALE_CT = 5
BND_SCALE_EVEN = 3
BND_SCALE_FLOOR = 1
BND_SCALE_FOUR_SIX = 7
BND_SCALE_MSE = 6
BND_SCALE_NEAREST = 4
BND_SCALE_RCEIL = 0
BND_SHARE_BLOCK = 0
BND_SHARE_TENSOR = 2
BND_SHARE_TILE = 1
BND_SUM_COUNT = 3
BND_SUM_KAHAN = 2
BND_SUM_NAIVE = 0
BND_SUM_PAIRWISE = 1
BND_TIES_CODE = 1
BND_TIES_SIGNIFICAND = 0
BND_TIE_RULE_CODE = 2
BND_TIE_RULE_FORMAT = 0
BND_TIE_RULE_SIGNIFICAND = 1
BND_VERSION_MAJOR = 0
BND_VERSION_MINOR = 1
BND_VERSION_PATCH = 0
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
    ("flush_out", c_bool), ("tiny_before", c_bool), ("reserved", (c_uint8 * 5))]
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
bnd_dynamic._fields_ = [("block", c_size_t), ("is_signed", c_bool), ("reserved", (c_uint8 * 7))]
bnd_accumulator._fields_ = [("format", bnd_format), ("rule", bnd_rule), ("promote", c_uint32), ("group", c_uint16),
    ("kind", c_uint8)]
bnd_strides._fields_ = [("row", c_ssize_t), ("column", c_ssize_t)]
bnd_gemm._fields_ = [("context", POINTER(bnd_context)), ("accumulator", bnd_accumulator), ("a", bnd_strides),
    ("b", bnd_strides), ("c", bnd_strides), ("round_a", POINTER(bnd_format)), ("round_b", POINTER(bnd_format)),
    ("add", c_bool), ("seed", c_uint64), ("purpose", c_uint64), ("reserved", (c_uint64 * 4))]
bnd_number._fields_ = [("value", bnd_exact), ("integer", c_char_p), ("fraction", c_char_p),
    ("integer_length", c_size_t), ("fraction_length", c_size_t), ("first", c_size_t), ("count", c_size_t),
    ("exponent", c_int64), ("hexadecimal", c_bool)]

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
}
