/* recording.c - any bytes as a recording, folded into a model. For libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dpkgtop/model.h"
#include "dpkgtop/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct recording *r;
	struct frame f;
	struct model m;
	struct err e;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	model_init(&m);
	if (recording_open(&r, path, &e) == 0) {
		int frames = 0, result;

		/* Beyond a damaged line too, as a more patient reader would; but an error of the
		 * file itself stays. */
		while (frames < 10000 && (result = recording_read(r, &f, &e)) != 0) {
			frames++;
			if (result > 0)
				model_add(&m, &f);
		}
		recording_free(r);
	}
	model_done(&m);
	close(fd);
	return 0;
}
