/* SPDX-License-Identifier: MIT */
#include "serve/charges.h"

#include "serve/board.h"

bool charges_none(enum diag_code code)
{
	return (code >= B211 && code <= B243) || code == B252;
}

size_t charges_severe(const struct board *d, enum severity severity)
{
	size_t count = 0;

	for (size_t i = 0; d->diag && i < d->diag->count; i++) {
		const enum diag_code code = d->diag->item[i].code;

		count += !charges_none(code) &&
			 finding_row(code)->severity == severity;
	}
	return count;
}

const struct finding *charges_last(const struct board *d)
{
	const struct finding *last = NULL;

	for (size_t i = 0; d->diag && i < d->diag->count; i++) {
		const struct finding *f = &d->diag->item[i];

		if (!charges_none(f->code) &&
		    (!last || f->last_us >= last->last_us))
			last = f;
	}
	return last;
}
