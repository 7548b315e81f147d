/* SPDX-License-Identifier: MIT */
/* The levels of notifications/message: RFC 5424's words, as MCP has them. */
#ifndef MCP_LOG_LEVEL_H
#define MCP_LOG_LEVEL_H

/* From the least on; NULL ends. */
extern const char *const log_levels[9];

/* 1 for debug … 8 for emergency; 0: it is no level, or NULL. */
int log_level_rank(const char *level);

#endif
