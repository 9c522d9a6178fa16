/* binade: a floating-point format laboratory.
 *
 * This header includes the whole API of the number library, libbinade. Each function has its contract above its
 * declaration; the manual pages bnd_base(3), bnd_format(3), bnd_codec(3) and so on have the same text.
 *
 * Names: a function or type is bnd_..., a constant is BND_FAMILY_NAME: BND_ROUND_RNE, BND_FLAG_INEXACT, BND_OP_ADD,
 * BND_KIND_ZERO. The number of constants in a family is BND_FAMILY_COUNT. A limit is BND_..._MAX, the size of a text
 * buffer BND_..._SIZE. bnd_status has no family name: BND_OK, BND_NO_MEMORY, BND_BAD_....
 *
 * binade-lab.h has the other tier: files, training, costs and references, without a promise from version to version.
 *
 * The rules that every call follows:
 *   - Arguments come in this order: outputs, inputs, each length right after its array, the rule last (and after it the
 *     random bits, where the rule may be stochastic, and the error, where there is one).
 *   - Numerics never fail: they return a value and flags. There is no global state and no thread-local mode.
 *   - A call that can fail returns bnd_status and leaves its outputs untouched on failure. Its bnd_error says what was
 *     wrong, where, and what to do.
 *   - Text that a call reads ends with a 0 byte. A call whose name ends in _n takes the length instead. Text that a
 *     call returns is a constant of the library, never NULL, and "" where there is none.
 *   - Rows of a table: 0 .. count-1. For any other row pointers are NULL, texts "", and answers false.
 *   - bnd_X_new makes an object on the heap, and bnd_X_free releases it. Everything else is a plain value, which holds
 *     nothing to release.
 *   - In structures that a caller fills, all zero is the default, and members called `reserved` must be zero: use a
 *     designated initialiser or {0}.
 *   - The library never prints, never exits, and never aborts on input.
 *   - Every call is safe from any number of threads at once.
 *   - After fork() every call works in the child. A child whose parent has used threads in this library uses one thread
 *     (gcc's OpenMP library loses its other threads in fork()); results are the same. The library does not detect a
 *     parent that ran parallel regions of OpenMP of its own, and none of this library: use `threads` 1 in its children.
 */
#ifndef BINADE_H
#define BINADE_H

#include <binade/base.h>
#include <binade/format.h>
#include <binade/arith.h>
#include <binade/bulk.h>
#include <binade/block.h>
#include <binade/codec.h>
#include <binade/matmul.h>
#include <binade/text.h>

#endif
