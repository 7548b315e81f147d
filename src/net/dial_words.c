/* SPDX-License-Identifier: MIT */
/*
 * Why dialling fails, in words, with the next step. What one protocol alone
 * can say stands in ws_dial.c, http_failure.c, mqtt_dial.c.
 */
#include "net/dial_words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define ANOTHER_NAME                                                     \
	"its certificate is for another name: use that one as the host " \
	"(openssl x509 -text shows it); --insecure skips the check"

void dial_fail_lookup(struct error *why, const char *noun, const char *host,
		      const char *reason)
{
	if (!reason) {
		error_set(
			why, ERR_CONNECT,
			"cannot find %s '%s': the name server does not answer",
			noun, host);
		error_hint(why, "try its IP address");
		return;
	}
	error_set(why, ERR_CONNECT, "cannot find %s '%s'%s%s", noun, host,
		  *reason ? ": " : "", reason);
	error_hint(why, "check the name, or use its IP address");
}

const char *dial_words(int error, const char *unknown)
{
	switch (error) {
	case 0:
		return unknown;
	case ECONNREFUSED:
		return "connection refused";
	case ETIMEDOUT:
		return "no answer";
	case ENETUNREACH:
	case EHOSTUNREACH:
		return "no route to it";
	default:
		return strerror(error);
	}
}

static const char *hint(int error)
{
	switch (error) {
	case ECONNREFUSED:
		return "is the server running there, and on this port?";
	case ETIMEDOUT:
		return "is the address right, and in this network? a firewall can drop it too";
	case ENETUNREACH:
	case EHOSTUNREACH:
		return "is this machine in the same network?";
	case EMFILE:
	case ENFILE:
		return "this process may not open more files (ulimit -n)";
	default:
		return "check the address";
	}
}

void dial_fail_connect(struct error *why, const struct dial_place *to,
		       int error)
{
	char wait[48] = "";

	if (error == ETIMEDOUT && to->timeout) {
		char time[32];

		snprintf(wait, sizeof(wait), " within %s",
			 text_milliseconds(to->timeout, time, sizeof(time)));
	}
	error_set(why, ERR_CONNECT, "cannot connect to %s'%s' port %u: %s%s",
		  to->noun, to->host, (unsigned)to->port,
		  dial_words(error, to->unknown), wait);
	error_hint(why, "%s", hint(error));
	error_code(why, error);
}

bool dial_is_no_tls(const char *problem)
{
	return strstr(problem, "wrong version number") ||
	       strstr(problem, "packet length too long") ||
	       strstr(problem, "unknown protocol");
}

static bool is_old_tls(const char *problem)
{
	/* It chose an older one by itself, or told that it has no other. */
	return strstr(problem, "unsupported protocol") ||
	       strstr(problem, "protocol version");
}

const char *dial_tls_words(const char *problem)
{
	return is_old_tls(problem) ? "it speaks neither TLS 1.2 nor 1.3" :
				     problem;
}

const char *dial_tls_hint(const char *problem)
{
	static const struct {
		const char *problem, *hint;
	} rows[] = {
		{ "mismatch", ANOTHER_NAME },
		{ "does not match", ANOTHER_NAME },
		{ "no altern", ANOTHER_NAME },
		{ "has expired",
		  "its certificate must be renewed, unless the clock here is wrong; --insecure skips the check" },
		{ "not yet valid",
		  "is the clock here wrong? --insecure skips the check" },
		{ "certificate required",
		  "it wants a certificate of its clients, and mcpctl has none: let it take a password or a token instead" },
		{ "handshake failure",
		  "it may want a certificate of its clients, which mcpctl has not, or ciphers that are not spoken here" },
		{ "ended the handshake",
		  "does it speak TLS there? else try without (http://, ws://, mqtt://), or another port" },
	};

	if (is_old_tls(problem))
		return "TLS 1.0 and 1.1 are refused here, as at OpenSSL's usual security level, since they are no longer safe: let the server speak 1.2 or later; if it speaks no TLS at all, try without (http://, ws://, mqtt://)";
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (strstr(problem, rows[i].problem))
			return rows[i].hint;
	}
	return "--cacert FILE trusts another certificate, --insecure skips the check";
}

static bool has_certificate(FILE *file)
{
	char line[256];

	while (fgets(line, sizeof(line), file)) {
		if (text_starts(line, "-----BEGIN ") &&
		    strstr(line, "CERTIFICATE-----"))
			return true;
	}
	return false;
}

int dial_check_cacert(const char *path, struct error *err)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
			  strerror(errno));
	} else {
		bool good = has_certificate(file);

		fclose(file);
		if (good)
			return 0;
		error_set(err, ERR_USAGE, "'%s' has no certificate", path);
	}
	return error_hint(err,
			  "--cacert names a file of certificates in PEM form");
}
