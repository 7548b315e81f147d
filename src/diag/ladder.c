/* SPDX-License-Identifier: MIT */
/* Which layer is silent, in words, and what that means. */
#include "diag/ladder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "diag/codebook.h"
#include "diag/facts.h"

/* ---- each layer in words ---- */

/* What was sent this moment is on its way, and may be acknowledged late. */
static bool is_overdue(const struct layers *n)
{
	return n->tcp && n->unacked > 0 && n->retransmits > 0;
}

static void add_tcp(struct buf *out, const struct ladder *l)
{
	const struct layers *n = &l->layers;
	char time[TEXT_ROOM];

	if (is_overdue(n))
		buf_printf(out,
			   "%" PRId64 " B unacknowledged for %s, %" PRId64
			   " retransmission%s",
			   n->unacked,
			   text_milliseconds(l->layers.unacked_ms, time,
					     sizeof(time)),
			   n->retransmits, n->retransmits == 1 ? "" : "s");
	else if (n->unsent > 0)
		buf_printf(out,
			   "acknowledges, and takes no more: %" PRId64
			   " B wait",
			   n->unsent);
	else
		buf_printf(out, "acknowledged, round trip %s",
			   text_microseconds(n->rtt_us, time, sizeof(time)));
	/* Behind the longer words there is room for no more. */
	if (n->broker)
		buf_text(out, is_overdue(n) ? " (the broker)" :
					      " (the broker, not the board)");
	else if (l->serve)
		buf_text(out, " (serve's connection)");
}

static void add_asked(struct buf *out, enum rung rung, int64_t us,
		      const char *answered, const struct ladder *l)
{
	char time[TEXT_ROOM];

	if (rung == RUNG_ANSWERED)
		buf_printf(out, "%s after %s", answered,
			   text_microseconds(us, time, sizeof(time)));
	else
		buf_printf(out, "silent for %s",
			   text_milliseconds(l->asked_ms, time, sizeof(time)));
}

/* Each with a name in front; between: what stands behind it. */
static void add_layers(struct buf *out, const struct ladder *l,
		       const char *name_end, const char *between)
{
	const size_t from = out->len;

	if (l->layers.tcp) {
		buf_printf(out, "tcp%s", name_end);
		add_tcp(out, l);
	}
	if (l->pong) {
		buf_printf(out, "%sws%s%s", out->len > from ? between : "",
			   *between == '\n' ? " " : "", name_end);
		add_asked(out, l->pong, l->pong_us, "pong", l);
	}
	if (l->loop) {
		buf_printf(out, "%sloop%s", out->len > from ? between : "",
			   *between == '\n' ? name_end + 1 : name_end);
		add_asked(out, l->loop, l->loop_us, "answers", l);
	}
}

void ladder_proof(struct buf *out, const struct ladder *l)
{
	add_layers(out, l, " ", "; ");
}

void ladder_lines(struct buf *out, const struct ladder *l,
		  const struct verdict *v)
{
	const size_t from = out->len;

	add_layers(out, l, "   ", "\n");
	buf_printf(out, "%s%-4s  %s", out->len > from ? "\n" : "",
		   v->code < 0 ? "so" :
				 finding_row((enum diag_code)v->code)->code,
		   v->words);
}

static void add_rung(struct buf *out, const char *name, enum rung rung,
		     const char *member, int64_t us)
{
	buf_printf(out, ",\"%s\":", name);
	if (rung == RUNG_ANSWERED)
		buf_printf(out, "{\"%s\":%" PRId64 "}", member, us);
	else if (rung == RUNG_SILENT)
		buf_printf(out, "{\"%s\":null}", member);
	else
		buf_text(out, "null");
}

void ladder_json(struct buf *out, const struct ladder *l,
		 const struct verdict *v)
{
	struct layers tcp = l->layers;

	buf_printf(out, "{\"waited_ms\":%" PRId64, l->waited_ms);
	tcp.pong_us = -1;
	tcp.ping = l->pong != RUNG_NONE;
	layers_encode(out, &tcp);
	add_rung(out, "ws", l->pong, "pong_us", l->pong_us);
	add_rung(out, "loop", l->loop, "took_us", l->loop_us);
	json_add_text(out, "stray", l->stray);
	json_add_text(out, "verdict",
		      v->code < 0 ? NULL :
				    finding_row((enum diag_code)v->code)->code);
	json_add_text(out, "words", v->words);
	buf_char(out, '}');
}

/* ---- the verdict ---- */

static bool say(struct verdict *v, int code, const char *words,
		const char *next)
{
	v->code = code;
	snprintf(v->words, sizeof(v->words), "%s", words);
	snprintf(v->next, sizeof(v->next), "%s", next);
	return true;
}

static bool say_late(struct verdict *v, const struct ladder *l)
{
	char time[TEXT_ROOM], words[100];

	snprintf(words, sizeof(words), "the reply came %s after time was over",
		 text_microseconds(l->late_us, time, sizeof(time)));
	return say(v, -1, words, "--timeout waits longer");
}

