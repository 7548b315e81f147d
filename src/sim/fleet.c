/* SPDX-License-Identifier: MIT */
/*
 * Starts callers at a rate, counts what they report, ends them. One caller's
 * life is board_link.c's matter.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "diag/finding.h"
#include "net/why.h"
#include "sim/fleet.h"
#include "sim/identity.h"
#include "wire/broker_topic.h"
#include "wire/refusal.h"

/* The first row that fits counts: special ones stand before general ones. */

#define STANDS_IN_OTA \
	"that address stands in the OTA reply: a device must reach it (of 'mcpctl serve', --advertise says another)"
#define OTA_KNOWS_IDS \
	"a board sends OTA no token, only its Device-Id and Client-Id: does the backend know them (--device-id, --client-id)? or does a proxy in front of it want a login?"
#define OTHER_TOKEN_OR_ID \
	"it may want another token (MCPCTL_SIM_TOKEN or --token-file), or know another --device-id"
#define IS_WEBSOCKET "is a WebSocket server there, and is it ws:// or wss://?"
#define IS_TOLD_WEBSOCKET \
	"that address stands in the OTA reply: is a WebSocket server there, and is it ws:// or wss://?"
#define IS_OTA "is the OTA of a backend there, and is it http:// or https://?"

#define ANY INT_MIN, INT_MAX
#define NUMBER(n) n, n

static const struct advice_row {
	enum why what;
	int from, to; /* the error's code */
	unsigned facts; /* all of these */
	const char *hint; /* NULL: the error's own */
} rows[] = {
	{ WHY_STATUS, NUMBER(401), ADVICE_OTA, OTA_KNOWS_IDS },
	{ WHY_STATUS, NUMBER(401), ADVICE_BROKER, NULL },
	{ WHY_STATUS, NUMBER(401), ADVICE_TOKEN,
	  "the token that was given is not taken there: check MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(401), ADVICE_OTA_TOKEN,
	  "the token of the OTA reply is not taken there: do both belong to the same backend?" },
	{ WHY_STATUS, NUMBER(401), ADVICE_TOLD,
	  "the OTA reply gives no token: it should, or give one by MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(401), 0,
	  "give its token by MCPCTL_SIM_TOKEN or --token-file" },
	{ WHY_STATUS, NUMBER(403), ADVICE_OTA, OTA_KNOWS_IDS },
	{ WHY_STATUS, NUMBER(403), 0, OTHER_TOKEN_OR_ID },
	{ WHY_STATUS, NUMBER(404), ADVICE_OTA,
	  "is this the path of its OTA? (often /xiaozhi/ota/)" },
	{ WHY_STATUS, NUMBER(404), ADVICE_TOLD,
	  "that address stands in the OTA reply: is its path that of the WebSocket? a proxy must pass Upgrade on" },
	{ WHY_STATUS, NUMBER(404), 0,
	  "is this the path of its WebSocket? a proxy must pass Upgrade on" },

	{ WHY_CONNACK, 4, 5, ADVICE_TOLD,
	  "client id, user name and password are those of the OTA reply: does the broker know them?" },

	{ WHY_NO_CONNECTION, NUMBER(EMFILE), 0,
	  "this process may not open more files (ulimit -n)" },
	{ WHY_NO_CONNECTION, NUMBER(ENFILE), 0,
	  "this machine has no more files to open (sysctl fs.file-max)" },
	{ WHY_NO_CONNECTION, ANY, ADVICE_TOLD, STANDS_IN_OTA },
	{ WHY_NO_CONNECTION, ANY, ADVICE_BROKER, NULL },
	{ WHY_NO_CONNECTION, NUMBER(ECONNREFUSED), 0,
	  "is the backend running, and is this its address?" },
	{ WHY_NO_CONNECTION, NUMBER(ETIMEDOUT), 0,
	  "is this its address, and in this network? a firewall can drop it too" },
	{ WHY_NO_CONNECTION, NUMBER(ENETUNREACH), 0,
	  "is this machine in the same network?" },
	{ WHY_NO_CONNECTION, NUMBER(EHOSTUNREACH), 0,
	  "is this machine in the same network?" },
	{ WHY_NO_HOST, ANY, ADVICE_TOLD, STANDS_IN_OTA },
	{ WHY_NO_HOST, ANY, 0, "check the name, or use its IP address" },
	{ WHY_NO_NAMESERVER, ANY, 0, "try its IP address" },

	{ WHY_TLS_SILENT, ANY, 0, "does it speak TLS there?" },
	{ WHY_SILENT, ANY, ADVICE_BROKER, NULL },
	{ WHY_CLOSED, ANY, ADVICE_BROKER, NULL },
	{ WHY_FOREIGN, ANY, ADVICE_BROKER, NULL },
	{ WHY_CLOSED, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_CUT, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_FOREIGN, ANY, ADVICE_OTA, IS_OTA },
	{ WHY_SILENT, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_CLOSED, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_FOREIGN, ANY, ADVICE_TOLD, IS_TOLD_WEBSOCKET },
	{ WHY_CLOSED, ANY, 0, IS_WEBSOCKET },
	{ WHY_FOREIGN, ANY, 0, IS_WEBSOCKET },
};

