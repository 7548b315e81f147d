/* SPDX-License-Identifier: MIT */
#include "bridge/bridge_boards.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bridge/board_answer.h"
#include "bridge/boards_file.h"
#include "bridge/task_call.h"
#include "bridge/told_board.h"
#include "net/control_client.h"

enum {
	ASKERS_MAX = 64, /* calls on their way at once */
	AGAIN_MIN_MS =
		250, /* between tries to reach serve; doubled each time */
	AGAIN_MAX_MS = 4000,
	LISTEN_AGAIN_MS =
		30000, /* all boards, in case that a change was missed */
	KEEP_MS = 3000, /* changes within it are written once */
	CLOSE_MS = 500,
	CANCEL_MS = 5000, /* for the answer to it, which nobody awaits */
	CLOSED_MS = 20, /* between looks at what is being closed */
	KEPT_MS = 24 * 3600 * 1000 /* then the file is told that it is there */
};

struct bridge_board {
	struct bridge_peer peer;
	struct bridge_boards *all;
	char *list; /* the id of its list of tools; NULL: none yet */
	struct board_asker *asker; /* where its call is; NULL */
	unsigned told; /* in which listing of all */
	int64_t kept; /* when it was seen, as the file has it; Unix ms */
};

/* A connection on which calls go, one at a time. */
struct board_asker {
	struct bridge_boards *all;
	struct control_client *client; /* NULL: it ended */
	struct bridge_board *board; /* whose call is on it; NULL: idle */
	struct bridge_call *call; /* NULL: idle, or dropped */
	bool busy; /* serve owes the end of an answer */
	struct task_call task;
	bool begun; /* it began, and its result is to be asked for */
};

/* Boards that fit one pattern, told by serve as they change. */
struct board_watch {
	struct bridge_boards *all;
	struct control_client *client;
	const char *pattern; /* NULL: all */
	bool listing; /* serve tells them all */
	int64_t list_at; /* when it is asked to do so again */
};

/* One list of tools, fetched name by name. */
struct list_fetch {
	struct bridge_boards *all;
	struct control_client *client;
	char *id; /* which; NULL: none is fetched */
	size_t asked, answered;
	size_t late; /* answers to what was asked for one that failed */
	bool named; /* its names came */
	struct buf tools;
};

struct bridge_boards {
	struct boards_config config;
	struct board_watch *watch;
	size_t watches;
	struct bridge_board **board;
	size_t count, capacity;
	struct map by_id;
	struct bridge_list **list; /* those that are known */
	size_t lists, lists_capacity;
	struct list_fetch fetch;
	bool wants_list; /* some board may have one that is not known */
	struct board_asker *asker[ASKERS_MAX];
	size_t askers;
	unsigned listing; /* which listing of all this is */
	size_t listings_open;
	bool listed; /* all came once */
	bool looked; /* they came again: some may be forgotten */
	bool is_full; /* that there are too many was told */
	bool dialled; /* connections are open, or about to be */
	bool is_up; /* a serve is there, and said so */
	bool tried;
	bool lost; /* a connection ended: all are to be opened anew */
	struct error missing;
	char *broker; /* why serve has no way to its broker; NULL: it has */
	char *said; /* the last reason that was told; NULL */
	bool is_told; /* that a serve, told_pid, is of another version */
	int told_pid;
	int64_t again_at, pause;
	char *file; /* NULL: nothing is kept */
	int64_t keep_at; /* LOOP_FOREVER: nothing to write */
	size_t parts; /* connections whose end has not come */
	bool ended; /* the last of them came; for who waits for that */
};

/* ---- boards ---- */

static struct bridge_board *find_board(const struct bridge_boards *b,
				       const char *id)
{
	struct bridge_board *found;
	size_t at = 0;

	while ((found = map_find(&b->by_id, map_hash_text(id), &at))) {
		if (strcmp(found->peer.id, id) == 0)
			break;
	}
	return found;
}

static const struct peer_kind board_kind;

static struct bridge_board *add_board(struct bridge_boards *b, const char *id)
{
	struct bridge_board *d = mem_zalloc(sizeof(*d));

	d->all = b;
	d->peer = (struct bridge_peer){ .kind = &board_kind,
					.owner = d,
					.id = mem_strdup(id),
					.device = true,
					.interval = b->config.interval,
					.changed = b->config.changed,
					.woken = b->config.woken };
	b->board = mem_grow(b->board, &b->capacity, b->count,
			    sizeof(struct bridge_board *));
	b->board[b->count++] = d;
	map_add(&b->by_id, map_hash_text(d->peer.id), d);
	b->config.came(b->config.owner, &d->peer);
	return d;
}

