/* SPDX-License-Identifier: MIT */
/* The port of serve: who may come in, as what, and what a browser sees. */
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/head.h"
#include "net/port.h"
#include "serve/aliases.h"
#include "serve/board.h"
#include "serve/door.h"

/*
 * A WebSocket knocks: path, token and names are judged before the upgrade is
 * answered (device.md 1.2); then it becomes a device.
 */

static int refuse_path(struct door *d, const struct who *who, const char *path,
		       const char **reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("refused: it dialled '%.120s', not '%.120s'",
				path, d->server->config.path);
	struct record *r =
		door_record(d, who, RECORD_REFUSED, LEVEL_WARN, text);

	record_hint(
		r,
		"reboot the board, so that OTA tells it the right path; without --path any is accepted");
	*reason = "no WebSocket at this path";
	return 404;
}

static int refuse_token(struct door *d, const struct who *who,
			enum token_verdict verdict, const char **reason)
{
	static const char *const texts[] = {
		[TOKEN_MISSING] = "refused: it gave no token",
		[TOKEN_WRONG] = "refused: its token is wrong",
		[TOKEN_OF_ANOTHER] =
			"refused: its token is another board's, and this Device-Id has not got it",
	};
	struct record *r =
		door_record(d, who, RECORD_REFUSED, LEVEL_WARN, texts[verdict]);

	record_hint(
		r,
		verdict == TOKEN_OF_ANOTHER ?
			"a token belongs to the Device-Id in its line of --token-file, whatever the Client-Id is" :
			"reboot the board, so that OTA gives it the token, or add its own to --token-file");
	/* What it guessed right is not told to it. */
	*reason = verdict == TOKEN_MISSING ? "a token is needed" :
					     "the token is wrong";
	return 401;
}

static int refuse_name(struct door *d, const struct who *who,
		       const char **reason)
{
	const struct who nobody = { .address = who->address };

	door_record(
		d, &nobody, RECORD_REFUSED, LEVEL_WARN,
		"refused: its Device-Id or Client-Id has more than 127 bytes");
	*reason = "Device-Id and Client-Id have 127 characters at most";
	return 403;
}

static bool too_long(const char *id)
{
	return id && strlen(id) > ID_MAX;
}

/* What OTA told it beside our name, for it to tell us (door_device_url). */
static uint16_t port_told(const struct gate *g, const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = head_query_value(head->query, REACHED_PORT);
	int64_t port;

	if (!text || text_integer(text, 1, UINT16_MAX, &port))
		return g->port;
	return (uint16_t)port;
}

/*
 * By which address of ours it came; yours. Firmware leaves the port out of Host
 * in this request (device.md 1.2).
 */
static char *reached(const struct gate *g, const struct front_head *head)
{
	const char *host = knock_host(head);
	struct buf text = { 0 };
	struct authority a;
	uint16_t port;

	if (authority_parse(&a, host, strlen(host), NULL) || a.has_port)
		return mem_strdup(host);
	port = port_told(g, head);
	authority_print(&text, a.host, port == 80 ? 0 : port);
	return buf_take(&text);
}

/* Takes the descriptor, in any case but NULL. */
static int let_in(struct gate *g, int fd, const struct front_head *head,
		  const struct who *who, const char **reason)
{
	CLEANUP(mem_free_ptr) char *path = knock_safe_path(head);
	struct door *d = g->door;
	struct error err = { 0 };
	struct peer_info peer = {
		.address = head->address,
		.headers = head->headers,
		.path = path,
		.device_id = who->device_id,
		.client_id = who->client_id,
		.ota = door_asked(d, who->device_id, head->address),
		.protocol_version = knock_protocol_version(head),
		.envelope = true
	};
	struct board *device;

	if (share_is_over(head->share) &&
	    !board_make_room(d->server, head->share)) {
		*reason = "busy: too many connections of this address";
		return 503;
	}
	device = board_new(d->server, &peer, false);
	if (!device) {
		*reason = "busy: no more devices are accepted";
		return 503;
	}
	device->reached = reached(g, head);
	share_move(&device->share, head->share);
	share_hold(&device->share, 0);
	if (d->ws_table->adopt(&device->transport, fd, &peer,
			       (size_t)d->server->config.message_max, &err)) {
		board_discard(device);
		door_record(d, who, RECORD_REFUSED, LEVEL_BAD, err.text);
		error_reset(&err);
		return 0;
	}
	device->transport.ops = &d->ws_table->dial;
	if (!who->device_id)
		record_hint(
			door_record(
				d, who, RECORD_ODD, LEVEL_WARN,
				"it sent no Device-Id: it is known by its Client-Id or address only"),
			"a stock board always sends the header Device-Id");
	return 0;
}

