/* SPDX-License-Identifier: MIT */
/*
 * A profile: what a pretend device is and how its tools answer, read from a
 * JSON file (sim_profile_help documents the format). One profile is shared by
 * all devices of a fleet; what differs between them is in struct pretend. Files
 * of services, which are no devices, are read by service.c.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "base/json.h"
#include "base/split.h"
#include "mcp/firmware.h"
#include "sim/profile_reader.h"
#include "sim/recorded.h"
#include "wire/ota.h"

#define PROFILE_EXTENDS_MAX 8
#define PROFILE_FILE_MAX (8u << 20) /* bytes */

/* One file of the chain; the first extends the second, and so on. */
struct profile_part {
	char *file;
	cJSON *tree;
};

/* Starts zeroed. */
struct profile_chain {
	struct profile_part part[PROFILE_EXTENDS_MAX];
	size_t count;
};
void profile_chain_done(struct profile_chain *c);

/*
 * Read a profile by name or path, or begin with a text that came from file,
 * and follow what it extends. -1 (ERR_USAGE): there is none, or it is no JSON.
 */
int profile_chain_read(struct profile_chain *c, const char *name,
		       struct error *err);
int profile_chain_parse(struct profile_chain *c, const char *text, size_t len,
			const char *file, struct error *err);

/* One file without what it extends; yours. NULL: there is none, or it is no JSON. */
cJSON *profile_alone(const char *name);

/* The files are of that kind, all: "device" or "service" (ERR_USAGE). */
int profile_chain_kind(const struct profile_chain *c, const char *kind,
		       struct error *err);

#define PROFILE_DEFAULT "esp32"
#define PROFILE_TOOLS_MAX 100000

/* The hello that the device sends (device.md 1.5). */
struct profile_hello {
	bool features; /* false: none at all, as up to 1.6.2 */
	bool mcp, aec;
	bool has_glyph_push, glyph_push; /* from 2.4.0 */
	const cJSON *text_font; /* with glyph_push; NULL */
	int64_t sample_rate, channels, frame_duration;
};

/* Something that a call can change and another can read back. */
struct profile_state {
	char *name, *value; /* value: as it is at first */
};

struct profile {
	char *name; /* "esp32" */
	char *file; /* where it was read */
	char *brief; /* one line; "" if none */
	struct firmware_catalog catalog;
	enum firmware_dialect dialect;
	struct ota_request
		about; /* what it tells OTA; ids are a device's own */
	struct profile_hello hello;
	char *device_id, *client_id; /* of the first device */
	struct profile_state *state;
	size_t state_count;
	struct recorded
		recorded; /* what it answers before its tools are asked */
	const cJSON
		*events; /* list of things the device says by itself; NULL */
	const cJSON *ollama; /* defaults of tools that ask a model; NULL */
	cJSON **tree; /* what was read; rules and events borrow from it */
	size_t tree_count;
};

/* What is changed after the file was read. */
struct profile_changes {
	bool firmware_2_5; /* --firmware 2.5.0 */
	int64_t fill; /* self.fill.tNNN tools at the end */
};

/*
 * Load by name or path, with what it extends. Yours. NULL (ERR_USAGE): no such
 * profile (the nearest proposed, and where it was looked for), or what is
 * wrong in which file at which place. changes may be NULL.
 */
struct profile *profile_load(const char *name,
			     const struct profile_changes *changes,
			     struct error *err);
/* The same from text; what it extends is looked for as usual. */
struct profile *profile_parse(const char *text, size_t len, const char *file,
			      struct error *err);
void profile_free(struct profile *p); /* NULL is fine */

/* Names of installed profiles with their one-line text, for help and completion: calls back once for each. */
void sim_each_profile(void (*each)(void *owner, const char *name,
				   const char *brief),
		      void *owner);

#endif
