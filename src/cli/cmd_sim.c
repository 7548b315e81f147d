/* SPDX-License-Identifier: MIT */
/*
 * sim: pretend devices that dial in, join a broker, or listen as otto-robot
 * boards do. What they do stands on stderr, what was seen of the backend on
 * stdout at the end. Services that are no devices are run here too.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/text_safe.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/judged.h"
#include "cli/setup.h"
#include "cli/trace.h"
#include "clients/mcp_port.h"
#include "out/render.h"
#include "out/render_json.h"
#include "out/wrap.h"
#include "sim/arduino.h"
#include "sim/arduino_dial.h"
#include "sim/fleet.h"
#include "sim/ollama.h"
#include "sim/service.h"
#include "sim/service_answerer.h"
#include "sim/sim.h"

struct sim_service {
	const char *profile;
	const char *listen; /* NULL: 127.0.0.1:8088 */
	int64_t run_for; /* ms; 0: until Ctrl-C */
	struct admit_options admit;
	struct exec_config outside; /* its loop does not count */
};

/* -v and --trace: what goes over the wire, of devices and services alike. */

static void show_frame(struct app *app, const struct trace *t)
{
	if (app->out.verbose)
		render_trace(&app->out, t);
	trace_write(app, t);
}

/* audio: with --audio of its own it says some, which is kept then. */
static int open_trace(struct app *app, enum diag_leg leg, bool audio,
		      struct error *err)
{
	const struct trace_role role = {
		.as = "sim", .device = true, .audio = audio, .leg = leg
	};

	return trace_begin(app, &role, err);
}

/* Runs a pretend service at a port, and shows what happens there. */

struct service_showing {
	struct app *app;
	int64_t opened_us;
};

static void show_message(void *owner, bool outgoing, const char *text,
			 size_t len)
{
	const struct service_showing *s = owner;
	const struct trace t = { .at_us = loop_now_us() - s->opened_us,
				 .outgoing = outgoing,
				 .kind = "text",
				 .data = text,
				 .len = len };

	show_frame(s->app, &t);
}

static void show_line_service(void *owner, const char *text)
{
	const struct service_showing *s = owner;

	render_note(&s->app->out, "%s", text);
}

static void show_listening_service(void *owner, const char *url)
{
	const struct service_showing *s = owner;

	render_note(&s->app->out, "listening at %s", url);
}

static int listen_for(struct app *app, struct service *s,
		      const struct sim_service *o,
		      struct service_showing *showing, struct error *err)
{
	const struct answerer answerer = service_answerer(s);
	const struct service_reach reach = service_reach(s);
	const struct mcp_port_options options = {
		.listen = o->listen,
		.admit = o->admit,
		.idle = reach.session_ms,
		.path = reach.path,
		.body_max = (size_t)reach.body_max,
		.connections_max = (size_t)reach.sockets,
		.by = "played by 'mcpctl sim'"
	};
	const struct mcp_port_observer observer = { show_listening_service,
						    show_line_service,
						    showing };
	int64_t until = o->run_for ? loop_now() + o->run_for : LOOP_FOREVER;
	struct mcp_port *port;
	int status;

	if (mcp_port_open(&port, app->loop, &answerer, &options, &observer,
			  err))
		return -1;
	status = loop_stay(app->loop, NULL, until, err);
	mcp_port_close(port);
	return status;
}

/* Until the time is over or Ctrl-C; what happens stands on stderr. -1: err, as service_load and mcp_port_open. */
static int sim_service_run(struct app *app, const struct sim_service *o,
			   struct error *err)
{
	struct service_showing showing = { .app = app,
					   .opened_us = loop_now_us() };
	struct service_config config = { .outside = o->outside,
					 .line = show_line_service,
					 .owner = &showing };
	struct service *s;
	int status;

	if (app->out.verbose || app->config.trace)
		config.message = show_message;
	if (open_trace(app, LEG_HTTP, false, err) || app_open_loop(app, err))
		return -1;
	config.loop = config.outside.loop = app->loop;
	s = service_load(o->profile, &config, err);
	if (!s)
		return -1;
	status = listen_for(app, s, o, &showing, err);
	service_free(s);
	return status;
}

/* What the simulated devices saw of a backend, at the end of sim. */

