/* SPDX-License-Identifier: MIT */
/*
 * What reaches a pretend device: a connection, frames, the end, alarms. Runs
 * as the firmware's receive task does: it parses and queues; it sends nothing
 * but the hello.
 */
#include "sim/device.h"

#include <string.h>

#include "base/mem.h"
#include "sim/device_loop.h"

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
	struct device *d = owner;

	d->config.events->hazard(d->config.owner, h);
}

/* The server's events: replies and calls become jobs of the main loop. */

static void on_reply(void *owner, const struct server_reply *r)
{
	struct device *d = owner;
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
		device_set_alarm(d, ALARM_JOB, d->config.faults.reply_late_ms,
				 job);
	else
		device_add_job(d, job);
	if (r->method != SERVER_INITIALIZE)
		return;
	if (!d->initialized)
		d->config.events->note(d->config.owner, DEVICE_INITIALIZED,
				       NULL);
	d->initialized = true;
	if (fault_has(&d->config.faults, FAULT_NOTIFY_STORM))
		device_add_job(d, job_new(JOB_STORM));
}

static void on_call(void *owner, struct server_call *call)
{
	struct device *d = owner;
	struct job *job = job_new(JOB_CALL);

	job->call = call;
	d->config.events->note(d->config.owner, DEVICE_CALLED,
			       call->tool->name);
	device_add_job(d, job);
}

static const struct server_events server_events = {
	.reply = on_reply,
	.call = on_call,
};

/* State is in the board's store and stays. */
void device_restart(struct device *d)
{
	device_end_session(d);
	server_reset(&d->server);
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
}

void device_schedule_events(struct device *d)
{
	const cJSON *event;
	int64_t after = 0;

	cJSON_ArrayForEach(event, d->config.profile->events) {
		struct job *job = job_new(JOB_EVENT);

		job->event = event;
		json_integer(event, "after_ms", &after);
		device_set_alarm(d, ALARM_JOB, after, job);
	}
}

/* The server hello was waited for and is there: the session begins. */
void device_welcome(struct device *d)
{
	d->hello_flag = false;
	d->waiting = false;
	d->busy = false;
	device_clear_alarms(d, ALARM_NO_HELLO);
	d->config.events->note(d->config.owner, DEVICE_WELCOMED, NULL);
	device_start_listening(d);
	device_schedule_events(d);
}

static void hello_and_wait(struct device *d)
{
	if (!fault_has(&d->config.faults, FAULT_NO_HELLO))
		device_say_hello(d);
	if (d->hello_flag) { /* one that came too late for the last session */
		device_welcome(d);
		return;
	}
	device_set_alarm(d, ALARM_NO_HELLO, DEVICE_HELLO_MS, NULL);
}

void device_init(struct device *d, const struct device_config *config,
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
	timer_open(&d->timer, config->loop, device_on_timer, d);
}

void device_open(struct device *d)
{
	hazard_watch_start(&d->watch);
	d->online = true;
	d->peer_closed = d->unusable = d->stopped = false;
	d->initialized = false;
	d->mode = DEVICE_IDLE;
	d->audio_ms = 0;
	if (d->config.bare)
		device_schedule_events(d);
	else if (d->config.mqtt)
		device_standby(d);
	else
		device_begin(d);
}

void device_begin(struct device *d)
{
	d->waiting = d->busy = true;
	if (fault_has(&d->config.faults, FAULT_LATE_HELLO))
		device_set_alarm(d, ALARM_HELLO, d->config.faults.hello_late_ms,
				 NULL);
	else
		hello_and_wait(d);
}

void device_take_session(struct device *d, const cJSON *hello)
{
	const cJSON *id = cJSON_GetObjectItem(hello, "session_id");

	if (!cJSON_IsString(id))
		return;
	mem_free(d->session_id);
	d->session_id = mem_strdup(id->valuestring);
}

/* 1.5: a real board crashes on a hello without transport. */
static void on_hello(struct device *d, const cJSON *root)
{
	const cJSON *transport = cJSON_GetObjectItem(root, "transport");

	if (!cJSON_IsString(transport)) {
		hazard_tell(&d->watch, HAZARD_HELLO_NO_TRANSPORT);
		device_line(d, "the server hello has no 'transport': a real "
			       "device crashes here and restarts");
		device_restart(d);
		device_drop(d);
		return;
	}
	if (strcmp(transport->valuestring, "websocket") != 0) {
		hazard_tell(&d->watch, HAZARD_HELLO_OTHER_TRANSPORT);
		device_line(d, "the server hello was ignored: its 'transport' "
			       "is not \"websocket\"");
		return;
	}
	hazard_hello(&d->watch, root);
	device_take_session(d, root);
	d->hello_flag = true;
	if (d->waiting && d->watch.hello_sent)
		device_welcome(d);
}

