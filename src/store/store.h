/* What store/ shares between its files. */
#ifndef BINADE_SRC_STORE_H
#define BINADE_SRC_STORE_H

#include <binade/store.h>

/* Fails with `what` and the system's words for an error number: "cannot be read: Permission denied". */
bnd_status bndi_fail_system(bnd_error *why, const char *what, int number);

/* What elements of this descr (between quotes in the header) are: sets descr, kind, element_size and big_endian. `at`
 * is where it stands, for the message. */
bnd_status bndi_npy_element(bnd_npy *out, const char *descr, size_t length, size_t at, bnd_error *why);

/* Elements and bytes from the shape and the size of an element; refused where no file could hold them. */
bnd_status bndi_npy_count(bnd_npy *npy, bnd_error *why);

#endif
