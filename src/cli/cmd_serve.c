/* SPDX-License-Identifier: MIT */
/*
 * serve: the backend that boards dial in to. The main line: wait, show what
 * happened, run --exec for who is ready, end. What serves is src/serve.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "base/text.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/connection.h"
#include "cli/daemon.h"
#include "cli/judged.h"
#include "cli/serve_bridge.h"
#include "cli/serve_client.h"
#include "cli/serve_exec.h"
#include "cli/serve_log.h"
#include "cli/serve_open.h"
#include "cli/setup.h"
#include "cli/trace.h"
#include "cli/witness.h"
#include "diag/facts.h"
#include "diag/finding.h"
#include "net/attach.h"
#include "net/endpoint.h"
#include "serve/power.h"
#include "serve/record.h"
#include "serve/serve.h"

struct serving;
static int serve(struct serving *s, struct error *err);

/*
 * The fences of serve: what the command itself needs besides src/serve, and
 * when they go up.
 */

static void keep(char *path, int flags)
{
	if (path)
		spawner_keep(path, flags);
	mem_free(path);
}

/* Before the fences: exec and log may be NULL. */
static void serve_fence_allow(const struct serve_config *c, const char *exec,
			      const char *log)
{
	const char *const command[] = { "sh", "-c", exec, NULL };

	if (exec)
		spawner_allow(command, 0, NULL);
	/* As file_create opens it, in a folder of ours and in others. */
	if (log) {
		spawner_keep(log, FILE_CREATE_FLAGS | O_APPEND);
		spawner_keep(log,
			     FILE_CREATE_FLAGS | O_APPEND | FILE_SHARED_FLAGS);
	}
	if (!c->alias_file)
		keep(user_path(&user_config, "devices.json"), O_RDONLY);
	serve_allow(c);
}

/*
 * All is open. What is in force is a record of LEVEL_DEBUG, "fences"; what is
 * not stands there too. pidfile may be NULL.
 */
static void serve_fence_raise(struct serve *s, struct loop *l,
			      const char *pidfile)
{
	CLEANUP(words_done) struct words rules = { 0 };
	CLEANUP(mem_free_ptr)
	char *folder = pidfile ? file_folder(pidfile) : NULL;
	CLEANUP(mem_free_ptr) char *what = NULL;

	serve_fence(s, &rules);
	fence_rule(&rules, "remove", folder);
	spawner_seal();
	what = fence_raise((const char *const *)rules.word);
	fence_pool(l, &rules);
	records_add(serve_records(s), RECORD_FENCES, LEVEL_DEBUG, NULL, NULL,
		    "%s", what);
}

/*
 * How far boards came, beside what the port counts: from the records. What was
 * not reached is judged by diag/arrival.
 */

static const char *who_of(const struct record *record)
{
	return record->device ? record->device : record->address;
}

static void keep_missing(struct arrival *a, char **place,
			 const struct record *record)
{
	const char *who = who_of(record);

	mem_free(*place);
	*place = mem_printf("%s%s%s", who ? who : "", who ? ": " : "",
			    record->text ? record->text : "");
	mem_free(a->hint);
	a->hint = mem_strdup(record->hint);
}

/* Who got further than all before. */
static void reached(struct arrival *a, bool *step, bool further,
		    const struct record *record)
{
	const char *who = who_of(record);

	*step = true;
	if (further || !who)
		return;
	mem_free(a->who);
	a->who = mem_strdup(who);
}

static void note_broker(struct arrival *a, const struct record *record)
{
	bool lost = record->broker == NEWS_LOST || record->broker == NEWS_DOWN;

	if (!lost && record->broker != NEWS_JOINED)
		return;
	mem_free(TAKE(a->broker));
	mem_free(TAKE(a->broker_hint));
	if (!lost)
		return;
	a->broker = mem_strdup(record->text);
	a->broker_hint = mem_strdup(record->hint);
}

void serve_note_arrival(struct arrival *a, const struct record *record)
{
	switch (record->kind) {
	case RECORD_FAILED:
		keep_missing(a, &a->failed, record);
		break;
	case RECORD_REFUSED:
		/* How a device failed tells more. */
		if (!a->failed)
			keep_missing(a, &a->refused, record);
		break;
	case RECORD_BROKER:
		note_broker(a, record);
		break;
	case RECORD_CONNECTED:
		reached(a, &a->connected, a->hello, record);
		break;
	case RECORD_HELLO:
		reached(a, &a->hello, false, record);
		break;
	default:
		break;
	}
}

static int nobody_came(struct arrival *a, const struct serve *s, int64_t waited,
		       struct error *err)
{
	const struct port *port = serve_port(s);

	a->port = &port->facts;
	a->ota_url = port->ota_url;
	a->serves = true;
	a->waited = waited;
	return arrival_explain(a, err);
}

/*
 * The options of serve: their table, which of them go together, and what they
 * make of struct serve_config.
 */

#define ENROLL_TIME "10m"
#define AT(member) offsetof(struct serve_arguments, member)