static void on_tts(struct device *d, const cJSON *root)
{
	const char *state = text_of(root, "state");

	if (!strcmp(state, "start"))
		device_add_job(d, job_new(JOB_SPEAK));
	else if (!strcmp(state, "stop"))
		device_add_job(d, job_new(JOB_SILENCE));
}

static void on_alert(struct device *d, const cJSON *root)
{
	const char *status = text_of(root, "status");
	const char *message = text_of(root, "message");

	if (*status && *message && *text_of(root, "emotion"))
		device_line(d, "shows the alert '%s: %s'", status, message);
}

static void on_system(struct device *d, const cJSON *root)
{
	if (strcmp(text_of(root, "command"), "reboot") != 0)
		return;
	device_line(d, "restarts, as the backend asked");
	device_add_job(d, job_new(JOB_RESTART));
}

static void on_mcp(struct device *d, const cJSON *payload)
{
	if (!cJSON_IsObject(payload))
		return;
	hazard_payload(&d->watch, payload, d->server.vision_url != NULL);
	server_receive(&d->server, payload);
}

/* The local port takes both: the envelope, and a bare payload (3.11). */
static void on_bare(struct device *d, const cJSON *root)
{
	const cJSON *payload = cJSON_GetObjectItem(root, "payload");

	if (!strcmp(text_of(root, "type"), "mcp") && cJSON_IsObject(payload))
		root = payload;
	hazard_payload(&d->watch, root, d->server.vision_url != NULL);
	server_receive(&d->server, root);
}

static void on_message(struct device *d, const cJSON *root)
{
	const char *type = text_of(root, "type");

	if (d->config.bare)
		on_bare(d, root);
	else if (!strcmp(type, "hello") && d->config.mqtt)
		device_udp_hello(d, root);
	else if (!strcmp(type, "hello"))
		on_hello(d, root);
	else if (!strcmp(type, "goodbye") && d->config.mqtt)
		device_goodbye(d, root);
	else if (!strcmp(type, "mcp"))
		on_mcp(d, cJSON_GetObjectItem(root, "payload"));
	else if (!strcmp(type, "tts"))
		on_tts(d, root);
	else if (!strcmp(type, "alert"))
		on_alert(d, root);
	else if (!strcmp(type, "system"))
		on_system(d, root);
}

void device_text(struct device *d, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *root = NULL;

	if (!d->online || d->peer_closed)
		return;
	root = parse(text, len);
	hazard_frame(&d->watch, root, len, d->config.bare);
	if (root)
		on_message(d, root);
	device_run(d);
}

void device_peer_close(struct device *d)
{
	if (!d->online || d->peer_closed)
		return;
	d->peer_closed = true;
	d->mode = DEVICE_IDLE;
	/* 1.4: no answer, and TCP stays until the peer or the next open ends it */
	device_set_alarm(d, ALARM_LEFT_OPEN, DEVICE_LEFT_OPEN_MS, NULL);
}

void device_hang_up(struct device *d)
{
	if (!d->online)
		return;
	device_leave_session(d);
	d->online = false;
	d->mode = DEVICE_IDLE;
	device_forget_work(d);
	hazard_end(&d->watch);
}

void device_set_version(struct device *d, int frame_version)
{
	d->config.frame_version = frame_version;
}

void device_set_mqtt(struct device *d, bool mqtt)
{
	d->config.mqtt = mqtt;
}

void device_on_alarm(struct device *d, enum alarm_kind kind)
{
	switch (kind) {
	case ALARM_REBOOT:
		device_restart(d);
		device_drop(d);
		break;
	case ALARM_HELLO:
		hello_and_wait(d);
		break;
	case ALARM_NO_HELLO:
		hazard_tell(&d->watch, HAZARD_HELLO_LATE);
		device_line(d, "the server hello did not come within 10 s");
		d->waiting = d->busy = false;
		break;
	case ALARM_AUDIO:
		device_send_audio(d);
		break;
	case ALARM_LEFT_OPEN:
		hazard_tell(&d->watch, HAZARD_CLOSE_LEFT_OPEN);
		break;
	case ALARM_JOB:
	case ALARM_FREE:
		break;
	}
}