static const char *find(int reason, int code, unsigned facts)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct advice_row *r = &rows[i];

		if ((int)r->what == reason && code >= r->from &&
		    code <= r->to && !(r->facts & ~facts))
			return r->hint;
	}
	return NULL;
}

const char *advice_for(const struct error *why, unsigned facts)
{
	return find(why->reason, why->code, facts);
}

const char *advice_for_credentials(unsigned facts)
{
	return find(WHY_STATUS, 401, facts);
}

#define STANDBY_MS 1500 /* of silence, then a session is begun */
#define END_MS 3000 /* for hanging up */
#define FILES_BESIDES 64 /* open files that are no devices */
#define FILES_MQTT \
	4 /* of a device: the broker, UDP, a pair of libmosquitto's */

struct fleet {
	const struct fleet_order *order;
	const struct sim_options *options; /* the order's */
	struct board_link_plan plan;
	struct tally *tally; /* the order's */
	struct board_link *caller;
	size_t count, started, finished, closed;
	struct timer pace;
	struct timer quiet; /* since the last text of a backend */
	int64_t began; /* loop_now() of the first dial */
	bool stands_by; /* MQTT: no session was begun yet */
	bool said; /* what the user says */
	bool listens; /* to what is answered to that */
	bool done, all_closed, pace_gone, quiet_gone;
	char *dialled; /* the address of the last one; NULL */
	char *refused_at; /* the address behind OTA that refused last; NULL */
	struct error refusal; /* the last one, with what to do about it */
	bool ota_led_nowhere; /* it is what OTA's reply says */
};

