/* SPDX-License-Identifier: MIT */
/*
 * Asks, waits for the line, and keeps the answer. What is shown is
 * named_trust's matter.
 */
#include "cli/trust_ask.h"

#include "base/text.h"
#include "cli/named_trust.h"
#include "cli/prompt.h"

struct trust_asking {
	struct prompt *prompt;
	bool answered, yes;
};

static void on_line(void *owner, const char *line)
{
	struct trust_asking *a = owner;

	a->yes = line && (text_same(line, "y") || text_same(line, "yes"));
	a->answered = true;
}

static int ask(struct app *app, const char *text, bool *yes, struct error *err)
{
	struct trust_asking a = { 0 };
	int status;

	if (app_open_loop(app, err) != 0 ||
	    prompt_open(&a.prompt, app, on_line, &a, err) != 0)
		return -1;
	prompt_say(a.prompt, text);
	prompt_ask(a.prompt, "Trust it, as it is now? [y: yes, N: no] ");
	status = loop_wait(app->loop, &a.answered, LOOP_FOREVER, err);
	prompt_close(a.prompt);
	*yes = a.yes;
	return status;
}

int trust_ask(struct app *app, const struct named_file *f, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *obstacle = prompt_obstacle(app);
	bool yes;

	if (obstacle)
		return named_trust_refuse(f, obstacle, err);
	if (!named_trust_question(&text, f))
		return named_trust_refuse(
			f, "it is too long to be shown here: read it", err);
	if (ask(app, buf_string(&text), &yes, err) != 0)
		return -1;
	if (!yes)
		return named_trust_refuse(f, NULL, err);
	if (trust_store_keep(f->path, f->text.data, f->text.len, err) == 0)
		return 0;
	return error_hint(err, "--trust takes it for one command, and keeps "
			       "nothing");
}
