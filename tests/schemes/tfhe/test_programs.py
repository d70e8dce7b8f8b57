"""Programs of table look-ups on ciphertexts give what they give on clear digits."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from fheasible.program.lookup_values import computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.rings.torus.counting import CountingTorusRing
from fheasible.schemes.tfhe.counted import lookup_work
from fheasible.schemes.tfhe.exact import exact_ring
from fheasible.schemes.tfhe.parameters import Order
from fheasible.schemes.tfhe.program import ProgramRun, evaluated
from fheasible.schemes.tfhe.scheme import Tfhe
from schemes.tfhe.running import INSECURE_TOY, VARIANTS

MODULUS = INSECURE_TOY.plaintext_modulus


@dataclass
class Drawn:
    """A random program whose values stay in range: the largest of each value is known."""

    random: np.random.Generator
    steps: list[LookupStep] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    largest: list[int] = field(default_factory=list)
    tables: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, step: Step, length: int, largest: int, **rest: object) -> int:
        self.steps.append(LookupStep(step, len(self.steps), length, **rest))  # type: ignore[arg-type]
        self.lengths.append(length)
        self.largest.append(largest)
        return len(self.steps) - 1

    def look_up(self, arg: int, most: int) -> int:
        self.tables.append(tuple(int(v) for v in self.random.integers(0, most + 1, MODULUS)))
        return self.add(Step.LOOKUP, self.lengths[arg], most, args=(arg,), table=len(self.tables) - 1)

    def program(self, length: int) -> LookupProgram:
        draw = self.random.integers
        x = self.add(Step.ENCRYPT, length, MODULUS - 1, source="x")
        bit = self.look_up(x, 1)
        pairs = self.add(Step.FOLD, -(-length // 2), 2, args=(bit,), group=2)
        places = draw(0, length, 3)
        picked = self.add(Step.PICK, 3, 1, args=(bit,), plain=places)
        plain = self.add(Step.TRIVIAL, 1, 1, plain=draw(0, 2, 1))
        sums = self.add(
            Step.LINEAR, 3, 3, args=(picked, plain), weights=(-1, 2), plain=np.array([1])
        )  # in [0, 3]
        joined = self.add(Step.JOIN, self.lengths[pairs] + 3, 3, args=(pairs, sums))
        last = self.look_up(joined, MODULUS - 1)
        out = (Digits("y", self.lengths[last], (last,), MODULUS), Digits("z", 3, (sums,), MODULUS))
        ins = (Digits("x", length, (x,), MODULUS),)
        return LookupProgram(MODULUS, tuple(self.steps), tuple(self.tables), ins, out)


@pytest.mark.long
@pytest.mark.parametrize("variant", ["centered", "bootstrap first", "groups of two"])
def test_ciphertexts_hold_what_clear_digits_are(variant: str) -> None:
    for seed in range(2):
        random = np.random.default_rng(seed)
        program = Drawn(random).program(5 + seed)
        inputs = {"x": random.integers(0, MODULUS, 5 + seed)}
        p = VARIANTS[variant]
        found = evaluated(Tfhe(exact_ring(p, seed), p), program, inputs)
        for name, expected in computed(program, inputs).items():
            assert found[name].tolist() == expected.tolist()


def test_the_counting_ring_counts_a_whole_program() -> None:
    """Each element's look-up is counted, and sums are those of the ciphertexts' numbers."""
    program = Drawn(np.random.default_rng(1)).program(6)
    for order in Order:
        p = replace(INSECURE_TOY, order=order)
        ring = CountingTorusRing()
        scheme = Tfhe(ring, p)
        secrets = scheme.secrets()
        keys = scheme.keys(secrets)
        ring.restart()
        ProgramRun(scheme, secrets, keys, program).execute(None)
        once = lookup_work(p)
        for kernel in ("multiply_add", f"fft:{p.polynomial_size}", "bytes:bootstrap", "bytes:switch"):
            encryption = 6 * scheme.dimension if kernel == "multiply_add" else 0
            assert ring.tally[kernel] == program.lookups * once[kernel] + encryption