PRINTF_LIKE(3, 4)
static void line(const struct fleet *f, const struct board_link *c,
		 const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	const struct sim_observer *o = f->order->observer;
	va_list args;

	if (!o || !o->line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	o->line(o->owner, c->number, text);
}

/* How long it may be silent. */
static int64_t patience(const struct fleet *f)
{
	const struct sim_options *o = f->options;

	if (f->stands_by)
		return STANDBY_MS;
	if (f->listens)
		return o->say_wait;
	return o->quiet;
}

/* Something came of the backend. */
static void stir(struct fleet *f)
{
	if (f->options->quiet)
		timer_start(&f->quiet, patience(f));
}

static void on_step(struct board_link *c, enum board_link_step step,
		    const char *text)
{
	struct fleet *f = c->fleet;

	switch (step) {
	case CALLER_ASKS:
		c->answered = c->read_reply = false;
		line(f, c, "asks OTA at %s", text);
		break;
	case CALLER_DIALS:
		c->welcomed = c->called = false;
		c->answered = f->options->ota != NULL;
		mem_free(f->dialled);
		f->dialled = mem_strdup(text);
		line(f, c, "dials %s", text);
		break;
	case CALLER_OPENED:
		f->tally->sum.dialled++;
		f->stands_by |= f->options->session && c->device.config.mqtt;
		stir(f);
		line(f, c, "connected as %s", c->device.device_id);
		break;
	case CALLER_CLOSED:
		f->tally->sum.closed++;
		line(f, c, "connection over: %s", text);
		break;
	}
}

static bool is_given(const char *token)
{
	return token && *token;
}

static unsigned facts_of(const struct board_link *c)
{
	unsigned facts = c->answered ? ADVICE_TOLD : 0;

	if (c->plan->ota && !c->answered)
		return ADVICE_OTA;
	if (c->device.config.mqtt)
		return facts | ADVICE_BROKER;
	if (is_given(c->plan->token))
		return facts | ADVICE_TOKEN;
	if (c->answered && is_given(c->stored_token))
		facts |= ADVICE_OTA_TOKEN;
	return facts;
}

static void on_refused(struct board_link *c, const struct error *why)
{
	struct fleet *f = c->fleet;
	const char *advice = advice_for(why, facts_of(c));
	CLEANUP(mem_free_ptr) char *text = error_line(why);

	f->tally->sum.refused++;
	error_copy(&f->refusal, why);
	if (advice)
		error_hint(&f->refusal, "%s", advice);
	mem_free(f->refused_at);
	f->refused_at = c->answered ? mem_strdup(f->dialled) : NULL;
	f->ota_led_nowhere = c->read_reply && !c->answered;
	line(f, c, "not connected: %s", text);
}

static void on_welcomed(struct fleet *f, struct board_link *c)
{
	f->tally->sum.welcomed++;
	if (!c->welcomed)
		samples_add(&f->tally->welcome, loop_now() - c->started);
	c->welcomed = true;
	stir(f);
	line(f, c, "welcomed, session '%s'; listening",
	     c->device.session_id ? c->device.session_id : "");
}

static void on_called(struct fleet *f, struct board_link *c, const char *tool)
{
	f->tally->sum.calls++;
	if (!c->called)
		samples_add(&f->tally->first_call, loop_now() - c->started);
	c->called = true;
	line(f, c, "called: %s", tool);
}

/* In place of a server hello. */
static void on_said(struct fleet *f, const struct board_link *c,
		    const char *text)
{
	struct sim_summary *sum = &f->tally->sum;

	if (!sum->said) {
		sum->said = mem_strdup(text);
		sum->said_credentials = refusal_is_credentials(text);
		if (sum->said_credentials)
			sum->said_advice = advice_for_credentials(facts_of(c));
	}
	line(f, c, "the backend says: %s", text);
}

static void on_note(struct board_link *c, enum pretend_note what,
		    const char *text)
{
	struct fleet *f = c->fleet;

	switch (what) {
	case DEVICE_WELCOMED:
		on_welcomed(f, c);
		break;
	case DEVICE_INITIALIZED:
		f->tally->sum.initialized++;
		line(f, c, "initialized");
		break;
	case DEVICE_LISTED:
		f->tally->sum.listed++;
		line(f, c, "tools are being listed");
		break;
	case DEVICE_CALLED:
		on_called(f, c, text);
		break;
	case DEVICE_SPOKEN:
		f->listens = false;
		stir(f);
		break;
	case DEVICE_REFUSED:
		on_said(f, c, text);
		break;
	case DEVICE_LINE:
		line(f, c, "%s", text);
		break;
	}
}

void fleet_found(const struct fleet_order *order, const struct finding *f,
		 const char *detail, const char *device)
{
	const struct sim_observer *o = order->observer;

	if (detail)
		tally_found(order->tally, f, detail);
	if (o && o->found && (!detail || f->count == 1))
		o->found(o->owner, device, f, detail);
}

static void on_finding(struct board_link *c, const struct finding *found,
		       const char *detail)
{
	const struct fleet *f = c->fleet;

	fleet_found(f->order, found, detail, c->device.device_id);
}

static void on_died(struct board_link *c, enum diag_code of)
{
	const struct fleet *f = c->fleet;

	tally_died(f->tally, of);
}

void fleet_trace(const struct fleet_order *order, const struct trace *t,
		 const char *device)
{
	const struct sim_observer *o = order->observer;
	struct trace told = *t;

	if (!o || !o->trace)
		return;
	told.at_us = loop_now_us() - order->opened_us;
	told.device = device;
	o->trace(o->owner, &told);
}

static void on_frame(struct board_link *c, const struct trace *t)
{
	struct fleet *f = c->fleet;
	struct trace told = *t;

	if (!t->outgoing)
		stir(f);
	told.id = c->device.device_id;
	fleet_trace(f->order, &told, f->count > 1 ? c->device.device_id : NULL);
}

static void on_finished(struct board_link *c)
{
	struct fleet *f = c->fleet;

	f->done = ++f->finished == f->count;
}

static void count_closed(struct fleet *f)
{
	f->all_closed = f->pace_gone && f->quiet_gone && f->closed == f->count;
}

static void on_closed(struct board_link *c)
{
	struct fleet *f = c->fleet;

	f->closed++;
	count_closed(f);
}

static const struct board_link_events caller_events = {
	.step = on_step,
	.refused = on_refused,
	.note = on_note,
	.finding = on_finding,
	.died = on_died,
	.frame = on_frame,
	.finished = on_finished,
	.closed = on_closed,
};

/* How many should have been started by now. */
static size_t due(const struct fleet *f)
{
	double rate = f->options->rate;
	double n = (double)(loop_now() - f->began) * rate / 1000 + 1;

	if (rate <= 0 || n >= (double)f->count)
		return f->count;
	return (size_t)n;
}

static void on_pace(void *owner)
{
	struct fleet *f = owner;
	size_t until = due(f);
	double left;

	while (f->started < until)
		board_link_start(&f->caller[f->started++]);
	if (f->started == f->count)
		return;
	/* When the next one is due; at most fifty turns a second. */
	left = (double)f->started * 1000 / f->options->rate -
	       (double)(loop_now() - f->began);
	timer_start(&f->pace, left > 20 ? (int64_t)left : 20);
}

/* As many descriptors as the devices need, as far as the system lets us. */
static int raise_files(size_t count, bool mqtt, struct error *err)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)count * (mqtt ? FILES_MQTT : 1) + FILES_BESIDES;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return 0;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	if (!setrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur >= wanted)
		return 0;
	error_set(
		err, ERR_USAGE,
		"%zu devices need more open files than the %llu that are allowed",
		count, (unsigned long long)limit.rlim_max);
	return error_hint(
		err,
		"raise the hard limit (ulimit -Hn N, as root), or take fewer devices");
}

