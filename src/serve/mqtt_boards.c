/* SPDX-License-Identifier: MIT */
/*
 * Boards that come over MQTT: the broker, who is expected there, and what each
 * is offered.
 */
#include <errno.h>
#include <string.h>

#include "base/fence.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "mcp/initialize.h"
#include "net/address.h"
#include "net/admit.h"
#include "net/control_client.h"
#include "net/head.h"
#include "serve/board.h"
#include "serve/door.h"
#include "serve/mqtt_boards.h"
#include "serve/relay.h"
#include "wire/broker_topic.h"
#include "wire/envelope.h"
#include "wire/jsonrpc.h"

static const struct broker_events mqtt_boards_broker_events;

/*
 * Boards that are, or soon will be, silent at a broker that runs elsewhere: in
 * standby they say nothing (device.md 2.2), and nobody tells who is there. So
 * each that asked OTA, or was known, is asked until it answers, which it does
 * as a device that joins.
 */

#define EXPECTED_MAX 4096
/* A board comes some seconds after its question; or it does not at all. */
#define FIRST_MS 1000
/* Firmware comes back to its broker after 10 s (device.md 2.2). */
#define SOON_MS 2000
#define SOON_TRIES 8u
#define MOST_MS 30000
#define TRIES 28

struct expected {
	char *client_id, *device_id; /* device_id: NULL */
	int64_t due; /* loop_now() ms */
	unsigned tries;
	struct expected *next;
};

static void forget(struct mqtt_boards *r, struct expected **at)
{
	struct expected *e = *at;

	*at = e->next;
	r->expecting--;
	mem_free(e->client_id);
	mem_free(e->device_id);
	mem_free(e);
}

static void start_timer(struct mqtt_boards *r)
{
	int64_t now = loop_now(), soonest = INT64_MAX;

	for (const struct expected *e = r->expected; e; e = e->next) {
		if (e->due < soonest)
			soonest = e->due;
	}
	if (r->expected)
		timer_start(&r->timer, soonest > now ? soonest - now : 0);
	else
		timer_stop(&r->timer);
}

/* Nothing of it changes a board; whatever the answer is, it is one. */
static void ask(struct mqtt_boards *r, const struct expected *e)
{
	CLEANUP(buf_done) struct buf params = { 0 }, payload = { 0 };
	CLEANUP(buf_done) struct buf frame = { 0 };
	const struct mqtt_joined who = { .client_id = e->client_id,
					 .device_id = e->device_id };

	initialize_params(&params, true, NULL, NULL);
	jsonrpc_request(&payload, relay_probe_id(&r->server->relays),
			"initialize", buf_string(&params));
	envelope_encode(&frame, "", payload.data, payload.len);
	/* While the broker is away it cannot be; there is a next time. */
	r->mqtt->ask(r->hub, &who, frame.data, frame.len, NULL);
}

static int64_t pause_after(unsigned tries)
{
	if (tries < SOON_TRIES)
		return SOON_MS;
	return tries < SOON_TRIES + 3 ? SOON_MS << (tries - SOON_TRIES + 1) :
					MOST_MS;
}

/* The timer's. */
static void mqtt_boards_expect_turn(void *owner)
{
	struct mqtt_boards *r = owner;
	int64_t now = loop_now();
	struct expected **at = &r->expected;

	while (*at) {
		struct expected *e = *at;

		if (e->due > now) {
			at = &e->next;
			continue;
		}
		ask(r, e);
		e->due = now + pause_after(e->tries);
		if (++e->tries >= TRIES)
			forget(r, at);
		else
			at = &e->next;
	}
	start_timer(r);
}

static struct expected **find(struct mqtt_boards *r, const char *client_id)
{
	struct expected **at = &r->expected;

	while (*at && strcmp((*at)->client_id, client_id) != 0)
		at = &(*at)->next;
	return at;
}

