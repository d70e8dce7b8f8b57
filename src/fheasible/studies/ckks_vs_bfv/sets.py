"""The paper's four parameter sets, as the library of its time has them, and as libraries of today take
them.

Table 1 gives log2 N and log2 Q alone. Its four pairs (12, 109), (13, 218), (14, 438), (15, 881) are the
limits of the standard of 2018 [HES18], after which the default parameters PN12QP109, PN13QP218, PN14QP438
and PN15QP880 of Lattigo 1.3.0 (December 2019; ckks/params.go, bfv/params.go) are named; so Q is what is
called QP today, the special primes included. The chains are those of the two files. The figures of Tables
12 and 13 confirm them (see redundancy.py).
"""

from dataclasses import dataclass

from fheasible.studies.operations import OperationSet

SCHEMES = ("ckks", "bfv")
TITLES = {"ckks": "CKKS", "bfv": "BFV"}
LENGTHS = (128, 256, 512, 1024, 2048)
ENDS = (LENGTHS[0], LENGTHS[-1])
NUMBERS = (1, 2, 3, 4)
PLAIN_MODULUS = 65537
TABLE1 = {1: (12, 109), 2: (13, 218), 3: (14, 438), 4: (15, 881)}  # log2 N and log2 Q


@dataclass(frozen=True, slots=True)
class Chain:
    """One set of a scheme: the bits of the primes of Q and of P. `scale_bits` 0: none (BFV)."""

    number: int
    scheme: str
    q: tuple[int, ...]
    p: tuple[int, ...]
    scale_bits: int = 0

    @property
    def ring_dimension(self) -> int:
        return 1 << TABLE1[self.number][0]

    @property
    def log_qp(self) -> int:
        return sum(self.q) + sum(self.p)


CHAINS = {
    ("ckks", 1): Chain(1, "ckks", (37, 32), (38,), 32),
    ("ckks", 2): Chain(2, "ckks", (33,) + 5 * (30,), (35,), 30),
    ("ckks", 3): Chain(3, "ckks", (45,) + 9 * (34,), (43, 43), 34),
    ("ckks", 4): Chain(4, "ckks", (50,) + 17 * (40,), (50, 50, 50), 40),
    ("bfv", 1): Chain(1, "bfv", (39, 39), (30,)),
    ("bfv", 2): Chain(2, "bfv", (54, 54, 54), (55,)),
    ("bfv", 3): Chain(3, "bfv", (56, 55, 55, 54, 54, 54), (55, 55)),
    ("bfv", 4): Chain(4, "bfv", 3 * (59,) + 9 * (58,), (60, 60, 60)),
}

# CKKS in the primes of BFV: what is left of a difference is the scheme's and not the chain's.
ALIKE = {
    number: Chain(number, "ckks", CHAINS["bfv", number].q, CHAINS["bfv", number].p, scale)
    for number, scale in ((1, 30), (2, 40), (3, 40), (4, 40))
}


def papers(chain: Chain, slots: int, quick: bool) -> OperationSet:
    """The set with the paper's own chain."""
    return _set(chain, _bits(chain.q), _bits(chain.p), slots, quick)


def one_special(chain: Chain, slots: int, quick: bool) -> OperationSet:
    """The set for a library that has one special prime: the primes of Q are the paper's, and the special
    prime is as large as the largest of them."""
    return _set(chain, _bits(chain.q), str(max(chain.q)), slots, quick)


# OpenFHE chooses primes itself. These depths give BFV as many primes as the paper's sets have, of nearly as
# many bits; the first and the other bits of CKKS can be asked for.
_DEPTHS = {1: (39, 1), 2: (54, 2), 3: (55, 7), 4: (58, 17)}


def own_chain(chain: Chain, slots: int, quick: bool) -> OperationSet:
    """The set for a library that chooses the primes itself, with as many primes of Q as the paper's."""
    ring = {"ring_dimension": str(chain.ring_dimension)}
    if chain.scheme == "ckks":
        bits = {"first_bits": str(chain.q[0]), "scale_bits": str(chain.q[1]), "technique": "fixedmanual"}
        return OperationSet(str(chain.number), ring | bits, len(chain.q) - 1, slots, quick)
    size, depth = _DEPTHS[chain.number]
    params = ring | {"scale_bits": str(size), "plain_modulus": str(PLAIN_MODULUS)}
    return OperationSet(str(chain.number), params, depth, slots, quick)


def _set(chain: Chain, q: str, p: str, slots: int, quick: bool) -> OperationSet:
    params = {"ring_dimension": str(chain.ring_dimension), "prime_bits": q, "special_bits": p}
    if chain.scheme == "ckks":
        own, depth = {"scale_bits": str(chain.scale_bits)}, len(chain.q) - 1
    else:
        own, depth = {"plain_modulus": str(PLAIN_MODULUS)}, 0
    return OperationSet(str(chain.number), params | own, depth, slots, quick)


def _bits(primes: tuple[int, ...]) -> str:
    return ",".join(map(str, primes))


def data_bits(scheme: str) -> float:
    """The mean number of significant bits of one number of the data, as the paper counts them: 128 of a
    complex number, and the 63 that a uniform whole number of 64 bits has on average.
    """
    return 128.0 if scheme == "ckks" else 63.0


def residue_bits(chain: Chain) -> int:
    """The significant bits that the residues of one coefficient have on average, all primes together: a
    uniform number below 2^k has k - 1."""
    return sum(chain.q) - len(chain.q)
