/* SPDX-License-Identifier: MIT */
#include "top/board_row.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/pace.h"

#define STALE_MS 10000

static void keep(char *out, size_t size, const char *text)
{
	size_t len = text ? text_cut(text, strlen(text), size - 1) : 0;

	if (len)
		memcpy(out, text, len);
	out[len] = '\0';
}

#define KEEP(field, text) keep(field, sizeof(field), text)

/* RFC 3339 of serve, in UTC, to Unix ms; -1: it is none. */
static int64_t read_time(const char *text)
{
	struct tm tm = { 0 };
	const char *rest =
		text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

	return rest ? (int64_t)timegm(&tm) * 1000 : -1;
}

static bool is_stale(const cJSON *device, int64_t now)
{
	int64_t asked = read_time(json_string(device, "asked"));

	return asked >= 0 && now - asked >= STALE_MS;
}

/* As devices names it. */
static void read_names(struct top_row *row, const cJSON *device, const char *id)
{
	const char *alias = json_string(device, "alias");
	const char *pick = json_string(device, "pick");

	if (!row->id || strcmp(row->id, id) != 0) {
		mem_free(row->id);
		row->id = mem_strdup(id);
	}
	mem_free(row->pick);
	row->pick = mem_strdup(pick);
	KEEP(row->name, alias && *alias ? alias : pick && *pick ? pick : id);
}

static int64_t number(const cJSON *object, const char *name, int64_t absent)
{
	int64_t value = absent;

	return json_integer(object, name, &value) == 0 && value >= 0 ? value :
								       absent;
}

void board_row_forget(struct top_row *row)
{
	row->told = 0;
	board_status_forget(&row->status);
}

static void read_audio(struct top_row *row, const cJSON *device)
{
	CLEANUP(buf_done) struct buf words = { 0 };
	const cJSON *audio = json_object(device, "audio");
	const cJSON *jitter =
		cJSON_GetObjectItemCaseSensitive(audio, "jitter_ms");
	const bool known = cJSON_IsNumber(jitter) && jitter->valuedouble >= 0 &&
			   jitter->valuedouble < 1e9;

	row->audio = number(audio, "frames", -1);
	row->lost = number(audio, "lost", -1);
	row->jitter_us = known ? (int64_t)(jitter->valuedouble * 1000) : -1;
	if (audio)
		pace_words(&words, audio);
	KEEP(row->sound, buf_string(&words));
}

/* What stands at a broker in the place of a board's address and type. */
static void read_announced(struct top_row *row, const cJSON *device)
{
	const char *id = json_string(device, "server_id");
	const char *name, *last;

	row->announced = id != NULL;
	if (!id)
		return;
	name = json_string(device, "server_name");
	last = name ? strrchr(name, '/') : NULL;
	if (name)
		KEEP(row->name, last && last[1] ? last + 1 : name);
	KEEP(row->address, id);
	KEEP(row->transport, "mqtt");
	if (!*row->board)
		KEEP(row->board, json_string(device, "description"));
}

int board_row_read(struct top_row *row, const cJSON *device, int64_t now)
{
	const char *id = json_string(device, "id");

	if (!id || !*id)
		return -1;
	if (!row->id)
		board_row_forget(row);
	read_names(row, device, id);
	KEEP(row->board, json_string(device, "board"));
	KEEP(row->address, json_string(device, "address"));
	KEEP(row->version, json_string(device, "version"));
	KEEP(row->transport, json_string(device, "transport"));
	KEEP(row->state, json_string(device, "state"));
	KEEP(row->list, json_string(device, "list"));
	KEEP(row->finding, json_string(device, "last_finding"));
	row->stale = is_stale(device, now);
	read_announced(row, device);
	row->gone_at = 0;
	row->tools = number(device, "tools", -1);
	row->server = row->announced || json_object(device, "held");
	row->breaker = text_same(json_string(device, "breaker"), "open");
	row->calls = number(device, "calls", -1);
	row->counted = row->calls >= 0;
	row->p50_us = number(device, "p50_us", -1);
	read_audio(row, device);
	return 0;
}

bool board_row_ready(const struct top_row *row)
{
	return strcmp(row->state, row->announced ? "present" : "ready") == 0;
}

void board_row_gone(struct top_row *row, int64_t now)
{
	KEEP(row->state, "gone");
	if (!row->gone_at)
		row->gone_at = now;
}

bool board_row_status(struct top_row *row, const cJSON *reply)
{
	return board_status_read(&row->status, json_object(reply, "result"));
}

void board_row_done(struct top_row *row)
{
	mem_free(row->id);
	mem_free(row->pick);
	*row = (struct top_row){ 0 };
}
