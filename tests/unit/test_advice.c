/* SPDX-License-Identifier: MIT */
/* What to do when a simulated device was not let in: by reason, code and place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/why.h"
#include "sim/fleet.h"

#define NONE 0

static const struct {
	enum why reason;
	int code;
	unsigned facts;
	const char *says; /* NULL: the error's own */
} rows[] = {
	{ WHY_STATUS, 401, NONE, "give its token" },
	{ WHY_STATUS, 401, ADVICE_TOKEN, "the token that was given" },
	{ WHY_STATUS, 401, ADVICE_TOLD | ADVICE_TOKEN,
	  "the token that was given" },
	{ WHY_STATUS, 401, ADVICE_TOLD, "gives no token" },
	{ WHY_STATUS, 401, ADVICE_TOLD | ADVICE_OTA_TOKEN,
	  "the token of the OTA reply" },
	{ WHY_STATUS, 401, ADVICE_OTA, "sends OTA no token" },
	{ WHY_STATUS, 403, ADVICE_OTA, "sends OTA no token" },
	{ WHY_STATUS, 403, ADVICE_TOKEN, "another --device-id" },
	{ WHY_STATUS, 404, ADVICE_OTA, "path of its OTA" },
	{ WHY_STATUS, 404, NONE, "path of its WebSocket" },
	{ WHY_STATUS, 500, NONE, NULL },
	{ WHY_STATUS, 500, ADVICE_TOLD, NULL },
	{ WHY_CONNACK, 5, ADVICE_TOLD | ADVICE_BROKER, "of the OTA reply" },
	{ WHY_CONNACK, 5, ADVICE_BROKER, NULL },
	{ WHY_CONNACK, 2, ADVICE_TOLD | ADVICE_BROKER, NULL },
	{ WHY_NO_CONNECTION, ECONNREFUSED, NONE, "is the backend running" },
	{ WHY_NO_CONNECTION, ECONNREFUSED, ADVICE_BROKER, NULL },
	{ WHY_NO_CONNECTION, ECONNREFUSED, ADVICE_TOLD | ADVICE_BROKER,
	  "stands in the OTA reply" },
	{ WHY_NO_CONNECTION, ETIMEDOUT, ADVICE_OTA, "a firewall" },
	{ WHY_NO_CONNECTION, EMFILE, ADVICE_TOLD, "ulimit" },
	{ WHY_NO_HOST, 0, ADVICE_TOLD, "stands in the OTA reply" },
	{ WHY_NO_HOST, 0, NONE, "check the name" },
	{ WHY_CLOSED, 0, ADVICE_OTA, "OTA of a backend" },
	{ WHY_CLOSED, 0, ADVICE_BROKER, NULL },
	{ WHY_CLOSED, 0, NONE, "is a WebSocket server there" },
	{ WHY_STATUS, 401, ADVICE_BROKER, NULL },
	{ WHY_STATUS, 403, NONE, "another --device-id" },
	{ WHY_STATUS, 404, ADVICE_TOLD,
	  "that address stands in the OTA reply" },
	{ WHY_CONNACK, 3, ADVICE_TOLD | ADVICE_BROKER, NULL },
	{ WHY_CONNACK, 4, ADVICE_TOLD | ADVICE_BROKER, "of the OTA reply" },
	{ WHY_CONNACK, 6, ADVICE_TOLD | ADVICE_BROKER, NULL },
	{ WHY_NO_CONNECTION, EMFILE, NONE, "ulimit" },
	{ WHY_NO_CONNECTION, ENFILE, NONE, "fs.file-max" },
	{ WHY_NO_CONNECTION, ETIMEDOUT, NONE, "a firewall" },
	{ WHY_NO_CONNECTION, ENETUNREACH, NONE, "in the same network" },
	{ WHY_NO_CONNECTION, EHOSTUNREACH, NONE, "in the same network" },
	{ WHY_NO_CONNECTION, EPIPE, NONE, NULL },
	{ WHY_NO_NAMESERVER, 0, NONE, "try its IP address" },
	{ WHY_TLS_SILENT, 0, NONE, "does it speak TLS" },
	{ WHY_SILENT, 0, NONE, NULL },
	{ WHY_SILENT, 0, ADVICE_BROKER | ADVICE_TOLD, NULL },
	{ WHY_SILENT, 0, ADVICE_TOLD, "that address stands in the OTA reply" },
	{ WHY_CLOSED, 0, ADVICE_TOLD, "that address stands in the OTA reply" },
	{ WHY_CLOSED, 0, ADVICE_BROKER | ADVICE_TOLD, NULL },
	{ WHY_FOREIGN, 0, ADVICE_TOLD, "that address stands in the OTA reply" },
	{ WHY_FOREIGN, 0, ADVICE_BROKER | ADVICE_TOLD, NULL },
	{ WHY_FOREIGN, 0, ADVICE_OTA, "OTA of a backend" },
	{ WHY_FOREIGN, 0, NONE, "is a WebSocket server there" },
	{ WHY_CUT, 0, ADVICE_OTA, "OTA of a backend" },
	{ WHY_CUT, 0, NONE, NULL },
	{ WHY_TLS, 0, ADVICE_TOLD, NULL },
	{ WHY_OTHER, 0, ADVICE_TOLD, NULL },
	{ WHY_NONE, 401, NONE, NULL },
};

static void each_place_has_its_own(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct error why = { .kind = ERR_CONNECT,
					   .reason = (int)rows[i].reason,
					   .code = rows[i].code };
		const char *advice = advice_for(&why, rows[i].facts);

		if (!rows[i].says && advice)
			fail_msg("row %zu: %s", i, advice);
		if (rows[i].says && (!advice || !strstr(advice, rows[i].says)))
			fail_msg("row %zu: %s", i, advice ? advice : "none");
	}
}

static void credentials_refused_in_words(void **state)
{
	(void)state;
	assert_null(advice_for_credentials(ADVICE_BROKER));
	assert_non_null(strstr(advice_for_credentials(NONE), "give its token"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_place_has_its_own),
		cmocka_unit_test(credentials_refused_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
