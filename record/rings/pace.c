/* Choose priority, CPU and timing of a thread that reads rings. */
#include "record/rings/pace.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	AIM = 64,   /* share of a ring to find at a look, in 256ths */
	LATE = 160, /* more than this means that we ran late: the kernel woke us at 128 */
	/* a ring that fills to AIM slower than this needs no timer: wait for the kernel */
	FLOOD_US = 10000,
	/*
	 * slower than this needs no priority: on a busy machine a normal thread runs about 100
	 * ms late
	 */
	HURRY_US = 100000,
	JUDGE_US = 1000000,
	SOON_US = 500,
};

static uint64_t clock_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t pace_now_us(void) { return clock_us(CLOCK_MONOTONIC); }

/*
 * Ask for short time slices. The scheduler (Linux 6.12) then runs us soon after a ring fills
 * up, without giving us more CPU time. Older kernels only look at the nice value, which stays
 * unchanged. Source: sched_setattr(2), linux/sched/types.h.
 */
static void ask_for_short_turns(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime_ns, deadline_ns, period_ns;
	} attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0 || attr.policy != SCHED_OTHER)
		return;
	attr.flags = 0;
	attr.runtime_ns = 100000; /* the minimum */
	syscall(SYS_sched_setattr, 0, &attr, 0);
}

void pace_go(struct pace *p, int cpu)
{
	cpu_set_t there;

	if (cpu == p->at || cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &p->home))
		return;
	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	if (sched_setaffinity(0, sizeof(there), &there) == 0)
		p->at = cpu;
}

static void go_home(struct pace *p)
{
	if (p->at >= 0)
		sched_setaffinity(0, sizeof(p->home), &p->home);
	p->at = -1;
}

static void be_ordinary(struct pace *p)
{
	struct sched_param none = { 0 };

	if (p->urgent)
		sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none); /* not everyone may clear the flag */
	p->urgent = false;
	go_home(p);
}

static void be_urgent(struct pace *p)
{
	struct sched_param least = { .sched_priority = 1 };

	/* Without permission it stays an ordinary thread. */
	p->urgent = p->may_hurry = sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

static int take_priority(int priority, struct err *e)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param) == 0)
		return 0;
	err_sys(e, "cannot take realtime priority %d", priority);
	return err_try(e, "a priority from 1 to 99, as root");
}

int pace_try(int priority, struct err *e)
{
	struct sched_param before;
	int policy = sched_getscheduler(0);

	if (policy < 0 || sched_getparam(0, &before) < 0)
		return err_sys(e, "cannot ask for our priority");
	if (take_priority(priority, e) < 0)
		return -1;
	sched_setscheduler(0, policy, &before);
	return 0;
}

int pace_start(struct pace *p, int priority, bool may_move, struct err *e)
{
	*p = (struct pace){ .may_hurry = !priority,
			    .given = priority,
			    .at = -1,
			    .looked_us = pace_now_us(),
			    .cpu_us = clock_us(CLOCK_THREAD_CPUTIME_ID) };
	p->judged_us = p->looked_us;
	p->may_move = may_move && sched_getaffinity(0, sizeof(p->home), &p->home) == 0;
	if (priority)
		return take_priority(priority, e);
	ask_for_short_turns();
	be_urgent(p); /* we do not know the rate yet, and everything that starts now competes with us */
	return 0;
}

void pace_be_patient(struct pace *p)
{
	be_ordinary(p);
	p->patient = true;
	p->may_hurry = p->may_move = false;
}

/*
 * Check once per JUDGE_US whether to stay urgent. A reader that needs more than half a CPU, for
 * example to compress, takes it from others: make it ordinary. A flood is over only when none
 * occurred in the whole interval: it has pauses, and a reader that relaxes in one of them is
 * late for the rest.
 */
static void judge(struct pace *p, uint64_t now_us)
{
	uint64_t cpu_us = clock_us(CLOCK_THREAD_CPUTIME_ID);

	p->may_hurry &= !p->urgent || cpu_us - p->cpu_us <= (now_us - p->judged_us) / 2;
	if (!p->may_hurry || !p->hurried)
		be_ordinary(p);
	if (!p->flooded)
		p->flood_us = 0;
	p->hurried = p->flooded = false;
	p->judged_us = now_us;
	p->cpu_us = cpu_us;
}

/* Estimate how fast rings fill up; return true when there is reason to hurry. */
static bool estimate(struct pace *p, uint64_t now_us, unsigned fullest)
{
	uint64_t aim_us = fullest ? (now_us - p->looked_us) * AIM / fullest : UINT64_MAX;
	bool hurried = aim_us <= HURRY_US || fullest > LATE;

	p->looked_us = now_us;
	p->flood = aim_us <= FLOOD_US;
	p->hurried |= hurried;
	p->flooded |= p->flood;
	if (p->flood)
		p->flood_us = aim_us;
	return hurried;
}

/* Floods come in bursts: after a pause, expect the same rate. */
static void set_next(struct pace *p) { p->again_us = p->flood || p->urgent ? p->flood_us : 0; }

void pace_others_looked(struct pace *p, uint64_t now_us, unsigned fullest)
{
	if (p->patient)
		return;
	estimate(p, now_us, fullest);
	set_next(p);
}

void pace_looked(struct pace *p, uint64_t now_us, unsigned fullest)
{
	/* A look just after another one says nothing about the rate. */
	bool tells = now_us - p->looked_us >= SOON_US || fullest >= AIM;

	if (p->patient)
		return;
	if (tells && estimate(p, now_us, fullest) && p->may_hurry && !p->urgent)
		be_urgent(p);
	if (now_us - p->judged_us >= JUDGE_US)
		judge(p, now_us);
	set_next(p);
}

int pace_timeout(const struct pace *p, int limit_ms)
{
	int again_ms = (int)((p->again_us + 999) / 1000);

	return p->again_us && again_ms < limit_ms ? again_ms : limit_ms;
}

void pace_end(struct pace *p)
{
	p->urgent |= p->given;
	be_ordinary(p);
}
