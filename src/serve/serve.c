/* SPDX-License-Identifier: MIT */
/*
 * serve as a whole: opened, waited for, reloaded, ended; its fences and its
 * open files. Its parts do the work, see their headers.
 */
#include <fcntl.h>
#include <string.h>

#include "base/descriptors.h"
#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/spawner.h"
#include "base/text.h"
#include "serve/attached.h"
#include "serve/board.h"
#include "serve/control.h"
#include "serve/door.h"
#include "serve/hosting.h"
#include "serve/leasing.h"
#include "serve/mqtt_boards.h"
#include "serve/pages.h"
#include "serve/serve.h"
#include "serve/serve_state.h"

/*
 * The end of serve: devices first, so that each is told properly, then what
 * they came through. All of it is bounded in time.
 */

#define DEVICES_MS 1000
#define SWEEP_MS 1000
/* mosquitto is asked to end, then told. */
#define PARTS_MS 5000

static void release(struct serve *s)
{
	records_done(&s->records);
	missing_done(&s->missing);
	rivals_done(&s->rivals);
	registry_done(&s->registry);
	relay_done(&s->relays);
	findings_kept_done(&s->findings);
	tool_lists_done(&s->tool_lists);
	tokens_done(&s->tokens);
	aliases_done(&s->aliases);
	enrolled_done(&s->enrolled);
	leases_done(&s->leases);
	budget_free(s->budget);
	mem_free(s->voices);
	words_done(&s->ready);
	mem_free(s);
}

static bool is_all_gone(const struct serve *s)
{
	return !s->held && !s->door && !s->mqtt_boards && !s->control &&
	       !s->pages;
}

/* It sweeps (again) within a second, and not later than that. */
static void sweep_by(struct serve *s, int64_t deadline)
{
	int64_t wait = deadline - loop_now();

	if (!s->sweep.open)
		return;
	if (wait > SWEEP_MS)
		wait = SWEEP_MS;
	if (uv_is_active((uv_handle_t *)&s->sweep.uv) &&
	    (int64_t)uv_timer_get_due_in(&s->sweep.uv) <= wait)
		return;
	timer_start(&s->sweep, wait);
}

/*
 * Without a port nothing comes by itself: once no server is kept open, it ends.
 * What was closed may be opened again at once; what starts it has it started
 * first.
 */
#define AGAIN_MS 5000
#define FIRST_MS 60000

static void wait_alone(struct serve *s, int64_t ms)
{
	if (!s->config.no_listen || s->held || s->closing || s->awaits)
		return;
	s->alone_until = loop_now() + ms;
	sweep_by(s, s->alone_until);
}

/* When to look again. */
static int64_t look_alone(struct serve *s, int64_t now)
{
	if (!s->config.no_listen || s->held || s->awaits)
		return LOOP_FOREVER;
	if (now < s->alone_until)
		return s->alone_until;
	s->stopping = s->alone = true;
	s->wake = true;
	return LOOP_FOREVER;
}

/* What ended late, after nobody waited for it any more. */
static void part_gone(struct serve *s)
{
	s->wake = true;
	if (s->abandoned && is_all_gone(s))
		release(s);
}

static void on_board_freed(struct serve *s)
{
	s->held--;
	if (s->held < s->held_most / 2)
		sweep_by(s, LOOP_FOREVER);
	if (s->closing && !s->held)
		part_gone(s);
	wait_alone(s, AGAIN_MS);
}

static void on_door_closed(void *owner)
{
	struct serve *s = owner;

	s->door = NULL;
	part_gone(s);
}

static void on_mqtt_boards_closed(void *owner)
{
	struct serve *s = owner;

	s->mqtt_boards = NULL;
	part_gone(s);
}

static void on_control_closed(void *owner)
{
	struct serve *s = owner;

	s->control = NULL;
	part_gone(s);
}

static void on_pages_closed(void *owner)
{
	struct serve *s = owner;

	s->pages = NULL;
	part_gone(s);
}

/* A second Ctrl-C does not cut it short. */
static void wait_wake(struct serve *s, int64_t deadline)
{
	struct error ignored = { 0 };

	s->wake = false;
	loop_wait(s->loop, &s->wake, deadline, &ignored);
	error_reset(&ignored);
}

static void close_devices(struct serve *s)
{
	int64_t deadline = loop_now() + DEVICES_MS;
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "serve ends");
	for (struct board *d = s->registry.first; d; d = d->next)
		board_end(d, &why);
	while (s->held && loop_now() < deadline)
		wait_wake(s, deadline);
}

