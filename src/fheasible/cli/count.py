"""fheasible count: what a function or an application costs in a ring scheme, without executing it."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.exploration.sweeps.ring_analysis import Subject
    from fheasible.rings.tally import Stored, Tally
    from fheasible.rings.weights import Weights
    from fheasible.schemes.parameters import RingParameters

WORD_BYTES = 4
_MOST_LINES = 40  # lines of the memory table that a terminal shows


def count(
    session: TerminalSession,
    scheme: Annotated[str, typer.Argument(metavar="SCHEME", help="fv, yashe, fntru or shield.")],
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A function such as multiply, all for every function, or an application's file.",
        ),
    ],
    n: Annotated[int, typer.Option("--n", metavar="N", help="Number of coefficients of a polynomial.")],
    log_q: Annotated[
        int | None,
        typer.Option(
            metavar="BITS",
            help="log2 of q, which is the largest such odd q without a common factor with t (2^BITS - "
            "1 for t = 2).",
        ),
    ] = None,
    q: Annotated[int | None, typer.Option("--q", metavar="Q", help="The modulus itself.")] = None,
    log_w: Annotated[int, typer.Option(metavar="BITS", help="log2 of the decomposition base w.")] = 1,
    t: Annotated[int, typer.Option("--t", metavar="T", help="The plaintext modulus.")] = 2,
    sigma: Annotated[float, typer.Option(metavar="S", help="Standard deviation of the errors.")] = 3.2,
    cost: Annotated[
        str,
        typer.Option(metavar="NAME", help="The weights of other operations in multiplications: panthers."),
    ] = "panthers",
    order: options.Order = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show work and memory after every operation.")
    ] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Draw the trace: .svg, .png, .html or .json.")
    ] = None,
) -> None:
    """Count what a function or an application costs in a ring scheme.

    Nothing is executed. The answer has the operations with their weight in integer multiplications, the
    memory table, the kernels of an implementation with number-theoretic transforms, the depth that the noise
    allows, and what is known about security.

    \b
    Example:
      fheasible count fv multiply --n 4096 --log-q 300 --log-w 2 --t 2
      fheasible count fv examples/7_ten_products.py --n 4096 --log-q 281 --log-w 28 --as-written
    """
    from fheasible.api.subjects import subject
    from fheasible.cli.streams import check
    from fheasible.rings.weights import weights
    from fheasible.schemes.parameters import RingParameters

    chosen, rates = subject(scheme, what, order), weights(cost)
    p = RingParameters(n, _bits(log_q, q), t, log_w, sigma, q).checked()
    chosen.check(t)
    check(figure, drawn=True)
    tally = chosen.count(p, rates, record=True)
    document = _document(chosen, p, tally, rates, trace)
    if figure is not None:
        _draw(chosen, p, tally, figure)
    session.answer(document, _rendered(chosen, p, tally, document))


def _bits(log_q: int | None, q: int | None) -> int:
    if q is None and log_q is None:
        raise UsageError("no modulus is given", "add --log-q 300, or --q with the modulus itself")
    if q is None:
        assert log_q is not None
        if log_q < 2:
            raise UsageError(
                f"--log-q {log_q} is not the size of a modulus", "give 2 or more, such as --log-q 300"
            )
        return log_q
    if q < 2:
        raise UsageError(f"--q {q} is not a modulus", "give 2 or more, or --log-q 300")
    if log_q not in (None, q.bit_length()):
        raise UsageError(f"--q has {q.bit_length()} bits, but --log-q is {log_q}", "leave --log-q out")
    return q.bit_length()


def _document(chosen: "Subject", p: "RingParameters", tally: "Tally", rates: "Weights", trace: bool) -> Json:
    depth, secure = _depth(chosen, p), _security(chosen, p)
    document: Json = {
        "scheme": chosen.scheme.name,
        "what": chosen.what,
        "parameters": asdict(p) | {"q": p.modulus},
        "table": list(tally.rows()),
        "integer_operations": dict(tally.integers),
        "integer_multiplications": rates.total(tally.integers),
        "cost": {"name": rates.name, "source": rates.source},
        "memory": _memory(tally),
        "kernels": dict(tally.kernels),
        "depth": depth,
        "security": secure,
        "warnings": [*secure["warnings"], *_doubts(depth)],
    }
    if chosen.application is not None:
        document["operations"] = chosen.application.operations()
    if trace:
        document["trace"] = [asdict(moment) for moment in tally.trace]
    return document


def _memory(tally: "Tally") -> Json:
    m = tally.memory
    words = {"total": m.total_words, "maximal": m.max_words, "current": m.words}
    return {
        "table": [_line(line) for line in tally.stored],
        **words,
        **{f"{name}_mib": count * WORD_BYTES / MIB for name, count in words.items()},
        "bytes": m.max_bytes,
    }


def _line(line: "Stored") -> Json:
    own = {name: value for name, value in asdict(line).items() if name != "output"}
    return own | {"role": "output" if line.output else "temporary"}


def _depth(chosen: "Subject", p: "RingParameters") -> Json:
    """The depths under each assumption about noise, and whether the worst case promises a right result."""
    from fheasible.schemes.noise import average_case, panthers_bounds, worst_case

    scheme = chosen.scheme(p.counting_ring(), p.spec)
    return {
        "worst_case": scheme.noise(worst_case(p.n, p.sigma)).depth(),
        "average": scheme.noise(average_case(p.n, p.sigma)).depth(),
        "panthers": scheme.noise(panthers_bounds(p.n)).depth(),
        "needed": chosen.depth_needed,
        "correct": bool(chosen.correct(chosen.proven(p))),
    }


def _security(chosen: "Subject", p: "RingParameters") -> Json:
    from fheasible.security.verdict import verdict

    return asdict(verdict(chosen.scheme.problem, p.n, p.log_q, sigma=p.sigma))


def _doubts(depth: Json) -> Iterator[str]:
    if not depth["correct"]:
        yield (
            "the worst-case noise bound does not guarantee a right result (multiplications in succession:"
            f" {depth['needed']} are needed, {depth['worst_case']} are guaranteed): take a larger log_q"
        )


def _draw(chosen: "Subject", p: "RingParameters", tally: "Tally", path: Path) -> None:
    from fheasible.api.subjects import said
    from fheasible.reports.charts import write
    from fheasible.reports.figures import Series, Trace

    work = tuple(float(moment.work) for moment in tally.trace)
    memory = tuple(moment.words * WORD_BYTES / MIB for moment in tally.trace)
    series = Series("32-bit integers in use", work, memory)
    title = f"{chosen.scheme.title}, {said(chosen)}: memory over work"
    note = f"n = {p.n}, log2 q = {p.log_q}, log2 w = {p.log_w}, t = {p.t}"
    write(Trace(title, "integer multiplications so far", "MiB in use", (series,), note), path)


def _rendered(chosen: "Subject", p: "RingParameters", tally: "Tally", document: Json) -> Iterator[Any]:
    from fheasible.api.subjects import said
    from fheasible.cli.tables import paragraph, table
    from fheasible.units import number, size

    yield (
        f"{chosen.scheme.title}, {said(chosen)}: n = {number(p.n)}, log2 q = {p.log_q}, t = {number(p.t)},"
        f" log2 w = {p.log_w}"
    )
    yield ""
    rows = [(r["operation"], r["operands"], number(r["count"])) for r in document["table"]]
    yield table(("operation", "operands", "count"), rows, left=("operation", "operands"))
    yield ""
    total, cost = document["integer_multiplications"], document["cost"]["name"]
    yield f"{number(total)} integer multiplications ({cost})"
    yield ""
    yield from _memory_table(tally)
    yield ""
    yield _totals(document["memory"])
    yield f"a real run on the exact ring keeps at most {size(document['memory']['bytes'])}"
    yield ""
    kernels = [(name.replace("_", " "), number(count)) for name, count in document["kernels"].items()]
    yield table(("kernel", "count"), kernels, left=("kernel",))
    if "trace" in document:
        yield ""
        yield _trace_table(document["trace"])
    yield ""
    yield from _verdict(chosen, document)
    yield from (paragraph("warning:", line) for line in document["warnings"])


def _memory_table(tally: "Tally") -> Iterator[Any]:
    from fheasible.cli.tables import table
    from fheasible.units import number

    lines = [_line(line) for line in tally.stored[:_MOST_LINES]]
    columns = ("made by", "type", "role", "rows", "columns", "degree", "32-bit integers")
    rows = [
        (x["made_by"], x["type"], x["role"], *(number(x[k]) for k in ("rows", "cols", "degree", "words")))
        for x in lines
    ]
    yield table(columns, rows, left=columns[:3])
    if len(tally.stored) > _MOST_LINES:
        yield f"... {number(len(tally.stored) - _MOST_LINES)} more lines: --json"


def _totals(memory: Json) -> Any:
    from fheasible.cli.tables import table
    from fheasible.units import number

    rows = [
        (name, number(memory[name]), f"{memory[f'{name}_mib']:,.2f}")
        for name in ("total", "maximal", "current")
    ]
    return table(("memory", "32-bit integers", "MiB"), rows, left=("memory",))


def _trace_table(trace: list[Json]) -> Any:
    from fheasible.cli.tables import table
    from fheasible.units import number, size

    rows = [(m["operation"], number(m["work"]), number(m["words"]), size(m["bytes"])) for m in trace]
    columns = ("after", "integer multiplications", "32-bit integers", "exact ring")
    return table(columns, rows, left=("after",))


def _verdict(chosen: "Subject", document: Json) -> Iterator[str]:
    depth, secure = document["depth"], document["security"]
    yield (
        f"depth: {depth['needed']} products in succession are needed; {depth['worst_case']} are "
        f"guaranteed to decrypt, {depth['average']} fail once in 2^40"
    )
    yield (f"       ({depth['panthers']} by PAnTHErS's bounds)")
    bits = "unknown" if secure["bits"] is None else f"about {int(secure['bits'])} bits"
    yield f"security: {bits} ({chosen.scheme.title} rests on {chosen.scheme.problem.upper()})"
