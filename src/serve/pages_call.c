/* SPDX-License-Identifier: MIT */
#include "serve/pages_call.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/content.h"
#include "mcp/tool_effect.h"
#include "mcp/tools.h"
#include "net/port_parts.h"
#include "serve/board_tell.h"
#include "serve/leasing.h"
#include "serve/pages_parts.h"
#include "serve/serve_state.h"
#include "wire/envelope.h"

#define SHOWN_MAX 200000 /* bytes of one text of a result */
#define PAGE_MAX ((size_t)1 << 20) /* of all of them */

struct pages_call {
	struct relay relay;
	struct pages_calls *calls;
	const struct front_table *front;
	struct front_request *rq;
	char *board, *tool;
	int64_t began_us;
	struct pages_call *next, **link; /* what points to it */
};

/* ---- the answer ---- */

static void begin_page(struct buf *out, const char *tool)
{
	html_begin(out, tool);
	buf_text(out, "<div id=\"answer\">");
}

static void end_page(struct buf *out, const char *board)
{
	buf_text(out, "</div>\n<p><a href=\"/boards/");
	html_path(out, board);
	buf_text(out, "\">Back to the board</a></p>\n");
	html_end(out);
}

/* What is wrong, in the words of whoever found it, and what can be done. */
static void add_error(struct buf *out, const struct error *why)
{
	buf_text(out, "<p class=\"bad\">");
	html_shown(out, why->text);
	buf_text(out, "</p>\n");
	if (why->hint[0]) {
		buf_text(out, "<p>");
		html_shown(out, why->hint);
		buf_text(out, "</p>\n");
	}
}

static void add_text(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf cut = { 0 };

	buf_add_cut(&cut, text, strlen(text), SHOWN_MAX);
	buf_text(out, "<pre>");
	html_shown(out, buf_string(&cut));
	buf_text(out, "</pre>\n");
}

static void add_content(struct buf *out, const struct content *c)
{
	static const char *const kinds[] = {
		[CONTENT_TEXT] = "text",
		[CONTENT_IMAGE] = "a picture",
		[CONTENT_AUDIO] = "a sound",
		[CONTENT_RESOURCE] = "a resource",
		[CONTENT_LINK] = "a link",
		[CONTENT_UNKNOWN] = "something unknown",
	};

	if (c->kind == CONTENT_TEXT && c->text) {
		add_text(out, c->text);
		return;
	}
	buf_printf(out, "<p>%s", kinds[c->kind]);
	if (c->mime) {
		buf_text(out, " (");
		page_text(out, c->mime);
		buf_char(out, ')');
	}
	if (c->data.len)
		buf_printf(out,
			   ", %zu bytes; 'mcpctl call' with --save keeps it",
			   c->data.len);
	buf_text(out, "</p>\n");
	if (c->text)
		add_text(out, c->text);
	if (c->inside)
		add_text(out, c->inside);
}

/*
 * What has no content, as it came. The blanks in front of what stands deep
 * would be hundreds of times as much: no more is printed than is shown.
 */
static void add_raw(struct buf *out, const struct message *m)
{
	CLEANUP(buf_done) struct buf text = { .max = SHOWN_MAX };

	json_print_pretty(&text, m->result);
	add_text(out, buf_string(&text));
	if (text.full)
		buf_text(out,
			 "<p>That is not all: 'mcpctl call' prints it.</p>\n");
}

static void add_result(struct buf *out, struct message *m)
{
	CLEANUP(result_done) struct result r = { 0 };

	result_decode_take(&r, m);
	if (r.is_error)
		buf_text(
			out,
			"<p class=\"bad\">The board says that it failed:</p>\n");
	for (size_t i = 0; i < r.count; i++) {
		if (out->len > PAGE_MAX) {
			buf_text(
				out,
				"<p>The rest would be too much for a page: 'mcpctl call' prints it.</p>\n");
			break;
		}
		add_content(out, &r.content[i]);
	}
	if (r.count == 0)
		add_raw(out, &r.message);
}

static void add_refusal(struct buf *out, const char *text)
{
	buf_text(out,
		 "<p class=\"bad\">The board answers with an error:</p>\n");
	add_text(out, text ? text : "(it has no words)");
}

/* Firmware writes errors that are no JSON (device.md 3.7). */
static void add_broken(struct buf *out, const char *frame, size_t len)
{
	CLEANUP(salvage_done) struct salvage found = { 0 };
	CLEANUP(mem_free_ptr) char *whole = mem_strndup(frame, len);

	jsonrpc_salvage(frame, len, &found);
	if (found.is_error && found.message) {
		add_refusal(out, found.message);
		return;
	}
	buf_text(out,
		 "<p class=\"bad\">The reply is no JSON-RPC; it is:</p>\n");
	add_text(out, whole);
}

