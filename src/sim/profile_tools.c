/* SPDX-License-Identifier: MIT */
#include "sim/profile_tools.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sim/order.h"
#include "sim/rule.h"
#include "sim/template.h"

/* The tools of a profile file: removed, put over what is inherited, generated. */

static const char *const tool_members[] = {
	"name", "description", "user_only", "arguments", "result", NULL,
};
static const char *const generate_members[] = {
	"count",     "name",   "description", "user_only",
	"arguments", "result", NULL,
};
static const char *const argument_members[] = {
	"type", "default", "minimum", "maximum", "maxLength", NULL,
};

/* Give each element of a list of the file to `one`, with its place. */
static int profile_each(struct profile *p, struct reader *r, const cJSON *tree,
			const char *name,
			int (*one)(struct profile *p, struct reader *r,
				   const cJSON *element))
{
	const cJSON *list = NULL, *element;
	size_t mark, index = 0;
	int bad = 0;

	if (reader_array(r, tree, name, &list))
		return -1;
	mark = reader_enter(r, name);
	cJSON_ArrayForEach(element, list) {
		size_t inner;

		if (bad)
			break;
		inner = reader_enter_index(r, index++);
		bad = one(p, r, element);
		reader_leave(r, inner);
	}
	reader_leave(r, mark);
	return bad;
}

static int argument_type(struct reader *r, const cJSON *json,
			 enum firmware_type *out)
{
	static const char *const names[] = { "boolean", "integer", "string" };
	const char *type = "";

	if (reader_text(r, json, "type", &type))
		return -1;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(type, names[i]) == 0) {
			*out = (enum firmware_type)i;
			return 0;
		}
	}
	return reader_fail(
		r,
		"'type' must be \"boolean\", \"integer\" or \"string\": firmware knows no others");
}

static int argument_default(struct reader *r, const cJSON *json,
			    struct firmware_argument *a)
{
	int64_t number = 0;
	const char *text = NULL;
	bool flag = false;

	if (!json_member(json, "default"))
		return 0;
	a->has_default = true;
	if (a->type == SERVER_STRING) {
		if (reader_text(r, json, "default", &text))
			return -1;
		a->text = mem_strdup(text);
	} else if (a->type == SERVER_INTEGER) {
		if (reader_number(r, json, "default", INT32_MIN, INT32_MAX,
				  &number))
			return -1;
		a->number = (int32_t)number;
	} else {
		if (reader_flag(r, json, "default", &flag))
			return -1;
		a->number = flag;
	}
	return 0;
}

static int argument_limits(struct reader *r, const cJSON *json,
			   struct firmware_argument *a)
{
	int64_t min = 0, max = 0, length = 0;

	a->has_minimum = json_member(json, "minimum") != NULL;
	a->has_maximum = json_member(json, "maximum") != NULL;
	if (reader_number(r, json, "minimum", INT32_MIN, INT32_MAX, &min) ||
	    reader_number(r, json, "maximum", INT32_MIN, INT32_MAX, &max) ||
	    reader_number(r, json, "maxLength", 1, INT32_MAX, &length))
		return -1;
	if ((a->has_minimum || a->has_maximum) && a->type != SERVER_INTEGER)
		return reader_fail(
			r, "only an integer has 'minimum' and 'maximum'");
	if (length && a->type != SERVER_STRING)
		return reader_fail(r, "only a string has 'maxLength'");
	a->minimum = (int32_t)min;
	a->maximum = (int32_t)max;
	a->max_length = (int32_t)length;
	return 0;
}

static int apply_argument(struct firmware_tool *t, struct reader *r,
			  const cJSON *json)
{
	struct firmware_argument *a = firmware_tool_add_argument(t);

	a->name = mem_strdup(json->string);
	if (reader_members(r, json, "an argument", argument_members) ||
	    argument_type(r, json, &a->type) || argument_default(r, json, a))
		return -1;
	return argument_limits(r, json, a);
}

static int apply_arguments(struct firmware_tool *t, struct reader *r,
			   const cJSON *tool)
{
	const cJSON *arguments = NULL, *one;
	size_t mark;
	int bad = 0;

	if (reader_object(r, tool, "arguments", &arguments))
		return -1;
	if (!arguments)
		return 0;
	firmware_tool_drop_arguments(t);
	mark = reader_enter(r, "arguments");
	cJSON_ArrayForEach(one, arguments) {
		size_t inner;

		if (bad)
			break;
		inner = reader_enter(r, one->string);
		bad = apply_argument(t, r, one);
		reader_leave(r, inner);
	}
	reader_leave(r, mark);
	return bad;
}

