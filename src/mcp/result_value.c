/* SPDX-License-Identifier: MIT */
#include "mcp/result_value.h"

#include <string.h>

#include "base/json_scan.h"

/* NULL: there is none, or there are several. */
static const char *only_text(const struct result *result)
{
	const char *text = NULL;

	for (size_t i = 0; i < result->count; i++) {
		const struct content *c = &result->content[i];

		if (c->kind != CONTENT_TEXT || !c->text)
			continue;
		if (text)
			return NULL;
		text = c->text;
	}
	return text;
}

static void add_text(struct buf *out, const char *text)
{
	size_t len = strlen(text);

	if (json_check(text, len, NULL) == 0)
		json_minify(out, text, len);
	else
		buf_json_string(out, text, len);
}

void result_value(struct buf *out, const struct result *result)
{
	const struct span all = { result->message.text, result->message.len };
	const char *text = only_text(result);
	struct span whole, structured;

	if (!all.text || !json_span_member(all, "result", &whole))
		buf_text(out, "null");
	else if (json_span_member(whole, "structuredContent", &structured) &&
		 !json_span_literal(structured, "null"))
		json_minify(out, structured.text, structured.len);
	else if (text)
		add_text(out, text);
	else
		json_minify(out, whole.text, whole.len);
}