/* A client id that tells the Device-Id is that board's. */
static const char *first_id(const struct fleet *f, char mac[18])
{
	const struct endpoint *e = f->plan.mqtt;

	if (f->options->device_id)
		return f->options->device_id;
	if (e && client_id_mac(e->path, mac))
		return mac;
	return f->order->profile->device_id;
}

static void make(struct fleet *f)
{
	const struct profile *p = f->order->profile;
	const struct sim_options *o = f->options;
	char told[18];
	const char *id = first_id(f, told);
	const char *client = o->client_id ? o->client_id : p->client_id;

	f->caller = mem_zalloc(f->count * sizeof(*f->caller));
	for (size_t i = 0; i < f->count; i++) {
		CLEANUP(mem_free_ptr) char *mac = identity_device(id, i);
		CLEANUP(mem_free_ptr) char *uuid = identity_client(client, i);
		struct board_link *c = &f->caller[i];
		struct pretend_config config = {
			.loop = f->order->loop,
			.profile = p,
			.frame_version = 1,
			.audio = o->audio,
			.wake_word = o->wake_word,
			.photo = f->order->photo,
			.outside = o->outside,
			.counts = &f->tally->counts,
			.trust = &f->plan.trust,
		};

		fault_plan_for(f->order->faults, i + 1, &config.faults);
		c->fleet = f;
		c->number = i + 1;
		c->events = &caller_events;
		board_link_init(c, &f->plan, &config, mac, uuid);
	}
}

static void on_pace_closed(void *owner)
{
	struct fleet *f = owner;

	f->pace_gone = true;
	count_closed(f);
}

/* A tool runs, or the server hello is waited for: a board has its own times. */
static bool is_busy(const struct fleet *f)
{
	for (size_t i = 0; i < f->started; i++) {
		if (f->caller[i].device.busy)
			return true;
	}
	return false;
}

