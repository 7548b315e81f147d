/* SPDX-License-Identifier: MIT */
/*
 * Finding secrets by the words that stand before them. It would rather hide
 * too much than too little.
 */
#include "base/mask.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/json_quote.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"

#define HIDDEN "***"

/* Whole names: "progressToken" and "nextPageToken" are no secrets. */
static const char *const members[] = {
	"token",	"access_token",	    "refresh_token", "authorization",
	"password",	"passwd",	    "secret",	     "client_secret",
	"api_key",	"apikey",	    "x-api-key",     "accesstoken",
	"refreshtoken", "clientsecret",	    "id_token",	     "idtoken",
	"auth_token",	"authtoken",	    "x-auth-token",  "bearer_token",
	"access_key",	"session_token",    "private_key",   "passphrase",
	"cookie",	"client_assertion", "code_verifier", "wifi_password"
};
/* What decrypts the audio of a voice session, in the object "udp" of a hello. */
static const char *const udp_members[] = { "key", "nonce" };
/*
 * In the name of a header or parameter; before '=' or ':=' names that end in
 * one of them, too.
 */
static const char *const words[] = { "token",	"authorization", "password",
				     "passwd",	"passphrase",	 "secret",
				     "api_key", "api-key",	 "apikey" };
/* Names of parameters in a URL, as those of members are. */
static const char *const parameters[] = { "key",
					  "auth",
					  "sig",
					  "signature",
					  "pass",
					  "pwd",
					  "x-amz-signature",
					  "x-goog-signature" };
/* In front of one; the last two as HTML and JSON write it. */
static const char *const separators[] = { "?", "&", "&amp;", "\\u0026" };
/* Not "Basic " alone: descriptions of tools begin with that word. */
static const char *const leads[] = { "Bearer ", "Authorization: Basic " };
/* In front of what serve hands out for one picture, which is so long. */
static const char upload[] = "/upload/";
#define UPLOAD_TOKEN 32
/* What all of these begin with; a password in an address: see may_begin. */
static const char first_bytes[] = "\"\\BbTtAaPpSs?&/";

struct mask_scan {
	const char *at, *end;
	const char *begin; /* of the text; NULL: nothing stands before at */
	struct mask_names *names; /* NULL */
	const char *udp_end; /* of the object "udp" that at is in; NULL */
	/* Of the word in which an address was found, and its last '@'; NULL. */
	const char *word_end, *last_at;
	/* If set: a copy of from to to, whose secrets become stars. */
	char *window;
	const char *from, *to;
};

/* ---- names ---- */

struct mask_name {
	uint64_t key;
	size_t number;
};

struct mask_names {
	struct map map;
	unsigned scope;
};

struct mask_names *mask_names_new(void)
{
	return mem_zalloc(sizeof(struct mask_names));
}

void mask_names_free(struct mask_names *names)
{
	struct mask_name *name;
	size_t at = 0;

	if (!names)
		return;
	while ((name = map_each(&names->map, &at)))
		mem_free(name);
	map_done(&names->map);
	mem_free(names);
}

void mask_names_from(struct mask_names *names, unsigned scope)
{
	names->scope = scope;
}

size_t mask_names_count(const struct mask_names *names)
{
	return names->map.count;
}

/* 0: there are too many. */
static size_t number_of(struct mask_names *names, uint64_t key)
{
	struct mask_name *name;
	size_t at = 0;

	while ((name = map_find(&names->map, key, &at)))
		if (name->key == key)
			return name->number;
	if (names->map.count == MASK_NAMES_MAX)
		return 0;
	name = mem_zalloc(sizeof(*name));
	name->key = key;
	name->number = names->map.count + 1;
	map_add(&names->map, key, name);
	return name->number;
}

/* *** alone says of two secrets nothing; ***5 is the same within its file. */
static bool is_hidden(const char *text, size_t len, bool *numbered)
{
	size_t at = strlen(HIDDEN);

	if (len < at || strncmp(text, HIDDEN, at) != 0)
		return false;
	/* Only stars: of a window. */
	while (at < len && text[at] == '*')
		at++;
	*numbered = len > at;
	for (; at < len; at++)
		if (!isdigit((unsigned char)text[at]))
			return false;
	return true;
}

/* A scheme in front is no part of it. */
static size_t scheme_length(const char *text, size_t len)
{
	static const char *const schemes[] = { "Bearer ", "Basic " };

	for (size_t i = 0; i < COUNT(schemes); i++) {
		size_t own = strlen(schemes[i]);

		if (len > own && strncasecmp(text, schemes[i], own) == 0)
			return own;
	}
	return 0;
}

