/* SPDX-License-Identifier: MIT */
#include "serve/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/picture.h"
#include "base/text.h"
#include "diag/codebook.h"
#include "net/head.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/pages_access.h"
#include "serve/pages_answer.h"
#include "serve/pages_board.h"
#include "serve/pages_call.h"
#include "serve/pages_live.h"
#include "serve/pages_login.h"
#include "serve/pages_parts.h"

#define BOARDS "/boards/"
#define CALL "/call"

struct web_pages {
	struct serve *server;
	struct pages_access access;
	struct pages_login login;
	struct pages_live live;
	struct pages_calls calls;
	struct pages_picture picture[PAGES_PICTURES_MAX];
	uint64_t pictures;
	void (*closed)(void *owner);
	void *owner;
};

/* ---- answers ---- */

static void show_page(const struct visit *v, const struct buf *page)
{
	answer_page(v->port->front, v->rq, 200, page);
}

static void notice(const struct visit *v, int status, const char *title,
		   const char *words)
{
	answer_notice(v->port->front, v->rq, status, title, words);
}

static bool posts(const struct visit *v)
{
	return strcmp(v->head->method, "POST") == 0;
}

static bool reads(const struct visit *v)
{
	return strcmp(v->head->method, "GET") == 0 ||
	       strcmp(v->head->method, "HEAD") == 0;
}

/* ---- who may not ---- */

static const char *words_for(const struct web_pages *w,
			     enum pages_verdict verdict)
{
	static const char *const words[] = {
		[PAGES_MAY] = "",
		[PAGES_ELSEWHERE] =
			"The boards are shown to browsers on the machine where serve runs. For others, start serve with --web-token-file FILE.",
		[PAGES_PROXIED] =
			"This request came through a proxy, so the boards are not shown. For that, start serve with --web-token-file FILE.",
		[PAGES_UNKNOWN] =
			"The boards are shown to who has the token: <a href=\"/login\">enter it</a>.",
		[PAGES_FOREIGN] =
			"Another page made this browser ask. Enter the address yourself.",
	};

	(void)w;
	return words[verdict];
}

static const char *on_missing(void *owner, const struct visit *v)
{
	struct web_pages *w = owner;

	return words_for(w, pages_access_judge(&w->access, v->head));
}

static bool on_shown(void *owner, const struct front_head *head)
{
	struct web_pages *w = owner;

	return w->access.token &&
	       pages_access_judge(&w->access, head) == PAGES_MAY;
}

static void refuse(struct web_pages *w, const struct visit *v,
		   enum pages_verdict verdict)
{
	if (verdict == PAGES_UNKNOWN && reads(v) &&
	    !text_starts(v->head->path, "/events"))
		answer_go(v->port->front, v->rq, "/login", NULL);
	else
		notice(v, 403, "Not for this browser", words_for(w, verdict));
}

/* ---- the token ---- */

static void login(struct web_pages *w, const struct visit *v)
{
	if (pages_access_judge(&w->access, v->head) == PAGES_FOREIGN)
		refuse(w, v, PAGES_FOREIGN);
	else if (!pages_login_visit(&w->login, v))
		notice(v, 404, "No token",
		       "This serve asks for none: see --web-token-file.");
}

static void logout(struct web_pages *w, const struct visit *v)
{
	if (!posts(v))
		notice(v, 405, "Not so",
		       "Logging out is posted by the form of the page.");
	else if (pages_logout_visit(&w->login, v))
		pages_live_end_all(&w->live);
}

/* ---- the boards ---- */

static void add_search(struct buf *out, const struct pages_query *q)
{
	buf_text(
		out,
		"<form class=\"search\" action=\"/\"><input type=\"search\" name=\"q\" placeholder=\"id, alias, board, version, state\" aria-label=\"Only boards with\"");
	if (q->words)
		html_attribute(out, "value", q->words);
	buf_text(out, "><button>Find</button></form>\n");
}

