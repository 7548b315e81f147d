/* SPDX-License-Identifier: MIT */
/*
 * How a TCP connection ended, as the kernel tells it: whether the other side
 * closed it, reset it, or was not heard any more. The last is our own doing,
 * and is never told as the other side's.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"
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
	if (!error || error == EPIPE)
		error_set(
			why, ERR_CONNECT,
			"%s closed the connection (TCP FIN, without a Close frame)",
			who);
	else if (error == ECONNRESET)
		error_set(why, ERR_CONNECT, "%s reset the connection (TCP RST)",
			  who);
	else if (error == ETIMEDOUT && silent < limit)
		tell_stuck(why, who);
	else
		tell_lost(why, who, silent, error);
	/* So that who wants to know need not read the words. */
	if (error && error != EPIPE)
		error_code(why, error == ECONNRESET ? error : ETIMEDOUT);
}
