/* SPDX-License-Identifier: MIT */
/*
 * What can be known of this machine without root and without a network: its
 * addresses, who has the ports, signs of a firewall, how old the clock can be
 * at most. Read below a folder that stands for "/"; judges nothing.
 */
#ifndef CHECK_HOST_H
#define CHECK_HOST_H

#include "base/loop.h"
#include "base/split.h"
#include "net/address.h"
#include "net/port_parts.h"

/* Whom an address is for. */
enum host_network {
	NETWORK_OUTSIDE, /* a LAN, a Wi-Fi, or what cannot be told from those */
	NETWORK_LOOPBACK,
	NETWORK_CONTAINERS, /* a bridge of containers or virtual machines here */
	NETWORK_INSIDE, /* we ourselves are in such a container */
	NETWORK_WSL, /* behind the NAT of WSL 2 */
	NETWORK_VPN,
	NETWORK_LINK /* 169.254: nobody gave one */
};

struct host_address {
	char interface[32], text[ADDRESS_TEXT_MAX];
	enum host_network network;
};

#define HOST_PORTS 4

struct host_port {
	uint16_t number;
	bool udp;
	bool ours; /* mcpctl takes it unless told otherwise */
	const char *whose; /* what takes it unless told otherwise */
	bool taken;
	bool by_us; /* by mcpctl, or by the broker that one started */
	struct port_owner owner; /* pid 0: it cannot be seen */
};

struct host {
	bool in_container, wsl; /* WSL 2 that shares no network with Windows */
	struct host_address *address; /* the default route's first; owned */
	size_t addresses;
	struct words proxies; /* names of variables that are set */
	struct host_port port[HOST_PORTS];
	struct words firewalls; /* what is on, in words */
	struct words unread; /* files that only root may read */
	int64_t now; /* seconds since 1970 */
	int64_t newest; /* of the files looked at; 0: there is none */
	char newest_file[64];
	int synchronized; /* the kernel was told so; -1: not known */
	uint64_t files, files_hard; /* UINT64_MAX: no limit */
	char *mosquitto; /* its path; NULL: why it is not there */
	char *plugin; /* likewise */
	struct error no_mosquitto, no_plugin;
	char version[32]; /* of mosquitto; "" unknown */
};

/* All but addresses and the broker, below root ("": this machine's own). */
void host_read(struct host *h, const char *root);
/* Those of this machine, as serve tells them; behind host_read. */
void host_read_addresses(struct host *h);
void host_add_address(struct host *h, const char *interface, const char *text);
/* Runs mosquitto -h, a second or two at most. */
void host_read_broker(struct host *h, struct loop *l);
void host_done(struct host *h);

/* "mosquitto version 2.0.11" somewhere in it; out "" if not. */
void host_version(const char *text, char *out, size_t size);

#endif
