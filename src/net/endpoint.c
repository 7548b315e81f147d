/* SPDX-License-Identifier: MIT */
/*
 * Targets taken apart, scheme by scheme. Knows nothing of what is behind them:
 * no name is looked up and no file opened.
 */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/head.h"
#include "wire/mcp_topic.h"

/* How the targets of each scheme are written, behind its colon. */

#define LISTEN_PORT 8000

/* A space or a line break would end the request line that is made of it. */
static int check_url_text(const char *text, struct error *err)
{
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return error_set(
				err, ERR_USAGE,
				"byte %zu behind the scheme is a space or a control character",
				(size_t)(p - text) + 1);
	}
	return 0;
}

static int take_authority(struct endpoint *e, const char *text, size_t len,
			  struct error *err)
{
	struct authority a;

	if (authority_parse(&a, text, len, err))
		return -1;
	if (!a.host[0])
		return error_set(err, ERR_USAGE, "the host is missing");
	if (a.has_port && a.port == 0)
		return error_set(err, ERR_USAGE,
				 "the port 0 cannot be dialled");
	e->host = mem_strdup(a.host);
	e->has_port = a.has_port;
	if (a.has_port)
		e->port = a.port;
	return 0;
}

/* Step over the "//" of a URL and find where its authority ends. */
static const char *skip_slashes(const char *rest, size_t *len,
				struct error *err)
{
	if (strncmp(rest, "//", 2) != 0) {
		error_set(err, ERR_USAGE, "'//' must follow the scheme");
		return NULL;
	}
	rest += 2;
	*len = strcspn(rest, "/?#");
	return rest;
}

/*
 * The '@' behind a user; NULL: there is none. A slash in a password ends the
 * authority, so what is no port then is a password up to the last '@'.
 */
static const char *user_end(const char *host)
{
	size_t len = strcspn(host, "/?#");
	const char *colon = memchr(host, ':', len);
	const char *at = memrchr(host, '@', len);

	if (at || !colon || *host == '[' ||
	    colon + 1 + strspn(colon + 1, "0123456789") == host + len)
		return at;
	return strrchr(colon, '@');
}

/* Behind the authority it is the port that is none, or a password: who knows? */
static int perhaps_no_port(const char *at, const char *end, struct error *err)
{
	if (at < end)
		return -1;
	return error_prefix(
		err, "what follows the ':' is no port, or it is a password");
}

static int parse_url(struct endpoint *e, const char *rest, struct error *err)
{
	const char *host, *path, *at;
	size_t len = 0;

	if (check_url_text(rest, err))
		return -1;
	host = skip_slashes(rest, &len, err);
	if (!host)
		return -1;
	path = host + len;
	at = user_end(host);
	if (at) {
		error_set(
			err, ERR_USAGE,
			"a user before '@' is not supported: use --header 'Authorization: …'");
		return perhaps_no_port(at, path, err);
	}
	if (strchr(path, '#'))
		return error_set(err, ERR_USAGE,
				 "the part from '#' on is never sent");
	if (take_authority(e, host, len, err))
		return -1;
	if (*path == '/')
		e->path = mem_strdup(path);
	else
		e->path = mem_printf("/%s", path);
	return 0;
}

/* at: the '@' behind it; end: that of the authority. */
static int take_user(struct endpoint *e, const char *text, const char *at,
		     const char *end, struct error *err)
{
	const size_t len = (size_t)(at - text);

	if (memchr(text, ':', len)) {
		error_set(
			err, ERR_USAGE,
			"a password cannot be part of it: it comes from --mqtt-password-file or MCPCTL_MQTT_PASSWORD");
		return perhaps_no_port(at, end, err);
	}
	e->user = mem_strndup(text, len);
	if (len == 0 || text_percent_decode(e->user))
		return error_set(err, ERR_USAGE,
				 "the user before '@' is no text");
	return 0;
}

/* "/ID" becomes the path ID. */
static int take_client_id(struct endpoint *e, const char *text, size_t len,
			  struct error *err)
{
	if (len < 2 || *text != '/')
		return error_set(
			err, ERR_USAGE,
			"the device's client id is missing (the broker's log shows it, the mqtt part of the OTA reply gives it; 'mcpctl devices' lists those that a running serve holds)");
	e->path = mem_strndup(text + 1, len - 1);
	if (text_percent_decode(e->path) ||
	    !text_is_utf8(e->path, strlen(e->path)))
		return error_set(err, ERR_USAGE,
				 "the client id '%.100s' is no text", e->path);
	return 0;
}

