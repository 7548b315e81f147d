/* SPDX-License-Identifier: MIT */
/*
 * What reaches a pretend device: a connection, frames, the end, alarms. Runs
 * as the firmware's receive task does: it parses and queues; it sends nothing
 * but the hello.
 */
#include "sim/pretend.h"

#include <string.h>

#include "base/mem.h"
#include "sim/pretend_loop.h"

/* Firmware's own view of JSON: cJSON, whatever stands behind the value. */
static cJSON *parse(const char *text, size_t len)
{
	return cJSON_ParseWithLength(text, strnlen(text, len));
}

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

	return text ? text : "";
}

static void on_hazard(void *owner, enum hazard h)
{
	struct pretend *d = owner;

	d->config.events->hazard(d->config.owner, h);
}

/* The server's events: replies and calls become jobs of the main loop. */

static void on_reply(void *owner, const struct firmware_reply *r)
{
	struct pretend *d = owner;
	struct buf payload;
	struct job *job = job_new(JOB_REPLY);

	if (r->method == SERVER_LIST && !r->is_error) {
		if (!d->watch.listed)
			d->config.events->note(d->config.owner, DEVICE_LISTED,
					       NULL);
		hazard_page(&d->watch, r->more);
	}
	buf_init(&payload, 0);
	fault_encode(&d->config.faults, r, d->server.dialect, &payload);
	job->method = r->method;
	job->len = payload.len;
	job->payload = buf_take(&payload);
	buf_done(&payload);
	if (r->method == SERVER_CALL &&
	    fault_has(&d->config.faults, FAULT_LATE_REPLY))
		pretend_set_alarm(d, ALARM_JOB, d->config.faults.reply_late_ms,
				  job);
	else
		pretend_add_job(d, job);
	if (r->method != SERVER_INITIALIZE)
		return;
	if (!d->initialized)
		d->config.events->note(d->config.owner, DEVICE_INITIALIZED,
				       NULL);
	d->initialized = true;
	if (fault_has(&d->config.faults, FAULT_NOTIFY_STORM))
		pretend_add_job(d, job_new(JOB_STORM));
}

static void on_call(void *owner, struct firmware_call *call)
{
	struct pretend *d = owner;
	struct job *job = job_new(JOB_CALL);

	job->call = call;
	d->config.events->note(d->config.owner, DEVICE_CALLED,
			       call->tool->name);
	pretend_add_job(d, job);
}

static const struct firmware_events server_events = {
	.reply = on_reply,
	.call = on_call,
};

/* State is in the board's store and stays. */
void pretend_restart(struct pretend *d)
{
	pretend_end_session(d);
	firmware_reset(&d->server);
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
}

void pretend_schedule_events(struct pretend *d)
{
	const cJSON *event;
	int64_t after = 0;

	cJSON_ArrayForEach(event, d->config.profile->events) {
		struct job *job = job_new(JOB_EVENT);

		job->event = event;
		json_integer(event, "after_ms", &after);
		pretend_set_alarm(d, ALARM_JOB, after, job);
	}
}

/* The server hello was waited for and is there: the session begins. */
void pretend_welcome(struct pretend *d)
{
	d->hello_flag = false;
	d->waiting = false;
	d->busy = false;
	pretend_clear_alarms(d, ALARM_NO_HELLO);
	d->config.events->note(d->config.owner, DEVICE_WELCOMED, NULL);
	pretend_start_listening(d);
	pretend_schedule_events(d);
}

static void hello_and_wait(struct pretend *d)
{
	if (!fault_has(&d->config.faults, FAULT_NO_HELLO))
		pretend_say_hello(d);
	if (d->hello_flag) { /* one that came too late for the last session */
		pretend_welcome(d);
		return;
	}
	pretend_set_alarm(d, ALARM_NO_HELLO, DEVICE_HELLO_MS, NULL);
}

void pretend_init(struct pretend *d, const struct pretend_config *config,
		  const char *device_id, const char *client_id)
{
	memset(d, 0, sizeof(*d));
	d->config = *config;
	d->config.outside.loop = config->loop;
	d->device_id = mem_strdup(device_id);
	d->client_id = mem_strdup(client_id);
	d->server.catalog = &config->profile->catalog;
	d->server.dialect = config->profile->dialect;
	d->server.events = &server_events;
	d->server.owner = d;
	d->watch.found = on_hazard;
	d->watch.owner = d;
	timer_open(&d->timer, config->loop, pretend_on_timer, d);
}

void pretend_open(struct pretend *d)
{
	hazard_watch_start(&d->watch);
	d->online = true;
	d->peer_closed = d->unusable = d->stopped = false;
	d->initialized = false;
	d->mode = DEVICE_IDLE;
	d->audio_ms = 0;
	if (d->config.bare)
		pretend_schedule_events(d);
	else if (d->config.mqtt)
		pretend_standby(d);
	else
		pretend_begin(d);
}

void pretend_begin(struct pretend *d)
{
	d->waiting = d->busy = true;
	if (fault_has(&d->config.faults, FAULT_LATE_HELLO))
		pretend_set_alarm(d, ALARM_HELLO,
				  d->config.faults.hello_late_ms, NULL);
	else
		hello_and_wait(d);
}

void pretend_take_session(struct pretend *d, const cJSON *hello)
{
	const cJSON *id = cJSON_GetObjectItem(hello, "session_id");

	if (!cJSON_IsString(id))
		return;
	mem_free(d->session_id);
	d->session_id = mem_strdup(id->valuestring);
}

