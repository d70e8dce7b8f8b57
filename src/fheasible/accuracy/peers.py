"""The sets that other tools choose for an application, beside ours, with predictions by the same profiles.

Parameters are compared, not compilers: the program that runs at a peer's set is the one that Fheasible makes
for its depth, ring and primes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fheasible.accuracy.applications import problem_of
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import WrittenShape, chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish, bits
from fheasible.exploration.search.declared_ranges import answer
from fheasible.libraries.catalogue import CATALOGUE, library
from fheasible.measurement.shipped import shipped
from fheasible.noise.ckks.precision import precision

FOLDER = shipped("benchmarks") / "peers"
SETS = FOLDER / "sets.json"
SECURITY = 128
USUAL = bits(15)  # asked of real results, in addition to what the peer's set reaches


@dataclass(frozen=True, slots=True, eq=False)
class PeerSet:
    """A parameter set that a peer chooses.

    `application` and `written` are files of FOLDER. `application` is what a user asks for; `written` gives
    the same result, and is written in the way to which the peer's depth belongs. `param` is what `fheasible
    run --param` takes for such a set; `depth`, ring dimension and primes are those that `source` gave.
    """

    application: str
    written: str
    peer: str
    library: str
    scheme: str
    param: Mapping[str, str]
    depth: int
    ring_dimension: int
    q: tuple[int, ...]
    p: tuple[int, ...]
    source: str

    @property
    def label(self) -> str:
        return f"{self.peer}: {self.written} in {self.library} {self.scheme}"


def peer_sets(applications: Iterable[str] = ()) -> list[PeerSet]:
    """The peers' sets for `applications`; for all applications by default."""
    wanted = set(applications)
    found = [_peer_set(row) for row in json.loads(SETS.read_text())]
    return [peer for peer in found if not wanted or peer.application in wanted]


def _peer_set(row: dict[str, Any]) -> PeerSet:
    return PeerSet(**row | {"q": tuple(row["q"]), "p": tuple(row["p"])})


@cache
def problem_named(name: str) -> Problem:
    """The application of FOLDER/NAME.py on random data."""
    return problem_of(Path(FOLDER / f"{name}.py"))


def at_peers(peer: PeerSet, profile: Profile | None) -> Candidate:
    """The candidate for the application, as the peer has it written, at the peer's set."""
    request = request_from(peer.scheme, dict(peer.param), SECURITY)
    shape = WrittenShape(as_written=True)
    return chosen(problem_named(peer.written), library(peer.library), request, profile, shape)


def reached(peer: PeerSet, c: Candidate) -> Asked | None:
    """The bits to rely on in real results at the peer's set; None for integers, which are exact."""
    problem = problem_named(peer.written)
    if not problem.real:
        return None
    found = precision(c.program, c.ckks, problem.gains(c.program), problem.truth)
    return bits(found.assured_bits)


def recommended(name: str, asked: Asked | None, profiles: Mapping[str, Profile]) -> Candidate:
    """Our candidate of least time. ValueError where nothing fits."""
    wish = Wish(SECURITY, precision=asked)
    best = answer(problem_named(name), wish, list(CATALOGUE.values()), profiles).best
    if best is None:
        raise ValueError(f"nothing fits {name} with {asked}")
    return best


def seconds(c: Candidate) -> float:
    """Predicted CPU seconds of encryption, evaluation and decryption. ValueError without a profile."""
    if c.estimate.cpu_seconds is None:
        raise ValueError(f"no profile of {c.library} covers {c.scheme}")
    return c.estimate.cpu_seconds["total"]