static void add_trace(struct buf *out, const struct web_pages *w)
{
	const int *fd = w->server->config.trace_fd;
	struct stat st;

	if (!fd || fstat(*fd, &st))
		return;
	buf_printf(
		out,
		"<p><a href=\"/trace\" download>The capture</a>: %lld bytes so far, for 'mcpctl capture' and 'mcpctl replay'.</p>\n",
		(long long)st.st_size);
}

static void add_help(struct buf *out, const struct visit *v, bool open)
{
	buf_printf(out, "<details%s><summary>Bring a board here</summary>\n",
		   open ? " open" : "");
	buf_text(
		out,
		"<p>This address answers: network and firewall are fine.</p>\n");
	door_address_words(v, out);
	buf_text(
		out,
		"<p>In a terminal of the machine where serve runs:</p>\n<pre>mcpctl devices\nmcpctl tools\n"
		"mcpctl call self.get_device_status\nmcpctl help board</pre></details>\n");
}

static void boards_page(struct web_pages *w, const struct visit *v)
{
	CLEANUP(pages_query_done) struct pages_query q = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 }, summary = { 0 };
	struct pages_found f;

	pages_query_read(&q, v->head->query);
	pages_rows_find(&f, &w->server->registry, &q);
	pages_rows_summary(&summary, &f, &q);
	html_begin(&page, "Boards");
	buf_text(&page, "<p id=\"summary\">");
	page_text(&page, buf_string(&summary));
	buf_text(&page, "</p>\n");
	add_search(&page, &q);
	pages_rows_table(&page, &f, &q);
	add_trace(&page, w);
	add_help(&page, v, f.all == 0);
	pages_logout_form(&w->login, v->head, &page);
	html_end(&page);
	show_page(v, &page);
	visit_by_browser(v);
}

static void board_page(struct web_pages *w, const struct visit *v,
		       const struct board *d)
{
	CLEANUP(pages_query_done) struct pages_query q = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	char seal[SHA256_TEXT];
	struct pages_board_view view = {
		.board = d,
		.picture = w->picture,
		.pictures = w->pictures,
		.kept = w->server->config.pictures.save_images != NULL,
		.seal = seal
	};

	pages_query_read(&q, v->head->query);
	view.from = q.from;
	pages_access_seal(&w->access, v->head, d->id, seal);
	pages_board_page(&page, &view);
	show_page(v, &page);
}

static void call(struct web_pages *w, const struct visit *v, struct board *d)
{
	CLEANUP(pages_given_done) struct pages_given given = { 0 };

	if (v->port->front->form(v->rq, pages_given_take, &given, NULL)) {
		notice(v, 400, "No form",
		       "The request holds no form of this page.");
	} else if (!pages_access_sealed(&w->access, v->head, d->id,
					given.seal)) {
		notice(v, 403, "Not from this page",
		       "The form was not made by this serve for this board, or serve was restarted since: load the board's page again. Nothing was called.");
	} else {
		pages_call_begin(&w->calls, v, d, &given);
	}
}

/* The id between BOARDS and what may stand behind it; yours, NULL. */
static char *id_of(const char *path, bool *calls)
{
	size_t len;
	CLEANUP(mem_free_ptr) char *query = NULL;

	path += strlen(BOARDS);
	len = strlen(path);
	*calls = len > strlen(CALL) &&
		 strcmp(path + len - strlen(CALL), CALL) == 0;
	if (*calls)
		len -= strlen(CALL);
	/* Decoded as a value of a query is: html_path leaves no '+' and no '&'. */
	query = mem_printf("id=%.*s", (int)len, path);
	return head_query_value(query, "id");
}

static void board(struct web_pages *w, const struct visit *v)
{
	bool calls;
	CLEANUP(mem_free_ptr) char *id = id_of(v->head->path, &calls);
	struct board *d = registry_find_written(&w->server->registry, id);

	if (!d)
		notice(v, 404, "No such board",
		       "It is not connected now, or has another id.");
	else if (calls != posts(v))
		notice(v, 405, "Not so",
		       "Calls are posted by the forms of a board's page.");
	else if (calls)
		call(w, v, d);
	else
		board_page(w, v, d);
}