/* clang-format off */
static const struct option_row serve_rows[] = {
	{ 0, "listen", "[HOST:]PORT", OPTION_LIST, AT(listen),
	  "wait there; may be given many times", NULL, NULL, 0, 0, "8000" },
	{ 0, "no-listen", NULL, OPTION_FLAG, AT(no_listen),
	  "open no port: only keep servers open (mcpctl open), until the last is closed; status 2 if none of --open can be", NULL, NULL, 0, 0, NULL },
	{ 0, "open", "NAME", OPTION_LIST, AT(open),
	  "keep that server open as 'mcpctl open --idle 0' does: NAME or TARGET; one that fails is tried again, but for wrong names; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-mqtt", "BROKER", OPTION_TEXT, AT(mcp.broker),
	  "show each board at mqtt://[USER@]HOST[:PORT][/PREFIX] as a server of MCP over MQTT (bridge --mcp-mqtt)", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-allow", "GLOB", OPTION_LIST, AT(mcp.allow),
	  "with --mcp-mqtt: show tools of that name there, whatever they do (bridge --allow); may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-deny", "GLOB", OPTION_LIST, AT(mcp.deny),
	  "with --mcp-mqtt: hide tools of that name there; may be given many times", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-user-tools", NULL, OPTION_FLAG, AT(mcp.user_tools),
	  "with --mcp-mqtt: show tools, too, that a board keeps for its user", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-read-only", NULL, OPTION_FLAG, AT(mcp.read_only),
	  "with --mcp-mqtt: show tools that only read, and no others", NULL, NULL, 0, 0, NULL },
	{ 0, "mcp-keep-asleep", NULL, OPTION_FLAG, AT(mcp.keep_asleep),
	  "with --mcp-mqtt: boards stay announced while they sleep", NULL, NULL, 0, 0, NULL },
	{ 0, "path", "PATH", OPTION_TEXT, AT(path),
	  "the only path for WebSockets", NULL, NULL, 0, 0, "any" },
	{ 0, "mcp-endpoint", "PATH", OPTION_TEXT, AT(mcp_endpoint),
	  "be an access point there, too (as /mcp): who dials that path and says no hello is a tool side, an MCP server", NULL, NULL, 0, 0, NULL },
	{ 0, "offer", "WHAT", OPTION_CHOICE, AT(offer),
	  "what the OTA answer sends a board to: ws, mqtt, or auto: mqtt where there is a broker", NULL, "auto ws mqtt", 0, 0, "auto" },
	{ 0, "alias-file", "FILE", OPTION_FILE, AT(alias_file),
	  "names for boards", NULL, NULL, 0, 0, "devices.json in the configuration folder" },
	{ 0, "vision-exec", "CMD", OPTION_TEXT, AT(vision_exec),
	  "what sh runs to answer a picture: $1 is its file, $2 the question (and MCPCTL_FILE, MCPCTL_QUESTION, MCPCTL_DEVICE); its output is the answer", NULL, NULL, 0, 0, NULL },
	{ 0, "vision-text", "TEXT", OPTION_TEXT, AT(vision_text),
	  "answer every picture with that", NULL, NULL, 0, 0, "a fixed text" },
	{ 0, "mqtt", "PORT", OPTION_OPTIONAL, AT(mqtt),
	  "start a broker for boards (mosquitto), on port 1883 unless PORT is given", NULL, NULL, 1, 65535, NULL },
	{ 0, "mqtt-broker", "URL", OPTION_TEXT, AT(mqtt_broker),
	  "use a broker that runs: mqtt[s]://[USER@]HOST[:PORT]", NULL, NULL, 0, 0, NULL },
	{ 0, "topic-up", "TOPIC", OPTION_TEXT, AT(topic_up),
	  "with --mqtt-broker: what a board publishes to; {client_id} and {mac} are its own", NULL, NULL, 0, 0, "mcpctl/up/{client_id}" },
	{ 0, "topic-down", "TOPIC", OPTION_TEXT, AT(topic_down),
	  "with --mqtt-broker: what serve publishes to for a board", NULL, NULL, 0, 0,
	  "devices/p2p/{mac}" },
	{ 0, "mqtt-key-file", "FILE", OPTION_FILE, AT(mqtt_key_file),
	  "the key that signs the passwords of boards: let no other in", NULL, NULL, 0, 0, NULL },
	{ 0, "enroll", "DURATION", OPTION_OPTIONAL_TEXT, AT(enroll),
	  "with --mqtt-key-file: sign for each board that asks OTA within that time, 10m unless DURATION is given, and remember it", NULL, NULL, 0, 0, NULL },
	{ 0, "mqtt-operator-file", "FILE", OPTION_FILE, AT(mqtt_operator_file),
	  "the password of the user 'operator', who may look at all messages of the broker", NULL, NULL, 0, 0, NULL },
	{ 0, "udp-port", "PORT", OPTION_NUMBER, AT(udp_port),
	  "port for the audio of MQTT boards", NULL, NULL, 1, 65535, "any free one" },
	{ 0, "silence", NULL, OPTION_FLAG, AT(silence),
	  "while such a board speaks (tts start to stop), send it silence: a packet at the start, and one for each of its own", NULL, NULL, 0, 0, NULL },
	{ 0, "devices-max", "N", OPTION_NUMBER, AT(devices_max),
	  "hold at most N devices", NULL, NULL, 1, 1000000, "20000, or what the open files allow" },
	{ 0, "message-max", "BYTES", OPTION_NUMBER, AT(message_max),
	  "longest message of a device", NULL, NULL, 1024, 16777216, "1048576" },
	{ 0, "handshake", "DURATION", OPTION_DURATION, AT(handshake),
	  "longest time for the head of a request", NULL, NULL, 1, 0, "10s" },
	{ 0, "hello-wait", "DURATION", OPTION_DURATION, AT(hello_wait),
	  "how long a peer may be silent before its hello", NULL, NULL, 1, 0, "30s" },
	{ 0, "exec", "CMD", OPTION_TEXT, AT(exec),
	  "what sh runs for each device that is ready, with MCPCTL_TARGET and MCPCTL_DEVICE set", NULL, NULL, 0, 0, NULL },
	{ 0, "power-cmd", "CMD", OPTION_TEXT, AT(power_cmd),
	  "what switches the power of a board, for 'mcpctl power': {device} is its id, {alias} its name; on, off or cycle is the last word, or {action}", NULL, NULL, 0, 0, NULL },
	{ 0, "once", NULL, OPTION_FLAG, AT(once),
	  "with --exec: end with the first command, and with its status", NULL, NULL, 0, 0, NULL },
	{ 0, "daemon", NULL, OPTION_FLAG, AT(daemon),
	  "go to the background once it listens", NULL, NULL, 0, 0, NULL },
	{ 0, "no-sandbox", NULL, OPTION_FLAG, AT(no_sandbox),
	  "keep all that the user may do: for a debugger, and where a fence is in the way", NULL, NULL, 0, 0, NULL },
	{ 0, "web-token-file", "FILE", OPTION_FILE, AT(web_token_file),
	  "show the boards to every browser whose user enters the token in FILE, and to no other", NULL, NULL, 0, 0, "to those on this machine" },
	{ 0, "web", NULL, OPTION_FLAG, AT(web),
	  "show the boards to browsers on this machine, and call tools for them", NULL, NULL, 0, 0, NULL },
	{ 0, "pidfile", "FILE", OPTION_FILE, AT(pidfile),
	  "write the process id there while it runs, and hold its lock (flock)", NULL, NULL, 0, 0, NULL },
	{ 0, "log", "FILE", OPTION_FILE, AT(log),
	  "append what happens to FILE instead of printing it", NULL, NULL, 0, 0,
	  "with --daemon: mcpctl/serve.log in the state folder" },
	{ 0, NULL, NULL, OPTION_FLAG, 0, NULL, NULL, NULL, 0, 0, NULL }
};

