/* SPDX-License-Identifier: MIT */
/*
 * Whether what a board says comes as it was said: packets against the clock,
 * from `listen start` to `listen stop`, `abort`, the backend's `tts start` (where
 * the mode is not realtime), `goodbye` or another hello (device.md 1.6, 4.1).
 * Between utterances a board is silent, and nothing is missed. No I/O, no clock
 * but that of the packets.
 *
 * A packet has the length that the board's hello tells (frame_duration); where
 * its Opus tells another one (wire/audio), nothing is judged, since it cannot be
 * known which is true. The delay of this process itself (own_us) is no
 * pause of the board's, and where it was long nothing is told.
 */
#ifndef DIAG_PACE_H
#define DIAG_PACE_H

#include "diag/diag.h"

struct sound_pace;

struct pace_packet {
	const struct diag_frame *frame; /* that brought it; when it came */
	struct span opus; /* of that frame, decrypted */
	int64_t own_us; /* loop_delay_us() */
	uint64_t missing; /* so many were lost in front of it (UDP) */
};

/* A text frame, from the board or to it. *p is made at the first listen start. */
void pace_text(struct sound_pace **p, bool from_board, const char *text,
	       size_t len);
/*
 * One of the board's; p NULL: it never listened. What is found goes to d (D155,
 * D156, D157; M415 whenever packets are missing), which read its hello.
 */
void pace_packet(struct sound_pace *p, struct diag *d,
		 const struct pace_packet *k);
/* The same for a frame as it came over WebSocket; what is no audio is left alone. */
void pace_frame(struct sound_pace *p, struct diag *d,
		const struct diag_frame *f, int64_t own_us);
void pace_free(struct sound_pace *p);

/*
 * "jitter_ms" (RFC 3550, 6.4.1), "late" and "holes" (how often), "missing_ms" (in
 * holes), "drift_ppm" (above 0: it comes slower than it sounds), of all its
 * utterances, the last one's drift; null: not known. Without a comma in front.
 */
void pace_members(struct buf *out, const struct sound_pace *p);

/*
 * "12 packets, 3 lost, jitter 12.3 ms, late once, 0.60 s missing, drift +900 ppm",
 * of an object with those members and "frames", "lost"; it may come from a wire.
 */
void pace_words(struct buf *out, const cJSON *audio);

#endif
