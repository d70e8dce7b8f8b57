"""Assesses parameter sets, one or ten thousand: every attack's cost by one model, beside what tables say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fheasible.aliases import Floats, Json
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.security.advice import plain_words
from fheasible.security.asked import AskedSecurity
from fheasible.security.attacks.ntru import estimate_key
from fheasible.security.attacks.reduction import DEFAULT, DEFAULT_QUANTUM, model_named
from fheasible.security.estimator import Estimates, estimate
from fheasible.security.lookup import NTRU, known_problem
from fheasible.security.tables import ENFORCED, GUIDELINES_2024, LEVELS, SIGMA, USUAL_SIGMA, SecurityTable
from fheasible.security.verdict import verdict

LARGEST = 1 << 20  # n and log2 q that are assessed
_NARROWEST = 0.1  # width of errors: narrower ones, rounded to integers, are all 0
_ROOM_BITS = 4.0  # by which the modulus must exceed the errors' width: the formulas hold for sigma < q / 16
_DOUBLES = 1000.0  # 2^1000 still fits into a double
TABLES: Mapping[str, SecurityTable] = MappingProxyType({"guidelines_2024": GUIDELINES_2024, **ENFORCED})


@dataclass(frozen=True, slots=True)
class Attackers:
    """The problem that attackers face, and the cost model by which their work is priced."""

    problem: str
    model: str
    quantum: bool

    @staticmethod
    def of(problem: str, model: str | None = None, quantum: bool = False) -> "Attackers":
        """Attackers on a known problem, priced by a known model or, without one, by the default model.

        Raises UnknownName with the choices, and UsageError for a classical model of quantum attackers.
        """
        priced = model_named(model or (DEFAULT_QUANTUM if quantum else DEFAULT))
        if quantum and not priced.quantum:
            raise UsageError(
                f"{priced.name} is a model of classical attackers, but --quantum was given",
                f"leave --model out to take {DEFAULT_QUANTUM}, or leave --quantum out",
            )
        return Attackers(known_problem(problem.lower()), priced.name, priced.quantum)


@dataclass(frozen=True, slots=True, eq=False)
class AssessedSets:
    """Parameter sets, one entry for each; `log_q` is log2 of the whole modulus."""

    n: Floats
    log_q: Floats
    sigma: Floats
    secrets: tuple[str, ...]

    @staticmethod
    def product(
        n: Sequence[int], log_q: Sequence[float], secret: str, sigma: float = SIGMA
    ) -> "AssessedSets":
        """Sets that combine every ring with every modulus, with one secret and width of errors for all."""
        rings, moduli = (part.ravel() for part in np.meshgrid(n, log_q, indexing="ij"))
        return AssessedSets.alike(rings, moduli, secret, sigma)

    @staticmethod
    def alike(n: ArrayLike, log_q: ArrayLike, secret: str, sigma: float = SIGMA) -> "AssessedSets":
        """Sets of rings and moduli in pairs, with one secret and width of errors for all."""
        rings, moduli = np.asarray(n, dtype=np.float64), np.asarray(log_q, dtype=np.float64)
        return AssessedSets(rings, moduli, np.full(rings.shape, float(sigma)), (secret,) * len(rings))

    def __len__(self) -> int:
        return len(self.n)


@dataclass(frozen=True, slots=True, eq=False)
class Assessed:
    """The sets with their cheapest attacks and the costs of all attacks, in the order of the sets."""

    attackers: Attackers
    sets: AssessedSets
    bits: Floats
    attack: np.ndarray
    block_size: np.ndarray
    costs: tuple[
        tuple[Estimates, int], ...
    ]  # for each set: the estimates that contain it, and its index in them

    def __len__(self) -> int:
        return len(self.sets)

    def asked(self, i: int) -> AskedSecurity:
        s = self.sets
        n, log_q, sigma = int(s.n[i]), float(s.log_q[i]), float(s.sigma[i])
        return AskedSecurity(self.attackers.problem, n, log_q, s.secrets[i], sigma, self.attackers.quantum)

    def row(self, i: int) -> Json:
        """The figures of set `i`, by name."""
        asked = self.asked(i)
        return {
            "problem": asked.problem,
            "n": asked.n,
            "log_q": asked.log_q,
            "secret": asked.secret,
            "sigma": asked.sigma,
            "model": self.attackers.model,
            "quantum": self.attackers.quantum,
            "bits": float(self.bits[i]),
            "attack": str(self.attack[i]),
            "block_size": int(self.block_size[i]),
            "standard_bits": asked.standard_bits(),
            "library_bits": asked.library_bits(),
            "overstretched": asked.overstretched,
        }

    def attacks(self, i: int) -> Json:
        """The figures of every attack on set `i`, by the attack's name."""
        estimates, place = self.costs[i]
        return {name: _attack(cost, place) for name, cost in estimates.costs.items()}

    def document(self, i: int) -> Json:
        """The figures of set `i`, every attack on it, the tables' limits, warnings and advice."""
        asked, bits, attacks = self.asked(i), float(self.bits[i]), self.attacks(i)
        best = attacks[str(self.attack[i])]
        said = verdict(
            asked.problem, asked.n, asked.log_q, asked.secret, asked.quantum, asked.sigma, bits=bits
        )
        words = plain_words(
            asked, bits, str(self.attack[i]), best["block_size"], best["dimension"], self.attackers.model
        )
        limits = {
            name: {str(level): asked.limit(level, table) for level in LEVELS}
            for name, table in TABLES.items()
        }
        told = {"limits": limits, "warnings": list(said.warnings), "advice": words}
        return self.row(i) | {"attacks": attacks} | told


