/* SPDX-License-Identifier: MIT */
/* The device that sim pretends to be: modes, jobs, what it uploads and runs. */
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "sim/order.h"
#include "sim/pretend.h"
#include "sim/pretend_say.h"
#include "sim/recorded.h"
#include "sim/upload.h"
#include "wire/refusal.h"

#define REFUSALS_TOLD 10 /* in a device's life */

static struct job *pretend_outcome(struct pretend *d, const struct job *of,
				   const struct firmware_outcome *outcome);
static const struct pretend_work work;
static void pretend_standby(struct pretend *d);
static void pretend_begin(struct pretend *d);
static void pretend_drop(struct pretend *d);
static void pretend_forget_upload(struct pretend *d);
static void pretend_forget_outside(struct pretend *d);

/*
 * What reaches a pretend device: a connection, frames, the end, alarms. Runs
 * as the firmware's receive task does: it parses and queues; it sends nothing
 * but the hello.
 */

/*
 * Firmware's own view of JSON: cJSON, whatever stands behind the value. A NUL
 * between tokens is a blank to it.
 */
static cJSON *parse(const char *text, size_t len)
{
	return cJSON_ParseWithLength(text, len);
}

static const char *text_of(const cJSON *object, const char *name)
{
	const char *text =
		cJSON_GetStringValue(cJSON_GetObjectItem(object, name));

	return text ? text : "";
}

/* What is asked is counted before firmware looks at it: it may not answer. */
static void count_request(struct pretend *d, const cJSON *payload)
{
	const cJSON *params = cJSON_GetObjectItem(payload, "params");
	const char *method = text_of(payload, "method");

	if (!*method || text_starts(method, "notifications"))
		return;
	d->asked = (struct counted_request){ .came_ns = uv_hrtime(),
					     .asker = d->asker };
	if (strcmp(method, "tools/call") == 0) {
		d->asked.is_call = true;
		d->asked.tool = firmware_catalog_find(d->server.catalog,
						      text_of(params, "name"));
	}
	if (strcmp(method, "tools/list") == 0)
		d->talk.user_tools = cJSON_IsTrue(
			cJSON_GetObjectItem(params, "withUserTools"));
	counts_came(d->config.counts, &d->asked);
}

/* The server's events: replies and calls become jobs of the main loop. */

static void become_deaf(struct pretend *d)
{
	d->deaf = true;
	d->deaf_due = false;
	if (d->config.events->deaf)
		d->config.events->deaf(d->config.owner);
}

/* How far the listing got. */
static void on_page(struct pretend *d, const struct firmware_reply *r)
{
	const struct firmware_catalog *c = d->server.catalog;
	size_t to = r->next ? (size_t)(r->next - c->tool) : c->count;

	if (!d->talk.listed)
		d->config.events->note(d->config.owner, DEVICE_LISTED, NULL);
	d->talk.listed = true;
	if (to > d->listed_to)
		d->listed_to = to;
	if (!r->next && fault_has(&d->config.faults, FAULT_HALF_OPEN))
		d->deaf_due = true;
	if (!r->next)
		pretend_listed_whole(d);
}

