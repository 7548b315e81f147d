/* SPDX-License-Identifier: MIT */
/* Formats of texts: one function each, over ASCII alone. */
#include "mcp/format.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define HOST_MOST 253 /* RFC 1123 and 1035: bytes of a name, and of a label */
#define LABEL_MOST 63

static const char digits[] = "0123456789";
static const char hex[] = "0123456789abcdefABCDEF";
static const char alnum[] =
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* ---- parts: each steps over what it reads; false: it is not there ---- */

static bool take(const char **at, const char *one_of)
{
	if (!**at || !strchr(one_of, **at))
		return false;
	(*at)++;
	return true;
}

static bool take_some(const char **at, const char *of, size_t least)
{
	size_t count = strspn(*at, of);

	*at += count;
	return count >= least;
}

/* Exactly so many digits, and their value. */
static bool take_number(const char **at, size_t count, int *value)
{
	*value = 0;
	for (size_t i = 0; i < count; i++) {
		char c = **at;

		if (!take(at, digits))
			return false;
		*value = *value * 10 + (c - '0');
	}
	return true;
}

static bool is_leap_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool take_date(const char **at)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	int year, month, day;

	if (!take_number(at, 4, &year) || !take(at, "-") ||
	    !take_number(at, 2, &month) || !take(at, "-") ||
	    !take_number(at, 2, &day) || month < 1 || month > 12)
		return false;
	return day >= 1 &&
	       day <= days[month - 1] + (month == 2 && is_leap_year(year));
}

