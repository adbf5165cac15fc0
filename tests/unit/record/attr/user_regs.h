#ifndef TESTS_UNIT_RECORD_ATTR_USER_REGS_H
#define TESTS_UNIT_RECORD_ATTR_USER_REGS_H

/* Include after cmocka.h. Skip on processors whose user registers strobe cannot record. */
static inline void need_user_regs(void)
{
#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__) && !defined(__arm__) && !defined(__riscv)
	skip();
#endif
}

#endif
