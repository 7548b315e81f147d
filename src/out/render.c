/* SPDX-License-Identifier: MIT */
/*
 * What all forms of output share: the way to the streams, notes, asides, the
 * count-down, the end. Knows no form: those are above it.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/loop.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "mcp/rules.h"
#include "out/render.h"
#include "out/term.h"
#include "out/wrap.h"

/* Notifications that another command shows on the way. */
#define ASIDES_A_SECOND 10

static void clear_count_down(struct renderer *r)
{
	if (!r->count_down)
		return;
	r->count_down = false;
	term_erase(r->err);
}

static void begin(struct renderer *r)
{
	clear_count_down(r);
	if (r->begin)
		r->begin(r->owner);
}

static void write_out(FILE *out, const struct buf *b, bool foreign)
{
	CLEANUP(buf_done) struct buf ascii = { 0 };

	if (foreign) {
		term_ascii(&ascii, buf_string(b), b->len);
		b = &ascii;
	}
	if (b->len > 0)
		fwrite(b->data, 1, b->len, out);
}

void put_out(struct renderer *r, struct buf *b)
{
	begin(r);
	write_out(r->out, b, r->foreign && r->out_terminal);
	if (r->end)
		r->end(r->owner);
	buf_reset(b);
}

void render_flush(struct renderer *r)
{
	if (fflush(r->out) != 0 && r->why_lost == 0)
		r->why_lost = errno;
}

void put_err(struct renderer *r, struct buf *b)
{
	/* Not before what is held; what came first may be said at once. */
	if (r->later && ftello(r->out) > 0) {
		buf_add(r->later, b->data, b->len);
		buf_reset(b);
		return;
	}
	begin(r);
	/* What stdout has comes first where both go to one place. */
	render_flush(r);
	write_out(r->err, b, r->foreign && r->err_terminal);
	fflush(r->err);
	if (r->end)
		r->end(r->owner);
	buf_reset(b);
}

void put_received(struct renderer *r, const char *text, size_t len,
		  bool newline)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (r->out_terminal)
		text_safe(&b, text, len,
			  r->form == OUTPUT_RAW ? TEXT_JSON : TEXT_PARAGRAPH);
	else
		buf_add(&b, text, len);
	if (newline && (b.len == 0 || b.data[b.len - 1] != '\n'))
		buf_char(&b, '\n');
	put_out(r, &b);
}

void add_member(struct buf *out, const struct message *m, const char *name)
{
	struct span all = { m->text, m->len }, part;
	if (m->text && json_span_member(all, name, &part))
		json_minify(out, part.text, part.len);
	else
		buf_text(out, "null");
}

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_NOTICE] = "notice",
		[EVENT_HELLO] = "hello",
		[EVENT_NOTIFICATION] = "notification",
		[EVENT_REQUEST] = "request",
		[EVENT_DEVICE] = "device",
		[EVENT_AUDIO] = "audio",
		[EVENT_ODD] = "odd",
		[EVENT_FINDING] = "finding",
		[EVENT_SERIAL] = "serial",
		[EVENT_DROPPED] = "dropped",
		[EVENT_CLOSED] = "closed",
	};
	return names[kind];
}

/* "notifications/tools/list_changed", which some servers say at once. */
static bool is_list_changed(const struct event *e)
{
	const char *name = e->name ? strrchr(e->name, '/') : NULL;
	return name && strcmp(name, "/list_changed") == 0;
}

static bool is_cancelled(const struct event *e)
{
	return e->name && strcmp(e->name, "notifications/cancelled") == 0;
}

/* What a server logs below the level that is worth a line. */
static bool is_low_log(const struct renderer *r, const struct event *e)
{
	int least = r->log_from ? r->log_from : log_level_rank("warning");
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	int rank;
	if (!e->name || !e->text ||
	    strcmp(e->name, "notifications/message") != 0)
		return false;
	tree = json_parse(e->text, e->len, NULL);
	rank = log_level_rank(
		json_string(json_object(tree, "params"), "level"));
	return rank > 0 && rank < least;
}

/*
 * Whether an event is worth a line while another command runs: what nobody
 * expects is, the usual traffic is for tail, and with -v the frames tell it
 * already. A warning about security is, whatever was asked for.
 */