/* "up=TOPIC&down=TOPIC", either or both. */
static int take_topics(struct endpoint *e, const char *query, struct error *err)
{
	while (*query) {
		size_t len = strcspn(query, "&");
		bool up = strncmp(query, "up=", 3) == 0;
		char **to = up ? &e->topic_up : &e->topic_down;
		size_t skip = up ? 3 : 5;

		if (!up && strncmp(query, "down=", 5) != 0)
			return error_set(
				err, ERR_USAGE,
				"'%.*s' is neither up=TOPIC nor down=TOPIC",
				(int)(len < 60 ? len : 60), query);
		if (*to)
			return error_set(err, ERR_USAGE, "'%s' is given twice",
					 up ? "up" : "down");
		*to = mem_strndup(query + skip, len - skip);
		if (!**to || text_percent_decode(*to) ||
		    !text_is_utf8(*to, strlen(*to)))
			return error_set(err, ERR_USAGE,
					 "the topic of '%.*s' is no text",
					 (int)(len < 60 ? len : 60), query);
		query += len + (query[len] == '&');
	}
	return 0;
}

/* "//[USER@]HOST[:PORT]": *path is what stands behind it. */
static int take_broker(struct endpoint *e, const char *rest, const char **path,
		       struct error *err)
{
	const char *host, *at;
	size_t len = 0, skip = 0;

	if (check_url_text(rest, err))
		return -1;
	host = skip_slashes(rest, &len, err);
	if (!host)
		return -1;
	at = user_end(host);
	if (at) {
		if (take_user(e, host, at, host + len, err))
			return -1;
		skip = (size_t)(at - host) + 1;
	}
	*path = host + len;
	if (take_authority(e, host + skip, len - skip, err))
		return -1;
	if (strchr(*path, '#'))
		return error_set(err, ERR_USAGE,
				 "a '#' in an id or a topic is written %%23");
	return 0;
}

static int parse_mqtt(struct endpoint *e, const char *rest, struct error *err)
{
	const char *path;
	size_t len;

	if (take_broker(e, rest, &path, err))
		return -1;
	len = strcspn(path, "?");
	if (take_client_id(e, path, len, err))
		return -1;
	return path[len] ? take_topics(e, path + len + 1, err) : 0;
}

/* "args=plain" or "args=auto". */
static int take_args(struct endpoint *e, const char *query, struct error *err)
{
	e->plain_args = strcmp(query, "args=plain") == 0;
	if (e->plain_args || strcmp(query, "args=auto") == 0)
		return 0;
	return error_set(err, ERR_USAGE, "'%.60s' is not args=plain", query);
}

static int parse_mcp_mqtt(struct endpoint *e, const char *rest,
			  struct error *err)
{
	const char *path;
	size_t len;

	if (take_broker(e, rest, &path, err))
		return -1;
	len = strcspn(path, "?");
	e->path = mem_strndup(path + (*path == '/'), len - (*path == '/'));
	if (text_percent_decode(e->path) ||
	    !text_is_utf8(e->path, strlen(e->path)))
		return error_set(err, ERR_USAGE,
				 "the server '%.100s' is no text", e->path);
	if (*e->path && mcp_filter_check(e->path, err))
		return -1;
	return path[len] ? take_args(e, path + len + 1, err) : 0;
}

/* "PORT", "HOST:PORT" or nothing, of len bytes. */
static int take_listen(struct authority *out, const char *text, size_t len,
		       struct error *err)
{
	char copy[8] = "";
	int64_t port;

	if (len > 0 && len < sizeof(copy))
		memcpy(copy, text, len);
	if (!text_integer(copy, 0, UINT16_MAX, &port)) {
		*out = (struct authority){ .has_port = true,
					   .port = (uint16_t)port };
		return 0;
	}
	if (authority_parse(out, text, len, err))
		return -1;
	if (!out->has_port && len > 0)
		return error_set(
			err, ERR_USAGE,
			"'%.*s' is no port between 0 and 65535, nor HOST:PORT",
			(int)(len < 60 ? len : 60), text);
	return 0;
}

