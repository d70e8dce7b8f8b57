"""How often a program of look-ups fails with many sets of parameters: its different values once."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fheasible.noise.tfhe.noise import NEVER, failure_of, noise_of
from fheasible.noise.tfhe.program import Norms, ProgramNorms, sum_of
from fheasible.noise.tfhe.variances import DOUBLE
from fheasible.schemes.lookups import LookupParameters

Different = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class NormSummary:
    """The different elements of what is looked up, `tables`, and of what is decrypted, `outputs`: the squares
    of their factors of look-ups' results and of fresh ciphertexts, and how many elements have them."""

    tables: Different
    outputs: Different

    @staticmethod
    def of(norms: ProgramNorms) -> "NormSummary":
        return NormSummary(_different(norms.lookups.values()), _different(norms.outputs.values()))

    @property
    def largest(self) -> float:
        """The largest 2-norm before a look-up."""
        return max((float(np.sqrt(a + b)) for a, b, _ in self.tables), default=0.0)

    def failures(self, parameters: LookupParameters, mantissa: int | None = DOUBLE) -> tuple[float, float]:
        """log2 of the probabilities that anything fails, as in `program.failures`, and that the worst look-up
        does."""
        noise, modulus = noise_of(parameters, mantissa), parameters.plaintext_modulus
        tables = [failure_of(noise.before_table(a, b), modulus) for a, b, _ in self.tables]
        outputs = [failure_of(noise.of_sum(a, b), modulus) for a, b, _ in self.outputs]
        counts = np.array([count for *_, count in (*self.tables, *self.outputs)])
        return min(sum_of([(np.array([*tables, *outputs]), counts)]), 0.0), max(tables, default=NEVER)


def _different(norms: Iterable[Norms]) -> Different:
    found: Counter[complex] = Counter()
    for n in norms:  # one after the other: all at once are gigabytes, and nearly all elements are alike
        pairs = np.empty(len(n.looked_up), dtype=np.complex128)  # which are sorted in no time
        pairs.real, pairs.imag = n.looked_up, n.fresh
        if len(pairs) and bool((pairs == pairs[0]).all()):
            found[complex(pairs[0])] += len(pairs)
        else:
            values, counts = np.unique(pairs, return_counts=True)
            found.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
    return tuple((pair.real, pair.imag, float(found[pair])) for pair in sorted(found, key=_parts))


def _parts(pair: complex) -> tuple[float, float]:
    return pair.real, pair.imag
