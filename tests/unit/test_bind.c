/* SPDX-License-Identifier: MIT */
/*
 * Sockets of ours that others reach, and why there is none; the interfaces of
 * this machine; which addresses are near.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/address.h"
#include "net/bind.h"
#include "net/interfaces.h"

#define LONG_MS 60000

static uint16_t port_of(int fd)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &len), 0);
	return address_port((const struct sockaddr *)&own);
}

static int reach(int kind, uint16_t port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd = socket(AF_INET, kind | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void await(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&wait, 1, LONG_MS), 1);
}

static void is_heard(int fd, int from)
{
	char byte;

	assert_int_equal(send(from, "x", 1, 0), 1);
	await(fd);
	assert_int_equal(recv(fd, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	close(from);
}

/* Boards come by IPv4, also where IPv6 is. */
static void listens_on_all(void **state)
{
	int fd = bind_tcp(NULL, 0, NULL), peer, from;

	(void)state;
	assert_true(fd >= 0);
	from = reach(SOCK_STREAM, port_of(fd));
	await(fd);
	peer = accept(fd, NULL, NULL);
	assert_true(peer >= 0);
	is_heard(peer, from);
	close(peer);
	close(fd);
	fd = bind_udp(NULL, 0, NULL);
	assert_true(fd >= 0);
	is_heard(fd, reach(SOCK_DGRAM, port_of(fd)));
	close(fd);
}

static void says_who_has_it(void **state)
{
	CLEANUP(mem_free_ptr) char *tcp = NULL, *udp = NULL;
	struct error err = { 0 };
	int one = bind_tcp("127.0.0.1", 0, NULL);
	int two = bind_udp("127.0.0.1", 0, NULL);

	(void)state;
	tcp = mem_printf("port %u is in use by 'test_bind' (process %d)",
			 (unsigned)port_of(one), (int)getpid());
	udp = mem_printf("the UDP port %u, for audio, is in use by 'test_bind'"
			 " (process %d)",
			 (unsigned)port_of(two), (int)getpid());
	assert_int_equal(bind_tcp("127.0.0.1", port_of(one), &err), -1);
	assert_string_equal(err.text, tcp);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, EADDRINUSE);
	assert_string_equal(
		err.hint, "end it, or take another port (0 picks a free one)");
	error_reset(&err);
	assert_int_equal(bind_tcp(NULL, port_of(one), &err), -1);
	assert_string_equal(err.text, tcp);
	error_reset(&err);
	assert_int_equal(bind_udp("127.0.0.1", port_of(two), &err), -1);
	assert_string_equal(err.text, udp);
	assert_int_equal(err.code, EADDRINUSE);
	assert_non_null(strstr(err.hint, "--udp-port"));
	error_reset(&err);
	close(one);
	close(two);
}

static void says_that_it_is_no_address_of_ours(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(bind_tcp("192.0.2.1", 0, &err), -1);
	assert_string_equal(err.text,
			    "this machine has no address '192.0.2.1'");
	assert_string_equal(err.hint,
			    "leave the host out to listen on all of them");
	assert_int_equal(err.code, EADDRNOTAVAIL);
	error_reset(&err);
	assert_int_equal(bind_udp("192.0.2.1", 0, &err), -1);
	assert_non_null(strstr(err.text, "cannot open the UDP port 0 for audio "
					 "on 192.0.2.1: "));
	assert_string_equal(err.hint,
			    "--listen must name an address of this machine");
	assert_int_equal(err.code, EADDRNOTAVAIL);
	error_reset(&err);
}

/* ---- interfaces ---- */

static unsigned seen;
static bool wanted;

static bool each(void *owner, const uv_interface_address_t *one)
{
	assert_ptr_equal(owner, &seen);
	assert_int_equal(one->address.address4.sin_family, AF_INET);
	if (strcmp(one->name, "lo") != 0)
		assert_false(one->is_internal);
	seen++;
	return wanted;
}

static void only_of(const char *name, const char *address, const char *text)
{
	struct words names = { 0 };
	struct interfaces_choice c = { .names = &names,
				       .address = address,
				       .purpose = "nobody to ask" };
	struct error err = { 0 };

	words_add(&names, name);
	seen = 0;
	assert_int_equal(interfaces_each(&c, each, &seen, &err), text ? -1 : 0);
	if (text)
		assert_string_equal(err.text, text);
	else
		assert_int_equal(seen, 1);
	if (err.kind == ERR_USAGE)
		assert_int_equal(seen, 0);
	error_reset(&err);
	words_done(&names);
}

