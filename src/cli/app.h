/* SPDX-License-Identifier: MIT */
/*
 * What all commands of one run of the program share: configuration, loop,
 * renderer. main.c makes it, `run` uses it for many commands.
 */
#ifndef CLI_APP_H
#define CLI_APP_H

#include "cli/command.h"

struct config { /* global options; see config_options in config.c */
	const char *target, *trace, *findings, *cacert, *advertise, *vision_url,
		*vision_token_file, *token_file, *device, *socket,
		*mqtt_password_file, *cwd, *proxy, *elicit, *sampling,
		*config_file, *breaker, *save_images, *save_audio, *elf, *jq,
		*fields, *oauth_client_id, *oauth_secret_file, *oauth_key_file,
		*oauth_client_document, *oauth_issuer, *oauth_scope,
		*oauth_idp_token_file, *oauth_idp_endpoint,
		*oauth_idp_client_id;
	int oauth_grant; /* enum auth_grant */
	int output; /* enum output_form */
	int color; /* enum color_mode */
	int image; /* enum image_mode */
	int verbose; /* how often -v was given */
	int envelope; /* 0 auto, 1 device, 2 plain */
	int era; /* 0 auto, 1 modern, 2 legacy */
	bool quiet, insecure, help, version, no_init, all, no_pager,
		retry_calls, trust, reset, audio, no_oauth;
	/* What is dialled was found, and nobody named it: it is sent no secret. */
	bool stranger;
	int64_t oauth_timeout; /* ms; 0: default */
	int64_t timeout, wait; /* ms; 0: default */
	int64_t picture_max; /* bytes; 0: the default */
	int64_t retry; /* tries in all; 0: by the kind of target */
	struct words headers, env, resolve, roots, allow_hosts, allow_origins,
		trusted_proxies, serial;
	struct words targets,
		devices; /* CMD_MANY: each, in their order; lent */
	struct words child; /* behind "--": a program and its arguments */
	char *child_target; /* the same as a target, "stdio:…"; owned; NULL */
	struct words commands; /* -e */
};

/* --all: how it went with one device; a report wants it. */
struct device_outcome {
	const char *id, *name; /* as in `devices` */
	int64_t took_us; /* -1: unknown */
	const struct error *failure; /* NULL: it went well */
};

/* Of serial logs: see cli/witnessed.h. */
struct held_lines {
	struct held_line {
		/* Owned; NULL but name. finding: as session_serial_found has it */
		char *name, *device, *text, *note, *finding;
		enum severity severity; /* of the finding */
	} * item; /* owned */
	size_t count;
	uint64_t lost;
};
void held_line_done(struct held_line *l);
void held_lines_done(struct held_lines *h);

struct connection;
struct credentials;
struct witness;

struct app {
	struct config config;
	void (*on_outcome)(void *owner,
			   const struct device_outcome *o); /* NULL */
	void *outcome_owner;
	const char *target_source; /* "the argument", "MCPCTL_TARGET", … */
	bool later; /* the shell has gone on to it from another one */
	int told_serve; /* -1; pid of the serve whose other version was told */
	bool direct; /* what serve keeps open is dialled all the same */
	bool apart; /* a process of its own, with its own loop, logs in there */
	bool found_serve; /* no target was given: a serve's socket was found */
	struct loop *loop;
	struct renderer out;
	struct query *query; /* of --jq; NULL */
	struct table *table; /* of -o table; NULL */
	struct trace_file *trace; /* of --trace; NULL */
	FILE *findings; /* of --findings */
	struct witness *witness; /* of --serial; NULL: not open, or none */
	struct connection *witnessed; /* who are told of its lines; NULL */
	struct held_lines held; /* while there is nobody */
	struct credentials *credentials; /* see cli/credentials.h; NULL */
	bool stdin_taken;
	int status; /* what the program ends with if nothing failed: a command's of --exec */
};

void app_init(struct app *app);
void app_done(struct app *app);

/* The loop, made at the first call: what needs none starts without it. */
int app_open_loop(struct app *app, struct error *err);
/* The same for what follows without an end: it is over with the reader of stdout. */
int app_follow(struct app *app, struct error *err);

/* The renderer as the configuration says; call once it is parsed. */
void app_configure(struct app *app);

/* ms that an expression may take for one value: --timeout, else 10 s. */
int64_t app_query_timeout(const struct app *app);

/* Whether the target is one at which a device comes by itself: listen:, attach:. */
bool app_listens(const struct app *app);

/* Flush output and trace: -1 (ERR_OUTPUT) if something was lost. */
int app_finish(struct app *app, struct error *err);

/*
 * One of several failed, and the others are done all the same: it is told now,
 * and the status is the highest of all. err is released.
 */
void app_tell_failure(struct app *app, struct error *err);

/* After a failure: if a signal came meanwhile, that is the reason, and *err says so. */
void app_check_signal(struct app *app, struct error *err);

#endif
