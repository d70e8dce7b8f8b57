"""The candidate of a request that the user made in place of the search."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fheasible.circuit.chebyshev import HIGHEST_DEGREE
from fheasible.circuit.composition import MOST_LEVELS, RELINEARISATIONS, Composition
from fheasible.circuit.degrees import Degree, Degrees, open_nodes
from fheasible.circuit.node import Chebyshev
from fheasible.errors import InfeasibleParameters, UnsupportedOperation, UsageError
from fheasible.estimation.profile import Profile
from fheasible.exploration.judging import sharing
from fheasible.exploration.judging.candidate import Candidate, split
from fheasible.exploration.judging.impossible import refuse_depth, refuse_wrapping
from fheasible.exploration.judging.judge import judged_estimate, wrong
from fheasible.exploration.judging.threads import serving, walls_of
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Asked, Wish
from fheasible.exploration.space import bootstraps
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.library import Library
from fheasible.libraries.parameters import REQUESTS, Parameters, Request, request_for, settings_of
from fheasible.lowering.lower import NO_BOOTSTRAPS
from fheasible.lowering.plan import Lowerings
from fheasible.noise.ckks.precision import precision
from fheasible.program.style import Layout, Style
from fheasible.program.types import Program
from fheasible.units import listing

_LISTS = (
    "prime_bits", "special_bits", "bootstrap_encode_bits", "bootstrap_decode_bits", "bootstrap_special_bits",
)  # fmt: skip
_FRACTIONS = ("noise_estimate",)
_WORDS = ("technique", "key_switching", "secret", "bootstrap_wave")
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_MOST_COUNTED = 1 << 20  # slots or levels: no library has as many
OURS = (
    "degree",
    "slots",
    "spare_levels",
    "as_written",
    "layout",
    "levels",
    "fresh_levels",
)  # settings that the library is not asked for
_RINGS = tuple(1 << k for k in range(10, 18))


def request_from(
    scheme: str, settings: dict[str, str], security: int | None, quantum: bool = False
) -> Request:
    """A request from `key=value` settings. UsageError for a key that the scheme does not have, or a value of
    another type."""
    known = settings_of(scheme)
    values: dict[str, Any] = {}
    for key, text in settings.items():
        name = key.replace("-", "_")
        if name not in known:
            of_others = any(name in settings_of(other) for other in REQUESTS)
            said = f"{scheme.upper()} has" if of_others else "there is"
            raise UsageError(f"{said} no parameter {key!r}", f"choose among {', '.join((*known, *OURS))}")
        values[name] = value_of(name, text)
    _check_ring(values.get("ring_dimension"))
    return request_for(scheme, 0, **({"security": security, "quantum": quantum} | values))


def _check_ring(n: int | None) -> None:
    if n is not None and (n < 2 or n & (n - 1)):
        raise UsageError(
            f"ring_dimension={n} is not a power of two",
            f"write ring_dimension={_RINGS[3]}, or leave ring_dimension out",
        )


def value_of(name: str, text: str) -> Any:
    """The value that the text stands for. UsageError where the setting cannot have it."""
    if name == "quantum":
        return yes_or_no(name, text)
    if not text:  # such as a variable of the shell that is not set: "no security" must not follow from it
        raise UsageError(f"--param {name}= has no value", f"write {name}=50, or leave {name} out")
    if text.lower() in ("none", "null"):
        return None
    if name in _WORDS:
        return text.lower()
    try:
        if name in _FRACTIONS:
            return float(text)
        return tuple(int(x) for x in re.split("[,+]", text)) if name in _LISTS else int(text)
    except ValueError:
        kind = "a list of whole numbers, as 60,40 (in a sweep 60+40)" if name in _LISTS else "a whole number"
        kind = "a number" if name in _FRACTIONS else kind
        raise UsageError(f"{name}={text!r} is not {kind}", f"write {name}=50") from None


def yes_or_no(name: str, text: str) -> bool:
    """The truth value that the text stands for. UsageError for anything but the usual words, since a value
    misread as "no" would cost security without a word."""
    if text.lower() not in (*_YES, *_NO):
        raise UsageError(f"{name}={text!r} is neither true nor false", f"write {name}=true or {name}=false")
    return text.lower() in _YES


def degrees_from(problem: Problem, text: str | None, asked: Asked) -> Degrees:
    """The degrees of the open approximations: those given, as "63" or "63,31", or else those that the
    precision needs.

    UsageError where the text does not give a degree for each of them.
    """
    functions = [n.attribute for n in open_nodes(problem.as_approximated)]
    names = [found.function for found in functions]
    if text is None:
        return problem.degrees_to_try(asked)[-1]
    if not names:
        raise UsageError(
            f"degree={text} was given, but {problem.circuit.name} leaves no degree open",
            "leave degree out, or take degree= and bits= out of the application's approximations",
        )
    parts = text.split(",")
    given = [_degree(found, p) for found, p in zip(functions, parts, strict=False)]
    known = [d for d in given if d is not None]
    if len(parts) != len(names) or len(known) != len(names):
        jumps = [found.jump is not None for found in functions]
        possible = listing([str(d) for d in RELINEARISATIONS])
        compositions = f", or degrees of a composition, out of {possible}, joined by x"
        raise UsageError(
            f"degree={text} does not give a degree for each of {', '.join(names)}",
            f"write degree={','.join('7x15' if jump else '63' for jump in jumps)}: whole numbers from 1 to "
            f"{HIGHEST_DEGREE}{compositions if any(jumps) else ''}",
        )
    return tuple(known)


def _degree(found: Chebyshev, text: str) -> Degree | None:
    """The degree, or the degrees of a composition, that the text gives; None where it gives none that can
    be."""
    if found.jump is None:
        return int(text) if text.isdecimal() and 1 <= int(text) <= HIGHEST_DEGREE else None
    parts = text.split("x")
    degrees = Composition(int(p) for p in parts if p.isdecimal() and int(p) in RELINEARISATIONS)
    return degrees if len(degrees) == len(parts) and degrees.levels <= MOST_LEVELS else None


@dataclass(frozen=True, slots=True)
class WrittenShape:
    """How a program is written. `degrees` are those of the approximations that leave them open, `slots` the
    most that a vector fills, and `spare_levels` the number of levels that results keep. `composites`: sums
    and Chebyshev series are computed by the library's own functions instead of primitive operations.
    `as_written`: products are computed in the order written. `layout`: how inputs of equal length lie in
    ciphertexts. `levels`: so many are left after a bootstrap,
    and bootstraps are placed where a circuit needs more. `fresh_levels`: so many may fresh inputs have, where
    that saves bootstraps; None for as many as after a bootstrap."""

    degrees: Degrees = ()
    slots: int | None = None
    spare_levels: int = 0
    composites: bool = False
    as_written: bool = False
    layout: Layout = Layout.BY_COLUMN
    levels: int | None = None
    fresh_levels: int | None = None


USUAL = WrittenShape()
ANYTHING = Wish()


def shape_from(
    problem: Problem, ours: Mapping[str, str], asked: Asked, scheme: str, composites: bool = False
) -> WrittenShape:
    """The shape that the settings of `OURS` give. UsageError for values that they cannot have."""
    degree = ours.get("degree")
    if degree is not None and scheme != "ckks":
        raise UsageError(
            f"degree={degree} was given, but {scheme.upper()} computes exactly, without approximations",
            "leave degree out, or choose --scheme ckks",
        )
    degrees = degrees_from(problem, degree, asked) if scheme == "ckks" else ()
    slots, spare = _count("slots", ours.get("slots"), 1), _count("spare_levels", ours.get("spare_levels"), 0)
    if slots is not None and slots & (slots - 1):
        raise UsageError(f"slots={slots} is not a power of two", f"write slots={1 << slots.bit_length() - 1}")
    if spare and scheme == "bfv":
        raise UsageError(
            f"spare_levels={spare} was given, but BFV has no levels",
            "leave spare_levels out, or choose bgv or ckks",
        )
    written = ours.get("as_written")
    as_written = written is not None and yes_or_no("as_written", written)
    levels = _count("levels", ours.get("levels"), 1)
    if levels is not None and scheme != "ckks":
        raise UsageError(
            f"levels={levels} was given, but {NO_BOOTSTRAPS}", "leave levels out, or choose --scheme ckks"
        )
    fresh = _count("fresh_levels", ours.get("fresh_levels"), 1)
    if fresh is not None and fresh < (levels or fresh + 1):
        raise UsageError(
            f"fresh_levels={fresh} was given, and "
            + (f"levels={levels} after a bootstrap" if levels else "not how many levels a bootstrap leaves"),
            f"give levels= of at most {fresh}, or leave fresh_levels out",
        )
    layout = layout_from(ours.get("layout", Layout.BY_COLUMN))
    return WrittenShape(degrees, slots, spare or 0, composites, as_written, layout, levels, fresh)


def layout_from(text: str) -> Layout:
    """The layout of that name. UsageError for any other text."""
    name = text.lower().replace("-", "_")
    if name not in list(Layout):
        raise UsageError(
            f"layout={text} is no layout of inputs", f"choose layout among {listing(list(Layout))}"
        )
    return Layout(name)


def _count(name: str, text: str | None, least: int) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or not least <= int(text) <= _MOST_COUNTED:
        said = f"{name}={text} is not a whole number from {least} to {_MOST_COUNTED:,}"
        raise UsageError(said, f"write {name}={least + 1}")
    return int(text)


def chosen(
    problem: Problem,
    library: Library,
    request: Request,
    profile: Profile | None,
    shape: WrittenShape = USUAL,
    shared: bool = False,
    wish: Wish = ANYTHING,
) -> Candidate:
    """The candidate that `request` makes, its depth (and, for integers, plaintext modulus) filled in.
    `shared`: others see the decrypted results. The wish says which numbers of threads may execute it.

    InfeasibleParameters where the library refuses it, UnsupportedOperation where the scheme cannot
    express the problem.
    """
    unsuited = problem.unsuited(request.scheme)
    if unsuited:
        raise UnsupportedOperation(unsuited, f"choose among {', '.join(_suited(problem, library))}")
    style = library.style(request.scheme, request.technique, shape.composites)
    style = replace(style, spare=shape.spare_levels, as_written=shape.as_written, layout=shape.layout)
    floods = sharing.floods(problem, request.scheme, shared)
    if sharing.leak(problem, library, request.scheme, shared):
        raise InfeasibleParameters(sharing.leak(problem, library, request.scheme, shared), sharing.REMEDY)
    open_estimate = False
    if floods and request.scheme == "ckks" and request.noise_estimate is None:
        request, open_estimate = sharing.asked_to_flood(request), True

    request, style = _bootstrapped(library, request, style, shape)

    def of(depth: int, n: int | None) -> Request:
        return replace(request, depth=depth, ring_dimension=n)

    lowerings = problem.lowerings(shape.degrees, style.exact)
    _refuse_layout(problem, lowerings, shape.layout)
    ask = bootstraps.asking(lowerings, style, shape.slots, of, lambda made: _asked(problem, library, made))
    program, p = sharing.planned(problem, shape.degrees, style, ask, request.ring_dimension, shape.slots)
    if open_estimate and p.scheme == "ckks":
        p = sharing.drowning(problem, shape.degrees, library, program, p)
    elif floods and p.scheme == "ckks":
        sharing.check_drowned(problem, shape.degrees, program, p)
    _refuse_slots(shape.slots, style, p.ring_dimension)
    _refuse_fresh_levels(library, program, p)
    refuse_wrapping(problem, p)
    refuse_depth(library, p)
    _refuse_overflow(problem, program, p)
    found = None
    if p.scheme == "ckks":
        found = precision(program, p, problem.gains(program), problem.truth)
    covering = profile if profile and profile.covers(request.scheme) else None
    threads = serving(program, p, covering, wish)
    judged = judged_estimate(program, p, covering, found, request.quantum, *threads)
    return Candidate(
        library.name, request.scheme, p.request or request, p, program, judged, shape.degrees,
        slots=split(program, shape.slots), rounded=found is not None and not problem.real,
        as_written=shape.as_written, layout=shape.layout, threads=threads.asked,
        walls=walls_of(program, p, covering, wish),
    )  # fmt: skip


def _bootstrapped(
    library: Library, request: Request, style: Style, shape: WrittenShape
) -> tuple[Request, Style]:
    """The request and the style with a bootstrap, where one was asked for.

    UsageError where a bootstrap has settings, but not how many levels it leaves.
    """
    if request.scheme != "ckks":
        return request, style
    if shape.levels is None:
        if request.bootstrap is not None:
            raise UsageError(
                "a bootstrap is asked for, but not how many levels it leaves",
                "give levels=, such as levels=5, with the settings of the bootstrap",
            )
        return request, style
    asked = request.bootstrap or BootstrapRequest()
    above = (shape.fresh_levels or shape.levels) - shape.levels
    style = bootstraps.budgeted(style, library, shape.levels, asked.iterations or 1, above)
    return request.having(bootstrap=asked), style


def _refuse_slots(slots: int | None, style: Style, ring: int) -> None:
    """Raises InfeasibleParameters where more slots are asked for than a ciphertext has."""
    most = ring if style.exact else ring // 2
    if slots is not None and slots > most:
        raise InfeasibleParameters(
            f"slots = {slots} was given, but a ciphertext of N = {ring} has {most} slots",
            f"leave slots out, or give slots={most} or less, or ring_dimension={ring * slots // most}",
        )


def _refuse_layout(problem: Problem, lowerings: Lowerings, layout: Layout) -> None:
    """Raises InfeasibleParameters for a layout that joins inputs where none can be joined."""
    if layout not in lowerings.layouts:
        raise InfeasibleParameters(
            f"layout = {layout} was given, but {problem.circuit.name} has no inputs that can be"
            " joined: several short ones of equal length, in a circuit of moderate size",
            "leave layout out",
        )


def _refuse_fresh_levels(library: Library, program: Program, p: Parameters) -> None:
    """Raises InfeasibleParameters where fresh inputs have more levels than the library gives them."""
    most = p.levels + library.levels_above(p)
    if program.bootstraps and program.fresh_levels > most:
        raise InfeasibleParameters(
            f"fresh inputs have {program.fresh_levels} levels, but {library.title} encrypts at {most} "
            f"at most with this bootstrap, which leaves {p.levels}",
            f"give fresh_levels={most}, or leave fresh_levels out",
        )


def _suited(problem: Problem, library: Library) -> list[str]:
    return [scheme for scheme in library.schemes if not problem.unsuited(scheme)]


def _refuse_overflow(problem: Problem, program: Program, p: Parameters) -> None:
    """Raises InfeasibleParameters where a CKKS value is beyond its modulus, so that it decrypts to garbage,
    or where a library refuses to decrypt so much noise. (The noise of BFV and BGV is left for the user to
    see. So is a value that fits, but leaves less room than the search would keep: `doubts` says it.)"""
    found = wrong(problem, program, p, spare_bits=0.0) if p.scheme == "ckks" else None
    if found:
        raise InfeasibleParameters(
            f"{problem.circuit.name}: {found.reason}", found.remedy or "raise scale_bits"
        )


def _asked(problem: Problem, library: Library, request: Request) -> Parameters:
    """What the library makes of the request, with a plaintext modulus that batches in the ring it picks."""
    if request.scheme == "ckks" or request.plain_modulus is not None:
        return library.parameters(request)
    refused = InfeasibleParameters(f"no ring up to N = {_RINGS[-1]} is large enough")
    for ring in _RINGS if request.ring_dimension is None else (request.ring_dimension,):
        try:
            found = library.parameters(replace(request, plain_modulus=problem.plain_modulus(ring)))
        except InfeasibleParameters as error:  # also where it picked a larger ring, in which t does not batch
            refused = error
        else:
            if found.ring_dimension <= ring:
                return found
    raise refused
