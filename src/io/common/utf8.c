/* UTF-8, checked byte by byte. */
#include "io/common/utf8.h"

#include <stdbool.h>
#include <stdint.h>

int tp_utf8_length(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int length = text[0] < 0x80 ? 1 : text[0] < 0xC0 ? 0 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if (length == 0 || text[0] > 0xF4) return 0;
    if (length == 1) return text[0] >= 0x20 && text[0] != 0x7F ? 1 : 0;
    uint32_t code = text[0] & (0xFFu >> (length + 1));
    for (int k = 1; k < length; k++) {
        if ((text[k] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[k] & 0x3F);
    }
    bool is_none = (code >= 0xD800 && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF; /* no characters */
    return code >= least[length] && code <= 0x10FFFF && !is_none ? length : 0;
}

const char *tp_utf8_next(const char **text_io, size_t *count_out)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const char *from = *text_io;
    int length = tp_utf8_length((const unsigned char *)from);
    *text_io += length > 0 ? length : 1;
    *count_out = length > 0 ? (size_t)length : sizeof replacement - 1;
    return length > 0 ? from : replacement;
}
