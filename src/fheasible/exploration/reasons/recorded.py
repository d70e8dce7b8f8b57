"""An exploration as it is kept in the store, so that reports can be made of it at any time.

In addition to the candidates, the figures of a report need where time goes, memory over time, and other
scales than the recommended one: what precision each gives, and which ring it takes [GKS25].
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from fheasible import __version__
from fheasible.aliases import Json
from fheasible.circuit.node import Circuit, Values
from fheasible.estimation import batch
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import COMPOSITES, Item, items
from fheasible.estimation.walls import executed
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.secure import posed_at
from fheasible.exploration.judging.sharing import floods
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.rings_and_moduli import RINGS
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.search.search import Exploration
from fheasible.exploration.space.requests import SCALES
from fheasible.libraries.block import CkksBlock
from fheasible.libraries.blocks import blocks
from fheasible.libraries.catalogue import BY_NAME
from fheasible.libraries.parameters import CkksRequest
from fheasible.libraries.work import layout_of
from fheasible.lowering.plan import depth_of
from fheasible.measurement.environment import commit, now
from fheasible.measurement.machine import load, this_machine
from fheasible.noise.ckks.precision import precision
from fheasible.program.digest import digest as program_digest
from fheasible.program.types import Operation, Program
from fheasible.store.kept_rows import packed
from fheasible.store.rows import Explored
from fheasible.store.store import Store

SIDE_BY_SIDE = 8  # candidates whose time is broken down
TRACED = 3  # candidates whose memory is followed

MOST_BITS = 60  # of a prime
CURVES = 6


def record(
    store: Store,
    exploration: Exploration,
    why: Sequence[str],
    profiles: Mapping[str, Profile],
    command: Sequence[str] = (),
    told: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """The number under which the exploration is kept. `why` is what was said of the recommendation, `command`
    the call that runs it, in lines; `told` has what a report says first. StoreError where it cannot be
    stored."""
    circuit = exploration.problem.circuit
    content = exploration.to_json() | {
        "why": list(why),
        "command": list(command),
        "asked": _asked(exploration),
        "real": exploration.problem.real,
        "least": {"measure": exploration.wish.least.measure, "value": exploration.wish.least.value},
        "fheasible": __version__,
        "programs": sorted(map(program_digest, {c.program for c in exploration.candidates})),
        "details": details(exploration, profiles),
        "profiles": {name: profile_of(p) for name, p in profiles.items()},
        **told,
    }
    wish = _wish(exploration.wish)
    rows = packed(exploration.kept.columns())
    return store.add_exploration(
        Explored(circuit.name, circuit_digest(circuit), wish, content, rows), predicting()
    )


def _wish(wish: Wish) -> Json:
    return asdict(wish) | {"precision": None if wish.precision is None else str(wish.precision)}


def _asked(e: Exploration) -> list[str]:
    """What was asked for, in words."""
    wish = e.wish
    words = [f"security of {wish.security} bits or more{' against quantum computers' * wish.quantum}"]
    words += [str(wish.least)] if e.problem.real else []
    return words


def profile_of(p: Profile) -> Json:
    """A profile as JSON: what identifies it and what it predicts with, without its points."""
    return {
        "machine": p.machine,
        "version": p.version,
        "threads": p.threads,
        "created": p.created,
        "build": p.build,
        "origin": p.origin,
        "error_band": p.error_band,
        "composition": p.composition,
        "nanoseconds": p.nanoseconds,
    }


def predicting() -> Json:
    """The machine that made the predictions, since nothing was run."""
    return this_machine().to_json() | {"commit": commit(), "started": now(), "load_before": load()}


def without_points(profile: Json) -> Json:
    """What identifies a profile and what it predicts with, without its points."""
    return {name: value for name, value in profile.items() if name != "points"}


def circuit_digest(circuit: Circuit) -> str:
    """The first 16 hexadecimal digits of SHA-256 over inputs, nodes and outputs: equal for equal circuits."""
    state = sha256()
    for fact in _facts(circuit):
        state.update(fact)
    return state.hexdigest()[:16]


def _facts(circuit: Circuit) -> Iterator[bytes]:
    place: dict[int, int] = {}
    yield repr((circuit.inputs, circuit.minimise_depth)).encode()
    for n in circuit.nodes():
        place[id(n)] = len(place)
        own = n.attribute.array if isinstance(n.attribute, Values) else None
        told = repr(n.attribute) if own is None else f"{own.dtype} {own.shape}"
        yield f"{n.op} {[place[id(a)] for a in n.args]} {told} {n.length} {n.kind}".encode()
        yield b"" if own is None else own.tobytes()
    yield repr([(name, place[id(n)]) for name, n in circuit.outputs]).encode()


def details(exploration: Exploration, profiles: Mapping[str, Profile]) -> Json:
    """The details as JSON; `candidate` is an index into the list of candidates."""
    listed = list(_of_each_kind(exploration.candidates))[:SIDE_BY_SIDE]
    timed = [(i, c) for i, c in listed if c.estimate.timed]
    return {
        "time": [{"candidate": i, "parts": _parts(c, profiles[c.library])} for i, c in timed],
        "memory": [
            {"candidate": i, **_over_time(c, profiles.get(c.library) if c.estimate.timed else None)}
            for i, c in listed[:TRACED]
        ],
        "scales": curves(exploration),
    }


def _of_each_kind(candidates: Sequence[Candidate]) -> Iterator[tuple[int, Candidate]]:
    """The best candidate of each (library, scheme, technique, ring), with its index."""
    seen: set[tuple[str, str, str, int]] = set()
    for place, c in enumerate(candidates):
        kind = (c.library, c.scheme, c.parameters.technique, c.parameters.ring_dimension)
        if kind not in seen:
            yield place, c
        seen.add(kind)


def _parts(c: Candidate, profile: Profile) -> list[list[Any]]:
    """Rows of [phase, operation, kernel, CPU seconds]; those of a phase add up to the estimate's time."""
    n, keys = c.parameters.ring_dimension, c.estimate.sizes.evaluation_keys
    found = batch.breakdown(c.program, n, layout_of(c.parameters), keys, profile)
    return [[*names, seconds] for names, seconds in found.items()]