static void on_reply(void *owner, const struct firmware_reply *r)
{
	struct pretend *d = owner;
	struct buf payload;
	struct job *job = job_new(JOB_REPLY);

	if (r->method == SERVER_LIST && !r->is_error)
		on_page(d, r);
	buf_init(&payload, 0);
	fault_encode(&d->config.faults, r, d->server.dialect, &payload);
	job->method = r->method;
	job->is_error = r->is_error;
	job->of = d->asked;
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

static struct span argument_heard(const struct pretend *d, const char *name)
{
	struct span at = d->heard, out = { 0 };

	if (!at.text || json_check(at.text, at.len, NULL))
		return out;
	json_span_member(at, "payload", &at);
	if (json_span_member(at, "params", &at) &&
	    json_span_member(at, "arguments", &at))
		json_span_member(at, name, &out);
	return out;
}

/* Only the device knows that it took another value than the one it was sent. */
static void tell_defaulted(struct pretend *d, const struct firmware_call *call)
{
	const char *name = call->defaulted->name;
	const struct span at = argument_heard(d, name);
	const struct diag_frame f = { .at_us = loop_now_us(),
				      .leg = pretend_leg(d),
				      .data = d->heard.text,
				      .len = d->heard.len };

	if (d->config.events->finding && d->heard.text)
		diag_found_in(&d->talk.diag, B242, &f, at,
			      "%s: %.40s; its default is used",
			      call->tool->name, name);
}

static void on_call(void *owner, struct firmware_call *call)
{
	struct pretend *d = owner;
	struct job *job = job_new(JOB_CALL);

	if (call->defaulted)
		tell_defaulted(d, call);
	job->call = call;
	job->len = d->heard.len;
	job->of = d->asked;
	d->config.events->note(d->config.owner, DEVICE_CALLED,
			       call->tool->name);
	if (fault_has(&d->config.faults, FAULT_HANG))
		become_deaf(d);
	pretend_add_job(d, job);
}

static const struct firmware_events server_events = {
	.reply = on_reply,
	.call = on_call,
};

void pretend_install(struct pretend *d, const char *version)
{
	snprintf(d->version, sizeof(d->version), "%s", version);
	d->catalog.version = d->version;
}

/* State is in the board's store and stays. */
void pretend_restart(struct pretend *d)
{
	d->restarts++;
	pretend_end_session(d);
	firmware_reset(&d->server);
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
}

static void pretend_schedule_events(struct pretend *d)
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
static void pretend_welcome(struct pretend *d)
{
	d->hello_flag = false;
	d->waiting = false;
	d->busy = false;
	pretend_clear_alarms(d, ALARM_NO_HELLO);
	d->config.events->note(d->config.owner, DEVICE_WELCOMED, NULL);
	if (d->config.wake_word)
		pretend_say_wake_word(d);
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
	*d = (struct pretend){ 0 };
	d->config = *config;
	d->config.outside.loop = config->loop;
	d->device_id = mem_strdup(device_id);
	d->client_id = mem_strdup(client_id);
	d->catalog = config->profile->catalog;
	d->server.catalog = &d->catalog;
	d->server.dialect = config->profile->dialect;
	d->server.events = &server_events;
	d->server.owner = d;
	pretend_judge_anew(d);
	d->work = &work;
	timer_open(&d->timer, config->loop, pretend_on_timer, d);
}

void pretend_open(struct pretend *d)
{
	pretend_judge_anew(d);
	d->online = true;
	d->peer_closed = d->unusable = d->stopped = false;
	d->initialized = d->hello_said = false;
	d->deaf = d->deaf_due = false;
	d->listed_to = 0;
	d->mode = DEVICE_IDLE;
	d->audio_ms = 0;
	if (d->config.bare)
		pretend_schedule_events(d);
	else if (d->config.mqtt)
		pretend_standby(d);
	else
		pretend_begin(d);
}

static void pretend_begin(struct pretend *d)
{
	d->waiting = d->busy = true;
	d->hello_out = false;
	if (d->config.counts)
		d->config.counts->sessions++;
	if (fault_has(&d->config.faults, FAULT_LATE_HELLO))
		pretend_set_alarm(d, ALARM_HELLO,
				  d->config.faults.hello_late_ms, NULL);
	else
		hello_and_wait(d);
}

static void pretend_take_session(struct pretend *d, const cJSON *hello)
{
	const cJSON *id = cJSON_GetObjectItem(hello, "session_id");

	if (!cJSON_IsString(id))
		return;
	mem_free(d->session_id);
	d->session_id = mem_strdup(id->valuestring);
}

/*
 * The voice session of a device that lives at a broker: begun and ended by
 * messages, its sound over UDP (device.md 2.3, 2.5). MCP needs none of it.
 */

/* Events that only a voice session can carry. */
static bool needs_session(const struct pretend *d)
{
	const cJSON *event;

	if (d->config.audio || d->config.wake_word)
		return true;
	cJSON_ArrayForEach(event, d->config.profile->events) {
		if (!json_object(event, "notification"))
			return true;
	}
	return false;
}

static void pretend_standby(struct pretend *d)
{
	if (needs_session(d))
		pretend_begin_session(d);
	else
		pretend_schedule_events(d);
}

void pretend_begin_session(struct pretend *d)
{
	if (!d->online || !d->config.mqtt || d->in_session || d->waiting)
		return;
	/* The session before is forgotten here and not earlier. */
	mem_free(d->session_id);
	d->session_id = NULL;
	d->hello_flag = false;
	pretend_begin(d);
}

static bool is_hex(const char *text, char out[33])
{
	if (!text || strlen(text) != 32)
		return false;
	for (size_t i = 0; i <= 32; i++)
		out[i] = text[i];
	return strspn(text, "0123456789abcdefABCDEF") == 32;
}

/* What firmware looks at from 2.4.0 on; older ones trust it. */
static bool read_offer(struct udp_offer *out, const cJSON *udp)
{
	const char *server =
		cJSON_GetStringValue(cJSON_GetObjectItem(udp, "server"));
	const cJSON *port = cJSON_GetObjectItem(udp, "port");

	if (!server || !*server || strlen(server) >= sizeof(out->server) ||
	    !cJSON_IsNumber(port) || port->valueint < 1 ||
	    port->valueint > UINT16_MAX)
		return false;
	memcpy(out->server, server, strlen(server) + 1);
	out->port = (uint16_t)port->valueint;
	return is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "key")),
		      out->key) &&
	       is_hex(cJSON_GetStringValue(cJSON_GetObjectItem(udp, "nonce")),
		      out->nonce);
}

