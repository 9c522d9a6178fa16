/* store/: headers of .npy, .safetensors, and files. */
#include "tests.h"
#include "tests/support/suites.h"

#include <string.h>
#include <stdlib.h>

npy_bytes npy_header(unsigned version, const char *text)
{
    npy_bytes h = {.bytes = "\x93NUMPY"};
    size_t length = strlen(text), start = version == 1 ? 10 : 12;
    h.bytes[6] = (unsigned char)version;
    for (size_t i = 8; i < start; i++) {
        h.bytes[i] = (unsigned char)(length >> 8 * (i - 8));
    }
    memcpy(h.bytes + start, text, length);
    h.size = start + length;
    return h;
}

/* As a caller does it: first the size, then the whole. A copy of just that size lets sanitizers see a byte too many. */
bnd_status npy_read(bnd_npy *out, const npy_bytes *header, bnd_error *why)
{
    size_t size = 0;
    size_t start = header->size < BND_NPY_START ? header->size : BND_NPY_START;
    bnd_status status = bnd_npy_measure(&size, header->bytes, start, header->size, why);
    if (status != BND_OK) {
        return status;
    }
    unsigned char *copy = malloc(size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, header->bytes, size);
    status = bnd_npy_parse(out, copy, size, why);
    free(copy);
    return status;
}

int main(void)
{
    CU_SuiteInfo suites[] = {
        SUITE("npy read", read_tests),
        SUITE("npy refused", refused_tests),
        SUITE("npy written", write_tests),
        SUITE("files", file_tests),
        SUITE("json written", json_writer_tests),
        SUITE("answers", answer_line_tests),
        SUITE("safetensors read", safetensors_tests),
        SUITE("safetensors refused", safetensors_refused_tests),
        SUITE("safetensors written", safetensors_write_tests),
        CU_SUITE_INFO_NULL,
    };
    return run_suites(suites);
}