/* ',"welcome_ms":{"p50":3,"p99":9}', null where there is none. */
static void add_latency_json(struct buf *out, const char *name, int64_t p50,
			     int64_t p99)
{
	if (p50 < 0)
		buf_printf(out, ",\"%s\":null", name);
	else
		buf_printf(out,
			   ",\"%s\":{\"p50\":%" PRId64 ",\"p99\":%" PRId64 "}",
			   name, p50, p99);
}

static void add_audio_json(struct buf *out, const struct sim_audio *a)
{
	buf_printf(out,
		   ",\"audio\":{\"sent\":%" PRIu64 ",\"received\":%" PRIu64
		   ",\"broken\":%" PRIu64 ",\"repeated\":%" PRIu64
		   ",\"lost\":%" PRIu64 "}",
		   a->sent, a->received, a->broken, a->repeated, a->lost);
}

static void add_asked_json(struct buf *out, const char *name,
			   const struct asked_counts *a)
{
	buf_printf(out,
		   ",\"%s\":{\"came\":%" PRIu64 ",\"answered\":%" PRIu64
		   ",\"refused\":%" PRIu64 ",\"unanswered\":%" PRIu64 "}",
		   name, a->came, a->answered, a->refused, asked_unanswered(a));
}

/* ',"lost_tools":[{"name":"self.x","connections":1}]' */
static void add_named_json(struct buf *out, const char *name,
			   const char *counted, const struct sim_named *n)
{
	buf_printf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n->name.count; i++) {
		buf_text(out, i ? ",{\"name\":" : "{\"name\":");
		buf_json_string(out, n->name.word[i], strlen(n->name.word[i]));
		buf_printf(out, ",\"%s\":%" PRIu64 "}", counted, n->count[i]);
	}
	buf_char(out, ']');
}

static void add_finding_json(struct buf *out, const struct sim_found *f)
{
	const struct finding_row *row = finding_row(f->code);

	buf_printf(out,
		   "{\"code\":\"%s\",\"severity\":\"%s\",\"title\":", row->code,
		   severity_name(row->severity));
	buf_json_string(out, row->title, strlen(row->title));
	buf_text(out, ",\"detail\":");
	buf_json_string(out, f->detail, strlen(f->detail));
	buf_printf(out,
		   ",\"connections\":%" PRIu64 ",\"times\":%" PRIu64
		   ",\"fatal\":%s}",
		   f->connections, f->times, f->fatal ? "true" : "false");
}

static void add_findings_json(struct buf *out, const struct sim_summary *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < s->found_count; i++) {
		if (i)
			buf_char(&text, ',');
		add_finding_json(&text, &s->found[i]);
	}
	buf_text(out, ",\"findings\":[");
	mask_secrets(out, buf_string(&text), text.len);
	buf_char(out, ']');
}

static void add_json(struct buf *out, const struct sim_summary *s)
{
	buf_printf(out,
		   "{\"devices\":%" PRIu64 ",\"dialled\":%" PRIu64
		   ",\"refused\":%" PRIu64 ",\"welcomed\":%" PRIu64
		   ",\"initialized\":%" PRIu64 ",\"listed\":%" PRIu64
		   ",\"listed_whole\":%" PRIu64 ",\"calls\":%" PRIu64
		   ",\"closed\":%" PRIu64,
		   s->devices, s->dialled, s->refused, s->welcomed,
		   s->initialized, s->listed, s->listed_whole, s->calls,
		   s->closed);
	add_asked_json(out, "requests", &s->requests);
	add_asked_json(out, "tool_calls", &s->tool_calls);
	add_latency_json(out, "welcome_ms", s->welcome_p50, s->welcome_p99);
	add_latency_json(out, "first_call_ms", s->first_call_p50,
			 s->first_call_p99);
	add_latency_json(out, "answer_us", s->answer_p50, s->answer_p99);
	add_named_json(out, "lost_tools", "connections", &s->lost_tools);
	add_named_json(out, "lost_replies", "times", &s->lost_replies);
	add_audio_json(out, &s->audio);
	add_findings_json(out, s);
	buf_char(out, '}');
}

/* "4 ms", or "4 ms (p50), 9 ms (p99)"; unit: µs of one. */
static void add_times(struct buf *out, int64_t p50, int64_t p99, int64_t unit)
{
	const double ms = (double)unit / 1000;
	const int digits = unit < 1000;

	buf_printf(out, "%.*f ms", digits, (double)p50 * ms);
	if (p50 != p99)
		buf_printf(out, " (p50), %.*f ms (p99)", digits,
			   (double)p99 * ms);
}

