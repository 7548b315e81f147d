/* SPDX-License-Identifier: MIT */
/* What a pretend device answers where a profile has recorded answers. */
#ifndef SIM_PRETEND_REPLIES_H
#define SIM_PRETEND_REPLIES_H

#include "sim/pretend.h"

/*
 * As it was recorded; a call that was not gets an error that says so. False: it
 * is for the firmware to answer (another method, a notification).
 */
bool pretend_answer_recorded(struct pretend *d, const cJSON *payload);

#endif