void pages_call_result(struct buf *out, const char *frame, size_t len)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	struct message *m = &e.message;

	bool whole = !envelope_decode(&e, frame, len, NULL) &&
		     !message_keep(m, NULL);

	if (whole && m->kind == MESSAGE_RESULT)
		add_result(out, m);
	else if (whole && m->kind == MESSAGE_ERROR)
		add_refusal(out, message_error_text(m));
	else
		add_broken(out, frame, len);
}

/* ---- on its way ---- */

static void free_call(struct pages_call *call)
{
	*call->link = call->next;
	if (call->next)
		call->next->link = call->link;
	call->calls->count--;
	mem_free(call->board);
	mem_free(call->tool);
	mem_free(call);
}

void pages_calls_done(struct pages_calls *c)
{
	while (c->first) {
		relay_forget(&c->first->relay);
		free_call(c->first);
	}
}

static void on_done(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why)
{
	struct pages_call *call = owner;
	struct pages_calls *calls = call->calls;
	CLEANUP(buf_done) struct buf page = { 0 };
	char took[32];

	(void)r;
	begin_page(&page, call->tool);
	if (frame)
		pages_call_result(&page, frame, len);
	else
		add_error(&page, why);
	buf_printf(&page, "<p class=\"words\">After %s.</p>\n",
		   text_milliseconds((loop_now_us() - call->began_us) / 1000,
				     took, sizeof(took)));
	end_page(&page, call->board);
	calls->answer(call->front, call->rq, frame ? 200 : 502, &page);
	free_call(call);
}

static struct pages_call *new_call(struct pages_calls *c, const struct visit *v,
				   const struct board *d,
				   const struct pages_given *g)
{
	struct pages_call *call = mem_zalloc(sizeof(*call));

	call->relay.done = on_done;
	call->relay.owner = call;
	call->calls = c;
	call->front = v->port->front;
	call->rq = v->rq;
	call->board = mem_strdup(d->id);
	call->tool = mem_strdup(g->tool);
	call->began_us = loop_now_us();
	call->next = c->first;
	call->link = &c->first;
	if (call->next)
		call->next->link = &call->next;
	c->first = call;
	c->count++;
	return call;
}

static int send_call(struct pages_calls *c, const struct visit *v,
		     struct board *d, const struct pages_given *g,
		     const char *arguments, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct pages_call *call;

	if (c->count >= PAGES_CALLS_MAX)
		return error_set(err, ERR_CONNECT,
				 "too many calls of browsers are on their way");
	if (leasing_check_browser(d, err) || board_admit(d, "tools/call", err))
		return -1;
	tool_call_params(&params, g->tool, arguments);
	call = new_call(c, v, d, g);
	if (!relay_request(&call->relay, d, "tools/call", buf_string(&params),
			   d->server->config.timeout, err))
		return 0;
	free_call(call);
	return -1;
}

/* ---- may it be sent, and what ---- */

static int check_board(const struct board *d, const struct pages_given *g,
		       struct error *err)
{
	if (d->state != DEVICE_READY || !d->tools)
		return error_set(err, ERR_CONNECT,
				 "the board is not ready (%s)",
				 board_state_word(d));
	if (g->tool && g->list && strcmp(g->list, d->tools->id) == 0)
		return 0;
	error_set(err, ERR_USAGE,
		  "the board's tools are others now than on that page");
	return error_hint(err, "go back, and load the page again");
}

/* The tool, and arguments that fit it. */
static int read_form(struct buf *out, const struct board *d,
		     const struct pages_given *g, struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list one = { 0 };
	struct span text;

	if (check_board(d, g, err))
		return -1;
	if (!shared_list_tool(d->tools, g->tool, &text))
		return error_set(err, ERR_USAGE, "there is no such tool");
	if (tool_list_add_text(&one, text.text, text.len, err))
		return -1;
	if (one.count != 1)
		return error_set(err, ERR_PROTOCOL, "the tool cannot be read");
	if (tool_effect(&one.tool[0]) == EFFECT_DESTROYS && !g->sure) {
		error_set(
			err, ERR_USAGE,
			"nothing was called: what this tool does cannot be taken back");
		return error_hint(err,
				  "go back, and tick the box above 'Call'");
	}
	return pages_form_arguments(out, &one.tool[0], g, err);
}

void pages_call_begin(struct pages_calls *c, const struct visit *v,
		      struct board *d, const struct pages_given *g)
{
	CLEANUP(buf_done) struct buf arguments = { 0 }, page = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (!read_form(&arguments, d, g, &why) &&
	    !send_call(c, v, d, g, buf_string(&arguments), &why))
		return;
	begin_page(&page, g->tool ? g->tool : "A call");
	add_error(&page, &why);
	end_page(&page, d->id);
	c->answer(v->port->front, v->rq, why.kind == ERR_USAGE ? 400 : 503,
		  &page);
}
