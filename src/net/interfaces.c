/* SPDX-License-Identifier: MIT */
/* As the kernel lists them, an address each. */
#include "net/interfaces.h"

#include <netinet/in.h>
#include <string.h>

static bool is_fit(const struct interfaces_choice *c,
		   const uv_interface_address_t *one)
{
	char text[INET_ADDRSTRLEN];

	if (one->address.address4.sin_family != AF_INET)
		return false;
	uv_ip4_name(&one->address.address4, text, sizeof(text));
	return !c->address || strcmp(c->address, text) == 0;
}

static bool is_chosen(const struct interfaces_choice *c,
		      const uv_interface_address_t *one)
{
	return is_fit(c, one) &&
	       (c->names->count ? words_has(c->names, one->name) :
				  !one->is_internal);
}

static int check_name(const struct interfaces_choice *c, const char *name,
		      const uv_interface_address_t *all, int count,
		      struct error *err)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) == 0 && is_fit(c, &all[i]))
			return 0;
	}
	error_set(err, ERR_USAGE, "no interface '%s' is up with %s%s", name,
		  c->address ? "the IPv4 address " : "an IPv4 address",
		  c->address ? c->address : "");
	return error_hint(err, "ip -4 address lists them");
}

static int say_none(const struct interfaces_choice *c, struct error *err)
{
	error_set(err, ERR_CONNECT, "%s: no interface is up with %s",
		  c->purpose,
		  c->address ? c->address : "an IPv4 address, but loopback");
	return error_hint(
		err, "--interface NAME names one; lo is this machine itself");
}

int interfaces_each(const struct interfaces_choice *c,
		    bool (*each)(void *owner,
				 const uv_interface_address_t *one),
		    void *owner, struct error *err)
{
	uv_interface_address_t *all = NULL;
	int count = 0, used = 0, status = 0;

	if (uv_interface_addresses(&all, &count) != 0)
		count = 0;
	for (size_t i = 0; i < c->names->count && status == 0; i++)
		status = check_name(c, c->names->word[i], all, count, err);
	for (int i = 0; i < count && status == 0 && used < INTERFACES_MAX;
	     i++) {
		if (is_chosen(c, &all[i]) && each(owner, &all[i]))
			used++;
	}
	if (all)
		uv_free_interface_addresses(all, count);
	return status != 0 || used > 0 ? status : say_none(c, err);
}
