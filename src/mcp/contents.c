/* SPDX-License-Identifier: MIT */
/*
 * Contents of resources and messages of prompts, element by element. Shows
 * nothing; odd elements are kept as what they are.
 */
#include "mcp/contents.h"

static int missing(const struct result *r, const char *method, const char *name,
		   struct error *err)
{
	error_set(err, ERR_PROTOCOL, "the result of %s has no '%s' array",
		  method, name);
	if (r->message.text)
		error_detail(err, r->message.text, r->message.len);
	return -1;
}

int contents_decode_take(struct result *out, struct message *m,
			 struct error *err)
{
	const cJSON *contents, *element;
	size_t capacity = 0;

	*out = (struct result){ 0 };
	message_take(&out->message, m);
	contents = json_array(out->message.result, "contents");
	if (!contents)
		return missing(out, "resources/read", "contents", err);
	cJSON_ArrayForEach(element, contents) {
		content_decode_resource(result_add(out, &capacity), element);
	}
	return 0;
}

/* A bare string is no content by the specification, but easy to send. */
static void add_content(struct result *out, size_t *capacity, const cJSON *json,
			const char *role)
{
	struct content *c = result_add(out, capacity);

	content_decode(c, json);
	if (cJSON_IsString(json)) {
		c->kind = CONTENT_TEXT;
		c->text = json->valuestring;
	}
	c->role = role;
}

static void add_message(struct result *out, size_t *capacity,
			const cJSON *message)
{
	const char *role = json_string(message, "role");
	const cJSON *content = json_member(message, "content"), *one;

	if (!cJSON_IsArray(content)) {
		add_content(out, capacity, content ? content : message, role);
		return;
	}
	cJSON_ArrayForEach(one, content) {
		add_content(out, capacity, one, role);
	}
}

int messages_decode_take(struct result *out, struct message *m,
			 struct error *err)
{
	const cJSON *messages, *element;
	size_t capacity = 0;

	*out = (struct result){ 0 };
	message_take(&out->message, m);
	messages = json_array(out->message.result, "messages");
	if (!messages)
		return missing(out, "prompts/get", "messages", err);
	cJSON_ArrayForEach(element, messages) {
		add_message(out, &capacity, element);
	}
	return 0;
}
