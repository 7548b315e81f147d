/* SPDX-License-Identifier: MIT */
/* What a command of the user (--vision-exec) says of a picture. */
#include <string.h>

#include "base/mem.h"
#include "serve/door_vision.h"

#define OUTPUT_KEPT 16384

static void on_line(void *owner, bool is_err, const char *line)
{
	struct vision *p = owner;

	if (!is_err || !line[strspn(line, " \t\r")])
		return;
	mem_free(p->last_words);
	p->last_words = mem_strdup(line);
}

static void on_ended(void *owner, int status)
{
	struct vision *p = owner;
	const struct buf *out = child_output(p->child, false);
	size_t len = out->len;
	CLEANUP(mem_free_ptr) char *problem = NULL;

	p->child = NULL;
	while (len > 0 && strchr("\r\n", out->data[len - 1]))
		len--;
	if (status) {
		problem = mem_printf("the vision command ended with status "
				     "%d%s%s",
				     status, p->last_words ? ": " : "",
				     p->last_words ? p->last_words : "");
		vision_fail(p, problem);
		return;
	}
	vision_answer(p, true, buf_string(out), len);
	vision_tell(p, RECORD_VISION, NULL);
	vision_end(p);
}

static const struct child_events events = { .line = on_line,
					    .ended = on_ended };

static void on_time_over(void *owner)
{
	struct vision *p = owner;
	CLEANUP(mem_free_ptr)
	char *problem = mem_printf("the vision command took longer than %lld "
				   "ms and was ended",
				   (long long)p->door->exec_limit);

	child_abandon(TAKE(p->child));
	vision_fail(p, problem);
}

/* sh -c COMMAND, which finds FILE and QUESTION as $1 and $2. */
static void command_line(struct words *argv, const struct vision *p)
{
	words_add(argv, "sh");
	words_add(argv, "-c");
	words_add(argv, p->door->server->config.vision_exec);
	words_add(argv, "sh");
	words_add(argv, p->upload.file);
	words_add(argv, p->upload.question ? p->upload.question : "");
}

static int start_command(struct vision *p, struct error *err)
{
	const char *question = p->upload.question ? p->upload.question : "";
	const char *id = p->device_id ? p->device_id : "";
	CLEANUP(words_done) struct words argv = { 0 };
	CLEANUP(mem_free_ptr)
	char *file = mem_printf("MCPCTL_FILE=%s", p->upload.file);
	CLEANUP(mem_free_ptr)
	char *asked = mem_printf("MCPCTL_QUESTION=%s", question);
	CLEANUP(mem_free_ptr) char *device = mem_printf("MCPCTL_DEVICE=%s", id);
	const char *const env[] = { file, asked, device, NULL };
	struct child_options options = { .env = env,
					 .out = CHILD_PIPE,
					 .err = CHILD_PIPE,
					 .keep = OUTPUT_KEPT };

	command_line(&argv, p);
	options.argv = argv.word;
	return child_start(&p->child, p->door->server->loop, &options, &events,
			   p, err);
}

/* Answered when the command has ended. */
void vision_by_command(struct vision *p)
{
	struct door *d = p->door;
	struct error err = { 0 };

	if ((!p->upload.file && upload_spool(&p->upload, &err)) ||
	    start_command(p, &err)) {
		vision_fail(p, err.text);
		error_reset(&err);
		return;
	}
	buf_done(&p->upload.data);
	timer_open(&p->timer, d->server->loop, on_time_over, p);
	timer_start(&p->timer, d->exec_limit);
	p->next = d->jobs;
	if (p->next)
		p->next->link = &p->next;
	p->link = &d->jobs;
	d->jobs = p;
	d->job_count++;
}
