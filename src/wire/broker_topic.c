/* SPDX-License-Identifier: MIT */
/*
 * Topics between serve and its plugin, topic patterns for other brokers, and
 * the client id that names a device.
 */
#include "wire/broker_topic.h"

#include <string.h>

#include "base/text.h"

static const char *const names[] = {
	[BROKER_UP] = "up",	[BROKER_JOINED] = "joined",
	[BROKER_LEFT] = "left", [BROKER_REFUSED] = "refused",
	[BROKER_DOWN] = "down", [BROKER_KICK] = "kick",
};

static bool is_hex(char c)
{
	int low = text_lower(c);

	return (low >= '0' && low <= '9') || (low >= 'a' && low <= 'f');
}

#define PLAIN "._-@" /* beside letters and digits */

static bool is_plain(char c)
{
	int low = text_lower(c);

	return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr(PLAIN, c));
}

void broker_topic_encode(struct buf *out, enum broker_topic kind,
			 const char *client_id)
{
	buf_printf(out, BROKER_ROOT "%s/", names[kind]);
	text_percent_encode(out, client_id, PLAIN);
}

/* The byte that three characters "%41" stand for; 0 if they are none. */
static char escaped(const char *p)
{
	char text[4] = { 0 };

	if (*p != '%' || !is_hex(p[1]) || !is_hex(p[2]))
		return 0;
	memcpy(text, p, 3);
	if (text_percent_decode(text))
		return 0;
	return text[0];
}

static bool decode_id(const char *text, struct buf *id)
{
	while (*text) {
		char c = *text;

		if (!is_plain(c))
			c = escaped(text);
		if (!c || buf_char(id, c))
			return false;
		text += *text == '%' ? 3 : 1;
	}
	return id->len > 0;
}

enum broker_topic broker_topic_decode(const char *topic, struct buf *id)
{
	size_t kind, len;

	buf_reset(id);
	if (!text_starts(topic, BROKER_ROOT))
		return BROKER_NONE;
	topic += strlen(BROKER_ROOT);
	len = strcspn(topic, "/");
	for (kind = BROKER_UP; kind < COUNT(names); kind++) {
		if (strlen(names[kind]) != len ||
		    memcmp(topic, names[kind], len) != 0 || !topic[len])
			continue;
		if (decode_id(topic + len + 1, id))
			return (enum broker_topic)kind;
		buf_reset(id);
	}
	return BROKER_NONE;
}

/* ---- patterns ---- */

enum part { PART_TEXT, PART_CLIENT, PART_MAC };

static const char *const placeholders[] = {
	[PART_CLIENT] = "{client_id}",
	[PART_MAC] = "{mac}",
};

/* The placeholder that begins here. */
static enum part part_at(const char *pattern)
{
	if (*pattern != '{')
		return PART_TEXT;
	if (text_starts(pattern, placeholders[PART_CLIENT]))
		return PART_CLIENT;
	if (text_starts(pattern, placeholders[PART_MAC]))
		return PART_MAC;
	return PART_TEXT;
}

static void add_replacing(struct buf *out, const char *text, size_t len,
			  char from, char to)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == from)
			buf_char(out, to);
		else
			buf_char(out, text[i]);
	}
}

void topic_fill(struct buf *out, const char *pattern, const char *client_id,
		const char *device_id)
{
	const char *mac = device_id ? device_id : "unknown";

	while (*pattern) {
		enum part part = part_at(pattern);

		if (part == PART_TEXT) {
			buf_char(out, *pattern++);
			continue;
		}
		if (part == PART_CLIENT)
			buf_text(out, client_id);
		else
			add_replacing(out, mac, strlen(mac), ':', '_');
		pattern += strlen(placeholders[part]);
	}
}

void topic_filter(struct buf *out, const char *pattern)
{
	while (*pattern) {
		size_t level = strcspn(pattern, "/"), i;
		bool any = false;

		for (i = 0; i < level; i++)
			any = any || part_at(pattern + i) != PART_TEXT;
		if (any)
			buf_char(out, '+');
		else
			buf_add(out, pattern, level);
		pattern += level;
		if (*pattern)
			buf_char(out, *pattern++);
	}
}

/* Bytes until the next placeholder or the end of the level. */
static size_t literal_length(const char *pattern)
{
	size_t len = 0;

	while (pattern[len] && pattern[len] != '/' &&
	       part_at(pattern + len) == PART_TEXT)
		len++;
	return len;
}

/*
 * How much of topic a placeholder stands for, at least one byte, where
 * `after` follows it in the pattern; 0: it does not fit. It ends where the
 * text behind it stands first, at the level's end if none is behind it.
 */
static size_t placeholder_length(const char *topic, const char *after)
{
	size_t level = strcspn(topic, "/"), tail = literal_length(after), len;

	if (!after[tail] || after[tail] == '/')
		return level > tail && memcmp(topic + level - tail, after,
					      tail) == 0 ?
			       level - tail :
			       0;
	for (len = 1; tail && len + tail <= level; len++) {
		if (memcmp(topic + len, after, tail) == 0)
			return len;
	}
	return 0;
}

/* What a placeholder stood for; a second time it must be the same. */
static bool found(struct buf *out, const char *text, size_t len, bool mac)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	bool fits;

	add_replacing(&value, text, len, mac ? '_' : '\0', mac ? ':' : '\0');
	fits = !out->len || strcmp(buf_string(out), buf_string(&value)) == 0;
	buf_reset(out);
	if (buf_text(out, buf_string(&value)))
		fits = false;
	return fits;
}

bool topic_match(const char *pattern, const char *topic, struct buf *client_id,
		 struct buf *mac)
{
	buf_reset(client_id);
	buf_reset(mac);
	while (*pattern) {
		enum part part = part_at(pattern);
		size_t len = 1;

		if (part == PART_TEXT) {
			if (*pattern++ != *topic++)
				return false;
			continue;
		}
		pattern += strlen(placeholders[part]);
		len = placeholder_length(topic, pattern);
		if (!len || !found(part == PART_MAC ? mac : client_id, topic,
				   len, part == PART_MAC))
			return false;
		topic += len;
	}
	return !*topic;
}

/* ---- the client id of a device ---- */

#define SEPARATOR "@@@"
#define MAC_LENGTH 17

bool client_id_mac(const char *client_id, char out[18])
{
	const char *mac = strstr(client_id, SEPARATOR);

	if (!text_starts(client_id, "GID_") || !mac || mac == client_id + 4)
		return false;
	mac += strlen(SEPARATOR);
	for (size_t i = 0; i < MAC_LENGTH; i++) {
		bool separator = i % 3 == 2;

		if (separator ? mac[i] != '_' : !is_hex(mac[i]))
			return false;
		out[i] = (char)(separator ? ':' : text_lower(mac[i]));
	}
	out[MAC_LENGTH] = '\0';
	return text_starts(mac + MAC_LENGTH, SEPARATOR) &&
	       mac[MAC_LENGTH + strlen(SEPARATOR)];
}

/* The topic does not matter to a device; other programs expect this form. */
void broker_own_topic(struct buf *out, const char *client_id)
{
	char mac[18];

	topic_fill(out, "devices/p2p/{mac}", client_id,
		   client_id_mac(client_id, mac) ? mac : "client");
}
