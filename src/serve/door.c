/* SPDX-License-Identifier: MIT */
/*
 * The port of serve: who may come in, as what, what OTA offers, what a browser
 * sees, and the addresses that boards are given.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "diag/facts.h"
#include "net/head.h"
#include "serve/aliases.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"
#include "serve/photos.h"

/* ---- what happened ---- */

static void on_heard(void *owner, const struct port_news *n)
{
	static const struct {
		enum record_kind kind;
		enum record_level level;
		const char *before, *hint;
	} rows[] = {
		[PORT_ACTIVATE] = { RECORD_ACTIVATE, LEVEL_INFO, "", NULL },
		[PORT_BROWSER] = { RECORD_BROWSER, LEVEL_INFO, "", NULL },
		[PORT_NOISE] = { RECORD_NOISE, LEVEL_WARN, "", NULL },
		[PORT_NOTHING] = { RECORD_REFUSED, LEVEL_WARN, "", NULL },
		[PORT_REFUSED] = { RECORD_REFUSED, LEVEL_WARN, "", NULL },
		[PORT_TOO_LARGE] = { RECORD_REFUSED, LEVEL_WARN, "", NULL },
		[PORT_FAILED] = { RECORD_REFUSED, LEVEL_BAD, "", NULL },
		[PORT_NAME] = { RECORD_REFUSED, LEVEL_WARN, "refused: ", NULL },
		[PORT_PATH] = { RECORD_REFUSED, LEVEL_WARN, "refused: ",
				"reboot the board, so that OTA tells it the right path; without --path any is accepted" },
		[PORT_TOKEN] = { RECORD_REFUSED, LEVEL_WARN, "refused: ",
				 "reboot the board, so that OTA gives it the token, or add its own to --token-file" },
		[PORT_TOLD] = { RECORD_TOLD, LEVEL_WARN, "", NULL },
	};
	const struct door *d = owner;
	bool odd = n->event == PORT_NOTHING && !n->who.device_id;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("%s%s", rows[n->event].before, n->text);
	CLEANUP(mem_free_ptr) char *limit = NULL;
	const char *hint = n->hint ? n->hint : rows[n->event].hint;
	/* Those are counted already, each kind by itself (net/front). */
	bool counted = n->event == PORT_NOISE || n->event == PORT_REFUSED;
	enum record_level level = odd ? LEVEL_INFO : rows[n->event].level;
	struct record *r = counted ?
				   record_about(d->server, ABOUT_KNOWN,
						rows[n->event].kind, level,
						&n->who, text) :
				   record_of(d->server, &n->who,
					     rows[n->event].kind, level, text);

	if (n->event == PORT_TOKEN && !n->who.device_id)
		hint = "a tool side shows it in its address: token=TOKEN, and agent=NAME where its line of --token-file has a name; a board sends its Device-Id";
	else if (n->verdict == TOKEN_OF_ANOTHER)
		hint = "a token belongs to the Device-Id in its line of --token-file, whatever the Client-Id is";
	if (n->noise == FRONT_BODY_TOO_LARGE)
		limit = mem_printf(
			"its body was above %lld bytes; --picture-max allows more",
			(long long)d->server->config.pictures.picture_max);
	record_hint(r, limit ? limit : hint);
	if (r)
		r->count = n->count;
}

/* ---- a WebSocket is let in ---- */

static enum token_verdict judge_token(void *owner, const struct who *who,
				      const char *given)
{
	const struct door *d = owner;

	return tokens_judge(&d->server->tokens, who->device_id, who->client_id,
			    given);
}

static const char *token_for(void *owner, const struct ota_request *rq)
{
	const struct door *d = owner;

	return tokens_for(&d->server->tokens, rq->device_id, rq->client_id);
}

static const char *token_at(void *owner, size_t i)
{
	const struct door *d = owner;
	const struct tokens *t = &d->server->tokens;

	return i < t->count ? t->item[i].token : NULL;
}

#define TOKEN_SHOWN 8 /* digits of the sum of a token */

/*
 * At an access point the token says who it is, so its sum is the name. Elsewhere
 * only once it is known that it is a tool side: boards may have one token.
 */
