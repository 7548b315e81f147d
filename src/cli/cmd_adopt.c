/* SPDX-License-Identifier: MIT */
/*
 * adopt: the OTA address of a board, set through the portal of its Wi-Fi setup,
 * and put back.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/adopted.h"
#include "cli/commands.h"
#include "cli/portal.h"
#include "cli/serve_client.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "net/port_parts.h"
#include "wire/board_text.h"

#define HOTSPOT "192.168.4." /* of the board, ESP-IDF's default */

enum {
	OTA_LEAST = 10, /* shorter ones firmware does not ask */
	SERVE_PORT = 8000,
	ADDRESSES_MAX = 16
};

struct adopt_options {
	const char *ota, *portal;
	bool restore, list, force;
};

static const struct option_row adopt_options[] = {
	{ .name = "ota",
	  .word = "URL",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct adopt_options, ota),
	  .brief =
		  "the OTA address to set; else that of a running serve, or of this machine" },
	{ .name = "portal",
	  .word = "URL",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct adopt_options, portal),
	  .fallback = PORTAL_DEFAULT,
	  .brief = "where the board's portal is" },
	{ .name = "restore",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct adopt_options, restore),
	  .brief =
		  "put back what was set before the last adopt of this board" },
	{ .name = "list",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct adopt_options, list),
	  .brief = "what was set before, newest first; asks no board" },
	{ .name = "force",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct adopt_options, force),
	  .brief = "set --ota even if no board could reach it" },
	{ .name = NULL }
};

/* ---- which address ---- */

/* Of a board's own hotspot: there is nothing there once it is off. */
static bool is_hotspot(const char *host)
{
	return text_starts(host, HOTSPOT);
}

static int refuse_host(const char *url, const char *host, struct error *err)
{
	if (address_is_here(host) || text_starts(host, "0."))
		error_set(
			err, ERR_USAGE,
			"'%.200s' is this machine only for itself: no board reaches it",
			url);
	else if (is_hotspot(host))
		error_set(
			err, ERR_USAGE,
			"'%.200s' is an address in the board's hotspot, which is gone when the board is in its Wi-Fi",
			url);
	else
		return 0;
	return error_hint(
		err,
		"give the address that this machine has in the board's Wi-Fi; --force sets this one all the same");
}

static int check_ota(const char *url, bool force, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(url);
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct board_url u;

	if (!text_starts(url, "http://") && !text_starts(url, "https://"))
		error_set(err, ERR_USAGE,
			  "'%.200s' does not begin with http://", shown);
	else if (!board_url_read(&u, url) || u.more_port)
		error_set(err, ERR_USAGE,
			  "'%.200s' is no address that a board can read",
			  shown);
	else if (strlen(url) < OTA_LEAST || strpbrk(url, " \t\r\n\"\\") ||
		 text_has_control(url))
		error_set(
			err, ERR_USAGE,
			"'%.200s' is too short, or has characters of no address",
			shown);
	else {
		host = mem_strndup(u.host, u.host_len);
		return force ? 0 : refuse_host(url, host, err);
	}
	return error_hint(err, "such as http://192.168.1.2:%d" OTA_PATH,
			  SERVE_PORT);
}

/* The first that a board could reach; yours. NULL: none. */
static char *usable(const cJSON *addresses)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, addresses) {
		if (cJSON_IsString(one) &&
		    check_ota(one->valuestring, false, NULL) == 0)
			return mem_strdup(one->valuestring);
	}
	return NULL;
}

struct served {
	bool answered;
	char *url; /* NULL */
};

static void take_status(void *owner, struct control_answer *a)
{
	struct served *s = owner;

	s->answered = true;
	mem_free(s->url);
	s->url = usable(json_array(a->json, "addresses"));
}

static char *of_serve(struct app *app, bool *running)
{
	const struct serve_question q = { .op = "status" };
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct served found = { 0 };
	bool exists = false;

	if (control_path(&path, app->config.socket, false, NULL) == 0 &&
	    control_path_check(path, &exists, NULL) == 0 && exists)
		serve_ask(app, &q, serve_deadline(app), take_status, &found,
			  NULL);
	*running = found.answered;
	return found.url;
}

