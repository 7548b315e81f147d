/* SPDX-License-Identifier: MIT */
/* Leases asked for, granted, waited for, ended, and told of. */
#include "serve/leasing.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "serve/board.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/known_boards.h"
#include "serve/leases.h"

#define LENGTH_MAX (INT64_C(10) * 24 * 3600 * 1000)
#define SHOWN 4 /* boards, and leases, that a message names */
#define WORDS_MAX 256 /* of one question */

static struct leases *table(const struct control_peer *p)
{
	return &p->server->leases;
}

/* ---- told ---- */

static void add_boards(struct buf *out, const struct serve *s,
		       const struct lease *l)
{
	for (size_t i = 0; i < l->count && i < SHOWN; i++)
		buf_printf(out, "%s%s", i ? ", " : "",
			   known_board_name(s, l->board[i].id));
	if (l->count > SHOWN)
		buf_printf(out, " and %zu more", l->count - SHOWN);
}

/* In the log, and to those who watch a board of it. */
static void record(struct serve *s, const struct lease *l, const char *change)
{
	CLEANUP(buf_done) struct buf boards = { 0 }, detail = { 0 };
	struct record *r;

	add_boards(&boards, s, l);
	r = records_add(&s->records, RECORD_LEASE, LEVEL_INFO,
			l->count == 1 ? l->board[0].id : NULL, NULL,
			"%s: %s, by %s", change, buf_string(&boards), l->by);
	buf_text(&detail, "\"boards\":[");
	for (size_t i = 0; i < l->count; i++) {
		buf_text(&detail, i ? "," : "");
		buf_json_string(&detail, l->board[i].id,
				strlen(l->board[i].id));
	}
	buf_text(&detail, "],\"lease\":");
	lease_describe(&detail, l, loop_now(), unix_now_ms());
	record_detail(r, &detail);
}

static void tell_watchers(struct serve *s, const struct words *ids,
			  const char *change)
{
	for (size_t i = 0; i < ids->count; i++) {
		struct board *d = registry_find(&s->registry, ids->word[i]);

		if (d && !d->closing)
			s->events->changed(d, change);
	}
}

static void copy_ids(struct words *out, const struct lease *l)
{
	for (size_t i = 0; i < l->count; i++)
		words_add(out, l->board[i].id);
}

static void answer(struct control_peer *p, const struct buf *text)
{
	control_peer_send(p, CONTROL_JSON, text->data, text->len);
}

static void tell_leased(const struct serve *s, const struct lease *l)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out,
		   "{\"op\":\"leased\",\"token\":\"%s\",\"lease\":", l->token);
	lease_describe(&out, l, loop_now(), unix_now_ms());
	buf_text(&out, ",\"devices\":[");
	for (size_t i = 0; i < l->count; i++) {
		const char *id = l->board[i].id;
		const char *name = known_board_name(s, id);

		buf_text(&out, i ? ",{\"id\":" : "{\"id\":");
		buf_json_string(&out, id, strlen(id));
		json_add_text_or_null(&out, "alias", name == id ? NULL : name);
		buf_printf(&out, ",\"here\":%s}",
			   registry_find(&s->registry, id) ? "true" : "false");
	}
	buf_text(&out, "]}");
	answer(l->holder, &out);
}

/* Who is before it: as many as one wants to read. */
static void tell_before(struct buf *out, const struct serve *s,
			const struct lease *w)
{
	const struct lease *l = NULL;
	const char *board;
	size_t count = 0;

	while ((l = leases_before(&s->leases, w, l, &board))) {
		if (count++ >= SHOWN)
			continue;
		buf_printf(out, "%s'%s' is ", count > 1 ? "; " : "",
			   known_board_name(s, board));
		lease_tell(out, l, loop_now());
	}
	if (count > SHOWN)
		buf_printf(out, "; and %zu more", count - SHOWN);
}

static void tell_queued(const struct serve *s, const struct lease *w)
{
	CLEANUP(buf_done) struct buf out = { 0 }, text = { 0 };

	tell_before(&text, s, w);
	buf_text(&out, "{\"op\":\"queued\"");
	json_add_text(&out, "text", buf_string(&text));
	buf_char(&out, '}');
	answer(w->holder, &out);
}

/* ---- their turn, and their end ---- */

/* As if it had been given to whoever asked. */
static void add_token(struct control_peer *p, const struct lease *l)
{
	size_t len = strlen(p->tokens);

	snprintf(p->tokens + len, sizeof(p->tokens) - len, "%s%s",
		 len ? "," : "", l->token);
}

/* A kept one outlives the connection that asked for it. */
static void grant(struct serve *s, struct lease *l)
{
	struct control_peer *p;
	CLEANUP(words_done) struct words ids = { 0 };

	copy_ids(&ids, l);
	record(s, l, "leased");
	add_token(l->holder, l);
	tell_leased(s, l);
	/* It may have gone meanwhile. */
	p = l->holder;
	if (p && p->lease_kept)
		l->holder = NULL;
	else if (p)
		p->leasing = true;
	if (l->until != LEASE_OPEN)
		s->events->due(s, l->until);
	tell_watchers(s, &ids, "leased");
}