static void pretend_udp_hello(struct pretend *d, const cJSON *root)
{
	const char *transport =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "transport"));
	struct udp_offer offer;

	if (!transport || strcmp(transport, "udp") != 0) {
		pretend_line(
			d,
			"the server hello was ignored: its 'transport' is not \"udp\"");
		return;
	}
	if (!read_offer(&offer, cJSON_GetObjectItem(root, "udp"))) {
		pretend_line(
			d,
			"the server hello was ignored: its 'udp' lacks a server, a port from 1 to 65535, or 32 hex digits of key or nonce");
		return;
	}
	pretend_take_session(d, root);
	if (!d->waiting || !d->hello_said)
		return;
	d->in_session = true;
	d->config.events->audio(d->config.owner, &offer);
	pretend_welcome(d);
}

static void pretend_goodbye(struct pretend *d, const cJSON *root)
{
	const char *id =
		cJSON_GetStringValue(cJSON_GetObjectItem(root, "session_id"));

	if (!id || strcmp(id, d->session_id ? d->session_id : "") != 0) {
		pretend_line(
			d,
			"a goodbye was ignored: its session_id is not that of the session");
		return;
	}
	if (d->in_session)
		pretend_line(d,
			     "the session is over: the backend said goodbye");
	pretend_leave_session(d);
}

/* 1.5: a real board crashes on a hello without transport. */
static void on_hello(struct pretend *d, const cJSON *root)
{
	const cJSON *transport = cJSON_GetObjectItem(root, "transport");

	if (!cJSON_IsString(transport) && d->server.dialect == SERVER_2_5_0) {
		pretend_line(
			d,
			"the server hello was ignored: it has no 'transport'");
		return;
	}
	if (!cJSON_IsString(transport)) {
		pretend_line(
			d,
			"the server hello has no 'transport': a real device crashes here and restarts");
		pretend_died(d, B202);
		pretend_restart(d);
		pretend_drop(d);
		return;
	}
	if (strcmp(transport->valuestring, "websocket") != 0) {
		pretend_line(
			d,
			"the server hello was ignored: its 'transport' is not \"websocket\"");
		return;
	}
	pretend_take_session(d, root);
	d->hello_flag = true;
	if (d->waiting && d->hello_said)
		pretend_welcome(d);
}

static void on_tts(struct pretend *d, const cJSON *root)
{
	const char *state = text_of(root, "state");

	if (strcmp(state, "start") == 0)
		pretend_add_job(d, job_new(JOB_SPEAK));
	else if (strcmp(state, "stop") == 0)
		pretend_add_job(d, job_new(JOB_SILENCE));
}

static void on_alert(struct pretend *d, const cJSON *root)
{
	const char *status = text_of(root, "status");
	const char *message = text_of(root, "message");

	if (*status && *message && *text_of(root, "emotion"))
		pretend_line(d, "shows the alert '%s: %s'", status, message);
}

/* 3.8, from 2.5.0 on: a sound to play, with what is said in it. */
static void on_notify(struct pretend *d, const cJSON *root)
{
	const char *url = text_of(root, "audio_url");
	const cJSON *subtitles = cJSON_GetObjectItem(root, "subtitles");

	if (d->server.dialect == SERVER_2_5_0 && *url)
		pretend_line(d, "notifies: plays %s, %d subtitles", url,
			     cJSON_GetArraySize(subtitles));
}

