/* How many elements a shape has. */
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
