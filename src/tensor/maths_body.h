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

/* Two vectors at a time, so that one is computed while the other waits for itself. What is no whole vector at the end
 * goes by a copy of one: the same operations. Operands that a formula does not have are read as its first. */
#define FORMULA(name, expression)                                                                                      \
    static ALWAYS_INLINE NAMED(vector) NAMED(one_##name)(NAMED(vector) a, NAMED(vector) b, NAMED(vector) c, double k)  \
    {                                                                                                                  \
        (void)b, (void)c, (void)k;                                                                                     \
        return expression;                                                                                             \
    }                                                                                                                  \
    static void NAMED(name)(void *y, const void *const *in, double k, size_t n)                                        \
    {                                                                                                                  \
        const void *from[3] = {in[0], in[1] != NULL ? in[1] : in[0], in[2] != NULL ? in[2] : in[0]};                   \
        size_t i = 0;                                                                                                  \
        for (; i + 2 * LANES <= n; i += 2 * LANES) {                                                                   \
            NAMED(vector) a = NAMED(load)(from[0], i), b = NAMED(load)(from[1], i), c = NAMED(load)(from[2], i);       \
            NAMED(vector) d = NAMED(load)(from[0], i + LANES), e = NAMED(load)(from[1], i + LANES);                    \
            NAMED(vector) f = NAMED(load)(from[2], i + LANES);                                                         \
            a = NAMED(one_##name)(a, b, c, k);                                                                         \
            d = NAMED(one_##name)(d, e, f, k);                                                                         \
            __builtin_memcpy((NUMBER *)y + i, &a, sizeof a);                                                           \
            __builtin_memcpy((NUMBER *)y + i + LANES, &d, sizeof d);                                                   \
        }                                                                                                              \
        while (i < n) {                                                                                                \
            size_t m = n - i < LANES ? n - i : LANES;                                                                  \
            NUMBER rest[4][2 * LANES] = {{0}};                                                                         \
            for (unsigned j = 0; j < 3; j++) {                                                                         \
                __builtin_memcpy(rest[j], (const NUMBER *)from[j] + i, m * sizeof(NUMBER));                            \
            }                                                                                                          \
            NAMED(name)(rest[3], (const void *const[]){rest[0], rest[1], rest[2]}, k, 2 * LANES);                      \
            __builtin_memcpy((NUMBER *)y + i, rest[3], m * sizeof(NUMBER));                                            \
            i += m;                                                                                                    \
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
