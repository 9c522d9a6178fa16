/* The histogram of exponents for tally_template.h. Each group gives bins, a byte per number, in any order. They wait
 * until there are BNDI_BIN_BATCH of them, 512, and are then counted in one of two ways.
 *
 * Few binades: one pass per bin. Four of the 32 bytes of a vector, counted for bin 39:
 *
 *   bins             39   38   39   40
 *   equal to 39      ff   00   ff   00      subtracted from bytes that count: 1 0 1 0
 *
 * Many binades: one step per number, in four sets of counters. */

/* floor(log2 |x|) as a bin from 0 to 63: the exponent field less that of the lowest bin, clamped below by the
 * saturating subtraction and above by the minimum. A group becomes as many bytes, in the order that packing leaves,
 * which does not matter. With BND_HISTOGRAM_LOWEST = -40, bin b has the magnitudes from 2^(b - 41) on; for fp32
 * `lowest` is 127 - 40 - 1 = 86:
 *
 *   magnitude      0.3 (3e99999a)   0.011 (3c343958)   2^40 (53800000)   0
 *   >> 23          125              120                167               0
 *   less 86        39               34                 81                0       saturating: 0 - 86 is 0
 *   at most 63     39               34                 63                0
 *
 * Fields of fp64 have 11 bits: those of four vectors come side by side as 16-bit words first. */
static ALWAYS_INLINE void NAME(put_bins)(uint8_t *bins, const V u[VECTORS])
{
#if LANE_BITS == 32
    const __m256i lowest = _mm256_set1_epi8(BIAS + BND_HISTOGRAM_LOWEST - 1), last = _mm256_set1_epi8(BNDI_BINS - 1);
    __m256i low = _mm256_packus_epi32((__m256i)(u[0] >> FRACTION), (__m256i)(u[1] >> FRACTION));
    __m256i high = _mm256_packus_epi32((__m256i)(u[2] >> FRACTION), (__m256i)(u[3] >> FRACTION));
    __m256i fields = _mm256_packus_epi16(low, high);
    _mm256_storeu_si256((void *)bins, _mm256_min_epu8(_mm256_subs_epu8(fields, lowest), last));
#else
    const __m256i lowest = _mm256_set1_epi16(BIAS + BND_HISTOGRAM_LOWEST - 1), last = _mm256_set1_epi16(BNDI_BINS - 1);
    const V field = NAME(all)(0x7ff);
    V fields = u[0] >> 52 | (u[1] >> 36 & field << 16) | (u[2] >> 20 & field << 32) | (u[3] >> 4 & field << 48);
    __m256i wide = _mm256_min_epu16(_mm256_subs_epu16((__m256i)fields, lowest), last);
    __m128i narrow = _mm_packus_epi16(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
    _mm_storeu_si128((void *)bins, narrow);
#endif
}

/* How many of a batch are in one bin: 16 vectors of 32 bins. Each match subtracts -1 from its byte, so a byte counts at
 * most 16. sad_epu8 adds up groups of eight bytes to four 64-bit words, which the last two lines add. */
static ALWAYS_INLINE uint64_t NAME(count_bin)(const uint8_t *bins, unsigned bin)
{
    const __m256i wanted = _mm256_set1_epi8((char)bin), zero = _mm256_setzero_si256();
    __m256i count = zero;
    UNROLL
    for (size_t at = 0; at < BNDI_BIN_BATCH; at += BYTES) {
        __m256i v = _mm256_loadu_si256((const void *)(bins + at));
        count = _mm256_sub_epi8(count, _mm256_cmpeq_epi8(v, wanted));
    }
    count = _mm256_sad_epu8(count, zero);
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
    return (uint64_t)_mm_cvtsi128_si64(half) + (uint64_t)_mm_extract_epi64(half, 1);
}

/* One step per number, in four sets of counters: adding to one counter twice in a row takes longer, and three quarters
 * of random words are in bins 0 and 63. A set gets 128 numbers, which a byte can count. */
static NOT_INLINE void NAME(count_apart)(bndi_tally *t, const uint8_t *bins)
{
    enum { SETS = 4 };
    uint8_t counts[SETS][BNDI_BINS] = {{0}};
    for (size_t i = 0; i < BNDI_BIN_BATCH; i += SETS) {
        UNROLL
        for (size_t j = 0; j < SETS; j++) {
            counts[j][bins[i + j]]++;
        }
    }
    for (size_t bin = 0; bin < BNDI_BINS; bin++) {
        t->bins[bin] += (uint64_t)counts[0][bin] + counts[1][bin] + counts[2][bin] + counts[3][bin];
    }
}

/* Most arrays lie in a few binades: one pass over the batch per bin costs less than one step per number. With FEW bins
 * or more between the lowest and the highest the numbers are counted one at a time. */
static NOT_INLINE void NAME(count_batch)(bndi_tally *t, const uint8_t *bins)
{
    enum { FEW = 28 };
    uint8_t lows[BYTES], highs[BYTES];
    unsigned lowest = BNDI_BINS - 1, highest = 0;
    __m256i low = _mm256_loadu_si256((const void *)bins), high = low;
    UNROLL
    for (size_t at = BYTES; at < BNDI_BIN_BATCH; at += BYTES) {
        __m256i v = _mm256_loadu_si256((const void *)(bins + at));
        low = _mm256_min_epu8(low, v);
        high = _mm256_max_epu8(high, v);
    }
    _mm256_storeu_si256((void *)lows, low);
    _mm256_storeu_si256((void *)highs, high);
    for (size_t i = 0; i < BYTES; i++) {
        lowest = lows[i] < lowest ? lows[i] : lowest;
        highest = highs[i] > highest ? highs[i] : highest;
    }
    if (highest - lowest < FEW) {
        for (unsigned bin = lowest; bin <= highest; bin++) {
            t->bins[bin] += NAME(count_bin)(bins, bin);
        }
    } else {
        NAME(count_apart)(t, bins);
    }
}
