/* SPDX-License-Identifier: MIT */
/*
 * What every port of ours for boards needs, listen: and serve alike: who
 * knocks, what a board is told, the parts of a page, and who else listens
 * there.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "net/address.h"
#include "net/head.h"
#include "net/port_parts.h"

/*
 * The head of a request, understood. Nothing is answered and nothing kept
 * here.
 */

const char *knock_host(const struct front_head *head)
{
	const char *host = headers_get(head->headers, "Host");

	return host && head_is_host(host) ? host : head->local;
}

char *knock_value(const struct front_head *head, const char *name)
{
	const char *value = headers_get(head->headers, name);

	if (value && *value)
		return mem_strdup(value);
	return head_query_value(head->query, name);
}

char *knock_token(const struct front_head *head)
{
	char *token = knock_value(head, "Authorization");

	return token ? token : head_query_value(head->query, "token");
}

int knock_protocol_version(const struct front_head *head)
{
	CLEANUP(mem_free_ptr)
	char *text = knock_value(head, "Protocol-Version");
	int64_t version = 0;

	if (text)
		text_integer(text, 0, INT16_MAX, &version);
	return (int)version;
}

bool knock_token_fits(const char *token, const char *given)
{
	const char *bare = given ? given : "", *whole = bare;
	size_t len = strlen(token);
	bool fits;

	if (strncasecmp(bare, "Bearer ", 7) == 0)
		bare += 7;
	/*
	 * The whole value too: the firmware sends a token that has a space as
	 * it is (device.md 1.2), and it may begin with any word.
	 */
	fits = secret_same(token, len, bare, strlen(bare));
	fits |= secret_same(token, len, whole, strlen(whole));
	return fits && given;
}

bool knock_path_fits(const char *wanted, const char *path)
{
	size_t a = strlen(wanted), b = strlen(path);

	if (a > 1 && wanted[a - 1] == '/')
		a--;
	if (b > 1 && path[b - 1] == '/')
		b--;
	return a == b && strncmp(wanted, path, a) == 0;
}

char *knock_safe_path(const struct front_head *head)
{
	static const char *const secret[] = { "authorization=", "token=" };
	struct buf out = { 0 };
	const char *at = head->query;

	buf_text(&out, head->path);
	if (at)
		buf_char(&out, '?');
	while (at && *at) {
		size_t len = strcspn(at, "&"), shown = len;

		for (size_t i = 0; i < COUNT(secret); i++) {
			if (strncasecmp(at, secret[i], strlen(secret[i])) == 0)
				shown = strlen(secret[i]);
		}
		buf_add(&out, at, shown);
		if (shown < len)
			buf_text(&out, "***");
		if (at[len] == '&')
			buf_char(&out, '&');
		at += len + (at[len] == '&');
	}
	return buf_take(&out);
}

enum knock_wish knock_wish(const struct front_head *head)
{
	bool ota = knock_path_fits(OTA_PATH, head->path);
	bool posts = strcmp(head->method, "POST") == 0;
	bool reads = strcmp(head->method, "GET") == 0 ||
		     strcmp(head->method, "HEAD") == 0;

	if (!reads && !posts)
		return KNOCK_METHOD;
	if (ota && (posts || headers_get(head->headers, "Device-Id")))
		return KNOCK_OTA;
	if (knock_path_fits(OTA_PATH "activate", head->path))
		return KNOCK_ACTIVATE;
	if (reads && (ota || strcmp(head->path, "/") == 0))
		return KNOCK_PAGE;
	if (text_starts(head->path, "/favicon") ||
	    text_starts(head->path, "/apple-touch-icon"))
		return KNOCK_ICON;
	return KNOCK_OTHER;
}

