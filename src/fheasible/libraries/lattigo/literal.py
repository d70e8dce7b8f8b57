"""A set's bootstrap as the settings from which Lattigo finds exactly its primes."""

from collections.abc import Sequence
from math import log2

from fheasible.aliases import Json

_MOST_BITS = 61  # of a prime; the scale was not added to one that has as many


def literal(told: Json) -> Json:
    """The settings, for the parameters as the worker is told them; the factors' bits follow from primes."""
    own, scale = told["bootstrap"], round(log2(told["scales"][0]))
    procedure, q = own["procedure"], [_bits(prime) for prime in own["q"]]
    at = len(told["q"])  # the primes of the set itself come first, then those of the bootstrap
    reserved = procedure["iterations"] > 1
    decode = _shares(procedure["decode_shared"], procedure["decode"])
    encode = _shares(procedure["encode_shared"], procedure["encode"])
    first = at + reserved
    after = first + len(decode)
    return {
        "q": [int(prime) for prime in own["q"]],
        "p": [int(prime) for prime in own["p"]],
        "weight": own["weight"],
        "slots": procedure["slots"],
        "encode_bits": [_parts(b, n) for b, n in zip(q[len(q) - len(encode) :], encode, strict=True)],
        "decode_bits": [
            _parts(_without(b, n, scale), n) for b, n in zip(q[first:after], decode, strict=True)
        ],
        "reduction_bits": q[after],
        "special_bits": [_bits(prime) for prime in own["p"]],
        "message_bits": procedure["message_bits"],
        "ephemeral": procedure["ephemeral"] or 0,
        **{name: procedure["reduction"][name] for name in ("bound", "degree", "doublings", "inverse_degree")},
        "wave": str(procedure["reduction"]["wave"]),
        "iterations": procedure["iterations"],
        "iteration_bits": procedure["iteration_bits"],
        "reserved_bits": q[at] if reserved else 0,
    }


def _bits(prime: str | int) -> int:
    """The bits that were asked for where Lattigo has found this prime."""
    return round(log2(int(prime)))


def _shares(shared: Sequence[int], factors: Sequence[int]) -> Sequence[int]:
    """How many factors of a transform each prime serves."""
    return shared or [1] * len(factors)


def _without(bits: int, factors: int, scale: int) -> int:
    """A prime's bits without those of the scale, which Lattigo adds."""
    return bits - scale if bits - scale >= factors and bits < _MOST_BITS else bits


def _parts(bits: int, number: int) -> list[int]:
    """So many sizes with that sum."""
    each, more = divmod(bits, number)
    return [each + more, *[each] * (number - 1)]
