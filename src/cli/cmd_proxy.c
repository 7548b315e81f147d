/* SPDX-License-Identifier: MIT */
/*
 * proxy: what passes between boards and their backend stands on stdout, line by
 * line; at the end, what passed in all. What happens beside stands on stderr.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/judged.h"
#include "cli/witness.h"
#include "net/endpoint.h"
#include "out/passing.h"
#include "out/render_json.h"
#include "out/wrap.h"
#include "proxy/talk.h"

struct proxy_arguments {
	struct words listen, set, faults;
	const char *rewrite;
	int firmware; /* 1: a newer one is passed */
	int64_t run_for;
	int fail_on;
};

#define AT(member) offsetof(struct proxy_arguments, member)

/* clang-format off */
static const struct option_row proxy_rows[] = {
	{ 0, "listen", "[HOST:]PORT", OPTION_LIST, AT(listen),
	  "where boards come in; may be given many times; 0 is any free port", NULL, NULL, 0, 0, "8000; 1883 for a broker; 127.0.0.1:8000 for an MCP server" },
	{ 0, "rewrite", "PART,...", OPTION_TEXT, AT(rewrite),
	  "what may be changed so that it comes through here: ota, ws, mqtt, udp, vision; or none", NULL, NULL, 0, 0, "all of them" },
	{ 0, "firmware", "pass|withhold", OPTION_CHOICE, AT(firmware),
	  "what becomes of a newer firmware in an OTA answer, which a board installs at once: pass or withhold", NULL, "withhold pass", 0, 0, "withhold" },
	{ 0, "set", "POINTER=JSON", OPTION_LIST, AT(set),
	  "put JSON in place of that member in every message that has it; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "fault", "NAME[,NAME]...", OPTION_LIST, AT(faults),
	  "misbehave with what passes; NAME:TOOL for replies of that tool (see below)", NULL, NULL, 0, 0, NULL },
	{ 0, "for", "DURATION", OPTION_DURATION, AT(run_for),
	  "end after that time", NULL, NULL, 1, 0, "at Ctrl-C" },
	{ 0, "fail-on", "SEVERITY", OPTION_CHOICE, AT(fail_on),
	  "status 7 if something of that severity or above was found: error, warning or note", NULL, "never error warning note", 0, 0, "never" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};
/* clang-format on */

/* Bytes of lines that a slow reader has not taken; then lines are left out. */
#define LINES_MAX ((size_t)4 << 20)
#define LOOK_MS 100 /* at a slow reader */
#define PIECE 4096 /* that a pipe with room takes whole */

struct proxying {
	struct app *app;
	const struct proxy_arguments *a;
	struct proxy_options options;
	struct alterations *alter;
	struct capture_writer *file; /* --trace */
	struct capture_writer *json; /* -o json, if there is a file, too */
	struct passing lines;
	struct buf text; /* lines that are not written yet */
	uint64_t left_out;
	struct words news;
	struct proxy *proxy;
	struct witness *witness; /* NULL: no --serial */
	uint32_t *serial; /* connections of its ports in the capture */
	/* of the end */
	struct proxy_counts counts;
	struct proxy_found found;
	struct latency added;
	int status; /* of the server's program */
	bool stirred, closed;
};

/*
 * stdout is the server's, and nothing but its bytes stands there: what is told
 * stands on stderr, and only for who asks.
 */
static bool is_stdio(const struct proxying *s)
{
	return s->options.kind == UPSTREAM_MCP &&
	       (s->options.argv || text_starts(s->options.upstream, "stdio:"));
}

static bool is_quiet(const struct proxying *s)
{
	return is_stdio(s) && !s->app->config.verbose;
}

/* ---- what is told, from the loop ---- */

/* What a serial log is told beside. */
static void witness_passed(const struct proxying *s,
			   const struct capture_event *e)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .leg = e->leg,
				      .kind = e->kind == CAPTURED_TEXT ?
						      FRAME_IS_TEXT :
						      FRAME_IS_BINARY,
				      .from_device = e->from == FROM_DEVICE,
				      .data = e->data.text,
				      .len = e->data.len };

	if (e->kind == CAPTURED_TEXT || e->kind == CAPTURED_BINARY)
		witness_frame(s->witness, e->device, &f);
}

