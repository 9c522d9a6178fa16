/* The formulas on numbers of one type, NUMBER. Included by maths.c, once for float and once for double; NAMED(f) is the
 * name of f there. */

typedef NUMBER NAMED(vector) __attribute__((vector_size(LANES * sizeof(NUMBER))));
typedef INTEGER NAMED(mask) __attribute__((vector_size(LANES * sizeof(NUMBER))));

static ALWAYS_INLINE NAMED(vector) NAMED(load)(const void *numbers, size_t i)
{
    NAMED(vector) v;
    __builtin_memcpy(&v, (const NUMBER *)numbers + i, sizeof v);
    return v;
}

static ALWAYS_INLINE NAMED(vector) NAMED(pick)(NAMED(mask) mask, NAMED(vector) a, NAMED(vector) b)
{
    return (NAMED(vector))((mask & (NAMED(mask))a) | (~mask & (NAMED(mask))b));
}

#define N(x)          __builtin_convertvector(x, NAMED(vector))
#define A             __builtin_convertvector(a, doubles)
#define B             __builtin_convertvector(b, doubles)
#define C             __builtin_convertvector(c, doubles)
#define PICK(m, x, y) NAMED(pick)(m, x, y)
#define ZERO          ((NAMED(vector)){0})
#define HALF          ((NUMBER)0.5)

/* What is no whole vector at the end goes by a copy of one: the same operations. Operands that a formula does not have
 * are read as its first. */
#define FORMULA(name, expression)                                                                                      \
    static void NAMED(name)(void *y, const void *const *in, double k, size_t n)                                        \
    {                                                                                                                  \
        const void *from[3] = {in[0], in[1] != NULL ? in[1] : in[0], in[2] != NULL ? in[2] : in[0]};                   \
        size_t i = 0;                                                                                                  \
        (void)k;                                                                                                       \
        for (; i + LANES <= n; i += LANES) {                                                                           \
            NAMED(vector) a = NAMED(load)(from[0], i), b = NAMED(load)(from[1], i), c = NAMED(load)(from[2], i);       \
            NAMED(vector) result = expression;                                                                         \
            (void)b, (void)c;                                                                                          \
            __builtin_memcpy((NUMBER *)y + i, &result, sizeof result);                                                 \
        }                                                                                                              \
        if (i < n) {                                                                                                   \
            NUMBER rest[4][LANES] = {{0}};                                                                             \
            for (unsigned j = 0; j < 3; j++) {                                                                         \
                __builtin_memcpy(rest[j], (const NUMBER *)from[j] + i, (n - i) * sizeof(NUMBER));                      \
            }                                                                                                          \
            NAMED(name)(rest[3], (const void *const[]){rest[0], rest[1], rest[2]}, k, LANES);                          \
            __builtin_memcpy((NUMBER *)y + i, rest[3], (n - i) * sizeof(NUMBER));                                      \
        }                                                                                                              \
    }
#include "tensor/formulas.def"
#undef FORMULA

#undef N
#undef A
#undef B
#undef C
#undef PICK
#undef ZERO
#undef HALF