/* A board may be there, or come soon. device_id may be NULL. */
static void mqtt_boards_expect(struct mqtt_boards *r, const char *client_id,
			       const char *device_id)
{
	struct expected **at = find(r, client_id), *e = *at;

	if (r->broker || r->closing || !*client_id)
		return;
	if (!e && r->expecting >= EXPECTED_MAX)
		return;
	if (!e) {
		e = mem_zalloc(sizeof(*e));
		e->client_id = mem_strdup(client_id);
		e->device_id = mem_strdup(device_id);
		*at = e;
		r->expecting++;
	}
	e->tries = 0;
	e->due = loop_now() + FIRST_MS;
	start_timer(r);
}

/* It was heard of. */
static void mqtt_boards_expect_done(struct mqtt_boards *r,
				    const char *client_id)
{
	struct expected **at = find(r, client_id);

	if (*at)
		forget(r, at);
}

static void mqtt_boards_expect_none(struct mqtt_boards *r)
{
	while (r->expected)
		forget(r, &r->expected);
}

/*
 * What a board that asks OTA is told of the broker (device.md 2.1), and what
 * the user is told of it.
 */

/* Host, where a board can use it, else the first address of this machine. */
static void add_reachable(struct buf *out, const char *host, uint16_t port)
{
	char found[1][64];

	/* A colon in it would let the board restart for ever (device.md 2.1). */
	if ((!host || strchr(host, ':')) && local_addresses(found, 1) &&
	    !strchr(found[0], ':'))
		host = found[0];
	authority_print(out, host && !strchr(host, ':') ? host : "127.0.0.1",
			port);
}

static void set_endpoint(struct mqtt_boards *r, const char *host)
{
	uint16_t port = r->server->config.mqtt_port;

	if (!r->broker) {
		port = r->where.port;
		if (!address_is_here(r->where.host))
			host = r->where.host;
	} else if (r->advertised) {
		host = r->advertised;
	}
	buf_reset(&r->endpoint);
	add_reachable(&r->endpoint, host, port);
}

/*
 * What a device told may hold anything; a client id of ours does not. Only a
 * colon becomes _: else another's Device-Id could be written so that the client
 * id names this board.
 */
static void add_plain(struct buf *out, const char *text)
{
	for (; *text; text++) {
		int low = text_lower(*text);
		bool plain = (low >= 'a' && low <= 'z') ||
			     (low >= '0' && low <= '9') || low == '.';

		if (low == ':')
			low = '_';
		else if (!plain)
			low = '-';
		buf_char(out, (char)low);
	}
}

/* Two boards must never share one: they would drive each other out. */
static void set_client_id(struct mqtt_boards *r, const struct ota_request *rq,
			  const char *address)
{
	const char *device = rq->device_id[0] ? rq->device_id : "unknown";
	const char *client = rq->client_id;

	if (!*client)
		client = rq->device_id[0] || !*address ? device : address;
	buf_reset(&r->client_id);
	buf_text(&r->client_id, "GID_mcpctl@@@");
	add_plain(&r->client_id, device);
	buf_text(&r->client_id, "@@@");
	add_plain(&r->client_id, client);
}

/*
 * What it shows the broker tells how it reached us (mqtt_boards_reached), since a
 * message over MQTT has no Host. Nobody but the board itself shows it.
 */
static void set_user(struct mqtt_boards *r, const char *address,
		     const char *reached)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, "{\"ip\":");
	buf_json_string(&json, address, strlen(address));
	json_add_text(&json, "host", reached);
	buf_char(&json, '}');
	buf_reset(&r->user);
	text_base64_encode(&r->user, json.data, json.len);
}

char *mqtt_boards_reached(const char *user)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const char *host;

	if (text_base64_decode(user, strlen(user), &text))
		return NULL;
	json = json_parse(buf_string(&text), text.len, NULL);
	host = json_string(json, "host");
	return host && head_is_host(host) ? mem_strdup(host) : NULL;
}

/*
 * A board asks when it starts: then what was known of it is of the past. Not if
 * somebody asks in its name from elsewhere.
 */