def _over_time(c: Candidate, profile: Profile | None) -> Json:
    """The resident bytes after each operation, and when the operation ends, in CPU seconds after the keys are
    made; None without a profile. With several threads, operations are in the order in which they begin."""
    program = executed(c.program, c.library, c.threads)
    found = batch.resident_over_time(c.program, c.parameters, profile, c.threads)
    return {
        "baseline_bytes": found.baseline_bytes,
        "context_bytes": found.context_bytes,
        "keys_bytes": found.keys_bytes,
        "decryption_bytes": found.decryption_bytes,
        "peak_bytes": found.peak_bytes,
        "operations": found.operations.tolist(),
        "actions": [o.action.value for o in program.operations],
        "seconds": None if profile is None else _ends(c, program, profile),
    }


def _ends(c: Candidate, program: Program, profile: Profile) -> list[float]:
    """The CPU seconds at which each operation has ended."""
    layout, n = layout_of(c.parameters), c.parameters.ring_dimension

    @cache  # thousands of operations are of few kinds
    def seconds(item: Item) -> float:
        return profile.composition * profile.seconds(Shape.of(n, layout, item.task(layout), c.program.slots))

    def whole(operation: Operation, item: Item) -> float:
        """The seconds of an operation with what the library does unasked; a composite costs what is inside
        it."""
        inside = sum(seconds(Item("evaluate", action, level)) for action, level in operation.internal)
        return inside if operation.action in COMPOSITES else inside + seconds(item)

    pairs = zip(program.operations, items(program), strict=True)
    return [round(s, 9) for s in accumulate(whole(operation, item) for operation, item in pairs)]


@dataclass(frozen=True, slots=True)
class ScalePoint:
    """A scale in the smallest ring where it is secure."""

    scale_bits: int
    ring_dimension: int
    log_qp: float
    precision_bits: float  # expected
    assured_bits: float  # of all but one in a thousand encryptions


def curves(e: Exploration) -> list[Json]:
    """A curve over scales for the best CKKS candidate of each library and technique. Its other settings stay
    as they are, and its first and special primes keep their distance to the scale. Empty where the library
    sets the scale."""
    if floods(e.problem, "ckks", e.wish.shared_results):  # the library sets the scale
        return []
    found: dict[tuple[str, str], int] = {}
    for place, c in enumerate(e.candidates):
        if c.scheme == "ckks" and c.request.scale_bits:
            found.setdefault((c.library, c.parameters.technique), place)
    return [
        _told(place, _points(e.problem, e.wish, e.candidates[place])) for place in [*found.values()][:CURVES]
    ]


def _told(place: int, points: dict[int, ScalePoint]) -> Json:
    """The points as columns, for JSON."""
    rows = [points[scale] for scale in sorted(points)]
    return {"candidate": place} | {name: [getattr(p, name) for p in rows] for name in ScalePoint.__slots__}


def _points(problem: Problem, wish: Wish, c: Candidate) -> dict[int, ScalePoint]:
    """The points by scale, from the least scale that is secure in some ring. Scales that no ring of the
    library holds, or that it refuses, are absent. (For smaller scales it finds too few primes, and fewer
    still in larger rings.)"""
    library, points = BY_NAME[c.library], dict[int, ScalePoint]()
    style = c.style
    for n in RINGS:
        limit = posed_at(c, n, wish.quantum).allowed(wish.security)
        left = range(min(points, default=SCALES[0]), SCALES[-1] + 1)
        missing = [s for s in left if s not in points and s * c.request.depth <= limit]
        if missing and n <= library.largest_ring:
            program = problem.lowerings(c.degrees, style.exact).program(style, n, c.slots)
            assert c.request.scheme == "ckks"
            base = replace(c.request, depth=depth_of(program, style), ring_dimension=n)
            made = blocks(library, [_at(base, scale) for scale in missing]).made
            for block, places in made:
                scales = [missing[i] for i in places]
                points |= dict(_secure(problem, program, block, scales, limit))
    return points


def _at(r: CkksRequest, scale: int) -> CkksRequest:
    """The request with that scale; its first and special primes are as much larger than the scale as they
    were."""

    def moved(bits: int) -> int:
        return min(bits + scale - (r.scale_bits or MOST_BITS), MOST_BITS)

    special = None if r.special_bits is None else tuple(map(moved, r.special_bits))
    return replace(r, scale_bits=scale, first_bits=moved(r.first_bits or MOST_BITS), special_bits=special)


def _secure(
    problem: Problem, program: Program, block: CkksBlock, scales: Sequence[int], limit: float
) -> Iterator[tuple[int, ScalePoint]]:
    """(scale, point) of those sets of the block whose modulus is small enough to be secure."""
    if float(block.log_qp.min()) > limit:
        return
    found = precision(program, block, problem.gains(program), problem.truth)
    for i, scale in enumerate(scales):
        log_qp = float(block.log_qp[i])
        if log_qp <= limit:
            bits = (float(found.bits[i]), float(found.assured_bits[i]))
            yield scale, ScalePoint(scale, block.ring_dimension, log_qp, *bits)