static void on_passed(void *owner, const struct talk *t,
		      const struct capture_event *e)
{
	struct proxying *s = owner;

	if (t)
		witness_passed(s, e);
	if (s->json)
		capture_write(s->json, e);
	s->stirred = s->stirred || is_stdio(s);
	if (s->app->out.form == OUTPUT_JSON || is_quiet(s))
		return;
	if (s->text.len > LINES_MAX) {
		passing_unseen(&s->lines, e);
		s->left_out++;
		return;
	}
	passing_line(&s->text, &s->lines, e);
	s->stirred = true;
}

/* What passes does not wait for who reads: the capture says what is not here. */
static bool queue_json(void *owner, struct span line)
{
	struct proxying *s = owner;

	if (s->text.len > LINES_MAX) {
		s->left_out++;
		errno = ENOBUFS;
		return false;
	}
	add_json_line(&s->app->out, &s->text, line);
	s->stirred = true;
	return true;
}

static void on_found(void *owner, const struct talk *t, const struct finding *f,
		     const char *detail)
{
	struct proxying *s = owner;

	(void)detail;
	if (f->count == 1)
		findings_write(s->app, f, t->device);
}

static void on_said(void *owner, const struct proxy_news *n)
{
	struct proxying *s = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (n->level == PROXY_DEBUG && !s->app->config.verbose)
		return;
	text = mem_printf("%s%s%s%s%s", n->device ? n->device : "",
			  n->device ? ": " : "", n->text, n->hint ? "; " : "",
			  n->hint ? n->hint : "");
	words_add(&s->news, text);
	s->stirred = true;
}

/* Once: what passes goes on. */
static void on_trouble(void *owner, const struct error *why)
{
	struct proxying *s = owner;

	words_add(&s->news, why->text);
	s->stirred = true;
}

/* ---- serial logs ---- */

static struct capture_event serial_event(const struct proxying *s, size_t port,
					 const char *device)
{
	return (struct capture_event){ .leg = LEG_SERIAL,
				       .conn = s->serial[port],
				       .device = device };
}

static void on_serial_line(void *owner, const struct witness_line *l)
{
	struct proxying *s = owner;
	struct capture_event e = serial_event(s, l->port, l->device);

	e.kind = l->whole.text ? CAPTURED_LINE : CAPTURED_NOTICE;
	e.from = l->whole.text ? FROM_DEVICE : FROM_NOBODY;
	e.data = l->whole.text ? l->whole : l->text;
	if (!e.data.text)
		e.data = (struct span){ l->note, strlen(l->note) };
	e.size = l->whole.text ? l->size : e.data.len;
	e.cut = e.size > e.data.len;
	proxy_beside(s->proxy, &e);
}

static void on_serial_found(void *owner, const struct witness_line *l,
			    const struct finding *f, const char *detail)
{
	struct proxying *s = owner;
	const struct capture_event at = serial_event(s, l->port, l->device);
	const bool news = witness_is_news(f);

	(void)detail;
	proxy_beside_found(s->proxy, &at, f, news);
	if (news)
		findings_write(s->app, f, l->device);
}

/* Nothing comes of it before the loop turns. */
static int open_serial(struct proxying *s, struct error *err)
{
	static const struct witness_events events = { .line = on_serial_line,
						      .found =
							      on_serial_found };

	return s->witness ? witness_open(s->witness, false, &events, s, err) :
			    0;
}