/* "Z", "+02:00"; in minutes. */
static bool take_offset(const char **at, int *minutes)
{
	int sign = **at == '-' ? -1 : 1, hour, minute;

	*minutes = 0;
	if (take(at, "Zz"))
		return true;
	if (!take(at, "+-") || !take_number(at, 2, &hour) || !take(at, ":") ||
	    !take_number(at, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*minutes = sign * (hour * 60 + minute);
	return true;
}

/* RFC 3339: a second 60 is the last one of a day in UTC. */
static bool take_time(const char **at)
{
	enum { DAY = 24 * 60 };
	int hour, minute, second, offset;

	if (!take_number(at, 2, &hour) || !take(at, ":") ||
	    !take_number(at, 2, &minute) || !take(at, ":") ||
	    !take_number(at, 2, &second) || hour > 23 || minute > 59 ||
	    second > 60)
		return false;
	if (take(at, ".") && !take_some(at, digits, 1))
		return false;
	if (!take_offset(at, &offset))
		return false;
	return second < 60 ||
	       (hour * 60 + minute - offset + DAY) % DAY == DAY - 1;
}

static bool is_date(const char *text)
{
	return take_date(&text) && !*text;
}

static bool is_time(const char *text)
{
	return take_time(&text) && !*text;
}

static bool is_date_time(const char *text)
{
	return take_date(&text) && take(&text, "Tt") && take_time(&text) &&
	       !*text;
}

/* "3D2H": units in their order, none twice and, in RFC 3339, none left out
   between two. */
static bool take_units(const char **at, const char *units, size_t *count)
{
	const char *last = NULL;

	for (*count = 0; **at && strchr(digits, **at); (*count)++) {
		const char *unit;

		take_some(at, digits, 1);
		unit = **at ? strchr(units, **at) : NULL;
		if (!unit || (last && unit != last + 1))
			return false;
		last = unit;
		(*at)++;
	}
	return true;
}

static bool is_duration(const char *text)
{
	size_t weeks, days, times;
	const char *all = text + 1, *in_weeks = all;

	if (*text != 'P')
		return false;
	if (take_units(&in_weeks, "W", &weeks) && weeks == 1 && !*in_weeks)
		return true;
	if (!take_units(&all, "YMD", &days))
		return false;
	if (!*all)
		return days > 0;
	return take(&all, "T") && take_units(&all, "HMS", &times) &&
	       times > 0 && !*all;
}

static bool is_ipv4(const char *text)
{
	struct in_addr address;

	return inet_pton(AF_INET, text, &address) == 1;
}

static bool is_ipv6(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
}

static bool is_label(const char *text, size_t len)
{
	return len > 0 && len <= LABEL_MOST && strspn(text, alnum) > 0 &&
	       text[len - 1] != '-';
}

static bool is_hostname(const char *text)
{
	if (strlen(text) > HOST_MOST)
		return false;
	for (;; text++) {
		size_t len = 0;

		while (text[len] &&
		       (strchr(alnum, text[len]) || text[len] == '-'))
			len++;
		if (!is_label(text, len))
			return false;
		text += len;
		if (*text != '.')
			return !*text;
	}
}

/* ---- mail ---- */

/* Bytes above ASCII, where they count as letters. */
static bool is_beyond(char c)
{
	return (unsigned char)c >= 0x80;
}

static size_t span_atoms(const char *text, bool beyond)
{
	static const char special[] = "!#$%&'*+-/=?^_`{|}~";
	size_t len = 0, from = 0;

	for (;; len++) {
		char c = text[len];

		if (c && (strchr(alnum, c) || strchr(special, c) ||
			  (beyond && is_beyond(c))))
			continue;
		if (len == from)
			return 0;
		if (c != '.')
			return len;
		from = len + 1;
	}
}

static size_t span_quoted(const char *text, bool beyond)
{
	size_t len = 1;

	for (; text[len] && text[len] != '"'; len++) {
		if (text[len] == '\\')
			len++;
		if (!text[len] || (is_beyond(text[len]) && !beyond) ||
		    (unsigned char)text[len] < ' ')
			return 0;
	}
	return text[len] ? len + 1 : 0;
}

/* "[192.0.2.1]", "[IPv6:::1]" */
static bool is_literal(const char *text)
{
	size_t len = strlen(text);
	CLEANUP(mem_free_ptr) char *inside = NULL;

	if (len < 2 || text[len - 1] != ']')
		return false;
	inside = mem_strndup(text + 1, len - 2);
	if (text_starts(inside, "IPv6:"))
		return is_ipv6(inside + strlen("IPv6:"));
	return is_ipv4(inside);
}

static bool is_mailbox(const char *text, bool beyond)
{
	size_t local = *text == '"' ? span_quoted(text, beyond) :
				      span_atoms(text, beyond);
	const char *domain = text + local + 1;

	if (local == 0 || text[local] != '@')
		return false;
	if (*domain == '[')
		return is_literal(domain);
	if (!beyond)
		return is_hostname(domain);
	return *domain && domain[strcspn(domain, " \t\r\n@")] == '\0';
}

static bool is_email(const char *text)
{
	return is_mailbox(text, false);
}

static bool is_idn_email(const char *text)
{
	return is_mailbox(text, true);
}

/* ---- addresses (RFC 3986) ---- */

static size_t span_of(const char *text, const char *others, bool beyond)
{
	size_t len = 0;

	for (; text[len]; len++) {
		if (text[len] == '%' && text[len + 1] &&
		    strchr(hex, text[len + 1]) && text[len + 2] &&
		    strchr(hex, text[len + 2]))
			len += 2;
		else if (!strchr(alnum, text[len]) &&
			 !strchr(others, text[len]) &&
			 !(beyond && is_beyond(text[len])))
			break;
	}
	return len;
}

static size_t span_scheme(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = 1;

	if (!*text || !strchr(letters, *text))
		return 0;
	while (text[len] &&
	       (strchr(alnum, text[len]) || strchr("+-.", text[len])))
		len++;
	return text[len] == ':' ? len + 1 : 0;
}

static bool take_host(const char **at, bool beyond)
{
	CLEANUP(mem_free_ptr) char *inside = NULL;
	size_t len;

	if (**at != '[') {
		*at += span_of(*at, "-._~!$&'()*+,;=", beyond);
		return true;
	}
	len = strcspn(*at, "]");
	if (!(*at)[len])
		return false;
	inside = mem_strndup(*at + 1, len - 1);
	*at += len + 1;
	return is_ipv6(inside) || *inside == 'v' || *inside == 'V';
}

/* Behind "//": user, host, port. */
static bool take_authority(const char **at, bool beyond)
{
	size_t user = span_of(*at, "-._~!$&'()*+,;=:", beyond);

	if ((*at)[user] == '@')
		*at += user + 1;
	if (!take_host(at, beyond))
		return false;
	if (take(at, ":"))
		take_some(at, digits, 0);
	return !**at || strchr("/?#", **at);
}

static bool is_reference(const char *text, bool absolute, bool beyond)
{
	static const char path[] = "-._~!$&'()*+,;=:@/";
	static const char rest[] = "-._~!$&'()*+,;=:@/?";
	size_t scheme = span_scheme(text);

	if (absolute && scheme == 0)
		return false;
	text += scheme;
	if (text_starts(text, "//")) {
		text += 2;
		if (!take_authority(&text, beyond))
			return false;
	} else if (scheme == 0 && text[strcspn(text, ":/?#")] == ':') {
		/* What stands before a colon would be a scheme. */
		return false;
	}
	text += span_of(text, path, beyond);
	if (take(&text, "?"))
		text += span_of(text, rest, beyond);
	if (take(&text, "#"))
		text += span_of(text, rest, beyond);
	return !*text;
}

static bool is_uri(const char *text)
{
	return is_reference(text, true, false);
}

static bool is_uri_reference(const char *text)
{
	return is_reference(text, false, false);
}

static bool is_iri(const char *text)
{
	return is_reference(text, true, true);
}

static bool is_iri_reference(const char *text)
{
	return is_reference(text, false, true);
}

/* RFC 6570, of which only the braces are looked at. */
static bool is_uri_template(const char *text)
{
	bool inside = false;

	for (; *text; text++) {
		if (*text != '{' && *text != '}')
			continue;
		if ((*text == '{') == inside || text[1] == '}')
			return false;
		inside = !inside;
	}
	return !inside;
}

static bool is_uuid(const char *text)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };

	for (size_t i = 0; i < COUNT(groups); i++) {
		if (i > 0 && !take(&text, "-"))
			return false;
		for (size_t n = 0; n < groups[i]; n++)
			if (!take(&text, hex))
				return false;
	}
	return !*text;
}

