/* SPDX-License-Identifier: MIT */
/*
 * The queue of what happened. Bounded in number and in the length of each
 * text, since most of it can be caused by strangers. Shows nothing.
 */
#include "base/loop.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "serve/board.h"
#include "serve/serve_state.h"

#include <string.h>

#define TEXT_MAX_BYTES 8192
#define SELDOM_MS 10000

void records_init(struct records *r, bool *wake)
{
	*r = (struct records){ .last = &r->first };
	r->wake = wake;
}

void record_free(struct record *r)
{
	if (!r)
		return;
	mem_free(r->device);
	mem_free(r->alias);
	mem_free(r->address);
	mem_free(r->text);
	mem_free(r->hint);
	mem_free(r->detail);
	mem_free(r);
}

void records_done(struct records *r)
{
	struct record *next;

	for (struct record *i = r->first; i; i = next) {
		next = i->next;
		record_free(i);
	}
	records_init(r, NULL);
}

static char *format_text(const char *format, va_list args) PRINTF_LIKE(1, 0);

/* Cut at a whole character. */
static char *format_text(const char *format, va_list args)
{
	CLEANUP(mem_free_ptr) char *text = mem_vprintf(format, args);
	size_t len = strlen(text), kept = text_cut(text, len, TEXT_MAX_BYTES);

	if (kept < len)
		return mem_printf("%.*s…", (int)kept, text);
	return TAKE(text);
}

static struct record *append(struct records *r, enum record_kind kind,
			     enum record_level level)
{
	struct record *new = mem_zalloc(sizeof(*new));

	new->kind = kind;
	new->level = level;
	new->at_ms = unix_now_ms();
	*r->last = new;
	r->last = &new->next;
	r->count++;
	return new;
}

static void append_dropped(struct records *r)
{
	struct record *lost = append(r, RECORD_DROPPED, LEVEL_WARN);

	lost->count = r->dropped;
	lost->text =
		mem_printf("%llu %s lost: more came than could be shown",
			   (unsigned long long)r->dropped,
			   r->dropped == 1 ? "record was" : "records were");
	r->dropped = 0;
}

struct record *records_add(struct records *r, enum record_kind kind,
			   enum record_level level, const char *device,
			   const char *address, const char *format, ...)
{
	struct record *new;
	va_list args;

	if (level == LEVEL_DEBUG && !r->verbose)
		return NULL;
	if (r->wake)
		*r->wake = true;
	/* One place is kept for the record that tells of the lost ones. */
	if (r->count >= RECORDS_MAX - (r->dropped ? 1 : 0)) {
		r->dropped++;
		return NULL;
	}
	if (r->dropped)
		append_dropped(r);
	new = append(r, kind, level);
	new->device = mem_strdup(device);
	new->address = mem_strdup(address);
	va_start(args, format);
	new->text = format_text(format, args);
	va_end(args);
	return new;
}

/* One kind of lines: never 0. */
static uintptr_t aside_of(enum record_about about, enum record_kind kind,
			  enum record_level level)
{
	return ((uintptr_t)kind << 8) + ((uintptr_t)level << 4) +
	       (uintptr_t)about;
}

static enum record_kind kind_of_aside(uintptr_t aside)
{
	return (enum record_kind)(aside >> 8);
}

struct record *record_about(struct serve *s, enum record_about about,
			    enum record_kind kind, enum record_level level,
			    const struct who *who, const char *text)
{
	struct records *r = &s->records;
	const uintptr_t aside = aside_of(about, kind, level);

	if (level == LEVEL_DEBUG && !r->verbose)
		return NULL;
	if (about != ABOUT_KNOWN &&
	    !asides_has_line(&r->asides, aside,
			     about == ABOUT_READY ? RECORDS_READY :
						    ASIDES_TOLD)) {
		s->events->due(s, r->asides.ends);
		asides_count(&r->asides, aside,
			     who->device_id ? who->device_id : who->address,
			     text, (int)level);
		return NULL;
	}
	return records_add(r, kind, level, who->device_id, who->address, "%s",
			   text);
}

static void tell_more(void *owner, const struct aside_kind *k)
{
	const enum record_kind of = kind_of_aside(k->kind);
	CLEANUP(mem_free_ptr) char *text = asides_text(k);
	CLEANUP(buf_done) struct buf detail = { 0 };
	struct record *r =
		records_add(owner, RECORD_MORE, (enum record_level)k->level,
			    NULL, NULL, "%s: %s", record_kind_name(of), text);

	if (!r)
		return;
	r->count = k->more;
	record_member(&detail, "of", record_kind_name(of));
	record_detail(r, &detail);
	if (of == RECORD_OTA || of == RECORD_READY)
		record_hint(
			r,
			"of boards that devices.json lists, or that show a token, each line is told");
}

