/* What the files of relayout share: a plan of tensors one to one with those of the input. */
#ifndef BINADE_SRC_CONVERT_RELAYOUT_H
#define BINADE_SRC_CONVERT_RELAYOUT_H

#include "convert/how.h"
#include "convert/text.h"

typedef enum bndi_relay {
    BNDI_RELAY_COPY,      /* the same bytes */
    BNDI_RELAY_SWAP,      /* the two codes of a byte change places */
    BNDI_RELAY_CAST,      /* scales in another format, exactly */
    BNDI_RELAY_UNSWIZZLE, /* scales in the order of the elements, from that of cuBLAS */
    BNDI_RELAY_SWIZZLE,   /* and the other way */
    BNDI_RELAY_NUMBERS    /* fp32 numbers that are given: reciprocals */
} bndi_relay;

/* A tensor of the output. */
typedef struct bndi_relaid {
    const bnd_stored_weight *weight;
    const bnd_stored_tensor *from;
    bndi_relay kind;
    bnd_format in, out; /* of scales that are cast */
    float *numbers;
} bndi_relaid;

enum { BNDI_SCHEMES_MOST = 8 };

typedef struct bndi_relayout_plan {
    const bnd_checkpoint *in;
    const bnd_relayout *how;
    bnd_layout_family family;
    bool restores;                       /* the input was made by relayout from this family */
    const bnd_layout **layouts;          /* of each weight in the output; NULL: it stays */
    const bnd_layout *from;              /* of the first weight that is laid out anew */
    bndi_how schemes[BNDI_SCHEMES_MOST]; /* what the config says */
    size_t scheme_count;
    unsigned char *scheme_of; /* each weight that is laid out anew */
    const char *scale_dtype;  /* of restored scales, or NULL */
    const char *input_dtype;  /* and of input scales */
    const char *code_dtype;   /* and of codes */
    bndi_relaid *relaid;
    bnd_planned *tensors;
    char **names;
    size_t count;
    bndi_long_text originals; /* numbers whose reciprocals do not come back */
    bnd_relayout_result result;
} bndi_relayout_plan;

/* Keys of the metadata. */
#define BNDI_RELAY_PREFIX    "binade.relayout."
#define BNDI_RELAY_FROM      BNDI_RELAY_PREFIX "from"
#define BNDI_RELAY_FAMILY    BNDI_RELAY_PREFIX "family"
#define BNDI_RELAY_SCALES    BNDI_RELAY_PREFIX "scale_dtype"
#define BNDI_RELAY_INPUTS    BNDI_RELAY_PREFIX "input_dtype"
#define BNDI_RELAY_CODES     BNDI_RELAY_PREFIX "code_dtype"
#define BNDI_RELAY_ORIGINALS BNDI_RELAY_PREFIX "originals"
#define BNDI_RELAY_WAS       BNDI_RELAY_PREFIX "was."
#define BNDI_RELAY_TEXT      BNDI_RELAY_PREFIX "text."

/* Is it one of the words of a list with blanks between them? NULL: an empty list. */
bool bndi_is_listed(const char *list, const char *word);

/* The family of layouts that was asked for, and whether the input came from it. */
BND_CHECKED bnd_status bndi_relayout_family(bndi_relayout_plan *plan, bnd_error *why);

/* The layout of each weight, and what the config says. */
BND_CHECKED bnd_status bndi_relayout_choose(bndi_relayout_plan *plan, bnd_error *why);

/* Plans all tensors. bndi_relayout_plan_free releases the plan, also after a failure. */
BND_CHECKED bnd_status bndi_relayout_plan_make(bndi_relayout_plan *plan, bnd_error *why);
void bndi_relayout_plan_free(bndi_relayout_plan *plan);

/* What stands around the tensors: metadata and other files. */
typedef struct bndi_relayout_around {
    bnd_safetensors_pair *pairs;
    size_t pair_count;
    bnd_side_file *side;
    size_t side_count;
    char **owned;
    size_t owned_count;
    bndi_long_text config, second, quantization;
} bndi_relayout_around;
BND_CHECKED bnd_status bndi_relayout_around_make(bndi_relayout_around *around, const bndi_relayout_plan *plan,
                                                 const char *path, bnd_error *why);
void bndi_relayout_around_free(bndi_relayout_around *around);

#endif
