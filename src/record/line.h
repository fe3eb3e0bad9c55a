/* line.h - what writer and reader of a recording share. */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

/* Longer lines are neither written nor read, so that a foreign file can not take the memory. A
 * full sample of 2000 processes fits. */
#define LINE_ROOM (1024 * 1024)

#endif