static int door_upgrade(void *gate, int fd, const struct front_head *head,
			const char **reason)
{
	struct gate *g = gate;
	struct serve *s = g->door->server;
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);
	struct who who = { id, client, head->address };
	enum token_verdict verdict;

	if (too_long(id) || too_long(client))
		return refuse_name(g->door, &who, reason);
	if (s->config.path && !knock_path_fits(s->config.path, head->path))
		return refuse_path(g->door, &who, head->path, reason);
	verdict = tokens_judge(&s->tokens, id, client, token);
	if (verdict != TOKEN_FITS)
		return refuse_token(g->door, &who, verdict, reason);
	return let_in(g, fd, head, &who, reason);
}

/*
 * Who may upload a picture. With a photo of the camera a board shows the token
 * of its connection (device.md 6); with a snapshot of the screen it sends
 * nothing that names it, so the address itself is the pass, for one picture.
 * Judged from the head alone: how much of a body is taken from whom can be
 * decided here too, before it is read.
 */

/* ---- the token of a connection ---- */

static bool shows_token(const struct board *d, const char *given)
{
	return d->vision_token[0] && knock_token_fits(d->vision_token, given);
}

const struct board *pass_by_token(const struct visit *v, const char *given)
{
	const struct serve *s = v->door->server;
	const struct board *d;

	if (!given)
		return NULL;
	if (v->who.device_id) {
		d = registry_find_written(&s->registry, v->who.device_id);
		return d && shows_token(d, given) ? d : NULL;
	}
	for (d = s->registry.first; d; d = d->next) {
		if (shows_token(d, given))
			return d;
	}
	return NULL;
}

/* ---- addresses for one picture ---- */

static void drop(struct passes *p, size_t i)
{
	explicit_bzero(p->item[i].token, sizeof(p->item[i].token));
	mem_free(p->item[i].id);
	p->count--;
	/* They stay in the order in which they were made. */
	memmove(&p->item[i], &p->item[i + 1],
		(p->count - i) * sizeof(p->item[0]));
}

void passes_done(struct passes *p)
{
	while (p->count)
		drop(p, p->count - 1);
}

/* The oldest go: of this device first, then of all. */
static void make_room(struct passes *p, const char *id, int64_t now)
{
	size_t own = 0, first = 0;

	for (size_t i = p->count; i-- > 0;) {
		if (p->item[i].until <= now) {
			drop(p, i);
			first -= first > i;
		} else if (strcmp(p->item[i].id, id) == 0) {
			own++;
			first = i;
		}
	}
	if (own >= PASSES_EACH)
		drop(p, first);
	if (p->count == PASSES_MAX)
		drop(p, 0);
}

const char *passes_add(struct passes *p, const char *id, int64_t now)
{
	struct pass *new;

	make_room(p, id, now);
	new = &p->item[p->count++];
	random_hex(new->token);
	new->id = mem_strdup(id);
	new->until = now + PASS_MS;
	return new->token;
}

/* Its place; count: there is none, or it is too late. */
static size_t find(const struct passes *p, const char *token, int64_t now)
{
	size_t found = p->count, len = strlen(token);

	for (size_t i = 0; i < p->count; i++) {
		if (secret_same(p->item[i].token, RANDOM_HEX_SIZE - 1, token,
				len) &&
		    p->item[i].until > now)
			found = i;
	}
	return found;
}

char *passes_take(struct passes *p, const char *token, int64_t now)
{
	size_t found = find(p, token, now);
	char *id;

	if (found == p->count)
		return NULL;
	id = TAKE(p->item[found].id);
	drop(p, found);
	return id;
}

/* What stands behind UPLOAD_PATH; "" if nothing does. */
static char *token_in_path(const char *path)
{
	const char *token = path + strlen(UPLOAD_PATH);
	size_t len;

	token += *token == '/';
	len = strlen(token);
	len -= len && token[len - 1] == '/';
	return mem_strndup(token, len);
}

