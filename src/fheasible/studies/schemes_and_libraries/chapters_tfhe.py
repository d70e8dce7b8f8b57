"""The report on TFHE: Tables IV, VI and VII, and where it overtakes CKKS."""

from collections.abc import Iterator

from fheasible.reports.page import Block, Caution, Table
from fheasible.studies.experiment import NotRun
from fheasible.studies.results import Beside, Results
from fheasible.studies.schemes_and_libraries import drawings
from fheasible.studies.schemes_and_libraries.claims_equations import said
from fheasible.studies.schemes_and_libraries.claims_tfhe import STANDS, totals
from fheasible.studies.schemes_and_libraries.crossing import (
    as_written,
    fastest_ckks,
    in_tfhe,
    one_ciphertext,
)
from fheasible.studies.schemes_and_libraries.equations import FRACTIONS, IN_TFHE
from fheasible.studies.schemes_and_libraries.limits import (
    LIMITS,
    NONE,
    TFHE_ABSOLUTE,
    TFHE_FEW,
    TFHE_LIMITED,
    TFHE_UNLIMITED,
)
from fheasible.studies.schemes_and_libraries.printed import GIGABYTES, PUBLISHED, TITLES
from fheasible.studies.schemes_and_libraries.table6 import COLUMNS, TABLE_6
from fheasible.studies.schemes_and_libraries.tfhe_sets import failures, secrets
from fheasible.units import bits, power_of_two, seconds, size

PAPERS_LIBRARY = {"openfhe": "openfhe", "tfhe_rs": "tfhepp"}  # the paper's library beside each of ours


def sets(results: Results) -> Iterator[Block]:
    """Table IV, with the security and the precision of its sets."""
    yield Caution(
        f"{STANDS}. Its set runs there as printed. OpenFHE's cannot: the wheel has its own sets alone, so "
        "that STD128 of today stands beside the STD128 of Table IV."
    )
    printed = tuple(
        (
            title,
            *(
                PUBLISHED[f"table4.{name}.{figure}"].text
                for figure in ("ring", "n", "log_q", "log_gadget_base", "log_base_sk")
            ),
        )
        for name, title in (("openfhe", "OpenFHE"), ("tfhepp", "TFHEpp"))
    )
    yield Table(
        ("library", "N", "n", "q", "gadgetBase", "baseSK"),
        printed,
        left=("library",),
        caption="Table IV, as the paper prints it",
    )
    yield Table(
        ("library", "secret", "security"),
        tuple((s.library, s.secret, bits(s.bits)) for s in secrets()),
        left=("library", "secret"),
        caption="What our estimator says of these sets; the paper says 128 bits",
    )
    yield Table(
        ("values of a ciphertext", "a look-up goes wrong once in"),
        tuple((str(values), f"2^{-rate:.1f}") for values, rate in failures().items()),
        caption="How precise TFHEpp's set is, by our estimate of its noise",
    )


def table_6(results: Results) -> Iterator[Block]:
    yield (
        "Each time is the least CPU time of an operation by itself, with one thread. A gate of OpenFHE is a "
        "NAND, a look-up of TFHE-rs one with its key switch."
    )
    columns = ("library", "set", *(name.replace("_", " ") for name in COLUMNS), "keys, file", "keys, memory",
               "security")  # fmt: skip
    rows = []
    for name, experiment in TABLE_6.items():
        paper = PAPERS_LIBRARY[name]
        rows.append((
            f"{'OpenFHE' if paper == 'openfhe' else 'TFHEpp'}, the paper", "Table IV",
            *(seconds(PUBLISHED.value(f"table6.{paper}.{column}") / 1e3) for column in COLUMNS),
            None, PUBLISHED["section4.memory"].text, None,
        ))  # fmt: skip
        for b in results.beside(experiment):
            rows += _of_set(TITLES[name], b)
    yield Table(columns, tuple(rows), left=columns[:2], caption="Table VI, beside what is found here")
    if all(b.predicted("bootstrapping_seconds") is None for b in results.beside(TABLE_6["openfhe"])):
        yield Caution(
            "Times of OpenFHE's gates are not predicted here, because their prices have not been measured: "
            "fheasible calibrate --gates."
        )


def _of_set(title: str, b: Beside) -> Iterator[tuple[str | None, ...]]:
    """A row of what is predicted, and one of what was measured."""
    name = str(b.cell.parameters["set"])
    for read, word in ((Beside.predicted, "predicted"), (Beside.measured, "measured")):
        if word == "measured" and b.row is None:
            continue
        times = [read(b, f"{column}_seconds") for column in COLUMNS]
        sizes = [read(b, f"{what}_bytes") for what in ("evaluation_key", "resident")]
        security = b.predicted("security_bits") if word == "predicted" else None
        yield (
            f"{title}, {word}", name,
            *(None if t is None else seconds(t) for t in times),
            *(None if s is None else size(s) for s in sizes),
            None if security is None else bits(security),
        )  # fmt: skip


