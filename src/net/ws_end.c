/* SPDX-License-Identifier: MIT */
/*
 * How a TCP connection ended, as the kernel tells it: whether the other side
 * closed it, reset it, or was not heard any more. The last is our own doing,
 * and is never told as the other side's.
 */
#include "net/ws_end.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
#include "net/why.h"
#include "net/ws_private.h"

/*
 * The kernel gives a connection up at the first probe after WS_SILENT_MS: so
 * these must be as many that one which gets lost does not matter.
 */
#define KEEPALIVE_IDLE_S 10
#define KEEPALIVE_INTERVAL_S 3
#define KEEPALIVE_COUNT 4

/* The library sets none of these on a socket that it was given. */
void ws_end_watch(int fd)
{
	const int on = 1, idle = KEEPALIVE_IDLE_S,
		  interval = KEEPALIVE_INTERVAL_S, count = KEEPALIVE_COUNT;
	const unsigned silent = WS_SILENT_MS;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	/* What was sent and is not acknowledged would be repeated for a quarter of an hour. */
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent, sizeof(silent));
}

static struct tcp_info look(int fd)
{
	struct tcp_info info = { .tcpi_state = TCP_CLOSE };
	socklen_t size = sizeof(info);

	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
	return info;
}

bool ws_end_is_over(int fd)
{
	return look(fd).tcpi_state == TCP_CLOSE;
}

/* Why the kernel gave it up, taken out of the socket; 0 if somebody has it already. */
static int take_error(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error;
}

static void tell_lost(struct error *why, const char *who, int64_t silent_ms,
		      int error)
{
	char time[32];

	text_milliseconds(silent_ms / 1000 * 1000, time, sizeof(time));
	if (silent_ms < 1000)
		error_set(why, ERR_CONNECT,
			  "the connection with %s was lost: %s", who,
			  strerror(error));
	else
		error_set(
			why, ERR_CONNECT,
			"the connection with %s was lost: nothing came for %s, not even an acknowledgement",
			who, time);
	error_hint(
		why,
		"no end of the connection came: power, Wi-Fi or the way to %s failed; it was given up here",
		who);
}

/* It acknowledges, but has had no room for more. */
static void tell_stuck(struct error *why, const char *who)
{
	error_set(
		why, ERR_CONNECT,
		"the connection with %s was given up: it is there, and took nothing of what was sent for %d s",
		who, WS_SILENT_MS / 1000);
	error_hint(
		why,
		"it does not read its socket: does the task that does hang there?");
}

/*
 * We hear it, and it does not hear us: it repeats what it sends, half of the time
 * apart. What came early may have been on its way when all ended.
 */
static void tell_unheard(struct error *why, const char *who)
{
	error_set(
		why, ERR_CONNECT,
		"the connection with %s was lost: nothing that was sent to it for %d s was acknowledged, though something came from it",
		who, WS_SILENT_MS / 1000);
	error_hint(
		why,
		"the way there fails in one direction: Wi-Fi at the edge of its reach, a firewall that lost the connection, or no memory for packets there");
}

void ws_end_tell(struct error *why, int fd, const char *who, bool broken)
{
	const struct tcp_info info = look(fd);
	int error = take_error(fd);
	int64_t silent = info.tcpi_last_ack_recv < info.tcpi_last_data_recv ?
				 info.tcpi_last_ack_recv :
				 info.tcpi_last_data_recv;
	unsigned limit = WS_SILENT_MS;
	socklen_t size = sizeof(limit);

	getsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &size);
	if (!error && broken)
		error = silent < limit ? ECONNRESET : ETIMEDOUT;
	if (!error || error == EPIPE) {
		error_set(
			why, ERR_CONNECT,
			"%s closed the connection (TCP FIN, without a Close frame)",
			who);
		error_reason(why, WHY_FIN);
	} else if (error == ECONNRESET) {
		error_set(why, ERR_CONNECT, "%s reset the connection (TCP RST)",
			  who);
	} else if (error == ETIMEDOUT && 4 * silent < 3 * (int64_t)limit &&
		   info.tcpi_retransmits) {
		tell_unheard(why, who);
	} else if (error == ETIMEDOUT && silent < limit &&
		   !info.tcpi_retransmits) {
		tell_stuck(why, who);
	} else {
		tell_lost(why, who, silent, error);
	}
	/* So that who wants to know need not read the words. */
	if (error && error != EPIPE)
		error_code(why, error == ECONNRESET ? error : ETIMEDOUT);
}

/*
 * A WebSocket's Ping, one at a time, and what its socket tells. The library
 * sends none by itself: boards that answer late must not be cut off
 * (device.md 1.4).
 */

/* Which one, so that a late Pong is not taken for the next one's. */
static void payload_of(const struct ws *ws, unsigned char out[WS_PING_BYTES])
{
	for (unsigned i = 0; i < WS_PING_BYTES; i++)
		out[i] = (unsigned char)(ws->pings >>
					 8 * (WS_PING_BYTES - 1 - i));
}

int ws_ping_write(struct ws *ws)
{
	/* A client's are masked in place. */
	unsigned char data[LWS_PRE + WS_PING_BYTES];

	ws->ping_due = false;
	payload_of(ws, data + LWS_PRE);
	ws->broken = lws_write(ws->wsi, data + LWS_PRE, WS_PING_BYTES,
			       LWS_WRITE_PING) < WS_PING_BYTES;
	return ws->broken ? -1 : 0;
}

void ws_ping_begin(struct ws *ws)
{
	ws->pings++;
	ws->ping_due = ws->ping_open = true;
	ws->pong_us = -1;
	ws->ping_at_us = loop_now_us();
}

/* One of ours that came earlier than this is late; else whatever it holds. */
static bool is_late(const struct ws *ws, const unsigned char *data, size_t len)
{
	unsigned char wanted[WS_PING_BYTES];
	uint32_t told = 0;

	payload_of(ws, wanted);
	if (len != WS_PING_BYTES || memcmp(data, wanted, len) == 0)
		return false;
	for (unsigned i = 0; i < WS_PING_BYTES; i++)
		told = told << 8 | data[i];
	return told < ws->pings;
}

void ws_pong(struct ws *ws, const void *data, size_t len)
{
	const struct transport *t = ws->transport;

	/* One that nobody asked for means nothing. */
	if (!ws->ping_open || ws->ping_due || is_late(ws, data, len))
		return;
	ws->ping_open = false;
	ws->pong_us = loop_now_us() - ws->ping_at_us;
	if (t->events->pong && !ws->closing)
		t->events->pong(t->owner);
}

bool ws_layers(const struct transport *t, int64_t id, struct layers *out)
{
	const struct ws *ws = t->impl;

	(void)id;
	*out = (struct layers){ .pong_us = -1 };
	if (!ws || !ws->wsi || ws->state != WS_OPEN)
		return false;
	layers_of_socket(out, lws_get_socket_fd(ws->wsi));
	out->ping = true;
	out->pong_us = ws->pings ? ws->pong_us : -1;
	return true;
}
