"""How secure a library's parameter sets are, for the search, for runs, and for their reasons and warnings.

Which errors an attacker sees follows from the library, and from whether the program switches keys
(`Library.narrowest_error`); which rule decides follows from `security/lookup.py`.
"""

from dataclasses import replace
from math import log2

from fheasible.exploration.judging.candidate import Candidate
from fheasible.libraries.catalogue import library
from fheasible.libraries.chain import SECRET
from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Program
from fheasible.security.asked import AskedSecurity
from fheasible.security.keys import EPHEMERAL, KeyUse
from fheasible.security.lookup import RLWE, allowed_log_q
from fheasible.security.tables import LEVELS, STANDARD
from fheasible.security.verdict import shortfall


def limit(
    name: str, switches_keys: bool, n: int, level: int, quantum: bool = False, secret: str = SECRET
) -> float:
    """The largest log2 QP that has `level` bits of security in the ring of n, with the errors of the library
    of that name."""
    return allowed_log_q(n, secret, level, quantum, library(name).narrowest_error(switches_keys))


def most(n: int, level: int, quantum: bool = False) -> float:
    """The largest log2 QP that any library has with `level` bits of security in the ring of n."""
    return allowed_log_q(n, SECRET, level, quantum)


def posed(p: Parameters, switches_keys: bool, quantum: bool = False) -> AskedSecurity:
    """The problem that an attacker on these parameters has to solve."""
    sigma = library(p.library).narrowest_error(switches_keys)
    weight = p.bootstrap.weight if p.scheme == "ckks" and p.bootstrap else None
    secret = p.secret if weight is None else f"sparse:{weight}"
    return AskedSecurity(RLWE, p.ring_dimension, p.log_qp, secret, sigma, quantum)


def posed_at(c: Candidate, n: int, quantum: bool = False) -> AskedSecurity:
    """The problem that an attacker would have to solve with the candidate's modulus in the ring of n."""
    return replace(posed(c.parameters, c.program.switches_keys, quantum), n=n)


def keys(p: Parameters, switches_keys: bool) -> tuple[KeyUse, ...]:
    """The secrets of a set: the main one and, where a bootstrap raises the modulus in another, that one.

    While it bootstraps, the main one is used under the bootstrap's own primes. The switching key to the
    ephemeral secret has the first prime of Q and special primes of its own, or the first of P; its errors
    are as wide as those of ciphertexts.
    """
    own = library(p.library)
    main = posed(p, switches_keys)
    bootstrap = p.bootstrap if p.scheme == "ckks" else None
    if bootstrap is None:
        return (KeyUse(main.n, main.log_q, main.secret, sigma=main.sigma),)
    sigma = own.narrowest_error(switches_keys=True)
    uses = (KeyUse(main.n, main.log_q, main.secret, sigma=sigma),)
    weight = bootstrap.procedure.ephemeral
    if weight is None:
        return uses
    narrow = sum(map(log2, (bootstrap.q[0], *(bootstrap.ephemeral_p or bootstrap.p[:1]))))
    sigma = own.narrowest_error(switches_keys=False)
    return (*uses, KeyUse(main.n, narrow, f"sparse:{weight}", EPHEMERAL, sigma))


def guideline_bits(asked: AskedSecurity) -> int | None:
    """The highest level of the Guidelines' row that the set reaches with its own errors; None below the least
    level."""
    alike = AskedSecurity(asked.problem, asked.n, asked.log_q, asked.secret, quantum=asked.quantum)
    tabled = alike.standard_bits() or 0
    reached = (level for level in reversed(LEVELS) if level <= tabled and asked.log_q <= asked.allowed(level))
    return next(reached, None)


def warnings(program: Program, p: Parameters, wanted: int | None, quantum: bool = False) -> tuple[str, ...]:
    """A warning about a set with less security than `wanted`, or than `STANDARD` where nothing was wanted;
    else empty."""
    said = shortfall(posed(p, program.switches_keys, quantum), wanted or STANDARD)
    return (said,) if said else ()
