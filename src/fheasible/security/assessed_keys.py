"""Assesses a parameter set with several secrets: every attack on each of them, and which secret decides."""

from collections.abc import Sequence

import numpy as np

from fheasible.aliases import Json
from fheasible.errors import UsageError
from fheasible.security.assessment import AssessedSets, Attackers, assess
from fheasible.security.keys import KeysVerdict, KeyUse
from fheasible.security.lookup import RLWE
from fheasible.security.verdict import verdict


def assess_keys(uses: Sequence[KeyUse], attackers: Attackers) -> Json:
    """The set's bits, the secret that decides with a sentence about it, and each secret's figures by role.

    Raises UsageError for NTRU keys, and what `assess` raises.
    """
    if attackers.problem != RLWE:
        raise UsageError(
            f"there is no bootstrapping with secrets of {attackers.problem.upper()}", "leave --problem out"
        )
    sets = AssessedSets(
        np.array([use.ring_dimension for use in uses], dtype=np.float64),
        np.array([use.log_q for use in uses]),
        np.array([use.sigma for use in uses]),
        tuple(use.secret for use in uses),
    )
    found = assess(sets, attackers)
    asked = [use.asked(attackers.quantum) for use in uses]
    verdicts = tuple(
        verdict(a.problem, a.n, a.log_q, a.secret, a.quantum, a.sigma, bits=float(bits))
        for a, bits in zip(asked, found.bits, strict=True)
    )
    said = KeysVerdict(tuple(uses), verdicts)
    return {
        "bits": said.bits,
        "decides": said.binding.role,
        "verdict": str(said),
        "keys": {use.role: found.row(i) | {"attacks": found.attacks(i)} for i, use in enumerate(uses)},
        "warnings": list(said.warnings),
    }