static struct bridge_list *find_list(const struct bridge_boards *b,
				     const char *id)
{
	for (size_t i = 0; id && i < b->lists; i++) {
		if (strcmp(b->list[i]->id, id) == 0)
			return b->list[i];
	}
	return NULL;
}

static void keep_soon(struct bridge_boards *b)
{
	if (b->file && b->keep_at == LOOP_FOREVER)
		b->keep_at = loop_now() + KEEP_MS;
}

/* One that is there day after day must not be forgotten as one that did not come. */
static void keep_seen(const struct bridge_board *d)
{
	if (d->peer.state == PEER_READY && d->peer.list && d->peer.device &&
	    unix_now_ms() - d->kept >= KEPT_MS)
		keep_soon(d->all);
}

static void add_list(struct bridge_boards *b, struct bridge_list *l)
{
	b->list = mem_grow(b->list, &b->lists_capacity, b->lists,
			   sizeof(struct bridge_list *));
	b->list[b->lists++] = bridge_list_hold(l);
}

static void use_list(struct bridge_boards *b, struct bridge_list *l)
{
	for (size_t i = 0; i < b->count; i++) {
		if (text_equal(b->board[i]->list, l->id))
			bridge_peer_list(&b->board[i]->peer, l);
	}
	keep_soon(b);
}

/* ---- what is between them and us ---- */

#define OVER_MQTT "MQTT"
#define OVER_WEBSOCKET "WebSocket"

static const char *way_of(const char *transport)
{
	if (!transport)
		return NULL;
	return text_equal(transport, "mqtt") ? OVER_MQTT : OVER_WEBSOCKET;
}

/* It is not there: what has to happen until it is? */
static void put_away(struct bridge_board *d)
{
	const struct bridge_boards *b = d->all;
	bool at_broker = text_equal(d->peer.way, OVER_MQTT);

	if (!b->is_up && b->tried)
		bridge_peer_away(&d->peer, LACKS_SERVE, NULL);
	else if (!d->peer.device)
		bridge_peer_away(&d->peer, LACKS_START, NULL);
	else if (at_broker && b->broker)
		bridge_peer_away(&d->peer, LACKS_BROKER, b->broker);
	else
		bridge_peer_away(&d->peer,
				 at_broker ? LACKS_ITSELF : LACKS_WAKING, NULL);
}

/* It came or went. */
static void look_at_away(struct bridge_boards *b)
{
	for (size_t i = 0; i < b->count; i++) {
		if (b->board[i]->peer.state == PEER_AWAY)
			put_away(b->board[i]);
	}
}

static void take_broker(struct bridge_boards *b, const char *away)
{
	mem_free(b->broker);
	b->broker = mem_strdup(away);
	look_at_away(b);
}

/* ---- what serve tells of them ---- */

static void name_board(struct bridge_board *d, const cJSON *device)
{
	CLEANUP(mem_free_ptr) char *about = told_board_about(device);
	CLEANUP(mem_free_ptr)
	char *prefix = told_board_prefix(device, d->peer.id);

	d->peer.device = json_object(device, "held") == NULL;
	bridge_peer_name(&d->peer, prefix, about);
}

static void tell(struct bridge_boards *b, const char *text)
{
	b->config.told(b->config.owner, text);
}

static void tell_full(struct bridge_boards *b)
{
	CLEANUP(mem_free_ptr)
	char *line = mem_printf(
		"%d boards are known: another one is shown when one of them is forgotten",
		BOARDS_FILE_MOST);

	if (!b->is_full)
		tell(b, line);
	b->is_full = true;
}

