/* The machine's own operations. */
#include "base/bits.h"
#include "tests/support/machine.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static const struct {
    bnd_rounding rounding;
    int fenv;
} directions[] = {{BND_ROUND_RNE, FE_TONEAREST},
                  {BND_ROUND_RTZ, FE_TOWARDZERO},
                  {BND_ROUND_RUP, FE_UPWARD},
                  {BND_ROUND_RDN, FE_DOWNWARD}};

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { NANS_KNOWN = 1 };

static void set_flushing(int direction)
{
    static const unsigned bits[] = {0, 0x8000, 0x8040}; /* FTZ is 8000, DAZ 0040 */
    _mm_setcsr(_mm_getcsr() | bits[direction / 4]);
}

/* Each result in the register of the first operand, as the instructions have it. The fused one is that of three whose
 * operands stand in the order a, b, c where it has to choose between NaNs. */
#define BINARY(name, type, instruction)                                                                                \
    static type name(type a, type b)                                                                                   \
    {                                                                                                                  \
        __asm__ volatile(instruction " %1, %0" : "+x"(a) : "x"(b));                                                    \
        return a;                                                                                                      \
    }
#define UNARY(name, type, instruction)                                                                                 \
    static type name(type a)                                                                                           \
    {                                                                                                                  \
        __asm__ volatile(instruction " %0, %0" : "+x"(a));                                                             \
        return a;                                                                                                      \
    }
#define FUSED(name, type, instruction)                                                                                 \
    static type name(type a, type b, type c)                                                                           \
    {                                                                                                                  \
        __asm__ volatile(instruction " %1, %2, %0" : "+x"(a) : "x"(b), "x"(c));                                        \
        return a;                                                                                                      \
    }
BINARY(add32, float, "addss")
BINARY(sub32, float, "subss")
BINARY(mul32, float, "mulss")
BINARY(div32, float, "divss")
UNARY(root32, float, "sqrtss")
FUSED(fused32, float, "vfmadd132ss")
BINARY(add64, double, "addsd")
BINARY(sub64, double, "subsd")
BINARY(mul64, double, "mulsd")
BINARY(div64, double, "divsd")
UNARY(root64, double, "sqrtsd")
FUSED(fused64, double, "vfmadd132sd")

static bool has_fused(void)
{
    return __builtin_cpu_supports("fma");
}
#else
enum { NANS_KNOWN = 0 };

static void set_flushing(int direction)
{
    (void)direction;
}

/* Through volatile, so that each happens between the calls that set the mode and read the flags. */
#define BINARY(name, type, operator)                                                                                   \
    static type name(type a, type b)                                                                                   \
    {                                                                                                                  \
        volatile type x = a, y = b, result = x operator y;                                                             \
        return result;                                                                                                 \
    }
#define UNARY(name, type, function)                                                                                    \
    static type name(type a)                                                                                           \
    {                                                                                                                  \
        volatile type x = a, result = function(x);                                                                     \
        return result;                                                                                                 \
    }
#define FUSED(name, type, function)                                                                                    \
    static type name(type a, type b, type c)                                                                           \
    {                                                                                                                  \
        volatile type x = a, y = b, z = c, result = function(x, y, z);                                                 \
        return result;                                                                                                 \
    }
BINARY(add32, float, +)
BINARY(sub32, float, -)
BINARY(mul32, float, *)
BINARY(div32, float, /)
UNARY(root32, float, sqrtf)
FUSED(fused32, float, fmaf)
BINARY(add64, double, +)
BINARY(sub64, double, -)
BINARY(mul64, double, *)
BINARY(div64, double, /)
UNARY(root64, double, sqrt)
FUSED(fused64, double, fma)

static bool has_fused(void)
{
#if defined(FP_FAST_FMA) && defined(FP_FAST_FMAF)
    return true;
#else
    return false; /* the library's own may miss a flag */
#endif
}
#endif