static void begin_serial(struct proxying *s)
{
	const char *name;

	for (size_t i = 0; (name = witness_name(s->witness, i)); i++) {
		struct capture_event e;

		s->serial =
			mem_realloc(s->serial, (i + 1) * sizeof(*s->serial));
		s->serial[i] = proxy_connection(s->proxy);
		e = serial_event(s, i, NULL);
		e.kind = CAPTURED_OPEN;
		e.from = FROM_DEVICE;
		e.data = (struct span){ name, strlen(name) };
		e.size = e.data.len;
		proxy_beside(s->proxy, &e);
	}
}

/* ---- shown, from the main line ---- */

static bool has_room(FILE *out)
{
	struct pollfd p = { .fd = fileno(out), .events = POLLOUT };

	return p.fd < 0 || poll(&p, 1, 0) != 0;
}

/* As much as is taken without waiting; all: and waiting. */
static void write_lines(struct proxying *s, bool all)
{
	FILE *out = is_stdio(s) ? s->app->out.err : s->app->out.out;
	size_t at = 0;

	while (at < s->text.len && (all || has_room(out))) {
		size_t len = s->text.len - at;

		if (len > PIECE)
			len = PIECE;
		fwrite(s->text.data + at, 1, len, out);
		fflush(out);
		at += len;
	}
	buf_consume(&s->text, at);
}

static void show(struct proxying *s, bool all)
{
	s->stirred = false;
	write_lines(s, all);
	for (size_t i = 0; i < s->news.count; i++)
		render_note(&s->app->out, "%s", s->news.word[i]);
	words_done(&s->news);
	if (s->left_out && !s->text.len) {
		render_note(&s->app->out,
			    "%" PRIu64
			    " lines were not shown: their reader is slow",
			    s->left_out);
		s->left_out = 0;
	}
}

static bool is_masked(const char *text)
{
	CLEANUP(mem_free_ptr) char *shown = mask_text(text);

	return strcmp(shown, text) != 0;
}

static void show_addresses(struct proxying *s)
{
	CLEANUP(words_done) struct words found = { 0 };
	struct renderer *r = &s->app->out;
	bool ota = s->options.kind == UPSTREAM_OTA;

	if (is_quiet(s))
		return;
	proxy_addresses(s->proxy, &found);
	for (size_t i = 0; i < found.count; i++)
		render_note(
			r, "%s%s",
			i ? "  or " :
			ota ?
			    "set as the OTA address of the board, and restart it: " :
			    "listening at ",
			found.word[i]);
	render_note(r, "before %s", s->options.upstream);
	/* A secret of the real address is in ours, too, and is not printed. */
	if (found.count && is_masked(found.word[0]))
		render_note(
			r,
			"in place of *** belongs what stands there in the address that you gave");
}

/* ---- the end ---- */

static void add_bytes(struct buf *out, uint64_t bytes)
{
	if (bytes < 10000)
		buf_printf(out, "%" PRIu64 " B", bytes);
	else if (bytes < 10000000)
		buf_printf(out, "%" PRIu64 " kB", bytes / 1000);
	else
		buf_printf(out, "%" PRIu64 " MB", bytes / 1000000);
}

static void add_passed(struct buf *out, const struct proxy_counts *c, bool mcp)
{
	wrap_count(out, c->talks, "connection");
	buf_printf(out, ": %" PRIu64 " from %s (", c->frames[1],
		   mcp ? "the server" : "boards");
	add_bytes(out, c->bytes[1]);
	buf_printf(out, "), %" PRIu64 " from %s (", c->frames[0],
		   mcp ? "its hosts" : "the backend");
	add_bytes(out, c->bytes[0]);
	buf_char(out, ')');
	if (c->audio[0] + c->audio[1])
		buf_printf(out, "; of these binary: %" PRIu64,
			   c->audio[0] + c->audio[1]);
	if (c->changed)
		buf_printf(out, "; changed: %" PRIu64, c->changed);
	if (c->dropped)
		buf_printf(out, "; dropped: %" PRIu64, c->dropped);
	if (c->refused)
		buf_printf(out, "; refused: %" PRIu64, c->refused);
	if (c->strangers)
		buf_printf(out, "; UDP of no session: %" PRIu64, c->strangers);
}