static void take_board(struct bridge_boards *b, const cJSON *device, bool gone)
{
	const char *id = json_string(device, "id");
	const char *list = json_string(device, "list");
	CLEANUP(mem_free_ptr) char *reason = NULL;
	enum peer_state state = told_board_state(device, &reason);
	struct bridge_board *d;

	if (!id || !*id)
		return;
	d = find_board(b, id);
	if (!d && b->count >= BOARDS_FILE_MOST) {
		tell_full(b);
		return;
	}
	if (!d)
		d = add_board(b, id);
	d->told = b->listing;
	name_board(d, device);
	b->wants_list = true;
	if (list && !text_equal(d->list, list)) {
		struct bridge_list *known = find_list(b, list);

		mem_free(d->list);
		d->list = mem_strdup(list);
		if (known)
			bridge_peer_list(&d->peer, known);
		keep_soon(b);
	}
	if (json_string(device, "transport"))
		d->peer.way = way_of(json_string(device, "transport"));
	if (gone || state == PEER_AWAY)
		put_away(d);
	else
		bridge_peer_state(&d->peer, state, reason);
	keep_seen(d);
}

static void came(struct bridge_boards *b)
{
	if (b->tried && !b->is_up)
		tell(b, "serve is there");
	b->is_up = b->tried = true;
	b->pause = AGAIN_MIN_MS / 2;
	error_reset(&b->missing);
}

/* Those that are not among all are away. */
static void end_listing(struct bridge_boards *b)
{
	if (!b->listings_open || --b->listings_open)
		return;
	came(b);
	for (size_t i = 0; i < b->count; i++) {
		struct bridge_board *d = b->board[i];

		if (d->told != b->listing)
			put_away(d);
	}
	b->listed = b->looked = true;
	*b->config.woken = true;
}

/* ---- connections ---- */

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	(void)owner;
	return greeting_check(g, err);
}

/* Another version is told once for each serve, by who comes first. */
static int on_watch_greeted(void *owner, const struct greeting *g,
			    struct error *err)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct bridge_boards *b = ((struct board_watch *)owner)->all;

	if (greeting_check(g, err))
		return -1;
	if (!greeting_differs(g) || (b->is_told && b->told_pid == g->pid))
		return 0;
	b->is_told = true;
	b->told_pid = g->pid;
	greeting_tell(&line, g);
	tell(b, buf_string(&line));
	return 0;
}

/* What we hang up ourselves is none. */
static void note_loss(struct bridge_boards *b)
{
	b->lost = b->dialled;
}

static void part_ended(struct bridge_boards *b, const struct error *why)
{
	b->ended = --b->parts == 0;
	if (why->kind != ERR_NONE)
		error_copy(&b->missing, why);
	*b->config.woken = true;
}

static void on_watched(void *owner, const struct control_frame *f)
{
	struct board_watch *w = owner;
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *op;

	if (f->kind != CONTROL_JSON ||
	    !(json = json_parse(f->data, f->len, NULL)))
		return;
	op = json_string(json, "op");
	if (text_equal(op, "device")) {
		take_board(w->all, json_object(json, "device"),
			   text_equal(json_string(json, "change"), "gone"));
	} else if (text_equal(op, "broker")) {
		take_broker(w->all, json_string(json, "away"));
	} else if (text_equal(op, "lost")) {
		w->list_at = 0;
		*w->all->config.woken = true;
	} else if (text_equal(op, "end") && w->listing) {
		w->listing = false;
		end_listing(w->all);
	}
}

static void on_watch_closed(void *owner, const struct error *why)
{
	struct board_watch *w = owner;

	w->client = NULL;
	note_loss(w->all);
	part_ended(w->all, why);
}

static const struct control_client_events watch_events = {
	.greeted = on_watch_greeted,
	.frame = on_watched,
	.closed = on_watch_closed
};

static int open_line(struct bridge_boards *b, struct control_client **out,
		     const struct control_client_events *events, void *owner,
		     struct error *err)
{
	if (control_client_open(out, b->config.loop, b->config.socket, events,
				owner, err))
		return -1;
	b->parts++;
	b->ended = false;
	return 0;
}

/* ---- lists ---- */

static void end_fetch(struct list_fetch *f)
{
	mem_free(TAKE(f->id));
	buf_done(&f->tools);
	f->asked = f->answered = 0;
	f->named = false;
	*f->all->config.woken = true;
}

/* Whoever waits for it asks again at the next listing of all. */
static void fail_fetch(struct list_fetch *f)
{
	for (size_t i = 0; i < f->all->count; i++) {
		struct bridge_board *d = f->all->board[i];

		if (text_equal(d->list, f->id))
			mem_free(TAKE(d->list));
	}
	end_fetch(f);
}

