/* load.c - a recording as a model. */
#include "load.h"

#include <errno.h>

#include "dpkgtop/command.h"
#include "dpkgtop/recording.h"

int load_model(const char *path, struct model *m, bool *ret_cut, struct err *e)
{
	struct recording *recording;
	struct frame f;
	int r = recording_open(&recording, path, e);

	if (r < 0)
		return r;
	while ((r = recording_read(recording, &f, e)) > 0)
		model_add(m, &f);
	*ret_cut = recording_cut(recording);
	recording_free(recording);
	return r;
}

int load_status(int result)
{
	switch (result) {
	case 0:
		return STATUS_OK;
	case -EBADMSG:
	case -EPROTO:
		return STATUS_DAMAGED;
	default:
		return STATUS_FAILURE;
	}
}
