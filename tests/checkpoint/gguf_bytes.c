/* The bytes of small .gguf files. */
#include "tests/checkpoint/gguf_bytes.h"

#include <stdlib.h>
#include <string.h>

void gguf_put(gguf_bytes *g, const void *bytes, size_t length)
{
    if (length > sizeof g->bytes - g->size) {
        abort();
    }
    memcpy(g->bytes + g->size, bytes, length);
    g->size += length;
}

void gguf_number(gguf_bytes *g, uint64_t value, size_t bytes)
{
    unsigned char out[8];
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (unsigned char)(value >> 8 * i);
    }
    gguf_put(g, out, bytes);
}

void gguf_string(gguf_bytes *g, const char *text)
{
    gguf_number(g, strlen(text), 8);
    gguf_put(g, text, strlen(text));
}

void gguf_pad(gguf_bytes *g, size_t alignment)
{
    while (g->size % alignment != 0) {
        gguf_number(g, 0, 1);
    }
}

static void pair(gguf_bytes *g, const char *key, uint64_t type)
{
    gguf_string(g, key);
    gguf_number(g, type, 4);
}

static void tensor(gguf_bytes *g, const char *name, size_t rank, const uint64_t *shape, uint64_t type, uint64_t offset)
{
    gguf_string(g, name);
    gguf_number(g, rank, 4);
    for (size_t i = 0; i < rank; i++) {
        gguf_number(g, shape[i], 8); /* the fastest dimension first */
    }
    gguf_number(g, type, 4);
    gguf_number(g, offset, 8);
}

void gguf_good(gguf_bytes *g)
{
    g->size = 0;
    gguf_put(g, "GGUF", 4);
    gguf_number(g, 3, 4);
    gguf_number(g, 3, 8);
    gguf_number(g, 5, 8);
    pair(g, "general.architecture", 8);
    gguf_string(g, "llama");
    pair(g, "x.count", 4);
    gguf_number(g, 7, 4);
    pair(g, "x.numbers", 9);
    gguf_number(g, 5, 4);
    gguf_number(g, 2, 8);
    gguf_number(g, 0x100000002, 8);
    pair(g, "x.tokens", 9);
    gguf_number(g, 8, 4);
    gguf_number(g, 2, 8);
    gguf_string(g, "a");
    gguf_string(g, "");
    pair(g, "x.bytes", 8);
    gguf_string(g, "\xff"); /* a string, but no text */
    tensor(g, "f", 2, (const uint64_t[]){3, 2}, 30, 0);
    tensor(g, "q", 3, (const uint64_t[]){64, 1, 2}, 39, 32);
    tensor(g, "k", 1, (const uint64_t[]){256}, 12, 128);
    gguf_pad(g, 32);
    for (size_t i = 0; i < 128 + 144; i++) {
        gguf_number(g, i, 1);
    }
}
