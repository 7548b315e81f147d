/* SPDX-License-Identifier: MIT */
/*
 * What mosquitto is given: a free port, a private folder with its
 * configuration and the secret by which our plugin knows serve.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/spawner.h"
#include "net/port.h"
#include "serve/broker.h"

/* Debian puts it into /usr/sbin, which is not in everyone's PATH. */
static const char more_folders[] = "/usr/sbin:/usr/local/sbin";
/* Of a packet: its topic, and what comes before it. */
#define PACKET_EXTRA (64 * 1024 + 16)
/* For one client; mosquitto drops what is above it. */
#define QUEUED_MAX 100000

/* ---- the program ---- */

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static char *find_in(const char *folders, const char *name)
{
	while (*folders) {
		size_t len = strcspn(folders, ":");
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("%.*s/%s", (int)len, folders, name);

		if (len && is_program(path))
			return TAKE(path);
		folders += len;
		folders += *folders == ':';
	}
	return NULL;
}

char *broker_program(struct error *err)
{
	const char *given = getenv("MCPCTL_MOSQUITTO"), *path = getenv("PATH");
	char *found;

	if (given && *given) {
		if (is_program(given))
			return mem_strdup(given);
		error_set(err, ERR_CONNECT,
			  "the broker '%s' (MCPCTL_MOSQUITTO) is no program",
			  given);
		error_hint(
			err,
			"name the program mosquitto there, or unset it to have it looked for");
		return NULL;
	}
	found = find_in(path ? path : "", "mosquitto");
	if (!found)
		found = find_in(more_folders, "mosquitto");
	if (!found) {
		error_set(err, ERR_CONNECT, "mosquitto is not installed");
		error_hint(
			err,
			"on Debian and Ubuntu: apt-get install mosquitto; everything but --mqtt works without it");
	}
	return found;
}

/* ---- the port ---- */

static int in_use(uint16_t port, struct error *err)
{
	struct port_owner owner;

	if (port_owner_find(port, &owner))
		error_set(err, ERR_CONNECT,
			  "port %u, for MQTT, is in use by '%s' (process %d)",
			  port, owner.program, owner.pid);
	else
		error_set(err, ERR_CONNECT, "port %u, for MQTT, is in use",
			  port);
	error_hint(
		err,
		"end that program (Debian starts a mosquitto of its own: systemctl disable --now mosquitto), take another port with --mqtt=PORT, or use the broker that runs with --mqtt-broker");
	return error_code(err, EADDRINUSE);
}

static int cannot_listen(const char *host, uint16_t port, int error,
			 struct error *err)
{
	if (error == EADDRINUSE)
		return in_use(port, err);
	error_set(err, ERR_CONNECT, "cannot listen on %s%sport %u: %s",
		  host ? host : "", host ? ", " : "", port, strerror(error));
	if (error == EACCES)
		error_hint(err, "ports below 1024 are for root");
	return error_code(err, error);
}

/* 0 or errno. */
static int try_bind(const struct addrinfo *a)
{
	const int on = 1;
	int error = 0, fd;

	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno == EAFNOSUPPORT ? 0 : errno;
	/* As mosquitto does: each kind of address has a socket of its own. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (a->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 1))
		error = errno;
	close(fd);
	/* A machine without IPv6. */
	if (a->ai_family == AF_INET6 && error == EADDRNOTAVAIL)
		return 0;
	return error;
}

int broker_find_port(struct addrinfo **out, const char *host, uint16_t port,
		     struct error *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE };
	char service[8];
	int status;

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	status = getaddrinfo(host, service, &hints, out);
	if (status)
		return error_set(err, ERR_CONNECT,
				 "cannot find the host '%s': %s",
				 host ? host : "", gai_strerror(status));
	return 0;
}

int broker_check_port(const struct addrinfo *list, const char *host,
		      uint16_t port, struct error *err)
{
	int error = 0;

	for (const struct addrinfo *a = list; a && !error; a = a->ai_next)
		error = try_bind(a);
	return error ? cannot_listen(host, port, error, err) : 0;
}

/* ---- the folder ---- */

static int not_written(const char *what, struct error *err)
{
	int error = errno;

	error_set(err, ERR_CONNECT, "cannot write '%s' for the broker: %s",
		  what, strerror(error));
	return error_code(err, error);
}