static bool is_aside(const struct renderer *r, const struct event *e)
{
	if (e->kind == EVENT_NOTICE && e->notice == NOTICE_INSECURE)
		return true;
	if (r->quiet)
		return false;
	switch (e->kind) {
	case EVENT_NOTICE:
		return r->verbose || (e->notice != NOTICE_CHILD &&
				      e->notice != NOTICE_DETAIL);
	case EVENT_ODD:
	case EVENT_SERIAL:
	case EVENT_DROPPED:
		return true;
	case EVENT_HELLO:
		return r->waiting && !r->verbose;
	case EVENT_NOTIFICATION:
		/*
		 * One command asks for its lists anew; at a prompt it is news.
		 * A question that is withdrawn is told by who answers it.
		 */
		return !r->verbose && !is_cancelled(e) &&
		       (r->begin || !is_list_changed(e)) && !is_low_log(r, e);
	case EVENT_REQUEST:
		/* Who answers tells what was answered. */
		return !r->verbose && !e->answered;
	case EVENT_DEVICE:
		return r->chatty && !r->verbose;
	case EVENT_FINDING: /* render_finding */
	case EVENT_AUDIO:
	case EVENT_CLOSED:
		break;
	}
	return false;
}

/* Nothing is lost silently: what was not shown is counted. */
static void tell_held(struct renderer *r)
{
	uint64_t held = r->held;
	CLEANUP(buf_done) struct buf count = { 0 };
	r->held = 0;
	if (held == 0)
		return;
	wrap_count(&count, held, "more message");
	render_note(r, "… %s not shown here: -v shows every frame",
		    buf_string(&count));
}

int64_t render_held(struct renderer *r)
{
	int64_t over = r->asides_since + 1000;
	if (r->held > 0 && loop_now() < over)
		return over;
	tell_held(r);
	return INT64_MAX;
}

/* A storm of them must not bury the result of another command. */
static bool is_held(struct renderer *r, const struct event *e)
{
	int64_t now = loop_now();

	if (e->kind == EVENT_NOTICE || e->kind == EVENT_HELLO)
		return false;
	if (now - r->asides_since >= 1000) {
		tell_held(r);
		r->asides_since = now;
		r->asides = 0;
	}
	/* They were asked for. */
	if (e->kind == EVENT_SERIAL || r->asides++ < ASIDES_A_SECOND)
		return false;
	r->held += e->kind == EVENT_DROPPED ? e->count : 1;
	return true;
}

/* A device file that is no terminal is /dev/null, as good as always. */
static bool is_kept_nowhere(FILE *f)
{
	struct stat what;
	return fstat(fileno(f), &what) == 0 && S_ISCHR(what.st_mode);
}

void render_told_error(struct renderer *r, const char *tool,
		       const struct error *e)
{
	bool apart = r->err_terminal || is_kept_nowhere(r->out);
	if (r->form != OUTPUT_TEXT || (!r->out_terminal && apart))
		return;
	mem_free(r->told);
	mem_free(r->told_short);
	r->told = mem_strdup(e->text);
	r->told_short =
		mem_printf("'%s' failed (isError)%s", tool,
			   r->out_terminal ? "" : ": its text is on stdout");
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), part = strlen(end);
	return len >= part && strcmp(text + len - part, end) == 0;
}

/* "smoke.txt:3: " may stand before what was told. */
static void shorten_told(struct renderer *r, struct error *e)
{
	CLEANUP(mem_free_ptr) char *told = TAKE(r->told);
	CLEANUP(mem_free_ptr) char *instead = TAKE(r->told_short);
	CLEANUP(mem_free_ptr) char *before = NULL;
	if (!told || !ends_with(e->text, told))
		return;
	before = mem_strndup(e->text, strlen(e->text) - strlen(told));
	mem_free(TAKE(e->detail));
	snprintf(e->text, sizeof(e->text), "%s%s", before, instead);
}

void render_error(struct renderer *r, const struct error *e)
{
	CLEANUP(error_reset) struct error whole = { 0 };
	CLEANUP(error_reset) struct error shown = { 0 };
	tell_held(r);
	error_copy(&whole, e);
	shorten_told(r, &whole);
	mask_error(&shown, &whole);
	if (r->ops->error)
		r->ops->error(r, &shown);
	mem_free(TAKE(r->peer_error));
	mem_free(TAKE(r->ladder));
}

void render_aside(struct renderer *r, const struct event *e)
{
	if (r->ops->aside && is_aside(r, e) && !is_held(r, e))
		r->ops->aside(r, e);
}

void render_keep_peer_error(struct renderer *r, const struct message *reply)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (reply->kind != MESSAGE_ERROR)
		return;
	add_member(&b, reply, "error");
	mem_free(r->peer_error);
	r->peer_error = mask_text(buf_string(&b));
}

