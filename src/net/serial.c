/* SPDX-License-Identifier: MIT */
#include "net/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/spawner.h"
#include "base/text.h"
#include "net/port_parts.h"
#include "net/tty.h"
#include "wire/serial_line.h"

/* Never written to. NONBLOCK: a modem's carrier is not waited for. */
#define OPEN_FLAGS (O_RDONLY | O_NOCTTY | O_NONBLOCK)
#define RESET_MS 100
/* What has no end for so long is told as it is: the last words of a hang. */
#define QUIET_MS 1000
#define AGAIN_FIRST_MS 250
#define AGAIN_MOST_MS 2000
#define READ_MAX 4096
/* Of one port in one turn, so that a flood leaves time for the rest. */
#define READS_MAX 16

struct serial {
	struct loop *loop;
	const struct serial_place *place;
	const struct serial_events *events;
	void *owner;
	int fd; /* -1: gone */
	uv_poll_t *poll; /* NULL: gone */
	struct timer timer; /* quiet, or trying again */
	struct timer pulse; /* of a reset */
	unsigned closing; /* timers whose close is under way */
	int64_t again_ms;
	bool over; /* serial_close was called */
	struct serial_splitter split;
};

/* ---- DEVICE ---- */

void serial_place_done(struct serial_place *p)
{
	mem_free(p->alias);
	mem_free(p->device);
	*p = (struct serial_place){ 0 };
}

/* "@115200" at its end goes. */
static int take_rate(struct serial_place *p, const char *text,
		     struct error *err)
{
	char *at = strrchr(p->device, '@');
	int64_t rate;

	p->rate = SERIAL_RATE;
	if (!at || strchr(at, '/'))
		return 0;
	if (text_integer(at + 1, 50, 20000000, &rate)) {
		error_set(err, ERR_USAGE,
			  "option '--serial': '%s' of '%s' is no rate", at + 1,
			  text);
		return error_hint(
			err,
			"bits a second: 115200 is usual, as in %.*s@115200",
			(int)(at - p->device), p->device);
	}
	p->rate = (unsigned)rate;
	*at = '\0';
	return 0;
}

int serial_place_read(struct serial_place *out, const char *text,
		      struct error *err)
{
	const char *equals = strchr(text, '=');
	const char *slash = strchr(text, '/');

	*out = (struct serial_place){ 0 };
	/* Behind a slash it is a part of the path. */
	if (equals && (!slash || equals < slash)) {
		out->alias = mem_strndup(text, (size_t)(equals - text));
		text = equals + 1;
	}
	/* ttyUSB0 is short for /dev/ttyUSB0. */
	out->device = text_starts(text, "tty") ? mem_printf("/dev/%s", text) :
						 mem_strdup(text);
	if (take_rate(out, text, err) == 0 && *out->device &&
	    (!out->alias || *out->alias))
		return 0;
	if (!*out->device || (out->alias && !*out->alias)) {
		error_set(err, ERR_USAGE, "option '--serial': '%s' names no %s",
			  text, *out->device ? "board before '='" : "device");
		error_hint(
			err,
			"[ALIAS=]DEVICE[@BAUD], as in kitchen=/dev/ttyUSB0@115200");
	}
	serial_place_done(out);
	return -1;
}

void serial_devices(struct words *out)
{
	static const char *const patterns[] = { "/dev/ttyUSB*", "/dev/ttyACM*",
						"/dev/serial/by-id/*" };

	for (size_t i = 0; i < COUNT(patterns); i++) {
		glob_t found;

		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t n = 0; n < found.gl_pathc; n++)
			words_add(out, found.gl_pathv[n]);
		globfree(&found);
	}
}

void serial_keep(const struct serial_place *p)
{
	spawner_keep(p->device, OPEN_FLAGS);
}

/* ---- why not ---- */

