"""Primes looked up by their bits are those that the library takes, whatever sizes are the same."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from fheasible.errors import InfeasibleParameters
from fheasible.exploration.space.chains import Chains, ChainSizes
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.parameters import Parameters, request_for

DEPTH = 4
TECHNIQUES = [(name, technique) for name, lib in CATALOGUE.items() for technique in lib.techniques]


def sizes(library: str, draw: Random, count: int = 60) -> ChainSizes:
    """Many of them with two or three sizes that are the same; small primes lie far apart."""
    top = 61 if library == "lattigo" else 60
    found = []
    for _ in range(count):
        scale = draw.choice([draw.randint(20, 30), draw.randint(20, 59)])
        first = draw.choice([scale, min(scale + 1, 60), draw.randint(scale, 60)])
        found.append((scale, first, draw.choice([scale, first, draw.randint(scale, top)])))
    return ChainSizes(*(np.array(column) for column in zip(*found, strict=True)))


def asked(chains: Chains, scale: int, first: int, special: int, count: int) -> Parameters | None:
    request = request_for(
        "ckks", DEPTH, None, scale_bits=scale, first_bits=first, technique=chains.technique,
        ring_dimension=chains.n,
    )  # fmt: skip
    own = {"special_bits": (special,) * count} if chains.own_special else {"key_switching": "bv"}
    try:
        return chains.library.parameters(replace(request, **own))  # type: ignore[arg-type]
    except InfeasibleParameters:
        return None


@pytest.mark.parametrize("ring", [1 << 12, 1 << 15])
@pytest.mark.parametrize(("library", "technique"), TECHNIQUES)
def test_primes_and_scales_are_those_of_the_library(library: str, technique: str, ring: int) -> None:
    draw, chains = (
        Random(f"{library} {technique} {ring}"),
        Chains(CATALOGUE[library], technique or None, ring),
    )
    given, count = sizes(library, draw), draw.randint(1, 4) if library == "lattigo" else 1
    found, known = chains.primes(DEPTH, given, count), 0
    for i, (scale, first, special) in enumerate(
        zip(given.scale.tolist(), given.first.tolist(), given.special.tolist(), strict=True)
    ):
        p = asked(chains, scale, first, special, count)
        there = not (np.isnan(found.q[:, i]).any() or np.isnan(found.p[:, i]).any())
        assert there == (p is not None), (scale, first, special)
        if p is not None:
            known += 1
            assert found.q[:, i].tolist() == [float(q) for q in p.q]
            assert found.scales[:, i].tolist() == list(p.scales)
            assert not chains.own_special or found.p[:, i].tolist() == [float(x) for x in p.p]
    assert known > 20
