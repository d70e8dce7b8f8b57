"""The first lines of an answer: what is computed on what, what was asked, how much was tried, and on which
data."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from fheasible import units
from fheasible.circuit.balance import normalise
from fheasible.circuit.degrees import with_degrees
from fheasible.circuit.depth import depth
from fheasible.circuit.node import Circuit, Input, Kind
from fheasible.estimation.swapping import SwapSpace
from fheasible.exploration.judging.threads import said
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import Exploration


def headline(found: Exploration) -> Iterator[str]:
    """The lines: the application, what was asked, how much was tried, and the data on which sets were
    judged."""
    circuit = found.problem.circuit
    yield f"{inputs_and_results(circuit)}; {_depth(found)}"
    yield f"asked: {asked(found.wish, found.problem.real)}"
    yield _tried(found)
    yield f"judged on: {found.problem.source}"


def inputs_and_results(circuit: Circuit) -> str:
    """The application with its inputs and results: 'sum: 10 encrypted integers in [0, 9] -> 1 integer'."""
    results = Counter(_vector(n.length, n.kind) for _, n in circuit.outputs)
    said = [each if times == 1 else f"{times:,} results of {each} each" for each, times in results.items()]
    return f"{circuit.name}: {units.listing(list(_inputs(circuit.inputs)))} -> {units.listing(said)}"


def asked(wish: Wish, real: bool) -> str:
    """Every constraint that is set, and the objective."""
    parts = [f"security >= {wish.security} bits{' (quantum)' if wish.quantum else ''}"]
    parts += [str(wish.least) + " everywhere in the declared ranges" * wish.worst_case] if real else []
    parts += [f"time <= {units.seconds(wish.max_seconds)}"] if wish.max_seconds is not None else []
    limits = {
        "memory": wish.max_bytes if wish.swap is None else None,
        "ciphertext": wish.max_ciphertext_bytes,
        "keys": wish.max_key_bytes,
    }
    parts += [f"{name} <= {units.size(most)}" for name, most in limits.items() if most is not None]
    parts += [f"threads: {' or '.join(map(said, wish.threads))}"] if wish.threads != (1,) else []
    parts += [f"memory <= {units.size(wish.swap.limit_bytes)} with {_swap(wish.swap)}"] if wish.swap else []
    parts += map(str, wish.pins)
    return f"{', '.join(parts)}; least {wish.objective} first{_terms(wish)}"


def _swap(space: SwapSpace) -> str:
    return "swap" if space.swap_bytes is None else f"{units.size(space.swap_bytes)} of swap"


def _terms(wish: Wish) -> str:
    """The number of requests and the prices by which the objective counts, where they are set."""
    terms = [f"{wish.requests:,} requests under one key set"] if wish.requests != 1 else []
    prices = {"a core-hour": wish.price_core_hour, "a GiB": wish.price_gib}
    terms += [f"{price:g} {per}" for per, price in prices.items() if price is not None]
    return f" ({', '.join(terms)})" if terms else ""


def _tried(found: Exploration) -> str:
    pairs = {(c.library, c.scheme) for c in found.candidates} | {
        (r.library, r.scheme) for r in found.rejected
    }
    schemes = counted(len({scheme for _, scheme in pairs}), "scheme")
    libraries = counted(len({library for library, _ in pairs}), "library", "libraries")
    feasible = f"{found.feasible:,} {'is' if found.feasible == 1 else 'are'} feasible"
    return (
        f"explored {found.explored:,} parameter sets of {schemes} in {libraries} in "
        f"{units.seconds(found.seconds)}; {feasible}"
    )


def _depth(found: Exploration) -> str:
    """The depth of the best candidate's program, without spare levels; of the circuit itself where nothing
    fits, or where bootstraps bring levels back."""
    best, circuit = found.best, found.problem.circuit
    scheme = best.scheme if best else "ckks" if found.problem.real else "bgv"
    if best and not best.program.bootstraps:
        levels = best.request.depth - best.program.spare_levels
    else:
        levels = depth(normalise(with_degrees(circuit, best.degrees) if best else circuit), scheme)
    return f"depth {levels} in {scheme.upper()}"


def _inputs(inputs: Sequence[Input]) -> Iterator[str]:
    """The inputs in words, with those declared alike together: 'x, y and z: 10 encrypted reals in [0, 1]
    each'."""
    for _, alike in groupby(inputs, lambda i: (i.length, i.kind, i.low, i.high, i.modulus, i.shape)):
        first, *others = alike
        names = [i.name for i in (first, *others)]
        said = _vector(first.length, first.kind, "encrypted ")
        if first.shape:
            said = f"matrix of {first.shape[0]:,} x {first.shape[1]:,} {said.partition(' ')[2]}"
        said += f" {_range(first)}{' each' * bool(others)}"
        yield said if len(inputs) == 1 else f"{units.listing(names)}: {said}"


def _range(declared: Input) -> str:
    if declared.modulus is not None:
        return f"modulo {declared.modulus:,}"
    if declared.kind is Kind.INTEGER:
        return f"in [{int(declared.low):,}, {int(declared.high):,}]"
    return f"in [{declared.low:g}, {declared.high:g}]"


def _vector(length: int, kind: Kind, what: str = "") -> str:
    return counted(length, what + ("real" if kind is Kind.REAL else "integer"))


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: '1 scheme', '2,000 schemes'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
