"""Runs of other tools as rows: the least time of each, beside Fheasible's at the same precision."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from fheasible import units
from fheasible.accuracy.peer_tools import APPLICATIONS, COMPARED, OURS, TOOLS, ToolRun
from fheasible.aliases import Json
from fheasible.libraries.catalogue import library

USUAL_BITS = 15.0
_TITLES = {tool.name: tool.title for tool in TOOLS}


@dataclass(frozen=True, slots=True)
class Row:
    """All passes of one run. `seconds`: encryption, evaluation and decryption, each the least of all."""

    first: ToolRun
    seconds: float | None
    keys_seconds: float | None
    precision_bits: float | None  # the least of all passes
    right: bool
    passes: int
    ours: float | None = None  # Fheasible's seconds at the precision that the first run reached

    @property
    def ratio(self) -> float | None:
        return self.seconds / self.ours if self.seconds and self.ours and self.right else None

    def to_json(self) -> Json:
        first = self.first
        return {
            "application": first.application,
            "tool": first.tool,
            "version": first.version,
            "asked_bits": first.asked_bits,
            "reason": first.reason,
            "parameters": dict(first.parameters),
            "cpu_seconds": self.seconds,
            "keys_cpu_seconds": self.keys_seconds,
            "precision_bits": self.precision_bits,
            "right": self.right,
            "passes": self.passes,
            "ratio": self.ratio,
        }


def asked_for(runs: Iterable[ToolRun]) -> list[float | None]:
    """The precisions that Fheasible is asked for beside these runs of one application: 15 bits, and the whole
    bits that each tool reached in its first run. Of integers it is None alone, as they are exact."""
    first: dict[str, float] = {}
    for r in runs:
        if r.tool != OURS and r.precision_bits is not None:
            first.setdefault(r.tool, r.precision_bits)
    return [*sorted({USUAL_BITS} | {_whole(bits) for bits in first.values()})] if first else [None]


def _whole(bits: float) -> float:
    return float(max(1, floor(bits)))


def rows(runs: Sequence[ToolRun]) -> list[Row]:
    """One row for each tool, application and asked precision, in the order of APPLICATIONS and TOOLS."""
    by_key: dict[Any, list[ToolRun]] = {}
    for r in runs:
        by_key.setdefault(r.key, []).append(r)
    made = [_row(passes) for passes in by_key.values()]
    ours = {(r.first.application, r.first.asked_bits): r.seconds for r in made if r.first.tool == OURS}
    order = {name: i for i, name in enumerate((*APPLICATIONS, *_TITLES))}
    made.sort(key=lambda r: (order[r.first.application], order[r.first.tool], r.first.asked_bits or 0))
    return [_beside(r, ours) for r in made]


def _row(passes: Sequence[ToolRun]) -> Row:
    measured = [r for r in passes if r.reason is None]
    first = measured[0] if measured else passes[0]
    bits = [r.precision_bits for r in measured if r.precision_bits is not None]
    least = {phase: min(least_of(r.cpu_seconds[phase]) for r in measured) for phase in COMPARED if measured}
    return Row(
        first,
        sum(least.values()) if measured else None,
        min(least_of(r.cpu_seconds["keys"]) for r in measured) if measured else None,
        min(bits, default=None),
        bool(measured) and all(r.right is not False for r in measured),
        len(measured),
    )


def least_of(seconds: float | Sequence[float]) -> float:
    """The least of a phase's repetitions, or its only time."""
    return seconds if isinstance(seconds, int | float) else min(seconds)


def _beside(row: Row, ours: Mapping[tuple[str, float | None], float | None]) -> Row:
    if row.first.tool == OURS:
        return row
    asked = None if row.first.precision_bits is None else _whole(row.first.precision_bits)
    return Row(
        row.first, row.seconds, row.keys_seconds, row.precision_bits, row.right, row.passes,
        ours.get((row.first.application, asked)),
    )  # fmt: skip


def markdown(found: Sequence[Row]) -> str:
    """The rows as a table for docs/accuracy.md; `ratio` is to Fheasible at the precision that was reached."""
    head = ("application", "tool", "what it chose", "keys", "time", "result", "ratio")
    lines = [_line(head), _line(["---"] * 3 + ["---:"] * 2 + ["---"] + ["---:"])]
    return "\n".join([*lines, *(_line(_cells(row)) for row in found)])


def _cells(row: Row) -> list[str]:
    first = row.first
    asked = "" if first.asked_bits is None else f", asked for {first.asked_bits:.0f} bits"
    tool = (
        f"{_TITLES[first.tool]}{f' {first.version}' if first.version and first.tool != OURS else ''}{asked}"
    )
    if first.reason is not None:
        return [first.application, tool, f"not run: {first.reason}", "", "", "", ""]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    times = [units.seconds(row.keys_seconds), units.seconds(row.seconds)]
    return [first.application, tool, described(first.parameters), *times, _result(row), ratio]


def _result(row: Row) -> str:
    if row.precision_bits is not None:
        return f"{row.precision_bits:.1f} bits"
    return "right" if row.right else "wrong"


def described(p: Mapping[str, Any]) -> str:
    """The parameters in a few words: the scheme, N and what is known of primes."""
    title = library(p["library"]).title if "library" in p else ""
    parts = [f"{title} {p.get('scheme', '').upper()}".strip()]
    if "ring_dimension" in p:
        parts.append(f"N = {units.power_of_two(p['ring_dimension'])}")
    primes = p.get("prime_bits") or [*p.get("q_bits", ()), *p.get("p_bits", ())]
    if primes:
        parts.append(f"{len(primes)} primes, {sum(primes)} bits")
    parts += [f"{name} {p[name]}" for name in ("depth", "levels") if name in p]
    return ", ".join(parts)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
