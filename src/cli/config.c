/* SPDX-License-Identifier: MIT */
/*
 * The global options: a table, the same for parser, help and generators.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/app.h"
#include "cli/config.h"

#define PLACE(member) offsetof(struct config, member)

/* clang-format off */
const struct option_row config_options[] = {
	{ .letter = 't', .name = "target", .word = "TARGET", .type = OPTION_TEXT,
	  .offset = PLACE(target), .env = "MCPCTL_TARGET",
	  .brief = "the peer; a first word with ':' names it too" },
	{ .letter = 'd', .name = "device", .word = "ID|GLOB", .type = OPTION_TEXT,
	  .offset = PLACE(device), .env = "MCPCTL_DEVICE",
	  .brief = "which device of a running serve: Device-Id, client id, alias or glob; which server of mcp+mqtt: by its id, its name, the last part of that, or its board's Device-Id" },
	{ .name = "all", .type = OPTION_FLAG,
	  .offset = PLACE(all),
	  .brief = "on every device of a running serve that fits -d, or on every server of mcp+mqtt: that fits, at once" },
	{ .letter = 'e', .name = "execute", .word = "COMMAND", .type = OPTION_LIST,
	  .offset = PLACE(commands),
	  .brief = "a command line for run; may be given many times" },
	{ .letter = 'o', .name = "output", .word = "FORM", .type = OPTION_CHOICE,
	  .offset = PLACE(output), .env = "MCPCTL_OUTPUT",
	  .choices = "text json raw table", .fallback = "text",
	  .brief = "form of the output: text, json, raw, or table (devices, tools, --all)" },
	{ .name = "fields", .word = "NAME[,NAME]...", .type = OPTION_TEXT,
	  .offset = PLACE(fields),
	  .brief = "the columns of -o table; a wrong one lists those there are" },
	{ .name = "jq", .word = "EXPR", .type = OPTION_TEXT,
	  .offset = PLACE(jq),
	  .brief = "print what the jq expression EXPR makes of each line of -o json; of call: of the tool's value" },
	{ .letter = 'v', .name = "verbose", .type = OPTION_COUNT,
	  .offset = PLACE(verbose),
	  .brief = "show every frame on stderr, on a terminal in words; -vv: always as it is" },
	{ .letter = 'q', .name = "quiet", .type = OPTION_FLAG,
	  .offset = PLACE(quiet),
	  .brief = "no notices on stderr, only errors" },
	{ .name = "trace", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(trace),
	  .brief = "write every frame to FILE, one JSON object a line" },
	{ .name = "audio", .type = OPTION_FLAG,
	  .offset = PLACE(audio),
	  .brief = "with --trace: keep the bytes of audio, too, which are only counted otherwise" },
	{ .name = "findings", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(findings),
	  .brief = "write what is found wrong to FILE, one JSON object a line" },
	{ .name = "timeout", .word = "DURATION", .type = OPTION_DURATION,
	  .offset = PLACE(timeout), .env = "MCPCTL_TIMEOUT", .min = 1,
	  .fallback = "10s",
	  .brief = "longest wait for one answer" },
	{ .name = "wait", .word = "DURATION", .type = OPTION_DURATION,
	  .offset = PLACE(wait), .env = "MCPCTL_WAIT", .min = 1,
	  .fallback = "60s",
	  .brief = "longest wait for the peer; a sign of life starts it anew" },
	{ .name = "envelope", .word = "DIALECT", .type = OPTION_CHOICE,
	  .offset = PLACE(envelope), .env = "MCPCTL_ENVELOPE",
	  .choices = "auto device plain", .fallback = "auto",
	  .brief = "dialect of a ws: peer, or of who dials in at listen: device, or plain JSON-RPC" },
	{ .name = "era", .word = "ERA", .type = OPTION_CHOICE,
	  .offset = PLACE(era), .env = "MCPCTL_ERA",
	  .choices = "auto modern legacy", .fallback = "auto",
	  .brief = "how a server is spoken to: modern (MCP from 2026-07-28 on), legacy (initialize), or as it is found out" },
	{ .name = "token-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(token_file),
	  .brief = "tokens that serve and listen: accept, one a line; or the one sent to ws: and http: (or MCPCTL_TOKEN)" },
	{ .name = "mqtt-password-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(mqtt_password_file),
	  .brief = "password for a broker (or MCPCTL_MQTT_PASSWORD)" },
	{ .name = "socket", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(socket), .env = "MCPCTL_SOCKET",
	  .brief = "control socket of serve, where it is not the default" },
	{ .name = "header", .word = "NAME:VALUE", .type = OPTION_LIST,
	  .offset = PLACE(headers),
	  .brief = "one more header for ws: and http:; may be given many times" },
	{ .name = "env", .word = "NAME=VALUE", .type = OPTION_LIST,
	  .offset = PLACE(env),
	  .brief = "set it for a child process; may be given many times" },
	{ .name = "cwd", .word = "DIR", .type = OPTION_FILE,
	  .offset = PLACE(cwd),
	  .brief = "folder that a child process runs in" },
	{ .name = "config", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(config_file), .env = "MCPCTL_CONFIG",
	  .brief = "mcp.json that names servers, instead of those that are looked for (see mcpctl targets)" },
	{ .name = "trust", .type = OPTION_FLAG,
	  .offset = PLACE(trust),
	  .brief = "take the names of a folder's mcp.json for this command, whatever it holds; nothing is asked or kept (see mcpctl trust)" },
	{ .name = "proxy", .word = "URL", .type = OPTION_TEXT,
	  .offset = PLACE(proxy),
	  .brief = "proxy for http: and https:, instead of http_proxy and https_proxy; 'none': no proxy" },
	{ .name = "resolve", .word = "HOST:PORT:ADDRESS", .type = OPTION_LIST,
	  .offset = PLACE(resolve),
	  .brief = "reach HOST at ADDRESS, for http: and https:; may be given many times" },
	{ .name = "retry", .word = "N", .type = OPTION_NUMBER,
	  .offset = PLACE(retry), .env = "MCPCTL_RETRY", .min = 1, .max = 100,
	  .fallback = "3 towards http:, else 1",
	  .brief = "tries in all, of what may be repeated" },
	{ .name = "retry-calls", .type = OPTION_FLAG,
	  .offset = PLACE(retry_calls),
	  .brief = "repeat calls of tools, too, that are not marked as idempotent or read-only" },
	{ .name = "breaker", .word = "N[,DURATION]",
	  .type = OPTION_OPTIONAL_TEXT,
	  .offset = PLACE(breaker), .env = "MCPCTL_BREAKER",
	  .brief = "after N failed calls (5) fail at once for DURATION (60s), also in later commands on the same target; off: not even within run and shell" },
	{ .name = "no-oauth", .type = OPTION_FLAG,
	  .offset = PLACE(no_oauth),
	  .brief = "for http: do not log in where a server wants it, nor use a login that is kept (see mcpctl login)" },
	{ .name = "oauth-client-id", .word = "ID", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_client_id), .env = "MCPCTL_OAUTH_CLIENT_ID",
	  .brief = "the client that was registered with the authorization server for you; without it mcpctl registers itself" },
	{ .name = "oauth-client-secret-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(oauth_secret_file),
	  .brief = "that client's secret (or MCPCTL_OAUTH_CLIENT_SECRET)" },
	{ .name = "oauth-private-key-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(oauth_key_file),
	  .brief = "that client's private key (PEM), which proves it instead of a secret: private_key_jwt by ES256 or RS256" },
	{ .name = "oauth-client-metadata-url", .word = "URL", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_client_document),
	  .env = "MCPCTL_OAUTH_CLIENT_METADATA_URL",
	  .brief = "an https document that describes this client, whose address is its id where servers take that" },
	{ .name = "oauth-grant", .word = "HOW", .type = OPTION_CHOICE,
	  .offset = PLACE(oauth_grant),
	  .choices = "auto code client-credentials", .fallback = "auto",
	  .brief = "code: by a user in a browser; client-credentials: the client for itself, as in CI; auto: that one with a key, or where a server with a secret knows no codes" },
	{ .name = "oauth-idp-token-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(oauth_idp_token_file),
	  .brief = "the user's identity token of the company's identity provider, which logs in to servers in place of a browser" },
	{ .name = "oauth-idp-token-endpoint", .word = "URL", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_idp_endpoint),
	  .brief = "where that provider exchanges it" },
	{ .name = "oauth-idp-client-id", .word = "ID", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_idp_client_id),
	  .brief = "the client that this program is there" },
	{ .name = "oauth-issuer", .word = "URL", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_issuer),
	  .brief = "which authorization server, where a server names several" },
	{ .name = "oauth-scope", .word = "SCOPES", .type = OPTION_TEXT,
	  .offset = PLACE(oauth_scope),
	  .brief = "the rights to ask for, blanks between, instead of those that the server names" },
	{ .name = "oauth-timeout", .word = "DURATION", .type = OPTION_DURATION,
	  .offset = PLACE(oauth_timeout), .min = 1, .fallback = "5m",
	  .brief = "longest wait for the browser to come back" },
	{ .name = "elicit", .word = "HOW", .type = OPTION_TEXT,
	  .offset = PLACE(elicit), .env = "MCPCTL_ELICIT",
	  .fallback = "ask on a terminal, else none",
	  .brief = "answer what a server asks the user: ask, accept-defaults, decline, cancel, none or @FILE" },
	{ .name = "sampling", .word = "HOW", .type = OPTION_TEXT,
	  .offset = PLACE(sampling),
	  .brief = "answer what a server asks a model: decline, @FILE or exec:COMMAND" },
	{ .name = "root", .word = "DIR", .type = OPTION_LIST,
	  .offset = PLACE(roots),
	  .brief = "a folder that the server may work in; may be given many times" },
	{ .name = "cacert", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(cacert), .env = "MCPCTL_CACERT",
	  .brief = "certificates (PEM) to trust for wss:, https: and mqtts:" },
	{ .name = "insecure", .type = OPTION_FLAG,
	  .offset = PLACE(insecure),
	  .brief = "do not verify the certificate of wss:, https: or mqtts:" },
	{ .name = "advertise", .word = "HOST|URL", .type = OPTION_TEXT,
	  .offset = PLACE(advertise), .env = "MCPCTL_ADVERTISE",
	  .brief = "the address that serve and listen: tell devices, where their own is not the one they reach" },
	{ .name = "allow-origin", .word = "ORIGIN", .type = OPTION_LIST,
	  .offset = PLACE(allow_origins),
	  .brief = "let web pages of that origin (https://HOST[:PORT]) ask at a port that serve, listen:, sim, proxy or bridge opens; may be given many times" },
	{ .name = "allow-host", .word = "NAME", .type = OPTION_LIST,
	  .offset = PLACE(allow_hosts),
	  .brief = "one more name that leads to such a port, beside IP addresses, localhost, this machine's and that of --advertise; may be given many times" },
	{ .name = "trusted-proxy", .word = "ADDRESS[/BITS]", .type = OPTION_LIST,
	  .offset = PLACE(trusted_proxies),
	  .brief = "a reverse proxy in front of such a port: the address that it forwards for (X-Forwarded-For, Forwarded) is who asked, for the log and for how much one address gets; may be given many times" },
	{ .name = "vision-url", .word = "URL", .type = OPTION_TEXT,
	  .offset = PLACE(vision_url), .env = "MCPCTL_VISION_URL",
	  .brief = "where the device uploads photos to" },
	{ .name = "vision-token-file", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(vision_token_file),
	  .brief = "token for --vision-url (or MCPCTL_VISION_TOKEN)" },
	{ .name = "serial", .word = "DEVICE[@BAUD]", .type = OPTION_LIST,
	  .offset = PLACE(serial),
	  .brief = "read the board's serial log along, at 115200 baud unless told otherwise; ALIAS=DEVICE says whose it is; may be given many times" },
	{ .name = "elf", .word = "FILE", .type = OPTION_FILE,
	  .offset = PLACE(elf),
	  .brief = "with --serial: the firmware's ELF file, to decode backtraces by" },
	{ .name = "reset", .type = OPTION_FLAG,
	  .offset = PLACE(reset),
	  .brief = "with --serial: reset the board when the port is opened" },
	{ .name = "save-images", .word = "DIR", .type = OPTION_FILE,
	  .offset = PLACE(save_images),
	  .brief = "keep the pictures that boards upload to serve, listen: or sim:" },
	{ .name = "save-audio", .word = "DIR", .type = OPTION_FILE,
	  .offset = PLACE(save_audio),
	  .brief = "keep what boards say to serve, listen: or through proxy, as Ogg Opus, a file for each utterance" },
	{ .name = "picture-max", .word = "BYTES", .type = OPTION_NUMBER,
	  .offset = PLACE(picture_max), .min = 1024, .max = 268435456,
	  .fallback = "8388608",
	  .brief = "largest picture that is taken from a board" },
	{ .name = "no-init", .type = OPTION_FLAG,
	  .offset = PLACE(no_init),
	  .brief = "do not send initialize before the command" },
	{ .name = "color", .word = "WHEN", .type = OPTION_CHOICE,
	  .offset = PLACE(color), .env = "MCPCTL_COLOR",
	  .choices = "auto always never", .fallback = "auto",
	  .brief = "colour: auto, always or never" },
	{ .name = "image", .word = "HOW", .type = OPTION_CHOICE,
	  .offset = PLACE(image), .env = "MCPCTL_IMAGE",
	  .choices = "auto off kitty sixel iterm symbols", .fallback = "auto",
	  .brief = "pictures in a result on a terminal: auto, off, or how it is to draw them: kitty, sixel, iterm, symbols" },
	{ .name = "no-pager", .type = OPTION_FLAG,
	  .offset = PLACE(no_pager),
	  .brief = "on a terminal, do not show long output in $PAGER (or 'less -FRX')" },
	{ .letter = 'h', .name = "help", .type = OPTION_FLAG,
	  .offset = PLACE(help),
	  .brief = "help on the command; with call TOOL: on the tool" },
	{ .name = "version", .type = OPTION_FLAG,
	  .offset = PLACE(version),
	  .brief = "the version; with -v also of its libraries" },
	{ .name = NULL }
};

