/* SPDX-License-Identifier: MIT */
/*
 * Why no answer came, as far as it can be known: what was heard last, and
 * where firmware never answers (device.md 3.2, 3.9). Sends and ends nothing.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "rpc/session_state.h"

static const char *subject_reason(const char *subject)
{
	static const struct {
		const char *subject, *reason;
	} rows[] = {
		{ "self.reboot",
		  "firmware never answers 'self.reboot': it restarts after "
		  "about 1 s and the connection drops" },
		{ "self.upgrade_firmware",
		  "firmware never answers 'self.upgrade_firmware' unless it "
		  "failed: it installs and restarts" },
		{ "self.system.reconfigure_wifi",
		  "firmware never answers 'self.system.reconfigure_wifi': it "
		  "ends the session and opens its Wi-Fi setup" },
	};

	for (size_t i = 0; subject && i < COUNT(rows); i++) {
		if (strcmp(rows[i].subject, subject) == 0)
			return rows[i].reason;
	}
	return NULL;
}

/* Conditions of device.md 3.2 under which a request is dropped unread. */
static const char *shape_reason(const char *method, const char *params)
{
	if (text_starts(method, "notifications"))
		return "firmware never answers a method whose name starts "
		       "with 'notifications'";
	if (params && params[strspn(params, " \t\r\n")] != '{')
		return "firmware never answers a request whose params are no "
		       "object";
	return NULL;
}

const char *session_silence_reason(const struct session *s,
				   const struct call *c, const char *params)
{
	const char *reason = subject_reason(c->subject);

	if (!reason && s->link.dialect == DIALECT_DEVICE)
		reason = shape_reason(c->method, params);
	return reason;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void add_heard(struct buf *out, const struct session *s)
{
	const struct heard *h = &s->heard;
	uint64_t frames = s->link.audio_frames;
	char ago[32];

	if (!h->messages && !frames) {
		buf_text(out, s->link.relayed ?
				      "nothing at all was heard from it "
				      "meanwhile" :
				      "nothing at all was heard since it "
				      "connected");
		return;
	}
	text_milliseconds(loop_now() - h->at, ago, sizeof(ago));
	if (h->audio) {
		buf_printf(out,
			   "last heard: audio %s ago, %llu frame%s; %llu "
			   "message%s",
			   ago, (unsigned long long)frames, plural(frames),
			   (unsigned long long)h->messages,
			   plural(h->messages));
		return;
	}
	buf_printf(out, "last heard: a message %s ago; %llu message%s", ago,
		   (unsigned long long)h->messages, plural(h->messages));
	if (frames)
		buf_printf(out, ", %llu audio frame%s",
			   (unsigned long long)frames, plural(frames));
}

/* "10 s", where text_milliseconds would give a fraction. */
static void add_duration(struct buf *out, int64_t ms)
{
	char text[32];

	if (ms >= 1000 && ms < 120000 && ms % 1000 == 0)
		snprintf(text, sizeof(text), "%d s", (int)(ms / 1000));
	else
		text_milliseconds(ms, text, sizeof(text));
	buf_text(out, text);
}

/* Progress starts the time anew, but not for ever. */
static void add_limit(struct buf *out, const struct call *c)
{
	bool latest = c->progress && c->deadline >= c->latest;

	add_duration(out, c->timeout * (latest ? PROGRESS_TIMES : 1));
	if (latest)
		buf_text(out, ", for all its progress");
	else if (c->progress)
		buf_text(out, " after its last progress");
}

/* Of a child process, or a device that need not say hello (peer_info.standby), the transport may know why nobody answers. */
static bool add_transport(struct buf *out, struct session *s)
{
	const struct transport_ops *ops = s->transport.ops;
	CLEANUP(error_reset) struct error why = { 0 };

	if (s->heard.messages || s->link.audio_frames || !ops->explain)
		return false;
	ops->explain(&s->transport, &why);
	if (why.kind == ERR_NONE)
		return false;
	buf_printf(out, "%s%s%s", why.text, why.hint[0] ? "; " : "", why.hint);
	return true;
}

void session_explain_timeout(struct session *s, struct call *c)
{
	CLEANUP(mem_free_ptr) char *label = call_label(c);
	CLEANUP(buf_done) struct buf within = { 0 }, hint = { 0 };

	add_limit(&within, c);
	error_set(&c->failure, ERR_TIMEOUT, "no reply to '%s' within %s", label,
		  buf_string(&within));
	if (add_transport(&hint, s)) {
		error_hint(&c->failure, "%s", buf_string(&hint));
		return;
	}
	add_heard(&hint, s);
	if (c->silence)
		buf_printf(&hint, "; %s", c->silence);
	else if (s->link.dialect == DIALECT_DEVICE)
		buf_text(&hint,
			 "; the call may still be running: firmware runs one "
			 "tool at a time, and never sends an answer above "
			 "65,535 bytes; --timeout waits longer");
	else
		buf_text(&hint, "; --timeout waits longer");
	error_hint(&c->failure, "%s", buf_string(&hint));
}
