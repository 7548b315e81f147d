/* SPDX-License-Identifier: MIT */
/* Who is known: tokens of boards, and those that were enrolled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "net/port.h"
#include "serve/aliases.h"
#include "serve/tokens.h"

/*
 * Which token opens the door to whom. No message here repeats one, and what is
 * not needed any more is wiped.
 */

#define FILE_MAX (1u << 20)

void tokens_done(struct tokens *t)
{
	for (size_t i = 0; i < t->count; i++) {
		mem_free(t->item[i].device);
		secret_free(t->item[i].token);
	}
	mem_free(t->item);
	*t = (struct tokens){ 0 };
}

static void add(struct tokens *t, const char *device, const char *token)
{
	t->item = mem_realloc(t->item, (t->count + 1) * sizeof(*t->item));
	t->item[t->count].device = mem_strdup(device);
	t->item[t->count++].token = mem_strdup(token);
}

/* Without a comment and the white space around; changes the line. */
static char *trim(char *line)
{
	size_t len;

	for (char *p = line; *p; p++) {
		if (*p == '#' && (p == line || strchr(" \t", p[-1]))) {
			*p = '\0';
			break;
		}
	}
	line += strspn(line, " \t");
	len = strlen(line);
	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	return line;
}

/* "TOKEN" or "DEVICE TOKEN". -1: a header could not carry it. */
static int add_line(struct tokens *t, char *line)
{
	char *token = line + strcspn(line, " \t");

	if (*token) {
		*token++ = '\0';
		token += strspn(token, " \t");
	} else {
		token = line;
	}
	if (text_has_control(line) || text_has_control(token))
		return -1;
	if (token == line || strcmp(line, "*") == 0)
		line = NULL;
	add(t, line, token);
	return 0;
}

static int bad_line(const char *path, size_t number, const char *why,
		    struct error *err)
{
	error_set(err, ERR_USAGE, "token file '%s', line %zu: %s", path, number,
		  why);
	return error_hint(
		err,
		"a line is TOKEN, for all devices, or DEVICE TOKEN, for one");
}

static int parse(struct tokens *t, struct buf *text, const char *path,
		 struct error *err)
{
	size_t at = 0;

	for (size_t number = 1; at < text->len; number++) {
		char *line = text->data + at;
		size_t len = strcspn(line, "\n");

		if (at + len < text->len && line[len] == '\0')
			return bad_line(path, number, "holds a NUL byte", err);
		at += len + 1;
		line[len] = '\0';
		line = trim(line);
		if (*line && add_line(t, line))
			return bad_line(path, number,
					"holds a control character", err);
	}
	if (t->count)
		return 0;
	error_set(err, ERR_USAGE, "the token file '%s' holds no token", path);
	return error_hint(
		err,
		"a line is TOKEN, for all devices, or DEVICE TOKEN, for one");
}

static int read_environment(struct tokens *t, struct error *err)
{
	const char *value = getenv("MCPCTL_TOKEN");

	if (!value || !*value)
		return 0;
	if (text_has_control(value))
		return error_set(
			err, ERR_USAGE,
			"the token in MCPCTL_TOKEN holds a control character");
	add(t, NULL, value);
	return 0;
}

int tokens_read(struct tokens *t, const char *file, struct error *err)
{
	CLEANUP(secret_wipe) struct buf text;
	struct tokens read = { 0 };
	int status;

	secret_init(&text, FILE_MAX);
	if (!file)
		status = read_environment(&read, err);
	else
		status = file_read(&text, "token file", file, err) ||
			 parse(&read, &text, file, err);
	tokens_done(status ? &read : t);
	if (!status)
		*t = read;
	return status ? -1 : 0;
}

enum token_verdict tokens_judge(const struct tokens *t, const char *device_id,
				const char *client_id, const char *given)
{
	bool fit = false, own = false, other = false;

	if (!t->count)
		return TOKEN_FITS;
	for (size_t i = 0; i < t->count; i++)
		own |= board_id_is(t->item[i].device, device_id, client_id);
	for (size_t i = 0; given && i < t->count; i++) {
		const struct token *item = &t->item[i];
		bool its = board_id_is(item->device, device_id, client_id);
		bool same = knock_token_fits(item->token, given);

		fit |= same && (own ? its : !item->device);
		other |= same && item->device && !its;
	}
	if (fit)
		return TOKEN_FITS;
	if (other)
		return TOKEN_OF_ANOTHER;
	return given ? TOKEN_WRONG : TOKEN_MISSING;
}

const char *tokens_for(const struct tokens *t, const char *device_id,
		       const char *client_id)
{
	const char *any = NULL;

	for (size_t i = 0; i < t->count; i++) {
		if (board_id_is(t->item[i].device, device_id, client_id))
			return t->item[i].token;
		if (!t->item[i].device && !any)
			any = t->item[i].token;
	}
	return any;
}

