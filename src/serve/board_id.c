/* SPDX-License-Identifier: MIT */
/* Device-Id before client id. It keeps nothing. */
#include "serve/board_id.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "wire/broker_topic.h"

bool board_id_is(const char *id, const char *device_id, const char *client_id)
{
	char mac[18];

	if (!id || !*id)
		return false;
	if (!device_id || !*device_id)
		return text_same(id, client_id);
	if (text_same(id, device_id))
		return true;
	return text_same(id, client_id) && client_id_mac(client_id, mac) &&
	       text_same(mac, device_id);
}

bool board_id_is_mac(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++) {
		if (i % 3 == 2 ? text[i] != ':' :
				 !isxdigit((unsigned char)text[i]))
			return false;
	}
	return i == 17;
}
