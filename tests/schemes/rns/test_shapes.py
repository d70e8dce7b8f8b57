"""What is counted has the form of what is computed."""

from collections.abc import Iterator
from typing import Any

import pytest

from cases import case
from fheasible.schemes.rns.ciphertext import Ciphertext, RnsKeys
from schemes.rns.actions import ACTIONS
from schemes.rns.toy import LIMBS, SCHEMES, Toy, toy
from schemes.rns.variants import VARIANTS

ROTATIONS = (1, 3, -1)
schemes = pytest.mark.parametrize("scheme", SCHEMES)


def form(x: Ciphertext) -> list[Any]:
    return [(part.basis, part.domain) for part in x.parts]


def key_form(keys: RnsKeys) -> list[Any]:
    """Of the keys in the order of their names."""
    switching = [keys.relinearization, *(keys.rotations[name] for name in sorted(keys.rotations, key=str))]
    rows = [[(x.basis, x.domain) for row in key.rows for x in row] for key in switching if key is not None]
    return [keys.secret.basis, [(x.basis, x.domain) for x in keys.public], rows]


def benches(scheme: str) -> Iterator[tuple[str, Toy]]:
    return ((name, toy(scheme, variant)) for name, variant in VARIANTS[scheme].items())


@schemes
def test_counting_and_execution_agree_on_what_an_action_makes(scheme: str) -> None:
    for variant, bench in benches(scheme):
        alone = scheme == "bfv" or variant == "whole limbs"  # which have the top level alone
        for level in (LIMBS - 1,) if alone else (LIMBS - 1, 1):
            o, counted = bench.operands(level), bench.counted()
            keys = counted.given_keys(rotations=ROTATIONS)
            for name, action in ACTIONS.items():
                if action.possible(scheme, level):
                    with case(variant, level, name):
                        made = action.made(bench, o)
                        shape = action.run(
                            counted, keys, counted.operand(level), counted.operand(level), None
                        )
                        assert form(shape) == form(made)


@schemes
def test_counting_and_execution_agree_on_keys_and_encryptions(scheme: str) -> None:
    for variant, bench in benches(scheme):
        with case(variant):
            agree_on_keys_and_encryptions(scheme, bench)


def agree_on_keys_and_encryptions(scheme: str, bench: Toy) -> None:
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


@schemes
def test_an_operand_lies_as_an_encryption_or_a_product_does(scheme: str) -> None:
    for variant, bench in benches(scheme):
        with case(variant):
            s, counted = bench.scheme, bench.counted()
            x = s.encrypt(bench.keys, bench.values(1))
            assert form(counted.operand()) == form(x)
            assert form(counted.operand(size=3)) == form(s.mul(x, x))
