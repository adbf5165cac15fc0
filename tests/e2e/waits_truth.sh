#!/bin/bash
# waits: whom a chain of waiting threads leads to, who is idle, and how long a thread ran by the kernel's own count.
. "$(dirname "$0")/lib.sh"
. "$STROBE_SOURCE/tests/e2e/lib_record.sh"
may_record
need_can system sched:sched_waking
need python3 taskset
cat >truth.c <<'EOF2'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define OWN      __attribute__((noinline))
#define KEEP_OWN __asm__ volatile("")
enum { POOL = 4 };
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t jobs = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
OWN static void nap(long ms)
{
	nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
	KEEP_OWN;
}
OWN void spin(long ms)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < ms);
	KEEP_OWN;
}
/*
 * C holds lock two and computes; B holds lock one and wants two; A wants one. Each waits for the step before its own,
 * so that the chain is the same on a busy machine. A measures how long it waits.
 */
static atomic_bool c_holds, b_holds, a_wants;
static long long waited_ns;
static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
OWN void compute_under_lock(void)
{
	pthread_mutex_lock(&two);
	c_holds = true;
	while (!a_wants)
		nap(1);
	spin(300);
	pthread_mutex_unlock(&two);
	KEEP_OWN;
}
OWN void hold_and_want(void)
{
	pthread_mutex_lock(&one);
	b_holds = true;
	pthread_mutex_lock(&two);
	pthread_mutex_unlock(&two);
	pthread_mutex_unlock(&one);
	KEEP_OWN;
}
OWN void want(void)
{
	waited_ns = -now_ns();
	a_wants = true;
	pthread_mutex_lock(&one);
	waited_ns += now_ns();
	pthread_mutex_unlock(&one);
	KEEP_OWN;
}
static void *c(void *none)
{
	pthread_setname_np(pthread_self(), "chain-c");
	compute_under_lock();
	return none;
}
static void *b(void *none)
{
	pthread_setname_np(pthread_self(), "chain-b");
	while (!c_holds)
		nap(1);
	hold_and_want();
	return none;
}
static void *a(void *none)
{
	pthread_setname_np(pthread_self(), "chain-a");
	while (!b_holds)
		nap(1);
	want();
	return none;
}
static void *idler(void *none)
{
	pthread_setname_np(pthread_self(), "pool");
	pthread_mutex_lock(&jobs);
	for (;;)
		pthread_cond_wait(&work, &jobs);
	return none;
}
/* Prints its number and how long it ran, in ns, by /proc. */
static void *runner(void *none)
{
	char line[100] = "";
	FILE *f;

	pthread_setname_np(pthread_self(), "runner");
	for (int i = 0; i < 20; i++) {
		spin(5);
		nap(1);
	}
	f = fopen("/proc/thread-self/schedstat", "r");
	if (!f || !fgets(line, sizeof(line), f))
		abort();
	printf("%d %s", gettid(), line);
	fclose(f);
	return none;
}
int main(void)
{
	pthread_t t[4], pool;

	for (int i = 0; i < POOL; i++)
		pthread_create(&pool, NULL, idler, NULL);
	nap(10); /* so that they wait */
	pthread_create(&t[0], NULL, a, NULL);
	pthread_create(&t[1], NULL, b, NULL);
	pthread_create(&t[2], NULL, c, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_create(&t[3], NULL, runner, NULL);
	pthread_join(t[3], NULL);
	printf("%lld\n", waited_ns);
	fflush(stdout);
	_exit(0);
}
EOF2
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o truth truth.c -lpthread || exit 1
# In some virtual machines a CPU that idles reports nothing, except for the first.
stolen_ticks() { awk -v cpu="cpu$one_cpu" '$1 == cpu { print $9 }' /proc/stat; }	# proc_stat(5)
before=$(stolen_ticks)
must sh -c '"$STROBE" record --waits --stack-rate=0 -m 8M -q -o w.data taskset -c $one_cpu ./truth >schedstat'
export stolen=$((($(stolen_ticks) - before) * 1000000000 / $(getconf CLK_TCK)))
"$STROBE" waits -j -E 0 -i w.data >all
"$STROBE" waits -j -E 0 --chain -i w.data >chain
# Some kernels show no event of certain threads of the system, nor then how long one of these ran: the CPU leaves
# another thread than the one that it went to.
"$STROBE" script -i w.data --ns -F cpu,time,event,trace 2>/dev/null >switches
cat >ask.py <<'EOF2'
import json, os, re, sys
def load(name):
    return [json.loads(line) for line in open(name)]
threads = [o for o in load("all") if "thread" in o]
rows, followed = ([o for o in load(name) if "victim" in o] for name in ("all", "chain"))
def blocked(name, kind):
    return sum(t["blocked"][kind] for t in threads if t["thread"]["comm"] == name)
def due(of, victim, waker, function):
    return sum(r["ns"] for r in of if r["victim"] == victim and r["waker"] == waker and r["kind"] == "lock"
               and function in r["waker_stack"])
# Reading ends before the thread does: it runs slightly longer.
words = open("schedstat").read().split()
tid, ran, slices, waited = int(words[0]), int(words[1]), int(words[3]), int(words[-1])
def on_cpu(name):
    return sum(t["running"] + t["runnable"] for t in threads if t["thread"]["comm"] == name)
def hidden_on(cpu):
    went, since, total = None, 0, 0
    form = re.compile(r"\[(\d+)\] +(\d+)\.(\d{9}): +sched:sched_switch: .* prev_pid=(\d+) .* next_pid=(\d+) ")
    for cpu_of, s, ns, left, to in map(re.Match.groups, filter(None, map(form.search, open("switches")))):
        if int(cpu_of) == cpu:
            now = int(s + ns)
            total += now - since if went not in (None, left) else 0
            went, since = to, now
    assert went
    return total
hidden = hidden_on(int(os.environ["one_cpu"]))
stolen = int(os.environ["stolen"])
runner = next(t for t in threads if t["thread"]["tid"] == tid)
print("ran %d in %d slices, by the recording %d; on the CPU, %d not seen, the host took %d" %
      (ran, slices, runner["running"], hidden, stolen), file=sys.stderr)
for question in sys.argv[1:]:
    holds = bool(eval(question))
    print(holds)
    if not holds:
        print("waited", waited, "on CPU", *("%s %d" % (n, on_cpu(n)) for n in ("chain-a", "chain-b", "chain-c")),
              *((r["victim"], r["kind"], r["waker"], r["ns"], r["waker_stack"][:4]) for r in rows + followed
                if r["victim"].startswith("chain-") and r["ns"] > 1e5), sep="\n", file=sys.stderr)
EOF2
# One start of Python answers them all, in their order.
asked=() says=()
holds() { says+=("$1") asked+=("$2"); }
# The C library keeps no frame pointer: who calls it is not in the stack, who calls that one is.
# spin() counts in whole milliseconds. A waited all the time that it measured, except when it ran or was ready to run.
# C made it wait all that time, except when B ran or was ready to run.
holds "A waits some 300 ms for its lock, by its own clock and by the recording" \
	'waited >= 298e6 and blocked("chain-a", "lock") >= 0.99 * waited - on_cpu("chain-a") - hidden'
holds "B made A wait, says the wakeup" \
	'due(rows, "chain-a", "chain-b", "b") >= 0.99 * waited - on_cpu("chain-a") - hidden'
holds "with the chain followed, C made A wait, where it computed under the lock" \
	'due(followed, "chain-a", "chain-c", "c") >= 0.99 * waited - on_cpu("chain-a") - on_cpu("chain-b") - hidden'
holds "and neither B nor its waits are what A waited for then" \
	'due(followed, "chain-a", "chain-b", "") <= on_cpu("chain-b") + 0.01 * waited + hidden'
holds "a pool without work is idle, not blocked by a lock" \
	'blocked("pool", "lock") == 0 and blocked("pool", "idle") > 4 * 300e6'
holds "idle time is one row" \
	'([r["kind"] for r in rows if r["victim"] == "[idle]"] == ["idle"] and
	 not any(r["victim"] == "pool" for r in rows))'
