/* SPDX-License-Identifier: MIT */
/* What went wrong at a question: it ended there, or stayed silent. */
#include "base/text.h"
#include "check/parts.h"

int check_died(struct checkup *k, const char *question, const struct error *why,
	       struct error *err)
{
	const bool over = session_is_over(k->in->connection->session);

	diag_found(k->diag, D134, (struct span){ 0 },
		   over ? "the connection ended at '%s'" :
			  "no more answers since '%s'",
		   question);
	return error_set(err, over ? ERR_CONNECT : ERR_TIMEOUT,
			 over ? "the connection ended at '%s': %s" :
				"nothing is answered since '%s': %s",
			 question, why->text);
}

/* Something came that may be the answer, and was found to be none. */
static bool is_explained(const struct checkup *k)
{
	static const enum diag_code why[] = { D116, D124, D125, D143, P702 };

	for (size_t i = 0; i < COUNT(why); i++) {
		if (diag_count(k->diag, why[i]))
			return true;
	}
	return false;
}

void check_silent(struct checkup *k, const char *question)
{
	const int64_t ms = k->in->app->config.timeout;
	char time[TEXT_ROOM];

	if (is_explained(k))
		return;
	text_milliseconds(ms ? ms : 10000, time, sizeof(time));
	diag_found(k->diag, D145, (struct span){ 0 }, "%.70s, within %s",
		   question, time);
}
