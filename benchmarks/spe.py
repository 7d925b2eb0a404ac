# SPDX-License-Identifier: GPL-2.0-only
"""Files of the instructions that an Arm core samples (SPE), for comparison.

Packets are as in the Arm Architecture Reference Manual, "Statistical Profiling
Extension sample record packets": a byte that says what it is and how long, then a
little-endian number.
"""

import struct

import perf_data

AUXTRACE_ARM_SPE = 4
FEATURE_CPUID = 9
# A Neoverse N1: it tells of a load where the data was.
MIDR = "0x00000000413fd0c0"
NOT_SECURE = 1 << 63

PC, TARGET, DATA, PHYSICAL = 0xb0, 0xb1, 0xb2, 0xb3
TOTAL, ISSUE, TRANSLATION = 0x98, 0x99, 0x9a
OTHER, ACCESS, BRANCH = 0x48, 0x49, 0x4a
EVENTS, SOURCE, CONTEXT, TIMESTAMP = 0x52, 0x43, 0x64, 0x71

EVENT = {"retired": 1, "l1_access": 2, "l1_miss": 3, "tlb_access": 4, "l1_tlb_miss": 5,
         "not_taken": 6, "mispredicted": 7, "llc_access": 8, "llc_miss": 9}
BRANCHES = {"taken": 1, "not_taken": 1, "return": 2}
IN_L1, IN_SYSTEM_CACHE, IN_RAM = 0x0, 0xb, 0xe


def source(record):
    """where the data of a load was"""
    if "l1_miss" not in record.what:
        return IN_L1
    return IN_RAM if "llc_miss" in record.what else IN_SYSTEM_CACHE


def events(record):
    """the bits of what happened"""
    what = set(record.what) | {"retired"}
    if record.is_access():
        what |= {"l1_access", "tlb_access"}
    if "l1_miss" in what:
        what.add("llc_access")
    if record.kind == "not_taken":
        what.add("not_taken")
    return sum(1 << EVENT[name] for name in what)


def pack(record, tid=None):
    """what an Arm core says of the same instruction, without padding; with the thread
    if the kernel has it told"""
    text = b"" if tid is None else struct.pack("<BI", CONTEXT, tid)
    text += struct.pack("<BQ", PC, record.pc | NOT_SECURE)
    if record.is_access():
        text += struct.pack("<BBBQBQBH", ACCESS, record.type == "store", DATA, record.adr1,
                            PHYSICAL, record.adr2 | NOT_SECURE, TRANSLATION,
                            record.stages[0])
        if record.type == "load":
            text += struct.pack("<BB", SOURCE, source(record))
    elif record.is_transfer():
        text += struct.pack("<BBBQ", BRANCH, BRANCHES[record.kind], TARGET,
                            record.adr1 | NOT_SECURE)
    else:
        text += struct.pack("<BB", OTHER, 0)
    return text + struct.pack("<BHBHBHBQ", EVENTS, events(record), TOTAL, record.total,
                              ISSUE, record.stages[1], TIMESTAMP, record.time)


class File(perf_data.File):
    """A perf.data file of an Arm machine, otherwise like that of a RISC-V one."""

    pmu = "arm_spe_0"
    arch = "aarch64"
    sample_type = perf_data.COMMON | perf_data.SAMPLE_DATA_SRC | perf_data.SAMPLE_PHYS_ADDR

    def info(self, cpus, **_):
        """PERF_RECORD_AUXTRACE_INFO: the PMU, and that each CPU has a buffer"""
        self.event(perf_data.AUXTRACE_INFO, struct.pack(
            "<IIQQ", AUXTRACE_ARM_SPE, 0, perf_data.PMU_TYPE, 1))

    def features(self, data_at):
        """with the core's number"""
        return sorted(super().features(data_at) + [(FEATURE_CPUID, perf_data.text64(MIDR))])