/* clang-format on */

static int needs(const char *option, const char *other, struct error *err)
{
	return error_set(err, ERR_USAGE, "option '--%s' needs %s", option,
			 other);
}

static int excludes(const char *option, const char *other, struct error *err)
{
	return error_set(err, ERR_USAGE,
			 "options '--%s' and '--%s' exclude each other", option,
			 other);
}

static int check_globals(const struct app *app, struct error *err)
{
	const struct config *c = &app->config;
	const char *outside = getenv("MCPCTL_TARGET");

	/* From the environment it is meant for the commands that attach. */
	if (c->target && (!outside || strcmp(c->target, outside) != 0)) {
		CLEANUP(mem_free_ptr)
		char *shown = endpoint_without_password(c->target);

		error_set(err, ERR_USAGE,
			  "'serve' takes no target, but got '%s'", shown);
		return error_hint(err,
				  "where it listens is --listen [HOST:]PORT");
	}
	if (serve_target_device(app)) {
		error_set(
			err, ERR_USAGE,
			"option '--device' is for the commands that attach to serve");
		return error_hint(err, "serve holds every device that comes");
	}
	return 0;
}

static int check_mqtt(const struct serve_arguments *a, struct error *err)
{
	bool broker = a->mqtt || a->mqtt_broker;

	if (a->mqtt && a->mqtt_broker)
		return excludes("mqtt", "mqtt-broker", err);
	if (a->offer == OFFER_MQTT && !broker)
		return needs("offer mqtt", "--mqtt or --mqtt-broker", err);
	if (a->topic_up && !a->mqtt_broker)
		return needs("topic-up", "--mqtt-broker", err);
	if (a->topic_down && !a->mqtt_broker)
		return needs("topic-down", "--mqtt-broker", err);
	if (a->mqtt_key_file && !a->mqtt)
		return needs("mqtt-key-file", "--mqtt", err);
	if (a->enroll && !a->mqtt_key_file)
		return needs("enroll", "--mqtt-key-file", err);
	if (a->mqtt_operator_file && !a->mqtt)
		return needs("mqtt-operator-file", "--mqtt", err);
	if (a->udp_port && !broker)
		return needs("udp-port", "--mqtt or --mqtt-broker", err);
	if (a->silence && !broker)
		return needs("silence", "--mqtt or --mqtt-broker", err);
	return 0;
}