static void add_asked(struct buf *out, const char *heading,
		      const struct asked_counts *a)
{
	buf_printf(out, "%-13s%" PRIu64, heading, a->came);
	if (a->came)
		buf_printf(out,
			   ": answered %" PRIu64 ", refused %" PRIu64
			   ", unanswered %" PRIu64,
			   a->answered, a->refused, asked_unanswered(a));
	buf_char(out, '\n');
}

static void add_audio(struct buf *out, const struct sim_audio *a)
{
	if (!a->sent && !a->received && !a->broken && !a->repeated)
		return;
	buf_printf(out,
		   "audio        %" PRIu64 " frames sent, %" PRIu64 " received",
		   a->sent, a->received);
	if (a->broken)
		buf_printf(out, ", %" PRIu64 " broken", a->broken);
	if (a->repeated)
		buf_printf(out, ", %" PRIu64 " repeated", a->repeated);
	if (a->lost)
		buf_printf(out, ", %" PRIu64 " lost", a->lost);
	buf_char(out, '\n');
}

#define NAMES_MAX 8 /* shown of what was lost; -o json has all */

/* "lost tools   69: self.a (1), self.b (1), … and 61 more" */
static void add_named(struct buf *out, const char *heading,
		      const struct sim_named *n)
{
	size_t all = n->name.count;

	if (!all)
		return;
	buf_printf(out, "%-13s", heading);
	for (size_t i = 0; i < all && i < NAMES_MAX; i++)
		buf_printf(out, "%s%s (%" PRIu64 ")", i ? ", " : "",
			   n->name.word[i], n->count[i]);
	if (all > NAMES_MAX)
		buf_printf(out, " and %zu more", all - NAMES_MAX);
	buf_char(out, '\n');
}

#define HEADING_COLUMNS 13

/* "B214 warning  a request id is used again: …  3 connections, 12 times" */
static void add_finding(struct buf *out, const struct renderer *r,
			const struct sim_found *f)
{
	const struct wrap how = { HEADING_COLUMNS, HEADING_COLUMNS + 2,
				  r->out_terminal ? r->width : 0 };
	CLEANUP(buf_done)
	struct buf raw = { 0 }, masked = { 0 }, safe = { 0 };
	const struct finding_row *row = finding_row(f->code);

	buf_printf(&raw, "%s %s  ", row->code, severity_name(row->severity));
	sim_found_title(&raw, f);
	buf_text(&raw, "  ");
	wrap_count(&raw, f->connections, "connection");
	buf_text(&raw, ", ");
	wrap_count(&raw, f->times, "time");
	mask_secrets(&masked, buf_string(&raw), raw.len);
	text_safe(&safe, buf_string(&masked), masked.len, TEXT_LINE);
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	buf_char(out, '\n');
}

static void add_findings(struct buf *out, const struct renderer *r,
			 const struct sim_summary *s)
{
	if (!s->found_count)
		buf_text(out, "findings     none\n");
	for (size_t i = 0; i < s->found_count; i++) {
		buf_printf(out, "%-*s", HEADING_COLUMNS, i ? "" : "findings");
		add_finding(out, r, &s->found[i]);
	}
}

static void add_text(struct buf *out, const struct renderer *r,
		     const struct sim_summary *s)
{
	buf_printf(out, "devices      %" PRIu64 "\n", s->devices);
	buf_printf(out, "connected    %" PRIu64 ", refused %" PRIu64 "\n",
		   s->dialled, s->refused);
	buf_printf(out, "welcomed     %" PRIu64, s->welcomed);
	if (s->welcome_p50 >= 0) {
		buf_text(out, "  after ");
		add_times(out, s->welcome_p50, s->welcome_p99, 1000);
	}
	buf_printf(out, "\ninitialized  %" PRIu64 "\n", s->initialized);
	buf_printf(out,
		   "listed       %" PRIu64 "; to the last page: %" PRIu64 "\n",
		   s->listed, s->listed_whole);
	add_asked(out, "requests", &s->requests);
	add_asked(out, "calls", &s->tool_calls);
	if (s->first_call_p50 >= 0) {
		buf_text(out, "first call   ");
		add_times(out, s->first_call_p50, s->first_call_p99, 1000);
		buf_text(out, " after dialling\n");
	}
	if (s->answer_p50 >= 0) {
		buf_text(out, "answers      after ");
		add_times(out, s->answer_p50, s->answer_p99, 1);
		buf_char(out, '\n');
	}
	add_named(out, "never listed", &s->lost_tools);
	add_named(out, "no reply to", &s->lost_replies);
	buf_printf(out, "closed       %" PRIu64 "\n", s->closed);
	add_audio(out, &s->audio);
	add_findings(out, r, s);
}

