/* SPDX-License-Identifier: MIT */
/* sim_run: options checked, profile and faults read, then a fleet or a door. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "net/endpoint.h"
#include "net/why.h"
#include "sim/fleet.h"
#include "sim/identity.h"
#include "sim/local_port.h"

/* One of connect, ota and listen. */
static int check_ways(const struct sim_options *o, struct error *err)
{
	int ways = !!o->connect + !!o->ota + !!o->listen + !!o->broker;

	if (ways == 1)
		return 0;
	if (ways)
		return error_set(
			err, ERR_USAGE,
			"--connect, --ota and --listen exclude each other");
	error_set(err, ERR_USAGE,
		  "where to? --connect, --ota or --listen is needed");
	if (o->profile && strstr(o->profile, "://"))
		return error_hint(
			err,
			"an address stands behind its option, as in 'mcpctl sim --connect ws://127.0.0.1:8000/xiaozhi/v1/'");
	return error_hint(
		err,
		"a simulated device for the other commands needs none of them: 'mcpctl sim: tools'");
}

static int check_ids(const struct sim_options *o, struct error *err)
{
	if (o->device_id && !identity_is_plain(o->device_id))
		return error_set(
			err, ERR_USAGE,
			"--device-id: 1 to 128 plain letters are expected, as in 02:00:00:00:00:01");
	if (o->client_id && !identity_is_plain(o->client_id))
		return error_set(
			err, ERR_USAGE,
			"--client-id: 1 to 128 plain letters are expected, as in a UUID");
	if (o->token && *o->token && !identity_is_plain(o->token) &&
	    strpbrk(o->token, "\r\n"))
		return error_set(err, ERR_USAGE,
				 "the token has a line break in it");
	return 0;
}

static int check_numbers(const struct sim_options *o, struct error *err)
{
	if (o->devices < 0 || o->devices > FLEET_MAX)
		return error_set(err, ERR_USAGE,
				 "--devices: 1 to %d are possible", FLEET_MAX);
	if (o->listen && o->devices > 1)
		return error_set(err, ERR_USAGE,
				 "--listen is one device: leave --devices out");
	if (o->subscribe && o->listen)
		return error_set(err, ERR_USAGE,
				 "--subscribe is for MQTT: --listen has none");
	if (o->frame_version < 0 || o->frame_version > 3)
		return error_set(err, ERR_USAGE,
				 "--frame-version: 1, 2 or 3 is expected");
	return 0;
}

static bool is_scheme(const char *url, const char *plain, const char *secure)
{
	return strncmp(url, plain, strlen(plain)) == 0 ||
	       strncmp(url, secure, strlen(secure)) == 0;
}

/* What the user typed is a usage error; what OTA says later is not. */
static int check_url(const char *url, bool http, struct error *err)
{
	CLEANUP(mem_free_ptr) char *shown = endpoint_without_password(url);
	struct board_ws_url u;

	if (!is_scheme(url, http ? "http://" : "ws://",
		       http ? "https://" : "wss://"))
		return error_set(err, ERR_USAGE,
				 "--%s '%s': an address with %s is expected",
				 http ? "ota" : "connect", shown,
				 http ? "http:// or https://" :
					"ws://, wss:// or mqtt://");
	if (board_ws_url_parse(&u, url, err)) {
		if (err)
			err->kind = ERR_USAGE; /* what a board would do */
		return -1;
	}
	board_ws_url_done(&u);
	return 0;
}

static bool is_mqtt(const struct sim_options *o)
{
	return o->connect && is_scheme(o->connect, "mqtt://", "mqtts://");
}

/* The broker's address; out is left empty for another one. */
static int read_mqtt(struct endpoint *out, const struct sim_options *o,
		     struct error *err)
{
	if (!is_mqtt(o))
		return 0;
	if (endpoint_parse(out, o->connect, "--connect", err))
		return -1;
	if (!out->topic_down || o->subscribe)
		return 0;
	error_set(
		err, ERR_USAGE,
		"--connect '%s': down= is a topic to subscribe to, which stock firmware never does",
		o->connect);
	return error_hint(err, "leave it out, or add --subscribe");
}