/* What a tool and a generator have in common, but the name. */
static int apply_tool(struct profile *p, struct firmware_tool *t,
		      struct reader *r, const cJSON *tool)
{
	const cJSON *result = json_member(tool, "result");
	const char *description = NULL;
	size_t mark;
	int bad;

	if (reader_text(r, tool, "description", &description) ||
	    apply_arguments(t, r, tool))
		return -1;
	if (description) {
		mem_free(t->description);
		t->description = mem_strdup(description);
	}
	if (result)
		t->behaviour = result;
	if (!t->behaviour)
		return reader_fail(r, "tool '%s' needs a 'result'", t->name);
	/* Also a result that was inherited must fit the arguments now. */
	mark = reader_enter(r, "result");
	bad = rule_check(p, t, r, t->behaviour);
	reader_leave(r, mark);
	return bad;
}

/*
 * Where a new tool goes: AI-visible tools first, then user-only ones (device.md
 * 3.5).
 */
static struct firmware_tool *place_tool(struct profile *p, const char *name,
					bool user_only)
{
	struct firmware_catalog *c = &p->catalog;
	size_t at = c->count;
	struct firmware_tool *t;

	while (!user_only && at > 0 && c->tool[at - 1].user_only)
		at--;
	t = firmware_catalog_add(c, at);
	t->name = mem_strdup(name);
	t->user_only = user_only;
	return t;
}

static int apply_listed(struct profile *p, struct reader *r, const cJSON *tool)
{
	const char *name = NULL;
	struct firmware_tool *t;
	bool user_only = false;

	if (reader_members(r, tool, "a tool", tool_members) ||
	    reader_text(r, tool, "name", &name) ||
	    reader_flag(r, tool, "user_only", &user_only))
		return -1;
	if (!name || !*name)
		return reader_fail(r, "a tool needs a 'name'");
	t = firmware_catalog_find(&p->catalog, name);
	if (!t)
		t = place_tool(p, name, user_only);
	else if (json_member(tool, "user_only") && user_only != t->user_only)
		return reader_fail(
			r,
			"'user_only' of an inherited tool cannot change; remove '%s' and name it anew",
			name);
	return apply_tool(p, t, r, tool);
}

/* ${n} in the names of a generator. */
static int get_number(void *owner, const char *name, struct buf *out)
{
	if (strcmp(name, "n") != 0)
		return -1;
	if (out)
		buf_printf(out, "%lld", (long long)*(int64_t *)owner);
	return 0;
}

static int expand_number(struct reader *r, const char *text, int64_t n,
			 char **out)
{
	const struct template_source source = { .get = get_number,
						.owner = &n };
	struct error why = { 0 };
	CLEANUP(buf_done) struct buf expanded = { 0 };

	if (template_expand(text, &source, &expanded, &why)) {
		reader_fail(r, "%s; a generator has only n", why.text);
		error_reset(&why);
		return -1;
	}
	mem_free(*out);
	*out = buf_take(&expanded);
	return 0;
}

static int generate_one(struct profile *p, struct reader *r,
			const cJSON *generator, int64_t n)
{
	const char *name = json_string(generator, "name");
	struct firmware_tool *t;

	/* Added later than the user-only tools, as a board's own can be. */
	t = firmware_catalog_add(&p->catalog, p->catalog.count);
	if (expand_number(r, name, n, &t->name))
		return -1;
	t->user_only = json_true(generator, "user_only");
	if (apply_tool(p, t, r, generator))
		return -1;
	return expand_number(r, t->description ? t->description : "", n,
			     &t->description);
}

int profile_generate(struct profile *p, struct reader *r,
		     const cJSON *generator, int64_t count)
{
	const char *name = NULL;
	bool flag;
	int64_t n;

	if (reader_members(r, generator, "a generator", generate_members) ||
	    reader_text(r, generator, "name", &name) ||
	    reader_flag(r, generator, "user_only", &flag))
		return -1;
	if (!name || !strstr(name, "${n"))
		return reader_fail(
			r,
			"a generator needs a 'name' with ${n} in it, as self.lamp${n:4}");
	for (n = 0; n < count; n++) {
		if (p->catalog.count >= PROFILE_TOOLS_MAX)
			return reader_fail(r, "more than %d tools",
					   PROFILE_TOOLS_MAX);
		if (generate_one(p, r, generator, n))
			return -1;
	}
	return 0;
}