/* Results: lines, or with -o json one object (see the man page). */
static void sim_summary_show(struct renderer *r, const struct sim_summary *s)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (r->form == OUTPUT_JSON) {
		add_json(&text, s);
		put_json_line(r, &text, (struct span){ 0 });
	} else {
		add_text(&text, r, s);
		put_out(r, &text);
	}
}

#define LINES_MAX 200 /* of many devices, without -v */

struct sim_arguments {
	const char *connect, *ota, *listen, *device_id, *client_id;
	const char *token_file, *rate, *photo, *ollama, *model;
	int64_t devices, run_for, fill, frame_version, ollama_timeout;
	int64_t expect_calls;
	int firmware, wake, fail_on;
	bool reconnect, install, audio, subscribe, expect_listed,
		expect_no_hazards;
	struct words faults;
};

#define AT(member) offsetof(struct sim_arguments, member)

/* clang-format off */
static const struct option_row sim_rows[] = {
	{ 0, "connect", "URL", OPTION_TEXT, AT(connect),
	  "dial this backend: ws://HOST:PORT/PATH or wss://, or a broker as mqtt://[USER@]HOST[:PORT]/CLIENT_ID[?up=TOPIC]", NULL, NULL, 0, 0, NULL },
	{ 0, "ota", "URL", OPTION_TEXT, AT(ota),
	  "ask this OTA address first (http:// or https://), and go where it sends", NULL, NULL, 0, 0, NULL },
	{ 0, "listen", "[HOST:]PORT", OPTION_TEXT, AT(listen),
	  "be a WebSocket MCP server at /ws, as boards like otto-robot are; of a service, where it is reached (127.0.0.1:8088)", NULL, NULL, 0, 0, NULL },
	{ 0, "devices", "N", OPTION_NUMBER, AT(devices),
	  "that many devices, each with ids of its own", NULL, NULL, 1, 10000, "1" },
	{ 0, "device-id", "ID", OPTION_TEXT, AT(device_id),
	  "Device-Id of the first device; the others count on from it", NULL, NULL, 0, 0, "the profile's" },
	{ 0, "client-id", "ID", OPTION_TEXT, AT(client_id),
	  "Client-Id of the first device; the others count on from it", NULL, NULL, 0, 0, "the profile's" },
	{ 0, "token-file", "FILE", OPTION_FILE, AT(token_file),
	  "token to dial with, instead of the one that OTA gives; MCPCTL_SIM_TOKEN holds one too", NULL, NULL, 0, 0, NULL },
	{ 0, "rate", "N/s", OPTION_TEXT, AT(rate),
	  "dial so many a second (50/s, 30/m)", NULL, NULL, 0, 0, "all at once" },
	{ 0, "for", "DURATION", OPTION_DURATION, AT(run_for),
	  "end after that time", NULL, NULL, 0, 0, "when all connections are over" },
	{ 0, "fill", "N", OPTION_NUMBER, AT(fill),
	  "add N tools with long descriptions, so that listing takes many pages", NULL, NULL, 0, 100000, "0" },
	{ 0, "firmware", "VERSION", OPTION_CHOICE, AT(firmware),
	  "the firmware that is played: 2.4.2, or 2.5.0 (also called next), which has error codes", NULL, "2.4.2 2.5.0 next", 0, 0, "2.4.2" },
	{ 0, "reconnect", NULL, OPTION_FLAG, AT(reconnect),
	  "dial again when the connection is over", NULL, NULL, 0, 0, NULL },
	{ 0, "install", NULL, OPTION_FLAG, AT(install),
	  "with --ota: fetch firmware that the answer offers, and restart with it, as a board does; else it is left alone", NULL, NULL, 0, 0, NULL },
	{ 0, "audio", NULL, OPTION_FLAG, AT(audio),
	  "send a frame of silence every 60 ms while listening; over MQTT, begin a voice session for it", NULL, NULL, 0, 0, NULL },
	{ 0, "wake", "HOW", OPTION_CHOICE, AT(wake),
	  "how a voice session begins: by the button, or by the wake word, with two packets of sound and listen/detect", NULL, "button word", 0, 0, "button" },
	{ 0, "subscribe", NULL, OPTION_FLAG, AT(subscribe),
	  "MQTT: subscribe to ?down=TOPIC of the URL, or to devices/p2p/MAC, which stock firmware never does", NULL, NULL, 0, 0, NULL },
	{ 0, "photo", "FILE", OPTION_FILE, AT(photo),
	  "the JPEG that the camera takes", NULL, NULL, 0, 0, "a built-in one" },
	{ 0, "frame-version", "N", OPTION_NUMBER, AT(frame_version),
	  "version of binary frames: 1, 2 or 3", NULL, NULL, 1, 3, "1, or what OTA tells" },
	{ 0, "fault", "NAME[,NAME]...", OPTION_LIST, AT(faults),
	  "misbehave; 3:NAME for the third device only (see help faults)", NULL, NULL, 0, 0, NULL },
	{ 0, "expect-calls", "N", OPTION_NUMBER, AT(expect_calls),
	  "status 7 unless N calls of tools, or more, were answered with a result", NULL, NULL, 1, INT32_MAX, NULL },
	{ 0, "expect-listed", NULL, OPTION_FLAG, AT(expect_listed),
	  "status 7 unless the tools of each device were listed to the last page", NULL, NULL, 0, 0, NULL },
	{ 0, "expect-no-hazards", NULL, OPTION_FLAG, AT(expect_no_hazards),
	  "status 7 if anything is found of the backend; notes on an OTA reply do not count", NULL, NULL, 0, 0, NULL },
	{ 0, "fail-on", "SEVERITY", OPTION_CHOICE, AT(fail_on),
	  "status 7 if something as severe is found, or more: error, warning or note", NULL, "none error warning note", 0, 0, "none" },
	{ 0, "ollama", "URL", OPTION_TEXT, AT(ollama),
	  "Ollama, for tools that a language model answers", NULL, NULL, 0, 0,
	  "the profile's, or http://127.0.0.1:11434" },
	{ 0, "model", "NAME", OPTION_TEXT, AT(model),
	  "the model that it runs", NULL, NULL, 0, 0, "the profile's, or llama3:8b" },
	{ 0, "ollama-timeout", "DURATION", OPTION_DURATION, AT(ollama_timeout),
	  "how long the model may take", NULL, NULL, 1, 0, "the profile's, or 30s" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};

/* clang-format on */

/* "50/s", "30/m", "50" into dials a second. */
static int parse_rate(const char *text, double *out, struct error *err)
{
	char *end = NULL;
	double rate = text ? strtod(text, &end) : 0;

	*out = 0;
	if (!text)
		return 0;
	if (end != text && strcmp(end, "/m") == 0)
		rate /= 60;
	else if (end == text || (*end && strcmp(end, "/s") != 0))
		rate = 0;
	if (!(rate > 0 && rate <= 1e6)) {
		error_set(err, ERR_USAGE, "option '--rate': '%s' is no rate",
			  text);
		return error_hint(err, "write it as in 50/s or 30/m");
	}
	*out = rate;
	return 0;
}

struct showing {
	struct app *app;
	struct renderer *out;
	bool many;
	uint64_t lines;
};

/* Of many devices not all lines are; this is one more. */
static bool is_shown(struct showing *s)
{
	s->lines++;
	if (!s->many || s->out->verbose || s->lines <= LINES_MAX)
		return true;
	if (s->lines == LINES_MAX + 1)
		render_note(s->out, "further lines are left out; -v shows all");
	return false;
}

static void show_line(void *owner, uint64_t device, const char *text)
{
	struct showing *s = owner;

	if (!is_shown(s))
		return;
	if (s->many)
		render_note(s->out, "device %" PRIu64 ": %s", device, text);
	else
		render_note(s->out, "%s", text);
}

static void show_listening(void *owner, const char *url)
{
	struct showing *s = owner;

	render_note(s->out, "listening at %s", url);
}

/* Its last word goes to the file of --findings alone. */
static void show_found(void *owner, const char *device, const struct finding *f,
		       const char *detail)
{
	struct showing *s = owner;
	const struct finding_record record = {
		.finding = f,
		.device =
			s->many || s->out->form == OUTPUT_JSON ? device : NULL,
		.detail = detail,
	};

	findings_write(s->app, f, device);
	if (detail && is_shown(s))
		render_finding(s->out, &record);
}

static void show_trace(void *owner, const struct trace *t)
{
	const struct showing *s = owner;

	show_frame(s->app, t);
}

static struct exec_config outside_of(const struct sim_arguments *a)
{
	return (struct exec_config){ .ollama = a->ollama,
				     .model = a->model,
				     .timeout = a->ollama_timeout };
}

static int check_outside(const struct sim_arguments *a, struct error *err)
{
	if (!a->ollama || !ollama_check(a->ollama, err))
		return 0;
	return error_prefix(err, "option '--ollama'");
}

static struct admit_options admit_of(const struct app *app)
{
	return (struct admit_options){ .hosts = &app->config.allow_hosts,
				       .origins = &app->config.allow_origins,
				       .proxies = &app->config.trusted_proxies,
				       .advertise = app->config.advertise };
}

static void take_arguments(struct sim_options *o, const struct invocation *in)
{
	static const enum severity fail_on[] = { SEVERITY_ERROR, SEVERITY_ERROR,
						 SEVERITY_WARNING,
						 SEVERITY_NOTE };
	const struct sim_arguments *a = in->options;

	*o = (struct sim_options){
		.profile = in->argc ? in->argv[0] : NULL,
		.connect = a->connect,
		.ota = a->ota,
		.listen = a->listen,
		.admit = admit_of(in->app),
		.device_id = a->device_id,
		.client_id = a->client_id,
		.devices = a->devices,
		.run_for = a->run_for,
		.fill = a->fill,
		.firmware_2_5 = a->firmware > 0,
		.reconnect = a->reconnect,
		.install = a->install,
		.audio = a->audio,
		.wake_word = a->wake == 1,
		.subscribe = a->subscribe,
		.photo = a->photo,
		.cacert = in->app->config.cacert,
		.insecure = in->app->config.insecure,
		.frame_version = a->frame_version,
		.faults = &a->faults,
		.outside = outside_of(a),
		.expect_calls = a->expect_calls,
		.expect_listed = a->expect_listed,
		.expect_no_hazards = a->expect_no_hazards,
		.fails = a->fail_on > 0,
		.fail_on = fail_on[a->fail_on],
	};
}

/* An option that a service, or one that dials, has no use for; NULL: none is given. */
static const char *device_option(const struct sim_arguments *a, bool dials)
{
	const struct {
		const char *name;
		bool given;
	} rows[] = {
		{ "connect", a->connect && !dials },
		{ "ota", a->ota },
		{ "devices", a->devices },
		{ "device-id", a->device_id },
		{ "client-id", a->client_id },
		{ "token-file", a->token_file },
		{ "rate", a->rate },
		{ "fill", a->fill },
		{ "firmware", a->firmware },
		{ "reconnect", a->reconnect && !dials },
		{ "install", a->install },
		{ "audio", a->audio },
		{ "wake", a->wake },
		{ "subscribe", a->subscribe },
		{ "photo", a->photo },
		{ "fault", a->faults.count },
		{ "frame-version", a->frame_version },
		{ "expect-calls", a->expect_calls },
		{ "expect-listed", a->expect_listed },
		{ "expect-no-hazards", a->expect_no_hazards },
		{ "fail-on", a->fail_on },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i].given)
			return rows[i].name;
	}
	return NULL;
}

