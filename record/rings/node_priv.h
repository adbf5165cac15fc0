#ifndef RECORD_RINGS_NODE_PRIV_H
#define RECORD_RINGS_NODE_PRIV_H

#include <stdbool.h>

#include "base/units.h"

/*
 * Fill the empty set with the CPUs of this one's memory node. Return false if the system names no node for it. `root`:
 * "", or a directory with a copy of /sys. Source: Documentation/ABI/stable/sysfs-devices-node.
 */
bool node_read(const char *root, int cpu, struct cpuset *cpus);

#endif
