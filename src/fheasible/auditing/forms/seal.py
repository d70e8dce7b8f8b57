"""Microsoft SEAL's EncryptionParameters, in C++ and in Python, and TenSEAL's contexts, made of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any, Final

from fheasible.auditing.found import Bits, Found, Taken
from fheasible.auditing.values import Assigned, Call, Statement, Symbol, shown
from fheasible.errors import InfeasibleParameters
from fheasible.libraries.seal.rules import NAME, create

_SCHEMES: Final = {"ckks": "ckks", "bfv": "bfv", "bgv": "bgv"}
_LEVELS: Final = {"none": None, "tc128": 128, "tc192": 192, "tc256": 256}
_WRAPPER: Final = "TenSEAL (Python)"

# CoeffModulus::BFVDefault for 128 bits: log2 of the primes, the special one last (hestdparms.h and
# util/globals.cpp [SEAL]).
DEFAULTS: Final[dict[int, Bits]] = {
    1024: (27,), 2048: (54,), 4096: (36, 36, 37), 8192: (43, 43, 44, 44, 44),
    16384: (48, 48, 48, 49, 49, 49, 49, 49, 49),
    32768: (55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 56),
}  # fmt: skip


@dataclass(slots=True)
class _Set:
    """A set whose settings are still being read."""

    form: str
    line: int
    scheme: str | None = None
    taken: Taken = field(default_factory=Taken)
    given: dict[str, Any] = field(default_factory=dict)


def read(statements: Sequence[Statement], language: str) -> Iterator[Found]:
    """Every object of EncryptionParameters and every context of TenSEAL, with what is set on it."""
    open_sets: dict[str, _Set] = {}
    every: list[_Set] = []
    for statement in statements:
        if isinstance(statement, Assigned):
            made = _declared(statement.value, f"SEAL ({language})", statement.line)
            if made:
                open_sets[statement.name] = made
                every.append(made)
            elif statement.name.endswith(".global_scale") and statement.name.rpartition(".")[0] in open_sets:
                one = open_sets[statement.name.rpartition(".")[0]]
                one.given["scale"] = one.taken.number("the scale", statement.value, statement.line)
            elif isinstance(statement.value, Call) and statement.value.last == "SEALContext":
                _checked(open_sets, statement.value)
        elif statement.receiver in open_sets:
            _set(open_sets[statement.receiver], statement)
        elif statement.last == "SEALContext":
            _checked(open_sets, statement)
    scales = list(_scales(statements))
    for i, one in enumerate(every):
        end = every[i + 1].line if i + 1 < len(every) else None
        own = [s for s in scales if s[0] >= one.line and (end is None or s[0] < end)]
        yield _found(one, next(iter(own or scales), None))


def _declared(value: Any, form: str, line: int) -> _Set | None:
    """The set that the value begins; None where it begins none."""
    if not isinstance(value, Call):
        return None
    if value.last == "EncryptionParameters":
        one = _Set(form, line)
        one.scheme = one.taken.word("the scheme", value.argument(0, "scheme"), line, _SCHEMES)
        return one
    if value.last.lower() == "context" and _of_wrapper(value):
        return _context(value, line)
    return None


def _of_wrapper(call: Call) -> bool:
    scheme = call.argument(0, "scheme")
    return isinstance(scheme, Symbol) and "SCHEME_TYPE" in scheme.name


def _context(call: Call, line: int) -> _Set:
    one = _Set(_WRAPPER, line)
    taken = one.taken
    one.scheme = taken.word("the scheme", call.argument(0, "scheme"), line, _SCHEMES)
    one.given["ring_dimension"] = taken.ring(call.argument(1, "poly_modulus_degree"), line)
    modulus = call.argument(2, "plain_modulus")
    one.given["plain_modulus"] = taken.whole("the plaintext modulus", modulus, line)
    chain = call.argument(3, "coeff_mod_bit_sizes")
    sizes = taken.sizes("the primes' sizes", chain, line)
    if chain is None or chain == ():
        sizes = _default(one, call.argument(1, "poly_modulus_degree"), line)
    _chain(one, sizes)
    return one


def _set(one: _Set, call: Call) -> None:
    value = call.argument(0)
    match call.last:
        case "set_poly_modulus_degree":
            one.given["ring_dimension"] = one.taken.ring(value, call.line)
        case "set_plain_modulus":
            one.given["plain_modulus"] = _plain_modulus(one, value, call.line)
        case "set_coeff_modulus":
            _coefficients(one, value, call.line)


def _coefficients(one: _Set, value: Any, line: int) -> None:
    if isinstance(value, Call) and value.last in ("Create", "CreateCoeffModulus"):
        _chain(one, one.taken.sizes("the primes' sizes", value.argument(1), line))
    elif isinstance(value, Call) and value.last == "BFVDefault":
        level = value.argument(1)
        if level is not None and one.taken.word("the security level", level, line, {"tc128": 128}) is None:
            return
        _chain(one, _default(one, value.argument(0), line))
    else:
        one.taken.sizes(
            "the coefficient modulus", value if not isinstance(value, tuple) else shown(value), line
        )


def _default(one: _Set, ring: Any, line: int) -> Bits | None:
    n = one.taken.ring(ring, line)
    if n is not None and n not in DEFAULTS:
        one.taken.unread.append(f"line {line}: BFVDefault has no primes for N = {n:,}")
    return DEFAULTS.get(n or 0)


def _chain(one: _Set, sizes: Bits | None) -> None:
    """SEAL's last prime is the special one; with a single prime there is none, and no key switching."""
    if sizes:
        alone = len(sizes) == 1
        one.given["prime_bits"] = sizes if alone else sizes[:-1]
        one.given["special_bits"] = () if alone else sizes[-1:]