static float float_at(uint64_t code)
{
    uint32_t bits = (uint32_t)code;
    return bndi_float_of_bits(bits);
}

static uint64_t operate32(bnd_operation operation, const uint64_t *codes)
{
    float a = float_at(codes[0]), b = float_at(codes[1]), c = float_at(codes[2]);
    float x = operation == BND_OP_ADD   ? add32(a, b)
              : operation == BND_OP_SUB ? sub32(a, b)
              : operation == BND_OP_MUL ? mul32(a, b)
              : operation == BND_OP_DIV ? div32(a, b)
              : operation == BND_OP_FMA ? fused32(a, b, c)
                                        : root32(a);
    return bndi_bits_of_float(x);
}

static uint64_t operate64(bnd_operation operation, const uint64_t *codes)
{
    double a = bndi_double_of_bits(codes[0]), b = bndi_double_of_bits(codes[1]), c = bndi_double_of_bits(codes[2]);
    double x = operation == BND_OP_ADD   ? add64(a, b)
               : operation == BND_OP_SUB ? sub64(a, b)
               : operation == BND_OP_MUL ? mul64(a, b)
               : operation == BND_OP_DIV ? div64(a, b)
               : operation == BND_OP_FMA ? fused64(a, b, c)
                                         : root64(a);
    return bndi_bits_of_double(x);
}

static uint32_t flags_of(int raised)
{
    return (raised & FE_INVALID ? BND_FLAG_INVALID : 0U) | (raised & FE_DIVBYZERO ? BND_FLAG_DIVBYZERO : 0U) |
           (raised & FE_OVERFLOW ? BND_FLAG_OVERFLOW : 0U) | (raised & FE_UNDERFLOW ? BND_FLAG_UNDERFLOW : 0U) |
           (raised & FE_INEXACT ? BND_FLAG_INEXACT : 0U);
}

machine_answer machine_operate(bnd_operation operation, unsigned width, const uint64_t *codes, int direction)
{
    machine_answer answer = {.known = operation != BND_OP_FMA || has_fused()};
    if (answer.known) {
        fenv_t before;
        fegetenv(&before);
        fesetround(directions[direction % 4].fenv);
        set_flushing(direction);
        feclearexcept(FE_ALL_EXCEPT);
        answer.code = width == 32 ? operate32(operation, codes) : operate64(operation, codes);
        answer.flags = flags_of(fetestexcept(FE_ALL_EXCEPT));
        fesetenv(&before);
    }
    return answer;
}

/* Architectures differ in when they look for what is tiny. */
static bool is_tiny_before(void)
{
    const uint64_t factors[] = {0x3f7ff800, 0x00800400, 0}; /* (1 - 2^-13) (1 + 2^-13) 2^-126 */
    return (machine_operate(BND_OP_MUL, 32, factors, 0).flags & BND_FLAG_UNDERFLOW) != 0;
}

bnd_rule machine_rule(int direction)
{
    return (bnd_rule){.rounding = (uint8_t)directions[direction % 4].rounding,
                      .nan = BND_NAN_X86,
                      .flush_in = direction >= 8,
                      .flush_out = direction >= 4 ? BND_FLUSH_TINY : BND_FLUSH_NONE,
                      .tiny_before = !NANS_KNOWN && is_tiny_before()};
}

bool machine_agrees(const bnd_format *f, bnd_result got, machine_answer want)
{
    const uint32_t ieee =
        BND_FLAG_INEXACT | BND_FLAG_UNDERFLOW | BND_FLAG_OVERFLOW | BND_FLAG_DIVBYZERO | BND_FLAG_INVALID;
    bnd_exact x = bnd_unpack(f, got.code), y = bnd_unpack(f, want.code);
    bool both_nan = x.kind >= BND_KIND_QUIET_NAN && y.kind >= BND_KIND_QUIET_NAN;
    return (got.code == want.code || (!NANS_KNOWN && both_nan)) && (got.flags & ieee) == want.flags;
}