const char *knock_noise(enum front_noise what)
{
	static const char *const texts[] = {
		[FRONT_TLS] =
			"something spoke TLS to this plain port: if that was the board, it was given https:// or wss://,\nand needs http:// and ws://",
		[FRONT_GARBAGE] = "something came that is no HTTP",
		[FRONT_BROKEN] =
			"a request was broken, could be read in two ways, or wanted another upgrade than WebSocket 13",
		[FRONT_HALF_UPGRADE] =
			"a WebSocket request came as HTTP/1.0 or without 'Connection: Upgrade': a proxy in front must pass all of it on\n(nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade)",
		[FRONT_SLOW] = "a request was begun and never finished",
		[FRONT_EMPTY] = NULL,
		[FRONT_TOO_LARGE] = "a request was too large",
		[FRONT_BODY_OF_STRANGER] =
			"a large body was refused: it showed no token, and no address for a picture",
		[FRONT_BODY_TOO_LARGE] = "a request was too large",
		[FRONT_CUT] = "a request ended amid its body",
		[FRONT_BUSY] = "a request was refused: too many at once",
	};

	return texts[what];
}

void knock_error(struct buf *out, const char *text)
{
	buf_text(out, "{\"error\":");
	buf_json_string(out, text, strlen(text));
	buf_text(out, "}\n");
}

static const char *status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} row[] = {
		{ 200, "OK" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 408, "Request Timeout" },
		{ 421, "Misdirected Request" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
	};

	for (unsigned i = 0; i < COUNT(row); i++) {
		if (row[i].status == status)
			return row[i].text;
	}
	return "Refused";
}

void knock_answer(struct buf *out, int status, const char *more,
		  struct span json)
{
	buf_printf(out,
		   "HTTP/1.1 %d %s\r\n%sContent-Type: application/json\r\n"
		   "Content-Length: %zu\r\nConnection: close\r\n\r\n",
		   status, status_text(status), more, json.len);
	buf_add(out, json.text, json.len);
}

void knock_refusal(struct buf *out, int status, const char *more,
		   const char *why)
{
	CLEANUP(buf_done) struct buf body = { 0 };

	knock_error(&body, why);
	knock_answer(out, status, more, (struct span){ body.data, body.len });
}

/*
 * The addresses that are told to people and to devices, and the question of a
 * board that came by one.
 */

#define ADDRESSES_MAX 8

static int bad_advertise(const char *text, struct error *err)
{
	error_set(err, ERR_USAGE,
		  "--advertise '%.100s' is no address that a device can dial",
		  text);
	return error_hint(err,
			  "expected HOST, HOST:PORT, or a ws:// or wss:// URL");
}

static char *ota_address(const struct endpoint *e)
{
	struct buf url = { 0 };

	buf_text(&url, endpoint_has(e, SCHEME_TLS) ? "https://" : "http://");
	authority_print(&url, e->host, e->has_port ? e->port : 0);
	buf_text(&url, OTA_PATH);
	return buf_take(&url);
}

/* A URL stays as it is; only a path that is missing is added. */
static int advertise_url(const char *text, const char *path, char **ws_url,
			 char **ota_url, struct error *err)
{
	const char *host = strstr(text, "//") + 2;
	struct endpoint e;

	if (!text_starts(text, "ws://") && !text_starts(text, "wss://"))
		return bad_advertise(text, err);
	if (endpoint_parse(&e, text, "--advertise", err))
		return -1;
	*ws_url =
		mem_printf("%s%s", text, host[strcspn(host, "/?")] ? "" : path);
	*ota_url = ota_address(&e);
	endpoint_done(&e);
	return 0;
}

int ota_advertise(const char *text, uint16_t port, const char *path,
		  char **ws_url, char **ota_url, struct error *err)
{
	CLEANUP(buf_done) struct buf where = { 0 };
	struct authority a;

	*ws_url = *ota_url = NULL;
	if (strstr(text, "://"))
		return advertise_url(text, path, ws_url, ota_url, err);
	if (!head_is_host(text) ||
	    authority_parse(&a, text, strlen(text), NULL))
		return bad_advertise(text, err);
	authority_print(&where, a.host, a.has_port ? a.port : port);
	*ws_url = mem_printf("ws://%s%s", buf_string(&where), path);
	*ota_url = mem_printf("http://%s" OTA_PATH, buf_string(&where));
	return 0;
}

static void add_address(struct words *out, const char *host, uint16_t port)
{
	CLEANUP(buf_done) struct buf at = { 0 };

	authority_print(&at, host, port);
	words_add(out, buf_string(&at));
}

