/* SPDX-License-Identifier: MIT */
/*
 * What access points say, where MCP servers dial in as tool sides and robots as
 * their clients (backends.md 3): constants of both sides.
 */
#ifndef WIRE_ACCESS_POINT_H
#define WIRE_ACCESS_POINT_H

/* The reason of the Close 1000 to a tool side whose place another one took. */
#define POINT_REPLACED "新连接替换"
/* To robots: the error in place of a tool side that is not there. */
#define POINT_NO_TOOL_SIDE "工具端未连接"
#define POINT_NO_TOOL_SIDE_CODE (-32001)

/* Codes of a Close, beside those of RFC 6455. */
#define POINT_CLOSE_TOKEN 4001
#define POINT_CLOSE_FAILED 4004 /* the cloud: "Internal server error" */

#endif
