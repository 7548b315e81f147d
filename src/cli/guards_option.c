/* SPDX-License-Identifier: MIT */
/*
 * The value of --breaker taken apart.
 */
#include "cli/guards_option.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define VARIABLE "MCPCTL_BREAKER"
#define LIMIT_MAX 1000000

static int refuse(const char *text, struct error *err)
{
	bool from_environment = text == getenv(VARIABLE);

	error_set(err, ERR_USAGE, "%s: '%s' is no N[,DURATION]",
		  from_environment ? "environment variable " VARIABLE :
				     "option '--breaker'",
		  text);
	return error_hint(err, "as in --breaker=5,60s: after 5 failed calls "
			       "in a row, for 60 s; --breaker=off is none at "
			       "all");
}

int guards_option_parse(struct guards_option *out, const char *text,
			struct error *err)
{
	const char *comma = text ? strchr(text, ',') : NULL;
	CLEANUP(mem_free_ptr) char *number = NULL;

	*out = (struct guards_option){ .on = true, .lasts = text != NULL };
	if (text_same(text, "off")) {
		*out = (struct guards_option){ 0 };
		return 0;
	}
	if (!text || !*text || text_same(text, "on"))
		return 0;
	number = mem_strndup(text,
			     comma ? (size_t)(comma - text) : strlen(text));
	if (text_integer(number, 1, LIMIT_MAX, &out->limit) != 0 ||
	    (comma && (text_duration(comma + 1, &out->pause_ms, NULL) != 0 ||
		       out->pause_ms < 1)))
		return refuse(text, err);
	return 0;
}
