/* SPDX-License-Identifier: MIT */
/*
 * In the order in which firmware reads an answer: status, body, JSON, the
 * sections. What a board never comes to is not judged.
 */
#include "diag/ota_rules.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/answer.h"
#include "diag/facts.h"
#include "wire/board_text.h"
#include "wire/ota.h"
#include "wire/refusal.h"

struct reply {
	struct diag *d;
	const struct ota_answer *a;
	struct diag_frame f;
	struct span body; /* where it is strict JSON: spans are found in it */
	const cJSON *json;
	uint32_t *found;
};

#define TELL(r, code, at, ...)         \
	(*(r)->found |= OTA_BIT(code), \
	 diag_found_in((r)->d, code, &(r)->f, at, __VA_ARGS__))

static const struct span whole = { 0 };

/* For "%.*s": at most so many bytes of what the backend wrote, no character cut. */
#define CUT(text, max) text_shown(text, max), text

/* Where a section, or a member of it (NULL: none), stands in the body. */
static struct span place(const struct reply *r, const cJSON *section,
			 const char *member)
{
	struct span outer = { 0 }, inner = { 0 };

	if (!r->body.text || !section)
		return whole;
	if (!json_span_member(r->body, section->string, &outer))
		return whole;
	if (!member || !json_span_member(outer, member, &inner))
		return outer;
	return inner;
}

/* The name in front of a member's value, where it is written plainly. */
static struct span name_before(struct span value, const char *name)
{
	const char *p = value.text;
	size_t len = strlen(name);

	if (!p)
		return value;
	while (strchr(" \t\r\n", p[-1]))
		p--;
	p--; /* ':' */
	while (strchr(" \t\r\n", p[-1]))
		p--;
	p -= 1 + len; /* '"' and the name */
	return strncmp(p, name, len) == 0 ? (struct span){ p, len } : value;
}

/* Whatever came in place of a reply. */

static void judge_status(const struct reply *r)
{
	const struct ota_answer *a = r->a;
	char words[ANSWER_WORDS];

	answer_words(a->body, a->len, words);
	if (a->location && *a->location)
		TELL(r, O311, whole,
		     "HTTP %d to '%.60s', and boards do not follow", a->status,
		     a->location);
	else
		TELL(r, O311, whole, "HTTP %d%s", a->status, words);
}

static void judge_length(const struct reply *r)
{
	const struct ota_answer *a = r->a;

	if (a->has_length && a->length == 0)
		TELL(r, O314, whole,
		     "with Content-Length: 0 boards wait for the end of the connection, too");
	else if (a->has_length || a->chunked)
		return;
	else if (a->closed_at_once)
		TELL(r, O314, whole,
		     "it ends with the connection, which was closed at once");
	else
		TELL(r, O314, whole,
		     "the board waits until the connection ends, 30 s at most");
}

static bool is_too_long(const struct reply *r)
{
	const struct ota_answer *a = r->a;
	char words[ANSWER_SIZE_WORDS];

	if (!answer_hangs(a->len, a->has_length ? a->length : -1, a->more,
			  words))
		return false;
	TELL(r, O306, whole, "%s", words);
	return true;
}

static bool is_page(const struct reply *r)
{
	const struct ota_answer *a = r->a;
	char words[ANSWER_WORDS];
	const char *title;

	if (!answer_is_page(a->content_type, a->body, a->len) ||
	    (a->len > 0 && !json_check(a->body, a->len, NULL)))
		return false;
	title = answer_words(a->body, a->len, words);
	TELL(r, O313, whole, "%s", *title ? title + 2 : "it has no title");
	return true;
}

static bool is_compressed(const char *coding)
{
	return coding && *coding && !text_same(coding, "identity");
}

static void judge_nonsense(const struct reply *r)
{
	const struct ota_answer *a = r->a;
	char words[ANSWER_WORDS];
	const char *text = a->body;
	struct span from = { 0 };
	size_t fault = 0;

	if (is_compressed(a->content_encoding)) {
		TELL(r, O321, whole,
		     "it is compressed (%.20s), for which boards do not ask",
		     a->content_encoding);
		return;
	}
	if (a->cut) {
		TELL(r, O321, whole, "it did not come whole: %.80s", a->cut);
		return;
	}
	if (!text_trim(&text, a->len)) {
		TELL(r, O321, whole, "it is empty");
		return;
	}
	if (json_fault(a->body, a->len, &fault) && fault < a->len)
		from = (struct span){ a->body + fault, a->len - fault };
	answer_words(a->body, a->len, words);
	if (*words && !strchr("{[", *text))
		TELL(r, O321, whole, "it says%s", words);
	else if (json_check(a->body, a->len, NULL) == 0)
		TELL(r, O321, whole, "it is JSON, and no object");
	else
		TELL(r, O321, from, "it is no JSON from byte %zu on", fault);
}

