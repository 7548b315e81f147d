/* SPDX-License-Identifier: MIT */
/*
 * elicitation/create: what is checked before anybody is asked, and the answers
 * that need nobody.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/requests_private.h"

void question_wrong(const struct question *q, const struct error *why)
{
	question_refuse(q, JSONRPC_INVALID_PARAMS, why->text);
	question_note(q, "refused: %s", why->text);
}

static const char *const actions[] = {
	[ELICIT_DECLINE] = "decline", [ELICIT_CANCEL] = "cancel"
};

/* ---- forms ---- */

static void decline(const struct question *q, const char *why)
{
	question_action(q, "decline", NULL);
	question_note(q, "declined: %s (--elicit)", why);
}

/* The names alone: values may be secrets. */
static void accept_form(const struct question *q, const cJSON *content)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	const cJSON *one;

	cJSON_ArrayForEach(one, content) {
		buf_printf(&names, "%s%s", names.len ? ", " : "", one->string);
	}
	question_action(q, "accept", content);
	question_note(q, "accepted (--elicit)%s%s", names.len ? ": " : "",
		      buf_string(&names));
}

/* From the file, or the defaults of the schema. */
static void fill_in(const struct question *q, const struct form *f)
{
	CLEANUP(json_free_ptr) cJSON *content = form_pick(f, q->of->values);
	CLEANUP(buf_done) struct buf missing = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	form_complete(f, content, &missing);
	if (missing.len) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("no value for %s", missing.data);

		decline(q, text);
	} else if (form_check(f, content, &why) != 0) {
		decline(q, why.text);
	} else {
		accept_form(q, content);
	}
}

static void answer_form(struct question *q)
{
	CLEANUP(form_done) struct form f = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (form_read(&f, json_member(q->params, "requestedSchema"), &why) != 0)
		question_wrong(q, &why);
	else if (q->of->elicit == ELICIT_ASK)
		requests_ask(q);
	else
		fill_in(q, &f);
}

/* ---- pages in a browser ---- */

/* A backslash is a slash to a browser. */
static char *find_host(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	size_t len = strcspn(host, "/\\?#");

	/* What stands before the last '@' is user and password. */
	while (len > 0 && host[len - 1] != '@')
		len--;
	host += len;
	if (*host == '[')
		len = strcspn(host, "]") + 1;
	else
		len = strcspn(host, ":/\\?#");
	return mem_strndup(host, len);
}

char *question_url_host(const char *url, struct error *err)
{
	bool web = strncasecmp(url, "https://", 8) == 0 ||
		   strncasecmp(url, "http://", 7) == 0;
	CLEANUP(mem_free_ptr) char *host = NULL;

	if (!web) {
		error_set(err, ERR_USAGE,
			  "the URL begins neither with https:// nor http://");
		return NULL;
	}
	for (const char *p = url; *p; p++) {
		if ((unsigned char)*p > ' ' && *p != 0x7f)
			continue;
		error_set(err, ERR_USAGE,
			  "the URL has a space or a control character");
		return NULL;
	}
	host = find_host(url);
	if (*host)
		return TAKE(host);
	error_set(err, ERR_USAGE, "the URL has no host");
	return NULL;
}

static void answer_url(struct question *q)
{
	const struct client_answers declared = requests_declares(q->of);
	const char *url = json_string(q->params, "url");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *host = NULL;

	if (!declared.elicit_url)
		error_set(&why, ERR_USAGE, "the mode url was not declared");
	else if (!url)
		error_set(&why, ERR_USAGE, "the url is missing");
	else
		host = question_url_host(url, &why);
	if (!host)
		question_wrong(q, &why);
	else
		requests_ask(q);
}

void requests_elicit(struct question *q)
{
	const char *mode = json_string(q->params, "mode");
	const char *action = NULL;
	CLEANUP(error_reset) struct error why = { 0 };

	if (q->of->elicit == ELICIT_DECLINE || q->of->elicit == ELICIT_CANCEL)
		action = actions[q->of->elicit];
	if (action) {
		question_action(q, action, NULL);
		question_note(q, "answered '%s' (--elicit)", action);
	} else if (!mode || strcmp(mode, "form") == 0) {
		answer_form(q);
	} else if (strcmp(mode, "url") == 0) {
		answer_url(q);
	} else {
		error_set(&why, ERR_USAGE, "the mode '%.40s' is not known",
			  mode);
		question_wrong(q, &why);
	}
}
