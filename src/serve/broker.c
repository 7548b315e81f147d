/* SPDX-License-Identifier: MIT */
/*
 * The life of the broker: started, watched, started again, ended. What it
 * says is told in its own words; who joins it is mqtt_boards' matter.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fence.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/module.h"
#include "base/random.h"
#include "base/spawner.h"
#include "base/text.h"
#include "net/port.h"
#include "serve/broker.h"

/*
 * What mosquitto is given: a free port, a private folder with its
 * configuration and the secret by which our plugin knows serve.
 */

/* Debian puts it into /usr/sbin, which is not in everyone's PATH. */
static const char more_folders[] = "/usr/sbin:/usr/local/sbin";
/* Of a packet: its topic, and what comes before it. */
#define PACKET_EXTRA (64 * 1024 + 16)
/* For one client; mosquitto drops what is above it. */
#define QUEUED_MAX 100000

/* ---- the program ---- */

char *broker_program(struct error *err)
{
	const char *given = getenv("MCPCTL_MOSQUITTO"), *path = getenv("PATH");
	char *found;

	if (given && *given) {
		if (file_is_regular(given, X_OK))
			return mem_strdup(given);
		error_set(err, ERR_CONNECT,
			  "the broker '%s' (MCPCTL_MOSQUITTO) is no program",
			  given);
		error_hint(
			err,
			"name the program mosquitto there, or unset it to have it looked for");
		return NULL;
	}
	found = file_find(path ? path : "", "mosquitto", X_OK);
	if (!found)
		found = file_find(more_folders, "mosquitto", X_OK);
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

/* Where it will listen (freeaddrinfo). It may take seconds: not from the loop. */
static int broker_find_port(struct addrinfo **out, const char *host,
			    uint16_t port, struct error *err)
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

/* -1 (ERR_CONNECT): the port cannot be listened on; who does. */
static int broker_check_port(const struct addrinfo *list, const char *host,
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

static void broker_files_remove(struct broker_files *f)
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

/* Makes the folder with all that is in it. -1: nothing is left. */
static int broker_files_write(struct broker_files *f,
			      const struct broker_config *c, const char *plugin,
			      struct error *err)
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

/*
 * What is left of a serve that was killed: its broker, which ends by itself
 * within a moment, and, where that was killed too, its folder.
 */

/* The start of /proc/PID/NAME; NULs within it become spaces. */
static void read_start(char *out, size_t size, int pid, const char *name)
{
	char path[64];
	size_t len;
	FILE *f;

	*out = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	f = fopen(path, "re");
	if (!f)
		return;
	len = fread(out, 1, size - 1, f);
	fclose(f);
	for (size_t i = 0; i < len; i++) {
		if (!out[i])
			out[i] = ' ';
	}
	out[len] = '\0';
}

static int parent_of(int pid)
{
	static const char name[] = "\nPPid:";
	char text[1024];
	const char *at;

	read_start(text, sizeof(text), pid, "status");
	at = strstr(text, name);
	return at ? (int)strtol(at + strlen(name), NULL, 10) : 0;
}

/* The process is the broker of a serve that was killed: it is about to end. */
static bool broker_is_orphan(int pid)
{
	char text[1024];

	/* A process that ends has none, and its sockets a little longer. */
	read_start(text, sizeof(text), pid, "cmdline");
	if (!*text)
		return true;
	if (!strstr(text, "/broker.") || !strstr(text, "/mosquitto.conf"))
		return false;
	read_start(text, sizeof(text), parent_of(pid), "comm");
	return !text_starts(text, "mcpctl");
}

/* The serve that made a configuration; 0: it cannot be read, or is no such. */
static int maker_of(const char *config)
{
	static const char option[] = "\nplugin_opt_parent_pid ";
	char text[4096];
	const char *at;
	ssize_t len;
	int fd = open(config, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	at = strstr(text, option);
	return at ? (int)strtol(at + strlen(option), NULL, 10) : 0;
}

static void remove_if_left(char *folder)
{
	struct broker_files files = { .folder = folder };
	struct stat st;
	int maker;

	files.config = mem_printf("%s/mosquitto.conf", folder);
	maker = maker_of(files.config);
	if (!lstat(folder, &st) && S_ISDIR(st.st_mode) &&
	    st.st_uid == geteuid() && maker > 0 && kill(maker, 0) &&
	    errno == ESRCH) {
		broker_files_remove(&files);
		return;
	}
	mem_free(files.config);
	mem_free(folder);
}

/* Removes what serves that were killed with their brokers left in a folder. */
static void broker_sweep(const char *near)
{
	struct dirent *entry;
	DIR *dir = opendir(near);

	while (dir && (entry = readdir(dir))) {
		if (text_starts(entry->d_name, "broker."))
			remove_if_left(
				mem_printf("%s/%s", near, entry->d_name));
	}
	if (dir)
		closedir(dir);
}

#define START_MS 5000 /* for its first start; it may take longer */
#define STOP_MS 1500
#define AGAIN_FIRST_MS 200
#define AGAIN_MAX_MS 10000
#define STEADY_MS 10000 /* it ran so long: its next death is another matter */
#define SAID_MAX 8192
#define ORPHAN_MS 3000
#define LOOK_MS 50
#define UNSEEN_MAX 4

struct broker {
	struct loop *loop;
	const struct broker_events *events;
	void *owner;
	void (*closed)(void *owner);
	void *closed_owner;

	struct broker_config config; /* texts owned */
	char *program, *plugin, *near;
	char *host, *key_file, *operator_file;
	struct addrinfo *addresses; /* of host, found once */
	char *around; /* the folder that ours is in; NULL before the first start */
	struct broker_files files;
	struct child *child; /* NULL: it does not run */
	struct timer timer;
	char version[32];
	char last_words[512]; /* the last error that it told; "" */
	struct buf said; /* all, until it runs for the first time */
	int64_t up_at, again; /* loop_now() ms; ms */
	int status; /* of its last end */
	bool opening, was_up, up, hung, closing;
	bool settled; /* up, or ended: what broker_open waits for */
};

static void launch(void *owner);

/* ---- what it says ---- */

static bool take_version(struct broker *b, const char *line)
{
	static const char prefix[] = "mosquitto version ";
	size_t len;

	if (!text_starts(line, prefix))
		return false;
	line += strlen(prefix);
	len = strcspn(line, " ");
	if (len < sizeof(b->version)) {
		memcpy(b->version, line, len);
		b->version[len] = '\0';
	}
	return strcmp(line + len, " running") == 0;
}

static void is_up(struct broker *b)
{
	bool again = b->was_up;

	b->up = b->was_up = b->settled = true;
	b->up_at = loop_now();
	buf_reset(&b->said);
	if (!b->opening && !b->closing)
		b->events->up(b->owner, again);
}

/* What says nothing to whoever watches serve. */
static bool is_chatter(const char *line)
{
	static const char *const starts[] = {
		"mosquitto version ",
		"Config loaded from ",
		"Loading plugin: ",
		"Opening ipv",
		"Reloading config",
		"Warning: Mosquitto should not be run as root",
	};

	for (size_t i = 0; i < COUNT(starts); i++) {
		if (text_starts(line, starts[i]))
			return true;
	}
	/* Who comes and goes the plugin tells; why one was thrown out, this. */
	if (text_starts(line, "New "))
		return true;
	if (text_starts(line, "Client "))
		return !strstr(line, " disconnected due to ") &&
		       !strstr(line, " has exceeded timeout");
	return !*line;
}

/* Errors, and what it does to a client, with the reason. */
static bool is_bad(const char *line)
{
	static const char *const starts[] = { "Error", "Warning", "Client ",
					      "Bad ",  "Unable ", "Outgoing " };

	for (size_t i = 0; i < COUNT(starts); i++) {
		if (text_starts(line, starts[i]))
			return true;
	}
	return false;
}

static void on_line(void *owner, bool is_err, const char *line)
{
	struct broker *b = owner;
	bool error = text_starts(line, "Error");

	(void)is_err;
	if (take_version(b, line)) {
		is_up(b);
		return;
	}
	if (!b->was_up)
		buf_printf(&b->said, "%s\n", line);
	if (is_chatter(line))
		return;
	/* What it says of clients once it runs is not why it ends. */
	if (error || (!b->up && !b->last_words[0]))
		snprintf(b->last_words, sizeof(b->last_words), "%.500s", line);
	if (!b->opening && !b->closing)
		b->events->said(b->owner, is_bad(line), line);
}

/* ---- its end ---- */

static void release(void *owner)
{
	struct broker *b = owner;
	void (*closed)(void *owner) = b->closed;
	void *closed_owner = b->closed_owner;

	broker_files_remove(&b->files);
	explicit_bzero(&b->files, sizeof(b->files));
	buf_done(&b->said);
	mem_free(b->program);
	mem_free(b->plugin);
	mem_free(b->near);
	if (b->addresses)
		freeaddrinfo(b->addresses);
	mem_free(b->host);
	mem_free(b->key_file);
	mem_free(b->operator_file);
	mem_free(b->around);
	mem_free(b);
	if (closed)
		closed(closed_owner);
}

/* Why it died, into err. */
static void explain(const struct broker *b, struct error *err)
{
	const char *words = b->last_words;
	struct error port = { 0 };

	if (strstr(words, "Address already in use") &&
	    broker_check_port(b->addresses, b->host, b->config.port, &port)) {
		error_copy(err, &port);
		error_reset(&port);
		return;
	}
	error_reset(&port);
	if (text_starts(words, "Error: "))
		words += strlen("Error: ");
	if (b->hung)
		error_set(err, ERR_CONNECT,
			  "mosquitto answered nobody any more, and was ended");
	else if (b->status > 128)
		error_set(err, ERR_CONNECT, "mosquitto was ended by signal %d",
			  b->status - 128);
	else if (*words && b->status)
		error_set(err, ERR_CONNECT, "mosquitto ended: %s", words);
	else
		error_set(err, ERR_CONNECT, "mosquitto ended with status %d",
			  b->status);
}

static void try_again(struct broker *b, const struct error *why)
{
	int64_t now = loop_now(), wait;

	if (b->up && now - b->up_at >= STEADY_MS)
		b->again = AGAIN_FIRST_MS;
	b->up = false;
	wait = b->again;
	b->again = wait * 2 < AGAIN_MAX_MS ? wait * 2 : AGAIN_MAX_MS;
	timer_start(&b->timer, wait);
	b->events->down(b->owner, why, wait);
}

static void on_ended(void *owner, int status)
{
	struct broker *b = owner;
	struct error why = { 0 };

	b->child = NULL;
	b->status = status;
	if (b->closing) {
		timer_close(&b->timer, release);
		return;
	}
	b->settled = true;
	/* broker_open says what it was. */
	if (b->opening)
		return;
	explain(b, &why);
	try_again(b, &why);
	error_reset(&why);
}

/* ---- its start ---- */

static const struct child_events child_events = { .line = on_line,
						  .ended = on_ended };

/* It reads what strangers send, too: the fences that it gets. */
static void allow(struct broker *b)
{
	const char *const argv[] = { b->program, "-c", NULL };
	CLEANUP(words_done) struct words rules = { 0 };
	CLEANUP(mem_free_ptr) char *plugins = file_folder(b->plugin);
	CLEANUP(mem_free_ptr)
	char *keys = b->key_file ? file_folder(b->key_file) : NULL;
	CLEANUP(mem_free_ptr)
	char *operators =
		b->operator_file ? file_folder(b->operator_file) : NULL;

	if (b->around)
		return;
	b->around = file_folder(b->files.folder);
	fence_system(&rules);
	fence_program(&rules, b->program);
	fence_rule(&rules, "read", plugins);
	fence_rule(&rules, "read", b->around);
	/* They are read again when they were replaced. */
	fence_rule(&rules, "read", keys);
	fence_rule(&rules, "read", operators);
	fence_port(&rules, "bind", b->config.port);
	spawner_allow(argv, 1,
		      b->config.fenced ? (const char *const *)rules.word :
					 NULL);
}

static int start(struct broker *b, struct error *err)
{
	char option[] = "-c";
	char *argv[] = { b->program, option, NULL, NULL };
	struct child_options o = { .argv = argv, .err = CHILD_PIPE };

	b->last_words[0] = '\0';
	b->hung = false;
	/* Somebody who tidies temporary folders may have been there. */
	if (b->files.folder && access(b->files.config, R_OK))
		broker_files_remove(&b->files);
	if (!b->files.folder &&
	    broker_files_write(&b->files, &b->config, b->plugin, err))
		return -1;
	allow(b);
	argv[2] = b->files.config;
	return child_start(&b->child, b->loop, &o, &child_events, b, err);
}

static void launch(void *owner)
{
	struct broker *b = owner;
	struct error err = { 0 };

	if (b->closing)
		return;
	if (start(b, &err))
		try_again(b, &err);
	error_reset(&err);
}

static struct broker *broker_new(struct loop *l, const struct broker_config *c)
{
	struct broker *b = mem_zalloc(sizeof(*b));

	b->loop = l;
	b->config = *c;
	b->config.host = b->host = mem_strdup(c->host);
	b->config.near = b->near = mem_strdup(c->near);
	b->config.key_file = b->key_file = mem_strdup(c->key_file);
	b->config.operator_file = b->operator_file =
		mem_strdup(c->operator_file);
	b->again = AGAIN_FIRST_MS;
	b->opening = true;
	buf_init(&b->said, SAID_MAX);
	timer_open(&b->timer, l, launch, b);
	return b;
}

/*
 * Held by the broker of a serve that was killed just now, which is about to
 * end. Or by nobody who can be seen: it went this moment, or it is another
 * user's.
 */
static bool may_become_free(const struct broker *b, unsigned *unseen)
{
	struct port_owner holder;

	if (!port_owner_find(b->config.port, &holder))
		return ++*unseen <= UNSEEN_MAX;
	return broker_is_orphan(holder.pid);
}

static int wait_for_port(struct broker *b, struct error *err)
{
	int64_t until = loop_now() + ORPHAN_MS;
	unsigned unseen = 0;

	while (broker_check_port(b->addresses, b->host, b->config.port, err)) {
		if (err->code != EADDRINUSE || loop_now() >= until ||
		    !may_become_free(b, &unseen))
			return -1;
		error_reset(err);
		if (loop_stay(b->loop, NULL, loop_now() + LOOK_MS, err))
			return -1;
	}
	return 0;
}

/* The spawner may be in another folder. Takes the path. */
static char *whole_path(char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;
	char *whole = mem_strdup(real);

	free(real);
	if (!whole)
		return path;
	mem_free(path);
	return whole;
}

static int open_first(struct broker *b, struct error *err)
{
	b->program = whole_path(broker_program(err));
	if (!b->program)
		return -1;
	if (b->near)
		broker_sweep(b->near);
	b->plugin = module_file("broker", err);
	if (!b->plugin ||
	    broker_find_port(&b->addresses, b->host, b->config.port, err) ||
	    wait_for_port(b, err) || start(b, err))
		return -1;
	if (loop_wait(b->loop, &b->settled, loop_now() + START_MS, err)) {
		if (err->kind != ERR_TIMEOUT)
			return -1;
		error_reset(err);
	}
	if (b->child)
		return 0;
	explain(b, err);
	return error_detail(err, buf_string(&b->said), b->said.len);
}

int broker_open(struct broker **out, struct loop *l,
		const struct broker_config *config,
		const struct broker_events *events, void *owner,
		struct error *err)
{
	struct broker *b = broker_new(l, config);
	struct error why = { 0 };

	b->events = events;
	b->owner = owner;
	*out = NULL;
	if (open_first(b, &why)) {
		broker_close(b, NULL, NULL);
		error_copy(err, &why);
		error_reset(&why);
		return -1;
	}
	b->opening = false;
	*out = b;
	return 0;
}

/* ---- the rest ---- */

const char *broker_secret(const struct broker *b)
{
	return b->files.secret;
}

const char *broker_version(const struct broker *b)
{
	return b->version;
}

const char *broker_folder(const struct broker *b)
{
	return b->around;
}

int broker_pid(const struct broker *b)
{
	return b->child ? child_pid(b->child) : 0;
}

void broker_hung(struct broker *b)
{
	if (!b->child || b->closing)
		return;
	b->hung = true;
	child_signal(b->child, SIGKILL);
}

void broker_reload(struct broker *b)
{
	/* Before it is up, the signal would end it. */
	if (b->child && b->up)
		child_signal(b->child, SIGHUP);
}

void broker_close(struct broker *b, void (*closed)(void *owner), void *owner)
{
	b->closing = true;
	b->closed = closed;
	b->closed_owner = owner;
	if (b->child)
		child_stop(b->child, STOP_MS);
	else
		timer_close(&b->timer, release);
}
