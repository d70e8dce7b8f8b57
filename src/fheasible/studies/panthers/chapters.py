"""The report: the paper's tables and figures with ours beside them, made from whatever is stored."""

from collections.abc import Callable, Iterator

from fheasible.reports.page import Block, Caution, Table
from fheasible.schemes.catalogue import scheme
from fheasible.security.tables import GUIDELINES_2024, STANDARD, min_ring_dimension
from fheasible.studies import cells_shown
from fheasible.studies.experiment import NotRun
from fheasible.studies.panthers import choosing, drawings, explored, published_apps
from fheasible.studies.panthers.calibrated import MEMORY, TIME
from fheasible.studies.panthers.experiments import EXPERIMENTS, INSUFFICIENT, experiment
from fheasible.studies.panthers.parameters import SWEEPS, TITLES, Sweep
from fheasible.studies.panthers.printed import PUBLISHED, value
from fheasible.studies.panthers.security import CAUTION, LEVEL, SECRET, JudgedSecurity, judged
from fheasible.studies.panthers.tables import errors, rows_of_cells, speedups
from fheasible.studies.report import Chapter
from fheasible.studies.results import Results
from fheasible.units import power_of_two

_TIME_AND_MEMORY = (
    "Complexity is the CPU time of one execution, the least of the repetitions; memory cost is the peak "
    "resident memory beyond what the process had before. PAnTHErS's view counts integer multiplications "
    "and 32-bit integers; the kernel view has one price for each kernel of our code, fitted to the same "
    "two sets of each sweep. Errors are those at values that a calibration did not see: this is stricter "
    "than the paper's mean over all values, which the column 'all values' has."
)


def chapters(results: Results) -> tuple[Chapter, ...]:
    return (
        Chapter("What is run", tuple(_run(results)), (rows_of_cells(results),)),
        Chapter("Security of these sets", tuple(_security())),
        Chapter("Times to calibrate and to execute: Table II", tuple(_table2(results))),
        Chapter("Errors: Table III", (_TIME_AND_MEMORY, *_table3(results))),
        Chapter("Calibration along one parameter: Figures 1 to 3", tuple(_figures(results))),
        Chapter("The case study: Section IV", tuple(_case(results))),
        Chapter("What Fheasible would choose", tuple(explored.blocks())),
        Chapter("The other published applications", tuple(published_apps.blocks(results))),
        Chapter("What the paper states, and where it is unclear", (_printed(),)),
        *cells_shown.chapters(results, EXPERIMENTS),
    )


def or_missing(made: Callable[[], Block], what: str) -> Block:
    """The block, or a sentence that says what has not been run."""
    try:
        return made()
    except NotRun as missing:
        return f"{what}: {missing.message}. {missing.remedy}"


def _run(results: Results) -> Iterator[Block]:
    columns = (
        "experiment",
        "from",
        "scheme",
        "varies",
        "values",
        "executed",
        "timed only",
        "wrong",
        "no result",
    )
    yield Table(
        columns, tuple(_experiment(results, s) for s in SWEEPS), left=columns[:5], caption="Table I and more"
    )
    yield (
        f"Timed only: {INSUFFICIENT}. The paper runs sets whose modulus is too small for one right "
        "product, down to log2 q = 4. They cannot give a right result, and this is not a failure. Wrong: "
        "the result is wrong although the noise bound guarantees a right one."
    )


def _experiment(results: Results, sweep: Sweep) -> tuple[str, ...]:
    one = experiment(sweep.name)
    rows = results.of(one)
    attempts = [row for cell in one.cells if (row := results.row(one, cell)) is not None]
    values = f"{sweep.values[0]} to {sweep.values[-1]}" if len(sweep.values) > 1 else str(sweep.values[0])
    short = sum(row.message == INSUFFICIENT for row in rows)
    told = (sweep.name, sweep.where, scheme(sweep.scheme).title, TITLES[sweep.vary], values)
    wrong = sum(row.outcome == "wrong" for row in rows)
    return (*told, f"{len(rows)} of {len(one.cells)}", str(short), str(wrong), str(len(attempts) - len(rows)))