static void on_sweep_closed(void *owner)
{
	bool *closed = owner;

	*closed = true;
}

void serve_close(struct serve *s)
{
	bool sweep_closed = false;
	int64_t deadline;

	if (!s)
		return;
	s->closing = true;
	/* Of what happens from now on nobody will be told. */
	s->records.wake = NULL;
	close_devices(s);
	power_close(&s->power);
	if (s->pages)
		pages_close(s->pages, on_pages_closed, s);
	if (s->door)
		door_close(s->door, on_door_closed, s);
	if (s->mqtt_boards)
		mqtt_boards_close(s->mqtt_boards, on_mqtt_boards_closed, s);
	if (s->control)
		control_close(s->control, on_control_closed, s);
	s->sweep.owner = &sweep_closed;
	timer_close(&s->sweep, on_sweep_closed);
	while (!sweep_closed)
		loop_poll(s->loop);
	deadline = loop_now() + PARTS_MS;
	while (!is_all_gone(s) && loop_now() < deadline)
		wait_wake(s, deadline);
	if (is_all_gone(s))
		release(s);
	else
		s->abandoned = true;
}

/*
 * What serve must still be able to reach once it listens. What a rule says
 * stands in base/fence.h; what is not named here is out of reach.
 */

#define DNS_PORT 53 /* long answers of a name server come over TCP */

void serve_fence(const struct serve *s, struct words *rules)
{
	const struct serve_config *c = &s->config;
	CLEANUP(mem_free_ptr) char *folder = file_folder(serve_socket(s));
	CLEANUP(mem_free_ptr) char *enrolled = NULL;

	/* It is replaced, by a new one beside it. */
	if (c->enrolled_file)
		enrolled = file_folder(c->enrolled_file);
	fence_system(rules);
	fence_port(rules, "connect", DNS_PORT);
	fence_rule(rules, "remove", folder);
	fence_rule(rules, "write", c->pictures.save_images);
	fence_rule(rules, "write", c->save_audio);
	fence_rule(rules, "write", enrolled);
	if (c->pictures.vision_exec)
		fence_rule(rules, "write", file_temporary());
	if (s->mqtt_boards)
		mqtt_boards_fence(s->mqtt_boards, rules);
}

void serve_allow(const struct serve_config *c)
{
	const char *const vision[] = { "sh", "-c", c->pictures.vision_exec,
				       "sh", NULL };

	/* The picture, and what is asked about it. */
	if (c->pictures.vision_exec)
		spawner_allow(vision, 2, NULL);
	power_allow(c->power_cmd);
	if (c->token_file)
		spawner_keep(c->token_file, O_RDONLY);
	if (c->alias_file)
		spawner_keep(c->alias_file, O_RDONLY);
	if (c->mqtt_key_file)
		spawner_keep(c->mqtt_key_file, O_RDONLY);
}

/*
 * Open files, of which there is a limit: as many as the devices need; and
 * some are never given to strangers, for attached commands and for programs.
 */

/* For all that is no device: questions over HTTP, attached commands, files. */
#define RESERVED INT64_C(1024)
/* Less, and opening ends somewhere in the middle. */
#define LEAST 32
#define LEAST_MQTT 48
/* Of the limit a quarter is kept, but not less or more than this. */
#define KEPT_MIN 8
#define KEPT_MAX 64
/* What the ports need, to serve a device or two and to refuse the next. */
#define ROOM_MIN 6
/* Of that room, what devices leave to questions and to those that knock. */
#define SPARE_MIN 2
#define SPARE_MAX 768

