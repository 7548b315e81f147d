/* SPDX-License-Identifier: MIT */
/* Files of logins. */
#include "auth/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "base/sha256.h"
#include "base/text.h"

#define FILE_MAX ((size_t)128 * 1024)
#define NAME_DIGITS 32 /* of the sum in a file's name */
#define NEAR_S 60

static const char login_end[] = ".login.json";
static const char client_end[] = ".client.json";

void login_entry_done(struct login_entry *e)
{
	mem_free(e->server);
	mem_free(e->issuer);
	mem_free(e->resource);
	mem_free(e->client_id);
	secret_free(e->client_secret);
	mem_free(e->token_endpoint);
	mem_free(e->revocation_endpoint);
	secret_free(e->access);
	secret_free(e->refresh);
	mem_free(e->scope);
	mem_free(e->requested);
	*e = (struct login_entry){ 0 };
}

void login_entry_copy(struct login_entry *to, const struct login_entry *from)
{
	struct login_entry copy = *from;

	copy.server = mem_strdup(from->server);
	copy.issuer = mem_strdup(from->issuer);
	copy.resource = mem_strdup(from->resource);
	copy.client_id = mem_strdup(from->client_id);
	copy.client_secret = mem_strdup(from->client_secret);
	copy.token_endpoint = mem_strdup(from->token_endpoint);
	copy.revocation_endpoint = mem_strdup(from->revocation_endpoint);
	copy.access = mem_strdup(from->access);
	copy.refresh = mem_strdup(from->refresh);
	copy.scope = mem_strdup(from->scope);
	copy.requested = mem_strdup(from->requested);
	login_entry_done(to);
	*to = copy;
}

bool login_entry_is_over(const struct login_entry *e, int64_t now)
{
	int64_t near = (e->expires_at - e->obtained_at) / 2;

	if (!e->expires_at || now < e->obtained_at)
		return false;
	return now >= e->expires_at - (near < NEAR_S ? near : NEAR_S);
}

/* ---- files ---- */

static char *path_of(const char *folder, const char *key, const char *end)
{
	char sum[SHA256_TEXT];

	sha256_text(key, strlen(key), sum);
	return mem_printf("%s%.*s%s", folder, NAME_DIGITS, sum, end);
}

/* Nobody else's, and for nobody else. */
static int check_private(const struct stat *st, const char *path,
			 struct error *err)
{
	bool own = st->st_uid == geteuid();

	if (own && !(st->st_mode & 077))
		return 0;
	error_set(err, ERR_USAGE, "'%s' holds logins, and %s", path,
		  own ? "others may read it" : "it is another user's");
	if (!own)
		return error_hint(
			err,
			"remove it, and log in again: whoever made it may know the tokens");
	return error_hint(
		err,
		"if nobody else did: chmod go= '%s'; else log out and in again",
		path);
}

static int check_folder(const char *folder, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *path = mem_strndup(folder, strlen(folder) - 1);
	struct stat st;

	if (lstat(path, &st)) {
		int why = errno;

		error_set(err, ERR_OUTPUT, "there is no folder '%s': %s", path,
			  strerror(why));
		return error_code(err, why);
	}
	if (!S_ISDIR(st.st_mode))
		return error_set(err, ERR_USAGE, "'%s' is no folder", path);
	return check_private(&st, path, err);
}

/* 1, 0: there is none; -1. */
static int read_file(struct buf *out, const char *folder, const char *path,
		     struct error *err)
{
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st), status;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
				 strerror(errno));
	status = check_folder(folder, err) || check_private(&st, path, err);
	if (!status && file_read_fd(out, fd))
		status = error_set(err, ERR_USAGE, "cannot read '%s': %s", path,
				   strerror(errno));
	close(fd);
	return status ? -1 : 1;
}

static int read_tree(cJSON **out, const char *folder, const char *path,
		     struct error *err)
{
	CLEANUP(secret_wipe) struct buf text;
	int status;

	*out = NULL;
	secret_init(&text, FILE_MAX);
	status = read_file(&text, folder, path, err);
	if (status <= 0)
		return status;
	*out = json_parse(buf_string(&text), text.len, err);
	if (*out)
		return 1;
	error_prefix(err, "'%s' is broken", path);
	return error_hint(err, "remove it, and log in again");
}

static int not_kept(const char *path, const char *what, struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "the %s was not kept in '%s': %s", what,
		  path, strerror(why));
	error_code(err, why);
	return error_hint(
		err, why == ENOSPC || why == EDQUOT ?
			     "make room there; what was kept before is unhurt" :
			     "what was kept before is unhurt");
}

/* The folders above are the caller's to make; this one is ours. */
static int write_file(const char *folder, const char *path,
		      const struct buf *text, const char *what,
		      struct error *err)
{
	if (mkdir(folder, 0700) && errno != EEXIST)
		return not_kept(path, what, err);
	if (check_folder(folder, err))
		return -1;
	if (file_replace(path, 0600, text->data, text->len))
		return not_kept(path, what, err);
	return 0;
}

/* ---- logins ---- */

static char *text_of(const cJSON *tree, const char *name)
{
	return mem_strdup(json_string(tree, name));
}