def assess(sets: AssessedSets, attackers: Attackers) -> Assessed:
    """The cheapest attack on each set, among all attacks that are known on its secret.

    Raises InfeasibleParameters for what is not such a problem, and UnknownName for another secret.
    """
    _check(sets)
    ask = estimate_key if attackers.problem == NTRU else estimate
    names = np.array(sets.secrets)
    found: list[tuple[Estimates, np.ndarray]] = []
    for secret in dict.fromkeys(sets.secrets):
        here = np.flatnonzero(names == secret)
        found.append((ask(sets.n[here], sets.log_q[here], secret, sets.sigma[here], attackers.model), here))
    order = np.argsort(np.concatenate([here for _, here in found]))

    def column(name: str) -> np.ndarray:
        joined: np.ndarray = np.concatenate([getattr(e, name) for e, _ in found])[order]
        return joined

    places = [(estimates, place) for estimates, here in found for place in range(len(here))]
    return Assessed(
        attackers,
        sets,
        column("bits"),
        column("attack"),
        column("block_size"),
        tuple(places[i] for i in order),
    )


def _check(sets: AssessedSets) -> None:
    """Raises InfeasibleParameters for sets that the estimator's formulas were not made for.

    The estimator itself refuses what is not a problem at all.
    """
    for name, given, least in (("n", sets.n, 1.0), ("log2 q", sets.log_q, 1.0)):
        wrong = (given > LARGEST) | ((given > 0) & (given < least))
        if wrong.any():
            raise InfeasibleParameters(
                f"{name} = {given[wrong][0]:g} is outside the range of the estimator",
                f"take {least:g} to {LARGEST:,}",
            )
    _check_errors(sets)


def _check_errors(sets: AssessedSets) -> None:
    """Raises InfeasibleParameters for errors that no library draws.

    These are errors that are nearly all 0, or so wide that they fill the modulus.
    """
    positive, bits = (sets.sigma > 0) & np.isfinite(sets.sigma), np.maximum(sets.log_q, 0.0) - _ROOM_BITS
    widest = np.maximum(np.exp2(np.minimum(bits, _DOUBLES)), USUAL_SIGMA)
    wrong = positive & ((sets.sigma < _NARROWEST) | (sets.sigma > widest))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InfeasibleParameters(
            f"sigma = {sets.sigma[i]:g} is not a possible width of errors at log2 q = {sets.log_q[i]:g}",
            f"take {_NARROWEST:g} to {widest[i]:.3g}: narrower errors are all 0, and wider ones fill the"
            f" modulus; libraries draw errors of width {SIGMA:g}",
        )


def _attack(cost: Any, place: int) -> Json:
    """The figures of one attack on one set; None for a cost that does not exist or that its source lacks."""
    bits, memory = float(cost.bits[place]), float(cost.memory_bits[place])
    return {
        "bits": bits if np.isfinite(bits) else None,
        "block_size": int(cost.block_size[place]),
        "dimension": int(cost.dimension[place]),
        "guessed": int(cost.guessed[place]),
        "memory_bits": memory if np.isfinite(memory) else None,
    }