/* 1.5: a real board crashes on a hello without transport. */
static void on_hello(struct pretend *d, const cJSON *root)
{
	const cJSON *transport = cJSON_GetObjectItem(root, "transport");

	if (!cJSON_IsString(transport)) {
		hazard_tell(&d->watch, HAZARD_HELLO_NO_TRANSPORT);
		pretend_line(d, "the server hello has no 'transport': a real "
				"device crashes here and restarts");
		pretend_restart(d);
		pretend_drop(d);
		return;
	}
	if (strcmp(transport->valuestring, "websocket") != 0) {
		hazard_tell(&d->watch, HAZARD_HELLO_OTHER_TRANSPORT);
		pretend_line(d, "the server hello was ignored: its 'transport' "
				"is not \"websocket\"");
		return;
	}
	hazard_hello(&d->watch, root);
	pretend_take_session(d, root);
	d->hello_flag = true;
	if (d->waiting && d->watch.hello_sent)
		pretend_welcome(d);
}

static void on_tts(struct pretend *d, const cJSON *root)
{
	const char *state = text_of(root, "state");

	if (!strcmp(state, "start"))
		pretend_add_job(d, job_new(JOB_SPEAK));
	else if (!strcmp(state, "stop"))
		pretend_add_job(d, job_new(JOB_SILENCE));
}

static void on_alert(struct pretend *d, const cJSON *root)
{
	const char *status = text_of(root, "status");
	const char *message = text_of(root, "message");

	if (*status && *message && *text_of(root, "emotion"))
		pretend_line(d, "shows the alert '%s: %s'", status, message);
}

static void on_system(struct pretend *d, const cJSON *root)
{
	if (strcmp(text_of(root, "command"), "reboot") != 0)
		return;
	pretend_line(d, "restarts, as the backend asked");
	pretend_add_job(d, job_new(JOB_RESTART));
}

static void on_mcp(struct pretend *d, const cJSON *payload)
{
	if (!cJSON_IsObject(payload))
		return;
	hazard_payload(&d->watch, payload, d->server.vision_url != NULL);
	firmware_receive(&d->server, payload);
}

/* The local port takes both: the envelope, and a bare payload (3.11). */
static void on_bare(struct pretend *d, const cJSON *root)
{
	const cJSON *payload = cJSON_GetObjectItem(root, "payload");

	if (!strcmp(text_of(root, "type"), "mcp") && cJSON_IsObject(payload))
		root = payload;
	hazard_payload(&d->watch, root, d->server.vision_url != NULL);
	firmware_receive(&d->server, root);
}

static void on_message(struct pretend *d, const cJSON *root)
{
	const char *type = text_of(root, "type");

	if (d->config.bare)
		on_bare(d, root);
	else if (!strcmp(type, "hello") && d->config.mqtt)
		pretend_udp_hello(d, root);
	else if (!strcmp(type, "hello"))
		on_hello(d, root);
	else if (!strcmp(type, "goodbye") && d->config.mqtt)
		pretend_goodbye(d, root);
	else if (!strcmp(type, "mcp"))
		on_mcp(d, cJSON_GetObjectItem(root, "payload"));
	else if (!strcmp(type, "tts"))
		on_tts(d, root);
	else if (!strcmp(type, "alert"))
		on_alert(d, root);
	else if (!strcmp(type, "system"))
		on_system(d, root);
}

void pretend_text(struct pretend *d, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *root = NULL;

	if (!d->online || d->peer_closed)
		return;
	root = parse(text, len);
	hazard_frame(&d->watch, root, len, d->config.bare);
	if (root)
		on_message(d, root);
	pretend_run(d);
}

void pretend_peer_close(struct pretend *d)
{
	if (!d->online || d->peer_closed)
		return;
	d->peer_closed = true;
	d->mode = DEVICE_IDLE;
	/* 1.4: no answer, and TCP stays until the peer or the next open ends it */
	pretend_set_alarm(d, ALARM_LEFT_OPEN, DEVICE_LEFT_OPEN_MS, NULL);
}

void pretend_hang_up(struct pretend *d)
{
	if (!d->online)
		return;
	pretend_leave_session(d);
	d->online = false;
	d->mode = DEVICE_IDLE;
	pretend_forget_work(d);
	hazard_end(&d->watch);
}

void pretend_set_version(struct pretend *d, int frame_version)
{
	d->config.frame_version = frame_version;
}

void pretend_set_mqtt(struct pretend *d, bool mqtt)
{
	d->config.mqtt = mqtt;
}

void pretend_on_alarm(struct pretend *d, enum alarm_kind kind)
{
	switch (kind) {
	case ALARM_REBOOT:
		pretend_restart(d);
		pretend_drop(d);
		break;
	case ALARM_HELLO:
		hello_and_wait(d);
		break;
	case ALARM_NO_HELLO:
		hazard_tell(&d->watch, HAZARD_HELLO_LATE);
		pretend_line(d, "the server hello did not come within 10 s");
		d->waiting = d->busy = false;
		break;
	case ALARM_AUDIO:
		pretend_send_audio(d);
		break;
	case ALARM_LEFT_OPEN:
		hazard_tell(&d->watch, HAZARD_CLOSE_LEFT_OPEN);
		break;
	case ALARM_JOB:
	case ALARM_FREE:
		break;
	}
}