static void take_token_name(struct board *d, const struct front_head *head)
{
	CLEANUP(mem_free_ptr) char *token = knock_token(head);
	CLEANUP(mem_free_ptr) char *salted = NULL;
	char sum[SHA256_TEXT];

	if (!token || !*token)
		return;
	salted = mem_printf("mcpctl tool side %s",
			    strncasecmp(token, "Bearer ", 7) ? token :
							       token + 7);
	sha256_text(salted, strlen(salted), sum);
	explicit_bzero(token, strlen(token));
	explicit_bzero(salted, strlen(salted));
	d->token_name = mem_printf("token-%.*s", TOKEN_SHOWN, sum);
	if (d->at_point)
		board_name_tool_side(d);
}

static struct transport *on_place(const struct visit *v,
				  const struct peer_info *peer,
				  const char **reason)
{
	struct serve *s = door_of(v)->server;
	struct share *share = v->head->share;
	struct board *device;

	if (share_is_over(share) && !board_make_room(s, share)) {
		*reason = "busy: too many connections of this address";
		return NULL;
	}
	device = board_new(s, peer, false);
	if (!device) {
		*reason =
			"busy: no more devices are accepted, or none of this name";
		return NULL;
	}
	if (peer->unsure && !peer->client_id)
		take_token_name(device, v->head);
	device->reached = port_reached(v->place, v->head);
	share_move(&device->share, share);
	share_hold(&device->share, 0);
	if (!peer->device_id && !peer->at_point)
		record_hint(
			record_of(
				s, &v->who, RECORD_ODD, LEVEL_WARN,
				"it sent no Device-Id: it is known by its Client-Id or address only"),
			"a stock board always sends the header Device-Id");
	return &device->transport;
}

static void on_unplace(void *owner, struct transport *t)
{
	(void)owner;
	board_discard(t->owner);
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
	const struct tokens *t = &door_of(v)->server->tokens;
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
	const struct serve *s = door_of(v)->server;
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
	struct serve *s = door_of(v)->server;
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
	r = record_of(door_of(v)->server, &v->who, RECORD_ENROLLED,
		      bad ? LEVEL_WARN : LEVEL_GOOD, text);
	record_hint(
		r,
		bad ? err.hint :
		      "if it is none of yours: 'mcpctl devices --enrolled' lists all");
	record_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
}

static bool is_known(const struct visit *v, const struct ota_request *asked)
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
	record_hint(record_of(door_of(v)->server, &v->who, RECORD_REFUSED,
			      LEVEL_WARN, text),
		    hints[standing]);
	return false;
}

/*
 * The OTA question of a board: the WebSocket or the broker that it shall use
 * (device.md 5), and what is told of it.
 */

static bool offers_mqtt(const struct serve *s)
{
	return s->mqtt_boards && s->config.offer != OFFER_WEBSOCKET;
}

/* The host alone, by which the board reached us: the broker has a port of its own. */
static char *bare_host(const struct visit *v)
{
	const char *text = knock_host(v->head);
	struct authority a;
	size_t len;

	if (v->port->advertised_ota) {
		text = strstr(v->port->advertised_ota, "//") + 2;
		len = strlen(text) - strlen(OTA_PATH);
	} else {
		len = strlen(text);
	}
	if (authority_parse(&a, text, len, NULL))
		return mem_strndup(text, len);
	return mem_strdup(a.host);
}

/* Somebody asks for a board that is connected from elsewhere. */
static const struct board *held_elsewhere(const struct visit *v,
					  const struct ota_request *asked)
{
	const struct board *d = registry_find_written(
		&door_of(v)->server->registry, asked->device_id);

	if (!d || !d->address || memory_same_peer(d->address, v->head->address))
		return NULL;
	return d;
}

/* Of a board that MQTT would not reach as it is offered; NULL. */
static const struct library_fact *misses_mqtt(const struct ota_request *asked)
{
	const struct library_fact *l = library_asking(asked);

	return l && l->odd_mqtt ? l : NULL;
}

static void hint_ota(const struct serve *s, struct record *r,
		     const struct ota_request *asked,
		     const struct board *elsewhere, bool mqtt)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	const struct library_fact *l =
		offers_mqtt(s) ? misses_mqtt(asked) : NULL;

	if (!asked->device_id[0]) {
		record_hint(
			r,
			"a stock board sends the header Device-Id: without it no server knows who asks");
	} else if (elsewhere) {
		text = mem_printf(
			"the board with this Device-Id is connected from %s: unless it was restarted, somebody else asks; for the board that is there this changes nothing",
			elsewhere->address);
		record_hint(r, text);
	} else if (l) {
		text = mem_printf(
			"it asks as %s does, which MQTT would not reach: %s",
			l->name, l->mqtt_why);
		record_hint(r, text);
	} else {
		record_hint(r, mqtt ? "it connects by itself over MQTT" :
				      "now wake it: wake word or button");
	}
}