/* {"error":"…"}, {"success":false,"message":"…"} in place of sections. */
static bool is_error(const struct reply *r)
{
	const cJSON *error = json_member(r->json, "error");
	const cJSON *success = json_member(r->json, "success");
	char words[ANSWER_WORDS];
	struct span at = { 0 };

	if (!(error && !cJSON_IsNull(error) && !cJSON_IsFalse(error)) &&
	    !cJSON_IsFalse(success) && !answer_code_fails(r->body, &at))
		return false;
	if (r->body.text && !at.text &&
	    !json_span_member(r->body, "error", &at))
		json_span_member(r->body, "success", &at);
	answer_words(r->a->body, r->a->len, words);
	TELL(r, O312, at, "%s", *words ? words + 2 : "it says no more");
	return true;
}

/* The sections. */

/* Their members become names and values of the board's store (device.md 5.4). */
static void judge_store(const struct reply *r, const cJSON *section)
{
	const size_t name_max = firmware_name_max();
	const size_t value_max = firmware_value_max();
	const cJSON *m;

	cJSON_ArrayForEach(m, section) {
		const char *text = cJSON_GetStringValue(m);
		struct span at;

		if (!text && !cJSON_IsNumber(m))
			continue;
		at = name_before(place(r, section, m->string), m->string);
		if (name_max > 0 && strlen(m->string) > name_max)
			TELL(r, O305, at,
			     "'%.*s' in %s has %zu letters, of at most %zu",
			     CUT(m->string, 60), section->string,
			     strlen(m->string), name_max);
		else if (text && value_max > 0 && strlen(text) > value_max)
			TELL(r, O305, at, "%s.%s has %zu bytes, of about %zu",
			     section->string, m->string, strlen(text),
			     value_max);
	}
}

static void judge_reach(const struct reply *r, struct span at, const char *name,
			const char *host, size_t len)
{
	char why[REACH_WHY];
	enum reach reach = reach_judge(&r->a->from, host, len, why);

	if (reach != REACH_OPEN)
		TELL(r, reach == REACH_NEVER ? O310 : O320, at, "%s %.*s: %s",
		     name, (int)text_cut(host, len, 60), host, why);
}

static void judge_endpoint(const struct reply *r, const cJSON *mqtt,
			   const char *text)
{
	const struct span at = place(r, mqtt, "endpoint");
	struct board_endpoint e;

	if (board_endpoint_read(&e, text)) {
		judge_reach(r, at, "mqtt.endpoint", text, e.host_len);
		return;
	}
	if (e.fault == BOARD_URL_NO_NUMBER)
		TELL(r, O302, at,
		     "no number behind the ':' of \"%.*s\": the board restarts at every start",
		     CUT(text, 44));
	else if (e.fault == BOARD_URL_NO_HOST)
		TELL(r, O302, at, "\"%.*s\" has no host", CUT(text, 60));
	else
		TELL(r, O302, at, "\"%.*s\" has no port of 1 to 65535",
		     CUT(text, 60));
}

static void judge_topic(const struct reply *r, const cJSON *mqtt)
{
	const cJSON *topic = json_member(mqtt, "publish_topic");
	const char *text = cJSON_GetStringValue(topic);
	const char *how = "unless it has one stored";

	if (text && *text)
		return;
	if (topic)
		how = text ? "it is empty" : "it is no text";
	TELL(r, O303, place(r, mqtt, "publish_topic"), "%s", how);
}

static void judge_mqtt(const struct reply *r, const cJSON *mqtt,
		       const cJSON *websocket)
{
	const cJSON *endpoint = json_member(mqtt, "endpoint");
	const char *text = cJSON_GetStringValue(endpoint);
	const char *hides = websocket ? " and hides websocket" : "";

	if (text) {
		judge_endpoint(r, mqtt, text);
		judge_topic(r, mqtt);
		if (websocket)
			TELL(r, O319, place(r, websocket, NULL),
			     "the board goes to the broker");
	} else if (cJSON_IsNumber(endpoint)) {
		TELL(r, O302, place(r, mqtt, "endpoint"), "it is a number");
	} else if (!mqtt->child) {
		TELL(r, O301, place(r, mqtt, NULL), "mqtt is {}%s", hides);
	} else {
		TELL(r, O301, place(r, mqtt, NULL), "mqtt has no endpoint%s",
		     hides);
	}
}

