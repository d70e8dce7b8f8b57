"""fheasible export: stored results as a file that another store can take in, and costs for other tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fheasible.store.lines import ExportLine
    from fheasible.store.store import Store

RESULTS, COSTS = "results", "costs"


def export(
    session: TerminalSession,
    what: Annotated[
        str,
        typer.Argument(
            metavar="[results|costs]", help="Stored results, or costs of operations for another tool."
        ),
    ] = RESULTS,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The file to write: .parquet for Parquet, any other name for JSON lines. stdout by default.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only measurements, samples, profiles, explorations or trials; may be repeated. "
            "All by default.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="TOOL", help="Of costs: heir, whose placement of bootstraps reads them (Orbit's JSON)."
        ),
    ] = None,
    library: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of costs: a library that bootstraps CKKS.")
    ] = None,
    param: options.Params = None,
    security: Annotated[
        str, typer.Option(metavar="BITS|none", help="Of costs: bits of security, or none.")
    ] = "128",
) -> None:
    """Write stored results to a file, for another machine or for tools of your own.

    The file holds every row with its environment, and of each run every sample. Damaged rows are left out,
    and named. `fheasible import` takes the file into another store; importing it twice adds nothing. A line
    of JSON holds one row; a Parquet file has the same lines in its last column, and in the others what each
    is about: time, machine, library, version, scheme, application, outcome.

    `export costs --to heir` writes what each operation takes at each level of CKKS with a bootstrap, from the
    calibration: the table that HEIR's option orbit-cost-model of --ilp-bootstrap-placement reads.

    \b
    Example:
      fheasible export --out results.jsonl
      fheasible export --kind samples --out samples.parquet
      fheasible export costs --to heir --library openfhe --param levels=10 --out costs.json
    """
    from fheasible.cli.streams import check

    _check_options(what, kind, {"--to": to, "--library": library, "--param": param})
    if what == COSTS:
        check(out)
        _costs(session, out, to or "", library, param, security)
        return
    if out is None and session.as_json:
        raise UsageError("--json and the export would both be on stdout", "name a file with --out")
    check(out)
    with session.store(reading=True) as store:
        counted = _written(store, kind, out)
        place = store.place
    if out is not None:
        told = ", ".join(f"{number:,} {name}" for name, number in counted.items() if number)
        session.answer(
            {"store": place, "file": str(out), "rows": counted}, [f"written: {out}: {told or 'nothing'}"]
        )


def _check_options(what: str, kind: "Sequence[str] | None", of_costs: "Mapping[str, object]") -> None:
    """Raises UsageError for what cannot be exported, and for options that belong to something else."""
    if what not in (RESULTS, COSTS):
        raise UsageError(f"{what} cannot be exported", f"export {RESULTS}, or {COSTS} --to heir")
    foreign = [name for name, value in of_costs.items() if value]
    if what == RESULTS and foreign:
        raise UsageError(f"{foreign[0]} belongs to the costs of operations", f"write export {COSTS}")
    if what == COSTS and kind:
        raise UsageError("--kind belongs to stored results", "leave --kind out")
    if what == COSTS and not of_costs["--to"]:
        raise UsageError("costs are written for a tool, and none is named", "add --to heir")


def _costs(
    session: TerminalSession,
    out: Path | None,
    to: str,
    library: str | None,
    param: "Sequence[str] | None",
    security: str,
) -> None:
    import json

    from fheasible.api.heir_costs import costs
    from fheasible.cli.params import security_level
    from fheasible.cli.pinned import settings_of
    from fheasible.cli.streams import appearing
    from fheasible.cli.tables import width

    found = costs(to, library, settings_of(param or ()), security_level(security), session)
    if out is None and not session.as_json:
        session.answer(found.document, [json.dumps(found.document, indent=2)])
        return
    if out is not None:
        with appearing(out) as stream:
            stream.write(json.dumps(found.document, indent=2) + "\n")
    session.answer(found.document, [f"written: {out}", *found.lines(width())])


def _written(store: "Store", kinds: "Sequence[str] | None", out: Path | None) -> dict[str, int]:
    """How many rows of each kind were written."""
    from fheasible.cli.streams import appearing
    from fheasible.reports.files import write
    from fheasible.store.export_files import is_parquet, parquet_of
    from fheasible.store.kinds import kinds_of

    counted = dict.fromkeys(kinds_of(kinds), 0)
    lines = _counting(store.lines(kinds), counted)
    if out is not None and is_parquet(out):
        write(out, parquet_of(lines))
        return counted
    with appearing(out) as stream:
        for line in lines:
            stream.write(line.text + "\n")
    return counted


def _counting(lines: "Iterable[ExportLine]", counted: dict[str, int]) -> "Iterator[ExportLine]":
    for line in lines:
        if line.kind in counted:
            counted[line.kind] += 1
        yield line
