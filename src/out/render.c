/* SPDX-License-Identifier: MIT */
/*
 * What all forms of output share: set-up, the way to the streams, notes, the
 * count-down, the end. Records are rendered in render_text*, render_json*,
 * render_raw.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "mcp/schema.h"
#include "mcp/tools.h"
#include "out/clock.h"
#include "out/mask.h"
#include "out/render.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_result.h"
#include "out/wrap.h"

/*
 * tools --diff: a tool that came, went or changed, as text and as JSON.
 */

#define ONE_LINE_MOST 60 /* columns of both values */
#define VALUE_MOST 4000 /* bytes of a value that are shown */

static const char *name_of(const struct tool_change *c)
{
	if (c->new)
		return c->new->name;
	return c->old ? c->old->name : "";
}

/* ---- text ---- */

/* JSON has no line ends of its own: it is one line. */
static void show_value(struct buf *out, const cJSON *value)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	if (!value) {
		buf_text(out, "(none)");
		return;
	}
	json_print(&json, value);
	size_t len = text_fit(buf_string(&json), json.len, VALUE_MOST);
	text_safe(out, buf_string(&json), len, TEXT_JSON);
	if (len < json.len)
		buf_text(out, "…");
}

/* "argument mute: added, boolean, required" */
static void add_argument(struct buf *out, const struct tool_change *c,
			 const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf rule = { 0 };
	const struct tool *t = d->old ? c->old : c->new;

	buf_text(out, d->old ? ": removed, " : ": added, ");
	schema_describe_in(t ? t->schema : NULL, d->old ? d->old : d->new,
			   &rule);
	text_safe(out, buf_string(&rule), rule.len, TEXT_LINE);
	if (d->required)
		buf_text(out, ", required");
	buf_char(out, '\n');
}

static void add_values(struct buf *out, bool color,
		       const struct tool_difference *d)
{
	CLEANUP(buf_done) struct buf old = { 0 };
	CLEANUP(buf_done) struct buf new = { 0 };

	show_value(&old, d->old);
	show_value(&new, d->new);
	if (text_width(buf_string(&old), old.len) +
		    text_width(buf_string(&new), new.len) <=
	    ONE_LINE_MOST) {
		buf_printf(out, " %s -> %s\n", buf_string(&old),
			   buf_string(&new));
		return;
	}
	buf_text(out, "\n      ");
	term_painted(out, color, PAINT_BAD, "- ");
	buf_printf(out, "%s\n      ", buf_string(&old));
	term_painted(out, color, PAINT_GOOD, "+ ");
	buf_printf(out, "%s\n", buf_string(&new));
}

static void add_difference(struct buf *out, bool color,
			   const struct tool_change *c,
			   const struct tool_difference *d)
{
	buf_text(out, "    ");
	wrap_name(out, d->label);
	if (d->argument)
		add_argument(out, c, d);
	else if (d->required)
		buf_text(out, d->new ? ": optional -> required\n" :
				       ": required -> optional\n");
	else
		add_values(out, color, d);
}

void text_change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const char *name = name_of(c);
	const char *sign = !c->old ? "+ " : !c->new ? "- " : "~ ";
	enum paint paint = !c->old ? PAINT_GOOD :
			   !c->new ? PAINT_BAD :
				     PAINT_WARN;

	term_painted(&b, r->out_color, paint, sign);
	if (*name)
		wrap_name(&b, name);
	else
		buf_text(&b, "(no name)");
	buf_char(&b, '\n');
	for (size_t i = 0; i < c->differences.count; i++)
		add_difference(&b, r->out_color, c, &c->differences.item[i]);
	put_out(r, &b);
}

/* ---- JSON ---- */

static void add_tool(struct buf *out, const char *name, const struct tool *t)
{
	struct span text = tool_text(t);

	line_json(out, name, text.text, text.len);
}

/* "old" and "new" only where there is a value: it may be null. */
static void add_json(struct buf *out, const struct tool_difference *d)
{
	if (out->data[out->len - 1] == '}')
		buf_char(out, ',');
	buf_char(out, '{');
	line_text(out, "path", d->pointer);
	line_text(out, "what", d->label);
	if (d->required && !d->argument) {
		line_bool(out, "old", d->old != NULL);
		line_bool(out, "new", d->new != NULL);
		buf_char(out, '}');
		return;
	}
	if (d->old)
		line_tree(out, "old", d->old);
	if (d->new)
		line_tree(out, "new", d->new);
	buf_char(out, '}');
}