/* ---- pointers (RFC 6901) ---- */

static bool is_json_pointer(const char *text)
{
	if (*text && *text != '/')
		return false;
	for (; *text; text++)
		if (*text == '~' && text[1] != '0' && text[1] != '1')
			return false;
	return true;
}

static bool is_relative_pointer(const char *text)
{
	bool zero = *text == '0';
	size_t count = strspn(text, digits);

	if (count == 0 || (zero && count > 1))
		return false;
	return strcmp(text + count, "#") == 0 || is_json_pointer(text + count);
}

static const struct {
	const char *name;
	bool (*fits)(const char *text);
} formats[] = {
	{ "date-time", is_date_time },
	{ "date", is_date },
	{ "time", is_time },
	{ "duration", is_duration },
	{ "email", is_email },
	{ "idn-email", is_idn_email },
	{ "hostname", is_hostname },
	{ "ipv4", is_ipv4 },
	{ "ipv6", is_ipv6 },
	{ "uri", is_uri },
	{ "uri-reference", is_uri_reference },
	{ "iri", is_iri },
	{ "iri-reference", is_iri_reference },
	{ "uri-template", is_uri_template },
	{ "uuid", is_uuid },
	{ "json-pointer", is_json_pointer },
	{ "relative-json-pointer", is_relative_pointer },
};

bool format_fits(const char *format, const char *text)
{
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i].name, format) == 0)
			return formats[i].fits(text);
	return true;
}
