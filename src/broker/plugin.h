/* SPDX-License-Identifier: MIT */
/*
 * The inside of our plugin, for its own folder only. Files: plugin.c (what
 * mosquitto calls), plugin_check.c (who may come), plugin_tell.c (what serve
 * is told), clients.c, sign.c.
 */
#ifndef BROKER_PLUGIN_H
#define BROKER_PLUGIN_H

#include "base/buf.h"
#include "broker/clients.h"

struct mosquitto_plugin_id_t;

struct plugin {
	struct mosquitto_plugin_id_t *self;
	struct clients clients;
	struct buf secret; /* what serve shows as its password */
	char *key_file; /* NULL: credentials are not checked */
	struct buf key;
	char *operator_file; /* NULL: there is no operator */
	struct buf operator; /* what the operator shows as its password */
	char *folder; /* serve's, removed when serve is gone; NULL */
	int64_t parent; /* process id of serve; 0: not watched */
	int64_t looked; /* when silent clients were looked at last, ms */
	bool rechecking; /* mosquitto asks again about all who are connected */
};

/*
 * NULL: may come. Else why not, in words, and in *hint what to do, where that
 * is not what serve knows by itself (static texts). user and password may be
 * NULL.
 */
const char *plugin_check(const struct plugin *p, const char *id,
			 const char *user, const char *password,
			 const char **hint);
/* The user name of the operator, if there is one. */
bool plugin_is_operator(const struct plugin *p, const char *user);
/* The only topic that this client may publish to, or else subscribe to. */
bool plugin_is_own_topic(const char *id, const char *topic, bool publish);
/* A client id "GID_…@@@…@@@…". */
bool plugin_is_device_id(const char *id);
/* A JSON object with the member "type": a device's message. */
bool plugin_is_device_message(const void *data, size_t len);

/* The client is a device: serve is told, unless it was. */
void plugin_tell_joined(struct broker_client *cl);
void plugin_tell_left(const struct broker_client *cl, int reason);
/* hint NULL: as serve knows. */
void plugin_tell_refused(const char *id, const char *address, const char *why,
			 const char *hint);
/* A copy of what it published. */
void plugin_tell_up(const char *id, const void *data, size_t len);

#endif
