/* SPDX-License-Identifier: MIT */
/*
 * Our plugin inside mosquitto 2.0: it hands messages to devices by client id,
 * since stock firmware never subscribes (device.md 2.2), and tells serve who
 * is there. What it hands on is queued by mosquitto until this turn of its
 * loop ends: a client that is told of as joined can be sent to.
 */
#include <inttypes.h>
#include <mosquitto.h>
#include <mosquitto_broker.h>
#include <mosquitto_plugin.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "broker/sign.h"
#include "wire/broker_topic.h"

/*
 * The clients that are connected to mosquitto, as our plugin knows them. Not
 * thread-safe: mosquitto has one.
 */

struct broker_client {
	const struct mosquitto *who; /* never looked into: it is the key */
	char *id, *address, *user; /* owned; user may be NULL */
	uint64_t number; /* of this connection, never twice */
	int64_t since; /* ms */
	bool device; /* it is one, and serve was told */
	bool left; /* another took its place: its end means nothing */
	bool foreign; /* it did what a stock device does not */
	bool operator; /* it showed the operator's password */
	bool denied; /* serve was told what it may not do */
};

struct clients {
	struct map by_id; /* two have the same for a moment */
	uint64_t last_number;
};

/*
 * A map by client id. An id and mosquitto's pointer together are the
 * key: ids are not unique while one connection takes over from another.
 */

#define MICROSECONDS 1000000

/* Numbers go on rising when the broker is started again. */
static void clients_init(struct clients *c)
{
	struct timespec now;

	*c = (struct clients){ .last_number = 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	/* Below 2^53, so that it passes through JSON. */
	c->last_number = (uint64_t)now.tv_sec * MICROSECONDS;
}

/* who NULL: the one that came last and has not left. */
static struct broker_client *find(const struct clients *c,
				  const struct mosquitto *who, const char *id)
{
	struct broker_client *cl, *last = NULL;
	uint64_t hash = map_hash_text(id);
	size_t at = 0;

	while ((cl = map_find(&c->by_id, hash, &at))) {
		if (strcmp(cl->id, id) != 0 ||
		    (who ? cl->who != who : cl->left))
			continue;
		if (!last || cl->number > last->number)
			last = cl;
	}
	return last;
}

static void free_client(struct broker_client *cl)
{
	mem_free(cl->id);
	mem_free(cl->address);
	mem_free(cl->user);
	mem_free(cl);
}

/* ms, monotonic */
static int64_t clients_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* id NULL: there is none. */
static struct broker_client *
clients_find(struct clients *c, const struct mosquitto *who, const char *id)
{
	return id ? find(c, who, id) : NULL;
}

static void clients_remove(struct clients *c, const struct mosquitto *who,
			   const char *id)
{
	struct broker_client *old = clients_find(c, who, id);

	if (!old)
		return;
	map_remove(&c->by_id, map_hash_text(id), old);
	free_client(old);
}

/* Replaces one of the same key. */
static struct broker_client *clients_add(struct clients *c,
					 const struct mosquitto *who,
					 const char *id, const char *address,
					 const char *user)
{
	struct broker_client *cl = mem_zalloc(sizeof(*cl));

	clients_remove(c, who, id);
	cl->who = who;
	cl->id = mem_strdup(id);
	cl->address = mem_strdup(address);
	cl->user = mem_strdup(user);
	cl->number = ++c->last_number;
	cl->since = clients_now();
	map_add(&c->by_id, map_hash_text(id), cl);
	return cl;
}

/* Whoever has that id and has not left; NULL. */
static struct broker_client *clients_holder(struct clients *c, const char *id)
{
	return find(c, NULL, id);
}

static void clients_each(struct clients *c,
			 void (*fn)(void *owner, struct broker_client *cl),
			 void *owner)
{
	struct broker_client *cl;
	size_t at = 0;

	while ((cl = map_each(&c->by_id, &at)))
		fn(owner, cl);
}

static void clients_done(struct clients *c)
{
	struct broker_client *cl;
	size_t at = 0;

	while ((cl = map_each(&c->by_id, &at)))
		free_client(cl);
	map_done(&c->by_id);
}

struct mosquitto_plugin_id_t;

struct plugin {
	struct mosquitto_plugin_id_t *self;
	struct clients clients;
	struct buf secret; /* what serve shows as its password */
	char *key_file; /* NULL: credentials are not checked */
	struct buf key;
	char *operator_file; /* NULL: there is no operator */
	struct buf operator; /* what the operator shows as its password */
	char *folder; /* serve's, removed when serve is gone; NULL */
	int64_t parent; /* process id of serve; 0: not watched */
	int64_t looked; /* when silent clients were looked at last, ms */
	bool rechecking; /* mosquitto asks again about all who are connected */
};

/*
 * Credentials (device.md 2.1), what makes a client a device, and its topics.
 */

#define ID_MAX 1024 /* bytes; firmware's whole CONNECT fits into 1024 */
#define SEPARATOR "@@@"

/* A client id "GID_…@@@…@@@…". */
static bool plugin_is_device_id(const char *id)
{
	const char *second = strstr(id, SEPARATOR);

	return text_starts(id, "GID_") && second &&
	       strstr(second + strlen(SEPARATOR), SEPARATOR);
}

/* A JSON object with the member "type": a device's message. */
static bool plugin_is_device_message(const void *data, size_t len)
{
	struct span object = { data, len }, type;

	return data && !json_check(data, len, NULL) &&
	       json_span_member(object, "type", &type) && *type.text == '"';
}

static bool is_object_in_base64(const char *user)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *start;
	bool is;

	is = !text_base64_decode(user, strlen(user), &text) &&
	     !json_check(buf_string(&text), text.len, NULL);
	start = buf_string(&text);
	is = is && start[strspn(start, " \t\r\n")] == '{';
	return is;
}

