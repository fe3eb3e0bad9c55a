/* fuse.h - one file whose fsync, and reading, takes as long as it is told to.
 *
 * The few requests of the FUSE protocol (linux/fuse.h) that opening, reading, syncing and closing
 * it need. The mount is in no namespace, and is gone with its descriptor; who wants it seen moves
 * it. A page is asked for at a time, and who reads it waits for the page, as with a disk (state D).
 */
#ifndef FUSE_H
#define FUSE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUSE_FILE                                                                                  \
	"slow-and-of-a-name-that-is-longer-than-anything-the-kernel-keeps-for-us-to-show-it.dpkg-" \
	"new"

#define FUSE_PAGE 4096

struct fuse {
	int device, mount;
	pid_t server;
};

/* What the server does before it answers. */
struct fuse_delays {
	int gate; /* it waits for a byte from here before each; -1: it takes so long */
	int fsync_ms, read_ms;
};

static void fuse_answer(int device, uint64_t unique, int error, const void *data, size_t size)
{
	char message[FUSE_PAGE + 512];
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + size), .error = error, .unique = unique};

	memcpy(message, &head, sizeof(head));
	memcpy(message + sizeof(head), data, size);
	if (write(device, message, head.len) < 0)
		_exit(1);
}

static void fuse_hold(const struct fuse_delays *d, uint32_t opcode)
{
	char go;

	if (d->gate >= 0) {
		if (read(d->gate, &go, 1) < 0)
			_exit(1);
		return;
	}
	usleep((useconds_t)(opcode == FUSE_FSYNC ? d->fsync_ms : d->read_ms) * 1000);
}

static void fuse_serve_one(int device, const struct fuse_in_header *in, const struct fuse_delays *d)
{
	static const struct fuse_attr file = {
		.ino = 2, .mode = S_IFREG | 0600, .nlink = 1, .size = 1 << 30};
	static const struct fuse_attr root = {.ino = 1, .mode = S_IFDIR | 0700, .nlink = 2};
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
	                             .minor = 31,
	                             .flags = FUSE_ASYNC_READ,
	                             .max_readahead = FUSE_PAGE,
	                             .max_write = FUSE_PAGE};
	struct fuse_entry_out entry = {.nodeid = 2, .attr = file};
	struct fuse_attr_out attr = {.attr = in->nodeid == 2 ? file : root};
	struct fuse_open_out open_out = {.fh = 7};
	static const char page[FUSE_PAGE];
	const struct fuse_read_in *reading = (const struct fuse_read_in *)(in + 1);

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_answer(device, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		fuse_answer(device, in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		fuse_answer(device, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		fuse_answer(device, in->unique, 0, &open_out, sizeof(open_out));
		break;
	case FUSE_FSYNC:
		fuse_hold(d, in->opcode);
		fuse_answer(device, in->unique, 0, "", 0);
		break;
	case FUSE_READ:
		fuse_hold(d, in->opcode);
		fuse_answer(device, in->unique, 0, page,
		            reading->size < FUSE_PAGE ? reading->size : FUSE_PAGE);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		fuse_answer(device, in->unique, 0, "", 0);
		break;
	default:
		fuse_answer(device, in->unique, -ENOSYS, "", 0);
	}
}

static _Noreturn void fuse_serve(int device, const struct fuse_delays *d)
{
	static _Alignas(8) char request[1 << 17];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		ssize_t n = read(device, request, sizeof(request));

		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			fuse_serve_one(device, (const struct fuse_in_header *)request, d);
		else if (n >= 0 || (errno != EINTR && errno != ENOENT && errno != EAGAIN))
			_exit(0); /* unmounted */
	}
}

/* `not_served`: a descriptor that the server must not keep, or -1. False with errno if it can not
 * be had. */
static inline bool fuse_start(struct fuse *f, const struct fuse_delays *d, int not_served)
{
	int context = fsopen("fuse", FSOPEN_CLOEXEC);
	char number[16];

	f->device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(number, sizeof(number), "%d", f->device);
	if (context < 0 || f->device < 0 ||
	    fsconfig(context, FSCONFIG_SET_STRING, "fd", number, 0) < 0 ||
	    fsconfig(context, FSCONFIG_SET_STRING, "rootmode", "40000", 0) < 0 ||
	    fsconfig(context, FSCONFIG_SET_STRING, "user_id", "0", 0) < 0 ||
	    fsconfig(context, FSCONFIG_SET_STRING, "group_id", "0", 0) < 0 ||
	    fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return false;
	f->mount = fsmount(context, FSMOUNT_CLOEXEC, 0);
	close(context);
	if (f->mount < 0)
		return false;
	f->server = fork();
	if (f->server == 0) {
		/* Its own copy would keep the mount. */
		close(f->mount);
		if (not_served >= 0)
			close(not_served);
		fuse_serve(f->device, d);
	}
	return f->server > 0;
}

/* A byte written to `*ret_go` lets one fsync or read return. */
static inline bool fuse_open(struct fuse *f, int *ret_go)
{
	int gate[2];

	*ret_go = -1;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return false;
	*ret_go = gate[1];
	if (!fuse_start(f, &(struct fuse_delays){.gate = gate[0]}, gate[1]))
		return false;
	close(gate[0]);
	return true;
}

static inline void fuse_close(struct fuse *f)
{
	kill(f->server, SIGKILL);
	waitpid(f->server, NULL, 0);
	close(f->device);
	close(f->mount);
}

#endif
