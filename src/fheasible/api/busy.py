"""What other processes did to a run: said in its table, and in words where it matters."""

from collections.abc import Iterator
from typing import Any

from fheasible import units
from fheasible.api.layout import WIDTH, paragraph
from fheasible.exploration.proof.judged import JudgedRun
from fheasible.exploration.rings.proof import RingProof
from fheasible.measurement.busyness import Beside
from fheasible.measurement.records import Measurement

_BUSY = "busy"


def beside(proof: JudgedRun[Any] | RingProof) -> Beside:
    """What the proof keeps of them; a ring scheme's run is beside no reference loop."""
    if isinstance(proof, RingProof):
        at, slowed = proof.environment, None
    else:
        at, slowed = proof.environment.to_json(), proof.slowed
    return Beside(
        _utilisation(proof.measurement),
        at["load_before"],
        at["load_after"],
        at["cores"],
        at["threads"],
        slowed,
    )


def rows(b: Beside) -> Iterator[tuple[str, str]]:
    """(what, value) of the machine during a run."""
    yield "CPU utilisation", _marked(share(b.utilisation), b.waited)
    after = units.ABSENT if b.after is None else f"{b.after:.2f}"
    yield "load before, after", _marked(f"{b.before:.2f}, {after}", b.crowded)
    if b.slowed is not None:
        yield "a fixed piece of work", _marked(f"{b.slowed:.2f} times as long", b.slow)


def said(b: Beside, width: int = WIDTH) -> Iterator[str]:
    """A paragraph where other processes made measured times longer."""
    reasons = list(_reasons(b))
    if reasons:
        yield paragraph("the machine was busy:", " ".join(reasons), width)


def share(utilisation: float | None) -> str:
    return units.ABSENT if utilisation is None else f"{utilisation:.0%}".replace("%", " %")


def _reasons(b: Beside) -> Iterator[str]:
    if b.slow:
        yield (
            f"During the run, a fixed piece of work took {b.slowed:.2f} times as long as during "
            "calibration. CPU times are longer by about this factor; wall times also wait for other "
            "processes."
        )
    if b.waited:
        assert b.utilisation is not None
        yield (
            f"The run had a core for {share(b.utilisation)} of its wall time, and waited for the rest. "
            "Compare its CPU times: its wall times are those of a busy machine."
        )
    if b.crowded:
        yield (
            f"Before or after the run, {b.load:.1f} processes wanted to run on {b.cores} cores, those of "
            "the run among them. Measure again when the machine is idle; fheasible doctor judges it."
        )


def _marked(value: str, busy: bool) -> str:
    return f"{value} ({_BUSY})" if busy else value


def _utilisation(measured: Measurement) -> float | None:
    """CPU time over wall time of all repetitions: of the process where it was counted, else of the thread
    that executed the program."""
    if measured.counters is not None:
        return measured.counters.utilisation()
    total = measured.phases.total
    wall = sum(total.wall.seconds)
    return sum(total.cpu.seconds) / wall if wall else None
