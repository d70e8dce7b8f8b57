"""Our sets are never slower than those of OpenFHE's defaults or HEIR, by the same (shipped) profiles.

Compared are predicted CPU seconds of encryption, evaluation and decryption, of the same application, data and
security: our recommended set, and the peer's parameters with a program of ours. Of real results, ours has to
reach what can be relied on at the peer's set, or 15 bits. What the peers choose, and how that was found out,
is in `benchmarks/peers/sets.json`.
"""

from functools import cache
from math import log2

import pytest

from fheasible.accuracy.peers import (
    FOLDER,
    USUAL,
    PeerSet,
    at_peers,
    peer_sets,
    reached,
    recommended,
    seconds,
)
from fheasible.calibration.defaults import default_profile
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.problem.wish import Asked, bits
from fheasible.libraries.catalogue import CATALOGUE

SETS = peer_sets()
every_set = pytest.mark.parametrize("peer", SETS, ids=lambda peer: peer.label)


@cache
def profiles() -> dict[str, Profile]:
    return {name: p for name in CATALOGUE if (p := default_profile(name)) is not None}


@cache
def best(name: str, asked: Asked | None) -> Candidate:
    return recommended(name, asked, profiles())


def test_each_application_has_a_set_of_openfhe_and_two_of_heir_with_a_source() -> None:
    names = {"variance", "squarings", "network"}
    assert {peer.application for peer in SETS} == names
    for name in names:
        peers = [peer for peer in SETS if peer.application == name]
        assert {p.peer for p in peers} == {
            "OpenFHE's defaults", "HEIR's Lattigo output", "HEIR's OpenFHE output"
        }  # fmt: skip
        assert (FOLDER / "heir" / f"{name}.mlir").exists()
    assert all("1.6.1" in p.source or "2026.10.1" in p.source for p in SETS)


@every_set
def test_what_runs_for_a_peer_are_its_parameters(peer: PeerSet) -> None:
    """OpenFHE's primes are the wheel's own; HEIR picks other primes of the same sizes than Lattigo does."""
    p = at_peers(peer, profiles()[peer.library]).parameters
    assert p.ring_dimension == peer.ring_dimension
    if peer.library == "openfhe":
        assert (p.q, p.p) == (peer.q, peer.p)
    else:
        assert [round(log2(x)) for x in (*p.q, *p.p)] == [round(log2(x)) for x in (*peer.q, *peer.p)]
    assert p.levels == (0 if peer.scheme == "bfv" else peer.depth)


OWN_BITS = 27.6  # measured: HEIR's Lattigo output for the variance, with its constants in full


@pytest.mark.long
@every_set
def test_ours_is_never_slower_at_the_precision_that_the_peer_reaches(peer: PeerSet) -> None:
    """Their program is ours at their set. Written in another way it is compared at the precision that the
    peer's own program reaches, which multiplies by 1/n after a square and loses the bits that ours keeps."""
    theirs = at_peers(peer, profiles()[peer.library])
    asked = reached(peer, theirs)
    assert seconds(best(peer.written, asked)) <= seconds(theirs)
    if asked is not None and peer.written != peer.application:
        asked = bits(min(asked.value, OWN_BITS))
    assert seconds(best(peer.application, asked)) <= seconds(theirs)


@pytest.mark.long
@every_set
def test_ours_is_never_slower_at_a_usual_precision(peer: PeerSet) -> None:
    """Which every peer's set reaches."""
    theirs = at_peers(peer, profiles()[peer.library])
    asked = reached(peer, theirs)
    assert asked is None or asked.value >= USUAL.value
    for name in {peer.application, peer.written}:
        assert seconds(best(name, asked and USUAL)) <= seconds(theirs), name