static bool is_signed(const struct buf *key, const char *id, const char *user,
		      const char *password)
{
	CLEANUP(buf_done) struct buf wanted = { 0 };

	broker_sign(&wanted, key, id, user);
	return secret_same(buf_string(&wanted), wanted.len, password,
			   strlen(password));
}

static const char *check_device(const struct plugin *p, const char *id,
				const char *user, const char *password)
{
	char mac[18];

	if (!client_id_mac(id, mac))
		return "its client id is not of the form GID_x@@@aa_bb_cc_dd_ee_ff@@@uuid";
	if (!user || !is_object_in_base64(user))
		return "its user name is not base64 of a JSON object";
	if (!password)
		return "it sent no password";
	if (!is_signed(&p->key, id, user, password))
		return "its password is not the signature of its client id and user name with the key";
	return NULL;
}

/* The user name of the operator, if there is one. */
static bool plugin_is_operator(const struct plugin *p, const char *user)
{
	return p->operator_file && user && strcmp(user, BROKER_OPERATOR) == 0;
}

/* The only topic that this client may publish to, or else subscribe to. */
static bool plugin_is_own_topic(const char *id, const char *topic, bool publish)
{
	CLEANUP(buf_done) struct buf own = { 0 };

	if (publish)
		return strcmp(topic, BROKER_UP_TOPIC) == 0;
	broker_own_topic(&own, id);
	return strcmp(topic, buf_string(&own)) == 0;
}

static const char *check_operator(const struct plugin *p, const char *password,
				  const char **hint)
{
	if (password && secret_same(buf_string(&p->operator), p->operator.len,
				    password, strlen(password)))
		return NULL;
	*hint = "it stands in the file of --mqtt-operator-file";
	return "the password of the operator is wrong";
}

/*
 * NULL: may come. Else why not, in words, and in *hint what to do, where that
 * is not what serve knows by itself (static texts). user and password may be
 * NULL.
 */
static const char *plugin_check(const struct plugin *p, const char *id,
				const char *user, const char *password,
				const char **hint)
{
	if (strlen(id) > ID_MAX)
		return "its client id is longer than 1024 bytes";
	if (strcmp(id, BROKER_CLIENT_ID) == 0) {
		if (password &&
		    secret_same(buf_string(&p->secret), p->secret.len, password,
				strlen(password)))
			return NULL;
		return "this client id is kept for mcpctl itself";
	}
	if (plugin_is_operator(p, user))
		return check_operator(p, password, hint);
	if (p->key_file)
		return check_device(p, id, user, password);
	return NULL;
}

/*
 * What serve is told. It is handed over by client id, without a subscription;
 * where serve is not connected, mosquitto drops it.
 */

#define TEXT_MAX 512 /* bytes of a text that a client sent */

static void tell(enum broker_topic kind, const char *id, const void *data,
		 size_t len)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	broker_topic_encode(&topic, kind, id);
	mosquitto_broker_publish_copy(BROKER_CLIENT_ID, buf_string(&topic),
				      (int)len, data, 0, false, NULL);
}

static void add_member(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "%s\"%s\":", out->len > 1 ? "," : "", name);
	if (text)
		buf_json_string(out, text, strnlen(text, TEXT_MAX));
	else
		buf_text(out, "null");
}

