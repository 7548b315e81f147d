/* SPDX-License-Identifier: MIT */
/* Why nobody came, in words. */
#include <stdio.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/arrival.h"

/* Text and hint of one step; whoever calls it says in front of what. */

static int nothing_came(const struct arrival *a, struct error *err)
{
	unsigned count = a->port->connections;

	if (count) {
		error_set(err, ERR_CONNECT,
			  "%u connection%s came, but no request", count,
			  count == 1 ? "" : "s");
		return error_hint(err, "is the OTA address of the board %s ?",
				  a->ota_url);
	}
	error_set(err, ERR_CONNECT, "nothing came at all");
	return error_hint(
		err,
		"is the board in the same network, its OTA address %s, and was it rebooted since? open that address in a phone's browser: no page means a firewall",
		a->ota_url);
}

static int only_browser(const struct arrival *a, struct error *err)
{
	error_set(err, ERR_CONNECT, "only a browser came%s",
		  a->port->lan ? "" : ", from this machine");
	if (a->port->lan)
		return error_hint(
			err,
			"so network and firewall are fine: set the board's OTA address to %s and reboot it",
			a->ota_url);
	return error_hint(
		err,
		"that tells nothing of the network: open %s in a phone's browser, set it as the board's OTA address, and reboot the board",
		a->ota_url);
}

static int only_tls(const struct arrival *a, struct error *err)
{
	error_set(err, ERR_CONNECT, "something spoke TLS to this plain port");
	return error_hint(
		err,
		"the board was given https:// or wss://: its OTA address is %s",
		a->ota_url);
}

static int never_dialled(const struct arrival *a, struct error *err)
{
	const struct port_facts *f = a->port;

	error_set(err, ERR_CONNECT,
		  "the board%s%s%s%s%s%s%s%s%s asked OTA, but never dialled",
		  f->ota_id[0] ? " " : "", f->ota_id,
		  f->ota_board[0] ? " '" : "", f->ota_board,
		  f->ota_board[0] ? "'" : "",
		  f->ota_version[0] ? " version " : "", f->ota_version,
		  f->ota_address[0] ? " from " : "", f->ota_address);
	if (a->mqtt)
		return error_hint(
			err,
			"it cannot reach the broker that OTA gave it: is that port open? see --advertise");
	if (f->tls)
		return error_hint(
			err,
			"wake it: say the wake word or press its button; something also spoke TLS to this plain port: give the board ws://, not wss://");
	return error_hint(
		err,
		"wake it: say the wake word or press its button; if it was woken, it cannot reach the address that OTA gave it: see --advertise");
}

static int wrong_path(const struct arrival *a, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "one asked for the path '%s', which is a wrong one",
		  a->port->wrong_path_text);
	return error_hint(
		err,
		"its OTA address is %s: set that and reboot it, so that it is told the right path; a target without a path accepts any",
		a->ota_url);
}

static int said(const char *text, const char *hint, const char *otherwise,
		struct error *err)
{
	error_set(err, ERR_CONNECT, "%s", text);
	return error_hint(err, "%s", hint && *hint ? hint : otherwise);
}

static int not_further(const struct arrival *a, struct error *err)
{
	error_set(err, ERR_CONNECT, "%s %s", a->who ? a->who : "one",
		  a->hello ? "said hello, and did not answer further" :
			     "connected, and said no hello");
	return error_hint(
		err,
		"the board's own log (USB) tells why; mcpctl --trace FILE serve keeps every frame");
}

/* It came, and was not let in. False: none such. */
static bool not_let_in(const struct arrival *a, struct error *err)
{
	if (a->refused)
		said(a->refused, a->hint, "mcpctl serve -v shows each step",
		     err);
	else if (a->port->wrong_token)
		said("its token is wrong or missing", NULL,
		     "reboot it, so that OTA gives it the token, or take its own with MCPCTL_TOKEN or --token-file",
		     err);
	else if (a->port->wrong_path)
		wrong_path(a, err);
	else
		return false;
	return true;
}

static int not_there(const struct arrival *a, struct error *err)
{
	if (a->broker)
		return said(a->broker, a->broker_hint,
			    "mcpctl serve -v shows each step", err);
	if (a->port->ota)
		return never_dialled(a, err);
	if (a->port->tls)
		return only_tls(a, err);
	if (a->port->browser)
		return only_browser(a, err);
	return nothing_came(a, err);
}

static int only_foreign(const struct arrival *a, struct error *err)
{
	const struct port_facts *f = a->port;

	error_set(err, ERR_CONNECT, "no device was let in; %s",
		  f->foreign_text);
	return error_hint(err, "%s%sthe board's OTA address is %s",
			  f->foreign_hint, f->foreign_hint[0] ? "; else: " : "",
			  a->ota_url);
}

int arrival_explain(const struct arrival *a, struct error *err)
{
	const struct port_facts *f = a->port;
	const char *what =
		a->serves ? "no device was ready" : "no device dialled in";
	char within[48] = "";

	if (f->upgraded && !a->serves)
		return 0;
	if (a->serves) {
		char time[32];

		text_milliseconds(a->waited, time, sizeof(time));
		snprintf(within, sizeof(within), " within %s", time);
	}
	if (a->failed)
		said(a->failed, a->hint, "mcpctl devices shows its state", err);
	else if (a->hello || a->connected)
		not_further(a, err);
	else if (not_let_in(a, err))
		what = "no device was let in";
	else if (f->foreign && !f->ota && !f->tls && !a->serves)
		return only_foreign(a, err);
	else
		not_there(a, err);
	return error_prefix(err, "%s%s", what, within);
}

void arrival_done(struct arrival *a)
{
	mem_free(a->who);
	mem_free(a->failed);
	mem_free(a->refused);
	mem_free(a->hint);
	mem_free(a->broker);
	mem_free(a->broker_hint);
	*a = (struct arrival){ 0 };
}