char *pass_by_address(const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *token = token_in_path(v->head->path);
	CLEANUP(mem_free_ptr)
	char *id = passes_take(&v->door->passes, token, loop_now());

	if (id && v->who.device_id && !text_same(id, v->who.device_id))
		return NULL;
	return TAKE(id);
}

static bool shows_address(const struct visit *v)
{
	const struct passes *p = &v->door->passes;
	CLEANUP(mem_free_ptr) char *token = NULL;

	if (!text_starts(v->head->path, UPLOAD_PATH))
		return false;
	token = token_in_path(v->head->path);
	return find(p, token, loop_now()) < p->count;
}

/* Whether either would find one; nothing is used up. */
static bool pass_is_shown(const struct visit *v)
{
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);

	return pass_by_token(v, given) || shows_address(v);
}

/*
 * The same, and more than any stranger's who dialled in as a board: an address
 * that we were asked to give out, or the token of a board that is known.
 */
static bool pass_of_known(const struct visit *v)
{
	const struct serve *s = v->door->server;
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);
	const struct board *d = pass_by_token(v, given);

	if (d &&
	    (s->tokens.count || enrolled_or_listed(&s->enrolled, &s->aliases,
						   d->device_id, d->client_id)))
		return true;
	return shows_address(v);
}

/*
 * Whether a board that asks OTA is known: only for such a board is a password
 * for the broker signed. Anybody may send any Device-Id; so it is known if the
 * user listed it, if it shows its token, or if it was enrolled with the
 * Client-Id that it sends.
 */

enum standing {
	STANDING_KNOWN,
	STANDING_NEW, /* and may enrol */
	STANDING_UNKNOWN,
	STANDING_OTHER_CLIENT,
	STANDING_NO_MAC,
	STANDING_FULL
};

static const char *const whys[] = {
	[STANDING_UNKNOWN] = "it is not known",
	[STANDING_OTHER_CLIENT] =
		"its Client-Id is another one than when it was enrolled",
	[STANDING_NO_MAC] =
		"its Device-Id is no MAC address, and with --mqtt-key-file the broker lets in no other",
	[STANDING_FULL] = "too many boards are enrolled",
};

static const char *const hints[] = {
	[STANDING_UNKNOWN] =
		"list its Device-Id in devices.json and send SIGHUP, or start serve with --enroll; it asks again by itself",
	[STANDING_OTHER_CLIENT] =
		"a board whose storage was erased has a new one: list its Device-Id in devices.json, or start serve with --enroll; if it was not erased, somebody else asks",
	[STANDING_NO_MAC] = "--offer ws sends it to the WebSocket",
	[STANDING_FULL] =
		"remove some from the file of enrolled boards, and send SIGHUP",
};

static bool shows_token_known(const struct visit *v,
			      const struct ota_request *asked)
{
	const struct tokens *t = &v->door->server->tokens;
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);

	return given && t->count &&
	       tokens_judge(t, asked->device_id, asked->client_id, given) ==
		       TOKEN_FITS;
}

/* Who came within this time once is not driven out by who comes after it. */
static bool may_enroll(const struct serve *s, const struct enrolled_board *b)
{
	return loop_now() < s->enroll_until &&
	       (!b || b->at_ms < s->enroll_from);
}

static enum standing judge(const struct visit *v,
			   const struct ota_request *asked)
{
	const struct serve *s = v->door->server;
	const char *id = asked->device_id;
	const struct enrolled_board *b = enrolled_find(&s->enrolled, id);

	if (!s->config.mqtt_key_file)
		return STANDING_KNOWN;
	if (!board_id_is_mac(id))
		return STANDING_NO_MAC;
	if (shows_token_known(v, asked) ||
	    aliases_name(&s->aliases, id, NULL) ||
	    (b && strcmp(b->client_id, asked->client_id) == 0))
		return STANDING_KNOWN;
	if (!may_enroll(s, b))
		return b ? STANDING_OTHER_CLIENT : STANDING_UNKNOWN;
	return b || !enrolled_is_full(&s->enrolled) ? STANDING_NEW :
						      STANDING_FULL;
}