/* A sketch that dials an access point. */
static int run_sketch(const struct invocation *in, struct error *err)
{
	const struct sim_arguments *a = in->options;
	struct app *app = in->app;
	struct service_showing showing = { .app = app,
					   .opened_us = loop_now_us() };
	struct service_config config = { .outside = outside_of(a),
					 .line = show_line_service,
					 .owner = &showing };
	struct arduino_order order = { .connect = a->connect,
				       .cacert = app->config.cacert,
				       .insecure = app->config.insecure,
				       .reconnect = a->reconnect,
				       .run_for = a->run_for,
				       .line = show_line_service,
				       .owner = &showing };
	struct service *s;
	int status;

	if (app->out.verbose || app->config.trace)
		order.frame = show_message;
	if (open_trace(app, LEG_WS, false, err) || app_open_loop(app, err))
		return -1;
	order.loop = config.loop = config.outside.loop = app->loop;
	s = service_load(in->argv[0], &config, err);
	if (!s)
		return -1;
	status = arduino_run(s, &order, err);
	service_free(s);
	return status;
}

static int check_sketch(const struct invocation *in, struct error *err)
{
	const struct sim_arguments *a = in->options;
	const char *wrong = device_option(a, true);

	if (wrong || a->listen) {
		error_set(
			err, ERR_USAGE,
			"option '--%s' is not for '%s', which dials an access point",
			wrong ? wrong : "listen", in->argv[0]);
	} else if (!a->connect) {
		error_set(err, ERR_USAGE,
			  "where to? '%s' dials an access point: --connect",
			  in->argv[0]);
	} else {
		return 0;
	}
	return error_hint(
		err,
		"mcpctl sim %s --connect ws://127.0.0.1:8000/mcp [--reconnect] [--for DURATION]",
		in->argv[0]);
}

