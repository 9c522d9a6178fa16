/* Any bytes as the checkpoint of a small run; behind a T as a training in JSON, behind an R as a recipe. What is
 * accepted must hold its promises, and the program aborts where it does not. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "train/train.h"

enum { ROOM = 64, HEADER = 8 };

/* ---- a run, and what it is on the disk ---- */

static bnd_run *new_run(const char *recipe)
{
    bnd_training t;
    bnd_run *run = NULL;
    require(bnd_training_default(&t, "mlp", "adamw", recipe, NULL) == BND_OK, "there is such a training");
    t.inputs = 2;
    t.width = 3;
    t.depth = 1;
    t.batch = 2;
    require(bnd_run_new(&run, &t, NULL, NULL) == BND_OK, "there is such a run");
    return run;
}

static uint8_t *saved(size_t *size, const bnd_run *run)
{
    static const char summed[] = "binade.checksum";
    char path[ROOM];
    bnd_lab_mapped map;
    snprintf(path, sizeof path, "%s/binade-fuzz-%ld.safetensors", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid());
    require(bnd_run_save(run, path, NULL) == BND_OK, "a run can be saved");
    require(bnd_lab_map_open(&map, path, NULL) == BND_OK, "what was saved can be read");
    uint8_t *bytes = tight_copy(map.bytes, map.size);
    *size = map.size;
    bnd_lab_map_close(&map);
    for (size_t i = 0; i + sizeof summed - 1 <= *size; i++) { /* without its checksum, so that changes are looked at */
        bytes[i] = memcmp(bytes + i, summed, sizeof summed - 1) == 0 ? 'B' : bytes[i];
    }
    require(unlink(path) == 0, "a file goes away");
    return bytes;
}

static bnd_status load(bnd_run *run, const uint8_t *bytes, size_t size, bnd_error *why)
{
    bnd_safetensors *file = NULL;
    bnd_status status = bnd_safetensors_new_of_bytes(&file, bytes, size, why);
    if (status == BND_OK) {
        status = bndi_run_load_from(run, file, why);
        bnd_safetensors_free(file);
    }
    return status;
}

static uint64_t digest(const bnd_run *run)
{
    uint64_t sum = run->step * 31 + run->good_steps;
    for (size_t i = 0; i < run->parameters; i++) {
        bndi_parameter p = run->parameter[i];
        for (size_t row = 0; row < BNDI_KEPT; row++) {
            const bnd_tensor *t = *bndi_kept_of(&p, row);
            for (size_t k = 0; t != NULL && k < t->buffer->bytes; k++) {
                sum = (sum ^ t->buffer->data[k]) * 1099511628211u;
            }
        }
    }
    return sum;
}

/* What was loaded can be saved, and loaded again to the same; and the run goes on. */
static void require_loaded(bnd_run *run)
{
    size_t size, again_size;
    bnd_step step;
    uint8_t *bytes = saved(&size, run);
    require(load(run, bytes, size, NULL) == BND_OK, "what was saved can be loaded");
    uint8_t *again = saved(&again_size, run);
    require(size == again_size && memcmp(bytes, again, size) == 0, "it is the same again");
    require(bnd_run_step(&step, run, NULL) == BND_OK, "the run goes on");
    free(bytes);
    free(again);
}

static void try_checkpoint(const uint8_t *bytes, size_t size)
{
    static const char *const recipes[] = {"bf16-kahan", "fp32"};
    for (size_t i = 0; i < 2; i++) {
        bnd_run *run = new_run(recipes[i]);
        bnd_error why = {.status = BND_OK};
        uint64_t before = digest(run);
        bnd_status status = load(run, bytes, size, &why);
        if (status == BND_OK) {
            require_loaded(run);
        } else {
            require(why.status == status && why.message[0] != '\0', "a refusal says why");
            require(digest(run) == before, "a refusal changes nothing");
        }
        bnd_run_free(run);
    }
}

/* ---- words ---- */

/* What is read is written, and read again to the same words. */
static void try_training(const char *text, size_t size)
{
    enum { MOST = 1 << 15 };
    static char words[2][MOST];
    bnd_training t = {.steps = 77};
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_training_read_n(&t, text, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(t.steps == 77, "a refusal changes nothing");
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t length = bnd_training_print(words[i], MOST, &t);
        require(length < MOST, "words end");
        require(bnd_training_read_n(&t, words[i], length, NULL) == BND_OK, "what is written is read");
    }
    require(strcmp(words[0], words[1]) == 0, "it is the same again");
}

