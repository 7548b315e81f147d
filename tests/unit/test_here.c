/* SPDX-License-Identifier: MIT */
/* A machine made of files in a folder, and what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "check/here.h"
#include "folder.h"

#define TCP_HEAD "  sl  local_address rem_address   st …\n"
#define TCP_LINE(port, state, inode)                                    \
	"   0: 00000000:" port " 00000000:0000 " state                  \
	" 00000000:00000000 00:00000000 00000000  1000        0 " inode \
	" 1 0 100 0 0 10 0\n"

/* ---- a folder that stands for "/" ---- */

static char *root; /* of this test */

static void make_folders(const char *path)
{
	char *copy = mem_strdup(path);

	for (char *c = copy + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		assert_true(!mkdir(copy, 0700) || errno == EEXIST);
		*c = '/';
	}
	mem_free(copy);
}

static char *below(const char *name)
{
	char *path = mem_printf("%s%s", root, name);

	make_folders(path);
	return path;
}

static void plant(const char *name, const char *text)
{
	char *path = below(name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	mem_free(path);
}

static void plant_link(const char *name, const char *to)
{
	char *path = below(name);

	assert_int_equal(symlink(to, path), 0);
	mem_free(path);
}

static int root_make(void **state)
{
	static int count;

	(void)state;
	root = mem_printf("%s/%d", folder, ++count);
	return mkdir(root, 0700);
}

static int root_drop(void **state)
{
	(void)state;
	mem_free(root);
	root = NULL;
	return 0;
}

/* ---- what a stage says and finds ---- */

static char words[1024];

static enum stage_verdict stage(const struct host *h, const char *name,
				struct diag *d)
{
	const struct here_stage *s = here_stages;
	struct buf out = { 0 };
	enum stage_verdict verdict;

	while (strcmp(s->name, name) != 0)
		s++;
	verdict = s->judge(h, d, &out);
	snprintf(words, sizeof(words), "%s", buf_string(&out));
	buf_done(&out);
	return verdict;
}

/* Reads the planted machine; the stage finds these codes and no other. */
static void finds(struct host *h, const char *name, const char *codes,
		  const char *detail)
{
	struct diag d = { 0 };
	struct buf found = { 0 };

	stage(h, name, &d);
	for (size_t i = 0; i < d.count; i++)
		buf_printf(&found, "%s%s", i > 0 ? " " : "",
			   finding_row(d.item[i].code)->code);
	assert_string_equal(buf_string(&found), codes);
	if (d.count && !strstr(d.item[0].detail, detail))
		fail_msg("no '%s' in '%s'", detail, d.item[0].detail);
	buf_done(&found);
	diag_done(&d);
}

static void says(const char *text)
{
	if (!strstr(words, text))
		fail_msg("no '%s' in '%s'", text, words);
}

static void proxies_unset(void)
{
	unsetenv("http_proxy");
	unsetenv("https_proxy");
	unsetenv("HTTPS_PROXY");
	unsetenv("all_proxy");
	unsetenv("ALL_PROXY");
}

/* ---- addresses ---- */

static void addresses_and_whom_they_are_for(void **state)
{
	static const struct {
		const char *interface, *text;
		bool container, wsl;
		enum host_network network;
	} rows[] = {
		{ "wlan0", "192.168.1.20", 0, 0, NETWORK_OUTSIDE },
		{ "eth0", "172.20.1.2", 0, 0, NETWORK_OUTSIDE },
		{ "br0", "192.168.1.20", 0, 0, NETWORK_OUTSIDE },
		{ "br-lan", "192.168.1.1", 0, 0, NETWORK_OUTSIDE },
		{ "lo", "127.0.0.1", 0, 0, NETWORK_LOOPBACK },
		{ "docker0", "172.17.0.1", 0, 0, NETWORK_CONTAINERS },
		{ "br-0123456789ab", "172.18.0.1", 0, 0, NETWORK_CONTAINERS },
		{ "virbr0", "192.168.122.1", 0, 0, NETWORK_CONTAINERS },
		{ "tun0", "10.8.0.2", 0, 0, NETWORK_VPN },
		{ "eth0", "169.254.7.8", 0, 0, NETWORK_LINK },
		{ "eth0", "172.17.0.2", 1, 0, NETWORK_INSIDE },
		{ "eth0", "10.88.0.3", 1, 0, NETWORK_INSIDE },
		{ "eth0", "192.168.1.20", 1, 0, NETWORK_OUTSIDE },
		{ "eth0", "172.28.3.4", 0, 1, NETWORK_WSL },
		{ "eth0", "192.168.1.20", 0, 1, NETWORK_OUTSIDE },
		/* Each range from its first address to its last. */
		{ "eth0", "126.255.255.255", 0, 0, NETWORK_OUTSIDE },
		{ "eth0", "127.255.255.255", 0, 0, NETWORK_LOOPBACK },
		{ "eth0", "128.0.0.0", 0, 0, NETWORK_OUTSIDE },
		{ "eth0", "169.253.255.255", 0, 0, NETWORK_OUTSIDE },
		{ "eth0", "169.255.0.0", 0, 0, NETWORK_OUTSIDE },
		{ "eth0", "172.15.255.255", 1, 1, NETWORK_OUTSIDE },
		{ "eth0", "172.16.0.0", 1, 0, NETWORK_INSIDE },
		{ "eth0", "172.31.255.255", 1, 0, NETWORK_INSIDE },
		{ "eth0", "172.31.255.255", 0, 1, NETWORK_WSL },
		{ "eth0", "172.32.0.0", 1, 1, NETWORK_OUTSIDE },
		{ "eth0", "10.87.255.255", 1, 0, NETWORK_OUTSIDE },
		{ "eth0", "10.88.255.255", 1, 0, NETWORK_INSIDE },
		{ "eth0", "10.88.255.255", 0, 1, NETWORK_OUTSIDE },
		{ "eth0", "10.89.0.0", 1, 0, NETWORK_OUTSIDE },
		{ "eth0", "no address", 1, 1, NETWORK_OUTSIDE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host h = { .in_container = rows[i].container,
				  .wsl = rows[i].wsl };

		host_add_address(&h, rows[i].interface, rows[i].text);
		if (h.address[0].network != rows[i].network)
			fail_msg("%s %s is %d", rows[i].interface, rows[i].text,
				 (int)h.address[0].network);
		host_done(&h);
	}
}

static void kinds_of_machines(void **state)
{
	struct host h;

	(void)state;
	host_read(&h, root);
	assert_false(h.in_container || h.wsl);
	host_done(&h);
	plant("/.dockerenv", "");
	plant("/proc/sys/kernel/osrelease",
	      "5.15.153.1-microsoft-standard-WSL2\n");
	host_read(&h, root);
	assert_true(h.in_container && h.wsl);
	host_done(&h);
	/* It has the addresses of Windows. */
	plant("/sys/class/net/loopback0/mtu", "1500\n");
	host_read(&h, root);
	assert_false(h.wsl);
	host_done(&h);
}

static void no_address_for_boards(void **state)
{
	struct host h = { 0 };

	(void)state;
	finds(&h, "net", "H802", "no IPv4 address");
	host_add_address(&h, "lo", "127.0.0.1");
	finds(&h, "net", "H802", "127.0.0.1 (lo: this machine only)");
	host_add_address(&h, "tun0", "10.8.0.2");
	host_add_address(&h, "docker0", "172.17.0.1");
	finds(&h, "net", "H802 H808", "10.8.0.2 (tun0: a VPN)");
	/* One is enough. */
	host_add_address(&h, "wlan0", "192.168.1.20");
	finds(&h, "net", "H808", "172.17.0.1 (docker0: containers");
	says("192.168.1.20 (wlan0)");
	host_done(&h);
	host_add_address(&h, "wlan0", "192.168.1.20");
	finds(&h, "net", "", "");
	host_done(&h);
}

/* Each with its interface, and what is special about it. */
static void what_addresses_are(void **state)
{
	struct host h = { .in_container = true };

	(void)state;
	finds(&h, "net", "H802", "no IPv4 address");
	assert_string_equal(words, "no address for boards");
	host_add_address(&h, "docker0", "172.17.0.1");
	host_add_address(&h, "eth0", "172.17.0.2");
	host_add_address(&h, "eth1", "169.254.1.1");
	finds(&h, "net", "H802 H808",
	      "172.17.0.1 (docker0: containers or virtual machines), 172.17.0.2 (eth0: of the container that this runs in), 169.254.1.1 (eth1: nobody gave it one)");
	host_done(&h);
	h.wsl = true;
	host_add_address(&h, "eth0", "172.17.0.2");
	finds(&h, "net", "H802", "172.17.0.2 (eth0: behind the NAT of WSL 2)");
	host_add_address(&h, "eth1", "192.168.1.2");
	host_add_address(&h, "eth2", "192.168.1.3");
	finds(&h, "net", "", "");
	assert_string_equal(words, "192.168.1.2 (eth1), 192.168.1.3 (eth2)");
	words_add(&h.proxies, "http_proxy");
	words_add(&h.proxies, "all_proxy");
	finds(&h, "net", "H806", "http_proxy all_proxy");
	host_done(&h);
}

static void proxies_by_name_alone(void **state)
{
	struct host h;

	(void)state;
	setenv("https_proxy", "http://user:secret@proxy.example:3128", 1);
	setenv("HTTP_PROXY", "http://proxy.example:3128", 1);
	host_read(&h, root);
	host_add_address(&h, "wlan0", "192.168.1.20");
	finds(&h, "net", "H806", "https_proxy");
	assert_null(strstr(words, "secret"));
	assert_int_equal(h.proxies.count, 1);
	host_done(&h);
	proxies_unset();
	unsetenv("HTTP_PROXY");
}

/* ---- ports ---- */

static void ports_taken_and_by_whom(void **state)
{
	struct host h;

	(void)state;
	host_read(&h, root);
	finds(&h, "ports", "", "");
	says("8000 free, 1883 free, 8003 free, UDP 8884 free");
	host_done(&h);
	/* 8000 = 1F40, 1883 = 075B; connected ones (01) have no port. */
	plant("/proc/net/tcp", TCP_HEAD TCP_LINE("1F40", "0A", "4711")
				       TCP_LINE("075B", "01", "4712"));
	host_read(&h, root);
	finds(&h, "ports", "H803",
	      "8000 (serve, listen:) has one not seen from here");
	says("1883 free");
	host_done(&h);
	plant("/proc/31/comm", "python3\n");
	plant_link("/proc/31/fd/5", "socket:[4711]");
	host_read(&h, root);
	finds(&h, "ports", "H803", "python3 (process 31)");
	host_done(&h);
}

static void serve_itself_is_no_fault(void **state)
{
	struct host h;

	(void)state;
	plant("/proc/net/tcp6",
	      TCP_HEAD TCP_LINE("1F40", "0A", "1") TCP_LINE("075B", "0A", "2"));
	plant("/proc/31/comm", "mcpctl\n");
	plant_link("/proc/31/fd/5", "socket:[1]");
	plant("/proc/33/comm", "mosquitto\n");
	plant("/proc/33/status", "Name:\tmosquitto\nPid:\t33\nPPid:\t32\n");
	plant_link("/proc/33/fd/5", "socket:[2]");
	plant("/proc/32/comm", "mcpctl-starter\n");
	host_read(&h, root);
	finds(&h, "ports", "", "");
	says("8000 has mcpctl (process 31), 1883 has mosquitto (process 33)");
	host_done(&h);
	/* The one of the system is in the way of serve --mqtt. */
	plant("/proc/32/comm", "systemd\n");
	host_read(&h, root);
	finds(&h, "ports", "H803", "1883 (serve --mqtt) has mosquitto");
	says("8000 has mcpctl (process 31), 1883 has mosquitto (process 33), 8003 free, UDP 8884 free");
	host_done(&h);
}

static void ports_of_others_are_only_told(void **state)
{
	struct host h;

	(void)state;
	/* 8003 = 1F43, 8884 = 22B4; UDP waits in state 07. */
	plant("/proc/net/tcp", TCP_HEAD TCP_LINE("1F43", "0A", "7"));
	plant("/proc/net/udp", TCP_HEAD TCP_LINE("22B4", "07", "8"));
	plant("/proc/31/comm", "node\n");
	plant_link("/proc/31/fd/5", "socket:[8]");
	host_read(&h, root);
	finds(&h, "ports", "", "");
	says("8003 has one not seen from here");
	says("UDP 8884 has node (process 31)");
	host_done(&h);
}

/* ---- firewall ---- */

static void signs_of_a_firewall(void **state)
{
	struct host h;

	(void)state;
	plant("/etc/ufw/ufw.conf", "# ENABLED=yes\nENABLED=no\n");
	plant("/etc/nftables.conf",
	      "# policy drop\ntable inet filter { chain input { } }\n");
	plant("/etc/iptables/rules.v4", ":INPUT ACCEPT [0:0]\n");
	host_read(&h, root);
	finds(&h, "firewall", "", "");
	says("no sign of ufw");
	says("which takes root");
	host_done(&h);

	plant("/etc/ufw/ufw.conf", "ENABLED=yes\n");
	host_read(&h, root);
	finds(&h, "firewall", "H801", "ufw is on");
	host_done(&h);
	plant("/etc/ufw/user.rules", "### tuple ### allow tcp 22 0.0.0.0/0\n");
	host_read(&h, root);
	finds(&h, "firewall", "H801", "no rule for port 8000");
	host_done(&h);
	plant("/etc/ufw/user.rules",
	      "### tuple ### allow tcp 8000 0.0.0.0/0 any 0.0.0.0/0 in\n");
	host_read(&h, root);
	finds(&h, "firewall", "", "");
	host_done(&h);
}

static void signs_of_other_firewalls(void **state)
{
	struct host h;

	(void)state;
	plant("/etc/nftables.conf", "\tpolicy drop;\n");
	host_read(&h, root);
	finds(&h, "firewall", "", ""); /* the file alone is not in force */
	host_done(&h);
	plant_link("/etc/systemd/system/sysinit.target.wants/nftables.service",
		   "/lib/systemd/system/nftables.service");
	host_read(&h, root);
	finds(&h, "firewall", "H801", "nftables is enabled");
	host_done(&h);
	plant("/etc/nftables.conf", "");
	plant_link(
		"/etc/systemd/system/multi-user.target.wants/firewalld.service",
		"/lib/systemd/system/firewalld.service");
	host_read(&h, root);
	finds(&h, "firewall", "H801", "firewalld is enabled");
	host_done(&h);
	plant("/etc/iptables/rules.v4", "*filter\n:INPUT DROP [0:0]\n");
	host_read(&h, root);
	finds(&h, "firewall", "H801", "rules.v4 drops");
	host_done(&h);
}

/* Verdict and words where nothing, and where several things were found. */
static void words_of_firewalls(void **state)
{
	struct host h = { 0 };
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(stage(&h, "firewall", &d), STAGE_OK);
	assert_string_equal(
		words,
		"no sign of ufw, firewalld, nftables or iptables; the rules in force are not read, which takes root: sudo nft list ruleset");
	words_add(&h.unread, "/a");
	words_add(&h.unread, "/b");
	assert_int_equal(stage(&h, "firewall", &d), STAGE_OK);
	says("iptables; /a, /b can be read by root only; the rules");
	assert_int_equal(d.count, 0);
	words_add(&h.firewalls, "one");
	words_add(&h.firewalls, "another");
	assert_int_equal(stage(&h, "firewall", &d), STAGE_ODD);
	assert_string_equal(
		words,
		"/a, /b can be read by root only; the rules in force are not read, which takes root: sudo nft list ruleset");
	assert_string_equal(d.item[0].detail, "one, another");
	diag_done(&d);
	host_done(&h);
}

static void rules_of_firewalls(void **state)
{
	static const struct {
		const char *rules, *codes;
	} tables[] = {
		{ "-A INPUT -p tcp -j ACCEPT\n", "" },
		{ "-A OUTPUT -j DROP\n:OUTPUT DROP\n", "" },
		{ "#:INPUT DROP\n", "" },
		{ "-A INPUT -i eth0 -j DROP\n", "H801" },
		{ "*filter\n\t-A INPUT -j REJECT\n", "H801" },
		{ ":INPUT DROP", "H801" },
	};
	struct host h;

	(void)state;
	for (size_t i = 0; i < COUNT(tables); i++) {
		plant("/etc/iptables/rules.v4", tables[i].rules);
		host_read(&h, root);
		finds(&h, "firewall", tables[i].codes,
		      "/etc/iptables/rules.v4 drops or rejects");
		host_done(&h);
	}
	plant("/etc/iptables/rules.v4", "");
	plant_link(
		"/etc/systemd/system/multi-user.target.wants/nftables.service",
		"/lib/systemd/system/nftables.service");
	plant("/etc/nftables.conf", "chain input { accept; }\n");
	host_read(&h, root);
	finds(&h, "firewall", "", "");
	host_done(&h);
	plant("/etc/nftables.conf", "\treject with tcp reset\n");
	host_read(&h, root);
	finds(&h, "firewall", "H801",
	      "nftables is enabled, and /etc/nftables.conf drops or rejects");
	host_done(&h);
	plant("/etc/ufw/ufw.conf", "ENABLED=yes\n");
	plant("/etc/ufw/user.rules", "### tuple ### allow any 8000 x\n");
	plant("/etc/nftables.conf", "");
	plant("/proc/sys/kernel/osrelease", "5.15-microsoft-standard-WSL2\n");
	host_read(&h, root);
	finds(&h, "firewall", "H801",
	      "Windows has one in front of WSL 2, not seen here");
	host_done(&h);
}

/* ---- the clock ---- */

static void a_clock_behind_its_files(void **state)
{
	struct host h;
	struct timespec times[2] = { { 0 } };
	char *path;

	(void)state;
	host_read(&h, root);
	finds(&h, "clock", "", "");
	assert_int_equal(h.newest, 0);
	host_done(&h);
	plant("/var/log/dpkg.log", "");
	host_read(&h, root);
	finds(&h, "clock", "", "");
	says("no file looked at is newer (/var/log/dpkg.log ");
	/* Seconds are no fault: the file may be another machine's. */
	h.now = h.newest - 299;
	finds(&h, "clock", "", "");
	host_done(&h);

	path = below("/var/log/dpkg.log");
	times[0].tv_sec = times[1].tv_sec = 2051222400; /* 2035: 32 bits */
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	mem_free(path);
	host_read(&h, root);
	finds(&h, "clock", "H804",
	      "/var/log/dpkg.log was written 2035-01-01T00:00");
	h.synchronized = -1;
	finds(&h, "clock", "H804", "UTC");
	says("cannot be asked");
	host_done(&h);
}

/* To the second, and what the kernel knows of it. */
static void words_of_clocks(void **state)
{
	struct host h = { .now = 1785585600,
			  .newest = 1785585900,
			  .newest_file = "/x",
			  .synchronized = 1 };
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(stage(&h, "clock", &d), STAGE_OK);
	assert_string_equal(
		words,
		"2026-08-01T12:00 UTC; no file looked at is newer (/x 2026-08-01T12:05); the kernel has been told that it is synchronized; whether it is ahead no file shows");
	h.newest = 0;
	h.synchronized = 0;
	assert_int_equal(stage(&h, "clock", &d), STAGE_OK);
	assert_string_equal(
		words,
		"2026-08-01T12:00 UTC; the kernel has not been told that it is synchronized; whether it is ahead no file shows");
	h.newest = 1785585901;
	h.synchronized = -1;
	assert_int_equal(d.count, 0);
	assert_int_equal(stage(&h, "clock", &d), STAGE_ODD);
	assert_string_equal(
		words,
		"2026-08-01T12:00 UTC; whether it is synchronized cannot be asked; whether it is ahead no file shows");
	assert_string_equal(
		diag_finding(&d, H804)->detail,
		"it says 2026-08-01T12:00 UTC, and /x was written 2026-08-01T12:05");
	diag_done(&d);
}

/* ---- the broker, limits ---- */

static void the_broker_and_its_plugin(void **state)
{
	struct host h = { 0 };
	char version[32];

	(void)state;
	error_set(&h.no_mosquitto, ERR_CONNECT, "mosquitto is not installed");
	finds(&h, "broker", "H805", "mosquitto is not installed");
	h.mosquitto = mem_strdup("/usr/sbin/mosquitto");
	error_set(&h.no_plugin, ERR_CONNECT, "the part 'broker' is missing");
	finds(&h, "broker", "H805", "the part 'broker'");
	h.plugin = mem_strdup("/x/mcpctl-broker.so");
	finds(&h, "broker", "", "");
	says("does not tell its version");
	host_version("mosquitto version 1.6.12\n\nmosquitto is", h.version,
		     sizeof(h.version));
	finds(&h, "broker", "H805", "mosquitto 1.6.12 is older than 2.0");
	host_version("mosquitto version 2.0.18", h.version, sizeof(h.version));
	finds(&h, "broker", "", "");
	says("mosquitto 2.0.18");
	host_version("mosquitto version 12345678901234567890123456789012345",
		     version, sizeof(version));
	assert_string_equal(version, "");
	host_version("usage", version, sizeof(version));
	assert_string_equal(version, "");
	host_done(&h);
}

/* Which of it is odd, and in which words. */
static void words_of_brokers(void **state)
{
	static const struct {
		const char *version;
		bool old;
	} versions[] = { { "1.9.9", true },
			 { "2.0", false },
			 { "10.1", false },
			 { "20261128", false },
			 { "0.2", true } };
	struct host h = { 0 };
	struct diag d = { 0 };

	(void)state;
	error_set(&h.no_mosquitto, ERR_CONNECT, "none");
	assert_int_equal(stage(&h, "broker", &d), STAGE_ODD);
	assert_string_equal(words, "serve --mqtt cannot start");
	diag_done(&d);
	h.mosquitto = mem_strdup("/m");
	h.plugin = mem_strdup("/p");
	assert_int_equal(stage(&h, "broker", &d), STAGE_ODD);
	assert_string_equal(
		words, "/m does not tell its version; the plugin is there");
	for (size_t i = 0; i < COUNT(versions); i++) {
		snprintf(h.version, sizeof(h.version), "%s",
			 versions[i].version);
		assert_int_equal(stage(&h, "broker", &d),
				 versions[i].old ? STAGE_ODD : STAGE_OK);
		assert_int_equal(d.count, versions[i].old);
		diag_done(&d);
	}
	assert_string_equal(words, "mosquitto 0.2, /m; the plugin is /p");
	host_done(&h);
}

static void words_of_limits(void **state)
{
	struct host h = { .files = 256, .files_hard = 1023 };
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(stage(&h, "limits", &d), STAGE_ODD);
	assert_string_equal(
		words,
		"256 open files, which serve raises by itself up to 1023");
	assert_string_equal(diag_finding(&d, H807)->detail, "1023 at most");
	diag_done(&d);
	h.files_hard = 1024;
	assert_int_equal(stage(&h, "limits", &d), STAGE_OK);
	h.files_hard = UINT64_MAX;
	assert_int_equal(stage(&h, "limits", &d), STAGE_OK);
	assert_string_equal(words, "open files without limit");
	assert_int_equal(d.count, 0);
	/* What this process may open. */
	host_read(&h, "/nowhere");
	assert_true(h.files > 0 && h.files <= h.files_hard);
	host_done(&h);
}

static void few_files(void **state)
{
	struct host h = { .files = 256, .files_hard = 512 };

	(void)state;
	finds(&h, "limits", "H807", "512 at most");
	h.files_hard = 1024;
	finds(&h, "limits", "", "");
	says("256 open files");
	h.files_hard = UINT64_MAX;
	finds(&h, "limits", "", "");
}

#define ON_A_MACHINE(test) \
	cmocka_unit_test_setup_teardown(test, root_make, root_drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_whom_they_are_for),
		ON_A_MACHINE(kinds_of_machines),
		cmocka_unit_test(no_address_for_boards),
		cmocka_unit_test(what_addresses_are),
		ON_A_MACHINE(proxies_by_name_alone),
		ON_A_MACHINE(ports_taken_and_by_whom),
		ON_A_MACHINE(serve_itself_is_no_fault),
		ON_A_MACHINE(ports_of_others_are_only_told),
		ON_A_MACHINE(signs_of_a_firewall),
		ON_A_MACHINE(signs_of_other_firewalls),
		cmocka_unit_test(words_of_firewalls),
		ON_A_MACHINE(rules_of_firewalls),
		ON_A_MACHINE(a_clock_behind_its_files),
		cmocka_unit_test(words_of_clocks),
		cmocka_unit_test(the_broker_and_its_plugin),
		cmocka_unit_test(words_of_brokers),
		cmocka_unit_test(words_of_limits),
		cmocka_unit_test(few_files),
	};

	proxies_unset();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