static int check_bridge(const struct serve_bridge_order *o, struct error *err)
{
	const struct {
		bool given;
		const char *name;
	} rows[] = { { o->allow.count > 0, "mcp-allow" },
		     { o->deny.count > 0, "mcp-deny" },
		     { o->user_tools, "mcp-user-tools" },
		     { o->read_only, "mcp-read-only" },
		     { o->keep_asleep, "mcp-keep-asleep" } };

	for (size_t i = 0; i < COUNT(rows) && !o->broker; i++) {
		if (rows[i].given)
			return needs(rows[i].name, "--mcp-mqtt", err);
	}
	return 0;
}

static int check_power(const char *command, struct error *err)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	if (!command || power_text(&text, command, err) == 0)
		return 0;
	return error_prefix(err, "option '--power-cmd'");
}

/* What only boards need, and a port. */
static int check_alone(const struct serve_arguments *a, struct error *err)
{
	const struct {
		bool given;
		const char *name;
	} ports[] = { { a->listen.count > 0, "listen" },
		      { a->mcp_endpoint != NULL, "mcp-endpoint" },
		      { a->mqtt != 0, "mqtt" },
		      { a->mqtt_broker != NULL, "mqtt-broker" },
		      { a->web || a->web_token_file, "web" },
		      { a->exec != NULL, "exec" } };

	for (size_t i = 0; a->no_listen && i < COUNT(ports); i++) {
		if (ports[i].given)
			return excludes("no-listen", ports[i].name, err);
	}
	return 0;
}

static int check_path(const char *option, const char *path, struct error *err)
{
	if (!path || *path == '/')
		return 0;
	return error_set(err, ERR_USAGE,
			 "option '--%s': '%s' does not begin with '/'", option,
			 path);
}

static int check(const struct app *app, const struct serve_arguments *a,
		 struct error *err)
{
	if (check_globals(app, err) || check_mqtt(a, err) ||
	    check_bridge(&a->mcp, err))
		return -1;
	if (a->once && !a->exec)
		return needs("once", "--exec", err);
	if (a->once && a->daemon)
		return excludes("once", "daemon", err);
	if (check_power(a->power_cmd, err) || check_alone(a, err))
		return -1;
	if (a->vision_exec && a->vision_text)
		return excludes("vision-exec", "vision-text", err);
	if (check_path("path", a->path, err))
		return -1;
	return check_path("mcp-endpoint", a->mcp_endpoint, err);
}

static const char *absolute(struct words *paths, const char *path)
{
	CLEANUP(mem_free_ptr) char *whole = daemon_path(path);

	if (!whole)
		return NULL;
	words_add(paths, whole);
	return paths->word[paths->count - 1];
}

static void set_limits(struct serve_config *out,
		       const struct serve_arguments *a)
{
	out->devices_max = a->devices_max;
	out->message_max = a->message_max;
	out->handshake = a->handshake;
	out->hello_wait = a->hello_wait;
}

static void set_mqtt(struct serve_config *out, struct words *paths,
		     const struct config *c, const struct serve_arguments *a)
{
	out->mqtt = a->mqtt != 0;
	out->mqtt_port = a->mqtt > 0 ? (uint16_t)a->mqtt : 0;
	out->mqtt_broker = a->mqtt_broker;
	out->topic_up = a->topic_up;
	out->topic_down = a->topic_down;
	out->mqtt_key_file = absolute(paths, a->mqtt_key_file);
	out->mqtt_operator_file = absolute(paths, a->mqtt_operator_file);
	out->mqtt_password_file = absolute(paths, c->mqtt_password_file);
	out->cacert = absolute(paths, c->cacert);
	out->insecure = c->insecure;
	out->udp_port = (uint16_t)a->udp_port;
	out->silence = a->silence;
}

/* Whom OTA signs for, where it signs. */
static int set_enrolling(struct serve_config *out, struct words *paths,
			 const struct serve_arguments *a, struct error *err)
{
	CLEANUP(mem_free_ptr) char *file = NULL;

	if (!a->mqtt_key_file)
		return 0;
	if (a->enroll && text_duration(*a->enroll ? a->enroll : ENROLL_TIME,
				       &out->enroll, err))
		return error_prefix(err, "option '--enroll'");
	if (a->enroll && !out->enroll)
		return error_set(err, ERR_USAGE,
				 "option '--enroll': '%s' is too short",
				 a->enroll);
	if (state_file(&file, "enrolled.json", err))
		return -1;
	out->enrolled_file = absolute(paths, file);
	return 0;
}

/* Another service for pictures than serve itself: it needs none of ours. */
static int set_vision(struct serve_config *out, struct words *paths,
		      const struct config *c, struct error *err)
{
	CLEANUP(mem_free_ptr) char *token = NULL;

	out->vision_url = c->vision_url;
	if (!c->vision_url && c->vision_token_file)
		return error_set(
			err, ERR_USAGE,
			"option '--vision-token-file' needs --vision-url");
	if (c->vision_url && secret_read(&token, c->vision_token_file,
					 "MCPCTL_VISION_TOKEN", err))
		return -1;
	if (!token)
		return 0;
	words_add(paths, token);
	out->vision_token = paths->word[paths->count - 1];
	return 0;
}

