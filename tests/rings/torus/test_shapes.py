"""Counting and computing agree: every operation of the scheme gives the shape that was counted."""

from typing import Any

import numpy as np
import pytest

from fheasible.rings.torus.counting import CountingTorusRing
from fheasible.rings.torus.element import Domain, Torus
from fheasible.rings.torus.exact import ExactTorusRing
from fheasible.rings.torus.ring import Shape, TorusRing
from fheasible.schemes.tfhe import glwe, packing
from fheasible.schemes.tfhe.parameters import Gadget
from fheasible.schemes.tfhe.scheme import Tfhe
from schemes.tfhe.running import VARIANTS


class Checked(ExactTorusRing):
    """Computes, compares each result's shape with its data, and counts the operations."""

    def __init__(self) -> None:
        super().__init__(1)
        self.counted = CountingTorusRing()

    def _interpret(
        self,
        operation: str,
        shape: Shape,
        domain: Domain,
        operands: tuple[Torus, ...] = (),
        value: Any = None,
    ) -> Any:
        self.counted._interpret(operation, shape, domain, operands, value)
        made = super()._interpret(operation, shape, domain, operands, value)
        last = (*shape[:-1], shape[-1] // 2) if np.iscomplexobj(made) else shape
        assert made.shape[made.ndim - len(shape) :] == last, operation
        return made


def everything(ring: TorusRing, variant: str) -> None:
    """Keys, encryption, a look-up, decryption and a packing."""
    p = VARIANTS[variant]
    scheme = Tfhe(ring, p)
    secrets = scheme.secrets()
    keys = scheme.keys(secrets)
    c = scheme.encrypt(secrets, ring.zero(()))
    looked = scheme.lookup(keys, c, scheme.table(range(p.plaintext_modulus)))
    scheme.phase(secrets, looked)
    gadget = Gadget(5, 2)
    key = packing.packing_key(ring, secrets.small, secrets.large, gadget, p.glwe_errors)
    packed = packing.pack(ring, ring.zero((3, p.lwe_dimension + 1)), key, gadget)
    glwe.phase(ring, secrets.large, packed)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_is_computed_is_what_was_counted(variant: str) -> None:
    counting, computing = CountingTorusRing(), Checked()
    everything(counting, variant)
    everything(computing, variant)
    assert computing.counted.tally == counting.tally
