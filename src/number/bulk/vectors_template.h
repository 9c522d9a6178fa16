/* The vectors of a back end, of BYTES bytes each, in the compiler's own terms: words, signed integers and
 * floating-point numbers. Included once per source, before the hooks of the templates. With BYTES 16, these are the
 * same bytes:
 *
 *   lanes_32    3f800000           40000000 40400000           40800000      four words
 *   floats_32   1                  2        3                  4
 *   lanes_64    400000003f800000            4080000040400000                 two words, on a little-endian machine
 *   floats_64   2.0000005                   512.0001225 */
typedef uint32_t lanes_32 __attribute__((vector_size(BYTES), may_alias));
typedef int32_t signed_lanes_32 __attribute__((vector_size(BYTES)));
typedef float floats_32 __attribute__((vector_size(BYTES)));
typedef uint64_t lanes_64 __attribute__((vector_size(BYTES), may_alias));
typedef int64_t signed_lanes_64 __attribute__((vector_size(BYTES)));
typedef double floats_64 __attribute__((vector_size(BYTES)));
