"""A whole application with a ring scheme: keys, encryption, evaluation, decryption.

The same functions run on the counting ring (thousands of parameter sets at once) and on the exact one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import cycle, islice
from typing import Any, Protocol, assert_never

import numpy as np
from numpy.typing import NDArray

from fheasible.circuit.modulus import centred
from fheasible.circuit.node import Circuit, Op
from fheasible.errors import DataError, WrongResult
from fheasible.rings.element import Element
from fheasible.rings.tally import Tally
from fheasible.rings.weights import PANTHERS, Weights
from fheasible.schemes.call import Caller, by_phase, finished, plainly
from fheasible.schemes.noise import Amount, Noise
from fheasible.schemes.parameters import RingParameters
from fheasible.schemes.plan import Output, Plan, Step, largest_row, plan
from fheasible.schemes.scheme import Keys, RingScheme
from fheasible.schemes.ties import RELATED, Tie, ties

Data = Mapping[str, Sequence[int | Sequence[int]] | NDArray[Any]]  # integers, or coefficients of polynomials
Vectors = dict[str, list[Element]]


class Readable(Protocol):
    """A ring whose elements hold actual coefficients."""

    def coefficients(self, x: Element) -> NDArray[Any]: ...


def count_application(
    circuit: Circuit,
    kind: type[RingScheme],
    parameters: RingParameters,
    minimise_depth: bool | None = None,
    weights: Weights = PANTHERS,
    record: bool = False,
) -> Tally:
    """The tally of the application, from keys to decryption. Raises what `plan` and `check_modulus` raise."""
    return count_plan(plan(circuit, minimise_depth), kind, parameters, weights, record)


def count_plan(
    steps: Plan,
    kind: type[RingScheme],
    parameters: RingParameters,
    weights: Weights = PANTHERS,
    record: bool = False,
) -> Tally:
    """The tally of an application whose steps are planned already. Raises what `check_modulus` raises."""
    steps.check_modulus(parameters.t)
    ring = parameters.counting_ring(weights, record)
    return finished(ring.tally, run(steps, kind(ring, parameters.spec), caller=by_phase(ring)))


def run(steps: Plan, scheme: RingScheme, data: Data | None = None, caller: Caller = plainly) -> Vectors:
    """The decrypted outputs, one plaintext per element. Counting needs no data."""
    keys = caller("keygen", scheme.keygen)
    inputs = caller("encrypt", encrypted, steps, scheme, keys, data)
    results = caller("evaluate", evaluated, steps, scheme, keys, inputs)
    return caller("decrypt", decrypted, scheme, keys, results)  # type: ignore[no-any-return]


def encrypted(steps: Plan, scheme: RingScheme, keys: Keys, data: Data | None) -> Vectors:
    """A ciphertext for each element of each input that the outputs depend on."""
    inputs = [step for step in steps.steps if step.op is Op.INPUT]
    return {
        step.attribute: [scheme.encrypt(keys, m) for m in _messages(step, scheme, data)] for step in inputs
    }


def _messages(step: Step, scheme: RingScheme, data: Data | None) -> Iterator[Element]:
    if data is None:
        return (_plaintext(scheme, 0) for _ in range(step.length))
    values = data.get(step.attribute, ())
    if len(values) != step.length:
        raise DataError(
            f"the input {step.attribute} has {len(values)} values, but {step.length} are declared"
        )
    return (_plaintext(scheme, value) for value in values)


def _plaintext(scheme: RingScheme, value: int | Sequence[int]) -> Element:
    t = scheme.spec.t.value
    if not isinstance(t, int):
        return scheme.message()
    coefficients = value if isinstance(value, Sequence) else (value,)
    return scheme.message([int(c) % t for c in coefficients])


def evaluated(steps: Plan, scheme: RingScheme, keys: Keys, inputs: Vectors) -> Vectors:
    """The outputs' ciphertexts. Empties the dictionary of inputs, so each is freed after its last use."""
    rules = _Rules(scheme, keys)
    found: dict[int, list[Any]] = {}
    left = steps.uses()
    for number, step in enumerate(steps.steps):
        found[number] = inputs.pop(step.attribute) if step.op is Op.INPUT else rules.apply(step, steps, found)
        for a in step.args:
            left[a] -= 1
            if not left[a]:
                del found[a]
    return {
        o.name: rules.encrypted(found[o.step]) if steps.is_plain(o.step) else found[o.step]
        for o in steps.outputs
    }


