"""What is counted has the form of what is computed."""

from typing import Any

import pytest

from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import LIMBS, toy
from schemes.rns.variants import CASES, VARIANTS

ROTATIONS = (1, 3, -1)


def form(x: Ciphertext) -> list[Any]:
    return [(part.basis, part.domain) for part in x.parts]


def key_form(keys: RnsKeys) -> list[Any]:
    """Of the keys in the order of their names."""
    switching = [keys.relinearization, *(keys.rotations[name] for name in sorted(keys.rotations, key=str))]
    rows = [[(x.basis, x.domain) for row in key.rows for x in row] for key in switching if key is not None]
    return [keys.secret.basis, [(x.basis, x.domain) for x in keys.public], rows]


@pytest.mark.parametrize("level", [LIMBS - 1, 1])
@pytest.mark.parametrize(("scheme", "variant"), CASES)
def test_counting_and_execution_agree_on_what_an_action_makes(scheme: str, variant: str, level: int) -> None:
    bench = toy(scheme, VARIANTS[scheme][variant])
    level = LIMBS - 1 if scheme == "bfv" or variant == "whole limbs" else level
    o = bench.operands(level)
    counted = bench.counted()
    keys = counted.given_keys(rotations=ROTATIONS)
    for name, action in ACTIONS.items():
        if not action.possible(scheme, level):
            continue
        made = action.made(bench, o)
        shape = action.run(counted, keys, counted.operand(level), counted.operand(level), None)
        assert form(shape) == form(made), name


@pytest.mark.parametrize(("scheme", "variant"), CASES)
def test_counting_and_execution_agree_on_keys_and_encryptions(scheme: str, variant: str) -> None:
    bench = toy(scheme, VARIANTS[scheme][variant])
    counted = bench.counted()
    generated = counted.keygen(rotations=ROTATIONS, swap_rows=True)
    assert key_form(counted.given_keys(rotations=ROTATIONS)) == key_form(generated)
    assert len(key_form(bench.keys)[2]) == len(key_form(generated)[2])
    assert key_form(bench.keys)[:2] == key_form(generated)[:2]
    assert key_form(bench.keys)[2][0] == key_form(generated)[2][0]
    for level in {LIMBS - 1, 0 if scheme != "bfv" else LIMBS - 1}:
        made = bench.scheme.encrypt(bench.keys, bench.values(1), level)
        assert form(counted.encrypt(generated, None, level)) == form(made)
        assert counted.decrypt(generated, counted.encrypt(generated, None, level)) is None


@pytest.mark.parametrize(("scheme", "variant"), CASES)
def test_an_operand_lies_as_an_encryption_or_a_product_does(scheme: str, variant: str) -> None:
    bench = toy(scheme, VARIANTS[scheme][variant])
    s, counted = bench.scheme, bench.counted()
    x = s.encrypt(bench.keys, bench.values(1))
    assert form(counted.operand()) == form(x)
    assert form(counted.operand(size=3)) == form(s.mul(x, x))