/* The file of enrolled boards. Who may enrol is the door's matter. */

#define FILE_MAX_ENROLLED (2u << 20)

static void empty(struct enrolled_board *b)
{
	mem_free(b->device_id);
	mem_free(b->client_id);
}

void enrolled_done(struct enrolled *e)
{
	for (size_t i = 0; i < e->count; i++)
		empty(&e->item[i]);
	mem_free(e->item);
	*e = (struct enrolled){ 0 };
}

const struct enrolled_board *enrolled_find(const struct enrolled *e,
					   const char *device_id)
{
	for (size_t i = 0; i < e->count; i++) {
		if (text_same(e->item[i].device_id, device_id))
			return &e->item[i];
	}
	return NULL;
}

bool enrolled_or_listed(const struct enrolled *e, const struct aliases *a,
			const char *device_id, const char *client_id)
{
	return aliases_name(a, device_id, client_id) ||
	       (device_id && enrolled_find(e, device_id));
}

bool enrolled_is_full(const struct enrolled *e)
{
	return e->count >= ENROLLED_MAX;
}

static void put(struct enrolled *e, const char *device_id,
		const char *client_id, int64_t at_ms, bool unkept)
{
	const struct enrolled_board *old = enrolled_find(e, device_id);
	struct enrolled_board *b;

	if (!old && enrolled_is_full(e))
		return;
	if (old) {
		b = &e->item[old - e->item];
		empty(b);
	} else {
		e->item = mem_grow(e->item, &e->capacity, e->count,
				   sizeof(*e->item));
		b = &e->item[e->count++];
	}
	*b = (struct enrolled_board){ mem_strdup(device_id),
				      mem_strdup(client_id), at_ms, unkept };
}

static void put_unkept(struct enrolled *e, const struct enrolled *before)
{
	for (size_t i = 0; i < before->count; i++) {
		const struct enrolled_board *b = &before->item[i];

		if (b->unkept)
			put(e, b->device_id, b->client_id, b->at_ms, true);
	}
}

static int bad_file(const char *file, const char *why, struct error *err)
{
	error_set(err, ERR_USAGE, "file of enrolled boards '%s': %s", file,
		  why);
	return error_hint(
		err,
		"remove it, and let the boards enrol again: serve --enroll");
}

static int parse_enrolled(struct enrolled *out, const struct buf *text,
			  const char *file, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(text), text->len, &why);
	const cJSON *member;

	if (!cJSON_IsObject(tree))
		return bad_file(file, tree ? "not a JSON object" : why.text,
				err);
	cJSON_ArrayForEach(member, tree) {
		const char *client_id = json_string(member, "client_id");
		int64_t at = 0;

		if (!client_id || json_integer(member, "at", &at))
			return bad_file(
				file, "an entry has no client_id and at", err);
		put(out, member->string, client_id, at, false);
	}
	return 0;
}

int enrolled_read(struct enrolled *e, const char *file, struct error *err)
{
	bool missing = !file || (access(file, F_OK) && errno == ENOENT);
	CLEANUP(buf_done) struct buf text;
	struct enrolled read = { 0 };
	bool bad;

	buf_init(&text, FILE_MAX_ENROLLED);
	bad = !missing &&
	      (file_read_found(&text, "file of enrolled boards", file, err) ||
	       parse_enrolled(&read, &text, file, err));
	if (!bad)
		put_unkept(&read, e);
	enrolled_done(bad ? &read : e);
	if (!bad)
		*e = read;
	return bad ? -1 : 0;
}

static int write_all(struct enrolled *e, const char *file, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_char(&text, '{');
	for (size_t i = 0; i < e->count; i++) {
		const struct enrolled_board *b = &e->item[i];

		buf_text(&text, i ? ",\n " : "\n ");
		buf_json_string(&text, b->device_id, strlen(b->device_id));
		buf_text(&text, ":{\"client_id\":");
		buf_json_string(&text, b->client_id, strlen(b->client_id));
		buf_printf(&text, ",\"at\":%lld}", (long long)b->at_ms);
	}
	buf_text(&text, "\n}\n");
	if (file_replace(file, 0600, text.data, text.len))
		return error_set(err, ERR_OUTPUT,
				 "cannot write the enrolled boards to '%s': %s",
				 file, strerror(errno));
	for (size_t i = 0; i < e->count; i++)
		e->item[i].unkept = false;
	return 0;
}

int enrolled_add(struct enrolled *e, const char *file, const char *device_id,
		 const char *client_id, int64_t now_ms, struct error *err)
{
	int status = file ? enrolled_read(e, file, err) : 0;

	put(e, device_id, client_id, now_ms, true);
	/* A file that cannot be understood is not written over. */
	return status || !file ? status : write_all(e, file, err);
}
