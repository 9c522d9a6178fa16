/* The WebAssembly of the npm package: the number wing, and the few files of this folder, which let JavaScript call it
 * over its memory. JavaScript puts text and arrays into memory that it takes (memory.c), calls, and reads the answer:
 * one structure, one text and one error at fixed places. Nothing here is a C library: memory.c has what the wing
 * needs. */
#ifndef BINADE_NPM_CORE_H
#define BINADE_NPM_CORE_H

#include <binade.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- memory.c: a stack of memory; a call of the package gives back all that it took ---- */

void *core_take(size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t n);

/* ---- answer.c: what a call leaves for JavaScript ---- */

enum { CORE_INTEGERS = 24 };

/* tools/npm/lib/core.js reads the members at these places. */
typedef struct core_answer {
    uint64_t code;
    double value;    /* the nearest double */
    double relative; /* (value - number) / number; NaN if there is none */
    uint32_t flags;
    int32_t ternary;
    uint32_t kind; /* bnd_class */
    uint32_t has_error;
    int32_t integers[CORE_INTEGERS];
} core_answer;

extern core_answer core_answered;
extern bnd_error core_error;

/* The text of an answer: parts that end with a line feed. Each part is printed by one of the library's calls, which
 * return the length of the whole text:
 *     do { out = core_room(&size); } while (core_again(bnd_print_...(out, size, ...))); */
void core_begin(void);
char *core_room(size_t *size);
bool core_again(size_t length);
void core_put(const char *text);

/* The value in a format, with what rounding said of it: code, double, all digits, bits and hexadecimal code. */
void core_tell(const bnd_format *f, bnd_exact value, uint32_t flags, int32_t ternary);

/* ---- names.c: formats and rules that JavaScript has named, by slot ---- */

enum { CORE_SLOTS = 256 };

const bnd_format *core_format(uint32_t slot);
bnd_rule core_rule(uint32_t slot);

/* Copies names that JavaScript wrote, to end them with a 0 byte. NULL, with core_error set, if there is no memory, or
 * if one of the bytes is 0 already. */
const char *core_text(const char *text, size_t length);
bnd_status core_no_memory(void);

#endif