void json_change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_text(&b, "change",
		  !c->old ? "added" :
		  !c->new ? "removed" :
			    "changed");
	line_text(&b, "name", name_of(c));
	if (!c->old || !c->new) {
		add_tool(&b, "tool", c->new ? c->new : c->old);
	} else {
		add_tool(&b, "old", c->old);
		add_tool(&b, "new", c->new);
		line_name(&b, "differences");
		buf_char(&b, '[');
		for (size_t i = 0; i < c->differences.count; i++)
			add_json(&b, &c->differences.item[i]);
		buf_char(&b, ']');
	}
	buf_char(&b, '}');
	json_put_line(r, &b);
}

/*
 * The raw form: what the peer sent, byte for byte. Whatever has no bytes of
 * the peer's, and everything on stderr, is as in the text form.
 */

/* A payload: exact in a pipe, with a newline on a terminal. */
static void put_payload(struct renderer *r, const struct message *m)
{
	if (m->text)
		put_received(r, m->text, m->len, r->out_terminal);
}

static void info(struct renderer *r, const struct info_record *i)
{
	if (i->client)
		put_payload(r, &i->client->initialize);
}

/* The pages, a line each, whatever was filtered: as it came. */
static void tools_end(struct renderer *r, const struct tools_record *t)
{
	for (size_t i = 0; i < t->list->pages; i++)
		put_received(r, t->list->page[i].text, t->list->page[i].len,
			     true);
	text_tools_end(r, t);
}

static void items_end(struct renderer *r, const struct items_record *i)
{
	for (size_t n = 0; n < i->list->pages; n++)
		put_received(r, i->list->page[n].text, i->list->page[n].len,
			     true);
	text_items_end(r, i);
}

static void answer(struct renderer *r, const struct answer_record *a)
{
	put_payload(r, a->reply);
}

static void describe(struct renderer *r, const struct describe_record *d)
{
	struct span text = tool_text(d->tool);
	put_received(r, text.text, text.len, r->out_terminal);
}

static void result(struct renderer *r, const struct result *result)
{
	put_payload(r, &result->message);
	if (result->note)
		render_note(r, "%s", result->note);
}

static void reply(struct renderer *r, const struct message *m)
{
	put_payload(r, m);
}

/* Messages follow each other, so a line end parts them. */
static void event(struct renderer *r, const struct event *e)
{
	if (!e->text)
		return;
	put_received(r, e->text, e->len, true);
	fflush(r->out);
}

const struct render_ops render_raw = {
	.info = info,
	.tools_end = tools_end,
	.change = text_change,
	.describe = describe,
	.result = result,
	.reply = reply,
	.ping = text_ping,
	.items_end = items_end,
	.answer = answer,
	.progress = text_progress,
	.target = json_target,
	.trust = json_trust,
	.event = event,
	.aside = text_aside,
	.error = text_error,
	.record = text_record,
	.device = json_device,
	.row = json_row,
};

/* Notifications that another command shows on the way. */
#define ASIDES_A_SECOND 10

static const struct render_ops *const forms[] = {
	[OUTPUT_TEXT] = &render_text,
	[OUTPUT_JSON] = &render_json,
	[OUTPUT_RAW] = &render_raw,
};

static bool wants_color(FILE *f, enum output_form form, enum color_mode color)
{
	if (form != OUTPUT_TEXT || color == COLOR_NEVER)
		return false;
	return color == COLOR_ALWAYS || term_has_color(f);
}

void renderer_init(struct renderer *r, enum output_form form,
		   enum color_mode color)
{
	*r = (struct renderer){
		.ops = forms[form], .form = form, .out = stdout, .err = stderr
	};
	r->out_terminal = term_is_terminal(stdout);
	r->err_terminal = term_is_terminal(stderr);
	r->out_color = wants_color(stdout, form, color);
	r->err_color = wants_color(stderr, form, color);
	r->err_moves = r->err_terminal && term_moves();
	r->width = term_width(r->out_terminal ? stdout : stderr);
}

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

void put_out(struct renderer *r, struct buf *b)
{
	begin(r);
	if (b->len > 0)
		fwrite(b->data, 1, b->len, r->out);
	if (r->end)
		r->end(r->owner);
	buf_reset(b);
}

