/* SPDX-License-Identifier: MIT */
/*
 * Credentials (device.md 2.1), what makes a client a device, and its topics.
 */
#include "broker/plugin.h"

#include <string.h>

#include "base/json.h"
#include "base/secret_file.h"
#include "base/text.h"
#include "broker/sign.h"
#include "wire/broker_topic.h"

#define ID_MAX 1024 /* bytes; firmware's whole CONNECT fits into 1024 */
#define SEPARATOR "@@@"

bool plugin_is_device_id(const char *id)
{
	const char *second = strstr(id, SEPARATOR);

	return text_starts(id, "GID_") && second &&
	       strstr(second + strlen(SEPARATOR), SEPARATOR);
}

bool plugin_is_device_message(const void *data, size_t len)
{
	struct span object = { data, len }, type;

	return data && !json_check(data, len, NULL) &&
	       json_span_member(object, "type", &type) && *type.text == '"';
}

static bool is_object_in_base64(const char *user)
{
	struct buf text = { 0 };
	const char *start;
	bool is;

	is = !text_base64_decode(user, strlen(user), &text) &&
	     !json_check(buf_string(&text), text.len, NULL);
	start = buf_string(&text);
	is = is && start[strspn(start, " \t\r\n")] == '{';
	buf_done(&text);
	return is;
}

static bool is_signed(const struct buf *key, const char *id, const char *user,
		      const char *password)
{
	struct buf wanted = { 0 };
	bool is;

	broker_sign(&wanted, key, id, user);
	is = secret_same(buf_string(&wanted), wanted.len, password,
			 strlen(password));
	buf_done(&wanted);
	return is;
}

static const char *check_device(const struct plugin *p, const char *id,
				const char *user, const char *password)
{
	char mac[18];

	if (!client_id_mac(id, mac))
		return "its client id is not of the form "
		       "GID_x@@@aa_bb_cc_dd_ee_ff@@@uuid";
	if (!user || !is_object_in_base64(user))
		return "its user name is not base64 of a JSON object";
	if (!password)
		return "it sent no password";
	if (!is_signed(&p->key, id, user, password))
		return "its password is not the signature of its client id "
		       "and user name with the key";
	return NULL;
}

bool plugin_is_operator(const struct plugin *p, const char *user)
{
	return p->operator_file && user && !strcmp(user, BROKER_OPERATOR);
}

bool plugin_is_own_topic(const char *id, const char *topic, bool publish)
{
	struct buf own = { 0 };
	bool is;

	if (publish)
		return !strcmp(topic, BROKER_UP_TOPIC);
	broker_own_topic(&own, id);
	is = !strcmp(topic, buf_string(&own));
	buf_done(&own);
	return is;
}

static const char *check_operator(const struct plugin *p, const char *password,
				  const char **hint)
{
	if (password && secret_same(buf_string(&p->operator), p->operator.len,
				    password, strlen(password)))
		return NULL;
	*hint = "it stands in the file of --mqtt-operator-file";
	return "the password of the operator is wrong";
}

const char *plugin_check(const struct plugin *p, const char *id,
			 const char *user, const char *password,
			 const char **hint)
{
	if (strlen(id) > ID_MAX)
		return "its client id is longer than 1024 bytes";
	if (!strcmp(id, BROKER_CLIENT_ID)) {
		if (password &&
		    secret_same(buf_string(&p->secret), p->secret.len, password,
				strlen(password)))
			return NULL;
		return "this client id is kept for mcpctl itself";
	}
	if (plugin_is_operator(p, user))
		return check_operator(p, password, hint);
	if (p->key_file)
		return check_device(p, id, user, password);
	return NULL;
}
