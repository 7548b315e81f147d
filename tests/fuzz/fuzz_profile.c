/* SPDX-License-Identifier: MIT */
/* Profile files: read, and where they are good, every tool is called once. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const struct profile *p, const struct firmware_tool *t)
{
	struct firmware_call call = { .tool = t };
	struct rule_world world = { .profile = p, .device_id = "d" };
	struct firmware_reply reply;
	struct firmware_outcome o;
	struct rule_result result;
	struct buf body;
	size_t i;

	call.value = mem_zalloc((t->argument_count + 1) * sizeof(*call.value));
	for (i = 0; i < t->argument_count; i++)
		call.value[i].text = mem_strdup("7");
	rule_run(&world, &call, &result);
	o = (struct firmware_outcome){ .kind = result.kind,
				       .text = buf_string(&result.text),
				       .len = result.text.len,
				       .mime = result.mime };
	buf_init(&body, 0);
	firmware_outcome(&call, &o, &body, &reply);
	if (reply.len != body.len)
		abort();
	buf_done(&body);
	rule_result_done(&result);
	rule_state_free(p, world.state);
	for (i = 0; i < t->argument_count; i++)
		mem_free(call.value[i].text);
	mem_free(call.value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool started;
	struct error err = { 0 };
	struct profile *p;
	char *text;
	size_t i;

	if (!started)
		mem_init();
	started = true;
	text = mem_strndup((const char *)data, size);
	/* other files are not this test's matter */
	p = text_find(text, "extends") || strstr(text, "\\u") ?
		    NULL :
		    profile_parse((const char *)data, size, "fuzz.json", &err);
	if (!p && err.kind && !strstr(err.text, "fuzz.json"))
		abort();
	for (i = 0; p && i < p->catalog.count && i < 50; i++)
		run(p, p->catalog.tool + i);
	profile_free(p);
	error_reset(&err);
	mem_free(text);
	return 0;
}
