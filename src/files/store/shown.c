/* How messages show names that come from files. */
#include "store/store.h"

#include <string.h>

/* Control characters would do things to a terminal: each byte of one is a '?'. Those from U+0080 to U+009F have two
 * bytes, 0xc2 first. */
const char *bndi_shown(char out[BNDI_SHOWN], const char *name)
{
    static const char dots[] = "...";
    size_t length = strlen(name), most = BNDI_SHOWN - sizeof dots;
    bool cut = length > most;
    for (length = cut ? most : length; cut && length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--) {
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i], before = i > 0 ? (unsigned char)name[i - 1] : 0;
        bool controls = c < ' ' || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0);
        out[i] = name[i];
        if (controls) {
            out[i] = '?';
            out[i - (before == 0xc2)] = '?';
        }
    }
    memcpy(out + length, cut ? dots : "", cut ? sizeof dots : 1);
    return out;
}
