/* Tensors in .npy files. Files are not trusted: store/ checks the header, and codes are checked here before they become
 * a tensor's. */
#include "tensor/files.h"
#include "tensor/reader.h"

/* A file that is open, and what is in it. */
typedef struct source {
    bnd_lab_mapped map;
    bnd_npy npy;
    bnd_format format; /* of the codes, or of the numbers that integers are read as */
    bndi_shape shape;
    bool integers;
} source;

static bnd_status read_header(bnd_npy *npy, const bnd_lab_mapped *map, bnd_error *why)
{
    size_t size = 0, start = map->size < BND_NPY_START ? map->size : BND_NPY_START;
    bnd_status status = bnd_npy_measure(&size, map->bytes, start, map->size, why);
    if (status == BND_OK) {
        status = bnd_npy_parse(npy, map->bytes, size, why);
    }
    return status == BND_OK ? bnd_npy_check_size(npy, map->size, why) : status;
}

static bnd_status find_format(source *s, const bnd_format *asked, bnd_role role, bnd_error *why)
{
    s->integers = s->npy.kind == BND_NPY_INTEGER && asked == NULL;
    if (!s->integers) {
        return bnd_npy_format(&s->format, &s->npy, asked, why);
    }
    s->format = *bnd_lab_format_of_words(s->npy.element_size <= 2 ? BNDI_WORDS_32 : BNDI_WORDS_64);
    return role == BND_ROLE_DATA
               ? BND_OK
               : bnd_fail(why, BND_BAD_ARGUMENT, 0,
                          "its elements are integers ('%s'): load them as data, or name the format of these codes",
                          s->npy.descr);
}

static bnd_status find_shape(source *s, bnd_error *why)
{
    size_t extent[BND_TENSOR_RANK_MAX] = {0};
    if (s->npy.rank > BND_TENSOR_RANK_MAX) {
        return bnd_fail(why, BND_BAD_FILE, 0, "it has %zu dimensions; the limit for a tensor is %d", s->npy.rank,
                        BND_TENSOR_RANK_MAX);
    }
    for (size_t i = 0; i < s->npy.rank; i++) {
        extent[i] = (size_t)s->npy.shape[i];
    }
    return bndi_shape_make(&s->shape, extent, s->npy.rank, why);
}

/* ---- into tensors ---- */

static size_t word_size(const source *s)
{
    return s->npy.element_size;
}

/* Does a tensor's memory look as this file does? */
static bool lies_as_a_tensor(const source *s)
{
    bool packed = !s->integers && bnd_lab_storage_of(&s->format, BND_PACKING_PACKED).packed;
    return !packed && !s->npy.big_endian && !BNDI_BIG_ENDIAN && s->npy.header_size % word_size(s) == 0;
}

static bnd_status check_codes(const source *s, const void *words, size_t at, size_t n, bnd_error *why)
{
    uint8_t packing = (uint8_t)bnd_npy_packing(&s->format);
    bnd_array how = {.first = at, .packing_in = packing, .packing_out = packing};
    return s->integers ? BND_OK : bnd_codes_check(words, n, &s->format, &how, why);
}

static void say_integers(bndi_buffer *buffer, const source *s)
{
    buffer->integer = s->integers ? s->npy.element_size : 0;
    buffer->is_signed = s->integers && s->npy.descr[1] == 'i';
    buffer->constant = buffer->constant || s->integers;
}

/* On success the map is the tensor's. */
static bnd_status map_tensor(bnd_tensor **out, bnd_engine *engine, source *s, bnd_role role, bnd_error *why)
{
    bndi_buffer *buffer;
    bnd_status status = check_codes(s, s->map.bytes + s->npy.header_size, 0, (size_t)s->npy.count, why);
    if (status == BND_OK) {
        status = bndi_buffer_mapped(&buffer, engine, role, &s->map, s->npy.header_size, why);
    }
    if (status != BND_OK) {
        return status;
    }
    s->map = (bnd_lab_mapped){.size = 0};
    say_integers(buffer, s);
    return bndi_tensor_over(out, buffer, &s->format, &s->shape, why);
}

/* The elements in the order of the file. */
static bnd_status copy_elements(bnd_tensor *t, const source *s, bnd_error *why)
{
    bndi_walk walk;
    bndi_numbers words;
    size_t n = (size_t)s->npy.count, size = word_size(s);
    const unsigned char *from = s->map.bytes + s->npy.header_size;
    bnd_status status = BND_OK;
    bndi_walk_open(&walk, t, &t->shape, BNDI_WORDS_64);
    for (size_t at = 0; status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        __builtin_memcpy(&words, from + at * size, m * size);
        if (s->npy.big_endian) {
            bnd_lab_swap(&words, (unsigned)size, m);
        }
        status = check_codes(s, &words, at, m, why);
        if (status == BND_OK) {
            bndi_write_codes(&walk, at, m, &words);
        }
    }
    return status;
}