static char *of_machine(void)
{
	char address[ADDRESSES_MAX][64];
	size_t count = local_addresses(address, ADDRESSES_MAX);

	for (size_t i = 0; i < count; i++) {
		if (!is_hotspot(address[i]) && !address_is_here(address[i]))
			return mem_printf("http://%s:%d" OTA_PATH, address[i],
					  SERVE_PORT);
	}
	return NULL;
}

/* NULL: it is not known. */
static char *choose(struct app *app, const struct adopt_options *o,
		    struct error *err)
{
	const char *whose = "of the running serve";
	bool running = false;
	char *url;

	if (o->ota)
		return check_ota(o->ota, o->force, err) ? NULL :
							  mem_strdup(o->ota);
	url = of_serve(app, &running);
	if (!url) {
		url = of_machine();
		whose = running ?
				"of this machine; the running serve has none that a board reaches" :
				"of this machine; no serve tells one";
	}
	if (!url) {
		error_set(
			err, ERR_USAGE,
			"which address this machine has in the board's Wi-Fi cannot be known from the hotspot");
		error_hint(
			err,
			"give it: mcpctl adopt --ota http://ADDRESS:%d" OTA_PATH
			"; 'mcpctl serve' shows it at home",
			SERVE_PORT);
		return NULL;
	}
	render_note(
		&app->out,
		"OTA address: %s (%s); the board must reach this machine by it from its own Wi-Fi, else give --ota",
		url, whose);
	return url;
}

/* ---- set, and put back ---- */

static void show(struct app *app, const struct adopt_record *record)
{
	if (app->out.ops->adopt)
		app->out.ops->adopt(&app->out, record);
}

static void tell_next(struct app *app, const struct portal *p)
{
	render_note(
		&app->out,
		"next: at %s choose the board's Wi-Fi, or press its reset key if it knows one; then it asks OTA there",
		p->base);
}

/* What is set now must be what was asked for. */
static int read_back(struct portal *p, const char *url, struct error *err)
{
	CLEANUP(mem_free_ptr) char *now = portal_ota_url(p, err);

	if (!now) {
		error_prefix(
			err,
			"the portal took the address, but does not show it");
		return -1;
	}
	if (strcmp(now, url) == 0)
		return 0;
	return error_set(
		err, ERR_PROTOCOL,
		"the portal took '%.150s', and shows '%.150s' afterwards", url,
		now);
}

static int adopt(struct portal *p, const char *url, struct error *err)
{
	CLEANUP(mem_free_ptr) char *before = portal_ota_url(p, err);
	struct adopted kept = { .portal = p->base,
				.hardware = p->hardware,
				.before = before,
				.now = url };
	struct adopt_record record = { .portal = p->base,
				       .hardware = p->hardware,
				       .before = before,
				       .now = url };

	if (!before)
		return -1;
	record.changed = strcmp(before, url) != 0;
	if (record.changed &&
	    (adopted_keep(&kept, err) || portal_set_ota_url(p, url, err) ||
	     read_back(p, url, err)))
		return -1;
	show(p->app, &record);
	if (record.changed)
		render_note(
			&p->app->out,
			"what was set before is kept: 'mcpctl adopt --restore' puts it back");
	else
		render_note(&p->app->out,
			    "that was set already: nothing was changed");
	tell_next(p->app, p);
	return 0;
}

static int put_back(struct portal *p, const char *now, const cJSON *list, int i,
		    struct error *err)
{
	struct adopted kept;
	struct adopt_record record;

	adopted_at(list, i, &kept);
	record = (struct adopt_record){ .portal = p->base,
					.hardware = p->hardware,
					.before = now,
					.now = kept.before,
					.changed = strcmp(now, kept.before) };
	if (!*kept.hardware || !*p->hardware)
		render_note(
			&p->app->out,
			"a portal does not say whose it is: this was kept for %s at %s",
			kept.portal, kept.at);
	if (strcmp(now, kept.now) != 0)
		render_note(
			&p->app->out,
			"another address than the one of that adopt was set meanwhile");
	if (record.changed && (portal_set_ota_url(p, kept.before, err) ||
			       read_back(p, kept.before, err)))
		return -1;
	show(p->app, &record);
	tell_next(p->app, p);
	return adopted_drop(&kept, err);
}

