/* load.c - a recording as a model. */
#include "load.h"

#include <errno.h>
#include <string.h>

#include "dpkgtop/command.h"

int load_headless(const struct recording *recording, const char *path, struct err *e)
{
	if (!recording_headless(recording))
		return 0;
	return err_set(e, -EBADMSG,
	               "%s: is empty or cut off in its first line: nothing can be told of it",
	               strcmp(path, "-") == 0 ? "standard input" : path);
}

int load_model(const char *path, struct model *m, bool *ret_cut, struct err *e)
{
	struct recording *recording;
	struct frame f;
	int r = recording_open(&recording, path, e);

	if (r < 0)
		return r;
	while ((r = recording_read(recording, &f, e)) > 0)
		model_add(m, &f);
	if (r == 0)
		r = load_headless(recording, path, e);
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
