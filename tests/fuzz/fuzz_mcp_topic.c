/* SPDX-License-Identifier: MIT */
/*
 * Any bytes, cut at the first newline: a topic (what it is taken apart into makes
 * the same topic again), then a presence, a schema's tool and its arguments.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/kwargs.h"
#include "wire/mcp_topic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void there_and_back(const char *topic)
{
	struct mcp_topic t;
	char *client, *again;

	mcp_topic_read(&t, topic);
	if (t.kind == MCP_TOPIC_NONE || t.kind == MCP_TOPIC_DRAFT)
		return;
	client = mem_strndup(t.client.text ? t.client.text : "", t.client.len);
	again = mcp_topic_make(t.kind, client, t.server);
	assert(!strcmp(again, topic));
	if (t.server)
		assert(t.id.len > 0 && t.name.len > 0 &&
		       !memchr(t.id.text, '/', t.id.len));
	mem_free(client);
	mem_free(again);
}

static void filters(const char *text)
{
	char *filter;

	if (!*text || mcp_filter_check(text, NULL))
		return;
	filter = mcp_presence_filter(text);
	assert(!strncmp(filter, "$mcp-server/presence/", 21));
	if (mcp_filter_is_exact(text))
		there_and_back(filter);
	mem_free(filter);
}

static void arguments(const char *text, size_t len)
{
	cJSON *tree = json_parse(text, len, NULL);
	struct buf out = { 0 };

	if (cJSON_IsObject(tree)) {
		char *given = mem_strndup(text, len);

		if (kwargs_wrap(&out, tree, given, NULL) == 0) {
			cJSON *again = json_parse(out.data, out.len, NULL);

			assert(json_object(again, "kwargs"));
			cJSON_Delete(again);
		}
		mem_free(given);
	}
	kwargs_wanted(tree);
	cJSON_Delete(tree);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	const char *rest = (const char *)memchr(data, '\n', size);
	struct mcp_presence p;

	text[strcspn(text, "\n")] = '\0';
	there_and_back(text);
	filters(text);
	if (rest) {
		size_t len = size - (size_t)(rest + 1 - (const char *)data);

		mcp_presence_read(&p, rest + 1, len);
		assert(!(p.gone && p.online));
		mcp_presence_done(&p);
		arguments(rest + 1, len);
	}
	mem_free(text);
	return 0;
}
