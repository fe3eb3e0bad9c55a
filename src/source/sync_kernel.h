/* sync_kernel.h - what the BPF program reads of the kernel's structs. */
#ifndef SOURCE_SYNC_KERNEL_H
#define SOURCE_SYNC_KERNEL_H

#include "sync_bpf.h"

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;

#define NS_LEVELS         32 /* MAX_PID_NS_LEVEL, include/linux/pid_namespace.h */
#define PIDS_TGID         1 /* PIDTYPE_TGID, include/linux/pid.h: no type in BTF, since 4.19 the same */
#define SIGNAL_GROUP_EXIT 4 /* include/linux/sched/signal.h */

/* Members are found by their names when the program is loaded: their places here mean nothing. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct ns_common {
	unsigned int inum;
};
struct pid_namespace {
	struct ns_common ns;
};
struct upid {
	int nr;
	struct pid_namespace *ns;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
typedef struct {
	int counter;
} atomic_t;
struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
	struct pid *pids[4];
	unsigned long long sum_sched_runtime;
};
struct qstr {
	u32 len;
	const unsigned char *name;
};
struct dentry {
	struct qstr d_name;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct path f_path;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct mm_struct {
	unsigned long arg_start, arg_end;
};
struct sched_entity {
	u64 sum_exec_runtime;
};
struct task_struct {
	int pid, tgid, exit_code;
	long state;           /* until 5.13, */
	unsigned int __state; /* and since */
	unsigned int flags;
	int on_cpu;
	u64 start_boottime;
	struct sched_entity se;
	struct task_struct *group_leader, *real_parent;
	struct signal_struct *signal;
	struct files_struct *files;
	struct mm_struct *mm;
	char comm[COMM_ROOM];
};
struct linux_binprm {
	const char *filename;
};
struct bpf_iter__task {
	struct task_struct *task;
};
#pragma clang attribute pop

/* struct syscall_tp_t of kernel/trace/trace_syscalls.c */
struct enter {
	u64 common;
	int number, unused;
	unsigned long args[6];
};

#endif
