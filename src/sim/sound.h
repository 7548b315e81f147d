/* SPDX-License-Identifier: MIT */
/*
 * The board's UDP socket of one voice session (device.md 2.4): packets out, and
 * those that come in looked at as the firmware looks at them, then counted.
 */
#ifndef SIM_SOUND_H
#define SIM_SOUND_H

#include "diag/codes.h"
#include "net/mqtt.h"
#include "sim/sim.h"

struct sound;

struct sound_order {
	struct loop *loop;
	const struct mqtt_table *table; /* for its cipher */
	struct sim_audio *counts; /* must outlive the sound */
	void (*found)(void *owner, enum diag_code code, const char *detail);
	/* What is in a packet that the device plays, deciphered. */
	void (*heard)(void *owner, const void *data, size_t len);
	void *owner;
};

/* Never fails: what cannot be sent is lost, as with UDP. offer is copied. */
struct sound *sound_open(const struct sound_order *order,
			 const struct udp_offer *offer);
void sound_send(struct sound *s, uint32_t timestamp, const void *data,
		size_t len);
/* No event any more; it is released by the loop. NULL is fine. */
void sound_close(struct sound *s);

#endif
