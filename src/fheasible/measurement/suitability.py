"""Whether a machine, as it is now, is fit to measure on, and what to change where it is not."""

from collections.abc import Iterator
from dataclasses import dataclass

from fheasible import units
from fheasible.measurement.busyness import Beside, slows
from fheasible.measurement.conditions import Conditions

_FIXED = "performance"  # the governor that keeps the frequency
_SWAPPED_SHARE = 0.01  # of the swap: less is what every system puts there in time
_TURBO_OFF = (
    "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or where that file is missing: "
    "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost; then fheasible calibrate"
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one condition does to measured times; `remedy` is empty where nothing needs to change."""

    what: str
    fit: bool
    said: str
    remedy: str = ""


def judgements(c: Conditions, cores: int) -> Iterator[Judgement]:
    """Every condition in turn, except load."""
    yield _governor(c)
    yield _turbo(c)
    yield _swap(c)
    yield _limits(c, cores)
    yield _nodes(c)
    yield _virtual(c)


def busy(at: Beside) -> Judgement:
    said = f"{at.load:.1f} processes compete for {at.cores} cores"
    if not at.crowded:
        return Judgement("load", True, said)
    return Judgement(
        "load", False, f"{said}: measured times will scatter", "measure when the machine is idle"
    )


def pace(seconds: float, least: float) -> Judgement:
    """How a fixed piece of work takes as long as it did during calibration, at its least."""
    times = seconds / least
    said = f"a fixed piece of work takes {times:.2f} times as long as during calibration"
    if not slows(times):
        return Judgement("pace", True, said)
    return Judgement(
        "pace", False, said, "measure when the machine is idle; if it stays so, run fheasible calibrate again"
    )


def _governor(c: Conditions) -> Judgement:
    name = "frequency"
    if c.governor is None:
        return Judgement(name, True, "governor unknown: the system does not tell")
    if c.governor == _FIXED:
        return Judgement(name, True, f"governor {c.governor}")
    return Judgement(
        name,
        False,
        f"governor {c.governor}: the frequency follows the load, so times depend on what ran before",
        f"sudo cpupower frequency-set --governor {_FIXED}",
    )


def _turbo(c: Conditions) -> Judgement:
    if c.turbo is None:
        return Judgement("turbo", True, "unknown: the system does not tell")
    if not c.turbo:
        return Judgement("turbo", True, "off")
    return Judgement("turbo", False, "on: times depend on the heat and on what other cores do", _TURBO_OFF)


def _swap(c: Conditions) -> Judgement:
    if c.swap_bytes is None or c.swap_used_bytes is None:
        return Judgement("swap", True, "unknown: the system does not tell")
    if not c.swap_bytes:
        return Judgement("swap", True, "none: a run that needs too much memory is killed")
    said = f"{units.size(c.swap_used_bytes)} of {units.size(c.swap_bytes)} are in use"
    if c.swap_used_bytes <= _SWAPPED_SHARE * c.swap_bytes:
        return Judgement("swap", True, said)
    remedy = "end what takes the memory; then sudo swapoff -a && sudo swapon -a"
    return Judgement("swap", False, f"{said}: memory is short, and times may include reads from disk", remedy)


def _limits(c: Conditions, cores: int) -> Judgement:
    name = "container"
    found = f"signs of {c.container}; " if c.container else ""
    if c.control_groups is None:
        return Judgement(name, True, f"{found}limits unknown: control groups cannot be seen")
    memory = "no limit" if c.memory_limit_bytes is None else f"at most {units.size(c.memory_limit_bytes)}"
    said = f"{found}control groups allow: memory {memory}, processor "
    if c.cpu_limit is None or c.cpu_limit >= cores:
        return Judgement(name, True, f"{said}no limit below {cores} cores")
    return Judgement(
        name,
        False,
        f"{said}{c.cpu_limit:g} of {cores} cores: processes that use more are stopped for part of the time",
        f"allow {cores} cores (Docker: --cpus={cores}), or measure outside of the container",
    )


def _nodes(c: Conditions) -> Judgement:
    name = "memory nodes"
    if c.numa_nodes is None:
        return Judgement(name, True, "unknown: the system does not tell")
    if c.numa_nodes == 1:
        return Judgement(name, True, "one: all memory is equally near")
    return Judgement(
        name,
        False,
        f"{c.numa_nodes}: times depend on which node a process runs at and which one holds its memory",
        "begin each command with numactl --cpunodebind=0 --membind=0",
    )


def _virtual(c: Conditions) -> Judgement:
    name = "virtual machine"
    if c.virtual is None:
        return Judgement(name, True, "unknown: the system does not tell")
    if not c.virtual:
        return Judgement(name, True, "no")
    return Judgement(
        name, True, "yes: what other guests of its host do can slow it, and is not seen from here"
    )
