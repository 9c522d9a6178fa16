/* Where the page is: one HTML file, which shows what the commands answer. */
#ifndef BINADE_TOOLS_PAGE_H
#define BINADE_TOOLS_PAGE_H

#include "print.h"
#include <binade-lab/calc.h>

/* The path of the page, absolute, to be freed: BINADE_PAGE in the environment if it is a path; tools/page/binade.html
 * in the build folder if this program runs there and the page is built; else the installed page. The file may be
 * missing. */
char *page_path(void);

/* What to do where it is missing; the path. */
#define PAGE_MISSING                                                                                                   \
    "%s is missing: the page is not installed. Use a release, build it with 'make page' (clang, lld, wasi-libc, node " \
    "and esbuild), or name its file in BINADE_PAGE"

/* The same as an address, to be freed: "file:///usr/local/share/binade/binade.html". A BINADE_PAGE that is an address
 * ("https://...") stays as it is. */
char *page_address(void);

/* Does the page evaluate the operation where operands and result are quotients of integers? It evaluates no expression
 * with another value. */
bool page_has_operation(bnd_operation operation);

/* Does the page evaluate the text, which is a value for `show`? */
bool page_evaluates(const char *text, size_t length);

/* Adds UTF-8 text percent-encoded, as links have it: letters, digits, - . _ ~ and the characters of `plain` stay. */
void add_encoded(long_text *out, const char *text, const char *plain);

#endif