static void add_found(struct buf *out, const struct proxy_found *f)
{
	bool any = false;

	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		const struct finding_row *row = finding_row((enum diag_code)i);

		if (!f->count[i])
			continue;
		buf_printf(out, "%-9s%s %-8s %s", any ? "" : "found", row->code,
			   severity_name(row->severity), row->title);
		if (f->count[i] > 1)
			buf_printf(out, " (%" PRIu64 " times)", f->count[i]);
		buf_char(out, '\n');
		any = true;
	}
	if (!any)
		buf_text(out, "found    nothing\n");
}

static void add_time(struct buf *out, int64_t ns)
{
	if (ns < 1000)
		buf_printf(out, "%" PRId64 " ns", ns);
	else if (ns < 1000000)
		buf_printf(out, "%" PRId64 " us", ns / 1000);
	else
		buf_printf(out, "%" PRId64 " ms", ns / 1000000);
}

static void add_latency(struct buf *out, const struct latency *l)
{
	if (!l->count)
		return;
	buf_text(out, "added    ");
	add_time(out, latency_at(l, 50));
	buf_text(out, " (p50), ");
	add_time(out, latency_at(l, 99));
	buf_text(out, " (p99) by reading and handing on\n");
}

static void add_wrapped(struct buf *out, const struct renderer *r,
			const struct buf *text)
{
	const struct wrap how = { 9, 9, r->out_terminal ? r->width : 0 };

	wrap_wrap(out, buf_string(text), text->len, &how);
	buf_char(out, '\n');
}

static void add_summary(struct proxying *s, struct buf *out)
{
	const struct renderer *r = &s->app->out;
	CLEANUP(buf_done) struct buf passed = { 0 }, capture = { 0 };

	buf_text(out, "passed   ");
	add_passed(&passed, &s->counts, s->options.kind == UPSTREAM_MCP);
	add_wrapped(out, r, &passed);
	add_found(out, &s->found);
	add_latency(out, &s->added);
	if (!s->app->config.trace)
		return;
	buf_printf(&capture, "%s (mcpctl check %s)", s->app->config.trace,
		   s->app->config.trace);
	buf_text(out, "capture  ");
	add_wrapped(out, r, &capture);
}

static void add_json(struct proxying *s, struct buf *out)
{
	const struct proxy_counts *c = &s->counts;
	bool any = false;

	buf_printf(out,
		   "{\"proxied\":{\"connections\":%" PRIu64
		   ",\"frames\":{\"device\":%" PRIu64 ",\"backend\":%" PRIu64
		   "},\"bytes\":{\"device\":%" PRIu64 ",\"backend\":%" PRIu64
		   "},\"changed\":%" PRIu64 ",\"dropped\":%" PRIu64
		   ",\"refused\":%" PRIu64 ",\"strangers\":%" PRIu64,
		   c->talks, c->frames[1], c->frames[0], c->bytes[1],
		   c->bytes[0], c->changed, c->dropped, c->refused,
		   c->strangers);
	buf_printf(out,
		   ",\"added_ns\":{\"p50\":%" PRId64 ",\"p99\":%" PRId64
		   "},\"findings\":{",
		   latency_at(&s->added, 50), latency_at(&s->added, 99));
	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		if (!s->found.count[i])
			continue;
		buf_printf(out, "%s\"%s\":%" PRIu64, any ? "," : "",
			   finding_row((enum diag_code)i)->code,
			   s->found.count[i]);
		any = true;
	}
	buf_text(out, "},\"capture\":");
	if (s->app->config.trace)
		buf_json_string(out, s->app->config.trace,
				strlen(s->app->config.trace));
	else
		buf_text(out, "null");
	buf_text(out, "}}");
}

