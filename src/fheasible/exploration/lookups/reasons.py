"""Why the best set of table look-ups is the best; and the exploration with these reasons, as it is kept in
the store.

Every number of the reasons comes from the search at hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from fheasible import __version__, units
from fheasible.aliases import Json
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.lookups.failing import never, once, run_goes_wrong
from fheasible.exploration.lookups.search import LookupExploration
from fheasible.exploration.reasons.recorded import circuit_digest, predicting, without_points
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE
from fheasible.libraries.lookup_library import LookupTask
from fheasible.store.kept_rows import packed_rows
from fheasible.store.rows import Explored
from fheasible.store.store import Store


def explain(found: LookupExploration, profiles: Mapping[str, LookupProfile]) -> list[str]:
    """Sentences about the best candidate and others beside it. Where nothing fits, only those on sets that
    were left out."""
    best = found.best
    if best is None:
        return [*_weaker(found)]
    return [
        _encoding(best),
        *_other_encodings(found, best),
        *_times(best, profiles.get(best.library.name)),
        _failure(found, best),
        _secure(best),
        *_weaker(found),
        *_own_or_shipped(found, best),
        *_others(found, best),
        *_elsewhere(profiles, found),
    ]


def _encoding(best: LookupCandidate) -> str:
    e, lookups = best.encoded.encoding, best.encoded.lookups
    point = "" if e.fraction is None else f" of a number with {e.fraction} bits after the point"
    digit = f"A ciphertext holds a digit below {e.message}{point}, and sums below {e.modulus}"
    if not lookups:
        return f"{digit}: no table look-up is needed."
    return (
        f"{digit}: the application takes {lookups:,} table look-up{'s' * (lookups != 1)} (bootstraps), "
        f"{best.encoded.depth} in succession."
    )


def _other_encodings(found: LookupExploration, best: LookupCandidate) -> Iterator[str]:
    """A sentence on the next best encoding with another modulus."""
    others = [
        c
        for c in found.candidates
        if c.library is best.library and c.encoded.encoding.modulus != best.encoded.encoding.modulus
    ]
    if others:
        c, e = others[0], others[0].encoded.encoding
        lookups = f"{c.encoded.lookups:,} look-ups of {e.modulus} entries each and "
        yield (
            f"With message {e.message} and carry {e.carry}, the application would take "
            f"{lookups if c.encoded.lookups else ''}"
            f"{_ratio(c.figures['score'] / best.figures['score'])} times the "
            f"{found.wish.goal.said(best.estimate.timed)}."
        )


def _times(best: LookupCandidate, profile: LookupProfile | None) -> Iterator[str]:
    if profile is None or not best.encoded.lookups or best.estimate.cpu_seconds is None:
        return
    work = best.library.work(LookupTask.LOOKUP, best.scheme, best.parameters)
    each = profile.seconds(LookupTask.LOOKUP, work)
    share = best.encoded.lookups * each / best.estimate.cpu_seconds["evaluate"]
    yield (
        f"A look-up takes {units.seconds(each)} of CPU time, and all of them {share:.0%} of evaluation: "
        f"{best.library.rotation(best.parameters)}."
    )


def _failure(found: LookupExploration, best: LookupCandidate) -> str:
    e, wish = best.estimate, found.wish
    asked = f"once in 2^{wish.failure_bits:g} is allowed"
    said = f"A {run_goes_wrong(e.log2_failure)}"
    if never(e.log2_failure):
        return f"{said}: the noise of its ciphertexts is far too small; {asked}."
    if not best.encoded.lookups:
        return f"{said}; {asked}."
    return f"{said}, and its look-up with the most noise once in {once(e.log2_lookup_failure)}; {asked}."


def _secure(best: LookupCandidate) -> str:
    p, e = best.parameters, best.estimate
    return (
        f"There are two secrets, of dimension {p.lwe_dimension:,} and {p.large_dimension:,}. The weaker one "
        f"has {units.security(e.security_bits)}s of security by today's estimate. Keys for evaluation take "
        f"{units.size(e.sizes.evaluation_key)}."
    )


def _weaker(found: LookupExploration) -> Iterator[str]:
    """A sentence for each library on its sets that have less security than their names say."""
    from fheasible.security.tfhe import security_of_all, undisputed_bits  # which loads scipy

    asked, quantum = found.wish.security, found.wish.quantum
    tried = {c.library.name: c.library for c in found.candidates}
    lacking = [r.library for r in found.rejected if r.library not in tried]
    tried |= {name: LOOKUP_CATALOGUE[name] for name in lacking if name in LOOKUP_CATALOGUE}
    for library in tried.values():
        named = [s for s in library.named.values() if (s.promised_bits or 0) >= asked]
        bits = [each.bits for each in security_of_all([s.parameters for s in named], quantum)]
        weak = [s for s, own in zip(named, bits, strict=True) if own < asked]
        if weak:
            having = _range([own for own in bits if own < asked])
            without = _range(undisputed_bits([s.parameters for s in weak], quantum))
            yield (
                f"{len(weak)} sets that {library.title} names for {asked} bits have {having} by today's "
                f"estimate ({without} without dual attacks, which are disputed), and are left out: "
                f"{units.listing([s.name for s in weak])}. "
                f"--library {library.name} --param set={weak[0].name} runs one of them all the same."
            )


def _range(bits: Sequence[float]) -> str:
    least, most = round(min(bits)), round(max(bits))
    return f"{least}" if least == most else f"{least} to {most}"


def _own_or_shipped(found: LookupExploration, best: LookupCandidate) -> Iterator[str]:
    """A sentence that compares our set with the best one that the library ships, or the other way round."""
    same = [c for c in found.candidates if c.library is best.library and bool(c.name) != bool(best.name)]
    if not same:
        return
    ratio, goal = same[0].figures["score"] / best.figures["score"], found.wish.goal.said(best.estimate.timed)
    if best.name:
        yield (
            f"Our own sets are no better than {best.name}: the best of them takes {_ratio(ratio)} times the "
            f"{goal}."
        )
    else:
        yield (
            f"The best set that {best.library.title} ships is {same[0].name}: it takes {_ratio(ratio)} times "
            f"the {goal}, and a {run_goes_wrong(same[0].estimate.log2_failure)}."
        )


def _others(found: LookupExploration, best: LookupCandidate) -> Iterator[str]:
    """A sentence for the best candidate of each other library and scheme."""
    seen = {(best.library.name, best.scheme)}
    for c in found.candidates:
        kind = (c.library.name, c.scheme)
        if kind not in seen:
            ratio = _ratio(c.figures["score"] / best.figures["score"])
            yield f"{c.title} takes {ratio} times the {found.wish.goal.said(c.estimate.timed)} at best."
        seen.add(kind)


def _elsewhere(profiles: Mapping[str, LookupProfile], found: LookupExploration) -> Iterator[str]:
    names = {c.library.name: c.library.title for c in found.candidates}
    shipped = [(title, profiles[name].origin) for name, title in names.items() if name in profiles]
    origins = {origin for _, origin in shipped if origin}
    if origins:
        titles = units.listing([title for title, origin in shipped if origin])
        yield (
            f"Times of {titles} come from another machine ({', '.join(sorted(origins))}). Remedy: fheasible "
            "calibrate"
        )


def _ratio(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2f}"


def record(
    store: Store,
    found: LookupExploration,
    why: Sequence[str],
    profiles: Mapping[str, LookupProfile],
    command: Sequence[str] = (),
    beside: Sequence[str] = (),
    told: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """The number under which the exploration is kept. `command`: the call that runs the best set, in lines;
    `beside`: what other kinds of libraries would take; `told` has what a report says first. StoreError where
    it cannot be stored."""
    content = found.to_json() | {
        "platform": _platform(found),
        "why": list(why),
        "beside": list(beside),
        "command": list(command),
        "encodings": [
            {
                "message": e.encoding.message,
                "carry": e.encoding.carry,
                "lookups": e.lookups,
                "in_succession": e.depth,
            }
            for e in found.encodings
        ],
        "fheasible": __version__,
        "profiles": {name: without_points(p.to_json()) for name, p in profiles.items()},
        **told,
    }
    wish = asdict(found.wish) | {
        "precision": None if found.wish.precision is None else str(found.wish.precision)
    }
    circuit = found.problem.circuit
    explored = Explored(circuit.name, circuit_digest(circuit), wish, content, packed_rows(rows_of(content)))
    return store.add_exploration(explored, predicting())


def _platform(found: LookupExploration) -> str:
    """A library of the platform, by which a report finds it."""
    return found.best.library.name if found.best else found.rejected[0].library


def rows_of(content: Json) -> list[Json]:
    """The candidates of a stored answer as flat rows, one for each."""
    return [
        {
            "library": c["library"],
            "scheme": c["scheme"],
            "set": c["set"],
            "message": c["request"]["message"],
            "carry": c["request"]["carry"],
            "lwe_dimension": c["parameters"]["lwe_dimension"],
            "glwe_dimension": c["parameters"]["glwe_dimension"],
            "polynomial_size": c["parameters"]["polynomial_size"],
            "lookups": c["lookups"],
            "lookups_in_succession": c["lookups_in_succession"],
            "pareto": c["pareto"],
            "cpu_seconds": c["estimate"]["cpu_seconds"]["total"],
            "peak_bytes": c["estimate"]["peak_bytes"],
            "ciphertext_bytes": c["estimate"]["ciphertext_bytes"],
            "evaluation_key_bytes": c["estimate"]["evaluation_key_bytes"],
            "log2_failure": c["estimate"]["log2_failure"],
            "security_bits": c["estimate"]["security_bits"],
        }
        for c in content["candidates"]
    ]
