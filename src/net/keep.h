/* SPDX-License-Identifier: MIT */
/*
 * What boards make us keep: a folder that the user named, a name for the next
 * file, and how much of a disk is left alone (doc/security.md).
 */
#ifndef NET_KEEP_H
#define NET_KEEP_H

#include "base/error.h"

/* Of the file system of a folder, in bytes. */
struct disk_space {
	uint64_t all, left; /* for a user without privileges */
};
/* 0, or errno. */
int disk_space(const char *folder, struct disk_space *out);
/* So much stays free: a tenth, but no more than 256 MB. */
uint64_t disk_reserve(const struct disk_space *space);

/*
 * It is there and can be written to; made if it was not, with this mode (the
 * umask heeded; folders above it with 0755). -1 (ERR_OUTPUT, code errno):
 * option names it in the error.
 */
int keep_folder(const char *option, const char *folder, unsigned mode,
		struct error *err);
/*
 * FOLDER/YYYYMMDD-HHMMSS-NNN-DEVICE.SUFFIX, local time, another one each time;
 * yours. Of device, which anybody may have chosen, letters and digits stay.
 */
char *keep_name(const char *folder, unsigned *number, const char *device,
		const char *suffix);

#endif
