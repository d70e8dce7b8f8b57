"""Calls of any function of any scheme, with operands made beforehand: counted, or really run."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from fheasible.errors import UnknownName
from fheasible.rings.counting import CountingRing, output_lines
from fheasible.rings.element import Element
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.scheme import Keys, RingScheme

ALL = "all"  # all five functions, each once: what PAnTHErS calls a scheme [FerLL18]

Coefficients = Sequence[int] | None
Caller = Callable[..., Any]  # (name, function, *operands) -> the function's result; it may measure the call


def plainly(name: str, function: Callable[..., Any], *operands: Any) -> Any:
    """The function's result: the caller that does nothing else."""
    return function(*operands)


def count(
    kind: type[RingScheme],
    function: str,
    parameters: RingParameters,
    weights: Weights = PANTHERS,
    record: bool = False,
) -> Tally:
    """The tally of that function alone; making its operands is not counted.

    `record` also keeps the memory table and the trace. UnknownName where the scheme has no such function.
    """
    check(kind, function)
    ring = parameters.counting_ring(weights, record)
    call = prepared(kind(ring, parameters.spec), function)
    ring.restart()
    return finished(ring.tally, call.run(by_phase(ring)))


def by_phase(ring: CountingRing) -> Caller:
    """A caller that begins a phase of the counting ring's memory for each function."""

    def caller(name: str, function: Callable[..., Any], *operands: Any) -> Any:
        ring.tally.memory.begin()
        return function(*operands)

    return caller


def check(kind: type[RingScheme], function: str) -> None:
    """Raise UnknownName where the scheme has no such function."""
    if function not in (ALL, *kind.functions):
        raise UnknownName(
            f"{kind.title} has no function {function!r}",
            f"choose among {', '.join((ALL, *kind.functions))}, or give an application's file",
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A function with all its operands; `run` calls it by a given caller. `keys` are behind the operands."""

    keys: Keys | None
    run: Callable[[Caller], Any]


def prepared(
    scheme: RingScheme, function: str, first: Coefficients = None, second: Coefficients = None
) -> Prepared:
    """The function with its operands made; counting needs no plaintexts.

    `first` and `second` are the plaintexts of the ciphertexts c and d.
    """
    message = scheme.message(first)
    if function == ALL:
        return Prepared(None, lambda caller: whole(scheme, message, caller))
    method = getattr(scheme, function)
    names = tuple(inspect.signature(method).parameters)
    if not names:
        return Prepared(None, lambda caller: caller(function, method))
    keys = scheme.keygen()
    operands = _operands(scheme, function, names, keys, message, second)
    return Prepared(keys, lambda caller: caller(function, method, *operands))


def whole(scheme: RingScheme, message: Element, caller: Caller = plainly) -> tuple[Any, ...]:
    """(keys, c, c + c, c·c, decrypted c) for an encryption c of the message: each of the five functions once.

    All results are kept, so the keys are in memory from their generation on.
    """
    keys = caller("keygen", scheme.keygen)
    c = caller("encrypt", scheme.encrypt, keys, message)
    total = caller("add", scheme.add, keys, c, c)
    product = caller("multiply", scheme.multiply, keys, c, c)
    return keys, c, total, product, caller("decrypt", scheme.decrypt, keys, c)


def _operands(
    scheme: RingScheme,
    function: str,
    names: Sequence[str],
    keys: Keys,
    message: Element,
    second: Coefficients,
) -> tuple[Any, ...]:
    made: dict[str, Any] = {"keys": keys, "m": message}
    before = scheme.after.get(function)
    if "c" in names:
        made["c"] = scheme.encrypt(keys, message)
    if "d" in names or before:
        made["d"] = scheme.encrypt(keys, scheme.message(second))
    if before:
        method = getattr(scheme, before)
        made["c"] = method(*(made[name] for name in inspect.signature(method).parameters))
    return tuple(made[name] for name in names)


def finished(tally: Tally, result: Any) -> Tally:
    """The tally while the result is still in memory; the lines that it occupies are marked as output.

    What comes from phases as such is counted among the kernels.
    """
    tally.spend(tally.memory.begun)
    lines = output_lines(_elements(result))
    stored = [replace(line, output=i in lines) for i, line in enumerate(tally.stored)]
    return replace(
        tally, stored=stored, memory=replace(tally.memory, larger_tables=dict(tally.memory.larger_tables))
    )


def _elements(result: Any) -> Iterator[Element]:
    if isinstance(result, Element):
        yield result
    elif isinstance(result, dict):
        for part in result.values():
            yield from _elements(part)
    elif isinstance(result, tuple | list):
        for part in result:
            yield from _elements(part)
    elif is_dataclass(result):
        yield from _elements([getattr(result, f.name) for f in fields(result)])
