/* SPDX-License-Identifier: MIT */
/*
 * Why a broker could not be reached, refused, or went away: in words, with
 * the next step. One place for all of it.
 */
#include <errno.h>
#include <string.h>

#include "net/dial_words.h"
#include "net/mqtt_private.h"

#define CREDENTIALS                                                          \
	"name the user as in mqtt://USER@HOST/…; its password comes from " \
	"--mqtt-password-file or MCPCTL_MQTT_PASSWORD"

void mqtt_fail_lookup(struct mqtt_client *c, int status)
{
	const char *reason = status ? uv_strerror(status) : "it has no address";

	dial_fail_lookup(&c->why, "the broker's host", c->host,
			 status == UV_ETIMEDOUT ? NULL : reason);
}

static void fail_connect(struct mqtt_client *c, int error)
{
	const struct dial_place to = { .noun = "the broker ",
				       .host = c->host,
				       .port = c->port,
				       .unknown = "it failed" };

	dial_fail_connect(&c->why, &to, error);
	if (error == ECONNREFUSED)
		error_hint(&c->why,
			   "is a broker running there, and on this port? "
			   "'mcpctl serve --mqtt' starts one");
}

static void fail_tls(struct mqtt_client *c)
{
	struct error *why = &c->why;

	if (dial_is_no_tls(c->problem)) {
		error_set(why, ERR_CONNECT,
			  "the broker '%s' does not speak TLS on port %u",
			  c->host, (unsigned)c->port);
		error_hint(why, "use mqtt:// instead of mqtts://, or another "
				"port (8883 is usual)");
		return;
	}
	if (!c->problem[0] || strstr(c->problem, "unexpected eof")) {
		error_set(why, ERR_CONNECT,
			  "the broker '%s' port %u ended the TLS handshake",
			  c->host, (unsigned)c->port);
		error_hint(why, "does it speak TLS there? else use mqtt:// "
				"instead of mqtts://, or another port (8883 "
				"is usual)");
		return;
	}
	error_set(why, ERR_CONNECT, "TLS with the broker '%s' failed: %s",
		  c->host, dial_tls_words(c->problem));
	error_hint(why, "%s", dial_tls_hint(c->problem));
}

/* CONNACK (MQTT 3.1.1, 3.2.2.3). */
static void fail_refused(struct mqtt_client *c)
{
	static const char *const words[] = {
		"it accepted", /* not used */
		"it does not speak MQTT 3.1.1",
		"it does not accept this client id",
		"it is not available",
		"bad user name or password",
		"not authorised",
	};
	int code = c->connack;
	bool credentials = code == 4 || code == 5;

	error_set(&c->why, credentials ? ERR_AUTH : ERR_CONNECT,
		  "the broker '%s' refused the connection: %s", c->host,
		  code > 0 && (size_t)code < COUNT(words) ?
			  words[code] :
			  "for a reason of its own");
	error_code(&c->why, code);
	if (credentials)
		error_hint(&c->why, "%s",
			   c->user ? "check the password "
				     "(--mqtt-password-file or "
				     "MCPCTL_MQTT_PASSWORD), and that the "
				     "broker knows the user" :
				     CREDENTIALS);
	else
		error_hint(&c->why, "the broker's log may tell more");
}

static void fail_handshake(struct mqtt_client *c, int rc, int error)
{
	const char *wants = c->tls ? "is it an MQTT broker?" :
				     "is it an MQTT broker? does it want "
				     "mqtts://?";

	if (error == ETIMEDOUT)
		error_set(&c->why, ERR_CONNECT,
			  "'%s' port %u accepted the connection, but no MQTT "
			  "handshake followed within 10 s",
			  c->host, (unsigned)c->port);
	else if (rc == MOSQ_ERR_PROTOCOL || rc == MOSQ_ERR_MALFORMED_PACKET)
		error_set(&c->why, ERR_PROTOCOL,
			  "'%s' port %u answered something that is no MQTT",
			  c->host, (unsigned)c->port);
	else
		error_set(&c->why, ERR_CONNECT,
			  "'%s' port %u closed the connection during the MQTT "
			  "handshake",
			  c->host, (unsigned)c->port);
	error_hint(&c->why, "%s", wants);
	if (error == ETIMEDOUT)
		error_code(&c->why, ETIMEDOUT);
}

static void fail_connected(struct mqtt_client *c, int rc)
{
	const char *ends = "the connection to the broker";

	if (c->refused) {
		error_set(&c->why, ERR_AUTH,
			  "the broker '%s' does not let us subscribe to '%s'",
			  c->host, c->refused);
		error_hint(&c->why, "its access rules must allow that for %s",
			   c->user ? "this user" :
				     "users that give no name; " CREDENTIALS);
	} else if (rc == MOSQ_ERR_KEEPALIVE) {
		error_set(&c->why, ERR_CONNECT,
			  "%s '%s' is dead: no answer to a ping", ends,
			  c->host);
		error_code(&c->why, ETIMEDOUT);
	} else if (rc == MOSQ_ERR_PROTOCOL || rc == MOSQ_ERR_MALFORMED_PACKET) {
		error_set(&c->why, ERR_PROTOCOL,
			  "%s '%s' ended: what came is no MQTT", ends, c->host);
	} else {
		error_set(&c->why, ERR_CONNECT, "the broker '%s' went away",
			  c->host);
		error_hint(&c->why, "was it stopped? another client with our "
				    "client id would end it too");
	}
}

void mqtt_fail(struct mqtt_client *c, int rc, int error)
{
	bool tls_failed = c->tls && (!c->tls_up || c->problem[0]);

	if (c->state == MQTT_CONNECTED)
		fail_connected(c, rc);
	else if (c->connack)
		fail_refused(c);
	else if (!c->tcp_up)
		fail_connect(c, error);
	else if (tls_failed && error != ETIMEDOUT)
		fail_tls(c);
	else
		fail_handshake(c, rc, error);
}
