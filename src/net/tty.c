/* SPDX-License-Identifier: MIT */
#include "net/tty.h"

#include <asm/termbits.h>
#include <string.h>
#include <sys/ioctl.h>

int tty_make_raw(int fd, unsigned rate, unsigned *got)
{
	struct termios2 t;

	if (ioctl(fd, TCGETS2, &t) != 0)
		return -1;
	t.c_iflag = IGNBRK;
	t.c_oflag = 0;
	t.c_lflag = 0;
	t.c_cflag = CS8 | CREAD | CLOCAL | BOTHER | (BOTHER << IBSHIFT);
	t.c_ispeed = t.c_ospeed = rate;
	memset(t.c_cc, 0, sizeof(t.c_cc));
	t.c_cc[VMIN] = 1;
	if (ioctl(fd, TCSETS2, &t) != 0 || ioctl(fd, TCGETS2, &t) != 0)
		return -1;
	*got = t.c_ospeed;
	return 0;
}

int tty_release_lines(int fd)
{
	const int both = TIOCM_DTR | TIOCM_RTS;

	return ioctl(fd, TIOCMBIC, &both);
}

int tty_raise_rts(int fd)
{
	const int rts = TIOCM_RTS;

	return ioctl(fd, TIOCMBIS, &rts);
}

void tty_claim(int fd)
{
	ioctl(fd, TIOCEXCL);
}

void tty_give_back(int fd)
{
	ioctl(fd, TIOCNXCL);
}