/* The client is a device: serve is told, unless it was. */
static void plugin_tell_joined(struct broker_client *cl)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	cl->device = true;
	buf_char(&json, '{');
	add_member(&json, "address", cl->address);
	add_member(&json, "user", cl->user);
	buf_printf(&json, ",\"n\":%" PRIu64 "}", cl->number);
	tell(BROKER_JOINED, cl->id, json.data, json.len);
}

static void plugin_tell_left(const struct broker_client *cl, int reason)
{
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_printf(&json, "{\"reason\":%d,\"n\":%" PRIu64 "}", reason,
		   cl->number);
	tell(BROKER_LEFT, cl->id, json.data, json.len);
}

/* hint NULL: as serve knows. */
static void plugin_tell_refused(const char *id, const char *address,
				const char *why, const char *hint)
{
	CLEANUP(buf_done) struct buf json = { 0 }, cut = { 0 };

	buf_char(&json, '{');
	add_member(&json, "address", address);
	add_member(&json, "text", why);
	add_member(&json, "hint", hint);
	buf_char(&json, '}');
	buf_add(&cut, id, strnlen(id, TEXT_MAX));
	tell(BROKER_REFUSED, buf_string(&cut), json.data, json.len);
	buf_done(&cut);
}

/* A copy of what it published. */
static void plugin_tell_up(const char *id, const void *data, size_t len)
{
	tell(BROKER_UP, id, data, len);
}

#define EXPORT __attribute__((visibility("default")))
/*
 * A device with a client id of its own kind connects and is silent, but for a
 * subscription to its own topic. A client that subscribes or publishes
 * elsewhere, or publishes something else, is none.
 */
#define SILENT_MS 2000
#define DENIED_MAX 128 /* bytes of a topic that are told */

static bool is_serve(const struct mosquitto *client)
{
	const char *id = mosquitto_client_id(client);

	return id && strcmp(id, BROKER_CLIENT_ID) == 0;
}

/* ---- who comes and goes ---- */

static void tell_again(void *owner, struct broker_client *cl)
{
	(void)owner;
	if (cl->device && !cl->left)
		plugin_tell_joined(cl);
}

static int on_auth(int event, void *data, void *owner)
{
	const struct mosquitto_evt_basic_auth *auth = data;
	const char *id = mosquitto_client_id(auth->client);
	const char *address = mosquitto_client_address(auth->client), *why;
	struct plugin *p = owner;
	const char *hint = NULL;
	struct broker_client *cl;

	(void)event;
	if (p->rechecking)
		return MOSQ_ERR_SUCCESS;
	if (!id || !*id)
		return MOSQ_ERR_AUTH;
	why = plugin_check(p, id, auth->username, auth->password, &hint);
	if (why) {
		plugin_tell_refused(id, address, why, hint);
		return MOSQ_ERR_AUTH;
	}
	if (is_serve(auth->client)) {
		clients_each(&p->clients, tell_again, NULL);
		return MOSQ_ERR_SUCCESS;
	}
	/* mosquitto ends the older one after this: not the end of the new. */
	cl = clients_holder(&p->clients, id);
	if (cl)
		cl->left = true;
	cl = clients_add(&p->clients, auth->client, id, address,
			 auth->username);
	cl->operator= plugin_is_operator(p, auth->username);
	cl->foreign = cl->operator;
	if (!cl->foreign && plugin_is_device_id(id))
		plugin_tell_joined(cl);
	return MOSQ_ERR_SUCCESS;
}

/* Also for connections that never passed on_auth. */
static int on_disconnect(int event, void *data, void *owner)
{
	const struct mosquitto_evt_disconnect *gone = data;
	struct plugin *p = owner;
	const char *id = mosquitto_client_id(gone->client);
	struct broker_client *cl = clients_find(&p->clients, gone->client, id);

	(void)event;
	if (cl && cl->device && !cl->left)
		plugin_tell_left(cl, gone->reason);
	clients_remove(&p->clients, gone->client, id);
	return MOSQ_ERR_SUCCESS;
}

/* ---- messages ---- */

static void hand_down(const char *id, const void *payload, uint32_t len)
{
	CLEANUP(buf_done) struct buf topic = { 0 };

	broker_own_topic(&topic, id);
	mosquitto_broker_publish_copy(id, buf_string(&topic), (int)len, payload,
				      0, false, NULL);
}

static void from_serve(const struct mosquitto_evt_message *m)
{
	CLEANUP(buf_done) struct buf id = { 0 };

	switch (broker_topic_decode(m->topic, &id)) {
	case BROKER_DOWN:
		hand_down(buf_string(&id), m->payload, m->payloadlen);
		break;
	case BROKER_KICK:
		if (strcmp(buf_string(&id), BROKER_CLIENT_ID) != 0)
			mosquitto_kick_client_by_clientid(buf_string(&id),
							  false);
		break;
	default:
		break;
	}
}