static void enroll(const struct visit *v, const struct ota_request *asked)
{
	struct serve *s = v->door->server;
	bool again = enrolled_find(&s->enrolled, asked->device_id) != NULL;
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct buf detail = { 0 };
	struct record *r;
	int bad;

	bad = enrolled_add(&s->enrolled, s->config.enrolled_file,
			   asked->device_id, asked->client_id, unix_now_ms(),
			   &err);
	text = mem_printf("enrolled%s: it gets a password for the broker%s%s",
			  again ? " again, with another Client-Id" : "",
			  bad ? ", but only until serve ends: " : "",
			  bad ? err.text : "");
	r = door_record(v->door, &v->who, RECORD_ENROLLED,
			bad ? LEVEL_WARN : LEVEL_GOOD, text);
	record_hint(
		r,
		bad ? err.hint :
		      "if it is none of yours: 'mcpctl devices --enrolled' lists all");
	door_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
}

bool door_knows(const struct visit *v, const struct ota_request *asked)
{
	enum standing standing = judge(v, asked);
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (standing == STANDING_NEW)
		enroll(v, asked);
	if (standing <= STANDING_NEW)
		return true;
	text = mem_printf("asked OTA, and gets no password for the broker: %s",
			  whys[standing]);
	visit_refuse(v, 403, "this board is not known here");
	record_hint(
		door_record(v->door, &v->who, RECORD_REFUSED, LEVEL_WARN, text),
		hints[standing]);
	return false;
}

/*
 * The page for a browser: that the port can be reached, what to set on the
 * board, and who is here.
 */

#define ROWS_MAX 200

static void add_cell(struct buf *out, const char *text)
{
	buf_text(out, "<td>");
	page_text(out, text ? text : "");
	buf_text(out, "</td>");
}

