/* SPDX-License-Identifier: MIT */
/*
 * Where the board of the target sim: sends its pictures: a port of its own,
 * which only this machine reaches. It listens at once, so that its address can
 * be told; what answers there is loaded when somebody knocks.
 */
#ifndef SIM_TARGET_CAMERA_H
#define SIM_TARGET_CAMERA_H

#include "net/camera.h"
#include "net/port.h"

struct target_camera { /* zeroed at first */
	struct camera camera;
	int socket; /* 0: none */
	uv_poll_t knock;
	struct port *port; /* NULL: nobody came yet */
	void (*closed)(void *owner);
	void *owner;
};

/*
 * For a board of that id. -1: as camera_open, or ERR_CONNECT: there is no port
 * to be had. The endpoint lives longer.
 */
int target_camera_open(struct target_camera *c, struct transport *t,
		       const struct endpoint *to, const char *id,
		       struct error *err);
/* Ends in closed(owner), from the loop; then it is yours to free. */
void target_camera_close(struct target_camera *c, void (*closed)(void *owner),
			 void *owner);

#endif