static void expect(struct mqtt_boards *r, const struct ota_request *rq,
		   const char *address)
{
	const struct door *door = r->server->door;
	const char *client_id = buf_string(&r->client_id);
	const struct told *told;
	struct board *d;
	struct error why = { 0 };

	if (r->broker)
		return;
	d = registry_next(&r->server->registry, NULL, client_id);
	/* It asked before, first from another address. */
	told = d && door ?
		       memory_find(&door->port->memory, rq->device_id, NULL) :
		       NULL;
	if (told && !memory_same_peer(told->from, address))
		return;
	if (d && d->mqtt) {
		error_set(&why, ERR_CONNECT,
			  "it was restarted: it asked OTA again");
		board_end(d, &why);
	}
	mqtt_boards_expect(r, client_id,
			   rq->device_id[0] ? rq->device_id : NULL);
}

/*
 * Without a key nothing checks it; software other than stock firmware refuses
 * settings that have none.
 */
#define NO_PASSWORD "none"

/* What devices with other software subscribe to; stock firmware never does. */
static void set_topic_down(struct mqtt_boards *r, const struct ota_request *rq)
{
	buf_reset(&r->topic_down);
	if (r->broker)
		broker_own_topic(&r->topic_down, buf_string(&r->client_id));
	else
		topic_fill(&r->topic_down, r->down, buf_string(&r->client_id),
			   rq->device_id[0] ? rq->device_id : NULL);
}

void mqtt_boards_offer(struct mqtt_boards *r, const struct ota_request *rq,
		       const struct mqtt_boards_asker *asker,
		       struct ota_mqtt *out)
{
	const char *address = asker->address;
	struct authority a = { .host = "" };

	if (address)
		authority_parse(&a, address, strlen(address), NULL);
	set_endpoint(r, asker->host);
	set_client_id(r, rq, a.host);
	set_user(r, a.host, asker->reached);
	buf_reset(&r->password);
	if (r->key.len)
		r->mqtt->sign(&r->password, &r->key, buf_string(&r->client_id),
			      buf_string(&r->user));
	else if (r->broker)
		buf_text(&r->password, NO_PASSWORD);
	set_topic_down(r, rq);
	buf_reset(&r->topic);
	if (r->broker)
		buf_text(&r->topic, BROKER_UP_TOPIC);
	else
		topic_fill(&r->topic, r->up, buf_string(&r->client_id),
			   rq->device_id[0] ? rq->device_id : NULL);
	expect(r, rq, address);
	*out = (struct ota_mqtt){
		.endpoint = buf_string(&r->endpoint),
		.client_id = buf_string(&r->client_id),
		.username = buf_string(&r->user),
		.password = buf_string(&r->password),
		.publish_topic = buf_string(&r->topic),
		.subscribe_topic = buf_string(&r->topic_down),
	};
}