static void show_summary(struct proxying *s)
{
	struct renderer *r = &s->app->out;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (r->form == OUTPUT_JSON) {
		add_json(s, &text);
		put_json_line(r, &text, (struct span){ 0 });
		return;
	}
	add_summary(s, &text);
	if (!is_stdio(s))
		put_out(r, &text);
	else if (!is_quiet(s))
		fputs(buf_string(&text), r->err);
}

static int worst(const struct proxy_found *f)
{
	int most = -1;

	for (int i = 0; i < DIAG_CODE_COUNT; i++) {
		int severity = (int)finding_row((enum diag_code)i)->severity;

		if (f->count[i] && severity > most)
			most = severity;
	}
	return most;
}

static int judge_end(const struct proxying *s, int found, struct error *err)
{
	static const int least[] = { SEVERITY_ERROR + 1, SEVERITY_ERROR,
				     SEVERITY_WARNING, SEVERITY_NOTE };

	if (found < least[s->a->fail_on])
		return 0;
	return error_set(err, ERR_UNMET,
			 "what passed has findings of severity %s",
			 severity_name((enum severity)found));
}

/* ---- the main line ---- */

static void take_counts(struct proxying *s)
{
	s->counts = s->proxy->counts;
	s->found = *s->proxy->found;
	s->added = s->proxy->added;
	s->status = s->proxy->status;
}

static void on_closed(void *owner)
{
	struct proxying *s = owner;

	take_counts(s);
	s->closed = true;
}

static int stay(struct proxying *s, struct error *err)
{
	int64_t end = s->a->run_for ? loop_now() + s->a->run_for : LOOP_FOREVER;

	while (loop_now() < end && !s->proxy->over) {
		int64_t look =
			s->text.len || s->left_out ? loop_now() + LOOK_MS : end;

		if (loop_stay(s->app->loop, &s->stirred,
			      look < end ? look : end, err))
			return -1;
		show(s, false);
	}
	return 0;
}

#define CLOSE_MS 2000

/* What stdout did not take was told, and the lines that it took say so. */
static int end_writers(struct proxying *s, struct error *err)
{
	struct capture_writer *file = TAKE(s->file), *json = TAKE(s->json);
	int failed = 0;

	if (s->app->config.trace)
		failed = capture_close(file, err);
	else
		capture_close(file, NULL);
	capture_close(json, NULL);
	write_lines(s, true);
	return failed;
}

/* -1: something does not end, as a program that nobody can kill: it is left. */
static int close_all(struct proxying *s, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	proxy_close(s->proxy, on_closed, s);
	while (!s->closed &&
	       loop_wait(s->app->loop, &s->closed, loop_now() + CLOSE_MS,
			 &ignored) &&
	       ignored.kind == ERR_INTERRUPTED)
		error_reset(&ignored);
	if (s->closed)
		return 0;
	take_counts(s);
	proxy_leave(s->proxy);
	/* Of all else nothing is left behind once we have ended. */
	if (!is_stdio(s))
		return 0;
	return error_set(err, ERR_TIMEOUT,
			 "the server's program did not end within %d s",
			 CLOSE_MS / 1000);
}

/* All connections end; then what passed is counted. */
static int finish(struct proxying *s, struct error *err)
{
	CLEANUP(error_reset) struct error left = { 0 };
	CLEANUP(error_reset) struct error lost = { 0 };
	int stays, failed;

	witness_close(TAKE(s->witness));
	stays = close_all(s, &left);
	show(s, true);
	failed = end_writers(s, &lost);
	show_summary(s);
	if (failed || stays) {
		error_copy(err, failed ? &lost : &left);
		return -1;
	}
	return judge_end(s, worst(&s->found), err);
}