/* clang-format on */

const struct option_row *config_setting(const char *name)
{
	static const struct option_row output = {
		.name = "output",
		.word = "FORM",
		.type = OPTION_CHOICE,
		.offset = PLACE(output),
		.choices = "text json raw",
		.brief = "form of the output: text, json or raw"
	};

	return strcmp(name, "output") == 0 ?
		       &output :
		       option_by_name(config_options, name, strlen(name));
}

void config_release(struct config *c)
{
	option_release(config_options, c);
	words_done(&c->child);
	words_done(&c->targets);
	words_done(&c->devices);
	mem_free(TAKE(c->child_target));
}

/*
 * The folder for what lasts, by the XDG rules. Opens no file.
 */

int state_file(char **out, const char *name, struct error *err)
{
	*out = user_path(&user_state, name);
	if (!*out)
		return error_set(err, ERR_USAGE,
				 "no place for '%s': HOME is not set", name);
	if (user_path_make(&user_state, *out, err) == 0)
		return 0;
	mem_free(TAKE(*out));
	return -1;
}

/*
 * Folders of the user, found and made. Opens no file.
 */

const struct user_place user_cache = { "XDG_CACHE_HOME", ".cache" };
const struct user_place user_config = { "XDG_CONFIG_HOME", ".config" };
const struct user_place user_state = { "XDG_STATE_HOME", ".local/state" };