static int write_file(const char *path, const char *text, size_t len,
		      struct error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool bad;

	if (fd < 0)
		return not_written(path, err);
	bad = file_write(fd, text, len);
	if (bad)
		not_written(path, err);
	close(fd);
	return bad ? -1 : 0;
}

static char *try_folder(const char *near)
{
	CLEANUP(mem_free_ptr) char *made = mem_printf("%s/broker.XXXXXX", near);
	CLEANUP(mem_free_ptr) char *whole = NULL;
	char *real;

	if (!mkdtemp(made))
		return NULL;
	/* mosquitto may be started in another folder one day. */
	real = realpath(made, NULL);
	whole = mem_strdup(real);
	free(real);
	return TAKE(whole);
}

static int make_folder(struct broker_files *f, const char *near,
		       struct error *err)
{
	f->folder = near ? try_folder(near) : NULL;
	if (!f->folder)
		f->folder = try_folder(file_temporary());
	if (!f->folder)
		return not_written("a private folder", err);
	f->config = mem_printf("%s/mosquitto.conf", f->folder);
	return 0;
}

static void add_config(struct buf *out, const struct broker_files *f,
		       const struct broker_config *c, const char *plugin)
{
	const struct passwd *user = geteuid() ? NULL : getpwuid(0);

	buf_printf(out, "# made by mcpctl serve, removed when it ends\n"
			"allow_anonymous true\n");
	/* Else it leaves root before it loads the plugin. */
	if (user)
		buf_printf(out, "user %s\n", user->pw_name);
	buf_printf(out, "plugin %s\n", plugin);
	buf_printf(out, "plugin_opt_secret_file %s/secret\n", f->folder);
	buf_printf(out, "plugin_opt_folder %s\n", f->folder);
	buf_printf(out, "plugin_opt_parent_pid %d\n", spawner_parent());
	if (c->key_file)
		buf_printf(out, "plugin_opt_key_file %s\n", c->key_file);
	if (c->operator_file)
		buf_printf(out, "plugin_opt_operator_file %s\n",
			   c->operator_file);
	buf_printf(out,
		   "persistence false\n"
		   "log_dest stderr\n"
		   "log_timestamp false\n"
		   "log_type error\n"
		   "log_type warning\n"
		   "log_type information\n"
		   "log_type notice\n"
		   "connection_messages true\n"
		   "set_tcp_nodelay true\n"
		   "sys_interval 0\n"
		   "max_queued_messages %d\n"
		   "max_packet_size %lld\n",
		   QUEUED_MAX, (long long)c->message_max + PACKET_EXTRA);
	buf_printf(out, "listener %u%s%s\n", (unsigned)c->port,
		   c->host ? " " : "", c->host ? c->host : "");
}

/* Its values are the rest of a line. */
static int check_lines(const struct broker_files *f,
		       const struct broker_config *c, const char *plugin,
		       struct error *err)
{
	const char *const values[] = { f->folder, plugin, c->key_file,
				       c->operator_file, c->host };

	for (size_t i = 0; i < COUNT(values); i++) {
		if (values[i] && strpbrk(values[i], "\r\n"))
			return error_set(
				err, ERR_USAGE,
				"the broker cannot use '%s': it has a line end in its name",
				values[i]);
	}
	return 0;
}

int broker_files_write(struct broker_files *f, const struct broker_config *c,
		       const char *plugin, struct error *err)
{
	CLEANUP(mem_free_ptr) char *secret = NULL;
	struct buf text = { 0 };
	int bad;

	/* Who joins the next one shows the same. */
	if (!f->secret[0])
		random_hex(f->secret);
	if (make_folder(f, c->near, err))
		return -1;
	secret = mem_printf("%s/secret", f->folder);
	bad = check_lines(f, c, plugin, err);
	if (!bad)
		bad = write_file(secret, f->secret, strlen(f->secret), err);
	if (!bad) {
		add_config(&text, f, c, plugin);
		bad = write_file(f->config, text.data, text.len, err);
	}
	buf_done(&text);
	if (bad)
		broker_files_remove(f);
	return bad;
}

void broker_files_remove(struct broker_files *f)
{
	CLEANUP(mem_free_ptr) char *secret = NULL;

	if (!f->folder)
		return;
	secret = mem_printf("%s/secret", f->folder);
	unlink(secret);
	unlink(f->config);
	rmdir(f->folder);
	mem_free(f->config);
	mem_free(f->folder);
	f->config = f->folder = NULL;
}