static bool is_any(const char *host)
{
	return !host || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

void mqtt_boards_describe(const struct mqtt_boards *r, struct buf *out)
{
	const char *host = r->host;

	if (!r->broker) {
		buf_printf(out, "%s://", r->where.scheme->name);
		authority_print(out, r->where.host, r->where.port);
		return;
	}
	if (r->advertised)
		host = r->advertised;
	else if (is_any(host))
		host = NULL;
	buf_text(out, "mqtt://");
	if (host)
		authority_print(out, host, r->server->config.mqtt_port);
	else
		add_reachable(out, NULL, r->server->config.mqtt_port);
	buf_printf(out, " (mosquitto %s)", broker_version(r->broker));
}

/*
 * MQTT in serve is opened: what the options mean, the broker, the audio port,
 * the connection to the broker. What happens then is mqtt_boards.c's matter.
 */

#define TLS_PORT 8883 /* the one on which boards speak TLS (device.md 2.1) */
#define TOPIC_MAX 512
#define SERVE_ID "/serve"
/* Seconds: after twice that a broker of ours that hangs is noticed. */
#define OWN_KEEPALIVE 15

/* ---- options ---- */

/* They end at its first colon, where they want a number (device.md 2.1). */
static bool warn_of_colon(struct mqtt_boards *r, const char *option,
			  const char *host)
{
	struct record *rec;

	if (!host || !strchr(host, ':'))
		return false;
	rec = records_add(
		&r->server->records, RECORD_BROKER, LEVEL_WARN, NULL, NULL,
		"boards read no IPv6 address of a broker: they are not told that of %s",
		option);
	if (rec)
		rec->hint = mem_strdup(
			"name an IPv4 address, or a name that they can look up");
	return true;
}

/* mosquitto and the audio have one address, or all. */
static void warn_of_others(struct mqtt_boards *r)
{
	const struct words *listen = r->server->config.listen;
	struct record *rec;

	for (size_t i = 1; listen && r->host && i < listen->count; i++) {
		CLEANUP(mem_free_ptr) char *host = NULL;
		uint16_t port;

		if (endpoint_parse_listen(listen->word[i], &host, &port,
					  NULL) ||
		    (host && strcmp(host, r->host) == 0))
			continue;
		rec = records_add(
			&r->server->records, RECORD_BROKER, LEVEL_WARN, NULL,
			NULL,
			"%s served on %s alone, the address of the first --listen",
			r->server->config.mqtt ? "MQTT and its audio are" :
						 "the audio of MQTT boards is",
			r->host);
		if (rec)
			rec->hint = mem_strdup(
				"put the address that boards reach first, or leave the host out for all");
		return;
	}
}

/* The broker reads it: what is wrong with it is said before it is started. */
static int check_operator(const char *file, struct error *err)
{
	struct buf password;

	if (!file)
		return 0;
	if (secret_file_read(&password, "operator file", file, err))
		return -1;
	secret_wipe(&password);
	return 0;
}

static int take_options(struct mqtt_boards *r, struct error *err)
{
	const struct serve_config *c = &r->server->config;
	uint16_t port;

	r->advertised = admit_advertised(c->advertise);
	if (warn_of_colon(r, "--advertise", r->advertised))
		mem_free(TAKE(r->advertised));
	if (c->listen && c->listen->count &&
	    endpoint_parse_listen(c->listen->word[0], &r->host, &port, err))
		return -1;
	warn_of_others(r);
	r->up = c->topic_up ? c->topic_up : "mcpctl/up/{client_id}";
	r->down = c->topic_down ? c->topic_down : "devices/p2p/{mac}";
	if (check_operator(c->mqtt_operator_file, err))
		return -1;
	if (c->mqtt_key_file)
		return secret_file_read(&r->key, "key file", c->mqtt_key_file,
					err);
	return 0;
}

static int check_topic(const char *option, const char *pattern,
		       struct error *err)
{
	if (!*pattern || strlen(pattern) > TOPIC_MAX ||
	    strpbrk(pattern, "+#")) {
		error_set(err, ERR_USAGE, "%s '%.100s' is no topic", option,
			  pattern);
		return error_hint(
			err,
			"one has 1 to 512 bytes, and no + or #; {client_id} or {mac} stand for the device");
	}
	if (!strstr(pattern, "{client_id}") && !strstr(pattern, "{mac}")) {
		error_set(err, ERR_USAGE,
			  "%s '%.100s' does not tell devices apart", option,
			  pattern);
		return error_hint(
			err,
			"put {client_id} or {mac} into it, as in mcpctl/up/{client_id}");
	}
	return 0;
}

/* ---- a broker that runs elsewhere ---- */

/* The client id is ours: the user has not written it. */
static int parse_whole(struct mqtt_boards *r, const char *whole,
		       struct error *err)
{
	if (!endpoint_read(&r->where, whole, "--mqtt-broker", err))
		return 0;
	return error_prefix(err, "--mqtt-broker");
}

static int parse_url(struct mqtt_boards *r, struct error *err)
{
	const char *url = r->server->config.mqtt_broker;
	size_t len = strlen(url);
	const char *rest = strstr(url, "://");
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(url);
	CLEANUP(mem_free_ptr) char *whole = NULL;
	bool bad;

	/* A target names a device behind the broker; this is the broker alone. */
	while (len && url[len - 1] == '/')
		len--;
	whole = mem_printf("%.*s" SERVE_ID, (int)len, url);
	bad = !rest ||
	      strcspn(rest + 3, "/?#") + 3 != len - (size_t)(rest - url);
	if (bad)
		error_set(err, ERR_USAGE, "'%.200s' is no URL of a broker",
			  shown);
	else
		bad = parse_whole(r, whole, err);
	if (!bad && r->where.scheme->kind != SCHEME_MQTT)
		bad = error_set(err, ERR_USAGE,
				"'%.200s' is no URL of an MQTT broker", shown);
	if (bad)
		return error_hint(
			err,
			"expected mqtt://[USER@]HOST[:PORT] or mqtts://[USER@]HOST[:PORT]");
	return 0;
}

/* A password without a user cannot be sent (MQTT 3.1.1, 3.1.2.9). */
static int read_password(struct mqtt_boards *r, struct error *err)
{
	const char *file = r->server->config.mqtt_password_file;
	const struct endpoint *e = &r->where;
	CLEANUP(buf_done) struct buf where = { 0 };

	if (e->user)
		return secret_find(&r->where.password, "password file", file,
				   "MCPCTL_MQTT_PASSWORD", err);
	if (!file)
		return 0;
	error_set(err, ERR_USAGE,
		  "--mqtt-password-file: whose password is it?");
	authority_print(&where, e->host, e->has_port ? e->port : 0);
	return error_hint(
		err, "name the user in the URL: --mqtt-broker %s://USER@%s",
		e->scheme->name, buf_string(&where));
}

/* Boards speak TLS on one port only, and there always. */
static void warn_of_tls(struct mqtt_boards *r)
{
	bool tls = endpoint_has(&r->where, SCHEME_TLS);
	struct record *rec;

	if (tls == (r->where.port == TLS_PORT))
		return;
	rec = records_add(
		&r->server->records, RECORD_BROKER, LEVEL_WARN, NULL, NULL,
		"boards will not get through to this broker: they speak TLS on port 8883, and only there");
	if (rec)
		rec->hint = mem_strdup(
			"let the broker listen on another port without TLS, or on 8883 with it");
}

static int prepare_elsewhere(struct mqtt_boards *r, struct error *err)
{
	if (check_topic("--topic-up", r->up, err) ||
	    check_topic("--topic-down", r->down, err) || parse_url(r, err) ||
	    read_password(r, err))
		return -1;
	warn_of_tls(r);
	if (!address_is_here(r->where.host))
		warn_of_colon(r, "--mqtt-broker", r->where.host);
	return 0;
}

/* ---- our own ---- */

/* Where serve's socket is: it is ours alone. NULL: elsewhere then. */
static char *private_place(const struct serve *s)
{
	struct error ignored = { 0 };
	char *path = NULL, *slash;

	if (control_path(&path, s->config.socket, true, &ignored)) {
		error_reset(&ignored);
		return NULL;
	}
	slash = strrchr(path, '/');
	if (!slash || slash == path) {
		mem_free(path);
		return NULL;
	}
	*slash = '\0';
	return path;
}

void mqtt_boards_fence(const struct mqtt_boards *r, struct words *rules)
{
	const struct serve_config *c = &r->server->config;
	CLEANUP(mem_free_ptr) char *near = NULL;

	if (c->mqtt_broker) {
		fence_port(rules, "connect", r->where.port);
		return;
	}
	near = private_place(r->server);
	fence_port(rules, "connect", c->mqtt_port);
	/* Whether another has the port is asked when it cannot start again. */
	fence_port(rules, "bind", c->mqtt_port);
	/* Its folder is made anew where somebody tidied it away. */
	fence_rule(rules, "write", near ? near : broker_folder(r->broker));
}

static int start_broker(struct mqtt_boards *r, struct error *err)
{
	const struct serve_config *c = &r->server->config;
	CLEANUP(mem_free_ptr) char *near = private_place(r->server);
	const struct broker_config config = {
		.host = r->host,
		.port = c->mqtt_port,
		.near = near,
		.key_file = c->mqtt_key_file,
		.operator_file = c->mqtt_operator_file,
		.message_max = c->message_max,
		.fenced = c->fenced,
	};

	if (c->mqtt_port == TLS_PORT) {
		error_set(
			err, ERR_USAGE,
			"boards speak TLS on port 8883, and this broker does not");
		return error_hint(err, "take another port: --mqtt=1883");
	}
	return broker_open(&r->broker, r->server->loop, &config,
			   &mqtt_boards_broker_events, r, err);
}

/* Everything that is set up before the hub. */
static int mqtt_boards_prepare(struct mqtt_boards *r, struct error *err)
{
	const struct serve_config *c = &r->server->config;

	r->mqtt = module_table("mqtt", MQTT_TABLE, err);
	if (!r->mqtt || take_options(r, err))
		return -1;
	if (c->mqtt_broker && prepare_elsewhere(r, err))
		return -1;
	r->audio = r->mqtt->audio_open(r->server->loop, r->host, c->udp_port,
				       c->silence, err);
	if (!r->audio)
		return -1;
	return c->mqtt_broker ? 0 : start_broker(r, err);
}

/* ---- joining it ---- */

/* By which address our own broker is reached from here. */
static const char *own_host(const struct mqtt_boards *r)
{
	if (!r->host || strcmp(r->host, "0.0.0.0") == 0)
		return "127.0.0.1";
	return strcmp(r->host, "::") ? r->host : "::1";
}

/* Joins the broker. */
static int mqtt_boards_join(struct mqtt_boards *r, struct error *err)
{
	const struct serve_config *c = &r->server->config;
	CLEANUP(mem_free_ptr) char *id = NULL;
	struct mqtt_hub_config config = {
		.broker = { .reconnect = true },
		.plugin = r->broker != NULL,
		.up = r->up,
		.down = r->down,
		.message_max = (size_t)c->message_max,
		.audio = r->audio,
		.advertise = r->advertised,
	};
	unsigned bits;

	if (r->broker) {
		config.broker.host = own_host(r);
		config.broker.keepalive = OWN_KEEPALIVE;
		config.broker.port = c->mqtt_port;
		config.broker.client_id = BROKER_CLIENT_ID;
		config.broker.user = BROKER_CLIENT_ID;
		config.broker.password = broker_secret(r->broker);
	} else {
		/* Two serves at one broker must not drive each other out. */
		random_bytes(&bits, sizeof(bits));
		id = mem_printf("%s-%08x", BROKER_CLIENT_ID, bits);
		config.broker.host = r->where.host;
		config.broker.port = r->where.port;
		config.broker.tls = endpoint_has(&r->where, SCHEME_TLS);
		config.broker.insecure = c->insecure;
		config.broker.cacert = c->cacert;
		config.broker.client_id = id;
		config.broker.user = r->where.user;
		config.broker.password = r->where.password;
	}
	r->hub = r->mqtt->hub_open(r->server->loop, &config,
				   &mqtt_boards_hub_events, r, err);
	return r->hub ? 0 : -1;
}

/*
 * What happens at the broker: it comes up and goes down, clients join and are
 * refused. Each that joins becomes a device; what a device says is its own
 * matter. Which clients are devices the plugin decides (wire/broker_topic.h),
 * or the topic at a broker that runs elsewhere.
 */

/* NULL: nobody will see it. */
static struct record *tell(struct mqtt_boards *r, enum record_level level,
			   enum broker_news state, const char *text)
{
	static const char *const names[] = { [NEWS_UP] = "up",
					     [NEWS_DOWN] = "down",
					     [NEWS_SAID] = "said",
					     [NEWS_JOINED] = "joined",
					     [NEWS_LOST] = "lost" };
	struct record *rec;

	if (r->closing)
		return NULL;
	rec = records_add(&r->server->records, RECORD_BROKER, level, NULL, NULL,
			  "%s", text);
	if (!rec)
		return NULL;
	rec->broker = state;
	rec->detail = mem_printf("\"state\":\"%s\"", names[state]);
	return rec;
}

static void add_hint(struct record *rec, const char *hint)
{
	if (rec && *hint) {
		mem_free(rec->hint);
		rec->hint = mem_strdup(hint);
	}
}

/* ---- our own broker ---- */

static void on_up(void *owner, bool again)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;

	/* Closed because it could not be opened: then the server is gone. */
	if (r->closing)
		return;
	text = mem_printf(
		"mosquitto %s listens on port %u%s", broker_version(r->broker),
		(unsigned)r->server->config.mqtt_port,
		again ? " again: devices come back by themselves" : "");
	tell(r, again ? LEVEL_GOOD : LEVEL_INFO, NEWS_UP, text);
}