static void finish_fetch(struct list_fetch *f)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct tool_list tools = { 0 };
	struct bridge_list *l;

	if (f->tools.len &&
	    tool_list_add_text(&tools, f->tools.data, f->tools.len, &ignored)) {
		tool_list_done(&tools);
		fail_fetch(f);
		return;
	}
	l = bridge_list_new(f->id, &tools);
	add_list(f->all, l);
	use_list(f->all, l);
	bridge_list_release(l);
	end_fetch(f);
}

/* Not where the board went, or has another one by now: those names are not its. */
static bool are_of_list(const struct list_fetch *f, const cJSON *json)
{
	const cJSON *lists = json_array(json, "lists"), *one;

	cJSON_ArrayForEach(one, lists) {
		if (text_equal(cJSON_GetStringValue(one), f->id))
			return true;
	}
	return !lists;
}

static void ask_tools(struct list_fetch *f, const cJSON *json)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	const cJSON *one;

	f->named = true;
	cJSON_ArrayForEach(one, json_array(json, "tools")) {
		const char *name =
			cJSON_GetStringValue(cJSON_GetArrayItem(one, 0));
		const struct serve_question q = { .op = "tool",
						  .list = f->id,
						  .name = name };

		if (name && !control_client_ask(f->client, &q, &ignored))
			f->asked++;
	}
	if (!f->asked)
		finish_fetch(f);
}

static void take_tool(struct list_fetch *f, struct span answer)
{
	struct span tool;

	if (json_span_member(answer, "tool", &tool)) {
		if (f->tools.len)
			buf_char(&f->tools, ',');
		buf_add(&f->tools, tool.text, tool.len);
	}
	if (++f->answered == f->asked)
		finish_fetch(f);
}

static void take_names(struct list_fetch *f, const cJSON *json)
{
	if (are_of_list(f, json))
		ask_tools(f, json);
	else
		fail_fetch(f);
}

static void refused(struct list_fetch *f)
{
	if (f->named)
		f->late = f->asked - f->answered - 1;
	fail_fetch(f);
}

static void on_fetched(void *owner, const struct control_frame *frame)
{
	struct list_fetch *f = owner;
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *op;

	if (frame->kind != CONTROL_JSON)
		return;
	if (f->late) {
		f->late--;
		return;
	}
	if (!f->id || !(json = json_parse(frame->data, frame->len, NULL)))
		return;
	op = json_string(json, "op");
	if (text_equal(op, "names") && !f->named)
		take_names(f, json);
	else if (text_equal(op, "tool") && f->named)
		take_tool(f, (struct span){ frame->data, frame->len });
	else if (text_equal(op, "error"))
		refused(f);
}

static void on_fetch_closed(void *owner, const struct error *why)
{
	struct list_fetch *f = owner;

	f->client = NULL;
	f->late = 0;
	if (f->id)
		fail_fetch(f);
	note_loss(f->all);
	part_ended(f->all, why);
}

static const struct control_client_events fetch_events = {
	.greeted = on_greeted, .frame = on_fetched, .closed = on_fetch_closed
};

static void begin_fetch(struct bridge_boards *b, const struct bridge_board *d)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *device = mem_printf("id:%s", d->peer.id);
	const struct serve_question q = { .op = "names", .device = device };

	b->fetch.id = mem_strdup(d->list);
	if (control_client_ask(b->fetch.client, &q, &ignored))
		end_fetch(&b->fetch);
}

static void next_fetch(struct bridge_boards *b)
{
	if (!b->wants_list || b->fetch.id || !b->fetch.client)
		return;
	b->wants_list = false;
	for (size_t i = 0; i < b->count && !b->fetch.id; i++) {
		const struct bridge_board *d = b->board[i];

		if (d->list && d->peer.state != PEER_AWAY &&
		    !find_list(b, d->list))
			begin_fetch(b, d);
	}
	/* There may be further ones. */
	b->wants_list = b->fetch.id != NULL;
}

/* ---- calls ---- */

static int ask_board(struct board_asker *a, const struct bridge_board *d,
		     struct serve_question q, int64_t timeout,
		     struct error *err)
{
	CLEANUP(mem_free_ptr) char *device = mem_printf("id:%s", d->peer.id);

	q.op = "fan";
	q.device = device;
	q.timeout = timeout > 0 ? timeout : 1;
	if (control_client_ask(a->client, &q, err))
		return -1;
	a->busy = true;
	return 0;
}