/* Where TLS is certain; what OTA says later is told then. */
static int check_trust(const struct sim_options *o, struct error *err)
{
	const bool tls =
		(o->connect && is_scheme(o->connect, "wss://", "mqtts://")) ||
		(o->ota && is_scheme(o->ota, "https://", "https://"));

	return tls && o->cacert ? why_check_cacert(o->cacert, err) : 0;
}

static int check(const struct sim_options *o, struct error *err)
{
	if (check_ways(o, err) || check_ids(o, err) || check_numbers(o, err) ||
	    check_trust(o, err))
		return -1;
	if (is_mqtt(o))
		return 0;
	if (o->connect && check_url(o->connect, false, err))
		return -1;
	if (o->connect && o->subscribe)
		return error_set(err, ERR_USAGE,
				 "--subscribe is for MQTT: '%s' has none",
				 o->connect);
	return o->ota ? check_url(o->ota, true, err) : 0;
}

static int read_faults(struct fault_plan *out, const struct sim_options *o,
		       struct error *err)
{
	const struct words *faults = o->faults;

	for (size_t i = 0; faults && i < faults->count; i++) {
		if (fault_plan_add(out, faults->word[i],
				   o->devices ? o->devices : 1, err))
			return -1;
	}
	return 0;
}

/* Everything is checked and read but the profile. */
static int run(struct fleet_order *order, struct sim_summary *out,
	       struct error *err)
{
	const struct sim_options *o = order->options;
	const struct profile_changes changes = {
		.firmware_2_5 = o->firmware_2_5,
		.fill = o->fill,
	};
	struct profile *p =
		o->profile_text ?
			profile_parse(o->profile_text, strlen(o->profile_text),
				      o->profile, err) :
			profile_load(o->profile, &changes, err);
	int status;

	if (!p)
		return -1;
	if (fault_plan_check(order->faults, p->recorded.count > 0,
			     p->recorded.hello != NULL, err)) {
		profile_free(p);
		return -1;
	}
	order->profile = p;
	order->opened_us = loop_now_us();
	counts_init(&order->tally->counts, &p->catalog);
	status = o->listen ? local_port_run(order, err) : fleet_run(order, err);
	tally_finish(order->tally, out);
	profile_free(p);
	return status;
}

/* What the run was like, once it ended by itself. */

static int deadly(const struct sim_summary *s, struct error *err)
{
	for (size_t i = 0; i < s->found_count; i++) {
		CLEANUP(buf_done) struct buf title = { 0 };
		CLEANUP(mem_free_ptr) char *before = NULL;

		if (!s->found[i].fatal)
			continue;
		sim_found_title(&title, &s->found[i]);
		before = mem_strdup(err->kind ? err->text : NULL);
		error_set(err, ERR_UNMET,
			  "a real board does not survive this backend: %s",
			  buf_string(&title));
		if (before)
			error_hint(err, "%s", before);
		return -1;
	}
	return 0;
}

/* Nobody could have answered. */
static int said_nothing(const struct sim_summary *s, struct error *err)
{
	error_set(
		err, ERR_CONNECT,
		"connected, but no device said hello itself%s: welcomed 0%s%s",
		s->unheard ? "" : ", as its fault wants it",
		s->said ? "; the backend said: " : "", s->said ? s->said : "");
	return s->unheard ?
		       error_hint(
			       err,
			       "'mqtt' of the OTA reply has no publish_topic: what a device says then reaches nobody") :
		       -1;
}

/* Somebody waited for a server hello, and none ever came. */
static int unwelcome(const struct sim_summary *s, struct error *err)
{
	if (!s->sessions || s->welcomed)
		return 0;
	if (!s->hellos)
		return said_nothing(s, err);
	if (s->ignored_hello)
		return error_set(err, ERR_CONNECT,
				 "connected, but welcomed 0: %s",
				 s->ignored_hello);
	if (s->said) {
		error_set(
			err, s->said_credentials ? ERR_AUTH : ERR_CONNECT,
			"connected, but the backend said no hello in time; it said: %s",
			s->said);
		return error_hint(err, "%s",
				  s->said_advice ? s->said_advice :
						   "its own log may say more");
	}
	error_set(err, ERR_CONNECT,
		  "connected, but no server hello came: welcomed 0");
	return error_hint(
		err,
		"a device waits 10 s for {\"type\":\"hello\",…} after its own");
}