/* At a broker of others a board is seen only when it speaks: not coming tells
   nothing. */
static void expect_at_broker(const struct visit *v,
			     const struct ota_request *asked, bool mqtt)
{
	struct serve *s = door_of(v)->server;
	int64_t now = loop_now();

	if (!mqtt || s->config.mqtt_broker)
		return;
	missing_sent(&s->missing, asked->device_id, v->head->address, now);
	s->events->due(s, now + MISSING_MS);
}

/* What the record says: who, what it was sent to, what to do next. */
static void on_asked(const struct visit *v, const struct ota_request *asked,
		     const char *sent_to, bool mqtt)
{
	const struct board *elsewhere = held_elsewhere(v, asked);
	bool warn = !asked->device_id[0] || elsewhere;
	CLEANUP(buf_done) struct buf text = { 0 }, detail = { 0 };
	struct ota_board board;
	struct record *r;

	ota_board(&board, asked);
	if (!asked->device_id[0])
		buf_text(&text, "somebody without a Device-Id ");
	ota_describe(&text, asked);
	buf_printf(&text, "; it was sent to %s", sent_to);
	r = record_of(door_of(v)->server, &v->who, RECORD_OTA,
		      warn ? LEVEL_WARN : LEVEL_INFO, buf_string(&text));
	hint_ota(door_of(v)->server, r, asked, elsewhere, mqtt);
	record_member(&detail, "sent_to", sent_to);
	record_member(&detail, "transport", mqtt ? "mqtt" : "websocket");
	record_member(&detail, "board", board.name);
	record_member(&detail, "version", board.version);
	record_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
	expect_at_broker(v, asked, mqtt && !elsewhere);
	if (door_of(v)->server->events->asked)
		door_of(v)->server->events->asked(door_of(v)->server, asked,
						  v->head->address);
}

/* Where its connection to the broker will not tell how it reached us. */
static const char *reached_by(const struct visit *v)
{
	const char *host = knock_host(v->head);

	return v->port->advertised_ota || text_same(host, v->head->local) ?
		       NULL :
		       host;
}

static enum port_offer on_offer(const struct visit *v,
				const struct ota_request *asked,
				struct ota_mqtt *mqtt)
{
	struct serve *s = door_of(v)->server;
	struct mqtt_boards_asker asker = { .address = v->head->address,
					   .reached = reached_by(v) };
	CLEANUP(mem_free_ptr) char *host = NULL;

	if (!offers_mqtt(s))
		return PORT_OFFER_HERE;
	if (!is_known(v, asked))
		return PORT_OFFER_NONE;
	if (misses_mqtt(asked))
		return PORT_OFFER_HERE;
	host = bare_host(v);
	asker.host = host;
	mqtt_boards_offer(s->mqtt_boards, asked, &asker, mqtt);
	return PORT_OFFER_BROKER;
}

/* Not where the board with that Device-Id is connected from elsewhere. */
static bool on_firmware(const struct visit *v, const struct ota_request *asked,
			struct ota_firmware *out)
{
	struct serve *s = door_of(v)->server;
	CLEANUP(mem_free_ptr) char *reached = port_reached(v->place, v->head);
	CLEANUP(mem_free_ptr) char *base = port_base(v->port, reached);

	return s->events->firmware && !held_elsewhere(v, asked) &&
	       s->events->firmware(s, asked, base, out);
}

/*
 * The page for a browser that is shown no more (serve/pages.h): that the port can
 * be reached, and what to set on the board.
 */

void door_address_words(const struct visit *v, struct buf *out)
{
	const char *ota = v->port->advertised_ota;

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
	if (door_of(v)->server->mqtt_boards &&
	    door_of(v)->server->config.offer != OFFER_WEBSOCKET)
		buf_text(out, "It connects over MQTT by itself.</p>\n");
	else
		buf_text(
			out,
			"Then wake it, by wake word or button: it connects only then.</p>\n");
}

static void on_page(const struct visit *v, struct buf *out)
{
	const struct door *d = door_of(v);

	buf_text(
		out,
		"<p>This address answers: network and firewall are fine. mcpctl serve is here, a server for boards with MCP.</p>\n");
	door_address_words(v, out);
	buf_text(out, "<p>");
	buf_text(
		out,
		d->pages ?
			d->pages->missing(d->web, v) :
			"Its boards are shown in no browser (serve --web does that).");
	buf_text(
		out,
		"</p>\n<p>Next, in a terminal of the machine where it runs:</p>\n<pre>mcpctl devices\nmcpctl tools\n"
		"mcpctl call self.get_device_status\n"
		"mcpctl help board</pre>\n");
}

