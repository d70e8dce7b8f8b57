"""Traces a Python function to a circuit: the function is run once, on vectors that record what is done."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from fheasible.circuit.cleartext import evaluate
from fheasible.circuit.data import given, lengths
from fheasible.circuit.declared import VectorSpec
from fheasible.circuit.declared_table import Table, TableSpec, arguments
from fheasible.circuit.encrypted_matrix import EncryptedMatrix, Shape
from fheasible.circuit.functions import FORMS
from fheasible.circuit.guest import TRACE_SECONDS, ended, guest
from fheasible.circuit.limits import MOST_OUTPUTS, checked_elements, counted
from fheasible.circuit.modulus import common_modulus
from fheasible.circuit.node import Circuit, Input, Op, node
from fheasible.circuit.simplify import check_outputs, simplify
from fheasible.circuit.unvarying import with_constants
from fheasible.circuit.vector import Vector
from fheasible.circuit.where import at, here, place, raised_at
from fheasible.errors import CircuitError, FheasibleError

Encrypted = Vector | EncryptedMatrix


@dataclass(frozen=True, slots=True)
class App:
    """An application: a function on encrypted vectors, and what its inputs are."""

    name: str
    inputs: tuple[Input, ...]
    function: Callable[..., Any]
    minimise_depth: bool = True
    where: str = ""
    owner: str = field(default_factory=lambda: uuid4().hex, init=False, compare=False, repr=False)

    def __call__(self, *misplaced: Any, **values: Any) -> Any:
        """The result on clear data, by name: app(x=[1, 2, 3]). Nothing is encrypted.

        It is an array, or a dict of arrays where the application returns several vectors. Data of other
        lengths than declared are taken as by `run`. Functions have their exact values, not those of the
        polynomials in their place. In another application, encrypted vectors may be given instead.
        """
        if misplaced:
            raise CircuitError(
                at(here(), f"{self.name} takes its inputs by name"),
                f"Write {self.name}({', '.join(f'{name}=...' for name in self.arguments)}).",
            )
        if any(isinstance(v, Vector | Table | EncryptedMatrix) for v in values.values()):
            return self.function(**values)
        data = given(values, self.inputs)
        circuit, shapes = self._traced(lengths(data))
        clear = evaluate(circuit, data)
        found = {name: v.reshape(shapes[name]) if name in shapes else v for name, v in clear.items()}
        return found["result"] if list(found) == ["result"] else found

    def trace(self, lengths: Mapping[str, int] | None = None) -> Circuit:
        """The circuit, for inputs of the declared lengths or of those in `lengths`.

        CircuitError with file and line for whatever cannot be expressed.
        """
        return self._traced(lengths)[0]

    def _traced(self, lengths: Mapping[str, int] | None = None) -> tuple[Circuit, dict[str, Shape]]:
        """The circuit, and the shapes of those outputs that are matrices."""
        inputs = tuple(replace(i, length=(lengths or {}).get(i.name, i.length)) for i in self.inputs)
        for i in inputs:
            checked_elements(i.length, f"the input {i.name}")
        result = self._run(arguments({i: self._given(i) for i in inputs}))
        outputs = _outputs(result, self.where)
        ends = tuple((name, _elements(v).node) for name, v in outputs.items())
        written = Circuit(self.name, inputs, ends, self.minimise_depth)
        circuit = with_constants(written)
        check_outputs(circuit, written)  # while the user's line is known
        check_outputs(simplify(circuit), written)
        return circuit, {name: v.shape for name, v in outputs.items() if isinstance(v, EncryptedMatrix)}

    def _given(self, declared: Input) -> Encrypted:
        """What the user's function receives for that input."""
        made = node(
            Op.INPUT,
            attribute=declared,
            length=declared.length,
            kind=declared.kind,
            where=self.where,
            owner=self.owner,
        )
        return EncryptedMatrix(Vector(made), declared.shape) if declared.shape else Vector(made)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The parameters of the function, each a vector or a table."""
        return tuple(dict.fromkeys(i.argument for i in self.inputs))

    def _run(self, vectors: Mapping[str, Any]) -> Any:
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        try:
            with guest(f"tracing {self.name}", TRACE_SECONDS), counted():
                return self.function(**vectors)
        except (FheasibleError, KeyboardInterrupt):
            raise
        except BaseException as error:
            where = (raised_at(error.__traceback__, code.co_filename) if code else "") or self.where
            remedy = (
                "An application is run once on encrypted vectors. It may use fh's functions and + - * **."
            )
            raise explained(error, where, remedy) from error


def explained(error: BaseException, where: str, remedy: str) -> CircuitError:
    """The error of the user's code as a CircuitError of one line.

    Where one of fh's functions was called with wrong arguments, the remedy shows how it is called.
    """
    if ended(error):
        return CircuitError(
            at(where, f"{ended(error)} was called, which would also end Fheasible"),
            "Raise an exception instead, or remove the call.",
        )
    called = (
        re.match(r"(\w+)\(\) (?:got|takes|missing) .*", _text(error))
        if isinstance(error, TypeError)
        else None
    )
    if called and called[1] in FORMS:
        return CircuitError(at(where, f"fh.{error}"), f"Write {FORMS[called[1]]}.")
    if isinstance(error, MemoryError):
        remedy = "There is not enough memory: use a sparse matrix, shorter vectors, or a larger machine."
    name, said = type(error).__name__, " ".join(_text(error).split())
    said = said if len(said) <= 500 else said[:500] + " ..."
    return CircuitError(at(where, f"{name}: {said}" if said else name), remedy)


def _said(function: Any) -> str:
    return "an async function" if inspect.iscoroutinefunction(function) else f"a {type(function).__name__}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # the user's own error class may do anything
        return ""


def app(*misused: Any, minimise_depth: Any = True, **inputs: Any) -> Callable[[Callable[..., Any]], App]:
    """A decorator that makes an application of a function whose parameters are the declared inputs.

    Products are rebuilt for the least depth. Where that takes more products, the order as written is tried as
    well. With `minimise_depth=False`, only the order as written is used.

    Example:
        >>> @fh.app(x=fh.reals(1000, low=0, high=1), y=fh.reals(1000, low=0, high=1))
        ... def product(x, y):
        ...     return x * y + 1
        >>> product(x=[0.5, 1], y=[1, 0])
        array([1.5, 1. ])
    """
    where = here()
    _check_declaration(where, misused, minimise_depth, inputs)
    declared = tuple(i for name, spec in inputs.items() for i in spec.inputs(name))
    _check_columns(where, [i.name for i in declared if i.table], inputs)
    common_modulus(declared)

    def decorate(function: Callable[..., Any]) -> App:
        if (
            not callable(function)
            or isinstance(function, App | type)
            or inspect.iscoroutinefunction(function)
        ):
            raise CircuitError(
                at(where, f"fh.app makes an application of a plain function, not of {_said(function)}"),
                "Write @fh.app(x=fh.reals(1000, low=0, high=1)) above def name(x).",
            )
        code = getattr(inspect.unwrap(function), "__code__", None)
        defined = place(code.co_filename, code.co_firstlineno) if code else where
        name = str(getattr(function, "__name__", "application"))
        made = App(name, declared, function, minimise_depth, defined)
        _check_parameters(made)
        return made

    return decorate


def _check_declaration(
    where: str, misused: tuple[Any, ...], minimise_depth: Any, inputs: Mapping[str, Any]
) -> None:
    if isinstance(minimise_depth, VectorSpec | TableSpec):
        raise CircuitError(at(where, "an input may not be named minimise_depth"), "Give it another name.")
    if not isinstance(minimise_depth, bool):
        raise CircuitError(at(where, f"minimise_depth must be True or False, not {minimise_depth!r}"))
    _check_names(where, "input", list(inputs))
    wrong = [name for name, spec in inputs.items() if not isinstance(spec, VectorSpec | TableSpec)]
    short = [name for name, spec in inputs.items() if isinstance(spec, VectorSpec) and not spec.length]
    if short:
        raise CircuitError(
            at(where, f"the input {short[0]} is declared without its number of elements"),
            f"Write {short[0]}=fh.reals(1000, low=0, high=1). Only columns of fh.table leave it out.",
        )
    if misused or wrong or not inputs:
        said = f"{', '.join(wrong)} is not a declared vector" if wrong else "it declares no inputs by name"
        raise CircuitError(
            at(where, f"fh.app cannot be used like this: {said}"),
            "Write @fh.app(x=fh.reals(1000, low=0, high=1)) above def name(x).",
        )


def _check_names(where: str, what: str, names: Sequence[str]) -> None:
    """Raises CircuitError for a name that no column or file can have."""
    for name in names:
        if not re.fullmatch(r"\w[\w .-]{0,99}", name):
            raise CircuitError(
                at(where, f"an {what} cannot be named {name[:120]!r}"),
                "A name has at most 100 letters, digits, blanks and the signs _ . - and begins with a "
                "letter or digit.",
            )


def _check_columns(where: str, names: Sequence[str], others: Mapping[str, Any]) -> None:
    """Raises CircuitError for the columns of tables, as people.age, that no file can have."""
    _check_names(where, "input", names)
    twice = [name for name in names if name in others or names.count(name) > 1]
    if twice:
        raise CircuitError(at(where, f"two inputs are named {twice[0]}"), "Give one of them another name.")


def _check_parameters(made: App) -> None:
    """Raises CircuitError unless each input is a parameter or under **inputs, and others have defaults."""
    try:
        parameters = inspect.signature(made.function).parameters
    except (TypeError, ValueError):  # a builtin may have no signature
        return
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    named = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    declared = made.arguments
    needed = [n for n in named if parameters[n].default is inspect.Parameter.empty]
    unnamed = [str(p) for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)]
    if unnamed or not set(needed) <= set(declared) or not (any_name or set(declared) <= set(named)):
        said = f"{made.name} takes {inspect.Signature(list(parameters.values()))}"
        raise CircuitError(
            at(made.where, f"{said}, but ({', '.join(declared)}) is declared"),
            "Inputs are given by name. Declare each parameter in @fh.app under its own name, or take all "
            "of them as **inputs.",
        )


def _elements(v: Encrypted) -> Vector:
    return v.ravel() if isinstance(v, EncryptedMatrix) else v


def _returned(result: Any) -> str:
    """A description of the returned value that is not encrypted; of several outputs, the first such value."""
    if isinstance(result, dict) and result:
        name, value = next((name, v) for name, v in result.items() if not isinstance(v, Encrypted))
        return f"no encrypted vector as {name}, but a value of type {type(value).__name__}"
    return "nothing" if result is None else "no encrypted vector"


def _outputs(result: Any, where: str) -> dict[str, Encrypted]:
    """The outputs with their names: a vector is `result`, a tuple `result_1`, ...; a dict names its own."""
    if isinstance(result, Encrypted):
        return {"result": result}
    if isinstance(result, tuple | list):
        result = {f"result_{i}": v for i, v in enumerate(result, start=1)}
    if isinstance(result, dict) and len(result) > MOST_OUTPUTS:
        raise CircuitError(
            at(where, f"the application returns {len(result):,} outputs; it may return {MOST_OUTPUTS:,}"),
            "Put several into one vector: fh.concatenate([a, b, c]).",
        )
    if isinstance(result, dict) and result and all(isinstance(v, Encrypted) for v in result.values()):
        named = {str(name): v for name, v in result.items()}
        _check_names(where, "output", list(named))
        if len(named) == len(result):
            return named
        raise CircuitError(
            at(where, f"several outputs have the same name: {', '.join(map(str, result))}"),
            "Give each of them another name.",
        )
    raise CircuitError(
        at(where, f"the application returns {_returned(result)}"),
        "Return what was computed from the inputs: a vector, a tuple of vectors, or a dict of vectors.",
    )