static int open_writers(struct proxying *s, struct error *err)
{
	struct app *app = s->app;
	struct capture_how how = { .path = app->config.trace,
				   .as = "proxy",
				   .upstream = s->options.upstream,
				   .audio = app->config.audio,
				   .trouble = on_trouble,
				   .owner = s };

	if (how.audio && !how.path && app->out.form != OUTPUT_JSON)
		return error_set(err, ERR_USAGE,
				 "option '--audio' needs --trace, or -o json");
	if (how.path) {
		s->file = capture_create(&how, err);
		if (!s->file)
			return -1;
	}
	s->options.writer = s->file;
	if (app->out.form != OUTPUT_JSON)
		return 0;
	how.path = NULL;
	how.line = queue_json;
	how.trouble = NULL;
	s->json = capture_create(&how, err);
	if (!s->json)
		return -1;
	if (s->file)
		return 0;
	s->options.writer = TAKE(s->json);
	s->file = s->options.writer;
	return 0;
}

static int take_rewrite(struct proxying *s, struct error *err)
{
	static const char parts[] = "ota ws mqtt udp vision";
	CLEANUP(mem_free_ptr) char *copy = NULL;
	char *rest, *one;

	s->options.rewrite = REWRITE_ALL;
	if (!s->a->rewrite)
		return 0;
	s->options.rewrite = 0;
	if (strcmp(s->a->rewrite, "none") == 0)
		return 0;
	copy = mem_strdup(s->a->rewrite);
	rest = copy;
	while ((one = strsep(&rest, ",")) != NULL) {
		int bit = option_choice(parts, one);

		if (bit < 0)
			return error_set(
				err, ERR_USAGE,
				"option '--rewrite': '%.40s' is none of ota, ws, mqtt, udp, vision, none",
				one);
		s->options.rewrite |= 1u << bit;
	}
	/* What an answer to OTA tells is in that answer. */
	if (s->options.rewrite & (REWRITE_WS | REWRITE_MQTT))
		s->options.rewrite |= REWRITE_OTA;
	return 0;
}

static int take_alterations(struct proxying *s, struct error *err)
{
	s->alter = alterations_new();
	s->options.alter = s->alter;
	for (size_t i = 0; i < s->a->set.count; i++) {
		if (alterations_set(s->alter, s->a->set.word[i], err))
			return error_prefix(err, "option '--set'");
	}
	for (size_t i = 0; i < s->a->faults.count; i++) {
		if (alterations_fault(s->alter, s->a->faults.word[i], err))
			return -1;
	}
	return 0;
}

static int no_upstream(struct error *err)
{
	error_set(err, ERR_USAGE, "proxy needs the address of the real one");
	return error_hint(
		err,
		"the OTA address that boards ask (https://HOST/…/ota/), ws://, wss://, mqtt://, mqtts://, or an MCP server (mcp https://…, stdio:, -- COMMAND)");
}

/* [ota|mcp] UPSTREAM, or -- COMMAND */
static int take_upstream(struct proxying *s, const struct invocation *in,
			 struct error *err)
{
	static const char words[] = "ota mcp";
	const struct config *c = &s->app->config;
	int word = in->argc > 1 ? option_choice(words, in->argv[0]) : -1;

	if (c->child.count && in->argc == 0) {
		s->options.upstream = c->child_target;
		s->options.argv = &c->child;
		s->options.kind = UPSTREAM_MCP;
		return 0;
	}
	if (in->argc == 0)
		return no_upstream(err);
	if (in->argc > 1 && word < 0)
		return error_set(
			err, ERR_USAGE,
			"'%.40s' is no kind of upstream: ota or mcp, or none",
			in->argv[0]);
	s->options.upstream = in->argv[in->argc - 1];
	if (proxy_kind(&s->options.kind, s->options.upstream, err))
		return -1;
	if (word >= 0 && strncmp(s->options.upstream, "http", 4) != 0)
		return error_set(err, ERR_USAGE,
				 "'%s' stands before http:// and https:// only",
				 in->argv[0]);
	if (word >= 0)
		s->options.kind = word ? UPSTREAM_MCP : UPSTREAM_OTA;
	return 0;
}

