/* standin.h - ASCII stand-ins for the characters that screens are drawn with. */
#ifndef DPKGTOP_SCREEN_STANDIN_H
#define DPKGTOP_SCREEN_STANDIN_H

#include <stdint.h>

/* One printable ASCII character for any code point: '?' where nothing looks like it. */
char standin_of(uint32_t point);

#endif