static int parse_listen(struct endpoint *e, const char *rest, struct error *err)
{
	size_t len = strcspn(rest, "/");
	const char *path = rest + len;
	struct authority a;

	if (check_url_text(rest, err))
		return -1;
	if (strncmp(path, "//", 2) == 0)
		return error_set(err, ERR_USAGE, "no '//' follows 'listen:'");
	if (path[strcspn(path, "?#")])
		return error_set(err, ERR_USAGE,
				 "the path '%.60s' has a '?' or '#'", path);
	if (take_listen(&a, rest, len, err))
		return -1;
	if (a.host[0])
		e->host = mem_strdup(a.host);
	e->has_port = a.has_port;
	if (a.has_port)
		e->port = a.port;
	e->path = mem_strdup(*path ? path : "/");
	return 0;
}

static int parse_stdio(struct endpoint *e, const char *rest, struct error *err)
{
	rest += strspn(rest, " \t");
	if (!*rest)
		return error_set(err, ERR_USAGE, "the command is missing");
	e->path = mem_strdup(rest);
	if (words_split(&e->argv, rest, err))
		return -1;
	if (e->argv.count == 0 || !*e->argv.word[0])
		return error_set(err, ERR_USAGE, "the command is missing");
	return 0;
}

static int parse_sim(struct endpoint *e, const char *rest, struct error *err)
{
	const char *query = strchr(rest, '?');

	(void)err;
	if (!query) {
		e->path = mem_strdup(rest);
		return 0;
	}
	e->path = mem_strndup(rest, (size_t)(query - rest));
	e->query = mem_strdup(query + 1);
	return 0;
}

static int parse_attach(struct endpoint *e, const char *rest, struct error *err)
{
	(void)err;
	e->path = mem_strdup(rest);
	return 0;
}

#define TLS_BRIEF "the same over TLS, verified (--cacert, --insecure)"
#define MCP_MQTT_SYNTAX \
	"[USER@]HOST[:PORT][/SERVER_ID/SERVER_NAME][?args=plain]"
#define MQTT_SYNTAX "[USER@]HOST[:PORT]/CLIENT_ID[?up=TOPIC&down=TOPIC]"

/* clang-format off */
const struct scheme schemes[] = {
	{ "attach", "attach:[SOCKET]",
	  "a device of a running 'mcpctl serve', which is also what no target at all means; -d picks one of several",
	  SCHEME_ATTACH, SCHEME_WAITS | SCHEME_DEVICE, 0, parse_attach },
	{ "listen", "listen:[[HOST:]PORT][/PATH]",
	  "wait for one device to dial in over WebSocket; the port (8000 if none is given) answers its OTA question too",
	  SCHEME_LISTEN, SCHEME_WAITS | SCHEME_DEVICE, LISTEN_PORT, parse_listen },
	{ "ws", "ws://HOST[:PORT][/PATH]",
	  "dial a WebSocket MCP server, as boards like otto-robot have one: ws://BOARD:8080/ws",
	  SCHEME_WEBSOCKET, 0, 80, parse_url },
	{ "wss", "wss://HOST[:PORT][/PATH]", TLS_BRIEF,
	  SCHEME_WEBSOCKET, SCHEME_TLS, 443, parse_url },
	{ "http", "http://HOST[:PORT][/PATH]",
	  "an MCP server over Streamable HTTP; one that only knows the older HTTP+SSE is found out",
	  SCHEME_HTTP, SCHEME_PLAIN, 80, parse_url },
	{ "https", "https://HOST[:PORT][/PATH]", TLS_BRIEF,
	  SCHEME_HTTP, SCHEME_PLAIN | SCHEME_TLS, 443, parse_url },
	{ "sse+http", "sse+http://HOST[:PORT][/PATH]",
	  "HTTP+SSE at once, without trying Streamable HTTP first",
	  SCHEME_HTTP, SCHEME_PLAIN | SCHEME_OLD_SSE, 80, parse_url },
	{ "sse+https", "sse+https://HOST[:PORT][/PATH]", TLS_BRIEF,
	  SCHEME_HTTP, SCHEME_PLAIN | SCHEME_OLD_SSE | SCHEME_TLS, 443, parse_url },
	{ "stdio", "stdio:COMMAND LINE",
	  "an MCP server that is started as a child process, its words split as a shell does; all behind '--' is the same without quotes",
	  SCHEME_CHILD, SCHEME_PLAIN, 0, parse_stdio },
	{ "mqtt", "mqtt://" MQTT_SYNTAX,
	  "a device at an MQTT broker that hands it messages without its subscribing (a plain broker cannot: use 'mcpctl serve --mqtt')",
	  SCHEME_MQTT, SCHEME_DEVICE, 1883, parse_mqtt },
	{ "mqtts", "mqtts://" MQTT_SYNTAX, TLS_BRIEF,
	  SCHEME_MQTT, SCHEME_DEVICE | SCHEME_TLS, 8883, parse_mqtt },
	{ "mcp+mqtt", "mcp+mqtt://" MCP_MQTT_SYNTAX,
	  "an MCP server at an MQTT 5 broker (MCP over MQTT); in the place of id and name a filter such as +/xiaozhi/%23, where one server fits, or none",
	  SCHEME_MCP_MQTT, SCHEME_PLAIN, 1883, parse_mcp_mqtt },
	{ "mcp+mqtts", "mcp+mqtts://" MCP_MQTT_SYNTAX, TLS_BRIEF,
	  SCHEME_MCP_MQTT, SCHEME_PLAIN | SCHEME_TLS, 8883, parse_mcp_mqtt },
	{ "sim", "sim:[PROFILE][?KEY=VALUE&...]",
	  "a simulated device inside mcpctl: no network and no hardware",
	  SCHEME_SIM, SCHEME_DEVICE, 0, parse_sim },
	{ .name = NULL }
};
/* clang-format on */