def equations(results: Results) -> Iterator[Block]:
    """Equations 1 and 2 in both schemes, and where they cross."""
    yield (
        "A real number is a row of digits in TFHE, with so many bits after the point; its products are "
        f"rounded. The program is that of TFHE-rs's set of two bits of message and two of carry. {STANDS}."
    )
    columns = ("equation", "n", "bits after the point", "precision", "look-ups", "in succession", "N", "time",
               "measured", "memory")  # fmt: skip
    rows = tuple(_row(number, b) for number, e in IN_TFHE.items() for b in results.beside(e))
    yield Table(columns, rows, caption="Equations 1 and 2 in TFHE-rs")
    try:
        yield Table(
            ("equation", "CKKS", "TFHE", "found here"),
            tuple(_crossings(results)),
            left=("CKKS", "TFHE", "found here"),
            caption="From which n on TFHE takes less; the paper: from 20 to 40 on (Equation 1), never (2)",
        )
    except NotRun as missing:
        yield Caution(f"Where they cross is not known: {missing.message}; run: {missing.remedy}.")
    for number in IN_TFHE:
        for figure in (drawings.equation(results, number), drawings.memory(results, number)):
            if figure is not None:
                yield figure


def _row(number: int, b: Beside) -> tuple[str | None, ...]:
    told = b.prediction.figures
    return (
        str(number),
        str(b.cell.parameters["n"]),
        str(b.cell.parameters["fraction"]),
        bits(told["precision_bits"]),
        f"{told['lookups']:,}",
        f"{told['lookups_in_succession']:,}",
        power_of_two(told["ring_dimension"]),
        seconds(told["cpu_seconds"]),
        None if (seen := b.measured("cpu_seconds")) is None else seconds(seen),
        size(told["peak_bytes"]),
    )


def _crossings(results: Results) -> Iterator[tuple[str, ...]]:
    written, paired = as_written(results, "openfhe"), fastest_ckks(results, 1)
    single = "one ciphertext a number, two look-ups a product"
    for name, ckks in (("as in Table V", written), ("factors paired", paired)):
        yield "1", name, single, said(ckks, one_ciphertext(results, 1))
        for f in FRACTIONS:
            yield "1", name, f"{f} bits after the point", said(ckks, in_tfhe(results, 1, f))
    ckks = fastest_ckks(results, 2)
    yield "2", "one product", single, said(ckks, one_ciphertext(results, 2))
    for f in FRACTIONS:
        yield "2", "one product", f"{f} bits after the point", said(ckks, in_tfhe(results, 2, f))


def limits(results: Results) -> Iterator[Block]:
    """Figure 7 and Table VII."""
    yield (
        "Keys and a hundred gates, with a swap file for what memory does not hold. Both need less here than "
        "the paper's 3.3 GB, so that its limits bind OpenFHE only at 0.5 GB, and TFHE-rs never; it is also "
        "limited to the same parts of what it needs. Predicted times are those without a limit."
    )
    rows = [
        (
            "none" if limit == NONE else f"{float(str(limit)):g} GB",
            *(None if t is None else seconds(t) for t in both),
        )
        for limit, both in totals(results).items()
    ]
    yield Table(("limit", "OpenFHE", "TFHE-rs"), tuple(rows), caption="Wall time in total")
    columns = (
        "limit",
        "gates",
        "outcome",
        "wall time",
        "CPU time",
        "peak memory",
        "read from swap",
        "written to swap",
    )
    own = [("none", TFHE_UNLIMITED), *((f"{g:g} GB", e) for g, e in reversed(TFHE_ABSOLUTE.items()))]
    own += [("none", TFHE_FEW), *((f"{LIMITS[g]} %", e) for g, e in reversed(TFHE_LIMITED.items()))]
    runs = []
    for limit, e in own:
        (b,) = results.beside(e)
        runs.append((limit, str(b.cell.parameters["n"]), *outcome(b)))
    yield Table(columns, tuple(runs), left=("outcome",), caption="TFHE-rs, gates under each limit")
    if (figure := drawings.limits(results)) is not None:
        yield figure
    names = [str(g) for g in GIGABYTES] + ["unlimited"]
    printed = tuple(
        (
            step.replace("_", " "),
            library,
            way,
            *(PUBLISHED[f"table7.{step}.{key}.{way}.{n}"].text for n in names),
        )
        for step in ("gate_key", "bootstrapping")
        for key, library in (("openfhe", "OpenFHE"), ("tfhepp", "TFHEpp"))
        for way in ("read", "write")
    )
    head = ("step", "library", "swap", *(f"{n} GB" if n != "unlimited" else n for n in names))
    yield Table(head, printed, left=head[:3], caption="Table VII, the paper: MB/s of the SSD, as it seems")


def outcome(b: Beside) -> tuple[str | None, ...]:
    """What came of a run under a limit, or without one."""
    seen = [b.measured(name) for name in ("wall_seconds", "cpu_seconds")]
    peak = b.measured("peak_bytes")
    used = b.row.measurement.get("limited") if b.row and b.row.measurement else None
    swapped = [None if not used else used.get(name) for name in ("swap_read_bytes", "swap_written_bytes")]
    return (
        b.row.outcome if b.row else "not run yet",
        *(None if s is None else seconds(s) for s in seen),
        None if peak is None else size(peak),
        *(None if s is None else size(s) for s in swapped),
    )
