/* SPDX-License-Identifier: MIT */
#include "diag/rule_row.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "wire/audio.h"

void rule_words(struct rule_look *l, const char *format, va_list args)
{
	int len = vsnprintf(l->detail, sizeof(l->detail), format, args);
	size_t cut;

	if (len < (int)sizeof(l->detail))
		return;
	cut = text_cut(l->detail, sizeof(l->detail) - 1,
		       sizeof(l->detail) - sizeof("…"));
	memcpy(l->detail + cut, "…", sizeof("…"));
}

bool rule_hit(struct rule_look *l, struct span at, const char *format, ...)
{
	va_list args;

	l->at = at;
	va_start(args, format);
	rule_words(l, format, args);
	va_end(args);
	return true;
}

bool rule_no_audio(struct rule_look *l)
{
	struct audio_frame audio;
	CLEANUP(error_reset) struct error why = { 0 };

	return l->f->leg == LEG_WS && l->d->frame_version > 0 &&
	       audio_decode(&audio, l->d->frame_version, l->f->data, l->f->len,
			    &why) &&
	       rule_hit(l, (struct span){ 0 }, "%.120s", why.text);
}

int span_shown(struct span s)
{
	return (int)text_cut(s.text, s.len, 60);
}

const char *asked_words(const struct rule_look *l, const struct diag_asked *a,
			char *out, size_t size)
{
	const char *id = l->r->id.text;
	/* At most 60, which gcc does not see by itself. */
	int len = span_shown(l->r->id) & 63;

	if (!l->d->about.relays && l->r->asked == a && id)
		snprintf(out, size, "id %.*s (%s)", len, id, asked_name(a));
	else if (l->d->about.relays || a->id_text)
		snprintf(out, size, "%s", asked_name(a));
	else
		snprintf(out, size, "id %lld (%s)", (long long)a->id,
			 asked_name(a));
	return out;
}

bool id_is_decimal(struct span id)
{
	return id.text && *id.text != '"' &&
	       (memchr(id.text, '.', id.len) || memchr(id.text, 'e', id.len) ||
		memchr(id.text, 'E', id.len));
}

uint32_t cursor_hash(struct span cursor)
{
	if (!cursor.text || *cursor.text != '"' || cursor.len == 2)
		return 0;
	return (uint32_t)text_hash(cursor.text, cursor.len) | 1;
}

const char *asked_name(const struct diag_asked *a)
{
	static const char *const names[] = { "a request", "initialize",
					     "tools/list", "tools/call",
					     "ping" };

	return *a->tool ? a->tool : names[a->method];
}

bool hello_is_taken(const struct diag_frame *f, const struct frame_reading *r)
{
	struct span transport = { 0 };

	json_span_member(r->whole, "transport", &transport);
	return json_span_is(transport,
			    f->leg == LEG_MQTT ? "udp" : "websocket");
}
