/* SPDX-License-Identifier: MIT */
/*
 * `check here`: what on this machine keeps boards away or serve from
 * starting. Sends nothing, needs no root; what cannot be seen without it is
 * said as such.
 */
#include "check/here.h"

#include <string.h>

#include "base/clock.h"
#include "check/planned.h"

#define NO_PROOF ((struct span){ 0 })

/* ---- net ---- */

static const char *network_name(enum host_network n)
{
	static const char *const names[] = {
		[NETWORK_OUTSIDE] = "",
		[NETWORK_LOOPBACK] = "this machine only",
		[NETWORK_CONTAINERS] = "containers or virtual machines",
		[NETWORK_INSIDE] = "of the container that this runs in",
		[NETWORK_WSL] = "behind the NAT of WSL 2",
		[NETWORK_VPN] = "a VPN",
		[NETWORK_LINK] = "nobody gave it one",
	};

	return names[n];
}

/* "10.8.0.2 (tun0: a VPN)", …, those of the networks in the set. */
static size_t add_addresses(struct buf *out, const struct host *h, unsigned set)
{
	size_t count = 0;

	for (size_t i = 0; i < h->addresses; i++) {
		const struct host_address *a = &h->address[i];

		if (!(set >> a->network & 1))
			continue;
		buf_printf(out, "%s%s (%s%s%s)", count++ > 0 ? ", " : "",
			   a->text, a->interface,
			   a->network == NETWORK_OUTSIDE ? "" : ": ",
			   network_name(a->network));
	}
	return count;
}

#define NETWORKS(n) (1u << (n))
#define ALL_NETWORKS (~0u)
#define CONTAINER_NETWORKS \
	(NETWORKS(NETWORK_CONTAINERS) | NETWORKS(NETWORK_INSIDE))

static enum stage_verdict judge_net(const struct host *h, struct diag *d,
				    struct buf *words)
{
	CLEANUP(buf_done) struct buf inside = { 0 }, names = { 0 };
	size_t good = add_addresses(words, h, NETWORKS(NETWORK_OUTSIDE));

	if (good == 0) {
		CLEANUP(buf_done) struct buf all = { 0 };

		add_addresses(&all, h, ALL_NETWORKS);
		buf_text(words, "no address for boards");
		diag_found(d, H802, NO_PROOF, "%s",
			   all.len ? buf_string(&all) : "no IPv4 address");
	}
	if (add_addresses(&inside, h, CONTAINER_NETWORKS))
		diag_found(d, H808, NO_PROOF, "%s", buf_string(&inside));
	for (size_t i = 0; i < h->proxies.count; i++)
		buf_printf(&names, "%s%s", i > 0 ? " " : "",
			   h->proxies.word[i]);
	if (names.len)
		diag_found(d, H806, NO_PROOF, "%s", buf_string(&names));
	return good ? STAGE_OK : STAGE_ODD;
}

/* ---- ports ---- */

static void add_owner(struct buf *out, const struct host_port *p)
{
	if (p->owner.pid)
		buf_printf(out, "%s (process %d)", p->owner.program,
			   p->owner.pid);
	else
		buf_text(
			out,
			"one not seen from here (another user's, or in a container)");
}

static enum stage_verdict judge_ports(const struct host *h, struct diag *d,
				      struct buf *words)
{
	CLEANUP(buf_done) struct buf taken = { 0 };

	for (size_t i = 0; i < HOST_PORTS; i++) {
		const struct host_port *p = &h->port[i];

		buf_printf(words, "%s%s%u %s", i > 0 ? ", " : "",
			   p->udp ? "UDP " : "", p->number,
			   p->taken ? "has " : "free");
		if (!p->taken)
			continue;
		add_owner(words, p);
		if (p->by_us || !p->ours)
			continue;
		buf_printf(&taken, "%s%u (%s) has ", taken.len ? "; " : "",
			   p->number, p->whose);
		add_owner(&taken, p);
	}
	if (taken.len)
		diag_found(d, H803, NO_PROOF, "%s", buf_string(&taken));
	return taken.len ? STAGE_ODD : STAGE_OK;
}

/* ---- firewall ---- */

static void add_words(struct buf *out, const struct words *w, const char *after)
{
	for (size_t i = 0; i < w->count; i++)
		buf_printf(out, "%s%s", i > 0 ? ", " : "", w->word[i]);
	if (w->count)
		buf_text(out, after);
}

static enum stage_verdict judge_firewall(const struct host *h, struct diag *d,
					 struct buf *words)
{
	CLEANUP(buf_done) struct buf found = { 0 };

