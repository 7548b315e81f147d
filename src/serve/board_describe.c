/* SPDX-License-Identifier: MIT */
/*
 * A held device in words: its records, and the object that attached commands
 * are given.
 */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "mcp/breaker.h"
#include "serve/board_private.h"

struct record *board_record(struct board *d, enum record_kind kind,
			    enum record_level level, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct record *r;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	r = records_add(&d->server->records, kind, level, d->id, d->address,
			"%s", text);
	if (r)
		r->alias = mem_strdup(d->alias);
	return r;
}

void board_tell_claim(struct board *d)
{
	struct claim claim = device_claim(d);
	struct record *r;

	if (!claim.told || d->claim_told)
		return;
	d->claim_told = true;
	r = board_record(d, RECORD_CLAIM, LEVEL_WARN,
			 "calls itself '%s', and that is %s: its own id is %s",
			 claim.told, claim.whose, d->id);
	if (r)
		r->hint = mem_strdup("an alias, or that id, never means this "
				     "device; list its Device-Id in "
				     "devices.json if it shall have a name");
}

const char *board_state_name(enum board_state state)
{
	static const char *const names[] = {
		[DEVICE_CONNECTED] = "connected",
		[DEVICE_INITIALIZING] = "initializing",
		[DEVICE_LISTING] = "listing",
		[DEVICE_READY] = "ready",
		[DEVICE_NO_MCP] = "no-mcp",
		[DEVICE_FAILED] = "failed",
	};

	return names[state];
}

static void add_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ",\"%s\":", name);
	if (text)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
}

static void add_time(struct buf *out, const char *name, int64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	char text[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	buf_printf(out, ",\"%s\":\"%s.%03dZ\"", name, text,
		   (int)(unix_ms % 1000));
}

/* Who it is not, and how it is picked where its id alone means another. */
static void add_claim(struct buf *out, const struct board *d)
{
	struct claim claim = device_claim(d);
	CLEANUP(mem_free_ptr) char *pick = device_pattern(d);

	if (strcmp(pick, d->id) != 0)
		add_text(out, "pick", pick);
	if (!claim.told)
		return;
	buf_text(out, ",\"claims\":{\"name\":");
	buf_json_string(out, claim.told, strlen(claim.told));
	add_text(out, "id", claim.whose);
	buf_char(out, '}');
}

/* Since when OTA signs for it. */
static void add_enrolled(struct buf *out, const struct serve *s,
			 const char *device_id)
{
	const struct enrolled_board *b = enrolled_find(&s->enrolled, device_id);

	if (b)
		add_time(out, "enrolled", b->at_ms);
}

void board_describe_away(struct buf *out, const struct serve *s,
			 const struct enrolled_board *b)
{
	buf_text(out, "\"id\":");
	buf_json_string(out, b->device_id, strlen(b->device_id));
	add_text(out, "client_id", b->client_id);
	add_text(out, "alias", aliases_name(&s->aliases, b->device_id, NULL));
	add_text(out, "state", "away");
	add_enrolled(out, s, b->device_id);
}

void board_describe(struct buf *out, const struct board *d)
{
	buf_text(out, "\"id\":");
	buf_json_string(out, d->id, strlen(d->id));
	add_text(out, "client_id", d->client_id);
	add_text(out, "alias", d->alias);
	add_claim(out, d);
	add_text(out, "board", d->board);
	add_text(out, "version", d->version);
	add_text(out, "transport", d->mqtt ? "mqtt" : "websocket");
	add_text(out, "address", d->address);
	add_time(out, "since", d->since_ms);
	add_time(out, "seen", d->seen_ms);
	add_text(out, "state", board_state_name(d->state));
	add_text(out, "reason", d->reason);
	if (d->tools)
		buf_printf(out, ",\"tools\":%zu,\"user_tools\":%zu",
			   d->tools->count, d->tools->user);
	else
		buf_text(out, ",\"tools\":null,\"user_tools\":null");
	add_text(out, "list", d->tools ? d->tools->id : NULL);
	board_audio_describe(out, d);
	if (d->server)
		add_enrolled(out, d->server, d->device_id);
	if (d->breaker && d->breaker->opened_at)
		buf_text(out, ",\"breaker\":\"open\"");
}
