/* The number of elements of a shape. */
#include "store/store.h"

bool bndi_count_elements(uint64_t *count, const uint64_t *shape, size_t rank, uint64_t most)
{
    uint64_t product = 1;
    bool empty = false;
    for (size_t i = 0; i < rank; i++) {
        uint64_t extent = shape[i];
        empty = empty || extent == 0;
        if (extent > 0 && product > most / extent) {
            return false;
        }
        product *= extent > 0 ? extent : 1;
    }
    *count = empty ? 0 : product;
    return true;
}

/* Elements and bytes from the shape. */
bnd_status bndi_npy_count(bnd_npy *npy, bnd_error *why)
{
    uint64_t count;
    if (!bndi_count_elements(&count, npy->shape, npy->rank, (uint64_t)INT64_MAX / npy->element_size)) {
        return bnd_fail(why, BND_BAD_FILE, 0, "the shape has more elements than a file can hold");
    }
    npy->count = count;
    npy->data_size = count * npy->element_size;
    return BND_OK;
}
