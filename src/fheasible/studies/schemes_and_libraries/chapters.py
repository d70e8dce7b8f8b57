"""The report: the paper's tables with ours beside them, and its figures drawn from what is stored."""

from collections.abc import Iterator

from fheasible.reports.page import Block, Table
from fheasible.studies.cells_shown import chapters as of_cells
from fheasible.studies.curves import Curves
from fheasible.studies.report import Chapter
from fheasible.studies.results import Beside, Results
from fheasible.studies.schemes_and_libraries import chapters_tfhe as tfhe
from fheasible.studies.schemes_and_libraries.equations import (
    BOOTSTRAPPED,
    EQUATION_1,
    EQUATION_2,
    UNREFRESHED,
)
from fheasible.studies.schemes_and_libraries.experiments import DEPTH, EXPERIMENTS, LIMITED, UNLIMITED
from fheasible.studies.schemes_and_libraries.printed import DEPTHS, LENGTHS, LIBRARIES, PUBLISHED, TITLES
from fheasible.units import MIB, seconds, size
from fheasible.units import bits as bits_said

_BY_DEPTH = list(DEPTH.values())
_NAMES = {e.name: f"{TITLES[e.library]} {e.scheme.upper()}" for e in _BY_DEPTH}
FIGURES = (
    Curves(
        title="Figure 3: CPU time of a run by the number of products",
        experiments=_BY_DEPTH, names=_NAMES, x="depth", y="cpu_seconds", x_label="products",
        y_label="CPU time (s)", log_y=True,
    ),
    Curves(
        title="Figure 4: peak memory by the number of products",
        experiments=_BY_DEPTH, names=_NAMES, x="depth", y="peak_bytes", x_label="products",
        y_label="peak memory (MiB)", unit=MIB,
    ),
)  # fmt: skip


def chapters(results: Results) -> tuple[Chapter, ...]:
    return (
        Chapter("Schemes by multiplicative depth: Table III, Figures 3 and 4", tuple(_depth(results))),
        Chapter("Equations 1 and 2 in CKKS: Table V", tuple(_equations(results))),
        Chapter("CKKS with less memory: Section V", tuple(_memory(results))),
        Chapter("TFHE: the sets of Table IV", tuple(tfhe.sets(results))),
        Chapter("TFHE: keys and gates, Table VI", tuple(tfhe.table_6(results))),
        Chapter("CKKS against TFHE: Figures 5 and 6", tuple(tfhe.equations(results))),
        Chapter("TFHE with less memory: Table VII, Figure 7", tuple(tfhe.limits(results))),
        *of_cells(results, EXPERIMENTS),
    )


def _drawn(results: Results, *figures: Curves) -> Iterator[Block]:
    for figure in figures:
        if (made := figure.figure(results)) is not None:
            yield made


def _depth(results: Results) -> Iterator[Block]:
    yield (
        "A run encrypts two vectors that fill a ciphertext, multiplies one by the other as often as the "
        "chain of "
        "moduli allows, one product after another, and decrypts. The figures of the paper have no values "
        "in its text. SEAL, which the paper does not have, is among the cells below."
    )
    yield Table(
        ("scheme", "library", "depth", "log q, the paper", "depth products", "depth - 1 products"),
        tuple(_moduli(results)),
        left=("scheme", "library"),
        caption="Table III (b): log q in bits, and what the library's rules give for as many products",
    )
    yield from _drawn(results, *FIGURES)


def _moduli(results: Results) -> Iterator[tuple[str, ...]]:
    for (lib, scheme), experiment in DEPTH.items():
        ours = {b.cell.parameters["depth"]: b.predicted("log_q") for b in results.beside(experiment)}
        for depth in DEPTHS:
            told = PUBLISHED[f"table3.log_q.{scheme}.{lib}.{depth}"]
            both = ("-" if ours[d] is None else f"{ours[d]:.0f}" for d in (depth, depth - 1))
            yield (scheme.upper(), TITLES[lib], str(depth), told.text, *both)