def _security() -> Iterator[Block]:
    sets = _distinct([judged(s.scheme, *ends) for s in SWEEPS for ends in _ends(s)])
    broken = sum(j.today.overstretched for j in sets)
    weak = sum(not (j.today.overstretched or j.today.reaches(STANDARD)) for j in sets)
    yield Caution(
        f"The paper asks for {LEVEL} bits by a rule of 2017 and treats NTRU like RLWE. By today's estimates"
        f" {broken} of the {len(sets)} sets below are overstretched NTRU, far weaker than RLWE of that size,"
        f" and {weak} more are below {STANDARD} bits. {CAUTION}"
    )
    rows = ((j.title, power_of_two(j.n), str(j.log_q), j.said_by_rule, j.said_today) for j in sets)
    columns = ("scheme", "n", "log2 q", f"{LEVEL} bits by the rule of 2017", "today")
    yield Table(columns, tuple(rows), left=("scheme", *columns[3:]), caption="The ends of every sweep")


def _ends(sweep: Sweep) -> list[tuple[int, int]]:
    cells = (sweep.cells[0], sweep.cells[-1])
    return [(cell.parameters["n"], cell.parameters["log_q"]) for cell in cells]


def _distinct(sets: list[JudgedSecurity]) -> list[JudgedSecurity]:
    return list({(j.title, j.n, j.log_q): j for j in sets}.values())


def _table2(results: Results) -> Iterator[Block]:
    yield speedups(results)
    yield (
        "A calibration executes the first and the last set of each sweep once. Sets that are not executed yet"
        " count with their predicted time. Counting all sets takes less than a second."
    )


def _table3(results: Results) -> Iterator[Block]:
    for figure in (TIME, MEMORY):
        yield errors(results, figure)


def _figures(results: Results) -> Iterator[Block]:
    yield or_missing(lambda: drawings.figure1(results), "Figure 1")
    yield or_missing(lambda: drawings.figure2a(results), "Figure 2a")
    yield or_missing(lambda: drawings.figure2b(results), "Figure 2b")
    yield or_missing(lambda: drawings.figure3(results), "Figure 3")


def _case(results: Results) -> Iterator[Block]:
    written, least = choosing.needed(), choosing.needed(minimise_depth=True)
    yield (
        f"Equation 3 as written has {written} multiplications in succession. With its factors paired, as"
        f" Fheasible evaluates an application by default, it has {least}. Modulo 2 it is 0 for all"
        " constants. Therefore each set is first checked, in all coefficients, on plaintext polynomials for"
        " which it is not 0."
    )
    yield _moduli(written, least)
    yield _dropouts()
    yield or_missing(lambda: drawings.figure4(results), "Figure 4")
    yield or_missing(lambda: drawings.figure4_memory(results), "Beside Figure 4")
    yield or_missing(lambda: drawings.figure5(results), "Figure 5")
    yield or_missing(lambda: drawings.figure5_time(results), "Beside Figure 5")


def _moduli(written: int, least: int) -> Table:
    rows = []
    for name in ("fv", "yashe", "fntru", "shield"):
        found = [choosing.least_log_q(name, depth).log_q for depth in (written, least)]
        last = choosing.largest_log_w(name, written)
        rows.append(
            (scheme(name).title, *("none" if k is None else str(k) for k in found), str(last or "none"))
        )
    columns = ("scheme", f"least log2 q, depth {written}", f"depth {least}", "largest log2 w at log2 q = 300")
    caption = (
        "At n = 2^12, t = 2, w = 2^28 by each scheme's formula with the noise constants of PAnTHErS's code"
    )
    return Table(columns, tuple(rows), left=("scheme",), caption=caption)


def _dropouts() -> Table:
    ring = min_ring_dimension(GUIDELINES_2024, value("section4.log_q"), SECRET, STANDARD)
    needs = "no ring in the tables" if ring is None else f"n = {power_of_two(ring)}"
    ntru = "overstretched NTRU: not recommended at any of these sets"
    rows = (
        (
            "SHIELD",
            "left out: its paper has no formula of depth",
            "a formula is derived; the largest modulus",
        ),
        ("F-NTRU", "dropped: complexity highest, and growing fastest", ntru),
        ("YASHE", "dropped: complexity above FV's", ntru),
        ("FV", "chosen: t = 2, w = 2^28, log2 q = 281, n = 2^12", f"today {STANDARD} bits need {needs}"),
    )
    return Table(("scheme", "in the paper", "here"), rows, left=("scheme", "in the paper", "here"))


def _printed() -> Table:
    rows = tuple((n.where, n.key, n.text, n.remark or None) for n in PUBLISHED.values())
    columns = ("where", "figure", "printed", "remark")
    return Table(columns, rows, left=columns)
