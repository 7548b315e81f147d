/* SPDX-License-Identifier: MIT */
/*
 * Schemas of boards as hosts take them. Made anew from the keywords that are
 * known, since one that a host does not know can cost the whole tool. Nothing
 * is made narrower: where a part cannot be kept, the rule that it was in goes
 * (oneOf becomes anyOf, as two of its parts may have become one). Pure.
 */
#ifndef BRIDGE_MEND_SCHEMA_H
#define BRIDGE_MEND_SCHEMA_H

#include "base/json.h"

/*
 * A schema that hosts take; yours. Never NULL. It lets everything through that
 * the device's does, and may let through more: calls are checked against that of
 * the device.
 */
cJSON *mend_schema(const cJSON *schema);
/*
 * Arguments of a call as the device has them, yours: schema is the device's own.
 * Where it calls an argument so that models refuse the whole list ("亮度"), the
 * host has another name for it.
 */
cJSON *mend_arguments(const cJSON *schema, const cJSON *arguments);

#endif
