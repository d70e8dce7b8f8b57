"""One set of a file with everything that is said of it."""

from dataclasses import dataclass
from functools import cached_property
from math import log2
from pathlib import Path

from fheasible.aliases import Json
from fheasible.auditing.capability import Capability, bits_of, capability, parameters_of
from fheasible.auditing.forms.reading import read
from fheasible.auditing.found import Found
from fheasible.auditing.instead import Instead, instead
from fheasible.auditing.problems import INSECURE, Finding, problems
from fheasible.auditing.security import Secure, secured
from fheasible.errors import FheasibleError
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.units import listing


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes that the library writes for one object each."""

    ciphertext: int
    public_key: int
    relinearization_key: int
    rotation_key: int


@dataclass(frozen=True)
class Audited:
    """A set as it was found, and the judgement on it. `parameters` is None where the library makes none of
    what could be read; `why` then says the reason."""

    found: Found
    parameters: Parameters | None
    why: str

    @cached_property
    def secure(self) -> Secure | None:
        """The verdict on its security; None where ring or modulus are not known."""
        n, log_qp = self.found.ring_dimension, self.log_qp
        if self.parameters is not None:
            n = self.parameters.ring_dimension
        if n is None or not log_qp:
            return None
        try:
            return secured(self.found, n, log_qp)
        except FheasibleError:  # toy rings and moduli, for which nobody estimates anything
            return None

    @property
    def log_qp(self) -> float | None:
        """log2 of QP: of the primes themselves where they are known, else the sum of their sizes."""
        if self.parameters is not None:
            return self.parameters.log_qp
        q, p = bits_of(self.found)
        exact = (self.found.primes or ()) + (self.found.special_primes or ())
        if not q or p is None:
            return None
        return sum(map(log2, exact)) if self.found.primes else float(sum(q + p))

    @cached_property
    def able(self) -> Capability | None:
        return None if self.parameters is None else capability(self.found, self.parameters)

    @cached_property
    def sizes(self) -> Sizes | None:
        p = self.parameters
        if p is None or not p.p:
            return None
        files = library(p.library).files
        return Sizes(
            files.ciphertext(p, p.limbs),
            files.public_key(p),
            files.relinearization_key(p),
            files.rotation_keys(p, 1),
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(problems(self.found, self.parameters, self.secure, self.able))

    @cached_property
    def instead(self) -> tuple[Instead, ...]:
        if self.parameters is None or self.secure is None:
            return ()
        return tuple(instead(self.found, self.parameters, self.secure))

    @property
    def insecure(self) -> bool:
        return any(finding.kind == INSECURE for finding in self.findings)

    def to_json(self) -> Json:
        p, able, sizes = self.parameters, self.able, self.sizes
        made = None
        if p is not None:
            made = {
                "ring_dimension": p.ring_dimension, "primes": list(map(str, p.q)),
                "special_primes": list(map(str, p.p)), "log_q": p.log_q, "log_p": p.log_p, "log_qp": p.log_qp,
                "digits": p.digits, "technique": p.technique, "key_switching": p.key_switching,
            }  # fmt: skip
        return {
            "found": self.found.to_json(),
            "parameters": made,
            "why_not": self.why,
            "security": self.secure.to_json() if self.secure else None,
            "depth": able.depth if able else None,
            "precision_bits": able.bits if able else None,
            "noise_budget_bits": able.budget if able else None,
            "peak_bytes": able.peak_bytes if able else None,
            "ciphertext_bytes": sizes.ciphertext if sizes else None,
            "public_key_bytes": sizes.public_key if sizes else None,
            "relinearization_key_bytes": sizes.relinearization_key if sizes else None,
            "rotation_key_bytes": sizes.rotation_key if sizes else None,
            "findings": [
                {"kind": f.kind, "about": f.about, "said": f.said, "remedy": f.remedy} for f in self.findings
            ],
            "instead": [one.to_json() for one in self.instead],
            "remarks": list(self.found.remarks),
            "insecure": self.insecure,
        }


def audit(file: Path) -> list[Audited]:
    """Every set of the file, judged. DataError where the file has none."""
    return [audited(found) for found in read(file)]


def audited(found: Found) -> Audited:
    """The set with what its library makes of it."""
    missing = _missing(found)
    if missing:
        return Audited(found, None, missing)
    try:
        return Audited(found, parameters_of(found), "")
    except FheasibleError as error:
        return Audited(found, None, error.message)


def _missing(found: Found) -> str:
    """What could not be read and is needed; empty where nothing is."""
    chooses = library(found.library).own_primes is not None
    q, special = bits_of(found)
    needed = [
        ("the scheme", found.scheme is None),
        ("the depth", chooses and found.depth is None),
        ("the ring dimension", not chooses and found.ring_dimension is None),
        ("the ring dimension", chooses and found.ring_dimension is None and found.security is None),
        ("the primes", not chooses and not q),
        ("the special primes", not chooses and special is None),
        ("the plaintext modulus", found.scheme in ("bfv", "bgv") and found.plain_modulus is None),
    ]
    if chooses and found.unread:
        return "settings that decide the parameters could not be read"
    absent = [name for name, lacks in needed if lacks]
    return f"{listing(list(dict.fromkeys(absent)))} could not be read" if absent else ""
