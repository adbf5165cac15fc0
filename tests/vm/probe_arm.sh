#!/bin/bash
# Probes of a stock aarch64 kernel.
. "$(dirname "$0")/lib_vm.sh"
vm aarch64 bookworm "$libraries"
static_strobe aarch64
. "$STROBE_SOURCE/tests/vm/lib_probe.sh"
finish