void mask_whole(struct buf *out, const char *secret, size_t len,
		struct mask_names *names)
{
	size_t scheme = scheme_length(secret, len), number = 0;
	bool numbered = true, hidden;

	secret += scheme;
	len -= scheme;
	if (len == 0)
		return;
	hidden = is_hidden(secret, len, &numbered);
	if (!names && hidden) {
		buf_add(out, secret, len);
		return;
	}
	if (names && hidden && numbered) {
		CLEANUP(mem_free_ptr)
		char *whose =
			mem_printf("%u %.*s", names->scope, (int)len, secret);

		number = number_of(names, map_hash_text(whose));
	} else if (names && numbered) {
		number = number_of(names, map_hash(secret, len));
	}
	buf_text(out, HIDDEN);
	if (number)
		buf_printf(out, "%zu", number);
}

size_t mask_scheme(const char *value, size_t len)
{
	static const char *const schemes[] = { "Bearer ", "Basic ", "Digest " };

	for (size_t i = 0; i < COUNT(schemes); i++)
		if (len > strlen(schemes[i]) &&
		    strncasecmp(value, schemes[i], strlen(schemes[i])) == 0)
			return strlen(schemes[i]);
	return 0;
}

static bool is_one_of(const char *name, const char *const *which, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(name, which[i]) == 0)
			return true;
	return false;
}

static bool is_secret_whole(const char *name)
{
	return is_one_of(name, members, COUNT(members)) ||
	       is_one_of(name, parameters, COUNT(parameters));
}

bool mask_is_secret(const char *name)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (text_find(name, words[i]))
			return true;
	return is_secret_whole(name) || text_find(name, "cookie");
}

/* ---- the scan ---- */

/* Most words are not there by their first byte. */
static bool starts(const struct mask_scan *s, const char *word)
{
	size_t len;

	if (s->at == s->end || text_lower(*s->at) != text_lower(*word))
		return false;
	len = strlen(word);
	return (size_t)(s->end - s->at) >= len &&
	       strncasecmp(s->at, word, len) == 0;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && isdigit((unsigned char)*p))
		p++;
	return p;
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

/* Where the value of the member of that name begins, NULL if none follows. */
static const char *member_value(const struct mask_scan *s, const char *name,
				size_t quote)
{
	const struct mask_scan in = { .at = s->at + quote, .end = s->end };
	if (!starts(&in, name))
		return NULL;
	const char *p = in.at + strlen(name);
	if (json_quote_length(p, s->end) != quote)
		return NULL;
	p = skip_space(p + quote, s->end);
	if (p == s->end || *p != ':')
		return NULL;
	return skip_space(p + 1, s->end);
}

/* Where the text of the member's value begins, NULL if it is no text. */
static const char *value_start(const struct mask_scan *s, const char *name,
			       size_t quote)
{
	const char *p = member_value(s, name, quote);

	return p && json_quote_length(p, s->end) == quote ? p + quote : NULL;
}

static void copy(struct buf *out, struct mask_scan *s, size_t len)
{
	buf_add(out, s->at, len);
	s->at += len;
}

static void cover(const struct mask_scan *s, const char *end)
{
	const char *at = s->at > s->from ? s->at : s->from;

	if (end > s->to)
		end = s->to;
	if (at < end)
		memset(s->window + (at - s->from), '*', (size_t)(end - at));
}

static void hide(struct buf *out, struct mask_scan *s, const char *end)
{
	if (s->window)
		cover(s, end);
	else if (end > s->at)
		mask_whole(out, s->at, (size_t)(end - s->at), s->names);
	s->at = end;
}

static bool mask_one_of(struct buf *out, struct mask_scan *s, size_t quote,
			const char *const *which, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = value_start(s, which[i], quote);
		if (!value)
			continue;
		copy(out, s, (size_t)(value - s->at));
		hide(out, s, json_quoted_end(value, s->end, quote));
		return true;
	}
	return false;
}

/* It is flat: its end is the first brace. */
static void look_for_udp(struct mask_scan *s, size_t quote)
{
	const char *value, *end;

	if (s->udp_end && s->at < s->udp_end)
		return; /* of one within it the end is the same */
	value = member_value(s, "udp", quote);
	if (!value || value == s->end || *value != '{')
		return;
	end = memchr(value, '}', (size_t)(s->end - value));
	s->udp_end = end ? end : s->end;
}

