/* event.c - something that happened at one instant. */
#include "dpkgtop/event.h"

#include <string.h>

#include "dpkgtop/field.h"
#include "dpkgtop/units.h"

bool event_is_initramfs_package(const char *name)
{
	/* The providers of Debian's virtual package linux-initramfs-tool. */
	static const char *const builders[] = {"initramfs-tools", "dracut", "tiny-initramfs", NULL};

	return word_find(builders, name, strlen(name)) >= 0;
}

int64_t event_time(const struct event *e)
{
	int64_t ago_ns = e->kind == EVENT_PACKAGE ? e->package.ago_ns
	                 : e->kind == EVENT_EXEC  ? e->exec.ago_ns
	                 : e->kind == EVENT_EXIT  ? e->exit.ago_ns
	                 : e->kind == EVENT_SLOW  ? e->slow.ago_ns
	                                          : 0;

	return ago_ns == UNKNOWN_NS ? e->at.mono_ns : e->at.mono_ns - ago_ns;
}

bool event_equal(const struct event *a, const struct event *b)
{
	return a->kind == b->kind && field_equal(field_stamp, &a->at, &b->at) &&
	       field_equal(field_event(a->kind), a, b);
}
