"""fh.explore: what could run an application, best first, and why. Nothing is executed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from threadpoolctl import threadpool_limits

from fheasible.api import asking
from fheasible.api.answer import Answer
from fheasible.api.keywords import told_in_python
from fheasible.api.options import options_of
from fheasible.api.platform import Silent
from fheasible.api.platforms import platform_of
from fheasible.circuit.trace import App
from fheasible.heap import collected_rarely


@told_in_python()
@collected_rarely()
def explore(
    app: App | str | Path,
    security: int = 128,
    precision: asking.Precision = None,
    data: asking.Data = None,
    libraries: str | Sequence[str] | None = None,
    objective: str | None = None,
    *,
    scheme: str | None = None,
    quantum: bool = False,
    failure: float | None = None,
    shared_results: bool = False,
    worst_case: bool = False,
    trust_data: bool = False,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    max_ciphertext_bytes: int | None = None,
    max_key_bytes: int | None = None,
    requests: int = 1,
    price_core_hour: float | None = None,
    price_gib: float | None = None,
    threads: asking.Threads = 1,
    seed: int = 0,
    everything: bool = False,
    noise: str | None = None,
    as_written: bool = False,
    ignore_security: bool = False,
    swap: str | int | bool | None = None,
    params: Mapping[str, Any] | None = None,
    store: str | Path | None = None,
    **typed: Any,
) -> Answer:
    """The answer of `fheasible explore`: parameter sets, best first, with the reasons.

    `app`: an application, or a file as "app.py:name". `precision`: bits, "mean:15", "absolute:1e-4" or
    "relative:1e-3". `data`: a file, or a vector for each input by name; random data of that `seed` by
    default. `trust_data`: no inputs will be larger than these data. `worst_case`: the precision must hold for
    every input in the declared ranges, by the worst inputs that are found. `objective`: "time" (the default),
    "wall", "memory", "communication", "amortised", "cost", or a mix as "time:0.7,memory:0.3"; `requests` are
    served under one key set, and prices count in the cost. `threads`: a number, or several as "1,2,default",
    of which each set takes the best; "default" is what the library does by itself. `everything`: walk the
    whole space, not only as far as the answer needs. `store`: where this machine's profiles are; the command
    line's store by default.

    `swap`, with `max_bytes`: also sets that need more memory, with the time that swapping takes; True for as
    much swap as they need, or its size in bytes or as "4GiB".

    `params`: only sets with these settings are searched, as {"ring_dimension": 16384}; their names and values
    are those of `fheasible run --param`.

    Where a library of table look-ups on small integers is best, as for many comparisons, the answer is a
    `LookupAnswer`, which says what the others would take. `libraries="reference"` explores the ring schemes
    instead, whose answer is a `RingAnswer`; `noise`, `as_written` and `ignore_security` are theirs alone.

    The names of the command line's options do as well: `library`, `max_time`, `max_memory="4GiB"`,
    `max_ciphertext`, `max_keys`, `all`; there, sizes without a unit are in MiB.

    Where nothing fits, the answer has `best` None. Errors are FheasibleErrors, with a remedy.

    Example:
        >>> app = fh.app(x=fh.reals(1000, low=0, high=1))(lambda x: fh.mean(x))
        >>> answer = fh.explore(app, precision=15, libraries="seal")
        >>> answer.best.scheme, answer.best.library
        ('ckks', 'seal')
    """
    everything = typed.pop("all", everything)
    asking.check("everything", everything)
    own = {
        "security": security,
        "quantum": quantum,
        "precision": precision,
        "failure": failure,
        "shared_results": shared_results,
        "worst_case": worst_case,
        "trust_data": trust_data,
        "max_seconds": max_seconds,
        "max_bytes": max_bytes,
        "max_ciphertext_bytes": max_ciphertext_bytes,
        "max_key_bytes": max_key_bytes,
        "objective": objective,
        "requests": requests,
        "price_core_hour": price_core_hour,
        "price_gib": price_gib,
        "threads": threads,
        "libraries": libraries,
        "scheme": scheme,
        "data": data,
        "seed": seed,
        "noise": noise,
        "as_written": as_written,
        "ignore_security": ignore_security,
        "swap": swap,
        "params": asking.typed(params),
    }
    asked = options_of(typed, own)
    platform = platform_of(asked.libraries)
    platform.refuse(asked)
    with threadpool_limits(limits=1, user_api="blas"):  # `fheasible_start` says why
        found = platform.explore(app, asked, Silent(store), everything)
    return cast("Answer", found)  # or what the docstring says of ring schemes
