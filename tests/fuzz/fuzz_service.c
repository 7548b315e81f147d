/* SPDX-License-Identifier: MIT */
/*
 * A service, asked anything: each line of the input is a message, and a line
 * that begins with '<' is what a model said to be made regular. Every reply, and
 * what comes before it, is JSON; nothing outside is started. One with the ways of
 * small SDKs is asked the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "sim/normalise.h"
#include "sim/ollama.h"
#include "sim/service_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char profile[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"era\":\"both\",\"tools\":[{\"name\":"
	"\"q\",\"steps\":[{\"log\":\"${n}\",\"times\":2},{\"progress\":1},{\"ask\":{"
	"\"k\":{\"method\":\"elicitation/create\",\"params\":{\"requestedSchema\":{"
	"\"type\":\"object\",\"required\":[\"a\"]}}},\"r\":{\"method\":\"roots/list\","
	"\"optional\":true}},\"state\":true},{\"toggle\":{\"tool\":\"h\"}},{\"updated\":"
	"\"a:b\"}],\"result\":{\"template\":\"${answer.k.content.a.0}\"}},{\"name\":"
	"\"h\",\"hidden\":true,\"inputSchema\":{\"properties\":{\"p\":{\"x-mcp-header\":"
	"\"P\"}}},\"result\":1},{\"name\":\"x\","
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
	"\"string\"},\"l\":{\"default\":[\"m\"]}}},\"outputSchema\":{\"type\":"
	"\"object\"},\"result\":{\"template\":\"${a}, ${l}\"}},{\"name\":\"j\","
	"\"result\":{\"json\":{\"a\":1}}}],\"prompts\":[{\"name\":\"p\","
	"\"arguments\":[{\"name\":\"a\",\"required\":true,\"values\":[\"v\"]},{"
	"\"name\":\"b\",\"default\":\"d\"}],\"text\":\"${a}${b}\"}],"
	"\"resources\":[{\"uri\":\"a:b\",\"text\":\"t\"}],\"templates\":[{"
	"\"uriTemplate\":\"t:{x}-{y}\",\"text\":\"${x}${y}\",\"values\":{\"x\":[\"v\"]}}"
	"]}";

/* Of the same service, put before its other members. */
static const char ways[] =
	"{\"ways\":{\"every_argument\":true,\"lax\":true,\"newest_first\":true,"
	"\"page_max\":1024,\"text_max\":3,\"not_found\":-32002,"
	"\"early_result\":true},";

static const char rules_text[] =
	"{\"into\":\"e\",\"only\":\"l\",\"empty\":[\"null\"],\"members\":{"
	"\"m\":{\"type\":\"text\",\"also\":[\"n\"],\"glob\":\"*\"},\"k\":{"
	"\"type\":\"text\",\"enum\":[\"v\"]},\"b\":{\"type\":\"boolean\"},"
	"\"c\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"percent\":"
	"true,\"default\":0.5,\"always\":true}}}";

static bool on_tell(void *owner, const char *text, size_t len)
{
	(void)owner;
	if (json_check(text, len, NULL))
		abort();
	return true;
}

static void on_reply(void *owner, const char *reply, size_t len)
{
	(void)owner;
	if (len && json_check(reply, len, NULL))
		abort();
}

static void said(const char *text, size_t len)
{
	static cJSON *rules, *arguments;
	struct error err = { 0 };
	cJSON *found, *made;
	struct buf words;

	if (!rules) {
		rules = cJSON_Parse(rules_text);
		arguments = cJSON_Parse("{\"l\":[\"m\",\"k\",\"b\"]}");
	}
	buf_init(&words, OUTSIDE_ANSWER_MAX);
	if (ollama_words(text, len, &words, &err) && !err.kind)
		abort();
	error_reset(&err);
	buf_done(&words);
	found = normalise_find(text, len);
	if (!found)
		return;
	made = normalise(rules, arguments, found);
	if (!json_member(json_object(made, "e"), "c"))
		abort();
	cJSON_Delete(made);
	cJSON_Delete(found);
}

/* With the headers that the message should have, and one that it may not. */
static void ask(struct service_client *client, const char *text, size_t len)
{
	static const struct mcp_hearer hearer = { .done = on_reply,
						  .tell = on_tell };
	static char version[] = "MCP-Protocol-Version", newest[] = "2026-07-28",
		    method[] = "Mcp-Method", call[] = "tools/call",
		    name[] = "Mcp-Name",
		    coded[] = "=?base64?aA==?=", param[] = "Mcp-Param-P",
		    value[] = "=?base64?eA==?=";
	struct header fields[] = { { version, newest },
				   { method, call },
				   { name, coded },
				   { param, value } };
	const struct headers headers = { fields, COUNT(fields), 0 };
	const struct mcp_said said = { text, len, len % 2 ? &headers : NULL };

	/* What stays open waits for the client: for its end, in time. */
	service_hear(client, &said, &hearer, NULL);
}

static struct service *load(const char *text, struct loop *loop)
{
	const struct service_config config = { .loop = loop };
	struct service *s = service_load_text(text, "fuzz.json", &config, NULL);

	if (!s)
		abort();
	return s;
}

static void ask_all(struct service *s, const char *text, size_t size)
{
	struct service_client *client = service_client_new(s);
	const char *end;
	size_t len;

	for (; size; text += len, size -= len) {
		end = memchr(text, '\n', size);
		len = end ? (size_t)(end - text) + 1 : size;
		if (*text == '<')
			said(text + 1, len - 1);
		else
			ask(client, text, len);
	}
	service_client_free(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct service *service, *small;
	static struct loop *loop;

	if (!service) {
		CLEANUP(mem_free_ptr) char *with_ways = NULL;

		mem_init();
		if (loop_new(&loop, NULL))
			abort();
		with_ways = mem_printf("%s%s", ways, profile + 1);
		service = load(profile, loop);
		small = load(with_ways, loop);
	}
	ask_all(service, (const char *)data, size);
	ask_all(small, (const char *)data, size);
	loop_poll(loop);
	return 0;
}