static bool say_stray(struct verdict *v)
{
	return say(
		v, D116,
		"a reply came whose id no call has: most likely it is this one",
		"the device must send the id back as it came; --trace FILE keeps both");
}

static bool say_ended(struct verdict *v, const struct ladder *l)
{
	char words[300];

	snprintf(words, sizeof(words), "the connection ended meanwhile: %s",
		 l->ended);
	return say(v, -1, words,
		   "whether the call was carried out is not known");
}

static bool say_lost(struct verdict *v)
{
	const size_t most = firmware_message_max();
	char words[100];

	snprintf(
		words, sizeof(words),
		most ? "its answer seems lost: above %zu B, or building it failed" :
		       "its answer seems lost: too large, or building it failed",
		most);
	return say(
		v, D121, words,
		"ask for less; its own log (USB) tells more; --timeout waits longer");
}

/* The main loop is alive. */
static bool judge_answered(struct verdict *v, const struct ladder *l)
{
	if (!l->tool)
		return say(
			v, l->owed && l->board ? D145 : -1,
			"the main loop answers others, and gave this no answer",
			"firmware drops what it cannot read, and says nothing (device.md 3)");
	if (!l->board)
		return say(
			v, -1,
			"the server answers others: it works on this, or has lost it",
			"--timeout waits longer; its own log tells more");
	if (l->threads)
		return say(
			v, -1,
			"the tool still runs, or ended without an answer",
			"this firmware runs each call in a thread: --timeout waits longer");
	if (l->layers.broker)
		return say(
			v, -1, "its answer seems lost: too large for a broker?",
			"ask for less; 'mcpctl explain D120' tells which broker takes how much");
	return say_lost(v);
}

/* Its main loop is not. */
static bool judge_loop_silent(struct verdict *v, const struct ladder *l)
{
	if (l->tool)
		return say(
			v, D132,
			"the tool is still running: the main loop is busy",
			"--timeout waits longer; do not repeat a call that acts");
	return say(
		v, -1,
		"the main loop is busy: a tool that was called before still runs",
		"wait for it; --timeout waits longer");
}

static bool judge_unacked(struct verdict *v, const struct ladder *l)
{
	if (l->layers.unacked_ms < LADDER_GONE_MS)
		return say(
			v, -1,
			"nothing is acknowledged, and it is too early to tell why",
			"--timeout waits longer");
	if (l->layers.broker)
		return say(
			v, N120, "the broker is gone, TCP was never closed",
			"is the broker's machine up, and the network between?");
	if (!l->board)
		return say(
			v, N120,
			"the peer or its network is gone, TCP was never closed",
			"is its machine up, and the network between?");
	return say(v, N120,
		   "the board or its Wi-Fi is gone, TCP was never closed",
		   "wake or restart the board: it dials anew");
}

static bool judge_behind_broker(struct verdict *v)
{
	return say(
		v, -1,
		"the board is gone or busy with a tool, or the broker passes nothing on",
		"MQTT has no Ping to a board to tell these apart; 'mcpctl ping' later");
}

/* TCP acknowledges: somebody's network stack is alive. */
static bool judge_acked(struct verdict *v, const struct ladder *l)
{
	if (l->layers.broker)
		return l->loop && judge_behind_broker(v);
	if (l->board && l->pong && l->loop)
		return say(
			v, D133,
			"the network task hangs (or: no Ping is known, and a tool runs)",
			"keep the serial log, then restart the board; 'mcpctl explain D133'");
	if (l->pong)
		return say(
			v, -1,
			"the server hangs, or answers no Ping and still works on it",
			"--timeout waits longer; its own log tells more");
	if (l->loop)
		return say(
			v, -1,
			"it is there; whether it works on this or hangs is not told",
			"--timeout waits longer");
	return say(v, -1, "the server has the request and has not answered",
		   "--timeout waits longer; its own log tells more");
}

bool ladder_judge(const struct ladder *l, struct verdict *out)
{
	*out = (struct verdict){ .code = -1 };
	if (l->late_us > 0)
		return say_late(out, l);
	if (l->stray)
		return say_stray(out);
	if (l->ended)
		return say_ended(out, l);
	if (l->odd && (l->loop == RUNG_ANSWERED ||
		       (l->pong == RUNG_ANSWERED && !l->loop)))
		return say(
			out, D143,
			"what came is no message: most likely it was to be the answer",
			"'mcpctl explain D143' tells what that can be");
	if (l->loop == RUNG_ANSWERED)
		return judge_answered(out, l);
	if (l->pong == RUNG_ANSWERED && l->loop)
		return judge_loop_silent(out, l);
	if (l->pong == RUNG_ANSWERED)
		return say(out, -1,
			   "the server is there, and has not answered this",
			   "--timeout waits longer; its own log tells more");
	if (is_overdue(&l->layers))
		return judge_unacked(out, l);
	if (l->layers.tcp)
		return judge_acked(out, l);
	if (l->loop)
		return say(
			out, -1,
			"the main loop is silent too: a tool still runs, or it hangs",
			"--timeout waits longer; this way has no other layer to ask");
	return false;
}