static void add_since(struct buf *out, int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[32] = "";
	struct tm local;

	if (localtime_r(&seconds, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	add_cell(out, text);
}

static void add_row(struct buf *out, const struct board *d)
{
	char tools[24] = "";

	if (d->tools)
		snprintf(tools, sizeof(tools), "%zu", d->tools->count);
	buf_text(out, "<tr>");
	add_cell(out, d->id);
	add_cell(out, d->alias);
	add_cell(out, d->board);
	add_cell(out, d->version);
	add_cell(out, d->mqtt ? "MQTT" : "WebSocket");
	add_cell(out, board_state_name(d->state));
	add_cell(out, tools);
	add_since(out, d->since_ms);
	buf_text(out, "</tr>\n");
}

static void add_devices(struct buf *out, const struct registry *r)
{
	size_t rows = 0;

	if (r->count == 0) {
		buf_text(out, "<p>No device is connected now.</p>\n");
		return;
	}
	buf_printf(out, "<p>%zu device%s connected:</p>\n", r->count,
		   r->count == 1 ? " is" : "s are");
	buf_text(
		out,
		"<table border=\"1\" cellpadding=\"4\"><tr><th>device</th><th>alias</th><th>board</th><th>version</th><th>transport</th><th>state</th><th>tools</th><th>since</th></tr>\n");
	for (const struct board *d = r->first; d && rows < ROWS_MAX;
	     d = d->next, rows++)
		add_row(out, d);
	buf_text(out, "</table>\n");
	if (r->count > rows)
		buf_printf(out, "<p>and %zu more: mcpctl devices</p>\n",
			   r->count - rows);
}

static void add_address(struct buf *out, const struct visit *v)
{
	const char *ota = v->door->advertised_ota;

	buf_text(
		out,
		"<p>Set this as the OTA address of the board (Wi-Fi setup page at http://192.168.4.1, tab Advanced):</p>\n");
	if (ota) {
		buf_text(out, "<p><b>");
		page_text(out, ota);
		buf_text(out, "</b></p>\n");
	} else {
		page_address(out, knock_host(v->head));
	}
	buf_text(
		out,
		"<p>Then reboot the board: it asks this address once at each start. ");
	if (v->door->server->rack &&
	    v->door->server->config.offer != OFFER_WEBSOCKET)
		buf_text(out, "It connects over MQTT by itself.</p>\n");
	else
		buf_text(
			out,
			"Then wake it, by wake word or button: it connects only then.</p>\n");
}

static void door_page(const struct visit *v)
{
	struct buf page = { 0 };

	page_start(&page);
	buf_text(
		&page,
		"<p>This address answers: network and firewall are fine. mcpctl serve is here, a server for boards with MCP.</p>\n");
	add_address(&page, v);
	add_devices(&page, &v->door->server->registry);
	buf_text(
		&page,
		"<p>Next, in a terminal of the machine where it runs:</p>\n<pre>mcpctl devices\nmcpctl tools\n"
		"mcpctl call self.get_device_status\n"
		"mcpctl help board</pre>\n");
	page_end(&page);
	visit_answer(v, 200, "text/html; charset=utf-8", &page);
	buf_done(&page);
	door_record(v->door, &v->who, RECORD_BROWSER, LEVEL_INFO,
		    "a browser opened the page: network and port are fine");
}

/*
 * The listening ports of serve: opened, described, closed; and which of the
 * other files a request is for.
 */

#define DEFAULT_PORT 8000
/* All boards together may send so many of the largest pictures. */
#define PICTURES_A_MINUTE 32
/* Of a body, from whom we do not know: twice what a question may have. */
#define STRANGER_BODY_MAX (128ul * 1024)
/* HTTP connections of one port; those beyond wait, when a rack of boards asks at once. */
#define CONNECTIONS_MAX 512
/* Sockets, beside those, whose heads are awaited though all devices are there. */
#define HEADS_SPARE 256
/* Below the 30 s that firmware waits for an answer (device.md 6). */
#define EXEC_LIMIT_MS 25000

/* ---- records and answers ---- */

struct record *door_record(struct door *d, const struct who *who,
			   enum record_kind kind, enum record_level level,
			   const char *text)
{
	struct serve *s = d->server;
	struct record *r = records_add(&s->records, kind, level, who->device_id,
				       who->address, "%s", text);

	if (r)
		r->alias = mem_strdup(aliases_name(&s->aliases, who->device_id,
						   who->client_id));
	return r;
}

void record_hint(struct record *r, const char *hint)
{
	if (r && !r->hint)
		r->hint = mem_strdup(hint);
}

void record_detail(struct record *r, struct buf *detail)
{
	if (r && !r->detail)
		r->detail = buf_take(detail);
	buf_done(detail);
}

void door_member(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(out, "%s\"%s\":", out->len ? "," : "", name);
	buf_json_string(out, value, strlen(value));
}

void visit_answer(const struct visit *v, int status, const char *type,
		  const struct buf *body)
{
	v->door->front_table->reply(v->rq, status, type, buf_string(body),
				    body->len);
}

void visit_refuse(const struct visit *v, int status, const char *text)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	knock_error(&body, text);
	visit_answer(v, status, "application/json", &body);
}

/* ---- what came ---- */

/*
 * Empty is no body to firmware: it would wait for the end (device.md 5.4 item
 * 7).
 */
static void activate(const struct visit *v)
{
	struct buf done = { 0 };

	buf_text(&done, "{}");
	visit_answer(v, 200, "application/json", &done);
	buf_done(&done);
	door_record(v->door, &v->who, RECORD_ACTIVATE, LEVEL_INFO,
		    "asked for activation: it needs none here");
}

static void nothing_here(const struct visit *v)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%.16s '%.120s': there is nothing",
				v->head->method, v->head->path);
	bool device = v->who.device_id != NULL;
	struct record *r;

	visit_refuse(v, 404, "nothing at this path; the OTA path is " OTA_PATH);
	r = door_record(v->door, &v->who, RECORD_REFUSED,
			device ? LEVEL_WARN : LEVEL_INFO, text);
	record_hint(r, "the OTA path is " OTA_PATH);
}

/* NULL too if it is empty, or too long to be a name. */
static const char *sane_header(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	return value && *value && strlen(value) <= ID_MAX ? value : NULL;
}

static struct visit visit_of(struct gate *g, const struct front_head *head)
{
	struct visit v = { .door = g->door, .gate = g, .head = head };

	v.who.device_id = sane_header(head, "Device-Id");
	v.who.client_id = sane_header(head, "Client-Id");
	v.who.address = head->address;
	return v;
}

