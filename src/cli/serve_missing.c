/* SPDX-License-Identifier: MIT */
/*
 * From what happened to what did not. Judged from the records alone.
 */
#include "cli/serve_missing.h"

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
		m->ota = true;
		break;
	case RECORD_BROWSER:
		m->browser = true;
		break;
	case RECORD_NOISE:
		m->came = true;
		break;
	case RECORD_CONNECTED:
		m->connected = true;
		break;
	case RECORD_HELLO:
		m->hello = true;
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
		  "no device was ready within %s: one asked OTA, but never "
		  "dialled",
		  time);
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
			  "no device was ready within %s: one %s", time,
			  m->hello ? "said hello, and did not answer further" :
				     "connected, and said no hello");
		return error_hint(err, "mcpctl serve -v shows each step");
	}
	if (m->refused) {
		error_set(err, ERR_CONNECT,
			  "no device was let in within %s: %s", time,
			  m->refused);
		return with_hint(m, "mcpctl serve -v shows each step", err);
	}
	return m->ota ? never_dialled(m, time, err) : never_came(m, time, err);
}

void serve_missing_done(struct serve_missing *m)
{
	mem_free(m->failed);
	mem_free(m->refused);
	mem_free(m->hint);
	*m = (struct serve_missing){ 0 };
}