void open_addresses(struct words *out, const char *host, uint16_t port)
{
	char found[ADDRESSES_MAX][64];
	size_t count;

	if (host && strcmp(host, "0.0.0.0") != 0 && strcmp(host, "::") != 0) {
		add_address(out, host, port);
		return;
	}
	count = local_addresses(found, ADDRESSES_MAX);
	for (size_t i = 0; i < count; i++)
		add_address(out, found[i], port);
	if (count == 0)
		add_address(out, "127.0.0.1", port);
}

void ota_addresses(struct words *out, const char *host, uint16_t port)
{
	CLEANUP(words_done) struct words at = { 0 };

	open_addresses(&at, host, port);
	for (size_t i = 0; i < at.count; i++) {
		CLEANUP(mem_free_ptr)
		char *url = mem_printf("http://%s" OTA_PATH, at.word[i]);

		words_add(out, url);
	}
}

static void copy(char *out, size_t size, const struct headers *h,
		 const char *name)
{
	const char *value = headers_get(h, name);

	snprintf(out, size, "%s", value ? value : "");
}

int ota_read(struct ota_request *out, const struct front_head *head,
	     const char *body, size_t len, struct error *err)
{
	const struct headers *h = head->headers;

	*out = (struct ota_request){ 0 };
	copy(out->device_id, sizeof(out->device_id), h, "Device-Id");
	copy(out->client_id, sizeof(out->client_id), h, "Client-Id");
	copy(out->language, sizeof(out->language), h, "Accept-Language");
	copy(out->user_agent, sizeof(out->user_agent), h, "User-Agent");
	copy(out->serial, sizeof(out->serial), h, "Serial-Number");
	return ota_request_decode(out, body, len, err);
}

/* "board/version" is what firmware sends as its User-Agent (device.md 5.1). */
void ota_board(struct ota_board *out, const struct ota_request *rq)
{
	const char *slash = strchr(rq->user_agent, '/');
	const char *version = rq->version;
	int name = slash ? (int)(slash - rq->user_agent) : 0;

	if (!*version && slash)
		version = slash + 1;
	if (rq->board_name[0] || rq->board_type[0])
		snprintf(out->name, sizeof(out->name), "%s",
			 rq->board_name[0] ? rq->board_name : rq->board_type);
	else
		snprintf(out->name, sizeof(out->name), "%.*s", name,
			 rq->user_agent);
	snprintf(out->version, sizeof(out->version), "%.*s",
		 (int)sizeof(out->version) - 1, version);
}

void ota_describe(struct buf *out, const struct ota_request *rq)
{
	struct ota_board board;

	ota_board(&board, rq);
	buf_text(out, "asked OTA");
	if (board.name[0])
		buf_printf(out, ": board '%s'", board.name);
	if (board.version[0])
		buf_printf(out, "%s version %s", board.name[0] ? "," : ":",
			   board.version);
	if (rq->compile_time[0])
		buf_printf(out, " (%s)", rq->compile_time);
}

/*
 * The parts of a page. What is said on it is its owner's matter.
 */