static void on_http(void *owner, struct front_request *rq,
		    const struct front_head *head, const char *body, size_t len)
{
	struct visit v = visit_of(owner, head);

	v.rq = rq;
	v.body = body;
	v.len = len;
	if (knock_path_fits(VISION_PATH, head->path)) {
		door_vision(&v);
		return;
	}
	if (knock_path_fits(UPLOAD_PATH, head->path) ||
	    text_starts(head->path, UPLOAD_PATH "/")) {
		door_upload(&v);
		return;
	}
	switch (knock_wish(head)) {
	case KNOCK_METHOD:
		visit_refuse(&v, 405, "only GET and POST are answered");
		break;
	case KNOCK_OTA:
		door_ota(&v);
		break;
	case KNOCK_ACTIVATE:
		activate(&v);
		break;
	case KNOCK_PAGE:
		door_page(&v);
		break;
	case KNOCK_ICON:
		visit_refuse(&v, 404, "there is no icon");
		break;
	case KNOCK_OTHER:
		nothing_here(&v);
		break;
	}
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	struct gate *g = owner;
	struct who who = { .address = address };
	const char *text = knock_noise(what);
	CLEANUP(mem_free_ptr) char *limit = NULL;
	struct record *r;

	if (!text || !address)
		return;
	r = door_record(g->door, &who, RECORD_NOISE, LEVEL_WARN, text);
	if (what != FRONT_BODY_TOO_LARGE)
		return;
	limit = mem_printf(
		"its body was above %lld bytes; --picture-max allows more",
		(long long)g->door->server->config.picture_max);
	record_hint(r, limit);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	struct gate *g = owner;
	struct who who = { .address = r->address };
	struct record *record =
		door_record(g->door, &who, RECORD_REFUSED, LEVEL_WARN, r->text);

	record_hint(record, r->hint);
	if (record)
		record->count = r->count;
}