static void asks_the_interfaces_that_are_named(void **state)
{
	(void)state;
	wanted = true;
	only_of("lo", "127.0.0.1", NULL);
	only_of("lo", "127.0.0.77",
		"no interface 'lo' is up with the IPv4 address 127.0.0.77");
	only_of("nowhere9", NULL,
		"no interface 'nowhere9' is up with an IPv4 address");
	/* There, and of no use. */
	wanted = false;
	only_of("lo", NULL,
		"nobody to ask: no interface is up with an IPv4 address, but "
		"loopback");
	only_of("lo", "127.0.0.1",
		"nobody to ask: no interface is up with 127.0.0.1");
}

static void leaves_loopback_out(void **state)
{
	const struct words none = { 0 };
	const struct interfaces_choice c = { .names = &none,
					     .address = "127.0.0.1",
					     .purpose = "none" };
	struct error err = { 0 };

	(void)state;
	wanted = true;
	seen = 0;
	assert_int_equal(interfaces_each(&c, each, &seen, &err), -1);
	assert_int_equal(seen, 0);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(
		err.hint,
		"--interface NAME names one; lo is this machine itself");
	error_reset(&err);
}

/* ---- addresses ---- */

static void knows_near_addresses(void **state)
{
	static const char *const near[] = {
		"10.0.0.1",    "10.255.255.255", "172.16.0.1", "172.31.255.1",
		"192.168.0.1", "169.254.9.9",	 "fc00::1",    "fdff::1",
		"fe80::1",     "fe80::1%eth0",	 "febf::1"
	};
	static const char *const far[] = {
		"9.255.0.1",   "11.0.0.1",    "172.15.0.1",  "172.32.0.1",
		"192.167.0.1", "192.169.0.1", "169.253.0.1", "169.255.0.1",
		"193.168.0.1", "fb00::1",     "fe00::1",     "fe7f::1",
		"fec0::1",     "2001:db8::1", "lab.local",   ""
	};

	(void)state;
	for (size_t i = 0; i < COUNT(near); i++) {
		if (!address_is_private(near[i]))
			fail_msg("'%s' is near", near[i]);
	}
	for (size_t i = 0; i < COUNT(far); i++) {
		if (address_is_private(far[i]))
			fail_msg("'%s' is not near", far[i]);
	}
}

static void prints_addresses(void **state)
{
	const struct sockaddr_un local = { .sun_family = AF_UNIX };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(80) };
	char text[ADDRESS_TEXT_MAX];

	(void)state;
	address_print_host((const struct sockaddr *)&local, text, sizeof(text));
	assert_string_equal(text, "unknown");
	assert_int_equal(inet_pton(AF_INET6, "::ffff:10.0.0.7", &v6.sin6_addr),
			 1);
	address_print_host((const struct sockaddr *)&v6, text, sizeof(text));
	assert_string_equal(text, "10.0.0.7");
	address_print((const struct sockaddr *)&v6, text, sizeof(text));
	assert_string_equal(text, "10.0.0.7:80");
	assert_int_equal(inet_pton(AF_INET6, "fd00::7", &v6.sin6_addr), 1);
	address_print_host((const struct sockaddr *)&v6, text, sizeof(text));
	assert_string_equal(text, "fd00::7");
	address_print((const struct sockaddr *)&v6, text, sizeof(text));
	assert_string_equal(text, "[fd00::7]:80");
	assert_int_equal(address_host_length(text), 9);
}

/* As long as a host may be, and no longer. */
static void reads_long_hosts(void **state)
{
	struct authority a;
	char host[sizeof(a.host) + 1];
	struct error err = { 0 };

	(void)state;
	memset(host, 'x', sizeof(host));
	assert_int_equal(authority_parse(&a, host, sizeof(a.host) - 1, &err),
			 0);
	assert_int_equal(strlen(a.host), sizeof(a.host) - 1);
	assert_int_equal(authority_parse(&a, host, sizeof(a.host), &err), -1);
	assert_string_equal(err.text, "the host is too long");
	error_reset(&err);
	host[0] = '[';
	host[sizeof(host) - 1] = ']';
	assert_int_equal(authority_parse(&a, host, sizeof(host), &err), -1);
	error_reset(&err);
	assert_int_equal(authority_parse(&a, "[fe80::1%e_0-1.2]:9", 19, &err),
			 0);
	assert_string_equal(a.host, "fe80::1%e_0-1.2");
	assert_int_equal(a.port, 9);
	assert_int_equal(authority_parse(&a, "[fe80::1%e 0]", 13, &err), -1);
	assert_string_equal(err.text, "'fe80::1%e 0' is no IPv6 address");
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listens_on_all),
		cmocka_unit_test(says_who_has_it),
		cmocka_unit_test(says_that_it_is_no_address_of_ours),
		cmocka_unit_test(asks_the_interfaces_that_are_named),
		cmocka_unit_test(leaves_loopback_out),
		cmocka_unit_test(knows_near_addresses),
		cmocka_unit_test(prints_addresses),
		cmocka_unit_test(reads_long_hosts),
	};

	mem_init();
	return cmocka_run_group_tests_name("bind", tests, NULL, NULL);
}
