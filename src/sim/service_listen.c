/* SPDX-License-Identifier: MIT */
/*
 * The port of a pretend service: opened, watched over, closed with all that
 * goes on at it. What is said there is the matter of the other files.
 */

#include "base/mem.h"
#include "net/address.h"
#include "net/knock.h"
#include "sim/service_listen_private.h"

#define DEFAULT_HOST "127.0.0.1"
#define DEFAULT_PORT 8088
#define BEAT_MS 15000
#define END_MS 3000

void port_line(const struct service_port *p, const char *format, ...)
{
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	if (!p->observer || !p->observer->line)
		return;
	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	p->observer->line(p->observer->owner, text);
}

void port_check_ended(struct service_port *p)
{
	p->ended = p->ending && p->front_gone && !p->sockets && !p->timers;
}

static void on_noise(void *owner, enum front_noise what, const char *address)
{
	const char *text = knock_noise(what);

	if (!address)
		return;
	if (what == FRONT_TLS)
		port_line(owner, "%s speaks TLS, this port does not: http://",
			  address);
	else if (text && what != FRONT_CUT)
		port_line(owner, "%s: %s", address, text);
}

static void on_refused(void *owner, const struct front_refusal *r)
{
	port_line(owner, "%s%s%s%s%s%s", r->address ? r->address : "",
		  r->address ? ": " : "", r->text, r->hint ? " (" : "",
		  r->hint ? r->hint : "", r->hint ? ")" : "");
}

static const struct front_events front_events = {
	.http = port_http,
	.upgrade = port_upgrade,
	.gone = port_request_gone,
	.noise = on_noise,
	.refused = on_refused,
};

/* ---- the clock ---- */

static void start_beat(struct service_port *p)
{
	timer_start(&p->beat,
		    p->options->keep_alive ? p->options->keep_alive : BEAT_MS);
}

static void on_beat(void *owner)
{
	struct service_port *p = owner;

	port_streams_beat(p);
	port_sessions_expire(p);
	start_beat(p);
}

static void open_timers(struct service_port *p)
{
	timer_open(&p->beat, p->loop, on_beat, p);
	timer_open(&p->bury, p->loop, port_bury, p);
	p->timers = 2;
	start_beat(p);
}

static void on_timer_closed(void *owner)
{
	struct service_port *p = owner;

	p->timers--;
	port_check_ended(p);
}

/* ---- from the beginning to the end ---- */

static void tell_address(const struct service_port *p)
{
	CLEANUP(buf_done) struct buf url = { 0 };

	if (!p->observer || !p->observer->listening)
		return;
	buf_text(&url, "http://");
	authority_print(&url, p->host ? p->host : DEFAULT_HOST,
			p->front_table->port(p->front));
	buf_char(&url, '/');
	p->observer->listening(p->observer->owner, buf_string(&url));
}

static int open_front(struct service_port *p, struct error *err)
{
	struct front_config config = { .port = DEFAULT_PORT,
				       .admit = p->options->admit,
				       .body_max = PORT_BODY_MAX,
				       .connections_max =
					       PORT_CONNECTIONS_MAX };
	const char *where = p->options->listen;

	if (!where || !*where)
		p->host = mem_strdup(DEFAULT_HOST);
	else if (endpoint_parse_listen(where, &p->host, &config.port, err))
		return -1;
	config.host = p->host;
	p->front =
		p->front_table->open(p->loop, &config, &front_events, p, err);
	if (!p->front)
		return -1;
	tell_address(p);
	return 0;
}

static void on_front_closed(void *owner)
{
	struct service_port *p = owner;

	p->front_gone = true;
	port_check_ended(p);
}

/* What the front held is gone as soon as it is told to close. */
static void finish(struct service_port *p)
{
	p->ending = true;
	if (p->front)
		p->front_table->close(p->front, on_front_closed);
	else
		p->front_gone = true;
	port_streams_free(p);
	while (p->posts)
		port_post_drop(p->posts);
	port_sessions_free(p);
	port_sockets_close(p);
	timer_close(&p->beat, on_timer_closed);
	timer_close(&p->bury, on_timer_closed);
	while (loop_wait(p->loop, &p->ended, loop_now() + END_MS, NULL))
		; /* handles still point into what is released next */
	mem_free(p->host);
}

int service_listen(struct loop *l, struct service *s,
		   const struct service_listen_options *o,
		   const struct service_listen_observer *observer,
		   struct error *err)
{
	struct service_port p = {
		.loop = l, .service = s, .options = o, .observer = observer
	};
	int64_t until = o->run_for ? loop_now() + o->run_for : LOOP_FOREVER;
	int status;

	if (port_parts_load(&p.front_table, &p.ws_table, err) ||
	    p.ws_table->hold(l, err))
		return -1;
	open_timers(&p);
	status = open_front(&p, err);
	if (!status)
		status = loop_stay(l, NULL, until, err);
	finish(&p);
	p.ws_table->let_go(l);
	return status;
}