static int run_service(const struct invocation *in, struct error *err)
{
	const struct sim_arguments *a = in->options;
	const struct sim_service order = { .profile = in->argv[0],
					   .listen = a->listen,
					   .run_for = a->run_for,
					   .admit = admit_of(in->app),
					   .outside = outside_of(a) };
	const char *wrong = device_option(a, false);

	if (service_profile_dials(in->argv[0]))
		return check_sketch(in, err) ? -1 : run_sketch(in, err);
	if (!wrong)
		return sim_service_run(in->app, &order, err);
	error_set(err, ERR_USAGE,
		  "option '--%s' is for devices: '%s' is a service", wrong,
		  in->argv[0]);
	return error_hint(
		err,
		"a service waits for clients: mcpctl sim %s [--listen [HOST:]PORT]",
		in->argv[0]);
}

/* What fits the one way of being reached, and not the other. */
static int check_ways(const struct invocation *in, struct error *err)
{
	const struct sim_arguments *a = in->options;
	const struct config *c = &in->app->config;
	/* Where OTA sends a device, its reply has the password. */
	const bool joins = a->connect && strncmp(a->connect, "mqtt", 4) == 0;
	const struct {
		const char *option, *what;
		bool given, fits;
	} rows[] = {
		{ "rate", "that dial", a->rate, !a->listen },
		{ "reconnect", "that dial", a->reconnect, !a->listen },
		{ "install", "with --ota", a->install, a->ota },
		{ "audio", "that dial", a->audio, !a->listen },
		{ "wake", "that dial", a->wake, !a->listen },
		{ "token-file", "that dial", a->token_file, !a->listen },
		{ "frame-version", "that dial", a->frame_version, !a->listen },
		{ "mqtt-password-file", "at a broker", c->mqtt_password_file,
		  joins },
		{ "allow-origin", "with --listen", c->allow_origins.count,
		  a->listen },
		{ "allow-host", "with --listen", c->allow_hosts.count,
		  a->listen },
		{ "trusted-proxy", "with --listen", c->trusted_proxies.count,
		  a->listen },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!rows[i].given || rows[i].fits)
			continue;
		error_set(err, ERR_USAGE, "option '--%s' is for devices %s",
			  rows[i].option, rows[i].what);
		return error_hint(err, "leave it out; mcpctl help sim");
	}
	return 0;
}