static void wake(struct fleet *f)
{
	f->stands_by = false;
	for (size_t i = 0; i < f->started; i++)
		pretend_begin_session(&f->caller[i].device);
}

/* False: nobody has a session in which something could be said. */
static bool say(struct fleet *f)
{
	for (size_t i = 0; i < f->started; i++)
		f->listens |= pretend_say_words(&f->caller[i].device,
						f->options->say);
	f->said = true;
	return f->listens;
}

static void on_quiet(void *owner)
{
	struct fleet *f = owner;
	const bool busy = is_busy(f);

	if (!busy && f->stands_by)
		wake(f);
	else if (!busy && (f->said || !f->options->say || !say(f)))
		f->done = true;
	if (!f->done)
		stir(f);
}

static void on_quiet_closed(void *owner)
{
	struct fleet *f = owner;

	f->quiet_gone = true;
	count_closed(f);
}

static void finish(struct fleet *f)
{
	timer_close(&f->pace, on_pace_closed);
	timer_close(&f->quiet, on_quiet_closed);
	for (size_t i = 0; i < f->count; i++)
		board_link_close(&f->caller[i]);
	while (loop_wait(f->order->loop, &f->all_closed, loop_now() + END_MS,
			 NULL))
		; /* handles still point into what is freed next */
	mem_free(f->caller);
}

/* Ended by itself: was anybody let in? */
static int verdict(const struct fleet *f, struct error *err)
{
	const struct sim_options *o = f->options;
	const char *url = o->ota     ? o->ota :
			  o->connect ? o->connect :
				       "the broker";
	enum error_kind kind;

	if (f->tally->sum.dialled)
		return 0;
	if (!f->tally->sum.refused)
		return error_set(
			err, ERR_TIMEOUT,
			"not connected to '%s' within the time of --for",
			f->dialled ? f->dialled : url);
	kind = f->refusal.kind == ERR_AUTH ? ERR_AUTH : ERR_CONNECT;
	if (f->refused_at)
		error_set(
			err, kind,
			"OTA at '%s' answered, and '%s' did not let %s in: %s",
			url, f->refused_at,
			f->count == 1 ? "the device" : "any device",
			f->refusal.text);
	else if (f->ota_led_nowhere)
		error_set(err, kind,
			  "OTA at '%s' answered, and leads nowhere: %s", url,
			  f->refusal.text);
	else
		error_set(err, kind, "not connected to '%s': %s", url,
			  f->refusal.text);
	if (f->refusal.has_code)
		error_code(err, f->refusal.code);
	error_reason(err, f->refusal.reason);
	error_finding(err, f->refusal.finding);
	return error_hint(err, "%s", f->refusal.hint);
}

int fleet_run(const struct fleet_order *order, struct error *err)
{
	const struct sim_options *o = order->options;
	struct fleet f = {
		.order = order,
		.options = o,
		.tally = order->tally,
		.count = o->devices ? (size_t)o->devices : 1,
		.plan = { .loop = order->loop,
			  .connect = order->mqtt ? NULL : o->connect,
			  .mqtt = order->mqtt,
			  .broker = o->broker,
			  .ota = o->ota,
			  .subscribe = o->subscribe,
			  .password = o->password,
			  .trust = { o->cacert, o->insecure },
			  .audio = &order->tally->sum.audio,
			  .token = o->token,
			  .frame_version = o->frame_version,
			  .install = o->install,
			  .reconnect = o->reconnect },
	};
	int64_t until = LOOP_FOREVER;
	int status;

	/* Where OTA sends them is not known yet: the many are then tried. */
	if (o->ota)
		raise_files(f.count, true, NULL);
	if (raise_files(f.count, order->mqtt || o->broker, err))
		return -1;
	f.tally->sum.devices = f.count;
	make(&f);
	timer_open(&f.pace, order->loop, on_pace, &f);
	timer_open(&f.quiet, order->loop, on_quiet, &f);
	f.began = loop_now();
	if (o->run_for)
		until = f.began + o->run_for;
	timer_start(&f.pace, 0);
	status = loop_stay(order->loop, &f.done, until, err);
	finish(&f);
	if (!status)
		status = verdict(&f, err);
	error_reset(&f.refusal);
	mem_free(f.dialled);
	mem_free(f.refused_at);
	return status;
}