static bnd_status copy_tensor(bnd_tensor **out, bnd_engine *engine, const source *s, bnd_role role, bnd_error *why)
{
    bnd_tensor *t;
    bndi_buffer *buffer;
    size_t count = (size_t)s->npy.count;
    size_t bytes = s->integers ? count * word_size(s) : bnd_codes_size(&s->format, count, BND_PACKING_PACKED);
    bnd_status status = bndi_buffer_new(&buffer, engine, role, bytes, true, why);
    if (status != BND_OK) {
        return status;
    }
    say_integers(buffer, s);
    status = bndi_tensor_over(&t, buffer, &s->format, &s->shape, why);
    if (status == BND_OK) {
        status = copy_elements(t, s, why);
        if (status != BND_OK) {
            bndi_drop(t);
            return status;
        }
        *out = t;
    }
    return status;
}

/* The first axis is the one whose elements stand side by side. */
static void turn_to_fortran_order(bnd_tensor *t)
{
    size_t step = 1;
    for (size_t i = 0; i < t->shape.rank; i++) {
        t->stride[i] = (ptrdiff_t)step;
        step *= t->shape.extent[i] > 0 ? t->shape.extent[i] : 1;
    }
}

bnd_status bnd_tensor_load(bnd_tensor **out, bnd_engine *engine, const char *path, const bnd_format *asked,
                           bnd_role role, bnd_error *why)
{
    source s = {.integers = false};
    bnd_tensor *t;
    if ((unsigned)role >= BND_ROLE_COUNT) {
        return bnd_fail(why, BND_BAD_ARGUMENT, 0, "%d is not a role of a tensor", (int)role);
    }
    bnd_status status = bnd_lab_map_open(&s.map, path, why);
    if (status != BND_OK) {
        return status;
    }
    status = read_header(&s.npy, &s.map, why);
    if (status == BND_OK) {
        status = find_format(&s, asked, role, why);
    }
    if (status == BND_OK) {
        status = find_shape(&s, why);
    }
    if (status == BND_OK) {
        status = role == BND_ROLE_DATA && lies_as_a_tensor(&s) ? map_tensor(&t, engine, &s, role, why)
                                                               : copy_tensor(&t, engine, &s, role, why);
    }
    bnd_lab_map_close(&s.map);
    if (status != BND_OK) {
        return status;
    }
    if (s.npy.fortran_order) {
        turn_to_fortran_order(t);
    }
    bndi_owe(t);
    *out = t;
    return BND_OK;
}

/* ---- out of tensors ---- */

bnd_status bndi_write_elements(const bnd_lab_output *file, const bnd_tensor *t, size_t word, bnd_error *why)
{
    bndi_walk walk;
    bndi_numbers buffer;
    size_t n = bndi_count(&t->shape);
    bool is_fp64 = t->format.row >= 0 && t->format.row == bnd_lab_format_of_words(BNDI_WORDS_64)->row;
    bnd_status status = BND_OK;
    bndi_walk_open(&walk, t, &t->shape, is_fp64 ? BNDI_WORDS_64 : BNDI_WORDS_32);
    if (walk.plain && n > 0 && !BNDI_BIG_ENDIAN) { /* in one write */
        return bnd_lab_output_write(file, bndi_plain_place(&walk, 0), n * word, why);
    }
    for (size_t at = 0; status == BND_OK && at < n; at += BNDI_TENSOR_CHUNK) {
        size_t m = n - at < BNDI_TENSOR_CHUNK ? n - at : BNDI_TENSOR_CHUNK;
        const void *words = walk.integer ? bndi_read(&walk, at, m, &buffer) : bndi_read_codes(&walk, at, m, &buffer);
        status = bnd_lab_output_write(file, words, m * word, why);
    }
    return status;
}

bnd_status bnd_tensor_save(const bnd_tensor *t, const char *path, bnd_error *why)
{
    enum { HEADER = 1024 }; /* BND_TENSOR_RANK_MAX extents of 20 digits, and the text around them */
    char header[HEADER];
    bnd_npy npy = {.rank = 0};
    bnd_lab_output file;
    bnd_status status = bndi_check_tensor(t, why);
    if (status != BND_OK) {
        return status;
    }
    npy.rank = t->shape.rank;
    for (size_t i = 0; i < npy.rank; i++) {
        npy.shape[i] = t->shape.extent[i];
    }
    status = bnd_npy_describe(&npy, &t->format, why);
    if (status == BND_OK) {
        status = bnd_lab_output_open(&file, path, why);
    }
    if (status != BND_OK) {
        return status;
    }
    size_t size = bnd_npy_print(header, HEADER, &npy);
    status = bnd_lab_output_write(&file, header, size, why);
    if (status == BND_OK) {
        status = bndi_write_elements(&file, t, npy.element_size, why);
    }
    if (status != BND_OK) {
        bnd_lab_output_abandon(&file);
        return status;
    }
    return bnd_lab_output_finish(&file, true, why);
}
