// SPDX-License-Identifier: Dual MIT/GPL
/*
 * Keep a CPU for a known time, for tests: writing "WHAT MS TIMES PAUSE_MS" into /proc/lockup does so in the writer's
 * thread. WHAT is irq (interrupts are off) or preempt (only preemption is). "percpu SIZE COUNT 0" allocates per-CPU
 * memory, which is freed with the module, and as much that is freed at once.
 */
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

static noinline void keep_cpu(u64 ns)
{
	u64 end = ktime_get_ns() + ns;

	while (ktime_get_ns() < end)
		cpu_relax();
}

static noinline void lockup_irq(u64 ns)
{
	local_irq_disable();
	keep_cpu(ns);
	local_irq_enable();
}

static noinline void lockup_preempt(u64 ns)
{
	preempt_disable();
	keep_cpu(ns);
	preempt_enable();
}

static void __percpu *kept[64];
static unsigned int n_kept;

static noinline void leak_percpu(unsigned int size, unsigned int count)
{
	for (unsigned int i = 0; i < count && n_kept < ARRAY_SIZE(kept); i++) {
		void __percpu *once = __alloc_percpu(size, 8);

		kept[n_kept++] = __alloc_percpu(size, 8);
		free_percpu(once);
	}
}

static ssize_t lockup_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	unsigned int ms, times, pause;
	char line[64], what[16];

	if (size >= sizeof(line) || copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = '\0';
	if (sscanf(line, "%15s %u %u %u", what, &ms, &times, &pause) != 4)
		return -EINVAL;
	if (!strcmp(what, "percpu")) {
		leak_percpu(ms, times);
		return size;
	}
	for (unsigned int i = 0; i < times; i++) {
		if (!strcmp(what, "irq"))
			lockup_irq((u64)ms * NSEC_PER_MSEC);
		else
			lockup_preempt((u64)ms * NSEC_PER_MSEC);
		/* Busy as well: an idle CPU's clock proves nothing. */
		keep_cpu((u64)pause * NSEC_PER_MSEC);
	}
	return size;
}

static const struct proc_ops lockup_ops = { .proc_write = lockup_write };

static int __init lockup_init(void) { return proc_create("lockup", 0200, NULL, &lockup_ops) ? 0 : -ENOMEM; }

static void __exit lockup_exit(void)
{
	remove_proc_entry("lockup", NULL);
	while (n_kept)
		free_percpu(kept[--n_kept]);
}

module_init(lockup_init);
module_exit(lockup_exit);
MODULE_LICENSE("Dual MIT/GPL");
