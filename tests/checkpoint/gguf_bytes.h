/* The bytes of small .gguf files, put together piece by piece. */
#ifndef TESTS_CHECKPOINT_GGUF_BYTES_H
#define TESTS_CHECKPOINT_GGUF_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct gguf_bytes {
    unsigned char bytes[2048];
    size_t size;
} gguf_bytes;

void gguf_put(gguf_bytes *g, const void *bytes, size_t length);
void gguf_number(gguf_bytes *g, uint64_t value, size_t bytes);
void gguf_string(gguf_bytes *g, const char *text); /* its length first */
void gguf_pad(gguf_bytes *g, size_t alignment);

/* Three tensors, "f" of BF16, "q" of MXFP4 and "k" of Q4_K, with pairs of several types. */
void gguf_good(gguf_bytes *g);

#endif
