"""Lattigo's ParametersLiteral in Go."""

from collections.abc import Container, Iterator, Sequence
from math import log2
from typing import Any, Final

from fheasible.auditing.found import Found, Taken
from fheasible.auditing.values import Call, Statement, Symbol
from fheasible.libraries.lattigo.rules import NAME

_SCHEMES: Final = {
    "ckks": "ckks",
    "hefloat": "ckks",
    "bgv": "bgv",
    "bfv": "bfv",
    "heint": "bgv",
    "rlwe": None,
}
_MOST = 1 << 64


def read(statements: Sequence[Statement], language: str) -> Iterator[Found]:
    """Every literal of parameters that has the ring's degree."""
    for call in statements:
        if isinstance(call, Call) and call.last == "ParametersLiteral" and "LogN" in call.named:
            yield _found(call)


def _found(call: Call) -> Found:
    given, line, taken = call.named, call.line, Taken()
    package = call.receiver.rsplit(".", 1)[-1]
    scale = _scale(given, line, taken)
    plain = taken.whole("the plaintext modulus", given.get("PlaintextModulus", given.get("T")), line)
    scheme = _SCHEMES.get(package) or ("bgv" if plain is not None else "ckks" if scale is not None else None)
    secret, weight, remarks = _secret(given, line, taken)
    if _conjugate(given.get("RingType")):
        remarks = (*remarks, CONJUGATE)
    chains = {
        "prime_bits": taken.sizes("LogQ", given.get("LogQ"), line),
        "special_bits": taken.sizes("LogP", given.get("LogP"), line),
        "primes": taken.sizes("Q", given.get("Q"), line, _MOST),
        "special_primes": taken.sizes("P", given.get("P"), line, _MOST),
    }
    return Found(
        "Lattigo (Go)", NAME, line, scheme, taken.ring_of_log(given["LogN"], line), scale_bits=scale,
        plain_modulus=plain, secret=secret, weight=weight, remarks=remarks,
        **without_switching(chains, given), unread=tuple(taken.unread),
    )  # fmt: skip


CONJUGATE: Final = (
    "the ring is the conjugate-invariant one: N real slots, and the security of dimension N; precision is "
    "that of the usual ring of N"
)


def without_switching(chains: dict[str, Any], names: Container[str]) -> dict[str, Any]:
    """The chains, with an empty P where the file, with these names, has none."""
    has = any(name in names for name in ("LogP", "P", "logp"))
    return chains if has else chains | {"special_bits": ()}


def _scale(given: Any, line: int, taken: Taken) -> float | None:
    for name in ("LogDefaultScale", "LogScale"):
        if name in given:
            return taken.number("the scale", given[name], line)
    size = taken.number("the scale", given.get("DefaultScale", given.get("Scale")), line)
    return log2(size) if size else None


def _secret(given: Any, line: int, taken: Taken) -> tuple[str, int | None, tuple[str, ...]]:
    """(kind, weight, remarks): ring.Ternary{H: 192}, ring.Ternary{P: 2.0/3}, DiscreteGaussian, or H."""
    drawn = given.get("Xs")
    if drawn is None:
        return "uniform_ternary", taken.whole("the secret's weight", given.get("H"), line) or None, ()
    if isinstance(drawn, Call) and drawn.last == "Ternary":
        weight = taken.whole("the secret's weight", drawn.named.get("H"), line)
        return "uniform_ternary", weight or None, ()
    if isinstance(drawn, Call) and drawn.last == "DiscreteGaussian":
        return "gaussian", None, ()
    taken.unread.append(f"line {line}: the secret's distribution Xs cannot be read; a ternary one is taken")
    return "uniform_ternary", None, ()


def _conjugate(value: Any) -> bool:
    return isinstance(value, Symbol) and value.last == "ConjugateInvariant"