static void give_turns(struct serve *s)
{
	struct lease *l;

	while (!s->closing && (l = leases_turn(&s->leases, loop_now())))
		grant(s, l);
}

/* Something before them changed. */
static void tell_all_queued(const struct serve *s)
{
	for (const struct lease *l = s->leases.first; l; l = l->next) {
		if (!lease_is_held(l) && l->holder)
			tell_queued(s, l);
	}
}

/* why: told to its holder, if that is there; NULL. */
static void end(struct serve *s, struct lease *l, const struct error *why,
		const char *change)
{
	CLEANUP(words_done) struct words ids = { 0 };
	bool held = lease_is_held(l);

	if (held) {
		copy_ids(&ids, l);
		record(s, l, change);
	}
	if (l->holder && why)
		control_tell_error(l->holder, "unleased", why);
	leases_remove(&s->leases, l);
	if (s->closing)
		return;
	tell_watchers(s, &ids, "released");
	give_turns(s);
	tell_all_queued(s);
}

/* Whoever is told something may go by that: so the end of it comes later. */
void leasing_leave(struct control_peer *p)
{
	struct serve *s = p->server;
	struct lease *l;

	while ((l = leases_by_holder(&s->leases, p))) {
		lease_leave(l);
		if (!s->closing)
			s->events->due(s, loop_now());
	}
	explicit_bzero(p->tokens, sizeof(p->tokens));
}

int64_t leasing_sweep(struct serve *s, int64_t now)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct lease *l;

	error_set(&why, ERR_TIMEOUT, "the time of the lease is over");
	while ((l = leases_due(&s->leases, now)))
		end(s, l, &why,
		    l->until == LEASE_LEFT ?
			    "the lease ended with its command" :
			    "the time of the lease is over");
	return leases_deadline(&s->leases);
}

/* ---- asked for ---- */

static int resolve(const struct serve *s, const cJSON *devices,
		   struct words *out, struct error *err)
{
	const cJSON *one;

	if (cJSON_GetArraySize(devices) > WORDS_MAX)
		return error_set(err, ERR_USAGE,
				 "more than %d words for devices", WORDS_MAX);
	cJSON_ArrayForEach(one, devices) {
		if (!cJSON_IsString(one))
			return error_set(err, ERR_USAGE, "a device is a text");
		if (known_boards(s, one->valuestring, out, err))
			return -1;
	}
	if (out->count)
		return 0;
	return error_set(err, ERR_USAGE, "'lease' needs a device");
}

static int check_name(const char *by, struct error *err)
{
	size_t len = by ? strlen(by) : 0;

	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)by[i] < ' ' || by[i] == 0x7f)
			len = 0;
	}
	if (len > 0 && len <= LEASE_NAME_MAX)
		return 0;
	return error_set(
		err, ERR_USAGE,
		"who leases has a name of 1 to %d bytes, without control characters",
		LEASE_NAME_MAX);
}

static int read_order(struct lease_order *out, const struct control_peer *p,
		      const cJSON *question, struct error *err)
{
	out->by = json_string(question, "by");
	if (check_name(out->by, err))
		return -1;
	if (json_integer(question, "for", &out->length) || out->length < 0)
		out->length = 0;
	if (out->length > LENGTH_MAX)
		return error_set(err, ERR_USAGE,
				 "a lease lasts ten days at most");
	if (json_true(question, "keep") && !out->length)
		return error_set(err, ERR_USAGE,
				 "a lease that is kept needs a time");
	if (leases_by_holder(&p->server->leases, p))
		return error_set(err, ERR_USAGE,
				 "this connection has its lease");
	return 0;
}

/* Nothing stands before it: granted. Else it waits, if it wants to. */
static int settle(struct control_peer *p, struct lease *l, bool waits,
		  struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const struct lease *before = NULL;
	const char *board;

	while ((before = leases_before(table(p), l, before, &board))) {
		if (!lease_has_token(before, p->tokens))
			continue;
		error_set(err, ERR_USAGE,
			  "'%s' is leased by this command already",
			  known_board_name(p->server, board));
		return error_hint(
			err,
			"it runs under that lease (MCPCTL_LEASE): nothing more is needed");
	}
	give_turns(p->server);
	if (lease_is_held(l))
		return 0;
	if (waits) {
		tell_queued(p->server, l);
		return 0;
	}
	tell_before(&text, p->server, l);
	error_set(err, ERR_CONNECT, "%s", buf_string(&text));
	return error_hint(err, "--wait 10m waits for it");
}

