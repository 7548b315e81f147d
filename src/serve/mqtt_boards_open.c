/* SPDX-License-Identifier: MIT */
/*
 * MQTT in serve is opened: what the options mean, the broker, the audio port,
 * the connection to the broker. What happens then is mqtt_boards.c's matter.
 */
#include <string.h>

#include "base/fence.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/address.h"
#include "net/control_path.h"
#include "serve/mqtt_boards_private.h"
#include "wire/broker_topic.h"

#define TLS_PORT 8883 /* the one on which boards speak TLS (device.md 2.1) */
#define TOPIC_MAX 512
#define SERVE_ID "/serve"
/* Seconds: after twice that a broker of ours that hangs is noticed. */
#define OWN_KEEPALIVE 15

/* ---- options ---- */

/* "HOST", "HOST:PORT" or a URL: its host. */
static char *host_of(const char *text)
{
	const char *behind = strstr(text, "://");
	struct authority a;
	size_t len;

	if (behind)
		text = behind + 3;
	len = strcspn(text, "/?#");
	if (authority_parse(&a, text, len, NULL) || !a.host[0])
		return NULL;
	return mem_strdup(a.host);
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
		    (host && !strcmp(host, r->host)))
			continue;
		rec = records_add(&r->server->records, RECORD_BROKER,
				  LEVEL_WARN, NULL, NULL,
				  "%s served on %s alone, the address of the "
				  "first --listen",
				  r->server->config.mqtt ?
					  "MQTT and its audio are" :
					  "the audio of MQTT boards is",
				  r->host);
		if (rec)
			rec->hint = mem_strdup("put the address that boards "
					       "reach first, or leave the host "
					       "out for all");
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

	if (c->advertise)
		r->advertised = host_of(c->advertise);
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
		return error_hint(err, "one has 1 to 512 bytes, and no + or "
				       "#; {client_id} or {mac} stand for the "
				       "device");
	}
	if (!strstr(pattern, "{client_id}") && !strstr(pattern, "{mac}")) {
		error_set(err, ERR_USAGE,
			  "%s '%.100s' does not tell devices apart", option,
			  pattern);
		return error_hint(err, "put {client_id} or {mac} into it, as "
				       "in mcpctl/up/{client_id}");
	}
	return 0;
}

/* ---- a broker that runs elsewhere ---- */

/* The client id is ours: the user has not written it. */
static int parse_whole(struct mqtt_boards *r, const char *whole,
		       struct error *err)
{
	struct error why = { 0 };
	const char *reason;

	if (!endpoint_parse(&r->where, whole, "--mqtt-broker", &why))
		return 0;
	reason = strstr(why.text, SERVE_ID "': ");
	error_set(err, ERR_USAGE, "--mqtt-broker: %s",
		  reason ? reason + strlen(SERVE_ID "': ") : why.text);
	error_reset(&why);
	return -1;
}

static int parse_url(struct mqtt_boards *r, struct error *err)
{
	const char *url = r->server->config.mqtt_broker;
	size_t len = strlen(url);
	const char *rest = strstr(url, "://");
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
			  url);
	else
		bad = parse_whole(r, whole, err);
	if (!bad && !text_starts(r->where.scheme, "mqtt"))
		bad = error_set(err, ERR_USAGE,
				"'%.200s' is no URL of an MQTT broker", url);
	if (bad)
		return error_hint(err, "expected mqtt://[USER@]HOST[:PORT] or "
				       "mqtts://[USER@]HOST[:PORT]");
	return 0;
}

/* A password without a user cannot be sent (MQTT 3.1.1, 3.1.2.9). */
static int read_password(struct mqtt_boards *r, struct error *err)
{
	const char *file = r->server->config.mqtt_password_file;
	const struct endpoint *e = &r->where;

	if (e->user)
		return secret_find(&r->where.password, "password file", file,
				   "MCPCTL_MQTT_PASSWORD", err);
	if (!file)
		return 0;
	error_set(err, ERR_USAGE,
		  "--mqtt-password-file: whose password is "
		  "it?");
	return error_hint(err,
			  "name the user in the URL: --mqtt-broker "
			  "%s://USER@%s",
			  e->scheme, e->host);
}

/* Boards speak TLS on one port only, and there always. */
static void warn_of_tls(struct mqtt_boards *r)
{
	bool tls = !strcmp(r->where.scheme, "mqtts");
	struct record *rec;

	if (tls == (r->where.port == TLS_PORT))
		return;
	rec = records_add(&r->server->records, RECORD_BROKER, LEVEL_WARN, NULL,
			  NULL,
			  "boards will not get through to this broker: they "
			  "speak TLS on port 8883, and only there");
	if (rec)
		rec->hint = mem_strdup("let the broker listen on another port "
				       "without TLS, or on 8883 with it");
}

static int prepare_elsewhere(struct mqtt_boards *r, struct error *err)
{
	if (check_topic("--topic-up", r->up, err) ||
	    check_topic("--topic-down", r->down, err) || parse_url(r, err) ||
	    read_password(r, err))
		return -1;
	warn_of_tls(r);
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
		error_set(err, ERR_USAGE,
			  "boards speak TLS on port 8883, and "
			  "this broker does not");
		return error_hint(err, "take another port: --mqtt=1883");
	}
	return broker_open(&r->broker, r->server->loop, &config,
			   &rack_broker_events, r, err);
}

int mqtt_boards_prepare(struct mqtt_boards *r, struct error *err)
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
	if (!r->host || !strcmp(r->host, "0.0.0.0"))
		return "127.0.0.1";
	return strcmp(r->host, "::") ? r->host : "::1";
}

int mqtt_boards_join(struct mqtt_boards *r, struct error *err)
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
		config.broker.tls = !strcmp(r->where.scheme, "mqtts");
		config.broker.insecure = c->insecure;
		config.broker.cacert = c->cacert;
		config.broker.client_id = id;
		config.broker.user = r->where.user;
		config.broker.password = r->where.password;
	}
	r->hub = r->mqtt->hub_open(r->server->loop, &config, &rack_hub_events,
				   r, err);
	return r->hub ? 0 : -1;
}