static int on_message(int event, void *data, void *owner)
{
	const struct mosquitto_evt_message *m = data;
	struct plugin *p = owner;
	struct broker_client *cl;

	(void)event;
	if (is_serve(m->client)) {
		if (!text_starts(m->topic, BROKER_ROOT))
			return MOSQ_ERR_SUCCESS;
		from_serve(m);
		/* It goes no further: it is nobody else's. */
		return MOSQ_ERR_ACL_DENIED;
	}
	cl = clients_find(&p->clients, m->client,
			  mosquitto_client_id(m->client));
	if (!cl)
		return MOSQ_ERR_SUCCESS;
	if (cl->operator)
		return MOSQ_ERR_SUCCESS;
	if (!cl->device && plugin_is_device_message(m->payload, m->payloadlen))
		plugin_tell_joined(cl);
	cl->foreign = !cl->device;
	if (cl->device)
		plugin_tell_up(cl->id, m->payload, m->payloadlen);
	return MOSQ_ERR_SUCCESS;
}

/* What it tried is told once: it may try for ever. */
static void tell_denied(struct broker_client *cl, const char *topic,
			bool publish)
{
	CLEANUP(buf_done) struct buf text = { 0 }, own = { 0 };
	bool told = cl->denied;

	cl->denied = true;
	if (told)
		return;
	broker_own_topic(&own, cl->id);
	buf_printf(&text, "it may not %s '%.*s': a device %s '%s' only",
		   publish ? "publish to" : "subscribe to",
		   text_shown(topic, DENIED_MAX), topic,
		   publish ? "publishes to" : "has",
		   publish ? BROKER_UP_TOPIC : buf_string(&own));
	plugin_tell_refused(
		cl->id, cl->address, buf_string(&text),
		publish ?
			"a board gets the right topic when it asks OTA here" :
			"to look at all messages: serve --mqtt-operator-file, and mosquitto_sub -u operator");
}

static int on_access(int event, void *data, void *owner)
{
	const struct mosquitto_evt_acl_check *a = data;
	bool publish = a->access == MOSQ_ACL_WRITE;
	struct plugin *p = owner;
	struct broker_client *cl;

	(void)event;
	if (is_serve(a->client))
		return MOSQ_ERR_SUCCESS;
	cl = clients_find(&p->clients, a->client,
			  mosquitto_client_id(a->client));
	if (!cl || !a->topic || text_starts(a->topic, BROKER_ROOT))
		return MOSQ_ERR_ACL_DENIED;
	if (cl->operator)
		return MOSQ_ERR_SUCCESS;
	/* Stock firmware never subscribes; others to what OTA told them. */
	if (plugin_is_own_topic(cl->id, a->topic, publish))
		return MOSQ_ERR_SUCCESS;
	cl->foreign = true;
	if (publish || a->access == MOSQ_ACL_SUBSCRIBE)
		tell_denied(cl, a->topic, publish);
	return MOSQ_ERR_ACL_DENIED;
}

/* ---- time ---- */

static void look_at_silent(void *owner, struct broker_client *cl)
{
	(void)owner;
	if (!cl->device && !cl->foreign && !cl->left &&
	    clients_now() - cl->since >= SILENT_MS)
		plugin_tell_joined(cl);
}

static void remove_file(const char *folder, const char *name)
{
	char *path = mem_printf("%s/%s", folder, name);

	unlink(path);
	mem_free(path);
}

/* serve was killed: nobody else ends this broker, or tidies up behind it. */
static void end_orphan(struct plugin *p)
{
	if (p->folder) {
		remove_file(p->folder, "secret");
		remove_file(p->folder, "mosquitto.conf");
		rmdir(p->folder);
	}
	p->parent = 0;
	raise(SIGTERM);
}

static int on_tick(int event, void *data, void *owner)
{
	struct plugin *p = owner;
	int64_t now = clients_now();

	(void)event;
	(void)data;
	p->rechecking = false;
	if (p->parent && getppid() != p->parent)
		end_orphan(p);
	/* mosquitto's loop turns ten times a second, or oftener. */
	if (now - p->looked < SILENT_MS / 4)
		return MOSQ_ERR_SUCCESS;
	p->looked = now;
	clients_each(&p->clients, look_at_silent, p);
	return MOSQ_ERR_SUCCESS;
}

/* ---- life ---- */

