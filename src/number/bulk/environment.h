/* The floating-point environment of the kernels: the plan's rounding mode, subnormals kept, no traps. Afterwards the
 * caller's environment is restored, exception flags included. This happens once per call and thread. Where
 * BNDI_HAS_ENVIRONMENT is 0, plans use only nearest even: WebAssembly has no other mode, and on processors other than
 * x86-64 and 64-bit Arm no other is set. */
#ifndef BINADE_SRC_BULK_ENVIRONMENT_H
#define BINADE_SRC_BULK_ENVIRONMENT_H

#include <binade/format.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

#define BNDI_HAS_ENVIRONMENT 1

typedef struct bndi_environment {
    unsigned control;
} bndi_environment;

/* Writing the register takes some ten nanoseconds, reading it one: it is written where that changes anything. */
static inline void bndi_set_rounding(unsigned rounding)
{
    enum { FLAGS = 0x3f, MASKED = 0x1f80, NEAREST = 0, DOWN = 0x2000, UP = 0x4000, ZERO = 0x6000 };
    unsigned wanted = MASKED | (rounding == BND_ROUND_RDN   ? DOWN
                                : rounding == BND_ROUND_RUP ? UP
                                : rounding == BND_ROUND_RTZ ? ZERO
                                                            : NEAREST);
    if ((_mm_getcsr() & ~(unsigned)FLAGS) != wanted) {
        _mm_setcsr(wanted);
    }
}

static inline bndi_environment bndi_enter(unsigned rounding)
{
    bndi_environment before = {_mm_getcsr()};
    bndi_set_rounding(rounding);
    return before;
}

static inline void bndi_leave(bndi_environment before)
{
    if (_mm_getcsr() != before.control) {
        _mm_setcsr(before.control);
    }
}

/* Stores that bypass the caches become visible to other threads in any order; after this call, before all later
 * stores. */
static inline void bndi_drain_stores(void)
{
    _mm_sfence();
}

#elif defined(__aarch64__)

#define BNDI_HAS_ENVIRONMENT 1

typedef struct bndi_environment {
    uint64_t control, status;
} bndi_environment;

static inline void bndi_set_rounding(unsigned rounding)
{
    const uint64_t up = UINT64_C(1) << 22, down = UINT64_C(2) << 22, zero = UINT64_C(3) << 22;
    uint64_t control = rounding == BND_ROUND_RDN   ? down
                       : rounding == BND_ROUND_RUP ? up
                       : rounding == BND_ROUND_RTZ ? zero
                                                   : 0;
    __asm__ volatile("msr fpcr, %0" : : "r"(control) : "memory");
}

static inline bndi_environment bndi_enter(unsigned rounding)
{
    bndi_environment before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(before.status));
    bndi_set_rounding(rounding);
    return before;
}

static inline void bndi_leave(bndi_environment before)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(before.status) : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(before.control) : "memory");
}

static inline void bndi_drain_stores(void)
{
    __asm__ volatile("dmb ishst" : : : "memory");
}

#else

#define BNDI_HAS_ENVIRONMENT 0

static inline void bndi_set_rounding(unsigned rounding)
{
    (void)rounding;
}

static inline void bndi_drain_stores(void)
{
}

#if defined(__wasm__) || defined(BND_FREESTANDING)
typedef struct bndi_environment {
    unsigned none;
} bndi_environment;

static inline bndi_environment bndi_enter(unsigned rounding)
{
    (void)rounding;
    return (bndi_environment){0};
}

static inline void bndi_leave(bndi_environment before)
{
    (void)before;
}
#else
#include <fenv.h>

/* Another processor: the C library sets its environment, to nearest even alone. */
typedef struct bndi_environment {
    fenv_t before;
} bndi_environment;

static inline bndi_environment bndi_enter(unsigned rounding)
{
    bndi_environment here;
    (void)rounding;
    (void)feholdexcept(&here.before);
    (void)fesetround(FE_TONEAREST);
    return here;
}

static inline void bndi_leave(bndi_environment here)
{
    (void)fesetenv(&here.before);
}
#endif

#endif

#endif