holds "all kinds add up to the wall time" \
	'all(t["wall"] == t["running"] + t["runnable"] + sum(t["blocked"].values()) for t in threads)'
# Each time that the thread leaves its CPU, the kernel counts some microseconds of the switch as the thread's.
# The kernel's own time leaves out interrupts and what the host of a virtual machine took meanwhile, which is much where
# other machines are busy.
holds "running time is the kernel's, within 1 %, and what the kernel leaves out or does not show" \
	'-0.01 * ran - 300e3 - 30e3 * slices - hidden < runner["running"] - ran < 0.25 * ran + 20e6 + hidden + stolen'
mapfile -t answers < <(python3 ask.py "${asked[@]}" 2>ran)
cat ran
for i in "${!says[@]}"; do
	check "${says[i]}: '${asked[i]}' holds" test "${answers[i]:-}" = True
done
"$STROBE" waits -E 0 -i w.data >pool
check "text: the row says idle" grep -Eq '^ +[0-9.]+ ms +idle +4 x' pool
# Without tracepoints: context switches of the program alone.
must "$STROBE" record -q -e dummy:u --switch-events -o switches.data taskset -c $one_cpu sleep 0.1
"$STROBE" waits -j -i switches.data >reduced
check "switches alone tell how long a thread ran and was away" python3 -c '
import json
t = next(o for o in map(json.loads, open("reduced")) if o["thread"]["comm"] == "sleep")
exit(not (t["reduced"] and t["blocked"]["other"] > 99e6 and 0 < t["running"] < 99e6 and
          t["wall"] == t["running"] + t["runnable"] + t["blocked"]["other"]))'
"$STROBE" waits -i switches.data >text
check "a message tells what switches alone cannot show" \
	sh -c 'grep -q "^# Reduced" text && ! grep -q "Who made whom" text'
keep_level
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir theirs && chmod 777 theirs && chmod 755 .
	nobody() { (cd theirs && setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }
	if ! nobody test -r /sys/kernel/tracing/events/sched/sched_switch/id && nobody test -x "$STROBE"; then
		nobody "$STROBE" record --waits -o own.data sleep 0.1 2>said
		check "record --waits of an ordinary user says what it can do" \
			grep -q "You may not read tracepoints" said
		check "the user's own waits are recorded" \
			sh -c '"$STROBE" waits -f -i theirs/own.data | grep -q " sleep\["'
	fi
fi
finish
