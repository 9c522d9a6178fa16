/* How the vector kernels are put together: everything is inlined and unrolled, so that what is constant in a loop is
 * constant in the machine's code. Example: `group` of lanes_template.h has a parameter `step`; NAME(loop)(FLOAT_MODE,
 * ...) is an instance of it in which the switch on `step` has vanished. Sanitizer builds leave these decisions to the
 * compiler: forced inlining would take them minutes to compile.
 *
 *   ALWAYS_INLINE   for functions whose arguments are constants of the instance
 *   NOT_INLINE      for rare paths, so that their registers do not spill those of the loop
 *   UNROLL          before a loop over GROUP vectors; UNROLL_BY(n) with another count */
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