/* Of the task that a has, on the connection of `by`. */
static int ask_task(struct board_asker *by, const struct board_asker *a,
		    const char *method, int64_t timeout, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct serve_question q = { .method = method };

	task_call_which(&a->task, &params);
	q.params = buf_string(&params);
	return ask_board(by, a->board, q, timeout, err);
}

static struct board_asker *free_asker(struct bridge_boards *b,
				      struct error *err);

/* What began and was not answered is of use to nobody. */
static void end_call(struct board_asker *a, enum call_end end)
{
	struct board_asker *by = NULL;

	if (a->task.id && a->client && end != CALL_ANSWERED)
		by = free_asker(a->all, NULL);
	if (by)
		ask_task(by, a, "tasks/cancel", CANCEL_MS, NULL);
	if (a->call)
		a->call->end = end;
	a->call = NULL;
	if (a->board)
		a->board->asker = NULL;
	a->board = NULL;
	a->begun = false;
	task_call_done(&a->task);
	*a->all->config.woken = true;
}

static void take_row(struct board_asker *a, struct span row)
{
	enum call_end end =
		board_answer_take(a->call, row, a->board->peer.device);
	int begun = end != CALL_ANSWERED ?
			    0 :
			    task_call_begun(&a->task, &a->call->reply,
					    &a->call->why);

	if (begun > 0) {
		a->begun = true;
		message_done(&a->call->reply);
		return;
	}
	if (begun < 0 || (end == CALL_UNSENT && a->task.id))
		end = CALL_LOST;
	if (end != CALL_OPEN)
		end_call(a, end);
}

/* Of the answer to a question. */
static void take_end(struct board_asker *a)
{
	struct bridge_call *c = a->call;

	a->busy = false;
	if (!c)
		return;
	if (!a->begun) {
		error_set(&c->why, ERR_CONNECT,
			  "serve does not have it any more");
		end_call(a, a->task.id ? CALL_LOST : CALL_UNSENT);
		return;
	}
	a->begun = false;
	if (ask_task(a, a, "tasks/result", c->deadline - loop_now(), &c->why))
		end_call(a, CALL_LOST);
}

static void on_asked(void *owner, const struct control_frame *f)
{
	struct board_asker *a = owner;
	struct span op;

	if (f->kind != CONTROL_JSON ||
	    !json_span_member((struct span){ f->data, f->len }, "op", &op))
		return;
	if (json_span_is(op, "row") && a->call)
		take_row(a, (struct span){ f->data, f->len });
	else if (json_span_is(op, "end") || json_span_is(op, "error"))
		take_end(a);
}

static void on_asker_closed(void *owner, const struct error *why)
{
	struct board_asker *a = owner;

	a->client = NULL;
	a->busy = false;
	if (a->call) {
		error_set(&a->call->why, ERR_CONNECT, "serve went away%s%s",
			  why->kind != ERR_NONE ? ": " : "", why->text);
		end_call(a, CALL_LOST);
	}
	part_ended(a->all, why);
}

static const struct control_client_events ask_events = {
	.greeted = on_greeted, .frame = on_asked, .closed = on_asker_closed
};

/* NULL: all are in use. */
static struct board_asker *find_asker(struct bridge_boards *b)
{
	struct board_asker *ended = NULL;

	for (size_t i = 0; i < b->askers; i++) {
		struct board_asker *a = b->asker[i];

		if (a->client && !a->busy)
			return a;
		if (!a->client)
			ended = a;
	}
	if (ended || b->askers == ASKERS_MAX)
		return ended;
	ended = mem_zalloc(sizeof(*ended));
	ended->all = b;
	b->asker[b->askers++] = ended;
	return ended;
}

/* One that is connected; NULL: err. */
static struct board_asker *free_asker(struct bridge_boards *b,
				      struct error *err)
{
	struct board_asker *a = find_asker(b);

	if (!a)
		error_set(err, ERR_CONNECT, "%d calls are on their way already",
			  ASKERS_MAX);
	else if (!a->client && open_line(b, &a->client, &ask_events, a, err))
		a->client = NULL;
	return a && a->client ? a : NULL;
}

/* Of a server that is kept open: boards have no tasks. */
static bool is_task_only(const struct bridge_peer *p,
			 const struct bridge_call *c)
{
	const struct span params = { c->params, strlen(c->params) };
	CLEANUP(mem_free_ptr) char *name = NULL;
	const struct tool *tool;
	struct span found;

	if (p->device || !p->list || strcmp(c->method, "tools/call") != 0 ||
	    !json_span_member(params, "name", &found))
		return false;
	name = json_span_string(found);
	tool = name ? tool_list_find(&p->list->tools, name) : NULL;
	return tool && tool_is_task_only(tool);
}