static int take_serial(struct proxying *s, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *shown = endpoint_without_password(s->options.upstream);

	if (s->app->config.serial.count && s->options.kind == UPSTREAM_MCP)
		return error_set(
			err, ERR_USAGE,
			"option '--serial' is for boards, and '%.200s' is an MCP server",
			shown);
	return witness_prepare(&s->witness, s->app, NULL, err);
}

static int prepare(struct proxying *s, const struct invocation *in,
		   struct error *err)
{
	static const struct proxy_events events = { .passed = on_passed,
						    .found = on_found,
						    .said = on_said };
	const struct config *c = &s->app->config;
	const struct renderer *r = &s->app->out;

	s->options.listen = &s->a->listen;
	s->options.admit = (struct admit_options){
		.hosts = &c->allow_hosts,
		.origins = &c->allow_origins,
		.proxies = &c->trusted_proxies,
		.advertise = c->advertise,
	};
	s->options.trust = (struct tls_trust){ .cacert = c->cacert,
					       .insecure = c->insecure };
	s->options.save_audio = c->save_audio;
	s->options.firmware = s->a->firmware == 1;
	s->options.events = &events;
	s->options.owner = s;
	s->lines = (struct passing){
		.began_ms = unix_now_ms(),
		/* There, the first -v asks for lines at all. */
		.detail = (unsigned)c->verbose,
		.width = r->out_terminal ? r->width : 0,
		.color = r->out_color,
	};
	if (take_upstream(s, in, err) || take_rewrite(s, err) ||
	    take_alterations(s, err) || take_serial(s, err))
		return -1;
	if (!is_stdio(s))
		return 0;
	if (r->form == OUTPUT_JSON) {
		error_set(err, ERR_USAGE,
			  "option '%s': stdout is the server's here",
			  r->query ? "--jq" : "-o json");
		return error_hint(
			err,
			"record with --trace FILE, or look with -v, on stderr");
	}
	if (s->lines.detail)
		s->lines.detail--;
	s->lines.width = 0;
	s->lines.color = false;
	return 0;
}

static int run(struct proxying *s, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status;

	if (open_writers(s, err) || findings_open(s->app, err) ||
	    app_open_loop(s->app, err) || open_serial(s, err) ||
	    proxy_open(&s->proxy, s->app->loop, &s->options, err))
		return -1;
	begin_serial(s);
	show_addresses(s);
	show(s, false);
	status = stay(s, err);
	/* Ctrl-C is how it ends. */
	if (status && err->kind == ERR_INTERRUPTED) {
		error_reset(err);
		status = 0;
	}
	if (finish(s, &why) && !status) {
		error_copy(err, &why);
		status = -1;
	}
	if (!status && is_stdio(s))
		s->app->status = s->status;
	return status;
}

static int proxy_run(const struct invocation *in, struct error *err)
{
	struct proxying s = { .app = in->app, .a = in->options };
	int status = prepare(&s, in, err);

	if (status == 0)
		status = run(&s, err);
	capture_close(s.file, NULL);
	capture_close(s.json, NULL);
	witness_close(s.witness);
	mem_free(s.serial);
	alterations_free(s.alter);
	words_done(&s.news);
	buf_done(&s.text);
	return status;
}

