/* SPDX-License-Identifier: MIT */
/* sim_run: options checked, profile and faults read, then a fleet or a door. */
#include <string.h>

#include "sim/fleet.h"
#include "sim/identity.h"

/* One of connect, ota and listen. */
static int check_ways(const struct sim_options *o, struct error *err)
{
	int ways = !!o->connect + !!o->ota + !!o->listen;

	if (ways == 1)
		return 0;
	error_set(err, ERR_USAGE,
		  ways ? "--connect, --ota and --listen exclude each other" :
			 "where to? --connect, --ota or --listen is needed");
	return error_hint(err, "a simulated device for the other commands "
			       "needs none of them: 'mcpctl sim: tools'");
}

static int check_ids(const struct sim_options *o, struct error *err)
{
	if (o->device_id && !identity_is_plain(o->device_id))
		return error_set(err, ERR_USAGE,
				 "--device-id: 1 to 128 plain letters are "
				 "expected, as in 02:00:00:00:00:01");
	if (o->client_id && !identity_is_plain(o->client_id))
		return error_set(err, ERR_USAGE,
				 "--client-id: 1 to 128 plain letters are "
				 "expected, as in a UUID");
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
	if (o->frame_version < 0 || o->frame_version > 3)
		return error_set(err, ERR_USAGE,
				 "--frame-version: 1, 2 or 3 is expected");
	return 0;
}

static bool is_scheme(const char *url, const char *plain, const char *secure)
{
	return !strncmp(url, plain, strlen(plain)) ||
	       !strncmp(url, secure, strlen(secure));
}

/* What the user typed is a usage error; what OTA says later is not. */
static int check_url(const char *url, bool http, struct error *err)
{
	struct wire_url u;

	if (!is_scheme(url, http ? "http://" : "ws://",
		       http ? "https://" : "wss://"))
		return error_set(err, ERR_USAGE,
				 "--%s '%s': an address with %s is expected",
				 http ? "ota" : "connect", url,
				 http ? "http://" : "ws://");
	if (wire_url_parse(&u, url, err))
		return -1;
	if (u.tls) {
		wire_url_done(&u);
		error_set(err, ERR_USAGE,
			  "--%s '%s': the simulated device speaks no TLS",
			  http ? "ota" : "connect", url);
		return error_hint(err,
				  "give it the address behind the proxy, "
				  "with %s",
				  http ? "http://" : "ws://");
	}
	wire_url_done(&u);
	return 0;
}

static int check(const struct sim_options *o, struct error *err)
{
	if (check_ways(o, err) || check_ids(o, err) || check_numbers(o, err))
		return -1;
	if (o->connect && check_url(o->connect, false, err))
		return -1;
	return o->ota ? check_url(o->ota, true, err) : 0;
}

static int read_faults(struct fault_plan *out, const struct words *faults,
		       struct error *err)
{
	size_t i;

	for (i = 0; faults && i < faults->count; i++) {
		if (fault_plan_add(out, faults->word[i], err))
			return -1;
	}
	return 0;
}

int sim_run(struct loop *l, const struct sim_options *o,
	    const struct sim_observer *observer, struct sim_summary *out,
	    struct error *err)
{
	CLEANUP(fault_plan_done) struct fault_plan faults = { .count = 0 };
	const struct profile_changes changes = {
		.next_firmware = o->next_firmware,
		.fill = o->fill,
	};
	struct tally tally = { .sum.devices = 0 };
	struct fleet_order order = { .loop = l,
				     .options = o,
				     .faults = &faults,
				     .observer = observer,
				     .tally = &tally };
	struct profile *p;
	int status;

	memset(out, 0, sizeof(*out));
	if (check(o, err) || read_faults(&faults, o->faults, err))
		return -1;
	p = profile_load(o->profile, &changes, err);
	if (!p)
		return -1;
	order.profile = p;
	status = o->listen ? door_run(&order, err) : fleet_run(&order, err);
	tally_finish(&tally, out);
	profile_free(p);
	return status;
}
