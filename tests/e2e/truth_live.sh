#!/bin/bash
# The programs of truth.sh, with stacks that are unwound while recording.
STROBE_TRUTH=live exec bash "$(dirname "$0")/truth.sh"
