"""The buffers that actions of SEAL take: the live wheel's pool, size by size, and the peaks of phases."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from fheasible.libraries.block import IntegerBlock
from fheasible.libraries.parameters import Parameters, parameters_for
from fheasible.libraries.primes import descending
from fheasible.libraries.seal.buffers import buffers
from fheasible.libraries.seal.case import SealCase, base_limbs
from fheasible.libraries.seal.resident import context, evaluation, memory_classes

from .memory_programs import product

PYTHON = Path(__file__).resolve().parents[2] / "workers" / "seal" / ".venv" / "bin" / "python"
LIVE = Path(__file__).with_name("live_seal_buffers.py")
INSECURE_N = 1024


class Asked(NamedTuple):
    scheme: str
    limbs: int
    special: int
    bits: int
    plain_bits: int

    def parameters(self) -> Parameters:
        primes = descending(self.bits, 2 * INSECURE_N).first(self.limbs + self.special)
        plain = descending(self.plain_bits, 2 * INSECURE_N).first(1)[0] if self.scheme != "ckks" else None
        q, p = primes[: self.limbs], primes[self.limbs :]
        given = {} if plain is None else {"plain_modulus": plain}
        return parameters_for("seal", self.scheme, INSECURE_N, tuple(q), tuple(p), **given)


LONG_PLAIN = Asked("bfv", 3, 1, 60, 34)  # whose auxiliary base has one more prime
ASKED = [
    *(Asked(scheme, limbs, 1, 40, 20) for scheme in ("ckks", "bgv", "bfv") for limbs in (2, 5)),
    *(Asked(scheme, 1, 0, 50, 20) for scheme in ("ckks", "bgv", "bfv")),
    LONG_PLAIN,
]


def live(asked: Asked) -> dict[str, dict[str, int]]:
    """What the wheel's pool says, in a process of its own, because the pool only grows."""
    if not PYTHON.exists():
        pytest.skip("SEAL is not installed")
    p = asked.parameters()
    question: dict[str, Any] = {"scheme": p.scheme, "n": p.ring_dimension, "q": p.q, "p": p.p}
    if p.scheme != "ckks":
        question["t"] = p.plain_modulus
    done = subprocess.run(
        [PYTHON, LIVE], input=json.dumps(question), capture_output=True, text=True, timeout=300, check=True
    )
    found: dict[str, dict[str, int]] = json.loads(done.stdout)
    return found


def case(p: Parameters, action: str) -> SealCase:
    """The case of what the live script runs: at the top, or two limbs lower by a drop or an encryption."""
    below = 2 if action in ("drop", "encrypt below") else 0
    polys = 3 if action in ("mul", "square") else 2
    return SealCase.of(p, p.limbs - 1 - below, polys, 2 if action == "drop" else 0)


@pytest.mark.worker
@pytest.mark.parametrize("asked", ASKED, ids=[f"{a.scheme} {a.limbs} {a.bits}" for a in ASKED])
def test_the_live_pool_has_as_many_buffers_of_each_size_in_use(asked: Asked) -> None:
    p = asked.parameters()
    found = {
        action: Counter({int(limbs): count for limbs, count in sizes.items()})
        for action, sizes in live(asked).items()
    }
    told = {action: buffers(action.split()[0], case(p, action)).pooled for action in found}
    assert told == found


def test_a_peak_is_that_of_the_largest_phase_and_a_pool_keeps_every_phase() -> None:
    """A rescaling of 2 * 4 limbs: the copy and a scratch, or the copy and 2 * 3 limbs of the result."""
    used = buffers("rescale", SealCase("ckks", 4, 2, 0, 4, 1, 5))
    assert used.peak == 8 + 6
    assert used.pooled == Counter({8: 1, 6: 1, 1: 1})
    assert used.result == 6


def test_a_longer_auxiliary_base_takes_more_memory() -> None:
    """One more prime in each of two factors of two parts, in a product of three, and so on; and 4 limbs of
    tables for each level whose base has it."""
    p = LONG_PLAIN.parameters()
    short = parameters_for("seal", "bfv", INSECURE_N, p.q, p.p, plain_modulus=65537)
    some = product("bfv", 0)
    assert base_limbs(p, 3) == 4
    assert evaluation(some, p, 1) > evaluation(some, short, 1)
    longer = [base_limbs(p, k) - k for k in range(1, 5)]
    assert context(some, p) - context(some, short) == 4 * sum(longer)


def test_sets_of_one_class_have_auxiliary_bases_of_the_same_sizes() -> None:
    def chain(bits: int) -> Parameters:
        return Asked("bfv", 3, 1, bits, 34).parameters()

    block = IntegerBlock.of([chain(60), chain(50), chain(60), chain(51)])
    classes: Any = memory_classes(block)
    assert classes[0] == classes[2]
    assert classes[1] == classes[3]
    assert classes[0] != classes[1]
    short = IntegerBlock.of([Asked("bgv", 3, 1, bits, 20).parameters() for bits in (50, 60)])
    np.testing.assert_array_equal(memory_classes(short), 0)
