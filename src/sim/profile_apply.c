/* SPDX-License-Identifier: MIT */
/*
 * One profile file's members put over what it extends. Files and folders are
 * profile.c's and profile_find.c's matter.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/order.h"
#include "sim/profile.h"
#include "sim/rule.h"

static const char *const top_members[] = {
	"brief",     "extends", "board", "version", "firmware", "device_id",
	"client_id", "camera",	"hello", "state",   "remove",	"tools",
	"generate",  "events",	"kind",	 "ollama",  NULL,
};
static const char *const hello_members[] = {
	"features",  "mcp",	    "aec",	"glyph_push",
	"text_font", "sample_rate", "channels", "frame_duration",
	NULL,
};
static const char *const event_members[] = {
	"after_ms", "every_ms", "message", "notification", "audio", NULL,
};

/* Text members of `board` and where they go. */
static const struct board_row {
	const char *name;
	size_t offset, size;
} board_rows[] = {
#define ROW(member, field)                                          \
	{                                                           \
		member, offsetof(struct ota_request, field),        \
			sizeof(((struct ota_request *)NULL)->field) \
	}
	ROW("name", board_name),
	ROW("type", board_type),
	ROW("chip", chip),
	ROW("language", language),
	ROW("serial", serial),
	ROW("compile_time", compile_time),
	ROW("idf_version", idf_version),
	ROW("elf_sha256", elf_sha256),
	ROW("ip", ip),
	ROW("ssid", ssid),
#undef ROW
};
static const char *const board_members[] = {
	"name",		"type",	       "chip",	     "language", "serial",
	"compile_time", "idf_version", "elf_sha256", "ip",	 "ssid",
	"flash_size",	"rssi",	       NULL,
};

static int copy_text(struct reader *r, const char *text, char *out, size_t size)
{
	if (strlen(text) >= size)
		return reader_fail(r, "'%.40s…' is longer than %zu bytes", text,
				   size - 1);
	/* It goes into headers and, without escaping, into replies. */
	if (text_has_control(text))
		return reader_fail(r, "a text has a control character in it");
	memcpy(out, text, strlen(text) + 1);
	return 0;
}

static int apply_board_object(struct profile *p, struct reader *r,
			      const cJSON *board)
{
	int64_t rssi = p->about.rssi;
	size_t i;

	if (reader_members(r, board, "a board", board_members) ||
	    reader_number(r, board, "flash_size", 0, INT32_MAX,
			  &p->about.flash_size) ||
	    reader_number(r, board, "rssi", -200, 0, &rssi))
		return -1;
	p->about.rssi = (int)rssi;
	for (i = 0; i < COUNT(board_rows); i++) {
		const char *text = NULL;

		if (reader_text(r, board, board_rows[i].name, &text))
			return -1;
		if (text &&
		    copy_text(r, text, (char *)&p->about + board_rows[i].offset,
			      board_rows[i].size))
			return -1;
	}
	return 0;
}

static int apply_board(struct profile *p, struct reader *r, const cJSON *tree)
{
	const cJSON *board = json_member(tree, "board");
	size_t mark = reader_enter(r, "board");
	int bad = 0;

	if (cJSON_IsString(board))
		bad = copy_text(r, board->valuestring, p->about.board_name,
				sizeof(p->about.board_name));
	else if (board)
		bad = apply_board_object(p, r, board);
	reader_leave(r, mark);
	return bad;
}

static int apply_hello(struct profile *p, struct reader *r, const cJSON *tree)
{
	struct profile_hello *h = &p->hello;
	const cJSON *hello = NULL;
	size_t mark;
	int bad;

	if (reader_object(r, tree, "hello", &hello))
		return -1;
	if (!hello)
		return 0;
	mark = reader_enter(r, "hello");
	bad = reader_members(r, hello, "a hello", hello_members) ||
	      reader_flag(r, hello, "features", &h->features) ||
	      reader_flag(r, hello, "mcp", &h->mcp) ||
	      reader_flag(r, hello, "aec", &h->aec) ||
	      reader_object(r, hello, "text_font", &h->text_font) ||
	      reader_number(r, hello, "sample_rate", 8000, 48000,
			    &h->sample_rate) ||
	      reader_number(r, hello, "channels", 1, 2, &h->channels) ||
	      reader_number(r, hello, "frame_duration", 5, 120,
			    &h->frame_duration);
	if (!bad && cJSON_IsNull(json_member(hello, "glyph_push")))
		h->has_glyph_push = false; /* firmware before 2.4.0 */
	else if (!bad && json_member(hello, "glyph_push")) {
		h->has_glyph_push = true;
		bad = reader_flag(r, hello, "glyph_push", &h->glyph_push);
	}
	reader_leave(r, mark);
	return bad ? -1 : 0;
}

