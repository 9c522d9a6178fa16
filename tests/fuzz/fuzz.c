/* What the fuzzing programs share: promises, and how inputs come to them. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void require(bool promise, const char *what)
{
    if (!promise) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

void require_explained(bnd_status status, const bnd_error *why, size_t size)
{
    require(why->status == status && why->where <= size && why->message[0] != '\0' &&
                memchr(why->message, '\0', sizeof why->message) != NULL,
            "a refusal says why and where");
}

void *fuzz_memory(size_t count, size_t size)
{
    void *block = malloc(count * size > 0 ? count * size : 1);
    if (block == NULL) {
        abort();
    }
    return block;
}

void *tight_copy(const void *data, size_t size)
{
    if (size == 0) {
        return NULL; /* as an empty file that is mapped or read */
    }
    void *copy = fuzz_memory(size, 1);
    memcpy(copy, data, size);
    return copy;
}

uint8_t fuzz_byte(uint64_t random, const char *alphabet)
{
    return random >> 60 == 0 ? (uint8_t)(random >> 32) : (uint8_t)alphabet[(random >> 32) % strlen(alphabet)];
}

size_t fuzz_cut(size_t size, uint64_t seed, uint64_t i)
{
    return size - (bnd_random(seed, i, 12) % 32 == 0 ? bnd_random(seed, i, 13) % size : 0);
}

static const char *folder; /* NULL: inputs are tried, not written */
static uint64_t written;

void fuzz_input(const uint8_t *data, size_t size)
{
    char path[512];
    if (folder == NULL) {
        LLVMFuzzerTestOneInput(data, size);
        return;
    }
    snprintf(path, sizeof path, "%s/%06llu", folder, (unsigned long long)written++);
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(data, 1, size, out) != size || fclose(out) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(EXIT_FAILURE);
    }
}

#if !defined(BND_WITH_LIBFUZZER)

static int run_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return EXIT_FAILURE;
    }
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof data, in);
    fclose(in);
    LLVMFuzzerTestOneInput(data, size);
    return EXIT_SUCCESS;
}

/* The empty input, and every input of one byte: some programs take the first byte as the kind of the rest. */
static void shortest_inputs(void)
{
    fuzz_input(NULL, 0);
    for (unsigned first = 0; first < 256; first++) {
        const uint8_t byte = (uint8_t)first;
        fuzz_input(&byte, 1);
    }
}

int main(int argc, char **argv)
{
    int first = argc >= 4 && strcmp(argv[1], "-w") == 0 ? 3 : 2, status = EXIT_SUCCESS;
    if (first == 3 || (argc >= 3 && strcmp(argv[1], "-n") == 0)) {
        folder = first == 3 ? argv[2] : NULL;
        if (folder == NULL) {
            shortest_inputs();
        }
        fuzz_random(strtoull(argv[first], NULL, 10), argc > first + 1 ? strtoull(argv[first + 1], NULL, 10) : 1);
        return EXIT_SUCCESS;
    }
    for (int i = 1; i < argc; i++) {
        status = run_file(argv[i]) == EXIT_SUCCESS ? status : EXIT_FAILURE;
    }
    return status;
}

#endif