/*
 * What serve is asked for; texts that are files are made absolute and kept in
 * `paths`, since a daemon's folder is "/". -1 (ERR_USAGE): options that do not
 * go together.
 */
static int serve_configure(struct serve_config *out, struct words *paths,
			   const struct app *app,
			   const struct serve_arguments *a, struct error *err)
{
	const struct config *c = &app->config;

	if (check(app, a, err))
		return -1;
	*out = (struct serve_config){
		.listen = &a->listen,
		.path = a->path,
		.mcp_endpoint = a->mcp_endpoint,
		.advertise = c->advertise,
		.allow_hosts = &c->allow_hosts,
		.allow_origins = &c->allow_origins,
		.proxies = &c->trusted_proxies,
		.offer = a->offer,
		.token_file = absolute(paths, c->token_file),
		.alias_file = absolute(paths, a->alias_file),
		.no_init = c->no_init,
		.no_listen = a->no_listen,
		.web = a->web || a->web_token_file,
		.web_token_file = absolute(paths, a->web_token_file),
		.pictures = { .save_images = absolute(paths, c->save_images),
			      .vision_exec = a->vision_exec,
			      .vision_text = a->vision_text,
			      .picture_max = c->picture_max },
		.save_audio = absolute(paths, c->save_audio),
		.timeout = c->timeout,
		.power_cmd = a->power_cmd,
		.socket = absolute(paths, c->socket),
		/* What is not shown is for the file. */
		.verbose = c->verbose || c->findings || c->trace,
		.fenced = !a->no_sandbox
	};
	set_mqtt(out, paths, c, a);
	set_limits(out, a);
	if (set_enrolling(out, paths, a, err))
		return -1;
	return set_vision(out, paths, c, err);
}

/* How soon a reader of the log that was slow is tried again. */
#define PUMP_MS 100

struct serving {
	struct app *app;
	const struct serve_arguments *a;
	struct serve_config config;
	struct words paths; /* that config lends */
	struct daemon daemon;
	const char *pidfile_path, *log_path;
	const char *folder; /* where it was started */
	struct pidfile pidfile;
	struct serve_log log;
	struct serve_exec exec;
	struct arrival missing;
	struct serve *server;
	struct serve_bridge *bridge; /* NULL: no --mcp-mqtt */
	struct serve_openings *openings; /* NULL: no --open */
	struct witness *witness; /* NULL: no --serial */
	int trace_fd; /* of --trace, to be read by browsers; -1 */
	int64_t give_up; /* loop_now() ms: then somebody must have been ready */
	bool waiting; /* the log's reader is slow */
	bool hangup;
};

static void on_hangup(void *owner)
{
	struct serving *s = owner;

	s->hangup = true;
	if (s->server)
		serve_wake(s->server);
}

