/* SPDX-License-Identifier: MIT */
/*
 * What servers say of OAuth: metadata, tokens, registrations, what a browser
 * brings back, URLs. The first byte says which.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "auth/grants.h"
#include "auth/url.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_resource(const char *text, size_t len)
{
	struct resource_metadata m;

	if (resource_metadata_read(&m, text, len, "https://h/mcp", NULL) == 0 &&
	    !m.issuers.count)
		abort();
	resource_metadata_done(&m);
}

static void read_server(const char *text, size_t len)
{
	struct server_metadata m;

	if (server_metadata_read(&m, text, len, "https://h", false, NULL) ==
		    0 &&
	    strncmp(m.token, "https://", 8) != 0 &&
	    strncmp(m.token, "HTTPS://", 8) != 0 &&
	    auth_url_check(m.token, "", false, NULL))
		abort();
	server_metadata_done(&m);
}

static void read_answers(const char *text, size_t len)
{
	struct token_answer t;
	struct registration r;
	char *grant;

	token_answer_read(&t, 200, text, len, "h", NULL);
	token_answer_done(&t);
	registration_read(&r, 201, (struct span){ text, len }, PROOF_NONE, "h",
			  NULL);
	registration_done(&r);
	if (exchange_read(&grant, 200, (struct span){ text, len }, "h", NULL) ==
		    0 &&
	    !*grant)
		abort();
	mem_free(grant);
}

static void read_redirect(const char *text)
{
	const struct redirect_rules rules = { .state = "s",
					      .issuer = "https://h" };
	char *code = NULL;

	if (redirect_read(&code, text, &rules, NULL) == 1 && !*code)
		abort();
	mem_free(code);
}

static void read_url(const char *text)
{
	char *resource = auth_url_resource(text);
	struct words places = { 0 };

	if (resource && !auth_url_covers(resource, resource))
		abort();
	resource_metadata_places(&places, text);
	server_metadata_places(&places, text);
	words_done(&places);
	mem_free(resource);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = mem_copy(data + 1, size - 1);
	switch (*data % 5) {
	case 0:
		read_resource(text, size - 1);
		break;
	case 1:
		read_server(text, size - 1);
		break;
	case 2:
		read_answers(text, size - 1);
		break;
	case 3:
		read_redirect(text);
		break;
	default:
		read_url(text);
	}
	mem_free(text);
	return 0;
}