const struct scheme *scheme_find(const char *name, size_t len)
{
	for (const struct scheme *s = schemes; s->name; s++) {
		if (strlen(s->name) == len &&
		    strncasecmp(s->name, name, len) == 0)
			return s;
	}
	return NULL;
}

/* That which was probably meant; NULL. */
static const struct scheme *scheme_nearest(const char *name)
{
	const char *names[COUNT(schemes)] = { NULL }, *nearest;
	size_t count = 0;

	while (schemes[count].name) {
		names[count] = schemes[count].name;
		count++;
	}
	nearest = text_nearest(name, names, count);
	return nearest ? scheme_find(nearest, strlen(nearest)) : NULL;
}

int endpoint_parse_listen(const char *text, char **host, uint16_t *port,
			  struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(text);
	struct authority a;

	*host = NULL;
	if (!*text || take_listen(&a, text, strlen(text), err)) {
		if (!*text)
			error_set(err, ERR_USAGE, "the port is missing");
		error_prefix(err, "address '%.100s'", shown);
		return error_hint(err,
				  "expected PORT, HOST:PORT or [IPV6]:PORT");
	}
	if (a.host[0])
		*host = mem_strdup(a.host);
	*port = a.port;
	return 0;
}

/*
 * Targets taken apart. Knows nothing of what is behind them: no name is looked
 * up and no file opened.
 */

#define TARGET_MAX 8192
#define COMMAND_MAX ((size_t)256 * 1024)
#define STDIO "stdio:"

/* Where the host or a user in front of it begins; slashes may be missing. NULL. */
static const char *authority_of(const char *text)
{
	const char *slashes = strstr(text, "://");
	size_t name = strcspn(text, ":");
	const struct scheme *row = scheme_find(text, name);

	if (slashes)
		return slashes + 3;
	if (!row || !text[name])
		return text;
	if (row->kind == SCHEME_CHILD || row->kind == SCHEME_SIM ||
	    row->kind == SCHEME_ATTACH)
		return NULL;
	return text + name + 1 + strspn(text + name + 1, "/");
}

char *endpoint_without_password(const char *text)
{
	const char *host = authority_of(text);
	const char *colon, *at;

	if (!host)
		return mem_strdup(text);
	at = user_end(host);
	colon = at ? memchr(host, ':', (size_t)(at - host)) : NULL;
	if (!colon)
		return mem_strdup(text);
	return mem_printf("%.*s***%s", (int)(colon + 1 - text), text, at);
}

static int unknown_scheme(const char *text, const char *source,
			  struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *name = mem_strndup(text, strcspn(text, ":"));
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(text);
	const struct scheme *row = scheme_find(name, strlen(name));
	size_t behind = strlen(name) + 1;

	if (!strchr(text, ':')) {
		error_set(
			err, ERR_USAGE,
			"target '%.100s' has no scheme, such as ws: or listen:",
			text);
		behind--;
	} else {
		error_set(err, ERR_USAGE,
			  "target '%.100s' has the unknown scheme '%.40s'",
			  shown, name);
	}
	if (!row)
		row = scheme_nearest(name);
	if (row)
		return error_hint(err, "did you mean %s? (it came from %s)",
				  row->syntax, source);
	/* HOST:PORT; boards' doors are /ws, /mcp and /sse are HTTP's. */
	if (text[behind] >= '0' && text[behind] <= '9')
		return error_hint(
			err, "did you mean %s://%.100s? (it came from %s)",
			strstr(text, "/mcp") || strstr(text, "/sse") ? "http" :
								       "ws",
			shown, source);
	return error_hint(err,
			  "'mcpctl help targets' lists them (it came from %s)",
			  source);
}

