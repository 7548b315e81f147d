/* SPDX-License-Identifier: MIT */
/* The head of an HTTP request, and lists of header fields. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/head.h"

/*
 * Reads the head of an HTTP request out of a buffer that is only lent. Not an
 * HTTP parser for serving: libmicrohttpd and libwebsockets are.
 */

#define METHOD_MAX 24
#define HOST_MAX 200
#define KEY_MAX 64

static bool is_token_char(char c)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9'))
		return true;
	return c && strchr("!#$%&'*+-.^_`|~", c);
}

static bool is_token(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!is_token_char(text[i]))
			return false;
	}
	return len > 0;
}

/* "METHOD TARGET HTTP/1.1" without its line end. */
static bool is_request_line(const char *line, size_t len)
{
	const char *space = memchr(line, ' ', len), *target, *end;
	size_t left;

	if (!space || space - line > METHOD_MAX ||
	    !is_token(line, (size_t)(space - line)))
		return false;
	target = space + 1;
	left = len - (size_t)(target - line);
	end = memchr(target, ' ', left);
	if (!end || end == target)
		return false;
	for (const char *p = target; p < end; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	}
	left -= (size_t)(end - target);
	return left == 9 && memcmp(end, " HTTP/", 6) == 0 && end[6] >= '0' &&
	       end[6] <= '9' && end[7] == '.' && end[8] >= '0' && end[8] <= '9';
}

/* Can this still become a request line? */
static bool may_be_request(const char *data, size_t len)
{
	size_t n = 0;

	while (n < len && data[n] != ' ') {
		if (n >= METHOD_MAX || !is_token_char(data[n]))
			return false;
		n++;
	}
	return len == 0 || data[0] != ' ';
}

/* The next line of [*at, len): its text without the line end. False: no whole line. */
static bool next_line(const char *data, size_t len, size_t *at,
		      struct span *line, bool *bare)
{
	const char *start = data + *at;
	const char *end = memchr(start, '\n', len - *at);

	if (!end)
		return false;
	line->text = start;
	line->len = (size_t)(end - start);
	if (line->len > 0 && start[line->len - 1] == '\r')
		line->len--;
	else
		*bare = true;
	*at += (size_t)(end - start) + 1;
	return true;
}

static int add_field(struct headers *h, struct span line)
{
	const char *colon = memchr(line.text, ':', line.len);
	CLEANUP(mem_free_ptr) char *name = NULL, *value = NULL;
	const char *start, *end = line.text + line.len;

	if (!colon || !is_token(line.text, (size_t)(colon - line.text)))
		return -1;
	start = colon + 1;
	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	for (const char *p = start; p < end; p++) {
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return -1;
	}
	name = mem_strndup(line.text, (size_t)(colon - line.text));
	value = mem_strndup(start, (size_t)(end - start));
	headers_add(h, name, value);
	return 0;
}

#define ABSOLUTE "http://"

char *head_target_host(const char *target, size_t len)
{
	const size_t before = sizeof(ABSOLUTE) - 1;
	const char *slash;

	if (len <= before || strncmp(target, ABSOLUTE, before) != 0)
		return NULL;
	slash = memchr(target + before, '/', len - before);
	return mem_strndup(target + before,
			   slash ? (size_t)(slash - target) - before :
				   len - before);
}

void head_split_target(const char *target, size_t len, char **path,
		       char **query)
{
	CLEANUP(mem_free_ptr) char *host = head_target_host(target, len);
	const char *mark;

	if (host) {
		size_t before = sizeof(ABSOLUTE) - 1 + strlen(host);

		target += before;
		len -= before;
	}
	*query = NULL;
	if (len == 0) {
		*path = mem_strdup("/");
		return;
	}
	mark = memchr(target, '?', len);
	if (!mark) {
		*path = mem_strndup(target, len);
		return;
	}
	*path = mem_strndup(target, (size_t)(mark - target));
	*query = mem_strndup(mark + 1, len - (size_t)(mark - target) - 1);
}

static void take_request_line(struct head *out, struct span line)
{
	const char *space = memchr(line.text, ' ', line.len);
	const char *target = space + 1;
	/* " HTTP/1.1" is nine bytes, is_request_line has seen to it. */
	size_t len = line.len - (size_t)(target - line.text) - 9;

	out->method = mem_strndup(line.text, (size_t)(space - line.text));
	head_split_target(target, len, &out->path, &out->query);
	out->target_host = head_target_host(target, len);
	out->http_1_0 = line.text[line.len - 1] == '0';
}

/* Where the empty line ends; 0 if it is not there yet. */
static size_t find_end(const char *data, size_t len)
{
	struct span line;
	bool bare = false;
	size_t at = 0;

	while (next_line(data, len, &at, &line, &bare)) {
		if (line.len == 0)
			return at;
	}
	return 0;
}

static enum head_state fill(struct head *out, const char *data, size_t len)
{
	struct span line = { "", 0 };
	size_t at = 0;

