/* sync_maps.h - what the BPF program keeps. */
#ifndef SOURCE_SYNC_MAPS_H
#define SOURCE_SYNC_MAPS_H

#include "sync_kernel.h"

#define TREE_MAX    8192
#define THREADS_MAX 4096
#define SLOTS_MAX   4096 /* of the tree; those of strangers come after them */
#define OUTSIDE_MAX 1024
#define NAMES_MAX   64
#define RING_SIZE   (512 * 1024) /* a page of it counts twice in the reader's memory */

/* Set before loading. */
const volatile __u32 namespace_inode; /* the viewer's pid namespace; 0: it is the first one */
/* Of system calls on this machine. */
const volatile int fdatasync_number, syncfs_number, msync_number;
const volatile __u64 tick_ns = 10000000;
const volatile __u64 slow_ns = 100000000;

/* All that a switch of threads looks at, some thousand times a second, and then mostly in a CPU
 * that was idle: in one cache line. */
struct tree_now tree __attribute__((aligned(64)));
/* By `watching`, as the tallies. */
struct in_sync in_syncs[2] __attribute__((aligned(64)));
/* How long those run already of whom that is not known yet, ns: the iterator adds to it. */
__u64 awake;

/* Read by it. */
__u64 lost, missed, full, compat, outside;
/* Of the tree's slots, of strangers', and of the members, how many from the first one on were ever
 * used. */
__u64 slots_used, outside_used, members_used;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TREE_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct member);
} members SEC(".maps");

/* Which of them has which pid. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TREE_MAX);
	__type(key, u32);
	__type(value, u32);
} member_places SEC(".maps");

/* Which are not in use; as `spare` below. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, TREE_MAX);
	__type(value, u32);
} member_spare SEC(".maps");

/* Programs to be told of, by comm, and their MEMBER_ flags; filled by the reader. Those known by
 * their path, as scripts are, are not here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, NAMES_MAX);
	__type(key, char[COMM_ROOM]);
	__type(value, u32);
} names SEC(".maps");

/* Pids are taken from a process before it is freed: here is what they were. Only for a viewer in
 * a namespace; by the kernel's own pid. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u32);
} leaving SEC(".maps");

/* Of the tree's threads, by the kernel's id; stays until that ends, since a value changed in place
 * costs less than one that comes and goes with each call. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS_MAX);
	__type(key, u32);
	__type(value, struct flight);
} flights SEC(".maps");

/* When the call began that a thread is in that is not of the tree. They have maps of their own:
 * however many sync, they take no room from the tree. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, OUTSIDE_MAX);
	__type(key, u32);
	__type(value, u64);
} strangers SEC(".maps");

/* Which slot is whose. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SLOTS_MAX + OUTSIDE_MAX);
	__type(key, struct sync_key);
	__type(value, u32);
} places SEC(".maps");

/* Which are not in use; filled by the reader, lowest on top. A stack, since an atomic addition that
 * gives the former value came with Linux 5.12 only. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, SLOTS_MAX);
	__type(value, u32);
} spare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, OUTSIDE_MAX);
	__type(value, u32);
} outside_spare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SLOTS_MAX + OUTSIDE_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct sync_slot);
} slots SEC(".maps");

/* By call and class; also mapped by the reader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, N_SYNC_CALLS *N_SYNC_CLASSES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct latency_value);
} latencies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SIZE);
} ring SEC(".maps");

#endif