static void on_down(void *owner, const struct error *why, int64_t again_ms)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;
	char wait[32];

	text_milliseconds(again_ms, wait, sizeof(wait));
	text = mem_printf("the broker is down: %s; it is started again in %s",
			  why->text, wait);
	add_hint(tell(r, LEVEL_BAD, NEWS_DOWN, text), why->hint);
}

static void on_said(void *owner, bool bad, const char *line)
{
	CLEANUP(mem_free_ptr) char *text = mem_printf("mosquitto: %s", line);

	struct record *rec =
		tell(owner, bad ? LEVEL_WARN : LEVEL_DEBUG, NEWS_SAID, text);

	if (strstr(line, "oversize"))
		add_hint(rec, "--message-max allows more");
}

static const struct broker_events mqtt_boards_broker_events = { on_up, on_down,
								on_said };

/* ---- the connection to the broker ---- */

/*
 * They come back to the broker by themselves, and are silent there; what was
 * asked while it was away reached nobody.
 */
static void expect_all(struct mqtt_boards *r)
{
	for (struct expected *e = r->expected; e; e = e->next) {
		e->tries = 0;
		e->due = loop_now() + FIRST_MS;
	}
	for (struct board *d = r->server->registry.first; d; d = d->next) {
		if (d->mqtt && d->client_id)
			mqtt_boards_expect(r, d->client_id, d->device_id);
	}
	start_timer(r);
}