/* The terminal that shows the log is gone: then there is nobody to serve. */
static bool terminal_is_gone(const struct serving *s)
{
	const struct renderer *r = &s->app->out;
	struct pollfd p = { .fd = STDERR_FILENO };

	if (s->log.detached || !r->err_terminal)
		return false;
	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

static int take_hangup(struct serving *s, struct error *err)
{
	if (!s->hangup)
		return 0;
	s->hangup = false;
	if (terminal_is_gone(s)) {
		error_set(err, ERR_INTERRUPTED, "the terminal is gone");
		return error_code(err, SIGHUP);
	}
	serve_log_reopen(&s->log);
	serve_reload(s->server);
	return 0;
}

static void take_records(struct serving *s)
{
	struct record *record;

	while ((record = serve_take(s->server))) {
		serve_note_arrival(&s->missing, record);
		if (record->kind == RECORD_FINDING)
			findings_write_line(
				s->app, record->detail + strlen("\"finding\":"),
				record->device);
		serve_log_take(&s->log, record);
	}
	s->waiting = serve_log_pump(&s->log);
}

/* A failed one is in the log; nothing is run for it. */
static void take_ready(struct serving *s)
{
	const char *id;
	bool failed;

	if (!s->a->exec)
		return;
	while ((id = serve_next_ready(s->server, &failed))) {
		if (!failed)
			serve_exec_device(&s->exec, id);
	}
	serve_exec_more(&s->exec);
}

static bool is_over(const struct serving *s)
{
	return serve_stopping(s->server) || (s->a->once && s->exec.ended);
}

static int64_t next_look(const struct serving *s)
{
	int64_t deadline = s->exec.started ? LOOP_FOREVER : s->give_up;
	int64_t pump = loop_now() + PUMP_MS;

	return s->waiting && pump < deadline ? pump : deadline;
}

/* It was ready, so no step is missing. */
static int was_leased(const struct serving *s, struct error *err)
{
	char time[32];

	error_set(
		err, ERR_CONNECT,
		"no device was ready for the command within %s: '%s' is leased by somebody",
		text_milliseconds(s->app->config.wait, time, sizeof(time)),
		s->exec.leased);
	return error_hint(
		err,
		"'mcpctl devices' shows by whom; when the lease is over, the command is started once the device comes again");
}

/* What it was started for will never be. */
static int refuse_alone(const struct serving *s, struct error *err)
{
	if (!serve_alone(s->server) || !serve_open_failed(s->openings))
		return 0;
	error_set(
		err, ERR_USAGE,
		"nothing of --open can be opened, and without a port (--no-listen) nothing comes");
	return error_hint(err, "the log says why each could not be opened");
}

static int main_line(struct serving *s, struct error *err)
{
	while (!is_over(s)) {
		if (serve_wait(s->server, next_look(s), err) ||
		    take_hangup(s, err))
			return -1;
		take_records(s);
		take_ready(s);
		if (!s->exec.started && loop_now() >= s->give_up)
			return s->exec.leased ?
				       was_leased(s, err) :
				       nobody_came(&s->missing, s->server,
						   s->app->config.wait, err);
	}
	s->app->status = s->a->once && s->exec.ended ? s->exec.first_status :
						       s->exec.worst;
	return refuse_alone(s, err);
}

/* Everything listens: give up the rest, show it, and let go of who started it. */
static int settle(struct serving *s, struct error *err)
{
	if (s->pidfile.path && pidfile_write(&s->pidfile, err))
		return -1;
	if (!s->a->no_sandbox)
		serve_fence_raise(s->server, s->app->loop, s->pidfile.path);
	s->openings =
		serve_open_all(s->server, s->app->loop, s->folder, &s->a->open);
	s->bridge = serve_bridge_start(s->server, s->app->loop, s->folder,
				       &s->a->mcp, &s->app->config);
	take_records(s);
	if (!s->a->daemon)
		return 0;
	if (daemon_is_abandoned(&s->daemon))
		return error_set(
			err, ERR_INTERRUPTED,
			"whoever started it did not wait for it: it ends");
	render_note(
		&s->app->out,
		"in the background (process %d), log: %s; 'mcpctl stop' ends it",
		(int)getpid(), s->log_path);
	serve_log_detach(&s->log);
	daemon_ready(&s->daemon);
	return 0;
}

static const char *why_over(const struct serving *s)
{
	if (serve_alone(s->server))
		return "nothing is kept open, and there is no port";
	return serve_stopping(s->server) ? "mcpctl stop" :
					   "the command of --once has ended";
}

static void close_all(struct serving *s, const char *why)
{
	records_add(serve_records(s->server), RECORD_STOPPING, LEVEL_INFO, NULL,
		    NULL, "%s", why);
	serve_exec_stop(&s->exec);
	witness_close(TAKE(s->witness));
	serve_bridge_stop(TAKE(s->bridge));
	serve_open_stop(TAKE(s->openings));
	serve_hush(s->server);
	take_records(s);
	serve_close(TAKE(s->server));
}

/* ---- serial logs ---- */

static void serial_frame(struct serving *s, const struct trace *t)
{
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .kind = strcmp(t->kind, "text") == 0 ?
						      FRAME_IS_TEXT :
						      FRAME_IS_BINARY,
				      .from_device = !t->outgoing,
				      .data = t->data,
				      .len = t->len };

	witness_frame(s->witness, t->device, &f);
}

static struct record *serial_record(struct serving *s, enum record_kind kind,
				    enum record_level level, const char *device)
{
	struct record *r = records_add(serve_records(s->server), kind, level,
				       device, NULL, "%s", "");
	const char *alias = device ? serve_alias(s->server, device) : NULL;

	if (r && alias)
		r->alias = mem_strdup(alias);
	return r;
}

/* "| LINE", where a person reads it. */
static void on_serial_line(void *owner, const struct witness_line *l)
{
	struct serving *s = owner;
	const bool bad = !l->text.text;
	const struct serial_told told = { l->name, l->text, l->note };
	struct record *r = serial_record(
		s, RECORD_SERIAL, bad ? LEVEL_WARN : LEVEL_INFO, l->device);
	CLEANUP(buf_done) struct buf detail = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup(bad ? "" : l->text.text, l->text.len);

	serve_serial_line(s->server, l->device, &told);
	if (!r)
		return;
	mem_free(r->text);
	r->text =
		mem_printf("%s%s%s%s%s", bad ? "" : "| ", text,
			   l->note && !bad ? " (" : "", l->note ? l->note : "",
			   l->note && !bad ? ")" : "");
	record_member(&detail, "port", l->name);
	record_member(&detail, "line", bad ? NULL : text);
	record_member(&detail, "note", l->note);
	buf_printf(&detail, ",\"decoded\":%s", l->decoded ? "true" : "false");
	record_detail(r, &detail);
}

static void on_serial_found(void *owner, const struct witness_line *l,
			    const struct finding *f, const char *detail)
{
	static const enum record_level levels[] = { LEVEL_DEBUG, LEVEL_WARN,
						    LEVEL_BAD };
	struct serving *s = owner;
	CLEANUP(buf_done) struct buf words = { 0 }, json = { 0 };
	const struct finding_row *row = finding_row(f->code);
	struct record *r;

	serve_serial_found(s->server, l->device, f, detail);
	if (!witness_is_news(f))
		return;
	r = serial_record(s, RECORD_FINDING, levels[row->severity], l->device);
	if (!r)
		return;
	buf_printf(&words, "! %s %s  ", row->code,
		   severity_name(row->severity));
	finding_title(&words, f, detail);
	mem_free(r->text);
	r->text = buf_take(&words);
	r->count = f->count;
	buf_text(&json, "\"finding\":");
	finding_json(&json, f, l->device);
	record_detail(r, &json);
}

