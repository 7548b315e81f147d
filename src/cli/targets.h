/* SPDX-License-Identifier: MIT */
/* Kinds of targets and their transports. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "net/endpoint.h"

/* The transport of a kind of targets. NULL: err. */
const struct transport_ops *target_ops(enum scheme_kind kind,
				       struct error *err);

#endif