static void events(struct web_pages *w, const struct visit *v)
{
	CLEANUP(pages_query_done) struct pages_query q = { 0 };
	CLEANUP(headers_done) struct headers h = { 0 };

	answer_guards(&h);
	pages_query_read(&q, v->head->query);
	if (strcmp(v->head->method, "GET") != 0)
		notice(v, 405, "Not so", "An event stream is read by GET.");
	else if (!pages_live_add_take(&w->live, v->port->front, v->rq, &h, &q))
		notice(v, 503, "Not live",
		       "Too many browsers look on: this one has to be reloaded to see what changed.");
}

/* ---- files ---- */

static void send_file(const struct visit *v, int fd, uint64_t size,
		      const char *type, const char *disposition)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	answer_guards(&h);
	if (disposition)
		headers_add(&h, "Content-Disposition", disposition);
	v->port->front->reply_file(v->rq, type, &h, fd, size);
}

static void no_file(const struct visit *v)
{
	notice(v, 404, "Not there", "It is not kept, or not any more.");
}

/* Its type by its first bytes, whatever its name says; no other is sent. */
static void picture(struct web_pages *w, const struct visit *v)
{
	const char *text = v->head->path + strlen("/pictures/");
	const struct picture_type *type;
	CLEANUP(mem_free_ptr) char *mime = NULL;
	const struct pages_picture *p;
	struct stat st;
	char begin[64];
	int64_t number;
	ssize_t got;
	int fd;

	if (text_integer(text, 1, INT64_MAX, &number)) {
		no_file(v);
		return;
	}
	p = &w->picture[(uint64_t)(number - 1) % PAGES_PICTURES_MAX];
	fd = p->number == (uint64_t)number ?
		     file_open_regular(p->file, O_NOFOLLOW, &st) :
		     -1;
	got = fd < 0 ? -1 : pread(fd, begin, sizeof(begin), 0);
	type = got > 0 ? picture_type(begin, (size_t)got) : NULL;
	if (!type) {
		if (fd >= 0)
			close(fd);
		no_file(v);
		return;
	}
	mime = mem_printf("image/%s", type->word);
	send_file(v, fd, (uint64_t)st.st_size, mime, "inline");
}

/*
 * By the descriptor that serve has of it from the start: whatever stands at its
 * path by now is not looked at. It is read at places, so all share one.
 */
static void trace(struct web_pages *w, const struct visit *v)
{
	const int *of = w->server->config.trace_fd;
	int fd = of ? fcntl(*of, F_DUPFD_CLOEXEC, 3) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		no_file(v);
	} else {
		send_file(v, fd, (uint64_t)st.st_size,
			  "application/octet-stream",
			  "attachment; filename=\"serve.trace\"");
	}
}

static void story(struct web_pages *w, const struct visit *v)
{
	int code = finding_by_name(v->head->path + strlen("/findings/"));
	CLEANUP(buf_done) struct buf page = { 0 };

	(void)w;
	if (code < 0) {
		notice(v, 404, "No such finding", "No finding has that code.");
		return;
	}
	pages_story_page(&page, (enum diag_code)code);
	show_page(v, &page);
}

/* Of ours, for anybody: the address names the content. */
static void file(const struct visit *v, const struct html_file *f)
{
	CLEANUP(headers_done) struct headers h = { 0 };

	answer_guards(&h);
	headers_add(&h, "Cache-Control", "max-age=31536000, immutable");
	v->port->front->reply_with(v->rq, 200, f->type, &h, f->text, f->len);
}

/* ---- which page ---- */

static const struct route {
	const char *path; /* or its beginning, if it ends in '/' */
	bool post; /* it may be posted to, too */
	void (*show)(struct web_pages *w, const struct visit *v);
} routes[] = {
	{ BOARDS, true, board },	{ "/events", false, events },
	{ "/findings/", false, story }, { "/pictures/", false, picture },
	{ "/trace", false, trace },	{ "/logout", true, logout },
};

