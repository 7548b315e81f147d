/* SPDX-License-Identifier: MIT */
/* Contents of results: decoded, and made text. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/content.h"
#include "mcp/types.h"

/*
 * The answer to tools/call: its content, one by one, and the firmware's
 * wrapped image. What a result means for the exit status is the client's.
 */

static void decode_data(struct content *c, const cJSON *object,
			const char *name)
{
	const char *text = json_string(object, name);

	c->bad_data =
		!text || text_base64_decode(text, strlen(text), &c->data) < 0;
	if (c->bad_data)
		buf_reset(&c->data);
}

static void decode_text(struct content *c)
{
	c->text = json_string(c->json, "text");
	if (!c->text)
		c->kind = CONTENT_UNKNOWN;
}

/* Firmware puts {"type","mimeType","data"} as text into "image" (device.md 3.6). */
static void decode_image(struct content *c)
{
	const char *inside = json_string(c->json, "image");
	const cJSON *object = c->json;

	if (inside && !json_member(c->json, "data")) {
		c->wrapped = true;
		c->inner = json_parse(inside, strlen(inside), NULL);
		object = c->inner;
	}
	c->mime = json_string(object, "mimeType");
	decode_data(c, object, "data");
}

static void decode_audio(struct content *c)
{
	c->mime = json_string(c->json, "mimeType");
	decode_data(c, c->json, "data");
}

static void decode_link(struct content *c)
{
	c->text = json_string(c->json, "uri");
	c->mime = json_string(c->json, "mimeType");
}

static void decode_resource_members(struct content *c, const cJSON *resource)
{
	c->text = json_string(resource, "uri");
	c->mime = json_string(resource, "mimeType");
	c->inside = json_string(resource, "text");
	if (c->inside)
		buf_text(&c->data, c->inside);
	else
		decode_data(c, resource, "blob");
}

static void decode_resource(struct content *c)
{
	decode_resource_members(c, json_object(c->json, "resource"));
}

/* A resource {"uri","mimeType","text" or "blob"}; json is kept. */
static void content_decode_resource(struct content *c, const cJSON *resource)
{
	*c = (struct content){ .kind = CONTENT_RESOURCE, .json = resource };
	decode_resource_members(c, resource);
	if (!c->inside && !json_member(resource, "blob"))
		c->kind = CONTENT_UNKNOWN;
}

/* One element of "content", or "content" of a message; json is kept. */
static void content_decode(struct content *c, const cJSON *json)
{
	static const struct {
		const char *type;
		enum content_kind kind;
		void (*decode)(struct content *c);
	} kinds[] = {
		{ "text", CONTENT_TEXT, decode_text },
		{ "image", CONTENT_IMAGE, decode_image },
		{ "audio", CONTENT_AUDIO, decode_audio },
		{ "resource", CONTENT_RESOURCE, decode_resource },
		{ "resource_link", CONTENT_LINK, decode_link },
	};
	const char *type = json_string(json, "type");

	*c = (struct content){ .kind = CONTENT_UNKNOWN, .json = json };
	for (size_t i = 0; type && i < COUNT(kinds); i++) {
		if (strcmp(type, kinds[i].type) != 0)
			continue;
		c->kind = kinds[i].kind;
		kinds[i].decode(c);
	}
}

/* "true" and 1 are meant as true; servers with a loose JSON layer send them. */
static void decode_is_error(struct result *r)
{
	const cJSON *member = json_member(r->message.result, "isError");

	r->has_is_error = member != NULL;
	if (!member)
		return;
	r->odd_is_error = !cJSON_IsBool(member);
	if (cJSON_IsString(member))
		r->is_error = text_same(member->valuestring, "true");
	else if (cJSON_IsNumber(member))
		r->is_error =
			member->valuedouble < 0 || member->valuedouble > 0;
	else
		r->is_error = cJSON_IsTrue(member);
}

/* One more, zeroed. */
static struct content *result_add(struct result *r, size_t *capacity)
{
	r->content =
		mem_grow(r->content, capacity, r->count, sizeof(*r->content));
	r->content[r->count] = (struct content){ 0 };
	return &r->content[r->count++];
}

void result_decode_take(struct result *out, struct message *m)
{
	const cJSON *content, *element;
	size_t capacity = 0;

	*out = (struct result){ 0 };
	message_take(&out->message, m);
	decode_is_error(out);
	content = json_array(out->message.result, "content");
	cJSON_ArrayForEach(element, content) {
		content_decode(result_add(out, &capacity), element);
	}
}

void result_done(struct result *r)
{
	for (size_t i = 0; i < r->count; i++) {
		buf_done(&r->content[i].data);
		cJSON_Delete(r->content[i].inner);
	}
	mem_free(r->content);
	message_done(&r->message);
	*r = (struct result){ 0 };
}

/*
 * Contents of resources and messages of prompts, element by element. Shows
 * nothing; odd elements are kept as what they are.
 */

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
