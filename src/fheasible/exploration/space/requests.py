"""The parameter sets that are tried: requests to each library, for a given ring or one that it picks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fheasible.circuit.degrees import Degrees
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.chain import SECRET
from fheasible.libraries.library import Library, Setting
from fheasible.libraries.parameters import Request, request_for
from fheasible.lowering.plan import SPARES, Lowerings
from fheasible.program.style import Layout, Style

SCALES = range(20, 60)
LARGEST_PRIME = 60
PRIME_BITS = range(20, LARGEST_PRIME + 1)  # of BGV's and BFV's primes
_MOST_LIMBS = 20
PARTS = (2, 4)  # vectors are split to these parts (1/2, 1/4) of the slots that they fill otherwise


@dataclass(frozen=True, slots=True)
class Choice:
    """What a search varies. The rest of a request (depth, security, plaintext modulus) follows from the
    problem and the wish."""

    style: Style
    technique: str | None = None
    scale_bits: int | None = None
    first_bits: int | None = None
    level_bits: int | None = None  # BGV: bits of every prime above the first; BFV: of all
    limbs: int | None = None  # BFV: how many primes, where the chain is the user's choice
    digits: int | None = None
    special: int | None = None  # how many special primes
    special_bits: int | None = None  # bits of each of them; None: as the largest prime of the chain
    key_switching: str | None = None
    many: int | None = None  # BGV: additions, and key switches, that a level must bear
    ring_dimension: int | None = None
    slots: int | None = None  # no vector fills more: it is split over more ciphertexts than it needs
    degrees: Degrees = ()  # of approximations that leave them open
    secret: str = SECRET
    bootstrap: BootstrapRequest | None = None  # where the style's programs have a budget of levels


def larger(choice: Choice, bits: int) -> Choice:
    """The choice with a scale, a first prime and special primes that are larger by `bits`, up to the largest
    prime."""
    sizes = (choice.scale_bits, choice.first_bits, choice.special_bits)
    scale, first, special = (None if s is None else min(s + bits, LARGEST_PRIME) for s in sizes)
    return replace(choice, scale_bits=scale, first_bits=first, special_bits=special)


def rings(library: Library) -> tuple[int, ...]:
    return tuple(n for n in RINGS if n <= library.largest_ring)


def shapes(lowerings: Lowerings, style: Style, ring: int) -> Iterator[tuple[int, int | None]]:
    """(spare levels, slots): every depth budget with vectors that fill the slots, and every packing. Only BGV
    combines both: for CKKS that would almost double the space, and hardly a set gains by it."""
    usual = lowerings.program(style, ring).slots
    spares = SPARES if style.leveled else SPARES[:1]
    yield from ((spare, None) for spare in spares)
    for part in PARTS:
        if usual >= part:
            yield from ((spare, usual // part) for spare in (spares if style.exact else SPARES[:1]))


def ckks(
    library: Library,
    technique: str,
    degrees: Degrees,
    ring: int | None,
    slots: int | None = None,
    spare: int = 0,
    as_written: bool = False,
    layout: Layout = Layout.BY_COLUMN,
) -> Iterator[Choice]:
    """The choices of CKKS with every key switching of a technique in a ring; sizes of primes are left
    open."""
    style = library.style("ckks", technique or None)
    style = replace(style, spare=spare, as_written=as_written, layout=layout)
    for digits, special in library.key_switchings():
        yield Choice(
            style, technique or None, digits=digits, special=special, ring_dimension=ring, slots=slots,
            degrees=degrees,
        )  # fmt: skip


def flooded(
    library: Library, degrees: Degrees, as_written: bool = False, layout: Layout = Layout.BY_COLUMN
) -> Iterator[Choice]:
    """The choices of CKKS where decryption must drown the noise of results: the library itself sets the
    scale, and the ring."""
    for technique in library.techniques:
        for choice in ckks(library, technique, degrees, None, as_written=as_written, layout=layout):
            yield replace(choice, scale_bits=library.flooding_scale_bits, first_bits=LARGEST_PRIME)


def integers(
    library: Library,
    scheme: str,
    ring: int,
    slots: int | None = None,
    spare: int = 0,
    as_written: bool = False,
    layout: Layout = Layout.BY_COLUMN,
) -> Iterator[tuple[Choice, ...]]:
    """Groups of choices of BGV or BFV, one group for each technique and key switching in a ring; sizes of
    primes are left open. A group of BFV has one prime of Q more in each choice, since more are needed only
    where fewer are not enough."""
    if library.own_primes is not None:
        for setting in library.integer_settings(scheme):
            style = library.style(scheme, setting.technique)
            style = replace(style, spare=spare, as_written=as_written, layout=layout)
            yield (_of_setting(setting, style, ring, slots),)
        return
    style = replace(library.style(scheme, None), spare=spare, as_written=as_written, layout=layout)
    for _, special in library.key_switchings():
        choice = Choice(style, special=special, ring_dimension=ring, slots=slots)
        counts = range(1, _MOST_LIMBS + 1) if scheme == "bfv" else (None,)
        yield tuple(replace(choice, limbs=limbs) for limbs in counts)


def _of_setting(setting: Setting, style: Style, ring: int, slots: int | None) -> Choice:
    return Choice(
        style,
        setting.technique,
        scale_bits=setting.limb_bits,
        digits=setting.digits,
        key_switching=setting.key_switching,
        many=setting.many,
        ring_dimension=ring,
        slots=slots,
    )


def request(
    choice: Choice, library: Library, security: int | None, quantum: bool, depth: int, t: int | None
) -> Request:
    """The request to the library for that choice."""
    scheme = choice.style.scheme.value
    return request_for(
        scheme,
        depth,
        security,
        quantum,
        scale_bits=choice.scale_bits,
        first_bits=choice.first_bits if scheme == "ckks" else None,
        technique=choice.technique,
        plain_modulus=t,
        digits=choice.digits,
        key_switching=choice.key_switching,
        eval_add_count=choice.many,
        key_switch_count=choice.many,
        ring_dimension=choice.ring_dimension,
        secret=choice.secret,
        prime_bits=prime_bits(choice, scheme, depth),
        special_bits=special_bits(choice, library),
        **({"bootstrap": choice.bootstrap} if choice.bootstrap else {}),
    )


def prime_bits(choice: Choice, scheme: str, depth: int) -> tuple[int, ...] | None:
    if choice.level_bits is None:
        return None
    if scheme == "bfv":
        return (choice.level_bits,) * (choice.limbs or 1)
    return (choice.first_bits or choice.level_bits, *(choice.level_bits,) * depth)


def special_bits(choice: Choice, library: Library) -> tuple[int, ...] | None:
    """The bits of the special primes, by default as large as the chain's largest prime, so that a digit's
    noise divides away; None where their number is left to the library."""
    if choice.special_bits is not None:
        return (choice.special_bits,) * (choice.special or 1)
    if choice.special is None:
        return None
    largest = max(x for x in (choice.first_bits, choice.level_bits, choice.scale_bits) if x is not None)
    return (largest,) * choice.special
