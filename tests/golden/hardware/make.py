#!/usr/bin/env python3
"""Write the results of machines that nobody has run yet: INTEL*.json, AMD*.json, ARM*.json in this folder.

    tests/golden/hardware/make.py

The PMUs and their formats are what the kernel's drivers put into sysfs (arch/x86/events/{intel,amd}, drivers/perf,
Documentation/ABI/testing/sysfs-bus-event_source-devices*). The attrs are worked out by hand from them; tests hold that
strobe comes to the same. Counts and samples are made up. When somebody runs `strobe test --hardware -o FILE` on such
a machine, FILE takes the place of ours.
"""
import json
import os

EOPNOTSUPP, EINVAL, EACCES, ENODEV = 95, 22, 13, 19
LOOP, CYCLES = 200000000, 21000000
KINDS = {}    # feature -> (expected, got) when it works
for name, counts in {
        "page-faults": (1000, 1001), "breakpoint": (1000, 1000), "instructions": (LOOP, LOOP + 1210),
        "branches": (LOOP // 10, LOOP // 10 + 77), "group": (LOOP, LOOP + 1300), "core-cores": (LOOP, LOOP + 900),
        "atom-cores": (LOOP, LOOP + 901), "multiplexed": (5 * LOOP, 5 * LOOP + 31000000)}.items():
    KINDS[name] = counts
SAMPLED = {"clock-samples": 40, "chain": 41, "cycles-samples": 1050, "precise-1": 1050, "precise-2": 1051,
           "precise-3": 9993, "precise-most": 1052, "branch-stack": 330, "call-stack": 900, "mem-loads": 61,
           "mem-loads-aux": 62, "mem-stores": 990, "mem-loads-core": 63, "mem-loads-atom": 64, "ibs-op": 800,
           "ibs-memory": 210, "ibs-fetch": 790, "spe-memory": 301}
SOFTWARE, HARDWARE, BREAKPOINT = 1, 0, 5


class Machine:
    def __init__(self, name, machine, kernel):
        self.name, self.machine, self.kernel, self.pmus, self.rows = name, machine, kernel, [], []
        self.pmu("software", 1)
        self.pmu("tracepoint", 2)
        self.pmu("breakpoint", 5)

    def pmu(self, name, number, formats="", events={}, **files):
        pmu = {"pmu": name, "type": str(number)}
        pmu.update((key.replace("_", "/", 1) if key.startswith("caps") else key, text) for key, text in files.items())
        pmu.update(("format/" + word.split("=")[0], word.split("=")[1]) for word in formats.split())
        pmu.update(("events/" + event, text) for event, text in events.items())
        self.pmus.append(pmu)

    def works(self, feature, kind, config=0, config1=0, precise=0, got=None):
        if feature in SAMPLED:
            expected, counted = SAMPLED[feature], SAMPLED[feature] - SAMPLED[feature] // 50
        else:
            expected, counted = KINDS.get(feature, (0, 4711))
        self.row(feature, "works", expected, got if got is not None else counted, 0, "", kind, config, config1, precise)

    def refused(self, feature, errno, why, kind, config=0, config1=0, precise=0):
        expected = 0
        self.row(feature, "refused", expected, 0, errno, why, kind, config, config1, precise)

    def row(self, feature, verdict, expected, got, errno, why, kind, config, config1, precise):
        self.rows.append({
            "feature": feature, "verdict": verdict, "expected": expected, "got": got, "errno": errno, "why": why,
            "type": kind, "config": hex(config), "config1": hex(config1), "precise": precise})

    def common(self, generic=lambda config: config, precise=3, branches=None, stack=None, first=None):
        """What each CPU has. `branches`, `stack`: errno when branch records or call stacks are refused. `first`: of
        counts, where each kind of cores has an event of its own."""
        first = first or generic
        self.works("page-faults", SOFTWARE, 5)
        self.works("breakpoint", BREAKPOINT)
        self.works("instructions", HARDWARE, first(1))
        self.works("branches", HARDWARE, first(4))
        self.works("cycles", HARDWARE, first(0))
        self.works("ref-cycles", HARDWARE, first(9))
        self.works("cache-references", HARDWARE, first(2))
        self.works("group", HARDWARE, first(1))
        if first(0) == 0:
            self.works("multiplexed", HARDWARE, 1)
        self.works("clock-samples", SOFTWARE)
        self.works("chain", SOFTWARE)
        self.works("cycles-samples", HARDWARE, generic(0))
        for level, config in ((1, 0), (2, 0), (3, 1)):
            name = "precise-%d" % level
            if level <= precise:
                self.works(name, HARDWARE, generic(config), precise=level)
            else:
                self.refused(name, EOPNOTSUPP, "this PMU has no samples that precise", HARDWARE, generic(config),
                             precise=level)
        self.works("precise-most", HARDWARE, generic(0), precise=precise)
        for name, errno in (("branch-stack", branches), ("call-stack", stack)):
            if errno:
                self.refused(name, errno, "this PMU does not record branches so", HARDWARE, generic(0))
            else:
                self.works(name, HARDWARE, generic(0))

    def write(self):
        rows = ",\n".join("\t\t" + json.dumps(row).replace("{", "{ ", 1)[:-1] + " }" for row in self.rows)
        pmus = ",\n".join("\t\t{ " + ",\n\t\t\t".join('%s: %s' % (json.dumps(k), json.dumps(v)) for k, v in pmu.items())
                          + " }" for pmu in self.pmus)
        with open(os.path.join(os.path.dirname(__file__), self.name + ".json"), "w") as out:
            out.write('{\n\t"strobe": "0.1.0",\n\t"machine": "%s",\n\t"kernel": "%s",\n\t"paranoid": 0,\n'
                      '\t"features": [\n%s\n\t],\n\t"pmus": [\n%s\n\t]\n}\n' % (self.machine, self.kernel, rows, pmus))


# --- Intel
INTEL = ("any=config:21 cmask=config:24-31 edge=config:18 event=config:0-7 inv=config:23 ldlat=config1:0-15 "
         "offcore_rsp=config1:0-63 pc=config:19 umask=config:8-15")
PT = "cyc=config:1 mtc=config:9 psb_period=config:24-27 pt=config:0 branch=config:13 tsc=config:10 noretcomp=config:11"
UNCORE = "event=config:0-7 umask=config:8-15 edge=config:18 inv=config:23 cmask=config:24-28"


def intel_packages(m, cstate=20):
    m.pmu("msr", 17, "event=config:0-63", {"tsc": "event=0x00", "smi": "event=0x04"})
    m.pmu("power", 19, "event=config:0-7", {"energy-pkg": "event=0x02", "energy-pkg.unit": "Joules",
                                            "energy-pkg.scale": "2.3283064365386962890625e-10"}, cpumask="0")
    m.pmu("cstate_core", cstate, "event=config:0-63", {"c6-residency": "event=0x02"}, cpumask="0")


skylake = Machine("intel-skylake", "x86_64", "5.10.0")
skylake.pmu("cpu", 4, INTEL + " frontend=config1:0-23", {
    "mem-loads": "event=0xcd,umask=0x1,ldlat=3", "mem-stores": "event=0xd0,umask=0x82",
    "cpu-cycles": "event=0x3c", "instructions": "event=0xc0"}, caps_branches="32", caps_pmu_name="skylake",
    caps_max_precise="3")
skylake.pmu("intel_pt", 8, PT)
skylake.pmu("intel_bts", 6)
intel_packages(skylake)
skylake.pmu("uncore_cbox_0", 12, UNCORE, {"clockticks": "event=0xff"}, cpumask="0")
skylake.common()
skylake.works("mem-loads", 4, 0x1cd, 3, 2)
skylake.works("mem-stores", 4, 0x82d0, 0, 2)
skylake.works("intel-pt", 8, 0x2401)
skylake.works("intel-bts", 6)
skylake.works("time-stamp", 17)
skylake.works("energy", 19, 2)
skylake.works("core-sleep", 20, 2)
skylake.works("uncore-clock", 12, 0xff)
skylake.write()

sapphire = Machine("intel-sapphire-rapids", "x86_64", "6.1.0")
sapphire.pmu("cpu", 4, INTEL + " frontend=config1:0-23", {
    "mem-loads": "event=0xcd,umask=0x1,ldlat=3", "mem-loads-aux": "event=0x03,umask=0x82",
    "mem-stores": "event=0xcd,umask=0x2", "slots": "event=0x00,umask=0x4", "topdown-retiring": "event=0x00,umask=0x80",
    "topdown-bad-spec": "event=0x00,umask=0x81"}, caps_branches="32", caps_pmu_name="sapphire_rapids",
    caps_max_precise="3")
sapphire.pmu("intel_pt", 8, PT)
sapphire.pmu("intel_bts", 6)
intel_packages(sapphire)
sapphire.pmu("uncore_imc_0", 80, UNCORE, {"cas_count_read": "event=0x05,umask=0xcf",
             "cas_count_read.scale": "6.103515625e-5", "cas_count_read.unit": "MiB"}, cpumask="0")
sapphire.pmu("uncore_imc_free_running_0", 90, UNCORE, {"data_read": "event=0xff,umask=0x20"}, cpumask="0")
sapphire.common()
sapphire.works("mem-loads-aux", 4, 0x1cd, 3, 2)
sapphire.works("mem-stores", 4, 0x2cd, 0, 2)
sapphire.works("intel-pt", 8, 0x2401)
sapphire.works("intel-bts", 6)
sapphire.works("topdown", 4, 0x400)
sapphire.works("time-stamp", 17)
sapphire.works("energy", 19, 2)
sapphire.works("core-sleep", 20, 2)
sapphire.works("memory-controller", 80, 0xcf05)
sapphire.works("memory-free-running", 90, 0x20ff)
sapphire.write()

hybrid = Machine("intel-alder-lake", "x86_64", "6.1.0")
hybrid.pmu("cpu_core", 4, INTEL + " frontend=config1:0-23", {
    "mem-loads": "event=0xcd,umask=0x1,ldlat=3", "mem-loads-aux": "event=0x03,umask=0x82",
    "mem-stores": "event=0xcd,umask=0x2"}, cpus="0", caps_branches="32", caps_max_precise="3")
hybrid.pmu("cpu_atom", 10, INTEL, {"mem-loads": "event=0xd0,umask=0x5,ldlat=3", "mem-stores": "event=0xd0,umask=0x6"},
           cpus="1", caps_branches="32", caps_max_precise="3")
hybrid.pmu("intel_bts", 6)
intel_packages(hybrid, cstate=21)
# The number of the PMU is in the high half: PERF_PMU_TYPE_SHIFT of linux/perf_event.h.
hybrid.common(lambda config: 4 << 32 | config, first=lambda config: 10 << 32 | config)
hybrid.works("core-cores", HARDWARE, 4 << 32 | 1)
hybrid.works("atom-cores", HARDWARE, 10 << 32 | 1)
hybrid.works("mem-loads-core", 4, 0x1cd, 3, 2)
hybrid.works("mem-loads-atom", 10, 0x5d0, 3, 2)
hybrid.works("intel-bts", 6)
hybrid.works("time-stamp", 17)
hybrid.works("energy", 19, 2)
hybrid.works("core-sleep", 21, 2)
hybrid.write()

# --- AMD
AMD = "event=config:0-7,32-35 umask=config:8-15 edge=config:18 inv=config:23 cmask=config:24-31"
NOT_SO = "this PMU has no such counter"


def amd(name, kernel, branches, stack, zen4):
    m = Machine(name, "x86_64", kernel)
    m.pmu("cpu", 4, AMD, {"cpu-cycles": "event=0x76", "instructions": "event=0xc0"},
          **({"caps_branches": "16"} if not branches else {}))
    m.pmu("ibs_op", 10, "cnt_ctl=config:19" + (" l3missonly=config:16" if zen4 else ""))
    m.pmu("ibs_fetch", 9, "rand_en=config:57" + (" l3missonly=config:59" if zen4 else ""))
    m.pmu("msr", 17, "event=config:0-63", {"tsc": "event=0x00", "aperf": "event=0x01"})
    m.pmu("power", 19, "event=config:0-7", {"energy-pkg": "event=0x02"}, cpumask="0")
    m.pmu("amd_l3", 12, "event=config:0-7 umask=config:8-15 " + (
        "coreid=config:42-44 sliceid=config:48-50 threadmask=config:56-57" if zen4 else
        "slicemask=config:48-51 threadmask=config:56-63"), cpumask="0")
    m.pmu("amd_df", 11, "event=config:0-7,32-37 umask=config:8-15,24-27" if zen4 else
          "event=config:0-7,32-35,59-60 umask=config:8-15", cpumask="0")
    m.common(precise=2, branches=branches, stack=stack)
    m.works("ibs-op", 10)
    m.works("ibs-memory", 10)
    m.works("ibs-fetch", 9)
    m.works("time-stamp", 17)
    m.works("energy", 19, 2)
    m.works("amd-cache", 12, 0xff04)
    m.works("amd-fabric", 11, 0x3807)
    m.write()


amd("amd-zen2", "6.6.0", EOPNOTSUPP, EOPNOTSUPP, False)
amd("amd-zen3", "6.6.0", EINVAL, EINVAL, False)     # BRS: only with its own event
amd("amd-zen4", "6.6.0", None, EOPNOTSUPP, True)    # LBR v2 has no call stacks
amd("amd-zen5", "6.12.0", None, EOPNOTSUPP, True)

# --- Arm
ARM = "event=config:0-15 long=config1:0"


def arm(name, kernel, branches, spe):
    m = Machine(name, "aarch64", kernel)
    m.pmu("armv8_pmuv3_0", 8, ARM, {"cpu_cycles": "event=0x0011", "inst_retired": "event=0x0008"}, cpus="0-1",
          **({"caps_branches": "64"} if not branches else {}))
    if spe:
        m.pmu("arm_spe_0", 9, "ts_enable=config:0 pa_enable=config:1 jitter=config:16 branch_filter=config:32 "
              "load_filter=config:33 store_filter=config:34 event_filter=config1:0-63 min_latency=config2:0-11",
              cpumask="0-1")
    m.pmu("arm_cmn_0", 10, "type=config:0-15 eventid=config:16-26 wp_val=config1:0-63", {"dtc_cycles": "type=0x3"},
          cpumask="0")
    m.pmu("arm_dsu_0", 11, "event=config:0-31", {"cycles": "event=0x11"}, cpumask="0")
    m.common(precise=0, branches=branches, stack=EOPNOTSUPP)
    if spe:
        m.works("arm-spe", 9)
        m.works("spe-memory", 9, 1 << 33)
    m.works("arm-cache", 11, 0x11)
    m.works("arm-mesh", 10, 3)
    m.write()


arm("arm-neoverse-n1", "6.1.0", EOPNOTSUPP, True)
arm("arm-brbe", "6.17.0", None, True)
