"""An audited parameter set as lines for a terminal."""

from collections.abc import Iterator
from math import floor

from fheasible import units
from fheasible.aliases import Json
from fheasible.api.layout import paragraph
from fheasible.api.naming import title
from fheasible.auditing.audited import Audited
from fheasible.auditing.capability import bits_of
from fheasible.auditing.instead import DEEPEST
from fheasible.security.verdict import floored


def lines(file: str, one: Audited, width: int) -> Iterator[str]:
    """What the set is, how secure, what it allows, what is wrong with it, and what to take instead."""
    found = one.found
    scheme = "a scheme that could not be read" if found.scheme is None else found.scheme.upper()
    yield f"{file}, line {found.line}: {scheme}, {found.form}"
    said = [
        ("set:", _set(one)),
        ("security:", _security(one)),
        ("allows:", _allows(one)),
        ("sizes:", _sizes(one)),
    ]
    said += [(f"{finding.kind}:", str(finding)) for finding in one.findings]
    said += _instead(one)
    said += [("note:", f"{remark}.") for remark in found.remarks]
    said += [("not read:", line) for line in found.unread]
    for head, text in said:
        if text:
            yield "  " + paragraph(head, text, width - 2).replace("\n", "\n  ")


def recommended(app: str, document: Json) -> Json:
    """What the search recommends for an application, from the document of its answer."""
    best = (document.get("candidates") or [None])[0]
    if best is None:
        return {"app": app, "fits": False}
    figures = {name: best["estimate"].get(name) for name in ("peak_bytes", "precision_bits", "security_bits")}
    own = best["parameters"]
    return {
        "app": app, "fits": True, "library": best["library"], "scheme": best["scheme"],
        "ring_dimension": own.get("ring_dimension"), "log_q": own.get("log_q"), "log_p": own.get("log_p"),
        "request": best["request"], **figures,
    }  # fmt: skip


def recommendation(told: Json, width: int) -> str:
    """The recommendation for an application in one paragraph."""
    if not told["fits"]:
        return paragraph(f"for {told['app']}:", "our search finds no set; fheasible explore says why", width)
    parts = [f"{told['scheme'].upper()} in {title(told['library'])}"]
    if told["ring_dimension"] is not None:
        parts.append(f"N = {units.power_of_two(told['ring_dimension'])}")
    if told["log_q"] is not None:
        parts.append(f"log2 QP = {told['log_q'] + (told['log_p'] or 0):.1f}")
    settings = " ".join(
        f"{name}={_setting(value)}" for name, value in told["request"].items() if name in _SHOWN
    )
    parts += [settings] if settings else []
    return paragraph(f"for {told['app']}:", f"our search takes {', '.join(parts)}", width)


_SHOWN = ("depth", "scale_bits", "prime_bits", "special_bits", "technique", "plain_modulus")


def _setting(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _set(one: Audited) -> str:
    p, found = one.parameters, one.found
    n = p.ring_dimension if p is not None else found.ring_dimension
    parts = [] if n is None else [f"N = {units.power_of_two(n)}"]
    q, special = bits_of(found)
    if p is not None and not q:
        q, special = (tuple(x.bit_length() for x in part) for part in (p.q, p.p))
    if q:
        sizes = " ".join(map(str, q)) + (f" + {' '.join(map(str, special))}" if special else "")
        parts.append(f"log2 QP = {one.log_qp:.1f} ({sizes})" if one.log_qp else sizes)
    if found.scheme == "ckks" and found.scale_bits is not None:
        parts.append(f"scale {found.scale_bits:g} bits")
    if found.plain_modulus is not None and found.scheme != "ckks":
        parts.append(f"t = {found.plain_modulus:,}")
    if one.why:
        parts.append(f"not judged further: {one.why}")
    return ", ".join(parts)


def _security(one: Audited) -> str:
    s = one.secure
    if s is None:
        return "unknown, because the ring or the modulus could not be read"
    verdict = f"{s.level}-bit secure" if s.secure else f"less than {s.level}-bit secure"
    rule = "the Security Guidelines 2024 allow" if s.tabled else "today's estimate allows"
    return (
        f"{verdict}: about {floor(s.bits)} bits by today's estimate; {rule} log2 QP up to "
        f"{floored(s.limit):g} at this N (secret: {s.asked.secret})"
    )


def _allows(one: Audited) -> str:
    able = one.able
    if able is None or able.depth is None:
        return ""
    said = f"depth {able.depth}"
    if able.bits is not None:
        values = "squarings of values in [-1, 1]" if able.depth != 1 else "squaring of values in [-1, 1]"
        said += f": after {able.depth} {values}, {max(able.bits, 0):.1f} bits of the result are right"
    if able.budget is not None:
        said += f": after {able.depth} squarings, {able.budget:.0f} bits of noise budget are left"
    return said


def _sizes(one: Audited) -> str:
    sizes, able = one.sizes, one.able
    if sizes is None:
        return ""
    said = (
        f"ciphertext {units.size(sizes.ciphertext)}, public key {units.size(sizes.public_key)}, "
        f"relinearisation key {units.size(sizes.relinearization_key)}, "
        f"each rotation key {units.size(sizes.rotation_key)}"
    )
    peak = able.peak_bytes if able else None
    return said + (f"; these squarings take {units.size(peak)} of memory" if peak else "")


def _instead(one: Audited) -> list[tuple[str, str]]:
    """Mended sets one by one, and how deep each ring is with the given scale, in one line."""
    said = [("instead:", str(other)) for other in one.instead if other.what != DEEPEST]
    deepest = [other for other in one.instead if other.what == DEEPEST]
    if deepest:
        rings = ", ".join(
            f"{other.depth} at N = {units.power_of_two(other.ring_dimension)}" for other in deepest
        )
        said.append(
            (f"deepest at {deepest[0].level} bits:", f"with this scale and few special primes, depth {rings}")
        )
    return said
