"""An exploration as it is kept in the store, so that reports can be made of it at any time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from io import BytesIO

from fheasible import __version__
from fheasible.aliases import Json
from fheasible.circuit.node import Circuit, Values
from fheasible.estimation.profile import Profile
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.details import details
from fheasible.exploration.search.search import Exploration
from fheasible.measurement.environment import commit, now
from fheasible.measurement.machine import load, this_machine
from fheasible.program.digest import digest as program_digest
from fheasible.store.rows import Explored
from fheasible.store.store import Store


def record(
    store: Store,
    exploration: Exploration,
    why: Sequence[str],
    profiles: Mapping[str, Profile],
    command: Sequence[str] = (),
) -> int:
    """The number under which the exploration is kept. `why` is what was said of the recommendation, `command`
    the call that runs it, in lines. StoreError where it cannot be stored."""
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
    }
    wish = _wish(exploration.wish)
    rows = parquet(exploration)
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


def parquet(exploration: Exploration) -> bytes:
    """The kept sets as a Parquet file, one row for each."""
    # imported after the answer is printed, since the import takes a tenth of a second
    from pyarrow import parquet as format_  # type: ignore[import-untyped]

    file = BytesIO()
    format_.write_table(exploration.kept.arrow(), file, compression="zstd")
    return file.getvalue()


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