static void on_system(struct pretend *d, const cJSON *root)
{
	if (strcmp(text_of(root, "command"), "reboot") != 0)
		return;
	pretend_line(d, "restarts, as the backend asked");
	pretend_add_job(d, job_new(JOB_RESTART));
}

static void receive(struct pretend *d, const cJSON *payload)
{
	const struct recorded *r = &d->config.profile->recorded;

	count_request(d, payload);
	if (r->count && pretend_answer_recorded(d, payload))
		return;
	firmware_receive(&d->server, payload);
}

static void on_mcp(struct pretend *d, const cJSON *payload)
{
	if (cJSON_IsObject(payload))
		receive(d, payload);
}

/*
 * The local port takes both: the envelope, and a bare payload (device.md 3.11).
 */
static void on_bare(struct pretend *d, const cJSON *root)
{
	const cJSON *payload = cJSON_GetObjectItem(root, "payload");

	if (strcmp(text_of(root, "type"), "mcp") == 0 &&
	    cJSON_IsObject(payload))
		root = payload;
	receive(d, root);
}

/*
 * A text that is no message, or one of type "error": a board shows nothing of
 * it, and waits for the hello.
 */
static void on_refusal(struct pretend *d, const char *text, size_t len)
{
	CLEANUP(mem_free_ptr) char *words = NULL;

	if (d->hello_flag || d->config.bare || d->refusals >= REFUSALS_TOLD)
		return;
	words = refusal_words(text, len);
	if (!words)
		return;
	d->refusals++;
	d->config.events->note(d->config.owner, DEVICE_REFUSED, words);
}

static void on_message(struct pretend *d, const cJSON *root)
{
	const char *type = text_of(root, "type");

	if (d->config.bare)
		on_bare(d, root);
	else if (strcmp(type, "hello") == 0 && d->config.mqtt)
		pretend_udp_hello(d, root);
	else if (strcmp(type, "hello") == 0)
		on_hello(d, root);
	else if (strcmp(type, "goodbye") == 0 && d->config.mqtt)
		pretend_goodbye(d, root);
	else if (strcmp(type, "mcp") == 0)
		on_mcp(d, cJSON_GetObjectItem(root, "payload"));
	else if (strcmp(type, "tts") == 0)
		on_tts(d, root);
	else if (strcmp(type, "alert") == 0)
		on_alert(d, root);
	else if (strcmp(type, "system") == 0)
		on_system(d, root);
	else if (strcmp(type, "notify") == 0)
		on_notify(d, root);
}

static bool take_text(struct pretend *d, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *root = NULL;

	if (pretend_is_overrun(d))
		pretend_drop(d);
	if (!d->online || d->peer_closed || d->deaf)
		return false;
	pretend_judge(d, false, text, len);
	d->heard = (struct span){ text, len };
	root = parse(text, len);
	if (!root || strcmp(text_of(root, "type"), "error") == 0)
		on_refusal(d, text, len);
	if (root)
		on_message(d, root);
	d->heard = (struct span){ 0 };
	return true;
}

void pretend_text(struct pretend *d, const char *text, size_t len)
{
	if (take_text(d, text, len))
		pretend_run(d);
}

