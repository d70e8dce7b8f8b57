"""From a Python function to a circuit: the function is run once, on vectors that record what is done."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from fheasible.circuit.modulus import common_modulus, signed_range
from fheasible.circuit.node import Circuit, Input, Kind, Node, Op, node
from fheasible.circuit.simplify import check_outputs, simplify
from fheasible.circuit.unvarying import with_constants
from fheasible.circuit.vector import Vector
from fheasible.circuit.where import at, here, place, raised_at
from fheasible.errors import CircuitError, FheasibleError


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """An input as the user declares it; its name is the keyword it is given under."""

    kind: Kind
    length: int
    low: float
    high: float
    modulus: int | None = None


def reals(n: int, *, low: float, high: float) -> VectorSpec:
    """An encrypted vector of n real numbers in [low, high]."""
    _check_length(n)
    if not (_is_number(low) and _is_number(high) and isfinite(low) and isfinite(high) and low < high):
        raise CircuitError(at(here(), f"reals need finite low < high, not low={low!r}, high={high!r}"))
    return VectorSpec(Kind.REAL, n, float(low), float(high))


def integers(
    n: int, *, low: int | None = None, high: int | None = None, modulo: int | None = None
) -> VectorSpec:
    """An encrypted vector of n integers: in [low, high], or residues that wrap around modulo `modulo`."""
    _check_length(n)
    if modulo is not None:
        if low is not None or high is not None or not _is_integer(modulo) or not 2 <= modulo < 2**62:
            raise CircuitError(at(here(), "modulo= stands alone, and is an integer from 2 to 2^62"))
        return VectorSpec(Kind.INTEGER, n, *signed_range(modulo), modulo)
    if not (_is_integer(low) and _is_integer(high)) or low is None or high is None or not _fits(low, high):
        raise CircuitError(
            at(here(), f"integers need whole low <= high below 2^62, not low={low!r}, high={high!r}"),
            "Write fh.integers(n, low=0, high=15), or fh.integers(n, modulo=t) to wrap around.",
        )
    return VectorSpec(Kind.INTEGER, n, low, high)


@dataclass(frozen=True, slots=True)
class App:
    """An application: a function on encrypted vectors, and what its inputs are."""

    name: str
    inputs: tuple[Input, ...]
    function: Callable[..., Any]
    minimise_depth: bool = True
    where: str = ""

    def trace(self, lengths: Mapping[str, int] | None = None) -> Circuit:
        """The circuit, for inputs of the declared lengths or of those in `lengths`.

        CircuitError with file and line for whatever cannot be expressed.
        """
        inputs = tuple(replace(i, length=(lengths or {}).get(i.name, i.length)) for i in self.inputs)
        result = self._run({i.name: Vector(_input_node(i, self.where)) for i in inputs})
        written = Circuit(self.name, inputs, _outputs(result, self.where), self.minimise_depth)
        circuit = with_constants(written)
        check_outputs(simplify(circuit), written)  # while the user's line is at hand
        return circuit

    def _run(self, vectors: Mapping[str, Vector]) -> Any:
        try:
            return self.function(**vectors)
        except FheasibleError:
            raise
        except Exception as error:
            where = raised_at(error.__traceback__, self.function.__code__.co_filename) or self.where
            raise CircuitError(
                at(where, f"{type(error).__name__}: {error}"),
                "An application is run once on encrypted vectors: it may use fh's functions and + - * **.",
            ) from error


def app(*misused: Any, minimise_depth: Any = True, **inputs: Any) -> Callable[[Callable[..., Any]], App]:
    """Decorator: make an application of a function whose parameters are the declared inputs."""
    where = here()
    _check_declaration(where, misused, minimise_depth, inputs)
    declared = tuple(
        Input(name, spec.kind, spec.length, spec.low, spec.high, spec.modulus)
        for name, spec in inputs.items()
    )
    common_modulus(declared)

    def decorate(function: Callable[..., Any]) -> App:
        defined = place(function.__code__.co_filename, function.__code__.co_firstlineno)
        made = App(function.__name__, declared, function, minimise_depth, defined)
        _check_parameters(made)
        return made

    return decorate


def _check_declaration(
    where: str, misused: tuple[Any, ...], minimise_depth: Any, inputs: Mapping[str, Any]
) -> None:
    if isinstance(minimise_depth, VectorSpec):
        raise CircuitError(at(where, "an input may not be named minimise_depth"), "Give it another name.")
    if not isinstance(minimise_depth, bool):
        raise CircuitError(at(where, f"minimise_depth is True or False, not {minimise_depth!r}"))
    wrong = [name for name, spec in inputs.items() if not isinstance(spec, VectorSpec)]
    if misused or wrong or not inputs:
        said = f"{', '.join(wrong)} is not a declared vector" if wrong else "it declares no inputs by name"
        raise CircuitError(
            at(where, f"fh.app cannot be used so: {said}"),
            "Write @fh.app(x=fh.reals(1000, low=0, high=1)) above def name(x).",
        )


def _check_parameters(made: App) -> None:
    wanted = list(inspect.signature(made.function).parameters)
    declared = [i.name for i in made.inputs]
    if sorted(wanted) != sorted(declared):
        said = f"{made.name} takes ({', '.join(wanted)}), but ({', '.join(declared)}) is declared"
        raise CircuitError(
            at(made.where, said),
            "Declare each parameter in @fh.app, under its own name.",
        )


def _input_node(declared: Input, where: str) -> Node:
    return node(Op.INPUT, attribute=declared, length=declared.length, kind=declared.kind, where=where)


def _outputs(result: Any, where: str) -> tuple[tuple[str, Node], ...]:
    """A vector is the output `result`, a tuple `result_1`, `result_2`, ..., a dict names its own."""
    if isinstance(result, Vector):
        return (("result", result.node),)
    if isinstance(result, tuple | list):
        result = {f"result_{i}": v for i, v in enumerate(result, start=1)}
    if isinstance(result, dict) and result and all(isinstance(v, Vector) for v in result.values()):
        return tuple((str(name), v.node) for name, v in result.items())
    kind = "nothing" if result is None else "no encrypted vector"
    raise CircuitError(
        at(where, f"the application returns {kind}"),
        "Return what was computed from the inputs: a vector, a tuple of vectors, or a dict of vectors.",
    )


def _check_length(n: Any) -> None:
    if not _is_integer(n) or n < 1:
        raise CircuitError(at(here(), f"a vector has a whole number of elements, at least 1, not {n!r}"))


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _fits(low: int, high: int) -> bool:
    return -(2**62) < low <= high < 2**62


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