static int apply_generator(struct profile *p, struct reader *r,
			   const cJSON *generator)
{
	int64_t count = -1;

	if (reader_number(r, generator, "count", 0, PROFILE_TOOLS_MAX, &count))
		return -1;
	if (count < 0)
		return reader_fail(r, "a generator needs a 'count'");
	return profile_generate(p, r, generator, count);
}

static int apply_remove(struct profile *p, struct reader *r, const cJSON *name)
{
	struct firmware_catalog *c = &p->catalog;
	size_t before = c->count;

	if (!cJSON_IsString(name))
		return reader_fail(r, "expected a tool's name, * allowed");
	for (size_t i = c->count; i-- > 0;) {
		if (text_glob(name->valuestring, c->tool[i].name))
			firmware_catalog_remove(c, i);
	}
	if (c->count == before)
		return reader_fail(r, "there is no tool '%.60s' to remove",
				   name->valuestring);
	return 0;
}

static int profile_apply_tools(struct profile *p, struct reader *r,
			       const cJSON *tree)
{
	if (profile_each(p, r, tree, "remove", apply_remove) ||
	    profile_each(p, r, tree, "tools", apply_listed))
		return -1;
	return profile_each(p, r, tree, "generate", apply_generator);
}

/*
 * One profile file's members put over what it extends. Files and folders are
 * profile.c's and profile.c's matter.
 */

static const char *const top_members[] = {
	"brief",     "extends",	  "board",    "version", "firmware",
	"device_id", "client_id", "camera",   "hello",	 "state",
	"remove",    "tools",	  "generate", "events",	 "kind",
	"ollama",    "says",	  "replies",  "notes",	 NULL,
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

	if (reader_members(r, board, "a board", board_members) ||
	    reader_number(r, board, "flash_size", 0, INT32_MAX,
			  &p->about.flash_size) ||
	    reader_number(r, board, "rssi", -200, 0, &rssi))
		return -1;
	p->about.rssi = (int)rssi;
	for (size_t i = 0; i < COUNT(board_rows); i++) {
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
	int index = rule_state_index(p, value->string);
	CLEANUP(buf_done) struct buf text = { .max = RULE_STATE_MAX };

	if (index < 0) {
		p->state = mem_realloc(p->state, (p->state_count + 1) *
							 sizeof(*p->state));
		index = (int)p->state_count++;
		p->state[index].name = mem_strdup(value->string);
		p->state[index].value = NULL;
	}
	if (cJSON_IsString(value))
		buf_text(&text, value->valuestring);
	else
		json_print(&text, value);
	mem_free(p->state[index].value);
	p->state[index].value = buf_take(&text);
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
		return reader_fail(
			r,
			"an event needs one of 'message', 'notification' and 'audio'");
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
	if (firmware_dialect_named(firmware, &p->dialect))
		return reader_fail(
			r,
			"'firmware' is \"2.4.2\" or \"2.5.0\" (also \"next\"): which one is played");
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

static int apply_reply(struct profile *p, struct reader *r,
		       const cJSON *element)
{
	return recorded_add(&p->recorded, r, element);
}

static int apply_recorded(struct profile *p, struct reader *r,
			  const cJSON *tree)
{
	const char *says = NULL;

	if (reader_text(r, tree, "says", &says))
		return -1;
	if (says) {
		CLEANUP(json_free_ptr)
		cJSON *hello = json_parse(says, strlen(says), NULL);

		if (!cJSON_IsObject(hello))
			return reader_fail(
				r, "'says' must be the text of a hello");
		p->recorded.hello = says;
	}
	return profile_each(p, r, tree, "replies", apply_reply);
}

int profile_apply(struct profile *p, struct reader *r, const cJSON *tree)
{
	const cJSON *events = json_array(tree, "events");
	const cJSON *ollama = json_object(tree, "ollama");

	if (reader_members(r, tree, "a profile", top_members) ||
	    order_check_defaults(r, tree) || apply_facts(p, r, tree) ||
	    apply_hello(p, r, tree) || apply_state(p, r, tree) ||
	    profile_apply_tools(p, r, tree) || apply_recorded(p, r, tree) ||
	    profile_each(p, r, tree, "events", apply_event))
		return -1;
	if (events)
		p->events = events;
	if (ollama)
		p->ollama = ollama;
	return 0;
}