static void set_away(struct mqtt_boards *r, const char *why)
{
	struct serve *s = r->server;

	mem_free(r->away);
	r->away = mem_strdup(why);
	if (!r->closing)
		s->events->broker(s);
}

const char *mqtt_boards_away(const struct mqtt_boards *r)
{
	return r->away;
}

static void on_broker(void *owner, const struct error *why)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *text = NULL;
	bool own = r->broker != NULL;

	set_away(r, why ? why->text : NULL);
	if (!why) {
		tell(r, LEVEL_GOOD, NEWS_JOINED, "connected to the broker");
		expect_all(r);
		return;
	}
	text = mem_printf("no connection to the broker: %s; it is tried again",
			  why->text);
	/* That our own went down is told already. */
	add_hint(tell(r,
		      own && !broker_pid(r->broker) ? LEVEL_DEBUG : LEVEL_WARN,
		      NEWS_LOST, text),
		 why->hint);
	expect_all(r);
	if (own && !r->closing && why->code == ETIMEDOUT)
		broker_hung(r->broker);
}

static void on_joined(void *owner, const struct mqtt_joined *who)
{
	struct mqtt_boards *r = owner;
	struct serve *s = r->server;
	struct error err = { 0 };
	struct peer_info peer = {
		.address = who->address,
		.device_id = who->device_id,
		.client_id = who->client_id,
		.envelope = true,
		.standby = true,
	};
	const struct told *told = NULL;
	struct board *d;

	if (r->closing || s->closing)
		return;
	mqtt_boards_expect_done(r, who->client_id);
	if (s->door)
		told = memory_find_board(&s->door->port->memory, who->client_id,
					 who->device_id, who->address);
	peer.ota = told ? &told->asked : NULL;
	/* A Device-Id that is no MAC address does not show in the client id. */
	if (!peer.device_id && peer.ota && peer.ota->device_id[0])
		peer.device_id = peer.ota->device_id;
	d = board_new(s, &peer, true);
	if (!d) {
		/* It comes again by itself, when there may be room. */
		missing_came(&s->missing, peer.device_id);
		r->mqtt->kick(r->hub, who->client_id);
		return;
	}
	if (r->broker && who->user)
		d->reached = mqtt_boards_reached(who->user);
	if (!r->mqtt->adopt(&d->transport, r->hub, who, &err))
		return;
	records_add(&s->records, RECORD_FAILED, LEVEL_BAD, d->id, d->address,
		    "cannot be served over MQTT: %s", err.text);
	board_discard(d);
	error_reset(&err);
}