static bool mask_member(struct buf *out, struct mask_scan *s)
{
	size_t quote = json_quote_length(s->at, s->end);
	if (quote == 0)
		return false;
	look_for_udp(s, quote);
	if (s->udp_end && s->at < s->udp_end &&
	    mask_one_of(out, s, quote, udp_members, COUNT(udp_members)))
		return true;
	return mask_one_of(out, s, quote, members, COUNT(members));
}

/* Whether a quote right before p opens something: a closing one stands before
   a space, or before what JSON has behind a string. */
static bool is_opened(const char *p, const char *end)
{
	return p < end && !strchr(" \t\r\n,:}]", *p);
}

/* Up to one of stops. "\/" and "\u002b" are how JSON may write "/" and "+". */
static const char *word_end(const char *p, const char *end, const char *stops)
{
	while (p < end && (!strchr(stops, *p) ||
			   (*p == '\\' && end - p > 1 && strchr("/u", p[1]))))
		p++;
	return p;
}

/* A word, or what stands in quotes: 'a b', "a b", \"a b\", '"a b"'. */
static void hide_value(struct buf *out, struct mask_scan *s)
{
	const char *stops = " \t\r\n\"\\&,;<>'";
	if (starts(s, "'") && is_opened(s->at + 1, s->end)) {
		copy(out, s, 1);
		stops = "\r\n\"\\'";
	}
	size_t quote = json_quote_length(s->at, s->end);
	if (quote > 0 && is_opened(s->at + quote, s->end)) {
		copy(out, s, quote);
		hide(out, s, json_quoted_end(s->at, s->end, quote));
	} else {
		hide(out, s, word_end(s->at, s->end, stops));
	}
}

static bool hide_assigned(struct buf *out, struct mask_scan *s,
			  const char *name)
{
	if (!starts(s, name))
		return false;
	struct mask_scan behind = { .at = s->at + strlen(name), .end = s->end };
	if (!starts(&behind, "=") && !starts(&behind, ":="))
		return false;
	copy(out, s, strlen(name) + (*behind.at == ':' ? 2 : 1));
	hide_value(out, s);
	return true;
}

/* Where the name of a parameter begins, NULL if here is none. */
static const char *parameter_name(const struct mask_scan *s)
{
	const char *name = NULL;

	for (size_t i = 0; i < COUNT(separators); i++)
		if (starts(s, separators[i]))
			name = s->at + strlen(separators[i]);
	return name;
}

static bool mask_parameter(struct buf *out, struct mask_scan *s)
{
	const char *from = parameter_name(s), *to = from;
	char name[32];

	if (!from)
		return false;
	while (to < s->end &&
	       (isalnum((unsigned char)*to) || *to == '-' || *to == '_'))
		to++;
	if (to == s->end || *to != '=' || (size_t)(to - from) >= sizeof(name))
		return false;
	memcpy(name, from, (size_t)(to - from));
	name[to - from] = '\0';
	if (!is_secret_whole(name))
		return false;
	copy(out, s, (size_t)(to + 1 - s->at));
	hide_value(out, s);
	return true;
}

/* Behind the ':' of a scheme and its slashes, which JSON may escape. NULL. */
static const char *authority_start(const struct mask_scan *s)
{
	const char *p = s->at + 1;

	if (*s->at != ':' || !s->begin || s->at == s->begin ||
	    !isalnum((unsigned char)s->at[-1]))
		return NULL;
	while (p < s->end &&
	       (*p == '/' || (*p == '\\' && s->end - p > 1 && p[1] == '/')))
		p += *p == '/' ? 1 : 2;
	return p > s->at + 1 ? p : NULL;
}

static void look_at_word(struct mask_scan *s, const char *from)
{
	if (s->word_end && from < s->word_end)
		return; /* of what is within it the end is the same */
	s->word_end = word_end(from, s->end, " \t\r\n\"\\<>");
	s->last_at = memrchr(from, '@', (size_t)(s->word_end - from));
}

/*
 * scheme://USER:PASSWORD@HOST. A slash in a password ends the authority: what
 * is no port then is one, up to the last '@' of the word.
 */
