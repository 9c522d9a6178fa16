/* How the vector kernels are put together: everything is inlined and unrolled, so that what is constant in a loop is
 * constant in the machine's code. Example: `group` of lanes_template.h has a parameter `step`; NAME(loop)(FLOAT_MODE,
 * ...) is an instance of it in which the switch on `step` has vanished. Sanitizer builds leave these decisions to the
 * compiler: forced inlining would take them minutes to compile.
 *
 *   ALWAYS_INLINE   for functions whose arguments are constants of the instance
 *   NOT_INLINE      for rare paths, so that their registers do not spill those of the loop
 *   UNROLL          before a loop over GROUP vectors; UNROLL_BY(n) with another count
 * UNROLL gives each vector of a group a register of its own. Four vectors of eight lanes, x[i] doubled, with AVX2:
 *
 *   for i from 0 to 3    x[0] = 0 .. 7   x[1] = 8 .. 15   x[2] = 16 .. 23   x[3] = 24 .. 31    an array in memory
 *   unrolled             ymm0 += ymm0    ymm1 += ymm1     ymm2 += ymm2      ymm3 += ymm3
 *                        0 2 .. 14       16 .. 30         32 .. 46          48 .. 62           four registers, no loop
 */
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
#if defined(__clang__)
#define UNROLL_BY(n) BNDI_PRAGMA(clang loop unroll(full)) /* clang knows the count, and ignores GCC's line */
#else
#define UNROLL_BY(n) BNDI_PRAGMA(GCC unroll n)
#endif
#endif
#define BNDI_PRAGMA(words) _Pragma(#words)
#define NOT_INLINE         __attribute__((noinline))
#define UNROLL             UNROLL_BY(4)

#endif
