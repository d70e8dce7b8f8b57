"""fheasible measure: single operations of libraries, predicted beside measured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fheasible.cli import options
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.api.operations import MeasuredOperations

_MOST_PASSES = 10_000


def measure(
    session: TerminalSession,
    limits: options.Limits,
    operation: Annotated[
        list[str] | None,
        typer.Argument(metavar="[OPERATION...]", help="Such as mul, rotate or keygen-pair; all by default."),
    ] = None,
    library: options.Libraries = None,
    scheme: Annotated[str, typer.Option(metavar="NAME", help="ckks, bgv or bfv; or all.")] = "ckks",
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", metavar="KEY=VALUE", help="A parameter such as ring_dimension=8192; may be repeated."
        ),
    ] = None,
    depth: Annotated[
        int, typer.Option(min=0, max=10_000, metavar="D", help="Levels (CKKS, BGV) or multiplications (BFV).")
    ] = 3,
    security: Annotated[
        str, typer.Option(metavar="BITS", help="128, 192 or 256; none allows toy parameters.")
    ] = "128",
    level: Annotated[
        str,
        typer.Option(metavar="LEVELS", help="Levels of the operands: top, all, a list 0,3 or a range 0:3."),
    ] = "top",
    slots: Annotated[
        str | None,
        typer.Option(
            metavar="K", help="Vector lengths: a list 64,1024 or a range 64:4096:*4. All slots by default."
        ),
    ] = None,
    sparse: Annotated[
        bool,
        typer.Option(
            "--sparse",
            help="CKKS: pack short vectors sparsely, where the library can, and do not repeat them.",
        ),
    ] = False,
    repetitions: options.Repetitions = 10,
    passes: Annotated[
        int,
        typer.Option(min=1, max=_MOST_PASSES, metavar="N", help="Passes, each in fresh processes."),
    ] = 3,
    repeat_until: Annotated[
        str | None,
        typer.Option(
            metavar="PERCENT",
            help="Go on until the 95 % interval of every least time is that narrow, such as 2%.",
        ),
    ] = None,
    max_passes: Annotated[
        int,
        typer.Option(min=1, max=_MOST_PASSES, metavar="N", help="With --repeat-until: the most passes."),
    ] = 30,
    threads: options.Threads = 1,
    timeout: options.Timeout = None,
    seed: options.Seed = 0,
    again: Annotated[
        bool, typer.Option("--again", help="Measure anew, and leave stored passes out of the answer.")
    ] = False,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table.")] = None,
) -> int:
    """Measure single operations of libraries, beside their predictions.

    The operations are encode, decode, encrypt, encrypt_secret, encode_encrypt, decrypt, decrypt_decode, add,
    sub, negate, mul, square, add_plain, mul_plain, add_scalar, mul_scalar, relinearize, rescale, drop,
    rotate, rotate_hoist, rotate_hoisted, swap_rows, bootstrap, key_switch, and keygen_secret, keygen_public,
    keygen_pair, keygen_relinearize, keygen_rotate and keygen_switch. Scheme switching is measured only
    where it is named, because its keys take gigabytes at 128 bits: compare_by_switching,
    minimum_by_switching, maximum_by_switching and ckks_to_fhew. Tables that a bootstrap of CKKS looks up are
    measured only where they are named, too, and with parameters that have a table: table_lookup, and its
    parts table_angles, table_entries and table_decode.

    OpenFHE's BinFHE is measured by itself: binfhe_keygen, binfhe_secret, binfhe_encrypt, binfhe_decrypt,
    binfhe_gate, binfhe_negacyclic, binfhe_function, binfhe_floor and binfhe_sign, with --param set=STD128,
    method=ginx, ap or lmkcdey, and for functions log_q (and arbitrary=false for floors and signs).

    A bootstrap needs --param levels=K, the levels that are left after it, and takes bootstrap_* settings;
    without them it is not among all operations.

    All are measured in passes, each in fresh processes, and the least CPU time counts. What a library does
    not have, or the models do not predict, is said with the reason. Every pass is stored at once, so that
    the next call continues an interrupted one.

    With --repeat-until the passes go on until they determine every least time well enough: by the two least
    passes y1 and y2, the least time that any number of passes would find is above y1 - 19 (y2 - y1) with 95 %
    confidence (Robson and Whitlock, 1964).

    With --memory-limit every process has no more memory. Passes under a limit are kept apart from others.

    \b
    Example:
      fheasible measure --library seal --library lattigo
      fheasible measure rotate rotate-hoisted key-switch --level all --param ring_dimension=16384
      fheasible measure encode encode-encrypt --library lattigo --slots 64:4096:*4 --sparse --json
      fheasible measure bootstrap --library lattigo --security none --param levels=4 \\
          --param ring_dimension=4096
      fheasible measure mul relinearize --scheme all --repeat-until 2% --csv operations.csv
      fheasible measure compare_by_switching --library openfhe --security none --depth 20 --slots 8 \\
          --param ring_dimension=4096 --param scale_bits=50 --param first_bits=60 --passes 1 --repetitions 2
      fheasible measure binfhe_gate binfhe_keygen --library openfhe --param set=MEDIUM --param method=ginx
      fheasible measure table_lookup --library openfhe --security none --depth 0 --slots 64 \\
          --param ring_dimension=4096 --param scale_bits=47 --param bootstrap_table_bits=4
    """
    from fheasible.api.gates import asks_gates
    from fheasible.api.operations import OperationsWish, measured
    from fheasible.api.operations_text import lines
    from fheasible.cli.params import security_level
    from fheasible.cli.pinned import settings_of
    from fheasible.cli.streams import check
    from fheasible.cli.tables import width
    from fheasible.cli.which import installed_of, libraries_of
    from fheasible.measurement.operation_passes import Until

    check(csv)
    if asks_gates(operation or ()):
        return _gates(session, operation or [], library, param, repetitions, timeout)
    wish = OperationsWish(
        operations=operation or (),
        levels=level,
        slots=slots,
        params=settings_of(param or ()),
        depth=depth,
        security=security_level(security),
        sparse=sparse,
        repetitions=repetitions,
        until=Until(passes, _share(repeat_until), max_passes),
        threads=threads,
        timeout=timeout,
        seed=seed,
        again=again,
        memory=limits.limit(),
    )
    wanted = libraries_of(library, None if scheme.lower() == "all" else scheme)
    found = measured(installed_of(session, wanted, named=library is not None), wish, session)
    if csv is not None:
        _write(found, csv)
    session.answer(found.to_json(), lines(found, width()))
    return found.exit_code


def _gates(
    session: TerminalSession, operation: list[str], library: list[str] | None, param: list[str] | None,
    repetitions: int, timeout: float | None,
) -> int:  # fmt: skip
    """Bootstraps of bits and small integers, which have sets of their own."""
    from fheasible.api.gates import measured_gates
    from fheasible.api.gates_text import lines
    from fheasible.cli.pinned import settings_of
    from fheasible.cli.tables import width
    from fheasible.cli.which import installed_of, libraries_of

    wanted = installed_of(session, libraries_of(library, None), named=library is not None)
    found = measured_gates(wanted, operation, settings_of(param or ()), repetitions, timeout, session)
    session.answer(found.to_json(), lines(found, width()))
    return found.exit_code


def _share(text: str | None) -> float | None:
    """The share that "2%" stands for. UsageError for what is no share above 0 and below 100 %."""
    if text is None:
        return None
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not 0 < percent < 100:
        raise UsageError(f"--repeat-until {text} is not a share in per cent", "write --repeat-until 2%")
    return percent / 100


def _write(found: "MeasuredOperations", path: Path) -> None:
    from fheasible.api.operations import COLUMNS, cells
    from fheasible.cli.streams import CsvRows, appearing

    with appearing(path) as stream:
        CsvRows(stream, COLUMNS).write(map(cells, found.rows))
