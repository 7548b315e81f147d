/* SPDX-License-Identifier: MIT */
#include "bridge/task_call.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp/tasks.h"

void task_call_done(struct task_call *t)
{
	mem_free(t->id);
	*t = (struct task_call){ 0 };
}

const char *task_call_params(const struct task_call *t, const char *params,
			     struct buf *room)
{
	if (!t->wanted)
		return params;
	buf_add(room, params, strlen(params) - 1);
	buf_text(room, ",\"task\":{}}");
	return buf_string(room);
}

int task_call_begun(struct task_call *t, const struct message *reply,
		    struct error *err)
{
	const cJSON *json = json_object(reply->result, "task");
	CLEANUP(task_done) struct task task = { 0 };

	if (!t->wanted || t->id || !json)
		return 0;
	if (task_read(&task, json, err))
		return -1;
	t->id = TAKE(task.id);
	return 1;
}

void task_call_which(const struct task_call *t, struct buf *params)
{
	json_add_object(params, "taskId", t->id);
}
