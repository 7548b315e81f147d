/* SPDX-License-Identifier: MIT */
/*
 * structuredContent of a result against the tool's outputSchema (mcp.md,
 * 2025-06-18: servers must conform, clients should check).
 */

#include "mcp/client.h"
#include "mcp/schema.h"

static int refuse(const struct tool *t, const struct schema_report *report,
		  struct error *err)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	const char *path = buf_string(&report->path);

	schema_explain(report, &why);
	error_set(err, ERR_PROTOCOL,
		  "structuredContent of '%.80s' does not fit its outputSchema: "
		  "%s%.80s%s%.250s",
		  t->name, *path ? "'" : "", path, *path ? "': " : "",
		  buf_string(&why));
	return error_hint(err, "the server breaks its own promise; "
			       "--no-validate does not check");
}

int client_check_output(const struct tool *t, const struct result *r,
			struct error *err)
{
	const cJSON *schema = t ? json_object(t->json, "outputSchema") : NULL;
	const cJSON *value =
		json_member(r->message.result, "structuredContent");
	struct schema_report report = { 0 };
	int status = 0;

	/* A device that restarted as told sent no result at all. */
	if (!schema || r->is_error || !r->message.result)
		return 0;
	if (!value) {
		error_set(err, ERR_PROTOCOL,
			  "the result of '%.80s' has no structuredContent, "
			  "but the tool has an outputSchema",
			  t->name);
		return error_hint(err, "--no-validate does not check");
	}
	if (!schema_check(schema, value, &report))
		status = refuse(t, &report, err);
	schema_report_done(&report);
	return status;
}
