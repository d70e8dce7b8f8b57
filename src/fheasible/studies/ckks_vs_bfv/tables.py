"""The paper's tables with ours beside them."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from fheasible.reports.page import Folded, Table
from fheasible.studies.ckks_vs_bfv import library_2020, noise, printed, redundancy
from fheasible.studies.ckks_vs_bfv.experiments import (
    ELSEWHERE,
    OF_PAPER,
    OPERATIONS,
    OTHERS,
    SAME_CHAIN,
)
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS, RATIOS
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, LENGTHS, NUMBERS, SCHEMES, TABLE1, TITLES
from fheasible.studies.experiment import Experiment
from fheasible.studies.results import Beside, Results
from fheasible.units import power_of_two, seconds, size

_TOGETHER = {
    "encode_encrypt": "Encoding and encryption by the public key",
    "decrypt_decode": "Decryption and decoding",
}
_LEFT = ("function", "scheme", "library")
_LIBRARIES = {"lattigo": "Lattigo", **{name: title for name, (title, _) in OTHERS.items()}}


def sets() -> Table:
    """Table 1, and the chains that were meant."""
    rows = [
        (
            str(k),
            TITLES[s],
            power_of_two(CHAINS[s, k].ring_dimension),
            str(TABLE1[k][1]),
            str(CHAINS[s, k].log_qp),
            _bits(CHAINS[s, k].q),
            _bits(CHAINS[s, k].p),
            str(CHAINS[s, k].scale_bits or "-"),
        )
        for k in NUMBERS
        for s in SCHEMES
    ]
    columns = ("set", "scheme", "N", "log2 Q, the paper", "log2 QP", "bits of Q's primes", "of P's", "scale")
    return Table(columns, tuple(rows), left=columns[5:7], caption="Table 1, and Lattigo 1.3.0's sets")


def _bits(primes: Sequence[int]) -> str:
    """The sizes in short: '45, 9 x 34'."""
    told, i = [], 0
    while i < len(primes):
        same = next((j for j in range(i, len(primes)) if primes[j] != primes[i]), len(primes)) - i
        told.append(f"{same} x {primes[i]}" if same > 1 else str(primes[i]))
        i += same
    return ", ".join(told)


def overview(results: Results) -> Table:
    """For each function, CKKS over BFV at the four sets: the paper, its library here, and today's."""
    rows = [
        (
            printed.title(function),
            *(_ratio(printed.ratio(function, k)) for k in NUMBERS),
            *(_ratio(library_2020.ratio(function, k)) for k in NUMBERS),
            *(_ratio(_ours(results, function, k)) for k in NUMBERS),
        )
        for function in FUNCTIONS
    ]
    columns = (
        "function",
        *(f"paper, {k}" for k in NUMBERS),
        *(f"1.3.0 here, {k}" for k in NUMBERS),
        *(f"today, {k}" for k in NUMBERS),
    )
    caption = "CKKS over BFV at sets 1 to 4 (medians over the lengths): above 1, BFV is faster"
    return Table(columns, tuple(rows), left=_LEFT, caption=caption)


def _ours(results: Results, function: str, number: int) -> float | None:
    middles = [_middle(_cells(results, OF_PAPER[s], number), function) for s in SCHEMES]
    return middles[0] / middles[1] if middles[0] and middles[1] else None


def _cells(results: Results, experiment: Experiment, number: int) -> list[Beside]:
    return [b for b in results.beside(experiment) if b.has(set=str(number))]


def _middle(found: Sequence[Beside], function: str) -> float | None:
    seen = [b.measured(f"{function}_seconds") for b in found]
    known = [s for s in seen if s is not None]
    return median(known) if known else None


def of_function(results: Results, function: str) -> tuple[Table, Folded]:
    """The function's table by set, and every value folded."""
    return _by_set(results, function), Folded(
        f"{printed.place(function)}, value by value", _values(results, function)
    )


def _by_set(results: Results, function: str) -> Table:
    rows = [
        (
            TITLES[scheme],
            str(k),
            seconds(printed.middle(function, scheme, k)),
            seconds(library_2020.middle(function, scheme, k)),
            _time(_predicted(_cells(results, OF_PAPER[scheme], k), function)),
            _time(_middle(_cells(results, OF_PAPER[scheme], k), function)),
        )
        for scheme in SCHEMES
        for k in NUMBERS
    ]
    columns = ("scheme", "set", "paper", "Lattigo 1.3.0 here", "predicted", "measured")
    caption = f"{printed.place(function)}: medians over the vectors' lengths"
    return Table(columns, tuple(rows), left=_LEFT, caption=caption)


def _predicted(found: Sequence[Beside], function: str) -> float | None:
    known = [t for b in found if (t := b.predicted(f"{function}_seconds")) is not None]
    return median(known) if known else None


def _values(results: Results, function: str) -> Table:
    name = f"{function}_seconds"
    rows = [
        (
            TITLES[s],
            str(b.cell.parameters["set"]),
            str(b.cell.parameters["slots"]),
            seconds(printed.value(function, s, int(b.cell.parameters["set"]), b.cell.parameters["slots"])),
            seconds(_of_2020(function, s, b)),
            _time(b.predicted(name)),
            _time(b.measured(name)),
        )
        for s in SCHEMES
        for b in results.beside(OF_PAPER[s])
    ]
    columns = ("scheme", "set", "numbers", "paper", "Lattigo 1.3.0 here", "predicted", "measured")
    return Table(columns, tuple(rows), left=_LEFT)


