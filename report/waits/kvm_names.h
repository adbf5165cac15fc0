#ifndef REPORT_WAITS_KVM_NAMES_H
#define REPORT_WAITS_KVM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Whose numbers the reasons of exits are. The first two are the values of the field `isa`. */
enum kvm_isa { KVM_VMX = 1, KVM_SVM, KVM_ARM64, KVM_ARM64_TRAP };
/* The guest waits for its own sake. */
bool kvm_is_halt(const char *name);
/* "HLT"; "UNKNOWN" for numbers that the table lacks. */
const char *kvm_reason_name(uint32_t isa, uint64_t number);

#endif