static void on_refused(void *owner, const char *client_id, const char *address,
		       const char *text, const char *hint)
{
	struct mqtt_boards *r = owner;
	CLEANUP(mem_free_ptr) char *whole = NULL;
	char mac[18];
	struct record *rec;

	if (r->closing)
		return;
	whole = mem_printf("refused by the broker: %s", text);
	rec = record_of(
		r->server,
		&(struct who){ .device_id = client_id_mac(client_id, mac) ?
						    mac :
						    client_id,
			       .address = address },
		RECORD_REFUSED, LEVEL_WARN, whole);
	add_hint(
		rec,
		hint ? hint :
		       "a board gets fitting ones when it asks OTA here; without --mqtt-key-file nothing is checked");
}

const struct mqtt_hub_events mqtt_boards_hub_events = {
	.broker = on_broker,
	.joined = on_joined,
	.refused = on_refused,
};

/* ---- life ---- */

static void mqtt_boards_free(struct mqtt_boards *r)
{
	mqtt_boards_expect_none(r);
	endpoint_done(&r->where);
	secret_wipe(&r->key);
	mem_free(r->host);
	mem_free(r->advertised);
	mem_free(r->away);
	buf_done(&r->endpoint);
	buf_done(&r->client_id);
	buf_done(&r->user);
	buf_done(&r->password);
	buf_done(&r->topic);
	buf_done(&r->topic_down);
	mem_free(r);
}