static const struct scheme *scheme_of(const char *text)
{
	size_t len = strcspn(text, ":");

	return text[len] ? scheme_find(text, len) : NULL;
}

static size_t length_max(const struct scheme *row)
{
	return row && row->kind == SCHEME_CHILD ? COMMAND_MAX : TARGET_MAX;
}

int endpoint_read(struct endpoint *out, const char *text, const char *source,
		  struct error *err)
{
	const struct scheme *row = scheme_of(text);
	size_t max = length_max(row);

	*out = (struct endpoint){ 0 };
	if (strlen(text) > max)
		return error_set(err, ERR_USAGE,
				 "the target is longer than %zu bytes", max);
	if (!row)
		return error_set(err, ERR_USAGE, "its scheme is unknown");
	out->text = mem_strdup(text);
	out->source = mem_strdup(source);
	out->scheme = row;
	out->port = row->port;
	if (!row->parse(out, strchr(text, ':') + 1, err))
		return 0;
	endpoint_done(out);
	return -1;
}

int endpoint_parse(struct endpoint *out, const char *text, const char *source,
		   struct error *err)
{
	const struct scheme *row = scheme_of(text);
	CLEANUP(mem_free_ptr) char *shown = NULL;

	if (!endpoint_read(out, text, source, err))
		return 0;
	if (strlen(text) > length_max(row))
		return error_hint(err, "it came from %s", source);
	if (!row)
		return unknown_scheme(text, source, err);
	shown = endpoint_without_password(text);
	error_prefix(err, "target '%.100s'", shown);
	return error_hint(err, "expected %s (it came from %s)", row->syntax,
			  source);
}

bool endpoint_has(const struct endpoint *e, enum scheme_trait trait)
{
	return e->scheme && (e->scheme->traits & trait);
}

void endpoint_done(struct endpoint *e)
{
	mem_free(e->text);
	mem_free(e->source);
	mem_free(e->host);
	mem_free(e->user);
	mem_free(e->path);
	mem_free(e->query);
	mem_free(e->cacert);
	mem_free(e->advertise);
	mem_free(e->save_images);
	words_done(&e->allow_hosts);
	words_done(&e->allow_origins);
	words_done(&e->trusted_proxies);
	mem_free(e->device);
	mem_free(e->password);
	mem_free(e->topic_up);
	mem_free(e->topic_down);
	mem_free(e->cwd);
	mem_free(e->proxy);
	mem_free(e->held);
	mem_free(e->held_at);
	mem_free(e->oauth);
	headers_done(&e->headers);
	words_done(&e->tokens);
	words_done(&e->argv);
	words_done(&e->env);
	words_done(&e->resolve);
	*e = (struct endpoint){ 0 };
}

char *endpoint_child_text(char *const *words, size_t count)
{
	struct buf text = { 0 };

	buf_text(&text, STDIO);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			buf_char(&text, ' ');
		words_quote(&text, words[i]);
	}
	return buf_take(&text);
}

void endpoint_mcp_text(struct buf *out, const struct endpoint *at,
		       const char *id, const char *name)
{
	static const char plain[] = "-._~:@/";

	buf_printf(out, "%s://", at->scheme->name);
	if (at->user) {
		text_percent_encode(out, at->user, "-._~");
		buf_char(out, '@');
	}
	authority_print(out, at->host,
			at->port == at->scheme->port ? 0 : at->port);
	if (!id)
		return;
	buf_char(out, '/');
	text_percent_encode(out, id, plain);
	buf_char(out, '/');
	text_percent_encode(out, name, plain);
	buf_text(out, at->plain_args ? "?args=plain" : "");
}

int endpoint_mcp_none(const struct endpoint *at, struct error *err)
{
	CLEANUP(buf_done) struct buf fits = { 0 };

	if (*at->path)
		buf_printf(&fits, " that fits '%s'", at->path);
	if (at->device)
		buf_printf(&fits, "%s -d '%s'",
			   *at->path ? " and" : " that fits", at->device);
	error_set(err, ERR_CONNECT, "no MCP server%s is at the broker '%s'",
		  buf_string(&fits), at->host);
	return error_hint(
		err,
		at->wait ?
			"only what announces itself is found, and no such one came in that time" :
			"only what announces itself is found; --wait waits for one to come");
}
