"""The candidate of the parameters that the user gave, in place of the search."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.encodings import MOST_BITS, Encoding, encoded_as
from fheasible.exploration.lookups.search import candidate_of
from fheasible.exploration.lookups.space import Tried, as_encoded
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.lowering.lookups.fixed import MOST_FRACTION
from fheasible.schemes.lookups import LookupParameters
from fheasible.schemes.tfhe.parameters import (
    Gadget,
    Gaussian,
    ModulusSwitch,
    Order,
    TfheParameters,
    TUniform,
)
from fheasible.units import listing

_WHOLE: Final[Mapping[str, tuple[int, int]]] = {  # the least and the most
    "message": (2, 1 << MOST_BITS),
    "carry": (1, 1 << MOST_BITS),
    "fraction": (0, MOST_FRACTION),
    "lwe_dimension": (1, 1 << 12),
    "glwe_dimension": (1, 64),
    "polynomial_size": (64, 1 << 17),
    "pbs_base_log": (1, 64),
    "pbs_level": (1, 64),
    "ks_base_log": (1, 64),
    "ks_level": (1, 64),
    "grouping": (1, 4),
    "lwe_tuniform": (0, 63),
    "glwe_tuniform": (0, 63),
}
_PARTS = ("lwe_gaussian", "glwe_gaussian")
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "order": tuple(Order),
    "modulus_switch": tuple(ModulusSwitch),
}
_POWERS = ("message", "carry", "polynomial_size")
_REQUIRED = (
    "lwe_dimension", "glwe_dimension", "polynomial_size", "pbs_base_log", "pbs_level", "ks_base_log",
    "ks_level",
)  # fmt: skip
KNOWN = ("set", *_WHOLE, *_PARTS, *_WORDS)
USUAL = Encoding(4, 4)


def chosen(
    problem: Problem,
    library: LookupLibrary,
    scheme: str | None,
    settings: Mapping[str, str],
    wish: Wish,
    profile: LookupProfile | None,
    threads: int = 1,
) -> LookupCandidate:
    """The candidate of `key=value` settings: a named set, or all parameters of one.

    UsageError for settings that are unknown, missing or of another kind, UnknownName for a set that the
    library does not have, InfeasibleParameters where it cannot run with it, CircuitError where the encoding
    cannot express the application.
    """
    given = {known(key): text for key, text in settings.items()}
    values = {name: value_of(name, text) for name, text in given.items() if name != "set"}
    tried = _named(library, given["set"], values) if "set" in given else _own(library, scheme, values)
    most = library.most_values(tried.parameters)
    encoding = _encoding(problem, tried.parameters, most, values, wish)
    way = encoded_as(problem, encoding)
    tried = Tried(tried.name, tried.scheme, as_encoded(tried.parameters, way))
    refusal = library.refusal(tried.scheme, tried.parameters)
    if refusal:
        raise InfeasibleParameters(
            f"{library.title} cannot run with this set: {refusal}",
            f"take one of its sets, --param set={_some(library)}",
        )
    from fheasible.security.tfhe import security_bits  # which loads scipy

    bits = security_bits(tried.parameters, wish.quantum)
    return candidate_of(library, way, tried, bits, wish, profile, threads)


def known(key: str) -> str:
    """The name of a parameter as typed. UsageError where TFHE has none of that name."""
    name = key.lower().replace("-", "_")
    if name not in KNOWN:
        raise UsageError(f"table look-ups have no parameter {key!r}", f"choose among {', '.join(KNOWN)}")
    return name


def value_of(name: str, text: str) -> Any:
    """The value that the text stands for. UsageError where the parameter cannot have it."""
    if name in _WORDS:
        if text.lower() not in _WORDS[name]:
            raise UsageError(f"{name}={text!r} is unknown", f"choose one of {', '.join(_WORDS[name])}")
        return text.lower()
    if name in _PARTS:
        return _part(name, text)
    least, most = _WHOLE[name]
    if not text.isdecimal() or not least <= int(text[:20]) <= most:
        raise UsageError(
            f"{name}={text!r} is not a whole number from {least} to {most:,}", f"write {name}={max(least, 4)}"
        )
    if name in _POWERS and int(text) & (int(text) - 1):
        raise UsageError(
            f"{name}={text} is not a power of two", f"write {name}={1 << (int(text).bit_length() - 1)}"
        )
    return int(text)


def _part(name: str, text: str) -> float:
    """A standard deviation as a part of the torus."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not (isfinite(found) and 0 <= found < 0.5):
        raise UsageError(
            f"{name}={text!r} is not a standard deviation from 0 to 0.5, as a part of the torus",
            f"write {name}=2.8e-6",
        )
    return found


