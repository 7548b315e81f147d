/* SPDX-License-Identifier: MIT */
/*
 * What a person is told instead of bytes.
 */
#include "out/content.h"

#include "base/picture.h"
#include "base/text.h"
#include "out/wrap.h"

bool content_has_bytes(const struct content *c)
{
	/* The text of an embedded resource is shown as text. */
	if (c->inside)
		return false;
	return !c->bad_data && c->data.len > 0;
}

/* ", 1,204 bytes, 64x48" */
static void describe_size(struct buf *out, const struct content *c)
{
	unsigned width, height;
	buf_text(out, ", ");
	wrap_count(out, c->data.len, "byte");
	if (c->kind != CONTENT_AUDIO &&
	    picture_size(c->data.data, c->data.len, &width, &height))
		buf_printf(out, ", %ux%u", width, height);
}

static void describe_bytes(struct buf *out, const struct content *c)
{
	const char *kind = c->kind == CONTENT_IMAGE ? "image" : "audio";
	wrap_name(out, c->mime ? c->mime : kind);
	if (c->bad_data) {
		buf_text(out, ", not valid base64");
		return;
	}
	describe_size(out, c);
	if (c->wrapped)
		buf_text(out, ", wrapped in a string");
}

static void describe_address(struct buf *out, const struct content *c,
			     const char *what)
{
	buf_text(out, what);
	wrap_name(out, c->text ? c->text : "(no URI)");
	if (c->mime) {
		buf_text(out, " (");
		wrap_name(out, c->mime);
		buf_char(out, ')');
	}
	if (content_has_bytes(c))
		describe_size(out, c);
	else if (c->kind == CONTENT_RESOURCE && !c->inside && c->bad_data)
		buf_text(out, ", not valid base64");
}

void content_describe(struct buf *out, const struct content *c)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	switch (c->kind) {
	case CONTENT_IMAGE:
	case CONTENT_AUDIO:
		describe_bytes(out, c);
		break;
	case CONTENT_RESOURCE:
		describe_address(out, c, "resource ");
		break;
	case CONTENT_LINK:
		describe_address(out, c, "link ");
		break;
	case CONTENT_TEXT:
	case CONTENT_UNKNOWN:
		json_print(&json, c->json);
		text_safe(out, buf_string(&json), json.len, TEXT_JSON);
		break;
	}
}