int mqtt_boards_open(struct mqtt_boards **out, struct serve *s,
		     struct error *err)
{
	struct mqtt_boards *r = mem_zalloc(sizeof(*r));

	*out = NULL;
	r->server = s;
	r->away = mem_strdup("it is not connected yet");
	timer_open(&r->timer, s->loop, mqtt_boards_expect_turn, r);
	if (mqtt_boards_prepare(r, err) || mqtt_boards_join(r, err)) {
		mqtt_boards_close(r, NULL, NULL);
		return -1;
	}
	*out = r;
	return 0;
}

static void on_timer_closed(void *owner)
{
	struct mqtt_boards *r = owner;
	void (*closed)(void *owner) = r->closed;

	owner = r->owner;
	mqtt_boards_free(r);
	if (closed)
		closed(owner);
}

static void on_broker_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	timer_close(&r->timer, on_timer_closed);
}

static void on_audio_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	if (r->broker)
		broker_close(r->broker, on_broker_closed, r);
	else
		on_broker_closed(r);
}

static void on_hub_closed(void *owner)
{
	struct mqtt_boards *r = owner;

	if (r->audio)
		r->mqtt->audio_close(r->audio, on_audio_closed, r);
	else
		on_audio_closed(r);
}

void mqtt_boards_close(struct mqtt_boards *r, void (*closed)(void *owner),
		       void *owner)
{
	r->closing = true;
	r->closed = closed;
	r->owner = owner;
	if (r->hub)
		r->mqtt->hub_close(r->hub, on_hub_closed);
	else
		on_hub_closed(r);
}

int mqtt_boards_reload(struct mqtt_boards *r)
{
	const struct serve_config *c = &r->server->config;
	const char *file = c->mqtt_key_file;
	struct error err = { 0 };
	struct buf fresh;

	if (r->broker && !file)
		broker_reload(r->broker);
	if (!file)
		return 0;
	if (secret_file_read(&fresh, "key file", file, &err)) {
		struct record *rec = records_add(
			&r->server->records, RECORD_RELOAD, LEVEL_BAD, NULL,
			NULL, "%s; the key that was read before stays%s",
			err.text,
			c->mqtt_operator_file ?
				", and so does the operator's password" :
				"");

		add_hint(rec, err.hint);
		error_reset(&err);
		return -1;
	}
	secret_wipe(&r->key);
	r->key = fresh;
	if (r->broker)
		broker_reload(r->broker);
	return 0;
}

bool mqtt_boards_audio(const struct board *d, struct audio_counts *out)
{
	const struct mqtt_boards *r = d->server->mqtt_boards;

	return d->mqtt && r && r->mqtt->audio_counts(&d->transport, out);
}

void mqtt_boards_kick(struct mqtt_boards *r, const struct board *d)
{
	if (!d->client_id || r->closing)
		return;
	r->mqtt->kick(r->hub, d->client_id);
	/* Elsewhere it cannot be thrown out: it will be greeted anew. */
	mqtt_boards_expect(r, d->client_id, d->device_id);
}
