"""How secure a library's parameter sets are, for the search, for runs, and for their reasons and warnings.

Which errors an attacker sees follows from the library, and from whether the program switches keys
(`Library.narrowest_error`); which rule decides follows from `security/lookup.py`.
"""

from dataclasses import replace

from fheasible.exploration.judging.candidate import Candidate
from fheasible.libraries.catalogue import library
from fheasible.libraries.chain import SECRET
from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Program
from fheasible.security.asked import AskedSecurity
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
    return AskedSecurity(RLWE, p.ring_dimension, p.log_qp, p.secret, sigma, quantum)


def posed_at(c: Candidate, n: int, quantum: bool = False) -> AskedSecurity:
    """The problem that an attacker would have to solve with the candidate's modulus in the ring of n."""
    return replace(posed(c.parameters, c.program.switches_keys, quantum), n=n)


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
