/* SPDX-License-Identifier: MIT */
/* Who announces himself, as the devices of --all. */
#include "cli/brokered.h"

#include <string.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "cli/setup.h"
#include "net/mcp_mqtt.h"
#include "out/text_device.h"

#define SETTLE_MS 15000 /* for the broker; its own limits are lower */
#define TOOLS_TOLD \
	64 /* names in a presence; there may be more (bridge/board_presence) */

/* ---- who is there ---- */

struct brokered {
	const struct mqtt_table *mqtt;
	struct endpoint at;
	struct mcp_browse *browse;
	bool woken;
	bool cut_told;
};

bool brokered_fits(const struct app *app)
{
	const char *target = app->config.target;
	size_t len = target ? strcspn(target, ":") : 0;
	const struct scheme *s =
		target && target[len] ? scheme_find(target, len) : NULL;

	return s && s->kind == SCHEME_MCP_MQTT;
}

/* 0: it is known who is there. */
static int settle(struct brokered *b, struct app *app, struct error *err)
{
	int64_t end = loop_now() + SETTLE_MS;
	int64_t wanted = loop_now() + app->config.wait;
	size_t count = 0;

	for (;;) {
		int status = b->mqtt->browse_poll(b->browse, err);
		int64_t next = status ? wanted : end;

		if (status < 0)
			return -1;
		if (status)
			b->mqtt->browse_list(b->browse, &count);
		if (status && (count || loop_now() >= wanted))
			return 0;
		if (!status && loop_now() >= end)
			return error_set(err, ERR_TIMEOUT,
					 "the broker '%s' tells nothing",
					 b->at.host);
		b->woken = false;
		if (loop_stay(app->loop, &b->woken, next, err))
			return -1;
	}
}

static int begin(struct brokered *b, struct app *app, bool *woken,
		 struct error *err)
{
	const struct transport_ops *ops;

	if (app_open_loop(app, err) || setup_endpoint(&b->at, app, &ops, err))
		return -1;
	b->mqtt = module_table("mqtt", MQTT_TABLE, err);
	if (!b->mqtt)
		return -1;
	b->browse = b->mqtt->browse_open(app->loop, &b->at, woken, err);
	return b->browse ? 0 : -1;
}

void brokered_tell_cut(struct brokered *b, struct app *app)
{
	if (b->cut_told || !b->mqtt->browse_is_cut(b->browse))
		return;
	b->cut_told = true;
	render_note(
		&app->out,
		"more than %d servers announce themselves at the broker '%s': the rest is left out; a filter in the target or -d names fewer",
		MCP_SERVERS_MAX, b->at.host);
}

int brokered_open(struct brokered **out, struct app *app, struct error *err)
{
	struct brokered *b = mem_zalloc(sizeof(*b));
	size_t count = 0;

	*out = b;
	if (begin(b, app, &b->woken, err) || settle(b, app, err))
		return -1;
	b->mqtt->browse_list(b->browse, &count);
	brokered_tell_cut(b, app);
	return count ? 0 : endpoint_mcp_none(&b->at, err);
}

int brokered_watch(struct brokered **out, struct app *app, bool *woken,
		   struct error *err)
{
	*out = mem_zalloc(sizeof(**out));
	return begin(*out, app, woken, err);
}

int brokered_poll(struct brokered *b, struct error *err)
{
	return b->mqtt->browse_poll(b->browse, err);
}

int64_t brokered_since(const struct brokered *b, const char *id)
{
	size_t count;
	const struct mcp_server *list = b->mqtt->browse_list(b->browse, &count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(list[i].id, id) == 0)
			return list[i].since;
	}
	return -1;
}

int brokered_stay(struct brokered *b, struct app *app, int64_t until,
		  struct error *err)
{
	b->woken = false;
	if (loop_stay(app->loop, &b->woken, until, err))
		return -1;
	return b->mqtt->browse_poll(b->browse, err) < 0 ? -1 : 0;
}

void brokered_close(struct brokered *b)
{
	if (!b)
		return;
	if (b->browse)
		b->mqtt->browse_close(b->browse);
	endpoint_done(&b->at);
	mem_free(b);
}

/* Several instances may have one name. */
static bool is_alone(const struct mcp_server *list, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++) {
		if (i != at && strcmp(list[i].name, list[at].name) == 0)
			return false;
	}
	return true;
}

/* What serve --mcp-mqtt says there; of others only what is of that form. */
static void describe_meta(struct buf *out, const struct mcp_server *one)
{
	CLEANUP(json_free_ptr)
	cJSON *meta = one->meta ?
			      json_parse(one->meta, strlen(one->meta), NULL) :
			      NULL;
	const cJSON *tools = json_array(meta, "tools");
	const char *state = json_string(meta, "state");
	const char *about = json_string(meta, "board");
	const size_t type = about ? strcspn(about, " ") : 0;
	CLEANUP(mem_free_ptr)
	char *board = about ? mem_strndup(about, type) : NULL;
	const int count = cJSON_GetArraySize(tools);

	json_add_text(out, "device_id", one->device);
	json_add_text(out, "board", board);
	json_add_text(out, "version",
		      about && about[type] ? about + type + 1 : NULL);
	json_add_text(out, "state",
		      one->odd			  ? "odd" :
		      text_equal(state, "asleep") ? "asleep" :
		      text_equal(state, "away")	  ? "away" :
						    "present");
	if (tools && count < TOOLS_TOLD)
		buf_printf(out, ",\"tools\":%d", count);
}

static void describe(struct buf *out, const struct endpoint *at,
		     const struct mcp_server *one, bool alone)
{
	CLEANUP(buf_done) struct buf target = { 0 };
	CLEANUP(mem_free_ptr)
	char *both = mem_printf("%s/%s", one->id, one->name);

	endpoint_mcp_text(&target, at, one->id, one->name);
	json_add_object(out, "id", both);
	buf_cut(out, out->len - 1);
	json_add_text(out, "alias", alone ? one->name : both);
	json_add_text(out, "server_id", one->id);
	json_add_text(out, "server_name", one->name);
	json_add_text(out, "description",
		      one->odd ? "unknown: what it announces is no presence" :
				 one->description);
	json_add_text(out, "target", buf_string(&target));
	describe_meta(out, one);
	buf_char(out, '}');
}

static void add(struct all *a, const struct buf *text)
{
	struct all_device *d;

	a->device =
		mem_grow(a->device, &a->capacity, a->count, sizeof(*a->device));
	d = &a->device[a->count++];
	*d = (struct all_device){
		.json = json_parse(text->data, text->len, NULL),
		.text = mem_copy(text->data, text->len),
		.len = text->len,
	};
	d->id = json_string(d->json, "id");
	d->id = d->id ? d->id : "";
	a->columns.device = d->json;
	render_widen(&a->columns);
}

void brokered_devices(struct brokered *b, struct all *a)
{
	const struct mcp_server *list;
	size_t count;

	list = b->mqtt->browse_list(b->browse, &count);
	for (size_t i = 0; i < count; i++) {
		CLEANUP(buf_done) struct buf text = { 0 };

		describe(&text, &b->at, &list[i], is_alone(list, count, i));
		add(a, &text);
	}
}
