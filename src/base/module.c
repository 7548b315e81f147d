/* SPDX-License-Identifier: MIT */
/*
 * Finding and loading modules. What their tables mean is their users' matter.
 */
#include "base/module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

/* What a module's library is called in Debian, for the hint. */
static const struct {
	const char *module, *packages;
} needs[] = {
	{ "ws", "libwebsockets17 libwebsockets-evlib-uv" },
	{ "front", "libmicrohttpd12" },
	{ "http", "libcurl4" },
	{ "mqtt", "libmosquitto1" },
	{ "tls", "libssl3" },
	{ "auth", "libssl3" },
	{ "shell", "libreadline8" },
	{ "fence", "libseccomp2" },
	{ "jq", "libjq1" },
	{ "pixels", "libturbojpeg0 libpng16-16" },
	{ "canvas", "libchafa0" },
	{ "screen", "libncursesw6" },
	{ "audio", "libogg0 libopus0" },
	{ "mdns", "libc6" },
	{ "yaml", "libyaml-0-2" },
};

static const char *packages_of(const char *module)
{
	for (size_t i = 0; i < COUNT(needs); i++) {
		if (strcmp(needs[i].module, module) == 0)
			return needs[i].packages;
	}
	return NULL;
}

/* The folder of the running program, "." if the system does not tell; yours. */
static char *program_folder(void)
{
	CLEANUP(mem_free_ptr) char *program = file_program();

	return file_folder(program ? program : "");
}

/* The path of the module's file, yours; NULL if it is in no folder. */
static char *find_file(const char *module, const char *program)
{
	const struct {
		const char *folder, *below;
	} places[] = {
		{ program, "" },
		{ program, "/../lib/mcpctl" }, /* installed, then moved */
		{ MCPCTL_LIBDIR, "" },
	};

	for (size_t i = 0; i < COUNT(places); i++) {
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("%s%s/mcpctl-%s.so", places[i].folder,
					places[i].below, module);

		if (access(path, F_OK) == 0)
			return TAKE(path);
	}
	return NULL;
}

static char *not_found(const char *module, const char *program,
		       struct error *err)
{
	error_set(
		err, ERR_CONNECT,
		"the part 'mcpctl-%s.so' is not installed: it is neither in '%s' nor in '%s'",
		module, program, MCPCTL_LIBDIR);
	error_hint(
		err,
		"install mcpctl with all its parts (make install), or run it from the folder where it was built");
	return NULL;
}

/*
 * The dynamic linker says "LIBRARY: what failed". Where LIBRARY is not our
 * own file, it is one that our file needs.
 */
static const void *not_loaded(const char *module, const char *path,
			      struct error *err)
{
	const char *why = dlerror(), *packages = packages_of(module);
	size_t name;

	if (!why)
		why = "unknown reason";
	name = strcspn(why, ":");
	if (text_starts(why, "lib") && why[name]) {
		error_set(
			err, ERR_CONNECT,
			"the part 'mcpctl-%s.so' needs the library '%.*s', which cannot be loaded",
			module, (int)name, why);
		if (packages)
			error_hint(err, "on Debian and Ubuntu: apt install %s",
				   packages);
		else
			error_hint(err, "install the package that has it");
	} else {
		error_set(err, ERR_CONNECT, "cannot load '%s'", path);
		error_hint(
			err,
			"it may belong to another version of mcpctl: install or build mcpctl again");
	}
	error_detail(err, why, strlen(why));
	return NULL;
}

char *module_file(const char *module, struct error *err)
{
	CLEANUP(mem_free_ptr) char *program = program_folder();
	char *path = find_file(module, program);

	return path ? path : not_found(module, program, err);
}

/*
 * libcurl may bring GnuTLS with it, for LDAP and RTMP, which we do not speak:
 * loaded, it would start itself, which takes a twentieth of a call over HTTP.
 * Who does use it starts it by its function, and is not hindered by this. Not
 * for children, and but once: a thread may be reading the environment.
 */
static void *load(const char *path)
{
	static const char name[] = "GNUTLS_NO_IMPLICIT_INIT";
	static bool done;
	bool ours = !done && !getenv(name) && setenv(name, "1", 0) == 0;
	/*
	 * A second time gives the same handle: nothing to remember here. Lazy
	 * for the libraries that it needs; our own file is linked to be bound
	 * at once.
	 */
	void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);

	done = true;
	if (ours)
		unsetenv(name);
	return handle;
}

const void *module_table(const char *module, const char *symbol,
			 struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = module_file(module, err);
	void *handle;
	const void *table;

	if (!path)
		return NULL;
	log_debug("loading '%s'", path);
	handle = load(path);
	if (!handle)
		return not_loaded(module, path, err);
	table = dlsym(handle, symbol);
	if (!table)
		return not_loaded(module, path, err);
	return table;
}

const void *module_sized(const char *module, const char *symbol, size_t size,
			 struct error *err)
{
	const size_t *table = module_table(module, symbol, err);

	if (!table || *table == size)
		return table;
	error_set(
		err, ERR_CONNECT,
		"the part 'mcpctl-%s.so' belongs to another version of mcpctl",
		module);
	return NULL;
}
