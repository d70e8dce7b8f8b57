"""A program of table look-ups on ciphertexts: the same steps as `program/lookup_values.py` on clear digits.

A value of `length` elements is an array of as many LWE ciphertexts.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step, Values, digits_of, from_digits
from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.exact import ExactTorusRing
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe import lwe
from fheasible.schemes.tfhe.scheme import EvaluationKeys, Secrets, Tfhe

Inputs = Mapping[str, NDArray[Any]] | None  # None where a program is only counted


class ProgramRun:
    """One execution: `values` are the ciphertexts that later steps or outputs need."""

    def __init__(self, scheme: Tfhe, secrets: Secrets, keys: EvaluationKeys, program: LookupProgram) -> None:
        self.scheme, self.secrets, self.keys, self.program = scheme, secrets, keys, program
        self.values: dict[int, Torus] = {}

    def execute(self, inputs: Inputs) -> None:
        """Encrypt the inputs and take all steps."""
        digits = {} if inputs is None else {x.name: digits_of(inputs[x.name], x) for x in self.program.inputs}
        for step in self.program.steps:
            self.values[step.out] = self._made(step, digits)
            for freed in step.frees:
                del self.values[freed]

    def _made(self, step: LookupStep, digits: dict[str, list[Values]]) -> Torus:
        ring, args = self.scheme.ring, [self.values[a] for a in step.args]
        match step.step:
            case Step.ENCRYPT:
                known = digits[step.source][step.digit] if digits else None
                return self.scheme.encrypt(self.secrets, self._words(known, step.length))
            case Step.TRIVIAL:
                return self._trivial(step.plain, step.length)
            case Step.LINEAR:
                return self._linear(step, args)
            case Step.PICK:
                assert step.plain is not None
                return ring.pick(args[0], tuple(int(place) for place in step.plain))
            case Step.JOIN:
                return ring.join(tuple(args), -2)
            case Step.FOLD:
                return folded(ring, args[0], step.group)
            case Step.LOOKUP:
                table = self.scheme.table(self.program.tables[step.table])
                return ring.each(args[0], lambda c: self.scheme.lookup(self.keys, c, table))

    def _words(self, digits: Values | None, length: int) -> Torus:
        """The words of small integers."""
        step = np.uint64(self.scheme.step)
        words = None if digits is None else np.broadcast_to(digits, length).astype(np.uint64) * step
        return self.scheme.ring.given((length,), Domain.WORDS, words)

    def _trivial(self, plain: Values | None, length: int) -> Torus:
        ring, dimension = self.scheme.ring, self.scheme.dimension
        body = ring.reshape(self._words(plain, length), (length, 1))
        return ring.join((ring.zero((length, dimension)), body), -1)

    def _linear(self, step: LookupStep, args: list[Torus]) -> Torus:
        ring = self.scheme.ring
        terms = [
            x if weight == 1 else ring.scale(x, weight) for x, weight in zip(args, step.weights, strict=True)
        ]
        if step.plain is not None:
            terms.append(self._trivial(step.plain, step.length))
        whole = [x if x.shape[0] == step.length else ring.pick(x, (0,) * step.length) for x in terms]
        total = whole[0]
        for term in whole[1:]:
            total = ring.add(total, term)
        return total

    def decrypted(self) -> dict[str, NDArray[Any]]:
        """Each output by name, of shape (length,)."""
        return {out.name: from_digits(self._digits(out), out) for out in self.program.outputs}

    def _digits(self, out: Digits) -> list[Values]:
        found = []
        for value in out.values:
            phases = lwe.phase(self.scheme.ring, self.scheme.secret(self.secrets), _batch(self.values[value]))
            found.append(np.broadcast_to(self.scheme.decoded(phases.data[:, 0]), (out.length,)))
        return found


def _batch(c: Torus) -> Torus:
    """Ciphertexts of an array as as many at once, in the exact ring."""
    return Torus(c.shape[1:], c.domain, c.data)


def folded(ring: TorusRing, x: Torus, group: int) -> Torus:
    """Sums of `group` neighbours each; the last may have fewer."""
    length = x.shape[0]
    total = ring.pick(x, tuple(range(0, length, group)))
    for offset in range(1, min(group, length)):
        more = ring.pick(x, tuple(range(offset, length, group)))
        count, groups = more.shape[0], total.shape[0]
        sums = ring.add(ring.slice(total, 0, count), more)
        total = sums if count == groups else ring.join((sums, ring.slice(total, count, groups)), -2)
    return total


def evaluated(
    scheme: Tfhe, program: LookupProgram, inputs: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """The decrypted outputs of a program, with new keys. The scheme's ring must be one that computes."""
    assert isinstance(scheme.ring, ExactTorusRing)
    secrets = scheme.secrets()
    run = ProgramRun(scheme, secrets, scheme.keys(secrets), program)
    run.execute(inputs)
    return run.decrypted()