static int restore(struct portal *p, struct error *err)
{
	CLEANUP(mem_free_ptr) char *now = portal_ota_url(p, err);
	CLEANUP(json_free_ptr) cJSON *list = NULL;
	const struct adopted of = { .portal = p->base,
				    .hardware = p->hardware };
	int i;

	if (!now || adopted_read(&list, err))
		return -1;
	i = adopted_find(list, &of);
	if (i >= 0)
		return put_back(p, now, list, i, err);
	error_set(err, ERR_UNMET,
		  "nothing is kept of this board: set now is '%.200s'", now);
	return error_hint(
		err,
		"'mcpctl adopt --list' shows what is kept; --ota URL sets one by hand");
}

static int show_list(struct app *app, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *list = NULL;
	struct adopted one;

	if (adopted_read(&list, err))
		return -1;
	for (int i = 0; adopted_at(list, i, &one); i++) {
		const struct adopt_record record = { .portal = one.portal,
						     .hardware = one.hardware,
						     .before = one.before,
						     .now = one.now,
						     .at = one.at,
						     .changed = true };

		show(app, &record);
	}
	if (!cJSON_GetArraySize(list))
		render_note(&app->out, "nothing is kept");
	return 0;
}

static int check_options(const struct adopt_options *o, struct error *err)
{
	if (o->list && (o->restore || o->ota || o->force || o->portal))
		return error_set(
			err, ERR_USAGE,
			"option '--list' asks no board, and takes no other");
	if (o->restore && (o->ota || o->force))
		return error_set(
			err, ERR_USAGE,
			"option '--restore' puts back what was kept: --ota and --force are for adopt without it");
	if (o->force && !o->ota) {
		error_set(err, ERR_USAGE, "option '--force' is for --ota URL");
		return error_hint(
			err, "what is chosen without --ota can be reached");
	}
	return 0;
}

static int adopt_run(const struct invocation *in, struct error *err)
{
	const struct adopt_options *o = in->options;
	CLEANUP(mem_free_ptr) char *url = NULL;
	struct portal p = { 0 };
	int status;

	if (check_options(o, err))
		return -1;
	if (o->list)
		return show_list(in->app, err);
	status = portal_open(&p, in->app,
			     o->portal ? o->portal : PORTAL_DEFAULT, err);
	if (status == 0 && o->restore) {
		status = restore(&p, err);
	} else if (status == 0) {
		url = choose(in->app, o, err);
		status = url ? adopt(&p, url, err) : -1;
	}
	portal_done(&p);
	return status;
}

static const struct example adopt_examples[] = {
	{ "adopt --ota http://192.168.1.2:8000/xiaozhi/ota/", NULL,
	  EXAMPLE_GOES_ON },
	{ "adopt --restore", NULL, EXAMPLE_GOES_ON },
	{ "adopt --list", NULL, 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_adopt = {
	.name = "adopt",
	.globals = "jq socket timeout",
	.args = "",
	.brief = "set the OTA address of a board in its Wi-Fi setup",
	.text = "A board asks OTA where its server is, and the address of that is set in the portal of its Wi-Fi setup, also where firmware hides the field. "
		"Bring the board into that setup (a key at start), join its hotspot with this machine, and run adopt: it reads what is set, keeps it, sets --ota, reads it again, and leaves all else as it was. "
		"Then choose the Wi-Fi in the portal, or restart the board.\n"
		"\n"
		"Without --ota: the first address of the running serve that a board can reach, else one of this machine with port 8000. "
		"In the hotspot this machine may have another address than in the board's Wi-Fi, and no program can know that one: look at what is chosen.\n"
		"\n"
		"What was set before is kept in mcpctl/adopted.json in $XDG_STATE_HOME (~/.local/state), as many times as it was changed. "
		"A portal does not say whose it is, so a board is known by the hardware address that answers, and where none is seen by the address of the portal alone.\n"
		"\n"
		"A portal shows what it holds in memory: that it is stored is seen when the board asks OTA there. "
		"Status 3: nobody is there; 5: something else answers, and nothing was changed; 7: nothing is kept to put back.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.options = adopt_options,
	.options_size = sizeof(struct adopt_options),
	.examples = adopt_examples,
	.run = adopt_run
};
