/* SPDX-License-Identifier: MIT */
/*
 * One event of each file is held; the earliest goes out.
 */
#include "replay/recast.h"
#include "out/told.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/json_quote.h"
#include "base/mem.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "out/render.h"
#include "out/render_json.h"

#define MAC_LENGTH 17
#define UUID_LENGTH 36
#define SESSION "\"session_id"

enum anonym_kind { A_MAC, A_UUID, A_SESSION };

struct anonym {
	uint64_t key;
	size_t number;
};

void anonyms_done(struct anonyms *a)
{
	struct anonym *one;
	size_t at = 0;

	while ((one = map_each(&a->map, &at)))
		mem_free(one);
	map_done(&a->map);
}

static size_t number_of(struct anonyms *a, enum anonym_kind kind,
			const char *text, size_t len)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%d %.*s", (int)kind, (int)len, text);
	struct anonym *one;
	uint64_t key;
	size_t at = 0;

	/* One address is written in several ways. */
	for (char *p = name; kind != A_SESSION && *p; p++)
		*p = (char)(strchr(":_-", *p) ? ':' :
						tolower((unsigned char)*p));
	key = map_hash_text(name);
	one = map_find(&a->map, key, &at);
	if (one)
		return one->number;
	one = mem_zalloc(sizeof(*one));
	*one = (struct anonym){ key, ++a->count[kind] };
	map_add(&a->map, key, one);
	return one->number;
}

/* Hexadecimal digits, where form has an x; else that very byte, or for ':' the
   separator that the first place has. */
static bool has_form(const char *text, size_t len, const char *form)
{
	char separator = '\0';
	size_t i;

	for (i = 0; form[i]; i++) {
		if (i >= len)
			return false;
		if (form[i] == 'x' && !isxdigit((unsigned char)text[i]))
			return false;
		if (form[i] == '-' && text[i] != '-')
			return false;
		if (form[i] != ':')
			continue;
		if (!separator && strchr(":_-", text[i]))
			separator = text[i];
		if (!separator || text[i] != separator)
			return false;
	}
	return i == len || !isxdigit((unsigned char)text[i]);
}

static void add_mac(struct anonyms *a, struct buf *out, const char *text)
{
	size_t n = number_of(a, A_MAC, text, MAC_LENGTH);
	char between = text[2];

	buf_printf(out, "02%c00", between);
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_printf(out, "%c%02x", between,
			   (unsigned)(n >> shift & 0xff));
}

/*
 * What stands behind "session_id": in quotes, also in JSON within a string: the
 * backslashes of the first quote are before text. 0: it is not there.
 */
static size_t session_at(const char *text, size_t len, size_t *from)
{
	const char *end = text + len, *at, *stop;
	size_t quote;

	if (len < strlen(SESSION) ||
	    memcmp(text, SESSION, strlen(SESSION)) != 0)
		return 0;
	at = text + strlen(SESSION);
	quote = json_quote_length(at, end);
	at += quote;
	while (quote && at < end && strchr(" \t\r\n:", *at))
		at++;
	if (!quote || json_quote_length(at, end) != quote)
		return 0;
	at += quote;
	stop = json_quoted_end(at, end, quote);
	*from = (size_t)(at - text);
	return stop < end ? (size_t)(stop - at) : 0;
}

/* A word of JSON's may have "\/". */
static size_t word_length(const char *text, size_t len, const char *ends)
{
	size_t end = 0;

	while (end < len &&
	       (!strchr(ends, text[end]) ||
		(text[end] == '\\' && end + 1 < len && text[end + 1] == '/')))
		end++;
	return end;
}

/* What stands behind a name in a head or an address. 0: it is not there. */
static size_t session_behind(const char *text, size_t len, size_t *from)
{
	static const struct {
		const char *name, *ends;
	} leads[] = { { "mcp-session-id:", " \"\\\r\n" },
		      { "session_id=", " &#\"\\\r\n" },
		      { "sessionid=", " &#\"\\\r\n" },
		      { "session=", " &#\"\\\r\n" } };

	for (size_t i = 0; i < COUNT(leads); i++) {
		size_t at = strlen(leads[i].name);

		if (len <= at || strncasecmp(text, leads[i].name, at) != 0)
			continue;
		while (at < len && text[at] == ' ')
			at++;
		*from = at;
		return word_length(text + at, len - at, leads[i].ends);
	}
	return 0;
}

