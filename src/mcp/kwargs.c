/* SPDX-License-Identifier: MIT */
/* Arguments in the order of a schema, and one level further in. */
#include "mcp/kwargs.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

bool kwargs_wanted(const cJSON *server_info)
{
	return text_same(json_string(server_info, "name"), "mcp") &&
	       text_same(json_string(server_info, "version"), "0.0.1");
}

static void add_member(struct buf *out, const char *name, const char *text,
		       size_t len)
{
	if (out->data[out->len - 1] != '{')
		buf_char(out, ',');
	buf_json_string(out, name, strlen(name));
	buf_char(out, ':');
	buf_add(out, text, len);
}

/* Those of the schema, in its order. */
static int add_known(struct buf *out, const cJSON *properties,
		     struct span given, struct error *err)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, properties) {
		CLEANUP(buf_done) struct buf value = { 0 };
		struct span found = { 0 };

		if (json_span_member(given, each->string, &found)) {
			add_member(out, each->string, found.text, found.len);
			continue;
		}
		if (!json_member(each, "default")) {
			error_set(err, ERR_USAGE,
				  "the argument '%.100s' is missing",
				  each->string);
			return error_hint(
				err,
				"this server's SDK wants every argument that the schema names");
		}
		json_print(&value, json_member(each, "default"));
		add_member(out, each->string, value.data, value.len);
	}
	return 0;
}

static void add_others(struct buf *out, const cJSON *properties,
		       const cJSON *arguments, struct span given)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, arguments) {
		struct span found = { 0 };

		if (!json_member(properties, each->string) &&
		    json_span_member(given, each->string, &found))
			add_member(out, each->string, found.text, found.len);
	}
}

int kwargs_wrap(struct buf *out, const cJSON *schema, const char *arguments,
		struct error *err)
{
	const cJSON *properties = json_object(schema, "properties");
	struct span given = { arguments, strlen(arguments) };
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(given.text, given.len, NULL);

	buf_text(out, "{\"kwargs\":{");
	if (add_known(out, properties, given, err))
		return -1;
	add_others(out, properties, tree, given);
	buf_text(out, "}}");
	return 0;
}
