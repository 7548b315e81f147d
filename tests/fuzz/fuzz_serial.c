/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a serial log: lines within their limit, without escape
 * sequences; judged, their addresses read, the findings as JSON. Lines that
 * begin with '{' are frames that pass meanwhile.
 */
#include <assert.h>
#include <string.h>

#include "diag/finding.h"
#include "diag/serial_rules.h"
#include "wire/panic_text.h"
#include "wire/serial_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct diag diag;
	struct serial_judge judge;
	struct panic_text panic;
	int64_t at_us;
};

static void on_line(void *owner, struct span line, size_t over)
{
	struct seen *s = owner;
	const struct diag_frame f = { .at_us = s->at_us,
				      .from_device = over == 0,
				      .data = line.text,
				      .len = line.len };

	assert(line.len > 0 && line.len <= SERIAL_LINE_MAX);
	assert(!memchr(line.text, '\x1b', line.len));
	assert(!memchr(line.text, '\r', line.len));
	s->at_us += 700000;
	if (*line.text == '{')
		serial_judge_frame(&s->judge, &f);
	serial_judge_line(&s->judge, line, s->at_us);
	if (panic_text_line(&s->panic, line)) {
		assert(s->panic.count > 0 && s->panic.count <= PANIC_ADDRESSES);
		panic_text_reset(&s->panic);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct serial_splitter split;
	struct seen s = { 0 };
	struct buf out = { 0 };

	s.judge.diag = &s.diag;
	serial_split(&split, (const char *)data, size, on_line, &s);
	serial_flush(&split, on_line, &s);
	for (size_t i = 0; i < s.diag.count; i++)
		finding_json(&out, &s.diag.item[i], NULL);
	buf_done(&out);
	diag_done(&s.diag);
	return 0;
}