static const struct example proxy_examples[] = {
	{ "proxy https://bench.example/xiaozhi/ota/ --trace night.cap", NULL,
	  EXAMPLE_GOES_ON },
	{ "proxy ws://127.0.0.1:8000/xiaozhi/v1/ --listen 8001", NULL,
	  EXAMPLE_GOES_ON },
	{ "proxy ws://127.0.0.1:1/ --listen 127.0.0.1:0 --for 100ms",
	  "found    nothing", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_proxy = {
	.name = "proxy",
	.globals =
		"jq verbose trace audio findings save-audio cacert insecure advertise allow-origin allow-host trusted-proxy serial elf reset",
	.args = "[ota|mcp] UPSTREAM",
	.max = 2,
	.brief = "stand between boards and their backend, and see all",
	.text = "A board is given one other address, and all that it and its backend say passes through here: decoded, judged, recorded with --trace. A line for each message, what is wrong with it below; at the end what passed, what was found, and how much time the proxy added.\n"
		"\n"
		"UPSTREAM is the real one's address. http:// or https:// with a path that ends with \"ota\" is the OTA address of boards: set ours in its place on the board (they are printed), and restart it. The board's own headers and body go up, and the answer comes back with websocket.url and mqtt.endpoint pointing here; a newer firmware, which the board would install at once, is withheld unless --firmware pass is given; every other byte stays. The answer that is judged is the real one. 'ota' before the address says so of any other path.\n"
		"\n"
		"ws:// and wss:// are a backend's WebSocket: one connection up for each one down, dialled when the board dials, with its headers in their order and its token as it is; a board that asks OTA here is sent here. Only Sec-WebSocket-Extensions is struck. The bytes are passed as they come, and so is the end of a connection. The address for pictures in initialize points here; the picture passes.\n"
		"\n"
		"mqtt:// and mqtts:// are a broker: packets go on as they came, so a broker that pushes to boards that never subscribe does so through here. In the hello of the backend the address of audio becomes ours; the datagrams pass both ways and are counted, and what comes from anybody but the board does not. A board speaks TLS to port 8883 only, and takes public certificates only: so our port is plain, and TLS above. A board that is fixed to TLS needs a TLS server with a public certificate in front.\n"
		"\n"
		"'mcp' before http:// or https:// (which is what a path that does not end with \"ota\" means), stdio: or -- COMMAND is any MCP server, for any host of MCP; the same kind is served on this side. Over HTTP on this machine only, unless --listen names a host; with --set and --fault an answer in JSON and an event of a stream wait until they are whole, and an answer that does not go on silences its connection. With stdio: and -- COMMAND the host is told to start 'mcpctl proxy --trace FILE -- COMMAND' in place of COMMAND: stdout has only what the server says, the end of the server is ours, with its status, and -v shows lines on stderr.\n"
		"\n"
		"What cannot be reached, refuses, redirects, or never answers is told with the stage at which it failed, and what a board makes of it; the board's connection fails as it would without us. TLS to the backend is verified as a board does it; --insecure goes on, and tells what a board would not have taken.\n"
		"\n"
		"--set changes members in what passes: --set /payload/result/isError=true. --fault lets what passes go wrong, in replies to calls unless it says so:\n"
		"  late-reply    a reply goes on after 11 s, and all behind it (late-reply=500ms: after that; =11s:self.x: of that tool)\n"
		"  no-reply      it never goes on\n"
		"  drop          drop=reply/3: each third reply, to whatever, does not\n"
		"  two-replies   it goes on twice\n"
		"  wrong-id      with an id that nobody asked with\n"
		"  string-id     with its id as a string\n"
		"  not-json      a line that is no JSON goes on in its place\n"
		"  cut-frame     half of its frame does, then both sides are reset\n"
		"  hang          from it on nothing that the board says goes on\n"
		"  no-features   the board's hello has no features\n"
		"  no-hello      it does not go on\n"
		"  late-hello    it goes on after 5 s (late-hello=2s)\n"
		"\n"
		"--serial reads a board's serial log along (ALIAS=DEVICE says whose it is, an id will do; --elf decodes backtraces): its lines stand in the timeline and in the capture, what they show below, with what passed right before. --audio keeps audio in the capture, which is only counted otherwise.\n"
		"\n"
		"Connections that the upstream has not answered are passed on a few at a time, others wait up to 10 s; a board that it said hello to goes first.\n"
		"\n"
		"With -o json each line of stdout is an event of mcpctl-capture(5), and the last one says what passed. A slow reader misses lines, which are counted: what passes never waits, but for --jq on a line (10 s at most).",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_STREAM | CMD_MINOR,
	.options = proxy_rows,
	.options_size = sizeof(struct proxy_arguments),
	.examples = proxy_examples,
	.run = proxy_run
};
