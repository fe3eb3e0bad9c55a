/* command.c - the table of commands. */
#include "dpkgtop/command.h"

#include <stddef.h>

const struct command *const commands[] = {&command_watch,  &command_run,    &command_record,
                                          &command_replay, &command_report, &command_compare,
                                          &command_demo,   &command_doctor, NULL};