static int sim_run_command(const struct invocation *in, struct error *err)
{
	const struct sim_arguments *a = in->options;
	struct app *app = in->app;
	CLEANUP(mem_free_ptr) char *token = NULL;
	CLEANUP(mem_free_ptr) char *password = NULL;
	struct showing show = { .app = app,
				.out = &app->out,
				.many = a->devices > 1 };
	const bool traced = app->out.verbose || app->config.trace;
	const struct sim_observer observer = { .line = show_line,
					       .listening = show_listening,
					       .found = show_found,
					       .trace = traced ? show_trace :
								 NULL,
					       .owner = &show };
	struct error why = { 0 };
	struct sim_summary sum = { 0 };
	struct sim_options o;
	int status;

	if (check_outside(a, err))
		return -1;
	if (in->argc && service_profile_is(in->argv[0]))
		return run_service(in, err);
	if (check_ways(in, err))
		return -1;
	take_arguments(&o, in);
	if (parse_rate(a->rate, &o.rate, err) ||
	    secret_read(&token, a->token_file, "MCPCTL_SIM_TOKEN", err) ||
	    secret_find(&password, "password file",
			app->config.mqtt_password_file, "MCPCTL_MQTT_PASSWORD",
			err) ||
	    open_trace(app, LEG_WS, a->audio, err) || findings_open(app, err) ||
	    app_open_loop(app, err))
		return -1;
	o.token = token;
	o.password = password;
	status = sim_run(app->loop, &o, &observer, &sum, &why);
	if (sum.devices)
		sim_summary_show(&app->out, &sum);
	sim_summary_done(&sum);
	if (status)
		error_copy(err, &why);
	error_reset(&why);
	return status;
}