static int read_secret(struct buf *out, const char *what, const char *file)
{
	struct error err = { 0 };
	struct buf fresh;

	if (secret_file_read(&fresh, what, file, &err)) {
		mosquitto_log_printf(MOSQ_LOG_ERR, "Error: %s", err.text);
		error_reset(&err);
		return -1;
	}
	secret_wipe(out);
	*out = fresh;
	return 0;
}

/*
 * SIGHUP: key and operator file. mosquitto asks for all that are connected (and for
 * sessions of which nobody is) once more after this; they stay.
 */
static int on_reload(int event, void *data, void *owner)
{
	struct plugin *p = owner;

	(void)event;
	(void)data;
	p->rechecking = true;
	if (p->key_file)
		read_secret(&p->key, "key file", p->key_file);
	if (p->operator_file)
		read_secret(&p->operator, "operator file", p->operator_file);
	return MOSQ_ERR_SUCCESS;
}

static int take_option(struct plugin *p, const struct mosquitto_opt *o)
{
	if (strcmp(o->key, "secret_file") == 0)
		return read_secret(&p->secret, "secret file", o->value);
	if (strcmp(o->key, "key_file") == 0) {
		mem_free(p->key_file);
		p->key_file = mem_strdup(o->value);
		return read_secret(&p->key, "key file", o->value);
	}
	if (strcmp(o->key, "operator_file") == 0) {
		mem_free(p->operator_file);
		p->operator_file = mem_strdup(o->value);
		return read_secret(&p->operator, "operator file", o->value);
	}
	if (strcmp(o->key, "folder") == 0) {
		mem_free(p->folder);
		p->folder = mem_strdup(o->value);
	}
	if (strcmp(o->key, "parent_pid") == 0)
		return text_integer(o->value, 2, INT32_MAX, &p->parent);
	return 0;
}

static void release(struct plugin *p)
{
	clients_done(&p->clients);
	secret_wipe(&p->secret);
	secret_wipe(&p->key);
	secret_wipe(&p->operator);
	mem_free(p->key_file);
	mem_free(p->operator_file);
	mem_free(p->folder);
	mem_free(p);
}

static const struct {
	int event;
	MOSQ_FUNC_generic_callback fn;
} callbacks[] = {
	{ MOSQ_EVT_BASIC_AUTH, on_auth },
	{ MOSQ_EVT_DISCONNECT, on_disconnect },
	{ MOSQ_EVT_MESSAGE, on_message },
	{ MOSQ_EVT_ACL_CHECK, on_access },
	{ MOSQ_EVT_RELOAD, on_reload },
	{ MOSQ_EVT_TICK, on_tick },
};

static int register_all(struct plugin *p)
{
	int status = MOSQ_ERR_SUCCESS;

	for (size_t i = 0; i < COUNT(callbacks) && !status; i++)
		status = mosquitto_callback_register(
			p->self, callbacks[i].event, callbacks[i].fn, NULL, p);
	return status;
}

static void unregister_all(struct plugin *p)
{
	for (size_t i = 0; i < COUNT(callbacks); i++)
		mosquitto_callback_unregister(p->self, callbacks[i].event,
					      callbacks[i].fn, NULL);
}

EXPORT int mosquitto_plugin_version(int supported_version_count,
				    const int *supported_versions)
{
	for (int i = 0; i < supported_version_count; i++) {
		if (supported_versions[i] == MOSQ_PLUGIN_VERSION)
			return MOSQ_PLUGIN_VERSION;
	}
	return -1;
}

EXPORT int mosquitto_plugin_init(mosquitto_plugin_id_t *identifier,
				 void **userdata, struct mosquitto_opt *options,
				 int option_count)
{
	struct plugin *p = mem_zalloc(sizeof(*p));
	int status = MOSQ_ERR_SUCCESS;

	p->self = identifier;
	clients_init(&p->clients);
	for (int i = 0; i < option_count && !status; i++) {
		if (take_option(p, &options[i]))
			status = MOSQ_ERR_INVAL;
	}
	/* Without a secret anybody could be serve. */
	if (!status && !p->secret.len)
		status = MOSQ_ERR_INVAL;
	if (!status)
		status = register_all(p);
	if (status)
		release(p);
	else
		*userdata = p;
	return status;
}

EXPORT int mosquitto_plugin_cleanup(void *userdata,
				    struct mosquitto_opt *options,
				    int option_count)
{
	(void)options;
	(void)option_count;
	if (userdata) {
		unregister_all(userdata);
		release(userdata);
	}
	return MOSQ_ERR_SUCCESS;
}