void leasing_ask(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	struct lease_order order = { .ids = &ids, .holder = p };
	struct lease *l = NULL;

	if (!read_order(&order, p, q->json, &why) &&
	    !resolve(p->server, json_array(q->json, "devices"), &ids, &why))
		l = leases_add(table(p), &order, &why);
	if (l)
		p->lease_kept = json_true(q->json, "keep");
	if (l && settle(p, l, json_true(q->json, "wait"), &why))
		leases_remove(table(p), l);
	if (why.kind != ERR_NONE)
		control_peer_error(p, &why);
}

/* ---- given back ---- */

static bool has_one_of(const struct lease *l, const struct words *ids)
{
	for (size_t i = 0; i < ids->count; i++) {
		for (size_t k = 0; k < l->count; k++) {
			if (strcmp(l->board[k].id, ids->word[i]) == 0)
				return true;
		}
	}
	return false;
}

/* By its token; or whoever names both a board and who holds it. */
static bool is_meant(const struct control_peer *p, const struct lease *l,
		     const struct words *ids, const char *by)
{
	if (!lease_is_held(l) || (ids->count && !has_one_of(l, ids)))
		return false;
	if (lease_has_token(l, p->tokens))
		return true;
	return ids->count && by && strcmp(l->by, by) == 0;
}

static int refuse_release(const struct control_peer *p, const struct words *ids,
			  struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < ids->count; i++) {
		const struct lease *l =
			leases_of(table(p), ids->word[i], NULL, NULL);

		if (!l)
			continue;
		lease_tell(&text, l, loop_now());
		error_set(err, ERR_CONNECT, "'%s' is %s",
			  known_board_name(p->server, ids->word[i]),
			  buf_string(&text));
		return error_hint(
			err,
			"if that one is not needed any more: --release DEVICE --as and that name");
	}
	if (ids->count)
		error_set(err, ERR_CONNECT, "nobody holds '%s'",
			  known_board_name(p->server, ids->word[0]));
	else
		error_set(
			err, ERR_CONNECT,
			"this command has no lease (MCPCTL_LEASE), or it is over");
	return error_hint(err, "'mcpctl devices' shows who holds which board");
}

void leasing_release(struct control_peer *p, const struct control_question *q)
{
	const cJSON *devices = json_array(q->json, "devices");
	const char *by = json_string(q->json, "by");
	CLEANUP(words_done) struct words ids = { 0 };
	CLEANUP(error_reset) struct error why = { 0 }, over = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	struct lease *l = table(p)->first;
	size_t count = 0;

	error_set(&over, ERR_CONNECT, "the lease was given back by --release");
	if (devices && devices->child &&
	    resolve(p->server, devices, &ids, &why)) {
		control_peer_error(p, &why);
		return;
	}
	while (l) {
		if (!is_meant(p, l, &ids, by)) {
			l = l->next;
			continue;
		}
		count++;
		end(p->server, l, &over, "released");
		/* Others may have come and gone with it. */
		l = table(p)->first;
	}
	if (!count && refuse_release(p, &ids, &why)) {
		control_peer_error(p, &why);
		return;
	}
	buf_printf(&out, "{\"op\":\"released\",\"count\":%zu}", count);
	answer(p, &out);
}

/* ---- whom it keeps out ---- */

static int refuse(const struct lease *l, const char *name, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	lease_tell(&text, l, loop_now());
	error_set(err, ERR_CONNECT, "'%s' is %s", name, buf_string(&text));
	return error_hint(
		err,
		"'mcpctl lease %s --wait 10m -- COMMAND' waits for it; watching (tail, devices) is free",
		name);
}

static int check(const struct control_peer *p, const struct lease *l,
		 const char *name, struct error *err)
{
	if (l)
		return lease_has_token(l, p->tokens) ? 0 : refuse(l, name, err);
	if (leases_know(table(p), p->tokens))
		return 0;
	error_set(err, ERR_CONNECT,
		  "the lease of this command (MCPCTL_LEASE) is over");
	return error_hint(
		err,
		"its time or its command ended, or serve was started anew: take another by 'mcpctl lease', or unset MCPCTL_LEASE");
}

int leasing_check(const struct control_peer *p, const struct board *d,
		  struct error *err)
{
	return check(p, leases_of(table(p), d->id, d->device_id, d->client_id),
		     d->alias ? d->alias : d->id, err);
}

int leasing_check_browser(const struct board *d, struct error *err)
{
	if (!leases_of(&d->server->leases, d->id, d->device_id, d->client_id))
		return 0;
	return error_set(err, ERR_CONNECT,
			 "'%s' is leased: 'mcpctl devices' tells by whom",
			 d->alias ? d->alias : d->id);
}

int leasing_check_id(const struct control_peer *p, const char *id,
		     struct error *err)
{
	const struct board *d = registry_find(&p->server->registry, id);

	if (d)
		return leasing_check(p, d, err);
	return check(p, leases_of(table(p), id, NULL, NULL),
		     known_board_name(p->server, id), err);
}
