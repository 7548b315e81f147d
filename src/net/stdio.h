/* SPDX-License-Identifier: MIT */
/*
 * A child process as the peer: one message a line on its stdin and stdout
 * (mcp.md 2024-11-05). endpoint: argv, env, cwd. Our own tokens and passwords
 * are not handed on, unless env names them.
 *
 * Its stderr comes as notices (NOTICE_CHILD), a line each; its first
 * lines (since something was sent to it) and its last ones are the detail of
 * the error when it dies. A line of stdout that is no JSON is
 * told by failed(0, …), with what it was: servers print there by mistake.
 * What is sent to one that closed its stdin is lost: its end follows, with why.
 * close: end of stdin; after 100 ms SIGTERM; after 1 s more SIGKILL, to its
 * process group: closed comes within 2 s.
 */
#ifndef NET_STDIO_H
#define NET_STDIO_H

#include "net/transport.h"

extern const struct transport_ops stdio_ops;

#endif