/* NULL: not set, or what the rules say is to be ignored. */
static const char *absolute(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value == '/' ? value : NULL;
}

char *user_path(const struct user_place *place, const char *name)
{
	const char *given = absolute(place->variable);
	const char *home = absolute("HOME");

	if (given)
		return mem_printf("%s/mcpctl/%s", given, name);
	if (home)
		return mem_printf("%s/%s/mcpctl/%s", home, place->below_home,
				  name);
	return NULL;
}

static size_t without_slashes(const char *path, size_t len)
{
	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* Bytes of path that name what must be there. */
static size_t root_of(const struct user_place *place, const char *path)
{
	const char *given = absolute(place->variable);
	const char *home = absolute("HOME");
	size_t len = home ? without_slashes(home, strlen(home)) : 0;

	if (len > 1 && strncmp(path, home, len) == 0 && path[len] == '/')
		return len;
	if (!given)
		return 1; /* HOME is "/" */
	len = without_slashes(given, strlen(given));
	while (len > 1 && given[len - 1] != '/')
		len--;
	return without_slashes(given, len);
}

static int failed(const char *path, struct error *err)
{
	int why = errno;

	error_set(err, ERR_OUTPUT, "cannot make the folder '%s': %s", path,
		  strerror(why));
	return error_code(err, why);
}

static int check_root(const char *path, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr) char *root = mem_strndup(path, len);
	struct stat st;

	if (stat(root, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	error_set(err, ERR_OUTPUT, "the folder '%s' is not there", root);
	return error_code(err, ENOENT);
}

int user_path_make(const struct user_place *place, const char *path,
		   struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(path);
	size_t root = root_of(place, path);

	if (check_root(path, root, err))
		return -1;
	for (char *at = copy + root; *at; at++) {
		if (*at != '/' || at == copy)
			continue;
		*at = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			return failed(copy, err);
		*at = '/';
	}
	return 0;
}