def _plain_modulus(one: _Set, value: Any, line: int) -> int | None:
    if isinstance(value, Call) and value.last == "Batching":
        bits = one.taken.whole("the plaintext modulus' size", value.argument(1), line, 60)
        n = one.taken.ring(value.argument(0), line)
        return None if bits is None or n is None else _batching(n, bits)
    return one.taken.whole("the plaintext modulus", value, line)


def _batching(n: int, bits: int) -> int | None:
    """The prime of PlainModulus::Batching, the first that CoeffModulus::Create finds."""
    try:
        return create(n, (bits,))[0]
    except InfeasibleParameters:
        return None


def _checked(open_sets: dict[str, _Set], call: Call) -> None:
    """Notes the security level that a SEALContext is asked to check: by default 128 bits."""
    level, about = call.argument(2, "sec_level"), call.argument(0, "parms")
    if not isinstance(level, Symbol) or level.last not in _LEVELS:
        return
    for one in open_sets.values():
        if len(open_sets) == 1 or (isinstance(about, Call) and one.line == about.line):
            bits = _LEVELS[level.last]
            one.given |= {"security": bits, "checked": bits is not None}


def _scales(statements: Sequence[Statement]) -> Iterator[tuple[int, Any]]:
    """(line, value) of each scale: what a name such as `scale` is given, or what `encode` takes."""
    for s in statements:
        if isinstance(s, Assigned) and s.name.rpartition(".")[2].lower() in _NAMES:
            yield s.line, s.value
        elif isinstance(s, Call) and s.last == "encode":
            yield from ((s.line, v) for v in s.arguments[1:] if isinstance(v, int | float) and v >= 2**10)


_NAMES: Final = ("scale", "initial_scale", "default_scale")


def _found(one: _Set, scale: tuple[int, Any] | None) -> Found:
    given = {"security": 128, "checked": True} | one.given
    exact = given.pop("scale", None)
    bits = log2(exact) if exact else None
    if bits is None and one.scheme == "ckks" and scale is not None:
        size = one.taken.number("the scale", scale[1], scale[0])
        bits = log2(size) if size else None
    if one.scheme == "ckks":
        given.pop("plain_modulus", None)
        if bits is None:
            one.taken.unread.append("no scale is set that can be read: the size of Q's last prime is taken")
    if "prime_bits" not in given and not one.taken.unread:
        one.taken.unread.append(f"line {one.line}: the primes are not set in this file")
    return Found(
        one.form, NAME, one.line, one.scheme, scale_bits=bits, unread=tuple(one.taken.unread), **given
    )