static const struct witness_events serial_heard = { .line = on_serial_line,
						    .found = on_serial_found };

static void on_trace(void *owner, const struct trace *t)
{
	struct serving *s = owner;
	struct app *app = s->app;

	serial_frame(s, t);
	if (app->out.verbose)
		render_trace(&app->out, t);
	trace_write(app, t);
}

static int open_trace(struct serving *s, struct error *err)
{
	static const struct trace_role role = { .as = "serve" };
	struct app *app = s->app;

	if (app->config.trace || app->config.verbose || s->witness)
		s->config.trace = on_trace;
	s->config.trace_owner = s;
	if (trace_begin(app, &role, err))
		return -1;
	if (s->config.web)
		s->trace_fd = trace_reader(app);
	if (s->trace_fd >= 0)
		s->config.trace_fd = &s->trace_fd;
	return 0;
}

static int serve(struct serving *s, struct error *err)
{
	struct app *app = s->app;
	int64_t wait = app->config.wait;
	int status;

	if (!s->a->no_sandbox)
		fence_early();
	if (open_trace(s, err) || findings_open(app, err) ||
	    app_open_loop(app, err) ||
	    loop_on_hangup(app->loop, on_hangup, s, err) ||
	    serve_open(&s->server, app->loop, &s->config, err))
		return -1;
	if (s->witness &&
	    witness_open(s->witness, false, &serial_heard, s, err)) {
		serve_close(TAKE(s->server));
		return -1;
	}
	serve_exec_init(&s->exec, app->loop, s->server, s->a->exec);
	if (s->a->exec)
		serve_track_ready(s->server);
	s->give_up = s->a->exec && wait ? loop_now() + wait : LOOP_FOREVER;
	status = settle(s, err);
	if (status == 0)
		status = main_line(s, err);
	close_all(s, status ? err->text : why_over(s));
	return status;
}

/* Where the log goes, and whether this process may run at all. */
static int prepare(struct serving *s, struct error *err)
{
	CLEANUP(mem_free_ptr) char *log = daemon_path(s->a->log);
	CLEANUP(mem_free_ptr) char *pidfile = daemon_path(s->a->pidfile);

	if (serve_configure(&s->config, &s->paths, s->app, s->a, err) ||
	    witness_prepare(&s->witness, s->app, s->config.alias_file, err))
		return -1;
	s->folder = absolute(&s->paths, ".");
	s->missing.mqtt = (s->config.mqtt || s->config.mqtt_broker) &&
			  s->config.offer != OFFER_WEBSOCKET;
	if (!log && s->a->daemon && serve_log_default(&log, err))
		return -1;
	if (log) {
		words_add(&s->paths, log);
		s->log_path = s->paths.word[s->paths.count - 1];
	}
	if (pidfile) {
		words_add(&s->paths, pidfile);
		s->pidfile_path = s->paths.word[s->paths.count - 1];
	}
	return 0;
}

static int run_here(struct serving *s, struct error *err)
{
	CLEANUP(error_reset) struct error lost = { 0 };
	int status;

	/* Before descriptors, threads and limits of ours. */
	if (spawner_open(s->a->daemon, err))
		return -1;
	facts_read_own();
	serve_fence_allow(&s->config, s->a->exec, s->log_path);
	serve_open_allow(s->folder, &s->a->open);
	serve_bridge_allow(s->folder, &s->a->mcp, &s->app->config);
	witness_keep(s->witness);
	if (serve_log_open(&s->log, &s->app->out, s->log_path,
			   s->a->exec != NULL, err))
		return -1;
	status = serve(s, err);
	if (serve_log_close(&s->log, &lost) == 0)
		return status;
	/* Whoever stopped it asked for the log too. */
	if (status == 0 || err->kind == ERR_INTERRUPTED) {
		error_copy(err, &lost);
		status = -1;
	}
	return status;
}

static int serve_run(const struct invocation *in, struct error *err)
{
	struct serving s = { .app = in->app, .a = in->options, .trace_fd = -1 };
	int status;

	s.daemon.pipe = -1;
	status = prepare(&s, err);
	if (status == 0 && s.a->daemon)
		status = daemon_fork(&s.daemon, &in->app->status, err);
	/* 1: the process that was started; the other one tells what failed. */
	if (status == 0 && s.pidfile_path)
		status = pidfile_take(&s.pidfile, s.pidfile_path, err);
	if (status == 0)
		status = run_here(&s, err);
	if (s.trace_fd >= 0)
		close(s.trace_fd);
	pidfile_remove(&s.pidfile);
	arrival_done(&s.missing);
	witness_close(s.witness);
	words_done(&s.paths);
	return status < 0 ? -1 : 0;
}