static void put_state(struct profile *p, const cJSON *value)
{
	int index = profile_state(p, value->string);
	struct buf text;

	if (index < 0) {
		p->state = mem_realloc(p->state, (p->state_count + 1) *
							 sizeof(*p->state));
		index = (int)p->state_count++;
		p->state[index].name = mem_strdup(value->string);
		p->state[index].value = NULL;
	}
	buf_init(&text, RULE_STATE_MAX);
	if (cJSON_IsString(value))
		buf_text(&text, value->valuestring);
	else
		json_print(&text, value);
	mem_free(p->state[index].value);
	p->state[index].value = buf_take(&text);
	buf_done(&text);
}

static int apply_state(struct profile *p, struct reader *r, const cJSON *tree)
{
	const cJSON *state = NULL, *value;
	size_t mark;

	if (reader_object(r, tree, "state", &state))
		return -1;
	cJSON_ArrayForEach(value, state) {
		if (cJSON_IsString(value) || cJSON_IsNumber(value) ||
		    cJSON_IsBool(value)) {
			put_state(p, value);
			continue;
		}
		mark = reader_enter(r, "state");
		reader_fail(r,
			    "'%.60s' must be a string, a number, true or false",
			    value->string);
		reader_leave(r, mark);
		return -1;
	}
	return 0;
}

static int apply_event(struct profile *p, struct reader *r, const cJSON *event)
{
	const cJSON *message = NULL, *notification = NULL;
	const char *audio = NULL;
	int64_t ms = -1, every = 0;

	(void)p;
	if (reader_members(r, event, "an event", event_members) ||
	    reader_number(r, event, "after_ms", 0, INT32_MAX, &ms) ||
	    reader_number(r, event, "every_ms", 1, INT32_MAX, &every) ||
	    reader_object(r, event, "message", &message) ||
	    reader_object(r, event, "notification", &notification) ||
	    reader_text(r, event, "audio", &audio))
		return -1;
	if (ms < 0)
		return reader_fail(r, "an event needs 'after_ms'");
	if (!message + !notification + !audio != 2)
		return reader_fail(r, "an event needs one of 'message', "
				      "'notification' and 'audio'");
	if (message && !json_string(message, "type"))
		return reader_fail(r, "a message needs a 'type'");
	if (notification && !json_string(notification, "method"))
		return reader_fail(r, "a notification needs a 'method'");
	if (audio && (strlen(audio) % 2 ||
		      strspn(audio, "0123456789abcdefABCDEF") != strlen(audio)))
		return reader_fail(r, "'audio' must be bytes in hex");
	return 0;
}

static int apply_firmware(struct profile *p, struct reader *r,
			  const cJSON *tree)
{
	const char *firmware = NULL;

	if (reader_text(r, tree, "firmware", &firmware))
		return -1;
	if (!firmware)
		return 0;
	if (strcmp(firmware, "2.4.2") != 0 && strcmp(firmware, "next") != 0)
		return reader_fail(r, "'firmware' is \"2.4.2\" or \"next\": "
				      "which error texts to use");
	p->dialect = strcmp(firmware, "next") ? SERVER_2_4_2 : SERVER_NEXT;
	return 0;
}

static int apply_facts(struct profile *p, struct reader *r, const cJSON *tree)
{
	const char *brief = NULL, *version = NULL, *id = NULL, *client = NULL;

	if (reader_text(r, tree, "brief", &brief) ||
	    reader_text(r, tree, "version", &version) ||
	    reader_text(r, tree, "device_id", &id) ||
	    reader_text(r, tree, "client_id", &client) ||
	    reader_flag(r, tree, "camera", &p->catalog.camera) ||
	    apply_board(p, r, tree) || apply_firmware(p, r, tree))
		return -1;
	if ((id && text_has_control(id)) ||
	    (client && text_has_control(client)))
		return reader_fail(r, "an id has a control character in it");
	mem_free(p->brief);
	p->brief = mem_strdup(brief ? brief : "");
	if (id) {
		mem_free(p->device_id);
		p->device_id = mem_strdup(id);
	}
	if (client) {
		mem_free(p->client_id);
		p->client_id = mem_strdup(client);
	}
	return version ? copy_text(r, version, p->about.version,
				   sizeof(p->about.version)) :
			 0;
}

int profile_apply(struct profile *p, struct reader *r, const cJSON *tree)
{
	const cJSON *events = json_array(tree, "events");
	const cJSON *ollama = json_object(tree, "ollama");

	if (reader_members(r, tree, "a profile", top_members) ||
	    order_check_defaults(r, tree) || apply_facts(p, r, tree) ||
	    apply_hello(p, r, tree) || apply_state(p, r, tree) ||
	    profile_apply_tools(p, r, tree) ||
	    profile_each(p, r, tree, "events", apply_event))
		return -1;
	if (events)
		p->events = events;
	if (ollama)
		p->ollama = ollama;
	return 0;
}