static int not_there(const struct serial_place *p, struct error *err)
{
	CLEANUP(words_done) struct words all = { 0 };
	CLEANUP(buf_done) struct buf names = { 0 };

	error_set(err, ERR_CONNECT, "serial port '%s' is not there", p->device);
	serial_devices(&all);
	for (size_t i = 0; i < all.count && i < 4; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", all.word[i]);
	if (all.count == 0)
		return error_hint(
			err,
			"no USB serial port is there: is the board plugged in, by a cable that carries data?");
	return error_hint(err, "there is: %s", buf_string(&names));
}

static int no_permission(const struct serial_place *p, struct error *err)
{
	const struct group *g;
	struct stat st;

	error_set(err, ERR_CONNECT, "serial port '%s': permission denied",
		  p->device);
	if (stat(p->device, &st) != 0 || !(st.st_mode & S_IRGRP) ||
	    st.st_gid == 0)
		return error_hint(err, "only its owner may read it");
	g = getgrgid(st.st_gid);
	if (!g)
		return error_hint(err, "the group %u may read it",
				  (unsigned)st.st_gid);
	return error_hint(
		err,
		"the group '%s' may read it: sudo usermod -aG %s $USER, and log in again",
		g->gr_name, g->gr_name);
}

static int in_use(const struct serial_place *p, const struct port_owner *owner,
		  struct error *err)
{
	if (!owner->pid)
		error_set(err, ERR_CONNECT,
			  "serial port '%s' is in use by another program",
			  p->device);
	else
		error_set(err, ERR_CONNECT,
			  "serial port '%s' is in use by '%s' (process %d)",
			  p->device, owner->program, owner->pid);
	return error_hint(
		err,
		"end it first (a serial monitor, a flash tool): two readers each get a part only");
}

static int explain_open(const struct serial_place *p, int error,
			struct error *err)
{
	struct port_owner owner = { 0 };

	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return not_there(p, err);
	case EACCES:
	case EPERM:
		return no_permission(p, err);
	case EBUSY:
		path_owner_find(p->device, &owner);
		return in_use(p, &owner, err);
	default:
		return error_set(err, ERR_CONNECT, "serial port '%s': %s",
				 p->device, strerror(error));
	}
}

static int no_tty(const struct serial_place *p, int fd, struct error *err)
{
	struct stat st;

	error_set(err, ERR_USAGE, "'%s' is no serial port", p->device);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return error_hint(
			err,
			"a log that was saved is read by 'mcpctl check %s'",
			p->device);
	return error_hint(err, "one is /dev/ttyUSB0, /dev/ttyACM0 or the like");
}

/* ---- the line ---- */

static int set_line(const struct serial_place *p, int fd, struct error *err)
{
	unsigned got = 0;

	if (tty_make_raw(fd, p->rate, &got) != 0)
		return error_set(
			err, ERR_CONNECT,
			"serial port '%s' cannot be set to %u baud: %s",
			p->device, p->rate, strerror(errno));
	/* Drivers take the nearest; a UART bears about 3 %. */
	if (got <= p->rate + p->rate / 32 && got >= p->rate - p->rate / 32)
		return 0;
	return error_set(
		err, ERR_CONNECT,
		"serial port '%s' has no rate of %u; the nearest is %u",
		p->device, p->rate, got);
}

/* Nobody else reads it, and nobody else opens it from now on. */
static int claim(const struct serial_place *p, int fd, struct error *err)
{
	CLEANUP(mem_free_ptr) char *real = realpath(p->device, NULL);
	struct port_owner owner = { 0 };

	if (path_owner_find(real ? real : p->device, &owner) ||
	    flock(fd, LOCK_EX | LOCK_NB) != 0)
		return in_use(p, &owner, err);
	tty_claim(fd);
	return 0;
}

/* A descriptor, or -1. */
static int open_port(const struct serial_place *p, struct error *err)
{
	int fd = file_open(p->device, OPEN_FLAGS, 0), status;

	if (fd < 0)
		return explain_open(p, errno, err);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	status = isatty(fd) ? claim(p, fd, err) : no_tty(p, fd, err);
	if (status == 0) {
		tty_release_lines(fd);
		status = set_line(p, fd, err);
	}
	if (status == 0)
		return fd;
	close(fd);
	return -1;
}

/* ---- read ---- */

static void on_line(void *owner, struct span line, size_t over)
{
	struct serial *s = owner;

	if (!s->over)
		s->events->line(s->owner, line, over);
}

static void on_poll_closed(uv_handle_t *h)
{
	mem_free(h);
}

static void drop_port(struct serial *s)
{
	if (s->poll) {
		uv_poll_stop(s->poll);
		uv_close((uv_handle_t *)TAKE(s->poll), on_poll_closed);
	}
	if (s->fd >= 0) {
		tty_give_back(s->fd);
		close(s->fd);
	}
	s->fd = -1;
}

