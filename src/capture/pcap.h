/* SPDX-License-Identifier: MIT */
/*
 * A capture as pcapng (draft-ietf-opsawg-pcapng), so that Wireshark opens it.
 * What a capture holds is the messages, not the packets they came in: those are
 * made here, IPv4 with TCP or UDP, with the times and payloads as recorded. The
 * device is 192.0.2.x, the backend 198.51.100.1, and the ports say what it is:
 * 80 HTTP and WebSocket, 1883 MQTT, 8884 UDP audio, 8000 JSON lines (stdio and
 * plain HTTP servers), 514 syslog for findings, notices and serial lines. Of a
 * frame whose bytes were not kept there is the length.
 */
#ifndef CAPTURE_PCAP_H
#define CAPTURE_PCAP_H

#include "base/map.h"
#include "capture/event.h"

/* Starts zeroed. */
struct pcap {
	struct buf
		out; /* what is to be written; whoever writes it empties it */
	int64_t made_us; /* when the capture began, since 1970 */
	struct map flows;
};

/* The head of the file. */
void pcap_begin(struct pcap *p, int64_t made_us);
/* What came of it is appended to out: nothing, one packet, or several. */
void pcap_event(struct pcap *p, const struct capture_event *e);
void pcap_done(struct pcap *p);

#endif