def decrypted(scheme: RingScheme, keys: Keys, results: Vectors) -> Vectors:
    return {name: [scheme.decrypt(keys, c) for c in results[name]] for name in results}


class _Rules:
    """What each step does to the ciphertexts and constants that are its operands."""

    def __init__(self, scheme: RingScheme, keys: Keys) -> None:
        self._scheme, self._keys = scheme, keys

    def apply(self, step: Step, steps: Plan, found: Mapping[int, list[Any]]) -> list[Any]:
        if step.op is Op.CONSTANT:
            return list(step.attribute)
        operands = [found[a] for a in step.args]
        if step.op is Op.ROTATE:
            (x,) = operands
            return x[step.attribute :] + x[: step.attribute]
        if step.op is Op.LINEAR:
            return [self._weighted(row, operands[0]) for row in step.attribute]
        plain = [steps.is_plain(a) for a in step.args]
        rules: dict[Op, Callable[..., list[Any]]] = {  # no attribute: a cycle would hold the keys in memory
            Op.ADD: self._add,
            Op.SUBTRACT: self._subtract,
            Op.NEGATE: self._negate,
            Op.MULTIPLY: self._multiply,
            Op.SUM: self._sum,
        }
        return rules[step.op](step.length, plain, *operands)

    def _add(self, length: int, plain: list[bool], x: list[Any], y: list[Any]) -> list[Any]:
        other = self._constants(y) if plain[1] else y
        return [self._scheme.add(self._keys, c, d) for c, d in _pairs(length, x, other)]

    def _subtract(self, length: int, plain: list[bool], x: list[Any], y: list[Any]) -> list[Any]:
        if plain[1]:
            return self._add(length, plain, x, [-k for k in y])
        negated = self._negate(length, plain, y)
        return self._add(length, [False, plain[0]], negated, x)

    def _negate(self, length: int, plain: list[bool], x: list[Any]) -> list[Any]:
        return [self._scheme.negate(c) for c in x]

    def _multiply(self, length: int, plain: list[bool], x: list[Any], y: list[Any]) -> list[Any]:
        if plain[1]:
            return [self._scheme.times(c, k) for c, k in _pairs(length, x, y)]
        return [self._scheme.multiply(self._keys, c, d) for c, d in _pairs(length, x, y)]

    def _sum(self, length: int, plain: list[bool], x: list[Any]) -> list[Any]:
        total, *rest = x
        for c in rest:
            total = self._scheme.add(self._keys, total, c)
        return [total]

    def _weighted(self, row: Sequence[tuple[int, int]], x: list[Any]) -> Any:
        """The sum of k times element j, over the (j, k) of a row."""
        terms = [x[j] if k == 1 else self._scheme.times(x[j], k) for j, k in row]
        return reduce(partial(self._scheme.add, self._keys), terms) if terms else self._constants([0])[0]

    def encrypted(self, values: list[int]) -> list[Element]:
        """Ciphertexts of a result that depends on no input, for instance where one map cancels another."""
        return self._constants(values)

    def _constants(self, values: list[int]) -> list[Element]:
        """Ciphertexts without noise, one for each distinct value."""
        made = {k: self._scheme.constant(_plaintext(self._scheme, k)) for k in dict.fromkeys(values)}
        return [made[k] for k in values]


