"""The paper's cells: ten functions of either scheme at four sets and five lengths, and the same elsewhere."""

from collections.abc import Callable, Iterable

from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS
from fheasible.studies.ckks_vs_bfv.sets import (
    ALIKE,
    CHAINS,
    ENDS,
    LENGTHS,
    NUMBERS,
    SCHEMES,
    TITLES,
    Chain,
    one_special,
    own_chain,
    papers,
)
from fheasible.studies.operations import OperationExperiment, OperationSet

PAPERS = "lattigo"
OTHERS = {"seal": ("SEAL", one_special), "openfhe": ("OpenFHE", own_chain)}
# Programs encode and encrypt in one step, and so do the predictions.
OPERATIONS = (*FUNCTIONS, "encode_encrypt", "decrypt_decode")

MakeSet = Callable[[Chain, int, bool], OperationSet]


def _sets(make: MakeSet, chains: Iterable[Chain], lengths: tuple[int, ...]) -> tuple[OperationSet, ...]:
    return tuple(make(chain, length, length in ENDS) for chain in chains for length in lengths)


def _papers(scheme: str) -> OperationExperiment:
    return OperationExperiment(
        name=f"{scheme}-lattigo",
        title=f"{TITLES[scheme]} in Lattigo, the paper's sets (Tables 2 to 11)",
        library=PAPERS,
        scheme=scheme,
        operations=OPERATIONS,
        sets=_sets(papers, (CHAINS[scheme, n] for n in NUMBERS), LENGTHS),
        sparse=scheme == "ckks",
        calls=5,
    )


def _other(name: str, scheme: str) -> OperationExperiment:
    title, make = OTHERS[name]
    return OperationExperiment(
        name=f"{scheme}-{name}",
        title=f"{TITLES[scheme]} in {title}, the paper's rings and as many primes",
        library=name,
        scheme=scheme,
        operations=OPERATIONS,
        sets=_sets(make, (CHAINS[scheme, n] for n in NUMBERS), LENGTHS[-1:]),
        calls=5,
    )


OF_PAPER = {scheme: _papers(scheme) for scheme in SCHEMES}
ELSEWHERE = {(name, scheme): _other(name, scheme) for name in OTHERS for scheme in SCHEMES}
SAME_CHAIN = OperationExperiment(
    name="ckks-same-chain",
    title="CKKS in Lattigo, in the primes of BFV's sets",
    library=PAPERS,
    scheme="ckks",
    operations=OPERATIONS,
    sets=_sets(papers, ALIKE.values(), LENGTHS[-1:]),
    sparse=True,
    calls=5,
)
EXPERIMENTS = (*OF_PAPER.values(), SAME_CHAIN, *ELSEWHERE.values())