/* How much of text it took; 0: nothing of these begins here. */
static size_t replace(struct anonyms *a, struct buf *out, const char *text,
		      size_t len, bool begins)
{
	static const char mac[] = "xx:xx:xx:xx:xx:xx";
	static const char uuid[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t from = 0, id;

	if (begins && has_form(text, len, mac)) {
		add_mac(a, out, text);
		return MAC_LENGTH;
	}
	if (begins && has_form(text, len, uuid)) {
		buf_printf(out, "00000000-0000-4000-8000-%012zx",
			   number_of(a, A_UUID, text, UUID_LENGTH));
		return UUID_LENGTH;
	}
	id = *text == '"' ? session_at(text, len, &from) :
			    session_behind(text, len, &from);
	if (id == 0 || has_form(text + from, id, uuid))
		return 0;
	buf_add(out, text, from);
	buf_printf(out, "session-%zu",
		   number_of(a, A_SESSION, text + from, id));
	return from + id;
}

void anonymise(struct anonyms *a, struct buf *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf other = { 0 };
	size_t copied = 0, at = 0;

	while (at < len) {
		bool begins =
			isxdigit((unsigned char)text[at]) &&
			(at == 0 || !isxdigit((unsigned char)text[at - 1]));
		size_t took = 0;

		buf_reset(&other);
		if (begins || strchr("\"MmSs", text[at]))
			took = replace(a, &other, text + at, len - at, begins);
		if (!took) {
			at++;
			continue;
		}
		buf_add(out, text + copied, at - copied);
		buf_add(out, buf_string(&other), other.len);
		at += took;
		copied = at;
	}
	buf_add(out, text + copied, len - copied);
}

struct conn_pair {
	uint32_t theirs, ours;
};

struct recast_source {
	struct capture_reader *reader;
	struct capture_event event;
	bool more; /* event is one */
	int64_t ahead_us; /* of the first that was made */
	struct map conns;
};

struct recast {
	const struct recast_order *order;
	struct recast_source *sources;
	struct capture_writer *out;
	struct anonyms anonyms;
	struct buf data, passed, head, topic, device;
	uint64_t unknown;
};

/* ---- sources ---- */

static void source_done(struct recast_source *s)
{
	struct conn_pair *pair;
	size_t at = 0;

	while ((pair = map_each(&s->conns, &at)))
		mem_free(pair);
	map_done(&s->conns);
	capture_reader_free(s->reader);
}

static int advance(struct recast_source *s, struct error *err)
{
	int got = capture_next(s->reader, &s->event, err);

	s->more = got > 0;
	return got < 0 ? -1 : 0;
}

static int open_source(struct recast *r, int i, struct error *err)
{
	struct recast_source *s = &r->sources[i];

	s->reader = capture_open(r->order->paths[i], err);
	if (!s->reader)
		return -1;
	if (r->order->count > 1 && !capture_head(s->reader)->made_ms) {
		error_set(err, ERR_USAGE, "'%s' does not say when it was made",
			  r->order->paths[i]);
		return error_hint(
			err,
			"traces of before captures had no header: such files cannot be put in order");
	}
	return advance(s, err);
}

static const char *set_clocks(struct recast *r)
{
	int64_t first = 0;
	const char *made = NULL;

	for (int i = 0; i < r->order->count; i++) {
		const struct capture_head *head =
			capture_head(r->sources[i].reader);

		if (!made || head->made_ms < first) {
			first = head->made_ms;
			made = head->made;
		}
	}
	for (int i = 0; i < r->order->count; i++)
		r->sources[i].ahead_us =
			(capture_head(r->sources[i].reader)->made_ms - first) *
			1000;
	return made;
}

static uint32_t conn_of(struct recast *r, struct recast_source *s,
			uint32_t theirs)
{
	uint64_t hash = map_hash(&theirs, sizeof(theirs));
	struct conn_pair *pair;
	size_t at = 0;

	if (!theirs)
		return 0;
	while ((pair = map_find(&s->conns, hash, &at)))
		if (pair->theirs == theirs)
			return pair->ours;
	pair = mem_zalloc(sizeof(*pair));
	*pair = (struct conn_pair){ theirs, capture_connection(r->out) };
	map_add(&s->conns, hash, pair);
	return pair->ours;
}

/* ---- events ---- */

static void hide_span(struct recast *r, struct span *s, struct buf *room)
{
	if (!s->text)
		return;
	buf_reset(room);
	anonymise(&r->anonyms, room, s->text, s->len);
	*s = (struct span){ buf_string(room), room->len };
}

static void hide_text(struct recast *r, const char **text, struct buf *room)
{
	if (!*text)
		return;
	buf_reset(room);
	anonymise(&r->anonyms, room, *text, strlen(*text));
	*text = buf_string(room);
}

static void hide(struct recast *r, struct capture_event *e)
{
	/* In a packet of MQTT there are topics. */
	if (!e->bytes || (e->kind == CAPTURED_PACKET && e->leg == LEG_MQTT))
		hide_span(r, &e->data, &r->data);
	hide_span(r, &e->passed, &r->passed);
	hide_span(r, &e->head, &r->head);
	hide_text(r, &e->topic, &r->topic);
	hide_text(r, &e->device, &r->device);
}

static void pass(struct recast *r, int i)
{
	struct recast_source *s = &r->sources[i];
	struct capture_event e = s->event;

	if (e.kind == CAPTURED_OTHER) {
		r->unknown++;
		return;
	}
	e.at_us += s->ahead_us;
	e.conn = conn_of(r, s, e.conn);
	/* It was added by the reader, who knows it from there. */
	if (e.named_before)
		e.device = NULL;
	if (r->order->anonymise)
		hide(r, &e);
	capture_secrets_from(r->out, (unsigned)i);
	capture_write(r->out, &e);
}

static int earliest(const struct recast *r)
{
	int found = -1;
	int64_t best = 0;

	for (int i = 0; i < r->order->count; i++) {
		const struct recast_source *s = &r->sources[i];
		int64_t at = s->event.at_us + s->ahead_us;

		if (s->more && (found < 0 || at < best)) {
			found = i;
			best = at;
		}
	}
	return found;
}

static int pass_all(struct recast *r, struct error *err)
{
	int i;

	while ((i = earliest(r)) >= 0 && !capture_failed(r->out)) {
		pass(r, i);
		if (advance(&r->sources[i], err))
			return -1;
	}
	return 0;
}

static void tell(const struct recast *r)
{
	struct renderer *out = r->order->out;
	size_t secrets = capture_secrets(r->out);

	for (int i = 0; i < r->order->count; i++)
		told_cut(out, r->sources[i].reader, r->order->paths[i]);
	if (r->unknown)
		render_note(
			out,
			"%llu event%s of kinds that this mcpctl does not know %s left out",
			(unsigned long long)r->unknown,
			r->unknown == 1 ? "" : "s",
			r->unknown == 1 ? "is" : "are");
	render_note(out, "%zu secret%s masked", secrets,
		    secrets == 1 ? "" : "s");
}

static void recast_done(struct recast *r)
{
	for (int i = 0; i < r->order->count; i++)
		source_done(&r->sources[i]);
	mem_free(r->sources);
	anonyms_done(&r->anonyms);
	buf_done(&r->data);
	buf_done(&r->passed);
	buf_done(&r->head);
	buf_done(&r->topic);
	buf_done(&r->device);
}

static int create(struct recast *r, struct error *err)
{
	const struct capture_head *head = capture_head(r->sources[0].reader);
	const char *made = set_clocks(r);
	const bool one = r->order->count == 1;
	CLEANUP(buf_done) struct buf upstream = { 0 };
	struct capture_how how = { .as = one ? head->as : "join",
				   .audio = true,
				   .line = put_captured_line,
				   .owner = r->order->out,
				   .made = made ? made : "" };

	if (one && head->upstream) {
		if (r->order->anonymise)
			anonymise(&r->anonyms, &upstream, head->upstream,
				  strlen(head->upstream));
		else
			buf_text(&upstream, head->upstream);
		how.upstream = buf_string(&upstream);
	}
	r->out = capture_create(&how, err);
	return r->out ? 0 : -1;
}

int recast_close(struct capture_writer *w, const struct renderer *out,
		 int result, struct error *err)
{
	CLEANUP(error_reset) struct error lost = { 0 };

	if (capture_close(w, &lost) == 0 || result || ferror(out->out))
		return result;
	error_copy(err, &lost);
	return -1;
}

int recast(const struct recast_order *order, struct error *err)
{
	CLEANUP(recast_done)
	struct recast r = { .order = order,
			    .sources = mem_zalloc((size_t)order->count *
						  sizeof(*r.sources)) };
	int result = 0;

	for (int i = 0; i < order->count; i++)
		if (open_source(&r, i, err))
			return -1;
	if (create(&r, err))
		return -1;
	result = pass_all(&r, err);
	if (result == 0)
		tell(&r);
	return recast_close(r.out, order->out, result, err);
}
