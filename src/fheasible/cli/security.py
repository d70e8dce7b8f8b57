"""fheasible security: how hard a parameter set is to break, by the estimator and by the tables."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession
from fheasible.errors import DataError, UsageError

if TYPE_CHECKING:
    from fheasible.security.assessment import Assessed, AssessedSets, Attackers
    from fheasible.security.keys import KeyUse

_MOST_ROWS = 30
_RINGS = tuple(1 << log_n for log_n in range(11, 17))  # the rings of a sweep that names none
_PICTURE = Path("security.svg")
_FIGURES = (  # the columns of a set in CSV; what each library's own table says comes before the last
    "problem", "n", "log_q", "secret", "sigma", "model", "quantum", "bits", "attack", "block_size",
    "standard_bits", "overstretched",
)  # fmt: skip


def security(
    session: TerminalSession,
    n: Annotated[
        list[int] | None,
        typer.Option("--n", metavar="N", help="Ring degree, or LWE dimension; may be repeated."),
    ] = None,
    log_q: Annotated[
        list[float] | None,
        typer.Option(
            metavar="BITS", help="log2 of the whole modulus QP; may be repeated. With --sweep: both ends."
        ),
    ] = None,
    secret: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="ternary, gaussian, binary, or sparse:h with h coefficients that are not 0."
        ),
    ] = "ternary",
    ephemeral: Annotated[
        str | None,
        typer.Option(
            metavar="H:BITS",
            help="Judge the ephemeral secret of a bootstrapping too: its H coefficients that are not 0, and "
            "log2 of its modulus, q0 times the first special prime.",
        ),
    ] = None,
    sigma: Annotated[float, typer.Option(metavar="S", help="Standard deviation of the errors.")] = 3.19,
    problem: Annotated[
        str,
        typer.Option(metavar="NAME", help="rlwe (also for LWE), or ntru for the keys of YASHE and F-NTRU."),
    ] = "rlwe",
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Cost model of lattice reduction: matzov (the default), bdgl16 or adps16; for quantum "
            "attackers chaloy21 (the default with --quantum), adps16_quantum or laamospol14.",
        ),
    ] = None,
    quantum: Annotated[
        bool, typer.Option("--quantum", help="Assume attackers with quantum computers.")
    ] = False,
    sets: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Judge many sets, from columns n and log_q, and secret and sigma where they differ.",
        ),
    ] = None,
    sweep: Annotated[bool, typer.Option("--sweep", help="Draw security over log2 q for each n.")] = False,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help=f"With --sweep: .svg, .png, .html or .json; {_PICTURE} by default."
        ),
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every set as a row.")] = None,
) -> None:
    """Estimate how hard a parameter set is to break.

    The answer has the cheapest known attack and its cost by today's estimates, what the standards and the
    libraries' own tables say about the set, what that means in plain words, and what to take instead.

    \b
    Example:
      fheasible security --n 16384 --log-q 438 --secret ternary
      fheasible security --n 65536 --log-q 1546 --secret sparse:192 --ephemeral 32:121
      fheasible security --n 4096 --log-q 106 --problem ntru --json
      fheasible security --n 8192 --n 16384 --sweep --figure security.png
      fheasible security --sets sets.csv --csv judged.csv
    """
    from fheasible.cli.streams import check
    from fheasible.security.assessed_keys import assess_keys
    from fheasible.security.assessment import Attackers, assess

    begun = time.perf_counter()
    _refuse_mixtures(n, log_q, sets, sweep, figure)
    attackers = Attackers.of(problem, model, quantum)
    if ephemeral is not None:
        keys = _two_keys(n, log_q, secret, sigma, ephemeral, alone=not (sets or sweep or csv))
        judged = assess_keys(keys, attackers)
        session.answer(judged | {"seconds": time.perf_counter() - begun}, _keys(judged))
        return
    picture = (figure or _PICTURE) if sweep else None
    check(picture, drawn=True)
    check(csv)
    if picture is not None:
        found = _swept(attackers, n or _RINGS, log_q or (), secret, sigma, picture)
    else:
        wanted = _read(sets, secret, sigma) if sets else _product(n, log_q, secret, sigma)
        found = assess(wanted, attackers)
    if csv is not None:
        _write_csv(found, csv)
    if len(found) == 1:
        document = found.document(0) | {"seconds": time.perf_counter() - begun}
        session.answer(document, _one(document))
        return
    full = sets is None and not sweep
    rows = [found.document(i) if full else found.row(i) for i in range(len(found))]
    told = {
        "sets": rows,
        "figures": [str(picture)] if picture else [],
        "seconds": time.perf_counter() - begun,
    }
    session.answer(told, _many(told, attackers))


def _refuse_mixtures(
    n: Sequence[int] | None,
    log_q: Sequence[float] | None,
    sets: Path | None,
    sweep: bool,
    figure: Path | None,
) -> None:
    if sets and (n or log_q or sweep):
        raise UsageError(
            "--sets takes everything that is judged from its file", "leave --n, --log-q and --sweep out"
        )
    if figure and not sweep:
        raise UsageError("--figure needs a sweep to draw", "add --sweep")
    if sweep and log_q and len(log_q) != 2:
        raise UsageError(
            "--sweep takes two values of --log-q, its ends",
            "write --log-q 100 --log-q 500, or leave --log-q out",
        )


def _product(
    n: Sequence[int] | None, log_q: Sequence[float] | None, secret: str, sigma: float
) -> "AssessedSets":
    from fheasible.security.assessment import AssessedSets

    if not n:
        raise UsageError("no ring degree is given", "add --n 16384, or --sets FILE.csv")
    if not log_q:
        raise UsageError("no modulus is given", "add --log-q 438: the bits of the whole modulus QP")
    return AssessedSets.product(n, log_q, secret, sigma)


def _two_keys(
    n: Sequence[int] | None,
    log_q: Sequence[float] | None,
    secret: str,
    sigma: float,
    ephemeral: str,
    alone: bool,
) -> "tuple[KeyUse, KeyUse]":
    """The main and the ephemeral secret. UsageError for anything but one set and WEIGHT:BITS."""
    from fheasible.security.keys import EPHEMERAL, KeyUse

    if not alone or len(n or ()) != 1 or len(log_q or ()) != 1:
        raise UsageError(
            "--ephemeral belongs to one set",
            "give one --n and one --log-q, without --sets, --sweep and --csv",
        )
    (ring,), (modulus,) = n or (), log_q or ()
    weight, _, bits = ephemeral.partition(":")
    try:
        own = float(bits)
    except ValueError:
        raise UsageError(
            f"--ephemeral {ephemeral} is not a weight and a modulus",
            "write 32:121 for weight 32 and a modulus of 121 bits",
        ) from None
    return (
        KeyUse(ring, modulus, secret, sigma=sigma),
        KeyUse(ring, own, f"sparse:{weight}", EPHEMERAL, sigma),
    )


def _read(path: Path, secret: str, sigma: float) -> "AssessedSets":
    """The sets in the file. DataError, with the row, for a cell that is not a number."""
    import numpy as np

    from fheasible.reports.tables import read_csv
    from fheasible.security.assessment import AssessedSets

    if not path.is_file():
        raise DataError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}", "name a CSV file")
    columns, rows = read_csv(path)
    missing = [name for name in ("n", "log_q") if name not in columns]
    if missing or not rows:
        fault = f"has no column {' and '.join(missing)}" if missing else "has no rows"
        raise DataError(f"{path} {fault}", "the first line names the columns: n,log_q,secret,sigma")
    cells = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    numbers = {name: _numbers(path, name, cells[name]) for name in ("n", "log_q")}
    widths = _numbers(path, "sigma", cells.get("sigma", [sigma] * len(rows)))
    secrets = tuple(str(cell) for cell in cells.get("secret", [secret] * len(rows)))
    return AssessedSets(np.array(numbers["n"]), np.array(numbers["log_q"]), np.array(widths), secrets)


def _numbers(path: Path, name: str, cells: Sequence[Any]) -> list[float]:
    return [_number(f"{path}, row {i}: {name}", cell) for i, cell in enumerate(cells, start=1)]


def _number(place: str, cell: Any) -> float:
    """The cell as a number. A text that people read as a number counts as one, such as 430.50, though no
    program wrote it."""
    try:
        return float("no number" if cell is None or isinstance(cell, bool) else cell)
    except ValueError:
        raise DataError(f"{place} is {cell!r}", "write a number") from None


def _swept(
    attackers: "Attackers",
    rings: Sequence[int],
    ends: Sequence[float],
    secret: str,
    sigma: float,
    picture: Path,
) -> "Assessed":
    from fheasible.reports import charts
    from fheasible.reports import security as drawing

    found = drawing.sweep(attackers, sorted(set(rings)), secret, sigma, ends)
    charts.write(drawing.figure(found), picture)
    return found


def _write_csv(found: "Assessed", path: Path) -> None:
    from fheasible.reports.tables import write_csv

    rows = (found.row(i) for i in range(len(found)))
    from fheasible.security.tables import ENFORCED

    names = (*_FIGURES[:-1], *(f"{library}_bits" for library in ENFORCED), _FIGURES[-1])
    write_csv(path, names, ([_cell(row, name) for name in names] for row in rows))


def _cell(row: Json, name: str) -> Any:
    library = name.removesuffix("_bits")
    return row["library_bits"].get(library) if library in row["library_bits"] else row[name]


def _one(document: Json) -> Iterator[Any]:
    from fheasible.cli.tables import paragraph, table

    yield paragraph(*_headline(document))
    yield ""
    columns = ("attack", "security", "block size", "dimension", "guessed", "memory")
    yield table(columns, [_attack(*item) for item in _ranked(document)], left=("attack",))
    yield ""
    yield _tables(document)
    yield ""
    yield from (
        paragraph("in plain words:" if not i else "-", line) for i, line in enumerate(document["advice"])
    )
    yield from (paragraph("warning:", line) for line in document["warnings"])


def _keys(judged: Json) -> Iterator[Any]:
    """Both secrets with all attacks on them, and which of them decides."""
    from fheasible.cli.tables import paragraph, table

    names = [role for role, found in judged["keys"].items() for _ in found["attacks"]]
    attacks = [_attack(*item) for found in judged["keys"].values() for item in _ranked(found)]
    for role, found in judged["keys"].items():
        yield paragraph(f"{role} secret:", _headline(found)[1])
    yield ""
    columns = ("secret", "attack", "security", "block size", "dimension", "guessed", "memory")
    rows = [(role, *attack) for role, attack in zip(names, attacks, strict=True)]
    yield table(columns, rows, left=("secret", "attack"))
    yield ""
    yield paragraph("in plain words:", f"{judged['verdict']}.")
    yield from (paragraph("warning:", line) for line in judged["warnings"])


def _ranked(document: Json) -> list[tuple[str, Json]]:
    """The attacks of a document, the cheapest first."""
    return sorted(document["attacks"].items(), key=lambda item: item[1]["bits"] or float("inf"))


def _headline(d: Json) -> tuple[str, str]:
    from fheasible.units import power_of_two

    attackers = "quantum" if d["quantum"] else "classical"
    errors = "" if d["problem"] == "ntru" else f", errors of width {d['sigma']:g}"
    return (
        f"{d['problem'].upper()},",
        f"n = {power_of_two(d['n'])}, log2 q = {d['log_q']:g}, {d['secret']} secret"
        f"{errors}: {d['bits']:.1f} bits ({d['attack']}, cost model {d['model']}, {attackers} attackers)",
    )


def _attack(name: str, found: Json) -> tuple[str, ...]:
    from fheasible.units import ABSENT, bits, number

    if found["bits"] is None:
        return (name, "does not apply", ABSENT, ABSENT, ABSENT, ABSENT)
    memory = ABSENT if found["memory_bits"] is None else f"2^{found['memory_bits']:.0f}"
    counts = (number(found[key]) for key in ("block_size", "dimension", "guessed"))
    return (name, bits(found["bits"]), *counts, memory)


def _tables(document: Json) -> Any:
    """A table of what each published table allows at that n, and what it says of the set."""
    from fheasible.cli.tables import table
    from fheasible.units import ABSENT

    rows = []
    for name, limits in document["limits"].items():
        allowed = [ABSENT if limit is None else f"{limit:g}" for limit in limits.values()]
        bits = document["library_bits"].get(name, document["standard_bits"])
        known = any(limit is not None for limit in limits.values())
        verdict = f"{bits} bits" if bits else "less than 128 bits" if known else "has no row for this"
        rows.append((_name(name), *allowed, verdict))
    levels = (f"log2 q for {level}" for level in document["limits"]["guidelines_2024"])
    columns = ("table of", *levels, "says")
    return table(columns, rows, left=("table of", "says"))


def _name(table: str) -> str:
    from fheasible.api.naming import title

    return "Security Guidelines 2024" if table == "guidelines_2024" else title(table)


def _many(told: Json, attackers: "Attackers") -> Iterator[Any]:
    from fheasible.api.naming import title
    from fheasible.cli.tables import table
    from fheasible.units import seconds

    rows = told["sets"]
    libraries = list(rows[0]["library_bits"])
    columns = ("n", "log2 q", "secret", "security", "attack", "block size", "2024", *map(title, libraries))
    shown = [_row(row, libraries) for row in rows[:_MOST_ROWS]]
    yield table(columns, shown, left=("n", "secret", "attack"))
    if len(rows) > _MOST_ROWS:
        yield f"... {len(rows) - _MOST_ROWS:,} more: --csv FILE, or --json"
    yield ""
    yield (
        "2024: the level by the Security Guidelines of 2024; other columns: the level by the "
        "library's own table"
    )
    yield f"cost model {attackers.model}; log2 q always means the whole modulus QP"
    yield from (f"drawn: {path}" for path in told["figures"])
    rate = len(rows) / told["seconds"]
    yield f"{len(rows):,} sets in {seconds(told['seconds'])} ({rate:,.0f} per second)"


def _row(row: Json, libraries: Sequence[str]) -> tuple[str, ...]:
    from fheasible.units import ABSENT, bits, number, power_of_two

    levels = (row["standard_bits"], *(row["library_bits"][name] for name in libraries))
    return (
        power_of_two(row["n"]),
        f"{row['log_q']:.5g}",
        row["secret"],
        bits(row["bits"]),
        row["attack"],
        number(row["block_size"]),
        *(ABSENT if level is None else f"{level}" for level in levels),
    )
