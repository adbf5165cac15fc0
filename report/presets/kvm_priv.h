#ifndef REPORT_PRESETS_KVM_PRIV_H
#define REPORT_PRESETS_KVM_PRIV_H

#include "report/presets/presets.h"

/* Whose numbers the reasons of exits are. The first two are the values of the field `isa`. */
enum kvm_isa { KVM_VMX = 1, KVM_SVM, KVM_ARM64, KVM_ARM64_TRAP };
/* "HLT"; "UNKNOWN" for numbers that the table lacks. */
const char *kvm_reason_name(uint32_t isa, uint64_t number);

#endif
