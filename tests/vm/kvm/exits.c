/*
 * A virtual machine with a known number of exits: one HLT, 1000 CPUID, 100 OUT, and a HLT that nothing follows;
 * interrupts come as they like. It waits for a line on stdin first.
 * Source: linux/kvm.h, Documentation/virt/kvm/api.rst.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char code[] = {
	0xf4,             /* hlt */
	0xbe, 0xe8, 0x03, /* mov $1000, %si */
	0x31, 0xc0,       /* 1: xor %ax, %ax */
	0x0f, 0xa2,       /* cpuid */
	0x4e,             /* dec %si */
	0x75, 0xf9,       /* jnz 1b */
	0xbe, 0x64, 0x00, /* mov $100, %si */
	0xe6, 0x10,       /* 2: out %al, $0x10 */
	0x4e,             /* dec %si */
	0x75, 0xfb,       /* jnz 2b */
	0xf4,             /* hlt */
};
enum { GUEST = 0x1000 };

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int start_at_code(int cpu)
{
	struct kvm_regs regs = { .rip = GUEST, .rflags = 2 };
	struct kvm_sregs sregs;

	if (ioctl(cpu, KVM_GET_SREGS, &sregs) < 0)
		return -1;
	sregs.cs.base = sregs.cs.selector = 0;
	return ioctl(cpu, KVM_SET_SREGS, &sregs) < 0 ? -1 : ioctl(cpu, KVM_SET_REGS, &regs);
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR), vm, cpu, outs = 0, halts = 0;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_run *run;
	char c;

	if (kvm < 0 || (vm = ioctl(kvm, KVM_CREATE_VM, 0)) < 0)
		return fail("/dev/kvm");
	memcpy(memory, code, sizeof(code));
	struct kvm_userspace_memory_region region = { .guest_phys_addr = GUEST, .memory_size = 4096,
						      .userspace_addr = (unsigned long)memory };
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) < 0 || (cpu = ioctl(vm, KVM_CREATE_VCPU, 0)) < 0)
		return fail("guest");
	run = mmap(NULL, (size_t)ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (run == MAP_FAILED || start_at_code(cpu) < 0 || read(0, &c, 1) < 0)
		return fail("guest");
	do {
		if (ioctl(cpu, KVM_RUN, 0) < 0)
			return fail("KVM_RUN");
		outs += run->exit_reason == KVM_EXIT_IO;
		halts += run->exit_reason == KVM_EXIT_HLT;
	} while (halts < 2 && (run->exit_reason == KVM_EXIT_IO || run->exit_reason == KVM_EXIT_HLT));
	printf("%d OUT, %d HLT\n", outs, halts);
	return halts != 2;
}