void page_start(struct buf *out)
{
	buf_text(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>mcpctl</title></head>\n<body>\n<h1>mcpctl</h1>\n");
}

void page_end(struct buf *out)
{
	buf_text(out, "</body></html>\n");
}

void page_text(struct buf *out, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	text_safe(&safe, text, strlen(text), TEXT_NAME);
	for (const char *p = buf_string(&safe); *p; p++) {
		if (strchr("<>&\"'", *p))
			buf_printf(out, "&#%u;", (unsigned)*p);
		else
			buf_char(out, *p);
	}
}

void page_address(struct buf *out, const char *host)
{
	buf_text(out, "<p><b>http://");
	page_text(out, host);
	buf_text(out, OTA_PATH "</b></p>\n");
}

/*
 * Loads what a listening port is made of. Opens none.
 */

int port_parts_load(const struct front_table **front,
		    const struct ws_table **ws, struct error *err)
{
	*front = module_table("front", FRONT_TABLE, err);
	*ws = *front ? module_table("ws", WS_TABLE, err) : NULL;
	return *ws ? 0 : -1;
}

/*
 * Finds the process that listens on a port: its socket's inode in
 * /proc/net/tcp*, then the process that has this inode open.
 */

#define STATE_LISTEN 0x0A
#define STATE_UNCONNECTED 0x07 /* of UDP */

/* The start of the n-th word (from 0) of a line, NULL if it has fewer. */
static const char *word_at(const char *line, int n)
{
	for (;;) {
		line += strspn(line, " ");
		if (!*line || *line == '\n')
			return NULL;
		if (n-- == 0)
			return line;
		line += strcspn(line, " \n");
	}
}

static unsigned long inode_of(const char *line, uint16_t port,
			      unsigned long wanted)
{
	const char *local = word_at(line, 1), *state = word_at(line, 3);
	const char *inode = word_at(line, 9), *colon;

	if (!local || !state || !inode)
		return 0;
	colon = strchr(local, ':');
	if (!colon || strtoul(colon + 1, NULL, 16) != port ||
	    strtoul(state, NULL, 16) != wanted)
		return 0;
	return strtoul(inode, NULL, 10);
}

unsigned long port_owner_inode(const char *line, uint16_t port)
{
	return inode_of(line, port, STATE_LISTEN);
}

static unsigned long find_inode(const char *root, const char *table,
				uint16_t port, unsigned long state)
{
	CLEANUP(mem_free_ptr)
	char *path = mem_printf("%s/proc/net/%s", root, table);
	unsigned long inode = 0;
	FILE *file = fopen(path, "re");
	char line[512];

	if (!file)
		return 0;
	while (!inode && fgets(line, sizeof(line), file))
		inode = inode_of(line, port, state);
	fclose(file);
	return inode;
}

static bool process_has(const char *root, const char *pid, const char *link)
{
	CLEANUP(mem_free_ptr)
	char *path = mem_printf("%s/proc/%s/fd", root, pid);
	char target[64];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		ssize_t len = readlinkat(dirfd(fds), entry->d_name, target,
					 sizeof(target) - 1);

		if (len <= 0)
			continue;
		target[len] = '\0';
		found = strcmp(target, link) == 0;
	}
	closedir(fds);
	return found;
}

static void read_program(const char *root, const char *pid, char *out,
			 size_t size)
{
	CLEANUP(mem_free_ptr)
	char *path = mem_printf("%s/proc/%s/comm", root, pid);
	FILE *file;

	snprintf(out, size, "?");
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(out, (int)size, file))
		out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

/* Which one, but that, has what this link of its descriptors leads to. */
static void find_process(const char *root, const char *link, int64_t but,
			 struct port_owner *out)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/proc", root);
	struct dirent *entry;
	int64_t pid;
	DIR *proc = opendir(path);

	if (!proc)
		return;
	while (!out->pid && (entry = readdir(proc))) {
		if (text_integer(entry->d_name, 1, INT32_MAX, &pid) ||
		    pid == but || !process_has(root, entry->d_name, link))
			continue;
		out->pid = (int)pid;
		read_program(root, entry->d_name, out->program,
			     sizeof(out->program));
	}
	closedir(proc);
}

bool port_owner_read(const char *root, uint16_t port, bool udp,
		     struct port_owner *out)
{
	unsigned long state = udp ? STATE_UNCONNECTED : STATE_LISTEN;
	unsigned long inode =
		find_inode(root, udp ? "udp" : "tcp", port, state);

	char link[48];

	*out = (struct port_owner){ 0 };
	if (!inode)
		inode = find_inode(root, udp ? "udp6" : "tcp6", port, state);
	snprintf(link, sizeof(link), "socket:[%lu]", inode);
	if (inode)
		find_process(root, link, 0, out);
	return inode != 0;
}

bool path_owner_find(const char *path, struct port_owner *out)
{
	*out = (struct port_owner){ 0 };
	find_process("", path, getpid(), out);
	return out->pid != 0;
}

bool port_owner_find(uint16_t port, struct port_owner *out)
{
	return port_owner_read("", port, false, out) && out->pid;
}

bool port_owner_find_udp(uint16_t port, struct port_owner *out)
{
	return port_owner_read("", port, true, out) && out->pid;
}