static const struct route *route_of(const struct visit *v)
{
	static const struct route first = { "/", false, boards_page };

	for (size_t i = 0; i < COUNT(routes); i++) {
		const char *path = routes[i].path;
		size_t len = strlen(path);

		if (path[len - 1] == '/' ? text_starts(v->head->path, path) :
					   strcmp(v->head->path, path) == 0)
			return &routes[i];
	}
	return knock_wish(v->head) == KNOCK_PAGE ? &first : NULL;
}

static bool show(struct web_pages *w, const struct visit *v,
		 const struct route *r)
{
	enum pages_verdict verdict = pages_access_judge(&w->access, v->head);

	if (verdict != PAGES_MAY) {
		/* The page of the port says more. */
		if (r->show == boards_page)
			return false;
		refuse(w, v, verdict);
	} else if (!reads(v) && !(r->post && posts(v))) {
		notice(v, 405, "Not so", "That is only read.");
	} else {
		r->show(w, v);
	}
	return true;
}

static bool on_http(void *owner, const struct visit *v)
{
	struct web_pages *w = owner;
	const struct html_file *f = html_file(v->head->path);
	const struct route *r = route_of(v);

	if (f && reads(v))
		file(v, f);
	else if (strcmp(v->head->path, "/login") == 0)
		login(w, v);
	else
		return r && show(w, v, r);
	return true;
}

/* ---- pictures that came ---- */

static void forget(struct pages_picture *p)
{
	mem_free(p->board);
	mem_free(p->file);
	mem_free(p->text);
	*p = (struct pages_picture){ 0 };
}

#define BEGIN_MAX 65536 /* of a picture, where its size stands */

static bool is_small(const char *path)
{
	char *begin = mem_alloc(BEGIN_MAX);
	unsigned width = 0, height = 0;
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st);
	ssize_t got = fd < 0 ? -1 : pread(fd, begin, BEGIN_MAX, 0);
	bool small = got > 0 &&
		     picture_size(begin, (size_t)got, &width, &height) &&
		     (uint64_t)width * height <= PAGES_PIXELS_MAX;

	if (fd >= 0)
		close(fd);
	mem_free(begin);
	return small;
}

static void on_picture(void *owner, const struct picture_news *n)
{
	struct web_pages *w = owner;
	struct pages_picture *p = &w->picture[w->pictures % PAGES_PICTURES_MAX];

	if (!n->who.device_id)
		return;
	forget(p);
	*p = (struct pages_picture){ .number = ++w->pictures,
				     .board = mem_strdup(n->who.device_id),
				     .file = mem_strdup(n->file),
				     .text = mem_strdup(n->text),
				     .at_ms = unix_now_ms(),
				     .small = is_small(n->file) };
}

/* ---- open and close ---- */

static const struct door_pages table = { .http = on_http,
					 .shown = on_shown,
					 .missing = on_missing,
					 .picture = on_picture };

int pages_open(struct web_pages **out, struct serve *s, struct error *err)
{
	struct web_pages *w = mem_zalloc(sizeof(*w));

	w->server = s;
	if (pages_access_open(&w->access, s->config.web_token_file, err)) {
		mem_free(w);
		return -1;
	}
	w->calls.answer = answer_page;
	pages_login_open(&w->login, s->loop, &w->access);
	pages_live_open(&w->live, s->loop, &s->registry);
	s->door->web = w;
	s->door->pages = &table;
	*out = w;
	return 0;
}

static void on_login_closed(void *owner)
{
	struct web_pages *w = owner;
	void (*closed)(void *owner) = w->closed;

	owner = w->owner;
	for (size_t i = 0; i < PAGES_PICTURES_MAX; i++)
		forget(&w->picture[i]);
	pages_access_done(&w->access);
	mem_free(w);
	closed(owner);
}

static void on_live_closed(void *owner)
{
	struct web_pages *w = owner;

	pages_login_close(&w->login, on_login_closed, w);
}

void pages_close(struct web_pages *w, void (*closed)(void *owner), void *owner)
{
	w->closed = closed;
	w->owner = owner;
	w->server->door->pages = NULL;
	pages_calls_done(&w->calls);
	pages_live_close(&w->live, on_live_closed, w);
}