static void judge_dialled(const struct reply *r, struct span at,
			  const char *url)
{
	struct board_url u;

	board_url_read(&u, url);
	if (u.fault == BOARD_URL_NO_NUMBER)
		TELL(r, O309, at,
		     "'%.*s' is no number, and taken for the port: the board restarts",
		     CUT(u.port_text, 40));
	else if (u.fault == BOARD_URL_NO_PORT)
		TELL(r, O309, at, "the port '%.*s' is none of 1 to 65535",
		     (int)text_cut(u.port_text, u.port_len, 40), u.port_text);
	else if (u.fault == BOARD_URL_NO_HOST)
		TELL(r, O309, at, "\"%.*s\" has no host", CUT(url, 60));
	else if (u.fault == BOARD_URL_BLANK)
		TELL(r, O309, at, "a blank or control character is in it");
	else if (u.fault)
		TELL(r, O309, at, "\"%.*s\" is no ws://HOST:PORT/PATH",
		     CUT(url, 60));
	else if (u.more_port)
		TELL(r, O309, at, "of the port '%.*s' the board reads %u",
		     (int)text_cut(u.port_text, u.port_len, 40), u.port_text,
		     (unsigned)u.port);
	else if (u.lost_query)
		TELL(r, O309, at,
		     "there is no '/' before the query, which is lost");
	if (!u.fault)
		judge_reach(r, at, "websocket.url", u.host, u.host_len);
}

/* "URL", "uri": stored by another name, and never read. */
static const char *other_name(const cJSON *websocket)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, websocket) {
		if (cJSON_IsString(m) && (text_same(m->string, "url") ||
					  text_same(m->string, "uri")))
			return m->string;
	}
	return NULL;
}

static void judge_no_url(const struct reply *r, const cJSON *websocket,
			 bool number)
{
	const char *other = other_name(websocket);

	if (number)
		TELL(r, O309, place(r, websocket, "url"), "it is a number");
	else if (other)
		TELL(r, O316, name_before(place(r, websocket, other), other),
		     "'%s' is not read, its name is 'url'", other);
	else
		TELL(r, O316, place(r, websocket, NULL), "%s",
		     json_member(websocket, "url") ? "it is no text" : "");
}

static void judge_websocket(const struct reply *r, const cJSON *websocket)
{
	const cJSON *url = json_member(websocket, "url");
	const cJSON *token = json_member(websocket, "token");
	const char *version = json_string(websocket, "version");

	if (cJSON_IsString(url))
		judge_dialled(r, place(r, websocket, "url"), url->valuestring);
	else
		judge_no_url(r, websocket, cJSON_IsNumber(url));
	if (version)
		TELL(r, O304, place(r, websocket, "version"),
		     "\"%.*s\" is read as 0, which means 1", CUT(version, 20));
	if (cJSON_IsString(url) &&
	    (!token || (!cJSON_IsString(token) && !cJSON_IsNumber(token))))
		TELL(r, O318, place(r, websocket, NULL), "%s",
		     token ? "it is no text" : "");
}

/* Looked at only where there is a url, too. */
static void judge_firmware(const struct reply *r, const cJSON *firmware)
{
	const cJSON *version = ota_member(firmware, "version");
	const cJSON *url = ota_member(firmware, "url");
	const cJSON *force = ota_member(firmware, "force");
	size_t parts;
	struct span at;

	if (!cJSON_IsString(version) || !cJSON_IsString(url))
		return;
	at = place(r, firmware, version->string);
	if (!board_version_read(version->valuestring, NULL, 0, &parts))
		TELL(r, O307, at, "\"%.*s\": the board restarts at every start",
		     CUT(version->valuestring, 40));
	else if (cJSON_IsNumber(force) && force->valueint == 1)
		TELL(r, O317, place(r, firmware, force->string),
		     "force is 1: the board installs %.40s at once",
		     version->valuestring);
	else if (r->a->board_version &&
		 board_version_newer(version->valuestring, r->a->board_version))
		TELL(r, O317, at, "%.40s, and the board has %.40s: it installs",
		     version->valuestring, r->a->board_version);
}

/* device.md 5.3. False: the board goes on. */
static bool judge_activation(const struct reply *r, const cJSON *activation)
{
	const cJSON *code = ota_member(activation, "code");
	bool challenge = cJSON_IsString(ota_member(activation, "challenge"));
	const char *shown = cJSON_IsString(code) ? code->valuestring : "";

	if (!cJSON_IsString(code) && !challenge)
		return false;
	TELL(r, O315, place(r, activation, NULL), "%s%.*s%s",
	     cJSON_IsString(code) ? "code " : "a challenge", CUT(shown, 20),
	     challenge ?
		     ": 10 tries, 3 s apart behind 202, else 10 s; then OTA again, until bound" :
		     ": 10 times 10 s, and nothing is posted; then OTA again, until bound");
	return true;
}

