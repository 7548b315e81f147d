/* SPDX-License-Identifier: MIT */
/* The name of what is kept open, and the file that tells that it is. */
#include "cli/held_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/daemon.h"
#include "cli/target_text.h"
#include "net/control_client.h"

bool held_fits(const struct endpoint *e)
{
	return e->scheme->kind == SCHEME_CHILD ||
	       e->scheme->kind == SCHEME_HTTP ||
	       e->scheme->kind == SCHEME_WEBSOCKET;
}

/* ---- the key ---- */

/* With its length, so that no two lists of texts look alike. */
static void add(struct buf *out, const char *text)
{
	if (text)
		buf_printf(out, "%zu:%s,", strlen(text), text);
	else
		buf_text(out, "-,");
}

static void add_words(struct buf *out, const struct words *w)
{
	buf_printf(out, "%zu;", w->count);
	for (size_t i = 0; i < w->count; i++)
		add(out, w->word[i]);
}

/* Where a command is typed, not what it is told. */
static const char *const passing[] = {
	"_",	    "COLUMNS",
	"GPG_TTY",  "LINES",
	"OLDPWD",   "PWD",
	"SHLVL",    "SSH_CLIENT",
	"SSH_TTY",  "SSH_CONNECTION",
	"STY",	    "TERM_SESSION_ID",
	"TMUX",	    "TMUX_PANE",
	"WINDOWID", "XDG_SESSION_ID",
};

static bool is_passing(const char *setting)
{
	size_t len = strcspn(setting, "=");

	if (text_starts(setting, "MCPCTL_"))
		return true;
	for (size_t i = 0; i < COUNT(passing); i++) {
		if (strlen(passing[i]) == len &&
		    memcmp(passing[i], setting, len) == 0)
			return true;
	}
	return false;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_environment(struct buf *out)
{
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;

	CLEANUP(mem_free_ptr)
	const char **sorted = mem_alloc((count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		if (!is_passing(environ[i]))
			sorted[kept++] = environ[i];
	}
	qsort(sorted, kept, sizeof(*sorted), by_text);
	for (size_t i = 0; i < kept; i++)
		add(out, sorted[i]);
}

static void add_child(struct buf *out, const struct endpoint *e)
{
	CLEANUP(mem_free_ptr) char *folder = daemon_path(e->cwd ? e->cwd : ".");

	add_words(out, &e->argv);
	add(out, folder);
	add_words(out, &e->env);
	add_environment(out);
}

/* The way to it, as the environment tells it, counts with the address. */
static void add_route(struct buf *out)
{
	static const char *const names[] = { "http_proxy",  "https_proxy",
					     "HTTPS_PROXY", "all_proxy",
					     "ALL_PROXY",   "no_proxy",
					     "NO_PROXY" };

	for (size_t i = 0; i < COUNT(names); i++)
		add(out, getenv(names[i]));
}

static void add_address(struct buf *out, const struct endpoint *e)
{
	CLEANUP(mem_free_ptr) char *cacert = daemon_path(e->cacert);

	add(out, e->scheme->name);
	add(out, e->host);
	add(out, e->path);
	buf_printf(out, "%u,%d,%d;", (unsigned)e->port, e->insecure,
		   (int)e->envelope);
	add(out, cacert);
	add(out, e->proxy);
	add_words(out, &e->resolve);
	for (size_t i = 0; i < e->headers.count; i++) {
		add(out, e->headers.item[i].name);
		add(out, e->headers.item[i].value);
	}
	if (e->scheme->kind == SCHEME_HTTP)
		add_route(out);
}

void held_key(const struct endpoint *e, char out[HELD_KEY_SIZE])
{
	CLEANUP(secret_wipe) struct buf all = { 0 }; /* it holds secrets */
	char sum[SHA256_TEXT];

	if (e->scheme->kind == SCHEME_CHILD)
		add_child(&all, e);
	else
		add_address(&all, e);
	sha256_text(buf_string(&all), all.len, sum);
	memcpy(out, sum, HELD_KEY_SIZE - 1);
	out[HELD_KEY_SIZE - 1] = '\0';
}

#define NAME_MAX_BYTES 200

char *held_name(const char *word)
{
	char *name = target_key(word, NULL);

	name[text_cut(name, strlen(name), NAME_MAX_BYTES)] = '\0';
	return name;
}

/* ---- the file ---- */

char *held_mark_path(const char *socket, const char *key)
{
	return mem_printf("%s-%s", socket, key);
}

int held_mark_look(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int there = 1;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid())
		there = 0;
	else if (flock(fd, LOCK_SH | LOCK_NB) == 0)
		there = -1;
	close(fd);
	return there;
}

int held_mark_take(const char *path, struct error *err)
{
	int fd = file_lock(path, 0), why = errno;

	if (fd >= 0)
		return fd;
	error_set(err, ERR_CONNECT, "cannot make and lock '%s': %s", path,
		  strerror(why));
	error_hint(err, "it lies beside the control socket of serve");
	return error_code(err, why);
}

/* ---- looked for ---- */

bool held_find(struct endpoint *e, struct app *app)
{
	const struct config *c = &app->config;
	CLEANUP(mem_free_ptr) char *socket = NULL;
	CLEANUP(mem_free_ptr) char *path = NULL;
	char key[HELD_KEY_SIZE];
	bool exists = false;
	int there;

	if (!held_fits(e) || c->no_init || app->direct ||
	    control_path(&socket, c->socket, false, NULL) ||
	    control_path_check(socket, &exists, NULL) || !exists)
		return false;
	held_key(e, key);
	path = held_mark_path(socket, key);
	there = held_mark_look(path);
	if (there < 0) {
		unlink(path);
		render_note(
			&app->out,
			"what kept '%s' open was killed: it is dialled directly; 'mcpctl open' keeps it open again",
			c->target);
	}
	if (there <= 0)
		return false;
	e->held = mem_strdup(key);
	e->held_at = TAKE(socket);
	return true;
}
