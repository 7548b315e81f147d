/* SPDX-License-Identifier: MIT */
#include "serve/pages_login.h"

#include <string.h>

#include "base/mem.h"
#include "serve/door.h"
#include "serve/pages_answer.h"
#include "serve/pages_parts.h"

#define LOGOUT_SUBJECT "\nlogout" /* no board's */

struct late_login {
	const struct front_table *front;
	struct front_request *rq;
	char *cookie; /* NULL: the token was wrong */
	int64_t due; /* loop_now() ms */
	struct late_login *next;
};

/* ---- answers ---- */

static void show_form(const struct front_table *front, struct front_request *rq,
		      int status, const char *words)
{
	CLEANUP(buf_done) struct buf page = { 0 };

	html_begin(&page, "Who is there?");
	buf_printf(
		&page,
		"<p>%s</p>\n<form method=\"post\" action=\"/login\"><label><span>Token</span><input type=\"password\" name=\"token\" autocomplete=\"current-password\" required autofocus><small>the content of the file that serve was given with --web-token-file</small></label><button>Enter</button></form>\n",
		words);
	html_end(&page);
	answer_page(front, rq, status, &page);
}

/* cookie NULL: it was wrong. */
static void answer(const struct front_table *front, struct front_request *rq,
		   const char *cookie)
{
	if (cookie)
		answer_go(front, rq, "/", cookie);
	else
		show_form(front, rq, 403, "That is not the token.");
}

/* ---- late ones ---- */

static void drop_first(struct pages_login *l)
{
	struct late_login *k = l->first;

	l->first = k->next;
	if (!l->first)
		l->last = NULL;
	l->count--;
	mem_free(k->cookie);
	mem_free(k);
}

static void on_time(void *owner)
{
	struct pages_login *l = owner;

	while (l->first && l->first->due <= loop_now()) {
		answer(l->first->front, l->first->rq, l->first->cookie);
		drop_first(l);
	}
	if (l->first)
		timer_start(&l->timer, l->first->due - loop_now());
}

static void keep_back(struct pages_login *l, const struct visit *v,
		      const char *cookie)
{
	struct late_login *k = mem_zalloc(sizeof(*k));

	*k = (struct late_login){ .front = v->port->front,
				  .rq = v->rq,
				  .cookie = mem_strdup(cookie),
				  .due = loop_now() + PAGES_LATE_MS };
	if (l->last)
		l->last->next = k;
	else
		l->first = k;
	l->last = k;
	if (l->count++ == 0)
		timer_start(&l->timer, PAGES_LATE_MS);
}

void pages_login_open(struct pages_login *l, struct loop *loop,
		      struct pages_access *access)
{
	l->access = access;
	timer_open(&l->timer, loop, on_time, l);
}

void pages_login_close(struct pages_login *l, void (*closed)(void *owner),
		       void *owner)
{
	while (l->first)
		drop_first(l);
	l->timer.owner = owner;
	timer_close(&l->timer, closed);
}

/* ---- a token is shown ---- */

/* A front_form_field; owner: the token's place. */
static void take_token(void *owner, const char *name, const char *filename,
		       const char *type, const char *data, size_t len)
{
	char **place = owner;

	(void)filename;
	(void)type;
	if (strcmp(name, "token") != 0 || *place)
		return;
	*place = mem_strndup(data, len);
}

static void tell_wrong(const struct visit *v)
{
	record_hint(record_of(door_of(v)->server, &v->who, RECORD_REFUSED,
			      LEVEL_WARN, "a browser showed a wrong token"),
		    "the right one is in the file of --web-token-file");
}

static void try_token(struct pages_login *l, const struct visit *v,
		      const char *given)
{
	bool late = false;
	CLEANUP(mem_free_ptr)
	char *cookie = pages_access_login(l->access, v->head, given, &late);

	/* Those that come late would fill the log. */
	if (!cookie && !late)
		tell_wrong(v);
	if (late && l->count < PAGES_LATE_MAX)
		keep_back(l, v, cookie);
	else
		answer(v->port->front, v->rq, cookie);
}

bool pages_login_visit(struct pages_login *l, const struct visit *v)
{
	const struct front_table *front = v->port->front;
	CLEANUP(mem_free_ptr) char *given = NULL;

	if (!l->access->token)
		return false;
	if (strcmp(v->head->method, "POST") != 0)
		show_form(front, v->rq, 200, "");
	else if (front->form(v->rq, take_token, &given, NULL) || !given)
		show_form(front, v->rq, 400, "No token came.");
	else
		try_token(l, v, given);
	if (given)
		explicit_bzero(given, strlen(given));
	return true;
}

/* ---- out ---- */

struct logout {
	char seal[SHA256_TEXT];
	bool all;
};

/* A front_form_field; owner: struct logout. */
static void take_logout(void *owner, const char *name, const char *filename,
			const char *type, const char *data, size_t len)
{
	struct logout *o = owner;

	(void)filename;
	(void)type;
	if (strcmp(name, "all") == 0)
		o->all = true;
	else if (strcmp(name, "seal") == 0 && len < sizeof(o->seal))
		memcpy(o->seal, data, len);
}

void pages_logout_form(const struct pages_login *l,
		       const struct front_head *head, struct buf *out)
{
	char seal[SHA256_TEXT];

	if (!l->access->token)
		return;
	pages_access_seal(l->access, head, LOGOUT_SUBJECT, seal);
	buf_printf(
		out,
		"<form method=\"post\" action=\"/logout\"><input type=\"hidden\" name=\"seal\" value=\"%s\"><button>Log out</button> <button name=\"all\" value=\"1\">Log out all browsers</button> <small>The first takes the cookie from this browser; a copy of it would be good for 12 hours. The second ends every session.</small></form>\n",
		seal);
}

bool pages_logout_visit(struct pages_login *l, const struct visit *v)
{
	const struct front_table *front = v->port->front;
	struct logout o = { 0 };

	if (front->form(v->rq, take_logout, &o, NULL) ||
	    !pages_access_sealed(l->access, v->head, LOGOUT_SUBJECT, o.seal)) {
		answer_notice(
			front, v->rq, 403, "Not from this page",
			"The form was not made by this serve for this browser, or serve was restarted since. Nobody was logged out.");
		return false;
	}
	answer_go(front, v->rq, "/login", PAGES_LOGOUT);
	if (o.all)
		pages_access_end_all(l->access);
	return o.all;
}
