#!/bin/bash
# Probes of a stock x86-64 kernel.
. "$(dirname "$0")/lib_vm.sh"
vm x86_64 bookworm
static_strobe x86_64
. "$STROBE_SOURCE/tests/vm/lib_probe.sh"
finish