/*
 * Where we are reached: what is told to the user, and the URLs that devices are
 * given.
 */

uint16_t door_port(const struct door *d)
{
	return d->port ? d->port->place[0].number : 0;
}

void door_addresses(const struct door *d, struct buf *out)
{
	struct words found = { 0 };

	port_addresses(d->port, &found);
	buf_char(out, '[');
	for (size_t i = 0; i < found.count; i++) {
		if (i)
			buf_char(out, ',');
		buf_json_string(out, found.word[i], strlen(found.word[i]));
	}
	buf_char(out, ']');
	words_done(&found);
}

static void describe_ports(const struct port *p, struct buf *out)
{
	buf_printf(out, "listening on port%s", p->places > 1 ? "s" : "");
	for (size_t i = 0; i < p->places; i++) {
		const struct port_place *at = &p->place[i];

		buf_text(out, i ? ", " : " ");
		if (at->host)
			authority_print(out, at->host, at->number);
		else
			buf_printf(out, "%u", (unsigned)at->number);
	}
	buf_text(out, "\nOTA address to set on the board:\n");
	port_describe(p, out);
	if (p->config.point) {
		buf_text(out, "access point, for tool sides that dial in:\n");
		port_describe_point(p, out);
	}
	if (p->facts.home)
		buf_text(
			out,
			"  (only this machine reaches that one: for boards, leave the host of --listen out)\n");
}

static void describe_broker(const struct door *d, struct buf *out)
{
	if (!d->server->mqtt_boards)
		return;
	buf_text(out, "MQTT:\n  ");
	mqtt_boards_describe(d->server->mqtt_boards, out);
	buf_char(out, '\n');
}

void door_describe(struct door *d)
{
	CLEANUP(buf_done) struct buf text = { 0 }, detail = { 0 };
	const struct who nobody = { 0 };
	struct record *r;

	describe_ports(d->port, &text);
	describe_broker(d, &text);
	buf_text(&text, "open the same address in a browser: ");
	buf_text(
		&text,
		!d->server->config.web ?
			"a page means that it is reached" :
		d->server->config.web_token_file ?
			"it shows the boards to who enters the token" :
			"on this machine it shows the boards and calls their tools");
	if (!d->port->facts.home)
		buf_text(&text, ";\nno page means a firewall");
	r = record_of(d->server, &nobody, RECORD_LISTENING, LEVEL_GOOD,
		      buf_string(&text));
	record_hint(
		r,
		"'mcpctl help board' tells how to set it on the board; then reboot the board");
	buf_printf(&detail, "\"port\":%u,\"ota\":", (unsigned)door_port(d));
	door_addresses(d, &detail);
	record_detail(r, &detail);
}

/*
 * A board that was at the broker before serve was started: it did not ask OTA,
 * and never reached this port. By the way that we would reach it.
 */
static char *base_towards(const struct door *d, const struct board *device)
{
	CLEANUP(buf_done) struct buf at = { 0 };
	char own[64];

	if (!local_address_towards(device->address, own, sizeof(own)))
		return port_base(d->port, NULL);
	for (size_t i = 0; i < d->port->places; i++) {
		const struct port_place *place = &d->port->place[i];
		const char *host = place->host;

		if (host && strcmp(host, own) != 0 &&
		    strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0)
			continue;
		authority_print(&at, own, place->number);
		return mem_printf("http://%s", buf_string(&at));
	}
	return port_base(d->port, NULL);
}

/* "http://HOST:PORT" of ours for that device; yours. */
static char *base_url(const struct door *d, const struct board *device)
{
	if (!device->reached && device->mqtt && device->address &&
	    !d->port->advertised_ota)
		return base_towards(d, device);
	return port_base(d->port, device->reached);
}

char *door_upload_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);

	return pictures_address(&d->pictures, base, device->id);
}

char *door_base(const struct door *d, const struct board *device)
{
	return base_url(d, device);
}

const struct told *door_told(const struct door *d, const struct board *device)
{
	return memory_find_board(&d->port->memory,
				 device->mqtt ? device->client_id : NULL,
				 device->device_id, device->address);
}