void render_keep_ladder(struct renderer *r, const char *json)
{
	mem_free(r->ladder);
	r->ladder = mask_text(json);
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void ping_sort(int64_t *took_us, size_t count)
{
	if (count)
		qsort(took_us, count, sizeof(*took_us), by_size);
}

int64_t ping_percentile(const struct ping_layer *l, unsigned percent)
{
	const size_t came = l->sent - l->lost;
	/* The nearest rank, rounded up. */
	const size_t rank = (came * percent + 99) / 100;

	return came ? l->took_us[rank ? rank - 1 : 0] : -1;
}

void render_trace(struct renderer *r, const struct trace *t)
{
	/* A notice is an event too, and shown as such. */
	if (r->ops->trace && strcmp(t->kind, "notice") != 0)
		r->ops->trace(r, t);
}

void render_note(struct renderer *r, const char *format, ...)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	if (r->quiet)
		return;
	va_list args;
	va_start(args, format);
	if (r->about)
		buf_printf(&line, "%s: ", r->about);
	buf_vprintf(&line, format, args);
	va_end(args);
	CLEANUP(mem_free_ptr) char *masked = mask_text(buf_string(&line));
	if (r->ops->note)
		r->ops->note(r, masked);
}

void render_finding(struct renderer *r, const struct finding_record *f)
{
	enum severity severity = finding_row(f->finding->code)->severity;
	enum severity least = r->quiet	 ? SEVERITY_ERROR :
			      r->verbose ? SEVERITY_NOTE :
					   SEVERITY_WARNING;
	if ((f->whole || severity >= least) && r->ops->finding)
		r->ops->finding(r, f);
}

void render_command(struct renderer *r, const struct command_record *c)
{
	CLEANUP(mem_free_ptr) char *masked = NULL;
	if (r->quiet)
		return;
	if (!r->ops->command) {
		render_note(r, "%c %s", r->err_terminal ? '>' : '#', c->text);
		return;
	}
	masked = mask_text(c->text);
	r->ops->command(r,
			&(struct command_record){ masked, c->source, c->line });
}

void render_run(struct renderer *r, const struct run_record *run)
{
	size_t all = run->good + run->failed + run->not_run + run->interrupted;
	char ended[40] = "";

	if (r->quiet)
		return;
	if (run->interrupted)
		snprintf(ended, sizeof(ended), ", %zu interrupted",
			 run->interrupted);
	if (r->ops->run)
		r->ops->run(r, run);
	else if (run->good == all)
		render_note(r, "%zu commands, all good", all);
	else
		render_note(r,
			    "%zu commands: %zu good, %zu failed%s, %zu not run",
			    all, run->good, run->failed, ended, run->not_run);
}

void render_count_down(struct renderer *r, const char *text)
{
	if (!r->err_moves || r->quiet)
		return;
	if (!text) {
		clear_count_down(r);
		return;
	}
	r->count_down = true;
	term_rewrite(r->err, text, r->width);
}

struct render_place render_divert(struct renderer *r)
{
	struct render_place place = { r->out, r->out_terminal, r->out_color };
	render_flush(r);
	r->out = r->err;
	r->out_terminal = r->err_terminal;
	r->out_color = r->err_color;
	return place;
}

void render_restore(struct renderer *r, const struct render_place *place)
{
	render_flush(r);
	r->out = place->out;
	r->out_terminal = place->terminal;
	r->out_color = place->color;
}

/* A reader that had enough, as `| head`: the status tells, no words are needed. */
static bool reader_is_gone(FILE *out)
{
	struct pollfd pipe = { .fd = fileno(out), .events = POLLOUT };

	return poll(&pipe, 1, 0) == 1 && pipe.revents & POLLERR;
}

int renderer_finish(struct renderer *r, struct error *err)
{
	tell_held(r);
	clear_count_down(r);
	mem_free(TAKE(r->told));
	mem_free(TAKE(r->told_short));
	mem_free(TAKE(r->peer_error));
	mem_free(TAKE(r->ladder));
	fflush(r->err);
	errno = 0;
	if (fflush(r->out) == 0 && !ferror(r->out))
		return 0;
	int why = r->why_lost ? r->why_lost : errno;
	if (reader_is_gone(r->out)) {
		error_set(err, ERR_OUTPUT, "the reader of the output is gone");
		return error_code(err, EPIPE);
	}
	if (why == 0)
		return error_set(err, ERR_OUTPUT,
				 "output could not be written");
	error_set(err, ERR_OUTPUT, "output could not be written: %s",
		  strerror(why));
	return error_code(err, why);
}