void put_err(struct renderer *r, struct buf *b)
{
	begin(r);
	/* What stdout has comes first where both go to one place. */
	fflush(r->out);
	if (b->len > 0)
		fwrite(b->data, 1, b->len, r->err);
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
		       (r->begin || !is_list_changed(e));
	case EVENT_REQUEST:
		/* Who answers tells what was answered. */
		return !r->verbose && !e->answered;
	case EVENT_DEVICE:
		return r->chatty && !r->verbose;
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
	render_note(r, "… %s not shown here: 'tail' shows all",
		    buf_string(&count));
}

int64_t render_held(struct renderer *r)
{
	int64_t over = (r->aside_second + 1) * 1000;
	if (r->held > 0 && loop_now() < over)
		return over;
	tell_held(r);
	return INT64_MAX;
}

/* A storm of them must not bury the result of another command. */
static bool is_held(struct renderer *r, const struct event *e)
{
	int64_t second = loop_now() / 1000;
	if (e->kind == EVENT_NOTICE || e->kind == EVENT_HELLO)
		return false;
	if (second != r->aside_second) {
		tell_held(r);
		r->aside_second = second;
		r->asides = 0;
	}
	if (r->asides++ < ASIDES_A_SECOND)
		return false;
	r->held += e->kind == EVENT_DROPPED ? e->count : 1;
	return true;
}

void render_error(struct renderer *r, const struct error *e)
{
	CLEANUP(error_reset) struct error shown = { 0 };
	tell_held(r);
	mask_error(&shown, e);
	if (r->ops->error)
		r->ops->error(r, &shown);
	mem_free(TAKE(r->peer_error));
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

static const char *trace_arrow(const struct trace *t)
{
	if (strcmp(t->kind, "text") != 0 && strcmp(t->kind, "binary") != 0)
		return "--";
	return t->outgoing ? "->" : "<-";
}

static void add_trace_data(struct buf *out, const struct trace *t)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (strcmp(t->kind, "text") != 0)
		buf_printf(out, " %s", t->kind);
	if (strcmp(t->kind, "binary") == 0 || t->len == 0)
		return;
	mask_secrets(&masked, t->data, t->len);
	buf_char(out, ' ');
	text_safe(out, buf_string(&masked), masked.len, TEXT_NAME);
}

void render_trace(struct renderer *r, const struct trace *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };
	bool short_form = r->err_terminal && !r->raw_frames;
	char clock[STAMP_SIZE];
	/* A notice is an event too, and shown as such. */
	if (strcmp(t->kind, "notice") == 0)
		return;
	if (r->form == OUTPUT_JSON) {
		json_trace(&b, t);
		json_put_error_line(r, &b);
		return;
	}
	buf_printf(&line, "%s %s", trace_arrow(t), clock_time(clock));
	if (t->device) {
		buf_char(&line, ' ');
		text_safe(&line, t->device, strlen(t->device), TEXT_NAME);
	}
	if (short_form && frame_describe(&words, &r->frames, t)) {
		buf_printf(&line, " %s", buf_string(&words));
	} else {
		if (strcmp(t->kind, "text") == 0 ||
		    strcmp(t->kind, "binary") == 0)
			buf_printf(&line, " %zu B", t->len);
		add_trace_data(&line, t);
	}
	term_paint(&b, r->err_color, PAINT_DIM);
	wrap_cut(&b, line.data, line.len, short_form ? r->width : 0);
	term_plain(&b, r->err_color);
	buf_char(&b, '\n');
	put_err(r, &b);
}

static void put_text_note(struct renderer *r, const char *note)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	term_paint(&b, r->err_color, PAINT_DIM);
	wrap_safe(&b, note);
	term_plain(&b, r->err_color);
	buf_char(&b, '\n');
	put_err(r, &b);
}

static void put_json_note(struct renderer *r, const char *note)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "note", note);
	buf_char(&b, '}');
	json_put_error_line(r, &b);
}

void render_note(struct renderer *r, const char *format, ...)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	if (r->quiet)
		return;
	va_list args;
	va_start(args, format);
	buf_vprintf(&line, format, args);
	va_end(args);
	CLEANUP(mem_free_ptr) char *masked = mask_text(buf_string(&line));
	if (r->form == OUTPUT_JSON)
		put_json_note(r, masked);
	else
		put_text_note(r, masked);
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
	fflush(r->out);
	r->out = r->err;
	r->out_terminal = r->err_terminal;
	r->out_color = r->err_color;
	return place;
}

void render_restore(struct renderer *r, const struct render_place *place)
{
	fflush(r->out);
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
	mem_free(TAKE(r->peer_error));
	fflush(r->err);
	errno = 0;
	if (fflush(r->out) == 0 && !ferror(r->out))
		return 0;
	int why = errno;
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
