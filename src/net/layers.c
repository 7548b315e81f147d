/* SPDX-License-Identifier: MIT */
/* TCP_INFO and the send queue of a socket, in our words. */
#include "net/layers.h"

#include <inttypes.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static int64_t unacked_ms(const struct tcp_info *i)
{
	const int64_t pause = i->tcpi_rto / 1000;

	return i->tcpi_last_data_sent + pause - (pause >> i->tcpi_retransmits);
}

bool layers_of_socket(struct layers *out, int fd)
{
	struct tcp_info info = { 0 };
	socklen_t size = sizeof(info);
	int waiting = 0, unsent = 0;

	*out = (struct layers){ .pong_us = -1 };
	/* A Unix socket has none of it. */
	if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ||
	    ioctl(fd, SIOCOUTQ, &waiting) || ioctl(fd, SIOCOUTQNSD, &unsent))
		return false;
	out->tcp = true;
	out->unsent = unsent;
	out->unacked = waiting > unsent ? waiting - unsent : 0;
	out->retransmits = info.tcpi_retransmits;
	out->unacked_ms = out->unacked ? unacked_ms(&info) : 0;
	out->rtt_us = info.tcpi_rtt;
	return true;
}

void layers_encode(struct buf *out, const struct layers *l)
{
	if (l->tcp)
		buf_printf(out,
			   ",\"tcp\":{\"broker\":%s,\"unacked\":%" PRId64
			   ",\"unsent\":%" PRId64 ",\"retransmits\":%" PRId64
			   ",\"unacked_ms\":%" PRId64 ",\"rtt_us\":%" PRId64
			   "}",
			   l->broker ? "true" : "false", l->unacked, l->unsent,
			   l->retransmits, l->unacked_ms, l->rtt_us);
	buf_printf(out, ",\"ping\":%s", l->ping ? "true" : "false");
	if (l->pong_us >= 0)
		buf_printf(out, ",\"pong_us\":%" PRId64, l->pong_us);
}

/* What is missing, or makes no sense, is 0. */
static int64_t number(const cJSON *object, const char *name)
{
	int64_t value = 0;

	return json_integer(object, name, &value) || value < 0 ? 0 : value;
}

void layers_decode(struct layers *out, const cJSON *object)
{
	const cJSON *tcp = json_object(object, "tcp");

	*out = (struct layers){ .tcp = tcp != NULL, .pong_us = -1 };
	if (tcp) {
		out->broker = json_true(tcp, "broker");
		out->unacked = number(tcp, "unacked");
		out->unsent = number(tcp, "unsent");
		out->retransmits = number(tcp, "retransmits");
		out->unacked_ms = number(tcp, "unacked_ms");
		out->rtt_us = number(tcp, "rtt_us");
	}
	out->ping = json_true(object, "ping");
	if (json_member(object, "pong_us"))
		out->pong_us = number(object, "pong_us");
}