void pretend_receive(struct pretend *d, const char *text, size_t len)
{
	if (!take_text(d, text, len) || d->stirred)
		return;
	d->stirred = true;
	pretend_set_alarm(d, ALARM_STIR, 0, NULL);
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

/* What never came, and which tools the peer never saw. */
static void judge_end(struct pretend *d)
{
	diag_end(&d->talk.diag);
	if (d->talk.listed)
		counts_listed(d->config.counts, d->listed_to,
			      d->talk.user_tools);
	pretend_judge_anew(d);
}

void pretend_talk_end(struct pretend *d)
{
	judge_end(d);
}

void pretend_hang_up(struct pretend *d)
{
	if (!d->online)
		return;
	pretend_leave_session(d);
	d->online = false;
	d->mode = DEVICE_IDLE;
	pretend_forget_upload(d);
	pretend_forget_outside(d);
	pretend_forget_work(d);
	judge_end(d);
}

static void on_timer_closed(void *owner)
{
	struct pretend *d = owner;

	rule_state_free(d->config.profile, d->state);
	firmware_reset(&d->server);
	diag_done(&d->talk.diag);
	mem_free(TAKE(d->given));
	mem_free(d->session_id);
	mem_free(d->device_id);
	mem_free(d->client_id);
	d->state = NULL;
	d->session_id = d->device_id = d->client_id = NULL;
	d->closed(d->config.owner);
}

void pretend_close(struct pretend *d, void (*closed)(void *owner))
{
	pretend_hang_up(d);
	pretend_judge_anew(d);
	d->closed = closed;
	timer_close(&d->timer, on_timer_closed);
}

static void pretend_drop(struct pretend *d)
{
	if (!d->online)
		return;
	pretend_end_session(d);
	d->config.events->drop(d->config.owner);
	pretend_hang_up(d);
}

void pretend_set_version(struct pretend *d, int frame_version)
{
	d->config.frame_version = frame_version;
}

void pretend_set_mqtt(struct pretend *d, bool mqtt)
{
	d->config.mqtt = mqtt;
}

static void no_hello(struct pretend *d)
{
	d->waiting = d->busy = false;
	if (!d->hello_out) {
		pretend_line(
			d, "gives up after 10 s: its own hello never went out");
		return;
	}
	diag_found(&d->talk.diag, B209, (struct span){ 0 },
		   "the session is given up");
	pretend_line(d, "the server hello did not come within 10 s");
}

static void pretend_on_alarm(struct pretend *d, enum alarm_kind kind)
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
		no_hello(d);
		break;
	case ALARM_AUDIO:
		pretend_send_audio(d);
		break;
	case ALARM_LEFT_OPEN:
		diag_found(&d->talk.diag, B261, (struct span){ 0 },
			   "the device neither answers Close nor closes");
		break;
	case ALARM_STIR:
		d->stirred = false;
		break;
	case ALARM_JOB:
	case ALARM_FREE:
		break;
	}
}

/*
 * A tool call that a command or a model answers: the main loop waits for it,
 * as for an upload, so that every other reply waits too (device.md 3.9).
 */

static void reply_outside(struct pretend *d, const struct job *of,
			  const struct exec_answer *a)
{
	const struct fault_set *f = &d->config.faults;
	struct firmware_outcome o = { .text = a->text, .len = a->len };
	struct job *job;

	if (a->why->kind)
		o = (struct firmware_outcome){ .kind = SERVER_FAILED,
					       .text = a->why->text,
					       .len = strlen(a->why->text) };
	job = pretend_outcome(d, of, &o);
	if (fault_has(f, FAULT_LATE_REPLY))
		pretend_set_alarm(d, ALARM_JOB, f->reply_late_ms, job);
	else
		pretend_add_job(d, job);
}

static void tell(struct pretend *d, const struct firmware_call *call,
		 const struct exec_answer *a)
{
	if (a->why->kind) {
		pretend_line(d, "%s: %s", call->tool->name, a->why->text);
	} else {
		char took[32];

		pretend_line(d, "%s: answered after %s", call->tool->name,
			     text_milliseconds(a->took_ms, took, sizeof(took)));
	}
}

/* The call that the main loop waits for, as the job that it was. */
static struct job under_way(const struct pretend *d)
{
	return (struct job){ .kind = JOB_CALL,
			     .call = d->uploading,
			     .of = d->outside_of };
}

static void wait_outside(struct pretend *d, struct job *job)
{
	d->uploading = TAKE(job->call);
	d->outside_of = job->of;
}

static void on_done(void *owner, const struct exec_answer *a)
{
	struct pretend *d = owner;
	const struct job of = under_way(d);

	d->outside = NULL;
	tell(d, d->uploading, a);
	reply_outside(d, &of, a);
	pretend_forget_outside(d);
	d->busy = false;
	pretend_run(d);
}

static void add_argument(struct buf *out, const struct firmware_argument *a,
			 const struct firmware_value *v)
{
	buf_json_string(out, a->name, strlen(a->name));
	buf_char(out, ':');
	if (a->type == SERVER_STRING)
		buf_json_string(out, v->text, strlen(v->text));
	else
		firmware_value_text(a, v, out);
}

