/* SPDX-License-Identifier: MIT */
/*
 * Help must come at once: few questions, little patience, no complaints.
 */
#include "cli/brief_devices.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cli/serve_client.h"
#include "cli/serve_target.h"
#include "net/control_path.h"
#include "out/lines.h"

enum {
	PATIENCE_MS = 300,
	SHOWN = 4, /* devices with a line of their own */
	ASKED = 50 /* of more only their number is told */
};

struct brief {
	struct app *app;
	struct serve_client *serve;
	int64_t deadline;
	struct buf text;
};

static int ask(struct brief *b, const char *question, struct error *why)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, question);
	return serve_client_send(b->serve, &json, why);
}

static void add_device(struct brief *b, const cJSON *device)
{
	static const char *const members[] = { "board", "version", "state" };
	struct buf *out = &b->text;

	buf_text(out, "  ");
	lines_safe(out, render_device_name(device));
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *text = json_string(device, members[i]);

		if (!text || !*text)
			continue;
		buf_text(out, "  ");
		lines_safe(out, text);
	}
	buf_char(out, '\n');
}

static int add_devices(struct brief *b, struct error *why)
{
	size_t count = 0;
	bool end = false;

	if (ask(b, "{\"op\":\"devices\"}", why) != 0)
		return -1;
	while (!end) {
		CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };

		if (serve_client_next(b->serve, b->deadline, &answer, why) != 0)
			return -1;
		end = strcmp(answer.op, "end") == 0;
		if (!end && ++count <= SHOWN)
			add_device(b, json_object(answer.json, "device"));
	}
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
		buf_text(&b->text, "no device yet: mcpctl help board\n");
		return 0;
	}
	lines_count(&b->text, (uint64_t)devices, "device");
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
