/* Functions that each touch data of one type, for data_types.sh: hot instructions load and store what the name says. */
#include <stdint.h>
#include <stdlib.h>

typedef struct { int x, y; } point_t;
struct inner { int a; long b[4]; };
struct node { struct node *next; long key; struct inner in; union { int i; float f; } u; point_t at[3]; };
static struct node *list;
struct inner outside;
static struct inner hidden;
double table[1024];
volatile uint32_t counter;
#define KEPT __attribute__((noinline))
/* Many accesses in a row: a sample bears the address of a next instruction, which should be one of them. */
#define FOUR(access) do { access; access; access; access; } while (0)
#define MANY(access) do { FOUR(access); FOUR(access); FOUR(access); FOUR(access); } while (0)
#define LOOP(access) \
	for (int i = 0; i < rounds; i++) { MANY(access); }
#define AGAIN __asm__ volatile("" ::: "memory")

KEPT struct node *chased(struct node *n, int rounds) { LOOP(n = n->next; AGAIN); return n; }
KEPT void nested(struct node *n, int rounds) { LOOP(n->in.a += i; AGAIN); }
KEPT void united(struct node *n, int rounds) { LOOP(n->u.i += i; AGAIN); }
KEPT void in_array(struct node *n, int rounds) { LOOP(n->at[1].y += i; AGAIN); }
KEPT void twice(struct node **n, int rounds) { LOOP({ struct node *m = *n; m->key += i; AGAIN; m->key += i; AGAIN; }); }
KEPT void at_fixed(int rounds) { LOOP(outside.b[1] += i; AGAIN); }
KEPT void not_exported(int rounds) { LOOP(hidden.a += i; AGAIN); }
KEPT void through_typedef(const volatile point_t *p, int rounds) { LOOP((void)p->y); }
KEPT void elements(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		double *at = &table[i & 1023];
		MANY(*at += 1; AGAIN);
	}
}
KEPT void plain(int rounds) { LOOP(counter++); }
KEPT struct node *given(void) { __asm__ volatile(""); return list; }
KEPT void from_call(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		struct node *n = given();
		MANY(n->in.b[0] += i; AGAIN);
	}
}
KEPT void local(int rounds) { volatile int on_stack = 0; LOOP(on_stack += i); }

int main(void)
{
	enum { ROUNDS = 4000 };

	for (int i = 0; i < 100; i++) {
		struct node *n = calloc(1, sizeof(*n));

		n->next = list ? list->next : n;
		if (list)
			list->next = n;
		list = n;
	}
	for (int round = 0; round < 400; round++) {
		chased(list, ROUNDS);
		nested(list, ROUNDS);
		united(list, ROUNDS);
		in_array(list, ROUNDS);
		twice(&list, ROUNDS);
		at_fixed(ROUNDS);
		not_exported(ROUNDS);
		through_typedef(list->at, ROUNDS);
		elements(ROUNDS);
		plain(ROUNDS);
		from_call(ROUNDS);
		local(ROUNDS);
	}
	return 0;
}
