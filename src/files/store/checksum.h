/* A checksum of bytes: XXH64 with seed 0, as xxHash defines it, so that other programs can compute it, too. It finds
 * damage, not forgery. */
#ifndef BINADE_SRC_STORE_CHECKSUM_H
#define BINADE_SRC_STORE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

enum { BNDI_CHECKSUM_LANES = 4, BNDI_CHECKSUM_STRIPE = 32, BNDI_CHECKSUM_DIGITS = 16 };

/* The state between two pieces. Callers begin, add pieces of any sizes, and read the sum. */
typedef struct bndi_checksum {
    uint64_t lane[BNDI_CHECKSUM_LANES], length;
    unsigned char rest[BNDI_CHECKSUM_STRIPE]; /* the last bytes that are no whole stripe */
    size_t held;                              /* how many they are */
} bndi_checksum;

void bndi_checksum_begin(bndi_checksum *sum);
void bndi_checksum_add(bndi_checksum *sum, const void *bytes, size_t length);
uint64_t bndi_checksum_of(const bndi_checksum *sum);

/* As BNDI_CHECKSUM_DIGITS hexadecimal digits, without a 0 byte. */
void bndi_checksum_digits(char *out, uint64_t checksum);

#endif
