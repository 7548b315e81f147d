/* SPDX-License-Identifier: MIT */
/* The file of what was set before: read, written. */
#include "cli/adopted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/config.h"

#define FILE_NAME "adopted.json"
#define LOCK_NAME "adopted.lock"

enum {
	FILE_MAX = 1 << 20,
	LOCK_MS = 5000 /* it is held for as long as a file is written */
};

static int unreadable(const char *path, const char *why, struct error *err)
{
	error_set(err, ERR_OUTPUT, "cannot read '%s': %s", path, why);
	return error_hint(
		err,
		"it has the addresses that boards had before: keep a copy");
}

int adopted_read(cJSON **out, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct stat st;
	int fd, status;

	*out = NULL;
	if (state_file(&path, FILE_NAME, err))
		return -1;
	fd = file_open_regular(path, 0, &st);
	if (fd < 0 && errno == ENOENT) {
		*out = cJSON_CreateArray();
		return 0;
	}
	if (fd < 0)
		return unreadable(path, strerror(errno), err);
	buf_init(&text, FILE_MAX);
	status = file_read_fd(&text, fd);
	close(fd);
	if (status)
		return unreadable(path, strerror(errno), err);
	*out = json_parse(buf_string(&text), text.len, NULL);
	if (!cJSON_IsArray(*out)) {
		json_free_ptr(out);
		return unreadable(path, "it is no list of JSON", err);
	}
	return 0;
}

static const char *text_of(const cJSON *one, const char *name)
{
	const char *text = json_string(one, name);

	return text ? text : "";
}

bool adopted_at(const cJSON *list, int i, struct adopted *out)
{
	const cJSON *one = cJSON_GetArrayItem(list, i);

	*out = (struct adopted){ .portal = text_of(one, "portal"),
				 .hardware = text_of(one, "hardware"),
				 .before = text_of(one, "before"),
				 .now = text_of(one, "now"),
				 .at = text_of(one, "at") };
	return one != NULL;
}

int adopted_find(const cJSON *list, const struct adopted *of)
{
	struct adopted one;

	for (int i = 0; adopted_at(list, i, &one); i++) {
		const bool known = *one.hardware && *of->hardware;

		if (known ? strcmp(one.hardware, of->hardware) == 0 :
			    strcmp(one.portal, of->portal) == 0)
			return i;
	}
	return -1;
}

static int write_list(const cJSON *list, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (state_file(&path, FILE_NAME, err))
		return -1;
	json_print_pretty(&text, list);
	buf_char(&text, '\n');
	if (file_replace(path, 0600, text.data, text.len) == 0)
		return 0;
	return error_set(err, ERR_OUTPUT, "cannot write '%s': %s", path,
			 strerror(errno));
}

/* ---- changed under a lock ---- */

/* Not the file itself, which is replaced. It ends with the descriptor. */
static int lock(struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	int fd;

	if (state_file(&path, LOCK_NAME, err))
		return -1;
	fd = file_lock(path, LOCK_MS);
	return fd >= 0 ? fd :
			 error_set(err, ERR_OUTPUT, "cannot lock '%s': %s",
				   path, strerror(errno));
}

static int keep(const struct adopted *a, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *list = NULL;
	char stamp[STAMP_SIZE];
	cJSON *one;

	if (adopted_read(&list, err))
		return -1;
	one = cJSON_CreateObject();
	cJSON_AddStringToObject(one, "at", a->at ? a->at : clock_utc(stamp));
	cJSON_AddStringToObject(one, "portal", a->portal);
	cJSON_AddStringToObject(one, "hardware", a->hardware);
	cJSON_AddStringToObject(one, "before", a->before);
	cJSON_AddStringToObject(one, "now", a->now);
	cJSON_InsertItemInArray(list, 0, one);
	while (cJSON_GetArraySize(list) > ADOPTED_MAX)
		cJSON_DeleteItemFromArray(list, ADOPTED_MAX);
	return write_list(list, err);
}

static bool is_same(const struct adopted *a, const struct adopted *b)
{
	return strcmp(a->at, b->at) == 0 && strcmp(a->portal, b->portal) == 0 &&
	       strcmp(a->hardware, b->hardware) == 0 &&
	       strcmp(a->before, b->before) == 0 && strcmp(a->now, b->now) == 0;
}

static int drop(const struct adopted *a, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *list = NULL;
	struct adopted one;

	if (adopted_read(&list, err))
		return -1;
	for (int i = 0; adopted_at(list, i, &one); i++) {
		if (!is_same(&one, a))
			continue;
		cJSON_DeleteItemFromArray(list, i);
		return write_list(list, err);
	}
	return 0;
}

static int locked(int (*change)(const struct adopted *a, struct error *err),
		  const struct adopted *a, struct error *err)
{
	int fd = lock(err), status;

	if (fd < 0)
		return -1;
	status = change(a, err);
	close(fd);
	return status;
}

int adopted_keep(const struct adopted *a, struct error *err)
{
	return locked(keep, a, err);
}

int adopted_drop(const struct adopted *a, struct error *err)
{
	return locked(drop, a, err);
}
