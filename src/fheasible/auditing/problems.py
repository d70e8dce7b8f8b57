"""What is wrong with a set, or worth knowing, each with its remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

from fheasible.auditing.capability import Capability, bits_of, refusal_of
from fheasible.auditing.found import Found
from fheasible.auditing.security import BINARY, Secure
from fheasible.exploration.problem.wish import LEAST_BITS
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.security.verdict import floored
from fheasible.units import power_of_two

INSECURE, WARNING, NOTE = "insecure", "warning", "note"
_LEAST_ROOM_BITS = 1.0  # between the first prime and the scale, so that 1 fits with its sign
_NEAR_BITS = 1.0  # how far a prime may be from the scale


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind` is INSECURE, WARNING or NOTE."""

    kind: str
    about: str
    said: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.said}. {self.remedy[:1].upper()}{self.remedy[1:]}." if self.remedy else f"{self.said}."


def problems(
    found: Found, p: Parameters | None, secure: Secure | None, able: Capability | None
) -> Iterator[Finding]:
    """The findings on a set, those on its security first. What is None could not be judged."""
    if secure is not None:
        yield from _security(found, secure)
    yield from _check(found, secure)
    if secure is not None:
        yield from _secret(found, secure)
        yield from _ring(secure)
    yield from _special(found)
    yield from _scale(found)
    yield from _last_level(found)
    if p is not None and p.scheme != "ckks":
        yield from _slots(found, p)
    if able is not None:
        yield from _precision(able)


def _security(found: Found, secure: Secure) -> Iterator[Finding]:
    if secure.secure:
        return
    title, rings = library(found.library).title, secure.ring
    yield Finding(
        INSECURE, "security",
        f"log2 QP = {secure.asked.log_q:.1f} is above {_limits(secure)}: it has about {int(secure.bits)} bits"
        + (f". {title}'s own older table calls it {secure.own_bits}-bit secure" if secure.own_bits else ""),
        f"take N = {power_of_two(rings)} or smaller primes" if rings else "take a smaller modulus",
    )  # fmt: skip


def _limits(secure: Secure) -> str:
    """What the rule that decides allows at this N, and beside an estimate what the Guidelines have."""
    least, ternary = floored(secure.limit), secure.ternary_limit
    bits, ring = f"for {secure.level} bits", f"at N = {power_of_two(secure.asked.n)}"
    if secure.tabled:
        return f"the {least:g} that the Security Guidelines 2024 allow {bits} {ring}"
    said = f"the {least:g} that today's estimate allows {bits} {ring} with such a secret or such errors"
    if ternary is not None and secure.asked.log_q > ternary:
        said += f", and above the Security Guidelines' {ternary:g} for a ternary secret"
    return said


def _check(found: Found, secure: Secure | None) -> Iterator[Finding]:
    title = library(found.library).title
    if found.checked is False:
        unsafe = secure is None or not secure.secure
        yield Finding(
            WARNING if unsafe else NOTE, "check",
            f"the file switches off {title}'s check of the security level", "ask for 128 bits",
        )  # fmt: skip
    if found.scheme is not None and found.checked and (reason := refusal_of(found)):
        yield Finding(WARNING, "refused", f"{title} refuses this set: {reason}", "")


def _secret(found: Found, secure: Secure) -> Iterator[Finding]:
    kind, n = secure.asked.secret, secure.asked.n
    if kind == BINARY:
        yield Finding(
            WARNING, "secret",
            f"the secret has {found.weight:,} coefficients that are not 0, as many as the ring has: each is "
            "1 or -1, which is as hard to find as a binary secret and easier than a ternary one",
            f"take a uniform ternary secret, or about {round(2 * n / 3):,} coefficients",
        )  # fmt: skip
    elif kind.startswith("sparse"):
        weight = f"of {found.weight:,} coefficients that are not 0 " if found.weight else ""
        yield Finding(
            WARNING, "secret",
            f"the secret {weight}is sparse: the Guidelines have no row for it, so that only the estimate of "
            f"about {int(secure.bits)} bits counts",
            "take a uniform ternary secret unless a bootstrap needs a sparse one",
        )  # fmt: skip