static bool mask_password(struct buf *out, struct mask_scan *s)
{
	const char *host = authority_start(s), *end, *colon, *at;

	if (!host)
		return false;
	look_at_word(s, host);
	end = word_end(host, s->word_end, "/?#");
	colon = memchr(host, ':', (size_t)(end - host));
	if (!colon || *host == '[')
		return false;
	at = memrchr(host, '@', (size_t)(end - host));
	if (!at && skip_digits(colon + 1, end) != end)
		at = s->last_at;
	if (!at || at <= colon + 1)
		return false;
	copy(out, s, (size_t)(colon + 1 - s->at));
	hide(out, s, at);
	return true;
}

static bool mask_upload(struct buf *out, struct mask_scan *s)
{
	const char *token = s->at + strlen(upload);
	if (!starts(s, upload) || s->end - token < UPLOAD_TOKEN)
		return false;
	for (size_t i = 0; i < UPLOAD_TOKEN; i++)
		if (!isxdigit((unsigned char)token[i]))
			return false;
	copy(out, s, strlen(upload));
	hide(out, s, token + UPLOAD_TOKEN);
	return true;
}

/* Behind "Bearer " in a challenge, where no token stands. */
static bool is_parameter(const struct mask_scan *s)
{
	static const char *const names[] = { "realm",	  "scope",
					     "error",	  "error_description",
					     "error_uri", "resource",
					     "charset",	  "resource_metadata" };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct mask_scan behind = { .at = s->at + strlen(names[i]),
					    .end = s->end };

		if (starts(s, names[i]) && starts(&behind, "=") &&
		    json_quote_length(behind.at + 1, s->end))
			return true;
	}
	return false;
}

static bool mask_word(struct buf *out, struct mask_scan *s)
{
	if (mask_upload(out, s) || mask_password(out, s) ||
	    mask_parameter(out, s))
		return true;
	for (size_t i = 0; i < COUNT(words); i++)
		if (hide_assigned(out, s, words[i]))
			return true;
	for (size_t i = 0; i < COUNT(leads); i++) {
		if (!starts(s, leads[i]))
			continue;
		copy(out, s, strlen(leads[i]));
		if (!is_parameter(s))
			hide_value(out, s);
		return true;
	}
	return false;
}

void mask_secrets(struct buf *out, const char *text, size_t len)
{
	mask_named(out, text, len, NULL);
}

/* Cheap first: most bytes begin none of these. */
static bool may_begin(const struct mask_scan *s)
{
	if (*s->at == ':')
		return s->end - s->at > 1 && strchr("/\\", s->at[1]);
	return *s->at && strchr(first_bytes, *s->at);
}

void mask_window(char *window, size_t size, struct span text, size_t from)
{
	struct mask_scan s = { .at = text.text,
			       .end = text.text + text.len,
			       .begin = text.text,
			       .from = text.text + from,
			       .to = text.text + from + size };

	s.window = window;
	while (s.at < s.to) {
		CLEANUP(buf_done) struct buf ignored = { 0 };

		while (s.at < s.to && !may_begin(&s))
			s.at++;
		if (s.at < s.to && !mask_member(&ignored, &s) &&
		    !mask_word(&ignored, &s))
			s.at++;
	}
}

void mask_named(struct buf *out, const char *text, size_t len,
		struct mask_names *names)
{
	struct mask_scan s = {
		.at = text, .end = text + len, .begin = text, .names = names
	};
	const char *copied = text;
	while (s.at < s.end) {
		if (!may_begin(&s)) {
			s.at++;
			continue;
		}
		CLEANUP(buf_done) struct buf masked = { 0 };
		const char *from = s.at;
		if (!mask_member(&masked, &s) && !mask_word(&masked, &s)) {
			s.at++;
			continue;
		}
		buf_add(out, copied, (size_t)(from - copied));
		buf_add(out, masked.data, masked.len);
		copied = s.at;
	}
	buf_add(out, copied, (size_t)(s.end - copied));
}

char *mask_text(const char *text)
{
	struct buf masked = { 0 };
	if (!text)
		return NULL;
	mask_secrets(&masked, text, strlen(text));
	return buf_take(&masked);
}

void mask_error(struct error *to, const struct error *from)
{
	CLEANUP(mem_free_ptr) char *text = mask_text(from->text);
	CLEANUP(mem_free_ptr) char *hint = mask_text(from->hint);
	CLEANUP(mem_free_ptr) char *detail = mask_text(from->detail);
	error_set(to, from->kind, "%s", text);
	error_hint(to, "%s", hint);
	error_detail(to, detail, detail ? strlen(detail) : 0);
	to->code = from->code;
	to->has_code = from->has_code;
	to->reason = from->reason;
	error_finding(to, from->finding);
	to->retry_after = from->retry_after;
}
