#ifndef REPORT_WAITS_KVM_NAMES_H
#define REPORT_WAITS_KVM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* The kinds of reason numbers. The first two are the values of the field `isa`. */
enum kvm_isa { KVM_VMX = 1, KVM_SVM, KVM_ARM64, KVM_ARM64_TRAP };
/* Return true if this exit means that the guest has nothing to do (halt). */
bool kvm_is_halt(const char *name);
/* Return "HLT"; "UNKNOWN" for numbers that are not in the table. */
const char *kvm_reason_name(uint32_t isa, uint64_t number);

#endif