def _pairs(length: int, x: list[Any], y: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The elements of x and y in pairs; a vector of one element goes with every element of the other."""
    return zip(islice(cycle(x), length), islice(cycle(y), length), strict=True)


def read(steps: Plan, ring: Readable, plaintexts: Vectors, t: int) -> dict[str, NDArray[np.int64]]:
    """The outputs in the form of `circuit.cleartext`: ordinary integers, or residues in (-m/2, m/2].

    WrongResult where a plaintext is not a constant polynomial, because the noise outgrew the modulus.
    """
    return {o.name: _read(o, steps.modulus, ring, plaintexts[o.name], t) for o in steps.outputs}


def _read(
    o: Output, modulus: int | None, ring: Readable, plaintexts: list[Element], t: int
) -> NDArray[np.int64]:
    residues = np.array([_constant(o.name, ring.coefficients(x)[0, 0]) for x in plaintexts], dtype=object)
    if modulus is not None:
        return centred(residues, modulus)
    return (o.low + (residues - o.low) % t).astype(np.int64)


def _constant(name: str, coefficients: NDArray[Any]) -> int:
    if np.any(coefficients[1:] != 0):
        raise WrongResult(
            f"a plaintext of {name} is not a constant polynomial, because the noise outgrew the modulus",
            "take a larger log_q, or a smaller log_w",
        )
    return int(coefficients[0])


def noise_of(steps: Plan, noise: Noise) -> Amount:
    """The noise of the noisiest output, or a bound on it; below `noise.limit()` it decrypts correctly."""
    found: list[Amount] = []
    for step, depth, tie in zip(steps.steps, steps.depths(), ties(steps), strict=True):
        found.append(_noise(steps, step, depth, tie, found, noise))
    return reduce(lambda v, u: v.larger(u), (found[o.step] for o in steps.outputs))


def _noise(steps: Plan, step: Step, depth: int, tie: Tie, found: Sequence[Amount], noise: Noise) -> Amount:
    operands = [found[a] for a in step.args]
    plain = [steps.is_plain(a) for a in step.args]
    match step.op:
        case Op.INPUT:
            return noise.fresh()
        case Op.CONSTANT:
            return noise.constant()
        case Op.SUM:
            return _repeated(operands[0], steps.steps[step.args[0]].length, noise, tie)
        case Op.LINEAR:
            v = operands[0]
            negative = any(k < 0 for row in step.attribute for _, k in row)
            return _repeated(_negated(v, noise) if negative else v, largest_row(step), noise, RELATED)
        case Op.MULTIPLY if any(plain):
            factors = steps.steps[step.args[1]].attribute
            v = operands[0] if min(factors) >= 0 else _negated(operands[0], noise)
            return _repeated(v, max(map(abs, factors)), noise, RELATED)
        case Op.MULTIPLY:
            return noise.product_of(operands[0], operands[1], depth, tie)
        case Op.ADD:
            return noise.sum(operands[0], operands[1], tie)
        case Op.SUBTRACT:
            return noise.sum(operands[0], operands[1] if plain[1] else _negated(operands[1], noise), tie)
        case Op.NEGATE:
            return _negated(operands[0], noise)
        case Op.ROTATE:
            return operands[0]
        case Op.POWER | Op.MEAN | Op.POLYNOMIAL | Op.CHEBYSHEV | Op.BOOTSTRAP | Op.DISCRETE:
            raise AssertionError(f"a plan has no {step.op}")
        case _:
            assert_never(step.op)


def _negated(v: Amount, noise: Noise) -> Amount:
    """Noise of a negation: -m is brought back into [0, t) by the same step as a plaintext sum."""
    return noise.sum(v, noise.none())


def _repeated(v: Amount, count: int, noise: Noise, tie: Tie) -> Amount:
    """A bound on the noise of a sum of `count` terms of noise v: that of the next power of two."""
    for _ in range(max(count - 1, 0).bit_length()):
        v = noise.sum(v, v, tie)
    return v