static size_t clamp(size_t value, size_t min, size_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

static int too_few(size_t limit, size_t needed, struct error *err)
{
	error_set(err, ERR_CONNECT,
		  "serve needs %zu open files at least, and %zu are allowed",
		  needed, limit);
	return error_hint(err, "raise the limit: ulimit -n 1024");
}

/*
 * Raise it as far as so many devices need, and not more, since a table of the
 * WebSocket library is as large as the limit. How many fit.
 */
static int64_t serve_files_devices(int64_t devices)
{
	int64_t limit =
		(int64_t)descriptors_raise((size_t)(devices + RESERVED));

	if (devices <= limit - RESERVED)
		return devices;
	return limit > RESERVED * 2 ? limit - RESERVED : limit / 2;
}

/* Before anything is opened. -1 (ERR_CONNECT): there are too few. */
static int serve_files_check(const struct serve_config *c, struct error *err)
{
	size_t limit = descriptors_limit();
	size_t least = c->mqtt || c->mqtt_broker ? LEAST_MQTT : LEAST;

	return limit < least ? too_few(limit, least, err) : 0;
}

/* When all is open: what is left is shared out. -1 as above. */
static int serve_files_share(struct serve *s, struct error *err)
{
	size_t limit = descriptors_limit(), open = descriptors_open();
	size_t kept = clamp(limit / 4, KEPT_MIN, KEPT_MAX);

	if (limit < open + kept + ROOM_MIN)
		return too_few(limit, open + KEPT_MIN + ROOM_MIN, err);
	s->room = limit - open - kept;
	s->sockets_max = s->room - clamp(s->room / 4, SPARE_MIN, SPARE_MAX);
	return 0;
}

/*
 * serve as a whole: opened, waited for, reloaded. Its parts do the work, see
 * their headers; the end of it is below.
 */

#define DEVICES_MAX 20000
/* Devices: fewer hold nothing that would be worth it. */
#define TRIM_FROM 64
/* Nobody asks for them any more: then the oldest do not matter. */
#define READY_MAX 20000

/* ---- the sweep ---- */

/* Why cannot be seen from here: the broker hears nothing of it. */
static void tell_missing(struct serve *s, int64_t now)
{
	const struct missing_board *b;

	while ((b = missing_due(&s->missing, now))) {
		CLEANUP(mem_free_ptr)
		char *hint = mem_printf(
			"can it reach TCP port %u of this machine (a firewall?), and is there MQTT in its firmware? '--offer ws' sends boards to WebSocket instead",
			(unsigned)s->config.mqtt_port);
		CLEANUP(mem_free_ptr)
		char *text = mem_printf(
			"was sent to MQTT %d s ago, and has not come to the broker",
			(int)((now - b->asked_at) / 1000));
		const struct who who = { .device_id = b->device_id,
					 .address = b->address };

		record_hint(
			record_of(s, &who, RECORD_MISSING, LEVEL_WARN, text),
			hint);
	}
}

static void on_sweep(void *owner)
{
	struct serve *s = owner;
	int64_t now = loop_now();
	int64_t soonest = relay_sweep(&s->relays, now);
	int64_t missing, leases, alone;

	for (struct board *d = s->registry.first; d; d = d->next) {
		if (!board_sweep(d, now))
			continue;
		if (d->deadline < soonest)
			soonest = d->deadline;
		if (d->ask_at < soonest)
			soonest = d->ask_at;
	}
	tell_missing(s, now);
	if (s->records.asides.counted && now >= s->records.asides.ends)
		records_tell_more(&s->records);
	if (s->records.asides.counted && s->records.asides.ends < soonest)
		soonest = s->records.asides.ends;
	missing = missing_deadline(&s->missing);
	if (missing < soonest)
		soonest = missing;
	leases = leasing_sweep(s, now);
	if (leases < soonest)
		soonest = leases;
	alone = look_alone(s, now);
	if (alone < soonest)
		soonest = alone;
	if (s->trim && !s->listing) {
		s->trim = false;
		mem_trim();
	} else if (s->held_most > TRIM_FROM && s->held < s->held_most / 2) {
		s->held_most = s->held;
		mem_trim();
	}
	if (soonest != LOOP_FOREVER)
		sweep_by(s, soonest);
}

/* ---- open ---- */

static int64_t or_default(int64_t value, int64_t otherwise)
{
	return value > 0 ? value : otherwise;
}

static void set_limits(struct serve_config *c)
{
	int64_t asked = c->devices_max, fit;

	fit = serve_files_devices(or_default(asked, DEVICES_MAX));
	c->devices_max = or_default(asked, fit);
	c->by_files = asked <= 0 && fit < DEVICES_MAX;
	c->message_max = or_default(c->message_max, 1 << 20);
	c->pictures.picture_max =
		or_default(c->pictures.picture_max, PICTURE_MAX);
	c->handshake = or_default(c->handshake, 10000);
	c->hello_wait = or_default(c->hello_wait, 30000);
	c->timeout = or_default(c->timeout, 10000);
	if (!c->mqtt_port)
		c->mqtt_port = 1883;
}

static void begin_enrolling(struct serve *s)
{
	char time[32];

	s->enroll_from = unix_now_ms();
	s->enroll_until = loop_now() + s->config.enroll;
	text_milliseconds(s->config.enroll, time, sizeof(time));
	records_add(
		&s->records, RECORD_ENROLLED, LEVEL_INFO, NULL, NULL,
		"for %s each board that asks OTA is enrolled; %zu %s so far",
		time, s->enrolled.count, s->enrolled.count == 1 ? "is" : "are");
}

/* Before the fences: its part is loaded here. */
static int open_voices(struct serve *s, struct error *err)
{
	if (!s->config.save_audio)
		return 0;
	s->voices = mem_zalloc(sizeof(*s->voices));
	return voices_open(s->voices, s->config.save_audio, s->budget, err);
}

static int open_parts(struct serve *s, struct error *err)
{
	const struct serve_config *c = &s->config;
	const struct ws_table *ws;

	if (serve_files_check(c, err) || open_voices(s, err) ||
	    tokens_read(&s->tokens, c->token_file, err) ||
	    aliases_read(&s->aliases, c->alias_file, err) ||
	    enrolled_read(&s->enrolled, c->enrolled_file, err) ||
	    control_check(s, err))
		return -1;
	if (c->no_listen)
		return control_open(&s->control, s, err) ? -1 : 0;
	ws = module_table("ws", WS_TABLE, err);
	if (!ws)
		return -1;
	ws->many();
	if ((c->mqtt || c->mqtt_broker) &&
	    mqtt_boards_open(&s->mqtt_boards, s, err))
		return -1;
	if (door_open(&s->door, s, err) ||
	    (c->web && pages_open(&s->pages, s, err)) ||
	    control_open(&s->control, s, err) || serve_files_share(s, err))
		return -1;
	budget_set(s->budget, BUDGET_HEADS, door_places(s));
	budget_set(s->budget, BUDGET_CONNECTIONS, door_places(s));
	door_describe(s->door);
	if (c->enroll)
		begin_enrolling(s);
	return 0;
}

struct serve *serve_new(struct loop *l, const struct serve_config *config)
{
	struct serve *s = mem_zalloc(sizeof(*s));

	s->events = &serve_events;
	s->loop = l;
	s->config = *config;
	s->opened_us = loop_now_us();
	set_limits(&s->config);
	s->budget = budget_new();
	mem_stay();
	records_init(&s->records, &s->wake);
	s->records.verbose = config->verbose;
	timer_open(&s->sweep, l, on_sweep, s);
	return s;
}

int serve_open(struct serve **out, struct loop *l,
	       const struct serve_config *config, struct error *err)
{
	struct serve *s = serve_new(l, config);

	*out = NULL;
	if (open_parts(s, err)) {
		serve_close(s);
		return -1;
	}
	wait_alone(s, FIRST_MS);
	*out = s;
	return 0;
}

/* ---- the main line ---- */

int serve_wait(struct serve *s, int64_t deadline, struct error *err)
{
	int status;

	if (s->records.first || s->records.dropped)
		s->wake = true;
	status = loop_wait(s->loop, &s->wake, deadline, err);
	s->wake = false;
	if (status && err->kind == ERR_TIMEOUT) {
		error_reset(err);
		return 0;
	}
	return status;
}

void serve_wake(struct serve *s)
{
	s->wake = true;
}

struct record *serve_take(struct serve *s)
{
	struct record *r = records_take(&s->records);
	const char *id;

	/* A device that only asked OTA has a name too. */
	if (r && r->device && !r->alias)
		r->alias =
			mem_strdup(aliases_name(&s->aliases, r->device, NULL));
	if (r && r->device && !r->alias) {
		id = aliases_id(&s->aliases, r->device);
		r->is_id = id && !text_same(id, r->device);
	}
	return r;
}

struct records *serve_records(struct serve *s)
{
	return &s->records;
}

bool serve_stopping(const struct serve *s)
{
	return s->stopping;
}

bool serve_alone(const struct serve *s)
{
	return s->alone;
}

void serve_awaits(struct serve *s, bool more)
{
	s->awaits = more;
	wait_alone(s, AGAIN_MS);
}

const struct port *serve_port(const struct serve *s)
{
	return s->door->port;
}

void serve_hush(struct serve *s)
{
	for (struct board *d = s->registry.first; d; d = d->next)
		voice_end(d->voice);
	if (s->door)
		port_hush(s->door->port);
	records_tell_more(&s->records);
}

const char *serve_socket(const struct serve *s)
{
	return control_socket(s->control);
}

/* ---- who is ready ---- */

static void add_ready(struct serve *s, struct board *d)
{
	CLEANUP(mem_free_ptr) char *entry = NULL;

	if (d->ready_told || s->ready.count >= READY_MAX)
		return;
	d->ready_told = true;
	entry = mem_printf("%s%s", d->state == DEVICE_READY ? "" : "!", d->id);
	words_add(&s->ready, entry);
	s->wake = true;
}

static void on_board_settled(struct board *d)
{
	if (d->server->track_ready && !d->held)
		add_ready(d->server, d);
}

/* ---- what boards tell ---- */

static char *vision_url(struct board *d)
{
	struct door *door = d->server->door;

	return door ? door_vision_url(door, d) : NULL;
}

static void on_board_kick(struct board *d)
{
	mqtt_boards_kick(d->server->mqtt_boards, d);
}

const struct board_events serve_events = {
	.changed = control_changed,
	.broker = control_broker,
	.gone = control_gone,
	.text = control_text,
	.shown = control_text_tail,
	.found = control_finding,
	.asked = hosting_heard,
	.firmware = hosting_firmware,
	.picture = control_picture,
	.pong = control_pong,
	.audio = control_audio,
	.settled = on_board_settled,
	.kick = on_board_kick,
	.freed = on_board_freed,
	.due = sweep_by,
	.vision_url = vision_url,
	.audio_counts = mqtt_boards_audio,
};

char *serve_leased(const struct serve *s, const char *id)
{
	const struct board *d = registry_find(&s->registry, id);
	CLEANUP(buf_done) struct buf out = { 0 };
	const struct lease *l =
		leases_of(&s->leases, id, d ? d->device_id : NULL,
			  d ? d->client_id : NULL);

	if (!l)
		return NULL;
	lease_tell(&out, l, loop_now());
	return buf_take(&out);
}

const char *serve_alias(const struct serve *s, const char *id)
{
	return aliases_name(&s->aliases, id, NULL);
}

static struct board *board_of_log(const struct serve *s, const char *device)
{
	if (device)
		return registry_find_written(&s->registry, device);
	return s->registry.count == 1 ? s->registry.first : NULL;
}

void serve_serial_line(struct serve *s, const char *device,
		       const struct serial_told *told)
{
	struct board *d = board_of_log(s, device);

	if (d)
		control_serial(d, told);
}

void serve_serial_found(struct serve *s, const char *device,
			const struct finding *f, const char *detail)
{
	struct board *d = board_of_log(s, device);
	const struct board_finding what = { .finding = f, .detail = detail };

	if (d)
		control_finding(d, &what);
}

void serve_track_ready(struct serve *s)
{
	s->track_ready = true;
	for (struct board *d = s->registry.first; d; d = d->next) {
		if (d->state >= DEVICE_READY)
			add_ready(s, d);
	}
}

const char *serve_next_ready(struct serve *s, bool *failed)
{
	const char *entry;

	if (s->ready_taken == s->ready.count) {
		words_done(&s->ready);
		s->ready_taken = 0;
		return NULL;
	}
	entry = s->ready.word[s->ready_taken++];
	*failed = entry[0] == '!';
	return entry + *failed;
}

char *serve_device_pattern(const struct serve *s, const char *id)
{
	const struct board *d = registry_find(&s->registry, id);

	return d ? device_pattern(d) : mem_strdup(id);
}

/* ---- reload ---- */

static void record_reload(struct serve *s, const struct error *why)
{
	struct record *r;

	r = records_add(&s->records, RECORD_RELOAD, LEVEL_WARN, NULL, NULL,
			"not read again, the old ones stay: %s", why->text);
	if (r && why->hint[0])
		r->hint = mem_strdup(why->hint);
}

void serve_reload(struct serve *s)
{
	struct error err = { 0 };
	int bad = 0;

	if (tokens_read(&s->tokens, s->config.token_file, &err)) {
		record_reload(s, &err);
		bad++;
	}
	error_reset(&err);
	if (aliases_read(&s->aliases, s->config.alias_file, &err)) {
		record_reload(s, &err);
		bad++;
	}
	error_reset(&err);
	if (enrolled_read(&s->enrolled, s->config.enrolled_file, &err)) {
		record_reload(s, &err);
		bad++;
	}
	error_reset(&err);
	/* The names were lent by what is gone now. */
	for (struct board *d = s->registry.first; d; d = d->next)
		d->alias =
			aliases_name(&s->aliases, d->device_id, d->client_id);
	if (s->mqtt_boards && mqtt_boards_reload(s->mqtt_boards))
		bad++;
	if (!bad)
		records_add(&s->records, RECORD_RELOAD, LEVEL_INFO, NULL, NULL,
			    "read again: %zu token%s, %zu alias%s%s",
			    s->tokens.count, s->tokens.count == 1 ? "" : "s",
			    s->aliases.count, s->aliases.count == 1 ? "" : "es",
			    s->config.mqtt_key_file ? ", the key" : "");
}
