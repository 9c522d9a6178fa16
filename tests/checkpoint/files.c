/* Small checkpoints in the test's folder. */
#include "files.h"
#include "gguf_bytes.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_text(const char *name, const char *text)
{
    char path[PATH_SIZE];
    write_file(in_folder(path, name), text, strlen(text));
}

void put_shard(const char *name, const char *header, size_t data)
{
    char path[PATH_SIZE];
    size_t length = strlen(header);
    unsigned char *bytes = calloc(1, 8 + length + data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    bytes[0] = (unsigned char)length;
    bytes[1] = (unsigned char)(length >> 8);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data; i++) {
        bytes[8 + length + i] = (unsigned char)i;
    }
    write_file(in_folder(path, name), bytes, 8 + length + data);
    free(bytes);
}

void take_report(void *state, const char *code, const char *where, const char *message)
{
    reports *r = state;
    size_t length = strlen(r->text);
    snprintf(r->text + length, sizeof r->text - length, "%s %s; ", code, where);
    r->count++;
    CU_ASSERT_TRUE(message[0] != '\0');
}

bnd_checkpoint *open_named(const char *name, reports *out, bnd_error *why)
{
    char path[PATH_SIZE];
    bnd_checkpoint *c = NULL;
    if (out != NULL) {
        *out = (reports){.count = 0};
    }
    bnd_status status = bnd_checkpoint_new(&c, in_folder(path, name), out != NULL ? take_report : NULL, out, why);
    CU_ASSERT_TRUE((status == BND_OK) == (c != NULL));
    return c;
}

void put_two_shards(void)
{
    put_shard("1.safetensors", SHARD_1, 16);
    put_shard("2.safetensors", SHARD_2, 8);
    put_text("model.safetensors.index.json", INDEX_OF("24", LINES));
}

void put_other_kinds(void)
{
    static const char npy[] =
        "\x93NUMPY\x01\0\x3a\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n12345678";
    char path[PATH_SIZE];
    gguf_bytes g;
    gguf_good(&g);
    write_file(in_folder(path, "m.gguf"), g.bytes, g.size);
    write_file(in_folder(path, "w.npy"), npy, sizeof npy - 1);
}
