/* SPDX-License-Identifier: MIT */
#include "capture/talks.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "diag/codebook.h"
#include "diag/list_rules.h"
#include "diag/ota_rules.h"
#include "diag/serial_rules.h"
#include "mcp/tools.h"
#include "wire/envelope.h"
#include "wire/http_parts.h"

#include <stdlib.h>
#include <string.h>

#define ID_MAX 64 /* bytes of an id that is remembered */
#define TOOLS_MAX 20000 /* of a list that is judged as a whole */

/* The list that is being asked for, page by page. */
struct talk_lists {
	char asked[ID_MAX]; /* the request whose page is awaited; "" */
	struct tool_list tools;
};

static void forget(struct capture_talk *t)
{
	tool_list_done(&t->lists->tools);
	mem_free(t->lists);
	mem_free(t->serial);
	diag_done(&t->diag);
	mem_free(t->device);
	mem_free(t->asked);
	mem_free(t);
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct capture_talk *t = owner;

	if (t->all->found)
		t->all->found(t->all->owner, t, f, detail);
}

static struct capture_talk *begin(struct talks *all,
				  const struct capture_event *e)
{
	struct capture_talk *t = mem_zalloc(sizeof(*t));
	bool plain = e->leg == LEG_HTTP || e->leg == LEG_STDIO;

	t->all = all;
	t->conn = e->conn;
	t->device = mem_strdup(e->device ? e->device : "");
	t->lists = mem_zalloc(sizeof(*t->lists));
	t->diag.about.board = !plain;
	t->diag.about.bare = plain;
	t->diag.about.standby = e->leg == LEG_MQTT;
	t->diag.found = on_found;
	t->diag.owner = t;
	map_add(&all->conns, map_hash(&t->conn, sizeof(t->conn)), t);
	return t;
}

static struct capture_talk *talk_of(struct talks *all,
				    const struct capture_event *e)
{
	size_t at = 0;
	struct capture_talk *t;

	while ((t = map_find(&all->conns, map_hash(&e->conn, sizeof(e->conn)),
			     &at)))
		if (t->conn == e->conn)
			return t;
	return begin(all, e);
}

/* ---- lists of tools ---- */

static void drop_list(struct talk_lists *l)
{
	tool_list_done(&l->tools);
	l->tools = (struct tool_list){ 0 };
	l->asked[0] = '\0';
}

static bool is_asked(const struct talk_lists *l, struct span id)
{
	return *l->asked && id.len == strlen(l->asked) &&
	       memcmp(id.text, l->asked, id.len) == 0;
}

static void list_asked(struct talk_lists *l, const struct message *m)
{
	struct span cursor = { 0 };

	if (strcmp(m->method, "tools/list") != 0 || m->id.len >= ID_MAX)
		return;
	if (m->params.text)
		json_span_member(m->params, "cursor", &cursor);
	if (!cursor.text || json_span_is(cursor, ""))
		drop_list(l);
	memcpy(l->asked, m->id.text, m->id.len);
	l->asked[m->id.len] = '\0';
}

static void page_came(struct capture_talk *t, struct message *m)
{
	struct talk_lists *l = t->lists;
	struct span cursor = { 0 };
	bool more;

	if (!is_asked(l, m->id))
		return;
	l->asked[0] = '\0';
	more = json_span_member(m->result_text, "nextCursor", &cursor) &&
	       cursor.len > 2;
	if (message_keep(m, NULL) ||
	    tool_list_add_take(&l->tools, m, NULL, NULL) ||
	    l->tools.count > TOOLS_MAX) {
		drop_list(l);
	} else if (!more) {
		diag_list(&t->diag, &l->tools);
		drop_list(l);
	}
}

static void look_for_lists(struct capture_talk *t,
			   const struct capture_event *e, struct envelope *in)
{
	struct message *m = &in->message;

	if (!m->text)
		return;
	if (e->from == FROM_BACKEND && m->kind == MESSAGE_REQUEST)
		list_asked(t->lists, m);
	else if (e->from == FROM_DEVICE && m->kind == MESSAGE_RESULT)
		page_came(t, m);
}

/* ---- what is judged ---- */

