/* SPDX-License-Identifier: MIT */
#include "check/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/text.h"
#include "serve/broker.h"

#define FILE_MOST (256u << 10) /* bytes of a file that are read */

/* ---- files ---- */

/* All of it as text, yours; NULL: not there, or (*denied) not for us. */
static char *read_below(const char *root, const char *name, bool *denied)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s%s", root, name);
	CLEANUP(buf_done) struct buf text = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), status;

	if (denied)
		*denied = fd < 0 && errno == EACCES;
	if (fd < 0)
		return NULL;
	buf_init(&text, FILE_MOST);
	status = file_read_fd(&text, fd);
	close(fd);
	return status && errno != EFBIG ? NULL : buf_take(&text);
}

static bool exists(const char *root, const char *name)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s%s", root, name);
	struct stat st;

	return !lstat(path, &st);
}

/* ---- addresses ---- */

static bool name_fits(const char *name, const char *const *globs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (text_glob(globs[i], name))
			return true;
	}
	return false;
}

static bool is_container_bridge(const char *name)
{
	static const char *const globs[] = {
		"docker*", "br-????????????", "veth*",	"virbr*",   "lxcbr*",
		"lxdbr*",  "podman*",	      "cni*",	"flannel*", "cali*",
		"vmnet*",  "vboxnet*",	      "weave*", "kube-*",   "incusbr*",
	};

	return name_fits(name, globs, COUNT(globs));
}

static bool is_vpn(const char *name)
{
	static const char *const globs[] = { "tun*", "wg*", "tailscale*", "zt*",
					     "nordlynx*" };

	return name_fits(name, globs, COUNT(globs));
}

static bool within(const char *text, const char *network, int bits)
{
	struct in_addr a, n;

	if (inet_pton(AF_INET, text, &a) != 1 ||
	    inet_pton(AF_INET, network, &n) != 1)
		return false;
	return (ntohl(a.s_addr) ^ ntohl(n.s_addr)) >> (32 - bits) == 0;
}

/* Where Docker and Podman put containers unless told otherwise. */
static bool is_container_range(const char *text)
{
	return within(text, "172.16.0.0", 12) || within(text, "10.88.0.0", 16);
}

static enum host_network network_of(const struct host *h, const char *interface,
				    const char *text)
{
	if (within(text, "127.0.0.0", 8))
		return NETWORK_LOOPBACK;
	if (is_container_bridge(interface))
		return NETWORK_CONTAINERS;
	if (is_vpn(interface))
		return NETWORK_VPN;
	if (within(text, "169.254.0.0", 16))
		return NETWORK_LINK;
	if (h->wsl && within(text, "172.16.0.0", 12))
		return NETWORK_WSL;
	if (h->in_container && is_container_range(text))
		return NETWORK_INSIDE;
	return NETWORK_OUTSIDE;
}

void host_add_address(struct host *h, const char *interface, const char *text)
{
	struct host_address *a;

	h->address = mem_realloc(h->address,
				 (h->addresses + 1) * sizeof(*h->address));
	a = &h->address[h->addresses++];
	*a = (struct host_address){ .network = network_of(h, interface, text) };
	snprintf(a->interface, sizeof(a->interface), "%s", interface);
	snprintf(a->text, sizeof(a->text), "%s", text);
}

static const char *interface_of(const struct ifaddrs *list, const char *text)
{
	char own[ADDRESS_TEXT_MAX];

	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		address_print_host(i->ifa_addr, own, sizeof(own));
		if (strcmp(own, text) == 0)
			return i->ifa_name;
	}
	return "?";
}

void host_read_addresses(struct host *h)
{
	char text[32][64];
	size_t count = local_addresses(text, COUNT(text));
	struct ifaddrs *list = NULL;

	if (getifaddrs(&list))
		list = NULL;
	for (size_t i = 0; i < count; i++)
		host_add_address(h, interface_of(list, text[i]), text[i]);
	freeifaddrs(list);
}

/* WSL with networkingMode=mirrored has the addresses of Windows. */
static void read_kind(struct host *h, const char *root)
{
	CLEANUP(mem_free_ptr)
	char *kernel = read_below(root, "/proc/sys/kernel/osrelease", NULL);

	h->in_container = exists(root, "/.dockerenv") ||
			  exists(root, "/run/.containerenv");
	h->wsl = kernel && text_find(kernel, "microsoft") &&
		 !exists(root, "/sys/class/net/loopback0");
}

/* ---- ports ---- */

