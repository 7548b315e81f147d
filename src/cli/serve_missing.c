/* SPDX-License-Identifier: MIT */
/*
 * From what happened to what did not. Judged from the records alone.
 */
#include "cli/serve_missing.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/record.h"

static void keep(struct serve_missing *m, char **place,
		 const struct record *record)
{
	const char *who = record->device ? record->device : record->address;

	mem_free(*place);
	*place = mem_printf("%s%s%s", who ? who : "", who ? ": " : "",
			    record->text ? record->text : "");
	mem_free(m->hint);
	m->hint = mem_strdup(record->hint);
}

/* Who got further than all before. */
static void reached(struct serve_missing *m, bool *step, bool further,
		    const struct record *record)
{
	const char *who = record->device ? record->device : record->address;

	*step = true;
	if (further || !who)
		return;
	mem_free(m->who);
	m->who = mem_strdup(who);
}

static void note_broker(struct serve_missing *m, const struct record *record)
{
	const char *state = record->detail ? record->detail : "";
	bool lost = strstr(state, "\"lost\"") || strstr(state, "\"down\"");

	if (!lost && !strstr(state, "\"joined\""))
		return;
	mem_free(TAKE(m->broker));
	mem_free(TAKE(m->broker_hint));
	if (!lost)
		return;
	m->broker = mem_strdup(record->text);
	m->broker_hint = mem_strdup(record->hint);
}

void serve_missing_note(struct serve_missing *m, const struct record *record)
{
	switch (record->kind) {
	case RECORD_FAILED:
		keep(m, &m->failed, record);
		break;
	case RECORD_REFUSED:
		/* How a device failed tells more. */
		if (!m->failed)
			keep(m, &m->refused, record);
		break;
	case RECORD_OTA:
	case RECORD_ACTIVATE:
		reached(m, &m->ota, m->connected || m->hello, record);
		break;
	case RECORD_BROKER:
		note_broker(m, record);
		break;
	case RECORD_BROWSER:
		m->browser = true;
		break;
	case RECORD_NOISE:
		m->came = true;
		break;
	case RECORD_CONNECTED:
		reached(m, &m->connected, m->hello, record);
		break;
	case RECORD_HELLO:
		reached(m, &m->hello, false, record);
		break;
	default:
		break;
	}
}

static int with_hint(const struct serve_missing *m, const char *otherwise,
		     struct error *err)
{
	return error_hint(err, "%s", m->hint && *m->hint ? m->hint : otherwise);
}

static int never_dialled(const struct serve_missing *m, const char *time,
			 struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device was ready within %s: %s asked OTA, but never "
		  "dialled",
		  time, m->who ? m->who : "one");
	if (m->mqtt)
		return error_hint(err,
				  "it cannot reach the broker that OTA gave "
				  "it: is that port open? see --advertise");
	return error_hint(err,
			  "wake it: say the wake word or press its button; if "
			  "it was woken, it cannot reach the address that OTA "
			  "gave it: see --advertise");
}

static int never_came(const struct serve_missing *m, const char *time,
		      struct error *err)
{
	const char *what = "nothing came at all";

	if (m->browser)
		what = "only a browser came";
	else if (m->came)
		what = "something came that is no device";
	error_set(err, ERR_CONNECT, "no device was ready within %s: %s", time,
		  what);
	if (m->browser)
		return error_hint(err,
				  "so that address works: set it as the "
				  "board's OTA address, and reboot the board");
	return error_hint(err,
			  "is the board in the same network, its OTA address "
			  "the one that serve printed, and was it rebooted "
			  "since?");
}

int serve_missing_explain(const struct serve_missing *m, int64_t waited,
			  struct error *err)
{
	char time[32];

	text_milliseconds(waited, time, sizeof(time));
	if (m->failed) {
		error_set(err, ERR_CONNECT, "no device was ready within %s: %s",
			  time, m->failed);
		return with_hint(m, "mcpctl devices shows its state", err);
	}
	if (m->hello || m->connected) {
		error_set(err, ERR_CONNECT,
			  "no device was ready within %s: %s %s", time,
			  m->who ? m->who : "one",
			  m->hello ? "said hello, and did not answer further" :
				     "connected, and said no hello");
		return error_hint(err, "the board's own log (USB) tells why; "
				       "mcpctl --trace FILE serve keeps every "
				       "frame");
	}
	if (m->refused) {
		error_set(err, ERR_CONNECT,
			  "no device was let in within %s: %s", time,
			  m->refused);
		return with_hint(m, "mcpctl serve -v shows each step", err);
	}
	if (m->broker) {
		error_set(err, ERR_CONNECT, "no device was ready within %s: %s",
			  time, m->broker);
		return error_hint(err, "%s",
				  m->broker_hint ? m->broker_hint :
						   "mcpctl serve -v shows each "
						   "step");
	}
	return m->ota ? never_dialled(m, time, err) : never_came(m, time, err);
}

void serve_missing_done(struct serve_missing *m)
{
	mem_free(m->failed);
	mem_free(m->refused);
	mem_free(m->who);
	mem_free(m->hint);
	mem_free(m->broker);
	mem_free(m->broker_hint);
	*m = (struct serve_missing){ 0 };
}