def _equations(results: Results) -> Iterator[Block]:
    yield (
        "Equation 1 is the product of n values of one ciphertext, Equation 2 the inner product of two. The "
        "paper bootstraps in Equation 1; here the factors are paired, and the chain is long enough for "
        "their depth. In the order as written, it bootstraps here, too."
    )
    columns = (
        "equation",
        "n",
        "N, the paper",
        "log q",
        "depth",
        "library",
        "N",
        "log QP",
        "depth",
        "CPU time",
        "measured",
    )
    yield Table(
        columns, tuple(_rows(results)), left=("library",), caption="Table V, with factors paired (Equation 1)"
    )
    head = (
        *("n", "N, the paper", "log q", "depth", "library", "N", "log q", "log QP", "depth", "bootstraps"),
        *("security", "precision", "CPU time", "memory", "measured"),
    )
    yield Table(
        head,
        tuple(_as_written(results)),
        left=("library",),
        caption="Table V, Equation 1 as the paper computes it, one factor after another. The paper counts 0 "
        "bootstraps for n = 2, then 2, 3, 4 and 5; our inputs enter at the level that a bootstrap leaves",
    )


def _as_written(results: Results) -> Iterator[tuple[str | None, ...]]:
    """Equation 1 one factor after another: a row of the paper's for each n, beside each library's."""
    for n in LENGTHS:
        theirs = tuple(PUBLISHED[f"table5.eq1.{n}.{name}"].text for name in ("ring", "log_q", "depth"))
        for lib in LIBRARIES:
            experiment = BOOTSTRAPPED[lib] if n >= LENGTHS[2] else UNREFRESHED[lib]
            b = next(b for b in results.beside(experiment) if b.has(n=n))
            c = experiment.candidate(b.cell)
            bootstraps = "-" if c is None else str(c.program.bootstrap_count)
            yield (str(n), *theirs, TITLES[lib], *_ours(b), bootstraps, *_cost(b))


def _ours(b: Beside) -> tuple[str, ...]:
    limbs = b.predicted("limbs")
    return (
        str(b.predicted("ring_dimension") or "-"),
        *("-" if (bits := b.predicted(name)) is None else f"{bits:.0f}" for name in ("log_q", "log_qp")),
        "-" if limbs is None else str(limbs - 1),
    )


def _cost(b: Beside) -> tuple[str | None, ...]:
    """Security, precision, time and memory, and the measured time."""
    return (
        *(None if (value := b.predicted(f"{name}_bits")) is None else bits_said(value)
          for name in ("security", "precision")),
        seconds(b.predicted("cpu_seconds")),
        size(b.predicted("peak_bytes")),
        None if (seen := b.measured("cpu_seconds")) is None else seconds(seen),
    )  # fmt: skip


def _rows(results: Results) -> Iterator[tuple[str | None, ...]]:
    for number, those in ((1, EQUATION_1), (2, EQUATION_2)):
        for lib in LIBRARIES:
            for b in results.beside(those[lib]):
                n = b.cell.parameters["n"]
                theirs = (
                    PUBLISHED[f"table5.eq{number}.{n}.{name}"].text for name in ("ring", "log_q", "depth")
                )
                limbs = b.predicted("limbs")
                yield (
                    str(number), str(n), *theirs, TITLES[lib], str(b.predicted("ring_dimension") or "-"),
                    f"{b.predicted('log_qp') or 0:.0f}", "-" if limbs is None else str(limbs - 1),
                    seconds(b.predicted("cpu_seconds")), seconds(b.measured("cpu_seconds")),
                )  # fmt: skip


def _memory(results: Results) -> Iterator[Block]:
    yield (
        "The paper limits TFHE to 0.5, 1, 2 and 3 GB where it needs 3.3 GB. Here OpenFHE's CKKS, with 16 "
        "ciphertexts for each vector, is limited to the same parts of what it needs, with a swap file for "
        "the rest."
    )
    rows = [
        (size(e.memory.memory_bytes) if e.memory else "none", *tfhe.outcome(results.beside(e)[0]))
        for e in (UNLIMITED, *LIMITED.values())
    ]
    columns = (
        "limit",
        "outcome",
        "wall time",
        "CPU time",
        "peak memory",
        "read from swap",
        "written to swap",
    )
    yield Table(columns, tuple(rows), left=("outcome",), caption="One run of ten products under each limit")