static int board_start(void *owner, struct bridge_call *c, int64_t timeout,
		       struct error *err)
{
	struct bridge_board *d = owner;
	struct board_asker *a = free_asker(d->all, err);
	struct serve_question q = { .method = c->method, .photos = c->photos };
	CLEANUP(buf_done) struct buf room = { 0 };

	if (!a)
		return -1;
	a->task.wanted = is_task_only(&d->peer, c);
	q.params = task_call_params(&a->task, c->params, &room);
	if (ask_board(a, d, q, timeout, err))
		return -1;
	a->call = c;
	a->board = d;
	d->asker = a;
	return 0;
}

static void board_drop(void *owner, struct bridge_call *c)
{
	struct bridge_board *d = owner;

	(void)c;
	if (d->asker)
		end_call(d->asker, CALL_OPEN);
}

static const struct peer_kind board_kind = { .start = board_start,
					     .drop = board_drop };

/* ---- serve comes and goes ---- */

static void all_away(struct bridge_boards *b)
{
	for (size_t i = 0; i < b->count; i++)
		put_away(b->board[i]);
}

static void hang_up(struct bridge_boards *b)
{
	b->dialled = b->lost = false;
	b->listings_open = 0;
	for (size_t i = 0; i < b->watches; i++) {
		b->watch[i].listing = false;
		if (b->watch[i].client)
			control_client_close(b->watch[i].client);
	}
	if (b->fetch.client)
		control_client_close(b->fetch.client);
	b->pause = b->pause * 2 < AGAIN_MAX_MS ? b->pause * 2 : AGAIN_MAX_MS;
	b->again_at = loop_now() + b->pause;
	*b->config.woken = true;
}

static void went(struct bridge_boards *b)
{
	tell(b,
	     "serve went away; its boards cannot be reached until it is back");
	b->is_up = false;
	mem_free(TAKE(b->broker));
	all_away(b);
	hang_up(b);
}

static int list_boards(struct board_watch *w, struct error *err)
{
	const struct serve_question q = { .op = "devices",
					  .device = w->pattern,
					  .watch = true };

	w->list_at = loop_now() + LISTEN_AGAIN_MS;
	if (control_client_ask(w->client, &q, err))
		return -1;
	w->listing = true;
	w->all->listings_open++;
	return 0;
}

/* What did not close yet is waited for. */
static bool is_closed(const struct bridge_boards *b)
{
	for (size_t i = 0; i < b->watches; i++) {
		if (b->watch[i].client)
			return false;
	}
	return !b->fetch.client;
}

static int reach(struct bridge_boards *b, struct error *err)
{
	b->listing++;
	for (size_t i = 0; i < b->watches; i++) {
		struct board_watch *w = &b->watch[i];

		if (open_line(b, &w->client, &watch_events, w, err) ||
		    list_boards(w, err))
			return -1;
	}
	return open_line(b, &b->fetch.client, &fetch_events, &b->fetch, err);
}

/* It is not there, or not one to talk to. */
static void missed(struct bridge_boards *b, const struct error *why)
{
	CLEANUP(mem_free_ptr) char *line = error_line(why);

	if (!text_equal(b->said, line)) {
		tell(b, line);
		mem_free(b->said);
		b->said = TAKE(line);
	}
	b->tried = true;
	look_at_away(b);
	hang_up(b);
}

static void try_serve(struct bridge_boards *b)
{
	CLEANUP(error_reset) struct error why = { 0 };

	b->dialled = true;
	if (reach(b, &why) == 0)
		return;
	error_copy(&b->missing, &why);
	missed(b, &why);
}

static void look_at_loss(struct bridge_boards *b)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!b->lost)
		return;
	if (b->is_up) {
		mem_free(TAKE(b->said));
		went(b);
		return;
	}
	if (b->missing.kind == ERR_NONE)
		error_set(&b->missing, ERR_CONNECT,
			  "serve closed the connection");
	error_copy(&why, &b->missing);
	missed(b, &why);
}

static void list_again(struct bridge_boards *b)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	if (b->listings_open)
		return;
	b->listing++;
	for (size_t i = 0; i < b->watches; i++)
		list_boards(&b->watch[i], &ignored);
}

