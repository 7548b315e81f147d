/* SPDX-License-Identifier: MIT */
/*
 * Whether there is room for a picture: boards that are let in may send many,
 * and a disk that is full is everybody's trouble.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/mem.h"
#include "serve/door_private.h"

/* So much of a disk stays free: a tenth, but no more than this. */
#define RESERVE_MAX (UINT64_C(256) << 20)
#define MEGABYTE 1e6

int disk_space(const char *folder, struct disk_space *out)
{
	struct statvfs info;

	if (statvfs(folder, &info))
		return errno;
	out->all = (uint64_t)info.f_blocks * info.f_frsize;
	out->left = (uint64_t)info.f_bavail * info.f_frsize;
	return 0;
}

static void tell(const struct visit *v, const struct who *who, const char *text,
		 const char *hint)
{
	struct record *r =
		records_seldom(&v->door->server->records, &v->door->no_room,
			       who->device_id, who->address, text);

	record_hint(r, hint);
}

static bool has_space(const struct visit *v, const struct who *who,
		      const char *folder)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct disk_space space;
	uint64_t reserve;

	/* If it cannot be known, writing will tell. */
	if (v->door->space(folder, &space))
		return true;
	reserve = space.all / 10 < RESERVE_MAX ? space.all / 10 : RESERVE_MAX;
	if (space.left >= reserve && space.left - reserve >= v->len)
		return true;
	text = mem_printf("a picture was refused: %.1f MB are free where '%s' "
			  "is, and %.1f MB stay free",
			  (double)space.left / MEGABYTE, folder,
			  (double)reserve / MEGABYTE);
	upload_refuse(v, 507, "the disk is nearly full");
	tell(v, who, text, "make room there; boards go on without pictures");
	return false;
}

static bool has_part(const struct visit *v, const struct who *who)
{
	const char *id = who->device_id ? who->device_id : "";

	if (budget_spend(v->door->server->budget, budget_key_name(id),
			 BUDGET_WRITTEN, v->len))
		return true;
	upload_refuse(v, 429, "too many pictures in this minute");
	tell(v, who,
	     "a picture was refused: within a minute boards sent more than is "
	     "taken",
	     "in sum 32 pictures of --picture-max, and one board three times "
	     "what is left for the others");
	return false;
}

bool upload_has_room(const struct visit *v, const struct who *who,
		     bool by_command)
{
	const char *kept = v->door->server->config.save_images;
	const char *folder = kept ? kept : file_temporary();

	if (!kept && !by_command)
		return true;
	return has_space(v, who, folder) && has_part(v, who);
}
