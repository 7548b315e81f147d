/* SPDX-License-Identifier: MIT */
/*
 * Nobody came: which step is the first that is missing? Judged from the
 * knocks alone; the furthest one tells how far the board got.
 */
#include "net/listen.h"

static int nothing_came(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	if (k->connections) {
		error_set(err, ERR_CONNECT,
			  "no device dialled in: %u connection%s came, but no "
			  "request",
			  k->connections, k->connections == 1 ? "" : "s");
		return error_hint(err, "is the OTA address of the board %s ?",
				  ota_url);
	}
	error_set(err, ERR_CONNECT,
		  "no device dialled in: nothing came at all");
	return error_hint(err,
			  "is the board in the same network, its OTA address "
			  "%s, and was it rebooted since? open that address in "
			  "a phone's browser: no page means a firewall",
			  ota_url);
}

static int only_browser(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device dialled in: only a browser came%s",
		  k->lan ? "" : ", from this machine");
	if (k->lan)
		return error_hint(err,
				  "so network and firewall are fine: set the "
				  "board's OTA address to %s and reboot it",
				  ota_url);
	return error_hint(err,
			  "that tells nothing of the network: open %s in a "
			  "phone's browser, set it as the board's OTA address, "
			  "and reboot the board",
			  ota_url);
}

static int only_foreign(const struct knocks *k, const char *ota_url,
			struct error *err)
{
	error_set(err, ERR_CONNECT, "no device was let in; %s",
		  k->foreign_text);
	return error_hint(err, "%s%sthe board's OTA address is %s",
			  k->foreign_hint, k->foreign_hint[0] ? "; else: " : "",
			  ota_url);
}

static int never_woken(const struct knocks *k, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device dialled in: the board%s%s%s%s%s asked OTA%s%s, "
		  "but was never woken",
		  k->ota_board[0] ? " '" : "", k->ota_board,
		  k->ota_board[0] ? "'" : "",
		  k->ota_version[0] ? " version " : "", k->ota_version,
		  k->ota_address[0] ? " from " : "", k->ota_address);
	if (k->tls)
		return error_hint(
			err, "wake it: say the wake word or press its "
			     "button; something also spoke TLS to this "
			     "plain port: give the board ws://, not wss://");
	return error_hint(err,
			  "wake it: say the wake word or press its button; if "
			  "it was woken, it cannot reach the address that OTA "
			  "gave it: see --advertise");
}

static int wrong_path(const struct knocks *k, const char *ota_url,
		      struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device was let in: one asked for the path '%s', which is "
		  "a wrong one",
		  k->wrong_path_text);
	return error_hint(err,
			  "its OTA address is %s: set that and reboot it, so "
			  "that it is told the right path; a target without a "
			  "path accepts any",
			  ota_url);
}

static int wrong_token(struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "no device was let in: its token is wrong or missing");
	return error_hint(err,
			  "reboot it, so that OTA gives it the token, or take "
			  "its own with MCPCTL_TOKEN or --token-file");
}

int knocks_explain(const struct knocks *k, const char *ota_url,
		   struct error *err)
{
	if (k->upgraded)
		return 0;
	if (k->wrong_token)
		return wrong_token(err);
	if (k->wrong_path)
		return wrong_path(k, ota_url, err);
	if (k->ota)
		return never_woken(k, err);
	if (k->tls) {
		error_set(err, ERR_CONNECT,
			  "no device dialled in: something spoke TLS to this "
			  "plain port");
		return error_hint(err,
				  "the board was given https:// or wss://: its "
				  "OTA address is %s",
				  ota_url);
	}
	if (k->foreign)
		return only_foreign(k, ota_url, err);
	if (k->browser)
		return only_browser(k, ota_url, err);
	return nothing_came(k, ota_url, err);
}