static enum front_standing standing_of(void *owner,
				       const struct front_head *head)
{
	struct gate *g = owner;
	const struct visit v = visit_of(g, head);
	const struct serve *s = g->door->server;
	CLEANUP(mem_free_ptr) char *id = knock_value(head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(head);

	if (pass_of_known(&v) ||
	    (s->tokens.count &&
	     tokens_judge(&s->tokens, id, client, token) == TOKEN_FITS))
		return FRONT_SHOWN;
	return enrolled_or_listed(&s->enrolled, &s->aliases, id, client) ?
		       FRONT_NAMED :
		       FRONT_STRANGER;
}

/* What is no picture is a question; and a picture is taken from whom we know. */
static size_t body_max(void *owner, const struct front_head *head)
{
	const struct visit v = visit_of(owner, head);

	return pass_is_shown(&v) ? SIZE_MAX : STRANGER_BODY_MAX;
}

size_t door_places(const struct serve *s)
{
	size_t max =
		(size_t)s->config.devices_max + HEADS_SPARE + CONNECTIONS_MAX;

	return s->room && s->room < max ? s->room : max;
}

/* What the other ports have, and the devices. */
static size_t sockets_elsewhere(const struct gate *g)
{
	const struct door *d = g->door;
	size_t count = d->server->sockets;

	for (size_t i = 0; i < d->gates; i++) {
		if (&d->gate[i] != g)
			count += d->front_table->sockets(d->gate[i].front);
	}
	return count;
}

/* Each may become a device, and has its descriptor (serve.c). */
static size_t sockets_max(void *owner)
{
	const struct gate *g = owner;
	const struct serve *s = g->door->server;
	int64_t left = s->config.devices_max - (int64_t)s->registry.count;
	size_t max = HEADS_SPARE + CONNECTIONS_MAX;
	size_t elsewhere = sockets_elsewhere(g);
	size_t room = s->room > elsewhere ? s->room - elsewhere : 0;

	if (left > 0)
		max += (size_t)left;
	return s->room && room < max ? room : max;
}

static const struct front_events front_events = {
	.http = on_http,
	.upgrade = door_upgrade,
	.noise = on_noise,
	.refused = on_refused,
	.standing = standing_of,
	.body_max = body_max,
	.sockets_max = sockets_max,
};

/* ---- the end ---- */

static void door_free(struct door *d)
{
	for (size_t i = 0; i < d->gates; i++)
		mem_free(d->gate[i].host);
	mem_free(d->gate);
	mem_free(d->advertised_ws);
	mem_free(d->advertised_ota);
	memory_done(&d->memory);
	passes_done(&d->passes);
	if (d->holds_ws)
		d->ws_table->let_go(d->server->loop);
	mem_free(d);
}

static void on_front_closed(void *owner)
{
	struct gate *g = owner;
	struct door *d = g->door;
	void (*closed)(void *owner) = d->closed;

	owner = d->owner;
	if (--d->open > 0)
		return;
	door_free(d);
	if (closed)
		closed(owner);
}

void door_close(struct door *d, void (*closed)(void *owner), void *owner)
{
	if (!d || d->closing)
		return;
	d->closing = true;
	d->closed = closed;
	d->owner = owner;
	/* First: an answer after the front was closed would have no request. */
	door_vision_abandon(d);
	for (size_t i = 0; i < d->gates; i++)
		d->front_table->close(d->gate[i].front, on_front_closed);
}

/* ---- opening ---- */

static int open_gate(struct door *d, const char *where, struct error *err)
{
	const struct serve_config *c = &d->server->config;
	struct gate *g = &d->gate[d->gates];
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct front_config config = { .port = DEFAULT_PORT,
				       .admit = { c->allow_hosts,
						  c->allow_origins, c->proxies,
						  c->advertise },
				       .body_max = (size_t)c->picture_max,
				       .head_timeout = c->handshake,
				       .connections_max = CONNECTIONS_MAX,
				       .budget = d->server->budget,
				       .counts_questions = true };

	if (where && endpoint_parse_listen(where, &host, &config.port, err))
		return error_prefix(err, "--listen");
	config.host = host;
	g->door = d;
	g->front = d->front_table->open(d->server->loop, &config, &front_events,
					g, err);
	if (!g->front) {
		if (!where && err->kind == ERR_CONNECT)
			error_hint(
				err,
				"end that program, or take another port: --listen 8001");
		return -1;
	}
	g->host = TAKE(host);
	g->port = d->front_table->port(g->front);
	d->gates++;
	d->open++;
	return 0;
}

static int hold_ws(struct door *d, struct error *err)
{
	if (d->ws_table->hold(d->server->loop, err))
		return -1;
	d->holds_ws = true;
	return 0;
}

static int open_gates(struct door *d, struct error *err)
{
	const struct words *listen = d->server->config.listen;
	size_t count = listen ? listen->count : 0;

	/* Never moved: each front knows its gate. */
	d->gate = mem_zalloc((count ? count : 1) * sizeof(*d->gate));
	if (count == 0)
		return open_gate(d, NULL, err);
	for (size_t i = 0; i < count; i++) {
		if (open_gate(d, listen->word[i], err))
			return -1;
	}
	return 0;
}

static int take_advertise(struct door *d, uint16_t port, struct error *err)
{
	const struct serve_config *c = &d->server->config;
	const char *path = c->path ? c->path : DEVICE_PATH;

	mem_free(TAKE(d->advertised_ws));
	mem_free(TAKE(d->advertised_ota));
	if (!c->advertise)
		return 0;
	d->behind_proxy = strstr(c->advertise, "://") != NULL;
	return ota_advertise(c->advertise, port, path, &d->advertised_ws,
			     &d->advertised_ota, err);
}

/* What would make every OTA reply fail is said at once. */
static int check_reply(struct door *d, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *url = door_device_url(d, "127.0.0.1:65535", 1);
	const struct tokens *tokens = &d->server->tokens;
	CLEANUP(buf_done) struct buf reply = { 0 };
	int result = ota_reply_encode(&reply, NULL, url, NULL, NULL, err);

	for (size_t i = 0; i < tokens->count && !result; i++) {
		buf_reset(&reply);
		result = ota_reply_encode(&reply, NULL, url,
					  tokens->item[i].token, NULL, err);
	}
	return result;
}

int door_open(struct door **out, struct serve *s, struct error *err)
{
	struct door *d = mem_zalloc(sizeof(*d));
	const char *folder = s->config.save_images;

	d->server = s;
	d->exec_limit = EXEC_LIMIT_MS;
	d->space = disk_space;
	budget_set(s->budget, BUDGET_WRITTEN,
		   PICTURES_A_MINUTE * (uint64_t)s->config.picture_max);
	if (port_parts_load(&d->front_table, &d->ws_table, err) ||
	    take_advertise(d, DEFAULT_PORT, err) || check_reply(d, err) ||
	    (folder && upload_folder(folder, err)) || hold_ws(d, err) ||
	    open_gates(d, err)) {
		if (d->gates)
			door_close(d, NULL, NULL);
		else
			door_free(d);
		return -1;
	}
	/* Now that the port is known; what was right stays right. */
	take_advertise(d, d->gate[0].port, err);
	*out = d;
	return 0;
}