/* The events of a connection have numbers of their own in its engine. */
static void number(struct capture_talk *t, const struct capture_event *e)
{
	if (e->n)
		t->diag.frames = e->n - 1;
}

/* ---- serial logs ---- */

static struct serial_judge *judge_of(struct capture_talk *t)
{
	if (t->serial)
		return t->serial;
	t->serial = mem_zalloc(sizeof(*t->serial));
	t->serial->diag = &t->diag;
	t->next_log = t->all->logs;
	t->all->logs = t;
	return t->serial;
}

static void judge_line(struct capture_talk *t, const struct capture_event *e)
{
	struct serial_judge *j = judge_of(t);

	number(t, e);
	serial_judge_line(j, e->data, e->at_us);
	if (!*t->device && *j->mac) {
		mem_free(t->device);
		t->device = mem_strdup(j->mac);
	}
}

/* What a log says is told beside the frame of its board that came before. */
static void tell_logs(const struct capture_talk *t, const struct diag_frame *f)
{
	for (struct capture_talk *l = t->all->logs; l; l = l->next_log) {
		if (*l->device ? text_same(l->device, t->device) :
				 !l->next_log && l == t->all->logs)
			serial_judge_frame(l->serial, f);
	}
}

static void drop_log(struct capture_talk *t)
{
	struct capture_talk **link = &t->all->logs;

	while (*link && *link != t)
		link = &(*link)->next_log;
	if (*link)
		*link = t->next_log;
}

static void missed(struct capture_talk *t, enum event_from from)
{
	if (from != FROM_DEVICE)
		diag_missed(&t->diag, false);
	if (from != FROM_BACKEND)
		diag_missed(&t->diag, true);
}

/* Whose they were is not known. */
static void miss_all(struct talks *all)
{
	size_t at = 0;

	for (struct capture_talk *t; (t = map_each(&all->conns, &at));)
		missed(t, FROM_NOBODY);
}

/* Read once, for rules and for lists; what is broken is for the rules alone. */
static void feed(struct capture_talk *t, const struct capture_event *e)
{
	CLEANUP(envelope_done) struct envelope in = { 0 };
	struct diag_frame f = { .at_us = e->at_us,
				.leg = e->leg,
				.kind = e->kind == CAPTURED_BINARY ?
						FRAME_IS_BINARY :
						FRAME_IS_TEXT,
				.from_device = e->from == FROM_DEVICE,
				.data = e->data.text,
				.len = e->data.len };
	bool read;

	/* What is not all there cannot be judged: it would be broken JSON. */
	if (e->cut || e->from == FROM_NOBODY ||
	    (e->kind == CAPTURED_BINARY && e->data.len < e->size)) {
		if (e->kind == CAPTURED_TEXT)
			missed(t, e->from);
		return;
	}
	read = e->kind == CAPTURED_TEXT &&
	       envelope_decode(&in, e->data.text, e->data.len, NULL) == 0;
	if (read)
		f.at = &in.at;
	number(t, e);
	diag_feed(&t->diag, &f);
	tell_logs(t, &f);
	if (read)
		look_for_lists(t, e, &in);
}

/* The value of a field of its head; NULL. Yours. */
static char *header(const struct capture_event *e, const char *name)
{
	const struct span value =
		http_parts_field(e->head.text, e->head.len, name);

	return value.text ? mem_strndup(value.text, value.len) : NULL;
}

/* What was masked has another length now: right is right in this one, too. */
static int64_t told_length(const struct capture_event *e, const char *length)
{
	int64_t told = length ? strtoll(length, NULL, 10) : 0;

	return told == (int64_t)e->size ? (int64_t)e->data.len : told;
}

static void judge_ota(struct capture_talk *t, const struct capture_event *e)
{
	CLEANUP(mem_free_ptr) char *type = header(e, "Content-Type");
	CLEANUP(mem_free_ptr) char *coding = header(e, "Content-Encoding");
	CLEANUP(mem_free_ptr) char *location = header(e, "Location");
	CLEANUP(mem_free_ptr) char *length = header(e, "Content-Length");
	CLEANUP(mem_free_ptr) char *transfer = header(e, "Transfer-Encoding");
	const struct ota_answer a = { .at_us = e->at_us,
				      .status = e->status,
				      .location = location,
				      .content_type = type,
				      .content_encoding = coding,
				      .has_length = length != NULL,
				      .chunked = transfer != NULL,
				      .length = told_length(e, length),
				      .body = e->data.text ? e->data.text : "",
				      .len = e->data.len,
				      .more = e->cut,
				      .from = t->diag.about.from };

	number(t, e);
	diag_ota(&t->diag, &a);
}