/* In {"code":0,"data":{…}}, say. */
static void judge_neither(const struct reply *r)
{
	const cJSON *m;

	cJSON_ArrayForEach(m, r->json) {
		if (!m->string || !cJSON_IsObject(m) ||
		    (!ota_section(m, "mqtt") && !ota_section(m, "websocket")))
			continue;
		TELL(r, O301, place(r, m, NULL),
		     "mqtt and websocket stand in '%.*s', where no board looks",
		     CUT(m->string, 40));
		return;
	}
	TELL(r, O301, whole, "neither mqtt nor websocket is in it");
}

/* Unix ms: before them there was no such firmware, and after them none is left. */
#define TIME_FROM 1577836800000.0 /* 2020-01-01 */
#define TIME_TO 4102444800000.0 /* 2100-01-01 */

/* The board sets its clock by it (device.md 5.2). That it is away is fine. */
static void judge_time(const struct reply *r)
{
	const cJSON *section = json_member(r->json, "server_time");
	const cJSON *at = json_member(section, "timestamp");
	double ms = cJSON_GetNumberValue(at);

	if (!section || cJSON_IsNull(section) ||
	    (cJSON_IsObject(section) && !at))
		return;
	if (!cJSON_IsObject(section))
		TELL(r, O322, place(r, section, NULL),
		     "server_time is no object");
	else if (!cJSON_IsNumber(at))
		TELL(r, O322, place(r, section, "timestamp"),
		     "timestamp is no number");
	else if (ms < TIME_FROM || ms > TIME_TO)
		TELL(r, O322, place(r, section, "timestamp"),
		     "timestamp %.0f%s", ms,
		     ms * 1000 >= TIME_FROM && ms * 1000 <= TIME_TO ?
			     ": that is in seconds, and milliseconds are read" :
		     ms < TIME_FROM ? " ms: before 2020" :
				      " ms: after 2100");
}

static void judge_sections(const struct reply *r)
{
	const cJSON *mqtt = ota_section(r->json, "mqtt");
	const cJSON *websocket = ota_section(r->json, "websocket");
	bool held = judge_activation(r, ota_section(r->json, "activation"));

	if (!mqtt && !websocket && !held && is_error(r))
		return;
	judge_store(r, mqtt);
	judge_store(r, websocket);
	judge_firmware(r, ota_section(r->json, "firmware"));
	judge_time(r);
	if (mqtt)
		judge_mqtt(r, mqtt, websocket);
	else if (websocket)
		judge_websocket(r, websocket);
	else if (!held)
		judge_neither(r);
}

static void judge_body(struct reply *r)
{
	CLEANUP(json_free_ptr) cJSON *json = NULL;
	const struct ota_answer *a = r->a;

	if (!is_compressed(a->content_encoding))
		json = ota_reply_parse(a->body, a->len, NULL);
	/* What ends before its length is nothing to a board. */
	if (!json || a->cut) {
		judge_nonsense(r);
		return;
	}
	r->json = json;
	if (json_check(a->body, a->len, NULL) == 0)
		r->body = (struct span){ a->body, a->len };
	judge_sections(r);
}

static void judge_answer(struct reply *r)
{
	const struct ota_answer *a = r->a;
	bool too_long;

	if (a->part != ANSWER_BODY)
		diag_answer(r->d);
	if (a->status == 200 && a->part != ANSWER_BODY)
		judge_length(r);
	if (a->part == ANSWER_HEAD)
		return;
	if (a->status != 200) {
		judge_status(r);
		return;
	}
	too_long = is_too_long(r);
	if (!is_page(r) && !too_long)
		judge_body(r);
}

bool diag_ota_is_bad(uint32_t found)
{
	for (int code = O301; code <= O322; code++) {
		if (found & OTA_BIT(code) &&
		    finding_row((enum diag_code)code)->severity ==
			    SEVERITY_ERROR)
			return true;
	}
	return false;
}

uint32_t diag_ota(struct diag *d, const struct ota_answer *a)
{
	struct ota_answer known = *a;
	uint32_t found = 0;
	struct reply r = { .d = d, .a = &known, .found = &found };

	if (!a->status)
		return 0;
	if (!known.body)
		known.body = "";
	r.f = (struct diag_frame){ .at_us = a->at_us,
				   .leg = LEG_OTA,
				   .data = known.body,
				   .len = a->len };
	judge_answer(&r);
	return found;
}