static int64_t list_due(const struct bridge_boards *b)
{
	int64_t due = LOOP_FOREVER;

	/* The end of the one that is under way wakes us. */
	for (size_t i = 0; i < b->watches && !b->listings_open; i++) {
		if (b->watch[i].list_at < due)
			due = b->watch[i].list_at;
	}
	return due;
}

bool bridge_boards_refresh(struct bridge_boards *b)
{
	/* Where a connection has ended it is listed anew when that is seen to. */
	if (b->is_up && !b->lost)
		list_again(b);
	return b->is_up;
}

bool bridge_boards_settled(const struct bridge_boards *b)
{
	if (!b->is_up)
		return b->tried;
	if (!b->listed || b->fetch.id)
		return false;
	for (size_t i = 0; i < b->count; i++) {
		const struct bridge_board *d = b->board[i];

		if (d->peer.state == PEER_COMING && !d->peer.reason)
			return false;
		if (d->peer.state != PEER_AWAY && d->list &&
		    !find_list(b, d->list))
			return false;
	}
	return true;
}

const struct error *bridge_boards_missing(const struct bridge_boards *b)
{
	return b->is_up || !b->tried ? NULL : &b->missing;
}

/* ---- kept ---- */

/* Of several words one must fit. */
static bool fits(const struct bridge_boards *b, const struct kept_board *k)
{
	const struct words *patterns = b->config.patterns;

	for (size_t i = 0; i < patterns->count; i++) {
		const char *word = patterns->word[i];

		if (text_starts(word, "id:") ?
			    text_same(word + 3, k->id) :
			    text_glob(word, k->id) ||
				    text_glob(word, k->prefix))
			return true;
	}
	return !patterns->count;
}

static void take_kept(void *owner, const struct kept_board *k)
{
	struct bridge_boards *b = owner;
	struct bridge_board *d;

	if (!fits(b, k) || find_board(b, k->id))
		return;
	if (!find_list(b, k->list->id))
		add_list(b, k->list);
	d = add_board(b, k->id);
	d->list = mem_strdup(k->list->id);
	d->peer.seen = d->kept = k->seen;
	d->peer.way = text_equal(k->way, OVER_MQTT)	 ? OVER_MQTT :
		      text_equal(k->way, OVER_WEBSOCKET) ? OVER_WEBSOCKET :
							   NULL;
	bridge_peer_name(&d->peer, k->prefix, k->about);
	bridge_peer_list(&d->peer, find_list(b, d->list));
}

static void keep_now(struct bridge_boards *b)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct kept_board *kept = mem_zalloc((b->count + 1) * sizeof(*kept));
	size_t count = 0;

	b->keep_at = LOOP_FOREVER;
	for (size_t i = 0; i < b->count; i++) {
		struct bridge_board *d = b->board[i];
		const struct bridge_peer *p = &d->peer;

		if (!p->list || !p->device)
			continue;
		d->kept = p->state == PEER_READY ? unix_now_ms() : p->seen;
		kept[count++] =
			(struct kept_board){ p->id,  p->prefix, p->about,
					     p->way, d->kept,	p->list };
	}
	if (boards_file_write(b->file, kept, count, &why)) {
		tell(b, why.text);
		mem_free(TAKE(b->file));
	}
	mem_free(kept);
}

/* ---- forgotten ---- */

/* Serve told all that it has, and this was not among them. */
static bool is_unused(const struct bridge_board *d)
{
	const struct bridge_peer *p = &d->peer;

	return d->told != d->all->listing && p->state == PEER_AWAY &&
	       !p->current && !p->first && !d->asker;
}

static bool is_old(const struct bridge_board *d)
{
	return unix_now_ms() - d->peer.seen >=
	       (int64_t)BOARDS_FILE_DAYS * KEPT_MS;
}

static void forget_board(struct bridge_boards *b, size_t at)
{
	struct bridge_board *d = b->board[at];

	map_remove(&b->by_id, map_hash_text(d->peer.id), d);
	memmove(b->board + at, b->board + at + 1,
		(--b->count - at) * sizeof(struct bridge_board *));
	b->config.went(b->config.owner, &d->peer);
	bridge_peer_done(&d->peer);
	mem_free(d->list);
	mem_free(d);
}