static const struct host_port ports[HOST_PORTS] = {
	{ .number = 8000, .ours = true, .whose = "serve, listen:" },
	{ .number = 1883, .ours = true, .whose = "serve --mqtt" },
	{ .number = 8003, .whose = "photos of the Python server" },
	{ .number = 8884, .udp = true, .whose = "audio of the MQTT gateway" },
};

static void read_parent(const char *root, int pid, char *out, size_t size)
{
	CLEANUP(mem_free_ptr) char *name = mem_printf("/proc/%d/status", pid);
	CLEANUP(mem_free_ptr) char *status = read_below(root, name, NULL);
	const char *line = status ? strstr(status, "\nPPid:") : NULL;
	CLEANUP(mem_free_ptr) char *comm = NULL;
	CLEANUP(mem_free_ptr) char *parent = NULL;

	*out = '\0';
	if (!line)
		return;
	comm = mem_printf("/proc/%ld/comm", strtol(line + 6, NULL, 10));
	parent = read_below(root, comm, NULL);
	if (!parent)
		return;
	parent[strcspn(parent, "\n")] = '\0';
	snprintf(out, size, "%s", parent);
}

/* The broker of serve is a child of it, or of the process that starts for it. */
static bool is_ours(const char *root, const struct port_owner *o)
{
	char parent[32];

	if (text_starts(o->program, "mcpctl"))
		return true;
	if (!o->pid || strcmp(o->program, "mosquitto") != 0)
		return false;
	read_parent(root, o->pid, parent, sizeof(parent));
	return text_starts(parent, "mcpctl");
}

static void read_ports(struct host *h, const char *root)
{
	for (size_t i = 0; i < HOST_PORTS; i++) {
		struct host_port *p = &h->port[i];

		*p = ports[i];
		p->taken = port_owner_read(root, p->number, p->udp, &p->owner);
		p->by_us = p->taken && is_ours(root, &p->owner);
	}
}

/* ---- a firewall ---- */

/* A line that is no comment has that word. */
static bool line_has(const char *text, const char *start, const char *word)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		CLEANUP(mem_free_ptr) char *line = mem_strndup(text, len);
		const char *bare = line + strspn(line, " \t");

		if (*bare != '#' && text_starts(bare, start) &&
		    strstr(bare, word))
			return true;
		text += len;
		text += *text == '\n';
	}
	return false;
}

static char *read_rules(struct host *h, const char *root, const char *name)
{
	bool denied;
	char *text = read_below(root, name, &denied);

	if (denied)
		words_add(&h->unread, name);
	return text;
}

static void look_at_ufw(struct host *h, const char *root)
{
	CLEANUP(mem_free_ptr)
	char *conf = read_rules(h, root, "/etc/ufw/ufw.conf");
	CLEANUP(mem_free_ptr) char *rules = NULL;

	if (!conf || !line_has(conf, "ENABLED=", "yes"))
		return;
	rules = read_rules(h, root, "/etc/ufw/user.rules");
	if (rules && (strstr(rules, "allow tcp 8000 ") ||
		      strstr(rules, "allow any 8000 ")))
		return;
	words_add(&h->firewalls,
		  rules ? "ufw is on, and has no rule for port 8000" :
			  "ufw is on");
}

#define UNITS "/etc/systemd/system/"

static void look_at_services(struct host *h, const char *root)
{
	CLEANUP(mem_free_ptr)
	char *nft = read_rules(h, root, "/etc/nftables.conf");

	if (exists(root, UNITS "multi-user.target.wants/firewalld.service"))
		words_add(&h->firewalls, "firewalld is enabled");
	if (nft && (line_has(nft, "", "drop") || line_has(nft, "", "reject")) &&
	    (exists(root, UNITS "sysinit.target.wants/nftables.service") ||
	     exists(root, UNITS "multi-user.target.wants/nftables.service")))
		words_add(
			&h->firewalls,
			"nftables is enabled, and /etc/nftables.conf drops or rejects");
}

static void look_at_iptables(struct host *h, const char *root)
{
	CLEANUP(mem_free_ptr)
	char *rules = read_rules(h, root, "/etc/iptables/rules.v4");

	if (rules && (line_has(rules, ":INPUT", "DROP") ||
		      line_has(rules, "-A INPUT", "-j DROP") ||
		      line_has(rules, "-A INPUT", "-j REJECT")))
		words_add(&h->firewalls,
			  "/etc/iptables/rules.v4 drops or rejects");
}