char *door_vision_url(struct door *d, const struct board *device)
{
	CLEANUP(mem_free_ptr) char *base = base_url(d, device);
	char *url = mem_printf("%s" VISION_PATH, base);
	CLEANUP(mem_free_ptr) char *before = NULL;
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct who who = { device->id, device->client_id, device->address };

	if (device->id)
		before = memory_sent(&d->port->memory, device->id, url);
	if (!before)
		return url;
	text = mem_printf("its pictures go to %s from now on, and went to %s",
			  url, before);
	record_hint(
		record_of(d->server, &who, RECORD_TOLD, LEVEL_WARN, text),
		"that is how its own connection reached serve; --advertise makes it one address for all");
	return url;
}

/* ---- who may hold how much ---- */

/* HTTP connections of one port; those beyond wait, when a rack of boards asks at once. */
#define CONNECTIONS_MAX 512
/* Sockets, beside those, whose heads are awaited though all devices are there. */
#define HEADS_SPARE 256

/* ---- whose picture it is ---- */

static bool shows_token(const struct board *d, const char *given)
{
	return d->vision_token[0] && knock_token_fits(d->vision_token, given);
}

/* The device whose token it is, and that the request names, if it names one. */
static const struct board *board_by_token(const struct door *door,
					  const struct visit *v,
					  const char *given)
{
	const struct serve *s = door->server;
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

/* What is said of it is what we know, not what it told. */
static bool who_is(const struct visit *v, const struct board *d,
		   struct who *out)
{
	if (d)
		*out = (struct who){ d->id, d->client_id, v->head->address };
	return d != NULL;
}

static bool picture_by_token(void *owner, const struct visit *v,
			     const char *given, struct who *out)
{
	return who_is(v, board_by_token(owner, v, given), out);
}

static bool picture_by_id(void *owner, const struct visit *v, const char *id,
			  struct who *out)
{
	const struct door *d = owner;

	return who_is(v, registry_find(&d->server->registry, id), out);
}

/* Where a call of that board is to have its picture. */
static bool marks_picture(void *owner, const struct who *who,
			  struct span picture, char mark[RANDOM_HEX_SIZE])
{
	const struct door *door = owner;
	struct serve *s = door->server;
	const struct board *d = registry_find(&s->registry, who->device_id);

	if (!d || !photos_wanted(d->photos))
		return false;
	photos_add(d->photos, &s->photos, picture, mark);
	return true;
}

/* More than any stranger's who dialled in as a board. */
static bool shows_known(const struct visit *v)
{
	const struct serve *s = door_of(v)->server;
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);
	const struct board *d = board_by_token(door_of(v), v, given);

	if (d &&
	    (s->tokens.count || enrolled_or_listed(&s->enrolled, &s->aliases,
						   d->device_id, d->client_id)))
		return true;
	return downloads_show(&door_of(v)->downloads, v) ||
	       passes_show(&door_of(v)->pictures.passes, v);
}

/* Whoever is attached to that board is told too. */
static void picture_came(struct door *d, const struct picture_news *n)
{
	struct board *board =
		registry_find(&d->server->registry, n->who.device_id);
	enum record_kind kind = n->upload ? RECORD_UPLOAD : RECORD_VISION;
	struct record *r = record_of(d->server, &n->who, kind,
				     n->bad ? LEVEL_WARN : LEVEL_GOOD, n->text);

	record_detail(r, n->detail);
	if (d->pages && n->file)
		d->pages->picture(d->web, n);
	if (board && d->server->events->picture)
		d->server->events->picture(board, n);
}

static void picture_heard(void *owner, const struct picture_news *n)
{
	struct door *d = owner;
	struct serve *s = d->server;
	enum record_kind kind = n->upload ? RECORD_UPLOAD : RECORD_VISION;
	struct record *r = NULL;

	switch (n->event) {
	case PICTURE_CAME:
		picture_came(d, n);
		return;
	case PICTURE_NOT_SAVED:
		r = record_of(s, &n->who, kind, LEVEL_BAD, n->text);
		break;
	case PICTURE_REFUSED:
		r = record_of(s, &n->who, RECORD_REFUSED, LEVEL_WARN, n->text);
		break;
	case PICTURE_NO_ROOM:
		r = records_seldom(&s->records, &d->no_room, n->who.device_id,
				   n->who.address, n->text);
		break;
	}
	record_hint(r, n->hint);
}

static const struct pictures_policy pictures_policy = {
	.by_token = picture_by_token,
	.by_id = picture_by_id,
	.marks = marks_picture,
	.heard = picture_heard,
};