static void try_recipe(const char *text, size_t size)
{
    char words[BND_POLICY_TEXT_SIZE];
    bnd_policy p = {.name = "before"}, again;
    bnd_error why = {.status = BND_OK};
    bnd_status status = bnd_recipe_read_n(&p, text, size, &why);
    if (status != BND_OK) {
        require_explained(status, &why, size);
        require(strcmp(p.name, "before") == 0, "a refusal changes nothing");
    } else if (bnd_policy_text(words, sizeof words, &p, NULL) == BND_OK) {
        require(bnd_policy_parse(&again, words, NULL) == BND_OK && bnd_policy_same(&again, &p), "words say it");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && (data[0] == 'T' || data[0] == 'R')) {
        char *copy = tight_copy(data + 1, size - 1);
        (data[0] == 'T' ? try_training : try_recipe)(copy, size - 1);
        free(copy);
        return 0;
    }
    uint8_t *copy = tight_copy(data, size);
    try_checkpoint(copy, size);
    free(copy);
    return 0;
}

/* ---- inputs of its own ---- */

static const char alphabet[] = "{}[],:\"\\0123456789 -.eFUm\n_\xff";

/* Up to five bytes of data[from] .. data[to - 1] are others; one time in six none. */
static void change(uint8_t *data, size_t from, size_t to, uint64_t seed, uint64_t i)
{
    for (uint64_t k = bnd_random(seed, i, 1) % 6; k > 0; k--) {
        uint64_t r = bnd_random(seed, i, 1 + k);
        data[from + r % (to - from)] =
            r >> 61 == 0 ? (uint8_t)(r >> 32) : (uint8_t)alphabet[(r >> 32) % (sizeof alphabet - 1)];
    }
}

static void text_input(uint64_t seed, uint64_t i)
{
    static const char *const texts[] = {
        "T{\"model\": \"mlp\", \"optimizer\": \"adamw\", \"recipe\": \"base=bf16-amp,v=e5m2\", \"lr\": 1e-3}",
        "T{\"recipe\":\"fp32\",\"seed_data\":18446744073709551615,\"optimizer\":\"sgd\",\"model\":\"mlp\"}",
        "R{\"base\": \"bf16-amp\", \"v\": \"e5m2\", \"dact\": \"e4m3:sr\", \"name\": \"mine\"}",
        "R{\"update\":\"kahan\",\"base\":\"fp16-pure\",\"loss_scale\":1024,\"m\":\"e4m3/tile:1x128\"}",
    };
    uint8_t data[256];
    const char *text = texts[bnd_random(seed, i, 20) % 4];
    size_t length = strlen(text);
    memcpy(data, text, length);
    change(data, 1, length, seed, i);
    fuzz_input(data, length - (bnd_random(seed, i, 21) % 16 == 0 ? bnd_random(seed, i, 22) % length : 0));
}

/* Seven of eight inputs are texts; the others a checkpoint, changed in its header, sometimes in its numbers, or cut. */
void fuzz_random(uint64_t count, uint64_t seed)
{
    static const char *const recipes[] = {"fp32", "bf16-kahan", "base=fp8-lm,gemm_fwd.x=e4m3/delayed:2", "fp16-amp"};
    uint8_t *files[4];
    size_t sizes[4];
    for (size_t k = 0; k < 4; k++) {
        bnd_step step;
        bnd_run *run = new_run(recipes[k]);
        require(bnd_run_step(&step, run, NULL) == BND_OK, "a run makes a step");
        files[k] = saved(&sizes[k], run);
        bnd_run_free(run);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i % 8 != 0) {
            text_input(seed, i);
            continue;
        }
        size_t k = (size_t)(bnd_random(seed, i, 0) % 4), header = HEADER + files[k][0] + 256u * files[k][1];
        uint8_t *data = tight_copy(files[k], sizes[k]);
        bool in_numbers = bnd_random(seed, i, 10) % 8 == 0;
        change(data, in_numbers ? header : HEADER, in_numbers ? sizes[k] : header, seed, i);
        fuzz_input(data, sizes[k] - (bnd_random(seed, i, 11) % 16 == 0 ? bnd_random(seed, i, 12) % sizes[k] : 0));
        free(data);
    }
    for (size_t k = 0; k < 4; k++) {
        free(files[k]);
    }
}