/* Where there is no room for another one: who was away longest. */
static void make_room(struct bridge_boards *b)
{
	size_t oldest = b->count;

	for (size_t i = 0; b->count >= BOARDS_FILE_MOST && i < b->count; i++) {
		if (is_unused(b->board[i]) &&
		    (oldest == b->count ||
		     b->board[i]->peer.seen < b->board[oldest]->peer.seen))
			oldest = i;
	}
	if (oldest < b->count)
		forget_board(b, oldest);
}

/* What nobody has any more. */
static void forget_lists(struct bridge_boards *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->lists; i++) {
		if (b->list[i]->users > 1)
			b->list[kept++] = b->list[i];
		else
			bridge_list_release(b->list[i]);
	}
	b->lists = kept;
}

static void forget(struct bridge_boards *b)
{
	if (!b->looked)
		return;
	b->looked = false;
	for (size_t i = b->config.went ? b->count : 0; i-- > 0;) {
		if (is_unused(b->board[i]) && is_old(b->board[i]))
			forget_board(b, i);
	}
	if (b->config.went)
		make_room(b);
	forget_lists(b);
}

/* ---- all of it ---- */

struct bridge_boards *bridge_boards_open(const struct boards_config *config)
{
	struct bridge_boards *b = mem_zalloc(sizeof(*b));
	const struct words *patterns = config->patterns;

	b->config = *config;
	b->pause = AGAIN_MIN_MS / 2;
	b->keep_at = LOOP_FOREVER;
	b->ended = true;
	b->fetch.all = b;
	b->watches = patterns->count ? patterns->count : 1;
	b->watch = mem_zalloc(b->watches * sizeof(*b->watch));
	for (size_t i = 0; i < b->watches; i++)
		b->watch[i] = (struct board_watch){
			.all = b,
			.pattern = patterns->count ? patterns->word[i] : NULL
		};
	if (config->keep)
		b->file = boards_file_path(config->socket);
	if (b->file)
		boards_file_read(b->file, take_kept, b);
	return b;
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t serve_due(const struct bridge_boards *b)
{
	if (b->is_up)
		return list_due(b);
	if (b->dialled)
		return LOOP_FOREVER;
	/* What is being closed wakes nobody. */
	return is_closed(b) ? b->again_at : loop_now() + CLOSED_MS;
}

int64_t bridge_boards_tend(struct bridge_boards *b)
{
	int64_t next = LOOP_FOREVER;

	look_at_loss(b);
	if (!b->dialled && loop_now() >= b->again_at && is_closed(b))
		try_serve(b);
	if (b->is_up && loop_now() >= list_due(b))
		list_again(b);
	if (b->is_up)
		next_fetch(b);
	if (loop_now() >= b->keep_at)
		keep_now(b);
	for (size_t i = 0; i < b->count; i++)
		next = earlier(next, bridge_peer_tend(&b->board[i]->peer));
	forget(b);
	return earlier(earlier(next, serve_due(b)), b->keep_at);
}

static void close_lines(struct bridge_boards *b)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	for (size_t i = 0; i < b->watches; i++) {
		if (b->watch[i].client)
			control_client_close(b->watch[i].client);
	}
	if (b->fetch.client)
		control_client_close(b->fetch.client);
	for (size_t i = 0; i < b->askers; i++) {
		if (b->asker[i]->client)
			control_client_close(b->asker[i]->client);
	}
	loop_stay(b->config.loop, &b->ended, loop_now() + CLOSE_MS, &ignored);
}

void bridge_boards_close(struct bridge_boards *b)
{
	if (!b)
		return;
	if (b->keep_at != LOOP_FOREVER)
		keep_now(b);
	for (size_t i = 0; i < b->count; i++)
		bridge_peer_done(&b->board[i]->peer);
	close_lines(b);
	/* Callbacks of what has not ended may come yet: it is left as it is. */
	if (!b->ended)
		return;
	for (size_t i = 0; i < b->count; i++) {
		mem_free(b->board[i]->list);
		mem_free(b->board[i]);
	}
	for (size_t i = 0; i < b->lists; i++)
		bridge_list_release(b->list[i]);
	for (size_t i = 0; i < b->askers; i++)
		mem_free(b->asker[i]);
	mem_free(b->board);
	mem_free(b->list);
	mem_free(b->watch);
	map_done(&b->by_id);
	buf_done(&b->fetch.tools);
	mem_free(b->fetch.id);
	mem_free(b->file);
	mem_free(b->said);
	mem_free(b->broker);
	error_reset(&b->missing);
	mem_free(b);
}
