"""The security of a parameter set with several secrets: it is that of the weakest one.

A CKKS set that bootstraps with sparse-secret encapsulation [BTH22] has two secrets. The main one encrypts
under the whole modulus QP. The ephemeral one has few coefficients that are not 0, and only one switching key
is encrypted under it, modulo q0 p0: the first prime of Q times the first special prime (Lattigo,
`EvkDenseToSparse`; OpenFHE, `KeySwitchGenSparse`). An attacker chooses between them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats, Ints
from fheasible.errors import UsageError
from fheasible.security.asked import AskedSecurity
from fheasible.security.lookup import RLWE, security_bits
from fheasible.security.tables import SIGMA, STANDARD
from fheasible.security.verdict import Verdict, verdict
from fheasible.units import power_of_two

MAIN, EPHEMERAL = "main", "ephemeral"


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A secret, and log2 of the largest modulus of anything that is encrypted under it.

    `role` names the secret to the reader; `sigma` is the width of the narrowest errors.
    """

    ring_dimension: int
    log_q: float
    secret: str
    role: str = MAIN
    sigma: float = SIGMA

    def asked(self, quantum: bool = False) -> AskedSecurity:
        """The problem that an attacker on this secret has to solve."""
        return AskedSecurity(RLWE, self.ring_dimension, self.log_q, self.secret, self.sigma, quantum)

    def __str__(self) -> str:
        where = f"n = {power_of_two(self.ring_dimension)}, log2 q = {self.log_q:g}"
        return f"the {self.role} secret ({self.secret}, {where})"


@dataclass(frozen=True, slots=True)
class KeysVerdict:
    """The verdicts on all secrets of a set, in the order in which they were given."""

    uses: tuple[KeyUse, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def weakest(self) -> int:
        """The place of the secret that decides: one without an estimate, or else that of the fewest bits."""
        return min(range(len(self.uses)), key=lambda i: -1.0 if (b := self.verdicts[i].bits) is None else b)

    @property
    def binding(self) -> KeyUse:
        """The secret that decides."""
        return self.uses[self.weakest]

    @property
    def bits(self) -> float | None:
        """The set's bits of security; None where nobody estimates one of its secrets."""
        return self.verdicts[self.weakest].bits

    def reaches(self, bits: float) -> bool:
        """Whether every secret may be recommended for so many bits."""
        return all(said.reaches(bits) for said in self.verdicts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Each secret's warnings, with the secret that they are about."""
        pairs = zip(self.uses, self.verdicts, strict=True)
        return tuple(f"{use}: {warning}" for use, said in pairs for warning in said.warnings)

    def __str__(self) -> str:
        """Which secret decides, and what the others have."""
        others = [i for i in range(len(self.uses)) if i != self.weakest]
        said = f"{self.binding} decides: {_bits(self.verdicts[self.weakest])}"
        return "; ".join([said, *(f"{self.uses[i]} has {_bits(self.verdicts[i])}" for i in others)])


def judge_keys(uses: Sequence[KeyUse], quantum: bool = False) -> KeysVerdict:
    """The verdict on a set that uses these secrets. Raises UsageError without any."""
    if not uses:
        raise UsageError("a set without a secret has no security", "give at least its main secret")
    asked = [use.asked(quantum) for use in uses]
    said = (verdict(a.problem, a.n, a.log_q, a.secret, a.quantum, a.sigma) for a in asked)
    return KeysVerdict(tuple(uses), tuple(said))


def allows(uses: Sequence[KeyUse], level: int, quantum: bool = False) -> bool:
    """Whether every secret may be recommended for `level` bits, by the rule that decides for it."""
    return all(use.log_q <= use.asked(quantum).allowed(level or STANDARD) for use in uses)


@dataclass(frozen=True, slots=True, eq=False)
class KeyColumns:
    """The same secret of many sets; all fields but the secret broadcast against each other."""

    ring_dimension: ArrayLike
    log_q: ArrayLike
    secret: str
    sigma: ArrayLike = SIGMA


def least_bits(uses: Sequence[KeyColumns], quantum: bool = False) -> tuple[Floats, Ints]:
    """(bits of security of many sets, the place of the secret that decides), from the tables."""
    given = (security_bits(use.ring_dimension, use.log_q, use.secret, use.sigma, quantum) for use in uses)
    bits = np.stack(np.broadcast_arrays(*(np.atleast_1d(found) for found in given)))
    return bits.min(axis=0), bits.argmin(axis=0)


def _bits(said: Verdict) -> str:
    return "no estimate" if said.bits is None else f"{int(said.bits)} bits"