static const struct example sim_examples[] = {
	{ "sim --ota http://192.168.1.2:8000/xiaozhi/ota/", NULL,
	  EXAMPLE_GOES_ON },
	{ "sim --connect ws://127.0.0.1:8000/ --devices 100 --rate 50/s --for 30s",
	  NULL, EXAMPLE_GOES_ON },
	{ "sim --listen 127.0.0.1:0 --for 200ms", "devices      1", 0 },
	{ "-o json sim --listen 127.0.0.1:0 --for 200ms", "{\"devices\":1,",
	  0 },
	{ "sim --connect mqtt://127.0.0.1:1/board-1 --for 5s",
	  "connected    0, refused 1", 3 },
	{ "sim llm --listen 127.0.0.1:0 --for 200ms", NULL, 0 },
	{ "sim llm --connect ws://127.0.0.1:1/", NULL, 2 },
	{ "sim arduino --connect ws://127.0.0.1:1/mcp", NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_sim = {
	.name = "sim",
	.globals =
		"jq verbose trace findings mqtt-password-file cacert insecure advertise allow-origin allow-host trusted-proxy",
	.args = "[PROFILE]",
	.brief = "pretend to be a device that dials in, many, or a service",
	.text = "Says and does on the wire what stock firmware does, byte for byte: handshake, hello, envelope, paging, error texts that break JSON, silence where firmware is silent. "
		"PROFILE says which board it is and how its tools answer (see help profile); esp32 is the default.\n"
		"\n"
		"With --connect it dials a backend, with --ota it asks the OTA address first, as a board does at each start, and goes where that sends it, with --listen it waits for clients as otto-robot boards do. "
		"At a broker (MQTT) it stays in standby, where MCP works without a voice session; it never subscribes, as stock firmware, so that only 'serve' or a broker that subscribes for it gets through, unless --subscribe is given. self.camera.take_photo uploads a picture to the vision address that initialize gave. "
		"What happens stands on stderr, with -v every frame too, and OTA's question and answer; --trace FILE keeps them. "
		"At the end, stdout says how far the devices got, how long it took, what came, was answered, refused and lost, and what was found of the backend: habits that lose replies or that some board does not survive, each with its code (see explain). "
		"The status is 3 if no backend was reached, or none said hello; 7 if one showed what a real board does not survive, not what an --expect option wants, or what --fail-on names: for CI.\n"
		"\n"
		"  mcpctl sim --ota http://192.168.1.2:8000/xiaozhi/ota/\n"
		"  mcpctl sim --connect ws://127.0.0.1:8000/ --devices 1000 --rate 50/s --for 1m\n"
		"  mcpctl sim --connect ws://127.0.0.1:8000/ --for 10s --expect-listed --expect-calls 1\n"
		"  mcpctl sim --connect mqtt://127.0.0.1/board-1 --subscribe\n"
		"\n"
		"A profile can be a service instead, an MCP server that is no device; llm is one: it takes entities out of Portuguese text, with a language model that Ollama runs; conformance, tasks and espressif (a board with Espressif's mcp-c-sdk) are others. "
		"It is reached at one port: JSON-RPC by POST to /, with or without initialize (Streamable HTTP), HTTP+SSE at /sse, WebSocket at any path; espressif is at /mcp_server alone. "
		"Web pages may not ask, but for those of --allow-origin; names beside this machine's need --allow-host.\n"
		"\n"
		"  ollama pull llama3:8b\n"
		"  mcpctl sim llm --listen 127.0.0.1:8088\n"
		"  mcpctl http://127.0.0.1:8088/ tools\n"
		"\n"
		"arduino is a sketch with the Arduino library xiaozhi-esp32-mcp, which dials an access point and waits to be asked (see help endpoint): --connect says where, --reconnect dials again after 500 ms as the library does.\n"
		"\n"
		"  mcpctl sim arduino --connect ws://127.0.0.1:8000/mcp\n"
		"\n"
		"For the other commands, a simulated device or service needs none of this: its target is sim: (mcpctl sim: tools) or sim:llm?ollama=URL&model=NAME&timeout=DURATION.",
	.group = GROUP_PRETEND,
	.min = 0,
	.max = 1,
	.operand = OPERAND_PROFILE,
	.options = sim_rows,
	.options_size = sizeof(struct sim_arguments),
	.examples = sim_examples,
	.run = sim_run_command
};
