/* SPDX-License-Identifier: MIT */
/*
 * Open files, of which there is a limit: as many as the devices need; and
 * some are never given to strangers, for attached commands and for programs.
 */
#include <sys/resource.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "serve/serve_state.h"

/* For all that is no device: questions over HTTP, attached commands, files. */
#define RESERVED INT64_C(1024)
/* Less, and opening ends somewhere in the middle. */
#define LEAST 32
#define LEAST_MQTT 48
/* Of the limit a quarter is kept, but not less or more than this. */
#define KEPT_MIN 8
#define KEPT_MAX 64
/* What the ports need, to serve a device or two and to refuse the next. */
#define ROOM_MIN 6
/* Of that room, what devices leave to questions and to those that knock. */
#define SPARE_MIN 2
#define SPARE_MAX 768

static size_t clamp(size_t value, size_t min, size_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

static int too_few(size_t limit, size_t needed, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "serve needs %zu open files at least, and %zu are allowed",
		  needed, limit);
	return error_hint(err, "raise the limit: ulimit -n 1024");
}

/*
 * Not more than the devices need, since a table of the WebSocket library is as
 * large as the limit. Returns the limit.
 */
static int64_t set_limit(int64_t devices)
{
	rlim_t wanted = (rlim_t)(devices + RESERVED);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return RESERVED * 2;
	if (limit.rlim_max != RLIM_INFINITY && wanted > limit.rlim_max)
		wanted = limit.rlim_max;
	limit.rlim_cur = wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		getrlimit(RLIMIT_NOFILE, &limit);
	return (int64_t)limit.rlim_cur;
}

int64_t serve_files_devices(int64_t devices)
{
	int64_t limit = set_limit(devices);

	if (devices <= limit - RESERVED)
		return devices;
	return limit > RESERVED * 2 ? limit - RESERVED : limit / 2;
}

int serve_files_check(const struct serve_config *c, struct error *err)
{
	size_t limit = descriptors_limit();
	size_t least = c->mqtt || c->mqtt_broker ? LEAST_MQTT : LEAST;

	return limit < least ? too_few(limit, least, err) : 0;
}

int serve_files_share(struct serve *s, struct error *err)
{
	size_t limit = descriptors_limit(), open = descriptors_open();
	size_t kept = clamp(limit / 4, KEPT_MIN, KEPT_MAX);

	if (limit < open + kept + ROOM_MIN)
		return too_few(limit, open + KEPT_MIN + ROOM_MIN, err);
	s->room = limit - open - kept;
	s->sockets_max = s->room - clamp(s->room / 4, SPARE_MIN, SPARE_MAX);
	return 0;
}

void serve_crowded(struct serve *s, const char *id, const char *address,
		   const char *text)
{
	struct record *r =
		records_seldom(&s->records, &s->crowded, id, address, text);

	if (r)
		r->hint = mem_strdup("raise --devices-max, or the limit of "
				     "open files (ulimit -n)");
}
