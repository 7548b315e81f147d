/* SPDX-License-Identifier: MIT */
/*
 * The options of serve: their table, which of them go together, and what they
 * make of struct serve_config.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/cmd_serve.h"
#include "cli/daemon.h"
#include "cli/serve_target.h"
#include "cli/state_file.h"

#define ENROLL_TIME "10m"
#define AT(member) offsetof(struct serve_arguments, member)

/* clang-format off */
const struct option_row serve_rows[] = {
	{ 0, "listen", "[HOST:]PORT", OPTION_LIST, AT(listen),
	  "wait there; may be given many times", NULL, NULL, 0, 0, "8000" },
	{ 0, "path", "PATH", OPTION_TEXT, AT(path),
	  "the only path for WebSockets", NULL, NULL, 0, 0, "any" },
	{ 0, "offer", "WHAT", OPTION_CHOICE, AT(offer),
	  "what the OTA answer sends a board to: ws, mqtt, or auto: mqtt where "
	  "there is a broker", NULL, "auto ws mqtt", 0, 0, "auto" },
	{ 0, "alias-file", "FILE", OPTION_FILE, AT(alias_file),
	  "names for boards", NULL, NULL, 0, 0, "devices.json in the "
	  "configuration folder" },
	{ 0, "save-images", "DIR", OPTION_FILE, AT(save_images),
	  "keep the pictures that boards upload", NULL, NULL, 0, 0, NULL },
	{ 0, "vision-exec", "CMD", OPTION_TEXT, AT(vision_exec),
	  "what sh runs to answer a picture: $1 is its file, $2 the question (and "
	  "MCPCTL_FILE, MCPCTL_QUESTION, MCPCTL_DEVICE); its output is the answer", NULL, NULL, 0, 0, NULL },
	{ 0, "vision-text", "TEXT", OPTION_TEXT, AT(vision_text),
	  "answer every picture with that", NULL, NULL, 0, 0, "a fixed text" },
	{ 0, "mqtt", "PORT", OPTION_OPTIONAL, AT(mqtt),
	  "start a broker for boards (mosquitto), on port 1883 unless PORT is "
	  "given", NULL, NULL, 1, 65535, NULL },
	{ 0, "mqtt-broker", "URL", OPTION_TEXT, AT(mqtt_broker),
	  "use a broker that runs: mqtt[s]://[USER@]HOST[:PORT]", NULL, NULL, 0, 0, NULL },
	{ 0, "topic-up", "TOPIC", OPTION_TEXT, AT(topic_up),
	  "with --mqtt-broker: what a board publishes to; {client_id} and {mac} "
	  "are its own", NULL, NULL, 0, 0, "mcpctl/up/{client_id}" },
	{ 0, "topic-down", "TOPIC", OPTION_TEXT, AT(topic_down),
	  "with --mqtt-broker: what serve publishes to for a board", NULL, NULL, 0, 0,
	  "devices/p2p/{mac}" },
	{ 0, "mqtt-key-file", "FILE", OPTION_FILE, AT(mqtt_key_file),
	  "the key that signs the passwords of boards: let no other in", NULL, NULL, 0, 0, NULL },
	{ 0, "enroll", "DURATION", OPTION_OPTIONAL_TEXT, AT(enroll),
	  "with --mqtt-key-file: sign for each board that asks OTA within that time, "
	  "10m unless DURATION is given, and remember it", NULL, NULL, 0, 0, NULL },
	{ 0, "mqtt-operator-file", "FILE", OPTION_FILE, AT(mqtt_operator_file),
	  "the password of the user 'operator', who may look at all messages of the "
	  "broker", NULL, NULL, 0, 0, NULL },
	{ 0, "udp-port", "PORT", OPTION_NUMBER, AT(udp_port),
	  "port for the audio of MQTT boards", NULL, NULL, 1, 65535, "any free one" },
	{ 0, "silence", NULL, OPTION_FLAG, AT(silence),
	  "answer that audio with silence", NULL, NULL, 0, 0, NULL },
	{ 0, "devices-max", "N", OPTION_NUMBER, AT(devices_max),
	  "hold at most N devices", NULL, NULL, 1, 1000000, "20000, or what the "
	  "open files allow" },
	{ 0, "message-max", "BYTES", OPTION_NUMBER, AT(message_max),
	  "longest message of a device", NULL, NULL, 1024, 16777216, "1048576" },
	{ 0, "picture-max", "BYTES", OPTION_NUMBER, AT(picture_max),
	  "largest picture", NULL, NULL, 1024, 268435456, "8388608" },
	{ 0, "handshake", "DURATION", OPTION_DURATION, AT(handshake),
	  "longest time for the head of a request", NULL, NULL, 1, 0, "10s" },
	{ 0, "hello-wait", "DURATION", OPTION_DURATION, AT(hello_wait),
	  "how long a peer may be silent before its hello", NULL, NULL, 1, 0, "30s" },
	{ 0, "exec", "CMD", OPTION_TEXT, AT(exec),
	  "what sh runs for each device that is ready, with MCPCTL_TARGET and "
	  "MCPCTL_DEVICE set", NULL, NULL, 0, 0, NULL },
	{ 0, "once", NULL, OPTION_FLAG, AT(once),
	  "with --exec: end with the first command, and with its status", NULL, NULL, 0, 0, NULL },
	{ 0, "daemon", NULL, OPTION_FLAG, AT(daemon),
	  "go to the background once it listens", NULL, NULL, 0, 0, NULL },
	{ 0, "no-sandbox", NULL, OPTION_FLAG, AT(no_sandbox),
	  "keep all that the user may do: for a debugger, and where a fence is "
	  "in the way", NULL, NULL, 0, 0, NULL },
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
		error_set(err, ERR_USAGE,
			  "'serve' takes no target, but got '%s'", c->target);
		return error_hint(err, "where it listens is --listen "
				       "[HOST:]PORT");
	}
	if (serve_target_device(app)) {
		error_set(err, ERR_USAGE,
			  "option '--device' is for the commands that attach "
			  "to serve");
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

static int check(const struct app *app, const struct serve_arguments *a,
		 struct error *err)
{
	if (check_globals(app, err) != 0 || check_mqtt(a, err) != 0)
		return -1;
	if (a->once && !a->exec)
		return needs("once", "--exec", err);
	if (a->once && a->daemon)
		return excludes("once", "daemon", err);
	if (a->vision_exec && a->vision_text)
		return excludes("vision-exec", "vision-text", err);
	if (a->path && *a->path != '/')
		return error_set(err, ERR_USAGE,
				 "option '--path': '%s' does not begin with "
				 "'/'",
				 a->path);
	return 0;
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
	out->picture_max = a->picture_max;
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
				       &out->enroll, err) != 0)
		return error_prefix(err, "option '--enroll'");
	if (a->enroll && !out->enroll)
		return error_set(err, ERR_USAGE,
				 "option '--enroll': '%s' is too short",
				 a->enroll);
	if (state_file(&file, "enrolled.json", err) != 0)
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
		return error_set(err, ERR_USAGE,
				 "option '--vision-token-file' needs "
				 "--vision-url");
	if (c->vision_url && secret_read(&token, c->vision_token_file,
					 "MCPCTL_VISION_TOKEN", err) != 0)
		return -1;
	if (!token)
		return 0;
	words_add(paths, token);
	out->vision_token = paths->word[paths->count - 1];
	return 0;
}

int serve_configure(struct serve_config *out, struct words *paths,
		    const struct app *app, const struct serve_arguments *a,
		    struct error *err)
{
	const struct config *c = &app->config;

	if (check(app, a, err) != 0)
		return -1;
	*out = (struct serve_config){
		.listen = &a->listen,
		.path = a->path,
		.advertise = c->advertise,
		.allow_hosts = &c->allow_hosts,
		.allow_origins = &c->allow_origins,
		.proxies = &c->trusted_proxies,
		.offer = a->offer,
		.token_file = absolute(paths, c->token_file),
		.alias_file = absolute(paths, a->alias_file),
		.no_init = c->no_init,
		.save_images = absolute(paths, a->save_images),
		.vision_exec = a->vision_exec,
		.vision_text = a->vision_text,
		.timeout = c->timeout,
		.socket = absolute(paths, c->socket),
		.verbose = c->verbose,
		.fenced = !a->no_sandbox
	};
	set_mqtt(out, paths, c, a);
	set_limits(out, a);
	if (set_enrolling(out, paths, a, err) != 0)
		return -1;
	return set_vision(out, paths, c, err);
}