	if (!next_line(data, len, &at, &line, &out->bare_newlines))
		return HEAD_MORE;
	take_request_line(out, line);
	while (next_line(data, len, &at, &line, &out->bare_newlines)) {
		if (line.len == 0)
			break;
		if (add_field(&out->headers, line)) {
			head_done(out);
			return HEAD_BAD;
		}
	}
	out->length = len;
	return HEAD_READY;
}

enum head_state head_parse(struct head *out, const char *data, size_t len)
{
	struct span line;
	bool bare = false;
	size_t at = 0, end;

	*out = (struct head){ 0 };
	if (len > 0 && data[0] == 0x16) {
		if (len == 1)
			return HEAD_MORE;
		return data[1] == 0x03 ? HEAD_TLS : HEAD_GARBAGE;
	}
	if (!may_be_request(data, len))
		return HEAD_GARBAGE;
	if (!next_line(data, len, &at, &line, &bare))
		return HEAD_MORE;
	if (!is_request_line(line.text, line.len))
		return HEAD_GARBAGE;
	end = find_end(data, len);
	if (!end)
		return HEAD_MORE;
	return fill(out, data, end);
}

void head_done(struct head *h)
{
	mem_free(h->method);
	mem_free(h->path);
	mem_free(h->query);
	mem_free(h->target_host);
	headers_done(&h->headers);
	*h = (struct head){ 0 };
}

static size_t count_fields(const struct headers *h, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count += text_same(h->item[i].name, name);
	return count;
}

static bool is_length(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits > 0 && digits < 20 && !text[digits];
}

static const char *host_problem(const struct headers *fields,
				const char *target_host, bool http_1_0)
{
	const char *host = headers_get(fields, "Host");
	struct authority a;

	if (count_fields(fields, "Host") > 1)
		return "Host came twice";
	if (!host)
		return http_1_0 ? NULL : "Host is missing";
	if (target_host && !text_same(target_host, host))
		return "Host is another than that of the target";
	return authority_parse(&a, host, strlen(host), NULL) || !a.host[0] ?
		       "Host is no HOST[:PORT]" :
		       NULL;
}

static const char *length_problem(const struct headers *fields, bool http_1_0)
{
	const char *length = headers_get(fields, "Content-Length");
	const char *encoding = headers_get(fields, "Transfer-Encoding");

	if (count_fields(fields, "Content-Length") > 1)
		return "Content-Length came twice";
	if (length && !is_length(length))
		return "Content-Length is no number of bytes";
	if (!encoding)
		return NULL;
	if (length)
		return "Content-Length and Transfer-Encoding exclude each other";
	if (http_1_0)
		return "HTTP/1.0 has no Transfer-Encoding";
	return count_fields(fields, "Transfer-Encoding") > 1 ||
			       !text_same(encoding, "chunked") ?
		       "the only Transfer-Encoding spoken here is chunked" :
		       NULL;
}

const char *head_problem(const struct headers *fields, const char *target_host,
			 bool http_1_0)
{
	const char *problem = host_problem(fields, target_host, http_1_0);

	for (size_t i = 0; i < fields->count && !problem; i++) {
		const char *name = fields->item[i].name;

		if (!is_token(name, strlen(name)))
			problem = "the name of a header is broken";
		else if (!header_value_fits(fields->item[i].value))
			problem = "the value of a header is broken";
	}
	return problem ? problem : length_problem(fields, http_1_0);
}

static bool is_key(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < len; i++) {
		if (!is_token_char(key[i]) && key[i] != '/' && key[i] != '=')
			return false;
	}
	return len > 0 && len <= KEY_MAX;
}

/* NULL, or why this request for a WebSocket cannot be one. */
static const char *websocket_problem(const struct head *h)
{
	const struct headers *fields = &h->headers;
	const char *version = headers_get(fields, "Sec-WebSocket-Version");
	const char *key = headers_get(fields, "Sec-WebSocket-Key");

	if (strcmp(h->method, "GET") != 0)
		return "a WebSocket upgrade must be a GET";
	if (h->http_1_0)
		return "a WebSocket upgrade needs HTTP/1.1";
	if (!headers_have(fields, "Connection", "upgrade"))
		return "a WebSocket upgrade needs 'Connection: Upgrade'";
	if (!version || strcmp(version, "13") != 0)
		return "only Sec-WebSocket-Version 13 is spoken here";
	if (!key || !is_key(key))
		return "Sec-WebSocket-Key is missing or no base64";
	if (headers_get(fields, "Content-Length") ||
	    headers_get(fields, "Transfer-Encoding"))
		return "a WebSocket upgrade has no body";
	if (count_fields(fields, "Upgrade") > 1 ||
	    count_fields(fields, "Sec-WebSocket-Key") > 1 ||
	    count_fields(fields, "Sec-WebSocket-Version") > 1)
		return "a header of the WebSocket upgrade came twice";
	if (h->bare_newlines)
		return "header lines must end with CR LF";
	return NULL;
}

