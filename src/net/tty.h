/* SPDX-License-Identifier: MIT */
/*
 * A descriptor of a tty as a serial line: any rate (termios2), raw, DTR and
 * RTS. By itself, since the kernel's struct termios2 and libuv's headers cannot
 * stand in one file.
 */
#ifndef NET_TTY_H
#define NET_TTY_H

#include "base/base.h"

/*
 * 8N1, no flow control, no echo, DTR stays at the end. *got is the rate that the
 * driver chose. 0, or -1 and errno.
 */
int tty_make_raw(int fd, unsigned rate, unsigned *got);
/* DTR and RTS go in one request: one by one would reset a board. */
int tty_release_lines(int fd);
int tty_raise_rts(int fd);
/* No other process opens it from now on; and may again. */
void tty_claim(int fd);
void tty_give_back(int fd);

#endif