static void add_arguments(struct buf *out, const struct firmware_call *call)
{
	buf_char(out, '{');
	for (size_t i = 0; i < call->tool->argument_count; i++) {
		if (i)
			buf_char(out, ',');
		add_argument(out, call->tool->argument + i, call->value + i);
	}
	buf_char(out, '}');
}

/* The same for a rule that orders a command or a model. */
static bool pretend_outside(struct pretend *d, struct job *job,
			    const struct rule_result *result)
{
	CLEANUP(buf_done) struct buf arguments = { 0 };
	struct order order = {
		.result = result->order,
		.defaults = d->config.profile->ollama,
		.config = &d->config.outside,
		.system =
			result->system.len ? buf_string(&result->system) : NULL,
		.user = buf_string(&result->text),
	};
	struct error why = { 0 };

	add_arguments(&arguments, job->call);
	order.arguments = buf_string(&arguments);
	if (!order_start(&d->outside, &order, on_done, d, &why)) {
		wait_outside(d, job);
		return false;
	}
	reply_outside(d, job, &(struct exec_answer){ .why = &why });
	pretend_line(d, "%s: %s", job->call->tool->name, why.text);
	error_reset(&why);
	return true;
}

static void pretend_forget_outside(struct pretend *d)
{
	exec_abandon(TAKE(d->outside));
	firmware_call_free(TAKE(d->uploading));
}

/*
 * A tool call that uploads a picture: the main loop waits for its end, so that
 * every other reply waits too (device.md 3.9).
 */

static void reply_upload(struct pretend *d, const struct job *of, bool failed,
			 const char *text, size_t len)
{
	const struct firmware_outcome o = {
		.kind = failed ? SERVER_FAILED : SERVER_TEXT,
		.text = text,
		.len = len,
	};
	const struct fault_set *f = &d->config.faults;
	struct job *job = pretend_outcome(d, of, &o);

	if (fault_has(f, FAULT_LATE_REPLY))
		pretend_set_alarm(d, ALARM_JOB, f->reply_late_ms, job);
	else
		pretend_add_job(d, job);
}

static void on_ended(void *owner, bool failed, const char *text, size_t len)
{
	struct pretend *d = owner;
	const struct job of = under_way(d);

	d->upload = NULL;
	reply_upload(d, &of, failed, text, len);
	pretend_forget_upload(d);
	d->busy = false;
	pretend_run(d);
}

static void on_line(void *owner, const char *text)
{
	pretend_line(owner, "upload: %s", text);
}

static void on_upload_answer(void *owner, const struct vision_answer *a)
{
	struct pretend *d = owner;

	diag_vision(&d->talk.diag, a);
}

static void on_upload_passed(void *owner, struct trace *t)
{
	struct pretend *d = owner;

	if (d->config.events->upload)
		d->config.events->upload(d->config.owner, t);
}

static void on_upload_hung(void *owner)
{
	pretend_died(owner, V502);
}

static const struct upload_events upload_events = {
	.ended = on_ended,
	.line = on_line,
	.answer = on_upload_answer,
	.hung = on_upload_hung,
	.passed = on_upload_passed,
};

static void fail(struct pretend *d, const struct job *of,
		 const struct upload_order *order, const struct error *why)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	upload_unreachable(&text, order->kind, order->url);
	on_line(d, why->text);
	reply_upload(d, of, true, buf_string(&text), text.len);
}

/*
 * Begin what a rule ordered; takes the job's call. False: the main loop waits
 * for it; true: it could not even begin, and the reply is queued.
 */
static bool pretend_upload(struct pretend *d, struct job *job,
			   const struct rule_result *result)
{
	const struct photo *taken = d->config.photo;
	bool photo = result->upload == RULE_PHOTO;
	const char *text = buf_string(&result->text);
	const struct upload_order order = {
		.kind = result->upload,
		.url = photo ? d->server.vision_url : text,
		.photo = photo && taken ? taken : &photo_builtin,
		.question = text,
		.token = d->server.vision_token,
		.device_id = d->device_id,
		.client_id = d->client_id,
		.trust = d->config.trust,
	};
	struct error why = { 0 };

	d->upload =
		upload_start(d->config.loop, &order, &upload_events, d, &why);
	if (!d->upload) {
		fail(d, job, &order, &why);
		error_reset(&why);
		return true;
	}
	pretend_line(d, "sends a picture of %zu bytes to %s", order.photo->len,
		     order.url);
	wait_outside(d, job);
	return false;
}