def _ring(secure: Secure) -> Iterator[Finding]:
    if secure.secure and secure.ring is not None and secure.ring < secure.asked.n:
        yield Finding(
            NOTE, "ring",
            f"N = {power_of_two(secure.ring)} is secure enough for this modulus: the larger ring makes every "
            "operation slower",
            "take it, unless the slots of the larger ring are needed",
        )  # fmt: skip


def _special(found: Found) -> Iterator[Finding]:
    q, p = bits_of(found)
    if not q or p is None:
        return
    if not p:
        yield Finding(
            WARNING, "special primes",
            "there is no special prime, so that nothing can be relinearised or rotated",
            f"add one of {max(q)} bits",
        )  # fmt: skip
        return
    digit = max(sum(q[i : i + len(p)]) for i in range(0, len(q), len(p)))
    if sum(p) < digit:
        what = "the special prime has" if len(p) == 1 else "the special primes have"
        digits = "the largest prime of Q" if len(p) == 1 else "the largest digit of Q"
        yield Finding(
            WARNING, "special primes",
            f"{what} {sum(p)} bits and {digits} {digit}: key switching adds about 2^{digit - sum(p)} times "
            "the noise",
            f"give P at least {digit} bits",
        )  # fmt: skip


def _scale(found: Found) -> Iterator[Finding]:
    q, _ = bits_of(found)
    if found.scheme != "ckks" or found.scale_bits is None or not q or len(q) < 2:
        return
    exact = [log2(x) for x in found.primes] if found.primes else [float(b) for b in q]
    far = [bits for bits in exact[1:] if abs(bits - found.scale_bits) > _NEAR_BITS]
    if far:
        worst = max(far, key=lambda bits: abs(bits - found.scale_bits))  # type: ignore[operator]
        after = 2 * found.scale_bits - worst
        yield Finding(
            WARNING, "scale",
            f"the scale has {found.scale_bits:g} bits, but {len(far)} of the {len(q) - 1} primes that "
            f"rescaling removes are far from it: after one by {worst:.0f} bits the scale has {after:.0f}",
            f"take primes of {found.scale_bits:.0f} bits, or a scale of the primes' size",
        )  # fmt: skip


def _last_level(found: Found) -> Iterator[Finding]:
    q, _ = bits_of(found)
    first = q[0] if q else found.settings.get("first_bits")
    if found.scheme != "ckks" or found.scale_bits is None or first is None:
        return
    room = first - 1 - found.scale_bits  # values have a sign
    most = f"2^{room:.0f}" if room >= 0 else f"2^-{-room:.0f}"
    small = room < _LEAST_ROOM_BITS
    yield Finding(
        WARNING if small else NOTE, "last level",
        f"at the last level the prime of {first} bits leaves room for values below {most} at the scale of "
        f"{found.scale_bits:g} bits",
        "take a smaller scale, or a larger first prime" if small else "",
    )  # fmt: skip


def _slots(found: Found, p: Parameters) -> Iterator[Finding]:
    assert p.scheme != "ckks"
    if found.plain_modulus is not None and p.plain_modulus != found.plain_modulus:
        yield Finding(
            NOTE, "plaintext modulus",
            f"t = {found.plain_modulus:,} gives no slots in this ring; depth is judged for t = "
            f"{p.plain_modulus:,}",
            "take that one, if vectors are to be computed on",
        )  # fmt: skip


def _precision(able: Capability) -> Iterator[Finding]:
    if able.why:
        yield Finding(WARNING, "depth", able.why, "")
    if able.bits is not None and able.bits < LEAST_BITS:
        yield Finding(
            WARNING, "precision",
            f"after {able.depth} squarings only {max(able.bits, 0):.1f} bits are right",
            "take a larger scale",
        )  # fmt: skip
