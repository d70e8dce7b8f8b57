"""fheasible params: what a library makes of a request."""

from collections.abc import Iterator
from math import log2
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fheasible.aliases import Json
from fheasible.cli.session import TerminalSession
from fheasible.errors import UsageError

if TYPE_CHECKING:
    from fheasible.libraries.parameters import Parameters


def params(
    session: TerminalSession,
    library: Annotated[
        str,
        typer.Argument(metavar="LIBRARY", help="Name of a library, as `fheasible libraries list` shows it."),
    ],
    scheme: Annotated[str, typer.Argument(metavar="SCHEME", help="ckks, bgv or bfv.")],
    depth: Annotated[
        int, typer.Option(min=0, max=10_000, metavar="D", help="Levels (CKKS, BGV) or multiplications (BFV).")
    ],
    scale_bits: Annotated[int | None, typer.Option(metavar="BITS", help="Bits of the scale.")] = None,
    first_bits: Annotated[int | None, typer.Option(metavar="BITS", help="Bits of the first prime.")] = None,
    technique: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The rescaling technique, such as flexibleautoext, where the library has several.",
        ),
    ] = None,
    plain_modulus: Annotated[
        int | None, typer.Option(metavar="T", help="Plaintext modulus of BGV and BFV.")
    ] = None,
    security: Annotated[
        str, typer.Option(metavar="BITS", help="128, 192 or 256; none turns the check off.")
    ] = "128",
    quantum: Annotated[
        bool, typer.Option("--quantum", help="Also secure against quantum computers.")
    ] = False,
    batch: Annotated[int | None, typer.Option(metavar="K", help="Number of slots that are needed.")] = None,
    digits: Annotated[
        int | None, typer.Option(metavar="D", help="Number of digits in key switching.")
    ] = None,
    key_switching: Annotated[
        str | None, typer.Option(metavar="NAME", help="hybrid or bv, where the library has both.")
    ] = None,
    ring_dimension: Annotated[
        int | None, typer.Option(metavar="N", help="Ring dimension; by default the smallest secure one.")
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="uniform_ternary, gaussian or sparse_ternary, where the library has them."
        ),
    ] = None,
    eval_add_count: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="BGV and BFV: additions per level, where the library finds primes by itself."
        ),
    ] = None,
    key_switch_count: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="BGV and BFV: key switches per level, where the library finds primes by itself."
        ),
    ] = None,
    noise_estimate: Annotated[
        float | None,
        typer.Option(
            metavar="BITS",
            help="CKKS: bits of noise that decryption drowns for shared results, where the library can "
            "do this.",
        ),
    ] = None,
    prime_bits: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="Bits of each prime of Q, where the primes are the user's choice."
        ),
    ] = None,
    special_bits: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...", help="Bits of each prime of P, where the primes are the user's choice."
        ),
    ] = None,
) -> None:
    """Show the parameters that a library chooses for a request.

    They are the ring dimension, the primes and the digits, or the reason why the library refuses.

    No context is created: the library's own rules are applied, with its own security table.

    \b
    Example:
      fheasible params openfhe ckks --depth 12 --scale-bits 44 --technique flexibleautoext
      fheasible params seal bfv --depth 3 --plain-modulus 786433 --ring-dimension 16384 --json
    """
    from fheasible.exploration.judging.candidate import parameters_json, request_json
    from fheasible.libraries.catalogue import library as named
    from fheasible.libraries.catalogue import scheme_of
    from fheasible.libraries.parameters import request_for

    lib = named(library)
    request = request_for(
        scheme_of(lib, scheme), depth, security_level(security), quantum,
        scale_bits=scale_bits, first_bits=first_bits, technique=_lower(technique),
        plain_modulus=plain_modulus, batch=batch, digits=digits, key_switching=_lower(key_switching),
        ring_dimension=ring_dimension, secret=_lower(secret),
        prime_bits=_sizes("--prime-bits", prime_bits), special_bits=_sizes("--special-bits", special_bits),
        eval_add_count=eval_add_count, key_switch_count=key_switch_count, noise_estimate=noise_estimate,
    )  # fmt: skip
    made = lib.parameters(request)
    told = request_json(made.request or request)
    secure = _security(made, quantum)
    document = {"library": lib.name, "scheme": made.scheme, "request": told} | parameters_json(made)
    session.answer(document | {"security": secure}, _rendered(made, secure))


def security_level(text: str) -> int | None:
    """The bits of security that were typed; None for none. UsageError for another level."""
    from fheasible.exploration.problem.wish import SECURITY_LEVELS

    if text.lower() == "none":
        return None
    if text not in map(str, SECURITY_LEVELS):
        levels = ", ".join(map(str, SECURITY_LEVELS))
        raise UsageError(
            f"security {text} is not a level that the standards define", f"choose one of {levels}, or none"
        )
    return int(text)


def _lower(name: str | None) -> str | None:
    return name and name.lower()


def _sizes(option: str, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise UsageError(
            f"{option} {text} is not a list of whole numbers", f"write {option} 60,40,40"
        ) from None


def _security(p: "Parameters", quantum: bool) -> Json:
    """The verdicts of the guidelines and of the library's own table, the figure of the default estimate, and
    a sentence that says them."""
    from fheasible.exploration.judging.secure import guideline_bits, posed
    from fheasible.libraries.catalogue import library
    from fheasible.security.advice import enforced
    from fheasible.security.lookup import security_bits
    from fheasible.security.tables import ENFORCED, standard_bits

    n, log_qp = p.ring_dimension, p.log_qp
    family = library(p.library).family
    table = ENFORCED.get(family)
    asked = posed(p, True, quantum)  # most applications switch keys
    bits = security_bits(n, log_qp, p.secret, asked.sigma, quantum)
    judged = guideline_bits(asked)
    own = standard_bits(n, log_qp, p.secret, table, quantum) if table else None
    said = enforced(family, judged, own, bits, quantum)
    return {"bits": bits, "standard_bits": judged, "library_bits": own, "said": said}


def _rendered(p: "Parameters", secure: Json) -> Iterator[Any]:
    from fheasible.api.naming import setting
    from fheasible.cli.tables import paragraph, table
    from fheasible.units import power_of_two

    rows = [
        ("ring dimension", power_of_two(p.ring_dimension)),
        ("log2 Q", f"{p.log_q:.2f}"),
        ("log2 P", f"{p.log_p:.2f}"),
        ("log2 QP", f"{p.log_qp:.2f}"),
        ("limbs", f"{p.limbs}"),
        ("special limbs", f"{len(p.p)}"),
        ("digits", f"{p.digits}"),
        ("technique", p.technique),
        ("key switching", p.key_switching),
        ("secret", p.secret),
        ("plain modulus", "" if p.scheme == "ckks" else f"{p.plain_modulus}"),
        ("flooding", _flooding(p)),
        ("bits of Q's primes", " ".join(f"{x.bit_length()}" for x in p.q)),
        ("bits of P's primes", " ".join(f"{x.bit_length()}" for x in p.p)),
        ("primes of Q", " ".join(map(str, p.q))),
        ("primes of P", " ".join(map(str, p.p))),
    ]
    columns = (setting(p.library, p.scheme), "")
    yield table(columns, [r for r in rows if r[1]], left=columns)
    yield ""
    yield paragraph("security:", f"about {secure['bits']:.0f} bits by today's estimate. {secure['said']}")


def _flooding(p: "Parameters") -> str:
    """What decryption adds, in words; empty where it adds nothing."""
    if p.scheme != "ckks" or not p.flooding:
        return ""
    return f"2^{log2(p.flooding):.1f} per coefficient"