/* Counters become a summary. */

static void named_add(struct sim_named *n, const char *name, uint64_t count)
{
	if (!count)
		return;
	n->count = mem_grow(n->count, &n->capacity, n->name.count,
			    sizeof(*n->count));
	n->count[n->name.count] = count;
	words_add(&n->name, name);
}

static void named_done(struct sim_named *n)
{
	words_done(&n->name);
	mem_free(n->count);
}

void sim_summary_done(struct sim_summary *s)
{
	mem_free(s->said);
	for (size_t i = 0; i < s->found_count; i++)
		mem_free(s->found[i].detail);
	mem_free(s->found);
	mem_free(s->ignored_hello);
	named_done(&s->lost_tools);
	named_done(&s->lost_replies);
	*s = (struct sim_summary){ 0 };
}

void tally_found(struct tally *t, const struct finding *f, const char *detail)
{
	struct sim_found *all = &t->found[f->code];

	all->code = f->code;
	all->times++;
	all->connections += f->count == 1;
	if (!all->detail)
		all->detail = mem_strdup(detail);
}

void tally_died(struct tally *t, enum diag_code of)
{
	t->found[of].fatal = true;
}

void sim_found_title(struct buf *out, const struct sim_found *found)
{
	const struct finding f = { .code = found->code,
				   .detail = found->detail };

	finding_title(out, &f, NULL);
}

/* It came, and the device goes on waiting. */
static bool ignores_hello(const struct sim_found *found)
{
	return !found->fatal && (found->code == B202 || found->code == B210 ||
				 found->code == M407);
}

static char *title_of(const struct sim_found *found)
{
	struct buf text = { 0 };

	sim_found_title(&text, found);
	return buf_take(&text);
}

static void take_found_of(const struct tally *t, enum severity severity,
			  struct sim_summary *out)
{
	for (size_t i = 0; i < DIAG_CODE_COUNT; i++) {
		if (!t->found[i].times ||
		    finding_row((enum diag_code)i)->severity != severity)
			continue;
		out->found[out->found_count++] = t->found[i];
		if (!out->ignored_hello && ignores_hello(&t->found[i]))
			out->ignored_hello = title_of(&t->found[i]);
	}
}

static void take_found(const struct tally *t, struct sim_summary *out)
{
	out->found = mem_zalloc(DIAG_CODE_COUNT * sizeof(*out->found));
	take_found_of(t, SEVERITY_ERROR, out);
	take_found_of(t, SEVERITY_WARNING, out);
	take_found_of(t, SEVERITY_NOTE, out);
}

static void take_counts(struct counts *c, struct sim_summary *out)
{
	size_t count = c->catalog ? c->catalog->count : 0;

	out->requests = c->requests;
	out->tool_calls = c->calls;
	out->sessions = c->sessions;
	out->hellos = c->hellos;
	out->unheard = c->unheard;
	out->listed_whole = c->listed_whole;
	out->answer_p50 = samples_percentile(&c->answer_us, 50);
	out->answer_p99 = samples_percentile(&c->answer_us, 99);
	for (size_t i = 0; i < count; i++) {
		const char *name = c->catalog->tool[i].name;

		named_add(&out->lost_tools, name, c->tool[i].unlisted);
		named_add(&out->lost_replies, name,
			  asked_unanswered(&c->tool[i].calls));
	}
	counts_done(c);
}

void tally_finish(struct tally *t, struct sim_summary *out)
{
	*out = t->sum;
	out->welcome_p50 = samples_percentile(&t->welcome, 50);
	out->welcome_p99 = samples_percentile(&t->welcome, 99);
	out->first_call_p50 = samples_percentile(&t->first_call, 50);
	out->first_call_p99 = samples_percentile(&t->first_call, 99);
	take_found(t, out);
	take_counts(&t->counts, out);
	samples_done(&t->welcome);
	samples_done(&t->first_call);
	*t = (struct tally){ 0 };
}
