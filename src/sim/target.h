/* SPDX-License-Identifier: MIT */
/*
 * The target sim: in parts: a pretend device (transport.c) or a pretend
 * service (service_transport.c), and the query of both. Private to them.
 */
#ifndef SIM_TARGET_H
#define SIM_TARGET_H

#include "net/transport.h"
#include "sim/exec.h"

/* What the state of both begins with: who does send and close. */
struct target_peer {
	const struct transport_ops *ops;
};

/* sim: with a profile of kind "service". */
extern const struct transport_ops service_transport_ops;

/*
 * What the query says of models, for both: ollama=, model= and timeout=. The
 * struct that target_query fills begins with it.
 */
struct target_outside {
	char *ollama, *model; /* NULL: not said */
	int64_t timeout; /* ms; 0 */
};
int target_set_ollama(void *out, const char *value, struct error *err);
int target_set_model(void *out, const char *value, struct error *err);
int target_set_timeout(void *out, const char *value, struct error *err);
void target_outside_done(struct target_outside *o);
/* Lent, as long as o lives. */
struct exec_config target_outside_config(const struct target_outside *o,
					 struct loop *l);

/* A name that may stand behind '?'; set: out is what target_query was given. */
struct target_setting {
	const char *name;
	int (*set)(void *out, const char *value, struct error *err);
};
struct target_settings {
	const struct target_setting *row;
	size_t count;
};
/* -1 (ERR_USAGE): an unknown name (the nearest proposed), or what set says. query may be NULL. */
int target_query(const struct target_settings *known, void *out,
		 const char *query, struct error *err);

#endif
