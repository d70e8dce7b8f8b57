"""OpenFHE's CCParams, in C++ and in Python: an object, and a call for each setting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from fheasible.auditing.found import Found, Taken
from fheasible.auditing.values import Assigned, Call, Statement
from fheasible.libraries.openfhe.rules import NAME

_SCHEMES: Final = {"CKKSRNS": "ckks", "BGVRNS": "bgv", "BFVRNS": "bfv"}
_LEVELS: Final = {
    "HEStd_NotSet": (None, False),
    **{f"HEStd_{bits}_classic": (bits, False) for bits in (128, 192, 256)},
    **{f"HEStd_{bits}_quantum": (bits, True) for bits in (128, 192, 256)},
}
_SECRETS: Final = {
    "UNIFORM_TERNARY": "uniform_ternary", "GAUSSIAN": "gaussian", "SPARSE_TERNARY": "sparse_ternary",
    "SPARSE_ENCAPSULATED": "sparse_encapsulated",
}  # fmt: skip
_TECHNIQUES: Final = {
    name.upper(): name for name in ("fixedmanual", "fixedauto", "flexibleauto", "flexibleautoext")
}
_COUNTS: Final = {
    "SetFirstModSize": ("first_bits", "the size of the first prime"),
    "SetScalingModSize": ("scale_bits", "the size of the scale"),
    "SetNumLargeDigits": ("digits", "the number of digits"),
    "SetBatchSize": ("batch", "the batch size"),
    "SetEvalAddCount": ("eval_add_count", "the number of additions"),
    "SetKeySwitchCount": ("key_switch_count", "the number of key switches"),
}
_BOOTSTRAPS: Final = ("EvalBootstrapSetup", "EvalBootstrap")


@dataclass(slots=True)
class _Set:
    """A set whose settings are still being read."""

    scheme: str
    line: int
    taken: Taken = field(default_factory=Taken)
    given: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


def read(statements: Sequence[Statement], language: str) -> Iterator[Found]:
    """Every object of CCParams with what is set on it until the name is given another one."""
    open_sets: dict[str, _Set] = {}
    every: list[_Set] = []
    bootstraps = any(isinstance(s, Call) and s.last in _BOOTSTRAPS for s in statements)
    for statement in statements:
        if isinstance(statement, Assigned):
            scheme = _declared(statement.value)
            if scheme:
                open_sets[statement.name] = _Set(scheme, statement.line)
                every.append(open_sets[statement.name])
        elif statement.receiver in open_sets and statement.arguments:
            _set(open_sets[statement.receiver], statement)
    for one in every:
        yield _found(one, language, bootstraps)


def _declared(value: Any) -> str | None:
    """The scheme of the CCParams that the value makes; None where it makes none."""
    if not isinstance(value, Call) or "CCParams" not in value.name:
        return None
    return next((scheme for word, scheme in _SCHEMES.items() if word in value.name), None)


def _set(one: _Set, call: Call) -> None:
    value, line, taken = call.arguments[0], call.line, one.taken
    match call.last:
        case "SetMultiplicativeDepth":
            one.given["depth"] = taken.depth(value, line)
        case "SetRingDim":
            one.given["ring_dimension"] = None if value == 0 else taken.ring(value, line)
        case "SetPlaintextModulus":
            one.given["plain_modulus"] = taken.whole("the plaintext modulus", value, line)
        case "SetSecurityLevel":
            level = taken.word("the security level", value, line, _LEVELS)
            if level is not None:
                one.given |= {"security": level[0], "quantum": level[1], "checked": level[0] is not None}
        case "SetSecretKeyDist":
            one.given["secret"] = taken.word("the secret", value, line, _SECRETS) or "uniform_ternary"
        case "SetScalingTechnique":
            one.settings["technique"] = taken.word("the technique", value, line, _TECHNIQUES)
        case "SetKeySwitchTechnique":
            kinds = {"HYBRID": "hybrid", "BV": "bv"}
            one.settings["key_switching"] = taken.word("key switching", value, line, kinds)
        case "SetNoiseEstimate":
            one.settings["noise_estimate"] = taken.number("the noise estimate", value, line)
        case name if name in _COUNTS:
            setting, what = _COUNTS[name]
            found = taken.whole(what, value, line, 1 << 30)
            one.settings[setting] = found or None  # 0 leaves it to OpenFHE


def _found(one: _Set, language: str, bootstraps: bool) -> Found:
    given = {"security": 128, "checked": True} | one.given
    settings = {name: value for name, value in one.settings.items() if value is not None}
    scale = settings.pop("scale_bits", None)
    if given.get("depth") is None and not any("the depth" in said for said in one.taken.unread):
        given["depth"] = 1  # OpenFHE's default
    remarks = ("the depth includes the levels of a bootstrap, which this file sets up",) if bootstraps else ()
    return Found(
        f"OpenFHE ({language})", NAME, one.line, one.scheme, scale_bits=scale, settings=settings,
        unread=tuple(one.taken.unread), remarks=remarks, **given,
    )  # fmt: skip
