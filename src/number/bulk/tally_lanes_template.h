/* The lanes that tally_template.h counts in: what the compiler's vectors, or AVX2, do with words of LANE_BITS bits. A
 * mask has all ones or all zeros in a lane. Magnitudes are words without their sign bit, so signed comparisons order
 * them:
 *
 *                       lane 0            lane 1            lane 2            lane 3
 *   u                   3e99999a (0.3)    00000000 (0)      7fc00000 (NaN)    447a0000 (1000)
 *   below(u, 43e00000)  ffffffff          ffffffff          00000000          00000000
 *   counted(5, mask)    6                 6                 5                 5
 *
 * The lanes of one group of 32 words of fp32, or of 16 words of fp64, as doubles; four of these are a vector:
 *
 *                 fp32                              fp64
 *   vector 0      part 0: 0-3     part 1: 4-7       part 0: 0-3
 *   vector 1      part 0: 8-11    part 1: 12-15     part 0: 4-7
 *   vector 2      part 0: 16-19   part 1: 20-23     part 0: 8-11
 *   vector 3      part 0: 24-27   part 1: 28-31     part 0: 12-15 */

typedef WORD NAME(lanes) __attribute__((vector_size(BYTES), may_alias));
typedef SIGNED NAME(signed_lanes) __attribute__((vector_size(BYTES), may_alias));
typedef FLOAT NAME(floats) __attribute__((vector_size(BYTES), may_alias));

/* The same word in all lanes. */
static ALWAYS_INLINE V NAME(all)(uint64_t word)
{
    return (V){0} + (WORD)word;
}

/* Loads and stores need no alignment; memcpy becomes one instruction. */
static ALWAYS_INLINE V NAME(load)(const void *memory)
{
    V v;
    __builtin_memcpy(&v, memory, sizeof v);
    return v;
}

/* All ones where a is below b. Both are magnitudes, whose order is that of signed words. */
static ALWAYS_INLINE V NAME(below)(V a, V b)
{
    return (V)((NAME(signed_lanes))a < (NAME(signed_lanes))b);
}

/* a where the mask has ones, b elsewhere. */
static ALWAYS_INLINE V NAME(select)(V mask, V a, V b)
{
    return (V)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}

/* The larger and the smaller magnitude. AVX2 has an instruction for lanes of 32 bits only. */
static ALWAYS_INLINE V NAME(larger)(V a, V b)
{
    return LANE_BITS == 32 ? (V)_mm256_max_epi32((__m256i)a, (__m256i)b) : NAME(select)(NAME(below)(a, b), b, a);
}

static ALWAYS_INLINE V NAME(smaller)(V a, V b)
{
    return LANE_BITS == 32 ? (V)_mm256_min_epi32((__m256i)a, (__m256i)b) : NAME(select)(NAME(below)(a, b), a, b);
}

/* Masks are -1, so subtracting them counts. */
static ALWAYS_INLINE V NAME(counted)(V count, V mask)
{
    return count - mask;
}

/* Has the mask a bit set? */
static ALWAYS_INLINE bool NAME(any)(V mask)
{
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}

/* values[0] for positive x, values[1] for negative ones. */
static ALWAYS_INLINE V NAME(by_sign)(V x, const V values[2])
{
    return NAME(select)((V)((NAME(signed_lanes))x < 0), values[1], values[0]);
}

/* The sum of a count's lanes. Pairs of 32-bit lanes are added first, as numbers of 64 bits: 5 and 7 in the word
 * 0000000700000005 become 12. */
static ALWAYS_INLINE uint64_t NAME(total)(V counts)
{
    __m256i sums = (__m256i)counts;
    if (LANE_BITS == 32) {
        sums = _mm256_add_epi64(_mm256_srli_epi64(sums, 32), _mm256_and_si256(sums, _mm256_set1_epi64x(UINT32_MAX)));
    }
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

/* Part j of a vector, as doubles: elements 4 j to 4 j + 3. A word of 64 bits is a double already. */
static ALWAYS_INLINE __m256d NAME(widened)(V x, size_t j)
{
#if LANE_BITS == 32
    const __m256 f = (__m256)x;
    return _mm256_cvtps_pd(j == 0 ? _mm256_castps256_ps128(f) : _mm256_extractf128_ps(f, 1));
#else
    (void)j;
    return (__m256d)x;
#endif
}

/* The same of words in memory, which saves taking the upper half out of a register. */
static ALWAYS_INLINE __m256d NAME(widened_at)(const char *in, size_t j)
{
#if LANE_BITS == 32
    return _mm256_cvtps_pd(_mm_loadu_ps((const float *)(const void *)(in + 16 * j)));
#else
    (void)j;
    return _mm256_loadu_pd((const double *)(const void *)in);
#endif
}
