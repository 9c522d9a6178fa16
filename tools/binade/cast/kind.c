/* binade cast: recognises files of other kinds by their first bytes. Converting their headers as elements would give
 * garbage, so they are refused with advice what to do. */
#include "cast.h"

#include <string.h>
#include <strings.h>

static bool has(const unsigned char *bytes, size_t length, size_t at, const void *magic, size_t size)
{
    return at + size <= length && memcmp(bytes + at, magic, size) == 0;
}

#define BEGINS(magic) has(bytes, length, 0, magic, sizeof magic - 1)

/* ---- by content ---- */

static uint64_t little_endian(const unsigned char bytes[8])
{
    uint64_t value = 0;
    for (unsigned i = 8; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/* The length of a header in 8 bytes, then an object of JSON: {" or {}, blanks allowed. */
static bool is_safetensors(const unsigned char *bytes, size_t length, uint64_t file_size)
{
    enum { HEADER_MAX = 100000000 };
    if (length < 10 || bytes[8] != '{') {
        return false;
    }
    uint64_t header = little_endian(bytes);
    size_t at = 9 + strspn((const char *)bytes + 9, " \t\r\n");
    bool fits = file_size == CAST_UNKNOWN || (file_size >= 8 && header <= file_size - 8);
    return fits && header >= 2 && header <= HEADER_MAX && (bytes[at] == '"' || bytes[at] == '}');
}

/* Protocols 2 to 5, and what their first object begins with. Two bytes alone are in every 16,000th array. */
static bool is_pickle(const unsigned char *bytes, size_t length)
{
    if (length < 4 || bytes[0] != 0x80 || bytes[1] < 2 || bytes[1] > 5) {
        return false;
    }
    if (bytes[1] >= 4) {
        return length >= 11 && bytes[2] == 0x95 && little_endian(bytes + 3) >> 40 == 0; /* a frame and its length */
    }
    bool empty = (bytes[2] == '}' || bytes[2] == ']') && bytes[3] == 'q';
    bool named = bytes[2] == 'c' && bytes[3] >= 'A' && bytes[3] <= 'z';
    return empty || named || has(bytes, length, 2, "\x8a\x0al\xfc\x9c\x46\xf9", 7); /* torch.save before 1.6 */
}

static bool is_gzip(const unsigned char *bytes, size_t length)
{
    return length >= 10 && BEGINS("\x1f\x8b\x08") && bytes[3] < 0x20 && (bytes[8] & 0xf9) == 0;
}

static bool is_zip(const unsigned char *bytes, size_t length)
{
    return BEGINS("PK\3\4") || BEGINS("PK\5\6");
}

/* The name of the first member is at byte 30. numpy's end in .npy; PyTorch's are in a folder with data.pkl. */
static bool first_member_has(const unsigned char *bytes, size_t length, const char *word)
{
    enum { NAME = 30 };
    size_t size = length > NAME ? bytes[26] | (size_t)bytes[27] << 8 : 0, letters = strlen(word);
    size = size <= length - NAME ? size : length - NAME;
    for (size_t at = NAME; size > 0 && at + letters <= NAME + size; at++) {
        if (memcmp(bytes + at, word, letters) == 0) {
            return true;
        }
    }
    return false;
}

static const char member_advice[] = "unzip it and cast the .npy files in it";
static const char torch_advice[] = "save one tensor as .npy (numpy.save of tensor.float().numpy()) and cast that";
static const char tensors_advice[] = "use 'binade quantize IN OUT --to bf16' (or e4m3, nvfp4, ...) for its tensors";
static const char arrays_advice[] = "save one of its arrays as .npy (numpy.save) and cast that";

static cast_kind kind_of_zip(const unsigned char *bytes, size_t length)
{
    if (first_member_has(bytes, length, ".npy")) {
        return (cast_kind){"an .npz file", member_advice};
    }
    if (first_member_has(bytes, length, "data.pkl") || first_member_has(bytes, length, ".format_version")) {
        return (cast_kind){"a file of torch.save", torch_advice};
    }
    return (cast_kind){"a zip archive", "unzip it and cast its files"};
}

typedef struct magic {
    const char *bytes;
    size_t length, at;
    cast_kind kind;
} magic;

#define MAGIC(at, bytes, name, advice)                                                                                 \
    {                                                                                                                  \
        bytes, sizeof bytes - 1, at,                                                                                   \
        {                                                                                                              \
            name, advice                                                                                               \
        }                                                                                                              \
    }

static const magic magics[] = {
    MAGIC(0, "GGUF", "a GGUF file", tensors_advice),
    MAGIC(0, "\x89HDF\r\n\x1a\n", "an HDF5 file", arrays_advice),
    MAGIC(0, "CDF\1", "a NetCDF file", arrays_advice),
    MAGIC(0, "MATLAB 5.0 MAT-file", "a MATLAB file", arrays_advice),
    MAGIC(0, "PAR1", "a Parquet file", arrays_advice),
    MAGIC(0, "ARROW1", "an Arrow file", arrays_advice),
    MAGIC(4, "TFL3", "a TensorFlow Lite file", arrays_advice),
    MAGIC(0, "\x28\xb5\x2f\xfd", "compressed by zstd", "decompress it first (zstd -d)"),
    MAGIC(0, "\xfd\x37zXZ\0", "compressed by xz", "decompress it first (xz -d)"),
    MAGIC(0, "\x04\x22\x4d\x18", "compressed by lz4", "decompress it first (lz4 -d)"),
    MAGIC(4, "1AY&SY", "compressed by bzip2", "decompress it first (bzip2 -d)"),
    MAGIC(257, "ustar", "a tar archive", "unpack it first (tar -xf)"),
};

static const cast_kind none = {NULL, NULL};
static const cast_kind safetensors = {"a .safetensors file", tensors_advice};
static const cast_kind pickle = {"a pickle of Python", torch_advice};

cast_kind cast_kind_of(const unsigned char *bytes, size_t length, uint64_t file_size)
{
    if (is_safetensors(bytes, length, file_size)) {
        return safetensors;
    }
    if (is_zip(bytes, length)) {
        return kind_of_zip(bytes, length);
    }
    if (is_pickle(bytes, length)) {
        return pickle;
    }
    if (is_gzip(bytes, length)) {
        return (cast_kind){"compressed by gzip", "decompress it first (gzip -d)"};
    }
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const magic *m = &magics[i];
        if (has(bytes, length, m->at, m->bytes, m->length)) {
            return m->kind;
        }
    }
    return none;
}

/* ---- by name ---- */

bool cast_name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcasecmp(name + length - tail, ending) == 0;
}

static const struct {
    const char *ending;
    cast_kind kind;
} endings[] = {
    {".safetensors", {"a .safetensors file", tensors_advice}},
    {".gguf", {"a GGUF file", tensors_advice}},
    {".npz", {"an .npz file", member_advice}},
    {".pt", {"a file of torch.save", torch_advice}},
    {".pth", {"a file of torch.save", torch_advice}},
    {".onnx", {"an ONNX model", arrays_advice}},
    {".h5", {"an HDF5 file", arrays_advice}},
    {".gz", {"compressed by gzip", "decompress it first (gzip -d)"}},
    {".zst", {"compressed by zstd", "decompress it first (zstd -d)"}},
};

cast_kind cast_kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (cast_name_ends(name, endings[i].ending)) {
            return endings[i].kind;
        }
    }
    return none;
}