static const struct example serve_examples[] = {
	{ "serve", NULL, EXAMPLE_GOES_ON },
	{ "serve --mqtt --daemon", NULL, EXAMPLE_GOES_ON },
	{ "serve --exec 'mcpctl run smoke.mcp' --once --wait 120s", NULL,
	  EXAMPLE_GOES_ON },
	{ "serve --listen 127.0.0.1:0 --exec 'mcpctl tools' --once --wait 200ms",
	  NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_serve = {
	.name = "serve",
	.globals =
		"jq target device verbose trace audio findings timeout wait token-file mqtt-password-file socket cacert insecure advertise allow-origin allow-host trusted-proxy vision-url vision-token-file save-images save-audio picture-max no-init serial elf reset",
	.args = "",
	.brief = "be the backend of many boards, for commands that attach",
	.text = "Answers the OTA question of boards, takes them in over WebSocket and, with --mqtt, over MQTT, greets and initializes each and lists its tools, takes the pictures of their cameras, and keeps them until they go. "
		"Meanwhile every other command of mcpctl that is given no target attaches to it: -d picks the board, --all means every one.\n"
		"\n"
		"  mcpctl serve\n"
		"  mcpctl devices\n"
		"  mcpctl -d kitchen call self.audio_speaker.set_volume volume=30\n"
		"\n"
		"It prints the OTA address to set on a board, and then a line for each thing that happens (an object with -o json): with -v also the small ones, with -q only what is wrong. "
		"'mcpctl stop', Ctrl-C or SIGTERM end it; SIGHUP lets it read its files of tokens, names and keys again.\n"
		"\n"
		"--exec CMD runs CMD when a board is ready, with MCPCTL_TARGET and MCPCTL_DEVICE set, so that mcpctl in it means this board; the log goes to stderr then. "
		"What the environment holds as MCPCTL_TOKEN, MCPCTL_MQTT_PASSWORD and the like, it does not get: a command that needs one takes it from a file. "
		"While it runs for a board, it is not started for that board again, so it may restart it. "
		"Nor is it for a board that somebody leased (mcpctl lease), until that board comes again. "
		"With --once the first command that ends ends serve, with its status; with --wait, status 3 tells that no board was ready in time, and which step is missing. "
		"Without --once, serve ends at 'mcpctl stop' with the highest status of the commands.\n"
		"\n"
		"  mcpctl serve --exec 'mcpctl run smoke.mcp' --once --wait 120s\n"
		"\n"
		"With --trace FILE every frame of every board goes to FILE: for a board that does not answer.\n"
		"\n"
		"With --web the OTA address, opened in a browser on the same machine, shows the boards, live: their tools as forms, what was found, pictures that --save-images keeps, the capture of --trace. "
		"Not where something on this machine hands connections of others on (a proxy, ssh -R, a container): those come from here, too. With --web-token-file everybody has to enter a token, from anywhere. While the page is open, the boards on it are asked for battery and memory every 10 s, as by 'top', and not beside a call. Other browsers see only that it answers.\n"
		"\n"
		"If the log cannot be written, serve goes on, says so once, and ends with status 8. More: mcpctl help backend, mcpctl help board.",
	.group = GROUP_START,
	.flags = CMD_STREAM,
	.min = 0,
	.max = 0,
	.options = serve_rows,
	.options_size = sizeof(struct serve_arguments),
	.examples = serve_examples,
	.run = serve_run
};

/* One question to serve on the connection of the session. */

enum { ASK_MS = 10000 };

struct address_asked {
	struct session *session;
	bool answered;
	char *url, *why; /* owned; NULL */
};

static void keep_address(void *owner, const char *url, size_t len,
			 const char *nearest, const char *broke)
{
	struct address_asked *asked = owner;

	(void)nearest;
	asked->answered = true;
	asked->url = url ? mem_strndup(url, len) : NULL;
	asked->why = mem_strdup(broke);
	session_wake(asked->session);
}

static int no_serve(struct error *err)
{
	error_set(
		err, ERR_USAGE,
		"option '--upload' is for a device of a running serve, of listen: or sim:");
	return error_hint(
		err,
		"start 'mcpctl serve', which takes the picture; or give the device an address of yours: url=http://…");
}

int upload_address(const struct connection *c, char **out, struct error *err)
{
	struct transport *t = session_transport(c->session);
	struct address_asked asked = { .session = c->session };
	int64_t timeout = c->app->config.timeout;
	int status;

	*out = connection_upload_address(c);
	if (*out)
		return 0;
	if (t->ops != &attach_ops)
		return no_serve(err);
	if (attach_ask_upload(t, keep_address, &asked, err))
		return -1;
	status = session_watch(c->session, &asked.answered,
			       loop_now() + (timeout ? timeout : ASK_MS), err);
	attach_ask_tool(t, NULL, NULL, NULL, NULL);
	*out = asked.url;
	if (asked.answered && !asked.url)
		status = error_set(err, ERR_CONNECT, "%s",
				   asked.why ? asked.why :
					       "serve gave no address");
	else if (!asked.answered && status == 0)
		status = error_set(err, ERR_TIMEOUT,
				   "serve gave no address in time");
	mem_free(asked.why);
	return status;
}
