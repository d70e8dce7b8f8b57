"""Options that several verbs share, with their help, which is written once."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.errors import UsageError
from fheasible.units import MIB

if TYPE_CHECKING:
    from fheasible.api.options import Options
    from fheasible.measurement.limited.limit import MemoryLimit

MOST_THREADS, MOST_REPETITIONS = 1024, 1_000_000
_MOST = 1e15  # seconds or MiB: nothing ever takes more


def with_sizes(words: Sequence[str]) -> list[str]:
    """The words of a call, in which --swap without a size has the one that stands for as much as is needed.
    For calibrate it is a switch."""
    from fheasible.measurement.limited.limit import NEEDED, is_size

    if "calibrate" in words:
        return list(words)
    found: list[str] = []
    for word, following in zip(words, (*words[1:], ""), strict=True):
        found += (
            [word, NEEDED] if word == "--swap" and following != NEEDED and not is_size(following) else [word]
        )
    return found


def reachable(ctx: typer.Context, param: typer.CallbackParam, value: float | None) -> float | None:
    """The value of a limit. UsageError for a limit that nothing ever reaches, infinity among them."""
    if value is not None and not value <= _MOST:
        name = param.opts[0]
        raise UsageError(f"{name} {value:g} limits nothing", f"leave {name} out, or give a number")
    return value


def mebibytes(typed: str | float) -> float:
    """The number of MiB of a size such as 2GiB or 512. UsageError for anything else."""
    from fheasible.measurement.limited.limit import bytes_of

    try:
        count = float(typed)
    except ValueError:
        return bytes_of("--max-memory", str(typed)) / MIB
    if not count >= 0:
        raise UsageError(f"--max-memory {typed} is not a size", "write --max-memory 512MiB, or 4GiB")
    return count


App = Annotated[
    str,
    typer.Argument(metavar="APP", help="A Python file, or file.py:name where it holds several applications."),
]
Security = Annotated[int, typer.Option(metavar="BITS", help="Bits of security: 128, 192 or 256.")]
Quantum = Annotated[bool, typer.Option("--quantum", help="Secure against quantum computers, too.")]
Precision = Annotated[
    str | None,
    typer.Option(
        metavar="BITS|KIND:ERROR",
        help="Least precision of real results: bits (no error is larger than 2^-BITS of the largest "
        "result; 10 by default), mean:15 (average of -log2 of the relative errors), absolute:1e-4 "
        "(no element is farther off), relative:1e-3 (no error is a larger part of the element's "
        "value), or class (class:10 where a vector holds ten scores for each sample): the largest "
        "score stays the largest on 99 % of the data.",
    ),
]
Failure = Annotated[
    float | None,
    typer.Option(
        metavar="BITS",
        help="An exact result may be wrong once in 2^BITS runs: 40 by default, 128 with --shared-results.",
    ),
]
SharedResults = Annotated[
    bool,
    typer.Option(
        "--shared-results",
        help="Decrypted results are shown to people other than the owner of the secret key.",
    ),
]
WorstCase = Annotated[
    bool,
    typer.Option(
        "--worst-case",
        help="The precision must hold for every input in the declared ranges; the worst inputs found decide.",
    ),
]
TrustData = Annotated[
    bool,
    typer.Option(
        "--trust-data",
        help="No input will be larger than those of --data, so moduli need to hold only these.",
    ),
]
MaxTime = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=0,
        callback=reachable,
        help="Limit on the CPU time to encrypt, evaluate and decrypt: that of one thread, and not wall time.",
    ),
]
MaxMemory = Annotated[
    float | None,
    typer.Option(
        metavar="SIZE",
        parser=mebibytes,
        callback=reachable,
        help="Limit on memory, such as 2GiB; 512 is in MiB.",
    ),
]
AnyObjective = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="What to minimise: time (CPU time, the default), wall (wall time with --threads), memory, "
        "communication (bytes that are sent; size "
        "for short), amortised (time for each request where one run can hold several), cost (by "
        "the two prices), or a mix such as time:0.7,memory:0.3. For ring schemes: complexity (the "
        "default), memory, or compromise.",
    ),
]
MaxCiphertext = Annotated[
    float | None,
    typer.Option(metavar="MIB", min=0, callback=reachable, help="Limit on a fresh input ciphertext, in MiB."),
]
MaxKeys = Annotated[
    float | None,
    typer.Option(
        metavar="MIB", min=0, callback=reachable, help="Limit on the public and evaluation keys, in MiB."
    ),
]
Requests = Annotated[
    int,
    typer.Option(
        metavar="N", help="Requests that are served under one key set. They share the cost of the keys."
    ),
]
PriceCoreHour = Annotated[
    float | None, typer.Option(metavar="PRICE", help="Price of an hour of one core, in any currency.")
]
PriceGib = Annotated[float | None, typer.Option(metavar="PRICE", help="Price of a GiB that is sent.")]
AnyLibraries = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        metavar="NAME",
        help="Only this library; may be repeated. All by default. "
        "reference names the ring schemes FV, YASHE, F-NTRU and SHIELD, which are explored by themselves.",
    ),
]
AnySecurity = Annotated[
    int,
    typer.Option(
        metavar="BITS",
        help="Bits of security: 128, 192 or 256. Ring schemes also take 80, by today's estimate or, with "
        "--ignore-security, by the rule of 2017.",
    ),
]
AnyScheme = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Only this scheme: ckks, bgv, bfv or tfhe; fv, yashe, fntru or shield."
    ),
]
RingNoise = Annotated[
    str | None,
    typer.Option(
        "--noise",
        metavar="NAME",
        help="For ring schemes: worst-case (proven, the default), average (wrong once in 2^40), "
        "or panthers (that paper's constants).",
    ),
]
AsWritten = Annotated[
    bool,
    typer.Option(
        "--as-written", help="For ring schemes: products in the order written, not in that of least depth."
    ),
]
IgnoreSecurity = Annotated[
    bool,
    typer.Option(
        "--ignore-security", help="For ring schemes: also list sets that today's estimate warns about."
    ),
]
Libraries = Annotated[
    list[str] | None,
    typer.Option("--library", metavar="NAME", help="Only this library; may be repeated. All by default."),
]
Scheme = Annotated[str | None, typer.Option(metavar="NAME", help="Only this scheme: ckks, bgv or bfv.")]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="KEY=VALUE",
        help="A parameter such as scale_bits=50; may be repeated. With slots=1024 no vector fills "
        "more slots of a ciphertext; with spare_levels=1 results keep a level; with "
        "as_written=true products are computed in the order written; layout=side_by_side or by_row "
        "joins inputs of equal length in ciphertexts, by_column gives each its own. Ring schemes take n, "
        "log_q, log_w and t. Libraries of table look-ups take set=NAME, message=4 and carry=4, or "
        "all parameters: lwe_dimension, glwe_dimension, polynomial_size, pbs_base_log, ...",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A CSV or Parquet file whose columns are named like the inputs or a table's columns, or an .npy "
        "array. Random data by default.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the random data.")]
Repetitions = Annotated[
    int, typer.Option(min=1, max=MOST_REPETITIONS, metavar="N", help="How many times it is run and timed.")
]
RunRepetitions = Annotated[
    int | None,
    typer.Option(
        "--repetitions",
        min=1,
        max=MOST_REPETITIONS,
        metavar="N",
        help="How many times it is run and timed. The default is 3, or 1 where a run is predicted to take 30 "
        "seconds or longer.",
    ),
]
Threads = Annotated[
    int, typer.Option(min=1, max=MOST_THREADS, metavar="N", help="Number of threads that the library uses.")
]
AnyThreads = Annotated[
    str,
    typer.Option(
        "--threads",
        metavar="N|N,N|default",
        help="Threads that execute the program. Of several numbers, such as 1,2, each set takes the one that "
        "serves the objective best. default sets no number: the library does what it does by itself.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler, such as tcp://scheduler:8786, whose hosts do the runs, one at a time each.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0,
        metavar="SECONDS",
        callback=reachable,
        help="Stop a run that takes longer. The default is 20 times the predicted time, at least a minute.",
    ),
]
Counters = Annotated[
    bool,
    typer.Option(
        "--counters",
        help="Also show what each phase used: CPU utilisation, page faults, context switches and, where the "
        "kernel counts them, instructions, cycles, cache and branch misses. They are always stored.",
    ),
]
MemoryLimited = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Run the library in a process with so much memory, such as 512MiB. Where the process needs "
        "more, it is killed, and this is stored. Needs Linux and root, or a control group of your own.",
    ),
]
Swap = Annotated[
    str | None,
    typer.Option(
        "--swap",
        metavar="SIZE",
        help="With --memory-limit: let it use so much swap, such as 4GiB, in a file made for the run. "
        "Needs root.",
    ),
]
MaySwap = Annotated[
    str | None,
    typer.Option(
        "--swap",
        metavar="SIZE",
        help="With --max-memory: also consider sets that need more, with the time that swapping takes; as "
        "much swap as they need, or no more than SIZE.",
    ),
]
Order = Annotated[
    bool | None,
    typer.Option(
        "--minimise-depth/--as-written",
        help="For an application: least depth, or products as written. By default the application decides.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basics:
    """The options that `explore`, `verify` and `run` share."""

    security: AnySecurity = 128
    precision: Precision = None
    failure: Failure = None
    shared_results: SharedResults = False
    trust_data: TrustData = False
    scheme: AnyScheme = None
    data: Data = None
    seed: Seed = 0
    as_written: AsWritten = False
    threads: AnyThreads = "1"

    def asked(self, libraries: list[str] | None, **more: Any) -> "Options":
        """The options as the Python API has them."""
        from fheasible.api.asking import named
        from fheasible.api.options import Options

        return Options(
            security=self.security,
            precision=self.precision,
            failure=self.failure,
            shared_results=self.shared_results,
            trust_data=self.trust_data,
            scheme=self.scheme,
            data=self.data,
            seed=self.seed,
            as_written=self.as_written,
            threads=self.threads if self.threads.strip() != "1" else 1,
            libraries=tuple(named(libraries)),
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes(Basics):
    """The options that `explore` and `verify` share."""

    library: AnyLibraries = None
    quantum: Quantum = False
    worst_case: WorstCase = False
    max_time: MaxTime = None
    max_memory: MaxMemory = None
    max_ciphertext: MaxCiphertext = None
    max_keys: MaxKeys = None
    objective: AnyObjective = None
    requests: Requests = 1
    price_core_hour: PriceCoreHour = None
    price_gib: PriceGib = None
    swap: MaySwap = None
    noise: RingNoise = None
    ignore_security: IgnoreSecurity = False

    @property
    def typed(self) -> str:
        """The options that are not the defaults, as one would type them."""
        given = [(f"--{f.name.replace('_', '-')}", getattr(self, f.name), f.default) for f in fields(self)]
        return " ".join(_word(name, value) for name, value, usual in given if value != usual)

    def options(self) -> "Options":
        """The options as the Python API has them: sizes in bytes."""
        return self.asked(
            self.library,
            quantum=self.quantum,
            worst_case=self.worst_case,
            max_seconds=self.max_time,
            max_bytes=_bytes(self.max_memory),
            max_ciphertext_bytes=_bytes(self.max_ciphertext),
            max_key_bytes=_bytes(self.max_keys),
            objective=self.objective,
            requests=self.requests,
            price_core_hour=self.price_core_hour,
            price_gib=self.price_gib,
            swap=self.swap,
            noise=self.noise,
            ignore_security=self.ignore_security,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The options that limit the memory of a library's process."""

    memory_limit: MemoryLimited = None
    swap: Swap = None

    def limit(self) -> "MemoryLimit | None":
        from fheasible.measurement.limited.limit import limit_of

        return limit_of(self.memory_limit, self.swap)


def _word(name: str, value: Any) -> str:
    """An option with its value, for a shell."""
    if value is True:
        return name
    values = value if isinstance(value, list | tuple) else [value]
    return " ".join(f"{name} {shlex.quote(f'{v:g}' if isinstance(v, float) else str(v))}" for v in values)


def _bytes(mebibytes: float | None) -> int | None:
    return None if mebibytes is None else int(mebibytes * MIB)