enum head_upgrade head_upgrade(const struct head *h, const char **reason)
{
	const char *upgrade = headers_get(&h->headers, "Upgrade");

	*reason = NULL;
	if (!upgrade)
		return HEAD_NO_UPGRADE;
	if (!text_same(upgrade, "websocket"))
		*reason = "the only upgrade spoken here is websocket";
	else
		*reason = websocket_problem(h);
	return *reason ? HEAD_REFUSE : HEAD_WEBSOCKET;
}

char *head_query_value(const char *query, const char *name)
{
	size_t name_len = strlen(name);
	char *value;

	while (query && *query) {
		size_t len = strcspn(query, "&");

		if (len > name_len && query[name_len] == '=' &&
		    strncasecmp(query, name, name_len) == 0) {
			value = mem_strndup(query + name_len + 1,
					    len - name_len - 1);
			for (char *p = value; *p; p++)
				*p = (char)(*p == '+' ? ' ' : *p);
			if (!text_percent_decode(value))
				return value;
			mem_free(value);
			return NULL;
		}
		query += len + (query[len] == '&');
	}
	return NULL;
}

bool head_is_host(const char *text)
{
	struct authority a;
	size_t len = strlen(text);

	if (len == 0 || len > HOST_MAX || authority_parse(&a, text, len, NULL))
		return false;
	/* A leading '-' or '.' is no name; port 0 leads nowhere. */
	if (!a.host[0] || a.host[0] == '-' || a.host[0] == '.')
		return false;
	return !(a.has_port && a.port == 0);
}

/*
 * A list of header fields in the order in which they came. Names are compared
 * without case; nothing is joined here.
 */

#define HEADERS_MAX 49152

void headers_add(struct headers *h, const char *name, const char *value)
{
	struct header *item;

	h->item = mem_grow(h->item, &h->capacity, h->count, sizeof(*h->item));
	item = &h->item[h->count++];
	item->name = mem_strdup(name);
	item->value = mem_strdup(value);
}

const char *headers_get(const struct headers *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++) {
		if (text_same(h->item[i].name, name))
			return h->item[i].value;
	}
	return NULL;
}

static bool has_token(const char *value, const char *word)
{
	size_t len = strlen(word);

	while (value && *value) {
		const char *comma = strchr(value, ',');
		const char *end = comma ? comma : value + strlen(value);
		const char *start = value;

		while (start < end && (*start == ' ' || *start == '\t'))
			start++;
		while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		if ((size_t)(end - start) == len &&
		    strncasecmp(start, word, len) == 0)
			return true;
		value = comma ? comma + 1 : NULL;
	}
	return false;
}

char *headers_list(const struct headers *h, const char *name)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < h->count; i++) {
		if (!text_same(h->item[i].name, name))
			continue;
		if (out.len)
			buf_text(&out, ", ");
		buf_text(&out, h->item[i].value);
	}
	return out.len ? buf_take(&out) : NULL;
}

bool headers_have(const struct headers *h, const char *name, const char *word)
{
	for (size_t i = 0; i < h->count; i++) {
		if (text_same(h->item[i].name, name) &&
		    has_token(h->item[i].value, word))
			return true;
	}
	return false;
}

bool headers_mention(const struct headers *h, const char *name,
		     const char *part)
{
	for (size_t i = 0; i < h->count; i++) {
		if (text_same(h->item[i].name, name) &&
		    text_find(h->item[i].value, part))
			return true;
	}
	return false;
}

void headers_done(struct headers *h)
{
	for (size_t i = 0; i < h->count; i++) {
		mem_free(h->item[i].name);
		mem_free(h->item[i].value);
	}
	mem_free(h->item);
	*h = (struct headers){ 0 };
}

bool header_name_fits(const char *name)
{
	for (const char *p = name; *p; p++) {
		if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f ||
		    strchr("()<>@,;:\\\"/[]?={}", *p))
			return false;
	}
	return *name;
}

bool header_value_fits(const char *value)
{
	for (const char *p = value; *p; p++) {
		if (((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f)
			return false;
	}
	return true;
}

static bool is_among(const char *const *names, const char *name)
{
	while (*names && !text_same(*names, name))
		names++;
	return *names;
}

int headers_check(const struct headers *h, const char *const *ours,
		  const char *setter, struct error *err)
{
	size_t total = 0;

	for (size_t i = 0; i < h->count; i++) {
		const char *name = h->item[i].name, *value = h->item[i].value;

		if (!header_name_fits(name) || !header_value_fits(value))
			return error_set(err, ERR_USAGE,
					 "the header '%.60s' cannot be sent",
					 name);
		if (is_among(ours, name))
			return error_set(
				err, ERR_USAGE,
				"the header '%.60s' is set by the %s itself",
				name, setter);
		total += strlen(name) + strlen(value) + 4;
	}
	if (total > HEADERS_MAX)
		return error_set(err, ERR_USAGE, "the headers are too long");
	return 0;
}