static enum front_standing on_standing(const struct visit *v)
{
	const struct serve *s = door_of(v)->server;
	CLEANUP(mem_free_ptr) char *id = knock_value(v->head, "Device-Id");
	CLEANUP(mem_free_ptr) char *client = knock_value(v->head, "Client-Id");
	CLEANUP(mem_free_ptr) char *token = knock_token(v->head);

	if (shows_known(v) ||
	    (door_of(v)->pages &&
	     door_of(v)->pages->shown(door_of(v)->web, v->head)) ||
	    (s->tokens.count &&
	     tokens_judge(&s->tokens, id, client, token) == TOKEN_FITS))
		return FRONT_SHOWN;
	return enrolled_or_listed(&s->enrolled, &s->aliases, id, client) ?
		       FRONT_NAMED :
		       FRONT_STRANGER;
}

static size_t on_body_max(const struct visit *v)
{
	return pictures_body_max(&door_of(v)->pictures, v);
}

size_t door_places(const struct serve *s)
{
	size_t max =
		(size_t)s->config.devices_max + HEADS_SPARE + CONNECTIONS_MAX;

	return s->room && s->room < max ? s->room : max;
}

/* What the other ports have, and the devices. */
static size_t sockets_elsewhere(const struct serve *s,
				const struct port_place *at)
{
	const struct port *p = at->port;
	size_t count = s->sockets;

	for (size_t i = 0; i < p->places; i++) {
		if (&p->place[i] != at)
			count += p->front->sockets(p->place[i].front);
	}
	return count;
}

/* Each may become a device, and has its descriptor (serve.c). */
static size_t on_sockets_max(void *owner, const struct port_place *at)
{
	const struct door *d = owner;
	const struct serve *s = d->server;
	int64_t left = s->config.devices_max - (int64_t)s->registry.count;
	size_t max = HEADS_SPARE + CONNECTIONS_MAX;
	size_t elsewhere = sockets_elsewhere(s, at);
	size_t room = s->room > elsewhere ? s->room - elsewhere : 0;

	if (left > 0)
		max += (size_t)left;
	return s->room && room < max ? room : max;
}

/* ---- open and close ---- */

#define DEFAULT_PORT 8000

static bool on_http(const struct visit *v)
{
	struct door *d = door_of(v);

	return downloads_http(&d->downloads, v) ||
	       pictures_http(&d->pictures, v) ||
	       (d->pages && d->pages->http(d->web, v));
}

static const struct port_policy policy = {
	.heard = on_heard,
	.asked = on_asked,
	.page = on_page,
	.token = judge_token,
	.token_for = token_for,
	.token_at = token_at,
	.place = on_place,
	.unplace = on_unplace,
	.standing = on_standing,
	.http = on_http,
	.offer = on_offer,
	.firmware = on_firmware,
	.body_max = on_body_max,
	.sockets_max = on_sockets_max,
};

static void on_port_closed(void *owner)
{
	struct door *d = owner;
	void (*closed)(void *owner) = d->closed;

	owner = d->owner;
	downloads_done(&d->downloads);
	mem_free(d);
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
	/* First: an answer after the port was closed would have no request. */
	pictures_done(&d->pictures);
	port_close(d->port, on_port_closed, d);
}

int door_open(struct door **out, struct serve *s, struct error *err)
{
	struct door *d = mem_zalloc(sizeof(*d));
	const struct serve_config *c = &s->config;
	const struct port_config config = {
		.listen = c->listen,
		.number = DEFAULT_PORT,
		.taken =
			"end that program, or take another port: --listen 8001",
		.path = c->path,
		.point = c->mcp_endpoint,
		.admit = { c->allow_hosts, c->allow_origins, c->proxies,
			   c->advertise },
		.body_max = (size_t)c->pictures.picture_max,
		.connections_max = CONNECTIONS_MAX,
		.message_max = (size_t)c->message_max,
		.head_timeout = c->handshake,
		.budget = s->budget,
		.tells_time = true,
		.tells_port = true
	};

	d->server = s;
	d->pictures.policy = &pictures_policy;
	d->pictures.owner = d;
	d->pictures.loop = s->loop;
	d->pictures.budget = s->budget;
	d->pictures.rules = &c->pictures;
	if (pictures_open(&d->pictures, err) ||
	    port_open(&d->port, s->loop, &config, &policy, d, err)) {
		mem_free(d);
		return -1;
	}
	*out = d;
	return 0;
}