static void pretend_forget_upload(struct pretend *d)
{
	upload_abandon(TAKE(d->upload));
	firmware_call_free(TAKE(d->uploading));
}

/* The jobs of the main loop: tools are run, replies sent, connections dropped. */

enum { STORM_SLICE = 1000, STORM_PAUSE_MS = 1 };

static void send_reply(struct pretend *d, const struct job *job)
{
	if (pretend_send_payload(d, job->payload, job->len))
		counts_replied(d->config.counts, &job->of, job->is_error,
			       uv_hrtime());
}

static void do_reply(struct pretend *d, const struct job *job)
{
	const struct pretend_events *e = d->config.events;
	const struct fault_set *f = &d->config.faults;
	bool last = job->method == SERVER_LIST && d->deaf_due;

	d->answering = job->of.asker;
	if (d->deaf)
		return;
	d->aside = e->answers && !e->answers(d->config.owner, d->answering);
	if (job->as_is) {
		pretend_send_as_is(d, job->payload);
	} else if (job->method != SERVER_CALL) {
		/* Whoever hears it may call at once: nothing of that is to arrive. */
		if (last && e->lost)
			e->lost(d->config.owner);
		send_reply(d, job);
		if (last)
			become_deaf(d);
	} else if (fault_has(f, FAULT_NOT_JSON)) {
		pretend_send_as_is(d, fault_no_json());
	} else if (fault_has(f, FAULT_CUT_FRAME) ||
		   fault_has(f, FAULT_CLOSE_MID_REPLY)) {
		if (pretend_send_cut(d, job->payload, job->len))
			pretend_hang_up(d);
	} else if (!fault_has(f, FAULT_NO_REPLY)) {
		send_reply(d, job);
		if (fault_has(f, FAULT_TWO_REPLIES))
			pretend_send_payload(d, job->payload, job->len);
	}
}

/* The job that a finished call leaves behind. */
static struct job *pretend_outcome(struct pretend *d, const struct job *of,
				   const struct firmware_outcome *outcome)
{
	struct firmware_reply reply;
	struct buf body, payload;
	struct job *job;

	buf_init(&body, 0);
	buf_init(&payload, 0);
	firmware_outcome(of->call, outcome, &body, &reply);
	fault_encode(&d->config.faults, &reply, d->server.dialect, &payload);
	job = job_new(JOB_REPLY);
	job->method = SERVER_CALL;
	job->is_error = reply.is_error;
	job->of = of->of;
	job->len = payload.len;
	job->payload = buf_take(&payload);
	buf_done(&body);
	buf_done(&payload);
	return job;
}

/* The address is an argument of the call. */
static struct job *upgrade_job(const struct pretend *d, const struct job *of)
{
	const struct firmware_call *call = of->call;
	struct job *job;

	if (!d->config.events->upgrade || !call->tool->argument_count ||
	    !call->value[0].text)
		return job_new(JOB_CLOSE);
	job = job_new(JOB_UPGRADE);
	job->payload = mem_strdup(call->value[0].text);
	return job;
}

static void do_upgrade(struct pretend *d, const struct job *job)
{
	if (!d->config.mqtt)
		pretend_drop(d);
	d->config.events->upgrade(d->config.owner, job->payload);
}

static struct job *consequence(struct pretend *d, const struct job *of,
			       const struct rule_result *result)
{
	const struct firmware_outcome o = {
		.kind = result->kind,
		.text = buf_string(&result->text),
		.len = result->text.len,
		.mime = result->mime,
	};

	switch (result->then) {
	case RULE_ASSETS:
		pretend_keep_assets(d, of->call);
		break;
	case RULE_REBOOT:
		return job_new(JOB_REBOOT);
	case RULE_CLOSE:
		return job_new(JOB_CLOSE);
	case RULE_UPGRADE:
		return upgrade_job(d, of);
	case RULE_REPLY:
		break;
	}
	return pretend_outcome(d, of, &o);
}

/*
 * What closes the voice channel leaves the local port open, and there the call
 * is answered once the upgrade has failed (device.md 3.11).
 */
static struct job *failed_upgrade(struct pretend *d, const struct job *of)
{
	const struct firmware_outcome o = { .text = "true", .len = 4 };

