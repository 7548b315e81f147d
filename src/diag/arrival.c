/* SPDX-License-Identifier: MIT */
/* Why nobody came: the facts, and the table of what they mean. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "diag/arrival.h"

enum {
	FAILED = 1 << 0,
	HELLO = 1 << 1,
	CONNECTED = 1 << 2,
	REFUSED = 1 << 3,
	HINT = 1 << 4, /* of what failed or was refused */
	WRONG_TOKEN = 1 << 5,
	WRONG_PATH = 1 << 6,
	ONLY_FOREIGN = 1 << 7,
	FOREIGN_HINT = 1 << 8,
	NO_BROKER = 1 << 9,
	BROKER_HINT = 1 << 10,
	OTA = 1 << 11,
	MQTT = 1 << 12,
	TLS = 1 << 13,
	BROWSER = 1 << 14,
	LAN = 1 << 15,
	CAME = 1 << 16,
	NO_UPGRADE = 1 << 17,
	HOME = 1 << 18
};

#define NEVER_DIALLED \
	"{none}{ within time}: the board{ id}{ 'board'}{ version version}{ from address} asked OTA, but never dialled"
#define ITS_LOG \
	"the board's own log (USB) tells why; mcpctl --trace FILE serve keeps every frame"
#define FROM_HERE \
	"only this machine reaches {ota}: boards need a port without a host (listen:8000, --listen 8000), or --advertise"
#define EACH_STEP "mcpctl serve -v shows each step"

/* Who got furthest comes first. */
static const struct arrival_row rows[] = {
	{ FAILED | HINT, "{none}{ within time}: {failed}", "{hint}", NULL },
	{ FAILED, "{none}{ within time}: {failed}",
	  "mcpctl devices shows its state", NULL },
	{ HELLO,
	  "{none}{ within time}: {who} said hello, and did not answer further",
	  ITS_LOG, NULL },
	{ CONNECTED, "{none}{ within time}: {who} connected, and said no hello",
	  ITS_LOG, "D102" },
	{ REFUSED | HINT, "no device was let in{ within time}: {refused}",
	  "{hint}", NULL },
	{ REFUSED, "no device was let in{ within time}: {refused}", EACH_STEP,
	  NULL },
	{ WRONG_TOKEN,
	  "no device was let in{ within time}: its token is wrong or missing",
	  "reboot it, so that OTA gives it the token, or take its own with MCPCTL_TOKEN or --token-file",
	  NULL },
	{ WRONG_PATH,
	  "no device was let in{ within time}: one asked for the path '{path}', which is a wrong one",
	  "its OTA address is {ota}: set that and reboot it, so that it is told the right path; a target without a path accepts any",
	  NULL },
	{ NO_UPGRADE,
	  "no device was let in{ within time}: a WebSocket request came, from which a proxy took 'Upgrade' away",
	  "the proxy must pass it on (nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, proxy_set_header Connection upgrade)",
	  "N110" },
	{ ONLY_FOREIGN | FOREIGN_HINT, "no device was let in; {foreign}",
	  "{foreignhint}; else: the board's OTA address is {ota}", NULL },
	{ ONLY_FOREIGN, "no device was let in; {foreign}",
	  "the board's OTA address is {ota}", NULL },
	{ NO_BROKER | BROKER_HINT, "{none}{ within time}: {broker}",
	  "{brokerhint}", NULL },
	{ NO_BROKER, "{none}{ within time}: {broker}", EACH_STEP, NULL },
	{ OTA | MQTT, NEVER_DIALLED,
	  "can it reach the broker that OTA gave it? is that port open? see --advertise; its own log (USB) tells",
	  NULL },
	{ OTA | TLS, NEVER_DIALLED,
	  "wake it: say the wake word or press its button; something also spoke TLS to this plain port: give the board ws://, not wss://",
	  NULL },
	{ OTA, NEVER_DIALLED,
	  "wake it: say the wake word or press its button; if it was woken: can it reach the address that OTA gave it? see --advertise",
	  NULL },
	{ TLS, "{none}{ within time}: something spoke TLS to this plain port",
	  "was the board given https:// or wss://? its OTA address is {ota}",
	  "N121" },
	{ BROWSER | LAN,
	  "{none}{ within time}: only a browser came, or what sends no Device-Id",
	  "so no firewall is in the way from there: is the board in that network too? set its OTA address to {ota} and reboot it",
	  NULL },
	{ BROWSER | HOME,
	  "{none}{ within time}: only a browser came, or what sends no Device-Id, from this machine",
	  FROM_HERE, NULL },
	{ BROWSER,
	  "{none}{ within time}: only a browser came, or what sends no Device-Id, from this machine",
	  "that tells nothing of the network: open {ota} in a phone's browser, set it as the board's OTA address, and reboot the board",
	  NULL },
	{ CAME, "{none}{ within time}: {connections} came, but no request",
	  "is the OTA address of the board {ota} ?", NULL },
	{ HOME, "{none}{ within time}: nothing came at all", FROM_HERE, NULL },
	{ 0, "{none}{ within time}: nothing came at all",
	  "is the board in the same network, its OTA address {ota}, and was it rebooted since? open that address in a phone's browser: no page means a firewall",
	  NULL },
};

