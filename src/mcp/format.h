/* SPDX-License-Identifier: MIT */
/*
 * The formats that JSON Schema names, as far as a text alone tells: date-time,
 * date, time, duration, email, idn-email, hostname, ipv4, ipv6, uri,
 * uri-reference, iri, iri-reference, uri-template, uuid, json-pointer,
 * relative-json-pointer. A text is checked for its form, and nobody is asked
 * whether such a host or a mailbox exists. Pure; one pass over the text.
 */
#ifndef MCP_FORMAT_H
#define MCP_FORMAT_H

#include "base/base.h"

/* Whether text is of that format. True too for every other format: by JSON
   Schema it describes, and forbids nothing. */
bool format_fits(const char *format, const char *text);

#endif
