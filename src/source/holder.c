/* holder.c - who the holder of a lock is, and whom it works for. */
#include "holder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "descriptors.h"
#include "dpkgtop/text.h"

/* apt-get below debootstrap below a script is three; a tree read while it changes may loop. */
#define CLIMB_MAX 32
#define PATH_ROOM 32

/* By comm, which the kernel cuts to 15 characters. */
static const struct {
	const char *name;
	bool resident;
} frontends[] = {
	{"apt", false},
	{"apt-get", false},
	{"aptd", true},
	{"aptitude", true},
	{"aptitude-curses", true},
	{"cdebootstrap", false},
	{"cupt", false},
	{"debootstrap", false},
	{"do-release-upgr", false},
	{"dpkg", false},
	{"dselect", true},
	{"mmdebstrap", false},
	{"nala", false},
	{"packagekitd", true},
	{"synaptic", true},
	{"unattended-upgr", false},
	{"update-manager", true},
};

bool holder_is_frontend(const char *name)
{
	for (size_t i = 0; i < sizeof(frontends) / sizeof(*frontends); i++)
		if (!strcmp(name, frontends[i].name))
			return true;
	return false;
}

bool holder_is_resident(const char *name)
{
	for (size_t i = 0; i < sizeof(frontends) / sizeof(*frontends); i++)
		if (!strcmp(name, frontends[i].name))
			return frontends[i].resident;
	return false;
}

int holder_name(const struct roots *roots, int32_t pid, char *ret, size_t size)
{
	char path[PATH_ROOM], text[64];
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/comm", pid);
	len = roots_read(roots->proc, path, text, sizeof(text));
	if (len < 0)
		return (int)len;
	if (len && text[len - 1] == '\n')
		len--;
	text_printable(ret, size, text, (size_t)len);
	return 0;
}

/* As seen from here, the map of our own namespace is told by its parent's numbers and that of any
 * other by ours, so that only a namespace in which everybody is who he is here looks the same.
 * Kernels without user namespaces have no such file. */
static bool shares_users(const struct roots *roots, int32_t pid)
{
	char path[PATH_ROOM], own[1024], other[1024];
	ssize_t len = roots_read(roots->proc, "self/uid_map", own, sizeof(own));

	if (len == -ENOENT)
		return true;
	snprintf(path, sizeof(path), "%" PRId32 "/uid_map", pid);
	return len >= 0 && roots_read(roots->proc, path, other, sizeof(other)) >= 0 &&
	       !strcmp(own, other);
}

bool holder_is_root(const struct roots *roots, int32_t pid)
{
	char path[PATH_ROOM], text[1024];
	unsigned int real, effective;
	const char *at;
	ssize_t len;

	snprintf(path, sizeof(path), "%" PRId32 "/status", pid);
	len = roots_read(roots->proc, path, text, sizeof(text));
	if (len < 0 && len != -EFBIG)
		return false;
	/* A newline in the name, in the first line, is escaped. */
	at = strstr(text, "\nUid:");
	return at && sscanf(at, " Uid: %u %u", &real, &effective) == 2 && real == 0 &&
	       effective == 0 && shares_users(roots, pid);
}

struct process_counters holder_climb(const struct roots *roots, struct process_counters p)
{
	struct process_counters parent;
	bool root = false;

	for (int i = 0; i < CLIMB_MAX && p.parent > 1; i++) {
		if (process_identify(roots, p.parent, &parent) < 0 ||
		    !holder_is_frontend(parent.name))
			break;
		/* Its parent ended, and the number is another's by now. */
		if (parent.start_ticks > p.start_ticks)
			break;
		if (!i)
			root = holder_is_root(roots, p.pid);
		if (holder_is_root(roots, parent.pid) != root)
			break;
		p = parent;
	}
	return p;
}

/* "/x/var/lib/dpkg/lock" -> "/x": dpkg --root=/x works from outside. */
static void root_of_lock(const char *lock, char *ret, size_t size)
{
	static const char database[] = "/var/lib/dpkg";
	size_t len = (size_t)(strrchr(lock, '/') - lock);

	if (len >= strlen(database) &&
	    !memcmp(lock + len - strlen(database), database, strlen(database)))
		len -= strlen(database);
	if (len)
		text_printable(ret, size, lock, len);
	else
		text_printable_string(ret, size, "?");
}

int holder_where(const struct roots *roots, int32_t pid, const char *lock, char *ret, size_t size)
{
	struct descriptor_file own, other;
	char path[PATH_ROOM], link[4096];
	ssize_t len;

	*ret = '\0';
	snprintf(path, sizeof(path), "%" PRId32 "/root", pid);
	len = readlinkat(roots->proc, path, link, sizeof(link));
	if (len <= 0 || descriptor_file(roots->proc, path, &other) < 0 ||
	    descriptor_file(AT_FDCWD, "/", &own) < 0) {
		if (lock)
			text_printable_string(ret, size, "?");
		return -ESRCH;
	} else if (own.device == other.device && own.inode == other.inode) {
		if (lock)
			root_of_lock(lock, ret, size);
	} else if (len == 1) {
		text_printable_string(ret, size, "?");
	} else {
		text_printable(ret, size, link, (size_t)len);
	}
	return 0;
}
