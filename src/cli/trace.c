/* SPDX-License-Identifier: MIT */
/*
 * The trace file. Its form is stable: see `help json` and trace.h.
 */
#include "cli/trace.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/mask.h"

#include <inttypes.h>
#include <string.h>

FILE *trace_open(const char *path, struct error *err)
{
	int fd = file_create("trace", path, false, err);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

static void add_hex(struct buf *out, const unsigned char *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	buf_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		buf_char(out, digits[data[i] >> 4]);
		buf_char(out, digits[data[i] & 15]);
	}
	buf_char(out, '"');
}

void trace_write(FILE *out, const struct trace *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const char *data = t->len ? t->data : "";
	bool text = strcmp(t->kind, "binary") != 0 &&
		    !memchr(data, '\0', t->len) && text_is_utf8(data, t->len);

	buf_printf(&line, "{\"t\":%" PRId64 ",", t->at_us);
	if (t->device) {
		buf_text(&line, "\"device\":");
		buf_json_string(&line, t->device, strlen(t->device));
		buf_char(&line, ',');
	}
	buf_printf(&line, "\"dir\":\"%s\",\"kind\":\"%s\",\"size\":%zu,",
		   t->outgoing ? "out" : "in", t->kind, t->len);
	if (text) {
		CLEANUP(buf_done) struct buf masked = { 0 };

		mask_secrets(&masked, data, t->len);
		buf_text(&line, "\"text\":");
		buf_json_string(&line, buf_string(&masked), masked.len);
	} else {
		buf_text(&line, "\"hex\":");
		add_hex(&line, (const unsigned char *)data, t->len);
	}
	buf_text(&line, "}\n");
	fwrite(line.data, 1, line.len, out);
	fflush(out);
}

int trace_close(FILE *out, const char *path, struct error *err)
{
	if (!out)
		return 0;

	bool lost = ferror(out) != 0;

	if (fclose(out) != 0 || lost)
		return error_set(err, ERR_OUTPUT,
				 "'%s' could not be written whole", path);
	return 0;
}
