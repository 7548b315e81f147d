/* SPDX-License-Identifier: MIT */
/*
 * Help must come at once: few questions, little patience, no complaints.
 */
#include "cli/brief_devices.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/serve_client.h"
#include "cli/serve_target.h"
#include "net/control_path.h"
#include "out/wrap.h"

enum {
	PATIENCE_MS = 300,
	NAME_WIDTH_MAX = 36,
	SHOWN = 4, /* devices with a line of their own */
	ASKED = 50 /* of more only their number is told */
};

struct brief {
	struct app *app;
	struct serve_client *serve;
	int64_t deadline;
	struct buf text;
	size_t name_width;
};

static int ask(struct brief *b, const char *question, struct error *why)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, question);
	return serve_client_send(b->serve, &json, why);
}

/* One that is longer shifts its own line, not all of them. */
static void widen(struct brief *b, const cJSON *device)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	size_t width;

	wrap_name(&name, render_device_name(device));
	width = text_width(buf_string(&name), name.len);
	if (width > NAME_WIDTH_MAX)
		width = NAME_WIDTH_MAX;
	if (width > b->name_width)
		b->name_width = width;
}

static void add_device(struct brief *b, const cJSON *device)
{
	static const char *const members[] = { "board", "version", "state" };
	CLEANUP(buf_done) struct buf name = { 0 };
	struct buf *out = &b->text;

	wrap_name(&name, render_device_name(device));
	buf_printf(out, "  %s", buf_string(&name));
	wrap_pad(out, text_width(buf_string(&name), name.len), b->name_width);
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *text = json_string(device, members[i]);

		if (!text || !*text)
			continue;
		buf_text(out, "  ");
		wrap_name(out, text);
	}
	buf_char(out, '\n');
}

static int add_devices(struct brief *b, struct error *why)
{
	struct serve_answer first[SHOWN] = { 0 };
	size_t count = 0;
	int status;

	status = ask(b, "{\"op\":\"devices\"}", why);
	while (status == 0) {
		CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };

		status = serve_client_next(b->serve, b->deadline, &answer, why);
		if (status != 0 || strcmp(answer.op, "end") == 0)
			break;
		if (count++ >= SHOWN)
			continue;
		widen(b, json_object(answer.json, "device"));
		first[count - 1] = answer;
		answer = (struct serve_answer){ 0 };
	}
	for (size_t i = 0; i < count && i < SHOWN; i++) {
		if (status == 0)
			add_device(b, json_object(first[i].json, "device"));
		serve_answer_done(&first[i]);
	}
	if (status != 0)
		return -1;
	if (count > SHOWN)
		buf_printf(&b->text, "  and %zu more: mcpctl devices\n",
			   count - SHOWN);
	return 0;
}

static int describe(struct brief *b, struct error *why)
{
	CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };
	int64_t pid = 0, devices = 0;

	if (ask(b, "{\"op\":\"status\"}", why) != 0 ||
	    serve_client_next(b->serve, b->deadline, &answer, why) != 0)
		return -1;
	json_integer(answer.json, "pid", &pid);
	json_integer(answer.json, "devices", &devices);
	buf_printf(&b->text, "\nA serve is running (pid %" PRId64 "), with ",
		   pid);
	if (devices <= 0) {
		buf_text(&b->text, "no device now: 'mcpctl devices' tells the "
				   "next step\n");
		return 0;
	}
	wrap_count(&b->text, (uint64_t)devices, "device");
	if (devices > ASKED) {
		buf_text(&b->text, ": mcpctl devices\n");
		return 0;
	}
	buf_text(&b->text, ":\n");
	return add_devices(b, why);
}

static bool has_socket(const struct app *app)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	bool exists = false;

	return serve_target_path(app, &path, NULL) == 0 &&
	       control_path_check(path, &exists, NULL) == 0 && exists;
}

void brief_devices(struct app *app)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct brief b = { .app = app };

	if (!has_socket(app) || serve_client_open(&b.serve, app, &why) != 0)
		return;
	b.deadline = loop_now() + PATIENCE_MS;
	if (describe(&b, &why) == 0)
		fputs(buf_string(&b.text), app->out.out);
	buf_done(&b.text);
	serve_client_free(b.serve);
}
