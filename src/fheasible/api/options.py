"""What may be asked of `explore`, `verify` and `run`: one bundle, for the command line and for Python."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from fheasible.api.asking import Data, Precision, Threads, named, threads_of, wish_of
from fheasible.api.keywords import by_keyword
from fheasible.errors import UsageError
from fheasible.exploration.problem.wish import Wish
from fheasible.measurement.limited.limit import NEEDED, bytes_of
from fheasible.measurement.machine import this_machine
from fheasible.units import listing

# The options of the command line whose names are not those of the fields.
_TYPED = {
    "max_seconds": "--max-time",
    "max_bytes": "--max-memory",
    "max_ciphertext_bytes": "--max-ciphertext",
    "max_key_bytes": "--max-keys",
    "libraries": "--library",
    "params": "--param",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked, as `fh.explore` describes it. None, False and the defaults stand for what is not given.

    `swap`: sets that need more than `max_bytes` may swap; True or "needed" as much as they need, else that
    size. `noise`, `as_written` and `ignore_security` are options of the ring schemes alone.
    `params`: only sets with these settings, as typed, are searched.
    """

    security: int = 128
    quantum: bool = False
    precision: Precision = None
    failure: float | None = None
    shared_results: bool = False
    worst_case: bool = False
    trust_data: bool = False
    max_seconds: float | None = None
    max_bytes: int | None = None
    max_ciphertext_bytes: int | None = None
    max_key_bytes: int | None = None
    objective: str | None = None
    requests: int = 1
    price_core_hour: float | None = None
    price_gib: float | None = None
    threads: Threads = 1
    libraries: tuple[str, ...] = ()
    scheme: str | None = None
    data: Data = None
    seed: int = 0
    noise: str | None = None
    as_written: bool = False
    ignore_security: bool = False
    swap: str | int | bool | None = None
    params: Mapping[str, str] | None = None

    def given(self, among: Collection[str]) -> Iterator[str]:
        """Which of those fields have a value that is not the default, as the command line's options."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in among and value is not field.default and value != field.default:
                yield _TYPED.get(field.name, f"--{field.name.replace('_', '-')}")

    def refuse(self, among: Collection[str], said: str, remedy: str, last: str = "or") -> None:
        """Raises UsageError where one of those fields is given; `said` has their names in the place of {}."""
        foreign = list(self.given(among))
        if foreign:
            raise UsageError(said.format(listing(foreign, last)), remedy)

    @property
    def used_seed(self) -> int | None:
        """The seed of random data; None where data are given."""
        return self.seed if self.data is None else None

    @property
    def wish(self) -> Wish:
        """The wish that libraries are explored by. UsageError for values that cannot be meant."""
        return wish_of(
            self.precision,
            security=self.security,
            quantum=self.quantum,
            max_seconds=self.max_seconds,
            max_bytes=self.max_bytes,
            objective="time" if self.objective is None else self.objective,
            failure=self.failure,
            shared_results=self.shared_results,
            worst_case=self.worst_case,
            max_ciphertext_bytes=self.max_ciphertext_bytes,
            max_key_bytes=self.max_key_bytes,
            requests=self.requests,
            price_core_hour=self.price_core_hour,
            price_gib=self.price_gib,
            **self._threads(),
        )

    def _threads(self) -> dict[str, Any]:
        """The numbers of threads, with the cores of this machine where that matters."""
        numbers = threads_of(self.threads)
        return {} if numbers == (1,) else {"threads": numbers, "cores": this_machine().cores}

    @property
    def swap_bytes(self) -> int | None:
        """The size of the swap that sets may use; None for as much as they need. UsageError for what is no
        size, and where nothing limits the memory."""
        if self.max_bytes is None:
            raise UsageError(
                "--swap needs a limit on memory, beyond which sets swap",
                "add --max-memory, such as --max-memory 2GiB",
            )
        if self.swap is True or self.swap == NEEDED:
            return None
        return bytes_of("--swap", self.swap if isinstance(self.swap, str | int) else str(self.swap))


def options_of(typed: Mapping[str, Any], own: Mapping[str, Any] = MappingProxyType({})) -> Options:
    """What is asked under Python's keywords or under the names of the command line's options. `own`: what is
    asked under keywords of the fields alone. UsageError for an unknown name, and for what is given twice."""
    known = [field.name for field in fields(Options)]
    asked = by_keyword(typed)
    twice = [name for name in asked if own.get(name) is not None]
    if twice:
        raise UsageError(f"{twice[0]}= was given under two names", "give one of them")
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise UsageError(f"nothing is called {unknown[0]}=", f"choose among {listing(known)}")
    whole = {**own, **asked}
    return Options(**whole | {"libraries": tuple(named(whole.get("libraries")))})
