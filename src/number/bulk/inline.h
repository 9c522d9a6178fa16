/* How the vector kernels are put together: everything inlined and unrolled, so that what is constant in a loop is
 * constant in the machine's code. Instrumented builds leave that to the compiler: it would take them minutes. */
#ifndef BINADE_SRC_BULK_INLINE_H
#define BINADE_SRC_BULK_INLINE_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define BNDI_INSTRUMENTED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define BNDI_INSTRUMENTED 1
#endif

#if defined(BNDI_INSTRUMENTED)
#define ALWAYS_INLINE inline
#define UNROLL_BY(n)
#else
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNROLL_BY(n)  BNDI_PRAGMA(GCC unroll n)
#endif
#define BNDI_PRAGMA(words) _Pragma(#words)
#define NOT_INLINE         __attribute__((noinline))
#define UNROLL             UNROLL_BY(4)

#endif