def _of_2020(function: str, scheme: str, b: Beside) -> float:
    found = library_2020.found(scheme, int(b.cell.parameters["set"]), b.cell.parameters["slots"])
    return found.seconds[function]


def redundancies(results: Results, name: str) -> Table:
    """Table 12 or 13: the paper, what our reading of its sets gives, and what the set really has."""
    rows = []
    for s in SCHEMES:
        for k in NUMBERS:
            for length in LENGTHS:
                seen = library_2020.found(s, k, length)
                if name == RATIOS[0]:
                    told = redundancy.paper_over_data(s, k, length), redundancy.over_data(s, k, length)
                    run = seen.plaintext_bits / seen.data_bits
                else:
                    told = redundancy.paper_over_plaintext(s, k), redundancy.over_plaintext(s, k)
                    run = seen.ciphertext_bits / seen.plaintext_bits
                paper = printed.value(name, s, k, length)
                rows.append((TITLES[s], str(k), str(length), *(f"{v:.5g}" for v in (paper, *told, run))))
    columns = (
        "scheme", "set", "numbers", "paper", "by our reading of the paper", "predicted for the set",
        "Lattigo 1.3.0 here",
    )  # fmt: skip
    return Table(columns, tuple(rows), left=_LEFT)


def stored_sizes(results: Results) -> Table:
    """What the objects take as files today."""
    rows = []
    for s in SCHEMES:
        for k in NUMBERS:
            (b,) = [b for b in _cells(results, OF_PAPER[s], k) if b.has(slots=LENGTHS[-1])]
            names = ("plaintext_bytes", "ciphertext_bytes", "public_key_bytes", "relinearization_key_bytes")
            rows.append((TITLES[s], str(k), *(_sized(b, name) for name in names)))
    columns = ("scheme", "set", "plaintext", "ciphertext", "public key", "relinearisation key")
    return Table(columns, tuple(rows), left=_LEFT, caption="Files of today's Lattigo: predicted / measured")


def _sized(b: Beside, name: str) -> str:
    return " / ".join(size(v) for v in (b.predicted(name), b.measured(name)))


def noises(results: Results) -> Table:
    """Precision of CKKS and noise budget of BFV after one operation."""
    seen = {
        noise.SUM: noise.measured_precision(results, noise.SUM),
        noise.PRODUCT: noise.measured_precision(results, noise.PRODUCT),
    }
    rows = [
        (
            str(k),
            *(
                cell
                for what, found in seen.items()
                for cell in (
                    f"{noise.predicted('ckks', k, what):.1f}",
                    f"{found[k]:.1f}" if k in found else None,
                    f"{noise.predicted('bfv', k, what):.1f}",
                )
            ),
        )
        for k in NUMBERS
    ]
    heads = ("CKKS predicted (bits right)", "measured", "BFV predicted (bits left)")
    columns = ("set", *(f"{head}, {what}" for what in seen for head in heads))
    return Table(columns, tuple(rows), caption="The noise itself, 2048 numbers")


def everywhere(results: Results, number: int) -> Table:
    """Every function in every library at one set, with 2048 numbers."""
    rows = [
        (_title(function), _LIBRARIES[name], *cells, _over(*cells_of))
        for function in OPERATIONS
        for name, cells_of in _by_library(results, function, number)
        if any(cells := tuple(_time(c) for c in cells_of))
    ]
    columns = ("function", "library", "CKKS", "BFV", "CKKS over BFV")
    return Table(columns, tuple(rows), left=_LEFT, caption=f"Set {number}, 2048 numbers")


def _title(operation: str) -> str:
    return _TOGETHER.get(operation) or printed.title(operation)


def _by_library(
    results: Results, function: str, number: int
) -> Iterator[tuple[str, tuple[float | None, float | None]]]:
    for name in _LIBRARIES:
        ckks, bfv = (
            _longest(results, OF_PAPER[s] if name == "lattigo" else ELSEWHERE[name, s], function, number)
            for s in SCHEMES
        )
        yield name, (ckks, bfv)


def _longest(results: Results, experiment: Experiment, function: str, number: int) -> float | None:
    found = [b for b in _cells(results, experiment, number) if b.has(slots=LENGTHS[-1])]
    known: list[Any] = [b.either(f"{function}_seconds") for b in found]
    return known[0] if known else None


def same_chain(results: Results) -> Table:
    """CKKS over BFV where both have BFV's primes."""
    rows = []
    for function in FUNCTIONS:
        found = [
            (_longest(results, SAME_CHAIN, function, k), _longest(results, OF_PAPER["bfv"], function, k))
            for k in NUMBERS
        ]
        rows.append((printed.title(function), *(_over(*pair) for pair in found)))
    columns = ("function", *(f"set {k}" for k in NUMBERS))
    return Table(columns, tuple(rows), left=_LEFT, caption="CKKS over BFV, both with BFV's primes")


def _over(ckks: float | None, bfv: float | None) -> str | None:
    return _ratio(ckks / bfv) if ckks and bfv else None


def _ratio(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _time(value: float | None) -> str | None:
    return None if value is None else seconds(value)