void records_tell_more(struct records *r)
{
	asides_end(&r->asides, tell_more, r);
}

static enum record_about standing_of(const struct serve *s,
				     const struct who *who)
{
	const struct board *d;

	/* About serve itself, or about many, which were counted before. */
	if ((!who->device_id && !who->address) ||
	    enrolled_or_listed(&s->enrolled, &s->aliases, who->device_id,
			       who->client_id))
		return ABOUT_KNOWN;
	d = who->device_id ? registry_find(&s->registry, who->device_id) : NULL;
	return d && d->state == DEVICE_READY ? ABOUT_READY : ABOUT_STRANGER;
}

struct record *record_of(struct serve *s, const struct who *who,
			 enum record_kind kind, enum record_level level,
			 const char *text)
{
	struct record *r =
		record_about(s, standing_of(s, who), kind, level, who, text);

	if (r)
		r->alias = mem_strdup(aliases_name(&s->aliases, who->device_id,
						   who->client_id));
	return r;
}

void record_hint(struct record *r, const char *hint)
{
	if (r && !r->hint)
		r->hint = mem_strdup(hint);
}

void record_detail(struct record *r, struct buf *detail)
{
	if (r && !r->detail)
		r->detail = buf_take(detail);
	buf_done(detail);
}

void record_member(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(out, "%s\"%s\":", out->len ? "," : "", name);
	buf_json_string(out, value, strlen(value));
}

struct record *records_seldom(struct records *r, struct seldom *kind,
			      const char *device, const char *address,
			      const char *text)
{
	int64_t now = loop_now();
	struct record *added;

	if (now < kind->until) {
		kind->more++;
		return NULL;
	}
	added = records_add(
		r, RECORD_REFUSED, LEVEL_BAD, device, address, "%s%s", text,
		kind->more ? "; and others since the last such line" : "");
	if (added)
		added->count = 1 + kind->more;
	kind->more = 0;
	kind->until = now + SELDOM_MS;
	return added;
}

struct record *records_take(struct records *r)
{
	struct record *first;

	if (!r->first && r->dropped)
		append_dropped(r);
	first = r->first;
	if (!first)
		return NULL;
	r->first = first->next;
	if (!r->first)
		r->last = &r->first;
	r->count--;
	first->next = NULL;
	return first;
}

const char *record_kind_name(enum record_kind kind)
{
	static const char *const names[] = {
		[RECORD_LISTENING] = "listening",
		[RECORD_OTA] = "ota",
		[RECORD_ACTIVATE] = "activate",
		[RECORD_BROWSER] = "browser",
		[RECORD_VISION] = "vision",
		[RECORD_UPLOAD] = "upload",
		[RECORD_NOISE] = "noise",
		[RECORD_REFUSED] = "refused",
		[RECORD_CONNECTED] = "connected",
		[RECORD_HELLO] = "hello",
		[RECORD_READY] = "ready",
		[RECORD_FAILED] = "failed",
		[RECORD_GONE] = "gone",
		[RECORD_REPLACED] = "replaced",
		[RECORD_MESSAGE] = "message",
		[RECORD_NOTIFICATION] = "notification",
		[RECORD_REQUEST] = "request",
		[RECORD_AUDIO] = "audio",
		[RECORD_UTTERANCE] = "utterance",
		[RECORD_ODD] = "odd",
		[RECORD_FINDING] = "finding",
		[RECORD_ATTACHED] = "attached",
		[RECORD_DETACHED] = "detached",
		[RECORD_BROKER] = "broker",
		[RECORD_EXEC] = "exec",
		[RECORD_RELOAD] = "reload",
		[RECORD_BREAKER] = "breaker",
		[RECORD_ENROLLED] = "enrolled",
		[RECORD_TOLD] = "told",
		[RECORD_CLAIM] = "claim",
		[RECORD_MISSING] = "missing",
		[RECORD_FENCES] = "fences",
		[RECORD_LEASE] = "lease",
		[RECORD_POWER] = "power",
		[RECORD_SERIAL] = "serial",
		[RECORD_STOPPING] = "stopping",
		[RECORD_DROPPED] = "dropped",
		[RECORD_MORE] = "more",
	};

	return names[kind];
}

const char *record_level_name(enum record_level level)
{
	static const char *const names[] = {
		[LEVEL_DEBUG] = "debug", [LEVEL_INFO] = "info",
		[LEVEL_GOOD] = "good",	 [LEVEL_WARN] = "warn",
		[LEVEL_BAD] = "bad",
	};

	return names[level];
}