static void gone(struct serial *s, int error)
{
	drop_port(s);
	serial_flush(&s->split, on_line, s);
	s->again_ms = AGAIN_FIRST_MS;
	timer_start(&s->timer, s->again_ms);
	if (!s->over)
		s->events->news(s->owner, SERIAL_GONE,
				error && error != EIO ? strerror(error) : NULL);
}

static void on_readable(uv_poll_t *h, int status, int events)
{
	struct serial *s = h->data;
	char data[READ_MAX];

	(void)events;
	for (int i = 0; i < READS_MAX && s->fd >= 0; i++) {
		ssize_t n = read(s->fd, data, sizeof(data));

		if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
			/* Said to be ready for nothing: it hung up. */
			if (status < 0 && i == 0)
				gone(s, -status);
			break;
		}
		if (n <= 0) {
			gone(s, n < 0 ? errno : 0);
			return;
		}
		serial_split(&s->split, data, (size_t)n, on_line, s);
	}
	if (s->fd >= 0 && s->split.len > 0)
		timer_start(&s->timer, QUIET_MS);
}

static int watch(struct serial *s, int fd)
{
	int status;

	s->poll = mem_zalloc(sizeof(*s->poll));
	s->poll->data = s;
	status = uv_poll_init(loop_uv(s->loop), s->poll, fd);
	if (status != 0) {
		mem_free(TAKE(s->poll));
		return status;
	}
	s->fd = fd;
	return uv_poll_start(s->poll, UV_READABLE | UV_DISCONNECT, on_readable);
}

static void try_again(struct serial *s)
{
	int fd = open_port(s->place, NULL);

	if (fd >= 0 && watch(s, fd) == 0) {
		s->events->news(s->owner, SERIAL_BACK, NULL);
		return;
	}
	if (fd >= 0 && s->fd < 0)
		close(fd);
	drop_port(s);
	s->again_ms *= 2;
	if (s->again_ms > AGAIN_MOST_MS)
		s->again_ms = AGAIN_MOST_MS;
	timer_start(&s->timer, s->again_ms);
}

static void on_timer(void *owner)
{
	struct serial *s = owner;

	if (s->fd < 0)
		try_again(s);
	else
		serial_flush(&s->split, on_line, s);
}

/* ---- reset ---- */

static void on_pulse(void *owner)
{
	struct serial *s = owner;

	if (s->fd >= 0)
		tty_release_lines(s->fd);
}

/* EN is low while RTS is set and DTR is not; IO0 stays high: no download. */
static int begin_reset(struct serial *s, struct error *err)
{
	if (tty_release_lines(s->fd) != 0 || tty_raise_rts(s->fd) != 0)
		return error_set(
			err, ERR_CONNECT,
			"serial port '%s' has no line to reset the board by (%s)",
			s->place->device, strerror(errno));
	timer_start(&s->pulse, RESET_MS);
	return 0;
}

/* ---- life ---- */

int serial_open(struct serial **out, struct loop *l,
		const struct serial_place *place,
		const struct serial_events *events, void *owner,
		struct error *err)
{
	int fd = open_port(place, err), status;
	struct serial *s;

	*out = NULL;
	if (fd < 0)
		return -1;
	s = mem_zalloc(sizeof(*s));
	*s = (struct serial){ .loop = l,
			      .place = place,
			      .events = events,
			      .owner = owner,
			      .fd = -1 };
	timer_open(&s->timer, l, on_timer, s);
	timer_open(&s->pulse, l, on_pulse, s);
	status = watch(s, fd);
	if (status != 0 && s->fd < 0)
		close(fd);
	if (status != 0)
		status = error_set(err, ERR_CONNECT,
				   "serial port '%s' cannot be watched: %s",
				   place->device, uv_strerror(status));
	else if (place->reset)
		status = begin_reset(s, err);
	if (status == 0)
		*out = s;
	else
		serial_close(s);
	return status;
}

static void on_closed(void *owner)
{
	struct serial *s = owner;

	if (--s->closing == 0)
		mem_free(s);
}

void serial_close(struct serial *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		tty_release_lines(s->fd);
	serial_flush(&s->split, on_line, s);
	s->over = true;
	drop_port(s);
	s->closing = 2;
	timer_close(&s->timer, on_closed);
	timer_close(&s->pulse, on_closed);
}