const struct arrival_row *arrival_rows(size_t *count)
{
	*count = COUNT(rows);
	return rows;
}

static unsigned facts_of(const struct arrival *a)
{
	const struct port_facts *f = a->port;
	const bool foreign = f->foreign && !f->ota && !f->tls && !a->serves;
	const struct {
		unsigned bit;
		bool holds;
	} facts[] = {
		{ FAILED, a->failed },
		{ HELLO, a->hello },
		{ CONNECTED, a->connected },
		{ REFUSED, a->refused },
		{ HINT, a->hint && *a->hint },
		{ WRONG_TOKEN, f->wrong_token },
		{ WRONG_PATH, f->wrong_path },
		{ NO_UPGRADE, f->no_upgrade },
		{ ONLY_FOREIGN, foreign },
		{ FOREIGN_HINT, f->foreign_hint[0] },
		{ NO_BROKER, a->broker },
		{ BROKER_HINT, a->broker_hint && *a->broker_hint },
		{ OTA, f->ota },
		{ MQTT, a->mqtt },
		{ TLS, f->tls },
		{ BROWSER, f->browser },
		{ LAN, f->lan },
		{ CAME, f->connections },
		{ HOME, f->home },
	};
	unsigned found = 0;

	for (size_t i = 0; i < COUNT(facts); i++)
		found |= facts[i].holds ? facts[i].bit : 0;
	return found;
}

static const char *value(const void *of, const char *name, char room[TEXT_ROOM])
{
	const struct arrival *a = of;
	const struct port_facts *f = a->port;
	const struct {
		const char *name, *value;
	} values[] = {
		{ "none",
		  a->serves ? "no device was ready" : "no device dialled in" },
		{ "failed", a->failed },
		{ "refused", a->refused },
		{ "hint", a->hint },
		{ "who", a->who ? a->who : "one" },
		{ "path", f->wrong_path_text },
		{ "foreign", f->foreign_text },
		{ "foreignhint", f->foreign_hint },
		{ "broker", a->broker },
		{ "brokerhint", a->broker_hint },
		{ "id", f->ota_id },
		{ "board", f->ota_board },
		{ "version", f->ota_version },
		{ "address", f->ota_address },
		{ "ota", a->ota_url },
	};

	for (size_t i = 0; i < COUNT(values); i++) {
		if (strcmp(values[i].name, name) == 0)
			return values[i].value;
	}
	if (strcmp(name, "time") == 0)
		return a->serves ?
			       text_milliseconds(a->waited, room, TEXT_ROOM) :
			       NULL;
	snprintf(room, TEXT_ROOM, "%u connection%s", f->connections,
		 f->connections == 1 ? "" : "s");
	return room;
}

int arrival_explain(const struct arrival *a, struct error *err)
{
	CLEANUP(buf_done) struct buf text = { 0 }, hint = { 0 };
	const struct arrival_row *r = rows;
	const unsigned facts = facts_of(a);

	if (a->port->upgraded && !a->serves)
		return 0;
	while (r->needs & ~facts)
		r++;
	text_fill(&text, r->text, value, a, SIZE_MAX);
	text_fill(&hint, r->hint, value, a, SIZE_MAX);
	error_set(err, ERR_CONNECT, "%s", buf_string(&text));
	error_finding(err, r->finding);
	return error_hint(err, "%s", buf_string(&hint));
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