/* What the device can reach: where it dials to. */
static void see_host(struct capture_talk *t, const struct capture_event *e)
{
	CLEANUP(mem_free_ptr) char *host = header(e, "Host");

	if (!host || e->from != FROM_DEVICE)
		return;
	mem_free(t->asked);
	t->asked = mem_printf("http://%s/", host);
	t->diag.about.from.asked = t->asked;
}

/*
 * Why something was not reached, and what asking beside it told, no frame shows:
 * what was found then stays.
 */
static bool stays(int code)
{
	static const enum diag_code kept[] = { D121, D132, D133, D138,
					       M401, M403, M413, M414,
					       P703, P704, P707, P708,
					       P713, P714, P715, P716 };

	for (size_t i = 0; i < COUNT(kept); i++) {
		if (code == (int)kept[i])
			return true;
	}
	return *finding_row((enum diag_code)code)->code == 'N';
}

static void take_found(struct capture_talk *t, const struct capture_event *e)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = e->data.text ?
			      json_parse(e->data.text, e->data.len, NULL) :
			      NULL;
	const char *code = json_string(tree, "code");
	const char *detail = json_string(tree, "detail");
	const int found = code ? finding_by_name(code) : -1;

	if (found >= 0 && stays(found))
		diag_found(&t->diag, (enum diag_code)found, (struct span){ 0 },
			   "%s", detail ? detail : "");
}

static void over(struct talks *all, struct capture_talk *t)
{
	if (t->serial)
		serial_judge_end(t->serial);
	diag_end(&t->diag);
	if (all->over)
		all->over(all->owner, t);
	map_remove(&all->conns, map_hash(&t->conn, sizeof(t->conn)), t);
	drop_log(t);
	forget(t);
}

static void name_it(struct capture_talk *t, const struct capture_event *e)
{
	if (!e->device || strcmp(t->device, e->device) == 0)
		return;
	mem_free(t->device);
	t->device = mem_strdup(e->device);
}

void talks_feed(struct talks *all, const struct capture_event *e)
{
	struct capture_talk *t;

	if (e->kind == CAPTURED_LOST)
		miss_all(all);
	if (!e->conn)
		return;
	t = talk_of(all, e);
	name_it(t, e);
	switch (e->kind) {
	case CAPTURED_TEXT:
	case CAPTURED_BINARY:
		feed(t, e);
		break;
	case CAPTURED_LINE:
		judge_line(t, e);
		break;
	case CAPTURED_OPEN:
		/* From now on it hears what passes. */
		if (e->leg == LEG_SERIAL)
			judge_of(t);
		see_host(t, e);
		break;
	case CAPTURED_REQUEST:
		see_host(t, e);
		break;
	case CAPTURED_RESPONSE:
		if (e->leg == LEG_OTA)
			judge_ota(t, e);
		break;
	case CAPTURED_FINDING:
		take_found(t, e);
		break;
	case CAPTURED_END:
		number(t, e);
		over(all, t);
		break;
	default:
		break;
	}
}

static int by_number(const void *a, const void *b)
{
	const struct capture_talk *const *one = a, *const *other = b;

	return ((*one)->conn > (*other)->conn) -
	       ((*one)->conn < (*other)->conn);
}

/*
 * In the order of their numbers: a map has none that stays. They went on behind
 * the end of the file, and what was left open may have been taken up there.
 */
void talks_end(struct talks *all)
{
	CLEANUP(mem_free_ptr)
	void **open = map_sorted(&all->conns, by_number);
	size_t count = all->conns.count;

	for (size_t i = 0; i < count; i++) {
		struct capture_talk *t = open[i];

		diag_leave(&t->diag);
		over(all, t);
	}
	map_done(&all->conns);
}
