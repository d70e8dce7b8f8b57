"""Options that several verbs share, with their help: said once."""

from pathlib import Path
from typing import Annotated

import typer

App = Annotated[
    str,
    typer.Argument(metavar="APP", help="A Python file; file.py:name where it holds many."),
]
Security = Annotated[int, typer.Option(metavar="BITS", help="Bits of security: 128, 192 or 256.")]
Quantum = Annotated[bool, typer.Option("--quantum", help="Secure against quantum computers, too.")]
Precision = Annotated[
    float | None,
    typer.Option(metavar="BITS", help="Least precision of real results; 10 by default."),
]
MaxTime = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0, help="Most CPU time to encrypt, evaluate and decrypt."),
]
MaxMemory = Annotated[float | None, typer.Option(metavar="MIB", min=0, help="Most memory, in MiB.")]
Objective = Annotated[
    str, typer.Option(metavar="WHAT", help="What shall be small: time, memory, or size (data and keys).")
]
Libraries = Annotated[
    list[str] | None,
    typer.Option("--library", metavar="NAME", help="Only this library; may be repeated. All by default."),
]
Scheme = Annotated[str | None, typer.Option(metavar="NAME", help="Only this scheme: ckks, bgv or bfv.")]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A CSV file with a header that names the inputs, or an .npy array. Random data by default.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Of the random data.")]
Repetitions = Annotated[int, typer.Option(min=1, metavar="N", help="How often it is run and timed.")]
Threads = Annotated[int, typer.Option(min=1, metavar="N", help="Threads of the library.")]
Timeout = Annotated[
    float | None, typer.Option(min=0, metavar="SECONDS", help="Stop a run that takes longer.")
]