/*
 * What is found of the device comes from its profile, or from its faults; but
 * what is too long to be sent was asked for. Notes on an OTA reply tell what
 * the operator chose.
 */
static bool is_of_backend(enum diag_code code)
{
	const struct finding_row *row = finding_row(code);

	if (*row->code == 'O')
		return row->severity != SEVERITY_NOTE;
	return code == D121 || *row->code != 'D';
}

static int clean(const struct sim_summary *s, struct error *err)
{
	CLEANUP(buf_done) struct buf first = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < s->found_count; i++) {
		if (!is_of_backend(s->found[i].code))
			continue;
		if (!count++)
			sim_found_title(&first, &s->found[i]);
	}
	if (!count)
		return 0;
	return error_set(
		err, ERR_UNMET,
		"the backend showed %zu kinds of hazards, none was expected: %s%s",
		count, buf_string(&first), count > 1 ? ", …" : "");
}

/* The first one is the most severe. */
static int found_at(const struct sim_summary *s, enum severity least,
		    struct error *err)
{
	CLEANUP(buf_done) struct buf title = { 0 };
	const struct finding_row *row;

	if (!s->found_count)
		return 0;
	row = finding_row(s->found->code);
	if (row->severity < least)
		return 0;
	sim_found_title(&title, s->found);
	error_set(err, ERR_UNMET, "found: %s %s  %s", row->code,
		  severity_name(row->severity), buf_string(&title));
	return error_hint(err, "mcpctl explain %s", row->code);
}

static int unmet(const struct sim_options *o, const struct sim_summary *s,
		 struct error *err)
{
	if (o->expect_listed && s->listed_whole < s->devices)
		return error_set(
			err, ERR_UNMET,
			"the tools of %" PRIu64 " of %" PRIu64
			" devices were listed to the last page, not of all",
			s->listed_whole, s->devices);
	if (s->tool_calls.answered < (uint64_t)o->expect_calls)
		return error_set(
			err, ERR_UNMET,
			"calls of tools that were answered with a result: %" PRIu64
			", expected %" PRId64 " (%" PRIu64 " came)",
			s->tool_calls.answered, o->expect_calls,
			s->tool_calls.came);
	if (o->expect_no_hazards && clean(s, err))
		return -1;
	return o->fails ? found_at(s, o->fail_on, err) : 0;
}

static int judge(const struct sim_options *o, const struct sim_summary *s,
		 int status, struct error *err)
{
	if (status && err->kind != ERR_CONNECT && err->kind != ERR_AUTH)
		return status;
	if (deadly(s, err))
		return -1;
	if (status || unwelcome(s, err))
		return -1;
	return unmet(o, s, err);
}

int sim_run(struct loop *l, const struct sim_options *o,
	    const struct sim_observer *observer, struct sim_summary *out,
	    struct error *err)
{
	CLEANUP(fault_plan_done) struct fault_plan faults = { .count = 0 };
	CLEANUP(endpoint_done) struct endpoint mqtt = { .text = NULL };
	CLEANUP(buf_done) struct buf picture = { 0 };
	struct photo photo;
	struct tally tally = { .sum.devices = 0 };
	struct fleet_order order = { .loop = l,
				     .options = o,
				     .faults = &faults,
				     .observer = observer,
				     .tally = &tally };
	struct error why = { 0 };
	int status;

	*out = (struct sim_summary){ 0 };
	if (check(o, err) || read_faults(&faults, o, err) ||
	    read_mqtt(&mqtt, o, err) ||
	    (o->photo && photo_read(&picture, o->photo, err)))
		return -1;
	photo = (struct photo){ picture.data, picture.len };
	order.photo = o->photo ? &photo : NULL;
	order.mqtt = mqtt.host ? &mqtt : NULL;
	status = run(&order, out, &why);
	status = judge(o, out, status, &why);
	if (status)
		error_copy(err, &why);
	error_reset(&why);
	return status;
}
