/* SPDX-License-Identifier: MIT */
/* What a dial that failed is found to be, by its reason (net/why.h). */
#include <errno.h>

#include "check/parts.h"
#include "net/why.h"

struct dial_row {
	int reason; /* enum why */
	int number; /* an errno; 0: any */
	enum diag_code code;
};

static const struct dial_row rows[] = {
	{ WHY_NO_HOST, 0, N101 },
	{ WHY_NO_NAMESERVER, 0, N101 },
	{ WHY_NO_CONNECTION, ECONNREFUSED, N102 },
	{ WHY_NO_CONNECTION, ETIMEDOUT, N103 },
	{ WHY_NO_CONNECTION, ENETUNREACH, N104 },
	{ WHY_NO_CONNECTION, EHOSTUNREACH, N104 },
	{ WHY_SILENT, 0, N111 },
	{ WHY_CLOSED, 0, N113 },
	{ WHY_FOREIGN, 0, N112 },
	{ WHY_CONNACK, 0, M401 },
	{ WHY_BAD_TOKEN, 0, P707 },
	{ WHY_SCOPE, 0, P707 },
	{ WHY_SESSION_FORGOTTEN, 0, P704 },
	{ WHY_PAGE, 0, P708 },
	{ WHY_NO_ENDPOINT, 0, P703 },
	{ WHY_ENDPOINT_SILENT, 0, P703 },
	{ WHY_ENDPOINT_MISSING, 0, P703 },
};

int check_dial_code(const struct error *err)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].reason == err->reason &&
		    (!rows[i].number || rows[i].number == err->code))
			return (int)rows[i].code;
	}
	if (err->kind == ERR_AUTH)
		return P707;
	return -1;
}