static bool decode(struct login_entry *e, const cJSON *tree)
{
	int proof = client_proof_find(json_string(tree, "auth_method"));

	*e = (struct login_entry){
		.server = text_of(tree, "server"),
		.issuer = text_of(tree, "issuer"),
		.resource = text_of(tree, "resource"),
		.client_id = text_of(tree, "client_id"),
		.client_secret = text_of(tree, "client_secret"),
		.proof = proof < 0 ? PROOF_NONE : (enum client_proof)proof,
		.token_endpoint = text_of(tree, "token_endpoint"),
		.revocation_endpoint = text_of(tree, "revocation_endpoint"),
		.access = text_of(tree, "access_token"),
		.refresh = text_of(tree, "refresh_token"),
		.scope = text_of(tree, "scope"),
		.requested = text_of(tree, "requested"),
	};
	json_integer(tree, "obtained_at", &e->obtained_at);
	json_integer(tree, "expires_at", &e->expires_at);
	if (e->server && e->issuer && e->client_id && e->token_endpoint &&
	    e->access)
		return true;
	login_entry_done(e);
	return false;
}

static void add(struct buf *out, const char *name, const char *text)
{
	if (out->len == 1 && text) {
		buf_printf(out, "\"%s\":", name);
		buf_json_string(out, text, strlen(text));
	} else {
		json_add_text(out, name, text);
	}
}

static void encode(struct buf *out, const struct login_entry *e)
{
	buf_char(out, '{');
	add(out, "server", e->server);
	add(out, "issuer", e->issuer);
	add(out, "resource", e->resource);
	add(out, "client_id", e->client_id);
	add(out, "client_secret", e->client_secret);
	add(out, "auth_method", client_proof_name(e->proof));
	add(out, "token_endpoint", e->token_endpoint);
	add(out, "revocation_endpoint", e->revocation_endpoint);
	add(out, "access_token", e->access);
	add(out, "refresh_token", e->refresh);
	add(out, "scope", e->scope);
	add(out, "requested", e->requested);
	buf_printf(out, ",\"obtained_at\":%lld,\"expires_at\":%lld}\n",
		   (long long)e->obtained_at, (long long)e->expires_at);
}

int store_find(struct login_entry *out, const char *folder, const char *server,
	       struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, server, login_end);
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	int status = read_tree(&tree, folder, path, err);

	*out = (struct login_entry){ 0 };
	if (status <= 0)
		return status;
	if (decode(out, tree) && strcmp(out->server, server) == 0)
		return 1;
	login_entry_done(out);
	error_set(err, ERR_USAGE, "'%s' is no login of '%.150s'", path, server);
	return error_hint(err, "remove it, and log in again");
}

int store_keep(const char *folder, const struct login_entry *e,
	       struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *path = path_of(folder, e->server, login_end);
	CLEANUP(secret_wipe) struct buf text;

	secret_init(&text, FILE_MAX);
	encode(&text, e);
	if (text.full)
		return error_set(err, ERR_OUTPUT,
				 "the login is too large to be kept");
	return write_file(folder, path, &text, "login", err);
}

int store_drop(const char *folder, const char *server, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, server, login_end);

	if (unlink(path) == 0)
		return 1;
	if (errno == ENOENT)
		return 0;
	return error_set(err, ERR_OUTPUT, "cannot remove '%s': %s", path,
			 strerror(errno));
}

static void tell(const char *folder, const char *name,
		 void (*fn)(void *owner, const struct login_entry *e),
		 void *owner)
{
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s%s", folder, name);
	CLEANUP(login_entry_done) struct login_entry e = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	if (read_tree(&tree, folder, path, NULL) == 1 && decode(&e, tree))
		fn(owner, &e);
}

void store_each(const char *folder,
		void (*fn)(void *owner, const struct login_entry *e),
		void *owner)
{
	const size_t whole = NAME_DIGITS + strlen(login_end);
	DIR *dir = opendir(folder);
	const struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (strlen(d->d_name) == whole &&
		    strcmp(d->d_name + NAME_DIGITS, login_end) == 0)
			tell(folder, d->d_name, fn, owner);
	}
	if (dir)
		closedir(dir);
}

int store_lock(const char *folder, const char *server, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, server, ".lock");
	int fd;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return not_kept(path, "lock", err);
	if (check_folder(folder, err))
		return -1;
	fd = file_lock(path, 0);
	if (fd < 0 && errno != EWOULDBLOCK)
		return not_kept(path, "lock", err);
	return fd;
}

/* ---- registrations ---- */

int store_client_find(struct registration *out, const char *folder,
		      const char *issuer, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, issuer, client_end);
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	int status = read_tree(&tree, folder, path, err), proof;
	int64_t port = 0;
	const char *whose;

	*out = (struct registration){ 0 };
	if (status <= 0)
		return status;
	whose = json_string(tree, "issuer");
	proof = client_proof_find(json_string(tree, "auth_method"));
	if (!whose || strcmp(whose, issuer) != 0 || proof < 0 ||
	    !json_string(tree, "client_id"))
		return 0;
	out->id = text_of(tree, "client_id");
	out->secret = text_of(tree, "client_secret");
	out->proof = (enum client_proof)proof;
	json_integer(tree, "secret_expires_at", &out->secret_expires_at);
	if (json_integer(tree, "port", &port) == 0 && port == (uint16_t)port)
		out->port = (uint16_t)port;
	return 1;
}

int store_client_keep(const char *folder, const char *issuer,
		      const struct registration *r, struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, issuer, client_end);
	CLEANUP(secret_wipe) struct buf text;

	secret_init(&text, FILE_MAX);
	buf_char(&text, '{');
	add(&text, "issuer", issuer);
	add(&text, "client_id", r->id);
	add(&text, "client_secret", r->secret);
	add(&text, "auth_method", client_proof_name(r->proof));
	buf_printf(&text, ",\"secret_expires_at\":%lld,\"port\":%u}\n",
		   (long long)r->secret_expires_at, r->port);
	return write_file(folder, path, &text, "registration", err);
}

void store_client_drop(const char *folder, const char *issuer)
{
	CLEANUP(mem_free_ptr) char *path = path_of(folder, issuer, client_end);

	unlink(path);
}
