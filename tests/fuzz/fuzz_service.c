/* SPDX-License-Identifier: MIT */
/*
 * A service, asked anything: each line of the input is a message, and a line
 * that begins with '<' is what a model said to be made regular. Every reply is
 * JSON; nothing outside is started.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "sim/normalise.h"
#include "sim/ollama.h"
#include "sim/service_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char profile[] =
	"{\"kind\":\"service\",\"name\":\"s\",\"tools\":[{\"name\":\"x\","
	"\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
	"\"string\"},\"l\":{\"default\":[\"m\"]}}},\"outputSchema\":{\"type\":"
	"\"object\"},\"result\":{\"template\":\"${a}, ${l}\"}},{\"name\":\"j\","
	"\"result\":{\"json\":{\"a\":1}}}],\"prompts\":[{\"name\":\"p\","
	"\"arguments\":[{\"name\":\"a\",\"required\":true,\"values\":[\"v\"]},{"
	"\"name\":\"b\",\"default\":\"d\"}],\"text\":\"${a}${b}\"}],"
	"\"resources\":[{\"uri\":\"a:b\",\"text\":\"t\"}]}";

static const char rules_text[] =
	"{\"into\":\"e\",\"only\":\"l\",\"empty\":[\"null\"],\"members\":{"
	"\"m\":{\"type\":\"text\",\"also\":[\"n\"],\"glob\":\"*\"},\"k\":{"
	"\"type\":\"text\",\"enum\":[\"v\"]},\"b\":{\"type\":\"boolean\"},"
	"\"c\":{\"type\":\"number\",\"minimum\":0,\"maximum\":1,\"percent\":"
	"true,\"default\":0.5,\"always\":true}}}";

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct service *service;
	const struct service_config config = { .loop = NULL };
	struct service_client *client;
	const char *text = (const char *)data, *end;
	size_t len;

	if (!service) {
		mem_init();
		service =
			service_load_text(profile, "fuzz.json", &config, NULL);
		if (!service)
			abort();
	}
	client = service_client_new(service);
	for (; size; text += len, size -= len) {
		end = memchr(text, '\n', size);
		len = end ? (size_t)(end - text) + 1 : size;
		if (*text == '<')
			said(text + 1, len - 1);
		else if (service_ask(client, text, len, on_reply, NULL))
			abort(); /* nothing here takes time */
	}
	service_client_free(client);
	return 0;
}