	add_words(&found, &h->firewalls, "");
	if (found.len)
		diag_found(d, H801, NO_PROOF, "%s", buf_string(&found));
	else
		buf_text(words,
			 "no sign of ufw, firewalld, nftables or iptables; ");
	if (h->unread.count) {
		add_words(words, &h->unread, "");
		buf_text(words, " can be read by root only; ");
	}
	buf_text(
		words,
		"the rules in force are not read, which takes root: sudo nft list ruleset");
	return found.len ? STAGE_ODD : STAGE_OK;
}

/* ---- clock ---- */

#define CLOCK_SLACK 300 /* seconds: a file of another machine may be ahead */

static const char *stamp(int64_t seconds, char *out)
{
	clock_utc_at(out, seconds * 1000);
	out[strlen("2026-08-08T12:01")] = '\0';
	return out;
}

static const char *synchronization(int known)
{
	if (known < 0)
		return "whether it is synchronized cannot be asked";
	return known ? "the kernel has been told that it is synchronized" :
		       "the kernel has not been told that it is synchronized";
}

static enum stage_verdict judge_clock(const struct host *h, struct diag *d,
				      struct buf *words)
{
	char now[STAMP_SIZE], newest[STAMP_SIZE];
	bool behind = h->newest > h->now + CLOCK_SLACK;

	buf_printf(words, "%s UTC; ", stamp(h->now, now));
	if (behind)
		diag_found(d, H804, NO_PROOF,
			   "it says %s UTC, and %s was written %s", now,
			   h->newest_file, stamp(h->newest, newest));
	else if (h->newest)
		buf_printf(words, "no file looked at is newer (%s %s); ",
			   h->newest_file, stamp(h->newest, newest));
	buf_printf(words, "%s; whether it is ahead no file shows",
		   synchronization(h->synchronized));
	return behind ? STAGE_ODD : STAGE_OK;
}

/* ---- broker ---- */

#define VERSION_LEAST 2 /* that loads such a plugin */

static enum stage_verdict judge_broker(const struct host *h, struct diag *d,
				       struct buf *words)
{
	const char *missing = !h->mosquitto ? h->no_mosquitto.text :
			      !h->plugin    ? h->no_plugin.text :
					      NULL;
	int major = 0;

	if (missing) {
		buf_text(words, "serve --mqtt cannot start");
		diag_found(d, H805, NO_PROOF, "%s", missing);
		return STAGE_ODD;
	}
	if (!*h->version) {
		buf_printf(words,
			   "%s does not tell its version; the plugin is there",
			   h->mosquitto);
		return STAGE_ODD;
	}
	for (const char *c = h->version; *c >= '0' && *c <= '9' && major < 100;
	     c++)
		major = major * 10 + *c - '0';
	buf_printf(words, "mosquitto %s, %s; the plugin is %s", h->version,
		   h->mosquitto, h->plugin);
	if (major >= VERSION_LEAST)
		return STAGE_OK;
	diag_found(d, H805, NO_PROOF, "mosquitto %s is older than 2.0",
		   h->version);
	return STAGE_ODD;
}

/* ---- limits ---- */

#define FILES_FEW 1024 /* what Linux gives a process that asks for no more */

static enum stage_verdict judge_limits(const struct host *h, struct diag *d,
				       struct buf *words)
{
	if (h->files_hard == UINT64_MAX) {
		buf_text(words, "open files without limit");
		return STAGE_OK;
	}
	buf_printf(words,
		   "%llu open files, which serve raises by itself up to %llu",
		   (unsigned long long)h->files,
		   (unsigned long long)h->files_hard);
	if (h->files_hard >= FILES_FEW)
		return STAGE_OK;
	diag_found(d, H807, NO_PROOF, "%llu at most",
		   (unsigned long long)h->files_hard);
	return STAGE_ODD;
}

const struct here_stage here_stages[] = {
	{ "net", judge_net },
	{ "ports", judge_ports },
	{ "firewall", judge_firewall },
	{ "clock", judge_clock },
	{ "broker", judge_broker },
	{ "limits", judge_limits },
	{ NULL, NULL },
};

int check_here(struct checkup *k, const char *url, struct error *err)
{
	struct app *app = k->in->app;
	struct host h;

	(void)url;
	if (app_open_loop(app, err))
		return -1;
	host_read(&h, "");
	host_read_addresses(&h);
	host_read_broker(&h, app->loop);
	for (const struct here_stage *s = here_stages; s->name; s++) {
		CLEANUP(buf_done) struct buf words = { 0 };
		enum stage_verdict verdict = s->judge(&h, k->diag, &words);

		check_stage(k, s->name, verdict, "%s", buf_string(&words));
	}
	host_done(&h);
	return check_end(k, err);
}

int check_here_plan(struct checkup *k, struct error *err)
{
	(void)err;
	planned_end(k, ": this machine is looked at");
	return 0;
}