def _named(library: LookupLibrary, name: str, values: Mapping[str, Any]) -> Tried:
    also = [key for key in values if key not in ("message", "carry", "fraction")]
    if also:
        raise UsageError(
            f"set={name} gives all parameters, but {listing(also)} is given, too",
            "leave one of them out: message, carry and fraction may stand beside a set",
        )
    found = library.named_set(name)
    return Tried(found.name, found.scheme, found.parameters)


def _own(library: LookupLibrary, scheme: str | None, values: Mapping[str, Any]) -> Tried:
    if not library.custom:
        raise UsageError(
            f"{library.title} runs with its own sets alone", f"give one: --param set={_some(library)}"
        )
    missing = [name for name in _REQUIRED if name not in values]
    errors = [_errors(key, values) for key in ("lwe", "glwe")]
    missing += [
        f"{key}_tuniform" for key, found in zip(("lwe", "glwe"), errors, strict=True) if found is None
    ]
    if missing:
        raise UsageError(
            f"a set of TFHE also needs {', '.join(missing)}",
            f"add {' '.join(f'--param {name}=...' for name in missing)}, or take a set of {library.title}: "
            f"--param set={_some(library)}",
        )
    pbs, ks = (Gadget(values[f"{key}_base_log"], values[f"{key}_level"]) for key in ("pbs", "ks"))
    for key, gadget in (("pbs", pbs), ("ks", ks)):
        if gadget.bits > 64:
            raise UsageError(
                f"{key}_base_log={gadget.base_log} times {key}_level={gadget.level} is more than the 64 bits "
                "of the torus",
                f"write {key}_level={64 // gadget.base_log}",
            )
    lwe, glwe = errors
    assert lwe is not None
    assert glwe is not None
    return Tried(
        "",
        scheme or library.schemes[0],
        TfheParameters(
            lwe_dimension=values["lwe_dimension"],
            glwe_dimension=values["glwe_dimension"],
            polynomial_size=values["polynomial_size"],
            lwe_errors=lwe,
            glwe_errors=glwe,
            pbs=pbs,
            ks=ks,
            message_modulus=values.get("message", USUAL.message),
            carry_modulus=values.get("carry", USUAL.carry),
            order=Order(values.get("order", Order.KS_PBS)),
            modulus_switch=ModulusSwitch(values.get("modulus_switch", ModulusSwitch.STANDARD)),
            grouping=values.get("grouping", 1),
        ),
    )


def _errors(key: str, values: Mapping[str, Any]) -> Gaussian | TUniform | None:
    tuniform, gaussian = values.get(f"{key}_tuniform"), values.get(f"{key}_gaussian")
    if tuniform is not None and gaussian is not None:
        raise UsageError(f"{key}_tuniform and {key}_gaussian are both given", "leave one of them out")
    if tuniform is not None:
        return TUniform(tuniform)
    return None if gaussian is None else Gaussian(gaussian)


def _encoding(
    problem: Problem, p: LookupParameters, most: int, values: Mapping[str, Any], wish: Wish
) -> Encoding:
    """The encoding that is asked for, or that of the set, whose ciphertexts hold up to `most` values."""
    message, carry = values.get("message", p.message_modulus), values.get("carry", p.carry_modulus)
    if "message" in values and "carry" not in values:
        carry = max(p.plaintext_modulus // message, 1)
    if "carry" in values and "message" not in values:
        message = max(p.plaintext_modulus // carry, 2)
    if message * carry > most and "carry" in values:
        raise UsageError(
            f"message={message} times carry={carry} is {message * carry}, but the ciphertexts of this set "
            f"hold {most} values",
            f"write message={p.message_modulus} and carry={p.carry_modulus}, or take a larger set",
        )
    if "fraction" in values and not problem.real:
        raise UsageError(
            f"fraction={values['fraction']} was given, but {problem.circuit.name} computes on integers",
            "leave fraction out",
        )
    fraction = values.get("fraction", _usual_fraction(wish) if problem.real else None)
    return Encoding(message, carry, fraction)


def _usual_fraction(wish: Wish) -> int:
    """Bits after the point where none are given: two more than the bits of precision that are asked for."""
    return int(wish.least.value) + 2 if wish.least.in_bits else 12


def _some(library: LookupLibrary) -> str:
    return next((each.name for each in library.named.values()), "NAME")
