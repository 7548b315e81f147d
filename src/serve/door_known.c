/* SPDX-License-Identifier: MIT */
/*
 * Whether a board that asks OTA is known: only for such a board is a password
 * for the broker signed. Anybody may send any Device-Id; so it is known if the
 * user listed it, if it shows its token, or if it was enrolled with the
 * Client-Id that it sends.
 */
#include <string.h>

#include "base/mem.h"
#include "net/knock.h"
#include "serve/board_id.h"
#include "serve/door_private.h"

enum standing {
	STANDING_KNOWN,
	STANDING_NEW, /* and may enrol */
	STANDING_UNKNOWN,
	STANDING_OTHER_CLIENT,
	STANDING_NO_MAC,
	STANDING_FULL
};

static const char *const whys[] = {
	[STANDING_UNKNOWN] = "it is not known",
	[STANDING_OTHER_CLIENT] = "its Client-Id is another one than when it "
				  "was enrolled",
	[STANDING_NO_MAC] = "its Device-Id is no MAC address, and with "
			    "--mqtt-key-file the broker lets in no other",
	[STANDING_FULL] = "too many boards are enrolled",
};

static const char *const hints[] = {
	[STANDING_UNKNOWN] = "list its Device-Id in devices.json and send "
			     "SIGHUP, or start serve with --enroll; it asks "
			     "again by itself",
	[STANDING_OTHER_CLIENT] =
		"a board whose storage was erased has a new one: list its "
		"Device-Id in devices.json, or start serve with --enroll; if "
		"it was not erased, somebody else asks",
	[STANDING_NO_MAC] = "--offer ws sends it to the WebSocket",
	[STANDING_FULL] = "remove some from the file of enrolled boards, and "
			  "send SIGHUP",
};

static bool shows_token(const struct visit *v, const struct ota_request *asked)
{
	const struct tokens *t = &v->door->server->tokens;
	CLEANUP(mem_free_ptr) char *given = knock_token(v->head);

	return given && t->count &&
	       tokens_judge(t, asked->device_id, asked->client_id, given) ==
		       TOKEN_FITS;
}

/* Who came within this time once is not driven out by who comes after it. */
static bool may_enroll(const struct serve *s, const struct enrolled_board *b)
{
	return loop_now() < s->enroll_until &&
	       (!b || b->at_ms < s->enroll_from);
}

static enum standing judge(const struct visit *v,
			   const struct ota_request *asked)
{
	const struct serve *s = v->door->server;
	const char *id = asked->device_id;
	const struct enrolled_board *b = enrolled_find(&s->enrolled, id);

	if (!s->config.mqtt_key_file)
		return STANDING_KNOWN;
	if (!board_id_is_mac(id))
		return STANDING_NO_MAC;
	if (shows_token(v, asked) || aliases_name(&s->aliases, id, NULL) ||
	    (b && !strcmp(b->client_id, asked->client_id)))
		return STANDING_KNOWN;
	if (!may_enroll(s, b))
		return b ? STANDING_OTHER_CLIENT : STANDING_UNKNOWN;
	return b || !enrolled_is_full(&s->enrolled) ? STANDING_NEW :
						      STANDING_FULL;
}

static void enroll(const struct visit *v, const struct ota_request *asked)
{
	struct serve *s = v->door->server;
	bool again = enrolled_find(&s->enrolled, asked->device_id) != NULL;
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct buf detail = { 0 };
	struct record *r;
	int bad;

	bad = enrolled_add(&s->enrolled, s->config.enrolled_file,
			   asked->device_id, asked->client_id, unix_now_ms(),
			   &err);
	text = mem_printf("enrolled%s: it gets a password for the broker%s%s",
			  again ? " again, with another Client-Id" : "",
			  bad ? ", but only until serve ends: " : "",
			  bad ? err.text : "");
	r = door_record(v->door, &v->who, RECORD_ENROLLED,
			bad ? LEVEL_WARN : LEVEL_GOOD, text);
	record_hint(r, bad ? err.hint :
			     "if it is none of yours: 'mcpctl devices "
			     "--enrolled' lists all");
	door_member(&detail, "client_id", asked->client_id);
	record_detail(r, &detail);
}

bool door_knows(const struct visit *v, const struct ota_request *asked)
{
	enum standing standing = judge(v, asked);
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (standing == STANDING_NEW)
		enroll(v, asked);
	if (standing <= STANDING_NEW)
		return true;
	text = mem_printf("asked OTA, and gets no password for the broker: %s",
			  whys[standing]);
	visit_refuse(v, 403, "this board is not known here");
	record_hint(
		door_record(v->door, &v->who, RECORD_REFUSED, LEVEL_WARN, text),
		hints[standing]);
	return false;
}
