/* SPDX-License-Identifier: MIT */
/* Folders and names of what boards make us keep. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/keep.h"

#define RESERVE_MAX (UINT64_C(256) << 20)

int disk_space(const char *folder, struct disk_space *out)
{
	struct statvfs info;

	if (statvfs(folder, &info))
		return errno;
	out->all = (uint64_t)info.f_blocks * info.f_frsize;
	out->left = (uint64_t)info.f_bavail * info.f_frsize;
	return 0;
}

uint64_t disk_reserve(const struct disk_space *space)
{
	return space->all / 10 < RESERVE_MAX ? space->all / 10 : RESERVE_MAX;
}

static int cannot_use(const char *option, const char *folder, int error,
		      struct error *err)
{
	error_set(err, ERR_OUTPUT, "%s: folder '%.200s': %s", option, folder,
		  strerror(error));
	error_code(err, error);
	return error_hint(err, "give a folder that can be written to");
}

static int make_folders(const char *folder, unsigned mode)
{
	CLEANUP(mem_free_ptr) char *path = mem_strdup(folder);

	for (char *at = path + 1; *path && *at; at++) {
		/* Slashes at its end name no other folder. */
		if (*at != '/' || !at[strspn(at, "/")])
			continue;
		*at = '\0';
		mkdir(path, 0755);
		*at = '/';
	}
	return mkdir(path, mode);
}

int keep_folder(const char *option, const char *folder, unsigned mode,
		struct error *err)
{
	struct stat info;

	if (stat(folder, &info) &&
	    (make_folders(folder, mode) || stat(folder, &info)))
		return cannot_use(option, folder, errno, err);
	if (!S_ISDIR(info.st_mode))
		return cannot_use(option, folder, ENOTDIR, err);
	if (access(folder, W_OK | X_OK))
		return cannot_use(option, folder, errno, err);
	return 0;
}

static void add_sane(struct buf *out, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len && i < 64; i++) {
		char c = name[i];
		bool fine = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			    (c >= 'a' && c <= 'z') || c == '_';

		if (!fine)
			c = '-';
		buf_char(out, c);
	}
}

char *keep_name(const char *folder, unsigned *number, const char *device,
		const char *suffix)
{
	struct buf path = { 0 };
	time_t now = time(NULL);
	struct tm local = { 0 };
	char stamp[32] = "";

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &local);
	buf_printf(&path, "%s/%s-%03u-", folder, stamp, (*number)++ % 1000);
	add_sane(&path, device);
	buf_printf(&path, ".%s", suffix);
	return buf_take(&path);
}