static void read_firewall(struct host *h, const char *root)
{
	look_at_ufw(h, root);
	look_at_services(h, root);
	look_at_iptables(h, root);
	if (h->wsl)
		words_add(&h->firewalls,
			  "Windows has one in front of WSL 2, not seen here");
}

/* ---- the clock ---- */

/* The last two are written again and again while the clock is right. */
static const char *const dated[] = {
	"/proc/self/exe",	 "/etc/ld.so.cache",
	"/var/log/dpkg.log",	 "/var/log/wtmp",
	"/var/lib/chrony/drift", "/var/lib/systemd/timesync/clock",
};

static void read_clock(struct host *h, const char *root)
{
	struct timex t = { 0 };
	struct stat st;
	int state = adjtimex(&t);

	h->now = unix_now_ms() / 1000;
	h->synchronized = state < 0 ? -1 : !(t.status & STA_UNSYNC);
	for (size_t i = 0; i < COUNT(dated); i++) {
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("%s%s", root, dated[i]);

		if (stat(path, &st) || st.st_mtime <= h->newest)
			continue;
		h->newest = st.st_mtime;
		snprintf(h->newest_file, sizeof(h->newest_file), "%s",
			 i == 0 ? "this program" : dated[i]);
	}
}

/* ---- limits, environment ---- */

static void read_limits(struct host *h)
{
	struct rlimit limit;

	h->files = h->files_hard = UINT64_MAX;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_cur != RLIM_INFINITY)
		h->files = limit.rlim_cur;
	if (limit.rlim_max != RLIM_INFINITY)
		h->files_hard = limit.rlim_max;
}

/* Those that http: and https: heed; HTTP_PROXY alone is nobody's. */
static void read_proxies(struct host *h)
{
	static const char *const names[] = { "http_proxy", "https_proxy",
					     "HTTPS_PROXY", "all_proxy",
					     "ALL_PROXY" };

	for (size_t i = 0; i < COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			words_add(&h->proxies, names[i]);
	}
}

void host_read(struct host *h, const char *root)
{
	*h = (struct host){ 0 };
	read_kind(h, root);
	read_ports(h, root);
	read_firewall(h, root);
	read_clock(h, root);
	read_limits(h);
	read_proxies(h);
}

/* ---- the broker ---- */

#define VERSION_MS 3000
#define VERSION_LINE "mosquitto version "

void host_version(const char *text, char *out, size_t size)
{
	const char *at = strstr(text, VERSION_LINE);
	size_t len = at ? strspn(at + strlen(VERSION_LINE), "0123456789.") : 0;

	*out = '\0';
	if (len == 0 || len >= size)
		return;
	memcpy(out, at + strlen(VERSION_LINE), len);
	out[len] = '\0';
}

struct version_asked {
	bool ended;
	char version[32];
};

static void on_ended(void *owner, int status)
{
	struct version_asked *a = owner;

	(void)status; /* -h ends with 3 */
	a->ended = true;
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct version_asked *a = owner;

	(void)is_err;
	if (!*a->version)
		host_version(line, a->version, sizeof(a->version));
}

static void ask_version(struct host *h, struct loop *l)
{
	static const struct child_events events = { .line = on_line,
						    .ended = on_ended };
	char help[] = "-h";
	char *const argv[] = { h->mosquitto, help, NULL };
	const struct child_options options = { .argv = argv,
					       .out = CHILD_PIPE,
					       .err = CHILD_PIPE };
	struct version_asked asked = { 0 };
	struct child *child;
	CLEANUP(error_reset) struct error err = { 0 };

	if (child_start(&child, l, &options, &events, &asked, &err))
		return;
	loop_stay(l, &asked.ended, loop_now() + VERSION_MS, &err);
	if (!asked.ended)
		child_abandon(child);
	snprintf(h->version, sizeof(h->version), "%s", asked.version);
}

void host_read_broker(struct host *h, struct loop *l)
{
	h->mosquitto = broker_program(&h->no_mosquitto);
	h->plugin = module_file("broker", &h->no_plugin);
	if (h->mosquitto)
		ask_version(h, l);
}

void host_done(struct host *h)
{
	mem_free(h->address);
	words_done(&h->proxies);
	words_done(&h->firewalls);
	words_done(&h->unread);
	mem_free(h->mosquitto);
	mem_free(h->plugin);
	error_reset(&h->no_mosquitto);
	error_reset(&h->no_plugin);
	*h = (struct host){ 0 };
}
