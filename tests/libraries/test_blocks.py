"""Many requests at once are answered as each is alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.libraries.block import Block, block_of
from fheasible.libraries.blocks import blocks
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Request, request_for

RINGS = st.sampled_from([1 << k for k in range(10, 16)])
BITS = st.integers(14, 60)
SPECIAL = st.integers(1, 4).flatmap(lambda count: st.tuples(*[st.integers(20, 61)] * count))
CHOICES: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "seal": st.fixed_dictionaries({}, optional={"first_bits": BITS}),
    "lattigo": st.fixed_dictionaries({}, optional={"first_bits": BITS, "special_bits": SPECIAL}),
    "openfhe": st.fixed_dictionaries(
        {"technique": st.sampled_from(CATALOGUE["openfhe"].techniques)},
        optional={"first_bits": BITS, "digits": st.integers(1, 6), "key_switching": st.just("bv")},
    ),
}


@st.composite
def asked(draw: st.DrawFn) -> tuple[str, list[Request]]:
    """To one library, in few rings and depths, so that some share a layout."""
    name = draw(st.sampled_from(sorted(CHOICES)))
    rings, depths = (
        draw(st.lists(RINGS, min_size=1, max_size=2)),
        draw(st.lists(st.integers(0, 8), min_size=1)),
    )
    each = st.builds(
        lambda n, depth, scale, more: request_for(
            "ckks", depth, None, scale_bits=scale, ring_dimension=n, **more
        ),
        st.sampled_from(rings),
        st.sampled_from(depths),
        BITS,
        CHOICES[name],
    )
    return name, draw(st.lists(each, max_size=30))


@settings(deadline=None)
@given(asked())
def test_every_request_is_in_a_block_or_refused(given_: tuple[str, list[Request]]) -> None:
    name, requests = given_
    library = CATALOGUE[name]
    found = blocks(library, requests)
    there = [i for made in found.made for i in made.indices.tolist()]
    assert sorted(there + list(found.refusals)) == list(range(len(requests)))
    for block, indices in found.made:
        assert indices.tolist() == sorted(indices.tolist())
        assert_alike(block, block_of([library.parameters(requests[i]) for i in indices]))
    for i, refusal in found.refusals.items():
        with pytest.raises(InfeasibleParameters) as alone:
            library.parameters(requests[i])
        assert alone.value.message == refusal.message


def assert_alike(found: Block, expected: Block) -> None:
    for field in ("library", "scheme", "ring_dimension", "digits", "technique", "key_switching", "levels"):
        assert getattr(found, field) == getattr(expected, field)
    for field in ("q", "p", "scales", "flooding", "nominal"):
        assert np.array_equal(getattr(found, field), getattr(expected, field))


def test_sets_of_one_layout_are_one_block() -> None:
    requests = [request_for("ckks", 4, None, scale_bits=s, ring_dimension=1 << 14) for s in range(30, 50)]
    (made,) = blocks(CATALOGUE["seal"], requests).made
    assert len(made.block) == 20
    assert np.log2(made.block.nominal).tolist() == list(range(30, 50))


def test_exact_schemes_keep_the_primes_to_the_last_digit() -> None:
    requests = [
        request_for("bgv", 1, None, plain_modulus=65537, ring_dimension=1 << 14, prime_bits=(60, b))
        for b in (55, 60)
    ]
    (made,) = blocks(CATALOGUE["lattigo"], requests).made
    assert [one.q for one in made.block.exact] == [CATALOGUE["lattigo"].parameters(r).q for r in requests]


def test_what_a_library_has_not_is_an_error() -> None:
    with pytest.raises(UsageError):
        blocks(CATALOGUE["seal"], [request_for("ckks", 1, None, ring_dimension=4096, digits=2)])
