/* SPDX-License-Identifier: MIT */
#include "capture/event.h"

static const char *const kinds[] = {
	[CAPTURED_OPEN] = "open",	  [CAPTURED_REQUEST] = "request",
	[CAPTURED_RESPONSE] = "response", [CAPTURED_TEXT] = "text",
	[CAPTURED_BINARY] = "binary",	  [CAPTURED_PING] = "ping",
	[CAPTURED_PONG] = "pong",	  [CAPTURED_PACKET] = "packet",
	[CAPTURED_LINE] = "line",	  [CAPTURED_END] = "end",
	[CAPTURED_FINDING] = "finding",	  [CAPTURED_DEVICE] = "device",
	[CAPTURED_LOST] = "lost",	  [CAPTURED_NOTICE] = "notice"
};
static const char *const ends[] = { [ENDED_FIN] = "fin",
				    [ENDED_RST] = "rst",
				    [ENDED_TIMEOUT] = "timeout",
				    [ENDED_CLOSE] = "close" };

const char *capture_kind_name(enum capture_kind kind)
{
	return kinds[kind];
}

const char *event_end_name(enum event_end how)
{
	return ends[how];
}

bool capture_kind_read(struct span string, enum capture_kind *out)
{
	for (size_t i = CAPTURED_OPEN; i < COUNT(kinds); i++)
		if (json_span_is(string, kinds[i])) {
			*out = (enum capture_kind)i;
			return true;
		}
	return false;
}

bool event_end_read(struct span string, enum event_end *out)
{
	for (size_t i = ENDED_FIN; i < COUNT(ends); i++)
		if (json_span_is(string, ends[i])) {
			*out = (enum event_end)i;
			return true;
		}
	return false;
}

bool event_leg_read(struct span string, enum diag_leg *out)
{
	for (size_t i = 0; i < DIAG_LEGS; i++)
		if (json_span_is(string, diag_leg_name((enum diag_leg)i))) {
			*out = (enum diag_leg)i;
			return true;
		}
	return false;
}