	return pretend_outcome(d, of, &o);
}

/* A call has its outcome. True if the main loop is free at once. */
static bool finish_call(struct pretend *d, const struct job *of,
			const struct rule_result *result)
{
	const struct fault_set *f = &d->config.faults;
	bool failed = result->then >= RULE_CLOSE && d->config.bare;
	struct job *job =
		failed ? failed_upgrade(d, of) : consequence(d, of, result);
	int64_t delay = failed ? DEVICE_UPGRADE_MS : result->delay_ms;
	int64_t late = 0;

	if (fault_has(f, FAULT_BUSY_LOOP))
		delay += f->busy_ms;
	if (job->kind == JOB_REPLY && fault_has(f, FAULT_LATE_REPLY))
		late = f->reply_late_ms;
	if (late)
		pretend_set_alarm(d, ALARM_JOB, delay + late, job);
	else if (!delay)
		/*
		 * Queued behind what came while the tool ran (device.md 3.9).
		 */
		pretend_add_job(d, job);
	if (delay)
		pretend_set_alarm(d, ALARM_FREE, delay, late ? NULL : job);
	return !delay;
}

static bool do_call(struct pretend *d, struct job *job)
{
	struct rule_world world = {
		.profile = d->config.profile,
		.version = d->catalog.version,
		.state = d->state,
		.device_id = d->device_id,
		.client_id = d->client_id,
		.vision = d->server.vision_url != NULL,
	};
	struct rule_result result;
	bool at_once;

	rule_run(&world, job->call, &result);
	d->state = world.state;
	if (result.order)
		at_once = pretend_outside(d, job, &result);
	else if (result.upload)
		at_once = pretend_upload(d, job, &result);
	else
		at_once = finish_call(d, job, &result);
	rule_result_done(&result);
	return at_once;
}

static bool is_full(const struct pretend *d)
{
	const struct pretend_config *c = &d->config;

	return c->events->full && c->events->full(c->owner);
}

/* In slices: whoever reads gets a turn, and nothing piles up if nobody does. */
static void do_storm(struct pretend *d, int64_t said)
{
	int64_t all = d->config.faults.storm, i;
	int64_t most = is_full(d) ? said : said + STORM_SLICE;
	struct job *rest;

	for (i = said + 1; i <= all && i <= most; i++) {
		struct buf payload;

		buf_init(&payload, 0);
		buf_printf(
			&payload,
			"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/state_changed\",\"params\":{\"number\":%lld}}",
			(long long)i);
		pretend_send_payload(d, buf_string(&payload), payload.len);
		buf_done(&payload);
	}
	if (i > all || !d->online)
		return;
	rest = job_new(JOB_STORM);
	rest->said = i - 1;
	pretend_set_alarm(d, ALARM_JOB, STORM_PAUSE_MS, rest);
}

static void do_silence(struct pretend *d)
{
	d->config.events->note(d->config.owner, DEVICE_SPOKEN, NULL);
	if (d->mode != DEVICE_SPEAKING)
		return;
	if (d->stopped)
		d->mode = DEVICE_IDLE;
	else
		pretend_start_listening(d);
}

static bool pretend_do_job(struct pretend *d, struct job *job)
{
	switch (job->kind) {
	case JOB_REPLY:
		do_reply(d, job);
		d->answering = 0;
		d->aside = false;
		return true;
	case JOB_CALL:
		return do_call(d, job);
	case JOB_REBOOT:
		pretend_set_alarm(d, ALARM_REBOOT, DEVICE_REBOOT_MS, NULL);
		return false;
	case JOB_CLOSE:
		pretend_drop(d);
		return true;
	case JOB_UPGRADE:
		do_upgrade(d, job);
		return true;
	case JOB_RESTART:
		pretend_restart(d);
		pretend_drop(d);
		return true;
	case JOB_EVENT:
		pretend_say_event(d, job->event);
		return true;
	case JOB_STORM:
		do_storm(d, job->said);
		return true;
	case JOB_SPEAK:
		d->mode = DEVICE_SPEAKING;
		return true;
	case JOB_SILENCE:
		do_silence(d);
		return true;
	}
	return true;
}

static const struct pretend_work work = {
	.job = pretend_do_job,
	.alarm = pretend_on_alarm,
};
