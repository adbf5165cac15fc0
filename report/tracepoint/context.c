#include "report/tracepoint/context.h"

/* Bits of common_flags. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_RESCHED_LAZY = 0x02,
	FLAG_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT_RESCHED = 0x20,
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static char resched_letter(uint8_t flags)
{
	/* by the bits: will reschedule, at preemption, lazily */
	static const char letters[] = ".npNlbLB";

	return letters[(flags & FLAG_RESCHED ? 1 : 0) + (flags & FLAG_PREEMPT_RESCHED ? 2 : 0) +
		       (flags & FLAG_RESCHED_LAZY ? 4 : 0)];
}

static char context_letter(uint8_t flags)
{
	bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ;

	if (flags & FLAG_NMI)
		return hard ? 'Z' : 'z';
	return hard && soft ? 'H' : hard ? 'h' : soft ? 's' : '.';
}

void trace_context_text(uint8_t flags, uint8_t preempt, struct out *o)
{
	static const char digits[] = ".123456789abcdef";
	bool irqs = flags & FLAG_IRQS_OFF, softirqs = flags & FLAG_BH_OFF;

	out_char(o, irqs && softirqs ? 'D' : irqs ? 'd' : softirqs ? 'b' : '.');
	out_char(o, resched_letter(flags));
	out_char(o, context_letter(flags));
	out_char(o, digits[preempt & 0xf]);
}
