"""How much noise the values of a program of look-ups have, and how often each look-up and the whole fail.

A value between look-ups is a sum, with plain factors, of fresh ciphertexts and of look-ups' results, whose
noises are independent. The same one may come in by several ways (x + x has four times the variance of x, not
twice), so that the factors of every element are followed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2

import numpy as np

from fheasible.aliases import Floats
from fheasible.noise.tfhe.factors import NOTHING, Factors, combined
from fheasible.noise.tfhe.noise import NEVER, Noise, failure_of, noise_of
from fheasible.noise.tfhe.variances import DOUBLE
from fheasible.program.lookups import LookupProgram, Step
from fheasible.schemes.lookups import LookupParameters

SOURCES = (Step.ENCRYPT, Step.LOOKUP)


@dataclass(frozen=True, slots=True, eq=False)
class Norms:
    """The sums of squares of the factors that each element of a value has of look-ups' results, `looked_up`,
    and of fresh ciphertexts, `fresh`: arrays of the value's length."""

    looked_up: Floats
    fresh: Floats

    @property
    def largest(self) -> float:
        """The largest 2-norm of an element, fresh ciphertexts counted like look-ups' results."""
        return float(np.sqrt((self.looked_up + self.fresh).max(initial=0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class ProgramNorms:
    """`lookups`: what each LOOKUP step looks up, by the step's `out`. `outputs`: the digits of the outputs,
    by name and place."""

    lookups: Mapping[int, Norms]
    outputs: Mapping[tuple[str, int], Norms]

    @property
    def largest(self) -> float:
        """The largest 2-norm before a look-up; 0 without look-ups."""
        return max((norms.largest for norms in self.lookups.values()), default=0.0)


@dataclass(frozen=True, slots=True)
class Failures:
    """How often a program fails, as log2.

    `lookups`: of the probability that the worst element of each LOOKUP step fails, by its `out`; `outputs`:
    of that for the worst element of each digit of an output; `expected`: of how many elements of all these
    fail in a run, on average.
    """

    lookups: Mapping[int, float]
    outputs: Mapping[tuple[str, int], float]
    expected: float

    @property
    def program(self) -> float:
        """Of the probability that anything fails at all: at most the number expected, and at most 1."""
        return min(self.expected, 0.0)

    @property
    def worst(self) -> float:
        """Of the probability that the look-up that fails most often does."""
        return max(self.lookups.values(), default=NEVER)


class _Sources:
    """Which sources of a program are fresh, and which ones have been looked up."""

    def __init__(self, program: LookupProgram) -> None:
        columns = sum(step.length for step in program.steps if step.step in SOURCES)
        self._fresh, self._looked_up = np.ones(columns + 1), np.zeros(columns + 1)
        self._fresh[NOTHING] = 0.0

    def look_up(self, first: int, length: int) -> None:
        self._fresh[first : first + length] = 0.0
        self._looked_up[first : first + length] = 1.0

    def norms(self, factors: Factors) -> Norms:
        return Norms(factors.squares(self._looked_up), factors.squares(self._fresh))


def norms_of(program: LookupProgram) -> ProgramNorms:
    """The 2-norms, squared, of whatever is looked up or decrypted."""
    sources = _Sources(program)
    known: dict[int, Factors] = {}
    lookups: dict[int, Norms] = {}
    kept = {value for out in program.outputs for value in out.values}
    first = 0
    for step in program.steps:
        if step.step in SOURCES:
            found = Factors.of_source(first, step.length)
        else:
            found = combined(step, [known[a] for a in step.args])
        if step.step is Step.LOOKUP:
            lookups[step.out] = sources.norms(known[step.args[0]])
            sources.look_up(first, step.length)
        known[step.out] = found
        first += step.length if step.step in SOURCES else 0
        for value in set(step.frees) - kept:
            known.pop(value, None)
    outputs = {
        (out.name, i): sources.norms(known[value])
        for out in program.outputs
        for i, value in enumerate(out.values)
    }
    return ProgramNorms(lookups, outputs)


def failures(
    program: LookupProgram,
    parameters: LookupParameters,
    mantissa: int | None = DOUBLE,
    norms: ProgramNorms | None = None,
) -> Failures:
    """How often each look-up of the program and its decryption fail with these parameters.

    `norms`: the program's, where they are known: they are the same for all parameters.
    """
    found = norms_of(program) if norms is None else norms
    noise, modulus = noise_of(parameters, mantissa), parameters.plaintext_modulus
    tables = {out: _each(n, noise, modulus, table=True) for out, n in found.lookups.items()}
    read = {place: _each(n, noise, modulus, table=False) for place, n in found.outputs.items()}
    everything = [*tables.values(), *read.values()]
    return Failures(
        {out: float(bits.max(initial=NEVER)) for out, (bits, _) in tables.items()},
        {place: float(bits.max(initial=NEVER)) for place, (bits, _) in read.items()},
        sum_of(everything),
    )


def _each(norms: Norms, noise: Noise, modulus: int, table: bool) -> tuple[Floats, Floats]:
    """log2 of the probabilities of failure that occur among a value's elements, and how often each does."""
    pairs = np.stack((norms.looked_up, norms.fresh), axis=1)
    different, counts = np.unique(pairs, axis=0, return_counts=True)
    variance = noise.before_table if table else noise.of_sum
    bits = [failure_of(variance(float(a), float(b)), modulus) for a, b in different]
    return np.array(bits), counts.astype(np.float64)


def sum_of(parts: list[tuple[Floats, Floats]]) -> float:
    """log2 of the sum of probabilities given by log2 and number; `NEVER` where each of them is."""
    if all(bits.max(initial=NEVER) <= NEVER for bits, _ in parts):
        return NEVER
    bits = np.concatenate([b + np.log2(counts) for b, counts in parts])
    top = float(bits.max())
    return top + log2(float(np.exp2(bits - top).sum()))
